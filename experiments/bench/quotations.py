"""Quotations without a model: how many drop a proviso, lack the head of their list, or leave a bracket open.

    python experiments/bench/quotations.py legalir/firecode $LEGALIR_DATA/obliqa-dev …

Counted on the text of the provision, apart from the code that makes the quotations.
"""

from __future__ import annotations

import re
import statistics
import sys

from legalir import Collection
from legalir.analysis.sentences import _MARK, _proviso

_GAP = re.compile(r"\s*…\s*")


def faults(words: str, text: str) -> set[str]:
    """Return the faults of a quotation from a text."""
    lines, text = [" ".join(line.split()) for line in text.splitlines()], " ".join(text.split())
    found = set()
    place = 0
    for part in filter(None, _GAP.split(words)):
        start = text.find(part, place)
        if start < 0:
            return {"not in the text"}
        if place == 0 and start > 0 and _proviso().match(part):
            found.add("proviso without its rule")
        mark = _MARK.match(part)
        if place == 0 and start > 0 and mark and mark.lastindex != 1 and not _numbers_paragraphs(part, text):
            found.add("item without its head")
        place = start + len(part)
        after = text[place:].lstrip()
        ended = text[place - 1] in ".。;" or "ก" <= text[place - 1] <= "๛"
        if after and _proviso().match(after) and ended and after[:20] not in words:
            found.add("proviso dropped")
        closed = next((line.partition(" ทั้งนี้")[2] for line in lines if part[-40:] in line.partition(" ทั้งนี้")[0]), "")
        if closed[:20] not in words:
            found.add("proviso dropped")
    if any(words.count(left) > words.count(right) for left, right in ("()", "（）", "「」", "[]")):
        found.add("bracket open")
    return found


def _numbers_paragraphs(part: str, text: str) -> bool:
    """Return True if the text itself begins with a mark of the same kind: the items have no head."""
    first, mark = _MARK.match(text), _MARK.match(part)
    return first is not None and mark is not None and first.lastindex == mark.lastindex


def main(names: list[str], pipeline: str = "bm25 % 3 >> quote") -> None:
    """Print the share of each fault for each collection."""
    for name in names:
        collection = Collection(name)
        answers = collection.pipeline(pipeline)(collection.topics())
        docnos = {docno for quotes in answers["quotes"] for docno, _, _ in quotes}
        texts = {docno: one.text for docno, one in collection.provisions(docnos).items()}
        rows = [(words, texts[docno]) for quotes in answers["quotes"] for docno, words, _ in quotes]
        counts: dict[str, int] = {}
        for words, text in rows:
            for fault in faults(words, text):
                counts[fault] = counts.get(fault, 0) + 1
                if "--show" in sys.argv:
                    print(f"  {fault}: {words[:300]!r}")
        median = statistics.median(len(words) for words, _ in rows)
        print(
            f"{name}: {len(rows)} quotations, median {median:.0f} letters",
            {k: f"{v / len(rows):.1%}" for k, v in counts.items()},
        )


if __name__ == "__main__":
    main([one for one in sys.argv[1:] if not one.startswith("-")])
