"""``legalir train``: train a model, from options or from a recipe.

``legalir finetune``: fine-tune a language model, as a recipe says.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.printing import AsJson, print_json

if TYPE_CHECKING:
    from legalir.train import TrainedModel
    from legalir.train.finetune import FineTuned

__all__ = ["EXAMPLES", "app", "finetune"]

EXAMPLES = """Examples:

  legalir finetune experiments/neural/finetune/bge-m3.yaml

  legalir finetune recipe.yaml --model path/to/folder --out my-model --epochs 1 --device cpu

  legalir finetune recipe.yaml --resume

A recipe, whose other keys have defaults:

  dataset: my-statutes/train
  dev: dev
  model: BAAI/bge-m3
  objective: unified
  negatives: bm25
  hard: 3
  out: my-model

Then: legalir search my-statutes "question" --pipeline 'dense("my-model")'
"""

Option = typer.Option


def finetune(
    recipe: Annotated[Path, typer.Argument(help="A recipe (YAML).", show_default=False)],
    model: Annotated[
        str | None, Option(help="What is tuned: a name on the hub, or a folder.", show_default="the recipe's")
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="Folder of the tuned model.", show_default="the recipe's")
    ] = None,
    epochs: Annotated[int | None, Option(help="Passes over the pairs.", show_default="the recipe's")] = None,
    device: Annotated[str | None, Option(help="cpu, cuda or mps.", show_default="the recipe's")] = None,
    resume: Annotated[
        bool | None,
        Option(
            "--resume/--no-resume",
            help="Go on with the training in OUT.partial, or begin anew.",
            show_default="go on if it has the same recipe, model and data",
        ),
    ] = None,
    replace: Annotated[bool, Option("--replace", help="Replace the tuned model at OUT.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fine-tune a language model on queries and the provisions right for them: one vector a text, or M3's three heads.

    Ctrl-C ends after the step that is under way; the same command goes on from there.
    """
    from legalir.train.finetune import FineTuning
    from legalir.train.finetune import finetune as carry_out

    given = {"model": model, "out": None if out is None else str(out), "epochs": epochs, "device": device}
    chosen = FineTuning.load(recipe, **{key: value for key, value in given.items() if value is not None})
    tuned = carry_out(chosen, resume=resume, replace=replace, lines=not as_json)
    if as_json:
        print_json(_facts(tuned))
    else:
        _print(chosen.objective, tuned)


def _facts(tuned: FineTuned) -> dict[str, Any]:
    return {
        "out": str(tuned.path),
        "bytes": _size(tuned.path),
        "history": json.loads(tuned.history.to_json(orient="records", double_precision=15)),
    }


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _print(objective: str, tuned: FineTuned) -> None:
    from rich.console import Console
    from rich.table import Table

    measures = [name for name in tuned.history.columns if "@" in name]
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for name in ("epoch", "loss", *measures, "seconds", ""):
        table.add_column(name, justify="left" if not name else "right")
    for row in tuned.history.to_dict("records"):
        loss = "" if row["epoch"] == 0 else f"{row['loss']:.3f}"
        scores = [f"{100 * row[name]:.1f}" for name in measures]
        table.add_row(str(row["epoch"]), loss, *scores, f"{row['seconds']:.0f}", "kept" if row["kept"] else "")
    Console(highlight=False).print(table)
    # Printed without wrapping, so that a path can be copied.
    typer.echo(f"Model: {tuned.path} ({_size(tuned.path) / 1e6:,.1f} MB)")
    name = "dense" if objective == "dense" else "m3"
    typer.echo(f"Use it: --pipeline '{name}(\"{tuned.path}\")'")
    if tuned.note is not None:
        typer.echo(tuned.note)


app = typer.Typer(help="Train a model that finds provisions.", no_args_is_help=True)


@app.callback()
def _train() -> None:
    """Train a model that finds provisions."""


STATIC_EXAMPLES = """Examples:

  legalir train static legalir/firecode --from citations,headings --out firecode-model

  legalir train static my-statutes/train --from judgements --dev dev --patience 2 --out model

  legalir train static my-statutes/train --from judgements --negatives 'bm25' --out model

  legalir train static --recipe recipe.yaml

Then: legalir search my-statutes "question" --pipeline 'static(model="model")'
"""


@app.command(epilog=STATIC_EXAMPLES)
def static(
    dataset: Annotated[
        str | None,
        typer.Argument(help="An id or the path of a folder, with the split to learn from.", show_default=False),
    ] = None,
    sources: Annotated[
        str | None,
        Option("--from", help="Some of judgements,citations,headings.", show_default="judgements"),
    ] = None,
    out: Annotated[Path | None, Option("--out", "-o", help="Folder of the model.", show_default=False)] = None,
    recipe: Annotated[
        Path | None, Option(help="A recipe (YAML); other options stand instead of its values.", show_default=False)
    ] = None,
    dev: Annotated[str | None, Option(help="Split that each epoch is measured on.", show_default="none")] = None,
    patience: Annotated[
        int | None, Option(help="End after so many epochs without a better one.", show_default="never")
    ] = None,
    seed: Annotated[int | None, Option(help="Of every draw.", show_default="1")] = None,
    dim: Annotated[int | None, Option(help="Numbers of a vector.", show_default="256")] = None,
    rows: Annotated[
        int | None, Option(help="Rows that n-grams and words are hashed to.", show_default="131072")
    ] = None,
    epochs: Annotated[int | None, Option(help="Passes over the pairs.", show_default="3")] = None,
    batch: Annotated[int | None, Option(help="Pairs of a step.", show_default="256")] = None,
    rate: Annotated[float | None, Option(help="Rate of learning.", show_default="0.003")] = None,
    temperature: Annotated[float | None, Option(help="Cosines are divided by it.", show_default="0.05")] = None,
    negatives: Annotated[
        str | None,
        Option(help="What finds hard negatives: model, random, or a pipeline expression.", show_default="model"),
    ] = None,
    hard: Annotated[int | None, Option(help="Hard negatives kept for a query.", show_default="16")] = None,
    precision: Annotated[str | None, Option(help="float16 or int8.", show_default="float16")] = None,
    threads: Annotated[int | None, Option(help="Threads; the model does not depend on it.", show_default="all")] = None,
    resume: Annotated[
        bool | None,
        Option(
            "--resume/--no-resume",
            help="Go on with the training in OUT.partial, or begin anew.",
            show_default="go on if it has the same recipe and data",
        ),
    ] = None,
    replace: Annotated[bool, Option("--replace", help="Replace the model at OUT.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a static encoder: a vector for every n-gram and word, in minutes and without a GPU."""
    from legalir.train.static import train_recipe

    given: dict[str, Any] = {
        "dataset": dataset,
        "out": None if out is None else str(out),
        "sources": None if sources is None else [name.strip() for name in sources.split(",")],
        "dev": dev,
        "patience": patience,
        "seed": seed,
        "dim": dim,
        "rows": rows,
        "epochs": epochs,
        "batch": batch,
        "rate": rate,
        "temperature": temperature,
        "negatives": negatives,
        "hard": hard,
        "precision": precision,
        "threads": threads,
    }
    chosen = _recipe(recipe, {key: value for key, value in given.items() if value is not None})
    trained = train_recipe(chosen, resume=resume, replace=replace, lines=not as_json)
    if as_json:
        print_json(_facts_train(trained))
    else:
        _print_train(trained)


def _recipe(file: Path | None, given: dict[str, Any]) -> Any:
    from legalir.train.recipe import Recipe

    if file is not None:
        return Recipe.load(file, **given)
    for key, name in (("dataset", "DATASET"), ("out", "--out")):
        if key not in given:
            raise typer.BadParameter(f"give {name}, or a recipe with --recipe.")
    return Recipe.parse(given, "train static")


def _facts_train(trained: TrainedModel) -> dict[str, Any]:
    return {
        "out": str(trained.path),
        "bytes": _size_train(trained.path),
        "fingerprint": trained.model.fingerprint,
        "history": json.loads(trained.history.to_json(orient="records", double_precision=15)),
    }


def _size_train(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def _print_train(trained: TrainedModel) -> None:
    from rich.console import Console
    from rich.table import Table

    history = trained.history
    measures = [name for name in history.columns if "@" in name]
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for name in ("epoch", "loss", *measures, "seconds", ""):
        table.add_column(name, justify="left" if not name else "right")
    for row in history.to_dict("records"):
        scores = [f"{100 * row[name]:.1f}" for name in measures]
        kept = "kept" if row["kept"] else ""
        table.add_row(str(row["epoch"]), f"{row['loss']:.3f}", *scores, f"{row['seconds']:.1f}", kept)
    Console(highlight=False).print(table)
    # Printed without wrapping, so that a path can be copied.
    typer.echo(f"Model: {trained.path} ({_size_train(trained.path) / 1e6:,.1f} MB)")
    typer.echo(f"Use it: --pipeline 'static(model=\"{trained.path}\")'")
