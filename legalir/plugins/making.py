"""Components written as text, ``kiwi`` or ``kiwi(tags="all")``, and made from it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

from legalir.errors import ComponentError
from legalir.plugins.contract import RESERVED, ROLES
from legalir.plugins.discovery import check_role, resolve
from legalir.plugins.loading import construct, load_entry
from legalir.plugins.signature import Accepted

__all__ = ["make", "read_spec", "write_spec"]

_MAX_LENGTH = 5_000


def read_spec(spec: str) -> tuple[str, dict[str, object]]:
    """Return name and parameters of ``name`` or ``name(parameter=value, …)``, which is read and never evaluated.

    Raises:
        ComponentError: it is neither, or a value is no literal.
    """
    call = _call(spec)
    if call is None or not isinstance(call.func, ast.Name):
        raise ComponentError(f"{_short(spec)} is no component: write its name, as in word, or jamo(n=3).")
    name = call.func.id
    if call.args:
        raise ComponentError(f"{_short(spec)}: {name} takes parameters by name, so write {name}(parameter=value).")
    params: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in RESERVED or keyword.arg in params:
            fault = "'**' cannot be used" if keyword.arg is None else f"{keyword.arg} is filled in by legalir"
            fault = f"{keyword.arg} is given twice" if keyword.arg in params else fault
            raise ComponentError(f"{_short(spec)}: {fault}.")
        try:
            params[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, RecursionError):
            raise ComponentError(
                f"{_short(spec)}: {keyword.arg}={ast.unparse(keyword.value)[:40]} is no literal: give a number, a text "
                f"in quotes, True, False, None, or a list, tuple or dict of those."
            ) from None
    return name, params


def write_spec(name: str, params: Mapping[str, object]) -> str:
    """Return the text that :func:`read_spec` reads: ``name``, or ``name(parameter=value, …)`` in order of parameters.

    An analyzer or encoder that is told apart by parameters bears this as its ``name``, so that an index can make it
    again.
    """
    inside = ", ".join(f"{key}={value!r}" for key, value in sorted(params.items()))
    return f"{name}({inside})" if inside else name


def _call(spec: str) -> ast.Call | None:
    if len(spec) > _MAX_LENGTH:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # What Python says about style, such as an odd escape.
            tree = ast.parse(spec.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])


def _short(spec: str) -> str:
    return repr(spec if len(spec) <= 80 else f"{spec[:77]}...")


def make(role: str, spec: str, /, collection: object = None, *pipelines: object, **params: object) -> object:
    """Make the component that `spec` names: an instance of a type that the role asks for.

    ``make("analyzer", 'kiwi(tags="all")')`` calls the factory of the analyzer ``kiwi`` as
    ``factory(collection, tags="all")``.

    Args:
        role: one of :data:`ROLES`.
        spec: the name of a plugin, or a call of it whose parameters are literals.
        collection: handed to the factory; it can be None for a role whose names are not those of expressions.
        pipelines: handed to the factory, for a role whose names are those of expressions.
        params: handed to the factory; they go before those in `spec`.

    Raises:
        ComponentError: `spec` cannot be read, the factory does not have this parameter, or it lacks a parameter, a
            pipeline or the collection.
        PluginError: no plugin has this name, it is broken, it fails while it makes the component, or it makes an
            object of another type; the message names package, version and cause.
        LegalIRError: any error that the factory raises on purpose.
    """
    check_role(role)
    name, written = read_spec(spec)
    entry = resolve(name, (role,))
    if collection is None and ROLES[role].in_expressions:
        raise ComponentError(f"{name}: the collection is missing: every {role} is made for a collection.")
    factory = load_entry(entry)
    given = {**written, **params}
    accepted = Accepted(name, factory)
    if misspelt := accepted.fault_in_names(given):
        raise ComponentError(misspelt[1])
    if fault := accepted.fault_in_call(pipelines, given):
        raise ComponentError(fault)
    return construct(entry, factory, collection, pipelines, given)
