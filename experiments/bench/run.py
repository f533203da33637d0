"""Speed and memory of legalir beside bm25s: ``make bench``; see README.md in this folder.

python experiments/bench/run.py [--provisions N] [--out DIR] [--repeat N]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import machine
import plot
import report
from figures import collect, say


def main() -> None:
    """Measure, write ``results.tsv`` and ``growth.svg``, print claims and table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--provisions", type=int, help="at most this many provisions; by default all")
    parser.add_argument("--out", type=Path, default=Path("results/bench"), help="folder (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="builds of each index (default: %(default)s)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="legalir-bench-") as scratch:
        figures = collect(Path(scratch), options.provisions, max(1, options.repeat))
    described = machine.describe()
    report.write(figures, described, options.out)
    plot.draw(figures, options.out / "growth.svg")
    print(report.markdown(figures, described))
    say(f"wrote {options.out}/results.tsv and growth.svg")


if __name__ == "__main__":
    main()
