"""``% k`` becomes part of the component on its left where that changes nothing, and stays a step elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pyterrier as pt
import pytest
from composition_material import PIPELINES, QUERIES

from legalir.collection.collection import Collection
from legalir.dense.index import DenseRetriever
from legalir.explanation import explain
from legalir.frames.component import Cuttable
from legalir.fuse.fuser import Fuser
from legalir.fuse.linear import LinearFusion
from legalir.fuse.rrf import RRF, WeightedRRF
from legalir.graph.expander import Expander
from legalir.graph.link_expansion import LinkExpansion
from legalir.graph.nitilink import NitiLink
from legalir.lexical.retriever import SparseRetriever

FUSED = {
    "bm25": SparseRetriever,
    "lsa": DenseRetriever,
    "rrf(bm25, lsa)": RRF,
    "wrrf(bm25, lsa, weights=[0.1, 0.9])": WeightedRRF,
    "linear(bm25, lsa, weights=[1, 2])": LinearFusion,
    "nitilink(depth=2)": NitiLink,
    "links": LinkExpansion,
    "rocchio(index=lsa)": Cuttable,
    "rocchio(index=bm25)": Cuttable,
}
"""What finds its best results itself."""

WHOLE = ("sar", "family", 'rocchio(index=lsa, mode="candidate")', 'rocchio(index=bm25, mode="candidate")')
"""What scores the whole list before it knows the best of it."""


def steps(system: pt.Transformer) -> list[pt.Transformer]:
    return list(system) if isinstance(system, pt.Compose) else [system]


@pytest.fixture(name="frame_for")
def frame_for_a_component(collection: Collection) -> Callable[[str], pd.DataFrame]:
    """Return what a component is to be given: results, or queries where it is a retriever or a fuser."""

    def make(expression: str) -> pd.DataFrame:
        begins = isinstance(collection.pipeline(expression), SparseRetriever | DenseRetriever | Fuser)
        return QUERIES if begins else collection.pipeline("tfidf % 40")(QUERIES)

    return make


@pytest.mark.parametrize("k", [2, 5000])
@pytest.mark.parametrize("expression", FUSED)
def test_cut_while_it_is_made(
    collection: Collection, frame_for: Callable[[str], pd.DataFrame], expression: str, k: int
) -> None:
    component, inp = collection.pipeline(expression), frame_for(expression)
    compiled = (component % k).compile()
    assert isinstance(compiled, FUSED[expression])
    assert isinstance(compiled, Cuttable)
    assert compiled.num_results == (k if component.num_results is None else min(k, component.num_results))
    pd.testing.assert_frame_equal(compiled(inp), (component % k)(inp))
    assert (compiled == component) == (compiled.num_results == component.num_results)
    assert (repr(compiled) == repr(component)) == (compiled == component)
    assert (component % 3 % k).compile() == (component % k % 3).compile() == (component % min(k, 3)).compile()
    rebuilt = pt.inspect.transformer_apply_attributes(component, num_results=compiled.num_results)
    assert rebuilt == compiled
    assert hash(rebuilt) == hash(compiled)


@pytest.mark.parametrize("expression", ["bm25", "rrf(bm25, lsa)", "links"])
def test_a_cutoff_that_keeps_nothing_stays(
    collection: Collection, frame_for: Callable[[str], pd.DataFrame], expression: str
) -> None:
    component, inp = collection.pipeline(expression), frame_for(expression)
    for k in (0, -1):
        compiled = (component % k).compile()
        assert steps(compiled) == [component, pt.RankCutoff(k)]
        pd.testing.assert_frame_equal(compiled(inp), (component % k)(inp))
        assert len(compiled(inp)) == 0


@pytest.mark.parametrize("expression", WHOLE)
def test_a_cutoff_stays_where_the_whole_list_counts(collection: Collection, expression: str) -> None:
    first, component = collection.pipeline("tfidf % 40"), collection.pipeline(expression)
    compiled = (first >> component % 5).compile()
    assert steps(compiled) == [collection.pipeline("tfidf(num_results=40)"), component, pt.RankCutoff(5)]
    expected = (first >> component % 5)(QUERIES)
    pd.testing.assert_frame_equal(compiled(QUERIES), expected)
    cut_early = collection.pipeline("tfidf % 5") >> component
    assert expected["score"].tolist() != cut_early(QUERIES)["score"].tolist(), "a cut before it would show"


def test_rewriting_has_nothing_to_cut(collection: Collection) -> None:
    compiled = collection.pipeline("focus(over=10) >> bm25 % 4 >> links % 3").compile()
    assert [type(step).__name__ for step in steps(compiled)] == ["Focus", "BM25", "LinkExpansion"]
    assert [step.num_results for step in steps(compiled)[1:]] == [4, 3]
    assert not isinstance(steps(compiled)[0], pt.transformer.SupportsFuseRankCutoff)
    for scorer in (collection.sparse().bm25().scorer(), collection.dense().scorer()):
        assert not isinstance(scorer, pt.transformer.SupportsFuseRankCutoff)


def test_lists_that_are_fused_keep_their_lengths(collection: Collection) -> None:
    """A document that is third in both lists may be first of the fused one: only cutoffs of the lists cut them."""
    compiled = collection.pipeline("rrf(bm25 % 50, lsa, tfidf % 30 >> nitilink % 60) % 10").compile()
    assert isinstance(compiled, RRF)
    assert compiled.num_results == 10
    bm25, lsa, expanded = compiled.pipelines
    assert (bm25.num_results, lsa.num_results) == (50, 1000)
    assert [step.num_results for step in expanded] == [30, 60]
    assert ("num_results=10" in repr(compiled), "num_results=None" in repr(compiled)) == (True, False)
    pd.testing.assert_frame_equal(
        compiled(QUERIES), collection.pipeline("rrf(bm25 % 50, lsa, tfidf % 30 >> nitilink % 60) % 10")(QUERIES)
    )


def test_nothing_is_walked_beyond_the_cutoff(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    visited: list[int] = []
    placing = NitiLink.placing

    def counted(self: NitiLink, neighbours: Callable[[int], list[int]]) -> object:
        return placing(self, lambda node: visited.append(node) or neighbours(node))  # type: ignore[func-returns-value]

    monkeypatch.setattr(NitiLink, "placing", counted)
    found = collection.pipeline('bm25("jamo3") % 100')(QUERIES.head(1))
    whole = collection.pipeline("nitilink % 4")
    whole(found)
    all_visits = len(visited)
    visited.clear()
    whole.compile()(found)
    assert 1 <= len(visited) <= 4 < 100 <= all_visits


def test_fewer_rows_are_made(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    ranked = Fuser._ranked

    def counted(self: Fuser, *arguments: object) -> object:
        out = ranked(self, *arguments)  # type: ignore[arg-type]
        made.append(len(out[0]))
        return out

    monkeypatch.setattr(Fuser, "_ranked", counted)
    system = collection.pipeline("rrf(bm25, lsa) % 5")
    system(QUERIES)
    system.compile()(QUERIES)
    assert made[1] == 15 < made[0]


@pytest.mark.parametrize("expression", PIPELINES)
def test_compiled_pipelines_say_the_same(collection: Collection, expression: str) -> None:
    system = collection.pipeline(f"{expression} % 6")
    compiled = system.compile()
    assert compiled.compile() == compiled
    pd.testing.assert_frame_equal(compiled(QUERIES), system(QUERIES))
    best = compiled(QUERIES.head(1))["docno"].tolist()
    explained, expected = (explain(one, QUERIES.head(1), best) for one in (compiled, system))
    assert [(one.docno, one.score) for one in explained] == [(one.docno, one.score) for one in expected]


@pytest.mark.parametrize("expression", ["rrf(bm25, lsa)", "linear(bm25, lsa, weights=[1, 2])"])
def test_what_was_cut_is_not_explained(collection: Collection, expression: str) -> None:
    component = collection.pipeline(expression)
    second = component(QUERIES.head(1))["docno"].iloc[1]
    assert isinstance(component, Fuser)
    assert component.explain(QUERIES.head(1), [second], lambda docnos: {})
    assert not (component % 1).compile().explain(QUERIES.head(1), [second], lambda docnos: {})


def test_a_component_of_others_that_knows_no_number_of_results_is_not_cut(collection: Collection) -> None:
    class Own(Expander):
        name = "own"

        def __init__(self, graph: object) -> None:
            self.graph = graph  # type: ignore[assignment]

    own = Own(collection.graph)
    assert steps((own % 3).compile()) == [own, pt.RankCutoff(3)]
