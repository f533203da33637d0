"""``legalir serve`` and ``legalir mcp``: a page, an HTTP API, and tools for agents."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from legalir.cli.search import Llm, LocalOnly, Offline

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from legalir.serve.policy import Policy
    from legalir.serve.service import Service

EXAMPLES = """Examples:

  legalir serve legalir/firecode legalir/firecode-dated

  legalir serve my-laws/ --pipeline 'hybrid=rrf(bm25f, lsa)' --answer 'default % 5 >> quote' --port 8080

  LEGALIR_TOKENS=tokens.txt legalir serve my-laws/ --host 0.0.0.0
"""
MCP_EXAMPLES = """Examples:

  legalir mcp legalir/firecode
"""

_VARIABLE = "LEGALIR_SERVE"
"""Environment variable by which the processes that serve learn what to serve."""

_LOCAL = ("127.0.0.1", "localhost", "::1")

Datasets = Annotated[list[str], typer.Argument(help="Ids or paths of folders.", show_default=False)]
Pipelines = Annotated[
    list[str] | None,
    typer.Option(
        "--pipeline", "-p", help="NAME=EXPRESSION that requests may name; default is there.", show_default=False
    ),
]
Answer = Annotated[str | None, typer.Option(help="Expression that makes answers.", show_default="default % 5 >> quote")]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        help="Component that requests may put into expressions, beside the harmless ones.", show_default=False
    ),
]


def serve(
    datasets: Datasets,
    pipeline: Pipelines = None,
    answer: Answer = None,
    allow: Allow = None,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at.")] = 8000,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests whose work is done at once.")] = 4,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that a request may take.")] = 20,
    tokens: Annotated[
        Path | None,
        typer.Option(
            envvar="LEGALIR_TOKENS", help="File with a token a line, one of which a request needs.", show_default="none"
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that serve; they share mapped files.")] = 1,
    log_questions: Annotated[bool, typer.Option("--log-questions", help="Log the address of each request.")] = False,
    llm: Llm = None,
    offline: Offline = False,
    local_only: LocalOnly = False,
) -> None:
    """Serve DATASETS as a page, an HTTP API under /v1, and tools for agents under /mcp.

    Nothing is written, and nothing is logged of a question unless --log-questions says so.
    """
    from legalir.extras import require

    require("fastapi", extra="serve")
    require("jinja2", extra="serve")
    uvicorn = require("uvicorn", extra="serve")
    asked = _Options(datasets, pipeline or [], answer, allow or [], llm, offline, local_only)
    held = None if tokens is None else str(tokens)
    _policy(asked), _tokens(held)  # A mistake is told before anything is opened.
    limits = {"tokens": held, "concurrency": concurrency, "timeout": timeout, "host": host}
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"legalir serves {', '.join(_names(datasets))} at http://{shown}:{port}", err=True)
    if host not in _LOCAL:
        open_to = "whoever has a token" if tokens else "everybody, without a token,"
        typer.echo(f"It is open to {open_to} who reaches {host}; put a server with TLS before it.", err=True)
    os.environ[_VARIABLE] = json.dumps({**asked._asdict(), **limits})
    level = "info" if log_questions else "warning"
    place = {"host": host, "port": port, "workers": workers}
    uvicorn.run("legalir.cli.serve:application", factory=True, log_level=level, access_log=log_questions, **place)


def application() -> ASGIApp:
    """Return the application that the environment describes, in each process that serves."""
    from legalir.serve.app import create_app

    options = json.loads(os.environ[_VARIABLE])
    limits = {name: options.pop(name) for name in ("tokens", "concurrency", "timeout", "host")}
    return create_app(_service(_Options(**options)), **{**limits, "tokens": _tokens(limits["tokens"])})


def mcp(
    datasets: Datasets,
    pipeline: Pipelines = None,
    answer: Answer = None,
    llm: Llm = None,
    offline: Offline = False,
    local_only: LocalOnly = False,
) -> None:
    """Offer DATASETS as tools to an agent, by the Model Context Protocol over standard input and output."""
    from legalir.extras import require

    require("mcp", extra="serve")
    from legalir.serve.tools import create_tools

    asked = _Options(datasets, pipeline or [], answer, [], llm, offline, local_only)
    create_tools(_service(asked)).run("stdio")


class _Options(NamedTuple):
    """Options of a command, as JSON values."""

    datasets: list[str]
    pipeline: list[str]
    answer: str | None
    allow: list[str]
    llm: str | None
    offline: bool
    local_only: bool


def _policy(options: _Options) -> Policy:
    from legalir.serve.policy import NAMED, Policy, known

    named = {**NAMED, **({"answer": options.answer} if options.answer else {})}
    for text in options.pipeline:
        name, equals, expression = text.partition("=")
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"{text!r} is not NAME=EXPRESSION.")
        named[name] = expression
    return Policy(named, known(options.allow))


def _service(options: _Options) -> Service:
    from legalir.llm.client import Client
    from legalir.serve.service import Service

    client = Client(options.llm, offline=options.offline, local_only=options.local_only)
    places = dict(zip(_names(options.datasets), options.datasets, strict=True))
    return Service(places, _policy(options), client)


def _names(datasets: list[str]) -> list[str]:
    """Return what requests call each collection: the id, or the name of the folder."""
    names: list[str] = []
    for place in datasets:
        name = place if place.startswith("legalir/") else Path(place).resolve().name
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
    return names


def _tokens(path: str | None) -> list[str]:
    if path is None:
        return []
    try:
        lines = [line.strip() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"the tokens in {path!r} cannot be read: {type(error).__name__}.") from None
    if not (tokens := [line for line in lines if line and not line.startswith("#")]):
        raise typer.BadParameter(f"{path!r} holds no token: write one a line.")
    return tokens
