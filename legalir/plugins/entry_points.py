"""Entry points of all installed packages, read from metadata alone; an unreadable package hides no other.

Entry points of another group ``legalir.v<N>`` are read, too, so that a message can say what to install. They are never
imported.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from legalir.errors import describe
from legalir.plugins.contract import GROUP, PluginEntry

_GROUPS = re.compile(r"legalir\.v[0-9]+")
"""The groups of each version of the contract."""

_NO_VERSION = "of unknown version"
_ALL = metadata.DistributionFinder.Context()


_is_reading: ContextVar[bool] = ContextVar("_is_reading", default=False)


class _Reading(NamedTuple):
    """The entry points of this environment.

    Attributes:
        points: those of our groups.
        unreadable: packages whose entry points cannot be read: by name, the sentence that says so.
    """

    points: list[metadata.EntryPoint]
    unreadable: dict[str, str]


@functools.lru_cache(maxsize=1)
def _read() -> _Reading:
    token = _is_reading.set(True)
    try:
        every = metadata.entry_points()
        ours = filter(_GROUPS.fullmatch, every.groups)
        return _Reading([point for group in ours for point in every.select(group=group)], {})
    # One unreadable entry_points.txt, of any package, spoils this quick way for all: read them one by one.
    except Exception:
        return _read_one_by_one()
    finally:
        _is_reading.reset(token)


def _read_one_by_one() -> _Reading:
    points: list[metadata.EntryPoint] = []
    unreadable: dict[str, str] = {}
    names: set[str] = set()
    for distribution in metadata.distributions():
        folder = Path(str(getattr(distribution, "_path", distribution)))
        name, label = folder.name.partition("-")[0], str(folder)
        try:
            name = normal_name(distribution.name)
            label = f"{name} {distribution.version}"
            own = list(distribution.entry_points)
        except Exception as error:
            unreadable[name] = (
                f"The entry points of package {label} cannot be read ({describe(error)}): repair or uninstall it, "
                f"because Python programs cannot import PyTerrier beside it."
            )
            continue
        if name not in names:  # Imports find the first one on the path.
            names.add(name)
            points += [point for point in own if _GROUPS.fullmatch(point.group)]
    return _Reading(points, unreadable)


@functools.lru_cache(maxsize=1)
def installed() -> tuple[PluginEntry, ...]:
    """Return each entry point of our groups, valid or not, read once.

    An entry for another version of the contract is left out if its package offers the same for ours.
    """
    entries = set(map(_entry, _read().points))
    ours = {(entry.role, entry.name, entry.package) for entry in entries if entry.group == GROUP}
    return tuple(sorted(entry for entry in entries if entry.group == GROUP or entry[:3] not in ours))


def refresh() -> None:
    """Forget the entry points that were read, so that packages installed since then are seen."""
    installed.cache_clear()
    _read.cache_clear()


def unreadable_packages() -> list[str]:
    """Return a sentence for each package whose entry points cannot be read."""
    return list(_read().unreadable.values())


def normal_name(package: str) -> str:
    """Return the name of a package in lower case, with ``-`` between its parts."""
    return re.sub(r"[-_.]+", "-", package).lower()


def _entry(point: metadata.EntryPoint) -> PluginEntry:
    role, _, name = point.name.partition(".")
    try:
        assert point.dist is not None
        package, version = normal_name(point.dist.name), str(point.dist.version or _NO_VERSION)
    except Exception:  # Without readable metadata, the name of the module must do.
        package, version = point.value.partition(":")[0].partition(".")[0], _NO_VERSION
    return PluginEntry(role, name, package, version, point.value, point.group)


def skip_unreadable_packages() -> None:
    """Let other libraries in this process read entry points beside a package whose file cannot be read.

    PyTerrier and networkx read entry points when they are imported, and :func:`importlib.metadata.entry_points` raises
    if the file of any package is broken. For programs; a library leaves its host as it is.
    """
    if not any(isinstance(finder, _EmptyDistributions) for finder in sys.meta_path):
        sys.meta_path.insert(0, _EmptyDistributions())


class _EmptyDistributions(metadata.DistributionFinder):
    """Finder of an empty distribution in the place of each package whose entry points cannot be read.

    :func:`importlib.metadata.entry_points` reads the first distribution of each name, and this finder comes first.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Find no module."""

    def find_distributions(
        self, context: metadata.DistributionFinder.Context = _ALL
    ) -> Iterator[metadata.Distribution]:
        """Yield the empty distributions if all packages are asked for."""
        if context.name is None and not _is_reading.get():
            yield from map(_EmptyDistribution, _read().unreadable)


class _EmptyDistribution(metadata.Distribution):
    """A distribution that has a name and nothing else."""

    def __init__(self, name: str) -> None:
        self._own_name = name

    def read_text(self, filename: str) -> str | None:
        """Return the text of a file; only the one that holds the name exists."""
        return f"Name: {self._own_name}\n" if filename == "METADATA" else None

    def locate_file(self, path: str | PathLike[str]) -> Path:
        """Return `path`."""
        return Path(path)
