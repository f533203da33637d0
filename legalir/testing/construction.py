"""The check that every role begins with: what the factory returns plays the role."""

from __future__ import annotations

from legalir.plugins import ROLES
from legalir.testing.checks import Failed
from legalir.testing.trial import Trial

__all__ = ["construction", "misfit"]


def misfit(role: str, component: object) -> str | None:
    """Return why `component` cannot play `role`, or None."""
    if ROLES[role].is_played_by(component):
        return None
    return f"the factory returned an object of type {type(component).__name__}: return {ROLES[role].wanted}."


def construction(trial: Trial) -> None:
    """The factory can be imported and called, and returns what its role asks for."""
    if (fault := misfit(trial.subject.role, trial.component(trial.collection()))) is not None:
        raise Failed(fault)
