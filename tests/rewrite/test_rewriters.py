"""Questions that a chat model rewrites: HyDE, RAR's two queries, sub-queries, and their fusion."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from scripted import Scripted

import legalir
from legalir.errors import ComponentError, LegalIRError, ModelError
from legalir.fuse.rrf import RRF
from legalir.llm.chat import ChatReply, ChatRequest
from legalir.llm.client import Client
from legalir.rewrite.rewriter import original_questions
from legalir.rewrite.subqueries import Multi

QUESTIONS = pd.DataFrame(
    {"qid": ["1", "2"], "query": ["창문이 없는 층의 기준은 무엇인가요?", "스프링클러는 어디에 설치하나요?"]}
)
GOOD = {
    "analytical": "밀폐층 개구부 비율 기준",
    "rationale": "관계인은 밀폐층에 스프링클러를 설치하여야 한다.",
    "ruling": "밀폐층의 개구부는 기준에 미치지 못한다.",
    "hyde": "밀폐층이란 개구부의 면적이 바닥면적의 30분의 1 이하인 층을 말한다.",
    "rewrite": json.dumps({"queries": ["밀폐층의 정의", "개구부의 비율"]}),
}
FAILED = ChatReply("", finish_reason="content_filter")


def collection(tmp_path: Path, reply: Callable[[ChatRequest], str | ChatReply]) -> tuple[legalir.Collection, Scripted]:
    model = Scripted(reply)
    client = Client(model, cache=tmp_path / "llm.sqlite")
    return legalir.Collection("legalir/firecode", cache=tmp_path / "cache", client=client), model


def answering(request: ChatRequest) -> str:
    return GOOD[request.prompt]


def failing(prompt: str, question: str) -> Callable[[ChatRequest], str | ChatReply]:
    return lambda one: FAILED if one.prompt == prompt and one.question == question else GOOD[one.prompt]


def test_the_original_question_is_the_oldest_one() -> None:
    frame = pd.DataFrame({"query": ["c"], "query_0": ["b"], "query_1": ["a"], "query_text": ["x"]})
    assert original_questions(frame) == ["a"]
    assert original_questions(frame[["query"]]) == ["c"]


def test_a_rewriter_replaces_the_question_and_keeps_the_old_one(tmp_path: Path) -> None:
    opened, model = collection(tmp_path, answering)
    before = QUESTIONS.copy()
    out = opened.pipeline("analytical")(QUESTIONS)
    assert list(out["query"]) == [GOOD["analytical"]] * 2
    assert list(out["query_0"]) == list(QUESTIONS["query"])
    assert list(out["reply_state"]) == ["ok", "ok"]
    pd.testing.assert_frame_equal(QUESTIONS, before)
    assert set(opened.pipeline("analytical")(QUESTIONS.iloc[:0]).columns) == set(out.columns)
    assert [one.question for one in model.requests] == list(QUESTIONS["query"])
    assert all(f"<question>\n{one.question}\n</question>" in one.messages[1][1] for one in model.requests)


def test_the_rationale_reads_the_question_and_has_the_analytical_query_as_scaffold(tmp_path: Path) -> None:
    first = QUESTIONS["query"][0]
    opened, model = collection(tmp_path, failing("analytical", first))
    out = opened.pipeline("focus >> analytical >> rationale")(QUESTIONS)
    assert list(out["query"]) == [GOOD["rationale"]] * 2
    assert list(out["reply_state"]) == ["ok", "ok"]
    rationales = [one for one in model.requests if one.prompt == "rationale"]
    assert [one.question for one in rationales] == list(QUESTIONS["query"])
    # The failed analytical query is no scaffold.
    assert [GOOD["analytical"] in one.messages[1][1] for one in rationales] == [False, True]
    opened.pipeline("rationale(cot=False)")(QUESTIONS)
    assert [one.prompt for one in model.requests[-2:]] == ["ruling", "ruling"]


def test_a_failed_reply_leaves_the_question_and_is_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    opened, model = collection(tmp_path, failing("analytical", QUESTIONS["query"][1]))
    out = opened.pipeline("analytical")(QUESTIONS)
    assert list(out["query"]) == [GOOD["analytical"], QUESTIONS["query"][1]]
    assert list(out["reply_state"]) == ["ok", "filtered"]
    assert opened.client.usage.failed == {"filtered": 1}
    assert "Failed replies: 1 filtered" in caplog.text
    # It was asked for again with the next seed.
    assert [one.seed for one in model.requests] == [0, 0, 1]
    found, plain = opened.pipeline("analytical >> bm25")(QUESTIONS), opened.pipeline("bm25")(QUESTIONS)
    assert list(found.loc[found["qid"] == "2", "score"]) == list(plain.loc[plain["qid"] == "2", "score"])


def test_a_reply_in_another_script_fails(tmp_path: Path) -> None:
    opened, _ = collection(tmp_path, lambda request: "The floor without windows is defined by the decree.")
    out = opened.pipeline("analytical")(QUESTIONS)
    assert list(out["reply_state"]) == ["language", "language"]
    assert list(out["query"]) == list(QUESTIONS["query"])


def test_references_to_provisions_that_the_collection_lacks_are_dropped(tmp_path: Path) -> None:
    text = "건축물 화재안전관리법 제2조에 따른 밀폐층은 건축물 화재안전관리법 제99조의7에 따라 설치한다."
    opened, _ = collection(tmp_path, lambda request: text)
    one = opened.pipeline("analytical")(QUESTIONS)["query"][0]
    assert "제2조" in one
    assert "제99조의7" not in one
    assert "설치한다" in one
    kept = opened.pipeline("analytical(strip_unknown_citations=False)")(QUESTIONS)["query"][0]
    assert kept == text


def test_hyde_searches_with_the_mean_of_its_texts(tmp_path: Path) -> None:
    texts = ["밀폐층이란 개구부가 모자란 층을 말한다.", "개구부는 바닥면적의 30분의 1 이상이어야 한다."]
    opened, model = collection(tmp_path, lambda request: texts[request.seed >= 100])
    out = opened.pipeline("hyde(n=2, include_query=True)")(QUESTIONS.head(1))
    question = QUESTIONS["query"][0]
    assert out["query"][0] == "\n".join([question, *texts])
    assert out["query_parts"][0] == (("query", question), ("document", texts[0]), ("document", texts[1]))
    assert {one.temperature for one in model.requests} == {0.7}
    found = opened.pipeline("hyde(n=2, include_query=True) >> lsa")(QUESTIONS.head(1))
    encoder = opened.dense("lsa").encoder
    assert encoder is not None
    mean = np.vstack([encoder.encode_queries([question]), encoder.encode(texts)]).mean(axis=0)
    expected = opened.dense("lsa").retriever()(pd.DataFrame({"qid": ["1"], "query_vec": [mean]}))
    assert list(found["docno"][:50]) == list(expected["docno"][:50])
    np.testing.assert_allclose(found["score"], expected["score"], atol=1e-6)
    assert found.columns.tolist()[-3:] == ["docno", "score", "rank"]
    (one,) = opened.search(question, "hyde(n=2) >> lsa", k=1).explain()
    assert one.is_whole()


def test_hyde_without_a_reply_searches_with_the_question(tmp_path: Path) -> None:
    opened, _ = collection(tmp_path, lambda request: FAILED)
    out = opened.pipeline("hyde >> lsa")(QUESTIONS)
    assert set(out["reply_state"]) == {"filtered"}
    pd.testing.assert_frame_equal(
        out[["qid", "docno", "score"]], opened.pipeline("lsa")(QUESTIONS)[["qid", "docno", "score"]]
    )


RAR = "rar(bm25, N=20, M=15, k=10, rrf_k=60)"
SPELLED = "rrf(bm25 % 20, analytical >> bm25 % 20, analytical >> rationale >> bm25 % 20, k=60) % 15 % 10"


def test_rar_is_its_spelled_out_expression(tmp_path: Path) -> None:
    opened, _ = collection(tmp_path, answering)
    pd.testing.assert_frame_equal(opened.pipeline(RAR)(QUESTIONS), opened.pipeline(SPELLED)(QUESTIONS))
    assert opened.pipeline(RAR) == opened.pipeline(SPELLED)
    reranked = opened.pipeline("rar(bm25, N=20, M=15, k=5, reranker=sar(normalize='minmax'))")
    spelled = opened.pipeline(SPELLED.replace("% 15 % 10", "% 15 >> sar(normalize='minmax') % 5"))
    pd.testing.assert_frame_equal(reranked(QUESTIONS), spelled(QUESTIONS))
    # The result has the original question and nothing of the rewriting.
    assert list(opened.pipeline(RAR)(QUESTIONS).columns) == ["qid", "query", "docno", "score", "rank"]
    assert set(opened.pipeline(RAR)(QUESTIONS)["query"]) == set(QUESTIONS["query"])


@pytest.mark.parametrize(
    ("ablation", "spelled"),
    [
        ("scaffold=False", "rrf(bm25 % 30, analytical >> bm25 % 30, rationale >> bm25 % 30)"),
        ("cot=False", "rrf(bm25 % 30, analytical >> bm25 % 30, analytical >> rationale(cot=False) >> bm25 % 30)"),
    ],
)
def test_the_ablations_of_rar(tmp_path: Path, ablation: str, spelled: str) -> None:
    opened, _ = collection(tmp_path, answering)
    pd.testing.assert_frame_equal(
        opened.pipeline(f"rar(bm25, {ablation})")(QUESTIONS), opened.pipeline(f"{spelled} % 30 % 20")(QUESTIONS)
    )


def test_a_failed_list_is_left_out_of_a_fusion(tmp_path: Path) -> None:
    """The original question never counts twice; without any other list it is searched for."""
    first = QUESTIONS["query"][0]
    opened, _ = collection(tmp_path, failing("analytical", first))
    fused = opened.pipeline("rrf(bm25 % 9, analytical >> bm25 % 9)")
    found = fused(QUESTIONS)
    alone = opened.pipeline("rrf(bm25 % 9)")(QUESTIONS)
    one, two = (frame[frame["qid"] == "1"].reset_index(drop=True) for frame in (found, alone))
    pd.testing.assert_frame_equal(one, two)
    assert len(found[found["qid"] == "2"]) > 9
    only = opened.pipeline("rrf(analytical >> bm25 % 9)")(QUESTIONS)
    pd.testing.assert_frame_equal(only[only["qid"] == "1"].reset_index(drop=True), two)
    (explained,) = opened.search(first, "rrf(bm25 % 9, analytical >> bm25 % 9)", k=1).explain()
    assert explained.is_whole()
    assert len(explained.parts) == 1


def test_the_rule_holds_for_frames_of_other_transformers() -> None:
    rows = {"qid": ["1", "1"], "query": ["a", "a"], "docno": ["d", "e"], "score": [2.0, 1.0], "rank": [0, 1]}
    good, bad = pd.DataFrame(rows), pd.DataFrame({**rows, "reply_state": ["empty", None]})
    lists = (pt.Transformer.from_df(good), pt.Transformer.from_df(bad))
    out = RRF(*lists).transform(pd.DataFrame({"qid": ["1"], "query": ["a"]}))
    assert list(out["score"]) == [2 / 62, 1 / 61]  # A missing state is none that failed.


def test_sub_queries_are_searched_and_fused(tmp_path: Path) -> None:
    opened, model = collection(tmp_path, answering)
    rows = opened.pipeline("rewrite(n=2)")(QUESTIONS)
    assert list(rows["qid"]) == ["1", "1", "2", "2"]
    assert list(rows["query"]) == ["밀폐층의 정의", "개구부의 비율"] * 2
    schema = model.requests[0].schema
    assert schema is not None
    assert schema["properties"]["queries"]["maxItems"] == 2
    found = opened.pipeline("multi(bm25 % 20, rewrite(n=2))")(QUESTIONS)
    lists = []
    for query in ("밀폐층의 정의", "개구부의 비율"):
        lists.append(pt.Transformer.from_df(opened.pipeline("bm25 % 20")(QUESTIONS.assign(query=query))))
    expected = RRF(*lists).transform(QUESTIONS)
    pd.testing.assert_frame_equal(found, expected)
    with_original = opened.pipeline("multi(bm25 % 20, rewrite(n=2), original=True)")(QUESTIONS)
    expected = RRF(opened.pipeline("bm25 % 20"), *lists).transform(QUESTIONS)
    pd.testing.assert_frame_equal(with_original, expected)
    (one,) = opened.search(QUESTIONS["query"][0], "multi(bm25 % 20, rewrite(n=2)) % 5", k=1).explain()
    assert one.is_whole()
    assert "“" in one.parts[0].label


def test_the_number_of_sub_queries_may_stand_in_a_column(tmp_path: Path) -> None:
    parts = ["밀폐층의 정의", "개구부의 비율", "층의 기준"]
    opened, _ = collection(
        tmp_path, lambda one: json.dumps({"queries": parts[: int(one.messages[1][1].rsplit(" ", 1)[1])]})
    )
    rows = opened.pipeline("rewrite(n=2)")(QUESTIONS.assign(rewrites=[3, 1]))
    assert rows["qid"].value_counts().to_dict() == {"1": 3, "2": 1}


def test_a_question_whose_sub_queries_failed_is_searched_for_once(tmp_path: Path) -> None:
    opened, _ = collection(tmp_path, failing("rewrite", QUESTIONS["query"][0]))
    for expression in ("multi(bm25 % 9, rewrite)", "multi(bm25 % 9, rewrite, original=True)"):
        found = opened.pipeline(expression)(QUESTIONS)
        alone = opened.pipeline("rrf(bm25 % 9)")(QUESTIONS)
        one, two = (frame[frame["qid"] == "1"].reset_index(drop=True) for frame in (found, alone))
        pd.testing.assert_frame_equal(one, two)


def test_without_a_model_the_message_names_the_ways_to_give_one(tmp_path: Path) -> None:
    opened = legalir.Collection("legalir/firecode", cache=tmp_path)
    with pytest.raises(LegalIRError, match="--llm, set LEGALIR_LLM") as caught:
        opened.pipeline("rar(bm25)")
    assert isinstance(caught.value.__cause__, ModelError)
    with pytest.raises(ComponentError, match="not a Transformer"):
        Multi(pt.Transformer.identity(), "rewrite")  # type: ignore[arg-type]


def test_the_fingerprint_follows_model_and_prompt(tmp_path: Path) -> None:
    opened, _ = collection(tmp_path, answering)
    plain = opened.pipeline("analytical")
    own = tmp_path / "own.yaml"
    own.write_text("version: 1\nsystem: s\nuser: '{question}'\n", encoding="utf-8")
    other = opened.pipeline(f"analytical(prompt='{own}')")
    english = opened.pipeline("analytical(language='en')")
    assert len({one.fingerprint for one in (plain, other, english)}) == 3
    assert plain == opened.pipeline("analytical")
