"""Neural retrieval: ours beside FlagEmbedding, sentence-transformers, a plain copy and exact search.

    python experiments/bench/neural.py [--out DIRECTORY]

Models have random weights in the layouts of real ones, but for all-MiniLM-L6-v2, which is real: nothing is said about
quality. Every arm runs in processes of its own, in turns, with one thread. ``neural.tsv`` is written to DIRECTORY.
Where there is an accelerator, models run on it, and the first line says on which.
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

REPEAT = 3
ARMS = ("legalir", "peer")
RATES = {
    "sentence": ("provisions a second, MiniLM", "SentenceTransformer.encode", "texts_per_second"),
    "m3": ("provisions a second, three heads", "BGEM3FlagModel.encode", "texts_per_second"),
    "pairs": ("pairs a second, cross-encoder", "CrossEncoder.predict", "pairs_per_second"),
}
RESCORING = ("ms a question, 100 candidates by three heads", "BGEM3FlagModel.compute_score", "ms_a_question")
SIZES = (1000, 2000, 4000)
QUERY_TOKENS = ("8", "16", "32", "64")
SHORT = QUERY_TOKENS[:2]
"""Lengths for which reading is most of the work; for longer ones the products are."""
SEARCHES = ("exact", "hnsw", "ivf")
NEAREST = ("recall", "ms_alone", "questions_per_second", "build_seconds")

Figures = dict[str, Any]
Claim = tuple[str, str, bool]


def describe(about: Figures) -> str:
    """Return the device, the number of processors and the versions that matter."""
    names = ("numpy", "torch", "transformers", "sentence-transformers", "FlagEmbedding", "faiss-cpu", "numkong")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{about['device']}, {os.cpu_count()} processors, Python {platform.python_version()}, {packages}"


def collect() -> Figures:
    """Return everything that was measured."""
    with tempfile.TemporaryDirectory() as scratch:
        say("neural: texts and models")
        about = run_script("neural_arms", "material", scratch)
        figures: Figures = {"about": about}
        commands = [name for name in (*RATES, "rescoring") if name != "sentence" or about["minilm"]]
        for command in commands:
            figures[command] = _turns(command, scratch)
        for size in SIZES:
            say(f"neural: an index of {size} provisions")
            figures[f"indexing {size}"] = run_script("neural_arms", "indexing", scratch, size)
    for command in ("maxsim", "nearest"):
        say(f"neural: {command}")
        figures[command] = run_script("neural_vectors", command)
    return figures


def _turns(command: str, scratch: str) -> dict[str, float]:
    """Return the median of each arm; the arms take turns in going first."""
    found: dict[str, list[float]] = {arm: [] for arm in ARMS}
    for turn in range(REPEAT):
        for arm in ARMS if turn % 2 == 0 else ARMS[::-1]:
            say(f"neural: {command}, {arm}, {turn + 1} of {REPEAT}")
            found[arm] += run_script("neural_arms", command, scratch, arm).values()
    return {arm: median(values) for arm, values in found.items()}


def claims(figures: Figures) -> list[Claim]:
    """Return each claim, what was measured, and whether it holds."""
    found: list[Claim] = []
    slow, fast = figures["rescoring"]["peer"], figures["rescoring"]["legalir"]
    times = slow / fast
    found.append(("rescoring, times faster than compute_score: at least 50", f"{times:,.0f}", times >= 50))
    for command, (_, peer, _) in RATES.items():
        if command in figures:
            ratio = figures[command]["legalir"] / figures[command]["peer"]
            found.append((f"throughput over that of {peer}: at least 1", f"{ratio:.2f}", ratio >= 1))
    for kind in ("float16", "int8"):
        rates = figures["maxsim"]
        shares = {tokens: rates[f"{kind} {tokens}"] / rates[f"{kind} copy"] for tokens in QUERY_TOKENS}
        held = min(shares[tokens] for tokens in SHORT) >= 0.5
        text = ", ".join(f"{share:.2f} ({tokens})" for tokens, share in shares.items())
        found.append(
            (
                f"MaxSim of {kind}, bytes a second over those of a copy: at least 0.5 up to {SHORT[-1]} tokens",
                text,
                held,
            )
        )
    peaks = [figures[f"indexing {size}"]["peak_mb"] for size in SIZES]
    growth = peaks[-1] / peaks[0]
    found.append(
        (
            f"peak memory of indexing, {SIZES[-1]} over {SIZES[0]} provisions: at most 1.1",
            f"{growth:.2f}",
            growth <= 1.1,
        )
    )
    return found


def rows(figures: Figures) -> list[tuple[str, str, str, float]]:
    """Return all figures: measure, size, system, value."""
    found = []
    for command, (_, _, unit) in {**RATES, "rescoring": RESCORING}.items():
        found += [(f"{command}.{unit}", "", arm, value) for arm, value in figures.get(command, {}).items()]
    for size in SIZES:
        found += [
            (f"indexing.{name}", str(size), "legalir", value) for name, value in figures[f"indexing {size}"].items()
        ]
    for command, unit in (("maxsim", "gb_per_second"), ("nearest", "")):
        for name, value in figures[command].items():
            system, _, what = name.partition(" ")
            found.append((f"{command}.{unit or what}", what if unit else "", system, value))
    return found


def write(file: Path, figures: Figures) -> None:
    """Write all figures, with the columns of ``results.tsv``."""
    about = figures["about"]
    lines = ["measure\tprovisions\tsystem\tvalue", f"machine\t\t\t{describe(about)}"]
    lines += [f"{name}\t\t\t{about[name]}" for name in ("collection", "questions", "device")]
    lines += [f"{measure}\t{size}\t{system}\t{value:.4g}" for measure, size, system, value in rows(figures)]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def show(figures: Figures) -> None:
    """Print the claims and the tables."""
    print("| claim | measured | |\n|---|---|---|")
    for text, measured, passed in claims(figures):
        print(f"| {text} | {measured} | {'pass' if passed else '**fail**'} |")
    print("\n| | legalir | beside | |\n|---|--:|--:|---|")
    for command, (text, peer, _) in {**RATES, "rescoring": RESCORING}.items():
        if command in figures:
            print(f"| {text} | {figures[command]['legalir']:,.1f} | {figures[command]['peer']:,.1f} | {peer} |")
    print(f"\n| MaxSim, GB a second | a copy | {' | '.join(f'{tokens} tokens' for tokens in QUERY_TOKENS)} |")
    print(f"|---|{'--:|' * (1 + len(QUERY_TOKENS))}")
    for kind in ("float16", "int8"):
        rates = [figures["maxsim"][f"{kind} {part}"] for part in ("copy", *QUERY_TOKENS)]
        print(f"| {kind} | {' | '.join(f'{rate:.1f}' for rate in rates)} |")
    print("\n| provisions | peak MB | index MB |\n|--:|--:|--:|")
    for size in SIZES:
        found = figures[f"indexing {size}"]
        print(f"| {size:,} | {found['peak_mb']:,.0f} | {found['index_mb']:,.0f} |")
    print("\n| 100 000 vectors | of the 10 best | ms a question, alone | questions a second | s to build |")
    print("|---|--:|--:|--:|--:|")
    for kind in SEARCHES:
        recall, alone, rate, build = (figures["nearest"][f"{kind} {what}"] for what in NEAREST)
        print(f"| {kind} | {recall:.3f} | {alone:.2f} | {rate:,.0f} | {build:,.0f} |")


def main() -> None:
    """Measure all of it, print the tables and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("results/bench"))
    out = parser.parse_args().out
    figures = collect()
    about = figures["about"]
    print(f"{describe(about)}. Provisions: {about['collection']}; questions: {about['questions']}.\n")
    if not about["real"]:
        print("no kr-statutes at $LEGALIR_DATA: the bundled collection stands in, and indexes have fewer provisions.\n")
    show(figures)
    write(out / "neural.tsv", figures)


if __name__ == "__main__":
    main()
