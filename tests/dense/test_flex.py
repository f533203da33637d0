"""FLEX indexes: what is read of them, and every way in which their files may not be whole."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from flex_folder import write_flex

from legalir.dense.index import DenseIndex
from legalir.dense.vectors import read_flex
from legalir.errors import ArtifactError, ComponentError, MissingExtra

VECTORS = np.array([[3, 4], [5, 0], [0, -5]], dtype=np.float32)
"""All of length 5."""
DOCNOS = ["act-2", "act-10", "decree-1"]


@pytest.fixture(name="flex")
def whole_flex(tmp_path: Path) -> Path:
    return write_flex(tmp_path / "whole.flex", VECTORS, DOCNOS)


def test_vectors_and_docnos_are_read(flex: Path) -> None:
    vectors, docnos = read_flex(flex)
    assert vectors.tolist() == VECTORS.tolist()
    assert isinstance(vectors, np.memmap)
    assert docnos == DOCNOS
    assert {type(docno) for docno in docnos} == {str}


@pytest.mark.parametrize("names", [["1", "2", "3"], ["D007", "D008", "D009"], ["민법 제1조", "민법 제2조", "x"]])
def test_docnos_in_each_of_their_forms(tmp_path: Path, names: list[str]) -> None:
    assert read_flex(write_flex(tmp_path / "f", VECTORS, names))[1] == names


def test_an_index_of_its_vectors(flex: Path, tmp_path: Path) -> None:
    index = DenseIndex.from_flex(tmp_path / "ours", flex, corpus="abc")
    assert index.docnos.tolist() == DOCNOS
    assert index.vectors == pytest.approx(np.array([[0.6, 0.8], [1, 0], [0, -1]]))
    assert index.encoder is None
    assert index.manifest.facts["corpus"] == "abc"
    back = list(index.get_corpus_iter())
    assert [row["docno"] for row in back] == DOCNOS
    assert np.stack([row["doc_vec"] for row in back]).tolist() == index.vectors.tolist()
    assert {row["doc_vec"].dtype for row in back} == {np.dtype(np.float32)}


def test_inner_products_need_vectors_of_one_length(tmp_path: Path) -> None:
    # By inner product with (1, 0), b (10·0.8) comes before a (1); by cosine, a (1) comes before b (0.8).
    flex = write_flex(tmp_path / "f", np.array([[1, 0], [8, 6]], dtype=np.float32), ["a", "b"])
    with pytest.raises(ComponentError, match=r"1.*10.*sim_fn='cos'"):
        DenseIndex.from_flex(tmp_path / "ours", flex)
    index = DenseIndex.from_flex(tmp_path / "ours", flex, sim_fn="cos")
    assert index.vectors[1].tolist() == pytest.approx([0.8, 0.6])
    with pytest.raises(ComponentError, match="sim_fn='l2'"):
        DenseIndex.from_flex(tmp_path / "ours", flex, sim_fn="l2")  # type: ignore[arg-type]


def test_rounding_is_no_other_length(tmp_path: Path) -> None:
    flex = write_flex(tmp_path / "f", VECTORS * np.array([[1], [1.0005], [0.9999]], dtype=np.float32), DOCNOS)
    assert read_flex(flex)[1] == DOCNOS


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize(("value", "fault"), [(0.0, "all zeros"), (np.nan, "NaN")])
def test_a_vector_without_direction(tmp_path: Path, row: int, value: float, fault: str) -> None:
    vectors = VECTORS.copy()
    vectors[row] = value
    flex = write_flex(tmp_path / "f", vectors, DOCNOS)
    for sim_fn in ("dot", "cos"):
        with pytest.raises(ComponentError, match=rf"'{DOCNOS[row]}' \(row {row}\) .*{fault}"):
            DenseIndex.from_flex(tmp_path / "ours", flex, sim_fn=sim_fn)  # type: ignore[arg-type]


def test_a_docno_that_occurs_twice(tmp_path: Path) -> None:
    flex = write_flex(tmp_path / "f", VECTORS, ["a", "b", "a"])
    with pytest.raises(ComponentError, match="'a' occurs twice"):
        DenseIndex.from_flex(tmp_path / "ours", flex)
    assert not DenseIndex(tmp_path / "ours").built()


def test_no_flex_index_at_all(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ArtifactError, match=r"pt_meta.json.*FlexIndex"):
            read_flex(path)


@pytest.mark.parametrize(
    ("meta", "fault"),
    [
        ({"format": "numpy"}, "dense_index .*numpy"),
        ({"type": "sparse_index"}, "sparse_index .*flex"),
        ({"doc_count": 0, "vec_size": None}, "holds 0 vectors of None"),
        ({"doc_count": -3, "vec_size": -2}, "holds -3 vectors of -2"),
        ({"doc_count": "3"}, "holds 3 vectors of 2"),
        ({"doc_count": 4}, r"vecs\.f4 has 24 bytes, .* 32"),
        ({"vec_size": 4}, r"vecs\.f4 has 24 bytes, .* 48"),
    ],
)
def test_counts_that_do_not_fit(tmp_path: Path, meta: dict[str, object], fault: str) -> None:
    flex = write_flex(tmp_path / "f", VECTORS, DOCNOS, **meta)
    with pytest.raises(ArtifactError, match=fault) as caught:
        read_flex(flex)
    assert str(flex) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"type": "dense_index"}'])
def test_counts_that_are_none(flex: Path, text: str) -> None:
    (flex / "pt_meta.json").write_text(text, encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"pt_meta.json"):
        read_flex(flex)


def test_other_docnos_than_vectors(tmp_path: Path) -> None:
    flex = write_flex(tmp_path / "f", VECTORS, DOCNOS[:2])
    with pytest.raises(ArtifactError, match=r"docnos.npids.*2.*3"):
        read_flex(flex)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("content", [b"", b"nothing of the kind", bytes(100), None])
def test_docnos_that_cannot_be_read(flex: Path, content: bytes | None) -> None:
    if content is None:
        (flex / "docnos.npids").unlink()
    else:
        (flex / "docnos.npids").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"docnos\.npids (.*\(\w+\)|has 0 docnos)"):
        read_flex(flex)


def test_vectors_that_are_missing(flex: Path) -> None:
    (flex / "vecs.f4").unlink()
    with pytest.raises(ArtifactError, match=r"vecs.f4.*0"):
        read_flex(flex)


def test_without_npids(flex: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "npids", None)
    with pytest.raises(MissingExtra, match=r"'npids'.*'legalir\[flex\]'"):
        read_flex(flex)
