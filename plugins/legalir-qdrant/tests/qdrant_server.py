"""A small server with Qdrant's REST interface, over the local mode of qdrant-client; it can be told to fail."""

from __future__ import annotations

import json
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qdrant_client import QdrantClient, models


class FakeQdrant:
    """The server: ``url``, ``store`` (what it holds), and what it is told.

    Attributes:
        key: the only key that it accepts; None for no key.
        fault: answers each request: ``(status, message)``, or seconds to wait before the answer.
        failing: part of a path to which the fault is confined.
        requests: paths asked for.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.store = QdrantClient(":memory:")
        self.key: str | None = None
        self.fault: tuple[int, str] | float | None = None
        self.failing = ""
        self.requests: list[str] = []
        self.lock = threading.Lock()

    def answer(self, method: str, path: str, body: dict[str, Any], key: str | None) -> tuple[int, Any]:
        """Return status and result of a request."""
        self.requests.append(f"{method} {path}")
        if isinstance(self.fault, float) and self.failing in path:
            time.sleep(self.fault)
        elif isinstance(self.fault, tuple) and self.failing in path:
            return self.fault
        if self.key is not None and key != self.key:
            return 401, f"Must provide an API key or an Authorization bearer token, not {key}"
        name, _, action = path.removeprefix("/collections/").partition("/")
        if method == "PUT" and not action and self.store.collection_exists(name):
            return 409, f"Collection {name} exists"
        if action != "exists" and (method, action) != ("PUT", "") and not self.store.collection_exists(name):
            return 404, f"Collection `{name}` doesn't exist!"
        try:
            return 200, self.result(method, name, action, body)
        except ValueError as error:
            return 400, str(error)

    def result(self, method: str, name: str, action: str, body: dict[str, Any]) -> Any:
        """Return the result of a good request."""
        match method, action:
            case "GET", "exists":
                return {"exists": self.store.collection_exists(name)}
            case "PUT", "":
                asked = models.CreateCollection(**body)
                return self.store.create_collection(
                    name, asked.vectors, asked.sparse_vectors, hnsw_config=asked.hnsw_config
                )
            case "PATCH", "":
                return self.store.update_collection(name, metadata=body["metadata"])
            case "GET", "":
                return json.loads(self.store.get_collection(name).model_dump_json())
            case "PUT", "index":
                return {"operation_id": 1, "status": "completed"}
            case "PUT", "points":
                self.store.upsert(name, [models.PointStruct(**point) for point in body["points"]])
                return {"operation_id": 1, "status": "completed"}
            case "POST", "points/delete":
                self.store.delete(name, models.FilterSelector(**body))
                return {"operation_id": 1, "status": "completed"}
            case "POST", "points/count":
                return {"count": self.store.count(name, models.Filter(**body["filter"])).count}
            case "POST", "points/query/batch":
                asked = models.QueryRequestBatch(**body).searches
                return [json.loads(one.model_dump_json()) for one in self.store.query_batch_points(name, asked)]
        raise AssertionError(f"{method} {action} is not answered here")


@contextmanager
def fake_qdrant(port: int = 0) -> Iterator[FakeQdrant]:
    """Yield a running server at 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            with fake.lock, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                path = self.path.partition("?")[0]
                status, result = fake.answer(self.command, path, body, self.headers.get("api-key"))
            ok = {"result": result, "status": "ok", "time": 0.0}
            content = json.dumps(ok if status == 200 else {"status": {"error": result}, "time": 0.0}).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # Whoever asked has gone.
                pass

    for method in ("GET", "PUT", "POST", "PATCH"):
        setattr(Handler, f"do_{method}", Handler.do)

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    fake = FakeQdrant(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
