"""Lists without the document that is the question."""

from __future__ import annotations

import pandas as pd
import pytest

from legalir.errors import ComponentError
from legalir.frames.ranking import read_lists
from legalir.rerank.without_self import WithoutSelf

LISTS = pd.DataFrame(
    [
        ("c1", "c2", 3.0, 0),
        ("c1", "c1", 2.0, 1),
        ("c1", "c9", 1.0, 2),
        ("c2", "c1@2020-01-01", 3.0, 0),
        ("c2", "c2@2020-01-01", 2.0, 1),
        ("c3", "c3", 2.0, 0),
    ],
    columns=["qid", "docno", "score", "rank"],
).assign(query="?", case=["c2", "c2", "c2", "c1", "c1", ""])


@pytest.mark.parametrize(
    ("column", "left"),
    [
        ("qid", [("c1", "c2", 3.0, 0), ("c1", "c9", 1.0, 1), ("c2", "c1@2020-01-01", 3.0, 0)]),
        ("case", [("c1", "c1", 2.0, 0), ("c1", "c9", 1.0, 1), ("c2", "c2@2020-01-01", 2.0, 0), ("c3", "c3", 2.0, 0)]),
    ],
)
def test_the_others_keep_their_scores_and_move_up(column: str, left: list[tuple[object, ...]]) -> None:
    found = WithoutSelf(column).transform(LISTS)
    assert list(found[["qid", "docno", "score", "rank"]].itertuples(index=False, name=None)) == left
    lists = WithoutSelf(column).rank_lists(read_lists(LISTS, "test")[0]).frame()
    assert list(lists[["qid", "docno", "score", "rank"]].itertuples(index=False, name=None)) == left


def test_a_column_must_have_a_name() -> None:
    with pytest.raises(ComponentError, match="column"):
        WithoutSelf("")
