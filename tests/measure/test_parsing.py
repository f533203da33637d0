from __future__ import annotations

import ast
import re

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from legalir.errors import MeasureError
from legalir.measure import MicroR, MultiHitRate, MultiMRR, parse_measures


def test_names_become_measures_in_order_and_once() -> None:
    assert parse_measures(["nDCG@10", " MultiMRR@5 ", R @ 3, "R@3", "MicroR(rel=2)@5"]) == [
        nDCG @ 10, MultiMRR @ 5, R @ 3, MicroR(rel=2) @ 5,
    ]  # fmt: skip
    assert parse_measures("RR@10") == [RR @ 10]
    assert parse_measures(MultiHitRate @ 1) == [MultiHitRate @ 1]
    assert parse_measures(text for text in ["AP"]) == [ir_measures.AP]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("MultiMrr@10", "There is no measure 'MultiMrr'. Did you mean 'MultiMRR'?"),
        ("ndcg@10", "There is no measure 'ndcg'. Did you mean 'nDCG'?"),
        ("nDGC@10", "There is no measure 'nDGC'. Did you mean 'nDCG'?"),
        ("MPA", "Did you mean 'MAP'?"),
        ("ndcg_cut_10", "Did you mean 'nDCG@10'?"),
        ("map", "Did you mean 'AP'?"),
        ("recip_rank", "Did you mean 'RR'?"),
        ("official", "There is no measure 'official'."),
        ("MicroRecall(rel=2)@5", "There is no measure 'MicroRecall'."),
        ("qqqqq", "Write it as ir_measures does"),
        ("R", "Measure 'R' needs its cutoff: write 'R@10'."),
        ("MicroR", "Measure 'MicroR' needs its cutoff: write 'MicroR@10'."),
        ("R@0", "must have an integer from 1 as its cutoff, got 0."),
        ("MultiMRR@-1", "must have an integer from 1 as its cutoff, got -1."),
        ("MultiMRR@2.5", "must have an integer from 1 as its cutoff, got 2.5."),
        ("MultiMRR@True", "as its cutoff, got True"),
        ("MultiMRR(rel='x')@5", "cannot have rel='x': it is the minimum relevance score"),
        ("MultiMRR(depth=3)", "Measure 'MultiMRR(depth=3)' has no parameter 'depth'. Its parameters: cutoff, rel."),
        ("MultiMRR(cutof=3)", "has no parameter 'cutof'. Did you mean 'cutoff'?"),
        ("R@", "'R@' is not the name of a measure."),
        ("R(5)", "'R(5)' is not the name of a measure."),
        ("", "'' is not the name of a measure."),
        ("R@5, RR@10", "is not the name of a measure."),
        ("__import__('os')", "is not the name of a measure."),
        (5, "5 is not the name of a measure."),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse_measures([text])
    assert words in str(caught.value)


def test_a_measure_object_with_a_wrong_parameter() -> None:
    with pytest.raises(MeasureError, match=r"'MultiMRR'.*'depth'"):
        parse_measures([MultiMRR(depth=3)])


def test_nothing_installed_computes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ir_measures.DefaultPipeline.providers:
        monkeypatch.setattr(provider, "_is_available", provider.NAME == "legalir")
    with pytest.raises(MeasureError, match="'nDCG@5'"):
        parse_measures(["nDCG@5"])
    assert parse_measures(["MicroR@5"]) == [MicroR @ 5]


@pytest.mark.parametrize("name", [*ir_measures.measures.registry])
@pytest.mark.parametrize("form", ["{}", "{}@10", "{}(rel=2)@10", "{}(gains={{1: 2}})@5", "{}(judged_only=True)"])
def test_a_name_means_what_it_means_to_ir_measures(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = form.format(name)
    try:
        theirs = ir_measures.parse_measure(text)
    except TypeError:  # It takes no cutoff.
        theirs = None
    for node in ("Num", "Str", "NameConstant"):  # Python 3.14 has them no more.
        monkeypatch.delattr(ast, node, raising=False)
    try:
        assert parse_measures(text) == [theirs]
    except MeasureError as error:
        assert theirs is None or re.search("has no parameter|needs its|cannot have|cannot be computed", str(error))


PIECES = st.sampled_from(["R", "MicroR", "(", ")", "@", "5", "-1", "rel=", ",", "{}", ":", "'", "\x00"])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30) | st.lists(PIECES).map("".join))
def test_random_text_ends_in_a_measure_or_a_measure_error(text: str) -> None:
    try:
        (measure,) = parse_measures([text])
    except MeasureError:
        return
    assert isinstance(measure, ir_measures.Measure)
