"""Where a text cites what it is linked to, and the words around: questions that a statute book asks itself.

A link says that one provision cites another, not where. The mention is found through the target's number
(its article, else the end of its docno, else the numbers of its title), at a reference that the collection's
own links have taught us to tell from other numbers (`Scanner`). Where several provisions that a text cites bear one
number, or one number is mentioned more than once, what stands before each mention decides: the title of
the target's law, the nearest first, else how often such words were seen to mean a provision of the same law,
or one of that kind and level (``영 제``, ``같은 법 제``). Every link gives at most one citation.

What is not mentioned itself may stand in a range (``제2조부터 제5조까지``); a target without number is looked
for by its title. A link that none of this finds gives nothing and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from legalir.datasets import Provision
from legalir.errors import DataError
from legalir.train.citation_report import CitationReport
from legalir.train.cited import Cited, Linked, linked_provisions
from legalir.train.contexts import Contexts
from legalir.train.mentions import Example, Mention, Scanned, Scanner
from legalir.train.numbers import clean, order_of
from legalir.train.windows import lists_of, without

__all__ = ["Citation", "Citations"]

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
