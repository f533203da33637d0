"""Identity, representation and parameters of components."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from legalir.errors import ComponentError, ModelError
from legalir.frames.component import Component, check_choice, check_number


class Shift(Component):
    def __init__(self, by: float = 1.0, names: object = None, *, label: str = "x") -> None:
        self.by = by
        self.names = names
        self.label = label

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(score=inp["score"] + self.by)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(score=pd.Series(dtype=float))


class Other(Shift):
    pass


def test_equal_arguments_make_equal_components() -> None:
    assert Shift(2, label="y") == Shift(by=2.0, label="y")
    assert hash(Shift(2, label="y")) == hash(Shift(by=2.0, label="y"))


def test_other_arguments_or_classes_make_other_components() -> None:
    assert Shift(2) != Shift(3)
    assert Shift() != Shift(label="y")
    assert Shift() != Other()
    assert Shift() != "Shift()"


def test_arguments_that_are_containers_can_be_hashed() -> None:
    one, two = ({"b": [1, {"c": (2,)}], "a": []} for _ in range(2))
    assert Shift(names=one) == Shift(names=two)
    assert hash(Shift(names=one)) == hash(Shift(names=two))
    assert hash(Shift(names=[1])) != hash(Shift(names=[2]))


def test_the_representation_rebuilds_it() -> None:
    component = Shift(0.5, ["a"], label="빛")
    assert repr(component) == "Shift(by=0.5, names=['a'], label='빛')"
    assert eval(repr(component)) == component


def test_an_empty_frame_takes_the_path_of_its_own() -> None:
    assert list(Shift().transform(pd.DataFrame(columns=["qid"])).columns) == ["qid", "score"]
    frame = pd.DataFrame({"qid": ["1"], "score": [1.0]})
    assert list(Shift(2).transform(frame)["score"]) == [3.0]


def test_a_component_without_arguments_has_an_identity() -> None:
    class Nothing(Component):
        def __init__(self) -> None:
            pass

    assert Nothing() == Nothing()
    assert repr(Nothing()) == "Nothing()"


def test_a_class_must_say_what_it_does() -> None:
    class Nothing(Component):
        def __init__(self) -> None:
            pass

    for frame in (pd.DataFrame({"qid": ["1"]}), pd.DataFrame(columns=["qid"])):
        with pytest.raises(NotImplementedError):
            Nothing().transform(frame)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.25), np.float64(1), np.int64(1)])
def test_numbers_in_range_are_fine(value: object) -> None:
    check_number("sar", "beta", value, low=0, high=1)


@pytest.mark.parametrize("value", [-0.01, 1.01, "0.5", None, True, float("nan"), float("inf"), [1], 1j])
def test_numbers_out_of_range_are_named(value: object) -> None:
    with pytest.raises(ComponentError) as caught:
        check_number("sar", "beta", value, low=0, high=1)
    assert str(caught.value) == f"sar: beta={value!r} is not a number from 0 to 1."


@pytest.mark.parametrize("value", [0, 1.0, 2.5, float("inf"), False, "3", None])
def test_integers_are_integers(value: object) -> None:
    with pytest.raises(ComponentError, match=r"^sar: k=.* is not an integer of at least 1\.$"):
        check_number("sar", "k", value, low=1, integer=True)
    check_number("sar", "k", np.int32(3), low=1, integer=True)


def test_infinity_is_no_number_even_without_a_bound() -> None:
    with pytest.raises(ComponentError, match="k1=inf is not a number of at least 0"):
        check_number("bm25", "k1", float("inf"), low=0)


def test_a_choice_is_one_of_them() -> None:
    check_choice("sar", "direction", "in", ("out", "in"))
    with pytest.raises(ComponentError, match=r"^sar: direction='oot' is not one of out, in\. Did you mean 'out'\?$"):
        check_choice("sar", "direction", "oot", ("out", "in"))
    with pytest.raises(ComponentError, match=r"^sar: direction=\['in'\] is not one of out, in\.$"):
        check_choice("sar", "direction", ["in"], ("out", "in"))
    with pytest.raises(ModelError, match=r"^dtype=8 is not one of float16\.$"):
        check_choice("", "dtype", 8, ("float16",), ModelError)


def test_a_component_without_parameters_is_equal_to_its_like() -> None:
    class Plain(Component):
        """Takes nothing."""

    assert Plain() == Plain()
    assert hash(Plain()) == hash(Plain())
    assert repr(Plain()) == "Plain()"
