"""Confusion matrices of raters as a picture."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

from legalir.errors import MeasureError
from legalir_study.agreement import Agreement

FORMATS = (".svg", ".png", ".pdf")
"""Endings of the files that are written."""


def draw_matrices(figures: Mapping[tuple[str, str, str], Agreement], path: Path) -> None:
    """Write a picture of the confusion matrix of each pair of raters; the darker a cell, the larger its share of a row.

    Args:
        figures: agreement by measure, rater of the rows, and rater of the columns; each with at least one answer.
        path: a file that ends in one of :data:`FORMATS`.

    Raises:
        MeasureError: the file has another ending, or cannot be written.
    """
    if path.suffix.lower() not in FORMATS:
        raise MeasureError(f"{path} must end in {', '.join(FORMATS)}: these are the pictures that can be written.")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(3, len(figures))
    rows = -(-len(figures) // columns)
    # Text stays text in an SVG, so that the reader's fonts show names in any script.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "legalir"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*", category=UserWarning)
        figure = Figure(figsize=(3.4 * columns, 3.6 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for place, ((measure, first, second), one) in enumerate(figures.items()):
            panel = axes[place]
            shares = one.confusion / one.confusion.sum(axis=1, keepdims=True).clip(min=1)
            panel.imshow(shares, cmap="Blues", vmin=0, vmax=1)
            labels = [f"{label:g}" for label in one.labels]
            panel.set_xticks(range(len(labels)), labels)
            panel.set_yticks(range(len(labels)), labels)
            panel.set_xlabel(second, parse_math=False)
            panel.set_ylabel(first, parse_math=False)
            kappa = "undefined" if "kappa" in one.undefined else f"{one.kappa:.2f}"
            panel.set_title(f"{measure}: n = {one.n}, κ {kappa}", fontsize=10, parse_math=False)
            for row, counts in enumerate(one.confusion.tolist()):
                for column, count in enumerate(counts):
                    shade = "white" if shares[row, column] > 0.5 else "black"
                    panel.text(column, row, str(count), ha="center", va="center", color=shade)
        for panel in axes[len(figures) :]:
            panel.set_axis_off()
        try:
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
        except OSError as error:
            raise MeasureError(f"{path} cannot be written ({error.strerror or error}): give another place.") from error
