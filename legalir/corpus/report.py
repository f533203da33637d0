"""What an import wrote, and what it could not use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["DANGLING", "ImportReport"]

DANGLING = "links.dangling.tsv"
"""The file of the links with an end that is no provision; the folder format does not read it."""


@dataclass
class ImportReport:
    """The result of :func:`~legalir.corpus.write.write_collection`.

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
