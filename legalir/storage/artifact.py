"""Artifacts on disk: a manifest that names verified files, replaced in one step.

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
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.errors import ArtifactError
from legalir.executors import Portable
from legalir.storage.arrays import load_array
from legalir.storage.files import atomic_file, sync_tree
from legalir.storage.locks import cache_lock
from legalir.storage.manifest import MANIFEST, Manifest, inventory, read_manifest, verify, write_manifest
from legalir.storage.strings import Docnos
from legalir.storage.validity import Validity

_META = "pt_meta.json"
_SCRATCH = re.compile(r"data-[0-9a-f]{16}|\.spill-\w+|\.(?:manifest|pt_meta)\.json\.\w+")
"""Names of the files and folders that a killed build leaves; nothing else is ever removed."""


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
                files = [file for file in data.rglob("*") if file.is_file()]  # Other engines have folders.
                with atomic_file(path / _META) as stream:
                    json.dump({"type": kind, "format": "legalir", "package_hint": "legalir"}, stream)
                write_manifest(path, Manifest(kind, version, data.name, facts, inventory(files, data)))
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
            if child.is_dir():
                shutil.rmtree(child, ignore_errors=True)
            else:
                child.unlink(missing_ok=True)


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

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("build_again", None)
        return state

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
