"""Collections to serve, and requests to them; a text that is hostile among the provisions."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from legalir_serve.app import create_app
from legalir_serve.policy import Policy
from legalir_serve.service import Service

SCRIPT = "<script>alert('law')</script>"
PLAIN = [
    {"docno": "act-1", "title": "Harbour Act, section 1", "text": "A lamp is lit at night.", "law": "Harbour Act"},
    {"docno": "act-2", "title": f"Harbour Act, section 2 {SCRIPT}", "text": f"The fee for a lamp {SCRIPT} is 5 crowns.",
     "law": "Harbour Act", "path": f"Part 1 {SCRIPT}", "heading": "Fees", "url": f'https://law.example/2"{SCRIPT}'},
    {"docno": "=rule-1", "title": "=HYPERLINK(\"x\")", "text": "A lamp of a pier has a shade.",
     "url": "javascript:alert('law')"},
]  # fmt: skip
DATED = [
    {"docno": "d-1@2020-01-01", "title": "Pier Act, section 1", "text": "The lamp of a pier is lit for 3 hours.",
     "effective_from": "2020-01-01", "effective_to": "2023-01-01"},
    {"docno": "d-1@2023-01-01", "title": "Pier Act, section 1", "text": "The lamp of a pier is lit for 5 hours.",
     "effective_from": "2023-01-01"},
    {"docno": "d-2@2020-01-01", "title": "Pier Act, section 2", "text": "Section 1 holds for each pier.",
     "effective_from": "2020-01-01"},
    {"docno": "d-3@2020-01-01", "title": "Pier Act, section 3", "text": "A gull may be fed.",
     "effective_from": "2020-01-01", "effective_to": "2022-01-01"},
    {"docno": "d-3@2022-01-01", "title": "Pier Act, section 3", "text": "", "effective_from": "2022-01-01"},
]  # fmt: skip


def write(folder: Path, rows: list[dict[str, str]], links: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "links.tsv").write_text(links, encoding="utf-8")
    return folder


def service(folder: Path, **policy: Any) -> Service:
    """Return a service of both collections."""
    plain = write(folder / "harbour", PLAIN, "act-2\tact-1\tself\n")
    dated = write(folder / "pier", DATED, "d-2\td-1\tself\n")
    pipelines = {"default": "default", "answer": "default % 3 >> quote", "words": "bm25"}
    return Service({"harbour": plain, "pier": dated}, Policy(**{"pipelines": pipelines, **policy}))


@contextmanager
def client_of(served: Service, **options: Any) -> Iterator[TestClient]:
    app = create_app(served, **options)
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        while client.get("/v1/ready").status_code != 200:
            time.sleep(0.01)
        yield client


@contextmanager
def listening(app: FastAPI) -> Iterator[str]:
    """Yield the address of a server of this process whose indexes are open; it stops at the end."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        for _ in range(600):
            if server.started:
                break
            time.sleep(0.05)
        (port,) = {listening.getsockname()[1] for each in server.servers for listening in each.sockets}
        for _ in range(2_000):
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/ready", timeout=5):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
