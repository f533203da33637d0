"""United States: sections, notes left out, quoted amendments and links, in invented laws and in real ones."""

from pathlib import Path

import pytest

from legalir import datasets, testing
from legalir.errors import DataError
from legalir.statutes import write_collection
from legalir.statutes.documents import cut
from legalir.statutes.sources.us_uslm import read

SAMPLES = Path(__file__).with_name("samples")
CODE = (SAMPLES / "us_uslm.xml").read_text(encoding="utf-8")
LAW = (SAMPLES / "us_uslm_law.xml").read_text(encoding="utf-8")


def law_of(text: str | bytes):
    return next(read(Path("law.xml"), text.encode() if isinstance(text, str) else text))


def documents_of(law):
    return {each.docno.removeprefix(f"{law.law_id}-"): each for each in cut(law).documents}


def test_provisions():
    law = law_of(CODE)
    documents = documents_of(law)
    assert (law.law_id, law.title, law.published) == ("usc-t77", "Title 77 LAMPS", "2024-02-03")
    assert list(documents) == ["101", "102a-1", "103"]
    assert documents["101"].text.splitlines() == [
        "(a) In General.— A raft has one lamp that is—",
        "(1) green under section 102a–1(b) of this title; and",
        "[(2) Repealed. Pub. L. 109–163.]",
        "and is lit (42 U.S.C. 4001 et seq.).",
        "(b) Fees:",
        "Lamp | Fee",
        "large | 5",
        "large | 6",
    ]
    assert documents["101"].unit.key == "/us/usc/t77/s101"
    assert [f"{unit.label} {unit.heading}" for unit in documents["101"].above[1:]] == [
        "Title 77 LAMPS",
        "CHAPTER 1 RAFTS",
    ]
    assert [place for place, each in documents.items() if each.unit.repealed] == ["103"]
    assert law.unread() == []
    assert set(law.counts()[2]) == {"note", "metadata", "table of contents", "page number", "side note", "footnote"}


def test_words_for_another_act_are_no_provisions():
    document = documents_of(law_of(CODE))["102a-1"]
    assert document.text.splitlines() == [
        "(b) Section 5 of the Rafts Act is amended by adding:",
        "“Sec. 6. Old lamps.—",
        "“(a) They stay under section 101.",
        "“(b) All of them.”.",
    ]
    assert [unit.number for unit in document.unit.walk()] == ["102a-1", "b"]


def test_heading_of_a_subsection_ends_its_line():
    law = law_of(
        CODE.replace(
            '<heading> <inline class="small-caps">In General</inline>.—</heading>', "<heading> In general</heading>"
        )
    )
    assert documents_of(law)["101"].text.startswith("(a) In general\nA raft has one lamp that is—\n(1) green")


def test_links():
    law = law_of(CODE)
    assert sorted((law.text[link.start : link.end], link.law, link.key) for _, link in cut(law).links) == [
        ("42 U.S.C. 4001 et seq.", "/us/usc/t42", "/us/usc/t42/s4001"),
        ("Pub. L. 109–163", "/us/pl/109/163", "/us/pl/109/163/dA/s1"),
        ("Rafts Act", "/us/act/1954-08-16/ch736", ""),
        ("section 102a–1(b) of this title", "/us/usc/t77", "/us/usc/t77/s102a–1/b"),
    ]


def test_public_law():
    law = law_of(LAW)
    documents = documents_of(law)
    assert (law.law_id, law.promulgated) == ("pl-200-1", "2087-10-09")
    assert list(documents) == ["preamble", "appropriations-1", "101", "102"]
    assert documents["appropriations-1"].text == "For lamps, $5: Provided, That they are lit."
    assert documents["101"].unit.key == "/us/pl/200/1/tI/s101"
    assert law.unread() == []


@pytest.mark.parametrize(("value", "number"), [("(2)", "2"), ("“3", "3"), ("1395b–3", "1395b-3"), ("A", "A")])
def test_numbers(value, number):
    law = law_of(CODE.replace('<num value="101">', f'<num value="{value}">'))
    assert next(iter(documents_of(law))) == number


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (CODE[:2000], "not well-formed"),
        (CODE.replace("<uscDoc ", '<!DOCTYPE uscDoc [<!ENTITY a "b">]><uscDoc '), "entities"),
        (CODE.encode("latin-1", "replace").replace(b"A raft", b"A r\xe4ft"), "law.xml"),
        ("<bill/>", "its root is bill"),
        (LAW.replace("meta>", "data>"), "no meta"),
        (LAW.replace("docNumber>", "number>"), "no docNumber"),
    ],
)
def test_faults(text, fault):
    with pytest.raises(DataError, match=fault):
        law_of(text)


def test_source(tmp_path):
    (tmp_path / "laws").mkdir()
    for name, text in (("code.xml", CODE), ("law.xml", LAW)):
        (tmp_path / "laws" / name).write_text(text, encoding="utf-8")
    path = str(tmp_path / "laws")
    assert [each for each in testing.check("source", "us_uslm", params={"path": path}) if not each.ok] == []
    report = write_collection(
        f"us_uslm(path={path!r}, references=False)", tmp_path / "out", about={"licence": "CC0", "lang": "en"}
    )
    assert datasets.check(tmp_path / "out").ok
    assert (report.provisions, report.links["cites"]) == (7, 1)
