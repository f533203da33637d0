"""Open questions of eleven types with reference answers, and the provisions that these rest on.

Source: the question types of [hypa-rag]. Deviations: the provisions are a sample of the collection, not whole chapters;
a type that compares or combines gets the provisions that the first one cites, too; the model names the provisions that
its answer rests on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from legalir import Collection
from legalir.errors import ComponentError, suggestion
from legalir.extend import load_prompt
from legalir_study.drafts import without_markup
from legalir_study.filters import ABOUT_TEXT, DUPLICATE, MALFORMED, about_the_text, duplicates
from legalir_study.items import FAILED, Faults, Row, Sieve
from legalir_study.rewording import reworded
from legalir_study.split import PROMPTS, Synthesis, provisions_with_text
from legalir_study.yesno import sampled_provisions

TYPES = {
    "simple": 1,
    "complex": 3,
    "distracting": 1,
    "situational": 1,
    "double": 2,
    "conversational": 1,
    "complex_situational": 3,
    "out_of_scope": 1,
    "vague": 1,
    "comparative": 2,
    "rule_conclusion": 1,
}
"""Types of questions, each with the largest number of provisions that the model reads for it."""

OUT_OF_SCOPE = "out_of_scope"
"""The type of question that the provisions do not answer."""

_NUMBERS = {"type": "array", "items": {"type": "integer"}, "maxItems": max(TYPES.values())}


def _numbers(value: Any) -> Any:
    """Return numbers of provisions as a list; a single one, or ``[1]`` as text, counts as well."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [str(one).strip(" []") if isinstance(one, str) else one for one in values]


class QuestionDraft(BaseModel):
    """A question with its answer as a model returns it."""

    question: str
    answer: str
    provisions: Annotated[list[int], BeforeValidator(_numbers), WithJsonSchema(_NUMBERS)] = []


def checked_types(types: Sequence[str]) -> list[str]:
    """Return types of questions after checking them.

    Raises:
        ComponentError: one is unknown, or there is none.
    """
    for one in types:
        if one not in TYPES:
            raise ComponentError(f"The type {one!r} is unknown.{suggestion(one, TYPES)} Types: {', '.join(TYPES)}.")
    if not types:
        raise ComponentError(f"No type of question is given: give some of {', '.join(TYPES)}.")
    return list(dict.fromkeys(types))


def planned_questions(
    collection: Collection, count: int, types: Sequence[str], seed: int
) -> list[tuple[str, tuple[str, ...]]]:
    """Return type and provisions of each question: `count` of each type, each type with a sample of its own.

    Raises:
        DataError: no provision has text.
    """
    usable = provisions_with_text(collection)
    plan = []
    for kind in checked_types(types):
        for docno in sampled_provisions(collection, count, seed, kind):
            cited = [one for one in collection.graph.cites(docno) if one in usable and one != docno]
            plan.append((kind, (docno, *cited[: TYPES[kind] - 1])))
    return plan


def malformed_answers(items: Sequence[Row]) -> Faults:
    """Return the items without a question, an answer, or a provision that the answer rests on.

    A question that is out of scope must rest on none.

    Args:
        items: ``query, answer, documents, type``.
    """
    faults = {}
    for row in items:
        if not all(any(map(str.isalnum, row[name])) for name in ("query", "answer")):
            faults[row["qid"]] = "the question or the answer is empty"
        elif row["type"] == OUT_OF_SCOPE and row["documents"]:
            faults[row["qid"]] = "out of scope, but the answer rests on a provision"
        elif row["type"] != OUT_OF_SCOPE and not row["documents"]:
            faults[row["qid"]] = "the answer rests on no provision that was given"
    return faults


def synthesize_questions(
    collection: Collection,
    count: int = 10,
    *,
    types: Sequence[str] = tuple(TYPES),
    shares: Mapping[str, float] | None = None,
    seed: int = 0,
    llm: str | None = None,
    prompt: str | None = None,
    language: str = "auto",
    alike: float = 90,
    max_tokens: int = 1024,
) -> Synthesis:
    """Let a model write open questions of several types, and change a share of them.

    The filters, in their order: malformed; about the text; duplicates. Then questions are changed.

    A question that is out of scope has no judgement, and is therefore no topic of the split; it stands in the file of
    questions.

    Args:
        collection: the collection, whose client asks the model.
        count: number of questions of each type, at least 1.
        types: some of :data:`TYPES`.
        shares: share of each change of :data:`~legalir_study.rewording.CHANGES`; None for no change.
        seed: of the samples, the choice of changes and the slips.
        llm: the model; None for that of the client.
        prompt: file of a prompt of your own.
        language: language of the questions; ``auto`` for the collection's language.
        alike: similarity from which two questions are the same, percent.
        max_tokens: tokens of a reply.

    Raises:
        ComponentError: a type or share is wrong.
        DataError: no provision has text.
        ModelError: no model is named, or no request can succeed.
    """
    code = collection.language if language == "auto" else language
    client = collection.client
    asked = load_prompt("synthesize_question", code, prompt, PROMPTS)
    rewording = load_prompt("synthesize_rewording", code, None, PROMPTS)
    name = client.model(llm).name
    plan = planned_questions(collection, count, types, seed)
    texts = collection.provisions({docno for _, docnos in plan for docno in docnos})
    replies = client.ask(
        asked,
        [
            {
                "type": kind,
                "provisions": "\n".join(
                    f"[{number}] {' '.join(texts[docno].default_text().split())}"
                    for number, docno in enumerate(docnos, start=1)
                ),
                "question": f"{kind} {' '.join(docnos)}",
            }
            for kind, docnos in plan
        ],
        llm=llm,
        kind=QuestionDraft,
        max_tokens=max_tokens,
    )
    items: list[Row] = []
    failed: dict[str, str] = {}
    place: Counter[str] = Counter()
    for (kind, docnos), reply in zip(plan, replies, strict=True):
        place[kind] += 1
        row: Row = {"qid": f"{kind}{place[kind]:04}", "query": "", "answer": "", "type": kind, "documents": [*docnos]}
        if reply.state == "ok":
            draft: QuestionDraft = reply.value
            rests = [docnos[number - 1] for number in dict.fromkeys(draft.provisions) if 1 <= number <= len(docnos)]
            row |= {"query": without_markup(draft.question), "answer": without_markup(draft.answer), "documents": rests}
        else:
            failed[row["qid"]] = f"{reply.state}: {reply.reason}"
        items.append(row)
    sieve = Sieve(items)
    sieve.drop(FAILED, failed)
    sieve.drop(MALFORMED, malformed_answers(sieve.kept))
    sieve.drop(ABOUT_TEXT, about_the_text(sieve.kept, code))
    sieve.drop(DUPLICATE, duplicates(sieve.kept, alike))
    kept = sieve.kept
    changes: dict[str, int] = {}
    if shares:
        kept, changes = reworded(kept, shares, seed, client, rewording, llm)
    of_type = Counter(row["type"] for row in kept)
    settings = {"seed": seed, "count": count, "language": code, "alike": alike, "shares": dict(shares or {})}
    return Synthesis(
        [{**row, "citations": row["documents"]} for row in kept],
        sieve.dropped,
        {
            "kind": "questions",
            "model": name,
            "prompts": [asked, *([rewording] if shares else [])],
            "settings": settings,
            "dropped": sieve.counts(),
            "report": {"types": {kind: of_type[kind] for kind in TYPES if of_type[kind]}, "changes": changes},
        },
    )
