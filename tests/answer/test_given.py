"""Judged provisions and whole laws, given in place of results."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from legalir import Collection
from legalir.answer.contexts import estimated_tokens
from legalir.errors import LegalIRError
from legalir.explanation import explain

CORPUS = (
    {"docno": "b-1", "title": "제1조", "text": "가나다", "law": "등대법"},
    {"docno": "a-1", "title": "제1조", "text": "마바사아자", "law": "등대법 시행령"},
    {"docno": "b-2", "title": "", "text": "짧다", "law": "등대법"},
    {"docno": "c-1", "title": "Section 1", "text": "A ferry.", "law": "Ferry Act"},
)
QUERIES = (
    {"qid": "1", "query": "둘 다 있어야 하나요?", "documents": ["b-2", "a-1"], "options": ["예", "아니요"]},
    {"qid": "2", "query": "등급이 다르면?"},
    {"qid": "3", "query": "무관한 것뿐이면?"},
    {"qid": "4", "query": "없는 조문이면?"},
)
JUDGEMENTS = ("1 0 a-1 1", "1 0 b-2 1", "2 0 b-2 1", "2 0 c-1 1", "2 0 a-1 2", "3 0 a-1 0", "4 0 gone 1", "4 0 b-1 1")


def opened(
    folder: Path, queries: Sequence[Mapping[str, object]] = QUERIES, judgements: Sequence[str] = JUDGEMENTS
) -> Collection:
    """Return a collection with a split ``items``, and without questions of its own."""
    folder.mkdir()
    for name, rows in (("corpus", CORPUS), ("queries.items", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "qrels.items.txt").write_text("\n".join(judgements) + "\n", encoding="utf-8")
    return Collection(f"{folder}/items", cache=folder / "cache")


@pytest.fixture(name="collection")
def small_collection(tmp_path: Path) -> Collection:
    return opened(tmp_path / "statutes")


def given(collection: Collection, expression: str, frame: pd.DataFrame | None = None) -> dict[str, list[str]]:
    """Return the provisions of each question, in the order of their ranks."""
    out = collection.pipeline(expression)(collection.topics() if frame is None else frame)
    return {qid: of.sort_values("rank")["docno"].tolist() for qid, of in out.groupby("qid")}


def asked(qid: str, query: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": [qid], "query": [query]})


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        # Of question 1 in the order of its documents, of 2 by label and then docno; 3 and the provision "gone" of 4
        # have nothing that could be given.
        ("all", {"1": ["b-2", "a-1"], "2": ["a-1", "b-2", "c-1"], "4": ["b-1"]}),
        ("first", {"1": ["b-2"], "2": ["a-1"], "4": ["b-1"]}),
        ("second", {"1": ["a-1"], "2": ["b-2"]}),
    ],
)
def test_golden_gives_what_was_judged(collection: Collection, documents: str, expected: dict[str, list[str]]) -> None:
    assert given(collection, f"golden(documents='{documents}')") == expected


def test_golden_scores_and_columns(collection: Collection) -> None:
    out = collection.pipeline("golden")(collection.topics())
    of = out[out["qid"] == "2"]
    np.testing.assert_allclose(of["score"], [1, 2 / 3, 1 / 3])
    assert of["rank"].tolist() == [0, 1, 2]
    assert out.loc[out["qid"] == "1", "options"].tolist() == [["예", "아니요"]] * 2, "columns of the question stay"
    assert list(out.columns) == list(collection.pipeline("golden")(collection.topics().head(0)).columns)


def test_documents_that_nobody_judged_are_not_given(tmp_path: Path) -> None:
    queries = [{"qid": "1", "query": "무엇?", "documents": ["c-1", "b-2", "b-2"]}]
    one = opened(tmp_path / "more", queries, ["1 0 a-1 1", "1 0 b-2 1"])
    assert given(one, "golden") == {"1": ["b-2", "a-1"]}


def test_golden_knows_a_question_by_its_qid_and_its_text(collection: Collection) -> None:
    text = "둘 다 있어야 하나요?"
    assert given(collection, "golden", asked("1", text)) == {"1": ["b-2", "a-1"]}
    assert given(collection, "golden", asked("1", unicodedata.normalize("NFD", text))) == {"1": ["b-2", "a-1"]}
    assert given(collection, "golden", asked("1", "다른 질문")) == {}
    assert given(collection, "golden", asked("5", text)) == {}
    rewritten = asked("1", "두 조문 모두").assign(query_0=text)
    assert given(collection, "golden", rewritten) == {"1": ["b-2", "a-1"]}, "the original question counts"
    answer = collection.answer(text, "golden >> quote")
    assert answer.reason == "", "a question of qid 1 and the same words is that question"
    assert collection.answer("다른 질문", "golden >> quote").reason == "nothing found"


def test_golden_needs_judged_questions(collection: Collection, tmp_path: Path) -> None:
    base = Collection(str(tmp_path / "statutes"), cache=tmp_path / "cache")
    with pytest.raises(
        LegalIRError,
        match=r"golden: .*statutes has no questions with judgements of its own: use one of .*"
        r"statutes/items\.$",
    ):
        base.pipeline("golden")
    with pytest.raises(LegalIRError, match=r"golden: documents='firts'.*'f"):
        collection.pipeline("golden(documents='firts')")


def test_full_context_is_the_corpus_in_its_order(collection: Collection) -> None:
    every = ["b-1", "a-1", "b-2", "c-1"]
    out = collection.pipeline("full_context")(pd.concat([asked("x", "무엇?"), asked("y", "?!"), asked("z", "1")]))
    assert out.groupby("qid", sort=False)["docno"].agg(list).to_dict() == {"x": every, "z": every}
    np.testing.assert_allclose(out["score"].head(4), [1, 0.75, 0.5, 0.25])
    assert given(collection, "full_context(laws=['Ferry Act', '등대법'])", asked("x", "무엇?")) == {
        "x": ["b-1", "b-2", "c-1"]
    }


def test_a_law_is_known_in_any_unicode_form(collection: Collection) -> None:
    name = unicodedata.normalize("NFD", "등대법  시행령")
    assert given(collection, f"full_context(laws=['{name}'])", asked("x", "무엇?")) == {"x": ["a-1"]}


def test_full_context_leaves_out_whole_provisions_from_the_end(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    texts = ["제1조\n가나다", "제1조\n마바사아자", "짧다", "Section 1\nA ferry."]
    tokens = [estimated_tokens(text) for text in texts]
    # 17, 23, 6 and 18 bytes of UTF-8, rounded up to thirds: 3 a syllable, 1 for any other sign.
    assert tokens == [6, 8, 2, 6]
    for most, fitting in ((22, 4), (21, 3), (16, 3), (15, 2), (14, 2), (13, 1), (6, 1), (5, 0)):
        caplog.clear()
        out = given(collection, f"full_context(max_tokens={most})", asked("x", "무엇?"))
        assert len(out.get("x", [])) == fitting
        said = f"full_context: {4 - fitting} of 4 provisions do not fit and are left out, the last ones first."
        assert [one for one in caplog.messages if one.startswith("full_context")] == ([said] if fitting < 4 else [])


def test_a_small_provision_after_one_that_does_not_fit_is_left_out(collection: Collection) -> None:
    # 6 + 8 tokens are too many, 6 + 2 would not be: the context would have a gap.
    assert given(collection, "full_context(max_tokens=10)", asked("x", "무엇?")) == {"x": ["b-1"]}


def test_the_corpus_is_read_once(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    step = collection.pipeline("full_context")
    first = step(asked("x", "무엇?"))
    monkeypatch.setattr(collection.source, "docs", lambda: pytest.fail("it was read again"))
    pd.testing.assert_frame_equal(step(asked("x", "무엇?")), first)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("full_context(laws='등대법')", r"full_context: laws='등대법' is not a list of names of laws"),
        ("full_context(laws=[])", r"full_context: laws=\[\] is not a list"),
        ("full_context(laws=['등대볍'])", r"full_context: .*items has no law '등대볍'\. Did you mean '등대법'\?$"),
        (
            "full_context(laws=['x'])",
            r"full_context: .*items has no law 'x'\. Its laws: 등대법, 등대법 시행령, Ferry Act\.$",
        ),
    ],
)
def test_wrong_parameters(collection: Collection, expression: str, message: str) -> None:
    with pytest.raises(LegalIRError, match=message):
        collection.pipeline(expression)(asked("x", "무엇?"))


def test_explanations(collection: Collection) -> None:
    (one,) = explain(collection.pipeline("golden"), collection.topics().head(1), ["a-1"])
    assert (one.score, one.parts[0].label) == (0.5, "judged relevant, place 2 of 2")
    (one,) = explain(collection.pipeline("full_context"), asked("x", "무엇?"), ["c-1"])
    assert (one.score, one.parts[0].label) == (0.25, "every provision is given, place 4 of 4")
