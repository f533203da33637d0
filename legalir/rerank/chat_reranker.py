"""Base of the rerankers that let a chat model order ranked lists: what it reads, what it names, and the frames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from itertools import pairwise
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.collections import Collection
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.ranking import rank_results
from legalir.llm.asking import AsksModel
from legalir.llm.chat import REPLY_STATE
from legalir.rerank.pairs import Pair, earlier_ranks, list_pairs, replaced_parts
from legalir.storage.documents import title_and_text

Order = npt.NDArray[np.int64]

_NUMBER = re.compile(r"\[?(\d{1,6})(?:\.0)?\]?")


def number_of(named: object) -> int | None:
    """Return the number that a model wrote down: ``[3]`` and ``"3"`` are 3; None if it is no number."""
    match = _NUMBER.fullmatch(str(named))
    return int(match[1]) if match else None


def named_places(order: Sequence[object], n: int) -> list[int]:
    """Return the places, from 0 to n − 1, that a model wrote down as numbers from 1, each once, in its order.

    ``[3]`` and ``"3"`` are 3; what is no number from 1 to n is left out.
    """
    numbers = [number for one in order if (number := number_of(one)) is not None]
    return list(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= n))


def prompt_values(pairs: Sequence[Pair], max_characters: int | None = None) -> dict[str, object]:
    """Return question, provisions and their number for a prompt.

    A provision is one numbered line, so that none can look like two.

    Args:
        pairs: question, title and text of each provision of one list.
        max_characters: maximum number of characters that the model reads of a provision; None for all.
    """
    texts = [" ".join(title_and_text(*pair[1:]).split())[:max_characters] for pair in pairs]
    lines = (f"[{number}] {text}" for number, text in enumerate(texts, start=1))
    return {"question": pairs[0][0], "provisions": "\n".join(lines), "n": len(pairs)}


class ChatReranker(AsksModel):
    """Base of a reranker whose order a chat model writes down.

    Columns in: ``qid, query, docno, score``, and ``title, text`` if `texts` is None. Columns out: the same, ``score``,
    ``rank`` and ``reply_state``. The score of place p of n, from 0, is ``1 − p/n``. An earlier ``reply_state`` that is
    not ``ok`` stays.

    A subclass defines in :meth:`_ordered` what it asks.
    """

    name = label = ""
    _: KW_ONLY
    texts: Annotated[
        Collection | Mapping[str, str] | None,
        "a collection, or the text of each docno, for frames without a column ``text``",
    ] = None

    def _ordered(self, lists: Sequence[Order], pairs: Sequence[Pair]) -> list[tuple[Order, str]]:
        """Return the rows of each list in the model's order, at least one, and the state of its reply.

        Args:
            lists: row numbers of each list, best first.
            pairs: query, title and text of each row.
        """
        raise NotImplementedError

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        self._validate(inp)
        out = inp.iloc[:0].copy()
        added = {"score": np.float64, "rank": np.int64, REPLY_STATE: str}
        return out.assign(**{column: pd.Series(dtype=kind) for column, kind in added.items()})

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `inp` in the model's order.

        Raises:
            ComponentError: a question is not a string, or a document occurs twice in a list or has no text.
            ModelError: no request can succeed; see :meth:`legalir.llm.client.Client.ask`.
        """
        self._validate(inp)
        out = rank_results(inp.reset_index(drop=True))
        query = pd.factorize(out["qid"])[0]
        bounds = np.searchsorted(query, np.arange(query[-1] + 2)).tolist()
        lists = [np.arange(start, end) for start, end in pairwise(bounds)]
        ordered = self._ordered(lists, list_pairs(out, self.texts, self.label))
        sizes = np.array([len(rows) for rows, _ in ordered])
        out = out.iloc[np.concatenate([rows for rows, _ in ordered])].reset_index(drop=True)
        out["rank"] = np.concatenate([np.arange(size) for size in sizes])
        out["score"] = 1 - out["rank"] / np.repeat(sizes, sizes)
        own = pd.Series(np.repeat([state for _, state in ordered], sizes), dtype=str)
        earlier = out[REPLY_STATE] if REPLY_STATE in out.columns else own
        out[REPLY_STATE] = own.where(earlier.isna() | (earlier == "ok"), earlier)
        return out

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return for each docno of the list its place, and the earlier rank and score, which are replaced."""
        out = self.transform(inp)
        places = dict(zip(out["docno"], zip(out["rank"].tolist(), out["score"].tolist(), strict=True), strict=True))
        before = earlier_ranks(inp)
        listed = [docno for docno in docnos if docno in places]
        origins = upstream(listed)
        explanations = {}
        for docno in listed:
            place, score = places[docno]
            state = out[REPLY_STATE].iloc[0]
            who = "by the model" if state == "ok" else f"as before ({state})"
            detail: dict[str, object] = {"place": place + 1, "of": len(out)}
            part = Part(f"place {place + 1} of {len(out)} {who}", score, None, detail)
            parts = (part, *replaced_parts(docno, before, origins))
            explanations[docno] = Explanation(docno, score, self.label, parts, "1 − (place − 1)/n")
        return explanations

    def _validate(self, inp: pd.DataFrame) -> None:
        columns = ["qid", "query", "docno", "score", *(["text"] if self.texts is None else [])]
        pt.validate.columns(inp, includes=columns)


def is_silent(pair: Pair) -> bool:
    """Return True if a question consists only of punctuation."""
    return not any(map(str.isalnum, pair[0]))
