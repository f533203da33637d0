"""CIFF files: a file worked out by hand, there and back, and faulty ones."""

from __future__ import annotations

import gzip
from pathlib import Path

import plain_scores
import pytest

from legalir.errors import ComponentError, FormatError
from legalir.lexical.sparse import SparseIndex

DOCUMENTS = [{"docno": "a", "text": "x"}, {"docno": "b", "text": "y x x"}]


@pytest.mark.parametrize("name", ["index.ciff", "index.ciff.gz"])
def test_there_and_back(tmp_path: Path, name: str) -> None:
    texts = [*plain_scores.random_texts(seed=3, count=150), "", "법 " * 300]
    index = SparseIndex(tmp_path / "own", "char2").index({"docno": f"d{n}", "text": t} for n, t in enumerate(texts))
    index.to_ciff(tmp_path / name)
    again = SparseIndex(tmp_path / "again", "char2").from_ciff(tmp_path / name)
    assert again.docnos.tolist() == index.docnos.tolist()
    assert list(again.terms) == list(index.terms)
    for array in ("indptr", "documents", "frequencies", "lengths", "df"):
        assert again.arrays[array].tolist() == index.arrays[array].tolist()
        assert again.arrays[array].dtype == index.arrays[array].dtype
    for query in texts[:3]:
        assert again.bm25().scores(query).tolist() == index.bm25().scores(query).tolist()


def test_bytes_worked_out_by_hand(tmp_path: Path) -> None:
    """Each message has its size before it; a field is number·8 + type, then the value; a value of 0 is left out."""
    SparseIndex(tmp_path / "own", "whitespace").index(DOCUMENTS).to_ciff(tmp_path / "own.ciff")
    data = (tmp_path / "own.ciff").read_bytes()
    lists = (
        b"\x11\x0a\x01x\x10\x02\x18\x03\x22\x02\x10\x01\x22\x04\x08\x01\x10\x02"  # x: a once, b (one further) twice
        b"\x0d\x0a\x01y\x10\x01\x18\x01\x22\x04\x08\x01\x10\x01"
    )
    records = b"\x05\x12\x01a\x18\x01\x07\x08\x01\x12\x01b\x18\x03"
    assert data.endswith(b"\x42\x1clegalir, analyzer whitespace"[1:] + lists + records)
    assert data[1:22] == b"\x08\x01\x10\x02\x18\x02\x20\x02\x28\x02\x30\x04\x39\0\0\0\0\0\0\0\x40"


def test_faulty_files(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "own", "whitespace")
    index.index(DOCUMENTS).to_ciff(tmp_path / "own.ciff")
    data = (tmp_path / "own.ciff").read_bytes()
    faulty = [data[:size] for size in range(len(data))]
    faulty += [data + b"\x02\x08\x05", data.replace(b"\x18\x03\x22", b"\x18\x04\x22"), b'{"docno": "a"}']
    faulty += [data.replace(b"\x01y\x10", b"\x01x\x10"), gzip.compress(data)]
    for one in faulty:
        (tmp_path / "cut.ciff").write_bytes(one)
        with pytest.raises(FormatError, match=r"cut.ciff is not a whole CIFF file"):
            index.from_ciff(tmp_path / "cut.ciff")
    assert len(index) == 2, "the old build stays"
    with pytest.raises(ComponentError, match="analyzer='auto'"):
        SparseIndex(tmp_path / "own").from_ciff(tmp_path / "own.ciff")
    with pytest.raises(ComponentError, match="made by analyzer='whitespace', not 'char2'"):
        SparseIndex(tmp_path / "other", "char2").from_ciff(tmp_path / "own.ciff")


def test_a_foreign_file_whose_terms_are_cut_again(tmp_path: Path) -> None:
    texts = ["harbour dues are paid", "the quay belongs to harbour"]
    index = SparseIndex(tmp_path / "own", "whitespace").index({"docno": t[:3], "text": t} for t in texts)
    index.to_ciff(tmp_path / "own.ciff")
    foreign = (
        (tmp_path / "own.ciff").read_bytes().replace(b"legalir, analyzer whitespace", b"lucene's English analyzer..")
    )
    (tmp_path / "foreign.ciff").write_bytes(foreign.replace(b"analyzer..", b"analyzer..."))
    assert len(SparseIndex(tmp_path / "same", "word").from_ciff(tmp_path / "foreign.ciff")) == 2
    with pytest.raises(ComponentError, match="cuts 7 of 8 terms of foreign"):
        SparseIndex(tmp_path / "other", "char2").from_ciff(tmp_path / "foreign.ciff")
