"""SAR as a transformer: frames, parameters, faults, explanations."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
import pytest

from legalir.errors import ComponentError
from legalir.explanation import explain
from legalir.frames.scorer import scorer_of
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.sar import SAR, sar
from legalir.lexical.sparse import SparseIndex

DOCUMENTS = [
    {"docno": "a-1", "text": "무창층의 기준과 개구부의 크기"},
    {"docno": "a-2", "text": "무창층에 설치하는 소방시설"},
    {"docno": "b-1", "text": "개구부의 크기와 높이"},
    {"docno": "b-2", "text": "전혀 다른 조문"},
    {"docno": "c-1", "text": "소방시설의 설치"},
]
LINKS = [("a-1", "b-1", "family"), ("a-1", "b-2", "family"), ("a-2", "b-2", "self"), ("c-1", "a-1", "self")]
GRAPH = CitationGraph.from_links(LINKS, [document["docno"] for document in DOCUMENTS])
TOPICS = pd.DataFrame({"qid": ["q2", "q1"], "query": ["무창층의 기준", "소방시설 설치"], "year": [2020, 2021]})


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    return SparseIndex(tmp_path_factory.mktemp("sar") / "index", analyzer="jamo3").index(DOCUMENTS)


def listed(*rows: tuple[str, str, float]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"]).astype({"qid": str, "docno": str})
    return frame.assign(query="질문")


def test_a_retriever_given_as_scorer_scores_as_its_scorer(index: SparseIndex) -> None:
    first = (index.tfidf() % 1)(TOPICS)
    for scorer in (index.tfidf(), index.tfidf() % 5):
        with_retriever = SAR(GRAPH, scorer=scorer)
        pd.testing.assert_frame_equal(with_retriever(first), SAR(GRAPH, scorer=scorer_of(scorer))(first))


def test_the_scorer_scores_as_the_retriever_would_have(index: SparseIndex) -> None:
    """With β = 0, what comes in has the score that a longer list would have given it."""
    found = (index.tfidf() % 1 >> SAR(GRAPH, beta=0, scorer=index.tfidf()))(TOPICS)
    every = index.tfidf()(TOPICS).set_index(["qid", "docno"])["score"]
    for row in found.itertuples():
        assert row.score == pytest.approx(every.get((row.qid, row.docno), 0.0), abs=1e-7)


def test_the_factory_takes_the_scorer_of_what_is_on_its_left(
    index: SparseIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CitationGraph, "of", lambda collection: GRAPH)
    left = index.tfidf() % 2
    assert sar(None, left=left) == SAR(GRAPH, scorer=index.tfidf())
    assert sar(None, left=left, scorer=index.bm25()).scorer == index.bm25()
    assert sar(None, left=pt.Transformer.identity()).scorer is None
    chosen = {"k": 3, "beta": 0.1, "normalize": "max", "freeze": 1, "pool": 9, "small_degree": "one", "direction": "in"}
    assert sar(None, **chosen) == SAR(GRAPH, **chosen)


def fault(reranker: SAR, frame: pd.DataFrame) -> str:
    with pytest.raises(ComponentError) as caught:
        reranker(frame)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_scores_outside_the_unit_interval_are_refused() -> None:
    assert fault(SAR(GRAPH), listed(("q", "a-1", 0.5), ("p", "a-2", 12.25))) == (
        "sar: the score 12.25 of 'a-2' for query 'p' is outside [0, 1]: bring the scores there by normalize='minmax'."
    )
    assert fault(SAR(GRAPH), listed(("q", "a-1", 0.5), ("q", "a-2", -0.125))) == (
        "sar: the score -0.125 of 'a-2' for query 'q' is outside [0, 1]: bring the scores there by normalize='minmax' "
        "or, for a cosine, 'clip'."
    )
    assert fault(SAR(GRAPH, normalize="max"), listed(("q", "a-1", 2.5), ("q", "a-2", -2))).startswith(
        "sar: the score -2 of 'a-2' for query 'q' is outside what normalize='max' takes, 0 and above: bring"
    )
    for name in ("minmax", "sigmoid", "clip"):
        SAR(GRAPH, normalize=name)(listed(("q", "a-1", 2.5), ("q", "a-2", -2)))
    SAR(GRAPH)(listed(("q", "a-1", 1.0000001), ("q", "a-2", 0.0)))


def test_what_is_no_list_is_refused() -> None:
    assert fault(SAR(GRAPH), listed(("q", "a-1", float("nan")))).startswith(
        "sar: the score of 'a-1' for query 'q' is nan"
    )
    assert fault(SAR(GRAPH), listed(("q", "a-1", 0.5), ("q", "a-1", 0.4))) == (
        "sar: 'a-1' occurs twice in the list of query 'q'."
    )


@pytest.mark.parametrize("normalize", [None, "minmax", "sigmoid"])
def test_isolated_provisions_are_treated_alike_alone_and_in_a_batch(
    normalize: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    reranker = SAR(CitationGraph.from_links([("a-1", "b-1")]), normalize=normalize)
    frame = listed(("p", "a-1", 0.5), ("p", "x", 0.25), ("q", "y", 0.75), ("q", "x", 0.5))
    batch = reranker(frame)
    assert not caplog.records
    assert batch[batch["qid"] == "q"]["docno"].tolist() == ["y", "x"]
    alone = pd.concat([reranker(frame[frame["qid"] == qid]) for qid in ("p", "q")], ignore_index=True)
    pd.testing.assert_frame_equal(alone, batch)
    (record,) = caplog.records
    assert record.getMessage().startswith(
        "sar: none of the 2 retrieved provisions (such as 'y') is in CitationGraph(<2 provisions, 1 links"
    )


class Constant(pt.Transformer):
    def __init__(self, score: float, drop: str = "") -> None:
        self.score, self.drop = score, drop

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp[inp["docno"] != self.drop].assign(score=self.score)


def test_a_scorer_on_another_scale_is_refused() -> None:
    first = listed(("q", "a-1", 0.5))
    for score in (7.5, -1.5, float("nan")):
        assert fault(SAR(GRAPH, scorer=Constant(score)), first).startswith(
            f"sar: the scorer Constant gave {score:g} to 'b-1' for query 'q', which is outside [0, 1]: give a scorer"
        )
    assert "gave nan" in fault(SAR(GRAPH, normalize="minmax", scorer=Constant(float("nan"))), first)
    assert "sar: the result of the scorer Identity" in fault(SAR(GRAPH, scorer=pt.Transformer.identity()), first)


def test_what_a_scorer_leaves_out_or_calls_opposite_counts_as_0() -> None:
    first = listed(("q", "a-1", 0.5))
    nothing = SAR(GRAPH)(first)
    pd.testing.assert_frame_equal(SAR(GRAPH, scorer=Constant(-0.5))(first), nothing)
    some = SAR(GRAPH, beta=0, scorer=Constant(0.4, drop="b-1"))(first).set_index("docno")["score"]
    assert some.to_dict() == {"a-1": 0.5, "b-2": 0.4, "b-1": 0.0}


def test_explanations_add_up_seed_by_seed(index: SparseIndex) -> None:
    pipeline = index.tfidf() % 2 >> SAR(GRAPH, scorer=index.tfidf())
    results = pipeline.search("무창층의 기준")
    found = {explanation.docno: explanation for explanation in explain(pipeline, "무창층의 기준")}
    assert list(found) == results["docno"].tolist()
    for docno, score in zip(results["docno"], results["score"], strict=True):
        assert found[docno].score == pytest.approx(score, abs=1e-12)
        assert found[docno].is_whole()
        assert [part.label for part in found[docno].parts if part.label == "not explained"] == []
    first = (index.tfidf() % 2).search("무창층의 기준").set_index("docno")["score"]
    assert [part.label.partition(" (rank")[0] for part in found["b-2"].parts] == [
        "S by the scorer, not in the list",
        *(f"seed {docno}" for docno in first.index),
    ]
    best = found["b-2"].parts[1]
    assert best.label == f"seed a-1 (rank 1, S={first['a-1']:.4f}) cites b-2"
    assert best.detail["kind"] == "family"
    assert best.detail["direction"] == "out"
    assert found["a-1"].parts[0].label == "S at rank 1 of the list"
    assert found["a-1"].parts[0].source is not None
    assert found["a-1"].parts[0].source.score == pytest.approx(first["a-1"])
    assert found["b-1"].parts[0].source is not None
    assert found["b-1"].label == "SAR"
    assert found["b-1"].note.startswith("S + β·B·(1 − S), β=0.3, k=15; S of what the list lacks: by ")


def test_a_lift_is_a_part() -> None:
    graph = CitationGraph.from_links([("a", "b")])
    frame = listed(("q", "a", 0.9), ("q", "b", 0.8)).assign(rank=[0, 1])

    class Given(pt.Transformer):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return frame.assign(qid=inp["qid"].iloc[0])

    found = explain(Given() >> SAR(graph, beta=3, freeze=1), "질문")
    assert [explanation.docno for explanation in found] == ["a", "b"]
    assert found[0].parts[1].label == "kept on top (freeze=1)"
    assert found[0].parts[1].value > 0
    assert found[0].is_whole()
