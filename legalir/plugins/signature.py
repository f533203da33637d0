"""The parameters that a factory takes after the collection: their names, defaults and docs, and faults of a call.

Pipelines fill ``*pipelines`` and parameters by position that have no default; all other parameters are given by name.
Parameters that legalir fills in, the collection and ``left``, are not a user's.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from legalir.errors import suggestion
from legalir.plugins.contract import RESERVED, Factory

_BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_ARGS, _PARAMS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
_REQUIRED = inspect.Parameter.empty


def _after_collection(factory: object) -> list[inspect.Parameter] | None:
    """Return the parameters of a factory after the collection, or None if its signature cannot be read."""
    try:
        declared = list(inspect.signature(factory).parameters.values())  # type: ignore[arg-type]
    except Exception:  # A plugin may do anything there.
        return None
    # A factory declared with *args has no parameter of its own for the collection.
    return declared[1:] if declared and declared[0].kind is not _ARGS else declared


class Signature:
    """The signature of a factory, for checks of a call.

    A factory whose signature cannot be read accepts any call.

    Args:
        name: the component's name, for messages.
        factory: its factory.
    """

    def __init__(self, name: str, factory: Factory) -> None:
        self.name = name
        parameters = _after_collection(factory)
        self._signature = None if parameters is None else inspect.signature(factory)
        self._parameters = parameters or []

    @property
    def takes_left(self) -> bool:
        """Whether the factory has the keyword-only parameter ``left``."""
        return any(one.name == "left" and one.kind is inspect.Parameter.KEYWORD_ONLY for one in self._parameters)

    @property
    def text_parameter(self) -> str | None:
        """The parameter that a text given by position fills: the first one that is given by name; None if none is."""
        return next((one.name for one in self._named() if not _takes_pipeline(one)), None)

    def unknown_parameter(self, names: Iterable[str]) -> tuple[str, str] | None:
        """Return the first of `names` that is not a parameter, and a sentence about it; None if all are."""
        if self._signature is None or any(one.kind is _PARAMS for one in self._parameters):
            return None
        accepted = {one.name for one in self._named()}
        for name in names:
            if name not in accepted:
                return name, f"{self.name} has no parameter {name!r}.{suggestion(name, accepted)} {self._accepts()}"
        return None

    def fault(self, pipelines: Sequence[object], params: Mapping[str, object]) -> str | None:
        """Return a sentence about what a call lacks, or has too much of; None for a call that fits."""
        if self._signature is None:
            return None
        places = [one for one in self._parameters if _takes_pipeline(one)]
        if len(pipelines) > len(places) and not any(one.kind is _ARGS for one in places):
            given = f"{len(pipelines)} pipeline{'s' if len(pipelines) > 1 else ''}"
            limit = f"{len(places)} at most" if places else "none"
            return f"{self.name} was given {given} and takes {limit}. {self._accepts()}"
        try:
            self._signature.bind(None, *pipelines, **params)
        except TypeError as error:
            return f"{self.name}: {error}. {self._accepts()}"
        return None

    def defaults(self) -> dict[str, object]:
        """Return the default of each parameter that has one, by name."""
        return {one.name: one.default for one in self._named() if one.default is not _REQUIRED}

    def _named(self) -> list[inspect.Parameter]:
        return [one for one in self._parameters if one.kind in _BY_NAME and one.name not in RESERVED]

    def _accepts(self) -> str:
        shown = [one.name if one.default is _REQUIRED else f"{one.name}={one.default!r}" for one in self._named()]
        return f"It accepts {', '.join(shown)}." if shown else "It accepts no parameters."


def _takes_pipeline(parameter: inspect.Parameter) -> bool:
    if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return parameter.default is _REQUIRED
    return parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, _ARGS)


Kind = Literal["named", "pipeline", "pipelines", "any"]


class Parameter(NamedTuple):
    """A parameter of a factory, for a reader.

    Attributes:
        name: as declared.
        default: the default as Python writes it; None if a value must be given.
        doc: one line from a docstring, or nothing.
        kind: ``named``: given by name; ``pipeline``: one nested pipeline, in order (given by name for a role that takes
            no pipelines); ``pipelines``: any number of them; ``any``: any further names.
    """

    name: str
    default: str | None
    doc: str
    kind: Kind


def parameters(factory: object) -> list[Parameter]:
    """Return the parameters that a user may give, in order; none if the signature cannot be read.

    Docs are those of the section ``Args:`` in the docstring of the factory, then of the classes that the decorator
    ``parameters_of`` names.
    """
    docs: dict[str, str] = {}
    for source in (factory, *getattr(factory, "parameters_of", ())):
        docs = {**_args(_doc(source)), **docs}  # The first that names a parameter describes it.
    return [
        Parameter(one.name, _default(one), docs.get(one.name, ""), _kind(one))
        for one in _after_collection(factory) or []
        if one.name not in RESERVED
    ]


def summary(factory: object) -> str:
    """Return the first paragraph of the factory's docstring, as one line."""
    return " ".join(_doc(factory).partition("\n\n")[0].split())


def _doc(thing: object) -> str:
    try:
        return inspect.getdoc(thing) or ""
    except Exception:  # A plugin may do anything there.
        return ""


_ARGUMENT = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)")


def _args(doc: str) -> dict[str, str]:
    """Return the entries of the section ``Args:`` of a docstring."""
    _, _, section = f"\n{doc}\n".partition("\nArgs:\n")
    block: list[str] = []
    for line in section.splitlines():
        if line and not line[0].isspace():
            break
        block.append(line)
    indent = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    docs: dict[str, str] = {}
    name = ""
    for line in block:
        match = _ARGUMENT.fullmatch(line[indent:])
        if match is not None:
            name, docs[match[1]] = match[1], match[2]
        elif name:
            docs[name] += f" {line.strip()}"
    return {name: " ".join(text.split()) for name, text in docs.items()}


def _default(parameter: inspect.Parameter) -> str | None:
    if parameter.default is _REQUIRED:
        return None
    try:
        return repr(parameter.default)
    except Exception:  # A plugin may do anything there.
        return "..."


def _kind(parameter: inspect.Parameter) -> Kind:
    if parameter.kind is _ARGS:
        return "pipelines"
    if parameter.kind is _PARAMS:
        return "any"
    return "pipeline" if _takes_pipeline(parameter) else "named"
