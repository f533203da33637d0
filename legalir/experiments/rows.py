"""Rows of the table on the terminal and in the report, with marks for the best and for significant differences."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from legalir.experiments.definition import Definition, parse_measure
from legalir.experiments.scores import COUNT_COLUMNS, is_ranking_measure

NAN = math.nan

LOWER_IS_BETTER = frozenset(
    {
        "Ungrounded",
        "Uncited",
        "Contradicted",
        "WronglyRefused",
        "Hallucinated",
        "RetrievalError",
        "ReadingError",
        "AnswerError",
        "RecallGap",
        "Failed",
        "Wrong",
        "Invalid",
        "Contradiction",
    }
)
"""Names of measures whose best value is the lowest."""

LONGEST_LABEL = 120
"""Longest name, in characters, that tables show in full; longer names end in a mark that keeps them distinct."""

NEUTRAL = frozenset({"Abstained"})
"""Names of measures without a best value."""


@dataclass(frozen=True)
class Cell:
    """One figure.

    Attributes:
        value: as in the table, or NaN.
        text: as shown: fractions as percent with two decimals.
        best: whether no other system is better.
        mark: ``▲`` or ``▼`` if it is significantly better or worse than the baseline, else empty.
        low, high: the 95 % confidence interval, NaN if there is none.
        explanation: the comparison with the baseline in words, empty if there is none.
    """

    value: float
    text: str
    best: bool = False
    mark: str = ""
    low: float = NAN
    high: float = NAN
    explanation: str = ""

    @property
    def measured(self) -> bool:
        """Whether there is a figure."""
        return not math.isnan(self.value)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the confidence interval, or the figure itself if there is no interval."""
        return (self.value, self.value) if math.isnan(self.low) else (self.low, self.high)


@dataclass(frozen=True)
class SystemRow:
    """A row: a system, or published figures.

    Attributes:
        name: name of the system or of the published row.
        cells: one for each measure, empty if a measure does not apply; in a table of several datasets, one for each
            dataset and one for the mean.
        baseline: whether this is the baseline.
        answers: whether the run of the system contains answers.
        absent: reason why the system has no run, or an empty string.
        published: whether the figures are published elsewhere; `source` names the publication.
        source: of published figures.
        failed, abstained: number of failed replies and of abstentions, as text; empty for systems without answers.
        tokens_in, tokens_out: number of tokens of the requests and of the replies, as text; empty if there are none.
        won: datasets on which it is better than the baseline, and those on which it is worse, as text.
        median, p95: time of one query in milliseconds, NaN if it was not measured.
    """

    name: str
    cells: tuple[Cell, ...]
    baseline: bool = False
    answers: bool = False
    absent: str = ""
    published: bool = False
    source: str = ""
    failed: str = ""
    abstained: str = ""
    tokens_in: str = ""
    tokens_out: str = ""
    won: str = ""
    median: float = NAN
    p95: float = NAN

    @property
    def label(self) -> str:
        """The name as tables show it: a long one without its middle."""
        if len(self.name) <= LONGEST_LABEL:
            return self.name
        end = hashlib.sha256(self.name.encode()).hexdigest()[:6]
        return f"{self.name[: LONGEST_LABEL - 30].rstrip()} … {self.name[-20:].lstrip()} [{end}]"

    @property
    def ran(self) -> bool:
        """Whether this is a system with a run."""
        return not (self.absent or self.published)


class Group(NamedTuple):
    """Measures of one kind: a heading, and their places in the definition."""

    heading: str
    places: tuple[int, ...]


class ScoreTable:
    """The scores of an experiment, ready to be shown.

    Args:
        definition: the definition of the experiment.
        table: the scores of the systems that ran, see :func:`legalir.experiments.scores.score_table`.
        absent: the reason for each system without a run.

    Attributes:
        groups: the measures of rankings, then the measures of answers; one group without a heading for a single kind.
        leading: the rows of `table` of systems with a figure for the first measure.
        baseline: the system that all others are tested against, or None if it is missing or has no figures.
        leader: the best system by the first measure, except the baseline; None if there is no other system.
        compared: whether systems were tested against the baseline, by any measure.
        rows: a row for each system in the order of the definition, then the published rows.
        answering: whether systems give answers.
        timed: whether response times were measured.
    """

    def __init__(self, definition: Definition, table: pd.DataFrame, absent: Mapping[str, str]) -> None:
        self.definition, self.table, self.absent = definition, table, absent
        self.groups = _groups(definition.measures)
        first = definition.measures[0]
        self.leading = table[table[first].notna()]
        self._scores = {str(row["name"]): row for row in table.to_dict(orient="records")}
        base = self._scores.get(str(definition.baseline), {})
        there = any(not math.isnan(base.get(measure, NAN)) for measure in definition.measures)
        self.baseline = definition.baseline if there else None
        self.compared = any(map(self.compares, definition.measures))
        others = self.leading[self.leading["name"] != self.baseline]
        best = None if others.empty else (others[first] * direction(first)).to_numpy().argmax()
        self.leader = None if best is None else str(others["name"].iloc[int(best)])
        self._fraction = {name: bool(table[name].dropna().between(0, 1).all()) for name in definition.measures}
        self.rows = self._rows()
        self.answering = any(row.answers for row in self.rows)
        self.timed = any(not math.isnan(row.median) for row in self.rows)

    def compares(self, measure: str) -> bool:
        """Return True if systems were tested against the baseline with a measure."""
        column = f"{measure} p-value"
        return column in self.table.columns and bool(self.table[column].notna().any())

    @property
    def untested(self) -> str:
        """Why there are no tests, if the baseline was not run; else empty."""
        reason = self.absent.get(str(self.definition.baseline), "").rstrip(".")
        return f"no tests: the baseline {self.definition.baseline} was not run ({reason})" if reason else ""

    def unit(self, measure: str) -> int:
        """Return 100 where all figures of a measure lie in [0, 1], which are shown as percent; else 1."""
        return 100 if self._fraction[measure] else 1

    def text(self, value: float, measure: str) -> str:
        """Return a score or a difference of a measure as text."""
        return format_score(value, self._fraction[measure])

    def reasons(self) -> dict[str, list[str]]:
        """Return each reason why systems were not run, with these systems, in the order of the definition."""
        systems: dict[str, list[str]] = {}
        for name, reason in self.absent.items():
            systems.setdefault(reason, []).append(name)
        return systems

    def comparison(self, system: str, measure: str) -> tuple[float, int, int, str]:
        """Return the score of the baseline, the queries won and lost against it, and the p-value in words."""
        row, correction = self._scores[system], self.definition.correction
        base = float(self._scores[str(self.baseline)][measure])
        p = p_text(float(row[f"{measure} p-value corrected"]))
        words = f"{p} after {correction.capitalize()} correction" if correction else p
        more, less = int(row[f"{measure} +"]), int(row[f"{measure} -"])
        return (base, less, more, words) if direction(measure) < 0 else (base, more, less, words)

    def _rows(self) -> list[SystemRow]:
        definition = self.definition
        nothing = tuple(Cell(NAN, format_score(NAN, True)) for _ in definition.measures)
        rows = []
        for name in definition.systems:
            if name in self.absent:
                rows.append(SystemRow(name, nothing, absent=self.absent[name]))
                continue
            row = self._scores[name]
            cells = tuple(self._cell(row, measure) for measure in definition.measures)
            counts = ["" if pd.isna(row.get(column)) else f"{row[column]}" for column in COUNT_COLUMNS]
            failed, abstained, tokens_in, tokens_out = counts
            rows.append(
                SystemRow(
                    name,
                    cells,
                    name == self.baseline,
                    failed != "",
                    failed=failed,
                    abstained=abstained,
                    tokens_in=tokens_in,
                    tokens_out=tokens_out,
                    median=float(row["ms median"]),
                    p95=float(row["ms p95"]),
                )
            )
        for elsewhere in definition.references:
            values = [elsewhere.scores.get(measure, NAN) for measure in definition.measures]
            cells = tuple(Cell(value, format_score(value, not value > 1)) for value in values)
            rows.append(SystemRow(elsewhere.name, cells, published=True, source=elsewhere.source))
        return rows

    def _cell(self, row: Mapping[Hashable, Any], measure: str) -> Cell:
        name, value = str(row["name"]), float(row[measure])
        if math.isnan(value):
            return Cell(NAN, format_score(NAN, True))
        mark = explanation = ""
        if self.compares(measure) and not math.isnan(row[f"{measure} p-value"]):
            base, won, lost, tested = self.comparison(name, measure)
            sign = "+" if value > base else ""
            counts = counted(won, lost)
            explanation = f"{sign}{self.text(value - base, measure)} against {self.baseline}, {tested}; {counts}"
            if row[f"{measure} reject"] and direction(measure):
                mark = "▲" if (value - base) * direction(measure) > 0 else "▼"
        values = self.table[measure].dropna() * direction(measure)
        best = len(values) > 1 and direction(measure) != 0
        return Cell(
            value,
            self.text(value, measure),
            best and math.isclose(value * direction(measure), values.max(), abs_tol=1e-12),
            mark,
            float(row[f"{measure} low"]),
            float(row[f"{measure} high"]),
            explanation,
        )


def direction(measure: str) -> int:
    """Return 1 where more is better, -1 where less is, and 0 where neither is."""
    name = str(parse_measure(measure).NAME)
    return 0 if name in NEUTRAL else -1 if name in LOWER_IS_BETTER else 1


def _groups(measures: Sequence[str]) -> list[Group]:
    ranking = [is_ranking_measure(measure) for measure in measures]
    kinds = (("Retrieval", True), ("Answers", False))
    groups = [Group(name, tuple(n for n, kind in enumerate(ranking) if kind == wanted)) for name, wanted in kinds]
    there = [group for group in groups if group.places]
    return there if len(there) > 1 else [Group("", there[0].places)]


def format_score(value: float, fraction: bool) -> str:
    """Return a score or a difference as text: percent with two decimals or a plain number; a dash for NaN."""
    if math.isnan(value):
        return "–"
    text = f"{value * 100:.2f}" if fraction else f"{value:.4g}"
    return text.replace("-", "−")


def p_text(p: float) -> str:
    """Return a p-value in the usual format."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def counted(won: int, lost: int) -> str:
    """Return the number of queries that are better and worse, in words."""
    return f"{won} {'query' if won == 1 else 'queries'} better, {lost} worse"
