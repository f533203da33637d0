"""The one order of results, and ranked lists as arrays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from list_frames import frame_of

from legalir.errors import ComponentError
from legalir.frames.ranking import (
    RankedLists,
    hit_lists,
    numbers_in,
    rank_results,
    ranked_lists,
    ranking,
    read_lists,
    top_k,
)
from legalir.graph.citation_graph import CitationGraph
from legalir.storage.strings import Docnos

ROWS = st.lists(
    st.tuples(st.sampled_from("213"), st.sampled_from(["제2조", "제10조", "a", "b", "Z"]), st.integers(-2, 2)),
    unique_by=lambda row: row[:2],
)


def plain_frame(rows: list[tuple[str, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qid", "docno", "score"]).astype({"qid": str, "docno": str, "score": float})


def test_ranking_by_score_then_docno() -> None:
    frame = plain_frame([("2", "b", 1.0), ("1", "a", 3.0), ("2", "a", 1.0), ("2", "Z", 0.5), ("2", "c", 2.0)])
    ranked = rank_results(frame)
    assert list(ranked[["qid", "docno", "rank"]].itertuples(index=False, name=None)) == [
        ("2", "c", 0),
        ("2", "a", 1),
        ("2", "b", 2),
        ("2", "Z", 3),
        ("1", "a", 0),
    ]


@given(ROWS, st.randoms(use_true_random=False))
def test_ranking_agrees_with_sorting_plain_tuples(rows: list[tuple[str, str, float]], random: object) -> None:
    frame = plain_frame(rows)
    before = frame.copy(deep=True)
    ranked = rank_results(frame)
    pd.testing.assert_frame_equal(frame, before)
    queries = list(dict.fromkeys(row[0] for row in rows))
    expected = []
    for qid in queries:
        of_query = sorted((row for row in rows if row[0] == qid), key=lambda row: (-row[2], row[1]))
        expected += [(*row, rank) for rank, row in enumerate(of_query)]
    assert list(ranked.itertuples(index=False, name=None)) == expected
    assert ranked["rank"].dtype == "int64"


def test_ranking_keeps_other_columns_beside_their_rows_and_replaces_ranks() -> None:
    frame = plain_frame([("1", "a", 1.0), ("1", "b", 2.0)]).assign(rank=[7, 7], note=["of a", "of b"])
    ranked = rank_results(frame)
    assert list(ranked["note"]) == ["of b", "of a"]
    assert list(ranked["rank"]) == [0, 1]


FRAME = frame_of({"q2": {"a": 0.5, "b": 0.5, "x": 0.9}, "q1": {"c": 0.1}})


def test_a_frame_without_rows_has_no_lists() -> None:
    lists, order = read_lists(FRAME.iloc[:0], "test")
    assert (len(lists.queries), len(lists.query), len(order)) == (0, 0, 0)
    assert list(lists.frame().columns) == list(read_lists(FRAME, "test")[0].frame().columns)


def test_lists_are_ordered() -> None:
    lists, order = read_lists(FRAME, "test")
    assert lists.queries.to_dict("list") == {"qid": ["q2", "q1"], "query": ["질문 q2", "질문 q1"], "year": [0, 7]}
    assert lists.query.tolist() == [0, 0, 0, 1]
    assert lists.bounds.tolist() == [0, 3, 4]
    assert lists.rank.tolist() == [1, 2, 3, 1]
    assert lists.docno.tolist() == ["x", "a", "b", "c"]
    assert lists.score.tolist() == [0.9, 0.5, 0.5, 0.1]
    assert order.tolist() == [0, 1, 2, 3]
    assert lists.qid(3) == "q1"


def test_lists_become_frames_and_are_cut() -> None:
    lists, _ = read_lists(FRAME, "test")
    pd.testing.assert_frame_equal(lists.frame(), rank_results(FRAME.drop(columns="text")))
    cut = rank_results(FRAME.drop(columns="text"))
    pd.testing.assert_frame_equal(lists.head(2).frame(), cut[cut["rank"] < 2].reset_index(drop=True))


@given(st.permutations(range(4)))
def test_the_order_of_rows_and_their_labels_do_not_matter(order: list[int]) -> None:
    """The rows of a query may even stand apart; only the order of first appearance is that of the queries."""
    shuffled = FRAME.iloc[order].set_axis(pd.Index([5, 5, 1, 0]), axis=0)
    (lists, rows), (expected, _) = read_lists(shuffled, "test"), read_lists(FRAME, "test")
    found = {(lists.qid(row), *values) for row, values in enumerate(zip(*lists[2:4], strict=True))}
    assert found == {(expected.qid(row), *values) for row, values in enumerate(zip(*expected[2:4], strict=True))}
    assert shuffled["docno"].iloc[rows].tolist() == lists.docno.tolist()
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
        pd.testing.assert_frame_equal(ranked_lists(queries, query, docno, score).frame(), expected)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), SCORES), unique_by=lambda row: row[:2]))
def test_documents_may_be_numbers_of_names(rows: list[tuple[int, int, float]]) -> None:
    names = np.array(["d10", "나", "d9", "가", "d1", "", "Z"], dtype=object)
    query, document = (np.array([row[column] for row in rows], dtype=np.int64) for column in (0, 1))
    score = np.array([row[2] for row in rows])
    expected = sorted(range(len(rows)), key=lambda row: (query[row], -score[row], names[document[row]]))
    assert ranking(query, score, document, names).tolist() == expected
    assert ranking(query, score, names[document]).tolist() == expected


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None])
def test_a_score_that_is_no_number_is_named(score: object) -> None:
    frame = FRAME.copy()
    frame.loc[1, "score"] = score
    with pytest.raises(ComponentError, match=r"test: .*'a' for query 'q2' is (nan|inf)"):
        read_lists(frame, "test")
    with pytest.raises(ComponentError, match=r"test.*'score'"):
        read_lists(FRAME.assign(score="high"), "test")


def test_a_document_that_occurs_twice_is_named() -> None:
    for docno in ("a", "x"):
        twice = pd.concat([FRAME, FRAME[FRAME["docno"] == docno].assign(score=0.2)])
        with pytest.raises(ComponentError, match=f"test: '{docno}' .*twice.*'q2'"):
            read_lists(twice, "test")


def test_a_numbering_that_lacks_all_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    graph = CitationGraph.from_links([("y", "z")])
    queries = pd.DataFrame({"qid": ["1"], "query": ["q"]})

    def listed(*docnos: str) -> RankedLists:
        size = len(docnos)
        return RankedLists(queries, np.zeros(size, np.int64), np.array(docnos, object), np.arange(size, 0.0, -1.0))

    assert numbers_in(graph, listed("x", "a"), "links").tolist() == [-1, -1]
    assert [record.getMessage() for record in caplog.records] == [
        f"links: none of the 2 retrieved provisions (such as 'x') is in {graph!r}: is it that of the collection "
        "searched?"
    ]
    caplog.clear()
    assert numbers_in(graph, listed("x", "y"), "links").tolist() == [-1, 0]
    assert numbers_in(graph, listed(), "links").tolist() == []
    assert not caplog.records


@given(
    st.lists(st.sampled_from("abcdef"), unique=True, min_size=1),
    st.lists(st.sampled_from("abcdef"), unique=True, min_size=1),
    st.data(),
)
def test_numbers_in_a_table_are_those_of_the_docnos(ours: list[str], theirs: list[str], data: st.DataObject) -> None:
    table, other = Docnos(theirs), Docnos(ours)
    taken = data.draw(st.lists(st.permutations(range(len(theirs))), min_size=1, max_size=3))
    hits = [(np.array(row), np.arange(len(row), 0.0, -1.0)) for row in taken]
    lists = hit_lists(pd.DataFrame({"qid": [*map(str, range(len(hits)))]}), hits, table)
    scores = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(lists.query), max_size=len(lists.query))), float
    )
    for made in (lists, lists.head(2), lists.rows(lists.score > 1), lists.rescored(scores)):
        assert made.numbered is not None
        assert table[made.numbered[1]].tolist() == made.docno.tolist()
        assert other.numbers_of(made.numbered[1], table).tolist() == other.numbers(made.docno).tolist()
    graph = CitationGraph.from_links([(one, other) for one in ours for other in ours])
    assert numbers_in(graph, lists, "test").tolist() == graph.numbers(lists.docno).tolist()
    renamed = lists._replace(docno=lists.docno[::-1])
    assert numbers_in(graph, renamed, "test").tolist() == graph.numbers(renamed.docno).tolist()
    plain = ranked_lists(lists.queries, lists.query, lists.docno, scores)
    pd.testing.assert_frame_equal(lists.rescored(scores).frame(), plain.frame())


def full_sort(scores: np.ndarray, order: np.ndarray, k: int) -> list[int]:
    return [int(i) for i in np.lexsort((order, -scores)) if scores[i] > 0][:k]


@given(st.lists(st.integers(0, 6), max_size=80), st.integers(1, 100), st.randoms(use_true_random=False))
def test_top_k_is_the_head_of_a_full_sort(values: list[int], k: int, random: object) -> None:
    scores = np.array(values, dtype=np.float32) / 4
    order = np.arange(len(values), dtype=np.int32)
    random.shuffle(order)  # type: ignore[attr-defined]
    assert top_k(scores, order, k).tolist() == full_sort(scores, order, k)


@pytest.mark.parametrize("k", [1, 2, 10, 99, 100, 1000, 4999, 5000, 20_000])
@pytest.mark.parametrize("kind", ["distinct", "ties", "sparse", "zero", "equal", "ascending", "huge"])
def test_top_k_of_many_documents(kind: str, k: int) -> None:
    random = np.random.default_rng(k)
    n = 5000
    scores = {
        "distinct": random.random(n),
        "ties": random.integers(0, 5, n),
        "sparse": np.where(random.random(n) < 0.01, random.random(n), 0),
        "zero": np.zeros(n),
        "equal": np.ones(n),
        "ascending": np.arange(n),
        "huge": random.random(n) * 1e38,
    }[kind].astype(np.float32)
    order = random.permutation(n).astype(np.int32)
    assert top_k(scores, order, k).tolist() == full_sort(scores, order, k)
    for share in (0, 0.01, 0.12, 0.2, 0.6, 1):
        among = random.random(n) < share
        assert top_k(scores, order, k, 0, among).tolist() == full_sort(scores * among, order, k)
