"""A page on which a person rates answers beside their sources, and the ratings that it saves.

The page is one file that needs no network. It does not say which system wrote an answer: an answer is named by the
digest of its question, text and sources, and the answers to a question stand in an order of their own. So equal answers
of several systems are one item, and a rating belongs to each of them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from legalir import Collection
from legalir.errors import MeasureError
from legalir.extend import answer_text, citing, digest
from legalir_study.page import offline_page, template, whole_characters

KIND = "legalir ratings"
"""Mark of a file of ratings."""


RELEVANCE = "relevance"
"""The measure of provisions; all others are of answers."""


class Scale(NamedTuple):
    """A measure that people rate.

    Attributes:
        column: column in which a judge writes the same measure; empty if none does.
        question: what the person is asked.
        labels: meaning of each rating.
    """

    column: str
    question: str
    labels: Mapping[float, str]


SCALES = {
    "coverage": Scale(
        "coverage",
        "How much of the reference answer does this answer cover?",
        {0.0: "nothing", 0.5: "a part", 1.0: "all"},
    ),
    "contradiction": Scale(
        "contradiction", "Does it contradict the reference answer, or itself?", {0.0: "no", 1.0: "yes"}
    ),
    "correct": Scale("judged_correct", "Is it correct, and complete enough?", {0.0: "no", 1.0: "yes"}),
    "correctness": Scale(
        "correctness",
        "How correct is it?",
        {
            1.0: "nothing is right",
            2.0: "one part, major errors",
            3.0: "several parts, minor errors",
            4.0: "all parts, errors that do not matter",
            5.0: "no errors",
        },
    ),
    RELEVANCE: Scale("", "Must somebody who asks this read this provision?", {0.0: "no", 1.0: "yes"}),
}
"""The measures that can be rated, by name."""


@dataclass(frozen=True)
class Item:
    """An answer to rate.

    Attributes:
        id: digest of question, text and sources.
        question: the question.
        reference: the reference answer; empty if there is none.
        text: the answer, with its citations.
        citations: docnos that it cites.
        context_docnos: provisions that it was made from, best first.
    """

    id: str
    question: str
    reference: str
    text: str
    citations: tuple[str, ...]
    context_docnos: tuple[str, ...]


def item_id(row: Mapping[Any, Any]) -> str | None:
    """Return the id of an answer; None for an empty answer, an abstention and a failed reply, which nobody rates.

    Args:
        row: ``qid, qanswer``, and the other columns of a generator where they are there.
    """
    if not answer_text(row)[0]:
        return None
    return digest([str(row["qid"]), whole_characters(row["qanswer"]), list(row.get("context_docnos", ()))])[:16]


def sheet_items(
    questions: pd.DataFrame, runs: Iterable[pd.DataFrame], *, sample: int | None = None, seed: int = 0
) -> list[Item]:
    """Return the answers of several systems to rate, question by question.

    Args:
        questions: ``qid, query``, and ``answer``, the reference, where there is one.
        runs: the answers of each system.
        sample: number of questions, drawn by `seed`; None for all.
        seed: random seed of the sample, and of the order of the answers to a question.
    """
    answers: dict[str, dict[str, Mapping[Any, Any]]] = {}
    for run in runs:
        for row in run.to_dict("records"):
            if (name := item_id(row)) is not None:
                answers.setdefault(str(row["qid"]), {}).setdefault(name, row)
    asked = [row for row in questions.to_dict("records") if str(row["qid"]) in answers]
    if sample is not None:
        drawn = {str(row["qid"]) for row in sorted(asked, key=lambda row: digest([seed, str(row["qid"])]))[:sample]}
        asked = [row for row in asked if str(row["qid"]) in drawn]
    items = []
    for question in asked:
        own = answers[str(question["qid"])]
        reference = question.get("answer")
        for name in sorted(own, key=lambda one: digest([seed, one])):
            answer = own[name]
            items.append(
                Item(
                    name,
                    str(question["query"]),
                    reference if isinstance(reference, str) else "",
                    answer["qanswer"],
                    tuple(answer.get("citations", ())),
                    tuple(answer.get("context_docnos", ())),
                )
            )
    return items


def sheet_page(
    items: Sequence[Item],
    collection: Collection,
    measures: Sequence[str],
    title: str,
    language: str = "",
    noun: str = "answer",
) -> str:
    """Return the page, HTML.

    All texts stand in one block of JSON, which the script of the page shows as text: nothing in an answer is markup.
    A policy in the page forbids everything but its own script and style.

    Args:
        items: the answers.
        collection: source of the provisions.
        measures: names of :data:`SCALES`.
        title: title of the page.
        language: code of the language of the texts.
        noun: word for an item; a ``provision`` has no reference answer and no sources.
    """
    docnos = dict.fromkeys(docno for item in items for docno in (*item.context_docnos, *item.citations))
    provisions = collection.provisions(docnos)
    data = {
        "sheet": sheet_id((item.id for item in items), measures),
        "title": title,
        "kind": KIND,
        "field": "ratings",
        "noun": noun,
        "done": "rated",
        "measures": [
            {
                "name": name,
                "question": SCALES[name].question,
                "values": [{"value": value, "label": label} for value, label in SCALES[name].labels.items()],
            }
            for name in measures
        ],
        "items": [_shown(item, provisions) for item in items],
        "provisions": {
            docno: {"title": provisions[docno].title, "text": provisions[docno].text}
            for docno in docnos
            if docno in provisions
        },
    }
    return offline_page(title, template("sheet.html"), template("sheet.js"), data, language)


def sheet_id(items: Iterable[str], measures: Sequence[str]) -> str:
    """Return the id of the page for these items, which ties ratings to it."""
    return digest([sorted(items), list(measures)])[:16]


def _shown(item: Item, provisions: Mapping[str, Any]) -> dict[str, object]:
    """Return an item as the script reads it: the text in parts, which are texts and citations."""
    markers = {citing(docno): docno for docno in sorted(item.citations, key=len, reverse=True)}
    parts: list[dict[str, str]] = []
    if markers:
        pattern = re.compile("(" + "|".join(map(re.escape, markers)) + ")")
        for part in pattern.split(item.text):
            if part:
                parts.append({"cite": markers[part]} if part in markers else {"text": part})
    else:
        parts.append({"text": item.text})
    sources = [docno for docno in dict.fromkeys((*item.context_docnos, *item.citations)) if docno in provisions]
    return {
        "id": item.id,
        "question": item.question,
        "reference": item.reference,
        "parts": parts,
        "sources": sources,
        "cited": [docno for docno in item.citations if docno in provisions],
        "unknown": [docno for docno in item.citations if docno not in provisions],
    }


@dataclass(frozen=True)
class Ratings:
    """Ratings of one rater.

    Attributes:
        rater: name of the rater.
        values: rating of each item by its id, for each measure.
        sheet: id of the page; empty for a judge.
    """

    rater: str
    values: Mapping[str, Mapping[str, float]]
    sheet: str = ""


def read_ratings(path: Path) -> Ratings:
    """Read a file that the page saved; a rater without a name is called after the file.

    Raises:
        MeasureError: the file cannot be read, or holds no ratings.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        if given["kind"] != KIND:
            raise ValueError(given["kind"])
        values: dict[str, dict[str, float]] = {}
        for item, ratings in given["ratings"].items():
            for measure, value in ratings.items():
                if measure == "comment":
                    continue
                if isinstance(value, bool) or value not in SCALES[measure].labels:
                    raise MeasureError(
                        f"{path}: {measure} of {item} is {value!r}, which is not one of "
                        f"{', '.join(f'{one:g}' for one in SCALES[measure].labels)}."
                    )
                values.setdefault(measure, {})[str(item)] = float(value)
        return Ratings(str(given.get("rater") or path.stem), values, str(given.get("sheet") or ""))
    except OSError as error:
        raise MeasureError(f"{path} cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        raise MeasureError(f"{path} is not UTF-8 (byte {error.start}).") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise MeasureError(f"{path} is not a file of ratings: save one on the page of the sheet.") from error


def judge_ratings(runs: Iterable[pd.DataFrame]) -> Ratings:
    """Return the verdicts of judges on the answers of several systems, as the ratings of one rater.

    An answer without a verdict and an empty answer have no rating.
    """
    values: dict[str, dict[str, float]] = {}
    for run in runs:
        names = [item_id(row) for row in run.to_dict("records")]
        for measure, scale in SCALES.items():
            if scale.column not in run.columns:
                continue
            of_measure = values.setdefault(measure, {})
            for name, value in zip(names, run[scale.column].astype(float).tolist(), strict=True):
                if name is not None and not math.isnan(value):
                    of_measure.setdefault(name, value)
    return Ratings("judge", values)
