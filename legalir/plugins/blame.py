"""Whose code an unexpected error comes from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import TracebackType

from legalir.plugins.entry import PluginEntry
from legalir.plugins.loading import loaded

__all__ = ["culprit", "owner"]


def culprit(error: BaseException) -> PluginEntry | None:
    """Return the plugin of another package whose code stands innermost in the traceback of `error`, or None.

    Only plugins that were loaded so far are known. The errors that `error` was raised from are looked at after it.
    Code belongs to a plugin where it is in the same top-level package; of several entries there, the one whose module
    is nearest is taken.
    """
    return next(filter(None, map(_owner, _modules(error))), None)


def owner(component: object) -> PluginEntry | None:
    """Return the plugin of another package whose code the class of `component` is, as :func:`culprit` finds it."""
    return _owner(type(component).__module__)


def _owner(module: str) -> PluginEntry | None:
    top = module.partition(".")[0]
    others = sorted(entry for entry in loaded() if entry.package != "legalir")
    owners = [entry for entry in others if _module(entry).partition(".")[0] == top]
    return max(owners, key=lambda entry: _shared(_module(entry), module), default=None)


def _shared(one: str, other: str) -> int:
    """Return how many leading parts two module names share."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _module(entry: PluginEntry) -> str:
    return entry.value.partition(":")[0].strip()


def _modules(error: BaseException | None) -> Iterator[str]:
    """Yield the modules of the frames of an error, innermost first, then those of its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield from reversed(list(_frames(error.__traceback__)))
        if isinstance(error, SystemExit):
            return  # It may end a command in good order, after an error that was dealt with.
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        yield str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
