"""``legalir finetune``: train a language model, from a recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from legalir_finetune.trainer import FineTuned

Option = typer.Option

EXAMPLES = """Examples:

  legalir finetune my-statutes/train --dev dev --out my-e5

  legalir finetune my-statutes --from citations,headings --out my-e5

  legalir finetune experiments/neural/finetune/bge-m3.yaml

  legalir finetune recipe.yaml --model path/to/folder --out my-model --epochs 1 --device cpu

  legalir finetune recipe.yaml --resume

  legalir finetune experiments/neural/finetune/smollm2.yaml

A recipe (other keys have defaults):

  dataset: my-statutes/train
  dev: dev
  model: BAAI/bge-m3
  objective: unified
  negatives: bm25
  hard: 3
  out: my-model

Then: legalir search my-statutes "question" --pipeline 'dense("my-model")'

A collection in place of a recipe is learnt from by the encoder e5, with LoRA.

A recipe with 'kind: pretrain' trains a model that writes text.
"""

app = typer.Typer()


@app.command(epilog=EXAMPLES)
def finetune(
    recipe: Annotated[
        Path,
        typer.Argument(
            help="YAML file of a recipe; or dataset id or folder, with the split that e5 learns from.",
            show_default=False,
        ),
    ],
    sources: Annotated[
        str | None,
        Option(
            "--from",
            help="Sources of queries: judgements, citations, headings (comma-separated).",
            show_default="the recipe's",
        ),
    ] = None,
    dev: Annotated[str | None, Option(help="Split used to measure each epoch.", show_default="the recipe's")] = None,
    model: Annotated[
        str | None, Option(help="Base model: e5, a name on the hub, or a folder.", show_default="the recipe's")
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="Folder for the tuned model.", show_default="the recipe's")
    ] = None,
    epochs: Annotated[int | None, Option(help="Number of passes over the data.", show_default="the recipe's")] = None,
    device: Annotated[str | None, Option(help="Device: cpu, cuda or mps.", show_default="the recipe's")] = None,
    resume: Annotated[
        bool | None,
        Option(
            "--resume/--no-resume",
            help="Continue the training in OUT.partial, or start again.",
            show_default="go on if it has the same recipe and data",
        ),
    ] = None,
    replace: Annotated[bool, Option("--replace", help="Replace the model at OUT.")] = False,
    as_json: Annotated[bool, Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Fine-tune a language model: an encoder on queries and relevant provisions, or a generative model on provisions.

    Ctrl-C stops the training after the current step; the same command continues from there.
    """
    from legalir_finetune import FineTuning, load_recipe, pretrain
    from legalir_finetune import finetune as tune

    changes: dict[str, object] = {"model": model, "out": out, "epochs": epochs, "device": device, "dev": dev}
    changes["sources"] = None if sources is None else [name.strip() for name in sources.split(",")]
    chosen = load_recipe(recipe, **{name: value for name, value in changes.items() if value is not None})
    if isinstance(chosen, FineTuning):
        tuned = tune(chosen, resume=resume, replace=replace, lines=not as_json)
        encoder = f"e5(adapter='{tuned.path}')" if chosen.writes_adapter else tuned.path
        use = f"--pipeline '{'dense' if chosen.objective == 'dense' else 'm3'}(\"{encoder}\")'"
    else:
        tuned = pretrain(chosen, resume=resume, replace=replace, lines=not as_json)
        use = f"--llm 'transformers(model=\"{tuned.path}\")'"
    size = sum(file.stat().st_size for file in tuned.path.rglob("*") if file.is_file())
    if as_json:
        rows = json.loads(tuned.history.to_json(orient="records", double_precision=15))
        facts = {"out": str(tuned.path), "bytes": size, "history": rows}
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))
        return
    _print_history(tuned)
    # Printed without wrapping, so that a path can be copied.
    typer.echo(f"Model: {tuned.path} ({size / 1e6:,.1f} MB)")
    typer.echo(f"Use it: {use}")
    if tuned.note is not None:
        typer.echo(tuned.note)


def _print_history(tuned: FineTuned) -> None:
    """Print a row for each epoch."""
    from rich.console import Console
    from rich.table import Table

    measures = [name for name in tuned.history.columns if "@" in name or name == "perplexity"]
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for name in ("epoch", "loss", *measures, "seconds", ""):
        table.add_column(name, justify="left" if not name else "right")
    for row in tuned.history.to_dict("records"):
        loss = "" if row["epoch"] == 0 else f"{row['loss']:.3f}"
        scores = [f"{100 * row[name]:.1f}" if "@" in name else f"{row[name]:.2f}" for name in measures]
        table.add_row(str(row["epoch"]), loss, *scores, f"{row['seconds']:.0f}", "kept" if row["kept"] else "")
    Console(highlight=False).print(table)
