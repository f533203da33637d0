"""Which plugins there are, and which one a name means.

What went wrong in somebody else's code, in a few words.

Reading entry points: metadata only, and no unreadable package hides another.
"""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import metadata
from typing import Any

from legalir.errors import PluginError, suggestion
from legalir.plugins.contract import GROUP, PIPELINE_ROLES, ROLES, PluginEntry

__all__ = [
    "check_role",
    "conflict",
    "describe",
    "disabled",
    "entries",
    "fault",
    "handles",
    "installed",
    "is_installed",
    "misnamed",
    "named",
    "own_first",
    "refresh",
    "resolve",
    "setting",
    "tolerate",
    "unreadable",
]


def describe(error: BaseException) -> str:
    """Return type and first line of an error, for a message of one sentence."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # The text of a plugin's error is the plugin's code, too.
        lines = []
    return f"{type(error).__name__}: {lines[0].rstrip('.')}" if lines else type(error).__name__


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


_own_first: ContextVar[bool] = ContextVar("_own_first", default=False)


@contextmanager
def own_first() -> Iterator[None]:
    """Let a name that others claim, too, mean legalir's own component; for data that has to be the same everywhere."""
    token = _own_first.set(True)
    try:
        yield
    finally:
        _own_first.reset(token)


def entries(role: str | None = None) -> list[PluginEntry]:
    """List what is installed, usable and not disabled, by role and name, without importing any of it.

    A name that two packages claim is listed twice; :func:`problems` says so and :func:`load` refuses it.

    Args:
        role: one of :data:`ROLES`, or None for all.

    Raises:
        PluginError: there is no such role.
    """
    if role is not None:
        check_role(role)
    off = disabled()
    return [
        entry
        for entry in installed()
        if fault(entry) is None and role in (None, entry.role) and not off & handles(entry)
    ]


def resolve(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> PluginEntry:
    """Return the one entry called `name` in any of `roles`, without importing it.

    Raises:
        PluginError: nothing has that name (the message suggests one), it is disabled, several claim it, it is
            written for another version of the contract, or legalir's own entry points are missing because it is
            not installed.
    """
    usable = [entry for role in roles for entry in entries(role)]
    found = [entry for entry in usable if entry.name == name]
    if len(found) > 1 and _own_first.get():
        found = [entry for entry in found if entry.package == "legalir"] or found
    if len(found) == 1:
        return found[0]
    if found:
        raise PluginError(conflict(found))
    unusable = [entry for entry in installed() if entry.name == name and entry.role in roles]
    for entry in unusable:
        if (sentence := fault(entry)) is not None and not disabled() & handles(entry):
            raise PluginError(sentence)
    kind = roles[0] if len(roles) == 1 else "component"
    if unusable:
        raise PluginError(f"The {kind} {name!r} is disabled by LEGALIR_DISABLE_PLUGINS: take it out there to use it.")
    if not any(entry.package == "legalir" for entry in installed()):
        raise PluginError(
            f"There is no {kind} {name!r} because legalir's own entry points are missing: "
            f"install the package (pip install -e . in its source folder) instead of importing its folder."
        )
    if (broken := misnamed(name)) is not None:
        raise PluginError(str(fault(broken)))
    known = {entry.name for entry in usable}
    hint = suggestion(name, known) or f" Known: {', '.join(sorted(known)) or 'none'}."
    raise PluginError(f"There is no {kind} {name!r}.{hint}")


def is_installed(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> bool:
    """Say whether any package offers `name` in `roles`, be it disabled, disputed, broken or of another contract."""
    return any(entry.name == name and entry.role in roles for entry in installed())


def misnamed(name: str) -> PluginEntry | None:
    """Return the entry that would be called `name` if it were called ``role.name``, with a role that there is."""
    for entry in installed():
        if name == (entry.name or entry.role) and entry.role not in ROLES and not disabled() & handles(entry):
            return entry
    return None


def fault(entry: PluginEntry) -> str | None:
    """Say what makes an entry unusable by its metadata alone, or return None."""
    if entry.group != GROUP:
        return (
            f"The {entry} is written for {entry.group}, and this legalir speaks {GROUP}: "
            f"install a release of {entry.package} for it."
        )
    if entry.role in ROLES and entry.name.isidentifier():
        return None
    name = f"{entry.role}.{entry.name}" if entry.name else entry.role
    return (
        f"Package {entry.package} {entry.version} offers {name!r}, which is not 'role.name' "
        f"with a role of {', '.join(ROLES)} and a name that is an identifier."
    )


def conflict(claims: Sequence[PluginEntry]) -> str:
    """Say that all of `claims` want one name, and what to do."""
    ordered = sorted(claims, key=lambda entry: (entry.package != "legalir", entry.package, entry.role, entry.value))
    owners = " and ".join(f"{entry.package} {entry.version} ({entry.role}, {entry.value})" for entry in ordered)
    name = ordered[0].name
    # A package that has the name in several roles shall lose it in this one alone.
    offers = Counter(entry.package for entry in installed() if entry.name == name)
    given_up = [
        f"{entry.package}/{name}" if offers[entry.package] == 1 else f"{entry.package}/{entry.role}.{name}"
        for entry in ordered[1:]
    ]
    return (
        f"{name!r} is claimed by {owners}: uninstall one, or set {setting(*given_up)} "
        f"to keep that of {ordered[0].package}."
    )


def check_role(role: str) -> None:
    """Raise a PluginError where there is no such role."""
    if role not in ROLES:
        raise PluginError(f"There is no role {role!r}.{suggestion(role, ROLES)} Roles: {', '.join(ROLES)}.")
