"""Faults put into a real index: every one is an error, and none a wrong answer."""

from __future__ import annotations

import os
import resource
import shutil
import signal
from pathlib import Path

import numpy as np
import pyterrier as pt
import pytest
from forked import child
from small_index import DOCUMENTS, OTHERS, Answers, answers, scratch

from legalir.errors import ArtifactError
from legalir.lexical.sparse import SparseIndex

FILES = [
    "data-*/df.npy",
    "data-*/docnos.bytes.npy",
    "data-*/docnos.offsets.npy",
    "data-*/documents.npy",
    "data-*/frequencies.npy",
    "data-*/indptr.npy",
    "data-*/lengths.npy",
    "data-*/order.npy",
    "data-*/terms.bytes.npy",
    "data-*/terms.offsets.npy",
]


@pytest.fixture(name="path")
def built_index(tmp_path: Path) -> Path:
    SparseIndex(tmp_path / "index", analyzer="jamo3").index(DOCUMENTS)
    return tmp_path / "index"


@pytest.fixture(name="expected")
def expected_answers(path: Path) -> Answers:
    return answers(SparseIndex(path))


def the_file(path: Path, pattern: str) -> Path:
    (file,) = path.glob(pattern)
    return file


def refused(path: Path, message: str, **arguments: str) -> None:
    with pytest.raises(ArtifactError, match=message) as caught:
        answers(SparseIndex(path, **arguments))
    assert "\n" not in str(caught.value)


def test_these_are_all_files(path: Path) -> None:
    files = {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    data = the_file(path, "data-*").name
    assert files == {name.replace("data-*", data) for name in FILES} | {"manifest.json", "pt_meta.json"}


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_byte_in_a_file_is_refused(path: Path, name: str) -> None:
    file = the_file(path, name)
    good = file.read_bytes()
    random = np.random.default_rng(len(good))
    for position in (0, len(good) - 1, 127, 128, *random.integers(len(good), size=6)):
        bad = bytearray(good)
        bad[position] ^= 1 << int(random.integers(8))
        file.write_bytes(bad)
        refused(path, rf"{file.name} was altered")
    file.write_bytes(good)
    answers(SparseIndex(path))


def test_a_flipped_byte_in_the_manifest_is_refused_or_says_the_same(path: Path, expected: Answers) -> None:
    """Only another kind of white space between two values may pass: all else is under the manifest's own sha256."""
    file = path / "manifest.json"
    good = file.read_bytes()
    random = np.random.default_rng(5)
    same = 0
    for position in range(0, len(good), 5):
        bad = bytearray(good)
        bad[position] ^= 1 << int(random.integers(8))
        file.write_bytes(bad)
        try:
            assert answers(SparseIndex(path)) == expected
        except ArtifactError:
            continue
        same += 1
        assert chr(good[position]).isspace()
    assert same < 20


def test_a_flipped_byte_in_what_pyterrier_reads_changes_no_answer(path: Path, expected: Answers) -> None:
    file = path / "pt_meta.json"
    good = file.read_bytes()
    for position in range(0, len(good), 9):
        bad = bytearray(good)
        bad[position] ^= 4
        file.write_bytes(bad)
        try:
            index = pt.Artifact.load(str(path))
        except Exception:
            continue
        assert answers(index) == expected
    assert answers(SparseIndex(path)) == expected


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_refused(path: Path, name: str) -> None:
    file = the_file(path, name)
    for size in (file.stat().st_size - 1, 60, 0):
        os.truncate(file, size)
        refused(path, rf"{file.name} has {size} bytes")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_refused(path: Path, name: str) -> None:
    file = the_file(path, name)
    file.unlink()
    refused(path, rf"{file.name} is missing")
    file.mkdir()
    refused(path, file.name)


def test_a_truncated_or_missing_manifest_is_refused(path: Path) -> None:
    manifest = path / "manifest.json"
    good = manifest.read_bytes()
    for size in range(0, len(good) - 1, 97):
        manifest.write_bytes(good[:size])
        refused(path, r"manifest\.json is damaged")
    manifest.unlink()
    refused(path, "no index")


def test_files_of_another_build_are_refused(path: Path, tmp_path: Path) -> None:
    SparseIndex(tmp_path / "other", analyzer="jamo3").index(OTHERS)
    other = the_file(tmp_path / "other", "data-*")
    shutil.copy(other / "documents.npy", the_file(path, "data-*"))
    refused(path, r"documents\.npy has \d+ bytes")


def test_another_version_of_the_analyzer_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unicodedata.unidata_version", "99.0.0")
    refused(path, "another version of the analyzer jamo3")
    refused(path, "jamo3", analyzer="jamo3")
    refused(path, "jamo3 .* char2 ", analyzer="char2")


def test_an_index_can_be_built_again_over_any_fault(path: Path, expected: Answers) -> None:
    for name in FILES:
        the_file(path, name).write_bytes(b"")
        assert answers(SparseIndex(path, analyzer="jamo3").index(DOCUMENTS)) == expected
        assert scratch(path) == []


def _build_on_a_full_disk(path: Path, size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        SparseIndex(path, analyzer="jamo3").index(OTHERS)
    except ArtifactError as error:
        text = str(error)
        os._exit(3 if "failed" in text and "the old build, if any, is unchanged" in text else 4)


def test_a_full_disk_leaves_the_old_index(path: Path, expected: Answers) -> None:
    """A file may not grow beyond a size, which fails a write as a full disk does."""
    largest = max(file.stat().st_size for file in path.rglob("*.npy"))
    for size in (0, 1, 130, 700, largest // 2):
        process = child(_build_on_a_full_disk, path, size)
        process.join()
        assert process.exitcode == 3, size
        assert answers(SparseIndex(path)) == expected
        assert scratch(path) == []


def test_a_full_disk_leaves_nothing_where_nothing_was(tmp_path: Path) -> None:
    process = child(_build_on_a_full_disk, tmp_path / "new", 300)
    process.join()
    assert process.exitcode == 3
    assert not SparseIndex(tmp_path / "new").built()
    assert len(SparseIndex(tmp_path / "new").index(DOCUMENTS)) == len(DOCUMENTS)
