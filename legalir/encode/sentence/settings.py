"""How texts are put to a sentence encoder: what the caller says, else what a preset says, else what its folder says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import get_args

from legalir.errors import ModelError, suggestion
from legalir.frames.component import check_choice
from legalir.models.folders import json_value
from legalir.models.presets import Pooling, Preset, preset_of, presets

__all__ = ["Asked", "Settings", "check_asked", "chosen_preset", "settle"]

_PROMPTS, _TRANSFORMER = "config_sentence_transformers.json", "sentence_bert_config.json"
_QUERY, _DOCUMENT = ("query",), ("document", "passage")
"""What folders call their prompts."""


@dataclass(frozen=True)
class Asked:
    """What a caller says of a model; None is what is left to others."""

    pooling: str | None = None
    max_length: int | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None
    task: str | None = None


@dataclass(frozen=True)
class Settings:
    """What a model is run with.

    Args:
        pooling: None where the folder's own modules say it.
        max_length: tokens that are read of a text, special ones and prompt included; None where the folder says it.
        query_prompt: stands before a query.
        document_prompt: stands before a document.
    """

    pooling: str | None
    max_length: int | None
    query_prompt: str
    document_prompt: str


def chosen_preset(model: str | PathLike[str], name: str | None) -> Preset | None:
    """Return the preset `name`, or, where that is None, what is known about `model`.

    Raises:
        ModelError: there is no such preset, or the model is no sentence encoder.
    """
    if name is not None and name not in presets():
        raise ModelError(f"There is no preset {name!r}.{suggestion(name, set(presets()))}")
    found = preset_of(model) if name is None else presets()[name]
    if found is not None and found.kind == "cross-encoder":
        raise ModelError(f"{found.model} scores pairs of texts and makes no vectors: write rerank({found.model!r}).")
    return found


def settle(folder: Path, asked: Asked, preset: Preset | None) -> Settings:
    """Return what the model in `folder` is run with.

    Raises:
        ModelError: a file of the folder cannot be read, nothing says how tokens make one vector, or there is no prompt
            that takes a task.
    """
    has_modules = (folder / "modules.json").is_file()
    pooling = asked.pooling
    if pooling is None and not has_modules:
        pooling = None if preset is None else preset.pooling
    if pooling is None and not has_modules:
        raise ModelError(
            f"{folder} has no modules.json, so nothing says how its tokens make one vector: "
            f"say pooling='mean', 'cls' or 'last', as its authors do."
        )
    max_length = asked.max_length
    if max_length is None and json_value(folder / _TRANSFORMER, "max_seq_length") is None:
        max_length = None if preset is None else preset.max_length
    own: Mapping[str, str] = json_value(folder / _PROMPTS, "prompts") or {}
    task = asked.task or (None if preset is None else preset.task)
    query = _prompt(asked.query_prompt, None if preset is None else preset.query_prompt, own, _QUERY)
    document = _prompt(asked.document_prompt, None if preset is None else preset.document_prompt, own, _DOCUMENT)
    if asked.task is not None and "{task}" not in query:
        raise ModelError(f"{folder} has no prompt that takes a task: say the whole of it as query_prompt=….")
    if "{task}" in query and task is None:
        raise ModelError(f"The prompt {query!r} wants a task: say task='…', what the queries are for.")
    return Settings(pooling, max_length, query.replace("{task}", task or ""), document)


def _prompt(asked: str | None, preset: str | None, own: Mapping[str, str], names: tuple[str, ...]) -> str:
    if asked is not None:
        return asked
    if preset is not None:
        return preset
    return next((own[name] for name in names if own.get(name)), "")


def check_asked(model: str | PathLike[str], asked: Asked) -> None:
    """Check what can be checked without the model's files.

    Raises:
        ModelError: a value is out of range.
    """
    if asked.pooling is not None:
        check_choice(fspath(model), "pooling", asked.pooling, get_args(Pooling), ModelError)
