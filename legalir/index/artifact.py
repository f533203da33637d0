"""Artifacts on disk: a manifest that names verified files, switched in one step.

Layout of the directory of an artifact::

    pt_meta.json        what PyTerrier's ``Artifact.load`` reads to find our class
    manifest.json       format, version, parameters, fingerprints, counts; name, size and sha256 of each file
    data-<16 hex>/      the files of this build

A build writes a new data directory beside the old one, makes it durable, and then replaces the manifest by one
atomic rename: whoever opens the artifact finds the old build or the new one, whole, also after a power cut or a
kill at any moment. Arrays are plain ``.npy`` files, never pickled, and are memory-mapped.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, LegalIRError
from legalir.files import atomic_text, locked, sha256_of, sync_directory, sync_file

__all__ = ["Manifest", "building", "load_array", "read_manifest", "verify"]

_MANIFEST = "manifest.json"
_META = "pt_meta.json"
_PREFIX = "data-"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known about one build of an artifact.

    Attributes:
        kind: such as ``sparse_index``.
        version: version of the layout of this kind.
        data: name of the data directory.
        facts: parameters, fingerprints and counts, by name; JSON values.
        files: file name to ``{"size": bytes, "sha256": hex}``.
    """

    kind: str
    version: int
    data: str
    facts: dict[str, Any]
    files: dict[str, dict[str, Any]]


@contextlib.contextmanager
def building(path: Path, kind: str, version: int) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Build an artifact at `path`, holding its lock; yield a data directory to fill and a dict for the facts.

    Nothing at `path` changes unless the block ends without an error. What a killed build left behind is
    removed here, by the next one.

    Raises:
        ArtifactError: the disk is full, or `path` cannot be written or holds something else.
    """
    if path.exists() and (not path.is_dir() or (any(path.iterdir()) and not _ours(path))):
        raise ArtifactError(f"{path} exists and is no artifact of legalir: choose another path or remove it.")
    try:
        with locked(path):
            path.mkdir(parents=True, exist_ok=True)
            data = path / f"{_PREFIX}{secrets.token_hex(8)}"
            data.mkdir()
            try:
                facts: dict[str, Any] = {}
                yield data, facts
                _switch(path, data, kind, version, facts)
            except BaseException:
                shutil.rmtree(data, ignore_errors=True)
                raise
            _sweep(path, keep=data.name)
    except OSError as error:
        raise ArtifactError(
            f"Writing {path} failed ({error.strerror or error}); what was there before is untouched: "
            f"free some space or choose another directory with LEGALIR_HOME."
        ) from error


def _ours(path: Path) -> bool:
    return (path / _MANIFEST).exists() or all(
        child.name.startswith(_PREFIX) or child.name == _META or child.name.startswith(".")
        for child in path.iterdir()
    )


def _switch(path: Path, data: Path, kind: str, version: int, facts: Mapping[str, Any]) -> None:
    files = {}
    for file in sorted(data.iterdir()):
        sync_file(file)
        files[file.name] = {"size": file.stat().st_size, "sha256": sha256_of(file)}
    sync_directory(data)
    content = {"kind": kind, "version": version, "data": data.name, "facts": facts, "files": files}
    with atomic_text(path / _META) as stream:
        json.dump({"type": kind, "format": "legalir", "package_hint": "legalir"}, stream)
    with atomic_text(path / _MANIFEST) as stream:
        json.dump(content, stream, ensure_ascii=False, indent=1)


def _sweep(path: Path, keep: str) -> None:
    """Remove the data directories of earlier and broken builds; a reader that has one mapped keeps it."""
    for child in path.iterdir():
        if child.name.startswith(_PREFIX) and child.name != keep:
            shutil.rmtree(child, ignore_errors=True)


def read_manifest(path: Path, kind: str, version: int) -> Manifest:
    """Read the manifest of the artifact at `path` and check what it claims to be.

    Raises:
        ArtifactError: there is no artifact, it is unreadable, or it is of another kind or version.
    """
    try:
        content = json.loads((path / _MANIFEST).read_text(encoding="utf-8"))
        manifest = Manifest(**content)
        files_are_plain = all(
            isinstance(entry["size"], int) and isinstance(entry["sha256"], str) and Path(name).name == name
            for name, entry in manifest.files.items()
        )
        if Path(manifest.data).name != manifest.data or not files_are_plain:
            raise ValueError("unsafe names")
    except FileNotFoundError:
        raise ArtifactError(f"There is no index at {path}: build it first.") from None
    except OSError as error:
        raise ArtifactError(f"{path / _MANIFEST} cannot be read ({error.strerror}).") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArtifactError(f"{path / _MANIFEST} is damaged: {rebuild_hint(path)}") from error
    if (manifest.kind, manifest.version) != (kind, version):
        raise ArtifactError(
            f"{path} holds {manifest.kind} version {manifest.version}, and {kind} version {version} "
            f"is needed: {rebuild_hint(path)}"
        )
    return manifest


def rebuild_hint(path: Path) -> str:
    """Say how to get a good artifact again."""
    return f"remove the directory {path} and build it again."


def verify(path: Path, manifest: Manifest) -> None:
    """Check size and sha256 of every file of an artifact.

    Raises:
        ArtifactError: naming the file that is missing, truncated or altered.
    """
    data = path / manifest.data
    for name, entry in manifest.files.items():
        try:
            size = (data / name).stat().st_size
        except OSError as error:
            raise ArtifactError(f"{data / name} is missing: {rebuild_hint(path)}") from error
        if size != entry["size"]:
            raise ArtifactError(
                f"{data / name} has {size} bytes where {entry['size']} were written: {rebuild_hint(path)}"
            )
    # hashlib releases the interpreter lock, so files are hashed side by side.
    with ThreadPoolExecutor(max_workers=4) as pool:
        digests = dict(
            zip(manifest.files, pool.map(lambda n: sha256_of(data / n), manifest.files), strict=True)
        )
    for name, entry in manifest.files.items():
        if digests[name] != entry["sha256"]:
            raise ArtifactError(f"{data / name} was altered after it was written: {rebuild_hint(path)}")


def load_array(path: Path) -> npt.NDArray[Any]:
    """Memory-map a ``.npy`` file read-only; an empty one, which cannot be mapped, is read.

    Raises:
        ArtifactError: it is no array file.
    """
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        try:
            array = np.load(path, allow_pickle=False)
        except (ValueError, OSError, LegalIRError) as error:
            raise ArtifactError(f"{path} is no array file: {rebuild_hint(path.parent)}") from error
    return np.asarray(array)
