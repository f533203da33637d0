"""Postings by token against scipy's transpose of the rows by document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from legalir.m3 import m3_index
from legalir.storage.arrays import load_array, save_array


def _written(path: Path, rows: sp.csr_matrix) -> Path:
    path.mkdir()
    save_array(path / "sparse.bounds.npy", rows.indptr.astype(np.int64))
    save_array(path / "sparse.tokens.npy", rows.indices.astype(np.int32))
    save_array(path / "sparse.weights.npy", rows.data.astype(np.float32))
    return path


def _check(directory: Path, spill: Path, rows: sp.csr_matrix) -> None:
    spill.mkdir()
    data = _written(directory, rows)
    m3_index.write_postings(data, spill, rows.shape[1])
    columns = rows.tocsc()
    columns.sort_indices()
    bounds, documents, weights = (load_array(data / f"token.{name}.npy") for name in ("bounds", "documents", "weights"))
    assert bounds.dtype == np.int64
    assert documents.dtype == np.int32
    assert weights.dtype == np.float32
    assert bounds.tolist() == columns.indptr.tolist()
    assert documents.tolist() == columns.indices.tolist()
    assert weights.tolist() == columns.data.astype(np.float32).tolist()
    assert list(spill.iterdir()) == []


@pytest.mark.parametrize("held", [1, 2, 7, 100, 10**6])
@pytest.mark.parametrize("density", [0.0, 0.02, 0.4])
def test_the_same_as_a_transpose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int, density: float) -> None:
    monkeypatch.setattr(m3_index, "_BLOCK_POSTINGS", held)
    rows = sp.random(37, 23, density, format="csr", random_state=np.random.default_rng(held), dtype=np.float32)
    rows.sort_indices()
    _check(tmp_path / "data", tmp_path / "spill", rows)


def test_a_token_of_every_document_and_documents_without_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(m3_index, "_BLOCK_POSTINGS", 5)
    dense = np.zeros((40, 9), dtype=np.float32)
    dense[:, 4] = np.arange(40) + 1
    dense[::2] = 0
    dense[39, 8] = dense[1, 0] = 7
    _check(tmp_path / "data", tmp_path / "spill", sp.csr_matrix(dense))
