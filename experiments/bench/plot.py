"""Growth as one picture: build seconds, peak memory, index size and milliseconds a question over provisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from figures import ARMS, Figures

_COLOURS = {"legalir": "#1f5fa8", "bm25s": "#c0612b"}
_MARKERS = {"legalir": "o", "bm25s": "s"}


def draw(figures: Figures, path: Path) -> None:
    """Draw four panels with logarithmic axes, one line an arm."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator

    panels: dict[str, Callable[[int, str], float]] = {
        "whole build, seconds": lambda size, arm: figures.build(size, arm, "seconds"),
        "peak memory, MB": lambda size, arm: figures.build(size, arm, "peak_mb"),
        "index on disk, MB": lambda size, arm: figures.build(size, arm, "bytes") / 1e6,
        "one question, ms": figures.query_ms,
    }
    sizes = figures.about["sizes"]
    # Text stays text and identifiers do not change from run to run.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "legalir", "font.family": "sans-serif"}):
        figure = Figure(figsize=(9, 6.4), layout="constrained")
        for axes, (title, value) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
            for arm in ARMS:
                values = [value(size, arm) for size in sizes]
                axes.plot(sizes, values, marker=_MARKERS[arm], color=_COLOURS[arm], label=arm)
                axes.annotate(
                    _number(values[-1]),
                    (sizes[-1], values[-1]),
                    xytext=(7, 0),
                    textcoords="offset points",
                    color=_COLOURS[arm],
                    va="center",
                    fontsize=9,
                )
            axes.set(title=title, xscale="log", yscale="log")
            axes.set_xticks(sizes, [_short(size) for size in sizes])
            axes.minorticks_off()
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
            axes.margins(x=0.14)
            axes.grid(alpha=0.25)
            axes.spines[["top", "right"]].set_visible(False)
        figure.axes[0].legend(frameon=False)
        figure.supxlabel(f"provisions of {figures.about['collection']}")
        figure.savefig(path, metadata={"Date": None})


def _short(size: int) -> str:
    return str(size) if size < 1000 else f"{size / 1000:.1f}k" if size < 5000 else f"{size / 1000:.0f}k"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
