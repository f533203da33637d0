"""From a source to a folder in the folder format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from legalir.corpus.checked import checked_links, checked_provisions
from legalir.corpus.place import new_folder
from legalir.corpus.report import DANGLING, ImportReport
from legalir.corpus.source import Source, get_source
from legalir.errors import DataError, FormatError
from legalir.progress import progress

__all__ = ["write_collection"]

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

    from legalir.datasets.about import read_about

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
