"""Laws and administrative rules of the open API. The samples are invented."""

import json
from pathlib import Path
from typing import Any

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.law import Law
from legalir.statutes.sources.law_go_kr import FORMATS

(FORMAT,) = FORMATS


def article(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "조문번호": str(number),
        "조문여부": "조문",
        "조문시행일자": "20210601",
        "조문키": f"{number:04d}001",
        "조문내용": text,
        **more,
    }


LAW: dict[str, Any] = {
    "법령": {
        "기본정보": {
            "법령명_한글": "등대법",
            "법령ID": "000777",
            "법령명약칭": "등대",
            "공포번호": "00123",
            "법종구분": {"content": "법률", "법종구분코드": "A0002"},
            "제개정구분": "전부개정",
            "공포일자": "20210302",
            "시행일자": "20210601",
        },
        "개정문": {"개정문내용": [["등대법을 고친다."]]},
        "조문": {
            "조문단위": [
                {
                    "조문번호": "1",
                    "조문여부": "전문",
                    "조문내용": [["    제1편 총칙", "   제1장 등불 <개정 2019.1.1>"]],
                },
                article(1, "제1조(목적(뜻)) 이 법은 등대를 정한다.", 조문참고자료="[전문개정 2019.1.1]"),
                {"조문번호": "2", "조문여부": "전문", "조문내용": "    제1항 배"},
                article(2, "제2조 삭제 <2018.5.5>"),
                article(
                    3,
                    "제3조(등불)",
                    조문시행일자="20220101",
                    항=[
                        {
                            "항번호": "①",
                            "항내용": "① 다음 자는 등불.\n┌─┬─┐\n│갑│을│\n└─┴─┘",
                            "호": [
                                {
                                    "호번호": "1.",
                                    "호내용": "1.  관리자",
                                    "목": [
                                        {"목번호": "가.", "목내용": [["가.  국가", "   1) 큰 나라", "   2) 작은 나라"]]}
                                    ],
                                },
                                {"호번호": "1의2.", "호내용": "1의2.  섬"},
                            ],
                        },
                        {"항번호": "②", "항내용": "② 삭제 <2018.5.5>"},
                    ],
                ),
                article(
                    3,
                    "제3조의2(빛) 빛은 다음과 같다.",
                    조문가지번호="2",
                    항={"호": [{"호번호": "1.", "호내용": "1. 흰 빛"}]},
                ),
            ]
        },
        "부칙": {
            "부칙단위": {
                "부칙공포일자": "20180505",
                "부칙공포번호": "00099",
                "부칙내용": [["부칙 <제99호,2018.5.5>", "제1조(시행일) 이 법은 시행한다.", "제2조 생략"]],
            }
        },
        "별표": {
            "별표단위": [
                {
                    "별표번호": "0001",
                    "별표가지번호": "02",
                    "별표구분": "별표",
                    "별표키": "000102E",
                    "별표제목": "등불의 기준(제3조제1항 관련)",
                    "별표내용": [
                        [
                            *("■ 등대법 [별표 1의2] <개정 2019.1.1>", "  등불의 기준", "  (제3조제1항 관련)", ""),
                            *(" 1. 흰 등불", "   가. 밝기", "   나. 크기", " 2. 빨간 등불", "   비고: 밤에 켠다."),
                        ]
                    ],
                },
                {"별표번호": "0001", "별표구분": "서식", "별표제목": "신고서", "별표내용": [["성명:"]]},
            ]
        },
    }
}

RULE: dict[str, Any] = {
    "AdmRulService": {
        "행정규칙기본정보": {
            "행정규칙명": "등불의 화재안전기술기준",
            "행정규칙ID": "55",
            "행정규칙종류": "고시",
            "발령번호": "2022-9",
            "발령일자": "20221201",
            "시행일자": "20221201",
            "소관부처명": "소방청",
            "제개정구분명": "제정",
        },
        "조문내용": [
            "1. 일반사항 1.1 적용범위 1.1.1 이 기준은 2.1.1에 따른 등불에 적용한다.",
            "2. 기술기준",
            "2.1 설치\n2.1.1 등불은 1.1 에 따른다.\n2.1.1.1 높이:\n(1) 2 m\n(2) 3 m\n2.1.2 빛은 <표 2.1.2>.",
        ],
        "부칙": {
            "부칙공포일자": ["20221201"],
            "부칙내용": ["부칙 <제2022-9호,2022.12.1.> 제1조(시행일) 고시한 날부터. 제2조(경과조치) ① 하나. ② 둘."],
        },
    }
}


def read(value: object = LAW) -> Law:
    return law_of(FORMAT, json.dumps(value, ensure_ascii=False), "laws.json")


def test_a_law() -> None:
    law = read()
    assert (law.title, law.law_id, law.level, law.names) == ("등대법", "000777", "act", ("등대",))
    assert (law.number, law.amended_by) == ("법률 제123호", "법률 제123호, 전부개정")
    assert (law.promulgated, law.effective_from) == ("2021-03-02", "2021-06-01")
    documents = documents_of(law)
    assert {number: one.text for number, one in documents.items()} == {
        "1": "이 법은 등대를 정한다.",
        "2": "",
        "3": "① 다음 자는 등불.\n갑 | 을\n1. 관리자\n가. 국가\n1) 큰 나라\n2) 작은 나라\n1의2. 섬\n② 삭제 <2018.5.5>",
        "3의2": "빛은 다음과 같다.\n1. 흰 빛",
        "supp-99/1": "이 법은 시행한다.",
        "annex-1의2": "(제3조제1항 관련)",
        "annex-1의2/1": "흰 등불\n가. 밝기\n나. 크기",
        "annex-1의2/2": "빨간 등불",
        "annex-1의2/비고": "밤에 켠다.",
    }
    assert documents["1"].unit.heading == "목적(뜻)"
    assert [unit.heading for unit in documents["1"].above] == ["", "총칙", "등불"]
    assert [unit.repealed for unit in (documents["2"].unit, documents["3"].unit)] == [True, False]
    assert (documents["3"].unit.effective_from, documents["3"].unit.key) == ("2022-01-01", "0003001")
    assert documents["annex-1의2"].unit.related == ("제3조제1항",)


def test_what_is_left_out_has_a_reason() -> None:
    assert set(read().counts()[2]) == {
        *("metadata", "reasons and words of the amendment", "editor's note", "form", "title repeated"),
        *("lines of a drawn table", "omitted by the publisher"),
    }


def test_a_rule_by_decimals() -> None:
    law = read(RULE)
    assert (law.law_id, law.level, law.number) == ("55", "standard", "소방청고시 제2022-9호")
    documents = documents_of(law)
    assert {number: (one.unit.heading, one.text) for number, one in documents.items()} == {
        "1.1": ("적용범위", "1.1.1 이 기준은 2.1.1에 따른 등불에 적용한다."),
        "2.1": (
            "설치",
            "2.1.1 등불은 1.1 에 따른다.\n2.1.1.1 높이:\n(1) 2 m\n(2) 3 m\n2.1.2 빛은 <표 2.1.2>.",
        ),
        "supp-2022-9/1": ("시행일", "고시한 날부터."),
        "supp-2022-9/2": ("경과조치", "① 하나.\n② 둘."),
    }
    assert [unit.kind for unit in documents["2.1"].unit.walk()] == [
        *("article", "paragraph", "item", "subitem", "subitem", "paragraph"),
    ]
    assert [unit.heading for unit in documents["2.1"].above[1:]] == ["기술기준"]


def test_a_rule_by_articles() -> None:
    rule = json.loads(json.dumps(RULE))
    rule["AdmRulService"]["조문내용"] = [
        *(
            "알린다.",
            "제1장 총칙 ",
            "제1조(목적) ① 이 기준은 <2014. 8. 1. 개정> 다음과 같다. 1. 등불 가. 흰 빛 2. 배 ② 제2조에 따른다.",
        ),
        *("제2조 삭제 <2020. 1. 1.> ", "제3조(빛) 빛은 밝다."),
    ]
    law = read(rule)
    documents = documents_of(law)
    assert list(documents)[:4] == ["preamble", "1", "2", "3"]
    assert documents["1"].text.splitlines() == [
        *("① 이 기준은 <2014. 8. 1. 개정> 다음과 같다.", "1. 등불", "가. 흰 빛", "2. 배", "② 제2조에 따른다."),
    ]
    assert documents["2"].unit.repealed
    assert {("1", "1", "1", "가"), ("1", "2")} <= {address.path for address in cut(law).addresses}


def test_a_day_that_does_not_exist_is_noted() -> None:
    broken = json.loads(json.dumps(LAW))
    broken["법령"]["기본정보"]["시행일자"] = "20210231"
    assert read(broken).notes == ["등대법: 시행일자 is no date: 20210231."]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'{"\xeb\xb2\x95\xeb\xa0\xb9": {', "a.json, line 1, column"),
        ("{}".encode("utf-16"), "a.json: not UTF-8 at byte 0"),
        (b"{}", "a.json: neither a law"),
        (b"[1]", "a.json: neither a law"),
        ('{"법령": {"기본정보": {}}}'.encode(), "a.json: neither a law"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.json"), data))


def test_supplements_without_a_head_and_a_rule_without_text() -> None:
    """Each ended in an error of Python, and the file was lost."""
    bare = json.loads(json.dumps(LAW))
    bare["법령"]["부칙"]["부칙단위"]["부칙내용"] = [["제1조(시행일) 이 법은 시행한다."]]
    assert documents_of(read(bare))["supp-99/1"].text == "이 법은 시행한다."
    rule = json.loads(json.dumps(RULE))
    rule["AdmRulService"]["조문내용"] = [" "]
    assert set(documents_of(read(rule))) == {"supp-2022-9/1", "supp-2022-9/2"}


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(LAW, ensure_ascii=False), encoding="utf-8")
    check_conformance("law_go_kr", tmp_path)


ORDINANCE: dict[str, Any] = {
    "LawService": {
        "자치법규기본정보": {
            "자치법규ID": "2000001",
            "자치법규명": "바다시 등대 조례",
            "자치법규종류": "C0001",
            "지자체기관명": "바다시",
            "공포일자": "20230930",
            "공포번호": "0782",
            "시행일자": "20231001",
            "제개정정보": "일부개정",
        },
        "조문": {
            "조": [
                {"조문번호": "000000", "조문여부": "N", "조내용": "제1장 총칙"},
                {
                    "조문번호": ["000100", "000100"],
                    "조문여부": "Y",
                    "조제목": "목적",
                    "조내용": "제1조(목적) 등대를 정한다.",
                },
                {
                    "조문번호": "000702",
                    "조문여부": "Y",
                    "조제목": "위원회",
                    "조내용": "제7조의2(위원회) ① 다음 위원을 둔다.\n1. 시장\n2. 선장\n② 위원은 제1조에 따른다.",
                },
                {"조문번호": "000902", "조문여부": "Y", "조내용": "제9조의 2(위임) 시장이 정한다."},
            ]
        },
        "부칙": {
            "부칙공포일자": ["20210930", "20230930"],
            "부칙공포번호": ["7", "0782"],
            "부칙내용": [
                "이 조례는 공포한 날부터 시행한다.",
                "부칙(2023.9.30. 조례 제782호)\n이 조례는 10월에 시행한다.",
            ],
        },
    }
}


def test_an_ordinance() -> None:
    law = read(ORDINANCE)
    assert (law.title, law.law_id, law.level, law.kind) == ("바다시 등대 조례", "2000001", "ordinance", "조례")
    assert (law.number, law.effective_from) == ("바다시 조례 제782호", "2023-10-01")
    documents = documents_of(law)
    assert {number: (one.unit.heading, one.text) for number, one in documents.items()} == {
        "1": ("목적", "등대를 정한다."),
        "7의2": ("위원회", "① 다음 위원을 둔다.\n1. 시장\n2. 선장\n② 위원은 제1조에 따른다."),
        "9의2": ("위임", "시장이 정한다."),
        "supp-7": ("", "이 조례는 공포한 날부터 시행한다."),
        "supp-782": ("", "이 조례는 10월에 시행한다."),
    }
    assert documents["1"].above[1].heading == "총칙"
    assert documents["supp-7"].unit.promulgated == "2021-09-30"


def as_xml(value: object, name: str) -> str:
    """Return a value of the JSON form as elements of the XML form; keys and codes are attributes."""
    if isinstance(value, list):
        if value and all(isinstance(each, list) for each in value):
            value = "\n".join(line for each in value for line in each)
        else:
            return "".join(as_xml(each, name) for each in value)
    if not isinstance(value, dict):
        return f"<{name}><![CDATA[{value}]]></{name}>"
    marks = {key: each for key, each in value.items() if key.endswith(("키", "코드"))}
    inside = "".join(
        str(each) if key == "content" else as_xml(each, key) for key, each in value.items() if key not in marks
    )
    attributes = "".join(f" {key}='{each}'" for key, each in marks.items())
    return f"<{name}{attributes}>{inside}</{name}>"


@pytest.mark.parametrize("value", [LAW, RULE, ORDINANCE], ids=["law", "rule", "ordinance"])
def test_xml_is_read_as_json_is(value: dict[str, Any]) -> None:
    ((root, body),) = value.items()
    law = law_of(FORMAT, as_xml(body, root), "law.xml")
    other = read(value)
    texts = [(one.docno, one.text, one.unit.heading, one.unit.effective_from) for one in cut(other).documents]
    assert [(one.docno, one.text, one.unit.heading, one.unit.effective_from) for one in cut(law).documents] == texts
    assert (law.title, law.law_id, law.number, law.kind) == (other.title, other.law_id, other.number, other.kind)


def test_empty_elements_and_numbers_that_are_none() -> None:
    law = law_of(
        FORMAT,
        """<법령><기본정보><법령명_한글>등대법</법령명_한글></기본정보><조문><조문단위><조문번호>1</조문번호><조문여부>조문</조문여부>
        <조문내용>제1조 등대.</조문내용><항/><항><호/><호>1. 탑</호></항></조문단위></조문><별표><별표단위><별표번호/>
        <별표구분>별표</별표구분><별표제목>요금</별표제목></별표단위></별표></법령>""",
        "law.xml",
    )
    assert {number: one.text for number, one in documents_of(law).items()} == {"1": "등대.\n1. 탑", "annex": ""}
