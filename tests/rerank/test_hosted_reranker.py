"""Hosted rerankers, against a server on this machine that may misbehave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from chat_server import ChatServer, Handler, chat_server  # noqa: F401  (a fixture)
from cross_encoder_material import listed
from hosted_server import scores

import legalir
from legalir import testing
from legalir.errors import ComponentError, ExpressionError, ModelError
from legalir.llm.client import Client
from legalir.rerank.hosted import HostedReranker
from legalir.rerank.reranker import rerank

TEXTS = {"a": "lamp at dusk", "b": "the ferry waits in fog", "c": "fog and lamp and ferry", "d": "a fare"}
FIRST = pd.concat([listed("q2", "ferry in fog", list(TEXTS)), listed("q1", "lamp fog", ["a", "c"])])


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("openai._base_client", reason="pip install 'legalir[llm]'")
    monkeypatch.setattr(client, "INITIAL_RETRY_DELAY", 0.001)
    monkeypatch.setattr(client, "MAX_RETRY_DELAY", 0.001)


@pytest.fixture(name="server")
def the_server(chat_server: ChatServer) -> ChatServer:  # noqa: F811
    chat_server.reply = scores
    return chat_server


def reranker(server: ChatServer, tmp_path: Path, **params: Any) -> HostedReranker:
    settings = {"texts": TEXTS, "client": Client(cache=tmp_path / "llm.sqlite"), **params}
    return HostedReranker("r", server.url, **settings)


def test_conformance(server: ChatServer) -> None:
    outcomes = testing.check("reranker", rerank, params={"model": "r", "base_url": server.url})
    assert [one for one in outcomes if not one.ok] == []
    assert {one.check for one in outcomes if one.status != "passed"} == {"without-left", "num-results"}


def test_frames_and_what_is_sent(server: ChatServer, tmp_path: Path) -> None:
    given = FIRST.copy()
    one = reranker(server, tmp_path, fields={"return_documents": False})
    out = one(FIRST.assign(year=range(6)))
    pd.testing.assert_frame_equal(FIRST, given)
    assert list(out.columns) == ["qid", "query", "docno", "score", "year", "rank"]
    assert out["qid"].tolist() == ["q2"] * 4 + ["q1"] * 2
    assert out["docno"].tolist() == ["b", "c", "a", "d", "c", "a"]
    assert out["score"].tolist() == [1, 2 / 3, 0, 0, 1, 0.5]
    assert out["rank"].tolist() == [0, 1, 2, 3, 0, 1]
    sent = {body["query"]: body for body in server.bodies}
    assert sent["ferry in fog"] == {
        "model": "r",
        "query": "ferry in fog",
        "documents": sorted(TEXTS.values()),
        "return_documents": False,
    }
    assert server.headers[0]["Authorization"] == "Bearer none"
    assert list(one(FIRST.iloc[:0]).columns) == list(one(FIRST).columns)


def test_a_list_is_sent_once_in_whatever_order(server: ChatServer, tmp_path: Path) -> None:
    one = reranker(server, tmp_path)
    out = one(FIRST)
    again = reranker(server, tmp_path)
    shuffled = again(FIRST.sample(frac=1, random_state=2)).sort_values(["qid", "rank"], ascending=[False, True])
    assert shuffled["docno"].tolist() == out["docno"].tolist()
    assert len(server.bodies) == 2
    assert again.client.usage.stored == 2
    assert again.client.usage.paid_tokens == 0
    assert one.client.usage.paid_tokens == 14


def test_long_lists_and_long_provisions(server: ChatServer, tmp_path: Path) -> None:
    out = reranker(server, tmp_path, batch=3, max_characters=8)(listed("q", "lamp fog", list(TEXTS)))
    assert sorted(len(body["documents"]) for body in server.bodies) == [1, 3]
    assert {text for body in server.bodies for text in body["documents"]} == {text[:8] for text in TEXTS.values()}
    assert dict(zip(out["docno"], out["score"], strict=True)) == {"a": 0.5, "b": 0, "c": 0.5, "d": 0}


def test_titles_and_equal_texts(server: ChatServer, tmp_path: Path) -> None:
    frame = listed("q", "lamp", ["a", "b", "c"]).assign(title=["T", None, "T"], text=["lamp", "lamp", "lamp"])
    out = reranker(server, tmp_path, texts=None)(frame)
    assert server.bodies[0]["documents"] == ["T\nlamp", "lamp"]
    assert out["docno"].tolist() == ["a", "b", "c"]


def test_a_question_of_white_space_is_not_sent(server: ChatServer, tmp_path: Path) -> None:
    out = reranker(server, tmp_path)(listed("q", " \n", ["b", "a"]))
    assert out[["docno", "score"]].to_numpy().tolist() == [["a", 0.0], ["b", 0.0]]
    assert server.bodies == []


def result(*rows: object) -> bytes:
    return json.dumps({"results": rows}).encode()


class TestFaults:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b'{"results": [', r"127\.0\.0\.1 sent no JSON"),
            (b"[]", "holds no results with index and relevance_score"),
            (result([1]), "holds no results with index and relevance_score"),
            (result({"index": 0}), "holds no results with index and relevance_score"),
            (result({"index": 0, "relevance_score": 1}), "the reply has 1 results, and there were 2 documents"),
            (result(*[{"index": 0, "relevance_score": 1}] * 2), "the reply has 2 results, and there were 2 documents"),
            (result(*[{"index": n, "relevance_score": 1} for n in range(3)]), "the reply has 3 results"),
            (result(*[{"index": n, "relevance_score": "1"} for n in range(2)]), "has the score '1', which is not a"),
            (result(*[{"index": n, "relevance_score": True} for n in range(2)]), "has the score 'True', which"),
            (result(*[{"index": n, "relevance_score": float("nan")} for n in range(2)]), "has the score 'nan'"),
            (b" " * 10_000_000, "the reply has more than 4 MB"),
        ],
        ids=range(11),
    )
    def test_replies_of_no_use(self, server: ChatServer, tmp_path: Path, content: bytes, reason: str) -> None:
        server.reply = lambda handler, body: handler.send(200, content)
        frame = listed("q", "lamp", ["a", "b"])
        with pytest.raises(ModelError, match=rf"^r on 127\.0\.0\.1: .*{reason}"):
            reranker(server, tmp_path, retries=0)(frame)
        server.reply = scores
        assert len(reranker(server, tmp_path)(frame)) == 2, "nothing of it was stored"

    def test_no_server(self, server: ChatServer, tmp_path: Path) -> None:
        one = reranker(server, tmp_path, retries=0)
        server.server_close()
        with pytest.raises(ModelError, match="rerank: http://127"):
            one(FIRST)


def test_in_an_expression(server: ChatServer, tmp_path: Path) -> None:
    client = Client(cache=tmp_path / "llm.sqlite")
    opened = legalir.Collection("legalir/firecode", cache=tmp_path / "cache", client=client)
    found = opened.search("창문 없는 층의 기준은?", f'bm25 % 5 >> rerank("r", base_url="{server.url}")', k=3)
    best = found.explain()[0]
    assert best.is_whole()
    assert best.parts[0].label == "score by r on 127.0.0.1"
    assert "before" in best.parts[1].label
    assert len(server.bodies) == 1
    assert len(server.bodies[0]["documents"]) == 5
    url = f'"r", base_url="{server.url}"'
    with pytest.raises(ExpressionError, match="rerank: passage"):
        opened.pipeline(f"bm25 >> rerank({url}, passage=32)")
    with pytest.raises(ExpressionError, match="rerank: key"):
        opened.pipeline('bm25 >> rerank("r", key="ACME_API_KEY")')


@pytest.mark.parametrize(
    "wrong",
    [{"batch": 0}, {"max_characters": 0}, {"concurrency": 0}, {"timeout": 0}, {"fields": {"query": ""}}],
    ids=str,
)
def test_wrong_parameters(server: ChatServer, tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ComponentError, match=f"rerank: {next(iter(wrong))}"):
        reranker(server, tmp_path, **wrong)
