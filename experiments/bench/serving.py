"""Load on a server: many clients that ask without a pause, beside the loop that one would write around a pipeline.

    python experiments/bench/serving.py [--clients N] [--seconds N] [--processes N]
    python experiments/bench/serving.py --hostile [--clients N] [--seconds N] [--processes N]

Both serve kr-statutes at ``$LEGALIR_DATA``, or else the bundled collection, with `default`, and clients and servers
share the processors of the machine. The plain loop is FastAPI with one function, which calls the PyTerrier pipeline.
With ``--hostile`` one more client sends words of 16 000 letters, heavy expressions, large texts and slow requests, and
``/v1/health`` is asked ten times a second, to see whether the server stops for anybody.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from material import folder, questions

from legalir import Collection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI


def plain() -> FastAPI:
    """Return the application that one would write around a pipeline."""
    from fastapi import FastAPI

    app, collection = FastAPI(), Collection(os.environ["PLAIN_DATASET"])
    pipeline = collection.pipeline("default % 10")
    pipeline.search("1")

    @app.get("/v1/search")
    def search(q: str, k: int = 10) -> list[dict[Any, Any]]:
        rows = pipeline.search(q).head(k).to_dict("records")
        provisions = collection.provisions(row["docno"] for row in rows)
        return [{**row, "title": provisions[row["docno"]].title, "text": provisions[row["docno"]].text} for row in rows]

    @app.get("/v1/ready")
    def ready() -> dict[str, bool]:
        return {"ready": True}

    return app


def megabytes(process: int) -> tuple[float, float]:
    """Return the proportional set size of a process and its children, and the part of it that is no mapped file."""
    total, own, waiting = 0.0, 0.0, [process]
    while waiting:
        one = waiting.pop()
        try:
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
            tasks = list(Path(f"/proc/{one}/task").iterdir())
            waiting += [int(each) for task in tasks for each in (task / "children").read_text().split()]
        except FileNotFoundError:
            continue
        sizes = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in rollup.splitlines()[1:]}
        total, own = total + sizes["Pss"], own + sizes["Pss_Anon"]
    return total, own


@contextmanager
def serving(command: Sequence[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the block ends; it is ready when the block begins."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(1200):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/ready", timeout=5):
                        break
                except OSError:
                    time.sleep(0.1)
            yield process
        finally:
            process.terminate()


async def client(port: int, asked: Sequence[str], first: int, end: float, took: list[float], faults: list[int]) -> None:
    """Ask one question after the other over one connection until the time is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    number = first
    while time.perf_counter() < end:
        begun = time.perf_counter()
        query = quote(asked[number % len(asked)])
        writer.write(f"GET /v1/search?k=10&q={query} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        except (OSError, asyncio.IncompleteReadError):  # The server closed the connection before it had the question.
            faults.append(0)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        length = int(head.partition("content-length:")[2].split()[0])
        json.loads(await reader.readexactly(length))
        took.append(time.perf_counter() - begun)
        if (status := int(head.split()[1])) != 200:
            faults.append(status)
        number += 7
    writer.close()


async def load(port: int, asked: Sequence[str], clients: int, seconds: float) -> tuple[list[float], list[int]]:
    """Return the seconds of each answer, and the status of each answer that is none."""
    took, faults = list[float](), list[int]()
    end = time.perf_counter() + seconds
    await asyncio.gather(*(client(port, asked, 31 * number, end, took, faults) for number in range(clients)))
    return took, faults


_LONG = "a" * 16_000
_WEIGHTED = ", ".join(f"bm25(k1={1 + number / 1000})" for number in range(6))


def hostile_requests(number: int) -> list[tuple[str, str, str]]:
    """Return method, address and body of requests that cost much; no two rounds ask for the same."""
    heavy = f"rrf({_WEIGHTED.replace('k1=1', f'k1={number % 900 + 1}')})"
    again, deep = f"bm25 >> nitilink(depth=4) >> nitilink(depth={number % 4 + 1})", "rrf(" * 200 + "bm25" + ")" * 200
    text = json.dumps({"text": f"Section {number} of the Act. " * 2_000})
    return [
        ("GET", f"/v1/search?k=100&q={_LONG[:3_900]}", ""),
        ("GET", f"/?k=100&q={_LONG[:3_900]}", ""),
        ("GET", f"/verify?text={_LONG}", ""),
        ("GET", f"/provision?docno=vrule-6&words={_LONG}", ""),
        ("GET", f"/v1/search?q=a&k=100&pipeline={quote(heavy)}", ""),
        ("GET", f"/v1/search?q=a&k=100&pipeline={quote(again)}", ""),
        ("GET", f"/v1/search?q=a&pipeline={quote(deep)}", ""),
        ("GET", f"/v1/search?q=a&where={quote('path~' + _LONG[:1_900])}", ""),
        ("POST", "/v1/verify", text),
        ("POST", "/v1/search", json.dumps({"q": "\u0e01" * 4_000, "k": 100, "offset": number % 90})),
        ("POST", "/v1/verify", "[" * 200_000),
    ]


async def hostile(port: int, end: float, statuses: list[int]) -> None:
    """Send hostile requests, eight at a time, and hold 200 connections on which requests come slowly.

    They come from an address of their own, as another client.
    """
    own = ("127.0.0.2", 0) if sys.platform == "linux" else None
    slow = [await asyncio.open_connection("127.0.0.1", port, local_addr=own) for _ in range(200)]
    for _, writer in slow:
        writer.write(b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\n{")

    async def ask(method: str, address: str, body: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=own)
        head = f"{method} {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        content = f"Content-Type: application/json\r\nContent-Length: {len(body.encode())}\r\n" if body else ""
        try:
            writer.write(f"{head}{content}\r\n{body}".encode())
            line = await reader.readline()
            statuses.append(int(line.split()[1]) if line else 0)
            while await reader.read(65_536):
                pass
        except OSError:
            statuses.append(0)  # The server closed it.
        finally:
            writer.close()

    async def one(first: int) -> None:
        number = first
        while time.perf_counter() < end:
            for request in hostile_requests(number):
                if time.perf_counter() < end:
                    await ask(*request)
            number += 8

    await asyncio.gather(*map(one, range(8)))
    for _, writer in slow:
        writer.close()


async def watched(port: int, end: float, waits: list[float]) -> None:
    """Ask whether the server lives, ten times a second, each time on a connection of its own."""
    while time.perf_counter() < end:
        begun = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        await reader.read()
        writer.close()
        waits.append(time.perf_counter() - begun)
        await asyncio.sleep(0.1)


def attacked(place: str, asked: Sequence[str], processes: int, options: argparse.Namespace) -> None:
    """Print what honest clients get, first alone and then beside a hostile one."""
    port = free_port()
    command = [sys.executable, "-m", "legalir.cli.main", "serve", place, "--port", str(port)]
    command += ["--workers", str(processes)]

    async def both(end: float, waits: list[float], statuses: list[int], hostility: bool) -> Any:
        jobs = [load(port, asked, options.clients, end - time.perf_counter()), watched(port, end, waits)]
        return (await asyncio.gather(*jobs, *([hostile(port, end, statuses)] if hostility else [])))[0]

    with serving(command, port) as process:
        asyncio.run(load(port, asked, 4, 3))
        for _ in range(10 * processes):  # What the first page and the first text make is no growth.
            for address in (f"/?q={quote(asked[0])}", f"/verify?text={quote(asked[0])}"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}{address}", timeout=60).close()
        before = megabytes(process.pid)[1]
        for hostility in (False, True):
            waits, statuses = list[float](), list[int]()
            end = time.perf_counter() + options.seconds
            took, faults = asyncio.run(both(end, waits, statuses, hostility))
            took.sort()
            median, p95 = (1000 * took[int(share * len(took))] for share in (0.5, 0.95))
            grown, name = megabytes(process.pid)[1] - before, "beside a hostile client" if hostility else "alone"
            kinds = ", ".join(f"{each}: {statuses.count(each)}" for each in sorted(set(statuses)))
            print(
                f"| {processes} | {name} | {len(took):,} | {len(faults)} | {median:.0f} | {p95:.0f} | "
                f"{1000 * max(waits):.0f} | {grown:.0f} | {kinds} |",
                flush=True,
            )


def measured(name: str, command: Sequence[str], port: int, asked: Sequence[str], options: argparse.Namespace) -> None:
    """Print the row of a server."""
    with serving(command, port) as process:
        asyncio.run(load(port, asked, 4, 3))
        before = megabytes(process.pid)
        took, faults = asyncio.run(load(port, asked, options.clients, options.seconds))
        after = megabytes(process.pid)
    took.sort()
    cells = [f"{1000 * took[int(share * len(took))]:.0f}" for share in (0.5, 0.95, 0.99)]
    row = [name, f"{len(took):,}", f"{len(faults)}", f"{len(took) / options.seconds:.0f}", *cells]
    sizes = [f"{total:.0f} ({own:.0f})" for total, own in (before, after)]
    print(f"| {' | '.join([*row, *sizes])} |", flush=True)


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=64, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=300, help="default: %(default)s")
    parser.add_argument("--processes", type=int, default=2, help="of the last row; default: %(default)s")
    parser.add_argument("--hostile", action="store_true", help="measure beside a hostile client instead")
    options = parser.parse_args()
    place = str(folder("kr-statutes") or "legalir/firecode")
    os.environ["PLAIN_DATASET"] = place
    collection = Collection(place)
    rows = [{"docno": one.doc_id, "text": one.text} for one in collection.source.docs()]
    _, asked = questions(rows)
    collection.search(asked[0])  # Indexes are there before a server starts.
    here = str(Path(__file__).parent)
    print(f"{options.clients} clients for {options.seconds:.0f} s, {len(rows):,} provisions\n")
    if options.hostile:
        print(
            "| processes | | answers | refused | median ms | p95 | longest wait for /v1/health | MB grown | replies |"
        )
        print("|--:|---|--:|--:|--:|--:|--:|--:|---|", flush=True)
        for processes in dict.fromkeys((1, options.processes)):
            attacked(place, asked, processes, options)
        return
    print("| | answers | refused | a second | median ms | p95 | p99 | MB before (without files) | after |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    port = free_port()
    uvicorn = [sys.executable, "-m", "uvicorn", "serving:plain", "--factory", "--app-dir", here, "--port", str(port)]
    measured("a loop behind FastAPI", [*uvicorn, "--log-level", "error"], port, asked, options)
    for processes in dict.fromkeys((1, options.processes)):
        port = free_port()
        serve = [sys.executable, "-m", "legalir.cli.main", "serve", place, "--port", str(port)]
        what = f"legalir serve, {processes} process{'es' * (processes > 1)}"
        measured(what, [*serve, "--workers", str(processes)], port, asked, options)


if __name__ == "__main__":
    main()
