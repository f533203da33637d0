"""``legalir.train_static``: from a recipe and a collection to a static model on disk; its steps, epochs and states."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import legalir
from legalir.dense.hashed_ngrams import Features
from legalir.dense.static_model import StaticModel, check_place, term_weights
from legalir.errors import DefinitionError, LegalIRError
from legalir.extras import require
from legalir.train.checkpoints import Checkpoints, interrupts, own_place
from legalir.train.display import Display, history_frame, open_display
from legalir.train.material import (
    Material,
    dataset_facts,
    dev_measures,
    epoch_order,
    pairs_of,
    random_numbers,
    read_material,
)
from legalir.train.model_weight import measure_weight, sentence
from legalir.train.negatives import Pool, draw, mine_by_expression, mine_by_model
from legalir.train.recipes import MODEL, RANDOM, StaticRecipe
from legalir.train.static_network import (
    Batcher,
    Network,
    encode,
    loss_and_gradient,
    relative_idf,
    rows_matrix,
)

if TYPE_CHECKING:
    import pandas as pd

    from legalir.collection.collection import Collection


@dataclass(frozen=True)
class TrainedModel:
    """A model that was trained.

    Attributes:
        path: its folder.
        history: a row for each epoch: ``epoch`` (from 1), ``loss``, on dev queries ``R@10, nDCG@10, MultiHitRate@10``
            as shares, ``seconds``, and ``kept``, which is true for the epoch of the model.
        model: the model, opened.
        note: what its weight in ``default`` was chosen from, one sentence; None: no weight was chosen.
    """

    path: Path
    history: pd.DataFrame
    model: StaticModel
    note: str | None


def train_static(
    collection: Collection | str | PathLike[str],
    out: str | PathLike[str],
    *,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    **settings: object,
) -> TrainedModel:
    """Train a static encoder: a vector for each n-gram and word, from queries and the provisions right for them.

    A step takes `batch` pairs and learns, by InfoNCE [infonce], to distinguish the provision of each query from the
    provisions of the other pairs, from `random` drawn ones, and from one hard negative a pair; other provisions that
    are right for a query are not its negatives. If there are judged questions, some are held out; they choose the
    weight of the model in ``default``. The same seed makes the same bytes on the same machine, with any number of
    threads, and also if the training is interrupted and resumed::

        trained = legalir.train_static("legalir/firecode", "model", sources=["citations", "headings"])
        collection.search("비상구의 너비", 'static(model="model")')

    Args:
        collection: a collection, its id or its path; its split is the one whose judgements are learnt from.
        out: folder of the model.
        resume: None: continue an interrupted training of the same recipe and data, if there is one in ``OUT.partial``;
            True: there must be one; False: begin again.
        replace: whether a model at `out` is replaced.
        progress: whether a terminal shows progress.
        **settings: the other keys of a :class:`~legalir.train.recipes.StaticRecipe`: `sources` and their `weights`;
            `dev`, `measure`, `patience`; `hold_out`; `seed`; the features `char`, `jamo`, `words`, `edges`, `rows`,
            `max_characters`, `tf`; `dim`; `epochs`, `batch`, `rate`, `temperature`; `negatives`, `hard`, `random`;
            `precision`, `checkpoint_minutes`, `threads`.

    Returns:
        The folder of the model, the history, and the model.

    Raises:
        ArtifactError: the state of an interrupted training is damaged or of another recipe, another training to `out`
            is under way, or nothing can be written there.
        ComponentError: something that is not a model is at `out`.
        DataError: there is nothing to learn from, or the dev split shares queries with the judgements.
        DatasetNotFound: there is no such collection or split.
        DefinitionError: a setting is not accepted, or `out` exists.
        LegalIRError: the loss became infinite or NaN; nothing is written then.
        MissingExtra: torch is not installed.
    """
    from legalir.collection.collection import Collection

    opened = collection if isinstance(collection, Collection) else Collection(collection)
    recipe = StaticRecipe.parse({**settings, "dataset": opened.id, "out": os.fspath(out)}, "train_static")
    return train_recipe(recipe, collection=opened, resume=resume, replace=replace, progress=progress)


def train_recipe(
    recipe: StaticRecipe,
    *,
    collection: Collection | None = None,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    lines: bool = False,
) -> TrainedModel:
    """Train the model of a recipe; same arguments, errors and result as :func:`train_static`.

    Args:
        recipe: the recipe.
        collection: the collection of the recipe, if it is open already.
        resume: whether to continue an interrupted training.
        replace: whether a model at `out` is replaced.
        progress: whether a terminal shows progress.
        lines: whether to print a line for each epoch on standard error if that is not a terminal.
    """
    from legalir.collection.collection import Collection

    require("torch", extra="dense")
    require("safetensors", extra="dense")
    out = Path(recipe.out).expanduser()
    with own_place(out, lambda: _check_place(out, replace)):
        opened = collection if collection is not None else Collection(recipe.dataset)
        with open_display(progress, lines) as display:
            return _trained(recipe, opened, out, display, resume)


def _check_place(out: Path, replace: bool) -> None:
    if out.exists() and not replace:
        raise DefinitionError(f"{out} exists: give another place, or replace=True (--replace).")
    check_place(out)


def _trained(
    recipe: StaticRecipe, collection: Collection, out: Path, display: Display, resume: bool | None
) -> TrainedModel:
    with ThreadPoolExecutor(recipe.threads or os.cpu_count() or 1) as threads, _one_thread_of_torch():
        display.phase(f"Reading {collection.id}")
        material = read_material(collection, recipe.sources, recipe.dev, recipe.hold_out)
        checkpoints = Checkpoints(out, recipe.fingerprint(material.data))
        if resume is False:
            checkpoints.remove()
        hard = _mined(recipe, collection, material, display)
        training = StaticTraining(recipe, material, checkpoints, threads, display, hard)
        material = training.material  # Without the texts of the provisions.
        if not training.resume() and resume:
            raise DefinitionError(
                f"{checkpoints.path} holds no interrupted training: train without resume=True (--resume)."
            )
        with interrupts() as interrupted:
            table = training.run(interrupted)
    card = model_card(recipe, collection, material, next(row for row in training.history if row["kept"]))
    model = StaticModel(recipe.ngrams, table, tf=recipe.tf, card=card)
    model = model.quantised() if recipe.precision == "int8" else model
    note = None
    if material.held_out is not None:
        display.phase("Choosing the weight in default")
        card["default"] = measure_weight(collection, model, material.held_out, material.docnos)
        note = sentence(card["default"])
        logging.getLogger("legalir").info(note)
    StaticModel(model.ngrams, model.table, scale=model.scale, tf=model.tf, card=card).save(out)
    checkpoints.remove()
    return TrainedModel(out, history_frame(training.history), StaticModel.load(out), note)


def _mined(recipe: StaticRecipe, collection: Collection, material: Material, display: Display) -> Pool | None:
    """Return the hard negatives that a pipeline finds; None if the model finds its own or there are none."""
    if recipe.negatives in (MODEL, RANDOM) or not recipe.hard:
        return None
    texts = material.train.texts
    display.phase(f"Searching negatives with {recipe.negatives}", len(texts))
    return mine_by_expression(
        recipe.negatives, collection, texts, material.train.spared, material.docnos, recipe.hard, display.advance
    )


@contextmanager
def _one_thread_of_torch() -> Iterator[None]:
    """Give torch one thread: several would wait for each other at each of many small operations."""
    torch = require("torch", extra="dense")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def model_card(
    recipe: StaticRecipe, collection: Collection, material: Material, best: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the card: JSON values, the same whenever the same model is trained.

    Args:
        recipe: the recipe.
        collection: the collection that was learnt from.
        material: the data read from it.
        best: the row of the history of the best epoch.
    """
    facts = dataset_facts(collection)
    measures = {name: round(value, 6) for name, value in best.items() if "@" in name and value is not None}
    dev = {"split": recipe.dev, "queries": len(material.dev.texts), **measures} if material.dev else None
    return {
        "made_by": f"legalir {legalir.__version__}",
        "sources": [{**facts, **source, "fingerprint": material.data["train"]} for source in material.sources],
        "corpus": {"documents": len(material.docnos), "sha256": material.data["corpus"], **facts},
        "seed": recipe.seed,
        "recipe": recipe.settings(),
        "epoch": best["epoch"],
        "loss": round(float(best["loss"]), 6),
        "dev": dev,
    }


_SLOWEST = 0.02
"""Lowest learning rate, as a share of the first one."""

_DRAWS, _ORDER, _START = 0, 1, 2
"""Places of random numbers."""

_READ = 4096


def rate_at(rate: float, step: int, steps: int) -> float:
    """Return the rate of step `step`, from 0, of `steps`: half a cosine, down to a fiftieth of it."""
    return rate * max(_SLOWEST, 0.5 * (1 + math.cos(math.pi * step / steps)))


def read_features(recipe: StaticRecipe, texts: Sequence[str], threads: Executor) -> Features:
    """Return the features of texts, with term-frequency weights for counts."""
    ngrams = recipe.ngrams
    parts = list(threads.map(lambda first: ngrams.features(texts[first : first + _READ]), range(0, len(texts), _READ)))
    sizes = [np.zeros(1, np.int64), *(np.diff(part.indptr) for part in parts)]
    rows = np.concatenate([np.zeros(0, np.int32), *(part.rows for part in parts)])
    counts = np.concatenate([np.zeros(0, np.float32), *(part.counts for part in parts)])
    return Features(np.cumsum(np.concatenate(sizes)), rows, term_weights(counts, recipe.tf))


class StaticTraining:
    """One training, from its beginning or from its last state.

    Args:
        recipe: the recipe.
        material: its data.
        checkpoints: its states.
        threads: share the work; torch must have one thread.
        display: shows the progress.
        hard: the pool of hard negatives if a pipeline found them.

    Attributes:
        material: the data without the texts of the provisions; only their features are needed.
    """

    def __init__(
        self,
        recipe: StaticRecipe,
        material: Material,
        checkpoints: Checkpoints,
        threads: Executor,
        display: Display,
        hard: Pool | None = None,
    ) -> None:
        self._recipe, self._checkpoints, self._threads, self._display = recipe, checkpoints, threads, display
        self.material = replace(material, passages=())
        self._documents = read_features(recipe, material.passages, threads)
        self._queries = read_features(recipe, material.train.texts, threads)
        self._dev_queries = None if material.dev is None else read_features(recipe, material.dev.texts, threads)
        weights = relative_idf(self._documents, recipe.rows)
        self._network = Network(weights, recipe.dim, random_numbers(recipe.seed, _START), threads)
        self._pairs = pairs_of(material.train.gold)
        self._batcher = Batcher(material.train.spared, len(material.docnos))
        self._batches = max(1, len(self._pairs) // recipe.batch)
        self._hard = hard
        self._best_table: npt.NDArray[np.float16] | None = None
        self._facts: dict[str, Any] = {"epoch": 0, "batch": 0, "losses": 0.0, "seconds": 0.0, "history": []}
        self._began = self._saved = time.monotonic()

    def resume(self) -> bool:
        """Go on from the last state, and return whether there is one.

        Raises:
            ArtifactError: it cannot be used.
        """
        state = self._checkpoints.load()
        if state is None:
            return False
        self._facts = state.facts
        self._network.restore(state.arrays)
        self._hard = state.arrays.get("hard", self._hard)
        self._best_table = state.arrays.get("best")
        return True

    def run(self, interrupted: Callable[[], bool]) -> npt.NDArray[np.float16]:
        """Train to the end, and return the table of the best epoch, [rows, d].

        Args:
            interrupted: called after each step; if it returns True, the state is saved and the training ends.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the state is saved.
            LegalIRError: the numbers became infinite; the states are removed.
        """
        while self._facts["epoch"] < self._recipe.epochs and not self._enough():
            self._epoch(interrupted)
        return self._network.table().astype(np.float16) if self._best_table is None else self._best_table

    @property
    def history(self) -> list[dict[str, Any]]:
        """A row for each epoch: ``epoch`` (from 1), ``loss``, the measures, ``seconds``, ``kept``."""
        rows: list[dict[str, Any]] = self._facts["history"]
        return [{**row, "kept": number == self._best()} for number, row in enumerate(rows)]

    def _enough(self) -> bool:
        patience = self._recipe.patience
        return patience is not None and len(self._facts["history"]) - 1 - self._best() >= patience

    def _best(self) -> int:
        """Return the best epoch so far, from 0: the first of equals; without dev queries, the last."""
        history = self._facts["history"]
        if self.material.dev is None or not history:
            return len(history) - 1
        return int(np.argmax([row[self._recipe.measure] for row in history]))

    def _epoch(self, interrupted: Callable[[], bool]) -> None:
        recipe, epoch = self._recipe, self._facts["epoch"]
        shares = [recipe.weights[name] for name in recipe.sources] if recipe.weights else None
        order = epoch_order(self.material.pairs, shares, random_numbers(recipe.seed, _ORDER, epoch))
        self._display.phase(f"Epoch {epoch + 1} of {recipe.epochs}", self._batches, self._facts["batch"])
        for batch in range(self._facts["batch"], self._batches):
            pairs = self._pairs[order[batch * recipe.batch : (batch + 1) * recipe.batch]]
            loss = self._step(pairs, epoch * self._batches + batch, random_numbers(recipe.seed, _DRAWS, epoch, batch))
            self._facts["losses"] += loss
            self._facts["batch"] = batch + 1
            self._display.advance(1, loss)
            self._save_if_due(interrupted())
        self._end_epoch()

    def _step(self, pairs: npt.NDArray[np.int64], step: int, rng: np.random.Generator) -> float:
        """Train on one batch of pairs; return its loss."""
        recipe, material = self._recipe, self.material
        negatives = rng.integers(0, len(material.docnos), recipe.random)
        if self._hard is not None:
            negatives = np.concatenate((negatives, draw(self._hard, pairs[:, 0], rng)))
        batch = self._batcher.batch(pairs, negatives)
        parts = [(self._queries, batch.queries), (self._documents, batch.documents)]
        matrix = rows_matrix(parts, recipe.rows)
        loss, gradient = loss_and_gradient(self._network.sums(matrix), batch, recipe.temperature)
        if not math.isfinite(loss):
            raise self._diverged(f"The loss became {loss} at step {step + 1}")
        rate = rate_at(recipe.rate, step, recipe.epochs * self._batches)
        self._network.learn(matrix, gradient, rate, step + 1)
        return loss

    def _diverged(self, fault: str) -> LegalIRError:
        self._checkpoints.remove()
        return LegalIRError(
            f"{fault}, and nothing was written: give a smaller rate than {self._recipe.rate:g}, or a higher "
            f"temperature than {self._recipe.temperature:g}."
        )

    def _end_epoch(self) -> None:
        """Measure, keep the table if it is the best, mine hard negatives for the next epoch, save the state."""
        facts, recipe, material = self._facts, self._recipe, self.material
        self._display.phase(f"Epoch {facts['epoch'] + 1} of {recipe.epochs}: measuring", None)
        with np.errstate(over="ignore"):
            table = self._network.table()
        if not np.isfinite(table).all():
            raise self._diverged(f"The vectors grew beyond all bounds in epoch {facts['epoch'] + 1}")
        row: dict[str, Any] = {"epoch": facts["epoch"] + 1, "loss": facts["losses"] / self._batches}
        last = row["epoch"] == recipe.epochs
        mines = recipe.negatives == MODEL and recipe.hard > 0 and not last
        documents = encode(self._documents, table, self._threads) if mines or material.dev is not None else None
        if material.dev is not None and self._dev_queries is not None and documents is not None:
            row |= dev_measures(encode(self._dev_queries, table, self._threads), documents, material.dev.gold)
        facts["history"].append(row)
        if material.dev is not None and self._best() == len(facts["history"]) - 1:
            self._best_table = table.astype(np.float16)
        if mines and documents is not None and not self._enough():
            queries = encode(self._queries, table, self._threads)
            self._hard = mine_by_model(queries, documents, material.train.spared, recipe.hard, self._threads)
        row["seconds"] = facts["seconds"] + time.monotonic() - self._began
        self._display.epoch(row)
        self._began = time.monotonic()
        facts.update(epoch=row["epoch"], batch=0, losses=0.0, seconds=0.0)
        self._save()

    def _save_if_due(self, stop: bool) -> None:
        if stop or time.monotonic() - self._saved >= 60 * self._recipe.checkpoint_minutes:
            now = time.monotonic()
            self._facts["seconds"] += now - self._began
            self._began = now
            self._save()
        if stop:
            raise KeyboardInterrupt

    def _save(self) -> None:
        arrays: dict[str, npt.NDArray[Any]] = dict(self._network.state())
        if self._hard is not None:
            arrays["hard"] = self._hard
        if self._best_table is not None:
            arrays["best"] = self._best_table
        done = self._facts["epoch"] * self._batches + self._facts["batch"]
        self._checkpoints.save(done, self._facts, arrays)
        self._saved = time.monotonic()
