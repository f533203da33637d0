"""``legalir finetune``: fine-tune a language model, as a recipe says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from legalir.cli.printing import AsJson

if TYPE_CHECKING:
    from legalir.train.finetune import FineTuned

__all__ = ["EXAMPLES", "finetune"]

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
        typer.echo(json.dumps(_facts(tuned), ensure_ascii=False, indent=1))
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
