"""The verdicts of the second and the third reader cover the questions with options; the page has their figures."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from legalir import datasets

PAGE = Path(__file__).resolve().parents[2] / "qrels" / "README.md"


class Verdict(NamedTuple):
    """One row of the file: what one reader found in one text of a question."""

    qid: str
    text: str
    reader: str
    sha256: str
    key: int
    answer: int
    clear: str
    from_a_alone: str
    from_b_alone: str
    note: str


@pytest.fixture(scope="module")
def items() -> dict[str, dict]:
    """The questions of both splits as they are today, in their order."""
    found = {}
    for split in ("multihop", "yesno"):
        path = datasets.load(f"legalir/firecode/{split}").folder.queries[split]
        found |= {item["qid"]: item for item in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    return found


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    path = datasets.load("legalir/firecode").folder.root / "second-reading.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    assert header == list(Verdict._fields)
    return [Verdict(*row[:4], int(row[4]), int(row[5]), *row[6:]) for row in rows]


def test_each_question_was_read_once_as_it_was_first_written(items: dict[str, dict], verdicts: list[Verdict]) -> None:
    assert [row.qid for row in verdicts if row.text == "first"] == list(items)
    assert {row.reader for row in verdicts if row.text == "first"} == {"second"}


def test_a_rewritten_question_was_read_by_its_writer_and_by_the_next_reader(verdicts: list[Verdict]) -> None:
    """The second reader wrote the repaired texts, the third reader those that were repaired again."""
    readings: dict[str, list[tuple[str, str]]] = {}
    for row in verdicts:
        readings.setdefault(row.qid, []).append((row.text, row.reader))
    steps = [("first", "second"), ("repaired", "second"), ("repaired", "third"), ("again", "third")]
    assert {len(steps_of) for steps_of in readings.values()} == {1, 3, 4}
    for qid, steps_of in readings.items():
        assert steps_of == steps[: len(steps_of)], qid
    # Two readers of one text read the same words.
    texts = {(row.qid, row.text): row.sha256 for row in verdicts}
    assert all(texts[row.qid, row.text] == row.sha256 for row in verdicts)


def test_the_last_verdict_is_about_the_question_of_today(items: dict[str, dict], verdicts: list[Verdict]) -> None:
    last = {row.qid: row for row in verdicts}
    for qid, item in items.items():
        words = "\n".join([item["query"], *item["options"]])
        assert last[qid].sha256 == hashlib.sha256(words.encode()).hexdigest()[:12], qid
        assert last[qid].key == item["key"], qid
    # Each earlier text of a question was another one.
    texts = {(row.qid, row.text): row.sha256 for row in verdicts}
    assert len({(qid, digest) for (qid, _), digest in texts.items()}) == len(texts)


def test_what_remains_is_clear_and_needs_both_provisions(items: dict[str, dict], verdicts: list[Verdict]) -> None:
    for row in {row.qid: row for row in verdicts}.values():
        assert row.clear == "yes", row.qid
        assert row.answer == items[row.qid]["key"], row.qid
        assert "yes" not in {row.from_a_alone, row.from_b_alone}, row.qid


def test_figures_of_the_page(verdicts: list[Verdict]) -> None:
    """The table of qrels/README.md, computed from the file."""
    first = [row for row in verdicts if row.text == "first"]
    third = [row for row in verdicts if (row.text, row.reader) == ("repaired", "third")]
    last = {row.qid: row for row in verdicts}
    read = {
        "`yesno`, first text, second reader": [row for row in first if row.qid.startswith("yn")],
        "`multihop`, first text, second reader": [row for row in first if row.qid.startswith("mh")],
        "`multihop`, rewritten text, third reader": [row for row in third if row.qid.startswith("mh")],
        "`multihop`, text of today, last verdict": [row for row in last.values() if row.qid.startswith("mh")],
    }
    for name, rows in read.items():
        alone = [Counter(row.from_a_alone for row in rows), Counter(row.from_b_alone for row in rows)]
        expected = [str(counts[value]) if counts[""] == 0 else "" for counts in alone for value in ("yes", "likely")]
        if name.endswith("reader"):
            pairs = [(row.key, row.answer) for row in rows]
            expected = [str(sum(key == answer for key, answer in pairs)), f"{_kappa(pairs):.2f}", *expected]
        else:
            # Some of these verdicts are those of the writer of the text: there is no agreement to state.
            expected = ["", "", *expected]
        assert _table_row(name) == [str(len(rows)), *expected], name


def test_counts_of_the_page(verdicts: list[Verdict]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    repaired = [row for row in verdicts if (row.text, row.reader) == ("repaired", "third")]
    counts = Counter(row.qid[:2] for row in repaired)
    assert counts == {"mh": 25, "yn": 1}
    assert f"rewrote {counts['mh']} of the multiple-choice questions" in page
    assert f"same option for all {sum(row.answer == row.key for row in repaired)} " in page
    again = [row.qid for row in verdicts if row.text == "again"]
    assert f"{', '.join(f'`{qid}`' for qid in again[:-1])} and `{again[-1]}`" in page


def _table_row(name: str) -> list[str]:
    """Return the cells after the first one of a row of the page."""
    (cells,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [cell.strip() for cell in cells.split("|")]


def _kappa(pairs: list[tuple[int, int]]) -> float:
    """Return Cohen's kappa, (observed - chance) / (1 - chance)."""
    observed = sum(one == other for one, other in pairs) / len(pairs)
    ones, others = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(ones[label] * others[label] for label in ones) / len(pairs) ** 2
    return (observed - chance) / (1 - chance)
