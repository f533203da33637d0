"""Records of answers: a file that shows, years later, an answer and everything it was made from."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir import __version__
from legalir.answer.generator import Answer
from legalir.errors import ArtifactError
from legalir.storage.digest import digest
from legalir.storage.files import atomic_file

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

NOTICE = "This is a research aid and no legal advice."
"""Notice that every answer carries once."""

_FORMAT = 1


def answer_facts(answer: Answer, collection: Collection) -> dict[str, Any]:
    """Return an answer as JSON values.

    Returns:
        ``query, answer, abstained, reason, reply_state``; ``citations``, each with ``docno, title, state`` (``given``,
        ``not given`` or ``not in the collection``) and ``quotes`` (``words, state``); ``sources``, the provisions that
        the pipeline returned or the answer was made from: ``rank`` (from 1), ``docno, title, text, score`` (None for a
        linked one) and ``read``, whether the answer was made from it; ``prompt_tokens, completion_tokens, notice``;
        ``as_of``, the day of the question, for a collection of versions.
    """
    listed = dict.fromkeys([*answer.context_docnos, *answer.sources["docno"]])
    provisions = collection.provisions([*listed, *answer.citations])
    scores = dict(zip(answer.sources["docno"], answer.sources["score"].tolist(), strict=True))
    given = answer.context_docnos if collection.chunks is None else collection.chunks.held(answer.context_docnos)
    return {
        "query": answer.query,
        "answer": answer.text,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "reply_state": answer.reply_state,
        "citations": [
            {
                "docno": docno,
                "title": provisions[docno].title if docno in provisions else "",
                "state": (
                    "given" if docno in given else "not given" if docno in provisions else "not in the collection"
                ),
                "quotes": [{"words": words, "state": state} for of, words, state in answer.quotes if of == docno],
            }
            for docno in answer.citations
        ],
        "sources": [
            {
                "rank": rank,
                "docno": docno,
                "title": provisions[docno].title,
                "text": provisions[docno].text,
                "score": scores.get(docno),
                "read": docno in answer.context_docnos,
            }
            for rank, docno in enumerate(listed, start=1)
        ],
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        **({"as_of": day} if (day := answer.as_of or collection.day()) else {}),
        "notice": NOTICE,
    }


def record_of(facts: dict[str, Any], collection: Collection, expression: str) -> dict[str, Any]:
    """Return the record of an answer: its facts, and with what it was made.

    Args:
        facts: of :func:`answer_facts`.
        collection: the collection whose client asked the models.
        expression: the pipeline, in its canonical form.

    Returns:
        ``answer`` (the facts), ``recorded`` (UTC), ``as_of`` (the day for which provisions in force were meant),
        ``legalir``, ``collection`` and ``corpus`` (its id and sha256), ``pipeline``, ``replies`` (each request with its
        prompt's sha256, the model, and the reply), ``format`` and ``sha256`` of all the rest.
    """
    now = datetime.now(UTC)
    replies = [json.loads(stored.line()) for stored in collection.client.used_replies()]
    record = {
        "format": _FORMAT,
        "recorded": now.isoformat(timespec="seconds"),
        "as_of": facts.get("as_of") or now.date().isoformat(),
        "legalir": __version__,
        # The path of a folder reveals something about its owner's machine.
        "collection": collection.id if collection.id.startswith("legalir/") else Path(collection.id).name,
        "corpus": collection.fingerprint(),
        "pipeline": expression,
        "answer": facts,
        "replies": replies,
    }
    return {**record, "sha256": digest(record)}


def write_record(path: Path, record: dict[str, Any]) -> None:
    """Write a record to a new file.

    Raises:
        ArtifactError: the file exists, or cannot be written.
    """
    if path.exists():
        raise ArtifactError(f"{path} exists: records are never replaced; give another name.")
    try:
        with atomic_file(path) as stream:
            json.dump(record, stream, ensure_ascii=False, indent=1)
            stream.write("\n")
    except OSError as error:
        raise ArtifactError(f"{path} cannot be written ({error.strerror or error}): give another place.") from error


def read_record(path: Path) -> dict[str, Any]:
    """Return a record that :func:`write_record` wrote.

    Raises:
        ArtifactError: the file cannot be read, is not a record, or was altered.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        content = {name: value for name, value in record.items() if name != "sha256"}
        genuine = record["format"] == _FORMAT and digest(content) == record["sha256"]
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read ({error.strerror or error}): check the name.") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ArtifactError(f"{path} is not the record of an answer: give a file that --record wrote.") from None
    if not genuine:
        raise ArtifactError(f"{path} was altered, or written by another version: use a copy that was not.")
    return dict(record)
