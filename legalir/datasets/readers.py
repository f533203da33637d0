"""The files of the folder format, row by row, with file and line of each fault."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from legalir.datasets.folder import ORIGIN
from legalir.datasets.records import Provision, fits_trec, identifier, provision
from legalir.errors import DataError, FormatError, warn_once

RESERVED = ("docno", "score", "rank")
"""Columns of a result frame, which a query must not have."""

Link = tuple[str, str, str]
"""Source docno, target docno, kind (empty if the file gives no kind)."""


class Judgement(NamedTuple):
    """One line of a TREC judgement file."""

    qid: str
    docno: str
    label: int


_BUFFER = 1 << 20


class Fault(NamedTuple):
    """A fault in a file; `line` counts from 1, and is 0 for a fault of the whole file."""

    file: Path
    line: int
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.message}."


OnFault = Callable[[Fault], None]
"""Callback for a faulty line; returning skips the line."""


def stop(fault: Fault) -> None:
    """Raise a fault as an error.

    Raises:
        FormatError: always, naming file, line and fault.
    """
    raise FormatError(str(fault))


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressing it where its name ends in ``.gz``.

    Raises:
        DataError: the file cannot be read.
    """
    try:
        if path.suffix == ".gz":
            return io.BufferedReader(gzip.GzipFile(path, "rb"), _BUFFER)
        return path.open("rb", buffering=_BUFFER)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error


def numbered_lines(path: Path, on_fault: OnFault = stop) -> Iterator[tuple[int, str]]:
    """Yield number and text of every line that is not blank; a line ends at a newline only.

    Raises:
        FormatError: a line is not UTF-8, or the compressed data is damaged (where `on_fault` is `stop`).
    """
    number = 0
    try:
        with open_binary(path) as stream:
            for number, raw in enumerate(stream, 1):
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                try:
                    line = raw.decode("utf-8").strip("\r\n")
                except UnicodeDecodeError as error:
                    on_fault(Fault(path, number, "encoding", f"not UTF-8 (byte {error.start + 1} of the line)"))
                    continue
                if line and not line.isspace():
                    yield number, line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        fault = "compressed data ends too early" if isinstance(error, EOFError) else "damaged compressed data"
        on_fault(Fault(path, number + 1, "gzip", fault))


def json_rows(path: Path, on_fault: OnFault = stop) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield number and object of every line of a JSON-lines file.

    Raises:
        FormatError: a line is not a complete JSON object (if `on_fault` is `stop`).
    """
    for number, line in numbered_lines(path, on_fault):
        try:
            row = _json_object(line)
        except ValueError as error:
            on_fault(Fault(path, number, *error.args))
        else:
            yield number, row


def _json_object(line: str) -> dict[str, object]:
    """Return the JSON object of a line.

    Raises:
        ValueError: the line is not one; kind and message of the fault.
    """
    try:
        row = json.loads(line)
        if "\\u" in line:
            json.dumps(row, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("encoding", r"half of a surrogate pair (\ud800 to \udfff)") from None
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or a number too long"
        raise ValueError("json", f"not a whole JSON object ({reason})") from error
    if not isinstance(row, dict):
        raise ValueError("json", "not a JSON object")
    return row


def read_corpus(path: Path, on_fault: OnFault = stop) -> Iterator[Provision]:
    """Yield the provisions of ``corpus.jsonl[.gz]`` one at a time.

    Raises:
        FormatError: a line is not a provision, or repeats the docno of an earlier line.
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


def line_provision(line: str) -> Provision:
    """Return the provision of a line.

    Raises:
        ValueError: the line is not a provision.
    """
    return provision(_json_object(line))


REFERENCES = ("reference_answer", "gold_answer")
"""Other names under which published questions have their reference answer."""


def read_queries(path: Path, field: str = "query", on_fault: OnFault = stop) -> Iterator[dict[str, object]]:
    """Yield the rows of a query file, `qid` and `query` first, every other column unchanged.

    A reference answer is read from `answer`, where components and measures look for it; a row without it has there
    what another name of :data:`REFERENCES` has.

    Args:
        path: ``queries*.jsonl[.gz]``.
        field: column of the question; it becomes `query`.

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
        reference = next((row[name] for name in REFERENCES if row.get(name)), None)
        answer = {} if reference is None or rest.get("answer") else {"answer": reference}
        yield {"qid": qid, "query": row[field], **rest, **answer}


def _check_query(qid: str, row: dict[str, object], field: str) -> None:
    text = row.get(field)
    if not isinstance(text, str):
        raise ValueError(f"query {qid!r} has no text in the field {field!r}")
    if not text.strip():
        raise ValueError(f"query {qid!r} is empty")
    for name in RESERVED:
        if name in row:
            raise ValueError(f"query {qid!r} has a column {name!r}, which is a column of results")


BELOW_0 = "judgements below 0, read as 0"


def read_qrels(path: Path, on_fault: OnFault = stop, negative: bool = False) -> Iterator[Judgement]:
    """Yield the judgements of a TREC file: ``qid iteration docno relevance``.

    Args:
        path: the file.
        on_fault: called for a faulty line.
        negative: yield a relevance below 0 as it is; by default it counts as 0, and how many there are is logged once.

    Raises:
        FormatError: a wrong number of fields, a relevance that is not an integer, or a pair judged twice.
    """
    seen: set[tuple[str, str]] = set()
    below = 0
    for number, line in numbered_lines(path, on_fault):
        fields = line.split()
        if len(fields) != 4:
            fault = f"{len(fields)} fields, but a judgement has four (qid, iteration, docno, relevance)"
            on_fault(Fault(path, number, "fields", fault))
            continue
        qid, _, docno, relevance = fields
        grade = relevance.removeprefix("-")
        if not grade.isascii() or not grade.isdigit():
            on_fault(Fault(path, number, "relevance", f"relevance {relevance!r} is not an integer"))
        elif not fits_trec(qid) or not fits_trec(docno):
            on_fault(Fault(path, number, "identifier", f"{qid!r} or {docno!r} holds invisible characters"))
        elif (qid, docno) in seen:
            on_fault(Fault(path, number, "duplicate", f"{docno!r} is judged for {qid!r} on an earlier line, too"))
        else:
            seen.add((qid, docno))
            label = int(relevance)
            below += label < 0
            yield Judgement(qid, docno, label if negative else max(label, 0))
    if below and not negative:
        warn_once(f"{path}: {BELOW_0}: {below}.")


def read_origins(folder: Path, key: str = "") -> Iterator[dict[str, object]]:
    """Yield the lines of the ``origin.jsonl`` of a folder that have `key` in them; none if it has no such file.

    Raises:
        FormatError: a line is not a JSON object with a docno.
    """
    path = folder / ORIGIN
    for number, line in numbered_lines(path) if path.is_file() else ():
        if key not in line:
            continue
        try:
            origin = _json_object(line)
        except ValueError as error:
            stop(Fault(path, number, "origin", f"{error.args[1]}; import the collection again"))
        if "docno" not in origin:
            stop(Fault(path, number, "origin", "there is no 'docno'; import the collection again"))
        yield origin


def read_links(path: Path, on_fault: OnFault = stop) -> Iterator[Link]:
    """Yield the links of ``links.tsv[.gz]``: source, target and kind, if present.

    Raises:
        FormatError: a line does not have two or three fields, or one of them is not a docno.
    """
    docnos: set[str] = set()  # Those that were checked: most occur often.
    for number, line in numbered_lines(path, on_fault):
        fields = line.split("\t")
        if len(fields) not in (2, 3):
            fault = f"{len(fields)} fields between tabs, but a link has two or three (source, target, kind)"
            on_fault(Fault(path, number, "fields", fault))
            continue
        source, target, kind = fields if len(fields) == 3 else (*fields, "")
        if not (source in docnos or fits_trec(source)) or not (target in docnos or fits_trec(target)):
            on_fault(Fault(path, number, "identifier", f"{source!r} or {target!r} is not a docno"))
            continue
        docnos.add(source)
        docnos.add(target)
        yield source, target, kind


def read_aliases(path: Path, on_fault: OnFault = stop) -> Iterator[tuple[int, str, str]]:
    """Yield the line number, the name and the law of each line of ``aliases.tsv``.

    Raises:
        FormatError: a line does not have two fields, or a name does not have two letters.
    """
    for number, line in numbered_lines(path, on_fault):
        alias, _, law = line.partition("\t")
        if not law.strip() or "\t" in law:
            on_fault(Fault(path, number, "fields", f"{line!r} is not a name, a tab, and the name or law_id of a law"))
        elif sum(map(str.isalnum, alias)) < 2:
            on_fault(Fault(path, number, "alias", f"{alias!r} does not have two letters"))
        else:
            yield number, alias.strip(), law.strip()


class Holding(NamedTuple):
    """The part of a provision that a chunk contains.

    Attributes:
        chunk: docno of the chunk.
        provision: docno of the provision.
        complete: whether the chunk contains the whole provision.
        characters: number of characters of the provision in the chunk.
        start: where they begin in the text of the chunk.
    """

    chunk: str
    provision: str
    complete: bool
    characters: int
    start: int


SHARES = {"complete": True, "partly": False}
"""Words for how much of a provision a chunk contains."""


def read_chunks(path: Path, on_fault: OnFault = stop) -> Iterator[Holding]:
    """Yield the lines of ``chunks.tsv[.gz]``: chunk, provision, ``complete`` or ``partly``, characters, start.

    Raises:
        FormatError: a line is malformed, or a chunk lists a provision twice.
    """
    seen: set[tuple[str, str]] = set()
    for number, line in numbered_lines(path, on_fault):
        fields = line.split("\t")
        if len(fields) != 5:
            fault = f"{len(fields)} fields between tabs, but chunk, provision, share, characters and start are five"
            on_fault(Fault(path, number, "fields", fault))
            continue
        chunk, provision_, share, *counts = fields
        if not fits_trec(chunk) or not fits_trec(provision_):
            on_fault(Fault(path, number, "identifier", f"{chunk!r} or {provision_!r} is not a docno"))
        elif share not in SHARES:
            on_fault(Fault(path, number, "share", f"{share!r} is neither 'complete' nor 'partly'"))
        elif not all(count.isascii() and count.isdecimal() for count in counts):
            on_fault(Fault(path, number, "count", f"{counts[0]!r} or {counts[1]!r} is not a whole number from 0"))
        elif (chunk, provision_) in seen:
            on_fault(Fault(path, number, "duplicate", f"{chunk!r} holds {provision_!r} on an earlier line, too"))
        else:
            seen.add((chunk, provision_))
            yield Holding(chunk, provision_, SHARES[share], int(counts[0]), int(counts[1]))
