"""What the new interpreter of :mod:`legalir.testing.fresh` runs, as ``python -m legalir.testing.child``."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from legalir.testing.blame import told
from legalir.testing.data import HEAVY
from legalir.testing.facts import facts, no_rows, plain
from legalir.testing.subject import Subject
from legalir.testing.trial import Trial

__all__ = ["main"]


class _Stages:
    """The stages that were passed, and the heavy modules that each of them loaded."""

    def __init__(self) -> None:
        self.loaded: dict[str, list[str]] = {}
        self.failed = self.message = ""
        self._known = _heavy()

    @contextmanager
    def stage(self, name: str, told: Callable[[BaseException], str]) -> Iterator[None]:
        try:
            yield
        except (Exception, SystemExit) as error:
            self.failed, self.message = name, told(error)
            raise _Stop from error
        found = _heavy()
        self.loaded[name] = sorted(found - self._known)
        self._known = found


class _Stop(Exception):  # noqa: N818  (no error of its own)
    """A stage failed, and its message is kept."""


def _heavy() -> set[str]:
    return {name for name in HEAVY if name in sys.modules}


def _subject(given: str, **options: Any) -> Subject:
    module, colon, name = given.partition(":")
    if not colon or not name.isidentifier():
        return Subject(given=given, **options)
    return Subject(given=getattr(importlib.import_module(module), name), **options)


def main(job: str, folder: str, answer: str) -> None:
    """Do what `job` says in `folder`, and write what happened to `answer`."""
    stages = _Stages()
    there: dict[str, list[Any]] = {}
    options = ast.literal_eval(Path(job).read_text(encoding="utf-8"))
    subject: Subject | None = None

    def told_of(error: BaseException) -> str:
        return told(error, subject)

    try:
        with stages.stage("import", told_of):
            subject = _subject(**options)
            _ = subject.factory
        trial = Trial(subject, Path(folder))
        with stages.stage("construction", told_of):
            collection = trial.collection()
            component = trial.component(collection)
        with stages.stage("no rows", told_of):
            no_rows(trial, collection, component)
        with stages.stage("run", told_of):
            there = plain(facts(trial, collection, component))
    except _Stop:
        pass
    found = {"there": there, "loaded": stages.loaded, "failed": stages.failed, "message": stages.message}
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
