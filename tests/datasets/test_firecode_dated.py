"""The bundled collection with versions in time: its files make it, and its questions have the version of their day."""

import json
import runpy
from pathlib import Path

import pytest

import legalir
from legalir.datasets.catalog import DATED
from legalir.statutes.sources.history import History


def test_the_collection_is_what_its_files_give():
    source = History(DATED / "versions", workers=1)
    lines = [json.dumps(row, ensure_ascii=False) for row in source.provisions()]
    assert lines == (DATED / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    origins = [json.dumps(row, ensure_ascii=False) for row in source.origins()]
    assert origins == (DATED / "origin.jsonl").read_text(encoding="utf-8").splitlines()
    assert source.report()["unread"] == 0


def versions_of(folder):
    """Until when each version applies, its heading and text; the files in Akoma Ntoso have no addenda."""
    source = History(folder, workers=1)
    rows = list(source.provisions())
    assert source.report()["unread"] == 0
    return {
        row["docno"].removeprefix("kr-act-"): (row.get("effective_to", ""), row.get("heading", ""), row["text"])
        for row in rows
        if "-supp-" not in row["docno"] and row["text"]
    }


def test_the_files_in_akoma_ntoso_give_the_same_versions():
    versions = versions_of(DATED / "akn")
    assert versions == versions_of(DATED / "versions")
    assert len(versions) == 53


def test_the_files_in_akoma_ntoso_are_what_their_script_writes(tmp_path):
    script = runpy.run_path(str(Path(__file__).parents[2] / "experiments" / "time" / "akn.py"))
    script["main"](tmp_path)
    for path in (DATED / "akn").rglob("*.xml"):
        assert path.read_bytes() == (tmp_path / path.relative_to(DATED / "akn")).read_bytes()
    assert len(list(tmp_path.rglob("*.xml"))) == 5


@pytest.fixture(scope="module")
def rows():
    rows = map(json.loads, (DATED / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["docno"]: row for row in rows}


def test_each_trap_is_in_it(rows):
    # Promulgated on 2023-05-02, after an act that begins in 2024, and in force at once.
    fines = [rows[f"FC04-24@{day}"]["text"] for day in ("2021-01-01", "2023-05-02", "2024-01-11")]
    assert [("400만원" in text, "150만원" in text) for text in fines] == [(True, True), (True, False), (False, False)]
    # An article that begins before its act, a repeal, a new article.
    assert rows["FC04-15@2023-07-11"]["effective_from"] == "2023-07-11"
    assert rows["FC04-21@2024-01-11"]["text"] == ""
    assert "FC04-16의2@2024-01-11" in rows
    assert len(rows) == 59


def test_each_question_names_the_version_in_force_on_its_day(rows):
    dataset = legalir.datasets.load("legalir/firecode-dated")
    judged = {row.qid: row.docno for row in dataset.judgements()}
    for query in dataset.queries():
        row = rows[judged[query["qid"]]]
        assert row["effective_from"] <= query["as_of"] < row.get("effective_to", "9999-12-31")
    assert len(judged) == 20


def test_bm25_finds_the_version_of_the_day():
    collection = legalir.Collection("legalir/firecode-dated")
    judged = {row.qid: row.docno for row in collection.source.judgements()}
    results = collection.pipeline("bm25").transform(collection.source.topics())
    first = results[results["rank"] == 0].set_index("qid")["docno"]
    assert sum(first[qid] == docno for qid, docno in judged.items()) == 16
