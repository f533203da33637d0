"""Segments: the postings of an index in pieces that never change, so that an update writes only what changed.

A segment holds the postings of some documents. An update links the files of the segments that it keeps, and writes one
new segment: the new documents, and those of the segments that :func:`first_merged` chooses. Documents that are removed
stay in the files of their segment until it is merged. The documents of an index are the live ones of its segments, one
segment after the other.

V terms of the index, v of a segment; m documents of a segment, l of them live; p postings.

Files of segment ``s``, which never change: ``s.indptr.npy`` int64 [v + 1]; ``s.documents.npy`` int32 [p], ascending
within a term; for each column of frequencies ``s.<column>.npy`` unsigned [p]; ``s.lengths.npy`` int32, [m] or
[m, columns]; ``s.df.npy`` int64 [v]. Files that each build of the index writes anew: ``s.terms.npy`` int32 [v], the
number of each term in the vocabulary of the index, -1 where no live document has it, unless the segment has the whole
vocabulary; and ``s.live.npy`` int32 [l], the live documents, unless all are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import TermCounts
from legalir.errors import ArtifactError
from legalir.lexical.weights import posting_blocks
from legalir.storage.arrays import create_array, load_array, save_array
from legalir.storage.files import link_or_copy
from legalir.storage.strings import Strings, write_strings

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Frequencies = npt.NDArray[np.unsignedinteger[Any]]

_MERGE = 8_000_000
"""Postings that are merged in memory at a time."""


class Segment:
    """An open segment.

    Args:
        arrays: arrays of the index, by name.
        name: name of the segment, a whole number.
        columns: names of its frequencies.
        first: number of its first live document in the index.
    """

    def __init__(
        self, arrays: Mapping[str, npt.NDArray[Any]], name: str, columns: Sequence[str], first: int = 0
    ) -> None:
        self.name = name
        self.first = first
        self.indptr: Ints = arrays[f"{name}.indptr"]
        self.documents: Numbers = arrays[f"{name}.documents"]
        self.columns: dict[str, Frequencies] = {column: arrays[f"{name}.{column}"] for column in columns}
        self.lengths: Numbers = arrays[f"{name}.lengths"]
        self.df: Ints = arrays[f"{name}.df"]
        self._terms: Numbers | None = arrays.get(f"{name}.terms")
        self._live: Numbers | None = arrays.get(f"{name}.live")

    @property
    def files(self) -> list[str]:
        """Names of the files that never change."""
        return [f"{self.name}.{array}.npy" for array in ("indptr", "documents", *self.columns, "lengths", "df")]

    @property
    def whole(self) -> bool:
        """Whether all documents are live, and the terms are the vocabulary of the index."""
        return self._terms is None and self._live is None

    @property
    def terms(self) -> Numbers:
        """Number of each term in the vocabulary of the index, ascending but for -1 where no live document has it."""
        return np.arange(len(self.df), dtype=np.int32) if self._terms is None else self._terms

    @property
    def live(self) -> Numbers:
        """The live documents, ascending; int32 [l]."""
        return np.arange(len(self.lengths), dtype=np.int32) if self._live is None else self._live

    def __len__(self) -> int:
        return len(self.lengths) if self._live is None else len(self._live)

    @cached_property
    def _own(self) -> Numbers:
        """Number here of each term of the index, as far as this segment's terms reach; the last one is -1."""
        terms = self.terms
        own = np.full(int(terms.max(initial=-1)) + 2, -1, dtype=np.int32)
        there = np.flatnonzero(terms >= 0)
        own[terms[there]] = there
        return own

    def own_terms(self, terms: Ints) -> Ints:
        """Return the number here of each of some terms of the index, -1 where the segment lacks it; [q]."""
        if self._terms is None:
            return terms
        return self._own[np.minimum(terms, len(self._own) - 1)].astype(np.int64)

    def own_documents(self, documents: Ints) -> tuple[Ints, Ints]:
        """Return which of some documents of the index are here, and the number of each of those here; [d], [d]."""
        which = np.flatnonzero((documents >= self.first) & (documents < self.first + len(self)))
        own = documents[which] - self.first
        return which, own if self._live is None else self._live[own].astype(np.int64)

    def of_terms(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of this segment's terms from those of the index, [V]; 0 where no live document has one."""
        return values if self._terms is None else np.append(values, values.dtype.type(0))[self._terms]

    @cached_property
    def _places(self) -> Ints:
        return self.live.astype(np.intp)  # Of this type, numpy takes values twice as fast.

    def of_live(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of the live documents from those of all, [m, …]."""
        return values if self._live is None else values.take(self._places, axis=0, mode="clip")

    def without(self, documents: Ints) -> Numbers:
        """Return the live documents but those with some numbers in the index; int32 [l']."""
        return np.delete(
            self.live, documents[(documents >= self.first) & (documents < self.first + len(self))] - self.first
        )


def counts_among(segment: Segment, live: Numbers, own: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the number of live documents with each term, and of those with it in the columns `own`; int64 [v], [v].

    Args:
        segment: the segment.
        live: its live documents.
        own: names of columns.
    """
    counts, df = np.diff(segment.indptr), np.array(segment.df)
    if len(live) < len(segment.lengths):
        dead = np.ones(len(segment.lengths), dtype=bool)
        dead[live] = False
        for _, postings in posting_blocks(segment.indptr):
            gone = np.flatnonzero(dead[segment.documents[postings]]) + postings.start
            term = np.searchsorted(segment.indptr, gone, side="right") - 1
            np.subtract.at(counts, term, 1)
            held = np.logical_or.reduce([segment.columns[column][gone] > 0 for column in own])
            np.subtract.at(df, term[held], 1)
    return counts, df


def first_merged(sizes: Sequence[tuple[int, int]], added: int) -> int:
    """Return the first segment to merge with the new documents; it, and all after it, become one with them.

    A segment is merged once those after it have half of its live documents, or half of its own are removed. So each
    has more than twice the documents of all after it, and an index of n documents log₃ n segments or so; a document is
    written again each time that its segment has grown by half.

    Args:
        sizes: number of live documents and of all documents of each segment, in their order.
        added: number of new documents.
    """
    after = added + sum(live for live, _ in sizes)
    for number, (live, documents) in enumerate(sizes):
        after -= live
        if live <= 2 * after or 2 * live <= documents:
            return number
    return len(sizes)


def merged_terms(terms: Sequence[str], kept: npt.NDArray[np.bool_], new: list[str]) -> tuple[list[str], Numbers, Ints]:
    """Return the vocabulary of kept and new terms, and the number there of each old and of each new term.

    Args:
        terms: the old terms, ascending.
        kept: which of them are kept.
        new: the new terms, ascending; some may be old ones.

    Returns:
        The vocabulary, ascending; int32, -1 for a term that is not kept; int64.
    """
    old = np.flatnonzero(kept)
    strings = (terms.array() if isinstance(terms, Strings) else np.array(terms, dtype=object))[old]
    added = np.empty(len(new), dtype=object)
    added[:] = new
    place = np.searchsorted(strings, added)
    known = np.zeros(len(new), dtype=bool)
    inside = np.flatnonzero(place < len(strings))
    known[inside] = strings[place[inside]] == added[inside]
    inserted = place[~known]
    numbers = np.full(len(kept), -1, dtype=np.int32)
    # An old term moves up by the new ones before it, and a new one stands behind the old ones before it.
    numbers[old] = np.arange(len(old)) + np.searchsorted(inserted, np.arange(len(old)), side="right")
    return np.insert(strings, inserted, added[~known]).tolist(), numbers, place + np.cumsum(~known) - ~known


class Part(NamedTuple):
    """Postings that go into a segment: those of another segment, or of a batch of documents.

    Attributes:
        terms: number of each of its terms in the vocabulary, ascending; [t].
        counts: number of postings of each; [t].
        types: types of its columns.
        read: returns the postings of a range of its terms: documents, numbered as in the new segment, and columns.
    """

    terms: Ints
    counts: Ints
    types: list[np.dtype[Any]]
    read: Callable[[int, int], tuple[Numbers, list[Frequencies]]]


def part_of(segment: Segment, live: Numbers, counts: Ints, terms: npt.NDArray[np.integer], first: int) -> Part:
    """Return the live postings of a segment.

    Args:
        segment: the segment.
        live: its live documents.
        counts: number of live documents with each term, [v].
        terms: number of each term in the vocabulary, [v].
        first: number of its first live document in the new segment.
    """
    filled = np.flatnonzero(counts)
    start, stop = segment.indptr[filled], segment.indptr[filled + 1]
    numbers = np.full(len(segment.lengths), -1, dtype=np.int32)
    numbers[live] = np.arange(first, first + len(live), dtype=np.int32)

    def read(a: int, b: int) -> tuple[Numbers, list[Frequencies]]:
        postings = slice(int(start[a]), int(stop[b - 1]))
        documents = numbers[segment.documents[postings]]
        columns = [column[postings] for column in segment.columns.values()]
        if len(live) == len(numbers):
            return documents, columns
        stays = documents >= 0
        return documents[stays], [column[stays] for column in columns]

    types = [column.dtype for column in segment.columns.values()]
    return Part(np.asarray(terms[filled], dtype=np.int64), counts[filled], types, read)


class Batches:
    """Counted documents, batch by batch; the counts are on disk, and in memory stay the vocabulary and one batch.

    Args:
        spill: an empty folder.
        columns: number of texts of each document, one for each column of frequencies.
    """

    def __init__(self, spill: Path, columns: int = 1) -> None:
        self._spill = spill
        self._columns = columns
        self._ids: dict[str, int] = {}
        self._parts: list[tuple[Ints, Ints, int, list[np.dtype[Any]]]] = []
        self._lengths: list[Ints] = []
        self._documents = 0

    def add(self, counts: TermCounts) -> None:
        """Add the counts of the texts of the next documents, each document's texts one after the other."""
        ids = self._ids
        terms = np.fromiter(
            (ids.setdefault(term, len(ids)) for term in counts.terms), dtype=np.int64, count=len(counts.terms)
        )
        indptr, documents, columns = _by_document(counts, self._columns)
        columns = [column.astype(np.min_scalar_type(int(column.max(initial=0)))) for column in columns]
        number = len(self._parts)
        for name, array in enumerate((documents, *columns)):
            save_array(self._spill / f"{number}.{name}.npy", array)
        self._parts.append((terms, indptr, self._documents, [column.dtype for column in columns]))
        self._lengths.append(counts.lengths)
        self._documents += len(counts.lengths) // self._columns

    def __len__(self) -> int:
        return self._documents

    def terms(self) -> list[str]:
        """Return the vocabulary, ascending."""
        return sorted(self._ids)

    @property
    def lengths(self) -> Numbers:
        """Number of terms in each text; int32 [m], or [m, columns]."""
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *self._lengths]).astype(np.int32)
        return lengths if self._columns == 1 else lengths.reshape(-1, self._columns)

    def parts(self, numbers: Ints, first: int = 0) -> list[Part]:
        """Return the postings of each batch.

        Args:
            numbers: number of each of :meth:`terms` in the vocabulary of the index.
            first: number of the first document in the new segment.
        """
        place = np.empty(len(self._ids), dtype=np.int64)
        place[[self._ids[term] for term in self.terms()]] = numbers

        def part(number: int, terms: Ints, indptr: Ints, offset: int, types: list[np.dtype[Any]]) -> Part:
            def read(a: int, b: int) -> tuple[Numbers, list[Frequencies]]:
                postings = slice(int(indptr[a]), int(indptr[b]))
                # Mapped one at a time: a map holds a file open, and there may be more batches than files.
                documents, *columns = (self._spilled(number, name)[postings] for name in range(1 + self._columns))
                return documents + np.int32(first + offset), columns

            return Part(place[terms], np.diff(indptr), types, read)

        return [part(number, *one) for number, one in enumerate(self._parts)]

    def _spilled(self, number: int, name: int) -> npt.NDArray[Any]:
        return load_array(self._spill / f"{number}.{name}.npy")


def _by_document(counts: TermCounts, columns: int) -> tuple[Ints, Numbers, list[npt.NDArray[np.int32]]]:
    """Return the counts of texts as postings of documents: starts of the terms, documents, columns of frequencies."""
    if columns == 1:
        return counts.indptr, counts.documents, [counts.frequencies]
    document, column = np.divmod(counts.documents, np.int32(columns))
    starts = counts.indptr[:-1]
    new = np.diff(document, prepend=np.int32(-1)) != 0
    new[starts] = True  # every term has a posting
    posting = np.cumsum(new) - 1
    out = np.zeros((columns, int(new.sum())), dtype=np.int32)
    out[column, posting] = counts.frequencies
    return np.append(posting[starts], out.shape[1]), document[new], list(out)


class _Merge:
    """Parts as one segment: its terms, the starts of their postings, and the postings block by block.

    Args:
        parts: the parts.
        size: number of terms in the vocabulary.
        columns: names of the columns.
        own: names of the columns in which a term has to be for a document to count in df.

    Raises:
        ArtifactError: there are 2³¹ postings or more.
    """

    def __init__(self, parts: Sequence[Part], size: int, columns: Sequence[str], own: Sequence[str]) -> None:
        counts = np.zeros(size, dtype=np.int64)
        for part in parts:
            counts[part.terms] += part.counts
        self._size = size
        self.terms = np.flatnonzero(counts)
        self.indptr = np.concatenate(([0], np.cumsum(counts[self.terms])))
        if self.indptr[-1] >= 2**31:
            raise ArtifactError(f"{self.indptr[-1]} postings are more than one index holds: split the collection.")
        self.types = [np.result_type(np.uint8, *types) for types in zip(*(part.types for part in parts), strict=True)]
        self.types = self.types or [np.dtype(np.uint8)] * len(columns)
        self.df = np.zeros(len(self.terms), dtype=np.int64)
        self._parts = parts
        self._own = [columns.index(column) for column in own] if len(own) < len(columns) else []

    def blocks(self) -> Iterator[tuple[slice, Numbers, list[Frequencies]]]:
        """Yield ranges of postings, and their documents and columns, part after part within a term; fill in df."""
        places = [np.searchsorted(self.terms, part.terms) for part in self._parts]
        for terms, postings in posting_blocks(self.indptr, _MERGE):
            starts = self.indptr[terms.start : terms.stop + 1] - self.indptr[terms.start]
            filled = starts[:-1].copy()
            documents = np.empty(starts[-1], dtype=np.int32)
            columns = [np.empty(starts[-1], dtype=one) for one in self.types]
            for part, place in zip(self._parts, places, strict=True):
                a, b = np.searchsorted(place, (terms.start, terms.stop)).tolist()
                if a == b:
                    continue
                numbers, frequencies = part.read(a, b)
                local, sizes = place[a:b] - terms.start, part.counts[a:b]
                target = np.repeat(filled[local] - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(numbers))
                documents[target] = numbers
                for column, values in zip(columns, frequencies, strict=True):
                    column[target] = values
                filled[local] += sizes
            if self._own:
                held = np.logical_or.reduce([columns[number] > 0 for number in self._own])
                self.df[terms] = np.diff(np.concatenate(([0], np.cumsum(held)))[starts])
            else:
                self.df[terms] = np.diff(starts)
            yield postings, documents, columns

    def write(self, data: Path, name: str, columns: Sequence[str], lengths: Numbers) -> None:
        """Write the files of the segment.

        Args:
            data: directory of the build.
            name: name of the segment.
            columns: names of the columns.
            lengths: number of terms of each document, int32 [m] or [m, columns].
        """
        total = (int(self.indptr[-1]),)
        # Written, not mapped: a full disk is then an error and not a bus error, which would end the process.
        with ExitStack() as stack:
            streams = [
                stack.enter_context(create_array(data / f"{name}.{array}.npy", dtype, total))
                for array, dtype in zip(("documents", *columns), (np.dtype(np.int32), *self.types), strict=True)
            ]
            for _, documents, frequencies in self.blocks():
                for stream, values in zip(streams, (documents, *frequencies), strict=True):
                    stream.write(values.data)
        save_array(data / f"{name}.indptr.npy", self.indptr)
        save_array(data / f"{name}.lengths.npy", lengths)
        save_array(data / f"{name}.df.npy", self.df)
        if len(self.terms) < self._size:
            save_array(data / f"{name}.terms.npy", self.terms.astype(np.int32))


class Written(NamedTuple):
    """Result of :func:`write_segments`.

    Attributes:
        segments: names of the segments, in their order.
        linked: names of the files that are those of the former build.
        terms: number of terms in the vocabulary.
    """

    segments: list[str]
    linked: list[str]
    terms: int


def write_segments(
    data: Path,
    batches: Batches,
    columns: Sequence[str],
    own: Sequence[str],
    *,
    former: Path = Path(),
    segments: Sequence[Segment] = (),
    terms: Sequence[str] = (),
    removed: Ints | None = None,
) -> Written:
    """Write the segments of an index, its vocabulary ``terms``, and ``df.npy``, int64 [V].

    Its documents are those of the former index in their order, without the removed ones, and then the new ones.

    Args:
        data: directory of the build.
        batches: the new documents.
        columns: names of the columns of frequencies.
        own: names of the columns in which a term has to be for a document to count in df.
        former: directory of the build of the former index.
        segments: its segments.
        terms: its vocabulary.
        removed: numbers of its documents that are removed; None for none.

    Raises:
        ArtifactError: there are 2³¹ postings or more.
        OSError: the files cannot be written.
    """
    gone = np.zeros(0, dtype=np.int64) if removed is None else removed
    live = [segment.without(gone) for segment in segments]
    counts = [counts_among(*one, own) for one in zip(segments, live, strict=True)]
    held = np.zeros(len(terms), dtype=np.int64)
    for segment, (holders, _) in zip(segments, counts, strict=True):
        filled = np.flatnonzero(holders)
        held[segment.terms[filled]] += holders[filled]
    vocabulary, old, new = merged_terms(terms, held > 0, batches.terms())
    size = len(vocabulary)
    df = np.zeros(size, dtype=np.int64)
    names, linked, parts, lengths, first = [], [], [], [], 0
    merged = first_merged(
        [(len(those), len(one.lengths)) for one, those in zip(segments, live, strict=True)], len(batches)
    )
    for number, (segment, those, (holders, own_df)) in enumerate(zip(segments, live, counts, strict=True)):
        places = np.append(old, np.int32(-1))[segment.terms]
        if number >= merged:
            parts.append(part_of(segment, those, holders, places, first))
            lengths.append(segment.lengths[those])
            first += len(those)
            continue
        for name in segment.files:
            link_or_copy(former / name, data / name)
        if len(those) < len(segment.lengths):
            save_array(data / f"{segment.name}.live.npy", those)
        if len(places) < size or (places < 0).any():
            save_array(data / f"{segment.name}.terms.npy", places)
        filled = np.flatnonzero(holders)
        df[places[filled]] += own_df[filled]
        names.append(segment.name)
        linked += segment.files
    if parts or len(batches) or not names:
        name = str(max((int(segment.name) for segment in segments), default=-1) + 1)
        parts += batches.parts(new, first)
        merge = _Merge(parts, size, columns, own)
        merge.write(data, name, columns, np.concatenate([*lengths, batches.lengths]))
        df[merge.terms] += merge.df
        names.append(name)
    save_array(data / "df.npy", df)
    write_strings(data, "terms", vocabulary)
    return Written(names, linked, size)


def one_segment(segments: Sequence[Segment], size: int) -> Segment:
    """Return the live postings of all segments as one, merged in memory unless there is one and it is whole.

    Args:
        segments: the segments of an index.
        size: number of terms in the vocabulary.
    """
    if len(segments) == 1 and segments[0].whole:
        return segments[0]
    columns = list(segments[0].columns)
    parts = [part_of(one, one.live, counts_among(one, one.live, columns)[0], one.terms, one.first) for one in segments]
    merge = _Merge(parts, size, columns, columns)
    total = int(merge.indptr[-1])
    arrays: dict[str, npt.NDArray[Any]] = {"0.indptr": merge.indptr, "0.documents": np.empty(total, dtype=np.int32)}
    arrays.update({f"0.{column}": np.empty(total, dtype) for column, dtype in zip(columns, merge.types, strict=True)})
    for postings, documents, frequencies in merge.blocks():
        for array, values in zip(("documents", *columns), (documents, *frequencies), strict=True):
            arrays[f"0.{array}"][postings] = values
    arrays["0.lengths"] = np.concatenate([one.of_live(one.lengths) for one in segments])
    return Segment({**arrays, "0.df": merge.df}, "0", columns)
