"""Choosing the settings of ``default`` by judgements, with an honest estimate of what that gains.

The search goes through the settings one after another, twice, and changes one where the mean over the questions gains
by more than one standard error of the paired differences: a gain that luck explains is no gain. What it gains is
measured by nested cross-validation [nested-cv], in which the search sees all folds but one, and its choice is compared
with ``default`` on that fold. The settings that are stored are chosen on all questions.

Each settings are run once, over all questions, and the values are stored, so that folds share them and a run that was
interrupted continues.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from legalir import __version__
from legalir.answer.refuse import Threshold, learnt_threshold
from legalir.declared import check_number
from legalir.dense.static import own_model
from legalir.dense.static_model import read_about
from legalir.errors import DataError
from legalir.extras import require
from legalir.frames.as_of import AS_OF, with_as_of
from legalir.graph.laws import LawTable
from legalir.measure.measures import judged_names
from legalir.pipeline.default import (
    DefaultSettings,
    Gain,
    Tuned,
    collection_name,
    encoder_fingerprint,
    fit_default,
    model_digest,
    sketch_of,
    tuned_paths,
    write_tuned,
)
from legalir.progress import progress
from legalir.storage.digest import digest
from legalir.storage.files import atomic_file
from legalir.train.model_weight import WEIGHTS

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

Values = npt.NDArray[np.float64]

LEAST = 20
"""Minimum number of judged questions; with fewer, an interval would be meaningless."""

MOST = 2000
"""Largest number of questions that are run; of more, an even sample is taken."""

_PASSES = 2
_GRIDS: dict[str, tuple[Any, ...]] = {
    "k1": (0.6, 0.9, 1.2, 1.6, 2.0, 3.0),
    "b": (0.4, 0.6, 0.75, 0.9),
    "query_exponent": (0.0, 0.25, 0.5, 0.75, 1.0),
    "title": (0.0, 1.0, 2.0, 3.0, 5.0),
    "path": (0.0, 0.25, 0.5, 1.0, 2.0),
    "citing": (0.0, 0.5, 1.0, 2.0),
    "focus": (0, 2, 3, 5),
    "family": (0.0, 0.15, 0.3, 0.5),
    "sar": (0.0, 0.15, 0.3, 0.5),
    "lookup": (0.0, 0.25, 0.5, 1.0),
    "model": WEIGHTS,
    "semantic": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8),
}


@dataclass(frozen=True)
class Tuning:
    """Result of a tuning.

    Attributes:
        collection: id of the split.
        default: the settings that ``default`` has without judgements.
        chosen: the settings that all questions choose.
        folds: the settings that each fold's training questions chose.
        gain: means and interval on folds that had no part.
        values: mean of the measure over all questions, in percent, by setting and value, all else as chosen; only
            those that were run.
        runs: number of settings that were run.
        complete: whether the time sufficed for every step.
        path: the file that was written; None if ``default`` is kept.
        threshold: threshold of ``refuse``, if there are questions that the collection does not answer; not stored.
    """

    collection: str
    default: DefaultSettings
    chosen: DefaultSettings
    folds: tuple[DefaultSettings, ...]
    gain: Gain
    values: Mapping[str, Mapping[Any, float]]
    runs: int
    complete: bool
    path: Path | None
    threshold: Threshold | None

    def sentence(self) -> str:
        """Return the result for people."""
        gain = self.gain
        found = (
            f"{gain.measure} on questions that had no part in the choice: default {gain.default:.1f}, tuned "
            f"{gain.tuned:.1f}, difference {gain.tuned - gain.default:+.1f} (95 % interval {gain.low:+.1f} to "
            f"{gain.high:+.1f}, {gain.questions} questions)"
        )
        if self.path is None:
            return f"Keep default: nothing is gained for sure. {found}."
        return f"Tuned. {found}. default uses {self.path} from now on."

    def report(self, path: str | PathLike[str]) -> Path:
        """Write a page that shows the choice and what it gained; return its path.

        Raises:
            MissingExtra: Jinja2 is not installed.
        """
        jinja = require("jinja2", extra="report")
        loader = jinja.FileSystemLoader(Path(__file__).parent / "templates")
        environment = jinja.Environment(loader=loader, autoescape=True, undefined=jinja.StrictUndefined)
        headline = "default uses the chosen settings." if self.path else "Keep default: nothing is gained for sure."
        page = environment.get_template("tune.html.j2").render(
            name="/".join(Path(self.collection).parts[-2:]),
            tuning=self,
            gain=self.gain,
            headline=headline,
            rows=list(self._rows()),
        )
        with atomic_file(Path(path)) as file:
            file.write(page)
        return Path(path)

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield what the report shows of each setting; bars have one scale, which begins 5 below the best mean."""
        best = max(mean for tried in self.values.values() for mean in tried.values())
        for name, tried in self.values.items():
            widths = {value: round(max(0.0, 20 * (mean - best + 5)), 1) for value, mean in tried.items()}
            yield {
                "name": name,
                "about": str(DefaultSettings.model_fields[name].description).replace("``", ""),
                "default": getattr(self.default, name),
                "chosen": getattr(self.chosen, name),
                "folds": [getattr(fold, name) for fold in self.folds],
                "tried": [{"value": value, "mean": mean, "width": widths[value]} for value, mean in tried.items()],
            }


def tune(
    dataset: str | PathLike[str] | Collection,
    *,
    minutes: float = 10,
    measure: str = "nDCG@10",
    folds: int = 5,
    out: str | PathLike[str] | None = None,
) -> Tuning:
    """Choose the settings of ``default`` by the judgements of a split, and store them where something is gained.

    Args:
        dataset: id or path of a collection with the split whose judgements decide, or an opened collection.
        minutes: time after which no further settings are tried, above 0.
        measure: what is maximised, as ``ir_measures`` writes it.
        folds: number of folds, from 2 to 20.
        out: file of the settings; None: ``tuned.yaml`` next to a folder's files, in the cache for ids and folders that
            cannot be written. `default` reads those two places only.

    Raises:
        DataError: there are too few judged questions, or all judgements are on one provision.
        MeasureError: the measure is unknown.
    """
    from legalir.collection.collection import Collection

    check_number("tune", "minutes", minutes, low=0)
    check_number("tune", "folds", folds, low=2, high=20, integer=True)
    collection = dataset if isinstance(dataset, Collection) else Collection(dataset)
    evaluation = _Evaluation(collection, measure, time.monotonic() + 60 * minutes)
    start = fit_default(collection, tuned=False).settings
    knobs = _knobs(collection, start)
    parts = np.array([int(digest(qid)[:8], 16) % folds for qid in evaluation.qids])
    with progress(f"Tuning default on {collection.id}", None) as advance:
        evaluation.advance = advance
        base = evaluation.values(start)
        differences = np.zeros(len(base))
        choices = []
        for fold in range(folds):
            held_out = parts == fold
            choice = _search(evaluation, start, knobs, ~held_out)
            choices.append(choice)
            differences[held_out] = (evaluation.values(choice) - base)[held_out]
        chosen = _search(evaluation, start, knobs, np.ones(len(base), dtype=bool))
    gain = _gain(measure, base, differences, folds)
    path = None
    if gain.low > 0 and chosen != start:
        path = _store(collection, chosen, gain, None if out is None else Path(out))
    values = {name: dict(evaluation.known(chosen, name, grid)) for name, grid in knobs.items()}
    done = evaluation.runs, evaluation.in_time(), path
    return Tuning(
        collection.id, start, chosen, tuple(choices), gain, values, *done, learnt_threshold(collection, folds)
    )


class _Evaluation:
    """Values of a measure for settings: each is run once, and its values are stored.

    Args:
        collection: with topics and judgements.
        measure: name of the measure.
        deadline: by ``time.monotonic``; afterwards nothing new is run, except for what has to be.
    """

    def __init__(self, collection: Collection, measure: str, deadline: float) -> None:
        from legalir.measure import parse_measures

        self._collection = collection
        self._measure = parse_measures(measure)[0]
        self._deadline = deadline
        self._late = False
        self.advance: Callable[[int], None] = lambda done: None
        self._qrels = collection.qrels()
        judged = set(self._qrels.loc[self._qrels["label"] > 0, "qid"])
        topics = collection.topics()
        topics = topics[topics["qid"].isin(judged)]
        _check_questions(collection.id, len(topics), self._qrels.loc[self._qrels["label"] > 0, "docno"].nunique())
        if len(topics) > MOST:
            logging.getLogger("legalir").info("tune: %d of %d questions are run.", MOST, len(topics))
            kept = sorted(topics["qid"], key=digest)[:MOST]
            topics = topics[topics["qid"].isin(kept)]
        day = collection.day()
        self._topics = (topics if day is None else with_as_of(topics, day)).reset_index(drop=True)
        self._qrels = self._qrels[self._qrels["qid"].isin(self._topics["qid"])]
        self.qids: list[str] = self._topics["qid"].tolist()
        facts = [
            __version__,
            measure,
            collection.fingerprint(),
            collection.graph.fingerprint(),
            model_digest(collection),
            encoder_fingerprint(collection),
        ]
        asked = ["qid", "query"] if day is None else ["qid", "query", AS_OF]
        key = digest([*facts, self._topics[asked].to_numpy().tolist(), self._qrels.to_numpy().tolist()])
        self._file = collection.cache / f"tune-{key[:16]}.jsonl"
        self._values = dict(_stored(self._file, len(self.qids)))
        self.runs = 0

    def in_time(self) -> bool:
        """Return True if nothing was omitted for lack of time."""
        return not self._late

    def values(self, settings: DefaultSettings) -> Values:
        """Return the value of each question."""
        expression = f"({settings.expression()}) % 100"
        if expression not in self._values:
            self._values[expression] = self._run(expression)
        return self._values[expression]

    def values_in_time(self, settings: DefaultSettings) -> Values | None:
        """Return the value of each question; None if it would have to be computed after the deadline."""
        if f"({settings.expression()}) % 100" not in self._values and time.monotonic() > self._deadline:
            self._late = True
            return None
        return self.values(settings)

    def known(self, chosen: DefaultSettings, name: str, grid: Sequence[Any]) -> Iterator[tuple[Any, float]]:
        """Yield each value of a setting that was run, all else as chosen, with the mean in percent."""
        for value in grid:
            expression = f"({chosen.model_copy(update={name: value}).expression()}) % 100"
            if expression in self._values:
                yield value, 100 * float(self._values[expression].mean())

    def _run(self, expression: str) -> Values:
        import ir_measures

        results = judged_names(self._collection.pipeline(expression).transform(self._topics), self._qrels)
        names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
        # Scores by rank: evaluators break ties in their own ways.
        run = results.assign(score=-results["rank"].astype(np.float64)).rename(columns=names)
        place = {qid: number for number, qid in enumerate(self.qids)}
        values = np.zeros(len(self.qids))
        for metric in ir_measures.iter_calc([self._measure], self._qrels.rename(columns=names), run):
            values[place[metric.query_id]] = metric.value
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"expression": expression, "values": values.tolist()}) + "\n")
        self.runs += 1
        self.advance(1)
        return values


def _stored(path: Path, questions: int) -> Iterator[tuple[str, Values]]:
    """Yield the values of an earlier run; a line that was cut off is left out."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
            values = np.array(row["values"], dtype=np.float64)
            expression = str(row["expression"])
        except (ValueError, KeyError, TypeError):
            continue
        if values.shape == (questions,):
            yield expression, values


def _check_questions(name: str, questions: int, provisions: int) -> None:
    if questions < LEAST:
        raise DataError(
            f"tune: {name} has too few judged questions, {questions}; at least {LEAST} are needed: name a split with "
            f"more, or judge more. default does without."
        )
    if provisions == 1:
        raise DataError(
            f"tune: all judgements of {name} are on one provision, so settings would be chosen for it alone: "
            f"judge questions about others, too."
        )


def _knobs(collection: Collection, start: DefaultSettings) -> dict[str, tuple[Any, ...]]:
    """Return the values of each setting to try on a collection, without settings that cannot matter."""
    code = collection.language
    knobs: dict[str, tuple[Any, ...]] = {
        "analyzer": (start.analyzer, f"word(lang={code!r})", "char2", "char4"),
        **_GRIDS,
    }
    links = collection.graph.links_count() > 0
    possible = {
        "analyzer": True,
        "citing": links,
        "sar": links,
        "family": LawTable.of(collection).count("law") > 1,
        "lookup": start.lookup > 0,
        "model": _may_use_model(collection),
        "semantic": start.semantic > 0,
    }
    return {name: values for name, values in knobs.items() if possible.get(name, True)}


def _may_use_model(collection: Collection) -> bool:
    """Return True if the collection has a model whose training has not seen the questions of this split."""
    folder = own_model(collection)
    if folder is None:
        return False
    sources = read_about(folder)["card"].get("sources", ())
    seen = any(
        source.get("source") == "judgements"
        and str(source.get("dataset")).split("/")[-1] == collection.id.split("/")[-1]
        for source in sources
    )
    if seen:
        logging.getLogger("legalir").warning(
            "tune: the model of %s learnt from these judgements, so they cannot choose its weight.",
            collection.id,
        )
    return not seen


def _search(
    evaluation: _Evaluation,
    start: DefaultSettings,
    knobs: Mapping[str, Sequence[Any]],
    questions: npt.NDArray[np.bool_],
) -> DefaultSettings:
    """Return the settings that some of the questions choose."""
    chosen = start
    for _ in range(_PASSES):
        before = chosen
        for name, grid in knobs.items():
            chosen = _best(evaluation, chosen, name, grid, questions)
        if chosen == before:
            break
    return chosen


def _best(
    evaluation: _Evaluation, chosen: DefaultSettings, name: str, grid: Sequence[Any], questions: npt.NDArray[np.bool_]
) -> DefaultSettings:
    """Return `chosen` with the best value of one setting, or unchanged if no other value gains a standard error."""
    base = evaluation.values(chosen)[questions]
    best, most = chosen, 0.0
    for value in grid:
        other = chosen.model_copy(update={name: value})
        values = None if other == chosen else evaluation.values_in_time(other)
        if values is None:
            continue
        difference = values[questions] - base
        gained = float(difference.mean())
        if gained > max(most, _standard_error(difference)):
            best, most = other, gained
    return best


def _standard_error(difference: Values) -> float:
    return float(difference.std(ddof=1) / np.sqrt(len(difference)))


def _gain(measure: str, base: Values, differences: Values, folds: int) -> Gain:
    from scipy.stats import t

    mean, reach = float(differences.mean()), _standard_error(differences) * float(t.ppf(0.975, len(base) - 1))
    percent = {
        "default": base.mean(),
        "tuned": base.mean() + mean,
        "low": mean - reach,
        "high": mean + reach,
    }
    rounded = {name: round(100 * float(value), 2) for name, value in percent.items()}
    return Gain(measure=measure, questions=len(base), folds=folds, **rounded)


def _store(collection: Collection, settings: DefaultSettings, gain: Gain, out: Path | None) -> Path:
    tuned = Tuned(
        collection=collection_name(collection),
        split=collection.source.split,
        corpus=collection.fingerprint(),
        sketch=sketch_of(collection.docs()),
        gain=gain,
        settings=settings,
        model=model_digest(collection),
        encoder=encoder_fingerprint(collection),
    )
    if out is not None:
        write_tuned(tuned, out)
        return out
    beside, cached = tuned_paths(collection)
    if not collection.id.startswith("legalir/"):  # Of a dataset of PyTerrier both are in the cache.
        try:
            write_tuned(tuned, beside)
            return beside
        except OSError:
            pass
    write_tuned(tuned, cached)
    return cached
