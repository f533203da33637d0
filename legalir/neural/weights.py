"""The folder of a model: a local one, or what the hub's cache holds or can fetch."""

from __future__ import annotations

import fnmatch
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from legalir.errors import ModelError
from legalir.extras import require
from legalir.neural.contents import module_paths, stated
from legalir.neural.digests import model_digest

__all__ = ["find_model", "is_folder", "is_model_name", "model_digest"]

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_KNOWN_BY = ("config.json", "modules.json")
_WANTED = ("*.json", "*.txt", "*.model", "*.jinja", "*.safetensors", "*_linear.pt")
_PICKLED = ("pytorch_model*.bin",)
_ELSEWHERE = re.compile(r"(^|/)(onnx|openvino|original|checkpoint-[^/]*|\.[^/]*)/")
"""Folders of a repository that hold the same model for other software, or what a training left."""
_PATIENCE = 10.0
"""Seconds until the hub has to answer."""


def is_folder(model: str | PathLike[str]) -> bool:
    """Return whether `model` is written as the path of a folder, or is one."""
    text = fspath(model)
    return not isinstance(model, str) or text.startswith((".", "~", "/")) or (text != "" and Path(text).is_dir())


def is_model_name(spec: str) -> bool:
    """Return whether `spec` is written as the name of a model or the path of one, and not as that of a component."""
    return spec.startswith((".", "~")) or "/" in spec or "\\" in spec


def find_model(model: str | PathLike[str], *, trust_remote_code: bool = False, needs: Sequence[str] = ()) -> Path:
    """Return the folder of a model, which is downloaded where it has to be.

    Args:
        model: a folder, or the name of a model on the hub, ``organisation/name``; one that is in the hub's cache is
            found without network.
        trust_remote_code: fetch Python files, too.
        needs: files without which the model is of no use, such as ``sparse_linear.pt``.

    Raises:
        ModelError: there is no such folder, no whole model in it, or it cannot be fetched.
        MissingExtra: huggingface_hub is not installed.
    """
    name = fspath(model)
    if is_folder(model):
        folder = Path(name).expanduser()
        if not folder.is_dir():
            raise ModelError(f"There is no folder {folder}: give the folder of a model, or its name on the hub.")
        if lacking := _lacking(folder, needs):
            raise ModelError(f"{folder} holds no {lacking}, which this model needs: get the whole model.")
        return folder
    if not _NAME.fullmatch(name):
        raise ModelError(f"{name!r} is neither a folder nor the name of a model, such as 'BAAI/bge-m3'.")
    hub = require("huggingface_hub", extra="dense")
    found = _cached(hub, name)
    if found is not None and not _lacking(found, (*needs, *(_code(found) if trust_remote_code else ()))):
        return found
    found = _fetched(hub, name, trust_remote_code)
    if lacking := _lacking(found, needs):
        raise ModelError(f"The model {name!r} has no {lacking} on the hub: choose a model of the kind that is needed.")
    return found


def _code(folder: Path) -> Iterator[str]:
    """Yield the Python files that a model's configuration names, which may have been left out when it was fetched."""
    for name in (stated(folder / "config.json", "auto_map") or {}).values():
        if isinstance(name, str) and "--" not in name:  # Which stands for the code of another model.
            yield f"{name.partition('.')[0]}.py"


def _cached(hub: Any, name: str) -> Path | None:
    try:
        return Path(hub.snapshot_download(name, allow_patterns=list(_KNOWN_BY), local_files_only=True))
    except (OSError, ValueError):
        return None


def _fetched(hub: Any, name: str, trust_remote_code: bool) -> Path:
    try:
        # Asked first and once: a download would try again for half a minute where there is no network.
        listed = hub.HfApi().model_info(name, timeout=_PATIENCE).siblings or ()
        files = list(_wanted([file.rfilename for file in listed], trust_remote_code))
        return Path(hub.snapshot_download(name, allow_patterns=files))
    except Exception as error:  # The hub and what carries it raise errors of every kind.
        first_line = str(error).partition("\n")[0]
        reason = textwrap.shorten(first_line, 160, placeholder=" …").rstrip(".") or type(error).__name__
        raise ModelError(
            f"There is no folder {name}, and the model of this name is not on this machine and cannot be fetched "
            f"({reason}): download it once where there is a network, with `hf download {name} --local-dir FOLDER`, "
            f"and give path/to/FOLDER in the place of the name."
        ) from error


def _wanted(files: Sequence[str], trust_remote_code: bool) -> Iterator[str]:
    """Yield the files of a repository that a model needs; pickled weights only where there are no safe ones."""
    safe = {_parent(file) for file in files if file.endswith(".safetensors")}
    for file in files:
        pickled = _matches(file, _PICKLED) and _parent(file) not in safe
        wanted = _matches(file, _WANTED) or pickled or (trust_remote_code and file.endswith(".py"))
        if wanted and not _ELSEWHERE.search(file):
            yield file


def _matches(file: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatch(file.rpartition("/")[2], pattern) for pattern in patterns)


def _parent(file: str) -> str:
    return file.rpartition("/")[0]


def _lacking(folder: Path, needs: Sequence[str]) -> str | None:
    """Return what a folder lacks to be a whole model, as after a download that was cut off; None for nothing."""
    if not any((folder / name).is_file() for name in _KNOWN_BY):
        return "config.json"
    wanted = module_paths(folder)
    for index in sorted(folder.glob("*.index.json")):
        wanted += sorted(set((stated(index, "weight_map") or {}).values()))
    if (folder / "config.json").is_file() and not any(folder.glob("*.safetensors")):
        wanted += [] if any(folder.glob("pytorch_model*.bin")) else ["model.safetensors"]
    # What computes without parameters has a folder in the list of modules, and not always one on the disk.
    return next(
        (name for name in (*wanted, *needs) if not (folder / name).exists() and not name.endswith("Normalize")), None
    )
