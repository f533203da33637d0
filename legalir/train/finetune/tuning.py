"""The fine-tuning itself: the trainer's epochs, what is measured after each, the best of them, states to go on from."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from legalir.errors import DataError, LegalIRError
from legalir.extras import require
from legalir.train.display import Display
from legalir.train.finetune.base import Base
from legalir.train.finetune.material import Dev, Texts
from legalir.train.finetune.measure import measured, own_random_numbers
from legalir.train.finetune.network import Network, write_model
from legalir.train.finetune.recipe import FineTuning
from legalir.train.finetune.states import States, writing
from legalir.train.finetune.steps import Batches, Collator, Pairs, trainer_class, training_arguments

__all__ = ["Tuned", "Tuning"]


@dataclass(frozen=True)
class Tuned:
    """What a fine-tuning came to.

    Attributes:
        folder: of the model that is kept.
        history: a row of each epoch, from 0, which is the model as it was before, with a loss of None.
        best: the row of the epoch that is kept.
    """

    folder: Path
    history: list[dict[str, Any]]
    best: dict[str, Any]


class Tuning:
    """One fine-tuning, from its beginning or from its last state.

    Args:
        recipe: how.
        base: what is tuned.
        network: the same in memory.
        texts: from what.
        dev: what each epoch is measured on; None: nothing.
        states: where states go.
        display: what is told of it.
        device: where it computes.
        interrupted: asked after every step; True writes a state and ends in KeyboardInterrupt.
    """

    def __init__(
        self,
        recipe: FineTuning,
        base: Base,
        network: Network,
        texts: Texts,
        dev: Dev | None,
        states: States,
        display: Display,
        device: str,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._recipe, self._base, self._network, self._texts, self._dev = recipe, base, network, texts, dev
        self._states, self._display, self._device, self._interrupted = states, display, device, interrupted
        self._batches = Batches(lambda epoch: texts.epoch(recipe, epoch), recipe.epochs)
        self._steps = len(self._batches)
        if not self._steps:
            raise DataError(
                f"Not one batch of {recipe.batch} anchors can be made in which nothing right is a negative: "
                f"give a smaller 'batch', or learn from more."
            )
        self._facts: dict[str, Any] = {"epoch": 0, "seconds": 0.0, "history": []}
        self._losses: list[float] = []
        self._kept: Path | None = None
        self._from: Path | None = None
        self._began = self._saved = time.monotonic()

    def resume(self) -> bool:
        """Go on from the last state; return whether there is one.

        Raises:
            ArtifactError: it cannot be used.
        """
        state = self._states.load()
        if state is None:
            return False
        self._facts, self._losses, self._kept, self._from = state.facts, state.losses, state.kept, state.trainer
        return True

    def run(self) -> Tuned:
        """Train to the end.

        Raises:
            KeyboardInterrupt: after the state was written.
            LegalIRError: the numbers became infinite; the last state stays.
        """
        history = self._facts["history"]
        shutil.rmtree(self._states.workshop, ignore_errors=True)
        if self._dev is not None and not history:
            self._display.phase("Epoch 0: measuring", None)
            self._measure(0, None)
        if not self._over():
            with own_random_numbers():
                self._train()
            if self._interrupted() and not self._over():
                raise KeyboardInterrupt
        assert self._kept is not None
        return Tuned(self._kept, history, self._best())

    def _train(self) -> None:
        recipe, network = self._recipe, self._network
        trainer = trainer_class(network.trainer)(
            model=network.module,
            args=training_arguments(recipe, self._device, self._states.workshop / "trainer"),
            train_dataset=Pairs(
                self._texts.material.train.texts,
                self._texts.passages,
                self._base.query_prompt,
                self._base.document_prompt,
            ),
            data_collator=Collator(network.tokenizer, recipe.query_length, recipe.passage_length),
            processing_class=network.tokenizer,
        )
        transformers = require("transformers", extra="dense")
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.batches, trainer.save_state, trainer.took = self._batches, self._save, self._losses.append
        hooks = {name: getattr(self, f"_{name}") for name in ("on_epoch_begin", "on_step_end", "on_epoch_end")}
        trainer.add_callback(type("Epochs", (transformers.TrainerCallback,), hooks)())
        try:
            trainer.train(resume_from_checkpoint=None if self._from is None else str(self._from))
        except require("torch", extra="dense").OutOfMemoryError as error:
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
            return  # The end of the epoch writes a state anyway, and has to be reached first.
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
        """Write the model as it is now, measure it, and keep it if it is the best that was trained."""
        folder = self._states.workshop / "model"
        shutil.rmtree(folder, ignore_errors=True)
        moved, left = self._batches.counts[epoch - 1] if epoch else (0, 0)
        steps = self._steps if epoch else 0
        row: dict[str, Any] = {"epoch": epoch, "loss": loss, "steps": steps, "moved": moved, "left": left}
        with writing(folder):
            write_model(folder, self._recipe, self._base, self._network)
        if self._dev is not None:
            row |= measured(self._recipe, folder, self._dev, self._device)
        now = time.monotonic()
        row["seconds"] = self._facts["seconds"] + now - self._began
        self._facts["seconds"], self._began = 0.0, now
        self._facts["history"].append(row)
        if epoch and self._best() is row:
            self._kept = folder
        self._display.epoch({**row, "loss": math.nan if loss is None else loss})

    def _save(self, written: Path, step: int) -> None:
        now = time.monotonic()
        if self._losses:
            self._facts["seconds"] += now - self._began
            self._began = now
        self._kept = self._states.save(step, self._facts, self._losses, written, self._kept)
        self._saved = now
