"""Experiments with language models: what was asked is recorded, and the replies let it run anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripted import Scripted

import legalir
from legalir.errors import ModelError
from legalir.experiment import run
from legalir.experiment.runner import REPLIES
from legalir.llm.chat import ChatReply, ChatRequest
from legalir.llm.client import Client

DEFINITION = {
    "dataset": "legalir/firecode/test",
    "measures": ["R@10"],
    "part": "dev",
    "systems": {
        "plain": "bm25",
        "analytical": "analytical >> bm25",
        "rar": "rar(bm25, N=10)",
    },
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


def test_two_collections_share_the_settings_of_a_client_and_its_counts(tmp_path: Path) -> None:
    client = Client(Scripted(reply), cache=tmp_path / "x.sqlite")
    one, two = (legalir.Collection("legalir/firecode", client=client) for _ in range(2))
    one.pipeline("analytical").search("창문이 없는 층의 기준은?")
    two.pipeline("analytical").search("소화기는 몇 개인가요?")
    assert client.usage.asked == 2
    assert one.client.usage is two.client.usage
