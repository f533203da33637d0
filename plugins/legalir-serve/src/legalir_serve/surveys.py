"""A survey whose decisions are in the request: nothing of it is kept on the server."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from legalir.errors import ComponentError
from legalir.extend import Decision, Survey
from legalir_serve.service import Service

DECISIONS = 1_000
"""Most decisions of a survey in a request."""

BATCH, TARGET = 10, 0.95
"""Provisions that are read before the order changes, and the estimated recall at which a survey ends."""

VERDICTS: Mapping[str, str] = {"+": "accepted", "-": "refused", "?": "open"}
"""Verdicts by the sign that an address has for them."""

_STATE = 400_000
"""Most bytes of the decisions in an address."""


def survey(
    service: Service,
    query: str,
    decisions: Sequence[tuple[str, str]] = (),
    *,
    collection: str | None = None,
    as_of: str | None = None,
    corpus: str = "",
) -> dict[str, Any]:
    """Return what is to be read next of a survey, and what is known after its decisions.

    Args:
        service: what is served.
        query: the matter.
        decisions: docno and verdict of each provision that was read, in this order.
        collection: name of the collection.
        as_of: the day.
        corpus: that of an earlier reply.

    Returns:
        ``query, collection, as_of, corpus`` (a fingerprint of the provisions) and ``changed`` (whether another one was
        given); ``decisions``, the rows of ``legalir survey --json``; ``pending``, what is read next: ``docno, title,
        law, text``, ``near``, accepted provisions that it is linked with, and ``found``, whether the search brings it;
        ``recall``, ``reached`` and
        ``sentences`` as there.

    Raises:
        ComponentError: a provision is not there or is decided twice, a verdict is not one, or there are too many.
    """
    opened, question = service.opened(collection), service.policy.question(query)
    if len(decisions) > DECISIONS:
        raise ComponentError(f"A survey has at most {DECISIONS:,} decisions here; legalir survey has no limit.")
    known = opened.collection.provisions([docno for docno, _ in decisions])
    for docno, verdict in decisions:
        if docno not in known:
            raise ComponentError(f"The survey decides on {docno!r}, which {opened.name} does not have.")
        if verdict not in VERDICTS.values():
            raise ComponentError(f"A verdict is accepted, refused or open, not {verdict[:40]!r}.")
    if len(known) < len(decisions):
        raise ComponentError("The survey decides on a provision twice: give each once.")
    day = opened.day(as_of)
    pipeline = service.policy.expression("default")
    begun = Survey.new(opened.collection, question, pipeline=pipeline, as_of=day, batch=BATCH, target=TARGET)
    given = [
        Decision.parse({"docno": docno, "verdict": verdict, "round": place // BATCH + 1})
        for place, (docno, verdict) in enumerate(decisions)
    ]
    here = Survey(opened.collection, begun.state.model_copy(update={"decisions": tuple(given)}))
    ranking, next_ones = here.ranking, here.pending()
    records, recall = opened.collection.provisions(next_ones), here.recall()
    accepted = ranking.numbers([docno for docno, verdict in decisions if verdict == "accepted"])
    pending = []
    for docno, number in zip(next_ones, ranking.numbers(next_ones), strict=True):
        record, near = records[docno], np.intersect1d(ranking.neighbours(int(number)), accepted)
        row = {"docno": docno, "title": record.title, "law": record.law, "text": record.text}
        pending.append({**row, "near": ranking.docnos(near[:3]), "found": bool(number in ranking.found)})
    return {
        "query": question,
        "collection": opened.name,
        "as_of": day,
        "corpus": begun.state.corpus[:16],
        "changed": corpus not in ("", begun.state.corpus[:16]),
        "decisions": [*here.rows()],
        "pending": pending,
        "total": len(ranking),
        "recall": {name: None if value != value else value for name, value in recall._asdict().items()},
        "reached": recall.reaches(TARGET),
        "sentences": [*recall.sentences(), "An estimate is no promise that nothing is left."],
    }


def packed(decisions: Sequence[tuple[str, str]], corpus: str) -> str:
    """Return decisions as a word for an address."""
    signs = {verdict: sign for sign, verdict in VERDICTS.items()}
    content = json.dumps([corpus, *(signs[verdict] + docno for docno, verdict in decisions)], ensure_ascii=False)
    return base64.urlsafe_b64encode(zlib.compress(content.encode(), 9)).decode().rstrip("=")


def unpacked(word: str) -> tuple[list[tuple[str, str]], str]:
    """Return the decisions and the fingerprint in a word of :func:`packed`; none of an empty one.

    Raises:
        ComponentError: it is not such a word.
    """
    if not word:
        return [], ""
    try:
        packed_bytes = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
        reader = zlib.decompressobj()
        content = json.loads(reader.decompress(packed_bytes, _STATE))
        corpus, *signed = content
        if not reader.eof or not all(isinstance(one, str) for one in content):
            raise ValueError
        return [(one[1:], VERDICTS[one[0]]) for one in signed], corpus
    except (ValueError, KeyError, IndexError, TypeError, zlib.error, RecursionError):
        raise ComponentError("The address has no readable decisions of a survey: copy the whole of it.") from None
