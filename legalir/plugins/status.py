"""The state of each installed entry, and its problem in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from legalir.errors import PluginError
from legalir.plugins.contract import GROUP, PIPELINE_ROLES, PluginEntry
from legalir.plugins.discovery import check_role, conflict, entries, entry_fault, is_disabled, unused_settings
from legalir.plugins.entry_points import installed, unreadable_packages
from legalir.plugins.loading import load

State = Literal["installed", "loads", "broken", "disputed", "disabled", "other contract"]


class Status(NamedTuple):
    """One entry and its state.

    Attributes:
        entry: the entry.
        state: ``installed`` (its metadata is right), ``loads`` (its factory was imported), ``broken``, ``disputed``
            (another package claims its name), ``disabled``, or ``other contract``.
        problem: what is wrong, in one sentence, or nothing.
    """

    entry: PluginEntry
    state: State
    problem: str = ""


def statuses(role: str | None = None, load: bool = False) -> list[Status]:
    """Return the state of each installed entry, usable or not, by role and name.

    Args:
        role: one of :data:`ROLES`, or None for all.
        load: import the factories; without it, nothing is imported.

    Raises:
        PluginError: there is no such role. The problem of an entry is never raised.
    """
    if role is not None:
        check_role(role)
    usable = entries()
    return [_status(entry, usable, load) for entry in installed() if role in (None, entry.role)]


def problems() -> list[str]:
    """Return a sentence for each problem of the installed entry points, without importing any."""
    of_entries = dict.fromkeys(one.problem for one in statuses() if one.problem)
    return [*of_entries, *unreadable_packages(), *unused_settings()]


def _status(entry: PluginEntry, usable: Sequence[PluginEntry], import_it: bool) -> Status:
    if is_disabled(entry):
        return Status(entry, "disabled")
    if (fault := entry_fault(entry)) is not None:
        return Status(entry, "other contract" if entry.group != GROUP else "broken", fault)
    # All components of pipeline expressions share one set of names.
    roles = PIPELINE_ROLES if entry.role in PIPELINE_ROLES else (entry.role,)
    claims = [other for other in usable if other.name == entry.name and other.role in roles]
    if len(claims) > 1:
        return Status(entry, "disputed", conflict(claims))
    if not import_it:
        return Status(entry, "installed")
    try:
        load(entry)
    except PluginError as error:
        return Status(entry, "broken", str(error))
    return Status(entry, "loads")
