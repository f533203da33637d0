"""Labels by a pipeline, and by the references in given answers."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from ferries import write_collection
from typer.testing import CliRunner

import legalir
from legalir.errors import ComponentError, DataError
from legalir.extend import NumberTable, atomic_file
from legalir_study.answered import references_in, synthesize_answer_labels
from legalir_study.labels import positives_of, synthesize_labels
from legalir_study.split import write_split
from legalir_study.synthesize import app

QUERIES = [
    {"qid": "1", "query": "How many lamps does a ferry carry?", "answer": "Three, by Article 1 of the Ferry Rules."},
    {"qid": "2", "query": "What is the fee for a pier?", "answer": "See Article 9 of the Ferry Rules."},
    {"qid": "3", "query": "Xylophones?", "answer": "That is not settled."},
]


@pytest.fixture(name="folder")
def folder_with_questions(tmp_path: Path) -> Path:
    folder = write_collection(tmp_path)
    with atomic_file(folder / "queries.jsonl") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in QUERIES)
    return folder


def test_positives_need_a_score_and_a_rank() -> None:
    results = pd.DataFrame(
        {
            "qid": ["1", "1", "1", "2"],
            "docno": ["b", "a", "c", "d"],
            "score": [0.9, 0.5, 0.4, 0.2],
            "rank": [0, 1, 2, 0],
        }
    )
    assert positives_of(results, 0.5, None) == {"1": ["b", "a"]}
    assert positives_of(results, None, 1) == {"1": ["b"], "2": ["d"]}
    assert positives_of(results, 0.3, 2) == {"1": ["b", "a"]}
    with pytest.raises(ComponentError, match="--threshold"):
        positives_of(results, None, None)
    with pytest.raises(ComponentError, match="top=0"):
        positives_of(results, None, 0)


def test_candidates_that_a_reranker_finds_good(folder: Path) -> None:
    collection = legalir.Collection(folder)
    made = synthesize_labels(collection, "nitilink", candidates="bm25 % 2", top=1)
    assert made.labels == {"1": ["act-1"], "2": ["rule-2"]}
    assert [(row["qid"], row["reason"]) for row in made.dropped] == [("3", "no positive")]
    assert made.kept == QUERIES[:2]
    assert made.about["report"] == {"labels": 2, "per question": 1.0}
    assert made.about["model"] is None
    files = write_split(made, collection, folder, "auto")
    assert files.qrels.read_text(encoding="utf-8") == "1 0 act-1 1\n2 0 rule-2 1\n"
    assert "Items: those of the questions." in files.about.read_text(encoding="utf-8")
    assert len(legalir.Collection(folder / "auto").topics()) == 2


def test_faults_are_told_before_anything_is_searched(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="--threshold"):
        synthesize_labels(legalir.Collection(folder), "rerank('no-such-model')")
    with pytest.raises(DataError, match="has no questions"):
        synthesize_labels(legalir.Collection(write_collection(tmp_path / "other")), top=1)
    with pytest.raises(ComponentError, match="gives no docno"):
        synthesize_labels(legalir.Collection(folder), candidates="bm25 % 2 >> quote", top=1)


KOREAN = [
    ("l-1", "등대법", "1", "등대는 등을 단다."),
    ("l-12", "등대법", "12", "등대지기는 기록을 남긴다."),
    ("d-12", "등대법 시행령", "12", "기록은 3년간 보관한다."),
    ("f-3", "나루터법", "3", "나루터에는 뱃삯을 내건다."),
    ("f-12", "나루터법", "12", "뱃삯은 군수가 정한다."),
]


@pytest.fixture(name="korean")
def korean_collection(tmp_path: Path) -> legalir.Collection:
    rows = [
        {"docno": docno, "title": f"{law} 제{article}조", "law": law, "article": article, "text": text}
        for docno, law, article, text in KOREAN
    ]
    with atomic_file(tmp_path / "k" / "corpus.jsonl") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return legalir.Collection(tmp_path / "k")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「등대법」 제12조에 따라", [("등대법 제12조", ("l-12",), "resolved")]),
        (
            "「등대법」 제12조와 같은 법 시행령 제12조",
            [
                ("등대법 제12조", ("l-12",), "resolved"),
                ("「등대법」 제12조와 같은 법 시행령 제12조", (), "not in the collection"),  # which is open, not wrong
            ],
        ),
        (
            "「나루터법」 제12조 및 제3조",
            [("나루터법 제12조", ("f-12",), "resolved"), ("나루터법 제3조", ("f-3",), "resolved")],
        ),
        ("「등대법」 제99조", [("등대법 제99조", (), "not in the collection")]),
        ("「뱃길 안전 규정」 제12조", [("뱃길 안전 규정 제12조", (), "not in the collection")]),
        ("「등대법」 부칙 제12조", [("등대법 제12조", (), "not in the collection")]),
        ("제12조에 따라", [("제12조", ("l-12", "d-12", "f-12"), "ambiguous")]),
        ("「등대법」 별표 4에 따라", [("등대법 별표 4에 따라", (), "not read")]),
        ("「등불 기술기준(LTC 501A)」2.18.1.1에 따라", [("등불 기술기준(LTC 501A) 2.18.1.1에 따라", (), "not read")]),
        ("정해지지 않았다.", []),
    ],
)
def test_references_in_an_answer(
    korean: legalir.Collection, text: str, expected: list[tuple[str, tuple[str, ...], str]]
) -> None:
    assert [tuple(one) for one in references_in(text, NumberTable.of(korean))] == expected


def test_equal_references_count_once(korean: legalir.Collection) -> None:
    assert len(references_in("「등대법」 제12조. 다시 「등대법」 제12조.", NumberTable.of(korean))) == 1


def test_more_than_a_few_meanings_are_no_candidates(korean: legalir.Collection) -> None:
    (one,) = references_in("제12조에 따라", NumberTable.of(korean), most=2)
    assert (one.docnos, one.state) == ((), "ambiguous")


def test_citations_of_answers_become_judgements(folder: Path) -> None:
    collection = legalir.Collection(folder)
    made = synthesize_answer_labels(collection, candidates=2)
    first, second = made.kept
    assert (first["documents"], "open" in first) == (["rule-1"], False)
    assert second["documents"] == []
    (opened,) = second["open"]
    assert opened["state"] == "not in the collection"
    assert len(opened["candidates"]) == 2
    assert all(docno.startswith("rule") for docno in opened["candidates"])
    assert [(row["qid"], row["reason"]) for row in made.dropped] == [("3", "no reference")]
    assert made.about["report"] == {
        "references": {"resolved": 1, "ambiguous": 0, "not in the collection": 1, "not read": 0},
        "questions with a label": 1,
    }
    write_split(made, collection, folder, "gold")
    assert legalir.Collection(folder / "gold").topics()["qid"].tolist() == ["1"]


def test_answers_are_needed(folder: Path) -> None:
    with pytest.raises(ComponentError, match="'reply'"):
        synthesize_answer_labels(legalir.Collection(folder), column="reply")


def test_the_command(folder: Path, tmp_path: Path) -> None:
    words = ["labels", str(folder), "--from", "answers", "--out", str(tmp_path / "out")]
    assert "3 questions; reading answers asks no model" in CliRunner().invoke(app, [*words, "--dry-run"]).output
    shown = CliRunner().invoke(app, words).output
    assert "References: resolved 1, ambiguous 0, not in the collection 1, not read 0" in shown
    assert "Asked" not in shown
    words = ["labels", str(folder), "--candidates", "bm25", "--top", "1", "--out", str(tmp_path / "two")]
    assert "Kept: 2 items" in CliRunner().invoke(app, words).output
