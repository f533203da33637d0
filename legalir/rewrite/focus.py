"""Focus on the end of a long question, which tells a story first and then asks."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Annotated

import pandas as pd
import pyterrier as pt
import regex
from annotated_types import Ge, Le

from legalir.contract import factory_of
from legalir.frames.columns import QUERY_PARTS, push_queries, whole_characters
from legalir.frames.component import Component

if TYPE_CHECKING:
    from collections.abc import Sequence

    from legalir.explanation import Explanation, Upstream

_ALPHABET = regex.compile(
    r"[\p{L}--[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]", regex.V1
)


def length_of(query: str) -> float:
    """Return the length of a question in characters, of which a letter of an alphabet counts as a third.

    200 characters of Hangul, Han or Thai express as much as 450 of English or Vietnamese, which are about 75 words.
    """
    return len(query) - 2 / 3 * len(_ALPHABET.findall(query))


_REACH = 20
"""Characters that a cut may move to the next white space."""


def end_of(query: str, over: int, share: float) -> str:
    """Return the last `share` of a question in NFC without white space around it, if its length is more than `over`.

    Else the result is empty. For the length see :func:`length_of`. The cut moves to the next white space, where one is
    near, so that no word is cut. The same question in NFD, with more characters, has the same end.
    """
    query = unicodedata.normalize("NFC", query).strip()
    if length_of(query) <= over:
        return ""
    cut = int((1 - share) * len(query))
    space = next((i for i in range(cut, min(cut + _REACH, len(query))) if query[i].isspace()), cut)
    return query[space:].strip()


class Focus(Component):
    """Lets the end of a long question count more: its terms weigh as if they occurred several times.

    Columns in: ``qid, query``. Columns out: the same, the question as it was in ``query_0`` (PyTerrier's convention for
    rewritten queries); with `vectors` the same and ``query_parts``, of which dense retrievers search the mean vector.
    Short questions do not change. Measured in ``experiments/CHANGES.md``.
    """

    name = "focus"
    over: Annotated[
        int,
        Ge(0),
        "maximum length of an unchanged question, in characters; a letter of an alphabet counts as a third "
        "(:func:`length_of`)",
    ] = 200
    share: Annotated[
        float,
        Ge(0),
        Le(1),
        "the part of the question, from its end, that counts more; above 0, at most 1",
    ] = 0.3
    times: Annotated[int, Ge(1), Le(100), "number of times that its terms count"] = 3
    vectors: Annotated[
        bool, "for encoders of whole sentences: the vector of the end counts more, and the text stays as it is"
    ] = False

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the queries, rewritten."""
        pt.validate.columns(inp, includes=["qid", "query"])
        texts = [unicodedata.normalize("NFC", whole_characters(str(query))).strip() for query in inp["query"]]
        ends = [end_of(text, self.over, self.share) for text in texts]
        if self.vectors:
            parts = [(text, *([end] * (self.times - 1) if end else [])) for text, end in zip(texts, ends, strict=True)]
            kinds = [tuple(("query", one) for one in each) for each in parts]
            return inp.drop(columns="query_vec", errors="ignore").assign(
                **{QUERY_PARTS: pd.Series(kinds, index=inp.index, dtype=object)}
            )
        out = push_queries(inp)
        rewritten = [
            text + f" {end}" * (self.times - 1) if end else text for text, end in zip(texts, ends, strict=True)
        ]
        return out.assign(query=pd.Series(rewritten, index=out.index, dtype=str))

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no queries, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        if self.vectors:
            return inp.drop(columns="query_vec", errors="ignore").assign(**{QUERY_PARTS: pd.Series(dtype=object)})
        return push_queries(inp).assign(query=pd.Series(dtype=str))

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return nothing: a question has no score."""
        return {}


focus = factory_of(Focus, "Let the end of a long question count more: ``focus(share=0.3) >> bm25``.")
