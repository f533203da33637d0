"""Statutes in Hangul files. The test makes the file."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.statutes.sources.hwpx import FORMATS
from legalir.statutes.sources.hwpx import _read as read_hwpx

SECTION = """<hs:sec xmlns:hs="urn:s" xmlns:hp="urn:p">{}</hs:sec>"""
LINE = "<hp:p><hp:run><hp:t>{}</hp:t></hp:run></hp:p>"
TABLE = (
    "<hp:p><hp:run><hp:tbl><hp:tr><hp:tc><hp:subList>{}</hp:subList></hp:tc><hp:tc><hp:subList>{}</hp:subList></hp:tc>"
    "</hp:tr></hp:tbl></hp:run></hp:p>"
)
NOTE = (
    "<hp:p><hp:run><hp:t>제3조(벌칙) 벌한다.</hp:t><hp:footNote><hp:p><hp:run><hp:t>주</hp:t></hp:run></hp:p>"
    "</hp:footNote></hp:run></hp:p>"
)


def file(*sections: str, **entries: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/hwp+zip")
        for place, section in enumerate(sections):
            archive.writestr(f"Contents/section{place}.xml", SECTION.format(section))
        for name, data in entries.items():
            archive.writestr(name, data)
    return made.getvalue()


ACT = file(
    LINE.format("등대 지침") + LINE.format("제1조(목적) 이 지침은 <hp:tab/>등대를<hp:lineBreak/>정한다."),
    LINE.format("제2조(등급) 등급은 다음과 같다.") + TABLE.format(LINE.format("큰 탑"), LINE.format("50m")) + NOTE,
)


def test_a_file() -> None:
    law = law_of(FORMATS[0], ACT, "지침.hwpx")
    assert (law.title, law.lang) == ("등대 지침", "ko")
    assert {number: one.text for number, one in documents_of(law).items()} == {
        "1": "이 지침은 등대를\n정한다.",
        "2": "등급은 다음과 같다.\n큰 탑 | 50m",
        "3": "벌한다.",
    }
    assert len(law.notes) == 1  # of the footnote


def test_tracked_deletions_are_no_text() -> None:
    marks = "<hp:deleteBegin/>{}<hp:deleteEnd/><hp:insertBegin/>{}<hp:insertEnd/>"
    inside = LINE.format("제1조(등) 등을 " + marks.format("끄지", "켜지") + " 아니한다.")
    across = LINE.format("그러나 <hp:deleteBegin/>밤에는") + LINE.format("끈다. <hp:deleteEnd/>낮에는 끈다.")
    law = law_of(FORMATS[0], file(LINE.format("등대 지침") + inside + across), "지침.hwpx")
    assert documents_of(law)["1"].text == "등을 켜지 아니한다.\n그러나\n낮에는 끈다."
    assert [note.rpartition(" ")[2] for note in law.notes] == ["2."]
    begun = file(LINE.format("등대 지침") + LINE.format("제1조(등) <hp:deleteBegin/>등을 켠다.") + LINE.format("끈다."))
    law = law_of(FORMATS[0], begun, "지침.hwpx")  # A mark without its end deletes nothing.
    assert (documents_of(law)["1"].text, law.notes) == ("등을 켠다.\n끈다.", [])


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (ACT[:100], "cannot be read as an HWPX file"),
        (file(), "no Contents/section0.xml"),
        (file("<hp:p>"), "not well-formed"),
        (file(LINE.format("줄"), big=b"0" * (101 * 2**20)), "unpacks to 101 MB"),
    ],
    ids=["section", "none", "markup", "size"],
)
def test_faults(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(read_hwpx(Path("a.hwpx"), data, "kr", "지침"))


def test_entities_are_not_expanded() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("Contents/section0.xml", '<!DOCTYPE s [<!ENTITY a "b">]>' + SECTION.format(LINE.format("&a;")))
    with pytest.raises(DataError, match="entities"):
        list(read_hwpx(Path("a.hwpx"), made.getvalue(), "kr", ""))


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "지침.hwpx").write_bytes(ACT)
    check_conformance("hwpx", tmp_path / "지침.hwpx")
