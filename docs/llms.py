"""Write ``llms.txt``, by which language models find the pages, from the table of docs/index.md."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath

ROOT = Path(__file__).parents[1]
FURTHER = """
## For agents

- [AGENTS.md](AGENTS.md): work in this repository
- [Skill](plugins/legalir-serve/src/legalir_serve/skills/legalir/SKILL.md): search statutes by tools or commands
- [Commands](docs/command-line.md): every command and option
- [Python](docs/api.md): every public name
"""


def text() -> str:
    """Return the text: the first paragraph of the page, and each link of its table with what it is for."""
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    about = " ".join(page.split("\n\n")[1].split())
    rows = re.findall(r"^\| (?!you want to|---)(.+?) \| (.+) \|$", page, flags=re.M)
    lines = [
        f"- [{name}]({normpath(f'docs/{link}')}): {aim}"
        for aim, cell in rows
        for name, link in re.findall(r"\[(.+?)\]\((.+?)\)", cell)
    ]
    return "\n".join(["# legalir", "", f"> {about}", "", "## Pages", "", *lines]) + "\n" + FURTHER


if __name__ == "__main__":
    (ROOT / "llms.txt").write_text(text(), encoding="utf-8")
