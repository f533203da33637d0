"""Measure the reader of references on the links of nitibench-tax, which its authors made from the same texts.

    python experiments/references/thai.py

It needs ``$LEGALIR_DATA/nitibench-tax`` and takes seconds.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

from legalir.references.read import Place, read
from legalir.references.resolve import LawEntry, Resolver
from legalir.statutes.documents import Address


def main() -> None:
    data = Path(os.environ.get("LEGALIR_DATA", ""), "nitibench-tax")
    if not data.is_dir():
        sys.exit(f"{data} is not there: set LEGALIR_DATA to a folder with nitibench-tax.")
    laws: dict[str, list[tuple[str, str, str]]] = {}
    with gzip.open(data / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        corpus = [json.loads(line) for line in file]
    for row in corpus:
        section = str(row["section"]).replace("_", "/").replace(" ", "")
        text = str(row["text"]).removeprefix(str(row["title"]))
        laws.setdefault(str(row["law"]), []).append((str(row["docno"]), section, text))
    resolver = Resolver(
        LawEntry(law, law, addresses=[Address((section,), "", docno, "article") for docno, section, _ in rows])
        for law, rows in laws.items()
    )
    lines = (data / "links.tsv").read_text(encoding="utf-8").splitlines()
    given = {tuple(line.split("\t")[:2]) for line in lines}
    found = {
        (docno, target)
        for law, rows in laws.items()
        for docno, section, text in rows
        for one in resolver.resolve(read(text, "th", Place(law, section)), law, (section,))
        if one.state == "resolved"
        for target in one.docnos
        if target != docno
    }
    right = len(given & found)
    print(f"recall {right}/{len(given)} = {right / len(given):.3f}")
    print(f"precision {right}/{len(found)} = {right / len(found):.3f}")


if __name__ == "__main__":
    main()
