"""``legalir judge``: make a page where people rate answers, and measure how well people and judges agree."""

from __future__ import annotations

import csv
import enum
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

import legalir
from legalir.errors import ComponentError, ExperimentError, MeasureError, suggestion

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from legalir.experiments import ExperimentResult
    from legalir_study.agreement import Agreement
    from legalir_study.sheet import Ratings

app = typer.Typer(no_args_is_help=True, help="Let people rate answers, and compare people with judges.")

_SHEET = """Examples:

  legalir judge sheet results/answers

  legalir judge sheet results/answers --sample 50 --measure correct --system default --out rate.html

The page needs no network. It does not say which system wrote an answer.
"""
_AGREEMENT = """Examples:

  legalir judge agreement ratings-kim.json --result results/answers

  legalir judge agreement ratings-kim.json ratings-lee.json --picture agreement.svg

  legalir judge agreement ratings-kim.json --result results/answers --disagreements differ.jsonl

  legalir judge agreement ratings.csv --columns person,judge --person-threshold 1 --judge-threshold 4

The first rater of a pair is the truth for precision and recall.
"""


class Measure(enum.StrEnum):
    """Measures that people rate."""

    coverage = "coverage"
    contradiction = "contradiction"
    correct = "correct"
    correctness = "correctness"


_RATED = (Measure.coverage, Measure.contradiction)
"""Measures that are rated where none is named."""


class Level(enum.StrEnum):
    """Level of measurement, which determines how Krippendorff's alpha weighs differences."""

    nominal = "nominal"
    ordinal = "ordinal"
    interval = "interval"
    ratio = "ratio"


@app.command(epilog=_SHEET)
def sheet(
    result: Annotated[Path, typer.Argument(help="Directory of an experiment result.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Output file of the page.", show_default="RESULT/sheet.html")
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", "-s", help="Rate only this system (repeatable).", show_default=False)
    ] = None,
    measure: Annotated[
        list[Measure] | None,
        typer.Option("--measure", "-m", help="Measure to rate (repeatable).", show_default="coverage, contradiction"),
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Number of questions, drawn at random.", show_default="all")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed for sampling and shuffling answers.")] = 0,
) -> None:
    """Write a page where a person rates the answers of a result and sees their sources."""
    from legalir.extend import atomic_file

    measures = list(dict.fromkeys(map(str, measure or _RATED)))
    page, items, rows, systems = answers_page(result, system or [], measures, sample, seed)
    path = result / "sheet.html" if out is None else out
    try:
        with atomic_file(path) as stream:
            stream.write(page)
    except OSError as error:
        raise ExperimentError(f"{path} cannot be written ({error.strerror or error}): give another --out.") from error
    typer.echo(f"{path}: {items} answers to rate, of {rows} of {systems} system{'s' * (systems > 1)}")
    typer.echo("Open it in a browser. Then: legalir judge agreement ratings-NAME.json --result " + str(result))


def answers_page(
    result: Path,
    systems: Sequence[str] = (),
    measures: Sequence[str] = _RATED,
    sample: int | None = None,
    seed: int = 0,
) -> tuple[str, int, int, int]:
    """Return the page of the answers of a result, and the numbers of its items, of all answers, and of systems.

    Args:
        result: directory of an experiment result.
        systems: names of the systems; none: all with answers.
        measures: names of :data:`legalir_study.sheet.SCALES`.
        sample: number of questions, drawn by `seed`; None for all.
        seed: random seed.

    Raises:
        ComponentError: a system has no answers.
        ExperimentError: there is nothing to rate.
    """
    from legalir.experiments import ExperimentResult
    from legalir_study.sheet import sheet_items, sheet_page

    loaded = ExperimentResult.load(result)
    runs = _answers(loaded.runs, result, systems)
    collection = legalir.Collection(loaded.definition.dataset)
    items = sheet_items(collection.topics(), runs.values(), sample=sample, seed=seed)
    if not items:
        raise ExperimentError(f"The answers in {result} all abstain or failed: there is nothing to rate.")
    title = loaded.definition.title or loaded.dataset_name
    page = sheet_page(items, collection, measures, title, collection.language)
    return page, len(items), sum(map(len, runs.values())), len(runs)


def _answers(runs: Mapping[str, pd.DataFrame], folder: Path, wanted: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the answers of each system, or only of the systems that are wanted."""
    runs = {name: run for name, run in runs.items() if "qanswer" in run.columns}
    if not runs:
        raise ExperimentError(f"No system of {folder} gives answers: let one end in a generator, such as '>> quote'.")
    for name in wanted:
        if name not in runs:
            raise ComponentError(
                f"{name!r} is not a system with answers in {folder}.{suggestion(name, set(runs))} "
                f"Systems: {', '.join(runs)}."
            )
    return {name: run for name, run in runs.items() if not wanted or name in wanted}


class _Pair(NamedTuple):
    """Two raters of the same answers, and their ratings by the id of the answer, or the number of its row."""

    measure: str
    first: str
    second: str
    ratings: Mapping[str, tuple[float | None, float | None]]


@app.command("agreement", epilog=_AGREEMENT)
def show_agreement(
    files: Annotated[
        list[Path],
        typer.Argument(help="Rating files saved by the page, or one table (CSV, TSV, JSON lines).", show_default=False),
    ],
    result: Annotated[
        Path | None,
        typer.Option("--result", help="Directory of a result, to compare its judges too.", show_default=False),
    ] = None,
    columns: Annotated[str, typer.Option("--columns", help="Table columns of the two raters.")] = "person,judge",
    person_threshold: Annotated[
        float | None,
        typer.Option(
            "--person-threshold", help="Lowest rating of the first rater that counts as 1.", show_default=False
        ),
    ] = None,
    judge_threshold: Annotated[
        float | None,
        typer.Option(
            "--judge-threshold", help="Lowest rating of the second rater that counts as 1.", show_default=False
        ),
    ] = None,
    level: Annotated[Level, typer.Option("--level", help="Level of measurement for alpha.")] = Level.ordinal,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", help="Output file for the confusion matrices (.svg, .png or .pdf).", show_default=False
        ),
    ] = None,
    disagreements: Annotated[
        Path | None,
        typer.Option(
            "--disagreements",
            help="Output file (JSON lines) of the answers that two raters rated differently; texts need --result.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Show how well raters agree: number, marginals, kappa, alpha, rank correlation, confusion matrix."""
    from legalir_study.agreement import agreement, draw_matrices
    from legalir_study.sheet import judge_ratings, read_ratings

    alphas: dict[str, float] = {}
    answers: Mapping[str, Mapping[str, object]] = {}
    if any(path.suffix.lower() in _TABLES for path in files):
        if len(files) > 1 or result is not None:
            raise typer.BadParameter("a table has both raters: give it alone, without --result.")
        pairs = [_table_pair(files[0], columns)]
    else:
        raters = [read_ratings(path) for path in files]
        if result is not None:
            from legalir.experiments import ExperimentResult

            loaded = ExperimentResult.load(result)
            runs = _answers(loaded.runs, result, [])
            raters.append(judge_ratings(runs.values()))
            answers = _texts(runs, loaded) if disagreements is not None else {}
        if len(raters) < 2:
            raise typer.BadParameter("one rater agrees with nobody: give another file, or --result.")
        pairs = list(_pairs(_named(raters)))
        if len(raters) > 2:
            alphas = _alphas(raters, level)
    if not pairs:
        raise MeasureError("No two raters rated the same measure of the same answers: there is nothing to compare.")
    figures = {
        (pair.measure, pair.first, pair.second): agreement(
            [one for one, _ in pair.ratings.values()],
            [other for _, other in pair.ratings.values()],
            human_threshold=person_threshold,
            judge_threshold=judge_threshold,
            level=level.value,
        )
        for pair in pairs
    }
    if picture is not None:
        draw_matrices(figures, picture)
    if disagreements is not None:
        thresholds = (person_threshold, judge_threshold)
        rows = [row for pair in pairs for row in _disagreements(pair, thresholds, answers)]
        _write_rows(disagreements, rows)
    if as_json:
        found = [_json(*key, one) for key, one in figures.items()]
        facts = {"pairs": found, "alpha_of_all": {name: _number(value) for name, value in alphas.items()}}
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))
        return
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 100)
    for key, one in figures.items():
        _print(console, *key, one)
    for measure, alpha in alphas.items():
        console.print(f"{measure}: Krippendorff's alpha of all raters {_shown(alpha)}", highlight=False)
    if picture is not None:
        typer.echo(f"Picture: {picture}")
    if disagreements is not None:
        typer.echo(f"Rated differently: {len(rows)}, in {disagreements}")


_TABLES = (".csv", ".tsv", ".jsonl")


def _table_pair(path: Path, columns: str) -> _Pair:
    """Return the two raters of a table.

    Raises:
        MeasureError: the table cannot be read, or a column is missing.
    """
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2 or not all(names):
        raise typer.BadParameter(f"--columns must name two columns, as in person,judge, got {columns!r}.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MeasureError(f"{path} cannot be read ({error}).") from error
    rows: list[Mapping[str, object]]
    if path.suffix.lower() == ".jsonl":
        try:
            rows = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError as error:
            raise MeasureError(f"{path} is not JSON lines ({error}).") from error
    else:
        rows = list(csv.DictReader(text.splitlines(), delimiter="\t" if path.suffix.lower() == ".tsv" else ","))
    ratings = {}
    for number, row in enumerate(rows, start=1):
        own = row if isinstance(row, Mapping) else {}
        if missing := [name for name in names if name not in own]:
            raise MeasureError(
                f"{path}, row {number}: the column {missing[0]!r} is missing; there are "
                f"{', '.join(map(str, own)) or 'none'}: name the columns of both raters by --columns."
            )
        ratings[str(number)] = (_rating(path, number, row[names[0]]), _rating(path, number, row[names[1]]))
    return _Pair(path.stem, names[0], names[1], ratings)


def _rating(path: Path, number: int, value: object) -> float | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        rating = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        rating = math.inf
    if math.isinf(rating):
        raise MeasureError(f"{path}, row {number}: {value!r} is not a rating: give a number, or nothing for none.")
    return None if math.isnan(rating) else rating


def _named(raters: Sequence[Ratings]) -> list[tuple[str, Ratings]]:
    """Return the raters with distinct names."""
    names: list[str] = []
    for rater in raters:
        name, number = rater.rater, 2
        while name in names:
            name, number = f"{rater.rater} {number}", number + 1
        names.append(name)
    return list(zip(names, raters, strict=True))


def _pairs(raters: Sequence[tuple[str, Ratings]]) -> Iterator[_Pair]:
    for (first, one), (second, other) in combinations(raters, 2):
        for measure in (name for name in one.values if name in other.values):
            left, right = one.values[measure], other.values[measure]
            if left.keys() & right.keys():
                items = sorted(left.keys() | right.keys())
                yield _Pair(measure, first, second, {item: (left.get(item), right.get(item)) for item in items})


def _texts(runs: Mapping[str, pd.DataFrame], result: ExperimentResult) -> dict[str, dict[str, object]]:
    """Return question, reference, answer, systems and reasons of judges of each answer by its id."""
    from legalir_study.sheet import item_id

    context = result.context
    found: dict[str, dict[str, object]] = {}
    systems: dict[str, list[str]] = {}
    for name, run in runs.items():
        for row in run.to_dict("records"):
            if (item := item_id(row)) is None:
                continue
            qid = str(row["qid"])
            systems.setdefault(item, []).append(name)
            reasons = {
                str(column).removesuffix("_reason"): value
                for column, value in row.items()
                if str(column).startswith("judge_") and str(column).endswith("_reason") and value
            }
            found.setdefault(
                item,
                {
                    "qid": qid,
                    "question": context.queries.get(qid, ""),
                    "reference": context.items.get(qid, {}).get("answer", ""),
                    "answer": row["qanswer"],
                    "systems": systems[item],
                    "reasons": reasons,
                },
            )
    return found


def _disagreements(
    pair: _Pair, thresholds: tuple[float | None, float | None], answers: Mapping[str, Mapping[str, object]]
) -> list[dict[str, object]]:
    """Return the answers that two raters rated differently, the largest difference first.

    ``kind`` is what the second rater is by the first one: ``false positive`` and ``false negative`` of ratings 0 and
    1, as given or after the thresholds; else ``higher`` and ``lower``.
    """
    rows: list[tuple[float, str, dict[str, object]]] = []
    for item, given in pair.ratings.items():
        if None in given:
            continue
        first, second = (
            float(one or 0) if least is None else float((one or 0) >= least)
            for one, least in zip(given, thresholds, strict=True)
        )
        if first == second:
            continue
        names = ("false positive", "false negative") if {first, second} == {0.0, 1.0} else ("higher", "lower")
        facts = {"measure": pair.measure, "raters": [pair.first, pair.second], "ratings": list(given)}
        row = {**facts, "kind": names[first > second], "item": item, **answers.get(item, {})}
        rows.append((-abs(first - second), item, row))
    return [row for _, _, row in sorted(rows, key=lambda one: one[:2])]


def _write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    from legalir_study.split import write_rows

    try:
        write_rows(path, rows)
    except OSError as error:
        raise MeasureError(f"{path} cannot be written ({error.strerror or error}): give another place.") from error


def _alphas(raters: Sequence[Ratings], level: Level) -> dict[str, float]:
    """Return the alpha of all raters for each measure that at least three of them rated."""
    from legalir_study.agreement import krippendorff_alpha

    measures = dict.fromkeys(measure for rater in raters for measure in rater.values)
    alphas = {}
    for measure in measures:
        given = [rater.values[measure] for rater in raters if measure in rater.values]
        if len(given) > 2:
            items = sorted(set().union(*given))
            alphas[measure] = krippendorff_alpha([[one.get(item) for item in items] for one in given], level.value)
    return alphas


_FIGURES = {
    "agreement": "agreement",
    "kappa": "Cohen's kappa",
    "quadratic_kappa": "  quadratic weights",
    "alpha": "Krippendorff's alpha",
    "spearman": "Spearman's rho",
    "spearman_binarised": "  binarised",
    "precision": "precision, weighted",
    "recall": "recall, weighted",
    "f1": "F1, weighted",
}


def _print(console: Console, measure: str, first: str, second: str, figures: Agreement) -> None:
    from rich.table import Table
    from rich.text import Text

    heading = f"{_printable(measure)}: {_printable(first)} and {_printable(second)}"
    console.print(Text(heading, style="bold"))
    left_out = f"; {figures.left_out} rated by one of them are left out" if figures.left_out else ""
    console.print(f"{figures.n} answers{left_out}", style="dim", highlight=False)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    table.add_column(style="dim")
    for name, label in _FIGURES.items():
        if name == "spearman_binarised" and figures.undefined.get(name) == "no threshold was given":
            continue
        table.add_row(label, _shown(getattr(figures, name)), figures.undefined.get(name, ""))
    console.print(table)
    if not figures.n:
        return
    matrix = Table(padding=(0, 1), title=Text(f"rows {_printable(first)}, columns {_printable(second)}"))
    matrix.add_column("")
    for rating in figures.labels:
        matrix.add_column(f"{rating:g}", justify="right")
    matrix.add_column("share", justify="right")
    for rating, counts, share in zip(figures.labels, figures.confusion.tolist(), figures.human_marginal, strict=True):
        matrix.add_row(f"{rating:g}", *map(str, counts), f"{100 * share:.1f} %")
    matrix.add_row("share", *(f"{100 * share:.1f} %" for share in figures.judge_marginal), "")
    console.print(matrix)
    console.print()


def _printable(text: str) -> str:
    """Return `text` without terminal control characters, because names come from untrusted files."""
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _json(measure: str, first: str, second: str, figures: Agreement) -> dict[str, object]:
    return {
        "measure": measure,
        "raters": [first, second],
        "n": figures.n,
        "left_out": figures.left_out,
        "labels": list(figures.labels),
        "confusion": figures.confusion.tolist(),
        "marginals": [list(figures.human_marginal), list(figures.judge_marginal)],
        **{name: _number(getattr(figures, name)) for name in _FIGURES},
        "undefined": dict(figures.undefined),
    }
