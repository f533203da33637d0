"""Hard negatives: of the model against a sort of everything, and of a pipeline against what it returns."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from learnable import write_statutes

from legalir.collection.collection import Collection
from legalir.errors import DataError, ExpressionError
from legalir.storage.arrays import unit_rows
from legalir.train.material import Gold
from legalir.train.negatives import draw, mine_by_expression, mine_by_model


@pytest.mark.neural
@pytest.mark.parametrize("documents", [5, 64, 700, 1500])
def test_those_of_the_model_are_the_best_that_are_wrong(documents: int) -> None:
    rng = np.random.default_rng(documents)
    vectors, queries = unit_rows(rng.normal(size=(documents, 5))), unit_rows(rng.normal(size=(300, 5)))
    gold = [np.sort(rng.permutation(documents)[: rng.integers(1, 4)]) for _ in range(300)]
    flat = Gold(np.cumsum([0, *map(len, gold)]), np.concatenate(gold))
    with ThreadPoolExecutor(2) as threads:
        found = mine_by_model(queries, vectors, flat, 8, threads)
    cosines = queries @ vectors.T
    for row, values, right in zip(found, cosines, gold, strict=True):
        order = [document for document in np.argsort(-values) if document not in right][:8]
        assert row[row >= 0].tolist() == order
        assert len(row) == min(8, documents)


class Counted:
    """A collection that counts the queries that its pipeline gets."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.collection = Collection(folder, cache=cache)
        self.id = self.collection.id
        self.asked = 0

    @property
    def cache(self) -> Path:
        return self.collection.cache

    def pipeline(self, expression: str) -> pt.Transformer:
        def count(frame: pd.DataFrame) -> pd.DataFrame:
            self.asked += len(frame)
            return frame

        return pt.apply.generic(count) >> self.collection.pipeline(expression)


def test_those_of_a_pipeline_are_sought_once(tmp_path: Path) -> None:
    collection = Counted(write_statutes(tmp_path / "statutes"), tmp_path / "cache")
    docnos = [row.doc_id for row in collection.collection.docs()]
    queries = ["the and of applies", "what", "zzzz"]
    gold = Gold(np.array([0, 1, 2, 3]), np.array([0, 1, 2]))
    pools = [
        mine_by_expression('bm25(analyzer="whitespace")', collection, queries, gold, docnos, 5)  # type: ignore[arg-type]
        for _ in range(2)
    ]
    assert collection.asked == 3
    np.testing.assert_array_equal(*pools)
    ranked = collection.collection.search(queries[0], 'bm25(analyzer="whitespace")', k=6)["docno"]
    expected = [docnos.index(docno) for docno in ranked if docno != docnos[0]][:5]
    assert pools[0][0].tolist() == expected
    assert pools[0][1:].tolist() == [[-1] * 5] * 2, "nothing was found"
    # What stands in the cache is damaged: it is sought again.
    for file in collection.cache.glob("negatives-*/data-*/*"):
        file.write_bytes(b"x")
    again = mine_by_expression('bm25(analyzer="whitespace")', collection, queries, gold, docnos, 5)  # type: ignore[arg-type]
    np.testing.assert_array_equal(again, pools[0])
    assert collection.asked == 6
    # A collection of the same corpus has another id, and may have other links.
    collection.id = "other"
    mine_by_expression('bm25(analyzer="whitespace")', collection, queries, gold, docnos, 5)  # type: ignore[arg-type]
    assert collection.asked == 9


def test_a_pipeline_that_finds_nothing(tmp_path: Path) -> None:
    collection = Collection(write_statutes(tmp_path / "statutes"), cache=tmp_path / "cache")
    gold = Gold(np.array([0, 1]), np.array([0]))
    with pytest.raises(DataError, match="bm25 finds no wrong provision"):
        mine_by_expression("bm25", collection, ["ㅋㅋㅋㅋ"], gold, ["d0-0"], 5)
    with pytest.raises(ExpressionError, match="bm52"):
        mine_by_expression("bm52", collection, ["x"], gold, ["d0-0"], 5)


def test_draws() -> None:
    pool = np.array([[1, 2], [-1, -1], [3, -1]], np.int32)
    drawn = [draw(pool, np.array([0, 1, 2]), np.random.default_rng(seed)).tolist() for seed in range(30)]
    assert {tuple(row) for row in drawn} == {(1,), (2,), (1, 3), (2, 3)}
