"""Growth of an index of terms with the collection: time and memory of a build, size, time of a question.

    python experiments/bench/growth.py [--sizes N …] [--arms NAME …]

Provisions are those of kr-statutes at ``$LEGALIR_DATA``. Above their number the growth is synthetic: further copies of
each, cut to a random stretch of 60 to 100 % of its words. Each arm indexes the same terms (``char2``) in a process of
its own on one thread, and answers the same questions of at most 90 characters one by one, for the best 10. Needs the
packages bm25s, numba, tantivy and pyterrier-pisa.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from child import run_script
from material import provisions, questions

SIZES = [5_986, 23_946, 95_787, 191_574, 500_000, 1_000_000, 2_000_000]
ARMS = ("legalir", "tantivy", "pisa", "bm25s")
_MOST = {"bm25s": 200_000, "pisa": 1_000_000}
"""Provisions above which an arm is not run: bm25s would need more memory than there is, PISA more time."""

Ask = Callable[[str], list[str]]


def write(folder: Path, size: int) -> None:
    """Write `size` provisions and the questions."""
    _, documents = provisions()
    _, asked = questions(documents)
    draw = random.Random(5)
    with (folder / "provisions.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(size):
            document, copy = documents[number % len(documents)], number // len(documents)
            if copy:
                words = document["text"].split(" ")
                kept = max(1, int(len(words) * draw.uniform(0.6, 1)))
                first = draw.randrange(len(words) - kept + 1)
                document = {**document, "docno": f"{document['docno']}~{copy}"}
                document["text"] = " ".join(words[first : first + kept])
            stream.write(json.dumps(document, ensure_ascii=False) + "\n")
    (folder / "questions.json").write_text(json.dumps(asked[:100]), encoding="utf-8")


def documents(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the provisions."""
    with (folder / "provisions.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Terms:
    """The terms of texts as words of letters and digits, for engines that cut texts themselves."""

    def __init__(self) -> None:
        from legalir.analysis.analyzer import get_analyzer

        self._terms = get_analyzer("char2").terms
        self._number: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        number = self._number
        return " ".join([f"t{number.setdefault(term, len(number))}" for term in self._terms(text)])


def indexed(document: dict[str, str]) -> str:
    """Return what legalir indexes of a document."""
    from legalir.storage.documents import indexed_text

    return indexed_text(document)


def legalir(folder: Path, place: Path) -> Ask:
    """Build and open an index of legalir."""
    from legalir.lexical.sparse import SparseIndex

    index = SparseIndex(place, analyzer="char2").index(documents(folder))
    retriever = index.bm25(k1=1.2, b=0.75, num_results=10)
    return lambda question: [str(docno) for docno in index.docnos[retriever.best(question)[0]]]


def tantivy(folder: Path, place: Path) -> Ask:
    """Build and open an index of tantivy, which has BM25 with k1 = 1.2 and b = 0.75, and block-max WAND."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("docno", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace", index_option="freq")
    place.mkdir()
    index = tantivy.Index(builder.build(), path=str(place))
    terms = Terms()
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    for document in documents(folder):
        writer.add_document(tantivy.Document(docno=document["docno"], text=terms(indexed(document))))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(question: str) -> list[str]:
        query = index.parse_query(terms(question), ["text"])
        hits = searcher.search(query, 10, count=False).hits
        return [searcher.doc(address)["docno"][0] for _, address in hits]

    return ask


def pisa(folder: Path, place: Path) -> Ask:
    """Build and open an index of PISA, with block-max WAND over weights that are not quantised."""
    import pandas as pd
    import pyterrier_pisa

    terms = Terms()
    index = pyterrier_pisa.PisaIndex(str(place), stemmer="none", threads=1)
    index.index({"docno": document["docno"], "text": terms(indexed(document))} for document in documents(folder))
    retriever = index.bm25(k1=1.2, b=0.75, num_results=10, threads=1, verbose=False)

    def ask(question: str) -> list[str]:
        return retriever(pd.DataFrame({"qid": ["1"], "query": [terms(question)]}))["docno"].tolist()

    return ask


def bm25s(folder: Path, place: Path) -> Ask:
    """Build bm25s's index in memory."""
    import bm25s

    from legalir.analysis.analyzer import get_analyzer

    terms = get_analyzer("char2").terms
    retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numba")
    vocabulary: dict[str, int] = {}
    ids, docnos = [], []
    for document in documents(folder):
        ids.append([vocabulary.setdefault(term, len(vocabulary)) for term in terms(indexed(document))])
        docnos.append(document["docno"])
    retriever.index((ids, vocabulary), show_progress=False)
    del ids
    retriever.save(place, show_progress=False)

    def ask(question: str) -> list[str]:
        known = [[term for term in terms(question) if term in vocabulary]]
        found, _ = retriever.retrieve(known, k=10, show_progress=False, n_threads=1)
        return [docnos[number] for number in found[0]]

    return ask


def measure(arm: str, folder: Path) -> dict[str, Any]:
    """Build, then ask each question twice; return what it cost, and the docnos of the results."""
    place = folder / arm
    begun = time.perf_counter()
    ask: Ask = globals()[arm](folder, place)
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    asked = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    found = [ask(question) for question in asked]
    took = []
    for question in asked:
        start = time.perf_counter()
        ask(question)
        took.append(time.perf_counter() - start)
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) / 1e6
    shutil.rmtree(place)
    took.sort()
    return {
        "seconds": seconds,
        "peak_mb": peak,
        "mb": size,
        "ms": 1000 * took[len(took) // 2],
        "p95": 1000 * took[int(0.95 * len(took))],
        "found": found,
    }


def main() -> None:
    """Measure each size, and print a row for each arm."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
        return
    if sys.argv[1:2] == ["--write"]:
        write(Path(sys.argv[2]), int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="numbers of provisions")
    parser.add_argument("--figure", type=Path, help="file for a figure of the rows, such as growth.svg")
    parser.add_argument("--arms", nargs="*", choices=ARMS, default=list(ARMS))
    options = parser.parse_args()
    print("| provisions | | build s | peak MB | MB | ms a question | p95 | of the best 10 of legalir |")
    print("|--:|---|--:|--:|--:|--:|--:|--:|")
    rows: list[tuple[str, int, float, float, float]] = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory(prefix="legalir-growth-") as scratch:
            run_script("growth", "--write", scratch, size)
            own: list[list[str]] = []
            for arm in options.arms:
                if size > _MOST.get(arm, size):
                    continue
                row = run_script("growth", "--one", arm, scratch)
                own = own or row["found"]
                rows.append((arm, size, row["seconds"], row["mb"], row["ms"]))
                shared = sum(len({*a} & {*b}) for a, b in zip(own, row["found"], strict=True)) / sum(map(len, own))
                print(
                    f"| {size:,} | {arm} | {row['seconds']:.1f} | {row['peak_mb']:.0f} | {row['mb']:.0f} | "
                    f"{row['ms']:.2f} | {row['p95']:.2f} | {shared:.3f} |",
                    flush=True,
                )
    if options.figure is not None:
        draw(rows, options.figure)


def draw(rows: list[tuple[str, int, float, float, float]], path: Path) -> None:
    """Draw seconds of a build, megabytes and milliseconds of a question by number of provisions, both logarithmic.

    Args:
        rows: arm, provisions, seconds, megabytes, milliseconds.
        path: the file.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams |= {"svg.hashsalt": "growth", "svg.fonttype": "none"}
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for place, (axis, title) in enumerate(zip(axes, ("build, s", "index, MB", "a question, ms"), strict=True), start=2):
        for arm in dict.fromkeys(row[0] for row in rows):
            own = [row for row in rows if row[0] == arm]
            axis.loglog([row[1] for row in own], [row[place] for row in own], marker="o", markersize=4, label=arm)
        axis.set_title(title)
        axis.set_xlabel("provisions")
        axis.grid(True, which="major", alpha=0.3)
    axes[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
