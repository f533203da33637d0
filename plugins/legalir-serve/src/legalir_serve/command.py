"""``legalir serve`` and ``legalir mcp``: a page, an HTTP API, and tools for agents."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from legalir.errors import suggestion
from legalir.extend import model_options

if TYPE_CHECKING:
    import socket

    from legalir import Client
    from legalir_serve.service import Service

EXAMPLES = """Examples:

  legalir serve legalir/harbour legalir/firecode-dated

  legalir serve my-laws/ --pipeline 'hybrid=rrf(bm25f, lsa)' --answer 'default % 5 >> refuse >> quote' --port 8080

  LEGALIR_TOKENS=tokens.txt legalir serve my-laws/ --host 0.0.0.0

  legalir serve my-laws/ --sheet results/answers --saved ratings/
"""
MCP_EXAMPLES = """Examples:

  legalir mcp legalir/harbour

  legalir mcp legalir/harbour my-laws/ --install claude-code --dry-run
"""

_LOCAL = ("127.0.0.1", "localhost", "::1")

_CONNECTIONS = 1_000
"""Connections that are open at once; a request on a further one is refused."""

_PATIENCE = 30
"""Seconds that requests have to end when the server is told to end."""

_AT_ONCE, _LONGEST = 4, 600
"""Calls of an agent whose work is done at once, and seconds that one may take."""

_SHORTEST = 16
"""Fewest characters of a token."""

Datasets = Annotated[list[str], typer.Argument(help="Dataset ids, or paths of folders.", show_default=False)]
Pipelines = Annotated[
    list[str] | None,
    typer.Option(
        "--pipeline",
        "-p",
        help="Pipeline that requests may name, as NAME=EXPRESSION (repeatable); default is always included.",
        show_default=False,
    ),
]
Answer = Annotated[
    str | None,
    typer.Option(help="Pipeline expression that gives answers.", show_default="default % 5 >> refuse >> quote"),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(help="Additional component that clients may use in expressions (repeatable).", show_default=False),
]


app = typer.Typer()
mcp_app = typer.Typer()


@app.command(epilog=EXAMPLES)
@model_options
def serve(
    datasets: Datasets,
    pipeline: Pipelines = None,
    answer: Answer = None,
    allow: Allow = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Maximum number of requests processed at the same time.")
    ] = 16,
    timeout: Annotated[float, typer.Option(min=0.1, help="Time limit of a request, in seconds.")] = 20,
    tokens: Annotated[
        Path | None,
        typer.Option(
            envvar="LEGALIR_TOKENS",
            help="File with one token per line; each request needs one of them.",
            show_default="none",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of server processes; they share memory.")] = 1,
    labels: Annotated[
        Path | None, typer.Option(help="YAML file of labels in another language.", show_default=False)
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Name under which clients reach the server, such as laws.example.org (repeatable)."),
    ] = None,
    sheet: Annotated[
        list[Path] | None,
        typer.Option(
            help="Page that people rate, or the result of an experiment on answers (repeatable).", show_default=False
        ),
    ] = None,
    saved: Annotated[Path | None, typer.Option(help="Folder for what people rate.", show_default=False)] = None,
    root_path: Annotated[str, typer.Option(help="Path below which a server before this one puts it.")] = "",
    log_requests: Annotated[
        bool, typer.Option("--log-requests", help="Log a line of JSON for each request, without its question.")
    ] = False,
    log_questions: Annotated[bool, typer.Option("--log-questions", help="Log the questions, too.")] = False,
    *,
    client: Client,
) -> None:
    """Serve DATASETS as a web page, an HTTP API under /v1, and tools for agents under /mcp.

    Nothing is written but what people rate on a --sheet, and questions are logged only with --log-questions.
    """
    import os
    import socket

    import uvicorn

    from legalir_serve import processes

    counts = TemporaryDirectory(prefix="legalir-counts-") if workers > 1 else None
    if counts is not None:
        os.environ[processes.COUNTS] = counts.name  # Before what counts is imported.
    from legalir_serve.app import create_app
    from legalir_serve.sheets import Sheets

    if bool(sheet) != (saved is not None):
        raise typer.BadParameter("--sheet and --saved go together: pages that people rate, and the folder for ratings.")
    given = _tokens(tokens)
    sheets = Sheets(sheet, saved) if sheet and saved else None
    service = _service(datasets, pipeline, answer, allow, client)
    listening = _bound(host, port)  # Before the indexes are opened, which takes its time.
    faults: list[Exception] = []
    server: uvicorn.Server | None = None

    def failed(error: Exception) -> None:
        faults.append(error)
        if server is not None:
            server.should_exit = True

    processes.prepare()
    application = create_app(
        service,
        tokens=given,
        concurrency=concurrency,
        timeout=timeout,
        sheets=sheets,
        hosts=(host, socket.gethostname(), *(name or [])),
        renewing=workers == 1,
        labels=labels,
        root_path=root_path.rstrip("/"),
        log_questions=log_questions,
        failed=failed,
    )
    shown, taken = f"[{host}]" if ":" in host else host, listening.getsockname()[1]
    typer.echo(f"legalir serves {', '.join(service.names)} at http://{shown}:{taken}{root_path.rstrip('/')}", err=True)
    for each in sheets.names if sheets else ():
        typer.echo(f"Sheet: http://{shown}:{taken}{root_path.rstrip('/')}/sheet?name={quote(each)}", err=True)
    if host not in _LOCAL:
        open_to = "whoever has a token" if tokens else "everybody, without a token,"
        typer.echo(f"It is open to {open_to} who reaches {host}; put a server with TLS before it.", err=True)
    if log_requests or log_questions:
        logging.basicConfig(format="%(message)s")
        logging.getLogger("legalir_serve.requests").setLevel(logging.INFO)
    config = uvicorn.Config(
        application,
        http=processes.impatient(),
        log_level="warning",
        access_log=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_PATIENCE,
    )
    if workers == 1:
        server = uvicorn.Server(config)
        with suppress(KeyboardInterrupt):
            server.run([listening])
        if faults:
            raise faults[0]
        return
    processes.serve(config, listening, workers, service.warm, service.renew)


@mcp_app.command(epilog=MCP_EXAMPLES)
@model_options
def mcp(
    context: typer.Context,
    datasets: Datasets,
    pipeline: Pipelines = None,
    answer: Answer = None,
    install: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Add this command, and a skill, to an agent: claude-code, claude-desktop, codex, cursor, gemini, "
            "vscode or windsurf.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        bool,
        typer.Option("--text", help="Reply by text alone, for an agent whose model is not shown structured content."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what --install would write.")] = False,
    *,
    client: Client,
) -> None:
    """Offer DATASETS as tools to an agent, with the Model Context Protocol over standard input and output."""
    if install:
        _install(install, datasets, context, None if dry_run else _service(datasets, pipeline, answer, None, client))
        return
    if dry_run:
        raise typer.BadParameter("--dry-run shows what --install would write: name an agent by --install.")
    from legalir_serve.tools import create_tools
    from legalir_serve.work import Workers

    workers = Workers(_AT_ONCE, _LONGEST)
    try:
        create_tools(_service(datasets, pipeline, answer, None, client), lambda **_: workers.run, text=text).run(
            "stdio"
        )
    finally:
        workers.close()


def _install(name: str, datasets: list[str], context: typer.Context, service: Service | None) -> None:
    """Add the command as it was given to an agent, with full paths; without a service, only show it."""
    from legalir_serve.agents import agents, install

    if (agent := agents().get(name)) is None:
        known = ", ".join(agents())
        raise typer.BadParameter(f"{name!r} is not a known agent.{suggestion(name, {*agents()})} Known: {known}.")
    given = [str(Path(one).resolve()) if Path(one).exists() else one for one in datasets]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if value and parameter.name not in ("install", "dry_run", "datasets", "text"):
            each = value if isinstance(value, list | tuple) else [value]
            given += [part for one in each for part in (parameter.opts[0], *([] if one is True else [str(one)]))]
    if service is not None:
        typer.echo("Indexes are opened, or built, so that no first question waits for them.", err=True)
        service.warm()
    arguments = ["-m", "legalir.cli.main", "mcp", *given, "--text"]  # Every agent shows its model the text.
    for sentence in install(agent, sys.executable, arguments, dry=service is None):
        typer.echo(sentence)
    if service is not None:
        typer.echo(f"Start {name} again; its server is called legalir.")


def _service(
    datasets: list[str],
    pipelines: list[str] | None,
    answer: str | None,
    allow: list[str] | None,
    client: Client,
) -> Service:
    from legalir_serve.policy import NAMED, Policy, known
    from legalir_serve.service import Service

    named = {**NAMED, **({"answer": answer} if answer else {})}
    for text in pipelines or []:
        name, equals, expression = text.partition("=")
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"{text!r} is not NAME=EXPRESSION.")
        named[name] = expression
    places = dict(zip(_names(datasets), datasets, strict=True))
    return Service(places, Policy(named, known(allow or [])), client)


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket of an address that nobody else has."""
    import socket

    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        return bound
    except OSError as error:
        bound.close()
        reason = error.strerror or type(error).__name__
        raise typer.BadParameter(f"{host}:{port} cannot be listened at: {reason}; give another --port.") from None


def _names(datasets: list[str]) -> list[str]:
    """Return the name of each collection in requests: its id, or the name of its folder."""
    names: list[str] = []
    for place in datasets:
        name = place if place.startswith("legalir/") else Path(place).resolve().name
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
    return names


def _tokens(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        if path.stat().st_mode & 0o004:
            raise typer.BadParameter(f"everybody on this machine can read {path}: chmod 600 {path}.")
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"the tokens in {path} cannot be read: {type(error).__name__}.") from None
    if not (tokens := [line for line in lines if line and not line.startswith("#")]):
        raise typer.BadParameter(f"{path} holds no token: write one a line.")
    if any(len(token) < _SHORTEST for token in tokens):
        raise typer.BadParameter(f"{path} has a token of fewer than {_SHORTEST} characters, which can be guessed.")
    return tokens
