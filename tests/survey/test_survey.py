"""Surveys: what is read next, decisions that are taken back, recall that is estimated, judges, and the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted
from typer.testing import CliRunner, Result

import legalir
from legalir.cli.survey import read_on
from legalir.cli.survey import survey as survey_command
from legalir.errors import ComponentError, DataError, DefinitionError
from legalir.llm.chat import ChatRequest
from legalir.storage.files import file_lock
from legalir.survey.judging import judgements
from legalir.survey.recall import estimate, missing_distribution
from legalir.survey.survey import Decision, Survey

QUESTION = "lamps of ferries"
PORTS = ("harbour", "quay", "pilot", "anchor", "cargo", "crane", "customs", "berth", "tug", "buoy")
RELEVANT = {f"f-{number}" for number in range(24)}


@pytest.fixture(name="folder", scope="module")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write 24 provisions on lamps, half of them in words that the question lacks, among 200 others."""
    folder = tmp_path_factory.mktemp("survey") / "ferries"
    folder.mkdir()
    rows = []
    for number in range(24):
        words = "A ferry carries lamps." if number % 2 else "A beacon shines at the bow of a vessel."
        text = f"{words} {'Beacons and lamps are lights.' if number == 1 else ''} Colour {number}."
        rows.append({"docno": f"f-{number}", "title": "", "text": text, "law": "Lights"})
    for number in range(200):
        text = f"The {PORTS[number % 10]} of a {PORTS[number // 10 % 10]} is kept by ferries number {number}."
        rows.append({"docno": f"p-{number}", "title": "", "text": text, "law": f"Ports {number % 7}"})
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


@pytest.fixture(name="opened", scope="module")
def opened_collection(folder: Path) -> legalir.Collection:
    return legalir.Collection(folder, cache=folder.parent / "cache")


def judge(survey: Survey, pending: object) -> bool:
    for docno in list(pending):  # type: ignore[call-overload]
        survey.decide(docno, "accepted" if docno in RELEVANT else "refused", by="file")
    return True


def test_the_order_learns_from_what_is_accepted(opened: legalir.Collection) -> None:
    survey = Survey.new(opened, QUESTION, pipeline="bm25")
    read_on(survey, judge, lambda: None, most=60)
    found = [one.docno for one in survey.decisions if one.verdict == "accepted"]
    assert set(found) == RELEVANT
    in_rank_order = set(opened.search(QUESTION, "bm25", k=60)["docno"])
    assert RELEVANT - in_rank_order, "half of them share only little with the question"


def test_a_survey_goes_on_from_its_file_and_takes_back(opened: legalir.Collection, tmp_path: Path) -> None:
    survey, path = Survey.new(opened, QUESTION, pipeline="bm25", batch=5), tmp_path / "s.json"
    read_on(survey, judge, lambda: survey.save(path), most=13)
    again = Survey.load(path, opened)
    assert again.decisions == survey.decisions
    assert again.pending() == survey.pending()
    assert (again.round, len(again.pending())) == (3, 2)
    before = again.pending()
    for _ in range(4):  # Across the end of a batch.
        last = again.undo()
        assert last is not None
        assert last.docno in again.pending()
    assert again.round == 2
    read_on(again, judge, lambda: None, most=4)
    assert (again.decisions, again.pending()) == (survey.decisions, before)
    with pytest.raises(ComponentError, match="p-199"):
        again.decide("p-199", "accepted")
    assert Survey.new(opened, QUESTION).undo() is None


def test_a_file_that_does_not_fit(opened: legalir.Collection, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    Survey.new(opened, QUESTION).save(path)
    with pytest.raises(DataError, match="other provisions"):
        Survey.load(path, legalir.Collection("legalir/firecode", cache=tmp_path))
    state = json.loads(path.read_text(encoding="utf-8"))
    for docnos in (["f-1", "f-1"], ["not there"]):
        decisions = [{"docno": docno, "verdict": "accepted", "round": 1} for docno in docnos]
        path.write_text(json.dumps(state | {"decisions": decisions}), encoding="utf-8")
        with pytest.raises(DataError, match="twice"):
            Survey.load(path, opened)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="not the file of a survey"):
        Survey.load(path, opened)
    with pytest.raises(DefinitionError):
        Survey.new(opened, QUESTION, target=1.0)
    with pytest.raises(ComponentError, match="generator"):
        Survey.new(opened, QUESTION, pipeline="bm25 >> quote").pending()


def test_only_what_is_in_force_is_read(tmp_path: Path) -> None:
    collection = legalir.Collection("legalir/firecode-dated", cache=tmp_path)
    survey = Survey.new(collection, "소화기", pipeline="bm25", as_of="2022-06-01", batch=200)
    dates = [(one.effective_from, one.effective_to) for one in collection.provisions(survey.pending()).values()]
    assert dates
    assert all(start <= "2022-06-01" and (not end or end > "2022-06-01") for start, end in dates)
    assert len(survey.ranking) < len(list(collection.docs()))


def test_open_provisions_are_not_refused(opened: legalir.Collection) -> None:
    survey = Survey.new(opened, QUESTION, pipeline="bm25")
    first = survey.pending()
    for docno in first:
        survey.decide(docno, "open" if docno == first[0] else "accepted")
    assert not survey.recall().reaches(0.01)
    assert "1 open" in " ".join(survey.recall().sentences())
    assert set(survey.qrels()["docno"]) == set(first[1:])
    assert survey.reopen() == 1
    assert survey.pending() == first[:1]


def test_a_sample_of_the_rest(opened: legalir.Collection) -> None:
    survey = Survey.new(opened, QUESTION, pipeline="bm25")
    read_on(survey, judge, lambda: None, most=20)
    survey.draw(30, seed=1)
    sample = survey.pending()
    assert len(sample) == 30
    assert survey.why(sample[0]) == "drawn at random from the rest"
    with pytest.raises(ComponentError, match="to its end"):
        survey.draw(5)
    read_on(survey, judge, lambda: None, most=30)
    assert [one.round for one in survey.decisions[-30:]] == [0] * 30
    recall = survey.recall()
    assert (recall.sampled, recall.read) == (30, 50)
    assert recall.bound is not None
    survey.draw(10_000)
    read_on(survey, judge, lambda: None)
    assert not survey.pending()
    assert survey.recall().value == 1


# --- recall


@given(st.lists(st.integers(1, 80), min_size=1, max_size=30, unique=True), st.integers(0, 400))
def test_a_probability_of_each_number_of_missing_ones(hits: list[int], rest: int) -> None:
    probability = missing_distribution(sorted(hits), 80, 80 + rest)
    assert probability.sum() == pytest.approx(1)
    assert (probability >= 0).all()
    assert len(probability) == rest + 1


def test_what_raises_and_lowers_the_estimate() -> None:
    hits = [1, 2, 3, 5, 8, 13]
    values = [estimate(hits, read, 6000).value for read in (20, 60, 200, 600)]
    assert values == sorted(values)
    assert estimate([*hits, 190], 200, 6000).missing > estimate(hits, 200, 6000).missing
    assert estimate(hits, 6000, 6000)[4:7] == (0, 1, 1)
    nothing = estimate([], 50, 6000)
    assert np.isnan(nothing.value)
    assert not nothing.reaches(0.1)
    assert "no estimate" in nothing.sentences()[0]
    assert estimate(hits, 200, 6000, undecided=3).low < estimate(hits, 200, 6000).low


def test_a_sample_goes_before_the_model() -> None:
    hits = [1, 2, 3, 5, 8, 13]
    clean = estimate(hits, 600, 6000, aside=(60, 0), sample=(5400, 60, 0, 0))
    assert clean.value == pytest.approx(estimate(hits, 600, 5940).value)
    # No hit in 60 of 5 400: at most 1 - 0.05^(1/60) = 4.87 % of them, 263, by Clopper and Pearson.
    assert clean.bound == pytest.approx(6 / (6 + 5400 * (1 - 0.05 ** (1 / 60))))
    hit = estimate(hits, 600, 6000, aside=(60, 1), sample=(5400, 60, 1, 1))
    assert hit.missing == pytest.approx(5400 / 60 - 1)
    assert hit.low == hit.bound
    assert not hit.reaches(0.5)


# --- a model


REPLIES = {
    "f-1": '{"reason": "It asks for lamps.", "relevant": true, "quote": "A ferry carries lamps."}',
    "f-3": '{"reason": "It asks for lamps.", "relevant": true, "quote": "Ferries shall be green."}',
    "p-1": '{"reason": "A quay.", "relevant": false, "quote": ""}',
    "p-2": "I cannot say.",
}


def test_a_model_quotes_or_its_verdict_is_open(folder: Path, tmp_path: Path) -> None:
    collection = legalir.Collection(folder, cache=folder.parent / "cache")
    texts = {one.text: docno for docno, one in collection.provisions(REPLIES).items()}

    def reply(request: ChatRequest) -> str:
        return next(REPLIES[docno] for text, docno in texts.items() if text.strip() in request.messages[-1][1])

    collection.client = legalir.Client(Scripted(reply), cache=tmp_path / "llm.sqlite").over(collection)
    given = judgements(collection, [(QUESTION, docno) for docno in REPLIES])
    assert [one.verdict for one in given] == ["accepted", "open", "refused", "open"]
    assert given[0].quote == "A ferry carries lamps."
    assert "Ferries shall be green." in given[1].note
    assert "invalid" in given[3].note
    with pytest.raises(DataError, match="x-1"):
        judgements(collection, [(QUESTION, "x-1")])


# --- the command


def run(*arguments: str, keys: str = "") -> Result:
    app = typer.Typer()
    app.command()(survey_command)
    return CliRunner().invoke(app, list(arguments), input=keys)


def test_a_person_in_the_terminal(folder: Path, tmp_path: Path) -> None:
    file, table, qrels = tmp_path / "s.json", tmp_path / "s.csv", tmp_path / "q.txt"
    begin = [str(folder), QUESTION, "-p", "bm25", "--file", str(file)]
    done = run(*begin, keys="y\nn\nu\nt\ns\n")
    assert done.exit_code == 0, done.output
    assert "Taken back" in done.output
    done = run(*begin, "--csv", str(table), "--out-qrels", str(qrels), "--again", keys="?\ny\nq\n")
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [row["decision"] for row in rows] == ["accepted", "accepted"]
    texts = legalir.Collection(folder).provisions(row["docno"] for row in rows)
    assert all(row["quote"] in texts[row["docno"]].text and row["by"] == "person" for row in rows)
    assert [line.split()[3] for line in qrels.read_text(encoding="utf-8").splitlines()] == ["1", "1"]
    for other in ([str(folder), "another question", "--file", str(file)], [*begin, "--batch", "7"]):
        assert run(*other).exit_code == 2, other
    with file_lock(file):
        assert isinstance(run(*begin).exception, DataError), "another survey has it open"


def test_a_day_in_the_question_and_another_day(tmp_path: Path) -> None:
    begin = ["legalir/firecode-dated", "2022년 3월 당시 과태료는?", "-p", "bm25", "--file", str(tmp_path / "s.json")]
    run(*begin, keys="q\n")
    assert json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))["day"] == "2022-03-31"
    assert run(*begin, "--as-of", "2024-02-01", keys="q\n").exit_code == 2


def test_a_file_of_judgements_decides(folder: Path, tmp_path: Path) -> None:
    qrels = tmp_path / "q.txt"
    qrels.write_text("".join(f"q7 0 {docno} 1\n" for docno in sorted(RELEVANT)), encoding="utf-8")
    begin = [str(folder), QUESTION, "-p", "bm25", "--file", str(tmp_path / "s.json"), "--qrels", str(qrels)]
    assert run(*begin).exit_code == 2, "no judgement of the question 1"
    done = run(*begin, "--qid", "q7", "--json")
    facts = json.loads(done.stdout)
    accepted = {row["docno"] for row in facts["decisions"] if row["decision"] == "accepted"}
    assert accepted == RELEVANT
    assert facts["reached"] == (facts["recall"]["value"] >= 0.95)


def test_a_decision_is_checked() -> None:
    with pytest.raises(DefinitionError, match="verdict"):
        Decision.parse({"docno": "a", "verdict": "perhaps"})
