"""The plugin whose code an error or a component comes from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import TracebackType

from legalir.plugins.contract import PluginEntry
from legalir.plugins.loading import loaded_entries


def plugin_of(thing: object) -> PluginEntry | None:
    """Return the plugin of another package that an error or a component comes from, or None.

    An error comes from the plugin whose code stands innermost in its traceback; then the errors that it was raised from
    are searched. A component comes from the plugin that has its class. Code belongs to a plugin if it is in the same
    top-level package; of several entries there, the one with the nearest module. Only plugins that were loaded so far
    are considered.
    """
    modules = _modules(thing) if isinstance(thing, BaseException) else iter([type(thing).__module__])
    return next(filter(None, map(_owner, modules)), None)


def _owner(module: str) -> PluginEntry | None:
    top = module.partition(".")[0]
    others = sorted(entry for entry in loaded_entries() if entry.package != "legalir")
    owners = [entry for entry in others if _module(entry).partition(".")[0] == top]
    return max(owners, key=lambda entry: _shared_parts(_module(entry), module), default=None)


def _module(entry: PluginEntry) -> str:
    return entry.value.partition(":")[0].strip()


def _shared_parts(one: str, other: str) -> int:
    """Return the number of leading parts that two module names share."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _modules(error: BaseException | None) -> Iterator[str]:
    """Yield the modules of the frames of an error, innermost first, then those of its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield from reversed(list(_frame_modules(error.__traceback__)))
        if isinstance(error, SystemExit):
            return  # It may end a command in good order, after an error that was handled.
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _frame_modules(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        yield str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
