"""What is known about models by name: a text's pooling, prompts and limit, and the licence (``presets.yaml``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from legalir.storage.yaml_files import read_yaml

__all__ = ["Pooling", "Preset", "preset_of", "presets"]

Kind = Literal["sentence", "m3", "cross-encoder"]
Pooling = Literal["cls", "mean", "last"]


@dataclass(frozen=True)
class Preset:
    """What is known about a model; None is what does not apply to it, or is not known.

    Args:
        model: name on the hub.
        kind: ``sentence``, ``m3`` (a sentence encoder with two more heads) or ``cross-encoder``.
        licence: SPDX identifier of the weights' licence, or ``unknown``.
        source: where these facts were read.
        max_length: tokens that are read of a text, or of a pair of texts.
        pooling: which hidden states make the vector: the first, their mean, or the last.
        padding: the side on which shorter texts are filled up.
        dimensions: length of a vector.
        query_prompt: stands before a query; ``{task}`` in it is filled by `task`.
        document_prompt: stands before a document.
        task: what the queries are for, in words.
        remote_code: whether the model runs only with Python code of its own.
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
    """Return what is known about a model.

    Args:
        model: name on the hub; or a folder, which is known only where its ``config.json`` gives the name of a model
            that there is a preset for. The name of the folder says nothing.
    """
    known = presets()
    if isinstance(model, str) and model in known:
        return known[model]
    try:
        config = json.loads((Path(fspath(model)).expanduser() / "config.json").read_text(encoding="utf-8"))
        return known.get(config["_name_or_path"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
