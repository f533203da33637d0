"""The references in the texts of an import: read where a file is parsed, resolved over all its laws afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from legalir.statutes.documents import Address
from legalir.statutes.parsing import Stored
from legalir.statutes.references.read import Reference
from legalir.statutes.references.resolve import LawEntry, Resolver

_EXAMPLES = 5


class TextLinks:
    """The references in the texts of parsed files, resolved.

    Args:
        stored: where the parsed files lie.

    Attributes:
        states: number of references by kind and state, see :data:`legalir.statutes.references.resolve.State`.
        examples: the first references of each state that are not resolved: docno and words.
    """

    def __init__(self, stored: Sequence[Path]) -> None:
        self._stored = stored
        self.states: dict[str, Counter[str]] = {}
        self.examples: dict[str, list[str]] = {}

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Yield docno, docno and kind of each reference to a provision, once.

        A delegation links to the provisions of the decree that cite it back. Where a link that the publisher marks
        up has the words of a reference, the reference is left out.
        """
        resolver = Resolver(_laws(self._stored))
        citing: dict[str, list[str]] = {}
        delegating: dict[tuple[str, str], None] = {}
        own: dict[str, str] = {}
        for path in self._stored:
            file = Stored(path)
            for facts, given in zip(file.part("facts"), file.part("links"), strict=True):
                marked: dict[str, list[str]] = {}
                for docno, words, *_ in given["marked"]:
                    marked.setdefault(docno, []).append(" ".join(words.split()))
                for docno, place, references in given["references"]:
                    kept = [
                        each
                        for each in (Reference(*fields) for fields in references)
                        if not any(each.surface in words for words in marked.get(docno, ()))
                    ]
                    targets: dict[tuple[str, str, str], None] = {}
                    for one in resolver.resolve(kept, facts["law_id"], place):
                        reference = one.reference
                        self._count(reference.kind, one.state, f"{docno}: {reference.surface}")
                        if reference.kind == "delegates" and one.law_id:
                            delegating[docno, one.law_id] = None
                        if one.state == "resolved":
                            targets |= dict.fromkeys((docno, each, reference.kind) for each in one.docnos)
                    for _, target, kind in targets:
                        if kind == "cites" and target != docno:
                            citing.setdefault(target, []).append(docno)
                            own[docno] = facts["law_id"]
                    yield from (link for link in targets if link[0] != link[1])
        for docno, law in delegating:
            for target in citing.get(docno, ()):
                if own[target] == law:
                    yield docno, target, "delegates"

    def _count(self, kind: str, state: str, example: str) -> None:
        self.states.setdefault(kind, Counter())[state] += 1
        if state != "resolved":
            examples = self.examples.setdefault(f"{kind}, {state}", [])
            if len(examples) < _EXAMPLES:
                examples.append(example)

    def report(self) -> Mapping[str, object]:
        """Return the states and examples, as plain values."""
        return {**{kind: dict(states) for kind, states in self.states.items()}, "examples": self.examples}


def _laws(stored: Sequence[Path]) -> Iterator[LawEntry]:
    for path in stored:
        file = Stored(path)
        for facts, addresses in zip(file.part("facts"), file.part("addresses"), strict=True):
            yield LawEntry(
                facts["law_id"],
                facts["title"],
                tuple(facts["names"]),
                facts["country"],
                facts["lang"],
                facts["level"],
                [
                    Address(tuple(numbers), key, docno, kind)
                    for numbers, key, docno, kind in addresses
                    if kind not in ("law", "group")
                ],
            )
