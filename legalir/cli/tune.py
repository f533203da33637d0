"""``legalir tune``: choose the settings of ``default`` by judgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, print_json

if TYPE_CHECKING:
    from legalir.train.tune import Tuning

EXAMPLES = """Examples:

  legalir tune legalir/firecode/dev

  legalir tune my-statutes/train --minutes 30 --report tuning.html

  legalir tune my-statutes/train --measure R@20 --json

Then: legalir search my-statutes "question" uses the settings. Delete tuned.yaml to go back.
"""


app = typer.Typer()


@app.command(epilog=EXAMPLES)
def tune(
    dataset: Annotated[
        str, typer.Argument(help="Dataset id or folder, with the split that has judgements.", show_default=False)
    ],
    minutes: Annotated[float, typer.Option(help="Time limit, after which no further settings are tried.")] = 10,
    measure: Annotated[str, typer.Option(help="Measure to maximise.")] = "nDCG@10",
    folds: Annotated[int, typer.Option(help="Number of folds, from 2 to 20.")] = 5,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Output file of the settings.", show_default="tuned.yaml, where default finds it"
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Output file of an HTML page that explains the choice.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Choose the settings of the pipeline default from the judgements of DATASET, and report the gain.

    The gain is measured on questions that were not used for the choice. An interrupted run continues where it stopped.
    """
    from legalir.train.tune import tune as tune_default

    tuning = tune_default(dataset, minutes=minutes, measure=measure, folds=folds, out=out)
    if report is not None:
        tuning.report(report)
    if as_json:
        print_json(
            {
                "gain": tuning.gain.model_dump(),
                "default": tuning.default.model_dump(),
                "chosen": tuning.chosen.model_dump(),
                "folds": [fold.model_dump() for fold in tuning.folds],
                "runs": tuning.runs,
                "complete": tuning.complete,
                "path": None if tuning.path is None else str(tuning.path),
            }
        )
        return
    _print(tuning)
    if report is not None:
        typer.echo(f"Report: {report}")


def _print(tuning: Tuning) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for name in ("setting", "default", "chosen", "by fold"):
        table.add_column(name)
    for name in tuning.values:
        one, two = getattr(tuning.default, name), getattr(tuning.chosen, name)
        folds = ", ".join(str(getattr(fold, name)) for fold in tuning.folds)
        table.add_row(name, str(one), str(two), folds, style="bold" if one != two else "dim")
    console = Console(highlight=False)
    console.print(table)
    console.print(tuning.sentence(), soft_wrap=True)
    if not tuning.complete:
        console.print("The time was over before all settings were tried: --minutes gives more.", soft_wrap=True)
