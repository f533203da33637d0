"""The indexes of vectors of one collection: those of encoders, of BGE-M3's heads, and approximate search."""

from __future__ import annotations

import glob
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.index.base import build_once
from legalir.indexes import Indexes, directory_name, rows
from legalir.progress import progress

if TYPE_CHECKING:
    from legalir.encode import AnyEncoder
    from legalir.encode.m3.encoder import M3Encoder
    from legalir.index.m3 import Multi
    from legalir.retrieve.dense_index import DenseIndex
    from legalir.retrieve.m3.index import M3Index

__all__ = ["VectorIndexes"]

_QUESTIONS = 200
"""What the recall of an approximate search is measured with, at most."""


class VectorIndexes(Indexes):
    """What is built for a collection from vectors; a base of :class:`~legalir.collection.Collection`."""

    def dense(self, encoder: str | AnyEncoder = "lsa", *, approximate: str | None = None) -> DenseIndex:
        """Return the dense index under `encoder`, built on first use.

        Args:
            encoder: a name, a model, or an encoder.
            approximate: a search by FAISS, ``hnsw`` or ``ivf``, also with parameters; its recall is measured with the
                collection's questions, where it has any. None compares all.

        Raises:
            ArtifactError: the index is damaged or cannot be written.
            ComponentError: there is no such encoder, or no such search.
            MissingExtra: FAISS is needed, and not installed.
        """
        from legalir.encode import get_encoder

        chosen = get_encoder(encoder, self)
        found: DenseIndex = self._once(("dense", chosen.fingerprint), lambda: self._dense_index(chosen))
        if approximate is not None:
            key, exact = ("dense", chosen.fingerprint, approximate), found
            found = self._once(key, lambda: self._approximate_index(exact, chosen, approximate))
        return found

    def _approximate_index(self, exact: DenseIndex, encoder: AnyEncoder, approximate: str) -> DenseIndex:
        from legalir.index.approximate import read_approximate

        search = read_approximate(approximate)
        place = exact.directory.with_name(f"{exact.directory.name}-{search.name}-{search.fingerprint[:8]}")
        index = type(exact)(place, encoder)

        def build() -> None:
            found = self.source.queries() if self.source.has_topics() else ()
            asked = [str(row["query"]) for row in itertools.islice(found, _QUESTIONS)]
            with progress(f"Building {search} for {self.source.id}", None):
                exact.approximated(search, place, queries=asked or None)

        build_once(place, index.built, build)
        return index

    def _dense_index(self, encoder: AnyEncoder) -> DenseIndex:
        from legalir.encode import TrainableEncoder
        from legalir.retrieve.dense_index import DenseIndex

        index = DenseIndex(self.cache / f"dense-{directory_name(encoder)}", encoder=encoder)

        def build() -> None:
            if isinstance(encoder, TrainableEncoder):
                # The texts were analysed once, for the sparse index.
                postings = self.sparse(encoder.analyzer)
                with progress(f"Fitting {encoder.name} on {self.source.id}", None):
                    index.index_postings(postings, corpus=self.fingerprint())
                return
            earlier = self._earlier(index.directory)
            with progress(f"Encoding {self.source.id} ({encoder.name})", self.source.docs_count()) as advance:
                index.index(rows(self.source), corpus=self.fingerprint(), reuse=earlier, advance=advance)

        build_once(index.directory, index.built, build)
        return index

    def m3(self, encoder: str | M3Encoder, multi: Multi | None = None) -> M3Index:
        """Return the index of BGE-M3's heads, built on first use.

        Provisions that were encoded for another state of this collection are not encoded again.

        Args:
            encoder: an encoder, or the folder or hub name of its model.
            multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``; None where they are not
                needed: an index that has them will do.

        Raises:
            ArtifactError: the index is damaged or cannot be written.
            ModelError: the model cannot be found, read, or computed with.
        """
        from legalir.encode.m3.encoder import M3Encoder

        chosen = M3Encoder(encoder) if isinstance(encoder, str) else encoder
        key = "m3", chosen.fingerprint, str(chosen.query_max_length), str(multi)
        found: M3Index = self._once(key, lambda: self._m3_index(chosen, multi))
        return found

    def _m3_index(self, encoder: M3Encoder, multi: Multi | None) -> M3Index:
        from legalir.retrieve.m3.index import M3Index

        name = f"m3-{Path(encoder.model).name[:32]}-{encoder.fingerprint[:8]}"
        stored = ("float16", "float32", "int8", "none") if multi is None else (multi,)
        places = [M3Index(self.cache / f"{name}-{kind}", encoder) for kind in stored]
        index = next((place for place in places if place.built()), places[-1])

        def build() -> None:
            earlier = self._earlier(index.directory)
            with progress(f"Encoding {self.source.id} ({encoder.model})", self.source.docs_count()) as advance:
                index.index(rows(self.source), multi=multi, corpus=self.fingerprint(), reuse=earlier, advance=advance)

        build_once(index.directory, index.built, build)
        return index

    def _earlier(self, directory: Path) -> list[Path]:
        """Return the same artifacts of other states of the collection, the newest first."""
        kin = f"{glob.escape(self.cache.name.rpartition('-')[0])}-{'[0-9a-f]' * 16}"
        found = [path for path in self.cache.parent.glob(f"{kin}/{glob.escape(directory.name)}") if path != directory]
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
