"""NitiLink and LinkExpansion: what is placed, and where."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from list_frames import check_ranked, frame_of, of

from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, explain
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.expander import Expander
from legalir.graph.link_expansion import LinkExpansion
from legalir.graph.nitilink import NitiLink

WORKED = [("A", "B"), ("A", "C"), ("B", "C"), ("C", "D")]
GRAPH = CitationGraph.from_links(WORKED, "ABCDEFG")
DOCNOS = "abcdefgh"


def placed(expander: Expander, scores: dict[str, float]) -> list[str]:
    found = expander(frame_of({"q": scores}))
    check_ranked(found)
    assert found["score"].tolist() == [1 / place for place in range(1, len(found) + 1)]
    return found["docno"].tolist()


@pytest.mark.parametrize(
    ("depth", "order", "expected"),
    [(2, "dfs", "ABC"), (2, "bfs", "ABCD"), (1, "dfs", "ABC"), (1, "bfs", "ABC"), (0, "dfs", "A")],
)
def test_the_worked_example(depth: int, order: str, expected: str) -> None:
    assert placed(NitiLink(GRAPH, depth, order), {"A": 1.0}) == list(expected)  # type: ignore[arg-type]


def test_what_is_cited_follows_who_cites_it() -> None:
    assert placed(NitiLink(GRAPH), {"E": 3.0, "B": 2.0, "F": 1.0, "A": 0.5}) == list("EBCFA")
    assert placed(NitiLink(GRAPH), {"E": 3.0, "A": 2.0, "D": 1.0, "C": 0.5}) == list("EABCD")


def test_a_root_that_was_placed_still_leads_on() -> None:
    """One visited set a root: A's walk places C and stops there; C's own walk goes on to D."""
    assert placed(NitiLink(GRAPH), {"A": 3.0, "C": 2.0}) == list("ABCD")


def test_unknown_provisions_keep_their_places() -> None:
    assert placed(NitiLink(GRAPH), {"x": 3.0, "B": 2.0, "y": 1.0}) == ["x", "B", "C", "y"]
    assert placed(LinkExpansion(GRAPH, 2), {"x": 3.0, "B": 2.0, "y": 1.0}) == ["x", "B", "C"]


def test_the_best_and_all_that_they_cite() -> None:
    scores = {"B": 5.0, "A": 4.0, "E": 3.0, "F": 2.0, "D": 1.0}
    assert placed(LinkExpansion(GRAPH, 2), scores) == list("BAC")
    assert placed(LinkExpansion(GRAPH, 1), {"A": 2.0, "E": 1.0}) == list("ABC")
    assert placed(LinkExpansion(GRAPH), scores) == list("BAEFDC")


SCORES = st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3).map(float), min_size=1)
EDGES = st.lists(st.tuples(st.sampled_from(DOCNOS), st.sampled_from(DOCNOS)), max_size=25)


@given(EDGES, SCORES, st.integers(0, 4), st.sampled_from(["dfs", "bfs"]))
def test_nitilink_by_definition(edges: list[tuple[str, str]], scores: dict[str, float], depth: int, order: str) -> None:
    graph = CitationGraph.from_links(edges, DOCNOS)
    expected: dict[str, None] = {}

    def visit(node: str, left: int, met: set[str]) -> None:
        met.add(node)
        expected.setdefault(node)
        for other in graph.cites(node) if left else []:
            if other not in met:
                visit(other, left - 1, met)

    for root in sorted(scores, key=lambda docno: (-scores[docno], docno)):
        if order == "dfs":
            visit(root, depth, set())
            continue
        ring, met = [root], {root}
        expected.setdefault(root)
        for _ in range(depth):
            ring = [n for n in dict.fromkeys(n for node in ring for n in graph.cites(node)) if n not in met]
            met |= set(ring)
            for node in ring:
                expected.setdefault(node)
    assert placed(NitiLink(graph, depth, order), scores) == list(expected)  # type: ignore[arg-type]


@given(EDGES, SCORES, st.integers(1, 5))
def test_link_expansion_by_definition(edges: list[tuple[str, str]], scores: dict[str, float], k: int) -> None:
    graph = CitationGraph.from_links(edges, DOCNOS)
    best = sorted(scores, key=lambda docno: (-scores[docno], docno))[:k]
    expected = dict.fromkeys([*best, *(target for docno in best for target in graph.cites(docno))])
    assert placed(LinkExpansion(graph, k), scores) == list(expected)


FRAME = frame_of({"q2": {"A": 1.0, "E": 0.5}, "q1": {"B": 0.5, "x": 0.5}, "q3": {"F": 7.0}})


def test_faults() -> None:
    for make, name in ((NitiLink, "nitilink"), (LinkExpansion, "links")):
        with pytest.raises(ComponentError, match=f"{name}: .*'A' .*'q2' is nan"):
            make(GRAPH)(FRAME.assign(score=float("nan")))  # type: ignore[operator]


@pytest.mark.parametrize("make", [NitiLink, LinkExpansion])
def test_isolated_provisions_are_treated_alike_alone_and_in_a_batch(
    make: type[Expander], caplog: pytest.LogCaptureFixture
) -> None:
    expander = make(CitationGraph.from_links([("A", "C")]))  # type: ignore[call-arg]
    frame = frame_of({"q1": {"A": 0.5}, "q2": {"x": 0.9, "y": 0.3}})
    batch = expander(frame)
    assert not caplog.records
    assert of(batch, "q2") == {"x": 1.0, "y": 0.5}
    alone = pd.concat([expander(frame[frame["qid"] == qid]) for qid in ("q1", "q2")], ignore_index=True)
    pd.testing.assert_frame_equal(alone, batch)
    (message,) = (message for message in caplog.messages if message.startswith(expander.name))
    assert message.startswith(f"{expander.name}: none of the 2 retrieved provisions (such as 'x') is in Ci")


class Given(pt.Transformer):
    """Returns a list that it was made with, and explains it."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return FRAME[FRAME["qid"] == "q2"].assign(qid=inp["qid"].iloc[0])

    def explain(self, inp: pd.DataFrame, docnos: list[str], upstream: object) -> dict[str, Explanation]:
        return {d: Explanation(d, s, "given", (Part("g", s),)) for d, s in of(FRAME, "q2").items() if d in docnos}


def test_explanations() -> None:
    found = {e.docno: e for e in explain(Given() >> NitiLink(GRAPH, 3), "질문")}
    assert list(found) == ["A", "B", "C", "D", "E"]
    assert all(explanation.is_whole() for explanation in found.values())
    (part,) = found["D"].parts
    assert part.label == "place 4, cited by A (rank 1) through C"
    assert part.detail == {"place": 4, "root": "A", "rank": 1, "parent": "C", "depth": 3}
    assert part.source is not None and (part.source.docno, part.source.label) == ("A", "given")
    assert found["B"].parts[0].label == "place 2, cited by A (rank 1)"
    assert found["E"].parts[0].label == "place 5, of rank 2"
    assert found["E"].score == 1 / 5
    assert found["E"].label == "NitiLink"
    (last,) = explain(Given() >> LinkExpansion(GRAPH, 1), "질문", ["C"])
    assert last.parts[0].label == "place 3, cited by A (rank 1)"
