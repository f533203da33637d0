"""BM25F: BM25 over several weighted fields, and its index, in which postings know the field of a term.

Files of a build: the string table ``terms``, the docnos (see :mod:`legalir.storage.strings`), ``lengths.npy`` and those
that :func:`write_field_postings` writes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, count_terms
from legalir.analysis.auto import recognized
from legalir.analysis.language import scripts
from legalir.errors import ComponentError, suggestion
from legalir.frames.component import check_number
from legalir.lexical.postings import PostingsWriter
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.term_index import TermIndex
from legalir.lexical.weights import Weigher, bm25f_weigher, posting_blocks
from legalir.plugins import parameters_of
from legalir.storage.arrays import create_array, load_array, save_array
from legalir.storage.artifact import building
from legalir.storage.documents import document_batches, field_text
from legalir.storage.strings import write_docnos, write_strings
from legalir.storage.validity import dated


class _Block(NamedTuple):
    """Postings of a range of terms: `sizes` of each term; `documents` [p]; for each text its posting, field and tf."""

    terms: slice
    sizes: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    posting: npt.NDArray[np.int64]
    field: npt.NDArray[np.int32]
    tf: npt.NDArray[np.unsignedinteger[Any]]


def write_field_postings(source: Path, target: Path, fields: Sequence[str], own: Sequence[int]) -> None:
    """Write the postings of documents.

    Files: ``indptr.npy`` int64 [V + 1]; ``documents.npy`` int32 [P], ascending within a term;
    ``frequencies.<field>.npy`` unsigned [P], 0 where the field lacks the term; ``df.npy`` int64 [V].

    Args:
        source: directory with the postings of n·F texts, written by PostingsWriter; text i is
            field ``i % F`` of document ``i // F``.
        target: directory to write to.
        fields: their names.
        own: positions of the fields in which a term has to be for a document to count in df.
    """
    indptr = load_array(source / "indptr.npy")
    sizes = np.zeros(len(indptr) - 1, dtype=np.int64)
    df = np.zeros(len(indptr) - 1, dtype=np.int64)
    highest = np.zeros(len(fields), dtype=np.int64)
    for block in _blocks(source, indptr, len(fields)):
        sizes[block.terms] = block.sizes
        np.maximum.at(highest, block.field, block.tf)
        held = np.zeros(len(block.documents), dtype=bool)
        held[block.posting[np.isin(block.field, own)]] = True
        starts = np.concatenate(([0], np.cumsum(block.sizes)))
        df[block.terms] = np.diff(np.concatenate(([0], np.cumsum(held)))[starts])
    save_array(target / "indptr.npy", np.concatenate(([0], np.cumsum(sizes))))
    save_array(target / "df.npy", df)
    total = (int(sizes.sum()),)
    with ExitStack() as stack:
        documents = stack.enter_context(create_array(target / "documents.npy", np.dtype(np.int32), total))
        widths = [np.min_scalar_type(int(most)) for most in highest]
        columns = [
            stack.enter_context(create_array(target / f"frequencies.{field}.npy", width, total))
            for field, width in zip(fields, widths, strict=True)
        ]
        for block in _blocks(source, indptr, len(fields)):
            documents.write(block.documents.data)
            for number, (column, width) in enumerate(zip(columns, widths, strict=True)):
                tf = np.zeros(len(block.documents), dtype=width)
                here = block.field == number
                tf[block.posting[here]] = block.tf[here]
                column.write(tf.data)


def _blocks(source: Path, indptr: npt.NDArray[np.int64], fields: int) -> Iterator[_Block]:
    texts, tf = load_array(source / "documents.npy"), load_array(source / "frequencies.npy")
    for terms, postings in posting_blocks(indptr):
        document, field = np.divmod(texts[postings], np.int32(fields))
        new = np.diff(document, prepend=np.int32(-1)) != 0
        starts = indptr[terms.start : terms.stop] - indptr[terms.start]
        new[starts] = True  # every term has a posting
        posting = np.cumsum(new) - 1
        sizes = np.diff(posting[starts], append=int(new.sum()))
        yield _Block(terms, sizes, document[new], posting, field, tf[postings])


FIELDS = ("title", "text", "path", "citing")
"""Indexed fields: title, body, the chapter that holds a provision, and the headings of the provisions that cite it."""

_OWN = (FIELDS.index("title"), FIELDS.index("text"))
"""The fields that say in how many documents a term occurs."""


class FieldIndex(TermIndex):
    """Postings of a collection by field, under one analyzer and one vocabulary.

    A posting is a term and a document that holds it in any field; each field has a column of frequencies.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; ``auto`` searches with that of the index at `path`, and builds with what
            suits the language of the documents, which the first million characters tell.
    """

    kind = "field_index"
    version = 1

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = "", links: str = ""
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``) and any of `FIELDS`; a missing field is empty. See
                :func:`~legalir.collection.indexes.with_citing` for the last of them.
            corpus: fingerprint of the collection, kept in the manifest.
            links: fingerprint of its citation graph, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a field is not a string.
        """
        with (
            building(self.directory, self.kind, self.version) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            facts.update(_write(dated(iter, data), self._asked, data, Path(spill)))
            facts.update(corpus=corpus, links=links)
        self.forget()
        return self

    @property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Number of term occurrences in each field of each document, int32 [n, F]."""
        return self.arrays["lengths"]

    @property
    def df(self) -> npt.NDArray[np.int64]:
        """Number of documents that hold a term in title or text, int64 [V].

        Paths and headings of others are left out: they repeat the same few words in very many documents.
        """
        return self.arrays["df"]

    def frequencies(self, field: str) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Return the frequency of the term in one of `FIELDS` for each posting, unsigned [P]."""
        return self.arrays[f"frequencies.{field}"]

    def occurrences(self, term: int, posting: int, fields: Iterable[str] = FIELDS) -> dict[str, object]:
        """Return the frequency of a term in all of `fields` and in each, and its documents by title or text."""
        found = {field: int(self.frequencies(field)[posting]) for field in fields}
        in_fields = {field: tf for field, tf in found.items() if tf}
        return {"in_document": sum(found.values()), "documents": int(self.df[term]), "fields": in_fields}


def _write(
    documents: Iterable[Mapping[str, Any]], analyzer: Analyzer | None, data: Path, spill: Path
) -> dict[str, Any]:
    """Write the files of an index into `data`; return the facts for its manifest."""
    # Every field of every document is counted as a text of its own.
    writer = PostingsWriter(spill)
    docnos: list[str] = []
    letters: dict[str, float] = {}
    for batch, texts in document_batches(documents, lambda document: [field_text(document, name) for name in FIELDS]):
        docnos += batch
        analyzer = analyzer or recognized(texts)
        letters = letters or scripts(texts)
        writer.add(count_terms(analyzer, texts))
    assert analyzer is not None  # there is one batch at least
    write_docnos(data, docnos)
    counted = spill / "counted"
    counted.mkdir()
    vocabulary = writer.finish(counted)
    write_strings(data, "terms", vocabulary)
    lengths = load_array(counted / "lengths.npy").reshape(-1, len(FIELDS))
    save_array(data / "lengths.npy", lengths)
    write_field_postings(counted, data, FIELDS, _OWN)
    return {
        "analyzer": {"name": analyzer.name, "fingerprint": analyzer.fingerprint},
        "scripts": {script: round(share, 4) for script, share in letters.items()},
        "fields": list(FIELDS),
        "documents": len(docnos),
        "terms": len(vocabulary),
    }


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

    Args:
        index: the field index.
        k1: saturation of term frequency, at least 0.
        fields: weight of each field, at least 0 and not all 0; a field that is left out has weight 0.
            The default is title 2, text 1, path 1, citing 1.
        b: length normalisation of each field, from 0 to 1; a number for all of them, or a dict whose omitted fields
            have the default: 0.75 of the text, else 0.5.
        query_exponent: x, at least 0: with 1 each occurrence of a term in the query counts, with 0.5 the root of their
            number, which suits long questions, and with 0 a term counts once.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is out of range, or a field is unknown.
    """

    index: FieldIndex

    def __init__(
        self,
        index: FieldIndex,
        k1: float = 2.0,
        fields: Mapping[str, float] | None = None,
        b: Mapping[str, float] | float | None = None,
        query_exponent: float = 0.5,
        num_results: int = 1000,
    ) -> None:
        check_number("bm25f", "k1", k1, low=0)
        check_number("bm25f", "query_exponent", query_exponent, low=0)
        check_number("bm25f", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.k1 = k1
        self.fields = _by_field("fields", DEFAULT_FIELDS if fields is None else fields)
        if not any(self.fields.values()):
            raise ComponentError("bm25f: no field has a weight above 0: give one a weight.")
        given = dict.fromkeys(FIELDS, b) if b is not None and not isinstance(b, Mapping) else b
        self.b = _by_field("b", {**DEFAULT_B, **_by_field("b", given or {}, high=1)})
        self.query_exponent = query_exponent
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        weights = ", ".join(f"{field} {weight:g}" for field, weight in self.fields.items() if weight)
        return f"bm25f({self.index.analyzer.name}, k1={self.k1:g}, {weights})"

    def weighting(self) -> Weigher:
        """Return the function to idf times saturated frequency."""
        index = self.index
        return bm25f_weigher(
            index.indptr,
            index.documents,
            [index.frequencies(field) for field in FIELDS],
            index.lengths,
            index.df,
            weights=[self.fields.get(field, 0.0) for field in FIELDS],
            b=[self.b[field] for field in FIELDS],
            k1=self.k1,
        )

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term once, with qtf^x."""
        return terms, (tf.astype(np.float64) ** self.query_exponent).astype(np.float32)

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the frequency of a term in the fields with a weight and in each, and its documents."""
        counting = [field for field, weight in self.fields.items() if weight]
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


@parameters_of(BM25F, without=["index"])
def bm25f(collection: Any, *, analyzer: str = "auto", **params: Any) -> BM25F:
    """BM25 over title, text, path and the headings of citing provisions: ``bm25f(fields={"title": 3, "text": 1})``.

    Args:
        analyzer: the terms: ``auto``, ``word``, ``char2``, ``jamo3``, or an analyzer of a plugin, also with parameters.
    """
    return BM25F(collection.indexes.fields(analyzer), **params)
