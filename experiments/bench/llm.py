"""What asking a language model costs beside the model: the cache, `rar` over recorded replies, many requests at once.

    python experiments/bench/llm.py

Needs no collection, no model and no network: the server runs on this machine and takes a fixed time for each reply,
whatever else it does. The arms take turns; medians. The cache and `rar` are in processor time, the rest by the clock.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import openai
import pandas as pd
import pyterrier as pt
from pyterrier_caching import KeyValueCache

from legalir import Client, Collection
from legalir.fuse.rrf import RRF
from legalir.llm.chat import ChatReply, ChatRequest
from legalir.llm.prompts import load_prompt

ROUNDS, STORED, QUESTIONS, HITS = 5, 10_000, 1000, 300
CONCURRENCY, TURNS = 32, 20
LATENCIES = (0.25, 1.0)

Claim = tuple[str, str, bool | None]


class Instant:
    """A model that answers at once."""

    name, host, concurrency = "instant", "", 1

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return a reply of some 300 characters."""
        return ChatReply(
            f"{request.question} 무창층에는 비상구를 둔다. " * 10, prompt_tokens=200, completion_tokens=100
        )


def milliseconds(work: Callable[[], object], times: int) -> float:
    """Return the processor time of each of `times` pieces of `work`."""
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start) / times


def cache(folder: Path) -> list[Claim]:
    """A stored reply, read from a file of 10 000: by the client, by SQLite alone, and as a rewriter beside a peer."""
    path, hyde = folder / "llm.sqlite", load_prompt("hyde", "ko")
    values = [{"question": f"창문 없는 층 {number}호의 기준은?"} for number in range(STORED)]
    Client(Instant(), cache=path).ask(hyde, values)
    asked = values[:: STORED // HITS][:HITS]
    client = Client(Instant(), cache=path, offline=True)

    def hits() -> None:
        for one in asked:
            client.ask(hyde, [one])

    with closing(sqlite3.connect(path)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM replies LIMIT ?", (HITS,))]
        select = "SELECT line FROM replies WHERE key = ?"

        def rows() -> None:
            for key in keys:
                database.execute(select, (key,)).fetchone()

        rewriter = Collection("legalir/firecode", client=Client(Instant(), cache=path)).pipeline("hyde")
        topics = pd.DataFrame({"qid": map(str, range(STORED)), "query": [one["question"] for one in values]})
        peer = KeyValueCache(str(folder / "peer"), rewriter, key="qid", value=["query", "query_0", "reply_state"])
        for stage in (rewriter, peer):
            stage.transform(topics)
        frames = [topics.iloc[[row]] for row in range(0, STORED, STORED // HITS)][:HITS]

        def transform(stage: pt.Transformer) -> None:
            for frame in frames:
                stage.transform(frame)

        arms = [hits, rows, partial(transform, rewriter), partial(transform, peer)]
        rounds = [[milliseconds(arm, HITS) for arm in arms] for _ in range(ROUNDS)]
    ours, bare, whole, theirs = (median(times) for times in zip(*rounds, strict=True))
    return [
        ("cache hit, ms a question alone: below 1", f"{ours:.3f} (SQLite's own read {bare:.3f})", ours < 1),
        (
            "`hyde` with a stored reply, ms a question alone, beside `pyterrier_caching.KeyValueCache` (not a claim)",
            f"{whole:.2f} and {theirs:.2f}",
            None,
        ),
    ]


class Written(pt.Transformer):
    """Puts queries that are there already in place of questions: the least that a rewriter does."""

    def __init__(self, rewritten: pd.DataFrame) -> None:
        self.queries = dict(zip(rewritten["qid"], rewritten["query"], strict=True))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(query_0=inp["query"], query=inp["qid"].map(self.queries))


def recorded_rar(folder: Path) -> list[Claim]:
    """1 000 questions through `rar` with recorded replies, beside its three searches and fusion alone."""
    plain = Collection("legalir/firecode/test")
    provisions, asked = list(plain.docs()), list(plain.topics()["query"])
    topics = pd.DataFrame(
        [(str(number), f"{asked[number % len(asked)]} ({number})") for number in range(QUESTIONS)],
        columns=["qid", "query"],
    )
    lines = [
        {"prompt": prompt, "question": question, "text": text[:400]}
        for number, question in enumerate(topics["query"])
        for provision in [provisions[number % len(provisions)]]
        for prompt, text in (("analytical", provision.title or provision.text), ("rationale", provision.text))
    ]
    file = folder / "replies.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")

    def collection(name: object) -> Collection:
        client = Client(f"recorded(path={str(file)!r})", cache=folder / f"{name}.sqlite")
        return Collection("legalir/firecode", client=client)

    search = plain.pipeline("bm25") % 30
    stages = (collection("stages").pipeline(one) for one in ("analytical", "analytical >> rationale"))
    searches = RRF(search, *(Written(stage.transform(topics)) >> search for stage in stages)) % 20
    expected = searches.transform(topics)[["qid", "docno", "rank"]]
    rounds = []
    for turn in range(ROUNDS):
        whole = collection(turn).pipeline("rar(bm25)")
        arms = (searches, whole, whole)
        rounds.append([milliseconds(partial(arm.transform, topics), QUESTIONS) for arm in arms])
        assert expected.equals(whole.transform(topics)[expected.columns])
    alone = median(times[0] for times in rounds)
    first, again = (median(times[place] - times[0] for times in rounds) for place in (1, 2))
    text = f"{first:.2f} at first, {again:.2f} from the cache (its searches and fusion {alone:.2f})"
    return [
        (f"{QUESTIONS:,} recorded questions through `rar`, ms a question added: below 5", text, max(first, again) < 5)
    ]


async def serve(latency: float) -> None:
    """Answer each request `latency` seconds after it came, on a free port, which is printed."""
    message = {"role": "assistant", "content": "무창층에는 비상구를 둔다. " * 10}
    usage = {"prompt_tokens": 200, "completion_tokens": 100, "total_tokens": 300}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    reply = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    body = json.dumps(reply).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while request := await reader.readuntil(b"\r\n\r\n"):
            end = asyncio.get_running_loop().time() + latency
            fields = dict(line.lower().split(b": ", 1) for line in request.split(b"\r\n")[1:-2])
            await reader.readexactly(int(fields[b"content-length"]))
            await asyncio.sleep(end - asyncio.get_running_loop().time())
            writer.write(head + body)

    def quiet(loop: asyncio.AbstractEventLoop, context: Mapping[str, object]) -> None:
        """A connection that ends is not a fault."""

    asyncio.get_running_loop().set_exception_handler(quiet)
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def server(latency: float) -> Iterator[str]:
    command = [sys.executable, __file__, "serve", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


def ours(url: str, questions: list[str], folder: Path) -> None:
    llm = f"openai(model='m', base_url={url!r}, concurrency={CONCURRENCY})"
    client = Client(llm, cache=folder / f"{time.time_ns()}.sqlite")
    answers = client.ask(load_prompt("hyde", "ko"), [{"question": question} for question in questions])
    assert all(answer.state == "ok" for answer in answers)


def threads(url: str, questions: list[str], folder: Path) -> None:
    with openai.OpenAI(base_url=url, api_key="none") as client, ThreadPoolExecutor(CONCURRENCY) as pool:
        ask = partial(client.chat.completions.create, model="m", temperature=0)
        messages = ([{"role": "user", "content": question}] for question in questions)
        assert all(reply.choices for reply in pool.map(lambda one: ask(messages=one), messages))


def tasks(url: str, questions: list[str], folder: Path) -> None:
    async def ask_all() -> None:
        limit = asyncio.Semaphore(CONCURRENCY)
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:

            async def ask(question: str) -> object:
                async with limit:
                    messages = [{"role": "user", "content": question}]
                    return await client.chat.completions.create(model="m", messages=messages, temperature=0)

            await asyncio.gather(*map(ask, questions))

    asyncio.run(ask_all())


def at_once(folder: Path) -> list[Claim]:
    """640 questions, 32 at once, beside the client of openai in threads and in tasks, which store and check nothing."""
    claims: list[Claim] = []
    for latency in LATENCIES:
        arms, seconds = (ours, threads, tasks), []
        with server(latency) as url:
            for arm in arms:
                arm(url, ["warm"], folder)
            for turn in range(3):
                questions = [f"창문 없는 층 {turn}-{number}호의 기준은?" for number in range(CONCURRENCY * TURNS)]
                times = []
                for arm in arms:
                    start = time.perf_counter()
                    arm(url, questions, folder)
                    times.append(time.perf_counter() - start)
                seconds.append(times)
        shares = [latency * TURNS / median(arm) for arm in zip(*seconds, strict=True)]
        text = f"{shares[0]:.0%} (`openai` in threads {shares[1]:.0%}, in tasks {shares[2]:.0%})"
        name = f"{CONCURRENCY} requests at once, {latency:g} s a reply, share of the limit: at least 80 %"
        claims.append((name, text, shares[0] >= 0.8))
    return claims


def main() -> None:
    """Measure all of it and print a table of claims."""
    print("| claim | measured | |\n|---|---|---|")
    for measure in (cache, recorded_rar, at_once):
        with tempfile.TemporaryDirectory() as folder:
            for claim, measured, passed in measure(Path(folder)):
                verdict = {True: "pass", False: "**fail**", None: ""}[passed]
                print(f"| {claim} | {measured} | {verdict} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(float(sys.argv[2])))
    else:
        main()
