"""A language model that writes text: a folder, a name on the hub or a GGUF file, read by transformers."""

from __future__ import annotations

import io
import re
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from legalir.models.folders import find_model, is_folder, model_digest
from legalir.models.gguf_file import PRESETS, check_gguf, gguf_path
from legalir.models.loading import Placement, load_backbone, load_tokenizer
from legalir.models.presets import preset_of
from legalir.storage.digest import cached_file_digest

_LICENCE = re.compile(r"^license:\s*(\S.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class CausalFiles:
    """The files of a model that writes text.

    Attributes:
        name: the requested name, or the name of its folder or file; never a path.
        folder: the folder of its files.
        gguf_file: name of the GGUF file in it; None if the files are in transformers' format.
        digest: sha256 of all files that decide what the model writes.
        licence: as the model states it; None if it is not known.
    """

    name: str
    folder: Path
    gguf_file: str | None
    digest: str
    licence: str | None


def is_gguf(model: str) -> bool:
    """Return True if `model` is written as a GGUF file or is the name of a preset, not a folder or hub name."""
    return model in PRESETS or model.lower().endswith(".gguf")


def find_causal(who: str, model: str) -> CausalFiles:
    """Return the files of a model, after downloading missing ones.

    Args:
        who: what asks, for errors about GGUF files.
        model: a folder, a name on the hub, the path of a GGUF file, or the name of a preset, ``smollm2``.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the model cannot be found, read or fetched.
    """
    if is_gguf(model):
        check_gguf(who, model)
        path = gguf_path(who, model)
        licence = PRESETS[model].licence if model in PRESETS else None
        return CausalFiles(path.name, path.parent, path.name, cached_file_digest(path), licence)
    folder, preset = find_model(model), preset_of(model)
    name = folder.resolve().name if is_folder(model) else model
    return CausalFiles(
        name, folder, None, model_digest(folder), stated_licence(folder) if not preset else preset.licence
    )


def load_causal(files: CausalFiles, placed: Placement) -> tuple[Any, Any]:
    """Return the model, in evaluation mode and without gradients, and its tokenizer; no pickle is read.

    Weights of a GGUF file are dequantised: the model can be trained and saved like any other.

    Raises:
        MissingExtra: a package is not installed.
        ModelError: the files cannot be read, or need Python code of their own.
    """
    # transformers shows a bar for each GGUF file that cannot be switched off.
    with nullcontext() if files.gguf_file is None else redirect_stderr(io.StringIO()):
        tokenizer = load_tokenizer(files.folder, gguf_file=files.gguf_file)
        model = load_backbone(files.folder, "AutoModelForCausalLM", placed, gguf_file=files.gguf_file)
    if files.gguf_file is not None:
        # The weights are not quantised any more, but transformers still takes them for such.
        del model.config.quantization_config
        model.hf_quantizer, model.is_quantized = None, False
    model.config._name_or_path = ""  # It would be a path of this machine.
    return model, tokenizer


def stated_licence(folder: Path) -> str | None:
    """Return the licence that the card (README.md) of a model states; None if it states none."""
    try:
        licence = _LICENCE.search((folder / "README.md").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return licence.group(1) if licence else None
