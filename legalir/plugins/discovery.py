"""The entry that a name means, and what is disabled; nothing is imported.

``LEGALIR_DISABLE_PLUGINS`` holds names, separated by commas, that are treated as absent: a package
(``legalir-qdrant``), one entry (``retriever.qdrant``), a component in any role (``qdrant``), or an entry or component
of one package (``legalir-qdrant/retriever.qdrant``, ``legalir-qdrant/qdrant``).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from legalir.errors import PluginError, PluginNotFound, suggestion
from legalir.plugins.contract import GROUP, PIPELINE_ROLES, ROLES, PluginEntry
from legalir.plugins.entry_points import installed, normal_name

_VARIABLE = "LEGALIR_DISABLE_PLUGINS"

_legalir_first: ContextVar[bool] = ContextVar("_legalir_first", default=False)


@contextmanager
def legalir_first() -> Iterator[None]:
    """Let a name that several packages claim mean legalir's component; for data that must be the same everywhere."""
    token = _legalir_first.set(True)
    try:
        yield
    finally:
        _legalir_first.reset(token)


def check_role(role: str) -> None:
    """Raise a PluginError if there is no such role."""
    if role not in ROLES:
        raise PluginError(f"There is no role {role!r}.{suggestion(role, ROLES)} Roles: {', '.join(ROLES)}.")


def entries(role: str | None = None) -> list[PluginEntry]:
    """List the entries that are valid and not disabled, by role and name, without importing any of them.

    A name that two packages claim is listed twice; :func:`resolve` refuses it.

    Args:
        role: one of :data:`ROLES`, or None for all.

    Raises:
        PluginError: there is no such role.
    """
    if role is not None:
        check_role(role)
    return [
        entry
        for entry in installed()
        if role in (None, entry.role) and entry_fault(entry) is None and not is_disabled(entry)
    ]


def is_installed(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> bool:
    """Return whether a package offers `name` in one of `roles`; it may be disabled, disputed or broken."""
    return any(entry.name == name and entry.role in roles for entry in installed())


def resolve(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> PluginEntry:
    """Return the one entry called `name` in any of `roles`, without importing it.

    Raises:
        PluginNotFound: no package offers it; the message suggests a name.
        PluginError: it is disabled, several packages claim it, or it breaks the contract.
    """
    usable = [entry for role in roles for entry in entries(role)]
    claims = [entry for entry in usable if entry.name == name]
    if len(claims) > 1 and _legalir_first.get():
        claims = [entry for entry in claims if entry.package == "legalir"] or claims
    if len(claims) > 1:
        raise PluginError(conflict(claims))
    if not claims:
        raise _not_usable(name, roles, usable)
    return claims[0]


def _not_usable(name: str, roles: Sequence[str], usable: Sequence[PluginEntry]) -> PluginError:
    """Return the error that says why no usable entry is called `name`."""
    kind = roles[0] if len(roles) == 1 else "component"
    unusable = [entry for entry in installed() if entry.name == name and entry.role in roles]
    faults = [entry_fault(entry) for entry in unusable if not is_disabled(entry)]
    if faults:
        return PluginError(str(faults[0]))
    if unusable:
        return PluginError(f"The {kind} {name!r} is disabled by {_VARIABLE}: take it out there to use it.")
    if not any(entry.package == "legalir" for entry in installed()):
        return PluginNotFound(
            f"There is no {kind} {name!r} because legalir's own entry points are missing: "
            f"install the package (pip install -e . in its source folder) instead of importing its folder."
        )
    for entry in installed():
        if entry.role not in ROLES and name == (entry.name or entry.role) and not is_disabled(entry):
            return PluginError(str(entry_fault(entry)))  # It was meant to be called role.name.
    names = {entry.name for entry in usable}
    hint = suggestion(name, names) or f" Known: {', '.join(sorted(names)) or 'none'}."
    return PluginNotFound(f"There is no {kind} {name!r}.{hint}")


def entry_fault(entry: PluginEntry) -> str | None:
    """Return the sentence that says why an entry breaks the contract by its metadata alone, or None."""
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
    """Return the sentence that says that all of `claims` want one name, and what to do."""
    first, *others = sorted(
        claims, key=lambda entry: (entry.package != "legalir", entry.package, entry.role, entry.value)
    )
    owners = " and ".join(
        f"{entry.package} {entry.version} ({entry.role}, {entry.value})" for entry in (first, *others)
    )
    # A package with the name in several roles loses it in this one alone.
    offers = Counter(entry.package for entry in installed() if entry.name == first.name)
    disabled = [
        f"{entry.package}/{entry.name}" if offers[entry.package] == 1 else f"{entry.package}/{entry.role}.{entry.name}"
        for entry in others
    ]
    return (
        f"{first.name!r} is claimed by {owners}: uninstall one, or set {setting_without(*disabled)} "
        f"to keep that of {first.package}."
    )


def is_disabled(entry: PluginEntry) -> bool:
    """Return whether ``LEGALIR_DISABLE_PLUGINS`` names an entry."""
    return any(forms & _handles(entry) for forms in _disabled().values())


def setting_without(*names: str) -> str:
    """Return the setting that disables `names` beside those that are disabled: ``LEGALIR_DISABLE_PLUGINS=…``."""
    return f"{_VARIABLE}={','.join(dict.fromkeys([*_disabled(), *names]))}"


def unused_settings() -> list[str]:
    """Return a sentence for each name in ``LEGALIR_DISABLE_PLUGINS`` that means nothing here."""
    handles = {handle for entry in installed() for handle in _handles(entry)}
    return sorted(
        f"{_VARIABLE} names {name!r}, which is not installed."
        for name, forms in _disabled().items()
        if not forms & handles
    )


def _disabled() -> dict[str, set[str]]:
    """Return the names in ``LEGALIR_DISABLE_PLUGINS``; for each the handles that it can be."""
    names = filter(None, map(str.strip, os.environ.get(_VARIABLE, "").split(",")))
    forms = {}
    for name in names:
        package, slash, rest = name.partition("/")
        forms[name] = {name, f"{normal_name(package)}{slash}{rest}"}
    return forms


def _handles(entry: PluginEntry) -> set[str]:
    """Return the names by which an entry can be disabled."""
    names = {f"{entry.role}.{entry.name}", entry.name}
    return {entry.package, *names, *(f"{entry.package}/{name}" for name in names)}
