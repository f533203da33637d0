"""Components as plugins: what is installed, the entry that a name means, and a component made from its name.

Legalir's own components are plugins, too. Listing reads metadata and imports nothing; a fault of one plugin concerns
its names alone. The contract is in :mod:`legalir.contract`. ``LEGALIR_DISABLE_PLUGINS`` holds the names of packages,
separated by commas, whose plugins are treated as absent.
"""

from __future__ import annotations

import functools
import os
import re
import traceback
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import NamedTuple

from legalir.contract import GROUP, PIPELINE_ROLES, ROLES, Factory, PluginEntry, Signature, parameters_of
from legalir.errors import (
    AnalyzerError,
    ComponentError,
    LegalIRError,
    PluginError,
    PluginNotFound,
    describe,
    suggestion,
)
from legalir.spec import read_spec

__all__ = [
    "PIPELINE_ROLES",
    "ROLES",
    "Factory",
    "Plugin",
    "PluginEntry",
    "entries",
    "is_installed",
    "load",
    "make",
    "parameters_of",
    "resolve",
]

_VARIABLE = "LEGALIR_DISABLE_PLUGINS"
_loaded: set[PluginEntry] = set()


@functools.cache
def installed() -> tuple[PluginEntry, ...]:
    """Return each entry point of the group, usable or not, by role and name; they are read once.

    Raises:
        PluginError: the entry points of a package cannot be read, which hides the entry points of all packages.
    """
    try:
        points = metadata.entry_points(group=GROUP)
        return tuple(sorted(set(map(_entry, points))))
    except Exception as error:
        damaged = next(filter(None, map(_damaged, metadata.distributions())), "a package")
        raise PluginError(
            f"The entry points of {damaged} cannot be read ({describe(error)}): repair or uninstall that package."
        ) from error


def _damaged(package: metadata.Distribution) -> str | None:
    """Return the place of a package whose entry points cannot be read, or None for other packages."""
    try:
        list(package.entry_points)
    except Exception:  # Text that is not UTF-8, or no line of an entry point.
        return str(getattr(package, "_path", "a package"))
    return None


def _entry(point: metadata.EntryPoint) -> PluginEntry:
    role, _, name = point.name.partition(".")
    package, version = (point.module, None) if point.dist is None else _name_and_version(point.dist)
    return PluginEntry(role, name, normal_name(str(package)), version or "of unknown version", point.value)


# Each reading parses the metadata of the package again, and a package has a hundred entries.
@functools.lru_cache(maxsize=1)
def _name_and_version(package: metadata.Distribution) -> tuple[str, str]:
    return package.name, package.version


def normal_name(package: str) -> str:
    """Return the name of a package in lower case, with ``-`` between its parts."""
    return re.sub(r"[-_.]+", "-", package).lower()


def disabled_packages() -> dict[str, str]:
    """Return the packages that ``LEGALIR_DISABLE_PLUGINS`` names: by normal name, the name as it is written."""
    names = filter(None, map(str.strip, os.environ.get(_VARIABLE, "").split(",")))
    return {normal_name(name): name for name in names}


def _without(*packages: str) -> str:
    """Return the setting that disables `packages`, too: ``LEGALIR_DISABLE_PLUGINS=…``."""
    return f"{_VARIABLE}={','.join(dict.fromkeys([*disabled_packages(), *packages]))}"


def entries(role: str | None = None) -> list[PluginEntry]:
    """List the entries that are valid and not disabled, by role and name, without importing any of them.

    A name that two packages claim is listed twice; :func:`resolve` refuses it.

    Args:
        role: one of :data:`ROLES`, or None for all.

    Raises:
        PluginError: there is no such role.
    """
    if role is not None and role not in ROLES:
        raise PluginError(f"There is no role {role!r}.{suggestion(role, ROLES)} Roles: {', '.join(ROLES)}.")
    off = disabled_packages()
    return [
        entry
        for entry in installed()
        if role in (None, entry.role) and entry.package not in off and entry_fault(entry) is None
    ]


def is_installed(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> bool:
    """Return True if a package offers `name` in one of `roles`; it may be disabled, disputed or broken."""
    return any(entry.name == name and entry.role in roles for entry in installed())


def resolve(name: str, roles: Sequence[str] = PIPELINE_ROLES) -> PluginEntry:
    """Return the one entry called `name` in any of `roles`, without importing it.

    Raises:
        PluginNotFound: no package offers it; the message suggests a name.
        PluginError: it is disabled, several packages claim it, or it breaks the contract.
    """
    usable = [entry for role in roles for entry in entries(role)]
    claims = [entry for entry in usable if entry.name == name]
    if len(claims) > 1:
        raise PluginError(conflict(claims))
    return claims[0] if claims else _refuse(name, roles, usable)


def _refuse(name: str, roles: Sequence[str], usable: Sequence[PluginEntry]) -> PluginEntry:
    """Raise an error with the reason why no usable entry is called `name`."""
    kind = roles[0] if len(roles) == 1 else "component"
    off = disabled_packages()
    for entry in installed():
        # The entry may have been meant to be called role.name.
        meant = entry.role in roles or entry.role not in ROLES
        if meant and name == (entry.name or entry.role):
            if (fault := entry_fault(entry)) is not None and entry.package not in off:
                raise PluginError(fault)
            if entry.package in off and entry.role in roles:
                raise PluginError(
                    f"The {kind} {name!r} is disabled: take {entry.package} out of {_VARIABLE} to use it."
                )
    for point in (point for role in roles for point in metadata.entry_points(name=f"{role}.{name}")):
        if point.group.startswith("legalir.v"):
            raise PluginError(
                f"The {_entry(point)} is written for {point.group}, and this legalir speaks {GROUP}: "
                f"install another release of that package."
            )
    if not any(entry.package == "legalir" for entry in installed()):
        raise PluginNotFound(
            f"There is no {kind} {name!r} because legalir's own entry points are missing: "
            f"install the package (pip install -e . in its source folder) instead of importing its folder."
        )
    names = {entry.name for entry in usable}
    hint = suggestion(name, names) or f" Known: {', '.join(sorted(names)) or 'none'}."
    raise PluginNotFound(f"There is no {kind} {name!r}.{hint}")


def entry_fault(entry: PluginEntry) -> str | None:
    """Return a sentence on how an entry's metadata breaks the contract, or None."""
    if entry.role in ROLES and entry.name.isidentifier():
        return None
    name = f"{entry.role}.{entry.name}" if entry.name else entry.role
    return (
        f"Package {entry.package} {entry.version} offers {name!r}, which is not 'role.name' "
        f"with a role of {', '.join(ROLES)} and a name that is an identifier."
    )


def conflict(claims: Sequence[PluginEntry]) -> str:
    """Return a sentence that all of `claims` want the same name, and what to do."""
    first, *others = sorted(claims, key=lambda entry: (entry.package != "legalir", entry.package, entry))
    owners = " and ".join(
        f"{entry.package} {entry.version} ({entry.role}, {entry.value})" for entry in (first, *others)
    )
    packages = [entry.package for entry in others if entry.package != first.package]
    cure = f"uninstall one, or set {_without(*packages)} to keep that of {first.package}" if packages else "rename one"
    return f"{first.name!r} is claimed by {owners}: {cure}."


class Plugin(NamedTuple):
    """A plugin that was imported.

    Attributes:
        entry: its entry.
        factory: its factory; the object itself for a role without factories.
        signature: the parameters of the factory.
    """

    entry: PluginEntry
    factory: Factory
    signature: Signature

    def make(
        self, collection: object, pipelines: Sequence[object] = (), params: Mapping[str, object] | None = None
    ) -> object:
        """Call the factory and return its component, an instance of a type that the role asks for.

        Raises:
            PluginError: the factory fails, or returns an object of another type; the message names the package.
            LegalIRError: any error that the factory raises on purpose, such as a wrong parameter.
        """
        entry, role = self.entry, ROLES[self.entry.role]
        component = self._called(self.factory, collection, pipelines, params or {})
        if not role.is_played_by(component):
            raise PluginError(
                f"The {entry} returned an object of type {type(component).__name__}: its factory must return "
                f"{role.wanted}; report it to the authors of that package, or set {_without(entry.package)}."
            )
        return component

    def over(self, collection: object, params: Mapping[str, object]) -> object:
        """Return the collection over which pipelines inside the component are built; errors as :meth:`make`.

        It is `collection`, or what the attribute ``over`` of the factory returns for the same parameters.
        """
        over = getattr(self.factory, "over", None)
        return collection if over is None else self._called(over, collection, (), params)

    def _called(
        self, function: Factory, collection: object, pipelines: Sequence[object], params: Mapping[str, object]
    ) -> object:
        try:
            return function(collection, *pipelines, **params)
        except (LegalIRError, KeyboardInterrupt):
            raise
        except BaseException as error:
            if self.entry.package == "legalir":
                raise  # A bug of ours deserves its traceback.
            raise PluginError(
                f"The {self.entry} failed: {describe(error)}; repair that package, or set "
                f"{_without(self.entry.package)}."
            ) from error


def load(entry: PluginEntry) -> Plugin:
    """Import what an entry names.

    Raises:
        PluginError: the entry breaks the contract, its import fails, or it names something that cannot be called as
            ``factory(collection, …)`` or is not what its role asks for; the message names package, version and cause.
    """
    if (fault := entry_fault(entry)) is not None:
        raise PluginError(fault)
    named = f"The {entry} ({entry.value})"
    try:
        factory = metadata.EntryPoint(name=entry.name, value=entry.value, group=GROUP).load()
    except KeyboardInterrupt:
        raise
    # A plugin may fail in any way at import, even by leaving the program; only that plugin is lost.
    except BaseException as error:
        raise PluginError(
            f"{named} cannot be loaded: {describe(error)}; "
            f"repair or uninstall that package, or set {_without(entry.package)}."
        ) from error
    _loaded.add(entry)
    role, signature = ROLES[entry.role], Signature(entry.name, factory)
    if role.by_factory and not callable(factory):
        raise PluginError(f"{named} is not callable: its entry point must name a factory.")
    if role.by_factory and not signature.takes_collection:
        raise PluginError(
            f"{named} cannot be called as factory(collection, ...): its first parameter must take the collection by "
            f"position."
        )
    if not role.by_factory and not role.is_played_by(factory):
        raise PluginError(f"{named} is an object of type {type(factory).__name__}: it must be {role.wanted}.")
    return Plugin(entry, factory, signature)


def package_of(error: BaseException) -> str | None:
    """Return the package and version of the loaded plugin whose code raised an error, or None."""
    packages = {_top(one.value): f"{one.package} {one.version}" for one in _loaded if one.package != "legalir"}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    modules = (_top(str(frame.f_globals.get("__name__", ""))) for frame in reversed(frames))
    return next((packages[module] for module in modules if module in packages), None)


def _top(name: str) -> str:
    return re.split("[.:]", name, maxsplit=1)[0].strip()


def find(role: str, spec: str) -> tuple[PluginEntry, dict[str, object]]:
    """Return the entry that `spec` names in `role`, and the parameters in `spec`; nothing is imported.

    An analyzer can be called by its name and a number, its parameter ``n``: ``jamo3`` is ``jamo(n=3)``. Errors as
    :func:`make`.
    """
    name, params = read_spec(spec)
    numbered = re.fullmatch(r"(\D+)([0-9]{1,3})", name) if role == "analyzer" else None
    if numbered and not is_installed(name, (role,)) and is_installed(numbered[1], (role,)) and "n" not in params:
        return resolve(numbered[1], (role,)), {"n": int(numbered[2]), **params}
    return resolve(name, (role,)), params


def make(role: str, spec: str, /, collection: object = None, *pipelines: object, **params: object) -> object:
    """Make the component that `spec` names: an instance of a type that the role asks for.

    ``make("analyzer", 'kiwi(tags="all")')`` calls the factory of the analyzer ``kiwi`` as
    ``factory(collection, tags="all")``.

    Args:
        role: a role of components.
        spec: the name of a plugin, or a call of it whose parameters are literals.
        collection: passed to the factory; it can be None for a role whose names are not used in expressions.
        pipelines: passed to the factory, for a role whose names are used in expressions.
        params: passed to the factory; they replace the parameters in `spec`.

    Raises:
        ComponentError: `spec` cannot be read, the factory does not have this parameter, or it lacks a parameter, a
            pipeline or the collection.
        PluginNotFound: no package offers it.
        PluginError: there is no such role, or the plugin is broken, fails while it makes the component, or makes an
            object of another type; the message names package, version and cause.
        LegalIRError: any error that the factory raises on purpose.
    """
    entry, written = find(role, spec)
    if collection is None and ROLES[role].in_expressions:
        raise ComponentError(f"{entry.name}: the collection is missing: every {role} is made for a collection.")
    plugin = load(entry)
    given = {**written, **params}
    if unknown := plugin.signature.unknown_parameter(given):
        if unknown[0] == "n" and read_spec(spec)[0] != entry.name:
            raise AnalyzerError(f"The analyzer {entry.name!r} takes no number: write {entry.name!r}, not {spec!r}.")
        raise ComponentError(unknown[1])
    if fault := plugin.signature.fault(pipelines, given):
        raise ComponentError(fault)
    return plugin.make(collection, pipelines, given)
