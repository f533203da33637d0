"""What the words of a query add to a cosine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from static_material import TEXTS, small_model

from legalir.dense.hashed_ngrams import HashedNGrams


@pytest.mark.parametrize("options", [{}, {"edges": True}, {"jamo": (2, 3), "char": ()}, {"tf": "raw", "rows": 40}])
@pytest.mark.parametrize("int8", [False, True])
def test_contributions_add_up_to_the_cosine(options: dict[str, Any], int8: bool) -> None:
    model = small_model(**options)
    model = model.quantised() if int8 else model
    queries = [*TEXTS, "등대 등대 등불, 등대!", "무창층" * 20]
    vector = model.encode(["등대 관리인"])[0]
    for query, cosine in zip(queries, model.encode(queries) @ vector, strict=True):
        assert sum(model.contributions(query, vector).values()) == pytest.approx(float(cosine), abs=1e-5)


def test_labels_are_the_words_in_the_order_of_the_text() -> None:
    model = small_model()
    vector = model.encode(["등대"])[0]
    assert list(model.contributions("등대 관리인은, 등대·등불 CAFÉ", vector)) == [
        "등대",
        "관리인은",
        "등대ㆍ등불",
        "café",
    ]
    assert model.contributions("… !", vector) == {}


def test_a_long_word_is_shown_as_its_ngrams() -> None:
    model = small_model(char=(3,), words=False)
    found = model.contributions("abcdefghijklmnopq xyz", model.encode(["abc"])[0])
    assert list(found)[:2] == ["abc", "bcd"]
    assert list(found)[-1] == "xyz"


def test_an_ngram_of_two_words_is_divided_evenly() -> None:
    ngrams = HashedNGrams(char=(2,), words=False, rows=2**20)
    found = ngrams.features(["abc xab"])
    # Rows by n-gram: ab lies in both words, bc in the first, xa in the second.
    value = {ngram: int(ngrams.features([ngram]).rows[0]) for ngram in ("ab", "bc", "xa")}
    numbers = {value["ab"]: 6.0, value["bc"]: 1.0, value["xa"]: 10.0}
    shares = ngrams.divide("abc xab", found.rows, np.array([numbers[int(row)] for row in found.rows]))
    assert shares == {"abc": 4.0, "xab": 13.0}
