"""Scoring given documents: the same score as the retriever gives, for whatever is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dense_material
import pandas as pd
import pyterrier as pt
import pytest

from legalir.dense.index import DenseScorer
from legalir.errors import ComponentError
from legalir.frames.scorer import scorer_of
from legalir.lexical.retriever import SparseScorer
from legalir.lexical.sparse import SparseIndex

NAMES = [f"d{i}" for i in range(12)]
TEXTS = ["abba", "cab", "bad cab", "face", "ace", "dead", "beef", "fade cab", "hag", "gag", "dad", "cafe bad"]
QUERIES = pd.DataFrame({"qid": ["2", "1", "3"], "query": ["cab bad", "face", "beef"], "year": [2020, 2021, 2022]})
DOCUMENTS = [{"docno": name, "text": text} for name, text in zip(NAMES, TEXTS, strict=True)]


@pytest.fixture(name="retriever", params=["bm25", "tfidf", "dense"])
def made_retriever(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "dense":
        from legalir.dense.index import DenseIndex

        return DenseIndex(tmp_path / "dense", dense_material.LetterEncoder()).index(DOCUMENTS).retriever()
    index = SparseIndex(tmp_path / "sparse", analyzer="char1").index(DOCUMENTS)
    make: Callable[[SparseIndex], Any] = {"bm25": SparseIndex.bm25, "tfidf": SparseIndex.tfidf}[request.param]
    return make(index)


def all_pairs() -> pd.DataFrame:
    return QUERIES.merge(pd.DataFrame({"docno": NAMES}), how="cross").sample(frac=1, random_state=3)


def test_scores_are_those_of_the_retriever(retriever: Any) -> None:
    found = retriever(QUERIES).set_index(["qid", "docno"])["score"]
    scored = retriever.scorer()(all_pairs())
    assert len(scored) == 36
    for row in scored.itertuples():
        assert row.score == found.get((row.qid, row.docno), 0.0)


def test_rows_are_ranked_and_keep_their_columns(retriever: Any) -> None:
    given = all_pairs().assign(text=lambda rows: rows["docno"] + "!", score=7.0)
    kept = given.copy(deep=True)
    scored = retriever.scorer()(given)
    pd.testing.assert_frame_equal(given, kept)
    assert list(scored.columns) == ["qid", "query", "year", "docno", "text", "score", "rank"]
    assert (scored["text"] == scored["docno"] + "!").all()
    assert scored["qid"].drop_duplicates().tolist() == given["qid"].drop_duplicates().tolist()
    for _, rows in scored.groupby("qid"):
        assert rows["rank"].tolist() == list(range(12))
        assert rows["docno"].tolist() == [docno for _, docno in sorted(zip(-rows["score"], rows["docno"], strict=True))]


def test_an_unknown_document_is_named(retriever: Any) -> None:
    frame = pd.DataFrame({"qid": ["1", "1"], "query": ["cab", "cab"], "docno": ["d3", "e9"]})
    with pytest.raises(ComponentError, match=r"Scorer.*'e9'.*'1'"):
        retriever.scorer()(frame)


def test_a_query_that_is_no_string_is_named(retriever: Any) -> None:
    frame = pd.DataFrame({"qid": ["1"], "query": pd.Series([None], dtype=object), "docno": ["d3"]})
    with pytest.raises(ComponentError, match=r"Scorer.*'1'"):
        retriever.scorer()(frame)


def test_the_scorer_of_a_pipeline_is_that_of_its_last_component(retriever: Any) -> None:
    expected = retriever.scorer()
    assert isinstance(expected, SparseScorer | DenseScorer)
    assert scorer_of(retriever) == expected
    assert scorer_of(retriever % 10) == expected
    assert scorer_of((retriever >> retriever) % 10 % 5) == expected
    assert hash(scorer_of(retriever)) == hash(expected)
    for without in (None, retriever + retriever, retriever >> pt.apply.doc_score(len), pt.RankCutoff(3)):
        assert scorer_of(without) is None


def test_a_retriever_scores_given_documents(retriever: Any) -> None:
    given = all_pairs().assign(score=7.0, note=lambda rows: rows["docno"] + "!")
    expected = retriever.scorer()(given)
    pd.testing.assert_frame_equal(retriever(given), expected)
    pd.testing.assert_frame_equal(
        (retriever % 3).compile()(given), expected[expected["rank"] < 3].reset_index(drop=True)
    )
    both = (retriever ** (2 * retriever))(given).set_index(["qid", "docno"])["features"]
    for row in expected.itertuples():
        assert both[row.qid, row.docno].tolist() == [row.score, 2 * row.score]
