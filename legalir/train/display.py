"""What a training shows while it runs: a bar on a terminal, and a line for each epoch where one is wanted."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["Display", "open_display"]


class Display:
    """Shows nothing; the base of what does."""

    def phase(self, label: str, total: int | None = None) -> None:
        """Begin something that takes `total` units, None where it is not known."""

    def advance(self, done: int = 1, loss: float | None = None) -> None:
        """Go on by so many units; at this loss."""

    def epoch(self, row: Mapping[str, Any]) -> None:
        """Tell of an epoch that is over: a row of the history."""


class _Lines(Display):
    """One line an epoch on standard error."""

    def epoch(self, row: Mapping[str, Any]) -> None:
        sys.stderr.write(f"{describe(row)}\n")
        sys.stderr.flush()


class _Bar(Display):
    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task: Any = None

    def phase(self, label: str, total: int | None = None) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(label, total=total, loss="")

    def advance(self, done: int = 1, loss: float | None = None) -> None:
        self._bar.update(self._task, advance=done, loss="" if loss is None else f"loss {loss:.3f}")

    def epoch(self, row: Mapping[str, Any]) -> None:
        self._bar.console.print(describe(row), highlight=False)


def describe(row: Mapping[str, Any]) -> str:
    """Return a row of the history in one line."""
    measures = "".join(f"  {name} {100 * value:.1f}" for name, value in row.items() if "@" in name)
    loss = "" if math.isnan(row["loss"]) else f"  loss {row['loss']:.3f}"
    return f"epoch {row['epoch']}{loss}{measures}  {row['seconds']:.0f} s"


@contextmanager
def open_display(progress: bool, lines: bool) -> Iterator[Display]:
    """Yield what shows a training.

    Args:
        progress: a bar, where standard error is a terminal.
        lines: one line an epoch, where it is none.
    """
    if not progress or not sys.stderr.isatty():
        yield _Lines() if lines else Display()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[loss]}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar)
