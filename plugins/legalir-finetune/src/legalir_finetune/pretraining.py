"""Continued pre-training: a model that writes text reads the provisions of a collection [searchfiresafety] (A.2).

The provisions follow each other, each with the end token after it, and are cut into blocks of `max_length` tokens. In
its block, each token is predicted from all tokens before it, also from earlier provisions; the first token of a block
is only read. The loss of a step is the mean over all tokens that it predicts. A share of the provisions, drawn
by a hash of their docnos, is held out: perplexity is measured on them before the training and after each epoch, and
chooses nothing.

The optimizer is AdamW with 32-bit moments; the paper's has 8-bit ones. Gradients are cut to length 1. What the paper
leaves open is ours: the rate falls along a line to 0 after the warm-up, and vectors (biases, norms) do not decay.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from legalir.errors import DataError, ModelError
from legalir.extend import (
    CausalFiles,
    Display,
    dataset_facts,
    find_causal,
    load_causal,
    placement,
    quiet,
    random_numbers,
)
from legalir_finetune.card import write_pretraining_card
from legalir_finetune.model import write_adapter
from legalir_finetune.recipes import Pretraining
from legalir_finetune.trainer import BatchSampler, FineTuned, Training, check_packages, opened

if TYPE_CHECKING:
    from legalir import Collection

_ORDER = 0
"""Key of the random numbers for the order of an epoch's blocks."""

Texts = Sequence[tuple[str, str]]
"""Docno and text of provisions."""


def pretrain(
    recipe: Pretraining,
    *,
    collection: Collection | None = None,
    resume: bool | None = None,
    replace: bool = False,
    progress: bool = True,
    lines: bool = False,
) -> FineTuned:
    """Train a model that writes text on the provisions of a collection, each token predicted from those before it.

    The folder holds ``config.json``, ``model.safetensors`` (with LoRA, merged), the tokenizer, a card and the history;
    ``transformers(model="FOLDER")`` asks it. The model of the last epoch is kept.

    Args:
        recipe: the recipe.
        collection: the collection of the recipe, if it is open already.
        resume: None: go on with an interrupted training of the same recipe, model and data if there is one in
            ``OUT.partial``; True: there must be one; False: begin again. On a CPU the weights are then those of a
            training that was never interrupted, bit by bit.
        replace: whether a model trained here is replaced at `out`.
        progress: whether a terminal shows progress.
        lines: whether to print a line for each epoch on standard error if that is not a terminal.

    Returns:
        The folder; the history has ``epoch``, ``loss``, ``perplexity`` of the held-out provisions, ``steps``,
        ``tokens`` predicted, ``seconds`` and ``kept``.

    Raises:
        ArtifactError: the state of an interrupted training is damaged or of another recipe, another training to `out`
            is under way, or nothing can be written there.
        ComponentError: something that is not a model trained here is at `out`.
        DataError: there are too few provisions.
        DatasetNotFound: there is no such collection.
        DefinitionError: `out` exists.
        LegalIRError: the loss became infinite or NaN, or the memory is too small.
        MissingExtra: a package is not installed.
        ModelError: the model cannot be found, read or trusted, or there is no such device.
    """
    peft = ("peft",) if recipe.method == "lora" else ()
    check_packages("torch", "transformers", "accelerate", "safetensors", *peft)
    device = placement(recipe.device).device
    with opened(recipe, collection, replace, progress, lines) as (chosen, display):
        texts = [(one.doc_id, unicodedata.normalize("NFC", one.default_text())) for one in chosen.docs()]
        train, held_out = split_provisions(texts, recipe.hold_out)
        if not train or not held_out:
            raise DataError(
                f"{chosen.id} has {len(texts)} provisions, of which {len(held_out)} are held out, so that nothing can "
                f"be {'learnt' if not train else 'measured'}: give another 'hold_out', or a larger collection."
            )
        files = find_causal("pretrain", recipe.model)
        display.phase(f"Loading {files.name}")
        return Reading(recipe, chosen, files, train, held_out, display, device).run(resume, "perplexity")


class Reading(Training):
    """One continued pre-training.

    Args:
        recipe: the recipe.
        collection: the collection of the provisions.
        files: the base model.
        train: provisions to learn from.
        held_out: provisions to measure on.
        display: shows the progress.
        device: ``cpu``, ``cuda`` or ``mps``.
    """

    LESS_MEMORY = "a smaller 'batch', 'gradient_checkpointing: true', a smaller 'max_length' or 'frozen: bfloat16'"

    def __init__(
        self,
        recipe: Pretraining,
        collection: Collection,
        files: CausalFiles,
        train: Texts,
        held_out: Texts,
        display: Display,
        device: str,
    ) -> None:
        self._collection, self._files, self._network = collection, files, load_network(recipe, files, device)
        self._learnt, self._held_out = (self._blocks(part, recipe.max_length) for part in (train, held_out))
        self._parts = {
            name: {"provisions": len(texts), "tokens": sum(map(len, blocks)), "sha256": _digest(texts)}
            for name, texts, blocks in (("learnt", train, self._learnt), ("held_out", held_out, self._held_out))
        }
        count = min(len(self._learnt), recipe.most_blocks or len(self._learnt))

        def compose(epoch: int) -> list[list[int]]:
            order = random_numbers(recipe.seed, _ORDER, epoch).permutation(len(self._learnt))[:count].tolist()
            return [order[start : start + recipe.batch] for start in range(0, count, recipe.batch)]

        batches = BatchSampler(compose, -(-count // recipe.batch))
        data = {"train": _digest(train), "held_out": _digest(held_out), "base": files.digest}
        super().__init__(recipe, data, display, device, self._network.model, batches, recipe.accumulation)

    def _blocks(self, texts: Texts, length: int) -> Blocks:
        with quiet():  # It says of a long text that it is longer than the model reads.
            ids = self._network.tokenizer([text for _, text in texts], add_special_tokens=False)["input_ids"]
        return pack(ids, self._network.tokenizer.eos_token_id, length)

    def trainer_options(self) -> dict[str, Any]:
        """Return the blocks, and the optimizer with its rates."""
        import torch

        recipe, steps = self._recipe, self._steps * self._recipe.epochs
        optimizer = torch.optim.AdamW(self._network.groups)
        rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_factor(step, steps, recipe.warmup))
        return {"train_dataset": self._learnt, "data_collator": collate, "optimizers": (optimizer, rates)}

    def loss(self, model: Any, inputs: Any, items: Any) -> tuple[Any, float, float]:
        """Return the share of a batch in the mean over all tokens that the step predicts."""
        nll = negative_log_likelihood(model, inputs)
        return nll / max(int(items), 1), float(nll.detach()), int((inputs["labels"] != -100).sum())

    def figures(self, epoch: int) -> dict[str, Any]:
        """Measure the held-out provisions."""
        import torch

        device, total = self._device, 0.0
        model, half = self._network.model.eval(), self._recipe.precision == "bfloat16"
        with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=half):
            for start in range(0, len(self._held_out), self._recipe.batch):
                inputs = collate(self._held_out[start : start + self._recipe.batch])
                total += float(negative_log_likelihood(model, {name: one.to(device) for name, one in inputs.items()}))
        predicted = sum(len(block) - 1 for block in self._held_out)
        return {"tokens": int(sum(count for _, count in self._losses)), "perplexity": math.exp(total / predicted)}

    def write(self, folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the model of the last epoch."""
        write_model(folder, self._recipe, self._files, self._network)
        write_pretraining_card(folder, self._recipe, self._files, dataset_facts(self._collection), self._parts, rows)


def _digest(texts: Texts) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


Blocks = list[npt.NDArray[np.int64]]
"""Token ids of blocks; the last one may be shorter."""


def pack(documents: Iterable[Sequence[int]], end: int, length: int) -> Blocks:
    """Return documents one after the other, each with the token `end` after it, in blocks of `length` tokens."""
    tokens = np.array([token for document in documents for token in (*document, end)], dtype=np.int64)
    return np.split(tokens, range(length, len(tokens), length))


def collate(blocks: Blocks) -> dict[str, Any]:
    """Return ids, mask and labels of a batch; the labels of the first tokens and of the padding are -100.

    The collator of transformers leaves every padding token out of the loss: also the end tokens of the many models that
    are padded with them.
    """
    import torch

    labels = torch.nn.utils.rnn.pad_sequence([torch.from_numpy(one) for one in blocks], True, padding_value=-100)
    ids, mask = labels.clamp(min=0), (labels != -100).long()
    labels[:, 0] = -100
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def split_provisions(texts: Texts, share: float) -> tuple[Texts, Texts]:
    """Return the provisions to learn from and those held out; all versions of a provision are on one side.

    A provision is held out if the first 8 bytes of the sha256 of its docno, as a fraction of 2^64, are below `share`:
    whatever else a collection holds, and whatever a recipe says.
    """
    parts: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    for docno, text in texts:
        key = docno.partition("@")[0]  # A version is KEY@DATE.
        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8])
        parts[number < share * 2**64].append((docno, text))
    return parts


def rate_factor(step: int, steps: int, warmup: float) -> float:
    """Return the factor of the learning rate at a step, from 0: it rises to 1, then falls towards 0."""
    rising = math.ceil(warmup * steps)
    return (step + 1) / rising if step < rising else (steps - step) / max(1, steps - rising)


def negative_log_likelihood(model: Any, inputs: Mapping[str, Any]) -> Any:
    """Return the sum over all labels of -ln p, a tensor in float32.

    Args:
        model: returns logits, [n, L, V].
        inputs: a batch as :func:`collate` makes it.
    """
    import torch

    logits = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], use_cache=False).logits
    return torch.nn.functional.cross_entropy(
        logits[:, :-1].float().flatten(0, 1), inputs["labels"][:, 1:].flatten(), reduction="sum"
    )


@dataclass(frozen=True)
class Network:
    """The model in training.

    Attributes:
        model: the model; with LoRA, peft's around it.
        tokenizer: of the base model.
        device: ``cpu``, ``cuda`` or ``mps``.
        groups: trained weights as the optimizer takes them: ``params``, ``lr`` and ``weight_decay``.
    """

    model: Any
    tokenizer: Any
    device: str
    groups: tuple[dict[str, Any], ...]


def load_network(recipe: Pretraining, files: CausalFiles, device: str) -> Network:
    """Load the base model, and add what is trained; random weights depend on the seed alone.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the model cannot be read, or does not fit the recipe.
    """
    import torch

    model, tokenizer = load_causal(files, placement("cpu", recipe.frozen))
    if tokenizer.eos_token_id is None:
        raise ModelError(f"{files.name} has no end token to put between provisions: choose another model.")
    most = getattr(model.config, "max_position_embeddings", None)
    if most is not None and recipe.max_length > most:
        raise ModelError(
            f"'max_length' is {recipe.max_length}, but {files.name} reads at most {most} tokens: give fewer."
        )
    if recipe.gradient_checkpointing:
        # Its name changed within the fifth version of transformers.
        newer = getattr(model, "activation_checkpointing_enable", None)
        (newer or model.gradient_checkpointing_enable)({"use_reentrant": False})
    ends = [layer for layer in (model.get_input_embeddings(), model.get_output_embeddings()) if layer is not None]
    if recipe.method == "full":
        model.requires_grad_(True)
    else:
        peft: Any = importlib.import_module("peft")
        targets = _targets(recipe, files, model)
        config = peft.LoraConfig(r=recipe.rank, lora_alpha=recipe.alpha, target_modules=targets, task_type="CAUSAL_LM")
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers by an older name.
            torch.manual_seed(recipe.seed)
            model = peft.get_peft_model(model, config)
        if recipe.embedding_rate is not None:
            for layer in ends:
                layer.float().requires_grad_(True)
    model.to(device)
    return Network(
        model, tokenizer, device, _groups(recipe, model, {id(p) for layer in ends for p in layer.parameters()})
    )


def _targets(recipe: Pretraining, files: CausalFiles, model: Any) -> list[str]:
    """Return the names of the linear layers that get an addition of low rank."""
    import torch

    head = model.get_output_embeddings()
    layers = [
        name.rpartition(".")[2]
        for name, layer in model.named_modules()
        if isinstance(layer, torch.nn.Linear) and layer is not head
    ]
    names = list(dict.fromkeys(layers))
    if not names:
        raise ModelError(f"{files.name} has no linear layers, which 'method: lora' needs: write 'method: full'.")
    for target in recipe.targets or ():
        if target not in names:
            raise ModelError(
                f"'targets' names {target!r}, but the linear layers of {files.name} are {', '.join(names)}."
            )
    return list(recipe.targets or names)


def _groups(recipe: Pretraining, model: Any, ends: set[int]) -> tuple[dict[str, Any], ...]:
    """Return the groups of weights: matrices, vectors, embeddings and head."""
    groups: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for weight in model.parameters():
        if weight.requires_grad:
            groups[2 if id(weight) in ends else int(weight.ndim < 2)].append(weight)
    rates = (recipe.rate, recipe.rate, recipe.embedding_rate or recipe.rate)
    decays = (recipe.weight_decay, 0.0, recipe.weight_decay)
    return tuple(
        {"params": weights, "lr": rate, "weight_decay": decay}
        for weights, rate, decay in zip(groups, rates, decays, strict=True)
        if weights
    )


def write_model(folder: Path, recipe: Pretraining, files: CausalFiles, network: Network) -> None:
    """Write the model as it is now, as transformers loads it; an addition of low rank is merged first, for good."""
    import torch

    model = network.model
    folder.mkdir(parents=True)
    with quiet():
        if recipe.method == "lora":
            if recipe.adapter:
                write_adapter(folder / "adapter", files.name, model, recipe.embedding_rate is not None)
            model = model.merge_and_unload().to(getattr(torch, recipe.frozen))
        model.to("cpu").save_pretrained(folder)
        network.tokenizer.save_pretrained(folder)
    for file in folder.rglob("*"):
        if file.is_file():
            file.chmod(0o644)  # transformers lets only the owner read weights.
