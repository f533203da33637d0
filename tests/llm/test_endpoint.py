"""An OpenAI-compatible endpoint that misbehaves, on this machine."""

from __future__ import annotations

import gzip
import json
import logging
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Handler, chat_server, completion, until  # noqa: F401  (a fixture)

from legalir.errors import ComponentError, ModelError
from legalir.llm import endpoint as module
from legalir.llm.chat import ChatRequest, FailedReply
from legalir.llm.client import Client
from legalir.llm.endpoint import BadRequest, Endpoint, OpenAIChat, openai
from legalir.llm.prompts import load_prompt

KEY = "sk-of-the-test-4711"
REQUEST = ChatRequest((("system", "Be brief."), ("user", "등불은?")), seed=3, max_tokens=20, prompt="hyde")
Body = dict[str, Any]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("openai._base_client", reason="pip install 'legalir[llm]'")
    monkeypatch.setattr(client, "INITIAL_RETRY_DELAY", 0.001)
    monkeypatch.setattr(client, "MAX_RETRY_DELAY", 0.001)
    for name in ("OPENAI_API_KEY", "OPENAI_API_KEY_FILE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(name="server")
def the_server(chat_server: ChatServer) -> ChatServer:  # noqa: F811
    return chat_server


def a_model(server: ChatServer, **options: Any) -> OpenAIChat:
    return openai(None, model="m", base_url=server.url, **options)


def failure(server: ChatServer, request: ChatRequest = REQUEST, **options: Any) -> FailedReply:
    with pytest.raises(FailedReply) as caught:
        a_model(server, **options).chat(request)
    return caught.value


class TestRequest:
    def test_what_is_sent(self, server: ChatServer) -> None:
        reply = a_model(server).chat(REQUEST)
        assert (reply.text, reply.model, reply.prompt_tokens, reply.completion_tokens) == ("At dusk.", "m-2031", 7, 5)
        assert reply.seconds > 0
        assert server.bodies == [
            {
                "model": "m",
                "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "등불은?"}],
                "temperature": 0.0,
                "seed": 3,
                "max_tokens": 20,
            }
        ]
        assert server.headers[0]["Authorization"] == "Bearer none"
        assert server.headers[0]["Accept-Encoding"] == "identity"

    def test_schema_and_alternatives(self, server: ChatServer) -> None:
        schema = {"type": "object", "properties": {"a": {"type": "string", "default": ""}}}
        a_model(server).chat(ChatRequest(REQUEST.messages, schema, logprobs=2, prompt="hyde"))
        a_model(server).chat(ChatRequest(REQUEST.messages, schema))
        first, second = server.bodies
        strict = {"type": "object", "properties": {"a": {"type": "string"}}}
        strict |= {"required": ["a"], "additionalProperties": False}
        wrapped = {"name": "hyde", "strict": True, "schema": strict}
        assert first["response_format"] == {"type": "json_schema", "json_schema": wrapped}
        assert (first["logprobs"], first["top_logprobs"]) == (True, 2)
        assert second["response_format"]["json_schema"]["name"] == "reply"


class TestAddress:
    def test_the_address_of_the_environment(self, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
        assert openai(None, model="m").host == "api.openai.com"
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert openai(None, model="m").host == "127.0.0.1"
        openai(None, model="m").chat(REQUEST)
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        # A key goes only where the user sends it.
        a_model(server).chat(REQUEST)
        assert server.headers[1]["Authorization"] == "Bearer none"

    @pytest.mark.parametrize(
        "url",
        ["api.example.org/v1", "ftp://example.org", "http://", f"https://{KEY}@example.org", f"https://x:{KEY}@x.org"],
    )
    def test_what_is_not_one(self, url: str) -> None:
        with pytest.raises(ModelError, match="base_url") as caught:
            openai(None, model="m", base_url=url)
        assert KEY not in str(caught.value)

    @pytest.mark.parametrize("wrong", [{"timeout": 0}, {"retries": -1}, {"concurrency": 0}, {"retries": 1.5}], ids=str)
    def test_wrong_parameters(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(ComponentError, match=next(iter(wrong))):
            openai(None, model="m", **wrong)

    def test_no_endpoint(self, server: ChatServer) -> None:
        url = server.url
        server.server_close()
        with pytest.raises(ModelError, match=rf"{url} .*base_url") as one:
            openai(None, model="m", base_url=url, retries=1).chat(REQUEST)
        assert not isinstance(one.value, FailedReply)

    def test_redirects_are_not_followed(self, server: ChatServer) -> None:
        server.reply = lambda handler, body: handler.send(307, b"", Location="http://api.example.org/v1")
        assert str(failure(server)).startswith("127.0.0.1 answered 307")


class TestKey:
    def test_a_wrong_key_is_shown_nowhere(
        self,
        server: ChatServer,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("ACME_API_KEY", KEY)

        def reply(handler: Handler, body: Body) -> None:
            handler.fail(401, message=f"Incorrect API key provided: {KEY}", code="invalid_api_key")

        server.reply = reply
        client = Client(f"openai(model='m', base_url={server.url!r}, key='ACME_API_KEY')", cache=tmp_path / "c.sqlite")
        with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as caught:
            client.ask(load_prompt("hyde", "en"), [{"question": str(number)} for number in range(3)])
        words = "Incorrect API key provided: …"
        assert str(caught.value) == f"openai: 127.0.0.1 answered 401: {words}: check the key in $ACME_API_KEY."
        assert len(server.bodies) == 1
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        error: BaseException | None = caught.value
        while error is not None:
            assert KEY not in repr(error) + str(error)
            error = error.__cause__
        assert KEY not in caplog.text + "".join(capfd.readouterr()) + repr(client.model()) + repr(client.usage)
        assert KEY not in repr(client.model().endpoint)  # type: ignore[attr-defined]
        client.write_replies(tmp_path / "replies.jsonl")
        assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    @pytest.mark.parametrize("status", [401, 403])
    def test_a_key_that_is_missing(self, server: ChatServer, status: int) -> None:
        server.reply = lambda handler, body: handler.fail(status, message="no key")
        with pytest.raises(ModelError, match=rf"answered {status}.* key="):
            a_model(server).chat(REQUEST)

    def test_a_key_in_a_file(self, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "key").write_text(f"{KEY}\n", encoding="utf-8")
        monkeypatch.setenv("ACME_API_KEY_FILE", str(tmp_path / "key"))
        monkeypatch.setenv("ACME_API_KEY", "another")
        a_model(server, key="ACME_API_KEY").chat(REQUEST)
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        server.reply = lambda handler, body: handler.fail(401, message="no")
        with pytest.raises(ModelError, match=r"401.*\$ACME_API_KEY_FILE"):
            a_model(server, key="ACME_API_KEY").chat(REQUEST)
        for content in (None, b"\xff"):
            if content is None:
                (tmp_path / "key").unlink()
            else:
                (tmp_path / "key").write_bytes(content)
            with pytest.raises(ModelError, match=r"\$ACME_API_KEY_FILE"):
                a_model(server, key="ACME_API_KEY").chat(REQUEST)

    @pytest.mark.parametrize("value", ["", "  ", None])
    def test_a_variable_without_one(
        self, server: ChatServer, monkeypatch: pytest.MonkeyPatch, value: str | None
    ) -> None:
        if value is not None:
            monkeypatch.setenv("ACME_API_KEY", value)
        with pytest.raises(ModelError, match=r"\$ACME_API_KEY.*127\.0\.0\.1"):
            a_model(server, key="ACME_API_KEY").chat(REQUEST)

    @pytest.mark.parametrize("value", [f"{KEY}\nX-Header: 1", f"{KEY} {KEY}", f"{KEY}é"])
    def test_what_is_not_a_key(self, server: ChatServer, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
        monkeypatch.setenv("ACME_API_KEY", value)
        with pytest.raises(ModelError, match=r"\$?ACME_API_KEY") as caught:
            a_model(server, key="ACME_API_KEY").chat(REQUEST)
        assert KEY not in str(caught.value)
        assert server.bodies == []

    @pytest.mark.parametrize("key", [KEY, "PATH", "acme_api_key", "_API_KEY"])
    def test_what_is_not_a_variable(self, key: str) -> None:
        with pytest.raises(ModelError, match=r"^openai: key ") as caught:
            openai(None, model="m", key=key)
        assert KEY not in str(caught.value)

    @pytest.mark.parametrize("shown", [KEY, f"{KEY[:8]}****{KEY[-4:]}", "sk-another-key-1234", f"Bearer {KEY}"])
    def test_an_endpoint_that_repeats_the_key(
        self, server: ChatServer, monkeypatch: pytest.MonkeyPatch, shown: str
    ) -> None:
        monkeypatch.setenv("ACME_API_KEY", KEY)
        server.reply = lambda handler, body: handler.fail(400, message=f"bad: {shown}")
        with pytest.raises(BadRequest, match=r"request: bad: (Bearer )?…$"):
            a_model(server, key="ACME_API_KEY").chat(REQUEST)


class Faults:
    """Fails in turn, then answers."""

    def __init__(self, *faults: Any) -> None:
        self.faults = list(faults)

    def __call__(self, handler: Handler, body: Body) -> object:
        if not self.faults:
            return completion()
        return self.faults.pop(0)(handler)


def cut(handler: Handler) -> None:
    """Break off in the middle of a reply."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def status(code: int, **headers: str) -> Any:
    return lambda handler: handler.send(code, b'{"error": {"message": "later"}}', **headers)


class TestRetries:
    @pytest.mark.parametrize(
        "faults",
        [
            *([status(429, Retry_After="0")] * 2, [status(429)] * 2, [status(429, Retry_After="0.01")] * 2),
            *([status(500)] * 3, [status(502), status(503)], [cut], [status(408), cut, status(500), status(429)]),
        ],
        ids=range(7),
    )
    def test_a_fault_that_passes(self, server: ChatServer, faults: list[Any]) -> None:
        server.reply = Faults(*faults)
        assert a_model(server).chat(REQUEST).text == "At dusk."
        assert len(server.bodies) == len(faults) + 1
        assert all(body == server.bodies[0] for body in server.bodies)

    @pytest.mark.parametrize(
        ("fault", "reason"),
        [
            (status(429), "127.0.0.1 answered 429: later"),
            (status(500), "127.0.0.1 answered 500: later"),
            (cut, "127.0.0.1 broke off its reply"),
        ],
        ids=["429", "500", "cut"],
    )
    def test_a_fault_that_stays(self, server: ChatServer, fault: Any, reason: str) -> None:
        server.reply = Faults(*[fault] * 9)
        failed = failure(server, retries=2)
        assert (failed.state, str(failed)) == ("unavailable", reason)
        assert len(server.bodies) == 3

    def test_a_pause_that_is_too_long(self, server: ChatServer) -> None:
        server.reply = Faults(status(429, Retry_After="86400"))
        assert str(failure(server)) == "127.0.0.1 answered 429: later"
        assert len(server.bodies) == 1

    def test_a_time_limit(self, server: ChatServer) -> None:
        go_on = threading.Event()
        server.reply = lambda handler, body: go_on.wait(20) and None
        assert str(failure(server, timeout=0.05, retries=1)) == "127.0.0.1 gave no reply in 0.05 seconds"
        go_on.set()
        # The server may read the second request after the client has given up.
        until(lambda: len(server.bodies) == 2)


class TestReplies:
    def test_a_large_reply_is_not_read(self, server: ChatServer) -> None:
        sent = []

        def endless(handler: Handler, body: Body) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(10**9))
            handler.end_headers()
            while True:
                sent.append(handler.wfile.write(b" " * 1_000_000))

        server.reply = endless
        failed = failure(server)
        assert (failed.state, str(failed)) == ("unavailable", "the reply has more than 4 MB")
        assert len(server.bodies) == 1, "it is not asked for again"
        assert sum(sent) < 20_000_000

    def test_a_compressed_reply(self, server: ChatServer) -> None:
        content = gzip.compress(json.dumps(completion()).encode())
        server.reply = lambda handler, body: handler.send(200, content, Content_Encoding="gzip")
        assert str(failure(server)) == "the reply is compressed, although that was not asked for"
        assert len(server.bodies) == 1

    @pytest.mark.parametrize("content", [b'{"choices": [', b"", b"\xff\xfe", b"[" * 100_000, b"NaN"], ids=len)
    def test_json_that_is_broken(self, server: ChatServer, content: bytes) -> None:
        server.reply = lambda handler, body: handler.send(200, content)
        assert failure(server).state in ("unavailable", "empty")

    @pytest.mark.parametrize(
        "answer", [{}, {"choices": []}, {"choices": [{"message": None}]}, [1], {"error": "x"}, "text"], ids=str
    )
    def test_json_of_another_schema(self, server: ChatServer, answer: object) -> None:
        server.reply = lambda handler, body: answer
        assert failure(server).state == "unavailable"

    STREAM = (
        b'data: {"choices": [{"delta": {"content": "At "}}]}\n\ndata: {"choices": [{"delta": {"content": "dusk."}}]}'
    )

    @pytest.mark.parametrize(
        ("content", "label"),
        [
            (json.dumps(completion()).encode(), "text/plain"),
            (b"\xef\xbb\xbf" + json.dumps(completion("At dusk.")).encode(), "text/html"),
            (STREAM + b"\n\ndata: [DONE]\n", "text/event-stream"),
            (b": keep-alive\n\n" + STREAM, "application/json"),
        ],
    )
    def test_json_under_another_label(self, server: ChatServer, content: bytes, label: str) -> None:
        server.reply = lambda handler, body: handler.send(200, content, Content_Type=label)
        assert a_model(server).chat(REQUEST).text == "At dusk."

    @pytest.mark.parametrize(
        ("body", "state", "words"),
        [
            (
                {"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": "Slow down"}}},
                "",
                "Slow",
            ),
            (
                {"error": {"message": "prompt is too long: 9 tokens > 5 maximum"}, "choices": None},
                "too_long",
                "9 tokens",
            ),
            ({"error": {"message": "Your input was flagged", "code": 403}}, "filtered", "flagged"),
            ({"code": 1302, "msg": "busy"}, "", "busy"),
            ("<html><style>p {}</style><title>502</title><p>Bad gateway</p></html>", "", "502 Bad gateway"),
        ],
        ids=range(5),
    )
    def test_an_error_in_a_200(self, server: ChatServer, body: object, state: str, words: str) -> None:
        content = body if isinstance(body, str) else json.dumps(body)
        server.reply = lambda handler, body: handler.send(200, content.encode())
        failed = failure(server)
        assert failed.state == (state or "unavailable")
        assert words in str(failed)

    def test_a_reply_that_drips(self, server: ChatServer) -> None:
        def drip(handler: Handler, body: Body) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            for _ in range(1000):
                handler.wfile.write(b" ")
                time.sleep(0.01)

        server.reply = drip
        assert "no reply in 0.1 seconds" in str(failure(server, timeout=0.1, retries=0))


LONG = (
    "prompt is too long: 9001 tokens > 4096 maximum",
    "input length and `max_tokens` exceed context limit: 9001 + 20 > 4096, decrease input length or `max_tokens`",
    "Input is too long for requested model (9001).",
    "This model's maximum prompt length is 4096 but the request contains 9001 tokens.",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9001 `inputs` tokens",
    "Input validation error: `inputs` must have less than 4096 tokens. Given: 9001",
    "prompt token count of 9001 exceeds the limit of 4096",
    "Invalid request: Your request exceeded model token limit: 4096 (requested: 9001)",
    "too many tokens: total number of tokens in the prompt cannot exceed 4096 - received 9001.",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 4096], not 9001",
    "Text too long (9001)",
    "The input token count (9001) exceeds the maximum number of tokens allowed (4096).",
    "Please reduce the length of the messages or completion (9001).",
    "length of prompt_tokens (9001) must be less than max_seq_len (4096).",
    "The decoder prompt (length 9001) is longer than the maximum model length of 4096.",
    "The input (9001 tokens) is longer than the model's context length (4096 tokens).",
    "Prompt length (9001) exceeds maximum input length (4096).",
    "the request exceeds the model's window: prompt too long; exceeded max context length by 9001 tokens",
    "Trying to keep the first 9001 tokens when context the overflows.",
    "Prompt contains 9001 tokens, too large for model with 4096 maximum context length",
    "输入内容过长：9001",
)
"""What servers say about a request that is too long, in the words that they are known for."""


class TestRefused:
    @pytest.mark.parametrize(
        "error",
        [
            {
                "message": "This model's maximum context length is 4096 tokens. However, you requested 9001 tokens.",
                "code": "context_length_exceeded",
            },
            {
                "message": "the request exceeds the available context size, 9001 tokens",
                "type": "exceed_context_size_error",
            },
            {"message": "Input of 9001 is above the maximum number of tokens"},
            *({"message": message} for message in LONG),
        ],
        ids=range(3 + len(LONG)),
    )
    def test_a_request_that_is_too_long(self, server: ChatServer, error: Body) -> None:
        server.reply = lambda handler, body: handler.fail(400, **error)
        failed = failure(server)
        assert failed.state == "too_long"
        assert "9001" in str(failed)

    @pytest.mark.parametrize(
        "error",
        [
            {"message": "filtered", "code": "content_filter"},
            {"message": "The response was filtered due to our content management policy."},
        ],
        ids=["code", "message"],
    )
    def test_a_content_filter(self, server: ChatServer, error: Body) -> None:
        server.reply = lambda handler, body: handler.fail(400, **error)
        assert failure(server).state == "filtered"

    @pytest.mark.parametrize(
        ("status", "message", "state"),
        [
            (413, "Request Entity Too Large", "too_long"),
            (429, "Request too large for m on tokens per min: Limit 6000, Requested 9001", "too_long"),
            (429, "Rate limit reached for m on tokens per minute: Limit 6000, Used 5900", "unavailable"),
            (429, "Quota exceeded for requests per minute, please retry in 3 s", "unavailable"),
            (400, "max_tokens is too large: 9001. This model supports at most 4096 completion tokens", "BadRequest"),
            (403, 'Your input was flagged for "violence".', "filtered"),
            (400, "Content Exists Risk", "filtered"),
            (404, "model 'm' not found, try pulling it", "base_url"),
            (402, "Insufficient Balance", "Insufficient Balance.*account"),
            (429, "You exceeded your current quota, please check your plan", "account"),
            (403, "Insufficient credits", "account"),
            (400, "Your credit balance is too low", "account"),
        ],
    )
    def test_other_refusals(self, server: ChatServer, status: int, message: str, state: str) -> None:
        server.reply = lambda handler, body: handler.fail(status, message=message)
        with pytest.raises(ModelError, match=re.escape(message[:20])) as caught:
            a_model(server, retries=2).chat(REQUEST)
        expected = state if isinstance(caught.value, FailedReply) else type(caught.value).__name__
        assert getattr(caught.value, "state", expected) == expected
        if expected != state:
            assert re.search(state, str(caught.value))
        again = (3 if status == 429 and state == "unavailable" else 1) + (state == "BadRequest")
        assert len(server.bodies) == again, "what cannot succeed is not tried again"

    @pytest.mark.parametrize(
        ("code", "content", "reason"),
        [
            (400, b"no such\n tool", "no such tool"),
            (400, b'{"error": "no such tool"}', "no such tool"),
            (400, b'{"object": "error", "message": "no such \\u001b[31mtool"}', "no such .*tool"),
            (
                422,
                b'{"detail": [{"loc": ["body", "x"], "msg": "field required", "input": 3}]}',
                "body.x; field required$",
            ),
            (422, b"", "without a reason"),
        ],
    )
    def test_another_fault_of_the_request(self, server: ChatServer, code: int, content: bytes, reason: str) -> None:
        server.reply = lambda handler, body: handler.send(code, content)
        with pytest.raises(BadRequest, match=rf"127\.0\.0\.1.*{reason}"):
            a_model(server).chat(REQUEST)
        assert len(server.bodies) == 1

    def test_parameters_that_a_model_does_not_know(self, server: ChatServer) -> None:
        """As the reasoning models of OpenAI: another name of max_tokens, one temperature; here no schema, either."""

        def reply(handler: Handler, body: Body) -> object:
            for name in ("max_tokens", "temperature", "response_format"):
                if name in body:
                    handler.fail(400, message=f"Unsupported parameter: {name!r}", param=name, code="unsupported")
                    return None
            return completion()

        server.reply = reply
        model = a_model(server)
        request = ChatRequest(REQUEST.messages, {"type": "object"}, max_tokens=20)
        assert model.chat(request).text == "At dusk."
        assert len(server.bodies) == 4
        assert server.bodies[-1].keys() == {"model", "messages", "seed", "max_completion_tokens"}
        assert server.bodies[-1]["max_completion_tokens"] == 20
        model.chat(request)
        assert len(server.bodies) == 5, "it is known by now"

    def test_a_parameter_is_left_out_for_one_schema_with_a_message(
        self, server: ChatServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        def reply(handler: Handler, body: Body) -> object:
            asked = body["messages"][-1]["content"]
            if "grown" in asked:  # It repeats a question in which a parameter has a place.
                return handler.fail(400, message=f"cannot parse: {asked}")
            if "beta" in str(body.get("response_format")):
                return handler.fail(400, message="Provider returned error")
            return completion()

        server.reply = reply
        model = a_model(server)
        first, second, third = (
            {"type": "object", "properties": {name: {"type": "integer"}}} for name in ("alpha", "beta", "gamma beta")
        )
        for schema, left in ((first, ()), (second, ("response_format",)), (first, ()), (second, ("response_format",))):
            assert model.chat(ChatRequest(REQUEST.messages, schema)).omitted == left
        assert len(caplog.messages) == 1
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(model.chat, [ChatRequest(REQUEST.messages, third)] * 12))
        assert len(caplog.messages) == 2, "once for a schema, however many requests are under way"
        assert all(one.omitted == ("response_format",) for one in replies), "each reply has it"
        question = "At which temperature is a seed sown that has grown?"
        with pytest.raises(BadRequest):
            model.chat(ChatRequest((("user", question),), prompt="hyde"))
        assert model.chat(REQUEST).omitted == ()
        assert {"temperature", "seed"} < server.bodies[-1].keys()

    def test_a_model_without_the_role_system(self, server: ChatServer) -> None:
        def reply(handler: Handler, body: Body) -> object:
            if body["messages"][0]["role"] == "system":
                return handler.fail(400, message="System role not supported")
            return completion()

        server.reply = reply
        assert a_model(server).chat(REQUEST).omitted == ("system",)
        assert server.bodies[-1]["messages"] == [{"role": "user", "content": "Be brief.\n\n등불은?"}]

    def test_further_fields(self, server: ChatServer) -> None:
        model = a_model(server, body={"reasoning_effort": "low", "temperature": None, "seed": 5})
        assert model.chat(REQUEST).text == "At dusk."
        assert server.bodies[0].keys() == {"model", "messages", "max_tokens", "reasoning_effort", "seed"}
        assert server.bodies[0]["seed"] == 5
        assert model.name.startswith("m@")
        with pytest.raises(ComponentError, match="messages"):
            a_model(server, body={"messages": []})

    def test_nothing_more_is_sent_where_nothing_can_succeed(self, server: ChatServer) -> None:
        server.reply = lambda handler, body: handler.fail(402, message="Insufficient Balance")
        model = a_model(server)

        def fault(request: ChatRequest) -> str:
            with pytest.raises(ModelError) as caught:
                model.chat(request)
            return str(caught.value)

        with ThreadPoolExecutor(4) as pool:
            assert all("Insufficient Balance" in one for one in pool.map(fault, [REQUEST] * 4))
        assert len(server.bodies) < 4

    def test_a_parameter_that_is_refused_again(self, server: ChatServer) -> None:
        server.reply = lambda handler, body: handler.fail(400, message="seed: no", param="seed")
        with pytest.raises(BadRequest, match="seed: no"):
            a_model(server).chat(REQUEST)
        assert len(server.bodies) == 2


def test_other_users_of_an_endpoint(server: ChatServer) -> None:
    server.reply = lambda handler, body: {"data": [{"embedding": [0.6, 0.8]}]}
    value, seconds = Endpoint(server.url).post("/embeddings", {"model": "e", "input": ["x"]})
    assert value == {"data": [{"embedding": [0.6, 0.8]}]}
    assert seconds > 0
    assert server.bodies == [{"model": "e", "input": ["x"]}]


def test_many_requests_share_connections(server: ChatServer) -> None:
    together = threading.Barrier(8, timeout=30)  # No reply before eight requests are under way.
    server.reply = lambda handler, body: completion(str(together.wait()))
    model = a_model(server)
    server.reply, together_reply = (lambda handler, body: completion()), server.reply
    model.chat(REQUEST)  # The others wait for the first reply.
    server.reply = together_reply
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(model.chat, [REQUEST] * 24))
    assert server.most == 8
    assert module.OPENAI_URL == "https://api.openai.com/v1"
