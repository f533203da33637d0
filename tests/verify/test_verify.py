"""Citations in texts of our own, about laws of our own, checked."""

from __future__ import annotations

import json
import unicodedata
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from legalir import Collection
from legalir.cli.main import app
from legalir.cli.verify import text_of
from legalir.errors import ComponentError, DataError
from legalir.references.lookup import Lookup, NumberTable
from legalir.verify.citations import citations_of
from legalir.verify.days import numbered_days
from legalir.verify.page import verification_page
from legalir.verify.verification import Verifier
from legalir.verify.wording import differing

ACT = "밀집영업장 화재안전 특별법"
HARBOUR = [
    (
        "H-1",
        "Harbour Act 1998",
        "1",
        "Definitions",
        "(1) A pier is a jetty of stone or steel.\n(2) A boat is any craft.",
    ),
    ("H-2", "Harbour Act 1998", "2", "Lights", "The master of a boat must show two white lights at night."),
    ("H-3", "Harbour Act 1998", "3", "Fees", "The fee for a berth is 20 crowns a day, unless the boat is in distress."),
    ("H-4", "Harbour Act 1998", "4", "Fines", "Repealed by the Ports Act 2010."),
    ("P-1", "Pilot Act 2001", "1", "Pilots", "A pilot must hold a certificate."),
    ("P-2", "Pilot Act 2001", "2", "Pilotage", "Every ship of more than 300 tonnes must take a pilot."),
]


def folder_of(path: Path, **about: object) -> Path:
    path.mkdir()
    rows = [
        {
            "docno": docno,
            "law": law,
            "article": article,
            "heading": heading,
            "text": text,
            "title": f"{law} s {article}",
        }
        for docno, law, article, heading, text in HARBOUR
    ]
    (path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (path / "dataset.yaml").write_text(json.dumps({"lang": "en", **about}), encoding="utf-8")
    return path


def states(collection: Collection, text: str, **options: str) -> list[tuple[str, str]]:
    found = collection.verify(text, **options)
    assert all(text[one.start : one.end] == one.words for one in found.citations)
    return [(one.words, one.state) for one in found.citations]


def test_each_state_in_english(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    one = [state for text in (
        "Section 2 of the Harbour Act 1998 applies.",
        "Section 1(2) of the Harbour Act 1998 applies.",
        "Section 1(7) of the Harbour Act 1998 applies.",
        "Section 9 of the Harbour Act 1998 applies.",
        "Section 4 of the Harbour Act 1998 applies.",
        "Section 3 of the Harbuor Act 1998 applies.",
        "Section 3 of the Customs Act 1975 applies.",
        "Section 3 (Lights) of the Harbour Act 1998 applies.",
        "Section 3 applies.",
        "Section 2 of the Harbour Act 1998 says: “The master of a boat must show three white lights at night.”",
        "Section 2 of the Harbour Act 1998 says: “The master of a boat must show … lights at night.”",
        "“A pilot must hold a certificate” (Pilot Act 2001, section 1)",
        "“A pilot may hold a certificate” (Pilot Act 2001, section 1)",
        "Section 3 of the Harbour Act 1998 has “a berth is 20 crowns a day” and “the boat is in distress”.",
        "Section 3 of the Harbour Act 1998 has “a berth is 20 crowns a day” and “the boat is in great distress”.",
    ) for _, state in states(collection, text)]  # fmt: skip
    assert one == [
        *("right", "right", "no such provision", "no such provision", "repealed", "name unclear"),
        *("outside this collection", "title differs", "could not check", "wording differs", "right", "right"),
        *("wording differs", "right", "wording differs"),
    ]


@pytest.mark.parametrize(
    ("lang", "law", "text", "other"),
    [
        ("fr", "Loi n° 2018-455 du 12 juin 2018 relative aux ports", "l’article 1 de la {}", (
            ("loi n° 2018-455 du 3 mars 1999", "1999-03-03"),
            ("loi n° 2018-455 du 12 juin 2018", ""),
            ("loi n° 2018-455 du 12 juin 2018 modifiée par la loi du 3 mars 2020", ""),
            ("loi n° 2018-455, modifiée par la loi n° 2020-1 du 3 mars 2020", ""),
            ("loi n° 2018-455 modifiée le 3 mars 2020", ""),
            ("loi n° 2018-455, dans sa rédaction du 3 mars 2020", ""),
            ("loi n° 2018-455 (JORF du 13 juin 2018)", ""),
        )),
        ("es", "Ley 39/2015, de 1 de octubre, de puertos", "el artículo 1 de la {}", (
            ("Ley 39/2015, de 3 de marzo", "2015-03-03"),
            ("Ley 39/2015, de 3 de marzo de 2016", "2016-03-03"),
            ("Ley 39/2015, de 1 de octubre", ""),
            ("Ley 39/2015, de 1 de octubre de 2015", ""),
            ("Ley 39/2015, publicada el 2 de octubre de 2015", ""),
        )),
        ("pt", "Lei n.º 39/2015, de 1 de outubro", "o artigo 1.º da {}", (
            ("Lei n.º 39/2015, de 3 de março", "2015-03-03"),
            ("Lei n.º 39/2015, de 1 de outubro", ""),
            ("Lei n.º 39/2015, na redação de 3 de março de 2020", ""),
        )),
        ("ko", "항만안전법(법률 제12345호, 2018. 6. 12.)", "{} 제1조", (
            ("항만안전법(법률 제12345호, 2015. 3. 3.)", "2015-03-03"),
            ("항만안전법(법률 제12345호, 2018. 6. 12.)", ""),
            ("항만안전법(2015. 3. 3. 법률 제9999호로 개정되기 전의 것)", ""),
        )),
    ],
)  # fmt: skip
def test_the_day_of_a_law_beside_its_number(
    tmp_path: Path, lang: str, law: str, text: str, other: tuple[tuple[str, str], ...]
) -> None:
    rows = [{"docno": f"l-{n}", "law": law, "article": str(n), "text": "1."} for n in (1, 2)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(f"lang: {lang}\n", encoding="utf-8")
    collection = Collection(tmp_path)
    for words, day in other:
        one = collection.verify(text.format(words), lang=lang).citations[0]
        assert ("is dated" in one.reason) == bool(day), (words, one)
        if day:
            assert (one.state, one.nearest) == ("name unclear", (law,))
            assert one.reason.startswith("The law of this number is dated 201") and one.reason.endswith(f", not {day}.")


def test_days_beside_numbers_of_laws() -> None:
    for words, found in (
        ("legge 3 marzo 1999, n. 455", {"455": "1999-03-03"}),
        ("Gesetz Nr. 12 vom 3. März 1999", {"12": "1999-03-03"}),
        ("平成三十年六月十二日法律第四十五号", {"四十五": "2018-06-12"}),
        ("Gesetz Nr. 12 in der Fassung vom 3. März 1999", {}),
        ("loi n° 12 modifiée par la loi du 3 mars 1999", {}),
        ("Hafengesetz vom 3. März 1999", {}),
    ):
        assert numbered_days(words) == found, words


TWO_LANGUAGES = {
    "HfSichG": ("Hafensicherheitsgesetz (HfSichG)", (
        "(1) Der Hafenmeister überwacht den Verkehr im Hafen und an den Anlegestellen.\n(2) Er trifft Anordnungen.",
        "(1) Wer ein Fahrzeug führt, meldet die Ankunft.\n(2) Die Meldung ist schriftlich.\n(3) Der Liegeplatz wird "
        "vom Hafenmeister bestimmt.",
    )),
    "code": ("Code du port", (
        "Le capitaine du navire déclare son arrivée à la capitainerie du port.\nLa déclaration est écrite et signée.",
        "Le séjour au quai des visiteurs est limité à quatorze jours, sauf en cas de réparation ou de tempête.",
    )),
    "ko": ("항만안전법", (
        "① 선박은 부두에 14일 동안 머무를 수 있다.\n② 선장은 출항을 신고하여야 한다.",
        "① 요금은 하루 2만원으로 한다.\n② 수리 중인 선박은 요금을 내지 아니한다.",
    )),
    "ja": ("港湾安全法", (
        "船舶は、岸壁に十四日間停泊することができる。\n２　船長は、出港を届け出なければならない。",
        "料金は、一日二万円とする。\n２　修理中の船舶は、料金を納めない。",
    )),
}  # fmt: skip


@pytest.fixture(name="mixed", scope="module")
def of_two_languages(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """An English collection with a law in each of four other languages."""
    folder = folder_of(tmp_path_factory.mktemp("laws") / "mixed")
    rows = [
        {"docno": f"{key}-{number}", "law": law, "article": str(number), "title": f"{law} {number}", "text": text}
        for key, (law, texts) in TWO_LANGUAGES.items()
        for number, text in enumerate(texts, start=1)
    ]
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return Collection(folder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("§ 2 Abs. 3 und Abs. 1 HfSichG gilt", [("§ 2 Abs. 3", "right"), ("Abs. 1 HfSichG", "right")]),
        ("Nach §§ 1 und 2 HfSichG", [("§§ 1", "right"), ("2 HfSichG", "right")]),
        ("Under § 2 Abs. 9 HfSichG the master shall report.", [("§ 2 Abs. 9 HfSichG", "no such provision")]),
        ("art. 1 al. 2 du Code du port", [("art. 1 al. 2 du Code du port", "right")]),
        ("article 1, alinéa 9, du Code du port", [("article 1, alinéa 9, du Code du port", "no such provision")]),
        ("항만안전법 제2조제2항 및 제9항", [("항만안전법 제2조제2항", "right"), ("제9항", "no such provision")]),
        ("The fee (港湾安全法第2条第9項) is due.", [("港湾安全法第2条第9項", "no such provision")]),
        ("Section 1(2) of the Harbour Act 1998 applies.", [("Section 1(2) of the Harbour Act 1998", "right")]),
        ("Article 5 of the Customs Act applies.", [("Article 5 of the Customs Act", "outside this collection")]),
    ],
)
def test_a_text_is_read_in_the_language_that_reads_most(
    mixed: Collection, text: str, expected: list[tuple[str, str]]
) -> None:
    assert states(mixed, text) == expected


MARINA = {
    "4": "(1) No person may operate a marina without a licence of the authority.\n(2) An application must state—\n"
    "(a) the name of the applicant; and\n(b) the number of berths.",
    "7": "(Repealed)",
    "12": "The holder of a licence must keep a register of all boats that are in the marina.",
    "14": "(1) A person who operates a marina without a licence is liable to a fine not exceeding £5,000.",
}


@pytest.mark.parametrize("lang", ["", "en", "de", "fr"])
def test_citations_are_the_same_beside_laws_in_other_languages(tmp_path: Path, lang: str) -> None:
    law = "Marina Licensing Act 2011"
    laws = [(law, number, text) for number, text in MARINA.items()]
    for key in ("HfSichG", "code") if lang else ():
        laws += [(TWO_LANGUAGES[key][0], str(n), text) for n, text in enumerate(TWO_LANGUAGES[key][1], start=1)]
    rows = [{"docno": f"d-{n}", "law": law, "article": of, "text": text} for n, (law, of, text) in enumerate(laws)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(f"lang: {lang or 'en'}\n", encoding="utf-8")
    collection, text = Collection(tmp_path), "s 4(2)(d) MLA 2011; s 7 MLA 2011; s 20 MLA 2011; ss 12-20 MLA 2011."
    for options in ({}, {"lang": "en"}):
        assert states(collection, text, **options) == [
            ("s 4(2)(d) MLA 2011", "no such provision"),
            ("s 7 MLA 2011", "repealed"),
            ("s 20 MLA 2011", "no such provision"),
            ("ss 12", "right"),
            ("20 MLA 2011", "no such provision"),
        ]
        for fine, state in (("£50,000", "wording differs"), ("£5,000", "right")):
            quoted = f'SECTION 14(1) OF THE MARINA LICENSING ACT 2011: "a fine not exceeding {fine}".'
            assert states(collection, quoted, **options) == [("SECTION 14(1) OF THE MARINA", state)]
    if lang:
        found = states(collection, "See ARTICLE 1 DU CODE DU PORT.", lang="en")
        assert found == [("ARTICLE 1 DU CODE DU PORT", "right")]
        assert states(collection, "Nach s 7 MLA 2011 und § 2 Abs. 9 HfSichG ist dies verboten.", lang="de") == [
            ("s 7 MLA 2011", "repealed"),
            ("§ 2 Abs. 9 HfSichG", "no such provision"),
        ]


@pytest.mark.parametrize(
    ("citation", "state", "docno"),
    [
        ("HfSichG § 2 Abs. 1", "right", "HfSichG-2"),  # Not § 1.
        ("§ 2 Abs. 3 HfSichG", "right", "HfSichG-2"),
        ("§ 2 III HfSichG", "right", "HfSichG-2"),
        ("HfSichG § 2 Abs. 9", "no such provision", "HfSichG-2"),
        ("Code du port art. 1 al. 2", "right", "code-1"),
        ("항만안전법 2조 2항", "right", "ko-2"),
        ("港湾安全法2条2項", "right", "ja-2"),
        ("Article 2(2) 항만안전법", "right", "ko-2"),
        ("Harbour Act 1998 s 1(2)", "right", "H-1"),
    ],
)
def test_a_citation_is_read_in_the_language_of_its_law(
    mixed: Collection, citation: str, state: str, docno: str
) -> None:
    found = mixed.find(citation)
    assert found is not None
    assert (found.state, *(found.docnos or found.nearest)) == (state, docno)
    table = NumberTable.of(mixed)
    assert [str(table.docnos[place]) for place in Lookup(table).named(citation)] == [docno]


def test_a_law_behind_several_paragraphs_is_found(mixed: Collection) -> None:
    table = NumberTable.of(mixed)
    for question, docnos in (
        ("Was sagen § 2 Abs. 3 und Abs. 1 HfSichG?", ["HfSichG-2"]),
        ("section 1(1) and (2) of the Harbour Act 1998", ["H-1"]),
        ("Was sagen § 2 Abs. 3 und Abs. 1 BGB?", []),
        ("Was sagt § 2 Abs. 3?", []),
    ):
        assert [str(table.docnos[place]) for place in Lookup(table).named(question)] == docnos, question


def test_marks_of_markdown_are_no_part_of_the_words(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    text = (
        "See **section 3** of the _Harbour Act 1998_.\n\n__Section 2__ (**Lights**) of the *Harbour Act 1998* says: "
        "“The **master** of a boat must show _two_ white lights at night.”"
    )
    found = collection.verify(text)
    assert [(one.words, text[one.start : one.end], one.state) for one in found.citations] == [
        ("section 3 of the Harbour Act 1998", "section 3** of the _Harbour Act 1998", "right"),
        ("Section 2 (Lights) of the Harbour Act 1998", "Section 2__ (**Lights**) of the *Harbour Act 1998", "right"),
    ]
    assert (found.text, found.to_dict()["citations"][1]["line"], found.to_dict()["citations"][1]["column"]) == (
        text,
        3,
        3,
    )


def test_a_repealed_provision_is_not_the_nearest_of_itself(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    for text in ("Section 4 applies.", "Section 4 of the Harbour Act 1998 applies.", "In section 4, a fine."):
        one = collection.verify(text, law="" if "Act" in text else "Harbour Act 1998").citations[0]
        assert (one.state, one.others, one.shows) == ("repealed", (), "H-4"), text
    text = "Section 2 of the Harbour Act 1998 is on lights. And section 4 is on fines."
    one = collection.verify(text).citations[1]
    assert (one.state, one.others, one.shows) == ("could not check", (), "H-4")
    assert "Its text is: Repealed by the Ports Act 2010." in one.reason
    assert collection.verify(text.replace("4", "9")).citations[1].others == ("H-4",)


def test_a_collection_that_is_complete_knows_which_laws_do_not_exist(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour", complete=True))
    assert states(collection, "Section 3 of the Customs Act 1975 applies.")[0][1] == "no such law"


def test_the_whole_name_goes_before_one_with_words_in_brackets(tmp_path: Path) -> None:
    rows = [("a-1", "港口诉讼规则"), ("b-1", "港口诉讼规则（试行）")]
    lines = [{"docno": docno, "law": law, "article": "1", "text": "船舶应当进港。"} for docno, law in rows]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text("lang: zh\n", encoding="utf-8")
    collection = Collection(tmp_path, cache=tmp_path / "cache")
    shown = [collection.verify(f"《{law}》第一条").citations[0] for _, law in rows]
    assert [(one.state, one.docnos) for one in shown] == [("right", ("a-1",)), ("right", ("b-1",))]


def test_what_is_not_compared_is_said(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    for text, told in (
        ("Section 3 (payable monthly) of the Harbour Act 1998.", "taken for a note"),
        ("Section 1 (Definition) of the Harbour Act 1998.", "a part of it"),
        ("Section 3 (Our Translation) of the Harbour Act 1998.", "taken for a note"),
        ("Section 3 (Registration of Cars) of the Harbour Act 1998.", "Its heading is: "),
        ("Section 2 of the Harbour Act 1998 knows no “the ships of our port”.", "taken for a term"),
        ("Section 1 of the Pilot Act 2001 is short. Section 2 is longer.", "taken for Pilot Act 2001"),
        ("Section 1 of the Pilot Act 2001 is short. Section 99 is longer.", "taken for Pilot Act 2001"),
        ("Section 1 of the Pilot Act 2001 and rule 2 are short.", "not say of which law"),
        ("Section 1 of the Pilot Act 2001, regulation 1 and section 2 of it.", "taken for Pilot Act 2001"),
    ):
        assert told in collection.verify(text).citations[-1].reason


OTHER = ("could not check", "of something else")


@pytest.mark.parametrize(
    ("text", "state", "told"),
    [
        ("Section 3 of ACT is “20 crowns”.", "right", ""),
        ("Section 3 of ACT is “30 crowns”.", "wording differs", ""),
        ("The fee is ‘30 crowns’, says section 3 of ACT.", "wording differs", ""),
        ("Section 2 of ACT is about “masts”.", "right", "“masts” in quotation marks is not in it"),
        ("“Every boat must show three white lights at night” under section 2 of ACT", "wording differs", ""),
        ("That a boat “must show two white lights at night” follows from section 2 of ACT.", "right", ""),
        ("> must show three white lights\n\nSection 2 of ACT.", "wording differs", ""),
        ("As “The Book of Harbours and Lanterns” says, section 2 of ACT counts.", *OTHER),
        ("Section 2 of ACT is in “The Book of Harbours and Lanterns”.", *OTHER),
        ("Section 2 of ACT is dull. He said: “Give me my old lantern and let me sleep”.", *OTHER),
        ("ACT says “the master of a boat must show two white lights”.", "could not check", "names no provision"),
        ("The “Harbour Act 1998” has section 2.", "right", ""),
        (
            "“A pilot must” is section 1 of the Pilot Act 2001, and “must show red lights at night” section 2 of ACT.",
            "wording differs",
            "",
        ),
    ],
)
def test_no_quoted_words_are_right_without_a_word(tmp_path: Path, text: str, state: str, told: str) -> None:
    text = text.replace("ACT", "the Harbour Act 1998")
    one = Collection(folder_of(tmp_path / "harbour")).verify(text).citations[-1]
    assert (one.state, told in one.reason, bool(one.reason) >= bool(told)) == (state, True, True)


@pytest.mark.parametrize("end", ["”. You", ".” You", "”.\nYou", "”! You", "”。 You"])
def test_a_quotation_is_not_of_the_citation_in_the_next_sentence(tmp_path: Path, end: str) -> None:
    law = "of the Harbour Act 1998"
    text = f"Section 2 {law} says:\n“must show three white lights at night{end} pay under section 3 {law}."
    assert states(Collection(folder_of(tmp_path / "harbour")), text)[0][1] == "wording differs"


def test_a_name_that_ends_as_the_name_of_another_law_is_read_whole(tmp_path: Path) -> None:
    rows = [(law, str(number)) for law in ("부두 및 하역관계법", "하역관계법") for number in (1, 2)]
    lines = [
        {"docno": f"{len(law)}-{number}", "law": law, "article": number, "title": law, "text": "배는 선다."}
        for law, number in rows
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text("lang: ko\n", encoding="utf-8")
    (one,) = Collection(tmp_path, cache=tmp_path / "cache").verify("원고는 부두 및 하역관계법 제2조를 든다.").citations
    assert (one.state, one.law) == ("right", "부두 및 하역관계법")


def test_two_names_of_laws_are_not_one(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    for text, words in (
        ("Under these Regulations, in the Pilot Act 2001, section 1 applies.", ["Pilot Act 2001, section 1"]),
        ("this Act, the Pilot Act 2001", ["Pilot Act 2001"]),
        ("Section 2 of the Harbour Act, the Pilot Act 2001", ["Section 2 of the Harbour Act", "Pilot Act 2001"]),
    ):
        assert [one for one, _ in states(collection, text)] == words


LAWS = {
    "ko": [("항만법", "3"), ("항만법", "4")],
    "ja": [("港湾法", "3")],
    "th": [("พระราชบัญญัติท่าเรือ พ.ศ. 2514", "3"), ("ประมวลกฎหมายท่าเรือและประภาคาร", "3")],
}


@pytest.fixture(scope="module")
def laws(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Collection]:
    made = {}
    for lang, of in LAWS.items():
        path = tmp_path_factory.mktemp(lang)
        rows = [
            {"docno": f"{law[:9]}-{n}", "law": law, "article": n, "title": f"{law} {n}", "text": law} for law, n in of
        ]
        (path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        (path / "dataset.yaml").write_text(f"lang: {lang}\n", encoding="utf-8")
        made[lang] = Collection(path)
    return made


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("ko", "소방법 제3조", "outside this collection"),
        ("ko", "항만법 제4조와 구 소방법의 제3조", "outside this collection"),
        ("ko", "항만법 제4조와 소방법 제3조 및 제4조", "could not check"),
        ("ko", "항만법 제4조. 이 방법(제3조)", "right"),
        ("ko", "항만법 제4조. 이 법 제3조", "right"),
        ("ja", "新港湾法第三条", "name unclear"),
        ("ja", "現行港湾法第三条", "right"),
        ("th", "มาตรา 3 แห่งพระราชบัญญัติท่าเรือ ศ.ศ. 2514 บัญญัติว่า", "name unclear"),
        ("th", "มาตรา 3 แห่งพระราชบัญญัติท่าเรือ พ.ศ. 2515", "name unclear"),
        ("th", "มาตรา 3 แห่งพระราชบัญญัติท่าเรือ พุทธศักราช ๒๕๑๔", "right"),
        ("th", "มาตรา 3 แห่งพระราชบัญญัติท่าเรือบัญญัติว่า", "right"),
        ("th", "มาตรา 3 แห่งประมวลกฎหมายท่าเรืออละประภาคาร", "name unclear"),
        ("th", "มาตรา 3 แห่งประมวลกฎหมายท่าเรือและประภาคารร", "name unclear"),
        ("th", "มาตรา 3 แห่งประมวลกฎหมายท่าเรือและประภาคารกำหนดว่า", "right"),
    ],
)
def test_a_name_is_read_to_its_end(laws: dict[str, Collection], lang: str, text: str, expected: str) -> None:
    assert states(laws[lang], text)[-1][1] == expected


def test_an_article_of_a_supplement_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    row = {
        "docno": "L-supp-7",
        "law": "등대법",
        "article": "supp-7",
        "title": "등대법 부칙",
        "text": "제1조(시행일) 내일.\n제2조(적용례) 모레.",
    }
    article = {"docno": "L-1", "law": "등대법", "article": "1", "title": "등대법 제1조", "text": "등대는 빛난다."}
    rows = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in (article, row))
    (tmp_path / "laws" / "corpus.jsonl").write_text(rows, encoding="utf-8")
    (tmp_path / "laws" / "dataset.yaml").write_text("lang: ko\n", encoding="utf-8")
    collection = Collection(tmp_path / "laws")
    found = states(collection, "등대법 부칙 제2조, 등대법 부칙 제5조, 등대법 별표 1")
    assert [state for _, state in found] == ["right", "no such provision", "could not check"]


def test_articles_of_supplements_may_be_provisions_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    texts = {
        "1": "灯台は光る。",
        "supp-1": "１ この法律は、明日から施行する。\n２ 前項の規定は、第一条に適用しない。",
        "supp-2/1": "この法律は、明後日から施行する。",
        "supp-2/3": "旧法の灯台は、新法の灯台とみなす。",
        "supp-3/1": "附則第三条の規定は、来年から施行する。",
        "supp-3/3": "灯台の数は、変わらない。",
        "supp-3/4": "前条の規定は、船に適用しない。",
    }
    rows = [
        {"docno": f"L-{key}", "law": "灯台法", "article": key, "title": f"灯台法 {key}", "text": text}
        for key, text in texts.items()
    ]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    (tmp_path / "laws" / "corpus.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "laws" / "dataset.yaml").write_text("lang: ja\n", encoding="utf-8")
    collection = Collection(tmp_path / "laws")
    text = "灯台法附則第四条がある。灯台法附則第二項がある。灯台法附則第三条、灯台法附則第九条がある。"
    found = collection.verify(text).citations
    assert [(one.state, one.docnos) for one in found] == [
        ("right", ("L-supp-3/4",)),
        ("right", ("L-supp-1",)),
        ("could not check", ()),
        ("no such provision", ()),
    ]
    assert found[2].nearest == ("L-supp-2/3", "L-supp-3/3")
    # 前条 of article 4 of the third supplement is its article 3, not one of the law or of another supplement.
    verifier = Verifier(collection)
    assert verifier.parts_cited("L-supp-3/4", "L-supp-3/3") is not None
    assert verifier.parts_cited("L-supp-3/4", "L-supp-2/3") is None


def test_a_citation_without_a_law_means_the_one_given_or_is_left_open(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    text = "Section 1 of the Pilot Act 2001 is short. Section 2 is longer. Section 3 is not there."
    assert [state for _, state in states(collection, text)] == ["right", "right", "could not check"]
    assert states(collection, "Section 3 applies.", law="Harbour Act 1998")[0][1] == "right"
    with pytest.raises(ComponentError, match=r"has no law 'Harbor Act 1998'\. Did you mean 'Harbour Act 1998'"):
        collection.verify(text, law="Harbor Act 1998")


def test_a_heading_is_no_part_of_the_name_of_a_law() -> None:
    found = states(Collection("legalir/firecode-dated"), f"# 의견서\n{ACT} 제24조는\n길다. 제14조도 같다.")
    assert found == [(f"{ACT} 제24조", "right"), ("제14조", "right")]


def test_what_versions_say(tmp_path: Path) -> None:
    collection = Collection("legalir/firecode-dated")
    text = (
        f"{ACT} 제16조의2(보험 가입의 안내), {ACT} 제21조. 2023. 1. 1. 당시 {ACT} 제16조의2.\n"
        f"2022. 5. 1. 당시 {ACT} 제21조. 2019. 5. 1. 현재 {ACT} 제21조.\n"
        f"{ACT} 시행령 제3조와 같은 법 제14조, {ACT} 제14조제9항, {ACT} 부칙 제1조.\n"
        "안내한다 [FC04-16의2] [FC04-6@2021-01-01] [FC04-99].\n"
    )
    assert states(collection, text, as_of="2025-01-01") == [
        (f"{ACT} 제16조의2", "right"),
        (f"{ACT} 제21조", "repealed"),
        (f"{ACT} 제16조의2", "not yet in force"),
        (f"{ACT} 제21조", "right"),
        (f"{ACT} 제21조", "could not check"),
        (f"{ACT} 시행령 제3조", "right"),
        ("같은 법 제14조", "right"),
        (f"{ACT} 제14조제9항", "no such provision"),
        (f"{ACT} 부칙 제1조", "could not check"),
        ("[FC04-16의2]", "right"),
        ("[FC04-6@2021-01-01]", "wording differs"),
        ("[FC04-99]", "no such provision"),
    ]
    days = [one.day for one in collection.verify(text, as_of="2025-01-01").citations[:5]]
    assert days == ["2025-01-01", "2025-01-01", "2023-01-01", "2022-05-01", "2019-05-01"]


def test_citations_in_a_quotation_are_part_of_it(tmp_path: Path) -> None:
    collection = Collection("legalir/firecode-dated")
    quotation = "제7조에 따라 안전시설등을 설치하려는 자는 공사를"
    text = f"{ACT} 제8조는 “{quotation}” 하고, {ACT} 제9조는 “제7조에 따라 안전시설등을 설치하려던 자는 공사를” 한다."
    found = collection.verify(text, as_of="2022-01-01").citations
    assert [one.state for one in found] == ["right", "right", "wording differs", "could not check"]
    assert "compared as a whole" in found[1].reason


PILOT = "The presence of a pilot does not release the master from responsibility for the vessel"
LINES = "The master or a person named by the master shall check the lines"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sections 6(3) and 11(2) of the Harbour Act say: “{PILOT}”", ["right"] * 2),
        ("Section 6(3) and section 11(2) of the Harbour Act say: “{PILOT}” and “{LINES}”", ["right"] * 2),
        ("“{LINES}”, “{PILOT}” (sections 6(3) and 11(2) of the Harbour Act)", ["right"] * 2),
        (
            "Section 6 (2) and (3) of the Harbour Act: “The duty does not apply to a vessel whose master holds a "
            "certificate under section 7”; “{PILOT}”",
            ["right"] * 3,
        ),
        ("“{PILOT}” [act-6], [act-11]", ["right"] * 2),
        # A citation in the first quotation does not hide the second.
        (
            "Section 6 (2) and (3) of the Harbour Act: “The duty does not apply to a vessel whose master holds a "
            "certificate under section 7”; “{PILOT} and of the crew”",
            ["right", "wording differs", "right"],
        ),
        # Of no list, or in none of its provisions, or in another paragraph.
        ("Section 11(2) of the Harbour Act says: “{PILOT}”. Section 6(3) of the Harbour Act is about it.",
         ["wording differs", "right"]),
        ("Sections 6(3) and 11(2) of the Harbour Act say: “{PILOT} and of the crew”", ["right", "wording differs"]),
        ("Sections 6(2) and 11(2) of the Harbour Act say: “{PILOT}”", ["right", "wording differs"]),
        # Words that a person has said behind a citation, and words of the provision that are changed.
        ("Section 11(1) of the Harbour Act asks for fenders. A witness said: “The master did keep the vessel moored "
         "with lines and we had nobody to check them that night”", ["could not check"]),
        ("Section 20(2) of the Harbour Act is clear. It reads: “The owner carries the costs of cleaning.”",
         ["wording differs"]),
    ],
)  # fmt: skip
def test_a_quotation_is_of_one_citation_of_a_list(text: str, expected: list[str]) -> None:
    found = Collection("legalir/harbour").verify(text.format(PILOT=PILOT, LINES=LINES)).citations
    assert [one.state for one in found] == expected


@pytest.mark.parametrize(
    ("lang", "text", "quotation", "heading", "days"),
    [
        ("de", "§ 5 Hafengesetz (Lichter) lautet: „Jedes Boot führt nachts zwei Lichter.“", True, "Lichter", ()),
        ("de", "„Jedes Boot führt nachts zwei Lichter“ (§ 5 Hafengesetz)", True, "", ()),
        ("de", "§ 5 Hafengesetz in der Fassung vom 1.3.2019 gilt.", False, "", ("2019-03-01",)),
        ("de", "§ 5 Hafengesetz (vgl. oben) nennt das „Boot“.", False, "", ()),
        ("fr", "L'article 5 du code des ports dispose : « Tout bateau porte deux feux la nuit. »", True, "", ()),
        ("ja", "港湾法第五条（灯火）は「船は夜間に白色の灯火を掲げなければならない」と定める。", True, "灯火", ()),
        ("zh", "《港口法》第五条规定：“船舶夜间应当显示白色灯光。”", True, "", ()),
        ("ko", "2020. 2. 1. 시행 「항만법」 제5조(등화)", False, "등화", ("2020-02-01",)),
        ("ko", "「항만법」 제5조(2020. 2. 1. 개정된 것)", False, "", ()),
        ("en", "Section 5 of the Ports Act 1990 says:\n\n> Every boat shows two lights at night.\n", True, "", ()),
        ("en", "As in force on 1 March 2019, section 5 of the Ports Act 1990 applies.", False, "", ("2019-03-01",)),
    ],
)
def test_what_stands_beside_a_citation(
    lang: str, text: str, quotation: bool, heading: str, days: tuple[str, ...]
) -> None:
    (one,) = citations_of(text, [lang])
    assert (bool(one.quotations), one.heading, one.days) == (quotation, heading, days)


def test_contradictory_days_are_not_decided(tmp_path: Path) -> None:
    collection = Collection("legalir/firecode-dated")
    (one,) = collection.verify(f"2022. 1. 1. 당시 {ACT} 제3조(2023. 1. 1. 현재)").citations
    assert (one.state, one.reason.endswith("2022-01-01, 2023-01-01.")) == ("could not check", True)
    assert states(collection, f"2023. 2. 31. 당시 {ACT} 제3조") == [(f"{ACT} 제3조", "could not check")]


@pytest.mark.parametrize(
    "text", ["§ 823 BGB", "Art. 5 GDPR", "art. 1240 C. civ.", unicodedata.normalize("NFD", f"{ACT} 제99조")]
)
def test_short_texts_and_letters_in_parts_are_read(text: str) -> None:
    assert len(Collection("legalir/firecode-dated").verify(text).citations) == 1


@pytest.mark.parametrize(
    ("quotation", "same"),
    [
        ("The fee is 20 crowns a day", True),
        ("the fee … a day, unless the boat", True),
        ("The fee is 20 crowns [for each] day", True),
        ("a day, unless … The fee", False),
        ("the fee is 20  crowns\na day", True),
        ("The fee is 2.0 crowns a day", False),
        ("The fee is 30 crowns a day", False),
    ],
)
def test_quoted_words(quotation: str, same: bool) -> None:
    found = differing(quotation, "The fee is 20 crowns a day, unless the boat is in distress.")
    assert (found is None) == same
    assert found is None or any(part.kind != "same" for part in found)


def test_long_texts_take_linear_time(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    text = "Section 2 of the Harbour Act 1998 says: “The master must”. " * 500 + "x" * 100_000 + "“" * 5_000
    assert len(collection.verify(text).citations) == 500


def test_documents(tmp_path: Path) -> None:
    words = "Section 2 of the Harbour Act 1998 applies."
    xml = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", xml.format(f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>"))
        archive.writestr(
            "word/footnotes.xml",
            xml.format("<w:p><w:r><w:t>See section 3.</w:t></w:r></w:p>").replace("document", "footnotes"),
        )
    (tmp_path / "a.html").write_text(f"<html><body><p>{words}</p></body></html>", encoding="utf-8")
    (tmp_path / "a.md").write_bytes(f"\ufeff{words}\r\n".encode())
    assert text_of(tmp_path / "a.docx") == f"{words}\nSee section 3."
    assert text_of(tmp_path / "a.html").strip() == words
    quoted = (
        '<p>It says <q lang="en">one &eacute;</q>:</p><BLOCKQUOTE><div><p>Two.</p>Three.</div></BLOCKQUOTE><p>Four.</p>'
    )
    (tmp_path / "a.html").write_bytes(f"<html><body>{quoted}</body></html>".encode())
    assert text_of(tmp_path / "a.html").split("\n") == ["It says “one é”:", "> Two.", "> Three.", "Four."]
    assert text_of(tmp_path / "a.md") == f"{words}\n"
    (tmp_path / "b.md").write_text("**Section 9** of the [*Pier* Act](https://a.example/b)", encoding="utf-8")
    read = Collection(folder_of(tmp_path / "harbour")).verify(text_of(tmp_path / "b.md"))
    assert [one.words for one in read.citations] == ["Section 9 of the Pier Act"]
    for name, data, told in (
        ("a.doc", b"\xd0\xcf\x11\xe0", "save it as .docx"),
        ("a.txt", "민법 제1조".encode("cp949"), "not UTF-8: save it"),
        ("a.bin", b"PK\3\4", "Word file"),
        ("a.pdf", b"%PDF-1.4", "damaged|text"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError, match=told):
            text_of(tmp_path / name)
    with pytest.raises(DataError, match="cannot be read"):
        text_of(tmp_path / "none.txt")


def test_the_page_escapes_and_links(tmp_path: Path) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    page = verification_page("<b>", collection.verify("<script> Section 9 of the Harbour Act 1998."))
    assert "<script>" not in page and "&lt;script&gt;" in page and 'href="#c1"' in page
    assert "1 citation: 1 no such provision." in page
    assert "No citation was found" in verification_page("none", collection.verify("Good morning."))
    repealed = verification_page("none", collection.verify("Section 4 of the Harbour Act 1998."))
    assert "<p class=key>Harbour Act 1998 s 4 [H-4]</p>" in repealed and "Nearest" not in repealed


def test_the_command(tmp_path: Path) -> None:
    folder, out = folder_of(tmp_path / "harbour"), tmp_path / "page.html"
    ask = ["verify", "-", "--collection", str(folder)]
    wrong = "Section 9 of the Harbour Act 1998.\nSection 2 of the Harbour Act 1998.\n"
    result = CliRunner().invoke(app, [*ask, "--html", str(out)], input=wrong)
    assert (result.exit_code, out.exists()) == (1, True)
    assert "1:1\tno such provision\tSection 9 of the Harbour Act 1998" in result.output
    result = CliRunner().invoke(app, [*ask, "--json"], input=wrong)
    rows = json.loads(result.stdout)
    assert [(row["line"], row["column"], row["state"]) for row in rows["citations"]] == [
        (1, 1, "no such provision"),
        (2, 1, "right"),
    ]
    assert "nearest: Harbour Act 1998 s 4" in CliRunner().invoke(app, ask, input=wrong).output
    assert "nearest" not in CliRunner().invoke(app, ask, input="Section 4 of the Harbour Act 1998.").output
    breaks = "Section 1 of the Harbour Act 1998: “A pier is a jetty of stone or steel. (2) A boat is any vessel.”"
    assert "steel. (2) A boat is any [-craft-]{+vessel.+}" in CliRunner().invoke(app, ask, input=breaks).output
    assert CliRunner().invoke(app, ask, input="Section 2 of the Harbour Act 1998.").exit_code == 0
    open_one = "Section 2 of the Customs Act 1975."
    assert CliRunner().invoke(app, ask, input=open_one).exit_code == 0
    assert CliRunner().invoke(app, [*ask, "--strict"], input=open_one).exit_code == 1


@pytest.mark.parametrize(
    ("text", "lang", "words"),
    [
        ("Clause 5 of the Towage Contract and section 3 of the General Conditions apply.", "en", []),
        ("Section 3 of the Towage Contract Act 1998 applies.", "en", ["Section 3 of the Towage Contract Act 1998"]),
        ("Es gelten § 3 des Schleppvertrags und Ziffer 5 des Schleppvertrags.", "de", []),
        ("Art. 3 des Einigungsvertrags gilt.", "de", ["Art. 3 des Einigungsvertrags"]),
        ("§ 3 des Gesetzes über den Schleppvertrag", "de", ["§ 3 des Gesetzes über den Schleppvertrag"]),
        ("Artikel 5 van het Sleepcontract geldt.", "nl", []),
        (
            "Clause 5 of the Towage Contract says “The owner pays all tugs.” (Tug Act 1998, section 2)",
            "en",
            ["Tug Act 1998, section 2"],
        ),
    ],
)
def test_contracts_are_no_laws(text: str, lang: str, words: list[str]) -> None:
    found = citations_of(text, [lang], is_law=lambda name: False)
    assert [text[one.start : one.end] for one in found] == words
    known = citations_of(text, [lang], is_law=lambda name: True)
    assert len(known) >= len(words) and all(one.quoted_by < len(found) for one in found)


def test_words_that_a_contract_says_are_not_those_of_a_law() -> None:
    text = "Section 2 of the Tug Act 1998 and clause 5 of the Towage Contract, which says: “The owner pays all tugs.”"
    (one,) = citations_of(text, ["en"], is_law=lambda name: False)
    assert (one.quotations, one.beside) == ((), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "독일 민법 § 823 BGB와 Art. 6 GDPR에 따른다. 「소방법」 제3조도 같다.",
            ["§ 823 BGB", "Art. 6 GDPR", "「소방법」 제3조"],
        ),
        ("本件では民法第709条と § 823 BGB を見る。", ["民法第709条", "§ 823 BGB"]),
        ("Compare 42 U.S.C. § 1983 and 민법 제750조 with our rules.", ["42 U.S.C. § 1983", "민법 제750조"]),
        (
            "La loi : section 2 of the Theft Act 1968, 《民法典》第五条.",
            ["section 2 of the Theft Act 1968", "《民法典》第五条"],
        ),
        ("The lot was sold; there were five of them.", []),
    ],
)
def test_citations_in_the_forms_of_other_languages_are_not_left_out(text: str, words: list[str]) -> None:
    found = Collection("legalir/firecode-dated").verify(text)
    assert [one.words for one in found.citations] == words
    assert all(one.state == "outside this collection" for one in found.citations)


QUAYS = [
    (
        "5",
        "(1) A master's duty is to keep the vessel lit at night.\n(2) A person who fails to do so commits an offence.",
    ),
    ("6", "(1) A vessel leaves the harbour when told.(2) It may come back after one day."),
]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Section 5(2) of the Harbour Act 1990: 'A person who fails to do so commits an offence.'", "right"),
        # The words of another paragraph; single quotation marks, with apostrophes.
        ("Section 5(1) of the Harbour Act 1990: 'A person who fails to do so commits an offence.'", "wording differs"),
        ("Section 5(1) of the Harbour Act 1990: ‘A master’s duty is to keep the vessel dark.’", "wording differs"),
        ("Section 5(1) of the Harbour Act 1990: 'A master's duty is to keep the vessel lit at night.'", "right"),
        # Paragraphs in one line.
        ("Section 6(2) of the Harbour Act 1990", "right"),
        ("Section 6(3) of the Harbour Act 1990", "no such provision"),
        # The Act of another year.
        ("See section 5 of the Harbour Act 1890.", "name unclear"),
    ],
)  # fmt: skip
def test_paragraphs_quotations_and_years(tmp_path: Path, text: str, state: str) -> None:
    rows = [
        {"docno": f"ha-{number}", "law": "Harbour Act 1990", "article": number, "text": words, "title": f"s {number}"}
        for number, words in QUAYS
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert [one.state for one in Collection(tmp_path).verify(text).citations] == [state]


@pytest.mark.parametrize(
    ("text", "state", "told"),
    [
        # Another law has more words; a shorter name is told.
        ("Section 2 of the New Harbours Act 2014.", "name unclear", "Harbours Act 2014?"),
        ("Section 2 of the Docks and Harbours Act 2014.", "name unclear", "Harbours Act 2014?"),
        ("Section 2 of the UK Harbours Act 2014.", "right", ""),
        ("Section 2 of the Harbour Act 2014.", "right", "Taken for Harbours Act 2014."),
        # Amounts in short quotations, and quotation marks.
        ("An appeal is made within “28 days” (section 2(1) of the Harbours Act 2014).", "wording differs", ""),
        ("The fine is “£5,000” under section 2(2) of the Harbours Act 2014.", "wording differs", ""),
        ("The fine is “£500” under section 2(2) of the Harbours Act 2014.", "right", ""),
        ("It is a “28 day notice” under section 2(2) of the Harbours Act 2014.", "right", "taken for a term"),
        ("Section 2(2) of the Harbours Act 2014: ‚The fine is not more than £700.‘", "wording differs", ""),
        ("Section 2(2) of the Harbours Act 2014: ›The fine is not more than £700.‹", "wording differs", ""),
        # Line ends inside of a name, and marks of Markdown.
        ("Section 9 of the Harbours\nAct 2014.", "no such provision", ""),
        ("Section 9 of the Harbours Act\n2014.", "no such provision", ""),
        ("Section 9 of the **Harbours Act 2014** applies.", "no such provision", ""),
        ("**Section 9** of the *Harbours Act 2014* applies.", "no such provision", ""),
        # A citation that begins a line is no heading of a statute.
        ("We rely on this.\n\nSection 9. The fine is high.", "could not check", "of which law"),
        ("We rely on it (the Harbours Act 2014). Section 9. The fine is high.", "could not check", "of which law"),
        # One of several numbers that are repealed together.
        ("Section 4 of the Harbours Act 2014.", "repealed", ""),
        ("Section 2(1), second sentence, of the Harbours Act 2014.", "right", ""),
        ("Section 2(1) sentence 9 of the Harbours Act 2014.", "right", "“sentence 9” is not looked up"),
    ],
)  # fmt: skip
def test_what_letters_write_of_a_law(tmp_path: Path, text: str, state: str, told: str) -> None:
    texts = {
        "1": "The rent is £10 a night.",
        "2": "(1) A tenant may appeal within 21 days.\n(2) The fine is not more than £500.",
        "3-5": "",
    }
    rows = [{"docno": f"h-{n}", "law": "Harbours Act 2014", "article": n, "text": words} for n, words in texts.items()]
    rows.append({"docno": "p-1", "law": "Pier Act 1990", "article": "1", "text": "A pier is a jetty."})
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "origin.jsonl").write_text(json.dumps({"docno": "h-3-5", "repealed": True}) + "\n", encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "en"}), encoding="utf-8")
    *_, one = Collection(tmp_path).verify(text).citations
    assert (one.state, told in one.reason) == (state, True), one


def test_a_dash_is_no_range_where_numbers_have_one(tmp_path: Path) -> None:
    rows = [("2-1", "신고한다."), ("2-9", ""), ("3-1", "보고한다.")]
    records = [{"docno": f"k-{n}", "law": "부두규정", "article": n, "text": words} for n, words in rows]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "ko"}), encoding="utf-8")
    found = Collection(tmp_path).verify("부두규정 제5조 및 부두규정 제2-1조에 따른다.").citations
    assert [one.state for one in found] == ["no such provision", "right"]


def test_paragraphs_of_a_law_in_another_language_than_the_collection(tmp_path: Path) -> None:
    french = "Tout navire de plus de cinquante mètres prend un pilote.\nL'autorité peut accorder des dérogations."
    rows = [
        *({"docno": f"a-{n}", "law": "Pier Act 1990", "article": str(n), "text": f"A pier is a jetty of stone. {n}."}
          for n in range(1, 9)),
        {"docno": "l-2", "law": "Loi sur les quais", "article": "2", "text": french},
        {"docno": "l-3", "law": "Loi sur les quais", "article": "3", "text": "Les capitaines annoncent leur arrivée "
         "vingt-quatre heures à l'avance au bureau du port, et leur départ deux heures avant de quitter le quai."},
    ]  # fmt: skip
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "en"}), encoding="utf-8")
    text = "L'article 2, alinéa {}, de la Loi sur les quais permet des dérogations à cette règle du port."
    found = [Collection(tmp_path).verify(text.format(n)).citations[0].state for n in (2, 3)]
    assert found == ["right", "no such provision"]


def test_headings_behind_letters_days_of_sentences_and_empty_provisions(tmp_path: Path) -> None:
    folder = tmp_path / "garden"
    folder.mkdir()
    rows = (
        ("g-1@2016-01-01", "1", "Fines", "The fine is not more than 200 crowns.", "2016-01-01", "2020-01-01"),
        ("g-1@2020-01-01", "1", "Fines", "The fine is not more than 400 crowns.", "2020-01-01", ""),
        ("g-2", "2", "", "", "", ""),
        ("g-2A", "2A", "Bonfires", "(1) No fire is lit. (2) The council may allow one.", "", ""),
        ("g-3", "3", "Animals", "Hens may be kept.", "", ""),
        ("g-4", "4", "", "[Repealed by the Pier Act 2019.]", "2016-01-01", ""),
        ("g-6", "6", "", "No person shall light a fire. However, a barbecue is allowed, unless it is dry.", "", ""),
        ("g-5", "5", "", "A permit lapses if it is repealed or not used.", "2016-01-01", ""),
    )
    keys = ("docno", "article", "heading", "text", "effective_from", "effective_to")
    lines = [
        {"law": "Garden Act 2015", **{key: one for key, one in zip(keys, row, strict=True) if one}} for row in rows
    ]
    text = "\n".join(json.dumps({"text": "", **line}) for line in lines)
    (folder / "corpus.jsonl").write_text(text + "\n", "utf-8")
    (folder / "dataset.yaml").write_text("lang: en\n", "utf-8")
    (folder / "origin.jsonl").write_text('{"docno": "g-2", "repealed": true}\n', "utf-8")
    collection = Collection(folder)
    day = "Section 1 of the Garden Act 2015, as in force on 1 March 2018, says “a fine is not more than 200 crowns”."
    found = states(collection, f"{day.replace('a fine', 'The fine')} Today section 1 of the Garden Act 2015 is other.")
    assert [state for _, state in found] == ["right", "right"]
    days = [one.day for one in collection.verify(f"{day} Today section 1 of the Garden Act 2015 is other.").citations]
    assert days[0] == "2018-03-01" != days[1]
    for cited, state in (
        ("Section 2 of the Garden Act 2015", "repealed"),
        ("Section 4 of the Garden Act 2015", "repealed"),
        ("Section 5 of the Garden Act 2015", "right"),
        ("Section 2A (Animals) of the Garden Act 2015", "title differs"),
        ("Section 2A(1) (Animals) of the Garden Act 2015", "title differs"),
        ("Section 2A(1) (Bonfires) of the Garden Act 2015", "right"),
        ("Section 2A (Bonfires by guests) of the Garden Act 2015", "title differs"),
        ("Section 2A (Bonfires of the council) of the Garden Act 2015", "right"),
        ("Section 6 (Animals) of the Garden Act 2015", "title differs"),
        ("Section 6 (Picnics) of the Garden Act 2015", "right"),
    ):
        one = collection.verify(f"{cited}.").citations[0]
        assert one.state == state, one
    for quoted, reason in (
        ("person shall light a fire", "has “No” before the words quoted. The provision goes on: “However, a barbecue"),
        ("No person shall light a fire", "The provision goes on: “However, a barbecue is allowed"),
        ("No person shall light a fire …", ""),
        ("However, a barbecue is allowed, unless it is dry", ""),
        ("a barbecue is allowed", "The provision goes on: “unless it is dry”."),
    ):
        one = collection.verify(f"Section 6 of the Garden Act 2015 says: “{quoted}”.").citations[0]
        assert one.state == "right" and reason in one.reason and bool(reason) is bool(one.reason), one


def test_paragraphs_of_schedules_that_are_provisions_of_their_own(tmp_path: Path) -> None:
    quoted = "The applicant swims well in cold seas."
    parts = {"annex-1/1": "The form is signed.", "annex-2/1": quoted, "annex-2/2": "She is 21."}
    parts |= {"annex-4": "The oath of a pilot\nat sea", "annex-4/1": "I know the tides.", "annex-4/2": "I am sober."}
    parts |= {"annex-5": "Fees\n1 The fee is 10 pounds.\n2 (1) It is paid each year.\n(2) It is paid in May."}
    rows = [
        {"docno": f"p-{article}", "law": "Pilot Act 2014", "article": article, "text": text}
        for article, text in {"1": "A licence is granted as Schedule 2 says.", **parts}.items()
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    (tmp_path / "dataset.yaml").write_text("lang: en\n", "utf-8")
    collection = Collection(tmp_path)
    for text, state, docnos in (
        ("Paragraph 2 of Schedule 2 to the Pilot Act 2014", "right", ("p-annex-2/2",)),
        ("Schedule 2, paragraph 1, of the Pilot Act 2014", "right", ("p-annex-2/1",)),
        ("Paragraph 3 of Schedule 2 to the Pilot Act 2014", "no such provision", ()),
        ("Sch 2 para 2 to the Pilot Act 2014", "right", ("p-annex-2/2",)),
        ("Sch 2 para 3 to the Pilot Act 2014", "no such provision", ()),
        ("Paragraph 3 of Schedule 4 to the Pilot Act 2014", "no such provision", ()),
        ("Paragraph 2 of Schedule 5 to the Pilot Act 2014", "right", ("p-annex-5",)),
        ("Sch 5 para 9 to the Pilot Act 2014", "no such provision", ()),
        ("Schedule 3 to the Pilot Act 2014", "no such provision", ()),
        ("The Schedule to the Pilot Act 2014", "could not check", ()),
        (f"Schedule 2 to the Pilot Act 2014 says “{quoted}”", "right", ("p-annex-2/1", "p-annex-2/2")),
        (f"Paragraph 2 of Schedule 2 to the Pilot Act 2014 says “{quoted}”", "wording differs", None),
    ):
        one = collection.verify(f"{text}.").citations[0]
        assert one.state == state and (docnos is None or one.docnos == docnos), one


def test_a_repealed_range_beside_an_article_with_a_dash(tmp_path: Path) -> None:
    rows = [("4", "Le tarif est de 20 euros."), ("4-1", "Le tarif est réduit."), ("7-9", ""), ("10", "Il agit.")]
    records = [{"docno": f"p-{n}", "law": "Loi sur les ports", "article": n, "text": words} for n, words in rows]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    (tmp_path / "origin.jsonl").write_text(json.dumps({"docno": "p-7-9", "repealed": True}) + "\n", encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "fr"}), encoding="utf-8")
    text = "L'article 8 et l'article 5 de la loi sur les ports. L'article 4 du contrat ; Article 10 du contrat."
    found = Collection(tmp_path).verify(text).citations
    assert [one.state for one in found] == ["repealed", "no such provision"]  # And a contract is no law.


def test_a_provision_of_an_annex_is_not_the_article_of_its_number(tmp_path: Path) -> None:
    rows = [
        ("2", "Im Sinne dieses Gesetzes ist\n1. Hafen der Ort,\n2. Schiff jedes Boot."),
        ("annex/Teil-B/2", "Boote ab einer Menge von 50 Kilo"),
    ]
    records = [{"docno": f"h-{n}", "law": "Hafengesetz", "article": n, "text": words} for n, words in rows]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "de"}), encoding="utf-8")
    collection = Collection(tmp_path)
    (one,) = collection.verify("§ 2 Nr. 2 Hafengesetz: „Boote ab einer Menge von 50 Kilo“").citations
    assert (one.state, one.docnos) == ("wording differs", ("h-2",))


def test_sections_joined_by_a_short_word_in_capitals_share_a_quotation(tmp_path: Path) -> None:
    text = "(1) Die Gebühr beträgt 20 Euro.\n(2) Sie ist binnen 14 Tagen nach dem Bescheid zu zahlen."
    row = {"docno": "h-3", "law": "Hafengesetz", "article": "3", "text": text}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "de"}), encoding="utf-8")
    words = "Nach § 3 Abs. 2 i.V.m. Abs. 1 Hafengesetz gilt „binnen 14 Tagen nach dem Bescheid zu zahlen“."
    assert [one.state for one in Collection(tmp_path).verify(words).citations] == ["right", "right"]


@pytest.mark.parametrize(
    ("lang", "law", "texts", "others"),
    [
        ("de", "Hafengesetz (HfG)", (
            "§ 4 HfG a.F.", "§ 4 HfG aF", "§ 4 a. F. HfG", "§ 4 des alten Hafengesetzes",
            "§ 4 HfG in der Fassung vor 2010",
            "§ 4 HfG in der bis Ende 2009 geltenden Fassung", "den früheren § 4 HfG", "§§ 4, 4 HfG a.F.",
            "§ 9 HfG a.F.",  # It may have had one.
        ), (
            "§ 4 HfG n.F.", "§ 4 HfG in der geltenden Fassung", "§ 4 HfG in der bis heute geltenden Fassung",
            "§ 4 HfG. In der Fassung vor 2010 war es anders.", "Der alte Hafen fällt unter § 4 HfG.",
        )),
        ("en", "Harbour Act 1998", (
            "section 4 of the Harbour Act 1998 as originally enacted", "the former section 4 of the Harbour Act 1998",
            "section 4 of the Harbour Act 1998, as it stood before 2010,", "Section 4 of the old Harbour Act 1998",
            "the former sections 4 and 4 of the Harbour Act 1998",
        ), (
            "section 4 of the Harbour Act 1998 as amended", "Parliament may alter section 4 of the Harbour Act 1998",
            "section 4 of the Harbour Act 1998, as enacted by the Ports Act 2010, protects the former owner",
        )),
        ("fr", "Code des ports", (
            "l'ancien article 4 du code des ports", "l'article 4 ancien du code des ports",
            "l'article 4 du code des ports, dans sa rédaction antérieure à la réforme",
        ), ("l'article 4 du code des ports, ancien marin", "les anciens marins de l'article 4 du code des ports")),
        ("ko", "항만안전법", ("구 항만안전법 제4조", "개정 전 항만안전법 제4조"), ("중구 항만안전법 제4조",)),
    ],
)  # fmt: skip
def test_an_older_wording_is_not_checked_against_that_of_today(
    tmp_path: Path, lang: str, law: str, texts: tuple[str, ...], others: tuple[str, ...]
) -> None:
    row = {"docno": "h-4", "law": law, "article": "4", "text": "3 3 3."}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": lang}), encoding="utf-8")
    collection = Collection(tmp_path)
    for text in texts:
        found = collection.verify(text).citations
        assert not any(one.docnos for one in found) and "It cites an older wording" in found[0].reason, text
    for text in others:
        assert collection.verify(text).citations[0].state == "right", text
    typed = collection.find("§ 4 HfG a.F.") if lang == "de" else None
    assert typed is None or (typed.state, typed.shows) == ("could not check", "h-4")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Regulation 3 of the Harbour Act 1998", "no such provision"),
        ("reg 3 of the Harbour Act 1998", "no such provision"),
        ("Harbour Act 1998, rule 3", "no such provision"),
        ("cl 3 of the Harbour Act 1998", "no such provision"),
        ("clause 3 of the Harbour Act 1998", "could not check"),  # It may be one of a contract.
        ("s 3 of the Harbour Act 1998", "right"),
        ("section 3 of the Harbour Act 1998", "right"),
        ("rule 3 of the Boat Rules 2001", "right"),
        ("r 3, Boat Rules 2001", "right"),
    ],
)
def test_an_act_has_no_rules(tmp_path: Path, text: str, state: str) -> None:
    laws = [("Harbour Act 1998", "a"), ("Boat Rules 2001", "b")]
    rows = [{"docno": f"{key}-3", "law": law, "article": "3", "text": "A fee."} for law, key in laws]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "en"}), encoding="utf-8")
    collection = Collection(tmp_path)
    assert collection.verify(text).citations[0].state == state
    typed = collection.find(text)
    assert typed is not None and (typed.state == "right") == (state == "right")
    assert (len(collection.search(text, "lookup")) == 1) == (state == "right")


@pytest.mark.parametrize(
    ("text", "law", "own", "state"),
    [
        ("§ 8 HfG Hessen gilt.", "Hafengesetz (HfG)", "", "could not check"),
        ("NRW, § 8 HfG", "Hafengesetz (HfG)", "", "could not check"),
        ("§ 8 Hafengesetz (Bayern)", "Hafengesetz (HfG)", "", "could not check"),
        ("§ 8 HfG Hessen gilt.", "Hafengesetz (HfG)", " im Land Hessen", "right"),
        ("§ 8 HfG Hessen gilt.", "Hessisches Hafengesetz (HfG)", "", "right"),
        ("In Hessen gilt § 8 HfG.", "Hafengesetz (HfG)", "", "right"),
        ("§ 8 HfG, Hessen zahlt.", "Hafengesetz (HfG)", "", "right"),
        ("§ 8 HfG. Hessen zahlt.", "Hafengesetz (HfG)", "", "right"),
        ("section 8 of the Harbour Act 1998 (NSW)", "Harbour Act 1998", "", "could not check"),
        ("s 8 Harbour Act 1998 (NSW)", "Harbour Act 1998", " of New South Wales", "right"),
        ("section 8 of the Harbour Act 1998 (Fees)", "Harbour Act 1998", "", "right"),
    ],
)
def test_a_law_of_another_state(tmp_path: Path, text: str, law: str, own: str, state: str) -> None:
    row = {"docno": "h-8", "law": law, "article": "8", "text": f"3 3{own}."}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "de" if "§" in text else "en"}), encoding="utf-8")
    assert Collection(tmp_path).verify(text).citations[0].state == state


@pytest.mark.parametrize(
    ("lang", "law", "text", "others", "own"),
    [
        ("en", "Harbour Act", "Valid for three years.", ("four years", "within four years", "4 years"), "three years"),
        ("de", "Hafengesetz", "Sie gilt drei Jahre.", ("vier Jahre", "in achtzehn Jahren"), "in drei Jahren"),
        ("fr", "Code des ports", "Elle dure trois ans.", ("dans un délai de quatre ans", "treize ans"), "trois ans"),
        ("es", "Ley de puertos", "Dura tres años.", ("cuatro años", "trece años"), "tres años"),
        ("it", "Legge sui porti", "Vale tre anni.", ("quattro anni", "undici anni"), "tre anni"),
        ("pt", "Lei dos portos", "Vale três anos.", ("quatro anos", "dezoito anos"), "três anos"),
        ("nl", "Havenwet", "Zij geldt drie maanden.", ("vier maanden", "twaalf maanden"), "drie maanden"),
    ],
)  # fmt: skip
def test_amounts_in_words(tmp_path: Path, lang: str, law: str, text: str, others: tuple[str, ...], own: str) -> None:
    row = {"docno": "h-4", "law": law, "article": "4", "text": text}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": lang}), encoding="utf-8")
    collection = Collection(tmp_path)
    sign = "§" if lang == "de" else "Art." if lang != "en" else "section"
    said = {
        words: collection.verify(f"{law}, {sign} 4: “{words}”").citations[0].state for words in (*others, own, "a term")
    }
    assert said == {**dict.fromkeys(others, "wording differs"), own: "right", "a term": "right"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Mietvertrag\n\n§ 1 Gegenstand\nEin Boot.\n\n§ 2 Haftung\nEs gilt § 1. Siehe § 4 HfG.\n", ["§ 4 HfG"]),
        ("CONTRAT\n\nArticle 1 – Objet\nUn bateau.\n\nArticle 2 – Durée\nVoir article 1.\n", []),
        ("LEASE\n\nSection 1\n\nThe berth.\n\nSection 2\n\nSee section 1.\n", []),
        ("Mietvertrag\n\n§ 1 HfG Gegenstand\nBoot.\n\n§ 2 HfG Haftung\n", ["§ 1 HfG", "§ 2 HfG"]),
        ("Gutachten\n\n§ 1 Gegenstand\nEin Boot.\n\n§ 2 Haftung\nEs haftet A.\n", ["§ 1", "§ 2"]),
        ("Der Vertrag verletzt\n§ 1.\nEr verletzt\n§ 2.\n", ["§ 1", "§ 2"]),
        ("Zum Vertrag: § 1 und § 2 gelten.", ["§ 1", "§ 2"]),
    ],
)
def test_headings_of_a_contract_are_no_citations(tmp_path: Path, text: str, words: list[str]) -> None:
    rows = [{"docno": f"h-{n}", "law": "Hafengesetz (HfG)", "article": str(n), "text": "3"} for n in (1, 2, 4)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": "de"}), encoding="utf-8")
    lang = "de" if "§" in text else "fr" if "CONTRAT" in text else "en"
    assert [one.words for one in Collection(tmp_path).verify(text, lang=lang).citations] == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Subject: section 3 of ACT\n\n> Section 2 of ACT is about lights, which every master knows.\n", "right right"),
        ("On Monday A wrote:\n> See section 2 of ACT.\n>> We saw section 3 of\n>> ACT before.\n", "right right"),
        ("> See section 2 of the\n> Harbour Act 1998 about lights.\n", "right"),
        ("Betreff: section 9 of ACT\n\n> The fee is ten crowns a day at most.\n", "no such provision"),
        ("Section 2 of ACT says:\n\n> The master of a boat must show three white lights.\n", "wording differs"),
        ("Section 2 of ACT says:\n> The master of a boat must show two\n> white lights at night.\n", "right"),
    ],
)
def test_marks_of_replies(tmp_path: Path, text: str, expected: str) -> None:
    collection = Collection(folder_of(tmp_path / "harbour"))
    found = collection.verify(text.replace("ACT", "the Harbour Act 1998"), lang="en").citations
    assert " ".join(one.state for one in found) == expected


@pytest.mark.parametrize(
    ("lang", "laws", "text", "state"),
    [
        ("fr", ["Loi n° 2016-41 du 8 avril 2016 sur le port"], "article 4 de la loi du 8 avril 2016", "name unclear"),
        ("de", ["Hafengesetz vom 8. April 2016"], "§ 4 des Gesetzes vom 8. April 2016", "name unclear"),
        ("nl", ["Wet van 8 april 2016 op havens"], "artikel 4 van de wet van 8 april 2016", "name unclear"),
        ("it", ["Legge 8 aprile 2016, n. 41"], "art. 4 della legge 8 aprile 2016", "name unclear"),
        ("it", ["Legge 8 aprile 2016, n. 41"], "art. 4 della legge 8 aprile 2016, n. 99", "name unclear"),
        ("fr", ["Loi n° 2016-41 du 8 avril 2016"], "l'article 4 de la loi du 9 avril 2016", "outside this collection"),
        ("fr", ["Loi n° 2016-41 du 8 avril 2016"], "l'article 4 du décret du 8 avril 2016", "outside this collection"),
        ("fr", ["Loi n° 2016-41 du 8 avril 2016", "Loi n° 2016-42 du 8 avril 2016"],
         "l'article 4 de la loi du 8 avril 2016", "name unclear"),
    ],
)  # fmt: skip
def test_a_law_named_by_its_day(tmp_path: Path, lang: str, laws: list[str], text: str, state: str) -> None:
    rows = [{"docno": f"l{n}-4", "law": law, "article": "4", "text": "3"} for n, law in enumerate([*laws, "Havne"])]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "dataset.yaml").write_text(json.dumps({"lang": lang}), encoding="utf-8")
    one = Collection(tmp_path).verify(text, lang=lang).citations[0]
    assert (one.state, one.nearest) == (state, tuple(laws) if state == "name unclear" else ())
