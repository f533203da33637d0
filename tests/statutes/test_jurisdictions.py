"""Tables of jurisdictions: headings, repeal, kinds of law, and laws named after the statute that they carry out."""

from __future__ import annotations

import pytest

from legalir.graph.laws import statute_of
from legalir.statutes.jurisdictions import jurisdiction, jurisdictions


@pytest.mark.parametrize(
    ("law", "family"),
    [
        ("소방법 시행령", "소방법"),
        ("소방법시행규칙", "소방법"),
        ("소방법 시행령 별표", "소방법 시행령 별표"),
        ("시행령", "시행령"),
        ("Fire Safety Act", "Fire Safety Act"),
        ("", ""),
    ],
)
def test_a_family_bears_the_name_of_its_statute(law: str, family: str) -> None:
    assert statute_of(law) == family


@pytest.mark.parametrize(
    ("line", "level", "number", "rest"),
    [
        ("제3장의2 화재보험 등", "장", "3의2", "화재보험 등"),
        ("  제9조의2 (목적)", "조", "9의2", "(목적)"),
        ("제 12 조(정의)", "조", "12", "(정의)"),
        ("제1항에 따라", None, "", ""),
        ("별표 1", None, "", ""),
        ("", None, "", ""),
    ],
)
def test_headings(line: str, level: str | None, number: str, rest: str) -> None:
    heading = jurisdiction("kr").heading(line)
    assert (heading and heading.level.name) == level
    if heading:
        assert (heading.number, line[heading.end :]) == (number, rest)
        assert jurisdiction("kr").depth(heading.level.name) == heading.depth


@pytest.mark.parametrize(
    ("text", "repealed"),
    [
        ("삭제 <2015. 8. 11.>", True),
        ("삭제", True),
        ("① 삭제 <2015.8.11> ② 이 법은", False),
        ("삭제한다", False),
        ("", False),
    ],
)
def test_repealed(text: str, repealed: bool) -> None:
    assert jurisdiction("kr").is_repealed(text) is repealed


def test_kinds_of_law() -> None:
    assert [jurisdiction("kr").level_of(kind) for kind in ("법률", "대통령령", "행정안전부령", "고시", "조례")] == [
        "act",
        "decree",
        "rule",
        "standard",
        "조례",
    ]


def test_each_table_can_be_used() -> None:
    for country, table in jurisdictions().items():
        assert any(level.kind == "article" for level in table.levels), country
        kinds = [level.kind for level in table.levels]
        assert kinds == sorted(kinds, key=["group", "article", "paragraph", "item", "subitem"].index), country


def test_a_country_without_a_table_has_that_of_any() -> None:
    assert jurisdiction("xx") == jurisdictions()["any"]


def test_a_notice_of_repeal_names_the_act() -> None:
    italy = jurisdiction("it")
    assert italy.is_repealed("((ARTICOLO ABROGATO DAL D.LGS. 1 GENNAIO 2001, N. 9)).")
    assert not italy.is_repealed("1. COMMA ABROGATO DAL D.LGS. 1 GENNAIO 2001, N. 9. 2. Una lampada.")
    assert not italy.is_repealed("Articolo abrogato da una legge. " * 9)
    assert italy.is_repealed("(abrogato)2") and not italy.is_repealed("abrogato 2")  # the mark of a footnote


@pytest.mark.parametrize(
    ("lang", "text", "repealed"),
    [
        ("en", "Repealed. 2011, No. 39, § 6.", True),
        ("en", "[Repealed 2018-12-4.]", True),
        ("de", "(entfallen mit LGBl. Nr. 40/2023)", True),
        ("fr", "( ... – Décret du 3 mai 2012, art. 3)", True),
        ("it", "(Abrogato) (1)", True),
        ("da", "§ 4 er ophævet.", True),
        ("no", "§ 4 er opphevet.", True),
        ("sv", "Paragrafen är upphävd.", True),
        ("pl", "(utracił moc)", True),
        ("da", "Loven fra 1950 er ophævet.", False),
        ("pl", "Utraciła moc ustawa z dnia 1 maja 1950 r.", False),
        ("fr", "[¹ Abrogé]¹", True),
        ("en", "Repealed Acts of 1990 are listed in Schedule 2.", False),
        ("en", "Deleted data of 2012 are void.", False),
        ("de", "Entfällt der Anspruch 2012, so gilt § 3.", False),
        ("fr", "Supprimé le permis de 2010, le maire décide.", False),
        ("en", "... and the boats of 2012.", False),
        ("it", "Soppresso il Comitato (1)", False),
    ],
)
def test_what_follows_a_word_of_repeal_names_an_act(lang: str, text: str, repealed: bool) -> None:
    assert jurisdiction("any").is_repealed(text, lang) is repealed
