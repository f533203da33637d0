import hashlib
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from forked import child

from legalir.datasets.download import Download, download
from legalir.errors import DownloadError

BODY = bytes(range(256)) * 256  # 64 KiB
SHA = hashlib.sha256(BODY).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves BODY, and misbehaves as it is told: `script` holds what to do for each request, then is good."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = []
        self.ranges = []
        self.body = BODY
        self.headers = {"ETag": '"v1"'}
        self.honours_ranges = True

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/statutes.jsonl"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        asked = self.headers.get("Range")
        server.ranges.append(asked)
        what = server.script.pop(0) if server.script else "good"
        if isinstance(what, int):
            self.send_error(what)
            return
        if isinstance(what, tuple):
            self.send_response(302)
            self.send_header("Location", what[0])
            self.end_headers()
            return
        start = 0
        if asked and server.honours_ranges and self.headers.get("If-Range") == server.headers.get("ETag"):
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(server.body):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(server.body) - 1}/{len(server.body)}")
        else:
            self.send_response(200)
        for name, value in server.headers.items():
            self.send_header(name, value)
        data = server.body[start:]
        if what != "no length":
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if what == "cut":
            data = data[: len(data) // 3]
        elif what == "slow":
            self.wfile.write(data[:1000])
            time.sleep(0.6)
            return
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "source" / "statutes.jsonl"


def fetch(server, target, **options):
    pauses = []
    download(Download(server.url, **{"sha256": SHA, "timeout": 5.0, **options}), target, sleep=pauses.append)
    return pauses


def names(target):
    return sorted(path.name for path in target.parent.iterdir() if not path.name.endswith(".lock"))


def test_a_good_server(server, target):
    assert fetch(server, target, size=len(BODY)) == []
    assert target.read_bytes() == BODY
    assert names(target) == ["statutes.jsonl"]


def test_what_is_there_is_not_fetched(server, target):
    target.parent.mkdir()
    target.write_bytes(b"placed by hand")
    fetch(server, target)
    assert target.read_bytes() == b"placed by hand"
    assert server.ranges == []


def test_cut_connections_are_continued_where_they_broke_off(server, target):
    server.script = ["cut", "cut", "good"]
    assert fetch(server, target, pause=0.5) == [0.5, 1.0]
    assert target.read_bytes() == BODY
    first = len(BODY) // 3
    second = first + (len(BODY) - first) // 3
    assert server.ranges == [None, f"bytes={first}-", f"bytes={second}-"]


def test_a_later_call_continues_what_an_earlier_one_left(server, target):
    server.script = ["cut"]
    with pytest.raises(DownloadError, match="21845 of 65536 bytes"):
        fetch(server, target, tries=1)
    assert not target.exists()
    fetch(server, target, tries=1)
    assert server.ranges == [None, "bytes=21845-"]
    assert target.read_bytes() == BODY


def test_a_server_that_ignores_ranges_is_asked_for_all_of_it(server, target):
    server.honours_ranges = False
    server.script = ["cut", "good"]
    fetch(server, target)
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("headers", [{}, {"ETag": 'W/"weak"'}])
def test_without_a_strong_validator_nothing_is_continued(server, target, headers):
    server.headers = headers
    server.script = ["cut", "good"]
    fetch(server, target)
    assert server.ranges == [None, None]
    assert target.read_bytes() == BODY


def test_a_file_that_changed_on_the_server_is_not_mixed(server, target):
    server.script = ["cut"]
    with pytest.raises(DownloadError):
        fetch(server, target, tries=1)
    server.body, server.headers = b"new content", {"ETag": '"v2"'}
    fetch(server, target, sha256=hashlib.sha256(b"new content").hexdigest())
    assert target.read_bytes() == b"new content"


def test_a_part_that_is_longer_than_the_file(server, target):
    server.script = ["cut"]
    with pytest.raises(DownloadError):
        fetch(server, target, tries=1)
    server.body = b"short"
    fetch(server, target, sha256=hashlib.sha256(b"short").hexdigest())
    assert target.read_bytes() == b"short"


def test_wrong_bytes_never_get_the_name(server, target):
    server.body = BODY[:-1] + b"!"
    with pytest.raises(DownloadError, match="65536 bytes with sha256"):
        fetch(server, target, tries=2)
    assert names(target) == []


def test_a_wrong_size_never_gets_the_name(server, target):
    with pytest.raises(DownloadError, match="not 5 bytes"):
        fetch(server, target, sha256=None, size=5, tries=1)
    assert names(target) == []


@pytest.mark.parametrize("code", [404, 403])
def test_a_refusal_is_final(server, target, code):
    server.script = [code]
    with pytest.raises(DownloadError, match=f"the server answers {code}") as error:
        fetch(server, target)
    assert len(server.ranges) == 1
    assert server.url in str(error.value)
    assert f"place it as {target}" in str(error.value)
    assert names(target) == []


@pytest.mark.parametrize("code", [503, 429])
def test_a_busy_server_is_asked_again(server, target, code):
    server.script = [code, code, "good"]
    assert fetch(server, target, pause=1.0) == [1.0, 2.0]
    assert target.read_bytes() == BODY


def test_a_server_that_stalls(server, target):
    server.script = ["slow"] * 2
    with pytest.raises(DownloadError, match="timed out, 2 times"):
        fetch(server, target, timeout=0.1, tries=2)
    assert not target.exists()


def test_more_than_allowed(server, target):
    with pytest.raises(DownloadError, match="65536 bytes, more than the 1000"):
        fetch(server, target, max_bytes=1000)
    server.script = ["no length"]
    with pytest.raises(DownloadError, match="larger than allowed"):
        fetch(server, target, max_bytes=1000)
    assert not target.exists()


def test_no_length_is_no_fault(server, target):
    server.script = ["no length"]
    fetch(server, target)
    assert target.read_bytes() == BODY


def test_nobody_there(target):
    with pytest.raises(DownloadError, match=r"http://127.*refused.*, 2 times"):
        download(Download("http://127.0.0.1:9/x", tries=2), target, sleep=lambda pause: None)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "statutes.jsonl"])
def test_other_addresses_are_refused(target, url):
    with pytest.raises(DownloadError, match="https"):
        download(Download(url), target)


@pytest.mark.parametrize("place", ["file:///etc/hostname", "ftp://127.0.0.1/x"])
def test_a_redirection_to_another_scheme_is_refused(server, target, place):
    server.script = [(place,)]
    with pytest.raises(DownloadError, match=r"https nor http|not allowed"):
        fetch(server, target)
    assert len(server.ranges) == 1
    assert names(target) == []


def test_a_redirection_is_followed(server, target):
    server.script = [(server.url,)]
    fetch(server, target)
    assert target.read_bytes() == BODY


def test_two_at_once_fetch_once(server, target):
    threads = [threading.Thread(target=fetch, args=(server, target)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.ranges) == 1
    assert target.read_bytes() == BODY


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_download_leaves_no_half_file_under_the_name(server, target):
    server.script = ["slow"]
    process = child(download, Download(server.url), target)
    deadline = time.monotonic() + 20
    while not server.ranges and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.join()
    assert server.ranges == [None]
    assert not target.exists()
    fetch(server, target)
    assert target.read_bytes() == BODY
