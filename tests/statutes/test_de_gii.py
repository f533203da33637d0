import json
from pathlib import Path

import pytest
from of_format import (
    check_conformance,
    documents_of,
    law_of,
)

from legalir.errors import DataError
from legalir.statutes.sources.de_gii import FORMATS
from legalir.statutes.sources.history import History
from legalir.statutes.writing import write_collection

(FORMAT,) = FORMATS
HEAD = """<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE dokumente SYSTEM "http://localhost/gii-norm.dtd">
<dokumente builddate="20240105010203" doknr="BJNR1">"""


def norm(key: str, meta: str, text: str = "", notes: str = "") -> str:
    body = f'<text format="XML"><Content>{text}</Content></text>' if text else "<text/>"
    notes = f"<fussnoten><Content><P>{notes}</P></Content></fussnoten>" if notes else ""
    return f'<norm doknr="{key}"><metadaten>{meta}</metadaten><textdaten>{body}{notes}</textdaten></norm>'


def part(key: str, digits: str, label: str, title: str) -> str:
    return norm(
        key,
        f"<gliederungseinheit><gliederungskennzahl>{digits}</gliederungskennzahl><gliederungsbez>{label}</gliederungsbez>"
        f"<gliederungstitel>{title}</gliederungstitel></gliederungseinheit>",
    )


TITLE = norm(
    "BJNR1",
    "<jurabk>FlV</jurabk><ausfertigung-datum>2020-02-03</ausfertigung-datum><kurzue>Floßverordnung</kurzue>"
    "<langue>Verordnung über Flöße</langue><standangabe><standtyp>Stand</standtyp><standkommentar>"
    "Zuletzt geändert durch Art. 1 V v. 1.1.2023</standkommentar></standangabe>"
    "<standangabe><standtyp>Hinweis</standtyp><standkommentar>"
    "Änderung durch Art. 2 V v. 3.3.2024 mWv 1.1.2025 noch nicht berücksichtigt</standkommentar></standangabe>",
    notes="(+++ Textnachweis +++)",
)
TABLE = """<table><tgroup cols="3"><colspec colname="c1"/><colspec colname="c2"/><colspec colname="c3"/><thead><row>
<entry namest="c1" nameend="c2">Floß</entry><entry colname="c3">Lampen</entry></row></thead><tbody><row>
<entry colname="c1" morerows="1">klein</entry><entry colname="c2">alt</entry>
<entry colname="c3">1<FnR ID="F1"/></entry></row>
<row><entry colname="c2">neu</entry><entry colname="c3">2<BR/>oder 3</entry></row></tbody></tgroup></table>"""
SAMPLE = (
    HEAD
    + TITLE
    + norm("N0", "<enbez>Inhaltsübersicht</enbez>", "<TOC><Title>Teil 1</Title><Ident>§ 1</Ident></TOC>")
    + norm("N1", "<enbez>Eingangsformel</enbez>", "<P>Auf Grund des § 9 wird verordnet:</P>")
    + part("G1", "010", "Teil 1", "Allgemeines")
    + part("G2", "010010", "Kapitel 1", "Flöße")
    + norm(
        "N2",
        '<enbez>§ 1</enbez><titel format="parat">Zweck</titel>',
        "<P>(1) Ein Floß hat<DL><DT>1.</DT><DD><LA>eine Lampe,<DL><DT>a)</DT><DD><LA>die hell ist,</LA></DD>"
        "</DL></LA></DD><DT>2.</DT><DD><LA>ein Ruder</LA></DD></DL>und einen Namen.</P>"
        "<P>(1a) Das gilt<BR/>nachts.</P>",
        notes="(+++ § 1: Zur Anwendung +++)",
    )
    + part("G3", "010020", "Kapitel 2", "Lampen")
    + norm("N3", "<enbez>§ 2</enbez><titel>(weggefallen)</titel>", "<P>-</P>")
    + norm("N4", "<enbez>(XXXX) §§ 2a bis 4</enbez>")
    + part("G4", "020", "Teil 2", "Schluss")
    + norm("N5", "<enbez>§ 5</enbez><titel>Geltung</titel>", "<P>Absatz 2 ist <B>weggefallen</B>.</P>")
    + norm(
        "N6",
        "<enbez>Anlage 2</enbez><titel>(zu § 1 Absatz 1 Nummer 1, § 5)<BR/>Lampen</titel>",
        "<TOC>Inhalt</TOC><Title>Abschnitt 1</Title><Title>Formen</Title>"
        "<P><DL><DT>1.1</DT><DD><LA>Zweck</LA></DD></DL></P>"
        f"<P>Eine Lampe leuchtet.</P><P><B>1.2 Zahl</B></P>{TABLE}<Title>Abschnitt 2</Title><Title>Farben</Title>"
        "<P><DL><DT>1.</DT><DD><LA>Rot.</LA></DD><DT>–</DT><DD><LA>oder Grün.</LA></DD></DL></P>"
        '<Footnotes><Footnote ID="F1" FnZ="1)">Je Tag.</Footnote></Footnotes>',
    )
    + "</dokumente>"
)


def test_facts_of_the_law() -> None:
    law = law_of(FORMAT, SAMPLE)
    assert (law.law_id, law.title, law.level, law.promulgated) == ("BJNR1", "Floßverordnung", "decree", "2020-02-03")
    assert (law.published, law.amended_by) == ("2024-01-05", "Art. 1 V v. 1.1.2023")
    assert law.announced == {"Art. 2 V v. 3.3.2024": "2025-01-01"}
    assert law.names == ("FlV", "Floßverordnung", "Verordnung über Flöße")
    assert law.notes == [
        "Floßverordnung: Änderung durch Art. 2 V v. 3.3.2024 mWv 1.1.2025 noch nicht berücksichtigt",
        "Floßverordnung: (XXXX) §§ 2a bis 4 stands for several provisions, as 2a-4.",
    ]
    assert set(law.counts()[2]) == {"metadata", "editor's note", "table of contents"}


def test_a_change_has_the_day_that_an_earlier_file_announced(tmp_path: Path) -> None:
    announced = "Änderung durch Art. 2 V v. 3.3.2024 mWv 1.1.2025 noch nicht berücksichtigt"
    shown = "Änderung durch Art. 2 V v. 3.3.2024 (Nr. 7) textlich nachgewiesen, dokumentarisch noch nicht bearbeitet"
    copies = [("20240105", announced, "eine"), ("20240401", shown, "zwei"), ("20260301", "Neues", "drei")]
    for day, stand, count in copies:
        head, title = HEAD.replace("20240105", day), TITLE.replace(announced, stand)
        text = norm("N2", "<enbez>§ 1</enbez>", f"<P>Ein Floß hat {count} Lampen.</P>")
        (tmp_path / f"{day}.xml").write_text(f"{head}{title}{text}</dokumente>", encoding="utf-8")
    rows = list(History(tmp_path, format="de_gii", workers=1).provisions())
    assert [(row["docno"], row["text"].split()[3]) for row in rows] == [
        ("BJNR1-1@2020-02-03", "eine"),
        ("BJNR1-1@2025-01-01", "zwei"),
        ("BJNR1-1@2026-03-01", "drei"),  # No file says its day: that of the copy.
    ]


def test_provisions() -> None:
    documents = documents_of(law_of(FORMAT, SAMPLE))
    assert {number: one.text for number, one in documents.items()} == {
        "preamble": "Auf Grund des § 9 wird verordnet:",
        "1": "(1) Ein Floß hat\n1. eine Lampe,\na) die hell ist,\n2. ein Ruder\nund einen Namen.\n"
        "(1a) Das gilt\nnachts.",
        "2": "",
        "2a-4": "",
        "5": "Absatz 2 ist weggefallen.",
        "annex-2/1.1": "Eine Lampe leuchtet.",
        "annex-2/1.2": "Floß | Lampen\nklein | alt | 1 [1)]\nklein | neu | 2 oder 3",
        "annex-2/2": "– oder Grün.\n[1)] Je Tag.",
        "annex-2/2/1": "Rot.",
    }
    assert [number for number, one in documents.items() if one.unit.repealed] == ["2", "2a-4"]
    assert documents["1"].unit.key == "N2"
    assert documents["1"].unit.heading == "Zweck"


def test_a_part_holds_until_the_next_of_its_depth_and_annexes_stand_outside() -> None:
    documents = documents_of(law_of(FORMAT, SAMPLE))
    paths = {number: [unit.label for unit in one.above[1:]] for number, one in documents.items()}
    assert paths["1"] == ["Teil 1", "Kapitel 1"]
    assert paths["2a-4"] == ["Teil 1", "Kapitel 2"]
    assert paths["5"] == ["Teil 2"]
    assert paths["annex-2/1.1"] == ["Anlage 2", "Abschnitt 1"]
    annex = documents["annex-2/1.1"].above[1]
    assert annex.related == ("§ 1 Absatz 1 Nummer 1", "§ 5")
    assert annex.heading == "(zu § 1 Absatz 1 Nummer 1, § 5) Lampen"


@pytest.mark.parametrize("whole", [False, True])
def test_articles_that_hold_sections(tmp_path: Path, whole: bool) -> None:
    """Each has a § 1; the number of the article is in a heading above its sections, or in the name of each section."""

    def section(article: int, number: int, text: str, title: str = "") -> str:
        name = f"Art {article} § {number}" if whole else f"§ {number}"
        return norm(f"S{article}{number}", f"<enbez>{name}</enbez>", f"<P>{text}</P>")

    def article(number: int) -> str:
        return "" if whole else part(f"G{number}", f"0100{number % 10}0", f"Art {number}", "Flöße")

    body = (
        norm("A1", "<enbez>Art 1</enbez>", "<P>Ein Floß.</P>")
        + norm("A2", "<enbez>Art 2 bis 4</enbez><titel>(weggefallen)</titel>")
        + f"{article(231)}{section(231, 1, 'Ein Ruder.')}{section(231, 2, 'Zwei Ruder.')}"
        + f"{article(232)}{section(232, 1, 'Siehe Artikel 231 § 2, § 2 und Artikel 3.')}{section(232, 2, 'Nichts.')}"
        + norm("A3", "<enbez>Art 233</enbez>", "<P>Gilt ab morgen.</P>")
        + norm("X", "<enbez>Anlage 1</enbez><titel>(zu Artikel 232 § 2)</titel>", "<P>Lampen.</P>")
    )
    (tmp_path / "a.xml").write_text(f"{HEAD}{TITLE}{body}</dokumente>", encoding="utf-8")
    report = write_collection(f"de_gii(path={str(tmp_path / 'a.xml')!r})", tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert [row["article"] for row in rows] == ["1", "2-4", "231/1", "231/2", "232/1", "232/2", "233", "annex-1"]
    links = {
        tuple(end.removeprefix(f"{rows[0]['law_id']}-") for end in line.split("\t")[:2])
        for line in (tmp_path / "out" / "links.tsv").read_text("utf-8").splitlines()
    }
    assert links == {("232/1", "231/2"), ("232/1", "232/2"), ("232/1", "2-4"), ("annex-1", "232/2")}
    assert not report.faults


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (SAMPLE[:700].encode(), "a.xml, line .*: not well-formed XML"),
        (SAMPLE.replace("<dok", '<!ENTITY a "b"><dok', 1).encode(), "a.xml declares entities of its own"),
        (SAMPLE.replace("UTF-8", "US-ASCII").encode(), "a.xml, line .*: not well-formed XML"),
        (b"<dokumente/>", "a.xml: no 'dokumente' with 'norm' in it"),
        (b"<dokumente><norm/></dokumente>", "a.xml: the first 'norm' has no 'metadaten'"),
        (b"<dokumente><norm><metadaten/></norm></dokumente>", "a.xml: the first 'norm' has no name of the law"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.xml"), data))


def test_conformance(tmp_path) -> None:
    (tmp_path / "a.xml").write_text(SAMPLE, encoding="utf-8")
    check_conformance("de_gii", tmp_path)
