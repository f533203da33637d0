"""Docnos of an index: numbers for names, and an order for ties."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from legalir.errors import ComponentError
from legalir.storage.arrays import load_array
from legalir.storage.strings import Docnos, write_docnos

NAMES = ["법-2", "a", "법-10", "", "z"]


def opened(directory: Path, names: list[str]) -> Docnos:
    directory.mkdir(exist_ok=True)
    write_docnos(directory, names)
    return Docnos({path.name.removesuffix(".npy"): load_array(path) for path in directory.iterdir()})


def test_numbers_and_names_are_inverse(tmp_path: Path) -> None:
    docnos = opened(tmp_path / "d", NAMES)
    assert docnos.array.tolist() == NAMES
    assert len(docnos) == 5
    assert docnos.numbers(["z", "법-2", "nowhere", "z", ""]).tolist() == [4, 0, -1, 4, 3]
    assert docnos.numbers(pd.Series(["a"], dtype=str)).tolist() == [1]
    assert docnos.numbers([]).tolist() == []


def test_order_is_that_of_the_names(tmp_path: Path) -> None:
    docnos = opened(tmp_path / "d", NAMES)
    assert [NAMES[i] for i in sorted(range(5), key=lambda i: docnos.order[i])] == sorted(NAMES)


def test_a_name_given_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="The docno 'b' occurs twice"):
        opened(tmp_path / "d", ["a", "b", "c", "b"])


def test_there_may_be_none(tmp_path: Path) -> None:
    docnos = opened(tmp_path / "d", [])
    assert len(docnos) == 0
    assert docnos.numbers(["a"]).tolist() == [-1]
