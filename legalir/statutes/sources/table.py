"""The source ``table``: provisions and links from tables with any names of columns.

A table is a file with comma- or tab-separated cells and a header, or JSON lines.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import logging
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from legalir.analysis.language import identify
from legalir.collections import Collection
from legalir.datasets.readers import Fault, json_rows, open_binary, stop
from legalir.datasets.records import is_web_address
from legalir.errors import ComponentError, DataError
from legalir.references.grammar import grammars
from legalir.references.numbering import number_of
from legalir.references.read import Place, learn_names, read
from legalir.references.resolve import Address, LawEntry, Resolver
from legalir.statutes.reading.lines import law_id_of
from legalir.statutes.source import FIELDS, Row, Source
from legalir.storage.validity import provision_key

_log = logging.getLogger("legalir")
_DELIMITERS = {".csv": ",;\t", ".tsv": "\t"}
_SAMPLE = 200
"""Maximum number of texts by which the language of a law is recognised."""
_CELL = 1 << 28
"""Maximum number of characters in a cell, which may contain a whole provision."""

Cells = Mapping[str, object]


@dataclass(frozen=True)
class TableFile:
    """A file with a table: ``.csv``, ``.tsv`` or ``.jsonl``, or one of these with ``.gz`` at the end.

    Args:
        path: the file.
        encoding: of a ``.csv`` or ``.tsv``; a line break must be the same byte as in ASCII.
        delimiter: character between the cells; None: a tab in a ``.tsv``, in a ``.csv`` the comma, semicolon or tab
            that its header has most.
        quotes: whether cells may be in quotation marks, as spreadsheets write them.

    Raises:
        ComponentError: a parameter is not accepted.
    """

    path: Path
    encoding: str = "utf-8"
    delimiter: str | None = None
    quotes: bool = True

    def __post_init__(self) -> None:
        if self.kind not in (*_DELIMITERS, ".jsonl"):
            raise ComponentError(f"table: {self.path} is not a .csv, .tsv or .jsonl file, with or without .gz.")
        try:
            fits = "\n".encode(self.encoding) == b"\n" and codecs.lookup(self.encoding).name != "utf-7"
        except (LookupError, TypeError, ValueError):
            fits = False
        if not fits:
            raise ComponentError(
                f"table: encoding={self.encoding!r} cannot be read: give one such as 'utf-8', 'cp949' or 'tis-620'."
            )
        if self.delimiter is not None and (not isinstance(self.delimiter, str) or len(self.delimiter) != 1):
            raise ComponentError(f"table: delimiter={self.delimiter!r} is not one character.")
        if not isinstance(self.quotes, bool):
            raise ComponentError(f"table: quotes={self.quotes!r} is not True or False.")

    @property
    def kind(self) -> str:
        """Suffix of the file, without .gz."""
        return Path(self.path.name.removesuffix(".gz")).suffix.lower()

    def rows(self) -> Iterator[tuple[int, Cells]]:
        """Yield the first line number of each row, and its cells by column.

        Raises:
            FormatError: names file, line and fault.
            DataError: the file cannot be read.
        """
        if self.kind == ".jsonl":
            yield from json_rows(self.path)
        else:
            yield from self._cells()

    def _cells(self) -> Iterator[tuple[int, Cells]]:
        csv.field_size_limit(_CELL)
        lines = self._lines()
        first = next(lines, "")
        delimiter = self.delimiter or max(_DELIMITERS[self.kind], key=first.count)
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE
        reader = csv.reader(
            chain([first], lines) if first else lines, delimiter=delimiter, quoting=quoting, strict=True
        )
        header: list[str] | None = None
        line = 1
        try:
            for cells in reader:
                if header is None:
                    header = self._header(cells)
                elif len(cells) == len(header):
                    yield line, dict(zip(header, cells, strict=True))
                elif cells:  # A blank line is not a row.
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
            self._stop(number + 1, "the compressed data are damaged, or end too early")
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    def _decoded(self, number: int, raw: bytes) -> str:
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as error:
            place = f"byte {error.start + 1} of the line"
            self._stop(number, f"not {self.encoding} ({place}): give its encoding")
            raise

    def _stop(self, line: int, message: str) -> None:
        stop(Fault(self.path, line, "table", message))


_DATES = ("effective_from", "effective_to")


class Table:
    """Provisions from a table, one a row, and links from another.

    Args:
        provisions: the table of provisions.
        columns: the column of each field of a provision; by default the column with the name of the field, if there
            is one.
        links: the table of links, if there is one.
        ends: the columns of source, target and kind of a link; the last may be missing.
        dates: format of dates, such as ``%Y%m%d``; None: ISO dates.
        references: whether references in the texts become links, if there is no table of links.
    """

    def __init__(
        self,
        provisions: TableFile,
        columns: Mapping[str, str],
        links: TableFile | None = None,
        ends: tuple[str, str, str] = ("source", "target", "kind"),
        dates: str | None = None,
        references: bool = True,
    ) -> None:
        for name, column in (*columns.items(), *zip(("source", "target", "kind"), ends, strict=True)):
            if not isinstance(column, str) or not column:
                raise ComponentError(f"table: {name}={column!r} is not the name of a column.")
        if not isinstance(references, bool):
            raise ComponentError(f"table: references={references!r} is not True or False.")
        if dates is not None and not isinstance(dates, str):
            raise ComponentError(f"table: dates={dates!r} is not a format of dates such as '%Y%m%d'.")
        self._provisions = provisions
        self._columns = dict(columns)
        self._links = links
        self._ends = ends
        self._dates = dates
        self._references = references

    @property
    def name(self) -> str:
        """Path of the table of provisions, as the caller wrote it."""
        return str(self._provisions.path)

    def provisions(self) -> Iterator[Row]:
        """Yield the provisions.

        Raises:
            FormatError: names file, line and fault.
            DataError: the file cannot be read.
        """
        path = self._provisions.path
        wanted = {name: self._columns.get(name, name) for name in FIELDS}
        missing = set(self._columns.values())
        for line, row in self._provisions.rows():
            cells = _lifted(row)
            numbered = "docno" not in self._columns and "docno" not in cells and wanted["article"] in cells
            needed = ("text",) if numbered else ("text", "docno")
            _check_columns(self._provisions, line, cells, {name: wanted[name] for name in needed})
            fields = {
                name: _text(path, line, column, cells[column])
                for name, column in wanted.items()
                if cells.get(column) is not None
            }
            if numbered:
                law = fields.get("law_id") or fields.get("law") or path.name.removesuffix(".gz")
                number = number_of(fields["article"]) or fields["article"]
                fields["docno"] = "-".join(law_id_of(Path(part)) for part in (law, number))
            for name in _DATES:
                if self._dates and fields.get(name):
                    fields[name] = self._date(path, line, wanted[name], fields[name])
            if not is_web_address(fields.get("url", "")):
                fields.pop("url", None)
            missing -= cells.keys()
            yield Row(fields, line)
        _check_present(path, missing)

    def _date(self, path: Path, line: int, column: str, value: str) -> str:
        try:
            return datetime.strptime(value, str(self._dates)).date().isoformat()
        except ValueError:
            stop(Fault(path, line, "date", f"{column!r} is {value!r}, which is not a date like {self._dates!r}"))
            raise

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links of the table of links; without one, those that references in the texts make.

        Raises:
            FormatError: names file, line and fault.
            DataError: the file cannot be read.
        """
        if self._links is None:
            yield from self._cited() if self._references else ()
            return
        path = self._links.path
        source, target, kind = self._ends
        missing = {kind} - {"kind"}
        for line, cells in self._links.rows():
            _check_columns(self._links, line, cells, {"link_source": source, "link_target": target})
            ends = [_text(path, line, column, cells[column]) for column in (source, target)]
            for column, end in zip((source, target), ends, strict=True):
                if not end:
                    stop(Fault(path, line, "link", f"{column!r} is empty"))
            missing -= cells.keys()
            yield ends[0], ends[1], _text(path, line, kind, cells.get(kind) or "")
        _check_present(path, missing)

    def _cited(self) -> Iterator[tuple[str, str, str]]:
        """Yield source, target and kind of each reference to another row, by its law and the number of its article."""
        laws: dict[str, _Law] = {}
        for row in self.provisions():
            law = laws.setdefault(_law_id(row), _Law(row.get("law", ""), {}, []))
            if number := _number(row):
                law.articles.setdefault(number, provision_key(row["docno"]))
            if len(law.sample) < _SAMPLE:
                law.sample.append(row["text"])
        if not any(law.articles for law in laws.values()):
            _log.warning(
                "%s: references in the texts become no links, because no row has the number of its article in the "
                "column %r: name its column (article=…), or give references=False.",
                self.name,
                self._columns.get("article", "article"),
            )
            return
        entries = [
            LawEntry(
                key, law.title, addresses=[Address((n,), "", docno, "article") for n, docno in law.articles.items()]
            )
            for key, law in laws.items()
        ]
        resolver = Resolver(entries)
        written = {key: code for key, law in laws.items() if (code := identify(law.sample)) in grammars()}
        names: dict[str, dict[str, str]] = {key: {} for key in written}
        for row in self.provisions():
            if (key := _law_id(row)) in written:
                names[key] |= learn_names(row["text"], written[key])
        for row in self.provisions():
            if (key := _law_id(row)) not in written:
                continue
            docno, number = row["docno"], _number(row)
            found = read(row["text"], written[key], Place(laws[key].title, number), names[key])
            links = {
                (target, one.reference.kind): None
                for one in resolver.resolve(found, key, (number,) if number else ())
                if one.state == "resolved"
                for target in one.docnos
            }
            yield from ((docno, target, kind) for target, kind in links if target != provision_key(docno))


def _lifted(row: Cells) -> Cells:
    """Return a row, of JSON lines of BEIR also its ``_id`` as docno and the fields in its ``metadata``."""
    inner = row.get("metadata")
    return {**({"docno": row["_id"]} if "_id" in row else {}), **(inner if isinstance(inner, Mapping) else {}), **row}


class _Law(NamedTuple):
    """A law of a table: its name, docno by number of article, and the texts by which its language is recognised."""

    title: str
    articles: dict[str, str]
    sample: list[str]


def _law_id(row: Row) -> str:
    return row.get("law_id") or row.get("law", "")


def _number(row: Row) -> str:
    article = row.get("article", "")
    return number_of(article) or article


def _check_present(path: Path, missing: set[str]) -> None:
    """Report a column that was named and that no row has; single rows of JSON lines may lack it."""
    if missing:
        stop(Fault(path, 0, "column", f"no row has a column {min(missing)!r}"))


def _check_columns(file: TableFile, line: int, cells: Mapping[str, object], columns: Mapping[str, str]) -> None:
    """Report columns that a row lacks; `columns` has them by the parameter of :func:`table` that names them."""
    missing = [name for name, column in columns.items() if column not in cells]
    if missing:
        known = ", ".join(name for name in cells if name)
        cure = ", ".join(f'{name}="…"' for name in missing)
        message = f"there is no column {columns[missing[0]]!r} among {known or 'none'}: name yours by {cure}"
        stop(Fault(file.path, line if file.kind == ".jsonl" else 1, "column", message))


def _text(path: Path, line: int, column: str, value: object) -> str:
    """Return a cell as text; a cell of JSON may be a whole number, too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        stop(Fault(path, line, "cell", f"{column!r} is neither text nor a whole number"))
    return str(value)


def table(
    collection: Collection | None,
    *,
    path: str,
    docno: str | None = None,
    text: str | None = None,
    title: str | None = None,
    law: str | None = None,
    law_id: str | None = None,
    level: str | None = None,
    article: str | None = None,
    heading: str | None = None,
    part: str | None = None,
    effective_from: str | None = None,
    effective_to: str | None = None,
    url: str | None = None,
    links: str | None = None,
    link_source: str = "source",
    link_target: str = "target",
    link_kind: str = "kind",
    references: bool = True,
    dates: str | None = None,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    quotes: bool = True,
) -> Source:
    """Provisions from a table with a header, or JSON lines: ``table(path="provisions.csv", docno="id", text="body")``.

    Args:
        path: a .csv, .tsv or .jsonl file, plain or with .gz at the end.
        docno: the column of the identifier; by default, each column has the name of its field, and a table without
            this one, but with the numbers of articles, gets docnos of law and number: ``harbour-act-5``. In JSON lines
            of BEIR it is ``_id``, and the fields in ``metadata`` are columns.
        text: the column of the body.
        title: the column of the title, the words by which the provision is cited.
        law: the column of the law's name.
        law_id: the column of the law's identifier.
        level: the column of the place in the hierarchy.
        article: the column of the article's number.
        heading: the column of the article's heading.
        part: the column of chapter and section, which becomes `path` of a provision; by default ``path``.
        effective_from: the column of the first date on which it applies.
        effective_to: the column of the date on which it ceased to apply.
        url: the column of the address of its page; what is not an http or https address is left out.
        links: a table of links, one a row, in a file of the same kinds.
        link_source: its column of the citing provision.
        link_target: its column of the cited provision.
        link_kind: its column of the kind of link, which may be missing.
        references: whether references in the texts become links, if no table has them; laws are found by their names,
            provisions by the numbers of their articles.
        dates: format of dates, such as "%Y%m%d"; ISO dates by default.
        encoding: of a .csv or .tsv, such as "cp949".
        delimiter: character between cells; by default a tab in a .tsv, in a .csv the comma, semicolon or tab that its
            header has most.
        quotes: whether cells may be in quotation marks.
    """
    given = {"docno": docno, "text": text, "title": title, "law": law, "law_id": law_id, "level": level}
    given |= {"article": article, "heading": heading, "path": part}
    given |= {"effective_from": effective_from, "effective_to": effective_to, "url": url}

    def file(name: str, value: str) -> TableFile:
        if not isinstance(value, str) or not value:
            raise ComponentError(f"table: {name}={value!r} is not the path of a file.")
        return TableFile(Path(value).expanduser(), encoding, delimiter, quotes)

    return Table(
        file("path", path),
        {name: column for name, column in given.items() if column is not None},
        None if links is None else file("links", links),
        (link_source, link_target, link_kind),
        dates,
        references,
    )
