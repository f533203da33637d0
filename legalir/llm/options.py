"""Options of commands that may ask a language model."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, get_type_hints

import typer

_LLM = typer.Option("--llm", help="Language model, such as smollm2.", show_default="$LEGALIR_LLM")
_OFFLINE = typer.Option("--offline", help="Use only stored replies of language models.")
_LOCAL_ONLY = typer.Option("--local-only", help="Refuse language models on other machines.")
_LIMIT = typer.Option(
    "--max-tokens-total",
    min=1,
    help="Maximum number of tokens; after that, no model is asked.",
    show_default="no limit",
)
_RETRY = typer.Option("--retry-failed", help="Ask again where the stored reply of a language model failed.")

_OPTIONS: dict[str, tuple[object, object]] = {
    "llm": (Annotated[str | None, _LLM], None),
    "offline": (Annotated[bool, _OFFLINE], False),
    "local_only": (Annotated[bool, _LOCAL_ONLY], False),
    "max_tokens_total": (Annotated[int | None, _LIMIT], None),
    "retry_failed": (Annotated[bool, _RETRY], False),
}
"""Annotation and default of each option: the arguments of :class:`legalir.llm.client.Client`."""


def model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``client`` of a command with the options of language models.

    The command then gets the :class:`~legalir.llm.client.Client` that the options describe::

        @app.command()
        @model_options
        def ask(dataset: str, client: Client) -> None: ...

    Raises:
        TypeError: the function has no parameter ``client``.
    """
    declared = inspect.signature(command).parameters
    if "client" not in declared:
        raise TypeError(f"{command.__name__} has no parameter 'client' that the options could give.")
    hints = get_type_hints(command, localns={"Client": object}, include_extras=True)
    parameters = []
    for name, parameter in declared.items():
        by_name = parameter.replace(
            kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints.get(name, parameter.annotation)
        )
        if name == "client":
            parameters += [by_name.replace(name=n, annotation=a, default=d) for n, (a, d) in _OPTIONS.items()]
        else:
            parameters.append(by_name)

    @functools.wraps(command)
    def with_options(**given: object) -> None:
        from legalir.llm.client import Client

        client = Client(**{name: given.pop(name) for name in _OPTIONS})  # type: ignore[arg-type]
        command(**given, client=client)

    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_options
