"""A chat endpoint on this machine that does what a test tells it to."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = Callable[["Handler", dict[str, Any]], object]
"""What the server does with a request: sends what it likes, or returns the JSON to be sent."""


def completion(text: str | None = "At dusk.", finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """Return the JSON of a reply."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
    return {"model": "m-2031", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 5}}


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.headers.append(self.headers)
            self.server.under_way += 1
            self.server.most = max(self.server.most, self.server.under_way)
        try:
            answer = self.server.reply(self, body)
            if answer is not None:
                self.send(200, json.dumps(answer).encode())
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with self.server.lock:
                self.server.under_way -= 1

    def send(self, status: int, content: bytes, **headers: str) -> None:
        """Send a whole reply."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def fail(self, status: int, **error: object) -> None:
        """Send an error as OpenAI does."""
        self.send(status, json.dumps({"error": error}).encode(), Retry_After="0")

    def log_message(self, format: str, *args: object) -> None:
        pass


class ChatServer(ThreadingHTTPServer):
    """An endpoint at :attr:`url`.

    Attributes:
        reply: what it does with a request.
        bodies: the JSON of all requests.
        headers: their headers.
        most: the most requests that were under way at once.
    """

    daemon_threads = True

    def __init__(self) -> None:
        # Without the look-up of its own name, which may take seconds.
        socketserver.TCPServer.__init__(self, ("127.0.0.1", 0), Handler)
        self.reply: Reply = lambda handler, body: completion()
        self.lock = threading.Lock()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Message] = []
        self.under_way = self.most = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until `condition` holds; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
