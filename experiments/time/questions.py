"""Make a test collection of time: questions whose right version of a provision depends on the day.

    LEGALIR_DATA=… python experiments/time/questions.py FOLDER

It reads the versions of Korean laws below ``$LEGALIR_DATA/sources/kr-history`` and writes FOLDER with provisions,
questions and judgements. A question is made where a number before a unit (days, years, won, …) changed between two
versions of an article and little else did: the words around the number ask for it, once on the first day of each
version. The version of that day is right. No text of a law is stored here.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from difflib import SequenceMatcher
from pathlib import Path

from legalir.statutes.sources.history import History
from legalir.statutes.versions.timeline import Version
from legalir.statutes.writing import write_collection

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?=\s*(?:일|개월|월|년|시간|만원|명|제곱미터|미터|퍼센트|층|배|분))")
_MARK = re.compile(r"<[^<>]*\d{4}[^<>]*>")
_AROUND = 60
_ALIKE = 0.8


def main(folder: Path) -> None:
    """Write the collection."""
    source = History(Path(os.environ["LEGALIR_DATA"]) / "sources" / "kr-history")
    write_collection(source, folder, about={"lang": "ko", "title": "Korean laws in time"})
    queries, qrels = [], []
    for run in source.versions.values():
        for before, after in itertools.pairwise(run):
            for question in questions(before, after):
                for version in (before, after):
                    qid = f"t{len(queries) + 1:04d}"
                    row = {"qid": qid, "query": question, "as_of": version.since}
                    queries.append(json.dumps(row, ensure_ascii=False))
                    qrels.append(f"{qid} 0 {version.docno} 1")
    (folder / "queries.jsonl").write_text("\n".join(queries) + "\n", encoding="utf-8")
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n", encoding="utf-8")
    print(f"{len(queries)} questions")


def questions(before: Version, after: Version) -> list[str]:
    """Return a question for each line in which a number changed, and little else."""
    if before.until != after.since:
        return []
    old, new = (_MARK.sub("", version.fields["text"]).split("\n") for version in (before, after))
    found = []
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "replace" or last - first != end - start:
            continue
        for one, other in zip(old[first:last], new[start:end], strict=True):
            numbers = _NUMBER.findall(one), _NUMBER.findall(other)
            alike = SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE
            if alike and len(numbers[0]) == len(numbers[1]) and numbers[0] != numbers[1]:
                found.append(_ask(before, other, numbers))
    return found


def _ask(version: Version, line: str, numbers: tuple[list[str], list[str]]) -> str:
    changed = next(place for place, (one, other) in enumerate(zip(*numbers, strict=True)) if one != other)
    match = list(_NUMBER.finditer(line))[changed]
    words = line[max(0, match.start() - _AROUND) : match.start()].lstrip()
    rest = line[match.end() : match.end() + _AROUND // 2].strip()
    return f"{version.fields['law']}에서 {words} 몇 {rest}?"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
