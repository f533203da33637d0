"""Nuggets: the facts that a good answer to a question has, proposed by a model, to be edited by people.

Source: the nuggetizer of [trec-rag]. Deviations: one request a question, facts and importance together; the facts are
those of the reference answer, where there is one; a fact with a number that no source has is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field
from rapidfuzz import fuzz

from legalir import Collection
from legalir.extend import load_prompt
from legalir_study.drafts import without_markup
from legalir_study.items import FAILED, Row, Sieve
from legalir_study.labels import questions_of
from legalir_study.split import PROMPTS, Synthesis

MOST = 20
"""Largest number of nuggets of a question."""

NOTHING, NO_NUGGET = "nothing to read", "no nugget"
"""Reasons of a question that is dropped: it has neither a reference answer nor a judged provision; no fact is left."""

_VITAL = "* "
"""Begin of the line of a vital nugget, on the page on which people edit nuggets."""


class _Fact(BaseModel):
    text: str
    importance: Annotated[
        Literal["vital", "okay"], BeforeValidator(lambda one: one.strip().lower() if isinstance(one, str) else one)
    ]


class _Facts(BaseModel):
    facts: Annotated[list[_Fact], Field(json_schema_extra={"minItems": 1, "maxItems": MOST})]


def nugget_lines(nuggets: Iterable[Mapping[str, str]]) -> str:
    """Return nuggets as people edit them: one a line, ``*`` before a vital one."""
    return "\n".join((_VITAL if one["importance"] == "vital" else "") + one["text"] for one in nuggets)


def nuggets_of(lines: str) -> list[dict[str, str]]:
    """Return the nuggets of lines; an empty line is none, and ``-`` before an okay one is no part of it."""
    nuggets = []
    for line in map(str.strip, lines.splitlines()):
        if text := " ".join(line.lstrip("*-•").split()):
            nuggets.append({"text": text, "importance": "vital" if line.startswith("*") else "okay"})
    return nuggets


_THOUSANDS = re.compile(r"(?<=\d)[,.'’ \u00a0\u202f](?=\d{3}(?!\d))")


def _numbers(text: str) -> set[str]:
    """Return the numbers of a text, in any digits, with or without signs between thousands."""
    plain = re.sub(r"\d", lambda digit: str(unicodedata.digit(digit[0])), unicodedata.normalize("NFKC", text))
    return {number.replace(",", ".") for number in re.findall(r"\d+(?:[.,]\d+)?", _THOUSANDS.sub("", plain))}


def planned_nuggets(collection: Collection) -> list[Row]:
    """Return the questions of a collection with their reference answers and judged provisions, the best first.

    Raises:
        DataError: it has no questions.
    """
    judged: dict[str, dict[str, int]] = {}
    if collection.source.has_judgements():
        for qid, docno, label in collection.source.judgements():
            if label >= 1:
                judged.setdefault(qid, {})[docno] = label
    rows = []
    for row in questions_of(collection):
        answer, labels = row.get("answer"), judged.get(row["qid"], {})
        documents = [docno for _, docno in sorted((-label, docno) for docno, label in labels.items())]
        own = {"answer": answer} if isinstance(answer, str) and answer.strip() else {}
        rows.append({"qid": row["qid"], "query": row["query"], **own, "documents": documents})
    return rows


def synthesize_nuggets(
    collection: Collection,
    *,
    llm: str | None = None,
    prompt: str | None = None,
    language: str = "auto",
    alike: float = 90,
    max_tokens: int = 2048,
) -> Synthesis:
    """Let a model propose the nuggets of each question of a collection.

    The file of questions of the split has the column ``nuggets`` and is what ``judge_nuggets`` reads.

    Args:
        collection: the collection, whose client asks the model.
        llm: the model; None for that of the client.
        prompt: file of a prompt of your own.
        language: language of the prompt; ``auto`` for the collection's language.
        alike: similarity from which two facts are the same, percent; the first one stays.
        max_tokens: tokens of a reply.

    Raises:
        DataError: the collection has no questions.
        ModelError: no model is named, or no request can succeed.
    """
    code = collection.language if language == "auto" else language
    client = collection.client
    asked = load_prompt("synthesize_nuggets", code, prompt, PROMPTS)
    name = client.model(llm).name
    sieve = Sieve(planned_nuggets(collection))
    texts = collection.provisions({docno for row in sieve.kept for docno in row["documents"]})
    given = {
        row["qid"]: "\n".join(" ".join(texts[one].default_text().split()) for one in row["documents"] if one in texts)
        for row in sieve.kept
    }
    without = "neither a reference answer nor a judged provision"
    sieve.drop(NOTHING, {row["qid"]: without for row in sieve.kept if not row.get("answer") and not given[row["qid"]]})
    replies = client.ask(
        asked,
        [
            {
                "question": row["query"],
                "reference": row.get("answer", "-"),
                "provisions": given[row["qid"]] or "-",
            }
            for row in sieve.kept
        ],
        llm=llm,
        kind=_Facts,
        max_tokens=max_tokens,
    )
    failed: dict[str, str] = {}
    left = {"repeated": 0, "number of no source": 0}
    for row, reply in zip(sieve.kept, replies, strict=True):
        if reply.state != "ok":
            failed[row["qid"]] = f"{reply.state}: {reply.reason}"
            continue
        sources = _numbers("\n".join([row["query"], row.get("answer", ""), given[row["qid"]]]))
        row["nuggets"] = _sifted(reply.value.facts[:MOST], sources, alike, left)
    sieve.drop(FAILED, failed)
    empty = "no fact that a source has"
    sieve.drop(NO_NUGGET, {row["qid"]: empty for row in sieve.kept if not row["nuggets"]})
    every = [one["importance"] for row in sieve.kept for one in row["nuggets"]]
    return Synthesis(
        sieve.kept,
        sieve.dropped,
        {
            "kind": "nuggets",
            "model": name,
            "prompts": [asked],
            "settings": {"language": code, "alike": alike},
            "dropped": sieve.counts(),
            "report": {
                "nuggets": {"vital": every.count("vital"), "okay": every.count("okay")},
                "left out": left,
            },
        },
    )


def _sifted(facts: Sequence[Any], numbers: set[str], alike: float, left: dict[str, int]) -> list[dict[str, str]]:
    """Return facts as nuggets, without those that repeat another or have a number of no source; count these."""
    kept: list[dict[str, str]] = []
    for fact in facts:
        text = without_markup(fact.text)
        if not any(map(str.isalnum, text)):
            continue
        if not _numbers(text) <= numbers:
            left["number of no source"] += 1
        elif any(_same(text, one["text"], alike) for one in kept):
            left["repeated"] += 1
        else:
            kept.append({"text": text, "importance": fact.importance})
    return kept


def _same(one: str, other: str, alike: float) -> bool:
    """Return True if two facts are alike and have the same numbers: 30 days is not 60 days."""
    return _numbers(one) == _numbers(other) and fuzz.ratio(one, other) >= alike
