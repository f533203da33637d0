"""The laws that a text names, and the law of each reference."""

from __future__ import annotations

import pytest

from legalir.references.grammar import read_references
from legalir.references.law_names import LawNames, abbreviates, compact

LAWS = (
    "등대법",
    "등대법 시행령",
    "등대ㆍ부표 설치 및 관리에 관한 법률",
    "선박법",
    "Ferry Safety Rules (FSR)",
    "Harbour Dues and Tolls Regulations 2015",
    "灯塔法",
    "船法",
    "Luật Cư trú",
    "พระราชบัญญัติแพ พ.ศ. 2543",
    "Funds_VER08.040723",
    "",
    "…",
)
NAMES = LawNames(LAWS)


def found(text: str) -> list[list[str]]:
    return [[LAWS[law] for law in mention.laws] for mention in NAMES.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("등대법에 따라", ["등대법"]),
        ("「등대법시행령」과 등대법", ["등대법 시행령", "등대법"]),
        ("신등대법과 「모든 등대법」", []),
        ("the FERRY  SAFETY\nRULES", ["Ferry Safety Rules (FSR)"]),
        ("ferry safety rulesets", []),
        ("Harbour Dues and Tolls Regulations", ["Harbour Dues and Tolls Regulations 2015"]),
        ("违反灯塔法和《中华人民共和国灯塔法》", ["灯塔法", "灯塔法"]),
        ("《大灯塔法》", []),
        ("luật cư trú năm 2020", ["Luật Cư trú"]),
        ("ตามพระราชบัญญัติแพและ", ["พระราชบัญญัติแพ พ.ศ. 2543"]),
        ("Funds pay dues", []),
        ("선박", []),
        ("등대법시", ["등대법"]),
        ("", []),
    ],
)
def test_find(text: str, expected: list[str]) -> None:
    assert found(text) == [[name] for name in expected]


def test_of_equal_names_both_are_meant() -> None:
    assert LawNames(["Ferry Rules 2015", "Ferry Rules 2020"]).find("ferry rules")[0].laws == (0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Directly before it, with one letter between, in quotes.
        ("등대법 제3조", ["등대법"]),
        ("등대법의 제3조", ["등대법"]),
        ("「등대법 시행령」(제3조)", ["등대법 시행령"]),
        ("根据灯塔法的第三条", ["灯塔法"]),
        # By an abbreviation of its words, or of letters.
        ("등대설치법 제3조", ["등대ㆍ부표 설치 및 관리에 관한 법률"]),
        ("FSR Rule 3", ["Ferry Safety Rules (FSR)"]),
        ("HDTR rule 3", ["Harbour Dues and Tolls Regulations 2015"]),
        ("section 3 of HDTR", ["Harbour Dues and Tolls Regulations 2015"]),
        ("IT rule 3", [None]),
        # After it, with or without words that introduce it.
        ("Article 3(2) of the Ferry Safety Rules", ["Ferry Safety Rules (FSR)"]),
        ("Điều 3 Luật Cư trú", ["Luật Cư trú"]),
        ("มาตรา 3 วรรคสอง แห่งพระราชบัญญัติแพ", ["พระราชบัญญัติแพ พ.ศ. 2543"]),
        # A law that is not in the collection.
        ("낚시법 제3조", []),
        ("등대법 시행규칙 제3조", []),
        ("민법 제3조", []),
        ("section 3 of the Fishing Act", []),
        # Named before, or only after.
        ("등대법에 따르면 배는 제3조를", ["등대법"]),
        ("제3조에 대해 묻는다. 등대법과 선박법", ["등대법"]),
        ("등대법과 선박법이 있다. 같은 법 제3조", ["선박법"]),
        ("선박법 등. 영 제3조, 규칙 제4조", ["선박법", "선박법"]),
        ("등대법 제3조, 제4조와 선박법 제5조", ["등대법", "등대법", "선박법"]),
        ("낚시법 제3조, 제4조", [[], []]),
        ("section 3 of the Act", [None]),
        ("제3조", [None]),
    ],
)
def test_the_law_of_each_reference(text: str, expected: list[object]) -> None:
    meant = NAMES.of(text, read_references(text))
    if not expected:
        expected = [[]]
    wanted = [one if one is None or isinstance(one, list) else [one] for one in expected]
    assert [None if law is None else [LAWS[number] for number in law.laws] for law in meant] == wanted


def test_the_words_that_name_the_law() -> None:
    for text, words in (
        ("이는 등대 설치법 제3조", "설치법"),
        ("등대설치법 제3조", "등대설치법"),
        ("FSR rule 3", "FSR"),
    ):
        (law,) = NAMES.of(text, read_references(text))
        assert law is not None
        assert text[law.start : law.end] == words


@pytest.mark.parametrize(
    ("short", "name", "expected"),
    [
        ("등대설치법", "등대 설치 및 관리에 관한 법률", True),
        ("등대관리법", "등대 설치 및 관리에 관한 법률", True),
        ("등대재난관리법", "등대 및 복합건축물 재난관리에 관한 특별법", True),
        ("등대법", "등대공사업법 시행령", False),
        ("대설치법", "등대 설치 및 관리에 관한 법률", False),
        ("등대설치", "등대 설치 및 관리에 관한 법률", False),
        ("등대법령", "등대 설치 및 관리에 관한 법률", False),
        ("등대", "등대 설치", False),
        ("hdtr", "Harbour Dues and Tolls Regulations", True),
        ("kuhperdata", "Kitab Undang-undang Hukum Perdata", True),
        ("blds", "Bộ luật Dân sự", True),
    ],
)
def test_abbreviations(short: str, name: str, expected: bool) -> None:
    assert abbreviates(short, [compact(word) for word in name.split()]) == expected


def test_without_laws() -> None:
    text = "상법 제3조"
    assert LawNames([]).find(text) == []
    (law,) = LawNames([]).of(text, read_references(text))
    assert law is not None
    assert law.laws == ()


SHORT = (
    "Codice penale",
    "Codice di procedura penale",
    "Codice del processo amministrativo",
    "Decreto legislativo 165/2001",
    "Legge 7 agosto 1990, n. 241",
    "Testo unico degli enti locali (D.Lgs. 267/2000)",
    "Ley 39/2015, de 1 de octubre, del Procedimiento Administrativo Común",
    "Ley 1/2000, de 7 de enero, de Enjuiciamiento Civil",
    "Bürgerliches Gesetzbuch",
    "StGB",
    "Code du travail",
    "Code de procédure pénale",
    "Loi n° 83-634 du 13 juillet 1983 portant droits et obligations des fonctionnaires",
    "中华人民共和国刑法",
    "Lei nº 8.112, de 11 de dezembro de 1990",
    "Undang-Undang Nomor 13 Tahun 2003",
    "Lamp Act No. 71 of 2008",
)


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("art. 575 c.p.", "Codice penale"),
        ("art. 575 del c. p., comma 1", "Codice penale"),
        ("C.P.P., art. 12", "Codice di procedura penale"),
        ("art. 12 cod. proc. pen.", "Codice di procedura penale"),
        ("art. 31 c.p.a", "Codice del processo amministrativo"),
        ("art. 5 del D.Lgs. n. 165/2001", "Decreto legislativo 165/2001"),
        ("art. 5, d.lgs. 30 marzo 2001, n. 165", "Decreto legislativo 165/2001"),
        ("art. 5 decreto legislativo n. 165 del 30 marzo 2001", "Decreto legislativo 165/2001"),
        ("il dlgs 165/01, all'art. 5", "Decreto legislativo 165/2001"),
        ("art. 3, L. 241/1990", "Legge 7 agosto 1990, n. 241"),
        ("art. 107 d.lgs. 18 agosto 2000, n. 267", "Testo unico degli enti locali (D.Lgs. 267/2000)"),
        ("artículo 21 de la Ley 39/2015", "Ley 39/2015, de 1 de octubre, del Procedimiento Administrativo Común"),
        ("artículo 217 LEC", "Ley 1/2000, de 7 de enero, de Enjuiciamiento Civil"),
        ("§ 823 Abs. 1 BGB", "Bürgerliches Gesetzbuch"),
        ("§ 823 des Bürgerlichen Gesetzbuchs", "Bürgerliches Gesetzbuch"),
        ("§ 242 Strafgesetzbuch", "StGB"),
        ("article L. 1221-1 C. trav.", "Code du travail"),
        ("C. pr. pén., art. 12", "Code de procédure pénale"),
        (
            "article 6 de la loi n° 83-634",
            "Loi n° 83-634 du 13 juillet 1983 portant droits et obligations des fonctionnaires",
        ),
        ("刑法第二百六十四条", "中华人民共和国刑法"),
        ("art. 5 da Lei 8.112/90", "Lei nº 8.112, de 11 de dezembro de 1990"),
        ("Pasal 5 Undang-Undang No. 13 Tahun 2003", "Undang-Undang Nomor 13 Tahun 2003"),
        ("section 5 of Lamp Act 71 of 2008", "Lamp Act No. 71 of 2008"),
        # No law of the collection, or several.
        ("art. 2043 c.c.", None),
        ("art. 5 del D.Lgs. n. 165/2002", None),
        ("art. 5 del D.L. 165/2001", None),
        ("artículo 5 de la Ley 10/1995", None),
        ("§ 3 StVO", None),
    ],
)
def test_short_names_and_numbers(text: str, law: str | None) -> None:
    (mention,) = LawNames(SHORT).of(text, read_references(text))
    assert mention is not None
    assert [SHORT[number] for number in mention.laws] == ([] if law is None else [law])


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("loi n° 83-634 du 13 juillet 1983 portant droits et obligations des fonctionnaires, dite loi Le Pors", 12),
        ("loi n° 83-634 du 13 juillet 1983 relative aux phares", 12),
        ("legge 7 agosto 1990, n. 241, sul procedimento", 4),
        ("decreto legislativo 165/2001 sul lavoro", 3),
        ("loi n° 83-635 du 13 juillet 1983 portant droits et obligations des fonctionnaires", None),
    ],
)
def test_a_number_tells_the_law_whatever_title_follows(name: str, law: int | None) -> None:
    assert LawNames(SHORT).named(name) == (() if law is None else (law,))


@pytest.mark.parametrize(
    "name", ["Directive 1996/9/EC", "Directive 96/9/EC", "Directive 2001/29/EC", "Directive 2004/3"]
)
def test_a_law_that_another_one_changes_is_not_that_law(name: str) -> None:
    title = "Directive (EU) 2019/790 of 17 April 2019 on harbours and amending Directives 96/9/EC and 2001/29/EC"
    names = LawNames([title, "Loi n° 2015-1785 du 29 décembre 2015 de finances pour 2016"])
    assert names.named(name) == ()
    assert names.named("Directive 2019/790") == (0,)
    assert names.named("loi de finances pour 2016") == (1,)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Ley Orgánica 3/2018, de 5 de diciembre, que deroga la Ley Orgánica 15/1999", "Ley Orgánica 15/1999"),
        (
            "Decreto legislativo 3 marzo 2011, n. 28 che modifica il decreto legislativo 18 agosto 2000, n. 267",
            "decreto legislativo n. 267/2000",
        ),
        ("Council Directive 2010/5/EU amending Council Directive 96/9/EC", "Council Directive 96/9/EC"),
    ],
)
def test_a_law_that_a_title_repeals_is_another_one(title: str, name: str) -> None:
    assert LawNames([title]).named(name) == ()


def test_laws_of_the_union_without_their_maker_or_community() -> None:
    titles = ["Council Directive 2000/78/EC of 27 November 2000 on quays", "Directive 95/46/EC on data"]
    names = LawNames([*titles, "Council Regulation (EC) No 44/2001 of 22 December 2000 on piers"])
    for form in ("Directive 2000/78/EC", "Directive 2000/78", "Council Directive 2000/78/EC"):
        assert names.named(form) == (0,)
    assert names.named("Directive 95/46/EC") == names.named("Directive 95/46/EC on data") == (1,)
    assert names.named("Regulation (EC) No 44/2001") == names.named("Regulation 44/2001") == (2,)


def test_a_short_name_of_two_laws_names_none() -> None:
    names = LawNames(["Codice penale", "Ley Orgánica 10/1995, de 23 de noviembre, del Código Penal"])
    for text, laws in (("art. 138 CP", ()), ("art. 138 del Código Penal", (1,)), ("art. 138 LO 10/1995", (1,))):
        (law,) = names.of(text, read_references(text))
        assert law is not None
        assert law.laws == laws


def test_more_shortened_words_are_the_name_of_another_law() -> None:
    text = "art. 5 disp. att. c.p.p."
    assert LawNames(SHORT).of(text, read_references(text)) == [None]


def test_two_names_of_one_law_are_not_ambiguous() -> None:
    names = ("Codice penale", "c.p.", "Decreto legislativo 165/2001", "D.Lgs. 30 marzo 2001, n. 165")
    assert LawNames(names, owners=[0, 0, 1, 1]).named("cod. pen.") == (0, 1)
    assert LawNames(names, owners=[0, 0, 1, 1]).named("d.lgs. 165/2001") == (2, 3)
    assert LawNames(names).named("cod. pen.") == ()


def test_the_number_of_an_article_is_no_law() -> None:
    names = LawNames(["Legge 2016/1", "Code du travail"])
    text = "article L. 2016-1 du code du travail"
    (law,) = names.of(text, read_references(text))
    assert law is not None
    assert law.laws == (1,)


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("Hamnbalk (1970:994)", ("hamnbalk", "hamnbalk (1970:994)")),
        ("Lag (1982:80) om kajer", ("lag (1982:80)", "lag om kajer")),
        ("Satamalaki (624/2006)", ("satamalaki", "laki (624/2006)", "satamalaki (624/2006)")),
        ("Bekendtgørelse af lov om havne", ("lov om havne",)),
        ("Lov om havner mv. (havneloven)", ("havneloven", "lov om havner mv.")),
        ("Sadamaseadus", ("sadamaseadus",)),
    ],
)
def test_a_name_of_one_word_and_a_number_in_brackets(name: str, forms: tuple[str, ...]) -> None:
    laws = LawNames([name, "Kajbalk (1971:80)", "Kailaki (624/2007)"])
    assert [laws.named(form) for form in forms] == [(0,)] * len(forms)
    assert laws.find(f"{forms[0].split()[0]} 5") == [] or " " in forms[0]


def test_a_word_in_brackets_and_the_same_word_name_two_laws() -> None:
    names = ["Lov om havner (havneloven)", "Havneloven – hvl"]
    assert LawNames(names).named("havneloven") == (0, 1)
