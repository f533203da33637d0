"""What there is to say about one component: its docs, its parameters, and an example that fits its role."""

from __future__ import annotations

import inspect
import re
from typing import Any, NamedTuple

from legalir import plugins
from legalir.errors import ExpressionError
from legalir.plugins import PIPELINE_ROLES, Parameter, PluginEntry

__all__ = ["Facts", "facts_of"]

_FIRST_STAGES = ("bm25", "lsa", "tfidf")


class Facts(NamedTuple):
    """One component, for a reader.

    Attributes:
        entry: the entry.
        about: the first paragraph of its docs, or nothing.
        parameters: what it takes.
        example: an expression, or for a source a command, that uses it.
    """

    entry: PluginEntry
    about: str
    parameters: list[Parameter]
    example: str

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values of all but the entry."""
        return {
            "about": self.about,
            "parameters": [one._asdict() for one in self.parameters],
            "example": self.example,
        }

    def written(self, parameter: Parameter) -> str:
        """Return a parameter's name as it is declared."""
        return {"pipelines": "*", "any": "**"}.get(parameter.kind, "") + parameter.name

    def given(self, parameter: Parameter) -> str:
        """Return a parameter's default, or what has to be given."""
        if parameter.default is not None:
            return parameter.default
        if parameter.kind == "any":
            return "(any names)"
        is_pipeline = parameter.kind != "named" and self.entry.role in PIPELINE_ROLES
        return ("(pipelines)" if parameter.kind == "pipelines" else "(a pipeline)") if is_pipeline else "(required)"


def facts_of(entry: PluginEntry, factory: object) -> Facts:
    """Read the facts of an entry from its factory."""
    found = plugins.parameters(factory)
    text = inspect.getdoc(factory) or ""
    return Facts(entry, plugins.summary(factory), found, _documented(entry, text) or _made_up(entry, found))


def _documented(entry: PluginEntry, text: str) -> str | None:
    """Return the first piece of code in the docs that is an expression with the component in it."""
    from legalir import pipeline

    for code in re.findall(r"``(.+?)``", " ".join(text.split())):
        alone = code == entry.name and entry.role != "retriever"
        if alone or not re.search(rf"\b{re.escape(entry.name)}[0-9]*\b", code):
            continue
        try:
            used = pipeline.names(code)
        except ExpressionError:
            continue
        if (entry.name in used) == (entry.role in PIPELINE_ROLES):
            return str(code)
        if entry.role not in PIPELINE_ROLES and used == {entry.name}:
            return _used(entry.role, code)
    return None


def _made_up(entry: PluginEntry, parameters: list[Parameter]) -> str:
    """Return an example that fits the role; what has to be given stands as ``...``."""
    takes = entry.role in PIPELINE_ROLES
    nested = sum(1 for one in parameters if takes and one.kind == "pipeline" and one.default is None)
    if takes and any(one.kind == "pipelines" for one in parameters):
        nested = max(nested, 2)
    needed = [
        f"{one.name}=..."
        for one in parameters
        if one.default is None and (one.kind == "named" or (one.kind == "pipeline" and not takes))
    ]
    inside = ", ".join([*(_FIRST_STAGES[i % len(_FIRST_STAGES)] for i in range(nested)), *needed])
    return _used(entry.role, f"{entry.name}({inside})" if inside else entry.name)


def _used(role: str, call: str) -> str:
    """Return `call` where a component of `role` stands."""
    quoted = f"'{call}'" if '"' in call else f'"{call}"'
    return {
        "analyzer": f"bm25(analyzer={quoted})",
        "encoder": f"dense(encoder={quoted})",
        "expander": f"bm25 % 20 >> {call}",
        "reranker": f"bm25 % 100 >> {call}",
        "generator": f"bm25 % 5 >> {call}",
        "source": f"legalir datasets import '{call}' my-statutes/",
    }.get(role, call)
