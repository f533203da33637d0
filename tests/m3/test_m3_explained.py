"""Why the heads of BGE-M3 gave a provision its score."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from m3_letters import QUERIES, expected, letter_index

from legalir.explanation import explain
from legalir.m3.m3_index import M3Index

THREE = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}


@pytest.fixture(name="index")
def own_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> M3Index:
    monkeypatch.setattr(M3Index, "token_texts", lambda self, tokens: [f"▁t{token}" for token in tokens])
    return letter_index(tmp_path)


def test_heads_add_up_and_tokens_explain_the_sparse_one(index: M3Index) -> None:
    query = QUERIES[1]
    found = explain(index.retriever(), query)
    assert [one.docno for one in found][:2] == list(expected(query, THREE))[:2]
    for one in found:
        assert one.is_whole()
        assert [part.detail["head"] for part in one.parts] == ["dense", "sparse", "multi"]
        for part in one.parts:
            assert part.source is not None
            assert part.source.is_whole()
            assert part.value == pytest.approx(THREE[str(part.detail["head"])] * part.source.score)
            assert part.source.score == pytest.approx(expected(query, {part.detail["head"]: 1})[one.docno], abs=1e-6)
    first = found[0].parts[1].source
    assert first is not None
    tokens = first.parts
    assert [part.value for part in tokens] == sorted((part.value for part in tokens), reverse=True)
    for part in tokens:
        detail = part.detail
        assert part.value == pytest.approx(detail["in_query"] * detail["in_document"])  # type: ignore[operator]
        assert (part.label, detail["term"]) == (f"t{detail['token']}", f"▁t{detail['token']}")
    assert "0.4 × " in str(found[0])
    assert "more terms" in str(found[0].shortened(3))


def test_weights_that_do_not_sum_to_one(index: M3Index) -> None:
    [one] = explain(index.retriever(weights={"dense": 2, "sparse": 1}), QUERIES[0], ["법-2"])
    assert one.is_whole()
    assert one.parts[0].label.startswith("2/3 × ")
    assert one.parts[0].value == pytest.approx(2 / 3 * expected(QUERIES[0], {"dense": 1})["법-2"], abs=1e-6)


def test_given_documents(index: M3Index) -> None:
    given = pd.DataFrame({"qid": "1", "query": QUERIES[4], "docno": ["act-2", "법-2"], "score": 1.0, "rank": [0, 1]})
    found = explain(index.scorer(), given)
    assert {one.docno: one.score for one in found} == pytest.approx(
        {docno: expected(QUERIES[4], THREE)[docno] for docno in ("act-2", "법-2")}, abs=1e-6
    )
    sparse = {one.docno: one.parts[1].source for one in found}
    assert sparse["act-2"] is not None
    assert sparse["act-2"].parts == ()  # They share no token.
    assert index.scorer().explain(given, ["법-1"], lambda docnos: {}) == {}
