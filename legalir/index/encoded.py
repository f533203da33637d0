"""Encoding documents for an artifact: only texts that no earlier work encoded, and the rows of all in their order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from legalir.errors import ComponentError
from legalir.index.docnos import write_docnos
from legalir.index.documents import document_batches
from legalir.index.gather import gather
from legalir.index.row_files import Rows
from legalir.index.shards import RowSource, Shards, text_digest

__all__ = ["Advance", "Encoding", "write_encoded"]

Advance = Callable[[int], None]
"""Is told how many more are done."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How texts become rows.

    Attributes:
        represent: returns the rows of texts (see :mod:`legalir.index.row_files`), also of none; the same names, types
            and shapes of items each time. It tells its second argument of texts that are done, all in all once of each.
        texts: number at which a shard is closed.
        seconds: time after which a shard is closed, which bounds what a kill costs where encoding is slow.
        step: characters that are encoded at a time; a longer text goes alone.
        advance: is told how many more documents are done.
    """

    represent: Callable[[list[str], Advance], Rows]
    texts: int = 4096
    seconds: float = 60.0
    step: int = 32_768
    advance: Advance = lambda done: None

    def __post_init__(self) -> None:
        if self.texts < 1:
            raise ComponentError(f"shard={self.texts} texts are too few: give 1 or more.")


def write_encoded(
    data: Path,
    documents: Iterable[Mapping[str, Any]],
    encoding: Encoding,
    shards: Shards,
    earlier: Iterable[RowSource] = (),
) -> dict[str, Any]:
    """Write docnos, digests of the texts and rows of documents; return the facts about them.

    Every text is encoded once, and not at all where `earlier` or a shard holds its rows. Memory holds one shard's
    texts, one block of rows, and of all documents no more than docno, digest and bounds.

    Files: the docnos (see :mod:`legalir.index.docnos`); ``digests.npy``, uint8 [n, 16]; each array of the rows.

    Args:
        data: directory of the build.
        documents: with ``docno`` or ``doc_id``, ``text`` and, if there is one, ``title``.
        encoding: how texts become rows.
        shards: of the same artifact and settings.
        earlier: rows of other builds with the same key, see :func:`~legalir.index.shards.earlier_rows`.

    Returns:
        ``documents``, their number, and ``rows`` with ``key`` and ``arrays``, which is what a later build goes by.

    Raises:
        ComponentError: a docno is missing or occurs twice, a text is no string, or the encoder makes rows that do not
            fit together.
        OSError: the files cannot be written.
    """
    shards.resume()
    earlier = list(earlier)
    known = {row.tobytes() for source in (*earlier, *shards.sources) for row in source.digests}
    docnos: list[str] = []
    digests = bytearray()
    missing: dict[bytes, str] = {}
    for names, texts in document_batches(documents):
        docnos += names
        before = len(missing)
        for text in texts:
            digest = text_digest(text)
            digests += digest
            if digest not in known:
                known.add(digest)
                missing[digest] = text
        encoding.advance(len(texts) - (len(missing) - before))
        if len(missing) >= encoding.texts:
            _encode(missing, encoding, shards)
            missing = {}
    if missing or not (earlier or shards.sources):
        _encode(missing, encoding, shards)
    write_docnos(data, docnos)
    arrays = gather(data, bytes(digests), [*earlier, *shards.sources])
    return {"documents": len(docnos), "rows": {"key": shards.key, "arrays": arrays}}


def _encode(missing: Mapping[bytes, str], encoding: Encoding, shards: Shards) -> None:
    """Write shards with the rows of texts; of none, a shard that tells the types and shapes."""
    # Texts of one length fill a batch of an encoder best; the longest first, so that too little memory shows early.
    found = sorted(missing.items(), key=lambda item: len(item[1]), reverse=True)
    steps = _steps(found, encoding)
    for first in steps:
        began = monotonic()
        with shards.writing() as shard:
            for step in itertools.chain([first], steps):
                texts = [text for _, text in step]
                shard.add([digest for digest, _ in step], encoding.represent(texts, encoding.advance))
                if shard.texts >= encoding.texts or monotonic() - began >= encoding.seconds:
                    break


def _steps(found: Sequence[tuple[bytes, str]], encoding: Encoding) -> Iterator[Sequence[tuple[bytes, str]]]:
    """Yield what is encoded at a time; at least once."""
    first = characters = 0
    for number, (_, text) in enumerate(found):
        characters += len(text)
        # A step never crosses the end of a shard, so that none has more texts than it may.
        if number > first and (characters > encoding.step or number % encoding.texts == 0):
            yield found[first:number]
            first, characters = number, len(text)
    yield found[first:]
