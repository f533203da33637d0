"""Roles, and factories that take their parameters from a class."""

from __future__ import annotations

import inspect
import pkgutil
from typing import Any

import pytest

from legalir.cli.plugins import Parameter, parameters
from legalir.contract import ROLES, parameters_of


class Counter:
    """A counter.

    Args:
        index: where it counts.
        k: how many.
        b: how fast.
    """

    def __init__(self, index: object, *pipelines: object, k: int = 3, b: float = 0.5, **more: object) -> None:
        self.given = index, k, b


class Encoder:
    """An encoder.

    Args:
        model: its folder.
        k: not the first one.
    """

    def __init__(self, model: str, k: int = 7) -> None: ...


@parameters_of(Counter, without=["index"])
def counter(collection: object, *, name: str = "x", **params: Any) -> object:
    """Count.

    Args:
        name: its name.
    """
    return Counter(collection, **params).given


def test_a_factory_takes_names_defaults_and_docs_from_a_class() -> None:
    assert str(inspect.signature(counter)) == (
        "(collection: 'object', *, name: 'str' = 'x', k: 'int' = 3, b: 'float' = 0.5) -> 'object'"
    )
    assert parameters(counter) == [
        Parameter("name", "'x'", "its name.", "named"),
        Parameter("k", "3", "how many.", "named"),
        Parameter("b", "0.5", "how fast.", "named"),
    ]
    assert counter("C", k=4) == ("C", 4, 0.5)


def test_parameters_of_several_classes() -> None:
    @parameters_of(Counter, Encoder, without=["index", "b"])
    def both(collection: object, **params: Any) -> None: ...

    assert parameters(both) == [
        Parameter("k", "3", "how many.", "named"),
        Parameter("model", None, "its folder.", "named"),
    ]


def test_a_factory_that_hands_nothing_on() -> None:
    with pytest.raises(TypeError, match=r"narrow has no \*\*params"):

        @parameters_of(Counter)
        def narrow(collection: object) -> None: ...


def test_a_parameter_that_the_class_does_not_have() -> None:
    with pytest.raises(TypeError, match=r"Counter, Encoder .*no parameter 'graph'"):
        parameters_of(Counter, Encoder, without=["k", "graph"])


@pytest.mark.parametrize("role", ROLES)
def test_the_types_of_a_role_exist(role: str) -> None:
    assert all(isinstance(pkgutil.resolve_name(one), type) for one in ROLES[role].types)
    assert not ROLES[role].is_played_by(None)


def test_an_example_has_quotes_that_fit() -> None:
    assert ROLES["analyzer"].example("jamo3") == 'bm25(analyzer="jamo3")'
    assert ROLES["analyzer"].example('jamo(unit="x")') == "bm25(analyzer='jamo(unit=\"x\")')"
    assert ROLES["source"].example('table(path="x")') == "legalir datasets import 'table(path=\"x\")' my-statutes"
