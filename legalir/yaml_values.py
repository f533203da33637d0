"""Check values of YAML, one kind each: text, numbers, one of several words; errors begin with where the value stands.

Every check raises DefinitionError: one sentence with what is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from legalir.errors import DefinitionError, suggestion
from legalir.yaml_files import kind_of

__all__ = ["Check", "choice", "filled_text", "number", "optional", "optional_text", "text_of", "wrong"]

Check = Callable[[object, str], object]
"""Takes a value and where it stands; returns the value as it is kept."""


def wrong(where: str, wanted: str, value: object) -> DefinitionError:
    """Return the error that a value is not `wanted`."""
    return DefinitionError(f"{where} must be {wanted}, not {kind_of(value)}.")


def text_of(value: object, where: str) -> str:
    """Return text without the blanks around it."""
    if not isinstance(value, str):
        raise wrong(where, "text (put it in quotes)", value)
    return value.strip()


def filled_text(value: object, where: str) -> str:
    """Return text that is not empty."""
    text = text_of(value, where)
    if not text:
        raise DefinitionError(f"{where} is empty; give it a value.")
    return text


def optional_text(value: object, where: str) -> str:
    """Return text, empty where there is none."""
    return "" if value is None else text_of(value, where)


def number(value: object, where: str, low: float, high: float) -> float:
    """Return a number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise wrong(where, "a number", value)
    if not low <= value <= high:
        raise DefinitionError(f"{where} is {value}, but must lie from {low:g} to {high:g}.")
    return float(value)


def choice(options: Sequence[str]) -> Callable[[object, str], str]:
    """Return the check for one of several words."""

    def check(value: object, where: str) -> str:
        text = text_of(value, where)
        if text not in options:
            hint = suggestion(text, set(options))
            raise DefinitionError(f"{where} is {text!r}, but must be one of {', '.join(options)}.{hint}")
        return text

    return check


def optional(check: Check) -> Check:
    """Return the check for a value that may also be left out."""
    return lambda value, where: None if value is None else check(value, where)
