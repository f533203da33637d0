"""Files of a publisher as a source: each format reads a file into laws, and the rest is the same for all of them.

A format is one module of ``sources/``: a function that reads one file, and a factory that the plugin entry names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from legalir.errors import ComponentError, DataError
from legalir.statutes.documents import Address, Cut, CutLaw, Document, cut
from legalir.statutes.law import GivenLink, Law


class Format(NamedTuple):
    """How the files of a publisher are told from others, and read.

    Attributes:
        name: of the source.
        suffixes: of the files, lower case, ``(".xml",)``.
        recognises: returns whether a file is of this format, given its path and its first 8 KiB.
        read: yields the laws of a file, given its path and bytes; most files hold one. Raises DataError with one
            sentence that names the file, the place and the fault.
    """

    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Path, bytes], bool]
    read: Callable[[Path, bytes], Iterator[Law]]


HEAD = 8192
"""Bytes of a file that :attr:`Format.recognises` gets."""


@dataclass
class FileReport:
    """What became of one file.

    Attributes:
        file: its path below the folder of the source.
        format: name of the format that read it; empty where none did.
        laws: titles of its laws.
        documents: number of provisions.
        characters: in the text of the file, without white space.
        inside: of those, in provisions.
        left_out: of those, left out on purpose, by reason.
        unread: of those, in no provision and not left out: a fault of the reader.
        notes: what the reader could not decide.
        fault: why the file was not read; empty if it was.
    """

    file: str
    format: str
    laws: list[str] = field(default_factory=list)
    documents: int = 0
    characters: int = 0
    inside: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    notes: list[str] = field(default_factory=list)
    fault: str = ""


class StatuteFiles:
    """A source that reads the files of a publisher.

    Args:
        format: of the files.
        path: a file, or a folder that is searched for files of the format.
        unit: the unit of a document, see :data:`legalir.statutes.documents.Cut`.

    Raises:
        ComponentError: `unit` is not a unit.
        DataError: there is no such file or folder, or no file of the format in it.
    """

    def __init__(self, format: Format, path: str | PathLike[str], unit: Cut = "papers") -> None:
        if unit not in Cut.__args__:  # type: ignore[attr-defined]
            raise ComponentError(f"unit must be {', '.join(Cut.__args__)}, got {unit!r}.")  # type: ignore[attr-defined]
        self.format, self.path, self.unit = format, Path(path).expanduser(), unit
        self.reports: list[FileReport] = []

    @property
    def name(self) -> str:
        """Name of the file or folder."""
        return self.path.resolve().name

    def files(self) -> list[Path]:
        """Return the files to read, in alphabetical order."""
        if self.path.is_file():
            return [self.path]
        if not self.path.is_dir():
            raise DataError(f"{self.path} does not exist.")
        files = sorted(path for path in self.path.rglob("*") if path.suffix.lower() in self.format.suffixes)
        if not files:
            raise DataError(f"{self.path} holds no file that ends in {' or '.join(self.format.suffixes)}.")
        return files

    def laws(self) -> Iterator[tuple[FileReport, Law, CutLaw]]:
        """Yield each law with its documents and the report of its file; a file that cannot be read is reported."""
        self.reports = []
        root = self.path if self.path.is_dir() else self.path.parent
        for path in self.files():
            report = FileReport(str(path.relative_to(root)), self.format.name)
            self.reports.append(report)
            try:
                for law in self.format.read(path, path.read_bytes()):
                    documents = cut(law, self.unit)
                    _count(report, law, documents)
                    yield report, law, documents
            except DataError as error:
                report.fault = str(error)
        if not any(report.documents for report in self.reports):
            faults = "; ".join(report.fault for report in self.reports if report.fault)
            raise DataError(f"{self.name}: no provision was found in {len(self.reports)} files. {faults}".rstrip())

    def provisions(self) -> Iterator[Mapping[str, str]]:
        """Yield the provisions of all files."""
        self._addresses: dict[str, tuple[Law, list[Address]]] = {}
        self._given: list[tuple[str, Law, GivenLink]] = []
        for _, law, documents in self.laws():
            self._addresses[law.law_id] = law, documents.addresses
            self._given += [(docno, law, link) for docno, link in documents.links]
            for document in documents.documents:
                yield provision_of(law, document)

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links that the publisher marks up."""
        if not hasattr(self, "_addresses"):
            for _ in self.provisions():
                pass
        laws = {
            name: law_id for law_id, (law, _) in self._addresses.items() for name in (law_id, law.title, *law.names)
        }
        units = {
            law_id: {address.key: address.docno for address in reversed(addresses) if address.key}
            for law_id, (_, addresses) in self._addresses.items()
        }
        for docno, law, link in self._given:
            target = units.get(laws.get(link.law, "") if link.law else law.law_id, {}).get(link.key)
            if target and target != docno:
                yield docno, target, link.kind


def provision_of(law: Law, document: Document) -> dict[str, str]:
    """Return the provision that a document becomes."""
    from legalir.statutes.jurisdictions import jurisdiction

    table = jurisdiction(law.country)
    unit = document.unit
    holders = [each for each in document.above if each.kind not in ("law", "group")]
    labels = [law.title, *(each.label or each.heading for each in holders), unit.label]
    title = " ".join(filter(None, labels))
    if unit.heading:
        title += f"({unit.heading})" if table.heading_in_brackets and unit.label else f" {unit.heading}"
    groups = (f"{each.label} {each.heading}".strip() for each in document.above if each.kind == "group")
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
        "effective_from": unit.effective_from or law.effective_from,
        "effective_to": unit.effective_to or law.effective_to,
    }
    return {name: value for name, value in fields.items() if value or name == "text"}


def _count(report: FileReport, law: Law, documents: CutLaw) -> None:
    total, inside, left_out = law.counts()
    report.laws.append(law.title)
    report.documents += len(documents.documents)
    report.characters += total
    report.inside += inside
    report.left_out += left_out
    report.unread += total - inside - left_out.total()
    report.notes += law.notes
    report.notes += [f"{law.title}: {docno} is the second unit of its number." for docno in documents.repeated]
