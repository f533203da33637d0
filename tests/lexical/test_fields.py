"""The field index: which field of which document holds a term how often, and what it refuses."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from legalir.analysis.analyzer import get_analyzer
from legalir.datasets import Provision
from legalir.errors import ArtifactError, ComponentError
from legalir.graph.citation_graph import CitationGraph
from legalir.lexical import term_index
from legalir.lexical.bm25f import FIELDS, FieldIndex, with_citing
from legalir.lexical.sparse import SparseIndex
from legalir.storage import documents as documents_module

DOCUMENTS = [
    {"docno": "법-2", "title": "소방시설법 제2조", "text": "무창층이란 층을 말한다. " * 90, "path": "제1장 총칙"},
    {"docno": "령-11", "title": "", "text": "스프링클러는 무창층에 둔다.", "citing": "무창층의 기준\n무창층"},
    {"docno": "빈-1"},
    {"doc_id": "th-1", "title": None, "path": "무창층", "law": "아무 법"},
]


@pytest.mark.parametrize("analyzer", ["char2", "jamo4", "whitespace"])
@pytest.mark.parametrize(("batch", "block"), [(1, 1), (60, 7), (1_000_000, 2_000_000)])
def test_it_holds_what_the_analyzer_says_of_each_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyzer: str, batch: int, block: int
) -> None:
    monkeypatch.setattr(documents_module, "_BATCH_CHARACTERS", batch)
    monkeypatch.setattr(term_index, "_MERGE", block)
    index = FieldIndex(tmp_path / "index", analyzer=analyzer).index(DOCUMENTS)
    terms_of = get_analyzer(analyzer).terms
    expected = [{field: Counter(terms_of(row.get(field) or "")) for field in FIELDS} for row in DOCUMENTS]
    terms = sorted({term for fields in expected for counts in fields.values() for term in counts})
    assert list(index.terms) == terms
    assert index.docnos.tolist() == ["법-2", "령-11", "빈-1", "th-1"]
    assert index.lengths.tolist() == [[counts.total() for counts in fields.values()] for fields in expected]
    assert len(index) == 4
    for number, term in enumerate(terms):
        first, last = index.indptr[number : number + 2]
        held = [row for row, fields in enumerate(expected) if any(term in counts for counts in fields.values())]
        assert index.documents[first:last].tolist() == held
        for field in FIELDS:
            assert index.frequencies(field)[first:last].tolist() == [expected[row][field][term] for row in held]
        own = [row for row in held if term in expected[row]["title"] or term in expected[row]["text"]]
        assert index.df[number] == len(own)
    assert index.frequencies("title").dtype == np.uint8


def test_the_manifest_says_how_it_was_made(tmp_path: Path) -> None:
    index = FieldIndex(tmp_path / "index", "char2").index(iter(DOCUMENTS), corpus="c0ffee", links="beef")
    analyzer = {"name": "char2", "fingerprint": get_analyzer("char2").fingerprint}
    facts = {
        "scripts": {"Hangul": 1.0},
        "fields": list(FIELDS),
        "documents": 4,
        "terms": len(index.terms),
        "corpus": "c0ffee",
        "links": "beef",
    }
    assert index.manifest.facts == {"analyzer": analyzer, **facts}
    assert index.manifest.kind == "field_index"
    assert FieldIndex(tmp_path / "index").fingerprint() == index.fingerprint()


def test_occurrences(tmp_path: Path) -> None:
    index = FieldIndex(tmp_path / "index", analyzer="whitespace").index(
        [{"docno": "a", "title": "법", "text": "법 법 령", "citing": "법"}, {"docno": "b", "path": "법"}]
    )
    term = index.terms.find("법")
    first = int(index.indptr[term])
    assert index.occurrences(term, first) == {
        "in_document": 4,
        "documents": 1,
        "fields": {"title": 1, "text": 2, "citing": 1},
    }
    assert index.occurrences(term, first, ["title", "path"])["in_document"] == 1


def test_what_is_no_document_is_refused(tmp_path: Path) -> None:
    index = FieldIndex(tmp_path / "index")
    with pytest.raises(ComponentError, match=r"path.*nan"):
        index.index([{"docno": "a", "path": float("nan")}])
    with pytest.raises(ComponentError, match="The docno 'a' occurs twice"):
        index.index([{"docno": "a"}, {"docno": "a"}])
    with pytest.raises(ComponentError, match="A document has no docno"):
        index.index([{"text": "법"}])
    assert not index.built()


def test_what_stands_at_the_path_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(ArtifactError, match="There is no index at"):
        _ = FieldIndex(path).manifest
    FieldIndex(path, "char2").index(DOCUMENTS)
    with pytest.raises(ArtifactError, match=r"char2 .*jamo4"):
        _ = FieldIndex(path, analyzer="jamo4").manifest
    with pytest.raises(ArtifactError, match="sparse_index"):
        SparseIndex(path).index(DOCUMENTS)
    (file,) = path.glob("data-*/frequencies.citing.npy")
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ArtifactError, match=r"frequencies\.citing\.npy"):
        _ = FieldIndex(path).manifest


def citing(links: list[tuple[str, ...]], headings: dict[str, str], most: int = 40) -> dict[str, str]:
    """Return the field ``citing`` of the provisions that are cited by one with a heading."""
    graph = CitationGraph.from_links(links, sorted(headings))
    records = [Provision(doc_id=docno, text="조문") for docno in headings]
    rows = with_citing(records, graph, graph.numbers(headings), np.array(list(headings.values()), dtype=object), most)
    return {row["doc_id"]: row["citing"] for row in rows if row["citing"]}


def test_headings_come_by_docno_of_the_citing_provision() -> None:
    links = [("c", "a"), ("b", "a"), ("b", "a", "again"), ("a", "a"), ("d", "a"), ("a", "b"), ("d", "c")]
    headings = {"c": "벌칙", "a": "목적", "b": "정의", "d": "", "e": ""}
    # c is cited by d alone, which has no heading, and e by nobody.
    assert citing(links, headings) == {"a": "정의\n벌칙", "b": "목적"}
    assert citing(links, {**headings, "d": "과태료"}, most=2)["a"] == "정의\n벌칙"
    assert citing(links, {**dict.fromkeys("abce", ""), "d": "과태료"}, most=1) == {"a": "과태료", "c": "과태료"}


def test_at_most_forty_headings() -> None:
    docnos = [f"d{number:02d}" for number in range(60)]
    headings = {**{docno: docno for docno in docnos}, "z": ""}
    assert citing([(docno, "z") for docno in reversed(docnos)], headings) == {"z": "\n".join(docnos[:40])}


def test_a_provision_keeps_its_other_fields() -> None:
    (row,) = with_citing(
        [Provision(doc_id="a", text="조문")],
        CitationGraph.from_links([], ["a"]),
        np.array([0]),
        np.array(["목적"], dtype=object),
    )
    assert row == {**Provision(doc_id="a", text="조문")._asdict(), "citing": ""}
