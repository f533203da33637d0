"""The parameters of a factory, read from signature and docstrings."""

from __future__ import annotations

import inspect

import pytest

from legalir import plugins
from legalir.cli.plugins import Parameter, parameters, summary
from legalir.contract import COMPONENT_ROLES, RESERVED


class Made:
    """Something.

    Args:
        index: not of the factory.
        k: how many; at
            least 1: more is slower.
        size (int): how large.

    Raises:
        ValueError: k: this is no parameter.
    """


def factory(collection: object, first: object, *pipelines: object, left: object = None, k: int = 3, size: object = ""):
    """Do it: ``factory(bm25)``.

    More of it.

    Args:
        first: the first pipeline.
        *pipelines: the others.
        size: as the factory has it.
    """
    return Made()


factory.parameters_of = (Made,)  # type: ignore[attr-defined]


def test_parameters_with_defaults_and_docs() -> None:
    assert parameters(factory) == [
        Parameter("first", None, "the first pipeline.", "pipeline"),
        Parameter("pipelines", None, "the others.", "pipelines"),
        Parameter("k", "3", "how many; at least 1: more is slower.", "named"),
        Parameter("size", "''", "as the factory has it.", "named"),
    ]
    assert summary(factory) == "Do it: ``factory(bm25)``."


def test_a_class_as_factory_is_its_own_documentation() -> None:
    class Letters:
        """Letters.

        Args:
            n: how many.
        """

        def __init__(self, collection: object, n: int = 2, **more: object) -> None: ...

    assert parameters(Letters) == [Parameter("n", "2", "how many.", "named"), Parameter("more", None, "", "any")]
    assert summary(Letters) == "Letters."


def test_a_factory_that_says_nothing() -> None:
    assert parameters(lambda collection: None) == []
    assert parameters(lambda *args, **params: None) == [
        Parameter("args", None, "", "pipelines"),
        Parameter("params", None, "", "any"),
    ]
    assert summary(lambda collection: None) == ""


def test_what_cannot_be_read_has_no_parameters() -> None:
    class Odd:
        __signature__ = "unknown"
        __doc__ = None

        def __call__(self, collection: object) -> None: ...

    class Loud:
        def __repr__(self) -> str:
            raise RuntimeError

    loud = Loud()

    def takes(collection: object, value: object = loud) -> None: ...

    assert parameters(Odd()) == []
    assert parameters(takes) == [Parameter("value", "...", "", "named")]


@pytest.mark.parametrize(
    "entry", [one for one in plugins.entries() if one.package == "legalir" and one.role in COMPONENT_ROLES], ids=str
)
def test_every_parameter_that_ships_is_documented(entry: plugins.PluginEntry) -> None:
    made = plugins.load(entry).factory
    assert summary(made)
    assert [one.name for one in parameters(made) if not one.doc] == []
    taken = set(list(inspect.signature(made).parameters)[1:])
    assert {one.name for one in parameters(made)} == taken - set(RESERVED)
