"""From a source to a folder in the folder format.

Records as a source gives them, checked before they are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import date
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self, cast

from legalir.datasets.records import fits_trec
from legalir.errors import DataError, FormatError, suggestion
from legalir.progress import progress
from legalir.statutes.new_folder import new_folder
from legalir.statutes.source import DANGLING, FIELDS, ImportReport, Source, get_source

__all__ = ["checked_links", "checked_provisions", "write_collection"]

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATES = ("effective_from", "effective_to")


def checked_provisions(source: Source, seen: dict[str, int]) -> Iterator[dict[str, str]]:
    """Yield the provisions of a source with their keys in one order, empty ones left out but for the text.

    Args:
        source: gives the provisions.
        seen: filled with the docno of each and its position.

    Raises:
        FormatError: names the source, the position and the fault: what has no docno or text, a docno that an earlier
            one has, a value that is no string, a key that means nothing, or a date that is none.
    """
    for number, record in enumerate(source.provisions(), 1):
        line = getattr(record, "line", None)
        noun, position = ("provision", number) if line is None else ("line", line)
        where = f"{source.name}, {noun} {position}"
        docno = _docno(where, record)
        if docno in seen:
            raise FormatError(f"{where}: the docno {docno!r} is that of {noun} {seen[docno]}, too.")
        seen[docno] = position
        _check_fields(f"{where} ({docno})", record)
        yield {name: record[name] for name in FIELDS if name == "text" or record.get(name)}


def _docno(where: str, record: object) -> str:
    if not isinstance(record, Mapping):
        raise FormatError(f"{where}: it is of type {type(record).__name__}, where a mapping is expected.")
    if "docno" not in record:
        raise FormatError(f"{where}: it has no 'docno', only {', '.join(map(repr, record)) or 'nothing'}.")
    docno = record["docno"]
    if not isinstance(docno, str):
        raise FormatError(f"{where}: the docno {docno!r} is no string.")
    if not docno:
        raise FormatError(f"{where}: the docno is empty.")
    if not fits_trec(docno):
        raise FormatError(
            f"{where}: the docno {docno!r} holds white space or something invisible, which would break a TREC file."
        )
    return docno


def _check_fields(where: str, record: Mapping[str, object]) -> None:
    for name, value in record.items():
        if name not in FIELDS:
            hint = suggestion(str(name), FIELDS) or f" Known are {', '.join(FIELDS)}."
            raise FormatError(f"{where}: a provision has no key {name!r}.{hint}")
        if not isinstance(value, str):
            raise FormatError(f"{where}: {name!r} is {_shown(value)}, which is no string: leave out what is missing.")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise FormatError(f"{where}: {name!r} holds half of a surrogate pair, which no file can.") from None
    if "text" not in record:
        raise FormatError(f"{where}: it has no 'text'.")
    dates = [_date(where, name, cast(str, record[name])) for name in _DATES if record.get(name)]
    if dates != sorted(dates):
        raise FormatError(f"{where}: 'effective_to' ({dates[1]}) is before 'effective_from' ({dates[0]}).")


def _date(where: str, name: str, value: str) -> date:
    try:
        if _ISO.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise FormatError(f"{where}: {name!r} is {_shown(value)}, which is no date such as '2024-01-31'.")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def checked_links(source: Source) -> Iterator[tuple[str, str, str]]:
    """Yield the links of a source.

    Raises:
        FormatError: names the source, the position and the fault: what is not three strings, an end that can be no
            docno, or a kind that would break the line.
    """
    for number, link in enumerate(source.links(), 1):
        where = f"{source.name}, link {number}"
        if not isinstance(link, tuple) or len(link) != 3 or not all(isinstance(part, str) for part in link):
            raise FormatError(f"{where}: {_shown(link)} is no tuple of three strings (source, target, kind).")
        for end in link[:2]:
            if not fits_trec(end):
                raise FormatError(f"{where}: {end!r} can be no docno: it is empty, or holds white space.")
        if not link[2].isprintable():
            raise FormatError(f"{where}: the kind {link[2]!r} holds a tab, a line break or something invisible.")
        yield link


_EXAMPLES = 20


def write_collection(
    source: str | Source,
    folder: str | PathLike[str],
    *,
    replace: bool = False,
    about: Mapping[str, str] | None = None,
) -> ImportReport:
    """Write what a source gives as a folder in the folder format, whole or not at all.

    Provisions and links are written as they come; in memory stay only the docnos. A link with an end that is no
    provision is counted and stands in ``links.dangling.tsv`` instead of ``links.tsv``.

    Args:
        source: a source, or what describes one, ``table(path="provisions.csv")``.
        folder: where to; not there yet, or empty.
        replace: a collection that is there is replaced when the new one is whole: its corpus, links and
            what `about` says; its queries, judgements and other files are kept.
        about: ``title``, ``licence``, ``lang`` and the like for ``dataset.yaml``; ``source`` is the source's name
            unless given.

    Raises:
        FormatError: a provision or link is faulty: names the source, the position and the fault. Nothing is written.
        DataError: the folder exists, or cannot be written; or the source gives no provision.
        ComponentError: there is no such source, or a parameter of it is wrong.
    """
    chosen = get_source(source)
    target = Path(folder)
    report = ImportReport(target, chosen.name)
    with new_folder(target, replace) as (temporary, report.kept):
        docnos: dict[str, int] = {}
        _write_provisions(chosen, temporary, docnos, report)
        _write_links(chosen, temporary, docnos, report)
        _write_about({"source": chosen.name, **(about or {})}, temporary / "dataset.yaml", target)
    return report


def _write_provisions(source: Source, temporary: Path, docnos: dict[str, int], report: ImportReport) -> None:
    with (
        _Lines(temporary / "corpus.jsonl", report.folder) as out,
        progress(f"Importing provisions of {source.name}", None) as advance,
    ):
        for fields in checked_provisions(source, docnos):
            out.write(json.dumps(fields, ensure_ascii=False))
            report.provisions += 1
            report.untitled += not fields.get("title", "").strip()
            report.empty += not (fields.get("title", "") + fields["text"]).strip()
            advance(1)
    if not report.provisions:
        raise DataError(f"{source.name} gives no provision, so there is nothing to write.")


def _write_links(source: Source, temporary: Path, docnos: Mapping[str, int], report: ImportReport) -> None:
    unknown: dict[str, None] = {}
    with ExitStack() as stack:
        files: dict[str, _Lines] = {}
        advance = stack.enter_context(progress(f"Importing links of {source.name}", None))
        for link in checked_links(source):
            missing = [end for end in link[:2] if end not in docnos]
            name = DANGLING if missing else "links.tsv"
            if name not in files:
                files[name] = stack.enter_context(_Lines(temporary / name, report.folder))
            files[name].write("\t".join(link).removesuffix("\t"))
            if missing:
                report.dangling += 1
                if len(unknown) < _EXAMPLES:
                    unknown.update(dict.fromkeys(missing))
            else:
                report.links[link[2]] += 1
            advance(1)
    report.unknown = list(unknown)[:_EXAMPLES]


def _write_about(about: Mapping[str, str], path: Path, folder: Path) -> None:
    """Write ``dataset.yaml``; what the one of a replaced folder says besides stays."""
    import yaml

    from legalir.datasets.folder import read_about

    try:
        old: dict[str, object] = {}
        if path.exists():
            read_about(path)
            old = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
            path.unlink()  # It may be one file with that of the old folder, which is not to change.
        with _Lines(path, folder) as out:
            out.write(yaml.safe_dump({**old, **about}, allow_unicode=True, sort_keys=False).rstrip("\n"))
        read_about(path)
    except FormatError as error:
        raise FormatError(str(error).replace(str(path), str(folder / path.name), 1)) from error


class _Lines:
    """A UTF-8 text file that is written line by line; what goes wrong is told from faults of the source.

    Args:
        path: the file.
        folder: what messages name: the file itself has a name that nobody knows.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._folder = folder
        try:
            self._stream = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._fault(error) from error

    def write(self, line: str) -> None:
        """Write one line."""
        try:
            self._stream.write(line + "\n")
        except OSError as error:
            raise self._fault(error) from error

    def _fault(self, error: OSError) -> DataError:
        return DataError(
            f"{self._folder} cannot be written ({error.strerror or error}): free some space, or write elsewhere; "
            f"nothing was changed."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self._stream.close()
        except OSError as fault:
            if error is None:
                raise self._fault(fault) from fault
