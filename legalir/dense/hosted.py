"""Encoders behind an OpenAI-compatible endpoint ``/embeddings``: OpenAI's, vLLM's, Ollama's, Jina's."""

from __future__ import annotations

import base64
import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Le

from legalir.contract import factory_of
from legalir.declared import Declared
from legalir.dense.contract import Vectors
from legalir.errors import ModelError
from legalir.frames.columns import whole_characters
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply
from legalir.llm.client import Client, Service
from legalir.llm.endpoint import Endpoint, check_fields
from legalir.models.presets import log_cut
from legalir.spec import write_spec
from legalir.storage.arrays import unit_rows
from legalir.storage.digest import digest

_VERSION = "hosted/1"
_STORED = np.dtype("<f4")
_LARGEST = float(np.finfo(_STORED).max)


class HostedEncoder(Declared):
    """Encodes with a model behind an endpoint ``POST /embeddings`` that OpenAI's clients can ask.

    [rar-agent] searches with OpenAI's text-embedding-3-large, [nitibench] with Cohere's and Jina's encoders.

    A vector is scaled to length 1. A text of white space has a vector of zeros and is not sent. Texts are put into NFC
    first. Each vector is stored in the client's cache under the model's name, the text and the settings, as soon as its
    batch is there: no text is paid for twice, in whatever batch it was.

    A request that got no reply, or one with another number of vectors, another dimension, or a number that is not
    finite, is an error, because an index must contain every provision; a new run requests only vectors not yet stored.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: the address or the name of the variable is wrong, or the host is not allowed.
    """

    component = "openai"

    model: Annotated[str, "name of the model there"]
    _: KW_ONLY
    base_url: Annotated[str | None, "address before ``/embeddings``; None for ``$OPENAI_BASE_URL``, else OpenAI's"] = (
        None
    )
    key: Annotated[str | None, "name of the environment variable with the key; it ends in ``_API_KEY``"] = None
    dimensions: Annotated[int | None, Ge(1), "requested length of the vectors; None for the model's own"] = None
    query_prompt: Annotated[str, "text put before a query"] = ""
    document_prompt: Annotated[str, "text put before a document"] = ""
    query_fields: Annotated[
        Mapping[str, object] | None,
        'further fields of a request for queries, such as ``{"task": "retrieval.query"}`` for Jina',
    ] = None
    document_fields: Annotated[Mapping[str, object] | None, "the same for documents"] = None
    max_characters: Annotated[
        int | None, Ge(1), "maximum number of characters sent per text, including the prompt; None sends all"
    ] = None
    batch: Annotated[int, Ge(1), Le(2048), "number of texts of a request"] = 32
    timeout: Annotated[float, Ge(0.001), "seconds after which a request without a reply fails"] = 120
    retries: Annotated[
        int, Ge(0), Le(20), "number of further tries after a lost connection, a time-out, 429 and 5xx"
    ] = 4
    concurrency: Annotated[int, Ge(1), Le(1_000), "number of requests that may be under way at once"] = 8
    client: Annotated[Client | None, "asks and stores; None for a new one"] = None

    def __post_init__(self) -> None:
        self._endpoint = Endpoint(self.base_url, self.key, self.timeout, self.retries)
        self._service = Service(self.model, self._endpoint.host, self.concurrency, self._endpoint.ready)
        self._client = self.client or Client()
        self._client.allow(self._service)
        own = {} if self.dimensions is None else {"dimensions": self.dimensions}
        fields = {"query": self.query_fields, "document": self.document_fields}
        self._fields = {
            task: {**check_fields("openai", f"{task}_fields", given, ("model", "input", "encoding_format")), **own}
            for task, given in fields.items()
        }
        self._prompts = {"query": self.query_prompt, "document": self.document_prompt}
        self._dimensions = self.dimensions
        self._lock = threading.Lock()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostedEncoder) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"HostedEncoder({self.name!r})"

    @property
    def name(self) -> str:
        """The call that makes this encoder again."""
        place = {"base_url": self.base_url, "key": self.key}
        place = {name: value for name, value in place.items() if value}
        return write_spec("openai", {"model": self.model, **place, **self._decisive})

    @property
    def _decisive(self) -> dict[str, Any]:
        """The settings that change vectors, by name; empty ones are left out."""
        names = ("dimensions", "query_prompt", "document_prompt", "query_fields", "document_fields", "max_characters")
        return {name: value for name in names if (value := getattr(self, name))}

    @property
    def fingerprint(self) -> str:
        """Hex digest of the model's name and all that changes vectors; the host is not in it."""
        return digest([_VERSION, self.model, self._decisive])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents, float32 [n, d], rows of length 1, or 0 for a text of white space.

        Raises:
            ModelError: a request got no reply of use, or may not be sent.
        """
        return self.encode_counted(texts, lambda done: None)

    def encode_counted(self, texts: Sequence[str], advance: Callable[[int], None]) -> Vectors:
        """Return what :meth:`encode` returns; call `advance` with the number of further texts that are done."""
        return self._encode(texts, "document", advance)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, as :meth:`encode`."""
        return self._encode(texts, "query", lambda done: None)

    def _encode(
        self, texts: Sequence[str], task: Literal["query", "document"], advance: Callable[[int], None]
    ) -> Vectors:
        composed = [unicodedata.normalize("NFC", whole_characters(text)) for text in texts]
        filled = [number for number, text in enumerate(composed) if text.strip()]
        advance(len(composed) - len(filled))
        if not filled and self._dimensions is None:
            self._vectors(["."], task, lambda done: None)  # Only a vector shows the dimension.
        if self.max_characters is not None:
            room = self.max_characters - len(self._prompts[task])
            cut = sum(len(composed[number]) > room for number in filled)
            log_cut(self.model, task, cut, len(filled), self.max_characters, "characters")
        rows = self._vectors([composed[number] for number in filled], task, advance)
        out = np.zeros((len(composed), self._dimensions or 0), dtype=np.float32)
        if filled:
            out[filled] = unit_rows(np.stack(rows))
        return out

    def _vectors(self, texts: Sequence[str], task: str, advance: Callable[[int], None]) -> list[Vectors]:
        fields = self._fields[task]
        requests = [
            ChatRequest(
                (("input", (self._prompts[task] + text)[: self.max_characters]),),
                max_tokens=0,
                prompt="embeddings",
                settings=fields or None,
            )
            for text in texts
        ]
        replies = self._client.replies(self._service, requests, self._send, size=self.batch, advance=advance)
        rows = [np.frombuffer(base64.b64decode(reply.text), dtype=_STORED) for reply in replies]
        for row in rows:
            self._check_dimension(len(row))
        return rows

    def _check_dimension(self, dimension: int) -> None:
        with self._lock:
            self._dimensions = self._dimensions or dimension
        if dimension != self._dimensions:
            raise ModelError(
                f"openai: {self.model} gave vectors of {self._dimensions} and of {dimension} numbers: check "
                f"the model, and whether it takes dimensions=…"
            )

    def _send(self, requests: Sequence[ChatRequest]) -> list[ChatReply]:
        """Return the reply to each of several requests, which are sent as one.

        Raises:
            FailedReply: there is no reply, or it is unusable.
        """
        texts = [text for request in requests for _, text in request.messages]
        body = {
            "model": self.model,
            "input": texts,
            "encoding_format": "base64",
            **(requests[0].settings or {}),
        }
        reply, seconds = self._endpoint.post("/embeddings", body)
        rows = read_embeddings(reply, len(texts))
        for row in rows:
            self._check_dimension(len(row))
        assert isinstance(reply, Mapping)  # read_embeddings has read it.
        spent = _shares(_tokens(reply), texts)
        return [
            ChatReply(
                base64.b64encode(row.tobytes()).decode(),
                model=str(reply.get("model") or ""),
                prompt_tokens=tokens,
                seconds=seconds / len(rows),
            )
            for row, tokens in zip(rows, spent, strict=True)
        ]


def read_embeddings(body: Any, n: int) -> list[npt.NDArray[np.float32]]:
    """Return the vector of each of `n` texts in the JSON of an endpoint: lists of numbers, or base64 of float32.

    Raises:
        FailedReply: the number of vectors is wrong, or a vector is empty or not finite.
    """
    try:
        rows = sorted(body["data"], key=lambda row: row.get("index", 0))
        places = [row.get("index", place) for place, row in enumerate(rows)]
        vectors = [_numbers(row["embedding"]) for row in rows]
    except (LookupError, TypeError, ValueError, AttributeError):
        raise FailedReply("invalid", "the reply holds no embeddings") from None
    if len(rows) != n or places != list(range(n)):
        raise FailedReply("invalid", f"the reply has {len(rows)} vectors, and there were {n} texts")
    for vector in vectors:
        # Also false for a NaN.
        if vector.ndim != 1 or not vector.size or not (np.abs(vector) <= _LARGEST).all():
            raise FailedReply("invalid", "the reply has a vector that is empty, or with a number that is not finite")
    return [vector.astype(_STORED) for vector in vectors]


def _numbers(embedding: object) -> npt.NDArray[Any]:
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype=_STORED)
    if not isinstance(embedding, list) or any(type(number) not in (int, float) for number in embedding):
        raise TypeError
    return np.array(embedding, dtype=np.float64)


def _tokens(reply: Mapping[str, Any]) -> int:
    usage = reply.get("usage")
    tokens = (usage.get("prompt_tokens") or usage.get("total_tokens")) if isinstance(usage, Mapping) else 0
    return tokens if isinstance(tokens, int) and tokens > 0 else 0


def _shares(tokens: int, texts: Sequence[str]) -> list[int]:
    """Divide the tokens of a request among its texts by their lengths; the shares add up."""
    ends = np.cumsum([0, *(len(text) for text in texts)])
    return np.diff(tokens * ends // max(int(ends[-1]), 1)).tolist()  # type: ignore[no-any-return]


openai_encoder = factory_of(
    HostedEncoder,
    """Any encoder behind an OpenAI-compatible endpoint: ``dense("openai(model='text-embedding-3-large')")``.""",
    client=lambda collection: None if collection is None else collection.client,
)
