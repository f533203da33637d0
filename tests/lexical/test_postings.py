"""Postings that are spilled and merged equal those that are counted at once."""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.analysis.analyzer import count_terms, get_analyzer
from legalir.errors import ArtifactError
from legalir.lexical import term_index
from legalir.lexical.term_index import Batches
from legalir.storage.arrays import load_array

NAMES = ("indptr", "documents", "frequencies", "lengths")


def written(
    directory: Path, batches: list[list[str]], analyzer: str = "char2"
) -> tuple[list[str], dict[str, list[int]]]:
    spill, data = directory / "spill", directory / "data"
    spill.mkdir(parents=True)
    data.mkdir()
    counted = Batches(spill, ["frequencies"])
    for batch in batches:
        counted.add(count_terms(get_analyzer(analyzer), batch))
    terms = counted.write(data, ["frequencies"])
    arrays = {name: load_array(data / f"{name}.npy").tolist() for name in NAMES}
    assert load_array(data / "df.npy").tolist() == np.diff(arrays["indptr"]).tolist()
    return terms, arrays


def at_once(batches: list[list[str]], analyzer: str = "char2") -> tuple[list[str], dict[str, list[int]]]:
    counts = count_terms(get_analyzer(analyzer), [text for batch in batches for text in batch])
    return counts.terms, {name: getattr(counts, name).tolist() for name in NAMES}


@given(st.lists(st.lists(st.text("가나다 a", max_size=12), max_size=4), max_size=5), st.sampled_from([1, 3, 8_000_000]))
def test_batches_merge_to_what_is_counted_at_once(batches: list[list[str]], merge: int) -> None:
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_index, "_MERGE", merge)
        assert written(Path(directory), batches) == at_once(batches)


@pytest.mark.parametrize(("repeats", "width"), [(1, "uint8"), (255, "uint8"), (256, "uint16"), (70_000, "uint32")])
def test_frequencies_take_the_width_they_need(tmp_path: Path, repeats: int, width: str) -> None:
    batches = [["나"], ["가 " * repeats], ["가 나"]]
    assert written(tmp_path, batches) == at_once(batches)
    assert load_array(tmp_path / "data" / "frequencies.npy").dtype == width


def test_types_of_the_arrays(tmp_path: Path) -> None:
    written(tmp_path, [["가나다", ""], []])
    types = {name: str(load_array(tmp_path / "data" / f"{name}.npy").dtype) for name in NAMES}
    assert types == {"indptr": "int64", "documents": "int32", "frequencies": "uint8", "lengths": "int32"}


def test_nothing_at_all(tmp_path: Path) -> None:
    expected = ([], {"indptr": [0], "documents": [], "frequencies": [], "lengths": []})
    assert written(tmp_path / "no batch", []) == expected
    assert written(tmp_path / "empty batch", [[]]) == expected


def test_more_batches_than_files_may_be_open(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    batches = [[f"법령 제{number}조"] for number in range(150)]
    # This process has some files open already.
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 60, hard))
    try:
        assert written(tmp_path, batches) == at_once(batches)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_too_many_postings_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    batches = Batches(tmp_path, ["frequencies"])
    counts = count_terms(get_analyzer("char2"), ["가"])
    batches.add(counts)
    # Two billion postings do not fit into a test: the one posting says that it is so many.
    monkeypatch.setattr(np, "diff", lambda *arguments, **names: np.array([2**31]))
    with pytest.raises(ArtifactError, match="2147483648"):
        batches.write(tmp_path / "data", ["frequencies"])
