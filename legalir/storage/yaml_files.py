"""YAML files that people write, read strictly: plain values only, and a key that occurs twice is an error."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path

import yaml

from legalir.errors import DefinitionError


class _StrictLoader(yaml.SafeLoader):
    """The safe loader; it raises an error for two equal keys, where the first would be lost."""

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


def read_yaml(path: Path, what: str) -> object:
    """Return the content of a YAML file as plain Python values.

    Args:
        path: the file.
        what: the kind of file with an article, for errors: ``an experiment file``.

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
    """Return the kind of a YAML value, for a message."""
    if value is None:
        return "nothing"
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list"}
    return names.get(type(value), "a mapping" if isinstance(value, Mapping) else type(value).__name__)


def _fault(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else str(problem)
