"""Approximate search: read from text, built by FAISS, stored, opened, refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from legalir.dense import approximate as module
from legalir.dense.approximate import Approximate, Neighbours, build_neighbours, distinct_rows, read_approximate
from legalir.errors import ArtifactError, ComponentError
from legalir.storage.arrays import load_array, save_array

needs_faiss = pytest.mark.neural


def hnsw(m: int = 32, ef_construction: int = 200, ef: int = 256) -> Approximate:
    return Approximate("hnsw", {"m": m, "ef_construction": ef_construction, "ef": ef})


def ivf(lists: int | None = None, probes: int | None = None) -> Approximate:
    return Approximate("ivf", {"lists": lists, "probes": probes})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int8", Approximate("int8", {})),
        ("hnsw", hnsw(32, 200, 256)),
        (" hnsw( ef = 128 , m=16 )", hnsw(m=16, ef=128)),
        ("hnsw(m=32, ef_construction=100, ef=1)", hnsw(32, 100, 1)),
        ("ivf", ivf(None, None)),
        ("ivf(lists=None, probes=7)", ivf(probes=7)),
        ("ivf(lists=100)", ivf(lists=100)),
    ],
)
def test_text_is_read(text: str, expected: Approximate) -> None:
    read = read_approximate(text)
    assert read == expected
    assert read_approximate(read) is read
    assert read_approximate(str(read)) == read
    assert len(read.fingerprint) == 64


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "hnws",
            r"='hnws' is not a search\. Did you mean 'hnsw'\? Accepted: int8 or hnsw\(m=.*\) or ivf\(lists=",
        ),
        ("int8(ef=3)", r"int8 has no parameter 'ef'\. Accepted: int8\."),
        ("hnsw(M=3)", r"hnsw has no parameter 'M'\. Accepted: hnsw\(m=32, ef_construction=200, ef=256\)\."),
        (
            "ivf(probe=3)",
            r"ivf has no parameter 'probe'\. Did you mean 'probes'\? Accepted: ivf\(lists=None, probes=None",
        ),
        ("hnsw(m=1)", "hnsw: m=1 is not an integer from 2 to 1024"),
        ("hnsw(ef=0)", "hnsw: ef=0 is not an integer of at least 1"),
        ("ivf(8)", r"write ivf\(name=value\)\. Accepted: int8 or hnsw"),
        ("hnsw(ef=open('x'))", "is not a literal.* Accepted: int8"),
    ],
)
def test_what_means_nothing_is_told_what_is_accepted(spec: Any, message: str) -> None:
    with pytest.raises(ComponentError, match=message) as caught:
        read_approximate(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "vectors", "expected"),
    [
        # 4·√10 000 = 400, but a list has 39 vectors at least: ⌊10 000/39⌋ = 256, of which 16 are a sixteenth.
        (ivf(), 10_000, (256, 16)),
        # 4·√10⁶ = 4 000, of which a sixteenth.
        (ivf(), 1_000_000, (4000, 250)),
        (ivf(), 1, (1, 1)),
        (ivf(), 78, (2, 2)),
        (ivf(lists=7), 10_000, (7, 7)),
        (ivf(lists=7, probes=3), 10_000, (7, 3)),
        (ivf(lists=5000, probes=500), 10_000, (256, 256)),
    ],
)
def test_lists_fit_the_vectors(spec: Approximate, vectors: int, expected: tuple[int, int]) -> None:
    assert spec.fitted(vectors, vectors) == ivf(*expected)
    assert spec.fitted(vectors, 1) == ivf(1, 1)


def test_equal_vectors_stand_together_in_the_order_of_ties() -> None:
    a, b, zero = [1.0, 0.0], [0.0, -1.0], [0.0, 0.0]
    for kind in (np.float32, np.float16):
        vectors = np.array([zero, b, a, [-0.0, -1.0], a, [-0.0, 0.0], b], dtype=kind)
        order = np.array([3, 6, 5, 0, 1, 2, 4], dtype=np.int32)
        rows, bounds = distinct_rows(vectors, order)
        # b is in rows 1, 3, 6, whose orders are 6, 0, 4; a in rows 2 and 4, whose orders are 5 and 1.
        assert (rows.tolist(), bounds.tolist()) == ([3, 6, 1, 4, 2], [0, 3, 5])


@pytest.mark.parametrize("n", [0, 1, 3])
def test_nothing_but_zeros(n: int) -> None:
    rows, bounds = distinct_rows(np.zeros((n, 4), dtype=np.float32), np.arange(n, dtype=np.int32))
    assert (rows.tolist(), bounds.tolist()) == ([], [0])


def clustered(n: int = 3000, d: int = 16, seed: int = 4) -> npt.NDArray[np.float32]:
    """Return vectors of length 1 around 30 centres."""
    random = np.random.default_rng(seed)
    raw = random.normal(size=(30, d))[random.integers(0, 30, size=n)] + 0.4 * random.normal(size=(n, d))
    unit: npt.NDArray[np.float32] = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    return unit


def built(folder: Path, vectors: npt.NDArray[np.floating], spec: str) -> tuple[Neighbours, dict[str, Any]]:
    folder.mkdir()
    save_array(folder / "vectors.npy", vectors)
    save_array(folder / "order.npy", np.arange(len(vectors), dtype=np.int32)[::-1])
    facts = build_neighbours(folder, read_approximate(spec))
    return Neighbours(folder, opened(folder), read_approximate(facts["search"])), facts


def opened(folder: Path) -> dict[str, npt.NDArray[Any]]:
    return {file.stem: load_array(file) for file in folder.iterdir()}


@needs_faiss
@pytest.mark.parametrize("spec", ["int8", "hnsw(ef=3000)", "ivf(lists=20, probes=20)"])
@pytest.mark.parametrize("precision", [np.float32, np.float16])
def test_who_looks_at_all_finds_the_nearest(tmp_path: Path, spec: str, precision: type) -> None:
    vectors = clustered().astype(precision)
    found, facts = built(tmp_path / "index", vectors, spec)
    assert facts["distinct"] == 3000
    for query in clustered(20, seed=9):
        best = np.argsort(-(vectors.astype(np.float64) @ query))[:20]
        assert set(best) <= set(found.rows[found.bounds[found.near(query, 10)]])


@needs_faiss
def test_inverted_lists_are_those_of_the_nearest_centres(tmp_path: Path) -> None:
    """Against lists made here from FAISS's centres: an eighth of the lists, looked at by hand."""
    import faiss

    vectors = clustered()
    found, facts = built(tmp_path / "index", vectors, "ivf(lists=40, probes=5)")
    assert facts["search"] == "ivf(lists=40, probes=5)"
    index = faiss.deserialize_index(load_array(tmp_path / "index" / "approximate.faiss.npy").reshape(-1))
    centres = index.quantizer.reconstruct_n(0, 40)
    np.testing.assert_allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-5)
    home = (vectors @ centres.T).argmax(axis=1)
    for query in clustered(20, seed=9):
        near = np.isin(home, np.argsort(-(centres @ query))[:5])
        assert near.sum() < 3000
        assert sorted(found.near(query, 3000)) == np.flatnonzero(near).tolist()


@needs_faiss
@pytest.mark.parametrize("spec", ["int8", "hnsw(m=8, ef_construction=40)", "ivf(lists=30)"])
def test_the_same_vectors_give_the_same_file(tmp_path: Path, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import faiss

    vectors, digests, before = clustered(2000), set(), faiss.omp_get_max_threads()
    monkeypatch.setattr(module, "_ROWS", 700)  # more than one block
    try:
        for number, threads in enumerate((1, 1, 3)):
            faiss.omp_set_num_threads(threads)
            built(tmp_path / str(number), vectors, spec)
            digests.add(hashlib.sha256((tmp_path / str(number) / "approximate.faiss.npy").read_bytes()).hexdigest())
    finally:
        faiss.omp_set_num_threads(before)
    assert len(digests) == 1


@needs_faiss
def test_numbers_take_8_bits(tmp_path: Path) -> None:
    built(tmp_path / "hnsw", clustered(2000, 64), "hnsw(m=2)")
    built(tmp_path / "ivf", clustered(2000, 64), "ivf(lists=2)")
    built(tmp_path / "int8", clustered(2000, 64), "int8")
    for name in ("int8", "hnsw", "ivf"):
        # 64 bytes of numbers, and 8 of an id or some 36 of links; float16 alone would take 128.
        assert 64 < (tmp_path / name / "approximate.faiss.npy").stat().st_size / 2000 < 110


@needs_faiss
def test_learning_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SAMPLE_BYTES", 4 * 16 * 390)
    _, facts = built(tmp_path / "index", clustered(), "ivf(lists=100)")
    assert facts["search"] == "ivf(lists=10, probes=10)", "390 vectors make ten centres"


@needs_faiss
@pytest.mark.parametrize("spec", ["int8", "hnsw", "ivf"])
@pytest.mark.parametrize("n", [0, 2])
def test_few_vectors(tmp_path: Path, spec: str, n: int, capfd: pytest.CaptureFixture[str]) -> None:
    vectors = np.concatenate([clustered(n), np.zeros((3, 16), dtype=np.float32)])
    found, facts = built(tmp_path / "index", vectors, spec)
    assert facts["distinct"] == n
    assert sorted(found.near(clustered(1)[0], 100)) == list(range(n))
    assert capfd.readouterr() == ("", ""), "FAISS has nothing to warn of"


@needs_faiss
def test_a_file_that_faiss_cannot_read_is_refused(tmp_path: Path) -> None:
    built(tmp_path / "index", clustered(100), "hnsw")
    arrays = opened(tmp_path / "index")
    whole = arrays["approximate.faiss"]
    for content in (whole[:200], np.zeros((50, 1), dtype=np.uint8)):
        with pytest.raises(ArtifactError, match="FAISS"):
            Neighbours(tmp_path / "index", {**arrays, "approximate.faiss": content}, hnsw())
    for other in ({"vectors": np.ones((100, 3))}, {"approximate.bounds": np.arange(100)}):
        with pytest.raises(ArtifactError, match="belongs to other vectors"):
            Neighbours(tmp_path / "index", {**arrays, **other}, hnsw())
