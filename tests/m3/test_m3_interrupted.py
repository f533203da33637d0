"""Builds that are killed, that run out of space, or that happen at once: what was encoded is not lost."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import fake_m3
import numpy as np
import pytest
from fake_m3 import FakeM3, contents, leftovers, logged, provisions
from forked import child

from legalir.errors import ArtifactError
from legalir.m3.m3_index import M3Index
from legalir.storage import shards as encoded

SHARD = 10
DOCUMENTS = provisions(95)
OLD = provisions(30, first=1000)


def built(path: Path, documents: Any = DOCUMENTS, encoder: FakeM3 | None = None, **options: Any) -> M3Index:
    return fake_m3.built(path, documents, encoder, **{"multi": "float16", "shard": SHARD, **options})


def shards(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f".{path.name}.shards/*/shard-*"))


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written outlives its process without it; only a power cut asks for more."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture(name="fresh", scope="module")
def fresh_contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return contents(built(tmp_path_factory.mktemp("fresh") / "m3"))


@pytest.mark.parametrize("moment", [0, 9, 50])
def test_a_kill_while_encoding_costs_one_shard_at_most(tmp_path: Path, fresh: dict[str, bytes], moment: int) -> None:
    path, log = tmp_path / "m3", tmp_path / "log"
    old = contents(built(path, OLD))
    process = child(built, path, DOCUMENTS, FakeM3(log=log, dies_at=moment))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert contents(M3Index(path)) == old
    assert len(logged(log)) == moment
    store = built(path, DOCUMENTS, FakeM3(log=log))
    assert len(logged(log)) == 95 + moment % SHARD
    assert len(set(logged(log))) == 95
    assert contents(store) == fresh
    assert leftovers(store) == ["log"]


def test_many_kills_one_after_the_other(tmp_path: Path, fresh: dict[str, bytes]) -> None:
    path, log = tmp_path / "m3", tmp_path / "log"
    kills = 0
    while (process := child(built, path, DOCUMENTS, FakeM3(log=log, dies_at=15))).join() or process.exitcode:
        kills += 1
    # Each time ten of fifteen texts were kept; 95 = 8 · 10 + 15.
    assert kills == 8
    assert len(logged(log)) == 8 * 15 + 15
    assert contents(M3Index(path)) == fresh


def _until(path: Path, limit: int, log: Path) -> None:
    """Build, and die at the file operation with number `limit`."""
    done = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        if event.startswith(("open", "os.", "shutil.", "tempfile.")) and str(log) not in map(str, arguments):
            done += 1
            if done == limit + 1:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    built(path, DOCUMENTS, FakeM3(log=log), shard=32)
    os._exit(0)


def test_a_kill_at_any_file_operation(tmp_path: Path, fresh: dict[str, bytes]) -> None:
    path = tmp_path / "m3"
    old = contents(built(path, OLD))
    shutil.copytree(path, tmp_path / "old")
    outcomes = []
    for limit in range(0, 4000, 41):
        log = tmp_path / f"log{limit}"
        process = child(_until, path, limit, log)
        process.join()
        found = contents(M3Index(path))
        assert found in (old, fresh), limit
        outcomes.append(found == fresh)
        store = built(path, DOCUMENTS, FakeM3(log=log), shard=32)
        assert contents(store) == fresh
        assert [name for name in leftovers(store) if not name.startswith(("log", "old"))] == []
        assert len(logged(log)) <= 95 + 32
        assert len(set(logged(log))) == 95
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        shutil.rmtree(path)
        shutil.copytree(tmp_path / "old", path)
    assert process.exitcode == 0, "the build never came to its end"
    assert outcomes == sorted(outcomes)
    assert outcomes.count(False) > 3


def test_two_processes_at_once_encode_each_text_once(tmp_path: Path, fresh: dict[str, bytes]) -> None:
    path, log = tmp_path / "m3", tmp_path / "log"
    processes = [child(built, path, DOCUMENTS, FakeM3(log=log)) for _ in range(3)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(logged(log)) == 95
    assert contents(M3Index(path)) == fresh


def test_an_encoder_that_fails_keeps_what_is_done(tmp_path: Path, fresh: dict[str, bytes]) -> None:
    class Failing(FakeM3):
        def represent(self, texts: Any, *, multi: bool) -> Any:
            if len(self.seen) >= 40:
                raise KeyboardInterrupt
            return super().represent(texts, multi=multi)

    with pytest.raises(KeyboardInterrupt):
        built(tmp_path / "m3", DOCUMENTS, Failing())
    assert not M3Index(tmp_path / "m3").built()
    encoder = FakeM3()
    assert contents(built(tmp_path / "m3", DOCUMENTS, encoder)) == fresh
    assert len(encoder.seen) == 95 - 40


def _on_a_full_disk(path: Path, size: int, log: Path) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    encoder = FakeM3(log=log)
    represent = encoder.represent

    def limited(texts: Any, *, multi: bool) -> Any:
        found = represent(texts, multi=multi)  # The log has to be written without a limit.
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        return found

    encoder.represent = limited  # type: ignore[method-assign]
    try:
        built(path, DOCUMENTS, encoder, shard=1000)
    except ArtifactError as error:
        good = "the old build, if any, is unchanged" in str(error) and "free some space" in str(error)
        os._exit(3 if good else 4)
    os._exit(5)


def test_a_full_disk_leaves_the_old_index_and_what_was_encoded(tmp_path: Path, fresh: dict[str, bytes]) -> None:
    """A file may not grow beyond a size, which fails a write as a full disk does."""
    path, log = tmp_path / "m3", tmp_path / "log"
    old = contents(built(path, OLD))
    for size in (0, 300):
        process = child(_on_a_full_disk, path, size, log)
        process.join()
        assert process.exitcode == 3, size
        assert contents(M3Index(path)) == old
        assert [name for name in leftovers(M3Index(path)) if name != "log"] in ([], [".m3.shards"])
    largest = max(map(len, fresh.values()))
    process = child(_on_a_full_disk, path, largest - 1, log)
    process.join()
    assert process.exitcode == 3
    assert contents(M3Index(path)) == old
    assert contents(built(path, DOCUMENTS)) == fresh


def test_a_disk_that_is_full_when_all_is_encoded_costs_no_text(
    tmp_path: Path, fresh: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(encoded, "gather", full)
        with pytest.raises(ArtifactError, match="No space left on device"):
            built(tmp_path / "m3")
    encoder = FakeM3()
    assert contents(built(tmp_path / "m3", DOCUMENTS, encoder)) == fresh
    assert encoder.seen == []


def test_a_slow_encoder_closes_its_shards_by_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step takes 25 s: a shard is closed after three, whatever it may hold."""
    clock = iter(range(0, 10**6, 25))
    monkeypatch.setattr(encoded, "monotonic", lambda: next(clock))
    long = [{"docno": str(number), "text": f"{number} " + "가" * 40_000} for number in range(10)]
    process = child(built, tmp_path / "m3", long, FakeM3(dies_at=8))
    process.join()
    held = [len(np.load(shard / "digests.npy")) for shard in shards(tmp_path / "m3")]
    assert held == [3, 3]
    encoder = FakeM3()
    assert len(built(tmp_path / "m3", long, encoder)) == 10
    assert len(encoder.seen) == 4
