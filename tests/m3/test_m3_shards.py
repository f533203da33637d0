"""Shards that interrupted work left: which of them are used."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_m3
import numpy as np
import pytest
from fake_m3 import FakeM3, contents, leftovers, provisions
from forked import child

from legalir.m3.m3_index import M3Index

SHARD = 10
DOCUMENTS = provisions(95)


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


@pytest.fixture(name="interrupted")
def interrupted_build(tmp_path: Path) -> Path:
    """Killed at the text with number 47: there are four shards of ten."""
    process = child(built, tmp_path / "m3", DOCUMENTS, FakeM3(dies_at=47))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert len(shards(tmp_path / "m3")) == 4
    return tmp_path / "m3"


def _damages() -> Iterator[Any]:
    def truncated(shard: Path) -> None:
        os.truncate(shard / "multi.vectors.npy", 200)

    def missing(shard: Path) -> None:
        (shard / "sparse.tokens.npy").unlink()

    def cut_manifest(shard: Path) -> None:
        os.truncate(shard / "manifest.json", 100)

    def altered_manifest(shard: Path) -> None:
        content = json.loads((shard / "manifest.json").read_text())
        del content["files"]["multi.vectors.npy"]
        (shard / "manifest.json").write_text(json.dumps(content))

    def other_texts(shard: Path) -> None:
        digests = np.load(shard / "digests.npy")
        np.save(shard / "digests.npy", digests[::-1])

    def empty(shard: Path) -> None:
        shutil.rmtree(shard)
        shard.mkdir()

    yield from (truncated, missing, cut_manifest, altered_manifest, other_texts, empty)


@pytest.mark.parametrize("damage", list(_damages()), ids=lambda damage: damage.__name__)
def test_a_damaged_shard_is_encoded_again(interrupted: Path, fresh: dict[str, bytes], damage: Any) -> None:
    damage(shards(interrupted)[1])
    encoder = FakeM3()
    store = built(interrupted, DOCUMENTS, encoder)
    assert len(encoder.seen) == 95 - 30
    assert contents(store) == fresh
    assert leftovers(store) == []


def test_a_damaged_shard_is_removed_at_once(interrupted: Path) -> None:
    """So that it is not verified again at each attempt, and takes no space."""
    bad = shards(interrupted)[1]
    (bad / "manifest.json").unlink()
    child(built, interrupted, DOCUMENTS, FakeM3(dies_at=0)).join()
    assert bad not in shards(interrupted)
    assert len(shards(interrupted)) == 3


def test_what_a_killed_writer_left_is_removed(interrupted: Path) -> None:
    (home,) = {shard.parent for shard in shards(interrupted)}
    (home / ".shard-0123456789abcdef.new-1").mkdir()
    child(built, interrupted, DOCUMENTS, FakeM3(dies_at=0)).join()
    assert len(list(home.iterdir())) == 4
    assert built(interrupted).built()
    assert not home.parent.exists()


@pytest.mark.parametrize("other", [{"fingerprint": "f2"}, {"multi": "int8"}])
def test_shards_of_other_settings_are_never_used(interrupted: Path, other: dict[str, Any]) -> None:
    options = {"multi": "float16", **other}
    encoder = FakeM3(options.pop("fingerprint", "f1"))
    store = built(interrupted, DOCUMENTS, encoder, **options)
    assert len(encoder.seen) == 95
    assert leftovers(store) == []


def test_a_shard_that_was_moved_among_those_of_another_encoder_is_not_used(
    tmp_path: Path, interrupted: Path, fresh: dict[str, bytes]
) -> None:
    other = tmp_path / "other"
    child(built, other, DOCUMENTS, FakeM3("f2", dies_at=47)).join()
    for mine, theirs in zip(shards(interrupted), shards(other), strict=True):
        shutil.rmtree(mine)
        shutil.copytree(theirs, mine)
    encoder = FakeM3()
    assert contents(built(interrupted, DOCUMENTS, encoder)) == fresh
    assert len(encoder.seen) == 95


def test_shards_serve_a_collection_that_changed_meanwhile(interrupted: Path, tmp_path: Path) -> None:
    documents = [*reversed(DOCUMENTS[20:]), *provisions(3, first=500)]
    encoder = FakeM3()
    store = built(interrupted, documents, encoder)
    assert contents(store) == contents(built(tmp_path / "again", documents))
    assert len(encoder.seen) < 78
