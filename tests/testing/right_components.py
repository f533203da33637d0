"""A right component of each role: small, without an index, and holding to all that the kit asks."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.answer.generator import Generator
from legalir.answer.judges import Judge, Judged, Verdict
from legalir.declared import check_number
from legalir.errors import ComponentError
from legalir.frames.columns import drop_results, empty_like
from legalir.frames.component import Component
from legalir.frames.ranking import rank_results
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply


def parts(text: str) -> list[str]:
    """Return pairs of neighbouring letters of each word, in NFC."""
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text).lower())
    return [word[place : place + 2] for word in words for place in range(max(1, len(word) - 1))]


class Overlap(Component):
    """Scores a document by the parts that it shares with a question."""

    def __init__(self, collection: Any, num_results: int = 1000) -> None:
        self.collection = collection
        check_number("it", "num_results", num_results, low=1, integer=True)
        self.num_results = num_results
        self.documents = {doc.doc_id: set(parts(self.indexed(doc))) for doc in collection.docs()}

    def indexed(self, doc: Any) -> str:
        return str(doc.default_text())

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query"])
        found = []
        for row in drop_results(inp).to_dict("records"):
            wanted = set(parts(row["query"]))
            for name, held in self.documents.items():
                if shared := len(wanted & held):
                    found.append({**row, "docno": name, "score": float(shared), "rank": 0})
        if not found:
            return empty_like(inp)
        out = rank_results(pd.DataFrame(found))
        return out[out["rank"] < self.num_results].reset_index(drop=True)


def overlap(collection: Any, *, num_results: int = 1000) -> Overlap:
    """The right retriever; `num_results` is the most that a question gets."""
    return Overlap(collection, num_results)


class Best(Component):
    """Fuses by the best score of a document."""

    def __init__(self, pipelines: tuple[Any, ...], num_results: int = 1000) -> None:
        self.pipelines = pipelines
        check_number("it", "num_results", num_results, low=1, integer=True)
        self.num_results = num_results

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        found = [pipeline.transform(inp.copy()) for pipeline in self.pipelines]
        found = [frame for frame in found if len(frame)]
        if not found:
            return self.empty(inp)
        out = pd.concat(found, ignore_index=True)
        out["score"] = out.groupby(["qid", "docno"])["score"].transform("max")
        out = rank_results(out.drop_duplicates(["qid", "docno"]))
        return out[out["rank"] < self.num_results].reset_index(drop=True)


def best(collection: Any, *pipelines: Any, num_results: int = 1000) -> Best:
    return Best(pipelines, num_results)


class Squared(Component):
    """Ranks by the square of the score."""

    def __init__(self, num_results: int = 1000) -> None:
        check_number("it", "num_results", num_results, low=1, integer=True)
        self.num_results = num_results

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "score"])
        return inp.iloc[:0].assign(score=pd.Series(dtype=np.float64), rank=pd.Series(dtype=np.int64))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "score"])
        out = rank_results(inp.assign(score=inp["score"] ** 2))
        return out[out["rank"] < self.num_results].reset_index(drop=True)


def squared(collection: Any, *, left: Any = None, num_results: int = 1000) -> Squared:
    return Squared(num_results)


class Shout(Component):
    """Rewrites a question: all of it in capitals, and in NFC."""

    def __init__(self) -> None:
        pass

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        return self.apply(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query"])
        out = pt.model.push_queries(drop_results(inp))
        loud = [unicodedata.normalize("NFC", text).upper() for text in out["query_0"]]
        return out.assign(query=pd.Series(loud, index=out.index, dtype=str))


def shout(collection: Any, *, left: Any = None) -> Shout:
    return Shout()


class First(Generator):
    """Answers with the best provision's docno."""

    name = "first"

    def __init__(self) -> None:
        pass

    def answer(self, query: str, docnos: Sequence[str]) -> str:
        return f"[{docnos[0]}]"


def first(collection: Any, *, left: Any = None) -> First:
    return First()


class Brief(Judge):
    """Asks whether an answer is at most twice as long as the reference answer."""

    name = "brief"
    columns = ("brief",)
    of_silence: ClassVar[Mapping[str, float]] = {"brief": 0.0}

    def __init__(self) -> None:
        pass

    def verdict(self, answer: Judged) -> Verdict:
        return Verdict({"brief": float(len(answer.text) <= 2 * len(answer.reference))})


def brief(collection: Any, *, left: Any = None) -> Brief:
    return Brief()


class Pairs:
    """An analyzer of neighbouring letters."""

    def __init__(self, least: int = 1) -> None:
        self.least = least
        self.name = "pairs" if least == 1 else f"pairs(least={least})"
        self.fingerprint = hashlib.sha256(f"pairs {least}".encode()).hexdigest()

    def terms(self, text: str) -> list[str]:
        return [part for part in parts(text) if len(part) >= self.least]


def pairs(collection: Any, least: int = 1) -> Pairs:
    if least > 2:
        raise ComponentError("pairs: no term is longer than 2.")
    return Pairs(least)


class Hashed:
    """An encoder: counts of parts, hashed to a fixed number of columns."""

    name = "hashed"

    def __init__(self, dimensions: int = 32) -> None:
        self.dimensions = dimensions
        self.fingerprint = hashlib.sha256(f"hashed {dimensions}".encode()).hexdigest()

    def encode(self, texts: Sequence[str]) -> Any:
        out = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for part, count in sorted(Counter(parts(text)).items()):
                place = int(hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest(), 16)
                out[row, place % self.dimensions] += count
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)

    def encode_queries(self, texts: Sequence[str]) -> Any:
        return self.encode(texts)


def hashed(collection: Any, dimensions: int = 32) -> Hashed:
    return Hashed(dimensions)


class Register:
    """A source of three provisions."""

    name = "register"

    def provisions(self) -> Iterator[dict[str, str]]:
        yield {"docno": "a-1", "title": "Article 1", "text": "A raft has a lamp.", "effective_from": "2030-01-01"}
        yield {"docno": "a-2", "text": "A lamp is lit at night.", "effective_to": "2031-01-01"}
        yield {"docno": "a-3", "text": "", "law": "Raft Act"}

    def links(self) -> Iterator[tuple[str, str, str]]:
        yield "a-1", "a-2", "cites"


def register(collection: Any) -> Register:
    return Register()


class Echo:
    """A chat model that says the first words of the last message again."""

    name, host, concurrency = "echo", "", 2

    def chat(self, request: ChatRequest) -> ChatReply:
        words = request.messages[-1][1].split()
        if not words:
            raise FailedReply("empty", "there are no words")
        said = words[: request.max_tokens]
        return ChatReply(" ".join(said), "stop" if said == words else "length", "echo", 7, len(said), 0.5)


def echo(collection: Any) -> Echo:
    return Echo()


def threads(collection: Any) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2)
