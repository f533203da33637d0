"""Rerankers behind an endpoint ``/rerank``: Cohere, Jina, vLLM and compatible services."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge, Le

from legalir.collections import Collection
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.component import Component
from legalir.frames.ranking import rank_results
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply
from legalir.llm.client import Client, Service
from legalir.llm.endpoint import Endpoint, check_fields
from legalir.progress import progress
from legalir.rerank.pairs import Pair, earlier_ranks, list_pairs, replaced_parts
from legalir.storage.documents import title_and_text


class HostedReranker(Component):
    """Scores each provision of a list with a reranker behind an endpoint ``POST /rerank``.

    [rar-agent] reranks with Jina's jina-reranker-v2-base-multilingual.

    A request has the question and the provisions of its list, each as title, newline, text; in order of the texts, so
    that the order of the list changes nothing. The reply has a score for each; scores are as the endpoint gives them,
    mostly in [0, 1]. A reply is stored in the client's cache, and the same list is not sent again.

    A request without a reply, or a reply with a missing or non-finite score, is an error: a list with
    scores of two kinds would mean nothing. A new run requests only scores that are not stored.

    A question of white space is not sent, and its provisions score 0.

    Columns in: ``qid, query, docno``, and ``title, text`` if `texts` is not given. Columns out: the same, ``score`` and
    ``rank``; an earlier score is replaced.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: the address or the name of the variable is wrong, or the host is not allowed.
    """

    name = "rerank"
    model: Annotated[str, "name of the model there"]
    base_url: Annotated[str, "address before ``/rerank``, such as ``https://api.cohere.com/v2``"]
    texts: Annotated[
        Collection | Mapping[str, str] | None,
        "a collection, or the text of each docno, for frames without a column ``text``",
    ] = None
    key: Annotated[
        str | None,
        "name of the environment variable with the key; it ends in ``_API_KEY``. None sends none",
    ] = None
    fields: Annotated[
        Mapping[str, object] | None,
        'further fields of a request, such as ``{"return_documents": False}`` for Jina',
    ] = None
    max_characters: Annotated[
        int | None,
        Ge(1),
        "maximum number of characters sent per provision; None sends all",
    ] = None
    batch: Annotated[
        int,
        Ge(1),
        Le(10000),
        "maximum number of provisions of a request; a longer list takes several",
    ] = 100
    timeout: Annotated[float, "seconds after which a request without a reply fails"] = 120
    retries: Annotated[int, "number of further tries after a lost connection, a time-out, 429 and 5xx"] = 4
    concurrency: Annotated[int, Ge(1), Le(1000), "number of requests that may be under way at once"] = 8
    client: Annotated[Client | None, "asks and stores; None for a new one"] = None

    def __post_init__(self) -> None:
        self.fields = self._fields = check_fields("rerank", "fields", self.fields, ("model", "query", "documents"))
        self.client = self._client = self.client or Client()
        self._endpoint = Endpoint(self.base_url, self.key, self.timeout, self.retries, component="rerank")
        self._service = Service(self.model, self._endpoint.host, self.concurrency, self._endpoint.ready)
        self._client.allow(self._service)

    @property
    def label(self) -> str:
        """The component as in an expression, with the name of the model."""
        return f"rerank({self.model})"

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        self._validate(inp)
        out = inp.iloc[:0].copy()
        return out.assign(score=pd.Series(dtype=np.float64), rank=pd.Series(dtype=np.int64))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `inp` with new scores and ranks.

        Raises:
            ComponentError: a question is not a string, or a document occurs twice in a list or has no text.
            ModelError: a request got no reply of use, or may not be sent.
        """
        self._validate(inp)
        out = inp.reset_index(drop=True)
        out["score"] = self._scores(out["qid"].tolist(), list_pairs(out, self.texts, "rerank"))
        return rank_results(out)

    def _scores(self, qids: Sequence[str], pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """Return the score of each pair; pairs with one qid are a list."""
        texts = [title_and_text(*pair[1:])[: self.max_characters] for pair in pairs]
        lists: dict[tuple[str, str], set[str]] = {}
        for qid, (query, _, _), text in zip(qids, pairs, texts, strict=True):
            if query.strip():
                lists.setdefault((qid, query), set()).add(text)
        chunks = [
            (qid, query, held[first : first + self.batch])
            for qid, query, held in ((*key, sorted(found)) for key, found in lists.items())
            for first in range(0, len(held), self.batch)
        ]
        requests = [
            ChatRequest(
                (("query", query), *(("document", text) for text in documents)),
                max_tokens=0,
                prompt="rerank",
                settings=self._fields or None,
            )
            for _, query, documents in chunks
        ]
        with progress(f"Reranking by {self.model}", len(requests)) as advance:
            replies = self._client.replies(self._service, requests, self._send, advance=advance)
        scores: dict[tuple[str, str], float] = {}
        for (qid, _, documents), reply in zip(chunks, replies, strict=True):
            scores |= {(qid, text): score for text, score in zip(documents, json.loads(reply.text), strict=True)}
        return np.array([scores.get(place, 0.0) for place in zip(qids, texts, strict=True)], dtype=np.float64)

    def _send(self, requests: Sequence[ChatRequest]) -> list[ChatReply]:
        """Return the reply to one request: a JSON list with the score of each of its documents.

        Raises:
            FailedReply: there is no reply, or it is unusable.
        """
        ((_, query), *documents) = requests[0].messages
        body = {"model": self.model, "query": query, "documents": [text for _, text in documents], **self._fields}
        reply, seconds = self._endpoint.post("/rerank", body)
        scores = read_scores(reply, len(documents))
        assert isinstance(reply, Mapping)  # read_scores has read it.
        text = json.dumps(scores)
        return [ChatReply(text, model=str(reply.get("model") or ""), prompt_tokens=_tokens(reply), seconds=seconds)]

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return for each docno of the list the endpoint's score, and the earlier one, which is replaced."""
        out = self.transform(inp)
        scores = dict(zip(out["docno"], out["score"].tolist(), strict=True))
        before = earlier_ranks(inp)
        listed = [docno for docno in docnos if docno in scores]
        origins = upstream(listed)
        explanations = {}
        for docno in listed:
            part = Part(f"score by {self.model} on {self._endpoint.host}", scores[docno])
            parts = (part, *replaced_parts(docno, before, origins))
            explanations[docno] = Explanation(docno, scores[docno], self.label, parts)
        return explanations

    def _validate(self, inp: pd.DataFrame) -> None:
        columns = ["qid", "query", "docno", *(["text"] if self.texts is None else [])]
        pt.validate.columns(inp, includes=columns)


def read_scores(body: Any, n: int) -> list[float]:
    """Return the score of each of `n` documents in the JSON of an endpoint, ``{"results": [{"index", …}]}``.

    Raises:
        FailedReply: a document has no score, two scores, or a score that is not finite.
    """
    try:
        scores = {row["index"]: row["relevance_score"] for row in body["results"]}
        rows = len(body["results"])
    except (LookupError, TypeError, AttributeError):
        raise FailedReply("invalid", "the reply holds no results with index and relevance_score") from None
    if rows != n or set(scores) != set(range(n)):
        raise FailedReply("invalid", f"the reply has {rows} results, and there were {n} documents")
    for score in scores.values():
        if type(score) not in (int, float) or not math.isfinite(score):
            raise FailedReply("invalid", f"the reply has the score {str(score)[:20]!r}, which is not a finite number")
    return [float(scores[number]) for number in range(n)]


def _tokens(reply: Mapping[str, Any]) -> int:
    """Return the number of tokens that the endpoint reports; Cohere reports searches instead, which count as none."""
    usage = reply.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, Mapping) else 0
    return tokens if isinstance(tokens, int) and tokens > 0 else 0
