"""Identity, representation and parameters of components."""

from __future__ import annotations

import copy
import pickle
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pytest

from legalir.declared import check_choice, check_number
from legalir.errors import ComponentError, ModelError
from legalir.frames.component import Component, Cuttable


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


class Power(Cuttable):
    """Keeps what it derives from its arguments when it is made, and when it is used."""

    def __init__(self, *bases: float, exponent: float = 2, num_results: int = 9, **names: object) -> None:
        check_number("power", "exponent", exponent, low=0)
        self.bases = bases
        self.num_results = num_results
        self.names = names
        self.exponent = exponent
        self.exponent = float(exponent)  # Twice, as constructors of others may do it.
        self.root = 1 / self.exponent if exponent else 0.0

    @cached_property
    def powers(self) -> list[float]:
        return [base**self.exponent for base in self.bases]


def test_an_argument_that_is_set_makes_the_component_that_the_constructor_makes() -> None:
    power = Power(1, 2, 3, names="x")
    assert power.powers == [1, 4, 9]
    power.exponent = 3
    assert (power.powers, power.root) == ([1, 8, 27], 1 / 3)
    assert power == Power(1, 2, 3, exponent=3, names="x") and hash(power) == hash(Power(1, 2, 3, exponent=3, names="x"))
    assert repr(power) == repr(Power(1, 2, 3, exponent=3, names="x"))
    power.set_parameter("bases", (4,))
    assert power.powers == [64] and power.get_parameter("bases") == (4,)


@pytest.mark.parametrize("value", [-1, "2", float("nan"), None, True])
def test_a_value_that_the_constructor_refuses_leaves_the_component_as_it_is(value: Any) -> None:
    power = Power(2)
    before = {**vars(power), "powers": power.powers}
    with pytest.raises(ComponentError, match="exponent"):
        power.exponent = value
    assert vars(power) == before


def test_other_attributes_are_free() -> None:
    power = Power(2)
    assert power.powers == [4]
    power.note = "mine"  # type: ignore[attr-defined]
    assert power.powers is vars(power)["powers"]


def test_copies_and_pickles_hold_the_arguments() -> None:
    power = Power(2, exponent=3, names="x")
    before = pickle.dumps(power)
    assert power.powers == [8]
    assert pickle.dumps(power) == before
    for other in (pickle.loads(before), copy.copy(power), copy.deepcopy(power)):
        assert other == power and "powers" not in vars(other)
        other.exponent = 1
        assert (other.powers, power.powers) == ([2], [8])


def test_a_cut_keeps_what_was_computed() -> None:
    power = Power(2)
    powers = power.powers
    cut = power.fuse_rank_cutoff(3)
    assert cut is not None and (cut.num_results, power.num_results) == (3, 9)
    assert cut.powers is powers
    cut.exponent = 1
    assert (cut.powers, cut.num_results, power.powers) == ([2], 3, powers)


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
    with pytest.raises(ComponentError, match=r"k1=inf.*0"):
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
