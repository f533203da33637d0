"""Building the index of the three heads: one pass of the encoder over what is new, and memory that stays flat."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from legalir.index.artifact import building
from legalir.index.dense import Precision
from legalir.index.documents import INDEXED_TEXT
from legalir.index.encoded import Advance, Encoding, write_encoded
from legalir.index.m3.inverted import write_inverted
from legalir.index.m3.representations import M3Encoding, Multi, check_choices, rows_of
from legalir.index.m3.store import M3Store
from legalir.index.row_files import ArrayFile, Rows
from legalir.index.shards import earlier_rows, shards_beside

__all__ = ["build"]


def build(
    store: M3Store,
    documents: Iterable[Mapping[str, Any]],
    encoder: M3Encoding,
    *,
    multi: Multi | None = None,
    precision: Precision = "float16",
    corpus: str = "",
    shard: int = 4096,
    step: int = 32_768,
    reuse: Iterable[Path] = (),
    advance: Advance = lambda done: None,
) -> None:
    """Build the index at the path of `store`, replacing one that stands there only when the new one is whole.

    A text is encoded once. A text whose representations the index at the path holds, or an index in `reuse`, or
    interrupted work on this one, by the same encoder and with the same `multi` and `precision`, is not encoded again.
    What is encoded is kept beside the index until it is done, which takes as much space again.

    Args:
        store: an index, which need not have been built.
        documents: with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
        encoder: makes the representations.
        multi: how multi-vectors are stored; None for an index without them.
        precision: what the dense vectors are stored as.
        corpus: fingerprint of the collection, kept in the manifest.
        shard: number of texts that are made durable together; a shard is also closed after a minute.
        step: number of characters that the encoder is given at a time, and that `advance` is told of; a longer text
            goes alone.
        reuse: paths of other indexes whose representations may be taken over.
        advance: is told how many more documents are done.

    Raises:
        ArtifactError: the files cannot be written, or something else is at the path.
        ComponentError: a docno is missing or occurs twice, a text is no string, a parameter means nothing, or the
            encoder makes what cannot be.
    """
    check_choices(precision, multi)
    decided = {"encoder": encoder.fingerprint, "precision": precision, "multi": multi}
    settings = {"kind": store.kind, "version": store.version, **decided}

    def represent(texts: list[str], advance: Advance) -> Rows:
        rows = rows_of(encoder, texts, precision=precision, multi=multi)
        advance(len(texts))
        return rows

    encoding = Encoding(represent, texts=shard, step=step, advance=advance)
    with (
        shards_beside(store.directory, settings) as shards,
        building(store.directory, store.kind, store.version) as (data, facts),
        tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
    ):
        earlier = earlier_rows((store.directory, *reuse), store.kind, store.version, shards.key)
        facts.update(write_encoded(data, documents, encoding, shards, earlier))
        write_inverted(data, Path(spill), encoder.vocabulary)
        facts.update(_counts(data, encoder.vocabulary, multi), encoder=_made_by(encoder))
        facts.update(precision=precision, multi=multi, indexed=INDEXED_TEXT, corpus=corpus)
    store.forget()


def _made_by(encoder: M3Encoding) -> dict[str, Any]:
    return {name: getattr(encoder, name) for name in ("name", "model", "max_length", "fingerprint")}


def _counts(data: Path, vocabulary: int, multi: Multi | None) -> dict[str, Any]:
    truncated = ArrayFile(data / "truncated.npy")
    return {
        "heads": ["dense", "sparse"] + (["multi"] if multi else []),
        "dimensions": ArrayFile(data / "dense.npy").item[0],
        "vocabulary": vocabulary,
        "postings": ArrayFile(data / "sparse.tokens.npy").length,
        "vectors": ArrayFile(data / "multi.vectors.npy").length if multi else 0,
        "truncated": int(truncated.between(0, truncated.length).sum()),
    }
