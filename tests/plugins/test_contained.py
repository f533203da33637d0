"""One broken plugin and everything else: in real packages, in Python and on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir import pipeline, plugins
from legalir.cli.main import main
from legalir.cli.plugins import statuses
from legalir.collection.collection import Collection
from legalir.errors import PluginError

GOOD = """
def sick(collection):
    from legalir.lexical.sparse import bm25
    return bm25(collection)
"""


class Fault(NamedTuple):
    """A package with something wrong in it, and what is said of it.

    `listed` and `loaded` are its states in a list without and with ``--load``.
    """

    source: str
    message: str
    listed: str = "installed"
    loaded: str = "broken"
    rival: bool = False
    environment: dict[str, str] = {}  # noqa: RUF012  (a NamedTuple)

    @property
    def raises(self) -> bool:
        """Whether code of the package raises."""
        return "cannot be loaded" in self.message or " failed: " in f" {self.message}"


FAULTS = {
    "import error": Fault("import no_such_module_anywhere\n", "cannot be loaded: ModuleNotFoundError"),
    "leaves at import": Fault("raise SystemExit(0)\n", "cannot be loaded: SystemExit: 0"),
    "missing attribute": Fault("", "cannot be loaded: AttributeError"),
    "not callable": Fault("sick = 3\n", "is not callable"),
    "wrong signature": Fault("def sick(): pass\n", "cannot be called as factory(collection, ...)"),
    "raises while built": Fault("def sick(collection): return 1 / 0\n", "failed: ZeroDivisionError", loaded="loads"),
    "leaves while built": Fault("def sick(collection): raise SystemExit(0)\n", "failed: SystemExit: 0", loaded="loads"),
    "gives no transformer": Fault("def sick(collection): return 3\n", "returned an object of type int", loaded="loads"),
    "two packages": Fault(GOOD, "is claimed by neighbour 0.3", "disputed", "disputed", rival=True),
    "disabled": Fault(
        GOOD,
        "is disabled: take neighbour out of LEGALIR_DISABLE",
        "disabled",
        "disabled",
        environment={"LEGALIR_DISABLE_PLUGINS": "neighbour"},
    ),
}

Command = Callable[..., tuple[object, str, str]]
"""Runs the command line; returns its exit code, and what it printed."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all tests of this module share, so that the index is built once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def command(cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str, **environment: str) -> tuple[object, str, str]:
        with monkeypatch.context() as patch:
            for name, value in {"LEGALIR_HOME": str(cache), "COLUMNS": "100", **environment}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["legalir", *arguments])
            with pytest.raises(SystemExit) as ended:
                main()
        return (ended.value.code, *capsys.readouterr())

    return run


def installed(install: Install, fault: Fault) -> list[Path]:
    entries = {"retriever.sick": "neighbour_module:sick"}
    roots = [install("neighbour", entries, fault.source, version="0.3")]
    if fault.rival:
        roots.append(install("rival", {"retriever.sick": "rival_module:sick"}, fault.source))
    roots.append(install("healthy", {"retriever.well": "healthy_module:sick"}, GOOD))
    return roots


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_in_one_process(install: Install, monkeypatch: pytest.MonkeyPatch, cache: Path, fault: Fault) -> None:
    installed(install, fault)
    for name, value in fault.environment.items():
        monkeypatch.setenv(name, value)
    before = {one.entry.name: one.state for one in statuses("retriever")}
    assert (before["sick"], before["well"], before["bm25"]) == (fault.listed, "installed", "installed")
    assert "neighbour_module" not in sys.modules
    loaded = {one.entry.name: one for one in statuses("retriever", load=True)}
    assert [loaded[name].state for name in ("sick", "well", "bm25")] == [fault.loaded, "loads", "loads"]
    if fault.loaded in ("broken", "disputed", "other contract"):
        assert fault.message in str(loaded["sick"].problem)
    collection = Collection("legalir/firecode", cache=cache)
    with pytest.raises(PluginError) as caught:
        collection.pipeline("sick")
    message = str(caught.value)
    assert fault.message in message
    assert "\n" not in message
    assert message.startswith("Expression 'sick', column 1: ")
    if fault.listed != "disabled":
        assert "neighbour 0.3" in message
    for entry in plugins.entries():
        if entry.name != "sick":
            assert callable(plugins.load(entry).factory), entry
    assert collection.pipeline("well") == collection.pipeline("bm25")
    assert len(collection.pipeline("well % 3").search("창문 없는 층")) == 3
    assert pipeline.canonical("sick") == "sick", "reading needs no plugin"


@pytest.mark.parametrize("fault", [FAULTS["import error"], FAULTS["raises while built"]])
def test_on_the_command_line(install: Install, command: Command, fault: Fault) -> None:
    installed(install, fault)
    code, shown, error = command("search", "legalir/firecode", "창문", "-p", "sick")
    assert (code, shown, error.count("\n")) == (1, "", 1)
    assert error.startswith("error: ") and fault.message in error and "LEGALIR_TRACEBACK=1" in error
    code, _, error = command("search", "legalir/firecode", "창문", "-p", "sick", LEGALIR_TRACEBACK="1")
    assert code == 1 and error.startswith("Traceback")
    assert "\nThe above exception was the direct cause" in error
    assert error.splitlines()[-1].startswith("error: Expression 'sick', column 1: The retriever 'sick'")
    code, shown, error = command(
        "search", "legalir/firecode", "창문 없는 층", "-k", "1", "-f", "trec", "-p", "rrf(well, bm25)"
    )
    assert (code, error, shown.split()[2]) == (0, "", "fts301-12")
    code, shown, error = command("plugins", "list", "--load", "--json")
    assert (code, error) == (0, "")
    states = {one["name"]: one for one in json.loads(shown)["plugins"]}
    assert [states[name]["state"] for name in ("sick", "well", "bm25")] == [fault.loaded, "loads", "loads"]
    if fault.loaded == "broken":
        assert fault.message in states["sick"]["problem"]


WHILE_IT_RUNS = """
import pyterrier as pt

class Sick(pt.Transformer):
    def transform(self, inp): raise ValueError("k1 is odd.\\nmore")

def value(collection): return Sick()
"""


def test_a_plugin_that_fails_while_it_runs(install: Install, command: Command) -> None:
    install("neighbour", {"retriever.sick": "neighbour_module:value"}, WHILE_IT_RUNS, version="0.3")
    search = ("search", "legalir/firecode", "창문", "-p", "sick % 10")
    code, _, error = command(*search)
    assert code == 1
    assert error == (
        "error: Package neighbour 0.3 failed while it ran: ValueError: k1 is odd; "
        "run with LEGALIR_TRACEBACK=1 to see where.\n"
    )
    with pytest.raises(ValueError, match="k1 is odd"):
        command(*search, LEGALIR_TRACEBACK="1")
