"""The HTTP API: its values are those of the command line, and each fault is a status with its reason."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from served import client_of, service
from starlette.testclient import TestClient

from legalir import Collection
from legalir.errors import DataError
from legalir.extend import rows
from legalir_serve.app import HEADERS
from legalir_serve.service import Service


@pytest.fixture(name="shared", scope="module")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return service(tmp_path_factory.mktemp("served"))


@pytest.fixture(name="client", scope="module")
def shared_client(shared: Service) -> Iterator[TestClient]:
    with client_of(shared) as client:
        yield client


def get(client: TestClient, path: str, status: int = 200, **parameters: Any) -> Any:
    reply = client.get(path, params={name.rstrip("_"): value for name, value in parameters.items()})
    assert reply.status_code == status, reply.text
    assert all(reply.headers[name] == value for name, value in HEADERS.items())
    return reply.json()


def test_search_is_the_search_of_a_collection(client: TestClient, shared: Service) -> None:
    found = get(client, "/v1/search", q="lamp fee", k=2, pipeline="bm25")
    assert found["results"][0]["docno"] == "act-2"
    assert found["next"] == 2 and found["as_of"] is None
    folder = shared.opened("harbour").collection.id
    for mine, row in zip(found["results"], rows(Collection(folder).search("lamp fee", "bm25", k=2)), strict=True):
        assert row.items() <= mine.items()
    rest = get(client, "/v1/search", q="lamp fee", k=2, offset=2, pipeline="bm25")
    assert [row["rank"] for row in rest["results"]] == [3] and rest["next"] is None


def test_days(client: TestClient) -> None:
    ask = {"q": "lamp of a pier", "collection": "pier", "k": 1}
    assert get(client, "/v1/search", **ask, as_of="2021-06-01")["results"][0]["docno"] == "d-1@2020-01-01"
    assert get(client, "/v1/search", **ask)["results"][0]["docno"] == "d-1@2023-01-01"
    shown = get(client, "/v1/provision", docno="d-1", collection="pier", as_of="2021-06-01")
    assert shown["docno"] == "d-1@2020-01-01"
    assert [each["docno"] for each in shown["versions"]] == ["d-1@2020-01-01", "d-1@2023-01-01"]
    assert [each["docno"] for each in shown["cited_by"]] == ["d-2@2020-01-01"]
    changed = get(client, "/v1/changes", from_="2021-01-01", to="2024-01-01", collection="pier", docno="d-1")
    assert [part["text"] for part in changed["parts"] if part["kind"] != "same"] == ["3", "5"]
    assert len(get(client, "/v1/changes", from_="2021-01-01", to="2024-01-01", collection="pier")["changes"]) == 1


def test_the_rest(client: TestClient) -> None:
    assert get(client, "/v1/health") == {"status": "ok", "ready": True}
    assert [each["name"] for each in get(client, "/v1/collections")] == ["harbour", "pier"]
    assert get(client, "/v1/explain", q="lamp", docno="act-1", pipeline="words")["docno"] == "act-1"
    around = get(client, "/v1/related", docno="act-1")
    assert [node["distance"] for node in around["nodes"]] == [0, 1]
    assert around["links"] == [{"source": "act-2", "target": "act-1"}]
    answer = get(client, "/v1/answer", q="What is the fee for a lamp?")
    assert answer["citations"][0]["docno"] == "act-2" and "no legal advice" in answer["notice"]
    paths = get(client, "/v1/openapi.json")["paths"]
    assert {"/v1/search", "/v1/answer", "/v1/provision"} <= set(paths) and "/" not in paths


def test_citations_are_verified(client: TestClient) -> None:
    text = "Section 1 of the Harbour Act, section 9 of the Harbour Act."
    reply = client.post("/v1/verify", json={"text": text, "collection": "harbour"})
    assert [one["state"] for one in reply.json()["citations"]] == ["right", "no such provision"]
    assert reply.json()["wrong"] == 1
    assert client.post("/v1/verify", json={"text": "x" * 60_000}).status_code == 422
    assert client.post("/v1/verify", json={"text": text, "as_of": "yesterday"}).status_code == 400


def test_steps_of_an_answer_are_events(client: TestClient) -> None:
    reply = client.get("/v1/answer", params={"q": "fee for a lamp"}, headers={"accept": "text/event-stream"})
    events = [block.splitlines() for block in reply.text.strip().split("\n\n")]
    assert [lines[0] for lines in events][-1] == "event: answer"
    assert json.loads(events[-1][1].removeprefix("data: "))["citations"][0]["docno"] == "act-2"
    failed = client.get("/v1/answer", params={"q": "x", "pipeline": "bm25"}, headers={"accept": "text/event-stream"})
    assert '"status": 400' in failed.text


@pytest.mark.parametrize(
    ("path", "parameters", "status", "reason"),
    [
        ("/v1/search", {}, 422, "q"),
        ("/v1/search", {"q": " "}, 400, "empty"),
        ("/v1/search", {"q": "x" * 5000}, 400, "characters"),
        ("/v1/search", {"q": "x", "k": 0}, 422, "k"),
        ("/v1/search", {"q": "x", "k": 101}, 400, "k"),
        ("/v1/search", {"q": "x", "k": 60, "offset": 60}, 400, "offset"),
        ("/v1/search", {"q": "x", "k": "many"}, 422, "k"),
        ("/v1/search", {"q": "x", "collection": "harbor"}, 404, "harbour"),
        ("/v1/search", {"q": "x", "pipeline": "nix"}, 400, "nix"),
        ("/v1/search", {"q": "x", "pipeline": 'dense(encoder="/etc/passwd")'}, 400, "not offered"),
        ("/v1/search", {"q": "x", "pipeline": "answer"}, 400, "answer"),
        ("/v1/search", {"q": "x", "as_of": "2021-01-01"}, 400, "as_of"),
        ("/v1/search", {"q": "x", "collection": "pier", "as_of": "31 February"}, 400, "as_of"),
        ("/v1/provision", {"docno": "nix"}, 404, "nix"),
        ("/v1/provision", {"docno": "d-1", "collection": "pier", "as_of": "1999-01-01"}, 404, "1999-01-01"),
        ("/v1/explain", {"q": "shade", "docno": "act-1", "pipeline": "words"}, 400, "act-1"),
        ("/v1/related", {"docno": "act-1", "depth": 9}, 422, "depth"),
        ("/v1/changes", {"from": "2021-01-01", "to": "2022-01-01"}, 400, "version"),
        ("/v1/changes", {"from": "2021-01-01", "to": "2022-01-01", "collection": "pier", "law": "nix"}, 400, "nix"),
        ("/v1/changes", {"from": "2021-01-01", "to": "2022-01-01", "collection": "pier", "docno": "nix"}, 404, "nix"),
        ("/v1/nix", {}, 404, ""),
    ],
)
def test_faults_have_a_reason(
    client: TestClient, path: str, parameters: dict[str, Any], status: int, reason: str
) -> None:
    reply = client.get(path, params=parameters)
    assert reply.status_code == status
    if reason:
        assert reason in reply.json()["error"]
        assert reply.json()["code"] == ("not_found" if status == 404 else "invalid")


def test_methods_and_sizes(client: TestClient) -> None:
    assert client.post("/v1/search", content="x").status_code == 405
    assert client.post("/v1/search", content="x" * 70_000).status_code == 413
    assert client.get("/v1/search?q=" + "x" * 20_000).status_code == 414


def test_tokens(shared: Service) -> None:
    with client_of(shared, tokens=["open sesame", "second"]) as client:
        assert client.get("/v1/health").status_code == 200
        refused = client.get("/v1/collections")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Basic realm="legalir", Bearer')
        assert client.get("/", auth=("whoever", "second")).status_code == 200
        for wrong in ("Bearer open", "second", "Basic second", "Basic !", "Basic c2Vjb25k", "Bearer", ""):
            assert client.get("/", headers={"authorization": wrong}).status_code == 401, wrong
        assert client.get("/", auth=("second", "open")).status_code == 401
        assert client.get("/v1/collections", headers={"authorization": "Bearer second"}).status_code == 200


def test_a_slow_request_is_given_up_and_too_many_are_refused(shared: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    search = Service.search

    def slow(self: Service, query: str, **options: Any) -> Any:
        if query == "slow":
            goes_on.wait(20)
        return search(self, query, **options)

    monkeypatch.setattr(Service, "search", slow)
    with client_of(shared, concurrency=1, timeout=0.2) as client:
        statuses: list[int] = []

        def ask() -> None:
            statuses.append(client.get("/v1/search", params={"q": "slow"}).status_code)

        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(set(statuses)) == [429, 503]
        busy = client.get("/v1/search", params={"q": "lamp"})
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")
        goes_on.set()
        for _ in range(100):
            if client.get("/v1/search", params={"q": "lamp"}).status_code == 200:
                break
            time.sleep(0.05)
        assert client.get("/v1/search", params={"q": "lamp"}).status_code == 200


def test_a_change_is_served_without_a_failed_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir_serve.app._LOOK", 0.02)
    served = service(tmp_path)
    corpus = tmp_path / "harbour" / "corpus.jsonl"
    with client_of(served) as client:
        assert get(client, "/v1/search", q="buoy")["results"] == []
        part = corpus.with_name("part")
        part.write_text(corpus.read_text() + json.dumps({"docno": "act-9", "text": "A buoy is red."}) + "\n")
        part.replace(corpus)
        for _ in range(400):
            found = get(client, "/v1/search", q="buoy")["results"]
            if found:
                break
            time.sleep(0.02)
        assert [row["docno"] for row in found] == ["act-9"]
        # A file that cannot be read changes nothing.
        part.write_text("no json\n")
        part.replace(corpus)
        time.sleep(0.3)
        assert get(client, "/v1/search", q="buoy")["results"][0]["docno"] == "act-9"


def test_an_engine_that_is_down_is_no_fault_of_the_request(shared: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(self: Service, query: str, **options: Any) -> Any:
        raise DataError("The engine of /srv/laws cannot be reached.")

    with client_of(shared) as client:
        monkeypatch.setattr(Service, "search", down)
        for path in ("/v1/search", "/"):
            reply = client.get(path, params={"q": "lamp"})
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
            assert "/srv" not in reply.text


def test_a_fault_of_ours_tells_nothing(shared: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Service) -> Any:
        raise RuntimeError("secret")

    with client_of(shared) as client:
        monkeypatch.setattr(Service, "collections", broken)
        reply = client.get("/v1/collections")
        assert reply.status_code == 500 and "secret" not in reply.text


texts = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(
    ["bm25", "default % 5", "rrf(bm25, lsa)", "2021-01-01", "harbour", "pier", "act-1", "lamp", "0", "-1", "1e9", "<b>"]
)
NAMES = [
    "q",
    "k",
    "offset",
    "collection",
    "pipeline",
    "as_of",
    "docno",
    "depth",
    "from",
    "to",
    "law",
    "other",
    "format",
]
PATHS = ["search", "explain", "provision", "related", "changes", "answer", "collections"]
PAGES = ["/", "/provision", "/explain", "/compare", "/answer", "/export"]


@settings(max_examples=150)
@given(st.sampled_from([*(f"/v1/{path}" for path in PATHS), *PAGES]), st.dictionaries(st.sampled_from(NAMES), texts))
def test_no_request_is_a_fault_of_ours(client: TestClient, path: str, parameters: dict[str, str]) -> None:
    reply = client.get(path, params=parameters)
    assert reply.status_code in (200, 400, 404, 422), (path, parameters, reply.text)
    assert "html" not in reply.headers["content-type"] or "<script>" not in reply.text
