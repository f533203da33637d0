"""A stored TREC run as a retriever: its order, its faults, versions, and what the file and the collection lack."""

from __future__ import annotations

import gzip
import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from dated_folder import write_dated
from hypothesis import given
from hypothesis import strategies as st

from legalir.collection.collection import Collection
from legalir.errors import ComponentError, FormatError
from legalir.experiments.fingerprints import notes
from legalir.graph.laws import LawTable
from legalir.pipeline.stored_run import StoredRun, read_trec_run

QUERIES = pd.DataFrame({"qid": ["q2", "q1"], "query": ["b", "a"]})


def written(folder: Path, *rows: tuple[object, ...], name: str = "other.trec") -> Path:
    path = folder / name
    text = "".join(" ".join(map(str, row)) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["other.trec", "other.run.gz"])
def test_the_order_is_that_of_the_scores_and_then_of_the_docnos_descending(tmp_path: Path, name: str) -> None:
    rows = [("q1", "Q0", "b", 1, "7e-1", "x"), ("q1", "Q0", "a", 2, 0.7, "x"), ("q1", "Q0", "c", 0, 2, "x")]
    found = StoredRun(written(tmp_path, *rows, name=name)).transform(QUERIES)
    assert found[["qid", "query", "docno", "score", "rank"]].to_numpy().tolist() == [
        ["q1", "a", "c", 2.0, 0],
        ["q1", "a", "b", 0.7, 1],
        ["q1", "a", "a", float(np.nextafter(np.float32(0.7), np.float32(0))), 2],
    ]


SCORES = st.integers(-3, 3).map(float) | st.floats(-1e6, 1e6) | st.sampled_from([0.1, 0.1 + 1e-12])
LISTS = st.dictionaries(st.sampled_from("abcdefgh"), SCORES, min_size=1)


@given(st.dictionaries(st.sampled_from(["q1", "q2"]), LISTS, min_size=1), st.data())
def test_figures_are_those_of_trec_eval_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, lists: dict[str, dict[str, float]], data: st.DataObject
) -> None:
    rows = [(qid, 0, docno, 0, repr(score), "x") for qid, docnos in lists.items() for docno, score in docnos.items()]
    path = written(tmp_path_factory.mktemp("runs"), *data.draw(st.permutations(rows)))
    found = StoredRun(str(path)).transform(QUERIES)
    scores = {(qid, docno): score for qid, docnos in lists.items() for docno, score in docnos.items()}
    pairs = zip(found["qid"], found["docno"], strict=True)
    kept = np.array([scores[pair] for pair in pairs])
    np.testing.assert_allclose(found["score"], kept, rtol=1e-6, atol=1e-40)
    for _, rows_of in found.groupby("qid"):
        singles = rows_of["score"].to_numpy(np.float32)
        assert (singles[1:] < singles[:-1]).all(), "no ties, which measures would order in their own ways"
    # pytrec_eval is trec_eval itself: each document alone is relevant once.
    file = {one: {row[2]: float(row[4]) for row in rows if row[0] == one} for one in lists}
    for docno in sorted({docno for _, docno in scores}):
        judged = {qid: {docno: 1} for qid in lists}
        expected = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(file)
        for qid, values in expected.items():
            rank = found.loc[(found["qid"] == qid) & (found["docno"] == docno), "rank"]
            assert values["recip_rank"] == pytest.approx(1 / (rank.iloc[0] + 1) if len(rank) else 0)


def test_a_head_of_comments_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "with.run"
    path.write_text("# ir_metadata.start\n# tag: one two 3 4\n#\n#1 Q0 a 1 2 x\n#1 Q0 b 2 1 x\n", encoding="utf-8")
    assert read_trec_run(path)["#1"].docno.tolist() == ["a", "b"]
    path.write_text("q1 Q0 a 1 2 x\n# late\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 2: 2 columns"):
        read_trec_run(path)


def test_identifiers_with_a_blank_need_tabs(tmp_path: Path) -> None:
    path = tmp_path / "own.trec"
    path.write_text("질문 2\tQ0\t제1조 2\t0\t1.5\tx\n", encoding="utf-8")
    assert read_trec_run(path)["질문 2"].docno.tolist() == ["제1조 2"]


@pytest.mark.parametrize(
    "line",
    [
        *("q1 Q0 d2 1 nan x", "q1 Q0 d2 1 inf x", "q1 Q0 d2 1 1e999 x", "q1 Q0 d2 1 high x", "q1 Q0 d2 first 1 x"),
        *("q1 Q0 d2 1 1", "q1 Q0 d2 1 1 x y", "d2", "q1 Q0 d1 2 1 x", "q1\tQ0\t \t1\t1\tx", "q1 Q0 d\xff 1 1 x"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.trec"
    path.write_bytes(b"q1 Q0 d1 1 1 x\n\n" + line.encode("latin-1") + b"\n")
    with pytest.raises(FormatError, match=r"bad\.trec, line 3: .+"):
        StoredRun(path)


def test_an_empty_file_a_folder_and_no_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"bad\.trec"):
        StoredRun(written(tmp_path, name="bad.trec"))
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ComponentError, match=str(path)):
            StoredRun(path)


@pytest.mark.parametrize(
    ("ranks", "warned"),
    [((1, 3, 2), 0), ((0, 0, 0), 0), ((1, 2, 3), 1), ((2, 3, 1), 1), ((3, 2, 1), 1), ((1, 2, 2), 0)],
)
def test_one_warning_of_ranks_that_have_another_order_than_the_scores(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, ranks: tuple[int, ...], warned: int
) -> None:
    scores = (9, 5, 5)  # The order of trec_eval is a, c, b.
    rows = [("q1", "Q0", docno, rank, score, "x") for docno, rank, score in zip("abc", ranks, scores, strict=True)]
    with caplog.at_level(logging.WARNING, "legalir"):
        run = StoredRun(written(tmp_path, *rows))
    assert len(caplog.records) == warned == bool(run.note)


def test_a_changed_file_is_read_again_and_has_another_fingerprint(tmp_path: Path) -> None:
    run = StoredRun(written(tmp_path, ("q1", "Q0", "a", 1, 2, "x")))
    before = run.fingerprint
    written(tmp_path, ("q1", "Q0", "bb", 1, 2, "x"))
    assert run.fingerprint != before
    assert run.transform(QUERIES)["docno"].tolist() == ["bb"]


def test_what_the_file_or_the_collection_lacks_is_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    collection = Collection("legalir/firecode", cache=tmp_path)
    docno = next(iter(collection.docs())).doc_id
    path = written(tmp_path, ("q1", "Q0", "nowhere", 1, 3, "x"), ("q1", "Q0", docno, 2, 2, "x"))
    with caplog.at_level(logging.WARNING, "legalir"):
        system = collection.pipeline(f'run(path="{path}") % 2')
        assert system.transform(QUERIES)["docno"].tolist() == ["nowhere", docno]
        assert system.transform(QUERIES)["docno"].tolist() == ["nowhere", docno]
    [note] = notes(system)
    assert note.startswith("1 of 2 documents of other.trec, such as 'nowhere', are not in the collection")
    texts = [record.getMessage() for record in caplog.records]
    assert [text for text in texts if "'nowhere'" in text and "1 of 2" in text] == texts[:1], "once"
    assert ["'q2'" in text and "1 of 2" in text for text in texts[1:]] == [True, True]
    assert collection.search("…", f'run("{path}")').empty


def test_only_what_is_in_force(tmp_path: Path) -> None:
    collection = Collection(write_dated(tmp_path / "data"), cache=tmp_path / "cache")
    laws = LawTable.of(collection)
    versions = laws.docnos.tolist()
    rows = [("q1", "Q0", docno, 0, 1, "x") for docno in versions]
    queries = pd.DataFrame({"qid": ["q1"], "query": ["a"], "as_of": ["2021-06-01"]})
    law = laws.in_force(queries)[0]
    assert law is not None and 0 < len(law) < len(versions)
    run = collection.pipeline(f'run("{written(tmp_path, *rows)}")')
    assert set(run.transform(queries)["docno"]) == set(law.values())
    keys = [("q1", "Q0", key, 0, 1, "x") for key in law]
    by_key = collection.pipeline(f'run("{written(tmp_path, *keys, name="keys.trec")}", num_results=1000)')
    assert set(by_key.transform(queries)["docno"]) == set(law.values()), "a key means its version"
