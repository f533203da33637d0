"""Cut-offs and numbers of rewrites that follow the class of a question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from scripted import Scripted
from tiny_models import write_complexity

import legalir
from legalir import Client, explain
from legalir.errors import ComponentError, LegalIRError
from legalir_hypa.adaptive import Adaptive
from legalir_hypa.complexity import Complexity

QUESTIONS = pd.DataFrame(
    {"qid": ["1", "2", "3"], "query": ["창문 없는 층의 기준은?", "과태료가 얼마인가요?", "매장이 큽니다."]}
)
"""Of the classes 1, 2 and 0 of the tiny classifier."""


class Search(pt.Transformer):
    """Finds 20 provisions and remembers the questions."""

    def __init__(self) -> None:
        self.asked: list[pd.DataFrame] = []

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.asked.append(inp.copy())
        rows = [
            {**row, "docno": f"d{rank:02}", "score": 20.0 - rank, "rank": rank}
            for row in inp.to_dict("records")
            for rank in range(20)
        ]
        return pd.DataFrame(rows, columns=[*inp.columns, "docno", "score", "rank"])


@pytest.fixture(name="model")
def linear_model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    return write_complexity(folder)


def test_the_parameters_of_each_class(model: Path) -> None:
    search = Search()
    before = QUESTIONS.copy()
    out = Adaptive(search, Complexity(model))(QUESTIONS)
    pd.testing.assert_frame_equal(QUESTIONS, before)
    (asked,) = search.asked
    assert list(asked["complexity"]) == [1, 2, 0]
    assert list(asked["rewrites"]) == [5, 7, 3]
    assert list(asked["keywords"]) == [4, 5, 3]
    assert list(asked["paths"]) == [2, 3, 1]
    assert out.groupby("qid").size().to_dict() == {"1": 7, "2": 10, "3": 5}
    assert list(out.loc[out["qid"] == "3", "rank"]) == [0, 1, 2, 3, 4]
    assert {"complexity", "p_0", "rewrites", "paths"} < set(out.columns)


def test_any_column_of_integers() -> None:
    search = Search()
    steps = pd.Series([4, -1, 4], dtype=object)
    out = Adaptive(search, by="steps", k={-1: 2, 4: 3}, rewrites=None, keywords=None, paths=None)(
        QUESTIONS.assign(steps=steps)
    )
    assert out.groupby("qid").size().to_dict() == {"1": 3, "2": 2, "3": 3}
    assert list(search.asked[0].columns) == ["qid", "query", "steps"]
    everything = Adaptive(search, by="steps", k=None, rewrites=(1, 2))(QUESTIONS.assign(steps=[0, 1, 0]))
    assert len(everything) == 60
    assert list(search.asked[1]["rewrites"]) == [1, 2, 1]


def test_rewrite_reads_the_number(model: Path, tmp_path: Path) -> None:
    chat = Scripted(lambda request: json.dumps({"queries": ["창문의 기준", "층의 기준"]}))
    opened = legalir.Collection(
        "legalir/firecode", cache=tmp_path / "cache", client=Client(chat, cache=tmp_path / "llm.sqlite")
    )
    pipeline = opened.pipeline(f'adaptive(multi(bm25, rewrite), by=complexity("{model}"), rewrites=[2, 4, 6])')
    out = pipeline(QUESTIONS)
    limits = {one.question: json.dumps(one.schema) for one in chat.requests}
    for query, n in zip(QUESTIONS["query"], (4, 6, 2), strict=True):
        assert f'"maxItems": {n}' in limits[query]
    assert out.groupby("qid").size().to_dict() == {"1": 7, "2": 10, "3": 5}
    one = explain(pipeline, QUESTIONS.iloc[[2]])
    assert [each.docno for each in one] == list(out.loc[out["qid"] == "3", "docno"])
    assert all(each.is_whole() for each in one)
    assert pipeline.compile() == pipeline
    assert pipeline.label.startswith("adaptive(multi(")


MISTAKES: dict[str, dict[str, Any]] = {
    "by=3": {"by": 3},
    "by='' is neither": {"by": ""},
    r"k=\[\] is not a list of whole numbers of at least 1": {"k": []},
    r"k=\[5, 0\] is not a list": {"k": [5, 0]},
    r"k=\[5, True\] is not a list": {"k": [5, True]},
    "k=5 is not a list": {"k": 5},
    "rewrites='357' is not a list": {"rewrites": "357"},
    r"paths=\{'0': 1\} is not a list of whole numbers of at least 1, one a class, nor a mapping": {"paths": {"0": 1}},
}


@pytest.mark.parametrize("sentence", MISTAKES)
def test_wrong_parameters(sentence: str) -> None:
    with pytest.raises(ComponentError, match=f"adaptive: {sentence}"):
        Adaptive(Search(), **MISTAKES[sentence])


def test_wrong_frames(model: Path, tmp_path: Path) -> None:
    classes = QUESTIONS.assign(complexity=[0, 1, 3])
    with pytest.raises(ComponentError, match=r"'3'.*rewrites="):
        Adaptive(Search())(classes)
    for value in (1.5, "1", None, True):
        odd = pd.Series([0, 1, value], dtype=object)
        with pytest.raises(ComponentError, match=r"'complexity'.*'3'"):
            Adaptive(Search())(QUESTIONS.assign(complexity=odd))
    with pytest.raises(ComponentError, match="the result of Focus needs the column"):
        Adaptive(Search(), legalir.Focus())(QUESTIONS)
    with pytest.raises(ComponentError, match=r"result of its pipeline needs the column.* docno, rank"):
        Adaptive(legalir.Focus(), Complexity(model))(QUESTIONS)
    with pytest.raises(ComponentError, match="pipeline='bm25'"):
        Adaptive("bm25")  # type: ignore[arg-type]
    opened = legalir.Collection("legalir/firecode", cache=tmp_path / "cache")
    with pytest.raises(LegalIRError, match=r"needs the column\(s\) complexity"):
        opened.search("창문", "adaptive(bm25)")
