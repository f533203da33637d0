"""``legalir plugins``: which components there are, what one takes, and whether it keeps the contract."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from legalir import plugins
from legalir.cli import new_plugin
from legalir.cli.plugin_facts import facts_of
from legalir.cli.plugin_tables import all_ok, cannot_be_made, print_disputes, print_facts, print_outcomes, table
from legalir.cli.printing import AsJson, print_json
from legalir.cli.search import printable
from legalir.errors import ComponentError, LegalIRError, PluginError, suggestion
from legalir.plugins import ROLES, Overview, PluginEntry

if TYPE_CHECKING:
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

The exit code is 1 where a check failed, and 2 where a parameter is wrong, so that a script can stop there.
"""


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
    console.print(table(("name", "role", "package", "version", "state"), [_row(one) for one in found], "state"))
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
    disputes = _disputes(facts.entry for facts in shown)
    if as_json:
        rows = [facts.entry._asdict() | facts.to_dict() for facts in shown]
        print_json([row | {"dispute": disputes.get(facts.entry)} for row, facts in zip(rows, shown, strict=True)])
    else:
        for position, facts in enumerate(shown):
            print_facts(facts, first=position == 0)
        print_disputes(disputes)
    if faults:
        raise faults[0]


def _disputes(entries: Iterable[PluginEntry]) -> dict[PluginEntry, str]:
    """Return why no expression can name which entries: packages may claim one name in several roles."""
    found = {one.entry: one.problem for one in plugins.overview() if one.state == "disputed"}
    return {entry: found[entry] for entry in entries if entry in found}


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
    from legalir.testing.subject import Subject

    name = spec.partition("(")[0].strip()
    found: dict[str, list[Outcome]] = {}
    refused: dict[str, LegalIRError] = {}
    for one in _roles(name, role):
        with Console(stderr=True).status(f"Checking the {one} {name} …"):
            found[one] = testing.check(one, spec)
            if cannot_be_made(found[one]) and (refusal := Subject(one, spec).refusal) is not None:
                refused[one] = refusal
    if as_json:
        print_json([_report(one, spec, outcomes) for one, outcomes in found.items()])
    else:
        told = [one for one in found if one not in refused]
        for position, one in enumerate(told):
            print_outcomes(one, spec, found[one], first=position == 0)
    for refusal in refused.values():
        raise refusal  # A wrong parameter is a misuse, as in a search.
    if not all(map(all_ok, found.values())):
        raise typer.Exit(1)


def _report(role: str, spec: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    checks = [outcome._asdict() for outcome in outcomes]
    return {"role": role, "spec": spec, "ok": all_ok(outcomes), "checks": checks}


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
