"""What people write in YAML, read strictly: pydantic models whose errors are one sentence in our words.

A subclass declares its keys as fields, each with a docstring below it (``model_fields[name].description``), from the
kinds of value that YAML has: :data:`Text`, :data:`OptionalText`, :data:`AnyText`, :data:`Whole`, :data:`Number`,
:data:`Flag` and :data:`Choice`. Bounds are pydantic's: ``Annotated[Whole, Field(ge=1)]``. A validator of a field raises
ValueError with the rest of a sentence that begins with the field (``must be ...``); a validator of the model raises
:class:`SchemaError` with a whole sentence.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from datetime import date
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    ValidationError,
    model_validator,
)

from legalir.errors import DefinitionError, LegalIRError, shown, suggestion

T = TypeVar("T")

AnyText = Annotated[str, Strict()]
"""Text exactly as it is written; it may be empty."""

OptionalText = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True),
    BeforeValidator(lambda value: "" if value is None else value),
]
"""Text without the blanks around it; nothing (null) is an empty text."""

Text = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1),
    BeforeValidator(lambda value: fspath(value) if isinstance(value, PathLike) else value),
]
"""Text that is not empty, without the blanks around it. From Python it may be a path."""

Whole = Annotated[int, Strict()]
"""A whole number; true and false are not numbers."""

Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
"""A finite number, stored as a float; true and false are not numbers."""

Flag = Annotated[bool, Strict()]
"""True or false."""

Choice = Annotated[T, BeforeValidator(lambda value: value.strip() if isinstance(value, str) else value)]
"""One of several words: ``Choice[Literal["cls", "mean"]]``."""


class SchemaError(DefinitionError, ValueError):
    """A whole sentence about a mapping, which a validator of its model raises."""


class Schema(BaseModel):
    """Base of a mapping that people write in YAML or pass from Python.

    A subclass can be constructed with keyword arguments, from a mapping (:meth:`parse`) and from a file (:meth:`load`);
    the values are checked in the same way.

    Attributes:
        KIND: noun phrase for errors, with its article: ``a recipe``.
        PATHS: keys whose texts may be paths; a path in a file is relative to the folder of that file.

    Raises:
        DefinitionError: a key is unknown or missing, or a value is not accepted: one sentence with the place, the value
            seen and what is accepted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    KIND: ClassVar[str] = "a definition"
    PATHS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, /, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise DefinitionError(_sentence(error)) from None

    # With this mark pydantic does not call __init__ for a part of a whole, so that an error has its place in the whole.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, values: object) -> object:
        if isinstance(values, Mapping):
            known = cls.model_fields
            for key in values:
                if key not in known:
                    hint = suggestion(str(key), set(known)) or f" Known keys: {', '.join(known)}."
                    raise SchemaError(f"the key {key!r} is unknown.{hint}")
            for key, field in known.items():
                if field.is_required() and key not in values:
                    raise SchemaError(f"the key {key!r} is missing.")
        return values

    @classmethod
    def parse(cls, values: object, where: str | None = None) -> Self:
        """Check a mapping and return the instance that it describes.

        Args:
            values: the mapping.
            where: start of error messages, such as the path of a file; by default :attr:`KIND` with "the".
        """
        where = where or f"the {cls.KIND.partition(' ')[2]}"
        if not isinstance(values, Mapping):
            needed = [repr(name) for name, field in cls.model_fields.items() if field.is_required()]
            keys = f" with the key{'s' * (len(needed) > 1)} {', '.join(needed)}" if needed else ""
            raise DefinitionError(f"{where}: {cls.KIND} must be a mapping{keys}, got {seen(values)}.")
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise DefinitionError(f"{where}: {_sentence(error)}") from None
        except LegalIRError as error:  # of another part, which a validator has called
            raise type(error)(f"{where}: {error}") from None

    @classmethod
    def load(cls, path: str | PathLike[str], **changes: object) -> Self:
        """Read a YAML file.

        Args:
            path: the file.
            changes: values that replace values of the file.

        Raises:
            DefinitionError: the file cannot be read or is not YAML, or as the class.
        """
        file = Path(path)
        values = read_yaml(file, cls.KIND)
        if isinstance(values, Mapping):
            paths = {key: located(values[key], file.parent) for key in cls.PATHS if key in values}
            values = {**values, **paths, **changes}
        return cls.parse(values, str(file))


def located(value: object, folder: Path) -> object:
    """Return a text that begins with ``./``, ``../`` or ``~`` as an absolute path seen from `folder`.

    In a list or mapping each text is located; other values are returned as they are.
    """
    if isinstance(value, str) and value.startswith(("./", "../", "~")):
        return str((folder / Path(value).expanduser()).resolve())
    if isinstance(value, list | tuple):
        return type(value)(located(item, folder) for item in value)
    if isinstance(value, Mapping):
        return {key: located(item, folder) for key, item in value.items()}
    return value


def seen(value: object) -> str:
    """Return how an error shows a value: the value and its kind, or the kind alone where it says enough."""
    if value is None or isinstance(value, list | tuple | Mapping):
        return kind_of(value)
    return str(value).lower() if isinstance(value, bool) else f"{shown(value, 60)} ({kind_of(value)})"


_WANTED = {
    "string_type": "text (put it in quotes)",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
}
"""Accepted values in words, by the type of pydantic's error."""


def _sentence(error: ValidationError) -> str:
    """Return the first fault of a pydantic error as one sentence."""
    fault = error.errors(include_url=False)[0]
    place, kind, value = _place(fault["loc"], fault["input"]), fault["type"], fault["input"]
    context = fault.get("ctx", {})
    if kind == "value_error":
        join = ": " if isinstance(context["error"], SchemaError) else " "
        return f"{place}{join}{context['error']}" if place else str(context["error"])
    if kind in ("string_too_short", "too_short"):
        return f"{place} is empty; give it a value."
    if kind == "literal_error":
        options = [option.strip("'") for option in context["expected"].replace(" or ", ", ").split(", ")]
        if not isinstance(value, str):
            return f"{place} must be one of {', '.join(options)}, got {seen(value)}."
        return f"{place} must be one of {', '.join(options)}, got {value!r}.{suggestion(value, options)}"
    if kind in _WANTED:
        numbers = {name: f"{limit:.15g}" for name, limit in context.items() if isinstance(limit, int | float)}
        got = f"{value:.15g}" if numbers and isinstance(value, int | float) else seen(value)
        return f"{place} must be {_WANTED[kind].format(**numbers)}, got {got}."
    return f"{place}: {fault['msg']}, got {seen(value)}."


def _place(location: tuple[int | str, ...], value: object) -> str:
    """Return a place in a definition: ``'references', item 2, 'source'``."""
    if location[-1:] == ("[key]",):  # the fault is in a name, which pydantic's location holds as text or number
        return ", ".join(filter(None, [_place(location[:-2], value), f"the name {value!r}"]))
    return ", ".join(f"item {part + 1}" if isinstance(part, int) else repr(part) for part in location)


class _Strict(yaml.constructor.SafeConstructor):
    """Part of a loader that raises an error for two equal keys, where the first would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        keys: dict[object, str] = {}
        for key_node, _ in node.value:
            key, written = self.construct_object(key_node, deep=True), str(key_node.value)
            if isinstance(key, Hashable) and key in keys:
                first, line = keys[key], key_node.start_mark.line + 1
                if first == written:
                    raise DefinitionError(f"line {line}: the key {written!r} occurs twice: keep one.")
                raise DefinitionError(
                    f"line {line}: the keys {first} and {written} have the same value: put both in quotes if they are "
                    f"names, else keep one."
                )
            if isinstance(key, Hashable):
                keys[key] = written
        return super().construct_mapping(node, deep=deep)

    def construct_yaml_timestamp(self, node: yaml.ScalarNode) -> date:
        try:
            return super().construct_yaml_timestamp(node)
        except ValueError:
            line = node.start_mark.line + 1
            raise DefinitionError(
                f"line {line}: {node.value} is not a date of the calendar: correct it, or put text in quotes."
            ) from None


class _StrictLoader(_Strict, yaml.SafeLoader):
    """The safe loader."""


_StrictLoader.add_constructor(
    "tag:yaml.org,2002:timestamp",
    _StrictLoader.construct_yaml_timestamp,  # type: ignore[type-var]
)


class _PackageLoader(_Strict, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The fast one in C, whose stack has no guard: for the files of this package alone."""


_PACKAGE = Path(__file__).parent


def read_yaml(path: Path, what: str) -> object:
    """Return the content of a YAML file as plain Python values.

    Args:
        path: the file.
        what: the kind of file with an article, for errors: ``an experiment file``.

    Raises:
        DefinitionError: the file is missing, is not UTF-8 or is not YAML, a key occurs twice, or a date does not exist.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return yaml.load(text, Loader=_PackageLoader if _PACKAGE in path.parents else _StrictLoader)
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
    """Return the kind of a YAML value, for a message."""
    if value is None:
        return "nothing"
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list"}
    return names.get(type(value), "a mapping" if isinstance(value, Mapping) else type(value).__name__)


def _fault(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else str(problem)
