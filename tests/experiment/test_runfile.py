"""Run files read back exactly, whatever the scores and names."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legalir.errors import ExperimentError
from legalir.experiments.runs import read_record, read_run, record_paths, write_run

NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=8)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES, SCORES), max_size=6))
def test_a_run_reads_back_as_it_was_written(rows: list[tuple[str, str, float]]) -> None:
    run = pd.DataFrame(
        {
            "qid": pd.Series([row[0] for row in rows], dtype=str),
            "docno": pd.Series([row[1] for row in rows], dtype=str),
            "score": np.array([row[2] for row in rows], dtype=np.float64),
            "rank": np.arange(len(rows), dtype=np.int64),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.trec"
        write_run(path, run, "a system")
        pd.testing.assert_frame_equal(read_run(path), run)


@pytest.mark.parametrize("docno", ['"', "NA", "null", "제1조 제2항", "#", "1e5", "'"])
def test_docnos_that_look_like_something_else(tmp_path: Path, docno: str) -> None:
    run = pd.DataFrame({"qid": ["NaN"], "docno": [docno], "score": [0.1 + 0.2], "rank": [0]})
    write_run(tmp_path / "x.trec", run, "x")
    pd.testing.assert_frame_equal(read_run(tmp_path / "x.trec"), run)


def test_the_file_is_a_trec_run(tmp_path: Path) -> None:
    import ir_measures

    run = pd.DataFrame({"qid": ["q"], "docno": ["제1조"], "score": [1 / 3], "rank": [0]})
    path = tmp_path / "x.trec"
    write_run(path, run, "two words")
    assert path.read_text(encoding="utf-8") == f"q\tQ0\t제1조\t0\t{1 / 3!r}\ttwo_words\n"
    with path.open(encoding="utf-8") as stream:
        assert list(ir_measures.read_trec_run(stream)) == [ir_measures.ScoredDoc("q", "제1조", 1 / 3)]


def test_paths_are_names_where_they_can_be_and_never_the_same() -> None:
    names = ["BM25", "무창층", "a b", "a/b", "A-B", "../x", "", "???", "x" * 300]
    paths = record_paths(Path("runs"), names)
    assert paths["BM25"].name == "BM25.json" and paths["무창층"].name == "무창층.json"
    assert len({path.name.casefold() for path in paths.values()}) == len(names)
    assert all(path.parent == Path("runs") and len(path.name) < 100 for path in paths.values())


def test_a_file_that_is_no_run(tmp_path: Path) -> None:
    path = tmp_path / "x.trec"
    with pytest.raises(ExperimentError, match="cannot be read"):
        read_run(path)
    path.write_text("q Q0 d 0 1.0 x\n")
    with pytest.raises(ExperimentError, match="not a run file"):
        read_run(path)
    assert read_record(path.with_suffix(".json")) is None
