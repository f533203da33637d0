"""Updates of indexes of terms: after any edits, an index scores as one that is built at once, to the last bit."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from forked import child, die_at_file_operation
from hypothesis import given, settings
from hypothesis import strategies as st
from small_index import DOCUMENTS, OTHERS, answers, scratch

from legalir.dense.rocchio import TermRocchio
from legalir.errors import ArtifactError, ComponentError
from legalir.lexical import segments as segments_module
from legalir.lexical.bm25f import BM25F, FIELDS, FieldIndex
from legalir.lexical.retriever import SparseRetriever, explain_terms
from legalir.lexical.segments import first_merged, merged_terms
from legalir.lexical.sparse import SparseIndex
from legalir.storage.validity import DateReader, Validity

Index = SparseIndex | FieldIndex
Document = Mapping[str, Any]
INDEXES: list[type[Index]] = [SparseIndex, FieldIndex]


def retrievers(index: Index) -> list[SparseRetriever]:
    if isinstance(index, FieldIndex):
        return [BM25F(index), BM25F(index, fields={"text": 1, "citing": 3}, b=0.3, query_exponent=1)]
    return [index.bm25(), index.bm25(k1=2, b=1), index.tfidf(), index.tfidf(idf="sklearn")]


def days(documents: Iterable[Document]) -> Callable[[npt.NDArray[np.object_]], Validity | None]:
    """Return the function to the days of docnos, by all documents."""
    reader = DateReader()
    for document in documents:
        reader.read(document)
    validity, place = reader.validity(), {docno: number for number, docno in enumerate(reader.docnos)}
    return lambda docnos: validity and validity.reordered(np.array([place[docno] for docno in docnos], dtype=np.int64))


def assert_as_built_at_once(index: Index, fresh: Index, queries: Iterable[str], day: int | None = None) -> None:
    """Check that all that is read of an index is that of another one of the same documents in any order."""
    assert list(index.terms) == list(fresh.terms)
    assert index.df.tolist() == fresh.df.tolist()
    same = fresh.docno_table.numbers(index.docnos)
    assert sorted(same.tolist()) == list(range(len(fresh))) == list(range(len(index)))
    assert index.order.tolist() == fresh.order[same].tolist()
    np.testing.assert_array_equal(index.lengths, fresh.lengths[same])
    assert (index.validity is None) == (fresh.validity is None)
    in_force = in_force_fresh = None
    if day is not None and index.validity is not None and fresh.validity is not None:
        in_force, in_force_fresh = index.validity.on(day), fresh.validity.on(day)
        np.testing.assert_array_equal(in_force, in_force_fresh[same])
    # The one segment that all postings make.
    one, other = index.one_segment, fresh.one_segment
    assert one.indptr.tolist() == other.indptr.tolist()
    term = np.repeat(np.arange(len(fresh.terms)), np.diff(other.indptr))
    order, other_order = np.lexsort((same[one.documents], term)), np.lexsort((other.documents, term))
    assert (np.diff(one.documents)[np.diff(term) == 0] > 0).all()
    np.testing.assert_array_equal(same[one.documents[order]], other.documents[other_order])
    for column in index.columns:
        np.testing.assert_array_equal(one.columns[column][order], other.columns[column][other_order])
    for mine, its in zip(retrievers(index), retrievers(fresh), strict=True):
        for query in queries:
            np.testing.assert_array_equal(mine.scores(query), its.scores(query)[same])
            documents, scores = mine.best(query, in_force)
            its_documents, its_scores = its.best(query, in_force_fresh)
            assert index.docnos[documents].tolist() == fresh.docnos[its_documents].tolist()
            assert scores.tolist() == its_scores.tolist()
            docnos = index.docnos[documents].tolist()[:3]
            assert explain_terms(mine, query, docnos) == explain_terms(its, query, docnos)


def test_an_update_by_hand(tmp_path: Path) -> None:
    """Five documents; one is changed, one removed, one added.

    Before: 가 is in a, b; 나 in b, c; 다 in c, d; 라 in d, e. After: b is gone and c is "가 마". So 나 is no term, 다
    is in d alone, and 마 is new. Without e, the first segment has documents 0 and 3 left, half of them, and is merged.
    """
    texts = {"a": "가", "b": "가 나", "c": "나 다", "d": "다 라", "e": "라"}
    documents = [{"docno": docno, "text": text} for docno, text in texts.items()]
    index = SparseIndex(tmp_path / "index", "whitespace").index(documents)
    first = (index.directory / index.manifest.data / "0.documents.npy").stat().st_ino
    index.update(index.directory, [{"docno": "c", "text": "가 마"}], ["b", "c"])
    assert index.manifest.facts["segments"] == ["0", "1"]
    assert (index.directory / index.manifest.data / "0.documents.npy").stat().st_ino == first
    assert index.docnos.tolist() == ["a", "d", "e", "c"]
    assert list(index.terms) == ["가", "다", "라", "마"]
    assert index.df.tolist() == [2, 1, 2, 1]
    zero, one = index.segments
    assert (zero.terms.tolist(), zero.live.tolist()) == ([0, -1, 1, 2], [0, 3, 4])
    assert (one.terms.tolist(), one.live.tolist(), one.first) == ([0, 3], [0], 3)
    assert (index.indptr.tolist(), index.documents.tolist()) == ([0, 2, 3, 5, 6], [0, 3, 1, 1, 2, 3])
    smaller = SparseIndex(tmp_path / "smaller", "whitespace").index(documents[:4])
    smaller.update(smaller.directory, [{"docno": "c", "text": "가 마"}], ["b", "c"])
    assert smaller.manifest.facts["segments"] == ["1"]
    assert smaller.segments[0].whole


@pytest.mark.parametrize(
    ("sizes", "added", "first"),
    [
        ([], 5, 0),
        ([(100, 100)], 49, 1),
        ([(100, 100)], 50, 0),
        ([(100, 100), (40, 40)], 9, 2),  # 100 > 2 · 49 and 40 > 2 · 9
        ([(100, 100), (40, 40)], 10, 0),
        ([(100, 100), (30, 30)], 15, 1),
        ([(50, 100), (3, 3)], 0, 0),  # half are removed
        ([(100, 100), (0, 3)], 0, 1),
        ([(100, 100)], 0, 1),
    ],
)
def test_which_segments_are_merged(sizes: list[tuple[int, int]], added: int, first: int) -> None:
    assert first_merged(sizes, added) == first


TERMS = st.lists(st.text("가나a\x00\ud800🔥", max_size=2), unique=True, max_size=8)


@given(TERMS, TERMS, st.data())
def test_a_vocabulary_of_kept_and_new_terms(one: list[str], two: list[str], data: st.DataObject) -> None:
    old, new = sorted(one), sorted(two)
    kept = np.array([data.draw(st.booleans()) for _ in old], dtype=bool)
    terms, numbers, places = merged_terms(old, kept, new)
    assert terms == sorted({*new, *(term for term, stays in zip(old, kept, strict=True) if stays)})
    assert [terms.index(term) if stays else -1 for term, stays in zip(old, kept, strict=True)] == numbers.tolist()
    assert [terms.index(term) for term in new] == places.tolist()


TEXTS = st.text("가나다 aก\x00🔥소 ", max_size=14)
KEYS = [f"법-{number}" for number in range(4)] + ["d", "🔥", "ก"]


@st.composite
def edits(draw: st.DrawFn, dated: bool) -> list[dict[str, Document]]:
    """Return states of a collection, each by docno, as edits follow each other: all may be removed, and come back."""
    docnos = [f"{key}@2020-0{month}-01" for key in KEYS[:3] for month in (1, 5)] if dated else KEYS
    state: dict[str, Document] = {}
    states = []
    for _ in range(draw(st.integers(2, 6))):
        state = dict(state)
        for docno in draw(st.lists(st.sampled_from(docnos), max_size=6)):
            if draw(st.booleans()) or docno not in state:
                fields = {field: draw(TEXTS) for field in draw(st.sets(st.sampled_from(FIELDS)))}
                state[docno] = {"docno": docno, **fields}
            else:
                del state[docno]
        if draw(st.integers(0, 5)) == 0:
            state = {}
        states.append(state)
    return states


@pytest.mark.parametrize("make", INDEXES)
@pytest.mark.parametrize("dated", [False, True])
def test_an_updated_index_is_one_that_is_built_at_once(make: type[Index], dated: bool) -> None:
    @settings(max_examples=12)
    @given(edits(dated), st.sampled_from(["char2", "whitespace"]), st.sampled_from([1, 5, 8_000_000]), st.booleans())
    def check(states: list[dict[str, Document]], analyzer: str, merge: int, in_place: bool) -> None:
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(segments_module, "_MERGE", merge)
            patch.setattr(os, "fsync", lambda descriptor: None)  # Most of the time of so small an update.
            before, *after = states
            index = make(Path(folder) / "0", analyzer).index(before.values())
            for number, state in enumerate(after, start=1):
                removed = [docno for docno, row in before.items() if state.get(docno) != row]
                added = [row for docno, row in state.items() if before.get(docno) != row]
                base = index.directory
                index = index if in_place else make(Path(folder) / str(number), analyzer)
                index.update(base, added, removed, validity=days(state.values()), corpus="c0ffee")
                before = state
            fresh = make(Path(folder) / "fresh", analyzer).index(before.values(), corpus="c0ffee")
            assert index.fingerprint() == fresh.fingerprint()
            assert_as_built_at_once(index, fresh, ["가나 다a", "가", "소 ก🔥 가나다가나다", ""], 737_500)

    check()


def many(seed: int, count: int) -> list[dict[str, str]]:
    source = random.Random(seed)
    words = [f"{one}{two}" for one in "가나다라마바사" for two in "법령조항호목"]
    return [
        {"docno": f"d{number}", "title": source.choice(words), "text": " ".join(source.choices(words, k=20))}
        for number in range(count)
    ]


@given(st.integers(0, 2**32), st.integers(1, 5_000), st.integers(0, 300))
def test_there_are_few_segments(seed: int, documents: int, changed: int) -> None:
    source = random.Random(seed)
    sizes = [(documents, documents)]
    written = 0
    for _ in range(100):
        added = source.randint(0, changed)
        live = [max(0, count - source.randint(0, added)) for count, _ in sizes]
        sizes = [(left, count) for left, (_, count) in zip(live, sizes, strict=True)]
        first = first_merged(sizes, added)
        new = sum(live[first:]) + added
        written += new
        sizes = [*sizes[:first], (new, new)]
        for number, (left, count) in enumerate(sizes):
            assert left > 2 * sum(after for after, _ in sizes[number + 1 :]) or count == 0
            assert 2 * left > count or count == 0
    assert 3 ** (len(sizes) - 1) <= max(1, sum(left for left, _ in sizes)) * 3


def test_a_hundred_updates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    source = random.Random(7)
    documents = {row["docno"]: row for row in many(1, 300)}
    index = SparseIndex(tmp_path / "index", "char2").index(documents.values())
    most = 0
    for number in range(100):
        changed = source.sample(sorted(documents), 3)
        added = [{**many(number, 1)[0], "docno": docno} for docno in (*changed[:2], f"new{number}")]
        for docno in changed:
            del documents[docno]
        documents.update({row["docno"]: row for row in added})
        index.update(index.directory, added, changed)
        most = max(most, len(index.segments))
    assert 3 <= most <= 6  # log₃ 300 is 5.2
    fresh = SparseIndex(tmp_path / "fresh", "char2").index(documents.values())
    assert_as_built_at_once(index, fresh, ["가법 나령 다조", "사목"])
    files = sum(file.stat().st_size for file in index.directory.rglob("*.npy"))
    assert files < 3 * sum(file.stat().st_size for file in fresh.directory.rglob("*.npy"))


def test_feedback_of_terms_reads_all_segments(tmp_path: Path) -> None:
    documents = many(3, 30)
    index = SparseIndex(tmp_path / "index", "char2").index(documents[:25])
    index.update(index.directory, documents[25:], ["d3"])
    assert len(index.segments) == 2
    fresh = SparseIndex(tmp_path / "fresh", "char2").index([row for row in documents if row["docno"] != "d3"])
    found, expected = ((one.bm25() >> TermRocchio(one.bm25(), k=8)).search("가법 나령") for one in (index, fresh))
    assert found["docno"].tolist() == expected["docno"].tolist()
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-6)


def test_the_base_may_go_and_links_share_the_files(tmp_path: Path) -> None:
    base = SparseIndex(tmp_path / "base", "char2").index(many(1, 20))
    before = answers(base)
    updated = SparseIndex(tmp_path / "next", "char2").update(base.directory, [], [])
    mine, its = updated.directory / updated.manifest.data, base.directory / base.manifest.data
    assert (mine / "0.frequencies.npy").samefile(its / "0.frequencies.npy")
    assert not (mine / "df.npy").samefile(its / "df.npy")
    base.index(OTHERS)  # A rebuild removes its old files.
    assert answers(SparseIndex(updated.directory)) == before


def test_without_hard_links_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **names: object) -> None:
        raise OSError

    index = SparseIndex(tmp_path / "index", "char2").index(many(1, 20))
    monkeypatch.setattr(os, "link", refused)
    index.update(index.directory, DOCUMENTS, ["d3"])
    fresh = SparseIndex(tmp_path / "fresh", "char2").index([*many(1, 20)[:3], *many(1, 20)[4:], *DOCUMENTS])
    assert_as_built_at_once(SparseIndex(tmp_path / "index"), fresh, ["가법 나령"])


def test_faults_of_an_update(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "index", "char2").index(DOCUMENTS)
    before = answers(index)
    base = index.directory
    with pytest.raises(ComponentError, match=r"The docno 'x' is not in .*: only what is there can be removed"):
        index.update(base, [], ["empty", "x"])
    with pytest.raises(ComponentError, match="The docno 'en-1' occurs twice"):
        index.update(base, [DOCUMENTS[4]], [])
    with pytest.raises(ArtifactError, match=r"There is no index at .*nowhere: build it first"):
        index.update(tmp_path / "nowhere", [], [])
    with pytest.raises(ArtifactError, match=r"was built with the analyzer char2 .*, not with jamo3"):
        SparseIndex(tmp_path / "other", "jamo3").update(base, [], [])
    with pytest.raises(ArtifactError, match=r"sparse_index.*field_index"):
        FieldIndex(tmp_path / "other", "char2").update(base, [], [])
    with pytest.raises(ComponentError, match=r"the documents are versions, .*: give validity"):
        index.update(base, [{"docno": "a@2021-01-01", "text": "법"}], [])
    assert answers(SparseIndex(base)) == before
    assert scratch(base) == []
    assert not (tmp_path / "other" / "manifest.json").exists()


@pytest.mark.parametrize("damaged", ["0.documents.npy", "1.df.npy", "0.live.npy"])
def test_a_damaged_segment(tmp_path: Path, damaged: str) -> None:
    index = SparseIndex(tmp_path / "index", "char2").index(many(1, 20))
    index.update(index.directory, DOCUMENTS, ["d3"])
    assert len(index.segments) == 2
    file = index.directory / index.manifest.data / damaged
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ArtifactError, match=f"{damaged} was altered after it was written: remove the directory"):
        _ = SparseIndex(tmp_path / "index").segments
    with pytest.raises(ArtifactError, match=f"{damaged} was altered"):
        SparseIndex(tmp_path / "next", "char2").update(index.directory, [], [])
    file.unlink()
    with pytest.raises(ArtifactError, match=f"{damaged} is missing"):
        index.update(index.directory, [], [])


def _update_until(path: Path, limit: int) -> None:
    die_at_file_operation(limit)
    SparseIndex(path).update(path, OTHERS, ["d3", "d4"])
    os._exit(0)


def test_an_update_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "index"
    documents = many(1, 30)
    old = answers(SparseIndex(path, "char2").index(documents))
    new = answers(SparseIndex(tmp_path / "elsewhere", "char2").update(path, OTHERS, ["d3", "d4"]))
    outcomes = []
    for limit in range(0, 400, 13):
        process = child(_update_until, path, limit)
        process.join()
        found = answers(SparseIndex(path))
        assert found in (old, new), limit
        outcomes.append(found == new)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        if found == new:
            SparseIndex(path, "char2").index(documents)
    assert process.exitcode == 0, "the update never came to its end"
    assert scratch(path) == []
    assert outcomes == sorted(outcomes)
    assert outcomes.count(False) > 5


def test_an_error_in_the_middle_leaves_the_old_state(tmp_path: Path) -> None:
    def documents() -> Iterable[Document]:
        yield DOCUMENTS[0]
        raise KeyboardInterrupt

    index = SparseIndex(tmp_path / "index", "char2").index(many(1, 20))
    before = answers(index)
    with pytest.raises(KeyboardInterrupt):
        index.update(index.directory, documents(), ["d3"])
    assert answers(SparseIndex(index.directory)) == before
    assert scratch(index.directory) == []


def test_a_second_writer_waits_and_starts_from_the_first_ones_state(tmp_path: Path) -> None:
    path = tmp_path / "index"
    SparseIndex(path, "char2").index(many(1, 20))
    started, go_on = threading.Event(), threading.Event()

    def slow() -> Iterable[Document]:
        started.set()
        assert go_on.wait(10)
        yield DOCUMENTS[0]

    writers = [threading.Thread(target=SparseIndex(path).update, args=(path, slow(), ["d0"]))]
    writers[0].start()
    assert started.wait(10)
    writers.append(threading.Thread(target=SparseIndex(path).update, args=(path, [DOCUMENTS[1]], ["d1"])))
    writers[1].start()
    writers[1].join(0.2)
    assert writers[1].is_alive()
    assert len(SparseIndex(path)) == 20
    go_on.set()
    for writer in writers:
        writer.join()
    docnos = [*(f"d{number}" for number in range(2, 20)), "법-2", "법-12"]
    assert SparseIndex(path).docnos.tolist() == docnos
