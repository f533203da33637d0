"""The training of a static model: steps, epochs, the best of them, and states to go on from.

The loss is InfoNCE [infonce]: choose the right provision among the provisions of the batch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.dense.hashed_ngrams import Features
from legalir.dense.static_model import term_weights
from legalir.errors import LegalIRError
from legalir.extras import require
from legalir.train.checkpoints import Checkpoints
from legalir.train.dev import dev_measures
from legalir.train.display import Display
from legalir.train.material import Gold, Material, epoch_order, pairs_of, random_numbers
from legalir.train.negatives import Pool, draw, mine_by_model
from legalir.train.recipes import MODEL, StaticRecipe
from legalir.train.static_network import Network, encode, ranges, relative_idf, rows_matrix

if TYPE_CHECKING:
    from torch import Tensor

Integers = npt.NDArray[np.int64]

_NEVER = -1e4
"""Instead of minus infinity, which would give NaN if all else is masked."""


class TrainingBatch(NamedTuple):
    """b pairs and the n different provisions that each of their queries chooses from.

    Attributes:
        queries: query numbers, int64 [b].
        documents: document numbers, ascending, int64 [n].
        target: place of each query's own provision in `documents`, int64 [b].
        masked: whether a provision is right or near, too, and so not a negative of the query; bool [b, n].
    """

    queries: Integers
    documents: Integers
    target: Integers
    masked: npt.NDArray[np.bool_]


class Batcher:
    """Maker of batches of pairs.

    Args:
        spared: provisions that are never negatives of a query.
        documents: N, number of provisions.
    """

    def __init__(self, spared: Gold, documents: int) -> None:
        self._spared = spared
        self._place = np.full(documents, -1, dtype=np.int64)

    def batch(self, pairs: Integers, negatives: Integers) -> TrainingBatch:
        """Return the batch of `pairs` [b, 2] and of further documents, `negatives` [k]."""
        queries = pairs[:, 0]
        documents = np.unique(np.concatenate((pairs[:, 1], negatives)))
        self._place[documents] = np.arange(len(documents))
        target = self._place[pairs[:, 1]]
        start, size = self._spared.indptr[queries], np.diff(self._spared.indptr)[queries]
        row = np.repeat(np.arange(len(queries)), size)
        column = self._place[self._spared.documents[ranges(start, size)]]
        masked = np.zeros((len(queries), len(documents)), dtype=np.bool_)
        masked[row[column >= 0], column[column >= 0]] = True
        masked[np.arange(len(queries)), target] = False
        self._place[documents] = -1
        return TrainingBatch(queries, documents, target, masked)


def info_nce(sums: Tensor, batch: TrainingBatch, temperature: float) -> Tensor:
    """Return the mean of ``-ln(exp(c_t/T) / Σ_j exp(c_j/T))``, c_j the cosine of a query and provision j.

    The sum is over all provisions of the batch except masked ones, which may be right as well as t.

    Args:
        sums: sums of the vectors of each text, queries first, then provisions, float [b + n, d]; of any length.
        batch: of b pairs and n provisions.
        temperature: T.
    """
    torch = require("torch", extra="dense")
    vectors = torch.nn.functional.normalize(sums, dim=1)
    size = len(batch.queries)
    logits = vectors[:size] @ vectors[size:].T / temperature
    logits = logits.masked_fill(torch.from_numpy(batch.masked), _NEVER)
    loss: Tensor = torch.nn.functional.cross_entropy(logits, torch.from_numpy(batch.target))
    return loss


def loss_and_gradient(
    sums: npt.NDArray[np.float32], batch: TrainingBatch, temperature: float
) -> tuple[float, npt.NDArray[np.float32]]:
    """Return the loss, and its gradient with respect to `sums`, [b + n, d]."""
    torch = require("torch", extra="dense")
    leaf = torch.from_numpy(sums).requires_grad_()
    loss = info_nce(leaf, batch, temperature)
    loss.backward()
    return float(loss.detach()), leaf.grad.numpy()


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


@dataclass
class TrainedTable:
    """The result of a training.

    Attributes:
        table: of the best epoch, float16 [rows, d].
        history: a row for each epoch: ``epoch`` (from 1), ``loss``, the measures, ``seconds``.
        best: the row of the best epoch.
    """

    table: npt.NDArray[np.float16]
    history: list[dict[str, Any]]
    best: dict[str, Any]


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

    def run(self, interrupted: Callable[[], bool]) -> TrainedTable:
        """Train to the end.

        Args:
            interrupted: called after each step; if it returns True, the state is saved and the training ends.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the state is saved.
            LegalIRError: the numbers became infinite; the states are removed.
        """
        while self._facts["epoch"] < self._recipe.epochs and not self._enough():
            self._epoch(interrupted)
        history = self._facts["history"]
        if self._best_table is None:
            self._best_table = self._network.table().astype(np.float16)
        return TrainedTable(self._best_table, history, history[self._best()])

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
        self._display.phase(f"Epoch {epoch + 1} of {recipe.epochs}", self._batches)
        self._display.advance(self._facts["batch"])
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
