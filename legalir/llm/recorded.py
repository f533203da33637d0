"""Recorded replies instead of a model: for tests, for texts that people wrote, and for what a cache exported."""

from __future__ import annotations

import json
from functools import cached_property
from os import PathLike
from pathlib import Path

from legalir.datasets.dataset import StatuteDataset
from legalir.errors import ComponentError, ModelError
from legalir.executors import Portable
from legalir.llm.cache import StoredReply
from legalir.llm.chat import ChatReply, ChatRequest
from legalir.storage.digest import cached_file_digest

FILE = "rewrites.jsonl"
"""Name of the file of recorded replies in the folder of a collection."""


class Recorded(Portable):
    """Replies from a file of JSON lines, found by the name of the prompt and the question.

    A line is ``{"prompt": …, "question": …, "text": …}``, or one that ``legalir llm cache export`` wrote; of several
    lines for the same prompt and question, the one with the seed of the request counts, or else the first.

    Args:
        path: the file.

    Raises:
        ModelError: there is no such file.
    """

    host, concurrency = "", 1

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path).expanduser()
        if not self.path.is_file():
            raise ModelError(f"recorded: {self.path} is not a file: give the path of a file of recorded replies.")

    @property
    def name(self) -> str:
        """Name of the file and digest of its content."""
        return f"recorded:{self.path.name}@{cached_file_digest(self.path)[:16]}"

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the recorded reply.

        Raises:
            FailedReply: a failed reply is recorded.
            ModelError: there is no file, or it cannot be read.
        """
        replies = self._replies.get((request.prompt, request.question))
        if not replies:
            raise ModelError(
                f"recorded: {self.path} has no reply of the prompt {request.prompt!r} to the question "
                f"{request.question[:200]!r}: take another model, or add a line."
            )
        return (replies.get(request.seed) or next(iter(replies.values()))).given()

    @cached_property
    def _replies(self) -> dict[tuple[str, str], dict[int, StoredReply]]:
        replies: dict[tuple[str, str], dict[int, StoredReply]] = {}
        for number, line in enumerate(self.path.read_bytes().splitlines(), start=1):
            if not line.strip():
                continue
            try:
                stored = _read(line.decode("utf-8"))
            except (ValueError, LookupError, TypeError) as error:
                raise ModelError(
                    f"recorded: {self.path}, line {number}: not a recorded reply: it needs prompt, question and text."
                ) from error
            place = stored.prompt(), stored.request.get("question", "")
            replies.setdefault(place, {}).setdefault(stored.request.get("seed", 0), stored)
        return replies


def _read(line: str) -> StoredReply:
    fields = json.loads(line)
    if "request" in fields:
        return StoredReply.read(line)
    prompt, question, text = fields["prompt"], fields["question"], fields["text"]
    if not all(isinstance(one, str) for one in (prompt, question, text)):
        raise TypeError
    return StoredReply("", "recorded", {"prompt": prompt, "question": question}, ChatReply(text, model="recorded"))


def recorded(collection: object, *, path: str | None = None) -> Recorded:
    """Replay recorded replies: ``recorded(path="replies.jsonl")``.

    Args:
        path: the file; by default ``rewrites.jsonl`` in the folder of the collection.
    """
    if path is not None:
        return Recorded(path)
    source = getattr(collection, "source", None)
    if not isinstance(source, StatuteDataset):
        raise ComponentError("recorded: give the path of the file, as in recorded(path='replies.jsonl').")
    return Recorded(source.folder.root / FILE)
