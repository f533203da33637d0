"""The files of a folder, row by row: corpus, queries, judgements, links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from legalir.datasets.lines import Fault, OnFault, json_rows, numbered_lines, stop
from legalir.datasets.records import Provision, fits_trec, identifier, provision

__all__ = [
    "RESERVED",
    "Judgement",
    "Link",
    "count_rows",
    "read_corpus",
    "read_links",
    "read_positions",
    "read_qrels",
    "read_queries",
]

RESERVED = ("docno", "score", "rank")
"""Columns that a result frame adds to a query, so that no query may bring them."""

Link = tuple[str, str, str]
"""Source docno, target docno, kind (empty where not given)."""


class Judgement(NamedTuple):
    """One line of a TREC judgement file."""

    qid: str
    docno: str
    label: int


def read_corpus(path: Path, on_fault: OnFault = stop) -> Iterator[Provision]:
    """Yield the provisions of ``corpus.jsonl[.gz]`` one at a time.

    Raises:
        FormatError: a line that is not a provision, or a docno that an earlier line has.
    """
    seen: set[str] = set()
    for number, row in json_rows(path, on_fault):
        try:
            record = provision(row)
        except ValueError as error:
            on_fault(Fault(path, number, "provision", str(error)))
            continue
        if record.doc_id in seen:
            on_fault(Fault(path, number, "duplicate", f"docno {record.doc_id!r} is on an earlier line, too"))
            continue
        seen.add(record.doc_id)
        yield record


def read_positions(path: Path, positions: range) -> Iterator[Provision]:
    """Yield the provisions at ascending positions; the lines between them are skipped, not parsed.

    Raises:
        FormatError: a line at one of the positions is not a provision.
    """
    if not positions:
        return
    wanted = islice(numbered_lines(path), positions.start, positions.stop, positions.step)
    for number, line in wanted:
        try:
            yield provision(json.loads(line))
        except ValueError as error:
            stop(Fault(path, number, "provision", str(error)))


def count_rows(path: Path) -> int:
    """Return the number of lines that are not blank, without parsing any."""
    return sum(1 for _ in numbered_lines(path))


def read_queries(path: Path, field: str = "query", on_fault: OnFault = stop) -> Iterator[dict[str, object]]:
    """Yield the rows of a query file, `qid` and `query` first, every other column as it stands.

    Args:
        path: ``queries*.jsonl[.gz]``.
        field: the column that holds the question, which becomes `query`.

    Raises:
        FormatError: a row without identifier or question, a repeated qid, or a column of a result frame.
    """
    seen: set[str] = set()
    for number, row in json_rows(path, on_fault):
        try:
            qid = identifier(row, "qid", "query_id")
            _check_query(qid, row, field)
        except ValueError as error:
            on_fault(Fault(path, number, "query", str(error)))
            continue
        if qid in seen:
            on_fault(Fault(path, number, "duplicate", f"qid {qid!r} is on an earlier line, too"))
            continue
        seen.add(qid)
        rest = {key: value for key, value in row.items() if key not in ("qid", "query_id", "query")}
        yield {"qid": qid, "query": row[field], **rest}


def _check_query(qid: str, row: dict[str, object], field: str) -> None:
    text = row.get(field)
    if not isinstance(text, str):
        raise ValueError(f"query {qid!r} has no text in the field {field!r}")
    if not text.strip():
        raise ValueError(f"query {qid!r} is empty")
    for name in RESERVED:
        if name in row:
            raise ValueError(f"query {qid!r} has a column {name!r}, a name kept for results")


def read_qrels(path: Path, on_fault: OnFault = stop) -> Iterator[Judgement]:
    """Yield the judgements of a TREC file: ``qid iteration docno relevance``.

    Raises:
        FormatError: a wrong number of fields, a relevance that is no integer from 0, or a pair judged twice.
    """
    seen: set[tuple[str, str]] = set()
    for number, line in numbered_lines(path, on_fault):
        fields = line.split()
        if len(fields) != 4:
            fault = f"{len(fields)} fields, but a judgement has four (qid, iteration, docno, relevance)"
            on_fault(Fault(path, number, "fields", fault))
            continue
        qid, _, docno, relevance = fields
        if not relevance.isascii() or not relevance.isdigit():
            on_fault(Fault(path, number, "relevance", f"relevance {relevance!r} is not an integer from 0"))
        elif not fits_trec(qid) or not fits_trec(docno):
            on_fault(Fault(path, number, "identifier", f"{qid!r} or {docno!r} holds invisible characters"))
        elif (qid, docno) in seen:
            on_fault(Fault(path, number, "duplicate", f"{docno!r} is judged for {qid!r} on an earlier line, too"))
        else:
            seen.add((qid, docno))
            yield Judgement(qid, docno, int(relevance))


def read_links(path: Path, on_fault: OnFault = stop) -> Iterator[Link]:
    """Yield the links of ``links.tsv[.gz]``: source, target and, where given, kind.

    Raises:
        FormatError: a line that has not two or three fields, or an empty one.
    """
    for number, line in numbered_lines(path, on_fault):
        fields = line.split("\t")
        if len(fields) not in (2, 3):
            fault = f"{len(fields)} fields between tabs, but a link has two or three (source, target, kind)"
            on_fault(Fault(path, number, "fields", fault))
        elif not fits_trec(fields[0]) or not fits_trec(fields[1]):
            on_fault(Fault(path, number, "identifier", f"{fields[0]!r} or {fields[1]!r} is no docno"))
        else:
            yield fields[0], fields[1], fields[2] if len(fields) == 3 else ""
