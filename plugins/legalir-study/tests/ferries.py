"""A small collection with links, and a chat model that writes and judges items as a test says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from scripted import Scripted

import legalir
from legalir.extend import ChatRequest, atomic_file

_TEXTS = {
    "act-1": ("Ferry Act, Article 1", "A night ferry carries the lamps that the rules require."),
    "act-2": ("Ferry Act, Article 2", "The keeper pays the fee that the rules set for a pier."),
    "act-3": ("Ferry Act, Article 3", "Deleted."),
    "rule-1": ("Ferry Rules, Article 1", "A ferry of over 20 metres carries three green lamps."),
    "rule-2": ("Ferry Rules, Article 2", "The fee for a pier is 40 crowns a month, 60 in winter."),
}
PROVISIONS = [
    {
        "docno": docno,
        "title": title,
        "text": text,
        "law": title.partition(",")[0],
        "article": title.rpartition(" ")[2],
    }
    for docno, (title, text) in _TEXTS.items()
]
LINKS = [("act-1", "rule-1"), ("act-2", "rule-2"), ("act-2", "act-1"), ("act-1", "act-3"), ("rule-1", "rule-1")]
PAIRS = [("act-1", "rule-1"), ("act-2", "act-1"), ("act-2", "rule-2")]


def write_collection(root: Path, lang: str = "en") -> Path:
    folder = root / "ferries"
    with atomic_file(folder / "corpus.jsonl") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in PROVISIONS)
    with atomic_file(folder / "links.tsv") as stream:
        stream.writelines(f"{source}\t{target}\tcites\n" for source, target in LINKS)
    with atomic_file(folder / "dataset.yaml") as stream:
        stream.write(f"title: Ferries\nlang: {lang}\nlicence: CC0\n")
    return folder


def draft(question: str, key: int = 1, options: tuple[str, ...] = ("one", "two", "three", "four")) -> str:
    return json.dumps({"question": question, "options": list(options), "answer": key, "explanation": "Because."})


def opened(
    folder: Path, reply: Callable[[ChatRequest], str], cache: str = "llm.sqlite"
) -> tuple[legalir.Collection, Scripted]:
    model = Scripted(reply)
    client = legalir.Client(model, cache=folder.parent / cache)
    return legalir.Collection(folder, cache=folder.parent / "cache", client=client), model


def pair_of(request: ChatRequest) -> tuple[str, str]:
    """Return the docnos that a request for a multiple-choice item was made from."""
    source, target = request.question.split()
    return source, target


def shown_number(request: ChatRequest, option: str) -> str:
    """Return the number that an option has in a request to a judge."""
    match = re.search(rf"^(\d+)\. {re.escape(option)}$", request.messages[1][1], re.MULTILINE)
    assert match is not None
    return match[1]


def reads(request: ChatRequest) -> tuple[bool, bool]:
    """Return whether a judge reads a provision of the act, and one of the rules."""
    text = request.messages[1][1]
    return "Ferry Act" in text, "Ferry Rules" in text
