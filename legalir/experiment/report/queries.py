"""Queries for the report: won and lost most, slowest, and a card for each of them.

What a report shows besides figures: queries, gold provisions and titles, kept with the result.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from legalir.experiment.report.result import TOP, ExperimentResult

if TYPE_CHECKING:
    pass

__all__ = ["Hit", "Line", "QueryCard", "anchor", "differences", "extremes", "query_cards", "slowest"]

"""Results a system whose titles are kept."""


@dataclass(frozen=True)
class Line:
    """A query in a list: its value, and what more there is to say."""

    qid: str
    query: str
    value: float
    remark: str = ""


@dataclass(frozen=True)
class Hit:
    """A provision in a result list."""

    docno: str
    title: str
    gold: bool


@dataclass(frozen=True)
class QueryCard:
    """One query in full.

    Attributes:
        gold: (docno, title) of the relevant provisions.
        ranks: for each system its name, the rank from 1 of each gold provision (None where not found) and the
            value of the first measure.
        lists: first results by system.
    """

    qid: str
    query: str
    gold: tuple[tuple[str, str], ...]
    ranks: tuple[tuple[str, tuple[int | None, ...], float], ...]
    lists: Mapping[str, tuple[Hit, ...]]


def anchor(qid: str) -> str:
    """Return the HTML id of a query's card."""
    safe = re.sub(r"[^A-Za-z0-9-]", lambda match: f"_{ord(match[0]):x}", qid)
    return f"q-{safe}"


def _values(result: ExperimentResult, measure: str) -> pd.DataFrame:
    rows = result.per_query[result.per_query["measure"] == measure]
    return rows.pivot(index="qid", columns="name", values="value")


def differences(result: ExperimentResult, system: str, baseline: str) -> list[tuple[str, float]]:
    """Return (qid, value of `system` minus that of `baseline`) by the first measure, in topic order."""
    values = _values(result, result.definition.measures[0])
    change = values[system] - values[baseline]
    return [(qid, float(change[qid])) for qid in result.context.queries]


def extremes(result: ExperimentResult, changes: Sequence[tuple[str, float]], count: int, sign: int) -> list[Line]:
    """Return the `count` queries with the largest gain (`sign` 1) or loss (-1); fewer where fewer changed."""
    chosen = sorted((item for item in changes if item[1] * sign > 0), key=lambda item: (-item[1] * sign, item[0]))
    return [Line(qid, result.context.queries[qid], value) for qid, value in chosen[:count]]


def slowest(result: ExperimentResult, count: int) -> list[Line]:
    """Return the slowest queries over all systems, each once, with the system that was slow."""
    found: dict[str, Line] = {}
    for name, latency in result.latencies.items():
        for qid, time in latency.slowest(count) if latency is not None else ():
            if qid in result.context.queries and (qid not in found or time > found[qid].value):
                found[qid] = Line(qid, result.context.queries[qid], time, name)
    return sorted(found.values(), key=lambda line: -line.value)[:count]


def query_cards(result: ExperimentResult, qids: Iterable[str], listed: Sequence[str]) -> list[QueryCard]:
    """Return the cards of `qids` in the order of the topics, with result lists of the systems `listed`."""
    wanted = set(qids)
    runs = {name: {str(qid): rows for qid, rows in run.groupby("qid")} for name, run in result.runs.items()}
    values = _values(result, result.definition.measures[0]).to_dict(orient="index")
    return [_card(result, qid, runs, values[qid], listed) for qid in result.context.queries if qid in wanted]


def _card(
    result: ExperimentResult,
    qid: str,
    runs: Mapping[str, Mapping[str, pd.DataFrame]],
    values: Mapping[Hashable, float],
    listed: Sequence[str],
) -> QueryCard:
    context = result.context
    gold = list(context.gold.get(qid, {}))
    empty = pd.DataFrame({"docno": [], "rank": []})
    ranks = []
    lists = {}
    for name, by_query in runs.items():
        rows = by_query.get(qid, empty)
        places = {str(docno): int(rank) + 1 for docno, rank in zip(rows["docno"], rows["rank"], strict=True)}
        ranks.append((name, tuple(places.get(docno) for docno in gold), values[name]))
        if name in listed:
            first = sorted(places, key=lambda docno: places[docno])[:TOP]
            lists[name] = tuple(Hit(docno, context.titles.get(docno, docno), docno in gold) for docno in first)
    titles = tuple((docno, context.titles.get(docno, docno)) for docno in gold)
    return QueryCard(qid, context.queries[qid], titles, tuple(ranks), {name: lists[name] for name in listed})
