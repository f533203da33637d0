"""Base classes of our transformers."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar, Self

import pandas as pd
import pyterrier as pt

from legalir.declared import Declared
from legalir.errors import ComponentError

DEADLINE = ContextVar[Callable[[], float]]("legalir_deadline", default=lambda: float("inf"))
"""Function that returns the time of ``time.monotonic()`` after which no further component of a pipeline starts.

A server sets it; while the work is done, it may bring the time forward, because nobody waits for the result any more.
"""


def check_deadline() -> None:
    """Stop work whose time is up.

    Raises:
        TimeoutError: :data:`DEADLINE` has passed.
    """
    if time.monotonic() > DEADLINE.get()():
        raise TimeoutError("The time for this work is up.")


class Cutoff(pt.RankCutoff):
    """PyTerrier's ``% k``, which is drawn without a network, too."""

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, object]:
        """Return the label, and None as address of a page."""
        return {"label": f"% {self.k}", "help_url": None}


class Component(Declared, pt.Transformer):
    """A PyTerrier transformer whose parameters are declared once (:mod:`legalir.declared`).

    Its annotated attributes are the parameters of its constructor::

        class Decay(Component):
            name = "decay"
            graph: CitationGraph
            share: Annotated[float, Ge(0), Le(1), "part of the score that one step keeps"] = 0.5

    Equal arguments make equal components, so that two pipelines share their common prefix in an experiment. ``str`` is
    short, for tables: it shows pipelines, the folder of an index, and numbers and texts that are not defaults.
    A subclass implements :meth:`apply` for frames with at least one row and :meth:`empty` for those without.
    """

    schematic: ClassVar[dict[str, object]] = {"help_url": None}
    """Overrides for ``pt.schematic``. An address, even None, keeps it from a list of pages that it would download."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Transform a frame; an empty one costs nothing and returns the full set of columns."""
        if not isinstance(inp, pd.DataFrame):
            raise ComponentError(
                f"{type(self).__name__}: a pipeline takes a data frame, got {str(inp)[:40]!r} ({type(inp).__name__}): "
                f"use search for one question."
            )
        check_deadline()
        return self.empty(inp) if inp.empty else self.apply(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Transform a frame that has at least one row, without changing it."""
        raise NotImplementedError

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the empty frame with the output columns that belong to the columns of `inp`."""
        raise NotImplementedError

    def __mod__(self, right: int) -> pt.Transformer:
        return self >> Cutoff(right)

    def __str__(self) -> str:
        defaults = {name: parameter.default for name, parameter in inspect.signature(type(self)).parameters.items()}
        inside = []
        for name, value in self._arguments().items():
            parts = list(value) if isinstance(value, list | tuple) else [value]
            if isinstance(value, pt.Artifact):
                # Not the collection, so this must not be a file name: a run of another collection would be reused.
                inside.append(f"…/{Path(str(value.path)).name}")
            elif parts and all(isinstance(part, pt.Transformer) for part in parts):
                inside.append(", ".join(map(str, parts)))
            elif all(isinstance(part, str | int | float) for part in parts) and value != defaults.get(name):
                inside.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(inside)})"


class Cuttable(Component):
    """A component that can cut its results itself: ``component % k`` compiles to one step.

    For components whose scores and order do not depend on the number of results; a subclass keeps at most
    `num_results` of a query, None for all. A component whose constructor has no `num_results` is not cut.
    """

    @property
    def _most(self) -> int | None:
        """Number of results of a query that are kept; None for all."""
        most: int | None = getattr(self, "num_results", None)
        return most

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """Return the component that keeps the best `k` itself; None for a `k` that keeps nothing."""
        if k < 1 or "num_results" not in self._arguments():
            return None
        if self._most is not None and k >= self._most:
            return self
        return self._cut(num_results=k)

    def _shown(self) -> dict[str, Any]:
        """Return the arguments, without `num_results` if it is None."""
        arguments = self._arguments()
        if self._most is None:
            arguments.pop("num_results", None)
        return arguments

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._shown().items())
        return f"{type(self).__name__}({inside})"
