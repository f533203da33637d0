"""Lists of a frame as arrays, and the order that every result has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from list_frames import frame_of

from legalir.errors import ComponentError
from legalir.frames.columns import rank_results
from legalir.frames.lists import ranked_frame, ranking, read_lists
from legalir.graph.citation_graph import CitationGraph

GRAPH = CitationGraph.from_links([("a", "b"), ("b", "c")])
FRAME = frame_of({"q2": {"a": 0.5, "b": 0.5, "x": 0.9}, "q1": {"c": 0.1}})


def test_lists_are_ordered_and_numbered() -> None:
    lists = read_lists(FRAME, GRAPH, "test")
    assert lists.queries.to_dict("list") == {"qid": ["q2", "q1"], "query": ["질문 q2", "질문 q1"], "year": [0, 7]}
    assert lists.query.tolist() == [0, 0, 0, 1]
    assert lists.rank.tolist() == [1, 2, 3, 1]
    assert lists.docno.tolist() == ["x", "a", "b", "c"]
    assert lists.node.tolist() == [-1, 0, 1, 2]
    assert lists.score.tolist() == [0.9, 0.5, 0.5, 0.1]
    assert lists.qid(3) == "q1"


@given(st.permutations(range(4)))
def test_the_order_of_rows_and_their_labels_do_not_matter(order: list[int]) -> None:
    """The rows of a query may even stand apart; only the order of first appearance is that of the queries."""
    shuffled = FRAME.iloc[order].set_axis(pd.Index([5, 5, 1, 0]), axis=0)
    lists, expected = read_lists(shuffled, GRAPH, "test"), read_lists(FRAME, GRAPH, "test")
    found = {(lists.qid(row), *values) for row, values in enumerate(zip(*lists[2:-1], strict=True))}
    assert found == {(expected.qid(row), *values) for row, values in enumerate(zip(*expected[2:-1], strict=True))}
    assert (np.diff(lists.query) >= 0).all()


SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 0.1 + 0.2, 0.3, 1e-320, -1.0, 77.5, 1e300, np.nextafter(0.5, 1)]), st.floats(0, 1)
)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc가🔥") | st.just("aa"), SCORES), max_size=30))
def test_the_order_is_that_of_rank_results(rows: list[tuple[int, str, float]]) -> None:
    rows = sorted({(query, docno): (query, docno, score) for query, docno, score in rows}.values())
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"]).astype({"qid": str, "docno": str, "score": float})
    query = pd.factorize(frame["qid"])[0].astype(np.int64)
    docno, score = frame["docno"].to_numpy(dtype=object), frame["score"].to_numpy(dtype=float)
    shuffle = np.random.default_rng(len(rows)).permutation(len(rows))
    order = shuffle[ranking(query[shuffle], score[shuffle], docno[shuffle])]
    expected = rank_results(frame)
    assert docno[order].tolist() == expected["docno"].tolist()
    assert frame["qid"].iloc[order].tolist() == expected["qid"].tolist()
    if rows:
        queries = frame[["qid"]].drop_duplicates(ignore_index=True)
        pd.testing.assert_frame_equal(ranked_frame(queries, query, docno, score), expected)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None])
def test_a_score_that_is_no_number_is_named(score: object) -> None:
    frame = FRAME.copy()
    frame.loc[1, "score"] = score
    with pytest.raises(ComponentError, match=r"test: the score of 'a' for query 'q2' is (nan|inf): scores must be fin"):
        read_lists(frame, GRAPH, "test")
    with pytest.raises(ComponentError, match="test: the column 'score' holds something that is no number"):
        read_lists(FRAME.assign(score="high"), GRAPH, "test")


def test_a_document_that_occurs_twice_is_named() -> None:
    for docno in ("a", "x"):
        twice = pd.concat([FRAME, FRAME[FRAME["docno"] == docno].assign(score=0.2)])
        with pytest.raises(ComponentError, match=f"test: '{docno}' occurs twice in the list of query 'q2'"):
            read_lists(twice, GRAPH, "test")


def test_a_graph_of_another_collection_is_refused() -> None:
    with pytest.raises(
        ComponentError, match=r"test: none of the 4 retrieved provisions \(such as 'x'\) is in Cit"
    ) as e:
        read_lists(FRAME, CitationGraph.from_links([("y", "z")]), "test")
    assert str(e.value).endswith("give the graph of the collection that was searched.")
