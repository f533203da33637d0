"""Predictions correlated with the scores of a system."""

from __future__ import annotations

import pandas as pd
import pytest
from fake_collection import DEFINITION, FakeCollection

from legalir.errors import ExperimentError
from legalir.experiments import ExperimentResult, run


@pytest.fixture(name="result", scope="module")
def result_of_the_fake_collection() -> ExperimentResult:
    return run(DEFINITION, collection=FakeCollection(), latency_queries=0)  # type: ignore[arg-type]


def test_a_prediction_that_is_the_measure_agrees_with_it(result: ExperimentResult) -> None:
    system, measure = result.table["name"].iloc[0], result.definition.measures[0]
    rows = result.per_query
    rows = rows[(rows["name"] == system) & (rows["measure"] == measure)]
    own = pd.DataFrame({"qid": rows["qid"], "query": "text", "query_own": rows["value"], "query_no": -rows["value"]})
    found = result.correlation(pd.concat([own, own]).assign(query_text="x", rank=0), system, measure)
    assert found["predictor"].tolist() == ["query_own", "query_no"]
    assert found["n"].tolist() == [len(rows)] * 2
    assert found["kendall"].tolist() == found["spearman"].tolist() == pytest.approx([1, -1])
    own.loc[own.index[0], "query_own"] = float("nan")
    assert result.correlation(own, system, measure)["n"].tolist() == [len(rows) - 1, len(rows)]
    assert set(result.correlation(own, system)["measure"]) == set(result.definition.measures)


@pytest.mark.parametrize(
    ("frame", "system", "measure", "words"),
    [
        ({"qid": ["1"], "query_nqc": [1.0]}, "nobody", None, "no system 'nobody'"),
        ({"qid": ["1"], "query_nqc": [1.0]}, None, "R@77", "no measure 'R@77'"),
        ({"qid": ["1"], "query": ["text"]}, None, None, "'qid', 'query': put >> predict"),
        ({"qid": ["unknown"], "query_nqc": [1.0]}, None, None, "No question has both"),
    ],
)
def test_what_cannot_be_correlated(
    result: ExperimentResult, frame: dict[str, list[object]], system: str | None, measure: str | None, words: str
) -> None:
    with pytest.raises(ExperimentError, match=words):
        result.correlation(pd.DataFrame(frame), system or result.table["name"].iloc[0], measure)
