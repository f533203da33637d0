"""Laws of Taiwan as JSON. The sample law is invented."""

import json
from pathlib import Path
from typing import Any

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.law import Law
from legalir.statutes.sources.tw_json import FORMATS

(FORMAT,) = FORMATS
LAW: dict[str, Any] = {
    "法規性質": "法律",
    "法規名稱": "燈塔法",
    "英文法規名稱": "Lighthouse Act",
    "最新異動日期": "20230621",
    "法規網址": "https://example.org/LawAll.aspx?pcode=Z0000001",
    "生效日期": "20240101",
    "生效內容": "修正第 2～2-1、4  條條\r\n文，自一百十三年一月一日施行。",
    "沿革內容": "1.中華民國七十四年十一月二十九日總統令制定\r\n2. 中華民國一百十二年六月二十一日總統令\r\n  修正",
    "法規內容": [
        {"編章節": "第 一 編 總  則"},
        {"編章節": "第 一 節之一 燈"},
        {"條號": "第 1 條", "條文內容": "燈塔應有燈，以維護公共安全，確保人民生\r\n命財產。"},
        {
            "條號": "第 2 條",
            "條文內容": "船分二種：\r\n一、大船：\r\n（一）木船。\r\n（二）鐵船。\r\n二、小\r\n  船。\r\n前項船看燈。",
        },
        {"條號": "第 2-1 條", "條文內容": "（刪除）"},
        {"編章節": "第 二 編 （刪除）"},
        {"條號": "第 3 條", "條文內容": "第一條（刪除）之燈。"},
        {"條號": "第 4 條", "條文內容": "依第二條。"},
    ],
    "附件": [{"檔案名稱": "附表.PDF"}],
}
ENGLISH: dict[str, Any] = {
    "法規性質": "法律",
    "中文法規名稱": "燈塔法",
    "英文法規名稱": "Lighthouse Act",
    "最新英文異動日期": "20230621",
    "法規網址": "https://example.org/LawAll.aspx?pcode=Z0000001",
    "法規內容": [
        {"編章節": "Chapter One: General Provisions"},
        {"條號": "Article 2", "條文內容": "(Ships)\r\nShips are:\r\n1. big\r\n(1) wooden\r\n2. small.\r\nThey see."},
        {"條號": "Article 2-1", "條文內容": "(deleted)"},
    ],
}


def read(value: object = LAW) -> Law:
    return law_of(FORMAT, json.dumps(value, ensure_ascii=False), "Z0000001.json")


def test_a_law() -> None:
    law = read()
    assert (law.law_id, law.title, law.level, law.lang, law.names) == (
        "Z0000001",
        "燈塔法",
        "act",
        "zh",
        ("Lighthouse Act",),
    )
    assert (law.promulgated, law.effective_from) == ("2023-06-21", "2023-06-21")
    assert law.amended_by == "中華民國一百十二年六月二十一日總統令"
    documents = documents_of(law)
    assert {number: one.text for number, one in documents.items()} == {
        "1": "燈塔應有燈，以維護公共安全，確保人民生命財產。",
        "2": "船分二種：\n一、大船：\n（一）木船。\n（二）鐵船。\n二、小船。\n前項船看燈。",
        "2-1": "",
        "3": "第一條（刪除）之燈。",
        "4": "依第二條。",
    }
    assert [(unit.level, unit.number, unit.heading) for unit in documents["1"].above[1:]] == [
        *(("編", "1", "總則"), ("節", "1之1", "燈")),
    ]
    assert [one.unit.repealed for one in documents.values()] == [False, False, True, False, False]
    assert {("2", "1"), ("2", "1", "1", "2"), ("2", "1", "2"), ("2", "2")} <= {one.path for one in cut(law).addresses}


def test_what_takes_effect_later_has_its_own_day() -> None:
    documents = documents_of(read())
    days = {number: one.unit.effective_from for number, one in documents.items()}
    assert days == {"1": "", "2": "2024-01-01", "2-1": "2024-01-01", "3": "", "4": "2024-01-01"}
    assert read(LAW | {"生效內容": "全文"}).effective_from == "2024-01-01"
    assert read(LAW | {"最新異動日期": "20230231"}).notes == ["燈塔法: no such date: 20230231."]


def test_english() -> None:
    law = read(ENGLISH)
    assert (law.law_id, law.title, law.lang, law.names) == ("Z0000001-en", "Lighthouse Act", "en", ("燈塔法",))
    documents = documents_of(law)
    assert documents["2"].unit.heading == "Ships"
    assert documents["2"].text == "Ships are:\n1. big\n(1) wooden\n2. small.\nThey see."
    assert documents["2-1"].unit.repealed
    assert documents["2"].above[1].heading == "General Provisions"


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ('{"法規名稱": "燈塔法", "法規內容": ['.encode(), "a.json, line 1, column"),
        (json.dumps(LAW, ensure_ascii=False).encode("big5", "ignore"), "a.json: not UTF-8 at byte"),
        ('{"法規名稱": "燈塔法"}'.encode(), "a.json: no list 法規內容"),
        ('{"法規內容": []}'.encode(), "a.json: neither 法規名稱"),
        ('{"法規名稱": "燈塔法", "法規內容": [{"條文內容": "x"}]}'.encode(), "a.json, 法規內容 1: neither 編章節"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.json"), data))


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(LAW, ensure_ascii=False), encoding="utf-8")
    check_conformance("tw_json", tmp_path)


def test_a_file_of_the_ministry_has_a_list_of_laws_and_english_keys() -> None:
    names = {"法規性質": "Level", "法規網址": "URL", "最新異動日期": "ModifiedDate", "生效日期": "EffectiveDate"}
    names |= {"生效內容": "EffectiveNote", "沿革內容": "Histories"}

    def of_ministry(law: dict[str, Any], of: str) -> dict[str, Any]:
        rows = [
            {f"{of}ArticleType": "C", f"{of}ArticleNo": "", f"{of}ArticleContent": row["編章節"]}
            if "編章節" in row
            else {f"{of}ArticleType": "A", f"{of}ArticleNo": row["條號"], f"{of}ArticleContent": row["條文內容"]}
            for row in law["法規內容"]
        ]
        facts = {f"{of}Law{name}": law[key] for key, name in names.items() if key in law}
        changed = {"EngLawModifiedDate": law["最新英文異動日期"]} if of else {}
        called = {"LawName": "燈塔法", "EngLawName": "Lighthouse Act"}
        return facts | changed | called | {f"{of}LawArticles": rows}

    for law, of in ((LAW, ""), (ENGLISH, "Eng")):
        data = json.dumps({"UpdateDate": "2024/1/1", "Laws": [of_ministry(law, of)] * 2}, ensure_ascii=False).encode()
        assert FORMAT.recognises(Path("ch.json"), data)
        read_laws = list(FORMAT.read(Path("ch.json"), data))
        assert len(read_laws) == 2
        expected = read(law)
        for each in read_laws:
            texts = {docno: document.text for docno, document in documents_of(each).items()}
            assert texts == {docno: document.text for docno, document in documents_of(expected).items()}
            assert (each.names, each.effective_from, each.amended_by) == (
                expected.names,
                expected.effective_from,
                expected.amended_by,
            )


def test_xml_of_the_ministry_is_read_as_its_json() -> None:
    facts = "".join(f"<{key}><![CDATA[{value}]]></{key}>" for key, value in LAW.items() if isinstance(value, str))
    rows = "".join(
        f"<編章節>  {row['編章節']}</編章節>"
        if "編章節" in row
        else f"<條文><條號>{row['條號']}</條號><條文內容><![CDATA[{row['條文內容']}]]></條文內容></條文>"
        for row in LAW["法規內容"]
    )
    xml = f"<LAWS><UpdateDate>2024/1/1</UpdateDate><法規>{facts}<法規內容>{rows}</法規內容></法規></LAWS>"
    assert FORMAT.recognises(Path("ch.xml"), xml.encode())
    law, expected = law_of(FORMAT, xml, "ch.xml"), read()
    assert (law.title, law.law_id, law.names) == (expected.title, expected.law_id, expected.names)
    assert {docno: one.text for docno, one in documents_of(law).items()} == {
        docno: one.text for docno, one in documents_of(expected).items()
    }


def test_a_day_that_is_not_fixed_is_none() -> None:
    law = read(LAW | {"生效日期": "99991231"})
    days = {unit.number: unit.effective_from for unit in law.root.walk() if unit.kind == "article"}
    assert days == {"1": "", "2": "9999-12-31", "2-1": "9999-12-31", "3": "", "4": "9999-12-31"}
    whole = read(LAW | {"生效日期": "99991231", "生效內容": ""})
    assert "not fixed" in whole.notes[0]
    assert whole.effective_from == "2023-06-21"
