"""Reading published files by a declaration: which field is what, under any of several names."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from legalir.datasets.lines import json_rows, numbered_lines
from legalir.errors import FormatError

__all__ = ["Row", "Spec", "identifier_of", "items_of", "pick", "rows_of", "text_of"]

Row = Mapping[str, object]

Spec = str | Sequence[str] | Mapping[str, object]
"""A field name; several, of which the first that has a value counts; or ``{join: [specs], with: text}``."""


def rows_of(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield number and fields of every row of a ``.jsonl``, ``.json`` (a list), ``.csv`` or ``.tsv`` file.

    A ``.tsv`` has no header: its fields are called ``1``, ``2`` and so on.

    Raises:
        FormatError: the file is not what its name says.
    """
    if path.suffix == ".jsonl":
        yield from json_rows(path)
    elif path.suffix == ".json":
        yield from _json_list(path)
    elif path.suffix == ".csv":
        yield from _csv(path)
    else:
        for number, line in numbered_lines(path):
            yield number, {str(place): value for place, value in enumerate(line.split("\t"), 1)}


def _json_list(path: Path) -> Iterator[tuple[int, Row]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise FormatError(f"{path}: not readable as JSON ({error}).") from error
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise FormatError(f"{path}: not a JSON list of objects.")
    yield from enumerate(content, 1)


def _csv(path: Path) -> Iterator[tuple[int, Row]]:
    csv.field_size_limit(1 << 28)  # whole provisions stand in single cells
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for row in csv.DictReader(stream):
                yield 0, {key: value for key, value in row.items() if key is not None}
    except (csv.Error, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: not readable as CSV ({error}).") from error


def pick(row: Row, spec: Spec) -> object:
    """Return the value that a spec names, None where no field has one."""
    if isinstance(spec, str):
        value = row.get(spec)
        return None if value == "" else value
    if isinstance(spec, Mapping):
        parts = spec["join"]
        assert isinstance(parts, list)
        texts = [text for part in parts if (text := text_of(row, part))]
        return str(spec.get("with", " ")).join(texts) or None
    return next((value for name in spec if (value := pick(row, name)) is not None), None)


def text_of(row: Row, spec: Spec) -> str:
    """Return the text that a spec names, empty where there is none."""
    value = pick(row, spec)
    return "" if value is None else str(value)


def identifier_of(row: Row, spec: Spec) -> str:
    """Return an identifier that fits a TREC file: white space becomes ``_``, what is invisible goes."""
    joined = re.sub(r"\s+", "_", text_of(row, spec).strip())
    return "".join(character for character in joined if character.isprintable())


def items_of(row: Row, spec: Spec) -> list[object]:
    """Return a list that a field holds: as JSON, written as text, or separated by commas."""
    value = pick(row, spec)
    if value is None:
        return []
    if isinstance(value, list):
        return [item for item in value if item is not None]
    if not isinstance(value, str):
        return [value]
    if value.lstrip().startswith("["):
        return _written_list(value)
    return [part.strip() for part in value.split(",") if part.strip()]


def _written_list(text: str) -> list[object]:
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{text[:40]!r}… is not a list") from error
    return [item for item in value if item is not None]
