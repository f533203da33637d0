"""Facts about models by name: pooling, prompts, length limit, licence (``presets.yaml``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from legalir.config import read_yaml
from legalir.errors import ModelError, suggestion

Kind = Literal["sentence", "m3", "cross-encoder"]
Pooling = Literal["cls", "mean", "last"]


@dataclass(frozen=True)
class Preset:
    """Facts about a model; None if a fact does not apply or is not known.

    Args:
        model: name on the hub.
        kind: ``sentence``, ``m3`` (a sentence encoder with two more heads) or ``cross-encoder``.
        licence: SPDX identifier of the weights' licence, or ``unknown``.
        source: where these facts come from.
        max_length: maximum number of tokens of a text, or of a pair of texts, including special tokens.
        pooling: hidden states that make the vector: the first, their mean, or the last.
        padding: side on which shorter texts are padded.
        dimensions: length of a vector.
        query_prompt: text before a query; ``{task}`` in it is replaced by `task`.
        document_prompt: text before a document.
        task: purpose of the queries, in words.
        remote_code: whether the model needs its own Python code.
        refused: why legalir does not run the model; empty if it does.
    """

    model: str
    kind: Kind
    licence: str
    source: str
    max_length: int
    pooling: Pooling | None = None
    padding: Literal["left", "right"] = "right"
    dimensions: int | None = None
    query_prompt: str = ""
    document_prompt: str = ""
    task: str | None = None
    remote_code: bool = False
    refused: str = ""


@cache
def presets() -> Mapping[str, Preset]:
    """Return all presets by the model's name."""
    content: Any = read_yaml(Path(__file__).with_name("presets.yaml"), "the presets of models")
    return {name: Preset(model=name, **facts) for name, facts in content.items()}


def preset_of(model: str | PathLike[str]) -> Preset | None:
    """Return the facts about a model, or None if it is unknown.

    Args:
        model: name on the hub; or a folder whose ``config.json`` gives the name of a model that has a preset. The
            name of the folder is not used.
    """
    by_name = presets()
    if isinstance(model, str) and model in by_name:
        return by_name[model]
    try:
        config = json.loads((Path(fspath(model)).expanduser() / "config.json").read_text(encoding="utf-8"))
        return by_name.get(config["_name_or_path"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def find_preset(model: str | PathLike[str], name: str | None = None, *, pairs: bool = False) -> Preset | None:
    """Return the preset `name`, or if that is None, the preset of `model`, if it has one.

    Args:
        model: as for :func:`preset_of`.
        name: name of the model whose preset applies.
        pairs: whether a model that scores pairs of texts is needed, not one that makes vectors.

    Raises:
        ModelError: there is no such preset, or its model is of the other kind or is refused.
    """
    if name is not None and name not in presets():
        hint = suggestion(name, set(presets())) or f" There are {', '.join(presets())}."
        raise ModelError(f"There is no preset {name!r}.{hint}")
    preset = preset_of(model) if name is None else presets()[name]
    if preset is None:
        return None
    if preset.refused:
        raise ModelError(f"{preset.model} cannot be run here: {preset.refused}.")
    if pairs != (preset.kind == "cross-encoder"):
        does, cure = (
            ("makes vectors and does not score pairs of texts", "dense")
            if pairs
            else ("scores pairs of texts and makes no vectors", "rerank")
        )
        raise ModelError(f"{preset.model} {does}: write {cure}({preset.model!r}).")
    return preset
