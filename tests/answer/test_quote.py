"""Quoting: which sentences, of which provisions, in which form."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pandas as pd
import pytest

from legalir import Collection
from legalir.analysis.analyzer import get_analyzer
from legalir.answer.generator import ANSWER_COLUMNS, cited
from legalir.answer.quote import Quote, best_sentences
from legalir.errors import ComponentError

CORPUS = [
    {
        "docno": "a-2",
        "title": "창고법 제2조\n(통로)",
        "text": "① 통로에 물건을 두지 아니한다. ② 통로의 너비는 2미터로 한다. ③ 표지를 단다.",
    },
    {"docno": "a-3", "title": "", "text": "창고의 문은 밖으로 연다."},
    {"docno": "a-4", "title": "창고법 제4조", "text": ""},
    {"docno": "a-5", "title": "", "text": ""},
]


@pytest.fixture(name="collection")
def small_collection(tmp_path: Path) -> Collection:
    folder = tmp_path / "창고"
    folder.mkdir()
    lines = [json.dumps(row, ensure_ascii=False) for row in CORPUS]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return Collection(folder)


def lists(query: str, *docnos: str) -> pd.DataFrame:
    ranks = range(len(docnos))
    return pd.DataFrame(
        {"qid": "q", "query": query, "docno": docnos, "score": [-float(r) for r in ranks], "rank": ranks}
    )


def test_a_line_a_provision_with_title_and_docno(collection: Collection) -> None:
    (answer,) = Quote(collection, k=4).transform(lists("통로의 너비는?", "a-2", "a-3", "a-4", "a-5"))["qanswer"]
    assert answer.splitlines() == [
        "창고법 제2조 (통로): ② 통로의 너비는 2미터로 한다. [a-2]",
        "창고의 문은 밖으로 연다. [a-3]",
        "창고법 제4조 [a-4]",
        "[a-5]",
    ]
    assert cited(answer, ["a-2", "a-3", "a-4", "a-5", "a-6"]) == ["a-2", "a-3", "a-4", "a-5"]


def test_number_of_provisions_and_sentences(collection: Collection) -> None:
    inp = lists("통로의 너비와 표지는?", "a-2", "a-3")
    assert Quote(collection, k=1).transform(inp)["qanswer"].tolist() == [
        "창고법 제2조 (통로): ② 통로의 너비는 2미터로 한다. [a-2]"
    ]
    two = Quote(collection, k=1, sentences=2).transform(inp)["qanswer"].iloc[0]
    assert two == "창고법 제2조 (통로): ② 통로의 너비는 2미터로 한다. ③ 표지를 단다. [a-2]"
    apart = Quote(collection, k=1, sentences=2).transform(lists("물건과 표지를 단다", "a-2"))["qanswer"].iloc[0]
    assert apart == "창고법 제2조 (통로): ① 통로에 물건을 두지 아니한다. … ③ 표지를 단다. [a-2]"


def test_sentences_by_hand() -> None:
    """Question {a, b, c}; sentences "a b", "b c", "c x" of one text, "b" of another: N = 4.

    df: a 1, b 3, c 2. idf = ln(1 + (4 − df + ½)/(df + ½)): a ln(10/3) = 1.204, b ln(10/7) = 0.357, c ln(2) = 0.693.
    Worth: 1.561, 1.050, 0.693; 0.357. So the first sentence is the best, and of two the first and the second.
    """
    word = get_analyzer("whitespace")
    texts = ["a b\nb c\nc x", "b"]
    assert best_sentences("a b c", texts, 1, word) == ["a b", "b"]
    assert best_sentences("a b c", texts, 2, word) == ["a b b c", "b"]
    # Without a: b ln(10/7), c ln(2); "b c" is worth both.
    assert best_sentences("b c", texts, 1, word) == ["b c", "b"]
    # What lies between two sentences is left out, and said to be.
    assert best_sentences("a x", texts, 2, word) == ["a b … c x", "b"]


def test_of_equal_sentences_the_first_is_taken() -> None:
    assert best_sentences("zebra", ["가나다\n라마바"], 1, get_analyzer("char2")) == ["가나다"]


def test_composed_and_decomposed_questions_are_one(collection: Collection) -> None:
    answers = [
        Quote(collection).transform(lists(unicodedata.normalize(form, "통로의 너비는?"), "a-2"))["qanswer"].iloc[0]
        for form in ("NFC", "NFD")
    ]
    assert answers[0] == answers[1]


def test_a_list_of_another_collection_is_refused(collection: Collection) -> None:
    with pytest.raises(ComponentError, match=r"^quote: .*'x-1' in Collection\("):
        Quote(collection).transform(lists("문?", "x-1"))


def test_in_an_expression(collection: Collection) -> None:
    system = collection.pipeline('bm25 % 2 >> quote(k=1, sentences=1, analyzer="whitespace")')
    assert system == collection.pipeline('bm25 % 2 >> quote(k=1, analyzer="whitespace")')
    queries = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["통로의 너비", "zebra", "창고의 문"], "lang": "ko"})
    out = system(queries)
    assert list(out.columns) == ["qid", "query", "lang", *ANSWER_COLUMNS]
    assert out["qid"].tolist() == ["1", "3"], "nothing was found for the second"
    assert "object at 0x" not in repr(system)


def test_the_question_is_the_one_that_was_asked(collection: Collection) -> None:
    asked = "통로의 너비는 얼마로 하여야 하는지 알려 주십시오. " * 10
    (answer,) = collection.pipeline("focus(over=40) >> bm25 >> quote(k=1)").search(asked)["qanswer"]
    assert answer.endswith("[a-2]")
