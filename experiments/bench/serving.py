"""Load on a server: many clients that ask without a pause, beside the loop that one would write around a pipeline.

    python experiments/bench/serving.py [--clients N] [--seconds N] [--processes N]

Both serve kr-statutes at ``$LEGALIR_DATA``, or else the bundled collection, with `default`, and clients and servers
share the processors of the machine. The plain loop is FastAPI with one function, which calls the PyTerrier pipeline.
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
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
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
    options = parser.parse_args()
    place = str(folder("kr-statutes") or "legalir/firecode")
    os.environ["PLAIN_DATASET"] = place
    collection = Collection(place)
    rows = [{"docno": one.doc_id, "text": one.text} for one in collection.source.docs()]
    _, asked = questions(rows)
    collection.search(asked[0])  # Indexes are there before a server starts.
    here = str(Path(__file__).parent)
    print(f"{options.clients} clients for {options.seconds:.0f} s, {len(rows):,} provisions\n")
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
