"""``pt.get_dataset("legalir:firecode")``: our collections as a dataset provider of PyTerrier."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from pyterrier.datasets import DatasetProvider
from pyterrier.datasets._irds import IRDSDataset

from legalir.datasets.catalog import PREFIX, available, entries, load
from legalir.datasets.irds import irds_dataset


class StatuteIRDSDataset(IRDSDataset):
    """One collection or split as a dataset of PyTerrier.

    Args:
        id_or_path: anything that :func:`legalir.datasets.load` takes.
    """

    def __init__(self, id_or_path: str) -> None:
        self._irds_id = id_or_path
        self._source = load(id_or_path)
        self._irds_ref = irds_dataset(self._source)

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the questions with all their columns: without ``as_of``, the law of another day would be searched.

        Args:
            variant: None or ``query``; there is one variant.

        Raises:
            DataError: there are no questions.
        """
        topics = self._source.topics()
        return topics if variant is None else topics[["qid", variant]]

    def get_answers(self, variant: str | None = None) -> pd.DataFrame:
        """Return the reference answers, as the datasets of PyTerrier-RAG do: columns ``qid, gold_answer``.

        Args:
            variant: None; there is one variant.

        Raises:
            DataError: there are no reference answers.
        """
        return self._source.answers()

    def info_url(self) -> str | None:
        """Return the source of the collection, or None if it is not a URL."""
        source = self._source.about.source or ""
        return source if source.startswith("https://") else None

    def __repr__(self) -> str:
        return f"StatuteIRDSDataset({self._irds_id!r})"


class LegalIRDatasetProvider(DatasetProvider):
    """Finder of collections by the name after ``legalir:``, or by the path of a folder."""

    def get_dataset(self, name: str) -> StatuteIRDSDataset:
        """Return a collection or split.

        Raises:
            DatasetNotFound: nothing has that name.
        """
        base = name.removeprefix(PREFIX).split("/")[0]
        return StatuteIRDSDataset(PREFIX + name.removeprefix(PREFIX) if PREFIX + base in entries() else name)

    def list_dataset_names(self) -> Iterable[str]:
        """Return the names of all collections and splits that can be used."""
        for entry in available():
            if not entry.fault:
                yield from (entry.name, *(f"{entry.name}/{split}" for split in entry.splits))
