"""How much of the exact search an approximate one finds, measured when it is built.

Arithmetic of approximate dense retrieval: candidates by FAISS, and the best of them by their exact cosines.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.dense.cosine import best_cosines, pair_cosines
from legalir.dense.faiss import Neighbours
from legalir.errors import ComponentError
from legalir.frames.ranking import best_first
from legalir.storage.arrays import unit_rows

__all__ = [
    "RECALL_AT",
    "RecallQueries",
    "approximate_cosines",
    "checked_queries",
    "measured_recall",
    "report_recall",
    "sampled_rows",
]

Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]


def approximate_cosines(
    neighbours: Neighbours,
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    queries: npt.NDArray[np.float32],
    k: int,
    depth: int,
) -> Iterator[Found]:
    """Yield, for each query, the candidates of the `k` best cosines, best first, ties by ascending `order`.

    The candidates depend on `depth` alone, not on `k`, and their cosines are those of
    :func:`~legalir.dense.cosine.best_cosines`. For a `depth` of all documents, all are compared.

    Args:
        neighbours: what finds candidates.
        vectors: vectors of the documents, float16 or float32 [n, d].
        order: int32 [n], a permutation.
        queries: vectors of the queries, [m, d]; zeros find nothing.
        k: at least 1.
        depth: results that candidates are sought for, at least `k`.
    """
    if depth >= len(vectors):
        yield from best_cosines(vectors, order, queries, k)
        return
    for query in queries:
        near = neighbours.near(query, depth) if query.any() else np.zeros(0, dtype=np.int64)
        yield _best(neighbours, vectors, order, query, near, k)


def _best(
    neighbours: Neighbours,
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    query: npt.NDArray[np.float32],
    near: npt.NDArray[np.int64],
    k: int,
) -> Found:
    """Return the `k` best rows of the distinct vectors `near`, and their cosines."""
    if not len(near):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    rows, begins = neighbours.rows, neighbours.bounds[near]
    cosines = pair_cosines(vectors, rows[begins].astype(np.int64), query[None], np.zeros(len(near), dtype=np.int64))
    # Equal vectors stand in the order of ties, so no more than k of them can be among the best.
    sizes = np.minimum(neighbours.bounds[near + 1] - begins, k)
    falling = np.argsort(-cosines)
    last = min(int(np.searchsorted(np.cumsum(sizes[falling]), k)), len(near) - 1)
    kept = np.flatnonzero(cosines >= cosines[falling[last]])
    counts = sizes[kept]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    documents = rows[np.repeat(begins[kept], counts) + within].astype(np.int64)
    scores = np.repeat(cosines[kept], counts)
    best = best_first(scores, order[documents], k)
    return documents[best], scores[best]


RecallQueries = Sequence[str] | npt.NDArray[Any]
"""Texts of queries, or their vectors [m, d]."""

RECALL_AT = (10, 100, 1000)
"""Lengths of lists whose recall is measured."""

_QUERIES = 200
"""Documents whose vectors are searched for, where no queries are given."""

_ENOUGH = {10: 0.95, 100: 0.9}
"""Recall below this is a warning."""

_log = logging.getLogger("legalir")


def checked_queries(queries: RecallQueries | None) -> list[str] | npt.NDArray[np.float32] | None:
    """Return what recall is to be measured with: texts, or vectors of length 1.

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


def sampled_rows(neighbours: Neighbours) -> npt.NDArray[np.int64]:
    """Return rows of at most 200 distinct vectors, the same ones for the same index."""
    begins = neighbours.bounds[:-1]
    chosen = np.random.default_rng(0).choice(len(begins), min(_QUERIES, len(begins)), replace=False)
    return neighbours.rows[begins[chosen]].astype(np.int64)


def measured_recall(
    neighbours: Neighbours,
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    queries: npt.NDArray[np.float32],
    own: npt.NDArray[np.int64] | None = None,
) -> dict[int, float]:
    """Return the share of the results of the exact search that the approximate one finds, at each of `RECALL_AT`.

    Args:
        neighbours: what is measured.
        vectors: vectors of the documents, float16 or float32 [n, d].
        order: int32 [n], a permutation.
        queries: vectors of the queries, [m, d]; zeros do not count.
        own: row of a document that does not count, for each query, [m].

    Returns:
        The mean over the queries; 1 where none finds anything.
    """
    left_out = np.full(len(queries), -1) if own is None else own
    exact = [documents for documents, _ in best_cosines(vectors, order, queries, max(RECALL_AT) + 1)]
    recall = {}
    for k in RECALL_AT:
        found = approximate_cosines(neighbours, vectors, order, queries, k + 1, k + 1)
        shares = [
            np.isin(_others(true, row, k), _others(documents, row, k)).mean()
            for true, (documents, _), row in zip(exact, found, left_out, strict=True)
            if len(_others(true, row, k))
        ]
        recall[k] = float(np.mean(shares)) if shares else 1.0
    return recall


def _others(documents: npt.NDArray[np.int64], row: int, k: int) -> npt.NDArray[np.int64]:
    others: npt.NDArray[np.int64] = documents[documents != row]
    return others[:k]


def report_recall(path: Path, facts: dict[str, Any]) -> None:
    """Log one line on the recall of a search that was built; as a warning where it is low.

    Args:
        path: of the index.
        facts: about the search.
    """
    recall = {int(k): share for k, share in facts["recall"].items()}
    low = any(recall[k] < enough for k, enough in _ENOUGH.items())
    shown = ", ".join(f"{share:.3f} at {k}" for k, share in recall.items())
    more = "ef or m" if facts["search"].startswith("hnsw") else "probes"
    hint = f"; with a larger {more} it finds more" if low else ""
    _log.log(
        logging.WARNING if low else logging.INFO,
        "%s: %s finds %s of what the exact search finds, for %d %s%s.",
        *(path, facts["search"], shown, facts["queries"], facts["queries_are"], hint),
    )
