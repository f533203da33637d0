"""Indexes of other engines: stored once, compared with what is asked, days and ties as everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from legalir import Collection
from legalir.datasets import Provision
from legalir.errors import ArtifactError, ComponentError
from legalir.extend import EngineIndex, EngineRetriever, Hits


class Lengths(EngineIndex):
    """The number of characters of each text."""

    kind, version = "lengths", 1
    unit = "character"
    written = 0

    @property
    def settings(self) -> dict[str, Any]:
        return {"unit": {"name": self.unit, "fingerprint": "0123456789"}}

    def write(self, documents: Iterator[Mapping[str, Any]], directory: Path) -> dict[str, Any]:
        type(self).written += 1
        np.save(directory / "lengths.npy", np.array([len(document["text"]) for document in documents]))
        return {"made": "by hand"}


class Longest(EngineRetriever):
    """The longest texts; equal ones in the opposite order of what is wanted."""

    name = "longest"

    def __init__(self, index: Lengths, num_results: int = 1000) -> None:
        super().__init__(index, num_results)
        self.asked: list[tuple[list[str], Sequence[int] | None, int]] = []

    def best(self, queries: pd.DataFrame, days: Sequence[int] | None, k: int) -> list[Hits]:
        self.asked.append((queries["query"].tolist(), days, k))
        lengths = self.index.arrays["lengths"]
        order = np.lexsort((-self.index.docno_table.order, -lengths))[:k]
        return [(order, lengths[order].astype(np.float32)) for _ in range(len(queries))]


def collection_of(folder: Path, texts: Mapping[str, str]) -> Collection:
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"docno": docno, "text": text}) for docno, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return Collection(folder, cache=folder / "cache")


def frame(*queries: str, **more: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(n) for n in range(len(queries))], "query": queries, **more})


def found(retriever: EngineRetriever, queries: pd.DataFrame) -> list[list[str]]:
    out = retriever.transform(queries)
    return [out["docno"][out["qid"] == qid].tolist() for qid in queries["qid"]]


def test_it_is_stored_once_and_compared_with_what_is_asked(tmp_path: Path) -> None:
    collection = collection_of(tmp_path / "one", {"b": "xx", "a": "x"})
    path, before = tmp_path / "index", Lengths.written
    retriever = Longest(Lengths(path, collection))
    assert not path.exists(), "nothing is built before the first question"
    assert found(retriever, frame("q")) == [["b", "a"]]
    again = Lengths(path, collection)
    assert (len(again), again.docnos.tolist(), Lengths.written) == (2, ["b", "a"], before + 1)
    facts = again.manifest.facts
    assert (facts["made"], facts["documents"], facts["corpus"]) == ("by hand", 2, collection.fingerprint())
    other = collection_of(tmp_path / "other", {"c": "x"})
    with pytest.raises(ArtifactError, match="another corpus"):
        found(Longest(Lengths(path, other)), frame("q"))


def test_files_are_found_where_they_were_written_and_documents_have_their_keys(tmp_path: Path) -> None:
    class Documents(Lengths):
        def write(self, documents: Iterator[Mapping[str, Any]], directory: Path) -> dict[str, Any]:
            (directory / "engine").mkdir()
            (directory / "engine" / "rows.json").write_text(json.dumps(list(documents)))
            return {}

    folder = tmp_path / "one"
    folder.mkdir()
    rows = [{"docno": "a", "title": "Lamps", "text": "x"}, {"docno": "b", "text": "y", "law": "Raft Act"}]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    index = Documents(tmp_path / "index", Collection(folder, cache=folder / "cache"))
    first, second = json.loads((index.files / "engine" / "rows.json").read_text())
    assert (first["docno"], first["indexed_text"]) == ("a", "Lamps\nx")
    assert (second["docno"], second["indexed_text"], second["title"], second["law"]) == ("b", "y", "", "Raft Act")
    assert set(Provision._fields) - {"doc_id"} <= first.keys()
    before, index = index.files, Documents(tmp_path / "index")
    index.index([{"docno": "c", "text": "z"}])
    assert index.files != before and not before.exists()
    assert json.loads((index.files / "engine" / "rows.json").read_text())[0]["indexed_text"] == "z"


def test_another_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Lengths(tmp_path / "index").index([{"docno": "a", "text": "x"}])
    monkeypatch.setattr(Lengths, "unit", "word")
    with pytest.raises(ArtifactError, match=r"character 01234567.*word 01234567"):
        len(Lengths(tmp_path / "index"))


def test_nothing_is_there_and_nothing_can_be_built(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="There is no index at"):
        found(Longest(Lengths(tmp_path / "index")), frame("q"))


def test_documents_that_an_engine_leaves_unread_are_counted(tmp_path: Path) -> None:
    class Unread(Lengths):
        def write(self, documents: Iterator[Mapping[str, Any]], directory: Path) -> dict[str, Any]:
            return {}

    index = Unread(tmp_path / "index").index([{"docno": "a", "text": "x"}, {"docno": "b", "text": "x"}])
    assert index.docnos.tolist() == ["a", "b"]
    with pytest.raises(ComponentError, match="'a' occurs twice"):
        index.index([{"docno": "a", "text": "x"}, {"docno": "a", "text": "x"}])
    assert len(Unread(tmp_path / "index")) == 2, "the old build stays"


def test_a_cut_through_equal_scores_asks_for_twice_as_many(tmp_path: Path) -> None:
    texts = {f"d{number:02d}": "x" * (3 if number == 50 else 1) for number in range(60)}
    retriever = Longest(Lengths(tmp_path / "index", collection_of(tmp_path / "one", texts)), num_results=3)
    assert found(retriever, frame("q", " ")) == [["d50", "d00", "d01"], []]
    assert [k for _, _, k in retriever.asked] == [4, 8, 16, 32, 60]
    assert {tuple(texts) for texts, _, _ in retriever.asked} == {("q",)}, "white space is not asked"


def test_days(tmp_path: Path) -> None:
    texts = {f"a@20{year:02d}-01-01": "x" * (40 - year) for year in range(30)}
    retriever = Longest(
        Lengths(tmp_path / "index", collection_of(tmp_path / "one", {**texts, "b": "x"})), num_results=2
    )
    queries = frame("q", "q", as_of=["2003-07-01", "2000-01-01"])
    # The engine knows no days: its longest text has ended in 2003, and it is asked for more.
    assert found(retriever, queries) == [["a@2003-01-01", "b"], ["a@2000-01-01", "b"]]
    assert retriever.asked[0] == (["q", "q"], [731397, 730120], 3)
    with pytest.raises(ComponentError, match="is not a date"):
        found(retriever, frame("q", as_of=["soon"]))


def test_filters(tmp_path: Path) -> None:
    texts = {f"d{number:02d}": "x" * (70 - number) for number in range(60)}
    retriever = Longest(Lengths(tmp_path / "index", collection_of(tmp_path / "one", texts)), num_results=2)
    queries = frame("q", "q", where=["docno=d50|d40|d30", ""])
    # The engine knows no fields: it is asked for more until enough pass.
    assert found(retriever, queries) == [["d30", "d40"], ["d00", "d01"]]
    alone = Lengths(tmp_path / "alone").index([{"docno": "a", "text": "x"}])
    with pytest.raises(ComponentError, match="does not know the fields"):
        found(Longest(alone), frame("q", where=["docno=a"]))


def test_an_engine_that_is_asked_for_the_best_of_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Among(Longest):
        def best_among(
            self, queries: pd.DataFrame, days: Sequence[int] | None, k: int, among: Sequence[np.ndarray | None]
        ) -> list[Hits]:
            given.append([None if one is None else one.tolist() for one in among])
            hits = []
            for (order, scores), some in zip(self.best(queries, days, len(self.index)), among, strict=True):
                there = np.isin(order, order if some is None else some)
                hits.append((order[there][:k], scores[there][:k]))
            return hits

    given: list[list[list[int] | None]] = []
    texts = {f"d{number:02d}@2020-01-01": "x" * (70 - number) for number in range(60)}
    retriever = Among(Lengths(tmp_path / "index", collection_of(tmp_path / "one", texts)), num_results=2)
    nothing = "docno=d01, docno=d02"
    queries = frame(
        "q", "q", "q", "q", where=["docno=d50|d40|d30", "", nothing, "docno!=d00"], as_of=["2021-01-01"] * 4
    )
    expected = [["d30", "d40"], ["d00", "d01"], [], ["d01", "d02"]]
    for most in (10, 60):
        monkeypatch.setattr("legalir.engine._MOST_AMONG", most)
        assert [[docno[:3] for docno in docnos] for docnos in found(retriever, queries)] == expected
    # One filter is too wide at first; its numbers go where that did not suffice. Where nothing passes, none is asked.
    assert given == [[[30, 40, 50], None, None], [[*range(1, 60)]], [[30, 40, 50], None, [*range(1, 60)]]]
    assert found(retriever, frame("q", where=["docno=d50"], as_of=["2000-01-01"])) == [[]]


def test_a_score_that_is_no_number(tmp_path: Path) -> None:
    class Broken(Longest):
        def best(self, queries: pd.DataFrame, days: Sequence[int] | None, k: int) -> list[Hits]:
            return [(np.array([0]), np.array([np.nan]))]

    index = Lengths(tmp_path / "index").index([{"docno": "a", "text": "x"}])
    with pytest.raises(ComponentError, match=r"longest.*finite"):
        found(Broken(index), frame("q"))
