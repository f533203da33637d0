"""Check the values of a recipe, one small function a kind of value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike, fspath

from legalir.errors import DefinitionError
from legalir.yaml_values import Check, choice, filled_text, optional, wrong

__all__ = ["CHECKS", "MEASURES", "SOURCES"]

SOURCES = ("judgements", "citations", "headings")
MEASURES = ("R@10", "nDCG@10", "MultiHitRate@10")


def _text(value: object, where: str) -> str:
    return filled_text(fspath(value) if isinstance(value, PathLike) else value, where)


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(where, "true or false", value)
    return value


def _whole(low: int, high: int = 2**31) -> Check:
    def check(value: object, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong(where, "a whole number", value)
        if not low <= value <= high:
            raise DefinitionError(f"{where} is {value}, but must lie from {low} to {high}.")
        return value

    return check


def _number(value: object, where: str, low: float, *, open_: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise wrong(where, "a number (write 0.003 or 3.0e-3)", value)
    if value < low or (open_ and value == low):
        raise DefinitionError(f"{where} is {value:g}, but must be {'above' if open_ else 'at least'} {low:g}.")
    return float(value)


def _positive(value: object, where: str) -> float:
    return _number(value, where, 0.0, open_=True)


def _not_negative(value: object, where: str) -> float:
    return _number(value, where, 0.0, open_=False)


def _lengths(value: object, where: str) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list of lengths such as [2, 3]", value)
    return tuple(sorted({int(_whole(1, 8)(item, where)) for item in value}))  # type: ignore[call-overload]


def _sources(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise wrong(where, "a list such as [judgements, headings]", value)
    names = tuple(str(choice(SOURCES)(item, where)) for item in value)
    if not names:
        raise DefinitionError(f"{where} is empty; name at least one of {', '.join(SOURCES)}.")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DefinitionError(f"{where} names {twice} twice; keep one.")
    return names


def _weights(value: object, where: str) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong(where, "a mapping from sources to numbers", value)
    return {str(name): _positive(item, f"{where}: {name!r}") for name, item in value.items()}


CHECKS: dict[str, Check] = {
    "dataset": _text,
    "out": _text,
    "sources": _sources,
    "weights": _weights,
    "dev": optional(_text),
    "measure": choice(MEASURES),
    "patience": optional(_whole(1)),
    "seed": _whole(0, 2**63 - 1),
    "dim": _whole(1, 2**14),
    "char": _lengths,
    "jamo": _lengths,
    "words": _flag,
    "edges": _flag,
    "rows": _whole(1, 2**24),
    "max_characters": optional(_whole(1)),
    "tf": choice(("log", "raw")),
    "epochs": _whole(1),
    "batch": _whole(2),
    "rate": _positive,
    "temperature": _positive,
    "random": _whole(0),
    "hard": _whole(0),
    "negatives": _text,
    "precision": choice(("float16", "int8")),
    "checkpoint_minutes": _not_negative,
    "threads": optional(_whole(1)),
}
