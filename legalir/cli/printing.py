"""Options ``--json`` (with its writer) and ``--executor``, and output shared by several commands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rich.console import Console
    from rich.table import Table

    from legalir.collection.collection import Collection
    from legalir.statutes.versions.difference import Difference

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
    table.add_column(style="bold")  # A name of many words is wrapped rather than leave no room for its value.
    table.add_column(ratio=1, overflow="fold", min_width=16)
    for name, value in rows.items():
        if value not in (None, ""):
            table.add_row(name, Text(str(value).strip()))
    return table


def default_facts(collection: Collection) -> dict[str, object]:
    """Return what ``default`` does on a collection: its ``expression``, and ``reasons`` with a reason for each part."""
    from legalir.pipeline.default import fit_default

    fitted = fit_default(collection)
    return {"expression": fitted.settings.expression(), "reasons": fitted.reasons}


def print_default(console: Console, facts: Mapping[str, object]) -> None:
    """Print the result of :func:`default_facts`."""
    console.print(str(facts["expression"]), style="cyan", markup=False, highlight=False, soft_wrap=True)
    reasons = facts["reasons"]
    assert isinstance(reasons, dict)
    console.print(facts_table(reasons))


_LONG = 160
"""Number of characters of common words that are shown whole between two changes, where words may be left out."""


def print_differences(changes: Sequence[Difference], beneath: Sequence[Sequence[str]] | None = None) -> None:
    """Print differences between two days, word by word, and how many there are of each kind.

    Args:
        changes: the differences.
        beneath: lines below each; where there are some, long runs of common words are shortened. None: no lines.
    """
    from collections import Counter

    from rich.console import Console
    from rich.text import Text

    from legalir.statutes.versions.difference_page import docnos, titles

    console = Console()
    styles = {"same": "", "removed": "red strike", "added": "green"}
    marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    for place, change in enumerate(changes):
        console.print(Text(f"{change.kind}: ", "bold") + Text(titles(change), "bold"), soft_wrap=True)
        console.print(Text(docnos(change), "dim"), soft_wrap=True)
        text = Text()
        for part in change.parts:
            words = part.text
            if beneath is not None and len(words) > _LONG and (part.kind == "same" or len(change.parts) == 1):
                words = f"{words[: _LONG // 2]} … {words[-_LONG // 2 :]}"
            text.append(words if console.is_terminal else marks[part.kind].format(words), styles[part.kind])
        console.print(text, soft_wrap=True)
        for line in beneath[place] if beneath is not None else ():
            console.print(Text(f"  {printable(line)}", "dim"), soft_wrap=True)
        console.print()
    counts = Counter(change.kind for change in changes)
    console.print(", ".join(f"{count} {kind}" for kind, count in counts.items()) or "Nothing changed.")
