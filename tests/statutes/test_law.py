"""A law as spans and units: rendering, and every character accounted for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.references.numbering import number_of
from legalir.statutes.documents import cut
from legalir.statutes.law import CELL, GivenLink, Law, LeftOut, Outline, Unit

TEXT = "Fire Act\nPart 1 General\n§ 1 Aim\nThis  Act\nprotects.\n(1) people\n(2) houses\nmenu\nAnnex A\nhose 20 m\n"


def law(text: str = TEXT) -> Law:
    return Law(text, "Fire Act", "fa", "de", "de")


def unit_of(law: Law, words: str, kind: str = "text") -> tuple[int, int]:
    start = law.text.index(words)
    return start, start + len(words)


def fire_act() -> Law:
    act = law()
    outline = Outline(act)
    part = outline.enter(Unit("group", "part", "1", "Part 1", "General"), 0)
    part.add(*unit_of(act, "Part 1"), "label")
    part.add(*unit_of(act, "General"), "heading")
    article = outline.enter(Unit("article", "§", "1", "§ 1", "Aim", key="s1"), 1)
    article.add(*unit_of(act, "§ 1"), "label")
    article.add(*unit_of(act, "Aim"), "heading")
    article.add(*unit_of(act, "This  Act\nprotects."))
    for number in "12":
        paragraph = outline.enter(Unit("paragraph", "Absatz", number, f"({number})", key=f"s1.{number}"), 2)
        start, end = unit_of(act, f"({number})")
        paragraph.add(start, end, "label")
        paragraph.add(end, act.text.index("\n", end))
        paragraph.links.append(GivenLink(start, end, "", "annex"))
    annex = outline.enter(Unit("annex", "Annex", "A", "Annex A", key="annex"), 0)
    annex.add(*unit_of(act, "Annex A"), "label")
    annex.add(*unit_of(act, "hose"))
    annex.add_break(CELL)
    annex.add(*unit_of(act, "20 m"))
    act.leave_out(*unit_of(act, "Fire Act"), "title")
    return act


def test_a_unit_is_rendered_line_by_line() -> None:
    act = fire_act()
    part, annex = act.root.units
    assert act.render(part.units[0]) == "This Act protects.\n(1) people\n(2) houses"
    assert act.render(part.units[0], own_title=True).startswith("§ 1 Aim This Act")
    assert act.render(annex) == "hose | 20 m"
    assert (
        act.render(part.units[0], without=frozenset({id(part.units[0].units[0])})) == "This Act protects.\n(2) houses"
    )


def test_each_character_is_accounted_for() -> None:
    act = fire_act()
    start, end = unit_of(act, "menu")
    assert act.unread() == [(start, end)]
    act.leave_out(start, end, "menu")
    assert act.unread() == []
    total, inside, left_out = act.counts()
    assert total == sum(not sign.isspace() for sign in TEXT) == inside + left_out.total()
    assert dict(left_out) == {"title": 7, "menu": 4}


@given(st.text(alphabet="ab \n", max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6))
def test_counts_add_up(text: str, spans: list[tuple[int, int]]) -> None:
    act = law(text)
    for place, (first, second) in enumerate(spans):
        start, end = sorted((min(first, len(text)), min(second, len(text))))
        if place % 2:
            act.root.add(start, end)
        else:
            act.leave_out(start, end, f"reason {place % 3}")
    total, inside, left_out = act.counts()
    visible = {place for place, sign in enumerate(text) if not sign.isspace()}
    used = {place for span in act.root.spans() for place in range(span.start, span.end)} & visible
    dropped = {place for each in act.left_out for place in range(each.start, each.end)} & visible - used
    unread = {place for start, end in act.unread() for place in range(start, end)}
    assert (total, inside, left_out.total()) == (len(visible), len(used), len(dropped))
    assert unread == visible - used - dropped


def test_spans_that_touch_are_one() -> None:
    unit = Unit("article")
    unit.add(0, 3)
    unit.add(3, 5)
    unit.add(5, 5)
    unit.add(5, 7, "heading")
    assert [tuple(span) for span in unit.spans()] == [(0, 5, "text"), (5, 7, "heading")]
    act = law()
    act.leave_out(2, 2, "nothing")
    assert act.left_out == [] and LeftOut(0, 1, "x").reason == "x"


def test_documents_of_each_cut() -> None:
    act = fire_act()
    by_article = cut(act)
    assert [(each.docno, each.text) for each in by_article.documents] == [
        ("fa-1", "This Act protects.\n(1) people\n(2) houses"),
        ("fa-annex-A", "hose | 20 m"),
    ]
    assert [each.level for each in by_article.documents[0].above] == ["", "part"]
    assert {address.key: (address.path, address.docno) for address in by_article.addresses if address.key} == {
        "s1": (("1",), "fa-1"),
        "s1.1": (("1", "1"), "fa-1"),
        "s1.2": (("1", "2"), "fa-1"),
        "annex": (("annex A",), "fa-annex-A"),
    }
    by_paragraph = cut(act, "paragraph")
    assert [(each.docno, each.text) for each in by_paragraph.documents] == [
        ("fa-1", "This Act protects."),
        ("fa-1/1", "people"),
        ("fa-1/2", "houses"),
        ("fa-annex-A", "hose | 20 m"),
    ]
    assert [docno for docno, _ in by_paragraph.links] == ["fa-1/1", "fa-1/2"]
    assert [docno for docno, _ in by_article.links] == ["fa-1", "fa-1"]


def test_an_article_without_words_of_its_own_is_found_by_its_first_paragraph() -> None:
    act = law("(1) a (2) b")
    article = Unit("article", "§", "7", "§ 7", key="s7")
    act.root.content.append(article)
    for label, start, end in (("(1)", 4, 5), ("(2)", 10, 11)):
        paragraph = Unit("paragraph", number=number_of(label), label=label)
        paragraph.add(start, end)
        article.content.append(paragraph)
    documents, addresses, *_ = cut(act, "paragraph")
    assert [each.docno for each in documents] == ["fa-7/1", "fa-7/2"]
    assert next(each.docno for each in addresses if each.key == "s7") == "fa-7/1"


def test_a_repealed_unit_keeps_its_place_without_text_and_repeated_numbers_keep_theirs() -> None:
    act = law("repealed one two")
    for place, words in enumerate(("repealed", "one", "two")):
        article = Unit("article", "§", "3" if place else "2", repealed=not place)
        article.add(*unit_of(act, words))
        act.root.content.append(article)
    documents, _, _, repeated, _ = cut(act)
    assert [(each.docno, each.text) for each in documents] == [("fa-2", ""), ("fa-3", "one"), ("fa-3~2", "two")]
    assert repeated == ["fa-3~2"]


def test_articles_of_a_supplement_and_items_of_an_annex_have_docnos_of_their_own() -> None:
    act = law("a b c d")
    supplement, annex = Unit("supplement", number="2", label="Supp"), Unit("annex", number="1의2", label="Annex")
    for place, holder in enumerate((supplement, supplement, annex, annex)):
        kind = "article" if holder is supplement else "item"
        unit = Unit(kind, number=str(place % 2 + 1))  # type: ignore[arg-type]
        unit.add(place * 2, place * 2 + 1)
        holder.content.append(unit)
    act.root.content += [supplement, annex]
    assert [each.docno for each in cut(act).documents] == [
        "fa-supp-2/1",
        "fa-supp-2/2",
        "fa-annex-1의2/1",
        "fa-annex-1의2/2",
    ]
    assert [each.docno for each in cut(act, "article").documents] == ["fa-supp-2/1", "fa-supp-2/2", "fa-annex-1의2"]


@pytest.mark.parametrize(
    ("chapters", "docnos"),
    [
        (("1 2", "1", "1 2a"), "chapter-1/1 chapter-1/2 chapter-2/1 chapter-3/1 chapter-3/2a"),
        (("1 2", "3", "4 5"), "1 2 3 4 5"),
        (("1 2", "1"), "chapter-1/1 chapter-1/2 chapter-2/1"),
        (("1 2", "2 3", "4"), "1 2 2~2 3 4"),
        (("1 2", "3 4", "5", "1 2"), "1 2 3 4 5 chapter-4/1 chapter-4/2"),
        (("1 2", "3 4", "5", "6", "1 2", "1"), "1 2 3 4 5 6 chapter-5/1 chapter-5/2 chapter-6/1"),
        (("1 2", "3 4", "1", "5"), "1 2 3 4 1~2 5"),
        (("1 2", "3 4", "5", "2 6"), "1 2 3 4 5 2~2 6"),
    ],
)
def test_numbers_that_begin_again_in_each_chapter(chapters: tuple[str, ...], docnos: str) -> None:
    act = law()
    for place, numbers in enumerate(chapters, 1):
        chapter = Unit("group", "chapter", str(place))
        chapter.content += [Unit("article", "section", number, number) for number in numbers.split()]
        act.root.content.append(chapter)
    assert [one.docno.removeprefix("fa-") for one in cut(act).documents] == docnos.split()


def test_a_provision_that_stands_for_several_is_found_by_each() -> None:
    act = law()
    act.root.content.append(Unit("article", "article", "86-87", "Art. 86 und 87"))
    assert {(one.path, one.docno) for one in cut(act).addresses if one.kind == "article"} == {
        (("86-87",), "fa-86-87"),
        (("86",), "fa-86-87"),
        (("87",), "fa-86-87"),
    }
