"""Queries for the report: won and lost most, slowest, and a card for each of them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from legalir.answer.generator import Answer
from legalir.experiment.report.answers import AnswerView, Source, answer_view, citation_kind
from legalir.experiment.runs.context import TOP, Context
from legalir.experiment.runs.files import Run, has_answers


@dataclass(frozen=True)
class Line:
    """A query in a list, with its value and a remark."""

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
        qid: its qid.
        query: its text.
        gold: (docno, title) of the relevant provisions.
        ranks: for each system with ranked lists its name, the rank from 1 of each gold provision (None where it is not
            in the list) and the value of the first measure.
        lists: first results by system.
        answers: answer by system; None where a system has none.
        options: options of a multiple-choice item, each with whether it is the key.
        reference: the reference answer, empty where there is none.
    """

    qid: str
    query: str
    gold: tuple[tuple[str, str], ...]
    ranks: list[tuple[str, tuple[int | None, ...], float]] = field(default_factory=list)
    lists: dict[str, tuple[Hit, ...]] = field(default_factory=dict)
    answers: dict[str, AnswerView | None] = field(default_factory=dict)
    options: tuple[tuple[str, bool], ...] = ()
    reference: str = ""

    def sources(self) -> list[Source]:
        """Return the provisions with a text that answers cite, each once; the marks are those of the first answer."""
        every = [source for view in self.answers.values() if view is not None for source in view.sources]
        return list({source.docno: source for source in reversed(every) if source.pieces}.values())[::-1]


def anchor(qid: str) -> str:
    """Return the HTML id of a query's card."""
    safe = re.sub(r"[^A-Za-z0-9-]", lambda match: f"_{ord(match[0]):x}", qid)
    return f"q-{safe}"


class QueryFacts:
    """Facts about each query of an experiment.

    Args:
        context: the words of the experiment.
        per_query: columns ``name, qid, measure, value, weight``.
        measure: the measure whose values are shown, the first of the definition.
        runs: the run of each system.
    """

    def __init__(self, context: Context, per_query: pd.DataFrame, measure: str, runs: Mapping[str, Run]) -> None:
        self.context, self.runs, self.per_query = context, runs, per_query
        self.answering = [name for name, run in runs.items() if has_answers(run.frame)]
        rows = per_query[per_query["measure"] == measure]
        self._values: dict[str, dict[str, float]] = {}
        for name, qid, value in zip(rows["name"], rows["qid"], rows["value"], strict=True):
            self._values.setdefault(qid, {})[name] = float(value)

    def differences(self, system: str, baseline: str) -> list[tuple[str, float]]:
        """Return (qid, value of `system` minus that of `baseline`) where both are defined, in the order of topics."""
        pairs = [(qid, self._value(qid, system) - self._value(qid, baseline)) for qid in self.context.queries]
        return [(qid, difference) for qid, difference in pairs if not math.isnan(difference)]

    def _value(self, qid: str, system: str) -> float:
        return self._values.get(qid, {}).get(system, math.nan)

    def lines(self, values: Iterable[tuple[str, float]]) -> list[Line]:
        """Return a line for each (qid, value)."""
        return [Line(qid, self.context.queries[qid], value) for qid, value in values]

    def slowest(self, count: int) -> list[Line]:
        """Return the slowest queries over all systems, each once; the remark is the system that was slow."""
        lines: dict[str, Line] = {}
        for name, run in self.runs.items():
            for qid, time in run.record.latency.slowest(count) if run.record.latency is not None else ():
                if qid in self.context.queries and (qid not in lines or time > lines[qid].value):
                    lines[qid] = Line(qid, self.context.queries[qid], time, name)
        return sorted(lines.values(), key=lambda line: -line.value)[:count]

    def telling(self, count: int) -> list[str]:
        """Return questions whose answers show most: failed, abstained, with wrong citations or quotations; then others.

        Questions are taken from these kinds in turn, in the order of the topics.
        """
        kinds: dict[str, list[str]] = {}
        for name in self.answering:
            for row in self.runs[name].frame.to_dict(orient="records"):
                kinds.setdefault(_kind(Answer.of_row(row), self.context.titles), []).append(str(row["qid"]))
        queues = [[*dict.fromkeys(qids)] for _, qids in sorted(kinds.items())]
        turns = (qid for turn in itertools.zip_longest(*queues) for qid in turn if qid is not None)
        return list(itertools.islice(dict.fromkeys(turns), count))

    def cards(self, qids: Iterable[str], listed: Sequence[str]) -> list[QueryCard]:
        """Return the cards of `qids` in the order of the topics, with the first results of the systems `listed`."""
        wanted = set(qids)
        runs = {name: {str(qid): rows for qid, rows in run.frame.groupby("qid")} for name, run in self.runs.items()}
        return [self._card(qid, runs, listed) for qid in self.context.queries if qid in wanted]

    def _card(self, qid: str, runs: Mapping[str, Mapping[str, pd.DataFrame]], listed: Sequence[str]) -> QueryCard:
        titles = self.context.titles
        gold = list(self.context.gold.get(qid, {}))
        item = self.context.items.get(qid, {})
        options = tuple(
            (str(option), number == item.get("key")) for number, option in enumerate(item.get("options", ()), 1)
        )
        card = QueryCard(
            qid,
            self.context.queries[qid],
            tuple((docno, titles.get(docno, docno)) for docno in gold),
            options=options,
            reference=str(item.get("answer", "")),
        )
        for name, by_query in runs.items():
            rows = by_query.get(qid)
            if name in self.answering:
                row = None if rows is None else {str(column): value for column, value in rows.iloc[0].items()}
                card.answers[name] = None if row is None else answer_view(row, self.context, qid)
                continue
            hits = () if rows is None else zip(rows["docno"], rows["rank"], strict=True)
            places = {str(docno): int(rank) + 1 for docno, rank in hits}
            card.ranks.append((name, tuple(places.get(docno) for docno in gold), self._value(qid, name)))
            if name in listed:
                first = sorted(places, key=lambda docno: places[docno])[:TOP]
                card.lists[name] = tuple(Hit(docno, titles.get(docno, docno), docno in gold) for docno in first)
        return card


def _kind(answer: Answer, known: Mapping[str, str]) -> str:
    if answer.reply_state != "ok":
        return "1 failed"
    if answer.abstained:
        return "2 abstained"
    wrong = any(citation_kind(docno, answer.context_docnos, known) != "given" for docno in answer.citations)
    if wrong or any(state == "not found" for _, _, state in answer.quotes):
        return "3 unsupported"
    return "4 other"


def extremes(changes: Sequence[tuple[str, float]], count: int, sign: int) -> list[tuple[str, float]]:
    """Return the `count` queries with the largest gain (`sign` 1) or loss (-1); fewer where fewer changed."""
    chosen = sorted((item for item in changes if item[1] * sign > 0), key=lambda item: (-item[1] * sign, item[0]))
    return chosen[:count]
