"""Parameters that are declared once: constructors, checks, identity and factories, and those of every component."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY
from functools import cached_property
from types import ModuleType, NoneType
from typing import Annotated, Any, ClassVar, Literal, Protocol, get_args, get_origin
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from annotated_types import Ge, Gt, Le
from refusals import refused

from legalir import plugins
from legalir.contract import factory_of
from legalir.declared import (
    Declared,
    Field,
    arguments_section,
    check_choice,
    check_flag,
    check_number,
    component_name,
    fields,
)
from legalir.errors import ComponentError, LegalIRError, ModelError
from legalir.frames.component import Component, Cuttable


class Paper:
    """What a component works on; made for a collection by ``of``."""

    def __init__(self, collection: object, size: int = 3) -> None:
        self.collection = collection
        self.size = size

    @classmethod
    def of(cls, collection: object, size: int = 3) -> Paper:
        return cls(collection, size)


class Base(Component):
    name = "base"
    paper: Annotated[Paper, "to work on"]
    _: KW_ONLY
    num_results: Annotated[int | None, Ge(1), "results per query; None for all"] = None


class Decay(Base):
    """Has all kinds of parameters."""

    name = "decay"
    share: Annotated[float, Ge(0), Le(1), "part of the score"] = 0.5
    above: Annotated[float, Gt(0)] = 1.0
    steps: Annotated[int, Ge(2), Le(4)] = 2
    mode: Annotated[Literal["in", "out", 1], "direction: ``in`` or ``out``"] = "in"
    label: str | Paper = "x"
    exact: bool = False
    weights: Sequence[float] = ()
    scorer: pt.Transformer | None = None
    UNITS: ClassVar[int] = 9
    _hidden: int = 7

    def __post_init__(self) -> None:
        if self.num_results is not None and self.num_results < self.steps:
            raise ComponentError("decay: num_results < steps", component="decay", parameter="num_results")
        self.product = self.share * self.steps

    @cached_property
    def powers(self) -> list[float]:
        return [self.share**step for step in range(self.steps)]

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(score=inp["score"] * self.share)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(score=pd.Series(dtype=float))


class Fixed(Decay):
    """A property takes the place of a parameter."""

    more: int = 0

    @property
    def share(self) -> float:  # type: ignore[override]
        return 0.25


class Own(Decay):
    """Has a constructor of its own."""

    def __init__(self, paper: Paper, half: float, *, names: object = None) -> None:
        super().__init__(paper, share=half / 2)
        self.half = half
        self.names = names


class Fuse(Cuttable):
    name = "fuse"
    pipelines: tuple[pt.Transformer, ...]
    weights: Annotated[Sequence[float], "of each pipeline"]
    k: Annotated[float, Ge(1)] = 60


class Asks(Component):
    name = "asks"
    collection: Annotated[object, "the collection"]
    inner: Annotated[pt.Transformer, "searches"]
    text: Annotated[str, "without a default"]
    k: int = 3


PAPER = Paper(None)


def __reduce_paper(self: Paper) -> str:
    return "PAPER"


Paper.__reduce__ = __reduce_paper  # type: ignore[method-assign, assignment]


def names(made: type) -> list[str]:
    return [str(one) for one in inspect.signature(made).parameters.values()]


def test_the_constructor_takes_what_the_attributes_declare() -> None:
    order = [one.partition("=")[0].rstrip() for one in names(Decay)]
    assert order == ["paper", "share", "above", "steps", "mode", "label", "exact", "weights", "scorer", "num_results"]
    assert Decay(PAPER, 0.1, 2).above == 2 and Decay(paper=PAPER).num_results is None
    # What the base has by name comes last, though a class below adds to it; a class variable and `_hidden` are none.
    assert [one.partition("=")[0].rstrip() for one in names(Fixed)][-3:] == ["scorer", "more", "num_results"]
    assert names(Fuse) == ["*pipelines", "weights", "k=60"]
    assert inspect.signature(Decay).parameters["num_results"].kind is inspect.Parameter.KEYWORD_ONLY
    assert {"share", "_hidden", "UNITS", "_"}.isdisjoint(inspect.signature(Fixed).parameters)
    for wrong in ((), (PAPER, 0.1, 2, 2, "in", "x", False, (), None, 5)):
        with pytest.raises(TypeError, match="Decay"):
            Decay(*wrong)
    with pytest.raises(TypeError, match=r"Decay.*betta"):
        Decay(PAPER, betta=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"Fuse.*weights"):
        Fuse(pt.Transformer.identity())  # type: ignore[call-arg]


NAN, INFINITY = float("nan"), float("inf")
VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "share": ([0, 1, 0.5, np.float32(0.25), np.int64(1)], [-0.01, 1.01, "0.5", None, True, NAN, INFINITY, [1], 1j]),
    "above": ([1e-9, 3], [0, -1, NAN, INFINITY]),
    "steps": ([2, 4, np.int32(3)], [1, 5, 2.0, 2.5, True, "3", None, INFINITY]),
    "num_results": ([None, 2, 10**9], [0, -1, 1.5, False, "1"]),
    "mode": (["in", "out", 1], ["inn", "", True, 1.0, 2, None, ["in"]]),
    "label": (["", "y", PAPER], [None, 1, b"x", Paper]),
    "exact": ([True, False], [1, 0, None, "yes"]),
    "scorer": ([None, pt.Transformer.identity()], ["bm25", 1, pt.Transformer]),
    "paper": ([PAPER, Paper(1)], [None, {}, Paper]),
    "weights": ([[1], (), "anything: what is in a container shows in use"], []),
}
"""Values of each parameter that are accepted, and that are not."""


@pytest.mark.parametrize("name", VALUES)
def test_values_are_checked_when_it_is_made_and_when_they_are_set(name: str) -> None:
    accepted, wrong = VALUES[name]
    decay = Decay(PAPER)
    before = {**vars(decay), "powers": decay.powers}
    for value in wrong:
        with refused("decay", name, value):
            Decay(**{"paper": PAPER, name: value})
        with refused("decay", name, value):
            setattr(decay, name, value)
        with refused("decay", name, value):
            decay.set_parameter(name, value)
        assert vars(decay) == before
        assert not fields(Decay)[name].accepts(value)
    for value in accepted:
        made = Decay(**{"paper": PAPER, name: value})
        assert getattr(made, name) is value
        setattr(decay, name, value)
        assert getattr(decay, name) is value
        setattr(decay, name, before[name])


def test_messages_name_what_is_accepted() -> None:
    for call, message in (
        ({"share": 2}, "decay: share=2 is not a number from 0 to 1."),
        ({"above": 0}, "decay: above=0 is not a number above 0."),
        ({"num_results": 0}, "decay: num_results=0 is not an integer of at least 1."),
        ({"mode": "oot"}, "decay: mode='oot' is not one of in, out, 1. Did you mean 'out'?"),
        ({"label": 1}, "decay: label=1 is not a text or a Paper."),
        ({"exact": 1}, "decay: exact=1 is not true or false."),
    ):
        with pytest.raises(ComponentError) as caught:
            Decay(PAPER, **call)  # type: ignore[arg-type]
        assert str(caught.value) == message


def test_what_depends_on_several_parameters_is_computed_anew() -> None:
    decay = Decay(PAPER, num_results=3)
    assert (decay.product, decay.powers) == (1.0, [1, 0.5])
    decay.share = 0.1
    assert (decay.product, decay.powers) == (0.2, [1, 0.1])
    with pytest.raises(ComponentError, match="num_results"):
        decay.steps = 4
    with pytest.raises(ComponentError, match="num_results"):
        Decay(PAPER, steps=4, num_results=3)
    assert (decay.steps, decay.product) == (2, 0.2)
    kept = decay.powers
    decay.note = "mine"  # type: ignore[attr-defined]
    assert decay.powers is kept, "what is no parameter is free"
    assert "_making" not in vars(decay)


def test_a_property_takes_the_place_of_a_parameter() -> None:
    fixed = Fixed(PAPER, 2.0, more=3)
    assert (fixed.share, fixed.above, fixed.product) == (0.25, 2.0, 0.5)
    with pytest.raises(TypeError, match="share"):
        Fixed(PAPER, share=1)  # type: ignore[call-arg]


def test_a_constructor_of_its_own() -> None:
    own = Own(PAPER, 0.5)
    assert (own.share, own.half, own.product) == (0.25, 0.5, 0.5)
    own.half = 1.0
    assert own == Own(PAPER, 1.0) and own.share == 0.5
    with refused("decay", "share", 1.5):
        own.half = 3
    assert (own.half, own.share) == (1.0, 0.5)
    assert pickle.loads(pickle.dumps(own)) == own
    assert list(inspect.signature(Own).parameters) == ["paper", "half", "names"]


def test_identity_follows_from_the_arguments() -> None:
    one, other = Decay(PAPER, share=1, weights=[1, 2]), Decay(PAPER, 1.0, weights=[1, 2])
    assert one == other and hash(one) == hash(other)
    assert one != Decay(PAPER, 0.5) and one != Own(PAPER, 1.0) and one != "Decay"

    class Same(Decay):
        """Has the same arguments."""

    assert one._given() == Same(PAPER, 1.0, weights=[1, 2])._given() and one != Same(PAPER, 1.0, weights=[1, 2])
    held = ({"b": [1, {"c": (2,)}], "a": []} for _ in range(2))
    first, second = (Own(PAPER, 1.0, names=each) for each in held)
    assert first == second and hash(first) == hash(second)
    assert hash(Own(PAPER, 1.0, names=[1])) != hash(Own(PAPER, 1.0, names=[2]))
    assert repr(Fuse(weights=(1,))) == "Fuse(pipelines=(), weights=(1,), k=60)"

    class Nothing(Component):
        """Takes nothing."""

    class NothingOfItsOwn(Component):
        def __init__(self) -> None:
            pass

    for made in (Nothing, NothingOfItsOwn):
        assert made() == made() and hash(made()) == hash(made()) and repr(made()) == f"{made.__name__}()"
    with pytest.raises(NotImplementedError):
        Nothing().transform(pd.DataFrame({"qid": ["1"]}))
    with pytest.raises(NotImplementedError):
        Nothing().transform(pd.DataFrame(columns=["qid"]))


def test_copies_and_pickles_hold_the_arguments() -> None:
    decay = Decay(PAPER, share=1.0, weights=[1])
    packed = pickle.dumps(decay)
    assert decay.powers == [1, 1] and pickle.dumps(decay) == packed
    for other in (pickle.loads(packed), copy.copy(decay), copy.deepcopy(decay)):
        assert other == decay and "powers" not in vars(other) and other.product == 2
        other.share = 0.5
        assert (other.powers, decay.powers) == ([1, 0.5], [1, 1])
    fuse = Fuse(pt.Transformer.identity(), weights=[1], k=2)
    assert pickle.loads(pickle.dumps(fuse))._given().keys() == {"pipelines", "weights", "k"}
    fuse.pipelines = ()
    assert fuse == Fuse(weights=[1], k=2)


def test_a_cut_keeps_what_was_computed() -> None:
    class Cut(Cuttable):
        base: float = 2
        num_results: Annotated[int, Ge(1)] = 9

        @cached_property
        def square(self) -> list[float]:
            return [self.base**2]

    whole = Cut()
    square = whole.square
    cut = whole.fuse_rank_cutoff(3)
    assert cut is not None and (cut.num_results, whole.num_results, cut.square is square) == (3, 9, True)
    assert whole.fuse_rank_cutoff(9) is whole and whole.fuse_rank_cutoff(0) is None
    cut.base = 1
    assert (cut.square, cut.num_results, whole.square is square) == ([1], 3, True)


def test_an_empty_frame_takes_the_path_of_its_own() -> None:
    assert list(Decay(PAPER).transform(pd.DataFrame(columns=["qid"])).columns) == ["qid", "score"]
    assert list(Decay(PAPER).transform(pd.DataFrame({"qid": ["1"], "score": [1.0]}))["score"]) == [0.5]


def test_pyterrier_inspects_the_parameters() -> None:
    decay = Decay(PAPER, share=1, num_results=5)
    shown = {one.name: one.value for one in pt.inspect.transformer_attributes(decay)}
    assert shown == decay._given()
    assert pt.inspect.transformer_apply_attributes(decay, share=0.5) == Decay(PAPER, share=0.5, num_results=5)
    inner = pt.Transformer.identity()
    assert pt.inspect.subtransformers(Fuse(inner, inner, weights=[1, 1])) == {"pipelines": [inner, inner]}


SOURCE = """
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal
import typing
from annotated_types import Ge
from legalir.frames.component import Component

class One(Component):
    name = "one"
    mode: Literal["a", "b"]
    size: "int" = 3
    COUNT: ClassVar[int] = 1
    OTHER: typing.ClassVar = 2
    _: KW_ONLY
    most: Annotated[int | None, Ge(1), "results"] = None
"""


@pytest.mark.parametrize("first", ["", "from __future__ import annotations"])
def test_modules_with_and_without_annotations_as_text(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("declared_elsewhere")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(first + SOURCE, module.__name__, "exec", dont_inherit=True), module.__dict__)
    assert [one.partition("=")[0] for one in names(module.One)] == ["mode", "size", "most"]
    assert inspect.signature(module.One).parameters["most"].kind is inspect.Parameter.KEYWORD_ONLY
    for name, value in (("mode", "c"), ("size", 0.5), ("most", 0)):
        with refused("one", name, value):
            module.One(**{"mode": "a", name: value})


def test_fields_and_their_docs() -> None:
    declared = fields(Decay)
    assert declared["num_results"] == Field(
        "num_results", (int, NoneType), (Ge(1),), "results per query; None for all", None
    )
    assert declared["paper"].default is inspect.Parameter.empty and declared["mode"].kinds != (str,)
    assert list(arguments_section(Decay)) == [
        "Args:",
        "    paper: to work on",
        "    share: part of the score (from 0 to 1).",
        "    above: above 0",
        "    steps: from 2 to 4",
        "    mode: direction: ``in`` or ``out`` (one of in, out, 1).",
        "    num_results: results per query; None for all (at least 1).",
        "",
    ]


def test_checks_of_single_values() -> None:
    check_number("sar", "beta", 0.5, low=0, high=1)
    check_choice("sar", "direction", "in", ("out", "in"))
    check_flag("sar", "exact", True)
    for value in (-1, 2, "1", None, True, NAN, INFINITY):
        with refused("sar", "beta", value):
            check_number("sar", "beta", value, low=0, high=1)
    with refused("sar", "k", 1.0):
        check_number("sar", "k", 1.0, low=1, integer=True)
    with refused("bm25", "k1", INFINITY):
        check_number("bm25", "k1", INFINITY, low=0)
    for wrong in ("oot", ["in"], None):
        with refused("sar", "direction", wrong):
            check_choice("sar", "direction", wrong, ("out", "in"))
    with refused(None, "dtype", 8, ModelError):
        check_choice("", "dtype", 8, ("float16",), ModelError)
    with refused("sar", "exact", 1):
        check_flag("sar", "exact", 1)


def test_a_factory_fills_what_the_collection_makes() -> None:
    factory = factory_of(Decay, "Decay of scores.", above=7)
    found = inspect.signature(factory).parameters
    assert list(found) == [
        "collection",
        "size",
        "share",
        "steps",
        "mode",
        "label",
        "exact",
        "weights",
        "scorer",
        "num_results",
    ]
    assert {one.kind for one in list(found.values())[1:]} == {inspect.Parameter.KEYWORD_ONLY}
    decay = factory("firecode", size=8, share=1)
    assert (decay.paper.collection, decay.paper.size, decay.share, decay.above) == ("firecode", 8, 1, 7)
    assert factory("firecode").paper.size == 3
    assert (factory.__name__, factory.__doc__, factory.__module__) == ("decay", "Decay of scores.", __name__)
    with refused("decay", "share", 2):
        factory("firecode", share=2)


def test_a_factory_takes_pipelines_by_position() -> None:
    one, other = pt.Transformer.identity(), pt.apply.generic(lambda frame: frame)
    fuse = factory_of(Fuse, "Fuse.")
    assert [str(each) for each in inspect.signature(fuse).parameters.values()] == [
        "collection",
        "*pipelines",
        "weights",
        "k=60",
    ]
    assert fuse("firecode", one, other, weights=[1, 2]).pipelines == (one, other)
    asks = factory_of(Asks, "Ask.")
    assert list(inspect.signature(asks).parameters) == ["collection", "inner", "text", "k"]
    made = asks("firecode", one, text="a", k=4)
    assert made._given() == {"collection": "firecode", "inner": one, "text": "a", "k": 4}
    with pytest.raises(TypeError, match="text"):
        asks("firecode", one)


def components() -> dict[str, type[Declared]]:
    """Return each class of legalir whose constructor follows from its declaration, by module and name."""
    for entry in plugins.entries():
        if entry.package == "legalir":
            plugins.load(entry)
    found: list[Any] = list(Declared.__subclasses__())
    for one in found:
        found += one.__subclasses__()
    return {
        f"{one.__module__}.{one.__name__}": one
        for one in sorted(found, key=repr)
        if one.__module__.startswith("legalir.") and hasattr(one.__init__, "__signature__") and fields(one)
    }


COMPONENTS = components()


def stand_in(kind: Any) -> Any:
    """Return a value of a type; what it does is of no importance."""
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    return kind() if kind in (str, int, float, bool) else Mock(spec=kind)


def outside(field: Field) -> Iterator[Any]:
    """Yield values that a parameter cannot take: just outside each bound, of a wrong type, and no choice."""
    for kind in field.kinds:
        open_ended = inspect.isclass(kind) and (getattr(kind, "_is_protocol", False) or kind is object)
        if get_origin(kind) is not Literal and (open_ended or not inspect.isclass(kind)):
            return  # Not checked.
    yield object()
    numbers = {int, float}.intersection(field.kinds)
    if NoneType not in field.kinds:
        yield None
    if numbers:
        yield from (NAN, INFINITY, True, "1") if str not in field.kinds else ()
        for bound in field.bounds:
            match bound:
                case Ge(ge=low):
                    yield low - 1 if int in numbers else math.nextafter(low, -INFINITY)
                case Gt(gt=low):
                    yield low
                case Le(le=high):
                    yield high + 1 if int in numbers else math.nextafter(high, INFINITY)
    if numbers == {int}:
        yield 1.5
    if bool in field.kinds:
        yield from (1, 0, "true")
    if str in field.kinds:
        yield 3
    choices = [str(choice) for kind in field.kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    if choices:
        yield from (f"{choices[0]}x", choices[0].upper())


@pytest.mark.parametrize("path", COMPONENTS)
def test_every_component_refuses_what_it_does_not_declare(path: str) -> None:
    made: Any = COMPONENTS[path]
    declared = {name: field for name, field in fields(made).items() if name != "pipelines"}
    name = component_name(made)
    arguments = {
        each: field.default if field.default is not inspect.Parameter.empty else stand_in(field.kinds[0])
        for each, field in declared.items()
    }
    whole = object.__new__(made)  # As if the constructor had been called: nothing is computed of a stand-in.
    whole.__dict__.update(arguments, pipelines=())
    for parameter, field in declared.items():
        if field.default is not inspect.Parameter.empty:
            assert field.accepts(field.default), parameter
        for value in outside(field):
            for refuse in (
                lambda given: made(**{**arguments, **given}),
                lambda given: [setattr(whole, each, value) for each, value in given.items()],
            ):
                with pytest.raises(LegalIRError) as caught:
                    refuse({parameter: value})
                error = caught.value
                assert (error.component, error.parameter) == (name, parameter)
                assert error.value is value
            assert vars(whole)[parameter] is arguments[parameter]


def test_every_component_is_there() -> None:
    found = {getattr(one, "name", "") for one in COMPONENTS.values()}
    assert {"bm25", "sar", "rrf", "rocchio", "dense", "quote", "listwise", "focus", "lookup", "judge_win"} <= found


class Searching(Protocol):
    def search(self) -> None: ...


def test_a_protocol_is_not_checked() -> None:
    class Holds(Component):
        index: Searching

    assert Holds("anything").index == "anything"  # type: ignore[arg-type]


def test_a_pipeline_that_is_given_as_text_is_refused_with_the_cure() -> None:
    class Outer(Declared):
        inner: Annotated[pt.Transformer | None, "searches"] = None
        title: str = ""

    with pytest.raises(ComponentError, match="without quotes"):
        Outer(inner="lsa")  # type: ignore[arg-type]
    with pytest.raises(ComponentError) as caught:
        Outer(title=3)  # type: ignore[arg-type]
    assert "quotes" not in str(caught.value)
