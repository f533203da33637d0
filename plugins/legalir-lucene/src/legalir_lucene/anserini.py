"""BM25 over an index that Anserini or pyserini built, such as a prebuilt one: their searcher, by its path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Le

from legalir.errors import ArtifactError, ComponentError
from legalir.extend import Collection, LawTable, file_digest, parameters_of
from legalir_lucene.foreign import ForeignIndex
from legalir_lucene.machine import machine, speaking_plainly

__all__ = ["Anserini", "anserini"]

_ENGLISH = "en"
_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class Anserini(ForeignIndex):
    """BM25 over an index that Anserini built, by Anserini's own searcher and analyzers [anserini].

    Scores are Anserini's: rounded to four decimals, and equal ones made different in the sixth. The id of a document
    must be its docno in the collection; other documents are left out, and a warning counts them.

    Columns in: ``qid, query``; results are refused. Columns out: the query columns, then ``docno, score, rank``.

    Raises:
        ComponentError: `path` is not a folder with an index of Lucene.
    """

    name = "anserini"

    _: KW_ONLY
    path: Annotated[str | PathLike[str], "folder of the index, with a file ``segments_*``"]
    k1: Annotated[float, Ge(0), Le(1e9), "saturation of term frequency"] = 0.9
    b: Annotated[float, Ge(0), Le(1), "length normalisation"] = 0.4
    language: Annotated[str, "code of the language whose analyzer built the index; ``en`` stems as Porter"] = _ENGLISH

    def __post_init__(self) -> None:
        super().__post_init__()
        self._opened: tuple[str, Any] | None = None
        _ = self.fingerprint  # A wrong path must not come up after other systems have run.

    @property
    def label(self) -> str:
        """The retriever with the name of the folder, and with what its scores depend on."""
        return f"anserini({self._folder.name}, {self.language}, k1={self.k1:g}, b={self.b:g})"

    @property
    def _folder(self) -> Path:
        return Path(self.path).expanduser().absolute()

    @property
    def fingerprint(self) -> str:
        """The sha256 of the last file ``segments_*``, which names all segments and has random ids of them."""
        segments = sorted(self._folder.glob("segments_*"), key=lambda file: (len(file.name), file.name))
        if not segments:
            raise ComponentError(
                f"anserini: path={str(self.path)!r} is not a folder with an index of Lucene (seen from {Path.cwd()}): "
                f"it needs a file segments_*."
            )
        return file_digest(segments[-1])

    def map(self, function: Callable[[_Item], _Made], items: Iterable[_Item]) -> list[_Made]:
        """Return what `function` makes of each item, several at once in threads of Java."""
        _ = self._searcher
        return machine().map(function, items)

    def ask(self, query: str, k: int) -> tuple[Sequence[str], Sequence[float]]:
        """Return the ids and scores of the best `k` documents.

        Raises:
            ArtifactError: this Lucene cannot read the index.
            ComponentError: Anserini has no analyzer of the language.
            LegalIRError: Java or Lucene is missing, too old, or out of memory.
        """
        hits = self._searcher.search(query, k)
        return [hit.docid for hit in hits], [hit.score for hit in hits]

    @property
    def _searcher(self) -> Any:
        now = self.fingerprint
        if self._opened is None or self._opened[0] != now:
            self._opened = now, self._open()
        return self._opened[1]

    def _open(self) -> Any:
        java = machine()
        languages = [_ENGLISH, *java.java("io.anserini.analysis.AnalyzerMap").analyzerMap.keySet().toArray()]
        if self.language not in languages:
            raise ComponentError(
                f"anserini: language={self.language!r} is not one of Anserini's: {', '.join(sorted(languages))}."
            )
        try:
            with speaking_plainly():
                searcher = java.java("io.anserini.search.SimpleSearcher")(str(self._folder))
                searcher.set_bm25(float(self.k1), float(self.b))
                if self.language != _ENGLISH:
                    searcher.set_language(self.language)
                searcher.search("a", 1)  # Its first question makes what later ones share.
        except OSError as error:
            raise ArtifactError(
                f"{self.path} cannot be read by Lucene {java.lucene} ({error}): take the index again, or the pyserini "
                f"that it was built with."
            ) from error
        return searcher


@parameters_of(Anserini, without=["index"])
def anserini(collection: Collection, **params: Any) -> Anserini:
    """Rank by BM25 over an index that Anserini built: ``anserini(path="indexes/harbour", language="en")``."""
    return Anserini(LawTable.of(collection), **params)
