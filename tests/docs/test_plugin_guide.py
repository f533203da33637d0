"""The plugin guide shows the files of ``legalir-trigram`` as they are, and names what there is."""

from __future__ import annotations

import importlib
import re

import pytest
from documentation import DOCS, ROOT, blocks

from legalir import plugins
from legalir.errors import LegalIRError

PAGE = DOCS / "plugins.md"
EXAMPLE = ROOT / "plugins" / "legalir-trigram"


@pytest.mark.parametrize("name", ["pyproject.toml", "src/legalir_trigram/retriever.py", "tests/test_trigram.py"])
def test_the_example_is_shown_as_it_is(name: str) -> None:
    shown = [block.text for block in blocks(PAGE)]
    assert (EXAMPLE / name).read_text(encoding="utf-8").rstrip("\n") in shown


def test_the_tree_that_is_shown_is_that_of_the_example() -> None:
    (tree,) = [block.text for block in blocks(PAGE) if block.language == "text"]
    shown = {line.split()[0] for line in tree.splitlines()[1:]}
    found = {str(path.relative_to(EXAMPLE)) for path in EXAMPLE.rglob("*") if path.is_file()}
    assert shown == {path for path in found if not re.search(r"__pycache__|\.egg-info|\.pyc$|^build/|_cache/", path)}


def test_every_role_has_its_line() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text.partition("## The quick way")[0], flags=re.M) == [
        *("retriever", "fuser", "expander", "reranker", "generator", "judge"),
        *("analyzer", "encoder", "source", "llm", "executor", "command", "measure"),
    ]
    assert set(re.findall(r"^\| `(\w+)` \|", text, flags=re.M)) >= set(plugins.ROLES)


def test_the_errors_that_are_named_are_errors() -> None:
    _, _, text = PAGE.read_text(encoding="utf-8").partition("### Errors")
    named = re.findall(r"^\| `(\w+)` \|", text.partition("\n### ")[0], flags=re.M)
    assert len(named) > 4
    errors = importlib.import_module("legalir.errors")
    assert all(issubclass(getattr(errors, name), LegalIRError) for name in named)
