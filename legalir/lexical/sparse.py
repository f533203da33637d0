"""The sparse index, memory-mapped postings of a collection under one analyzer, with its retrievers.

Files of a build: see :class:`~legalir.lexical.term_index.TermIndex`; the one column is ``frequencies``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Le

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.collections import Collection, directory_name
from legalir.contract import factory_of
from legalir.errors import ComponentError
from legalir.lexical.ciff import Postings, read_ciff, write_ciff
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.term_index import TermIndex
from legalir.lexical.weights import (
    Floats,
    Rows,
    Weigher,
    atire_idf,
    bm25_norm,
    bm25_variant,
    bm25_weigher,
    bm25l_idf,
    bm25plus_idf,
    dirichlet_weigher,
    lucene_idf,
    posting_blocks,
    robertson_idf,
    sklearn_idf,
    tfidf_weights,
)
from legalir.progress import progress
from legalir.storage.arrays import save_array
from legalir.storage.artifact import building
from legalir.storage.documents import INDEXED_TEXT, counted, indexed_text
from legalir.storage.strings import write_docnos, write_strings
from legalir.storage.validity import dated

_OURS = "legalir, analyzer "
"""What a CIFF file of ours says of itself, before the name of its analyzer."""
_TERMS = 300
"""Terms of a foreign file by which the analyzer is checked."""


class SparseIndex(TermIndex):
    """Postings of the terms of one analyzer; `bm25` and other methods make retrievers of them.

    ::

        index = legalir.SparseIndex("my.index", analyzer="char2").index(docs)
        index.bm25(k1=1.5, b=0.75).search("무창층의 기준은?")

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; ``auto`` searches with the analyzer of the index at `path`, and builds with
            one for the language of the documents, by their first million characters.
    """

    kind = "sparse_index"
    version = 3
    columns = own = ("frequencies",)

    @classmethod
    def of(cls, collection: Collection, analyzer: str | Analyzer = "auto") -> Self:
        """Return the index of a collection, built on first use.

        Args:
            collection: the collection.
            analyzer: a name or an analyzer.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index cannot be written.
        """
        chosen = get_analyzer(analyzer, collection)

        def build(index: Self) -> None:
            with progress(f"Indexing ({chosen.name}): {collection.id}", len(collection.source.store)) as advance:
                documents = (provision._asdict() for provision in collection.docs())
                index.index(counted(documents, advance), corpus=collection.fingerprint(), executor=collection.executor)

        return collection.cached(
            cls(collection.cache / f"sparse-{directory_name(chosen.name, chosen.fingerprint)}", chosen), build
        )

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the index of another state of a collection with the facts of this one's manifest."""
        return cls.of(collection, facts["analyzer"]["name"])

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self,
        iter: Iterable[Mapping[str, Any]],
        *,
        corpus: str = "",
        executor: Executor | None = None,
    ) -> Self:
        """Build the index; an existing one is replaced only when the new one is complete.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            corpus: fingerprint of the collection, kept in the manifest.
            executor: its workers count the terms; None: this process does.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is not a string.
        """
        return self._build(iter, {"indexed": INDEXED_TEXT, "corpus": corpus}, executor)

    def to_ciff(self, path: str | PathLike[str]) -> None:
        """Write the index as a CIFF file, which Lucene, PISA, Terrier and others read; ``.gz`` is compressed.

        Raises:
            ArtifactError: the index cannot be read.
            OSError: the file cannot be written.
        """
        own = (self.terms, self.indptr, self.documents, self.frequencies, self.docnos.tolist(), self.lengths)
        write_ciff(Path(path), Postings(*own, f"{_OURS}{self.analyzer.name}"))

    def from_ciff(self, path: str | PathLike[str]) -> Self:
        """Build the index from a CIFF file; an existing one is replaced only when the new one is complete.

        The analyzer must be named in the constructor, because a file of another toolkit does not say which one made its
        terms; it must cut questions as that toolkit did. It is not the one if it cuts most of the terms again.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: the index has the analyzer ``auto`` or another one than the file, or a docno is empty or
                occurs twice.
            FormatError: it is not a whole CIFF file.
        """
        if self._asked is None:
            raise ComponentError(
                "from_ciff: analyzer='auto' cannot be known from a CIFF file: name the one that cuts questions as the "
                'exporting toolkit did, such as SparseIndex(path, analyzer="word").'
            )
        index = read_ciff(Path(path))
        self._check_terms(Path(path).name, index, self._asked)
        with building(self.directory, self.kind, self.version) as (data, facts):
            deque(dated(({"docno": docno} for docno in index.docnos), data), maxlen=0)
            for name in ("indptr", "documents", "frequencies", "lengths"):
                save_array(data / f"{name}.npy", getattr(index, name))
            save_array(data / "df.npy", np.diff(index.indptr))
            write_strings(data, "terms", index.terms)
            write_docnos(data, index.docnos)
            facts["analyzer"] = {"name": self._asked.name, "fingerprint": self._asked.fingerprint}
            facts.update(documents=len(index.docnos), terms=len(index.terms), indexed="CIFF", corpus="")
        self.forget()
        return self

    def _check_terms(self, name: str, index: Postings, asked: Analyzer) -> None:
        """Check that the analyzer of questions is the one that made the terms of a file."""
        if index.description.startswith(_OURS):
            if (made := index.description.removeprefix(_OURS)) != asked.name:
                raise ComponentError(
                    f"from_ciff: {name} was made by analyzer={made!r}, not {asked.name!r}: name that one."
                )
            return
        some = index.terms[:: max(1, len(index.terms) // _TERMS)]
        whole = sum(asked.terms(term) == [term] for term in some)
        if whole * 2 < len(some):
            raise ComponentError(
                f"from_ciff: analyzer={asked.name!r} cuts {len(some) - whole} of {len(some)} terms of {name}, such "
                f"as {some[0]!r}: name one that cuts questions as the exporting toolkit did."
            )

    def texts_of(self, document: Mapping[str, Any]) -> Sequence[str]:
        """Return the indexed text of a document."""
        return (indexed_text(document),)

    @property
    def frequencies(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Term frequency of each posting, unsigned [P]."""
        return self.arrays["frequencies"]

    @cached_property
    def cf(self) -> npt.NDArray[np.int64]:
        """Number of occurrences of each term in all documents; int64 [V]."""
        counts = np.empty(len(self.df), dtype=np.int64)
        for terms, postings in posting_blocks(self.indptr):
            starts = self.indptr[terms] - postings.start
            counts[terms] = np.add.reduceat(self.frequencies[postings], starts, dtype=np.int64)
        return counts

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the frequency of a term in the document of a posting, and its number of documents."""
        return {"in_document": int(self.frequencies[posting]), "documents": int(self.df[term])}

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def bm25(
        self,
        k1: float = 0.9,
        b: float = 0.4,
        num_results: int = 1000,
        method: Method = "lucene",
        delta: float | None = None,
    ) -> BM25:
        """Return a BM25 retriever; its parameters need no new index."""
        return BM25(self, k1=k1, b=b, num_results=num_results, method=method, delta=delta)

    def ql(self, mu: float = 1000, num_results: int = 1000) -> QueryLikelihood:
        """Return a retriever by query likelihood; `mu` needs no new index."""
        return QueryLikelihood(self, mu=mu, num_results=num_results)

    def tfidf(self, num_results: int = 1000, idf: Idf = "lucene", min_df: int = 1, max_df: float = 1.0) -> TFIDF:
        """Return a TF-IDF retriever with cosine scores; its parameters need no new index."""
        return TFIDF(self, idf=idf, num_results=num_results, min_df=min_df, max_df=max_df)


_ADDED = 8
"""Occurrences of a query term that are added one by one; bounds the cost of a query of one repeated word."""


Method = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]

_IDF = {
    "lucene": lucene_idf,
    "robertson": robertson_idf,
    "atire": atire_idf,
    "bm25l": bm25l_idf,
    "bm25+": bm25plus_idf,
}

_DELTAS = {"bm25l": 0.5, "bm25+": 1.0}
"""δ of the papers."""


class BM25(SparseRetriever):
    """BM25 [bm25] with exact document lengths, in Lucene's form or another one [bm25-variants].

    ``score(q, d) = Σ_t qtf · idf(t) · f(t, d)`` over the terms that query and document share, where qtf is the
    frequency of the term in the query. With ``n = 1 − b + b·dl/avgdl`` and ``c = tf/n``:

    - ``lucene``: ``ln(1 + (N − df + ½)/(df + ½))`` and ``tf/(tf + k1·n)``.
    - ``robertson``: ``ln((N − df + ½)/(df + ½))``, 0 where half of the documents have the term, and f of ``lucene``.
    - ``atire``: ``ln(N/df)`` and ``(k1 + 1)·tf/(tf + k1·n)``.
    - ``bm25l`` [bm25l]: ``ln((N + 1)/(df + ½))`` and ``(k1 + 1)·(c + δ)/(k1 + c + δ)``.
    - ``bm25+`` [bm25-plus]: ``ln((N + 1)/df)`` and ``(k1 + 1)·tf/(tf + k1·n) + δ``.

    The names and the scores are bm25s's [bm25s], except for terms that a document lacks: as in the papers,
    they add nothing under ``bm25l`` and ``bm25+``. bm25s adds f(t, d) for tf = 0 there, and ``bm25+`` then ranks as
    without δ. Under ``robertson`` and ``atire``, a document that only shares terms of idf 0 is not a result.

    All parameters are free at search time: the index keeps raw frequencies.

    Raises:
        ComponentError: a parameter is out of range, or `delta` is given for a method without it.
    """

    name = "bm25"

    index: Annotated[SparseIndex, "the sparse index"]
    k1: Annotated[float, Ge(0), "saturation of term frequency"] = 0.9
    b: Annotated[float, Ge(0), Le(1), "length normalisation"] = 0.4
    num_results: Annotated[int, Ge(1), "results per query"] = 1000
    method: Annotated[Method, "the variant"] = "lucene"
    delta: Annotated[
        float | None,
        Ge(0),
        "δ; None for 0.5 under ``bm25l`` and 1 under ``bm25+``, the values of the papers",
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta is not None and self.method not in _DELTAS:
            raise ComponentError(
                f"bm25: delta={self.delta!r} has no part in method={self.method!r}: leave it out, or take bm25l or "
                f"bm25+."
            )

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        variant = "" if self.method == "lucene" else f", method={self.method}"
        variant += f", delta={self._bound:g}" if self.method in _DELTAS else ""
        return f"bm25({self.index.analyzer.name}, k1={self.k1:g}, b={self.b:g}{variant})"

    @property
    def _bound(self) -> float:
        return _DELTAS.get(self.method, 0.0) if self.delta is None else self.delta

    def weighting(self) -> Weigher:
        """Return the function to idf times saturated frequency."""
        index = self.index
        k, scale, shift = bm25_variant(self.method, self.k1, self._bound)
        norm, idf_of = bm25_norm(index.lengths, k, self.b), _IDF[self.method]

        def idf(terms: Rows) -> Floats:  # It does not hold this object, which holds the weights, tens of megabytes.
            return idf_of(len(index), index.df[terms])

        return bm25_weigher(index.indptr, index.documents, index.frequencies, norm, idf, scale, shift)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term as often as the query holds it, with weight 1.

        Adding a weight twice rounds differently from adding its double; other libraries add each occurrence. A term
        that occurs more than `_ADDED` times is added once, with its frequency as weight.
        """
        added = tf <= _ADDED
        times = np.where(added, tf, 1)
        return np.repeat(terms, times), np.repeat(np.where(added, 1, tf), times).astype(np.float32)


bm25 = factory_of(
    BM25,
    'BM25 over the terms of `analyzer`: ``bm25(analyzer="char2", k1=1.5, b=0.75)``, ``bm25(method="bm25+")``.',
)


class QueryLikelihood(SparseRetriever):
    """Query likelihood with Dirichlet smoothing [query-likelihood], [smoothing].

    ``score(q, d) = ln p(q|d) − ln p(q|C) = Σ_t qtf · ln(1 + tf/(μ·p(t|C))) + |q|·ln(μ/(μ + dl))``: the first sum is
    over the terms that query and document share, p(t|C) is the share of the term in all occurrences, and ``|q|`` the
    number of occurrences of the query's terms that the collection has. The likelihood of the query in the collection is
    the same for all documents.

    Scores may be below 0: the document then explains the query less well than the collection does. As everywhere,
    results share a term with the query; a document that shares none may have a better score than one that does, and is
    not a result. :meth:`scorer` gives each document its score.
    """

    name = "ql"

    index: Annotated[SparseIndex, "the sparse index"]
    mu: Annotated[float, Ge(1), "μ, the weight of the collection, in occurrences of terms"] = 1000
    num_results: Annotated[int, Ge(1), "results per query"] = 1000

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        return f"ql({self.index.analyzer.name}, mu={self.mu:g})"

    def weighting(self) -> Weigher:
        """Return the function to the logarithm of the smoothed frequency, compared with the collection."""
        index, cf, mu, occurrences = self.index, self.index.cf, self.mu, max(1, int(self.index.cf.sum()))
        return dirichlet_weigher(index.indptr, index.frequencies, lambda terms: mu * cf[terms] / occurrences)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term with its frequency."""
        return terms, tf.astype(np.float32)

    def final(self, matched: npt.NDArray[np.float32], weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return `matched` less what the length of each document costs; [n]."""
        cost = weights.sum(dtype=np.float64) * np.log1p(self.index.lengths / self.mu)
        scores: npt.NDArray[np.float32] = (matched - cost).astype(np.float32)
        return scores


ql = factory_of(
    QueryLikelihood,
    "Query likelihood with Dirichlet smoothing over the terms of `analyzer`: ``ql(mu=2000)``.",
)


Idf = Literal["lucene", "sklearn"]


class TFIDF(SparseRetriever):
    """Cosine of TF-IDF vectors with logarithmic term frequency.

    A term weighs ``(1 + ln tf)·idf`` in query and document alike, and both vectors are scaled to length 1; the
    query's length counts its terms that the collection knows. Scores lie in [0, 1]. With ``idf="sklearn"`` they are
    the scores of scikit-learn's ``TfidfVectorizer(sublinear_tf=True)`` over the same terms, also with `min_df` and
    `max_df`: terms outside are 0 in all vectors.
    """

    name = "tfidf"

    index: Annotated[SparseIndex, "the sparse index"]
    idf: Annotated[
        Idf,
        "``lucene``, ``ln(1 + (N − df + ½)/(df + ½))`` as in BM25; or ``sklearn``, ``ln((1 + N)/(1 + df)) + "
        "1``, which keeps the weight of a frequent term from vanishing",
    ] = "lucene"
    num_results: Annotated[int, Ge(1), "results per query"] = 1000
    min_df: Annotated[int, Ge(1), "number of documents that must hold a term for it to count"] = 1
    max_df: Annotated[
        float,
        Ge(0),
        Le(1),
        "largest share of the documents that may hold a term for it to count",
    ] = 1.0

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        limits = [f"min_df={self.min_df}"] * (self.min_df > 1) + [f"max_df={self.max_df:g}"] * (self.max_df < 1)
        return f"tfidf({', '.join([self.index.analyzer.name, f'idf={self.idf}', *limits])})"

    def _idf_of(self, df: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        formula, n = lucene_idf if self.idf == "lucene" else sklearn_idf, len(self.index)
        return np.where((df >= self.min_df) & (df <= self.max_df * n), formula(n, df), 0.0)

    def weighting(self) -> npt.NDArray[np.float32]:
        """Return the cosine weight of each posting; [P]."""
        index = self.index
        return tfidf_weights(index.indptr, index.documents, index.frequencies, index.lengths, self._idf_of(index.df))

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the query vector, scaled to length 1."""
        raw = (1 + np.log(tf)) * self._idf_of(self.index.df[terms])
        return terms, (raw / (np.sqrt(np.square(raw).sum()) or 1.0)).astype(np.float32)

    def final(self, matched: npt.NDArray[np.float32], weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return `matched`, at most the length of the query; [n]."""
        # Rounding may lift the cosine of equal vectors above 1.
        return np.minimum(matched, np.float32(max(1.0, float(np.linalg.norm(weights.astype(np.float64))))))


tfidf = factory_of(
    TFIDF, 'TF-IDF with cosine over the terms of `analyzer`: ``tfidf(analyzer="char2", idf="sklearn")``.'
)
