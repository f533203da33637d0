"""The pages of the documentation, cut into their blocks of code and their links."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *sorted(DOCS.glob("*.md")),
    *(
        ROOT / "plugins" / f"legalir-{name}" / "README.md"
        for name in ("finetune", "hypa", "postgres", "qdrant", "study")
    ),
]
"""The pages whose examples run; READMEs of the other packages say in a few lines what is there."""

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>```+)(?P<language>\S*)")
_NOT_RUN = re.compile(r"^ *<!-- not run: (?P<reason>.*?) *-->$")
_FILE = re.compile(r"^`(?P<name>[\w.-]+)`:")


class Block(NamedTuple):
    """A fenced block: where its first line stands (from 1), what it holds, and why it is not run, if it is not."""

    page: str
    line: int
    language: str
    text: str
    not_run: str | None
    file: str | None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found, number = [], 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence is None:
            number += 1
            continue
        end = number + 1
        while lines[end].strip() != fence["ticks"]:
            end += 1
        body = [line.removeprefix(fence["indent"]) for line in lines[number + 1 : end]]
        before = _paragraph_before(lines[:number])
        note, named = _NOT_RUN.match(before[-1]), _FILE.match(before[0])
        reason = None if note is None else note["reason"]
        name = None if named is None else named["name"]
        found.append(Block(page.name, number + 2, fence["language"], "\n".join(body), reason, name))
        number = end + 1
    return found


def _paragraph_before(lines: list[str]) -> list[str]:
    """Return the last paragraph of `lines`, which may end in empty ones."""
    end = max((number for number, line in enumerate(lines, start=1) if line.strip()), default=0)
    start = max((number for number, line in enumerate(lines[:end], start=1) if not line.strip()), default=0)
    return lines[start:end] or [""]


def text_without_blocks(page: Path) -> str:
    """Return a page without what stands in fences."""
    return re.sub(r"^( *)(```+)[^\n]*\n.*?^\1\2 *$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def spans(page: Path) -> Iterator[str]:
    """Yield what stands in backticks within the text of a page, outside blocks."""
    for _, span in re.findall(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", text_without_blocks(page), flags=re.S):
        yield re.sub(r"\s+", " ", span).strip()


def shown_texts(page: Path) -> Iterator[str]:
    """Yield each text that may be an expression: a span, a line, a word of a command, a YAML value, a string of code.

    Python that runs is left out: it is tested as it is.
    """
    yield from spans(page)
    for block in blocks(page):
        if block.language == "yaml":
            yield from _leaves(yaml.safe_load(block.text))
        elif block.language != "python":
            yield block.text
            for line in block.text.replace("\\\n", " ").splitlines():
                is_command = block.language == "sh" or line.lstrip("$ ").startswith("legalir ")
                yield from shlex.split(line, comments=True) if is_command else [re.sub(r"\s+# .*", "", line).strip()]
        elif block.not_run is not None:
            tree = ast.parse(block.text)
            inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
            strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in inside)
            yield from (node.value for node in strings if isinstance(node.value, str))


def _leaves(value: object) -> Iterator[str]:
    """Yield the texts in a value of YAML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)


def links(page: Path) -> Iterator[str]:
    """Yield the path of every link of a page that leads to a file, without its anchor."""
    for target in re.findall(r"\]\(([^)\s]+)\)", text_without_blocks(page)):
        if not re.match(r"[a-z]+:|#", target):
            yield target.partition("#")[0]
