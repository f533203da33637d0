"""Stored replies: the cache, one file for all models so that no reply is paid for twice, and recorded files."""

from __future__ import annotations

import json
import logging
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from legalir.datasets.dataset import StatuteDataset
from legalir.errors import ArtifactError, ComponentError, ModelError
from legalir.executors import Portable
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, State
from legalir.storage.digest import cached_file_digest, digest
from legalir.storage.files import cache_home
from legalir.storage.sqlite_cache import SqliteCache

_log = logging.getLogger("legalir")
_NEXT_ROWS = "SELECT key, line, check_sum, time FROM replies WHERE key > ? ORDER BY key LIMIT 500"
_SELECTED = "FROM replies WHERE time < ? AND (? IS NULL OR model = ?)"


class StoredReply(NamedTuple):
    """A request, its model and its reply: a line of a file of replies.

    Attributes:
        key: key of the request.
        model: id of the model.
        request: the request, as :meth:`legalir.llm.chat.ChatRequest.canonical` has it.
        reply: the reply; None if the model gave none.
        state: why it gave none; ``ok`` if it gave one.
        reason: a sentence about that.
    """

    key: str
    model: str
    request: dict[str, Any]
    reply: ChatReply | None
    state: State = "ok"
    reason: str = ""

    def line(self) -> str:
        """Return one line of JSON; :meth:`read` reads it."""
        reply = self.reply and asdict(self.reply)
        if reply and not reply["omitted"]:
            del reply["omitted"]  # So lines of earlier versions are written as they were read.
        fields = {**self._asdict(), "reply": reply}
        return json.dumps(fields, ensure_ascii=False, sort_keys=True)

    def given(self) -> ChatReply:
        """Return the reply.

        Raises:
            FailedReply: the model gave none.
        """
        if self.reply is None:
            raise FailedReply(self.state, self.reason)
        return self.reply

    @classmethod
    def read(cls, line: str) -> StoredReply:
        """Return the reply in a line.

        Raises:
            ValueError: the line is malformed, or the key does not match the request.
        """
        try:
            fields = json.loads(line)
            reply = None if fields["reply"] is None else ChatReply.read(fields["reply"])
            request, state, reason = dict(fields["request"]), fields.get("state", "ok"), fields.get("reason", "")
            stored = cls(fields["key"], fields["model"], request, reply, state, reason)
        except (TypeError, LookupError, AttributeError) as error:
            raise ValueError(f"not a stored reply ({error})") from error
        if stored.key != digest({"model": stored.model, **request}):
            raise ValueError("the key is not that of the request")
        return stored

    @classmethod
    def of(cls, model: str, request: ChatRequest, reply: ChatReply | FailedReply) -> StoredReply:
        """Return the entry of what a model gave."""
        entry = cls(request.key(model), model, request.canonical(), None)
        if isinstance(reply, FailedReply):
            return entry._replace(state=reply.state, reason=str(reply))
        return entry._replace(reply=reply)

    def prompt(self) -> str:
        """Return the name of the prompt."""
        return str(self.request.get("prompt", ""))


class Totals(NamedTuple):
    """Totals of the replies of one model to one prompt.

    Attributes:
        model: id of the model.
        prompt: name of the prompt.
        replies: number of stored requests.
        failed: how many of them got no reply, for example because they were too long.
        prompt_tokens: tokens of the requests.
        completion_tokens: tokens of the replies.
        size: bytes of all lines.
        first: when the first one was stored, in seconds since 1970.
        last: when the last one was stored.
    """

    model: str
    prompt: str
    replies: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    size: int
    first: float
    last: float


def default_cache() -> Path:
    """Return the path of the file of replies in the cache directory."""
    return cache_home() / "llm.sqlite"


class ReplyCache(SqliteCache):
    """Replies in an SQLite file; threads and processes may share it.

    Args:
        path: the file, which is created at the first use.
    """

    table = "replies"
    columns = "key TEXT PRIMARY KEY, prompt TEXT, model TEXT, time REAL, line TEXT, check_sum TEXT"
    noun = "replies"

    def is_whole(self, row: tuple[Any, ...]) -> bool:
        """Return True if a row is unchanged since it was written."""
        return _verified(row[4], row[5]) is not None

    def get(self, key: str) -> StoredReply | None:
        """Return the reply to a request, or None if it is missing or its row was altered.

        Raises:
            ArtifactError: the file cannot be read.
        """
        rows = self._run("SELECT line, check_sum FROM replies WHERE key = ?", (key,))
        return next((_verified(*row) for row in rows), None)

    def put(self, stored: StoredReply) -> None:
        """Store a reply.

        Raises:
            ArtifactError: the file cannot be written, for example because the disk is full.
        """
        line = stored.line()
        self.put_rows([(stored.key, stored.prompt(), stored.model, time.time(), line, digest(line))])

    def rows(self, model: str | None = None) -> Iterator[StoredReply]:
        """Yield the replies of a model, or all, in order of their keys; altered rows are left out."""
        return (stored for stored, _ in self._rows() if model in (None, stored.model))

    def _rows(self) -> Iterator[tuple[StoredReply, float]]:
        last = ""
        while rows := self._run(_NEXT_ROWS, (last,)):
            last = rows[-1][0]
            for _, line, check_sum, stored_at in rows:
                if (stored := _verified(line, check_sum)) is not None:
                    yield stored, stored_at

    def summary(self, before: float | None = None, model: str | None = None) -> list[Totals]:
        """Return what is stored, by model and prompt.

        Args:
            before: only what was stored before this time, in seconds since 1970.
            model: only what this model gave.
        """
        totals: dict[tuple[str, str], Totals] = {}
        for stored, time_ in self._rows():
            if (before is None or time_ < before) and model in (None, stored.model):
                names, reply = (stored.model, stored.prompt()), stored.reply or ChatReply("")
                old = totals.get(names) or Totals(*names, 0, 0, 0, 0, 0, time_, time_)
                totals[names] = Totals(
                    *names,
                    replies=old.replies + 1,
                    failed=old.failed + (stored.reply is None),
                    prompt_tokens=old.prompt_tokens + reply.prompt_tokens,
                    completion_tokens=old.completion_tokens + reply.completion_tokens,
                    size=old.size + len(stored.line().encode()),
                    first=min(old.first, time_),
                    last=max(old.last, time_),
                )
        return [totals[names] for names in sorted(totals)]

    def prune(self, before: float, model: str | None = None) -> int:
        """Remove what :meth:`summary` counts, and altered rows among it; return the number of rows.

        Other processes can continue to use the file.
        """
        values = before, model, model
        (count,) = self._run(f"SELECT count(*) {_SELECTED}", values)[0]
        self._run(f"DELETE {_SELECTED}", values)
        try:
            self._run("VACUUM")
        except ArtifactError as error:  # It needs space for a copy of what is left.
            _log.warning("The replies are removed, but their space is not free yet: %s", error)
        return int(count)


def _verified(line: object, check_sum: object) -> StoredReply | None:
    """Return the reply in a row; None if the row was altered."""
    if not isinstance(line, str) or digest(line) != check_sum:
        return None
    try:
        return StoredReply.read(line)
    except ValueError:  # A later version of legalir wrote it.
        return None


FILE = "rewrites.jsonl"
"""Name of the file of recorded replies in the folder of a collection."""


class Recorded(Portable):
    """Replies from a file of JSON lines.

    A line is ``{"prompt": …, "question": …, "text": …}``, or one that ``legalir llm cache export`` wrote. The reply to
    this very request counts first; then a reply to the same prompt and question, with the seed of the request if there
    is one. If several differ, it is not known which of them is meant, and that is an error.

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
            ModelError: there is no reply or more than one, or the file cannot be read.
        """
        named = self._lines.get((request.prompt, request.question), [])
        keys = {request.key(model) for model in {line.model for line in named}}
        replies = [line for line in named if line.key in keys]
        if not replies:
            replies = [line for line in named if line.request.get("seed", 0) == request.seed] or named
        if not replies:
            raise ModelError(
                f"recorded: {self.path} has no reply of the prompt {request.prompt!r} to the question "
                f"{request.question[:200]!r}: take another model, or add a line."
            )
        if len({(line.reply and line.reply.text, line.state) for line in replies}) > 1:
            raise ModelError(
                f"recorded: {self.path} has {len(replies)} different replies of the prompt {request.prompt!r} to the "
                f"question {request.question[:200]!r}, and none is known to be the one to this request: keep one, or "
                f"export one model or run."
            )
        if replies[0].key and replies[0].key not in keys and not self._warned:
            self._warned = True
            _log.warning(
                "recorded: %s has replies to the prompt %r that were given to other requests, with another context or "
                "other settings; they are used.",
                self.path,
                request.prompt,
            )
        return replies[0].given()

    _warned = False

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[StoredReply]]:
        """The lines by prompt and question."""
        lines: dict[tuple[str, str], list[StoredReply]] = defaultdict(list)
        for number, line in enumerate(self.path.read_bytes().splitlines(), start=1):
            if not line.strip():
                continue
            try:
                stored = _read(line.decode("utf-8"))
            except (ValueError, LookupError, TypeError) as error:
                raise ModelError(
                    f"recorded: {self.path}, line {number}: not a recorded reply: it needs prompt, question and text."
                ) from error
            lines[stored.prompt(), str(stored.request.get("question", ""))].append(stored)
        return lines


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
