"""Japan: articles, supplements, annexes and dates, in an invented law and in real ones."""

import json
import os
from pathlib import Path

import pytest

from legalir import datasets, testing
from legalir.errors import DataError
from legalir.statutes import write_collection
from legalir.statutes.documents import cut
from legalir.statutes.law import NOT_YET
from legalir.statutes.sources.jp_egov import FORMATS, read

SAMPLES = Path(__file__).with_name("samples")
PAGE = (SAMPLES / "jp_egov.html").read_text(encoding="utf-8")
PAGES = Path(os.environ.get("LEGALIR_DATA", ""), "sources", "jp-egov-html")
XML = (SAMPLES / "jp_egov.xml").read_text(encoding="utf-8")
DATA = Path(os.environ.get("LEGALIR_DATA", ""), "sources", "jp-egov-xml")


def law_of(text: str | bytes, name: str = "law.xml"):
    return next(read(Path(name), text.encode() if isinstance(text, str) else text))


def documents_of(law):
    return {each.docno.removeprefix(f"{law.law_id}-"): each for each in cut(law).documents}


def test_provisions():
    law = law_of(XML)
    documents = documents_of(law)
    assert (law.law_id, law.title, law.level) == ("505AC0000009999", "ランプ燈法", "act")
    assert list(documents) == ["1", "1の2", "2", "supp-1", "supp-2/1", "annex-1", "annex-様式1"]
    # A reading is not text; two sentences of one paragraph have no space between them.
    assert documents["1"].text.splitlines() == [
        "この法律で「筏」とは、次のものをいう。ただし、船を除く。",
        "一 小筏 小さい筏",
        "イ 木の筏",
        "一の二 大筏",
        "２ 筏には燈を置く。",
    ]
    assert (documents["1"].unit.label, documents["1"].unit.heading) == ("第一条", "定義")
    assert [(unit.label, unit.heading) for unit in documents["2"].above[1:]] == [("第二章", "罰則")]
    assert [place for place, each in documents.items() if each.unit.repealed] == ["1の2"]
    paths = {address.path for address in cut(law).addresses}
    assert {("1", "1", "1", "イ"), ("1", "1", "1の2"), ("1", "2")} <= paths
    assert law.unread() == []


def test_supplements():
    documents = documents_of(law_of(XML))
    assert documents["supp-1"].text == "（施行期日） １ 公布の日から施行する。"
    supplement = documents["supp-2/1"].above[-1]
    assert (supplement.label, supplement.heading) == ("附則", "令和五年法律第五号")
    # Article 9 belongs to another law: it is text of the article that changes that law.
    assert documents["supp-2/1"].text.splitlines() == [
        "舟法の一部を次のように改正する。",
        "第九条を次のように改める。",
        "第九条 舟にも燈を置く。",
    ]


def test_annexes():
    law = law_of(XML)
    annex = documents_of(law)["annex-1"]
    assert annex.unit.related == ("第一条", "第二条")
    assert annex.text == "（第一条、第二条関係）\n燈 | 色\n大燈 | 赤 青\n大燈 | 白"
    assert law.notes == ["ランプ燈法: pictures without text: 1."]


def test_remarks_of_an_annex():
    """Item 1 of the remarks is not item 1 of the annex."""
    remarks = "<Remarks><RemarksLabel>備考</RemarksLabel><Item Num='1'><ItemTitle>一</ItemTitle><ItemSentence>\
<Sentence>赤は赤い。</Sentence></ItemSentence></Item></Remarks></AppdxTable>"
    law = law_of(XML.replace("</AppdxTable>", remarks))
    assert ("annex 1", "備考", "1") in {address.path for address in cut(law).addresses}
    assert documents_of(law)["annex-1/備考"].text == "一 赤は赤い。"


def test_json_form():
    from lxml import etree

    def node(element):
        texts = [element.text, *(part for child in element for part in (node(child), child.tail))]
        return {"tag": element.tag, "attr": dict(element.attrib), "children": [each for each in texts if each]}

    tree = node(etree.fromstring(XML.encode()))
    for content in (tree, {"law_info": {}, "law_full_text": tree}):
        law = law_of(json.dumps(content, ensure_ascii=False), "law.json")
        assert [each.text for each in cut(law).documents] == [each.text for each in cut(law_of(XML)).documents]
    assert FORMATS[0].recognises(Path("law.json"), json.dumps(tree).encode())


def test_page():
    name = "502CO0000000999_20240401_506CO0000000001.html"
    law = law_of(PAGE, name)
    documents = documents_of(law)
    assert FORMATS[0].recognises(Path(name), PAGE.encode()[:8192])
    assert (law.law_id, law.title, law.level) == ("502CO0000000999", "ランプ燈令", "decree")
    assert law.effective_from == "2024-04-01"
    assert list(documents) == [
        *("preamble", "1", "2の3", "3", "supp-1", "supp-2/1", "annex-1", "annex-1/備考"),
    ]
    assert documents["1"].text.splitlines() == [
        *("「筏」とは、次のものをいう。船を除く。", "一 小筏", "イ 木の筏", "一の二 大筏", "② 筏には燈を置く。"),
        *("大燈 | 赤 青", "大燈 | 白"),
    ]
    assert documents["1"].unit.heading == "定義"
    # A section ends before its articles: a heading holds until the next of its level.
    assert [unit.label for unit in documents["2の3"].above[1:]] == ["第一章", "第一節"]
    assert [unit.label for unit in documents["3"].above[1:]] == ["第二章"]
    assert [place for place, each in documents.items() if each.unit.repealed] == ["2の3"]
    assert documents["supp-2/1"].above[-1].heading == "令和五年政令第五号"
    assert documents["annex-1"].unit.related == ("第一条", "第三条")
    keys = {address.key for address in cut(law).addresses}
    assert {"Article[1]/Paragraph[1]/Item[1_2]", "Article[1]/Paragraph[2]", "SupplProvision[2]/Article[1]"} <= keys
    assert law.unread() == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (PAGE[:2500], "cut off"),
        (PAGE.replace("contentsLaw", "contents"), "no main"),
        (PAGE.replace("lawTitle", "name"), "no title"),
    ],
)
def test_faults_of_a_page(text, fault):
    with pytest.raises(DataError, match=fault):
        law_of(text, "law.html")


@pytest.mark.parametrize("text", ["{", "[1]", '{"tag": 1}', '{"tag": "Law", "children": [1]}', "null"])
def test_faults_of_the_json_form(text):
    with pytest.raises(DataError, match="not the JSON form"):
        law_of(text, "law.json")


def test_dates():
    law = law_of(XML)
    assert (law.promulgated, law.effective_from) == ("2023-06-07", "2023-07-01")
    later = XML.replace(
        'EnforcementDate="2023/07/01" EnforcementComment=""', 'EnforcementDate="" EnforcementComment="四年以内"'
    )
    law = law_of(later.replace("CurrentEnforced", "UnEnforced"))
    assert law.effective_from == NOT_YET
    assert law.notes[:2] == [
        "ランプ燈法: date of entry into force: 四年以内",
        "ランプ燈法: this version is not in force yet (UnEnforced).",
    ]


def test_name_of_the_file():
    """Older files say neither the law nor its date."""
    bare = XML.replace(' LawId="505AC0000009999"', "").replace('EnforcementDate="2023/07/01"', "")
    law = law_of(bare, "505AC0000009999_20240401_506AC0000000001.xml")
    assert (law.law_id, law.effective_from, law.amended_by) == ("505AC0000009999", "2024-04-01", "506AC0000000001")


def test_repeated_number():
    assert cut(law_of(XML.replace('<Article Num="2">', '<Article Num="1">'))).repeated == ["505AC0000009999-1~2"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (XML[:2000], "not well-formed"),
        (XML.replace("<Law ", '<!DOCTYPE Law [<!ENTITY a "b">]><Law ', 1), "entities"),
        (XML.encode("cp932"), "law.xml"),
        ("<Act/>", "no element Law"),
        (XML.replace("LawTitle", "Name"), "no LawTitle"),
    ],
)
def test_faults(text, fault):
    with pytest.raises(DataError, match=fault):
        law_of(text)


def test_source(tmp_path):
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "law.xml").write_text(XML, encoding="utf-8")
    path = str(tmp_path / "laws")
    assert [each for each in testing.check("source", "jp_egov", params={"path": path}) if not each.ok] == []
    write_collection(f"jp_egov(path={path!r})", tmp_path / "out", about={"licence": "CC0", "lang": "ja"})
    assert datasets.check(tmp_path / "out").ok


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.xml")) or [None], ids=lambda path: path.stem if path else "")
def test_real_files(path):
    if path is None:
        pytest.skip("not run: $LEGALIR_DATA has no sources/jp-egov-xml")
    data = path.read_bytes()
    assert FORMATS[0].recognises(path, data[:8192])
    law = law_of(data, path.name)
    assert law.unread() == []
    assert cut(law).documents and not cut(law).repeated
    assert path.name.startswith(law.law_id)
    assert law.effective_from


def test_real_examples():
    if not DATA.is_dir():
        pytest.skip("not run: $LEGALIR_DATA has no sources/jp-egov-xml")
    for line in (DATA / "examples.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        law = law_of((DATA / row["file"]).read_bytes(), row["file"])
        (unit,) = (each for each in law.root.walk() if each.key == row["id"])
        assert law.render(unit).startswith(row["starts"])
        (article,) = (each.unit for each in cut(law).documents if each.unit.key == row["id"].partition("/")[0])
        assert f"{article.label} （{article.heading}）".removesuffix(" （）") == row["path"][-1]


@pytest.mark.parametrize(
    ("law_id", "articles"),
    [("323AC1000000186", 263), ("336CO0000000037", 92), ("336M50000008006", 188)],
)
def test_real_pages(law_id, articles):
    """The README of the sample counts the articles of the main part."""
    path = next(iter(PAGES.glob(f"{law_id}_*.html")), None)
    if path is None:
        pytest.skip(f"not run: $LEGALIR_DATA has no sources/jp-egov-html/{law_id}")
    data = path.read_bytes()
    assert FORMATS[0].recognises(path, data[:8192])
    law = law_of(data, path.name)
    assert law.unread() == []
    assert not cut(law).repeated
    assert sum(each.unit.kind == "article" and each.above[-1].kind != "supplement" for each in cut(law).documents) == (
        articles
    )


def test_real_examples_of_pages():
    if not PAGES.is_dir():
        pytest.skip("not run: $LEGALIR_DATA has no sources/jp-egov-html")
    for line in (PAGES / "examples.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        law = law_of((PAGES / row["file"]).read_bytes(), row["file"])
        label = row["id"].removesuffix("第一項")
        (document,) = (
            each for each in cut(law).documents if each.unit.label == label and each.above[-1].kind != "supplement"
        )
        groups = [f"{unit.label}　{unit.heading}" for unit in document.above if unit.kind == "group"]
        assert [law.title, *groups][: len(row["path"])] == row["path"]
        assert document.text.startswith(row["starts"])


def test_real_json_form():
    paths = sorted(DATA.glob("json-form/*.json"))
    if not paths:
        pytest.skip("not run: $LEGALIR_DATA has no sources/jp-egov-xml/json-form")
    for path in paths:
        law = law_of(path.read_bytes(), path.name)
        twin = next(DATA.glob(f"*/{path.stem}.xml"))
        same = law_of(twin.read_bytes(), twin.name)
        assert law.unread() == []
        assert [each.text for each in cut(law).documents] == [each.text for each in cut(same).documents]


def test_real_annexes():
    """An annex states the articles that it belongs to."""
    path = DATA / "346CO0000000264" / "346CO0000000264_20230607_505CO0000000202.xml"
    if not path.is_file():
        pytest.skip(f"not run: $LEGALIR_DATA has no sources/jp-egov-xml/{path.name}")
    documents = documents_of(law_of(path.read_bytes(), path.name))
    assert [documents[f"annex-{number}"].unit.related for number in "123"] == [
        ("第三条",),
        ("第八条", "第十一条"),
        ("第十条", "第十一条の二", "第十三条"),
    ]
