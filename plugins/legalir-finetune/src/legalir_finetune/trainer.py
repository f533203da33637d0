"""FlagEmbedding's trainer with our batches, and with checkpoints that can be resumed from and are read without pickles.

FlagEmbedding's own checkpoints cannot be resumed from: they hold the weights of the backbone under names that the model
in training does not have; transformers reads them with ``strict=False`` and does not report it. It also writes
``training_args.bin``, a pickle of settings. Here a checkpoint holds all weights under their own names as safetensors,
read strictly, and no such pickle. The trainer's ``optimizer.pt``, ``scheduler.pt`` and ``rng_state.pth`` are read by
transformers with ``weights_only=True``, after their sha256 was compared.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from legalir.errors import LegalIRError
from legalir.extend import writing
from legalir_finetune.anchors import Anchor, EpochBatches
from legalir_finetune.recipes import FineTuning

_WEIGHTS = "model.safetensors"


class AnchorTexts:
    """Anchors as texts, in NFC as the encoders read them.

    Args:
        queries: by number.
        passages: by number.
        query_prompt: text before each query.
        prompt: text before each passage.
    """

    def __init__(self, queries: Sequence[str], passages: Sequence[str], query_prompt: str, prompt: str) -> None:
        self._queries, self._passages, self._query_prompt, self._prompt = queries, passages, query_prompt, prompt

    def __len__(self) -> int:
        return len(self._queries)

    def __getitem__(self, anchor: Anchor) -> tuple[str, list[str]]:
        """Return the query, and its provisions, the right one first."""
        query = self._query_prompt + _nfc(self._queries[anchor.query])
        return query, [self._prompt + _nfc(self._passages[number]) for number in anchor.documents]


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


class BatchSampler:
    """The batch sampler of a DataLoader: the batches of an epoch, the same number in each.

    Args:
        compose: returns the batches of an epoch, from 0.
        epochs: number of epochs.

    Attributes:
        counts: for each epoch, the number of anchors that waited for a later batch, and of anchors in no batch.
    """

    def __init__(self, compose: Callable[[int], EpochBatches], epochs: int) -> None:
        self._compose, self._epoch = compose, 0
        all_epochs = [compose(epoch) for epoch in range(epochs)]
        self._length = min(len(epoch.batches) for epoch in all_epochs)
        self.counts = tuple((one.moved, one.left + sum(map(len, one.batches[self._length :]))) for one in all_epochs)

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, from 0."""
        self._epoch = epoch

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[list[Anchor]]:
        for batch in self._compose(self._epoch).batches[: self._length]:
            yield list(batch)


@dataclass(frozen=True)
class Collator:
    """Conversion of the texts of a batch to the input of FlagEmbedding's models."""

    tokenizer: Any
    query_length: int
    passage_length: int

    def __call__(self, batch: Sequence[tuple[str, list[str]]]) -> dict[str, Any]:
        """Return token ids and masks of the queries, and of the passages, query by query."""
        queries = [query for query, _ in batch]
        passages = [passage for _, passages in batch for passage in passages]
        return {
            "queries": self._tokens(queries, self.query_length),
            "passages": self._tokens(passages, self.passage_length),
        }

    def _tokens(self, texts: list[str], length: int) -> dict[str, Any]:
        read = self.tokenizer(texts, truncation=True, max_length=length, padding=True, return_tensors="pt")
        return {name: read[name] for name in ("input_ids", "attention_mask")}


class _Steps:
    """Our changes to FlagEmbedding's trainers; mixed into one of them, with `batches`, `save_state` and `took` set."""

    save_state: Callable[[Path, int], None]
    took: Callable[[float], None]

    def get_train_dataloader(self: Any) -> Any:
        """Return the loader of our batches."""
        from torch.utils.data import DataLoader

        loader = DataLoader(self.train_dataset, batch_sampler=self.batches, collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)

    def compute_loss(self: Any, model: Any, inputs: Any, return_outputs: bool = False, **_: Any) -> Any:
        """Return the loss of a batch, and report it."""
        outputs = model(**inputs)
        loss = float(outputs.loss.detach())
        if not math.isfinite(loss):
            raise LegalIRError(
                f"The loss became {loss} at step {self.state.global_step + 1}: give a smaller rate than "
                f"{self.args.learning_rate:g}, or precision: float32."
            )
        self.took(loss)
        return (outputs.loss, outputs) if return_outputs else outputs.loss

    def _save(self: Any, output_dir: str | None = None, state_dict: Any = None) -> None:
        from safetensors.torch import save_file

        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        state = {name: tensor.detach().cpu().contiguous() for name, tensor in self.model.state_dict().items()}
        save_file(state, folder / _WEIGHTS)

    def _load_from_checkpoint(self: Any, resume_from_checkpoint: str, model: Any = None) -> None:
        from safetensors.torch import load_file

        state = load_file(Path(resume_from_checkpoint) / _WEIGHTS)
        (self.model if model is None else model).load_state_dict(state, strict=True)

    def _save_checkpoint(self: Any, model: Any, trial: Any) -> None:
        step = self.state.global_step
        with writing(Path(self.args.output_dir)):
            super()._save_checkpoint(model, trial)  # type: ignore[misc]
        self.save_state(Path(self.args.output_dir) / f"checkpoint-{step}", step)


def trainer_class(base: Any) -> Any:
    """Return FlagEmbedding's trainer class `base` with our changes."""
    return type("Steps", (_Steps, base), {})


def training_arguments(recipe: FineTuning, device: str, folder: Path) -> Any:
    """Return the trainer's own settings: nothing is reported anywhere, nothing is fetched, one device is used."""
    from transformers import TrainingArguments

    arguments = TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=recipe.batch,
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
    arguments._n_gpu = min(arguments.n_gpu, 1)  # Copies on several devices would not share their negatives.
    return arguments
