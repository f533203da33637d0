"""Keys of requests, and what is read from the text of a reply."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import pytest
from chat_server import completion
from endless import ends
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from legalir.errors import MissingExtra
from legalir.llm import chat
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, read_completion, read_json
from legalir.llm.chat import without_reasoning as without

REQUEST = ChatRequest(
    (("system", "Be brief."), ("user", "등불은?")), prompt="hyde", fingerprint="f1", question="등불은?"
)


class Order(BaseModel):
    order: list[int] = Field(max_length=3)


class TestKey:
    def test_golden_keys(self) -> None:
        # The canonical form is JSON with sorted keys, in ASCII; fields that are empty, 0 or None are left out.
        canonical = (
            '{"fingerprint": "f1", "max_tokens": 512, "messages": [["system", "Be brief."], '
            '["user", "\\ub4f1\\ubd88\\uc740?"]], "model": "m", "prompt": "hyde", "question": "\\ub4f1\\ubd88\\uc740?"}'
        )
        assert REQUEST.key("m") == hashlib.sha256(canonical.encode()).hexdigest()
        assert REQUEST.key("m") == "ae7cc4ed743dd46cac91cd4cfa5dcd1cd3778bbdc4e81cf36252b5330e969226"

    def test_a_later_field_changes_no_key_while_it_is_empty(self) -> None:
        @dataclasses.dataclass(frozen=True)
        class Later(ChatRequest):
            top_p: float = 0.0

        assert Later(REQUEST.messages, prompt="hyde", fingerprint="f1", question="등불은?").key("m") == REQUEST.key("m")
        assert dataclasses.replace(Later(()), top_p=0.5).key("m") != Later(()).key("m")

    @pytest.mark.parametrize(
        "change",
        [
            {"messages": (("user", "등불은?"),)},
            *({"schema": {"type": "object"}}, {"temperature": 0.7}, {"seed": 1}, {"max_tokens": 511}, {"logprobs": 5}),
            *({"prompt": "rewrite"}, {"fingerprint": "f2"}, {"question": "종은?"}),
        ],
        ids=str,
    )
    def test_each_field_changes_the_key(self, change: dict[str, Any]) -> None:
        assert dataclasses.replace(REQUEST, **change).key("m") != REQUEST.key("m")
        assert REQUEST.key("n") != REQUEST.key("m")


class TestReply:
    def test_fields_of_another_version(self) -> None:
        values = {"text": "At dusk.", "finish_reason": "length", "colour": "red", "logprobs": [{"At": -0.5}]}
        assert ChatReply.read(values) == ChatReply("At dusk.", "length", logprobs=({"At": -0.5},))
        assert ChatReply.read({"text": ""}) == ChatReply("")
        with pytest.raises(KeyError):
            ChatReply.read({"finish_reason": "stop"})

    def test_a_completion(self) -> None:
        body = completion("At dusk.", "length", refusal=None)
        alternatives = [{"token": "At", "logprob": -0.1}, {"token": "In", "logprob": -2}]
        body["choices"][0]["logprobs"] = {
            "content": [
                {"token": "At", "logprob": -0.1, "top_logprobs": alternatives},
                {"token": ".", "logprob": -1, "top_logprobs": []},
            ]
        }
        expected = ChatReply(
            *("At dusk.", "length", "m-2031", 7, 5, 0.5), logprobs=({"At": -0.1, "In": -2.0}, {".": -1.0})
        )
        assert read_completion(body, 0.5) == expected

    def test_what_may_be_missing(self) -> None:
        assert read_completion({"choices": [{"message": {}}]}, 0) == ChatReply("")
        assert read_completion(completion(None, refusal="I cannot."), 0).refusal == "I cannot."
        # Half of an emoji becomes the sign for what cannot be read.
        assert read_completion(completion("lit \ud83d"), 0).text == "lit \ufffd"

    @pytest.mark.parametrize(
        "body",
        [
            *(None, "<html>", [], {}, {"choices": []}, {"choices": None}, {"choices": [None]}, {"choices": [{}]}),
            *(completion(3), completion("x", 4), {**completion("x"), "usage": [1]}),  # type: ignore[arg-type]
            {"choices": [{"message": "x"}]},
        ],
        ids=str,
    )
    def test_what_is_not_one(self, body: object) -> None:
        with pytest.raises(FailedReply, match="no choice with a message") as caught:
            read_completion(body, 0)
        assert caught.value.state == "empty"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>Hm. Is it lit?</think>At dusk.", "At dusk."),
        ("<THINKING>\nHm.\n</THINKING>\n\nAt dusk.\n", "At dusk."),
        ("<reasoning>Hm.</reasoning>", ""),
        ("<think>It never ends", ""),
        ("At dusk.<think>It never ends", "At dusk."),
        # Some templates write the first tag into the prompt.
        ("Hm. Is it lit?</think>At dusk.", "At dusk."),
        ("<think>a</think>At <think>b</think>dusk.", "At dusk."),
        ("<think>a <reasoning>b</reasoning> c</think>At dusk.", "At dusk."),
        ("At dusk, I think.", "At dusk, I think."),
    ],
)
def test_reasoning_is_left_out(text: str, left: str) -> None:
    assert without(text) == left


@given(st.text(), st.text(alphabet=st.characters(exclude_characters="<>")))
def test_reasoning_of_any_text(reasoning: str, text: str) -> None:
    reasoning = reasoning.replace("<", "")
    assert without(f"<think>{reasoning}</think>{text}") == text.strip()
    assert without(f"{text}<think>{reasoning}") == text.strip()


def test_a_long_reply_without_reasoning() -> None:
    """Each place of it was searched to its end: a million characters took minutes."""
    with ends():
        assert without("dusk " * 200_000) == ("dusk " * 200_000).strip()


@pytest.mark.parametrize(
    "text",
    [
        '{"order": [2, 1]}',
        '```json\n{"order": [2, 1]}\n```',
        'Here it is: {"order": [2, 1]} I hope that it helps.',
        '{"order": [2, 1],}',
        '{"order": [2, 1]',
        "{'order': [2, 1]}",
        '{"order": [9]} No, better: {"order": [2, 1]}',
        '{"order": [2, 1], "why": "2 holds the rule"}',
    ],
)
def test_json_is_found_and_repaired(text: str) -> None:
    assert read_json(text, Order).order == [2, 1]


@pytest.mark.parametrize(
    "text",
    [
        *("", "At dusk.", "[2, 1]", '{"rank": [2, 1]}', '{"order": "2, 1"}', '{"order": [4, 3, 2, 1]}', "null"),
        *("[" * 100_000, '{"order":' * 5_000),
    ],
    ids=lambda text: text[:20],
)
def test_json_of_another_schema(text: str) -> None:
    with pytest.raises(FailedReply, match="not the JSON") as caught:
        read_json(text, Order)
    assert caught.value.state == "invalid"


def test_a_reply_that_needs_repair_needs_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *, extra: str) -> None:
        raise MissingExtra(f"{module} of {extra}")

    monkeypatch.setattr(chat, "require", missing)
    assert read_json('{"order": [2, 1]}', Order).order == [2, 1]
    with pytest.raises(MissingExtra, match="json_repair of llm"):
        read_json('{"order": [2, 1],}', Order)
