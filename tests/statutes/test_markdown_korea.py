"""Korean laws as Markdown. The sample law is invented."""

from __future__ import annotations

from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.importing.files import provision_of
from legalir.statutes.law import Law, Unit
from legalir.statutes.sources.markdown import FORMATS, read_kr

SAMPLE = """---
제목: 등대법 시행령
법령MST: 1
법령ID: '000777'
법령구분: 대통령령
공포일자: 2021-03-02
공포번호: '00123'
시행일자: 2021-06-01
첨부파일:
- 별표번호: '0001'
  별표가지번호: '00'
  별표구분: 별표
  제목: 등대의 종류(제3조제1항 관련)
  파일링크: https://example.org/1
- 별표번호: '0001'
  별표가지번호: '02'
  별표구분: 별표
  제목: '등불의 ''색'' 기준(제3조제2항, 제4조 및 제5조의2 관련)'
- 별표번호: '0002'
  별표가지번호: '00'
  별표구분: 별표
  제목: 삭제 &lt;2020. 1. 1.&gt;
- 별표번호: '0001'
  별표가지번호: '00'
  별표구분: 서식
  제목: 등대 신고서
---

# 등대법 시행령

## 제1장 총칙 <개정 2019.1.1>

##### 제1조 (목적)

이 영은 「등대법」에서 위임된 사항을 정한다.

##### 제2조

삭제 <2018.5.5>

## 제2장 등불

##### 제3조 ((등불의 설치))

**①** 다음 각 호의 자는 등불을 둔다. <개정 2019.1.1>

  1\\. 항만의 관리자
    가\\. 국가
    나\\. 지방자치단체
  1의2\\. 섬의 관리자
      1) 큰 섬
  2\\. 삭제 <2019.1.1>

**②** 삭제 <2019.1.1>

##### 제4조 (너비)

너비는 다음 표에 따른다.
┌──────┬──────┐
│길의 길이   │길의 너비   │
├──────┼──────┤
│10미터 미만 │2미터이상인 │
│            │ 길         │
└──────┴──────┘
<img src="http://example.org/9" alt="img9">
<img src="http://example.org/8" alt="등대 그림">

## 부칙

부칙 <제99호,2018.5.5>


제1조(시행일) 이 영은 공포한 날부터 시행한다.


제2조 및 제3조 생략


제4조(다른 법령의 개정) ①항로법 시행령 일부를 다음과 같이 개정한다.


제9조(항로) 중 "갑"을 "을"로 한다.


② 생략


부칙(항만법 시행령) <제7호,2019.1.1>


이 영은 공포한 날부터 시행한다.


부칙 <제7호,2021.3.2>


①(시행일) 이 영은 2021년 6월 1일부터 시행한다.
"""


@pytest.fixture(scope="module")
def law() -> Law:
    return _read(SAMPLE)


def _read(text: str) -> Law:
    (law,) = read_kr(Path("시행령.md"), text.encode())
    return law


def _units(law: Law, kind: str) -> list[Unit]:
    return [unit for unit in law.root.walk() if unit.kind == kind]


def _texts(law: Law) -> dict[str, str]:
    return {document.docno: document.text for document in cut(law).documents}


def test_every_sign_is_in_a_unit_or_left_out(law: Law) -> None:
    assert law.unread() == []
    assert set(law.counts()[2]) == {
        *("metadata", "markup", "title", "form", "image", "lines of a drawn table"),
        *("heading of the supplements", "omitted by the publisher"),
    }


def test_the_law(law: Law) -> None:
    assert (law.title, law.law_id, law.level, law.kind) == ("등대법 시행령", "000777", "decree", "대통령령")
    assert (law.number, law.promulgated, law.effective_from) == ("대통령령 제123호", "2021-03-02", "2021-06-01")


def test_documents(law: Law) -> None:
    assert list(_texts(law)) == [
        *("000777-1", "000777-2", "000777-3", "000777-4"),
        *("000777-supp-99/1", "000777-supp-99/4", "000777-supp-7", "000777-supp-7-2021-03-02"),
        *("000777-annex-1", "000777-annex-1의2", "000777-annex-2"),
    ]


def test_labels_and_items(law: Law) -> None:
    article = _units(law, "article")[2]
    inside = [(unit.kind, unit.number, unit.label, unit.repealed) for unit in article.walk()][1:]
    assert inside == [
        ("paragraph", "1", "①", False),
        ("item", "1", "1.", False),
        ("subitem", "가", "가.", False),
        ("subitem", "나", "나.", False),
        ("item", "1의2", "1의2.", False),
        ("subitem", "1", "1)", False),
        ("item", "2", "2.", True),
        ("paragraph", "2", "②", True),
    ]
    assert _texts(law)["000777-3"].splitlines()[:2] == [
        "① 다음 각 호의 자는 등불을 둔다. <개정 2019.1.1>",
        "1. 항만의 관리자",
    ]


def test_a_drawn_table_is_rows_of_cells(law: Law) -> None:
    assert _texts(law)["000777-4"] == "\n".join(
        ["너비는 다음 표에 따른다.", "길의 길이 | 길의 너비", "10미터 미만 | 2미터이상인 길", "등대 그림"]
    )
    assert law.notes == ["등대법 시행령: images without words, left out: 1."]


def test_supplements_have_their_act_and_their_own_articles(law: Law) -> None:
    supplements = _units(law, "supplement")
    assert [(unit.number, unit.promulgated) for unit in supplements] == [
        *(("99", "2018-05-05"), ("7", "2019-01-01"), ("7-2021-03-02", "2021-03-02")),
    ]
    assert supplements[1].label == "부칙(항만법 시행령) <제7호,2019.1.1>"
    texts = _texts(law)
    assert texts["000777-supp-99/4"].splitlines()[1] == '제9조(항로) 중 "갑"을 "을"로 한다.', "quoted: no article"
    assert [unit.heading for unit in _units(law, "group")] == ["총칙", "등불"]
    assert [unit.number for unit in _units(law, "article") if unit.repealed] == ["2"]
    document = cut(law).documents[4]
    assert provision_of(law, document)["title"] == "등대법 시행령 부칙 <제99호,2018.5.5> 제1조(시행일)"


def test_annexes_by_their_titles(law: Law) -> None:
    annexes = [(unit.number, unit.heading, unit.related, unit.repealed) for unit in _units(law, "annex")]
    assert annexes == [
        ("1", "등대의 종류", ("제3조제1항",), False),
        ("1의2", "등불의 '색' 기준", ("제3조제2항", "제4조", "제5조의2"), False),
        ("2", "", (), True),
    ]
    assert _texts(law)["000777-annex-1"] == "(제3조제1항 관련)"


def test_line_ends_and_a_mark_of_byte_order_do_not_matter(law: Law) -> None:
    (other,) = read_kr(Path("시행령.md"), b"\xef\xbb\xbf" + SAMPLE.replace("\n", "\r\n").encode())
    assert _texts(other) == _texts(law)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (SAMPLE.encode("cp949", "ignore"), "a.md: not UTF-8 at byte 4."),
        ("# 등대법\n".encode(), "a.md: no front matter with 제목"),
        (b"", "a.md: no front matter with 제목"),
        ("---\n법령ID: '1'\n---\n".encode(), "a.md: no front matter with 제목"),
        ("---\n제목: [등대법\n---\n".encode(), "a.md, line 3: the front matter is not YAML"),
        (SAMPLE[:200].encode(), "a.md: no front matter with 제목"),
    ],
)
def test_faults_name_file_and_place(data: bytes, fault: str) -> None:
    with pytest.raises(DataError) as error:
        list(read_kr(Path("a.md"), data))
    assert str(error.value).startswith(fault)


def test_a_truncated_file_is_read_as_far_as_it_goes() -> None:
    law = _read(SAMPLE[: SAMPLE.index("가\\.")])
    assert [unit.number for unit in _units(law, "article")] == ["1", "2", "3"]
    assert law.unread() == []


def test_a_second_article_of_one_number_is_kept() -> None:
    law = _read(SAMPLE.replace("##### 제4조 (너비)", "##### 제3조 (너비)"))
    assert cut(law).repeated == ["000777-3~2"]


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(SAMPLE, encoding="utf-8")
    check_conformance('markdown(rules="kr")', tmp_path)


def test_a_caption_between_articles_is_in_the_path(tmp_path: Path) -> None:
    front = SAMPLE[: SAMPLE.index("# 등대법")]
    body = "## 제1장 등불\n\n**제1항 켜기**\n\n##### 제1조 (때)\n\n밤에 켠다.\n\n"
    body += "**제2항 끄기**\n\n##### 제2조 (때)\n\n아침에 끈다.\n"
    (law,) = read_kr(tmp_path / "a.md", (front + body).encode())
    rows = [provision_of(law, each) for each in cut(law).documents if each.unit.kind == "article"]
    assert [(row["path"], row["text"]) for row in rows] == [
        ("제1장 등불 › 제1항 켜기", "밤에 켠다."),
        ("제1장 등불 › 제2항 끄기", "아침에 끈다."),
    ]
    assert law.unread() == []


RULE = """---
행정규칙ID: '12'
행정규칙명: 등불 점검 지침
행정규칙종류: 고시
소관부처명: 바다부
발령번호: '2024-12'
발령일자: 2024-03-01
시행일자: 2024-04-01
---

# 등불 점검 지침

## 제1장 총칙

##### 제1조 (목적)

등불을 점검한다.

## 부칙

이 지침은 발령한 날부터 시행한다.
"""


def test_an_administrative_rule_and_an_ordinance():
    rule = law_of(FORMATS[0], RULE, "본문.md")
    assert (rule.title, rule.law_id, rule.level) == ("등불 점검 지침", "12", "standard")
    assert (rule.number, rule.promulgated, rule.effective_from) == (
        "바다부고시 제2024-12호",
        "2024-03-01",
        "2024-04-01",
    )
    assert list(documents_of(rule)) == ["1", "supp"]
    words = {"행정규칙": "자치법규", "소관부처명": "지자체기관명", "발령": "공포", "고시": "조례", "바다부": "바다시"}
    text = RULE
    for old, new in words.items():
        text = text.replace(old, new)
    ordinance = law_of(FORMATS[0], text, "본문.md")
    assert (ordinance.level, ordinance.number) == ("ordinance", "바다시 조례 제2024-12호")
    assert list(documents_of(ordinance)) == ["1", "supp"]


def test_a_rule_whose_text_is_in_an_attachment():
    (law,) = FORMATS[0].read(Path("a.md"), RULE.replace("발령일자", "본문출처: parsing-failed\n발령일자").encode())
    assert [unit.kind for unit in law.root.units] == ["supplement"]
    assert len(law.notes) == 1
