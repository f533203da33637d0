"""Builds that are killed, and builds that happen at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forked import child, die_at_file_operation
from small_index import DOCUMENTS, OTHERS, Answers, answers, scratch

from legalir.lexical.sparse import SparseIndex


def build(path: Path, documents: list[Mapping[str, Any]]) -> Answers:
    return answers(SparseIndex(path, analyzer="jamo3").index(documents))


def opened(path: Path) -> Answers:
    return answers(SparseIndex(path, analyzer="jamo3"))


def _build_until(path: Path, limit: int) -> None:
    """Build, and die at the file operation with number `limit`."""
    die_at_file_operation(limit)
    SparseIndex(path, analyzer="jamo3").index(OTHERS)
    os._exit(0)


def test_a_build_that_is_killed_at_any_file_operation(tmp_path: Path) -> None:
    path = tmp_path / "index"
    new = build(tmp_path / "elsewhere", OTHERS)
    old = build(path, DOCUMENTS)
    outcomes = []
    for limit in range(0, 400, 5):
        process = child(_build_until, path, limit)
        process.join()
        found = opened(path)
        assert found in (old, new), limit
        outcomes.append(found == new)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        if found == new:
            build(path, DOCUMENTS)
            assert scratch(path) == []
    assert process.exitcode == 0, "the build never came to its end"
    assert scratch(path) == []
    # There is one moment before which the index is the old one, and after which it is the new one.
    assert outcomes == sorted(outcomes)
    assert outcomes.count(False) > 6
    assert outcomes.count(True) > 0


def test_a_first_build_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "index"
    for limit in range(0, 100, 12):
        process = child(_build_until, path, limit)
        process.join()
        if SparseIndex(path).built():
            opened(path)
    assert build(path, DOCUMENTS) == build(tmp_path / "elsewhere", DOCUMENTS)
    assert scratch(path) == []


def test_builds_at_once_while_others_read(tmp_path: Path) -> None:
    path = tmp_path / "index"
    one, two = build(path, DOCUMENTS), build(tmp_path / "elsewhere", OTHERS)
    processes = [child(_build_often, path, documents) for documents in (DOCUMENTS, OTHERS)]
    reads = []
    while any(process.is_alive() for process in processes):
        reads.append(opened(path))
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert all(read in (one, two) for read in (*reads, opened(path)))
    assert reads
    assert scratch(path) == []


def _build_often(path: Path, documents: list[Mapping[str, Any]]) -> None:
    for _ in range(5):
        build(path, documents)
