"""What every index of ours is: an artifact of PyTerrier that can be built, opened once, and opened anew."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pyterrier as pt

__all__ = ["IndexArtifact"]


class IndexArtifact(pt.Artifact, pt.Indexer):
    """An index in a directory; what a subclass holds open, it holds in cached properties."""

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
