"""The arithmetic of experiments/delegation/run.py, on a chain of provisions."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import networkx
import pandas as pd
import pytest

FILE = Path(__file__).parent.parent.parent / "experiments" / "delegation" / "run.py"


@pytest.fixture(name="delegation")
def loaded(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("delegation", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "delegation", module)
    spec.loader.exec_module(module)
    return module


def test_hops_are_the_shortest_way_from_the_entry(delegation: ModuleType) -> None:
    """standard -> rule -> decree -> act -> constitution, and rule -> act; b cites nothing."""
    chain = ("standard", "rule", "decree", "act", "constitution")
    graph = networkx.DiGraph([*itertools.pairwise(chain), ("rule", "act")])
    graph.add_node("b")
    gold = [*chain, "b", "absent"]
    hops = delegation.hops_from
    assert hops(graph, "standard", gold) == ["0", "1", "2", "2", "3+", "unreachable", "unreachable"]
    assert hops(graph, "decree", gold) == ["unreachable", "unreachable", "0", "1", "2", "unreachable", "unreachable"]
    assert hops(graph.to_undirected(), "decree", gold)[:5] == ["2", "1", "0", "1", "2"]
    assert hops(graph, "absent", ["absent", "b"]) == ["0", "unreachable"]
    assert hops(graph, None, ["b"]) == ["no entry"]


def test_the_entry_is_the_first_result_or_the_first_that_is_gold(delegation: ModuleType) -> None:
    ranked = pd.DataFrame({"qid": list("1112"), "docno": list("cabc"), "rank": [2, 0, 1, 0]})
    gold = pd.DataFrame({"qid": list("1123"), "docno": list("cbab")})
    assert delegation.entries(ranked, gold) == {"first result": {"1": "a", "2": "c"}, "first hit": {"1": "b"}}
