"""Base of the indexes of terms: an analyzer, its vocabulary, and documents by term, built, updated, memory-mapped."""

from __future__ import annotations

import itertools
import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, TermCounts, count_terms, get_analyzer
from legalir.analysis.auto import recognized
from legalir.analysis.language import WITHOUT_SPACES, scripts
from legalir.errors import ArtifactError, ComponentError
from legalir.executors import Sent, mapped
from legalir.lexical.segments import Batches, Segment, one_segment, write_segments
from legalir.storage.artifact import IndexArtifact, building
from legalir.storage.digest import digest
from legalir.storage.documents import document_batches
from legalir.storage.manifest import Manifest, rebuild_hint
from legalir.storage.strings import Strings, write_docnos
from legalir.storage.validity import Validity, dated, names_version

_log = logging.getLogger("legalir")

_warned: set[Path] = set()
"""Indexes of which this process has warned."""


def _warn(directory: Path, analyzer: str, scripts: Mapping[str, float]) -> None:
    """Warn once in a process if an index has words of a script that puts no spaces between them."""
    joined = {script: share for script, share in scripts.items() if script in WITHOUT_SPACES and share >= 0.1}
    if joined and analyzer.partition("(")[0] in ("whitespace", "word") and directory not in _warned:
        _warned.add(directory)
        shares = ", ".join(f"{share:.0%} {script}" for script, share in joined.items())
        _log.warning(
            f"{directory}: the analyzer {analyzer} looks for words between spaces, and the letters are {shares}, "
            f'where no spaces stand between words: use analyzer="auto" or "char2".'
        )


class TermIndex(IndexArtifact):
    """Documents by the terms that one analyzer finds in them.

    Files of a build: the docnos (see :mod:`legalir.storage.strings`), and those of :mod:`legalir.lexical.segments`.

    A subclass names its `columns` of frequencies and, of these, its `own` ones, in which a term has to be for a
    document to count in its document frequency; and it says which text of a document is behind each column.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; ``auto``: that of the index at `path`, or what suits the documents' language.
    """

    columns: ClassVar[tuple[str, ...]]
    own: ClassVar[tuple[str, ...]]

    def __init__(self, path: str | PathLike[str], analyzer: str | Analyzer = "auto") -> None:
        super().__init__(str(path))
        self._asked = None if analyzer == "auto" else get_analyzer(analyzer)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TermIndex)
            and self.kind == other.kind
            and (self.path, self._asked) == (other.path, other._asked)
        )

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        name = "" if self._asked is None else f", analyzer={self._asked.name!r}"
        return f"{type(self).__name__}({str(self.path)!r}{name})"

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

    def fingerprint(self) -> str:
        """Return a sha256 that stands for the scores of the index, the same for an updated index and one built at once.

        It is taken over the fingerprints of corpus, links and analyzer. Where the corpus is not known, it is taken over
        the files, which differ after an update.
        """
        facts = self.manifest.facts
        content = [facts["corpus"], facts.get("links")] if facts["corpus"] else [super().fingerprint()]
        return digest([self.kind, self.version, *content, self.analyzer.fingerprint])

    def texts_of(self, document: Mapping[str, Any]) -> Sequence[str]:
        """Return the text of each column of a document."""
        raise NotImplementedError

    def _build(
        self,
        added: Iterable[Mapping[str, Any]],
        known: Mapping[str, Any],
        base: str | PathLike[str] | None = None,
        removed: Iterable[str] = (),
        validity: Callable[[npt.NDArray[np.object_]], Validity | None] | None = None,
        executor: Executor | None = None,
    ) -> Self:
        """Build the index, from that at `base` if there is one; `known` are facts for the manifest."""
        linked: dict[str, dict[str, Any]] = {}
        with (
            building(self.directory, self.kind, self.version, linked) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            # Opened under the lock of this index: an index that is its own base has to be the newest one.
            former = None if base is None else type(self)(base, self._asked or "auto")
            analyzer = self._asked if former is None else former.analyzer
            letters = {} if former is None else former.manifest.facts["scripts"]
            batches = Batches(Path(spill), len(self.columns))
            docnos: list[str] = []
            documents = dated(added, data) if former is None else added
            texts_by_batch = document_batches(documents, self.texts_of)
            head = next(texts_by_batch)  # There is one batch at least, which may be empty.
            texts = head[1]
            analyzer = analyzer or recognized(texts)
            letters = letters or {script: round(share, 4) for script, share in scripts(texts).items()}
            for names, counts in _counted(itertools.chain([head], texts_by_batch), analyzer, executor):
                docnos += names
                batches.add(counts)
            if former is None:
                written = write_segments(data, batches, self.columns, self.own)
            else:
                gone = _numbers(former, removed)
                versions = former.validity is not None or any(map(names_version, docnos))
                docnos = [*np.delete(former.docnos, gone).tolist(), *docnos]
                if validity is not None:
                    _write_validity(data, docnos, validity)
                elif versions:
                    raise ComponentError(
                        f"{former.directory}: the documents are versions, and the end of one depends on others: give "
                        "validity, a function that returns the days of given docnos, or build the index again."
                    )
                written = write_segments(
                    data,
                    batches,
                    self.columns,
                    self.own,
                    former=former.directory / former.manifest.data,
                    segments=former.segments,
                    terms=former.terms,
                    removed=gone,
                )
                linked.update({name: former.manifest.files[name] for name in written.linked})
            write_docnos(data, docnos)
            facts["analyzer"] = {"name": analyzer.name, "fingerprint": analyzer.fingerprint}
            facts.update(
                scripts=letters, documents=len(docnos), terms=written.terms, segments=written.segments, **known
            )
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

    @cached_property
    def segments(self) -> list[Segment]:
        """The segments; the documents of the index are their live ones, one segment after the other."""
        segments: list[Segment] = []
        for name in self.manifest.facts["segments"]:
            first = segments[-1].first + len(segments[-1]) if segments else 0
            segments.append(Segment(self.arrays, name, self.columns, first))
        return segments

    @cached_property
    def one_segment(self) -> Segment:
        """All postings as one segment, for what reads them all: merged in memory where there are several segments."""
        return one_segment(self.segments, len(self.terms))

    @property
    def df(self) -> npt.NDArray[np.int64]:
        """Number of documents that hold each term, in columns that count; int64 [V]."""
        return self.arrays["df"]

    @cached_property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Number of term occurrences in each document, int32 [n] or, over fields, [n, F]."""
        (lengths, *others) = (segment.of_live(segment.lengths) for segment in self.segments)
        return np.concatenate([lengths, *others]) if others else lengths

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Start of each term's postings in :attr:`one_segment`, int64 [V + 1]."""
        return self.one_segment.indptr

    @property
    def documents(self) -> npt.NDArray[np.int32]:
        """Document of each posting of :attr:`one_segment`, int32 [P]; ascending within a term."""
        return self.one_segment.documents

    def occurrences(self, term: int, segment: Segment, posting: int) -> dict[str, object]:
        """Return the frequency of a term in the document of a posting, ``in_document``, and its ``documents``.

        Args:
            term: number of the term in the vocabulary.
            segment: one of :attr:`segments`.
            posting: posting of the term there.
        """
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.docno_table)


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


def _numbers(index: TermIndex, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
    """Return the number of each of some documents.

    Raises:
        ComponentError: one is not there.
    """
    wanted = list(docnos)
    numbers = index.docno_table.numbers(wanted)
    if (numbers < 0).any():
        missing = wanted[int(numbers.argmin())]
        raise ComponentError(f"The docno {missing!r} is not in {index.directory}: only what is there can be removed.")
    return numbers


def _write_validity(
    data: Path, docnos: Sequence[str], validity: Callable[[npt.NDArray[np.object_]], Validity | None]
) -> None:
    names = np.empty(len(docnos), dtype=object)
    names[:] = docnos
    if (days := validity(names)) is not None:
        days.write(data)
