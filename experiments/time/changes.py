"""Compare the changes that the version files of Korean laws show with the versions that `history` makes of them.

    python experiments/time/changes.py FOLDER

FOLDER holds the version files, ``index.tsv`` (the files with their law id) and ``article-changes.tsv``: each article
that a file adds or changes against the file before, with the day of its act. Prints how many of these changes are a
version of the article on the day of the act, how many are not, by the reason, and which.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from pathlib import Path

from legalir.statutes.documents import cut
from legalir.statutes.sources.history import History
from legalir.statutes.sources.markdown import read_kr
from legalir.statutes.versions.timeline import Version, content_of

ON_THE_DAY = "on the day of the act"


def main(folder: Path) -> None:
    """Print the counts, and the changes that are not on the day of their act."""
    source = History(folder, references=False)
    for _ in source.provisions():
        pass
    laws = {row["version_file"]: row["law_id"] for row in table(folder / "index.tsv")}
    counts: Counter[str] = Counter()
    others = []
    for row in table(folder / "article-changes.tsv"):
        article = re.fullmatch(r"제(\d+)조(?:의(\d+))?", row["article"])
        assert article, row
        number = article[1] + (f"의{article[2]}" if article[2] else "")
        key = f"{laws[row['to']]}-{number}"
        state = found(source.versions.get(key, []), row, folder, number)
        counts[state] += 1
        if state != ON_THE_DAY:
            others.append(f"{key}\t{row['to']}\t{row['to_effective']}\t{row['change']}\t{state}")
    for state, count in counts.most_common():
        print(f"{count}\t{state}")
    print(*others, sep="\n")


def found(run: list[Version], row: dict[str, str], folder: Path, number: str) -> str:
    """Return what became of a change."""
    if any(version.since == row["to_effective"] for version in run):
        return ON_THE_DAY
    before, _ = wording(folder / row["from"], number)
    after, day = wording(folder / row["to"], number)
    if any(version.since == day and version.first == row["to"] for version in run):
        return "on the day that the addenda name"
    if before == after:
        return "no change of content"
    if any(version.first == row["to"] for version in run):
        return "with an earlier act that is not in force yet"
    if any(version.first != row["from"] and day_of(version.first) == day_of(row["from"]) for version in run):
        return "by the other of two acts of one day"
    return "in no version"


def day_of(file: str) -> str:
    """Return the day in the name of a file."""
    return Path(file).name[:10]


def wording(path: Path, number: str) -> tuple[str, str]:
    """Return what makes the wording of an article in a file, and the day that the file names for it."""
    (law,) = read_kr(path, path.read_bytes())
    for document in cut(law).documents:
        if document.docno == f"{law.law_id}-{number}":
            return content_of(document.unit.heading, document.text), document.unit.effective_from
    return "", ""


def table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file of tab-separated values."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
