"""What is read to learn from: several sources, what is near, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from learnable import write_statutes

from legalir.collection.collection import Collection
from legalir.errors import DataError
from legalir.train import material as module
from legalir.train.material import Material, dataset_facts, read_material
from legalir.train.pairs import Pairs


def read(folder: Path, sources: Sequence[str] = ("judgements",), dev: str | None = None) -> Material:
    return read_material(Collection(folder), sources, dev)


@pytest.fixture(name="statutes")
def folder_to_learn_from(tmp_path: Path) -> Path:
    return write_statutes(tmp_path / "statutes")


def test_sources_follow_each_other(statutes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heading = Pairs(
        ["a heading", "more"], [np.array([3]), np.array([4, 5])], "headings", [np.array([7]), np.array([4])]
    )
    monkeypatch.setattr(module, "from_headings", lambda collection: heading)
    corpus = (statutes / "corpus.jsonl").read_text(encoding="utf-8")
    (statutes / "corpus.jsonl").write_text(corpus.replace('{"docno"', '{"heading": "a heading", "docno"', 1))
    found = read(statutes / "train", sources=["headings", "judgements"])
    assert found.pairs == (3, 400)
    assert found.train.texts[:2] == ("a heading", "more")
    assert len(found.train.texts) == 202
    assert found.train.gold.indptr[:3].tolist() == [0, 1, 3]
    assert found.train.gold.documents[:3].tolist() == [3, 4, 5]
    # What is near is no negative, and nothing to learn, either.
    assert found.train.spared.indptr[:3].tolist() == [0, 2, 4]
    assert found.train.spared.documents[:4].tolist() == [3, 7, 4, 5]
    assert [source["source"] for source in found.sources] == ["headings", "judgements"]
    texts = [row.default_text() for row in Collection(statutes).docs()]
    assert found.passages == tuple(texts)


def test_what_the_collection_lacks_is_said_and_the_rest_is_read(
    statutes: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = read(statutes / "train", sources=["citations", "judgements", "headings"], dev="dev")
    assert found.pairs == (0, 400, 0)
    assert found.train.digest() == read(statutes / "train", dev="dev").train.digest()
    assert [source["notes"] for source in found.sources] == [["there are no links"], [], ["no provision has a heading"]]
    name = statutes / "train"
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        f"Headings were asked for, but no provision has a heading in {name}: training goes on with judgements.",
        f"Citations were asked for, but there are no links in {name}: training goes on with judgements.",
    ]


def test_a_collection_that_lacks_all_sources_is_an_error(statutes: Path) -> None:
    with pytest.raises(DataError, match="Headings were asked for, but no provision of the collection has one"):
        read(statutes, sources=["headings"])
    with pytest.raises(DataError, match="Citations were asked for, but the collection has no links"):
        read(statutes, sources=["citations", "headings"])
    with pytest.raises(DataError, match="Judgements were asked for"):
        read(statutes, sources=["judgements"])


def test_data_are_told_apart(statutes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, measured = read(statutes / "train"), read(statutes / "train", dev="dev")
    assert set(measured.data) - set(plain.data) == {"dev"}
    assert measured.data["train"] == plain.data["train"]
    assert measured.dev is not None
    assert measured.data["dev"] == read(statutes / "dev").data["train"]
    digests = set()
    for near in ([np.array([2])], [np.array([3])]):
        monkeypatch.setattr(
            module, "from_headings", lambda _, near=near: Pairs(["x"], [np.array([1])], "headings", near)
        )
        digests.add(read(statutes, sources=["headings"]).data["train"])
    assert len(digests) == 2


def test_all_queries_are_dev_queries(statutes: Path) -> None:
    lines = (statutes / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    other = "\n".join(line.replace('"qid": "', '"qid": "other-') for line in lines)
    (statutes / "queries.jsonl").write_text("\n".join([*lines, other, ""]), encoding="utf-8")
    (statutes / "qrels.twin.txt").write_text(
        (statutes / "qrels.train.txt").read_text(encoding="utf-8").replace("q", "other-q"), encoding="utf-8"
    )
    with pytest.raises(DataError, match="gives no judgements to learn from that are not dev queries"):
        read(statutes / "train", dev="twin")


def test_names_on_the_card(statutes: Path) -> None:
    assert dataset_facts(Collection(statutes / "train"))["dataset"] == "statutes/train"
    assert dataset_facts(Collection("legalir/firecode/test"))["dataset"] == "legalir/firecode/test"
