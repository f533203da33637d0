"""The heads of BGE-M3 alone, together and as a reranker, with an encoder that needs no model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from m3_letters import DOCUMENTS, QUERIES, LetterM3, expected, letter_index, letters

from legalir.errors import ComponentError
from legalir.m3 import head_retrievers
from legalir.m3.head_retrievers import HeadScores
from legalir.m3.m3_index import M3Index

THREE = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}
ALL = len(DOCUMENTS)
Listed = list[tuple[str, float]]


@pytest.fixture(name="index", scope="module")
def own_index(tmp_path_factory: pytest.TempPathFactory) -> M3Index:
    return letter_index(tmp_path_factory.mktemp("letters"))


def asked(*queries: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": [f"q{number}" for number in range(len(queries))], "query": list(queries)})


def lists(results: pd.DataFrame) -> dict[str, Listed]:
    return {
        str(qid): list(zip(rows["docno"], rows["score"], strict=True))
        for qid, rows in results.groupby("qid", sort=False)
    }


def same(found: Listed, wanted: Listed) -> bool:
    """Say whether two lists are the same; scores but for rounding, and ties as they are."""
    return [docno for docno, _ in found] == [docno for docno, _ in wanted] and [
        score for _, score in found
    ] == pytest.approx([score for _, score in wanted], abs=1e-6)


@pytest.mark.parametrize("weights", [THREE, {"dense": 1}, {"dense": 2, "multi": 0.5}, {"sparse": 1, "dense": 0.001}])
def test_all_documents_are_scored_where_all_are_candidates(index: M3Index, weights: dict[str, float]) -> None:
    found = lists(index.retriever(weights=weights, k=ALL).transform(asked(*QUERIES)))
    for number, query in enumerate(QUERIES):
        assert same(found.get(f"q{number}", []), list(expected(query, weights).items()) if query else [])


@pytest.mark.parametrize("weights", [THREE, {"dense": 1}, {"sparse": 1}, {"sparse": 1, "multi": 0.5}])
@pytest.mark.parametrize("cells", [1, 10, 16_000_000])
def test_exhaustive_is_a_k_of_all_documents_in_any_number_of_blocks(
    index: M3Index, weights: dict[str, float], cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = index.retriever(weights=weights, k=ALL).transform(asked(*QUERIES))
    monkeypatch.setattr(head_retrievers, "_CELLS", cells)
    found = index.retriever(weights=weights, k=1, exhaustive=True).transform(asked(*QUERIES))
    pd.testing.assert_frame_equal(found, wanted)
    assert len(found) > len(index.retriever(weights=weights, k=1).transform(asked(*QUERIES)))


@pytest.mark.parametrize("head", ["dense", "sparse", "multi"])
@pytest.mark.parametrize("num_results", [1, 3, 1000])
def test_one_head_searches_everything(index: M3Index, head: str, num_results: int) -> None:
    retriever = index.head(head, num_results)
    found = lists(retriever.transform(asked(*QUERIES)))
    for number, query in enumerate(QUERIES):
        wanted = [(docno, score) for docno, score in expected(query, {head: 1}).items() if head != "sparse" or score]
        assert same(found.get(f"q{number}", []), wanted[:num_results] if query else [])


def test_candidates_are_the_best_of_dense_and_of_sparse(index: M3Index) -> None:
    for weights in (THREE, {"dense": 1}, {"sparse": 1, "multi": 3}):
        found = lists(index.retriever(weights=weights, k=2).transform(asked(*QUERIES)))
        for number, query in enumerate(QUERIES):
            drawn: set[str] = set()
            for head in {"dense", "sparse"} & set(weights):
                scores = expected(query, {head: 1})
                drawn |= {docno for docno in list(scores)[:2] if head != "sparse" or scores[docno]}
            wanted = [(docno, score) for docno, score in expected(query, weights).items() if docno in drawn]
            assert same(found.get(f"q{number}", []), wanted if query else [])


def test_a_head_without_weight_is_not_computed(index: M3Index, monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()

    def watched(name: str) -> Callable[..., Any]:
        inside = getattr(HeadScores, name)
        return lambda self, head, *rest: used.add(head) or inside(self, head, *rest)

    for name in ("pairs", "best"):
        monkeypatch.setattr(HeadScores, name, watched(name))
    encoder = index.encoder
    assert isinstance(encoder, LetterM3)
    for weights in ({"dense": 1, "sparse": 0}, {"sparse": 0.3}, {"multi": 0.0, "sparse": 1, "dense": 1}):
        retriever = index.retriever(weights=weights)
        for component in (retriever, retriever.scorer()):
            used.clear()
            encoder.asked.clear()
            component.transform(asked("시설을").assign(docno="법-9", score=0.0, rank=0))
            assert used == {head for head, weight in weights.items() if weight}
            assert encoder.asked == [False]
    index.scorer({"multi": 1}).transform(asked("시설을").assign(docno="법-9"))
    assert encoder.asked[-1] is True


def test_a_question_of_nothing_finds_nothing_and_is_scored(index: M3Index) -> None:
    nothing = asked("", " \n\t", "법")
    for component in (index.retriever(), *map(index.head, THREE)):
        assert set(component.transform(nothing)["qid"]) == {"q2"}
    scored = index.scorer({"dense": 1}).transform(nothing.assign(docno="법-1"))
    assert scored["score"].iloc[0] == pytest.approx(expected("", {"dense": 1})["법-1"], abs=1e-6)


@pytest.mark.parametrize("multi", ["float16", "int8"])
def test_stored_in_fewer_bits(tmp_path: Path, multi: str) -> None:
    index = letter_index(tmp_path, multi=multi, precision="float16")
    found = lists(index.retriever(k=ALL).transform(asked(*QUERIES)))
    # int8 rounds each number by up to 1/254; in 5 dimensions that is seen, in 1024 it cancels out.
    allowed = {"float16": 1e-3, "int8": 5e-3}[multi]
    for number, query in enumerate(QUERIES):
        assert dict(found.get(f"q{number}", [])) == pytest.approx(expected(query, THREE) if query else {}, abs=allowed)


def test_multi_alone_finds_no_candidates(index: M3Index) -> None:
    with pytest.raises(ComponentError, match=r"dense or sparse.*m3_multi"):
        index.retriever(weights={"multi": 1})


def test_an_index_without_multi_vectors(tmp_path: Path) -> None:
    index = M3Index(tmp_path / "index", encoder=letters())
    early = [index.retriever(), index.scorer(), index.head("multi")]  # Nothing is built yet that could be asked.
    index.index(DOCUMENTS)
    cure = 'without multi-vectors: .*multi="float16".* weights={"dense"'
    for make in (index.retriever, index.scorer, lambda: index.head("multi"), lambda: index.scorer({"multi": 1})):
        with pytest.raises(ComponentError, match=cure):
            make()
    for component in early:
        with pytest.raises(ComponentError, match=cure):
            component.transform(asked("법").assign(docno="법-1"))
    two = {"dense": 0.8, "sparse": 0.2}
    found = lists(index.retriever(weights=two, k=ALL).transform(asked(QUERIES[0])))["q0"]
    assert dict(found) == pytest.approx(expected(QUERIES[0], two), abs=1e-3)


def test_questions_that_are_no_strings(index: M3Index) -> None:
    frame = pd.DataFrame({"qid": ["q1"], "query": [3], "docno": ["법-1"]})
    for component in (index.retriever(), index.head("dense"), index.scorer()):
        with pytest.raises(ComponentError, match="query 3 of 'q1'"):
            component.transform(frame)
