"""Predictors against values worked out by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from legalir.errors import ComponentError
from legalir.lexical.predict import PREDICTORS, Predict
from legalir.lexical.sparse import SparseIndex

TEXTS = {"a": "boat boat rope", "b": "boat lamp", "c": "lamp rope rope"}
"""Eight occurrences: boat 3, lamp 2, rope 3; each term in two of three documents."""


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    index = SparseIndex(tmp_path_factory.mktemp("predict") / "index", analyzer="whitespace")
    return index.index({"docno": docno, "text": text} for docno, text in TEXTS.items())


def results(query: object = "boat boat zebra", scores: tuple[float, ...] = (3.0, 1.0)) -> pd.DataFrame:
    rows = [
        {"qid": "q", "query": query, "docno": docno, "score": score} for docno, score in zip("ab", scores, strict=True)
    ]
    return pd.DataFrame(rows).assign(rank=range(len(rows)))


def predicted(index: SparseIndex, frame: pd.DataFrame, **params: int) -> dict[str, float]:
    (row,) = Predict(index, **params)(frame)[list(PREDICTORS)].drop_duplicates().to_dict("records")
    return {str(name).removeprefix("query_"): value for name, value in row.items()}


def test_values_by_hand(index: SparseIndex) -> None:
    # With mu = 8: p(boat|a) = (2 + 3)/(3 + 8) and p(boat|b) = (1 + 3)/(2 + 8), in the collection 3/8; the query has
    # boat twice, and zebra does not count.
    a, b, collection = (2 * math.log(p) for p in (5 / 11, 4 / 10, 3 / 8))
    wa = (5 / 11) ** 2 / ((5 / 11) ** 2 + (4 / 10) ** 2)
    model = {"boat": wa * 2 / 3 + (1 - wa) / 2, "rope": wa / 3, "lamp": (1 - wa) / 2}
    background = {"boat": 3 / 8, "rope": 3 / 8, "lamp": 2 / 8}
    scq = (1 + math.log(3)) * math.log(1 + 3 / 2)
    assert predicted(index, results(), mu=8) == pytest.approx(
        {
            "avg_idf": math.log(3 / 2),
            "max_idf": math.log(3 / 2),
            "avg_scq": scq,
            "max_scq": scq,
            "wig": ((a + b) / 2 - collection) / math.sqrt(2),
            "nqc": (a - b) / 2 / -collection,
            "clarity": sum(p * math.log2(p / background[term]) for term, p in model.items()),
            "spread": 1 / 2,
        }
    )
    # One document: a alone for WIG; no deviation.
    one = predicted(index, results(), mu=8, top=1, docs=1)
    assert (one["wig"], one["nqc"], one["spread"]) == pytest.approx(((a - collection) / math.sqrt(2), 0, 0))
    assert one["clarity"] == pytest.approx(2 / 3 * math.log2(16 / 9) + 1 / 3 * math.log2(8 / 9))


def test_mean_and_maximum_are_over_different_terms(index: SparseIndex) -> None:
    values = predicted(index, results("boat boat boat lamp"))
    boat, lamp = (1 + math.log(3)) * math.log(2.5), (1 + math.log(2)) * math.log(2.5)
    assert (values["avg_scq"], values["max_scq"]) == pytest.approx(((boat + lamp) / 2, boat))


def test_what_is_not_defined_is_nan(index: SparseIndex) -> None:
    values = predicted(index, results("zebra"))
    assert values.pop("spread") == 0.5 and all(map(math.isnan, values.values()))
    assert math.isnan(predicted(index, results(scores=(1.0, -1.0)))["spread"])


def test_weighted_terms_are_the_query(index: SparseIndex) -> None:
    weighted = results().assign(query_toks=[{"boat": 2.0}] * 2)
    assert predicted(index, weighted) == pytest.approx(predicted(index, results("boat boat")))


def test_a_document_of_another_collection(index: SparseIndex) -> None:
    with pytest.raises(ComponentError, match="predict: the document 'elsewhere' of query 'q'"):
        Predict(index)(results().replace("b", "elsewhere"))
