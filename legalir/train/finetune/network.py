"""Write a tuned model as the encoders read it: the layout of sentence-transformers, with BGE-M3's heads beside it.

The network that is trained: FlagEmbedding's, on a backbone and heads that were read safely.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from legalir.errors import ModelError
from legalir.extras import require
from legalir.models.loading import Placement, load_backbone, load_tensors, load_tokenizer
from legalir.train.finetune.base import Base
from legalir.train.finetune.recipe import FineTuning

__all__ = ["HEADS", "Network", "load_network", "sparse_embedding", "write_model"]

HEADS = ("sparse_linear", "colbert_linear")
_PACKAGE = "FlagEmbedding.finetune.embedder.encoder_only"
_WEIGHT = 0.1
"""Of every token, where the head for them is new."""
_POOLINGS = {"cls": "cls", "mean": "mean", "last": "last_token"}


@dataclass(frozen=True)
class Network:
    """What is trained.

    Attributes:
        module: FlagEmbedding's model, whose forward pass returns the loss.
        tokenizer: of the base model.
        trainer: FlagEmbedding's class that trains it, a transformers Trainer.
        new_heads: whether the base model had no heads for tokens and multi-vectors, and they begin at random.
    """

    module: Any
    tokenizer: Any
    trainer: Any
    new_heads: bool = False

    @property
    def backbone(self) -> Any:
        """The transformer in it."""
        return self.module.model


def load_network(recipe: FineTuning, base: Base) -> Network:
    """Read the base model, in float32 and ready to be trained.

    Raises:
        MissingExtra: FlagEmbedding is not installed.
        ModelError: the model's files cannot be read or trusted, or cannot hold texts as long as the recipe has.
    """
    kind = "m3" if recipe.objective == "unified" else "base"
    found = require(f"{_PACKAGE}.{kind}", extra="dense")
    tokenizer = load_tokenizer(base.folder)
    backbone = load_backbone(base.folder, "AutoModel", Placement("cpu", "float32")).requires_grad_(True)
    _check_lengths(recipe, base, backbone.config)
    if recipe.gradient_checkpointing:
        # Its name changed within the fifth version of transformers.
        newer = getattr(backbone, "activation_checkpointing_enable", None)
        (newer or backbone.gradient_checkpointing_enable)({"use_reentrant": False})
    common = {
        "tokenizer": tokenizer,
        "temperature": recipe.temperature,
        "sub_batch_size": recipe.sub_batch or -1,
        "sentence_pooling_method": _POOLINGS[base.pooling],
        "normalize_embeddings": True,
    }
    if kind == "base":
        return Network(
            found.BiEncoderOnlyEmbedderModel(backbone, **common), tokenizer, found.EncoderOnlyEmbedderTrainer
        )
    parts, new = _heads(base.folder, backbone.config.hidden_size, recipe.seed)
    three = type("ThreeHeads", (found.EncoderOnlyEmbedderM3Model,), {"_sparse_embedding": sparse_embedding})
    module = three({"model": backbone, **parts}, use_self_distill=recipe.self_distill, **common)
    return Network(module, tokenizer, found.EncoderOnlyEmbedderM3Trainer, new)


def sparse_embedding(self: Any, hidden_state: Any, input_ids: Any, return_embedding: bool = True) -> Any:
    """Return the weights of tokens as :class:`EncoderOnlyEmbedderM3Model` does, in far less memory.

    FlagEmbedding's own makes an array of texts x tokens x vocabulary in training, 17 GB for 32 texts of 512 tokens and
    250 002 pieces. This one makes texts x vocabulary.

    Args:
        self: the model.
        hidden_state: of the texts, [n, t, d].
        input_ids: token ids, [n, t].
        return_embedding: return what the head gives each token, [n, t, 1], where False.

    Returns:
        The greatest weight of each token id, 0 for those that are not in the text, and for special ones; [n, V].
    """
    torch = require("torch", extra="dense")
    weights = torch.relu(self.sparse_linear(hidden_state))
    if not return_embedding:
        return weights
    empty = weights.new_zeros(len(input_ids), self.vocab_size)
    found = empty.scatter_reduce(1, input_ids, weights.squeeze(-1), reduce="amax")
    known = self.tokenizer
    special = [known.cls_token_id, known.eos_token_id, known.pad_token_id, known.unk_token_id]
    counts = torch.ones(self.vocab_size, dtype=found.dtype, device=found.device)
    counts[[number for number in special if number is not None]] = 0.0
    return found * counts


def _heads(folder: Path, hidden: int, seed: int) -> tuple[dict[str, Any], bool]:
    """Return the linear layers of both heads, and whether they are new."""
    torch = require("torch", extra="dense")
    there = [any((folder / f"{name}.{end}").is_file() for end in ("safetensors", "pt")) for name in HEADS]
    if any(there) and not all(there):
        raise ModelError(f"{folder} has one of {' and '.join(HEADS)}, but not both: get the whole model again.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = {"sparse_linear": torch.nn.Linear(hidden, 1), "colbert_linear": torch.nn.Linear(hidden, hidden)}
    # Every token weighs alike: a random layer's ReLU gives many nothing, and what gives nothing learns nothing.
    torch.nn.init.zeros_(made["sparse_linear"].weight)
    torch.nn.init.constant_(made["sparse_linear"].bias, _WEIGHT)
    if not all(there):
        return made, True
    for name in HEADS:
        tensors = load_tensors(folder, name)
        weight = tensors.get("weight")
        if weight is None or weight.ndim != 2 or weight.shape[1] != hidden or set(tensors) != {"weight", "bias"}:
            raise ModelError(f"{name} of {folder} does not fit its transformer: get the whole model again.")
        made[name] = torch.nn.Linear(hidden, len(weight))
        made[name].load_state_dict({key: value.float() for key, value in tensors.items()})
    return made, False


def _check_lengths(recipe: FineTuning, base: Base, config: Any) -> None:
    most = getattr(config, "max_position_embeddings", None)
    # RoBERTa counts positions from behind the padding's number.
    room = None if most is None else most - (2 if "roberta" in str(config.model_type) else 0)
    for name in ("query_length", "passage_length"):
        if room is not None and getattr(recipe, name) > room:
            raise ModelError(
                f"{name!r} is {getattr(recipe, name)}, but {base.name} reads at most {room} tokens: give fewer."
            )


_POOLINGS_layout = {"cls": "cls_token", "mean": "mean_tokens", "last": "lasttoken"}


def write_model(folder: Path, recipe: FineTuning, base: Base, network: Network) -> None:
    """Write the network as it is now into a folder.

    There are ``config.json``, ``model.safetensors`` and the tokenizer; ``modules.json`` with pooling and normalisation,
    prompts and limit; and for ``unified`` both heads, as ``.safetensors`` and, for FlagEmbedding, as ``.pt``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    backbone = network.backbone
    with _quiet():
        # It would be a path on this machine; and by a known name, a preset would stand above what is written here.
        backbone.config._name_or_path = ""
        state = {name: tensor.detach().cpu().clone() for name, tensor in backbone.state_dict().items()}
        backbone.save_pretrained(folder, state_dict=state)
        network.tokenizer.save_pretrained(folder)
    names = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (path, kind) in enumerate(names)
    ]
    pooling = {f"pooling_mode_{mode}": kind == base.pooling for kind, mode in _POOLINGS_layout.items()}
    prompts = {"query": base.query_prompt, "document": base.document_prompt}
    for path, content in {
        "modules.json": modules,
        "1_Pooling/config.json": {"word_embedding_dimension": backbone.config.hidden_size, **pooling},
        "sentence_bert_config.json": {
            "max_seq_length": max(recipe.query_length, recipe.passage_length),
            "do_lower_case": False,
        },
        "config_sentence_transformers.json": {"prompts": prompts, "similarity_fn_name": "cosine"},
    }.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    (folder / "2_Normalize").mkdir(exist_ok=True)
    if recipe.objective == "unified":
        _write_heads(folder, network)
    for file in folder.rglob("*"):
        if file.is_file():
            file.chmod(0o644)  # Weights are written for their owner alone.


def _write_heads(folder: Path, network: Network) -> None:
    torch, safetensors = require("torch", extra="dense"), require("safetensors.torch", extra="dense")
    for name in HEADS:
        layer = getattr(network.module, name)
        tensors = {key: value.detach().cpu().clone().contiguous() for key, value in layer.state_dict().items()}
        safetensors.save_file(tensors, folder / f"{name}.safetensors")
        torch.save(tensors, folder / f"{name}.pt")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from showing a bar for each file."""
    found: Any = require("transformers", extra="dense").utils.logging
    bars, level = found.is_progress_bar_enabled(), found.get_verbosity()
    found.disable_progress_bar()
    found.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        found.set_verbosity(level)
        if bars:
            found.enable_progress_bar()
