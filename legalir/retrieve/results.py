"""From what was found to a frame of results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Found", "asked_only", "results_frame"]

Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.floating]]
"""Numbers of documents, best first, and their scores."""


def asked_only(queries: pd.DataFrame, found: Sequence[Found]) -> list[Found]:
    """Return what was found, but nothing for a query of white space, of which a language model has a vector, too."""
    return [
        (documents, scores) if text.strip() else (documents[:0], scores[:0])
        for text, (documents, scores) in zip(queries["query"], found, strict=True)
    ]


def results_frame(queries: pd.DataFrame, found: Sequence[Found], docnos: npt.NDArray[np.object_]) -> pd.DataFrame:
    """Return the columns of `queries`, then ``docno, score, rank``: one row for each document found.

    Args:
        queries: at least one row.
        found: for each query.
        docnos: docno of each document, [n].
    """
    sizes = [len(documents) for documents, _ in found]
    # By position: the index of a frame put together from several repeats its labels.
    out = queries.iloc[np.repeat(np.arange(len(queries)), sizes)].reset_index(drop=True)
    documents = np.concatenate([documents for documents, _ in found])
    out["docno"] = pd.Series(docnos[documents], dtype=str)
    out["score"] = np.concatenate([scores for _, scores in found]).astype(np.float64)
    out["rank"] = np.concatenate([np.arange(size, dtype=np.int64) for size in sizes])
    return out
