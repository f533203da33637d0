"""CIFF, the Common Index File Format of Lucene, PISA, Terrier and others [ciff]: read and written.

A file is a header, the postings of each term, and a record of each document, each with its length before it, in the
encoding of Protocol Buffers.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.datasets.readers import open_binary
from legalir.errors import FormatError
from legalir.storage.files import new_file


class Postings(NamedTuple):
    """The content of an index. V terms, n documents, P postings.

    Attributes:
        terms: ascending; [V].
        indptr: start of the postings of each term; int64 [V + 1].
        documents: document of each posting, ascending within a term; int32 [P].
        frequencies: of the term in the document; [P].
        docnos: [n].
        lengths: number of term occurrences in each document; [n].
        description: what the file says of itself.
    """

    terms: Sequence[str]
    indptr: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    frequencies: npt.NDArray[np.integer[Any]]
    docnos: Sequence[str]
    lengths: npt.NDArray[np.integer[Any]]
    description: str = ""


def write_ciff(path: Path, index: Postings) -> None:
    """Write an index; a name that ends in ``.gz`` is compressed.

    Raises:
        OSError: the file cannot be written.
    """
    n, total = len(index.docnos), int(index.lengths.sum())
    head: list[int | float | bytes] = [
        1,
        len(index.terms),
        n,
        len(index.terms),
        n,
        total,
        total / n if n else 0.0,
        index.description.encode(),
    ]
    with ExitStack() as stack:
        plain = stack.enter_context(stack.enter_context(new_file(path)).open("wb"))
        compressed = path.suffix == ".gz"
        stream = stack.enter_context(gzip.GzipFile("", "wb", fileobj=plain, mtime=0)) if compressed else plain
        _put(stream, head)
        for number, term in enumerate(index.terms):
            own = slice(*index.indptr[number : number + 2].tolist())
            gaps, tf = np.diff(index.documents[own], prepend=0).tolist(), index.frequencies[own].tolist()
            postings = [_message(pair) for pair in zip(gaps, tf, strict=True)]
            _put(stream, [term.encode(), len(tf), sum(tf), *postings])
        for number, (docno, length) in enumerate(zip(index.docnos, index.lengths.tolist(), strict=True)):
            _put(stream, [number, docno.encode(), length])


def read_ciff(path: Path) -> Postings:
    """Read an index; a name that ends in ``.gz`` is decompressed.

    Raises:
        DataError: the file cannot be read.
        FormatError: it is not a whole CIFF file, or says different things of one document or term.
    """
    try:
        with open_binary(path) as stream:
            return _checked(_messages(stream.read()))
    except (
        ValueError,
        LookupError,
        EOFError,
        OSError,
        zlib.error,
        ArithmeticError,
        AttributeError,
        TypeError,
    ) as error:
        reason = str(error) if type(error) is ValueError else "it is cut, or not of this format"
        raise FormatError(f"{path} is not a whole CIFF file ({reason}): export the index again.") from error


def _checked(messages: Iterator[bytes]) -> Postings:
    head = dict(_fields(next(messages, b"")))
    if head.get(1) != 1:
        raise ValueError(f"version {head.get(1)}, and 1 is read")
    lists: dict[str, tuple[list[int], list[int]]] = {}
    for _ in range(head.get(2, 0)):
        documents, frequencies, one = [], [], {}
        document = 0
        for number, value in _fields(next(messages, b"")):
            if number == 4:
                pair = dict(_fields(value))
                document += pair.get(1, 0)
                documents.append(document)
                frequencies.append(pair[2])
            else:
                one[number] = value
        term = one[1].decode()
        if term in lists or len(documents) != one.get(2) or sum(frequencies) != one.get(3, sum(frequencies)):
            raise ValueError(f"the term {term!r} occurs twice, or its numbers of postings and occurrences are others")
        if not documents or (np.diff(documents) <= 0).any():
            raise ValueError(f"the documents of the term {term!r} do not ascend")
        lists[term] = documents, frequencies
    records = [dict(_fields(message)) for message in messages]
    places = {record.get(1, 0): record for record in records}
    if len(records) != head.get(3, 0) or sorted(places) != list(range(len(records))):
        raise ValueError(f"{len(records)} records of documents, and the header has {head.get(3, 0)}")
    if any(documents[-1] >= len(records) for documents, _ in lists.values()):
        raise ValueError("a posting is of a document without a record")
    terms = sorted(lists)
    sizes = [len(lists[term][0]) for term in terms]
    counts = np.array([tf for term in terms for tf in lists[term][1]], dtype=np.int64)
    return Postings(
        terms,
        np.concatenate(([0], np.cumsum(np.array(sizes, dtype=np.int64)))),
        np.array([document for term in terms for document in lists[term][0]], dtype=np.int32),
        counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        [places[number][2].decode() for number in range(len(records))],
        np.array([places[number].get(3, 0) for number in range(len(records))], dtype=np.int32),
        bytes(head.get(8, b"")).decode(),
    )


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _message(values: Sequence[int | float | bytes]) -> bytes:
    """Return a message of fields 1, 2, …; all values from the fourth on are field 4 where they are bytes."""
    out = bytearray()
    for number, value in enumerate(values, 1):
        if isinstance(value, bytes):
            # The one repeated field is the last of its message; the description of the header is the eighth.
            field = number if isinstance(values[0], int) else min(number, 4)
            out += _varint(field << 3 | 2) + _varint(len(value)) + value
        elif isinstance(value, float):
            out += _varint(number << 3 | 1) + struct.pack("<d", value)
        elif value:
            out += _varint(number << 3) + _varint(value)
    return bytes(out)


def _put(stream: IO[bytes] | gzip.GzipFile, values: Sequence[int | float | bytes]) -> None:
    message = _message(values)
    stream.write(_varint(len(message)) + message)


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7


def _cut(data: bytes, place: int, size: int) -> tuple[bytes, int]:
    if place + size > len(data):
        raise ValueError("it ends too early")
    return data[place : place + size], place + size


def _messages(data: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        size, place = _read_varint(data, place)
        message, place = _cut(data, place, size)
        yield message


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Yield number and value of each field of a message."""
    place = 0
    while place < len(message):
        key, place = _read_varint(message, place)
        value: object
        if key & 7 == 0:
            value, place = _read_varint(message, place)
        elif key & 7 == 1:
            raw, place = _cut(message, place, 8)
            value = struct.unpack("<d", raw)[0]
        elif key & 7 == 2:
            size, place = _read_varint(message, place)
            value, place = _cut(message, place, size)
        else:
            raise ValueError("a field of an unknown type")
        yield key >> 3, value
