"""Reading an expression: text to a syntax tree of components, parameters and operators."""

from __future__ import annotations

import ast
import io
import tokenize
from typing import TypeGuard

from legalir.errors import ExpressionError, shown
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
