"""The vectors of queries: those that a frame brings, or those of its texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.columns import require_texts
from legalir.errors import ComponentError
from legalir.index.dense import unit_rows

if TYPE_CHECKING:
    from legalir.retrieve.dense_index import DenseIndex

__all__ = ["check_queries", "query_vectors"]


def check_queries(inp: pd.DataFrame, *columns: str) -> None:
    """Check that a frame has ``qid``, `columns`, and ``query`` or ``query_vec``."""
    with pt.validate.any(inp) as found:
        found.columns(includes=["qid", "query", *columns])
        found.columns(includes=["qid", "query_vec", *columns])


def query_vectors(index: DenseIndex, queries: pd.DataFrame, component: str) -> npt.NDArray[np.float32]:
    """Return the vectors of queries, [m, d], rows of length 1; zeros for a query that says nothing.

    Args:
        index: the dense index.
        queries: one row a query, with ``query_vec`` or ``query``.
        component: for messages.

    Raises:
        ComponentError: a vector does not fit the index, a query is no string, or there is no encoder for it.
    """
    if "query_vec" in queries.columns:
        return unit_rows(np.stack([_checked(index, row.qid, row.query_vec, component) for row in queries.itertuples()]))
    encoder = index.encoder
    if encoder is None:
        raise ComponentError(
            f"{component}: {index.path} was imported without an encoder, so queries need a column query_vec: "
            f"add one, or import the vectors with from_vectors(…, encoder=…)."
        )
    require_texts(queries, component)
    vectors = encoder.encode_queries(queries["query"].tolist())
    if vectors.shape != (len(queries), index.dimensions):
        raise ComponentError(
            f"{component}: the encoder {encoder.name!r} made vectors of shape {list(vectors.shape)}, and "
            f"{index.path} needs {[len(queries), index.dimensions]}: use the encoder that made the index."
        )
    return vectors


def _checked(index: DenseIndex, qid: object, vector: object, component: str) -> npt.NDArray[np.float64]:
    try:
        numbers = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(())
    if numbers.shape != (index.dimensions,):
        raise ComponentError(
            f"{component}: the query_vec of {qid!r} has shape {list(numbers.shape)}, and {index.path} has vectors of "
            f"{index.dimensions} numbers: drop the column query_vec, or make it with this index's query_encoder()."
        )
    if not np.isfinite(numbers).all():
        raise ComponentError(f"{component}: the query_vec of {qid!r} holds a NaN or an infinity.")
    return numbers
