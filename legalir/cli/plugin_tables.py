"""What ``legalir plugins`` prints: tables of components, of one component's facts, and of outcomes of checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from legalir.cli.plugin_facts import Facts
from legalir.cli.search import printable
from legalir.plugins import PluginEntry

if TYPE_CHECKING:
    from rich.table import Table

    from legalir.testing import Outcome

__all__ = ["all_ok", "cannot_be_made", "print_disputes", "print_facts", "print_outcomes", "table"]

_STYLES = {
    "loads": "green",
    "passed": "green",
    "expected failure": "yellow",
    "broken": "red",
    "disputed": "red",
    "other contract": "red",
    "failed": "red",
    "unexpected pass": "red",
    "disabled": "dim",
}
"""Colours of states and outcomes."""


def print_disputes(disputes: Mapping[PluginEntry, str]) -> None:
    """Print why expressions refuse a name, once each."""
    from rich.console import Console

    for dispute in dict.fromkeys(disputes.values()):
        message = f"\nNo expression can use it: {printable(dispute)}"
        Console(highlight=False).print(message, style="red", markup=False, soft_wrap=True)


def print_facts(facts: Facts, first: bool) -> None:
    """Print what a component is, an example of it, and its parameters."""
    from rich.console import Console
    from rich.text import Text

    console, entry = Console(highlight=False), facts.entry
    if not first:
        console.print()
    console.print(Text(entry.name, "bold"), Text(entry.role, "dim"))
    if facts.about:
        console.print(Text(_plain(facts.about)))
    rows = [("package", f"{entry.package} {entry.version}"), ("module", entry.value), ("example", facts.example)]
    console.print()
    console.print(table(("", ""), rows))
    if not facts.parameters:
        console.print("\nIt takes no parameters.")
        return
    console.print()
    lines = [(facts.written(one), facts.given(one), _plain(one.doc)) for one in facts.parameters]
    console.print(table(("parameter", "default", "meaning"), lines))


def _plain(docs: str) -> str:
    """Return docs without the marks of code, which mean nothing to a reader."""
    return printable(docs).replace("``", "`")


def cannot_be_made(outcomes: Sequence[Outcome]) -> bool:
    """Return whether the component was never made, so that nothing of it was checked."""
    first, *others = outcomes
    return first.status == "failed" and all(one.status == "not applicable" for one in others)


def all_ok(outcomes: Sequence[Outcome]) -> bool:
    """Return whether nothing has to be repaired."""
    return all(outcome.ok for outcome in outcomes)


def print_outcomes(role: str, spec: str, outcomes: Sequence[Outcome], first: bool) -> None:
    """Print a row for each check, and how many came to what."""
    from collections import Counter

    from rich.console import Console

    console = Console(highlight=False)
    if not first:
        console.print()
    shown = outcomes[:1] if cannot_be_made(outcomes) else outcomes
    told_before: set[str] = set()
    rows = []
    for outcome in shown:
        again = outcome.message and outcome.message in told_before
        rows.append((outcome.check, outcome.status, "as above" if again else outcome.message))
        told_before.add(outcome.message)
    console.print(table(("check", "outcome", ""), rows, "outcome"))
    if len(shown) < len(outcomes):
        console.print(f"\n{len(outcomes) - len(shown)} further checks need a component that can be made.")
    counts = Counter(outcome.status for outcome in outcomes)
    told = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    style = "green" if all_ok(outcomes) else "red"
    console.print(f"\nThe {role} {spec}: {told}.", style=style, markup=False, soft_wrap=True)


def table(names: Sequence[str], rows: Sequence[Sequence[str]], styled: str = "") -> Table:
    """Return a table whose last column wraps; what stands in the column `styled` is coloured by its meaning."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, show_header=any(names), padding=(0, 1), pad_edge=False)
    for name in names:
        made.add_column(name, no_wrap=name != names[-1], overflow="fold", style="" if any(names) else None)
    for row in rows:
        cells = zip(names, row, strict=True)
        made.add_row(*(Text(printable(cell), _STYLES.get(cell, "") if name == styled else "") for name, cell in cells))
    return made
