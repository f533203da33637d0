"""The state of everything that is installed, and what is wrong with it, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from legalir.errors import PluginError
from legalir.plugins.discovery import disabled, handles, installed, named, unreadable
from legalir.plugins.entry import GROUP, PIPELINE_ROLES, PluginEntry
from legalir.plugins.loading import load_entry
from legalir.plugins.registry import check_role, conflict, entries, fault

__all__ = ["Overview", "State", "overview", "problems"]

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
