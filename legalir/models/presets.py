"""Facts about models by name: pooling, prompts, length limit, licence (``presets.yaml``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from legalir.storage.yaml_files import read_yaml

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
        max_length: number of tokens read of a text, or of a pair of texts.
        pooling: hidden states that make the vector: the first, their mean, or the last.
        padding: side on which shorter texts are padded.
        dimensions: length of a vector.
        query_prompt: text before a query; ``{task}`` in it is replaced by `task`.
        document_prompt: text before a document.
        task: purpose of the queries, in words.
        remote_code: whether the model needs Python code of its own.
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


@cache
def presets() -> Mapping[str, Preset]:
    """Return all presets by the model's name."""
    content: Any = read_yaml(Path(__file__).with_name("presets.yaml"), "the presets of models")
    return {name: Preset(model=name, **facts) for name, facts in content.items()}


def preset_of(model: str | PathLike[str]) -> Preset | None:
    """Return the facts about a model, None if there are none.

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
