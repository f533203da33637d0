"""Expected scores: written, read, and compared with a result, cell by cell."""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from legalir.errors import ExperimentError
from legalir.experiments.result import ExperimentResult
from legalir.experiments.runs import writing
from legalir.storage.files import atomic_file

DEFAULT_TOLERANCE = 0.0005
"""Largest difference of two scores (fractions) that count as the same."""

HEADER = ("system", "measure", "value")


@dataclass(frozen=True)
class Expected:
    """Expected scores, by system and measure, and the tolerance that their file asks for."""

    scores: dict[tuple[str, str], float]
    tolerance: float | None = None


@dataclass(frozen=True)
class ComparedCell:
    """A score and the expected score; `expected` is None for an extra cell, `actual` for a missing one."""

    system: str
    measure: str
    expected: float | None
    actual: float | None
    status: str

    @property
    def difference(self) -> float | None:
        """The score minus the expected score; None if one of them is missing."""
        return None if self.expected is None or self.actual is None else self.actual - self.expected


@dataclass(frozen=True)
class Comparison:
    """All cells, and the tolerance under which they were compared."""

    cells: tuple[ComparedCell, ...]
    tolerance: float

    @property
    def ok(self) -> bool:
        """Whether every cell is the same."""
        return all(cell.status == "same" for cell in self.cells)

    @property
    def counts(self) -> Counter[str]:
        """Number of cells that are same, better, worse, missing and extra."""
        return Counter(cell.status for cell in self.cells)


def read_expected(path: str | os.PathLike[str]) -> Expected:
    """Read expected scores: tab-separated, first line ``system measure value``, comments after ``#``.

    A comment ``# tolerance: 0.001`` sets the tolerance of the file.

    Raises:
        ExperimentError: the file, the line, and what is wrong with it.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ExperimentError(f"The expected scores {path} cannot be read: {_reason(error)}.") from error
    tolerance: float | None = None
    scores: dict[tuple[str, str], float] = {}
    header_seen = False
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number}"
        if line.startswith("#"):
            name, _, value = line[1:].partition(":")
            if name.strip() == "tolerance":
                tolerance = _number(value, where, "tolerance")
        elif line.strip():
            cells = line.split("\t")
            if not header_seen:
                if tuple(cells) != HEADER:
                    raise ExperimentError(f"{where}: the first line must be {' '.join(HEADER)}, with tabs between.")
                header_seen = True
                continue
            if len(cells) != len(HEADER):
                raise ExperimentError(f"{where}: there must be 3 columns with tabs between, got {len(cells)}.")
            if (cells[0], cells[1]) in scores:
                raise ExperimentError(f"{where}: {cells[0]!r} and {cells[1]} occur twice; keep one.")
            scores[cells[0], cells[1]] = _number(cells[2], where, "value")
    if not scores:
        raise ExperimentError(f"{path} holds no expected scores: write them with compare --write.")
    return Expected(scores, tolerance)


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"


def _number(text: str, where: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (what == "tolerance" and value < 0):
        accepted = "a number of at least 0" if what == "tolerance" else "a number"
        raise ExperimentError(f"{where}: the {what} must be {accepted}, got {text.strip()!r}.")
    return value


def compare(
    result: ExperimentResult | pd.DataFrame,
    expected: Expected | str | os.PathLike[str],
    tolerance: float | None = None,
) -> Comparison:
    """Compare a result, or its table, with expected scores.

    Args:
        result: the result of an experiment, or its table.
        expected: expected scores or the path of their file.
        tolerance: in score units; otherwise the file's, else the definition's, else 0.0005.
    """
    if not isinstance(expected, Expected):
        expected = read_expected(expected)
    own = result.definition.tolerance if isinstance(result, ExperimentResult) else None
    options = (tolerance, expected.tolerance, own, DEFAULT_TOLERANCE)
    chosen = next(option for option in options if option is not None)
    actual = _scores(result)
    keys = list(dict.fromkeys([*expected.scores, *actual]))
    return Comparison(tuple(_cell(key, expected.scores.get(key), actual.get(key), chosen) for key in keys), chosen)


def _scores(result: ExperimentResult | pd.DataFrame) -> dict[tuple[str, str], float]:
    if isinstance(result, ExperimentResult):
        table, measures = result.table, list(result.definition.measures)
    else:
        table = result
        # A column with a space is a statistic of a measure.
        measures = [column for column in table.columns if column != "name" and " " not in column]
    scores = {(str(row["name"]), name): float(row[name]) for _, row in table.iterrows() for name in measures}
    return {key: value for key, value in scores.items() if not math.isnan(value)}  # answers have no ranking measures


def _cell(key: tuple[str, str], expected: float | None, actual: float | None, tolerance: float) -> ComparedCell:
    if actual is None:
        status = "missing"
    elif expected is None:
        status = "extra"
    # The last digits of a decimal tolerance must not decide: 0.5005 and 0.5 are 0.0005 apart.
    elif abs(actual - expected) <= tolerance + 1e-12:
        status = "same"
    else:
        status = "better" if actual > expected else "worse"
    return ComparedCell(*key, expected, actual, status)


def write_expected(result: ExperimentResult, path: str | os.PathLike[str]) -> Path:
    """Write the scores of `result` as expected ones, to six decimals, and return the path."""
    path = Path(path)
    tolerance = DEFAULT_TOLERANCE if result.definition.tolerance is None else result.definition.tolerance
    with writing(path.parent), atomic_file(path) as stream:
        stream.write(f"# Expected scores of: {' '.join(result.definition.title.split())}\n")
        stream.write(f"# tolerance: {tolerance:g}\n")
        stream.write("\t".join(HEADER) + "\n")
        for (system, measure), value in _scores(result).items():
            stream.write(f"{system}\t{measure}\t{round(value, 6)}\n")
    return path
