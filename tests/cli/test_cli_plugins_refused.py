"""``legalir plugins`` of what is refused: wrong parameters, disputed names, entries that are misnamed."""

from __future__ import annotations

import json
import sys

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)
from typer.testing import CliRunner, Result

from legalir.cli.main import app, main


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["plugins", *arguments])


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
