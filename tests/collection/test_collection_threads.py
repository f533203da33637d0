"""Threads that share a collection: an index is built and opened once, and two indexes do not wait for each other."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from legalir.collection.collection import Collection
from legalir.errors import FormatError
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.laws import LawTable
from legalir.lexical.bm25f import FieldIndex
from legalir.lexical.sparse import SparseIndex

THREADS = 8


@pytest.fixture(name="folder")
def written_folder(tmp_path: Path) -> Path:
    rows = [{"docno": f"a-{n}", "text": f"무창층 {n}", "law": "소방법"} for n in range(50)]
    (tmp_path / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (tmp_path / "links.tsv").write_text("a-2\ta-1\n", encoding="utf-8")
    return tmp_path


def in_threads(task: Callable[[], object]) -> list[object]:
    """Return what `task` returns in each of several threads that begin it at the same time."""
    barrier = threading.Barrier(THREADS)

    def begin(_: int) -> object:
        barrier.wait(timeout=30)
        return task()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


@pytest.mark.parametrize(
    ("kind", "method", "open_index"),
    [
        (SparseIndex, "index", lambda one: SparseIndex.of(one, "jamo3")),
        (FieldIndex, "index", lambda one: FieldIndex.of(one, "char2")),
        (LawTable, "index_columns", LawTable.of),
        (CitationGraph, "save", CitationGraph.of),
    ],
)
def test_threads_at_once_build_and_open_one_index(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: type,
    method: str,
    open_index: Callable[[Collection], object],
) -> None:
    builds: list[object] = []
    build = getattr(kind, method)

    def slow(self: object, *arguments: object, **names: object) -> object:
        builds.append(self)
        threading.Event().wait(0.1)  # time in which the other threads ask, too
        return build(self, *arguments, **names)

    monkeypatch.setattr(kind, method, slow)
    collection = Collection(folder)
    indexes = in_threads(lambda: open_index(collection))
    assert len(builds) == 1
    assert all(index is indexes[0] for index in indexes)
    assert open_index(Collection(folder)) == indexes[0]
    assert len(builds) == 1


def test_threads_search_alike(folder: Path) -> None:
    collection = Collection(folder)
    results = in_threads(lambda: collection.search("무창층 7"))
    alone = Collection(folder).search("무창층 7")
    assert len(alone) == 10
    assert all(alone.equals(one) for one in results)


def test_one_index_does_not_wait_for_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, free = threading.Event(), threading.Event()
    build = SparseIndex.index

    def blocked(self: SparseIndex, *arguments: object, **names: object) -> object:
        begun.set()
        assert free.wait(timeout=30)
        return build(self, *arguments, **names)  # type: ignore[arg-type]

    monkeypatch.setattr(SparseIndex, "index", blocked)
    collection = Collection(folder)
    with ThreadPoolExecutor(1) as pool:
        sparse = pool.submit(collection.sparse)
        assert begun.wait(timeout=30)
        assert collection.graph.links_count() == 1, "while the sparse index is being built"
        free.set()
        assert len(sparse.result(timeout=30)) == 50


def test_a_failed_build_is_tried_again(folder: Path) -> None:
    links = (folder / "links.tsv").read_text(encoding="utf-8")
    collection = Collection(folder)
    (folder / "links.tsv").write_text("a\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"links\.tsv"):
        _ = collection.graph
    (folder / "links.tsv").write_text(links, encoding="utf-8")
    assert collection.graph.links_count() == 1


def test_after_a_failed_build_the_next_object_builds(folder: Path, tmp_path: Path) -> None:
    """Equal indexes may differ in what is no part of them, such as the key of a server."""
    collection = Collection(folder, cache=tmp_path / "cache")
    first, second = (LawTable(collection.cache / "laws") for _ in range(2))
    built: list[LawTable] = []

    def refused(_: LawTable) -> None:
        raise FormatError("the key is refused")

    with pytest.raises(FormatError):
        collection.cached(first, refused)

    def build(table: LawTable) -> None:
        built.append(table)
        table.index_columns(["a-1"], np.array(["소방법"], dtype=object), corpus=collection.fingerprint())

    assert collection.cached(second, build) is second
    assert built[0] is second
    assert collection.cached(first, build) is second
    assert len(built) == 1
