"""United Kingdom: sections under their headings, schedules, dates and links, in an invented act and in real ones."""

from pathlib import Path

import pytest

from legalir import datasets, testing
from legalir.errors import DataError
from legalir.statutes import write_collection
from legalir.statutes.documents import cut
from legalir.statutes.importing.parsing import provision_of
from legalir.statutes.law import NOT_YET
from legalir.statutes.sources.uk_clml import read

SAMPLES = Path(__file__).with_name("samples")
ACT = (SAMPLES / "uk_clml.xml").read_text(encoding="utf-8")


def law_of(text: str | bytes):
    return next(read(Path("act.xml"), text.encode() if isinstance(text, str) else text))


def documents_of(law):
    return {each.docno.removeprefix(f"{law.law_id}-"): each for each in cut(law).documents}


def test_provisions():
    law = law_of(ACT)
    documents = documents_of(law)
    assert law.law_id == "ukpga-2021-7"
    assert list(documents) == ["preamble", "1", "2", "3", "4", "annex-1", "annex-1/1"]
    assert documents["1"].text.splitlines() == [
        *("1 A raft has one lamp—", "a green, and", "b lit.", "That is all.", "2 See section 2."),
    ]
    assert [unit.label or unit.heading for unit in documents["1"].above[1:]] == ["Part 1", "Rafts"]
    assert [documents[number].unit.heading for number in "1234"] == [
        *("Lamps of rafts", "Change of the Rafts Act", "Pairs", "Pairs"),
    ]
    assert law.unread() == []


def test_words_for_another_act_are_no_provisions():
    documents = documents_of(law_of(ACT))
    assert documents["2"].text.splitlines() == [
        "After section 4(2) of the Rafts Act 1999 (c. 3) insert—",
        "“Old lamps",
        "4A 1 An old lamp stays, see this.",
        "2 A new one goes.”;",
        "and section 9 is repealed.",
    ]
    assert [unit.number for unit in documents["2"].unit.walk()] == ["2"]


def test_numbers_of_a_list_stand_in_its_style():
    assert documents_of(law_of(ACT))["3"].text == "Two lamps.\n(a) red;\n(b) blue."


@pytest.mark.parametrize(
    ("style", "last"), [("arabic", "(12)"), ("romanupper", "(XII)"), ("roman", "(xii)"), ("alphaupper", "(L)")]
)
def test_styles_of_lists(style, last):
    items = "<ListItem><Para><Text>lamp</Text></Para></ListItem>" * 12
    text = ACT.replace(
        '<OrderedList Type="alpha" Decoration="parens">', f'<OrderedList Type="{style}" Decoration="parens">{items}'
    )
    assert f"{last} lamp" in documents_of(law_of(text))["3"].text


def test_schedule():
    annex = documents_of(law_of(ACT))["annex-1"]
    assert (annex.unit.label, annex.unit.heading, annex.unit.related) == ("Schedule 1", "Fees", ("section 1",))
    assert annex.text == "(introduced by section 1)\nLamp | Fee\nlarge | 5\nlarge | 6"


def test_dates_and_repeal():
    law = law_of(ACT)
    documents = documents_of(law)
    assert (law.promulgated, law.effective_from, law.published) == ("2021-03-04", "2022-05-01", "2022-06-01")
    assert [documents[place].unit.effective_from for place in ("1", "2", "3", "annex-1/1")] == [
        *("2021-06-01", "2022-01-01", NOT_YET, "2021-07-01"),
    ]
    assert [place for place, each in documents.items() if each.unit.repealed] == ["4"]
    assert law.notes == ["Lamps Act 2021: 2 provisions are not in force yet (Prospective)."]


def test_links():
    law = law_of(ACT)
    rafts = "http://www.legislation.gov.uk/id/ukpga/1999/3"
    assert [(law.text[link.start : link.end], link.law, link.key) for _, link in cut(law).links] == [
        ("section 2", "", "section-2"),
        ("section 4(2)", rafts, "section-4-2"),
        ("Rafts Act 1999 (c. 3)", rafts, ""),
        ("section 9", rafts, "section-9"),
        ("section 1", "", "section-1"),
    ]


def test_a_schedule_without_a_marked_link():
    plain = ACT.replace('<InternalLink Ref="section-1">section 1</InternalLink>)</Reference>', "Section 1)</Reference>")
    law = law_of(plain)
    docno, link = cut(law).links[-1]
    assert (docno, law.text[link.start : link.end], link.key) == ("ukpga-2021-7-annex-1", "Section 1", "section-1")


def test_prospective_group():
    law = law_of(ACT.replace('<Part id="part-2">', '<Part id="part-2" Status="Prospective">'))
    documents = documents_of(law)
    assert (documents["1"].unit.effective_from, documents["4"].unit.effective_from) == ("2021-06-01", NOT_YET)
    assert documents["2"].unit.effective_from == "2022-01-01"  # Its own date counts.


def small(body: str = "", schedules: str = "", prelims: str = "") -> str:
    return f"""<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation" RestrictStartDate="2026-04-06"
DocumentURI="http://www.legislation.gov.uk/ukpga/2021/7"><ukm:Metadata xmlns:ukm="u" xmlns:dc="d"><dc:title>Rafts Act
2021</dc:title></ukm:Metadata><Primary>{prelims}<Body>{body}</Body><Schedules><Title>SCHEDULES</Title>{schedules}
</Schedules></Primary></Legislation>"""


def para(number: int, text: str, dates: str = "") -> str:
    return f"<P1 {dates}><Pnumber>{number}</Pnumber><P1para><Text>{text}</Text></P1para></P1>"


def test_a_part_that_ended_has_ended_with_all_that_is_in_it():
    ended = 'RestrictStartDate="2001-02-03" RestrictEndDate="2004-05-06"'
    body = (
        f"<Part {ended}><Number>PART 1</Number>{para(1, 'Oars.')}<P><Text>Loose.</Text></P></Part>{para(2, 'Rafts.')}"
    )
    law = law_of(small(body + para(3, "Lamps.", 'RestrictEndDate="2003-01-01"')))
    dates = {
        one.docno.rpartition("2021-7-")[2]: (row.get("effective_from"), row.get("effective_to"))
        for one in cut(law).documents
        if (row := provision_of(law, one))
    }
    assert dates == {
        "part-1": ("2001-02-03", "2004-05-06"),
        "1": ("2001-02-03", "2004-05-06"),
        "2": ("2026-04-06", None),
        "3": (None, "2003-01-01"),  # The law's own day is later than the end.
    }


def test_numbers_that_begin_again_in_a_schedule():
    article = "<Pblock><Title>Article {0} Oars</Title>{1}</Pblock>"
    parts = (
        f"<Part><Number>PART 1</Number>{article.format(2, para(1, 'a') + para(2, 'b'))}"
        f"{article.format(8, para(1, 'c'))}</Part><Part><Number>PART 2</Number>"
        f"<Chapter><Number>Article 2</Number><P><Text>d</Text></P></Chapter></Part>"
    )
    law = law_of(
        small(para(1, "x"), f"<Schedule><Number>SCHEDULE 1</Number><ScheduleBody>{parts}</ScheduleBody></Schedule>")
    )
    assert {number: one.text for number, one in documents_of(law).items()} == {
        "1": "x",
        "annex-1/part-1/2/1": "a",
        "annex-1/part-1/2/2": "b",
        "annex-1/part-1/8/1": "c",
        "annex-1/part-2/2": "d",
    }


def test_text_below_headings_of_a_schedule_whose_reference_stands_first():
    block = "<Pblock><Title>{}</Title><P><Text>{}</Text></P></Pblock>"
    schedule = (
        "<Schedule><Number>SCHEDULE 1</Number><Reference>Section 1</Reference><TitleBlock><Title>Oars</Title>"
        f"</TitleBlock><ScheduleBody><Part><Number>PART 1</Number>{para(1, 'a')}</Part><Part><Number>PART 2</Number>"
        f"{block.format('Wood', 'b')}{block.format('Iron', 'c')}</Part></ScheduleBody></Schedule>"
    )
    law = law_of(small(para(1, "x"), schedule))
    rows = [provision_of(law, one) for one in cut(law).documents]
    assert [(row["article"], row["text"], row.get("path")) for row in rows[1:]] == [
        ("annex-1", "Section 1", None),
        ("annex-1/1", "a", "SCHEDULE 1 Oars › PART 1"),
        ("annex-1/part-2/cross-heading-1", "b", "SCHEDULE 1 Oars › PART 2"),
        ("annex-1/part-2/cross-heading-2", "c", "SCHEDULE 1 Oars › PART 2"),
    ]


def test_text_directly_in_the_first_part_of_a_schedule():
    part = "<Part><Number>Part {0}</Number><Title>Oars</Title><P><Text>{1}</Text></P>{2}</Part>"
    article = f"<Pblock><Title>Article I</Title>{para(1, 'd')}</Pblock>"
    parts = part.format(1, "a", "") + part.format(2, "b", para(1, "c")) + part.format(3, "e", article)
    schedule = f"<Schedule><Number>SCHEDULE 2</Number><ScheduleBody>{parts}</ScheduleBody></Schedule>"
    rows = [provision_of(law, one) for law in [law_of(small("", schedule))] for one in cut(law).documents]
    assert [(row["article"], row.get("path")) for row in rows] == [
        ("annex-2/part-1", None),
        ("annex-2/part-2", None),
        ("annex-2/part-2/1", "Part 2 Oars"),
        ("annex-2/part-3", None),
        ("annex-2/part-3/1/1", "Part 3 Oars › Article I"),
    ]


def test_one_preamble_and_no_word_for_the_schedules():
    prelims = """<PrimaryPrelims><Title>T</Title><LongTitle>On rafts.</LongTitle><PrimaryPreamble><EnactingText><Para>
<Text>Be it enacted:</Text></Para></EnactingText></PrimaryPreamble></PrimaryPrelims>"""
    documents = documents_of(law_of(small(para(1, "x"), prelims=prelims)))
    assert {number: one.text for number, one in documents.items()} == {
        "preamble": "On rafts.\nBe it enacted:",
        "1": "x",
    }
    retained = """<EUPrelims><MultilineTitle><Text>Regulation</Text><Text>on rafts</Text></MultilineTitle>
<EUPreamble><P><Text>THE COUNCIL,</Text></P></EUPreamble></EUPrelims>"""
    assert [*documents_of(law_of(small(para(1, "x"), prelims=retained)))] == ["preamble", "1"]


PLUS = "<m:mrow><m:mi>B</m:mi>\n<m:mo>+</m:mo><m:mi>C</m:mi></m:mrow>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<m:mfrac><m:mrow><m:mi>L</m:mi><m:mo>×</m:mo><m:mi>M</m:mi></m:mrow><m:mn>12</m:mn></m:mfrac>", "L × M/12"),
        ("<m:mi>L</m:mi><m:mo>×</m:mo><m:mfrac><m:mi>M</m:mi><m:mn>12</m:mn></m:mfrac>", "L × M/12"),
        (f"<m:mfrac>{PLUS}{PLUS}</m:mfrac>", "(B + C)/(B + C)"),
        (f"<m:msup>{PLUS}<m:mi>n</m:mi></m:msup><m:mo>=</m:mo><m:mi>r</m:mi>", "(B + C)^n = r"),
        (f"<m:msqrt>{PLUS}</m:msqrt><m:mfenced><m:mi>x</m:mi><m:mi>y</m:mi></m:mfenced>", "√(B + C)(x, y)"),
        ("<m:msub><m:mi>V</m:mi><m:mn>1</m:mn></m:msub>", "V1"),
    ],
)
def test_formulas_can_be_read(formula, text):
    math = f'<Formula><m:math xmlns:m="http://www.w3.org/1998/Math/MathML">\n{formula}</m:math></Formula>'
    law = law_of(small(f"<P1><Pnumber>1</Pnumber><P1para>{math}<Text>5 m<Superior>2</Superior></Text></P1para></P1>"))
    assert law.unread() == []
    assert documents_of(law)["1"].text == f"{text}\n5 m^2"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (ACT[:3000], "not well-formed"),
        (ACT.replace("<Legislation ", '<!DOCTYPE Legislation [<!ENTITY a "b">]><Legislation '), "entities"),
        (ACT.replace("A raft", "A räft").encode("cp1252"), "act.xml"),
        ("<Act/>", "its root is Act"),
        (
            ACT.replace("<Text>Two lamps.", "<Text>" + "<Emphasis>" * 120 + "</Emphasis>" * 120),
            "more than 100 elements",
        ),
        (ACT.replace("legislation.gov.uk/ukpga", "example.org/ukpga"), "no identifier"),
    ],
)
def test_faults(text, fault):
    with pytest.raises(DataError, match=fault):
        law_of(text)


def test_source(tmp_path):
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "act.xml").write_text(ACT, encoding="utf-8")
    path = str(tmp_path / "laws")
    assert [each for each in testing.check("source", "uk_clml", params={"path": path}) if not each.ok] == []
    report = write_collection(f"uk_clml(path={path!r})", tmp_path / "out", about={"licence": "CC0", "lang": "en"})
    assert datasets.check(tmp_path / "out").ok
    assert report.links["cites"] == 2  # To sections 1 and 2; the Rafts Act is not there.
