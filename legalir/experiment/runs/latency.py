"""Response time of one query asked alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.models.query_cache import ignore_cached_queries

WARM_UP = 3
"""Number of queries asked first and not timed: with them, models and indexes are loaded."""

BUDGET_SECONDS = 60.0
"""Longest time for which a slow system is asked; at least one query is always timed."""


@dataclass(frozen=True)
class Latency:
    """Response times of single queries.

    Attributes:
        milliseconds: time by qid, in the order in which the queries were asked.
    """

    milliseconds: Mapping[str, float]

    @classmethod
    def from_dict(cls, value: Mapping[str, Mapping[str, float]]) -> Latency:
        """Return the latency that ``dataclasses.asdict`` gave."""
        return cls({str(qid): float(time) for qid, time in value["milliseconds"].items()})

    @property
    def queries(self) -> int:
        """Number of queries that were timed."""
        return len(self.milliseconds)

    @property
    def median(self) -> float:
        """The median, in milliseconds."""
        return float(np.median(list(self.milliseconds.values())))

    @property
    def p95(self) -> float:
        """The 95th percentile, in milliseconds."""
        return float(np.percentile(list(self.milliseconds.values()), 95))

    def slowest(self, count: int) -> list[tuple[str, float]]:
        """Return the `count` slowest queries as (qid, milliseconds), slowest first."""
        return sorted(self.milliseconds.items(), key=lambda item: -item[1])[:count]


def sample_queries(topics: pd.DataFrame, limit: int) -> pd.DataFrame:
    """Return all topics, or `limit` of them at even steps, so that a repeated run times the same ones."""
    if len(topics) <= limit:
        return topics
    return topics.iloc[np.linspace(0, len(topics) - 1, limit).astype(int)]


def measure_latency(
    pipeline: pt.Transformer,
    topics: pd.DataFrame,
    *,
    limit: int = 200,
    advance: Callable[[int], None] = lambda done: None,
) -> Latency | None:
    """Ask up to `limit` queries one at a time, without cached query results, and return their response times.

    Args:
        pipeline: the system.
        topics: columns ``qid, query`` and any others.
        limit: the most queries to time; 0 times none and returns None.
        advance: called with 1 after each query.
    """
    if limit < 1 or topics.empty:
        return None
    for row in range(min(WARM_UP, len(topics))):
        pipeline.transform(topics.iloc[[row]].reset_index(drop=True))
    times: dict[str, float] = {}
    sample = sample_queries(topics, limit)
    end = perf_counter() + BUDGET_SECONDS
    for row in range(len(sample)):
        query = sample.iloc[[row]].reset_index(drop=True)
        with ignore_cached_queries():
            start = perf_counter()
            pipeline.transform(query)
            stop = perf_counter()
        times[str(query["qid"].iloc[0])] = (stop - start) * 1000.0
        advance(1)
        if stop > end:
            break
    return Latency(times)
