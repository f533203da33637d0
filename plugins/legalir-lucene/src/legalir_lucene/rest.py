"""An index on a server of Anserini or pyserini, by the REST API that both have (``openapi.yaml``)."""

from __future__ import annotations

import http.client
import json
import math
import os
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode, urlsplit

from annotated_types import Ge, Gt

from legalir.errors import ComponentError, DataError
from legalir.extend import Collection, LawTable, parameters_of
from legalir_lucene.foreign import ForeignIndex

__all__ = ["API_KEY", "AnseriniServer", "anserini_server"]

API_KEY = "LEGALIR_ANSERINI_API_KEY"
"""Environment variable of the key; it is read for each request, and shown nowhere."""

_AT_ONCE = 8
_LONGEST_PAUSE = 60
_AGAIN = (429, 503)
_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class AnseriniServer(ForeignIndex):
    """The best documents of an index on a server of Anserini or pyserini [anserini].

    Model and parameters are the server's own. The id of a document must be its docno in the collection; other documents
    are left out, and a warning counts them. A stored run is never used again, because the index behind an address may
    change.

    Columns in: ``qid, query``; results are refused. Columns out: the query columns, then ``docno, score, rank``.

    Raises:
        ComponentError: `url` is not an address of an index, or holds a key.
    """

    name = "anserini_server"

    _: KW_ONLY
    url: Annotated[str, "address of the index, such as ``http://localhost:8081/v1/msmarco-v1-passage``"]
    timeout: Annotated[float, Gt(0), "seconds that an answer may take"] = 30
    retries: Annotated[int, Ge(0), "number of further tries where the server is overloaded (429, 503)"] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = urlsplit(self.url)
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise ComponentError(
                f"anserini_server: url holds a user, key or query: leave it out, and set {API_KEY} instead."
            )
        if parts.scheme not in ("http", "https") or not parts.hostname or not parts.path.strip("/"):
            raise ComponentError("anserini_server: url is not of the form http://host:8081/v1/INDEX.")

    @property
    def label(self) -> str:
        """The retriever with the address of the index."""
        return f"anserini_server({self.url})"

    @property
    def fingerprint(self) -> str:
        """Another value each time: what the server answers may have changed."""
        return secrets.token_hex(32)

    def map(self, function: Callable[[_Item], _Made], items: Iterable[_Item]) -> list[_Made]:
        """Return what `function` makes of each item, several at once."""
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="anserini") as pool:
            return list(pool.map(function, items))

    def ask(self, query: str, k: int) -> tuple[Sequence[str], Sequence[float]]:
        """Return the ids and scores of the best `k` documents.

        Raises:
            DataError: the server does not answer, refuses, or does not reply as documented.
        """
        # The text of documents is not used, and one character of it is the least that can be asked for.
        reply = self._get({"query": query, "hits": k, "max_doc_length": 1})
        try:
            found = reply["candidates"]
            docnos, scores = [hit["docid"] for hit in found], [float(hit["score"]) for hit in found]
        except (KeyError, TypeError, ValueError):
            docnos, scores = [None], [math.nan]
        if not all(isinstance(docno, str) for docno in docnos) or not all(map(math.isfinite, scores)):
            raise DataError(f"{self.url} does not reply as Anserini does, with 'candidates' that have docid and score.")
        return docnos, scores

    def _get(self, asked: Mapping[str, object]) -> Any:
        key = os.environ.get(API_KEY, "").strip()
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/search?{urlencode(asked)}", headers={"X-API-Key": key} if key else {}
        )
        opener = urllib.request.build_opener(_NoRedirect)
        for attempt in range(self.retries + 1):
            try:
                with opener.open(request, timeout=self.timeout) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in _AGAIN or attempt == self.retries:
                        raise self._refused(error, bool(key)) from None
                    time.sleep(_pause(error.headers.get("Retry-After"), attempt))
            except (OSError, http.client.HTTPException) as error:
                cause = error.reason if isinstance(error, urllib.error.URLError) else error
                raise DataError(
                    f"{self.url} cannot be reached ({cause}): start the server, correct url, or raise timeout."
                ) from None
            except ValueError:
                raise DataError(f"{self.url} does not reply with JSON: correct url.") from None
        raise AssertionError("the last try returns or raises")

    def _refused(self, error: urllib.error.HTTPError, key: bool) -> DataError:
        if error.code in (401, 403):
            return DataError(
                f"{self.url} {'refuses the key' if key else 'wants a key'}: set {API_KEY} to one it accepts."
            )
        try:
            reason = str(json.load(error)["error"])
        except (OSError, ValueError, KeyError, TypeError):
            reason = str(error.reason)
        return DataError(f"{self.url} answers {error.code} ({reason.rstrip('.')}).")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which could take the key elsewhere."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


def _pause(wanted: str | None, attempt: int) -> float:
    """Return the seconds to wait before the next try: what the server says, else 1, 2, 4 …; at most a minute."""
    seconds = float(wanted) if wanted and wanted.isdecimal() else 2.0**attempt
    return min(seconds, _LONGEST_PAUSE)


@parameters_of(AnseriniServer, without=["index"])
def anserini_server(collection: Collection, **params: Any) -> AnseriniServer:
    """Rank by an index on a server of Anserini or pyserini: ``anserini_server(url="http://localhost:8081/v1/mine")``."""
    return AnseriniServer(LawTable.of(collection), **params)
