"""Artifacts on disk: a manifest that names verified files, replaced in one step.

``manifest.json`` contains ``kind``, ``version``, ``data``, ``facts``, ``files`` and ``sha256``, the digest of all
others. The card of a trained model, ``model.json``, is sealed in the same way; it contains ``format``, ``version``,
``files`` and facts of its kind.

Layout of the directory of an artifact::

    pt_meta.json        read by PyTerrier's ``Artifact.load`` to find our class
    manifest.json       format, version, parameters, fingerprints, counts; name, size and sha256 of each file
                        and of the manifest itself
    data-<16 hex>/      the files of this build
    .spill-*/           scratch of a build

A build writes a new data directory next to the old one, makes it durable, and then replaces the manifest by
one atomic rename. A reader finds the whole old build or the whole new one, also after a power cut or a kill at any
moment. Arrays are plain ``.npy`` files, never pickled, and are memory-mapped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.errors import ArtifactError, ComponentError
from legalir.executors import Portable
from legalir.storage.arrays import load_array
from legalir.storage.digest import digest, file_digest
from legalir.storage.files import atomic_file, cache_lock, remove, sync_tree
from legalir.storage.strings import Docnos
from legalir.storage.validity import Validity

MANIFEST = "manifest.json"
_META = "pt_meta.json"
_SCRATCH = re.compile(r"data-[0-9a-f]{16}|\.spill-\w+|\.(?:manifest|pt_meta)\.json\.\w+")
"""Names of the files and folders that a killed build leaves; nothing else is ever removed."""


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


def inventory(path: Path) -> dict[str, dict[str, Any]]:
    """Return ``{"size": bytes, "sha256": hex}`` of each file below a folder, by its name in it; or of one file."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    home = path.parent if path.is_file() else path
    return {
        file.relative_to(home).as_posix(): {"size": file.stat().st_size, "sha256": file_digest(file)} for file in files
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


@contextlib.contextmanager
def building(path: Path, kind: str, version: int) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Build an artifact at `path`, holding its lock; yield a data directory to fill and a dict for the facts.

    An old build stays unless the block ends without an error. Leftovers of a killed build are removed.

    Args:
        path: directory of the artifact.
        kind: what it is, such as ``sparse_index``.
        version: version of the layout of this kind.

    Raises:
        ArtifactError: the disk is full, or `path` cannot be written or contains something else.
    """
    try:
        if path.exists() and not _ours(path, kind):
            raise ArtifactError(f"{path} exists and is not a {kind} of legalir: choose another path or remove it.")
        with cache_lock(path):
            path.mkdir(parents=True, exist_ok=True)
            _sweep(path)
            data = path / f"data-{secrets.token_hex(8)}"
            data.mkdir()
            try:
                facts: dict[str, Any] = {}
                yield data, facts
                sync_tree(data)
                with atomic_file(path / _META) as stream:
                    json.dump({"type": kind, "format": "legalir", "package_hint": "legalir"}, stream)
                write_manifest(path, Manifest(kind, version, data.name, facts, inventory(data)))
            finally:
                _sweep(path)
    except OSError as error:
        raise ArtifactError(
            f"Writing {path} failed ({error.strerror or error}); the old build, if any, is unchanged: "
            f"free some space or choose another directory with LEGALIR_HOME."
        ) from error


def _ours(path: Path, kind: str) -> bool:
    """Return True if `path` contains a build of `kind`, or only leftovers of a killed build."""
    if not path.is_dir():
        return False
    meta = _json(path / _META)
    if meta is not None:
        return (meta.get("type"), meta.get("format")) == (kind, "legalir")
    return all(_SCRATCH.fullmatch(child.name) for child in path.iterdir())


def _json(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file, or None if there is no file or no object."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _sweep(path: Path) -> None:
    """Remove everything but the build that the manifest names; readers keep the files that they have mapped."""
    current = (_json(path / MANIFEST) or {}).get("data")
    for child in path.iterdir():
        if _SCRATCH.fullmatch(child.name) and child.name != current:
            remove(child)


def open_build(path: Path, kind: str, version: int) -> tuple[Manifest, dict[str, npt.NDArray[Any]]]:
    """Verify and map the build at `path`, whole even while another process replaces it.

    Returns:
        The manifest, and each array by the name of its file without ``.npy``.

    Raises:
        ArtifactError: there is no build, it is damaged, or it has another kind or version.
    """
    while True:
        manifest = read_manifest(path, kind, version)
        try:
            verify(path, manifest)
            data = path / manifest.data
            # Files of other formats are read by the subclass.
            arrays = [name for name in manifest.files if name.endswith(".npy")]
            return manifest, {name.removesuffix(".npy"): load_array(data / name) for name in arrays}
        except ArtifactError:
            if read_manifest(path, kind, version).data == manifest.data:
                raise


class IndexArtifact(Portable, pt.Artifact, pt.Indexer):
    """An index in a directory; a subclass opens its parts in cached properties. A copy of it opens them again.

    A subclass names its `kind` and the `version` of its layout, and writes a docno for each document.
    """

    kind: ClassVar[str]
    version: ClassVar[int]
    build_again: Callable[[], object] | None = None
    """Builds the index where its files are gone before they were opened; set by the collection that made it."""
    fields: Callable[[], Any] | None = None
    """Returns the fields of the provisions (:class:`legalir.frames.where.Fields`); set by that collection, too."""

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        for own in ("build_again", "fields"):
            state.pop(own, None)
        return state

    def _identity(self) -> tuple[object, ...]:
        """What makes two of them equal: class, path, and what a subclass was given beside it."""
        return type(self), self.path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexArtifact) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self), self.path))

    def _shown(self) -> str:
        """Return the arguments behind the path, as written in code."""
        return ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}{self._shown()})"

    def __len__(self) -> int:
        return len(self.docno_table)

    @property
    def directory(self) -> Path:
        """The directory of the artifact."""
        return Path(str(self.path))

    def built(self) -> bool:
        """Return True if there is a build of this layout at the path; opening it may still find damage."""
        path = self.directory / MANIFEST
        # An open build can be read, also after its directory was removed.
        return "_opened" in self.__dict__ or (
            path.exists() and (_json(path) or {}).get("version", self.version) == self.version
        )

    def forget(self) -> None:
        """Close the files; the next use opens them again."""
        for name in self.__dict__.keys() - self.__getstate__().keys():
            self.__dict__.pop(name, None)

    @cached_property
    def _opened(self) -> tuple[Manifest, dict[str, npt.NDArray[Any]]]:
        if self.build_again is not None and not self.built():
            self.build_again()
        # All files are opened at once, so that they belong to one build.
        manifest, arrays = open_build(self.directory, self.kind, self.version)
        self._check(manifest)
        return manifest, arrays

    def _check(self, manifest: Manifest) -> None:
        """Raise ArtifactError if the build was made for something else."""

    @property
    def manifest(self) -> Manifest:
        """The manifest of the verified build.

        Raises:
            ArtifactError: there is no build, it is damaged, or it was made for something else.
        """
        return self._opened[0]

    @property
    def files(self) -> Path:
        """The folder with the files of the verified build; errors as `manifest`. Each build has another folder."""
        return self.directory / self.manifest.data

    def fingerprint(self) -> str:
        """Return a sha256 over the content of the index, the same for equal content anywhere."""
        parts = [entry["sha256"] for _, entry in sorted(self.manifest.files.items())]
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    @property
    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """The arrays of the verified build, by the names of their files without ``.npy``; errors as `manifest`."""
        return self._opened[1]

    @cached_property
    def docno_table(self) -> Docnos:
        """The docnos, and the number of the document of each."""
        return Docnos.of(self._opened[1])

    @property
    def docnos(self) -> npt.NDArray[np.object_]:
        """Docno of each document, object [n]."""
        return self.docno_table.array

    @cached_property
    def validity(self) -> Validity | None:
        """The days on which each document is in force; None if the documents are not versions of provisions."""
        return Validity.of(self._opened[1])


def build_once(directory: Path, built: Callable[[], bool], build: Callable[[], object]) -> None:
    """Build an artifact if it is missing; if several processes need it, one builds and all others wait.

    An artifact is locked while it is written; with this second lock, a process that waited does not build it again.

    Args:
        directory: the directory of the artifact.
        built: returns whether it is built.
        build: builds it.
    """
    if built():
        return
    with cache_lock(directory.with_name(f"{directory.name}.first")):
        if not built():
            build()


AGAIN = "copy the model again, or train it again"
"""The advice on how to get a good trained model again."""


def is_card(file: Path, form: str) -> bool:
    """Return True if `file` is the card of a model of this format and of any version, damaged or not."""
    with contextlib.suppress(OSError):
        return (_json(file) or {}).get("format") == form
    return False


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
        content = _json(file)
    except OSError as error:
        raise ArtifactError(f"{file} cannot be read ({error.strerror or error}).") from error
    if content is None:
        raise ArtifactError(f"{file} was truncated or altered, and is not a JSON object: {AGAIN}.")
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
