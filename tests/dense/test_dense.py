"""Dense retrieval as PyTerrier transformers: frames in, frames out."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import dense_material
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from refusals import refused

from legalir.dense.index import DenseIndex, DenseRetriever, QueryEncoder, dense, lsa
from legalir.dense.lsa import LSA
from legalir.errors import ComponentError
from legalir.explanation import explain

QUERIES = pd.DataFrame(
    {
        "qid": ["q3", "q1", "q2", "q4"],
        "query": ["abba gab", "cafe", "zzz", "beef dead"],
        "lang": ["ko", "ko", "ko", "th"],
    }
)
COLUMNS = ["qid", "query", "lang", "docno", "score", "rank"]


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    return dense_material.dense_index(tmp_path_factory.mktemp("dense") / "index")


def test_results_are_ranked_frames(index: DenseIndex) -> None:
    found = index.retriever()(QUERIES)
    assert list(found.columns) == COLUMNS
    assert found["qid"].drop_duplicates().tolist() == ["q3", "q1", "q4"]
    assert (found["score"].dtype, found["rank"].dtype) == (np.float64, np.int64)
    assert found["docno"].dtype == QUERIES["qid"].dtype
    for _, rows in found.groupby("qid"):
        assert rows["rank"].tolist() == list(range(40))
        assert rows["docno"].tolist() == [d for _, d in sorted(zip(-rows["score"], rows["docno"], strict=True))]
        assert rows["score"].between(-1, 1).all()
    assert found["score"].duplicated().any()


def test_scores_are_cosines(index: DenseIndex) -> None:
    found = index.retriever()(QUERIES).set_index(["qid", "docno"])["score"]
    queries = dense_material.LetterEncoder().encode_queries(QUERIES["query"].tolist())
    cosines = queries.astype(np.float64) @ index.vectors.T
    for row, qid in enumerate(QUERIES["qid"]):
        if qid != "q2":
            np.testing.assert_allclose(found[qid][index.docnos], cosines[row], atol=1e-6)


def test_columns_input_batches_and_labels(index: DenseIndex) -> None:
    retriever, given = index.retriever(), QUERIES.copy(deep=True)
    whole = retriever(QUERIES)
    pd.testing.assert_frame_equal(given, QUERIES)
    alone = [retriever(QUERIES.iloc[[i]]) for i in range(len(QUERIES))]
    pd.testing.assert_frame_equal(pd.concat(alone, ignore_index=True), whole)
    pd.testing.assert_frame_equal(retriever(QUERIES.set_axis(pd.Index([5, 5, 5, 5]), axis=0)), whole)
    results = whole.assign(text="of another document", docid=7)
    pd.testing.assert_frame_equal(retriever(results.assign(score=0.0)), results)


def test_an_empty_frame_has_all_columns_and_opens_no_index(tmp_path: Path) -> None:
    index = DenseIndex(tmp_path / "nowhere")
    for frame in (QUERIES.iloc[:0], pd.DataFrame(columns=COLUMNS)):
        assert list(index.retriever()(frame).columns) == COLUMNS
    assert list(index.query_encoder()(QUERIES.iloc[:0]).columns) == ["qid", "query", "lang", "query_vec"]
    assert list(index.scorer()(pd.DataFrame(columns=COLUMNS)).columns) == COLUMNS


def test_query_vec_is_used_where_there_is_one(index: DenseIndex) -> None:
    encoded = index.query_encoder()(QUERIES)
    assert list(encoded.columns) == ["qid", "query", "lang", "query_vec"]
    assert all(vector.shape == (8,) and vector.dtype == np.float32 for vector in encoded["query_vec"])
    expected = index.retriever()(QUERIES)
    for frame in (encoded, encoded.drop(columns="query"), encoded.assign(query="nothing of this counts")):
        found = index.retriever()(frame)
        assert found["docno"].tolist() == expected["docno"].tolist()
        np.testing.assert_allclose(found["score"], expected["score"], atol=1e-6)
    # Of any length, and as a list: only the direction counts.
    longer = encoded.assign(query_vec=[(vector * 3).tolist() for vector in encoded["query_vec"]])
    np.testing.assert_allclose(index.retriever()(longer)["score"], expected["score"], atol=1e-6)
    scored = index.scorer()(expected[["qid", "docno"]].merge(encoded[["qid", "query_vec"]], on="qid"))
    assert scored["docno"].tolist() == expected["docno"].tolist()


def test_the_query_encoder_keeps_rows_and_replaces_vectors(index: DenseIndex) -> None:
    rows = index.retriever()(QUERIES).sample(frac=1, random_state=2)
    again = index.query_encoder()(rows.assign(query_vec=3))
    pd.testing.assert_frame_equal(again.drop(columns="query_vec"), rows)
    by_qid = index.query_encoder()(QUERIES).set_index("qid")["query_vec"]
    assert all(
        np.array_equal(vector, by_qid[qid]) for qid, vector in zip(again["qid"], again["query_vec"], strict=True)
    )


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        (np.ones(7), r"query_vec of 'q7' has shape \[7\], and .* has vectors of 8 numbers: drop the column"),
        (np.ones((8, 1)), r"has shape \[8, 1\]"),
        ("abc", r"has shape \[\]"),
        (None, r"has shape \[\]"),
        ([1, 2, [3]], r"has shape \[\]"),
        (np.array([1, np.nan, 0, 0, 0, 0, 0, 0]), "holds a NaN or an infinity"),
    ],
)
def test_a_vector_that_does_not_fit_is_named(index: DenseIndex, vector: Any, message: str) -> None:
    frame = pd.DataFrame({"qid": ["q7"], "query_vec": pd.Series([vector], dtype=object)})
    with pytest.raises(ComponentError, match=message):
        index.retriever()(frame)


def test_a_vector_of_zeros_finds_nothing(index: DenseIndex) -> None:
    assert len(index.retriever()(pd.DataFrame({"qid": ["1"], "query_vec": [np.zeros(8)]}))) == 0


@pytest.mark.parametrize("query", [None, float("nan"), 3])
def test_a_query_that_is_no_string_is_named(index: DenseIndex, query: object) -> None:
    frame = pd.DataFrame({"qid": ["q7"], "query": pd.Series([query], dtype=object)})
    for component in (index.retriever(), index.query_encoder()):
        with pytest.raises(ComponentError, match=r"the query .* of 'q7' is not a string\."):
            component(frame)


def test_missing_columns_are_pyterriers_error(index: DenseIndex) -> None:
    for frame in (pd.DataFrame({"qid": ["1"]}), pd.DataFrame({"query": ["a"]}), pd.DataFrame(columns=["qid"])):
        with pytest.raises(pt.validate.InputValidationError):
            index.retriever()(frame)


def test_pyterrier_can_inspect_it(tmp_path: Path) -> None:
    index = DenseIndex(tmp_path / "nowhere")
    assert pt.inspect.transformer_inputs(index.retriever()) == [["qid", "query"], ["qid", "query_vec"]]
    assert pt.inspect.transformer_outputs(index.retriever(), ["qid", "query"]) == [
        *("qid", "query", "docno", "score", "rank")
    ]
    assert pt.inspect.transformer_outputs(index.query_encoder() >> index.retriever(), ["qid", "query"]) == [
        *("qid", "query", "query_vec", "docno", "score", "rank")
    ]


def test_cutoffs(index: DenseIndex) -> None:
    whole = index.retriever()(QUERIES)
    for k in (1, 3, 39, 40, 100):
        expected = whole[whole["rank"] < k].reset_index(drop=True)
        pd.testing.assert_frame_equal(index.retriever(num_results=k)(QUERIES), expected)
    assert (index.retriever(50) % 3).compile() == index.retriever(3)
    assert index.retriever(3).fuse_rank_cutoff(4) == index.retriever(3)


def test_identity(index: DenseIndex) -> None:
    assert index.retriever() == index.retriever(1000)
    assert hash(index.retriever()) == hash(index.retriever())
    assert index.retriever() != index.retriever(10)
    assert index.scorer() == index.retriever().scorer()
    assert index.query_encoder() == QueryEncoder(index)
    assert repr(DenseIndex("my.index").retriever(5)) == "DenseRetriever(index=DenseIndex('my.index'), num_results=5)"


@pytest.mark.parametrize("k", [0, -1, 1.5, "3", True])
def test_num_results_is_checked(index: DenseIndex, k: Any) -> None:
    with refused("dense", "num_results", k):
        DenseRetriever(index, num_results=k)


TEXTS = ["무창층의 개구부 면적", "지하층 또는 무창층에 설치한다", "소방시설을 설치ㆍ유지한다", "ผู้ใดฆ่าผู้อื่น"]


@pytest.fixture(name="fitted", scope="module")
def fitted_index(tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    documents = [{"docno": f"d{i}", "text": text} for i, text in enumerate(TEXTS)]
    return DenseIndex(tmp_path_factory.mktemp("lsa") / "index", LSA("jamo3")).index(documents)


@pytest.mark.parametrize("query", ["", "   ", "?!…「」", "\x00\x1b[31m", "\ud800\udfff", "🔥", "zebra"])
def test_queries_without_a_known_term_find_nothing(fitted: DenseIndex, query: str) -> None:
    # Of objects, as pyarrow's strings, which pandas takes where it is installed, cannot hold halves of surrogate pairs.
    found = fitted.retriever()(pd.DataFrame({"qid": ["1"], "query": [query]}, dtype=object))
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank"]
    assert len(found) == 0


def test_normal_forms_of_a_query_find_the_same(fitted: DenseIndex) -> None:
    query = "무창층의 설치·유지"
    expected = fitted.retriever().search(query)
    decomposed = fitted.retriever().search(unicodedata.normalize("NFD", query))
    pd.testing.assert_frame_equal(decomposed.drop(columns="query"), expected.drop(columns="query"))


def test_the_terms_of_the_query_explain_its_cosines(fitted: DenseIndex) -> None:
    for query in ("무창층의 설치 기준", "ฆ่าผู้อื่น zebra"):
        for found in explain(fitted.retriever(), query):
            assert found.is_whole()
            assert not any(part.label == "not explained" for part in found.parts)
            assert found.label == "lsa"
            assert all("term" in part.detail for part in found.parts)
    assert explain(fitted.retriever(1), "무창층의 개구부")[0].docno == "d0"


def test_a_vector_is_one_part(fitted: DenseIndex) -> None:
    frame = fitted.query_encoder()(pd.DataFrame({"qid": ["1"], "query": ["무창층"]}))
    for found in explain(fitted.retriever(), frame):
        assert [part.label for part in found.parts] == ["cosine of the query's vector with the provision's"]
        assert found.is_whole()


def test_the_factories_take_the_index_of_the_encoder(index: DenseIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def of(collection: object, encoder: object, *, approximate: str | None = None) -> DenseIndex:
        asked.append(encoder)
        return index

    monkeypatch.setattr(DenseIndex, "of", of)
    assert dense(None) == lsa(None) == index.retriever()
    assert dense(None, encoder="other", num_results=7) == index.retriever(7)
    assert lsa(None, analyzer="whitespace", dimensions=5, num_results=9) == index.retriever(9)
    assert asked == ["lsa", LSA(), "other", LSA("whitespace", 5)]
