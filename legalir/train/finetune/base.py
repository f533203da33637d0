"""The model that is tuned: where it is, how it makes a vector of a text, and what its licence is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from legalir.encode.sentence import Options, find_preset, resolve_settings
from legalir.errors import ModelError
from legalir.models.folders import find_model, is_folder, model_digest
from legalir.train.finetune.recipe import FineTuning

__all__ = ["Base", "read_base"]

_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
    "cls": "cls",
    "mean": "mean",
    "lasttoken": "last",
}
_KNOWN = ("Transformer", "Pooling", "Normalize")
_LICENCE = re.compile(r"^license:\s*(\S.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Base:
    """What is tuned.

    Attributes:
        name: as the recipe has it, or the name of its folder.
        folder: where its files are.
        digest: of the files that decide its vectors.
        pooling: which hidden states make the vector, ``cls``, ``mean`` or ``last``.
        query_prompt: stands before each query.
        document_prompt: stands before each provision.
        licence: as its card states it, None where that is not known.
    """

    name: str
    folder: Path
    digest: str
    pooling: str
    query_prompt: str
    document_prompt: str
    licence: str | None


def read_base(recipe: FineTuning) -> Base:
    """Return the model that a recipe tunes.

    Raises:
        ModelError: it cannot be found, or has parts that are not tuned here.
    """
    folder = find_model(recipe.model)
    preset = find_preset(recipe.model, None)
    own = _pooling(folder)
    pooling = recipe.pooling or ("cls" if recipe.objective == "unified" else own)
    # An M3 encoder puts nothing before a text.
    given = ("", "") if recipe.objective == "unified" else (recipe.query_prompt, recipe.document_prompt)
    prompts = resolve_settings(folder, Options(pooling, None, *given), preset)
    return Base(
        name=folder.name if is_folder(recipe.model) else recipe.model,
        folder=folder,
        digest=model_digest(folder),
        pooling=pooling or prompts.pooling or "cls",
        query_prompt=prompts.query_prompt,
        document_prompt=prompts.document_prompt,
        licence=_licence(folder) if preset is None else preset.licence,
    )


def _pooling(folder: Path) -> str | None:
    """Return the pooling that ``modules.json`` leads to, None where there is none."""
    modules = _json(folder / "modules.json", [])
    for module in modules:
        kind = str(module.get("type", "")).rsplit(".", 1)[-1]
        if kind not in _KNOWN:
            raise ModelError(
                f"{folder} ends in a module {kind}, which fine-tuning would leave out: tune a model without it."
            )
    for module in modules:
        if str(module.get("type", "")).endswith("Pooling"):
            found = _json(folder / str(module["path"]) / "config.json")
            modes = (
                [str(found["pooling_mode"])] if "pooling_mode" in found else [k for k, v in found.items() if v is True]
            )
            for mode in modes:
                if mode in _MODES:
                    return _MODES[mode]
                if mode.startswith("pooling_mode"):
                    raise ModelError(f"{folder} has {mode}: fine-tuning knows cls, mean and last; give 'pooling'.")
    return None


def _licence(folder: Path) -> str | None:
    try:
        found = _LICENCE.search((folder / "README.md").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return found.group(1) if found else None


def _json(path: Path, default: Any = None) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {} if default is None else default
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}): get the whole model again.") from error
