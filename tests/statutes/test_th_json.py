import json
from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.references.numbering import number_of, sort_key
from legalir.statutes.sources.th_json import FORMATS

(FORMAT,) = FORMATS
LAW = "พระราชบัญญัติโคมไฟ พ.ศ. 2500"


def section(number: str, text: str, *cites: tuple[str, str], law: str = LAW) -> dict[str, object]:
    head = f"{law} มาตรา {number}" if number[0].isdigit() else law
    references = [{"law_name": name, "section_num": target, "include": True} for name, target in cites]
    return {"law_name": law, "section_num": number, "section_content": f"{head} {text}", "reference": references}


SECTIONS = [
    section("1", "แพทุกลำต้องมีโคมไฟ"),
    section("1 ทวิ", "โคมไฟตามมาตรา 1\nต้องสว่าง", (LAW, "1"), ("พระราชบัญญัติแพ", "7")),
    section("2/1", "(ยกเลิก)"),
    section("บัญชีค่าธรรมเนียม 1", "โคมไฟ 5 บาท"),
    section("บัญชีค่าธรรมเนียม 2", "แพ 9 บาท", (LAW, "1 ทวิ")),
]


def law(sections=SECTIONS):
    return law_of(FORMAT, json.dumps(sections, ensure_ascii=False), "ค0001.json")


def test_sections_and_the_items_of_a_schedule() -> None:
    read = law()
    assert (read.law_id, read.title, read.level, read.kind) == ("ค0001", LAW, "act", "พระราชบัญญัติ")
    documents = documents_of(read)
    assert {number: one.text for number, one in documents.items()} == {
        "1": "แพทุกลำต้องมีโคมไฟ",
        "1ทวิ": "โคมไฟตามมาตรา 1\nต้องสว่าง",
        "2/1": "",
        "annex/1": "โคมไฟ 5 บาท",
        "annex/2": "แพ 9 บาท",
    }
    assert documents["2/1"].unit.repealed
    assert documents["1ทวิ"].unit.label == "มาตรา 1 ทวิ"
    assert documents["annex/1"].above[-1].label == "บัญชีค่าธรรมเนียม"


def test_references_are_links_and_their_words_are_in_the_text() -> None:
    read = law()
    links = [(unit.key, link.law, link.key) for unit in read.root.walk() for link in unit.links]
    assert links == [
        ("1 ทวิ", LAW, "1"),
        ("1 ทวิ", "พระราชบัญญัติแพ", "7"),
        ("บัญชีค่าธรรมเนียม 2", LAW, "1 ทวิ"),
    ]
    for unit in read.root.walk():
        for link in unit.links:
            assert read.text[link.start : link.end] == link.key


@pytest.mark.parametrize(
    ("printed", "number"),
    [("3 สัตตรส", "3สัตตรส"), ("65 เอกวีสติ/1", "65เอกวีสติ/1"), ("65 ฉัพพีสติ", "65ฉัพพีสติ"), ("๔๐ ทวิ", "40ทวิ")],
)
def test_ordinals_in_numbers(printed: str, number: str) -> None:
    assert number_of(printed) == number
    assert sort_key("65วีสติ") < sort_key("65เอกวีสติ") < sort_key("65ฉัพพีสติ") < sort_key("66")


def test_two_laws_in_a_file_have_identifiers_of_their_own() -> None:
    data = json.dumps([section("1", "ก"), section("1", "ข", law="กฎ แพ")]).encode()
    laws = list(FORMAT.read(Path("a.json"), data))
    assert [one.law_id for one in laws] == ["พระราชบัญญัติโคมไฟ-พ.ศ.-2500", "กฎ-แพ"]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'[{"law_name": "a", "section_num": "1"', "a.json, line 1, column 38: not JSON"),
        ("[]".encode("utf-16"), "a.json: not UTF-8 at byte 0"),
        (b"[]", "a.json: it must be a list of sections"),
        (b'{"law_name": "a"}', "a.json: it must be a list of sections"),
        (b'[{"law_name": "a", "section_num": 1}]', "a.json, section 1: no section_num and no section_content."),
        (b"[" * 100_000, "a.json: JSON that is nested too deeply"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.json"), data))


def test_conformance(tmp_path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(SECTIONS), encoding="utf-8")
    check_conformance("th_json", tmp_path)
