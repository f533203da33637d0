"""Versions of provisions: their keys, their days, and never two of one provision."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dated_folder import CORPUS, DAYS, in_force
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import ComponentError
from legalir.storage.validity import DateReader, Validity, dated, day_of, iso_date, names_version, provision_key


def read(rows: list[dict[str, str]]) -> tuple[list[str], Validity]:
    reader = DateReader()
    for row in rows:
        reader.read(row)
    validity = reader.validity()
    assert validity is not None
    return reader.docnos, validity


def on(docnos: list[str], validity: Validity, day: str) -> set[str]:
    return {docnos[row] for row in np.flatnonzero(validity.on(day_of(day, "day")))}


@pytest.mark.parametrize(
    ("docno", "key"),
    [
        ("001823-9의2@2021-03-01", "001823-9의2"),
        ("001823-9의2", "001823-9의2"),
        ("a@2021-03-01@2022-01-01", "a@2021-03-01"),
        ("a@2021-3-1", "a@2021-3-1"),
        ("@b", "@b"),
    ],
)
def test_the_key_of_a_docno(docno: str, key: str) -> None:
    assert provision_key(docno) == key
    assert names_version(docno) == (docno != key)


@pytest.mark.parametrize(
    "value", ["2021-03-01", date(2021, 3, 1), datetime(2021, 3, 1, 23), pd.Timestamp("2021-03-01")]
)
def test_a_day(value: object) -> None:
    assert iso_date(day_of(value, "as_of")) == "2021-03-01"


@pytest.mark.parametrize(
    "value",
    ["2021-02-31", "2021-3-1", "20210301", "2021-W01-1", "today", "", 20210301, "2021-03-01T00:00", "２０２１-03-01"],
)
def test_what_is_no_date(value: object) -> None:
    with pytest.raises(ComponentError, match="as_of"):
        day_of(value, "as_of")


@pytest.mark.parametrize("day", DAYS)
def test_the_law_on_a_day(day: str) -> None:
    docnos, validity = read([dict(row) for row in CORPUS])
    assert on(docnos, validity, day) == {row["docno"] for row in in_force(CORPUS, day)}


def test_the_worked_example() -> None:
    # v1 from 2020-01-01, v2 from 2022-12-01: the day before, the day, and the day before the first.
    docnos, validity = read([{"docno": "p@2020-01-01", "text": "one"}, {"docno": "p@2022-12-01", "text": "two"}])
    assert on(docnos, validity, "2022-11-30") == {"p@2020-01-01"}
    assert on(docnos, validity, "2022-12-01") == {"p@2022-12-01"}
    assert on(docnos, validity, "2019-12-31") == set()
    assert validity.first == day_of("2020-01-01", "")


def test_a_version_that_was_left_open_ends_where_the_next_begins() -> None:
    rows = [{"docno": f"p@{year}-01-01", "text": "x", "effective_to": ""} for year in (2022, 2020, 2021)]
    docnos, validity = read(rows)
    assert on(docnos, validity, "2021-06-01") == {"p@2021-01-01"}


def test_a_repeal_ends_an_open_version_and_is_never_in_force() -> None:
    docnos, validity = read([{"docno": "p@2020-01-01", "text": "x"}, {"docno": "p@2021-01-01", "text": " \n"}])
    assert on(docnos, validity, "2020-12-31") == {"p@2020-01-01"}
    assert on(docnos, validity, "2021-01-01") == set()


def test_documents_that_are_no_versions_have_no_files(tmp_path: Path) -> None:
    rows = [{"docno": "a", "text": "x", "effective_from": "2020-01-01"}, {"docno": "b", "effective_from": "not a date"}]
    assert list(dated(rows, tmp_path)) == rows
    assert list(tmp_path.iterdir()) == []


def test_a_faulty_date_names_the_version() -> None:
    with pytest.raises(ComponentError, match="'p@2020-01-01': '2021-02-31'"):
        read([{"docno": "p@2020-01-01", "effective_to": "2021-02-31"}])
    with pytest.raises(ComponentError, match="'p@2021-02-31': '2021-02-31'"):
        read([{"docno": "p@2021-02-31"}])


START = date(2020, 1, 1)
offsets = st.integers(0, 40)


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), offsets, st.one_of(st.none(), offsets), st.booleans()),
        min_size=1,
        max_size=12,
    ),
    offsets,
)
def test_never_two_versions_of_one_provision(versions: list[tuple[str, int, int | None, bool]], asked: int) -> None:
    unique = {(key, begin): (end, empty) for key, begin, end, empty in versions}
    rows = [
        {
            "docno": f"{key}@{START + timedelta(begin)}",
            "text": "" if empty else "text",
            "effective_to": "" if end is None else str(START + timedelta(end)),
        }
        for (key, begin), (end, empty) in unique.items()
    ]
    docnos, validity = read(rows)
    found = on(docnos, validity, str(START + timedelta(asked)))
    # By hand: the newest version that has begun, if it has not ended and has a text.
    expected = set()
    for key in {key for key, _ in unique}:
        begun = [begin for one, begin in unique if one == key and begin <= asked]
        if begun:
            end, empty = unique[key, max(begun)]
            if not empty and (end is None or asked < end):
                expected.add(f"{key}@{START + timedelta(max(begun))}")
    assert found == expected
