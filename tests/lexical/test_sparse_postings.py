"""The sparse index as a whole: what it holds, and which documents it refuses."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from small_index import DOCUMENTS, OTHERS, answers, scratch

import legalir
from legalir.analysis.analyzer import get_analyzer
from legalir.analysis.language import scripts
from legalir.analysis.ngrams import NGrams
from legalir.datasets.records import Provision
from legalir.errors import ComponentError
from legalir.lexical.bm25f import FieldIndex
from legalir.lexical.sparse import SparseIndex
from legalir.storage import documents as documents_module
from legalir.storage.documents import INDEXED_TEXT, indexed_text


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"title": "제1조", "text": "이 법은"}, "제1조\n이 법은"),
        ({"title": "", "text": "이 법은"}, "이 법은"),
        ({"title": None, "text": "이 법은"}, "이 법은"),
        ({"text": "이 법은"}, "이 법은"),
        ({"title": "제1조"}, "제1조\n"),
        ({"title": "제1조", "text": None}, "제1조\n"),
        ({}, ""),
    ],
)
def test_what_is_indexed(document: dict[str, str], text: str) -> None:
    assert indexed_text(document) == text


def test_what_is_indexed_is_the_default_text_of_a_provision() -> None:
    for provision in (Provision("d", "제1조", "이 법은"), Provision("d", "", "이 법은"), Provision("d", "제1조")):
        assert indexed_text(provision._asdict()) == provision.default_text()


@pytest.mark.parametrize("analyzer", ["jamo3", "char2", "whitespace"])
@pytest.mark.parametrize("batch", [1, 50, 1_000_000])
def test_the_index_holds_what_the_analyzer_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyzer: str, batch: int
) -> None:
    monkeypatch.setattr(documents_module, "_BATCH_CHARACTERS", batch)
    index = SparseIndex(tmp_path / "index", analyzer=analyzer).index(DOCUMENTS)
    expected = [Counter(get_analyzer(analyzer).terms(indexed_text(document))) for document in DOCUMENTS]
    terms = sorted(set().union(*expected))
    assert list(index.terms) == terms
    assert index.docnos.tolist() == [document["docno"] for document in DOCUMENTS]
    assert index.lengths.tolist() == [counts.total() for counts in expected]
    assert len(index) == len(DOCUMENTS)
    ascending = sorted(index.docnos)
    assert index.order.tolist() == [ascending.index(docno) for docno in index.docnos]
    for number, term in enumerate(terms):
        postings = slice(index.indptr[number], index.indptr[number + 1])
        found = dict(zip(index.documents[postings].tolist(), index.frequencies[postings].tolist(), strict=True))
        assert found == {i: counts[term] for i, counts in enumerate(expected) if term in counts}
        assert (np.diff(index.documents[postings]) > 0).all()


def test_the_manifest_says_how_it_was_made(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "index", analyzer="char2").index(iter(DOCUMENTS), corpus="c0ffee")
    analyzer = {"name": "char2", "fingerprint": NGrams("char", 2).fingerprint}
    assert index.manifest.facts == {
        "analyzer": analyzer,
        "scripts": {script: round(share, 4) for script, share in scripts(map(indexed_text, DOCUMENTS)).items()},
        "indexed": INDEXED_TEXT,
        "documents": len(DOCUMENTS),
        "terms": len(index.terms),
        "corpus": "c0ffee",
    }
    assert (index.manifest.kind, index.manifest.version) == ("sparse_index", 3)


@pytest.mark.parametrize("make", [SparseIndex, FieldIndex])
def test_an_index_of_words_of_a_script_without_spaces_warns_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, make: type[SparseIndex | FieldIndex]
) -> None:
    # 5, 6 and 3 letters are Thai, 7 are Latin; the mark in the last word of Thai is none.
    document = {"docno": "a", "text": "มาตรา กฎหมาย ภาษี act, code"}
    for analyzer in ("whitespace", "word(lang='th')"):
        place = tmp_path / analyzer
        index = make(place, analyzer).index([document])
        _ = index.manifest
        assert [one.getMessage() for one in caplog.records] == [
            f"{place}: the analyzer {analyzer} looks for words between spaces, and the letters are 67% Thai, "
            'where no spaces stand between words: use analyzer="auto" or "char2".'
        ]
        caplog.clear()
        _ = make(place).manifest
        assert caplog.records == []


def test_other_indexes_do_not_warn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number, (analyzer, text) in enumerate(
        [("auto", "กฎหมาย"), ("char2", "กฎหมาย"), ("word", "법령 law"), ("word", "law " * 20 + "法"), ("word", "12")]
    ):
        _ = SparseIndex(tmp_path / str(number), analyzer).index([{"docno": "a", "text": text}]).manifest
    assert caplog.records == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"text": "법"}, "A document has no docno; its fields are text"),
        ({"docno": "", "text": "법"}, "A document has no docno; its fields are docno, text"),
        ({"docno": None, "text": "법"}, "A document has no docno"),
        ({"docno": 3, "text": "법"}, r"docno must be a string, got 3 \(int\): write '3'"),
        ({"docno": "법 2", "text": "법"}, "docno '법 2' holds white space .* would break a TREC file: write _"),
        ({"docno": "법\n", "text": "법"}, "would break a TREC file"),
        ({"docno": "법-2", "text": "법"}, "The docno '법-2' occurs twice: give each document its own"),
        ({"docno": "d", "text": math.nan}, "text of a document must be a string, got nan: give a string"),
        ({"docno": "d", "title": math.nan, "text": "법"}, "title of a document must be a string, got nan"),
        ({"docno": "d", "text": ["법"]}, "text of a document must be a string, got \\['법'\\]"),
    ],
)
def test_documents_that_are_refused(tmp_path: Path, document: dict[str, object], message: str) -> None:
    index = SparseIndex(tmp_path / "index").index(DOCUMENTS)
    before = answers(index)
    with pytest.raises(ComponentError, match=message):
        index.index([*DOCUMENTS, document])
    assert answers(index) == answers(SparseIndex(tmp_path / "index")) == before
    assert scratch(tmp_path / "index") == []


def test_an_error_in_the_documents_comes_through(tmp_path: Path) -> None:
    def documents() -> object:
        yield DOCUMENTS[0]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        SparseIndex(tmp_path / "index").index(documents())  # type: ignore[arg-type]
    assert not SparseIndex(tmp_path / "index").built()
    assert scratch(tmp_path / "index") == []


def test_an_empty_collection(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "index").index([])
    assert len(index) == 0
    assert list(index.terms) == []
    for retriever in (index.bm25(), index.tfidf()):
        assert list(retriever.search("무창층").columns) == ["qid", "query", "docno", "score", "rank"]
        assert len(retriever.search("무창층")) == 0
    assert len(SparseIndex(tmp_path / "index").index(DOCUMENTS)) == len(DOCUMENTS)


def test_strange_documents_come_back_as_they_are(tmp_path: Path) -> None:
    docnos = ["a\x00", "a", "제1조", "\ud800", "🔥", "a" * 10_000]
    documents = [{"docno": docno, "text": f"공통 \x00\ud800{number}번"} for number, docno in enumerate(docnos)]
    for analyzer in ("jamo3", "whitespace"):
        index = SparseIndex(tmp_path / analyzer, analyzer=analyzer).index(documents)
        assert index.docnos.tolist() == docnos
        # A frame cannot hold half of a surrogate pair where pandas has pyarrow.
        whole = [document for document in documents if document["docno"] != "\ud800"]
        index = SparseIndex(tmp_path / f"{analyzer}-whole", analyzer=analyzer).index(whole)
        found = index.bm25().search("공통")
        assert found["docno"].tolist() == sorted(docno for docno in docnos if docno != "\ud800")


def test_an_index_is_built_once_and_opened_anywhere(tmp_path: Path) -> None:
    built = SparseIndex(tmp_path / "index", analyzer="char2").index(DOCUMENTS)
    assert built.built()
    assert answers(SparseIndex(str(tmp_path / "index"))) == answers(built)
    assert SparseIndex(tmp_path / "index").analyzer == NGrams("char", 2)
    (tmp_path / "index").rename(tmp_path / "moved")
    assert answers(SparseIndex(tmp_path / "moved", analyzer="char2")) == answers(built)


def test_equal_content_has_an_equal_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = SparseIndex(tmp_path / "one").index(DOCUMENTS)
    monkeypatch.setattr(documents_module, "_BATCH_CHARACTERS", 10)
    two = SparseIndex(tmp_path / "two").index(DOCUMENTS)
    assert one.fingerprint() == two.fingerprint()
    # A known corpus stands for the content.
    known, other = (
        SparseIndex(tmp_path / corpus, "char2").index(DOCUMENTS, corpus=corpus) for corpus in ("c0ffee", "beef")
    )
    again = SparseIndex(tmp_path / "again", "char2").index(reversed(DOCUMENTS), corpus="c0ffee")
    assert known.fingerprint() == again.fingerprint() != other.fingerprint()
    assert one.fingerprint() != SparseIndex(tmp_path / "three").index(OTHERS).fingerprint()
    assert one.fingerprint() != SparseIndex(tmp_path / "four", analyzer="jamo4").index(DOCUMENTS).fingerprint()


def test_a_retriever_follows_its_index_to_a_new_build(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "index", analyzer="jamo3").index(DOCUMENTS)
    retrievers = [index.bm25(), index.tfidf(), index.tfidf(idf="sklearn")]
    for retriever in retrievers:
        retriever.search("무창층")
    index.index(OTHERS)
    fresh = SparseIndex(tmp_path / "index")
    for old, new in zip(retrievers, (fresh.bm25(), fresh.tfidf(), fresh.tfidf(idf="sklearn")), strict=True):
        pd.testing.assert_frame_equal(old.search("무창층 바닥면적"), new.search("무창층 바닥면적"))


def test_an_open_index_answers_on_while_another_process_replaces_it(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "index", analyzer="jamo3").index(DOCUMENTS)
    before = answers(SparseIndex(tmp_path / "index"))
    assert len(index) == len(DOCUMENTS)  # opened, but most of it never touched
    SparseIndex(tmp_path / "index", analyzer="jamo3").index(OTHERS)
    assert answers(index) == before
    index.forget()
    assert answers(index) == answers(SparseIndex(tmp_path / "index")) != before


def test_pyterrier_finds_our_class(tmp_path: Path) -> None:
    built = SparseIndex(tmp_path / "index", analyzer="char2").index(DOCUMENTS)
    loaded = pt.Artifact.load(str(tmp_path / "index"))
    assert type(loaded) is legalir.SparseIndex
    assert answers(loaded) == answers(built)
    assert pt.inspect.artifact_type_format(loaded) == ("sparse_index", "legalir")
