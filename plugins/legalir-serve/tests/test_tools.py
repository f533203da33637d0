"""Tools for agents, asked by the client of the same package."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from served import PLAIN, client_of, service, write

from legalir.errors import DataError
from legalir_serve.policy import Policy
from legalir_serve.service import Service
from legalir_serve.tools import create_tools, signs_of_token, text_parts


def asked(served: Service, *calls: tuple[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the structured replies to calls of tools, in one session."""

    async def session() -> list[dict[str, Any]]:
        async with Client(create_tools(served)) as client:
            return [
                (await client.call_tool(name, dict(arguments))).structured_content or {} for name, arguments in calls
            ]

    return asyncio.run(session())


def test_an_agent_finds_why_and_when(tmp_path: Path) -> None:
    """Which provision answers, what it cites, and what it said on a day: in less than 4 000 tokens."""
    names = {name: f"legalir/{name}" for name in ("firecode", "firecode-dated")}
    served = Service(names, Policy({"default": "default", "answer": "default % 5 >> refuse >> quote"}))
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
    # At most a token for each letter of Hangul, and one for three others.
    text = json.dumps([found, read, cites, then, answer], ensure_ascii=False)
    wide = sum("가" <= sign <= "힣" for sign in text)
    assert wide + (len(text) - wide) / 3 < 4000


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
    assert not wrong  # An argument that a tool does not have is refused, and not left out without a word.
    assert [part["text"] for part in compared["changed"]] == ["3", "5"]
    assert (unknown["state"], undated["state"]) == ("not_found", "could_not_check")
    assert (missing["state"], refused["state"], refused["code"]) == ("not_found", "could_not_check", "invalid")

    def broken(self: Service, *arguments: Any, **named: Any) -> Any:
        raise DataError("The engine of /srv/laws cannot be reached.")

    monkeypatch.setattr(Service, "provision", broken)
    (down,) = asked(served, ("read_provision", {"docno": "act-1"}))
    assert down["state"] == "could_not_check" and "/srv" not in down["reason"]


def test_a_provision_is_read_by_its_citation(tmp_path: Path) -> None:
    read, dated, missing, unclear = asked(
        service(tmp_path),
        ("read_provision", {"docno": "Harbour Act s 2"}),
        ("read_provision", {"docno": "D-1", "as_of": "2021-01-01"}),
        ("read_provision", {"docno": "Harbour Act s 9", "collection": "harbour"}),
        ("read_provision", {"docno": "Harbor Act s 2", "collection": "harbour"}),
    )
    assert (read["docno"], read["collection"]) == ("act-2", "harbour")
    assert dated["docno"] == "d-1@2020-01-01"
    assert missing["state"] == "needs_clarification" and missing["reason"].startswith("no such provision")
    assert unclear["state"] != "found"


def test_long_texts_come_in_parts() -> None:
    parts = text_parts("line of words\n" * 400)
    assert len(parts) == 4 and all(len(part) <= 1500 for part in parts)
    assert "".join(parts).replace("\n", "") == "line of words" * 400
    assert text_parts("") == [""] and text_parts("x" * 4000)[0] == "x" * 1500


def test_resources_and_list_of_tools(tmp_path: Path) -> None:
    async def session() -> tuple[list[Any], Any]:
        async with Client(create_tools(service(tmp_path))) as client:
            tools = await client.list_tools()
            return list(tools.tools), await client.read_resource("legalir://harbour/act-1")

    names, text = asyncio.run(session())
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in names)
    assert all(tool.input_schema["additionalProperties"] is False for tool in names)
    assert [tool.name for tool in names] == [
        "list_collections", "search_provisions", "read_provision", "related_provisions", "compare_versions",
        "answer_with_citations",
        "verify_citations",
    ]  # fmt: skip
    assert "lit at night" in text.contents[0].text


def test_over_http(tmp_path: Path) -> None:
    with client_of(service(tmp_path)) as client:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        headers = {"accept": "application/json, text/event-stream", "host": "127.0.0.1:8000"}
        reply = client.post("/mcp", json=message, headers=headers)
        assert reply.status_code == 200, reply.text
        assert len(reply.json()["result"]["tools"]) == 7
        assert client.get("/mcp", headers=headers).status_code == 405


def test_a_long_text_has_contents_and_a_budget(tmp_path: Path) -> None:
    text = "\n".join(f"{number}. Each lamp of pier {number} is lit " + "at night " * 25 for number in range(1, 9))
    rows = [*PLAIN, {"docno": "long", "title": "Long", "text": text}]
    folder = write(tmp_path / "long", rows, "")
    served = Service({"long": folder})
    first, third, beyond = asked(
        served,
        ("read_provision", {"docno": "long", "tokens": 200}),
        ("read_provision", {"docno": "long", "tokens": 200, "part": 3}),
        ("read_provision", {"docno": "long", "tokens": 200, "part": 99}),
    )
    # Three letters a token: parts of 600 characters, two lines each.
    assert first["parts"] == len(first["contents"]) == 8 // 2 and len(first["text"]) <= 600
    assert third["text"].startswith("5. Each lamp") and first["contents"][2].startswith("5. Each lamp of pier 5")
    assert (beyond["state"], beyond["candidates"]) == ("needs_clarification", [4])
    assert [signs_of_token(text) for text in ("lamp", "고시원 방", "")] == [3, 1, 3]


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
