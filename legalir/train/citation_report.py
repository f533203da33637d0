"""What became of the links of a collection when their mentions were looked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["CitationReport"]

_EXAMPLES = 3


@dataclass
class CitationReport:
    """Counts of links; each is one of `direct`, `ranges`, `titles`, `missing`, `dangling`, `repeated`.

    Attributes:
        links: rows read.
        direct: found by their number.
        ranges: found in a range.
        titles: found by their title.
        missing: not found in the text of their source.
        dangling: with an end that the corpus does not have, or from a provision to itself.
        repeated: given more than once.
        short: found, but with too few words around.
        long: found, but in a list of too many.
        examples: source and target of the first that are missing.
    """

    links: int = 0
    direct: int = 0
    ranges: int = 0
    titles: int = 0
    missing: int = 0
    dangling: int = 0
    repeated: int = 0
    short: int = 0
    long: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)

    @property
    def found(self) -> int:
        """Number of links whose mention was found."""
        return self.direct + self.ranges + self.titles

    def miss(self, source: str, targets: Sequence[str]) -> None:
        """Count links of `source` that were not found."""
        self.missing += len(targets)
        self.examples += [(source, target) for target in targets[: _EXAMPLES - len(self.examples)]]

    def sentences(self) -> Iterator[str]:
        """Yield what is worth saying, one clause each."""
        how = f"{self.direct} by number, {self.ranges} in a range, {self.titles} by title"
        yield f"{self.found} of {self.links} links were found in the text of their source ({how})"
        if self.missing:
            named = ", ".join(f"{source} to {target}" for source, target in self.examples)
            more = ", …" if self.missing > len(self.examples) else ""
            yield f"{self.missing} link(s) have no mention in the text of their source ({named}{more})"
        if self.dangling:
            yield f"{self.dangling} link(s) have an end that the corpus does not have, or join a provision with itself"
        if self.repeated:
            yield f"{self.repeated} link(s) are given more than once"
        if self.short:
            yield f"{self.short} mention(s) have too few words around and were left out"
        if self.long:
            yield f"{self.long} mention(s) stand in long lists and were left out"
