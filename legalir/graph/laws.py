"""Law and law family of each provision of a collection, as a memory-mapped artifact.

Files of a build: the docnos (see :mod:`legalir.storage.strings`), ``law.npy``, int32 [n], and the string table ``laws``
that it points into.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.collections import Collection
from legalir.frames.where import masks
from legalir.storage.artifact import IndexArtifact, building
from legalir.storage.documents import field_text
from legalir.storage.strings import Strings, write_coded, write_docnos
from legalir.storage.validity import DateReader, Validity, provision_key

Group = Literal["law", "family"]
"""Groups of provisions: their law, or the family of a statute and the laws that carry it out."""


_CARRIES_OUT = (
    *("实施细则", "实施条例", "实施办法"),  # China
    *("施行令", "施行規則"),  # Japan
    *("시행령", "시행규칙"),  # Korea
    *("施行細則", "施行法"),  # Taiwan
)
"""Last words in the names of implementing laws: the name of the statute, followed by one of these words."""


def statute_of(law: str) -> str:
    """Return the name of the statute that a law carries out: its own name without a suffix, or the whole name."""
    for suffix in _CARRIES_OUT:
        if law.endswith(suffix):
            return law.removesuffix(suffix).rstrip() or law
    return law


class LawTable(IndexArtifact):
    """The law of each provision of a collection.

    Args:
        path: directory of the artifact.
    """

    kind, version = "law_table", 1

    def __init__(self, path: str | PathLike[str]) -> None:
        super().__init__(str(path))

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """Return the table of a collection, built on first use."""

        def build(table: Self) -> None:
            store = collection.source.store
            docnos, corpus = store.docnos.array.tolist(), collection.fingerprint()
            table.index_columns(docnos, store.column("law"), store.validity, corpus=corpus)

        return collection.cached(cls(collection.cache / "laws"), build)

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the table of another state of a collection."""
        return cls.of(collection)

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = ""
    ) -> Self:
        """Build the table; an existing table at the path is replaced only when the new one is complete.

        Args:
            iter: documents with ``docno`` (or ``doc_id``) and, if there is one, ``law``.
            corpus: fingerprint of the collection, stored in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a law is not a string.
        """
        dates, laws = DateReader(), list[str]()
        for row in iter:
            dates.read(row)
            laws.append(field_text(row, "law"))
        return self.index_columns(dates.docnos, np.array(laws, dtype=object), dates.validity(), corpus=corpus)

    def index_columns(
        self, docnos: Sequence[str], laws: npt.NDArray[np.object_], validity: Validity | None = None, *, corpus: str
    ) -> Self:
        """Build the table as :meth:`index` does.

        Args:
            docnos: of n provisions.
            laws: their laws, empty strings where they have none; object [n].
            validity: their days, if they are versions.
            corpus: fingerprint of the collection, stored in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno occurs twice.
        """
        with building(self.directory, self.kind, self.version) as (data, facts):
            write_docnos(data, docnos)
            if validity is not None:
                validity.write(data)
            facts.update(documents=len(docnos), laws=write_coded(data, "law", "laws", laws), corpus=corpus)
        self.forget()
        return self

    @cached_property
    def _groups(self) -> dict[Group, tuple[list[str], npt.NDArray[np.int64]]]:
        """Names of the groups, and the group of each provision, -1 for none; by kind of group."""
        laws = list(Strings(self._opened[1], "laws"))
        law = self._opened[1]["law"].astype(np.int64)
        families = sorted({statute_of(name) for name in laws})
        number = {name: place for place, name in enumerate(families)}
        # The last place is for provisions without a law, numbered -1.
        family = np.array([*(number[statute_of(name)] for name in laws), -1], dtype=np.int64)
        return {"law": (laws, law), "family": (families, family[law])}

    def count(self, by: Group) -> int:
        """Return the number of laws, or of families."""
        return len(self._groups[by][0])

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the number of each provision, -1 if it is not in the collection; [m]."""
        return self.docno_table.numbers(docnos)

    def groups(self, numbers: npt.NDArray[np.int64], by: Group) -> npt.NDArray[np.int64]:
        """Return the law or family of each provision, -1 if it has no law or is not in the collection; [m].

        Args:
            numbers: of the provisions, as :meth:`numbers` returns them.
            by: the kind of group.
        """
        of = self._groups[by][1]
        return np.where(numbers >= 0, of[numbers] if len(of) else -1, -1)

    def in_force(self, queries: pd.DataFrame) -> list[Mapping[str, str] | None]:
        """Return for each query the provisions that it may find, by key: versions in force that pass its filter.

        Args:
            queries: one row per query, perhaps with ``as_of`` and ``where``.

        Returns:
            The docnos by key, which is the docno where provisions have no versions; None if all may be found.

        Raises:
            ComponentError: a value of ``as_of`` is not a date, or a filter cannot be applied.
        """
        chosen = masks(queries, self)
        law = {
            id(mask): {provision_key(docno): docno for docno in self.docnos[mask].tolist()}
            for mask in {id(mask): mask for mask in chosen if mask is not None}.values()
        }
        return [None if mask is None else law[id(mask)] for mask in chosen]

    def group_name(self, group: int, by: Group) -> str:
        """Return the name of a group that :meth:`groups` returned, empty for -1."""
        return self._groups[by][0][group] if group >= 0 else ""
