"""Late interaction [colbert]: a vector for each token; a query token counts with its best match in a provision.

Read top to bottom: the model, the index of the vectors of provisions, the scorer and the retriever over it, and the
factories. PyLate's models are read and run by sentence-transformers, with the same vectors to the last bit.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.errors import ArtifactError, MissingExtra, ModelError, describe
from legalir.extend import (
    INDEXED_TEXT,
    Collection,
    Cuttable,
    Declared,
    Encoding,
    Explanation,
    IndexArtifact,
    Manifest,
    MaxSim,
    PairScorer,
    Part,
    Upstream,
    building,
    check_choice,
    drop_results,
    earlier_builds,
    earlier_rows,
    empty_like,
    find_model,
    masks,
    model_digest,
    parameters_of,
    progress,
    quantize,
    rank_results,
    require_texts,
    results_frame,
    shards_beside,
    write_encoded,
)

__all__ = ["Colbert", "ColbertIndex", "ColbertScorer", "LateInteraction", "Store", "colbert", "colbert_rerank"]

Store = Literal["float16", "float32", "int8"]
"""Types in which vectors are stored."""

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

_VERSION = 1
"""Raise it with each change that gives a text other vectors."""


class LateInteraction(Declared):
    """A late-interaction model: text to a vector of length 1 for each token. It is loaded for the first text.

    Prefixes, lengths, the expansion of queries by mask tokens and the tokens of documents that are left out, such as
    punctuation, are those that the model's folder says.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: there is no such model, or it is not one of late interaction.
    """

    component = "colbert"
    model: Annotated[
        str | PathLike[str],
        "a folder that PyLate, Stanford's ColBERT or sentence-transformers wrote, or the name of a model on the hub",
    ]
    device: Annotated[str | None, "``cpu``, ``cuda``, ``cuda:1``, ``mps``; None for the best there is"] = None
    batch_size: Annotated[int, Ge(1), "number of texts that the model reads at a time"] = 32
    trust_remote_code: Annotated[bool, "whether Python code that comes with the model may be run"] = False

    def __post_init__(self) -> None:
        self.model = fspath(self.model)
        self._folder = find_model(self.model, trust_remote_code=self.trust_remote_code)
        _check_kind(self._folder)
        self._lock = threading.Lock()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LateInteraction) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"LateInteraction({self.model!r})"

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same text could have other vectors."""
        return model_digest(self._folder, {"version": _VERSION})

    @cached_property
    def _loaded(self) -> Any:
        try:
            from sentence_transformers import MultiVectorEncoder
        except ImportError as error:
            raise MissingExtra("colbert needs sentence-transformers: pip install legalir-pylate") from error
        try:
            with warnings.catch_warnings(), _without_bars():
                warnings.simplefilter("ignore")  # The caller cannot help how old the style of a model's files is.
                loaded = MultiVectorEncoder(
                    str(self._folder),
                    device=self.device,
                    trust_remote_code=self.trust_remote_code,
                    local_files_only=True,
                )
        except Exception as error:  # The library raises whatever went wrong in it.
            raise ModelError(f"colbert: the model {self._folder} cannot be loaded: {describe(error)}.") from error
        return loaded.eval()

    @property
    def dimensions(self) -> int:
        """Length of a vector; loads the model."""
        return int(self.queries(["a"])[0].shape[1])

    def queries(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors of each query, float32 [q, d]; q is 0 for white space.

        Raises:
            ModelError: the model cannot be loaded, or gives numbers that are not finite.
        """
        return self._encode(texts, "encode_query", lambda done: None)

    def documents(self, texts: Sequence[str], advance: Callable[[int], None] = lambda done: None) -> list[Floats]:
        """Return the vectors of each document, as :meth:`queries`; call `advance` with numbers of finished texts."""
        return self._encode(texts, "encode_document", advance)

    def _encode(self, texts: Sequence[str], method: str, advance: Callable[[int], None]) -> list[Floats]:
        composed = [unicodedata.normalize("NFC", text) for text in texts]
        # The longest come first, so that the texts of a batch have nearly one length.
        filled = sorted((n for n, text in enumerate(composed) if text.strip()), key=lambda n: -len(composed[n]))
        advance(len(composed) - len(filled))
        rows: dict[int, Floats] = {}
        for first in range(0, len(filled), self.batch_size):
            batch = filled[first : first + self.batch_size]
            with self._lock:  # The tokenizer keeps its padding as state.
                vectors = getattr(self._loaded, method)(
                    [composed[n] for n in batch],
                    batch_size=self.batch_size,
                    convert_to_numpy=True,
                    show_progress_bar=False,
                )
            rows.update(zip(batch, (np.asarray(one, dtype=np.float32) for one in vectors), strict=True))
            advance(len(batch))
        if any(one.ndim != 2 or not np.isfinite(one).all() for one in rows.values()):
            raise ModelError(f"colbert: the model {self._folder} gives numbers that are not finite.")
        nothing = np.zeros((0, next(iter(rows.values())).shape[1] if rows else 0), dtype=np.float32)
        return [rows.get(number, nothing) for number in range(len(texts))]


@contextlib.contextmanager
def _without_bars() -> Iterator[None]:
    """Hide the progress bars of transformers, which are no part of ours."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _check_kind(folder: Path) -> None:
    """Raise ModelError unless a folder says that it holds a model of late interaction."""
    kind = _entry(folder / "config_sentence_transformers.json", "model_type")
    architectures = _entry(folder / "config.json", "architectures") or []
    if kind not in ("ColBERT", "MultiVectorEncoder") and "HF_ColBERT" not in architectures:
        raise ModelError(
            f"colbert: {folder} holds no late-interaction model: give one of PyLate or Stanford's ColBERT; for other "
            f"encoders there is dense(…)."
        )


def _entry(file: Path, name: str) -> Any:
    """Return an entry of a JSON file; None if there is no such file or entry."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"colbert: {file} cannot be read: get the whole model again.") from error
    return content.get(name) if isinstance(content, dict) else None


class ColbertIndex(IndexArtifact):
    """The vectors of the tokens of all provisions, memory-mapped.

    Files of a build, in addition to the docnos: ``multi.bounds`` int64 [n + 1], the vectors of each provision;
    ``multi.vectors`` float16, float32 or int8 [t, d], rows of length 1; ``multi.scales`` float32 [t], for int8; and
    ``digests``.

    Args:
        path: directory of the artifact.
        encoder: the model; None to look at an index only.
        collection: what is indexed on first use if nothing is built yet; None for nothing.
        store: type of the stored vectors.
    """

    kind, version = "colbert_index", 1

    def __init__(
        self,
        path: str | PathLike[str],
        encoder: LateInteraction | None = None,
        collection: Collection | None = None,
        store: Store = "float16",
    ) -> None:
        super().__init__(str(path))
        check_choice("colbert", "store", store, get_args(Store))
        self._encoder, self._collection, self._store = encoder, collection, store

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self._encoder

    @property
    def encoder(self) -> LateInteraction:
        """The model.

        Raises:
            ArtifactError: none was given.
        """
        if self._encoder is None:
            raise ArtifactError(f"{self.path} has no model: give it, as in ColbertIndex(path, LateInteraction(model)).")
        return self._encoder

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self,
        iter: Iterable[Mapping[str, Any]],
        *,
        corpus: str = "",
        reuse: Iterable[Path] = (),
        advance: Callable[[int], None] = lambda done: None,
    ) -> Self:
        """Build the index; what interrupted work, the index at the path or those in `reuse` hold is not encoded again.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            corpus: fingerprint of the collection, for the manifest.
            reuse: paths of other indexes by the same model.
            advance: called with the number of further documents that are done.

        Raises:
            ArtifactError: the files cannot be written, something else is at the path, or there is no model.
            ComponentError: a docno is missing or occurs twice, or a text is not a string.
            ModelError: the model cannot be loaded.
        """
        encoder = self.encoder
        built_by = {"encoder": encoder.fingerprint, "store": self._store}

        def represent(texts: list[str], advance: Callable[[int], None]) -> dict[str, npt.NDArray[Any]]:
            rows = encoder.documents(texts, advance)
            width = max((row.shape[1] for row in rows), default=0) or encoder.dimensions
            vectors = np.concatenate([np.zeros((0, width), np.float32), *(row for row in rows if len(row))])
            bounds = np.cumsum([0, *map(len, rows)])
            if self._store != "int8":
                return {"multi.bounds": bounds, "multi.vectors": vectors.astype(self._store)}
            numbers, scales = quantize(vectors)
            return {"multi.bounds": bounds, "multi.vectors": numbers, "multi.scales": scales}

        with (
            shards_beside(self.directory, {"kind": self.kind, "version": self.version, **built_by}) as shards,
            building(self.directory, self.kind, self.version) as (data, facts),
        ):
            earlier = earlier_rows((self.directory, *reuse), self.kind, self.version, shards.key)
            facts.update(write_encoded(data, iter, Encoding(represent, advance=advance), shards, earlier))
            facts.update(**built_by, model=encoder.model, indexed=INDEXED_TEXT, corpus=corpus)
        self.forget()
        return self

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    @cached_property
    def _opened(self) -> tuple[Manifest, dict[str, npt.NDArray[Any]]]:
        if self._collection is not None:
            self._collection.cached(self, partial(_build, self._collection))
            self.fields = self._collection.fields
        return super()._opened

    def _check(self, manifest: Manifest) -> None:
        if self._encoder is not None and manifest.facts["encoder"] != self._encoder.fingerprint:
            raise ArtifactError(
                f"{self.path} was built with another model, {manifest.facts['model']}: remove the directory."
            )

    @cached_property
    def maxsim(self) -> MaxSim:
        """The scorer of documents by their vectors."""
        return MaxSim(self.arrays["multi.vectors"], self.arrays["multi.bounds"], self.arrays.get("multi.scales"))

    def scores(self, queries: Sequence[Floats], documents: Ints) -> npt.NDArray[np.float64]:
        """Return the score of each document for each query, [m, c]: the sum over the query's vectors of the greatest
        inner product with a vector of the document [colbert]; 0 without vectors.

        Args:
            queries: vectors of each query, float32 [q, d].
            documents: numbers of c documents.
        """
        sizes = np.array([len(query) for query in queries])[:, None]  # MaxSim has the mean.
        scores: npt.NDArray[np.float64] = self.maxsim.scores(queries, documents).astype(np.float64) * sizes
        return scores

    def scorer(self) -> ColbertScorer:
        """Return the transformer that scores given documents."""
        return ColbertScorer(self)


_FORMULA = "Σ over the tokens of the question of the greatest inner product with a token of the provision"


def _explanations(
    index: ColbertIndex, query: pd.DataFrame, docnos: Sequence[str], label: str
) -> dict[str, Explanation]:
    """Return the explanation of the score of each document of the index for one query."""
    require_texts(query, label)
    vectors = index.encoder.queries(query["query"].tolist())
    scores = index.scores(vectors, index.docno_table.numbers(docnos))[0].tolist()
    text = f"best matches of {len(vectors[0])} tokens of the question"
    parts = (Part(text, score) for score in scores)
    return {
        docno: Explanation(docno, part.value, label, (part,), _FORMULA)
        for docno, part in zip(docnos, parts, strict=True)
    }


class ColbertScorer(PairScorer):
    """Scores given provisions by late interaction, from stored vectors; encodes questions only [colbert].

    Columns in: ``qid, query, docno``. Columns out: the same, ``score`` and ``rank``; an earlier score is replaced.

    Args:
        index: the index.
    """

    label = "colbert_rerank"

    def __init__(self, index: ColbertIndex) -> None:
        self.index = index

    def docno_table(self) -> Any:
        """Return the docnos of the index."""
        return self.index.docno_table

    def pair_scores(self, queries: pd.DataFrame, query: Ints, documents: Ints) -> npt.NDArray[np.float64]:
        """Return the score of each pair."""
        require_texts(queries, self.label)
        vectors = self.index.encoder.queries(queries["query"].tolist())
        scores = np.zeros(len(documents))
        for number, of_query in enumerate(vectors):
            rows = np.flatnonzero(query == number)
            scores[rows] = self.index.scores([of_query], documents[rows])[0]
        return scores

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the explanation of the score of each docno in the list."""
        given = set(inp["docno"])
        listed = [docno for docno in docnos if docno in given]
        return _explanations(self.index, drop_results(inp), listed, self.label)


class Colbert(Cuttable):
    """Retrieves the provisions with the best late-interaction scores, among all, exactly [colbert].

    The score is the sum, over the vectors of a question, of the greatest inner product with a vector of the provision:
    at most the number of the question's vectors, which for most models is fixed, such as 32.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. A question of white space
    finds nothing. Given results, it scores their provisions.

    Raises:
        ComponentError: a parameter is out of range.
    """

    name = label = "colbert"
    respects_as_of = respects_where = True

    index: Annotated[ColbertIndex, "the index"]
    num_results: Annotated[int, Ge(1), "number of results of a query"] = 1000

    def scorer(self) -> ColbertScorer:
        """Return a transformer that scores given documents like this retriever."""
        return ColbertScorer(self.index)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return self.scorer().transform(inp) if "docno" in inp.columns else empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best provisions of each question, or the given ones with new scores.

        Raises:
            ArtifactError: the index is damaged.
            ComponentError: a query is not a string.
            ModelError: the model cannot be loaded.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        if "docno" in inp.columns:
            given = self.scorer().transform(inp)
            return given[given["rank"] < self.num_results].reset_index(drop=True)
        queries = drop_results(inp)
        require_texts(queries, self.label)
        vectors = self.index.encoder.queries(queries["query"].tolist())
        hits = [self._best(*one) for one in zip(vectors, masks(queries, self.index), strict=True)]
        out = rank_results(results_frame(queries, hits, self.index.docno_table))
        return out[out["rank"] < self.num_results].reset_index(drop=True)

    def _best(self, query: Floats, mask: npt.NDArray[np.bool_] | None) -> tuple[Ints, npt.NDArray[np.float64]]:
        """Return the numbers of the best documents of a query, all that tie with the last one, and their scores.

        Args:
            query: its vectors.
            mask: which documents may be results, on its day and by its filter; None for all.
        """
        documents = np.arange(len(self.index) if len(query) else 0)
        documents = documents if mask is None else documents[mask[documents]]
        if not len(documents):
            return documents, np.zeros(0)
        scores = self.index.scores([query], documents)[0]
        last = min(self.num_results, len(scores)) - 1
        least = -np.partition(-scores, last)[last]
        best = scores >= least
        return documents[best], scores[best]

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the explanation of the score of each docno that is a result."""
        results = set(self.transform(inp)["docno"])
        listed = [docno for docno in docnos if docno in results]
        return _explanations(self.index, drop_results(inp), listed, self.label)


def _build(collection: Collection, index: ColbertIndex) -> None:
    documents = (provision._asdict() for provision in collection.docs())
    with progress(f"Encoding {collection.id} ({index.encoder.model})", collection.source.docs_count()) as advance:
        earlier = earlier_builds(index.directory)
        index.index(documents, corpus=collection.fingerprint(), reuse=earlier, advance=advance)


def _index(collection: Collection, store: Store, **params: Any) -> ColbertIndex:
    check_choice("colbert", "store", store, get_args(Store))
    encoder = LateInteraction(**params)
    name = f"pylate-{ColbertIndex.version}-{Path(encoder.model).name[:32]}-{encoder.fingerprint[:8]}-{store}"
    return ColbertIndex(collection.cache / name, encoder, collection, store)


@parameters_of(Colbert, LateInteraction, without=["index"])
def colbert(
    collection: Collection, *, model: str, store: Store = "float16", num_results: int = 1000, **params: Any
) -> Colbert:
    """Late interaction among all provisions: ``colbert("models/colbert") % 100``.

    Args:
        store: type of the stored vectors: ``float16``, ``float32`` or ``int8``.
    """
    return Colbert(_index(collection, store, model=model, **params), num_results)


@parameters_of(LateInteraction)
def colbert_rerank(collection: Collection, *, model: str, store: Store = "float16", **params: Any) -> ColbertScorer:
    """Late interaction with the provisions of a list: ``bm25 % 100 >> colbert_rerank("models/colbert")``.

    Args:
        store: type of the stored vectors: ``float16``, ``float32`` or ``int8``.
    """
    return ColbertScorer(_index(collection, store, model=model, **params))
