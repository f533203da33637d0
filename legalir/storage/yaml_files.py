"""Check values of YAML, one kind each: text, numbers, one of several words; errors begin with where the value stands.

Every check raises DefinitionError: one sentence with what is accepted.

YAML that people write, read strictly: safe types only, and a key written twice is an error, not a silent loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

import yaml

from legalir.errors import DefinitionError, suggestion

__all__ = [
    "Check",
    "choice",
    "filled_text",
    "kind_of",
    "number",
    "optional",
    "optional_text",
    "read_yaml",
    "text_of",
    "wrong",
]


class _StrictLoader(yaml.SafeLoader):
    """The safe loader, except that it refuses to drop the first of two equal keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                line = key_node.start_mark.line + 1
                raise DefinitionError(f"line {line}: the key {key!r} is written twice; keep one.")
            if isinstance(key, Hashable):
                seen.add(key)
        return super().construct_mapping(node, deep=deep)


def read_yaml(path: Path, what: str) -> object:
    """Return the content of a YAML file as plain Python values.

    Args:
        path: the file.
        what: what it should be, for errors: ``an experiment file``.

    Raises:
        DefinitionError: the file is missing, is not UTF-8 or is not YAML, or a key occurs twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return yaml.load(text, Loader=_StrictLoader)
    except FileNotFoundError:
        raise DefinitionError(f"{path} does not exist: give the path of {what} (YAML).") from None
    except OSError as error:
        raise DefinitionError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8.") from error
    except yaml.YAMLError as error:
        raise DefinitionError(f"{path} is not valid YAML: {_fault(error)}.") from error
    except RecursionError:
        raise DefinitionError(f"{path} is nested too deeply to be {what}.") from None
    except DefinitionError as error:
        raise DefinitionError(f"{path}, {error}") from None


def kind_of(value: object) -> str:
    """Say what kind of YAML value this is."""
    if value is None:
        return "nothing"
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list"}
    return names.get(type(value), "a mapping" if isinstance(value, Mapping) else type(value).__name__)


def _fault(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else str(problem)


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
