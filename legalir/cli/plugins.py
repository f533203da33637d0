"""``legalir plugins``: which components there are, what one takes, and whether it keeps the contract."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from legalir import plugins
from legalir.cli import new_plugin
from legalir.cli.plugin_facts import Facts, facts_of
from legalir.cli.printing import AsJson, print_json
from legalir.cli.search import printable
from legalir.errors import ComponentError, PluginError, suggestion
from legalir.plugins import ROLES, Overview

if TYPE_CHECKING:
    from rich.table import Table

    from legalir.testing import Outcome

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="List, show, check and start components, of legalir and of others.")
app.command("new", epilog=new_plugin.EXAMPLES)(new_plugin.new)

_LIST = """Examples:

  legalir plugins list

  legalir plugins list --load --role retriever

  legalir plugins list --json

Without --load nothing is imported. A plugin that is broken is shown with its cause, and the exit code is still 0.
"""
_SHOW = """Examples:

  legalir plugins show bm25

  legalir plugins show lsa --role encoder --json
"""
_CHECK = """Examples:

  legalir plugins check bm25

  legalir plugins check 'jamo(n=4)'

  legalir plugins check lsa --role encoder --json

The exit code is 1 where a check failed, so that a script can stop there.
"""
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


def _role(role: str | None) -> str | None:
    if role is not None and role not in ROLES:
        raise typer.BadParameter(f"there is no role {role!r}.{suggestion(role, ROLES)} Roles: {', '.join(ROLES)}.")
    return role


OneRole = Annotated[
    str | None, typer.Option("--role", "-r", help="Only this role.", show_default=False, callback=_role)
]


@app.command("list", epilog=_LIST)
def list_(
    load: Annotated[bool, typer.Option("--load", help="Import each one, and say which ones cannot be.")] = False,
    role: OneRole = None,
    as_json: AsJson = False,
) -> None:
    """List every component that is installed, with its package and its state."""
    found = plugins.overview(role, load)
    problems = list(dict.fromkeys([*(one.problem for one in found if one.problem), *plugins.problems()]))
    if as_json:
        rows = [one.entry._asdict() | {"state": one.state, "problem": one.problem or None} for one in found]
        print_json({"plugins": rows, "problems": problems})
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_table(("name", "role", "package", "version", "state"), [_row(one) for one in found], "state"))
    if problems:
        console.print()
    for problem in problems:
        console.print(printable(problem), style="red", markup=False, soft_wrap=True)


def _row(one: Overview) -> tuple[str, ...]:
    entry = one.entry
    return entry.name, entry.role, entry.package, entry.version, one.state


@app.command(epilog=_SHOW)
def show(
    name: Annotated[str, typer.Argument(help="A component's name.", show_default=False)],
    role: OneRole = None,
    as_json: AsJson = False,
) -> None:
    """Show what NAME is, what it takes, and how it is used; in each role that has one of this name."""
    shown, faults = [], []
    for one in _roles(name, role):
        try:
            entry = plugins.resolve(name, (one,))
            shown.append(facts_of(entry, plugins.load_entry(entry)))
        except PluginError as error:
            faults.append(error)
    if as_json:
        print_json([facts.entry._asdict() | facts.to_dict() for facts in shown])
    else:
        for position, facts in enumerate(shown):
            _print_facts(facts, first=position == 0)
    if faults:
        raise faults[0]


def _print_facts(facts: Facts, first: bool) -> None:
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
    console.print(_table(("", ""), rows))
    if not facts.parameters:
        console.print("\nIt takes no parameters.")
        return
    console.print()
    lines = [(facts.written(one), facts.given(one), _plain(one.doc)) for one in facts.parameters]
    console.print(_table(("parameter", "default", "meaning"), lines))


def _plain(docs: str) -> str:
    """Return docs without the marks of code, which mean nothing to a reader."""
    return printable(docs).replace("``", "`")


@app.command(epilog=_CHECK)
def check(
    spec: Annotated[
        str, typer.Argument(help="A component's name, or a call of it with parameters.", show_default=False)
    ],
    role: OneRole = None,
    as_json: AsJson = False,
) -> None:
    """Run the conformance kit on SPEC, in each role that has one of this name."""
    from rich.console import Console

    from legalir import testing

    name = spec.partition("(")[0].strip()
    found: dict[str, list[Outcome]] = {}
    for one in _roles(name, role):
        with Console(stderr=True).status(f"Checking the {one} {name} …"):
            found[one] = testing.check(one, spec)
    if as_json:
        print_json(
            [
                {"role": one, "spec": spec, "ok": _ok(outcomes), "checks": [outcome._asdict() for outcome in outcomes]}
                for one, outcomes in found.items()
            ]
        )
    else:
        for position, (one, outcomes) in enumerate(found.items()):
            _print_outcomes(one, spec, outcomes, first=position == 0)
    if not all(map(_ok, found.values())):
        raise typer.Exit(1)


def _ok(outcomes: Sequence[Outcome]) -> bool:
    return all(outcome.ok for outcome in outcomes)


def _print_outcomes(role: str, spec: str, outcomes: Sequence[Outcome], first: bool) -> None:
    from collections import Counter

    from rich.console import Console

    console = Console(highlight=False)
    if not first:
        console.print()
    told_before: set[str] = set()
    rows = []
    for outcome in outcomes:
        again = outcome.message and outcome.message in told_before
        rows.append((outcome.check, outcome.status, "as above" if again else outcome.message))
        told_before.add(outcome.message)
    console.print(_table(("check", "outcome", ""), rows, "outcome"))
    counts = Counter(outcome.status for outcome in outcomes)
    told = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    style = "green" if _ok(outcomes) else "red"
    console.print(f"\nThe {role} {spec}: {told}.", style=style, markup=False, soft_wrap=True)


def _roles(name: str, role: str | None) -> list[str]:
    """Return the roles in which there is a `name`, be it broken.

    Raises:
        ComponentError: there is none.
    """
    wanted = ROLES if role is None else (role,)
    found = [one for one in wanted if plugins.is_installed(name, (one,))]
    numbered = re.fullmatch(r"(\D+)[0-9]{1,3}", name)
    if not found and numbered and "analyzer" in wanted and plugins.is_installed(numbered[1], ("analyzer",)):
        return ["analyzer"]
    if not found:
        try:
            plugins.resolve(name, wanted)
        except PluginError as error:
            raise ComponentError(str(error)) from None
    return found


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], styled: str = "") -> Table:
    """Return a table whose last column wraps; what stands in the column `styled` is coloured by its meaning."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=any(names), padding=(0, 1), pad_edge=False)
    for name in names:
        table.add_column(name, no_wrap=name != names[-1], overflow="fold", style="" if any(names) else None)
    for row in rows:
        cells = zip(names, row, strict=True)
        table.add_row(*(Text(printable(cell), _STYLES.get(cell, "") if name == styled else "") for name, cell in cells))
    return table
