"""Importing a factory and calling it; any fault of a plugin concerns that plugin alone."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import NamedTuple

from legalir.errors import LegalIRError, PluginError, describe
from legalir.plugins.contract import GROUP, ROLES, Factory, PluginEntry
from legalir.plugins.discovery import entry_fault, setting_without
from legalir.plugins.signature import Signature

_loaded: set[PluginEntry] = set()


class Plugin(NamedTuple):
    """A plugin whose factory was imported.

    Attributes:
        entry: its entry.
        factory: its factory.
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
                f"{role.wanted}; report it to the authors of that package, or set {setting_without(entry.package)}."
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
            without = setting_without(self.entry.package)
            raise PluginError(
                f"The {self.entry} failed: {describe(error)}; repair that package, or set {without}."
            ) from error


def load(entry: PluginEntry) -> Plugin:
    """Import the factory of an entry.

    Raises:
        PluginError: the entry breaks the contract, its import fails, or it names something that cannot be called as
            ``factory(collection, …)``; the message names package, version and cause.
    """
    if (fault := entry_fault(entry)) is not None:
        raise PluginError(fault)
    point = metadata.EntryPoint(name=f"{entry.role}.{entry.name}", value=entry.value, group=GROUP)
    try:
        factory = point.load()
    except KeyboardInterrupt:
        raise
    # A plugin may fail in any way at import, even by leaving the program; only that plugin is lost.
    except BaseException as error:
        raise PluginError(
            f"The {entry} ({entry.value}) cannot be loaded: {describe(error)}; "
            f"repair or uninstall that package, or set {setting_without(entry.package)}."
        ) from error
    if not callable(factory):
        raise PluginError(f"The {entry} ({entry.value}) is not callable: its entry point must name a factory.")
    if (signature := _signature_without_collection(factory)) is not None:
        raise PluginError(
            f"The {entry} ({entry.value}) cannot be called as factory(collection, ...), because it is declared as "
            f"{point.attr}{signature}: its first parameter must take the collection by position."
        )
    _loaded.add(entry)
    return Plugin(entry, factory, Signature(entry.name, factory))


def loaded_entries() -> frozenset[PluginEntry]:
    """Return the entries whose factories were imported so far."""
    return frozenset(_loaded)


def _signature_without_collection(factory: object) -> str | None:
    """Return the signature of a callable that takes nothing by position, None for any other."""
    try:
        signature = inspect.signature(factory)  # type: ignore[arg-type]
    except Exception:  # Some callables have no signature that can be read; a call will tell.
        return None
    by_position = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
    )
    first = next(iter(signature.parameters.values()), None)
    return None if first is not None and first.kind in by_position else f"({', '.join(signature.parameters)})"
