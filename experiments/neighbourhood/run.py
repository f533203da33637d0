"""Is the next gold provision one citation away, or one step to the most similar text? (SFS-A, section on the graph)

    python experiments/neighbourhood/run.py [--out DIR] [--write]

Writes ``hits.tsv`` and ``neighbourhood.svg`` and compares the figures with ``hits.expected.tsv``, which ``--write``
renews.
Collections that are not at hand are left out, and said to be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import picture

from legalir import CitationGraph, Collection
from legalir.errors import DatasetNotFound, DownloadError

HERE = Path(__file__).resolve().parent
COLLECTIONS = (
    *("legalir/firecode", "legalir/searchfiresafety/full", "legalir/koblex"),
    *("legalir/nitibench-tax", "legalir/kr-precedent-core/dev"),
)
SEEDS = 15
FIRST_STAGE = 'lsa("jamo3")'
SHOWN = "fc015"


def gold_of(collection: Collection) -> dict[str, set[str]]:
    """Return the relevant docnos of each query."""
    qrels = collection.qrels()
    relevant = qrels[qrels["label"] > 0]
    return {str(qid): set(group["docno"]) for qid, group in relevant.groupby("qid")}


def reach(graph: CitationGraph, seeds: dict[str, list[str]], gold: dict[str, set[str]]) -> float:
    """Return the share of gold provisions outside the seeds that one step from the seeds reaches."""
    missed = found = 0
    for qid, relevant in gold.items():
        outside = relevant - set(seeds.get(qid, []))
        near = {target for seed in seeds.get(qid, []) for target in graph.cites(seed)}
        missed += len(outside)
        found += len(outside & near)
    return found / max(missed, 1)


def bonds(graph: CitationGraph, gold: dict[str, set[str]]) -> float:
    """Return the share of gold provisions, of questions with several, that are linked with another of theirs."""
    total = linked = 0
    for relevant in gold.values():
        if len(relevant) < 2:
            continue
        total += len(relevant)
        linked += sum(bool((set(graph.cites(d)) | set(graph.cited_by(d))) & (relevant - {d})) for d in relevant)
    return linked / max(total, 1)


def measure(name: str) -> Iterator[tuple[str, str, str, float]]:
    """Yield collection, graph, measure and value."""
    collection = Collection(name)
    gold = gold_of(collection)
    citations = collection.graph
    # As many neighbours as a provision has citations on average, so that neither graph wins by its number of links.
    k = max(1, round(citations.links_count() / len(citations)))
    similar = CitationGraph.cosine_knn(collection.dense("lsa(analyzer='jamo3')"), k=k)
    results = (collection.pipeline(FIRST_STAGE) % SEEDS).transform(collection.topics()[["qid", "query"]])
    seeds = {str(qid): list(group["docno"]) for qid, group in results.groupby("qid")}
    for kind, graph in (("citations", citations), (f"cosine, {k} nearest", similar)):
        yield name, kind, f"reached from the first {SEEDS}", reach(graph, seeds, gold)
        yield name, kind, "linked with another gold provision", bonds(graph, gold)


def main() -> None:
    """Measure, draw, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/neighbourhood"), help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help="renew the expected figures and the picture beside them")
    options = parser.parse_args()
    out = HERE if options.write else options.out
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in COLLECTIONS:
        try:
            rows += list(measure(name))
        except (DatasetNotFound, DownloadError) as error:
            print(f"not run    {name}: {error}")
    lines = ["collection\tgraph\tmeasure\tvalue", *("\t".join((*row[:3], f"{row[3]:.4f}")) for row in rows)]
    (out / ("hits.expected.tsv" if options.write else "hits.tsv")).write_text("\n".join(lines) + "\n", encoding="utf-8")
    collection = Collection("legalir/firecode")
    picture.draw(collection, SHOWN, gold_of(collection)[SHOWN], SEEDS, out / "neighbourhood.svg")
    print("\n".join(lines))
    expected = set((HERE / "hits.expected.tsv").read_text(encoding="utf-8").splitlines())
    if different := [line for line in lines if line not in expected]:
        print("\nDIFFERENT from hits.expected.tsv:", *different, sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
