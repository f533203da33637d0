"""Dense indexes of a collection: built once, from what is there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import legalir
from legalir.dense.index import DenseIndex
from legalir.dense.lsa import LSA
from legalir.errors import ComponentError
from legalir.lexical.sparse import SparseIndex


class Lengths:
    name = "some/lengths model"
    fingerprint = "ab" * 32

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.array([[len(text), 10] for text in texts], dtype=np.float32).reshape(-1, 2)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    encode_queries = encode


def test_lsa_is_fitted_once_on_the_postings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = legalir.Collection("legalir/firecode", cache=tmp_path)
    collection.sparse("auto")
    monkeypatch.setattr(SparseIndex, "index", None)  # the texts are not analysed again
    first = collection.pipeline("lsa(dimensions=32) % 5")(collection.topics().head(5))
    monkeypatch.setattr(DenseIndex, "index_postings", None)
    again = legalir.Collection("legalir/firecode", cache=tmp_path)
    assert again.pipeline("lsa(dimensions=32) % 5")(again.topics().head(5)).equals(first)
    index = again.dense(LSA("auto(lang='ko')", 32))
    assert index is again.dense("lsa(dimensions=32)")
    assert index.dimensions == 32
    assert index.manifest.facts["corpus"] == again.fingerprint()
    assert index.directory.name.startswith("dense-lsa-")


def test_other_encoders_read_the_texts(tmp_path: Path) -> None:
    collection = legalir.Collection("legalir/firecode", cache=tmp_path)
    index = collection.dense(Lengths())
    assert index.directory.name == "dense-some-lengths-model-abababab"
    assert len(index) == len(list(collection.docs()))
    assert not (index.directory.parent / "sparse").exists()
    assert len(index.retriever(3).search("무창층")) == 3
    assert collection.dense(Lengths()) is index


def test_an_unknown_encoder_is_named(tmp_path: Path) -> None:
    collection = legalir.Collection("legalir/firecode", cache=tmp_path)
    with pytest.raises(ComponentError, match="There is no encoder 'lda'"):
        collection.dense("lda")


class Counting(Lengths):
    """An encoder of a language model, which takes long."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode_counted(self, texts: Sequence[str], advance: Callable[[int], None]) -> np.ndarray:
        self.seen += texts
        return self.encode(texts)


def test_provisions_of_other_corpora_are_not_encoded_again(tmp_path: Path) -> None:
    def folder(name: str, *texts: str) -> Path:
        (tmp_path / name).mkdir(exist_ok=True)
        rows = [{"docno": f"a-{number}", "text": text} for number, text in enumerate(texts)]
        (tmp_path / name / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return tmp_path / name

    def encoded(path: Path) -> set[str]:
        encoder = Counting()
        index = legalir.Collection(path, cache=tmp_path / "cache").dense(encoder)
        texts = [row.text for row in legalir.Collection(path).docs()]
        np.testing.assert_array_equal(index.vectors, encoder.encode(texts))
        return set(encoder.seen)

    assert encoded(folder("code", "one", "three", "fifteen")) == {"one", "three", "fifteen"}
    assert encoded(folder("code", "one", "two", "fifteen")) == {"two"}, "another state of the collection"
    assert encoded(folder("book", "three", "two", "eleven")) == {"eleven"}, "another collection"
