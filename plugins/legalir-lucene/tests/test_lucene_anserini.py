"""Indexes that Anserini built: by their path, on Anserini's own server, and on one that replies in every other way."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pandas as pd
import pytest
from conftest import Make

from legalir import Collection
from legalir.errors import ArtifactError, ComponentError, DataError, ExpressionError
from legalir_lucene import Anserini
from legalir_lucene.places import anserini_jar, java_home
from legalir_lucene.rest import API_KEY

TEXTS = {
    "d-1": "A boat needs a number.",
    "d-2": "The number of a boat is shown on the boat at the bow.",
    "d-3": "Mooring fees are paid at the office.",
    "d-4": "Nobody shall moor at the fuel berth.",
    "d-5": "numbers numbers numbers",
}


def java(*arguments: object) -> list[str]:
    return [str(java_home() / "bin" / "java"), "-cp", str(anserini_jar()), *map(str, arguments)]


def written(folder: Path, texts: Mapping[str, str], *options: str) -> Path:
    """Return the folder of an index that Anserini's own command built."""
    (folder / "corpus").mkdir()
    lines = [json.dumps({"id": docno, "contents": text}) for docno, text in texts.items()]
    (folder / "corpus" / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command = java("io.anserini.index.IndexCollection", "-collection", "JsonCollection", "-threads", "1")
    command += ["-input", str(folder / "corpus"), "-index", str(folder / "index"), *options]
    subprocess.run([*command, "-generator", "DefaultLuceneDocumentGenerator"], check=True, capture_output=True)
    return folder / "index"


@pytest.fixture(name="index", scope="session")
def index_of_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("texts"), TEXTS)


@pytest.fixture(name="boats", scope="session")
def index_of_boats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("boats"), {f"b-{place:04d}": "boat" for place in range(1001)})


def by_docno(found: pd.DataFrame) -> dict[str, float]:
    return dict(zip(found["docno"], found["score"], strict=True))


def test_anserini_finds_and_scores_as_lucene_over_the_same_terms(make: Make, index: Path) -> None:
    # Porter's stems and Anserini's stop words, written out: BM25 of both is Lucene's.
    stems = {
        "d-1": "boat need number",
        "d-2": "number boat shown boat bow",
        "d-3": "moor fee paid offic",
        "d-4": "nobodi shall moor fuel berth",
        "d-5": "number number number",
    }
    ours = make(stems, "stems").pipeline('lucene(analyzer="whitespace", k1=1.2, b=0.75)').search("number boat")
    collection = make(TEXTS)
    system = collection.pipeline(f'anserini(path="{index}", k1=1.2, b=0.75)')
    assert by_docno(system.search("The numbers of boats")) == pytest.approx(by_docno(ours), abs=2e-4)
    frame = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["moored", " ", "zeppelin"], "kept": [1, 2, 3]})
    found = system.transform(frame)
    assert list(found.columns) == ["qid", "query", "kept", "docno", "score", "rank"]
    assert found[["qid", "docno", "rank"]].to_numpy().tolist() == [["1", "d-3", 0], ["1", "d-4", 1]]
    assert system.transform(frame.iloc[:0]).empty
    assert (system % 1).search("boat")["docno"].tolist() == system.search("boat")["docno"].tolist()[:1]


def test_an_analyzer_of_another_language(make: Make, tmp_path: Path) -> None:
    texts = {"k-1": "창문이 없는 층", "k-2": "창고의 문"}
    collection, index = make(texts), written(tmp_path, texts, "-language", "ko")
    assert by_docno(collection.pipeline(f'anserini(path="{index}", language="ko")').search("창문")).keys() == {"k-1"}
    with pytest.raises(ComponentError, match=r"language='xx' is not one of Anserini's: ar, .*en.*ko"):
        collection.pipeline(f'anserini(path="{index}", language="xx")').search("창문")


def test_a_filter_and_equal_scores(tmp_path: Path, boats: Path) -> None:
    folder = tmp_path / "laws"
    folder.mkdir()
    rows = [{"docno": f"b-{place:04d}", "text": "boat", "law": str(place % 10)} for place in range(990, 1001)]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    collection = Collection(folder, cache=tmp_path / "cache")
    system = f'anserini(path="{boats}", num_results=2)'
    assert collection.search("boat", system)["docno"].tolist() == ["b-0990", "b-0991"]
    assert collection.search("boat", system, where="law=0")["docno"].tolist() == ["b-0990", "b-1000"]


def test_documents_that_the_collection_lacks(
    make: Make, index: Path, boats: Path, caplog: pytest.LogCaptureFixture
) -> None:
    system = make({"d-2": "boat"}).pipeline(f'anserini(path="{index}", num_results=1)')
    assert [system.search(query)["docno"].tolist() for query in ("number", "number", "boat")] == [["d-2"]] * 3
    (warning,) = [record.getMessage() for record in caplog.records]
    assert "are not in the collection" in warning
    with pytest.raises(ComponentError, match="has none of the first 1001 documents, such as 'b-0000'"):
        make(TEXTS, "other").pipeline(f'anserini(path="{boats}")').search("boat")


def test_what_is_no_index(make: Make, tmp_path: Path) -> None:
    collection = make(TEXTS)
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ExpressionError, match=r"anserini: path=.* is not a folder with an index of Lucene"):
            collection.pipeline(f'anserini(path="{place}")')
    (tmp_path / "segments_1").write_bytes(b"hollow")
    with pytest.raises(ArtifactError, match=r"cannot be read by Lucene \d"):
        collection.pipeline(f'anserini(path="{tmp_path}")').search("boat")


def test_its_fingerprint_is_that_of_the_index(index: Path, boats: Path, make: Make) -> None:
    laws = make(TEXTS).pipeline(f'anserini(path="{index}")').index
    assert Anserini(laws, path=index).fingerprint == Anserini(laws, path=str(index)).fingerprint
    assert Anserini(laws, path=index).fingerprint != Anserini(laws, path=boats).fingerprint


@pytest.fixture(name="server", scope="session")
def server_of_anserini(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "indexes.yaml").write_text(f"indexes:\n  mine: {index}\n", encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    arguments = ["io.anserini.api.RestServer", "--host", "127.0.0.1", "--port", port, "--index-config"]
    command = java(*arguments, folder / "indexes.yaml")
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            for _ in range(200):
                if server.poll() is not None:
                    pytest.skip("the jar has no server of this kind")
                try:
                    urlopen(f"{url}/v1/mine/search?query=a", timeout=5).close()
                    break
                except (URLError, ConnectionError):
                    time.sleep(0.1)
            yield f"{url}/v1/mine"
        finally:
            server.kill()


def test_the_server_of_anserini_finds_what_its_index_does(make: Make, index: Path, server: str) -> None:
    collection = make(TEXTS)
    queries = pd.DataFrame({"qid": list("1234"), "query": ["number of boats", "mooring", "창문 & ?", "zeppelin"]})
    here = collection.pipeline(f'anserini(path="{index}")').transform(queries)
    there = collection.pipeline(f'anserini_server(url="{server}")').transform(queries)
    pd.testing.assert_frame_equal(here, there, atol=1e-5)


Reply = tuple[int, str, dict[str, str]]
GOOD = json.dumps({"candidates": [{"docid": "d-2", "score": 2}, {"docid": "d-1", "score": 1.5}]})


@pytest.fixture(name="replying")
def small_server() -> Iterator[Callable[..., tuple[str, list[tuple[dict[str, list[str]], str | None]]]]]:
    """Return ``replying(*replies)``: the address of a server that gives these, the last again, and its requests."""
    servers = []

    def replying(*replies: Reply) -> tuple[str, list[tuple[dict[str, list[str]], str | None]]]:
        requests: list[tuple[dict[str, list[str]], str | None]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, text, headers = replies[min(len(requests), len(replies) - 1)]
                requests.append((parse_qs(urlsplit(self.path).query), self.headers.get("X-API-Key")))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1/mine", requests

    yield replying
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_request_and_its_key(make: Make, replying: Callable[..., tuple[str, list]], monkeypatch) -> None:  # type: ignore[no-untyped-def]
    url, requests = replying((429, "", {"Retry-After": "0"}), (200, GOOD, {}))
    monkeypatch.setenv(API_KEY, "secret")
    system = make(TEXTS).pipeline(f'anserini_server(url="{url}", num_results=3)')
    assert by_docno(system.search("a & b")) == {"d-2": 2.0, "d-1": 1.5}
    asked, key = requests[-1]
    assert (asked["query"], asked["hits"], key, len(requests)) == (["a & b"], ["4"], "secret", 2)
    assert "secret" not in repr(system)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((200, "<html>", {}), "does not reply with JSON"),
        ((200, "{}", {}), "does not reply as Anserini does"),
        ((200, '{"candidates": [{"docid": 3, "score": 1}]}', {}), "does not reply as Anserini does"),
        ((200, '{"candidates": [{"docid": "d-1", "score": NaN}]}', {}), "does not reply as Anserini does"),
        ((200, '{"candidates": [{"docid": "d-1", "score": null}]}', {}), "does not reply as Anserini does"),
        ((200, "[]", {"Content-Length": "9"}), "cannot be reached"),
        ((302, "", {"Location": "http://127.0.0.1:9/"}), "answers 302"),
        ((401, '{"error": "no"}', {}), f"wants a key: set {API_KEY}"),
        ((429, '{"error": "busy"}', {"Retry-After": "0"}), r"answers 429 \(busy\)"),
        ((500, "?", {}), "answers 500"),
    ],
)
def test_every_other_reply_is_an_error(
    make: Make, replying: Callable[..., tuple[str, list[object]]], reply: Reply, message: str
) -> None:
    url, _ = replying(reply)
    with pytest.raises(DataError, match=message):
        make(TEXTS).pipeline(f'anserini_server(url="{url}", retries=1)').search("boat")


def test_addresses(make: Make) -> None:
    collection = make(TEXTS)
    for wrong in ("ftp://host/v1/a", "host/v1/a", "http://host", "http://u:key@host/v1/a", "http://host/v1/a?k=key"):
        with pytest.raises(ExpressionError, match=r"anserini_server: url "):
            collection.pipeline(f'anserini_server(url="{wrong}")')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1/a"
    with pytest.raises(DataError, match="cannot be reached"):
        collection.pipeline(f'anserini_server(url="{url}")').search("boat")


def test_an_answer_that_takes_too_long(make: Make) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1/a"
        with pytest.raises(DataError, match="raise timeout"):
            make(TEXTS).pipeline(f'anserini_server(url="{url}", timeout=0.2)').search("boat")
