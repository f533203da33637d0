"""Building the index of the three heads: one pass of the encoder over what is new, and memory that stays flat.

From the tokens of each text to the texts of each token, in memory that does not grow with either.

z postings, V tokens in the vocabulary.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.dense.vectors import Precision
from legalir.m3.store import M3Encoding, M3Store, Multi, check_choices, rows_of
from legalir.storage.arrays import ArrayFile, create_array, save_array
from legalir.storage.artifact import building
from legalir.storage.documents import INDEXED_TEXT
from legalir.storage.shards import Advance, Encoding, Rows, earlier_rows, shards_beside, write_encoded

__all__ = ["build", "write_inverted"]

_POSTINGS = 2_000_000
"""Postings that are held at a time; those of one token are held whole."""
_POSTING = np.dtype([("token", np.int32), ("document", np.int32), ("weight", np.float32)])

Numbers = npt.NDArray[np.int64]


def write_inverted(data: Path, spill: Path, vocabulary: int) -> None:
    """Write the postings of each token, from the rows of the sparse head that stand in `data`.

    Postings are dealt out to files by ranges of tokens; each file is then sorted by itself.

    Files: ``token.bounds.npy`` int64 [V + 1]; ``token.documents.npy`` int32 [z], ascending within a token;
    ``token.weights.npy`` float32 [z].

    Args:
        data: directory of the build, with ``sparse.bounds.npy``, ``sparse.tokens.npy`` and ``sparse.weights.npy``.
        spill: an empty directory for scratch.
        vocabulary: V; every token is below.

    Raises:
        OSError: the files cannot be written.
    """
    frequencies = np.zeros(vocabulary, dtype=np.int64)
    tokens = ArrayFile(data / "sparse.tokens.npy")
    for first in range(0, tokens.length, _POSTINGS):
        block = tokens.between(first, min(first + _POSTINGS, tokens.length))
        frequencies += np.bincount(block, minlength=vocabulary)
    bounds = np.concatenate(([0], np.cumsum(frequencies)))
    save_array(data / "token.bounds.npy", bounds)
    ranges = list(_ranges(bounds))
    for block in _postings(data):
        _deal(block, ranges, spill)
    with (
        create_array(data / "token.documents.npy", np.dtype(np.int32), (tokens.length,)) as documents,
        create_array(data / "token.weights.npy", np.dtype(np.float32), (tokens.length,)) as weights,
    ):
        for number, _ in enumerate(ranges):
            file = spill / str(number)
            if file.exists():
                found = np.fromfile(file, dtype=_POSTING)
                file.unlink()
                found = found[np.argsort(found["token"], kind="stable")]
                documents.write(np.ascontiguousarray(found["document"]).data)
                weights.write(np.ascontiguousarray(found["weight"]).data)


def _ranges(bounds: Numbers) -> Iterator[int]:
    """Yield the ends of ranges of tokens that have about ``_POSTINGS`` postings each."""
    last = 0
    while last < len(bounds) - 1:
        end = int(np.searchsorted(bounds, bounds[last] + _POSTINGS, side="right")) - 1
        last = min(max(end, last + 1), len(bounds) - 1)
        yield last


def _postings(data: Path) -> Iterator[npt.NDArray[np.void]]:
    """Yield the postings by document, so many at a time; within a block and from block to block, documents ascend."""
    tokens, weights = ArrayFile(data / "sparse.tokens.npy"), ArrayFile(data / "sparse.weights.npy")
    rows = ArrayFile(data / "sparse.bounds.npy")
    bounds = rows.between(0, rows.length)
    for first in range(0, tokens.length, _POSTINGS):
        last = min(first + _POSTINGS, tokens.length)
        block = np.empty(last - first, dtype=_POSTING)
        block["token"], block["weight"] = tokens.between(first, last), weights.between(first, last)
        # The documents whose rows this block touches, and how much of each row it holds.
        low, high = np.searchsorted(bounds, (first, last - 1), side="right") - 1
        held = np.diff(np.clip(bounds[low : high + 2], first, last))
        block["document"] = np.repeat(np.arange(low, high + 1), held)
        yield block


def _deal(block: npt.NDArray[np.void], ranges: list[int], spill: Path) -> None:
    """Append each posting of a block to the file of its range of tokens."""
    number = np.searchsorted(ranges, block["token"], side="right").astype(np.uint16)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=len(ranges)))
    with ExitStack() as stack:
        for range_number, (first, last) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if last > first:
                stream = stack.enter_context((spill / str(range_number)).open("ab"))
                stream.write(block[order[first:last]].data)


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
