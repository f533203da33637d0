"""Results of experiments, and sheets on which people rate answers or review items, for the pages of a server.

What a person says on a sheet is a file in one directory, checked before it is written: the file that ``legalir judge
agreement`` and ``legalir synthesize apply`` read.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from legalir.collection.collection import Collection
from legalir.errors import ArtifactError, ComponentError, DataError, DatasetNotFound, MeasureError, suggestion
from legalir.experiment.report.html import headline, legend
from legalir.experiment.report.queries import QueryFacts
from legalir.experiment.report.result import ExperimentResult
from legalir.experiment.runs.files import has_answers
from legalir.storage.digest import digest
from legalir.storage.files import atomic_file
from legalir_study.review import decisions_of, review_page
from legalir_study.sheet import ratings_of, sheet_items, sheet_page

_T = TypeVar("_T")

_MEASURES = ("coverage", "contradiction")
_RATERS = 1_000
"""Largest number of people whose sheets of one kind are kept."""

_LONGEST = 80
"""Largest number of characters of the name of a person."""


class Sheet(NamedTuple):
    """A sheet.

    Attributes:
        title: what it is about.
        page: returns its page, HTML; the page saves at the address that it is given.
        check: reads what the page saves, from its text and the name of its place; raises LegalIRError.
    """

    title: str
    page: Callable[[str], str]
    check: Callable[[str, str], object]


class Workbench:
    """Results and sheets by name.

    Args:
        results: directories of results of experiments.
        sheets: for each sheet the directory of a result whose answers are rated, or ``FOLDER:SPLIT``, the split of a
            collection whose items are reviewed.
        saved: directory of what people say on sheets.

    Raises:
        LegalIRError: a result or a split is not there.
    """

    def __init__(self, results: Iterable[str] = (), sheets: Iterable[str] = (), saved: Path | None = None) -> None:
        self._results = _named(results)
        self._saved = saved or Path("sheets")
        self._loaded: dict[str, tuple[int, ExperimentResult]] = {}
        self._lock = threading.Lock()
        for name in self._results:
            self.result(name)
        self.sheets = {name: _sheet(place) for name, place in _named(sheets).items()}

    @property
    def results(self) -> dict[str, str]:
        """Title of each result by its name."""
        return {name: self.result(name).definition.title or name for name in self._results}

    def result(self, name: str) -> ExperimentResult:
        """Return a result, read again where it has changed.

        Raises:
            DatasetNotFound: there is none of this name.
            ExperimentError: it is gone or damaged.
        """
        folder = Path(_of(self._results, name, "result"))
        changed = (folder / "table.tsv").stat().st_mtime_ns if (folder / "table.tsv").exists() else 0
        with self._lock:
            former = self._loaded.get(name)
            if former is None or former[0] != changed:
                self._loaded[name] = former = changed, ExperimentResult.load(folder)
        return former[1]

    def table(self, name: str, order: str = "") -> dict[str, Any]:
        """Return what the page of a result shows: its table, and the value of each system for each question.

        Args:
            name: of the result.
            order: ``lost`` puts the questions first for which the best system is worst beside the baseline, ``won``
                those for which it is best; else they are in the order of the topics.
        """
        result = self.result(name)
        scores, measure = result.scores, result.definition.measures[0]
        values = result.per_query[result.per_query["measure"] == measure]
        by_question = values.pivot(index="qid", columns="name", values="value")
        systems = [row.name for row in scores.rows if row.ran and row.name in by_question]
        qids = [qid for qid in result.context.queries if qid in by_question.index]
        of_system = {system: by_question[system].astype(float).to_dict() for system in systems}
        best, baseline = scores.leader, scores.baseline
        change: dict[str, float] = {}
        if best in systems and baseline in systems:
            differences = (by_question[best] - by_question[baseline]).fillna(0)
            change = {str(qid): float(value) for qid, value in differences.items()}
        if order in ("lost", "won"):
            qids.sort(key=lambda qid: change.get(qid, 0) * (1 if order == "lost" else -1))
        return {
            "name": name,
            "title": result.definition.title or name,
            "dataset": result.dataset_name,
            "headline": headline(scores, len(result.context.queries)),
            "legend": legend(scores),
            "measures": result.definition.measures,
            "measure": measure,
            "rows": scores.rows,
            "systems": systems,
            "compared": bool(change),
            "questions": [
                {
                    "qid": qid,
                    "query": result.context.queries[qid],
                    "values": [scores.text(of_system[system][qid], measure) for system in systems],
                }
                for qid in qids
            ],
        }

    def question(self, name: str, qid: str) -> dict[str, Any]:
        """Return what each system found for a question, or answered.

        Raises:
            DatasetNotFound: the result has no such question.
        """
        result = self.result(name)
        measure = result.definition.measures[0]
        facts = QueryFacts(result.context, result.per_query, measure, result.system_runs)
        if not (cards := facts.cards([qid], list(result.system_runs))):
            raise DatasetNotFound(f"The result {name!r} has no question {qid!r}.")
        (card,) = cards
        shown = [(system, ranks, result.scores.text(value, measure)) for system, ranks, value in card.ranks]
        return {
            "name": name,
            "title": result.definition.title or name,
            "dataset": result.definition.dataset,
            "card": card,
            "ranks": shown,
            "measure": measure,
        }

    def sheet(self, name: str) -> Sheet:
        """Return a sheet.

        Raises:
            DatasetNotFound: there is none of this name.
        """
        return _of(self.sheets, name, "sheet")

    def raters(self, name: str) -> int:
        """Return how many people have said something on a sheet."""
        return len(list((self._saved / name).glob("*.json")))

    def saved(self, name: str, rater: str) -> str:
        """Return what a person has said on a sheet, as JSON; ``{}`` for nothing."""
        self.sheet(name)
        path = self._path(name, rater)
        return path.read_text(encoding="utf-8") if path.is_file() else "{}"

    def save(self, name: str, content: str) -> Path:
        """Save what a person says on a sheet, and return the file.

        Raises:
            ArtifactError: it cannot be written.
            ComponentError: it is not what the page saves, has no name of a person, or there are too many people.
        """
        sheet = self.sheet(name)
        try:
            sheet.check(content, "What is to be saved")
        except (DataError, MeasureError) as error:
            raise ComponentError(str(error)) from None
        rater = json.loads(content).get("rater")
        if not isinstance(rater, str) or not rater.strip() or len(rater) > _LONGEST:
            raise ComponentError(f"A name of at most {_LONGEST} characters is needed: write yours on the page.")
        path = self._path(name, rater)
        if not path.exists() and self.raters(name) >= _RATERS:
            raise ComponentError(f"{_RATERS:,} people have filled in this sheet: put their files elsewhere.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_file(path) as stream:
                stream.write(content)
        except OSError as error:
            raise ArtifactError(f"{path} cannot be written ({error.strerror or error}).") from error
        return path

    def _path(self, name: str, rater: str) -> Path:
        rater = rater.strip()
        # The digest tells apart names that are written with the same letters in a file name.
        return self._saved / name / f"{_safe(rater)}-{digest(rater)[:8]}.json"


def _named(places: Iterable[str]) -> dict[str, str]:
    """Return each place by the last part of its path, as a file name that those before it do not have."""
    named: dict[str, str] = {}
    for place in places:
        name = _safe(re.split(r"[\\/]", place.rstrip("\\/"))[-1])
        named[name if name not in named else f"{name}-{len(named) + 1}"] = place
    return named


def _of(things: Mapping[str, _T], name: str, kind: str) -> _T:
    if name not in things:
        there = f" There are: {', '.join(things)}." if things else ""
        raise DatasetNotFound(f"There is no {kind} {name!r} here.{suggestion(name, set(things))}{there}")
    return things[name]


def _safe(name: str) -> str:
    """Return a name as a part of a file name."""
    return re.sub(r"[^\w.]+", "-", name)[:40].strip("-.") or "x"


def _sheet(place: str) -> Sheet:
    """Return the sheet of a result whose answers are rated, or of a split whose items are reviewed.

    Raises:
        LegalIRError: there is neither.
    """
    if (Path(place) / "table.tsv").is_file():
        result = ExperimentResult.load(place)
        if not any(map(has_answers, result.runs.values())):
            raise ComponentError(f"No system of {place} gives answers that could be rated.")
        return Sheet(result.definition.title or result.dataset_name, partial(_ratings_page, result), ratings_of)
    folder, colon, split = place.rpartition(":")
    if not colon or not Path(folder).is_dir():
        raise ComponentError(f"{place!r} is neither the directory of a result nor FOLDER:SPLIT.")
    review_page(Path(folder), split)  # A split that is not there is told at the start.
    return Sheet(f"{Path(folder).name}: {split}", partial(review_page, Path(folder), split), decisions_of)


def _ratings_page(result: ExperimentResult, save: str) -> str:
    collection = Collection(result.definition.dataset)
    items = sheet_items(collection.topics(), filter(has_answers, result.runs.values()))
    title = result.definition.title or result.dataset_name
    return sheet_page(items, collection, _MEASURES, title, collection.language, save)
