"""A file that no format recognises: what it is, and what comes closest."""

from __future__ import annotations

from pathlib import Path

import pytest

from legalir.errors import DataError
from legalir.statutes.importing.unknown import described
from legalir.statutes.sources.auto import formats
from legalir.statutes.writing import write_collection


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        (
            "a.xml",
            '<?xml version="1.0"?><!-- c --><b:act xmlns:b="urn:x"><b:p/></b:act>',
            ["root element <act>", "urn:x"],
        ),
        ("a.xml", '<!DOCTYPE law SYSTEM "l.dtd" [<!ENTITY x "y">]>\n<law/>', ["root element <law>", "xml(path=…"]),
        ("a.xml", "<html><body>Art. 1", ["a web page", "name it .html"]),
        ("a.xml", "<act/>".encode("utf-16"), ["root element <act>", "UTF-16"]),
        ("a.txt", "<akomaNtoso><act/>", ["looks as a file of akoma_ntoso", ".xml"]),
        ("a.json", '{"Law": "일치하는 법령이 없습니다."}', ["JSON that says only 'Law': '일치하는"]),
        ("a.json", '{"id": 1, "text": "', ["JSON with the keys id, text"]),
        (
            "a.md",
            "---\n법령ID: 1\n공포일자: 2024\n---\n# Act\n",
            ["keys 법령ID, 공포일자", "markdown-kr", "lacks 제목"],
        ),
        ("a.foo", "First line\nsecond", ["text whose first line is 'First line'", "UTF-8"]),
        ("a.foo", "제1조".encode("cp949"), ["text, not in UTF-8"]),
        ("a.csv", "docno,text\n", ["table(path="]),
        ("a.md", "", ["is empty"]),
        ("a.md", b"\xff\xfe", ["is empty"]),
        ("a.bin", b"%PDF-1.7", ["a PDF file", ".pdf"]),
        ("a.bin", b"PK\x03\x04....word/document.xml", ["a Word file"]),
        ("a.bin", b"\x00\x01\x02\x03", ["binary", "00 01 02 03"]),
    ],
)
def test_what_a_file_is(tmp_path: Path, name: str, data: str | bytes, words: list[str]) -> None:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    sentence = described(path, name, formats())
    assert sentence.startswith(f"{name} is ")
    assert [word for word in words if word not in sentence] == [], sentence
    assert "\n" not in sentence


def test_the_message_of_an_import(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.xml").write_text("<a/>", encoding="utf-8")
    with pytest.raises(DataError) as error:
        write_collection(f'auto(path="{tmp_path}")', tmp_path / "new")
    message = str(error.value)
    assert message.count("root element <a>") == 3
    assert message.endswith("There are 2 more.")
    with pytest.raises(DataError, match="of the format uk_clml"):
        write_collection(f'uk_clml(path="{tmp_path}")', tmp_path / "new")
