"""From an expression to a transformer: read the text, look the names up, check the parameters, call the factories.

Over versions, components that know no days are wrapped: what is not in force is left out of their results.
"""

from __future__ import annotations

import ast
import io
import operator
import tokenize
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, TypeGuard, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir import plugins
from legalir.collections import Collection
from legalir.errors import (
    AnalyzerError,
    ComponentError,
    ExpressionError,
    ModelError,
    PluginError,
    PluginNotFound,
    shown,
    warn_once,
)
from legalir.explanation import Explanation, Upstream, explain_step
from legalir.frames.chain import Chain
from legalir.frames.component import Component
from legalir.frames.ranking import rank_results
from legalir.frames.where import WHERE, masks
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.laws import LawTable
from legalir.spec import MAX_LENGTH, CallError, is_number, literal, parse, read_call

MAX_DEPTH = 50
"""Largest number of nested levels; each operator of a chain is one level."""

OPERATORS: dict[type[ast.operator], str] = {
    ast.RShift: ">>",
    ast.Mod: "%",
    ast.Add: "+",
    ast.Mult: "*",
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
    ast.Pow: "**",
}
"""PyTerrier's operators: ``%`` takes a pipeline and an integer, ``*`` a pipeline and a number, others two pipelines."""

_BLANKS = str.maketrans("\n\r\t\f\v", "     ")


class Expression:
    """An expression that was read.

    Attributes:
        text: the expression as given, in one line.
        tree: its syntax tree in normal form, so that equal pipelines have equal trees: names, calls, operators and
            literals only; keywords are sorted, ``f()`` is ``f``, ``2 * f`` is ``f * 2``, and chains lean left.

    Raises:
        ExpressionError: the text is not an expression; the message has the column.
    """

    def __init__(self, text: str) -> None:
        # Lines do not matter and columns do, so each line break becomes one blank.
        self.text = _checked(text).translate(_BLANKS).strip()
        self.tree = self._pipeline(self._read())
        self._check_depth(self.tree)  # Leaning left may have deepened it.

    def error(self, node: ast.AST, fault: str) -> ExpressionError:
        """Return an error that places `fault` at the column of `node`."""
        # ast counts columns in bytes of UTF-8.
        before = self.text.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore")
        return ExpressionError(f"Expression {shown(self.text)}, column {len(before) + 1}: {fault}")

    def _read(self) -> ast.expr:
        if not self.text:
            raise ExpressionError("The expression is empty: write a component's name, such as 'bm25'.")
        if len(self.text) > MAX_LENGTH:
            raise ExpressionError(f"The expression has {len(self.text)} characters: at most {MAX_LENGTH} are accepted.")
        try:
            tree = parse(self.text)
        except SyntaxError as error:
            where = f", column {error.offset}" if error.offset else ""
            raise ExpressionError(
                f"Expression {shown(self.text)}{where}: {error.msg or 'it cannot be read'}."
            ) from None
        except (ValueError, RecursionError, MemoryError) as error:
            reason = "it is nested too deeply" if not isinstance(error, ValueError) else "it holds bad characters"
            raise ExpressionError(f"Expression {shown(self.text)} cannot be read: {reason}.") from None
        self._check_depth(tree)
        self._check_comments(tree)
        return tree

    def _check_depth(self, tree: ast.expr) -> None:
        level: list[ast.AST] = [tree]
        for _ in range(MAX_DEPTH):
            level = [child for node in level for child in ast.iter_child_nodes(node)]
            if not level:
                return
        raise self.error(level[0], f"it is nested more than {MAX_DEPTH} levels deep.")

    def _check_comments(self, tree: ast.expr) -> None:
        # In one line, a comment would swallow the lines after it.
        if "#" not in self.text:
            return
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        if any(token.type == tokenize.COMMENT for token in tokens):
            raise self.error(tree, "an expression cannot hold a comment ('#').")

    def _pipeline(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Name():
                return node
            case ast.Call():
                return self._call(node)
            case ast.BinOp():
                return self._operation(node)
        raise self.error(node, "a component is expected here, such as bm25 or bm25(k1=1.5).")

    def _call(self, node: ast.Call) -> ast.expr:
        try:
            call = read_call(node)
        except CallError as error:
            raise self.error(error.node, error.fault) from None
        args: list[ast.expr] = []
        for place, argument in enumerate(call.arguments):
            if place == 0 and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                args.append(self._value(argument))
            elif isinstance(argument, ast.Constant | ast.UnaryOp | ast.List | ast.Tuple | ast.Dict):
                fault = f"{call.name} takes parameters by name: write {call.name}(name=value)."
                raise self.error(argument, fault)
            else:
                args.append(self._pipeline(argument))
        keywords = [
            ast.copy_location(ast.keyword(name, self._value(keyword.value)), keyword)
            for name, keyword in sorted(call.keywords.items())
        ]
        return ast.copy_location(ast.Call(call.function, args, keywords), node) if args or keywords else call.function

    def _operation(self, node: ast.BinOp) -> ast.expr:
        symbol = OPERATORS.get(type(node.op))
        if symbol is None:
            raise self.error(node, f"this operator cannot be used: there are {' '.join(OPERATORS.values())}.")
        left, right = node.left, node.right
        if symbol == "*" and is_number(left) and not is_number(right):
            left, right = right, left
        left = self._pipeline(left)
        if symbol == "*":
            right = self._factor(right)
        elif symbol == "%":
            right = self._cutoff(right)
        else:
            right = self._pipeline(right)
        return _joined(left, node.op, right, node)

    def _factor(self, node: ast.expr) -> ast.expr:
        if not is_number(node):
            raise self.error(node, "'*' takes a pipeline and a number, such as bm25 * 2.")
        return self._value(node)

    def _cutoff(self, node: ast.expr) -> ast.expr:
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.error(node, "'%' takes the number of results to keep, an integer from 1, such as bm25 % 100.")
        return self._value(node)

    def _value(self, node: ast.expr) -> ast.expr:
        """Check the value of a parameter: a pipeline, or a literal."""
        if isinstance(node, ast.Name | ast.Call | ast.BinOp):
            return self._pipeline(node)
        value = literal(node)
        if value is None:
            parts = (part for part in ast.walk(node) if isinstance(part, ast.expr) and is_number(part))
            if large := [part for part in parts if literal(part) is None]:
                raise self.error(large[0], "this number is too large: it must be finite and have at most 64 bits.")
            raise self.error(
                node,
                "a value can be a number, a text, True, False, None, a list, a tuple, a dict, or a pipeline.",
            )
        return value


def _checked(text: object) -> str:
    if not isinstance(text, str):
        shown = f"{str(text)[:40]} ({type(text).__name__})"
        raise ExpressionError(f"An expression must be a text, such as 'bm25 % 100', got {shown}.")
    return text


def canonical(expression: str) -> str:
    """Return the normal form of `expression`: equal texts mean equal pipelines.

    Spaces, brackets, quotes and the order of parameters do not matter. Names are not looked up.

    Raises:
        ExpressionError: the text is not an expression.
    """
    return ast.unparse(Expression(expression).tree)


def names(expression: str) -> set[str]:
    """Return the names of the components used in `expression`, without looking them up.

    Raises:
        ExpressionError: the text is not an expression.
    """
    return {node.id for node in ast.walk(Expression(expression).tree) if isinstance(node, ast.Name)}


def _joined(left: ast.expr, op: ast.operator, right: ast.expr, at: ast.expr) -> ast.expr:
    """Return ``left op right`` with chains leaning left and ``%``, ``*`` at the last component of a chain.

    ``a >> (b >> c)`` becomes ``(a >> b) >> c``, and ``(a >> b) % 5`` becomes ``a >> (b % 5)``.
    """
    if isinstance(op, ast.RShift) and _is_chain(right):
        left, right = _joined(left, op, right.left, at), right.right
    elif isinstance(op, ast.Mod | ast.Mult) and _is_chain(left):
        last = ast.copy_location(ast.BinOp(left.right, op, right), at)
        return ast.copy_location(ast.BinOp(left.left, left.op, last), at)
    return ast.copy_location(ast.BinOp(left, op, right), at)


def _is_chain(node: ast.expr) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift)


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
            made = cast(pt.Transformer, self._of_the_day(plugin, pipelines, params))
        graph = getattr(made, "graph", None)
        if isinstance(graph, CitationGraph) and graph.note and (collection := self._builder.collection):
            warn_once(f"{plugin.entry.name}: {graph.note} ({collection.id}).")
        return made

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
        """Return the component; wrap components of other packages to remove results not in force, or filtered out."""
        collection = self._builder.collection
        foreign = plugin.entry.package != "legalir" and plugin.entry.role in ("retriever", "expander")
        if collection is None or not foreign or not (collection.dated or collection.where):
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


class InForce(Component):
    """Removes results of a component that are not in force on the day of their query, or do not pass its filter.

    For components that know no days or no filters, over versions and in a collection with a filter: the retrievers and
    expanders of other packages, unless ``respects_as_of`` and ``respects_where`` are True of them. A retriever with a
    parameter `num_results` is asked again for twice as many, until each query has as many such results, or there are no
    more; so the list is the retriever's list, without other provisions. One without the parameter gives what is left
    of its list.

    Columns in: the columns of the component. Columns out: the same, with new ranks; a frame without ``docno`` is not
    changed.
    """

    component: Annotated[pt.Transformer, "the component"]
    law: Annotated[LawTable, "the documents of the collection"]
    num_results: Annotated[
        int | None,
        "number of results per query requested from the component; None if it has no such parameter",
    ] = None
    remade: Annotated[
        Callable[[int], pt.Transformer] | None,
        "returns the component for another number of results",
    ] = None

    def _arguments(self) -> dict[str, Any]:
        # The copy with another number of results follows from the component itself.
        return {"component": self.component, "law": self.law, "num_results": self.num_results}

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return what the component returns."""
        return self.component.transform(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results in force; errors as the component."""
        component, most = self.component, self.num_results
        out = component.transform(inp)
        while True:
            kept = self._in_force(out)
            if most is None or self.num_results is None or self.remade is None or not self._short(out, kept, most):
                return kept if self.num_results is None or "rank" not in kept else kept[kept["rank"] < self.num_results]
            most = min(2 * most, len(self.law.docno_table))
            out = self._asked_for(most).transform(inp)

    def _asked_for(self, most: int) -> pt.Transformer:
        """Return a copy of the component with another number of results."""
        component = self.component
        if isinstance(component, Component) and "num_results" in component._given():
            return component._changed(num_results=most)
        assert self.remade is not None
        return self.remade(most)

    def _short(self, out: pd.DataFrame, kept: pd.DataFrame, most: int) -> bool:
        """Return True if a query may have more results in force than `kept` contains."""
        if "docno" not in out.columns or most >= len(self.law.docno_table) or self.num_results is None:
            return False
        full = out["qid"].value_counts()
        full = full[full >= most]
        return bool((kept["qid"].value_counts().reindex(full.index, fill_value=0) < self.num_results).any())

    def _in_force(self, out: pd.DataFrame) -> pd.DataFrame:
        if "docno" not in out.columns or out.empty or (self.law.validity is None and WHERE not in out.columns):
            return out
        query = pd.factorize(out["qid"], use_na_sentinel=False)[0]
        number, queries = self.law.docno_table.numbers(out["docno"]), out.iloc[np.unique(query, return_index=True)[1]]
        may_be = np.ones(len(out), dtype=bool)
        for place, mask in enumerate(masks(queries, self.law)):
            if mask is not None:
                may_be[query == place] = mask[number[query == place]]
        # A document that the collection lacks is left to whoever reports it.
        kept = out[(number < 0) | may_be]
        return rank_results(kept) if {"score", "rank"} <= set(kept.columns) else kept.reset_index(drop=True)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the explanations of the component."""
        return explain_step(self.component, inp, docnos, upstream)


def made_in_force(
    make: Callable[[Mapping[str, object]], object],
    params: Mapping[str, object],
    defaults: Mapping[str, object],
    law: LawTable,
) -> object:
    """Wrap a component of another package so that it returns only results in force that pass the filter of each query.

    Args:
        make: returns the component for some parameters.
        params: the parameters passed to the component.
        defaults: the defaults of all parameters that have one.
        law: the documents of the collection.
    """
    component = make(params)
    respects = all(getattr(component, name, False) for name in ("respects_as_of", "respects_where"))
    if respects or not isinstance(component, pt.Transformer):
        return component
    most = params.get("num_results", defaults.get("num_results"))
    if not isinstance(most, int):
        return InForce(component, law)
    return InForce(component, law, most, partial(_remade, make, params))


def _remade(
    make: Callable[[Mapping[str, object]], object], params: Mapping[str, object], num_results: int
) -> pt.Transformer:
    return cast(pt.Transformer, make({**params, "num_results": num_results}))
