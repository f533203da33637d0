"""Components that come as entry points: find them, load them, contain what is broken.

A package offers a component by an entry point of group ``legalir.v1`` named ``role.name`` whose value is a
factory, called as ``factory(collection, *pipelines, **params)``; the built-in components come the same way.
Listing reads metadata and imports nothing. What is wrong with one plugin concerns its name alone.

``LEGALIR_DISABLE_PLUGINS`` holds names, separated by commas, that are treated as absent: a package
(``legalir-qdrant``), one entry (``retriever.qdrant``) or a component in any role (``qdrant``).
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Sequence
from importlib import metadata
from typing import NamedTuple, Protocol, cast

from legalir.errors import PluginError, suggestion

__all__ = [
    "GROUP",
    "PIPELINE_ROLES",
    "ROLES",
    "Factory",
    "PluginEntry",
    "describe",
    "entries",
    "is_installed",
    "load",
    "load_entry",
    "problems",
    "refresh",
    "resolve",
]

GROUP = "legalir.v1"
"""The entry-point group; its number is the version of the contract between legalir and a plugin."""

PIPELINE_ROLES = ("retriever", "fuser", "expander", "reranker", "generator")
"""Roles whose factories return a transformer; their names are those of pipeline expressions."""

ROLES = ("analyzer", "encoder", *PIPELINE_ROLES, "source")
"""Every role a plugin can play."""


class Factory(Protocol):
    """What an entry point holds: makes the component of its role for a collection."""

    def __call__(self, collection: object, *pipelines: object, **params: object) -> object:
        """Return the component."""


class PluginEntry(NamedTuple):
    """One entry point, known from metadata alone."""

    role: str
    name: str
    package: str
    version: str
    value: str

    def __str__(self) -> str:
        return f"{self.role} {self.name!r} of package {self.package} {self.version}"


def entries(role: str | None = None) -> list[PluginEntry]:
    """List what is installed and not disabled, by role and name, without importing any of it.

    A name that two packages claim is listed twice; :func:`problems` says so and :func:`load` refuses it.

    Args:
        role: one of :data:`ROLES`, or None for all.

    Raises:
        PluginError: there is no such role.
    """
    if role is not None:
        _check_role(role)
    disabled = _disabled()
    return [
        entry
        for entry in _installed()
        if _fault(entry) is None and role in (None, entry.role) and not disabled & _handles(entry)
    ]


def resolve(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> PluginEntry:
    """Return the one entry called `name` in any of `roles`, without importing it.

    Raises:
        PluginError: nothing has that name (the message suggests one), it is disabled, several claim it, or
            legalir's own entry points are missing because it is not installed.
    """
    usable = [entry for role in roles for entry in entries(role)]
    found = [entry for entry in usable if entry.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise PluginError(_conflict(found))
    kind = roles[0] if len(roles) == 1 else "component"
    if is_installed(name, roles):
        raise PluginError(f"The {kind} {name!r} is disabled by LEGALIR_DISABLE_PLUGINS: take it out there to use it.")
    if not any(entry.package == "legalir" for entry in _installed()):
        raise PluginError(
            f"There is no {kind} {name!r} because legalir's own entry points are missing: "
            f"install the package (pip install -e . in its source folder) instead of importing its folder."
        )
    known = {entry.name for entry in usable}
    hint = suggestion(name, known) or f" Known: {', '.join(sorted(known)) or 'none'}."
    raise PluginError(f"There is no {kind} {name!r}.{hint}")


def is_installed(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> bool:
    """Say whether any package offers `name` in `roles`, be it disabled, disputed or broken."""
    return any(entry.name == name and entry.role in roles for entry in _installed())


def load(role: str, name: str) -> Factory:
    """Import and return the factory called `name` in `role`.

    Raises:
        PluginError: as :func:`resolve`; or its import fails or gives nothing callable, in which case the
            message names package, version and cause.
    """
    _check_role(role)
    return load_entry(resolve(name, (role,)))


def load_entry(entry: PluginEntry) -> Factory:
    """Import and return the factory of one entry; errors as :func:`load`."""
    point = metadata.EntryPoint(name=f"{entry.role}.{entry.name}", value=entry.value, group=GROUP)
    try:
        factory = point.load()
    # A plugin may fail in any way at import, even by leaving the program; only that plugin is to be lost.
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"The {entry} ({entry.value}) cannot be loaded: {describe(error)}; "
            f"repair or uninstall that package, or set LEGALIR_DISABLE_PLUGINS={entry.package}."
        ) from error
    if not callable(factory):
        raise PluginError(f"The {entry} ({entry.value}) is not callable: its entry point must name a factory.")
    return cast(Factory, factory)


def problems() -> list[str]:
    """Say what is wrong with the installed entry points, one sentence each, without importing any."""
    faults = [fault for entry in _installed() if (fault := _fault(entry)) is not None]
    usable = entries()
    for role, name in sorted({(entry.role, entry.name) for entry in usable}):
        claims = [entry for entry in usable if (entry.role, entry.name) == (role, name)]
        if len(claims) > 1:
            faults.append(_conflict(claims))
    known = {handle for entry in _installed() for handle in _handles(entry)}
    faults += [
        f"LEGALIR_DISABLE_PLUGINS names {name!r}, which is not installed." for name in sorted(_disabled() - known)
    ]
    return faults


def refresh() -> None:
    """Forget the entry points that were read, so that a package installed since is seen."""
    _installed.cache_clear()


def describe(error: BaseException) -> str:
    """Return type and first line of an error, for a message of one sentence."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0].rstrip('.')}" if lines else type(error).__name__


@functools.lru_cache(maxsize=1)
def _installed() -> tuple[PluginEntry, ...]:
    """Every entry point of our group, valid or not, read once."""
    return tuple(sorted({_entry(point) for point in _points()}))


def _points() -> Iterable[metadata.EntryPoint]:
    try:
        return list(metadata.entry_points(group=GROUP))
    # One unreadable entry_points.txt, of whatever package, spoils the quick way for all: read them singly.
    except Exception:
        return _points_singly()


def _points_singly() -> Iterable[metadata.EntryPoint]:
    seen: set[str] = set()
    for distribution in metadata.distributions():
        try:
            name = _normal(distribution.name)
            points = [point for point in distribution.entry_points if point.group == GROUP]
        except Exception:  # The broken package is nothing of ours.
            continue
        if name not in seen:  # The first on the path is the one that imports find.
            seen.add(name)
            yield from points


def _entry(point: metadata.EntryPoint) -> PluginEntry:
    role, _, name = point.name.partition(".")
    try:
        assert point.dist is not None
        package, version = _normal(point.dist.name), point.dist.version
    except Exception:  # Metadata that cannot be read: the module's name is the best that is left.
        package, version = point.value.partition(":")[0].partition(".")[0], "of unknown version"
    return PluginEntry(role, name, package, version, point.value)


def _fault(entry: PluginEntry) -> str | None:
    if entry.role in ROLES and entry.name.isidentifier():
        return None
    name = f"{entry.role}.{entry.name}" if entry.name else entry.role
    return (
        f"Package {entry.package} {entry.version} offers {name!r}, which is not 'role.name' "
        f"with a role of {', '.join(ROLES)} and a name that is an identifier."
    )


def _conflict(claims: Sequence[PluginEntry]) -> str:
    owners = " and ".join(f"{entry.package} {entry.version} ({entry.role}, {entry.value})" for entry in claims)
    return f"{claims[0].name!r} is claimed by {owners}: uninstall one, or name one in LEGALIR_DISABLE_PLUGINS."


def _handles(entry: PluginEntry) -> set[str]:
    return {entry.package, f"{entry.role}.{entry.name}", entry.name}


def _disabled() -> set[str]:
    names = os.environ.get("LEGALIR_DISABLE_PLUGINS", "").split(",")
    return {handle for name in names if name.strip() for handle in (name.strip(), _normal(name.strip()))}


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise PluginError(f"There is no role {role!r}.{suggestion(role, ROLES)} Roles: {', '.join(ROLES)}.")
