"""Facts about models by name: pooling, prompts, length limit, licence (``presets.yaml``); batches by length."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

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


_log = logging.getLogger("legalir")


def read_length(given: int | None, preset: Preset | None, limit: int | None) -> int | None:
    """Return the number of tokens to read: the caller's, else the preset's within the model's limit, else that limit.

    Args:
        given: the caller's value; it is not compared with the limit.
        preset: the facts about the model.
        limit: what the model's files state; None if they state nothing.
    """
    if given is not None or preset is None:
        return limit if given is None else given
    return preset.max_length if limit is None else min(preset.max_length, limit)


def log_cut(
    name: str, task: Literal["query", "document"], cut: int, texts: int, limit: int, unit: str = "tokens"
) -> None:
    """Log how many texts of one call were longer than the limit, if any were.

    A question may end with what it asks, so cut questions are a warning; cut documents are logged as information.

    Args:
        name: name of the model.
        task: kind of the texts.
        cut: number of texts that were cut.
        texts: number of texts of the call.
        limit: maximum number of units read from a text.
        unit: ``tokens`` or ``characters``.
    """
    if cut:
        level, what = (logging.WARNING, "questions") if task == "query" else (logging.INFO, "texts")
        _log.log(level, "%s cut %d of %d %s at %d %s.", name, cut, texts, what, limit, unit)


def by_length(lengths: npt.NDArray[np.int64], tokens: int, most: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the numbers of the texts of each batch, the longest texts first, each text once.

    A batch takes as many texts as fit: its number of texts times its longest is at most `tokens`. With the longest
    first, a lack of memory shows at once.

    Args:
        lengths: tokens of each text, [n]; an empty text counts as one token.
        tokens: cells of a padded batch; a longer text is a batch of its own.
        most: texts of a batch, at least 1.

    Yields:
        Numbers of texts, int64 [m]; texts of equal length keep their order.
    """
    order = np.argsort(-lengths, kind="stable").astype(np.int64)
    first = 0
    while first < len(order):
        fit = tokens // max(int(lengths[order[first]]), 1)
        size = max(1, min(fit, most))
        yield order[first : first + size]
        first += size
