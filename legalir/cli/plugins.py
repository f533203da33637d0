"""``legalir plugins``: which components there are, what one takes, and whether it keeps the contract.

What there is to say about one component: its docs, its parameters, and an example that fits its role.

What ``legalir plugins`` prints: tables of components, of one component's facts, and of outcomes of checks.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from legalir import plugins
from legalir.cli import new_plugin
from legalir.cli.printing import AsJson, print_json, printable
from legalir.errors import ComponentError, ExpressionError, LegalIRError, PluginError, suggestion
from legalir.plugins import PIPELINE_ROLES, ROLES, Overview, Parameter, PluginEntry

if TYPE_CHECKING:
    from rich.table import Table

    from legalir.testing import Outcome

__all__ = [
    "Facts",
    "all_ok",
    "app",
    "cannot_be_made",
    "facts_of",
    "print_disputes",
    "print_facts",
    "print_outcomes",
    "table",
]

_FIRST_STAGES = ("bm25", "lsa", "tfidf")


class Facts(NamedTuple):
    """One component, for a reader.

    Attributes:
        entry: the entry.
        about: the first paragraph of its docs, or nothing.
        parameters: what it takes.
        example: an expression, or for a source a command, that uses it.
    """

    entry: PluginEntry
    about: str
    parameters: list[Parameter]
    example: str

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values of all but the entry."""
        return {
            "about": self.about,
            "parameters": [one._asdict() for one in self.parameters],
            "example": self.example,
        }

    def written(self, parameter: Parameter) -> str:
        """Return a parameter's name as it is declared."""
        return {"pipelines": "*", "any": "**"}.get(parameter.kind, "") + parameter.name

    def given(self, parameter: Parameter) -> str:
        """Return a parameter's default, or what has to be given."""
        if parameter.default is not None:
            return parameter.default
        if parameter.kind == "any":
            return "(any names)"
        is_pipeline = parameter.kind != "named" and self.entry.role in PIPELINE_ROLES
        return ("(pipelines)" if parameter.kind == "pipelines" else "(a pipeline)") if is_pipeline else "(required)"


def facts_of(entry: PluginEntry, factory: object) -> Facts:
    """Read the facts of an entry from its factory."""
    found = plugins.parameters(factory)
    text = inspect.getdoc(factory) or ""
    return Facts(entry, plugins.summary(factory), found, _documented(entry, text) or _made_up(entry, found))


def _documented(entry: PluginEntry, text: str) -> str | None:
    """Return the first piece of code in the docs that is an expression with the component in it."""
    from legalir import pipeline

    for code in re.findall(r"``(.+?)``", " ".join(text.split())):
        alone = code == entry.name and entry.role != "retriever"
        if alone or not re.search(rf"\b{re.escape(entry.name)}[0-9]*\b", code):
            continue
        try:
            used = pipeline.names(code)
        except ExpressionError:
            continue
        if (entry.name in used) == (entry.role in PIPELINE_ROLES):
            return str(code)
        if entry.role not in PIPELINE_ROLES and used == {entry.name}:
            return ROLES[entry.role].example(code)
    return None


def _made_up(entry: PluginEntry, parameters: list[Parameter]) -> str:
    """Return an example that fits the role; what has to be given stands as ``...``."""
    takes = entry.role in PIPELINE_ROLES
    nested = sum(1 for one in parameters if takes and one.kind == "pipeline" and one.default is None)
    if takes and any(one.kind == "pipelines" for one in parameters):
        nested = max(nested, 2)
    needed = [
        f"{one.name}=..."
        for one in parameters
        if one.default is None and (one.kind == "named" or (one.kind == "pipeline" and not takes))
    ]
    inside = ", ".join([*(_FIRST_STAGES[i % len(_FIRST_STAGES)] for i in range(nested)), *needed])
    return ROLES[entry.role].example(f"{entry.name}({inside})" if inside else entry.name)


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
    wanted = tuple(ROLES) if role is None else (role,)
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
