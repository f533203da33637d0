"""Options ``--json`` (with its writer) and ``--executor``, and output shared by several commands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rich.console import Console
    from rich.table import Table

    from legalir.collection.collection import Collection

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
"""The option of every command that prints rows or facts."""

Workers = Annotated[
    str | None,
    typer.Option(
        "--executor", help="Executor for long-running work, such as processes(workers=8).", show_default="itself"
    ),
]
"""The option of every command with long work that workers can share."""


@contextmanager
def working(executor: str | None) -> Iterator[Executor | None]:
    """Yield the executor that `spec` names, and shut it down at the end; None for None.

    Raises:
        PluginError: there is no such executor, or it cannot be made.
    """
    if executor is None:
        yield None
        return
    from legalir import plugins

    made = plugins.make("executor", executor, None)
    with cast("Executor", made) as workers:
        yield workers


def print_json(value: object) -> None:
    """Print `value` as one JSON document, indented, with non-ASCII characters as they are."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=1))


def printable(text: str) -> str:
    """Return `text` without terminal control characters, because the text of a statute is not trusted."""
    return "".join(character if character.isprintable() else " " for character in text).strip()


def facts_table(rows: Mapping[str, object]) -> Table:
    """Return a table of names and values, without values that are None or empty."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for name, value in rows.items():
        if value not in (None, ""):
            table.add_row(name, Text(str(value).strip()))
    return table


def default_facts(collection: Collection) -> dict[str, object]:
    """Return what ``default`` does on a collection: its ``expression``, and ``reasons`` with a reason for each part."""
    from legalir.pipeline.default import fit_default

    settings, reasons = fit_default(collection)
    return {"expression": settings.expression(), "reasons": reasons}


def print_default(console: Console, facts: Mapping[str, object]) -> None:
    """Print the result of :func:`default_facts`."""
    console.print(str(facts["expression"]), style="cyan", markup=False, highlight=False, soft_wrap=True)
    reasons = facts["reasons"]
    assert isinstance(reasons, dict)
    console.print(facts_table(reasons))
