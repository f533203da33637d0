"""The training loop of a fine-tuning: epochs, measures after each epoch, the best model, and states to resume from."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import legalir
from legalir.errors import DataError, LegalIRError
from legalir.extend import Checkpoints, Display, Gold, dev_measures, measures_of, own_random_numbers, writing
from legalir_finetune.anchors import AnchorSource, DevSet, dev_set
from legalir_finetune.model import BaseModel, Network, write_model
from legalir_finetune.recipes import FineTuning
from legalir_finetune.trainer import AnchorTexts, BatchSampler, Collator, trainer_class, training_arguments

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class TunedFolder:
    """The result of a fine-tuning.

    Attributes:
        folder: of the best model.
        history: a row for each epoch, from 0, which is the model before, with a loss of None.
        best: the row of the best epoch.
    """

    folder: Path
    history: list[dict[str, Any]]
    best: dict[str, Any]


class Tuning:
    """One fine-tuning, from its beginning or from its last state.

    Args:
        recipe: the recipe.
        base: the base model.
        network: the network in training.
        source: the data.
        checkpoints: the states.
        display: shows the progress.
        device: ``cpu``, ``cuda`` or ``mps``.
        interrupted: called after each step; if it returns True, a state is saved and KeyboardInterrupt is raised.
    """

    def __init__(
        self,
        recipe: FineTuning,
        base: BaseModel,
        network: Network,
        source: AnchorSource,
        checkpoints: Checkpoints,
        display: Display,
        device: str,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._recipe, self._base, self._network, self._material = recipe, base, network, source.material
        self._checkpoints, self._display, self._device, self._interrupted = checkpoints, display, device, interrupted
        self._dev = dev_set(recipe, source.material)
        self._batches = BatchSampler(lambda epoch: source.epoch(recipe, epoch), recipe.epochs)
        self._steps = len(self._batches)
        if not self._steps:
            raise DataError(
                f"No batch of {recipe.batch} anchors is possible without a right provision among the negatives: "
                f"give a smaller 'batch', or more data to learn from."
            )
        self._facts: dict[str, Any] = {"epoch": 0, "seconds": 0.0, "history": []}
        self._losses: list[float] = []
        self._best_folder: Path | None = None
        self._checkpoint: Path | None = None
        self._began = self._saved = time.monotonic()

    def resume(self) -> bool:
        """Go on from the last state, and return whether there is one.

        Raises:
            ArtifactError: it cannot be used.
        """
        state = self._checkpoints.load()
        if state is None:
            return False
        self._facts, self._losses = state.facts, state.arrays["losses"].tolist()
        self._checkpoint, self._best_folder = state.folders["checkpoint"], state.folders.get("epoch")
        return True

    def run(self) -> TunedFolder:
        """Train to the end.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the state is saved.
            LegalIRError: the numbers became infinite; the last state stays.
        """
        history = self._facts["history"]
        shutil.rmtree(self._checkpoints.workshop, ignore_errors=True)
        if self._dev is not None and not history:
            self._display.phase("Epoch 0: measuring", None)
            self._measure(0, None)
        if not self._over():
            with own_random_numbers():
                self._train()
            if self._interrupted() and not self._over():
                raise KeyboardInterrupt
        assert self._best_folder is not None
        return TunedFolder(self._best_folder, history, self._best())

    def _train(self) -> None:
        import torch
        import transformers

        recipe, network = self._recipe, self._network
        trainer = trainer_class(network.trainer)(
            model=network.module,
            args=training_arguments(recipe, self._device, self._checkpoints.workshop / "trainer"),
            train_dataset=AnchorTexts(
                self._material.train.texts,
                self._material.passages,
                self._base.query_prompt,
                self._base.document_prompt,
            ),
            data_collator=Collator(network.tokenizer, recipe.query_length, recipe.passage_length),
            processing_class=network.tokenizer,
        )
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.batches, trainer.save_state, trainer.took = self._batches, self._save, self._losses.append
        hooks = {name: getattr(self, f"_{name}") for name in ("on_epoch_begin", "on_step_end", "on_epoch_end")}
        trainer.add_callback(type("Epochs", (transformers.TrainerCallback,), hooks)())
        try:
            trainer.train(resume_from_checkpoint=None if self._checkpoint is None else str(self._checkpoint))
        except torch.OutOfMemoryError as error:
            raise LegalIRError(
                f"The memory of {self._device} is too small for a step, and the last state stays: give a smaller "
                f"'sub_batch', 'gradient_checkpointing: true', shorter passages or a smaller 'batch'."
            ) from error

    def _over(self) -> bool:
        return self._facts["epoch"] == self._recipe.epochs or self._enough()

    def _trained(self) -> list[dict[str, Any]]:
        return [row for row in self._facts["history"] if row["epoch"]]

    def _best(self) -> dict[str, Any]:
        """Return the row of the best epoch: the first of equals; without dev queries, the last."""
        rows = self._trained()
        return rows[-1] if self._dev is None else max(rows, key=lambda row: row[self._recipe.measure])

    def _enough(self) -> bool:
        patience, rows = self._recipe.patience, self._trained()
        return patience is not None and bool(rows) and rows[-1]["epoch"] - self._best()["epoch"] >= patience

    def _on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._display.phase(f"Epoch {state.global_step // self._steps + 1} of {self._recipe.epochs}", self._steps)
        self._display.advance(state.global_step % self._steps)
        self._began = time.monotonic()

    def _on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._display.advance(1, self._losses[-1])
        if state.global_step % self._steps == 0:
            return  # The end of the epoch saves a state anyway, after it has measured.
        every = self._recipe.checkpoint_steps
        stop = self._interrupted()
        due = time.monotonic() - self._saved >= 60 * self._recipe.checkpoint_minutes
        control.should_save = stop or due or (every is not None and state.global_step % every == 0)
        control.should_training_stop = control.should_training_stop or stop

    def _on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step % self._steps:
            return
        epoch = state.global_step // self._steps
        self._display.phase(f"Epoch {epoch} of {self._recipe.epochs}: measuring", None)
        self._measure(epoch, math.fsum(self._losses) / len(self._losses))
        self._facts["epoch"] = epoch
        self._losses.clear()
        control.should_save = True
        control.should_training_stop = self._enough() or self._interrupted()

    def _measure(self, epoch: int, loss: float | None) -> None:
        """Write the model as it is now, measure it, and keep it if it is the best trained one."""
        folder = self._checkpoints.workshop / f"epoch-{epoch}"
        shutil.rmtree(folder, ignore_errors=True)
        moved, left = self._batches.counts[epoch - 1] if epoch else (0, 0)
        steps = self._steps if epoch else 0
        row: dict[str, Any] = {"epoch": epoch, "loss": loss, "steps": steps, "moved": moved, "left": left}
        with writing(folder):
            write_model(folder, self._recipe, self._base, self._network)
        if self._dev is not None:
            row |= _measures(self._recipe, folder, self._dev, self._device)
        now = time.monotonic()
        row["seconds"] = self._facts["seconds"] + now - self._began
        self._facts["seconds"], self._began = 0.0, now
        self._facts["history"].append(row)
        if epoch and self._best() is row:
            self._best_folder = folder
        self._display.epoch({**row, "loss": math.nan if loss is None else loss})

    def _save(self, checkpoint: Path, step: int) -> None:
        now = time.monotonic()
        if self._losses:
            self._facts["seconds"] += now - self._began
            self._began = now
        folders = [checkpoint] if self._best_folder is None else [checkpoint, self._best_folder]
        losses = {"losses": np.asarray(self._losses, dtype=np.float64)}
        self._best_folder = self._checkpoints.save(step, self._facts, losses, folders).get("epoch")
        self._saved = now


def _measures(recipe: FineTuning, folder: Path, dev: DevSet, device: str) -> dict[str, float]:
    """Return ``R@10``, ``nDCG@10`` and ``MultiHitRate@10`` of the vectors of a model on disk.

    For M3 they measure the dense head, and ``nDCG@10 sparse`` measures the token weights. The model is read by the
    encoder that users will read it with.
    """
    with own_random_numbers():
        if recipe.objective == "unified":
            from scipy.sparse import csr_array

            m3 = legalir.M3Encoder(
                folder, max_length=recipe.passage_length, query_max_length=recipe.query_length, device=device
            )
            queries = m3.represent_queries(dev.queries, multi=False)
            documents = m3.represent(dev.passages, multi=False)
            size = 1 + max(int(part.tokens.max(initial=0)) for part in (queries, documents))
            weights = [
                csr_array((part.weights, part.tokens, part.bounds), shape=(len(part.bounds) - 1, size))
                for part in (queries, documents)
            ]
            measures = dev_measures(queries.dense, documents.dense, dev.gold)
            return {**measures, "nDCG@10 sparse": sparse_ndcg(weights[0], weights[1], dev.gold)}
        for_queries = legalir.SentenceEncoder(folder, max_length=recipe.query_length, device=device)
        for_passages = legalir.SentenceEncoder(folder, max_length=recipe.passage_length, device=device)
        vectors = for_queries.encode_queries(dev.queries), for_passages.encode(dev.passages)
        return dev_measures(*vectors, dev.gold)


def sparse_ndcg(queries: csr_array, documents: csr_array, gold: Gold) -> float:
    """Return the mean nDCG@10 (binary) by the inner products of token weights; a product of 0 is not a result.

    Args:
        queries: weight of each token id, [m, V].
        documents: the same of provisions, [n, V]; ties are ranked by their number.
        gold: right provisions of each query, at least one.
    """
    total, across = 0.0, documents.T.tocsr()
    for query in range(len(gold.indptr) - 1):
        row = (queries[[query]] @ across).toarray()[0]
        best = np.argsort(-row, kind="stable")[:10]
        total += measures_of(best[row[best] > 0], gold.of(query))[1]
    return total / max(1, len(gold.indptr) - 1)
