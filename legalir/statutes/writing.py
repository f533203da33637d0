"""The import of a source: its records are checked and written as a folder, whole or not at all."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from os import PathLike
from pathlib import Path
from typing import cast

from legalir.datasets.folder import DANGLING, DEFINITIONS, ORIGIN, REPORT, read_about
from legalir.datasets.new_folder import lines, new_folder
from legalir.datasets.records import fits_trec, is_web_address
from legalir.errors import ComponentError, DataError, FormatError, shown, suggestion
from legalir.progress import progress
from legalir.statutes.definitions import definitions
from legalir.statutes.doubts import Doubt, Doubts
from legalir.statutes.importing.changes import Contents, ImportChanges
from legalir.statutes.source import FIELDS, Source, TracedSource, get_source
from legalir.storage.validity import provision_key

_COUNTED = ("languages", "countries")
_EXAMPLES = 20

_as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


@dataclass
class ImportReport:
    """The result of :func:`write_collection`.

    Attributes:
        folder: the folder that was written.
        source: name of the source.
        provisions: number of provisions.
        untitled: number of provisions without a title.
        empty: number of provisions with neither title nor text.
        definitions: number of terms that provisions define; they are in ``definitions.jsonl``.
        links: number of links by kind.
        dangling: number of links with an end that is not a provision; they are in ``links.dangling.tsv``.
        unknown: the first docnos in them that are not of a provision.
        kept: files and folders that were kept when a folder was replaced.
        details: what ``import.json`` says of the files, for a source that reads some.
        changes: what changed when a folder was replaced.
        doubts: signs that a file was read wrongly.
    """

    folder: Path
    source: str
    provisions: int = 0
    untitled: int = 0
    empty: int = 0
    definitions: int = 0
    links: Counter[str] = field(default_factory=Counter)
    dangling: int = 0
    unknown: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    details: Mapping[str, object] = field(default_factory=dict)
    changes: ImportChanges | None = None
    doubts: list[Doubt] = field(default_factory=list)

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        changes = self.changes and self.changes.to_dict()
        values = {"folder": str(self.folder), "links": dict(self.links), "changes": changes}
        return {**vars(self), **values, "doubts": [doubt._asdict() for doubt in self.doubts]}

    @property
    def faults(self) -> list[str]:
        """One sentence for each file that could not be read."""
        return [str(file["fault"]) for file in self._files() if file.get("fault")]

    def _files(self) -> list[dict[str, object]]:
        return cast(list[dict[str, object]], self.details.get("files", []))

    def warnings(self) -> list[str]:
        """Return one sentence for each thing that a reader should know."""
        sentences = []
        for file in self._files():
            if file.get("unread"):
                places = cast(list[str], file["unread_at"])
                sentences.append(
                    f"{file['file']}: {file['unread']} characters are in no provision and were not left out, first at "
                    f"{places[0]}"
                )
        if self.dangling:
            more = ", …" if len(self.unknown) > 3 else ""
            sentences.append(
                f"{_counted(self.dangling, 'link has', 'links have')} an end that is not a provision "
                f"({', '.join(self.unknown[:3])}{more}): see {DANGLING}, which no other command reads."
            )
        if self.empty:
            sentences.append(f"{_counted(self.empty, 'provision has', 'provisions have')} neither title nor text.")
        return sentences


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def write_collection(
    source: str | Source,
    folder: str | PathLike[str],
    *,
    replace: bool = False,
    about: Mapping[str, str] | None = None,
    strict: bool = False,
    executor: Executor | None = None,
) -> ImportReport:
    """Write the provisions and links of a source as a folder in the folder format, whole or not at all.

    They are written one at a time; only the docnos stay in memory. A link with an end that is not a provision is
    counted and written to ``links.dangling.tsv`` instead of ``links.tsv``. A source that reads files adds
    ``origin.jsonl``, with the place of each provision in its source, and ``import.json``, with the outcome for each
    file. The terms that provisions define are in ``definitions.jsonl`` (:mod:`legalir.statutes.definitions`).

    Args:
        source: a source, or its description, ``table(path="provisions.csv")``.
        folder: the folder to write; it must not exist, or be empty.
        replace: whether a collection in `folder` is replaced: its corpus, its links and the keys of `about`; its
            queries, judgements and other files are kept.
        about: ``title``, ``licence``, ``lang`` and the like for ``dataset.yaml``; by default ``source`` is the name of
            the source, and ``lang`` the language of all laws, if the source says it.
        strict: whether nothing is written if a file, or a part of one, cannot be read or was passed over; by default
            the rest is written, and the report says so.
        executor: its workers read the files, for a source that reads files; they have the same files.

    Raises:
        FormatError: a provision or link is faulty: names the source, the position and the fault. Nothing is written.
        DataError: the folder exists, or cannot be written; the source has no provision; or `strict` forbids the rest.
        ComponentError: there is no such source, a parameter of it is wrong, or it has no work for an executor.
    """
    chosen = get_source(source)
    if executor is not None:
        if not hasattr(chosen, "executor"):
            raise ComponentError(f"The source {chosen.name} has no work for an executor: leave it out.")
        chosen.executor = executor
    target = Path(folder)
    report = ImportReport(target, chosen.name)
    with new_folder(target, replace) as (new, report.kept):
        docnos: dict[str, int] = {}
        contents, doubts = Contents(), Doubts()
        _write_provisions(chosen, new, docnos, report, contents, doubts)
        _write_links(chosen, new, docnos, report, doubts)
        if isinstance(chosen, TracedSource):
            _write_origins(chosen, new, report, contents, doubts)
            report.details = chosen.report()
            passed_over = cast("list[str]", report.details.get("passed_over", []))
            unread = (each for each in report.warnings() if "in no provision" in each)
            if strict and (wrong := [*report.faults, *passed_over, *unread]):
                raise DataError(f"{wrong[0].rstrip('.')}; {len(wrong)} such in all, so nothing was written (strict).")
        languages, countries = (cast(Mapping[str, int], report.details.get(each, {})) for each in _COUNTED)
        report.doubts = doubts.found([about["lang"]] if about and "lang" in about else list(languages), countries)
        if isinstance(chosen, TracedSource):
            _write_report(report, new)
        if replace and target.is_dir() and any(target.iterdir()):
            report.changes = contents.changes_since(target)
        _write_about(report, about or {}, new / "dataset.yaml")
    return report


def _write_provisions(
    source: Source, new: Path, docnos: dict[str, int], report: ImportReport, contents: Contents, doubts: Doubts
) -> None:
    with ExitStack() as stack:
        write = stack.enter_context(lines(new / "corpus.jsonl", report.folder))
        advance = stack.enter_context(progress(f"Importing provisions of {source.name}", None))
        write_term: Callable[[str], None] | None = None
        for fields in _checked_provisions(source, docnos):
            write(_as_json(fields))
            contents.add(fields)
            doubts.add(fields)
            for each in definitions(fields):
                write_term = write_term or stack.enter_context(lines(new / DEFINITIONS, report.folder))
                write_term(json.dumps(each._asdict(), ensure_ascii=False))
                report.definitions += 1
            report.provisions += 1
            report.untitled += not fields.get("title", "").strip()
            report.empty += not (fields.get("title", "") + fields["text"]).strip()
            advance(1)
    if not report.provisions:
        raise DataError(f"{source.name} has no provision, so there is nothing to write.")


def _write_links(source: Source, new: Path, docnos: Mapping[str, int], report: ImportReport, doubts: Doubts) -> None:
    unknown: dict[str, None] = {}
    ends = docnos.keys() | {provision_key(docno) for docno in docnos}
    with ExitStack() as stack:
        files: dict[str, Callable[[str], None]] = {}
        advance = stack.enter_context(progress(f"Importing links of {source.name}", None))
        for link in _checked_links(source):
            doubts.link(link[0])
            missing = [end for end in link[:2] if end not in ends]
            name = DANGLING if missing else "links.tsv"
            if name not in files:
                files[name] = stack.enter_context(lines(new / name, report.folder))
            files[name]("\t".join(link).removesuffix("\t"))
            if missing:
                report.dangling += 1
                if len(unknown) < _EXAMPLES:
                    unknown.update(dict.fromkeys(missing))
            else:
                report.links[link[2]] += 1
            advance(1)
    report.unknown = list(unknown)[:_EXAMPLES]


def _write_origins(source: TracedSource, new: Path, report: ImportReport, contents: Contents, doubts: Doubts) -> None:
    with lines(new / ORIGIN, report.folder) as write:
        for fields in source.origins():
            write(_as_json(fields))
            doubts.trace(fields)
            if fields.get("repealed"):
                contents.repealed.add(str(fields["docno"]))


def _write_report(report: ImportReport, new: Path) -> None:
    with lines(new / REPORT, report.folder) as write:
        doubts = [doubt._asdict() for doubt in report.doubts]
        content = {"source": report.source, **report.details, "doubts": doubts}
        write(json.dumps(content, ensure_ascii=False, indent=1))


def _write_about(report: ImportReport, about: Mapping[str, str], path: Path) -> None:
    """Write ``dataset.yaml``; keep other keys of a replaced folder's file, and its language by default."""
    import yaml

    folder = report.folder
    languages = list(cast(Mapping[str, int], report.details.get("languages", {})))
    found = {"lang": languages[0]} if len(languages) == 1 and languages[0] else {}
    try:
        old: dict[str, object] = {}
        if path.exists():
            read_about(path)
            old = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
            path.unlink()  # It may be the same file as in the old folder, which must not change.
        with lines(path, folder) as write:
            write(
                yaml.safe_dump(
                    {**found, **old, "source": report.source, **about}, allow_unicode=True, sort_keys=False
                ).rstrip("\n")
            )
        read_about(path)
    except FormatError as error:
        raise FormatError(str(error).replace(str(path), str(folder / path.name), 1)) from error


def _checked_provisions(source: Source, positions: dict[str, int]) -> Iterator[dict[str, str]]:
    """Yield the provisions of a source with their keys in one order, without empty values except the text.

    Args:
        source: the source.
        positions: filled with the position of each docno.

    Raises:
        FormatError: names the source, the position and the fault: a docno or text is missing, a docno occurs twice, a
            value is not a string, a key is unknown, or a date is not a date.
    """
    for number, record in enumerate(source.provisions(), 1):
        line = getattr(record, "line", None)
        noun, position = ("provision", number) if line is None else ("line", line)
        where = f"{source.name}, {noun} {position}"
        docno = _docno(where, record)
        if docno in positions:
            raise FormatError(f"{where}: {noun} {positions[docno]} has the docno {docno!r}, too.")
        positions[docno] = position
        _check_fields(f"{where} ({docno})", record)
        yield {name: record[name] for name in FIELDS if name == "text" or record.get(name)}


def _docno(where: str, record: object) -> str:
    if not isinstance(record, Mapping):
        raise FormatError(f"{where}: a provision must be a mapping, got {type(record).__name__}.")
    if "docno" not in record:
        raise FormatError(f"{where}: it has no 'docno', only {', '.join(map(repr, record)) or 'nothing'}.")
    docno = record["docno"]
    if not isinstance(docno, str):
        raise FormatError(f"{where}: docno must be a string, got {docno!r} ({type(docno).__name__}).")
    if not docno:
        raise FormatError(f"{where}: the docno is empty.")
    if not fits_trec(docno):
        raise FormatError(
            f"{where}: the docno {docno!r} has white space or an invisible character, which would break a TREC file."
        )
    return docno


def _check_fields(where: str, record: Mapping[str, object]) -> None:
    for name, value in record.items():
        if name not in FIELDS:
            hint = suggestion(str(name), FIELDS) or f" Known keys: {', '.join(FIELDS)}."
            raise FormatError(f"{where}: the key {name!r} is unknown.{hint}")
        if not isinstance(value, str):
            raise FormatError(f"{where}: {name!r} must be a string, got {shown(value)}: leave out a missing value.")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise FormatError(f"{where}: {name!r} has half of a surrogate pair, which a file cannot hold.") from None
    if "text" not in record:
        raise FormatError(f"{where}: it has no 'text'.")
    if record.get("url") and not is_web_address(cast(str, record["url"])):
        raise FormatError(f"{where}: 'url' must be an http or https address, got {shown(record['url'])}.")
    dates = [
        _date(where, name, cast(str, record[name])) for name in ("effective_from", "effective_to") if record.get(name)
    ]
    if dates != sorted(dates):
        raise FormatError(f"{where}: 'effective_to' ({dates[1]}) is before 'effective_from' ({dates[0]}).")


def _date(where: str, name: str, value: str) -> date:
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise FormatError(f"{where}: {name!r} must be a date such as '2024-01-31', got {shown(value)}.")


def _checked_links(source: Source) -> Iterator[tuple[str, str, str]]:
    """Yield the links of a source.

    Raises:
        FormatError: names the source, the position and the fault: a link is not three strings, an end cannot be a
            docno, or a kind would break the line.
    """
    for number, link in enumerate(source.links(), 1):
        where = f"{source.name}, link {number}"
        if not isinstance(link, tuple) or len(link) != 3 or not all(isinstance(part, str) for part in link):
            raise FormatError(f"{where}: a link must be a tuple (source, target, kind) of strings, got {shown(link)}.")
        for end in link[:2]:
            if not fits_trec(end):
                raise FormatError(f"{where}: {end!r} cannot be a docno: it is empty, or has white space.")
        if not link[2].isprintable():
            raise FormatError(f"{where}: the kind {link[2]!r} has a tab, a line break or an invisible character.")
        yield link
