"""A provision that a question is the citation of, printed whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from legalir.cli.printing import printable

if TYPE_CHECKING:
    from legalir.collection.collection import Collection
    from legalir.verify import Checked


def open_cited(collections: Sequence[Collection], query: str, as_of: str | None) -> bool:
    """Print the provision that a question is the citation of, or why there is none; return True if it was printed."""
    from legalir.collection.several import find

    known = find(collections, query, as_of=as_of)
    opened = [(one, found) for one, found in known if found.shows]
    for one, found in opened if len(opened) == 1 else []:
        _print_provision(one, found)
        typer.echo(
            "\nThe question is a citation: nothing else was searched. To search, add --pipeline 'default % 100'."
        )
    for one, found in known if len(opened) != 1 else []:
        _print_undecided(one, found, len(collections) > 1)
    return len(opened) == 1


def _print_provision(collection: Collection, found: Checked) -> None:
    from rich.console import Console
    from rich.text import Text

    console, docno = Console(highlight=False), found.shows
    record = collection.provisions([docno])[docno]
    console.print(Text.assemble((printable(record.title or docno), "bold"), (f"  {docno}", "dim")))
    days = [f"in force from {record.effective_from}"] if record.effective_from else []
    days += [f"to the day before {record.effective_to}"] if record.effective_to else []
    facts = [each for each in (printable(record.law), record.level, " ".join(days), record.url) if each]
    console.print(Text(" · ".join(facts), style="dim"))
    if found.state != "right" or found.reason:
        console.print(Text(printable(f"{found.state}: {found.reason}" if found.state != "right" else found.reason)))
    console.print()
    for line in record.text.splitlines():
        console.print(Text("".join(sign if sign.isprintable() else " " for sign in line)))
    if names := _carried_out_by(collection, docno):
        console.print(Text(f"\nCarried out by {'; '.join(names)}", style="dim"))


_MOST = 5


def _carried_out_by(collection: Collection, docno: str) -> list[str]:
    """Return the titles of the provisions of a lower level of the same statute that cite a provision."""
    from legalir.graph.laws import statute_of

    if collection.source.folder.links is None:
        return []
    citing = [str(one) for one in collection.graph.cited_by(docno)]
    records = collection.provisions([docno, *citing])
    own = records[docno]
    lower = [
        records[one].title or one
        for one in citing
        if one in records and records[one].law != own.law and statute_of(records[one].law) == statute_of(own.law)
    ]
    return [printable(one) for one in lower[:_MOST]] + ([f"{len(lower) - _MOST} more"] if len(lower) > _MOST else [])


def _print_undecided(collection: Collection, found: Checked, several: bool) -> None:
    where = f" ({collection.id})" if several else ""
    typer.echo(f"{found.state}{where}: {printable(found.reason) or printable(found.words)}")
    titles = collection.provisions(found.docnos or found.nearest)
    for one in (found.docnos or found.nearest)[:_MOST]:
        name = titles[one].title if one in titles else ""
        typer.echo(f"  {printable(name)}  {one}" if name else f"  {printable(one)}")
