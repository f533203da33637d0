"""What is read to learn from: several sources, what is near, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from learnable import write_statutes

from legalir.collection.collection import Collection
from legalir.errors import DataError
from legalir.storage.digest import digest
from legalir.train import material as module
from legalir.train.material import Material, Pairs, read_material


def read(
    folder: Path, sources: Sequence[str] = ("judgements",), dev: str | None = None, hold_out: float = 0
) -> Material:
    return read_material(Collection(folder), sources, dev, hold_out)


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
    with pytest.raises(DataError, match="Headings"):
        read(statutes, sources=["headings"])
    with pytest.raises(DataError, match="Citations"):
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
    with pytest.raises(DataError, match="dev queries"):
        read(statutes / "train", dev="twin")


@pytest.mark.parametrize(("share", "size"), [(0.01, 20), (0.2, 40), (0.5, 100)])
def test_questions_are_held_out_by_the_hash_of_their_text(statutes: Path, share: float, size: int) -> None:
    held = read(statutes / "train", hold_out=share)
    whole = read(statutes / "train")
    assert held.held_out is not None
    texts = held.held_out.texts
    assert set(texts) == set(sorted(whole.train.texts, key=digest)[:size])
    assert set(texts) | set(held.train.texts) == set(whole.train.texts)
    assert len(texts) + len(held.train.texts) == 200
    assert held.sources[0] | {"queries": 200 - size, "left_out": size} == held.sources[0]
    place = whole.train.texts.index(texts[-1])
    assert held.held_out.gold.of(size - 1).tolist() == whole.train.gold.of(place).tolist()
    learnt = set(held.train.gold.documents.tolist())
    # Each question has two provisions, and every one counts.
    assert held.held_out.seen == sum(number in learnt for number in held.held_out.gold.documents) / (2 * size)


def test_one_text_is_held_out_whole_and_in_all_sources(statutes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read(statutes / "train", hold_out=0.2).held_out
    assert first is not None
    chosen = first.texts[0]
    rows = [json.loads(line) for line in (statutes / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    rows.append({"qid": "again", "query": f" {chosen.upper()}"})
    (statutes / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with (statutes / "qrels.train.txt").open("a", encoding="utf-8") as file:
        file.write("again 0 d7-2 1\n")
    heading = Pairs([chosen, "a heading"], [np.array([1]), np.array([2])], "headings")
    monkeypatch.setattr(module, "from_headings", lambda collection: heading)
    corpus = (statutes / "corpus.jsonl").read_text(encoding="utf-8")
    (statutes / "corpus.jsonl").write_text(corpus.replace('{"docno"', '{"heading": "a heading", "docno"', 1))
    held = read(statutes / "train", sources=["headings", "judgements"], hold_out=0.2)
    assert held.held_out is not None
    assert sorted(held.held_out.texts) == sorted([*first.texts, f" {chosen.upper()}"])
    assert held.pairs == (1, 320)
    # Only judgements count as seen: d7-2 has a heading at most.
    assert held.held_out.seen == pytest.approx((80 * first.seen) / 81)


def test_the_dev_split_is_held_out_and_nothing_else(statutes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, plain = read(statutes / "train", dev="dev", hold_out=0.2), read(statutes / "train", dev="dev")
    assert plain.held_out is None
    assert (held.train.digest(), held.data, held.sources) == (plain.train.digest(), plain.data, plain.sources)
    assert held.held_out is not None
    assert held.dev is not None
    assert held.held_out.texts == held.dev.texts
    assert held.held_out.gold.documents.tolist() == held.dev.gold.documents.tolist()
    assert held.held_out.seen == 1
    monkeypatch.setattr(module, "_MOST_HELD_OUT", 25)
    fewer = read(statutes / "train", dev="dev", hold_out=0.2).held_out
    assert fewer is not None
    assert set(fewer.texts) == set(sorted(held.dev.texts, key=digest)[:25])


def keep(folder: Path, split: str, questions: int) -> None:
    """Keep the judgements of the first questions of a split; each has two."""
    file = folder / f"qrels.{split}.txt"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: 2 * questions]), encoding="utf-8")


@pytest.mark.parametrize(
    ("split", "questions", "dev", "reason"),
    [
        ("train", 99, None, "there are 99 judged questions, and 100 are needed"),
        ("dev", 19, "dev", "there are 19 dev questions, and 20 are needed"),
        ("train", 0, None, "all judged questions that would choose it have one and the same right provision"),
        ("dev", 0, "dev", "all dev questions that would choose it have one and the same right provision"),
    ],
)
def test_too_little_to_hold_out(
    statutes: Path, caplog: pytest.LogCaptureFixture, split: str, questions: int, dev: str | None, reason: str
) -> None:
    if questions:
        keep(statutes, split, questions)
    else:
        file = statutes / f"qrels.{split}.txt"
        qids = dict.fromkeys(line.split()[0] for line in file.read_text(encoding="utf-8").splitlines())
        file.write_text("".join(f"{qid} 0 d0-0 1\n" for qid in qids), encoding="utf-8")
    held, plain = read(statutes / "train", dev=dev, hold_out=0.2), read(statutes / "train", dev=dev)
    assert held.held_out is None
    assert held.train.digest() == plain.train.digest()
    assert held.sources[0]["notes"] == [f"the weight in default is not measured: {reason}"]
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        f"The weight of the model in default is not measured: {reason}."
    ]
