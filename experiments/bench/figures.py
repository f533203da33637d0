"""The figures of one run of the bench, and what they are drawn from."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import starts
from child import run_script

ARMS = ("legalir", "bm25s")
ROUNDS = 7


@dataclass
class Figures:
    """Everything measured, before medians are taken.

    Attributes:
        about: ``collection``, ``questions`` and ``sizes``, ascending.
        builds: by size and arm, what each repetition measured.
        answers: by size, the seconds of each round by arm, and how far the rankings agree.
        import_seconds: median of ``import legalir`` after ``import pyterrier``.
        search: what was searched from the shell, and its median seconds.
    """

    about: dict[str, Any]
    builds: dict[tuple[int, str], list[dict[str, float]]] = field(default_factory=dict)
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)
    import_seconds: float = 0.0
    search: tuple[str, float] = ("", 0.0)

    @property
    def largest(self) -> int:
        """The size of the whole collection."""
        return int(self.about["sizes"][-1])

    def build(self, size: int, arm: str, measure: str) -> float:
        """Return the median over the repetitions."""
        return median(run[measure] for run in self.builds[size, arm])

    def build_ratio(self, size: int, measure: str) -> float:
        """Return the median over the repetitions of ours divided by bm25s."""
        pairs = zip(self.builds[size, "legalir"], self.builds[size, "bm25s"], strict=True)
        return median(ours[measure] / theirs[measure] for ours, theirs in pairs)

    def query_ms(self, size: int, arm: str) -> float:
        """Return the median milliseconds a question."""
        answers = self.answers[size]
        return 1000 * median(answers["seconds"][arm]) / float(answers["questions"])

    def speed_ratio(self, size: int) -> float:
        """Return the median over the rounds of our queries per second divided by those of bm25s."""
        seconds = self.answers[size]["seconds"]
        pairs = zip(seconds["legalir"], seconds["bm25s"], strict=True)
        return median(theirs / ours for ours, theirs in pairs)


def collect(scratch: Path, provisions: int | None, repeat: int) -> Figures:
    """Measure everything; indexes and texts live in `scratch`."""
    say("writing the texts")
    figures = Figures(run_script("material", scratch, *([] if provisions is None else [provisions])))
    for size in figures.about["sizes"]:
        _measure_size(figures, scratch, size, repeat)
    say("importing, and searching from the shell")
    figures.import_seconds = starts.import_seconds(repeat=7)
    figures.search = starts.search_seconds(repeat=7)
    return figures


def _measure_size(figures: Figures, scratch: Path, size: int, repeat: int) -> None:
    index = {arm: scratch / f"{arm}.index" for arm in ARMS}
    for turn in range(repeat):
        for arm in ARMS if turn % 2 == 0 else ARMS[::-1]:
            say(f"{size} provisions, {arm}, {turn + 1} of {repeat}")
            shutil.rmtree(index[arm], ignore_errors=True)
            run = run_script("builds", arm, scratch / f"{size}.jsonl", index[arm])
            figures.builds.setdefault((size, arm), []).append(run)
    say(f"{size} provisions, questions")
    questions = scratch / "questions.json"
    figures.answers[size] = run_script("answers", index["legalir"], index["bm25s"], questions, ROUNDS)


def say(text: str) -> None:
    """Tell whoever waits at the terminal what is going on."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
