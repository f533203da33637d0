"""Labels from given answers: the provisions that an official answer cites.

The references in the text of the answer are read by the grammars and the names of laws that legalir uses everywhere
(:class:`legalir.extend.NumberTable`). One that means one provision becomes a judgement. Any other one is
open: a search in the titles gives candidates, and a person decides on the review page.

Source: the gold labels of [searchfiresafety], where people checked every candidate. Deviations: what is read for
certain is not searched for; each language that has a grammar is read.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from legalir import Collection
from legalir.errors import ComponentError
from legalir.extend import Naming, NumberTable, clean
from legalir_study.filters import languages
from legalir_study.items import Row, Sieve
from legalir_study.labels import questions_of
from legalir_study.split import Synthesis

NO_REFERENCE = "no reference"
"""Reason of a question that is dropped because its answer cites nothing."""

TITLES = 'bm25f(fields={"title": 1})'
"""Retriever of candidates: BM25 over the titles."""

_QUOTED = re.compile(r"[「『《〈]([^「」『』《》〈〉]{2,100})[」』》〉]")
_AFTER = re.compile(r"(?:[^.,;。，()（）「『《〈]|\.(?=\d)){0,20}")
_NEAR = 6
"""Largest number of signs between a title in quotes and a reference that belongs to it."""

_BEFORE = 30
"""Number of signs before a reference without a law that are shown with it."""


@cache
def _addenda() -> re.Pattern[str]:
    """Return the pattern of a word for addenda at the end of a text, in any language."""
    return re.compile(rf"(?:{'|'.join(one for language in languages().values() for one in language.addenda)})\s*\Z")


class AnswerReference(NamedTuple):
    """A reference in the text of an answer.

    Attributes:
        words: the words that cite, with the name of the law or what stands before the number.
        docnos: the provision that is cited; of an ambiguous reference, those that may be.
        state: ``resolved``; ``ambiguous``, several provisions may be meant; ``not in the collection``; or ``not read``,
            a law is named without an article that can be read.
    """

    words: str
    docnos: tuple[str, ...]
    state: str


def references_in(text: str, numbers: NumberTable, most: int = 5) -> list[AnswerReference]:
    """Return the references in a text, in its order; equal ones once.

    Args:
        text: the text of an answer.
        numbers: the laws and numbers of the provisions of a collection.
        most: largest number of provisions that an ambiguous reference may mean; with more it has no docnos.
    """
    plain = clean(text)
    quoted = {title.end(): title[1] for title in _QUOTED.finditer(plain)}
    found: list[tuple[int, AnswerReference]] = []
    with_number = set()
    for naming in numbers.references(text):
        start, count = naming.start, len(naming.provisions)
        title = next((end for end in range(start, start - _NEAR - 1, -1) if end in quoted), None)
        if title is not None:
            with_number.add(title)
        before = " ".join(plain[max(0, start - _BEFORE) : start].split())
        # A title in quotes that names no law of the collection names another one.
        foreign = not naming.law and title is not None
        if count == 0 or foreign or _addenda().search(plain, max(0, start - _BEFORE), start):
            state, count = "not in the collection", 0
        else:
            state = "resolved" if count == 1 else "ambiguous"
        places = naming.provisions if count <= most else ()
        docnos = numbers.docno_table[np.array(places if count else (), dtype=np.int64)]
        words = _shown(naming, None if title is None else quoted[title], before, state == "resolved")
        found.append((start, AnswerReference(words, tuple(map(str, docnos)), state)))
    for end, name in quoted.items():
        if end not in with_number:
            after = _AFTER.match(plain, end)
            words = f"{name} {after[0] if after else ''}"
            found.append((end, AnswerReference(" ".join(words.split()), (), "not read")))
    found.sort(key=lambda one: one[0])
    return list(dict.fromkeys(reference for _, reference in found))


def _shown(naming: Naming, title: str | None, before: str, resolved: bool) -> str:
    """Return a reference with the name of its law; one that is not resolved, with the words around it."""
    if title is not None:
        return f"{title} {naming.words}"
    if resolved:
        return naming.words if naming.law in naming.words else f"{naming.law} {naming.words}"
    around = f"{before} {naming.words}".strip()
    return around if naming.law in around else f"{around} {naming.law}"


def synthesize_answer_labels(collection: Collection, *, column: str = "answer", candidates: int = 5) -> Synthesis:
    """Label the provisions that the given answers of a collection cite.

    A question keeps its open references in the column ``open``: objects with ``words``, ``state`` and ``candidates``,
    docnos. A question whose answer has open references only has no judgement until people have reviewed it. One whose
    answer cites nothing is dropped.

    Args:
        collection: the collection, with questions that have answers.
        column: column of the questions that holds the answer.
        candidates: number of candidates of an open reference, at least 1.

    Raises:
        ComponentError: no question has an answer, or `candidates` is less than 1.
        DataError: there are no questions.
    """
    if candidates < 1:
        raise ComponentError(f"labels: candidates={candidates} is not a positive integer.")
    rows = questions_of(collection)
    if not any(str(row.get(column) or "").strip() for row in rows):
        columns = ", ".join(sorted({name for row in rows for name in row}))
        raise ComponentError(f"labels: no question has an answer in the column {column!r}; columns: {columns}.")
    numbers = NumberTable.of(collection)
    read = {row["qid"]: references_in(str(row.get(column) or ""), numbers, candidates) for row in rows}
    unknown = list({one.words: None for found in read.values() for one in found if not one.docnos})
    by_title = titles_like(collection, unknown, candidates)
    labels: dict[str, list[str]] = {}
    items: list[Row] = []
    for row in rows:
        found = read[row["qid"]]
        labels[row["qid"]] = list(dict.fromkeys(one.docnos[0] for one in found if one.state == "resolved"))
        open_ones = [
            {"words": one.words, "state": one.state, "candidates": list(one.docnos or by_title.get(one.words, ()))}
            for one in found
            if one.state != "resolved"
        ]
        item = {**row, "documents": labels[row["qid"]]}
        items.append({**item, "open": open_ones} if open_ones else item)
    sieve = Sieve(items)
    sieve.drop(NO_REFERENCE, {qid: "" for qid, found in read.items() if not found})
    states = Counter(one.state for found in read.values() for one in found)
    return Synthesis(
        sieve.kept,
        sieve.dropped,
        {
            "kind": "labels",
            "model": None,
            "settings": {"from": "answers", "column": column, "candidates": candidates, "titles": TITLES},
            "dropped": sieve.counts(),
            "report": {
                "references": {
                    state: states[state] for state in ("resolved", "ambiguous", "not in the collection", "not read")
                },
                "questions with a label": sum(bool(docnos) for docnos in labels.values()),
            },
        },
        labels,
    )


def titles_like(collection: Collection, words: list[str], k: int) -> dict[str, list[str]]:
    """Return the `k` provisions whose titles fit each text best, by BM25 over the titles."""
    asked = [one for one in words if any(map(str.isalnum, one))]
    if not asked:
        return {}
    frame = pd.DataFrame({"qid": [f"{number}" for number in range(len(asked))], "query": asked})
    results = collection.pipeline(f"{TITLES} % {k}").transform(frame).sort_values(["qid", "rank"], kind="stable")
    return {asked[int(str(qid))]: docnos.tolist() for qid, docnos in results.groupby("qid", sort=False)["docno"]}
