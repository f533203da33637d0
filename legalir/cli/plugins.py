"""``legalir plugins``: list components, show their parameters, check that they follow the contract, and create one.

The files of a new package come from ``templates/``: ``package/`` contains the files of every package; the folder of
each role contains the component, its tests and the README section that shows its use. Placeholders such as ``$name``
are filled in.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import keyword
import re
import sys
from collections import Counter
from collections.abc import Sequence
from importlib import metadata, resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from legalir import __version__, plugins
from legalir.cli.main import command_summary
from legalir.cli.printing import AsJson, print_json, printable
from legalir.contract import (
    COMPONENT_ROLES,
    PIPELINE_ROLES,
    RESERVED,
    ROLES,
    Factory,
    PluginEntry,
    Signature,
    takes_pipeline,
)
from legalir.declared import Declared, fields
from legalir.errors import ComponentError, ExpressionError, LegalIRError, PluginError, suggestion
from legalir.spec import read_component
from legalir.storage.files import atomic_directory

if TYPE_CHECKING:
    from rich.table import Table

    from legalir.testing import Outcome


app = typer.Typer(no_args_is_help=True, help="List, show, check and create components.")

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

The exit code is 1 if a check failed, and 2 if a parameter is wrong, so that a script can stop there.
"""


State = Literal["installed", "loads", "broken", "disputed", "disabled"]


class Status(NamedTuple):
    """One entry and its state.

    Attributes:
        entry: the entry.
        state: ``installed`` (its metadata is right), ``loads`` (it was imported), ``broken``, ``disputed`` (another
            package claims its name), or ``disabled``.
        problem: a sentence that says what is wrong, or an empty string.
    """

    entry: PluginEntry
    state: State
    problem: str = ""


def statuses(role: str | None = None, load: bool = False) -> list[Status]:
    """Return the state of each installed entry, usable or not, by role and name.

    Args:
        role: one of :data:`legalir.contract.ROLES`, or None for all.
        load: import the objects that the entries name; otherwise nothing is imported.
    """
    usable = plugins.entries()
    return [_status(entry, usable, load) for entry in plugins.installed() if role in (None, entry.role)]


def _status(entry: PluginEntry, usable: Sequence[PluginEntry], load: bool) -> Status:
    if entry.package in plugins.disabled_packages():
        return Status(entry, "disabled")
    if (fault := plugins.entry_fault(entry)) is not None:
        return Status(entry, "broken", fault)
    # All components of pipeline expressions share one set of names.
    roles = PIPELINE_ROLES if entry.role in PIPELINE_ROLES else (entry.role,)
    claims = [other for other in usable if other.name == entry.name and other.role in roles]
    if len(claims) > 1:
        return Status(entry, "disputed", plugins.conflict(claims))
    if not load:
        return Status(entry, "installed")
    try:
        plugins.load(entry)
    except PluginError as error:
        return Status(entry, "broken", str(error))
    return Status(entry, "loads")


def problems(listed: Sequence[Status]) -> list[str]:
    """Return a sentence for each problem of the entries and of ``LEGALIR_DISABLE_PLUGINS``."""
    packages = {entry.package for entry in plugins.installed()}
    unused = [name for package, name in plugins.disabled_packages().items() if package not in packages]
    return [
        *dict.fromkeys(one.problem for one in listed if one.problem),
        *(
            f"LEGALIR_DISABLE_PLUGINS names {name!r}, which is not an installed package with plugins."
            for name in unused
        ),
    ]


def _role(role: str | None) -> str | None:
    if role is not None and role not in ROLES:
        raise typer.BadParameter(f"there is no role {role!r}.{suggestion(role, ROLES)} Roles: {', '.join(ROLES)}.")
    return role


OneRole = Annotated[
    str | None, typer.Option("--role", "-r", help="List only this role.", show_default=False, callback=_role)
]


@app.command("list", epilog=_LIST)
def list_(
    load: Annotated[bool, typer.Option("--load", help="Import every plugin and report failures.")] = False,
    role: OneRole = None,
    as_json: AsJson = False,
) -> None:
    """List all installed components, commands and measures, with their package and state."""
    listed = statuses(role, load)
    sentences = problems(listed)
    if as_json:
        rows = [one.entry._asdict() | {"state": one.state, "problem": one.problem or None} for one in listed]
        print_json({"plugins": rows, "problems": sentences})
        return
    from rich.console import Console

    console = Console(highlight=False)
    cells = [(one.entry.name, one.entry.role, one.entry.package, one.entry.version, one.state) for one in listed]
    console.print(_table(("name", "role", "package", "version", "state"), cells, "state"))
    if sentences:
        console.print()
    for sentence in sentences:
        console.print(printable(sentence), style="red", markup=False, soft_wrap=True)


@app.command(epilog=_SHOW)
def show(
    name: Annotated[str, typer.Argument(help="Name of a component.", show_default=False)],
    role: OneRole = None,
    as_json: AsJson = False,
) -> None:
    """Show the description, parameters and an example of NAME, for each role that has a component of this name."""
    shown, errors = [], []
    for one in _roles(name, role, tuple(ROLES)):
        try:
            shown.append(_facts_of(plugins.load(plugins.resolve(name, (one,)))))
        except PluginError as error:
            errors.append(error)
    disputes = {one.entry: one.problem for one in statuses() if one.state == "disputed"}
    if as_json:
        print_json([facts.to_dict() | {"dispute": disputes.get(facts.entry)} for facts in shown])
    else:
        for position, facts in enumerate(shown):
            _print_facts(facts, first=position == 0)
        _print_disputes(list(dict.fromkeys(disputes[facts.entry] for facts in shown if facts.entry in disputes)))
    if errors:
        raise errors[0]


@app.command(epilog=_CHECK)
def check(
    spec: Annotated[str, typer.Argument(help="Name of a component, or a call with parameters.", show_default=False)],
    role: OneRole = None,
    as_json: AsJson = False,
) -> None:
    """Run the conformance kit on SPEC, for each role that has a component of this name."""
    from rich.console import Console

    from legalir import testing
    from legalir.testing.sandbox import ComponentUnderTest

    name = read_component(spec).name
    outcomes: dict[str, list[Outcome]] = {}
    refusals: dict[str, LegalIRError] = {}
    for one in _roles(name, role, COMPONENT_ROLES):
        with Console(stderr=True).status(f"Checking the {one} {name} …"):
            outcomes[one] = testing.check(one, spec)
            if _was_never_made(outcomes[one]) and (refusal := ComponentUnderTest(one, spec).refusal) is not None:
                refusals[one] = refusal
    if as_json:
        print_json([_report(one, spec, found) for one, found in outcomes.items()])
    else:
        for position, one in enumerate([one for one in outcomes if one not in refusals]):
            _print_outcomes(one, spec, outcomes[one], first=position == 0)
    for refusal in refusals.values():
        raise refusal  # A wrong parameter is a misuse, as in a search.
    if not all(map(_all_ok, outcomes.values())):
        raise typer.Exit(1)


def _roles(name: str, role: str | None, among: Sequence[str]) -> list[str]:
    """Return the roles that have a component called `name`, broken or not.

    Raises:
        ComponentError: no role has a component of this name.
    """
    wanted = tuple(one for one in among if role in (None, one))
    if not wanted:
        raise ComponentError(f"The conformance kit checks components, and a {role} is not one.")
    roles = [one for one in wanted if plugins.is_installed(name, (one,))]
    numbered = re.fullmatch(r"(\D+)[0-9]{1,3}", name)
    if not roles and numbered and "analyzer" in wanted and plugins.is_installed(numbered[1], ("analyzer",)):
        return ["analyzer"]
    if not roles:
        others = [one for one in plugins.ROLES if one not in among]
        if role is None and (other := [one for one in others if plugins.is_installed(name, (one,))]):
            raise ComponentError(
                f"{name!r} has the role {other[0]!r}, and the conformance kit checks components alone."
            )
        try:
            plugins.resolve(name, wanted)
        except PluginError as error:
            raise ComponentError(str(error)) from None
    return roles


Kind = Literal["named", "pipeline", "pipelines", "any"]


class Parameter(NamedTuple):
    """A parameter of a factory, as shown to a user.

    Attributes:
        name: as declared.
        default: the default as Python writes it; None if a value must be given.
        doc: one line from a docstring, or an empty string.
        kind: ``named``: given by name; ``pipeline``: one nested pipeline, in order (given by name for a role that takes
            no pipelines); ``pipelines``: any number of them; ``any``: any further names.
    """

    name: str
    default: str | None
    doc: str
    kind: Kind


def parameters(factory: Factory) -> list[Parameter]:
    """Return the parameters that a user can set, in order; an empty list if the signature cannot be read.

    Their docs come from the section ``Args:`` in the docstring of the factory, then from the classes whose parameters
    it hands on.
    """
    docs: dict[str, str] = {}
    for source in (factory, *getattr(factory, "parameters_of", ())):
        declared = fields(source) if isinstance(source, type) and issubclass(source, Declared) else {}
        # The first that describes a parameter counts.
        docs = {**{name: one.description for name, one in declared.items()}, **_args(_doc(source)), **docs}
    return [
        Parameter(one.name, _default(one), docs.get(one.name, ""), _kind(one))
        for one in Signature("", factory).parameters
        if one.name not in RESERVED
    ]


def summary(factory: object) -> str:
    """Return the first paragraph of the factory's docstring, as one line."""
    return " ".join(_doc(factory).partition("\n\n")[0].split())


def _doc(thing: object) -> str:
    try:
        return inspect.getdoc(thing) or ""
    except Exception:  # A plugin may do anything there.
        return ""


_ARGUMENT = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)")


def _args(doc: str) -> dict[str, str]:
    """Return the entries of the section ``Args:`` of a docstring."""
    _, _, section = f"\n{doc}\n".partition("\nArgs:\n")
    block = list(itertools.takewhile(lambda line: not line or line[0].isspace(), section.splitlines()))
    indent = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    docs: dict[str, str] = {}
    name = ""
    for line in block:
        match = _ARGUMENT.fullmatch(line[indent:])
        if match is not None:
            name, docs[match[1]] = match[1], match[2]
        elif name:
            docs[name] += f" {line.strip()}"
    return {name: " ".join(text.split()) for name, text in docs.items()}


def _default(parameter: inspect.Parameter) -> str | None:
    if parameter.default is inspect.Parameter.empty:
        return None
    try:
        return repr(parameter.default)
    except Exception:  # A plugin may do anything there.
        return "..."


def _kind(parameter: inspect.Parameter) -> Kind:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return "pipelines"
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return "any"
    return "pipeline" if takes_pipeline(parameter) else "named"


class _Facts(NamedTuple):
    """A component, as shown to a user.

    Attributes:
        entry: the entry.
        about: the first paragraph of its docs, or an empty string.
        parameters: its parameters.
        example: an expression, or for a source a command, that uses it.
    """

    entry: PluginEntry
    about: str
    parameters: list[Parameter]
    example: str

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values."""
        facts = {"about": self.about, "parameters": [one._asdict() for one in self.parameters]}
        return self.entry._asdict() | facts | {"example": self.example}

    def shown_default(self, parameter: Parameter) -> str:
        """Return the default of a parameter, or a required value's description in brackets."""
        if parameter.default is not None:
            return parameter.default
        if parameter.kind == "any":
            return "(any names)"
        if parameter.kind == "named" or self.entry.role not in PIPELINE_ROLES:
            return "(required)"
        return "(pipelines)" if parameter.kind == "pipelines" else "(a pipeline)"


def _facts_of(plugin: plugins.Plugin) -> _Facts:
    role = plugin.entry.role
    if role not in COMPONENT_ROLES:
        about = command_summary(plugin.entry) if role == "command" else summary(plugin.factory)
        return _Facts(plugin.entry, about, [], ROLES[role].example(plugin.entry.name))
    taken = parameters(plugin.factory)
    text = inspect.getdoc(plugin.factory) or ""
    example = _documented_example(plugin.entry, text) or _example_of_role(plugin.entry, taken)
    return _Facts(plugin.entry, summary(plugin.factory), taken, example)


def _documented_example(entry: PluginEntry, text: str) -> str | None:
    """Return the first code snippet in the docs that is an expression that uses the component."""
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


def _example_of_role(entry: PluginEntry, taken: list[Parameter]) -> str:
    """Return an example for the role, with ``...`` for each required value."""
    takes_pipelines = entry.role in PIPELINE_ROLES
    nested = sum(1 for one in taken if takes_pipelines and one.kind == "pipeline" and one.default is None)
    if takes_pipelines and any(one.kind == "pipelines" for one in taken):
        nested = max(nested, 2)
    required = [
        f"{one.name}=..."
        for one in taken
        if one.default is None and (one.kind == "named" or (one.kind == "pipeline" and not takes_pipelines))
    ]
    retrievers = ("bm25", "lsa", "tfidf")
    inside = ", ".join([*(retrievers[place % len(retrievers)] for place in range(nested)), *required])
    return ROLES[entry.role].example(f"{entry.name}({inside})" if inside else entry.name)


def _print_facts(facts: _Facts, first: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console, entry = Console(highlight=False), facts.entry
    if not first:
        console.print()
    console.print(Text(entry.name, "bold"), Text(entry.role, "dim"))
    if facts.about:
        console.print(Text(_without_code_marks(facts.about)))
    rows = [("package", f"{entry.package} {entry.version}"), ("module", entry.value), ("example", facts.example)]
    console.print()
    console.print(_table(("", ""), rows))
    if not facts.parameters:
        if entry.role in COMPONENT_ROLES:
            console.print("\nIt takes no parameters.")
        return
    console.print()
    stars = {"pipelines": "*", "any": "**"}
    lines = [
        (f"{stars.get(one.kind, '')}{one.name}", facts.shown_default(one), _without_code_marks(one.doc))
        for one in facts.parameters
    ]
    console.print(_table(("parameter", "default", "meaning"), lines))


def _print_disputes(disputes: Sequence[str]) -> None:
    from rich.console import Console

    for dispute in disputes:
        message = f"\nNo expression can use it: {printable(dispute)}"
        Console(highlight=False).print(message, style="red", markup=False, soft_wrap=True)


def _without_code_marks(docs: str) -> str:
    return printable(docs).replace("``", "`")


def _report(role: str, spec: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    checks = [outcome._asdict() for outcome in outcomes]
    return {"role": role, "spec": spec, "ok": _all_ok(outcomes), "checks": checks}


def _was_never_made(outcomes: Sequence[Outcome]) -> bool:
    first, *others = outcomes
    return first.status == "failed" and all(one.status == "not applicable" for one in others)


def _all_ok(outcomes: Sequence[Outcome]) -> bool:
    return all(outcome.ok for outcome in outcomes)


def _print_outcomes(role: str, spec: str, outcomes: Sequence[Outcome], first: bool) -> None:
    """Print a row for each check, then the number of checks by outcome."""
    from rich.console import Console

    console = Console(highlight=False)
    if not first:
        console.print()
    shown = outcomes[:1] if _was_never_made(outcomes) else outcomes
    messages: set[str] = set()
    rows = []
    for outcome in shown:
        again = outcome.message and outcome.message in messages
        rows.append((outcome.check, outcome.status, "as above" if again else outcome.message))
        messages.add(outcome.message)
    console.print(_table(("check", "outcome", ""), rows, "outcome"))
    if len(shown) < len(outcomes):
        console.print(f"\n{len(outcomes) - len(shown)} further checks need a component that can be made.")
    counts = Counter(outcome.status for outcome in outcomes)
    told = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    style = "green" if _all_ok(outcomes) else "red"
    console.print(f"\nThe {role} {spec}: {told}.", style=style, markup=False, soft_wrap=True)


_STYLES = {
    "loads": "green",
    "passed": "green",
    "expected failure": "yellow",
    "broken": "red",
    "disputed": "red",
    "failed": "red",
    "unexpected pass": "red",
    "disabled": "dim",
}
"""Colours of states and outcomes."""


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], styled: str = "") -> Table:
    """Return a table whose last column wraps; the words in the column `styled` are coloured."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=any(names), padding=(0, 1), pad_edge=False)
    for name in names:
        table.add_column(name, no_wrap=name != names[-1], overflow="fold", style="" if any(names) else None)
    for row in rows:
        cells = zip(names, row, strict=True)
        table.add_row(*(Text(printable(cell), _STYLES.get(cell, "") if name == styled else "") for name, cell in cells))
    return table


_NEW = """Examples:

  legalir plugins new overlap --role retriever

  legalir plugins new morphemes --role analyzer --package acme-morphemes --out ~/projects
"""

_CALLS = {"fuser": "{}(bm25, lsa)", "source": '{}(path="tests/provisions.csv")'}
"""Call that tries the component of a template; for each other role, the name alone."""


class _Plan(NamedTuple):
    """Valid names for a new package."""

    name: str
    role: str
    package: str

    @property
    def module(self) -> str:
        return re.sub(r"[-.]+", "_", self.package).lower()

    @property
    def component(self) -> str:
        return "".join(part.capitalize() for part in (*self.name.split("_"), self.role))

    @property
    def call(self) -> str:
        return _CALLS.get(self.role, "{}").format(self.name)

    @property
    def exports(self) -> tuple[str, ...]:
        """Names that the package exports; the entry point uses the last one."""
        return (self.component, "factory") if plugins.ROLES[self.role].by_factory else (self.name,)

    @property
    def check(self) -> str:
        """Command that checks the plugin; the conformance kit checks the objects that factories make."""
        if not plugins.ROLES[self.role].by_factory:
            return f"legalir plugins show {self.name}"
        return f"legalir plugins check {repr(self.call) if self.role == 'source' else self.name}"


@app.command(epilog=_NEW)
def new(
    name: Annotated[str, typer.Argument(help="Name of the component in expressions.", show_default=False)],
    role: Annotated[str, typer.Option("--role", "-r", help=f"One of {', '.join(plugins.ROLES)}.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Parent folder for the new package folder.")] = Path(),
    package: Annotated[
        str | None, typer.Option("--package", "-p", help="Name of the package.", show_default="legalir-NAME")
    ] = None,
) -> None:
    """Write a complete, tested package with a component called NAME: code, tests, a page of docs and a CI file."""
    try:
        folder = write_package(name, role, out, package)
    except PluginError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    plan = _Plan(name, role, folder.name)
    steps = (
        f"cd '{folder}'",
        "pip install -e '.[test]'",
        "pytest",
        plan.check,
        _try(plan),
    )
    typer.echo(f"{folder} holds a {role} that works; change src/{plan.module}/{role}.py to make it yours. Next:\n")
    for step in steps:
        typer.echo(f"  {step}")


def write_package(name: str, role: str, out: Path, package: str | None = None) -> Path:
    """Write the package of a component atomically, and return its folder.

    Args:
        name: the component's name.
        role: one of :data:`legalir.plugins.ROLES`.
        out: parent folder; the package gets a folder of its own name in it.
        package: the distribution's name; None for ``legalir-NAME``.

    Raises:
        PluginError: a name is not valid or is taken, the folder exists, or it cannot be written.
    """
    _check_name(name, role)
    plan = _Plan(name, role, package if package is not None else f"legalir-{name.lower().replace('_', '-')}")
    _check_package(plan)
    folder = out.expanduser() / plan.package
    _write(folder, _files(plan))
    return folder


def _check_name(name: str, role: str) -> None:
    # Stricter than an entry point's name, because modules, classes and files are named after it.
    letter = "a-zA-Z" if role == "measure" else "a-z"  # nDCG
    if not re.fullmatch(rf"[{letter}](?:[{letter}0-9_]*[{letter}0-9])?", name) or keyword.iskeyword(name):
        letters = "letters" if role == "measure" else "lower-case letters"
        raise PluginError(
            f"{name!r} is not a name for a component: use {letters}, digits and underscores, as in 'my_bm25'."
        )
    plugins.entries(role)  # Raises if there is no such role.
    same_names = plugins.PIPELINE_ROLES if role in plugins.PIPELINE_ROLES else (role,)
    for entry in plugins.installed():
        if entry.role not in same_names:
            continue
        if entry.name == name or (role == "analyzer" and re.fullmatch(rf"{re.escape(entry.name)}[0-9]{{1,3}}", name)):
            raise PluginError(f"The name {name!r} is taken by the {entry}: choose another.")


def _check_package(plan: _Plan) -> None:
    package, module = plan.package, plan.module
    is_valid = re.fullmatch(r"[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", package) is not None
    if not is_valid or keyword.iskeyword(module):
        raise PluginError(f"{package!r} is not a name for a package: use one such as 'legalir-{plan.name}'.")
    try:
        installed = metadata.version(package)
    except metadata.PackageNotFoundError:
        installed = None
    if installed is not None:
        raise PluginError(f"A package {package} {installed} is installed: choose another name with --package.")
    if module in sys.stdlib_module_names or importlib.util.find_spec(module) is not None:
        raise PluginError(f"There is a module {module!r} already: choose another name with --package.")


def _files(plan: _Plan) -> dict[str, str]:
    """Return the text of each file of the package, by its path."""
    own = f"{plan.role}/component.py"
    values = {
        "name": plan.name,
        "role": plan.role,
        "dist": plan.package,
        "module": plan.module,
        "component": plan.component,
        "summary": f"{'An' if plan.role[0] in 'aeiou' else 'A'} {plan.role} for legalir, '{plan.name}'",
        "check": plan.check,
        "entry": plan.exports[-1],
        "exports": ", ".join(plan.exports),
        "exported": ", ".join(f'"{one}"' for one in plan.exports),
        "dependencies": ", ".join(f'"{one}"' for one in (_legalir(), *_imported(_template(own)))),
    }
    values["usage"] = Template(_template(f"{plan.role}/usage.md")).substitute(values).strip()
    places = {
        "pyproject.toml": "package/pyproject.toml",
        "README.md": "package/README.md",
        ".gitignore": "package/gitignore",
        ".github/workflows/ci.yml": "package/ci.yml",
        f"docs/{plan.name}.md": "package/docs.md",
        f"src/{plan.module}/__init__.py": "package/__init__.py",
        f"src/{plan.module}/{plan.role}.py": own,
        f"tests/test_{plan.name}.py": f"{plan.role}/test.py",
    }
    if plan.role == "source":
        places["tests/provisions.csv"] = "source/provisions.csv"
    texts = {path: Template(_template(template)).substitute(values) for path, template in places.items()}
    return {**texts, f"src/{plan.module}/py.typed": ""}


def _template(name: str) -> str:
    return (resources.files("legalir.cli") / "templates" / f"{name}.txt").read_text(encoding="utf-8")


def _imported(source: str) -> list[str]:
    return [
        package
        for package in ("annotated_types", "ir_measures", "numpy", "pandas", "pyterrier", "typer")
        if f"import {package}" in source or f"from {package} import" in source
    ]


def _legalir() -> str:
    """Return the version range of legalir that a new package requires: the current minor version."""
    major, minor = map(int, __version__.split(".")[:2])
    return f"legalir>={major}.{minor},<{major}.{minor + 1}"


def _write(folder: Path, files: dict[str, str]) -> None:
    if folder.exists() or folder.is_symlink():
        raise PluginError(f"{folder} exists and is left as it is: choose another name or another folder with --out.")
    try:
        with atomic_directory(folder, "fail") as temporary:
            for name, text in files.items():
                path = temporary / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PluginError(
            f"{folder} cannot be written ({error.strerror or error}): give another folder with --out."
        ) from error


def _try(plan: _Plan) -> str:
    use = plugins.ROLES[plan.role].example(plan.call)
    if use.startswith("legalir "):
        return use
    return f"legalir search legalir/harbour 'Must my pleasure craft be registered?' --pipeline '{use}'"
