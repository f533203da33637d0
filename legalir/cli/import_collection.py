"""``legalir datasets import``: from wherever provisions come from to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, facts_table, print_json

if TYPE_CHECKING:
    from legalir.corpus import ImportReport

__all__ = ["EXAMPLES", "import_collection"]

EXAMPLES = """Examples:

  legalir datasets import 'table(path="provisions.csv")' my-statutes/

  legalir datasets import 'table(path="laws.tsv", docno="id", text="body", links="cites.tsv")' my-statutes/

  legalir datasets import 'table(path="provisions.jsonl")' my-statutes/ --replace --licence CC0 --lang ko

Then: legalir datasets check my-statutes/, and legalir search my-statutes/ "question".

legalir plugins show table says what a table may be like; plugins bring other sources.
"""


def import_collection(
    source: Annotated[str, typer.Argument(help="A source with its parameters, in quotes.", show_default=False)],
    folder: Annotated[Path, typer.Argument(help="Where to: not there yet, or empty.", show_default=False)],
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Replace the provisions and links of a folder that is there; all else in it is kept."
        ),
    ] = False,
    title: Annotated[str | None, typer.Option(help="Name of the collection.", show_default=False)] = None,
    licence: Annotated[str | None, typer.Option(help="Terms of use.", show_default=False)] = None,
    lang: Annotated[
        str | None, typer.Option(help="Language of the provisions, such as ko.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the provisions and links of SOURCE to FOLDER, where every other command reads them.

    All is checked on the way, and FOLDER appears whole or not at all.
    """
    from legalir.corpus import write_collection

    given = {"title": title, "licence": licence, "lang": lang}
    about = {name: value for name, value in given.items() if value is not None}
    report = write_collection(source, folder, replace=replace, about=about)
    if as_json:
        print_json(report.to_dict() | {"warnings": report.warnings()})
    else:
        _print_report(report)


def _print_report(report: ImportReport) -> None:
    from rich.console import Console

    console = Console()
    rows: dict[str, object] = {
        "folder": report.folder,
        "provisions": report.provisions,
        "without title": report.untitled or None,
        "links": ", ".join(f"{count} {kind or '(no kind)'}" for kind, count in report.links.most_common()),
        "kept": ", ".join(report.kept),
    }
    console.print(facts_table(rows))
    for warning in report.warnings():
        console.print("[yellow]warning:[/yellow]", end=" ")
        console.print(warning, markup=False, highlight=False, soft_wrap=True)
