"""``legalir verify``: check the citations of a text against a collection."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from legalir.cli.printing import AsJson, print_json, printable
from legalir.cli.search import AsOf

EXAMPLES = """Examples:

  echo 'See section 99 of the Harbour Act.' | legalir verify - --collection legalir/harbour

  legalir verify brief.docx --collection my-statutes/ --as-of 2024-01-11 --html brief-citations.html

  legalir verify answer.md --collection my-statutes/ --json

The command ends with 1 if a citation is wrong; with --strict, also if one could not be decided.
"""

app = typer.Typer()

_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^\s()]{1,500}\)")

_LARGEST = 64 * 2**20
"""Most bytes of a document."""


@app.command(epilog=EXAMPLES)
def verify(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE|-", help="Text, Markdown, HTML, .docx or PDF; - for text from standard input."),
    ],
    collection: Annotated[str, typer.Option("--collection", "-c", help="Dataset id, or path of a folder: the law.")],
    as_of: AsOf = None,
    law: Annotated[
        str,
        typer.Option(
            "--law",
            help="Law that citations without one mean.",
            show_default="the law named before, in the same paragraph",
        ),
    ] = "",
    lang: Annotated[
        str, typer.Option("--lang", help="Language of the text: ko, de, en …", show_default="recognised")
    ] = "",
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with the marked text.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="End with 1 unless every citation is right.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check each citation in FILE: whether the law has it, on the day, with the heading and words that the text gives.

    Each citation gets one state: right, wording differs, title differs, no such provision, repealed, not yet in force,
    moved, no such law, name unclear, outside this collection, or could not check, with the reason. A day that the text
    names for a citation goes before --as-of.
    """
    from legalir.collection.collection import Collection
    from legalir.storage.files import atomic_file
    from legalir.verify.page import summary, verification_page

    text = text_of(Path("standard input"), sys.stdin.buffer.read()) if file == "-" else text_of(Path(file))
    found = Collection(collection).verify(text, as_of=as_of, lang=lang, law=law)
    if html is not None:
        with atomic_file(html) as out:
            out.write(verification_page("Standard input" if file == "-" else Path(file).name, found))
        typer.echo(f"Page: {html}", err=True)
    if as_json:
        print_json(found.to_dict())
    else:
        for row, one in zip(found.to_dict()["citations"], found.citations, strict=True):
            words, place = printable(" ".join(one.words.split())), f"{row['line']}:{row['column']}"
            typer.echo(f"{place}\t{one.state}\t{words}\t{printable(one.reason)}".rstrip())
            for part in one.others[:3]:
                typer.echo(f"\t\tnearest: {printable(found.titles.get(part, part))}")
            if one.parts:
                marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
                typer.echo("\t\t" + printable("".join(marks[part.kind].format(part.text) for part in one.parts)))
        typer.echo(summary(found))
    if found.wrong or (strict and found.counts.get("right", 0) < len(found.citations)):
        raise typer.Exit(1)


def text_of(path: Path, data: bytes | None = None) -> str:
    """Return the text of a document; the notes of a Word file are at its end.

    Args:
        path: the file; its name says what it is, where its content does not.
        data: its bytes, where they are known.

    Raises:
        DataError: it cannot be read, is too large, holds only pictures of pages, or is not UTF-8.
    """
    from legalir.errors import DataError
    from legalir.statutes.reading.plain_text import decoded, rejoined
    from legalir.statutes.sources import docx, html, pdf

    if data is None:
        try:
            data = path.read_bytes() if path.stat().st_size <= _LARGEST else b"\0" * (_LARGEST + 1)
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    if len(data) > _LARGEST:
        raise DataError(f"{path.name} has more than {_LARGEST / 2**20:.0f} MB: split it.")
    if data.lstrip().startswith(b"%PDF"):
        return "\n".join(rejoined(pdf.lines_of(path.name, data)[0]))
    if data.startswith(b"PK"):
        return "\n".join(docx.lines_of(path.name, data))
    if data.startswith((b"\xd0\xcf\x11\xe0", b"{\\rtf")):
        raise DataError(f"{path.name} is not a .docx file: save it as .docx or PDF.")
    head = data[:4096].lower()
    if path.suffix.lower() in (".html", ".htm", ".xhtml") or b"<html" in head or b"<!doctype html" in head:
        return "\n".join(html.lines_of(path.name, data))
    try:
        text = decoded(data, path.name, None)
    except DataError:
        raise DataError(f"{path.name} is not UTF-8: save it as UTF-8.") from None
    if "\0" in text:
        raise DataError(f"{path.name} is not text: give plain text, Markdown, HTML, .docx or PDF.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _LINK.sub(r"\1", text) if path.suffix.lower() in (".md", ".markdown") else text
