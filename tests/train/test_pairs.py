"""Pairs from judgements, headings and citations, and splits that share a question."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from legalir import datasets
from legalir.datasets import Provision
from legalir.errors import DataError
from legalir.train.material import Pairs, check_disjoint, from_headings, from_judgements, from_references, same_question


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write an invented collection of three provisions with two splits."""
    home = tmp_path / "yard"
    home.mkdir()
    provisions = [("a", "Mooring", "12"), ("b", "Tolls", "13"), ("c", "Tolls", "14")]
    rows = [
        {
            "docno": docno,
            "text": f"Ships pay as the harbour says under Section {int(article) % 3 + 12} of it.",
            "heading": heading,
            "article": article,
        }
        for docno, heading, article in provisions
    ]
    queries = [
        ("q1", "Where may I moor?"),
        ("q2", "What does it cost?"),
        ("q3", "Who pays?"),
        ("q4", "WHERE may  I moor?"),
    ]
    (home / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (home / "queries.jsonl").write_text(
        "".join(json.dumps({"qid": qid, "query": text}) + "\n" for qid, text in queries)
    )
    (home / "qrels.train.txt").write_text("q1 0 a 1\nq1 0 c 2\nq1 0 b 0\nq2 0 b 1\nq2 0 gone 1\nq3 0 gone 1\n")
    (home / "qrels.dev.txt").write_text("q4 0 a 1\n")
    return home


def listed(pairs: Pairs) -> list[tuple[str, list[int]]]:
    return [(query, gold.tolist()) for query, gold in zip(pairs.queries, pairs.gold, strict=True)]


def test_judgements_of_one_or_more_that_the_corpus_has(folder: Path) -> None:
    pairs = from_judgements(datasets.load(folder / "train"), {"a": 0, "b": 1, "c": 2})
    assert listed(pairs) == [("Where may I moor?", [0, 2]), ("What does it cost?", [1])]
    assert pairs.source == "judgements"
    assert all(gold.dtype == np.int64 for gold in pairs.gold)
    assert [note.split(" of ")[0] for note in pairs.notes] == ["2 judgement(s)", "1 question(s)"]
    assert listed(from_judgements(datasets.load(folder / "dev"), {"a": 7})) == [("WHERE may  I moor?", [7])]


def test_no_judgements_is_one_sentence(folder: Path) -> None:
    with pytest.raises(DataError, match=r"^Judgements .* has none"):
        from_judgements(datasets.load(folder), {})
    with pytest.raises(DataError, match=r"^No question of .*train .*docnos"):
        from_judgements(datasets.load(folder / "train"), {})


def test_a_heading_is_a_query_for_all_that_bear_it(folder: Path) -> None:
    assert listed(from_headings(datasets.load(folder).docs())) == [("Mooring", [0]), ("Tolls", [1, 2])]


def test_a_heading_that_many_bear_needs_its_law() -> None:
    rows = [
        Provision("a", heading="Purpose", law="Yard Act"),
        Provision("b", heading=" Purpose "),
        Provision("c", heading="Tolls"),
    ]
    pairs = from_headings(rows, most=1)
    assert listed(pairs) == [("Yard Act Purpose", [0]), ("Tolls", [2])]
    assert pairs.notes == ("1 heading(s) say too little and have no law to be named with",)


def test_no_headings_is_one_sentence() -> None:
    with pytest.raises(DataError, match=r"^Headings .*no provision"):
        from_headings([Provision("a", text="text")])


def test_citations_of_a_collection(folder: Path) -> None:
    with pytest.raises(DataError, match="has no links"):
        from_references(datasets.load(folder).docs(), [])
    (folder / "links.tsv").write_text("a\tb\tself\nb\tc\tself\nc\ta\tself\n")
    # 12 % 3 + 12 = 12 is a's own number, so that a link to b is missing; 13 cites 13 itself, 14 cites 14.
    with pytest.raises(DataError, match="0 of 3 links"):
        from_references(datasets.load(folder).docs(), datasets.load(folder).links())


def test_the_same_words_are_one_query_for_all_that_they_cite() -> None:
    rows = [
        Provision(
            str(number),
            text=f"Ships pay as the harbour says under Section {number % 9 + 1} of it.",
            article=str(number),
        )
        for number in range(1, 10)
    ]
    pairs = from_references(rows, [(str(number), str(number % 9 + 1), "") for number in range(1, 10)])
    assert listed(pairs) == [("Ships pay as the harbour says under of it.", list(range(9)))]
    assert pairs.notes == (
        "9 of 9 links were found in the text of their source (9 by number, 0 in a range, 0 by title)",
    )


def test_what_stands_beside_is_near() -> None:
    """A list's members are gold together; a further citation in its window is near, and no query's negative."""
    rows = [Provision(str(number), text="", article=str(number)) for number in range(1, 4)]
    text = "The fee under Section 1 is due, yet whoever moors a barge under Section 2 or Section 3 is free of it."
    rows += [Provision(f"s{number}", text=text) for number in range(3)]
    pairs = from_references(rows, [(f"s{number}", str(target), "") for number in range(3) for target in (1, 2, 3)])
    found = [(gold.tolist(), near.tolist()) for gold, near in zip(pairs.gold, pairs.near, strict=True)]
    assert found == [([0], [1, 2]), ([1, 2], [0])]


def test_splits_that_share_a_question(folder: Path) -> None:
    train, dev = datasets.load(folder / "train"), datasets.load(folder / "dev")
    check_disjoint(train, dev)
    with (folder / "qrels.dev.txt").open("a") as stream:
        stream.write("q2 0 b 1\nq1 0 a 1\n")
    with pytest.raises(DataError, match=r"^2 queries .*dev, .*'q1', .*train, "):
        check_disjoint(train, datasets.load(folder / "dev"))


def test_spellings_of_one_question() -> None:
    assert same_question(" WHERE may\t I moor?") == same_question("where may i moor?")
    assert same_question("\u1100\u1161\u00b7\u1102\u1161") == same_question("가\u318d나")
    assert same_question("a b") != same_question("ab")
