"""Statutes in PDF, Word and HTML files: headings by the look of lines, or by rules. All samples are made here."""

from __future__ import annotations

import io
import pickle
import textwrap
import zipfile
from collections.abc import Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

import pytest
from of_format import law_of
from pdf_file import pdf_of

from legalir import testing
from legalir.errors import ComponentError, DataError, DefinitionError
from legalir.statutes.documents import cut
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import Law
from legalir.statutes.reading import markup
from legalir.statutes.reading.lines import country_of, read_text
from legalir.statutes.reading.markup import Markup
from legalir.statutes.reading.plain_text import without_headers
from legalir.statutes.sources.auto import auto
from legalir.statutes.sources.docx import docx
from legalir.statutes.sources.html import FORMATS, html
from legalir.statutes.sources.pdf import FORMATS as PDF_FORMATS
from legalir.statutes.sources.pdf import pdf
from legalir.statutes.sources.text import FORMATS as TEXT_FORMATS
from legalir.statutes.sources.text import _with_margins, law_of_markdown, text

KOREAN = """물놀이장 안전법
차례
제1장 총칙
제1조(목적)
제2조(뜻)
제1장 총칙
제1조(목적) 이 법은 물놀이장의 사고를 막는다.
제2조(뜻) 이 법에서 쓰는 말의 뜻은 다음과 같다.
1. 물놀이장: 물에서 노는 곳
가. 수영장
나. 워터파크
2. 안전요원
제1조에 따른 사람만을 말한다.
제3조(의무) ① 누구나 조심한다.
② 시장은 알린다.
제3조의2 삭제 <2020. 1. 1.>
부칙 <제100호, 2020. 1. 1.>
제1조(시행일) 이 법은 공포한 날부터 시행한다.
[별표 1의2] 갖출 물건(제3조 관련)
1. 구명환: 3개
2. 줄: 20미터"""
EXPECTED = [
    ("1", "목적", "이 법은 물놀이장의 사고를 막는다."),
    (
        "2",
        "뜻",
        "이 법에서 쓰는 말의 뜻은 다음과 같다.\n1. 물놀이장: 물에서 노는 곳\n가. 수영장\n나. 워터파크\n2. 안전요원\n"
        "제1조에 따른 사람만을 말한다.",
    ),
    ("3", "의무", "① 누구나 조심한다.\n② 시장은 알린다."),
    ("3의2", "", ""),
    ("supp/1", "시행일", "이 법은 공포한 날부터 시행한다."),
    ("annex-1의2/1", "", "구명환: 3개"),
    ("annex-1의2/2", "", "줄: 20미터"),
]


def read(source: StatuteFiles) -> list[tuple[str, str, str]]:
    rows = [(row["article"], row.get("heading", ""), row["text"]) for row in source.provisions()]
    assert [report.unread for report in source.reports] == [0]
    return rows


def word_file(path: Path, lines: list[str], styles: Mapping[int, str] = MappingProxyType({})) -> Path:
    import docx as word

    file = word.Document()
    for at, line in enumerate(lines):
        file.add_paragraph(line, styles.get(at))
    file.save(str(path))
    return path


def test_styles_of_a_word_file_mark_its_name_and_headings(tmp_path: Path) -> None:
    lines = [
        "12.10",
        "Bootsverordnung",
        "vom 3. Mai 1990",
        "1. Boote",
        "§ 1* Ziel",
        "Es gilt § 2.",
        "Kosten",
        "§ 2 Preis",
    ]
    styles = {1: "Title", 3: "Heading 1", 4: "Heading 2", 6: "Heading 1", 7: "Heading 2"}
    rows = list(docx(None, path=word_file(tmp_path / "a.docx", [*lines, "Fünf."], styles)).provisions())
    assert {row["law"] for row in rows} == {"Bootsverordnung"}
    assert [(row.get("path"), row.get("heading"), row["text"]) for row in rows if row["article"] in ("1", "2")] == [
        ("1. Boote", "Ziel", "Es gilt § 2."),
        ("Kosten", "Preis", "Fünf."),
    ]


def test_a_word_file(tmp_path: Path) -> None:
    source = docx(None, path=word_file(tmp_path / "pool act.docx", KOREAN.splitlines()))
    assert read(source) == EXPECTED
    assert (
        next(row for row in source.provisions() if "annex" in row["docno"])["path"] == "별표 1의2 갖출 물건(제3조 관련)"
    )
    (report,) = source.reports
    assert report.laws == ["물놀이장 안전법"] and set(report.left_out) == {"title", "table of contents"}
    assert next(iter(source.provisions()))["law_id"] == "pool-act"


def test_conformance(tmp_path: Path) -> None:
    path = word_file(tmp_path / "a.docx", KOREAN.splitlines())
    page = tmp_path / "a.html"
    page.write_text("<meta charset='utf-8'>" + "".join(f"<p>{line}" for line in KOREAN.splitlines()), encoding="utf-8")
    latin = tmp_path / "a.pdf"
    latin.write_bytes(pdf_of([["Pool Act", "Article 1", "It helps.", "Article 2", "Care."]]))
    plain = tmp_path / "a.txt"
    plain.write_text(KOREAN, encoding="utf-8")
    files = (("docx", path, {}), ("html", page, {}), ("pdf", latin, {"country": "fr"}), ("text", plain, {}))
    for name, file, params in files:
        outcomes = testing.check("source", name, params={"path": str(file), **params})
        assert [one for one in outcomes if not one.ok] == []


def test_a_page_names_its_language_with_a_script(tmp_path: Path) -> None:
    page = '<html xml:lang="sr-Latn-RS"><meta charset="utf-8"/><p>ZAKON<p>Član 1.<p>Mol.<p>Član 2.<p>Luka.</html>'
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert [law.lang for _, law, _ in html(None, path=tmp_path / "a.html").laws()] == ["sr"]


def test_options_take_effect_and_travel(tmp_path: Path) -> None:
    path = word_file(tmp_path / "a.docx", KOREAN.splitlines())
    titles = [next(iter(docx(None, path=path, title=title).provisions()))["law"] for title in ("", "다른 법", "")]
    assert titles == ["물놀이장 안전법", "다른 법", "물놀이장 안전법"]
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    for source in (docx(None, path=path), html(None, path=path, rules=tmp_path / "rules.yaml"), pdf(None, path=path)):
        assert isinstance(source.formats, Format)
        assert pickle.loads(pickle.dumps(source.formats)).name == source.formats.name


def test_tables_and_numbered_paragraphs_of_a_word_file(tmp_path: Path) -> None:
    import docx as word

    path = word_file(tmp_path / "a.docx", ["법", "제1조(표) 다음과 같다."])
    file = word.Document(str(path))
    table = file.add_table(2, 2)
    for place, words in enumerate(("층", "개수", "1층", "3")):
        table.cell(place // 2, place % 2).text = words
    file.add_paragraph("번호 있는 줄", style="List Number")
    file.paragraphs[-1]._p.get_or_add_pPr().get_or_add_numPr()
    file.save(str(path))
    source = docx(None, path=path, title="다른 법")
    (_, _, text) = read(source)[-1]
    assert text == "다음과 같다.\n층 | 개수\n1층 | 3\n1. 번호 있는 줄"
    assert "Word numbers 1 paragraphs by itself" in source.reports[0].notes[0]


def test_terms_beside_their_meanings_in_a_word_file(tmp_path: Path) -> None:
    import docx as word

    path = word_file(tmp_path / "a.docx", ["Quay Act", "1. Title", "It is the Quay Act.", "2. Terms", "In this Act:"])
    file = word.Document(str(path))
    table = file.add_table(0, 2)
    rows = ("“bench”", "means a seat;"), ("lead", ""), ("quay", "a wall\n(a) of oak;\n(b) of iron."), ("", "of old;")
    for words in (*rows, ("(c)", "a tug;"), ("1.", "Boat"), ("Boat", "5")):
        for cell, own in zip(table.add_row().cells, words, strict=True):
            cell.text = own
    file.save(str(path))
    assert read(docx(None, path=path))[-1][2] == (
        "In this Act:\n“bench” means a seat;\nlead\nquay | a wall\n(a) of oak;\n(b) of iron.\nof old;\n(c) a tug;\n"
        "1. | Boat\nBoat | 5"
    )


SHOWN = """
<w:p><w:r><w:t>Hafengesetz</w:t></w:r></w:p>
<w:sdt><w:sdtContent><w:p><w:r><w:t>§ 1</w:t></w:r>
<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r>
<w:r><w:t xml:space="preserve"> Zweck</w:t></w:r></w:p></w:sdtContent></w:sdt>
<w:ins><w:p><w:r><w:t xml:space="preserve">Ein </w:t></w:r><w:del><w:r><w:delText>altes</w:delText></w:r></w:del>
<w:moveTo><w:r><w:t>neues </w:t></w:r></w:moveTo><w:fldSimple><w:r><w:t>Boot</w:t></w:r></w:fldSimple>
<w:r><w:instrText>REF x</w:instrText></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>geheim</w:t></w:r></w:p></w:ins>
<w:p><m:oMath><m:f><m:num><m:t>a+b</m:t></m:num><m:den><m:t>2</m:t></m:den></m:f></m:oMath>
<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>§ 2 Kasten</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Im Kasten.</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
"""


def test_all_that_word_shows_is_read(tmp_path: Path) -> None:
    names = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "m": "urn:m"}
    opening = " ".join(f'xmlns:{name}="{address}"' for name, address in names.items())
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {opening}><w:body>{SHOWN}</w:body></w:document>")
        archive.writestr("word/footnotes.xml", f"<w:footnotes {opening}><w:p><w:t>Fn</w:t></w:p></w:footnotes>")
    source = docx(None, path=tmp_path / "a.docx")
    assert read(source) == [("1", "Zweck", "Ein neues Boot\n(a+b)/2"), ("2", "Kasten", "Im Kasten.")]
    left_out = {"title": 11, "tracked deletion": 5, "hidden text": 6, "footnote": 2, "footnote mark": 1}
    assert source.reports[0].left_out == left_out
    assert any("footnotes are left out: 2 characters" in note for note in source.reports[0].notes)


NUMBERING = """
<w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="§ %1"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="2"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="(%1.%2)"/></w:lvl>
</w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num>
"""


def test_numbers_that_word_sets(tmp_path: Path) -> None:
    opening = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    level = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="7"/></w:numPr>'
    text = "<w:p><w:pPr>{}</w:pPr><w:r><w:t>{}</w:t></w:r></w:p>"
    rows = [("", "Hafengesetz"), (level.format(0), "Zweck"), (level.format(1), "Boote."), (level.format(1), "Kaie.")]
    rows += [('<w:pStyle w:val="Below"/>', "Ende"), (level.format(1), "Aus.")]
    style = f'<w:style w:styleId="Base"><w:pPr>{level.format(0)}</w:pPr></w:style>'
    style += '<w:style w:styleId="Below"><w:basedOn w:val="Base"/></w:style>'
    body = "".join(text.format(*row) for row in rows)
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {opening}><w:body>{body}</w:body></w:document>")
        archive.writestr("word/numbering.xml", f"<w:numbering {opening}>{NUMBERING}</w:numbering>")
        archive.writestr("word/styles.xml", f"<w:styles {opening}>{style}</w:styles>")
    source = docx(None, path=tmp_path / "a.docx")
    assert read(source) == [("1", "Zweck", "(1.II) Boote.\n(1.III) Kaie."), ("2", "Ende", "(2.II) Aus.")]
    assert source.reports[0].notes == ["a.docx: Word numbers 5 paragraphs by itself: look at their numbers."]


def test_raised_digits_and_divided_words_of_a_pdf(tmp_path: Path) -> None:
    lines = [
        "Harbours",
        "Article 1 Ports",
        "A port is the har-",
        "bour of a ship.",
        "Article 2 Quays",
        "A quay is here.",
    ]
    data = pdf_of([lines]).replace(
        b"(Article 1 Ports) Tj", b"(Article 1) Tj /F 6 Tf 5 Ts (3) Tj /F 11 Tf 0 Ts ( Ports) Tj"
    )
    (tmp_path / "a.pdf").write_bytes(data)
    source = pdf(None, path=tmp_path / "a.pdf")
    assert read(source) == [("1", "Ports", "A port is the harbour\nof a ship."), ("2", "Quays", "A quay is here.")]


def test_marks_and_letters_set_high_in_a_pdf_stay_on_their_line(tmp_path: Path) -> None:
    high = "/F 9.17 Tf 4 Ts ({}) Tj /F 11 Tf 0 Ts ({}) Tj"
    lines = ["Harbours", "Article 1", "A port has 20 m", "Article 2", "A quay is long.", "QUAY", "BLANK", "MARK"]
    data = pdf_of([lines])
    for plain, words in (
        (b"(Article 2) Tj", "(Article 2) Tj " + high.format(r"2\)", "")),  # 2)
        (b"(BLANK) Tj", "(It has 9 m) Tj " + high.format("2 ", "of deck.")),
        (b"(A port has 20 m) Tj", "(A port has 20 m) Tj " + high.format("2", " of quay.")),
        (b"(QUAY) Tj", "(The 10) Tj " + high.format("th", " quay is wide.")),
        (b"(MARK) Tj", high.format("1", "[It is deep.]")),
    ):
        data = data.replace(plain, words.encode())
    (tmp_path / "a.pdf").write_bytes(data)
    assert read(pdf(None, path=tmp_path / "a.pdf")) == [
        ("1", "", "A port has 20 m² of quay."),
        ("2", "", "A quay is long.\nThe 10th quay is wide.\nIt has 9 m² of deck.\n¹[It is deep.]"),
    ]


@pytest.fixture
def rules_of_a_city(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a jurisdiction in Latin letters, which the PDF samples are written in."""
    from legalir.statutes import jurisdictions
    from legalir.statutes.reading import lines

    city = jurisdictions.Jurisdiction.parse(
        {
            "lang": "en",
            "heading_in_brackets": True,
            "levels": [{"name": "rule", "kind": "article", "forms": ["Rule N"]}],
            "annex": ["Schedule"],
        }
    )
    monkeypatch.setattr(jurisdictions, "jurisdictions", lambda: {"city": city, "any": city})
    for module in (lines, jurisdictions):
        monkeypatch.setattr(module, "jurisdiction", lambda country: city)
    monkeypatch.setattr(lines, "jurisdictions", lambda: {"city": city, "any": city})
    from legalir.statutes.importing import files

    monkeypatch.setattr(files, "jurisdiction", lambda country: city, raising=False)


@pytest.mark.usefixtures("rules_of_a_city")
def test_pages_tables_and_headers_of_a_pdf(tmp_path: Path) -> None:
    pages = [
        [
            "City Law 1",
            "Pool Rules",
            "Rule 1 (Aim) These rules prevent accidents.",
            "Rule 2 (Duties)",
            "(1) Care.",
            "p. 1",
        ],
        ["City Law 2", "(2) Tell others.", "Rule 3 (Things) The table:", ("thing", "count"), ("ring", "3"), "p. 2"],
        ["City Law 3", "Rule 4 (Fines) It is 10.", "Rule 2 also applies here.", "p. 3"],
    ]
    (tmp_path / "a.pdf").write_bytes(pdf_of(pages))
    source = pdf(None, path=tmp_path / "a.pdf")
    assert read(source) == [
        ("1", "Aim", "These rules prevent accidents."),
        ("2", "Duties", "(1) Care.\n(2) Tell others."),
        ("3", "Things", "The table:\nthing | count\nring | 3"),
        ("4", "Fines", "It is 10.\nRule 2 also applies here."),
    ]
    assert source.reports[0].laws == ["Pool Rules"]


def _encrypted(data: bytes) -> bytes:
    import pypdf

    writer = pypdf.PdfWriter(io.BytesIO(data))
    writer.encrypt("secret")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


WHOLE = pdf_of([["Law", "Rule 1 (Aim) Text."]])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pdf_of([[], []]), "a.pdf holds pictures of pages and no text: it needs OCR first"),
        (_encrypted(WHOLE), "a.pdf is encrypted: save it without a password first"),
        (WHOLE[: len(WHOLE) // 3], "a.pdf"),
        (b"", "a.pdf is damaged"),
        (b"%PDF-1.4\n" + b"\0\xff" * 500, "a.pdf"),
        (pdf_of([["A letter", "Dear reader, hello."]]), "a.pdf: no line begins as an article does: name the country"),
    ],
)
def test_bad_pdf_files(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "a.pdf").write_bytes(data)
    source = pdf(None, path=tmp_path / "a.pdf")
    with pytest.raises(DataError, match="no provision was found"):
        list(source.provisions())
    assert words in source.reports[0].fault and "\n" not in source.reports[0].fault


def test_a_page_without_articles_is_called_by_its_title() -> None:
    for body in ("<title>404 Gone</title></head><body><p>Gone.</p>", "</head><body><h1>404 Gone</h1><p>Gone.</p>"):
        with pytest.raises(DataError, match=r'The page is called "404 Gone": if it is a law, name the country'):
            law_of(FORMATS[-1], f"<html><head>{body}</body></html>", "a.html")


def test_bad_word_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = word_file(tmp_path / "a.docx", ["법", "제1조(목적) 글"]).read_bytes()
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
    for data in (b"PK no", good[: len(good) // 2], other.getvalue()):
        (tmp_path / "a.docx").write_bytes(data)
        source = docx(None, path=tmp_path / "a.docx")
        with pytest.raises(DataError):
            list(source.provisions())
        assert "a.docx cannot be read as a Word file" in source.reports[0].fault
    monkeypatch.setattr("legalir.statutes.sources.docx.LARGEST", 2000)
    (tmp_path / "a.docx").write_bytes(good)
    with pytest.raises(DataError, match="limit is 0 MB"):
        list(docx(None, path=tmp_path / "a.docx").provisions())
    assert markup.LARGEST > 2000


PAGE = """<html><head><title>Site</title><style>p {}</style></head><body>
<nav>Menu</nav><h1>Pool Act</h1><p>Printed 2020</p>
<h2>Part 1 General</h2>
<div class="sec" id="s1"><b class="num">1</b> <i class="head">(Aim)</i>
<p>This Act, with <a href="#s2">section 2A</a>, protects.</p>
<ol><li class="sub">(1) people<li class="sub">(2) houses</ol></div>
<div class="sec" id="s2"><b class="num">2A</b> <i class="head">Duty</i>
<p>Care.<br>Tell.<table><tr><td>ring<td>3 <tr><td>rope<td>20 m</table></div>
<footer>bye</footer>"""
RULES = """
country: kr
leave_out: [nav, footer]
units:
  - {css: h2, kind: group, level: part, by: opens}
  - {css: .sec, kind: article, label: .num, heading: .head}
  - {css: .sub, kind: paragraph}
"""


def test_a_page_by_rules(tmp_path: Path) -> None:
    (tmp_path / "pool.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    source = html(None, path=tmp_path / "pool.html", rules=tmp_path / "rules.yaml")
    assert read(source) == [
        ("1", "Aim", "This Act, with section 2A, protects.\n(1) people\n(2) houses"),
        ("2A", "Duty", "Care.\nTell.\nring | 3\nrope | 20 m"),
    ]
    assert list(source.links()) == [("pool-1", "pool-2A", "cites")]
    assert [row["path"] for row in source.provisions()] == ["Part 1 General"] * 2
    assert set(source.reports[0].left_out) == {"not text of the law", "title", "outside of all units"}


def test_flat_headings_by_rules(tmp_path: Path) -> None:
    page = "<body><h1>법</h1><h3>제1조(목적)</h3><p>글</p><p>또</p><h3>제2조(뜻)</h3><p>둘</p><h3>Note</h3><p>셋</p>"
    (tmp_path / "a.html").write_text(f"<meta charset='utf-8'>{page}", encoding="utf-8")
    rules = "country: kr\nunits: [{css: h3, kind: article, by: opens}]"
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    assert read(html(None, path=tmp_path / "a.html", rules=tmp_path / "rules.yaml")) == [
        ("1", "목적", "글\n또"),
        ("2", "뜻", "둘"),
        ("text", "Note", "셋"),
    ]


def test_a_page_without_rules(tmp_path: Path) -> None:
    body = "".join(f"<p>{line}</p>" for line in KOREAN.splitlines()[1:])
    page = f"<html><head><meta charset='utf-8'><title>물놀이장 안전법</title></head><body>{body}</body></html>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert read(html(None, path=tmp_path / "a.html")) == EXPECTED


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("country: kr\nunits: [{css: .none, kind: article}]", "nothing matches the selectors of the rules (.none)"),
        (
            "country: kr\ntitle: h6\nunits: [{css: .sec, kind: article}]",
            "nothing matches 'h6', the selector of the title",
        ),
    ],
)
def test_rules_that_match_nothing(tmp_path: Path, rules: str, words: str) -> None:
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    source = html(None, path=tmp_path / "a.html", rules=tmp_path / "rules.yaml")
    with pytest.raises(DataError):
        list(source.provisions())
    assert words in source.reports[0].fault


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("country: kr", "units"),
        ("country: kr\nunits: [{css: p, kind: chapter}]", "kind"),
        ("country: kr\nunits: [{css: p, kind: article, form: x}]", "form"),
    ],
)
def test_wrong_rules(tmp_path: Path, rules: str, words: str) -> None:
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    with pytest.raises(DefinitionError, match=words):
        html(None, path=tmp_path, rules=tmp_path / "rules.yaml")


def test_a_selector_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("country: kr\nunits: [{css: 'p[', kind: article}]", encoding="utf-8")
    with pytest.raises(DataError, match=r"selector 'p\['"):
        list(html(None, path=tmp_path / "a.html", rules=tmp_path / "rules.yaml").provisions())


def test_the_country_is_the_one_whose_headings_are_there() -> None:
    assert country_of(KOREAN.splitlines()) == "kr"
    assert country_of(["nothing", "here"]) == ""


LISTS = """<html lang="en"><head><title>Tug Act</title></head><body>
<nav><ol><li><a href="/">Home</a></li><li>Laws</li></ol></nav><h1>Tug Act</h1><ol><li>of 1998</li></ol>
<h2>Section 1. Aim</h2><p>The aim is:</p><ol><li>safe tugs,</li><li><p>good crews:</p>
<ol type="a"><li>masters,</li><li>mates;</li></ol></li><li>no oil.</li></ol>
<h2>Section 2. Fees</h2><ol start="4"><li>The fee is 2 crowns.</li><li value="28">It is paid.</li><li></li></ol>
<p>All pay.</p><ol><li>(1) Masters.</li><li>(2) Mates.</li></ol><ul><li>Tugs.</li></ul>
<ol style="list-style: none"><li>Boats.</li></ol><ol class="list-unstyled"><li>Rafts.</li></ol>
<ol style="list-style-type: lower-roman" reversed><li>Ferries.</li><li>Piers.</li></ol>
<ol type="A" start="28"><li>Buoys.</li></ol></body></html>"""


def test_numbers_of_lists_as_browsers_show_them() -> None:
    law = law_of(FORMATS[-1], LISTS, "act.html")
    articles = {one.number: law.render(one) for one in law.root.walk() if one.kind == "article"}
    assert articles == {
        "1": "The aim is:\n1. safe tugs,\n2. good crews:\na. masters,\nb. mates;\n3. no oil.",
        "2": "4. The fee is 2 crowns.\n28. It is paid.\nAll pay.\n(1) Masters.\n(2) Mates.\nTugs.\nBoats.\nRafts.\n"
        "ii. Ferries.\ni. Piers.\nAB. Buoys.",
    }
    labels = [(one.kind, one.label) for one in law.root.walk() if one.kind in ("item", "subitem")]
    assert labels[:5] == [("item", "1."), ("item", "2."), ("subitem", "a."), ("subitem", "b."), ("item", "3.")]
    assert "1." not in law.text[: law.text.index("Section 1")]


TERMS = """<html><body><h1>Quay Act</h1><h2>1. Terms</h2><dl><dt>bench</dt><dd><p>a seat;</p></dd><dt>“quay”</dt>
<dd>means <ol type="a"><li>a wall;</li><li>a pier.</li></ol></dd><div><dt>tug means</dt><dd>a boat;</dd>
<dd>a ship.</dd></div>
<dt>Empty</dt><dd></dd><dt>(1)</dt><dd>A boat.</dd></dl><h2>2. Fees</h2><p>A fee is due.</p>
<dl><dt>3. End</dt><dd>It ends.</dd></dl></body></html>"""


def test_lists_of_terms_have_a_line_for_each_term() -> None:
    law = law_of(FORMATS[-1], TERMS, "act.html")
    articles = {f"{one.number} {one.heading}": law.render(one) for one in law.root.walk() if one.kind == "article"}
    assert articles == {
        "1 Terms": "bench: a seat;\n“quay” means\na. a wall;\nb. a pier.\ntug means a boat;\na ship.\nEmpty\n"
        "(1) A boat.",
        "2 Fees": "A fee is due.",
        "3 End": "It ends.",
    }


def test_numbers_of_lists_behind_words_for_readers_of_the_screen() -> None:
    items = (
        '<li><div><span class="sr-only">Ziffer eins</span><span>1.</span></div><div>Kai;</div></li><li>2. Pier.</li>'
    )
    page = "".join(f'<h3 class="onlyScreenreader">Text</h3><p>§ {n} Boote sind:<ol>{items}</ol>' for n in (1, 2, 3))
    law = law_of(FORMATS[-1], f"<html lang=de><h1>Hafengesetz</h1>{page}</html>", "a.html")
    articles = [one for one in law.root.walk() if one.kind == "article"]
    assert {law.render(one) for one in articles} == {"Boote sind:\n1. Kai;\n2. Pier."}


PUBLISHED = """<html lang="es"><head><meta charset="utf-8">
<title>BOE-A-2009-1 Ley 4/2009, de los muelles | Boletín</title></head><body>
<div class="header"><a href="/">Inicio</a> <a href="/b">Buscar</a></div>
<ul role="navigation"><li><a href="/m">Mapa</a></li></ul>
<h1>Ley 4/2009, de los muelles</h1>
<ul><li><a href="#a1">Artículo 1. Objeto.</a></li><li><a href="#a2">Artículo 2.</a></li>
<li><a href="#a3">Artículo 3. Tasas.</a></li></ul>
<h5 id="a1"><a href="#a1">Artículo 1. Objeto.</a></h5>
<p><span class="sr-only">Artículo uno</span>Esta ley es de muelles.</p>
<h5 id="a2">Artículo 2.</h5><p>(Derogado)</p><p>Se deroga por la Ley 8/2014.</p>
<h5 id="a3">Artículo 3. Tasas.</h5><p>Ley 4/2009, de los muelles</p><p>Hay tasas.</p>
<div id="pie"><a href="/l">Aviso legal</a></div><p><a href="/c">Contacto</a></p></body></html>"""


def test_a_page_of_a_publisher_is_more_than_the_law(tmp_path: Path) -> None:
    law = law_of(FORMATS[-1], PUBLISHED, "ley.html")
    assert law.title == "Ley 4/2009, de los muelles"
    articles = [one for one in law.root.walk() if one.kind == "article"]
    assert [law.render(one).splitlines()[-1] for one in articles] == [
        "Esta ley es de muelles.",
        "Se deroga por la Ley 8/2014.",
        "Hay tasas.",
    ]
    assert [one.number for one in articles if one.repealed] == ["2"]
    reasons = {law.text[each.start : each.end]: each.reason for each in law.left_out}
    assert {"menus", "table of contents"} <= set(reasons.values())


@pytest.mark.parametrize(("word", "kept"), [("Sumario", False), ("Índice:", False), ("De los muelles", True)])
def test_the_heading_of_contents_is_not_of_the_law(word: str, kept: bool) -> None:
    law = law_of(FORMATS[-1], PUBLISHED.replace("<ul><li><a", f"<h2>{word}</h2><ul><li><a"), "ley.html")
    assert any(each.kind == "preamble" and word in law.render(each) for each in law.root.units) is kept


@pytest.mark.parametrize(
    "page",
    [
        "<h1>Loi sur les ports</h1>"
        + "".join(f'<h5><a href="#a{n}">Article {n}</a></h5><div id="a{n}">T.</div>' for n in (1, 2, 3)),
        '<div class="menu"><h1>Loi sur les ports</h1>'
        + "".join(f"<p>Article {n}</p><p>T.</p>" for n in (1, 2, 3))
        + "</div>",
        "".join(f'<p><a href="/a">Article {n}</a></p><p>T.</p>' for n in (1, 2, 3)),
        "<p>Préface.</p>" * 9
        + "".join(f'<div class="article nav-target"><p>Article {n}</p><p>T.</p></div>' for n in (1, 2, 3)),
    ],
    ids=["headings are links to what follows", "all in a menu", "no title", "each called a target of the menu"],
)
def test_the_law_of_a_page_is_not_taken_for_its_menu(page: str) -> None:
    law = law_of(FORMATS[-1], f"<html lang='fr'><head><title>Loi</title></head><body>{page}</body></html>", "loi.html")
    articles = [one for one in law.root.walk() if one.kind == "article"]
    assert [(one.label, law.render(one)) for one in articles] == [(f"Article {n}", "T.") for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("lines", "numbers"),
    [
        (
            "# Décret\n\n## Chapitre I\n\n### Article 1\n\nLes **ports** sont libres.\n\n### Article 2\n\nFin.",
            "1 2",
        ),
        ("---\ntitulo: Ley\n---\n# Ley de muelles\n\n**Artículo 1.** Hay muelles.\n\n**Artículo 2.** Fin.", "1 2"),
        ("# Quay Act\n\n## Part 1\n\n1. A quay is long.\n\n2. It is wide.\n\n## Part 2\n\n3. It ends.", "1 2 3"),
        ("# Muelle\n\n## Título I\n\n1. Hay muelle.\n\n## Título II\n\n2. Hay tasa.\n\n3. Fin.", "1 2 3"),
        ("# The Quay Order 2013\n\n## 1. Citation\n\nThis is the Order.\n\n## 2. Repeal\n\nOld orders end.", "1 2"),
    ],
)
def test_markdown_of_anybody(tmp_path: Path, lines: str, numbers: str) -> None:
    (tmp_path / "law.md").write_text(lines, encoding="utf-8")
    rows = list(auto(None, path=tmp_path / "law.md").provisions())
    assert [one["article"] for one in rows if one["article"] != "preamble"] == numbers.split()
    assert not any(sign in one["text"] for one in rows for sign in ("**", "#"))


@pytest.mark.parametrize(
    ("lines", "law"),
    [
        ("Benches Act 2001\n\n1. The harbour master keeps benches.\n", True),
        ("Ordenanza de bancos\n\n1. El capitán pone los bancos.\n", True),
        ("Notes of the meeting\n\n1. The harbour was discussed.\n", False),
        ("Dear Sir,\n\nunder the Harbour Act 2001 we ask you:\n\n1. Pay the fee.\n", False),
        ("Harbour Act 2001\n\n2. A fee is due.\n", False),
    ],
)
def test_a_law_of_one_section_says_that_it_is_one(tmp_path: Path, lines: str, law: bool) -> None:
    (tmp_path / "a.txt").write_text(lines, encoding="utf-8")
    if law:
        assert [one["article"] for one in auto(None, path=tmp_path / "a.txt").provisions()] == ["1"]
    else:
        with pytest.raises(DataError):
            list(auto(None, path=tmp_path / "a.txt").provisions())


def test_lists_of_markdown_are_no_laws(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\n1. Install it.\n2. Run it.\n3. Read it.\n", encoding="utf-8")
    parts = "# Guide\n\n## Part 1\n\n1. Open it.\n2. Close it.\n\n## Part 2\n\n1. Read it.\n"
    (tmp_path / "guide.md").write_text(parts, encoding="utf-8")
    (tmp_path / "README.md").write_text("# Laws\n\n## Article 1\n\nText.\n\n## Article 2\n\nText.\n", encoding="utf-8")
    with pytest.raises(DataError, match="no file of a known format"):
        list(auto(None, path=tmp_path).provisions())
    with pytest.raises(DataError, match=r"taken for lists: if they are sections, read it with text\(path="):
        list(auto(None, path=tmp_path / "notes.md").provisions())
    assert [one["article"] for one in text(None, path=tmp_path / "notes.md").provisions()] == ["1", "2", "3"]


def test_only_annexes_are_no_law(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Harbour Act\n1Scope\n2Fees\nSCHEDULE\nSection 1\nText.\nSection 2\nText.", "utf-8")
    with pytest.raises(DataError, match="outside of annexes"):
        list(text(None, path=tmp_path / "a.txt", country="any").provisions())


def test_lines_of_numbered_sections_beside_one_that_begins_with_the_word() -> None:
    lines = [
        "Quay Act",
        "1. Short title.—This is the Quay Act.",
        "2. Fees.—A fee is due under",
        "section 1 at once.",
        "5. ......",
        "6A. Board.—There is a board.",
    ]
    law = read_text("a", lines, "auto", "", "a")
    assert [one.number for one in law.root.walk() if one.kind == "article"] == ["1", "2", "5", "6A"]


def test_marks_of_footnotes_in_square_brackets() -> None:
    lines = ["กฎหมาย", "มาตรา ๑ ชื่อ", "มาตรา ๒[๑]  ใช้บังคับ", "มาตรา ๒/๑  เพิ่ม", "มาตรา ๓  จบ"]
    law = read_text("a", lines, "auto", "", "a")
    assert [one.number for one in law.root.walk() if one.kind == "article"] == ["1", "2", "2/1", "3"]


FURNITURE = """<html lang="de"><head><title>HmHafG | Vorschriften</title></head><body>
<div id="kopf"><a href="/">Start</a> <a href="/s">Suche</a></div><p>Sie sind hier: Start &gt; Recht</p>
<h1>Gesetz über die Häfen</h1><h2>Allgemeines</h2>
<h4>§ 1<br>Zweck</h4><table><tr><td>1.</td><td>Der Hafen ist frei.</td></tr></table>
<h4>Hinweis</h4><p>Neu.</p><h4>§ 2<br>Preise</h4><p>Fünf.</p><h4>Hinweis</h4><p>Alt.</p>
<h2>Ende der Häfen</h2><h4>§ 3<br>Schluss</h4><p>Aus.</p><h4>Hinweis</h4><p>Alt.</p>
<p><a href="#">Nach oben</a> · <a href="/k">Kontakt</a><br>Stand der Daten: 2. Mai</p></body></html>"""


def test_headings_without_numbers_are_groups_and_the_foot_is_no_text() -> None:
    law = law_of(FORMATS[-1], FURNITURE, "g.html")
    documents = cut(law).documents
    assert law.title == "Gesetz über die Häfen"
    articles = [each for each in documents if each.unit.kind == "article"]
    paths = [" ".join(unit.heading for unit in each.above if unit.kind == "group") for each in articles]
    assert paths == ["Allgemeines", "Allgemeines", "Ende der Häfen"]
    assert articles[0].text == "1. Der Hafen ist frei.\nHinweis\nNeu." and "Stand" not in articles[2].text
    reasons = {each.reason for each in law.left_out}
    assert reasons == {"around the law", "title"}


@pytest.mark.parametrize(
    "end",
    [
        '<p><a href="/5">Inserted by Act 5</a></p><p>It ends there.</p>',
        '<p><a href="/5">Act 5</a>, <a href="/6">Act 6</a></p><p>(2) It ends there.</p>',
        '<p>Boats | quays | piers are free.</p><p>It ends there.</p>',
        '<p><a href="/5">Act 5</a> · <a href="/6">Act 6</a></p><p>Schedule</p><p>It ends there.</p>',
        "<table><tr><th>Boat</th><th>Length</th><th>Fee</th></tr></table><p>It ends there.</p>",
    ],
)  # fmt: skip
def test_the_end_of_a_law_is_no_foot(end: str) -> None:
    page = f"<html><body><h1>Pier Act 1990</h1><p>1. It is.</p><p>2. (1) It goes on.</p>{end}</body></html>"
    law = law_of(FORMATS[-1], page, "a.html")
    assert "It ends there." in [document.text.splitlines()[-1] for document in cut(law).documents][-1]


@pytest.mark.parametrize("called", ["navigation", "share-capital", "foot-passengers", "menu-of-duties"])
def test_a_part_of_the_law_may_be_called_as_a_menu_is(called: str) -> None:
    duty = "Boats that leave the port keep to the right side of the channel."
    body = "".join(
        f"<p>Article {n}</p><p>T.</p><section id='{called}'><h4>Of it</h4><p>{duty}</p></section><p>A.</p>"
        for n in range(1, 6)
    )
    menu = f"<div class='{called}'><a href='/a'>Home</a> <a href='/b'>Search</a></div>"
    page = f"<html><body>{menu}<h1>Loi sur les ports</h1>{body}{menu}</body></html>"
    law = law_of(FORMATS[-1], page, "loi.html")
    texts = [law.render(one) for one in law.root.walk() if one.kind == "article"]
    assert sum(duty in text for text in texts) == 5 and not any("Home" in text for text in texts)


HEADS = {"en": "Section", "fr": "Article", "de": "§", "es": "Artículo"}
TOOLS = {
    "in a line": '<p><a href="#">Print</a> · <a href="/c">Copy link</a></p>',
    "in lines": "<ul><li><a>Print</a></li><li><a>Copy link</a></li></ul>",
    "in a cell": "<table><tr><td>It is kept.</td><td><a>Print</a></td></tr></table>",
    "in a block": "<div><a>Print</a><a>Copy link</a></div>",
    "of a class": "<div class='t'>Copy link · Share</div>",
    "with a number": "<div class='t'><a>Copy link</a> <a>3 judgments</a></div>",
    "to the top": "<p><a href='#'>Back to top</a></p>",
}


def law_on_page(body: str, lang: str = "en") -> Law:
    return law_of(FORMATS[-1], f"<html lang='{lang}'><body>{body}</body></html>", "law.html")


def rendered(law: Law, *kinds: str) -> list[str]:
    return [law.render(one) for one in law.root.walk() if one.kind in (kinds or ("article",))]


@pytest.mark.parametrize("lang", HEADS)
@pytest.mark.parametrize("tools", TOOLS)
def test_tools_of_each_article_are_no_text(tools: str, lang: str) -> None:
    articles = "".join(f"<h4>{HEADS[lang]} {n}</h4><p>Text {n}.</p>{TOOLS[tools]}" for n in range(1, 6))
    texts = rendered(law_on_page(f"<h1>Harbour Act 1990</h1><div>{articles}</div>", lang))
    last = "\nIt is kept." if tools == "in a cell" else ""
    assert texts == [f"Text {n}.{last}" for n in range(1, 6)]


@pytest.mark.parametrize(
    "again",
    [
        "<p>As in <a href='/1'>Act 1</a> of old.</p>",  # words beside the link
        "<p><a href='/1'>Act 1</a></p><p>is named here.</p><p>So it is.</p>",  # no heading near
        "<table><tr><td>Bream</td><td><a href='/y'>Yes</a></td></tr><tr><td>Carp</td><td>No</td></tr></table><p>.</p>"
        "<p>So it is.</p>",
        "<p>. . . .</p>",  # points stand for a text
        "<p class='x'>It is so in each port.</p>",  # sentences of a class
        "<p>The top of the page.</p>",
    ],
)
def test_links_that_come_again_may_be_text(again: str) -> None:
    articles = "".join(f"<h4>Section {n}</h4><p>Text {n}.</p>{again}" for n in range(1, 6))
    words = " ".join(rendered(law_on_page(f"<h1>Harbour Act 1990</h1><div>{articles}</div>"))[2].split())
    kept = Markup(again.replace("</p>", " </p>").encode(), "a", html=True).text if "table" not in again else "Yes"
    assert " ".join(kept.split()) in words


def test_tools_behind_headings_are_no_text() -> None:
    articles = "".join(
        f"<h4>Section {n} Berths <a href='#'>Link to this</a></h4><p>Text {n} of <a href='/2'>The Act</a></p>"
        "<p>It ends.</p>"
        for n in range(1, 6)
    )
    law = law_on_page(f"<h1>Harbour Act 1990</h1><div>{articles}</div>")
    assert {each.heading for each in law.root.walk() if each.kind == "article"} == {"Berths"}
    assert rendered(law) == [f"Text {n} of The Act\nIt ends." for n in range(1, 6)]


@pytest.mark.parametrize("tag", ["h6", "p"])
def test_headings_of_two_links_are_no_menu(tag: str) -> None:
    names = ["Aim", "Duty", "Duty", "Duty", "End", "Day", "Place"]
    heads = [
        f"<a href='#a{n}'>Art. {n}</a>{'<sup>1</sup>' * (n == 6)}<a> {name}</a>" for n, name in enumerate(names, 1)
    ]
    articles = "".join(f"<{tag}>{head}</{tag}><p>Text {n}.</p>" for n, head in enumerate(heads, 1))
    part, menu = "<h3><a>Part 1</a><a> Docks</a></h3>", "<p><a>Art. 1</a> <a>Art. 2</a></p>"
    law = law_on_page(f"<h1>Harbour Act 1990</h1>{menu}{part}{articles}", "en")
    assert rendered(law) == [f"Text {n}." for n in range(1, 8)] and law.root.units[0].heading == "Docks"
    assert [each.heading for each in law.root.walk() if each.kind == "article"] == names


@pytest.mark.parametrize("mark", ["({})", "{})", "{}.", "{}°"])
def test_headings_of_paragraphs_are_text_of_their_article(mark: str) -> None:
    one, two = (mark.format(each) for each in ("ab" if mark == "({})" else "12"))
    inside = f"<h4>{one} Crew</h4><p>It is small.</p><h4>{two} Day</h4><p>It is soon.</p>"
    articles = f"<h3>§ 1 Docks</h3><p>A dock.</p><h3>§ 2 Boats</h3>{inside}<h3>§ 3 End</h3><p>It ends.</p>"
    law = law_on_page(f"<h1>Harbour Act 1990</h1>{articles}")
    assert rendered(law) == ["A dock.", f"{one} Crew\nIt is small.\n{two} Day\nIt is soon.", "It ends."]
    parts = f"<h2>{one} Docks</h2><h3>§ 1 Docks</h3><p>A dock.</p><h2>{two} End</h2><h3>§ 2 End</h3><p>It ends.</p>"
    law = law_on_page(f"<h1>Harbour Act 1990</h1>{parts}")
    assert [each.heading for each in law.root.walk() if each.kind == "group"][-1] == f"{two} End"


def test_the_roman_number_of_a_part_beside_its_name() -> None:
    part = "<h2><span>Part I</span><span>Docks</span></h2><p>1. A dock is.</p><p>2. It ends.</p>"
    law = law_on_page(f"<h1>Dock Act</h1><p><b>I</b>N all docks</p>{part}")
    assert [each.heading for each in law.root.walk() if each.kind == "group"] == ["Docks"]
    assert rendered(law, "preamble", "article") == ["IN all docks", "A dock is.", "It ends."]


def test_links_to_notes_before_numbers() -> None:
    """``[F1`` is a link to the note of a section that was inserted: ``[F1 1A``."""
    heads = ("<span>1</span><span>Keys.</span>", '[<a href="#c">F1</a><span>1A</span><span>Bells.</span>')
    articles = "".join(
        f'<h4>{head}</h4><p>Press <a href="#f">F2</a>, or <a href="#c">F1</a>pull.</p>' for head in heads
    )
    law = law_on_page(f'<h1>Pier Act 1990</h1><div>{articles}</div><p id="c">F1 added</p><p id="f">F2 is a key</p>')
    found = [(each.number, each.heading) for each in law.root.units if each.kind == "article"]
    assert found == [("1", "Keys"), ("1A", "Bells")]
    assert rendered(law)[0] == "Press F2, or F1 pull."


def test_signatures_behind_the_last_article_are_no_text() -> None:
    articles = "".join(f"<h4>Section {n}</h4><p>Text {n}.</p><p class='sign'>Sign {n} means stop.</p>" for n in (1, 2))
    signed = "<div class='sign'><p>Harbour Board, 3 May 1990</p><p>A. Pilot</p></div>"
    law = law_on_page(f"<h1>Harbour Act 1990</h1><div>{articles}<h4>Section 3</h4><p>Text 3.</p>{signed}</div>")
    assert rendered(law) == ["Text 1.\nSign 1 means stop.", "Text 2.\nSign 2 means stop.", "Text 3."]
    assert "signatures" in {each.reason for each in law.left_out}


@pytest.mark.parametrize(
    ("end", "left_out"),
    [
        ("Änderungstabelle - Nach Paragraph;Element | Beschluss;§ 1 | 03.05.1990;§ 2 | 03.05.1990", True),
        ("Tableau des modifications par article;Élément Décision;Art. 1 03.05.1990", True),
        ("Tarif;Boot | 5 Franken;Kahn | 3 Franken", False),
        (
            "Änderungstabelle;Boot | 5 Franken;Wer ein Boot ändert, das am Steg liegt, zahlt den Preis, der dafür in"
            " der Tabelle steht.",
            False,
        ),
        ("Die Änderungstabelle gilt.;Boot | 03.05.1990", False),
    ],
)
def test_a_table_of_changes_behind_the_last_article_is_no_text(end: str, left_out: bool) -> None:
    lines = ["§ 1 Ziel", "Es gilt.", "§ 2 Ende", "Es endet.", *end.split(";"), "Anhang 1", "Preise"]
    law = read_text("a.txt", lines, "de", "Law", "a")
    assert law.unread() == [] and len(rendered(law, "article")) == 2
    assert (rendered(law, "article")[1] == "Es endet.") == left_out
    assert rendered(law, "annex") == ["Preise"] and bool(law.left_out) == left_out


@pytest.mark.parametrize(
    "signed",
    [
        "Paris, le 14 octobre 2016.|A. Pilote",
        "Hafen an der See, den 3. Mai 1990|gez. Dr. Anna Lotse|Bürgermeisterin",
        "Fait à Port, le 3 mai 1990.|Le ministre,|A. Pilote",
        "Aldus vastgesteld op 3 mei 1990.|De griffier, A. Loods",
        "A. Pilot|Minister of State for Boats|3rd May 1990",
        "3 May 1990\tHarbour Office|Dr. Ann O’Pilot",
    ],
)
def test_signatures_in_a_text(signed: str) -> None:
    lines = [line for n in (1, 2, 3) for line in (f"Article {n}", f"Text {n}.", "It is so since Monday, 3 May 1990.")]
    law = read_text("a.txt", [*lines, *signed.split("|"), "Annex 1", "Dues: 5."], "any", "Law", "a")
    assert rendered(law, "article", "annex")[2:] == ["Text 3.\nIt is so since Monday, 3 May 1990.", "Dues: 5."]
    assert law.unread() == [] and [each.reason for each in law.left_out] == ["signatures"]


@pytest.mark.parametrize(
    "end",
    [
        "This Act comes into force on Monday, 3 May 1990.",
        "La présente loi entre en vigueur le 1er janvier 2017.",
        "Port, the harbour on the river, is closed since 3 May 1990 to all vessels.",
        "These days are free:\nBoat Day\n3rd May 1990",
        "It is free.\nNorth Pier\nSouth Pier",
        "It is free.\nIt is so since\n3rd May 1990",
    ],
)
def test_a_date_in_the_last_article_is_text(end: str) -> None:
    law = read_text("a.txt", ["Article 1", "Text.", "Article 2", "Text.", *end.split("\n")], "any", "Law", "a")
    assert rendered(law)[1] == f"Text.\n{end}"


@pytest.mark.parametrize(
    ("above", "behind"),
    [
        ("Print this page", "Related documents"),
        ("Click here to download PDF (1.2 MB)", "Was this page helpful?"),
        ("Compartir en Facebook  Enviar por correo", "Normas relacionadas"),
        ("打印本页", "相关链接"),
        ("화면내검색", "본 저작물은 공공누리 제1유형에 따라 이용할 수 있습니다."),
        ("Permanente link", "Overzicht van wijzigingen"),
        ("Tulosta", "Löysitkö etsimäsi tiedon?"),
    ],
)
def test_what_a_site_offers_is_no_text(above: str, behind: str) -> None:
    lines = [
        above,
        "The council makes these rules.",
        "Article 1",
        "Print shops are open.",
        "Article 2",
        "Related text.",
    ]
    law = read_text("a.txt", [*lines, "Annex 1", "Dues: 5.", behind, "Guide to dues"], "any", "Law", "a")
    assert rendered(law, "preamble") == ["The council makes these rules."]
    assert rendered(law, "article", "annex") == ["Print shops are open.", "Related text.", "Dues: 5."]


@pytest.mark.parametrize(
    "words",
    [
        *(
            "In this section—",
            "Other Acts amended",
            "Posted by registered mail",
            "Print media",
            "Print | 0.10",
            "Downloads of data",
        ),
        *(
            "Related party: name",
            "Ansprechpartner:",
            "Weitere Informationen",
            "Documentos relacionados con la solicitud",
        ),
        *(
            "Zie ook artikel 5",
            "관련 법령",
            "담당자",
            "打印机",
            "字号名称",
            "関連情報の提供",
            "Stampa periodica",
            "Tagged animals",
        ),
    ],
)
def test_what_a_law_says_at_its_end_is_text(words: str) -> None:
    lines = ["Article 1", "Text one.", "Article 2", "Text two.", "Annex 1", "Form", words, "Name and date"]
    law = read_text("a.txt", lines, "any", "Law", "a")
    assert rendered(law, "annex")[0].endswith(f"{words}\nName and date") and not law.left_out


def test_words_struck_out_are_no_text() -> None:
    page = (
        "<h1>Harbour Act</h1><p>Art. 1 Boats are free.</p><p><s>Art. 2 Ships are free.</s></p><p>Art. 2 Ships pay.</p>"
        "<p><strike>Art. 3 The pier is closed.</strike> <i>(Repealed by Act 5)</i></p>"
        "<p>Art. 4 Dues <del>old</del> new.</p>"
    )
    law = law_on_page(page)
    assert rendered(law) == ["Boats are free.", "Ships pay.", "(Repealed by Act 5)", "Dues new."]
    assert [each.number for each in law.root.walk() if each.repealed] == ["3"]
    marked = (
        "# Harbour Act\n\nArt. 1 Boats are free.\n\n~~Art. 2 Ships are free.~~\n\nArt. 2 Ships pay.[^1]\\\nMore.\n\n"
    )
    law = law_of_markdown("a.md", f"{marked}~~Art. 3 Closed.~~ (Repealed)\n\n[^1]: A note.\n", "any", "", "a")
    assert rendered(law) == ["Boats are free.", "Ships pay.\nMore.", "(Repealed)"]
    assert {each.reason for each in law.left_out} >= {"text struck out", "footnotes"}
    assert any("footnotes are left out" in note for note in law.notes)
    again = (
        "<h1>Lei 5</h1><p>CAPÍTULO I<br>Cais</p><p><s>Art. 1º É novo.</s></p><p>Art. 1<sup>o</sup> É velho.</p>"
        "<p><s>§ 1º É um.</s></p><p>§ 1<sup>o</sup> São dois.</p><p><s>Art. 1º-A É só.</s> (Revogado)</p>"
        "<p><s>Art. 2º É.</s></p><p><s>Art. 2o Era.</s> (Revogado)</p><p>ANEXO</p><p>Art. 1º Um.</p>"
        "<p>Art. 2º Dois.</p>"
    )
    law = law_on_page(again)
    assert rendered(law) == ["É velho.\n§ 1o São dois.", "(Revogado)", "(Revogado)", "Um.", "Dois."]
    assert law.root.units[0].heading == "Cais"
    whole = "<h1>Harbour Act</h1><s><p>Art. 1 Boats are free.</p><p>Art. 2 Ships are free.</p></s>"
    assert rendered(law_on_page(whole)) == ["Boats are free.", "Ships are free."]


def test_what_an_article_has_alone_is_its_text() -> None:
    rows = "".join(
        f"<h4>Section {n}</h4><p class='gone'>(Repealed)</p><h4>Section {n}A</h4><p>Text.</p>" for n in range(1, 6)
    )
    law = law_on_page(f"<h1>Harbour Act 1990</h1><div>{rows}</div>")
    assert sum(each.repealed for each in law.root.walk()) == 5


def test_numbers_of_articles_in_cells_and_in_codes_of_cities() -> None:
    cells = "".join(f"<tr><td><a href='/{n}'>Section {n}</a></td><td>Text {n}.<br>More.</td></tr>" for n in (1, 2, 3))
    law = law_on_page(f"<h1>Harbour Act 1990</h1><table>{cells}</table>")
    assert rendered(law) == [f"Text {n}.\nMore." for n in (1, 2, 3)]
    city = "".join(f"<h3>10.44.0{n}0 - Berth {n}.</h3><p>Text {n}.</p>" for n in (1, 2, 3))
    law = law_on_page(f"<h1>Harbours</h1><div>{city}</div><p>Jump to a title</p>")
    numbers = [each.number for each in law.root.walk() if each.kind == "article"]
    assert numbers == ["10.44.010", "10.44.020", "10.44.030"] and "Jump" not in "".join(rendered(law))


def test_contents_without_links_before_a_preamble_are_not_of_the_law() -> None:
    contents = "".join(f"<li>Section {n} Berths</li>" for n in (1, 2, 3))
    articles = "".join(f"<div><p>Section {n}</p><p>Berth {n} is free for all.</p></div>" for n in (1, 2, 3))
    text = "<h1>Harbour Act 1990</h1><p>It is enacted by the council of the port.</p>"
    law = law_on_page(f"<p>We use cookies, and so on.</p><ul>{contents}</ul>{text}{articles}")
    assert rendered(law) == [f"Berth {n} is free for all." for n in (1, 2, 3)]
    assert not any("cookies" in law.render(each) for each in law.root.walk())


AROUND = [
    # before the element of the articles, behind it
    ("<div class='top'><p>We use cookies to make this site better.</p><ul><li>Home</li></ul></div>", ""),
    ("<ol class='way'><li>Start</li><li>Laws</li></ol><p>You are here: Start / Laws / Harbours</p>", ""),
    ("", "<div class='more'><h4>Related</h4><p>How to moor a boat.</p></div><div><p>Write to Town Hall 1.</p></div>"),
    ("<table><tr><td>Section 1</td><td>Aim</td></tr><tr><td>Section 2</td><td>Fee</td></tr></table>", "<p>Found?</p>"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "behind"), AROUND)
def test_what_a_site_puts_around_a_law_is_left_out(before: str, behind: str) -> None:
    articles = "".join(
        f"<div><h4>Section {n}</h4><p>The harbour master keeps berth {n} free.</p></div>" for n in (1, 2, 3)
    )
    law = law_on_page(f"{before}<main><h1>Harbour Act 1990</h1><p>Enacted in May.</p>{articles}</main>{behind}")
    assert law.title == "Harbour Act 1990"
    assert rendered(law) == [f"The harbour master keeps berth {n} free." for n in (1, 2, 3)]
    assert [law.render(each) for each in law.root.walk() if each.kind == "preamble"] == ["Enacted in May."]
    assert "around the law" in {each.reason for each in law.left_out}


@pytest.mark.parametrize(
    "behind",
    [
        "<div><h2><a>Schedule 1</a></h2><p>Ten euros.</p></div>",
        "<div><p>THE SCHEDULE</p><p>Ten euros.</p></div>",
        "<div><p>Part 3</p><p>Section 4</p><p>Ten euros.</p></div>",
        "<div><p>Second Schedule (section 2)</p><p>Ten euros.</p></div>",
        f"<div><p>{'The fee of the harbour master is paid at the gate. ' * 60}Ten euros.</p></div>",
    ],
)
def test_what_goes_on_behind_the_articles_is_of_the_law(behind: str) -> None:
    articles = "".join(
        f"<div><h4>Section {n}</h4><p>The harbour master keeps berth {n} free.</p></div>" for n in (1, 2, 3)
    )
    law = law_on_page(f"<h1>Harbour Act 1990</h1><p>It is enacted:</p><div>{articles}</div>{behind}")
    texts = [document.text for document in cut(law).documents]
    assert "Ten euros." in texts[-1] and any("It is enacted:" in text for text in texts)


def test_headings_that_a_table_sets_beside_articles() -> None:
    rows = "".join(
        f"<tr><td>{of}</td><td><b>Art. {n}</b> Der Hafen steht allen Booten offen.<br>Und {of}.</td>"
        "<td><a>Link</a></td></tr>"
        for n, of in enumerate(("Zweck", "Aufsicht", "Tarif", "Schluss"), start=1)
    )
    law = law_on_page(f"<h1>Reglement über den Hafen</h1><table>{rows}</table>", "de")
    assert [one.heading for one in law.root.walk() if one.kind == "article"] == [
        "Zweck",
        "Aufsicht",
        "Tarif",
        "Schluss",
    ]
    assert rendered(law)[1] == "Der Hafen steht allen Booten offen.\nUnd Aufsicht."


@pytest.mark.parametrize(
    ("foot", "left"),
    [
        ("© 2024 Harbour Office", True),
        ("Copyright 2024 by the Office. All rights reserved.", True),
        ("Back to top", True),
        ("ページの先頭へ戻る", True),
        ("The copyright of a chart is free.", False),
        ("Boats at the top of the page are free.", False),
    ],
)
def test_the_foot_of_a_text(tmp_path: Path, foot: str, left: bool) -> None:
    lines = ["Harbour Act 1990", "Section 1", "It is.", "Section 2", "It ends there.", "", foot]
    law = read_text("a.txt", lines, "auto", "", "a")
    assert rendered(law)[-1] == ("It ends there." if left else f"It ends there.\n{foot}")
    assert ("foot of a page" in {each.reason for each in law.left_out}) is left


def test_pages_whose_numbers_change_sides(tmp_path: Path) -> None:
    first, second, third = ([f"{page}.{line}." for line in range(11)] for page in (1, 2, 3))
    heads = ["12 GAZETTE No. 918 of May", "No. 918 of May GAZETTE 13"]
    kept = without_headers([[*first, heads[0], "", *second, heads[1], "", *third]])
    assert kept[1] == heads
    inside = [f"Gazette – {n} – Item 812" for n in (2, 3)]
    assert without_headers([[*first, inside[0], "", *second, inside[1], "", *third]])[1] == inside
    steps = ["Step one of the way 1", "Step two of the way 2"]
    assert without_headers([[*first, steps[0], "", *second, steps[1], "", *third]])[1] == []


@pytest.mark.parametrize(("country", "told"), [("zz", "no country"), ("gb", 'country="uk"'), ("England", "uk")])
def test_a_country_that_is_none(country: str, told: str) -> None:
    with pytest.raises(ComponentError, match=told):
        html(None, path="page.html", country=country)


def test_the_mark_of_a_footnote_before_a_number(tmp_path: Path) -> None:
    mark = '<sup><span class="wb-invisible">Footnote </span><a href="#f">*</a></sup>'
    sections = f"<p>1 Ports are open.<p>2 Quays are long.<p>{mark}3 This Act is in force."
    page = f"<html lang=en><h1>Port Act</h1>{sections}<p>It is 2<sup>*</sup> m.</html>"
    (tmp_path / "act.html").write_text(page)
    rows = [*auto(None, path=str(tmp_path / "act.html")).provisions()]
    assert [row["article"] for row in rows] == ["1", "2", "3"]
    assert rows[2]["text"].startswith("This Act is in force.")


def test_a_table_is_described_by_its_columns(tmp_path: Path) -> None:
    (tmp_path / "laws.csv").write_text("Act;Art;Words\nHarbour Act;1;A fee.\n")
    with pytest.raises(DataError, match=r"with the columns Act, Art, Words .*table\(path=.*docno=…, text=…"):
        [*auto(None, path=str(tmp_path / "laws.csv")).provisions()]


def test_a_header_of_several_lines() -> None:
    header = ["GENERAL ACT ON PORTS", "", "HOUSE OF THE REPUBLIC", "Secretariat", "Last amended 14-03-2022"]
    texts = [[f"Article {n}.- The quay is open.", f"{n} of the boats are there.", *"abc"] for n in range(1, 5)]
    one = [
        line
        for n, text in enumerate(texts, 1)
        for line in (*header, *text, *[f"x{n}{m}" for m in range(9)], "", f"{n} of 4")
    ]
    kept, headers = without_headers([one])
    assert [line for line in kept if line in header[2:]] == header[2:]  # On the first page, it may be the title.
    assert headers.count("Secretariat") == 3 and headers.count("4 of 4") == 1
    pages = [[*header, *text, f"{n} of 4"] for n, text in enumerate(texts, 1)]
    kept, _ = without_headers(pages)
    assert [line for line in kept if line.startswith("Article")] == [text[0] for text in texts]
    assert kept.count("Secretariat") <= 1 and "2 of the boats are there." in kept
    left, right = "L 13/12 EN Official Journal", "EN Official Journal L 13/11"
    pages = [[right, "Boats are free."], [left, "Oars are not."], [right.replace("11", "13"), "Piers are long."]]
    assert without_headers(pages)[0] == ["Boats are free.", "Oars are not.", "Piers are long."]
    amended = [f"Section {n} of the Port Act is amended as follows:" for n in (3, 8)]
    pages = [
        ["Gazette", *(amended[n : n + 1] or [f"Dues {n}."]), *(f"{n}{m} boats." for m in range(9))] for n in range(6)
    ]
    assert [line for line in without_headers(pages)[0] if line in amended] == amended


@pytest.mark.parametrize(
    "texts", [("ข้อความนี้ใช้บังคับ", "พนักงานเจ้าหน้าที่มีอำนาจ" * 5, "จบ"), ("T.", "The fee is due. " * 9, "E.")]
)
def test_an_act_that_is_printed_behind_the_law_does_not_hide_it(texts: tuple[str, ...]) -> None:
    """Amending acts begin at 1 again, in an element of their own that has a name."""
    word, lang = ("มาตรา", "th") if texts[0] > "a" * 9 else ("Section", "en")
    law = "".join(f"<p>{word} {n}</p><p>{text}</p>" for n, text in enumerate(texts, start=1))
    later = "".join(f"<p>{word} {n}</p><p>{texts[0]}</p>" for n in (1, 2))
    name = {"th": "พระราชบัญญัติท่าเรือ", "en": "Harbour Act 1990"}[lang]
    page = law_on_page(f"<div><h1>{name}</h1>{law}</div><div><h1>{name} 2</h1>{later}</div>", lang)
    assert rendered(page)[1].strip() == texts[1].strip()


MARGIN = """Hafengesetz
vom 3. Mai 1972

                   I. Allgemeines

Zweck              § 1. Dieses Gesetz regelt die Be-
                   nützung der Häfen.

Begriffe und       § 2. 1 Ein Hafen ist ein Ort.
Abgren-            2 Kein Hafen ist ein Ort nach
zung               § 7 Abs. 1.

                   § 3. Er ist frei.

Strafe             § 4. Wer stört, zahlt.
"""


def test_headings_in_the_margin() -> None:
    law = law_of(TEXT_FORMATS[0], MARGIN, "hafen.txt")
    articles = [each for each in law.root.walk() if each.kind == "article"]
    assert [(each.number, each.heading) for each in articles] == [
        ("1", "Zweck"), ("2", "Begriffe und Abgrenzung"), ("3", ""), ("4", "Strafe")
    ]  # fmt: skip
    texts = [" ".join(law.render(each).split()) for each in articles]
    assert texts[0] == "Dieses Gesetz regelt die Benützung der Häfen."
    assert texts[1].endswith("2 Kein Hafen ist ein Ort nach § 7 Abs. 1.") and texts[3] == "Wer stört, zahlt."


@pytest.mark.parametrize(
    "rows",
    [
        "Art. 1    Zweck\nDas ist so.\nArt. 2    Ziel\nDas auch.\nArt. 3    Ende\nAus.",  # numbers in the margin
        "Gesetz\n        § 1. Eins.\n        § 2. Zwei.\n        § 3. Drei.",  # only moved in
        "§ 1. Gebühren:\nBoot        1. Klasse\nSchiff      2. Klasse\n§ 2. Sie gelten.\n§ 3. Ende.",  # a table
        f"{'Das ist ein langer Satz in der Spalte':45}§ 7. Und so fort.\n" * 4 + "§ 1. Eins.\n§ 2. Zwei.",  # columns
    ],
)
def test_what_is_no_margin(rows: str) -> None:
    assert [" ".join(row.split()) for row in _with_margins(rows.splitlines())] == [
        " ".join(row.split()) for row in rows.splitlines()
    ]


@pytest.mark.parametrize(
    ("groups", "paths"),
    [
        (
            ("<h2>Part 1</h2><h2>Ports</h2><h3>Berths</h3>", "<h3>Ends</h3>"),
            ["Part 1 Ports > Berths", "Part 1 Ports > Ends"],
        ),
        (("<h2>Part 1</h2><h2>Old Ports</h2><h2>New Ports</h2>", ""), ["Part 1 Old Ports New Ports"] * 2),
        (("<h2>Name</h2>", "<h2>Fees</h2>"), ["Name", "Fees"]),
        (("<h2>Latest text</h2>", ""), ["", ""]),
    ],
)
def test_levels_of_headings_above_the_first_article(groups: tuple[str, str], paths: list[str]) -> None:
    law = law_on_page(
        f"<h1>Harbour Act 1990</h1>{groups[0]}<p>1. Aim</p><p>It is.</p>{groups[1]}<p>2. Fee</p><p>It is due.</p>"
    )
    found = []
    for document in cut(law).documents:
        labels = [f"{each.label} {each.heading}".strip() for each in document.above if each.kind == "group"]
        found += [" > ".join(labels)] if document.unit.kind == "article" else []
    assert found == paths


def test_a_heading_in_the_foot_of_a_page() -> None:
    rows = ["Harbour Act 1990", *(f"Section {n}. Text {n}." for n in range(1, 9)), "© 2020 Harbour Board", "Contact"]
    law = read_text("a.html", rows, "auto", "", "a", levels={0: 1, len(rows) - 1: 2})
    assert [each.number for each in law.root.walk() if each.kind == "article"][-1] == "8"
    assert "foot of a page" in {each.reason for each in law.left_out}


def test_regulations_and_headings_that_end_in_a_short_word() -> None:
    law = law_of_markdown(
        "fees.md", "# Fees Regulations 2020\n### Regulation 1 Amount of the fee\nIt is 5 crowns.\n", "auto", "", "fees"
    )
    (only,) = cut(law).documents
    assert (only.docno, only.unit.heading, only.text) == ("fees-1", "Amount of the fee", "It is 5 crowns.")


CUT_LAWS = (
    (
        "Harbour Act 2019",
        "Section {}. ",
        ("Duties of the master", "Dues", "Entry", "Offences", "Register", "Appeals"),
        (
            "The owner of a vessel that is registered under the Harbour Act 1997 or under the law of another State "
            "shall pay the dues of the Schedule to the Authority before the vessel leaves the Harbour.",
            "The Authority may refuse entry to a vessel with more than 12 passengers, 3 of whom are ill, and to each "
            "vessel whose Master does not report the arrival as Part 2 prescribes.",
        ),
    ),
    (
        "Hafenordnung",
        "§ {} ",
        ("Geltungsbereich", "Gebühren", "Anmeldung", "Ausnahmen", "Bußgeld", "Schluss"),
        (
            "Der Eigentümer eines Schiffes, das nach dem Hafengesetz oder nach dem Recht eines anderen Staates "
            "eingetragen ist, zahlt der Behörde die Gebühren der Anlage, bevor das Schiff den Hafen verlässt.",
            "Die Behörde kann ein Schiff mit mehr als 12 Fahrgästen abweisen, von denen 3 krank sind, und jedes "
            "Schiff, dessen Führer die Ankunft nicht meldet, wie es Teil 2 vorschreibt.",
        ),
    ),
)


@pytest.mark.parametrize("law", CUT_LAWS, ids=lambda law: law[0])
@pytest.mark.parametrize("headed", [True, False])
def test_lines_cut_at_a_length_do_not_change_what_is_a_heading(
    law: tuple[str, str, tuple[str, ...], tuple[str, ...]], headed: bool
) -> None:
    name, label, headings, texts = law
    for width in range(48, 90):
        rows, expected = [name, ""], []
        for at, heading in enumerate(headings, 1):
            words = texts[at % 2]
            first = f"{label.format(at)}{heading}" if headed else ""
            lines = textwrap.wrap(words if headed else f"{label.format(at)}{words}", width)
            rows += [*([first] if headed else []), *lines, ""]
            expected.append((str(at), heading if headed else "", words))
        found = cut(read_text("a.txt", rows, "auto", "", "a")).documents
        assert [(one.unit.number, one.unit.heading, one.text) for one in found] == expected, width


@pytest.mark.parametrize("blank", [True, False])
def test_lines_cut_at_a_length_are_joined_and_lists_stay(blank: bool) -> None:
    *_, (first, second) = CUT_LAWS[0]
    paragraphs = [f"(1) {first}", f"(2) {second[:-1]}—", f"(a) {first}", f"(b) {second}"]
    paragraphs += ["A short line.", first] if blank else []  # Without blank lines, nobody could tell where it begins.
    for width in range(48, 90):
        rows = ["Harbour Act 2019", ""]
        for at in (1, 2, 3):
            rows.append(f"{at}. Duties of the master")
            for words in paragraphs:
                rows += [*textwrap.wrap(words, width, subsequent_indent="  "), *([""] if blank else [])]
        found = cut(read_text("a.txt", rows, "auto", "", "a")).documents
        assert [one.text for one in found] == ["\n".join(paragraphs)] * 3, width


def test_pages_of_pages_contents_with_pages_and_margins() -> None:
    pages = [["Quay Rules", f"Page {at} of 3", *["A line of the rules."] * 12] for at in (1, 2, 3)]
    kept, gone = without_headers([[line for page in pages for line in ("", *page[:2], "", *page[2:])]])
    assert "Page 2 of 3" in gone and "Page 2 of 3" not in kept
    entries = "\n".join(f"Art. {at} - Riva {at} ........... pag. {at}" for at in (1, 2, 3))
    articles = "\n".join(f"Art. {at} - Riva {at}\nLa riva {at} è libera per tutti." for at in (1, 2, 3))
    law = read_text("a.txt", f"REGOLAMENTO\nINDICE\n{entries}\n{articles}".splitlines(), "auto", "", "a")
    assert [one.unit.number for one in cut(law).documents if one.unit.kind == "article"] == ["1", "2", "3"]
    table = "".join(
        f"<tr><td>{name}.</td><td>{at}. The quay {at} is kept clean by its owner.</td></tr>"
        for at, name in enumerate(("Title", "Aim", "Fee", "Fine"), 1)
    )
    links = '<p><a href="#">Report it</a></p>'
    page = f"<html><body><h1>Quay Law</h1><table>{table}</table>{links}</body></html>"
    documents = cut(law_of(FORMATS[-1], page, "a.html")).documents
    assert [(one.unit.number, one.unit.heading) for one in documents if one.unit.kind == "article"] == [
        ("1", "Title"),
        ("2", "Aim"),
        ("3", "Fee"),
        ("4", "Fine"),
    ]
    assert not any("Report it" in one.text for one in documents)


COLUMNS = """HARBOUR ACT 1997\t(2) It is let by the day.
1. Harbours\t
A harbour is open to each ship\t3. Fees
that asks for leave.\tA fee of ten pounds is due for
2. Berths\teach day in a berth.
(1) The master assigns a berth\t4. Fines
to each ship.\tThe fine is twenty pounds."""
IN_COLUMNS = [
    ("1", "Harbours", "A harbour is open to each ship\nthat asks for leave."),
    ("2", "Berths", "(1) The master assigns a berth\nto each ship.\n(2) It is let by the day."),
    ("3", "Fees", "A fee of ten pounds is due for\neach day in a berth."),
    ("4", "Fines", "The fine is twenty pounds."),
]


@pytest.mark.parametrize("format", [TEXT_FORMATS[0], PDF_FORMATS[0]])
def test_two_columns_are_read_one_after_the_other(format: Format) -> None:
    rows = COLUMNS.split("\n")
    lines = [f"{left:42}{right}" for left, _, right in (row.partition("\t") for row in rows)]
    law = law_of(format, pdf_of([rows]) if format.name == "pdf" else "\n".join(lines), f"a{format.suffixes[0]}")
    articles = [each.unit for each in cut(law).documents]
    assert [(each.number, each.heading, law.render(each)) for each in articles] == IN_COLUMNS
    assert any("read in two columns" in note for note in law.notes)


def test_columns_of_two_languages_are_told(tmp_path: Path) -> None:
    rows = [(f"Article {at}", f"Članak {at}.", f"It is {at}.", f"To je {at}.") for at in range(1, 5)]
    lines = [f"{left:42}{right}" for a, b, c, d in rows for left, right in ((a, b), (c, d))]
    assert any("as two columns have" in note for note in law_of(TEXT_FORMATS[0], "\n".join(lines), "a.txt").notes)


def test_tables_of_plain_text_keep_their_rows() -> None:
    table = "Length            Day        Month\nup to 5 m         $ 2        $ 40\nup to 9 m         $ 4        $ 80"
    law = law_of(TEXT_FORMATS[0], f"Dock Act\n1. Fees\nThey are:\n{table}\n2. End\nIt ends.", "a.txt")
    assert "Length | Day | Month\nup to 5 m | $ 2 | $ 40" in law.render(cut(law).documents[0].unit)
    law = law_of_markdown(
        "a.md", "# Dock Act\n## 1. Fees\n| a | b |\n|---|---|\n| c | d |\n## 2. End\nIt ends.", "auto", "", "a"
    )
    assert law.render(cut(law).documents[0].unit) == "a | b\nc | d"


def test_pages_leave_out_what_publishers_set_beside_articles() -> None:
    page = "<h1>Ley 7/2010 de puertos</h1>" + "".join(
        f"<p>[Bloque {at}: #a{at}]</p><h5>Artículo {at}. Puerto.</h5><p>El puerto {at} es de todos.</p>"
        for at in (1, 2, 3)
    )
    law = law_of(FORMATS[-1], f"<html lang='es'><body>{page}</body></html>", "ley.html")
    assert [law.render(each.unit) for each in cut(law).documents] == [
        f"El puerto {at} es de todos." for at in (1, 2, 3)
    ]
    listed = "".join(f"<tr><td>86D.0{at}</td><td>DOCK {at}.</td></tr>" for at in "123")
    sections = "".join(f"<h2>86D.0{at} DOCK {at}.</h2><p>A dock is long.</p>" for at in "123")
    page = f"<html><body><h1>Dock Act</h1><table>{listed}</table>{sections}</body></html>"
    assert [each.unit.kind for each in cut(law_of(FORMATS[-1], page, "a.html")).documents] == ["article"] * 3


@pytest.mark.parametrize(
    ("lang", "name", "article", "note"),
    [
        ("pt", "Lei n.º 4/2009", "Artigo {}.º", "Alterações | Alterado pelo/a Artigo 2.º do/a Lei n.º 1/2011 - Diário"),
        ("es", "Ley 4/2009", "Artículo {}.", "Seleccionar redacción: | Última actualización, publicada el 05/03/2011."),
        ("es", "Ley 4/2009", "Artículo {}.", "Se modifica por el artículo 2 de la Ley 1/2011. Ref. BOE-A-2011-4"),
        ("fr", "Loi sur les quais", "Art. {}", "Modifié par LOI n°2011-1 du 2 mars 2011 - art. 2"),
        (
            "nl",
            "Havenwet",
            "Artikel {}.",
            "---------- | (1)<W 2011-01-01/23, art. 2, 003; Inwerkingtreding : 01-07-2011>",
        ),
    ],
)
def test_what_a_site_says_of_the_changes_of_a_provision(
    tmp_path: Path, lang: str, name: str, article: str, note: str
) -> None:
    lines = [name, *(f"{article.format(n)} | Port est {n}. | {escape(note)} | Kai est {n}." for n in (1, 2, 3))]
    rows = "".join(f"<p>{line}</p>" for line in " | ".join(lines).split(" | "))
    (tmp_path / "a.html").write_text(f"<html lang={lang}><meta charset=utf-8>{rows}</html>", encoding="utf-8")
    source = html(None, path=tmp_path / "a.html")
    assert [row["text"] for row in source.provisions()] == [f"Port est {n}.\nKai est {n}." for n in (1, 2, 3)]
    assert "notes of the site" in source.reports[0].left_out


@pytest.mark.parametrize(
    ("law", "behind"),
    [
        ("Quay Act | 1  Aim | It opens. | 2  Fee | A fee is due.", "Endnotes | Endnote 1—About | 3  It is a note."),
        ("Quay Act | 1. Notes. It opens. | 2. Fee. A fee is due.", "Notes | 1 General | It is a note."),
        ("Laki laiturista | 1 § Ala | Se on auki. | 2 § Maksu | Maksu on.", "HE 1/2002, YmVM 3/2002, EV 40/2002"),
        (
            "Laki laiturista | 1 § Ala | Se on auki. | 2 § Maksu | Maksu on.",
            "Muutossäädösten voimaantulo ja soveltaminen: | 15.4.2011/333: | Laki tulee voimaan.",
        ),
        (
            "İSKELE KANUNU | MADDE 1- Açıktır. | MADDE 2- Ücret alınır.",
            "5999 SAYILI KANUNA EK VE DEĞİŞİKLİK GETİREN MEVZUATI GÖSTERİR LİSTE | 6518 | 3",
        ),
    ],
)
def test_notes_behind_a_law(tmp_path: Path, law: str, behind: str) -> None:
    for name, words in (("whole", law), ("noted", f"{law} | {behind}")):
        (tmp_path / f"{name}.txt").write_text(words.replace(" | ", "\n") + "\n", encoding="utf-8")
    whole, noted = (read(text(None, path=tmp_path / f"{name}.txt")) for name in ("whole", "noted"))
    assert noted == whole and len(whole) == 2
