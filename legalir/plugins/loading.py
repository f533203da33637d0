"""Importing a plugin and calling its factory, so that whatever it does wrong concerns it alone."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from importlib import metadata
from inspect import Parameter
from typing import cast

from legalir.errors import LegalIRError, PluginError
from legalir.plugins.discovery import setting
from legalir.plugins.entry import GROUP, Factory, PluginEntry
from legalir.plugins.failure import describe
from legalir.plugins.registry import check_role, fault, resolve

__all__ = ["construct", "load", "load_entry", "loaded", "misfit"]

_loaded: set[PluginEntry] = set()


def load(role: str, name: str) -> Factory:
    """Import and return the factory called `name` in `role`.

    Raises:
        PluginError: as :func:`resolve`; or its import fails or gives nothing that can be called as
            ``factory(collection, …)``, in which case the message names package, version and cause.
    """
    check_role(role)
    return load_entry(resolve(name, (role,)))


def load_entry(entry: PluginEntry) -> Factory:
    """Import and return the factory of one entry; errors as :func:`load`."""
    if (sentence := fault(entry)) is not None:
        raise PluginError(sentence)
    point = metadata.EntryPoint(name=f"{entry.role}.{entry.name}", value=entry.value, group=GROUP)
    try:
        factory = point.load()
    except KeyboardInterrupt:
        raise
    # A plugin may fail in any way at import, even by leaving the program; only that plugin is to be lost.
    except BaseException as error:
        raise PluginError(
            f"The {entry} ({entry.value}) cannot be loaded: {describe(error)}; "
            f"repair or uninstall that package, or set {setting(entry.package)}."
        ) from error
    if not callable(factory):
        raise PluginError(f"The {entry} ({entry.value}) is not callable: its entry point must name a factory.")
    if (signature := _wrong_signature(factory)) is not None:
        raise PluginError(
            f"The {entry} ({entry.value}) cannot be called as factory(collection, ...), because it is declared as "
            f"{point.attr}{signature}: its first parameter must take the collection by position."
        )
    _loaded.add(entry)
    return cast(Factory, factory)


def construct(
    entry: PluginEntry,
    factory: Factory,
    collection: object,
    pipelines: Sequence[object] = (),
    params: Mapping[str, object] | None = None,
) -> object:
    """Return what the factory of `entry` makes.

    Raises:
        PluginError: the factory fails; the message names package, version and cause.
        LegalIRError: whatever the factory raises on purpose, such as a wrong parameter.
    """
    try:
        return factory(collection, *pipelines, **(params or {}))
    except (LegalIRError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if entry.package == "legalir":
            raise  # A bug of ours deserves its traceback.
        raise PluginError(
            f"The {entry} failed: {describe(error)}; repair that package, or set {setting(entry.package)}."
        ) from error


def misfit(entry: PluginEntry, made: object, wanted: str) -> PluginError:
    """Return the error of a factory that made something else than `wanted`, which begins with an article."""
    return PluginError(
        f"The {entry} made a {type(made).__name__} where {wanted} is expected: its factory must return one; report "
        f"it to the authors of that package, or set {setting(entry.package)}."
    )


def loaded() -> frozenset[PluginEntry]:
    """Return the entries whose factories were imported so far."""
    return frozenset(_loaded)


def _wrong_signature(factory: object) -> str | None:
    """Return the signature of a callable that takes nothing by position, None for any other."""
    try:
        signature = inspect.signature(factory)  # type: ignore[arg-type]
    except Exception:  # Some callables have none that could be read; calling them will tell.
        return None
    by_position = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)
    first = next(iter(signature.parameters.values()), None)
    return None if first is not None and first.kind in by_position else _shown(signature)


def _shown(signature: inspect.Signature) -> str:
    return f"({', '.join(signature.parameters)})"
