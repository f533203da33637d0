"""The laws of a collection cut into chunks, as a chunk collection in its cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir.chunks.chunk_collection import LawText, method, write_chunks
from legalir.collections import Collection
from legalir.errors import ComponentError
from legalir.models.folders import model_digest
from legalir.storage.artifact import build_once
from legalir.storage.digest import cached_file_digest, digest

if TYPE_CHECKING:
    from legalir.chunks.chunking import Chunk
    from legalir.dense.contract import Encoder

_CODE = 1
"""Changes whenever a method cuts in another way, so that no folder of the cache is older than the method."""


def cutter(
    collection: Collection, by: str = "line", encoder: str | None = None, **options: object
) -> tuple[Callable[[LawText], list[Chunk]], str]:
    """Return the function that cuts a law, and its name with its parameters, such as ``line(size=553, overlap=50)``.

    Args:
        collection: the collection whose laws are cut; an encoder is fitted on its provisions.
        by: name of the method: a function of :mod:`legalir.chunks.chunking`.
        encoder: for `semantic`; by default ``lsa``.
        options: other parameters of the method; None is the default of the method.

    Raises:
        ComponentError: there is no such method or encoder, or the method does not have a parameter.
    """
    if by == "semantic":
        encoder = encoder or "lsa"
        cut = method(by, encode=_encoder(collection, encoder).encode, **options)
    else:
        cut = method(by, encoder=encoder, **options)
    given = {"encoder": encoder, **options}
    shown = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
    return cut, f"{by}({shown})" if shown else by


def _encoder(collection: Collection, name: str) -> Encoder:
    """Return an encoder, fitted on the provisions of a collection if it learns from them."""
    from legalir.dense.index import DenseIndex

    encoder = DenseIndex.of(collection, name).encoder
    assert encoder is not None  # It made the vectors.
    return encoder


def chunk_folder(collection: Collection, by: str, **options: Any) -> Path:
    """Return the folder of a chunk collection in the cache of a collection; write it if it is missing.

    Its name follows from the method with its parameters, and from the questions, judgements and links, which may change
    without the corpus. Arguments and errors as :func:`cutter`.

    Raises:
        ComponentError: the collection contains versions of provisions.
        DataError: the collection consists of chunks, or the folder cannot be written.
    """
    source = collection.source
    if source.dated:
        raise ComponentError(
            f"{source.id} holds versions of provisions, and chunks are of the law of one day: write them with "
            f"legalir datasets chunk … --as-of 2021-03-01, and take that collection."
        )
    cut, label = cutter(collection, by, **options)
    files = source.folder
    others = [path for path in (files.links, *files.queries.values(), *files.qrels.values()) if path is not None]
    encoder = _encoder(collection, options.get("encoder") or "lsa").fingerprint if by == "semantic" else ""
    given = options.get("tokenizer")
    tokenizer = [] if given is None else [model_digest(Path(given).expanduser())]
    key = digest([_CODE, label, encoder, *tokenizer, repr(source.about), *map(cached_file_digest, others)])
    folder: Path = collection.cache / f"chunks-{by}-{key[:16]}"
    build_once(
        folder, (folder / "corpus.jsonl").is_file, lambda: write_chunks(source, folder, cut, label, replace=False)
    )
    return folder
