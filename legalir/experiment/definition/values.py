"""Values of an experiment: they fill what its expressions leave open, as literals that cannot change anything else."""

from __future__ import annotations

import math
import os
import posixpath
import re
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, PlainValidator

from legalir.config import AnyText, seen
from legalir.errors import DefinitionError, suggestion

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_QUOTED = re.compile(r"""(?P<quote>\"{3}|'{3}|"|')(?P<body>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)""", re.DOTALL)
"""A quoted text of an expression, as Python reads it."""


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError("is not a name: use letters, digits and '_', such as bge_m3.")
    return name


def _setting(value: object) -> str | int | float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be text or a number, got {seen(value)}.")
    if isinstance(value, str):
        if not value or not value.isprintable():
            raise ValueError(f"{'holds a control character' if value else 'is empty'}: give one line of text.")
    elif not math.isfinite(value):
        raise ValueError(f"must be a finite number, got {value}.")
    return value


ValueName = Annotated[AnyText, AfterValidator(_name)]
"""Name of a value."""

Setting = Annotated[str | int | float, PlainValidator(_setting)]
"""A value: text, or a number."""


def changed_values(values: Mapping[str, Setting], given: Mapping[str, object]) -> dict[str, Setting]:
    """Return `values` with those of `given` in their places; text may give a number.

    Raises:
        DefinitionError: a name that is not in `values`, or a value of another kind than the one it replaces.
    """
    changed = dict(values)
    for name, item in given.items():
        where = f"The value {name!r}"
        if name not in values:
            hint = suggestion(str(name), set(values)) or _known(values)
            raise DefinitionError(f"{where} cannot be set, because the experiment does not have it.{hint}")
        number = not isinstance(values[name], str)
        if isinstance(item, os.PathLike):
            item = os.fspath(item)
        if number and isinstance(item, str):
            item = _number(item, where)
        if not number and not isinstance(item, str):
            raise DefinitionError(f"{where} must be text such as {values[name]!r}, got {seen(item)}.")
        try:
            changed[name] = _setting(item)
        except ValueError as error:
            raise DefinitionError(f"{where} {error}") from None
    return changed


def _number(text: str, where: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise DefinitionError(f"{where} must be a number, got {text!r}.")


def _known(values: Mapping[str, object]) -> str:
    return f" Known values: {', '.join(values)}." if values else " It has no key 'values'."


def check_use(expressions: Mapping[str, str], values: Mapping[str, Setting]) -> None:
    """Check that each value is used, and that each name in an expression has a value that fits there.

    Args:
        expressions: each expression by what errors call it: ``the system 'BM25'``.
        values: the values.

    Raises:
        DefinitionError: the system or the value, and what is accepted.
    """
    used: set[str] = set()
    for name, text in expressions.items():
        filled(text, values, name)
        used |= set(string.Template(text).get_identifiers())
    if unused := [name for name in values if name not in used]:
        raise DefinitionError(f"'values' holds {unused[0]!r}, but no system uses ${{{unused[0]}}}; remove it.")


def filled(text: str, values: Mapping[str, Setting], where: str = "The expression") -> str:
    """Return an expression with its values: ``${name}`` as in ``string.Template``, ``$$`` for a dollar.

    Inside quotes a value is written character by character, with escapes where they are needed, so that nothing in it
    ends the quotes; outside quotes a value must be a number.

    Raises:
        DefinitionError: a name without a value, a dollar without a name, text outside quotes, or a value that would
            run together with its neighbours.
    """
    bodies = [match.span("body") for match in _QUOTED.finditer(text)]

    def literal(match: re.Match[str]) -> str:
        if match["escaped"] is not None:
            return "$"
        name = match["named"] or match["braced"]
        if name is None:
            raise DefinitionError(f"{where} has a '$' without a {{name}}: write $$ for a dollar.")
        if name not in values:
            hint = suggestion(name, set(values)) or _known(values)
            raise DefinitionError(f"{where} uses ${{{name}}}, but 'values' does not define it.{hint}")
        body = next((span for span in bodies if span[0] <= match.start() < span[1]), None)
        part = f"{where}: ${{{name}}}"
        return _outside(values[name], match, part) if body is None else _inside(values[name], match, body, part)

    return string.Template.pattern.sub(literal, text)


def _outside(value: Setting, match: re.Match[str], where: str) -> str:
    if isinstance(value, str):
        raise DefinitionError(f'{where} is text outside quotes: write "{match[0]}".')
    around = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    if any(character.isalnum() or character in tuple("_.") for character in around):
        raise DefinitionError(f"{where} runs together with its neighbours: put it by itself.")
    return repr(value)


def _inside(value: Setting, match: re.Match[str], body: tuple[int, int], where: str) -> str:
    before = match.string[body[0] : match.start()]
    quote = body[0] - (3 if match.string[: body[0]].endswith(('"""', "'''")) else 1)
    if match.string[:quote][-1:].isalnum():
        raise DefinitionError(f"{where} is inside a text with a prefix: use plain quotes.")
    if (len(before) - len(before.rstrip("\\"))) % 2:
        raise DefinitionError(f"{where} comes after a backslash: remove the backslash.")
    return re.sub(r"""[\\"']""", r"\\\g<0>", str(value))


def located_expression(text: str, folder: Path) -> str:
    """Return an expression whose quoted texts that begin with ``./``, ``../`` or ``~/`` are absolute paths.

    Args:
        text: the expression, perhaps with ``${name}``.
        folder: where relative paths are seen from.
    """

    def absolute(match: re.Match[str]) -> str:
        body = match["body"]
        if not body.startswith(("./", "../", "~/")):
            return match[0]
        base = str(Path.home() if body.startswith("~") else folder.resolve())
        base = re.sub(r"""[\\"']""", r"\\\g<0>", base).replace("$", "$$")
        path = posixpath.normpath(f"{base}/{body.removeprefix('~/')}")
        return f"{match['quote']}{path}{match['quote']}"

    return _QUOTED.sub(absolute, text)


def shown_expression(text: str) -> str:
    """Return an expression to show to others: quoted absolute paths are cut to their last part."""
    return _QUOTED.sub(lambda match: f"{match['quote']}{shown_value(match['body'])}{match['quote']}", text)


def shown_value(value: Setting) -> Setting:
    """Return a value to show to others: an absolute path is cut to its last part."""
    return Path(value).name if isinstance(value, str) and Path(value).is_absolute() else value
