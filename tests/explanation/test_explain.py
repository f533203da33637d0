"""Scores followed back through pipelines, of PyTerrier's operators and of components of anyone."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pyterrier as pt
import pytest

from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream, explain, explain_step

SCORES = {"a": 4.0, "b": 2.0, "c": 1.0}


class Plain(pt.Transformer):
    """A retriever that explains nothing."""

    label = "plain"

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        queries = inp[["qid", "query"]].drop_duplicates().iloc[[0] * len(self.scores)].reset_index(drop=True)
        return queries.assign(docno=list(self.scores), score=list(self.scores.values()), rank=range(len(self.scores)))


class Halves(pt.Transformer):
    """A reranker that explains what it does with the scores of its input, all but a remainder it is told to forget."""

    label = "halves"

    def __init__(self, forget: float = 0.0) -> None:
        self.forget = forget

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(score=inp["score"] / 2)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        assert set(docnos) <= set(inp["docno"])
        return {
            docno: Explanation(docno, found.score / 2, "halves", (Part("half", found.score / 2 - self.forget, found),))
            for docno, found in upstream(docnos).items()
        }


def only(explanations: Sequence[Explanation]) -> Explanation:
    (found,) = explanations
    assert found.is_whole()
    return found


def test_what_cannot_explain_itself_is_one_part() -> None:
    found = explain(Plain(SCORES), "question")
    assert [(e.docno, e.score, e.parts) for e in found] == [
        (docno, score, (Part("score of plain", score),)) for docno, score in SCORES.items()
    ]


def test_a_chain_is_followed_to_its_beginning() -> None:
    found = only(explain(Plain(SCORES) >> Halves() >> Halves(), "question", ["b"]))
    assert (found.score, found.label) == (0.5, "halves")
    second = found.parts[0].source
    assert second is not None
    assert second.score == 1
    first = second.parts[0].source
    assert first is not None
    assert (first.score, first.label) == (2, "plain")


def test_what_ignores_its_input_ends_the_chain() -> None:
    found = only(explain(Plain({"z": 1.0}) >> Plain(SCORES), "question", ["a"]))
    assert found.parts == (Part("score of plain", 4.0),)


def test_a_cutoff_passes_on_what_it_keeps() -> None:
    assert only(explain(Plain(SCORES) % 2, "question", ["b"])).label == "plain"
    assert explain_step(Plain(SCORES) % 2, pd.DataFrame({"qid": ["1"], "query": ["q"]}), ["b", "c"]).keys() == {"b"}
    with pytest.raises(ComponentError, match="'c'"):
        explain(Plain(SCORES) % 2, "question", ["c"])


def test_a_sum_has_a_part_for_each_of_its_terms() -> None:
    pipeline = (Plain(SCORES) % 2) + Plain({"c": 3.0, "a": 1.0}) + (Plain(SCORES) >> Halves())
    found = {e.docno: e for e in explain(pipeline, "question")}
    assert [part.value for part in found["a"].parts] == [4, 1, 2]
    assert [part.value for part in found["b"].parts] == [2, 1]
    assert [part.value for part in found["c"].parts] == [3, 0.5], "the cutoff left c out of the first list"
    assert found["a"].label == "plain % 2 + plain + plain >> halves"
    results = pipeline.search("question")
    assert {e.docno: e.score for e in found.values()} == dict(zip(results["docno"], results["score"], strict=True))


def test_a_multiple() -> None:
    found = only(explain(Plain(SCORES) * -3, "question", ["b"]))
    assert (found.score, found.label) == (-6, "plain * -3")
    assert found.parts[0].label == "-3 × 2"
    assert found.parts[0].source is not None
    assert found.parts[0].source.score == 2


def test_a_set_has_no_scores_to_explain_but_may_be_scored() -> None:
    either = Plain(SCORES) | Plain({"d": 1.0})
    with pytest.raises(ComponentError, match="SetUnion"):
        explain(either, "question")
    assert only(explain(either >> Plain(SCORES), "question", ["a"])).score == 4


def test_a_concatenation_is_opaque() -> None:
    pipeline = Plain({"a": 1.0}) ^ Plain(SCORES)
    assert [e.docno for e in explain(pipeline, "question")] == ["a", "b", "c"]
    assert all(e.is_whole() and len(e.parts) == 1 for e in explain(pipeline, "question"))


def test_what_a_component_leaves_out_is_shown() -> None:
    found = only(explain(Plain(SCORES) >> Halves(forget=0.5), "question", ["a"]))
    assert [(part.label, part.value) for part in found.parts] == [("half", 1.5), ("not explained", 0.5)]


def test_a_query_may_be_a_frame_but_only_one() -> None:
    frame = pd.DataFrame({"qid": ["x"], "query": ["question"]})
    assert explain(Plain(SCORES), frame) == explain(Plain(SCORES), "question")
    with pytest.raises(ComponentError, match=r"^explain: inp .*got 2"):
        explain(Plain(SCORES), pd.DataFrame({"qid": ["x", "y"], "query": ["question"] * 2}))
