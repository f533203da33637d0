"""Scores and gains against the similarity to the nearest training query, and against what training has judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from legalir.extras import require

SYSTEMS = {"static": "#2458b3", "copies": "#b8442c", "copy of the nearest": "#e0a100", "BM25": "#6b7280"}
GAINS = {"R@10": "#17804f", "nDCG@10": "#8b5cb8", "MultiHitRate@10": "#c2708f"}
DISTANCE = "similarity to the nearest training query (tenths, medians)"


def draw(table: pd.DataFrame, medians: Sequence[float], path: Path) -> None:
    """Draw four panels: R@10 and the gain of tenths of the queries, below thresholds, and by times judged.

    Args:
        table: the lines of ``recurrence.tsv``.
        medians: the median similarity of each tenth, in the order of the table.
        path: of the SVG.
    """
    matplotlib = require("matplotlib", extra="report")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "legalir", "svg.fonttype": "none", "font.size": 9})
    figure, panels = pyplot.subplots(2, 2, figsize=(10.5, 8))
    table = table.astype({"value": float, "low": float, "high": float})
    tenths = table[table["by"] == "tenth"]
    first, second, third, fourth = panels.flat
    _lines(first, medians, tenths[tenths["measure"] == "R@10"], "system", SYSTEMS)
    first.set(title="R@10", xlabel=DISTANCE, ylim=(0, 100))
    _lines(second, medians, tenths[tenths["system"] == "gain"], "measure", GAINS)
    second.set(title="Gain of static on BM25, points", xlabel=DISTANCE, ylim=(0, 80))
    _below(third, table[(table["by"] == "below") & (table["measure"] == "R@10")])
    judged = table[table["by"] == "times judged in training"]
    groups = list(dict.fromkeys(judged["group"]))
    _lines(fourth, range(len(groups)), judged, "system", SYSTEMS)
    fourth.set(title="Gold provisions among the first 10, %", ylim=(0, 100))
    fourth.set_xticks(range(len(groups)), groups)
    fourth.set_xlabel("training queries for which the provision is right")
    for axes, place in zip(panels.flat, ("lower right", "lower right", "upper left", "upper left"), strict=True):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e5e7eb", lw=0.7)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc=place, ncols=2 if place == "upper left" else 1)
    figure.tight_layout(h_pad=2, w_pad=2)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def _lines(axes: Any, x: Sequence[float], table: pd.DataFrame, column: str, colours: Mapping[str, str]) -> None:
    """Draw a line with its interval for each value of `column`, in percent."""
    for label, colour in colours.items():
        rows = table[table[column] == label]
        axes.fill_between(x, 100 * rows["low"], 100 * rows["high"], color=colour, alpha=0.13, lw=0)
        axes.plot(x, 100 * rows["value"], "o-", color=colour, ms=3.5, lw=1.4, label=label)


def _below(axes: Any, table: pd.DataFrame) -> None:
    counts = table[table["system"] == "gain"]
    x = [1.0 if group == "all" else float(group) for group in counts["group"]]
    _lines(axes, x, table, "system", {**SYSTEMS, "gain": GAINS["R@10"]})
    for place, queries in enumerate(counts["queries"]):
        axes.annotate(str(queries), (x[place], 1 + 5 * (place % 2)), ha="center", fontsize=7, color="#6b7280")
    axes.set(title="R@10 of the queries below a threshold", ylim=(0, 119), yticks=range(0, 101, 20))
    axes.set_xlabel("threshold on that similarity; 1: all (at the bottom: number of queries)")
