"""Literal values in a syntax tree: which there are, and their normal form."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

__all__ = ["is_number", "literal"]

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
