"""The HTTP application: versioned API, pages, and the tools for agents, with the limits of a public server."""

from __future__ import annotations

import asyncio
import base64
import hmac
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from legalir import __version__
from legalir.errors import LegalIRError
from legalir_serve.pages import add_pages
from legalir_serve.service import Service
from legalir_serve.work import Busy, TooSlow, Workers, event, refusal, steps

_log = logging.getLogger("legalir_serve")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
"""Headers of every response; a page loads nothing from other hosts and contains no inline script."""

_MOST_URL, _MOST_BODY = 16_384, 65_536
_LOOK = 3.0
"""Seconds between two looks at the files of the collections."""


class Guard:
    """The outermost layer: sizes, tokens, and headers of every response.

    Args:
        app: the application.
        tokens: a request needs one of these as ``Authorization: Bearer …``, or as the password of a browser; none:
            everybody may ask.
    """

    def __init__(self, app: ASGIApp, tokens: Iterable[str] = ()) -> None:
        self._app = app
        self._tokens = [token.encode() for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name.encode(): value.encode() for name, value in HEADERS.items()}
                given = message["headers"]  # A page may have a policy of its own.
                message["headers"] = [*given, *(one for one in ours.items() if one[0] not in dict(given))]
            await send(message)

        headers = {name.lower(): value for name, value in scope["headers"]}
        status, reason = self._fault(scope, headers)
        if status:
            # A browser asks for a name and a password; a program sees Bearer as well.
            more = {"www-authenticate": 'Basic realm="legalir", Bearer'} if status == 401 else {}
            code = "no_token" if status == 401 else "invalid"
            await JSONResponse({"error": reason, "code": code}, status, more)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _fault(self, scope: Scope, headers: Mapping[bytes, bytes]) -> tuple[int, str]:
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _MOST_URL:
            return 414, f"The address is too long: at most {_MOST_URL:,} characters."
        if b"transfer-encoding" in headers:  # In pieces, of which nobody knows how many come.
            return 411, "The request does not say how long it is: Content-Length."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > _MOST_BODY:
            return 413, f"The request is too large: at most {_MOST_BODY:,} bytes."
        if self._tokens and scope["path"] != "/v1/health":
            given = _token(headers.get(b"authorization", b""))
            # Each is compared, so that the time says nothing.
            if not sum(hmac.compare_digest(given, token) for token in self._tokens):
                return 401, "This server asks for a token: Authorization: Bearer …, or as password in a browser."
        return 0, ""


def _token(header: bytes) -> bytes:
    """Return the token of a header ``Authorization``: the token of ``Bearer``, or the password of ``Basic``."""
    kind, _, given = header.partition(b" ")
    if kind.lower() != b"basic":
        return given
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2]
    except ValueError:
        return b""


def create_app(
    service: Service,
    *,
    tokens: Iterable[str] = (),
    concurrency: int = 16,
    timeout: float = 20,
    pages: bool = True,
    tools: bool = True,
    host: str = "127.0.0.1",
    renewing: bool = True,
    labels: Path | None = None,
) -> ASGIApp:
    """Return the application.

    Args:
        service: what is served.
        tokens: see :class:`Guard`.
        concurrency: requests whose work is done at once.
        timeout: seconds that the work of a request may take.
        pages: whether there are pages for people.
        tools: whether there are tools for agents at ``/mcp``.
        host: the address that the server listens at; on this machine alone, agents have to name it.
        renewing: whether the application looks for changes of the collections, and opens them again.
        labels: a file with labels of the pages in further languages.
    """
    workers = Workers(concurrency, timeout)
    state = {"ready": False}
    agents: Any = None
    if tools:
        from legalir_serve.tools import create_tools

        agents = create_tools(service, workers.run)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if agents is not None:
                await stack.enter_async_context(agents.session_manager.run())
            await asyncio.to_thread(service.warm)
            state["ready"] = True
            task = asyncio.create_task(_renew(service)) if renewing else None
            yield
            state["ready"] = False
            if task is not None:
                task.cancel()
            workers.close()

    app = FastAPI(
        title="legalir",
        version=__version__,
        summary="Search statutes: provisions that cite and delegate to each other.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
    )

    async def refuse(request: Request, error: Exception) -> Response:
        refused = refusal(error)
        return JSONResponse({"error": refused.reason, "code": refused.code}, refused.status, refused.headers)

    for kind in (Busy, TooSlow, RequestValidationError, LegalIRError, Exception):
        app.add_exception_handler(kind, refuse)

    _add_api(app, service, workers, state)
    if pages:
        add_pages(app, service, workers.run, labels)
    if agents is not None:
        app.router.routes.extend(agents.streamable_http_app(stateless_http=True, json_response=True, host=host).routes)
    return Guard(app, tokens)


async def _renew(service: Service) -> None:
    """Look from time to time whether the files of a collection have changed."""
    while True:
        await asyncio.sleep(_LOOK)
        try:
            await asyncio.to_thread(service.renew)
        except Exception as error:
            _log.error("A collection could not be opened anew: %s", type(error).__name__, exc_info=error)


Name = Annotated[str | None, Query(max_length=200, description="Name of the collection; the first if left out.")]
Text = Annotated[str, Query(max_length=10_000, description="The question.", examples=["창문 없는 층의 기준은?"])]
Pipe = Annotated[
    str, Query(max_length=5_000, description="Name of a pipeline, or an expression.", examples=["default"])
]
Day = Annotated[str | None, Query(max_length=40, description="The day, for versions.", examples=["2023-06-01"])]
Docno = Annotated[str, Query(max_length=500, description="The provision.", examples=["fd-12"])]


def _add_api(app: FastAPI, service: Service, workers: Workers, state: Mapping[str, bool]) -> None:
    run = workers.run

    @app.get("/v1/health", tags=["server"])
    async def health() -> dict[str, Any]:
        """Say that the server runs, and whether all indexes are open."""
        return {"status": "ok", "ready": state["ready"]}

    @app.get("/v1/ready", tags=["server"])
    async def ready(response: Response) -> dict[str, bool]:
        """Answer 503 until all indexes are open."""
        response.status_code = 200 if state["ready"] else 503
        return {"ready": state["ready"]}

    @app.get("/v1/collections", tags=["collections"])
    async def collections() -> list[dict[str, Any]]:
        """List the collections."""
        return await run(service.collections)

    @app.get("/v1/search", tags=["search"])
    async def search(
        q: Text,
        collection: Name = None,
        k: Annotated[int, Query(ge=1, le=1000)] = 10,
        offset: Annotated[int, Query(ge=0, le=1000)] = 0,
        pipeline: Pipe = "default",
        as_of: Day = None,
    ) -> dict[str, Any]:
        """Return the provisions that answer a question, best first."""
        options: dict[str, Any] = {"collection": collection, "k": k, "offset": offset, "pipeline": pipeline}
        return await run(service.search, q, **options, as_of=as_of)

    @app.get("/v1/explain", tags=["search"])
    async def explain(
        q: Text, docno: Docno, collection: Name = None, pipeline: Pipe = "default", as_of: Day = None
    ) -> dict[str, Any]:
        """Say why a provision has its score."""
        return await run(service.explain, q, docno, collection=collection, pipeline=pipeline, as_of=as_of)

    @app.get("/v1/provision", tags=["provisions"])
    async def provision(docno: Docno, collection: Name = None, as_of: Day = None) -> dict[str, Any]:
        """Return a provision, what it cites, what cites it, and its versions."""
        return await run(service.provision, docno, collection=collection, as_of=as_of)

    @app.get("/v1/related", tags=["provisions"])
    async def related(
        docno: Docno, collection: Name = None, depth: Annotated[int, Query(ge=1, le=4)] = 2, as_of: Day = None
    ) -> dict[str, Any]:
        """Return the neighbourhood of a provision in the citation graph."""
        return await run(service.related, docno, collection=collection, depth=depth, as_of=as_of)

    @app.get("/v1/changes", tags=["time"])
    async def changes(
        start: Annotated[str, Query(alias="from", max_length=40)],
        end: Annotated[str, Query(alias="to", max_length=40)],
        collection: Name = None,
        law: Annotated[str, Query(max_length=300)] = "",
        docno: Annotated[str, Query(max_length=500)] = "",
    ) -> dict[str, Any]:
        """Return what changed between two days, word by word."""
        return await run(service.changes, start, end, collection=collection, law=law, docno=docno)

    @app.post("/v1/verify", tags=["answers"])
    async def verify(
        text: Annotated[str, Body(max_length=50_000)],
        collection: Annotated[str | None, Body()] = None,
        as_of: Annotated[str | None, Body(max_length=40)] = None,
        law: Annotated[str, Body(max_length=300)] = "",
    ) -> dict[str, Any]:
        """Return each citation of a text with its state: right, or what is wrong with it."""
        return await run(service.verify, text, collection=collection, as_of=as_of, law=law)

    @app.get("/v1/answer", tags=["answers"])
    async def answer(
        request: Request, q: Text, collection: Name = None, pipeline: Pipe = "answer", as_of: Day = None
    ) -> Response:
        """Answer a question with citations; with ``Accept: text/event-stream``, steps come as events before it."""
        options: dict[str, Any] = {"collection": collection, "pipeline": pipeline, "as_of": as_of}
        if "text/event-stream" not in request.headers.get("accept", ""):
            return JSONResponse(await run(service.answer, q, **options))

        async def events() -> AsyncIterator[str]:
            async for kind, content in steps(run, lambda told: service.answer(q, told=told, **options)):
                yield event(kind, content)

        return StreamingResponse(events(), media_type="text/event-stream")
