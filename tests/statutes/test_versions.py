"""Versions in time, from readings of files. All texts are written for the tests."""

import pytest

from legalir.errors import DataError
from legalir.statutes.law import NOT_YET
from legalir.statutes.versions.timeline import Edition, VersionReading, content_of, merged, successors, versions


def reading(text, heading="", since="", until=""):
    fields = {"docno": "k", "text": text, "heading": heading}
    return VersionReading(fields, content_of(heading, text) if text else "(repealed)", since, until)


def edition(file, effective, readings, promulgated="", number=""):
    return Edition(file, effective, readings, promulgated, number)


def rows(editions, accumulate=False):
    return [(each.docno, each.until, each.fields["text"]) for each in versions(editions, accumulate=accumulate)]


def test_a_version_is_in_force_from_its_day_until_the_next():
    files = [
        edition("b", "2022-12-01", {"L-1": reading("출입구는 3미터로 한다.")}),
        edition("a", "2020-01-01", {"L-1": reading("출입구는 2미터로 한다.")}),
    ]
    assert rows(files) == [
        ("L-1@2020-01-01", "2022-12-01", "출입구는 2미터로 한다."),
        ("L-1@2022-12-01", "", "출입구는 3미터로 한다."),
    ]


def test_spellings_that_are_no_change_of_law_are_one_version_in_the_newest_spelling():
    files = [
        edition("a", "2020-01-01", {"L-1": reading("대피·구조 등 1,000원", "((피난))")}),
        edition("b", "2021-01-01", {"L-1": reading("대피ㆍ구조  등 1000원 <개정 2021. 1. 1.>", "피난")}),
    ]
    assert rows(files) == [("L-1@2020-01-01", "", "대피ㆍ구조  등 1000원 <개정 2021. 1. 1.>")]


@pytest.mark.parametrize(("one", "other"), [("5-10", "510"), ("1.5미터", "15미터"), ("5%", "5"), ("7일", "10일")])
def test_numbers_and_signs_of_value_make_a_change(one, other):
    assert content_of("", one) != content_of("", other)


def test_repealed_gone_and_back_again():
    files = [
        edition("a", "2020-01-01", {"L-1": reading("가"), "L-2": reading("나"), "L-3": reading("다")}),
        edition("b", "2021-01-01", {"L-1": reading(""), "L-3": reading("다")}),
        edition("c", "2022-01-01", {"L-1": reading(""), "L-2": reading("나"), "L-3": reading("다")}),
    ]
    assert rows(files) == [
        ("L-1@2020-01-01", "2021-01-01", "가"),
        ("L-1@2021-01-01", "", ""),
        ("L-2@2020-01-01", "2021-01-01", "나"),
        ("L-2@2022-01-01", "", "나"),
        ("L-3@2020-01-01", "", "다"),
    ]


def korea(*texts):
    """Three acts; the second begins after the third."""
    facts = [("2020-01-01", "2020-01-01"), ("2021-01-05", "2022-01-06"), ("2021-03-01", "2021-03-01")]
    return [
        edition(
            promulgated,
            effective,
            {f"L-{place}": reading(text) for place, text in enumerate(row, 1) if text},
            promulgated,
        )
        for (promulgated, effective), row in zip(facts, texts, strict=True)
    ]


def test_a_change_that_a_later_file_shows_too_early_begins_on_the_day_of_its_own_act():
    files = korea(("갑 2일", "을 2일"), ("갑 3일", "을 2일"), ("갑 3일", "을 4일"))
    assert rows(files, accumulate=True) == [
        ("L-1@2020-01-01", "2022-01-06", "갑 2일"),
        ("L-1@2022-01-06", "", "갑 3일"),
        ("L-2@2020-01-01", "2021-03-01", "을 2일"),
        ("L-2@2021-03-01", "", "을 4일"),
    ]


def test_two_changes_of_one_provision_are_told_apart_word_by_word():
    files = korea(
        ("청장은 2일 안에 알린다.",),
        ("청장은 3일 안에 알린다. 서면으로 한다.",),
        ("장관은 3일 안에 알린다. 서면으로 한다.",),
    )
    found = versions(files, accumulate=True)
    assert [(each.since, each.fields["text"]) for each in found] == [
        ("2020-01-01", "청장은 2일 안에 알린다."),
        ("2021-03-01", "장관은 2일 안에 알린다."),
        ("2022-01-06", "장관은 3일 안에 알린다. 서면으로 한다."),
    ]
    assert [each.pending for each in found] == [(), ("2022-01-06",), ()]
    assert not any(each.conflict for each in found)


def test_words_that_both_changed_keep_the_older_form_and_it_is_said():
    files = korea(("2일 안에 알린다.",), ("3일 안에 알린다.",), ("4일 안에 알린다.",))
    found = versions(files, accumulate=True)
    # The second act changed 2 to 3 from 2022 on, and the third changes that 3: it begins with the second.
    assert [(each.docno, each.fields["text"]) for each in found] == [
        ("L-1@2020-01-01", "2일 안에 알린다."),
        ("L-1@2022-01-06", "4일 안에 알린다."),
    ]


def test_a_provision_that_a_pending_act_adds_and_a_later_act_changes():
    files = korea((None, "을"), ("갑 3일", "을"), ("갑 4일", "을"))
    assert rows(files, accumulate=True)[0] == ("L-1@2022-01-06", "", "갑 4일")


def test_two_acts_of_one_day_are_in_the_order_of_their_numbers():
    files = [
        edition("a", "2018-06-27", {"L-1": reading("나")}, "2017-12-26", "15301"),
        edition("b", "2018-06-27", {"L-1": reading("가")}, "2017-12-26", "15300"),
    ]
    assert rows(files, accumulate=True) == [("L-1@2018-06-27", "", "나")]


def test_a_date_of_the_provision_itself_counts():
    files = [
        edition("a", "2020-03-25", {"L-1": reading("one", since="2011-12-08")}),
        edition("b", "2024-01-01", {"L-1": reading("two", since="2023-06-01", until="2025-01-01")}),
    ]
    assert rows(files) == [("L-1@2011-12-08", "2023-06-01", "one"), ("L-1@2023-06-01", "2025-01-01", "two")]


def test_files_of_one_date_are_dated_by_their_copies():
    files = [
        Edition("a", "2008-05-28", {"L-1": reading("six months")}, "2008-05-28", published="2022-01-01"),
        Edition("b", "2008-05-28", {"L-1": reading("six months")}, "2008-05-28", published="2023-01-01"),
        Edition("c", "2008-05-28", {"L-1": reading("nine months")}, "2008-05-28", published="2024-11-06"),
    ]
    assert [each[:2] for each in rows(files)] == [("L-1@2008-05-28", "2024-11-06"), ("L-1@2024-11-06", "")]


def test_a_file_without_a_date_is_an_error():
    with pytest.raises(DataError, match=r"a\.md"):
        versions([edition("a.md", "", {"L-1": reading("가")})])


def test_a_merge_by_words():
    assert merged("a b c d", "a b c d e", "x b c d") == ("x b c d e", False)
    assert merged("a b c d", "a y c d", "a z c d") == ("a y c d", True)


def test_a_renumbered_provision_has_a_successor():
    text = "소방서장은 민원을 처리하기 위하여 지원센터를 둘 수 있다. 제2조를 따른다."
    files = [
        edition("a", "2020-01-01", {"L-4": reading(text, "지원센터")}),
        edition(
            "b",
            "2024-01-01",
            {
                "L-4": reading("통신망을 구축한다.", "통신망"),
                "L-4의2": reading(text.replace("제2조", "제3조"), "지원센터"),
            },
        ),
    ]
    assert successors(versions(files)) == {"L-4@2020-01-01": "L-4의2"}


def test_a_provision_that_only_changes_has_none():
    files = [
        edition("a", "2020-01-01", {"L-1": reading("둘 수 있다.", "센터")}),
        edition("b", "2024-01-01", {"L-1": reading("두어야 한다.", "센터"), "L-2": reading("둘 수 있다.", "센터")}),
    ]
    assert successors(versions(files)) == {}


def test_a_wording_without_a_day_goes_when_a_newer_file_dates_it():
    waiting = {"L-1": reading("가"), "L-2": reading("나"), "L-3": reading("다")}
    files = [
        edition("a", "2020-01-01", {key: each._replace(since=NOT_YET) for key, each in waiting.items()}),
        # Of the same wording, of another one, and of one that never came into force.
        edition("b", "2022-01-01", {"L-1": reading("가", since="2021-06-01"), "L-2": reading("나아")}),
    ]
    assert rows(files) == [("L-1@2021-06-01", "", "가"), ("L-2@2022-01-01", "", "나아")]
    assert [each.first for each in versions(files)] == ["a", "b"]
    assert rows(files[:1]) == [(f"{key}@{NOT_YET}", "", each.fields["text"]) for key, each in waiting.items()]


def test_a_wording_without_a_day_stands_beside_the_one_in_force():
    files = [
        edition("a", "2020-01-01", {"L-1": reading("가")}),
        edition("b", "2021-01-01", {"L-1": reading("나", since=NOT_YET)}),
        edition("c", "2022-01-01", {"L-1": reading("가")}),
    ]
    assert rows(files[:2]) == [("L-1@2020-01-01", NOT_YET, "가"), (f"L-1@{NOT_YET}", "", "나")]
    assert rows(files) == [("L-1@2020-01-01", "", "가")]
