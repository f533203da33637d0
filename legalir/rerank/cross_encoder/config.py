"""What the configuration of a model says before anything of it is loaded: whether it can be a cross-encoder of ours."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from legalir.errors import ModelError
from legalir.neural.contents import read_json
from legalir.neural.presets import preset_of
from legalir.neural.weights import find_model

__all__ = ["find_cross_encoder"]

_KIND = "AutoModelForSequenceClassification"


def find_cross_encoder(model: str | PathLike[str], *, trust_remote_code: bool = False) -> Path:
    """Return the folder of a cross-encoder; nothing of it is loaded.

    Args:
        model: a folder, or the name of a model on the hub.
        trust_remote_code: whether Python code that comes with the model may be run.

    Raises:
        ModelError: there is no such model, it gives more than one score a pair, or it wants code of its own to be run.
        MissingExtra: the model is on the hub, and huggingface_hub is not installed.
    """
    preset = preset_of(model)
    if preset is not None and preset.remote_code and not trust_remote_code:
        raise _wants_code(model)
    folder = find_model(model, trust_remote_code=trust_remote_code)
    config = read_json(folder / "config.json")
    if not isinstance(config, dict):
        raise ModelError(f"{folder / 'config.json'} is no object of JSON: get the whole model again.")
    if _KIND in (config.get("auto_map") or {}) and not trust_remote_code:
        # transformers would load what it has under this name, which need not be the same.
        raise _wants_code(model)
    check_labels(model, _labels(config))
    return folder


def check_labels(model: str | PathLike[str], labels: int | None) -> None:
    """Check that a model gives one score a pair; None is unknown.

    Raises:
        ModelError: it gives another number of them.
    """
    if labels is not None and labels != 1:
        raise ModelError(
            f"rerank: {fspath(model)} gives {labels} numbers a pair, and which of them says how relevant a provision "
            f"is cannot be known: take a model with one label (num_labels 1), such as BAAI/bge-reranker-v2-m3."
        )


def _labels(config: Mapping[str, Any]) -> int | None:
    labels = config.get("id2label")
    number = len(labels) if isinstance(labels, Mapping) else config.get("num_labels")
    return number if isinstance(number, int) else None


def _wants_code(model: str | PathLike[str]) -> ModelError:
    name = fspath(model)
    return ModelError(
        f"rerank: {name} runs only with Python code that comes with it: read that code, and if you trust it, write "
        f"rerank({name!r}, trust_remote_code=True)."
    )
