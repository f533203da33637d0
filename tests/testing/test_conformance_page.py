"""The page on conformance names every check of every role, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from legalir import plugins, testing
from legalir.testing.data import HEAVY

PAGE = (Path(__file__).parents[2] / "docs" / "plugin-reference.md").read_text(encoding="utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n### ")}


def named(section: str) -> set[str]:
    """Return the checks that the tables of a section name: in the first of three columns, the second of four."""
    rows = [line.strip("|").split("|") for line in SECTIONS[section].splitlines() if line.startswith("| ")]
    return {name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row[len(row) - 3])}


def test_every_check_is_on_the_page() -> None:
    fresh = named("Checks in a new interpreter")
    frames = named("Retriever, fuser, expander, reranker, generator, judge")
    of_frames = {name for role in plugins.PIPELINE_ROLES for name in testing.names(role)}
    assert frames | fresh == of_frames
    for role, section in {
        "analyzer": "Analyzer",
        "encoder": "Encoder",
        "source": "Source",
        "llm": "Chat model",
        "executor": "Executor",
    }.items():
        assert named(section) | fresh == set(testing.names(role))


def test_every_heavy_module_is_on_the_page() -> None:
    assert all(name in SECTIONS["Checks in a new interpreter"] for name in HEAVY)
