"""BM25 over fields: values by hand, against the formula in plain Python, and against BM25 over one field."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import plain_fields
import plain_scores
import pytest

from legalir.errors import ComponentError
from legalir.explanation import explain
from legalir.lexical import weights as weights_module
from legalir.lexical.bm25f import BM25F, DEFAULT_B, DEFAULT_FIELDS, FIELDS, FieldIndex
from legalir.lexical.sparse import SparseIndex

TEXTS = plain_scores.random_texts(seed=5, count=4 * 40)
DOCUMENTS = [
    # Fields of several lengths, some of them empty: a third of the titles, most of what cites.
    {
        "docno": f"d{number:02d}",
        "title": TEXTS[4 * number][:12] if number % 3 else "",
        "text": TEXTS[4 * number + 1],
        "path": TEXTS[4 * number + 2][:9],
        "citing": TEXTS[4 * number + 3] if number % 4 == 0 else "",
    }
    for number in range(40)
]
QUERIES = [*plain_scores.random_texts(seed=6, count=6, longest=30), "가 " * 40 + "나다라", "무창층 ㆍ zebra"]


@pytest.fixture(name="index", scope="module", params=["char2", "whitespace"])
def built_index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FieldIndex:
    return FieldIndex(tmp_path_factory.mktemp("bm25f") / "index", analyzer=request.param).index(DOCUMENTS)


def test_values_worked_out_by_hand(tmp_path: Path) -> None:
    """Of 3 documents 1 holds 법 (idf ln(1 + 2.5/1.5) = 0.980829) and 2 hold 령 (ln(1 + 1.5/2.5) = 0.470004).

    Titles: only a has one, of 1 term, so that the mean is 1. Texts have 2, 3 and 1 terms, the mean is 2.
    Weights 2 and 1, b 0.5 and 0.75, k1 = 2, the query is 법 령 령.
    a: tf′(법) = 2·1/(0.5 + 0.5·1) + 1/(0.25 + 0.75·1) = 3, tf′(령) = 1, so 0.980829·3/5 + √2·0.470004·1/3 = 0.810060.
    b: tf′(령) = 1/(0.25 + 0.75·1.5) = 0.727273, so √2·0.470004·0.727273/2.727273 = 0.177250.
    """
    documents = [
        {"docno": "a", "title": "법", "text": "법 령"},
        {"docno": "b", "text": "령 조 조"},
        {"docno": "c", "text": "조"},
    ]
    index = FieldIndex(tmp_path / "index", analyzer="whitespace").index(documents)
    retriever = BM25F(index, k1=2, fields={"title": 2, "text": 1}, b={"title": 0.5, "text": 0.75}, query_exponent=0.5)
    np.testing.assert_allclose(retriever.scores("법 령 령"), [0.810060, 0.177250, 0], rtol=3e-6)


@pytest.mark.parametrize(
    ("weights", "b", "k1", "exponent"),
    [
        (DEFAULT_FIELDS, DEFAULT_B, 2.0, 0.5),
        ({"title": 5.0, "text": 0.5}, {"title": 0.0, "text": 1.0}, 0.9, 1.0),
        ({"title": 0.0, "citing": 3.0, "path": 0.1}, dict.fromkeys(FIELDS, 0.3), 100.0, 0.0),
        ({"path": 1.0}, dict.fromkeys(FIELDS, 1.0), 0.0, 2.0),
    ],
)
def test_scores_are_those_of_the_formula(
    index: FieldIndex, weights: dict[str, float], b: dict[str, float], k1: float, exponent: float
) -> None:
    retriever = BM25F(index, k1=k1, fields=weights, b=b, query_exponent=exponent)
    for query in QUERIES:
        expected = plain_fields.bm25f(DOCUMENTS, query, index.analyzer.terms, k1, weights, b, exponent)
        np.testing.assert_allclose(retriever.scores(query), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("block", [1, 50])
def test_weights_do_not_depend_on_blocks(index: FieldIndex, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    expected = BM25F(index).posting_weights()
    monkeypatch.setattr(weights_module, "_BLOCK", block)
    np.testing.assert_array_equal(BM25F(index).posting_weights(), expected)


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.5, 0.75), (2.0, 1.0)])
def test_one_field_of_weight_1_is_bm25(tmp_path: Path, k1: float, b: float) -> None:
    documents = [{"docno": f"d{i}", "text": text} for i, text in enumerate(TEXTS) if text]
    sparse = SparseIndex(tmp_path / "sparse", analyzer="char2").index(documents)
    # What is in fields that do not count does not count, not even the documents that hold a term there.
    crowded = [{**row, "path": TEXTS[0], "citing": TEXTS[1]} for row in documents]
    fields = FieldIndex(tmp_path / "fields", analyzer="char2").index(crowded)
    one = BM25F(fields, k1=k1, fields={"text": 1}, b=b, query_exponent=1)
    for query in QUERIES:
        np.testing.assert_allclose(one.scores(query), sparse.bm25(k1=k1, b=b).scores(query), rtol=1e-5)
        assert len(one.search(query)) == len(sparse.bm25(k1=k1, b=b).search(query))


@pytest.mark.parametrize("fields", [None, {"title": 1, "citing": 0, "path": 2}])
def test_parts_add_up_to_the_score_of_every_result(index: FieldIndex, fields: dict[str, float] | None) -> None:
    retriever = BM25F(index, fields=fields)
    for query in QUERIES:
        results = retriever.search(query)
        explained = explain(retriever, query)
        assert [(e.docno, e.score) for e in explained] == list(zip(results["docno"], results["score"], strict=True))
        for explanation in explained:
            assert explanation.remainder == pytest.approx(0, abs=1e-12 * explanation.score)
            assert min(part.value for part in explanation.parts) > 0


def test_a_part_says_which_fields_hold_its_term(tmp_path: Path) -> None:
    rows = [{"docno": "a", "title": "법", "text": "법 법 령", "path": "법"}, {"docno": "b", "citing": "법"}]
    index = FieldIndex(tmp_path / "index", analyzer="whitespace").index(rows)
    retriever = BM25F(index, fields={"title": 2, "text": 1, "citing": 1})
    first, second = explain(retriever, "법 법 령", ["a", "b"])
    assert first.label == "bm25f(whitespace, k1=2, title 2, text 1, citing 1)"
    assert [part.label for part in first.parts] == ["법 ×2", "령"]
    counts = {"in_query": 2, "in_document": 3, "documents": 1, "fields": {"title": 1, "text": 2}}
    assert first.parts[0].detail == {"term": "법", **counts}
    assert second.parts[0].detail["fields"] == {"citing": 1}
    # A term of b alone, df 0, weighs more than any other.
    idf = math.log(1 + 2.5 / 0.5)
    rare = FieldIndex(tmp_path / "rare", analyzer="whitespace").index([{"docno": "a", "citing": "법"}, {"docno": "b"}])
    assert BM25F(rare, k1=2).scores("법")[0] == pytest.approx(idf / 3, rel=1e-6)


def test_identity() -> None:
    index = FieldIndex("fields", analyzer="char2")
    assert BM25F(index) == BM25F(index, fields=DEFAULT_FIELDS, b=DEFAULT_B)
    assert hash(BM25F(index)) == hash(BM25F(index, k1=2))
    assert BM25F(index, b=0.4).b == dict.fromkeys(FIELDS, 0.4)
    assert BM25F(index, b={"text": 1}).b == {**DEFAULT_B, "text": 1}
    assert BM25F(index, fields={"text": 1, "title": 2}) == BM25F(index, fields={"title": 2, "text": 1})
    assert BM25F(index) != BM25F(index, fields={"title": 2, "text": 1})
    assert repr(BM25F(index, fields={"text": 1}, b=0.5)) == (
        "BM25F(index=FieldIndex('fields', analyzer='char2'), k1=2.0, fields={'text': 1}, "
        "b={'title': 0.5, 'text': 0.5, 'path': 0.5, 'citing': 0.5}, query_exponent=0.5, num_results=1000)"
    )


def test_faults_of_fields_are_named() -> None:
    for parameter, value, fault in (
        ("fields", {"title": -2}, "'title'.*-2"),
        ("fields", {"titel": 2}, "'titel'.*'title'"),
        ("fields", {3: 2}, "3"),
        ("fields", ["title"], "title"),
        ("fields", {}, "no field"),
        ("fields", {"text": 0}, "no field"),
        ("b", {"text": 1.5}, "'text'.*1.5"),
        ("b", "much", "'much'"),
        ("b", {"law": 0.5}, "'law'"),
    ):
        with pytest.raises(ComponentError, match=rf"bm25f.*{fault}"):
            BM25F(FieldIndex("nowhere"), **{parameter: value})  # type: ignore[arg-type]
