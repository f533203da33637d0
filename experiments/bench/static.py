"""Static encoders: ours beside ``StaticEmbedding`` of sentence-transformers, and a step of training beside torch's.

    python experiments/bench/static.py [--out DIRECTORY]

Both tables have 2^17 rows and 256 dimensions at most, and random numbers: nothing is said about quality. Every arm runs
in processes of its own, three times, with one thread; times are processor time. ``static.tsv`` is written to DIRECTORY.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from child import run_script
from figures import say

ARMS = ("legalir", "sentence-transformers", "tokens")
TITLES = ("legalir", "sentence-transformers", "their model, opened by legalir")
REPEAT = 3
MEASURES = {
    "texts_per_second": "provisions a second",
    "query_ms": "ms a question, alone",
    "opening_ms": "ms to open the model",
    "first_seconds": "s from a bare interpreter to the first vector",
    "query_peak_mb": "peak MB, questions alone",
    "peak_mb": "peak MB, 10 000 provisions at once",
}


def describe() -> str:
    """Return the number of processors and the versions that matter."""
    names = ("numpy", "scipy", "torch", "sentence-transformers", "tokenizers")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{os.cpu_count()} processors, Python {platform.python_version()}, {packages}"


def collect() -> tuple[dict[str, Any], dict[str, dict[str, float]], dict[str, float]]:
    """Return what was measured on, the figures of each arm, and those of a step."""
    with tempfile.TemporaryDirectory() as scratch:
        say("static: texts and models")
        about = run_script("static_arms", "material", scratch)
        runs: dict[str, list[dict[str, float]]] = {arm: [] for arm in ARMS}
        for turn in range(REPEAT):
            for arm in ARMS if turn % 2 == 0 else ARMS[::-1]:
                say(f"static: {arm}, {turn + 1} of {REPEAT}")
                runs[arm].append(run_script("static_arms", arm, scratch))
        say("static: steps of training")
        steps = run_script("static_arms", "steps", scratch)
    figures = {arm: {name: median(run[name] for run in found) for name in MEASURES} for arm, found in runs.items()}
    return about, figures, steps


def claims(figures: dict[str, dict[str, float]], steps: dict[str, float], real: bool) -> list[tuple[str, str, bool]]:
    """Return each claim, what was measured, and whether it holds; of the bundled collection, none."""
    ours, theirs = figures["legalir"], figures["sentence-transformers"]
    speed = ours["texts_per_second"]
    if not real:
        return []
    return [
        ("provisions encoded a second on one core: at least 2 000", f"{speed:,.0f}", speed >= 2000),
        ("ms to encode a question: below 1", f"{ours['query_ms']:.2f}", ours["query_ms"] < 1),
        (
            "a question, time over that of sentence-transformers: at most 1",
            f"{ours['query_ms'] / theirs['query_ms']:.2f}",
            ours["query_ms"] <= theirs["query_ms"],
        ),
        ("a step of training, times faster than torch's: at least 1", f"{steps['ratio']:.1f}", steps["ratio"] >= 1),
    ]


def shown(value: float) -> str:
    """Return a figure with three digits that count, or as a whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def write(file: Path, about: dict[str, Any], figures: dict[str, dict[str, float]], steps: dict[str, float]) -> None:
    """Write all figures, with the columns of ``results.tsv``."""
    lines = ["measure\tprovisions\tsystem\tvalue", f"machine\t\t\t{describe()}"]
    lines += [f"{name}\t\t\t{about[name]}" for name in ("collection", "questions", "tokens")]
    for arm, found in figures.items():
        lines += [f"static.{name}\t{about['texts']}\t{arm}\t{value:.4g}" for name, value in found.items()]
    lines += [f"static.step_ms\t{about['texts']}\t{name}\t{steps[name]:.4g}" for name in ("legalir", "torch", "ratio")]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Measure all of it, print the tables and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("results/bench"))
    out = parser.parse_args().out
    about, figures, steps = collect()
    print(f"{describe()}. {about['texts']} provisions: {about['collection']}; questions: {about['questions']}.\n")
    if not about["real"]:
        print("not run: no kr-statutes at $LEGALIR_DATA, without which nothing is claimed.\n")
    print("| claim | measured | |\n|---|---|---|")
    for text, measured, passed in claims(figures, steps, about["real"]):
        print(f"| {text} | {measured} | {'pass' if passed else '**fail**'} |")
    print(f"\n| | {' | '.join(TITLES)} |\n|---|{'--:|' * len(ARMS)}")
    for name, text in MEASURES.items():
        print(f"| {text} | {' | '.join(shown(figures[arm][name]) for arm in ARMS)} |")
    print(f"\nA step of training: {steps['legalir']:.0f} ms, with EmbeddingBag and SparseAdam {steps['torch']:.0f} ms.")
    write(out / "static.tsv", about, figures, steps)


if __name__ == "__main__":
    main()
