"""The program ``legalir``: its commands, its version, and its error messages."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from typing import Annotated

import typer

from legalir import __version__
from legalir.cli import (
    answer,
    datasets,
    experiment,
    explain,
    graph,
    index,
    judge,
    llm,
    measure,
    plugins,
    references,
    search,
    serve,
    synthesize,
    train,
    tune,
)
from legalir.errors import (
    AnalyzerError,
    ComponentError,
    DatasetNotFound,
    DefinitionError,
    ExpressionError,
    LegalIRError,
    MeasureError,
    PluginError,
    describe,
)
from legalir.plugins import plugin_of
from legalir.plugins.entry_points import skip_unreadable_packages

MISUSE = (AnalyzerError, ComponentError, DatasetNotFound, DefinitionError, ExpressionError, MeasureError)
"""Errors of the command line: exit code 2. All others are failed runs: exit code 1."""

app = typer.Typer(
    help="Search statutes: provisions that cite and delegate to each other.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog="Start with: legalir search legalir/firecode '화재보험에 가입하지 않으면 과태료가 얼마인가요?'",
)
app.add_typer(datasets.app, name="datasets")
app.add_typer(experiment.app, name="experiment")
app.add_typer(judge.app, name="judge")
app.add_typer(llm.app, name="llm")
app.add_typer(graph.app, name="graph")
app.add_typer(plugins.app, name="plugins")
app.add_typer(synthesize.app, name="synthesize")
app.add_typer(train.app, name="train")
app.command("finetune", epilog=train.EXAMPLES)(train.finetune)
app.command("tune", epilog=tune.EXAMPLES)(tune.tune)
app.command("index", epilog=index.EXAMPLES)(index.build)
app.command("update", epilog=index.UPDATE_EXAMPLES)(index.update)
app.command("search", epilog=search.EXAMPLES)(search.search)
app.command("answer", epilog=answer.EXAMPLES)(answer.answer)
app.command("serve", epilog=serve.EXAMPLES)(serve.serve)
app.command("mcp", epilog=serve.MCP_EXAMPLES)(serve.mcp)
app.command("measure", epilog=measure.EXAMPLES)(measure.measure)
app.command("explain", epilog=explain.EXAMPLES)(explain.explain)
app.command("references", epilog=references.EXAMPLES)(references.references)


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
    """Run the command line; a user's mistake gives one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without Hangul shows the numbers of the characters, and the rest of the answer.
            stream.reconfigure(errors="backslashreplace")
    skip_unreadable_packages()
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
    """Return the message of an error, None for a bug of legalir."""
    if isinstance(error, PluginError) and _has_unexpected_cause(error) and not os.environ.get("LEGALIR_TRACEBACK"):
        return f"{error} Run with LEGALIR_TRACEBACK=1 to see where."
    if isinstance(error, LegalIRError):
        return str(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "no space is left where the output goes: free some, or write it elsewhere."
    plugin = plugin_of(error)
    if plugin is None or os.environ.get("LEGALIR_TRACEBACK"):
        return None
    return f"The {plugin} failed while it ran: {describe(error)}; run with LEGALIR_TRACEBACK=1 to see where."


def _has_unexpected_cause(error: BaseException) -> bool:
    while error.__cause__ is not None:
        error = error.__cause__
    return not isinstance(error, LegalIRError)


if __name__ == "__main__":
    main()
