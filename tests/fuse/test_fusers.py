"""Every fusion: values by hand, a second implementation, and what holds for every fusion."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from fixed import Fixed, Listed, frame, one, scores, topics
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_fusion import borda, fused, greatest, multiplied, normalized, reciprocal, squared
from refusals import refused

from legalir.errors import ComponentError
from legalir.explanation import explain
from legalir.frames.chain import Chain
from legalir.frames.ranking import RankedLists, rank_results
from legalir.fuse.fuser import Fuser
from legalir.fuse.linear import CombMAX, CombMNZ, LinearFusion, dbsf, linear
from legalir.fuse.rrf import ISR, RRF, Borda, WeightedRRF, rrf, wrrf

MAKERS: dict[str, Callable[..., Fuser]] = {
    "rrf": RRF,
    "wrrf": lambda *p: WeightedRRF(*p, weights=[(i + 1) / (len(p) * (len(p) + 1) / 2) for i in range(len(p))]),
    "minmax": lambda *p: LinearFusion(*p, weights=[i + 0.5 for i in range(len(p))]),
    "zscore": lambda *p: LinearFusion(*p, weights=[i + 0.5 for i in range(len(p))], normalize="zscore"),
    "none": lambda *p: LinearFusion(*p, weights=[i - 0.7 for i in range(len(p))], normalize="none"),
    "dbsf": lambda *p: dbsf(None, *p),
    "combmnz": CombMNZ,
    "combmax": lambda *p: CombMAX(*p, normalize="none"),
    "isr": ISR,
    "borda": Borda,
}
COLUMNS = ["qid", "query", "year", "docno", "score", "rank"]


@pytest.fixture(name="make", params=list(MAKERS))
def made_fuser(request: pytest.FixtureRequest) -> Callable[..., Fuser]:
    return MAKERS[request.param]


def test_rrf_by_hand() -> None:
    # a: 1/61 + 1/63; b: 1/62; c: 1/63 + 1/61, equal to a, later in the alphabet; d: 1/62, equal to b.
    found = RRF(one("a", "b", "c"), one("c", "d", "a"))(topics("q1"))
    assert found["docno"].tolist() == ["a", "c", "b", "d"]
    assert found["score"].tolist() == pytest.approx([1 / 61 + 1 / 63] * 2 + [1 / 62] * 2, rel=1e-15)
    assert found["rank"].tolist() == [0, 1, 2, 3]
    assert list(found.columns) == COLUMNS


def test_weighted_rrf_is_that_of_the_paper() -> None:
    # SearchFireSafety, k = 5, weights .1 and .9. A document that leads the dense list and is absent from the sparse
    # one gets .9/(5 + 1) = .15. An engine whose form is 1/(k' + (r + 1)/w − 1), r from 0, where k' = 6 is our k = 5
    # for w = 1, gives it 1/(6 + 1/.9 − 1) = 9/55 = .1636.
    found = scores(WeightedRRF(one("s"), one("d", "s"), weights=[0.1, 0.9])(topics("q1")))
    assert found == pytest.approx({"d": 0.15, "s": 0.1 / 6 + 0.9 / 7})


def test_linear_by_hand() -> None:
    lists = Fixed({"q1": [("a", 10.0), ("b", 6.0), ("c", 2.0)]}), Fixed({"q1": [("c", 1.0), ("d", 0.5)]})
    # min-max: a 1, b ½, c 0; c 1, d 0.
    found = LinearFusion(*lists, weights=[0.6, 0.4])(topics("q1"))
    assert scores(found) == pytest.approx({"a": 0.6, "c": 0.4, "b": 0.3, "d": 0.0})
    # σ of 10, 6, 2 is √(32/3); σ of 1, ½ is ¼: a 8/σ, b 4/σ, c 0; c 2, d 0.
    sigma = (32 / 3) ** 0.5
    found = LinearFusion(*lists, weights=[1, 2], normalize="zscore")(topics("q1"))
    assert scores(found) == pytest.approx({"c": 4, "a": 8 / sigma, "b": 4 / sigma, "d": 0})
    found = LinearFusion(*lists, weights=[1, -2], normalize="none")(topics("q1"))
    assert scores(found) == pytest.approx({"a": 10, "b": 6, "c": 0, "d": -1})


def test_the_others_by_hand() -> None:
    lists = Fixed({"q1": [("a", 10.0), ("b", 6.0), ("c", 2.0)]}), Fixed({"q1": [("c", 1.0), ("d", 0.5)]})

    def found(fuser: Fuser) -> dict[str, float]:
        return scores(fuser(topics("q1")))

    # min-max: a 1, b ½, c 0; c 1, d 0. Without weights, each list has 1.
    assert found(LinearFusion(*lists)) == {"a": 1, "c": 1, "b": 0.5, "d": 0}
    assert found(CombMNZ(*lists)) == {"c": 2, "a": 1, "b": 0.5, "d": 0}
    assert found(CombMAX(*lists)) == {"a": 1, "c": 1, "b": 0.5, "d": 0}
    # c is third and first: 2 · (1/9 + 1).
    assert found(ISR(*lists)) == pytest.approx({"c": 20 / 9, "a": 1, "b": 1 / 4, "d": 1 / 4}, rel=1e-15)
    # 4 documents. List 1 gives 4, 3, 2, and d the 1 that is left; list 2 gives 4, 3, and a and b (2 + 1)/2 each. So a
    # has 5.5, b 4.5, c 6, d 4; each less 1 + 1.5.
    assert found(Borda(*lists)) == {"c": 3.5, "a": 3, "b": 2, "d": 1.5}
    # σ of 10, 6, 2 with n − 1 is 4: (s − 6 + 12)/24 gives a 16/24, b 12/24, c 8/24; σ of 1, ½ is √⅛ and z ±√½.
    z = 0.5**0.5
    expected = {"c": 1 / 3 + (z + 3) / 6, "a": 2 / 3, "b": 1 / 2, "d": (3 - z) / 6}
    assert found(dbsf(None, *lists)) == pytest.approx(expected)
    assert found(dbsf(None, one("a"), Fixed({}), weights=[1, 2])) == {"a": 0.5}
    (most,) = explain(CombMAX(*lists, weights=[1, 0.5], normalize="none"), topics("q1"), ["c"])
    assert [(part.value, part.detail["counts"]) for part in most.parts] == [(2.0, True), (0.0, False)]


def test_each_list_may_have_its_own_normalisation() -> None:
    lists = Fixed({"q1": [("a", 8.0), ("b", 4.0), ("c", 0.0)]}), Fixed({"q1": [("c", 0.5), ("d", 0.25)]})
    mixed = LinearFusion(*lists, weights=[1, 2], normalize=["minmax", "none"])
    # a 8/8; c 0 + 2 · ½; b 4/8; d 2 · ¼.
    assert scores(mixed(topics("q1"))) == {"a": 1.0, "c": 1.0, "b": 0.5, "d": 0.5}
    assert mixed == LinearFusion(*lists, weights=[1, 2], normalize=("minmax", "none"))
    assert hash(mixed) == hash(LinearFusion(*lists, weights=[1, 2], normalize=("minmax", "none")))
    (found,) = explain(mixed, topics("q1"), ["c"])
    assert [part.label for part in found.parts] == ["1 × 0 (minmax of 0) in Fixed", "2 × 0.5 in Fixed"]
    assert [part.detail["normalize"] for part in found.parts] == ["minmax", "none"]


RANKED = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(-40, 40).map(lambda n: n / 4)), unique_by=lambda row: row[0]
).map(lambda rows: sorted(rows, key=lambda row: (-row[1], row[0])))
LISTS = st.lists(st.fixed_dictionaries({"q1": RANKED, "q2": RANKED}), min_size=1, max_size=4)


@given(lists=LISTS, k=st.integers(1, 100), normalize=st.sampled_from(["minmax", "zscore", "dbsf", "none"]))
def test_against_plain_python(lists: list[dict[str, list[tuple[str, float]]]], k: int, normalize: str) -> None:
    pipelines = [Fixed(given_lists) for given_lists in lists]
    weights = [(place + 1) / 10 for place in range(len(lists))]
    shares = [weight / sum(weights) for weight in weights]
    asked = topics("q2", "q1")
    rrf_found = RRF(*pipelines, k=k)(asked)
    weighted = WeightedRRF(*pipelines, weights=shares, k=k)(asked)
    params = {"weights": weights, "normalize": normalize}
    summed, times, most = (kind(*pipelines, **params)(asked) for kind in (LinearFusion, CombMNZ, CombMAX))
    squares, points = ISR(*pipelines)(asked), Borda(*pipelines)(asked)
    for qid in ("q1", "q2"):
        ranked = [given_lists[qid] for given_lists in lists]
        weighted_lists = [normalized(r, normalize, w) for r, w in zip(ranked, weights, strict=True)]
        assert list(scores(rrf_found, qid)) == [d for d, _ in fused([reciprocal(r, k) for r in ranked])]
        for found, values in (
            (rrf_found, [reciprocal(r, k) for r in ranked]),
            (weighted, [reciprocal(r, k, w) for r, w in zip(ranked, shares, strict=True)]),
            (summed, weighted_lists),
            (times, multiplied(weighted_lists)),
            (most, greatest(weighted_lists)),
            (squares, multiplied([squared(r) for r in ranked])),
            (points, borda(ranked)),
        ):
            assert scores(found, qid) == pytest.approx(dict(fused(values)), rel=1e-9, abs=1e-9)
            ordered = found[found["qid"] == qid]
            assert ordered["rank"].tolist() == list(range(len(ordered)))
            keys = list(zip(-ordered["score"], ordered["docno"], strict=True))
            assert keys == sorted(keys)


DECIMALS = st.sampled_from(["0.1", "0.05", "0.2", "0.9", "0.35", "0.001", "1"])
LONG = st.permutations(range(60)).map(
    lambda order: [(f"d{place:02}", float(-rank)) for rank, place in enumerate(order)]
)


@given(
    lists=st.lists(LONG, min_size=2, max_size=3),
    drawn=st.lists(DECIMALS, min_size=3, max_size=3),
    k=st.one_of(st.integers(1, 100).map(str), st.sampled_from(["1.3", "60.7", "2.25"])),
)
def test_equal_fractions_are_tied(lists: list[list[tuple[str, float]]], drawn: list[str], k: str) -> None:
    """Weights and k are decimals; the weight that is missing to 1 is that of an empty list."""
    weights = [Fraction(weight) / 3 for weight in drawn[: len(lists)]]
    weights = [Fraction(str(round(float(weight), 4))) for weight in weights]
    pipelines, rest = [Fixed({"q1": ranked}) for ranked in lists], 1 - sum(weights)
    wrrf_ = WeightedRRF(*pipelines, Fixed({}), weights=[float(weight) for weight in (*weights, rest)], k=float(k))
    held = len(lists)
    for fuser, share in (
        (RRF(*pipelines, k=float(k)), lambda _, rank: 1 / (Fraction(k) + rank)),
        (wrrf_, lambda number, rank: weights[number] / (Fraction(k) + rank)),
        (ISR(*pipelines), lambda _, rank: Fraction(held, rank**2)),
    ):
        exact = {f"d{place:02}": Fraction(0) for place in range(60)}
        for number, ranked in enumerate(lists):
            for rank, (docno, _) in enumerate(ranked, start=1):
                exact[docno] += share(number, rank)
        expected = sorted(exact, key=lambda docno: (-exact[docno], docno))
        assert list(scores(fuser(topics("q1"))).items()) == [(docno, float(exact[docno])) for docno in expected]


def random_pipelines(seed: int = 3) -> list[Fixed]:
    source = np.random.default_rng(seed)
    found = []
    for _ in range(3):
        runs = {}
        for qid in ("q1", "q2", "q3", "q4"):
            docnos = source.choice(60, size=30, replace=False)
            values = np.sort(source.integers(0, 12, size=30))[::-1] / 3
            runs[qid] = [(f"d{d}", float(v)) for d, v in zip(docnos, values, strict=True)]
        found.append(Fixed(runs))
    return found


def test_empty_lists(make: Callable[..., Fuser]) -> None:
    nothing, something = Fixed({}), one("a", "b")
    found = make(nothing, something, nothing)(topics("q0", "q1"))
    assert found["docno"].tolist() == ["a", "b"]
    assert found["year"].tolist() == [1, 1]
    none = make(nothing, nothing)(topics("q0", "q1"))
    assert list(none.columns) == COLUMNS
    assert len(none) == 0


def test_result_rows_as_input_are_their_queries(make: Callable[..., Fuser]) -> None:
    asked = topics("q1", "q2")
    rows = asked.merge(frame({"q1": [("zz", 9.0), ("yy", 8.0)], "q2": [("zz", 9.0)]}), on="qid")
    rows["text"] = "a text of the document"
    fuser = make(*random_pipelines())
    pd.testing.assert_frame_equal(fuser(rows), fuser(asked))


def test_the_input_stays_as_it_is(make: Callable[..., Fuser]) -> None:
    class Careless(Fixed):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            inp["query"] = "overwritten"
            return super().transform(inp)

    asked = topics("q1")
    found = make(Careless({"q1": [("a", 1.0)]}), one("b"))(asked)
    assert asked["query"].tolist() == ["query q1"]
    assert set(found["query"]) == {"query q1"}


def test_equal_pipelines_and_equal_beginnings_run_once() -> None:
    shared, other = one("a", "b"), one("c")
    found = RRF(shared, shared % 1, shared >> pt.RankCutoff(1) >> pt.RankCutoff(1), other, shared)(topics("q1"))
    assert (shared.calls, other.calls) == (1, 1)
    assert scores(found) == pytest.approx({"a": 4 / 61, "b": 2 / 62, "c": 1 / 61})


@settings(max_examples=15)
@given(lists=LISTS, order=st.permutations(["q0", "q1", "q2"]), listed=st.lists(st.booleans(), min_size=4, max_size=4))
def test_ranked_lists_are_fused_as_frames_are(
    make: Callable[..., Fuser], lists: list[dict[str, list[tuple[str, float]]]], order: list[str], listed: list[bool]
) -> None:
    frames = [Fixed(given_lists) for given_lists in lists]
    mixed = [(Listed if each else Fixed)(given_lists) for each, given_lists in zip(listed, lists, strict=False)]
    asked = topics(*order)
    pd.testing.assert_frame_equal(make(*mixed)(asked), make(*frames)(asked), check_exact=True)
    assert [pipeline.calls for pipeline in mixed] == [1] * len(mixed)


def test_no_frame_is_made_within_a_chain(make: Callable[..., Fuser], monkeypatch: pytest.MonkeyPatch) -> None:
    def nested(first: Fixed, second: Fixed, third: Fixed) -> Fuser:
        return make(make(first, second), third % 7)

    asked = topics("q2", "q1")
    ordered = [rank_results(pipeline.results) for pipeline in random_pipelines()]
    whole = nested(*map(Fixed, ordered))(asked)
    made: list[int] = []
    frame_of = RankedLists.frame
    monkeypatch.setattr(RankedLists, "frame", lambda lists: made.append(len(lists.query)) or frame_of(lists))
    fuser = nested(*map(Listed, ordered))
    best = whole[whole["rank"] < 5].reset_index(drop=True)
    pd.testing.assert_frame_equal(Chain(fuser, pt.RankCutoff(5))(asked), best, check_exact=True)
    pd.testing.assert_frame_equal((fuser % 5).compile()(asked), best, check_exact=True)
    assert made == [10, 10]


def test_equal_beginnings_that_return_lists_run_once() -> None:
    shared, other = Listed(one("a", "b").results), Listed(one("c").results)
    found = RRF(shared % 1, other, shared >> pt.RankCutoff(2), shared)(topics("q1"))
    assert (shared.calls, other.calls) == (1, 1)
    assert scores(found) == pytest.approx({"a": 3 / 61, "b": 2 / 62, "c": 1 / 61})


@pytest.mark.parametrize(("qids", "fault"), [(["q1", "q1"], "twice"), (["q1a"], "not given")])
def test_lists_of_queries_that_a_pipeline_makes_up_are_refused(qids: list[str], fault: str) -> None:
    rewriter = pt.apply.generic(lambda _: topics(*qids))
    with pytest.raises(ComponentError, match=rf"^rrf: .*pipeline 1, 'a' .*'{qids[-1]}' .*{fault}"):
        RRF(rewriter >> Listed({qid: [("a", 1.0)] for qid in qids}))(topics("q1"))


def test_what_each_pipeline_adds_to_the_frames_is_dropped() -> None:
    rich = one("a")
    rich.results["query_vec"] = 1
    assert list(RRF(rich, one("a"))(topics("q1")).columns) == COLUMNS


@settings(max_examples=15)
@given(lists=LISTS)
def test_explanations_add_up(make: Callable[..., Fuser], lists: list[dict[str, list[tuple[str, float]]]]) -> None:
    fuser = make(*[Fixed(given_lists) for given_lists in lists])
    asked = topics("q1")
    explained = explain(fuser, asked)
    assert [(e.docno, e.score) for e in explained] == list(scores(fuser(asked)).items())
    for explanation in explained:
        assert explanation.is_whole()
        assert all(part.label != "not explained" for part in explanation.parts)
        holders = [runs for runs in lists if explanation.docno in dict(runs["q1"])]
        assert len(explanation.parts) == len(holders)
        for part, runs in zip(explanation.parts, holders, strict=True):
            assert part.source is not None
            assert part.source.score == part.detail["score"] == dict(runs["q1"])[explanation.docno]


def test_an_explanation_in_words() -> None:
    first, second = one("a", "b"), one("b")
    (found,) = explain(WeightedRRF(first, second, weights=[0.25, 0.75]), topics("q1"), ["a"])
    assert [part.label for part in found.parts] == ["rank 1: 0.25/(5 + 1) in Fixed"]
    assert found.note == "not returned by Fixed"
    (found,) = explain(LinearFusion(first, weights=[2]), topics("q1"), ["b"])
    assert [part.label for part in found.parts] == ["2 × 0 (minmax of 1) in Fixed"]


@pytest.mark.parametrize(
    ("make_one", "fact"),
    [
        (lambda: RRF(), "rrf: .*at least one pipeline"),
        (lambda: RRF(one("a"), 3), "rrf: pipeline 2 is 3"),
        (lambda: wrrf(None, one("a"), one("b"), weights=[0.5, 0.6]), r"wrrf: .*sum to 1\.1"),
        (lambda: wrrf(None, one("a"), one("b"), weights=[1.5, -0.5]), r"wrrf: .*-0\.5 is below 0"),
        (lambda: wrrf(None, one("a"), weights=[0.5, 0.5]), "wrrf: .*2 weights for 1 pipelines"),
        (lambda: wrrf(None, one("a"), weights=["1"]), r"wrrf: weights=\['1'\] .*finite"),
        (lambda: wrrf(None, one("a"), weights=[float("nan")]), r"wrrf: weights=\[nan\] .*finite"),
        (lambda: linear(None, one("a"), weights=[0]), "linear: every weight is 0"),
        (lambda: linear(None, one("a"), weights=[True]), r"linear: weights=\[True\] .*finite"),
        (
            lambda: linear(None, one("a"), weights=[1], normalize=["minmax", "none"]),
            "linear: .*2 names in normalize for 1 pipelines",
        ),
    ],
)
def test_wrong_parameters(make_one: Callable[[], Fuser], fact: str) -> None:
    with pytest.raises(ComponentError, match=f"^{fact}") as caught:
        make_one()
    if "pipeline" not in fact or "for 1 pipelines" in fact:
        assert caught.value.component == fact.partition(":")[0]
        assert caught.value.parameter == ("normalize" if "normalize" in fact else "weights")


@pytest.mark.parametrize(("normalize", "value"), [(["max"], "max"), ("max", "max"), (3, 3)])
def test_a_normalization_that_there_is_not(normalize: Any, value: object) -> None:
    with refused("linear", "normalize", value):
        linear(None, one("a"), weights=[1], normalize=normalize)


def test_weights_may_miss_one_by_rounding() -> None:
    assert len(rrf(None, one("a"))(topics("q1"))) == 1
    fused_by_thirds = WeightedRRF(one("a"), one("b"), one("c"), weights=np.array([0.3333333, 0.3333333, 0.3333334]))
    assert scores(fused_by_thirds(topics("q1"))).keys() == {"a", "b", "c"}


def test_lists_that_cannot_be_fused_are_named() -> None:
    set_only = one("a") | one("b")
    with pytest.raises(ComponentError, match=r"^rrf: pipeline 2 .*'score'"):
        RRF(one("a"), set_only)(topics("q1"))
    with pytest.raises(ComponentError, match=r"^linear: .*pipeline 1, 'a' .*'q1' .*score"):
        LinearFusion(Fixed({"q1": [("a", float("nan"))]}), weights=[1])(topics("q1"))
    with pytest.raises(ComponentError, match=r"^rrf: .*'q1' .*twice"):
        RRF(one("a"))(topics("q1", "q1"))
