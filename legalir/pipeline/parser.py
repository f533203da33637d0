"""Reading an expression: text to a syntax tree of components, parameters and operators, and nothing else.

Literal values in a syntax tree: which there are, and their normal form.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
import warnings
from collections.abc import Sequence
from typing import TypeGuard

from legalir.errors import ExpressionError
from legalir.plugins.contract import RESERVED

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "OPERATORS", "Expression", "canonical", "is_number", "literal", "names"]

_INTEGERS = range(-(2**63), 2**63)


def is_number(node: ast.expr) -> bool:
    """Say whether `node` is an integer or a float, perhaps with a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def literal(node: ast.expr) -> ast.expr | None:
    """Return the normal form of a literal, or None where `node` is none.

    A literal is a finite number of at most 64 bits, a text, True, False, None, or a list, tuple or dict of
    literals, with keys that are no containers.
    """
    match node:
        case ast.Constant(value=bool() | None):
            return node
        case ast.Constant(value=str(value)):
            return ast.copy_location(ast.Constant(value), node)  # A prefix u"" is forgotten.
        case ast.Constant(value=int(value)):
            return node if value in _INTEGERS else None
        case ast.Constant(value=float(value)):
            return node if math.isfinite(value) else None
        case ast.UnaryOp(op=op, operand=operand) if is_number(node):
            number = literal(operand)
            if number is None or isinstance(op, ast.UAdd):
                return number
            return ast.copy_location(ast.UnaryOp(op, number), node)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            items = _all(elements)
            return None if items is None else ast.copy_location(type(node)(items, ast.Load()), node)
        case ast.Dict(keys=keys, values=values):
            # A key of None is what `**other` has.
            names = _all([key for key in keys if isinstance(key, ast.Constant | ast.UnaryOp)])
            items = _all(values)
            if names is None or items is None or len(names) != len(items):
                return None
            return ast.copy_location(ast.Dict([*names], items), node)
    return None


def _all(nodes: Sequence[ast.expr]) -> list[ast.expr] | None:
    found = [checked for node in nodes if (checked := literal(node)) is not None]
    return found if len(found) == len(nodes) else None


MAX_LENGTH = 5_000
"""Characters of an expression; a longer one is an accident or an attack."""

MAX_DEPTH = 50
"""Levels of nesting; each operator of a chain is one."""

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
"""PyTerrier's operators; ``%`` takes a pipeline and an integer, ``*`` one and a number, all others two."""

_BLANKS = str.maketrans("\n\r\t\f\v", "     ")


class Expression:
    """An expression that was read.

    Attributes:
        text: the expression as given, in one line.
        tree: its normalised syntax tree: names, calls, operators and literals only; keywords sorted, ``f()``
            as ``f``, ``2 * f`` as ``f * 2``, chains leaning left, so that equal pipelines have equal trees.

    Raises:
        ExpressionError: the text is no expression; the message has the column.
    """

    def __init__(self, text: str) -> None:
        # Lines do not matter but columns do, so each break becomes one blank.
        self.text = text.translate(_BLANKS).strip()
        self.tree = self._pipeline(self._read())
        self._check_depth(self.tree)  # Leaning left may have deepened it.

    def error(self, node: ast.AST, fault: str) -> ExpressionError:
        """Return the error that places `fault` at `node`."""
        # ast counts columns in bytes of UTF-8.
        before = self.text.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore")
        return ExpressionError(f"Expression {self._shown()}, column {len(before) + 1}: {fault}")

    def _shown(self) -> str:
        return repr(self.text if len(self.text) <= 80 else self.text[:77] + "...")

    def _read(self) -> ast.expr:
        if not self.text:
            raise ExpressionError("The expression is empty: write a component's name, such as 'bm25'.")
        if len(self.text) > MAX_LENGTH:
            raise ExpressionError(f"The expression has {len(self.text)} characters: it can have {MAX_LENGTH} at most.")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # What Python says about style, such as an odd escape.
                tree = ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            where = f", column {error.offset}" if error.offset else ""
            raise ExpressionError(f"Expression {self._shown()}{where}: {error.msg or 'it cannot be read'}.") from None
        except (ValueError, RecursionError, MemoryError) as error:
            reason = "it is nested too deeply" if not isinstance(error, ValueError) else "it holds bad characters"
            raise ExpressionError(f"Expression {self._shown()} cannot be read: {reason}.") from None
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
        # In one line a comment would swallow what followed it on further lines.
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
        if not isinstance(node.func, ast.Name):
            raise self.error(node, "only a component's name can be called.")
        component = node.func.id
        given, arguments = node.args[:1], node.args
        if given and isinstance(given[0], ast.Constant) and isinstance(given[0].value, str):
            arguments = node.args[1:]
        else:
            given = []
        for argument in arguments:
            if isinstance(argument, ast.Constant | ast.UnaryOp | ast.List | ast.Tuple | ast.Dict):
                raise self.error(argument, f"{component} takes parameters by name: write {component}(name=value).")
        found = [keyword.arg for keyword in node.keywords]
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error(
                    keyword.value, f"parameters of {component} must be named one by one, '**' cannot be used."
                )
            if keyword.arg in RESERVED or found.count(keyword.arg) > 1:
                fault = "is filled in by legalir" if keyword.arg in RESERVED else "is given twice"
                raise self.error(keyword, f"parameter {keyword.arg!r} of {component} {fault}.")
        args = [*map(self._value, given), *map(self._pipeline, arguments)]
        keywords = [
            ast.copy_location(ast.keyword(keyword.arg, self._value(keyword.value)), keyword)
            for keyword in node.keywords
        ]
        if not args and not keywords:
            return node.func
        keywords.sort(key=lambda keyword: keyword.arg or "")
        return ast.copy_location(ast.Call(node.func, args, keywords), node)

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
            raise self.error(
                node,
                "a value can be a number, a text, True, False, None, a list, a tuple, a dict, or a pipeline.",
            )
        return value


def canonical(expression: str) -> str:
    """Return the normal form of `expression`: equal texts mean equal pipelines.

    Spaces, brackets, quotes and the order of parameters do not matter in it. Names are not looked up.

    Raises:
        ExpressionError: the text is no expression.
    """
    return ast.unparse(Expression(expression).tree)


def names(expression: str) -> set[str]:
    """Return the names of the components used in `expression`, without looking them up.

    Raises:
        ExpressionError: the text is no expression.
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
