"""Reading any recipe: a mapping, or a YAML file of one, to a frozen dataclass that checks its own values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from legalir.errors import DefinitionError, suggestion
from legalir.yaml_files import kind_of, read_yaml

__all__ = ["load_recipe", "parse_recipe"]

R = TypeVar("R")


def parse_recipe(kind: type[R], values: object, where: str, needed: Sequence[str]) -> R:
    """Return the recipe that a mapping describes.

    Args:
        kind: the dataclass, whose fields are the keys.
        values: the mapping.
        where: names it in errors.
        needed: keys that it has to have.

    Raises:
        DefinitionError: a key is unknown or missing, or a value means nothing.
    """
    if not isinstance(values, Mapping):
        raise DefinitionError(f"{where} holds {kind_of(values)}; a recipe is a mapping with the key 'dataset'.")
    fields: Any = kind
    known = [item.name for item in dataclasses.fields(fields)]
    for key in values:
        if key not in known:
            hint = suggestion(str(key), set(known)) or f" Known are: {', '.join(known)}."
            raise DefinitionError(f"{where}: the key {key!r} is not known.{hint}")
    for key in needed:
        if values.get(key) is None:
            raise DefinitionError(f"{where}: the key {key!r} is missing.")
    try:
        return kind(**values)
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None


def load_recipe(
    kind: type[R],
    path: str | PathLike[str],
    changes: Mapping[str, object],
    needed: Sequence[str],
    places: Sequence[str],
) -> R:
    """Return the recipe in a YAML file.

    Args:
        kind: as in :func:`parse_recipe`.
        path: the file.
        changes: values that stand instead of those of the file.
        needed: as in :func:`parse_recipe`.
        places: keys whose values, where they begin with ``./``, ``../`` or ``~``, are seen from the file.

    Raises:
        DefinitionError: as :func:`parse_recipe`, or the file is no YAML.
    """
    file = Path(path)
    values = read_yaml(file, "a recipe")
    if isinstance(values, Mapping):
        located = {key: _located(values[key], file.parent) for key in places if key in values}
        values = {**values, **located, **changes}
    return parse_recipe(kind, values, str(file), needed)


def _located(value: object, folder: Path) -> object:
    if not isinstance(value, str) or not value.startswith(("./", "../", "~")):
        return value
    return str((folder / Path(value).expanduser()).resolve())
