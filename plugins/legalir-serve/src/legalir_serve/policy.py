"""Limits of a request: it names a pipeline of the operator, or writes an expression of harmless components."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from legalir.errors import ComponentError, ExpressionError
from legalir.extend import canonical, is_installed

RESULTS = 100
"""Largest number of results of a request."""

CHARACTERS = 4_000
"""Largest number of characters of a question."""

HARMLESS = frozenset(
    (
        *("bm25", "bm25f", "default", "family", "focus", "linear", "links", "lookup", "nitilink", "quote", "refuse"),
        *("rocchio", "rrf", "sar", "tfidf", "wrrf"),
    )
)
"""Components that read no file, load no model, ask no other machine and build no index that ``default`` and ``bm25``
lack, whatever their parameters are."""

_TEXTS = frozenset(
    (
        *("auto", "minmax", "max", "zscore", "clip", "sum", "none", "lucene", "sklearn", "full", "term"),
        *("dfs", "bfs", "in", "out", "both", "law", "paper"),
    )
)
"""Texts that may be values of parameters: none names a file, a model, or an analyzer with an index of its own."""

TEXT = 50_000
"""Largest number of characters of a text whose citations are verified."""

_LARGEST = 1_000
"""Largest number in an expression: of results, neighbours, and the like."""

_DEEPEST = 4
"""Largest number of steps in the citation graph."""

_COMPONENTS, _WEIGHTED = 12, 6
"""Most components of an expression, and most of them that may have arrays of weights as large as an index."""

_WEIGHTING = frozenset(("bm25", "bm25f", "default", "focus", "rocchio", "tfidf"))
"""Components that may have such arrays."""

NAMED = {"default": "default", "answer": "default % 5 >> refuse >> quote"}
"""Pipelines that requests may name where the operator says nothing."""


@dataclass(frozen=True)
class Policy:
    """Limits of a request.

    Attributes:
        pipelines: expressions of the operator by name; they may hold any component.
        components: names of the components that a request may put together itself; none: only `pipelines`.
    """

    pipelines: Mapping[str, str] = field(default_factory=lambda: dict(NAMED))
    components: frozenset[str] = HARMLESS

    def expression(self, asked: str) -> str:
        """Return the expression that a request may run.

        Args:
            asked: name of a pipeline, or an expression.

        Raises:
            ExpressionError: it cannot be read, or holds what a request may not ask for.
        """
        if (own := self.pipelines.get(asked)) is not None:
            return own
        tree = ast.parse(canonical(asked), mode="eval")
        used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
        if refused := sorted({*used} - self.components):
            allowed = ", ".join(sorted({*self.pipelines, *self.components}))
            raise ExpressionError(f"The component {refused[0]!r} is not offered here; there are: {allowed}.")
        if len(used) > _COMPONENTS or sum(name in _WEIGHTING for name in used) > _WEIGHTED:
            raise ExpressionError(
                f"The expression has too many components for a request: at most {_COMPONENTS}, and at most {_WEIGHTED} "
                f"of {', '.join(sorted(_WEIGHTING))}."
            )
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant):
                self._check_literal(node.value)
            if isinstance(node, ast.keyword) and node.arg == "depth" and not _is_shallow(node.value):
                raise ExpressionError(f"depth in a request is at most {_DEEPEST}.")
        return asked

    def _check_literal(self, value: object) -> None:
        if isinstance(value, str) and value not in _TEXTS:
            raise ExpressionError(f"The text {value[:40]!r} may not stand in a request; leave the parameter out.")
        if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= _LARGEST):
            raise ExpressionError(f"The number {str(value)[:40]} is too large for a request: at most {_LARGEST:,}.")

    def question(self, text: str) -> str:
        """Return a question without characters that mean nothing in one.

        Raises:
            ComponentError: it is too long, or has no characters.
        """
        clean = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
        if not clean:
            raise ComponentError("The question is empty: ask in words.")
        if len(clean) > CHARACTERS:
            raise ComponentError(f"The question has {len(clean):,} characters, and {CHARACTERS:,} are allowed.")
        return clean


def _is_shallow(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value <= _DEEPEST


def known(components: Iterable[str]) -> frozenset[str]:
    """Return the names of components that an operator allows beside the harmless ones.

    Raises:
        ComponentError: there is none of a name.
    """
    if unknown := sorted(name for name in components if not is_installed(name)):
        raise ComponentError(f"There is no component {unknown[0]!r} that could be allowed.")
    return HARMLESS | set(components)
