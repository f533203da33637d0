"""Hosted encoders, against a server on this machine that may misbehave."""

from __future__ import annotations

import json
import logging
import threading
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer, Handler, chat_server  # noqa: F401  (a fixture)
from hosted_server import Body, embeddings, vector
from refusals import refused

import legalir
from legalir import testing
from legalir.dense.encoders import get_encoder
from legalir.dense.hosted import HostedEncoder, _shares, read_embeddings
from legalir.errors import ComponentError, ModelError
from legalir.experiments import run
from legalir.experiments.experiment import REPLIES
from legalir.llm.chat import FailedReply
from legalir.llm.client import Client
from legalir.testing.sandbox import Echo

KEY = "sk-of-the-test-4711"
TEXTS = ["등불을 켠다.", "A ferry carries passengers.", "แพ ต้อง มี โคมไฟ"]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("openai._base_client", reason="pip install 'legalir[llm]'")
    monkeypatch.setattr(client, "INITIAL_RETRY_DELAY", 0.001)
    monkeypatch.setattr(client, "MAX_RETRY_DELAY", 0.001)
    for name in ("OPENAI_API_KEY", "OPENAI_API_KEY_FILE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(name="server")
def the_server(chat_server: ChatServer) -> ChatServer:  # noqa: F811
    chat_server.reply = embeddings
    return chat_server


def encoder(server: ChatServer, tmp_path: Path, **params: Any) -> HostedEncoder:
    client = params.pop("client", None) or Client(cache=tmp_path / "llm.sqlite")
    return HostedEncoder("e", base_url=server.url, client=client, **params)


def unit(text: str, dimensions: int = 8) -> Any:
    row = np.array(vector(text, dimensions))
    return row / np.linalg.norm(row)


def test_conformance(server: ChatServer) -> None:
    outcomes = testing.check("encoder", "openai", params={"model": "e", "base_url": server.url, "batch": 5})
    assert [one for one in outcomes if not one.ok] == []
    missing = {one.check for one in outcomes if one.status != "passed"}
    assert missing == {"fitted-vectors", "restored-encoder"}


def test_what_is_sent_and_what_comes_back(server: ChatServer, tmp_path: Path) -> None:
    one = encoder(server, tmp_path, batch=2, query_prompt="query: ", query_fields={"task": "retrieval.query"})
    np.testing.assert_allclose(one.encode(TEXTS), [unit(text) for text in TEXTS], atol=1e-6)
    assert sorted((body["input"] for body in server.bodies), key=len, reverse=True) == [TEXTS[:2], TEXTS[2:]]
    assert all(body["model"] == "e" and "task" not in body for body in server.bodies)
    np.testing.assert_allclose(one.encode_queries(TEXTS[:1]), [unit(f"query: {TEXTS[0]}")], atol=1e-6)
    assert server.bodies[-1]["task"] == "retrieval.query"
    assert {header["Authorization"] for header in server.headers} == {"Bearer none"}


def test_dimensions_prompts_and_characters(server: ChatServer, tmp_path: Path) -> None:
    one = encoder(server, tmp_path, dimensions=4, document_prompt="d: ", max_characters=6)
    np.testing.assert_allclose(one.encode(["abcdef"]), [unit("d: abc", 4)], atol=1e-6)
    assert server.bodies[0]["dimensions"] == 4
    assert one.encode([]).shape == one.encode(["  "])[:0].shape == (0, 4)
    assert len(server.bodies) == 1, "the dimension is known"


def test_a_text_is_asked_for_once_whatever_its_batch(server: ChatServer, tmp_path: Path) -> None:
    first = encoder(server, tmp_path)
    vectors = first.encode(TEXTS)
    again = encoder(server, tmp_path)
    done: list[int] = []
    same = again.encode_counted(
        [TEXTS[2], " ", TEXTS[0], TEXTS[0], unicodedata.normalize("NFD", TEXTS[0])], done.append
    )
    assert len(server.bodies) == 1
    np.testing.assert_array_equal(same, [vectors[2], np.zeros(8), vectors[0], vectors[0], vectors[0]])
    assert sum(done) == 5
    again.encode([*TEXTS, "another"])
    assert [body["input"] for body in server.bodies] == [TEXTS, ["another"]]


def test_tokens_of_a_batch_are_divided(server: ChatServer, tmp_path: Path) -> None:
    client = Client(cache=tmp_path / "llm.sqlite")
    encoder(server, tmp_path, client=client).encode(TEXTS)
    assert (client.usage.asked, client.usage.stored, client.usage.paid_tokens) == (3, 0, 30)
    assert client.usage.models == {"e": "127.0.0.1"}
    encoder(server, tmp_path, client=client).encode(TEXTS)
    assert (client.usage.asked, client.usage.stored, client.usage.paid_tokens) == (3, 3, 30)
    assert client.usage.prompt_tokens == 60
    assert _shares(10, ["a", "bb", ""]) == [3, 7, 0]
    assert _shares(10, [""]) == [0]
    with pytest.raises(ModelError, match=r"30.*max_tokens_total=30"):
        client.max_tokens_total = 30
        encoder(server, tmp_path, client=client).encode(["another"])


def test_requests_at_once(server: ChatServer, tmp_path: Path) -> None:
    both = threading.Barrier(3, timeout=10)

    def wait(handler: Handler, body: Body) -> Body:
        both.wait()
        return embeddings(handler, body)

    server.reply = wait
    encoder(server, tmp_path, batch=1, concurrency=3).encode([f"{number}" for number in range(9)])
    assert server.most == 3


class TestFaults:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b'{"data": [', r"127\.0\.0\.1 sent no JSON: "),
            (b"[]", "the reply holds no embeddings"),
            (b'{"data": [{"embedding": "x"}]}', "the reply holds no embeddings"),
            (b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}', "2 vectors, .* 1 texts"),
            (b'{"data": [{"embedding": []}]}', "empty, .*not finite"),
            (b'{"data": [{"embedding": [1, NaN]}]}', "empty, .*not finite"),
            (b'{"data": [{"embedding": "AADAfw=="}]}', "empty, .*not finite"),
            (b" " * 10_000_000, "more than 4 MB"),
        ],
        ids=range(8),
    )
    def test_replies_of_no_use(self, server: ChatServer, tmp_path: Path, content: bytes, reason: str) -> None:
        server.reply = lambda handler, body: handler.send(200, content)
        one = encoder(server, tmp_path, retries=0)
        with pytest.raises(ModelError, match=rf"^e on 127\.0\.0\.1: .*{reason}"):
            one.encode(["text"])
        server.reply = embeddings
        assert one.encode(["text"]).shape == (1, 8), "nothing of it was stored"

    def test_what_was_paid_is_stored(self, server: ChatServer, tmp_path: Path) -> None:
        def reply(handler: Handler, body: Body) -> Body | None:
            return handler.fail(500, message="no") if "bad" in body["input"] else embeddings(handler, body)

        server.reply = reply
        one = encoder(server, tmp_path, batch=1, concurrency=1, retries=0)
        with pytest.raises(ModelError, match="answered 500"):
            one.encode(["a", "b", "bad", "c"])
        paid = {body["input"][0] for body in server.bodies} - {"bad"}
        assert {"a", "b"} <= paid
        server.reply, server.bodies = embeddings, []
        one.encode(["a", "b", "bad", "c"])
        assert {body["input"][0] for body in server.bodies} == {"bad", "c"} - paid

    def test_another_dimension(self, server: ChatServer, tmp_path: Path) -> None:
        def reply(handler: Handler, body: Body) -> Body:
            return {"data": [{"embedding": vector(text, len(text))} for text in body["input"]]}

        server.reply = reply
        one = encoder(server, tmp_path)
        one.encode(["four"])
        for texts in (["three", "four"], ["three"]):
            with pytest.raises(ModelError, match=r"4.*5"):
                one.encode(texts)
        with pytest.raises(ModelError, match="vectors of 3 and of 4"):
            encoder(server, tmp_path, dimensions=3).encode(["four"])

    def test_a_text_that_is_too_long(self, server: ChatServer, tmp_path: Path) -> None:
        server.reply = lambda handler, body: handler.fail(
            400, message="This model's maximum context length is 8 tokens"
        )
        with pytest.raises(ModelError, match=r"8.*max_characters="):
            encoder(server, tmp_path).encode(["text"])

    def test_a_wrong_key_is_shown_nowhere(
        self, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setenv("ACME_API_KEY", KEY)
        server.reply = lambda handler, body: handler.fail(401, message=f"Incorrect API key provided: {KEY}")
        one = encoder(server, tmp_path, key="ACME_API_KEY")
        with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as caught:
            one.encode(TEXTS)
        assert (
            str(caught.value)
            == "openai: 127.0.0.1 answered 401: Incorrect API key provided: …: check the key in $ACME_API_KEY."
        )
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert KEY not in caplog.text + repr(one) + one.name
        assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


class TestWhereTextsGo:
    def test_the_host_is_printed_once(
        self, server: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("legalir.llm.client._told", set())
        one = encoder(server, tmp_path, batch=1)
        one.encode(TEXTS)
        assert caplog.text.count("Questions and provisions are sent to 127.0.0.1 (model e).") == 1

    def test_offline(self, server: ChatServer, tmp_path: Path) -> None:
        encoder(server, tmp_path).encode(TEXTS)
        offline = encoder(server, tmp_path, client=Client(cache=tmp_path / "llm.sqlite", offline=True))
        offline.encode(TEXTS)
        with pytest.raises(ModelError, match=r"'embeddings'.*'new'"):
            offline.encode(["new"])
        assert len(server.bodies) == 1


def test_a_dense_index_and_its_encoder_by_name(server: ChatServer, tmp_path: Path) -> None:
    client = Client(Echo(), cache=tmp_path / "llm.sqlite")
    opened = legalir.Collection("legalir/firecode", cache=tmp_path / "cache", client=client)
    spec = f"openai(model='e', base_url='{server.url}')"
    found = opened.search("창문 없는 층", f'dense("{spec}")', k=3)
    assert len(found) == 3
    asked = len(server.bodies)
    name = HostedEncoder("e", base_url=server.url, client=client).name
    assert get_encoder(name, opened) == get_encoder(spec, opened)
    again = legalir.Collection("legalir/firecode", cache=tmp_path / "cache", client=client)
    assert again.search("창문 없는 층", f'dense("{spec}")', k=3)["docno"].tolist() == found["docno"].tolist()
    assert len(server.bodies) == asked
    # Another state of the collection, or another index, takes the vectors from the cache.
    other = legalir.Collection("legalir/firecode", cache=tmp_path / "other", client=client)
    assert other.search("창문 없는 층", f'dense("{spec}")', k=3)["docno"].tolist() == found["docno"].tolist()
    assert len(server.bodies) == asked


def test_an_experiment_is_replayed_elsewhere(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "statutes"
    folder.mkdir()
    lines = [json.dumps({"docno": f"d{number}", "text": text}) for number, text in enumerate(TEXTS)]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "queries.jsonl").write_text(json.dumps({"qid": "q", "query": "등불"}), encoding="utf-8")
    (folder / "qrels.txt").write_text("q 0 d0 1\n", encoding="utf-8")
    spec = f"openai(model='e', base_url='{server.url}')"
    definition = {"dataset": str(folder), "systems": {"hosted": f'dense("{spec}")'}, "measures": ["RR"]}
    runs = []
    for place in ("one", "two"):
        out = tmp_path / place
        out.mkdir()
        if runs:  # Elsewhere: only the replies, an empty cache, and no server.
            (out / REPLIES).write_bytes((tmp_path / "one" / REPLIES).read_bytes())
        monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / f"home-{place}"))
        client = Client(cache=tmp_path / f"{place}.sqlite", offline=bool(runs))
        run(definition, out, client=client, latency_queries=0)
        runs.append([(out / name).read_bytes() for name in ("runs/hosted.trec", "table.tsv", REPLIES)])
        assert [len(body["input"]) for body in server.bodies] == [3, 1]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("dimensions", 0),
        ("batch", 0),
        ("max_characters", 0),
        ("concurrency", 0),
        ("timeout", 0),
        ("query_prompt", 3),
    ],
)
def test_wrong_parameters(server: ChatServer, tmp_path: Path, parameter: str, value: int) -> None:
    with refused("openai", parameter, value):
        encoder(server, tmp_path, **{parameter: value})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"query_fields": {"input": []}}, "query_fields .*'input'"),
        ({"document_fields": {"a": {1}}}, r"document_fields=\{'a': \{1\}\}"),
        ({"document_fields": ["a"]}, r"document_fields=\['a'\]"),
    ],
    ids=str,
)
def test_wrong_fields(server: ChatServer, tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        encoder(server, tmp_path, **wrong)


def test_the_fingerprint_is_that_of_the_model_and_what_changes_vectors(server: ChatServer, tmp_path: Path) -> None:
    one = encoder(server, tmp_path)
    assert one == encoder(server, tmp_path, batch=1, timeout=3)
    assert one == HostedEncoder("e", client=Client(cache=tmp_path / "llm.sqlite"))
    for changed in ({"dimensions": 4}, {"query_prompt": "q"}, {"document_fields": {"a": 1}}, {"max_characters": 9}):
        assert one.fingerprint != encoder(server, tmp_path, **changed).fingerprint


def test_vectors_in_another_order() -> None:
    body = {"data": [{"index": 1, "embedding": [2, 0.5]}, {"index": 0, "embedding": "AACAPwAAAAA="}]}
    assert [row.tolist() for row in read_embeddings(body, 2)] == [[1, 0], [2, 0.5]]
    with pytest.raises(FailedReply, match=r"2 vectors, .* 2 texts"):
        read_embeddings({"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [1]}]}, 2)
