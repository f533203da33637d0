"""``legalir impact``: what changed between two days, who cites it, and which passages of documents do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from legalir.cli.printing import AsJson, print_differences, print_json, printable
from legalir.cli.verify import text_of

EXAMPLES = """Examples:

  legalir impact --collection legalir/firecode-dated --from 2022-01-01 --to 2024-02-01

  legalir impact --collection my-laws/ --from 2024-01-01 brief.docx contract.pdf --html impact.html

  legalir impact --collection my-laws/ --from 2024-01-01 --to 2024-07-01 --law "Harbour Act" --json

The command ends with 1 if a document cites what changed, or may do so; with --strict, also if one of its
citations is undecided.
"""

app = typer.Typer()


@app.command(epilog=EXAMPLES)
def impact(
    collection: Annotated[str, typer.Option("--collection", "-c", help="Dataset id, or path of a folder: the law.")],
    start: Annotated[str, typer.Option("--from", help="The first day, such as 2024-01-01.")],
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DOCUMENTS]",
            help="Text, Markdown, HTML, .docx or PDF; - for text from standard input.",
            show_default=False,
        ),
    ] = None,
    end: Annotated[str, typer.Option("--to", help="The second day.")] = "today",
    law: Annotated[
        str, typer.Option("--law", help="Name or identifier of a law; only its changes are shown.", show_default=False)
    ] = "",
    html: Annotated[Path | None, typer.Option("--html", help="Write an HTML page.", show_default=False)] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with 1, too, if it is undecided what a citation means.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show which provisions changed between two days, which provisions cite them, and which passages of DOCUMENTS do.

    Each change has its difference, word by word. Citations in documents are read as verify reads them, as of both days.
    """
    from legalir.collection.collection import Collection
    from legalir.storage.files import atomic_file
    from legalir.verify.impact import asides, impact_page, told

    files = {"Standard input" if file == "-" else file: file for file in documents or ()}
    texts = {
        name: text_of(Path("standard input"), sys.stdin.buffer.read()) if file == "-" else text_of(Path(file))
        for name, file in files.items()
    }
    opened = Collection(collection)
    found = opened.impact(start, end, texts, law=law)
    if html is not None:
        with atomic_file(html) as out:
            out.write(impact_page(opened.source.about.title or opened.id, found))
        typer.echo(f"Page: {html}", err=True)
    if as_json:
        print_json(found.to_dict())
    else:
        lines = [
            [
                f"cited by ({one.kind or 'link'}): {one.title or one.docno}  {one.docno}"
                + ("" if one.in_force else f", no longer in force on {found.end}")
                + ("" if one.concern == "changed" else f", {one.concern}")
                for one in citing
            ]
            for citing in found.citing
        ]
        print_differences(found.changes, lines)
        for sentence in asides(found):
            typer.echo(printable(sentence))
        for name, passages in found.documents.items():
            for one in passages:
                of = ", ".join(one.docnos) if one.concern != "whole law" else ""
                state = f"{one.concern} ({one.day})" if one.concern == "names a day" else one.concern
                words = " ".join((one.reason if one.state == "right" else f"{one.state}. {one.reason}").split())
                row = (f"{name}:{one.line}:{one.column}", state, " ".join(one.words.split()), of, words)
                typer.echo("\t".join(map(printable, row)).rstrip())
        if texts:
            typer.echo(told(found))
    if found.count("changed", "part unclear", *(("undecided",) if strict else ())):
        raise typer.Exit(1)
