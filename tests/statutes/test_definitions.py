"""Terms that laws define, in each language: term, meaning, place in the text, and where the meaning holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_source import Small

from legalir.errors import DataError
from legalir.statutes.definitions import DefinedTerm, definitions, languages, read_definitions
from legalir.statutes.jurisdictions import jurisdictions
from legalir.statutes.writing import write_collection

PATH = "제2편 시설 › 제3장 통로"


def of(text: str, docno: str = "law-2", path: str = "", lang: str | None = None) -> list[DefinedTerm]:
    found = definitions({"docno": docno, "text": text, "law_id": "law", "path": path}, lang)
    for each in found:
        assert each.meaning in text[each.start : each.end]
        assert each.term.split()[0] in text[each.start : each.end]
    return found


def terms(text: str, path: str = "") -> list[tuple[str, str, str]]:
    return [(each.term, each.meaning, each.scope) for each in of(text, path=path)]


KOREAN = """\
① 이 법에서 사용하는 용어의 뜻은 다음과 같다. <개정 2020.1.2>
1. "창고"란 물건을 보관하는 건축물을 말한다.
2. "위험한 창고"란 다음 각 목의 창고를 말한다.
가. 불에 타는 물건의 창고
나. 폭발하는 물건의 창고
3. "관리자"(임차인을 포함한다)란 창고를 관리하는 사람을 말한다. 다만, 소유자는 제외한다.
② 제5조제1항 단서에서 "넓은 통로"란 너비 3미터 이상인 통로를 말한다.
③ 이 장에서 "출구"란 밖으로 나가는 문을 말한다. 관리자는 출구를 열어 두어야 한다."""


def test_korean() -> None:
    found = of(KOREAN, path=PATH)
    assert [each.term for each in found] == ["창고", "위험한 창고", "관리자", "넓은 통로", "출구"]
    assert found[1].meaning.endswith("나. 폭발하는 물건의 창고")
    assert found[2].meaning == "창고를 관리하는 사람을 말한다. 다만, 소유자는 제외한다."
    assert found[4].meaning == "밖으로 나가는 문을 말한다."
    assert {each[5:] for each in found[:3]} == {("law", "law", "이 법에서")}
    assert found[3][5:] == ("cited", "", "제5조제1항 단서에서")
    assert found[4][5:] == ("group", f"law › {PATH}", "이 장에서")


def test_korean_without_quotation_marks() -> None:
    assert terms("① 창고란 물건을 두는 곳을 말한다.") == [("창고", "물건을 두는 곳을 말한다.", "law")]
    assert terms("① 비고란 끝에 점검한 날을 적어야 한다.") == []


def test_what_is_no_definition() -> None:
    assert of('점검 결과를 "비고"란에 적는다. 창고를 관리하는 사람(이하 "관리자"라 한다)은 신고한다.') == []
    assert (
        of("By means of a notice, the “Authority” includes no one else’s opinion in its record.".replace("“", "")) == []
    )


def test_what_is_put_into_another_law() -> None:
    assert of("In section 4, insert— ““shed” means a small building.”") == []
    inserted = "After section 4, insert—\n“4A Sheds\n(1) In this section, “shed” means a small building.”.\n"
    assert of(inserted) == []
    assert [each.term for each in of(inserted + "In this Act, “exit” means a door.")] == ["exit"]
    assert (
        of("It is amended by adding:\n“(D) The term ‘shed’ means a building.\n“(E) The term ‘door’ means an exit.”.")
        == []
    )


ENGLISH = """\
(1) In this Part, unless the context otherwise requires—
“passage” means a way through a building;
“exit”, in relation to a passage, includes—
(a) a door; and
(b) a window on the ground floor;
“keeper” and “warden” have the same meaning as in section 9.
(2) In this section, a “wide passage” means one of more than 3 metres. No. 5 is one. It includes a hall. Exits are open.
(3) In subsection (1)(b), “ground floor” means the lowest floor.
(4) The following definitions apply in this Act.
lamp means a source of light. (lampe)"""


def test_english() -> None:
    found = of(ENGLISH, path="PART 2 Buildings › CHAPTER 1 Ways")
    assert [each.term for each in found] == [
        *("passage", "exit", "keeper", "warden", "wide passage", "ground floor", "lamp"),
    ]
    assert found[0].meaning == "a way through a building"
    assert found[1].meaning == "(a) a door; and\n(b) a window on the ground floor"
    assert {each[5:] for each in found[:4]} == {("group", "law › PART 2 Buildings", "this Part")}
    assert found[4][4:] == ("one of more than 3 metres.", "article", "law-2", "this section")
    assert found[5][5:] == ("cited", "", "In subsection (1)(b)")
    assert found[6][5:] == ("law", "law", "this Act")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "この法律において「倉庫」とは、物品を保管する建築物（政令で定めるものを除く。以下同じ。）をいう。",
            [("倉庫", "物品を保管する建築物（政令で定めるものを除く。以下同じ。）をいう。", "law")],
        ),
        (
            "この章において、次の各号に掲げる用語の意義は、当該各号に定めるところによる。\n"
            "一 通路 建築物を通る道をいう。\n二 出口 次に掲げるものをいう。\nイ 扉\nロ 窓",
            [("通路", "建築物を通る道をいう。", "group"), ("出口", "次に掲げるものをいう。\nイ 扉\nロ 窓", "group")],
        ),
        ("② 管理人とは、倉庫を管理する者をいう。", [("管理人", "倉庫を管理する者をいう。", "law")]),
        ("２ 前項の基準日とは、四月一日をいう。", [("基準日", "四月一日をいう。", "cited")]),
        ("本条例所称仓库，是指保管物品的建筑物。", [("仓库", "保管物品的建筑物。", "law")]),
        ("本法下列用语的含义：\n（一） 通道，是指供人通行的道路。", [("通道", "供人通行的道路。", "law")]),
        ("本章用詞，定義如下：\n一、 出口：指通往戶外之門。", [("出口", "通往戶外之門。", "group")]),
        ("前項所稱通道，指供人通行之道路。", [("通道", "供人通行之道路。", "cited")]),
        (
            "ในพระราชบัญญัตินี้\n“คลัง” หมายความว่า อาคารเก็บสินค้าตามประกาศ ก.ล.ต. และอื่น ๆ\n“ผู้ดูแล” หมายความรวมถึง ผู้เช่า",
            [("คลัง", "อาคารเก็บสินค้าตามประกาศ ก.ล.ต. และอื่น ๆ", "law"), ("ผู้ดูแล", "ผู้เช่า", "law")],
        ),
        (
            "Au sens du présent code, on entend par :\n1° Entrepôt : un bâtiment de stockage ;\n2° Issue : une porte.",
            [("Entrepôt", "un bâtiment de stockage", "law"), ("Issue", "une porte", "law")],
        ),
        ("On appelle ainsi, et on entend par « passage » un chemin.", [("passage", "un chemin.", "law")]),
        (
            "Im Sinne dieses Gesetzes bezeichnen die Ausdrücke:\n"
            "1. „Lager“ ein Gebäude vom 31. Dezember 1999;\n2. „Tür“ einen Ausgang.",
            [("Lager", "ein Gebäude vom 31. Dezember 1999", "law"), ("Tür", "einen Ausgang", "law")],
        ),
        ("In this Act—\n“a” means x;\n“b” means y, z etc.", [("a", "x", "law"), ("b", "y, z etc.", "law")]),
        ("(8) Lager im Sinne dieses Absatzes sind Gebäude.", [("Lager", "Gebäude.", "paragraph")]),
        (
            "Ai fini del presente decreto si intende per:\na) «magazzino»: un edificio;\nb) «uscita»: una porta.",
            [("magazzino", "un edificio", "law"), ("uscita", "una porta", "law")],
        ),
    ],
)
def test_other_languages(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert terms(text, "第三章 通路") == expected


def test_the_language_may_be_named() -> None:
    assert of("“passage” means a way.", lang="en")
    assert of("“passage” means a way.", lang="ko") == of("“passage” means a way.", lang="xx") == []


@pytest.mark.parametrize(
    ("text", "holds", "does_not"),
    [
        ("In this Act, “exit” means a door.", "law-9", None),
        ("In this Part, “exit” means a door.", "law-3", "law-9"),
        ("In this section, “exit” means a door.", "law-2/4", "law-20"),
        ("(4) In this subsection, “exit” means a door.", "law-2/4", "law-2/5"),
        ("In section 7, “exit” means a door.", None, "law-2"),
        ("In this Title, “exit” means a door.", None, "law-2"),  # No title stands above it.
    ],
)
def test_where_a_meaning_holds(text: str, holds: str | None, does_not: str | None) -> None:
    (one,) = of(text, path="PART 1 Ways")
    paths = {"law-9": "PART 10 Fees"}
    for docno, expected in ((holds, True), (does_not, False)):
        if docno:
            row = {"docno": f"{docno}@2020-01-01", "law_id": "law", "path": paths.get(docno, "PART 1 Ways › CHAPTER 2")}
            assert one.holds_in(row) is expected
    assert not one.holds_in({"docno": "other-2", "law_id": "other", "path": "PART 1 Ways"})


def test_annexes_and_supplements() -> None:
    schedule, supplement = (
        of(text, docno)[0]
        for text, docno in (
            ("In this Schedule, “exit” means a door.", "law-annex-2/3"),
            ("この附則において「倉庫」とは、建築物をいう。", "law-supp-1/2"),
        )
    )
    assert (schedule.scope, schedule.within) == ("annex", "law-annex-2")
    assert schedule.holds_in({"docno": "law-annex-2/1"})
    assert not schedule.holds_in({"docno": "law-annex-21/1"})
    assert (supplement.scope, supplement.within) == ("supplement", "law-supp-1")


def test_an_import_writes_them(tmp_path: Path) -> None:
    rows = [{"docno": "law-2", "text": KOREAN, "law": "창고법"}, {"docno": "law-3", "text": "창고를 연다."}]
    report = write_collection(Small(rows, []), tmp_path / "new")
    assert report.definitions == 5
    assert list(read_definitions(tmp_path / "new")) == definitions(rows[0])
    report = write_collection(Small(rows[1:], []), tmp_path / "new", replace=True)
    assert (report.definitions, list(read_definitions(tmp_path / "new"))) == (0, [])


def test_a_broken_file_of_definitions(tmp_path: Path) -> None:
    (tmp_path / "definitions.jsonl").write_text('{"term": "x"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"definitions\.jsonl.*1"):
        list(read_definitions(tmp_path))


def test_each_section_is_whole() -> None:
    known = {level.kind for table in jurisdictions().values() for level in table.levels}
    for lang, phrases in languages().items():
        assert phrases.patterns, lang
        assert set(phrases.scopes) <= {*known, "law", "annex", "supplement", "cited"}, lang
        assert {"law", "cited"} <= set(phrases.scopes), lang
        assert all("(?P<term>" in form for form in (*phrases.terms, *phrases.begins, *phrases.entries)), lang
        assert all("(?P<level>" in form for form in phrases.scopes["group"]), lang
