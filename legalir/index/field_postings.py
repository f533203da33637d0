"""From the postings of texts that are fields of documents to postings of documents with a frequency for each field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.arrays import create_array, load_array, save_array
from legalir.index.weights import posting_blocks

__all__ = ["write_field_postings"]


class _Block(NamedTuple):
    """Postings of a range of terms: `sizes` of each term; `documents` [p]; for each text its posting, field and tf."""

    terms: slice
    sizes: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    posting: npt.NDArray[np.int64]
    field: npt.NDArray[np.int32]
    tf: npt.NDArray[np.unsignedinteger[Any]]


def write_field_postings(source: Path, target: Path, fields: Sequence[str], own: Sequence[int]) -> None:
    """Write the postings of documents.

    Files: ``indptr.npy`` int64 [V + 1]; ``documents.npy`` int32 [P], ascending within a term;
    ``frequencies.<field>.npy`` unsigned [P], 0 where the field lacks the term; ``df.npy`` int64 [V].

    Args:
        source: directory with the postings of n·F texts as :class:`~legalir.index.postings.PostingsWriter` leaves them;
            text i is field ``i % F`` of document ``i // F``.
        target: directory to write to.
        fields: their names.
        own: positions of the fields in which a term has to be for a document to count in df.
    """
    indptr = load_array(source / "indptr.npy")
    sizes = np.zeros(len(indptr) - 1, dtype=np.int64)
    df = np.zeros(len(indptr) - 1, dtype=np.int64)
    highest = np.zeros(len(fields), dtype=np.int64)
    for block in _blocks(source, indptr, len(fields)):
        sizes[block.terms] = block.sizes
        np.maximum.at(highest, block.field, block.tf)
        held = np.zeros(len(block.documents), dtype=bool)
        held[block.posting[np.isin(block.field, own)]] = True
        starts = np.concatenate(([0], np.cumsum(block.sizes)))
        df[block.terms] = np.diff(np.concatenate(([0], np.cumsum(held)))[starts])
    save_array(target / "indptr.npy", np.concatenate(([0], np.cumsum(sizes))))
    save_array(target / "df.npy", df)
    total = (int(sizes.sum()),)
    with ExitStack() as stack:
        documents = stack.enter_context(create_array(target / "documents.npy", np.dtype(np.int32), total))
        widths = [np.min_scalar_type(int(most)) for most in highest]
        columns = [
            stack.enter_context(create_array(target / f"frequencies.{field}.npy", width, total))
            for field, width in zip(fields, widths, strict=True)
        ]
        for block in _blocks(source, indptr, len(fields)):
            documents.write(block.documents.data)
            for number, (column, width) in enumerate(zip(columns, widths, strict=True)):
                tf = np.zeros(len(block.documents), dtype=width)
                here = block.field == number
                tf[block.posting[here]] = block.tf[here]
                column.write(tf.data)


def _blocks(source: Path, indptr: npt.NDArray[np.int64], fields: int) -> Iterator[_Block]:
    texts, tf = load_array(source / "documents.npy"), load_array(source / "frequencies.npy")
    for terms, postings in posting_blocks(indptr):
        document, field = np.divmod(texts[postings], np.int32(fields))
        new = np.diff(document, prepend=np.int32(-1)) != 0
        starts = indptr[terms.start : terms.stop] - indptr[terms.start]
        new[starts] = True  # every term has a posting
        posting = np.cumsum(new) - 1
        sizes = np.diff(posting[starts], append=int(new.sum()))
        yield _Block(terms, sizes, document[new], posting, field, tf[postings])
