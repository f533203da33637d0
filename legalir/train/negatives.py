"""Hard negatives: wrong provisions that a pipeline, or the model itself, ranks highest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ArtifactError, DataError
from legalir.extras import require
from legalir.storage.arrays import save_array
from legalir.storage.artifact import building, open_build
from legalir.storage.digest import digest
from legalir.train.material import Gold

if TYPE_CHECKING:
    import pyterrier as pt
    from torch import Tensor

    from legalir.collection.collection import Collection

_QUERIES = 256
"""Number of queries per thread whose cosines with all provisions are in memory at a time."""

_BLOCK = 64
"""Provisions in a block: the best of each block are compared first."""

Pool = npt.NDArray[np.int32]


def draw(pool: Pool, queries: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw one document for each query from its row of the pool; a draw of -1 gives none.

    Args:
        pool: wrong provisions of each query, -1 where there are no more; int32 [q, h], h at least 1.
        queries: query numbers, [b].
        rng: source of random numbers.
    """
    drawn = pool[queries, rng.integers(0, pool.shape[1], len(queries))]
    return drawn[drawn >= 0].astype(np.int64)


def mine_by_model(
    queries: npt.NDArray[np.float32], documents: npt.NDArray[np.float32], gold: Gold, depth: int, threads: Executor
) -> Pool:
    """Return the `depth` wrong provisions with the greatest cosine for each query, [q, depth]; all are compared.

    Torch must be set to one thread: the work is shared among `threads`.
    """
    torch = require("torch", extra="dense")
    depth = min(depth, len(documents))
    out: Pool = np.full((len(queries), depth), -1, dtype=np.int32)
    across = torch.from_numpy(documents).T

    def fill(first: int) -> None:
        chosen = slice(first, min(first + _QUERIES, len(queries)))
        cosines = torch.from_numpy(queries[chosen]) @ across
        start, end = gold.indptr[chosen.start], gold.indptr[chosen.stop]
        sizes = np.diff(gold.indptr[chosen.start : chosen.stop + 1])
        row = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes))
        cosines[row, torch.from_numpy(gold.documents[start:end])] = -2.0
        values, places = _best(cosines, depth)
        out[chosen] = torch.where(values > -2.0, places, -1).numpy()

    for _ in threads.map(fill, range(0, len(queries), _QUERIES)):
        pass
    return out


def _best(cosines: Tensor, depth: int) -> tuple[Tensor, Tensor]:
    """Return values and places of the greatest `depth` of each row; they lie in the `depth` best blocks."""
    torch = require("torch", extra="dense")
    whole = cosines.shape[1] // _BLOCK * _BLOCK
    if whole // _BLOCK <= depth:
        values, best = torch.topk(cosines, depth)
        return values, best
    blocks = cosines[:, :whole].view(len(cosines), -1, _BLOCK).amax(dim=2)
    of_blocks = torch.topk(blocks, depth, sorted=False).indices[:, :, None] * _BLOCK + torch.arange(_BLOCK)
    rest = torch.arange(whole, cosines.shape[1]).expand(len(cosines), -1)
    places = torch.cat((of_blocks.view(len(cosines), -1), rest), dim=1)
    values, best = torch.topk(cosines.gather(1, places), depth)
    return values, places.gather(1, best)


def mine_by_expression(
    expression: str,
    collection: Collection,
    queries: Sequence[str],
    gold: Gold,
    docnos: Sequence[str],
    depth: int,
    advance: Callable[[int], None] = lambda done: None,
) -> Pool:
    """Return the best `depth` wrong provisions that a pipeline finds for each query, [q, depth].

    They are cached in the collection's cache by its id, queries, expression and depth: collections of one corpus, which
    share the cache, may have other links.

    Raises:
        DataError: the pipeline found no wrong provision for any query.
        ExpressionError: the expression cannot be read.
    """
    pipeline = collection.pipeline(expression)
    parts = [collection.id, expression, depth, hashlib.sha256("\0".join(queries).encode()).hexdigest()]
    parts += [hashlib.sha256(array.tobytes()).hexdigest() for array in gold]
    name = digest(parts)[:16]
    path = collection.cache / f"negatives-{name}"
    try:
        return np.asarray(open_build(path, "negatives", 1)[1]["negatives"])
    except ArtifactError:
        pass  # Not there yet, or damaged: search again.
    most = int(np.diff(gold.indptr).max(initial=0))
    pool = _search(pipeline % (depth + most), queries, gold, docnos, depth, advance)
    if not (pool >= 0).any():
        raise DataError(f"{expression} finds no wrong provision for any query: name another pipeline with 'negatives'.")
    with building(path, "negatives", 1) as (data, facts):
        facts |= {"expression": expression, "queries": len(queries), "depth": depth}
        save_array(data / "negatives.npy", pool)
    return pool


def _search(
    pipeline: pt.Transformer,
    queries: Sequence[str],
    gold: Gold,
    docnos: Sequence[str],
    depth: int,
    advance: Callable[[int], None],
) -> Pool:
    numbers = pd.Series(np.arange(len(docnos), dtype=np.int32), index=pd.Index(docnos))
    pool: Pool = np.full((len(queries), depth), -1, dtype=np.int32)
    for first in range(0, len(queries), _QUERIES):
        texts = queries[first : first + _QUERIES]
        places = range(first, first + len(texts))
        results = pipeline.transform(pd.DataFrame({"qid": list(map(str, places)), "query": texts}))
        for qid, rows in results.sort_values("rank", kind="stable").groupby("qid"):
            query = int(str(qid))
            documents = numbers.reindex(rows["docno"]).dropna().to_numpy(dtype=np.int32)
            wrong = documents[~np.isin(documents, gold.of(query))][:depth]
            pool[query, : len(wrong)] = wrong
        advance(len(texts))
    return pool
