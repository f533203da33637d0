"""Search in chunks: provisions come out, each with the score of its best chunk; one table with other systems."""

from __future__ import annotations

import io
import json

import pandas as pd
import pyterrier as pt
import pytest
from rich.console import Console

import legalir
from legalir.chunks.chunk_collection import method, write_chunks
from legalir.collection.results import gives_answers
from legalir.errors import ComponentError, DataError, ExpressionError
from legalir.experiments.terminal import print_result

TEXTS = {
    "a-1": "등대에는 등불을 켠다.",
    "a-2": "종은 안개가 끼면 친다.",
    "a-3": "나룻배는 사람을 태우고, 짐을 싣고, 삯을 받는다.",
    "b-1": "뗏목에는 등불을 단다.",
}
LINES = 'chunked(bm25, by="line", size=26)'
"""Chunks: a-1 and a-2 (25 characters with the line break), a-3, b-1."""


@pytest.fixture(name="folder")
def _folder(tmp_path):
    rows = [{"docno": docno, "text": text, "law_id": docno[0]} for docno, text in TEXTS.items()]
    folder = tmp_path / "laws"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    queries = [{"qid": "1", "query": "안개가 끼면 종은?"}, {"qid": "2", "query": "나룻배 삯"}]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    (folder / "qrels.txt").write_text("1 0 a-2 1\n2 0 a-3 1\n")
    return folder


@pytest.fixture(name="collection")
def _collection(folder, tmp_path):
    return legalir.Collection(folder, cache=tmp_path / "cache")


def test_provisions_have_the_score_of_their_best_chunk(collection) -> None:
    chunks = collection.chunked("line", size=26)
    (found,) = chunks.pipeline("bm25").search("안개가 끼면 종은?").itertuples()
    assert [part.provision for part in chunks.chunks[found.docno]] == ["a-1", "a-2"]
    results = collection.pipeline(LINES).search("안개가 끼면 종은?")
    assert results[["docno", "score", "rank"]].to_numpy().tolist() == [["a-1", found.score, 0], ["a-2", found.score, 1]]


def test_overlapping_chunks_give_a_provision_once(collection) -> None:
    system = collection.pipeline('chunked(bm25, by="sentence", size=24, overlap=14, unit="characters", held="any")')
    chunks = collection.chunked("sentence", size=24, overlap=14, unit="characters").pipeline("bm25").search("등불 종")
    results = system.search("등불 종")
    assert results["docno"].is_unique
    assert set(results["score"]) <= set(chunks["score"])
    assert results["score"].iloc[0] == chunks["score"].max()


def test_parts_of_provisions(collection) -> None:
    whole = collection.pipeline('chunked(bm25, by="character", size=8)')
    part = collection.pipeline('chunked(bm25, by="character", size=8, held="any")')
    assert whole.search("싣고").empty
    assert list(whole.search("싣고").columns) == list(part.search("싣고").columns)
    assert part.search("싣고")["docno"].tolist() == ["a-3"]
    assert whole.note.startswith("a chunk counts as the provisions that it holds completely, each")
    assert ", completely or in part, each" in part.note


def test_the_folder_is_written_once_and_follows_the_questions(folder, tmp_path) -> None:
    def folders() -> set[str]:
        collection = legalir.Collection(folder, cache=tmp_path / "cache")
        collection.pipeline(LINES)
        return {path.name for path in collection.cache.glob("chunks-line-*") if path.is_dir()}

    first = folders()
    assert len(first) == 1
    assert folders() == first
    (folder / "qrels.txt").write_text("1 0 a-1 1\n")
    assert len(folders() - first) == 1
    assert folders() > first


def test_answers_from_chunks(collection) -> None:
    system = collection.pipeline('chunked(bm25 % 1 >> quote, by="character", size=20, overlap=4)')
    assert gives_answers(system)
    (row,) = system.search("안개가 끼면 종은?").to_dict("records")
    assert not any("chunk" in docno for name in ("citations", "context_docnos") for docno in row[name])
    assert set(row["context_partly"]) < set(row["context_docnos"])
    assert set(row["citations"]) <= set(row["context_docnos"])
    assert "context_partly" in system.transform(pd.DataFrame({"qid": [], "query": []}, dtype=str)).columns
    assert not gives_answers(collection.pipeline(LINES))


def test_one_table_of_chunks_and_provisions(collection, tmp_path) -> None:
    result = legalir.experiment(
        {
            "title": "cuts",
            "dataset": str(collection.source.folder.root),
            "measures": ["R@1", "R@5", "MicroCitationF1"],
            "baseline": "provisions",
            "systems": {
                "provisions": "bm25",
                "lines": LINES,
                "cut": 'chunked(bm25, by="character", size=8)',
                "cut, quote": 'chunked(bm25 % 3 >> quote, by="character", size=8)',
            },
        },
        collection=collection,
        latency_queries=0,
    )
    table = result.table.set_index("name")
    assert table["R@1"].tolist() == [1.0, 0.5, 0.0, 0.0]  # a-1 and a-2 share a chunk; ties go by docno.
    assert table["R@5"].tolist() == [1.0, 1.0, 0.0, 0.0]  # What an answer read in part does not count, either.
    assert table["MicroCitationF1"].tolist()[3] > 0
    rule = next(one for one in result.remarks if not one.startswith("no result"))
    assert result.remarks[rule] == ["lines", "cut", "cut, quote"]
    stream = io.StringIO()
    print_result(result, Console(file=stream, width=400))
    assert f"lines; cut; cut, quote: {rule}" in stream.getvalue()
    page = result.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"<b>lines; cut; cut, quote</b>: {rule}." in page


def test_equal_parts_are_one_object_and_names_mean_the_chunks(collection) -> None:
    one, other = collection.pipeline(LINES), collection.pipeline(LINES.replace("size=26", "size = 26"))
    assert one == other
    assert one.collection is other.collection
    inside = collection.pipeline(f"rrf({LINES}, bm25)")
    assert len({type(part) for part in inside.pipelines}) == 2
    assert pt.inspect.transformer_outputs(one, ["qid", "query"]) == ["qid", "query", "docno", "score", "rank"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('chunked(bm25, by="lines")', "chunked: There is no chunking 'lines'"),
        ("chunked(bm25, buffer=3)", "line has no buffer; it has size, overlap."),
        ('chunked(bm25, encoder="lsa")', "line has no encoder"),
        ('chunked(bm25, size="5")', "size='5' is not an integer"),
        ("chunked(bm25, size=5, overlap=5)", "overlap from 0 to size - 1"),
        ('chunked(bm25, by="pattern", pattern="(")', "is not a regular expression"),
        ('chunked(bm25, held="some")', "held='some' is not one of complete, any"),
        ("chunked(bm2)", "column 9: There is no component 'bm2'"),
        ("chunked(bm25 >> nothing)", "'nothing'"),
    ],
)
def test_faults(collection, expression, message) -> None:
    with pytest.raises(ExpressionError, match="Expression") as caught:
        collection.pipeline(expression)
    assert message in str(caught.value)


def test_chunks_are_not_cut_again(collection, tmp_path) -> None:
    write_chunks(collection.source, tmp_path / "lines", method("line"), "line")
    with pytest.raises(DataError, match="is a chunk collection"):
        legalir.Collection(tmp_path / "lines", cache=tmp_path / "cache").pipeline("chunked(bm25)")


def test_versions_are_refused(tmp_path) -> None:
    with pytest.raises(ComponentError, match="--as-of"):
        legalir.Collection("legalir/firecode-dated", cache=tmp_path / "cache").chunked()
