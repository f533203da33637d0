"""The manifest of an artifact: what it is, what it was made from, and size and sha256 of each of its files.

``manifest.json`` contains ``kind``, ``version``, ``data``, ``facts``, ``files`` and ``sha256``, the digest of all
others. The card of a trained model, ``model.json``, is sealed in the same way; it contains ``format``, ``version``,
``files`` and facts of its kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from legalir.errors import ArtifactError, ComponentError
from legalir.storage.digest import digest, file_digest
from legalir.storage.files import atomic_file

MANIFEST = "manifest.json"

AGAIN = "copy the model again, or train it again"
"""The advice on how to get a good trained model again."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The facts about one build of an artifact.

    Attributes:
        kind: such as ``sparse_index``.
        version: version of the layout of this kind.
        data: name of the data directory.
        facts: parameters, fingerprints and counts, by name; JSON values.
        files: file name, with its folder if it is in one, to ``{"size": bytes, "sha256": hex}``.
    """

    kind: str
    version: int
    data: str
    facts: dict[str, Any]
    files: dict[str, dict[str, Any]]


def inventory(files: Iterable[Path], folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return ``{"size": bytes, "sha256": hex}`` of each file, in the order of the names.

    Args:
        files: the files.
        folder: the folder that names are relative to; None where each file is called by its own name alone.
    """
    return {
        path.name if folder is None else path.relative_to(folder).as_posix(): {
            "size": path.stat().st_size,
            "sha256": file_digest(path),
        }
        for path in sorted(files)
    }


def seal(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values with their digest as ``sha256``."""
    return {**content, "sha256": digest(content)}


def unseal(content: Any) -> dict[str, Any]:
    """Return the JSON values passed to :func:`seal`.

    Raises:
        ValueError: they were altered, or are not a JSON object.
    """
    if not isinstance(content, dict) or content.pop("sha256", None) != digest(content):
        raise ValueError("altered")
    return content


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write the manifest of the artifact at `path`, in one step.

    Raises:
        OSError: it cannot be written.
    """
    with atomic_file(path / MANIFEST) as stream:
        json.dump(seal(asdict(manifest)), stream, ensure_ascii=False, indent=1)


def read_manifest(path: Path, kind: str, version: int) -> Manifest:
    """Read the manifest of the artifact at `path`, and check its kind and version.

    Raises:
        ArtifactError: there is no artifact, it cannot be read, or it has another kind or version.
    """
    try:
        manifest = Manifest(**unseal(json.loads((path / MANIFEST).read_text(encoding="utf-8"))))
        files_are_plain = all(
            isinstance(entry["size"], int) and isinstance(entry["sha256"], str) and _is_inside(name)
            for name, entry in manifest.files.items()
        )
        if Path(manifest.data).name != manifest.data or not files_are_plain:
            raise ValueError("unsafe names")
    except FileNotFoundError:
        raise ArtifactError(f"There is no index at {path}: build it first.") from None
    except OSError as error:
        raise ArtifactError(
            f"{path / MANIFEST} cannot be read ({error.strerror}): give the path of an index that can."
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArtifactError(f"{path / MANIFEST} is damaged: {rebuild_hint(path)}") from error
    if manifest.kind != kind:
        # The directory is good for something else: do not advise to remove it.
        raise ArtifactError(f"{path} holds {manifest.kind}, and {kind} is needed: give another directory.")
    if manifest.version != version:
        raise ArtifactError(
            f"{path} holds {manifest.kind} version {manifest.version}, and {kind} version {version} "
            f"is needed: {rebuild_hint(path)}"
        )
    return manifest


def _is_inside(name: str) -> bool:
    """Return True if a relative path stays inside its folder."""
    parts = name.split("/")
    return "\\" not in name and ":" not in name and not {"", ".", ".."} & set(parts)


def rebuild_hint(path: Path) -> str:
    """Return the advice on how to get a good artifact again."""
    return f"remove the directory {path} and build it again."


def verify(path: Path, manifest: Manifest) -> None:
    """Check size and sha256 of each file of an artifact.

    Raises:
        ArtifactError: a file is missing, truncated or altered; the message names it.
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
    try:
        with ThreadPoolExecutor(max_workers=4) as pool:
            digests = list(pool.map(lambda name: file_digest(data / name), manifest.files))
    except OSError as error:
        raise ArtifactError(f"{data} cannot be read ({error.strerror}): {rebuild_hint(path)}") from error
    for (name, entry), actual in zip(manifest.files.items(), digests, strict=True):
        if actual != entry["sha256"]:
            raise ArtifactError(f"{data / name} was altered after it was written: {rebuild_hint(path)}")


def is_card(file: Path, form: str) -> bool:
    """Return True if `file` is the card of a model of this format and of any version, damaged or not."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == form


def read_card(file: Path, noun: str, form: str, version: int, facts: Iterable[str]) -> dict[str, Any]:
    """Return the content of the card of a trained model, verified; of its other files only the sizes are checked.

    Args:
        file: the card, in the folder of the model.
        noun: what the model is, for messages.
        form: its format.
        version: version of this format.
        facts: keys that it must have.

    Raises:
        ArtifactError: a file is missing, truncated or altered, or the model has another version.
        ComponentError: there is no such folder, or no such model in it.
    """
    folder = file.parent
    if not folder.is_dir():
        raise ComponentError(f"There is no {noun} at {folder}: give the folder of one, as training writes it.")
    if not file.is_file():
        raise ComponentError(f"{folder} holds no {file.name}, so it is not a {noun}: give the folder of one.")
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArtifactError(f"{file} cannot be read ({error.strerror or error}).") from error
    except ValueError as error:
        raise ArtifactError(f"{file} was truncated or altered, and is not JSON: {AGAIN}.") from error
    if not isinstance(content, dict):
        raise ArtifactError(f"{file} was altered, and is not a JSON object: {AGAIN}.")
    if content.get("format") != form:
        raise ComponentError(f"{file} is not that of a {noun}: give the folder that training wrote.")
    if content.get("version") != version:
        raise ArtifactError(
            f"{folder} has version {content.get('version')!r} of the format of {noun}s, and this legalir reads "
            f"version {version}: install the legalir that wrote it ({content.get('legalir')}), or train it again."
        )
    try:
        content = unseal(content)
        whole = {*facts, "files"} <= set(content)
    except ValueError:
        whole = False
    if not whole:
        raise ArtifactError(f"{file} was altered after it was written: {AGAIN}.")
    for name, entry in content["files"].items():
        part = folder / name
        if not part.is_file():
            raise ArtifactError(f"{folder} lacks its file {name}: {AGAIN}.")
        if part.stat().st_size != entry["size"]:
            raise ArtifactError(f"{part} has {part.stat().st_size} bytes instead of {entry['size']}: {AGAIN}.")
    return content
