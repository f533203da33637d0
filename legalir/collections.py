"""The collection as methods see it: what they are written against, and may ask of any collection.

:class:`legalir.Collection` is one. Each index defines how it is built from a collection, in its method ``of``, and
:meth:`Collection.cached` stores it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from datetime import date
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from legalir.datasets.chunks import ChunkMap
    from legalir.datasets.dataset import StatuteDataset
    from legalir.datasets.records import Provision
    from legalir.frames.where import Fields
    from legalir.llm.client import Client


class Built(Protocol):
    """An index in a directory.

    Attributes:
        build_again: builds it where its files are gone before they were opened; set by :meth:`Collection.cached`.
        fields: returns the fields of the provisions; set by it, too.
    """

    build_again: Callable[[], object] | None
    fields: Callable[[], Any] | None

    @property
    def directory(self) -> Path:
        """The directory of the index."""

    def built(self) -> bool:
        """Return True if the index exists."""


Index = TypeVar("Index", bound=Built)


class Collection(Protocol):
    """Provisions with their links and questions, and a cache for what is built from them.

    Attributes:
        source: the provisions, questions, judgements and links.
        executor: its workers do the long work of building indexes; None: this process does it.
        where: the filter of all questions; empty for all provisions.
    """

    source: StatuteDataset
    executor: Executor | None
    where: str

    @property
    def id(self) -> str:
        """The id or path that the collection was opened by."""

    @property
    def client(self) -> Client:
        """The client by which components ask language models."""

    @property
    def dated(self) -> bool:
        """Whether the collection contains versions of provisions."""

    @property
    def chunks(self) -> ChunkMap | None:
        """Map from each chunk to the provisions that it contains; None if the documents are provisions."""

    @property
    def language(self) -> str:
        """Code of the language of the provisions, ``und`` if it is not recognised."""

    @property
    def home(self) -> Path:
        """Directory of everything that is stored for any collection."""

    @property
    def cache(self) -> Path:
        """Directory of everything that is built for this corpus; its name changes with the corpus."""

    @property
    def links_cache(self) -> Path:
        """Directory in :attr:`cache` of what depends on the links, too; its name changes with them."""

    def fingerprint(self) -> str:
        """Return the sha256 of the corpus."""

    def fields(self) -> Fields:
        """Return the fields of the provisions, for filters."""

    def day(self, as_of: str | date | None = None) -> str | None:
        """Return the day of a question, as ``2021-03-01``; None for a collection without versions."""

    def docs(self) -> Iterator[Provision]:
        """Yield every provision."""

    def provisions(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions with these docnos; an unknown docno is left out."""

    def beside(self, docnos: Iterable[str], as_of: str | date | None = None) -> dict[str, dict[str, Any]]:
        """Return what stands beside provisions in time, by docno: ``repealed``, ``upcoming``, ``transitional``."""

    def upcoming(
        self, query: str, k: int = 10, *, as_of: str | date | None = None, where: str | None = None
    ) -> list[Provision]:
        """Return the provisions that match a question and are not in force yet in any version."""

    def cached(self, index: Index, build: Callable[[Index], object]) -> Index:
        """Return an index in :attr:`cache`, after building it if it is missing.

        If several threads or processes need it at the same time, one builds it and all others wait. A process has
        one object for equal indexes.

        Args:
            index: it may be built or not.
            build: builds it.

        Raises:
            ArtifactError: it cannot be written.
        """

    def chunked(self, by: str = "line", **options: object) -> Collection:
        """Return the collection of the chunks into which the laws are cut."""


def directory_name(name: str, fingerprint: str) -> str:
    """Return a directory name that is unique to an analyzer or encoder, whatever characters its own name contains."""
    shown = re.sub(r"[^\w.-]+", "-", name)
    return f"{shown[:40]}-{fingerprint[:8]}"


def earlier_builds(directory: Path) -> list[Path]:
    """Return the same index of other corpora in a cache, the newest first.

    What they share may be a former state of this collection, or any other collection: an index whose encoder takes long
    uses their vectors again, text by text.

    Args:
        directory: of an index in the directory :attr:`Collection.cache`.
    """
    dated = []
    for path in directory.parent.parent.glob(f"*/{escape(directory.name)}"):
        with suppress(OSError):  # Another process may have removed it.
            dated.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(dated, reverse=True) if path != directory]
