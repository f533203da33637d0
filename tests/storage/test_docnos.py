"""Docnos of an index: numbers for names, and an order for ties."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from legalir.errors import ComponentError
from legalir.storage.arrays import load_array
from legalir.storage.strings import Docnos, write_docnos

NAMES = ["법-2", "a", "법-10", "", "z"]


def opened(directory: Path, names: list[str]) -> Docnos:
    directory.mkdir(exist_ok=True)
    write_docnos(directory, names)
    return Docnos.of({path.name.removesuffix(".npy"): load_array(path) for path in directory.iterdir()})


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


@pytest.mark.parametrize("ascending", [False, True])
def test_few_are_read_one_by_one_and_many_at_once(tmp_path: Path, ascending: bool) -> None:
    names = [f"법-{number * 7919 % 2000}" for number in range(2000)]
    docnos = Docnos(sorted(names)) if ascending else opened(tmp_path / "d", names)
    names = sorted(names) if ascending else names
    wanted = [3, 999, 0, 3]
    for turn in range(20):
        assert docnos[np.array(wanted)].tolist() == [names[place] for place in wanted]
        asked = [*(names[place] for place in wanted), "nowhere", "법-2000", "", 7]
        assert docnos.numbers(asked).tolist() == [*wanted, -1, -1, -1, -1]  # type: ignore[arg-type]
        assert "_numbers" not in vars(docnos) or turn > 1
    assert {"array", "_numbers"} <= set(vars(docnos))
