"""What every index of ours is: an artifact of PyTerrier that can be built, opened once, and opened anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.files import locked
from legalir.index.artifact import Manifest, open_build
from legalir.index.docnos import Docnos

__all__ = ["IndexArtifact", "build_once"]


class IndexArtifact(pt.Artifact, pt.Indexer):
    """An index in a directory; what a subclass holds open, it holds in cached properties.

    A subclass names its `kind` and the `version` of its layout, and writes a docno for each of its documents.
    """

    kind: ClassVar[str]
    version: ClassVar[int]

    @property
    def directory(self) -> Path:
        """The directory of the artifact."""
        return Path(str(self.path))

    def built(self) -> bool:
        """Return whether there is a build at the path; it may still turn out to be damaged when opened."""
        return (self.directory / "manifest.json").exists()

    def forget(self) -> None:
        """Drop what is open, so that the next use reads the files again."""
        for kind in type(self).__mro__:
            for name in [name for name, value in vars(kind).items() if isinstance(value, cached_property)]:
                self.__dict__.pop(name, None)

    @cached_property
    def _opened(self) -> tuple[Manifest, dict[str, npt.NDArray[Any]]]:
        # Everything is opened at once, so that all of it belongs to one build.
        manifest, arrays = open_build(self.directory, self.kind, self.version)
        self._check(manifest)
        return manifest, arrays

    def _check(self, manifest: Manifest) -> None:
        """Refuse a build that was made for something else, by an ArtifactError."""

    @property
    def manifest(self) -> Manifest:
        """The manifest of the verified build.

        Raises:
            ArtifactError: there is no build, it is damaged, or it was made for something else.
        """
        return self._opened[0]

    def fingerprint(self) -> str:
        """Return a sha256 over the content of the index, the same for equal content anywhere."""
        parts = [entry["sha256"] for _, entry in sorted(self.manifest.files.items())]
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    @property
    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """The arrays of the verified build, by the names of their files without ``.npy``; errors as `manifest`."""
        return self._opened[1]

    def _array(self, name: str) -> npt.NDArray[Any]:
        return self.arrays[name]

    @cached_property
    def known(self) -> Docnos:
        """The docnos, and the number of the document that bears one."""
        return Docnos(self._opened[1])

    @property
    def docnos(self) -> npt.NDArray[np.object_]:
        """Docno of each document, object [n]."""
        return self.known.array


def build_once(directory: Path, built: Callable[[], bool], build: Callable[[], object]) -> None:
    """Build what is not built yet; of several processes that want it at once, one builds and the others wait.

    An artifact locks itself while it writes; this second lock lets whoever waited find the work done.

    Args:
        directory: the directory of the artifact.
        built: says whether it is there.
        build: makes it.
    """
    if built():
        return
    with locked(directory.with_name(f"{directory.name}.first")):
        if not built():
            build()
