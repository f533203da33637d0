"""The HTTP application: versioned API, pages, and the tools for agents, with the limits of a public server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp

from legalir import __version__
from legalir.errors import LegalIRError
from legalir_serve import laws, replies, surveys
from legalir_serve.guard import Guard, Unchanged
from legalir_serve.metrics import Metrics
from legalir_serve.pages import add_pages
from legalir_serve.policy import CHARACTERS, RESULTS, TEXT
from legalir_serve.service import Service
from legalir_serve.sheets import Sheets, add_sheets
from legalir_serve.suggest import TYPED
from legalir_serve.work import Busy, TooSlow, Workers, event, refusal, steps

_log = logging.getLogger("legalir_serve")

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
"""Type of a reply that Prometheus reads."""

_LONG = 1_000
"""Characters of a question or text from which on it is long work."""

_LOOK = 3.0
"""Seconds between two looks at the files of the collections."""


def create_app(
    service: Service,
    *,
    tokens: Iterable[str] = (),
    concurrency: int = 16,
    timeout: float = 20,
    pages: bool = True,
    tools: bool = True,
    hosts: Iterable[str] = (),
    sheets: Sheets | None = None,
    renewing: bool = True,
    labels: Path | None = None,
    root_path: str = "",
    log_questions: bool = False,
    failed: Callable[[Exception], None] | None = None,
) -> ASGIApp:
    """Return the application.

    Args:
        service: what is served.
        tokens: see :class:`~legalir_serve.guard.Guard`.
        concurrency: requests whose work is done at once. Beside them one thread does long work: expressions that
            requests write, surveys, and long questions and texts.
        timeout: seconds that the work of a request may take.
        pages: whether there are pages for people.
        tools: whether there are tools for agents at ``/mcp``, and at ``/mcp/text`` with replies that are text alone.
        hosts: names of the server, beside its addresses and ``localhost``.
        sheets: sheets that people rate; None: there are none. They need the pages.
        renewing: whether the application looks for changes of the collections, and opens them again.
        labels: a file with labels of the pages in further languages.
        root_path: where a server before this one puts it, such as ``/laws``.
        log_questions: see :class:`~legalir_serve.guard.Guard`.
        failed: is given the error if the indexes cannot be opened; None: it is raised when the application ends.
    """
    workers = Workers(concurrency, timeout)
    long = Workers(1, timeout, beside=workers)
    ready = asyncio.Event()

    def run(pipeline: str = "", text: str = "", survey: bool = False) -> Callable[..., Any]:
        """Return what does the work of a request for a pipeline and a text."""
        written = bool(pipeline) and pipeline not in service.policy.pipelines
        return long.run if written or survey or len(text) > _LONG else workers.run

    agents = dict[str, Any]()
    if tools:
        from legalir_serve.tools import create_tools

        agents = {path: create_tools(service, run, text=path != "/mcp") for path in ("/mcp", "/mcp/text")}

    async def warm() -> None:
        try:
            await asyncio.to_thread(service.warm)
        except Exception as error:
            if failed is None:
                raise
            failed(error)
            return
        ready.set()
        if renewing:
            await _renew(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for each in agents.values():
                await stack.enter_async_context(each.session_manager.run())
            task = asyncio.create_task(warm())
            yield
            ready.clear()
            if task.done():
                task.result()
            task.cancel()
            workers.close()
            long.close()

    app = FastAPI(
        title="legalir",
        version=__version__,
        summary="Search statutes: provisions that cite and delegate to each other.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        root_path=root_path,
        generate_unique_id_function=lambda route: route.name,
        responses=replies.ERRORS,
    )

    async def refuse(request: Request, error: Exception) -> Response:
        refused = refusal(error, service.hidden)
        return JSONResponse({"error": refused.reason, "code": refused.code}, refused.status, refused.headers)

    for kind in (Busy, TooSlow, TimeoutError, RequestValidationError, HTTPException, LegalIRError, Exception):
        app.add_exception_handler(kind, refuse)

    _add_api(app, service, run, ready)
    metrics = Metrics(service)

    @app.get("/metrics", tags=["server"], response_class=PlainTextResponse, dependencies=[Depends(_without_parameters)])
    async def metrics_() -> PlainTextResponse:
        """Return numbers of requests, seconds and bytes, and of what is served, in the format of Prometheus."""
        return PlainTextResponse(await run()(metrics.text), media_type=_PROMETHEUS)

    _describe(app, bool([*tokens]))
    if pages:
        add_pages(app, service, run, labels)
    if sheets is not None:
        add_sheets(app, sheets, workers.run)
    for path, each in agents.items():
        served = each.streamable_http_app(
            streamable_http_path=path, stateless_http=True, json_response=True, host="0.0.0.0"
        )
        for route in served.routes:
            assert isinstance(route, Route)
            route.methods = {"POST"}  # Without state there is nothing that a stream could carry, or an end could end.
            app.router.routes.append(route)
    inside = GZipMiddleware(Unchanged(app), minimum_size=1_000, compresslevel=5)
    guarded = Guard(inside, ready, tokens, hosts, timeout, log_questions)
    return metrics.around(guarded, (getattr(route, "path", "") for route in app.routes))


async def _renew(service: Service) -> None:
    """Look from time to time whether the files of a collection have changed."""
    while True:
        await asyncio.sleep(_LOOK)
        try:
            await asyncio.to_thread(service.renew)
        except Exception as error:
            _log.error("A collection could not be opened anew: %s", type(error).__name__, exc_info=error)


def _describe(app: FastAPI, tokens: bool) -> None:
    """Let the description of the API name the tokens that it asks for."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            if tokens:
                found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                found["security"] = [{"token": []}]
            app.openapi_schema = found
        return app.openapi_schema

    app.openapi = description  # type: ignore[method-assign]


class _Asked(BaseModel):
    """Parameters of a request; one that it does not have is an error."""

    model_config = ConfigDict(extra="forbid")

    collection: str | None = Field(None, max_length=200, description="Name of the collection; the first if left out.")


class _OfDay(_Asked):
    as_of: str | None = Field(None, max_length=40, description="The day, for versions.", examples=["2023-06-01"])


class _Question(_OfDay):
    where: str = Field(
        "", max_length=2_000, description="Filter of the provisions.", examples=["level=act|decree, path~제2장"]
    )
    law: list[str] = Field([], max_length=20, description="Laws, any of which may be searched.")
    level: list[str] = Field([], max_length=20, description="Levels, any of which may be searched.")
    path: list[str] = Field([], max_length=20, description="Words in the path, any of which may be there.")
    q: str = Field(max_length=CHARACTERS, description="The question.", examples=["창문 없는 층의 기준은?"])


_Names = Annotated[list[str], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)]


class SearchRequest(_Question):
    """A search."""

    collection: _Names = Field(  # type: ignore[assignment]
        [], max_length=50, description="Names of collections (repeatable), or all; the first if left out."
    )
    k: int = Field(10, ge=1, le=RESULTS, description="Number of results.")
    offset: int = Field(0, ge=0, lt=RESULTS, description=f"Results to leave out; the first {RESULTS} can be had.")
    pipeline: str = Field("default", max_length=5_000, description="Name of a pipeline, or an expression.")


class AnswerRequest(_Question):
    """A question to answer."""

    pipeline: str = Field("answer", max_length=5_000, description="Name of a pipeline, or an expression.")


class ExplainRequest(_Question):
    """A question, and a provision among its results."""

    docno: str = Field(max_length=500, description="The provision.", examples=["fd-12"])
    pipeline: str = Field("default", max_length=5_000, description="Name of a pipeline, or an expression.")


class ProvisionRequest(_OfDay):
    """A provision."""

    docno: str = Field(max_length=500, description="The provision.", examples=["fd-12"])


class CitationRequest(_OfDay):
    """A citation."""

    collection: str | None = Field(None, max_length=200, description="Name of the collection; all if left out.")
    citation: str = Field(max_length=500, description="A law and a number, or a docno.", examples=["민법 750조"])


class SuggestRequest(_Asked):
    """The beginning of a question."""

    collection: str | None = Field(None, max_length=200, description="Name of the collection, or all.")
    q: str = Field(max_length=TYPED, description="What is typed.", examples=["과태"])


class RelatedRequest(ProvisionRequest):
    """A provision, and the steps around it."""

    depth: int = Field(2, ge=1, le=4, description="Number of steps.")


class ChangesRequest(_Asked):
    """Two days, and a law or a provision."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True)

    start: str = Field(alias="from", max_length=40, description="The first day.")
    end: str = Field(alias="to", max_length=40, description="The second day, later than the first.")
    law: str = Field("", max_length=300)
    docno: str = Field("", max_length=500)


class ImpactRequest(_Asked):
    """Two days, and documents that may cite what changed between them."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True)

    start: str = Field(alias="from", max_length=40, description="The first day.")
    end: str = Field("today", alias="to", max_length=40, description="The second day.")
    law: str = Field("", max_length=300, description="The law whose changes are meant.")
    documents: dict[str, str] = Field(default_factory=dict, max_length=20, description="Texts by name.")


class Decided(BaseModel):
    """What was decided about a provision."""

    model_config = ConfigDict(extra="forbid")

    docno: str = Field(max_length=500)
    verdict: Literal["accepted", "refused", "open"]


class SurveyRequest(_OfDay):
    """A survey: its matter, and what was decided so far."""

    q: str = Field(max_length=CHARACTERS, description="The matter.", examples=["소화기의 설치기준"])
    decisions: list[Decided] = Field([], max_length=surveys.DECISIONS, description="In the order of reading.")
    corpus: str = Field("", max_length=64, description="That of an earlier reply, to see a change of the collection.")


class VerifyRequest(_OfDay):
    """A text that cites law."""

    text: str = Field(max_length=TEXT)
    law: str = Field("", max_length=300, description="Name of the law that citations without one mean.")


async def _without_parameters(request: Request) -> None:
    """Refuse parameters where there are none."""
    if request.query_params:
        name = next(iter(request.query_params))
        raise RequestValidationError([{"type": "extra_forbidden", "loc": ("query", name), "msg": ""}])


def _add_api(app: FastAPI, service: Service, run: Callable[..., Any], ready: asyncio.Event) -> None:
    def add(
        path: str, tag: str, reply: Any, methods: Iterable[str] = ("GET",), plain: bool = False
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Serve what a function returns, JSON values or a response; `reply` describes it."""

        def added(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            async def served(*given: Any, **named: Any) -> Response:
                value = await function(*given, **named)
                # FastAPI would look at each value, which takes three times as long as writing it.
                return value if isinstance(value, Response) else JSONResponse(value)

            app.add_api_route(
                path,
                served,
                methods=[*methods],
                tags=[tag],
                response_model=None,
                responses={200: {"model": reply}},
                dependencies=[Depends(_without_parameters)] if plain else [],
            )
            return function

        return added

    @add("/v1/health", "server", replies.Health, plain=True)
    async def health() -> dict[str, Any]:
        """Say that the server runs, and whether all indexes are open."""
        return {"status": "ok", "ready": ready.is_set()}

    @add("/v1/ready", "server", replies.Ready, plain=True)
    async def ready_() -> Response:
        """Answer 503 until all indexes are open."""
        return JSONResponse({"ready": ready.is_set()}, 200 if ready.is_set() else 503)

    @add("/v1/collections", "collections", list[replies.CollectionRow], plain=True)
    async def collections() -> Any:
        """List the collections."""
        return await run()(service.collections)

    @add("/v1/suggest", "search", replies.Suggested)
    async def suggest(asked: Annotated[SuggestRequest, Query()]) -> Any:
        """Return laws and headings that begin with what is typed, or have it inside."""
        return await run()(service.suggest, **asked.model_dump())

    async def searched(asked: SearchRequest) -> Any:
        given, work = asked.model_dump(), run(asked.pipeline, asked.q + asked.where)
        return await work(service.several, given.pop("q"), given.pop("collection"), **given)

    @add("/v1/search", "search", replies.Search)
    async def search(asked: Annotated[SearchRequest, Query()]) -> Any:
        """Return the provisions that answer a question, best first."""
        return await searched(asked)

    @add("/v1/search", "search", replies.Search, ["POST"])
    async def search_long(asked: SearchRequest) -> Any:
        """Return the provisions that answer a question which may be too long for an address, best first."""
        return await searched(asked)

    @add("/v1/explain", "search", replies.Explained)
    async def explain(asked: Annotated[ExplainRequest, Query()]) -> Any:
        """Say why a provision has its score."""
        given, work = asked.model_dump(), run(asked.pipeline, asked.q + asked.where)
        return await work(service.explain, given.pop("q"), given.pop("docno"), **given)

    @add("/v1/provision", "provisions", replies.Provision)
    async def provision(asked: Annotated[ProvisionRequest, Query()]) -> Any:
        """Return a provision, what it cites, what cites it, and its versions."""
        return await run()(laws.provision, service, **asked.model_dump())

    @add("/v1/provisions", "provisions", replies.Cited)
    async def provisions(asked: Annotated[CitationRequest, Query()]) -> Any:
        """Return the provision that a citation in any spelling means, or why it is not decided, and the nearest."""
        return await run()(service.cited, **asked.model_dump())

    @add("/v1/law", "provisions", replies.Law)
    async def law(asked: Annotated[ProvisionRequest, Query()]) -> Any:
        """Return the law of a provision as a whole, in force on the day."""
        return await run()(service.law, **asked.model_dump())

    @add("/v1/levels", "provisions", replies.Levels)
    async def levels(asked: Annotated[ProvisionRequest, Query()]) -> Any:
        """Return a provision between those of other levels: what it carries out, and what carries it out."""
        return await run()(laws.levels, service, **asked.model_dump())

    @add("/v1/related", "provisions", replies.Related)
    async def related(asked: Annotated[RelatedRequest, Query()]) -> Any:
        """Return the neighbourhood of a provision in the citation graph."""
        return await run()(service.related, **asked.model_dump())

    @add("/v1/changes", "time", replies.Changes)
    async def changes(asked: Annotated[ChangesRequest, Query()]) -> Any:
        """Return what changed between two days, word by word."""
        return await run()(service.changes, **asked.model_dump())

    @add("/v1/impact", "time", replies.Impact, ["POST"])
    async def impact(asked: ImpactRequest) -> Any:
        """Return what changed between two days, the provisions that cite it, and the passages of documents that do."""
        return await run(text="".join(asked.documents.values()))(service.impact, **asked.model_dump())

    @add("/v1/survey", "search", replies.Surveyed, ["POST"])
    async def survey(asked: SurveyRequest) -> Any:
        """Return what is to be read next of a survey, and the estimate after the decisions that are given."""
        given = asked.model_dump()
        decisions = [(one["docno"], one["verdict"]) for one in given.pop("decisions")]
        return await run(survey=True)(surveys.survey, service, given.pop("q"), decisions, **given)

    @add("/v1/verify", "answers", replies.Verified, ["POST"])
    async def verify(asked: VerifyRequest) -> Any:
        """Return each citation of a text with its state: right, or what is wrong with it."""
        return await run(text=asked.text)(service.verify, **asked.model_dump())

    async def answered(request: Request, asked: AnswerRequest) -> Response:
        given = asked.model_dump()
        question, work = given.pop("q"), run(asked.pipeline, asked.q + asked.where)
        if "text/event-stream" not in request.headers.get("accept", ""):
            return JSONResponse(await work(service.answer, question, **given))

        async def events() -> AsyncIterator[str]:
            async for kind, content in steps(
                work, lambda told: service.answer(question, told=told, **given), service.hidden
            ):
                yield event(kind, content)

        return StreamingResponse(events(), media_type="text/event-stream")

    @add("/v1/answer", "answers", replies.Answer)
    async def answer(request: Request, asked: Annotated[AnswerRequest, Query()]) -> Response:
        """Answer a question with citations; with ``Accept: text/event-stream``, steps come as events before it."""
        return await answered(request, asked)

    @add("/v1/answer", "answers", replies.Answer, ["POST"])
    async def answer_long(request: Request, asked: AnswerRequest) -> Response:
        """Answer a question which may be too long for an address."""
        return await answered(request, asked)
