"""``legalir train``: train a model from a recipe or options; ``legalir tune``: choose the settings of ``default``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.cli.printing import AsJson, print_json

if TYPE_CHECKING:
    import pandas as pd

    from legalir.train.recipes import StaticRecipe
    from legalir.train.tune import Tuning


Option = typer.Option

Resume = Annotated[
    bool | None,
    Option(
        "--resume/--no-resume",
        help="Continue the training in OUT.partial, or start again.",
        show_default="go on if it has the same recipe and data",
    ),
]
Replace = Annotated[bool, Option("--replace", help="Replace the model at OUT.")]

STATIC_EXAMPLES = """Examples:

  legalir train static legalir/firecode --from citations,headings --out firecode-model

  legalir train static my-statutes/train --from judgements --dev dev --patience 2 --out model

  legalir train static my-statutes/train --from judgements --negatives 'bm25' --out model

  legalir train static --recipe recipe.yaml

Then: legalir search my-statutes "question" --pipeline 'static(model="model")'
"""

app = typer.Typer(help="Train a model that finds provisions, or one that reads questions.", no_args_is_help=True)


@app.callback()
def _train() -> None:
    """Train a model that finds provisions, or one that reads questions."""


@app.command(epilog=STATIC_EXAMPLES)
def static(
    ctx: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Argument(help="Dataset id or folder, with the split to learn from.", show_default=False),
    ] = None,
    sources: Annotated[
        str | None,
        Option(
            "--from",
            help="Sources of queries: judgements, citations, headings (comma-separated).",
            show_default="judgements",
        ),
    ] = None,
    out: Annotated[Path | None, Option("--out", "-o", help="Folder of the model.", show_default=False)] = None,
    recipe: Annotated[
        Path | None, Option(help="YAML file of a recipe; other options replace its values.", show_default=False)
    ] = None,
    dev: Annotated[str | None, Option(help="Split used to measure each epoch.", show_default="none")] = None,
    patience: Annotated[
        int | None, Option(help="Stop after this many epochs without improvement.", show_default="never")
    ] = None,
    hold_out: Annotated[
        float | None,
        Option(
            help="Share of judged questions reserved for choosing the model's weight in default.", show_default="0.2"
        ),
    ] = None,
    seed: Annotated[int | None, Option(help="Random seed.", show_default="1")] = None,
    dim: Annotated[int | None, Option(help="Number of dimensions of a vector.", show_default="256")] = None,
    rows: Annotated[
        int | None, Option(help="Number of rows in the hash table of n-grams and words.", show_default="131072")
    ] = None,
    epochs: Annotated[int | None, Option(help="Number of passes over the pairs.", show_default="3")] = None,
    batch: Annotated[int | None, Option(help="Number of pairs per step.", show_default="256")] = None,
    rate: Annotated[float | None, Option(help="Initial learning rate.", show_default="0.003")] = None,
    temperature: Annotated[
        float | None, Option(help="Temperature: the cosines are divided by it.", show_default="0.05")
    ] = None,
    negatives: Annotated[
        str | None,
        Option(help="Source of hard negatives: model, random (none), or a pipeline expression.", show_default="model"),
    ] = None,
    hard: Annotated[
        int | None, Option(help="Number of hard negatives in each query's pool.", show_default="16")
    ] = None,
    precision: Annotated[
        str | None, Option(help="Number type of the saved model: float16 or int8.", show_default="float16")
    ] = None,
    threads: Annotated[
        int | None, Option(help="Number of threads; it does not change the model.", show_default="all")
    ] = None,
    resume: Resume = None,
    replace: Replace = False,
    as_json: AsJson = False,
) -> None:
    """Train a static encoder: a vector for each n-gram and word, in minutes and without a GPU."""
    from legalir.train.recipes import StaticRecipe
    from legalir.train.static import train_recipe

    given = {name: ctx.params[name] for name in StaticRecipe.model_fields if ctx.params.get(name) is not None}
    if sources is not None:
        given["sources"] = [name.strip() for name in sources.split(",")]
    trained = train_recipe(_recipe(recipe, given), resume=resume, replace=replace, lines=not as_json)
    if as_json:
        facts = {"fingerprint": trained.model.fingerprint, "default": trained.model.card.get("default")}
        _print_facts(trained.path, trained.history, facts)
    else:
        _print_history(trained.path, trained.history)
        typer.echo(f"Use it: --pipeline 'static(model=\"{trained.path}\")'")
        if trained.note is not None:
            typer.echo(trained.note)


def _recipe(file: Path | None, given: dict[str, object]) -> StaticRecipe:
    from legalir.train.recipes import StaticRecipe

    if file is not None:
        return StaticRecipe.load(file, **given)
    for key, name in (("dataset", "DATASET"), ("out", "--out")):
        if key not in given:
            raise typer.BadParameter(f"give {name}, or a recipe with --recipe.")
    return StaticRecipe.parse(given, "train static")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _print_facts(folder: Path, history: pd.DataFrame, facts: Mapping[str, object]) -> None:
    rows = json.loads(history.to_json(orient="records", double_precision=15))
    print_json({"out": str(folder), "bytes": _size(folder), **facts, "history": rows})


def _print_history(folder: Path, history: pd.DataFrame) -> None:
    """Print a row for each epoch, and the folder of the model."""
    from rich.console import Console
    from rich.table import Table

    measures = [name for name in history.columns if "@" in name]
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for name in ("epoch", "loss", *measures, "seconds", ""):
        table.add_column(name, justify="left" if not name else "right")
    for row in history.to_dict("records"):
        scores = [f"{100 * row[name]:.1f}" for name in measures]
        table.add_row(
            str(row["epoch"]), f"{row['loss']:.3f}", *scores, f"{row['seconds']:.1f}", "kept" if row["kept"] else ""
        )
    Console(highlight=False).print(table)
    # Printed without wrapping, so that a path can be copied.
    typer.echo(f"Model: {folder} ({_size(folder) / 1e6:,.1f} MB)")


TUNE_EXAMPLES = """Examples:

  legalir tune legalir/firecode/dev

  legalir tune my-statutes/train --minutes 30 --report tuning.html

  legalir tune my-statutes/train --measure R@20 --json

Then: legalir search my-statutes "question" uses the settings. Delete tuned.yaml to go back.
"""


tune_app = typer.Typer()


@tune_app.command(epilog=TUNE_EXAMPLES)
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
                "threshold": None if tuning.threshold is None else tuning.threshold._asdict(),
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
    if tuning.threshold is not None:
        console.print(tuning.threshold.sentence(), soft_wrap=True)
    if not tuning.complete:
        console.print("The time was over before all settings were tried: --minutes gives more.", soft_wrap=True)
