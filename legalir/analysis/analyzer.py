"""Analyzers: their contract, their lookup by name, and the counts of their terms in many texts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from legalir import plugins
from legalir.collections import Collection
from legalir.errors import AnalyzerError, PluginNotFound
from legalir.storage.digest import digest


@runtime_checkable
class Analyzer(Protocol):
    """Text to terms; a plugin has to provide no more."""

    @property
    def name(self) -> str:
        """The name that the analyzer has in expressions, such as ``jamo3``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same text could give other terms."""
        ...

    def terms(self, text: str) -> list[str]:
        """Return the terms of `text` in order, repeated as often as they occur."""
        ...


@runtime_checkable
class BulkAnalyzer(Analyzer, Protocol):
    """An analyzer that counts the terms of many texts faster than one after another."""

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Return the counts of :func:`count_terms`."""
        ...


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Frequency of each term in each of n texts, ordered by term and then by text.

    Attributes:
        terms: the distinct terms, in ascending code-point order; V of them.
        indptr: int64 [V + 1]; postings of term v are the slice ``indptr[v]:indptr[v + 1]``.
        documents: int32 [postings]; index of the text, ascending within a term.
        frequencies: int32 [postings]; occurrences of the term in the text, at least 1.
        lengths: int64 [n]; number of term occurrences in each text.
    """

    terms: list[str]
    indptr: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    frequencies: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]


def fingerprint(kind: str, parameters: Mapping[str, object]) -> str:
    """Return the fingerprint of an analyzer of ours: its kind, its parameters and the version of Unicode.

    The Unicode version belongs to it because a newer one may move a character between word and gap.
    """
    return digest([kind, parameters, unicodedata.unidata_version])


def count_terms(analyzer: Analyzer, texts: Sequence[str]) -> TermCounts:
    """Count the terms of `texts`, with the analyzer's own ``count`` if it has one."""
    if isinstance(analyzer, BulkAnalyzer):
        return analyzer.count(texts)
    ids: dict[str, int] = {}
    documents: list[int] = []
    term_ids: list[int] = []
    frequencies: list[int] = []
    lengths = np.zeros(len(texts), dtype=np.int64)
    for index, text in enumerate(texts):
        counts = Counter(analyzer.terms(text))
        lengths[index] = counts.total()
        documents.extend([index] * len(counts))
        term_ids.extend([ids.setdefault(term, len(ids)) for term in counts])
        frequencies.extend(counts.values())
    terms = sorted(ids)
    place = np.empty(len(ids), dtype=np.int64)
    place[[ids[term] for term in terms]] = np.arange(len(ids))
    column = place[np.asarray(term_ids, dtype=np.int64)]
    order = np.argsort(column, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(column, minlength=len(ids)))))
    return TermCounts(
        terms=terms,
        indptr=indptr.astype(np.int64),
        documents=np.asarray(documents, dtype=np.int32)[order],
        frequencies=np.asarray(frequencies, dtype=np.int32)[order],
        lengths=lengths,
    )


def term_counts(
    terms: list[str],
    numbers: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int64],
    frequencies: npt.NDArray[np.int32],
    n: int,
) -> TermCounts:
    """Return the counts of terms in texts, added up from parts.

    Args:
        terms: distinct, in ascending code-point order; each occurs in some text.
        numbers: term of each part, by its place in `terms`; [p].
        documents: text of each part; [p].
        frequencies: occurrences of each part; [p].
        n: number of texts.
    """
    from scipy.sparse import coo_array

    counts = coo_array((frequencies, (documents, numbers)), shape=(n, len(terms))).tocsc()
    counts.sum_duplicates()
    lengths = np.bincount(documents, weights=frequencies, minlength=n).astype(np.int64)
    return TermCounts(
        terms, counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.astype(np.int32), lengths
    )


def merge_counts(parts: Sequence[TermCounts], n: int) -> TermCounts:
    """Return the counts of all terms of `parts`, which count different terms in the same n texts, or the same ones."""
    if len(parts) == 1:
        return parts[0]
    terms = sorted(set().union(*(part.terms for part in parts)))
    place = {term: number for number, term in enumerate(terms)}
    numbers = [
        np.repeat(np.fromiter(map(place.__getitem__, part.terms), np.int64, len(part.terms)), np.diff(part.indptr))
        for part in parts
    ]
    documents = np.concatenate([part.documents for part in parts]).astype(np.int64)
    return term_counts(
        terms, np.concatenate(numbers), documents, np.concatenate([part.frequencies for part in parts]), n
    )


def get_analyzer(spec: str | Analyzer, collection: Collection | None = None) -> Analyzer:
    """Return the analyzer that `spec` names, or `spec` itself if it is an analyzer.

    A spec is the name of a plugin; or that name followed by a whole number, its parameter ``n``: ``jamo3`` is the
    plugin ``jamo`` with ``n=3``; or a call with literal parameters, such as ``kiwi(tags="all")``.

    Args:
        spec: a name, a call or an analyzer.
        collection: passed to the plugin's factory; None outside a collection.

    Raises:
        AnalyzerError: no analyzer has this name, or it does not take this number.
        ComponentError: a call cannot be read, or the analyzer does not take this parameter.
        PluginError: the plugin is broken, fails while it makes the analyzer, or makes something else.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Analyzer):
            return spec
        raise AnalyzerError(f"{spec!r} is not an analyzer: it needs the attributes name, fingerprint and terms.")
    try:
        return cast(Analyzer, plugins.make("analyzer", spec, collection))
    except PluginNotFound as error:
        raise AnalyzerError(f"{error} Characters and jamo take a number, such as jamo3 or char2.") from None
