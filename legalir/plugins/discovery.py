"""Reading entry points: metadata only, and no unreadable package hides another."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable
from importlib import metadata
from typing import Any

from legalir.plugins.entry import GROUP, PluginEntry
from legalir.plugins.failure import describe

__all__ = ["disabled", "handles", "installed", "named", "refresh", "setting", "tolerate", "unreadable"]

_CONTRACT = re.compile(r"legalir\.v[0-9]+")
"""Groups of entry points that are ours, in whatever version of the contract."""

_UNKNOWN = "of unknown version"

_VARIABLE = "LEGALIR_DISABLE_PLUGINS"

_unreadable: dict[str, str] = {}


@functools.lru_cache(maxsize=1)
def installed() -> tuple[PluginEntry, ...]:
    """Return every entry point of our groups, valid or not, read once.

    One of another contract is left out where its package offers the same under ours.
    """
    every = _tolerant(metadata.entry_points)()
    groups = filter(_CONTRACT.fullmatch, every.groups)
    found = {_entry(point) for group in groups for point in every.select(group=group)}
    ours = {(entry.role, entry.name, entry.package) for entry in found if entry.group == GROUP}
    return tuple(sorted(entry for entry in found if entry.group == GROUP or entry[:3] not in ours))


def refresh() -> None:
    """Forget the entry points that were read, so that a package installed since is seen."""
    installed.cache_clear()
    _unreadable.clear()


def named() -> dict[str, set[str]]:
    """Return what ``LEGALIR_DISABLE_PLUGINS`` names, as written, and the handles that each may be."""
    written = filter(None, map(str.strip, os.environ.get(_VARIABLE, "").split(",")))
    return {name: {name, _normal_package(name)} for name in written}


def disabled() -> set[str]:
    """Return the handles of what is disabled, packages also in their normal form."""
    return set().union(*named().values())


def handles(entry: PluginEntry) -> set[str]:
    """Return the names by which an entry can be disabled."""
    within = {f"{entry.role}.{entry.name}", entry.name}
    return {entry.package, *within, *(f"{entry.package}/{name}" for name in within)}


def setting(*names: str) -> str:
    """Return how to disable `names` beside what is disabled already: ``LEGALIR_DISABLE_PLUGINS=…``."""
    return f"{_VARIABLE}={','.join(dict.fromkeys([*named(), *names]))}"


def unreadable() -> list[str]:
    """Say which packages have entry points that cannot be read, whatever they were for; one sentence each."""
    installed()
    return list(_unreadable.values())


def tolerate() -> None:
    """Let whatever asks for entry points in this process survive a package whose file cannot be read.

    PyTerrier and networkx ask when they are imported, and :func:`importlib.metadata.entry_points` gives them nothing
    at all where the file of any package is broken. For programs; a library leaves its host as it is.
    """
    if not hasattr(metadata.entry_points, "__wrapped__"):
        metadata.entry_points = _tolerant(metadata.entry_points)


def _tolerant(read: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(read)
    def entry_points(**selection: Any) -> Any:
        try:
            return read(**selection)
        # One unreadable entry_points.txt, of whatever package, spoils the quick way for all: read them singly.
        except Exception:
            return metadata.EntryPoints(_singly()).select(**selection)

    return entry_points


def _singly() -> Iterable[metadata.EntryPoint]:
    seen: set[str] = set()
    for distribution in metadata.distributions():
        package = str(getattr(distribution, "_path", distribution))
        try:
            name = _normal(distribution.name)
            package = f"{name} {distribution.version}"
            points = list(distribution.entry_points)
        except Exception as error:
            _unreadable[package] = (
                f"The entry points of package {package} cannot be read ({describe(error)}): repair or uninstall it, "
                f"because Python programs cannot import PyTerrier beside it."
            )
            continue
        if name not in seen:  # The first on the path is the one that imports find.
            seen.add(name)
            yield from points


def _entry(point: metadata.EntryPoint) -> PluginEntry:
    role, _, name = point.name.partition(".")
    try:
        assert point.dist is not None
        package, version = _normal(point.dist.name), str(point.dist.version or _UNKNOWN)
    except Exception:  # Metadata that cannot be read: the module's name is the best that is left.
        package, version = point.value.partition(":")[0].partition(".")[0], _UNKNOWN
    return PluginEntry(role, name, package, version, point.value, point.group)


def _normal_package(handle: str) -> str:
    package, slash, rest = handle.partition("/")
    return f"{_normal(package)}{slash}{rest}"


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()
