"""What an import wrote, and what it could not use.

The contract of a source: provisions and links, one at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from legalir import plugins
from legalir.errors import ComponentError, PluginNotFound

__all__ = ["DANGLING", "FIELDS", "ImportReport", "Row", "Source", "get_source"]

FIELDS = (
    *("docno", "text", "title", "law", "law_id", "level", "article", "heading", "path"),
    *("effective_from", "effective_to"),
)
"""The keys of a provision; ``docno`` and ``text`` must be there."""


class Row(dict[str, str]):
    """A provision that knows the line of the file it came from, for messages; a plain mapping will do, too.

    Args:
        fields: the keys and values of the provision.
        line: the line on which it begins, from 1.
    """

    def __init__(self, fields: Mapping[str, str], line: int) -> None:
        super().__init__(fields)
        self.line = line


@runtime_checkable
class Source(Protocol):
    """Where provisions come from. This is all that a plugin has to provide."""

    @property
    def name(self) -> str:
        """What messages and ``dataset.yaml`` call it, such as the name of the file that it reads."""
        ...

    def provisions(self) -> Iterator[Mapping[str, str]]:
        """Yield the provisions, one at a time.

        Each has ``docno``, unique and without white space, and ``text``; and any of ``title, law, law_id, level,
        article, heading, path``, and the ISO dates ``effective_from`` and ``effective_to``. A key that does not apply
        is left out.

        Raises:
            LegalIRError: what it reads is faulty; names file, line and fault.
        """
        ...

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links: docno of the provision that cites, docno of the one that is cited, and kind, perhaps empty.

        Called after all provisions were read. Links to what is no provision here, such as another law, are counted and
        reported by whoever reads them: a source need not, and should not, drop them.

        Raises:
            LegalIRError: what it reads is faulty; names file, line and fault.
        """
        ...


def get_source(spec: str | Source, collection: object = None) -> Source:
    """Return the source that `spec` describes, or `spec` itself where it is one.

    Args:
        spec: a name with parameters in brackets, ``table(path="provisions.csv")``, or a source.
        collection: handed to the plugin's factory; mostly None, as a source comes before any collection.

    Raises:
        ComponentError: it is no source, nothing has this name, or a parameter is wrong.
        PluginError: the plugin is broken.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Source):
            return spec
        raise ComponentError(f"{spec!r} is no source: it needs the attributes name, provisions and links.")
    try:
        return cast(Source, plugins.make("source", spec, collection))
    except PluginNotFound as error:
        raise ComponentError(str(error)) from None


DANGLING = "links.dangling.tsv"
"""The file of the links with an end that is no provision; the folder format does not read it."""


@dataclass
class ImportReport:
    """The result of :func:`~legalir.statutes.writing.write_collection`.

    Attributes:
        folder: the folder that was written.
        source: name of the source.
        provisions: provisions written.
        untitled: of these, how many have no title.
        empty: of these, how many have neither title nor text.
        links: links written, by kind.
        dangling: links with an end that is no provision; they stand in ``links.dangling.tsv``.
        unknown: the first of the docnos that they name and no provision has.
        kept: files and folders of the old folder that were kept, where one was replaced.
    """

    folder: Path
    source: str
    provisions: int = 0
    untitled: int = 0
    empty: int = 0
    links: Counter[str] = field(default_factory=Counter)
    dangling: int = 0
    unknown: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        return {**vars(self), "folder": str(self.folder), "links": dict(self.links)}

    def warnings(self) -> list[str]:
        """Return one sentence for each thing that a reader should know."""
        found = []
        if self.dangling:
            more = ", …" if len(self.unknown) > 3 else ""
            found.append(
                f"{_counted(self.dangling, 'link has', 'links have')} an end that is no provision "
                f"({', '.join(self.unknown[:3])}{more}): see {DANGLING}, which no other command reads."
            )
        if self.empty:
            found.append(f"{_counted(self.empty, 'provision has', 'provisions have')} neither title nor text.")
        return found


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
