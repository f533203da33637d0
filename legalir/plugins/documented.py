"""What a user may give a component, read from its factory: names, defaults, and what the docstrings say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from legalir.plugins.entry import RESERVED

__all__ = ["Kind", "Parameter", "parameters", "summary"]

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

    What legalir fills in, the collection and ``left``, is left out. Docs are those of the section ``Args:`` in the
    docstring of the factory and, for what that does not name, of the classes it is annotated to return.
    """
    try:
        declared = list(inspect.signature(factory).parameters.values())  # type: ignore[arg-type]
    except Exception:  # A plugin may do anything there.
        return []
    if declared and declared[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        declared = declared[1:]
    docs: dict[str, str] = {}
    for source in (factory, *_returned(factory)):
        docs = {**_args(_doc(source)), **docs}
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
