"""Write a tuned model as the encoders read it: the layout of sentence-transformers, with BGE-M3's heads beside it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from legalir.extras import require
from legalir.train.finetune.base import Base
from legalir.train.finetune.network import HEADS, Network
from legalir.train.finetune.recipe import FineTuning

__all__ = ["write_model"]

_POOLINGS = {"cls": "cls_token", "mean": "mean_tokens", "last": "lasttoken"}


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
    pooling = {f"pooling_mode_{mode}": kind == base.pooling for kind, mode in _POOLINGS.items()}
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
