"""Rows of a table in a file: comma- or tab-separated with a header, or JSON lines."""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from legalir.datasets.lines import Fault, json_rows, open_binary, stop
from legalir.errors import ComponentError, DataError

__all__ = ["TableFile"]

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_CELL = 1 << 28
"""Most characters in one cell: whole provisions stand in single ones."""

Row = Mapping[str, object]


@dataclass(frozen=True)
class TableFile:
    """A file that holds a table: ``.csv``, ``.tsv`` or ``.jsonl``, each also with ``.gz`` behind.

    Args:
        path: the file.
        encoding: of a ``.csv`` or ``.tsv``; one in which a line break is what it is in ASCII.
        delimiter: what stands between the cells; None: a comma in a ``.csv``, a tab in a ``.tsv``.
        quotes: whether cells may stand in quotation marks, as spreadsheets write them.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    path: Path
    encoding: str = "utf-8"
    delimiter: str | None = None
    quotes: bool = True

    def __post_init__(self) -> None:
        if self._kind not in (*_DELIMITERS, ".jsonl"):
            raise ComponentError(f"table: {self.path} is no .csv, .tsv or .jsonl file, plain or with .gz behind.")
        try:
            fits = "\n".encode(self.encoding) == b"\n" and codecs.lookup(self.encoding).name != "utf-7"
        except (LookupError, TypeError, ValueError):
            fits = False
        if not fits:
            raise ComponentError(
                f"table: encoding={self.encoding!r} is none that can be read: "
                f"give one such as 'utf-8', 'cp949' or 'tis-620'."
            )
        if self.delimiter is not None and (not isinstance(self.delimiter, str) or len(self.delimiter) != 1):
            raise ComponentError(f"table: delimiter={self.delimiter!r} is not one character.")
        if not isinstance(self.quotes, bool):
            raise ComponentError(f"table: quotes={self.quotes!r} is neither True nor False.")

    @property
    def _kind(self) -> str:
        return Path(self.path.name.removesuffix(".gz")).suffix.lower()

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the line on which a row begins, and its cells by column.

        Raises:
            FormatError: names file, line and fault.
            DataError: the file cannot be read.
        """
        if self._kind == ".jsonl":
            yield from json_rows(self.path)
        else:
            yield from self._cells()

    def _cells(self) -> Iterator[tuple[int, Row]]:
        csv.field_size_limit(_CELL)
        delimiter = self.delimiter or _DELIMITERS[self._kind]
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE
        reader = csv.reader(self._lines(), delimiter=delimiter, quoting=quoting, strict=True)
        header: list[str] | None = None
        line = 1
        try:
            for cells in reader:
                if header is None:
                    header = self._header(cells)
                elif len(cells) == len(header):
                    yield line, dict(zip(header, cells, strict=True))
                elif cells:  # A blank line is none.
                    count = f"{len(cells)} cell{'s' if len(cells) > 1 else ''}"
                    self._stop(line, f"{count}, but the header has {len(header)}")
                line = reader.line_num + 1
        except csv.Error as error:
            hint = "; give quotes=False if the file does not quote" if self.quotes and '"' in str(error) else ""
            self._stop(line, f"not readable as a table ({error}{hint})")
        if header is None:
            self._stop(0, "there is no header, whose cells name the columns")

    def _header(self, cells: list[str]) -> list[str]:
        header = [cell.strip() for cell in cells]
        if twice := next((name for name in header if name and header.count(name) > 1), None):
            self._stop(1, f"the header names {twice!r} twice")
        return header

    def _lines(self) -> Iterator[str]:
        number = 0
        try:
            with open_binary(self.path) as stream:
                for number, raw in enumerate(stream, 1):
                    yield self._decoded(number, raw)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            self._stop(number + 1, "compressed data that is damaged, or ends too early")
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    def _decoded(self, number: int, raw: bytes) -> str:
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as error:
            place = f"byte {error.start + 1} of the line"
            self._stop(number, f"not {self.encoding} ({place}): give the encoding that it is in")
            raise

    def _stop(self, line: int, message: str) -> None:
        stop(Fault(self.path, line, "table", message))
