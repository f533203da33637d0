"""Rows of texts in shards, and gathered from them; with rows that are made by rule."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from legalir.errors import ArtifactError, ComponentError
from legalir.storage import shards as gathering
from legalir.storage.arrays import ArrayFile, append_rows, load_array, save_array
from legalir.storage.artifact import building
from legalir.storage.shards import (
    Advance,
    Encoding,
    RowSource,
    earlier_rows,
    gather,
    shards_beside,
    text_digest,
    write_encoded,
)

TEXTS = [f"제{number}조 " + "소화전" * (number % 5) for number in range(60)]


def vector(text: str) -> npt.NDArray[np.float32]:
    return np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8).astype(np.float32)


def rows_of(texts: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Return a vector for each text, and the code of every character and a pair of floats for it."""
    bounds = np.cumsum([0, *map(len, texts)])
    codes = np.array([ord(character) for text in texts for character in text], dtype=np.int32)
    return {
        "vectors": np.array([vector(text) for text in texts], dtype=np.float32).reshape(len(texts), 32),
        "long": np.array([len(text) > 10 for text in texts], dtype=bool),
        "letter.bounds": bounds.astype(np.int64),
        "letter.codes": codes,
        "letter.pairs": np.stack([codes / 2, codes / 4], axis=1).astype(np.float16),
    }


def written(home: Path, parts: Sequence[Sequence[str]], settings: dict[str, Any] | None = None) -> list[RowSource]:
    """Write a shard for each of `parts`, and keep them."""
    sources = []
    with pytest.raises(KeyboardInterrupt), shards_beside(home / "index", settings or {}) as shards:
        for texts in parts:
            steps = [texts[first : first + 3] for first in range(0, len(texts), 3)]
            shards.add([text_digest(text) for text in texts], [rows_of(step) for step in steps])
        sources = shards.sources
        raise KeyboardInterrupt
    return sources


def checked(data: Path, texts: Sequence[str]) -> None:
    for name, array in rows_of(texts).items():
        found = load_array(data / f"{name}.npy")
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert np.array_equal(found, array), name
    assert load_array(data / "digests.npy").tobytes() == b"".join(map(text_digest, texts))


@pytest.mark.parametrize("block", [1, 500, 10**8])
def test_rows_come_back_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(gathering, "_BLOCK", block)
    sources = written(tmp_path, [TEXTS[:20], TEXTS[20:21], TEXTS[21:]])
    generator = random.Random(block)
    for number, wanted in enumerate(
        (TEXTS, TEXTS[::-1], generator.sample(TEXTS, 30), generator.choices(TEXTS, k=100), TEXTS[20:21], [])
    ):
        data = tmp_path / str(number)
        data.mkdir()
        names = gather(data, b"".join(map(text_digest, wanted)), sources)
        assert names == sorted(rows_of([]))
        checked(data, wanted)


def test_digests_that_end_in_zeros_are_told_apart(tmp_path: Path) -> None:
    """They are compared as strings of bytes, whose trailing zeros numpy leaves out of sight."""
    digests = [bytes(16), bytes(15) + b"\1", b"\1" + bytes(15), b"\1\1" + bytes(14), bytes([255] * 16)]
    (tmp_path / "source").mkdir()
    save_array(tmp_path / "source" / "digests.npy", np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 16))
    save_array(tmp_path / "source" / "number.npy", np.arange(5))
    source = RowSource.of(tmp_path / "source", ["number"])
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        gather(tmp_path, b"".join(digests[number] for number in order), [source])
        assert load_array(tmp_path / "number.npy").tolist() == order


def test_shards_are_found_again_by_their_settings_alone(tmp_path: Path) -> None:
    written(tmp_path, [TEXTS[:5], TEXTS[5:9]], {"encoder": "a"})
    with pytest.raises(KeyboardInterrupt), shards_beside(tmp_path / "index", {"encoder": "a"}) as shards:
        assert shards.sources == []
        shards.resume()
        assert sorted(len(source.digests) for source in shards.sources) == [4, 5]
        raise KeyboardInterrupt
    with shards_beside(tmp_path / "index", {"encoder": "b"}) as shards:
        shards.resume()
        assert shards.sources == []
    # What ended well leaves nothing behind, not even what others had begun.
    assert [child.name for child in tmp_path.iterdir()] == [".index.shards.lock"]


def test_a_shard_that_cannot_be_written_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gathering, "write_manifest", full)
    with shards_beside(tmp_path / "index", {}) as shards:
        with pytest.raises(OSError, match="No space"):
            shards.add([text_digest("a")], [rows_of(["a"])])
        assert shards.sources == []
        assert [child for home in tmp_path.glob(".index.shards/*") for child in home.iterdir()] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vectors": np.zeros((3, 32), np.float32)}, r"vectors of shape \[3, 32\] for 2 texts, but 2 items"),
        ({"letter.codes": np.zeros(3, np.int32)}, r"letter.codes of shape \[3\] for 2 texts, but \d+ items"),
        ({"letter.bounds": np.array([1, 2, 3])}, "ascending from 0"),
        ({"letter.bounds": np.array([0, 2, 1])}, "ascending from 0"),
        ({"letter.bounds": np.array([0, 1, 2], np.int32)}, "must be int64"),
    ],
)
def test_rows_that_do_not_fit_are_the_fault_of_the_encoder(
    tmp_path: Path, change: dict[str, npt.NDArray[Any]], message: str
) -> None:
    def represent(texts: list[str], advance: Advance) -> dict[str, npt.NDArray[Any]]:
        return {**rows_of(texts), **change}

    documents = [{"docno": str(number), "text": text} for number, text in enumerate(TEXTS[:2])]
    with shards_beside(tmp_path / "index", {}) as shards, pytest.raises(ComponentError, match=message):
        write_encoded(tmp_path, documents, Encoding(represent), shards)


@pytest.mark.parametrize("size", [1, 64_000_000])
def test_a_shard_is_closed_when_it_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(gathering, "_SHARD", size)
    documents = [{"docno": str(number), "text": text} for number, text in enumerate(TEXTS)]
    encoding = Encoding(lambda texts, advance: rows_of(texts), step=100)
    with shards_beside(tmp_path / "index", {}) as shards:
        write_encoded(tmp_path, documents, encoding, shards)
        assert (len(shards.sources) > 5) == (size == 1)
    checked(tmp_path, TEXTS)


def test_a_file_that_is_cut_off_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    save_array(tmp_path / "a.npy", np.arange(100))
    file = ArrayFile(tmp_path / "a.npy")
    assert file.between(40, 43).tolist() == [40, 41, 42]
    with (tmp_path / "a.npy").open("r+b") as stream:
        stream.truncate(500)
    assert file.between(0, 2).tolist() == [0, 1]
    with pytest.raises(ArtifactError, match="ends too early"):
        file.between(0, 100)


@pytest.mark.parametrize("item", [(), (3,), (2, 2)])
@pytest.mark.parametrize("sizes", [(), (0,), (2, 0, 5)])
def test_an_array_grows_item_by_item(tmp_path: Path, item: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    parts = [np.full((size, *item), number, dtype=np.float16) for number, size in enumerate(sizes)]
    with append_rows(tmp_path / "a.npy", np.dtype(np.float16), *item) as append:
        for part in parts:
            append(part)
    expected = np.concatenate([np.zeros((0, *item), np.float16), *parts])
    assert np.array_equal(load_array(tmp_path / "a.npy"), expected)
    assert ArrayFile(tmp_path / "a.npy").shape == (sum(sizes), *item)


def _index(path: Path, texts: Sequence[str], shard: int = 4096) -> list[str]:
    """Write an artifact of vectors alone; return what was encoded."""
    seen: list[str] = []

    def represent(texts: list[str], advance: Advance) -> dict[str, npt.NDArray[Any]]:
        seen.extend(texts)
        return {"vectors": rows_of(texts)["vectors"]}

    documents = [{"docno": str(number), "text": text} for number, text in enumerate(texts)]
    encoding = Encoding(represent, texts=shard)
    with shards_beside(path, {"encoder": "e"}) as shards, building(path, "some_index", 3) as (data, facts):
        earlier = earlier_rows([path], "some_index", 3, shards.key)
        facts.update(write_encoded(data, documents, encoding, shards, earlier))
        found = load_array(data / "vectors.npy")
        assert np.array_equal(found, rows_of(texts)["vectors"])
        assert facts["documents"] == len(texts)
        assert facts["rows"]["arrays"] == ["vectors"]
    return seen


def test_an_artifact_of_one_dense_array(tmp_path: Path) -> None:
    path = tmp_path / "index"
    assert len(_index(path, TEXTS, shard=7)) == 60
    assert _index(path, TEXTS[::-1]) == []
    assert _index(path, [*TEXTS[:30], "새 조문", *TEXTS[31:]]) == ["새 조문"]
    assert _index(path, [*TEXTS, *TEXTS]) == [TEXTS[30]]
    assert _index(path, []) == []


def test_nothing_of_an_artifact_that_says_nothing_about_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with building(path, "some_index", 3) as (data, _):
        save_array(data / "vectors.npy", np.zeros((2, 2)))
    for version in (3, 4):
        assert earlier_rows([path, tmp_path / "missing"], "some_index", version, "key") == []


def test_the_first_source_of_a_text_counts(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    sources = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        save_array(tmp_path / str(number) / "digests.npy", np.zeros((1, 16), dtype=np.uint8))
        save_array(tmp_path / str(number) / "value.npy", np.array([number]))
        sources.append(RowSource.of(tmp_path / str(number), ["value"]))
    gather(tmp_path / "data", bytes(32), sources[1:])
    assert load_array(tmp_path / "data" / "value.npy").tolist() == [1, 1]
