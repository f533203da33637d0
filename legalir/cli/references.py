"""``legalir references``: read the references in texts of statutes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, printable
from legalir.errors import ComponentError, DataError, FormatError

if TYPE_CHECKING:
    from legalir.references.read import Place, Reference

EXAMPLES = """Examples:

  echo 'See section 3(2) and section 4 of the Ships Act.' | legalir references - --lang en

  legalir references provisions.jsonl --lang en --json > with-references.jsonl

A line of the JSON lines has the text, and may have its law and its place there:

  {"text": "Subsection (1) does not apply.", "law": "Lighthouse Act", "at": "section 5(2)"}
"""


app = typer.Typer()


@app.command(epilog=EXAMPLES)
def references(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Text file, or JSON lines with the key text; - for standard input.")
    ],
    lang: Annotated[
        str | None,
        typer.Option("--lang", help="Language of texts without the key lang: ko, ja, en …", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the references in FILE: what each one cites, and where it is in the text.

    JSON lines have the key text, and optionally lang, law (the name of the law that contains the text) and at (the
    place there, such as section 5(2); default: the part of the key source after #). If a text defines a short name
    for a law, it is known in all texts of the same law. With --json the output is one JSON object per line: the same
    keys, and references, a list of objects with surface, start, end, law, article, paragraph, item, subitem, annex,
    kind and state. The state is "read" if the words name law and number: nobody has looked whether the law has that
    number.
    """
    from legalir.references.read import learn_names, read

    rows = list(_rows(file, lang))
    names: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        known = names.setdefault((row["lang"], row.get("law", "")), {})
        for short, law in learn_names(row["text"], row["lang"]).items():
            known.setdefault(short, law)
    for row in rows:
        found = read(row["text"], row["lang"], _place(row), names[row["lang"], row.get("law", "")])
        if as_json:
            given = {key: value for key, value in row.items() if key != "references"}
            typer.echo(json.dumps({**given, "references": [_fields(one) for one in found]}, ensure_ascii=False))
        else:
            for one in found:
                fields = _fields(one)
                target = " ".join(f"{key} {fields[key]}" for key in _SHOWN if fields.get(key))
                typer.echo(f"{one.start}\t{printable(one.surface)}\t{printable(target)}\t{fields['state']}")


_SHOWN = ("law", "supplement", "article", "paragraph", "item", "subitem", "annex", "row", "group")
_ALWAYS = ("surface", "start", "end", "law", "article", "paragraph", "item", "annex", "kind")


def _rows(file: str, lang: str | None) -> Iterator[dict[str, str]]:
    """Yield each text of a file with its language."""
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{file}: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{file}: byte {error.start} is not UTF-8; save the file as UTF-8.") from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines or not all(line.lstrip().startswith("{") for _, line in lines):
        if lang is None:
            raise ComponentError("references: a plain text needs its language, such as --lang ko.")
        yield {"text": text, "lang": lang}
        return
    for number, line in lines:
        try:
            row = json.loads(line)
        except ValueError as error:
            raise FormatError(f"{file}:{number}: this is not JSON: {error}.") from None
        if not isinstance(row.get("text"), str):
            raise FormatError(f"{file}:{number}: the key 'text' must be a string.")
        for key in ("law", "at", "source", "lang"):
            if row.get(key) is None:
                row.pop(key, None)
            elif not isinstance(row[key], str):
                raise FormatError(f"{file}:{number}: the key {key!r} must be a string.")
        row["lang"] = row.get("lang") or lang
        if not row["lang"]:
            raise ComponentError(f"references: {file}:{number} has no 'lang'; add it, or use --lang.")
        yield row


def _place(row: dict[str, str]) -> Place:
    from legalir.references.read import place_of

    at = row.get("at") or row.get("source", "").partition("#")[2]
    return place_of(at, row["lang"], row.get("law", ""))


def _fields(reference: Reference) -> dict[str, object]:
    """Return a reference as a JSON object, without empty values except for the usual keys."""
    fields = {key: value for key, value in reference._asdict().items() if key in _ALWAYS or value not in ("", False)}
    return {**fields, "state": reference.state}
