"""From an expression to a transformer: look the names up, check the parameters, call the factories."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, cast

import pyterrier as pt

from legalir import plugins
from legalir.errors import AnalyzerError, ComponentError, PluginError
from legalir.frames.chain import Chain
from legalir.pipeline.parser import OPERATORS, Expression

__all__ = ["Builder", "build"]

_APPLY: dict[str, Callable[[Any, Any], Any]] = {
    ">>": Chain,
    "%": operator.mod,
    "+": operator.add,
    "*": operator.mul,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "**": operator.pow,
}


def build(expression: str, collection: object) -> pt.Transformer:
    """Return the transformer that `expression` describes, over `collection`.

    A component is made by its plugin's ``factory(collection, *pipelines, **params)``. A factory with a
    keyword-only parameter ``left`` also gets the transformer on the left of its ``>>``: everything upstream
    in the chain, or None at its start. What is nested in a component or in an operator sees the upstream of
    that component, because it is given the same input; a pipeline given as a parameter sees None.

    Equal sub-expressions become one object.

    Raises:
        ExpressionError: the text is no expression, a name is unknown, or a parameter is wrong; the message
            has the column, and what would be right.
        PluginError: a component's package is broken.
        LegalIRError: whatever a component raises on purpose, such as an index that cannot be built.
    """
    return Builder(collection).build(expression)


class Builder:
    """Builds expressions over one collection; equal parts of all of them are one object.

    Args:
        collection: given to each factory.
    """

    def __init__(self, collection: object) -> None:
        self.collection = collection
        # Keys hold ids of built objects, which stay alive as values of this very dict.
        self._built: dict[Hashable, pt.Transformer] = {}
        self._components: dict[str, _Component] = {}

    def build(self, expression: str) -> pt.Transformer:
        """Return the transformer of `expression`; errors as :func:`build`."""
        read = Expression(expression)
        return _Reading(self, read).pipeline(read.tree, None)

    def once(self, key: Hashable, make: Callable[[], pt.Transformer]) -> pt.Transformer:
        """Return the object for `key`, made the first time."""
        if key not in self._built:
            self._built[key] = make()
        return self._built[key]

    def component(self, name: str) -> _Component:
        """Return the component called `name`, imported the first time."""
        if name not in self._components:
            entry = plugins.resolve(name)
            factory = plugins.load_entry(entry)
            self._components[name] = _Component(entry, factory, plugins.Accepted(name, factory))
        return self._components[name]


class _Component(NamedTuple):
    entry: plugins.PluginEntry
    factory: plugins.Factory
    accepted: plugins.Accepted


class _Reading:
    """One expression on its way through a builder."""

    def __init__(self, builder: Builder, read: Expression) -> None:
        self._builder = builder
        self._error = read.error

    def pipeline(self, node: ast.expr, left: pt.Transformer | None) -> pt.Transformer:
        """Build `node`, whose input is the output of `left`."""
        match node:
            case ast.BinOp():
                return self._operation(node, left)
            case ast.Name(id=name):
                return self._call(ast.Call(node, [], []), name, left)
            case ast.Call(func=ast.Name(id=name)):
                return self._call(node, name, left)
        raise AssertionError(node)  # Expression lets nothing else through.

    def _operation(self, node: ast.BinOp, left: pt.Transformer | None) -> pt.Transformer:
        symbol = OPERATORS[type(node.op)]
        first = self.pipeline(node.left, left)
        if symbol in ("%", "*", "+", "^"):
            self._check_scored(node.left, symbol)
        if symbol in ("%", "*"):
            number = ast.literal_eval(node.right)
            return self._join(symbol, first, number, (type(number), number))
        if symbol in ("+", "^"):
            self._check_scored(node.right, symbol)
        if symbol == ">>":
            left = first if left is None else self._join(">>", left, first, id(first))
        second = self.pipeline(node.right, left)
        return self._join(symbol, first, second, id(second))

    def _join(self, symbol: str, first: pt.Transformer, second: object, key: Hashable) -> pt.Transformer:
        return self._builder.once((symbol, id(first), key), lambda: _APPLY[symbol](first, second))

    def _check_scored(self, node: ast.expr, symbol: str) -> None:
        # PyTerrier would fail only when the pipeline runs, by an assertion.
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd):
            raise self._error(
                node,
                f"{OPERATORS[type(node.op)]!r} gives a set without scores, which {symbol!r} needs: "
                f"put a component that scores between them, with '>>'.",
            )

    def _call(self, node: ast.Call, name: str, left: pt.Transformer | None) -> pt.Transformer:
        component = self._find(node.func, name)
        accepted = component.accepted
        keywords = {str(keyword.arg): keyword for keyword in self._named(node, accepted)}
        if fault := accepted.fault_in_names(keywords):
            raise self._error(keywords[fault[0]], fault[1])
        pipelines = [self.pipeline(item, left) for item in node.args if not isinstance(item, ast.Constant)]
        values = {name: self._value(keyword.value) for name, keyword in keywords.items()}
        if accepted.takes_left:
            values["left"] = left, id(left)
        params = {name: value for name, (value, _) in values.items()}
        if complaint := accepted.fault_in_call(pipelines, params):
            raise self._error(node.func, complaint)
        key = (name, *map(id, pipelines), *((name, key) for name, (_, key) in values.items()))
        return self._builder.once(key, lambda: self._make(node.func, component, pipelines, params))

    def _named(self, node: ast.Call, accepted: plugins.Accepted) -> list[ast.keyword]:
        """Return the parameters of a call, of which the first may be a text that was given by position."""
        text = next((item for item in node.args if isinstance(item, ast.Constant)), None)
        if text is None:
            return node.keywords
        if accepted.first is None:
            raise self._error(text, f"{accepted.name} takes parameters by name.")
        if accepted.first in {keyword.arg for keyword in node.keywords}:
            raise self._error(text, f"parameter {accepted.first!r} of {accepted.name} is given twice.")
        return [ast.copy_location(ast.keyword(accepted.first, text), text), *node.keywords]

    def _find(self, node: ast.expr, name: str) -> _Component:
        try:
            return self._builder.component(name)
        except PluginError as error:
            if plugins.is_installed(name) or plugins.misnamed(name):
                # Broken, disabled or disputed: no fault of the expression.
                raise PluginError(str(self._error(node, str(error)))) from error
            raise self._error(node, str(error)) from None

    def _value(self, node: ast.expr) -> tuple[object, Hashable]:
        """Return the value of a parameter, and what tells it from other values."""
        if isinstance(node, ast.Name | ast.Call | ast.BinOp):
            built = self.pipeline(node, None)
            return built, id(built)
        return ast.literal_eval(node), ast.unparse(node)

    def _make(
        self,
        node: ast.expr,
        component: _Component,
        pipelines: list[pt.Transformer],
        params: dict[str, object],
    ) -> pt.Transformer:
        entry = component.entry
        try:
            made = plugins.construct(entry, component.factory, self._builder.collection, pipelines, params)
        except ComponentError as error:
            raise self._error(node, _named(entry.name, str(error))) from error
        except AnalyzerError as error:
            raise AnalyzerError(str(self._error(node, _named(entry.name, str(error))))) from error
        except PluginError as error:
            raise PluginError(str(self._error(node, str(error)))) from error
        return cast(pt.Transformer, made)


def _named(name: str, fault: str) -> str:
    """Begin `fault` with the component's name, unless it does."""
    return fault if fault.casefold().startswith(name.casefold()) else f"{name}: {fault}"
