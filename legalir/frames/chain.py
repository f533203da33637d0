"""Chains of components that hand ranked lists on as arrays, so that a frame is made only at their end."""

from __future__ import annotations

from itertools import chain
from typing import Protocol, runtime_checkable

import pandas as pd
import pyterrier as pt

from legalir.frames.component import Cutoff, check_deadline
from legalir.frames.ranking import RankedLists


@runtime_checkable
class RetrievesLists(Protocol):
    """A transformer whose results for a frame of questions are ranked lists without additional columns."""

    def retrieve_lists(self, inp: pd.DataFrame) -> RankedLists:
        """Return the lists whose frame is what ``transform`` returns."""


@runtime_checkable
class RanksLists(Protocol):
    """A transformer that takes ranked lists, at least one of them not empty, and returns ranked lists."""

    def rank_lists(self, lists: RankedLists) -> RankedLists:
        """Return the lists whose frame is what ``transform`` returns for the frame of `lists`."""


class Chain(pt.Compose):
    """A chain of transformers, ``a >> b >> c``; equal to PyTerrier's of the same parts, and with the same results.

    Where a part returns ranked lists and the next one takes them, no frame is made, read and checked between them.

    Args:
        parts: the transformers; a part that is itself a chain is replaced by its parts.
    """

    def __init__(self, *parts: pt.Transformer) -> None:
        super().__init__(*chain.from_iterable(part if isinstance(part, pt.Compose) else (part,) for part in parts))

    def __repr__(self) -> str:
        return f"({' >> '.join(map(repr, self))})"

    def __str__(self) -> str:
        return f"({' >> '.join(map(str, self))})"

    def __rshift__(self, right: pt.Transformer) -> Chain:
        return Chain(self, right)

    def __mod__(self, right: int) -> Chain:
        return Chain(self, Cutoff(right))

    def compile(self, verbose: bool = False) -> pt.Transformer:
        """Return the chain with its parts compiled, and merged into one step where possible."""
        compiled = super().compile(verbose)
        return Chain(compiled) if isinstance(compiled, pt.Compose) else compiled

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Run the parts in order."""
        state: pd.DataFrame | RankedLists = inp
        for part in self:
            state = step(part, state)
        return state.frame() if isinstance(state, RankedLists) else state


def step(part: pt.Transformer, state: pd.DataFrame | RankedLists) -> pd.DataFrame | RankedLists:
    """Run one part of a chain, with lists as input and output if it supports them."""
    check_deadline()
    if isinstance(state, RankedLists):
        # Lists without a row take the path of an empty frame.
        if len(state.query) and isinstance(part, pt.RankCutoff):
            return state.head(part.k)
        if len(state.query) and isinstance(part, RanksLists):
            return part.rank_lists(state)
        return part.transform(state.frame())
    if isinstance(part, RetrievesLists) and not state.empty and "docno" not in state.columns:
        return part.retrieve_lists(state)
    return part.transform(state)
