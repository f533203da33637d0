"""The arithmetic of experiments/static/recurrence.py, on invented queries."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parent.parent.parent / "experiments" / "static"


@pytest.fixture
def recurrence(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location("recurrence", FOLDER / "recurrence.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "recurrence", module)  # a dataclass looks its module up
    spec.loader.exec_module(module)
    return module


def test_similarities_against_a_calculation_by_hand(recurrence: ModuleType) -> None:
    # 2-grams: "abc" ab bc; "abd" ab bd; asked "abce" ab bc ce. N = 2; df ab 2, bc 1, bd 1, ce 0.
    ab, one, none = 1.0, 1 + np.log(3 / 2), 1 + np.log(3)
    asked = np.sqrt(ab**2 + one**2 + none**2)
    known = np.sqrt(ab**2 + one**2)
    expected = [(ab**2 + one**2) / (asked * known), ab**2 / (asked * known)]
    found = recurrence.similarities(["abce"], ["abc", "abd"])
    assert found.shape == (1, 2)
    assert found[0] == pytest.approx(expected, abs=1e-6)


def test_similarity_of_the_same_text_is_1_and_of_none_0(recurrence: ModuleType) -> None:
    found = recurrence.similarities(["가나다 라마", ""], ["가나다 라마", "바사"])
    assert found.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_copies_add_up_cosines_of_the_nearest_only(recurrence: ModuleType) -> None:
    cosines = np.array([0.5, 0.9, 0.5, 0.1])
    gold = [{"a"}, {"b", "c"}, {"a", "b"}, {"z"}]
    assert recurrence.copied(cosines, gold, 1, 1) == [("b", 0.9), ("c", 0.9)]
    three = recurrence.copied(cosines, gold, 3, 2)
    assert [docno for docno, _ in three] == ["b", "c", "a"]
    assert [score for _, score in three] == pytest.approx([0.81 + 0.25, 0.81, 0.5])


def test_of_equal_cosines_the_earlier_query_is_nearer(recurrence: ModuleType) -> None:
    assert recurrence.copied(np.array([0.5, 0.5]), [{"x"}, {"a"}], 1, 1) == [("x", 0.5)]


def test_groups_are_strictly_below_a_threshold_and_by_what_training_judged(recurrence: ModuleType) -> None:
    dev = recurrence.Queries(["1", "2", "3", "4"], ["", "", "", ""], [{"a"}, {"a", "n"}, {"n"}, {"a", "b"}])
    nearest = np.array([0.9, 0.2, 0.34, 0.34])
    found = {(by, group): rows.tolist() for by, group, rows in recurrence.groups(dev, nearest, {"a": 3, "b": 1})}
    assert found["below", "all"] == [0, 1, 2, 3]
    assert found["below", "0.90"] == [1, 2, 3]
    assert found["below", "0.25"] == [1]
    assert found["gold judged in training", "none"] == [2]
    assert found["gold judged in training", "some"] == [1]
    assert found["gold judged in training", "all"] == [0, 3]
    assert found["gold judged in training", "all, nearest below 0.35"] == [3]


def test_tenths_hold_every_query_once_the_farthest_first(recurrence: ModuleType) -> None:
    nearest = np.random.default_rng(3).random(47)
    rows = recurrence.tenths(nearest)
    assert sorted(np.concatenate(rows)) == list(range(47))
    assert {len(tenth) for tenth in rows} == {4, 5}
    assert all(nearest[one].max() <= nearest[next_].min() for one, next_ in itertools.pairwise(rows))


def test_share_of_provisions_is_pooled_over_queries(recurrence: ModuleType) -> None:
    dev = recurrence.Queries(["1", "2"], ["", ""], [{"a", "b", "n"}, {"a"}])
    finds = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "n", "b"], "rank": [0, 10, 0]})
    nothing = finds.iloc[:0]
    runs = {"static": finds, "BM25": nothing, "copies": nothing}
    lines = recurrence.provisions(dev, runs, {"a": 2, "b": 2})
    values = {(line[1], line[3]): (line[2], line[5]) for line in lines}
    assert values["0", "static"] == ("1", "0.0000")  # n stands at rank 11
    assert values["2 to 4", "static"] == values["2 to 4", "gain"] == ("2", "0.3333")  # a of {a, b} and {a}
    assert values["2 to 4", "BM25"] == ("2", "0.0000")
    assert ("1", "static") not in values  # no provision was right once


def test_differences_beyond_the_tolerance_and_new_lines(recurrence: ModuleType) -> None:
    line = ["below", "all", "4", "static", "R@10", "0.5000", "0.4", "0.6"]
    near, far, new = [*line[:5], "0.5150"], [*line[:5], "0.5250"], ["tenth", *line[1:5], "0.5000"]
    assert recurrence.differences([near], [line]) == []
    assert recurrence.differences([far, new], [line]) == ["\t".join(far), "\t".join(new)]
