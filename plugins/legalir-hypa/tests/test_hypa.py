"""`hypa`: HyPA-RAG's retrieval is its spelled-out expression, and its parts can be left out."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from scripted import Scripted

import legalir
from legalir import Client
from legalir.errors import LegalIRError
from legalir.extend import ChatReply, ChatRequest

QUESTIONS = pd.DataFrame(
    {
        "qid": ["1", "2", "3"],
        "query": ["창문이 없는 층의 기준은 무엇인가요?", "스프링클러는 어디에 설치하나요?", "과태료는 얼마인가요?"],
        "complexity": [0, 1, 2],
    }
)
FACTS = [
    ("decree-4", "밀폐층", "개구부의 비율", "바닥면적"),
    ("act-26", "밀폐층", "작은 면적부터", "자동살수설비"),
    ("decree-54", "과태료", "부과 기준", "위반행위"),
]


def reply(request: ChatRequest) -> str | ChatReply:
    """Split a question into its words; take them as key words; fail for the second one."""
    words = request.question.rstrip("?").split()
    if request.prompt == "keywords":
        return json.dumps({"keywords": [word.rstrip("은는의") for word in words[:2]]}, ensure_ascii=False)
    if request.question == QUESTIONS["query"][1]:
        return ChatReply("", finish_reason="content_filter")
    return json.dumps({"queries": words[:3]}, ensure_ascii=False)


@pytest.fixture(name="opened")
def collection(tmp_path: Path) -> tuple[legalir.Collection, Scripted, str]:
    names = ("docno", "subject", "predicate", "object")
    file = tmp_path / "facts.jsonl"
    file.write_text("".join(json.dumps(dict(zip(names, fact, strict=True))) + "\n" for fact in FACTS), encoding="utf-8")
    model = Scripted(reply)
    client = Client(model, cache=tmp_path / "llm.sqlite")
    return legalir.Collection("legalir/firecode", cache=tmp_path / "cache", client=client), model, repr(str(file))


def same(opened: legalir.Collection, first: str, second: str) -> pd.DataFrame:
    one, two = (opened.pipeline(text)(QUESTIONS) for text in (first, second))
    pd.testing.assert_frame_equal(one, two)
    return one


def test_hypa_is_its_spelled_out_expression(opened: tuple[legalir.Collection, Scripted, str]) -> None:
    collection, model, graph = opened
    fused = 'linear(multi(lsa % 10, rewrite), multi(bm25 % 10, rewrite), weights=[1, 1], normalize="none")'
    spelled = f"adaptive({fused}) >> triples(graph={graph})"
    out = same(collection, f"hypa(lsa % 10, bm25 % 10, graph={graph})", spelled)
    assert {"complexity", "rewrites", "keywords", "paths", "context"} <= set(out.columns)
    assert out["qid"].value_counts().to_dict()["1"] >= 5
    asked = {one.question: one.messages[1][1] for one in model.requests if one.prompt == "rewrite"}
    assert all(f": {n}" in asked[question] for n, question in zip((3, 5, 7), QUESTIONS["query"], strict=True))
    same(
        collection,
        f"hypa(bm25 % 10, original=True, rrf_k=5, k=[2, 3, 4], reranker=sar, graph={graph}, adapts='depth')",
        f"adaptive(multi(bm25 % 10, rewrite, original=True, k=5), k=[2, 3, 4]) >> sar "
        f">> triples(graph={graph}, adapts='depth')",
    )


def test_the_sum_of_both_fusions_is_one_fusion(opened: tuple[legalir.Collection, Scripted, str]) -> None:
    collection, _, _ = opened
    out = collection.pipeline("hypa(lsa % 10, bm25 % 10, paths=None, k=None)")(QUESTIONS.head(1))
    expected: dict[str, float] = {}
    for query in QUESTIONS["query"][0].rstrip("?").split()[:3]:
        for pipeline in ("lsa % 10", "bm25 % 10"):
            for row in collection.pipeline(pipeline).search(query).itertuples():
                expected[row.docno] = expected.get(row.docno, 0) + 1 / (60 + row.rank + 1)
    assert dict(zip(out["docno"], out["score"], strict=True)) == pytest.approx(expected)


def test_parts_are_left_out(opened: tuple[legalir.Collection, Scripted, str]) -> None:
    collection, model, graph = opened
    plain = same(
        collection,
        "hypa(lsa % 10, bm25 % 10, rewrites=None, keywords=None, paths=None)",
        "adaptive(rrf(lsa % 10, bm25 % 10), rewrites=None, keywords=None, paths=None)",
    )
    assert model.requests == []
    assert plain["qid"].value_counts().to_dict() == {"1": 5, "2": 7, "3": 10}
    same(
        collection,
        f"hypa(bm25, by='complexity', k=None, rewrites=None, graph={graph})",
        f"adaptive(bm25, k=None, rewrites=None) >> triples(graph={graph})",
    )
    assert {one.prompt for one in model.requests} == {"keywords"}


def test_key_words_follow_the_question(opened: tuple[legalir.Collection, Scripted, str]) -> None:
    collection, model, graph = opened
    collection.pipeline(f"hypa(bm25 % 10, graph={graph}, keywords=[1, 2, 6])")(QUESTIONS)
    asked = {one.question: one.messages[1][1] for one in model.requests if one.prompt == "keywords"}
    assert all(f": {n}" in asked[question] for n, question in zip((1, 2, 6), QUESTIONS["query"], strict=True))


def test_without_a_pipeline_the_cure_is_named(opened: tuple[legalir.Collection, Scripted, str]) -> None:
    with pytest.raises(LegalIRError, match=r"hypa: there is no pipeline: give the retrievers"):
        opened[0].pipeline("hypa()")
