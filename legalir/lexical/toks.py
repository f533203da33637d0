"""Learned sparse vectors that others made (SPLADE and its kin): their index, and retrieval by dot product.

Files of a build: the docnos (see :mod:`legalir.storage.strings`), the vocabulary ``terms``, ``indptr.npy`` int64
[V + 1], ``documents.npy`` int32 [P], ``weights.npy`` float32 [P], ``df.npy`` int64 [V]. V terms, n documents, P
postings.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.collections import Collection, directory_name
from legalir.contract import factory_of
from legalir.datasets.readers import Fault, json_rows, stop
from legalir.errors import ComponentError
from legalir.lexical.retriever import Query, SparseRetriever, weighted_terms
from legalir.lexical.term_index import TermIndex
from legalir.storage.arrays import save_array
from legalir.storage.artifact import IndexArtifact, Manifest, building
from legalir.storage.digest import digest, file_digest
from legalir.storage.documents import docno_of
from legalir.storage.strings import write_docnos, write_strings
from legalir.storage.validity import dated

_log = logging.getLogger("legalir")


class ToksIndex(TermIndex):
    """Documents by the terms of vectors that a model made elsewhere.

    ::

        index = ToksIndex("my.index").index([{"docno": "a-1", "toks": {"lamp": 1.5, "light": 0.4}}])
        index.retriever()(pd.DataFrame({"qid": ["1"], "query_toks": [{"lamp": 2.0}]}))  # a-1 has 3.0

    Args:
        path: directory of the artifact.
        analyzer: makes the terms of questions that have no ``query_toks``; None refuses such questions.
    """

    kind = "toks_index"
    version = 1
    columns = own = ("weights",)

    def __init__(self, path: str | PathLike[str], analyzer: str | Analyzer | None = None) -> None:
        super().__init__(path)
        self._asked = None if analyzer is None else get_analyzer(analyzer)

    @classmethod
    def of(cls, collection: Collection, path: str | PathLike[str], analyzer: str | Analyzer | None = None) -> Self:
        """Return the index of the vectors of a collection, built on first use.

        Vectors of documents that the collection lacks are left out, and documents without a vector score 0; a warning
        says how many.

        Args:
            collection: the collection.
            path: the vectors, JSON lines as :func:`read_vectors` reads them; it may end in ``.gz``.
            analyzer: makes the terms of questions that have no ``query_toks``, such as ``word``; None refuses such
                questions.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index cannot be written.
            ComponentError: there is no such file, or no document of the collection has a vector.
            FormatError: a line of the file is faulty.
        """
        if not isinstance(path, str | PathLike) or not (file := Path(path).expanduser().absolute()).is_file():
            raise ComponentError(f"toks: path={path!r} is not a file (seen from {Path.cwd()}): give JSON lines.")
        sha256 = file_digest(file)

        def build(index: Self) -> None:
            # Docnos and dates; a document without text is repealed.
            waiting = {one.doc_id: one._replace(text=one.text.strip()[:1])._asdict() for one in collection.docs()}
            unknown: list[str] = []
            facts: dict[str, Any] = {"file": file.name, "path": str(file), "corpus": collection.fingerprint()}
            total = len(waiting)

            def documents() -> Iterator[Mapping[str, Any]]:
                for docno, toks in read_vectors(file):
                    if docno in waiting:
                        yield {**waiting.pop(docno), "toks": toks}
                    else:
                        unknown.append(docno)
                facts.update(unknown=len(unknown), example=unknown[:1], without=len(waiting))
                if waiting and len(waiting) == total:
                    raise ComponentError(
                        f"toks: path={str(path)!r} has no vector of a document of {collection.id}, but {len(unknown)} "
                        f"others{f', such as {unknown[0]!r}' if unknown else ''}: give each vector the docno of "
                        f"a document, such as {next(iter(waiting))!r}."
                    )
                yield from ({**one, "toks": {}} for one in waiting.values())

            index._write(documents(), facts)

        chosen = None if analyzer is None else get_analyzer(analyzer, collection)
        return collection.cached(cls(collection.cache / f"toks-{directory_name(file.name, sha256)}", chosen), build)

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the index of another state of a collection with the facts of this one's manifest."""
        return cls.of(collection, facts["path"])

    def index(self, iter: Iterable[Mapping[str, Any]]) -> Self:  # type: ignore[override]  # as SparseIndex.index
        """Build the index; an existing one is replaced only when the new one is complete.

        All postings are in memory meanwhile, about 30 bytes each.

        Args:
            iter: documents with ``docno`` (or ``doc_id``) and ``toks``, a dict of terms and weights, as PyTerrier has
                them. A weight of 0 is as no term.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or ``toks`` is not a dict of strings and finite numbers.
        """
        return self._write(iter, {"corpus": ""})

    def _write(self, iter: Iterable[Mapping[str, Any]], known: dict[str, Any]) -> Self:
        with building(self.directory, self.kind, self.version) as (data, facts):
            ids: dict[str, int] = {}
            docnos: list[str] = []
            sizes, term, weight = array("l"), array("l"), array("f")
            for document in dated(iter, data):
                docnos.append(docno_of(document))
                toks: Any = document.get("toks")
                if fault := fault_of(toks):
                    raise ComponentError(f"toks of document {docnos[-1]!r}: {fault}.")
                sizes.append(len(toks))
                term.extend(ids.setdefault(one, len(ids)) for one in toks)
                weight.extend(map(float, toks.values()))
            weights = np.array(weight, dtype=np.float32)
            kept = np.flatnonzero(weights)
            # Numbers of terms follow the ascending vocabulary, of which each term has a posting.
            used, place = np.unique(np.array(term, dtype=np.int64)[kept], return_inverse=True)
            names = list(ids)
            order = sorted(range(len(used)), key=lambda one: names[used[one]])
            number = np.empty(len(used), dtype=np.int64)
            number[order] = np.arange(len(used))
            numbers = number[place]
            by_term = np.argsort(numbers, kind="stable")
            df = np.bincount(numbers, minlength=len(used)).astype(np.int64)
            documents = np.repeat(np.arange(len(docnos), dtype=np.int32), np.array(sizes, dtype=np.int64))
            save_array(data / "indptr.npy", np.concatenate(([0], np.cumsum(df))))
            save_array(data / "documents.npy", documents[kept][by_term])
            save_array(data / "weights.npy", weights[kept][by_term])
            save_array(data / "df.npy", df)
            write_strings(data, "terms", [names[used[one]] for one in order])
            write_docnos(data, docnos)
            facts.update(documents=len(docnos), terms=len(used), **known)
        self.forget()
        return self

    def _check(self, manifest: Manifest) -> None:
        facts = manifest.facts
        if facts.get("unknown"):
            _log.warning(
                f"toks: {facts['unknown']} vectors of {facts['file']}, such as that of {facts['example'][0]!r}, are of "
                f"documents that the collection does not have; they are left out."
            )
        if facts.get("without"):
            _log.warning(
                f"toks: {facts['without']} of {facts['documents']} documents have no vector in {facts['file']}; they "
                f"are not found."
            )

    def _shown(self) -> str:
        return "" if self._asked is None else f", analyzer={self._asked.name!r}"

    @cached_property
    def analyzer(self) -> Analyzer:
        """The analyzer of questions.

        Raises:
            ComponentError: none was given.
        """
        if self._asked is None:
            raise ComponentError(
                "toks: the questions have text alone, and the model that made the vectors is not here: give the column "
                'query_toks, a dict of terms and weights; or an analyzer, as in toks(path="…", analyzer="word"), of '
                "which each term has the weight 1."
            )
        return self._asked

    @property
    def origin(self) -> str:
        """What made the terms, for messages."""
        return "the model that made the vectors"

    def fingerprint(self) -> str:
        """Return a sha256 that changes whenever scores may change: over the files and the analyzer of questions."""
        return digest([IndexArtifact.fingerprint(self), "" if self._asked is None else self._asked.fingerprint])

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the weight of a term in the document of a posting, and its number of documents."""
        return {"in_document": float(self.arrays["weights"][posting]), "documents": int(self.df[term])}

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "toks"]]

    def retriever(self, num_results: int = 1000) -> Toks:
        """Return the retriever over the vectors."""
        return Toks(self, num_results=num_results)


def fault_of(toks: object) -> str:
    """Return what is wrong with the vector of a document; empty if nothing is."""
    return "" if weighted_terms(toks) else f"it is {str(toks)[:80]!r}, and must be a dict of terms and finite weights"


def read_vectors(path: Path) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield docno and weighted terms of each line of a JSON-lines file.

    A line has ``docno`` (or ``doc_id``, or ``id``) and ``toks`` (or ``vector``, as Anserini names it).

    Raises:
        FormatError: a line is not such an object, or its docno is on an earlier line, too.
        DataError: the file cannot be read.
    """
    seen: set[str] = set()
    for line, row in json_rows(path):
        docno = next((row[name] for name in ("docno", "doc_id", "id") if name in row), None)
        toks = row.get("toks", row.get("vector"))
        fault = fault_of(toks)
        if not isinstance(docno, str) or not docno:
            fault = f"docno must be a string that is not empty, got {docno!r}"
        elif docno in seen:
            fault = f"docno {docno!r} is on an earlier line, too"
        elif fault:
            fault = f"toks of {docno!r}: {fault}"
        if fault:
            stop(Fault(path, line, "vector", fault))
        seen.add(str(docno))
        yield str(docno), toks  # type: ignore[misc]  # fault_of has looked at it


class Toks(SparseRetriever):
    """Dot product of learned sparse vectors, ``score(q, d) = Σ_t q_t · d_t`` over the terms that both have [splade].

    The weights of a question are its ``query_toks``. Where there is no such column, each term that the analyzer of the
    index finds weighs as often as it occurs; without an analyzer that is an error. Only scores above 0 are results.
    """

    name = "toks"

    index: Annotated[ToksIndex, "the index of the vectors"]
    num_results: Annotated[int, Ge(1), "results per query"] = 1000

    @property
    def label(self) -> str:
        """The retriever as in an expression."""
        return f"toks({self.index.manifest.facts.get('file', self.index.directory.name)})"

    def weighting(self) -> npt.NDArray[np.float32]:
        """Return the weight of each posting; [P]."""
        weights: npt.NDArray[np.float32] = self.index.arrays["weights"]
        return weights

    def known_terms(self, query: Query) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        """Return the terms of a query that the index has, and the frequency or weight of each; [q], [q].

        A warning is logged for a text without any: the analyzer may not be the one of the model.
        """
        terms, tf = super().known_terms(query)
        if isinstance(query, str) and query.strip() and not len(terms):
            _log.warning(
                f"toks: no term that the analyzer {self.index.analyzer.name} finds in {query[:40]!r} has a weight: "
                f"is it the analyzer of {self.index.origin}?"
            )
        return terms, tf

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term with its frequency."""
        return terms, tf.astype(np.float32)


toks = factory_of(
    Toks,
    'Dot product of learned sparse vectors in a file and `query_toks`: ``toks(path="vectors.jsonl.gz")``.',
)
