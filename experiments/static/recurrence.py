"""How much of a trained model's gain on court issues is recurrence: issues that a court has decided before.

    python experiments/static/recurrence.py [--model FOLDER] [--out DIR] [--write]

The dev queries are decisions of 2020 and 2021, the training queries of 2000 to 2019, no case in both. For each dev
query: the similarity to its nearest training query, by character 2-grams and tf-idf, which no model has learnt. Then
BM25, the model, and copies of the judgements of the nearest training queries, on the dev queries below a threshold, in
tenths, and by how often training has judged their gold provisions. Writes ``recurrence.tsv`` and ``recurrence.svg`` and
compares the figures with those beside this file, which ``--write`` renews; those of a model trained elsewhere may
differ by up to 2 points.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
import recurrence_picture as picture
from scipy import sparse

import legalir
from legalir import Collection
from legalir.analysis.analyzer import count_terms, get_analyzer
from legalir.experiments.scores import bootstrap_interval, resampling_counts, scorable
from legalir.measure import parse_measures

HERE = Path(__file__).resolve().parent
DATASET = "legalir/kr-precedent-core"
BM25 = 'bm25(analyzer="char2", k1=1.5, b=0.75) % 100'
MEASURES = ("R@10", "nDCG@10", "MultiHitRate@10")
THRESHOLDS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25)
FAR = 0.35
# The best of k = 1 to 1000 and of powers 1 and 3 for R@10 on these very queries: the most that copying can claim.
COPIES = {"copy of the nearest": (1, 1), "copies": (50, 3)}
GAINS = {"gain": ("static", "BM25"), "gain on copies": ("static", "copies")}
TIMES = ((0, 0), (1, 1), (2, 4), (5, 19), (20, 99), (100, None))
COLUMNS = ("by", "group", "queries", "system", "measure", "value", "low", "high")
TOLERANCE = 0.02
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Queries:
    """Queries and the provisions judged right for each."""

    qids: list[str]
    texts: list[str]
    gold: list[set[str]]


def queries_of(collection: Collection, leave_out: frozenset[str] = frozenset()) -> Queries:
    """Return the judged queries of a split, less those whose text is among `leave_out`, as in training."""
    qrels = collection.qrels()
    gold = {str(qid): set(group["docno"]) for qid, group in qrels[qrels["label"] > 0].groupby("qid")}
    topics = collection.topics()
    rows = [(str(qid), str(text)) for qid, text in zip(topics["qid"], topics["query"], strict=True) if qid in gold]
    kept = [(qid, text) for qid, text in rows if key(text) not in leave_out]
    return Queries([qid for qid, _ in kept], [text for _, text in kept], [gold[qid] for qid, _ in kept])


def key(text: str) -> str:
    """Return what two queries share that the trainer takes for the same."""
    return " ".join(text.split()).casefold()


def similarities(asked: Sequence[str], known: Sequence[str]) -> Array:
    """Return the cosines of tf-idf vectors over character 2-grams: float32 [asked, known].

    The weights are (1 + ln tf) · (1 + ln((N + 1) / (df + 1))) with N and df of `known`. A 2-gram that `known` lacks
    counts in the length of a vector, so that what is new makes a query less similar.
    """
    counts = count_terms(get_analyzer("char2"), [*known, *asked])
    terms = np.repeat(np.arange(len(counts.terms)), np.diff(counts.indptr))
    seen = np.bincount(terms[counts.documents < len(known)], minlength=len(counts.terms))
    idf = np.log((len(known) + 1) / (seen + 1)) + 1
    weights = (1 + np.log(counts.frequencies)) * idf[terms]
    shape = (len(known) + len(asked), len(counts.terms))
    table = sparse.csr_matrix((weights, (counts.documents, terms)), shape=shape)
    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    unit = sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ table
    # Rounded, so that the figures are the same whatever the order of summation.
    cosines: Array = np.round((unit[len(known) :] @ unit[: len(known)].T).toarray(), 6).astype(np.float32)
    return cosines


def copied(cosines: Array, gold: Sequence[set[str]], k: int, power: int) -> list[tuple[str, float]]:
    """Return the provisions of the `k` nearest training queries, scored by the sum of cosines ** power, best first."""
    scores: dict[str, float] = {}
    for number in np.argsort(-cosines, kind="stable")[:k]:
        for docno in gold[number]:
            scores[docno] = scores.get(docno, 0.0) + float(cosines[number]) ** power
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def run_of(rankings: Mapping[str, Sequence[tuple[str, float]]]) -> pd.DataFrame:
    """Return rankings, best first, as a frame of results."""
    rows = [(qid, docno, score, rank) for qid, found in rankings.items() for rank, (docno, score) in enumerate(found)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


def tenths(nearest: Array) -> list[Array]:
    """Return the rows of ten groups, fewer of fewer queries, of as equal size as can be, the farthest first."""
    return np.array_split(np.argsort(nearest, kind="stable"), min(10, len(nearest)))


def groups(dev: Queries, nearest: Array, judged: Mapping[str, int]) -> Iterator[tuple[str, str, Array]]:
    """Yield what the queries are grouped by, the name of the group, and its rows."""
    yield "below", "all", np.arange(len(dev.qids))
    for threshold in THRESHOLDS:
        yield "below", f"{threshold:.2f}", np.flatnonzero(nearest < threshold)
    for rows in tenths(nearest):
        yield "tenth", f"{nearest[rows].min():.3f}-{nearest[rows].max():.3f}", rows
    seen = np.array([sum(docno in judged for docno in gold) / len(gold) for gold in dev.gold])
    yield "gold judged in training", "none", np.flatnonzero(seen == 0)
    yield "gold judged in training", "some", np.flatnonzero((seen > 0) & (seen < 1))
    yield "gold judged in training", "all", np.flatnonzero(seen == 1)
    yield "gold judged in training", f"all, nearest below {FAR}", np.flatnonzero((seen == 1) & (nearest < FAR))


def row(by: str, group: str, queries: int, system: str, measure: str, bounds: Sequence[float]) -> tuple[str, ...]:
    """Return a line of the table; `bounds` are value, low and high."""
    return by, group, str(queries), system, measure, *(f"{bound:.4f}" for bound in bounds)


def with_interval(values: Array, weights: Array | None = None) -> list[tuple[float, float, float]]:
    """Return mean, low and high of each row of `values`, one column a query."""
    low, high = bootstrap_interval(values, resampling_counts(values.shape[1]), weights)
    means = np.average(values, axis=1, weights=weights)
    return [(float(m), float(a), float(b)) for m, a, b in zip(means, low, high, strict=True)]


def gains(systems: Mapping[str, Array]) -> dict[str, Array]:
    """Return, a query, what the model has more than BM25 and more than the copies."""
    return {name: systems[one] - systems[other] for name, (one, other) in GAINS.items()}


def table_of(values: dict[str, dict[str, Array]], found: Iterator[tuple[str, str, Array]]) -> list[tuple[str, ...]]:
    """Return the lines of groups of queries: each system, and the gains in the same resamples."""
    lines = []
    for by, group, rows in found:
        if not len(rows):
            continue
        for measure, systems in values.items():
            lists = {name: of[rows] for name, of in systems.items()}
            lists |= gains(lists)
            bounds = with_interval(np.stack(list(lists.values())))
            lines += [row(by, group, len(rows), name, measure, b) for name, b in zip(lists, bounds, strict=True)]
    return lines


def provisions(dev: Queries, runs: Mapping[str, pd.DataFrame], judged: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Return the share of gold provisions among the first 10, by how many training queries they are right for."""
    lines = []
    firsts = {name: run[run["rank"] < 10].groupby("qid")["docno"].agg(set).to_dict() for name, run in runs.items()}
    for least, most in TIMES:
        wanted = [{d for d in gold if judged.get(d, 0) >= least and (most is None or judged.get(d, 0) <= most)}
                  for gold in dev.gold]  # fmt: skip
        if not (rows := [number for number, gold in enumerate(wanted) if gold]):
            continue
        sizes = np.array([len(wanted[number]) for number in rows], dtype=np.float64)
        shares = {
            name: np.array([len(wanted[n] & first.get(dev.qids[n], set())) for n in rows]) / sizes
            for name, first in firsts.items()
        }
        shares |= gains(shares)
        group = f"{least}" if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        bounds = with_interval(np.stack(list(shares.values())), sizes)
        lines += [row("times judged in training", group, len(rows), name, "MicroR@10", bound)
                  for name, bound in zip(shares, bounds, strict=True)]  # fmt: skip
    return lines


def measure(model: Path) -> tuple[list[tuple[str, ...]], Array]:
    """Return the lines of the table and the similarity of each dev query to its nearest training query."""
    collection = Collection(f"{DATASET}/dev")
    dev = queries_of(collection)
    train = queries_of(Collection(f"{DATASET}/train"), frozenset(map(key, dev.texts)))
    topics = pd.DataFrame({"qid": dev.qids, "query": dev.texts})
    cosines = similarities(dev.texts, train.texts)
    runs = {
        "BM25": collection.pipeline(BM25).transform(topics),
        "static": collection.pipeline(f"static(model={str(model)!r}) % 100").transform(topics),
    }
    for name, (k, power) in COPIES.items():
        runs[name] = run_of({qid: copied(cosines[n], train.gold, k, power)[:100] for n, qid in enumerate(dev.qids)})
    systems = {name: scorable(run, topics) for name, run in runs.items()}
    scores = pt.Experiment(
        systems, topics, collection.qrels(), parse_measures(MEASURES), perquery=True, validate="ignore"
    )
    table = scores.pivot_table(index="qid", columns=["measure", "name"], values="value").loc[dev.qids]
    values = {name: {system: table[name, system].to_numpy() for system in runs} for name in MEASURES}
    judged = Counter(docno for gold in train.gold for docno in gold)
    nearest = cosines.max(axis=1)
    return [*table_of(values, groups(dev, nearest, judged)), *provisions(dev, runs, judged)], nearest


def differences(lines: Sequence[Sequence[str]], expected: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines that are not expected, or whose value is farther from the expected one than the tolerance."""
    there = {tuple(line[:5]): float(line[5]) for line in expected}
    return ["\t".join(line) for line in lines
            if abs(there.get(tuple(line[:5]), np.inf) - float(line[5])) > TOLERANCE]  # fmt: skip


def main() -> None:
    """Measure, draw, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path, default=Path("results/static/judgements"),
                        help="trained from the judgements of the train split; default: %(default)s")  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("results/static"), help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help="renew the expected figures and the picture beside them")
    options = parser.parse_args()
    out = HERE if options.write else options.out
    out.mkdir(parents=True, exist_ok=True)
    try:
        lines, nearest = measure(options.model)
    except legalir.LegalIRError as error:
        sys.exit(f"not run: {error}")
    text = "\n".join("\t".join(line) for line in [COLUMNS, *lines]) + "\n"
    (out / "recurrence.tsv").write_text(text, encoding="utf-8")
    medians = [float(np.median(nearest[rows])) for rows in tenths(nearest)]
    picture.draw(pd.DataFrame(lines, columns=list(COLUMNS)), medians, out / "recurrence.svg")
    print(text)
    expected = [line.split("\t") for line in (HERE / "recurrence.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    if different := differences(lines, expected):
        print("\nDIFFERENT from recurrence.tsv:", *different, sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
