"""Japan: articles, supplements, annexes and dates, in an invented law and in real ones."""

import json
from pathlib import Path

import pytest
from of_format import check_conformance

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.law import NOT_YET
from legalir.statutes.sources.jp_egov import FORMATS, read

SAMPLES = Path(__file__).with_name("samples")
PAGE = (SAMPLES / "jp_egov.html").read_text(encoding="utf-8")
XML = (SAMPLES / "jp_egov.xml").read_text(encoding="utf-8")


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


def test_columns_of_a_page():
    law = law_of(PAGE.replace("<span>大筏</span>", "<span>第三条</span>　<span>一億円</span>"), "law.html")
    assert "一の二 第三条 一億円" in documents_of(law)["1"].text


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


def test_a_reply_of_the_api_says_what_the_law_does_not():
    bare = XML[XML.index("<Law ") :].replace(' LawId="', ' X="')
    for name in ("EnforcementDate", "AmendmentPromulgateDate", "ScheduledEnforcementDate", "AmendmentNum"):
        bare = bare.replace(f" {name}=", f" X{name}=")
    info = {
        "law_info": {"law_id": "340CO0000000010", "promulgation_date": "1965-04-01"},
        "revision_info": {"amendment_enforcement_date": "2024-05-06", "amendment_law_num": "令和五年政令第一号"},
    }
    said = "".join(f"<{name}>{value}</{name}>" for part in info.values() for name, value in part.items())
    reply = f"<law_data_response><law_info>{said}</law_info><law_full_text>{bare}</law_full_text></law_data_response>"
    laws = [law_of(reply)]
    laws.append(law_of(json.dumps({**info, "law_full_text": TREE}, ensure_ascii=False), "reply.json"))
    for law in laws:
        assert (law.law_id, law.effective_from) == ("340CO0000000010", "2024-05-06")
        assert (law.amended_by, law.unread()) == ("令和五年政令第一号", [])
        assert not any("340CO0000000010" in one.text for one in documents_of(law).values())


TREE = {
    "tag": "Law",
    "children": [
        {"tag": "LawNum", "children": ["昭和四十年政令第十号"]},
        {"tag": "LawBody", "children": [{"tag": "LawTitle", "children": ["灯台令"]}]},
    ],
}


def test_name_of_the_file():
    """Older files say neither the law nor its date."""
    bare = XML.replace(' LawId="505AC0000009999"', "").replace('EnforcementDate="2023/07/01"', "")
    law = law_of(bare, "505AC0000009999_20240401_506AC0000000001.xml")
    assert (law.law_id, law.effective_from, law.amended_by) == ("505AC0000009999", "2024-04-01", "506AC0000000001")


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


def test_conformance(tmp_path):
    (tmp_path / "law.xml").write_text(XML, encoding="utf-8")
    check_conformance("jp_egov", tmp_path)
