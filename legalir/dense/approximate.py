"""Approximate search by FAISS [faiss]: candidates near a query, which are then scored exactly.

A search is named by text, as ``"int8"``, ``"hnsw(m=32, ef_construction=200, ef=128)"`` or
``"ivf(lists=1000, probes=50)"``, which is parsed and never evaluated, and is made by a string of FAISS's
``index_factory``. It is built next to the vectors of a dense index, stored and opened with them, and its recall against
the exact search is measured when it is built.

Files of a build, next to ``vectors.npy``: ``approximate.rows.npy``, int32 [r], the rows of vectors that are not zeros,
with equal vectors together and in order of docno; ``approximate.bounds.npy``, int64 [u + 1], the first position in
these rows of each of the u distinct vectors; ``approximate.faiss.npy``, uint8 [bytes, 1], the index of FAISS, if u > 0.

FAISS gets each distinct vector once, because a graph falls apart if more vectors are equal than one has neighbours. It
stores them in 8 bits a number, a quarter of float32, which is enough to find candidates; their scores come from
``vectors.npy``. Its file is mapped, not read into memory.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.declared import check_number
from legalir.dense.cosine import best_cosines, pair_cosines
from legalir.errors import ArtifactError, ComponentError, MissingExtra, suggestion
from legalir.extras import require
from legalir.frames.ranking import Hits, best_first
from legalir.spec import read_spec, write_spec
from legalir.storage.arrays import append_rows, load_array, save_array, unit_rows
from legalir.storage.validity import Mask

_LOG = logging.getLogger("legalir")

_FACTORY = {"int8": "SQ8", "hnsw": "HNSW{m}_SQ8", "ivf": "IVF{lists},SQ8"}
"""String of FAISS's ``index_factory`` for each search; SQ8 stores each number in 8 bits."""

_DEFAULTS: dict[str, dict[str, int | None]] = {
    "int8": {},
    "hnsw": {"m": 32, "ef_construction": 200, "ef": 256},
    "ivf": {"lists": None, "probes": None},
}
"""Parameters of each search; all are whole numbers from 1, and `m` is from 2 to 1024."""

_FEWEST_PER_LIST = 39
"""Fewest vectors that FAISS wants to train a centre on."""

_SAMPLE_PER_LIST = 64
"""Vectors of the training sample for each centre, if there are enough."""

_SAMPLE_BYTES = 512 * 2**20
"""Memory for the training sample, float32."""

_ROWS = 16_384
"""Rows per block."""

_FEWEST_PROBES = 16
"""Minimum number of lists to search, unless the caller sets another."""

_FEWEST_CANDIDATES = 256
"""Fewest candidates of a search that needs no list of its own for them, as a graph does."""

_MORE = 8
"""Results per additional candidate: with 8 bits per number, the last results differ slightly from exact search."""

RECALL_AT = (10, 100, 1000)
"""Lengths of lists whose recall is measured."""

_RECALL_QUERIES = 200
"""Number of documents used as queries of the measurement if there are no queries."""

_ENOUGH = {10: 0.95, 100: 0.9}
"""Recall below this is a warning."""


class Approximate(NamedTuple):
    """An approximate search.

    Attributes:
        name: ``int8``, all vectors, compared in 8 bits a number; ``hnsw``, hierarchical navigable small world graphs
            [hnsw]; or ``ivf``, inverted lists, each vector in the list of the nearest centre [ivf].
        values: parameters by name. ``int8`` has none. Of ``hnsw``: `m`, neighbours of a vector on the upper layers,
            twice as many on the lowest; `ef_construction`, candidates when a vector is added; `ef`, candidates in a
            search: further results are only the best among the vectors that it met. Of ``ivf``: `lists`, number of
            lists, None for four times the root of the number of vectors; `probes`, number of lists in a search, the
            nearest ones, None for a sixteenth of all lists, and 16 at least.
    """

    name: str
    values: Mapping[str, int | None]

    def __str__(self) -> str:
        return write_spec(self.name, {key: value for key, value in self.values.items() if value is not None})

    @property
    def fingerprint(self) -> str:
        """Hex digest that identifies the search."""
        return hashlib.sha256(str(self).encode()).hexdigest()

    def fitted(self, vectors: int, sample: int) -> Approximate:
        """Return the search to build; there are fewer lists if a centre would be trained on less than 39 vectors.

        Args:
            vectors: number of distinct vectors, at least 1.
            sample: number of vectors that the centres are trained on, at least 1.
        """
        if self.name != "ivf":
            return self
        wanted = self.values["lists"] or round(4 * math.sqrt(vectors))
        lists = max(1, min(wanted, sample // _FEWEST_PER_LIST))
        probes = min(self.values["probes"] or max(_FEWEST_PROBES, math.ceil(lists / 16)), lists)
        return Approximate("ivf", {"lists": lists, "probes": probes})


def read_approximate(spec: str | Approximate) -> Approximate:
    """Return the search that `spec` names, or `spec` itself if it is one.

    Raises:
        ComponentError: there is no such search, or it has no such parameter or value; the message lists the choices.
    """
    if isinstance(spec, Approximate):
        return spec
    if not isinstance(spec, str):
        raise ComponentError(f"approximate={spec!r} is not text. {_accepted()}")
    try:
        name, params = read_spec(spec)
    except ComponentError as error:
        raise ComponentError(f"approximate: {error} {_accepted()}") from None
    if name not in _DEFAULTS:
        raise ComponentError(f"approximate={name!r} is not a search.{suggestion(name, set(_DEFAULTS))} {_accepted()}")
    defaults = _DEFAULTS[name]
    values: dict[str, Any] = {**defaults, **params}
    for key, value in params.items():
        if key not in defaults:
            raise ComponentError(f"{name} has no parameter {key!r}.{suggestion(key, set(defaults))} {_accepted(name)}")
        if value is not None or defaults[key] is not None:
            low, high = (2, 1024) if key == "m" else (1, math.inf)
            check_number(name, key, values[key], low=low, high=high, integer=True)
    return Approximate(name, values)


def _accepted(*names: str) -> str:
    shown = []
    for name in names or _DEFAULTS:
        inside = ", ".join(f"{key}={value!r}" for key, value in _DEFAULTS[name].items())
        shown.append(f"{name}({inside})" if inside else name)
    return f"Accepted: {' or '.join(shown)}."


def require_faiss() -> Any:
    """Return the module.

    Raises:
        MissingExtra: it is not installed.
    """
    return require("faiss", extra="dense")


def distinct_rows(
    vectors: npt.NDArray[np.floating], order: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the rows of nonzero vectors, equal vectors next to each other, and the bounds of each group.

    Args:
        vectors: [n, d].
        order: int32 [n], a permutation.

    Returns:
        Rows, int32 [r], by `order` within a group; bounds, int64 [u + 1]. Groups are in the order of their first rows.
    """
    digests = np.zeros(len(vectors), dtype=[("high", np.uint64), ("low", np.uint64)])
    filled = np.zeros(len(vectors), dtype=bool)
    for first in range(0, len(vectors), _ROWS):
        block = np.ascontiguousarray(vectors[first : first + _ROWS]) + vectors.dtype.type(0)  # of -0 makes 0
        filled[first : first + _ROWS] = block.any(axis=1)
        joined = b"".join(hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in block)
        digests[first : first + _ROWS] = np.frombuffer(joined, dtype=digests.dtype)
    rows = np.flatnonzero(filled)
    _, first_of, group = np.unique(digests[rows], return_index=True, return_inverse=True)
    group = np.argsort(np.argsort(first_of))[group]
    together = np.lexsort((order[rows], group))
    bounds = np.zeros(len(first_of) + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=len(first_of)), out=bounds[1:])
    return rows[together].astype(np.int32), bounds


def build_neighbours(directory: Path, spec: Approximate) -> dict[str, Any]:
    """Build the search `spec` over the vectors in `directory`; return the facts about it.

    The same vectors give the same bytes with the same FAISS (from 1.15 on; before, HNSW only with OMP_NUM_THREADS=1)
    on the same kind of processor. Memory holds the index of FAISS, d bytes per vector and its links, and the training
    sample, no more than 512 MB.

    Raises:
        ComponentError: FAISS refuses the parameters.
        MissingExtra: FAISS is not installed.
    """
    faiss = require_faiss()
    vectors = load_array(directory / "vectors.npy")
    rows, bounds = distinct_rows(vectors, load_array(directory / "order.npy"))
    save_array(directory / "approximate.rows.npy", rows)
    save_array(directory / "approximate.bounds.npy", bounds)
    single, dimensions = rows[bounds[:-1]], vectors.shape[1]
    if len(single):
        size = min(len(single), max(1, _SAMPLE_BYTES // (4 * dimensions)))
        sample = np.sort(np.random.default_rng(0).choice(len(single), size, replace=False))
        spec = spec.fitted(len(single), size)
        try:
            index = faiss.index_factory(
                dimensions, _FACTORY[spec.name].format_map(spec.values), faiss.METRIC_INNER_PRODUCT
            )
            if spec.name == "hnsw":
                index.hnsw.efConstruction = spec.values["ef_construction"]
            elif spec.name == "ivf":
                index.by_residual = False
                index.cp.max_points_per_centroid = _SAMPLE_PER_LIST
                index.cp.min_points_per_centroid = 1  # No warning about a single list of few vectors.
            index.train(_part(vectors, single[sample]))
            for first in range(0, len(single), _ROWS):
                index.add(_part(vectors, single[first : first + _ROWS]))
        except RuntimeError as error:
            raise ComponentError(f"FAISS cannot build {spec} over {len(single)} vectors: {_reason(error)}.") from error
        with append_rows(directory / "approximate.faiss.npy", np.dtype(np.uint8), 1) as append:
            writer = faiss.PyCallbackIOWriter(lambda part: append(np.frombuffer(part, dtype=np.uint8)[:, None]))
            faiss.write_index(index, writer)
    return {"search": str(spec), "distinct": len(single), "faiss": faiss.__version__}


def _part(vectors: npt.NDArray[np.floating], rows: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(vectors[rows], dtype=np.float32)


def _reason(error: RuntimeError) -> str:
    return str(error).strip().splitlines()[-1][:200].rstrip(".")


class Neighbours:
    """A search that :func:`build_neighbours` built, open.

    Args:
        path: path of the index, for messages.
        arrays: verified arrays of a build by name.
        spec: the search.

    Raises:
        ArtifactError: this FAISS cannot read the file, or it belongs to other vectors.
        MissingExtra: FAISS is not installed.
    """

    def __init__(self, path: Path, arrays: Mapping[str, npt.NDArray[Any]], spec: Approximate) -> None:
        self.rows: npt.NDArray[np.int32] = arrays["approximate.rows"]
        self.bounds: npt.NDArray[np.int64] = arrays["approximate.bounds"]
        self.spec = spec
        self._in_force: tuple[Mask, tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]] | None = None
        self._index: Any = None
        try:
            self._faiss = require_faiss()
        except MissingExtra as error:
            raise MissingExtra(f"{error}, or search {path} exactly: index.retriever(exact=True)") from error
        if len(self.bounds) > 1:
            self._index = self._opened(path, arrays["approximate.faiss"].reshape(-1), arrays["vectors"].shape[1])

    def _opened(self, path: Path, content: npt.NDArray[np.uint8], dimensions: int) -> Any:
        faiss = self._faiss
        hint = "build its approximate search again with DenseIndex(path).approximated(…)"
        try:
            self._reader = faiss.ZeroCopyIOReader(faiss.swig_ptr(content), content.size)
            index = faiss.read_index(self._reader, faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise ArtifactError(
                f"FAISS {faiss.__version__} cannot read its index in {path} ({_reason(error)}): {hint}."
            ) from error
        if (index.d, index.ntotal) != (dimensions, len(self.bounds) - 1):
            raise ArtifactError(f"The index of FAISS in {path} belongs to other vectors: {hint}.")
        self._content = content  # FAISS points into it
        return index

    def groups(self, in_force: Mask | None) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the rows in force, equal vectors next to each other, and the bounds of each group."""
        if in_force is None:
            return self.rows, self.bounds
        if self._in_force is None or self._in_force[0] is not in_force:
            kept = in_force[self.rows]
            count = np.concatenate(([0], np.cumsum(kept)))
            self._in_force = in_force, (self.rows[kept], count[self.bounds])
        return self._in_force[1]

    def near(self, query: npt.NDArray[np.float32], depth: int, in_force: Mask | None = None) -> npt.NDArray[np.int64]:
        """Return distinct vectors near to `query`, at least `depth` of them unless the search finds fewer; [c].

        Queries are searched one by one: FAISS rounds differently when it searches several at once.

        Args:
            query: [d].
            depth: at least 1.
            in_force: which documents may be results, [n]; None for all.
        """
        if self._index is None:
            return np.zeros(0, dtype=np.int64)
        faiss, values, chosen = self._faiss, self.spec.values, {}
        if in_force is not None:
            wanted = np.packbits(np.diff(self.groups(in_force)[1]) > 0, bitorder="little")
            chosen["sel"] = faiss.IDSelectorBitmap(wanted)
        if self.spec.name == "hnsw":
            fewest, how = values["ef"] or 1, faiss.SearchParametersHNSW(efSearch=values["ef"], **chosen)
        elif self.spec.name == "ivf":
            fewest, how = _FEWEST_CANDIDATES, faiss.SearchParametersIVF(nprobe=values["probes"], **chosen)
        else:
            fewest, how = _FEWEST_CANDIDATES, faiss.SearchParameters(**chosen)
        count = min(max(fewest, depth + depth // _MORE), len(self.bounds) - 1)
        near: npt.NDArray[np.int64] = self._index.search(query[None], count, params=how)[1][0]
        return near[near >= 0]


def approximate_cosines(
    neighbours: Neighbours,
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    queries: npt.NDArray[np.float32],
    k: int,
    depth: int,
    in_force: Sequence[Mask | None] | None = None,
) -> Iterator[Hits]:
    """Yield, for each query, the `k` candidates with the best cosines, best first, ties by ascending `order`.

    The candidates depend on `depth` alone, not on `k`, and their cosines are those of
    :func:`~legalir.dense.cosine.best_cosines`. For a `depth` of all documents, all are compared. They are also compared
    where FAISS finds fewer documents in force than `k`, although there are more.

    Args:
        neighbours: the search for candidates.
        vectors: vectors of the documents, float16 or float32 [n, d].
        order: int32 [n], a permutation.
        queries: vectors of the queries, [m, d]; zeros find nothing.
        k: at least 1.
        depth: number of results to find candidates for, at least `k`.
        in_force: which documents may be results of each query, [m] of [n]; None for all.
    """
    of_query = [None] * len(queries) if in_force is None else in_force
    if depth >= len(vectors):
        yield from best_cosines(vectors, order, queries, k, of_query)
        return
    for query, mask in zip(queries, of_query, strict=True):
        near = neighbours.near(query, depth, mask) if query.any() else np.zeros(0, dtype=np.int64)
        groups = neighbours.groups(mask)
        hits = _best(groups, vectors, order, query, near, k)
        if mask is not None and query.any() and len(hits[0]) < min(k, len(groups[0])):
            (hits,) = best_cosines(vectors, order, query[None], k, [mask])
        yield hits


def _best(
    groups: tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]],
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    query: npt.NDArray[np.float32],
    near: npt.NDArray[np.int64],
    k: int,
) -> Hits:
    """Return the `k` best rows of the distinct vectors `near`, and their cosines."""
    if not len(near):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    rows, bounds = groups
    begins = bounds[near]
    cosines = pair_cosines(vectors, rows[begins].astype(np.int64), query[None], np.zeros(len(near), dtype=np.int64))
    # Equal vectors are in the order of ties, so at most k of them can be among the best.
    sizes = np.minimum(bounds[near + 1] - begins, k)
    falling = np.argsort(-cosines)
    last = min(int(np.searchsorted(np.cumsum(sizes[falling]), k)), len(near) - 1)
    enough = np.flatnonzero(cosines >= cosines[falling[last]])
    counts = sizes[enough]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    documents = rows[np.repeat(begins[enough], counts) + within].astype(np.int64)
    scores = np.repeat(cosines[enough], counts)
    best = best_first(scores, order[documents], k)
    return documents[best], scores[best]


RecallQueries = Sequence[str] | npt.NDArray[Any]
"""Texts of queries, or their vectors [m, d]."""


def check_recall_queries(queries: RecallQueries | None) -> list[str] | npt.NDArray[np.float32] | None:
    """Return the queries that recall is measured with: texts, or vectors of length 1.

    Raises:
        ComponentError: they are neither.
    """
    if queries is None:
        return None
    if isinstance(queries, np.ndarray) and queries.dtype.kind in "fiu":
        if queries.ndim != 2 or not len(queries) or not np.isfinite(queries).all():
            raise ComponentError(
                f"queries has the shape {list(queries.shape)}: give finite vectors [queries, dimensions]."
            )
        return unit_rows(queries.astype(np.float64))
    texts = [] if isinstance(queries, str) else list(queries)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise ComponentError("queries measures the recall of the approximate search: give a list of texts, or vectors.")
    return texts


def measure_recall(
    path: Path,
    neighbours: Neighbours,
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    queries: npt.NDArray[np.float32] | None,
) -> dict[str, Any]:
    """Measure the share of the exact search's results that the approximate one finds, at each of `RECALL_AT`.

    It is logged, as a warning if it is low.

    Args:
        path: path of the index, for the log.
        neighbours: the search.
        vectors: vectors of the documents, float16 or float32 [n, d].
        order: int32 [n], a permutation.
        queries: vectors of the queries, [m, d]; zeros do not count. None for the vectors of at most 200 documents,
            always the same ones for one index; each must find all other equal documents.

    Returns:
        ``recall``, the mean over the queries, 1 if no query has results; ``queries``, their number; ``queries_are``,
        ``queries`` or ``documents``.
    """
    kind = "documents" if queries is None else "queries"
    if queries is None:
        begins = neighbours.bounds[:-1]
        chosen = np.random.default_rng(0).choice(len(begins), min(_RECALL_QUERIES, len(begins)), replace=False)
        left_out = neighbours.rows[begins[chosen]].astype(np.int64)
        queries = np.asarray(vectors[left_out], dtype=np.float32)
    else:
        left_out = np.full(len(queries), -1)
    exact = [documents for documents, _ in best_cosines(vectors, order, queries, max(RECALL_AT) + 1)]
    recall = {}
    for k in RECALL_AT:
        hits = approximate_cosines(neighbours, vectors, order, queries, k + 1, k + 1)
        shares = [
            np.isin(_others(true, row, k), _others(documents, row, k)).mean()
            for true, (documents, _), row in zip(exact, hits, left_out, strict=True)
            if len(_others(true, row, k))
        ]
        recall[k] = float(np.mean(shares)) if shares else 1.0
    low = any(recall[k] < enough for k, enough in _ENOUGH.items())
    shown = ", ".join(f"{share:.3f} at {k}" for k, share in recall.items())
    more = {"int8": "more results", "hnsw": "a larger ef or m", "ivf": "a larger probes"}[neighbours.spec.name]
    hint = f"; with {more} it finds more" if low else ""
    line = "%s: %s finds %s of what the exact search finds, for %d %s%s."
    level = logging.WARNING if low else logging.INFO
    _LOG.log(level, line, path, neighbours.spec, shown, len(queries), kind, hint)
    return {"recall": {str(k): share for k, share in recall.items()}, "queries": len(queries), "queries_are": kind}


def _others(documents: npt.NDArray[np.int64], row: int, k: int) -> npt.NDArray[np.int64]:
    others: npt.NDArray[np.int64] = documents[documents != row]
    return others[:k]
