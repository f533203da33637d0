"""Recall of chunkings at equal budgets of characters, beside their information loss: ``python run.py [DATASET …]``.

Writes ``chunking.tsv`` beside this file, whose rows of other datasets stay, and ``docs/chunking.svg`` from all of it.
The laws of a collection are plain text in all chunkings, so that only the cuts differ. Chunks are read in the order of
the ranking until the next one does not fit into the budget. A gold provision counts if one chunk that was read holds it
completely (recall), or by the share of its characters that were read (share).
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import legalir
from legalir.chunks.chunk_collection import law_texts, method, write_chunks
from legalir.datasets import load

HERE = Path(__file__).parent
TABLE, PICTURE = HERE / "chunking.tsv", HERE.parents[1] / "docs" / "chunking.svg"
DATASETS = (
    "legalir/firecode/test",
    "legalir/nitibench-tax",
    "legalir/searchfiresafety/full",
    "legalir/koblex",
    "legalir/ll144",
)
CHUNKINGS: dict[str, dict[str, object]] = {
    "article": {"by": "article"},
    "character": {"by": "character", "size": 553, "overlap": 50},
    "line": {"by": "line", "size": 553, "overlap": 50},
    "recursive": {"by": "recursive", "size": 553, "overlap": 50},
    "sentence": {"by": "sentence", "size": 512, "overlap": 200},
    "semantic": {"by": "semantic", "buffer": 1},
}
HYPA: dict[str, dict[str, object]] = {
    "sentence": {"by": "sentence", "size": 512, "overlap": 200},
    **{f"semantic, {buffer}": {"by": "semantic", "buffer": buffer} for buffer in (1, 3, 5, 10)},
    "pattern": {"by": "pattern"},
}
"""The chunkings that HyPA-RAG compares, on its collection."""
SYSTEMS = ("bm25", "default")
BUDGETS = (1000, 2000, 4000, 8000, 16000)
LOSS = ("per_chunk", "per_provision", "failed_chunks", "failed_provisions", "uncovered")
COLUMNS = (
    *("dataset", "chunking", "system", "chunks", "characters", *LOSS),
    *(f"{kind}@{budget}" for kind in ("recall", "share") for budget in BUDGETS),
)

Place = tuple[int, int, int]
"""Number of the law, start and end in its text."""


def rows(dataset: str, folder: Path) -> Iterator[dict[str, object]]:
    """Yield a row for each chunking and system."""
    source = load(dataset)
    laws = law_texts(source.docs())
    provisions = {
        docno: (number, *place)
        for number, law in enumerate(laws)
        for docno, place in zip(law.docnos, law.places, strict=True)
    }
    gold: dict[str, list[str]] = {}
    for qid, docno, label in source.judgements():
        if label > 0:
            gold.setdefault(qid, []).append(docno)
    for name, options in (HYPA if dataset == "legalir/ll144" else CHUNKINGS).items():
        encode = {"encode": legalir.Collection(dataset).dense("lsa").encoder.encode}
        more = encode if options["by"] == "semantic" else {}
        cut = method(**options, **more)
        out = folder / f"{dataset.replace('/', '-')}-{name}"
        report = write_chunks(source, out, cut, name)
        places = {
            law.docnos[place] if name == "article" else f"{law.key}-chunk-{place}": (number, *chunk)
            for number, law in enumerate(laws)
            for place, chunk in enumerate(cut(law))
        }
        split = "" if source.split is None else f"/{source.split}"
        collection = legalir.Collection(f"{out}{split}", cache=folder / "cache")
        topics = collection.topics()[["qid", "query"]]
        for system in SYSTEMS:
            results = collection.pipeline(f"{system} % 200").transform(topics).sort_values(["qid", "rank"])
            lists = {str(qid): of["docno"].tolist() for qid, of in results.groupby("qid")}
            row: dict[str, object] = {
                "dataset": dataset,
                "chunking": name,
                "system": system,
                "chunks": report.loss.chunks,
                "characters": round(report.characters),
            }
            row |= {name: f"{getattr(report.loss, name):.3f}" for name in LOSS}
            for budget in BUDGETS:
                pairs = [
                    recalls(
                        [places[docno] for docno in lists.get(qid, ())], [provisions.get(docno) for docno in of], budget
                    )
                    for qid, of in gold.items()
                    if qid in set(topics["qid"])
                ]
                for kind, values in zip(("recall", "share"), zip(*pairs, strict=True), strict=True):
                    row[f"{kind}@{budget}"] = f"{sum(values) / len(values):.4f}"
            yield row


def recalls(chunks: Sequence[Place], gold: Sequence[Place | None], budget: int) -> tuple[float, float]:
    """Return the share of gold provisions that a chunk holds completely, and the mean share of their characters."""
    read: list[Place] = []
    for chunk in chunks:
        budget -= chunk[2] - chunk[1]
        if budget < 0:
            break
        read.append(chunk)
    whole, share = 0, 0.0
    for place in gold:
        if place is None:  # A judgement of something that is not in the corpus.
            continue
        law, start, end = place
        held = [(max(start, first), min(end, last)) for of, first, last in read if of == law]
        whole += (start, end) in held
        share += len({one for first, last in held for one in range(first, last)}) / (end - start)
    return whole / len(gold), share / len(gold)


def stored() -> list[dict[str, str]]:
    """Return the rows of the table."""
    if not TABLE.is_file():
        return []
    with TABLE.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def draw() -> None:
    """Write the picture: recall by budget, a panel a collection, a line a chunking."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    mpl.rcParams |= {"svg.hashsalt": "chunking", "svg.fonttype": "none", "font.size": 9}
    table = stored()
    names = [name for name in DATASETS[:-1] if any(row["dataset"] == name for row in table)]
    figure, axes = plt.subplots(2, len(names), figsize=(2.8 * len(names), 5.6), sharey=True, squeeze=False)
    for (kind, words), (axis, dataset) in (
        (kind, pair)
        for kind, of in zip((("recall", "whole provisions"), ("share", "their characters")), axes, strict=True)
        for pair in zip(of, names, strict=True)
    ):
        for row in table:
            if row["dataset"] == dataset and row["system"] == "bm25":
                style = {"linewidth": 2.2, "color": "black"} if row["chunking"] == "article" else {"linewidth": 1.2}
                label = row["chunking"] if axis is axes[0][0] else None
                values = [float(row[f"{kind}@{budget}"]) for budget in BUDGETS]
                axis.plot(BUDGETS, values, marker="o", markersize=3, label=label, **style)
        axis.set_xscale("log", base=2)
        axis.set_xticks(BUDGETS, [f"{budget // 1000}k" for budget in BUDGETS])
        axis.set_title(dataset.removeprefix("legalir/"))
        if axis in axes[:, 0]:
            axis.set_ylabel(f"recall of {words}, bm25")
        if axis in axes[1]:
            axis.set_xlabel("characters read")
        axis.grid(alpha=0.3)
    figure.legend(loc="lower center", ncols=len(CHUNKINGS), frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    """Run the datasets of the command line, and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=DATASETS[:1], metavar="DATASET", help=", ".join(DATASETS))
    for dataset in parser.parse_args().datasets:
        with tempfile.TemporaryDirectory() as folder:
            new = list(rows(dataset, Path(folder)))
        table = [row for row in stored() if row["dataset"] != dataset] + new
        table.sort(key=lambda row: DATASETS.index(row["dataset"]) if row["dataset"] in DATASETS else len(DATASETS))
        with TABLE.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
    draw()


if __name__ == "__main__":
    main()
