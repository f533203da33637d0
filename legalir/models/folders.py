"""The folder of a model: a local one, or what the hub's cache holds or can fetch.

What the folder of a model consists of, as its JSON files say.

What a model is known by: the digest of everything in its folder that decides what it computes.
"""

from __future__ import annotations

import fnmatch
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from legalir.errors import ModelError
from legalir.extras import require
from legalir.storage.digest import cached_file_digest, digest

__all__ = ["find_model", "is_folder", "is_model_name", "model_digest", "module_paths", "read_json", "stated"]


def read_json(path: Path) -> Any:
    """Return what a JSON file of a model holds.

    Raises:
        ModelError: it is missing, or no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror or error}): get the whole model again.") from error
    except ValueError as error:
        raise ModelError(f"{path} was cut off or altered, and is no JSON: get the whole model again.") from error


def stated(path: Path, key: str) -> Any:
    """Return what a JSON file says under `key`; None where there is no such file, or it does not say.

    Raises:
        ModelError: the file is no JSON.
    """
    content = read_json(path) if path.is_file() else None
    return content.get(key) if isinstance(content, dict) else None


def module_paths(folder: Path) -> list[str]:
    """Return the folders inside `folder` that ``modules.json`` names; none where there is no such file.

    Raises:
        ModelError: ``modules.json`` is no list of modules.
    """
    file = folder / "modules.json"
    if not file.is_file():
        return []
    try:
        return [str(module["path"]) for module in read_json(file) if module["path"]]
    except (TypeError, KeyError) as error:
        raise ModelError(f"{file} is no list of modules: get the whole model again.") from error


_DECIDE = (
    *("config.json", "*_config.json", "config_*.json", "modules.json", "tokenizer.json", "vocab.*", "merges.txt"),
    *("special_tokens_map.json", "added_tokens.json", "*.model", "*.py", "*.jinja"),
    *("*.safetensors", "*.index.json", "pytorch_model*.bin", "*_linear.pt"),
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


def model_digest(folder: Path, extra: Mapping[str, object] | None = None) -> str:
    """Return the sha256, as hex, of the files that decide what the model computes, and of settings beside them.

    These are configuration, tokenizer, weights and modules; a README or the state of a training are not.

    Args:
        folder: of the model.
        extra: settings that change the result, such as a prompt; JSON values.

    Raises:
        ModelError: a file cannot be read.
    """
    try:
        files = {path.relative_to(folder).as_posix(): _digest(path) for path in sorted(_deciding(folder))}
    except OSError as error:
        raise ModelError(f"{folder} cannot be read ({error.strerror or error}): get the whole model again.") from error
    return digest([files, dict(extra or {})])


def _deciding(folder: Path) -> Iterator[Path]:
    parents = {folder, *(folder / path for path in module_paths(folder) if (folder / path).is_dir())}
    found = [path for parent in parents for path in parent.iterdir() if path.is_file()]
    chosen = [path for path in found if any(fnmatch.fnmatch(path.name, pattern) for pattern in _DECIDE)]
    # Weights in torch's format beside safe ones are never opened.
    safe = {path.parent for path in chosen if path.suffix == ".safetensors"}
    return (path for path in chosen if not (path.parent in safe and path.name.startswith("pytorch_model")))


def _digest(path: Path) -> str:
    real = path.resolve()
    if real.parent.name == "blobs" and _SHA256.fullmatch(real.name):
        return real.name  # The hub's cache names large files by their sha256.
    return cached_file_digest(real)  # A model of gigabytes is read once a process.


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
