"""Judges of support and of nuggets, whose model the test writes down."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ir_measures
import numpy as np
import pytest
from judged import answers, judge, value_of

from legalir.answer.generator import Answer
from legalir.answer.nuggets import NuggetJudge, read_nuggets
from legalir.answer.support import SupportJudge
from legalir.errors import ComponentError
from legalir.llm.chat import ChatRequest


@dataclass
class Shelf:
    """Provisions whose text is their docno."""

    chunks: Any = None

    def provisions(self, docnos: Sequence[str]) -> dict[str, Any]:
        return {d: SimpleNamespace(title="", text=f"text of {d}") for d in docnos if not d.startswith("x")}


def carries(request: ChatRequest) -> str:
    """A statement ``p: a+b, c`` is carried by a and b together, and by c alone; each of a and b carries a part."""
    given = set(re.findall(r"text of (\w+)", value_of(request, "provisions")))
    rule = value_of(request, "statement").partition(": ")[2]
    if rule == "broken":
        return "?"
    ways = [set(way.split("+")) for way in rule.split(", ")]
    label = "full" if any(way <= given for way in ways) else "partial" if any(way & given for way in ways) else "none"
    return json.dumps({"support": label})


def test_support_by_hand(tmp_path: Path) -> None:
    one, model = judge(SupportJudge, tmp_path, carries, collection=Shelf())
    texts = [
        # s1: a and b together, both needed; s2: c alone, d not needed; s3: nothing is cited.
        ("s1: a+b [a][b]\ns2: c [c][d]\ns3: e", ("a", "b", "c", "d")),
        # a and b together, and f is not needed; x is in no collection.
        ("s4: a+b [a][b][f]\ns5: a [x1]", ("a", "b", "f", "x1")),
        ("s6: a+z [a]", ("a",)),
        ("no citation", ()),
        ("s7: broken [a]\ns8: a [a]", ("a",)),
    ]
    given = [Answer(text, citations) for text, citations in texts]
    frame = answers(*given, Answer("", abstained=True), Answer("", reply_state="cut")).drop(columns="answer")
    out = one.transform(frame)
    nan = np.nan
    np.testing.assert_array_equal(out["support_recall"], [2 / 3, 1 / 2, 0, 0, nan, nan, nan])
    np.testing.assert_array_equal(out["support_precision"], [3 / 4, 2 / 4, 0, nan, nan, nan, nan])
    np.testing.assert_array_equal(out["weighted_support_recall"], [2 / 3, 1 / 2, 1 / 2, 0, nan, nan, nan])
    # a and b carry a part of s1, c carries s2 and d nothing; a and b a part of s4.
    np.testing.assert_array_equal(out["weighted_support_precision"], [2 / 4, 1 / 4, 1 / 2, nan, nan, nan, nan])
    assert out["judge_support_state"].tolist() == [*["ok"] * 4, "invalid", *["not judged"] * 2]
    assert out["judge_support_reason"][0] == "not supported: s3: e"
    # Pairs: 4 + 3 + 1 + 2, s7 twice; all of s1 and of s4; s4 without each of three, of which {a, b} is new to it.
    assert len(model.requests) == 11 + 2 + 3
    run = out.rename(columns={"qid": "query_id"})
    qrels = {qid: {"a": 1} for qid in run["query_id"]}
    measures = [ir_measures.parse_measure(name) for name in ("SupportR", "SupportP", "WeightedSupportR")]
    values = ir_measures.calc_aggregate(measures, qrels, run)
    assert [values[m] for m in measures] == pytest.approx([7 / 6 / 4, 5 / 4 / 3, (2 / 3 + 1) / 4])


def test_support_over_chunks(tmp_path: Path) -> None:
    chunks = SimpleNamespace(held=lambda docnos: ["xa"] if list(docnos) == ["c1"] else [])
    one, model = judge(SupportJudge, tmp_path, carries, collection=Shelf(chunks))
    out = one.transform(answers(Answer("s: c1 [xa]", ("xa",), context_docnos=("c0", "c1"))))
    assert out["support_recall"].tolist() == [1]
    assert value_of(model.requests[0], "provisions") == "[1] text of c1"


NUGGETS = {
    "q1": [("a", "vital"), ("b", "vital"), ("c", "okay"), ("d", "okay")],
    "q2": [("a", "okay")],
    "q4": [("a", "vital")],
}


def write_nuggets(folder: Path) -> Path:
    lines = [
        json.dumps({"qid": qid, "query": "?", "nuggets": [{"text": text, "importance": kind} for text, kind in own]})
        for qid, own in NUGGETS.items()
    ]
    (folder / "nuggets.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "nuggets.jsonl"


def test_nuggets_by_hand(tmp_path: Path) -> None:
    def assigns(request: ChatRequest) -> str:
        said = value_of(request, "answer")
        facts = [line.partition(". ")[2] for line in value_of(request, "facts").splitlines()]
        labels = ["support" if one in said else "partial_support" if one.upper() in said else "not" for one in facts]
        return json.dumps({"facts": labels[: 1 if "short" in said else None]})

    path = write_nuggets(tmp_path)
    one, model = judge(NuggetJudge, tmp_path, assigns, collection=None, nuggets=str(path))
    silent = Answer("", abstained=True)
    out = one.transform(answers("a B c", silent, "no nuggets", Answer("", reply_state="cut")).drop(columns="answer"))
    np.testing.assert_array_equal(out["nugget_recall"], [(1 + 0.5 + 1) / 4, 0, np.nan, np.nan])
    np.testing.assert_array_equal(out["vital_recall"], [0.75, np.nan, np.nan, np.nan])
    assert out["judge_nuggets_state"].tolist() == ["ok", "not judged", "no reference", "not judged"]
    assert out["judge_nuggets_reason"][0] == "partial: b | not: d"
    assert len(model.requests) == 1
    strict, _ = judge(NuggetJudge, tmp_path, assigns, collection=None, nuggets=str(path), strict=True)
    assert strict.transform(answers("a B c"))[["nugget_recall", "vital_recall"]].to_numpy().tolist() == [[0.5, 0.5]]
    assert strict.transform(answers("short a"))["judge_nuggets_state"].tolist() == ["invalid"]


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        '{"qid": "1"}',
        '{"qid": "1", "nuggets": []}',
        '{"qid": "1", "nuggets": [{"text": "a", "importance": "good"}]}',
        '{"qid": "1", "nuggets": [{"text": " ", "importance": "vital"}]}',
        '{"qid": 0, "nuggets": [{"text": "a", "importance": "vital"}]}',
    ],
)
def test_a_faulty_file_of_nuggets(tmp_path: Path, line: str) -> None:
    path = tmp_path / "nuggets.jsonl"
    good = '{"qid": "0", "nuggets": [{"text": "a", "importance": "vital"}]}'
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(ComponentError, match="line 2"):
        read_nuggets(path)
    with pytest.raises(ComponentError, match="cannot be read"):
        read_nuggets(tmp_path / "none.jsonl")
