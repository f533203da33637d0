"""The retriever `trigram`: legalir's conformance kit, and values worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from legalir import Collection, testing
from legalir.errors import ComponentError, ExpressionError
from legalir_trigram import Trigram, dice


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    texts = {"b-1": "abcd", "a-1": "abc xyz", "c-1": "abc abc", "d-1": "비상구"}
    lines = [json.dumps({"docno": docno, "text": text}) for docno, text in texts.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return Collection(tmp_path, cache=tmp_path / "cache")


@testing.parametrize("retriever", "trigram")
def test_conformance(check: Callable[[], None]) -> None:
    check()


def test_dice_of_three_pairs_of_sets() -> None:
    # {1, 2} with {1, 2}, {2, 3} and {3, 4, 5}: 2·2/(2+2), 2·1/(2+2), 2·0/(2+3).
    assert dice(np.array([2, 1, 0]), 2, np.array([2, 2, 3])).tolist() == [1, 0.5, 0]


def test_golden_values(collection: Collection) -> None:
    found = collection.pipeline("trigram").search("abcd")
    # The question has the trigrams abc, bcd. b-1 has the same: 2·2/(2+2). c-1 has abc, twice but one element:
    # 2·1/(2+1). a-1 has abc, xyz: 2·1/(2+2). d-1 shares none.
    assert found["docno"].tolist() == ["b-1", "c-1", "a-1"]
    assert found["score"].tolist() == [1, 2 / 3, 1 / 2]
    assert found["rank"].tolist() == [0, 1, 2]


def test_a_trigram_that_no_provision_has_counts_in_the_question(collection: Collection) -> None:
    # abc, zzz against abc, xyz: 2·1/(2+2); against abc: 2·1/(2+1); against abc, bcd: 2·1/(2+2).
    found = collection.pipeline("trigram").search("abc zzz")
    assert found["docno"].tolist() == ["c-1", "a-1", "b-1"], "equal scores by docno"
    assert found["score"].tolist() == [2 / 3, 1 / 2, 1 / 2]


def test_num_results(collection: Collection) -> None:
    assert collection.pipeline("trigram(num_results=1)").search("abcd")["docno"].tolist() == ["b-1"]
    with pytest.raises(ExpressionError, match=r"trigram: num_results=0 is not an integer of at least 1"):
        collection.pipeline("trigram(num_results=0)")
    with pytest.raises(ComponentError, match="num_results"):
        Trigram(collection.sparse("char3"), num_results=True)


def test_a_query_that_is_no_text(collection: Collection) -> None:
    with pytest.raises(ComponentError, match="trigram: the query 3"):
        collection.pipeline("trigram").transform(pd.DataFrame({"qid": ["1"], "query": [3]}))
