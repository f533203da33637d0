"""The dense index: built, imported, opened, refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dense_material
import numpy as np
import pyterrier as pt
import pytest
from dense_material import LetterEncoder

from legalir.dense.index import DenseIndex
from legalir.dense.lsa import LSA
from legalir.errors import ArtifactError, ComponentError
from legalir.lexical.sparse import SparseIndex

DOCUMENTS: list[dict[str, Any]] = [
    {"docno": "법-2", "title": "소방시설법 제2조(정의)", "text": "무창층이란 개구부의 면적이 30분의 1 이하인 층"},
    {"doc_id": "법-12", "text": "관계인은 소방시설을 설치·관리하여야 한다."},
    {"docno": "령-11", "title": "", "text": "스프링클러설비는 지하층 또는 무창층에 설치한다."},
    {"docno": "empty", "text": ""},
]
QUERIES = ["무창층의 기준", "소방시설 설치", "zebra"]


def answers(index: DenseIndex) -> list[list[tuple[str, float]]]:
    found = [index.retriever().search(query) for query in QUERIES]
    return [list(zip(rows["docno"], rows["score"], strict=True)) for rows in found]


def test_lsa_is_built_searched_and_opened_again(tmp_path: Path) -> None:
    index = DenseIndex(tmp_path / "index").index(DOCUMENTS, corpus="abc")
    first = answers(index)
    assert first[0][0][0] in ("법-2", "령-11")
    assert first[1][0][0] == "법-12"
    assert first[2] == []
    again = DenseIndex(tmp_path / "index")
    assert answers(again) == first
    assert answers(DenseIndex(tmp_path / "index", encoder="lsa")) == first
    assert answers(pt.Artifact.load(str(tmp_path / "index"))) == first if _registered() else True
    assert again.fingerprint() == index.fingerprint()
    facts = again.manifest.facts
    assert facts["encoder"]["parameters"] == {"analyzer": "auto(lang='und')", "dimensions": 256}
    assert (facts["documents"], facts["precision"], facts["corpus"]) == (4, "float32", "abc")
    assert facts["dimensions"] == again.dimensions == again.vectors.shape[1]
    assert "title, newline, text" in facts["indexed"]
    assert [child.name for child in (tmp_path / "index").iterdir() if child.name.startswith(".spill")] == []


def _registered() -> bool:
    from importlib import metadata

    return "dense_index.legalir" in metadata.entry_points(group="pyterrier.artifact").names


def test_postings_give_the_same_as_texts(tmp_path: Path) -> None:
    encoder = LSA("char2", 3)
    postings = SparseIndex(tmp_path / "sparse", "char2").index(DOCUMENTS)
    one = DenseIndex(tmp_path / "one", encoder).index(DOCUMENTS)
    two = DenseIndex(tmp_path / "two", encoder).index_postings(postings)
    assert one.fingerprint() == two.fingerprint()
    assert answers(one) == answers(two)
    assert answers(DenseIndex(tmp_path / "one")) == answers(one)


def test_an_encoder_that_needs_no_fitting(tmp_path: Path) -> None:
    documents = [{"docno": f"d{i}", "text": text} for i, text in enumerate(["abc", "aab", "hhh", "zzz"])]
    index = DenseIndex(tmp_path / "index", LetterEncoder()).index(documents)
    rows = index.retriever().search("baa")
    assert rows["docno"].tolist() == ["d1", "d0", "d2", "d3"]
    np.testing.assert_allclose(rows["score"], [1, 3 / np.sqrt(15), 0, 0], atol=1e-6)
    with pytest.raises(ComponentError, match="'letters'"):
        index.index_postings(SparseIndex(tmp_path / "nowhere"))


def test_half_precision_takes_half_the_place_and_nearly_the_same_scores(tmp_path: Path) -> None:
    whole = DenseIndex(tmp_path / "whole").index(DOCUMENTS)
    half = DenseIndex(tmp_path / "half").index(DOCUMENTS, precision="float16")
    assert half.vectors.dtype == np.float16
    for rows, others in zip(answers(half), answers(whole), strict=True):
        assert dict(rows) == pytest.approx(dict(others), abs=2e-3)


def test_vectors_made_elsewhere(tmp_path: Path) -> None:
    raw = dense_material.random_vectors(1, 6, 8) * np.arange(1, 7, dtype=np.float32)[:, None]
    names = [f"d{i}" for i in range(6)]
    np.save(tmp_path / "raw.npy", raw.astype(np.float64))
    from_file = DenseIndex.from_vectors(tmp_path / "a", tmp_path / "raw.npy", names, LetterEncoder())
    from_text = DenseIndex.from_vectors(tmp_path / "b", str(tmp_path / "raw.npy"), iter(names), LetterEncoder())
    in_memory = DenseIndex.from_vectors(tmp_path / "c", raw, names, LetterEncoder())
    assert answers(from_file) == answers(from_text) == answers(in_memory)
    np.testing.assert_allclose(np.linalg.norm(in_memory.vectors, axis=1), 1, atol=1e-6)
    assert in_memory.manifest.facts["indexed"] == "vectors made elsewhere"
    found = in_memory.retriever().search("abc")
    expected = LetterEncoder().encode(["abc"])[0] @ dense_material.random_vectors(1, 6, 8).T
    np.testing.assert_allclose(found["score"], np.sort(expected)[::-1], atol=1e-6)


FAULTS: list[tuple[Any, Any, str]] = [
    (np.ones((3, 2)), ["a", "b"], "3 vectors and 2 docnos"),
    (np.ones(3), ["a", "b", "c"], r"shape \[3\] and type float64"),
    (np.ones((2, 0)), ["a", "b"], r"have shape \[2, 0\]"),
    (np.array([["a"], ["b"]]), ["a", "b"], "and type <U1: give numbers"),
    (np.ones((2, 2), dtype=complex), ["a", "b"], "type complex128"),
    (np.array([[1, 2], [0, np.nan]]), ["a", "b"], r"'b' \(row 1\) .*NaN"),
    (np.array([[np.inf, 2], [0, 1]]), ["a", "b"], r"'a' \(row 0\) .*infinity"),
    (np.array([[1, 2], [0, 0]]), ["a", "b"], r"'b' \(row 1\) is all zeros"),
    (np.ones((2, 2)), ["a", "a"], "The docno 'a' occurs twice"),
    (np.ones((2, 2)), ["a", 7], "docno .*string, got 7"),
    (np.ones((2, 2)), ["a", ""], "docno .*string, got ''"),
]


@pytest.mark.parametrize(("vectors", "docnos", "message"), FAULTS)
def test_faulty_vectors_are_refused_and_leave_nothing(tmp_path: Path, vectors: Any, docnos: Any, message: str) -> None:
    with pytest.raises(ComponentError, match=message) as caught:
        DenseIndex.from_vectors(tmp_path / "index", vectors, docnos)
    assert "\n" not in str(caught.value)
    assert not DenseIndex(tmp_path / "index").built()
    assert list((tmp_path / "index").glob("data-*")) == []


def test_a_file_that_holds_no_vectors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.npy").write_text("no array")
    for name, fault in (("bad.npy", r"bad\.npy .*file of numbers"), ("missing.npy", "There is no file ")):
        with pytest.raises(ComponentError, match=fault):
            DenseIndex.from_vectors(tmp_path / "index", tmp_path / name, ["a"])


def test_an_encoder_that_is_fitted_cannot_come_with_foreign_vectors(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="encoder 'lsa' is fitted"):
        DenseIndex.from_vectors(tmp_path / "index", np.ones((1, 2)), ["a"], "lsa")


def test_without_an_encoder_queries_need_vectors(tmp_path: Path) -> None:
    index = DenseIndex.from_vectors(tmp_path / "index", np.eye(3), ["a", "b", "c"])
    with pytest.raises(ComponentError, match="query_vec"):
        index.retriever().search("법")
    with pytest.raises(ComponentError, match="imported without an encoder"):
        index.query_encoder().search("법")
    assert index.encoder is None


def test_another_encoder_is_refused(tmp_path: Path) -> None:
    DenseIndex(tmp_path / "index", LSA("whitespace")).index(DOCUMENTS)
    with pytest.raises(ArtifactError, match=r"lsa \(\w{8}\).*lsa \(\w{8}\)"):
        DenseIndex(tmp_path / "index", "lsa").retriever().search("법")
    DenseIndex.from_vectors(tmp_path / "foreign", np.eye(3), ["a", "b", "c"])
    with pytest.raises(ArtifactError, match="no encoder, not with lsa"):
        DenseIndex(tmp_path / "foreign", "lsa").retriever().search("법")


@pytest.mark.parametrize("shape", [(1, 9), (2, 8), (8,)])
def test_an_encoder_that_makes_other_shapes_is_named(tmp_path: Path, shape: tuple[int, ...]) -> None:
    class Wrong(LetterEncoder):
        def encode_queries(self, texts: Sequence[str]) -> dense_material.Vectors:
            return np.ones(shape, dtype=np.float32)

    dense_material.dense_index(tmp_path / "index")
    index = DenseIndex(tmp_path / "index", Wrong())
    with pytest.raises(ComponentError, match=r"'letters'.*\[1, 8"):
        index.retriever().search("법")


def test_an_encoder_that_changes_its_mind_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Growing(LetterEncoder):
        made = 2

        def encode(self, texts: Sequence[str]) -> dense_material.Vectors:
            self.made += 1
            return np.ones((len(texts), self.made), dtype=np.float32)

    monkeypatch.setattr("legalir.storage.documents._BATCH_CHARACTERS", 3)
    with pytest.raises(ComponentError, match=r"\[1, 4\].*\[1, 3\]"):
        DenseIndex(tmp_path / "index", Growing()).index([{"docno": str(i), "text": "abc"} for i in range(4)])


def test_an_unknown_precision_is_named(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"precision='float64'.*float32, float16"):
        DenseIndex(tmp_path / "index").index(DOCUMENTS, precision="float64")  # type: ignore[arg-type]


FILES = ["docnos.bytes", "docnos.offsets", "order", "vectors"]
LEARNT = ["encoder.components", "encoder.idf", "encoder.terms.bytes", "encoder.terms.offsets"]


def test_every_altered_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index"
    DenseIndex(path).index(DOCUMENTS)
    manifest = json.loads((path / "manifest.json").read_text())
    assert sorted(manifest["files"]) == sorted(f"{name}.npy" for name in [*FILES, *LEARNT])
    for name in manifest["files"]:
        file = path / manifest["data"] / name
        good = file.read_bytes()
        for bad in (good[:-1], good[:-1] + bytes([good[-1] ^ 1])):
            file.write_bytes(bad)
            with pytest.raises(ArtifactError, match=rf"{name} (was altered|has \d+ bytes)"):
                answers(DenseIndex(path))
        file.write_bytes(good)
    answers(DenseIndex(path))


def test_a_sparse_index_is_not_a_dense_one(tmp_path: Path) -> None:
    SparseIndex(tmp_path / "sparse").index(DOCUMENTS)
    with pytest.raises(ArtifactError, match=r"sparse_index.*dense_index"):
        answers(DenseIndex(tmp_path / "sparse"))
    with pytest.raises(ArtifactError, match="dense_index"):
        DenseIndex(tmp_path / "sparse").index(DOCUMENTS)
    with pytest.raises(ArtifactError, match="There is no index at"):
        answers(DenseIndex(tmp_path / "nowhere"))
