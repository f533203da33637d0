"""Lists cut at a budget of tokens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import legalir
from legalir.errors import ComponentError
from legalir.rerank.within import Within, fits


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=5), st.integers(1, 30))
def test_each_list_is_cut_as_a_reader_would_stop(lists: list[list[int]], budget: int) -> None:
    expected = []
    for sizes in lists:
        left, reads = budget, True
        for size in sizes:
            left -= size
            reads = reads and left >= 0
            expected.append(reads)
    query = np.repeat(np.arange(len(lists)), [len(sizes) for sizes in lists]).astype(np.int64)
    assert (
        fits(query, np.array([size for sizes in lists for size in sizes], dtype=np.int64), budget).tolist() == expected
    )


def test_recall_within_tokens_as_counted_by_hand() -> None:
    collection = legalir.Collection("legalir/harbour", as_of="2026-01-01")
    texts = {one.doc_id: f"{one.title}\n{one.text}" for one in collection.docs()}
    topics, bm25 = collection.topics().iloc[:12], collection.pipeline("bm25 % 30")
    for budget in (120, 600, 100_000):
        expected = set()
        for qid, rows in bm25(topics).sort_values(["qid", "rank"]).groupby("qid"):
            spent = 0
            for docno in rows["docno"]:
                spent += -(-len(texts[docno].encode()) // 3)
                if spent > budget:
                    break
                expected.add((qid, docno))
        found = collection.pipeline(f"bm25 % 30 >> within(tokens={budget})")(topics)
        assert set(zip(found["qid"], found["docno"], strict=True)) == expected


def test_a_document_of_another_collection() -> None:
    collection = legalir.Collection("legalir/harbour", as_of="2026-01-01")
    strange = collection.pipeline("bm25 % 2")(collection.topics().iloc[:1]).assign(docno=["act-22", "elsewhere"])
    with pytest.raises(ComponentError, match="'elsewhere'"):
        Within(collection)(strange)
