"""Faults put into a saved graph: every one is an error, and none a wrong answer."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from legalir.errors import ArtifactError
from legalir.graph import citation_graph as graph_content
from legalir.graph.citation_graph import CitationGraph
from legalir.lexical.sparse import SparseIndex

LINKS = [("a", "b", "self"), ("b", "c", "family"), ("c", "a", "self"), ("a", "c", "self")]
FILES = [
    "docnos.bytes.npy",
    "docnos.offsets.npy",
    *(f"{way}.{name}.npy" for way in ("sources", "targets") for name in ("indptr", "kinds", "nodes")),
]


@pytest.fixture(name="path")
def saved_graph(tmp_path: Path) -> Path:
    CitationGraph.from_links(LINKS).save(tmp_path / "graph")
    return tmp_path / "graph"


def data(path: Path) -> Path:
    (found,) = path.glob("data-*")
    return found


def refused(path: Path, message: str) -> None:
    with pytest.raises(ArtifactError, match=message) as caught:
        CitationGraph.load(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(ArtifactError, match=message):
        CitationGraph(path).cites("a")


def test_these_are_all_files(path: Path) -> None:
    assert sorted(file.name for file in data(path).iterdir()) == FILES
    assert sorted(child.name for child in path.iterdir()) == [data(path).name, "manifest.json", "pt_meta.json"]


@pytest.mark.parametrize("name", FILES)
def test_a_fault_in_a_file_is_refused(path: Path, name: str) -> None:
    file = data(path) / name
    good = file.read_bytes()
    random = np.random.default_rng(len(good))
    for position in (0, len(good) - 1, *random.integers(len(good), size=4)):
        bad = bytearray(good)
        bad[position] ^= 1 << int(random.integers(8))
        file.write_bytes(bad)
        refused(path, rf"{name} was altered after it was written: remove the directory .* and build it again")
    os.truncate(file, len(good) - 1)
    refused(path, rf"{name} has \d+ bytes where \d+ were written: remove the directory")
    file.unlink()
    refused(path, rf"{name} is missing: remove the directory")
    file.write_bytes(good)
    assert list(CitationGraph.load(path).links()) == list(CitationGraph.from_links(LINKS).links())


def test_what_is_not_there_or_something_else_is_refused(path: Path, tmp_path: Path) -> None:
    refused(tmp_path / "nowhere", "There is no index at .*nowhere: build it first")
    SparseIndex(tmp_path / "sparse", analyzer="whitespace").index([{"docno": "a", "text": "b"}])
    refused(tmp_path / "sparse", "holds sparse_index, and citation_graph is needed")
    with pytest.raises(ArtifactError, match="citation_graph"):
        CitationGraph.from_links(LINKS).save(tmp_path / "sparse")
    shutil.rmtree(data(path))
    refused(path, "is missing: remove the directory")


def test_another_version_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_content, "VERSION", 9)
    refused(path, "holds citation_graph version 1, and citation_graph version 9 is needed")


def test_saving_again_replaces_whole_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = CitationGraph.load(path)
    before = list(old.links())

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(graph_content, "save_array", full_disk)
        with pytest.raises(ArtifactError, match="No space left on device"):
            CitationGraph.from_links([("x", "y")]).save(path)
    assert list(CitationGraph.load(path).links()) == before
    assert len(list(path.iterdir())) == 3
    CitationGraph.from_links([("x", "y")]).save(path)
    assert list(CitationGraph.load(path).links()) == [("x", "y", "")]
    assert len(list(path.iterdir())) == 3
    assert list(old.links()) == before  # what is mapped stays whole for whoever holds it


def test_arrays_are_mapped_and_read_only(path: Path) -> None:
    graph = CitationGraph.load(path)
    for direction in ("out", "in"):
        assert not graph.adjacency(direction).nodes.flags.writeable  # type: ignore[arg-type]
