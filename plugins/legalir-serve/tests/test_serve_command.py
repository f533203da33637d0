"""``legalir serve`` and ``legalir mcp`` as processes of their own, and mistakes of their options."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from served import PLAIN, write
from typer.testing import CliRunner

from legalir_serve import processes
from legalir_serve.command import app


def free_port() -> int:
    with closing(socket.socket()) as end:
        end.bind(("127.0.0.1", 0))
        return int(end.getsockname()[1])


@pytest.mark.parametrize("workers", [1, 2])
def test_it_serves_and_ends(tmp_path: Path, workers: int) -> None:
    folder, port = write(tmp_path / "harbour", PLAIN, ""), free_port()
    (tmp_path / "tokens").write_text("# one a line\nsesame-of-a-long-cave\n")
    (tmp_path / "tokens").chmod(0o600)
    options = ["--port", str(port), "--workers", str(workers), "--tokens", str(tmp_path / "tokens")]
    command = [sys.executable, "-m", "legalir.cli.main", "serve", str(folder), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            for _ in range(2400):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/ready", timeout=5) as reply:
                        assert b'"ready":true' in reply.read()
                    break
                except (urllib.error.URLError, ConnectionError):
                    time.sleep(0.05)
            address = f"http://127.0.0.1:{port}/v1/search?q=lamp"
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(address, timeout=5)
            request = urllib.request.Request(address, headers={"authorization": "Bearer sesame-of-a-long-cave"})
            with urllib.request.urlopen(request, timeout=5) as reply:
                assert b"act-1" in reply.read()
            request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers=request.headers)
            with urllib.request.urlopen(request, timeout=5) as reply:  # Of all processes, whichever answers.
                numbers = reply.read().decode().splitlines()
            assert 'legalir_requests_total{route="/v1/search",status="401"} 1.0' in numbers
            assert 'legalir_collection_provisions{collection="harbour"} 3.0' in numbers
            assert "legalir_requests_begun 1.0" in numbers
        finally:
            server.send_signal(signal.SIGINT)
            _, said = server.communicate(timeout=30)
    assert "legalir serves harbour at http://127.0.0.1" in said
    assert "lamp" not in said and "Traceback" not in said


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server until the block ends, and return the process and its address."""
    port = free_port()
    command = [sys.executable, "-m", "legalir.cli.main", "serve", str(folder), "--port", str(port), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            end = time.monotonic() + 120  # Other tests run beside it.
            while time.monotonic() < end:
                with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/ready", timeout=5).close()
                    break
                time.sleep(0.05)
            else:
                pytest.fail("The server is not ready after two minutes.")
            yield server, f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                server.kill()
                raise


def children(process: int) -> set[int]:
    found = set[int]()
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # A thread may end while they are listed.
            found |= set(map(int, (task / "children").read_text().split()))
    return found


def is_running(process: int) -> bool:
    """Return whether a process has not ended; one that has may wait for a parent to ask."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the children of a process are read in /proc")
def test_processes_are_replaced_when_one_dies_and_when_the_collection_changes(tmp_path: Path) -> None:
    folder = write(tmp_path / "harbour", PLAIN, "")
    with running(folder, "--workers", "2") as (server, address):
        for _ in range(2_000):  # The first may serve before there is a second.
            if len(first := children(server.pid)) == 2:
                break
            time.sleep(0.05)
        assert len(first) == 2
        killed = min(first)
        os.kill(killed, signal.SIGKILL)
        for _ in range(2_000):
            if len(now := children(server.pid)) == 2 and killed not in now:
                break
            time.sleep(0.05)
        assert len(now & first) == 1

        # A new state: no request fails, and after a while all have it.
        changed = [*PLAIN, {"docno": "act-9", "title": "Harbour Act, section 9", "text": "A gull is not fed."}]
        part = folder / "part"
        part.write_text("".join(json.dumps(row) + "\n" for row in changed), encoding="utf-8")
        part.replace(folder / "corpus.jsonl")
        (folder / "links.tsv").write_text("act-9\tact-1\tself\n", encoding="utf-8")
        for _ in range(600):
            with urllib.request.urlopen(f"{address}/v1/search?q=gull", timeout=10) as reply:
                found = json.loads(reply.read())["results"]
            if found and not children(server.pid) & now:
                break
            time.sleep(0.02)
        assert found[0]["docno"] == "act-9" and len(children(server.pid)) == 2


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the children of a process are read in /proc")
def test_it_ends_while_it_starts(tmp_path: Path) -> None:
    """A signal that comes while processes are forked reaches each of them."""
    folder = write(tmp_path / "harbour", PLAIN, "")
    options = ["--workers", "6", "--port", str(free_port())]
    command = [sys.executable, "-m", "legalir.cli.main", "serve", str(folder), *options]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            while not children(server.pid) and server.poll() is None:
                time.sleep(0.002)
            server.terminate()
            assert server.wait(timeout=30) == 0
        finally:
            server.kill()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the children of a process are read in /proc")
def test_no_process_serves_on_when_the_first_is_killed(tmp_path: Path) -> None:
    with running(write(tmp_path / "harbour", PLAIN, ""), "--workers", "2") as (server, _):
        for _ in range(2_000):
            if len(left := children(server.pid)) == 2:
                break
            time.sleep(0.05)
        server.kill()
        server.wait()
        for _ in range(2_000):
            left = {child for child in left if is_running(child)}
            if not left:
                break
            time.sleep(0.05)
        assert not left


def test_an_agent_starts_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "harbour", PLAIN, "")
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "legalir.cli.main", "mcp", str(folder)], env=dict(os.environ)
    )

    async def session() -> object:
        async with Client(started) as client:
            found = await client.call_tool("search_provisions", {"question": "lamp at night"})
            return (found.structured_content or {})["provisions"][0]["docno"]

    assert asyncio.run(session()) == "act-1"


NPM = Path(os.environ.get("NPM_CLIENT") or Path(__file__).parents[3] / "build" / "npm")
"""Where npm has installed @modelcontextprotocol/sdk."""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
@pytest.mark.skipif(not (NPM / "node_modules" / "@modelcontextprotocol").exists(), reason=f"{NPM} has no client of npm")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_client_of_npm(tmp_path: Path, transport: str) -> None:
    """It checks each reply by the schema of its tool."""
    folder = write(tmp_path / "harbour", PLAIN, "")

    def asked(*server: str) -> None:
        command = ["node", str(Path(__file__).with_name("client.mjs")), *server]
        ran = subprocess.run(
            command, env={**os.environ, "NPM_CLIENT": str(NPM)}, capture_output=True, text=True, timeout=180
        )
        assert ran.returncode == 0, ran.stderr
        reply = json.loads(ran.stdout)
        assert len(reply["tools"]) == 9 and reply["found"]["state"] == reply["read"]["state"] == "found"
        assert reply["wrong"]["code"] == "invalid" and reply["resource"].endswith(reply["read"]["text"])

    if transport == "stdio":
        asked(sys.executable, "-m", "legalir.cli.main", "mcp", str(folder))
    else:
        with running(folder) as (_, address):
            asked(f"{address}/mcp")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--pipeline", "bm25"], "NAME=EXPRESSION"),
        (["--allow", "nix"], "nix"),
        (["--tokens", "/nowhere/tokens"], "cannot be read"),
    ],
)
def test_mistakes(tmp_path: Path, options: list[str], reason: str) -> None:
    folder = write(tmp_path / "harbour", PLAIN, "")
    ran = CliRunner().invoke(app, [str(folder), *options], env={"COLUMNS": "300"})
    assert ran.exit_code != 0
    assert reason in ran.output + str(ran.exception)


def test_a_fault_in_opening_anew_leaves_what_is_served(caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> object:
        raise RuntimeError("a fault")

    assert not processes._renewed(fails) and "could not be opened anew: RuntimeError" in caplog.text
    assert processes._renewed(lambda: ["harbour"]) and not processes._renewed(list)
