"""Files of a publisher as a source: each format reads a file into laws, and the rest is the same for all of them.

A format is one module of ``sources/``: a function that reads one file, and a factory that the plugin entry names.
"""

from __future__ import annotations

import hashlib
import shutil
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import islice
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Annotated

from annotated_types import Ge

from legalir.datasets.download import unpack
from legalir.declared import Declared
from legalir.errors import DataError, MissingExtra
from legalir.executors import processor_count
from legalir.progress import progress
from legalir.statutes.documents import Cut, CutLaw, cut
from legalir.statutes.importing.linking import GivenLinks
from legalir.statutes.importing.parsing import HEAD as HEAD
from legalir.statutes.importing.parsing import FileReport as FileReport
from legalir.statutes.importing.parsing import Format as Format
from legalir.statutes.importing.parsing import Stored, Task, parse_all
from legalir.statutes.importing.parsing import provision_of as provision_of
from legalir.statutes.importing.text_links import TextLinks
from legalir.statutes.importing.unknown import ABOUT, described
from legalir.statutes.law import Law
from legalir.storage.files import cache_home

_SHOWN = 3
ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2")
"""How the names of archives end that are opened; an archive in an archive is not."""


class StatuteFiles(Declared):
    """A source that reads the files of a publisher.

    Attributes:
        executor: reads the files; by default, processes of this machine do. Its workers have the same files.

    Raises:
        ComponentError: a parameter is not accepted.
        DataError: there is no such file or folder, or no file of the format in it.
    """

    component = "source"
    formats: Annotated[
        Format | tuple[Format, ...],
        "of the files; of several, each file is read by the first that recognises it, so general ones come last",
    ]
    path: Annotated[
        str | PathLike[str], "a file, a folder, or a zip or tar archive, that is searched for files of the format"
    ]
    unit: Annotated[Cut, "the unit of a document, see :data:`legalir.statutes.documents.Cut`"] = "papers"
    workers: Annotated[
        int | None,
        Ge(1),
        "number of processes that read files; by default one a processor, and 1 reads them in this process",
    ] = None
    references: Annotated[
        bool, "whether the references in the texts become links, in addition to the publisher's links"
    ] = True

    def __post_init__(self) -> None:
        self.executor: Executor | None = None
        self.reports: list[FileReport] = []
        self.unknown: list[str] = []
        self.passed_over: list[str] = []
        self._path = Path(self.path).expanduser()
        self._formats = (self.formats,) if isinstance(self.formats, Format) else self.formats
        self._stored: list[Path] = []
        self._links: GivenLinks | None = None
        self._text_links: TextLinks | None = None

    @cached_property
    def name(self) -> str:
        """Name of the file or folder."""
        return self._path.resolve().name

    @contextmanager
    def tasks(self) -> Iterator[list[Task]]:
        """Yield the files to read, each with its format; archives are unpacked until the block ends.

        A file that is named as `path` is read whether it is recognised or not, if there is only one format. What no
        format recognises is in `unknown`, what the first of them are that may be statutes by their suffix in
        `passed_over`, and an archive that cannot be opened in `reports`.
        """
        if not self._path.exists():
            raise DataError(f"{self._path} does not exist.")
        source = hashlib.sha256(str(self._path.resolve()).encode("utf-8", "replace")).hexdigest()
        kept = cache_home() / "parsed" / source[:32]
        tasks: list[Task] = []
        unknown: dict[str, Path] = {}
        self.reports = []
        root = self._path if self._path.is_dir() else self._path.parent
        with ExitStack() as unpacked:
            for path, name in self._named_files(root, unpacked):
                only = self._formats[0] if path == self._path and len(self._formats) == 1 else None
                if each := only or format_of(path, self._formats):
                    tasks.append(Task(path, name, each, self.unit, self.references, kept))
                else:
                    unknown[name] = path
            self.unknown, suffixes = list(unknown), {suffix for each in self._formats for suffix in each.suffixes}
            statutes = ((name, path) for name, path in unknown.items() if path.suffix.lower() in suffixes)
            called = ((name, path) for name, path in statutes if not ABOUT.match(path.name))
            self.passed_over = [described(path, name, self._formats) for name, path in islice(called, _SHOWN)]
            if not tasks:
                raise DataError(self._nothing(unknown))
            yield tasks

    def _named_files(self, root: Path, unpacked: ExitStack) -> Iterator[tuple[Path, str]]:
        """Yield each file and its name for the report."""
        for path in _files_below(self._path):
            name = path.relative_to(root).as_posix()
            if not path.name.lower().endswith(ARCHIVES):
                yield path, name
                continue
            folder = Path(unpacked.enter_context(TemporaryDirectory(prefix="legalir-"))) / path.name
            try:
                for inner in unpack(path, folder):
                    yield inner, f"{name}/{inner.relative_to(folder).as_posix()}"
            except DataError as error:
                self.reports.append(FileReport(name, "", fault=str(error).replace(str(path), name)))

    def _nothing(self, unknown: Mapping[str, Path]) -> str:
        only = self._formats[0] if len(self._formats) == 1 else None
        of = f" of the format {only.name} ({', '.join(only.suffixes)})" if only else " of a known format"
        faults = [report.fault for report in self.reports if report.fault]
        shown = [described(path, name, self._formats) for name, path in list(unknown.items())[:_SHOWN]]
        more = len(unknown) - _SHOWN
        others = [f"There {'is' if more == 1 else 'are'} {more} more."] if more > 0 else []
        return " ".join([f"{self._path} holds no file{of}.", *faults, *shown, *others])

    def laws(self) -> Iterator[tuple[FileReport, Law, CutLaw]]:
        """Yield each law with its documents and the report of its file; a file that cannot be read is reported."""
        with self.tasks() as tasks:
            for task in tasks:
                report = FileReport(task.name, task.format.name)
                self.reports.append(report)
                try:
                    for law in task.format.read(task.path, task.path.read_bytes()):
                        documents = cut(law, self.unit)
                        report.add(law, documents)
                        yield report, law, documents
                except DataError as error:
                    report.fault = str(error)
        self._check_any()

    def provisions(self) -> Iterator[Mapping[str, str]]:
        """Yield the provisions of all files."""
        laws: dict[str, Stored] = {}
        for stored in self.parsed():
            for facts, provisions in zip(stored.part("facts"), stored.part("provisions"), strict=True):
                _check_versions(laws, facts, stored, provisions)
                yield from provisions

    def parsed(self) -> Iterator[Stored]:
        """Yield the parsed files; what each gives lies in a temporary folder as long as this object lives."""
        self._stored = []
        folder = Path(mkdtemp(prefix="legalir-import-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        with self.tasks() as tasks, progress(f"Reading files of {self.name}", len(tasks)) as advance:
            for result in parse_all(tasks, self.workers or processor_count(), self.executor):
                advance(1)
                if isinstance(result, FileReport):
                    self.reports.append(result)
                    continue
                path = folder / str(len(self._stored))
                try:
                    path.write_bytes(result)
                except OSError as error:
                    raise DataError(
                        f"{folder} cannot be written ({error.strerror or error}): free some space, or set TMPDIR to "
                        f"another folder."
                    ) from error
                self._stored.append(path)
                stored = Stored(path)
                self.reports.append(stored.report)
                yield stored
        self._check_any()

    def _check_any(self) -> None:
        if not any(report.documents for report in self.reports):
            if self.reports and all(report.missing for report in self.reports):
                raise MissingExtra(self.reports[0].missing)
            faults = list(dict.fromkeys(report.fault for report in self.reports if report.fault))
            more = [f"There are {len(faults) - _SHOWN} more."] if len(faults) > _SHOWN else []
            count = f"{len(self.reports)} files" if len(self.reports) != 1 else "the file"
            nothing = f"{self.name}: no provision was found in {count}."
            raise DataError(" ".join([nothing, *faults[:_SHOWN], *more]))

    def origins(self) -> Iterator[Mapping[str, object]]:
        """Yield where each provision comes from, see :func:`legalir.statutes.importing.parsing.origin_of`."""
        for path in self._stored:
            for origins in Stored(path).part("origins"):
                yield from origins

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links that the publisher marks up or states, and then the references in the texts."""
        if not self._stored:
            for _ in self.provisions():
                pass
        self._links = GivenLinks(self._stored)
        pairs: set[tuple[str, str]] = set()
        for link in self._links:
            pairs.add(link[:2])
            yield link
        if self.references:
            self._text_links = TextLinks(self._stored)
            yield from (link for link in self._text_links if link[:2] not in pairs)

    def report(self) -> dict[str, object]:
        """Return what became of the files and of the links, for ``import.json``."""
        files = [report.to_dict() for report in self.reports]
        left_out: Counter[str] = sum((report.left_out for report in self.reports), Counter())
        languages: Counter[str] = sum((report.languages for report in self.reports), Counter())
        countries: Counter[str] = sum((report.countries for report in self.reports), Counter())
        return {
            "formats": dict(Counter(report.format for report in self.reports if not report.fault)),
            "laws": sum(len(report.laws) for report in self.reports),
            "languages": dict(languages.most_common()),
            "countries": dict(countries.most_common()),
            "provisions": sum(report.documents for report in self.reports),
            "characters": sum(report.characters for report in self.reports),
            "inside": sum(report.inside for report in self.reports),
            "left_out": dict(left_out.most_common()),
            "unread": sum(report.unread for report in self.reports),
            "links": self._links.report() if self._links else {},
            "references": self._text_links.report() if self._text_links else {},
            "unknown": self.unknown,
            "passed_over": self.passed_over,
            "files": files,
        }


def _files_below(path: Path) -> list[Path]:
    """Return a file, or the files below a folder, in alphabetical order, without hidden files."""
    if path.is_file():
        return [path]
    paths = (each for each in path.rglob("*") if not any(part[0] == "." for part in each.relative_to(path).parts))
    return sorted(each for each in paths if each.is_file())


def format_of(path: Path, formats: tuple[Format, ...]) -> Format | None:
    """Return the first format that recognises a file."""
    suffix = path.suffix.lower()
    fitting = [each for each in formats if suffix in each.suffixes]
    if not fitting:
        return None
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError:
        return fitting[0]  # Its report says why it cannot be read.
    return next((each for each in fitting if each.recognises(path, head)), None)


def _check_versions(laws: dict[str, Stored], facts: Mapping[str, str], stored: Stored, provisions: object) -> None:
    """Raise a DataError if two files contain the same provision of the same law.

    Files may hold parts of a law, such as its annexes.
    """
    law = facts["law_id"]
    first = laws.setdefault(law, stored)
    if first is stored:
        return
    ours = {row["docno"] for row in provisions}  # type: ignore[attr-defined]
    for other, theirs in zip(first.part("facts"), first.part("provisions"), strict=True):
        if other["law_id"] == law and (twice := sorted(ours & {row["docno"] for row in theirs})):
            files = f"{first.report.file} ({other['version'] or 'no date'}) and {stored.report.file}"
            raise DataError(
                f"{files} ({facts['version'] or 'no date'}) hold the same law, {facts['title']} ({law}), with the "
                f"provision {twice[0]}: keep one version of it, or import all with history(path=…)."
            )
