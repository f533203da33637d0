"""The citation graph: what it knows, saved and in memory."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import networkx
import numpy as np
import pyterrier as pt
import pytest
from hypothesis import given
from refusals import refused
from small_graph import KNOWN, LINKS, known_pairs

from legalir import datasets
from legalir.errors import DataError, DatasetNotFound
from legalir.graph.citation_graph import QUANTILES, CitationGraph

TRIPLES = [
    ("법-2", "법-1", "self"),
    ("령-1", "법-2", "family"),
    ("령-1", "법-1", "family"),
    ("법-1", "령-1", "family"),
    ("법-1", "법-1", "self"),
    ("법-2", "법-1", "family"),
    ("법-2", "없음", "external"),
]
DOCNOS = ["법-1", "법-2", "령-1", "홀로-1"]


@pytest.fixture(name="graph", params=["in memory", "saved"])
def made_graph(request: pytest.FixtureRequest, tmp_path: Path) -> CitationGraph:
    graph = CitationGraph.from_links(TRIPLES, DOCNOS)
    return graph if request.param == "in memory" else graph.save(tmp_path / "graph")


def test_who_cites_whom(graph: CitationGraph) -> None:
    assert graph.cites("령-1") == ["법-2", "법-1"]
    assert graph.cites("법-2") == ["법-1"]
    assert graph.cited_by("법-1") == ["령-1", "법-2"]
    assert graph.cites("홀로-1") == graph.cited_by("홀로-1") == []
    assert graph.docnos.tolist() == sorted(DOCNOS)
    assert len(graph) == 4
    assert graph.links_count() == 4
    assert "법-1" in graph
    assert "없음" not in graph
    assert 3 not in graph
    assert graph.numbers(["홀로-1", "없음", "령-1"]).tolist() == [3, -1, 0]


def test_an_unknown_docno_is_named(graph: CitationGraph) -> None:
    for ask in (graph.cites, graph.cited_by):
        with pytest.raises(DataError, match=r"'없음'.*4.*CitationGraph\("):
            ask("없음")


def test_links_come_back_as_they_were_given(graph: CitationGraph) -> None:
    assert sorted(graph.links()) == sorted(TRIPLES[:4])
    again = CitationGraph.from_links(graph.links(), graph.docnos)
    assert list(again.links()) == list(graph.links())


def test_the_report_counts_what_is_there_and_what_was_left_out(graph: CitationGraph) -> None:
    report = graph.report()
    assert (report.nodes, report.links, report.isolated) == (4, 4, 1)
    assert (report.components, report.largest_component) == (2, 3)
    assert report.kinds == {"self": 1, "family": 3, "external": 0}
    assert (report.self_loops, report.duplicates, report.dangling, report.unknown) == (1, 1, 1, ("없음",))
    assert report.out_degrees == tuple(np.quantile([1, 1, 2, 0], QUANTILES))
    assert report.in_degrees == tuple(np.quantile([2, 1, 1, 0], QUANTILES))
    assert str(report).splitlines()[0] == "4 provisions, 4 links (1 self, 3 family, 0 external)"
    assert str(report).splitlines()[-1] == "left out: 1 self-loops, 1 duplicates, 1 dangling (없음, …)"


def test_the_view_of_networkx(graph: CitationGraph) -> None:
    view = graph.to_networkx()
    assert isinstance(view, networkx.DiGraph)
    assert set(view.nodes) == set(DOCNOS)
    assert {(s, t, kind) for s, t, kind in view.edges.data("kind")} == set(TRIPLES[:4])


def test_an_empty_graph(tmp_path: Path) -> None:
    for graph in (CitationGraph.from_links([]), CitationGraph.from_links([]).save(tmp_path / "empty")):
        assert len(graph) == graph.links_count() == 0
        report = graph.report()
        assert (report.components, report.largest_component, report.out_degrees[-1]) == (0, 0, 0.0)
        assert graph.to_networkx().number_of_nodes() == 0
    assert len(CitationGraph.from_links([], ["a"])) == 1


@given(LINKS)
def test_both_directions_and_the_report_agree_with_networkx(links: list[tuple[str, str, str]]) -> None:
    graph = CitationGraph.from_links(links, KNOWN)
    plain = networkx.DiGraph()
    plain.add_nodes_from(KNOWN)
    plain.add_edges_from(known_pairs(links))
    for docno in KNOWN:
        assert sorted(graph.cites(docno)) == sorted(plain.successors(docno))
        assert graph.cited_by(docno) == sorted(plain.predecessors(docno))
    assert {(s, t): kind for s, t, kind in graph.links()} == known_pairs(links)
    report = graph.report()
    sizes = [len(component) for component in networkx.weakly_connected_components(plain)]
    assert (report.components, report.largest_component) == (len(sizes), max(sizes))
    assert report.links + report.self_loops + report.dangling + report.duplicates == len(links)


def test_identity(tmp_path: Path) -> None:
    one, other = CitationGraph.from_links(TRIPLES, DOCNOS), CitationGraph.from_links(TRIPLES, reversed(DOCNOS))
    assert one == other
    assert hash(one) == hash(other)
    assert one != CitationGraph.from_links(TRIPLES)
    assert one != CitationGraph.from_links([*TRIPLES[:3], ("법-1", "령-1", "self")], DOCNOS)
    saved = one.save(tmp_path / "a")
    assert saved == CitationGraph(tmp_path / "a")
    assert hash(saved) == hash(CitationGraph(tmp_path / "a"))
    assert saved != one.save(tmp_path / "b")
    assert saved != one
    assert saved.fingerprint() == one.fingerprint()
    assert repr(saved) == f"CitationGraph({str(tmp_path / 'a')!r})"
    assert repr(one) == f"CitationGraph(<4 provisions, 4 links, {one.fingerprint()[:8]}>)"
    assert CitationGraph("nowhere") == CitationGraph("nowhere")
    assert one != "graph"


def test_it_is_an_artifact_of_pyterrier(tmp_path: Path) -> None:
    CitationGraph.from_links(TRIPLES).save(tmp_path / "graph")
    loaded = pt.Artifact.load(str(tmp_path / "graph"))
    assert isinstance(loaded, CitationGraph)
    assert loaded.cites("법-2") == ["법-1", "없음"]


def test_a_graph_of_a_dataset_has_all_its_provisions(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        "".join(f'{{"docno": "{docno}", "text": "조문"}}\n' for docno in DOCNOS), encoding="utf-8"
    )
    (tmp_path / "links.tsv").write_text("".join("\t".join(triple) + "\n" for triple in TRIPLES), encoding="utf-8")
    made = CitationGraph.from_links(TRIPLES, DOCNOS)
    for given_as in (tmp_path, str(tmp_path), datasets.load(tmp_path)):
        graph = CitationGraph.from_dataset(given_as)
        assert graph == made
        assert graph.facts["corpus"] == datasets.load(tmp_path).fingerprint()
        assert graph.save(tmp_path / "graph").facts["corpus"] == datasets.load(tmp_path).fingerprint()
    with pytest.raises(DatasetNotFound):
        CitationGraph.from_dataset("legalir/nothing")


def test_a_graph_of_the_bundled_collection() -> None:
    graph = CitationGraph.from_dataset("legalir/firecode")
    source = datasets.load("legalir/firecode")
    assert len(graph) == source.docs_count()
    links = set(source.links())
    assert set(graph.links()) <= links
    report = graph.report()
    assert report.links + report.self_loops + report.duplicates + report.dangling == len(list(source.links()))


def test_a_graph_of_neighbours() -> None:
    vectors = np.array([[1, 0], [0.6, 0.8], [0, 1], [0.8, 0.6]], dtype=np.float32)
    index = SimpleNamespace(vectors=vectors, docnos=np.array(["z", "a", "m", "b"], dtype=object))
    graph = CitationGraph.cosine_knn(index, k=2)
    assert graph.cites("z") == ["b", "a"]
    assert graph.cites("m") == ["a", "b"]
    assert set(graph.report().kinds) == {"cosine"}
    for k in (0, -1, 1.5, True):
        with refused("cosine_knn", "k", k):
            CitationGraph.cosine_knn(index, k=k)  # type: ignore[arg-type]
