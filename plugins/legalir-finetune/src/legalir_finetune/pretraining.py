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
import shutil
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import legalir
from legalir.errors import DataError, DefinitionError, LegalIRError, ModelError
from legalir.extend import (
    CausalFiles,
    Checkpoints,
    Display,
    dataset_facts,
    find_causal,
    interrupts,
    load_causal,
    open_display,
    own_place,
    own_random_numbers,
    placement,
    quiet,
    random_numbers,
    writing,
)
from legalir_finetune.card import CARD, history_table, write_history
from legalir_finetune.recipes import Pretraining
from legalir_finetune.run import FineTuned, check_packages, check_place, history_frame

if TYPE_CHECKING:
    from legalir import Collection

_ORDER, _NOISE = range(2)
"""Keys of the random numbers: for the order of an epoch's blocks, and for the dropout of a step."""
_LONGEST_GRADIENT = 1.0

Texts = Sequence[tuple[str, str]]
"""Docno and text of provisions."""


@dataclass(frozen=True)
class Blocks:
    """Texts as blocks of tokens.

    Attributes:
        ids: int64 [n, L]; the last block may be shorter and is filled up with 0.
        sizes: int64 [n], number of tokens of each block.
    """

    ids: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    @property
    def predicted(self) -> int:
        """The number of tokens that are predicted: all but the first of each block."""
        return int((self.sizes - 1).sum())

    def chosen(self, numbers: Any) -> Blocks:
        """Return the blocks with these numbers, cut to the longest of them."""
        sizes = self.sizes[numbers]
        return Blocks(self.ids[numbers, : sizes.max()], sizes)

    def batches(self, size: int) -> Iterator[Blocks]:
        """Yield the blocks in their order, `size` at a time."""
        for start in range(0, len(self.sizes), size):
            yield self.chosen(slice(start, start + size))


def pack(documents: Iterable[Sequence[int]], end: int, length: int) -> Blocks:
    """Return documents one after the other, each with the token `end` after it, in blocks of `length` tokens."""
    tokens = np.array([token for document in documents for token in (*document, end)], dtype=np.int64)
    sizes = np.minimum(length, len(tokens) - np.arange(0, len(tokens), length))
    return Blocks(np.pad(tokens, (0, -len(tokens) % length)).reshape(-1, length), sizes)


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
    return (step + 1) / rising if step < rising else (steps - step) / (steps - rising)


def negative_log_likelihood(model: Any, blocks: Blocks) -> Any:
    """Return the sum over all predicted tokens of -ln p, a tensor in float32.

    Args:
        model: returns logits, [n, L, V].
        blocks: blocks of one batch.
    """
    import torch

    ids = torch.from_numpy(blocks.ids).to(model.device)
    real = torch.arange(ids.shape[1], device=ids.device) < torch.from_numpy(blocks.sizes).to(ids.device)[:, None]
    logits = model(input_ids=ids, attention_mask=real.long(), use_cache=False).logits[:, :-1]
    return torch.nn.functional.cross_entropy(
        logits.float().flatten(0, 1), ids.masked_fill(~real, -100)[:, 1:].flatten(), ignore_index=-100, reduction="sum"
    )


@dataclass(frozen=True)
class Network:
    """The model in training.

    Attributes:
        model: the model; with LoRA, peft's around it.
        tokenizer: of the base model.
        device: ``cpu``, ``cuda`` or ``mps``.
        groups: trained weights as the optimizer takes them: ``params``, ``rate`` and ``weight_decay``.
    """

    model: Any
    tokenizer: Any
    device: str
    groups: tuple[dict[str, Any], ...]

    def trained(self) -> dict[str, Any]:
        """Return the weights that are trained, by name."""
        return {name: weight for name, weight in self.model.named_parameters() if weight.requires_grad}


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
        {"params": weights, "rate": rate, "weight_decay": decay}
        for weights, rate, decay in zip(groups, rates, decays, strict=True)
        if weights
    )


class Reading:
    """One training, from its beginning or from its last state.

    Args:
        recipe: the recipe.
        network: the model in training.
        train: blocks to learn from.
        held_out: blocks to measure on.
        checkpoints: the states.
        display: shows the progress.
        interrupted: called after each step; if it returns True, a state is saved and KeyboardInterrupt is raised.
    """

    def __init__(
        self,
        recipe: Pretraining,
        network: Network,
        train: Blocks,
        held_out: Blocks,
        checkpoints: Checkpoints,
        display: Display,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        import torch

        self._recipe, self._network, self._train, self._held_out = recipe, network, train, held_out
        self._checkpoints, self._display, self._interrupted = checkpoints, display, interrupted
        self._of_step = recipe.batch * recipe.accumulation
        self._of_epoch = min(len(train.sizes), recipe.most_blocks or len(train.sizes))
        self._steps = -(-self._of_epoch // self._of_step)
        self._optimizer = torch.optim.AdamW(network.groups, lr=recipe.rate)
        self._facts: dict[str, Any] = {"step": 0, "sum": 0.0, "predicted": 0, "seconds": 0.0, "history": []}
        self._shown: int | None = None
        self._began = self._saved = time.monotonic()

    def resume(self) -> bool:
        """Go on from the last state, and return whether there is one.

        Raises:
            ArtifactError: it cannot be used.
        """
        import torch

        state = self._checkpoints.load()
        if state is None:
            return False
        self._facts = state.facts
        for name, weight in self._network.trained().items():
            moments = {}
            for kind in ("weight", "step", "exp_avg", "exp_avg_sq"):
                if f"{kind} {name}" in state.arrays:
                    moments[kind] = torch.from_numpy(state.arrays[f"{kind} {name}"])
            weight.data.copy_(moments.pop("weight"))
            if moments:
                # AdamW keeps the number of steps on the CPU.
                places = {kind: "cpu" if kind == "step" else weight.device for kind in moments}
                self._optimizer.state[weight] = {kind: value.to(places[kind]) for kind, value in moments.items()}
        return True

    def run(self) -> list[dict[str, Any]]:
        """Train to the end, and return the history: a row for each epoch, from 0, the model before.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the state is saved.
            LegalIRError: the numbers became infinite, or the memory is too small; the last state stays.
        """
        import torch

        history = self._facts["history"]
        try:
            with own_random_numbers():
                if not history:
                    self._measure(0)
                while self._facts["step"] < self._steps * self._recipe.epochs:
                    self._one_step()
        except torch.OutOfMemoryError as error:
            raise LegalIRError(
                f"The memory of {self._network.device} is too small for a step, and the last state stays: give a "
                f"smaller 'batch', 'gradient_checkpointing: true', a smaller 'max_length' or 'frozen: bfloat16'."
            ) from error
        return list(history)

    def _one_step(self) -> None:
        recipe, facts = self._recipe, self._facts
        epoch, within = divmod(facts["step"], self._steps)
        if epoch != self._shown:
            self._shown = epoch
            self._display.phase(f"Epoch {epoch + 1} of {recipe.epochs}", self._steps)
            self._display.advance(within)
            self._began = time.monotonic()
        loss = self._learn(epoch, within)
        facts["step"] += 1
        self._display.advance(1, loss)
        stop = self._interrupted()
        if within + 1 == self._steps:
            self._measure(epoch + 1)
            self._save()
        elif (
            stop
            or time.monotonic() - self._saved >= 60 * recipe.checkpoint_minutes
            or (recipe.checkpoint_steps is not None and facts["step"] % recipe.checkpoint_steps == 0)
        ):
            self._save()
        if stop and facts["step"] < self._steps * recipe.epochs:
            raise KeyboardInterrupt

    def _learn(self, epoch: int, within: int) -> float:
        """Take one step, and return its loss."""
        import torch

        recipe, model = self._recipe, self._network.model
        step = self._facts["step"]
        order = random_numbers(recipe.seed, _ORDER, epoch).permutation(len(self._train.sizes))[: self._of_epoch]
        blocks = self._train.chosen(order[within * self._of_step : (within + 1) * self._of_step])
        # What a model drops out depends on the step alone, so that a training can go on from any.
        torch.manual_seed(int(random_numbers(recipe.seed, _NOISE, step).integers(2**63)))
        model.train()
        total, predicted = 0.0, max(blocks.predicted, 1)
        for batch in blocks.batches(recipe.batch):
            with self._products():
                nll = negative_log_likelihood(model, batch)
            (nll / predicted).backward()
            total += float(nll.detach())
        if not math.isfinite(total):
            raise LegalIRError(
                f"The loss became {total} at step {step + 1}: give a smaller rate than {recipe.rate:g}, or "
                f"precision: float32."
            )
        weights = [weight for group in self._optimizer.param_groups for weight in group["params"]]
        torch.nn.utils.clip_grad_norm_(weights, _LONGEST_GRADIENT)
        for group in self._optimizer.param_groups:
            group["lr"] = group["rate"] * rate_factor(step, self._steps * recipe.epochs, recipe.warmup)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self._facts["sum"] += total
        self._facts["predicted"] += blocks.predicted
        return total / predicted

    def _products(self) -> Any:
        import torch

        half = self._recipe.precision == "bfloat16"
        return torch.autocast(self._network.device, dtype=torch.bfloat16, enabled=half)

    def _measure(self, epoch: int) -> None:
        """Measure the held-out provisions, and add a row to the history."""
        import torch

        facts = self._facts
        self._display.phase(f"Epoch {epoch}: measuring", len(self._held_out.sizes))
        model, total = self._network.model.eval(), 0.0
        with torch.no_grad(), self._products():
            for batch in self._held_out.batches(self._recipe.batch):
                total += float(negative_log_likelihood(model, batch))
                self._display.advance(len(batch.sizes))
        now = time.monotonic()
        row = {
            "epoch": epoch,
            "loss": facts["sum"] / max(facts["predicted"], 1) if epoch else None,
            "perplexity": math.exp(total / self._held_out.predicted),
            "steps": self._steps if epoch else 0,
            "tokens": facts["predicted"],
            "seconds": facts["seconds"] + now - self._began,
        }
        facts |= {"sum": 0.0, "predicted": 0, "seconds": 0.0}
        self._began = now
        facts["history"].append(row)
        self._display.epoch({**row, "loss": math.nan if row["loss"] is None else row["loss"]})

    def _save(self) -> None:
        now = time.monotonic()
        if self._facts["step"] % self._steps:
            self._facts["seconds"] += now - self._began
        arrays = {}
        for name, weight in self._network.trained().items():
            arrays[f"weight {name}"] = weight.detach().cpu().numpy()
            for kind, value in self._optimizer.state.get(weight, {}).items():
                arrays[f"{kind} {name}"] = value.detach().cpu().numpy()
        self._checkpoints.save(self._facts["step"], self._facts, arrays)
        self._began = self._saved = time.monotonic()


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
    check_packages("torch", "transformers", "safetensors", *(("peft",) if recipe.method == "lora" else ()))
    device = placement(recipe.device).device
    out = Path(recipe.out).expanduser().absolute()
    with own_place(out, lambda: check_place(out, replace)), open_display(progress, lines) as display:
        opened = collection if collection is not None else legalir.Collection(recipe.dataset)
        display.phase(f"Reading {opened.id}")
        texts = [(one.doc_id, unicodedata.normalize("NFC", one.default_text())) for one in opened.docs()]
        train, held_out = split_provisions(texts, recipe.hold_out)
        if not train or not held_out:
            raise DataError(
                f"{opened.id} has {len(texts)} provisions, of which {len(held_out)} are held out, so that nothing can "
                f"be {'learnt' if not train else 'measured'}: give another 'hold_out', or a larger collection."
            )
        files = find_causal("pretrain", recipe.model)
        data = {"train": _digest(train), "held_out": _digest(held_out)}
        checkpoints = Checkpoints(out, recipe.fingerprint({**data, "base": files.digest}))
        if resume is False:
            checkpoints.remove()
        display.phase(f"Loading {files.name}")
        network = load_network(recipe, files, device)
        learnt, measured = (_blocks(network.tokenizer, part, recipe.max_length) for part in (train, held_out))
        with interrupts() as interrupted:
            reading = Reading(recipe, network, learnt, measured, checkpoints, display, interrupted)
            if not reading.resume() and resume:
                raise DefinitionError(
                    f"{checkpoints.path} holds no interrupted training: train without resume=True (--resume)."
                )
            history = reading.run()
        rows = [{**row, "kept": row["epoch"] == recipe.epochs} for row in history]
        counts = {
            "learnt": {"provisions": len(train), "tokens": int(learnt.sizes.sum()), "sha256": data["train"]},
            "held_out": {"provisions": len(held_out), "tokens": int(measured.sizes.sum()), "sha256": data["held_out"]},
        }
        folder = checkpoints.workshop / "finished"
        shutil.rmtree(folder, ignore_errors=True)
        with writing(folder):
            write_model(folder, recipe, files, network)
        _write_card(folder, recipe, files, dataset_facts(opened), counts, rows)
        note = write_history(folder, rows, "perplexity")
        checkpoints.publish(folder)
    return FineTuned(out, history_frame(rows), note)


def _digest(texts: Texts) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _blocks(tokenizer: Any, texts: Texts, length: int) -> Blocks:
    with quiet():  # It says of a long text that it is longer than the model reads.
        ids = tokenizer([text for _, text in texts], add_special_tokens=False)["input_ids"]
    return pack(ids, tokenizer.eos_token_id, length)


def write_model(folder: Path, recipe: Pretraining, files: CausalFiles, network: Network) -> None:
    """Write the model as it is now, as transformers loads it; an addition of low rank is merged first, for good."""
    import torch

    model = network.model
    folder.mkdir(parents=True)
    with quiet():
        if recipe.method == "lora":
            if recipe.adapter:
                _write_adapter(folder / "adapter", recipe, files, model)
            model = model.merge_and_unload().to(getattr(torch, recipe.frozen))
        model.to("cpu").save_pretrained(folder)
        network.tokenizer.save_pretrained(folder)
    for file in folder.rglob("*"):
        if file.is_file():
            file.chmod(0o644)  # transformers lets only the owner read weights.


def _write_adapter(folder: Path, recipe: Pretraining, files: CausalFiles, model: Any) -> None:
    model.save_pretrained(folder, save_embedding_layers=recipe.embedding_rate is not None)
    (folder / "README.md").unlink(missing_ok=True)  # It holds nothing but headings.
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config |= {"base_model_name_or_path": files.name, "target_modules": sorted(config["target_modules"])}
    path.write_text(json.dumps(config, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _write_card(
    folder: Path,
    recipe: Pretraining,
    files: CausalFiles,
    dataset: Mapping[str, Any],
    counts: Mapping[str, Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Write the card of the model, as data and as a README, without any path of this machine."""
    card = {
        "made_by": f"legalir {legalir.__version__}",
        "base": {"model": files.name, "licence": files.licence, "sha256": files.digest},
        "corpus": {**dataset, **counts},
        "recipe": recipe.settings(),
        "history": list(rows),
    }
    (folder / CARD).write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    learnt, held_out = counts["learnt"], counts["held_out"]
    text = [
        "---",
        *([f"license: {files.licence.lower()}"] if files.licence not in (None, "unknown") else []),
        f"base_model: {files.name}",
        "library_name: transformers",
        "---",
        "",
        f"# {files.name}, pretrained further on statutes",
        "",
        f"Made by {card['made_by']}, `legalir finetune`, kind: pretrain.",
        "",
        "## Made from",
        "",
        f"- Base model: `{files.name}`, licence: {files.licence or 'not stated'}. Its terms hold here, too.",
        f"- Provisions of `{dataset['dataset']}` ({dataset['title'] or 'no title'}; licence: "
        f"{dataset['licence'] or 'not stated'}): {learnt['provisions']}, {learnt['tokens']} tokens (sha256 "
        f"{learnt['sha256']}).",
        "",
        "## How",
        "",
        *(f"- {name}: {value}" for name, value in recipe.settings().items() if value is not None),
        "",
        "## Figures",
        "",
        f"Perplexity for each token on {held_out['provisions']} provisions that were not learnt from, "
        f"{held_out['tokens']} tokens. It chose nothing. Epoch 0 is the model before. Models with other tokens cannot "
        f"be compared with it.",
        "",
        *history_table(rows),
        "",
        "A lower perplexity does not mean that answers are right, or that the model abstains where it should.",
    ]
    (folder / "README.md").write_text("\n".join(text) + "\n", encoding="utf-8")
