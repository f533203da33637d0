"""The index on disk: reopened, damaged, interrupted, built by several at once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pyterrier as pt
import pytest
from conftest import Alone, Make

from legalir.errors import ArtifactError, ComponentError
from legalir.extend import building, write_docnos
from legalir_lucene import Lucene, LuceneIndex

DOCUMENTS = [
    {"docno": "b", "title": "창문", "text": "창 면적"},
    {"docno": "a", "text": "문"},
    {"docno": "c", "text": ""},
]


@pytest.fixture(name="path")
def built_index(tmp_path: Path) -> Path:
    LuceneIndex(tmp_path / "index", analyzer="whitespace").index(DOCUMENTS, corpus="one")
    return tmp_path / "index"


def data_of(path: Path) -> Path:
    return path / json.loads((path / "manifest.json").read_text())["data"]


def test_reopened(path: Path) -> None:
    index = LuceneIndex(path)
    assert index.analyzer.name == "whitespace"
    assert (len(index), len(index.reader)) == (3, 3)
    assert index.docnos.tolist() == ["b", "a", "c"]
    facts = index.manifest.facts
    assert (facts["documents"], facts["corpus"]) == (3, "one")
    assert re.fullmatch(r"\d+\.\d+\.\d+", facts["lucene"])
    found = Lucene(index).search("창문 문")
    assert set(found["docno"]) == {"a", "b"}
    loaded = pt.Artifact.load(str(path))
    assert isinstance(loaded, LuceneIndex)
    assert loaded == LuceneIndex(path) != LuceneIndex(path, analyzer="whitespace")


def test_the_fingerprint_is_that_of_the_content(path: Path, tmp_path: Path) -> None:
    index = LuceneIndex(path)
    again = LuceneIndex(tmp_path / "again", analyzer="whitespace").index(DOCUMENTS)
    assert again.fingerprint() == index.fingerprint()
    assert again.manifest.files != index.manifest.files, "Lucene's files differ by chance"
    assert again.index(DOCUMENTS[:2]).fingerprint() != index.fingerprint()
    assert LuceneIndex(tmp_path / "char", analyzer="char1").index(DOCUMENTS).fingerprint() != index.fingerprint()


def test_a_retriever_sees_a_new_build(path: Path) -> None:
    index = LuceneIndex(path, analyzer="whitespace")
    retriever = Lucene(index)
    assert retriever.search("벽").empty
    index.index([{"docno": "z", "text": "벽"}])
    assert retriever.search("벽")["docno"].tolist() == ["z"]


def test_damage_is_found(path: Path) -> None:
    files = sorted(data_of(path).iterdir())
    assert len(files) == 7
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[:-1])
        with pytest.raises(ArtifactError, match=r"bytes where .* were written: remove the directory"):
            len(LuceneIndex(path))
        file.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
        with pytest.raises(ArtifactError, match="was altered after it was written"):
            len(LuceneIndex(path))
        file.unlink()
        with pytest.raises(ArtifactError, match="is missing"):
            len(LuceneIndex(path))
        file.write_bytes(whole)
    assert len(LuceneIndex(path)) == 3


def test_what_lucene_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "hollow"
    with building(path, LuceneIndex.kind, LuceneIndex.version) as (data, facts):
        write_docnos(data, ["a"])
        facts["analyzer"] = {"name": "whitespace", "fingerprint": ""}
    with pytest.raises(ArtifactError, match=r"cannot be read by Lucene \d+\..*: remove the directory"):
        _ = LuceneIndex(path).reader


def test_of_another_analyzer_or_corpus_or_kind(path: Path, make: Make) -> None:
    with pytest.raises(ArtifactError, match=r"was built for another analyzer \(whitespace \w{8}\), not for char2"):
        len(LuceneIndex(path, analyzer="char2"))
    with pytest.raises(ArtifactError, match="was built for another corpus"):
        len(LuceneIndex(path, analyzer="whitespace", collection=make({"a": "문"})))
    with pytest.raises(ArtifactError, match="There is no index at"):
        len(LuceneIndex(path.with_name("nowhere")))
    (path / "manifest.json").unlink()
    (path / "pt_meta.json").write_text('{"type": "sparse_index", "format": "legalir"}')
    with pytest.raises(ArtifactError, match="is not a lucene_index"):
        LuceneIndex(path).index(DOCUMENTS)


def test_a_build_that_fails_leaves_the_old_one(path: Path) -> None:
    with pytest.raises(ComponentError, match="'x' occurs twice"):
        LuceneIndex(path, analyzer="whitespace").index([{"docno": "x", "text": "1"}, {"docno": "x", "text": "2"}])
    with pytest.raises(ComponentError, match="has no docno"):
        LuceneIndex(path, analyzer="whitespace").index([{"text": "1"}])
    assert len(LuceneIndex(path)) == 3
    assert len([child for child in path.iterdir() if child.is_dir()]) == 1


def test_a_full_disk(path: Path, alone: Alone) -> None:
    # No file may grow beyond 2 kB: what Java is told is what a full disk tells.
    said = alone(
        f"""
import resource, sys
sys.dont_write_bytecode = True  # A module that is compiled now would stay cut off.
from legalir.errors import ArtifactError
from legalir_lucene import LuceneIndex
from legalir_lucene.machine import machine
machine()
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    LuceneIndex({str(path)!r}, analyzer="whitespace").index(
        {{"docno": f"d{{number}}", "text": " ".join(f"w{{number * 7 + k}}" for k in range(50))}}
        for number in range(500)
    )
except ArtifactError as error:
    print(error)
"""
    )
    assert re.search(r"Writing .* failed \(File too large\); the old build, if any, is unchanged", said)
    assert len(LuceneIndex(path)) == 3


def test_a_killed_build_is_swept_away(path: Path) -> None:
    code = f"""
import os, signal
from legalir_lucene import LuceneIndex
def rows():
    for number in range(200):
        yield {{"docno": str(number), "text": "문 " * 20_000}}
        if number == 150:
            os.kill(os.getpid(), signal.SIGKILL)
LuceneIndex({str(path)!r}, analyzer="whitespace").index(rows())
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == -9
    assert len([child for child in path.iterdir() if child.is_dir()]) == 2
    assert len(LuceneIndex(path)) == 3
    LuceneIndex(path, analyzer="whitespace").index(DOCUMENTS[:1])
    assert len([child for child in path.iterdir() if child.is_dir()]) == 1
    assert len(LuceneIndex(path)) == 1


def test_two_processes_build_one_index(make: Make, tmp_path: Path) -> None:
    make({f"d-{number:03d}": f"문 창{number % 7}" for number in range(300)})
    code = f"""
from legalir import Collection
found = Collection({str(tmp_path / "made")!r}, cache={str(tmp_path / "cache")!r}).pipeline("lucene % 3").search("창3")
print(found["docno"].tolist())
"""
    runs = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = {run.communicate(timeout=120)[0] for run in runs}
    assert len(said) == 1 and "d-" in said.pop()
    assert [run.returncode for run in runs] == [0, 0]
    (index,) = (tmp_path / "cache").rglob("manifest.json")
    assert len([child for child in index.parent.iterdir() if child.is_dir()]) == 1
