"""XML and pages by the rules of the package and of a file. The samples are invented, as the documentation describes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import ComponentError, DataError, DefinitionError
from legalir.statutes.importing.files import Format
from legalir.statutes.sources.auto import formats
from legalir.statutes.sources.html import FORMATS, shipped
from legalir.statutes.writing import write_collection

CASES = {
    "bwb": ("Havenwet", "BWBR0000001", "nl", "2024-01-01", "1a", "Begrippen", "Hoofdstuk 1 Algemeen"),
    "boe": ("Ley de puertos.", "BOE-A-2020-1", "es", "2020-06-01", "1", "Objeto.", "TÍTULO I Puertos"),
    "riigi_teataja": ("Sadamaseadus", "159", "et", "2018-06-22", "3¹", "Sadam", "1. peatükk Üldsätted"),
    "ecfr": ("Title 99—Harbors", "99", "en", "", "7.2", "Definitions.", "PART 7 QUAYS"),
    "legi": ("Code des ports", "LEGITEXT01", "fr", "", "L121-3", "", "Livre Ier › Titre II : Quais"),
    "leychile": ("LEY DE PUERTOS", "77", "es", "2022-02-02", "1", "", "TITULO I De los puertos"),
    "lovdata": (
        "Lov om havner",
        "NL-lov-2001-01-01-1",
        "no",
        "2001-06-01",
        "1-2",
        "Havn",
        "Kapittel 1. Regler",
    ),
    "nz": ("Harbours Act", "DLM1", "en", "2024-06-01", "3A", "Berths", "1 Quays"),
    "retsinformation": ("Lov om havne", "A1", "da", "2020-02-02", "1", "", "Kapitel 1 Regler"),
    "eisb": ("Quays Act 2016", "sample", "en", "", "1A", "Fees", "PART 1 Preliminary and General"),
    "ris": ("Kaigesetz 2001", "Kaigesetz-2001", "de", "", "5a", "Monatswerte", ""),
    "eurlex": ("Regulation on quays", "sample", "en", "", "1", "Scope", "CHAPTER I General"),
    "riksdagen": ("Lag (2001:1) om bryggor", "2001-1", "sv", "", "2a", "", "Bryggans skötsel"),
    "hklm": ("Harbours Ordinance", "Cap.-9", "en", "2020-05-01", "1A", "Berths", "Part 1 Quays"),
    "openleg": ("Harbors", "HBR", "en", "", "102", "Quays", "1 Short Title"),
}
TEXTS = {
    "bwb": "1 Een haven is een plaats.\n2 Er zijn:\na. kades;",
    "boe": "Los puertos son libres.",
    "riigi_teataja": "(1) Sadam on koht.",
    "ecfr": "(a) A quay is an edge.",
    "legi": "Le port est libre.",
    "leychile": "El puerto es libre.",
    "lovdata": "En havn er et sted.",
    "nz": "1 A berth is a place.",
    "retsinformation": "En havn er et sted.\n1) kajer\nStk. 2. Kajen er fri.",
    "eisb": "(1) No fee is due.",
    "ris": "(1) Zu melden sind:\n1. die Länge;\n2. die Breite.\nDer Hafen prüft sie.\n(2) § 4 gilt.",
    "eurlex": "1. This is about quays; Article 9 is replaced.",
    "riksdagen": "Bryggan är fri.",
    "hklm": "A berth is—\n(a) a place; or",
    "openleg": "A quay is an\nedge.",
}


def path_of(name: str) -> Path:
    (path,) = (Path(__file__).with_name("samples") / "rules").glob(f"{name}.*")
    return path


def sample(name: str) -> str:
    return path_of(name).read_text(encoding="utf-8")


def format_of(name: str) -> Format:
    return next(each for each in FORMATS if each.name == f"xml-{name}")


@pytest.mark.parametrize("name", CASES)
def test_rules_of_the_package(name: str) -> None:
    title, law_id, lang, day, number, heading, path = CASES[name]
    law = law_of(format_of(name), sample(name), f"sample{path_of(name).suffix}")
    assert (law.title, law.law_id, law.lang, law.effective_from) == (title, law_id, lang, day)
    document = documents_of(law)[number]
    assert (document.unit.kind, document.unit.heading) == ("article", heading)
    above = " › ".join(f"{each.label} {each.heading}".strip() for each in document.above[1:])
    assert above.replace(". ", " ") == path.replace(". ", " ")
    assert document.text == TEXTS[name]


@pytest.mark.parametrize(
    ("text", "heading", "article", "path"),
    [
        ("TITULO I\nDe los puertos", "De los puertos", "     Artículo 1º.- Libre.", "TITULO I De los puertos"),
        ("TITULO I DE LOS PUERTOS", "De los puertos", "Art. 1. Libre.", "TITULO I De los puertos"),
        ("TITULO I", "De los puertos", "Libre.", "TITULO I De los puertos"),
    ],
)
def test_numbers_and_headings_behind_their_text(text: str, heading: str, article: str, path: str) -> None:
    changed = sample("leychile").replace("TITULO I<", f"{text}<").replace("De los puertos", heading)
    law = law_of(format_of("leychile"), changed.replace("Artículo 1°.- El puerto es libre.", article))
    ((number, document),) = documents_of(law).items()
    above = document.above[-1]
    assert (number, document.text, f"{above.label} {above.heading}") == ("1", "Libre.", path)


def test_each_sample_is_recognised_by_its_rules_alone() -> None:
    assert set(CASES) == set(shipped())
    for name in CASES:
        data = sample(name).encode()
        for suffix in (".xml", ".html") if name in ("eurlex", "lovdata") else (path_of(name).suffix,):
            path = Path(f"a{suffix}")
            first = next(each for each in formats() if suffix in each.suffixes and each.recognises(path, data))
            assert first.name == f"xml-{name}"


def test_facts_of_units() -> None:
    dutch = documents_of(law_of(format_of("bwb"), sample("bwb")))
    assert {number: one.unit.repealed for number, one in dutch.items()} == {"1a": False, "2": True, "annex-1": False}
    assert dutch["1a"].unit.effective_from == "2023-05-01"
    assert documents_of(law_of(format_of("nz"), sample("nz")))["4"].unit.repealed
    hong_kong = documents_of(law_of(format_of("hklm"), sample("hklm")))
    assert set(hong_kong) == {"preamble", "1A", "2", "annex-1"} and hong_kong["2"].unit.repealed
    french = documents_of(law_of(format_of("legi"), sample("legi")))["L121-3"].unit
    assert (french.effective_from, french.effective_to) == ("2020-01-01", "")  # 2999 is no day
    assert documents_of(law_of(format_of("boe"), sample("boe")))["1"].unit.effective_from == "2023-01-01"
    assert set(documents_of(law_of(format_of("eurlex"), sample("eurlex")))) == {"preamble", "1", "annex-1"}


def test_what_eur_lex_adds_to_an_act_and_sets_beside_a_letter() -> None:
    rows = "<tr><td><p>(a)</p></td><td><p>a quay;</p></td></tr><tr><td><p>A</p></td><td><p>12</p></td></tr>"
    grid = "<div><div>b)</div><div><p>a pier</p></div></div>"
    note = '<a id="ntc1" href="#ntr1"> (<span>1</span>)</a>'
    page = sample("eurlex").replace("Regulation on quays<", "Regulation on quays (Text with EEA relevance)<")
    page = page.replace(
        "Article 9 is replaced.", f"Directive 2020/5{note} ►M1 and ►9 ►Boats ◄.</p><table>{rows}</table>{grid}<p>"
    )
    page = page.replace("ANNEX I</p>", 'ANNEX I</p><p class="oj-doc-ti">Kinds</p><p class="oj-doc-ti">of quays</p>')
    page = page.replace('<div class="eli-subdivision" id="art_1"', '<p class="norm">—————</p><div id="art_1"')
    law = law_of(format_of("eurlex"), page)
    documents = documents_of(law)
    assert law.title == "Regulation on quays" and set(documents) == {"preamble", "1", "annex-1"}
    text = "1. This is about quays; Directive 2020/5 and 9 Boats .\n(a) a quay;\nA | 12\nb) a pier"
    assert (documents["1"].text, documents["annex-1"].unit.heading) == (text, "Kinds of quays")


def test_a_short_name_in_brackets_is_of_the_name() -> None:
    page = sample("eurlex").replace("Regulation on quays<", "Ley de Eficiencia (LEE)<")
    assert law_of(format_of("eurlex"), page).title == "Ley de Eficiencia (LEE)"


def test_headings_of_several_paragraphs_in_denmark_are_groups() -> None:
    group = "<ParagrafGruppe><Rubrica><Char>Kajer</Char></Rubrica>"
    law = law_of(format_of("retsinformation"), sample("retsinformation").replace("<ParagrafGruppe>", group))
    assert [each.heading for each in documents_of(law)["1"].above[1:]] == ["Regler", "Kajer"]


def test_a_page_that_is_no_xml_is_read_by_the_parser_of_pages() -> None:
    page = sample("eurlex").partition("<html")
    saved = f"<!DOCTYPE html>\n<html{page[2]}".replace("<head>", '<head><meta charset="utf-8"><meta name="a">')
    law = law_of(format_of("eurlex"), re.sub('<div class="eli-main-title">(.*?)</div>', r"\1", saved))
    assert (law.title, documents_of(law)["1"].text) == ("Regulation on quays", TEXTS["eurlex"])
    with pytest.raises(DataError, match="not well-formed XML"):
        law_of(format_of("eurlex"), f"<?xml version='1.0'?>{saved}")


def test_lines_of_text_in_an_element() -> None:
    law = law_of(format_of("riksdagen"), sample("riksdagen"))
    assert law.promulgated == "2001-05-02"
    texts = {number: one.text for number, one in documents_of(law).items()}
    assert texts["1"] == "En brygga är en plats vid stranden där båtar kan lägga till."
    assert [*texts][-6:] == ["1", "2", "2a", "3", "4", "5"]
    assert documents_of(law)["4"].unit.repealed


JSON = {
    "law": {
        "@key": "a b/1",
        "name": "Satamalaki",
        "x:part": [
            {
                "@no": "I",
                "@name": "Yleistä",
                "rule": [
                    {"@since": "2020-01-02", "no": "1 §", "p": ["Satama.", "Laituri < 5 & 7.\u0000"], "n": None},
                    {"@state": "gone", "no": "2 §", "7 x": True},
                ],
            }
        ],
    }
}


@pytest.mark.parametrize("content", [JSON, {"status": "ok", "result": JSON}, [JSON]])
def test_the_keys_of_json_are_its_elements(tmp_path: Path, content: object) -> None:
    (tmp_path / "rules.yaml").write_text(OWN + "leave_out: [_7_x]\n", encoding="utf-8")
    (tmp_path / "law.json").write_text(json.dumps(content), encoding="utf-8-sig")
    source = f'xml(path="{tmp_path / "law.json"}", rules="{tmp_path / "rules.yaml"}")'
    write_collection(source, tmp_path / "new")
    rows = [json.loads(row) for row in (tmp_path / "new" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["docno"], row["text"]) for row in rows] == [("a-b-1-1", "Satama.\nLaituri < 5 & 7."), ("a-b-1-2", "")]
    assert (rows[0]["path"], rows[0]["effective_from"]) == ("I Yleistä", "2020-01-02")


ODD = [
    "{}",
    "[]",
    '{"a": 1}',
    '{"a": ' * 300 + "1" + "}" * 300,
    '{"a": [',
    "[[[1]]]",
    '{"²a ª": {"": 1}}',
    f"[{'1' * 5000}]",
]


@pytest.mark.parametrize("content", ODD)
def test_json_without_units_is_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "rules.yaml").write_text(OWN, encoding="utf-8")
    (tmp_path / "law.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"law\.json.*(nest|not JSON|nothing matches|no provision|digits)"):
        write_collection(f'xml(path="{tmp_path / "law.json"}", rules="{tmp_path / "rules.yaml"}")', tmp_path / "new")


OWN = """country: fi
lang: fi
title: name
law_id: law@key
units:
  - {css: part, kind: group, label: "@no", heading: "@name"}
  - {css: rule, kind: article, label: "> no", effective_from: "@since", repealed: "rule[state=gone]"}
"""
OWN_LAW = """<x:law xmlns:x="urn:x" key="a b/1"><x:name>Satamalaki</x:name><x:part no="I" name="Yleistä">
<x:rule since="2020-01-02" id="r1"><x:no>1 §</x:no><x:p>Satama.</x:p><x:p>Laituri.</x:p></x:rule>
<x:rule state="gone"><x:no>2 §</x:no></x:rule></x:part></x:law>"""


def test_rules_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(OWN, encoding="utf-8")
    (tmp_path / "law.xml").write_text(OWN_LAW, encoding="utf-8")
    source = f'xml(path="{tmp_path / "law.xml"}", rules="{tmp_path / "rules.yaml"}")'
    write_collection(source, tmp_path / "new")
    first, second = (tmp_path / "new" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert '"docno": "a-b-1-1", "text": "Satama.\\nLaituri.", "title": "Satamalaki 1 §"' in first
    assert '"path": "I Yleistä", "effective_from": "2020-01-02"' in first
    assert '"text": ""' in second


def test_faults(tmp_path: Path) -> None:
    (tmp_path / "law.xml").write_text(OWN_LAW, encoding="utf-8")
    with pytest.raises(ComponentError, match="no rules of this name"):
        write_collection(f'xml(path="{tmp_path}", rules="bwd")', tmp_path / "new")
    with pytest.raises(DataError, match="nothing matches the selectors"):
        write_collection(f'xml(path="{tmp_path / "law.xml"}", rules="bwb")', tmp_path / "new")
    (tmp_path / "rules.yaml").write_text("country: fi\n", encoding="utf-8")
    with pytest.raises(DefinitionError, match="must have units, or the selector of a text"):
        write_collection(f'xml(path="{tmp_path}", rules="{tmp_path / "rules.yaml"}")', tmp_path / "new")
    with pytest.raises(DataError, match="root element <law>"):
        write_collection(f'xml(path="{tmp_path}")', tmp_path / "new")


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "law.xml").write_text(sample("bwb"), encoding="utf-8")
    check_conformance("xml", tmp_path / "law.xml")


QUOTING = """<act date.assent="2001-01-01"><cover><title>Quays Act</title></cover><body>
<prov><label>1</label><heading>Old</heading><para>After section 6 of the Piers Act, insert:
<amend><prov><label>6A</label><heading>New</heading><subprov><label>1</label><para>Boats.</para></subprov></prov></amend>
</para></prov>
<prov><label>2</label><heading>End</heading><para>It ends.</para></prov></body></act>"""


def test_an_article_inside_another_is_its_text() -> None:
    documents = documents_of(law_of(format_of("nz"), QUOTING, "quays.xml"))
    assert [*documents] == ["1", "2"]
    assert " ".join(documents["1"].text.split()) == "After section 6 of the Piers Act, insert: 6A New 1 Boats."


def test_text_that_is_html_is_read_as_such() -> None:
    held = "<HTMLKonteiner><![CDATA[<p>Taru:</p><table><tr><td>Tee</td><td>30</td></tr></table>]]></HTMLKonteiner>"
    text = sample("riigi_teataja").replace("<tavatekst>Sadam on koht.</tavatekst>", held)
    assert held in text
    documents = documents_of(law_of(format_of("riigi_teataja"), text, "sadam.xml"))
    assert documents["3¹"].text == "(1) Taru:\nTee | 30"


def test_a_repeal_that_stands_in_a_note_of_the_publisher() -> None:
    note = "<muutmismarge><tavatekst>Kehtetu - </tavatekst></muutmismarge>"
    gone = f"<paragrahv><kuvatavNr>§ 4.</kuvatavNr><paragrahvPealkiri>Tasu</paragrahvPealkiri>{note}</paragrahv>"
    text = sample("riigi_teataja").replace("</loige>", f"</loige><loige><kuvatavNr>(2)</kuvatavNr>{note}</loige>", 1)
    text = text.replace("</peatykk>", f"{gone}</peatykk>", 1)
    found = documents_of(law_of(format_of("riigi_teataja"), text, "sadam.xml"))
    assert {number: one.unit.repealed for number, one in found.items()} == {"3¹": False, "4": True}


def test_an_annex_of_spain_and_a_heading_that_says_repealed() -> None:
    version = '<version fecha_vigencia="20200601"><p class="{}">{}</p>{}</version>'
    block = f'<bloque tipo="precepto" titulo="{{}}">{version}</bloque>'
    more = block.format(
        "Artículo 2", "articulo", "Artículo 2. (Derogado)", '<p class="nota_pie">Por la Ley 2/2018.</p>'
    )
    more += block.format("ANEXO", "anexo_num", "ANEXO", "<p>Diez euros.</p>")
    text = sample("boe").replace("</texto>", f"{more}</texto>")
    documents = documents_of(law_of(format_of("boe"), text, "ley.xml"))
    assert documents["2"].unit.repealed and documents["annex"].unit.kind == "annex"
