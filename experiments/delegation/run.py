"""The delegation gap: how far gold provisions are from the entry document, and what SAR and NitiLink find there.

    python experiments/delegation/run.py [COLLECTION ...] [--out DIR] [--write]

SFS-A defines the gap: a gold provision that is unlike the question, but within k hops of the entry document, which
matches its words. Gold provisions are grouped by hops and by legal level; each group has its share of all gold
provisions and the share of the group that each system has among its first 10. Writes ``gap.tsv`` and ``gap.svg`` and
compares the figures with ``gap.expected.tsv``, which ``--write`` renews.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import networkx
import pandas as pd

from legalir import Collection
from legalir.errors import DatasetNotFound, DownloadError
from legalir.extras import require

HERE = Path(__file__).resolve().parent
COLLECTIONS = ("legalir/firecode/test", "legalir/searchfiresafety/full", "legalir/koblex")
K = 10
FIRST_STAGE = "bm25 % 1000"
SYSTEMS = {
    "bm25": FIRST_STAGE,
    "bm25 + SAR": 'bm25 % 100 >> sar(normalize="minmax")',
    "bm25 + NitiLink": "bm25 % 100 >> nitilink",
    "default": "default % 1000",
    "default + NitiLink": "default % 100 >> nitilink",
}
LEVELS = ("act", "decree", "rule", "standard")
FAR, UNREACHABLE, NO_ENTRY = "3+", "unreachable", "no entry"
HOPS = ("0", "1", "2", FAR, UNREACHABLE, NO_ENTRY)
SIDES = ("entry", "above", "same", "below")


def hops_from(graph: networkx.Graph[str], entry: str | None, gold: Sequence[str]) -> list[str]:
    """Return the group of each gold provision: the number of links on the shortest way from the entry to it."""
    if entry is None:
        return [NO_ENTRY] * len(gold)
    ways = networkx.single_source_shortest_path_length(graph, entry) if entry in graph else {entry: 0}
    groups = {docno: FAR if hops > 2 else str(hops) for docno, hops in ways.items()}
    return [groups.get(docno, UNREACHABLE) for docno in gold]


def entries(ranked: pd.DataFrame, gold: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return the entry document of each question: its first result, and its first result that is a gold provision."""
    ranked = ranked.sort_values(["qid", "rank"])
    hits = ranked.merge(gold[["qid", "docno"]], on=["qid", "docno"])
    frames = {"first result": ranked, "first hit": hits.sort_values(["qid", "rank"])}
    return {name: frame.groupby("qid")["docno"].first().to_dict() for name, frame in frames.items()}


def beside(docno: str, entry: object, levels: Mapping[str, str]) -> str:
    """Return where a gold provision is beside the entry document: above, below, on its level, or that document."""
    if docno == entry:
        return "entry"
    if not isinstance(entry, str) or not {levels[docno], levels[entry]} <= set(LEVELS):
        return "unknown"
    steps = LEVELS.index(levels[docno]) - LEVELS.index(levels[entry])
    return "below" if steps > 0 else "above" if steps < 0 else "same"


def grouped(collection: Collection, gold: pd.DataFrame, first: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Yield the name of each grouping and the group of each row of `gold`."""
    entry_of = entries(first, gold)
    docnos = {*gold["docno"], *entry_of["first result"].values()}
    levels = {docno: one.level.removesuffix("_ind") for docno, one in collection.provisions(list(docnos)).items()}
    graph = collection.graph.to_networkx()
    ways = {"along citations": graph, "in either direction": graph.to_undirected()}
    for name, entry in entry_of.items():
        for way, links in ways.items():
            parts = [
                pd.Series(hops_from(links, entry.get(qid), rows["docno"].tolist()), index=rows.index)
                for qid, rows in gold.groupby("qid")
            ]
            yield f"hops from the {name}, {way}", pd.concat(parts)
    yield "level", gold["docno"].map(lambda docno: levels[docno] or "unknown")
    pairs = zip(gold["docno"], gold["qid"].map(entry_of["first result"]), strict=True)
    yield "level beside the first result", pd.Series([beside(one, entry, levels) for one, entry in pairs], gold.index)


def measure(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a collection: its id, grouping, group, gold provisions, share, and recall of each system."""
    collection = Collection(name)
    topics, qrels = collection.topics()[["qid", "query"]], collection.qrels()
    gold = qrels[(qrels["label"] > 0) & qrels["qid"].isin(topics["qid"])].reset_index(drop=True)
    lists = {system: collection.pipeline(expression)(topics) for system, expression in SYSTEMS.items()}
    for system, ranked in lists.items():
        found = ranked.loc[ranked["rank"] < K, ["qid", "docno"]].assign(found=1.0)
        gold[system] = gold[["qid", "docno"]].merge(found, how="left", on=["qid", "docno"])["found"].fillna(0.0)
    for grouping, groups in grouped(collection, gold, lists["bm25"]):
        means = gold.groupby(groups)[list(SYSTEMS)].mean()
        sizes = groups.value_counts()
        for group in sorted(means.index, key=[*HOPS, *LEVELS, *SIDES, *sorted(means.index)].index):
            share = f"{sizes[group] / len(gold):.4f}"
            yield name, grouping, group, str(sizes[group]), share, *(f"{value:.4f}" for value in means.loc[group])


def draw(rows: Sequence[Sequence[str]], path: Path) -> None:
    """Draw recall by hops from the first result, in either direction, and by level; a column for each collection."""
    matplotlib = require("matplotlib", extra="report")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "legalir", "svg.fonttype": "none", "font.size": 9})
    names = list(dict.fromkeys(row[0] for row in rows))
    colours = {"bm25": "#b9cdec", "bm25 + SAR": "#17804f", "bm25 + NitiLink": "#e0a100", "default": "#2458b3"}
    columns = {system: 5 + number for number, system in enumerate(SYSTEMS)}
    figure, axes = pyplot.subplots(2, len(names), figsize=(4 * len(names), 6), sharey=True, squeeze=False)
    for column, name in enumerate(names):
        for line, grouping in enumerate(("hops from the first result, in either direction", "level")):
            of_panel = [row for row in rows if row[:2] == (name, grouping)]
            axis = axes[line][column]
            for place, (system, colour) in enumerate(colours.items()):
                heights = [float(row[columns[system]]) for row in of_panel]
                places = [group + 0.2 * (place - 1.5) for group in range(len(of_panel))]
                axis.bar(places, heights, width=0.18, color=colour, label=system)
            axis.set_xticks(range(len(of_panel)), [f"{row[2]}\n{float(row[4]):.0%}" for row in of_panel])
            axis.set_xlabel("hops; share of gold" if line == 0 else "level; share of gold")
            axis.spines[["top", "right"]].set_visible(False)
        axes[0][column].set_title(name)
    for line in range(2):
        axes[line][0].set(ylabel=f"recall at {K} in the group", ylim=(0, 1))
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=len(colours), frameon=False, loc="lower center")
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main() -> None:
    """Measure, draw, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", nargs="*", help=f"by default {', '.join(COLLECTIONS)}")
    parser.add_argument("--out", type=Path, default=Path("results/delegation"), help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help="renew the expected figures and the picture beside them")
    options = parser.parse_args()
    out = HERE if options.write else options.out
    out.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[str, ...]] = []
    for name in options.collections or COLLECTIONS:
        try:
            rows += measure(name)
        except (DatasetNotFound, DownloadError) as error:
            print(f"not run    {name}: {error}")
    head = ("collection", "grouping", "group", "gold", "share", *(f"{system}, R@{K}" for system in SYSTEMS))
    lines = ["\t".join(row) for row in (head, *rows)]
    (out / ("gap.expected.tsv" if options.write else "gap.tsv")).write_text("\n".join(lines) + "\n", encoding="utf-8")
    draw(rows, out / "gap.svg")
    print("\n".join(lines))
    expected = (HERE / "gap.expected.tsv").read_text(encoding="utf-8").splitlines()
    compared = {line.partition("\t")[0] for line in expected}
    if different := [line for line in lines if line.partition("\t")[0] in compared and line not in expected]:
        print("\nDIFFERENT from gap.expected.tsv:", *different, sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
