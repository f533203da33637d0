"""What makes up a cosine: the terms of the query, where the encoder can tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from legalir.analysis.readable import readable
from legalir.encode.encoder import TermEncoder
from legalir.explanation import Explanation, Part
from legalir.retrieve.cosine import pair_cosines
from legalir.retrieve.query_vectors import query_vectors

if TYPE_CHECKING:
    from legalir.retrieve.dense import DenseRetriever

__all__ = ["explain_cosines"]


def explain_cosines(retriever: DenseRetriever, query: pd.DataFrame, docnos: Sequence[str]) -> dict[str, Explanation]:
    """Return what the terms of a query add to its cosines with `docnos`.

    Args:
        retriever: the retriever.
        query: one row.
        docnos: documents of the index.
    """
    index = retriever.index
    numbers = index.known.numbers(docnos)
    vector = query_vectors(index, query, type(retriever).__name__)
    scores = pair_cosines(index.vectors, numbers, vector, np.zeros(len(numbers), dtype=np.int64))
    encoder = None if "query_vec" in query.columns else index.encoder
    found = {}
    for docno, number, score in zip(docnos, numbers, scores.tolist(), strict=True):
        if isinstance(encoder, TermEncoder):
            row = index.vectors[number].astype(np.float32)
            added = encoder.contributions(query["query"].iloc[0], row)
            ordered = sorted(added.items(), key=lambda item: (-item[1], item[0]))
            parts = tuple(Part(readable(term), value, detail={"term": term}) for term, value in ordered)
        else:
            parts = (Part("cosine of the query's vector with the provision's", score),)
        found[docno] = Explanation(docno, score, retriever.label, parts, "cosine of vectors")
    return found
