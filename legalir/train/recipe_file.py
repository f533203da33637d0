"""What every recipe has in common: it is a mapping, or a YAML file of one, and says what its weights depend on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from legalir.errors import DefinitionError, suggestion
from legalir.yaml_files import kind_of, read_yaml

__all__ = ["RecipeFile"]


class RecipeFile:
    """Base of recipes: frozen dataclasses, whose fields are the keys, and which check their own values.

    Attributes:
        NEEDED: keys that it has to have; their values may be paths, which are seen from the file.
        PLACES: keys on which no weight depends.
    """

    NEEDED: ClassVar[tuple[str, ...]]
    PLACES: ClassVar[tuple[str, ...]]

    @classmethod
    def parse(cls, values: object, where: str = "the recipe") -> Self:
        """Return the recipe that a mapping with these keys describes; `where` names it in errors.

        Raises:
            DefinitionError: a key is unknown or missing, or a value means nothing.
        """
        if not isinstance(values, Mapping):
            raise DefinitionError(f"{where} holds {kind_of(values)}; a recipe is a mapping with the key 'dataset'.")
        fields: Any = cls
        known = [item.name for item in dataclasses.fields(fields)]
        for key in values:
            if key not in known:
                hint = suggestion(str(key), set(known)) or f" Known are: {', '.join(known)}."
                raise DefinitionError(f"{where}: the key {key!r} is not known.{hint}")
        for key in cls.NEEDED:
            if values.get(key) is None:
                raise DefinitionError(f"{where}: the key {key!r} is missing.")
        try:
            return cls(**values)
        except DefinitionError as error:
            raise DefinitionError(f"{where}: {error}") from None

    @classmethod
    def load(cls, path: str | PathLike[str], **changes: object) -> Self:
        """Read a YAML file with the same keys; paths in it that begin with ``./``, ``../`` or ``~`` are seen from it.

        Args:
            path: the file.
            changes: values that stand instead of those of the file.

        Raises:
            DefinitionError: as :meth:`parse`, or the file is no YAML.
        """
        file = Path(path)
        values = read_yaml(file, "a recipe")
        if isinstance(values, Mapping):
            located = {key: _located(values[key], file.parent) for key in cls.NEEDED if key in values}
            values = {**values, **located, **changes}
        return cls.parse(values, str(file))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, which :meth:`parse` accepts."""
        recipe: Any = self
        values = dataclasses.asdict(recipe)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    def settings(self) -> dict[str, Any]:
        """Return the values that the weights of the model depend on."""
        return {key: value for key, value in self.as_dict().items() if key not in self.PLACES}


def _located(value: object, folder: Path) -> object:
    if not isinstance(value, str) or not value.startswith(("./", "../", "~")):
        return value
    return str((folder / Path(value).expanduser()).resolve())
