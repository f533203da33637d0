"""Learned sparse vectors: dot products worked out by hand, files of vectors, filters and faults."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from legalir.collection.collection import Collection
from legalir.errors import ComponentError, ExpressionError, FormatError, LegalIRError
from legalir.explanation import explain
from legalir.lexical.toks import ToksIndex

DOCUMENTS = [
    {"docno": "b", "toks": {"lamp": 1.5, "##light": 0.5, "oil": 0.0}},
    {"docno": "a", "toks": {"lamp": 0.5, "등불": 2}},
    {"docno": "c", "toks": {}},
    {"docno": "d", "toks": {"lamp": -1.0, "등불": 0.25}},
]


def asked(*toks: object) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(n) for n in range(len(toks))], "query_toks": list(toks)})


def found(frame: Any, qid: str = "0") -> dict[str, float]:
    return dict(frame[frame["qid"] == qid].sort_values("rank")[["docno", "score"]].itertuples(index=False, name=None))


def test_dot_products_worked_out_by_hand(tmp_path: Path) -> None:
    """For lamp 2 and 등불 1: a has 2·0.5 + 2 = 3, b 2·1.5 = 3 (a stands first by docno), d −2 + 0.25 < 0."""
    index = ToksIndex(tmp_path / "index").index(DOCUMENTS)
    retriever = index.retriever()
    out = retriever(asked({"lamp": 2.0, "등불": 1.0, "unknown": 9.0}, {"##light": 1}, {}, {"oil": 1.0, "등불": 4.0}))
    assert list(found(out).items()) == [("a", 3.0), ("b", 3.0)]
    assert [found(out, qid) for qid in "123"] == [{"b": 0.5}, {}, {"a": 8.0, "d": 1.0}]
    assert list(index.terms) == ["##light", "lamp", "등불"], "a weight of 0 is as no term"
    assert index.df.tolist() == [1, 3, 2]
    pairs = pd.DataFrame({"qid": "0", "docno": ["c", "d", "b"], "query_toks": [{"lamp": 2.0, "등불": 1.0}] * 3})
    assert found(retriever(pairs)) == {"b": 3.0, "c": 0.0, "d": -1.75}
    (one,) = explain(retriever, asked({"lamp": 2.0, "등불": 1.0}), ["a"])
    assert [(part.label, part.value) for part in one.parts] == [("등불", 2.0), ("lamp ×2", 1.0)]
    assert one.parts[0].detail == {"term": "등불", "in_query": 1.0, "in_document": 2.0, "documents": 2}
    assert ToksIndex(tmp_path / "index").fingerprint() == index.fingerprint()
    assert ToksIndex(tmp_path / "index", "word").fingerprint() != index.fingerprint()
    assert ToksIndex(tmp_path / "index", "word").retriever().search("lamp lamp").score.tolist() == [3.0, 1.0]


def test_scores_are_those_of_a_dense_product(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    matrix = np.where(rng.random((40, 30)) < 0.2, rng.random((40, 30)), 0).astype(np.float32)
    queries = np.where(rng.random((9, 30)) < 0.3, rng.random((9, 30)), 0)

    def toks(row: Any) -> dict[str, float]:
        return {f"t{n}": float(value) for n, value in enumerate(row) if value}

    index = ToksIndex(tmp_path / "i").index({"docno": f"d{n:02}", "toks": toks(row)} for n, row in enumerate(matrix))
    out = index.retriever(num_results=5)(asked(*map(toks, queries)))
    for qid, scores in enumerate(queries @ matrix.T):
        best = sorted(np.flatnonzero(scores), key=lambda n: -scores[n])[:5]
        assert found(out, str(qid)) == pytest.approx({f"d{n:02}": scores[n] for n in best}, rel=1e-5)


@pytest.mark.parametrize(
    "toks", [None, [["lamp", 1.0]], {"lamp": "1"}, {"lamp": float("nan")}, {"lamp": 10**400}, {1: 1.0}]
)
def test_faulty_vectors(tmp_path: Path, toks: object) -> None:
    with pytest.raises(ComponentError, match="'x'"):
        ToksIndex(tmp_path / "index").index([{"docno": "x", "toks": toks}])


def write(path: Path, *rows: object) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    return path


@pytest.fixture(name="laws")
def folder_with_dates(tmp_path: Path) -> Collection:
    (tmp_path / "laws").mkdir()
    rows = [
        {"docno": "h-1@2020-01-01", "text": "A boat has a lamp.", "effective_to": "2022-01-01"},
        {"docno": "h-1@2022-01-01", "text": "A boat has two lamps."},
        {"docno": "h-2", "text": "A raft has oars."},
    ]
    (tmp_path / "laws" / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Collection(tmp_path / "laws", cache=tmp_path / "cache")


def test_vectors_in_a_file(laws: Collection, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Names of other toolkits, the day of the question, and what is missing on either side."""
    file = write(
        tmp_path / "v.jsonl.gz",
        {"id": "h-1@2020-01-01", "contents": "", "vector": {"lamp": 1}},
        {"docno": "h-1@2022-01-01", "toks": {"lamp": 2.0}},
        {"doc_id": "gone-1", "toks": {"lamp": 2.0}},
    )
    retriever: Any = laws.pipeline(f"toks(path='{file}')")
    with caplog.at_level(logging.WARNING, "legalir"):
        days = pd.DataFrame(
            {"qid": list("01"), "query_toks": [{"lamp": 1.0}] * 2, "as_of": ["2021-05-05", "2023-05-05"]}
        )
        out = retriever(days)
    assert [found(out, qid) for qid in "01"] == [{"h-1@2020-01-01": 1.0}, {"h-1@2022-01-01": 2.0}]
    assert "1 vectors of v.jsonl.gz, such as that of 'gone-1'" in caplog.text
    assert "1 of 3 documents have no vector" in caplog.text
    with pytest.raises(ComponentError, match=r'query_toks.*analyzer="word"'):
        laws.search("a lamp", f"toks(path='{file}')")
    assert laws.search("a lamp", f"toks(path='{file}', analyzer='word')")["docno"].tolist() == ["h-1@2022-01-01"]
    with caplog.at_level(logging.WARNING, "legalir"):
        assert laws.search("a lamp", f"toks(path='{file}', analyzer='char2')").empty
        assert retriever(asked({"zebra": 1.0})).empty
    assert "is it the analyzer of the model" in caplog.text
    assert "are they terms of the model that made the vectors?" in caplog.text
    assert retriever.index.again(laws, retriever.index.manifest.facts) == retriever.index
    write(file, {"docno": "h-2", "toks": {"lamp": 3.0}})
    assert found(laws.pipeline(f"toks(path='{file}')")(asked({"lamp": 1.0}))) == {"h-2": 3.0}, "a new file is read anew"


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([{"docno": 7, "toks": {}}], FormatError, "line 1: docno must be a string"),
        ([{"docno": "h-2", "toks": {}}, {"docno": "h-2", "toks": {}}], FormatError, "line 2: docno 'h-2' is on"),
        ([{"docno": "h-2", "text": "a"}], FormatError, "line 1: toks of 'h-2'"),
        ([{"docno": "other", "toks": {"a": 1}}], ExpressionError, "no vector of a document"),
        ([], ExpressionError, "no vector of a document"),
    ],
)
def test_faulty_files(
    laws: Collection, tmp_path: Path, rows: list[object], error: type[LegalIRError], message: str
) -> None:
    with pytest.raises(error, match=message):
        laws.pipeline(f"toks(path='{write(tmp_path / 'v.jsonl.gz', *rows)}')")


def test_no_such_file(laws: Collection) -> None:
    with pytest.raises(ExpressionError, match=r"toks: path='nowhere.jsonl' is not a file"):
        laws.pipeline("toks(path='nowhere.jsonl')")
    with pytest.raises(ExpressionError, match=r"toks: path=5 is not a file"):
        laws.pipeline("toks(path=5)")
