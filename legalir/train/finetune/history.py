"""The history of a fine-tuning beside its model: a table, and a picture where matplotlib is installed."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from legalir.errors import MissingExtra
from legalir.extras import require

__all__ = ["PICTURES", "TABLE", "write_history"]

TABLE, PICTURES = "history.tsv", ("history.svg", "history.png")


def write_history(folder: Path, rows: Sequence[Mapping[str, Any]], measure: str) -> str | None:
    """Write ``history.tsv``, and ``history.svg`` and ``history.png`` with loss and measure over epochs.

    Args:
        folder: of the model.
        rows: one for each epoch; what is None is left empty.
        measure: the column that is drawn, where there is one.

    Returns:
        None, or the sentence that says why there is no picture.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with (folder / TABLE).open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, columns, delimiter="\t", lineterminator="\n", restval="")
        table.writeheader()
        for row in rows:
            table.writerow({name: _text(value) for name, value in row.items()})
    try:
        require("matplotlib", extra="report")
    except MissingExtra as error:
        return f"No picture of the history: {error}"
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
        right.plot([row["epoch"] for row in drawn], [100 * row[measure] for row in drawn], "o-", color="tab:blue")
        right.set_ylabel(f"{measure} on dev queries, %", color="tab:blue")
        right.set_ylim(bottom=0)
    for name in PICTURES:
        figure.savefig(folder / name, dpi=150, metadata={"Date": None} if name.endswith("svg") else None)
