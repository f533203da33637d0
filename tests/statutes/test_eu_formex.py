from pathlib import Path

import pytest
from of_format import (
    check_conformance,
    documents_of,
    law_of,
)

from legalir.errors import DataError
from legalir.statutes.sources.eu_formex import FORMATS
from legalir.statutes.writing import write_collection

(FORMAT,) = FORMATS
SCHEMA = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://x/formex-06.xd"'
BIB = """<BIB.INSTANCE><DOCUMENT.REF FILE="raft.doc.xml"/><DATE ISO="20200203">20200203</DATE><LG.DOC>EN</LG.DOC>
<NO.DOC><YEAR>2020</YEAR><NO.CURRENT>7</NO.CURRENT></NO.DOC></BIB.INSTANCE>"""
TITLE = """<TITLE><TI><P><HT TYPE="UC">Regulation</HT> (EU) 2020/7</P><P>on rafts</P>
<P>(Text with EEA relevance)</P></TI>
</TITLE>"""
OPEN, CLOSE = '<QUOT.START CODE="2018" ID="s"/>', '<QUOT.END CODE="2019" REF.START="s"/>'
NOTE = '<NOTE><P>See <REF.DOC URI="http://data.europa.eu/eli/reg/2001/3/oj">OJ L 3</REF.DOC>.</P></NOTE>'
QUOTED = """<QUOT.S LEVEL="1"><ARTICLE IDENTIFIER="009"><TI.ART>
<QUOT.START CODE="2018" ID="q"/>Article 9</TI.ART><PARAG
IDENTIFIER="009.001"><NO.PARAG>1.</NO.PARAG><ALINEA>Other act.<NOTE><P>Note.<QUOT.END CODE="2019" REF.START="q"/></P>
</NOTE></ALINEA></PARAG></ARTICLE></QUOT.S>"""
ACT = f"""<?xml version="1.0" encoding="UTF-8"?><ACT {SCHEMA}>{BIB}{TITLE}<PREAMBLE><PREAMBLE.INIT><P>THE PORT,</P>
</PREAMBLE.INIT><GR.CONSID><GR.CONSID.INIT>Whereas:</GR.CONSID.INIT><CONSID><NP><NO.P>(1)</NO.P>
<TXT>Rafts sink.</TXT></NP>
</CONSID></GR.CONSID></PREAMBLE><ENACTING.TERMS><DIVISION><TITLE><TI><P>CHAPTER I</P></TI><STI><P>RAFTS</P>
</STI></TITLE>
<ARTICLE IDENTIFIER="001"><TI.ART>Article 1</TI.ART><STI.ART><P>Scope`</P></STI.ART><PARAG IDENTIFIER="001.001">
<NO.PARAG>1.</NO.PARAG><ALINEA>The {OPEN}raft{CLOSE} floats{NOTE}.</ALINEA></PARAG><PARAG IDENTIFIER="001.002">
<NO.PARAG>2.</NO.PARAG>
<ALINEA><P>It has:</P><LIST TYPE="alpha"><ITEM><NP><NO.P>(a)</NO.P><TXT>a lamp;</TXT><P><LIST TYPE="DASH"><ITEM><NP>
<NO.P>—</NO.P><TXT>red,</TXT></NP></ITEM></LIST></P></NP></ITEM></LIST></ALINEA></PARAG></ARTICLE>
<ARTICLE IDENTIFIER="002"><TI.ART>Article 2</TI.ART><ALINEA><P>The following is added:</P>{QUOTED}</ALINEA></ARTICLE>
</DIVISION></ENACTING.TERMS><FINAL><P>Done.</P></FINAL></ACT>"""
ROWS = """<TBL COLS="3"><CORPUS><ROW TYPE="HEADER"><CELL COL="1" COLSPAN="2">Raft</CELL>
<CELL COL="3">Lamps</CELL></ROW>
<ROW><CELL COL="1" ROWSPAN="2">big</CELL><CELL COL="2">red</CELL><CELL COL="3">1</CELL></ROW><ROW>
<CELL COL="2">green</CELL>
<CELL COL="3"><IE/></CELL></ROW></CORPUS></TBL>"""
ANNEX = f"""<ANNEX {SCHEMA}>{BIB}<TITLE><TI><P>ANNEX IV</P></TI><STI><P>Lamps</P></STI></TITLE><CONTENTS>
<GR.SEQ LEVEL="1"><TITLE><TI><P>Section A — Red lamps</P></TI></TITLE><NP><NO.P>1.</NO.P><TXT>Bright.</TXT>
</NP></GR.SEQ>
<GR.SEQ LEVEL="1"><TITLE><TI><P>Section B</P></TI></TITLE><NP><NO.P>1.</NO.P><TXT>Dim.</TXT></NP>{ROWS}</GR.SEQ>
</CONTENTS></ANNEX>"""
MANIFEST = f"""<DOC {SCHEMA}><PAPER><TITLE REF.TITLE="T"/></PAPER>{TITLE}</DOC>"""


def test_act() -> None:
    law = law_of(FORMAT, ACT, "raft.xml")
    assert (law.law_id, law.title, law.country, law.lang) == ("2020-7", "Regulation (EU) 2020/7 on rafts", "eu", "en")
    assert (law.level, law.promulgated) == ("act", "2020-02-03")
    assert "http://data.europa.eu/eli/reg/2020/7/oj" in law.names
    documents = documents_of(law)
    assert {number: one.text for number, one in documents.items()} == {
        "preamble": "THE PORT,\nWhereas:\n(1) Rafts sink.",
        "1": "1. The ‘raft’ floats.\n2. It has:\n(a) a lamp;\n— red,",
        "2": "The following is added:\n‘Article 9\n1. Other act.’",
    }
    assert (documents["1"].unit.key, documents["1"].unit.heading) == ("001", "Scope")
    assert [unit.label for unit in documents["1"].above[1:]] == ["CHAPTER I"]
    assert law.counts()[2].keys() == {"metadata", "title", "footnote", "signature"}


def test_footnotes_are_links() -> None:
    law = law_of(FORMAT, ACT)
    links = [(unit.key, link.law, link.key) for unit in law.root.walk() for link in unit.links]
    assert links == [("001.001", "http://data.europa.eu/eli/reg/2001/3/oj", "")]


def test_an_annex_is_a_file_of_its_act(tmp_path) -> None:
    (tmp_path / "raft.doc.xml").write_text(MANIFEST, encoding="utf-8")
    law = law_of(FORMAT, ANNEX, str(tmp_path / "raft.4.xml"))
    assert (law.law_id, law.title) == ("2020-7", "Regulation (EU) 2020/7 on rafts")
    documents = documents_of(law)
    assert {number: one.text for number, one in documents.items()} == {
        "annex-4/A/1": "Bright.",
        "annex-4/B": "Raft | Lamps\nbig | red | 1\nbig | green |",
        "annex-4/B/1": "Dim.",
    }
    assert documents["annex-4/A/1"].above[1].heading == "Lamps"
    assert documents["annex-4/A/1"].above[2].heading == "Red lamps"
    assert list(FORMAT.read(tmp_path / "raft.doc.xml", MANIFEST.encode())) == []


def test_a_folder_as_cellar_packs_it(tmp_path) -> None:
    """The annexes do not name the act: they share its document reference, and are in order."""
    shared = (
        '<BIB.INSTANCE><DOCUMENT.REF FILE="L_1.doc.xml"/><LG.DOC>EN</LG.DOC><NO.SEQ>0009{}</NO.SEQ>{}</BIB.INSTANCE>'
    )
    number = "<NO.DOC><NO.CURRENT>7</NO.CURRENT><YEAR>2020</YEAR></NO.DOC>"
    (tmp_path / "DOC_2.xml").write_text(ACT.replace(BIB, shared.format("", number)), encoding="utf-8")
    annexes = {}
    for place, title in enumerate(("ANNEX", "LAMPS"), 1):
        text = ANNEX.replace(BIB, shared.format(f".000{place}", "")).replace("ANNEX IV", title)
        (tmp_path / f"DOC_{place + 2}.xml").write_text(text, encoding="utf-8")
        annexes[place] = text
    for place, text in annexes.items():
        law = law_of(FORMAT, text, str(tmp_path / f"DOC_{place + 2}.xml"))
        assert (law.law_id, law.title) == ("2020-7", "Regulation (EU) 2020/7 on rafts")
        assert next(iter(documents_of(law))) == f"annex-{place}/A/1"


def test_a_folder_with_the_celex_number_names_the_act(tmp_path) -> None:
    law = law_of(FORMAT, ANNEX, str(tmp_path / "32020R0007" / "raft.4.xml"))
    assert (law.law_id, law.title) == ("32020R0007", "32020R0007")


def test_a_consolidated_act_has_dates() -> None:
    text = f"""<CONS.ACT {SCHEMA}><INFO.CONSLEG CONSLEG.REF="2020R0007" START.DATE="20220528" END.DATE="99999999"
LEG.VAL="REG"/><CONS.DOC><BIB.INSTANCE><LG.DOC>EN</LG.DOC></BIB.INSTANCE><FAM.COMP><BIB.DATA>
<BIB.INSTANCE.CONS><NO.DOC>
<NO.CURRENT>7</NO.CURRENT><YEAR>2020</YEAR></NO.DOC></BIB.INSTANCE.CONS><NO.CELEX>32020R0007</NO.CELEX>
<DATE ISO="20200203">20200203</DATE>{TITLE}</BIB.DATA><GR.MOD.ACT><MOD.ACT><BIB.DATA><NO.CELEX>32021R0009</NO.CELEX>
<DATE ISO="20210304">20210304</DATE></BIB.DATA></MOD.ACT></GR.MOD.ACT></FAM.COMP>{TITLE}<ENACTING.TERMS>
<ARTICLE IDENTIFIER="001A"><TI.ART>Article 1a</TI.ART><ALINEA>A raft.</ALINEA></ARTICLE></ENACTING.TERMS>
<CONS.ANNEX><TITLE><TI><P>ANNEX</P></TI></TITLE><CONTENTS><P>A lamp.</P></CONTENTS></CONS.ANNEX></CONS.DOC>
</CONS.ACT>"""
    law = law_of(FORMAT, text)
    assert (law.law_id, law.promulgated, law.effective_from) == ("32020R0007", "2020-02-03", "2022-05-28")
    assert (law.effective_to, law.amended_by, law.level) == ("", "32021R0009", "act")
    assert {number: one.text for number, one in documents_of(law).items()} == {"1a": "A raft.", "annex": "A lamp."}


def test_consolidations_without_the_number_of_their_act_are_one_law(tmp_path: Path) -> None:
    text = f"""<CONS.ACT {SCHEMA}><INFO.CONSLEG CONSLEG.REF="0{{0}}" START.DATE="20220528"/><CONS.DOC>{TITLE}
<ENACTING.TERMS>{{1}}</ENACTING.TERMS></CONS.DOC></CONS.ACT>"""
    one = "<ARTICLE><TI.ART>Article {}</TI.ART><ALINEA>{}</ALINEA></ARTICLE>"
    articles = one.format(1, "—————") + one.format(2, "— oars, — lamps —") + one.format(3, "—")
    laws = [law_of(FORMAT, text.format(f"2020R0007-202{day}0101", articles)) for day in (1, 2)]
    assert [law.law_id for law in laws] == ["32020R0007"] * 2
    assert [each.unit.repealed for each in documents_of(laws[0]).values()] == [True, False, False]
    assert law_of(FORMAT, text.format("2016E/TXT-20200301", articles)).law_id == "02016E/TXT"
    for day in (1, 2):
        (tmp_path / f"{day}.xml").write_text(text.format(f"2020R0007-202{day}0101", articles), encoding="utf-8")
        (tmp_path / f"{day}.doc.xml").write_text(MANIFEST, encoding="utf-8")  # It has no law.
    report = write_collection(f'history(path="{tmp_path}")', tmp_path / "new")
    assert (report.provisions, report.faults) == (3, [])


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (ACT.encode()[:800], "a.xml, line .*: not well-formed XML"),
        (ACT.replace("<ACT", '<!DOCTYPE a [<!ENTITY b "c">]><ACT', 1).encode(), "a.xml declares entities of its own"),
        (ACT.replace("UTF-8", "US-ASCII").encode(), "a.xml, line .*: not well-formed XML"),
        (b"<act/>", "a.xml: its root is <act>, not an act or annex of Formex"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.xml"), data))


def test_conformance(tmp_path) -> None:
    (tmp_path / "a.xml").write_text(ACT, encoding="utf-8")
    check_conformance("eu_formex", tmp_path)
