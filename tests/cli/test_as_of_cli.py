"""``--as-of`` on the command line."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
import typer
from dated_folder import write_dated
from typer.testing import CliRunner, Result

from legalir.cli.answer import answer
from legalir.cli.index import build
from legalir.cli.search import explain, search
from legalir.errors import ComponentError

APP = typer.Typer()
for name, command in (("search", search), ("explain", explain), ("answer", answer), ("index", build)):
    APP.command(name)(command)
QUESTION = "How many metres must the lead of a dog be at most?"


@pytest.fixture(name="laws")
def dated_laws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    return str(write_dated(tmp_path / "laws"))


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}).invoke(APP, list(arguments))


def test_search(laws: str) -> None:
    for day, metres in (("2015-06-30", 1), ("2015-07-01", 2), ("2020-03-01", 3)):
        result = run("search", laws, QUESTION, "-p", "bm25", "-k", "1", "--as-of", day)
        assert result.exit_code == 0, result.output
        assert f"at most {metres} metre" in result.output
        assert result.output.endswith(f"As of {day}.\n")


def test_search_as_json(laws: str) -> None:
    result = run("search", laws, QUESTION, "-p", "bm25", "-k", "1", "--as-of", "2016-01-01", "--json")
    (row,) = json.loads(result.output)
    assert (row["docno"], row["effective_from"], row["effective_to"]) == (
        "parks-1@2015-07-01",
        "2015-07-01",
        "2020-03-01",
    )


def test_nothing_is_in_force(laws: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "legalir"):
        result = run("search", laws, QUESTION, "--as-of", "1999-01-01")
    assert "is in force on 1999-01-01: the first version applies from 2010-01-01." in caplog.text
    assert result.output == "No provision in force on 1999-01-01 shares a term with this question.\n"


def test_explain(laws: str) -> None:
    result = run("explain", laws, QUESTION, "-p", "bm25", "-k", "1", "--as-of", "2016-01-01")
    assert "(in force since 2015-07-01)" in result.output


def test_answer_and_its_record(laws: str, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    pipeline = "bm25 % 1 >> quote"
    result = run("answer", laws, QUESTION, "-p", pipeline, "--as-of", "2016-01-01", "--record", str(record))
    assert result.exit_code == 0, result.output
    assert "at most 2 metres" in result.output
    assert "As of 2016-01-01." in result.output
    assert json.loads(record.read_text(encoding="utf-8"))["as_of"] == "2016-01-01"


def test_index(laws: str) -> None:
    assert "Versions of 6 provisions, 4 of them in force today" in run("index", laws).output


@pytest.mark.parametrize("command", ["search", "explain", "answer"])
def test_a_bad_date(laws: str, command: str) -> None:
    result = run(
        command, laws, QUESTION, "-p", "bm25 >> quote" if command == "answer" else "bm25", "--as-of", "2021-02-31"
    )
    assert isinstance(result.exception, ComponentError)
    assert str(result.exception) == "as_of: '2021-02-31' is not a date: write year, month and day, as in 2021-03-01."


def test_filters(laws: str) -> None:
    """A day and filters together, in `search`, `explain` and `answer`."""
    options = ("--law", "Park Fees Rules", "--law", "Parks Act", "--where", "heading~dogs", "--as-of", "2021-06-01")
    result = run("search", laws, QUESTION, "-p", "bm25", "--json", *options)
    assert {row["docno"] for row in json.loads(result.output)} == {"parks-1@2020-03-01", "fees-7@2019-01-01"}
    shown = run("search", laws, f'{QUESTION} "on a lead" -crowns', "-p", "bm25", *options)
    assert "parks-1" in shown.output
    assert "fees-7" not in shown.output
    assert "Filter: heading~dogs" in shown.output
    explained = run("explain", laws, QUESTION, "-p", "bm25", "--json", *options)
    assert {one["docno"] for one in json.loads(explained.output)} == {"parks-1@2020-03-01", "fees-7@2019-01-01"}
    answered = run("answer", laws, QUESTION, "-p", "bm25 >> quote", "--json", *options)
    facts = json.loads(answered.stdout)
    assert facts["where"] == "heading~dogs, law=Park Fees Rules|Parks Act"
    assert {row["docno"] for row in facts["sources"]} == {"parks-1@2020-03-01", "fees-7@2019-01-01"}


def test_a_wrong_filter(laws: str) -> None:
    result = run("search", laws, QUESTION, "--level", "act")
    assert isinstance(result.exception, ComponentError)
    assert "'level'" in str(result.exception)
    assert "law" in str(result.exception)
    unreal = run("search", laws, QUESTION, "--where", "effective_from>=2021-02-31")
    assert "is not a date" in str(unreal.exception)
