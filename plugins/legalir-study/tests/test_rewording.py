"""Changes of questions: which items get one, slips by rule, rewordings by a model."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted

from legalir import Client
from legalir.errors import ComponentError
from legalir.extend import ChatRequest, load_prompt
from legalir_study.rewording import HYPA_SHARES, chosen_changes, misspelt, noisy, parsed_shares, reworded
from legalir_study.split import PROMPTS

ITEMS = [
    {
        "qid": f"q{number}",
        "query": f"How many lamps carry ferries of harbour {number}?",
        "documents": list("abc"[:size]),
    }
    for number, size in enumerate([1] * 40 + [2] * 40 + [3] * 20)
]
PROMPT = load_prompt("synthesize_rewording", "en", None, PROMPTS)


class TestShares:
    def test_a_text_of_shares(self) -> None:
        assert parsed_shares("vaguer=0.1, vaguer and noise=0.2") == {"vaguer": 0.1, "vaguer and noise": 0.2}
        assert parsed_shares("") == {}
        assert parsed_shares("hypa") == HYPA_SHARES

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("vague=0.1", "'vague' is unknown.*Did you mean 'vaguer'"),
            ("noise=much", "share of 'noise' is 'much'"),
            ("noise", "share of 'noise' is ''"),
            ("noise=1.5", "share of 'noise' is 1.5"),
            ("noise=0.6, spelling=0.6", "are 1.2 together"),
        ],
    )
    def test_a_wrong_share(self, text: str, fault: str) -> None:
        with pytest.raises(ComponentError, match=fault):
            parsed_shares(text)


class TestChosen:
    def test_the_numbers_of_the_paper(self) -> None:
        # Of 100 items: 40 with one document, 25 % of them longer; 20 with three, 25 % shorter; the rest of all 100.
        changes = chosen_changes(ITEMS, HYPA_SHARES, seed=0)
        assert Counter(changes.values()) == {
            "longer": 10,
            "shorter": 5,
            "vaguer": 10,
            "noise": 10,
            "vaguer and noise": 10,
            "reordered": 5,
            "spelling": 5,
        }
        sizes = {row["qid"]: len(row["documents"]) for row in ITEMS}
        assert {sizes[qid] for qid, change in changes.items() if change == "longer"} == {1}
        assert {sizes[qid] for qid, change in changes.items() if change == "shorter"} == {3}

    def test_the_seed_decides(self) -> None:
        assert chosen_changes(ITEMS, HYPA_SHARES, 1) == chosen_changes(ITEMS, HYPA_SHARES, 1)
        assert chosen_changes(ITEMS, HYPA_SHARES, 1) != chosen_changes(ITEMS, HYPA_SHARES, 2)


class TestSlips:
    @given(st.integers(0, 500))
    def test_noise_is_one_slip_and_keeps_numbers(self, seed: int) -> None:
        text = "When, if ever, must 3 ferries of 20.5 metres carry lamps?"
        slipped = noisy(text, random.Random(seed))
        assert slipped != text
        assert [word for word in slipped.split() if any(map(str.isdigit, word))] == ["3", "20.5"]
        assert abs(len(slipped.split()) - len(text.split())) <= 1
        assert slipped == noisy(text, random.Random(seed))

    @given(st.integers(0, 500))
    def test_a_misspelt_text_differs_in_one_word(self, seed: int) -> None:
        text = "배가 20.5미터를 넘으면 몇 개의 등불을 달아야 합니까?"
        slipped = misspelt(text, random.Random(seed))
        assert "20.5미터를" in slipped
        pairs = zip(text.split(), slipped.split(), strict=True)
        different = [(one, other) for one, other in pairs if one != other]
        assert len(different) == 1
        one, other = different[0]
        assert one[0] == other[0]
        assert abs(len(one) - len(other)) <= 1


class TestReworded:
    def test_a_model_rewords_and_rules_slip(self, tmp_path: Path) -> None:
        def reply(request: ChatRequest) -> str:
            change = request.messages[1][1].split("\n")[1]
            return f"**{change}:** {request.question}"

        model = Scripted(reply)
        items, counts = reworded(ITEMS, HYPA_SHARES, 0, Client(model, cache=tmp_path / "l.sqlite"), PROMPT, None)
        assert counts == Counter(chosen_changes(ITEMS, HYPA_SHARES, 0).values())
        assert len(model.requests) == 40  # not for noise and spelling
        for before, after in zip(ITEMS, items, strict=True):
            if "change" not in after:
                assert after == before
                continue
            assert after["original"] == before["query"]
            if after["change"] in ("longer", "shorter", "vaguer", "reordered"):
                assert after["query"] == f"{after['change']}: {before['query']}"
            elif after["change"] == "vaguer and noise":
                assert after["query"] != f"vaguer: {before['query']}"
            else:
                assert after["query"] != before["query"]

    def test_a_failed_rewording_leaves_the_question_and_is_counted(self, tmp_path: Path) -> None:
        model = Scripted(lambda request: "?")
        client = Client(model, cache=tmp_path / "l.sqlite")
        items, counts = reworded(ITEMS, {"vaguer": 0.1}, 0, client, PROMPT, None)
        assert (items, counts) == (ITEMS, {"failed": 10})

    def test_an_essay_is_no_rewording(self, tmp_path: Path) -> None:
        client = Client(Scripted(lambda request: "lamps " * 200), cache=tmp_path / "l.sqlite")
        assert reworded(ITEMS, {"longer": 0.25}, 0, client, PROMPT, None)[1] == {"failed": 10}
