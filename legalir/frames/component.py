"""Base classes of our transformers, and the checks of their parameters."""

from __future__ import annotations

import inspect
import math
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self, TypeVar

import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError, LegalIRError, suggestion


class Component(pt.Transformer):
    """A PyTerrier transformer with the identity of its constructor arguments.

    A subclass stores each argument of its ``__init__`` under the argument's own name; equality, hash and
    ``repr`` follow from them, so that two equal pipelines share their common prefix in an experiment. ``str`` is short,
    for tables: it shows pipelines, the folder of an index, and numbers and texts that are not defaults.
    A subclass implements :meth:`apply` for frames with at least one row and :meth:`empty` for those without.

    All that a component keeps follows from its arguments. An argument that is set later, as ``pt.GridSearch`` does,
    makes it the component that the constructor makes of the new arguments: they are checked, and nothing stays that
    was computed from the old ones. After an error it is unchanged. Copies and pickles contain only the arguments.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        held, parameters = self.__dict__, _signature(type(self).__init__).parameters
        # The constructor itself sets them one by one.
        if name in parameters and _MAKING not in held and held.keys() >= parameters.keys():
            super().__setattr__("__dict__", self._changed(**{name: value}).__dict__)
        else:
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self._given())

    def _given(self) -> dict[str, Any]:
        """Return all arguments of the constructor, by name."""
        return {name: getattr(self, name) for name in _signature(type(self).__init__).parameters}

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments that make two components different, by name."""
        return self._given()

    def _changed(self, **arguments: Any) -> Self:
        """Return a new component with other values of some arguments; errors as the constructor."""
        return _make(type(self), {**self._given(), **arguments})

    def _cut(self, **arguments: Any) -> Self:
        """Return a copy that keeps what was computed, with other values of arguments on which none of it depends."""
        copied: Self = object.__new__(type(self))
        copied.__dict__.update({**self.__dict__, **arguments})
        return copied

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Transform a frame; an empty one costs nothing and returns the full set of columns."""
        if not isinstance(inp, pd.DataFrame):
            raise ComponentError(
                f"{type(self).__name__}: a pipeline takes a data frame, got {str(inp)[:40]!r} ({type(inp).__name__}): "
                f"use search for one question."
            )
        return self.empty(inp) if inp.empty else self.apply(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Transform a frame that has at least one row, without changing it."""
        raise NotImplementedError

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the empty frame with the output columns that belong to the columns of `inp`."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._arguments() == other._arguments()

    def __hash__(self) -> int:
        return hash((type(self), *(hashable(value) for value in self._arguments().values())))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._arguments().items())
        return f"{type(self).__name__}({inside})"

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


C = TypeVar("C", bound=Component)

_MAKING = "_making"
"""Attribute of a component whose constructor runs, once its arguments may be set twice."""


def _make(made: type[C], arguments: Mapping[str, Any]) -> C:
    """Return the component of a class with these arguments of the constructor."""
    bound = inspect.BoundArguments(_signature(made.__init__), OrderedDict(arguments))
    component: C = made.__new__(made, *bound.args, **bound.kwargs)  # type: ignore[no-untyped-call]  # PyTerrier's
    component.__dict__[_MAKING] = True
    component.__init__(*bound.args, **bound.kwargs)  # type: ignore[misc]  # as the call of a class does
    del component.__dict__[_MAKING]
    return component


@cache
def _signature(constructor: Callable[..., None]) -> inspect.Signature:
    """Return the signature of a constructor without `self`."""
    if constructor in (pt.Transformer.__init__, object.__init__):
        return inspect.Signature()  # A component without parameters; theirs would be *args.
    signature = inspect.signature(constructor)
    return signature.replace(parameters=[*signature.parameters.values()][1:])


def hashable(value: Any) -> Any:
    """Return a copy of an argument that can be hashed: dicts and lists as tuples."""
    if isinstance(value, dict):
        return tuple(sorted((key, hashable(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(hashable, value))
    return value


def check_number(
    component: str, name: str, value: Any, *, low: float, high: float = float("inf"), integer: bool = False
) -> None:
    """Check that parameter `name` of `component` is a finite number in ``[low, high]``.

    Raises:
        ComponentError: with the component, the parameter, the value and the accepted range.
    """
    kind_fits = isinstance(value, Integral if integer else Real) and not isinstance(value, bool)
    if not kind_fits or not math.isfinite(value) or not low <= value <= high:
        kind = "an integer" if integer else "a number"
        bounds = f"of at least {low:g}" if high == float("inf") else f"from {low:g} to {high:g}"
        message = f"{component}: {name}={value!r} is not {kind} {bounds}."
        raise ComponentError(message, component=component, parameter=name, value=value)


def check_flag(component: str, name: str, value: object) -> None:
    """Check that parameter `name` of `component` is True or False.

    Raises:
        ComponentError: with the component, the parameter and the value.
    """
    if not isinstance(value, bool):
        message = f"{component}: {name}={value!r} is not true or false."
        raise ComponentError(message, component=component, parameter=name, value=value)


def check_choice(
    component: str,
    name: str,
    value: object,
    choices: Collection[str],
    error: type[LegalIRError] = ComponentError,
) -> None:
    """Check that parameter `name` of `component` is one of `choices`.

    Args:
        component: name of the component; empty if the name of the parameter is enough.
        name: name of the parameter.
        value: value of the parameter.
        choices: the accepted values.
        error: kind of the error.

    Raises:
        ComponentError: with the component, the parameter, the value and the choices; or `error` instead.
    """
    if not isinstance(value, str) or value not in choices:
        hint = suggestion(value, tuple(choices)) if isinstance(value, str) else ""
        prefix = f"{component}: " if component else ""
        message = f"{prefix}{name}={value!r} is not one of {', '.join(choices)}.{hint}"
        raise error(message, component=component or None, parameter=name, value=value)


class Cuttable(Component):
    """A component that can cut its results itself: ``component % k`` compiles to one step.

    For components whose scores and order do not depend on the number of results; a subclass keeps at most
    `num_results` of a query, None for all. A component whose constructor has no `num_results` is not cut.
    """

    num_results: int | None = None

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """Return the component that keeps the best `k` itself; None for a `k` that keeps nothing."""
        if k < 1 or "num_results" not in self._arguments():
            return None
        if self.num_results is not None and k >= self.num_results:
            return self
        return self._cut(num_results=k)

    def _shown(self) -> dict[str, Any]:
        """Return the arguments, without `num_results` if it is None."""
        arguments = self._arguments()
        if self.num_results is None:
            arguments.pop("num_results", None)
        return arguments

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._shown().items())
        return f"{type(self).__name__}({inside})"
