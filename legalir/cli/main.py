"""The program ``legalir``: its commands, its version, and its error messages."""

from __future__ import annotations

import ast
import errno
import importlib.util
import io
import os
import sys
import traceback
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from legalir import __version__, plugins
from legalir.contract import PluginEntry
from legalir.errors import (
    AnalyzerError,
    ComponentError,
    DatasetNotFound,
    DefinitionError,
    ExpressionError,
    LegalIRError,
    MeasureError,
    MissingExtra,
    PluginError,
    describe,
)

if TYPE_CHECKING:
    from typer._click import Command, Context

MISUSE = (AnalyzerError, ComponentError, DatasetNotFound, DefinitionError, ExpressionError, MeasureError)
"""Errors of the command line: exit code 2. All others are failed runs: exit code 1."""


FIRST_PARTY = {
    "assess": "legalir-study",
    "finetune": "legalir-finetune",
    "graph": "legalir-hypa",
    "judge": "legalir-study",
    "mcp": "legalir-serve",
    "serve": "legalir-serve",
    "synthesize": "legalir-study",
    "train_complexity": "legalir-hypa",
}
"""The package of each command that is maintained with legalir and installed apart from it."""


class Commands(TyperGroup):
    """Commands of all packages; a command's module is imported only when the command is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._entries = {entry.name: entry for entry in plugins.entries("command")}
        self._entries = {name: entry for name, entry in self._entries.items() if parent_of(name) not in self._entries}
        self.commands = {name: TyperCommand(name) for name in self._entries}

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Return a command with only its name and summary, for the list of commands."""
        entry = self._entries.get(cmd_name)
        return None if entry is None else TyperCommand(cmd_name, help=command_summary(entry))

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Return the name, the imported command and the remaining arguments."""
        installed = {entry.name for entry in plugins.entries("command")}
        missing = [name for name in (args[0], "_".join(args[:2])) if name in FIRST_PARTY and name not in installed]
        if missing:
            package = FIRST_PARTY[missing[0]]
            raise MissingExtra(
                f"The command {missing[0].replace('_', ' ')!r} is in the package {package}, which is not installed: "
                f"pip install ./plugins/{package} in the source folder of legalir."
            )
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if command is None else load_command(command.name or ""), rest


def parent_of(name: str) -> str:
    """Return the command that another one may be a part of: ``train`` for ``train_complexity``."""
    return name.partition("_")[0] if "_" in name else ""


def load_command(name: str) -> Command:
    """Import the command called `name`, with the commands that other packages add to it.

    Errors as :func:`legalir.plugins.resolve` and :func:`legalir.plugins.load`.
    """
    named: object = plugins.load(plugins.resolve(name, ("command",))).factory
    app = named if isinstance(named, typer.Typer) else typer.Typer()
    if isinstance(named, FunctionType):
        app.command()(named)
    command = typer.main.get_command(app)
    command.name = name
    command.params = [one for one in command.params if one.name not in ("install_completion", "show_completion")]
    if isinstance(command, TyperGroup):
        for entry in plugins.entries("command"):
            if parent_of(entry.name) == name:
                part = load_command(entry.name)
                part.name = entry.name.partition("_")[2]
                command.add_command(part)
    return command


def command_summary(entry: PluginEntry) -> str:
    """Return the first line of the help of a command, read from its source; nothing is imported.

    The help is the docstring of the function that the entry names, or ``help`` of its typer app, or the docstring of
    the app's only command. If the source has none of these, the summary is the name of the command's package.
    """
    module, _, attribute = entry.value.partition(":")
    for node in _source(module.strip()).body:
        text: str | None = None
        match node:
            case ast.FunctionDef(name=name, decorator_list=decorators):
                if name == attribute or any(ast.unparse(one).startswith(f"{attribute}.command(") for one in decorators):
                    text = ast.get_docstring(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(keywords=keywords)) if name == attribute:
                texts = [
                    one.value.value for one in keywords if one.arg == "help" and isinstance(one.value, ast.Constant)
                ]
                text = next((one for one in texts if isinstance(one, str)), None)
        if text:
            return text.partition("\n")[0]
    return f"A command of package {entry.package} {entry.version}."


def _source(module: str) -> ast.Module:
    """Return the syntax tree of a module, found without importing it; an empty tree if there is no such file."""
    package, *parts = module.split(".")
    try:
        spec = importlib.util.find_spec(package)  # That of a package imports nothing.
        folders = (spec and spec.submodule_search_locations) or []
        places = [Path(folder, *parts) for folder in folders] if parts or folders else []
        files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
        files += [Path(spec.origin)] if spec and spec.origin and not parts else []
        return ast.parse(next(file for file in files if file.is_file()).read_text(encoding="utf-8"))
    except (ImportError, ValueError, OSError, SyntaxError, StopIteration):
        return ast.Module([], [])


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog="Start with: legalir search legalir/harbour 'Must my pleasure craft be registered?'",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"legalir {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Search statutes: provisions that cite and delegate to each other."""


def main() -> None:
    """Run the command line; a user's mistake prints one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without Hangul shows the numbers of the characters, and the rest of the answer.
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the pipe has ended, as `head` does; without standard error, Python prints nothing about it.
        sys.stderr.close()
        sys.exit(1)
    # A plugin may raise anything, even SystemExit; a command that is done raises SystemExit, too.
    except BaseException as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        if os.environ.get("LEGALIR_TRACEBACK") and error.__cause__ is not None:
            traceback.print_exception(error)
        sys.stderr.write(f"error: {sentence}\n")
        sys.exit(2 if isinstance(error, MISUSE) else 1)


def _sentence(error: BaseException) -> str | None:
    """Return the message of an error, or None for a bug in legalir."""
    if isinstance(error, PluginError) and _has_unexpected_cause(error) and not os.environ.get("LEGALIR_TRACEBACK"):
        return f"{error} Run with LEGALIR_TRACEBACK=1 to see where."
    if isinstance(error, LegalIRError):
        return str(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "no space is left where the output goes: free some, or write it elsewhere."
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename2 or error.filename} cannot be read or written: {error.strerror}."
    package = None if isinstance(error, SystemExit) else plugins.package_of(error)
    if package is None or os.environ.get("LEGALIR_TRACEBACK"):
        return None
    return f"Package {package} failed while it ran: {describe(error)}; run with LEGALIR_TRACEBACK=1 to see where."


def _has_unexpected_cause(error: BaseException) -> bool:
    while error.__cause__ is not None:
        error = error.__cause__
    return not isinstance(error, LegalIRError)


if __name__ == "__main__":
    main()
