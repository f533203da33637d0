"""The HTTP API: its values are those of the command line, and each fault is a status with its reason."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from served import client_of, service, write
from starlette.testclient import TestClient

from legalir import Collection
from legalir.errors import DataError
from legalir.extend import Chain, rows
from legalir_serve.app import create_app
from legalir_serve.guard import HEADERS
from legalir_serve.service import Service
from legalir_serve.work import CLIENT, Together, TooSlow, Workers


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
    assert len(get(client, "/v1/changes", from_="2021-01-01", to="2024-01-01", collection="pier")["changes"]) == 2


def test_the_day_of_the_question_and_what_comes_next(client: TestClient) -> None:
    ask = {"q": "How long is the lamp of a pier lit, as it stood in 2021?", "collection": "pier", "pipeline": "words"}
    found = get(client, "/v1/search", **ask)
    assert (found["as_of"], found["results"][0]["upcoming"]) == ("2021-12-31", "amended from 2023-01-01")
    assert "from the question (2021); as_of today" in found["as_of_note"]
    assert "as_of_note" not in get(client, "/v1/search", **ask, as_of="today")
    shown = get(client, "/v1/provision", docno="d-3", collection="pier", as_of="2021-06-01")
    assert shown["upcoming"] == "repealed from 2022-01-01"
    answer = get(client, "/v1/answer", q="lamp of a pier, as in force on 1 May 2021", collection="pier")
    assert (answer["as_of"], answer["citations"][0]["upcoming"]) == ("2021-05-01", "amended from 2023-01-01")


def test_what_a_reform_touches(client: TestClient) -> None:
    asked = {"collection": "pier", "from": "2021-01-01", "to": "2024-01-01", "documents": {"note": "Section 3 (d-3)."}}
    found = client.post("/v1/impact", json=asked).json()
    assert found["counts"] == {"changed": 1, "repealed": 1}
    assert [one["docno"] for one in found["changes"][0]["cited_by"]] == ["d-2@2020-01-01"]
    assert found["documents"][0]["document"] == "note"
    for other, status in ({"to": "2020-01-01"}, 400), ({"from": "soon"}, 400), ({"collection": "harbour"}, 400):
        assert client.post("/v1/impact", json={**asked, **other}).status_code == status
    assert client.post("/v1/impact", json={**asked, "form": "x"}).status_code == 422


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


def test_numbers_for_prometheus(client: TestClient) -> None:
    def numbers() -> dict[str, float]:
        reply = client.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
        rows = [line.rpartition(" ") for line in reply.text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in rows}

    client.get("/v1/search?q=lamp")
    before = numbers()
    for path in ("/v1/search?q=lamp", "/v1/search?q=", "/nowhere/1", "/nowhere/2", "/static/style.css"):
        client.get(path)
    after, of = numbers(), 'legalir_requests_total{{route="{}",status="{}"}}'.format
    for route, status, more in (
        ("/v1/search", 200, 1), ("/v1/search", 400, 1), ("other", 404, 2), ("/static", 200, 1), ("/metrics", 200, 1),
    ):  # fmt: skip
        assert after[of(route, status)] - before.get(of(route, status), 0) == more
    assert (
        after['legalir_response_bytes_total{route="/v1/search"}']
        > before['legalir_response_bytes_total{route="/v1/search"}']
    )
    assert after["legalir_requests_begun"] == 1 and after["process_resident_memory_bytes"] > 0
    assert after['legalir_collection_provisions{collection="pier"}'] == 5
    assert not any("nowhere" in name for name in after)


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
        ("/v1/search", {"q": "x" * 5000}, 422, "4000 characters"),
        ("/v1/search", {"q": "x", "k": 0}, 422, "k"),
        ("/v1/search", {"q": "x", "k": 101}, 422, "k"),
        ("/v1/search", {"q": "x", "offset": 100}, 422, "offset"),
        ("/v1/search", {"q": "x", "asof": "2021-01-01"}, 422, "asof"),
        ("/v1/collections", {"collection": "pier"}, 422, "collection"),
        ("/v1/search", {"q": "x", "k": "many"}, 422, "k"),
        ("/v1/search", {"q": "x", "collection": "harbor"}, 404, "harbour"),
        ("/v1/search", {"q": "x", "pipeline": "nix"}, 400, "nix"),
        ("/v1/search", {"q": "x", "pipeline": 'dense(encoder="/etc/passwd")'}, 400, "not offered"),
        ("/v1/search", {"q": "x", "pipeline": "answer"}, 400, "answer"),
        ("/v1/search", {"q": "x", "as_of": "2021-01-01"}, 400, "as_of"),
        ("/v1/search", {"q": "x", "collection": "pier", "as_of": "31 February"}, 400, "as_of"),
        ("/v1/provision", {"docno": "nix"}, 404, "nix"),
        ("/v1/changes", {"from": "2022-01-01", "to": "2021-01-01", "collection": "pier", "docno": "d-1"}, 400, "later"),
        ("/v1/explain", {"q": "shade", "docno": "act-1", "pipeline": "words"}, 400, "act-1"),
        ("/v1/related", {"docno": "act-1", "depth": 9}, 422, "depth"),
        ("/v1/changes", {"from": "2021-01-01", "to": "2022-01-01"}, 400, "version"),
        ("/v1/changes", {"from": "2021-01-01", "to": "2022-01-01", "collection": "pier", "law": "nix"}, 400, "nix"),
        ("/v1/changes", {"from": "2021-01-01", "to": "2022-01-01", "collection": "pier", "docno": "nix"}, 404, "nix"),
        ("/v1/nix", {}, 404, "Not Found"),
    ],
)
def test_faults_have_a_reason(
    client: TestClient, path: str, parameters: dict[str, Any], status: int, reason: str
) -> None:
    reply = client.get(path, params=parameters)
    assert reply.status_code == status
    assert reason in reply.json()["error"]
    code = (
        "no_versions" if "version" in reason or (reason == "as_of" and "pier" not in parameters.values()) else "invalid"
    )
    assert reply.json()["code"] == ("not_found" if status == 404 else code)


def test_methods_and_sizes(client: TestClient) -> None:
    refused = client.post("/v1/provision", content="x")
    assert (refused.status_code, refused.json()["code"]) == (405, "invalid")
    assert refused.headers["allow"] == "GET"
    assert client.post("/v1/search", content="x" * 300_000).status_code == 413
    assert client.get("/v1/search?q=" + "x" * 50_000).status_code == 414
    # Every script fits a question of 4 000 letters, in an address and in a body.
    question = ("창문 " * 1_500)[:4_000]
    found = client.get("/v1/search", params={"q": question, "k": 1})
    assert found.status_code == 200
    assert client.post("/v1/search", json={"q": question, "k": 1}).json() == found.json()
    head = client.head("/v1/search", params={"q": "lamp"})
    assert (head.status_code, head.content) == (200, b"") and int(head.headers["content-length"]) > 100


def test_the_last_page_of_results_is_no_fault(tmp_path: Path) -> None:
    rows = [{"docno": f"a-{number}", "title": "Act", "text": "A lamp."} for number in range(120)]
    with client_of(Service({"many": write(tmp_path / "many", rows, "")})) as client:
        offset, docnos = 0, list[str]()
        while offset is not None:
            found = get(client, "/v1/search", q="lamp", k=45, offset=offset, pipeline="bm25")
            docnos += [row["docno"] for row in found["results"]]
            offset = found["next"]
    assert len(docnos) == len({*docnos}) == 100


def test_what_has_not_changed_is_not_sent_again(client: TestClient) -> None:
    zipped = {"accept-encoding": "gzip"}
    assert "content-encoding" not in client.get("/v1/health", headers=zipped).headers
    first = client.get("/v1/openapi.json", headers=zipped)
    assert first.headers["content-encoding"] == "gzip" and first.headers["cache-control"] == "no-cache"
    tag = {"if-none-match": first.headers["etag"]}
    again = client.get("/v1/openapi.json", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/v1/search", params={"q": "fee"}, headers=tag).status_code == 200
    assert "max-age" in client.get("/static/style.css").headers["cache-control"]


def test_a_page_of_another_name_gets_nothing(shared: Service) -> None:
    """As after DNS rebinding, and as a form of another site would."""
    with client_of(shared, hosts=["laws.example"]) as client:
        for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:80"):
            assert client.get("/v1/collections", headers={"host": host}).status_code == 421, host
        for host in ("127.0.0.1:8000", "localhost", "[::1]:8000", "laws.example", "LAWS.example:443", "10.1.2.3"):
            assert client.get("/v1/collections", headers={"host": host}).status_code == 200, host
        body, other = {"text": "x"}, {"origin": "http://evil.example"}
        assert client.post("/v1/verify", json=body, headers=other).status_code == 403
        assert client.post("/v1/verify", json=body, headers={"origin": "http://127.0.0.1"}).status_code == 200


def test_replies_and_errors_are_as_described(client: TestClient) -> None:
    """What the description of the API says is what is sent."""
    described = get(client, "/v1/openapi.json")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/v1/health", {}),
        ("/v1/ready", {}),
        ("/v1/collections", {}),
        ("/v1/search", {"q": "lamp", "collection": "pier"}),
        ("/v1/search", {"q": "lamp fee", "k": 1}),
        ("/v1/search", {"q": "lamp", "collection": "all"}),
        ("/v1/provisions", {"citation": "Harbour Act s 2"}),
        ("/v1/explain", {"q": "lamp", "docno": "act-1", "pipeline": "words"}),
        ("/v1/provision", {"docno": "d-1", "collection": "pier"}),
        ("/v1/provision", {"docno": "act-2"}),
        ("/v1/levels", {"docno": "act-2"}),
        ("/v1/related", {"docno": "act-1"}),
        ("/v1/changes", {"from": "2021-01-01", "to": "2024-01-01", "collection": "pier"}),
        ("/v1/changes", {"from": "2021-01-01", "to": "2024-01-01", "collection": "pier", "docno": "d-1"}),
        ("/v1/answer", {"q": "What is the fee for a lamp?"}),
        ("/v1/search", {"q": "x", "k": "many"}),
        ("/v1/search", {"q": " "}),
        ("/v1/provision", {"docno": "nix"}),
    ]
    for path, parameters in asked:
        reply = client.get(path, params=parameters)
        response = described["paths"][path]["get"]["responses"][str(reply.status_code)]
        schema = {**response["content"]["application/json"]["schema"], "components": described["components"]}
        jsonschema.validate(reply.json(), schema)
    verified = client.post("/v1/verify", json={"text": "Section 1 of the Harbour Act."}).json()
    schema = described["paths"]["/v1/verify"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(verified, {**schema, "components": described["components"]})
    surveyed = client.post("/v1/survey", json={"q": "lamp", "decisions": [{"docno": "act-1", "verdict": "accepted"}]})
    schema = described["paths"]["/v1/survey"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(surveyed.json(), {**schema, "components": described["components"]})
    names = [one["operationId"] for path in described["paths"].values() for one in path.values()]
    assert len(names) == len({*names})


def test_a_citation_opens_its_provision(client: TestClient) -> None:
    def cited(citation: str, **more: str) -> list[tuple[str, str, str]]:
        found = get(client, "/v1/provisions", citation=citation, **more)["found"]
        return [(row["collection"], row["state"], row["shows"]) for row in found]

    assert cited("Harbour Act s 2") == cited("harbour act 2", collection="harbour") == [("harbour", "right", "act-2")]
    assert cited("D-3") == [("pier", "repealed", "d-3@2020-01-01")]
    assert cited("d-1", as_of="2021-01-01") == [("pier", "right", "d-1@2020-01-01")]
    assert cited("Harbour Act, section 9", collection="harbour") == [("harbour", "no such provision", "")]
    assert cited("is a lamp lit at night?") == []
    assert (
        client.get("/v1/provisions", params={"citation": "x", "as_of": "soon", "collection": "pier"}).status_code == 400
    )


def test_a_question_that_is_a_citation_leads_to_its_page(client: TestClient) -> None:
    reply = client.get("/", params={"q": "Harbour Act s 2", "lang": "en"}, follow_redirects=False)
    assert reply.status_code == 303
    page = client.get(reply.headers["location"])
    assert "The fee for a lamp" in page.text
    assert "Search for these words instead" in page.text
    again = client.get("/", params={"q": "Harbour Act s 2", "words": "1"}, follow_redirects=False)
    assert again.status_code == 200
    assert client.get("/", params={"q": "lamp at night"}, follow_redirects=False).status_code == 200


def test_several_collections(client: TestClient) -> None:
    every = get(client, "/v1/search", q="lamp", collection="all", k=4)
    assert every["collection"] == ["harbour", "pier"]
    assert [row["collection"] for row in every["results"]][:3] == ["harbour", "pier", "harbour"]
    assert [row["rank"] for row in every["results"]] == [1, 2, 3, 4]
    both = client.get("/v1/search?q=lamp&k=2&collection=pier&collection=harbour").json()
    assert [row["collection"] for row in both["results"]] == ["pier", "harbour"]
    cited = get(client, "/v1/search", q="d-2", collection="all", k=1)
    assert cited["results"] == [] or cited["results"][0]["docno"].startswith("d-2")
    assert client.get("/v1/search?q=lamp&collection=harbour&collection=nix").status_code == 404
    body = {"q": "lamp", "collection": ["harbour", "pier"], "as_of": "2021-01-01"}
    assert client.post("/v1/search", json=body).json()["as_of"] == "2021-01-01"
    one = client.post("/v1/search", json={"q": "lamp", "collection": "pier"}).json()
    assert one["collection"] == "pier"


def test_a_provision_has_its_state(client: TestClient) -> None:
    def state(docno: str, **more: str) -> tuple[Any, ...]:
        shown = get(client, "/v1/provision", docno=docno, collection="pier", **more)
        return shown["docno"], shown["state"], shown["since"], shown["in_force"]

    old, new = "d-1@2020-01-01", "d-1@2023-01-01"
    assert state("d-1") == (new, "in force", "2023-01-01", new)
    assert state(old) == (old, "no longer in force", "2023-01-01", new)
    assert state(new, as_of="2021-01-01") == (new, "not yet in force", "2023-01-01", old)
    assert state("d-1", as_of="1999-01-01") == (old, "not yet in force", "2020-01-01", None)
    assert state("d-3") == ("d-3@2020-01-01", "repealed", "2022-01-01", None)
    around = get(client, "/v1/provision", docno="d-2", collection="pier")
    assert (around["before"]["docno"], around["after"]["docno"]) == (new, "d-3@2020-01-01")


def test_requests_wait_for_the_indexes(shared: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = threading.Event()
    monkeypatch.setattr(Service, "warm", lambda self: opened.wait(20))
    app = create_app(shared, timeout=0.2)
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        assert (client.get("/v1/ready").status_code, client.get("/v1/health").json()["ready"]) == (503, False)
        waited = client.get("/v1/search", params={"q": "lamp"})
        assert (waited.status_code, waited.json()["code"]) == (503, "opening")
        assert b"opening" not in client.get("/metrics").content  # It needs no index.
        page = client.get("/", headers={"accept": "text/html"})
        assert (page.status_code, page.headers["refresh"]) == (503, "5") and "<p>" in page.text
        opened.set()
        for _ in range(100):
            if client.get("/v1/ready").status_code == 200:
                break
            time.sleep(0.02)
        # On a busy machine the first may take longer than it is given.
        assert any(client.get("/v1/search", params={"q": "lamp"}).status_code == 200 for _ in range(50))


def test_a_pipeline_ends_when_nobody_waits_for_it(shared: Service) -> None:
    """No component starts after the time of the request."""
    ran: list[str] = []

    class Step(pt.Transformer):
        def __init__(self, name: str) -> None:
            self.name = name

        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            ran.append(self.name)
            time.sleep(0.15)
            return inp

    pipeline = Chain(Step("first"), Step("second"), Step("third"))
    together, workers = Together(pipeline), Workers(1, 0.1)

    async def ask() -> None:
        with pytest.raises(TooSlow):
            await workers.run(together.search, pd.DataFrame({"qid": ["1"], "query": ["lamp"]}))
        await asyncio.sleep(0.5)

    asyncio.run(ask())
    assert ran == ["first"]


def test_tokens(shared: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("legalir_serve.guard._WRONG", 0.01)
    with client_of(shared, tokens=["open sesame", "second"]) as client:
        assert client.get("/v1/health").status_code == client.get("/v1/ready").status_code == 200
        refused = client.get("/v1/collections")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Basic realm="legalir", Bearer')
        assert client.get("/", auth=("whoever", "second")).status_code == 200
        for wrong in ("Bearer open", "second", "Foo second", "Basic !", "Basic c2Vjb25k", "Bearer", ""):
            assert client.get("/", headers={"authorization": wrong}).status_code == 401, wrong
        assert client.get("/", auth=("second", "open")).status_code == 401
        assert client.get("/v1/collections", headers={"authorization": "Bearer second"}).status_code == 200
        assert "second" not in caplog.text and caplog.text.count("A wrong token came from") == 2


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


def test_long_work_of_one_client_leaves_room_for_others(shared: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, begun = threading.Event(), threading.Semaphore(0)
    several = Service.several

    def slow(self: Service, query: str, *places: Any, **options: Any) -> Any:
        if query.startswith("slow"):
            begun.release()
            goes_on.wait(20)
        return several(self, query, *places, **options)

    monkeypatch.setattr(Service, "several", slow)
    application = create_app(shared, concurrency=8, timeout=20, hosts=["testserver"])

    def asked(client: TestClient, query: str, pipeline: str = "default") -> int:
        return client.get("/v1/search", params={"q": query, "pipeline": pipeline}).status_code

    with TestClient(application, client=("192.0.2.1", 1)) as one:
        other, statuses = TestClient(application, client=("192.0.2.2", 1)), list[int]()
        asking = [threading.Thread(target=lambda: statuses.append(asked(one, "slow " * 201))) for _ in range(5)]
        for thread in asking:
            thread.start()
        assert begun.acquire(timeout=20)
        while not statuses:  # Of eight places for long work, four are for one client.
            time.sleep(0.01)
        assert statuses == [429]
        assert asked(one, "lamp", "bm25 % 3") == 429
        assert asked(one, "lamp") == asked(other, "lamp") == 200
        asking.append(threading.Thread(target=lambda: statuses.append(asked(other, "slow lamp", "bm25 % 3"))))
        asking[-1].start()
        goes_on.set()
        for thread in asking:
            thread.join()
        assert sorted(statuses) == [200] * 5 + [429]


def test_a_client_rests_after_its_long_work_while_others_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir_serve.work._REST", 1e9)
    goes_on, ended = threading.Event(), list[str]()

    async def whole() -> None:
        workers = Workers(1, 20)
        long = Workers(1, 20, beside=workers)

        async def by(client: str, name: str) -> None:
            CLIENT.set(client)
            await long.run(time.sleep, 0.001)
            ended.append(name)

        CLIENT.set("other")
        asking = asyncio.create_task(workers.run(goes_on.wait, 20))
        await asyncio.sleep(0)
        await asyncio.create_task(by("one", "first"))
        waiting = asyncio.create_task(by("one", "second"))
        await asyncio.create_task(by("another", "third"))
        assert ended == ["first", "third"]
        goes_on.set()
        await asking
        await waiting
        assert ended == ["first", "third", "second"]
        workers.close()
        long.close()

    asyncio.run(whole())


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


def test_filters(client: TestClient) -> None:
    """What holds is in the reply; phrases of the question narrow, and what is left out is said."""
    found = get(client, "/v1/search", q="lamp fee", pipeline="bm25", where="docno=act-1|act-2", path_="Part 1")
    assert [row["docno"] for row in found["results"]] == ["act-2"]
    assert found["where"] == "docno=act-1|act-2, path~Part 1"
    found = get(client, "/v1/search", q='"lit at night" lamp "no such words" -shade', pipeline="words")
    assert [row["docno"] for row in found["results"]] == ["act-1"]
    assert found["where"] == "text~lit at night, text!~shade"
    (note,) = found["notes"]
    assert "'no such words'" in note
    assert "/" not in note
    assert get(client, "/v1/explain", q="lamp", docno="act-1", law=["Harbour Act"], pipeline="bm25")["docno"] == "act-1"
    assert "among the results" in get(client, "/v1/explain", 400, q="lamp", docno="act-1", where="docno=act-2")["error"]
    answer = get(client, "/v1/answer", q="What is the fee for a lamp?", law="Harbour Act")
    assert answer["where"] == "law=Harbour Act"
    for wrong in ({"level": "act"}, {"where": "law=Harbor"}, {"where": "law"}):
        assert "where" in get(client, "/v1/search", 400, q="lamp", **wrong)["error"]


def test_a_question_in_other_letters_is_said(client: TestClient) -> None:
    asked = "등대의 불빛은 언제 켜야 합니까"
    notes = get(client, "/v1/search", q=asked, collection="harbour")["notes"]
    assert notes == ["The question is written in Hangul letters, and 100% of the letters of the provisions are Latin."]
    page = client.get("/", params={"q": asked, "collection": "harbour", "lang": "ko"}).text
    assert "질문은 조문과 다른 문자(Hangul)로 쓰였습니다." in page
    assert get(client, "/v1/search", q="lamp", collection="harbour")["notes"] == []
    with client_of(Service({"fire": "legalir/firecode", "quay": "legalir/harbour"})) as both:
        mixed = get(both, "/v1/search", q="Must my pleasure craft be registered?", collection="all", k=9)
    assert mixed["notes"] == [] and {row["collection"] for row in mixed["results"]} == {"quay"}
