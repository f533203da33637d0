"""SAR's scores: the worked value, and a plain second implementation on random graphs."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_sar import neighbours, plain_pool, plain_sar

from legalir.graph.citation_graph import CitationGraph, Direction
from legalir.graph.sar import SAR

# FACTS §4: s1 cites n and h, s2 cites n; n is cited by 2, h by 9, of which only s1 is in the list.
LINKS = [("s1", "n"), ("s1", "h"), ("s2", "n"), *((f"other{number}", "h") for number in range(8))]
SCORES = {"s1": 0.8, "s2": 0.6, "n": 0.4, "h": 0.3}


class Says(pt.Transformer):
    """A scorer with a score for each docno, and a count of its calls; returns its rows backwards."""

    def __init__(self, scores: dict[str, float], factor: float = 1.0) -> None:
        self.scores, self.factor = scores, factor
        self.asked: list[list[tuple[str, str]]] = []

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        assert inp["query"].tolist() == [f"질문 {qid}" for qid in inp["qid"]]
        self.asked.append(list(zip(inp["qid"], inp["docno"], strict=True)))
        out = inp.iloc[::-1].copy()
        out["score"] = [self.scores[docno] * self.factor for docno in out["docno"]]
        return out


def frame_of(lists: dict[str, dict[str, float]]) -> pd.DataFrame:
    rows = [(qid, f"질문 {qid}", docno, score) for qid, scores in lists.items() for docno, score in scores.items()]
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "score"]).astype({"qid": str, "docno": str})


def scores_of(found: pd.DataFrame, qid: str = "q") -> dict[str, float]:
    rows = found[found["qid"] == qid]
    return dict(zip(rows["docno"], rows["score"], strict=True))


def test_the_worked_value() -> None:
    """B(n) = (.8/ln 3 + .6/ln 2)/ln 3 = 1.450747 and B(h) = .8/ln 3/ln 10 = .316249."""
    sar = SAR(CitationGraph.from_links(LINKS), beta=0.3)
    found = scores_of(sar(frame_of({"q": SCORES})))
    assert found["n"] == pytest.approx(0.661134, abs=5e-7)
    assert found["h"] == pytest.approx(0.366412, abs=5e-7)
    assert (found["s1"], found["s2"]) == (0.8, 0.6)
    assert found["n"] == pytest.approx(0.4 + 0.3 * 1.450747 * 0.6, abs=5e-7)
    assert found["h"] == pytest.approx(0.3 + 0.3 * 0.316249 * 0.7, abs=5e-7)


def test_what_the_list_lacks_comes_in_with_the_scorers_score_or_0() -> None:
    graph = CitationGraph.from_links(LINKS)
    known = {docno: SCORES[docno] for docno in ("s1", "s2")}
    scorer = Says(SCORES)
    found = scores_of(SAR(graph, scorer=scorer)(frame_of({"q": known})))
    assert found["n"] == pytest.approx(0.661134, abs=5e-7)
    assert found["h"] == pytest.approx(0.366412, abs=5e-7)
    without = scores_of(SAR(graph)(frame_of({"q": known})))
    assert without["n"] == pytest.approx(0.3 * 1.450747, abs=5e-7)
    assert without["h"] == pytest.approx(0.3 * 0.316249, abs=5e-7)
    assert without.keys() == found.keys() == SCORES.keys()


DOCNOS = [f"d{number:02}" for number in range(14)]
GRAPHS = st.lists(
    st.tuples(st.sampled_from([*DOCNOS, *["d00"] * 8]), st.sampled_from([*DOCNOS, *["d01"] * 8, *["d02"] * 4])),
    max_size=45,
)
LISTS = st.dictionaries(
    st.sampled_from([*DOCNOS[:9], "unknown1", "unknown2"]),
    st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0]),
    min_size=1,
    max_size=9,
)
QUERIES = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), LISTS, min_size=1)
PARAMETERS = st.fixed_dictionaries(
    {
        "k": st.integers(1, 6),
        "beta": st.sampled_from([0.0, 0.3, 0.9, 2.5]),
        "small_degree": st.sampled_from(["paper", "one"]),
        "direction": st.sampled_from(["out", "in", "both"]),
    }
)
BY_SCORER = {docno: (7 * place % 11) / 10 for place, docno in enumerate(DOCNOS)}


def some_known(lists: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Every list has one provision of the graph: a list without any is refused."""
    return {qid: {"d13": 0.25, **scores} for qid, scores in lists.items()}


@given(GRAPHS, QUERIES, PARAMETERS, st.booleans())
def test_scores_are_those_of_the_plain_loop(links, lists, parameters, scored: bool) -> None:
    lists, scorer = some_known(lists), Says(BY_SCORER)
    graph = CitationGraph.from_links(links, DOCNOS)
    found = SAR(graph, scorer=scorer if scored else None, **parameters)(frame_of(lists))
    ahead, back = neighbours(links, parameters["direction"])
    rest = {name: value for name, value in parameters.items() if name != "direction"}
    say = BY_SCORER.__getitem__ if scored else lambda docno: 0.0
    missed = 0
    for qid, scores in lists.items():
        expected = plain_sar(scores, ahead, back, scorer=lambda docno: min(1.0, say(docno)), **rest)
        assert scores_of(found, qid) == pytest.approx(expected, rel=1e-12, abs=1e-15)
        missed += len(expected) - len(scores)
    assert [len(pairs) for pairs in scorer.asked] == ([missed] if scored and missed else [])


@given(GRAPHS, QUERIES)
def test_without_beta_no_score_of_the_list_changes(links, lists) -> None:
    lists = some_known(lists)
    found = SAR(CitationGraph.from_links(links, DOCNOS), beta=0, scorer=Says(BY_SCORER))(frame_of(lists))
    for qid, scores in lists.items():
        after = scores_of(found, qid)
        assert {docno: after[docno] for docno in scores} == scores
        assert {docno: after[docno] for docno in after.keys() - scores} == {
            docno: min(1.0, BY_SCORER[docno]) for docno in after.keys() - scores
        }


@given(
    GRAPHS,
    QUERIES,
    st.sampled_from([1.0, 64.0]),
    st.sampled_from([1.0, 0.125, 1024.0]),
    st.sampled_from(["minmax", "max"]),
)
def test_list_and_scorer_may_have_any_scale_of_their_own(
    links, lists, factor: float, other_factor: float, name
) -> None:
    """Both ends of either scale are known: factors, here powers of 2, which round nothing, cancel out."""
    lists, graph = some_known(lists), CitationGraph.from_links(links, DOCNOS)
    lists = {qid: {docno: round(score, 3) for docno, score in scores.items()} for qid, scores in lists.items()}
    scaled = {qid: {docno: score * factor for docno, score in scores.items()} for qid, scores in lists.items()}
    one = SAR(graph, normalize=name, scorer=Says(BY_SCORER))(frame_of(lists))
    other = SAR(graph, normalize=name, scorer=Says(BY_SCORER, other_factor))(frame_of(scaled))
    for qid in lists:
        assert scores_of(one, qid) == scores_of(other, qid)


def test_a_scorer_of_another_scale_by_hand() -> None:
    """The list runs from 0.01 to 0.03, the scorer says 2 to 6 of the same and 5 of what it lacks: S = 3/4."""
    graph = CitationGraph.from_links([("a", "c"), ("a", "d")], ["a", "b", "c", "d"])
    scorer = Says({"a": 2.0, "b": 6.0, "c": 5.0, "d": 99.0})
    found = scores_of(SAR(graph, beta=0, normalize="minmax", scorer=scorer)(frame_of({"q": {"a": 0.03, "b": 0.01}})))
    assert found == {"a": 1.0, "b": 0.0, "c": 0.75, "d": 1.0}
    assert [sorted(pairs) for pairs in scorer.asked] == [[("q", docno) for docno in "abcd"]]


def test_the_scorer_of_the_list_itself_goes_on_where_the_list_ends() -> None:
    graph = CitationGraph.from_links([("a", "c"), ("b", "d")], ["a", "b", "c", "d", "e"])
    scores = {"a": 30.0, "b": 20.0, "c": 12.0, "e": 10.0, "d": 4.0}
    first = {docno: scores[docno] for docno in ("a", "b", "e")}
    found = scores_of(SAR(graph, beta=0, normalize="minmax", scorer=Says(scores))(frame_of({"q": first})))
    assert found == {"a": 1.0, "b": 0.5, "c": 0.1, "d": 0.0, "e": 0.0}
    found = scores_of(SAR(graph, beta=0, normalize="max", scorer=Says(scores))(frame_of({"q": first})))
    assert found == {docno: score / 30 for docno, score in scores.items()}


@given(GRAPHS, LISTS, st.integers(0, 5))
def test_frozen_ones_stay_on_top_in_their_order(links, scores, freeze) -> None:
    scores = {"d13": 0.25, **{docno: round(score, 3) for docno, score in scores.items()}}
    graph = CitationGraph.from_links(links, DOCNOS)
    frame = frame_of({"q": scores})
    free = scores_of(SAR(graph, k=3, scorer=Says(BY_SCORER))(frame))
    found = list(scores_of(SAR(graph, k=3, freeze=freeze, scorer=Says(BY_SCORER))(frame)).items())
    first = sorted(scores, key=lambda docno: (-scores[docno], docno))
    frozen = first[:freeze]
    assert [docno for docno, _ in found[: len(frozen)]] == frozen
    assert dict(found[len(frozen) :]) == {docno: free[docno] for docno in free if docno not in frozen}


@given(GRAPHS, QUERIES, st.integers(1, 14), st.sampled_from(["out", "in", "both"]))
def test_the_pool_is_filled_as_the_released_code_does(links, lists, pool: int, direction: Direction) -> None:
    lists = some_known(lists)
    ahead, _ = neighbours(links, direction)
    options: dict[str, Any] = {"k": 3, "scorer": Says(BY_SCORER), "direction": direction}
    graph = CitationGraph.from_links(links, DOCNOS)
    free = SAR(graph, **options)(frame_of(lists))
    capped = SAR(graph, **options, pool=pool)(frame_of(lists))
    for qid, scores in lists.items():
        gathered = plain_pool(scores, ahead, 3, pool)
        assert scores_of(capped, qid) == {docno: s for docno, s in scores_of(free, qid).items() if docno in gathered}
