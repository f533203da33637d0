"""References resolved by the target's own list of units."""

from __future__ import annotations

import pytest

from legalir.references.read import Place, read
from legalir.references.resolve import Address, LawEntry, Resolver


def law(law_id: str, title: str, *paths: str, names: tuple[str, ...] = ()) -> LawEntry:
    addresses = [Address(tuple(path.split("/")), "", f"{law_id}-{path.split('/')[0]}", "article") for path in paths]
    return LawEntry(law_id, title, names, "kr", "ko", "act", addresses)


ACT = law("act", "등대의 설치 및 관리에 관한 법률", "1", "2", "2/1", "2/1/3", "3", "3의2", "4", "5", names=("등대법",))
DECREE = law("decree", "등대의 설치 및 관리에 관한 법률 시행령", "1", "annex 4", "annex 4/1", "annex 4의2")
STANDARD = law("standard", "등탑의 화재안전기술기준(NFTC 901A)", "2.18", "2.19")
RESOLVER = Resolver([ACT, DECREE, STANDARD])


def resolved(text: str, law_id: str = "act", article: str = "4") -> list[tuple[str, tuple[str, ...]]]:
    title = {"act": ACT.title, "decree": DECREE.title}[law_id]
    found = RESOLVER.resolve(read(text, "ko", Place(title, article)), law_id, (article,))
    return [(one.state, one.docnos) for one in found]


def test_states() -> None:
    assert resolved("제3조") == [("resolved", ("act-3",))]
    assert resolved("「선박법」 제3조") == [("not in collection", ())]
    assert resolved("제99조") == [("not in collection", ())]
    assert resolved("「등대법」에 따라") == [("whole law", ())]
    assert resolved("제2조제1항제3호, 제2조제9항") == [("resolved", ("act-2",))] * 2


def test_the_article_before_is_the_one_in_the_list() -> None:
    assert resolved("전조제1항") == [("resolved", ("act-3의2",))]
    assert resolved("다음 조", article="3") == [("resolved", ("act-3의2",))]
    assert resolved("전조", article="1") == [("not in collection", ())]


def test_a_range_is_what_the_law_has_between_its_ends() -> None:
    assert resolved("제2조부터 제4조까지") == [("resolved", ("act-2",)), ("resolved", ("act-3", "act-3의2", "act-4"))]


def test_names_of_the_family_codes_and_abbreviations() -> None:
    assert resolved("법 제3조", "decree", "1") == [("resolved", ("act-3",))]
    assert resolved("「등대법 시행령」 별표 4 제1호가목") == [("resolved", ("decree-annex 4",))]
    assert resolved("「등대설치법」 제3조") == [("resolved", ("act-3",))]
    assert resolved("NFTC 901A 2.18.1.1") == [("resolved", ("standard-2.18",))]
    assert resolved("「등탑의 화재안전기술기준」(NFTC 901A) 2.19") == [("resolved", ("standard-2.19",))]
    assert resolved("「등탑기준(NFTC 901A)」 2.19") == [("resolved", ("standard-2.19",))]


@pytest.mark.parametrize(
    ("annexes", "found"),
    [(["annex"], "annex"), (["annex 1"], "annex 1"), (["annex 1", "annex 2"], ""), (["annex 4", "annex 4の2"], "")],
)
def test_an_annex_without_a_number_is_the_only_one(annexes: list[str], found: str) -> None:
    entry = law("a", "灯台法", "1", "2", *annexes)
    references = read("灯台は、別表により点検する。", "ja", Place("灯台法", "1"))
    (one,) = Resolver([entry]).resolve(references, "a", ("1",))
    assert one.docnos == ((f"a-{found}",) if found else ())


def test_a_number_in_an_annex_is_one_of_the_same_section() -> None:
    paths = ("annex 2", "annex 2/2/1", "annex 2/3/1", "annex 2/3/5.1", "annex 2/3/5.2")
    entry = LawEntry("a", "HV", addresses=[Address(tuple(path.split("/")), "", path, "article") for path in paths])
    text = "Zu prüfen ist nach den Nummern 1 und 5.2, nach Nummer 9 und nach Anhang 2."
    found = read(text, "de", Place("HV", item="5.1", annex="2"))
    resolved = Resolver([entry]).resolve(found, "a", ("annex 2", "3", "5.1"))
    assert [one.docnos for one in resolved] == [("annex 2/3/1",), ("annex 2/3/5.2",), ("annex 2",), ("annex 2",)]
    found = read("Es gelten die Nummern 1 und 5.2 des Anhangs 2.", "de", Place("HV", item="5.1", annex="2"))
    resolved = Resolver([entry]).resolve(found, "a", ("annex 2", "3", "5.1"))
    assert [one.docnos for one in resolved] == [("annex 2",), ("annex 2",)]


def test_two_laws_of_one_name() -> None:
    twice = Resolver([law("a", "부두법", "3"), law("b", "부두법", "3", "4"), ACT])
    assert [one.state for one in twice.resolve(read("「부두법」 제3조", "ko"), "act")] == ["ambiguous"]
    (one,) = twice.resolve(read("「부두법」 제4조", "ko"), "act")
    assert (one.state, one.docnos, one.law_id) == ("resolved", ("b-4",), "b")


@pytest.mark.parametrize(
    ("lang", "names", "citing", "foreign"),
    [
        ("ko", ("등대법", "등대법 시행령"), "법 제3조에서 정한 등은 제2조의 등이다.", "「선박법」 제3조"),
        ("ja", ("灯台法", "灯台法施行令"), "法第三条の灯は、第二条の灯とする。", "船舶法第三条"),
        (
            "en",
            ("Lights Act 1999", "Lights Regulations"),
            "Section 3 of the Lights Act 1999, and section 2",
            "section 9",
        ),
    ],
)
def test_the_provisions_that_a_decree_cites_back(lang: str, names: tuple[str, str], citing: str, foreign: str) -> None:
    """Article 1 of the decree cites article 3 of the act and its own article 2; article 2 cites what is not there."""
    act, decree = (
        law(each, name, "1", "2", "3")._replace(lang=lang) for each, name in zip(("act", "decree"), names, strict=True)
    )
    resolver = Resolver([act, decree])
    found = {
        f"decree-{article}": resolver.resolve(read(text, lang, Place(names[1], article)), "decree", (article,))
        for article, text in (("1", citing), ("2", foreign))
    }
    cited = {
        docno: [each for one in references if one.state == "resolved" for each in one.docnos]
        for docno, references in found.items()
    }
    assert cited == {"decree-1": ["act-3", "decree-2"], "decree-2": []}


def test_supplements() -> None:
    """Article 2 of a supplement is not article 2 of the law; without the number of the act it may be any of them."""
    twice = law("a", "등대법", "1", "2", "supp 12/1", "supp 12/2", "supp 15/1", "supp 15/3")
    resolver = Resolver([twice, law("b", "부두법", "2", "supp 9/2")])

    def found(text: str, place: Place = Place("등대법", "1"), path: tuple[str, ...] = ("1",)) -> list[tuple[str, int]]:  # noqa: B008
        return [(one.state, len(one.docnos)) for one in resolver.resolve(read(text, "ko", place), "a", path)]

    assert found("부칙 제1조") == [("ambiguous", 2)]
    assert found("부칙 <제15호> 제1조, 「부두법」 부칙 제2조") == [("resolved", 1)] * 2
    assert found("부칙 제2조, 부칙 <제16호> 제1조, 부칙 제9조") == [
        ("resolved", 1),
        ("not in collection", 0),
        ("not in collection", 0),
    ]
    inside = Place("등대법", "3", supplement="supp 15")
    assert found("전조와 부칙 제3조의 배는 제2조의 배이며 부칙 제2조", inside, ("supp 15", "3")) == [
        ("resolved", 1),
        ("resolved", 1),
        ("resolved", 1),
        ("not in collection", 0),
    ]
    (before,) = resolver.resolve(read("전조", "ko", inside), "a", ("supp 15", "3"))
    assert before.reference.article == "1"


def test_parts_in_brackets_do_not_open_a_range() -> None:
    act = law("a", "부두법", "2", "2/1", "2/1/3", "2/2", "2/3", "4")
    resolver = Resolver([act, ACT])
    text = "「부두법」 제2조제1항(제3호는 제외한다)부터 제3항까지"
    assert [one.state for one in resolver.resolve(read(text, "ko"), "act")] == ["resolved"] * 3


@pytest.mark.parametrize("dot", "ㆍ·‧・･")
def test_all_middle_dots_are_one(dot: str) -> None:
    resolver = Resolver([law("a", "등대의 설치ㆍ관리에 관한 법률", "3"), ACT])
    for text in (f"「등대의 설치{dot}관리에 관한 법률」 제3조", f"등대의 설치{dot}관리에 관한 법률 제3조"):
        (one,) = resolver.resolve(read(text, "ko"), "act")
        assert one.law_id == "a"


def test_words_before_a_name_without_quotes_are_left_out() -> None:
    resolver = Resolver([law("a", "부두 운영법", "3"), law("b", "운영법", "3"), ACT])
    for text, law_id in (
        ("당해 부두 운영법 제3조", "a"),
        ("나루 사건 부두 운영법 제3조", "a"),
        ("사건 운영법 제3조", "b"),
    ):
        (one,) = resolver.resolve(read(text, "ko"), "act")
        assert one.law_id == law_id
    assert [one.state for one in resolver.resolve(read("「나루 운영법」 제3조", "ko"), "act")] == ["not in collection"]


def test_numbers_of_taiwan() -> None:
    (one,) = Resolver([law("a", "燈塔法", "15-1")]).resolve(read("第十五條之一", "zh", Place("燈塔法")), "a")
    assert one.docnos == ("a-15-1",)


def test_sections_of_chapters_that_begin_again() -> None:
    """In such a law a section without its chapter is one of the own chapter; other laws do not need the chapter."""
    paths = ("kapitel 1/1", "kapitel 1/2", "kapitel 2/1", "kapitel 2/2", "kapitel 2a/1")
    act = law("a", "Hamnbalk (2001:5)")._replace(
        addresses=[Address((*path.split("/"),), "", path, "article") for path in paths]
    )
    resolver = Resolver([act, law("b", "Kajlag (2002:6)", "1", "2")])
    text = "2 kap. 1 och 2 §§, 2 a kap. 1 §. I 1 § och 9 kap. 1 §. 2 kap. 2 § kajlagen (2002:6) och 1 § lagen (2002:6)"
    found = resolver.resolve(read(text, "sv", Place(act.title, "1")), "a", ("kapitel 1", "1"))
    assert [*map(" ".join, (one.docnos for one in found))] == [*paths[2:], paths[0], "", "b-2", "b-1"]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("under section 1 of article I", "1/1"),
        ("Article I, section 2, and sections 1 and 2 of article II", "1/2 2/1 2/2"),
        ("under article 1, section 2, and section 1 of article 2", "1/2 2/1"),
        ("article 2 and section 1 of this article", "3/1"),
        ("section 9 of article I", ""),
    ],
)
def test_sections_of_articles_of_a_constitution(text: str, cited: str) -> None:
    paths = [f"article {article}/{section}" for article in (1, 2, 3) for section in (1, 2)]
    act = law("a", "Constitution of Reef")._replace(
        addresses=[Address((*path.split("/"),), "", path, "article") for path in paths]
    )
    found = Resolver([act]).resolve(read(text, "en", Place(act.title, "2")), "a", ("article 3", "2"))
    assert " ".join(docno.removeprefix("article ") for one in found for docno in one.docnos) == cited
    units = [(path, path.count("/")) for path in ("1", "1/1", "1/2", "2", "2/1", "2/2", "3", "3/1", "3/2")]
    whole = act._replace(
        addresses=[Address((*path.split("/"),), "", path, "paragraph" if deep else "article") for path, deep in units]
    )
    text = "section 2 of article I. Section 1 of article 2. Article 1, 2 and 3, article 1, articles 2 and 3"
    found = Resolver([whole]).resolve(read(text, "en", Place(act.title, "3")), "a", ("3", "2"))
    assert [one.docnos[0] for one in found] == ["1/2", "2/1", "2", *"123", *"123"]  # Sections are no provisions.
    plain = Resolver([law("b", "Reef Act", "1", "2")])
    one = plain.resolve(read("section 1 of article 2", "en", Place("Reef Act", "2")), "b", ("2",))
    assert [each.docnos for each in one] == [("b-1",), ("b-2",)]


def test_articles_of_a_last_title_that_begin_again() -> None:
    paths = ("1", "2", "title Schlusstitel/1", "title Schlusstitel/2")
    act = law("a", "Hafengesetz")._replace(
        addresses=[Address((*path.split("/"),), "", path, "article") for path in paths]
    )
    text = "Es gilt Artikel 2 des Schlusstitels.\nNach Artikel 1 gilt er.\nEs gilt Artikel 9 des Schlusstitels."
    references = read(text, "de", Place(act.title, "1"))
    found = [" ".join(one.docnos) for one in Resolver([act]).resolve(references, "a", ("2",))]
    assert found == [paths[3], "1", ""]
    inside = Resolver([act]).resolve(references, "a", ("title Schlusstitel", "1"))
    assert [" ".join(one.docnos) for one in inside] == [paths[3], paths[2], ""]
    plain = Resolver([law("a", "Hafengesetz", "1", "2", "9")]).resolve(references, "a", ("2",))
    assert [" ".join(one.docnos) for one in plain] == ["a-2", "a-1", "a-9"]  # Its numbers go on.


def test_an_article_whose_law_is_likely_is_not_certain() -> None:
    act = law("a", "Ferry Act 2001", "3", "5", "6", "7")
    text = "We rely on section 3 of the Ferry Act 2001. Sections 5 to 7 are not in point."
    found = Resolver([act]).resolve(read(text, "en"), "")
    assert [one.state for one in found] == ["resolved", "ambiguous", "ambiguous"]
    assert [one.docnos for one in found] == [("a-3",), ("a-5",), ("a-6", "a-7")]
    text = "The claim is under the Ferry Act 2001. The tribunal was right on section 5, not on the GmbH or section 6."
    found = Resolver([act]).resolve(read(text, "en"), "")
    assert [(one.state, one.docnos) for one in found[-2:]] == [("ambiguous", ("a-5",)), ("ambiguous", ("a-6",))]
