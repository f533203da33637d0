"""The files of a chunk collection: reading, lookup, faults."""

from __future__ import annotations

import json

import pytest

from legalir.datasets import check, load
from legalir.datasets.chunks import ChunkMap
from legalir.datasets.readers import Holding

HOLDINGS = [
    Holding("c1", "b", False, 3, 6),
    Holding("c1", "a", True, 5, 0),
    Holding("c2", "b", False, 4, 0),
    Holding("c3", "c", True, 2, 0),
]
LINES = "c1\ta\tcomplete\t5\t0\nc1\tb\tpartly\t3\t6\nc2\tb\tpartly\t4\t0\n"


@pytest.fixture
def folder(tmp_path):
    rows = [{"docno": "c1", "title": "법", "text": "가나다라마\n바사아"}, {"docno": "c2", "text": "자차카타"}]
    provisions = [{"docno": "a", "text": "가나다라마"}, {"docno": "b", "text": "바사아 자차카타"}]
    for name, content in (("corpus", rows), ("provisions", provisions)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "chunks.tsv").write_text(LINES, encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"qid": "q", "query": "가나"}\n', encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 1\n", encoding="utf-8")
    return tmp_path


def test_a_chunk_collection_is_sound(folder) -> None:
    report = check(folder)
    assert report.ok
    assert report.to_dict()["chunks"] == {"complete": 1, "partly": 1}
    assert report.ignored == []


def test_chunks_and_provisions_have_records(folder, caplog) -> None:
    dataset = load(folder)
    records = dataset.provisions(["b", "c2", "x", "a"])
    assert [(docno, record.text[:2]) for docno, record in records.items()] == [
        ("b", "바사"),
        ("c2", "자차"),
        ("a", "가나"),
    ]
    assert dataset.docs_count() == 2
    assert dataset.problems().judged_provisions == 0


def test_what_chunks_hold() -> None:
    chunks = ChunkMap(HOLDINGS)
    assert [holding.provision for holding in chunks["c1"]] == ["a", "b"]
    assert chunks["x"] == ()
    assert chunks.provisions() == {"c1": ("a",), "c2": (), "c3": ("c",)}
    assert chunks.provisions("any") == {"c1": ("a", "b"), "c2": ("b",), "c3": ("c",)}
    assert chunks.judgeable() == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("c1",), ("a",)),
        (("c2",), ("b",)),
        (("x",), ()),
        (("c1", 6, 8), ("b",)),
        (("c1", 3, 8), ("a", "b")),
        (("c1", 5, 6), ("a",)),
    ],
)
def test_what_a_citation_of_a_chunk_means(arguments, expected) -> None:
    assert ChunkMap(HOLDINGS).cited(*arguments) == expected


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("c1\ta\tcomplete\t5\n", "4 fields between tabs"),
        ("c1\ta b\tcomplete\t5\t0\n", "'a b' is not a docno"),
        ("c1\ta\twhole\t5\t0\n", "'whole' is neither 'complete' nor 'partly'"),
        ("c1\ta\tcomplete\t-5\t0\n", "'-5' or '0' is not a whole number"),
        (LINES + "c1\ta\tpartly\t1\t0\n", "line 4: 'c1' holds 'a' on an earlier line"),
        (LINES + "c9\ta\tcomplete\t5\t0\n", "'c9', which holds 'a', is not in the corpus"),
        (LINES.replace("5\t0", "50\t0"), "'c1' has 9 characters, and 'a' would end at 50"),
        ("c1\ta\tcomplete\t5\t0\n", "'c2' is in the corpus, and holds no provision"),
        (LINES + "c2\tz\tpartly\t1\t0\n", "'z' is held by a chunk, and not in provisions.jsonl"),
    ],
)
def test_faults(folder, lines, message) -> None:
    (folder / "chunks.tsv").write_text(lines, encoding="utf-8")
    if "4 fields" in message:
        (folder / "chunks.tsv").write_text(LINES + lines, encoding="utf-8")
    faults = [str(fault) for fault in check(folder).faults]
    assert any("chunks.tsv" in fault and message in fault for fault in faults), faults


def test_a_judgement_of_something_else_dangles(folder) -> None:
    (folder / "qrels.txt").write_text("q 0 c1 1\n", encoding="utf-8")
    assert [fault.kind for fault in check(folder).faults] == ["dangling judgement"]
    assert load(folder).problems().judged_provisions == 1
