"""The card of a tuned model, as data (``finetuning.json``) and as a README, and its history as a table and a plot."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import legalir
from legalir.extend import CausalFiles, Material, dataset_facts
from legalir_finetune.anchors import dev_set
from legalir_finetune.model import BaseModel
from legalir_finetune.recipes import FineTuning, Pretraining

if TYPE_CHECKING:
    from legalir import Collection

CARD = "finetuning.json"
"""The file that identifies a model tuned by legalir."""

_TABLE, _PICTURES = "history.tsv", ("history.svg", "history.png")


def write_card(
    folder: Path,
    recipe: FineTuning,
    collection: Collection,
    base: BaseModel,
    material: Material,
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Write the card of a fine-tuned encoder.

    Args:
        folder: of the model.
        recipe: the recipe.
        collection: the collection that was learnt from.
        base: the base model.
        material: the data read from the collection.
        rows: the history; ``kept`` marks the epoch of this model.
    """
    facts, dev = dataset_facts(collection), dev_set(recipe, material)
    card = {
        "sources": [{**facts, **source, "fingerprint": material.data["train"]} for source in material.sources],
        "corpus": {"documents": len(material.docnos), "sha256": material.data["corpus"], **facts},
        "recipe": {**recipe.settings(), "pooling": base.pooling},
        "epoch": next(row["epoch"] for row in rows if row["kept"]),
        "dev": None
        if dev is None
        else {"split": recipe.dev, "queries": len(dev.queries), "provisions": len(dev.passages)},
    }
    heads = "one vector a text" if recipe.objective == "dense" else "the three heads of M3"
    figures = [
        _measured(card),
        "",
        "*moved*: anchors that waited for a batch without conflict; *left*: anchors that an epoch did without.",
        "",
        *_history_table(rows),
    ]
    library = "peft" if recipe.writes_adapter else "sentence-transformers"
    kind = (library, "fine-tuned to find statutes", f"; objective: {heads}")
    _write(folder, base, card, rows, kind, [*map(_source, card["sources"]), _negatives(card["recipe"])], figures)


def write_pretraining_card(
    folder: Path,
    recipe: Pretraining,
    files: CausalFiles,
    dataset: Mapping[str, Any],
    counts: Mapping[str, Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Write the card of a pretrained model.

    Args:
        folder: of the model.
        recipe: the recipe.
        files: the base model.
        dataset: facts about the collection.
        counts: ``provisions``, ``tokens`` and ``sha256`` of ``learnt`` and ``held_out``.
        rows: the history.
    """
    learnt, held_out = counts["learnt"], counts["held_out"]
    source = (
        f"- Provisions of `{dataset['dataset']}` ({dataset['title'] or 'no title'}; licence: "
        f"{dataset['licence'] or 'not stated'}): {learnt['provisions']}, {learnt['tokens']} tokens (sha256 "
        f"{learnt['sha256']})."
    )
    figures = [
        f"Perplexity for each token on {held_out['provisions']} provisions that were not learnt from, "
        f"{held_out['tokens']} tokens. It chose nothing. Epoch 0 is the model before. Models with other tokens cannot "
        f"be compared with it.",
        "",
        *_history_table(rows),
        "",
        "A lower perplexity does not mean that answers are right, or that the model abstains where it should.",
    ]
    kind = ("transformers", "pretrained further on statutes", ", kind: pretrain")
    _write(folder, files, {"corpus": {**dataset, **counts}, "recipe": recipe.settings()}, rows, kind, [source], figures)


def _write(
    folder: Path,
    base: BaseModel | CausalFiles,
    facts: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    kind: tuple[str, str, str],
    sources: Sequence[str],
    figures: Sequence[str],
) -> None:
    """Write a card as data and as a README, without any path of this machine."""
    made_by, (library, title, made) = f"legalir {legalir.__version__}", kind
    card = {"made_by": made_by, "base": {"model": base.name, "licence": base.licence, "sha256": base.digest}, **facts}
    text = json.dumps({**card, "history": [dict(row) for row in rows]}, ensure_ascii=False, indent=1)
    (folder / CARD).write_text(text + "\n", encoding="utf-8")
    page = [
        "---",
        *([f"license: {base.licence.lower()}"] if base.licence not in (None, "unknown") else []),
        f"base_model: {base.name}",
        f"library_name: {library}",
        "---",
        "",
        f"# {base.name}, {title}",
        "",
        f"Made by {made_by}, `legalir finetune`{made}.",
        "",
        "## Made from",
        "",
        f"- Base model: `{base.name}`, licence: {base.licence or 'not stated'}. Its terms hold here, too.",
        *sources,
        "",
        "## How",
        "",
        *(f"- {name}: {value}" for name, value in facts["recipe"].items() if value is not None),
        "",
        "## Figures",
        "",
        *figures,
    ]
    (folder / "README.md").write_text("\n".join(page) + "\n", encoding="utf-8")


def _source(source: Mapping[str, Any]) -> str:
    return (
        f"- {source['source']} of `{source['dataset']}` ({source['title'] or 'no title'}; licence: "
        f"{source['licence'] or 'not stated'}): {source['queries']} queries, {source['pairs']} pairs; left out as dev "
        f"queries: {source['left_out']}."
    )


def _negatives(recipe: Mapping[str, Any]) -> str:
    guard = "in no batch is a provision a negative of a query that it is right for."
    if not recipe["hard"]:
        return f"- Negatives: the provisions of the other queries of a batch; {guard}"
    best = f"the best {recipe['pool'] or recipe['hard']} wrong provisions of `{recipe['negatives']}`"
    return f"- Hard negatives: {best}, {recipe['hard']} an anchor; {guard}"


def _measured(card: Mapping[str, Any]) -> str:
    dev = card["dev"]
    if dev is None:
        return "Nothing was measured; the last epoch is kept."
    head = "" if card["recipe"]["objective"] == "dense" else " by the dense head"
    whole = dev["provisions"] == card["corpus"]["documents"]
    among = "all" if whole else "a part, those right for any dev query and others drawn at random:"
    return (
        f"{dev['queries']} queries of the split `{dev['split']}`, sought{head} among {among} {dev['provisions']} "
        f"provisions. They chose the epoch, so that they flatter it. Epoch 0 is the model before."
    )


def _history_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the history as a table in Markdown; shares are percent."""
    columns = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in ("seconds", "kept")]
    lines = [f"| {' | '.join(columns)} | |", "|" + "--:|" * len(columns) + "---|"]
    for row in rows:
        cells = [_cell(name, row.get(name)) for name in columns]
        lines.append(f"| {' | '.join(cells)} | {'kept' if row['kept'] else ''} |")
    return lines


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    return f"{100 * value:.2f}" if "@" in name else f"{value:.4f}" if isinstance(value, float) else str(value)


def write_history(folder: Path, rows: Sequence[Mapping[str, Any]], measure: str) -> str | None:
    """Write ``history.tsv``, and ``history.svg`` and ``history.png`` with loss and measure over epochs.

    Args:
        folder: of the model.
        rows: one for each epoch; None is an empty cell.
        measure: the column that is drawn, if there is one.

    Returns:
        None, or a sentence that says why there is no picture.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with (folder / _TABLE).open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, columns, delimiter="\t", lineterminator="\n", restval="")
        table.writeheader()
        for row in rows:
            table.writerow({name: _text(value) for name, value in row.items()})
    if find_spec("matplotlib") is None:
        return "No picture of the history: the package matplotlib is not installed: pip install matplotlib."
    _draw(folder, rows, measure)
    return None


def _text(value: object) -> str:
    return "" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)


def _draw(folder: Path, rows: Sequence[Mapping[str, Any]], measure: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    left = figure.add_subplot()
    trained = [row for row in rows if row["loss"] is not None]
    left.plot(
        [row["epoch"] for row in trained], [row["loss"] for row in trained], "o--", color="tab:gray", label="loss"
    )
    left.set_xlabel("epoch")
    left.set_ylabel("loss of training")
    left.set_xticks([row["epoch"] for row in rows])
    drawn = [row for row in rows if row.get(measure) is not None]
    if drawn:
        right = left.twinx()
        share = "@" in measure
        values = [100 * row[measure] if share else row[measure] for row in drawn]
        right.plot([row["epoch"] for row in drawn], values, "o-", color="tab:blue")
        right.set_ylabel(f"{measure} on {'dev queries, %' if share else 'held-out provisions'}", color="tab:blue")
        right.set_ylim(bottom=0)
    for name in _PICTURES:
        figure.savefig(folder / name, dpi=150, metadata={"Date": None} if name.endswith("svg") else None)
