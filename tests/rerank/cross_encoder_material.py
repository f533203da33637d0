"""Provisions and questions for cross-encoders, and a model that counts what it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from legalir.datasets import Provision
from legalir.rerank.cross_encoder import CrossEncoder

QUERIES = (
    "무창층에 배연설비를 설치하여야 하는 자는 누구인가?",
    "Who shall keep the exit doors free?",
    '제12조제3항에서 "관계인"이란 무엇인가',
)
SHORT = (
    "관계인은 무창층에 배연설비를 설치하여야 한다.",
    "The owner shall keep every exit door free of obstacles at all times.",
    "소방시설을 폐쇄하거나 차단한 자는 5년 이하의 징역에 처한다.",
    "Section 12(3) applies to storage of liquids; 제12조제3항을 준용한다.",
    "소방 소방 소방 소방",
    "",
)


def long_text(sentences: int) -> str:
    """Return a text of many different sentences."""
    return " ".join(f"{number}. {SHORT[number % 5]} 제{number * 7 % 31}호." for number in range(sentences))


class Statutes:
    """What a collection does for a reranker."""

    def __init__(self, provisions: Mapping[str, tuple[str, str]], cache: Path | None = None) -> None:
        self.held = {docno: Provision(docno, *of) for docno, of in provisions.items()}
        self.cache = cache

    def __repr__(self) -> str:
        return "Statutes()"

    def provisions(self, docnos: Any) -> dict[str, Provision]:
        return {docno: self.held[docno] for docno in docnos if docno in self.held}


def listed(qid: str, query: str, docnos: Sequence[str]) -> pd.DataFrame:
    """Return a list whose scores descend."""
    return pd.DataFrame(
        {"qid": qid, "query": query, "docno": list(docnos), "score": [9.0 - place for place in range(len(docnos))]}
    )


class Calls:
    """Counts the batches and the pairs that every model is given; after `most` batches, Ctrl-C is pressed."""

    def __init__(self, monkeypatch: Any) -> None:
        self.batches = self.pairs = 0
        self.most: int | None = None
        true = CrossEncoder.logits

        def counted(model: CrossEncoder, pairs: Any) -> Any:
            if self.batches == self.most:
                raise KeyboardInterrupt
            self.batches += 1
            self.pairs += len(pairs)
            return true(model, pairs)

        monkeypatch.setattr(CrossEncoder, "logits", counted)

    def taken(self) -> int:
        """Return the pairs since the last time."""
        pairs, self.pairs, self.batches = self.pairs, 0, 0
        return pairs
