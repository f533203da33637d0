"""The notebooks of docs/notebooks run and print what they show; run as a program, this writes what they print."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
LONGEST = 20
"""Lines that a cell may print."""


def outputs(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run the code cells in one namespace; return what each prints, in the form of a notebook."""
    module, found = ModuleType("notebook"), []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile("".join(cell["source"]), "cell", "exec"), vars(module))
            lines = printed.getvalue().splitlines(keepends=True)
            found.append([{"output_type": "stream", "name": "stdout", "text": lines}] if lines else [])
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook_prints_what_it_shows(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert outputs(notebook) == shown
    assert all(len(out["text"]) <= LONGEST for cell in shown for out in cell)


def main() -> None:
    """Write the outputs of all notebooks anew."""
    os.environ["LEGALIR_SEMANTIC"] = "off"
    for path in FOLDER.glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            new = outputs(notebook)
        code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        for number, (cell, out) in enumerate(zip(code, new, strict=True), 1):
            cell |= {"outputs": out, "execution_count": number}
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
