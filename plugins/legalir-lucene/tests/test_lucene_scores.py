"""What Lucene's scores are: worked out by hand, and beside legalir's own."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from conftest import Make

from legalir import Collection
from legalir.errors import ComponentError, ExpressionError

TEXTS = {"d-1": "문 문 창", "d-2": "문 벽 벽 벽 벽", "d-3": "창 창 창 벽"}
WORDS = [f"말{number}" for number in range(60)]


def scores(collection: Collection, expression: str, query: str) -> dict[str, float]:
    found = collection.pipeline(expression).search(query)
    return dict(zip(found["docno"], found["score"], strict=True))


def idf(n: int, df: int) -> float:
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def random_texts(documents: int, longest: int, seed: int = 0) -> dict[str, str]:
    draw = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    return {
        f"d-{number:04d}": " ".join(draw.choices(WORDS, weights, k=draw.randint(1, longest)))
        for number in range(documents)
    }


def stored_length(length: int) -> int:
    """Return what remains of a length in Lucene's one byte: up to 40 all, then four significant bits above 24."""
    if length < 40:
        return length
    shift = max(0, (length - 24).bit_length() - 4)
    return 24 + ((length - 24) >> shift << shift)


def test_bm25(make: Make) -> None:
    # 문 is in 2 of 3 documents, of lengths 3, 5, 4: the mean is 4. tf / (tf + k1·(1 − b + b·dl/avgdl)).
    found = scores(make(TEXTS), 'lucene(analyzer="whitespace", k1=1.2, b=0.75)', "문")
    assert found == {
        "d-1": pytest.approx(idf(3, 2) * 2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 4)), rel=1e-6),
        "d-2": pytest.approx(idf(3, 2) * 1 / (1 + 1.2 * (0.25 + 0.75 * 5 / 4)), rel=1e-6),
    }


def test_a_term_that_the_query_repeats_counts_as_often(make: Make) -> None:
    collection = make(TEXTS)
    one = scores(collection, 'lucene(analyzer="whitespace")', "창")
    two = scores(collection, 'lucene(analyzer="whitespace")', "창 창 아무것도")
    assert two == {docno: pytest.approx(2 * score, rel=1e-6) for docno, score in one.items()}


def test_query_likelihood(make: Make) -> None:
    # Of 12 terms 문 is 3: p = (3 + 1)/(12 + 1). ln(1 + tf/(mu·p)) + ln(mu/(dl + mu)).
    mu, p = 10, 4 / 13
    found = scores(make(TEXTS), 'lucene(model="ql", analyzer="whitespace", mu=10)', "문")
    assert found == {
        "d-1": pytest.approx(math.log(1 + 2 / (mu * p)) + math.log(mu / (3 + mu)), rel=1e-6),
        # ln(1 + 1/3.0769) − ln 1.5 = 0.2814 − 0.4055 would lower the score.
        "d-2": 0.0,
    }


def test_a_length_is_rounded_down(make: Make) -> None:
    # 100 = 24 + 76, and 76 = 1001100₂ keeps four bits: 24 + 72 = 96. The mean, (100 + 20)/2, is exact.
    found = scores(
        make({"long": "문 " + "벽 " * 99, "short": "창 " * 20}), 'lucene(analyzer="whitespace", k1=1, b=1)', "문"
    )
    assert stored_length(100) == 96
    assert found == {"long": pytest.approx(idf(2, 1) / (1 + 96 / 60), rel=1e-6)}


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.5, 1), (0, 0.4), (2, 0)])
def test_short_documents_score_as_in_bm25(make: Make, k1: float, b: float) -> None:
    collection = make(random_texts(300, 39))
    queries = pd.DataFrame({"qid": [str(seed) for seed in range(20)], "query": list(random_texts(20, 12, 7).values())})
    ours = collection.pipeline(f'bm25(analyzer="whitespace", k1={k1}, b={b})').transform(queries)
    theirs = collection.pipeline(f'lucene(analyzer="whitespace", k1={k1}, b={b})').transform(queries)
    assert len(theirs) == len(ours) > 1000
    both = ours.merge(theirs, on=["qid", "docno"], suffixes=("", "_lucene"), how="outer", validate="1:1")
    assert len(both) == len(ours)
    np.testing.assert_allclose(both["score_lucene"], both["score"], rtol=2e-6)


def test_long_documents_score_as_by_the_formula_with_stored_lengths(make: Make) -> None:
    texts = random_texts(80, 2000)
    counted = {docno: text.split() for docno, text in texts.items()}
    n, mean = len(texts), sum(map(len, counted.values())) / len(texts)
    query = WORDS[5:50:5]
    df = {word: sum(word in terms for terms in counted.values()) for word in query}
    wanted = {
        docno: sum(
            idf(n, df[word])
            * terms.count(word)
            / (terms.count(word) + 0.9 * (0.6 + 0.4 * stored_length(len(terms)) / mean))
            for word in query
        )
        for docno, terms in counted.items()
    }
    found = scores(make(texts), 'lucene(analyzer="whitespace")', " ".join(query))
    assert found == {docno: pytest.approx(score, rel=1e-5) for docno, score in wanted.items() if score}


def test_documents_without_terms_do_not_count(make: Make) -> None:
    expression = 'lucene(analyzer="whitespace")'
    assert scores(make({**TEXTS, "d-4": "!!"}, "more"), expression, "문") == scores(make(TEXTS), expression, "문")


def test_parameters(make: Make) -> None:
    collection = make(TEXTS)
    for wrong in ("k1=-1", "b=1.1", "mu=0.5", "num_results=0", "k1=1e39", 'model="bm26"'):
        with pytest.raises(ExpressionError, match=f"lucene: {wrong.partition('=')[0]}="):
            collection.pipeline(f"lucene({wrong})")
    with pytest.raises(ComponentError, match="lucene: the query 3"):
        collection.pipeline("lucene").transform(pd.DataFrame({"qid": ["1"], "query": [3]}))


def test_explanation(make: Make) -> None:
    collection = make(TEXTS)
    for expression in ('lucene(analyzer="whitespace")', 'lucene(analyzer="whitespace", model="ql", mu=10)'):
        result = collection.search("문 창 창", expression, k=3)
        explained = {one.docno: one for one in result.explain()}
        assert all(one.is_whole() for one in explained.values())
        assert {docno: one.score for docno, one in explained.items()} == dict(
            zip(result["docno"], result["score"], strict=True)
        )
        assert [(part.label, part.detail) for part in explained["d-3"].parts] == [
            ("창 ×2", {"term": "창", "in_query": 2, "in_document": 3})
        ]
        # What query likelihood does not count is no part.
        assert {part.label for part in explained["d-1"].parts} == ({"문"} if "ql" in expression else {"문", "창 ×2"})
