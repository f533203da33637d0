"""``legalir serve`` and ``legalir mcp``: a page, an HTTP API, and tools for agents."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from legalir.extend import model_options

if TYPE_CHECKING:
    from legalir import Client
    from legalir_serve.service import Service

EXAMPLES = """Examples:

  legalir serve legalir/firecode legalir/firecode-dated

  legalir serve my-laws/ --pipeline 'hybrid=rrf(bm25f, lsa)' --answer 'default % 5 >> refuse >> quote' --port 8080

  LEGALIR_TOKENS=tokens.txt legalir serve my-laws/ --host 0.0.0.0
"""
MCP_EXAMPLES = """Examples:

  legalir mcp legalir/firecode
"""

_LOCAL = ("127.0.0.1", "localhost", "::1")

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
    log_questions: Annotated[
        bool, typer.Option("--log-questions", help="Log the URL of each request, which contains the question.")
    ] = False,
    *,
    client: Client,
) -> None:
    """Serve DATASETS as a web page, an HTTP API under /v1, and tools for agents under /mcp.

    Nothing is written, and questions are logged only with --log-questions.
    """
    import uvicorn

    from legalir_serve.app import create_app

    service = _service(datasets, pipeline, answer, allow, client)
    application = create_app(
        service,
        tokens=_tokens(tokens),
        concurrency=concurrency,
        timeout=timeout,
        host=host,
        renewing=workers == 1,
        labels=labels,
    )
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"legalir serves {', '.join(service.names)} at http://{shown}:{port}", err=True)
    if host not in _LOCAL:
        open_to = "whoever has a token" if tokens else "everybody, without a token,"
        typer.echo(f"It is open to {open_to} who reaches {host}; put a server with TLS before it.", err=True)
    level = "info" if log_questions else "warning"
    config = uvicorn.Config(application, host=host, port=port, log_level=level, access_log=log_questions)
    if workers == 1:
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run()
        return
    from legalir_serve import processes

    processes.serve(config, workers, service.warm, service.renew)


@mcp_app.command(epilog=MCP_EXAMPLES)
@model_options
def mcp(
    datasets: Datasets,
    pipeline: Pipelines = None,
    answer: Answer = None,
    *,
    client: Client,
) -> None:
    """Offer DATASETS as tools to an agent, with the Model Context Protocol over standard input and output."""
    from legalir_serve.tools import create_tools

    create_tools(_service(datasets, pipeline, answer, None, client)).run("stdio")


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
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"the tokens in {path} cannot be read: {type(error).__name__}.") from None
    if not (tokens := [line for line in lines if line and not line.startswith("#")]):
        raise typer.BadParameter(f"{path} holds no token: write one a line.")
    return tokens
