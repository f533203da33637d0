"""What a component accepts, read from its factory's signature, and what to say about anything else."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter

from legalir.errors import suggestion
from legalir.plugins.entry import RESERVED, Factory

__all__ = ["Accepted"]

_ARGS = Parameter.VAR_POSITIONAL


class Accepted:
    """What the factory of a component takes after the collection.

    Pipelines fill ``*pipelines`` and positional parameters that have no default or are positional-only;
    every other parameter is given by name, the first of them also as a text by position. A factory without a
    readable signature is given anything.

    Args:
        name: the component's name, for messages.
        factory: its factory.
    """

    def __init__(self, name: str, factory: Factory) -> None:
        self.name = name
        try:
            self._signature: inspect.Signature | None = inspect.signature(factory)
        except Exception:  # A plugin may do anything there.
            self._signature = None
        parameters = list(self._signature.parameters.values()) if self._signature else []
        # A factory declared with *args has no parameter of its own for the collection.
        self._parameters = parameters[1:] if parameters[:1] and parameters[0].kind is not _ARGS else parameters

    @property
    def takes_left(self) -> bool:
        """Whether the factory has the keyword-only parameter ``left``."""
        return any(p.name == "left" and p.kind is Parameter.KEYWORD_ONLY for p in self._parameters)

    @property
    def first(self) -> str | None:
        """The parameter that a text given by position fills: the first that is given by name; None for none."""
        return next((p.name for p in self._named() if not _takes_pipeline(p)), None)

    def fault_in_names(self, given: Iterable[str]) -> tuple[str, str] | None:
        """Return the first parameter in `given` that there is not, and the sentence that says so."""
        if self._signature is None or any(p.kind is Parameter.VAR_KEYWORD for p in self._parameters):
            return None
        known = {p.name for p in self._named()}
        for name in given:
            if name not in known:
                hint = suggestion(name, known)
                return name, f"{self.name} has no parameter {name!r}.{hint} {self._accepts()}"
        return None

    def fault_in_call(self, pipelines: Sequence[object], params: Mapping[str, object]) -> str | None:
        """Return the sentence that says what is missing or too much, or None for a call that can be made."""
        if self._signature is None:
            return None
        room = [p for p in self._parameters if _takes_pipeline(p)]
        if len(pipelines) > len(room) and not any(p.kind is _ARGS for p in room):
            limit = f"{len(room)} at most" if room else "none"
            return f"{self.name} was given {_pipelines(len(pipelines))} and takes {limit}. {self._accepts()}"
        try:
            self._signature.bind(None, *pipelines, **params)
        except TypeError as error:
            return f"{self.name}: {error}. {self._accepts()}"
        return None

    def _named(self) -> list[Parameter]:
        by_name = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        return [p for p in self._parameters if p.kind in by_name and p.name not in RESERVED]

    def _accepts(self) -> str:
        shown = [p.name if p.default is Parameter.empty else f"{p.name}={p.default!r}" for p in self._named()]
        return f"It accepts {', '.join(shown)}." if shown else "It accepts no parameters."


def _takes_pipeline(parameter: Parameter) -> bool:
    if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD:
        return parameter.default is Parameter.empty
    return parameter.kind in (Parameter.POSITIONAL_ONLY, _ARGS)


def _pipelines(count: int) -> str:
    return f"{count} pipeline{'s' if count > 1 else ''}"
