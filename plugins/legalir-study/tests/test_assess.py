"""Judgements of one's own: the pool, its sheet, ratings of a model, and the split that they become."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ferries import write_collection
from scripted import Scripted

import legalir
from legalir.errors import ComponentError, DataError, MeasureError
from legalir.extend import atomic_file
from legalir_study.assess import model, pooled, qrels, sheet

QUESTIONS = {"q1": "lamps of a ferry", "q2": "fee for a pier", "q3": "lamps in winter"}


@pytest.fixture(name="folder")
def questions_folder(tmp_path: Path) -> Path:
    folder = write_collection(tmp_path)
    with atomic_file(folder / "queries.jsonl") as stream:
        stream.writelines(json.dumps({"qid": qid, "query": query}) + "\n" for qid, query in QUESTIONS.items())
    return folder


def page_of(pool: Path) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', (pool / "sheet.html").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def ratings(path: Path, data: dict[str, Any], relevant: set[str], **changes: str) -> Path:
    values = {item["id"]: {"relevance": int(item["id"] in relevant), "comment": ""} for item in data["items"]}
    facts = {"kind": data["kind"], "sheet": data["sheet"], "rater": path.stem, "ratings": values, **changes}
    path.write_text(json.dumps(facts), encoding="utf-8")
    return path


def test_from_a_pool_to_a_split(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool, out = tmp_path / "pool", tmp_path / "judged"
    sheet(str(folder), out=pool, system=["bm25", "tfidf"], k=2)
    data = page_of(pool)
    assert data["noun"] == "provision"
    assert len({item["id"] for item in data["items"]}) == len(data["items"])
    assert not any("bm25" in json.dumps(item) for item in data["items"]), "nobody sees who found it"
    one = ratings(tmp_path / "kim.json", data, {"q1 rule-1", "q2 rule-2"})
    two = ratings(tmp_path / "lee.json", data, {"q1 rule-1"})
    qrels(pool, [one, two], out)
    printed = capsys.readouterr().out
    assert "relevance: kim and lee" in printed
    assert "1 ties" in printed
    assert "Left out: 1 questions" in printed
    collection = legalir.Collection(out / "assessed")
    judged = {(row.qid, row.docno): row.label for row in collection.qrels().itertuples()}
    assert judged["q1", "rule-1"] == judged["q2", "rule-2"] == 1, "the first file decides"
    assert set(judged.values()) == {0, 1}
    assert set(collection.topics()["qid"]) == {"q1", "q2"}
    with pytest.raises(MeasureError, match="another sheet"):
        qrels(pool, [one, ratings(tmp_path / "x.json", data, set(), sheet="other")], out, replace=True)
    with pytest.raises(MeasureError, match="named twice"):
        qrels(pool, [one, one], out, replace=True)
    with pytest.raises(DataError, match="rated relevant"):
        qrels(pool, [ratings(tmp_path / "none.json", data, set())], out, replace=True)
    with pytest.raises(DataError, match="there already"):
        sheet(str(folder), out=pool, system=["bm25"])


def test_a_pool_needs_systems_that_find(folder: Path) -> None:
    collection = legalir.Collection(folder)
    with pytest.raises(ComponentError, match="--system"):
        pooled(collection, [], 5, None, 0)
    with pytest.raises(ComponentError, match="answers"):
        pooled(collection, ["bm25 >> quote"], 5, None, 0)
    with pytest.raises(ComponentError, match="no provisions with ranks"):
        pooled(collection, ["focus"], 5, None, 0)
    rows = pooled(collection, ["bm25"], 5, 2, 0)
    assert len({row["qid"] for row in rows}) == 2
    assert rows == pooled(collection, ["bm25", "bm25"], 5, 2, 0)


def test_what_a_model_cannot_quote_has_no_rating(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = tmp_path / "pool"
    sheet(str(folder), out=pool, system=["bm25"], k=1)
    capsys.readouterr()

    def reply(request: object) -> str:
        quote = "three green lamps." if "lamps of a ferry" in str(request) else "words of nobody at all"
        return json.dumps({"reason": "", "relevant": True, "quote": quote})

    client = legalir.Client(Scripted(reply), cache=tmp_path / "llm.sqlite")
    model.__wrapped__(pool, client=client)  # type: ignore[attr-defined]
    given = json.loads((pool / "ratings-model.json").read_text(encoding="utf-8"))
    assert (given["sheet"], given["rater"]) == (page_of(pool)["sheet"], "scripted")
    assert given["ratings"] == {"q1 rule-1": {"relevance": 1, "comment": "three green lamps."}}
    assert "Not rated: " in capsys.readouterr().err
