"""Tools for agents, asked by the client of the same package."""

from __future__ import annotations

import asyncio
import json
import threading
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from served import PLAIN, client_of, service, write

from legalir.errors import DataError
from legalir_serve.budget import page, provision_reply, text_parts, tokens_of
from legalir_serve.policy import Policy
from legalir_serve.service import Service, _Pipeline
from legalir_serve.tools import create_tools
from legalir_serve.work import Together, Workers


def asked(served: Service, *calls: tuple[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the structured replies to calls of tools, in one session; each fits its schema, and is sent once."""

    async def session() -> list[dict[str, Any]]:
        async with Client(create_tools(served)) as client:
            schemas = {tool.name: tool.output_schema or {} for tool in (await client.list_tools()).tools}
            replies = list[dict[str, Any]]()
            for name, arguments in calls:
                result = await client.call_tool(name, dict(arguments))
                reply = result.structured_content or {}
                assert result.content[0].text.startswith(f"{reply['state']}. {reply.get('reason', '')}")
                assert name not in schemas or reply.keys() <= schemas[name]["properties"].keys()
                replies.append(reply)
            return replies

    return asyncio.run(session())


LOOPS = {
    "firecode": ("방염 처리를 해야 하는 물건은 무엇인가요?", "화재보험에 가입하지 않으면 과태료가 얼마인가요?"),
    "firecode-dated": ("과태료 금액은 얼마인가요?", "영업주가 받아야 하는 교육은 무엇인가요?"),
}


def test_an_agent_finds_why_and_when() -> None:
    """Which provision answers, what it cites, and what it said on a day: in less than 4 000 tokens, each time."""
    served = Service(
        {name: f"legalir/{name}" for name in LOOPS},
        Policy({"default": "default", "answer": "default % 5 >> refuse >> quote"}),
    )
    question = "고시원 방에 창문이 꼭 있어야 하나요?"
    found, read, cites, then, answer, refused = asked(
        served,
        ("search_provisions", {"question": question, "collection": "firecode"}),
        ("read_provision", {"docno": "vrule-6"}),
        ("related_provisions", {"docno": "vrule-6", "relation": "cites"}),
        ("read_provision", {"docno": "FC05-4", "as_of": "2023-06-01"}),
        ("answer_with_citations", {"question": question, "collection": "firecode"}),
        ("answer_with_citations", {"question": "오늘 서울 날씨 어때요?", "collection": "firecode"}),
    )
    (checked,) = asked(served, ("verify_citations", {"text": answer["answer"], "collection": "firecode"}))
    assert checked["state"] == "found" and checked["wrong"] == 0 and checked["counts"]["right"] > 0
    assert "vrule-6" in [each["docno"] for each in found["provisions"][:3]]
    assert "창문" in read["text"] and read["state"] == "found"
    assert "vdecree-4" in [each["docno"] for each in cites["cites"]]
    assert then["docno"] == "FC05-4@2021-01-01"
    assert answer["citations"] and "nearest" not in answer
    assert (refused["abstained"], refused["reason_kind"], refused["reply_state"]) == (True, "not_covered", "ok")
    assert len(refused["nearest"]) == 5
    words = [quote.get("words") for one in answer["citations"] for quote in one["quotes"]]
    assert words and not any(words)  # The answer has them.
    assert sum(map(tokens_of, [found, read, cites, then, answer])) < 4000
    for name, questions in LOOPS.items():
        for question in questions:
            (found,) = asked(served, ("search_provisions", {"question": question, "collection": name}))
            first, second, *_ = (row["docno"] for row in found["provisions"])
            replies = asked(
                served,
                ("read_provision", {"docno": first, "collection": name}),
                ("related_provisions", {"docno": first, "collection": name}),
                ("read_provision", {"docno": second, "collection": name}),
                ("answer_with_citations", {"question": question, "collection": name}),
            )
            assert all(reply["state"] == "found" for reply in replies)
            assert sum(map(tokens_of, [found, *replies])) < 4000


def test_versions_and_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = service(tmp_path)
    compared, unknown, undated, missing, refused, turned, read, repealed, unnamed, typing, every, more, wrong = asked(
        served,
        ("compare_versions", {"docno": "d-1", "start": "2021-01-01", "end": "2024-01-01", "collection": "pier"}),
        ("compare_versions", {"docno": "nix", "start": "2021-01-01", "end": "2024-01-01", "collection": "pier"}),
        ("compare_versions", {"docno": "act-1", "start": "2021-01-01", "end": "2024-01-01"}),
        ("read_provision", {"docno": "nix"}),
        ("search_provisions", {"question": " ", "collection": "harbour"}),
        ("compare_versions", {"docno": "d-1", "start": "2024-01-01", "end": "2021-01-01"}),
        ("read_provision", {"docno": "d-1"}),
        ("read_provision", {"docno": "d-3"}),
        ("verify_citations", {"text": "Section 1."}),
        ("read_provision", {"docno": "act-1", "collection": "harbor"}),
        ("search_provisions", {"question": "lamp", "k": 4}),
        ("search_provisions", {"question": "lamp", "k": 2, "collection": "harbour"}),
        ("search_provisions", {"question": "lamp", "limit": 2}),
    )
    assert turned["state"] == "could_not_check" and "later" in turned["reason"]
    assert [one["from"] for one in read["versions"]] == ["2020-01-01", "2023-01-01"] and "law_state" not in read
    assert (repealed["state"], repealed["law_state"], repealed["law_state_since"]) == (
        "found",
        "repealed",
        "2022-01-01",
    )
    assert (unnamed["state"], unnamed["candidates"]) == ("needs_clarification", ["harbour", "pier"])
    assert (typing["state"], typing["candidates"]) == ("needs_clarification", ["harbour"])
    assert [one["collection"] for one in every["provisions"]] == ["harbour", "pier", "harbour", "harbour"]
    assert (more["collection"], more["next_offset"]) == ("harbour", 2)
    assert (
        wrong["code"] == "invalid" and "limit" in wrong["reason"]
    )  # An argument that a tool does not have is refused, and not left out without a word.
    assert [part["text"] for part in compared["changed"]] == ["3", "5"]
    assert (unknown["state"], undated["state"]) == ("not_found", "could_not_check")
    assert (missing["state"], refused["state"], refused["code"]) == ("not_found", "could_not_check", "invalid")

    def broken(self: Service, *arguments: Any, **named: Any) -> Any:
        raise DataError("The engine of /srv/laws cannot be reached.")

    monkeypatch.setattr(Service, "provision", broken)
    (down,) = asked(served, ("read_provision", {"docno": "act-1"}))
    assert down["state"] == "could_not_check" and "/srv" not in down["reason"]


def test_a_provision_is_read_by_its_citation(tmp_path: Path) -> None:
    read, dated, missing, anywhere, unclear = asked(
        service(tmp_path),
        ("read_provision", {"docno": "Harbour Act s 2"}),
        ("read_provision", {"docno": "D-1", "as_of": "2021-01-01"}),
        ("read_provision", {"docno": "Harbour Act s 9", "collection": "harbour"}),
        ("read_provision", {"docno": "Harbour Act s 9"}),
        ("read_provision", {"docno": "Harbor Act s 2", "collection": "harbour"}),
    )
    assert (read["docno"], read["collection"]) == ("act-2", "harbour")
    assert dated["docno"] == "d-1@2020-01-01"
    assert missing["state"] == "not_found" and missing["reason"].startswith("no such provision")
    assert (anywhere["state"], anywhere["reason"]) == (missing["state"], missing["reason"])
    assert unclear["state"] != "found"


def test_long_texts_come_in_parts() -> None:
    parts = text_parts("line of words\n" * 400, 500)
    assert len(parts) == 4 and all(tokens_of(part) <= 500 for part in parts)
    assert "".join(parts).replace("\n", "") == "line of words" * 400
    assert text_parts("", 9) == [""] and text_parts("x" * 4000, 100)[0] == "x" * 400
    assert text_parts("창문은 가로 60", 3) == ["창문은", "가로 60"]


@settings(max_examples=60)
@given(
    st.text(alphabet='창문ab 1,.\n"①', max_size=900),
    st.text(alphabet="법조(ab 1", max_size=120),
    st.integers(100, 400),
)
def test_a_budget_holds(text: str, title: str, tokens: int) -> None:
    """Each part keeps within the budget, and the parts are the whole text."""
    facts = {"state": "found", "collection": "harbour", "docno": "act-1", "title": title}
    further = {"versions": [{"docno": "act-1@2020-01-01", "from": "2020-01-01"}] * 9, "law": "Harbour Act", "path": ""}
    first = provision_reply(facts, further, text, 1, tokens)
    replies = [first, *(provision_reply(facts, further, text, part, tokens) for part in range(2, first["parts"] + 1))]
    assert all(tokens_of(reply) <= tokens for reply in replies)
    assert "".join("".join(reply["text"] for reply in replies).split()) == "".join(text.split())


def test_a_page_of_rows() -> None:
    rows = [{"docno": f"act-{number}", "title": "Harbour Act"} for number in range(9)]
    shown = page(rows, 60)
    assert 1 < len(shown) < 9 and shown == rows[: len(shown)]
    (long,) = page([{"kind": "added", "text": "lamp " * 900}], 100)
    assert long["text"].endswith(" …") and tokens_of(long) <= 110


def test_resources_and_list_of_tools(tmp_path: Path) -> None:
    async def session() -> tuple[list[Any], Any]:
        async with Client(create_tools(service(tmp_path))) as client:
            tools = await client.list_tools()
            return list(tools.tools), await client.read_resource("legalir://harbour/act-1")

    names, text = asyncio.run(session())
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in names)
    assert all(tool.input_schema["additionalProperties"] is False for tool in names)
    assert [tool.name for tool in names] == [
        "list_collections", "search_provisions", "read_provision", "related_provisions", "list_versions",
        "compare_versions", "changes_in_period", "answer_with_citations", "verify_citations",
    ]  # fmt: skip
    assert "lit at night" in text.contents[0].text


def test_over_http(tmp_path: Path) -> None:
    """With structured content at one address, and as text alone at the other one."""
    headers = {"accept": "application/json, text/event-stream", "host": "127.0.0.1:8000"}
    with client_of(service(tmp_path)) as client:

        def ask(path: str, method: str, **given: Any) -> Any:
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
            reply = client.post(path, json=message, headers=headers)
            assert reply.status_code == 200, reply.text
            return reply.json()["result"]

        read: dict[str, Any] = {"name": "read_provision", "arguments": {"docno": "act-1"}}
        for path, schemas in (("/mcp", 9), ("/mcp/text", 0)):
            listed = ask(path, "tools/list")["tools"]
            assert (len(listed), sum("outputSchema" in one for one in listed)) == (9, schemas)
            assert client.get(path, headers=headers).status_code == 405
        whole, alone = ask("/mcp", "tools/call", **read), ask("/mcp/text", "tools/call", **read)
        assert "structuredContent" not in alone and "lit at night" not in whole["content"][0]["text"]
        assert json.loads(alone["content"][0]["text"]) == whole["structuredContent"]


def test_a_long_text_has_contents_and_a_budget(tmp_path: Path) -> None:
    text = "\n".join(f"{number}. Each lamp of pier {number} is lit " + "at night " * 25 for number in range(1, 9))
    rows = [*PLAIN, {"docno": "long", "title": "Long", "text": text}]
    folder = write(tmp_path / "long", rows, "")
    served = Service({"long": folder})
    first, third, beyond = asked(
        served,
        ("read_provision", {"docno": "long", "tokens": 400}),
        ("read_provision", {"docno": "long", "tokens": 400, "part": 3}),
        ("read_provision", {"docno": "long", "tokens": 400, "part": 99}),
    )
    assert first["parts"] == len(first["contents"]) == third["parts"] > 2
    assert third["text"].startswith(first["contents"][2]) and "contents" not in third
    assert (beyond["state"], beyond["candidates"]) == ("needs_clarification", [first["parts"]])


def test_what_a_provision_delegates_to() -> None:
    served = Service({"firecode": "legalir/firecode"})
    (found,) = asked(served, ("related_provisions", {"docno": "vdecree-4", "relation": "delegates"}))
    levels = {each["docno"]: served.provision(each["docno"])["level"] for each in found["delegates"]}
    assert "vrule-6" in levels and set(levels.values()) == {"rule", "standard"}


def test_filters_of_an_agent(tmp_path: Path) -> None:
    """A filter may name what one of the collections has; what is not searched is said."""
    found, none, answer = asked(
        service(tmp_path),
        ("search_provisions", {"question": "lamp", "law": ["Harbour Act"]}),
        ("search_provisions", {"question": "lamp", "law": ["Pier"]}),
        ("answer_with_citations", {"question": "fee for a lamp", "collection": "harbour", "where": "docno=act-2"}),
    )
    assert found["collection"] == "harbour" and found["where"] == "law=Harbour Act"
    assert {row["docno"] for row in found["provisions"]} == {"act-1", "act-2"}
    assert list(found["not_searched"]) == ["pier"]
    assert none["state"] == "could_not_check" and "law" in none["reason"]
    assert {each["docno"] for each in answer["citations"]} == {"act-2"}


def test_lists_have_pages_and_true_totals(tmp_path: Path) -> None:
    rows = [{"docno": f"d{number}", "title": f"Harbour Act {number}", "text": "A quay."} for number in range(1, 62)]
    links = "".join(f"d{number}\td1\tcites\n" for number in range(2, 62))
    served = Service({"quays": write(tmp_path / "quays", rows, links)})
    listed, offset = list[str](), 0
    while offset is not None:
        (reply,) = asked(
            served, ("related_provisions", {"docno": "d1", "relation": "cited_by", "offset": offset, "tokens": 300})
        )
        listed += [row["docno"] for row in reply["cited_by"]]
        assert reply["total"] == 60
        offset = reply.get("next_offset")
    assert len(listed) == len(set(listed)) == 60
    beyond, few, last, empty = asked(
        served,
        ("related_provisions", {"docno": "d1", "relation": "cited_by", "offset": 60}),
        ("search_provisions", {"question": "quay", "tokens": 100}),
        ("search_provisions", {"question": "quay", "offset": 90, "k": 20}),
        ("search_provisions", {"question": "🦆"}),
    )
    assert (beyond["state"], beyond["candidates"]) == ("needs_clarification", [0])
    assert 0 < len(few["provisions"]) < 6 and few["next_offset"] == len(few["provisions"])
    assert last["state"] == "needs_clarification" and empty["state"] == "not_found"


def test_versions_and_what_a_reform_changed(tmp_path: Path) -> None:
    served = service(tmp_path)
    versions, single, changes, undated, ended = asked(
        served,
        ("list_versions", {"docno": "d-1"}),
        ("list_versions", {"docno": "act-1"}),
        ("changes_in_period", {"start": "2021-01-01", "end": "2024-01-01", "collection": "pier"}),
        ("changes_in_period", {"start": "2021-01-01", "collection": "harbour"}),
        ("compare_versions", {"docno": "d-1", "start": "2000-01-01", "end": "2001-01-01"}),
    )
    assert [(row["from"], row["to"]) for row in versions["versions"]] == [
        ("2020-01-01", "2023-01-01"),
        ("2023-01-01", ""),
    ]
    assert single["total"] == 1
    assert {row["kind"] for row in changes["changes"]} == {"changed", "repealed"} and changes["total"] == 2
    (changed,) = (row for row in changes["changes"] if row["kind"] == "changed")
    assert changed["cited_by"] == ["d-2@2020-01-01"] and changed["cited_by_total"] == 1
    assert (undated["state"], undated["code"]) == ("could_not_check", "no_versions")
    assert ended["state"] == "not_found"


@pytest.mark.parametrize(
    ("tool", "arguments", "state"),
    [
        ("read_provison", {"docno": "act-1"}, "needs_clarification"),
        ("search_provisions", {"query": "lamp"}, "could_not_check"),
        ("search_provisions", {"question": "lamp", "k": 100_000}, "could_not_check"),
        ("search_provisions", {"question": "lamp", "law": "Harbour Act", "collection": "harbour"}, "found"),
        ("search_provisions", {"question": "lamp", "as_of": "last year", "collection": "pier"}, "could_not_check"),
        ("read_provision", {"docno": " "}, "needs_clarification"),
        ("read_provision", {"docno": "ｄ-1", "collection": "pier"}, "found"),
        ("read_provision", {"docno": unicodedata.normalize("NFD", "민법 제750조")}, "needs_clarification"),
        ("read_provision", {"docno": "act-1", "part": "two"}, "could_not_check"),
        ("read_provision", {"docno": "act-1", "as_of": "2023-01-01"}, "could_not_check"),
        ("related_provisions", {"docno": "act-2", "relation": "cited by"}, "could_not_check"),
        ("verify_citations", {"text": "\n", "collection": "harbour"}, "needs_clarification"),
    ],
)
def test_a_mistake_gets_a_state_and_a_next_step(
    tmp_path: Path, tool: str, arguments: dict[str, Any], state: str
) -> None:
    (reply,) = asked(service(tmp_path), (tool, arguments))
    assert reply["state"] == state and (state == "found" or (reply["reason"] and reply["next_step"]))


def test_work_of_a_call_that_is_cancelled_ends(tmp_path: Path) -> None:
    """It starts no further component, its thread is free, and other calls have their results."""
    begun, free, ended = threading.Event(), threading.Event(), list[str]()

    def slowly(frame: pd.DataFrame) -> pd.DataFrame:
        if "lamp" in frame["query"].iloc[0]:
            begun.set()
            free.wait(10)
        return frame

    def noted(frame: pd.DataFrame) -> pd.DataFrame:
        ended.append(frame["query"].iloc[0])
        return frame

    served, workers = service(tmp_path), Workers(1, 20)
    opened = served.opened("harbour")
    slow = pt.apply.generic(slowly) >> opened.collection.pipeline("bm25") >> pt.apply.generic(noted)
    opened._pipelines["default"] = _Pipeline(slow, Together(slow), False)

    async def session() -> Any:
        async with Client(create_tools(served, lambda **_: workers.run)) as client:

            def search(question: str) -> Any:
                return client.call_tool("search_provisions", {"question": question, "collection": "harbour"})

            first = asyncio.create_task(search("lamp"))
            await asyncio.to_thread(begun.wait, 10)
            first.cancel()
            await asyncio.sleep(0.05)
            second = asyncio.create_task(search("fee"))
            await asyncio.sleep(0.05)
            free.set()
            return await second

    reply = asyncio.run(session()).structured_content
    assert reply["provisions"][0]["docno"] == "act-2" and ended == ["fee"]
    workers.close()


def test_work_of_a_call_that_is_cancelled_does_not_begin(tmp_path: Path) -> None:
    served, workers = service(tmp_path), Workers(1, 20)
    begun, free, asked_for = threading.Event(), threading.Event(), list[str]()
    known = served.provision

    def slow(docno: str, **options: Any) -> Any:
        asked_for.append(docno)
        begun.set()
        free.wait(10)
        return known(docno, **options)

    served.provision = slow  # type: ignore[method-assign]

    async def session() -> Any:
        async with Client(create_tools(served, lambda **_: workers.run)) as client:
            first = asyncio.create_task(client.call_tool("read_provision", {"docno": "act-1"}))
            await asyncio.to_thread(begun.wait, 10)
            second = asyncio.create_task(client.call_tool("read_provision", {"docno": "act-2"}))
            await asyncio.sleep(0.05)
            second.cancel()
            await asyncio.sleep(0.05)
            free.set()
            await first
            return await client.call_tool("read_provision", {"docno": "=rule-1"})

    assert asyncio.run(session()).structured_content["docno"] == "=rule-1"
    assert asked_for == ["act-1", "=rule-1"]
    workers.close()
