"""Lines of text files, plain or gzipped, with the file and line of whatever is wrong with them."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from legalir.errors import DataError, FormatError

__all__ = ["Fault", "OnFault", "json_rows", "numbered_lines", "open_binary", "stop"]

_BUFFER = 1 << 20


class Fault(NamedTuple):
    """Something wrong in a file: `line` counts from 1, and is 0 where the fault is the file's own."""

    file: Path
    line: int
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.message}."


OnFault = Callable[[Fault], None]
"""What a reader does with a fault. If it returns, the reader leaves the line out and goes on."""


def stop(fault: Fault) -> None:
    """Raise the fault.

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
    """Yield number and text of every line that is not blank; only a newline ends a line.

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
        FormatError: a line is not one whole JSON object (where `on_fault` is `stop`).
    """
    for number, line in numbered_lines(path, on_fault):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or a number too long"
            on_fault(Fault(path, number, "json", f"not a whole JSON object ({reason})"))
            continue
        if not isinstance(row, dict):
            on_fault(Fault(path, number, "json", "not a JSON object"))
        elif "\\u" in line and _has_half_character(line):
            on_fault(Fault(path, number, "encoding", r"half of a surrogate pair (\ud800 to \udfff)"))
        else:
            yield number, row


def _has_half_character(line: str) -> bool:
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
