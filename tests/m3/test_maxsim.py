"""MaxSim over ragged vectors on disk, against the definition in float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from legalir.m3 import maxsim
from legalir.m3.maxsim import MaxSim, quantize
from legalir.storage.arrays import load_array, save_array

EXACT = {"float32": 1e-6, "float16": 5e-4, "int8": 5e-3}
"""Of scores against what is stored: sums of float32, and the rounding of the query, which is 2⁻¹¹ at most for float16,
and for int8 some 1/440 of the greatest component, which is at most about 0.9 in these 20 dimensions."""

NUMKONG = [False, pytest.param(True, marks=pytest.mark.neural)]


def units(random: np.random.Generator, n: int, d: int) -> npt.NDArray[np.float32]:
    vectors = random.standard_normal((n, d))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class Stored:
    """Ragged vectors in a file, and what they are as float64."""

    def __init__(self, folder: Path, kind: str, sizes: npt.NDArray[np.int64], d: int, seed: int = 0) -> None:
        self.bounds = np.cumsum([0, *sizes])
        vectors = units(np.random.default_rng(seed), int(self.bounds[-1]), d)
        twin = vectors[self.bounds[1] : self.bounds[2]]
        vectors[self.bounds[-1] - len(twin) :] = twin  # The last document is the second one again.
        self.scales = None
        array: npt.NDArray[Any] = vectors.astype(kind)
        if kind == "int8":
            array, self.scales = quantize(vectors)
        save_array(folder / "vectors.npy", array)
        self.vectors = load_array(folder / "vectors.npy")
        self.wide = array.astype(np.float64) * (1 if self.scales is None else self.scales[:, None].astype(np.float64))

    def scorer(self, numkong: bool) -> MaxSim:
        return MaxSim(self.vectors, self.bounds, self.scales, numkong=numkong)

    def score(self, query: npt.NDArray[np.float32], document: int) -> float:
        """Return the definition: mean over the query of the greatest product."""
        rows = self.wide[self.bounds[document] : self.bounds[document + 1]]
        if not len(query) or not len(rows):
            return 0.0
        return float(np.mean([max(float(vector @ row) for row in rows) for vector in query.astype(np.float64)]))


def ragged(seed: int, n: int) -> npt.NDArray[np.int64]:
    sizes = np.random.default_rng(seed).integers(0, 12, n)
    sizes[[0, 1, n // 2, n - 1]] = 1, 7, 40, 7
    return sizes


@pytest.mark.parametrize("numkong", NUMKONG)
@pytest.mark.parametrize("kind", ["float16", "float32", "int8"])
@pytest.mark.parametrize("block", [1, 16, 8192])
def test_scores_are_those_of_the_definition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, numkong: bool, block: int
) -> None:
    monkeypatch.setattr(maxsim, "_BLOCK_ROWS", block)
    monkeypatch.setattr(maxsim, "_MIN_BLOCK_ROWS", 1)
    monkeypatch.setattr(maxsim, "processor_count", lambda: 2)
    stored = Stored(tmp_path, kind, ragged(1, 25), 20)
    random = np.random.default_rng(2)
    queries = [units(random, q, 20) for q in (1, 5, 16, 17, 0, 40)]
    asked = random.permutation(25)[:15]
    found = stored.scorer(numkong).scores(queries, asked)
    wanted = [[stored.score(query, document) for document in asked] for query in queries]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=0, atol=EXACT[kind])


@pytest.mark.parametrize("kind", ["float16", "float32", "int8"])
@pytest.mark.neural
def test_with_and_without_numkong(tmp_path: Path, kind: str) -> None:
    stored = Stored(tmp_path, kind, ragged(3, 60), 33)
    queries = [units(np.random.default_rng(4), 9, 33)]
    one, other = (stored.scorer(numkong).scores(queries, np.arange(60)) for numkong in (True, False))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["float16", "float32", "int8"])
@pytest.mark.neural
def test_a_score_does_not_depend_on_what_else_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(maxsim, "_BLOCK_ROWS", 64)
    stored = Stored(tmp_path, kind, ragged(5, 80), 100)
    random = np.random.default_rng(6)
    queries = [units(random, q, 100) for q in (3, 20)]
    whole = stored.scorer(True).scores(queries, np.arange(80))
    assert (whole[:, 1] == whole[:, 79]).all()  # They have equal vectors.
    for size in (1, 2, 7, 30):
        asked = random.permutation(80)[:size]
        assert (stored.scorer(True).scores(queries[1:], asked) == whole[1:, asked]).all()
        assert (stored.scorer(True).scores(queries[:1], asked) == whole[:1, asked]).all()


@pytest.mark.parametrize("numkong", NUMKONG)
def test_a_scorer_is_used_again(tmp_path: Path, numkong: bool) -> None:
    stored = Stored(tmp_path, "float16", ragged(7, 30), 16)
    query = [units(np.random.default_rng(8), 4, 16)]
    scorer = stored.scorer(numkong)
    first = scorer.scores(query, np.array([15, 3, 20]))
    scorer.scores(query, np.arange(30))
    assert (scorer.scores(query, np.array([15, 3, 20])) == first).all()


@pytest.mark.parametrize("numkong", NUMKONG)
def test_nothing_to_score(tmp_path: Path, numkong: bool) -> None:
    stored = Stored(tmp_path, "float16", ragged(9, 10), 16)
    query = units(np.random.default_rng(1), 4, 16)
    scorer = stored.scorer(numkong)
    assert scorer.scores([query], np.zeros(0, dtype=np.int64)).shape == (1, 0)
    assert scorer.scores([], np.arange(10)).shape == (0, 10)
    assert (scorer.scores([query[:0]], np.arange(10)) == 0).all()
    empty = MaxSim(stored.vectors[:0], np.zeros(4, dtype=np.int64), numkong=numkong)
    assert (empty.scores([query], np.arange(3)) == 0).all()


@pytest.mark.parametrize("numkong", NUMKONG)
def test_negative_products_count_as_they_are(numkong: bool) -> None:
    """Padding with zeros, as FlagEmbedding does in a batch, would make them 0."""
    vectors = np.array([[-1.0, 0.0], [-0.6, 0.8], [1.0, 0.0]], dtype=np.float32)
    scorer = MaxSim(vectors, np.array([0, 2, 3]), numkong=numkong)
    assert scorer.scores([np.array([[1.0, 0.0]], dtype=np.float32)], np.arange(2)) == pytest.approx(
        np.array([[-0.6, 1.0]])
    )


@pytest.mark.neural
@pytest.mark.parametrize("kind", ["float16", "float32", "int8"])
def test_any_number_of_threads_and_any_way_to_read_give_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    stored = Stored(tmp_path, kind, ragged(11, 50), 20)
    query, asked = [units(np.random.default_rng(12), 6, 20)], np.arange(0, 50, 3)
    monkeypatch.setattr(maxsim, "_MIN_BLOCK_ROWS", 1)
    found = []
    for threads, long in ((1, 1), (1, 10**9), (2, 1), (3, 10**9)):
        monkeypatch.setattr(maxsim, "processor_count", lambda threads=threads: threads)
        monkeypatch.setattr("legalir.m3.maxsim._LONG_PIECE", long)
        found.append(stored.scorer(True).scores(query, asked).tolist())
    assert found[0] == found[1] == found[2] == found[3]
    np.testing.assert_allclose(found[0][0], [stored.score(query[0], one) for one in asked], atol=EXACT[kind])


@pytest.mark.parametrize("numkong", NUMKONG)
def test_rounding_of_the_query_cancels_in_many_dimensions(tmp_path: Path, numkong: bool) -> None:
    """The stated rule: 0.00001 for float16, and 0.0003 for int8, here with a factor of 5."""
    for kind, rule in (("float16", 5e-5), ("int8", 1.5e-3)):
        stored = Stored(tmp_path, kind, np.full(20, 8), 1024)
        query = units(np.random.default_rng(13), 4, 1024)
        found = stored.scorer(numkong).scores([query], np.arange(20))
        np.testing.assert_allclose(found[0], [stored.score(query, one) for one in range(20)], rtol=0, atol=rule)
