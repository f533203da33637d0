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
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, merged, read_completion, read_json, usable_text
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
        for usage in ({"prompt_tokens": float("inf")}, {"prompt_tokens": "fifty", "completion_tokens": -3}, [1], None):
            assert read_completion({**completion("x", 4), "usage": usage}, 0) == ChatReply("x", model="m-2031")  # type: ignore[arg-type]
        assert read_completion(completion(None, refusal="I cannot."), 0).refusal == "I cannot."
        # Half of an emoji becomes the sign for what cannot be read.
        assert read_completion(completion("lit \ud83d"), 0).text == "lit \ufffd"

    @pytest.mark.parametrize(
        "body",
        [
            *(None, "<html>", [], {}, {"choices": []}, {"choices": None}, {"choices": [None]}, {"choices": [{}]}),
            *({"choices": [{"message": "x"}]}, {"error": {"message": "x"}}, {"object": "error", "message": "x"}),
            *(completion(3), {"choices": [{"error": {"code": 502}, "message": {"content": "x"}}]}),  # type: ignore[arg-type]
        ],
        ids=str,
    )
    def test_what_is_not_one(self, body: object) -> None:
        with pytest.raises(FailedReply, match=r"sent no reply|broke off") as caught:
            read_completion(body, 0)
        assert caught.value.state == "unavailable"

    JSON = '{"order": [1]}'
    HIDDEN = ({"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "reasoning", "summary": []})
    CALL = ({"index": 0, "function": {"name": "f", "arguments": "{"}}, {"index": 0, "function": {"arguments": "}"}})

    @pytest.mark.parametrize(
        ("body", "text", "reason"),
        [
            (completion([*HIDDEN, {"type": "text", "text": "At "}, "dusk."]), "At dusk.", "stop"),  # type: ignore[arg-type]
            (completion({"order": [1]}), JSON, "stop"),  # type: ignore[arg-type]
            (completion(None, tool_calls=[{"function": {"arguments": JSON}}] * 2), JSON, "stop"),
            (completion("", tool_calls=[{"function": {"arguments": {"order": [1]}}}]), JSON, "stop"),
            (completion(None, reasoning_content=JSON), JSON, "stop"),
            (completion(None, reasoning="Hm. At noon?"), "", "stop"),
            (merged([{"choices": [{"delta": {"content": "At "}}]}, completion("dusk.")]), "At dusk.", "stop"),
            (merged([{"choices": [{"delta": {"content": "At "}}]}]), "At ", "incomplete"),
            (merged([{"choices": [{"delta": {"tool_calls": [one]}}]} for one in CALL]), "{}", "incomplete"),
            ({"choices": [{"text": "At dusk.", "finish_reason": "length"}]}, "At dusk.", "length"),
            ({"message": {"content": "At dusk."}, "done_reason": "length"}, "At dusk.", "length"),
            ({"content": [{"type": "text", "text": "At"}], "stop_reason": "max_tokens"}, "At", "max_tokens"),
            ({"content": [{"type": "tool_use", "input": {"order": [1]}}]}, JSON, "stop"),
            (
                {"output": [HIDDEN[1], {"type": "message", "content": [{"type": "output_text", "text": "At"}]}]},
                *("At", "stop"),
            ),
            ({"output": [], "incomplete_details": {"reason": "max_output_tokens"}}, "", "max_output_tokens"),
        ],
    )
    def test_replies_of_other_servers(self, body: Any, text: str, reason: str) -> None:
        read = read_completion(body, 0)
        assert (read.text, read.finish_reason) == (text, reason)

    def test_a_refusal_in_parts(self) -> None:
        assert read_completion(completion([{"type": "refusal", "refusal": "No."}]), 0).refusal == "No."  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("reason", "state"),
        [
            *(("MAX_TOKENS", "cut"), ("model_context_window_exceeded", "cut"), ("SAFETY", "filtered")),
            *(("refusal", "refused"), ("error", "unavailable"), ("insufficient_system_resource", "unavailable")),
        ],
    )
    def test_reasons_of_other_servers(self, reason: str, state: str) -> None:
        with pytest.raises(FailedReply) as caught:
            usable_text(ChatReply("At dusk.", reason))
        assert caught.value.state == state
        assert usable_text(ChatReply("At dusk.", "tool_calls")) == "At dusk."


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
        ("[THINK]Hm.[/THINK]At dusk.", "At dusk."),
        ("<thought>Hm.</thought>At dusk.", "At dusk."),
        ("<think depth='2'>Hm.</think>At dusk.", "At dusk."),
        ("<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>At dusk.<|END_RESPONSE|>", "At dusk."),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>At dusk.<|return|>",
            "At dusk.",
        ),
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
        '{"order: [2, 1]}',
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
    ],
    ids=lambda text: text[:20],
)
def test_json_of_another_schema(text: str) -> None:
    with pytest.raises(FailedReply, match="not the JSON") as caught:
        read_json(text, Order)
    assert caught.value.state == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        *(
            '{"order": [2, 1',
            '{"order": [2, 1]',
            '```json\n{"order": [2',
            'So: {"why": "the fine is 3',
            '{"order": [9]} {"o',
        ),
        *('{"order": [{"a": "b"}', "[" * 100_000, '{"order":' * 5_000, '{"why": ' + '\\"' * 200_000),
    ],
    ids=lambda text: text[:20],
)
def test_json_that_does_not_close_is_cut(text: str) -> None:
    with pytest.raises(FailedReply, match="does not close") as caught:
        read_json(text, Order)
    assert caught.value.state == "cut"


def test_a_reply_that_needs_repair_needs_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *, extra: str) -> None:
        raise MissingExtra(f"{module} of {extra}")

    monkeypatch.setattr(chat, "require", missing)
    assert read_json('{"order": [2, 1]}', Order).order == [2, 1]
    with pytest.raises(MissingExtra, match="json_repair of llm"):
        read_json('{"order": [2, 1],}', Order)
