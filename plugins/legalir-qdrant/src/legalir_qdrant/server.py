"""A Qdrant server or cluster, by qdrant-client.

Points of one kind of vectors stand in one collection of the server; a *part* of it contains the points of one corpus.
Without a tenant, each corpus has a collection of its own; with tenants, all of them share one. A part is complete when
the metadata of the collection name it, which is the last thing written. Two machines that store the same at once make
two parts, and each searches its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, ComponentError, DataError, LegalIRError, MissingExtra
from legalir.extend import check_number

__all__ = ["API_KEY", "Server"]

API_KEY = "LEGALIR_QDRANT_API_KEY"
"""Environment variable of the key; it is read for each request, and shown nowhere."""

FORMAT = 1
"""Version of what is stored on a server."""

_AT_ONCE, _MOST_IDS = 64, 20_000
"""Most questions of a request, and numbers of a question: together 26 MB, below the 32 MB that a server takes."""

_PART_BITS = 32


class Server:
    """A Qdrant server or cluster.

    Args:
        url: its address, such as ``http://localhost:6333``.
        tenant: separates the provisions from other tenants' provisions, in one shared collection; empty for a
            collection of their own.
        shards: number of shards of a collection that is made, over which a cluster spreads it, at least 1.
        replicas: number of copies of each shard, at least 1.
        timeout: seconds that an answer may take, at least 1.

    Raises:
        ComponentError: a parameter is out of range, or the address holds a password.
    """

    _connection: tuple[int, Any] | None = None
    PARAMETERS: ClassVar = ("tenant", "shards", "replicas", "timeout")

    def __init__(self, url: str, tenant: str = "", shards: int = 1, replicas: int = 1, timeout: float = 30) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ComponentError("qdrant: url is not of the form http://host:6333 or https://host:6333.")
        if parts.username is not None or parts.password is not None or parts.query:
            raise ComponentError(f"qdrant: url holds a user, password or key: leave it out, and set {API_KEY} instead.")
        if not isinstance(tenant, str) or not re.fullmatch(r"[\w.-]{0,64}", tenant):
            raise ComponentError(f"qdrant: tenant={tenant!r} is not at most 64 letters, digits, '.', '_' and '-'.")
        check_number("qdrant", "shards", shards, low=1, integer=True)
        check_number("qdrant", "replicas", replicas, low=1, integer=True)
        check_number("qdrant", "timeout", timeout, low=1)
        self.url, self.tenant, self.shards, self.replicas, self.timeout = url, tenant, shards, replicas, timeout

    @classmethod
    def of(cls, url: str | None, params: Mapping[str, Any]) -> Self | None:
        """Return the server at `url`; None without one.

        Raises:
            ComponentError: there are parameters of a server, and no server.
        """
        if url is not None:
            return cls(url, **params)
        if params:
            raise ComponentError(f"qdrant: {', '.join(params)} needs a server: give url, or leave it out.")
        return None

    @property
    def settings(self) -> dict[str, Any]:
        """Where the points are."""
        return {"name": self.url, "tenant": self.tenant}

    def __repr__(self) -> str:
        return f"Server({self.url!r}, tenant={self.tenant!r})"

    def __getstate__(self) -> dict[str, Any]:
        # A connection and its key stay in this process.
        return {name: value for name, value in self.__dict__.items() if name != "_connection"}

    @property
    def _client(self) -> Any:
        """The connection with the key that is set now."""
        key = os.environ.get(API_KEY) or None
        if self._connection is None or self._connection[0] != hash(key):
            self._connection = hash(key), self._connect(key)
        return self._connection[1]

    def _connect(self, key: str | None) -> Any:
        try:
            from qdrant_client import QdrantClient
        except ImportError as error:
            raise MissingExtra("qdrant needs the package 'qdrant-client': pip install legalir-qdrant") from error
        with warnings.catch_warnings():
            if urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1"):
                warnings.simplefilter("ignore")  # A key without encryption is safe on this machine.
            return QdrantClient(
                url=self.url,
                api_key=key,
                timeout=round(self.timeout),
                check_compatibility=False,
            )

    @contextlib.contextmanager
    def _plainly(self, name: str) -> Iterator[None]:
        """Turn what fails on the way to the server, or there, into one sentence.

        Raises:
            ArtifactError: the collection of this name is gone, or of other vectors.
            DataError: the server does not answer, refuses the key, or failed.
        """
        from httpx import TimeoutException
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        try:
            yield
        except ResponseHandlingException as error:
            source = error.source
            if isinstance(source, TimeoutException):
                raise DataError(
                    f"Qdrant at {self.url} gave no answer within {self.timeout:g} s: try again, or raise timeout."
                ) from None
            raise DataError(
                f"Qdrant at {self.url} cannot be reached ({_line(source)}): start it, or correct url, and try again."
            ) from None
        except UnexpectedResponse as error:
            raise self._refused(error, name) from None

    def _refused(self, error: Any, name: str) -> LegalIRError:
        status, reason = error.status_code, _reason(error)
        if status in (401, 403):
            wrong = "refuses the key" if os.environ.get(API_KEY) else "wants a key"
            return DataError(f"Qdrant at {self.url} {wrong}: set {API_KEY} to one that it accepts.")
        if status == 404:
            return ArtifactError(
                f"Qdrant at {self.url} has no collection {name} any more: remove the directory of the index, "
                f"and it is stored again."
            )
        if status is not None and 400 <= status < 500:
            return ArtifactError(f"Qdrant at {self.url} refuses what is asked of {name} ({reason}).")
        return DataError(
            f"Qdrant at {self.url} failed ({status}: {reason}): a shard of {name} may be missing, and a part of the "
            f"results is not taken for all; bring the nodes up, and try again."
        )

    def store(self, vectors: str, facts: Mapping[str, Any], batches: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Store points, unless the server holds the same ones; return what names them there.

        Args:
            vectors: ``dense``, ``sparse`` or ``multi``.
            facts: about the points: ``corpus``, ``documents``, ``dimensions``, and what made them.
            batches: points with ``number, vector, payload``.

        Raises:
            ArtifactError: the server refuses the points.
            DataError: the server cannot be reached, or failed, or is too old; nothing is stored then.
        """
        own = {"documents", "corpus", "vocabulary"} if self.tenant else {"documents"}  # what tenants do not share
        told = json.dumps({key: value for key, value in facts.items() if key not in own}, sort_keys=True)
        digest = hashlib.sha256(told.encode()).hexdigest()[:12]
        name = f"legalir-{vectors}-{'tenants-' if self.tenant else ''}{digest}"
        wanted = f"{self.tenant}:{facts['corpus'][:16]}:"
        with self._plainly(name):
            if not self._client.collection_exists(name):
                self._create(name, vectors, facts["dimensions"])
            for key, held in sorted(self._metadata(name).items()):
                if key.startswith(wanted) and (held or {}).get("facts") == facts and held["format"] == FORMAT:
                    break
            else:
                part = secrets.token_hex(_PART_BITS // 8)
                key, held = f"{wanted}{part}", {"format": FORMAT, "facts": dict(facts), "part": part}
                held["points"] = self._upload(name, vectors, part, batches)
                self._client.update_collection(name, metadata={key: held})
                if key not in self._metadata(name):
                    raise DataError(f"Qdrant at {self.url} keeps no metadata: version 1.16 or newer is needed.")
        return {"collection": name, "vectors": vectors, "key": key, **held}

    def _create(self, name: str, vectors: str, dimensions: int) -> None:
        from qdrant_client import models
        from qdrant_client.http.exceptions import UnexpectedResponse

        dense, sparse = None, None
        if vectors == "sparse":
            sparse = {vectors: models.SparseVectorParams()}
        else:
            comparator = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM)
            dense = {
                vectors: models.VectorParams(
                    size=dimensions,
                    distance=models.Distance.DOT,
                    multivector_config=comparator if vectors == "multi" else None,
                )
            }
        # With tenants, each has its own graph, and there is no graph over all of them.
        graph = models.HnswConfigDiff(m=0, payload_m=16) if self.tenant else None
        try:
            self._client.create_collection(
                name,
                vectors_config=dense,
                sparse_vectors_config=sparse,
                hnsw_config=graph,
                shard_number=self.shards,
                replication_factor=self.replicas,
            )
        except UnexpectedResponse as error:
            if error.status_code != 409:  # Another machine was faster.
                raise
        keyword = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=bool(self.tenant))
        integer = models.PayloadSchemaType.INTEGER
        for field, schema in {"part": keyword, "from": integer, "to": integer}.items():
            self._client.create_payload_index(name, field, schema, wait=True)

    def _metadata(self, name: str) -> dict[str, Any]:
        return self._client.get_collection(name).config.metadata or {}

    def _upload(self, name: str, vectors: str, part: str, batches: Iterable[Sequence[Any]]) -> int:
        """Store points as a part; all, or none. Return their number."""
        from qdrant_client import models

        first, count = int(part, 16) << _PART_BITS, 0
        shared = {"part": part, "tenant": self.tenant} if self.tenant else {"part": part}
        try:
            for batch in batches:
                points = [
                    models.PointStruct(
                        id=first + point.number,
                        vector={vectors: _vector(point.vector)},
                        payload={**point.payload, **shared},
                    )
                    for point in batch
                ]
                if points:
                    self._client.upsert(name, points, wait=True)
                    count += len(points)
        except BaseException:
            with contextlib.suppress(Exception):
                self._client.delete(name, models.FilterSelector(filter=_filter(part)), wait=True)
            raise
        return count

    def check(self, stored: Mapping[str, Any], directory: Path) -> None:
        """Compare what an index says with what the server holds.

        Args:
            stored: as :meth:`store` returned it.
            directory: directory of the index, for messages.

        Raises:
            ArtifactError: they differ, or points are missing.
            DataError: the server cannot be reached, or failed.
        """
        name, again = stored["collection"], f"remove the directory {directory}, and it is stored again."
        with self._plainly(name):
            info = self._client.get_collection(name)
            held = (info.config.metadata or {}).get(stored["key"])
            points = self._client.count(name, count_filter=_filter(stored["part"]), exact=True).count
        if held is not None and held["format"] > FORMAT:
            raise ArtifactError(
                f"{name} on {self.url} holds {stored['key']} in format {held['format']}, and this legalir-qdrant reads "
                f"{FORMAT}: install a newer legalir-qdrant."
            )
        if held is None or held["facts"] != stored["facts"]:
            difference = "nothing" if held is None else _difference(held["facts"], stored["facts"])
            raise ArtifactError(f"{name} on {self.url} holds another build of {stored['key']} ({difference}): {again}")
        params = (info.config.params.vectors or {}).get(stored["vectors"])
        if params is not None and params.size != stored["facts"]["dimensions"]:
            raise ArtifactError(
                f"{name} on {self.url} has vectors of {params.size} numbers, and {directory} of "
                f"{stored['facts']['dimensions']}: {again}"
            )
        if points != stored["points"]:
            raise ArtifactError(
                f"{name} on {self.url} holds {points} points of {stored['points']}: bring all its shards up; or {again}"
            )

    def search(
        self,
        vectors: Sequence[Any],
        days: Sequence[int] | None,
        among: Sequence[npt.NDArray[np.int64] | None],
        k: int,
        *,
        exact: bool,
        ef: int,
        stored: Mapping[str, Any] | None = None,
    ) -> list[tuple[list[int], list[float]]]:
        """Return numbers and scores of the nearest points of each vector, best first.

        Args:
            vectors: of questions.
            days: day of each, such as 20210301; None for all points.
            among: numbers of the points that each may find; None for all points.
            k: at least 1.
            exact: compares all.
            ef: candidates of a search in a graph.
            stored: what names the points, as :meth:`store` returned it.

        Raises:
            ArtifactError: the server holds other vectors.
            DataError: the server cannot be reached, refuses, or lacks a shard.
        """
        from qdrant_client import models

        assert stored is not None
        name, part = stored["collection"], stored["part"]
        params = models.SearchParams(exact=True) if exact else models.SearchParams(hnsw_ef=max(ef, k))
        pieces = [
            [None] if numbers is None else np.array_split(numbers, -(-len(numbers) // _MOST_IDS)) for numbers in among
        ]
        requests = [
            models.QueryRequest(
                query=_vector(vector),
                using=stored["vectors"],
                filter=_filter(part, day, numbers),
                params=params,
                limit=k,
                with_payload=False,
            )
            for vector, day, of in zip(vectors, days or repeat(None, len(vectors)), pieces, strict=True)
            for numbers in of
        ]
        answers = []
        with self._plainly(name):
            for first in range(0, len(requests), _AT_ONCE):
                answers += self._client.query_batch_points(name, requests[first : first + _AT_ONCE])
        if len(answers) != len(requests):
            raise DataError(f"Qdrant at {self.url} answered {len(answers)} of {len(requests)} questions: try again.")
        number = (1 << _PART_BITS) - 1
        following = iter(answers)
        found = []
        for of in pieces:
            points = [point for answer in islice(following, len(of)) for point in answer.points]
            best = sorted(points, key=lambda point: -point.score)[:k]
            found.append(([point.id & number for point in best], [point.score for point in best]))
        return found


def _filter(part: str, day: int | None = None, numbers: npt.NDArray[np.int64] | None = None) -> Any:
    """Return the filter of the points of a part: of these numbers, or in force on a day."""
    from qdrant_client import models

    must: list[Any] = [models.FieldCondition(key="part", match=models.MatchValue(value=part))]
    if numbers is not None:  # They are in force.
        first = int(part, 16) << _PART_BITS
        must.append(models.HasIdCondition(has_id=[first + number for number in numbers.tolist()]))
    elif day is not None:
        must.append(models.FieldCondition(key="from", range=models.Range(lte=day)))
        must.append(models.FieldCondition(key="to", range=models.Range(gt=day)))
    return models.Filter(must=must)


def _vector(vector: Any) -> Any:
    from qdrant_client import models

    return models.SparseVector(**vector._asdict()) if hasattr(vector, "indices") else vector


def _difference(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return the names of the facts that differ."""
    return "another " + ", ".join(name for name in sorted({*held, *wanted}) if held.get(name) != wanted.get(name))


def _reason(error: Any) -> str:
    """Return what a server says of its error, in one line and without the key."""
    try:
        said = error.structured()["status"]["error"]
    except (ValueError, KeyError, TypeError):
        said = error.reason_phrase or "no reason given"
    return _line(said)


def _line(value: object) -> str:
    text = " ".join(str(value).split()).rstrip(".")[:200] or type(value).__name__
    key = os.environ.get(API_KEY)
    return text.replace(key, "***") if key else text
