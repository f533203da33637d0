"""One parsed file of a publisher: its provisions and their places, its links, and what happened to its text.

What a file gives lies in a folder of the import until that ends, so that only one file is in memory at a time. Of
large imports it is kept in the cache, too, so that the next import, or one that goes on after a kill, reads only the
files that changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import sys
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from itertools import accumulate, pairwise
from pathlib import Path
from time import time
from typing import Any, NamedTuple

from legalir.errors import DataError, LegalIRError, MissingExtra, WorkerError
from legalir.executors import mapped
from legalir.references.grammar import grammars
from legalir.references.numbering import sort_key
from legalir.references.read import Place, Reference, learn_names, read
from legalir.statutes.documents import Cut, CutLaw, Document, cut
from legalir.statutes.importing.pages import page_of
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import Law, Span

LARGEST = 100 * 2**20
"""Maximum size of a file, in bytes."""

HEAD = 8192
"""Bytes of a file that :attr:`Format.recognises` gets."""

_FEW = 1 << 20
"""Input size in bytes below which starting worker processes is slower."""

_CLOCK = 10
"""Seconds by which the clock of a file system may be behind."""

_DIGEST = hashlib.sha256().digest_size
_PLACES = 3
_FACTS = (
    *("law_id", "title", "names", "country", "lang", "level"),
    *("number", "promulgated", "effective_from", "effective_to", "published"),
    *("amended_by", "announced"),
)


class Format(NamedTuple):
    """How the files of a publisher are recognised and read.

    Attributes:
        name: of the source.
        suffixes: of the files, lower case, ``(".xml",)``.
        recognises: returns whether a file is of this format, given its path and its first 8 KiB.
        read: yields the laws of a file, given its path and bytes; most files hold one. Raises DataError with one
            sentence that names the file, the place and the fault. Another process can import it.
        general: whether it reads pages of any publisher, so that the formats of one are asked first.
        beside: whether the law of a file depends on the files beside it, so that what it gave is not kept.
        needs: what its files have near their start, with the words in backticks: ``the key `법령```. A message about a
            file that is not recognised names the format whose words the file has.
        editions: returns the content of each version, by its day, of a file with the wordings of all days; ``history``
            reads them, every other source reads the newest.
    """

    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Path, bytes], bool]
    read: Callable[[Path, bytes], Iterator[Law]]
    general: bool = False
    needs: str = ""
    beside: bool = False
    editions: Callable[[Path], dict[str, bytes]] | None = None


@dataclass
class FileReport:
    """Result of reading one file.

    Attributes:
        file: its path below the folder of the source.
        format: name of the format that read it; empty where none did.
        laws: titles of its laws.
        languages: number of its laws by language.
        countries: number of its laws by country.
        documents: number of provisions.
        characters: in the text of the file, without white space.
        inside: of those, in provisions.
        left_out: of those, left out on purpose, by reason.
        unread: of those, in no provision and not left out: a fault of the reader.
        unread_at: places of the first of these.
        notes: what the reader could not decide.
        fault: why the file was not read; empty if it was.
        missing: of that, the sentence on a package that is not installed; empty for other faults.
    """

    file: str
    format: str
    laws: list[str] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    countries: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    characters: int = 0
    inside: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    unread_at: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    fault: str = ""
    missing: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values for JSON, without what is empty."""
        return {name: value for name, value in vars(self).items() if value or name in ("file", "format", "documents")}

    def add(self, law: Law, documents: CutLaw) -> None:
        """Count a law of the file."""
        total, inside, left_out = law.counts()
        self.laws.append(law.title)
        self.languages[law.lang] += 1
        self.countries[law.country] += 1
        self.documents += len(documents.documents)
        self.characters += total
        self.inside += inside
        self.left_out += left_out
        if missing := total - inside - left_out.total():
            self.unread += missing
            self.unread_at += [_place(law.text, *run) for run in law.unread()[:_PLACES]]
        self.notes += law.notes
        self.notes += [f"{law.title}: {docno} is the second unit of its number." for docno in documents.repeated]
        self.notes += [f"{law.title}: {gap}" for gap in _gaps(documents)]


def _place(text: str, start: int, end: int) -> str:
    words = " ".join(text[start : min(end, start + 60)].split())
    return f"line {text.count(chr(10), 0, start) + 1}: {words}"


def _gaps(documents: CutLaw) -> Iterator[str]:
    """Yield a sentence on numbers that are missing among the articles of a law, where these count from 1 by one."""
    found = [
        main
        for each in documents.documents
        if each.unit.kind == "article" and all(holder.kind in ("law", "group") for holder in each.above)
        if (main := re.match(r"(\d{1,9})(?:-(\d{1,9})$)?(?!\d)", each.unit.number))
    ]
    ranges = Counter(main[1] for main in found if main[2])
    numbers = {
        number
        for main in found  # 14-101 and 14-102 are of chapter 14.
        for last in [int(main[2] or 0) if ranges[main[1]] == 1 else 0]
        for number in range(int(main[1]), max(int(main[1]), min(last, int(main[1]) + 500)) + 1)
    }
    last = max(numbers, default=0)
    if len(found) > 1 and 0 < last - len(numbers - {0}) <= len(numbers):  # One article may be numbered 20240101.
        missing = sorted(set(range(1, last + 1)) - numbers)
        more = ", …" if len(missing) > 5 else ""
        yield f"no article has the number {', '.join(map(str, missing[:5]))}{more}: gaps are allowed."


class Task(NamedTuple):
    """A file to parse, and how.

    Attributes:
        path: the file.
        name: its path for the report, below the folder of the source.
        format: of the file.
        unit: the unit of a document.
        references: whether the references in the texts are read.
        kept: folder of what the files of the last import gave; None: nothing is kept.
    """

    path: Path
    name: str
    format: Format
    unit: Cut
    references: bool = True
    kept: Path | None = None

    def __str__(self) -> str:
        return self.name


class Stored:
    """A parsed file, as :func:`parse` returned it and the import wrote it.

    Args:
        path: where it lies.

    Raises:
        DataError: it is not there.
    """

    PARTS = ("facts", "provisions", "origins", "addresses", "links")

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            sizes, _, body = path.read_bytes().partition(b"\n")
        except OSError:
            raise DataError(f"{path} was removed during the import: import again.") from None
        ends = list(accumulate(map(int, sizes.split())))
        self._parts = [body[start:end] for start, end in pairwise([0, *ends])]

    @property
    def report(self) -> FileReport:
        """Report of the file."""
        values = unpacked(self._parts[0])
        counts = {name: Counter(values.get(name, {})) for name in ("languages", "countries", "left_out")}
        return FileReport(**{**values, **counts})

    def part(self, name: str) -> Iterator[Any]:
        """Yield a part of each law of the file; its name is one of `PARTS`."""
        yield from map(unpacked, self.packed(name))

    def packed(self, name: str) -> list[bytes]:
        """Return a part of each law in its stored form, which takes a tenth of the memory; see :func:`unpacked`."""
        return self._parts[1 + self.PARTS.index(name) :: len(self.PARTS)]


def unpacked(part: bytes) -> Any:
    """Return a part of a parsed file as plain values."""
    return json.loads(zlib.decompress(part))


def parse_all(tasks: Sequence[Task], workers: int, executor: Executor | None = None) -> Iterator[bytes | FileReport]:
    """Yield what :func:`parse` returns for each task, in their order.

    A process that ends in the middle of a file becomes the fault of this file; the others are read.

    Args:
        tasks: the files.
        workers: number of processes; 1 without an executor: this process reads them.
        executor: does the work, see :func:`legalir.executors.mapped`; its workers have the same files.

    Raises:
        LegalIRError: as :func:`parse`.
    """
    travel, much, begin = _can_travel(tasks), _is_much(tasks), time()
    if not travel:
        workers, executor = 1, None
    width = None if executor else workers if much else 1
    left = deque(tasks if travel and much and not executor else (task._replace(kept=None) for task in tasks))
    while left:
        try:
            for result in mapped(parse, tuple(left), executor=executor, workers=width):
                left.popleft()
                yield result
        except WorkerError as error:
            task = left.popleft()
            yield FileReport(task.name, task.format.name, fault=str(error))
    for folder in {task.kept for task in tasks if task.kept} if much else ():
        with suppress(OSError):  # Another process may remove the same files.
            for path in folder.iterdir():
                if path.stat().st_mtime < begin - _CLOCK:
                    path.unlink()


def _is_much(tasks: Sequence[Task]) -> bool:
    """Return True if reading the files in this process takes longer than starting other processes."""
    total = 0
    for task in tasks[1:]:
        with suppress(OSError):
            total += task.path.stat().st_size
        if total > _FEW:
            return True
    return False


def _can_travel(tasks: Sequence[Task]) -> bool:
    """Return True if another process can import the readers; readers in a script or console cannot be imported."""
    try:
        return all(b"__main__" not in pickle.dumps(format_) for format_ in {task.format for task in tasks})
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


def parse(task: Task) -> bytes | FileReport:
    """Parse a file; return what :class:`Stored` reads, or the report of a file that cannot be read."""
    report = FileReport(task.name, task.format.name)
    try:
        size = task.path.stat().st_size
        if size > LARGEST:
            limit = f"{LARGEST / 2**20:.0f} MB"
            raise DataError(f"{task.name} has {size / 2**20:.0f} MB; the limit is {limit}: split it.")
        data = task.path.read_bytes()
        place = _place_of(task, data)
        if place and (again := _kept(place)):
            return again
        lines = list(_parsed(task, data, report))
    except MissingExtra as error:
        return FileReport(task.name, task.format.name, fault=f"{task.name} was not read. {error}", missing=str(error))
    except LegalIRError as error:
        fault = str(error)
    except OSError as error:
        fault = f"{task.name} cannot be read: {error.strerror or error}."
    except Exception as error:  # A file that the reader was not made for must not end the import of all others.
        fault = f"{task.name}: the reader {task.format.name} failed ({type(error).__name__}: {error})."
    else:
        every = (json.dumps(report.to_dict(), ensure_ascii=False), *lines)
        parts = [zlib.compress(line.encode("utf-8", "surrogatepass"), 1) for line in every]
        stored = " ".join(str(len(part)) for part in parts).encode() + b"\n" + b"".join(parts)
        if place:
            _keep(place, stored)
        return stored
    return FileReport(task.name, task.format.name, fault=fault)


def _place_of(task: Task, data: bytes) -> Path | None:
    """Return where the cache has what a file gave, by all that this depends on; None if it is not kept.

    A reader of another package is not kept, because its code may change unseen.
    """
    reader = getattr(task.format.read, "func", task.format.read)
    if task.kept is None or task.format.beside or not str(reader.__module__).startswith("legalir."):
        return None
    parts = (task.name, *task.path.parts[-2:], task.unit, task.references, _code())
    digest = hashlib.sha256(pickle.dumps((task.format, parts)))
    digest.update(data)
    return task.kept / digest.hexdigest()


@cache
def _code() -> str:
    """Return a digest of the code and rules of this package, of Python and of the libraries that read files."""
    digest = hashlib.sha256(sys.version.encode())
    package = Path(__file__).parents[2]
    for path in sorted(each for each in package.rglob("*") if each.suffix in (".py", ".yaml")):
        digest.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    for name in ("lxml", "selectolax", "pypdf", "pdfplumber", "python-docx", "regex"):
        with suppress(metadata.PackageNotFoundError):
            digest.update(f"{name} {metadata.version(name)}\n".encode())
    return digest.hexdigest()


def _kept(place: Path) -> bytes | None:
    """Return what a file gave before, and mark it as used; None if it is not there, or damaged."""
    with suppress(OSError):
        content = place.read_bytes()
        os.utime(place)
        if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
            return content[_DIGEST:]
    return None


def _keep(place: Path, stored: bytes) -> None:
    """Keep what a file gave for the next import; without space it is read again then."""
    new = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(hashlib.sha256(stored).digest() + stored)
        new.replace(place)


def _parsed(task: Task, data: bytes, report: FileReport) -> Iterator[str]:
    """Yield the lines of a parsed file, as in :class:`Stored`; fill the report."""
    for law in task.format.read(task.path, data):
        documents = cut(law, task.unit)
        report.add(law, documents)
        facts = {name: getattr(law, name) for name in _FACTS}
        facts["version"] = law.effective_from or law.promulgated
        provisions = [provision_of(law, each) for each in documents.documents]
        origins = [origin_of(law, each, task.name) for each in documents.documents]
        links = [
            [docno, law.text[link.start : link.end], link.law, link.key, link.kind] for docno, link in documents.links
        ]
        references = _references(law, documents) if task.references else []
        given = {"marked": links, "related": documents.related, "references": references}
        for part in (facts, provisions, origins, documents.addresses, given):
            yield json.dumps(part, ensure_ascii=False)


def _references(law: Law, documents: CutLaw) -> list[tuple[str, tuple[str, ...], list[Reference]]]:
    """Return docno, place and references of each document, none if there is no grammar of the language."""
    if law.lang not in grammars():
        return []
    names: dict[str, str] = {}
    for document in documents.documents:
        names |= learn_names(document.text, law.lang)
    places: dict[str, tuple[str, ...]] = {}
    for address in documents.addresses:
        if address.kind not in ("law", "group"):
            places.setdefault(address.docno, address.path)
    rows = []
    for document in documents.documents:
        path = places.get(document.docno, ())
        supplement = path[0] if path and path[0].startswith("supp") else ""
        numbers = path[1:] if supplement else path
        annex = numbers[0].removeprefix("annex").strip() if numbers and numbers[0].startswith("annex") else ""
        article = numbers[0] if numbers and not annex else ""
        if found := read(document.text, law.lang, Place(law.title, article, annex=annex, supplement=supplement), names):
            rows.append((document.docno, path, found))
    return rows


def provision_of(law: Law, document: Document) -> dict[str, str]:
    """Return the provision that a document becomes."""
    table = jurisdiction(law.country)
    unit = document.unit
    holders = [each for each in document.above if each.kind not in ("law", "group")]
    labels = [law.title, *(each.label or each.heading for each in holders), unit.label]
    title = " ".join(filter(None, labels))
    if unit.heading:
        title += f"({unit.heading})" if table.heading_in_brackets and unit.label else f" {unit.heading}"
    since, until = unit.effective_from or law.effective_from, unit.effective_to or law.effective_to
    if until and since > until:  # The law's day is not the day of a part that ended before, or has not begun.
        since, until = unit.effective_from, unit.effective_to
    # A title names what holds the provision by its label alone.
    shown = (each for each in document.above if each.kind in ("group", "article") or (each.label and each.heading))
    groups = (f"{each.label} {each.heading}".strip() for each in shown)
    fields = {
        "docno": document.docno,
        "title": title,
        "text": document.text,
        "law": law.title,
        "law_id": law.law_id,
        "level": law.level,
        "article": document.docno.removeprefix(f"{law.law_id}-"),
        "heading": unit.heading,
        "path": " › ".join(filter(None, groups)),
        "effective_from": since,
        "effective_to": until,
        "url": page_of(law, document),
    }
    return {name: value for name, value in fields.items() if value or name == "text"}


def origin_of(law: Law, document: Document, file: str) -> dict[str, object]:
    """Return the origin of a provision: a line of ``origin.jsonl``.

    ``spans`` are the places of its text in the text of the file, ``title_spans`` the places of its own label and
    heading; ``above`` holds level, label and heading of the units above it; ``sort`` orders the provisions of a law.
    """
    unit = document.unit
    fields: dict[str, object] = {
        "docno": document.docno,
        "file": file,
        "key": unit.key,
        "label": unit.label,
        "kind": unit.kind,
        "level": unit.level,
        "above": [[each.level or each.kind, each.label, each.heading] for each in document.above[1:]],
        "sort": sort_key(document.docno.removeprefix(law.law_id)),
        "spans": [[span.start, span.end] for span in document.spans],
        "title_spans": [
            [part.start, part.end] for part in unit.content if isinstance(part, Span) and part.role != "text"
        ],
        "act": law.number,
        "act_kind": law.kind,
        "promulgated": law.promulgated,
        "published": law.published,
        "amended_by": law.amended_by,
        "repealed": unit.repealed,
        "replaced_by": unit.replaced_by,
    }
    return {name: value for name, value in fields.items() if value}
