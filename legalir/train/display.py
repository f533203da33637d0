"""The display of a training: a bar on a terminal, or a line for each epoch; and its history as a frame."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


_MINUTE = 60.0
"""Seconds between two lines of a phase."""


class Display:
    """Base of displays; shows nothing."""

    def phase(self, label: str, total: int | None = None, done: int = 0) -> None:
        """Begin a phase of `total` units, of which some are done already; None: the number is not known."""

    def advance(self, done: int = 1, loss: float | None = None) -> None:
        """Add units that are done, and show the loss."""

    def epoch(self, row: Mapping[str, Any]) -> None:
        """Show an epoch that has ended, a row of the history."""


class _Lines(Display):
    """One line for each epoch on standard error; in a long phase, also one a minute with the time that is left."""

    def phase(self, label: str, total: int | None = None, done: int = 0) -> None:
        self._label, self._total, self._done = label, total, done
        self._shown = (time.monotonic(), done)

    def advance(self, done: int = 1, loss: float | None = None) -> None:
        self._done += done
        now, (before, at) = time.monotonic(), self._shown
        if self._total is not None and now - before >= _MINUTE:
            left = (now - before) * (self._total - self._done) / (self._done - at) / 60
            shown = "" if loss is None else f"  loss {loss:.3f}"
            self._write(f"{self._label}: {self._done} of {self._total}{shown}, {left:.0f} min left")
            self._shown = (now, self._done)

    def epoch(self, row: Mapping[str, Any]) -> None:
        self._write(describe(row))

    @staticmethod
    def _write(line: str) -> None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


class _Bar(Display):
    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task: Any = None

    def phase(self, label: str, total: int | None = None, done: int = 0) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(label, total=total, completed=done, loss="")

    def advance(self, done: int = 1, loss: float | None = None) -> None:
        self._bar.update(self._task, advance=done, loss="" if loss is None else f"loss {loss:.3f}")

    def epoch(self, row: Mapping[str, Any]) -> None:
        self._bar.console.print(describe(row), highlight=False)


def describe(row: Mapping[str, Any]) -> str:
    """Return a row of the history in one line."""
    measures = "".join(f"  {name} {100 * value:.1f}" for name, value in row.items() if "@" in name)
    if "perplexity" in row:
        measures += f"  perplexity {row['perplexity']:.2f}"
    loss = "" if math.isnan(row["loss"]) else f"  loss {row['loss']:.3f}"
    return f"epoch {row['epoch']}{loss}{measures}  {row['seconds']:.0f} s"


@contextmanager
def open_display(progress: bool, lines: bool) -> Iterator[Display]:
    """Yield the display of a training.

    Args:
        progress: whether to show a bar if standard error is a terminal.
        lines: whether to print a line for each epoch if it is not.
    """
    if not progress or not sys.stderr.isatty():
        yield _Lines() if lines else Display()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[loss]}"))
    remaining, console = TimeRemainingColumn(), Console(stderr=True)
    # A step may take a minute: of 30 seconds, rich's default, no rate would follow.
    with Progress(*columns, remaining, console=console, transient=True, speed_estimate_period=600) as bar:
        yield _Bar(bar)


def history_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a history as a frame, ``seconds`` and ``kept`` last."""
    import pandas as pd

    frame = pd.DataFrame(rows)
    last = ["seconds", "kept"]
    return frame[[*(name for name in frame.columns if name not in last), *last]]
