"""Addresses of provisions on the sites of their publishers."""

import pytest

from legalir.statutes.documents import cut
from legalir.statutes.importing.pages import page_of
from legalir.statutes.law import Law, Unit


@pytest.mark.parametrize(
    ("law", "unit", "page"),
    [
        (
            ("kr", "001", "등대 관리법", "act"),
            ("9의2", "제9조의2", ""),
            "https://www.law.go.kr/법령/등대관리법/제9조의2",
        ),
        (("kr", "55", "등대 고시", "standard"), ("1", "제1조", ""), "https://www.law.go.kr/행정규칙/등대고시"),
        (
            ("uk", "ukpga-1998-42", "Act", "act"),
            ("3", "3", "section-3"),
            "https://www.legislation.gov.uk/ukpga/1998/42/section/3",
        ),
        (("uk", "x", "Act", "act"), ("3", "3", "section-3"), ""),
        (
            ("es", "BOE-A-2020-1", "Ley", ""),
            ("1", "Artículo 1", "a1"),
            "https://www.boe.es/buscar/act.php?id=BOE-A-2020-1#a1",
        ),
        (("nl", "BWBR0000001", "Wet", ""), ("1", "1", ""), "https://wetten.overheid.nl/BWBR0000001"),
        (("de", "BJNR1", "Gesetz", ""), ("1", "§ 1", ""), ""),
    ],
)
def test_page(law, unit, page):
    country, law_id, title, level = law
    number, label, key = unit
    made = Law("text", title, law_id, country, "en", level=level)
    article = Unit("article", number=number, label=label, key=key)
    article.add(0, 4)
    made.root.content.append(article)
    (document,) = cut(made).documents
    assert page_of(made, document) == page


def test_a_section_of_the_code():
    made = Law("text", "Title 10", "usc-t10", "us", "en")
    article = Unit("article", number="125")
    article.add(0, 4)
    made.root.content.append(article)
    assert "USC-prelim-title10-section125&" in page_of(made, cut(made).documents[0])
