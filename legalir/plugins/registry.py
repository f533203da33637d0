"""Which plugins there are, and which one a name means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from legalir.errors import PluginError, suggestion
from legalir.plugins.discovery import disabled, handles, installed, setting
from legalir.plugins.entry import GROUP, PIPELINE_ROLES, ROLES, PluginEntry

__all__ = ["check_role", "conflict", "entries", "fault", "is_installed", "misnamed", "own_first", "resolve"]

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
