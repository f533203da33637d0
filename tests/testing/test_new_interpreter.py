"""The checks in a new interpreter: one mutant a check, as a module of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir import testing

HEAD = """
from right_components import Overlap, Pairs, Hashed, Register

class Late(Overlap):
    def transform(self, inp):
        if len(inp):
            import torch
        return super().transform(inp)
"""

MUTANTS = {
    "light-import": ("retriever", "import torch\ndef factory(collection): return Overlap(collection)"),
    "light-construction": ("retriever", "def factory(collection):\n    import torch\n    return Overlap(collection)"),
    "light-empty-frame": (
        "retriever",
        "class Early(Overlap):\n"
        "    def empty(self, inp):\n        import torch\n        return super().empty(inp)\n"
        "def factory(collection): return Early(collection)",
    ),
    "another-process": (
        "retriever",
        "class Salted(Overlap):\n"
        "    def apply(self, inp):\n"
        "        return super().apply(inp).eval('score = score + @self.salt')\n"
        "    salt = hash('salt') % 1000 / 1000\n"
        "def factory(collection): return Salted(collection)",
    ),
    "another-process 2": (
        "analyzer",
        "class Salted(Pairs):\n"
        "    def terms(self, text): return sorted(super().terms(text), key=hash)\n"
        "def factory(collection): return Salted()",
    ),
    "another-process 3": (
        "encoder",
        "class Salted(Hashed):\n"
        "    def encode(self, texts):\n"
        "        return super().encode(texts)[:, sorted(range(32), key=lambda place: hash(str(place)))]\n"
        "def factory(collection): return Salted()",
    ),
    "another-process 4": (
        "source",
        "class Salted(Register):\n"
        "    def links(self): return iter(sorted(super().links(), key=hash) + [('a-1', 'a-3', str(hash('a')))])\n"
        "def factory(collection): return Salted()",
    ),
}


@pytest.fixture(autouse=True)
def without_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let ``import torch`` find something small, and let this interpreter keep nothing of it."""
    folder = tmp_path / "fake"
    folder.mkdir()
    (folder / "torch.py").write_text("")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    yield
    sys.modules.pop("torch", None)


@pytest.mark.parametrize("check", MUTANTS)
def test_a_mutant_is_caught_by_its_check_and_no_other(install: Install, check: str) -> None:
    role, source = MUTANTS[check]
    install("acme", {f"{role}.pairs": "acme_module:factory"}, HEAD + source)
    outcomes = testing.check(role, "pairs")
    assert {one.check: one.message for one in outcomes if not one.ok}.keys() == {check.partition(" ")[0]}, outcomes
    assert not [one for one in outcomes if one.check.startswith("light-") and one.status == "not applicable"]


def test_a_model_that_is_loaded_with_the_first_question_is_fine(install: Install) -> None:
    install(
        "acme", {"retriever.late": "acme_module:factory"}, HEAD + "def factory(collection): return Late(collection)"
    )
    outcomes = testing.check("retriever", "late")
    assert [one for one in outcomes if not one.ok] == []
    assert all(one.status == "passed" for one in outcomes if one.check.startswith("light-"))


def test_what_another_interpreter_cannot_import_is_not_asked_there() -> None:
    from right_components import overlap

    outcomes = {one.check: one for one in testing.check("retriever", lambda collection: overlap(collection))}
    assert outcomes["light-import"].status == "not applicable"
    assert "a new interpreter cannot make it" in outcomes["another-process"].message


def test_a_failure_in_the_new_interpreter_is_told(install: Install) -> None:
    only_here = (
        f"import os\ndef factory(collection):\n    if os.getpid() != {os.getpid()}: raise ValueError('not here')\n"
    )
    install("acme", {"retriever.homely": "acme_module:factory"}, HEAD + only_here + "    return Overlap(collection)")
    failed = {one.check: one.message for one in testing.check("retriever", "homely") if not one.ok}
    assert failed.keys() == {"light-construction"}
    assert "in a new interpreter: raised ValueError: not here (at acme_module.py, line" in failed["light-construction"]


def test_a_death_of_the_new_interpreter_is_told(install: Install) -> None:
    dies = f"import os\ndef factory(collection):\n    if os.getpid() != {os.getpid()}: os._exit(7)\n"
    install("acme", {"retriever.deadly": "acme_module:factory"}, HEAD + dies + "    return Overlap(collection)")
    failed = {one.check: one.message for one in testing.check("retriever", "deadly") if not one.ok}
    assert all("died with code 7" in message for message in failed.values())
    assert {"light-import", "another-process"} <= failed.keys()
