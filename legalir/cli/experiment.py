"""``legalir experiment`` and ``legalir reproduce``: run experiments, and compare their scores with expected ones."""

from __future__ import annotations

import importlib.util
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, print_json
from legalir.errors import MissingExtra
from legalir.llm.options import model_options

if TYPE_CHECKING:
    import pandas as pd

    from legalir.experiments.reproduce import Reproduction
    from legalir.experiments.result import Comparison, ExperimentResult, ExperimentResults
    from legalir.llm.client import Client

reproduce_app = typer.Typer()
app = typer.Typer(help="Run systems side by side, and compare their scores with expected ones.", no_args_is_help=True)


@app.command(
    epilog="Examples:\n\n"
    "  legalir experiment run experiments/quickstart.yaml\n\n"
    "  legalir experiment run experiments/quickstart.yaml --dataset legalir/firecode/test --out results/test\n\n"
    "  legalir experiment run experiments/neural/sfs-a-table4.yaml --set bge_m3=models/bge-m3"
)
@model_options
def run(
    file: Annotated[Path, typer.Argument(help="YAML file of the experiment.", show_default=False)],
    dataset: Annotated[str | None, typer.Option(help="Run on this dataset instead of the one in the file.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Directory for the result.", show_default="results/<name of the file>")
    ] = None,
    report: Annotated[
        bool | None,
        typer.Option("--report/--no-report", help="Write report.html.", show_default="where Jinja2 is installed"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Replace a value in the file (repeatable)."),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            help="Number of processes that run systems. Shared steps may run more than once; systems that ask a "
            "language model run in one process.",
        ),
    ] = 1,
    at_hand: Annotated[
        bool, typer.Option("--at-hand", help="Of several datasets, leave out those that are not on this machine.")
    ] = False,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Run the systems of an experiment file, print their scores, and store everything in one directory.

    Runs that have not changed since the last time are reused. The exit code is 1 if the baseline could not be run, so
    that there are no significance tests.
    """
    from legalir.experiments.definition import load_definition
    from legalir.experiments.experiment import run_all
    from legalir.experiments.result import ExperimentResults

    has_jinja = importlib.util.find_spec("jinja2") is not None
    if report and not has_jinja:
        raise MissingExtra("A report needs the package 'jinja2', which is not installed: pip install 'legalir[report]'")
    definition = load_definition(file).with_values(_values(settings or []))
    if dataset is not None:
        definition = definition.replace(dataset=dataset, datasets=())
    out = out if out is not None else Path("results") / file.stem
    reports = has_jinja if report is None else report
    outputs, results, several = [], [], None
    for folder, result in run_all(definition, out, client, jobs=jobs, at_hand=at_hand):
        results.append(result)
        page = result.report(folder / "report.html") if reports else None
        if as_json:
            outputs.append(_result_json(result, folder, page))
        else:
            _print_result(result, folder, page, asked=report is not False)
    if len(definition.datasets) > 1:
        several = ExperimentResults(definition, results)
        several.save(out)
        page = several.report(out / "report.html") if reports else None
        if not as_json:
            _print_results(several, out, page)
    if as_json:
        means = {"results": outputs, "means": _records(several.table), "absent": several.absent} if several else {}
        print_json(means or outputs[0])
    if any(result.untested for result in results):
        raise typer.Exit(1)


def _print_results(results: ExperimentResults, folder: Path, page: Path | None) -> None:
    from legalir.experiments.terminal import open_console, print_results

    print_results(results, open_console())
    typer.echo(f"Results: {folder}")
    if page is not None:
        typer.echo(f"Report: {page}")


def _values(settings: list[str]) -> dict[str, str]:
    """Return the values of ``--set NAME=VALUE``; if a name is repeated, the last value counts."""
    values = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(
                f"must be NAME=VALUE such as bge_m3=models/bge-m3, got {setting!r}.", param_hint="--set"
            )
        values[name.strip()] = value
    return values


def _print_result(result: ExperimentResult, folder: Path, page: Path | None, *, asked: bool) -> None:
    from legalir.experiments.terminal import open_console, print_result

    console = open_console()
    print_result(result, console)
    if result.reused:
        total = len(result.system_runs)
        console.print(f"{len(result.reused)} of {total} runs were unchanged and reused.", highlight=False)
    # Printed without wrapping, so that a path can be copied or clicked.
    typer.echo(f"Result: {folder}")
    if page is not None:
        typer.echo(f"Report: {page}")
    elif asked:
        typer.echo("No report, because Jinja2 is not installed: pip install 'legalir[report]'")


def _records(table: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a table as JSON values."""
    rows: list[dict[str, object]] = json.loads(table.to_json(orient="records", double_precision=15))
    return rows


def _result_json(result: ExperimentResult, folder: Path, page: Path | None) -> dict[str, object]:
    return {
        "title": result.definition.title,
        "dataset": result.definition.dataset,
        "baseline": result.baseline,
        "untested": result.untested,
        "unmeasured": result.unmeasured,
        **({"scope": result.environment["scope"]} if "scope" in result.environment else {}),
        "values": dict(result.definition.values),
        "systems": _records(result.table),
        "by": [] if result.by is None else _records(result.by.table),
        "safety": _records(result.safety),
        "absent": result.absent,
        "reused": result.reused,
        "out": str(folder),
        "report": None if page is None else str(page),
    }


@app.command(
    epilog="Examples:\n\n"
    "  legalir experiment compare results/quickstart experiments/quickstart.expected.tsv\n\n"
    "  legalir experiment compare results/quickstart expected.tsv --tolerance 0.005\n\n"
    "  legalir experiment compare results/quickstart expected.tsv --write\n\n"
    "  legalir experiment compare results/new results/old\n\n"
    "  legalir experiment compare results/new results/old --system default --against BM25"
)
def compare(
    result: Annotated[Path, typer.Argument(help="Directory of a result.", show_default=False)],
    expected: Annotated[
        Path, typer.Argument(help="TSV file of expected scores, or directory of another result.", show_default=False)
    ],
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Largest difference that is accepted, in score units.",
            min=0,
            show_default="the file's, else 0.0005",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the result's scores to EXPECTED instead of comparing.")
    ] = False,
    system: Annotated[
        str | None,
        typer.Option(help="Compare only this system (with another result).", show_default="all of one name"),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="System of the other result to compare with.", show_default="of the same name")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a result with expected scores, cell by cell, or with another result, by a paired test.

    With expected scores the exit code is 1 when any differs.
    """
    from legalir.experiments.result import ExperimentResult, write_expected
    from legalir.experiments.result import compare as compare_scores

    if expected.is_dir():
        if write or tolerance is not None:
            raise typer.BadParameter(f"goes with expected scores, and {expected} is a result.", param_hint="--write")
        _compare_results(result, expected, system, against, as_json)
        return
    if system is not None or against is not None:
        raise typer.BadParameter(f"goes with another result, and {expected} is no directory.", param_hint="--system")
    loaded = ExperimentResult.load(result)
    if write:
        typer.echo(f"Written: {write_expected(loaded, expected)}")
        return
    comparison = compare_scores(loaded, expected, tolerance)
    if as_json:
        print_json(_comparison_json(comparison))
    else:
        from legalir.experiments.terminal import open_console, print_comparison

        print_comparison(comparison, open_console())
    if not comparison.ok:
        raise typer.Exit(1)


class TableForm(StrEnum):
    """Markup of a table."""

    latex = "latex"
    markdown = "markdown"


@app.command(
    epilog="Examples:\n\n"
    "  legalir experiment table results/quickstart\n\n"
    "  legalir experiment table results/quickstart --form latex --out table.tex\n\n"
    "LaTeX needs \\usepackage{booktabs}."
)
def table(
    result: Annotated[
        Path, typer.Argument(help="Directory of a result, also on several datasets.", show_default=False)
    ],
    form: Annotated[TableForm, typer.Option(help="Markup of the table.")] = TableForm.markdown,
    out: Annotated[Path | None, typer.Option(help="File to write.", show_default="standard output")] = None,
) -> None:
    """Print the table of a result for a paper, with marks of significance and the note that explains them."""
    from legalir.experiments.result import ExperimentResult, ExperimentResults
    from legalir.experiments.runs import writing
    from legalir.storage.files import atomic_file

    several = (result / "definition.yaml").is_file() and not (result / "environment.json").is_file()
    of = ExperimentResults if several else ExperimentResult
    loaded = of.load(result)
    text = loaded.to_latex() if form is TableForm.latex else loaded.to_markdown()
    if out is None:
        typer.echo(text, nl=False)
        return
    with writing(out.parent), atomic_file(out) as stream:
        stream.write(text)
    typer.echo(f"Written: {out}")


def _compare_results(first: Path, second: Path, system: str | None, against: str | None, as_json: bool) -> None:
    """Print the comparison of two results with a paired test."""
    from legalir.experiments.result import ExperimentResult
    from legalir.experiments.terminal import open_console, print_difference

    here, there = ExperimentResult.load(first), ExperimentResult.load(second)
    table = here.compare(there, system, against)
    if as_json:
        print_json(_records(table))
        return
    definition = here.definition
    correction = f", {definition.correction} over the systems" if definition.correction else ""
    typer.echo(f"here: {first}, depth {definition.depth}\nthere: {second}, depth {there.definition.depth}")
    legend = (
        f"▲▼: {definition.test}-test{correction}, {definition.alpha:g}; 95 %: interval of the difference; "
        f"+ -: questions with a greater and a lesser value here, of {len(here.context.queries)}"
    )
    print_difference(table, legend, open_console())


def _comparison_json(comparison: Comparison) -> dict[str, object]:
    return {
        "ok": comparison.ok,
        "tolerance": comparison.tolerance,
        "counts": dict(comparison.counts),
        "cells": [vars(cell) for cell in comparison.cells],
    }


@reproduce_app.command(
    epilog="Examples:\n\n"
    "  legalir reproduce\n\n"
    "  legalir reproduce harbour quickstart\n\n"
    "  legalir reproduce static/fusion --set model=results/static/fusion\n\n"
    "  legalir reproduce --all"
)
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of experiments, such as quickstart; none lists all.", show_default=False),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run all experiments that have what they need.")] = False,
    folder: Annotated[Path, typer.Option(help="Folder of experiments with their expected scores.")] = Path(
        "experiments"
    ),
    out: Annotated[Path, typer.Option(help="Directory for the results.")] = Path("results"),
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Replace a value in the files (repeatable)."),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Renew the expected scores instead of comparing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run experiments again and compare every score with the expected one; without a name, list them.

    The list says what each needs and where to get it; nothing is downloaded. The exit code is 1 if a score differs, if
    the data are not those of the expected scores, or if an experiment that is named was not run as a whole.
    """
    from legalir.experiments.reproduce import Reproduction
    from legalir.experiments.terminal import open_console, print_comparison

    experiments = Reproduction(folder)
    if not names and not every:
        _list_experiments(experiments, as_json)
        return
    named = [experiments.known(name) for name in names or ()]
    good, rows = True, []
    for name in named or experiments.names:
        whole = True
        for outcome in experiments.run(name, _values(settings or []), out=out, write=write):
            good = good and outcome.ok is not False
            whole = whole and outcome.ok is not None and outcome.whole
            if as_json:
                cells = {} if outcome.comparison is None else _comparison_json(outcome.comparison)
                rows.append({"name": name, "dataset": outcome.dataset, "ok": outcome.ok, "text": outcome.text} | cells)
                continue
            typer.echo(f"{name}{f' on {outcome.dataset}' if outcome.dataset else ''}: {outcome.text}")
            if outcome.comparison is not None and not outcome.comparison.ok:
                print_comparison(outcome.comparison, open_console())
        good = good and (whole or name not in named)
    if as_json:
        print_json({"ok": good, "experiments": rows})
    if not good:
        raise typer.Exit(1)


def _list_experiments(experiments: Reproduction, as_json: bool) -> None:
    """Print the name and title of each experiment, and what is missing."""
    missing = {name: experiments.missing(name) for name in experiments.names}
    titles = {name: experiments.definitions[name].title for name in experiments.files}
    if as_json:
        print_json(
            [
                {"name": name, "title": titles.get(name, ""), "missing": list(sentences.values())}
                for name, sentences in missing.items()
            ]
        )
        return
    numbers: dict[str, int] = {}
    width = max(map(len, missing))
    for name, sentences in missing.items():
        needs = dict.fromkeys(f"[{numbers.setdefault(text, len(numbers) + 1)}]" for text in sentences.values())
        typer.echo(f"{name:{width}}  {' '.join(needs) or 'at hand':8}  {titles.get(name, '')}".rstrip())
    for sentence, number in numbers.items():
        typer.echo(f"\n[{number}] {sentence}")
