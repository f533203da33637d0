"""An invented collection of versions of provisions, with its law on any day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

Row = Mapping[str, str]

PARKS = "Parks Act"
FEES = "Park Fees Rules"


def _version(key: str, begin: str, end: str, law: str, heading: str, text: str) -> Row:
    article = key.rpartition("-")[2]
    return {
        "docno": f"{key}@{begin}",
        "title": f"{law} Article {article}" if text else "",
        "text": text,
        "law": law,
        "law_id": key.rpartition("-")[0],
        "article": article,
        "heading": heading,
        "effective_from": begin,
        "effective_to": end,
    }


CORPUS: list[Row] = [
    # Three versions.
    _version("parks-1", "2010-01-01", "2015-07-01", PARKS, "Dogs", "A dog must be on a lead of at most 1 metre."),
    _version("parks-1", "2015-07-01", "2020-03-01", PARKS, "Dogs", "A dog must be on a lead of at most 2 metres."),
    _version("parks-1", "2020-03-01", "", PARKS, "Dogs", "A dog must be on a lead of at most 3 metres."),
    # One wording since the beginning.
    _version(
        "parks-2", "2010-01-01", "", PARKS, "Fires", "Fires in a park need a permit under Article 1 of the Rules."
    ),
    # Repealed on 2018-01-01: a version without text.
    _version("parks-3", "2010-01-01", "2018-01-01", PARKS, "Kites", "Kites may fly in a park on Sundays."),
    _version("parks-3", "2018-01-01", "", PARKS, "", ""),
    # Suspended from 2014 to 2016: a gap.
    _version("fees-1", "2012-01-01", "2014-01-01", FEES, "Permits", "The fee of a permit for fires is 10 crowns."),
    _version("fees-1", "2016-01-01", "", FEES, "Permits", "The fee of a permit for fires is 25 crowns."),
    # Renumbered on 2019-01-01: fees-2 became fees-7.
    _version("fees-2", "2012-01-01", "2019-01-01", FEES, "Dogs", "The fee for a dog without a lead is 5 crowns."),
    _version("fees-2", "2019-01-01", "", FEES, "", ""),
    _version("fees-7", "2019-01-01", "", FEES, "Dogs", "The fee for a dog without a lead is 8 crowns."),
]
LINKS = [("parks-2", "fees-1", "cites"), ("fees-2", "parks-1", "cites"), ("fees-7@2019-01-01", "parks-1", "cites")]
QUERIES = [
    {"qid": "lead-2012", "query": "How many metres must the lead of a dog be at most?", "as_of": "2012-06-01"},
    {"qid": "lead-2016", "query": "How many metres must the lead of a dog be at most?", "as_of": "2016-06-01"},
    {"qid": "lead-2021", "query": "How many metres must the lead of a dog be at most?", "as_of": "2021-06-01"},
    {"qid": "kites", "query": "May kites fly in a park on Sundays?", "as_of": "2017-12-31"},
]
QRELS = [
    "lead-2012 0 parks-1 1",
    "lead-2016 0 parks-1@2015-07-01 1",
    "lead-2021 0 parks-1@2015-07-01 1",
    "kites 0 parks-3 1",
]
DAYS = ("2009-12-31", "2010-01-01", "2013-05-05", "2014-06-01", "2015-06-30", "2015-07-01", "2018-01-01", "2020-03-01")


def in_force(corpus: Iterable[Row], day: str) -> Iterator[Row]:
    """Yield the rows in force on a day, by the rule as it is written: from <= d < to, and a text."""
    for row in corpus:
        if row["effective_from"] <= day and (not row["effective_to"] or day < row["effective_to"]) and row["text"]:
            yield row


def write_dated(folder: Path, corpus: Iterable[Row] = CORPUS) -> Path:
    """Write the collection into a folder that is not there yet."""
    folder.mkdir(parents=True)
    for name, rows in (("corpus", corpus), ("queries", QUERIES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "links.tsv").write_text("".join("\t".join(link) + "\n" for link in LINKS), encoding="utf-8")
    (folder / "qrels.txt").write_text("\n".join(QRELS) + "\n", encoding="utf-8")
    (folder / "dataset.yaml").write_text("title: Invented parks\nlicence: CC0-1.0\nlang: en\n", encoding="utf-8")
    return folder
