"""Registration of our collections in ir_datasets, and thereby in PyTerrier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from legalir.datasets.catalog import PREFIX, entries, load

if TYPE_CHECKING:
    from ir_datasets.datasets.base import Dataset

    from legalir.datasets.dataset import StatuteDataset

__all__ = ["irds_form", "register", "register_all"]


class Registry(Protocol):
    """What we use of ``ir_datasets.registry``."""

    def __iter__(self) -> Iterator[str]: ...

    def register(self, name: str, obj: object) -> None:
        """Add a dataset under a name that is free."""

    def register_pattern(self, pattern: str, initializer: object) -> None:
        """Add a function that makes the dataset of a name that matches."""


def irds_form(dataset: StatuteDataset) -> Dataset:
    """Return the ir_datasets form of a collection or split."""
    # Importing ir_datasets calls register_all, which needs the next module whole.
    import ir_datasets  # noqa: F401

    from legalir.datasets.irds import irds_dataset

    return irds_dataset(dataset)


def register(registry: Registry) -> None:
    """Register every collection and every split under its id; doing it again is harmless.

    Nothing is read but names of files, and nothing is fetched. An id that begins with ``legalir/`` but was
    not there at this time is looked up when it is asked for, and an unknown one is our own clear error.
    """
    from legalir.datasets.irds import irds_dataset

    taken = set(registry)
    for entry in entries().values():
        for split in (None, *entry.splits):
            id = entry.id if split is None else f"{entry.id}/{split}"
            if id not in taken:
                registry.register(id, irds_dataset(entry.dataset(split)))
    if not getattr(registry, "_legalir_pattern", False):
        registry.register_pattern(f"^{PREFIX}.+$", lambda id, groups: irds_form(load(id)))
        registry._legalir_pattern = True  # type: ignore[attr-defined]


def register_all(module: object = None) -> None:
    """Register in ``ir_datasets.registry``; the hook on its import passes the module."""
    import ir_datasets

    register(ir_datasets.registry)
