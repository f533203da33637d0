"""safetensors files, read without their library and held against it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from legalir.dense.static_model import read_tensors, write_tensors
from legalir.errors import ArtifactError

ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "half": np.arange(6, dtype=np.float16).reshape(2, 3),
    "whole": np.array([[-128, 127]], dtype=np.int8),
    "single": np.array([0.5, -1], dtype=np.float32),
    "numbers": np.arange(3),
    "double": np.array([2.5]),
    "none": np.zeros((0, 4), dtype=np.float32),
}


def test_arrays_come_back_as_the_library_reads_them(tmp_path: Path) -> None:
    write_tensors(tmp_path / "a", ARRAYS)
    found, wanted = read_tensors(tmp_path / "a"), load_file(tmp_path / "a")
    assert found.keys() == wanted.keys() == ARRAYS.keys()
    for name, array in found.items():
        assert (array.dtype, array.shape) == (ARRAYS[name].dtype, ARRAYS[name].shape)
        np.testing.assert_array_equal(array, wanted[name])
    write_tensors(tmp_path / "b", dict(reversed(ARRAYS.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def written(path: Path, header: object, data: bytes = b"\0" * 8) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def entry(dtype: object = "F32", shape: object = (2,), offsets: object = (0, 8)) -> dict[str, object]:
    return {"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (b"{", "header"),
        (b"\xff\xff", "not JSON"),
        ([], "not a mapping"),
        ({"a": 1}, "no type"),
        (entry(dtype="BF16"), "type BF16"),
        (entry(dtype=["F32"]), "no type"),
        (entry(shape=(-2,)), "not whole numbers"),
        (entry(shape="2"), "not whole numbers"),
        (entry(offsets=(0,)), "not whole numbers"),
        (entry(offsets=(0, 1e3)), "not whole numbers"),
        (entry(offsets=(0, 4)), "does not fit"),
        (entry(shape=(3,), offsets=(0, 12)), "does not fit"),
        (entry(shape=(2**40, 2**40), offsets=(0, 8)), "does not fit"),
    ],
)
def test_headers_are_not_believed(tmp_path: Path, header: object, said: str) -> None:
    with pytest.raises(ArtifactError, match=said):
        read_tensors(written(tmp_path / "a", header))


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="cannot be read"):
        read_tensors(tmp_path / "none")
    for content in (b"", b"1234567", (2**63).to_bytes(8, "little") + b"{}"):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(ArtifactError, match="its header does not fit"):
            read_tensors(tmp_path / "a")


def test_metadata_are_no_tensor(tmp_path: Path) -> None:
    header = {"__metadata__": {"format": "pt"}, **entry()}
    assert list(read_tensors(written(tmp_path / "a", header))) == ["a"]
