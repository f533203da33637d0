"""Yes/no items: three questions about each provision; that provision alone decides each of them.

Source: the yes/no synthesis of [searchfiresafety]. Deviation: structured replies; statements, questions about the text
and duplicates are dropped, and the balance is reported (in the published items about three of four answers are yes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from legalir import Collection
from legalir.errors import DataError
from legalir.extend import YES_NO_WORDS, load_prompt
from legalir_study.drafts import without_markup
from legalir_study.filters import (
    ABOUT_TEXT,
    DUPLICATE,
    MALFORMED,
    STATEMENT,
    about_the_text,
    duplicates,
    malformed_questions,
    plain,
    statements,
)
from legalir_study.items import FAILED, Row, Sieve, sampled
from legalir_study.split import PROMPTS, Synthesis, provisions_with_text

QUESTIONS = 3
"""Number of questions about one provision."""

_YES, _NO = ({plain(word) for pair in YES_NO_WORDS.values() for word in pair[side]} for side in (0, 1))


def _truth(value: Any) -> Any:
    """Return a word for yes or no as true or false; any other value as it is."""
    if isinstance(value, str):
        word = plain(value)
        return True if word in _YES else False if word in _NO else value
    return value


class YesNoDraft(BaseModel):
    """A yes/no question as a model returns it."""

    question: str
    answer: Annotated[bool, BeforeValidator(_truth)]
    explanation: str = ""


class _Drafts(BaseModel):
    questions: Annotated[list[YesNoDraft], Field(json_schema_extra={"minItems": QUESTIONS, "maxItems": QUESTIONS})]


def sampled_provisions(collection: Collection, count: int, seed: int, key: str) -> list[str]:
    """Return the docnos of a sample of the provisions with text.

    Raises:
        DataError: no provision has text.
    """
    usable = provisions_with_text(collection)
    if not usable:
        raise DataError(f"{collection.id} has no provision with text: there is nothing to ask about.")
    return sampled(sorted(usable), count, seed, key)


def balance(items: Sequence[Row]) -> dict[str, float]:
    """Return the number of items with the answer yes and no, and the accuracy of always giving the more frequent one.

    The accuracy of no items is 0.

    Args:
        items: ``key``, 1 for yes and 2 for no.
    """
    yes = sum(row["key"] == 1 for row in items)
    no = len(items) - yes
    return {"yes": yes, "no": no, "majority": round(max(yes, no) / len(items), 4) if items else 0.0}


def synthesize_yesno(
    collection: Collection,
    count: int = 100,
    *,
    seed: int = 0,
    llm: str | None = None,
    prompt: str | None = None,
    language: str = "auto",
    alike: float = 90,
    max_tokens: int = 1024,
) -> Synthesis:
    """Let a model write three yes/no questions about each of several provisions.

    The filters, in their order: malformed; about the text; statements; duplicates.

    Args:
        collection: the collection, whose client asks the model.
        count: number of provisions, at least 1.
        seed: of the sample of provisions.
        llm: the model; None for that of the client.
        prompt: file of a prompt of your own.
        language: language of the items; ``auto`` for the collection's language.
        alike: similarity from which two questions are the same, percent.
        max_tokens: tokens of a reply.

    Raises:
        DataError: no provision has text.
        ModelError: no model is named, or no request can succeed.
    """
    code = collection.language if language == "auto" else language
    client = collection.client
    asked = load_prompt("synthesize_yesno", code, prompt, PROMPTS)
    name = client.model(llm).name
    docnos = sampled_provisions(collection, count, seed, "yesno")
    texts = collection.provisions(docnos)
    replies = client.ask(
        asked,
        [{"provision": texts[docno].default_text(), "n": QUESTIONS, "question": docno} for docno in docnos],
        llm=llm,
        kind=_Drafts,
        max_tokens=max_tokens,
    )
    yes, no = YES_NO_WORDS.get(code, YES_NO_WORDS["en"])
    options = [yes[0], no[0]]
    items: list[Row] = []
    failed: dict[str, str] = {}
    few = 0
    for number, (docno, reply) in enumerate(zip(docnos, replies, strict=True), start=1):
        first: Row = {"qid": f"yn{number:04}", "query": "", "options": options, "key": 0, "documents": [docno]}
        if reply.state != "ok":
            items.append(first)
            failed[first["qid"]] = f"{reply.state}: {reply.reason}"
            continue
        drafts: list[YesNoDraft] = reply.value.questions[:QUESTIONS]
        few += len(drafts) < QUESTIONS
        items += [
            {
                **first,
                "qid": f"{first['qid']}-{place}",
                "query": without_markup(draft.question),
                "key": 1 if draft.answer else 2,
                "explanation": without_markup(draft.explanation),
            }
            for place, draft in enumerate(drafts, start=1)
        ]
    sieve = Sieve(items)
    sieve.drop(FAILED, failed)
    sieve.drop(MALFORMED, malformed_questions(sieve.kept))
    sieve.drop(ABOUT_TEXT, about_the_text(sieve.kept, code))
    sieve.drop(STATEMENT, statements(sieve.kept, code))
    sieve.drop(DUPLICATE, duplicates(sieve.kept, alike))
    return Synthesis(
        sieve.kept,
        sieve.dropped,
        {
            "kind": "yesno",
            "model": name,
            "prompts": [asked],
            "settings": {"seed": seed, "count": count, "language": code, "alike": alike},
            "dropped": sieve.counts(),
            "report": {"balance": balance(sieve.kept), "replies with fewer questions": few},
        },
    )
