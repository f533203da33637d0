"""Family smoothing as a transformer: values, frames, parameters, faults, explanations."""

from __future__ import annotations

import pandas as pd
import plain_family
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import ComponentError
from legalir.explanation import explain
from legalir.graph.family import FamilySmoothing
from legalir.graph.laws import LawTable, statute_of

LAW = {
    **{f"a-{i}": "소방법" for i in range(3)},
    **{f"d-{i}": "소방법 시행령" for i in range(3)},
    **{f"b-{i}": "건축법" for i in range(3)},
    **{f"n-{i}": "" for i in range(2)},
}
FAMILY = {docno: statute_of(law) for docno, law in LAW.items()}


@pytest.fixture(name="laws", scope="module")
def built_laws(tmp_path_factory: pytest.TempPathFactory) -> LawTable:
    path = tmp_path_factory.mktemp("family") / "laws"
    return LawTable(path).index({"docno": docno, "law": law} for docno, law in LAW.items())


def listed(qid: str, scores: dict[str, float]) -> pd.DataFrame:
    frame = pd.DataFrame({"qid": qid, "query": "질문", "docno": list(scores), "score": list(scores.values())})
    return frame.astype({"score": float})


class Given(pt.Transformer):
    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return listed(inp["qid"].iloc[0], self.scores)


def scores_of(found: pd.DataFrame) -> dict[str, float]:
    return dict(zip(found["docno"], found["score"], strict=True))


def test_values_worked_out_by_hand(laws: LawTable) -> None:
    """Scores 10, 8, 6, 4, 2, 0 are S = 1, 0.8, 0.6, 0.4, 0.2, 0.

    Family 소방법: d-0 0.8, a-0 0.6, a-1 0.4, whose best 2 make (0.8 + 0.6)/2 = 0.7; 건축법: 1 and 0, so 0.5. n-0 has no
    law: 0.2/2 = 0.1. With weight 1: b-0 1.5, d-0 1.5, a-0 1.3, a-1 1.1, b-1 0.5, n-0 0.3; b-0 is before d-0 by docno.
    By law, d-0 is alone: 0.8 + 0.4 = 1.2; a-0 and a-1 have 0.5.
    """
    first = listed("q", {"b-0": 10, "d-0": 8, "a-0": 6, "a-1": 4, "n-0": 2, "b-1": 0})
    found = FamilySmoothing(laws, weight=1, m=2)(first)
    assert found["docno"].tolist() == ["b-0", "d-0", "a-0", "a-1", "b-1", "n-0"]
    assert found["score"].tolist() == pytest.approx([1.5, 1.5, 1.3, 1.1, 0.5, 0.3])
    by_law = scores_of(FamilySmoothing(laws, weight=1, m=2, group="law")(first))
    assert by_law == pytest.approx({"b-0": 1.5, "d-0": 1.2, "a-0": 1.1, "a-1": 0.9, "b-1": 0.5, "n-0": 0.3})
    raw = scores_of(FamilySmoothing(laws, weight=0.5, m=1, normalize="none")(first))
    assert raw == {"b-0": 15, "d-0": 12, "a-0": 10, "a-1": 8, "n-0": 3, "b-1": 5}


LISTS = st.dictionaries(st.sampled_from([*LAW, "unknown"]), st.integers(-3, 6).map(float), min_size=2)


@given(st.lists(LISTS, min_size=1, max_size=3), st.floats(0, 3), st.integers(1, 4))
def test_scores_are_those_of_the_formula(laws: LawTable, lists: list[dict[str, float]], weight: float, m: int) -> None:
    frame = pd.concat([listed(f"q{number}", scores) for number, scores in enumerate(lists)])
    shuffled = frame.sample(frac=1, random_state=1)
    for group, of in (("law", LAW), ("family", FAMILY)):
        reranker = FamilySmoothing(laws, weight=weight, m=m, group=group)  # type: ignore[arg-type]
        found = reranker(frame)
        for number, scores in enumerate(lists):
            rows = found[found["qid"] == f"q{number}"]
            assert scores_of(rows) == pytest.approx(plain_family.smoothed(scores, of, weight, m), abs=1e-12)
            ordered = sorted(zip(-rows["score"], rows["docno"], strict=True))
            assert rows["docno"].tolist() == [docno for _, docno in ordered]
            other = reranker(shuffled[shuffled["qid"] == f"q{number}"])
            pd.testing.assert_frame_equal(other, rows.reset_index(drop=True), check_exact=True)


def test_faults_are_named(laws: LawTable, caplog: pytest.LogCaptureFixture) -> None:
    reranker = FamilySmoothing(laws)
    with pytest.raises(ComponentError, match=r"family: laws=\{\}.*LawTable"):
        FamilySmoothing({})  # type: ignore[arg-type]
    with pytest.raises(ComponentError, match=r"family.*'a-0'.*'q'"):
        reranker(listed("q", {"a-0": float("nan")}))
    with pytest.raises(ComponentError, match=r"family: 'a-0'.*'q'"):
        reranker(pd.concat([listed("q", {"a-0": 1}), listed("q", {"a-0": 2})]))
    reranker(listed("q", {"x": 1}))
    (record,) = caplog.records
    assert record.getMessage().startswith("family: none of the 1 retrieved provisions (such as 'x') is in LawTable(")
    with pytest.raises(ComponentError, match=r"-2.*'b-0'.*'q'.*0.*normalize='none'"):
        FamilySmoothing(laws, normalize="none")(listed("q", {"a-0": 1, "b-0": -2}))


def test_an_explanation_names_who_lifts_a_provision(laws: LawTable) -> None:
    first = Given({"b-0": 10, "d-0": 8, "a-0": 6, "a-1": 4, "n-0": 2, "b-1": 0})
    found, lone = explain(first >> FamilySmoothing(laws, m=2), "질문", ["a-1", "n-0"])
    assert found.label == "family(weight=0.3, m=2, group=family)"
    assert [part.label for part in found.parts] == [
        "S at rank 4 of the list (4 by minmax)",
        "0.3 × best of law family 소방법: d-0 0.8000, a-0 0.6000",
    ]
    assert found.parts[1].value == pytest.approx(0.21)
    assert found.parts[1].detail["members"] == [
        {"docno": "d-0", "rank": 2, "S": pytest.approx(0.8)},
        {"docno": "a-0", "rank": 3, "S": pytest.approx(0.6)},
    ]
    assert lone.parts[1].label == "0.3 × best of itself, without a law: n-0 0.2000"
