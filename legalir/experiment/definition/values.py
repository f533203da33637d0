"""Values of an experiment: what its expressions leave open, filled in as literals that cannot change anything else."""

from __future__ import annotations

import math
import os
import re
import string
from collections.abc import Mapping
from pathlib import Path

from legalir.errors import DefinitionError, suggestion
from legalir.storage.yaml_files import kind_of

__all__ = ["Setting", "changed_values", "check_use", "checked_values", "filled", "located_value", "shown_value"]

Setting = str | int | float
"""A value: text, or a number."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_QUOTED = re.compile(r"""(?P<quote>\"{3}|'{3}|"|')(?P<body>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)""", re.DOTALL)
"""A quoted text of an expression, as Python reads it."""


def checked_values(value: object, where: str) -> dict[str, Setting]:
    """Return the values of a definition; `where` names the key in errors.

    Raises:
        DefinitionError: this is no mapping from names to texts and numbers.
    """
    if not isinstance(value, Mapping):
        raise DefinitionError(f"{where} must be a mapping from names to texts or numbers, not {kind_of(value)}.")
    return {_checked_name(name, where): _checked(item, f"{where}: {name!r}") for name, item in value.items()}


def _checked_name(name: object, where: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise DefinitionError(f"{where}: {name!r} is no name: use letters, digits and '_', such as bge_m3.")
    return name


def _checked(value: object, where: str) -> Setting:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DefinitionError(f"{where} must be text or a number, not {kind_of(value)}.")
    if isinstance(value, str):
        if not value or not value.isprintable():
            fault = "holds a control character" if value else "is empty"
            raise DefinitionError(f"{where} {fault}: give one line of text.")
    elif not math.isfinite(value):
        raise DefinitionError(f"{where} is {value}: give a finite number.")
    return value


def changed_values(values: Mapping[str, Setting], given: Mapping[str, object]) -> dict[str, Setting]:
    """Return `values` with those of `given` in their places; a number may be given as text.

    Raises:
        DefinitionError: a name that is not among them, or text in the place of a number and the other way round.
    """
    changed = dict(values)
    for name, item in given.items():
        where = f"The value {name!r}"
        if name not in values:
            hint = suggestion(str(name), set(values)) or _there_is(values)
            raise DefinitionError(f"{where} cannot be set, because the experiment does not have it.{hint}")
        number = not isinstance(values[name], str)
        if isinstance(item, os.PathLike):
            item = os.fspath(item)
        if number and isinstance(item, str):
            item = _number(item, where)
        if not number and not isinstance(item, str):
            raise DefinitionError(f"{where} must be text, as {values[name]!r} is, not {kind_of(item)}.")
        changed[name] = _checked(item, where)
    return changed


def _number(text: str, where: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise DefinitionError(f"{where} must be a number, not {text!r}.")


def _there_is(values: Mapping[str, object]) -> str:
    return f" There are: {', '.join(values)}." if values else " It has no key 'values'."


def check_use(systems: Mapping[str, str], values: Mapping[str, Setting], where: str) -> None:
    """Check that every value is used, and that whatever the expressions use is there and fits.

    Raises:
        DefinitionError: the system or the value, and what there is.
    """
    used: set[str] = set()
    for name, text in systems.items():
        filled(text, values, f"{where}: the system {name!r}")
        used |= set(string.Template(text).get_identifiers())
    if unused := [name for name in values if name not in used]:
        raise DefinitionError(f"{where}: 'values' holds {unused[0]!r}, but no system uses ${{{unused[0]}}}; remove it.")


def filled(text: str, values: Mapping[str, Setting], where: str = "The expression") -> str:
    """Return an expression with its values: ``${name}`` as in ``string.Template``, ``$$`` for a dollar.

    In quotes stand the characters of a value, with escapes where they are needed, so that nothing in it ends the
    quotes; outside of quotes stands a number.

    Raises:
        DefinitionError: a name without a value, a dollar that begins no name, text outside of quotes, or a place in
            which a value would run together with what is before or behind it.
    """
    bodies = [match.span("body") for match in _QUOTED.finditer(text)]

    def literal(match: re.Match[str]) -> str:
        if match["escaped"] is not None:
            return "$"
        name = match["named"] or match["braced"]
        if name is None:
            raise DefinitionError(f"{where} has a '$' that begins no ${{name}}: write $$ for a dollar.")
        if name not in values:
            hint = suggestion(name, set(values)) or _there_is(values)
            raise DefinitionError(f"{where} uses ${{{name}}}, which 'values' does not give.{hint}")
        body = next((span for span in bodies if span[0] <= match.start() < span[1]), None)
        part = f"{where}: ${{{name}}}"
        return _outside(values[name], match, part) if body is None else _inside(values[name], match, body, part)

    return string.Template.pattern.sub(literal, text)


def _outside(value: Setting, match: re.Match[str], where: str) -> str:
    if isinstance(value, str):
        raise DefinitionError(f'{where} is text and stands outside of quotes: write "{match[0]}".')
    around = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    if any(character.isalnum() or character in tuple("_.") for character in around):
        raise DefinitionError(f"{where} runs together with what stands beside it: put it by itself.")
    return repr(value)


def _inside(value: Setting, match: re.Match[str], body: tuple[int, int], where: str) -> str:
    before = match.string[body[0] : match.start()]
    quote = body[0] - (3 if match.string[: body[0]].endswith(('"""', "'''")) else 1)
    if match.string[:quote][-1:].isalnum():
        raise DefinitionError(f"{where} stands in a text with a prefix: use plain quotes.")
    if (len(before) - len(before.rstrip("\\"))) % 2:
        raise DefinitionError(f"{where} stands behind a backslash: remove the backslash.")
    return re.sub(r"""[\\"']""", r"\\\g<0>", str(value))


def located_value(value: Setting, folder: Path) -> Setting:
    """Return a value that starts with ``./``, ``../`` or ``~`` as an absolute path seen from `folder`."""
    if not isinstance(value, str) or not value.startswith(("./", "../", "~")):
        return value
    return str((folder / Path(value).expanduser()).resolve())


def shown_value(value: Setting) -> Setting:
    """Return a value as strangers may see it: of an absolute path its last part."""
    return Path(value).name if isinstance(value, str) and Path(value).is_absolute() else value
