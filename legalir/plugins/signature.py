"""The signature of a factory: the parameters that a user may give it, their docs, and faults of a call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from legalir.errors import suggestion
from legalir.plugins.contract import RESERVED, Factory

__all__ = ["Accepted", "Kind", "Parameter", "parameters", "summary"]

_ARGS = inspect.Parameter.VAR_POSITIONAL


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
        return any(p.name == "left" and p.kind is inspect.Parameter.KEYWORD_ONLY for p in self._parameters)

    @property
    def first(self) -> str | None:
        """The parameter that a text given by position fills: the first that is given by name; None for none."""
        return next((p.name for p in self._named() if not _takes_pipeline(p)), None)

    def fault_in_names(self, given: Iterable[str]) -> tuple[str, str] | None:
        """Return the first parameter in `given` that there is not, and the sentence that says so."""
        if self._signature is None or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in self._parameters):
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

    def _named(self) -> list[inspect.Parameter]:
        by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [p for p in self._parameters if p.kind in by_name and p.name not in RESERVED]

    def _accepts(self) -> str:
        shown = [p.name if p.default is inspect.Parameter.empty else f"{p.name}={p.default!r}" for p in self._named()]
        return f"It accepts {', '.join(shown)}." if shown else "It accepts no parameters."


def _takes_pipeline(parameter: inspect.Parameter) -> bool:
    if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return parameter.default is inspect.Parameter.empty
    return parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, _ARGS)


def _pipelines(count: int) -> str:
    return f"{count} pipeline{'s' if count > 1 else ''}"


Kind = Literal["named", "pipeline", "pipelines", "any"]

_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)")


class Parameter(NamedTuple):
    """One thing that a factory takes after the collection.

    Attributes:
        name: as declared.
        default: the default as Python writes it; None where one has to be given.
        doc: one line from a docstring, or nothing.
        kind: ``named`` is given by name; ``pipeline`` stands for one nested pipeline, in order (for roles that take
            none, it is given by name); ``pipelines`` for any number of them; ``any`` for any further names.
    """

    name: str
    default: str | None
    doc: str
    kind: Kind


def parameters(factory: object) -> list[Parameter]:
    """Return what a user may give `factory`, in the order of its signature; nothing where it has none to be read.

    Parameters that legalir fills in, the collection and ``left``, are left out. Docs are those of the section ``Args:``
    in the docstring of the factory; then of the classes of :func:`parameters_of`; then of the classes that the
    factory is annotated to return.
    """
    try:
        declared = list(inspect.signature(factory).parameters.values())  # type: ignore[arg-type]
    except Exception:  # A plugin may do anything there.
        return []
    if declared and declared[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        declared = declared[1:]
    docs: dict[str, str] = {}
    for source in (factory, *getattr(factory, "parameters_of", ()), *_returned(factory)):
        docs = {**_args(_doc(source)), **docs}  # The first that names a parameter describes it.
    return [
        Parameter(one.name, _default(one), docs.get(one.name, ""), _kind(one))
        for one in declared
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


def _returned(factory: object) -> Iterable[type]:
    """Yield the classes that the return annotation names, as far as the factory's own module knows them."""
    target = inspect.unwrap(factory) if callable(factory) else factory
    annotation = getattr(target, "__annotations__", {}).get("return")
    names = re.findall(r"\w+", annotation) if isinstance(annotation, str) else []
    known = getattr(target, "__globals__", {})
    found = [known.get(name) for name in names] if names else [annotation]
    yield from (one for one in found if isinstance(one, type))


def _args(doc: str) -> dict[str, str]:
    """Return the entries of the section ``Args:`` of a docstring."""
    _, _, section = f"\n{doc}\n".partition("\nArgs:\n")
    block: list[str] = []
    for line in section.splitlines():
        if line and not line[0].isspace():
            break
        block.append(line)
    indent = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    found: dict[str, str] = {}
    name = ""
    for line in block:
        match = _ENTRY.fullmatch(line[indent:])
        if match is not None:
            name, found[match[1]] = match[1], match[2]
        elif name:
            found[name] += f" {line.strip()}"
    return {name: " ".join(text.split()) for name, text in found.items()}


def _default(parameter: inspect.Parameter) -> str | None:
    if parameter.default is inspect.Parameter.empty:
        return None
    try:
        return repr(parameter.default)
    except Exception:  # A plugin may do anything there.
        return "..."


def _kind(parameter: inspect.Parameter) -> Kind:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return "pipelines"
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return "any"
    by_name = parameter.kind is inspect.Parameter.KEYWORD_ONLY or parameter.default is not inspect.Parameter.empty
    return "named" if by_name and parameter.kind is not inspect.Parameter.POSITIONAL_ONLY else "pipeline"
