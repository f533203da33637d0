"""Vectors of documents from an encoder that is slow: resumed after a kill, and taken over from earlier builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError
from legalir.index.dense import DenseVectors, Precision
from legalir.index.encoded import Advance, Encoding, write_encoded
from legalir.index.row_files import ArrayFile, Rows
from legalir.index.shards import Shards, earlier_rows

__all__ = ["vector_settings", "write_encoded_vectors"]


def vector_settings(fingerprint: str, precision: Precision) -> dict[str, Any]:
    """Return all that decides a vector that is stored, for :func:`~legalir.index.shards.shards_beside`.

    Args:
        fingerprint: of the encoder.
        precision: what the vectors are stored as.

    Raises:
        ComponentError: `precision` is unknown.
    """
    if precision not in get_args(Precision):
        raise ComponentError(f"precision={precision!r} is not one of {', '.join(get_args(Precision))}.")
    kind = DenseVectors
    return {"kind": kind.kind, "version": kind.version, "encoder": fingerprint, "precision": precision}


def write_encoded_vectors(
    data: Path,
    documents: Iterable[Mapping[str, Any]],
    encode: Callable[[Sequence[str], Advance], npt.NDArray[np.floating]],
    shards: Shards,
    *,
    precision: Precision,
    earlier: Iterable[Path] = (),
    shard: int = 4096,
    advance: Advance = lambda done: None,
) -> dict[str, Any]:
    """Write docnos, digests and vectors of an index; return the facts about them.

    Args:
        data: directory of the build.
        documents: with ``docno`` or ``doc_id``, ``text`` and, if there is one, ``title``.
        encode: returns the vectors of texts, [m, d], rows of length 1 or 0, also of none; tells its second argument how
            many more are done.
        shards: of the same index, under :func:`vector_settings`.
        precision: what the vectors are stored as.
        earlier: paths of dense indexes whose vectors may be taken over, that of the index itself among them.
        shard: number of texts that are made durable together; a shard is also closed after a minute.
        advance: is told how many more documents are done.

    Raises:
        ComponentError: a docno is missing or occurs twice, a text is no string, or the encoder makes no vectors.
        OSError: the files cannot be written.
    """

    def represent(texts: list[str], advance: Advance) -> Rows:
        vectors = np.asarray(encode(texts, advance))
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ComponentError(
                f"The encoder made vectors of shape {list(vectors.shape)} for {len(texts)} texts, or with a NaN or an "
                f"infinity in them: its files may be damaged, or float16 too narrow for it."
            )
        return {"vectors": vectors.astype(precision)}

    sources = earlier_rows(earlier, DenseVectors.kind, DenseVectors.version, shards.key)
    facts = write_encoded(data, documents, Encoding(represent, texts=shard, advance=advance), shards, sources)
    return {**facts, "dimensions": ArrayFile(data / "vectors.npy").item[0], "precision": precision}
