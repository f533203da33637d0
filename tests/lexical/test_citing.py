"""The headings of those that cite a provision."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from legalir import datasets
from legalir.graph.citation_graph import CitationGraph
from legalir.lexical.citing import Citing


def citing(graph: CitationGraph, headings: dict[str, str], most: int = 40) -> Citing:
    return Citing(graph, graph.numbers(headings), np.array(list(headings.values()), dtype=object), most)


def fields(one: Citing, docnos: str = "abcde") -> dict[str, str]:
    return {docno: text for docno in docnos if (text := one.of(docno))}


def test_headings_come_by_docno_of_who_cites() -> None:
    links = [("c", "a"), ("b", "a"), ("b", "a", "again"), ("a", "a"), ("d", "a"), ("a", "b"), ("d", "c")]
    graph = CitationGraph.from_links(links, list("abcde"))
    headings = {"a": "목적", "b": "정의", "c": "벌칙", "d": ""}
    # c is cited by d alone, which has no heading, and e by nobody.
    assert fields(citing(graph, headings)) == {"a": "정의\n벌칙", "b": "목적"}
    assert fields(citing(graph, {**headings, "d": "과태료"}, most=2))["a"] == "정의\n벌칙"
    assert fields(citing(graph, {"d": "과태료"}, most=1)) == {"a": "과태료", "c": "과태료"}
    assert fields(citing(graph, {"z": "z"})) == {}


def test_at_most_forty() -> None:
    docnos = [f"d{number:02d}" for number in range(60)]
    graph = CitationGraph.from_links([(docno, "z") for docno in reversed(docnos)])
    assert citing(graph, {docno: docno for docno in docnos}).of("z") == "\n".join(docnos[:40])


def test_provisions_with_the_field(tmp_path: Path) -> None:
    rows = '{"docno": "a", "text": "조문", "heading": "목적"}\n{"docno": "b", "text": "조문"}\n'
    (tmp_path / "corpus.jsonl").write_text(rows, encoding="utf-8")
    graph = CitationGraph.from_links([("a", "b")])
    found = list(citing(graph, {"a": "목적", "b": ""}).add_to(datasets.load(tmp_path).docs()))
    assert [(row["doc_id"], row["text"], row["citing"]) for row in found] == [("a", "조문", ""), ("b", "조문", "목적")]
