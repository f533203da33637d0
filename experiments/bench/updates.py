"""Updates of a collection: what a change of 1 % costs beside a build, and searching meanwhile.

    python experiments/bench/updates.py [--provisions N]

Provisions and links are those of kr-statutes at ``$LEGALIR_DATA``, or else those of the bundled collection. An update
adds a sentence to one provision of a hundred, removes one of a thousand and adds as many.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from material import folder, questions, sample

from legalir import Collection, datasets
from legalir.graph.laws import LawTable
from legalir.lexical.bm25f import FieldIndex
from legalir.references.lookup import NumberTable

PIPELINES = ("bm25 % 10", "bm25f % 10", "default % 10")
_SENTENCE = " 다만, 천재지변으로 기한을 지킬 수 없는 경우에는 그러하지 아니하다."


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Replace the corpus of a folder."""
    part = path / "part"
    part.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    part.replace(path / "corpus.jsonl")


def edit(rows: list[dict[str, str]], draw: random.Random, number: int) -> None:
    """Change one provision of a hundred, and replace one of a thousand by a new one."""
    for place in draw.sample(range(len(rows)), max(1, round(len(rows) / 100))):
        rows[place] = {**rows[place], "text": rows[place]["text"] + _SENTENCE}
    for place in draw.sample(range(len(rows)), max(1, round(len(rows) / 1000))):
        new = rows.pop(place)
        rows.append({**new, "docno": f"{new['docno'].partition('~')[0]}~{number}-{place}"})


def milliseconds(collection: Collection, asked: list[str], expression: str) -> float:
    """Return the median time of a question, asked one by one."""
    pipeline = collection.pipeline(expression)
    for question in asked:
        pipeline.search(question)
    took = []
    for question in asked:
        begun = time.perf_counter()
        pipeline.search(question)
        took.append(time.perf_counter() - begun)
    return 1000 * sorted(took)[len(took) // 2]


def update(path: Path) -> tuple[float, dict[str, float]]:
    """Update in a process of its own, as a person does; return the seconds of all and of each index."""
    command = [sys.executable, "-m", "legalir.cli.main", "update", str(path), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    return report["total"], report["seconds"]


def first_build(collection: Collection) -> tuple[float, dict[str, float]]:
    """Build everything that `default` and `bm25` need; return the seconds of all, and of each index."""
    parts, begun = {}, time.perf_counter()
    for name, make in (
        ("law table", lambda: LawTable.of(collection)),
        ("number table", lambda: NumberTable.of(collection)),
        ("citation graph", lambda: collection.graph),
        ("sparse index (char2)", collection.sparse),
        ("field index (char2)", lambda: FieldIndex.of(collection)),
    ):
        start = time.perf_counter()
        make()
        parts[name] = time.perf_counter() - start
    return time.perf_counter() - begun, parts


def row(what: str, build: float, changed: float) -> None:
    """Print a row of the table."""
    print(f"| {what} | {build:.2f} | {changed:.2f} | {100 * changed / build:.0f} % |", flush=True)


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--provisions", type=int, help="at most this many")
    options = parser.parse_args()
    source = datasets.load(folder("kr-statutes") or "legalir/firecode")
    rows = [{"docno": one.doc_id, **{k: v for k, v in one._asdict().items() if k != "doc_id"}} for one in source.docs()]
    rows = sample(rows, min(options.provisions or len(rows), len(rows)))
    _, asked = questions(rows)
    asked = asked[:100]
    draw = random.Random(3)
    with tempfile.TemporaryDirectory(prefix="legalir-updates-") as scratch:
        os.environ["LEGALIR_HOME"] = str(Path(scratch) / "home")
        laws = Path(scratch) / "laws"
        laws.mkdir()
        write(laws, rows)
        links = "".join(f"{a}\t{b}\t{kind}\n" for a, b, kind in source.links())
        (laws / "links.tsv").write_text(links, encoding="utf-8")
        build, parts = first_build(Collection(laws))
        gc.collect()
        edit(rows, draw, 0)
        write(laws, rows)
        changed, of_parts = update(laws)
        print(f"{len(rows):,} provisions, {links.count(chr(10)):,} links; 1 % changed\n")
        print("| | build s | update s | |\n|---|--:|--:|--:|")
        row("all, from the files", build, changed)
        for name in parts:
            if name in of_parts and parts[name] >= 0.1:
                row(name, parts[name], of_parts[name])
        reader = Collection(laws)
        alone = {expression: milliseconds(reader, asked, expression) for expression in PIPELINES}
        command = [sys.executable, "-m", "legalir.cli.main", "update", str(laws)]
        print("\n| | ms a question | while another process updates |\n|---|--:|--:|", flush=True)
        for number, expression in enumerate(PIPELINES):
            edit(rows, draw, 2 + number)
            write(laws, rows)
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as updating:
                took = []
                pipeline = reader.pipeline(expression)
                while updating.poll() is None:
                    for question in asked:
                        begun = time.perf_counter()
                        pipeline.search(question)
                        took.append(time.perf_counter() - begun)
            meanwhile = 1000 * sorted(took)[len(took) // 2]
            print(f"| {expression} | {alone[expression]:.2f} | {meanwhile:.2f} |", flush=True)


if __name__ == "__main__":
    main()
