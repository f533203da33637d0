"""``legalir plugins`` as a user meets it, with packages made on the spot, and what it refuses."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)
from typer.testing import CliRunner, Result

from legalir import plugins, testing
from legalir.cli.main import app, main
from legalir.errors import ComponentError, PluginError

DOCUMENTED = '''
def trigger(collection, first, *others, weights, k=60, tags="a\\x1b[31mb"):
    """Fuse [red]all[/red] of it.

    And ``trigger`` alone is no example.

    Args:
        first: the \\x1b[31mfirst.
        weights: one of each.
        k: as ever.
    """
'''


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["plugins", *arguments])


def as_json(*arguments: str) -> Any:
    ended = run(*arguments, "--json")
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


def row(output: str, name: str) -> list[str]:
    (found,) = [line.split() for line in output.splitlines() if line.split()[:1] == [name]]
    return found


def test_list_shows_what_is_installed_and_imports_nothing(install: Install) -> None:
    install("acme", {"retriever.quick": "acme_module:factory"}, "raise RuntimeError('imported')\n", version="2.1")
    ended = run("list")
    assert ended.exit_code == 0
    assert row(ended.output, "quick") == ["quick", "retriever", "acme", "2.1", "installed"]
    assert row(ended.output, "bm25") == ["bm25", "retriever", "legalir", "0.1.0", "installed"]
    assert "acme_module" not in sys.modules


def test_list_with_load_shows_the_cause_below(install: Install) -> None:
    install("acme", {"retriever.quick": "acme_module:factory"}, "raise RuntimeError('[no] licence')\n", version="2.1")
    ended = run("list", "--role", "retriever", "--load")
    assert ended.exit_code == 0
    assert row(ended.output, "quick")[-1] == "broken"
    assert row(ended.output, "bm25")[-1] == "loads"
    problem = ended.output.splitlines()[-1]
    assert "retriever 'quick' of package acme 2.1 (acme_module:factory)" in problem
    assert "RuntimeError: [no] licence" in problem


def test_list_of_one_role_as_json(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("other", {"analyzer.slow": "other_module:factory"})
    install("acme", {"analyzer.quick": "acme_module:factory", "analyzer.2fast": "acme_module:factory"}, version="2.1")
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "other,nowhere")
    listed = as_json("list", "--role", "analyzer")
    found = {one["name"]: one for one in listed["plugins"]}
    assert {one["role"] for one in listed["plugins"]} == {"analyzer"}
    assert found["quick"] == {
        "role": "analyzer",
        "name": "quick",
        "package": "acme",
        "version": "2.1",
        "value": "acme_module:factory",
        "state": "installed",
        "problem": None,
    }
    assert found["slow"]["state"] == "disabled"
    assert found["2fast"]["state"] == "broken"
    assert listed["problems"] == [
        found["2fast"]["problem"],
        "LEGALIR_DISABLE_PLUGINS names 'nowhere', which is not an installed package with plugins.",
    ]


def test_list_shows_disputes_once(install: Install) -> None:
    install("acme", {"retriever.same": "acme_module:factory"})
    install("other", {"reranker.same": "other_module:factory"})
    output = run("list").output
    assert output.count("disputed") == 2
    assert output.count("'same' is claimed by") == 1


def test_show() -> None:
    ended = run("show", "bm25")
    assert ended.exit_code == 0
    lines = [" ".join(line.split()) for line in ended.output.splitlines()]
    assert lines[0] == "bm25 retriever"
    assert lines[1].startswith("BM25 over the terms of `analyzer`")
    assert "package legalir 0.1.0" in lines
    assert "module legalir.lexical.sparse:bm25" in lines
    assert 'example bm25(analyzer="char2", k1=1.5, b=0.75)' in lines
    assert "k1 0.9 saturation of term frequency (at least 0)." in lines


def test_show_what_has_to_be_given_and_escapes_nothing(install: Install) -> None:
    install("acme", {"fuser.trigger": "acme_module:trigger"}, DOCUMENTED)
    ended = run("show", "trigger")
    assert ended.exit_code == 0
    lines = [" ".join(line.split()) for line in ended.output.splitlines()]
    assert lines[1] == "Fuse [red]all[/red] of it."
    assert "example trigger(bm25, lsa, weights=...)" in lines
    assert "first (a pipeline) the [31mfirst." in lines
    assert "*others (pipelines)" in lines
    assert "weights (required) one of each." in lines
    assert "\x1b" not in ended.output


def test_show_of_a_name_in_two_roles() -> None:
    assert [one["role"] for one in as_json("show", "lsa")] == ["encoder", "retriever"]
    (one,) = as_json("show", "lsa", "--role", "encoder")
    assert one["example"] == 'dense(encoder="lsa(dimensions=64)")'
    assert [parameter["name"] for parameter in one["parameters"]] == ["analyzer", "dimensions"]
    assert one["parameters"][1]["default"] == "256"
    output = run("show", "lsa").output
    assert "lsa encoder" in output
    assert "lsa retriever" in output


@pytest.mark.parametrize(
    ("role", "example"),
    [
        ("analyzer", 'bm25(analyzer="plain(path=...)")'),
        ("encoder", 'dense(encoder="plain(path=...)")'),
        ("retriever", "plain(bm25)"),
        ("expander", "bm25 % 20 >> plain(bm25)"),
        ("reranker", "bm25 % 100 >> plain(bm25)"),
        ("generator", "bm25 % 5 >> plain(bm25)"),
        ("source", "legalir datasets import 'plain(path=...)' my-statutes"),
    ],
)
def test_an_example_that_fits_the_role(install: Install, role: str, example: str) -> None:
    install("acme", {f"{role}.plain": "acme_module:plain"}, "def plain(collection, path, k=3): pass\n")
    (one,) = as_json("show", "plain")
    assert one["example"] == example


def test_the_example_of_everything_that_ships_uses_it() -> None:
    for entry in (one for one in plugins.entries() if one.package == "legalir"):
        (one,) = as_json("show", entry.name, "--role", entry.role)
        assert entry.name in one["example"]
        assert "..." not in one["example"]
        assert one["about"], entry


def test_show_of_a_broken_one_shows_the_others_first(install: Install) -> None:
    install("acme", {"encoder.bm25": "acme_module:nothing"}, version="3")
    ended = run("show", "bm25")
    assert isinstance(ended.exception, PluginError)
    assert "encoder 'bm25' of package acme 3" in str(ended.exception)
    assert "bm25 retriever" in ended.output


@pytest.mark.parametrize("command", ["show", "check"])
def test_an_unknown_name_is_misuse(command: str) -> None:
    unknown = run(command, "bm26")
    assert isinstance(unknown.exception, ComponentError) and "'bm25'" in str(unknown.exception)
    other_role = run(command, "bm25", "--role", "encoder")
    assert isinstance(other_role.exception, ComponentError) and "encoder 'bm25'" in str(other_role.exception)
    if command == "check":
        assert "role 'measure'" in str(run(command, "MultiHitRate").exception)


@pytest.mark.parametrize("command", [("list",), ("show", "bm25"), ("check", "bm25")])
def test_an_unknown_role_is_misuse(command: tuple[str, ...]) -> None:
    ended = run(*command, "--role", "retreiver")
    assert ended.exit_code == 2 and "'retriever'" in ended.output


def test_check_of_one_that_keeps_the_contract() -> None:
    ended = run("check", "jamo4")
    assert ended.exit_code == 0, ended.output
    assert row(ended.output, "fingerprint") == ["fingerprint", "passed"]
    assert "The analyzer jamo4: " in ended.output
    assert " failed" not in ended.output


def test_check_as_json_of_a_call() -> None:
    (one,) = as_json("check", "char(n=3)", "--role", "analyzer")
    assert (one["role"], one["spec"], one["ok"]) == ("analyzer", "char(n=3)", True)
    assert {"check", "status", "message"} == set(one["checks"][0])


def test_check_of_one_that_does_not(install: Install) -> None:
    install("acme", {"analyzer.odd": "acme_module:odd"}, "def odd(collection): return 42\n")
    ended = run("check", "odd")
    assert ended.exit_code == 1
    assert "failed" in ended.output
    assert "The analyzer odd: " in ended.output.splitlines()[-1]
    ended = run("check", "odd", "--json")
    assert ended.exit_code == 1
    assert json.loads(ended.stdout)[0]["ok"] is False


def test_check_of_one_that_cannot_be_imported_says_why_once(install: Install) -> None:
    install("acme", {"analyzer.odd": "acme_module:odd"}, "raise SystemExit(0)\n")
    ended = run("check", "odd")
    assert ended.exit_code == 1
    assert ended.output.count("SystemExit: 0") == 1
    further = len(testing.names("analyzer")) - 1
    assert f"{further} further checks need a component that can be made." in ended.output
    assert "light-import" not in ended.output


@pytest.mark.parametrize("spec", ["jamo(n=99)", "jamo99", "jamo(m=3)", "bm25(k1=-1)", "rrf(bm25, k=0)"])
def test_check_with_a_wrong_parameter_is_misuse(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], spec: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["legalir", "plugins", "check", spec])
    with pytest.raises(SystemExit) as ended:
        main()
    out, error = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    listed = json.loads(run("check", spec, "--json").stdout)
    assert [one["ok"] for one in listed] == [False]


def test_show_says_that_expressions_refuse_a_disputed_name(install: Install) -> None:
    install("acme", {"reranker.rrf": "acme_module:rrf"}, "def rrf(collection): ...\n")
    ended = run("show", "rrf")
    assert ended.exit_code == 0
    assert "rrf fuser" in ended.output
    assert "rrf reranker" in ended.output
    assert ended.output.splitlines()[-1].startswith("No expression can use it: 'rrf' is claimed by legalir 0.1.0 (")
    assert "LEGALIR_DISABLE_PLUGINS=acme " in ended.output
    assert {one["role"]: one["dispute"][:18] for one in json.loads(run("show", "rrf", "--json").stdout)} == {
        "fuser": "'rrf' is claimed b",
        "reranker": "'rrf' is claimed b",
    }
    assert json.loads(run("show", "bm25", "--json").stdout)[0]["dispute"] is None


def test_an_entry_that_is_misnamed_is_named(install: Install) -> None:
    install("acme", {"wizard.merlin": "acme_module:factory"})
    for command in ("show", "check"):
        ended = run(command, "merlin")
        assert str(ended.exception).startswith("Package acme 1.0 offers 'wizard.merlin', which is not 'role.name'")
