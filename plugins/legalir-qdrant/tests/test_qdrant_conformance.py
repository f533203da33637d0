"""legalir's conformance kit, for the engine in this process."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from test_qdrant_embedded import Tokens, unit

from legalir import Collection, testing
from legalir.extend import MaxSim, PairScorer, words
from legalir_qdrant import Qdrant, QdrantIndex
from legalir_qdrant.vectors import Multi


@testing.parametrize("retriever", "qdrant_dense")
def test_dense(check: Callable[[], None]) -> None:
    check()


@testing.parametrize("retriever", 'qdrant_sparse(analyzer="char2", num_results=3)')
def test_sparse(check: Callable[[], None]) -> None:
    check()


class Letters:
    """What an index of BGE-M3 gives: a vector for each word of a text, here by chance."""

    def __init__(self, collection: Collection) -> None:
        texts = {one.doc_id: one.default_text() for one in collection.docs()}
        self.tokens = Tokens(collection.cache / "tokens", [(name, vectors(text)) for name, text in texts.items()])
        self.docno_table, self.validity = self.tokens.docno_table, self.tokens.validity
        self.arrays, self.encoder = self.tokens.arrays, self.tokens.encoder

    def represent_queries(self, texts: list[str], weights: dict[str, float]) -> Any:
        return SimpleNamespace(multi_row=[vectors(text) for text in texts].__getitem__)

    def scorer(self, weights: dict[str, float]) -> PairScorer:
        return LetterScorer(self)


class LetterScorer(PairScorer):
    """MaxSim of given documents, computed by legalir."""

    def __init__(self, letters: Letters) -> None:
        self.letters = letters
        self.maxsim = MaxSim(letters.arrays["multi.vectors"], letters.arrays["multi.bounds"])

    def docno_table(self) -> Any:
        return self.letters.docno_table

    def pair_scores(self, queries: pd.DataFrame, query: np.ndarray, documents: np.ndarray) -> np.ndarray:
        scores = np.zeros(len(query))
        for row, text in enumerate(queries["query"]):
            if len(rows := vectors(text)):
                scores[query == row] = self.maxsim.scores([rows], documents[query == row])[0]
        return scores


def vectors(text: str) -> np.ndarray:
    seeds = [zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words(text)]
    return unit(np.array([np.random.default_rng(seed).normal(size=8) for seed in seeds]).reshape(-1, 8))


def letters(collection: Collection, *, num_results: int = 1000) -> Qdrant:
    index = QdrantIndex(collection.cache / "qdrant-letters", Multi(Letters(collection)), collection)
    return Qdrant(index, num_results, exact=True)


@testing.parametrize("retriever", letters)
def test_multi(check: Callable[[], None]) -> None:
    check()
