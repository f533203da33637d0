"""Provisions and links from tables, and what is said of faulty ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from legalir import testing
from legalir.errors import ComponentError, DataError, FormatError, LegalIRError
from legalir.statutes.source import Source, get_source
from legalir.statutes.sources.table import table
from legalir.statutes.writing import write_collection

CSV = 'docno,text,law\na-1,"이 법은 ""창고""를\n정한다.",창고법\na-2,,\n'


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return name


def rows(path: str, **parameters: Any) -> list[dict[str, str]]:
    return [dict(row) for row in table(None, path=path, **parameters).provisions()]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", CSV),
        ("p.csv.gz", CSV),
        ("P.CSV", CSV.replace("\n", "\r\n").replace('"를\r\n', '"를\n')),
        ("p.tsv", CSV.replace(",", "\t")),
        ("bom.csv", b"\xef\xbb\xbf" + CSV.encode()),
        ("blank.csv", CSV.replace("docno", " docno ").replace("a-2,,", "\n\na-2,,\n")),
    ],
)
def test_a_table_with_a_header(name: str, content: str | bytes) -> None:
    assert rows(write(name, content)) == [
        {"docno": "a-1", "text": '이 법은 "창고"를\n정한다.', "law": "창고법"},
        {"docno": "a-2", "text": "", "law": ""},
    ]


def test_json_lines() -> None:
    lines = '{"docno": 7, "text": "문", "title": null, "article": 3, "other": [1]}\n\n{"docno": "b", "text": "x"}\n'
    assert rows(write("p.jsonl", lines)) == [{"docno": "7", "text": "문", "article": "3"}, {"docno": "b", "text": "x"}]
    assert rows(write("p.jsonl.gz", lines))[1] == {"docno": "b", "text": "x"}


def test_columns_of_other_names() -> None:
    write("p.csv", "id,body,text,chapter,from\na,문,not this,제1장,2024-01-31\n")
    found = rows("p.csv", docno="id", text="body", part="chapter", effective_from="from")
    assert found == [{"docno": "a", "text": "문", "path": "제1장", "effective_from": "2024-01-31"}]


def test_lines_are_those_on_which_rows_begin() -> None:
    write("p.csv", 'docno,text\na,"1\n2\n3"\n\nb,x\nc,"4\n5"\nd,x\n')
    source = table(None, path="p.csv")
    assert [getattr(row, "line", 0) for row in source.provisions()] == [2, 6, 7, 9]
    assert source.name == "p.csv"
    assert [dict(row) for row in source.provisions()] == [dict(row) for row in source.provisions()], "read again"


def test_dates_in_another_form() -> None:
    write("p.csv", "docno,text,effective_from,effective_to\na,x,20240131,\nb,x,2024131,\n")
    source = table(None, path="p.csv", dates="%Y%m%d")
    assert next(source.provisions())["effective_from"] == "2024-01-31"
    write("p.csv", "docno,text,effective_from\na,x,2024.01.31\n")
    with pytest.raises(FormatError, match=r"p\.csv, line 2: 'effective_from'"):
        list(source.provisions())


def test_the_sign_between_cells_is_the_one_of_the_header() -> None:
    for sign in ",;\t":
        Path("p.csv").write_text(f'docno{sign}text\na{sign}"A fee, due; now"\n')
        assert rows("p.csv") == [{"docno": "a", "text": "A fee, due; now"}]


def test_a_table_without_docnos_is_named_by_law_and_article() -> None:
    write("p.csv", "Act;Art;Words\nHarbour Act;Art. 1;A fee.\nHarbour Act;Art. 2a;A quay.\n")
    source = table(None, path="p.csv", law="Act", article="Art", text="Words")
    assert [dict(row)["docno"] for row in source.provisions()] == ["Harbour-Act-1", "Harbour-Act-2a"]
    with pytest.raises(FormatError, match="no column 'docno'"):
        list(table(None, path="p.csv", law="Act", text="Words").provisions())


def test_encodings_delimiters_and_quotes() -> None:
    write("p.csv", "docno;text\na;창고\n".encode("cp949"))
    assert rows("p.csv", encoding="cp949", delimiter=";") == [{"docno": "a", "text": "창고"}]
    # 창고 is C3 A2 B0 ED, whose first two bytes are a letter in UTF-8; the third begins none.
    with pytest.raises(FormatError, match=r"p\.csv, line 2.*8"):
        rows("p.csv", delimiter=";")
    write("q.tsv", 'docno\ttext\na\t"창고"란 이렇다.\n')
    assert rows("q.tsv", quotes=False) == [{"docno": "a", "text": '"창고"란 이렇다.'}]
    with pytest.raises(FormatError, match=r"q\.tsv, line 2.*quotes=False"):
        rows("q.tsv")


def test_links_from_a_second_table() -> None:
    write("p.csv", "docno,text\na,x\n")
    write("l.csv", "source,target,kind\na,b,cites\nb,a,\n")
    assert list(table(None, path="p.csv", links="l.csv").links()) == [("a", "b", "cites"), ("b", "a", "")]
    write("l.jsonl", '{"from": 1, "to": 2}\n{"from": 2, "to": 3, "how": "cites"}\n')
    source = table(None, path="p.csv", links="l.jsonl", link_source="from", link_target="to", link_kind="how")
    assert list(source.links()) == [("1", "2", ""), ("2", "3", "cites")]
    assert list(table(None, path="p.csv").links()) == []


@pytest.mark.parametrize(("options", "said"), [({}, True), ({"references": False}, False), ({"article": "no"}, False)])
def test_a_table_without_articles_says_that_it_makes_no_links(
    options: dict[str, Any], said: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write("p.csv", "docno,no,text\na,4,Section 5 applies.\nb,5,The fee is 20.\n")
    report = write_collection(table(None, path="p.csv", **options), tmp_path / "out")
    assert ("name its column (article=…)" in caplog.text) is said
    assert bool(report.links) is ("article" in options)


@pytest.mark.parametrize("references", [True, False])
def test_links_from_the_references_in_the_texts(references: bool) -> None:
    """Of a table, and of BEIR, whose identifier is `_id` and whose other fields are in `metadata`."""
    act = {"law": "Pier Act 2001", "article": "s. 4"}
    beir = [
        {"_id": "a4", "text": "The owner of a boat pays the fee that section 5 sets.", "metadata": act},
        {"_id": "a5", "text": "The fee is 20.", "metadata": {**act, "article": "5"}},
        {
            "_id": "b1",
            "text": "Section 4 of the Pier Act 2001 also applies to rafts.",
            "metadata": {"law": "Raft Rules"},
        },
    ]
    write("c.jsonl", "".join(f"{json.dumps(one)}\n" for one in beir))
    write(
        "p.csv",
        "docno,law,article,text\n"
        + "".join(
            f"{one['_id']},{one['metadata']['law']},{one['metadata'].get('article', '')},{one['text']}\n"
            for one in beir
        ),
    )
    expected = [("a4", "a5", "cites"), ("b1", "a4", "cites")] if references else []
    for name in ("c.jsonl", "p.csv"):
        source = table(None, path=name, references=references)
        assert [row["docno"] for row in source.provisions()] == ["a4", "a5", "b1"]
        assert list(source.links()) == expected


@pytest.mark.parametrize(
    ("name", "content", "parameters", "message"),
    [
        ("p.csv", "", {}, r"^p\.csv: there is no header, whose cells name the columns\.$"),
        ("p.csv", "docno,text,text\n", {}, r"^p\.csv, line 1: the header names 'text' twice\.$"),
        ("p.csv", "docno,text\na\n", {}, r"^p\.csv, line 2: 1 cell, but the header has 2\.$"),
        ("p.csv", "docno,text\na,x\nb,x,y\n", {}, r"^p\.csv, line 3: 3 cells, but the header has 2\.$"),
        (
            "p.csv",
            'docno,text\na,"never\nends\n',
            {},
            r"^p\.csv, line 2: not readable as a table \(unexpected end of data",
        ),
        ("p.csv", "docno,text\na,x\rb,y\n", {}, r"^p\.csv, line 2: not readable as a table \(new-line character"),
        ("p.csv", "id,text\na,x\n", {}, r"^p\.csv, line 1: .* 'docno' among id, text: name yours by docno=\"…\"\.$"),
        ("p.csv", "docno,body\na,x\n", {}, r"^p\.csv, line 1: .* 'text' among docno, body: .* text=\"…\"\.$"),
        ("p.csv", "docno,text\na,x\n", {"title": "titel"}, r"^p\.csv: no row has a column 'titel'\.$"),
        (
            "p.jsonl",
            '{"docno": "a", "text": ""}\n{"docno": "b"}\n',
            {},
            r"^p\.jsonl, line 2: .* among docno: .* text=\"…\"\.$",
        ),
        ("p.jsonl", '{"docno": "a", "text": 1.5}\n', {}, r"line 1: 'text' is neither"),
        ("p.jsonl", '{"docno": "a", "text": true}\n', {}, r"line 1: 'text' is neither"),
        ("p.jsonl", '{"docno": "a", "te', {}, r"^p\.jsonl, line 1: not a whole JSON object"),
        ("p.jsonl", '{"docno": "a", "text": "\\ud800"}\n', {}, r"^p\.jsonl, line 1: half of a surrogate pair"),
        ("p.csv.gz", None, {}, r"^p\.csv\.gz, line 1: the compressed data are damaged, or end too early\.$"),
        ("dir.csv", None, {}, r"^dir\.csv cannot be read: Is a directory\.$"),
        ("no.csv", None, {}, r"^no\.csv cannot be read: No such file or directory\.$"),
    ],
)
def test_a_faulty_table_is_named(name: str, content: str | None, parameters: dict[str, str], message: str) -> None:
    if content is not None:
        write(name, content)
    elif name == "dir.csv":
        Path(name).mkdir()
    elif name.endswith(".gz"):
        Path(name).write_bytes(b"no gzip")
    with pytest.raises(DataError, match=message):
        rows(name, **parameters)


@pytest.mark.parametrize(
    ("content", "parameters", "message"),
    [
        ("source,target\na,\n", {}, r"^l\.csv, line 2: 'target' is empty\.$"),
        ("from,target\na,b\n", {}, r"^l\.csv, line 1: .* 'source' among from, target: .* link_source=\"…\"\.$"),
        ("a,b\na,b\n", {}, r" 'source' among a, b: name yours by link_source=\"…\", link_target=\"…\"\.$"),
        ("source,target\na,b\n", {"link_kind": "how"}, r"^l\.csv: no row has a column 'how'\.$"),
    ],
)
def test_a_faulty_table_of_links_is_named(content: str, parameters: dict[str, str], message: str) -> None:
    write("l.csv", content)
    with pytest.raises(FormatError, match=message):
        list(table(None, path=write("p.csv", CSV), links="l.csv", **parameters).links())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"path": "p.xlsx"}, r"^table: p\.xlsx is not a \.csv, \.tsv or \.jsonl file"),
        ({"path": "p"}, r"^table: p is not a \.csv"),
        ({"path": ""}, r"^table: path='' is not the path of a file\.$"),
        ({"path": 3}, r"^table: path=3 is not the path of a file\.$"),
        ({"path": "p.csv", "links": 3}, r"^table: links=3 is not the path of a file\.$"),
        ({"path": "p.csv", "docno": 3}, r"^table: docno=3 is not the name of a column\.$"),
        ({"path": "p.csv", "link_kind": ""}, r"^table: kind='' is not the name of a column\.$"),
        ({"path": "p.csv", "encoding": "utf-9"}, r"^table: encoding='utf-9' cannot be read"),
        ({"path": "p.csv", "encoding": "utf-16"}, r"^table: encoding='utf-16' cannot be read"),
        ({"path": "p.csv", "encoding": None}, r"^table: encoding=None cannot be read"),
        ({"path": "p.csv", "delimiter": ";;"}, r"^table: delimiter=';;' is not one character"),
        ({"path": "p.csv", "quotes": "no"}, r"^table: quotes='no' is not True or False"),
        ({"path": "p.csv", "dates": 3}, r"^table: dates=3 is not a format of dates"),
    ],
)
def test_a_wrong_parameter_is_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        table(None, **parameters)


def test_a_source_by_name() -> None:
    write("p.csv", CSV)
    source = get_source('table(path="p.csv")')
    assert isinstance(source, Source)
    assert [row["docno"] for row in source.provisions()] == ["a-1", "a-2"]
    assert get_source(source) is source
    by_path = get_source("p.csv")
    assert isinstance(by_path, Source) and [row["docno"] for row in by_path.provisions()] == ["a-1", "a-2"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tabel", "There is no source 'tabel'. Did you mean 'table'?"),
        ("table", "missing a required argument: 'path'"),
        ("table(pth='p.csv')", "table has no parameter 'pth'. Did you mean 'path'?"),
        ("table('p.csv')", "table takes parameters by name"),
        ("table(path=open('x'))", "is not a literal"),
        ("bm25", "There is no source 'bm25'."),
        ("laws/of mine", "There is no file or folder 'laws/of mine'"),
    ],
)
def test_a_source_that_there_is_not(spec: str, message: str) -> None:
    with pytest.raises(ComponentError) as raised:
        get_source(spec)
    assert message in str(raised.value)
    assert isinstance(raised.value, LegalIRError)


def test_conformance() -> None:
    links = str(Path(write("l.csv", "source,target\na-1,a-2\n")).resolve())
    outcomes = testing.check(
        "source", "table", params={"path": str(Path(write("p.csv", CSV)).resolve()), "links": links}
    )
    assert len(outcomes) > 10
    assert [outcome for outcome in outcomes if not outcome.ok] == []
