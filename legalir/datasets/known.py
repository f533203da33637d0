"""What is known of a collection without its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from legalir.datasets.about import About

__all__ = ["Known"]


class Known(NamedTuple):
    """Facts that a catalogue has before anything is read or fetched.

    Attributes:
        queries: the splits with queries of their own; the empty string is the base.
        qrels: the splits with judgements of their own, likewise.
        about: title, licence and the like; None where ``dataset.yaml`` says it.
        fetched: tells whether the files are on this machine.
    """

    queries: frozenset[str]
    qrels: frozenset[str]
    about: About | None = None
    fetched: Callable[[], bool] = lambda: True

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits."""
        return tuple(sorted((self.queries | self.qrels) - {""}))
