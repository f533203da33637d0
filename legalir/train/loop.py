"""The training itself: steps, epochs, the best of them, and states to go on from.

InfoNCE (van den Oord, Li and Vinyals 2018): choose the right provision among those of the batch.

How good a model is on dev queries: every provision is compared, exactly, ties by document number.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from legalir.dense.cosine import best_cosines
from legalir.errors import LegalIRError
from legalir.extras import require
from legalir.train.batches import Batch, Batcher, Gold, epoch_order, pairs_of, rows_matrix
from legalir.train.checkpoint import Checkpoints
from legalir.train.display import Display
from legalir.train.material import Material
from legalir.train.negatives import Pool, draw, mine_by_model
from legalir.train.network import Network, encode, relative_idf
from legalir.train.recipe import MODEL, Recipe

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Learnt", "Training", "dev_measures", "generator", "info_nce", "loss_and_gradient", "of_query", "rate_at"]

_NEVER = -1e4
"""Instead of minus infinity, which would make NaN where all else is masked."""


def info_nce(sums: Tensor, batch: Batch, temperature: float) -> Tensor:
    """Return the mean of ``-ln(exp(c_t/T) / Σ_j exp(c_j/T))``, c_j the cosine of a query and provision j.

    The sum is over all provisions of the batch but those that are masked, which may be right as well as t.

    Args:
        sums: what the texts add up to, queries first, then provisions, float [b + n, d]; of any length.
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
    sums: npt.NDArray[np.float32], batch: Batch, temperature: float
) -> tuple[float, npt.NDArray[np.float32]]:
    """Return the loss, and its gradient with respect to `sums`, [b + n, d]."""
    torch = require("torch", extra="dense")
    leaf = torch.from_numpy(sums).requires_grad_()
    loss = info_nce(leaf, batch, temperature)
    loss.backward()
    return float(loss.detach()), leaf.grad.numpy()


_K = 10


def dev_measures(queries: npt.NDArray[np.float32], documents: npt.NDArray[np.float32], gold: Gold) -> dict[str, float]:
    """Return the means of ``R@10``, ``nDCG@10`` (binary) and ``MultiHitRate@10`` over queries, as shares.

    Args:
        queries: vectors, [m, d]; one of zeros finds nothing, and counts.
        documents: vectors, [n, d].
        gold: right provisions of each query, at least one.
    """
    order = np.arange(len(documents), dtype=np.int32)
    totals = np.zeros(3)
    for number, (found, _) in enumerate(best_cosines(documents, order, queries, _K)):
        right = gold.documents[gold.indptr[number] : gold.indptr[number + 1]]
        totals += of_query(np.isin(found, right), len(right))
    means = totals / max(1, len(queries))
    return {name: float(value) for name, value in zip(("R@10", "nDCG@10", "MultiHitRate@10"), means, strict=True)}


def of_query(hits: npt.NDArray[np.bool_], relevant: int) -> tuple[float, float, float]:
    """Return R@10, nDCG@10 and MultiHitRate@10 of one query, of whose first ten results `hits` are right.

    Args:
        hits: [at most 10], in the order of the list.
        relevant: number of right provisions, at least 1.
    """
    gain = sum(1 / math.log2(place + 2) for place in np.flatnonzero(hits))
    best = sum(1 / math.log2(place + 2) for place in range(min(_K, relevant)))
    return float(hits.sum()) / relevant, gain / best, float(hits.sum() == relevant)


_SLOWEST = 0.02
"""The share of the rate below which it does not fall."""

_DRAWS, _ORDER, _START = 0, 1, 2


def generator(seed: int, *place: int) -> np.random.Generator:
    """Return the random numbers that belong to a place of the training: nothing of it depends on what went before."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=place))


def rate_at(rate: float, step: int, steps: int) -> float:
    """Return the rate of step `step`, from 0, of `steps`: half a cosine, down to a fiftieth of it."""
    return rate * max(_SLOWEST, 0.5 * (1 + math.cos(math.pi * step / steps)))


@dataclass
class Learnt:
    """What a training came to.

    Attributes:
        table: of the epoch that is kept, float16 [rows, d].
        history: a row of each epoch: ``epoch`` (from 1), ``loss``, the measures, ``seconds``.
        best: the row of the epoch that is kept.
    """

    table: npt.NDArray[np.float16]
    history: list[dict[str, Any]]
    best: dict[str, Any]


class Training:
    """One training, from its beginning or from its last state.

    Args:
        recipe: how.
        material: from what.
        checkpoints: where states go.
        pool: threads; torch is to have one.
        display: what is told of it.
        hard: the pool of hard negatives where a pipeline found them.
        interrupted: asked after every step; True writes a state and ends in KeyboardInterrupt.
    """

    def __init__(
        self,
        recipe: Recipe,
        material: Material,
        checkpoints: Checkpoints,
        pool: Executor,
        display: Display,
        hard: Pool | None = None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._recipe, self._material, self._checkpoints = recipe, material, checkpoints
        self._threads, self._display, self._interrupted = pool, display, interrupted
        weights = relative_idf(material.documents, recipe.rows)
        self._network = Network(weights, recipe.dim, generator(recipe.seed, _START), pool)
        self._pairs = pairs_of(material.train.gold)
        self._batcher = Batcher(material.train.spared, len(material.docnos))
        self._batches = max(1, len(self._pairs) // recipe.batch)
        self._hard = hard
        self._kept: npt.NDArray[np.float16] | None = None
        self._facts: dict[str, Any] = {"epoch": 0, "batch": 0, "losses": 0.0, "seconds": 0.0, "history": []}
        self._began = self._saved = time.monotonic()

    def resume(self) -> bool:
        """Go on from the last state; return whether there is one.

        Raises:
            ArtifactError: it cannot be used.
        """
        state = self._checkpoints.load()
        if state is None:
            return False
        self._facts, arrays = state
        self._network.restore(arrays)
        self._hard = arrays.get("hard", self._hard)
        self._kept = arrays.get("kept")
        return True

    def run(self) -> Learnt:
        """Train to the end.

        Raises:
            KeyboardInterrupt: after the state was written.
            LegalIRError: the numbers became infinite; states are removed.
        """
        while self._facts["epoch"] < self._recipe.epochs and not self._enough():
            self._epoch()
        history = self._facts["history"]
        if self._kept is None:
            self._kept = self._network.table().astype(np.float16)
        return Learnt(self._kept, history, history[self._best()])

    def _enough(self) -> bool:
        patience = self._recipe.patience
        return patience is not None and len(self._facts["history"]) - 1 - self._best() >= patience

    def _best(self) -> int:
        """Return the epoch, from 0, that is the best so far: the first of equals; without dev queries, the last."""
        history = self._facts["history"]
        if self._material.dev is None or not history:
            return len(history) - 1
        return int(np.argmax([row[self._recipe.measure] for row in history]))

    def _epoch(self) -> None:
        recipe, epoch = self._recipe, self._facts["epoch"]
        shares = [recipe.weights[name] for name in recipe.sources] if recipe.weights else None
        order = epoch_order(self._material.pairs, shares, generator(recipe.seed, _ORDER, epoch))
        self._display.phase(f"Epoch {epoch + 1} of {recipe.epochs}", self._batches)
        self._display.advance(self._facts["batch"])
        for batch in range(self._facts["batch"], self._batches):
            pairs = self._pairs[order[batch * recipe.batch : (batch + 1) * recipe.batch]]
            loss = self._step(pairs, epoch * self._batches + batch, generator(recipe.seed, _DRAWS, epoch, batch))
            self._facts["losses"] += loss
            self._facts["batch"] = batch + 1
            self._display.advance(1, loss)
            self._save_now_and_then()
        self._end_epoch()

    def _step(self, pairs: npt.NDArray[np.int64], step: int, rng: np.random.Generator) -> float:
        """Learn from one batch of pairs; return its loss."""
        recipe, material = self._recipe, self._material
        negatives = rng.integers(0, len(material.docnos), recipe.random)
        if self._hard is not None:
            negatives = np.concatenate((negatives, draw(self._hard, pairs[:, 0], rng)))
        batch = self._batcher.batch(pairs, negatives)
        parts = [(material.train.features, batch.queries), (material.documents, batch.documents)]
        matrix = rows_matrix(parts, recipe.rows)
        loss, gradient = loss_and_gradient(self._network.sums(matrix), batch, recipe.temperature)
        if not math.isfinite(loss):
            raise self._diverged(f"The loss became {loss} at step {step + 1}")
        rate = rate_at(recipe.rate, step, recipe.epochs * self._batches)
        self._network.learn(matrix, gradient, rate, step + 1)
        return loss

    def _diverged(self, what: str) -> LegalIRError:
        self._checkpoints.remove()
        return LegalIRError(
            f"{what}, and nothing was written: give a smaller rate than {self._recipe.rate:g}, or a higher temperature "
            f"than {self._recipe.temperature:g}."
        )

    def _end_epoch(self) -> None:
        """Measure, keep the table if it is the best, find hard negatives for the next epoch, write the state."""
        facts, recipe, material = self._facts, self._recipe, self._material
        self._display.phase(f"Epoch {facts['epoch'] + 1} of {recipe.epochs}: measuring", None)
        with np.errstate(over="ignore"):
            table = self._network.table()
        if not np.isfinite(table).all():
            raise self._diverged(f"The vectors grew beyond all bounds in epoch {facts['epoch'] + 1}")
        row: dict[str, Any] = {"epoch": facts["epoch"] + 1, "loss": facts["losses"] / self._batches}
        last = row["epoch"] == recipe.epochs
        mines = recipe.negatives == MODEL and recipe.hard > 0 and not last
        documents = encode(material.documents, table, self._threads) if mines or material.dev is not None else None
        if material.dev is not None and documents is not None:
            row |= dev_measures(encode(material.dev.features, table, self._threads), documents, material.dev.gold)
        facts["history"].append(row)
        if material.dev is not None and self._best() == len(facts["history"]) - 1:
            self._kept = table.astype(np.float16)
        if mines and documents is not None and not self._enough():
            queries = encode(material.train.features, table, self._threads)
            self._hard = mine_by_model(queries, documents, material.train.spared, recipe.hard, self._threads)
        row["seconds"] = facts["seconds"] + time.monotonic() - self._began
        self._display.epoch(row)
        self._began = time.monotonic()
        facts.update(epoch=row["epoch"], batch=0, losses=0.0, seconds=0.0)
        self._save()

    def _save_now_and_then(self) -> None:
        stop = self._interrupted()
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
        if self._kept is not None:
            arrays["kept"] = self._kept
        done = self._facts["epoch"] * self._batches + self._facts["batch"]
        self._checkpoints.save(done, self._facts, arrays)
        self._saved = time.monotonic()
