"""References in the texts of an import: read when a file is parsed, and resolved afterwards over all laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from legalir.references.numbering import sort_key
from legalir.references.read import Reference
from legalir.references.resolve import Address, LawEntry, Resolver
from legalir.statutes.importing.parsing import Stored, unpacked

_EXAMPLES = 5


class TextLinks:
    """The references in the texts of parsed files, resolved.

    Args:
        stored: where the parsed files lie; of several files of one law, the newest first.
        versions: docno and text of each version of a provision that a file has, given where the parsed file lies and
            the key; the links go from these versions to keys. Without it, a provision has no versions.

    Attributes:
        states: number of references by kind and state, see :data:`legalir.references.read.State`.
        examples: the first references of each state that are not resolved: docno and words.
    """

    def __init__(
        self,
        stored: Sequence[Path],
        versions: Callable[[Path, str], Iterable[tuple[str, str]]] | None = None,
    ) -> None:
        self._stored, self._versions = stored, versions
        self.states: dict[str, Counter[str]] = {}
        self.examples: dict[str, list[str]] = {}

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Yield source docno, target docno and kind of each reference to a provision, once.

        A delegation links to the provisions of the decree that cite it back. Where a link that the publisher marks
        up has the words of a reference, the reference is left out.
        """
        resolver = Resolver(_laws(self._stored))
        citing: dict[str, dict[str, str]] = {}  # By law and cited key; the citing keys are joined by blanks.
        delegating: dict[tuple[str, str, str], None] = {}
        for path in self._stored:
            file = Stored(path)
            for facts, given in zip(file.part("facts"), file.part("links"), strict=True):
                own = citing.setdefault(facts["law_id"], {})
                marked: dict[str, list[str]] = {}
                for docno, words, *_ in given["marked"]:
                    marked.setdefault(docno, []).append(" ".join(words.split()))
                for key, docno, place, references in self._given(path, given["references"]):
                    kept = [each for each in references if not any(each.surface in one for one in marked.get(key, ()))]
                    targets: dict[tuple[str, str], None] = {}
                    for one in resolver.resolve(kept, facts["law_id"], place):
                        reference = one.reference
                        self._count(reference.kind, one.state, f"{docno}: {reference.surface}")
                        if reference.kind == "delegates" and one.law_id:
                            delegating[key, docno, one.law_id] = None
                        if one.state == "resolved":
                            targets |= dict.fromkeys((each, reference.kind) for each in one.docnos)
                    for target, kind in targets:
                        if kind != "delegates" and target != key:
                            own[target] = f"{own[target]} {key}" if target in own else key
                    yield from ((docno, target, kind) for target, kind in targets if target != key)
        for key, docno, law in delegating:
            for target in dict.fromkeys(citing.get(law, {}).get(key, "").split()):
                yield docno, target, "delegates"

    def _given(
        self, path: Path, rows: Iterable[tuple[str, Sequence[str], Sequence[Sequence[object]]]]
    ) -> Iterator[tuple[str, str, Sequence[str], list[Reference]]]:
        """Yield key, docno, place and references of each provision, or of each of its versions that a file has."""
        for key, place, fields in rows:
            references = [Reference(*each) for each in fields]  # type: ignore[arg-type]
            if self._versions is None:
                yield key, key, place, references
                continue
            for docno, text in self._versions(path, key):
                yield key, docno, place, [each for each in references if each.surface in text]

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
    """Yield the laws; a law in several files has the names and units of all, each unit from its first file."""
    laws: dict[str, LawEntry] = {}
    units: dict[str, list[bytes]] = {}
    for path in stored:
        file = Stored(path)
        for facts, addresses in zip(file.part("facts"), file.packed("addresses"), strict=True):
            law_id, names = facts["law_id"], tuple(facts["names"])
            units.setdefault(law_id, []).append(addresses)
            if law := laws.get(law_id):
                laws[law_id] = law._replace(names=tuple(dict.fromkeys((*law.names, facts["title"], *names))))
            else:
                labels = {name: facts[name] for name in ("title", "country", "lang", "level")}
                laws[law_id] = LawEntry(law_id, names=names, **labels)
    for law_id, law in laws.items():
        yield law._replace(addresses=partial(_addresses, law_id, tuple(units[law_id])))


def _addresses(law_id: str, files: Sequence[bytes]) -> list[Address]:
    units: list[Address] = []
    for packed in files:
        known = {each.path for each in units}
        units += [
            unit
            for numbers, key, docno, kind in unpacked(packed)
            if kind not in ("law", "group") and (unit := Address(tuple(numbers), key, docno, kind)).path not in known
        ]
    return sorted(units, key=lambda unit: sort_key(unit.docno.removeprefix(law_id))) if len(files) > 1 else units
