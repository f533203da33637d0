"""The bundled collection, opened once for all tests of this folder, and a count of what our components are asked."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pyterrier as pt
import pytest

import legalir.frames.chain
from legalir.collection.collection import Collection
from legalir.frames.chain import step
from legalir.frames.component import Component
from legalir.frames.ranking import RankedLists

Calls = list[str]


@pytest.fixture(name="collection", scope="session")
def bundled_collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return Collection("legalir/firecode", cache=tmp_path_factory.mktemp("composition"))


@pytest.fixture(name="calls")
def counted_calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Return the names of our components that were given rows, in order; clear it between two looks."""
    calls: Calls = []
    transform: Callable[[Component, pd.DataFrame], pd.DataFrame] = Component.transform

    def counted(self: Component, inp: pd.DataFrame) -> pd.DataFrame:
        if len(inp):
            calls.append(type(self).__name__)
        return transform(self, inp)

    def counted_step(part: pt.Transformer, state: pd.DataFrame | RankedLists) -> pd.DataFrame | RankedLists:
        before = len(calls)
        out = step(part, state)
        if isinstance(part, Component) and isinstance(out, RankedLists):
            calls.insert(before, type(part).__name__)
        return out

    monkeypatch.setattr(Component, "transform", counted)
    monkeypatch.setattr(legalir.frames.chain, "step", counted_step)
    return calls
