"""docs/references.md has each paper that a docstring or a page cites, and cites each paper that it has."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from documentation import DOCS, ROOT

ENTRIES = re.findall(r"^@\w+\{([\w-]+),$", (DOCS / "references.md").read_text(encoding="utf-8"), re.M)
CITED = re.compile(r"(?<![\w`\])}])\[([a-z][a-z0-9]+(?:-[a-z0-9]+)*)\](?![(\[`\w:])")
"""A word of at least two characters in brackets; ``[n]`` is a shape and ``[text](page)`` a link."""
SHAPES = {"groups", "pairs", "postings", "queries", "rows", "specs"}
"""Words in docstrings that give the length of an array."""


def docstrings() -> Iterator[tuple[str, str]]:
    for path in sorted([*ROOT.glob("legalir/**/*.py"), *ROOT.glob("plugins/*/src/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value.value


def test_a_key_names_one_paper() -> None:
    assert [key for key, count in Counter(ENTRIES).items() if count > 1] == []


def test_each_key_in_a_docstring_is_a_paper() -> None:
    unknown = {
        f"{place}: [{key}]"
        for place, text in docstrings()
        for key in CITED.findall(text)
        if key not in ENTRIES and key not in SHAPES
    }
    assert unknown == set()


def test_each_paper_is_cited() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (*DOCS.glob("*.md"), *ROOT.glob("experiments/**/*.md"))]
    cited = {key for text in (*(text for _, text in docstrings()), *pages) for key in CITED.findall(text)}
    assert [key for key in ENTRIES if key not in cited] == []
