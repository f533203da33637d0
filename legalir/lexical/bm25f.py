"""BM25F: BM25 over several weighted fields, and its index, in which postings know the field of a term.

Files of a build: see :class:`~legalir.lexical.term_index.TermIndex`; there is a column ``frequencies.<field>`` for each
field, with 0 where the field lacks the term.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.collections import Collection, directory_name
from legalir.contract import factory_of
from legalir.declared import check_number
from legalir.errors import ComponentError, suggestion
from legalir.graph.citation_graph import CitationGraph
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.term_index import TermIndex
from legalir.lexical.weights import Floats, Rows, Weigher, bm25f_weigher, field_factor, lucene_idf
from legalir.progress import progress
from legalir.storage.documents import Provision, counted, field_text

FIELDS = ("title", "text", "path", "citing")
"""Indexed fields: title, body, the chapter that holds a provision, and the headings of the provisions that cite it."""

_DENSE_LINKS = 0.5
"""Links a provision from which on the chapters of citing provisions describe a provision that has no heading."""


class FieldIndex(TermIndex):
    """Postings of a collection by field, under one analyzer and one vocabulary.

    A posting is a term and a document that holds it in any field; each field has a column of frequencies.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; ``auto`` searches with the analyzer of the index at `path`, and builds with
            one for the language of the documents, by their first million characters.
    """

    kind = "field_index"
    version = 4
    columns = tuple(f"frequencies.{field}" for field in FIELDS)
    # Paths and headings of others do not say how common a term is: they repeat the same few words in many documents.
    own = ("frequencies.title", "frequencies.text")

    @classmethod
    def of(cls, collection: Collection, analyzer: str | Analyzer = "auto") -> Self:
        """Return the index of a collection, built on first use.

        Args:
            collection: the collection, with the links that give the field ``citing``.
            analyzer: a name or an analyzer.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index cannot be written.
            FormatError: a line of the links is faulty.
        """
        chosen = get_analyzer(analyzer, collection)

        def build(index: Self) -> None:
            store, graph = collection.source.store, CitationGraph.of(collection)
            # Every provision is a node, and nodes are numbered by ascending docno.
            documents = with_citing(collection.docs(), graph, store.docnos.order, _descriptions(collection, graph))
            with progress(f"Indexing fields ({chosen.name}): {collection.id}", len(store)) as advance:
                index.index(
                    counted(documents, advance),
                    corpus=collection.fingerprint(),
                    links=graph.fingerprint(),
                    executor=collection.executor,
                )

        name = f"fields-{directory_name(chosen.name, chosen.fingerprint)}"
        return collection.cached(cls(collection.links_cache / name, chosen), build)

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the index of another state of a collection with the facts of this one's manifest."""
        return cls.of(collection, facts["analyzer"]["name"])

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self,
        iter: Iterable[Mapping[str, Any]],
        *,
        corpus: str = "",
        links: str = "",
        executor: Executor | None = None,
    ) -> Self:
        """Build the index; an existing one is replaced only when the new one is complete.

        Args:
            iter: documents with ``docno`` (or ``doc_id``) and any of `FIELDS`; a missing field is empty. See
                :func:`with_citing` for the last of them.
            corpus: fingerprint of the collection, kept in the manifest.
            links: fingerprint of its citation graph, kept in the manifest.
            executor: its workers count the terms; None: this process does.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a field is not a string.
        """
        return self._build(iter, {"fields": list(FIELDS), "corpus": corpus, "links": links}, executor)

    def texts_of(self, document: Mapping[str, Any]) -> Sequence[str]:
        """Return the text of each field of a document."""
        return [field_text(document, field) for field in FIELDS]

    def frequencies(self, field: str) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Return the frequency of the term in one of `FIELDS` for each posting, unsigned [P]."""
        return self.arrays[f"frequencies.{field}"]

    def occurrences(self, term: int, posting: int, fields: Iterable[str] = FIELDS) -> dict[str, object]:
        """Return the frequency of a term in all of `fields` and in each, and its documents by title or text."""
        found = {field: int(self.frequencies(field)[posting]) for field in fields}
        in_fields = {field: tf for field, tf in found.items() if tf}
        return {"in_document": sum(found.values()), "documents": int(self.df[term]), "fields": in_fields}


def _descriptions(collection: Collection, graph: CitationGraph) -> npt.NDArray[np.object_]:
    """Return the words that describe each provision, object [n]: its heading; if no provision has one, its path.

    Where citations are few, the same words in few provisions would only raise those, and paths are not used.
    """
    headings = collection.source.store.column("heading")
    if any(headings) or graph.links_count() < _DENSE_LINKS * len(headings):
        return headings
    return np.array([record.path for record in collection.docs()], dtype=object)


def with_citing(
    provisions: Iterable[Provision],
    graph: CitationGraph,
    nodes: npt.NDArray[np.integer],
    headings: npt.NDArray[np.object_],
    most: int = 40,
) -> Iterator[dict[str, Any]]:
    """Yield each provision as a dict: its fields, and ``citing``, the headings of the provisions that cite it.

    A search engine uses the text of links in the same way. There is a line for each heading, in the order of the docnos
    of the citing provisions.

    Args:
        provisions: n provisions.
        graph: the citations.
        nodes: node of each provision; [n].
        headings: heading of each provision, or other words that describe it; [n].
        most: largest number of headings of one provision. A definition that a whole code cites would be longer than any
            provision.
    """
    heading = np.full(len(graph), "", dtype=object)
    heading[nodes] = headings
    by_node, links = heading.tolist(), graph.adjacency("in")
    for record, node in zip(provisions, nodes.tolist(), strict=True):
        citing = [by_node[source] for source in links.row(node).tolist() if by_node[source]]
        yield {**record._asdict(), "citing": "\n".join(citing[:most])}


DEFAULT_FIELDS = {"title": 2.0, "text": 1.0, "path": 1.0, "citing": 1.0}
DEFAULT_B = {"title": 0.5, "text": 0.75, "path": 0.5, "citing": 0.5}


class BM25F(SparseRetriever):
    """BM25 over weighted fields [bm25f].

    ::

        tf′ = Σ_f w_f · tf_f / (1 − b_f + b_f · l_f/avg_f)
        score(q, d) = Σ_t qtf^x · idf(t) · tf′ / (tf′ + k1)

    Frequencies are added up over the fields before they are saturated, so that a term in two fields is not counted as
    two terms. avg_f is the mean length of field f in the documents that have it; idf is Lucene's, over the documents
    that hold the term in title or text. `k1`, the weights and `b` are free at search time.

    Beyond the paper: lengths are normalised by field (as in its authors' TREC 2004 experiments), and `query_exponent`.

    Raises:
        ComponentError: a parameter is out of range, or a field is unknown.
    """

    name = "bm25f"

    index: Annotated[FieldIndex, "the field index"]
    k1: Annotated[float, Ge(0), "saturation of term frequency"] = 2.0
    fields: Annotated[
        Mapping[str, float] | None,
        "weight of each field, at least 0 and not all 0; a field that is left out has weight 0. The default "
        "is title 2, text 1, path 1, citing 1",
    ] = None
    b: Annotated[
        Mapping[str, float] | float | None,
        "length normalisation of each field, from 0 to 1; a number for all of them, or a dict whose omitted "
        "fields have the default: 0.75 of the text, else 0.5",
    ] = None
    query_exponent: Annotated[
        float,
        Ge(0),
        "x, at least 0: with 1 each occurrence of a term in the query counts, with 0.5 the root of their "
        "number, which suits long questions, and with 0 a term counts once",
    ] = 0.5
    num_results: Annotated[int, Ge(1), "results per query"] = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.fields = self._weights = _by_field("fields", DEFAULT_FIELDS if self.fields is None else self.fields)
        if not any(self._weights.values()):
            raise ComponentError("bm25f: no field has a weight above 0: give one a weight.")
        given = self.b if self.b is None or isinstance(self.b, Mapping) else dict.fromkeys(FIELDS, self.b)
        self.b = self._b = {**DEFAULT_B, **_by_field("b", given or {}, high=1)}

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        weights = ", ".join(f"{field} {weight:g}" for field, weight in self._weights.items() if weight)
        return f"bm25f({self.index.analyzer.name}, k1={self.k1:g}, {weights})"

    def weighting(self) -> Weigher:
        """Return the function to idf times saturated frequency."""
        index = self.index
        factors = [
            field_factor(index.lengths[:, number], weight, self._b[field])
            if (weight := self._weights.get(field))
            else None
            for number, field in enumerate(FIELDS)
        ]
        frequencies, n = [index.frequencies(field) for field in FIELDS], len(index)

        def idf(terms: Rows) -> Floats:
            return lucene_idf(n, index.df[terms])

        return bm25f_weigher(index.indptr, index.documents, frequencies, factors, idf, self.k1)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term once, with qtf^x."""
        return terms, (tf.astype(np.float64) ** self.query_exponent).astype(np.float32)

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the frequency of a term in the fields with a weight and in each, and its documents."""
        counting = [field for field, weight in self._weights.items() if weight]
        return self.index.occurrences(term, posting, counting)


def _by_field(name: str, given: object, high: float = float("inf")) -> dict[str, float]:
    """Return the checked values of `given`, in the order of the fields."""
    if not isinstance(given, Mapping):
        raise ComponentError(f"bm25f: {name}={given!r} is not a dict such as {{'title': 2, 'text': 1}}.")
    for field, value in given.items():
        if field not in FIELDS:
            hint = suggestion(field, FIELDS) if isinstance(field, str) else ""
            raise ComponentError(f"bm25f: {name} names {field!r}, which is not one of {', '.join(FIELDS)}.{hint}")
        check_number("bm25f", f"{name}[{field!r}]", value, low=0, high=high)
    return {field: given[field] for field in FIELDS if field in given}


bm25f = factory_of(
    BM25F,
    'BM25 over title, text, path and the headings of citing provisions: ``bm25f(fields={"title": 3, "text": 1})``.',
)
