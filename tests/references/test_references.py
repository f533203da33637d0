"""Mentions of linked provisions are found by the links alone, in any language, and taken out of the words around."""

from __future__ import annotations

import pytest

from legalir.datasets import Provision
from legalir.errors import DataError
from legalir.references.numbers import Example, Numbers, order_of, prefixes, tail_of
from legalir.train.reference_contexts import ReferenceContext, ReferenceContexts

TOPICS = ("wells", "bridges", "kilns", "ferries", "mills", "quarries", "orchards", "stables", "granaries", "looms")


def act(name: str, text: str, count: int = 10, law: str = "Yard Act") -> list[Provision]:
    """Return an invented act; `text` has places for topic, own number, and the two numbers that it cites."""
    return [
        Provision(
            f"{name}-{number}",
            title=f"{law} {number}",
            text=text.format(
                topic=TOPICS[number % 10], one=number % count + 1, two=(number + 1) % count + 1, days=37 + number
            ),
            law=law,
            law_id=name,
            article=str(number),
        )
        for number in range(1, count + 1)
    ]


def links(name: str, count: int = 10) -> list[tuple[str, str, str]]:
    return [
        (f"{name}-{number}", f"{name}-{target}", "self")
        for number in range(1, count + 1)
        for target in (number % count + 1, (number + 1) % count + 1)
    ]


ENGLISH = (
    "A keeper of {topic} shall pay within {days} days. "
    "The fee in Section {one} is due at noon. Then Section {two} applies."
)
KOREAN = (
    "{topic} 관리자는 {days}일 안에 신고한다. 이 경우 제{one}조제2항에 따른 수수료를 내고, "
    "과태료에 관하여는 제{two}조를 준용한다."
)
THAI = "ผู้ดูแล {topic} ต้องแจ้งภายใน {days} วัน และชำระค่าธรรมเนียมตามมาตรา {one} ทั้งนี้ ให้นำบทกำหนดโทษตามมาตรา {two} มาใช้บังคับ"


@pytest.mark.parametrize("text", [ENGLISH, KOREAN, THAI], ids=["en", "ko", "th"])
def test_mentions_are_found_in_any_language_and_taken_out(text: str) -> None:
    provisions = act("yard", text)
    references = ReferenceContexts(provisions, links("yard"))
    found = list(references)
    assert references.report.direct == 20
    assert references.report.missing == 0
    assert sorted((one.source, target) for one in found for target in one.cited) == sorted(
        (number, target) for number in range(10) for target in ((number + 1) % 10, (number + 2) % 10)
    )
    for one in found:
        assert str(37 + one.source + 1) in one.words or len(one.words) < 200  # numbers of another kind stay
        for marker in ("제", "Section 1", "มาตรา 1"):
            assert marker not in one.words


def test_the_words_are_those_before_and_after() -> None:
    text = "All {topic} Section {one} names have keepers, and {topic} Section {two} names have none."
    found = list(ReferenceContexts(act("yard", text), links("yard"), before=7, after=11))
    assert found[0] == ReferenceContext("bridges names have", 0, (1,), ())


def test_a_list_is_one_query_and_long_lists_are_left_out() -> None:
    text = "Keepers of {topic} report after {days} days, and Section {one} and Section {two} apply to the report."
    short = ReferenceContexts(act("yard", text), links("yard"))
    assert {len(one.cited) for one in short} == {2}
    long = ReferenceContexts(act("yard", text), links("yard"), most=1)
    assert list(long) == []
    assert long.report.long == 20
    assert any("long lists" in sentence for sentence in long.report.sentences())


def test_near_are_those_in_the_words_around() -> None:
    found = list(ReferenceContexts(act("yard", ENGLISH), links("yard")))
    assert found[0].cited == (1,)
    assert found[0].near == (2,)


def test_sub_articles_and_ranges_are_learnt_from_the_links() -> None:
    provisions = act("yard", KOREAN)
    provisions += [
        Provision("yard-4.2", text="돛대는 해마다 검사한다.", law_id="yard", article="4.2"),
        Provision("yard-11", text="배 주인은 제4조의2를 따라 검사를 받는다.", law_id="yard", article="11"),
        Provision(
            "yard-12",
            text="배 목수는 제4조의2를 지킨다. 다만 제2조부터 제5조까지를 따르지 아니한다.",
            law_id="yard",
            article="12",
        ),
        Provision("yard-13", text="뱃사공에게는 제6조부터 제9조까지를 적용한다.", law_id="yard", article="13"),
    ]
    rows = [*links("yard"), ("yard-11", "yard-4.2", "self"), ("yard-12", "yard-4.2", "self")]
    rows += [("yard-12", f"yard-{number}", "self") for number in (2, 3, 4, 5)]
    rows += [("yard-13", f"yard-{number}", "self") for number in (6, 7, 8, 9)]
    references = ReferenceContexts(provisions, rows)
    found = list(references)
    assert references.scanner.numbers.joiners == {".", "조의"}  # The dot of 4.2: too few cases to tell
    assert references.scanner.connectors == {"조부터 제"}
    assert references.report.missing == 0
    assert references.report.ranges == 4  # 3 and 4, 7 and 8
    last = next(one for one in found if one.source == 13)
    assert last.words == "뱃사공에게는 까지를 적용한다."
    assert sorted(last.cited) == [5, 6, 7, 8]


def test_dotted_and_lettered_numbers_and_the_paragraphs_of_a_rule() -> None:
    """Eight rules and their chapters; a rule cites the next one by a paragraph, its chapter, and a lettered rule."""
    rules = [f"{chapter}.{section}.1" for chapter in (1, 2) for section in (2, 3, 4, 5)]
    text = (
        "Keepers of {topic} report after {days}.5 days; Rule \u200e{following}(2)(a) applies, then Section {section} "
        "and Chapter {chapter}, but not Rule 9.1A."
    )
    provisions = [Provision("r-9.1A", text="None.", law_id="r", article="9.1A")]
    provisions += [Provision(f"r-{chapter}.", text="Tolls", law_id="r", article=f"{chapter}.") for chapter in (1, 2)]
    provisions += [Provision(f"r-{rule[:3]}", text="Tolls", law_id="r", article=rule[:3]) for rule in rules]
    provisions += [Provision(f"r-Part_{part}", text="Tolls", law_id="r", article=f"Part_{part}") for part in (1, 2, 3)]
    rows = []
    for number, rule in enumerate(rules):
        following = rules[(number + 1) % len(rules)]
        words = {"topic": TOPICS[number], "days": 37 + number, "section": rule[:3], "chapter": rule[0]}
        body = text.format(following=following, **words)
        provisions.append(Provision(f"r-{rule}", text=body, law_id="r", article=rule))
        rows += [(f"r-{rule}", f"r-{target}", "self") for target in (following, rule[:3], f"{rule[0]}.", "9.1A")]
    references = ReferenceContexts(provisions, rows)
    found = list(references)
    assert references.report.direct == 32
    # By number: 0 is the lettered rule, 1 and 2 are the chapters, 3 the first section, 14 and 15 the first two rules.
    assert [one.cited for one in found if one.source == 14] == [(15,), (3, 1, 0)]
    assert not any(sign in one.words for one in found for sign in ("(2)", "Rule", "9.1", "\u200e"))


def test_a_paragraph_is_the_provision_itself_or_the_one_that_holds_it() -> None:
    """Section 3 has its paragraphs as provisions, section 4 has not; texts cite 3(1), 3(2) and 4(1), which is in 4."""
    provisions = [
        Provision(f"y-{article}", text="Tolls", law_id="y", article=article) for article in ("3.(1)", "3.(2)", "4")
    ]
    rows = []
    for number, paragraph in enumerate((1, 2, 1, 2), start=10):
        text = f"Keepers of {TOPICS[number % 10]} obey Section 3({paragraph}) and, after {number} days, Section 4(1)."
        provisions.append(Provision(f"y-{number}", text=text, law_id="y", article=str(number)))
        rows += [(f"y-{number}", f"y-3.({paragraph})", "self"), (f"y-{number}", "y-4", "self")]
    found = list(references := ReferenceContexts(provisions, rows))
    assert references.scanner.numbers.joiners == {"("}
    assert references.report.direct == 8
    assert [one.cited for one in found if one.source in (3, 4)] == [(0, 2), (1, 2)]


def test_the_title_of_the_law_decides_between_two_that_bear_one_number() -> None:
    both = (
        "Keepers of {topic} obey Section {one} of this act. "
        "Under the Harbour Act, Section {one} binds them after {days} days."
    )
    provisions = act("yard", both) + act(
        "harbour", "Ships carry {topic}, and Section {one} fixes the toll.", law="Harbour Act"
    )
    rows = [
        (f"yard-{number}", f"{law}-{number % 10 + 1}", kind)
        for number in range(1, 11)
        for law, kind in (("yard", "self"), ("harbour", "external"))
    ]
    rows += [(f"harbour-{number}", f"harbour-{number % 10 + 1}", "self") for number in range(1, 11)]
    first = [one for one in ReferenceContexts(provisions, rows, before=20, after=20) if one.source == 0]
    own, other = sorted(first, key=lambda one: one.cited[0])
    assert own.cited == (1,)
    assert "of this act" in own.words
    assert other.cited == (11,)
    assert "binds them after" in other.words
    assert "Harbour Act" not in other.words


def test_a_target_without_number_is_found_by_its_title() -> None:
    provisions = [*act("yard", ENGLISH), Provision("annex", title="Table of tolls", text="Penny a barrel.")]
    provisions.append(Provision("yard-11", text="Tolls follow the Table of tolls as in force each year.", article="11"))
    references = ReferenceContexts(provisions, [*links("yard"), ("yard-11", "annex", "annex")])
    assert [one.words for one in references if one.source == 11] == ["Tolls follow the as in force each year."]
    assert references.report.titles == 1


def test_what_is_not_found_is_counted() -> None:
    rows = [
        *links("yard"),
        ("yard-1", "yard-9", "self"),
        ("yard-1", "gone", ""),
        ("yard-2", "yard-2", ""),
        links("yard")[0],
    ]
    references = ReferenceContexts(iter(act("yard", ENGLISH)), rows)
    list(references)
    report = references.report
    assert (report.links, report.direct, report.missing, report.dangling, report.repeated) == (24, 20, 1, 2, 1)
    assert "1 link(s) have no mention in the text of their source (yard-1 to yard-9)" in list(report.sentences())
    list(references)  # begun anew
    assert references.report == report


def test_no_links_is_one_sentence() -> None:
    with pytest.raises(DataError, match="has no links"):
        ReferenceContexts(act("yard", ENGLISH), [])
    with pytest.raises(DataError, match="none of the 1 links"):
        ReferenceContexts(act("yard", ENGLISH), [("a", "b", "")])


@pytest.mark.parametrize(
    ("article", "key"),
    [
        ("12", "12"),
        ("12.2", "12.2"),
        ("12/2", "12.2"),
        ("12 ทวิ", "12ทวิ"),
        ("๑๒", "12"),
        ("65A", "65a"),
        ("Annex", ""),
        ("1.3.1.", "1.3.1"),
        ("6(1)(a)", "6.1.a"),
        ("6 (1) (a)", "6.1.a"),
        ("6.(1).(a)", "6.1.a"),
        ("6(12A)(iv)", "6.12a.iv"),
        ("39)", "39"),
    ],
)
def test_numbers_of_articles(article: str, key: str) -> None:
    numbers = Numbers(["1", "2", "3", "4", "12 ทวิ", "65A", article])
    assert numbers.key(article) == key


def test_the_words_behind_a_number_are_those_of_the_collection() -> None:
    thai = Numbers(["1", "2", "12 ทวิ"])
    assert [token.key for token in thai.tokens("ตามมาตรา 12 ทวิ และมาตรา 2")] == ["12ทวิ", "2"]
    every = Numbers(["第一条", "第二条", "第二十三条"])
    assert [every.key(article) for article in ("第二条", "第二十三条", "第一百零二条", "二〇三")] == [
        "2",
        "23",
        "102",
        "203",
    ]
    letters = Numbers(["1", "2", "3", "12A"])
    assert [token.key for token in letters.tokens("sections 12A, 12 a person and 12angles")] == ["12a", "12", "12"]


def test_words_before_a_number_and_signs_between_two_are_those_of_the_collection() -> None:
    """The first articles are spelled in one way, the texts in all ways that readers know."""
    french = Numbers(["1", "2", "3", "4", "L121-3", "R*123", "A. 3"])
    spellings = (
        "L. 121-3",
        "L121-3",
        "l.121-3",
        "L 121-3",
        "R*123",
        "R* 123",
        "R. 123",
        "A3",
        "a 3",
        "A 3",
        "R123-4-1",
    )
    expected = ["l121.3", "l121.3", "l121.3", "l121.3", "r123", "r123", "r123", "a3", "3", "a3", "r123.4.1"]
    assert [french.key(spelling) for spelling in spellings] == expected
    text = "des articles L. 121-3 et R* 123, ou il 7-8"
    assert [text[token.start : token.end] for token in french.tokens(text)] == ["L. 121-3", "R* 123", "7-8"]
    assert [token.key for token in Numbers(["121"]).tokens("L. 121-3")] == ["121", "3"]
    assert [token.key for token in Numbers(["1"]).tokens("sections 9 (5)the fee; 9 (5) the fee")] == ["9", "5", "9.5"]


def test_words_and_letters_between_signs_are_parts() -> None:
    articles = ["1.2.Guidance.1.", "APP_3.A3.1", "Part_5.Chapter_1.2.(3)", "2.3.a.", "5.2A.3", "4.12.3R"]
    numbers = Numbers([*articles, *["1.3.1"] * 10])
    keys = ["1.2.guidance.1", "app3.a3.1", "part5.chapter1.2.3", "2.3.a", "5.2a.3", "4.12.3r"]
    assert [numbers.key(article) for article in articles] == keys
    text = "Rules 5.2A.3(b) and 4.12.3R, paragraph 2.3.a and 2.3.apples, Part 5, APP3.A3.1."
    assert [token.key for token in numbers.tokens(text)] == [
        "5.2a.3.b",
        "4.12.3r",
        "2.3.a",
        "2.3",
        "part5",
        "app3.a3.1",
    ]


def test_articles_as_texts_spell_them_show_the_joiners() -> None:
    korean = Numbers(["제1조", "제2조", "제12조의2", "제3조", "부칙 3"])
    assert korean.joiners == {".", "(", "조의"}
    assert [korean.key(article) for article in ("제12조의2", "제12조", "부칙 3", "12.2")] == [
        "12.2",
        "12",
        "부칙3",
        "12.2",
    ]


def test_texts_show_the_joiners() -> None:
    examples = [Example(f"제{number}조의2(검사)", frozenset({f"{number}.2"}), "") for number in (4, 5)]
    assert [token.key for token in Numbers(["4.2", "5.2"]).taught(examples).tokens("제7조의9")] == ["7.9"]
    assert Numbers(["4", "4.2"]).taught(examples[:1]).joiners == {"."}
    assert Numbers(["4", "5"]).taught(examples).joiners == {"조의"}
    own = [example._replace(own=f"{number}.2") for example, number in zip(examples, (4, 5), strict=True)]
    assert Numbers(["4", "5"]).taught(own).joiners == set()  # A text that names itself cites nothing.


def test_a_joiner_of_the_articles_that_means_something_else_in_texts_is_none() -> None:
    """Twenty decimals and no reference are enough to tell: 5 % of 20 is 1."""
    decimals = [
        Example(f"폭은 {number}.2미터이고 제3조를 따른다.", frozenset({"3", "4.2"}), "") for number in range(5, 25)
    ]
    numbers = Numbers(["3", "4.2"])
    assert numbers.taught(decimals[:19]).joiners == {"."}
    assert numbers.taught(decimals).joiners == set()
    one_right = [Example("제4.2조를 따른다.", frozenset({"4.2"}), ""), *decimals[:19]]
    assert numbers.taught(one_right).joiners == {"."}


def test_chains_are_read_part_by_part() -> None:
    examples = [
        Example(f"Rules {n}.3.1 and {n}.3.2(4) apply.", frozenset({f"{n}.3.1", f"{n}.3.2.4"}), "") for n in "78"
    ]
    rules = Numbers(["1", "2"]).taught(examples)
    assert rules.joiners == {".", "("}
    assert [token.key for token in rules.tokens("Rule 9.1.2(3)(a) or 9.4")] == ["9.1.2.3.a", "9.4"]


@pytest.mark.parametrize(
    ("articles", "text", "names"),
    [
        (["1", "6"], "6(1)(a)", ["6.1.a", "6.1", "6"]),
        (["1", "6", "7.2"], "6.1(a)", ["6.1.a", "6.1"]),  # 6.1 may be an article, which 6 is not
        (["1", "6"], "6.1", ["6.1", "6"]),  # no article has two parts
        (["1", "6", "7", "Rule 6.1"], "Rule 6.1", ["rule6.1", "6.1"]),
        (["1", "6"], "6", ["6"]),
    ],
)
def test_what_a_number_may_name(articles: list[str], text: str, names: list[str]) -> None:
    (token,) = Numbers(articles).tokens(text)
    assert list(token.names) == names
    assert token.one_of({names[-1]}) == names[-1]
    assert token.one_of({"61"}) == ""


def test_prefixes() -> None:
    assert prefixes("6.1.a") == ["6.1.a", "6.1", "6"]
    assert prefixes("rule6.1") == ["rule6.1", "6.1", "rule6", "6"]


def test_the_number_in_a_docno() -> None:
    assert [tail_of(docno) for docno in ("T01-24_1", "a/b:7", "24", "T01-annex")] == ["24_1", "7", "", ""]


def test_articles_are_in_order() -> None:
    assert order_of("12.2") > order_of("12")
    assert order_of("12.2") < order_of("13")
