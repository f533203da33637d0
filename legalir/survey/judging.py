"""A language model that decides whether provisions are on a matter, with a quotation that is looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel

from legalir.answer.answer import checked_quote
from legalir.collections import Collection
from legalir.errors import DataError
from legalir.rewrite.rewriter import prompt_of
from legalir.storage.documents import title_and_text
from legalir.survey.survey import ACCEPTED, OPEN, REFUSED, Verdict


class _Reply(BaseModel):
    relevant: bool
    quote: str = ""
    reason: str = ""


class Judgement(NamedTuple):
    """What a model decided about a provision.

    Attributes:
        verdict: ``open`` if the reply failed, or if it accepts with a quotation that the provision does not have.
        quote: the words of the provision, as it has them.
        note: the reason; of an open one, what is wrong.
    """

    verdict: Verdict
    quote: str
    note: str


def judgements(
    collection: Collection,
    pairs: Sequence[tuple[str, str]],
    *,
    llm: str | None = None,
    prompt: str | None = None,
) -> list[Judgement]:
    """Ask a language model about questions and provisions; one request each.

    Args:
        collection: source of the provisions, and of the client that asks.
        pairs: question and docno of each.
        llm: the model; None for the client's own.
        prompt: file of your own prompt, with the slots ``question`` and ``provision``.

    Raises:
        DataError: the collection has no such provision.
        DefinitionError: the prompt cannot be read.
        ModelError: no request can succeed.
    """
    records: Mapping[str, str] = {
        docno: title_and_text(one.title, one.text)
        for docno, one in collection.provisions(dict.fromkeys(docno for _, docno in pairs)).items()
    }
    if missing := [docno for _, docno in pairs if docno not in records]:
        raise DataError(f"{missing[0]!r} is not a provision of {collection.id}: give the collection it is of.")
    replies = collection.client.ask(
        prompt_of("survey")(collection, prompt),
        [{"question": question, "provision": records[docno]} for question, docno in pairs],
        llm=llm,
        kind=_Reply,
        max_tokens=512,
    )
    found = []
    for (_, docno), reply in zip(pairs, replies, strict=True):
        if reply.state != "ok":
            found.append(Judgement(OPEN, "", f"the reply failed: {reply.state}: {reply.reason}"))
        elif not reply.value.relevant:
            found.append(Judgement(REFUSED, "", reply.value.reason))
        else:
            quote, state = checked_quote(reply.value.quote, records[docno])
            lost = (
                f"accepted with words that are not in the provision: {quote!r}" if quote else "accepted without words"
            )
            found.append(
                Judgement(OPEN, "", lost) if state == "not found" else Judgement(ACCEPTED, quote, reply.value.reason)
            )
    return found
