"""Base of the indexes of terms: an analyzer, its vocabulary, and documents by term, built and memory-mapped."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, TermCounts, count_terms, get_analyzer
from legalir.analysis.language import WITHOUT_SPACES, scripts
from legalir.analysis.words import recognized
from legalir.errors import ArtifactError, warn_once
from legalir.executors import Sent, mapped
from legalir.lexical.weights import posting_blocks
from legalir.storage.arrays import create_array, load_array, save_array
from legalir.storage.artifact import IndexArtifact, Manifest, building, rebuild_hint
from legalir.storage.digest import digest
from legalir.storage.documents import document_batches
from legalir.storage.strings import Strings, write_docnos, write_strings
from legalir.storage.validity import dated

_MERGE = 8_000_000
"""Postings that are merged in memory at a time."""


def _warn(directory: Path, analyzer: str, scripts: Mapping[str, float]) -> None:
    """Warn once in a process if an index has words of a script that puts no spaces between them."""
    joined = {script: share for script, share in scripts.items() if script in WITHOUT_SPACES and share >= 0.1}
    if joined and analyzer.partition("(")[0] in ("whitespace", "word"):
        shares = ", ".join(f"{share:.0%} {script}" for script, share in joined.items())
        warn_once(
            f"{directory}: the analyzer {analyzer} looks for words between spaces, and the letters are {shares}, "
            f'where no spaces stand between words: use analyzer="auto" or "char2".'
        )


class TermIndex(IndexArtifact):
    """Documents by the terms that one analyzer finds in them.

    Files of a build: the docnos (see :mod:`legalir.storage.strings`), the vocabulary ``terms``, and what
    :meth:`Batches.write` writes. V terms, n documents, P postings.

    A subclass names its `columns` of frequencies and, of these, its `own` ones, in which a term has to be for a
    document to count in its document frequency; and it says which text of a document is behind each column.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; ``auto``: the analyzer of the index at `path`, else one for the documents'
            language.
    """

    columns: ClassVar[tuple[str, ...]]
    own: ClassVar[tuple[str, ...]]

    def __init__(self, path: str | PathLike[str], analyzer: str | Analyzer = "auto") -> None:
        super().__init__(str(path))
        self._asked = None if analyzer == "auto" else get_analyzer(analyzer)

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self._asked

    def _shown(self) -> str:
        return "" if self._asked is None else f", analyzer={self._asked.name!r}"

    def _check(self, manifest: Manifest) -> None:
        made_by = manifest.facts["analyzer"]
        if self._asked is not None and made_by["fingerprint"] != self._asked.fingerprint:
            raise ArtifactError(
                f"{self.directory} was built with the analyzer {made_by['name']} ({made_by['fingerprint'][:8]}), not "
                f"with {self._asked.name} ({self._asked.fingerprint[:8]}): {rebuild_hint(self.directory)}"
            )
        _warn(self.directory, made_by["name"], manifest.facts.get("scripts", {}))

    @cached_property
    def analyzer(self) -> Analyzer:
        """The analyzer that made the index, for queries."""
        if self._asked is not None:
            return self._asked
        made_by = self.manifest.facts["analyzer"]
        analyzer = get_analyzer(made_by["name"])
        if analyzer.fingerprint != made_by["fingerprint"]:
            raise ArtifactError(
                f"{self.path} was built with another version of the analyzer {analyzer.name}: "
                f"{rebuild_hint(self.directory)}"
            )
        return analyzer

    @property
    def origin(self) -> str:
        """What made the terms, for messages."""
        return f"its analyzer, {self.analyzer.name}"

    def fingerprint(self) -> str:
        """Return a sha256 that changes whenever scores may change.

        It is taken over the fingerprints of corpus, links and analyzer; where the corpus is not known, over the files.
        """
        facts = self.manifest.facts
        content = [facts["corpus"], facts.get("links")] if facts["corpus"] else [super().fingerprint()]
        return digest([self.kind, self.version, *content, self.analyzer.fingerprint])

    def texts_of(self, document: Mapping[str, Any]) -> Sequence[str]:
        """Return the text of each column of a document."""
        raise NotImplementedError

    def _build(
        self, documents: Iterable[Mapping[str, Any]], known: Mapping[str, Any], executor: Executor | None = None
    ) -> Self:
        """Build the index; `known` are facts for the manifest."""
        with (
            building(self.directory, self.kind, self.version) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            batches = Batches(Path(spill), self.columns)
            docnos: list[str] = []
            texts_by_batch = document_batches(dated(documents, data), self.texts_of)
            head = next(texts_by_batch)  # There is one batch at least, which may be empty.
            texts = head[1]
            analyzer = self._asked or recognized(texts)
            letters = {script: round(share, 4) for script, share in scripts(texts).items()}
            for names, counts in _counted(itertools.chain([head], texts_by_batch), analyzer, executor):
                docnos += names
                batches.add(counts)
            terms = batches.write(data, self.own)
            write_strings(data, "terms", terms)
            write_docnos(data, docnos)
            facts["analyzer"] = {"name": analyzer.name, "fingerprint": analyzer.fingerprint}
            facts.update(scripts=letters, documents=len(docnos), terms=len(terms), **known)
        self.forget()
        return self

    @cached_property
    def terms(self) -> Strings:
        """The vocabulary, ascending."""
        return Strings(self._opened[1], "terms")

    @property
    def order(self) -> npt.NDArray[np.int32]:
        """Position of each document among the ascending docnos, int32 [n]."""
        return self.docno_table.order

    @property
    def df(self) -> npt.NDArray[np.int64]:
        """Number of documents that hold each term, in columns that count; int64 [V]."""
        return self.arrays["df"]

    @property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Number of term occurrences in each document, int32 [n] or, over fields, [n, F]."""
        return self.arrays["lengths"]

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Start of each term's postings, int64 [V + 1]; each term has one posting at least."""
        return self.arrays["indptr"]

    @property
    def documents(self) -> npt.NDArray[np.int32]:
        """Document of each posting, int32 [P]; ascending within a term."""
        return self.arrays["documents"]

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the frequency of a term in the document of a posting, ``in_document``, and its ``documents``.

        Args:
            term: number of the term in the vocabulary.
            posting: posting of the term.
        """
        raise NotImplementedError


def _counted(
    batches: Iterator[tuple[list[str], list[str]]], analyzer: Analyzer, executor: Executor | None
) -> Iterator[tuple[list[str], TermCounts]]:
    """Yield the docnos of each batch, and the counts of the terms of its texts."""
    mine, theirs = itertools.tee(batches)
    count: Callable[[list[str]], TermCounts] = partial(count_terms, analyzer)
    counts = mapped(
        count if executor is None else Sent(count),
        (texts for _, texts in theirs),
        executor=executor,
        workers=1 if executor is None else None,
    )
    yield from zip((names for names, _ in mine), counts, strict=True)


class Batches:
    """Counted documents, batch by batch; the counts are on disk, and in memory stay the vocabulary and one batch.

    Args:
        spill: an empty folder.
        columns: names of the columns of frequencies, one for each text of a document.
    """

    def __init__(self, spill: Path, columns: Sequence[str]) -> None:
        self._spill = spill
        self._columns = columns
        self._ids: dict[str, int] = {}
        self._batches: list[_Batch] = []
        self._lengths = [np.zeros(0, dtype=np.int64)]
        self._documents = 0

    def add(self, counts: TermCounts) -> None:
        """Add the counts of the texts of the next documents, each document's texts one after the other."""
        ids = self._ids
        terms = np.fromiter(
            (ids.setdefault(term, len(ids)) for term in counts.terms), dtype=np.int64, count=len(counts.terms)
        )
        indptr, documents, columns = _by_document(counts, len(self._columns))
        columns = [column.astype(np.min_scalar_type(int(column.max(initial=0)))) for column in columns]
        for name, array in enumerate((documents, *columns)):
            save_array(self._spilled(len(self._batches), name), array)
        self._batches.append(_Batch(terms, indptr, self._documents, [column.dtype for column in columns]))
        self._lengths.append(counts.lengths)
        self._documents += len(counts.lengths) // len(self._columns)

    def write(self, data: Path, own: Sequence[str]) -> list[str]:
        """Write the postings of all documents by term, and return the vocabulary, ascending.

        Files: ``indptr.npy`` int64 [V + 1]; ``documents.npy`` int32 [P], ascending within a term; for each column
        ``<column>.npy`` unsigned [P]; ``lengths.npy`` int32, [n] or [n, columns]; ``df.npy`` int64 [V].

        Args:
            data: directory of the build.
            own: the columns in which a term has to be for a document to count in df.

        Raises:
            ArtifactError: there are 2³¹ postings or more.
            OSError: the files cannot be written.
        """
        vocabulary = sorted(self._ids)
        ids = np.fromiter((self._ids[term] for term in vocabulary), dtype=np.int64, count=len(vocabulary))
        number = np.empty(len(ids), dtype=np.int64)  # Of each term, by its id.
        number[ids] = np.arange(len(ids))
        counts = np.zeros(len(ids), dtype=np.int64)
        for batch in self._batches:
            counts[batch.terms] += np.diff(batch.indptr)
        indptr = np.concatenate(([0], np.cumsum(counts[ids])))
        if indptr[-1] >= 2**31:
            raise ArtifactError(f"{indptr[-1]} postings are more than one index holds: split the collection.")
        types = [
            np.result_type(np.uint8, *(batch.types[place] for batch in self._batches))
            for place in range(len(self._columns))
        ]
        names, df = ("documents", *self._columns), np.diff(indptr)
        counting = [] if len(own) == len(self._columns) else [self._columns.index(column) for column in own]
        # Written, not mapped: a full disk is then an error and not a bus error, which would end the process.
        with ExitStack() as stack:
            streams = [
                stack.enter_context(create_array(data / f"{name}.npy", dtype, (int(indptr[-1]),)))
                for name, dtype in zip(names, (np.dtype(np.int32), *types), strict=True)
            ]
            for terms, documents, columns in self._merged(indptr, number, types):
                for stream, values in zip(streams, (documents, *columns), strict=True):
                    stream.write(values.data)
                if counting:
                    held = np.logical_or.reduce([columns[place] > 0 for place in counting])
                    df[terms] = np.add.reduceat(held, indptr[terms] - indptr[terms.start], dtype=np.int64)
        shape = (-1,) if len(self._columns) == 1 else (-1, len(self._columns))
        save_array(data / "lengths.npy", np.concatenate(self._lengths).astype(np.int32).reshape(shape))
        save_array(data / "indptr.npy", indptr)
        save_array(data / "df.npy", df)
        return vocabulary

    def _merged(
        self, indptr: npt.NDArray[np.int64], number: npt.NDArray[np.int64], types: Sequence[np.dtype[Any]]
    ) -> Iterator[tuple[slice, npt.NDArray[np.int32], list[npt.NDArray[Any]]]]:
        """Yield ranges of terms, and the documents and columns of their postings, batch after batch within a term."""
        places = [number[batch.terms] for batch in self._batches]
        for terms, postings in posting_blocks(indptr, _MERGE):
            filled = indptr[terms] - postings.start
            documents = np.empty(postings.stop - postings.start, dtype=np.int32)
            columns = [np.empty(len(documents), dtype=one) for one in types]
            for batch_number, (batch, place) in enumerate(zip(self._batches, places, strict=True)):
                a, b = np.searchsorted(place, (terms.start, terms.stop)).tolist()
                if a == b:
                    continue
                local, sizes = place[a:b] - terms.start, np.diff(batch.indptr[a : b + 1])
                own = slice(int(batch.indptr[a]), int(batch.indptr[b]))
                target = np.repeat(filled[local] - (np.cumsum(sizes) - sizes), sizes) + np.arange(own.stop - own.start)
                # Mapped one at a time: a map holds a file open, and there may be more batches than files.
                documents[target] = load_array(self._spilled(batch_number, 0))[own] + np.int32(batch.first)
                for name, column in enumerate(columns, 1):
                    column[target] = load_array(self._spilled(batch_number, name))[own]
                filled[local] += sizes
            yield terms, documents, columns

    def _spilled(self, batch: int, name: int) -> Path:
        return self._spill / f"{batch}.{name}.npy"


class _Batch(NamedTuple):
    """A batch of documents whose postings are on disk.

    Attributes:
        terms: id of each of its terms, in the order of the vocabulary; [t].
        indptr: start of the postings of each; [t + 1].
        first: number of its first document.
        types: types of its columns.
    """

    terms: npt.NDArray[np.int64]
    indptr: npt.NDArray[np.int64]
    first: int
    types: list[np.dtype[Any]]


def _by_document(
    counts: TermCounts, columns: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], list[npt.NDArray[np.int32]]]:
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
