"""Import, references, `default`: compared with the shared collection of the same laws.

`$LEGALIR_DATA/sources/kr-markdown` is imported as a user would do it, with references read from its text. `default`
searches it and `$LEGALIR_DATA/searchfiresafety`, both cut to the articles of the laws that are in both; provisions are
the same if law and article are. Questions count whose judged provisions are all there. With --all, the imported
collection keeps its supplements and annexes.

    python experiments/searchfiresafety/imported.py [--all]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
from pathlib import Path

import numpy as np

import legalir
from legalir.datasets import load
from legalir.statutes.writing import write_collection

MEASURES = ("nDCG@10", "R@10", "MultiMRR@10")


def main() -> None:
    """Print both systems and the interval of their difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="keep supplements and annexes of the imported laws")
    everything = parser.parse_args().all
    data = Path(os.environ["LEGALIR_DATA"])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_collection(f"markdown(path={str(data / 'sources' / 'kr-markdown')!r})", folder / "whole")
        shared, whole = (_corpus(path) for path in (data / "searchfiresafety", folder / "whole"))
        same = {_place(row): docno for docno, row in shared.items()}
        docnos = {docno: same[_place(row)] for docno, row in whole.items() if _place(row) in same}
        laws = {whole[docno]["law_id"] for docno in docnos}
        kept = {docno for docno, row in whole.items() if row["law_id"] in laws} if everything else set(docnos)
        ours = _cut(folder / "whole", folder / "imported", whole, kept, docnos)
        theirs = _cut(data / "searchfiresafety", folder / "shared", shared, set(docnos.values()), {})
        print(f"{len(laws)} laws, {len(docnos)} articles with {theirs} links; imported: {len(kept)} with {ours}")
        _judged(data / "searchfiresafety", folder, set(docnos.values()))
        scores = {name: _scores(folder / name) for name in ("shared", "imported")}
    for measure in MEASURES:
        first, second = (np.array([scores[name][qid][measure] for qid in sorted(scores["shared"])]) for name in scores)
        change = 100 * (second - first)
        low, high = _interval(change)
        print(
            f"{measure:12} shared {100 * first.mean():5.1f}  imported {100 * second.mean():5.1f}  "
            f"difference {change.mean():+.1f} [{low:+.1f}, {high:+.1f}], {len(first)} questions"
        )


def _lines(folder: Path, name: str) -> list[str]:
    path = folder / name
    data = path.read_bytes() if path.exists() else gzip.decompress((folder / f"{name}.gz").read_bytes())
    return data.decode("utf-8").splitlines()


def _corpus(folder: Path) -> dict[str, dict[str, str]]:
    return {row["docno"]: row for row in map(json.loads, _lines(folder, "corpus.jsonl"))}


def _place(row: dict[str, str]) -> tuple[str, str]:
    return row["law_id"], row["article"].replace("의", ".")


def _cut(source: Path, folder: Path, corpus: dict[str, dict[str, str]], kept: set[str], names: dict[str, str]) -> int:
    """Write the kept provisions of a corpus and the links between them under other names; count the links."""
    folder.mkdir()
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as stream:
        for docno in sorted(kept, key=lambda docno: names.get(docno, docno)):
            row = {**corpus[docno], "docno": names.get(docno, docno)}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    links = [
        (names.get(first, first), names.get(second, second), kind)
        for first, second, kind in load(str(source)).links()
        if first in kept and second in kept
    ]
    lines = sorted({"\t".join(link) + "\n" for link in links})
    (folder / "links.tsv").write_text("".join(lines), encoding="utf-8")
    return len(lines)


def _judged(source: Path, folder: Path, kept: set[str]) -> None:
    """Write the questions whose judged provisions are all kept, and their judgements, into both folders."""
    judgements = [line.split() for line in (source / "qrels.txt").read_text(encoding="utf-8").splitlines()]
    lost = {qid for qid, _, docno, _ in judgements if docno not in kept}
    good = [row for row in judgements if row[0] not in lost]
    qids = {row[0] for row in good}
    queries = _lines(source, "queries.jsonl")
    for name in ("imported", "shared"):
        (folder / name / "qrels.txt").write_text("".join(" ".join(row) + "\n" for row in good), encoding="utf-8")
        lines = [line + "\n" for line in queries if json.loads(line)["qid"] in qids]
        (folder / name / "queries.jsonl").write_text("".join(lines), encoding="utf-8")


def _scores(folder: Path) -> dict[str, dict[str, float]]:
    result = legalir.experiment(
        {"dataset": str(folder), "measures": list(MEASURES), "systems": {"default": "default"}}, latency_queries=0
    )
    scores: dict[str, dict[str, float]] = {}
    for row in result.per_query.to_dict(orient="records"):
        scores.setdefault(str(row["qid"]), {})[str(row["measure"])] = float(row["value"])
    return scores


def _interval(differences: np.ndarray, samples: int = 10_000) -> tuple[float, float]:
    """Return the 95 % interval of the mean by bootstrap over questions."""
    generator = np.random.default_rng(0)
    means = [generator.choice(differences, len(differences)).mean() for _ in range(samples)]
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


if __name__ == "__main__":
    main()
