"""Pairs of a question and a provision, which rerankers read, and the earlier ranks in their explanations."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from legalir.collections import Collection
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part
from legalir.frames.columns import query_rows, require_texts
from legalir.frames.ranking import rank_results

Pair = tuple[str, str, str]
"""Query, title and text."""


def list_pairs(inp: pd.DataFrame, texts: Collection | Mapping[str, str] | None, component: str) -> list[Pair]:
    """Return query, title and text of each row, in NFC and with whole characters.

    Args:
        inp: with ``qid, query, docno``, and perhaps ``title, text``.
        texts: a lookup of provisions, or the text of each docno; None if the frame has all texts.
        component: name of the component, for errors.

    Raises:
        ComponentError: a question is not a string, or a document occurs twice in a list or has no text anywhere.
    """
    query = pd.factorize(inp["qid"])[0]
    queries = query_rows(inp, np.unique(query, return_index=True)[1])
    require_texts(queries, component)
    if (twice := inp.duplicated(["qid", "docno"])).any():
        row = inp[twice].iloc[0]
        raise ComponentError(f"{component}: {row['docno']!r} occurs twice in the list of query {row['qid']!r}.")
    asked = [_readable(text) for text in queries["query"]]
    provisions = _provision_texts(inp, texts, component)
    return [
        (asked[number], _readable(title), _readable(text))
        for number, (title, text) in zip(query, provisions, strict=True)
    ]


def _provision_texts(
    frame: pd.DataFrame, texts: Collection | Mapping[str, str] | None, component: str
) -> list[tuple[str, str]]:
    """Return title and text of each row: of its columns ``title`` and ``text``, else from `texts`."""
    docnos = frame["docno"].tolist()
    own = frame["text"].tolist() if "text" in frame.columns else [None] * len(frame)
    titles = frame["title"].tolist() if "title" in frame.columns else [None] * len(frame)
    missing = [docno for docno, text in zip(docnos, own, strict=True) if not isinstance(text, str)]
    looked_up = look_up(list(dict.fromkeys(missing)), texts, component) if missing else {}
    return [
        (title if isinstance(title, str) else "", text) if isinstance(text, str) else looked_up[docno]
        for docno, title, text in zip(docnos, titles, own, strict=True)
    ]


def look_up(
    docnos: Sequence[str], texts: Collection | Mapping[str, str] | None, component: str
) -> dict[str, tuple[str, str]]:
    """Return title and text of provisions by docno.

    Args:
        docnos: the provisions.
        texts: the collection, or the text of each docno.
        component: name of the component, for errors.

    Raises:
        ComponentError: there are no texts, or not of one of `docnos`.
    """
    if texts is None:
        raise ComponentError(
            f"{component}: the provision {docnos[0]!r} has no text: give a column 'text', or texts=… to take it from."
        )
    by_docno: dict[str, tuple[str, str]]
    if isinstance(texts, Mapping):
        by_docno = {docno: ("", texts[docno]) for docno in docnos if docno in texts}
    else:
        by_docno = {docno: (one.title, one.text) for docno, one in texts.provisions(docnos).items()}
    for docno in docnos:
        if docno not in by_docno:
            where = "the given texts" if isinstance(texts, Mapping) else repr(texts)
            raise ComponentError(f"{component}: there is no provision {docno!r} in {where}.")
    return by_docno


def _readable(text: str) -> str:
    """Return a text in NFC, with ``?`` for half of a surrogate pair."""
    return unicodedata.normalize("NFC", text).encode("utf-8", "replace").decode("utf-8")


def earlier_ranks(inp: pd.DataFrame) -> dict[str, tuple[int, float]]:
    """Return earlier rank, from 1, and score of each document of a list; none if the list has no scores."""
    if "score" not in inp.columns:
        return {}
    ranked = rank_results(inp)
    scores = ranked["score"].astype(float).tolist()
    return {docno: (number, scores[number - 1]) for number, docno in enumerate(ranked["docno"].tolist(), start=1)}


def replaced_parts(
    docno: str, before: Mapping[str, tuple[int, float]], origins: Mapping[str, Explanation]
) -> tuple[Part, ...]:
    """Return a part of 0 that shows the earlier rank and score of a document, and where they come from.

    Args:
        docno: the document.
        before: as :func:`earlier_ranks` returns them; without the document, there is no part.
        origins: explanations of the earlier scores.
    """
    if docno not in before:
        return ()
    rank, earlier = before[docno]
    detail = {"rank": rank, "score": earlier}
    return (Part(f"rank {rank} before ({earlier:.4g}), replaced", 0.0, origins.get(docno), detail),)
