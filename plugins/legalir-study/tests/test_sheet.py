"""The page on which people rate answers, and the files that it saves."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
from ferries import opened, write_collection

from legalir.errors import MeasureError
from legalir.extend import Answer
from legalir_study.sheet import SCALES, item_id, judge_ratings, read_ratings, sheet_items, sheet_page


class Provision(NamedTuple):
    """What a page shows of a provision."""

    title: str
    text: str


HOSTILE = '</script><img src=x onerror="alert(1)"> <!-- \u2028 & {{data}} \\u003c'
QUESTIONS = pd.DataFrame(
    {
        "qid": ["q1", "q2", "q3"],
        "query": ["How wide?", f"แพต้องมีอะไร {HOSTILE}", "등대의 목적은?"],
        "answer": ["90 cm", None, "배의 안전"],
    }
)
PROVISIONS = {
    "a-1": Provision("Section 1", f"An exit is 90 cm wide. {HOSTILE}"),
    "a-2": Provision("Section 2", "A door opens outwards."),
}


class Shelf:
    """Provisions by docno."""

    def provisions(self, docnos: Iterable[str]) -> Mapping[str, Provision]:
        return {docno: PROVISIONS[docno] for docno in docnos if docno in PROVISIONS}


def run(*given: tuple[str, Answer], **columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame([answer.row() for _, answer in given])
    return frame.assign(qid=[qid for qid, _ in given], **columns)


NARROW = Answer("80 cm [a-2]", ("a-2",), context_docnos=("a-2",))
WIDE = Answer("90 cm [a-1], see [Annex] and [b-9]", ("a-1", "b-9"), context_docnos=("a-2", "a-1"))
SILENT = Answer("", abstained=True, reason="nothing found")
FIRST = run(("q1", NARROW), ("q2", Answer(HOSTILE)), ("q3", SILENT))
SECOND = run(("q1", WIDE), ("q2", Answer(HOSTILE)), ("q3", Answer("", reply_state="cut")), ("q9", WIDE))


class Page(HTMLParser):
    """The elements of a page, and the texts of those that hold code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, dict[str, str | None]] = {}
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.tags.append(tag)
        self._open = str(named.get("id") or tag)
        self.attributes[self._open if "http-equiv" not in named else "policy"] = named

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        self.texts[self._open] = self.texts.get(self._open, "") + data


def page_of(title: str = "Fire", measures: tuple[str, ...] = ("coverage", "correctness")) -> Page:
    return Page(sheet_page(sheet_items(QUESTIONS, [FIRST, SECOND]), Shelf(), measures, title, "th"))


def test_what_is_rated() -> None:
    items = sheet_items(QUESTIONS, [FIRST, SECOND])
    # Equal answers are rated once; abstentions, failed replies and unknown questions are not.
    assert [item.question for item in items] == ["How wide?", "How wide?", QUESTIONS["query"][1]]
    assert {item.text for item in items[:2]} == {NARROW.text, WIDE.text}
    assert [item.reference for item in items] == ["90 cm", "90 cm", ""]
    ids = [item.id for item in items]
    assert len(set(ids)) == 3
    assert ids == [item.id for item in sheet_items(QUESTIONS, [FIRST, SECOND])]
    assert sheet_items(QUESTIONS, [SECOND, FIRST]) == items, "the order of the systems tells nothing"


def test_a_sample_of_questions() -> None:
    many = pd.DataFrame({"qid": [f"q{number}" for number in range(50)], "query": "?"})
    answers = run(*((qid, NARROW) for qid in many["qid"]))
    first = [item.id for item in sheet_items(many, [answers], sample=10)]
    assert len(first) == 10
    assert first == [item.id for item in sheet_items(many, [answers], sample=10)]
    assert first != [item.id for item in sheet_items(many, [answers], sample=10, seed=1)]
    places = [item.id for item in sheet_items(many, [answers])]
    assert sorted(first, key=places.index) == first, "in the order of the questions"
    assert len(sheet_items(many, [answers], sample=99)) == 50


def test_the_id_is_that_of_question_text_and_sources() -> None:
    row = {"qid": "q1", **NARROW.row()}
    same = {**row, "citations": (), "prompt_tokens": 9}
    assert item_id(row) == item_id({**row, "context_docnos": ["a-2"]}) is not None
    for changed in ({"qid": "q2"}, {"qanswer": "80 cm"}, {"context_docnos": ()}):
        assert item_id({**row, **changed}) != item_id(row)
    assert item_id(same) == item_id(row)
    assert item_id({"qid": "q1", **SILENT.row()}) is None


def test_nothing_in_an_answer_is_markup() -> None:
    page = page_of(title=f"Fire {HOSTILE}\ud800")
    assert "img" not in page.tags
    assert page.tags.count("script") == 2
    assert page.tags.count("h1") == page.tags.count("title") == 1
    assert page.texts["title"] == f"Fire {HOSTILE}\ufffd"
    data = json.loads(page.texts["data"])
    (hostile,) = [item for item in data["items"] if item["question"] == QUESTIONS["query"][1]]
    assert hostile["parts"] == [{"text": HOSTILE}]
    assert data["provisions"]["a-1"]["text"].endswith(HOSTILE)
    assert not set("<>&\u2028") & set(page.texts["data"])


def test_the_page_needs_nothing_else() -> None:
    page = page_of()
    policy = str(page.attributes["policy"]["content"])
    for kind, tag in (("style-src", "style"), ("script-src", "script")):
        digest = base64.b64encode(hashlib.sha256(page.texts[tag].encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert not [tag for tag, named in page.attributes.items() if {"src", "href", "style", "onclick"} & named.keys()]
    assert not re.search(r"https?:|innerHTML|insertAdjacent|eval\(|fetch\(", page.texts["script"])
    assert page.attributes["html"]["lang"] == "th"


def test_the_page_is_blind_and_has_what_raters_need() -> None:
    data = json.loads(page_of().texts["data"])
    assert set(data) == {"sheet", "title", "kind", "field", "noun", "done", "measures", "items", "provisions"}
    assert [measure["name"] for measure in data["measures"]] == ["coverage", "correctness"]
    assert [one["value"] for one in data["measures"][0]["values"]] == [0, 0.5, 1]
    (wide,) = [item for item in data["items"] if item["parts"][0].get("text") == "90 cm "]
    assert set(wide) == {"id", "question", "reference", "parts", "sources", "cited", "unknown"}
    assert wide["parts"] == [{"text": "90 cm "}, {"cite": "a-1"}, {"text": ", see [Annex] and "}, {"cite": "b-9"}]
    assert (wide["sources"], wide["cited"], wide["unknown"]) == (["a-2", "a-1"], ["a-1"], ["b-9"])


def write(path: Path, **values: Any) -> Path:
    given = {"kind": "legalir ratings", "version": 1, "rater": "", "ratings": {}, **values}
    path.write_text(json.dumps(given), encoding="utf-8")
    return path


def test_ratings(tmp_path: Path) -> None:
    ratings = {"x": {"coverage": 0.5, "contradiction": 1, "comment": "?"}, "y": {"coverage": 1}}
    read = read_ratings(write(tmp_path / "kim.json", ratings=ratings))
    assert read.rater == "kim"
    assert read.values == {"coverage": {"x": 0.5, "y": 1.0}, "contradiction": {"x": 1.0}}
    assert read_ratings(write(tmp_path / "kim.json", rater="Lee")).rater == "Lee"


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"ratings": {"x": {"coverage": 0.7}}}, "coverage of x is 0.7, which is not one of 0, 0.5, 1"),
        ({"ratings": {"x": {"coverage": True}}}, "coverage of x is True"),
        ({"ratings": {"x": {"beauty": 1}}}, "not a file of ratings"),
        ({"ratings": []}, "not a file of ratings"),
        ({"kind": "other"}, "not a file of ratings"),
    ],
)
def test_a_file_that_has_no_ratings(tmp_path: Path, values: dict[str, Any], fault: str) -> None:
    with pytest.raises(MeasureError, match=fault):
        read_ratings(write(tmp_path / "kim.json", **values))
    with pytest.raises(MeasureError, match="cannot be read"):
        read_ratings(tmp_path / "nobody.json")
    (tmp_path / "kim.json").write_text("[1]")
    with pytest.raises(MeasureError, match="not a file of ratings"):
        read_ratings(tmp_path / "kim.json")


def test_verdicts_of_judges_as_ratings() -> None:
    first = FIRST.assign(coverage=[0.5, float("nan"), 0.0], judged_correct=[1.0, 0.0, 0.0])
    read = judge_ratings([first, SECOND])
    ids = {row["qid"]: item_id(row) for row in FIRST.to_dict("records")}
    # An answer that says nothing has coverage 0 and is not rated by people.
    assert read.values == {"coverage": {ids["q1"]: 0.5}, "correct": {ids["q1"]: 1.0, ids["q2"]: 0.0}}


def test_the_scales_are_those_of_the_judges(tmp_path: Path) -> None:
    collection, _ = opened(write_collection(tmp_path), lambda request: "")
    judges = [collection.pipeline(name) for name in ("judge_coverage", "judge_correct", "judge_correctness")]
    assert {scale.column for scale in SCALES.values() if scale.column} == {
        column for judge in judges for column in judge.columns
    }
