"""Array files: mapped, never unpickled, and written whole or with an error."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import numpy as np
import pytest
from forked import child

from legalir.errors import ArtifactError
from legalir.storage.arrays import create_array, load_array, save_array, widened


def test_arrays_of_python_objects_are_never_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return pytest.fail, ("unpickled",)

    np.save(tmp_path / "objects.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    with pytest.raises(ArtifactError, match=r"objects\.npy is not an array"):
        load_array(tmp_path / "objects.npy")
    np.savez(tmp_path / "several.npy", one=np.arange(3))
    (tmp_path / "several.npy.npz").rename(tmp_path / "several.npy")
    with pytest.raises(ArtifactError, match=r"several\.npy is not an array"):
        load_array(tmp_path / "several.npy")


@pytest.mark.parametrize("shape", [(0,), (3,), (2, 2)])
def test_arrays_of_any_size_are_mapped(tmp_path: Path, shape: tuple[int, ...]) -> None:
    save_array(tmp_path / "array.npy", np.ones(shape, dtype=np.int32))
    np.testing.assert_array_equal(np.load(tmp_path / "array.npy"), np.ones(shape))
    array = load_array(tmp_path / "array.npy")
    assert (array.shape, array.dtype) == (shape, np.int32)


def test_array_files_that_are_none_are_named(tmp_path: Path) -> None:
    np.save(tmp_path / "good.npy", np.arange(10))
    good = (tmp_path / "good.npy").read_bytes()
    path = tmp_path / "bad.npy"
    random = np.random.default_rng(0)
    for content in [b"", b"\x93", good[:50], good[:-1], b"PK\x03\x04zip", b"\x80\x04K\x01.", random.bytes(500)]:
        path.write_bytes(content)
        with pytest.raises(ArtifactError, match=r"bad\.npy is not an array"):
            load_array(path)
    with pytest.raises(ArtifactError, match=r"none\.npy is not an array"):
        load_array(tmp_path / "none.npy")
    # Whatever happens to the header: an error of ours, or another array, never another exception.
    for position in range(128):
        broken = bytearray(good)
        broken[position] ^= 1 << int(random.integers(8))
        path.write_bytes(broken)
        try:
            load_array(path)
        except ArtifactError:
            continue


def test_an_array_that_is_not_contiguous_is_written_in_its_order(tmp_path: Path) -> None:
    array = np.arange(24).reshape(4, 6)[::2, ::-2]
    save_array(tmp_path / "array.npy", array)
    np.testing.assert_array_equal(load_array(tmp_path / "array.npy"), array)


def test_an_array_can_be_written_in_parts(tmp_path: Path) -> None:
    with create_array(tmp_path / "array.npy", np.dtype(np.uint8), (4,)) as stream:
        for part in ([1, 2], [], [3, 4]):
            stream.write(np.array(part, dtype=np.uint8).data)
    assert load_array(tmp_path / "array.npy").tolist() == [1, 2, 3, 4]


def _save_on_a_full_disk(path: Path, size: int, length: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        save_array(path, np.arange(length))
    except OSError:
        os._exit(3)


@pytest.mark.parametrize(("size", "length"), [(0, 0), (128, 1), (300, 100), (5000, 1000), (5000, 1_000_000)])
def test_a_full_disk_is_noticed(tmp_path: Path, size: int, length: int) -> None:
    process = child(_save_on_a_full_disk, tmp_path / "array.npy", size, length)
    process.join()
    assert process.exitcode == 3


def test_every_finite_float16_is_widened_to_the_same_number() -> None:
    numbers = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = numbers[np.isfinite(numbers)]
    assert len(finite) == 2**16 - 2 * 2**10
    found = widened(finite)
    assert found.dtype == np.float32
    assert (found.view(np.uint32) == finite.astype(np.float32).view(np.uint32)).all()  # Signs of zeros included.


@pytest.mark.parametrize("kind", ["float16", "float32", "int8"])
def test_what_is_widened_is_a_copy_of_any_layout(kind: str) -> None:
    whole = np.arange(-12, 12).reshape(4, 6).astype(kind)
    whole.setflags(write=False)
    for part in (whole, whole[::2, 1::2], whole.T, whole[:0]):
        found = widened(part)
        assert found.dtype == np.float32 and found.tolist() == part.tolist()
        found += 1
        assert found.tolist() != part.tolist() or not part.size
