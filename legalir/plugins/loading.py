"""The state of everything that is installed, and what is wrong with it, in sentences.

Importing a plugin and calling its factory, so that whatever it does wrong concerns it alone.

Whose code an unexpected error comes from.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from inspect import Parameter
from types import TracebackType
from typing import Literal, NamedTuple, cast

from legalir.errors import LegalIRError, PluginError
from legalir.plugins.contract import GROUP, PIPELINE_ROLES, ROLES, Factory, PluginEntry
from legalir.plugins.discovery import (
    check_role,
    conflict,
    describe,
    disabled,
    entries,
    fault,
    handles,
    installed,
    named,
    resolve,
    setting,
    unreadable,
)

__all__ = [
    "Overview",
    "State",
    "construct",
    "culprit",
    "load",
    "load_entry",
    "loaded",
    "overview",
    "owner",
    "problems",
]

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
    """Call the factory of `entry` and return its component, an instance of a type that the role asks for.

    Raises:
        PluginError: the factory fails, or returns an object of another type; the message names package and version.
        LegalIRError: any error that the factory raises on purpose, such as a wrong parameter.
    """
    try:
        component = factory(collection, *pipelines, **(params or {}))
    except (LegalIRError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if entry.package == "legalir":
            raise  # A bug of ours deserves its traceback.
        raise PluginError(
            f"The {entry} failed: {describe(error)}; repair that package, or set {setting(entry.package)}."
        ) from error
    if not ROLES[entry.role].is_played_by(component):
        raise PluginError(
            f"The {entry} returned an object of type {type(component).__name__}: its factory must return "
            f"{ROLES[entry.role].wanted}; report it to the authors of that package, or set {setting(entry.package)}."
        )
    return component


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


def culprit(error: BaseException) -> PluginEntry | None:
    """Return the plugin of another package whose code stands innermost in the traceback of `error`, or None.

    Only plugins that were loaded so far are known. The errors that `error` was raised from are looked at after it.
    Code belongs to a plugin where it is in the same top-level package; of several entries there, the one whose module
    is nearest is taken.
    """
    return next(filter(None, map(_owner, _modules(error))), None)


def owner(component: object) -> PluginEntry | None:
    """Return the plugin of another package whose code the class of `component` is, as :func:`culprit` finds it."""
    return _owner(type(component).__module__)


def _owner(module: str) -> PluginEntry | None:
    top = module.partition(".")[0]
    others = sorted(entry for entry in loaded() if entry.package != "legalir")
    owners = [entry for entry in others if _module(entry).partition(".")[0] == top]
    return max(owners, key=lambda entry: _shared(_module(entry), module), default=None)


def _shared(one: str, other: str) -> int:
    """Return how many leading parts two module names share."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _module(entry: PluginEntry) -> str:
    return entry.value.partition(":")[0].strip()


def _modules(error: BaseException | None) -> Iterator[str]:
    """Yield the modules of the frames of an error, innermost first, then those of its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield from reversed(list(_frames(error.__traceback__)))
        if isinstance(error, SystemExit):
            return  # It may end a command in good order, after an error that was dealt with.
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        yield str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next


State = Literal["installed", "loads", "broken", "disputed", "disabled", "other contract"]


class Overview(NamedTuple):
    """One entry and its state.

    Attributes:
        entry: the entry.
        state: ``installed`` (nothing is wrong by its metadata), ``loads`` (its factory was imported), ``broken``,
            ``disputed`` (another package claims its name), ``disabled``, or ``other contract``.
        problem: what is wrong, in one sentence, or nothing.
    """

    entry: PluginEntry
    state: State
    problem: str = ""


def overview(role: str | None = None, load: bool = False) -> list[Overview]:
    """Return the state of every installed entry, usable or not, by role and name.

    Args:
        role: one of :data:`ROLES`, or None for all.
        load: whether to import the factories; else nothing is imported.

    Raises:
        PluginError: there is no such role. What is wrong with an entry is never raised.
    """
    if role is not None:
        check_role(role)
    usable = entries()
    return [_state(entry, usable, load) for entry in installed() if role in (None, entry.role)]


def problems() -> list[str]:
    """Say what is wrong with the installed entry points, one sentence each, without importing any."""
    found = dict.fromkeys(one.problem for one in overview() if one.problem)
    known = {handle for entry in installed() for handle in handles(entry)}
    unknown = [
        f"LEGALIR_DISABLE_PLUGINS names {name!r}, which is not installed."
        for name, forms in named().items()
        if not forms & known
    ]
    return [*found, *unreadable(), *sorted(unknown)]


def _state(entry: PluginEntry, usable: Sequence[PluginEntry], load: bool) -> Overview:
    if disabled() & handles(entry):
        return Overview(entry, "disabled")
    if (sentence := fault(entry)) is not None:
        return Overview(entry, "other contract" if entry.group != GROUP else "broken", sentence)
    # All that a pipeline expression can name share one set of names.
    rivals = PIPELINE_ROLES if entry.role in PIPELINE_ROLES else (entry.role,)
    claims = [other for other in usable if other.name == entry.name and other.role in rivals]
    if len(claims) > 1:
        return Overview(entry, "disputed", conflict(claims))
    if not load:
        return Overview(entry, "installed")
    try:
        load_entry(entry)
    except PluginError as error:
        return Overview(entry, "broken", str(error))
    return Overview(entry, "loads")
