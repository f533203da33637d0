"""The page of review, and what a file of decisions does to a split."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ferries import write_collection
from typer.testing import CliRunner

import legalir
from legalir.errors import DataError
from legalir_study.review import apply_decisions, review_page
from legalir_study.split import Synthesis, write_split
from legalir_study.synthesize import app

OPTIONS = ["one", "two", "three", "four", "cannot say"]
ITEMS: list[dict[str, Any]] = [
    {
        "qid": f"m{number}",
        "query": f"Question {number} </script><b>?",
        "options": OPTIONS,
        "key": 2,
        "abstain": 5,
        "documents": ["act-1", "rule-1"],
        "explanation": "So.",
    }
    for number in range(1, 5)
]


def a_split(tmp_path: Path, items: list[dict[str, Any]] = ITEMS) -> Path:
    folder = write_collection(tmp_path)
    about = {"kind": "mcq", "model": "m", "settings": {}, "dropped": {"malformed": 0}, "report": {}}
    write_split(Synthesis(items, [], about), legalir.Collection(folder), folder, "m")
    return folder


def data_of(page: str) -> Any:
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    return json.loads(block[1])


def decisions(folder: Path, given: dict[str, Any], **more: Any) -> Path:
    sheet = data_of(review_page(folder, "m"))["sheet"]
    values = {"kind": "legalir decisions", "version": 1, "sheet": sheet, "split": "m", "rater": "R", "decisions": given}
    path = folder.parent / "decisions.json"
    path.write_text(json.dumps({**values, **more}), encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class TestPage:
    def test_items_stand_beside_their_provisions(self, tmp_path: Path) -> None:
        data = data_of(review_page(a_split(tmp_path), "m"))
        assert [item["id"] for item in data["items"]] == ["m1", "m2", "m3", "m4"]
        assert data["items"][0]["documents"] == ["act-1", "rule-1"]
        assert data["items"][0]["free"]
        assert data["provisions"]["rule-1"]["text"] == "A ferry of over 20 metres carries three green lamps."
        assert data["extra"] == {"split": "m"}

    def test_no_text_is_markup_and_nothing_is_fetched(self, tmp_path: Path) -> None:
        page = review_page(a_split(tmp_path), "m")
        assert page.count("</script>") == 2
        assert "<b>" not in page
        assert not re.search(r'(?:src|href)\s*=\s*"', page)
        assert "default-src 'none'" in page
        assert "{{" not in page

    def test_candidates_of_open_references(self, tmp_path: Path) -> None:
        item = {"qid": "1", "query": "Why?", "answer": "So.", "documents": []}
        opened_one = {"words": "Rule 9", "state": "not read", "candidates": ["rule-1", "rule-2"]}
        data = data_of(review_page(a_split(tmp_path, [{**item, "open": [opened_one]}]), "m"))
        assert data["items"][0]["open"] == [opened_one]
        assert set(data["provisions"]) == {"rule-1", "rule-2"}

    def test_labels_without_documents_are_those_of_the_judgements(self, tmp_path: Path) -> None:
        folder = write_collection(tmp_path)
        about = {"kind": "labels", "model": None, "settings": {}, "dropped": {}, "report": {}}
        made = Synthesis([{"qid": "1", "query": "Why?"}], [], about, {"1": ["act-2"]})
        write_split(made, legalir.Collection(folder), folder, "m")
        assert data_of(review_page(folder, "m"))["items"][0]["documents"] == ["act-2"]

    def test_a_split_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"queries\.x\.jsonl.*qrels\.x\.txt"):
            review_page(a_split(tmp_path), "x")


class TestApply:
    def test_accepted_edited_dropped_and_open(self, tmp_path: Path) -> None:
        folder = a_split(tmp_path)
        path = decisions(
            folder,
            {
                "m1": {"decision": "accept"},
                "m2": {"decision": "edit", "item": {"query": "Better?", "key": 3, "documents": ["rule-2"]}},
                "m3": {"decision": "drop", "note": "too easy"},
                "m4": {"note": "unsure"},
            },
        )
        assert apply_decisions(folder, path) == {"accepted": 1, "edited": 1, "dropped": 1, "open": 1}
        kept = rows(folder / "queries.m.jsonl")
        assert [(row["qid"], row.get("review")) for row in kept] == [("m1", "accepted"), ("m2", "edited"), ("m4", None)]
        assert (kept[1]["query"], kept[1]["key"], kept[1]["documents"]) == ("Better?", 3, ["rule-2"])
        assert kept[0] == {**ITEMS[0], "review": "accepted"}
        (dropped,) = rows(folder / "dropped.m.jsonl")
        assert (dropped["qid"], dropped["reason"], dropped["detail"]) == ("m3", "review", "too easy")
        qrels = (folder / "qrels.m.txt").read_text(encoding="utf-8").splitlines()
        assert qrels == ["m1 0 act-1 1", "m1 0 rule-1 1", "m2 0 rule-2 1", "m4 0 act-1 1", "m4 0 rule-1 1"]
        about = yaml.safe_load((folder / "synthesis.m.yaml").read_text(encoding="utf-8"))
        assert about["counts"]["kept"] == 3
        (review,) = about["reviews"]
        assert (review["rater"], review["edited"], len(review["decisions"])) == ("R", 1, 64)
        assert len(legalir.Collection(folder / "m").topics()) == 3

    def test_decisions_apply_once(self, tmp_path: Path) -> None:
        folder = a_split(tmp_path)
        path = decisions(folder, {"m1": {"decision": "drop"}})
        apply_decisions(folder, path)
        with pytest.raises(DataError, match="is about another state of"):
            apply_decisions(folder, path)
        assert apply_decisions(folder, decisions(folder, {"m2": {"decision": "drop"}}))["dropped"] == 1
        assert [row["qid"] for row in rows(folder / "dropped.m.jsonl")] == ["m1", "m2"]

    def test_an_interruption_before_the_questions_are_written_is_mended_by_the_same_command(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = a_split(tmp_path)
        path = decisions(folder, {"m1": {"decision": "drop"}})

        def stop(*arguments: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("legalir_study.review.write_judgements", stop)
            with pytest.raises(KeyboardInterrupt):
                apply_decisions(folder, path)
        apply_decisions(folder, path)
        assert [row["qid"] for row in rows(folder / "dropped.m.jsonl")] == ["m1"]
        assert len(rows(folder / "queries.m.jsonl")) == 3

    @pytest.mark.parametrize(
        ("change", "fault"),
        [
            ({"query": " "}, "the question is empty"),
            ({"options": ["one", "one", "three", "four", "cannot say"]}, "two options are the same"),
            ({"options": ["one", "two"]}, "2 options instead of 4"),
            ({"key": 5}, "the answer names no option"),
            ({"documents": ["nowhere-1"]}, "'nowhere-1' is not a provision"),
        ],
    )
    def test_an_edit_that_breaks_an_item_changes_nothing(
        self, tmp_path: Path, change: dict[str, Any], fault: str
    ) -> None:
        folder = a_split(tmp_path)
        before = (folder / "queries.m.jsonl").read_bytes()
        path = decisions(folder, {"m1": {"decision": "drop"}, "m2": {"decision": "edit", "item": change}})
        with pytest.raises(DataError, match=fault):
            apply_decisions(folder, path)
        assert (folder / "queries.m.jsonl").read_bytes() == before
        assert rows(folder / "dropped.m.jsonl") == []

    @pytest.mark.parametrize(
        ("more", "fault"),
        [
            ({"kind": "legalir ratings"}, "is not a file of decisions"),
            ({"decisions": {"m1": {"decision": "maybe"}}}, r"decisions\.m1\.decision"),
            ({"decisions": {"m1": {"decision": "edit", "item": {"qid": "x"}}}}, "is not a file of decisions"),
            ({"decisions": {"m9": {"decision": "drop"}}}, "'m9' is not an item"),
            ({"split": "../m"}, "letters, digits"),
        ],
    )
    def test_files_that_are_refused(self, tmp_path: Path, more: dict[str, Any], fault: str) -> None:
        folder = a_split(tmp_path)
        with pytest.raises(legalir.LegalIRError, match=fault):
            apply_decisions(folder, decisions(folder, {}, **more))

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        folder = a_split(tmp_path)
        with pytest.raises(DataError, match="cannot be read"):
            apply_decisions(folder, tmp_path / "none.json")

    def test_yes_no_items_have_two_options(self, tmp_path: Path) -> None:
        item = {"qid": "y1", "query": "Is it?", "options": ["Yes", "No"], "key": 1, "documents": ["act-1"]}
        folder = a_split(tmp_path, [item])
        assert not data_of(review_page(folder, "m"))["items"][0]["free"]
        apply_decisions(folder, decisions(folder, {"y1": {"decision": "edit", "item": {"key": 2}}}))
        assert rows(folder / "queries.m.jsonl")[0]["key"] == 2


def test_the_command(tmp_path: Path) -> None:
    folder = a_split(tmp_path)
    page = tmp_path / "review.html"
    words = ["review", str(folder), "--split", "m", "--out", str(page)]
    assert CliRunner().invoke(app, words).output == f"Page: {page}\n"
    assert data_of(page.read_text(encoding="utf-8"))["title"] == "Ferries: m"
    path = decisions(folder, {"m1": {"decision": "drop"}})
    shown = CliRunner().invoke(app, ["apply", str(folder), str(path)]).output
    assert shown == "0 accepted, 0 edited, 1 dropped, 3 open\n"
