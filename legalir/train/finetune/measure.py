"""How good a model on disk is on dev queries, read by the encoder that will read it later.

Random numbers of the whole process, which transformers seeds, are left as they were.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from legalir.extras import require
from legalir.m3.arithmetic import Representations
from legalir.train.batches import Gold
from legalir.train.finetune.batches import right_for
from legalir.train.finetune.material import Dev
from legalir.train.finetune.recipe import FineTuning
from legalir.train.loop import dev_measures, of_query

__all__ = ["measured", "own_random_numbers", "sparse_ndcg"]


@contextmanager
def own_random_numbers() -> Iterator[None]:
    """Give back the states of Python's, numpy's and torch's global generators, on every device, at the end."""
    torch = require("torch", extra="dense")
    python, arrays = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(arrays)


_K, _QUERIES = 10, 64


def measured(recipe: FineTuning, folder: Path, dev: Dev, device: str) -> dict[str, float]:
    """Return ``R@10``, ``nDCG@10`` and ``MultiHitRate@10`` of a tuned model by its vectors.

    For M3 these are the dense head's, and ``nDCG@10 sparse`` is that of token weights alone.

    Args:
        recipe: how it is tuned.
        folder: of the model as it is now.
        dev: queries and provisions.
        device: where to compute.
    """
    with own_random_numbers():
        return (_m3 if recipe.objective == "unified" else _sentences)(recipe, folder, dev, device)


def _sentences(recipe: FineTuning, folder: Path, dev: Dev, device: str) -> dict[str, float]:
    from legalir.encode.sentence import SentenceEncoder

    queries = SentenceEncoder(folder, max_length=recipe.query_length, device=device).encode_queries(dev.queries)
    documents = SentenceEncoder(folder, max_length=recipe.passage_length, device=device).encode(dev.passages)
    return dev_measures(queries, documents, dev.gold)


def _m3(recipe: FineTuning, folder: Path, dev: Dev, device: str) -> dict[str, float]:
    from legalir.m3.encoder import M3Encoder

    encoder = M3Encoder(folder, max_length=recipe.passage_length, query_max_length=recipe.query_length, device=device)
    queries = encoder.represent_queries(dev.queries, multi=False)
    documents = encoder.represent(dev.passages, multi=False)
    dense = dev_measures(queries.dense, documents.dense, dev.gold)
    return {**dense, "nDCG@10 sparse": sparse_ndcg(queries, documents, dev.gold)}


def sparse_ndcg(queries: Representations, documents: Representations, gold: Gold) -> float:
    """Return the mean nDCG@10 (binary) by the inner products of token weights; a product of 0 finds nothing.

    Args:
        queries: m of them.
        documents: n of them.
        gold: right documents of each query, at least one.
    """
    total = 0.0
    for number, found in enumerate(_best(queries, documents)):
        right = right_for(gold, number)
        total += of_query(np.isin(found, right), len(right))[1]
    return total / max(1, len(gold.indptr) - 1)


def _best(queries: Representations, documents: Representations) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the best documents of each query, at most ten; ties by number."""
    from scipy.sparse import csr_array

    size = 1 + max(int(part.tokens.max(initial=0)) for part in (queries, documents))
    left, right = (
        csr_array((part.weights, part.tokens, part.bounds), shape=(len(part.bounds) - 1, size))
        for part in (queries, documents)
    )
    across = right.T.tocsr()
    for first in range(0, left.shape[0], _QUERIES):
        for row in (left[first : first + _QUERIES] @ across).toarray():
            best = np.argsort(-row, kind="stable")[:_K]
            yield best[row[best] > 0]
