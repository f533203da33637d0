"""From an expression to a transformer: look the names up, check the parameters, call the factories."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import pyterrier as pt

from legalir import plugins
from legalir.collections import Collection
from legalir.errors import AnalyzerError, ComponentError, ExpressionError, ModelError, PluginError, PluginNotFound
from legalir.frames.chain import Chain
from legalir.graph.laws import LawTable
from legalir.pipeline.in_force import made_in_force
from legalir.pipeline.parser import OPERATORS, Expression
from legalir.spec import read_call

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


_LITERALS = {
    **{name: f"{name!r} is not a component: write {name.capitalize()}." for name in ("true", "false", "none")},
    **{name: f"{name!r} is not a component: write None." for name in ("null", "NULL")},
    **{name: f"{name!r} is not a component, and a number must be finite." for name in ("inf", "nan")},
}
"""Messages about values that other languages write so."""


def build(expression: str, collection: Collection | None) -> pt.Transformer:
    """Return the transformer that `expression` describes, over `collection`.

    A component is made by its plugin's ``factory(collection, *pipelines, **params)``. A factory with a
    keyword-only parameter ``left`` also gets the transformer on the left of its ``>>``: everything upstream
    in the chain, or None at its start. A pipeline nested in a component or in an operator sees the upstream of
    that component, because it gets the same input; a pipeline given as a parameter sees None. If the factory has an
    attribute ``over``, the nested pipelines are built over the collection that ``over(collection, **params)`` returns,
    and see None.

    Equal sub-expressions become one object.

    Raises:
        ExpressionError: the text is not an expression, a name is unknown, or a parameter is wrong; the message
            has the column and the cure.
        PluginError: a component's package is broken.
        LegalIRError: any error that a component raises on purpose, such as an index that cannot be built.
    """
    return Builder(collection).build(expression)


class Builder:
    """Builds expressions over one collection; equal parts of all of them are one object.

    Args:
        collection: passed to each factory.
    """

    def __init__(self, collection: Collection | None) -> None:
        self.collection = collection
        # Keys contain ids of built objects, which stay alive as values of this dict.
        self._built: dict[Hashable, pt.Transformer] = {}
        self._plugins: dict[str, plugins.Plugin] = {}
        self._others: dict[int, Builder] = {}

    def build(self, expression: str) -> pt.Transformer:
        """Return the transformer of `expression`; errors as :func:`build`."""
        read = Expression(expression)
        return _Building(self, read).pipeline(read.tree, None)

    def once(self, key: Hashable, make: Callable[[], pt.Transformer]) -> pt.Transformer:
        """Return the object for `key`, made the first time."""
        if key not in self._built:
            self._built[key] = make()
        return self._built[key]

    def over(self, collection: Collection | None) -> Builder:
        """Return the builder for a collection; this builder for its own collection."""
        return self if collection is self.collection else self._others.setdefault(id(collection), Builder(collection))

    def plugin(self, name: str) -> plugins.Plugin:
        """Return the plugin of the component called `name`, imported the first time."""
        if name not in self._plugins:
            self._plugins[name] = plugins.load(plugins.resolve(name))
        return self._plugins[name]


class _Building:
    """The building of one expression by a builder."""

    def __init__(self, builder: Builder, read: Expression) -> None:
        self._builder = builder
        self._read = read
        self._error = read.error

    def pipeline(self, node: ast.expr, left: pt.Transformer | None) -> pt.Transformer:
        """Build `node`, whose input is the output of `left`."""
        return self._operation(node, left) if isinstance(node, ast.BinOp) else self._call(node, left)

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

    def _call(self, node: ast.expr, left: pt.Transformer | None) -> pt.Transformer:
        call = read_call(node)
        plugin = self._plugin(call.function)
        signature = plugin.signature
        keywords = call.keywords
        for text in (item for item in call.arguments if isinstance(item, ast.Constant)):  # One at most.
            keywords = {**self._named(text, plugin, keywords), **keywords}
        if unknown := signature.unknown_parameter(keywords):
            raise self._error(keywords[unknown[0]], unknown[1])
        values = {name: self._value(keyword.value) for name, keyword in keywords.items()}
        inside, upstream = self._inside(
            call.function, plugin, {name: value for name, (value, _) in values.items()}, left
        )
        pipelines = [inside.pipeline(item, upstream) for item in call.arguments if not isinstance(item, ast.Constant)]
        if signature.takes_left:
            values["left"] = left, id(left)
        params = {name: value for name, (value, _) in values.items()}
        if fault := signature.fault(pipelines, params):
            raise self._error(call.function, fault)
        key = (call.name, *map(id, pipelines), *((name, key) for name, (_, key) in values.items()))
        return self._builder.once(key, lambda: self._make(call.function, plugin, pipelines, params))

    def _inside(
        self, node: ast.expr, plugin: plugins.Plugin, params: dict[str, object], left: pt.Transformer | None
    ) -> tuple[_Building, pt.Transformer | None]:
        """Return what builds the pipelines inside a component, and their upstream."""
        with self._faults(node, plugin):
            other = self._builder.over(cast(Collection, plugin.over(self._builder.collection, params)))
        return (self, left) if other is self._builder else (_Building(other, self._read), None)

    def _named(
        self, text: ast.Constant, plugin: plugins.Plugin, keywords: dict[str, ast.keyword]
    ) -> dict[str, ast.keyword]:
        """Return a positional text as a keyword argument, under the name of its parameter."""
        name, parameter = plugin.entry.name, plugin.signature.text_parameter
        if parameter is None:
            raise self._error(text, f"{name} takes parameters by name.")
        if parameter in keywords:
            raise self._error(text, f"parameter {parameter!r} of {name} is given twice.")
        return {parameter: ast.copy_location(ast.keyword(parameter, text), text)}

    def _plugin(self, node: ast.Name) -> plugins.Plugin:
        try:
            return self._builder.plugin(node.id)
        except PluginNotFound as error:
            raise self._error(node, _LITERALS.get(node.id, str(error))) from None
        except PluginError as error:
            raise PluginError(str(self._error(node, str(error)))) from error

    def _value(self, node: ast.expr) -> tuple[object, Hashable]:
        """Return the value of a parameter, and a key that identifies the value."""
        if isinstance(node, ast.Name | ast.Call | ast.BinOp):
            built = self.pipeline(node, None)
            return built, id(built)
        return ast.literal_eval(node), ast.unparse(node)

    def _make(
        self, node: ast.expr, plugin: plugins.Plugin, pipelines: list[pt.Transformer], params: dict[str, object]
    ) -> pt.Transformer:
        with self._faults(node, plugin):
            return cast(pt.Transformer, self._of_the_day(plugin, pipelines, params))

    @contextmanager
    def _faults(self, node: ast.expr, plugin: plugins.Plugin) -> Iterator[None]:
        """Say where in the expression a component is that cannot be made."""
        name = plugin.entry.name
        try:
            yield
        except ModelError as error:  # The expression is right, and the message names the model.
            raise ExpressionError(_begin_with(name, str(error))) from error
        except ComponentError as error:
            raise self._error(node, _begin_with(name, str(error))) from error
        except AnalyzerError as error:
            raise AnalyzerError(str(self._error(node, _begin_with(name, str(error))))) from error
        except PluginError as error:
            raise PluginError(str(self._error(node, str(error)))) from error

    def _of_the_day(self, plugin: plugins.Plugin, pipelines: list[pt.Transformer], params: dict[str, object]) -> object:
        """Return the component; over versions, wrap components of other packages to remove results not in force."""
        collection = self._builder.collection
        foreign = plugin.entry.package != "legalir" and plugin.entry.role in ("retriever", "expander")
        if collection is None or not foreign or not collection.dated:
            return plugin.make(collection, pipelines, params)
        return made_in_force(
            partial(plugin.make, collection, pipelines),
            params,
            plugin.signature.defaults(),
            LawTable.of(collection),
        )


def _begin_with(name: str, fault: str) -> str:
    """Begin `fault` with the component's name, unless it does."""
    return fault if fault.casefold().startswith(name.casefold()) else f"{name}: {fault}"
