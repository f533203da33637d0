"""The plugin guide shows the files of ``legalir-trigram`` as they are, and names what there is."""

from __future__ import annotations

import importlib
import re

from documentation import DOCS, ROOT, blocks

from legalir import plugins
from legalir.errors import LegalIRError

PAGE, REFERENCE = DOCS / "plugins.md", DOCS / "plugin-reference.md"
EXAMPLE = ROOT / "plugins" / "legalir-trigram"


def test_the_example_is_shown_as_it_is() -> None:
    retriever = (EXAMPLE / "src/legalir_trigram/retriever.py").read_text(encoding="utf-8")
    assert retriever.rstrip("\n") in [block.text for block in blocks(PAGE)]
    entry = '[project.entry-points."legalir.v1"]\n"retriever.trigram" = "legalir_trigram.retriever:trigram"'
    assert entry in (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    assert entry in re.sub("^  ", "", PAGE.read_text(encoding="utf-8"), flags=re.M)


def test_every_role_has_its_line() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text.partition("## The quick way")[0], flags=re.M) == [
        *("retriever", "fuser", "expander", "reranker", "generator", "judge"),
        *("analyzer", "encoder", "source", "llm", "executor", "command", "measure"),
    ]
    assert {role.lower() for role in re.findall(r"^\*\*(\w+)", REFERENCE.read_text(encoding="utf-8"), flags=re.M)} >= {
        *{*plugins.ROLES} - {"llm"},
        "chat",
    }


def test_the_errors_that_are_named_are_errors() -> None:
    _, _, text = REFERENCE.read_text(encoding="utf-8").partition("\n## Errors")
    named = re.findall(r"^\| `(\w+)` \|", text.partition("\n## ")[0], flags=re.M)
    assert len(named) > 4
    errors = importlib.import_module("legalir.errors")
    assert all(issubclass(getattr(errors, name), LegalIRError) for name in named)
