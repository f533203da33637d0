"""Experiments with language models: what was asked is recorded, and the replies let it run anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from chat_server import ChatServer, Handler, chat_server, completion  # noqa: F401  (a fixture)
from fake_collection import page_of
from rich.console import Console
from scripted import Scripted

from legalir.errors import ModelError
from legalir.experiments import ExperimentResult, run
from legalir.experiments.experiment import REPLIES
from legalir.experiments.terminal import print_result
from legalir.llm.chat import ChatReply, ChatRequest
from legalir.llm.client import Client

DEFINITION = {
    "dataset": "legalir/firecode/test",
    "measures": ["R@10"],
    "part": "dev",
    "systems": {"plain": "bm25", "analytical": "analytical >> bm25", "rar": "rar(bm25, N=10)"},
}


def reply(request: ChatRequest) -> str | ChatReply:
    if "스프링클러" in request.question and request.prompt == "analytical":
        return ChatReply("", prompt_tokens=3)
    return f"관계인은 {request.question[:30]}에 관하여 필요한 조치를 하여야 한다."


def test_an_experiment_is_replayed_elsewhere_byte_for_byte(tmp_path: Path) -> None:
    model = Scripted(reply)
    first = run(DEFINITION, tmp_path / "a", client=Client(model, cache=tmp_path / "a.sqlite"), latency_queries=0)
    asked = len(model.requests)
    queries = len(first.context.queries)
    failed = sum("스프링클러" in question for question in first.context.queries.values())
    assert failed
    assert asked == 2 * queries + failed  # a failed reply is asked for twice
    records = {name: one.record.llm for name, one in first.system_runs.items()}
    assert records["plain"] is None
    assert records["analytical"] is not None
    assert records["analytical"]["failed"] == {"empty": failed}
    assert records["analytical"]["prompt_tokens"] == 7 * (queries - failed) + 3 * 2 * failed
    assert records["rar"] is not None
    assert records["rar"]["failed"] == {"empty": failed}
    assert first.system_runs["rar"].record.notes == ["rar has no reranker: the order of its fusion stands"]
    assert list(first.system_runs["analytical"].record.notes) == []
    environment = json.loads((tmp_path / "a" / "environment.json").read_text(encoding="utf-8"))
    assert environment["llm"]["model"] == "scripted"
    assert environment["llm"]["models"] == {"scripted": ""}

    # Elsewhere: only the replies, no model that answers, and an empty cache.
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / REPLIES).write_bytes((tmp_path / "a" / REPLIES).read_bytes())
    silent = Scripted(reply)
    offline = Client(silent, cache=tmp_path / "b.sqlite", offline=True)
    second = run(DEFINITION, tmp_path / "b", client=offline, latency_queries=0, jobs=2)
    assert silent.requests == []
    for name in ("runs/plain.trec", "runs/analytical.trec", "runs/rar.trec", "per_query.csv", "table.tsv", REPLIES):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert second.system_runs["rar"].record.llm is not None
    assert second.system_runs["rar"].record.llm["asked"] == 0


def test_what_failed_because_the_endpoint_was_away_is_asked_again(
    chat_server: ChatServer,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    systems = {
        "plain": "bm25",
        "answers": "bm25 % 3 >> answer(k=3, links=False)",
        "rewritten": "analytical >> bm25 % 20",
        "judged": "bm25 % 1 >> quote",
    }
    definition = {**DEFINITION, "measures": ["R@10", "Failed"], "systems": systems}

    def made(out: str = "a", **settings: Any) -> ExperimentResult:
        client = Client(f"openai(model='m', base_url={chat_server.url!r}, retries=0)", **settings)
        return run(definition, tmp_path / out, client=client, latency_queries=0)

    away = {""}  # Parts of the questions that get no reply.

    def refuses(handler: Handler, body: dict[str, Any]) -> None:
        if any(part in str(body["messages"]) for part in away):
            handler.fail(503, message="Service unavailable")
        else:
            prose = "무창층의 개구부에 관한 조문이다."
            good = {"can_answer": False, "reason": "none", "statements": []}
            text = json.dumps(good) if body.get("response_format") else prose
            handler.send(200, json.dumps(completion(text)).encode())

    chat_server.reply = refuses
    first = made(cache=tmp_path / "cache.sqlite")
    queries = len(first.context.queries)
    assert first.system_runs["answers"].failed == {"unavailable": queries}
    assert {remark for remark in first.remarks if remark.startswith("failed replies: ")}
    print_result(first, Console(width=200))
    assert f"{queries} unavailable" in capsys.readouterr().out
    assert f"{queries} unavailable" in page_of(first)

    # The endpoint is back, but not for every question: what fails is asked once more, and nothing else.
    away = {"스프링클러"}
    second = made(cache=tmp_path / "cache.sqlite")
    assert second.reused == ["plain", "judged"]
    left = sum(sum(run.failed.values()) for run in second.system_runs.values())
    assert 0 < left < 2 * queries
    chat_server.bodies.clear()
    away = set()
    third = made(cache=tmp_path / "cache.sqlite")
    assert len(chat_server.bodies) == left
    assert third.reused == [name for name in systems if not second.system_runs[name].failed]
    assert not third.remarks or not any("unavailable" in remark for remark in third.remarks)

    # Now it is finished: nothing is asked, also from the replies alone.
    chat_server.bodies.clear()
    assert made(cache=tmp_path / "cache.sqlite").reused == list(systems)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / REPLIES).write_bytes((tmp_path / "a" / REPLIES).read_bytes())
    elsewhere = made("b", cache=tmp_path / "empty.sqlite", offline=True)
    assert made("b", cache=tmp_path / "empty.sqlite", offline=True).reused == list(systems)
    assert chat_server.bodies == []
    pd.testing.assert_frame_equal(elsewhere.table, third.table)
    for name in ("runs/answers.jsonl", "runs/rewritten.trec", REPLIES):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_stored_failures_are_a_finished_run_where_nothing_can_be_asked(chat_server: ChatServer, tmp_path: Path) -> None:  # noqa: F811
    chat_server.reply = lambda handler, body: handler.fail(503, message="Service unavailable")
    spec = f"openai(model='m', base_url={chat_server.url!r}, retries=0)"
    definition = {**DEFINITION, "systems": {"rewritten": "analytical >> bm25"}}
    run(definition, tmp_path, client=Client(spec, cache=tmp_path / "cache.sqlite"), latency_queries=0)
    asked = len(chat_server.bodies)
    offline = Client(spec, cache=tmp_path / "cache.sqlite", offline=True)
    assert run(definition, tmp_path, client=offline, latency_queries=0).reused == ["rewritten"]
    assert len(chat_server.bodies) == asked


def test_another_model_or_other_replies_make_the_run_again(tmp_path: Path) -> None:
    definition = {**DEFINITION, "systems": {"plain": "bm25", "rewritten": "analytical >> bm25"}}

    def reused(name: str) -> list[str]:
        model = Scripted(reply)
        model.name = name
        return run(definition, tmp_path, client=Client(model, cache=tmp_path / "c.sqlite"), latency_queries=0).reused

    assert reused("one") == []
    assert reused("one") == ["plain", "rewritten"]
    assert reused("other") == ["plain"]


def test_a_missing_reply_leaves_its_systems_out(tmp_path: Path) -> None:
    offline = Client(Scripted(reply), cache=tmp_path / "x.sqlite", offline=True)
    result = run(DEFINITION, tmp_path / "out", client=offline, latency_queries=0)
    assert set(result.absent) == {"analytical", "rar"}
    assert "run without offline once" in result.absent["rar"]


def test_the_definition_names_the_model_and_the_environment_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {**DEFINITION, "systems": {"analytical": "analytical >> bm25"}, "llm": "recorded(path='nowhere.jsonl')"}
    with pytest.raises(ModelError, match=r"nowhere\.jsonl is not a file"):
        run(named, latency_queries=0)
    monkeypatch.setenv("LEGALIR_LLM", "recorded(path='elsewhere.jsonl')")
    with pytest.raises(ModelError, match=r"elsewhere\.jsonl is not a file"):
        run(named, latency_queries=0)
