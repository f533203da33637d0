"""Text that names a component: ``kiwi``, or ``kiwi(tags="all")``; the grammar of one call.

Such text is read as a syntax tree and never evaluated. Pipeline expressions nest such calls and join them.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Mapping
from typing import NamedTuple

from legalir.contract import RESERVED
from legalir.errors import ComponentError

MAX_LENGTH = 5_000
"""Maximum number of characters in a spec or expression; longer ones are an accident or an attack."""

_INTEGERS = range(-(2**63), 2**63)


class CallError(Exception):
    """A part of a call that breaks the grammar.

    Attributes:
        node: the part.
        fault: a sentence on what is wrong with it.
    """

    def __init__(self, node: ast.AST, fault: str) -> None:
        super().__init__(fault)
        self.node = node
        self.fault = fault


class Call(NamedTuple):
    """A component's name with its arguments.

    Attributes:
        function: the name.
        arguments: the arguments by position.
        keywords: the arguments by name.
    """

    function: ast.Name
    arguments: list[ast.expr]
    keywords: dict[str, ast.keyword]

    @property
    def name(self) -> str:
        """The component's name."""
        return self.function.id


def parse(text: str) -> ast.expr:
    """Return the syntax tree of `text`, one Python expression.

    Raises:
        SyntaxError: it is not one.
        ValueError: it contains a character that Python cannot read.
        RecursionError: it is nested too deeply.
        MemoryError: it is nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's remarks on style, such as an odd escape.
        return ast.parse(text, mode="eval").body


def read_call(node: ast.expr) -> Call:
    """Return the call that `node` is: a name, or a call of a name.

    Raises:
        CallError: it is neither, or a parameter is reserved, given twice, or given by ``**``.
    """
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    if not isinstance(call.func, ast.Name):
        raise CallError(call.func, "only a component's name can be called.")
    name = call.func.id
    keywords: dict[str, ast.keyword] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            fault = f"the parameters of {name} must be named one by one; '**' cannot be used."
            raise CallError(keyword.value, fault)
        if keyword.arg in RESERVED:
            raise CallError(keyword, f"parameter {keyword.arg!r} of {name} is filled in by legalir.")
        if keyword.arg in keywords:
            raise CallError(keyword, f"parameter {keyword.arg!r} of {name} is given twice.")
        keywords[keyword.arg] = keyword
    return Call(call.func, call.args, keywords)


def is_number(node: ast.expr) -> bool:
    """Return True if `node` is an integer or a float, perhaps with a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def literal(node: ast.expr) -> ast.expr | None:
    """Return the normal form of a literal, or None if `node` is not a literal.

    A literal is a finite number of at most 64 bits, a text, True, False, None, or a list, tuple or dict of
    literals, whose keys are not containers.
    """
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return ast.copy_location(ast.parse(repr(value), mode="eval").body, node) if _is_plain(value) else None


def _is_plain(value: object) -> bool:
    match value:
        case bool() | str() | None:
            return True
        case int():
            return value in _INTEGERS
        case float():
            return math.isfinite(value)
        case list() | tuple():
            return all(map(_is_plain, value))
        case dict():
            return all(_is_plain(one) for one in value.values()) and all(
                _is_plain(key) and not isinstance(key, tuple) for key in value
            )
    return False


def read_component(spec: str) -> Call:
    """Return the call that a text is: ``name``, or ``name(…)``.

    Raises:
        ComponentError: it is neither.
    """
    try:
        return read_call(parse(spec.strip() if len(spec) <= MAX_LENGTH else ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ComponentError(
            f"{_shown(spec)} is not a component: write its name, such as word, or a call, such as jamo(n=3)."
        ) from None
    except CallError as error:
        raise ComponentError(f"{_shown(spec)}: {error.fault}") from None


def read_spec(spec: str) -> tuple[str, dict[str, object]]:
    """Return name and parameters of ``name`` or ``name(parameter=value, …)``.

    Raises:
        ComponentError: `spec` is neither, or a value is not a literal.
    """
    call = read_component(spec)
    if call.arguments:
        raise ComponentError(f"{_shown(spec)}: {call.name} takes parameters by name: write {call.name}(name=value).")
    params: dict[str, object] = {}
    for name, keyword in call.keywords.items():
        value = literal(keyword.value)
        if value is None:
            written = ast.unparse(keyword.value)[:40]
            raise ComponentError(
                f"{_shown(spec)}: {name}={written} is not a literal: give a number, a text in quotes, True, False, "
                f"None, or a list, tuple or dict of those."
            )
        params[name] = ast.literal_eval(value)
    return call.name, params


def _shown(spec: str) -> str:
    return repr(spec if len(spec) <= 80 else f"{spec[:77]}...")


def write_spec(name: str, params: Mapping[str, object]) -> str:
    """Return the text that :func:`read_spec` reads: ``name``, or ``name(parameter=value, …)`` in order of parameters.

    An analyzer or encoder with parameters has this text as its ``name``, so that an index can make it again.
    """
    inside = ", ".join(f"{key}={value!r}" for key, value in sorted(params.items()))
    return f"{name}({inside})" if inside else name
