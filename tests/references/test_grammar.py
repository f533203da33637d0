"""References in questions, read by the grammars of all languages."""

from __future__ import annotations

import re
import time

import pytest

from legalir.errors import DefinitionError
from legalir.references.grammar import Grammar, WrittenReference, article_number, grammars, read_references
from legalir.references.numbers import clean


def numbers(text: str) -> list[str]:
    """Return the numbers in a text, each with its parts in brackets."""
    return [
        number.number + "".join(f"({part})" for part in number.parts)
        for reference in read_references(clean(text))
        for number in reference.numbers
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("제12조에 따라", ["12"]),
        ("제 12 조의3제2항제1호가목", ["12.3"]),
        ("「뗏목법」 제4조 및 제5조의2부터", ["4", "5.2"]),
        ("第八条の二の五第一項", ["八.二.五"]),
        ("第１２条", ["１２"]),
        ("第一百二十条之一第二款", ["一百二十.一"]),
        ("มาตรา 65 ตรี (3) วรรคสอง", ["65ตรี(3)"]),
        ("มาตรา ๑๒ และ ๑๓", ["๑๒", "๑๓"]),
        ("มาตรา 57 ฉ", ["57ฉ"]),
        ("มาตรา 57 ฉบับนี้", ["57"]),
        ("Article 12(3)(a) applies", ["12(3)(a)"]),
        ("Articles 12, 13(2) and 15", ["12", "13(2)", "15"]),
        ("Article 12, 30 days", ["12"]),
        ("Rules 6.2.1 to 6.2.4", ["6.2.1", "6.2.4"]),
        ("Rule \u200e6.2.1(a)(iv)", ["6.2.1(a)(iv)"]),
        ("ss. 12A and 12AB, § 20-870", ["12A", "12AB", "20-870"]),
        ("section 1396r–8(k)", ["1396r–8(k)"]),
        ("§ 823 Abs. 1 BGB", ["823"]),
        ("§§ 823, 826 Abs. 1 Satz 2 und 831 BGB", ["823", "826", "831"]),
        ("l'article L. 121-3 du code", ["L.121-3"]),
        ("articles L. 112-8et L. 112-9", ["L.112-8", "L.112-9"]),
        ("article R. * 132-4", ["R.*132-4"]),
        ("dell'articolo 12-bis, comma 2, lettera a)", ["12bis"]),
        ("artículo 12 bis", ["12bis"]),
        ("điểm a khoản 2 Điều 12a", ["12a"]),
        ("Điều 5, 6 và 7", ["5", "6", "7"]),
        ("Pasal 12A ayat (2) huruf b", ["12A"]),
        ("제1조(목적)", ["1"]),
        ("art. 415 § 1 k.c., § 5 ust. 2", ["415", "5"]),
        ("artigos 5.º e 394.º-A do Código", ["5", "394a"]),
        ("artikelen 6:162 en 7:658a BW", ["6:162", "7:658a"]),
        ("¿Qué dice el artículo 129 bis 9 del Código de Aguas?", ["129bis9"]),
        ("Que dit l'article VI.83 du Code de droit économique ?", ["VI.83"]),
        ("articoli 583-bis, da 609-bis a 609-octies e 610", ["583bis", "609bis", "609octies", "610"]),
        ("статьи 5, 6 и 228.1 УК РФ", ["5", "6", "228.1"]),
        ("ч. 2 ст. 158 УК РФ", ["158"]),
        ("άρθρα 3 και 5 του ν. 4412/2016", ["3", "5"]),
        ("185. maddenin ikinci fıkrası, TCK m. 81/1", ["185", "81"]),
        ("5 inci ve 6 ncı maddeler", ["5", "6"]),
        ("المادة ١٢ والمادتين (5) و(6)", ["١٢", "5", "6"]),
        # Numbers of other things.
        ("4조 3교대로 5조 원을 12개월", []),
        ("on 12 May 2020, within 30 days, 5 %", []),
        ("Heart 12, starts 5, is. 5", []),
        ("Article IV", []),
        ("제12345678901234567890조, Article 12345678901234567890", []),
        ("제조, 第条, article, §, มาตรา", []),
        ("Article 5(", ["5"]),
        ("", []),
    ],
)
def test_numbers(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected


def single(text: str) -> tuple[str, WrittenReference]:
    (reference,) = read_references(cleaned := clean(text))
    return cleaned, reference


def test_places() -> None:
    text, reference = single("By Articles 12 and 13(2), paragraph 4, of the Ferry Act")
    assert text[reference.start : reference.end] == "Articles 12 and 13(2)"
    assert [text[one.start : one.end] for one in reference.numbers] == ["12", "13(2)"]
    assert reference.law is not None
    assert text[reference.after :] == ", of the Ferry Act"
    assert text[reference.law :] == "Ferry Act"
    assert not reference.same_law
    text, reference = single("มาตรา 57 ฉ วรรคหนึ่ง แห่งประมวล")
    assert text[reference.start : reference.end] == "มาตรา 57 ฉ"
    assert reference.law is not None
    assert text[reference.law :] == "ประมวล"
    assert single("§ 5 BGB")[1].law is None
    assert single("등대법 제5조")[1].endings[0] == "법"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("같은 법 제5조", True),
        ("노동법 제5조", False),
        ("根据本法第五条", True),
        ("section 5 of this Act", True),
        ("section 5 of the Ferry Act", False),
        ("Điều 5 của Luật này", True),
    ],
)
def test_words_for_a_law_that_was_named(text: str, same: bool) -> None:
    reference = single(text)[1]
    assert reference.same_law == same
    assert reference.law is None or not same


def test_two_grammars_that_read_one_place() -> None:
    # English and French have "article", and only French knows what follows.
    assert numbers("article 12 bis") == ["12bis"]
    assert numbers("article 12, section 13") == ["12", "13"]


def test_grammars() -> None:
    assert " ".join(grammars()) == "ar da de el en es et fi fr id it ja ko nl no pl pt ru sv th tr vi zh nb nn"
    with pytest.raises(DefinitionError, match=r"'article'.*1.*'article'"):
        Grammar(article=["article"])
    with pytest.raises(DefinitionError, match=r"'article'.*2.*'N to N'"):
        Grammar(article=["article N", "N to N"])
    with pytest.raises(DefinitionError, match=r"'kinds.amends'.*1.*….*'amends'"):
        Grammar(article=["article N"], kinds={"amends": ["amends"]})
    law = {"pattern": "<KIND> Act"}
    assert Grammar(article=["article N"], pieces={"KIND": "<A>|B", "A": "C"}, laws=[law]).laws[0].pattern == "C|B Act"
    for pieces, reason in (({"A": "B"}, "<KIND> is not in 'pieces'"), ({"KIND": "<A>", "A": "<KIND>"}, "has itself")):
        with pytest.raises(DefinitionError, match=reason):
            Grammar(article=["article N"], pieces=pieces, laws=[law])


UNITS = ("1", "제", "제1", "一", "(1)", "1, ", "article ", "bis ", " ", "a", "의1", ".1", "Abs. 1", "§ 1, ", "第一")


@pytest.mark.parametrize("head", ["", "제1조"])
def test_time_is_linear_in_the_text(head: str) -> None:
    read_references("1")  # The first use compiles the grammars.
    for unit in UNITS:
        text = head + unit * (8_000 // len(unit))
        start = time.process_time()
        read_references(text)
        # It takes up to 2 s; a quadratic reader would take a minute.
        assert time.process_time() - start < 10, unit


def test_languages_without_small_letters() -> None:
    assert {code for code, grammar in grammars().items() if not grammar.has_case} == {"ar", "ja", "ko", "th", "zh"}


def forms_of_an_article() -> list[tuple[str, str]]:
    endings = {code: f" {'|'.join(grammar.endings)} " for code, grammar in grammars().items()}
    every = ((code, form.replace(" I ", endings[code])) for code in endings for form in grammars()[code].article)
    own = [(code, form) for code, form in every if {"N", "N+"} & set(form.split()) and form[0] not in "+^"]
    words = [(code, [word.rstrip("*").split("|") for word in form.split()]) for code, form in own if ">" not in form]
    return [(code, " ".join(one[0] for one in form)) for code, form in words]


@pytest.mark.parametrize(("language", "form"), forms_of_an_article())
def test_a_field_keeps_any_words_for_an_article(language: str, form: str) -> None:
    for number in ("7", "12", "120"):
        field = re.sub(r"N\+?(?!\w)", number, form.replace("~ ", ""))
        assert article_number(field) == number


@pytest.mark.parametrize(
    ("field", "number"),
    [
        ("第百七十一条の二", "百七十一.二"),
        ("제12조의2(정의)", "12.2"),
        ("Art. 12-bis", "12bis"),
        ("Artikel XII", "12"),
        ("IIA", "2A"),
        ("Annex II", ""),
        ("3 ทวิ", "3ทวิ"),
        ("§ 12 Abs. 3", "12(3)"),
        ("第1条第2項", "1(2)"),
        ("Art. 5, comma 2", "5(2)"),
        ("4 a §", "4a"),
        ("Art. 1.º", "1"),
        ("1er", "1"),
        ("Article R. 121-3", "R.121-3"),
        ("Section 12. Rules of 2020", "12"),
        ("1.3.(1)", "1.3(1)"),
        ("12A", "12A"),
        ("Article IV", "4"),
        ("R. 421-1", "R.421-1"),
        ("r. 12", "12"),
        *((field, "") for field in ("", "별표", "부칙 제3조", "附則第三条", "Schedule 3", "3 kap. 5 §")),
        *((field, "") for field in ("12 and 13", "Article 5 to 9", "1.2.Guidance.1", "12 (repealed)")),
        ("129bis9", "129bis9"),
        ("15zzs1", "15zzs1"),
        ("LP311-1", "LP311-1"),
        ("5а", "5а"),
        ("VI.83", "VI.83"),
    ],
)
def test_number_in_a_field(field: str, number: str) -> None:
    assert article_number(field) == number
