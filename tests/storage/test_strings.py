"""String tables: what is written is read, and found."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.storage.arrays import load_array
from legalir.storage.strings import Strings, write_strings

TEXTS = st.text(st.characters(), max_size=8)


def table(directory: Path, strings: list[str]) -> Strings:
    write_strings(directory, "terms", strings)
    names = ("terms.bytes", "terms.offsets")
    return Strings({name: load_array(directory / f"{name}.npy") for name in names}, "terms")


@given(st.lists(TEXTS))
def test_strings_come_back(strings: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        read = table(Path(directory), strings)
        assert len(read) == len(strings)
        assert list(read) == strings
        assert read.array().tolist() == strings


@given(st.lists(TEXTS, unique=True), st.lists(TEXTS))
def test_strings_are_found_where_they_are(strings: list[str], others: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        ascending = sorted(strings)
        read = table(Path(directory), ascending)
        for string in (*strings, *others, *strings):
            assert read.find(string) == (ascending.index(string) if string in ascending else -1)


def test_positions_outside_are_an_error(tmp_path: Path) -> None:
    read = table(tmp_path, ["가", "나"])
    for position in (-1, 2):
        with pytest.raises(IndexError):
            read[position]


def test_what_is_not_there_is_not_remembered(tmp_path: Path) -> None:
    """A server that is asked for ever new words must not keep them all."""
    read = table(tmp_path, ["가", "나"])
    for number in range(1000):
        read.find(f"없다{number}")
        read.find("나")
    assert len(vars(read)["_numbers"]) <= len(read)
