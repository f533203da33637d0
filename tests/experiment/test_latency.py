"""Response times: one query at a time, warm, capped, the slowest named."""

from __future__ import annotations

import time

import pandas as pd
import pyterrier as pt
import pytest

from legalir.experiments import runs as latency
from legalir.experiments.runs import Latency, measure_latency, sample_queries
from legalir.models.query_cache import ignores_cached_queries


class Slow(pt.Transformer):
    """Sleeps for as many milliseconds as the query says, and longer the first time."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        assert len(inp) == 1
        time.sleep(0.2 if not self.seen else int(inp["query"].iloc[0]) / 1000)
        self.seen.append(inp["qid"].iloc[0])
        return inp


def topics(count: int) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(n) for n in range(count)], "query": ["2"] * (count - 1) + ["30"]})


def test_single_queries_after_a_warm_up() -> None:
    slow = Slow()
    ticks: list[int] = []
    found = measure_latency(slow, topics(6), advance=ticks.append)
    assert found is not None
    assert slow.seen == ["0", "1", "2", "0", "1", "2", "3", "4", "5"]
    assert ticks == [1] * 6
    assert found.slowest(1)[0][0] == "5"
    assert found.slowest(1)[0][1] >= 30
    assert max(found.milliseconds.values()) < 200  # the first call was slower and does not count


def test_a_cap_takes_queries_at_even_steps() -> None:
    assert sample_queries(topics(100), 4)["qid"].tolist() == ["0", "33", "66", "99"]
    found = measure_latency(Slow(), topics(9), limit=2)
    assert found is not None and list(found.milliseconds) == ["0", "8"]


def test_a_slow_system_stops_at_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "BUDGET_SECONDS", 0.0)
    found = measure_latency(Slow(), topics(5))
    assert found is not None and found.queries == 1


def test_none_where_nothing_is_to_be_timed() -> None:
    assert measure_latency(Slow(), topics(3), limit=0) is None
    assert measure_latency(Slow(), topics(3).iloc[:0]) is None


def test_median_and_percentile() -> None:
    found = Latency({str(n): float(n) for n in range(1, 101)})
    assert found.median == 50.5
    assert found.p95 == pytest.approx(95.05)
    assert found.slowest(2) == [("100", 100.0), ("99", 99.0)]


def test_questions_are_timed_as_if_they_were_new() -> None:
    seen: list[bool] = []

    class Watching(pt.Transformer):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            seen.append(ignores_cached_queries())
            return inp

    measure_latency(Watching(), topics(2))
    assert seen == [False, False, True, True] and not ignores_cached_queries()
