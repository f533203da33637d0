"""Decisions of courts as sections. The samples are invented, and so is the shape of the text files."""

import json
from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of
from refusals import refused

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.importing.files import provision_of
from legalir.statutes.sources.judgments import FORMATS, judgments, read

(FORMAT,) = FORMATS
TEXT = (
    """등대법원 2012. 3. 4. 선고 2010다12345 판결 【손해배상】

【판시사항】
[1] 등불을 켜지 않은 자의 책임

【판결요지】
[1] 책임이 있다.
[2] 배의 책임은 없다.

【참조조문】
등대법 제3조 제1항

【전 문】
【원고】 갑
"""
    + "등불을 켜야 한다. " * 30
)


def test_a_text_is_cut_into_its_sections() -> None:
    law = law_of(FORMAT, TEXT, "a.txt")
    assert (law.law_id, law.number, law.level) == ("2010다12345", "2010다12345", "judgment")
    assert (law.promulgated, law.effective_from) == ("2012-03-04", "2012-03-04")
    documents = documents_of(law)
    assert list(documents) == ["판시사항", "판결요지", "참조조문", "판례내용"]
    assert documents["판결요지"].text == "[1] 책임이 있다.\n[2] 배의 책임은 없다."
    assert documents["판례내용"].text.startswith("【원고】 갑\n등불을")
    fields = provision_of(law, cut(law).documents[0])
    assert fields["title"] == "등대법원 2012. 3. 4. 선고 2010다12345 판결 【손해배상】 판시사항"


def test_only_a_long_section_is_cut_again() -> None:
    (law,) = read(Path("a.md"), TEXT.encode(), chunk_size=100)
    documents = documents_of(law)
    assert list(documents)[:5] == ["판시사항", "판결요지", "참조조문", "판례내용-1", "판례내용-2"]
    assert {one.unit.level for number, one in documents.items() if "판례내용" in number} == {"판례내용"}
    assert all(len(one.text) <= 100 for one in documents.values())
    assert law.unread() == []


def test_json_with_breaks_as_markup() -> None:
    decision = {
        "사건번호": "2011도7",
        "법원명": "등대법원",
        "사건명": "배",
        "선고일자": "20120304",
        "판시사항": "등불<br/>의 뜻",
        "판례내용": "<p>켠다.</p>",
        "참조판례": None,
    }
    law = law_of(FORMAT, json.dumps({"PrecService": decision}, ensure_ascii=False), "a.json")
    assert (law.title, law.promulgated) == ("등대법원 2011도7 배", "2012-03-04")
    assert {number: one.text for number, one in documents_of(law).items()} == {
        "판시사항": "등불\n의 뜻",
        "판례내용": "켠다.",
    }
    several = json.dumps([decision, decision | {"사건번호": "2011도8", "선고일자": "2012.2.31"}], ensure_ascii=False)
    first, second = FORMAT.read(Path("a.json"), several.encode())
    assert (first.law_id, second.law_id) == ("2011도7", "2011도8")
    assert second.notes == ["등대법원 2011도8 배: 선고일자 is no date: 2012.2.31."]


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("a.txt", TEXT.encode("cp949"), "a.txt: not UTF-8 at byte 0"),
        ("a.txt", "2010다1 판결\n".encode(), "a.txt: no heading such as 【판시사항】"),
        ("a.txt", "판결\n【판시사항】\n등불\n".encode(), "a.txt: no case number"),
        ("a.json", b"{", "a.json, line 1, column 2: not JSON"),
        ("a.json", b"[1]", "a.json: it must be an object"),
        ("a.json", '{"판시사항": "등불"}'.encode(), "a.json: no 사건번호"),
        ("a.json", '[{"사건번호": "1", "판시사항": "x"}, {"사건번호": "2"}]'.encode(), "a.json, decision 2: none of"),
    ],
)
def test_a_broken_file_is_one_sentence(name: str, data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path(name), data))


def test_chunk_size_must_be_positive(tmp_path: Path) -> None:
    with refused("source", "chunk_size", 0):
        judgments(None, chunk_size=0, path=tmp_path)


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    check_conformance("judgments", tmp_path)
