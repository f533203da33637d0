"""Trainings by transformers' Trainer, with our batches and our display, and with states that are verified before use.

A state is a checkpoint of the Trainer in the folder of :class:`~legalir.extend.Checkpoints`, which compares the sha256
of each file before anything reads it. The weights in training are in it under their own names as safetensors; the
Trainer's pickle of its settings is left out, and transformers reads its ``optimizer.pt``, ``scheduler.pt`` and
``rng_state.pth`` with ``weights_only=True``. FlagEmbedding's own checkpoints cannot be resumed from: they hold the
weights under names that the model in training does not have, which transformers does not report.
"""

from __future__ import annotations

import importlib
import json
import math
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import legalir
from legalir.errors import ComponentError, DefinitionError, LegalIRError, MissingExtra, ModelError
from legalir.extend import (
    Checkpoints,
    Display,
    history_frame,
    interrupts,
    open_display,
    own_place,
    own_random_numbers,
    writing,
)
from legalir_finetune.card import CARD, write_history
from legalir_finetune.recipes import FineTuning, Pretraining

if TYPE_CHECKING:
    import pandas as pd

    from legalir import Collection

_WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class FineTuned:
    """A model that was tuned.

    Attributes:
        path: its folder.
        history: a row for each epoch, from 0, the model before: ``epoch``, ``loss``, on dev queries ``R@10, nDCG@10,
            MultiHitRate@10`` as shares, ``steps``, ``moved`` anchors that waited for another batch, ``left`` ones that
            are left out of batches, ``seconds``, and ``kept``, which is true for the epoch of the model.
        note: why there is no picture of the history, None if there is one.
    """

    path: Path
    history: pd.DataFrame
    note: str | None


def check_packages(*names: str) -> None:
    """Import packages that a training needs.

    Raises:
        MissingExtra: one is not installed.
    """
    for name in names:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise MissingExtra(
                f"This needs the package {name!r}, which is not installed: pip install ./plugins/legalir-finetune in "
                f"the source folder of legalir."
            ) from error


@contextmanager
def opened(
    recipe: FineTuning | Pretraining, collection: Collection | None, replace: bool, progress: bool, lines: bool
) -> Iterator[tuple[Collection, Display]]:
    """Hold the place of the model, and yield the collection of a recipe and the display of its training."""
    out = _place(recipe)
    with own_place(out, lambda: _check_place(out, replace)), open_display(progress, lines) as display:
        chosen = collection if collection is not None else legalir.Collection(recipe.dataset)
        display.phase(f"Reading {chosen.id}")
        yield chosen, display


def _place(recipe: FineTuning | Pretraining) -> Path:
    return Path(recipe.out).expanduser().absolute()


def _check_place(out: Path, replace: bool) -> None:
    """Check that `out` is free, or holds a tuned model that is to be replaced: nothing else is ever replaced."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        is_ours = isinstance(json.loads((out / CARD).read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        is_ours = False
    if not is_ours:
        raise ComponentError(f"{out} exists and is not a fine-tuned model: choose another folder, or remove it.")
    if not replace:
        raise DefinitionError(f"{out} exists: give another place, or replace=True (--replace).")


class BatchSampler:
    """The batch sampler of a DataLoader.

    Args:
        compose: returns the batches of an epoch, from 0.
        length: number of batches of each epoch; the others are left out.
    """

    def __init__(self, compose: Callable[[int], Sequence[Sequence[Any]]], length: int) -> None:
        self._compose, self._length, self._epoch = compose, length, 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, from 0."""
        self._epoch = epoch

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[list[Any]]:
        for batch in self._compose(self._epoch)[: self._length]:
            yield list(batch)


class Training:
    """One training, from its beginning or from its last state; a subclass says what is learnt and what is measured.

    Args:
        recipe: the recipe.
        data: JSON values that identify the data and the base model.
        display: shows the progress.
        device: ``cpu``, ``cuda`` or ``mps``.
        model: the model in training.
        batches: the batches of each epoch.
        accumulation: batches of a step.
    """

    LESS_MEMORY: str
    """How to need less memory for a step."""
    measures_before = True
    """Whether the model before is measured."""

    def __init__(
        self,
        recipe: Any,
        data: Mapping[str, Any],
        display: Display,
        device: str,
        model: Any,
        batches: BatchSampler,
        accumulation: int = 1,
    ) -> None:
        self._recipe, self._display, self._device, self._model = recipe, display, device, model
        self._batches, self._accumulation = batches, accumulation
        self._steps = -(-len(batches) // accumulation)
        self._checkpoints = Checkpoints(_place(recipe), recipe.fingerprint(data))
        self._facts: dict[str, Any] = {"epoch": 0, "seconds": 0.0, "history": []}
        self._losses: list[tuple[float, float]] = []
        self._best_folder: Path | None = None
        self._checkpoint: Path | None = None
        self._interrupted: Callable[[], bool] = lambda: False
        self._began = self._saved = time.monotonic()

    def trainer_options(self) -> dict[str, Any]:
        """Return the dataset, the collator and, unless they are the Trainer's own, the optimizers."""
        raise NotImplementedError

    def loss(self, model: Any, inputs: Any, items: Any) -> tuple[Any, float, float]:
        """Return the loss to be minimised, and for the history a sum of losses and the number of its summands.

        Args:
            model: the model.
            inputs: a batch.
            items: number of labels in all batches of the step; None for batches without labels.
        """
        raise NotImplementedError

    def figures(self, epoch: int) -> dict[str, Any]:
        """Return what the history says of the model as it is now, apart from epoch, loss and seconds."""
        raise NotImplementedError

    def write(self, folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the model that is kept, and its card, into a new folder."""
        raise NotImplementedError

    def best(self) -> dict[str, Any]:
        """Return the row of the epoch that is kept."""
        last: dict[str, Any] = self._facts["history"][-1]
        return last

    def enough(self) -> bool:
        """Return True if training ends before its last epoch."""
        return False

    def run(self, resume: bool | None, measure: str) -> FineTuned:
        """Train to the end, and put the model in its place.

        Args:
            resume: whether to go on from the last state; None: if there is one.
            measure: column of the history that is drawn.

        Raises:
            ArtifactError: the state cannot be used, or nothing can be written.
            DefinitionError: there must be a state, but there is none.
            KeyboardInterrupt: Ctrl-C was pressed; the state is saved.
            LegalIRError: the numbers became infinite, or the memory is too small; the last state stays.
        """
        import torch

        self._resume(resume)
        shutil.rmtree(self._checkpoints.workshop, ignore_errors=True)
        try:
            with interrupts() as self._interrupted, own_random_numbers():
                if self.measures_before and not self._facts["history"]:
                    self.measure(0)
                if not self._over():
                    self._train()
                if self._interrupted() and not self._over():
                    raise KeyboardInterrupt
        except torch.OutOfMemoryError as error:
            raise LegalIRError(
                f"The memory of {self._device} is too small for a step, and the last state stays: give "
                f"{self.LESS_MEMORY}."
            ) from error
        rows = [{**row, "kept": row["epoch"] == self.best()["epoch"]} for row in self._facts["history"]]
        folder = self._checkpoints.workshop / "finished"
        shutil.rmtree(folder, ignore_errors=True)
        with writing(folder):
            self.write(folder, rows)
        note = write_history(folder, rows, measure)
        self._checkpoints.publish(folder)
        return FineTuned(_place(self._recipe), history_frame(rows), note)

    def _resume(self, resume: bool | None) -> None:
        if resume is False:
            self._checkpoints.remove()
        state = self._checkpoints.load()
        if state is not None:
            self._facts, self._losses = state.facts, state.arrays["losses"].tolist()
            self._checkpoint, self._best_folder = state.folders["checkpoint"], state.folders.get("epoch")
        elif resume:
            raise DefinitionError(
                f"{self._checkpoints.path} holds no interrupted training: train without resume=True (--resume)."
            )

    def _train(self) -> None:
        import transformers

        arguments = training_arguments(
            self._recipe, self._device, self._checkpoints.workshop / "trainer", self._accumulation
        )
        trainer = trainer_class()(model=self._model, args=arguments, **self.trainer_options())
        trainer.training, trainer.batches = self, self._batches
        trainer.model_accepts_loss_kwargs = True  # The sum over labels is divided by their number in the step.
        trainer.remove_callback(transformers.PrinterCallback)
        hooks = {name: getattr(self, f"_{name}") for name in ("on_epoch_begin", "on_step_end", "on_epoch_end")}
        trainer.add_callback(type("Epochs", (transformers.TrainerCallback,), hooks)())
        trainer.train(resume_from_checkpoint=None if self._checkpoint is None else str(self._checkpoint))

    def _over(self) -> bool:
        return self._facts["epoch"] == self._recipe.epochs or self.enough()

    def step(self, model: Any, inputs: Any, items: Any, number: int) -> Any:
        """Return the loss of a batch of step `number`, from 1, and note it for the history."""
        loss, total, count = self.loss(model, inputs, items)
        if not math.isfinite(total):
            raise LegalIRError(
                f"The loss became {total} at step {number}: give a smaller rate than {self._recipe.rate:g}, or "
                f"precision: float32."
            )
        self._losses.append((total, count))
        return loss

    def _on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        epoch, done = divmod(state.global_step, self._steps)
        self._display.phase(f"Epoch {epoch + 1} of {self._recipe.epochs}", self._steps, done)
        self._began = time.monotonic()

    def _on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        total, count = self._losses[-1]
        self._display.advance(1, total / max(count, 1))
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
        self.measure(state.global_step // self._steps)
        control.should_save = True
        control.should_training_stop = self.enough() or self._interrupted()

    def measure(self, epoch: int) -> dict[str, Any]:
        """Measure the model as it is now, and return the row that the history gets."""
        self._display.phase(f"Epoch {epoch}: measuring" if epoch else "Measuring the model before", None)
        facts = self._facts
        count = math.fsum(count for _, count in self._losses)
        loss = math.fsum(total for total, _ in self._losses) / max(count, 1) if epoch else None
        row = {"epoch": epoch, "loss": loss, "steps": self._steps if epoch else 0, **self.figures(epoch)}
        now = time.monotonic()
        row["seconds"] = facts["seconds"] + now - self._began
        facts["history"].append(row)
        facts |= {"epoch": epoch, "seconds": 0.0}
        self._losses.clear()
        self._began = now
        self._display.epoch({**row, "loss": math.nan if loss is None else loss})
        return row

    def save(self, checkpoint: Path, step: int) -> None:
        """Move a checkpoint of the Trainer to the states."""
        now = time.monotonic()
        if self._losses:
            self._facts["seconds"] += now - self._began
            self._began = now
        folders = [checkpoint] if self._best_folder is None else [checkpoint, self._best_folder]
        losses = {"losses": np.asarray(self._losses, dtype=np.float64)}
        self._best_folder = self._checkpoints.save(step, self._facts, losses, folders).get("epoch")
        self._saved = now


class _Steps:
    """Our changes to the Trainer; mixed into it, with `training` and `batches` set."""

    training: Training

    def get_train_dataloader(self: Any) -> Any:
        """Return the loader of our batches."""
        from torch.utils.data import DataLoader

        loader = DataLoader(self.train_dataset, batch_sampler=self.batches, collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)

    def compute_loss(self: Any, model: Any, inputs: Any, num_items_in_batch: Any = None, **_: Any) -> Any:
        """Return the loss of a batch."""
        return self.training.step(model, inputs, num_items_in_batch, self.state.global_step + 1)

    def _save(self: Any, output_dir: str | None = None, state_dict: Any = None) -> None:
        from safetensors.torch import save_file

        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: weight.detach().cpu().contiguous() for name, weight in _trained(self.model)}
        save_file(weights, folder / _WEIGHTS)

    def _load_from_checkpoint(self: Any, resume_from_checkpoint: str, model: Any = None) -> None:
        from safetensors.torch import load_file

        state = load_file(Path(resume_from_checkpoint) / _WEIGHTS)
        for name, weight in _trained(self.model):
            weight.data.copy_(state[name])

    def _save_checkpoint(self: Any, model: Any, trial: Any) -> None:
        step = self.state.global_step
        with writing(Path(self.args.output_dir)):
            super()._save_checkpoint(model, trial)  # type: ignore[misc]
        self.training.save(Path(self.args.output_dir) / f"checkpoint-{step}", step)


def _trained(model: Any) -> Iterator[tuple[str, Any]]:
    return ((name, weight) for name, weight in model.named_parameters() if weight.requires_grad)


def trainer_class() -> Any:
    """Return transformers' Trainer with our changes."""
    import transformers

    return type("Steps", (_Steps, transformers.Trainer), {})


def training_arguments(recipe: FineTuning | Pretraining, device: str, folder: Path, accumulation: int) -> Any:
    """Return the Trainer's own settings: nothing is reported anywhere, nothing is fetched, one device is used."""
    from transformers import TrainingArguments

    try:
        arguments = TrainingArguments(
            output_dir=str(folder),
            per_device_train_batch_size=recipe.batch,
            gradient_accumulation_steps=accumulation,
            num_train_epochs=recipe.epochs,
            learning_rate=recipe.rate,
            warmup_steps=recipe.warmup,
            lr_scheduler_type="linear",
            weight_decay=0.0,
            optim="adamw_torch",
            seed=recipe.seed,
            bf16=recipe.precision == "bfloat16",
            fp16=recipe.precision == "float16",
            use_cpu=device == "cpu",
            logging_strategy="no",
            save_strategy="no",
            eval_strategy="no",
            report_to="none",
            disable_tqdm=True,
            push_to_hub=False,
            remove_unused_columns=False,
            dataloader_num_workers=0,
            dataloader_pin_memory=device != "cpu",
        )
    except ValueError as error:  # transformers asks the device for bfloat16.
        raise ModelError(f"'precision' {recipe.precision} does not work on this {device}: write float32.") from error
    arguments._n_gpu = min(arguments.n_gpu, 1)  # Copies on several devices would not share their negatives.
    return arguments
