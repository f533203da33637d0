"""The headings of those that cite a provision."""

from __future__ import annotations

from pathlib import Path

from legalir import datasets
from legalir.collection.indexes import citing_headings, with_citing
from legalir.graph.citation_graph import CitationGraph


def test_headings_come_by_docno_of_who_cites() -> None:
    links = [("c", "a"), ("b", "a"), ("b", "a", "again"), ("a", "a"), ("d", "a"), ("a", "b"), ("d", "c")]
    graph = CitationGraph.from_links(links, list("abcde"))
    headings = {"a": "목적", "b": "정의", "c": "벌칙", "d": ""}
    # c is cited by d alone, which has no heading, and e by nobody.
    assert citing_headings(graph, headings) == {"a": "정의\n벌칙", "b": "목적"}
    assert citing_headings(graph, {**headings, "d": "과태료"}, most=2)["a"] == "정의\n벌칙"
    assert citing_headings(graph, {"d": "과태료"}, most=1) == {"a": "과태료", "c": "과태료"}
    assert citing_headings(graph, {}) == {}


def test_at_most_forty() -> None:
    docnos = [f"d{number:02d}" for number in range(60)]
    graph = CitationGraph.from_links([(docno, "z") for docno in reversed(docnos)])
    found = citing_headings(graph, {docno: docno for docno in docnos})
    assert found == {"z": "\n".join(docnos[:40])}


def test_provisions_with_the_field(tmp_path: Path) -> None:
    rows = '{"docno": "a", "text": "조문", "heading": "목적"}\n{"docno": "b", "text": "조문"}\n'
    (tmp_path / "corpus.jsonl").write_text(rows, encoding="utf-8")
    source = datasets.load(tmp_path)
    nothing = CitationGraph.from_dataset(source)
    assert [row["citing"] for row in with_citing(source, nothing)] == ["", ""]
    (tmp_path / "links.tsv").write_text("a\tb\nb\ta\n", encoding="utf-8")
    source = datasets.load(tmp_path)
    found = list(with_citing(source, CitationGraph.from_dataset(source)))
    assert [(row["doc_id"], row["text"], row["citing"]) for row in found] == [("a", "조문", ""), ("b", "조문", "목적")]
