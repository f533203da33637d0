"""Dense retrieval as PyTerrier transformers: frames in, frames out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dense_material
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from legalir.dense.index import DenseIndex, dense, lsa
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


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    return dense_material.dense_index(tmp_path_factory.mktemp("dense") / "index")


def test_scores_are_cosines(index: DenseIndex) -> None:
    found = index.retriever()(QUERIES).set_index(["qid", "docno"])["score"]
    queries = dense_material.LetterEncoder().encode_queries(QUERIES["query"].tolist())
    cosines = queries.astype(np.float64) @ index.vectors.T
    for row, qid in enumerate(QUERIES["qid"]):
        if qid != "q2":
            np.testing.assert_allclose(found[qid][index.docnos], cosines[row], atol=1e-6)


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
        (np.ones(7), r"query_vec of 'q7' has shape \[7\], .* 8 numbers"),
        (np.ones((8, 1)), r"has shape \[8, 1\]"),
        ("abc", r"has shape \[\]"),
        (None, r"has shape \[\]"),
        ([1, 2, [3]], r"has shape \[\]"),
        (np.array([1, np.nan, 0, 0, 0, 0, 0, 0]), "query_vec of 'q7' .*NaN"),
    ],
)
def test_a_vector_that_does_not_fit_is_named(index: DenseIndex, vector: Any, message: str) -> None:
    frame = pd.DataFrame({"qid": ["q7"], "query_vec": pd.Series([vector], dtype=object)})
    with pytest.raises(ComponentError, match=message):
        index.retriever()(frame)


@pytest.mark.parametrize("query", [None, float("nan"), 3])
def test_a_query_that_is_no_string_is_named(index: DenseIndex, query: object) -> None:
    frame = pd.DataFrame({"qid": ["q7"], "query": pd.Series([query], dtype=object)})
    for component in (index.retriever(), index.query_encoder()):
        with pytest.raises(ComponentError, match=f"query {query} of 'q7'"):
            component(frame)


def test_pyterrier_can_inspect_it(tmp_path: Path) -> None:
    index = DenseIndex(tmp_path / "nowhere")
    assert pt.inspect.transformer_inputs(index.retriever()) == [["qid", "query"], ["qid", "query_vec"]]
    assert pt.inspect.transformer_outputs(index.retriever(), ["qid", "query"]) == [
        *("qid", "query", "docno", "score", "rank")
    ]
    assert pt.inspect.transformer_outputs(index.query_encoder() >> index.retriever(), ["qid", "query"]) == [
        *("qid", "query", "query_vec", "docno", "score", "rank")
    ]


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
