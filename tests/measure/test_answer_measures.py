"""The measures of answers through ir_measures, pt.Experiment and parse_measures."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import SetF, SetP, SetR
from tiny_models import SENTENCES, write_sentence

from legalir.errors import AnalyzerError, MeasureError
from legalir.measure import parse_measures
from legalir.measure.answers import MEASURES
from legalir.measure.overlap import BertScore

NAN = math.nan
GOLD = {"q1": {"A": 1, "B": 1}, "q2": {"E": 1}, "q3": {"F": 2, "x": 0}}
"""Gold provisions of the worked values of citations."""


def answers(**columns: Sequence[Any]) -> pd.DataFrame:
    """Return the three answers of the worked values, with other columns in place of or beside theirs."""
    base: dict[str, Sequence[Any]] = {
        "qid": ["q1", "q2", "q3"],
        "query": ["?"] * 3,
        "qanswer": ["Yes. [A]", "", "No. [F]"],
        "citations": [("A", "C", "D", "E"), (), ("F",)],
        "quotes": [(("A", "yes", "verified"), ("C", "so", "not found")), (), (("F", "no", "repaired"),)],
        "abstained": [False, True, False],
        "reply_state": ["ok"] * 3,
        "context_docnos": [("A", "B", "C"), ("x",), ("F", "y")],
    }
    return pd.DataFrame({**base, **columns})


def frame_of_judgements(gold: dict[str, dict[str, int]] = GOLD) -> pd.DataFrame:
    rows = [(qid, docno, label) for qid, labels in gold.items() for docno, label in labels.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


def per_query(name: str, run: pd.DataFrame, gold: dict[str, dict[str, int]] = GOLD) -> list[float]:
    measure = ir_measures.parse_measure(name)
    values = {m.query_id: m.value for m in measure.iter_calc(gold, pt.model.to_ir_measures(run))}
    assert set(values) == set(gold)
    return [float(values[qid]) for qid in gold]


def mean(name: str, run: pd.DataFrame, gold: dict[str, dict[str, int]] = GOLD) -> float:
    """Return the mean by ir_measures, after checking that pt.Experiment has the same."""
    measure = ir_measures.parse_measure(name)
    value = float(measure.calc_aggregate(gold, pt.model.to_ir_measures(run)))
    assert experiment([run], [name], gold).iloc[0][str(measure)] == pytest.approx(value, nan_ok=True)
    return value


def experiment(
    runs: list[pd.DataFrame], measures: list[str], gold: dict[str, dict[str, int]] = GOLD, **options: Any
) -> pd.DataFrame:
    systems = [system(run) for run in runs]
    topics = pd.DataFrame({"qid": list(gold), "query": "?"})
    parsed = parse_measures(measures)
    return pt.Experiment(systems, topics, frame_of_judgements(gold), parsed, validate="error", **options)


def system(run: pd.DataFrame) -> pt.Transformer:
    """Return a pipeline that gives these answers to the questions that it is asked."""
    return pt.apply.generic(lambda asked: run[run["qid"].isin(asked["qid"])].reset_index(drop=True))


def test_worked_citations() -> None:
    run = answers()
    assert per_query("CitationP", run) == [1 / 4, 0, 1]
    assert per_query("CitationR", run) == [1 / 2, 0, 1]
    assert per_query("CitationF1", run) == per_query("MicroCitationF1", run) == pytest.approx([1 / 3, 0, 1])
    assert [mean(f"Citation{x}", run) for x in ("P", "R", "F1")] == pytest.approx([5 / 12, 1 / 2, 4 / 9])
    assert [mean(f"MicroCitation{x}", run) for x in ("P", "R", "F1")] == pytest.approx([2 / 5, 2 / 4, 4 / 9])
    assert mean("MicroCitationR(rel=2)", run) == 1  # F alone has label 2.


def test_grounding_and_the_recall_gap() -> None:
    run = answers()
    assert per_query("Ungrounded", run) == pytest.approx([2 / 4, NAN, 0], nan_ok=True)
    assert mean("Ungrounded", run) == 2 / 5
    assert per_query("RecallGap", run) == [1 / 2, 0, 0]  # B was given and is not cited.
    assert mean("RecallGap", run) == 1 / 4
    # It is the recall of what was given without the recall of what is cited, both pooled.
    given = answers(citations=run["context_docnos"].tolist())
    assert mean("RecallGap", run) == mean("MicroCitationR", given) - mean("MicroCitationR", run)


def test_verified_quotations() -> None:
    assert per_query("Verified", answers()) == pytest.approx([1 / 2, NAN, 0], nan_ok=True)
    assert (mean("Verified", answers()), mean("Repaired", answers())) == (1 / 3, 1 / 3)
    assert math.isnan(mean("Verified", answers(quotes=[(), (), ()])))


def test_statements_without_a_citation_and_partial_answers() -> None:
    run = answers(
        qanswer=["One. [A][C]\nTwo.\nThree, [B] so.", "", "No. [F]"],
        reason=["the fee is open", "nothing is there", ""],
    )
    # Of q1 "Two." and "Three, [B] so." cite nothing: [B] is not among its citations. q2 abstains.
    assert per_query("Uncited", run) == pytest.approx([2 / 3, NAN, 0], nan_ok=True)
    assert mean("Uncited", run) == 2 / 4
    assert per_query("Partial", run) == [1, 0, 0]
    failed = answers(qanswer=["One.", "", ""], reply_state=["cut"] * 3, reason=["?"] * 3)
    assert math.isnan(mean("Uncited", failed))
    assert mean("Partial", failed) == 0


def test_statements_that_their_quotations_contradict() -> None:
    """Of q1 two statements have quotations of A and B: 60 days are not 30, 2 m are 2 m. D has none, C none that holds.

    q3 says *at least* where F says *not more than*: 1/2 and 1/1, pooled 2/3. An answer from options has no statements.
    """
    run = answers(
        qanswer=[
            "It takes 60 days. [A]\nIt is 2 m wide. [B]\nIt is 9 m. [C]\nOr 8 m. [D]",
            "",
            "At least 5 years. [F]",
        ],
        citations=[("A", "B", "C", "D"), (), ("F",)],
        quotes=[
            (("A", "thirty days", "verified"), ("B", "a width of two metres", "repaired"), ("C", "3 m", "not found")),
            (),
            (("F", "not more than 5 years", "verified"),),
        ],
    )
    assert per_query("Contradicted", run) == pytest.approx([1 / 2, NAN, 1], nan_ok=True)
    assert mean("Contradicted", run) == 2 / 3
    assert math.isnan(mean("Contradicted", run.assign(choice=1)))


CITATIONS = st.lists(st.sets(st.sampled_from("abcdef")), min_size=3, max_size=3)


@given(CITATIONS, CITATIONS.filter(all))
def test_they_equal_the_set_measures_of_ir_measures(cited: list[set[str]], gold: list[set[str]]) -> None:
    qrels = {f"q{n}": dict.fromkeys(docnos, 1) for n, docnos in enumerate(gold, 1)}
    run = answers(citations=[tuple(docnos) for docnos in cited])
    lists = {f"q{n}": dict.fromkeys(docnos, 1.0) for n, docnos in enumerate(cited, 1) if docnos}
    for ours, theirs in (("CitationF1", SetF), ("CitationP", SetP), ("CitationR", SetR)):
        expected = {m.query_id: m.value for m in ir_measures.iter_calc([theirs], qrels, lists)} if lists else {}
        assert per_query(ours, run, qrels) == pytest.approx([expected.get(qid, 0.0) for qid in qrels])


def test_abstentions_and_failures() -> None:
    run = answers(reply_state=["timeout", "ok", "ok"], abstained=[False, True, False])
    assert per_query("Failed", run) == [1, 0, 0]
    assert per_query("Abstained", run) == [0, 1, 0]
    # What a failed row holds does not count, and it is no abstention, whatever it says.
    assert per_query("CitationF1", run) == [0, 0, 1]
    assert per_query("Verified", run) == pytest.approx([NAN, NAN, 0], nan_ok=True)
    assert per_query("Abstained", answers(reply_state=["timeout"] * 3, abstained=[True] * 3)) == [0, 0, 0]
    assert per_query("ROUGE1", answers(reply_state=["timeout", "ok", "ok"], answer=["Yes. [A]"] * 3))[0] == 0
    judged = answers(reply_state=["timeout", "ok", "ok"], coverage=[1.0, 0.5, 0.0], contradiction=[0, 0, 1])
    assert per_query("Coverage", judged) == pytest.approx([NAN, 0.5, 0], nan_ok=True)
    assert mean("Contradiction", judged) == 0.5


def test_a_judged_query_without_a_row_counts_as_abstained() -> None:
    run = answers(answer=["yes a"] * 3, coverage=[1.0, 0.5, 0.0], correctness=[5, 4, 1]).iloc[:2]
    assert per_query("Abstained", run) == [0, 1, 1]
    assert per_query("CitationF1", run)[2] == 0
    assert per_query("Failed", run) == [0, 0, 0]
    assert per_query("ROUGE1", run)[2] == 0
    for name in ("Ungrounded", "Verified", "Coverage", "AbsoluteCorrectness"):
        assert math.isnan(per_query(name, run)[2])
    assert mean("MicroCitationR", run) == 1 / 4  # Its gold provision counts.
    assert per_query("RecallGap", run)[2] == 0
    extra = pd.concat([answers(), answers(qid=["z1", "z2", "z3"])])
    assert mean("CitationF1", extra) == mean("CitationF1", answers())  # Without judgements a query does not count.


ALL = {"q1": {"A": 1, "B": 1}, "q2": {"E": 1}, "q3": {"F": 1}, "q4": {"G": 1}, "q5": {"H": 0}, "q6": {"I": 1}}
"""q5 has no gold provision: it should be refused."""


def test_right_answers_and_the_place_of_errors() -> None:
    run = pd.DataFrame(
        {
            "qid": list(ALL),
            "query": "?",
            "qanswer": "x",
            # Right with all; cited from memory; a wrong answer from all; not cited; refused; the reply failed.
            "citations": [("A", "B", "C"), ("E",), ("F",), ("y",), (), ("I",)],
            "context_docnos": [("A", "B", "C"), ("x",), ("F", "y"), ("G", "y"), ("x",), ("I",)],
            "abstained": [False, False, False, False, True, False],
            "reply_state": ["ok"] * 5 + ["cut"],
            "prompt_tokens": [2000, 500, 1000, 1000, 100, 400],
            "judged_correct": [1.0, 1.0, 0.0, 1.0, 0.0, NAN],
            "coverage": [0.0] * 6,  # judged_correct comes first
        }
    )
    assert per_query("RightWithAll", run, ALL) == pytest.approx([1, 1, 0, 0, NAN, NAN], nan_ok=True)
    assert mean("RightWithAll", run, ALL) == 2 / 4
    assert per_query("Hallucinated", run, ALL) == pytest.approx([0, 1, 0, 0, NAN, NAN], nan_ok=True)
    run["judged_correct"] = [0.0] * 6
    run.loc[1, "citations"] = [("x",)]
    kinds = {name: per_query(name, run, ALL)[:4] for name in ("RetrievalError", "ReadingError", "AnswerError")}
    assert kinds == {"RetrievalError": [0, 1, 0, 0], "ReadingError": [0, 0, 0, 1], "AnswerError": [1, 0, 1, 0]}
    # Recall 1, 0, 1, 1, 1 at 2, .5, 1, 1, .4 thousand tokens; without gold it is undefined.
    assert per_query("RecallPerToken", run, ALL) == pytest.approx([0.5, 0, 1, 1, NAN, 2.5], nan_ok=True)
    assert mean("RecallPerToken", run, ALL) == pytest.approx(4 / 4.9)
    # One abstention, which is due; without a row q5 and q6 count as abstentions, too.
    assert (mean("RefusalP", run, ALL), mean("RefusalR", run, ALL)) == (1, 1)
    assert (mean("RefusalP", run.iloc[:4], ALL), mean("RefusalR", run.iloc[:4], ALL)) == (1 / 2, 1)
    assert (mean("WronglyRefused", run, ALL), mean("WronglyRefused", run.iloc[:4], ALL)) == (0, 1 / 5)
    assert math.isnan(mean("RefusalP", run.iloc[:3], {qid: ALL[qid] for qid in ("q1", "q2", "q3")}))
    for column, value in (("coverage", 1.0), ("correctness", 4.0)):
        other = run.drop(columns=["judged_correct", "coverage"]).assign(**{column: value})
        assert per_query("RightWithAll", other, ALL)[:4] == [1, 0, 1, 0]
    assert per_query("RightWithAll", run.drop(columns=["judged_correct", "coverage"]), ALL)[4:] == pytest.approx(
        [NAN, NAN], nan_ok=True
    )


def test_context_f1_is_a_value_of_each_question() -> None:
    run = answers(context_precision=[0.5, 0.0, NAN], context_recall=[1.0, 0.0, 1.0])
    assert per_query("ContextF1", run) == pytest.approx([2 / 3, 0, NAN], nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 2)), min_size=1, max_size=12))
def test_f1_of_yes_equals_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import f1_score

    choices, keys = zip(*pairs, strict=True)
    gold = {f"q{n}": {"A": 1} for n in range(len(pairs))}
    run = pd.DataFrame({"qid": list(gold), "choice": choices, "key": keys})
    yes = [choice == 1 for choice in choices], [key == 1 for key in keys]
    expected = f1_score(yes[1], yes[0], zero_division=math.nan)
    assert mean("YesF1", run, gold) == pytest.approx(expected, nan_ok=True)
    swapped = run.assign(options=[["아니요", "예"]] * len(run), choice=[(0, 2, 1)[c] for c in choices])
    assert mean("YesF1", swapped.assign(key=[3 - k for k in keys]), gold) == pytest.approx(expected, nan_ok=True)


ITEMS = {f"q{n}": {"A": 1, "B": 1} for n in range(8)}
KEYS = [2, 2, 1, 4, 3, 2, 1, 3]


def items(choices: list[int], context: tuple[str, ...], **columns: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "qid": list(ITEMS),
            "query": "?",
            "key": KEYS,
            "abstain": 5,
            "documents": [["A", "B"]] * 8,
            "context_docnos": [context] * 8,
            "choice": choices,
            "abstained": [choice == 5 for choice in choices],
            "reply_state": "ok",
            **columns,
        }
    )


@pytest.mark.parametrize(
    ("choices", "context", "correct", "wrong", "invalid"),
    [
        ([2, 2, 3, 5, 5, 0, 1, 2], (), 0.375, 0.25, 0.125),
        ([2, 5, 1, 4, 1, 2, 1, 2], ("A", "B"), 0.625, 0.25, 0),
        ([5, 5, 2, 5, 1, 0, 3, 5], ("A",), 0.5, 0.375, 0.125),
    ],
)
def test_worked_choices(
    choices: list[int], context: tuple[str, ...], correct: float, wrong: float, invalid: float
) -> None:
    run = items(choices, context)
    assert [mean(name, run, ITEMS) for name in ("Correct", "Wrong", "Invalid")] == [correct, wrong, invalid]
    # The documents of an item are its gold provisions where the frame does not hold them.
    assert mean("Correct", run.drop(columns="documents"), ITEMS) == correct


def test_choices_of_odd_rows() -> None:
    run = items([2] * 8, ("A",))
    run["choice"] = run["choice"].astype(float)
    run.loc[0, ["choice", "abstained"]] = [NAN, True]  # It found too little and asked no model: right here.
    run.loc[1, "reply_state"] = "timeout"
    run["key"] = run["key"].astype(float)
    run.loc[2, "key"] = NAN  # No item.
    run = run.iloc[:7]
    assert per_query("Correct", run, ITEMS) == pytest.approx([1, 0, NAN, 0, 0, 0, 0, 0], nan_ok=True)
    assert per_query("Wrong", run, ITEMS) == pytest.approx([0, 0, NAN, 1, 1, 1, 1, 0], nan_ok=True)
    assert per_query("Invalid", run, ITEMS) == [0, 1, 0, 0, 0, 0, 0, 0]
    assert mean("Correct", run, ITEMS) == 1 / 7
    # With nothing in its context the right choice is the key, so a question for which nothing was found is not right.
    nothing = items([0] * 8, (), abstained=True)
    assert [mean(name, nothing, ITEMS) for name in ("Correct", "Wrong", "Invalid", "Abstained")] == [0, 0, 0, 1]


def test_yes_and_no() -> None:
    run = items([1, 1, 2, 2, 0, 1, 2, 1], ("x",), key=[1, 2] * 4).drop(columns="abstain")
    assert per_query("Correct", run, ITEMS) == [1, 0, 0, 1, 0, 0, 0, 0]
    assert per_query("Wrong", run, ITEMS) == [0, 1, 1, 0, 0, 1, 1, 1]


def test_prose_with_a_choice_is_measured_as_both() -> None:
    texts = ["Yes, it must. [A][B]", "No. It need not. [A]", "Yes. It must.", "It may. [A][B]"] * 2
    cites = [("A", "B"), ("A",), (), ("A", "B")] * 2
    own = {"qanswer": texts, "citations": cites, "options": [["Yes", "No"]] * 8, "key": [1] * 8}
    run = items([1, 2, 1, 0] * 2, ("A", "B"), **own).drop(columns="abstain")
    assert per_query("Correct", run, ITEMS)[:4] == [1, 0, 1, 0]
    assert per_query("Invalid", run, ITEMS)[:4] == [0, 0, 0, 1]
    assert per_query("Uncited", run, ITEMS)[:4] == [0, 0, 1, 0]
    assert per_query("RightWithAll", run, ITEMS)[:4] == [1, 0, 0, 0]
    assert mean("YesF1", run, ITEMS) == pytest.approx(2 / 3)
    run = run.assign(qanswer=["Yes", "No", "Yes", ""] * 2, citations=[()] * 8)  # An option alone rests on what it read.
    assert per_query("RightWithAll", run, ITEMS)[:4] == [1, 0, 1, 0]
    assert math.isnan(per_query("Uncited", run, ITEMS)[0])


def test_rouge_by_a_named_analyzer() -> None:
    run = answers(qanswer=["소방시설을 반드시 설치해야 한다"] * 3, answer=["소방시설을 설치해야 한다", NAN, ""])
    for name in ("ROUGE1", "ROUGEL", "ROUGEL(analyzer='whitespace')"):
        assert per_query(name, run) == pytest.approx([6 / 7, NAN, NAN], nan_ok=True)
    assert mean("ROUGE2", run) == pytest.approx(2 / 5)
    assert 0 < mean("ROUGE1(analyzer='char2')", run) < 1
    with pytest.raises(AnalyzerError, match="nowords"):
        mean("ROUGE1(analyzer='nowords')", run)


def test_the_markers_of_citations_are_no_words() -> None:
    run = answers(
        qanswer=["소방시설을 설치해야 한다. [A]"] * 3, citations=[("A",)] * 3, answer=["소방시설을 설치해야 한다."] * 3
    )
    assert mean("ROUGE1", run) == pytest.approx(1)


@pytest.mark.neural
def test_bertscore_with_an_encoder_of_ours(tmp_path: Path) -> None:
    folder = write_sentence(tmp_path / "model")
    run = answers(qanswer=[SENTENCES[0], "", SENTENCES[1]], answer=[SENTENCES[1], SENTENCES[1], NAN]).iloc[:2]
    expected = BertScore(folder, layer=1, device="cpu").score([SENTENCES[0]], [SENTENCES[1]])[0].f1
    name = f"BERTScore(encoder={str(folder)!r}, layer=1)"
    assert per_query(name, run) == pytest.approx([expected, 0, 0])
    assert per_query(f"BERTScore(encoder={str(folder)!r})", run)[0] != pytest.approx(expected)
    assert per_query(name, run.iloc[:0]) == [0, 0, 0]


def test_columns_of_judges() -> None:
    run = answers(
        coverage=[1.0, 0.5, NAN], judged_correct=[1, 0, 1], correctness=[5, 3, NAN], win=[1.0, 0.5, 0.0],
        faithfulness=[0.6, None, 1.0], answer_relevancy=[NAN] * 3,
    )  # fmt: skip
    assert mean("Coverage", run) == 0.75
    assert mean("JudgedCorrect", run) == pytest.approx(2 / 3)
    assert mean("Correctness", run) == 4
    assert mean("AbsoluteCorrectness", run) == mean("Correct4", run) == 0.5
    assert mean("AbsoluteCorrectness(threshold=3)", run) == 1
    assert mean("Win", run) == 0.5
    assert mean("Faithfulness", run) == pytest.approx(0.8)
    assert math.isnan(mean("AnswerRelevancy", run))


@pytest.mark.parametrize("options", [{}, {"batch_size": 1}, {"batch_size": 2}, {"plan": "tree"}, {"plan": "linear"}])
def test_pyterrier_averages(options: dict[str, Any]) -> None:
    names = ["CitationF1", "MicroCitationP", "Ungrounded", "Verified", "Abstained"]
    table = experiment([answers(), answers(citations=[(), (), ()], quotes=[(), (), ()])], names, **options)
    assert table.loc[0, names].tolist() == pytest.approx([4 / 9, 2 / 5, 2 / 5, 1 / 3, 1 / 3])
    assert table.loc[1, names].tolist() == pytest.approx([0, 0, NAN, NAN, 1 / 3], nan_ok=True)


def test_pyterrier_per_query_and_significance() -> None:
    runs = [answers(), answers(citations=[("A",), ("E",), ()])]
    each = experiment(runs, ["CitationF1", "Verified"], perquery=True, names=["a", "b"])
    assert each[(each["name"] == "a") & (each["measure"] == "Verified")]["value"].isna().sum() == 1
    table = experiment(runs, ["CitationF1", "MicroCitationF1"], baseline=0)
    assert table.loc[1, ["CitationF1 +", "CitationF1 -"]].tolist() == [2, 1]
    assert 0 < table.loc[1, "CitationF1 p-value"] < 1


def test_values_that_went_through_a_file_are_averaged_where_that_can_be_right() -> None:
    aggregator = ir_measures.parse_measure("Coverage").aggregator()
    for value in (1.0, NAN, 0.5):
        aggregator.add(value)
    assert aggregator.result() == 0.75
    with pytest.raises(MeasureError, match=r"MicroCitationF1 .*counts.* 0\.5"):
        ir_measures.parse_measure("MicroCitationF1").aggregator().add(0.5)


@pytest.mark.parametrize(
    ("name", "run", "words"),
    [
        ("CitationF1", {"q1": {"A": 1.0}}, "CitationF1 measures answers, and the run is ranked lists (dict)"),
        ("CitationF1", [ir_measures.ScoredDoc("q1", "A", 1.0)], "end the pipeline in a generator, such as '>> answer'"),
        (
            "CitationF1",
            pd.DataFrame({"query_id": ["q1"], "doc_id": ["A"], "score": [1.0]}),
            "needs the column 'citations', which the run does not have (its columns: query_id, doc_id, score)",
        ),
        ("CitationF1", answers(), "rename 'qid' with pt.model.to_ir_measures"),
        ("Coverage", pt.model.to_ir_measures(answers()), "end the pipeline in '>> judge_coverage'"),
        ("Win", pt.model.to_ir_measures(answers()), "end the pipeline in '>> judge_win'"),
        ("Correct", pt.model.to_ir_measures(answers()), "a pipeline that ends in 'mcq' or 'yesno'"),
        ("ROUGE1", pt.model.to_ir_measures(answers()), "a reference answer in the column 'answer'"),
        ("Failed", pt.model.to_ir_measures(answers()).drop(columns="reply_state"), "needs the column 'reply_state'"),
        (
            "CitationF1",
            pt.model.to_ir_measures(answers(qid=["q1", "q2", "q1"])),
            "Query 'q1' has two rows in the run: give one answer to each query.",
        ),
    ],
)
def test_a_run_that_cannot_be_measured(name: str, run: Any, words: str) -> None:
    with pytest.raises(MeasureError) as caught:
        ir_measures.parse_measure(name).calc_aggregate(GOLD, run)
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_pyterrier_is_told_which_columns_are_needed() -> None:
    ranked = pt.apply.generic(lambda asked: asked.assign(docno="A", score=1.0, rank=0))
    topics = pd.DataFrame({"qid": list(GOLD), "query": "?"})
    with pytest.raises(ValueError, match="required outputs"):
        pt.Experiment([ranked], topics, frame_of_judgements(), parse_measures(["CitationF1"]), validate="error")
    measures = parse_measures(["CitationF1", "Ungrounded"])
    assert set(ir_measures.run_inputs(measures)) == {"query_id", "citations", "context_docnos"}


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_every_measure_has_a_name_a_formula_and_a_copy(name: str) -> None:
    text = f"{name}(encoder='m')" if name == "BERTScore" else name
    [measure] = parse_measures([text])
    assert str(measure) == text
    for twin in (copy.copy(measure), pickle.loads(pickle.dumps(measure)), ir_measures.parse_measure(str(measure))):
        assert twin == measure
        assert hash(twin) == hash(measure)
    assert measure.SHORT_DESC.endswith(".")
    assert len(list(measure.iter_calc(GOLD, pd.DataFrame()))) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CitationF1@10", "has no parameter 'cutoff'. Its parameters: rel."),
        ("Abstained(rel=1)", "has no parameter 'rel'. Its parameters: none."),
        ("BERTScore", "needs its encoder: write 'BERTScore(encoder=...)'"),
        ("BERTScore(encoder='m', layer=0)", "cannot have layer=0"),
        ("ROUGE1(analyzer=3)", "cannot have analyzer=3: it is the name of the analyzer"),
        ("CitationF", "There is no measure 'CitationF'. Did you mean 'CitationF1'?"),
        ("rougel", "Did you mean 'ROUGEL'?"),
    ],
)
def test_wrong_names_and_parameters_are_said(text: str, words: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse_measures([text])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "first", ["import legalir, ir_measures", "import pyterrier", "from legalir.measure.measures import Share"]
)
def test_the_names_are_known_whatever_is_imported_first(first: str) -> None:
    code = f"{first}\nimport legalir, ir_measures\nprint(ir_measures.parse_measure('CitationF1'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("CitationF1", 0), done.stderr
