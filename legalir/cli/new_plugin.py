"""``legalir plugins new``: write a package with a new component that works and is tested from the start.

The files come from ``templates/``: ``package/`` contains the files of every package; the folder of each role contains
the component, its tests and the README section that shows its use. Placeholders such as ``$name`` are filled in.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from importlib import metadata, resources
from pathlib import Path
from string import Template
from typing import Annotated, NamedTuple

import typer

from legalir import __version__, plugins
from legalir.errors import PluginError
from legalir.storage.files import atomic_directory

EXAMPLES = """Examples:

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


def new(
    name: Annotated[str, typer.Argument(help="Name of the component in expressions.", show_default=False)],
    role: Annotated[str, typer.Option("--role", "-r", help=f"One of {', '.join(plugins.ROLES)}.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Parent folder for the new package folder.")] = Path(),
    package: Annotated[
        str | None, typer.Option("--package", "-p", help="Name of the package.", show_default="legalir-NAME")
    ] = None,
) -> None:
    """Write a complete, tested package with a component called NAME."""
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
    plan = _Plan(name, role, package if package is not None else f"legalir-{name.replace('_', '-')}")
    _check_package(plan)
    folder = out.expanduser() / plan.package
    _write(folder, _files(plan))
    return folder


def _check_name(name: str, role: str) -> None:
    # Stricter than an entry point's name, because modules, classes and files are named after it.
    if not re.fullmatch(r"[a-z](?:[a-z0-9_]*[a-z0-9])?", name) or keyword.iskeyword(name):
        raise PluginError(
            f"{name!r} is not a name for a component: use lower-case letters, digits and underscores, as in 'my_bm25'."
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
    return f"legalir search legalir/firecode '화재보험에 가입하지 않으면 과태료가 얼마인가요?' --pipeline '{use}'"
