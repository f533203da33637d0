"""Multiple-choice items on citation pairs: the filters that ask a judge, the split on disk, and the command."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from ferries import PAIRS, draft, opened, pair_of, reads, shown_number, write_collection
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import legalir
from legalir.errors import ComponentError, DataError, ModelError
from legalir.extend import ChatRequest
from legalir_study.filters import abstention
from legalir_study.mcq import (
    Verdict,
    answered_right,
    citation_pairs,
    not_answered_right,
    synthesize_mcq,
    undecided,
    with_balanced_keys,
)
from legalir_study.split import check_target, write_split
from legalir_study.synthesize import app

ITEMS = [
    {"qid": "a", "options": ["w", "x", "y", "z", "-"], "key": 2, "abstain": 5},
    {"qid": "b", "options": ["w", "x", "y", "z", "-"], "key": 3, "abstain": 5},
    {"qid": "c", "options": ["w", "x", "y", "z", "-"], "key": 1, "abstain": 5},
]
VERDICTS = {"a": Verdict(2, "ok"), "b": Verdict(5, "ok"), "c": Verdict(4, "ok")}


class TestJudgedFilters:
    def test_what_is_answered_right_from_one_provision(self) -> None:
        assert answered_right(ITEMS, VERDICTS) == {"a": ""}

    def test_what_is_not_answered_right_from_both(self) -> None:
        assert not_answered_right(ITEMS, VERDICTS) == {"b": "chose to abstain", "c": "chose 'z'"}

    def test_a_judge_without_a_reply_of_use(self) -> None:
        verdicts = VERDICTS | {"b": Verdict(0, "invalid"), "c": Verdict(0, "cut")}
        assert undecided(ITEMS, verdicts) == {"b": "invalid", "c": "cut"}


@given(st.integers(0, 40), st.integers(0, 5), st.data())
def test_keys_are_balanced_and_items_stay_the_same(count: int, seed: int, data: st.DataObject) -> None:
    items = [
        {"qid": f"q{n}", "options": ["w", "x", "y", "z", "none"], "key": data.draw(st.integers(1, 4)), "abstain": 5}
        for n in range(count)
    ]
    balanced = with_balanced_keys(items, seed)
    for old, new in zip(items, balanced, strict=True):
        assert new["options"][new["key"] - 1] == old["options"][old["key"] - 1]
        assert sorted(new["options"]) == sorted(old["options"])
        assert new["options"][4] == "none"
    places = Counter(row["key"] for row in balanced)
    counts = [places[place] for place in (1, 2, 3, 4)]
    assert max(counts) - min(counts) <= 1
    assert balanced == with_balanced_keys(items, seed)


def test_pairs_are_links_between_provisions_with_text(tmp_path: Path) -> None:
    collection, _ = opened(write_collection(tmp_path), lambda request: "")
    assert sorted(citation_pairs(collection, 10)) == PAIRS  # not to a deleted provision, and not to itself
    assert citation_pairs(collection, 2, seed=5) == citation_pairs(collection, 3, seed=5)[:2]


def test_a_collection_without_links(tmp_path: Path) -> None:
    folder = write_collection(tmp_path)
    (folder / "links.tsv").unlink()
    with pytest.raises(DataError, match="has no links between provisions with text"):
        citation_pairs(opened(folder, lambda request: "")[0], 3)


def needs_both(request: ChatRequest) -> str:
    """Write an item on each pair; as a judge, answer right from both provisions and abstain otherwise."""
    if request.prompt == "synthesize_mcq":
        return draft(f"How many lamps do {pair_of(request)[0]} and {pair_of(request)[1]} need in winter?", key=2)
    both = request.messages[1][1].count("Ferry ") == 2
    return shown_number(request, "two" if both else abstention("en"))


class TestSynthesis:
    def test_an_item_that_needs_both_provisions_is_kept(self, tmp_path: Path) -> None:
        collection, model = opened(write_collection(tmp_path), needs_both)
        made = synthesize_mcq(collection, 3, seed=1)
        assert made.dropped == []
        assert sorted(tuple(row["documents"]) for row in made.kept) == PAIRS
        for row in made.kept:
            assert (row["options"][row["key"] - 1], row["options"][4], row["abstain"]) == ("two", abstention("en"), 5)
        assert Counter(request.prompt for request in model.requests) == {"synthesize_mcq": 3, "mcq_context": 9}
        assert made.about["report"]["keys"] == {
            place: sum(row["key"] == place for row in made.kept) for place in (1, 2, 3, 4)
        }

    @pytest.mark.parametrize(
        ("reason", "reply"),
        [
            ("failed reply", lambda request: "no JSON"),
            ("malformed", lambda request: draft("Which?", options=("a", "b", "c"))),
            ("about the text", lambda request: draft("What does the text say?")),
        ],
    )
    def test_what_is_dropped_without_a_judge(self, tmp_path: Path, reason: str, reply: Any) -> None:
        collection, model = opened(write_collection(tmp_path), reply)
        made = synthesize_mcq(collection, 3)
        assert (len(made.kept), {row["reason"] for row in made.dropped}, made.about["dropped"][reason]) == (
            0,
            {reason},
            3,
        )
        assert all(request.prompt == "synthesize_mcq" for request in model.requests)

    @pytest.mark.parametrize(
        ("reason", "right_from"),
        [
            ("answerable from the first provision alone", {(True, False), (True, True)}),
            ("answerable from the second provision alone", {(False, True), (True, True)}),
            ("not answerable from both provisions", set()),
        ],
    )
    def test_what_a_judge_drops(self, tmp_path: Path, reason: str, right_from: set[tuple[bool, bool]]) -> None:
        def reply(request: ChatRequest) -> str:
            if request.prompt == "synthesize_mcq":
                return draft(f"How many lamps, asks {request.question}?")
            return shown_number(request, "one" if reads(request) in right_from else abstention("en"))

        collection, _ = opened(write_collection(tmp_path), reply)
        pairs = [pair for pair in PAIRS if pair != ("act-2", "act-1")]
        made = synthesize_mcq(collection, 3)
        dropped = {tuple(row["documents"]): row["reason"] for row in made.dropped}
        assert [dropped[pair] for pair in pairs] == [reason, reason]

    def test_a_judge_without_verdict_drops_the_item(self, tmp_path: Path) -> None:
        def reply(request: ChatRequest) -> str:
            return draft(f"How? {request.question}") if request.prompt == "synthesize_mcq" else "perhaps"

        made = synthesize_mcq(opened(write_collection(tmp_path), reply)[0], 2)
        assert [(row["reason"], row["detail"]) for row in made.dropped] == [("no verdict", "invalid")] * 2

    def test_a_model_that_judges_itself_is_told(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        collection, _ = opened(write_collection(tmp_path), needs_both)
        synthesize_mcq(collection, 1)
        assert "scripted writes the items and judges them: name another model with --judge." in caplog.messages

    def test_the_second_time_costs_nothing(self, tmp_path: Path) -> None:
        folder = write_collection(tmp_path)
        first = synthesize_mcq(opened(folder, needs_both)[0], 2, seed=1)
        collection, model = opened(folder, needs_both)
        assert synthesize_mcq(collection, 2, seed=1).kept == first.kept
        assert model.requests == []
        synthesize_mcq(collection, 3, seed=1)
        assert Counter(request.prompt for request in model.requests) == {"synthesize_mcq": 1, "mcq_context": 3}

    def test_another_language_needs_an_option_to_abstain(self, tmp_path: Path) -> None:
        folder = write_collection(tmp_path, lang="de")
        collection, _ = opened(folder, needs_both)
        with pytest.raises(legalir.LegalIRError, match="'de'"):
            synthesize_mcq(collection, 1)
        collection, _ = opened(folder, lambda request: "?" if request.prompt == "mcq_context" else draft("Warum?"))
        made = synthesize_mcq(collection, 1, abstain="Das ist nicht zu bestimmen")
        assert [row["options"][4] for row in made.dropped] == ["Das ist nicht zu bestimmen"]

    def test_no_model_is_told_before_anything_is_read(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="No language model is named"):
            synthesize_mcq(legalir.Collection(write_collection(tmp_path)), 1)


class TestSplit:
    def test_a_new_folder_is_a_collection_with_the_split(self, tmp_path: Path) -> None:
        collection, _ = opened(write_collection(tmp_path), needs_both)
        made = synthesize_mcq(collection, 3)
        files = write_split(made, collection, tmp_path / "out", "multihop")
        split = legalir.Collection(tmp_path / "out" / "multihop")
        assert split.source.fingerprint() == collection.source.fingerprint()
        assert split.topics().to_dict("records") == [dict(row) for row in made.kept]
        judged = {(row["qid"], docno) for row in made.kept for docno in row["documents"]}
        assert set(split.qrels()[["qid", "docno"]].itertuples(index=False, name=None)) == judged
        assert list(split.graph.links()) == list(collection.graph.links())
        about = yaml.safe_load(files.about.read_text(encoding="utf-8"))
        assert about["counts"]["kept"] == 3
        assert about["model"] == about["judge"] == "scripted"
        assert about["settings"] == {"seed": 0, "count": 3, "language": "en", "alike": 90}
        assert set(about["prompts"]) == {"synthesize_mcq", "mcq_context"}
        assert len(about["prompts"]["mcq_context"]["sha256"]) == 64
        assert about["licence"] == "Provisions: CC0. Items: written by scripted; its terms of use apply."

    def test_a_split_that_is_there_is_not_replaced_unasked(self, tmp_path: Path) -> None:
        collection, _ = opened(write_collection(tmp_path), needs_both)
        made = synthesize_mcq(collection, 1)
        write_split(made, collection, tmp_path / "out", "m")
        with pytest.raises(DataError, match=r"queries\.m\.jsonl, qrels\.m\.txt"):
            write_split(made, collection, tmp_path / "out", "m")
        write_split(made, collection, tmp_path / "out", "m", replace=True)
        write_split(made, collection, tmp_path / "out", "n")
        assert legalir.Collection(tmp_path / "out").source.splits == ("m", "n")

    def test_a_split_in_the_collection_itself(self, tmp_path: Path) -> None:
        folder = write_collection(tmp_path)
        collection, _ = opened(folder, needs_both)
        before = (folder / "dataset.yaml").read_text(encoding="utf-8")
        write_split(synthesize_mcq(collection, 2), collection, folder, "m")
        assert len(legalir.Collection(folder / "m").topics()) == 2
        assert (folder / "dataset.yaml").read_text(encoding="utf-8") == before

    def test_targets_that_are_refused(self, tmp_path: Path) -> None:
        collection = opened(write_collection(tmp_path), needs_both)[0]
        other = tmp_path / "other"
        other.mkdir()
        (other / "corpus.jsonl").write_text('{"docno": "x", "text": "y"}\n', encoding="utf-8")
        with pytest.raises(DataError, match="is not the corpus of"):
            check_target(collection, other, "m")
        full = tmp_path / "full"
        full.mkdir()
        (full / "notes.txt").write_text("x", encoding="utf-8")
        with pytest.raises(DataError, match="is not empty and holds no corpus"):
            check_target(collection, full, "m")
        with pytest.raises(ComponentError, match="letters, digits"):
            check_target(collection, tmp_path / "new", "a/b")
        bundled = legalir.Collection("legalir/firecode")
        with pytest.raises(DataError, match="takes its judgements from legalir"):
            check_target(bundled, bundled.source.folder.root, "mine")

    def test_the_bundled_collection_can_be_extended_elsewhere(self, tmp_path: Path) -> None:
        firecode = legalir.Collection("legalir/firecode")
        collection, _ = opened(write_collection(tmp_path), lambda request: "")
        empty = synthesize_mcq(collection, 1)
        write_split(empty, firecode, tmp_path / "out", "m")
        assert legalir.Collection(tmp_path / "out").source.docs_count() == 302
        assert legalir.Collection(tmp_path / "out").language == "ko"


def test_the_command(tmp_path: Path) -> None:
    folder = write_collection(tmp_path)
    questions = {pair: f"How does {pair[1]} bind {pair[0]}?" for pair in PAIRS}
    replies = [
        *({"prompt": "synthesize_mcq", "question": " ".join(pair), "text": draft(questions[pair])} for pair in PAIRS),
        *({"prompt": "mcq_context", "question": questions[pair], "text": "perhaps"} for pair in PAIRS),
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)), encoding="utf-8")
    llm = f"recorded(path={str(tmp_path / 'replies.jsonl')!r})"
    words = ["mcq", str(folder), "--out", str(tmp_path / "out"), "--count", "2", "--llm", llm]
    planned = CliRunner().invoke(app, [*words, "--dry-run"])
    assert planned.output == "2 requests for items, and at most 6 to the judge; nothing was asked or written.\n"
    assert not (tmp_path / "out").exists()
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert (facts["kept"], facts["dropped"]["no verdict"], facts["report"]["keys"]["1"]) == (0, 2, 0)
    rows = (tmp_path / "out" / "dropped.multihop.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["reason"] for row in rows] == ["no verdict", "no verdict"]
    again = CliRunner().invoke(app, words)
    assert isinstance(again.exception, DataError)
    shown = CliRunner().invoke(app, [*words, "--replace"]).output
    assert "Dropped: 2 no verdict" in shown
    assert "Kept: 0 items in" in shown
