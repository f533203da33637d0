"""Answers in the report: cut into pieces, never markup, with their state, citations, quotations and verdicts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from answering import SYSTEMS, Answering, Judges, answering
from fake_collection import TOPICS, page_of
from test_report import Page
from test_terminal import printed

from legalir.answer.generator import Answer
from legalir.errors import DefinitionError
from legalir.experiments import Definition, ExperimentResult
from legalir.experiments.html import (
    agreement_panels,
    correlation_rows,
    depth_table,
    risk_measure,
    risk_panels,
    safety_panels,
)
from legalir.experiments.queries import LONGEST, Piece, QueryFacts, Wording, answer_view, collect_context, marked

MEASURES = ["R@2", "nDCG@10", "CitationF1", "Ungrounded", "Verified", "Coverage"]


@pytest.fixture(autouse=True)
def same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.pipeline.canonical", lambda text: text)


def scored(**changes: object) -> ExperimentResult:
    return answering(**{"measures": MEASURES, "judges": ["judges"], **changes})


def test_pieces_give_the_text_and_marks_do_not_overlap() -> None:
    marks = [
        ("cd", "verified", "x"),
        ("bcd", "repaired", "y"),
        ("[x]", "given", "x"),
        ("zz", "not found", "z"),
        ("", "a", ""),
    ]
    pieces, lost = marked("abcde [x] cd [x]", marks)
    assert [(piece.text, piece.kind) for piece in pieces] == [
        ("a", "text"),
        ("bcd", "repaired"),
        ("e ", "text"),
        ("[x]", "given"),
        (" ", "text"),
        ("cd", "verified"),
        (" ", "text"),
        ("[x]", "given"),
    ]
    assert lost == (Piece("zz", "not found", "z"), Piece("", "a", ""))
    assert marked("", [])[0] == ()
    # In another white space, and with words that are left out.
    marks = [("a b … d …", "verified", "x"), ("e … a", "verified", "x"), ("d … b", "verified", "x")]
    pieces, lost = marked("a\n b c d\ne a", marks)
    assert [piece.text for piece in pieces if piece.kind == "verified"] == ["a\n b", "d", "e", "a"]
    assert "".join(piece.text for piece in pieces) == "a\n b c d\ne a" and lost == (Piece("d … b", "verified", "x"),)


def test_a_page_marks_citations_and_quotations() -> None:
    text = page_of(scored())
    page = Page(text)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert "<script" not in text and "<i>because" not in text and "<b>bold" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "&lt;i&gt;because&lt;/i&gt;" in text
    assert '<mark class="not-found" title="wording not found">&lt;b&gt;bold&lt;/b&gt; words</mark>' in text
    assert '<span class="cite unknown" title="cited, but is not in the collection">[제99조]</span>' in text
    assert "제99조: cited, but is not in the collection." in page.text
    assert "제11조: cited, but was not given to the model." in page.text
    assert "reply failed: cut" in page.text and "No answer: nothing found." in page.text
    assert "No answer: I have no provisions.<" in text
    assert "Relevant, but not given: 제6조(설치)." in page.text
    assert "nan" not in page.text.lower()
    # The provision that is cited stands on the page, with the words that are quoted from it.
    assert '<mark class="verified" title="wording checked">본문 제5조</mark></p></div>' in text


def test_a_page_has_both_groups_and_counts() -> None:
    text = page_of(scored())
    assert '<th class="group" colspan="2">Retrieval</th><th class="group" colspan="8">Answers</th>' in text
    assert "failed<br>replies" in text and "tokens<br>in" in text
    ranked = page_of(answering(systems={"A": "weak"}, baseline=None))
    assert "failed<br>replies" not in ranked and "Retrieval</th>" not in ranked and "Risk and coverage" not in ranked


def test_tables_on_a_terminal_have_the_rows_that_have_figures_in_them() -> None:
    references = [{"name": "Paper", "scores": {"CitationF1": 0.4}}]
    parts = printed(scored(references=references), 140).split("system")[1:]
    assert len(parts) == 2
    retrieval, answers = parts
    assert "Strong" in retrieval and "From memory" not in retrieval and "Paper" not in retrieval
    assert "Strong" not in answers and "From memory" in answers and "Paper" in answers and "failed" in answers
    # A part with counts alone has no row for figures from elsewhere.
    of_rankings = [{"name": "Paper", "scores": {"R@2": 0.4}}]
    narrow = printed(
        answering(systems={"A": "weak >> writes"}, measures=["R@2"], baseline=None, references=of_rankings), 40
    )
    assert "tokens" in narrow and narrow.count("Paper") == 1


def test_a_view_by_hand() -> None:
    context = Wording(
        queries={"q": "?"},
        gold={"q": {"a": 1, "c": 1}},
        titles={"a": "A", "b": "B", "c": "C"},
        texts={"a": "one two three"},
        items={"q": {"options": ["yes", "no"], "key": 2}},
    )
    answer = Answer(
        "two [a]", ("a",), (("a", "two", "verified"), ("a", "four", "not found")), context_docnos=("a", "b"), choice=2
    )
    row = {**answer.row(), "coverage": 0.5, "win": math.nan, "j_reason": "so", "j_state": "ok", "k_state": "cut"}
    view = answer_view(row, context, "q")
    assert [piece.kind for piece in view.pieces] == ["verified", "text", "given"]
    assert view.quotes == (Piece("four", "not found", "a"),)
    assert [(piece.text, piece.kind) for piece in view.sources[0].pieces] == [
        ("one ", "text"),
        ("two", "verified"),
        (" three", "text"),
    ]
    assert view.sources[0].gold and view.unread == ("B",) and view.missing == ("C",) and view.choice == "2. no"
    assert view.verdicts == (("coverage", "0.5"),) and view.remarks == (("j", "so"), ("k", "cut"))
    alone = answer_view({"qid": "q", "qanswer": "x"}, context, "q")
    assert alone.missing == () and alone.choice == "none" and alone.state == ""


def test_telling_questions_come_from_each_kind() -> None:
    result = scored(systems={"Answers": "gappy >> writes"}, baseline=None)
    facts = QueryFacts(result.context, result.per_query, "R@2", result.system_runs)
    # q2 fails, q3 abstains, q4 cites what is not there, q1 is as it should be.
    assert facts.telling(3) == ["q2", "q3", "q4"] and set(facts.telling(9)) == {"q1", "q2", "q3", "q4"}


def test_the_context_keeps_items_and_cited_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = TOPICS.assign(key=[1, 2, np.nan, 1], options=[["a", "b"]] * 4, answer=["x", "", None, "y"], other=1)
    collection = Answering()
    whole = collection.provisions
    monkeypatch.setattr(
        collection, "provisions", lambda docnos: {d: p._replace(text="x" * 9_000) for d, p in whole(docnos).items()}
    )
    runs = [scored(systems={"A": "gappy >> writes"}, baseline=None).runs["A"]]
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["제1조"], "label": [1]})
    context = collect_context(collection, runs, topics, qrels)  # type: ignore[arg-type]
    assert context.items["q1"] == {"options": ["a", "b"], "key": 1, "answer": "x"}
    assert context.items["q3"] == {"options": ["a", "b"]}
    assert set(context.texts) == {"제1조", "제5조", "제11조"} and "제99조" not in context.titles
    assert len(context.texts["제1조"]) == LONGEST + 1


SAFE = {"name": "Model", "zero-shot": "zero", "partial": "first", "full": "both"}
ITEMS = TOPICS.assign(
    key=1,
    abstain=3,
    options=[["a", "b", "c"]] * 4,
    documents=[["제1조", "제7조"], ["제3조", "제2조"], ["제4조", "제9조"], ["제5조", "제8조"]],
)


def chosen(monkeypatch: pytest.MonkeyPatch, out: Path | None = None, **changes: object) -> ExperimentResult:
    monkeypatch.setattr(Answering, "topics", lambda self: ITEMS.copy())
    systems = {"zero": "choose 1123", "first": "strong % 1 >> choose 3310", "both": "strong >> choose 1211"}
    return answering(out=out, systems=systems, measures=["Correct", "Wrong"], baseline=None, safety=SAFE, **changes)


def test_safety_by_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = chosen(monkeypatch, tmp_path)
    frames = {name: one.frame for name, one in ExperimentResult.load(tmp_path).system_runs.items()}
    (panel,) = safety_panels(result.definition, frames, result.context)
    shares = {bar.condition: dict(bar.parts) for bar in panel.bars}
    assert shares["zero-shot"] == {"correct": 50, "wrong": 25, "abstained": 25, "invalid": 0}
    assert shares["partial"] == {"correct": 50, "wrong": 25, "abstained": 0, "invalid": 25}
    assert shares["full"] == {"correct": 75, "wrong": 25, "abstained": 0, "invalid": 0}
    # Right before: q1, q2; q2 is lost. Wrong before: q3, q4; both are corrected.
    assert (panel.n, panel.corrected, panel.introduced) == (4, 1.0, 0.5)
    assert result.safety.to_dict("records") == [
        {"name": "Model", "n": 4, "correction": 1.0, "introduced error": 0.5, "fault": ""}
    ]
    assert (tmp_path / "safety.tsv").read_text().splitlines()[1] == "Model\t4\t1.0\t0.5\t"
    page = page_of(result)
    assert "100.00 % of the wrong answers corrected, 50.00 % of the right answers lost" in page
    assert "Choice: <b>1. a</b>" in page


def test_safety_that_cannot_be_computed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    result = chosen(monkeypatch)
    frames = {name: one.frame for name, one in result.system_runs.items()}
    wrong = result.definition.replace(safety=({**SAFE, "partial": "both"},))
    assert "condition 'partial'" in safety_panels(wrong, frames, result.context)[0].fault
    del frames["zero"]
    assert safety_panels(result.definition, frames, result.context)[0].fault == "zero: not run."


@pytest.mark.parametrize(
    ("safety", "words"),
    [
        ({"zero-shot": "A", "partial": "A"}, "must name a system for 'full'"),
        ({**dict.fromkeys(("zero-shot", "partial", "full"), "A"), "third": "A"}, "got 'third'"),
        ({"zero-shot": "A", "partial": "B", "full": "A"}, "must name a system as 'partial', got 'B'"),
    ],
)
def test_wrong_safety(safety: dict[str, str], words: str) -> None:
    with pytest.raises(DefinitionError, match=words):
        Definition.parse({"dataset": "x", "measures": ["R@2"], "systems": {"A": "bm25"}, "safety": safety})


def test_risk_by_hand() -> None:
    result = scored(systems={"Answers": "strong >> writes", "Memory": "writes"}, baseline=None)
    frames = {
        "Answers": result.runs["Answers"].assign(confidence=[0.9, 0.5, np.nan, 0.7]),
        "Memory": result.runs["Memory"],
    }
    assert risk_measure(result.definition) == "CitationF1"
    (panel,) = risk_panels(result.definition, frames, result.per_query, "CitationF1")
    # By confidence q1 is right, q4 wrong (F1 .4), q2 wrong (failed), q3 right and last: risks 0, 1/2, 2/3, 1/2.
    assert panel.system == "Answers" and panel.risk == "50.00 %"
    assert panel.path == "M0.00 100.00L25.00 100.00L50.00 50.00L75.00 33.33L100.00 50.00"
    assert panel.area == f"{(0 + (0 + 1 / 2) / 2 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 1 / 2) / 2) / 4:.3f}"


def test_correlations_need_three_systems_that_answer() -> None:
    assert correlation_rows(scored().scores) == []
    systems = {**SYSTEMS, "More": "strong >> writes"}
    rows = correlation_rows(scored(systems=systems).scores)
    assert [name for name, _ in rows] == ["R@2", "nDCG@10"] and all(len(cells) == 4 for _, cells in rows)
    result = scored(systems=systems)
    table = result.table.set_index("name").loc[["Answers", "Weak answers", "More"]]
    assert rows[0][1][0][0] == f"{np.corrcoef(table['R@2'], table['CitationF1'])[0, 1]:.2f}"
    assert "Retrieval and answers" in page_of(result)


def test_depth_by_hand() -> None:
    result = scored(systems={"Answers": "strong >> writes"}, baseline=None)
    frame = result.runs["Answers"]
    gold = {qid: list(result.context.gold[qid]) for qid in frame["qid"]}
    # q1 reads its last relevant provision after 0 characters, q2 after 900, q3 has none in its context.
    contexts = [[gold["q1"][0], "x"], ["x", gold["q2"][0]], ["x"], []]
    lengths = {"x": 900, **{docno: 10 for docnos in gold.values() for docno in docnos}}
    values = pd.DataFrame(
        {"name": "Answers", "qid": ["q1", "q2", "q3"], "measure": "CitationF1", "value": [1.0, 0.25, 1.0]}
    )
    context = replace(result.context, lengths=lengths)
    table = depth_table({"Answers": frame.assign(context_docnos=contexts)}, values, "CitationF1", context)
    # 901 characters in 8 bins are 112.6, rounded up to 200.
    assert table == (
        ("0–200", "200–400", "400–600", "600–800", "800–1,000"),
        (("Answers", ("100.0 (1)", "–", "–", "–", "25.0 (1)")),),
    )
    shallow = {"Answers": frame.assign(context_docnos=[[gold["q1"][0]], [], [], []])}
    assert depth_table(shallow, values, "CitationF1", context) is None


def test_agreement_of_two_judges_by_hand() -> None:
    run = pd.DataFrame(
        {"qid": list("abcde"), "one": [1.0, 1, 0, 0, np.nan], "two": [1.0, 0, 0, 0, 1], "one_state": "ok"}
    )
    scale = run.assign(three=[2.0, 3, 4, 5, 6])
    (panel,) = agreement_panels({"A": scale})
    # Observed agreement 3/4; by chance 1/2 · 1/4 + 1/2 · 3/4 = 1/2; kappa (3/4 - 1/2) / (1 - 1/2) = 1/2.
    assert panel == ("one", "two", ("0", "1"), (((2, 50.0), (0, 0.0)), ((1, 25.0), (1, 25.0))), 4, "0.50")
    assert agreement_panels({"A": run.drop(columns="one_state")}) == agreement_panels({}) == []


def test_the_page_shows_the_agreement_of_judges() -> None:
    class Second(Judges):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return super().transform(inp).assign(other=1.0)

    result = scored()
    runs = {name: Second().transform(frame) for name, frame in result.runs.items() if "qanswer" in frame}
    (panel,) = agreement_panels(runs)
    assert {panel.first, panel.second} == {"coverage", "other"}
    for name, frame in runs.items():
        result.system_runs[name] = replace(result.system_runs[name], frame=frame)
    page = page_of(result)
    assert "Agreement of judges" in page and f"{panel.n} answers. κ {panel.kappa}" in page
