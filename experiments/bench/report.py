"""The figures as a table of rows, as a page of Markdown, and as claims that pass or fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from figures import ARMS, Figures

BEGIN, END = "<!-- results -->", "<!-- end of results -->"


class Claim(NamedTuple):
    """A limit and what was measured; `passed` is None where it could not be judged."""

    text: str
    measured: str
    passed: bool | None


def claims(figures: Figures) -> list[Claim]:
    """Judge the limits that the project holds itself to."""
    size = figures.largest
    full = figures.about["collection"] == "kr-statutes" and size > 190_000
    speed, agreed = figures.speed_ratio(size), figures.answers[size]
    time, memory = (figures.build_ratio(size, measure) for measure in ("seconds", "peak_mb"))
    where, search = figures.search
    same = f"{agreed['same_ids']} of {agreed['questions']}"
    judged = [
        Claim("whole build, time: at most 0.5 of bm25s", f"{time:.2f}", time <= 0.5),
        Claim("whole build, peak memory: at most 0.5 of bm25s", f"{memory:.2f}", memory <= 0.5),
        Claim("queries per second: at least those of bm25s", f"{speed:.2f} times", speed >= 1),
        Claim("identical ranked ids, top 100", same, agreed["same_ids"] == agreed["questions"]),
    ]
    return [
        *(claim if full else claim._replace(passed=None) for claim in judged),
        Claim(
            "`import legalir` on top of `import pyterrier`: at most 0.2 s",
            f"{figures.import_seconds:.3f} s",
            figures.import_seconds <= 0.2,
        ),
        Claim(
            f"warm `legalir search` from the shell (`{where}`): at most 1.5 s",
            f"{search:.2f} s",
            search <= 1.5 if where == "searchfiresafety" else None,
        ),
    ]


def rows(figures: Figures, machine: str) -> Iterator[tuple[str, ...]]:
    """Yield the rows of ``results.tsv``: measure, provisions, system, value."""
    yield "measure", "provisions", "system", "value"
    yield "machine", "", "", machine
    yield "collection", "", "", figures.about["collection"]
    yield "questions", "", "", figures.about["questions"]
    for size in figures.about["sizes"]:
        for arm in ARMS:
            for measure in figures.builds[size, arm][0]:
                yield f"build.{measure}", str(size), arm, f"{figures.build(size, arm, measure):.4g}"
            yield "query.ms", str(size), arm, f"{figures.query_ms(size, arm):.4g}"
        for measure in ("seconds", "cpu_seconds", "peak_mb", "bytes"):
            yield f"build.{measure}", str(size), "ratio", f"{figures.build_ratio(size, measure):.3g}"
        yield "queries_per_second", str(size), "ratio", f"{figures.speed_ratio(size):.3g}"
        for measure, value in figures.answers[size].items():
            if measure != "seconds":
                yield f"agreement.{measure}", str(size), "", f"{value:.3g}"
    yield "import.seconds", "", "legalir", f"{figures.import_seconds:.3g}"
    yield "search.seconds", "", "legalir", f"{figures.search[1]:.3g}"


def markdown(figures: Figures, machine: str) -> str:
    """Return claims and table as Markdown."""
    lines = [f"{machine}. Provisions: `{figures.about['collection']}`; questions: {figures.about['questions']}.", ""]
    if figures.about["collection"] != "kr-statutes":
        lines += ["not run: no kr-statutes at $LEGALIR_DATA (the bundled collection stands in, nothing is judged)", ""]
    lines += ["| claim | measured | |", "|---|---|---|"]
    verdict = {True: "pass", False: "**fail**", None: "not judged"}
    lines += [f"| {claim.text} | {claim.measured} | {verdict[claim.passed]} |" for claim in claims(figures)]
    lines += [
        "",
        "| provisions | build s | peak MB | index MB | ms a question | same ids |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [_line(figures, size) for size in figures.about["sizes"]]
    terms, whole = (figures.build(figures.largest, "bm25s", measure) for measure in ("terms_seconds", "seconds"))
    lines += ["", f"Of the {whole:.1f} s that bm25s takes for all, {terms:.1f} s go into our analyzer's terms."]
    return "\n".join(lines)


def _line(figures: Figures, size: int) -> str:
    def pair(measure: str, form: str, scale: float = 1.0) -> str:
        ours, theirs = (figures.build(size, arm, measure) * scale for arm in ARMS)
        return f"{ours:{form}} / {theirs:{form}} = {figures.build_ratio(size, measure):.2f}"

    milliseconds = [figures.query_ms(size, arm) for arm in ARMS]
    agreed = figures.answers[size]
    cells = [
        f"{size:,}",
        pair("seconds", ".1f"),
        pair("peak_mb", ".0f"),
        pair("bytes", ".0f", 1e-6),
        f"{milliseconds[0]:.2f} / {milliseconds[1]:.2f} = {1 / figures.speed_ratio(size):.2f}",
        f"{agreed['same_ids']} of {agreed['questions']}",
    ]
    return f"| {' | '.join(cells)} |"


def write(figures: Figures, machine: str, directory: Path) -> None:
    """Write ``results.tsv``, and the page into a ``README.md`` that has a place for it."""
    table = "".join("\t".join(row) + "\n" for row in rows(figures, machine))
    (directory / "results.tsv").write_text(table, encoding="utf-8")
    readme = directory / "README.md"
    if readme.exists():
        page = readme.read_text(encoding="utf-8")
        block = f"{BEGIN}\n{markdown(figures, machine)}\n{END}"
        pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
        readme.write_text(re.sub(pattern, lambda _: block, page, flags=re.DOTALL), encoding="utf-8")
