"""RM3 and Bo1 against their formulas, text by text in plain Python."""

from __future__ import annotations

import math
from collections import Counter

import pandas as pd
import plain_scores
import pytest

from legalir.errors import ComponentError
from legalir.lexical.expansion import RM3, Bo1
from legalir.lexical.sparse import SparseIndex

TEXTS = [text or "가" for text in plain_scores.random_texts(seed=25, count=50)]
QUERIES = pd.DataFrame({"qid": ["b", "a"], "query": [f"{TEXTS[3]} zebra", "가 가 나"], "year": [1, 2]})


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    index = SparseIndex(tmp_path_factory.mktemp("expansion") / "index", analyzer="char2")
    return index.index({"docno": str(n), "text": text} for n, text in enumerate(TEXTS))


def heaviest(weights: dict[str, float], k: int) -> list[str]:
    return sorted(weights, key=lambda term: (-weights[term], term))[:k]


def rm3(index: SparseIndex, query: Counter[str], docs: list[str], terms: int, weight: float, mu: float) -> Counter[str]:
    tf, df = plain_scores.frequencies(TEXTS, index.analyzer.terms)
    query = Counter({term: qtf for term, qtf in query.items() if term in df})
    likelihood = plain_scores.log_likelihoods(TEXTS, query, index.analyzer.terms, mu)
    posterior = {docno: math.exp(likelihood[int(docno)]) for docno in docs}
    model: Counter[str] = Counter()
    for docno in docs:
        for term, count in tf[int(docno)].items():
            share = posterior[docno] / sum(posterior.values())
            model[term] += share * count / tf[int(docno)].total()  # type: ignore[assignment]
    kept = heaviest(model, terms)
    expected = Counter({term: weight * qtf / query.total() for term, qtf in query.items()})
    for term in kept:
        expected[term] += (1 - weight) * model[term] / sum(model[one] for one in kept)
    return expected


def bo1(index: SparseIndex, query: Counter[str], docs: list[str], terms: int) -> Counter[str]:
    tf, df = plain_scores.frequencies(TEXTS, index.analyzer.terms)
    cf: Counter[str] = sum(tf, Counter())
    pool: Counter[str] = sum((tf[int(docno)] for docno in docs), Counter())

    def information(count: int, of_collection: int) -> float:
        mean = of_collection / len(TEXTS)
        return count * math.log2((1 + mean) / mean) + math.log2(1 + mean)

    found = {term: information(count, cf[term]) for term, count in pool.items()}
    kept = heaviest(found, terms)
    query = Counter({term: qtf for term, qtf in query.items() if term in df})
    expected = Counter({term: qtf / max(query.values()) for term, qtf in query.items()})
    for term in kept:
        expected[term] += found[term] / information(pool[kept[0]], pool[kept[0]])
    return expected


@pytest.mark.parametrize("docs", [1, 4, 100])
@pytest.mark.parametrize("terms", [0, 3, 15])
def test_weights_are_those_of_the_formula(index: SparseIndex, docs: int, terms: int) -> None:
    results = index.bm25(num_results=20)(QUERIES)
    for weight, mu in ((0.5, 1000), (0.0, 10), (1.0, 100)):
        found = RM3(index, terms=terms, docs=docs, weight=weight, mu=mu)(results.sample(frac=1, random_state=1))
        for row in found.itertuples():
            first = results[results["qid"] == row.qid]["docno"].tolist()[:docs]
            own = Counter(index.analyzer.terms(row.query))
            expected = rm3(index, own, first, terms, weight, mu)
            assert row.query_toks == pytest.approx({t: w for t, w in expected.items() if w}, rel=1e-9)
    for row in Bo1(index, terms=terms, docs=docs)(results).itertuples():
        first = results[results["qid"] == row.qid]["docno"].tolist()[:docs]
        expected = bo1(index, Counter(index.analyzer.terms(row.query)), first, terms)
        assert row.query_toks == pytest.approx(dict(expected), rel=1e-9)


@pytest.mark.parametrize("make", [RM3, Bo1])
def test_frames(index: SparseIndex, make: type[RM3 | Bo1]) -> None:
    results, component = index.bm25()(QUERIES), make(index)
    expanded = component(results)
    assert expanded["qid"].tolist() == ["b", "a"]
    assert list(expanded) == list(component(results.iloc[:0])) == ["qid", "query", "year", "query_toks"]
    again = component(index.bm25()(expanded))
    assert again["query_toks"].iloc[0] != expanded["query_toks"].iloc[0], "the expanded query is the query then"
    with pytest.raises(ComponentError, match=f"{component.name}: .*'x' .*'b' .*not in the index"):
        component(results.assign(docno="x").iloc[:1])
    assert component == make(index, docs=component.docs)
    assert component != make(index, terms=11)


def test_the_query_alone_gives_its_own_ranking(index: SparseIndex) -> None:
    before = index.ql()(QUERIES)
    after = (RM3(index, weight=1) >> index.ql())(before)
    assert after["docno"].tolist() == before["docno"].tolist()
