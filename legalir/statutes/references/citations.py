"""Where a text cites what it is linked to, and the words around: questions that a statute book asks itself.

A link says that one provision cites another, not where. The mention is found through the target's number
(its article, else the end of its docno, else the numbers of its title), at a reference that the collection's
own links have taught us to tell from other numbers (`Scanner`). Where several provisions that a text cites bear one
number, or one number is mentioned more than once, what stands before each mention decides: the title of
the target's law, the nearest first, else how often such words were seen to mean a provision of the same law,
or one of that kind and level (``영 제``, ``같은 법 제``). Every link gives at most one citation.

What is not mentioned itself may stand in a range (``제2조부터 제5조까지``); a target without number is looked
for by its title. A link that none of this finds gives nothing and is counted.

The words around a mention: what is taken out of a text, and which mentions make one list.

The links of a collection as numbers of provisions, with what tells the mention of a target from another.

What became of the links of a collection when their mentions were looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from legalir.datasets import Provision
from legalir.errors import DataError
from legalir.statutes.references.contexts import Contexts
from legalir.statutes.references.mentions import Example, Mention, Scanned, Scanner
from legalir.statutes.references.numbers import Numbers, clean, order_of, tail_of

__all__ = [
    "Citation",
    "CitationReport",
    "Citations",
    "Cited",
    "Linked",
    "Place",
    "linked_provisions",
    "lists_of",
    "without",
]

Place = tuple[tuple[int, int], int]
"""Start and end of a mention, and the provision that it means."""

_QUOTED = re.compile(r"「[^「」]{1,80}」|『[^『』]{1,80}』|《[^《》]{1,80}》|〈[^〈〉]{1,80}〉")
_BETWEEN = 5


def without(text: str, spans: Iterable[tuple[int, int]], titles: Iterable[str]) -> str:
    """Return `text` with spaces, as many, for spans, for titles of laws in their quotes, and for `titles`."""
    taken = [*spans, *(found.span() for found in _QUOTED.finditer(text))]
    for title in titles:
        at = text.find(title)
        while at >= 0:
            taken.append((at, at + len(title)))
            at = text.find(title, at + len(title))
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(taken):
        if stop > end:
            start = max(start, end)
            pieces += text[end:start], " " * (stop - start)
            end = stop
    pieces.append(text[end:])
    return "".join(pieces)


def lists_of(blank: str, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield the mentions that stand together: at most `_BETWEEN` letters between one and the next (``, 및``, ``or``).

    Args:
        blank: the text without mentions and titles.
        places: of the mentions, in the order of the text.
    """
    group: list[Place] = []
    reach = 0
    for place in places:
        (start, end), _ = place
        if group and sum(map(str.isalnum, blank[reach:start])) > _BETWEEN:
            yield group
            group = []
        group.append(place)
        reach = max(end, reach)
    if group:
        yield group


class Cited(NamedTuple):
    """A provision as another one cites it: `key` is of its number, `title` is for one that has none."""

    number: int
    docno: str
    key: str
    title: str
    law: str
    same_law: bool
    relation: str


class Linked(NamedTuple):
    """What the citing texts cite, by the number of the citing provision in the order of the corpus.

    Attributes:
        cited: targets of each source, in the order of the links.
        sample: number, cleaned text and key of some sources.
        numbers: reads the numbers of the collection.
        rows: links read.
        dangling: those with an end that the corpus does not have, or from a provision to itself.
        repeated: those given more than once.
    """

    cited: dict[int, list[Cited]]
    sample: list[tuple[int, str, str]]
    numbers: Numbers
    rows: int
    dangling: int
    repeated: int


class _Short(NamedTuple):
    number: int
    article: str
    law: str
    law_id: str
    level: str
    title: str


def linked_provisions(provisions: Iterable[Provision], links: Iterable[tuple[str, str, str]], sample: int) -> Linked:
    """Read the corpus once and give every link its ends; at most about `sample` texts are kept."""
    rows = list(links)
    sources = dict.fromkeys(source for source, _, _ in rows)
    step = max(1, len(sources) // sample)
    short: dict[str, _Short] = {}
    texts: list[tuple[str, str]] = []
    citing = 0
    for number, record in enumerate(provisions):
        short[record.doc_id] = _short(number, record)
        if record.doc_id in sources:
            if citing % step == 0:
                texts.append((record.doc_id, clean(record.text)))
            citing += 1
    numbers = Numbers(record.article for record in short.values())
    keys = {docno: _key(numbers, record) for docno, record in short.items()}
    cited: dict[int, list[Cited]] = {}
    dangling = 0
    known: dict[tuple[str, str], str] = {}
    for source, target, kind in rows:
        known.setdefault((source, target), kind)
    for (source, target), kind in known.items():
        if source == target or source not in short or target not in short:
            dangling += 1
        else:
            one = _cited(short[source], short[target], target, keys[target], kind)
            cited.setdefault(short[source].number, []).append(one)
    kept = [(short[docno].number, text, keys[docno]) for docno, text in texts if short[docno].number in cited]
    return Linked(cited, kept, numbers, len(rows), dangling, len(rows) - len(known))


def _short(number: int, record: Provision) -> _Short:
    article = record.article or tail_of(record.doc_id)
    title = "" if article else clean(record.title or record.heading)
    return _Short(number, article, clean(record.law), record.law_id or record.law, record.level, title)


def _key(numbers: Numbers, record: _Short) -> str:
    """Return the key of the article, else of the title without the law's name and what stands in brackets."""
    if record.article:
        return numbers.key(record.article)
    return numbers.key(record.title.replace(record.law, " ").split("(")[0])


def _cited(source: _Short, target: _Short, docno: str, key: str, kind: str) -> Cited:
    same = source.law_id == target.law_id
    relation = "same law" if same else f"{kind} {target.level}"
    return Cited(target.number, docno, key, target.title, target.law, same, relation)


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


SAMPLE = 5000
"""Citing texts from which the forms of a reference are learnt, evenly spaced over the corpus."""

_NEAR = 100
_SHORTEST = 8


class Citation(NamedTuple):
    """Words around a citation, and numbers of provisions in the order of the corpus.

    Attributes:
        words: what stands around, without any mention of an article and without titles of laws.
        source: the citing provision.
        cited: those cited at this place: one, or all of a list such as "sections 3, 5 and 7".
        near: others that are cited in the words around.
    """

    words: str
    source: int
    cited: tuple[int, ...]
    near: tuple[int, ...]


class Citations:
    """Reads the citations of a collection; iterate to get them, and read `report` afterwards.

    Args:
        provisions: in the order of the corpus; read twice, so a list or something that can be iterated again.
        links: source docno, target docno, kind.
        before: characters before a mention that belong to its words.
        after: characters behind it.
        most: a list that cites more provisions than these is left out, and counted: its words say little of each.

    Raises:
        DataError: there is no link, or none between two provisions of the corpus.
    """

    def __init__(
        self,
        provisions: Iterable[Provision],
        links: Iterable[tuple[str, str, str]],
        before: int = 50,
        after: int = 90,
        most: int = 10,
    ) -> None:
        self.before, self.after, self.most = before, after, most
        self._provisions: Iterable[Provision] = list(provisions) if isinstance(provisions, Iterator) else provisions
        self._linked: Linked = linked_provisions(self._provisions, links, SAMPLE)
        self.report = self._new_report()
        if not self._linked.rows:
            raise DataError("Citations were asked for, but the collection has no links: give it a links.tsv.")
        if not self._linked.cited:
            raise DataError(
                f"Citations were asked for, but none of the {self._linked.rows} links joins two provisions of the "
                f"corpus: check that links.tsv and corpus.jsonl use the same docnos."
            )
        examples = [
            Example(text, frozenset(cited.key for cited in self._linked.cited[number] if cited.key), own)
            for number, text, own in self._linked.sample
        ]
        self.scanner = Scanner(self._linked.numbers, examples)
        self._relations = Contexts(self._unambiguous())
        self._linked.sample.clear()

    def _new_report(self) -> CitationReport:
        linked = self._linked
        return CitationReport(links=linked.rows, dangling=linked.dangling, repeated=linked.repeated)

    def _unambiguous(self) -> Iterator[tuple[str, int, str]]:
        """Yield the mentions of the sample whose number only one cited provision bears, with its relation."""
        for number, text, _ in self._linked.sample:
            by_key = _by_key(self._linked.cited[number])
            scanned = self.scanner.scan(text)
            for mention in scanned.mentions:
                targets = by_key.get(mention.key, ())
                if len(targets) == 1:
                    yield scanned.skeleton, mention.place, targets[0].relation

    def __iter__(self) -> Iterator[Citation]:
        """Yield the citations in the order of the corpus; `report` is begun anew."""
        self.report = self._new_report()
        for number, record in enumerate(self._provisions):
            cited = self._linked.cited.get(number)
            if cited is not None:
                yield from self._of(number, record, cited)

    def _of(self, number: int, record: Provision, cited: Sequence[Cited]) -> Iterator[Citation]:
        text = clean(record.text)
        scanned = self.scanner.scan(text)
        found = self._locate(text, scanned, cited)
        self.report.miss(record.doc_id, [target.docno for target in cited if target not in found])
        if not found:
            return
        titles = {title for title in (clean(record.law), *(target.law for target in cited)) if title}
        mentions = [(mention.start, mention.end) for mention in scanned.mentions]
        blank = without(text, [*mentions, *found.values()], titles)
        places = sorted((span, target.number) for target, span in found.items())
        for group in lists_of(blank, places):
            low = max(0, group[0][0][0] - self.before)
            high = max(end for (_, end), _ in group) + self.after
            words = " ".join(blank[low:high].split())
            here = dict.fromkeys(target for _, target in group)
            if sum(map(str.isalnum, words)) < _SHORTEST:
                self.report.short += len(here)
            elif len(here) > self.most:
                self.report.long += len(here)
            else:
                near = (
                    target for (start, end), target in places if low <= start and end <= high and target not in here
                )
                yield Citation(words, number, tuple(here), tuple(dict.fromkeys(near)))

    def _locate(self, text: str, scanned: Scanned, cited: Sequence[Cited]) -> dict[Cited, tuple[int, int]]:
        found: dict[Cited, tuple[int, int]] = {}
        mentions: dict[str, list[Mention]] = {}
        for mention in scanned.mentions:
            mentions.setdefault(mention.key, []).append(mention)
        for key, targets in _by_key(cited).items():
            found |= self._assigned(text, scanned.skeleton, targets, mentions.get(key, []))
        self.report.direct += len(found)
        for target in cited:
            if target in found:
                continue
            if target.key and (span := _in_range(scanned, order_of(target.key))):
                found[target] = span
                self.report.ranges += 1
            elif not target.key and target.title and (at := text.find(target.title)) >= 0:
                found[target] = at, at + len(target.title)
                self.report.titles += 1
        return found

    def _assigned(
        self, text: str, bones: str, targets: Sequence[Cited], mentions: Sequence[Mention]
    ) -> dict[Cited, tuple[int, int]]:
        """Give each target the mention that suits it best; no two share one while there are others."""
        if len(targets) == 1 and len(mentions) == 1:
            return {targets[0]: (mentions[0].start, mentions[0].end)}
        scores = sorted(
            (-self._suits(text, bones, mention, target), mention.start, order, mention, target)
            for mention in mentions
            for order, target in enumerate(targets)
        )
        found: dict[Cited, tuple[int, int]] = {}
        taken: set[int] = set()
        for _, start, _, mention, target in scores:
            if target not in found and start not in taken:
                found[target] = mention.start, mention.end
                taken.add(start)
        return found

    def _suits(self, text: str, bones: str, mention: Mention, target: Cited) -> float:
        """Return a probability, or more than 1 where the title of the target's law stands before the mention."""
        if target.law and not target.same_law:
            low = max(0, mention.start - _NEAR)
            at = text.rfind(target.law, low, mention.start)
            if at >= 0:
                return 1 + (at + len(target.law) - low) / _NEAR
        return round(self._relations.probability(bones, mention.place, target.relation), 1)


def _by_key(cited: Iterable[Cited]) -> dict[str, list[Cited]]:
    keys: dict[str, list[Cited]] = {}
    for target in cited:
        if target.key:
            keys.setdefault(target.key, []).append(target)
    return keys


def _in_range(scanned: Scanned, order: tuple[int, ...]) -> tuple[int, int] | None:
    for at in scanned.ranges:
        first, last = scanned.mentions[at], scanned.mentions[at + 1]
        if order_of(first.key) < order < order_of(last.key):
            return first.start, last.end
    return None
