"""Base of the indexes of terms: an analyzer, its vocabulary, and documents by term, memory-mapped."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.analysis.language import WITHOUT_SPACES
from legalir.errors import ArtifactError
from legalir.storage.artifact import IndexArtifact
from legalir.storage.manifest import Manifest, rebuild_hint
from legalir.storage.strings import Strings

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

    Files of a build: the string table ``terms``, the docnos (see :mod:`legalir.storage.strings`), ``indptr.npy``,
    ``documents.npy``, ``lengths.npy``, and what a subclass adds.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; ``auto``: that of the index at `path`, or what suits the documents' language.
    """

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
        """Return a sha256 over the content of the index and its analyzer, the same for equal content anywhere."""
        return hashlib.sha256(f"{super().fingerprint()}{self.analyzer.fingerprint}".encode()).hexdigest()

    @cached_property
    def terms(self) -> Strings:
        """The vocabulary, ascending."""
        return Strings(self._opened[1], "terms")

    @property
    def order(self) -> npt.NDArray[np.int32]:
        """Position of each document among the ascending docnos, int32 [n]."""
        return self.docno_table.order

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Start of each term's postings, int64 [V + 1]."""
        return self.arrays["indptr"]

    @property
    def documents(self) -> npt.NDArray[np.int32]:
        """Document of each posting, int32 [P]; ascending within a term."""
        return self.arrays["documents"]

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the frequency of the term of a posting ``in_document``, and its number of ``documents``."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.arrays["lengths"])
