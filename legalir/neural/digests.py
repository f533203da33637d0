"""What a model is known by: the digest of everything in its folder that decides what it computes."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from legalir.errors import ModelError
from legalir.files import sha256_of
from legalir.neural.contents import module_paths

__all__ = ["model_digest"]

_DECIDE = (
    *("config.json", "*_config.json", "config_*.json", "modules.json", "tokenizer.json", "vocab.*", "merges.txt"),
    *("special_tokens_map.json", "added_tokens.json", "*.model", "*.py", "*.jinja"),
    *("*.safetensors", "*.index.json", "pytorch_model*.bin", "*_linear.pt"),
)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_KNOWN: dict[tuple[str, int, int], str] = {}
"""Digests by path, size and time of the last change: a model of gigabytes is read once a process."""


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
    content = json.dumps([files, dict(extra or {})], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()


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
    status = real.stat()
    key = (str(real), status.st_size, status.st_mtime_ns)
    if key not in _KNOWN:
        _KNOWN[key] = sha256_of(real)
    return _KNOWN[key]
