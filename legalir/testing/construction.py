"""The check that every role begins with: what the factory returns plays the role."""

from __future__ import annotations

import pyterrier as pt

from legalir.analysis.analyzer import Analyzer
from legalir.encode.contract import Encoder, TrainableEncoder
from legalir.statutes.source import Source
from legalir.testing.checks import Failed
from legalir.testing.trial import Trial

__all__ = ["construction", "misfit"]

_WANTED = {
    "analyzer": (Analyzer, "an object with name, fingerprint and terms"),
    "encoder": (
        Encoder | TrainableEncoder,
        "an object with name, fingerprint, encode and encode_queries, or, where it learns from a collection, with "
        "name, fingerprint, parameters, analyzer, fit and restore",
    ),
    "source": (Source, "an object with name, provisions and links"),
}


def misfit(role: str, made: object) -> str | None:
    """Return why `made` cannot play `role`, or None."""
    kind, wanted = _WANTED.get(role, (pt.Transformer, "a pt.Transformer, such as a legalir.frames.component.Component"))
    if isinstance(made, kind):
        return None
    return f"the factory returned an object of type {type(made).__name__}: return {wanted}."


def construction(trial: Trial) -> None:
    """The factory can be imported and called, and returns what its role asks for."""
    if (fault := misfit(trial.subject.role, trial.component(trial.collection()))) is not None:
        raise Failed(fault)
