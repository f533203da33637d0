"""Dates in the calendars of publishers."""

import pytest

from legalir.errors import FormatError
from legalir.statutes.dates import after, iso_date, iso_day


@pytest.mark.parametrize(
    ("text", "calendar", "date"),
    [
        ("2021. 3. 1.", "christian", "2021-03-01"),
        ("20210301", "christian", "2021-03-01"),
        ("2021년 12월 5일", "christian", "2021-12-05"),
        ("令和4年6月17日", "christian", "2022-06-17"),
        ("令和元年五月一日", "christian", "2019-05-01"),
        ("一百十二年六月二十一日", "roc", "2023-06-21"),
        ("民國112年6月21日", "christian", "2023-06-21"),
        ("ให้ไว้ ณ วันที่ ๑๒ มีนาคม พ.ศ. ๒๕๓๕", "christian", "1992-03-12"),
        ("12 มีนาคม 2535", "buddhist", "1992-03-12"),
        ("geändert durch Art. 2 G v. 19.12.2022", "christian", "2022-12-19"),
        ("3. Januar 2020", "christian", "2020-01-03"),
        ("1er mars 2021", "christian", "2021-03-01"),
        ("March 1, 2021", "christian", "2021-03-01"),
        ("no date", "christian", ""),
    ],
)
def test_first_date_of_a_text(text, calendar, date):
    assert iso_date(text, calendar) == date


def test_a_day_that_no_month_has_is_an_error_in_one_sentence():
    for text in ("2021-02-31", "2021-06-00"):
        with pytest.raises(FormatError, match=f"'{text}'"):
            iso_date(text)
    with pytest.raises(FormatError, match=r"there is no month 13\.$"):
        iso_date("2021-13-01")
    for text in ("0000-01-01", "99999年1月1日", "123456789年1月1日"):
        with pytest.raises(FormatError, match=r"there is no year \d+\.$"):
            iso_date(text)
    assert iso_date("9" * 5000 + "年1月1日, 2021-03-01") == "2021-03-01"


def test_the_day_after_a_period():
    # Front matter of the Framework Act on Fire Services: promulgated 2010-02-04, in force six months later 2010-08-05.
    assert after("2010-02-04", months=6) == "2010-08-05"
    assert after("2017-12-26", months=12) == "2018-12-27"
    assert after("2021-08-31", months=6) == "2022-03-01"
    assert after("2021-01-05", days=30) == "2021-02-05"


@pytest.mark.parametrize("day", ["0001-01-01", "1001-01-01", "29991231", "9999-12-31", "99999999", "", "2021-02-31"])
def test_a_day_that_never_was(day: str) -> None:
    assert iso_day(day) == ""
    assert iso_day("1297-10-12") == "1297-10-12"
