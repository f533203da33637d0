"""What the bench works on: provisions as one plain JSONL file, and questions of 90 characters.

Run as a script, in a process of its own, so that nothing it holds counts towards what is measured::

    python experiments/bench/material.py DIRECTORY [PROVISIONS]
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

QUESTIONS = 300
CHARACTERS = 90


def folder(name: str) -> Path | None:
    """Return the folder of a real data set below ``$LEGALIR_DATA``, None where there is none."""
    root = os.environ.get("LEGALIR_DATA")
    path = Path(root) / name if root else None
    return path if path is not None and path.is_dir() else None


def provisions() -> tuple[str, list[dict[str, str]]]:
    """Return the name of the collection and its provisions: ``docno, title, text``."""
    from legalir import datasets

    place = folder("kr-statutes")
    name = "kr-statutes" if place else "legalir/firecode"
    docs = datasets.load(place or name).docs()
    return name, [{"docno": doc.doc_id, "title": doc.title or "", "text": doc.text} for doc in docs]


def questions(documents: list[dict[str, str]]) -> tuple[str, list[str]]:
    """Return where the questions come from, and the questions, none longer than 90 characters."""
    place = folder("kr-precedent-core")
    if place is not None:
        with gzip.open(place / "queries.jsonl.gz", "rt", encoding="utf-8") as lines:
            records = map(json.loads, itertools.islice(lines, QUESTIONS))
            return "kr-precedent-core", [record["query"][:CHARACTERS] for record in records]
    return "pieces of provisions", list(itertools.islice(_pieces(documents), QUESTIONS))


def _pieces(documents: list[dict[str, str]]) -> Iterator[str]:
    step = max(1, len(documents) // QUESTIONS)
    for document in documents[::step]:
        text = " ".join(document["text"].split())
        middle = max(0, (len(text) - CHARACTERS) // 2)
        yield text[middle : middle + CHARACTERS]


def sizes(total: int) -> list[int]:
    """Return the collection's size halved five times, ascending; tiny ones are left out."""
    return [total >> halvings for halvings in range(5, -1, -1) if total >> halvings >= 50]


def sample(documents: list[dict[str, str]], size: int) -> list[dict[str, str]]:
    """Return `size` documents spread evenly over the collection, in its order."""
    return [documents[i * len(documents) // size] for i in range(size)]


def main() -> None:
    """Write ``<size>.jsonl`` for every size and ``questions.json``; print what they are as one line of JSON."""
    directory = Path(sys.argv[1])
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else None
    collection, documents = provisions()
    source, asked = questions(documents)
    if limit is not None:
        documents = sample(documents, min(limit, len(documents)))
    for size in sizes(len(documents)):
        with (directory / f"{size}.jsonl").open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(d, ensure_ascii=False) + "\n" for d in sample(documents, size))
    (directory / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    about = {"collection": collection, "questions": source, "sizes": sizes(len(documents))}
    print(json.dumps(about))


if __name__ == "__main__":
    main()
