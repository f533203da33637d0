"""PyTerrier-RAG both ways: its readers and measures over our lists, answers and datasets; its answers, judged by ours.

Each test runs with what its package does in a few lines, and with the package where it is installed.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from scripted import Scripted

import legalir
from legalir.llm.client import Client
from legalir.measure import parse_measures

ANSWER = "It is at least 24 hours before arrival."


class Rag:
    """What is used of PyTerrier-RAG, without it: columns in and out as in version 0.3."""

    @staticmethod
    def reader() -> pt.Transformer:
        """Return ``Concatenator() >> Reader(backend)``; the backend always writes the same."""

        def context(frame: pd.DataFrame) -> pd.DataFrame:
            best = frame.sort_values("score", ascending=False, kind="stable")
            return best.groupby("qid").agg(qcontext=("text", "\n".join), query=("query", "first")).reset_index()

        def read(frame: pd.DataFrame) -> pd.DataFrame:
            prompts = [f"{one.qcontext}\n{one.query}" for one in frame.itertuples()]
            return pd.DataFrame({"prompt": prompts, "qid": frame["qid"], "query_0": frame["query"], "qanswer": ANSWER})

        return pt.apply.generic(context) >> pt.apply.generic(read)

    @staticmethod
    def f1() -> Any:
        def words(text: str) -> list[str]:
            kept = "".join(one for one in text.lower() if one.isalnum() or one.isspace())
            return [word for word in kept.split() if word not in ("a", "an", "the")]

        def best(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
            own, scores = words(run.iloc[0]["qanswer"]), [0.0]
            for gold in map(words, qrels["gold_answer"]):
                same = sum((Counter(own) & Counter(gold)).values())
                scores.append(2 * same / (len(own) + len(gold)) if same else 0.0)
            return max(scores)

        return ir_measures.define_byquery(
            best, name="F1", support_cutoff=False, run_inputs=["qanswer"], qrel_inputs=["gold_answer"]
        )


class Installed(Rag):
    """The same by the package."""

    @staticmethod
    def reader() -> pt.Transformer:
        from pyterrier_rag.backend import Backend, BackendOutput
        from pyterrier_rag.prompt import Concatenator
        from pyterrier_rag.readers import Reader

        class Fixed(Backend):  # type: ignore[misc]
            def generate(self, inps: list[str], **settings: Any) -> list[Any]:
                return [BackendOutput(text=ANSWER) for _ in inps]

        return Concatenator() >> Reader(Fixed("fixed"))

    @staticmethod
    def f1() -> Any:
        from pyterrier_rag.measures import F1

        return F1


@pytest.fixture(params=[Rag, Installed])
def rag(request: pytest.FixtureRequest) -> type[Rag]:
    if request.param is Installed:
        pytest.importorskip("pyterrier_rag")
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> legalir.Collection:
    folder = tmp_path_factory.mktemp("rag")
    model = Scripted(
        lambda request: json.dumps({"reason": "the same", "correct": "24 hours" in request.messages[1][1]})
    )
    return legalir.Collection("legalir/harbour", cache=folder, client=Client(model, cache=folder / "llm.sqlite"))


@pytest.fixture
def dataset() -> Any:
    return pt.get_dataset("legalir:harbour")


def test_a_reader_reads_our_lists(rag: type[Rag], collection: legalir.Collection, dataset: Any) -> None:
    topics = dataset.get_topics().head(3)
    lists = collection.pipeline("bm25 % 3") >> pt.text.get_text(dataset, ["title", "text"])
    answers = (lists >> rag.reader()).transform(topics)
    assert answers["qid"].tolist() == topics["qid"].tolist()
    assert set(answers["qanswer"]) == {ANSWER}
    for qid, prompt in zip(answers["qid"], answers["prompt"], strict=True):
        found = lists.transform(topics[topics["qid"] == qid])
        assert len(found) == 3
        assert all(text in str(prompt) for text in found["text"])


def test_its_measures_measure_our_answers(rag: type[Rag], collection: legalir.Collection, dataset: Any) -> None:
    topics = dataset.get_topics().head(5)
    gold = dataset.get_answers().merge(topics[["qid"]])
    systems = [
        collection.pipeline("bm25 % 3 >> quote"),
        pt.Transformer.from_df(topics.assign(qanswer=topics["answer"])),
    ]
    table = pt.Experiment(systems, topics, gold, [rag.f1()], names=["quote", "gold"])
    assert table["F1"][1] == 1
    assert 0 < table["F1"][0] < 1


def test_its_answers_are_judged_and_measured_by_ours(
    rag: type[Rag], collection: legalir.Collection, dataset: Any
) -> None:
    topics = dataset.get_topics().head(5)
    lists = collection.pipeline("bm25 % 3") >> pt.text.get_text(dataset, ["title", "text"])
    asked = pt.apply.generic(lambda answers: answers.merge(topics, on="qid"))
    system = lists >> rag.reader() >> asked >> collection.pipeline("judge_correct")
    assert system.transform(topics)["judge_correct_state"].tolist() == ["ok"] * 5
    table = pt.Experiment(
        [system], topics, collection.qrels(), parse_measures(["JudgedCorrect", "ROUGE1(analyzer='word')"])
    )
    assert table["JudgedCorrect"][0] == 1
    (rouge,) = (column for column in table if column.startswith("ROUGE1"))
    assert 0 < table[rouge][0] < 1
