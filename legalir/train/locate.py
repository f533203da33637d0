"""The place in a text where a link is mentioned.

A link says that one provision cites another, not where. The mention is found by the target's number (its article, else
the end of its docno, else the numbers of its title) at a reference that the scanner distinguishes from other numbers.
If several provisions that a text cites have one number, or one number is mentioned more than once, the words before
each mention decide: the title of the target's law, the nearest first, else how often such words were seen to mean a
provision of the same law, or one of that kind and level (``영 제``, ``같은 법 제``). A link gets at most one mention.

A target that is not mentioned itself may be in a range (``제2조부터 제5조까지``). A target without a number is found
by its title. A link that none of this finds has no mention and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from legalir.datasets import Provision
from legalir.errors import DataError
from legalir.references.numbers import Example, Numbers, clean, order_of, tail_of
from legalir.train.context_model import ContextModel
from legalir.train.scanner import Mention, ScannedText, Scanner

SAMPLE = 5000
"""Citing texts from which the forms of a reference are learnt, evenly spaced over the corpus."""

_NEAR = 100
_EXAMPLES = 3

Span = tuple[int, int]
"""Start and end of a mention in a text."""


@dataclass
class LinkReport:
    """Counts of links; each is one of `direct`, `ranges`, `titles`, `missing`, `dangling`, `repeated`.

    Attributes:
        links: rows read.
        direct: mentioned by number.
        ranges: mentioned as part of a range.
        titles: mentioned by title.
        missing: without a mention in the text of the source.
        dangling: with an end that the corpus does not have, or from a provision to itself.
        repeated: links that occur more than once.
        short: mentioned, but with too few words around.
        long: mentioned, but in a list of too many.
        examples: source and target of the first missing ones.
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

    def sentences(self) -> Iterator[str]:
        """Yield the counts for people to read, one clause each."""
        how = f"{self.direct} by number, {self.ranges} in a range, {self.titles} by title"
        located = self.direct + self.ranges + self.titles
        yield f"{located} of {self.links} links were found in the text of their source ({how})"
        if self.missing:
            first = ", ".join(f"{source} to {target}" for source, target in self.examples)
            more = ", …" if self.missing > len(self.examples) else ""
            yield f"{self.missing} link(s) have no mention in the text of their source ({first}{more})"
        if self.dangling:
            yield f"{self.dangling} link(s) have an end that the corpus does not have, or join a provision with itself"
        if self.repeated:
            yield f"{self.repeated} link(s) are given more than once"
        if self.short:
            yield f"{self.short} mention(s) have too few words around and were left out"
        if self.long:
            yield f"{self.long} mention(s) stand in long lists and were left out"


class LinkTarget(NamedTuple):
    """A provision that another one cites.

    Attributes:
        number: in the order of the corpus.
        docno: its docno.
        key: of its number, empty if it has none.
        title: for one that has no number, else empty.
        law: name of its law.
        same_law: whether the citing provision is of the same law.
        relation: ``same law``, or the kind of the link and the level of the target.
    """

    number: int
    docno: str
    key: str
    title: str
    law: str
    same_law: bool
    relation: str


class _Short(NamedTuple):
    """Fields of a provision that distinguish its mentions from other mentions."""

    number: int
    article: str
    law: str
    law_id: str
    level: str
    title: str

    @classmethod
    def of(cls, number: int, record: Provision) -> _Short:
        article = record.article or tail_of(record.doc_id)
        title = "" if article else clean(record.title or record.heading)
        return cls(number, article, clean(record.law), record.law_id or record.law, record.level, title)

    def key(self, numbers: Numbers) -> str:
        """Return the key of the article, else of the title without the name of the law and text in brackets."""
        return numbers.key(self.article or self.title.replace(self.law, " ").split("(")[0])

    def cites(self, target: _Short, docno: str, key: str, kind: str) -> LinkTarget:
        same = self.law_id == target.law_id
        relation = "same law" if same else f"{kind} {target.level}"
        return LinkTarget(target.number, docno, key, target.title, target.law, same, relation)


class Locator:
    """Finder of the mentions of a collection's links.

    Args:
        provisions: in the order of the corpus; read once.
        links: source docno, target docno, kind.

    Attributes:
        targets: the provisions that each provision cites, in the order of the links, by the number of the citing one.
        scanner: finds the references in a text.

    Raises:
        DataError: there is no link, or none between two provisions of the corpus.
    """

    def __init__(self, provisions: Iterable[Provision], links: Iterable[tuple[str, str, str]]) -> None:
        rows = list(links)
        if not rows:
            raise DataError("Citations were asked for, but the collection has no links: give it a links.tsv.")
        short, texts = _read(provisions, {source for source, _, _ in rows})
        numbers = Numbers(record.article for record in short.values())
        keys = {docno: record.key(numbers) for docno, record in short.items()}
        kinds: dict[tuple[str, str], str] = {}
        for source, target, kind in rows:
            kinds.setdefault((source, target), kind)
        self.targets: dict[int, list[LinkTarget]] = {}
        self._rows, self._repeated, self._dangling = len(rows), len(rows) - len(kinds), 0
        for (source, target), kind in kinds.items():
            if source == target or source not in short or target not in short:
                self._dangling += 1
            else:
                one = short[source].cites(short[target], target, keys[target], kind)
                self.targets.setdefault(short[source].number, []).append(one)
        if not self.targets:
            raise DataError(
                f"Citations were asked for, but none of the {len(rows)} links joins two provisions of the corpus: "
                f"check that links.tsv and corpus.jsonl use the same docnos."
            )
        sample = [(docno, text) for docno, text in texts if short[docno].number in self.targets]
        cited = [self.targets[short[docno].number] for docno, _ in sample]
        self.scanner = Scanner(
            numbers,
            [
                Example(text, frozenset(_by_key(targets)), keys[docno])
                for (docno, text), targets in zip(sample, cited, strict=True)
            ],
        )
        self._relations = ContextModel(self._unambiguous([text for _, text in sample], cited))

    def _unambiguous(
        self, texts: Sequence[str], cited: Sequence[Sequence[LinkTarget]]
    ) -> Iterator[tuple[str, int, str]]:
        """Yield the mentions in texts whose number only one target has, with the relation of that target."""
        for text, of_text in zip(texts, cited, strict=True):
            by_key = _by_key(of_text)
            scanned = self.scanner.scan(text)
            for mention in scanned.mentions:
                targets = by_key.get(mention.number.one_of(by_key), ())
                if len(targets) == 1:
                    yield scanned.skeleton, mention.place, targets[0].relation

    def new_report(self) -> LinkReport:
        """Return a report in which no link has been located yet."""
        return LinkReport(links=self._rows, dangling=self._dangling, repeated=self._repeated)

    def locate(
        self, source: str, text: str, scanned: ScannedText, targets: Sequence[LinkTarget], report: LinkReport
    ) -> dict[LinkTarget, Span]:
        """Return the mention of each target that a text mentions, and count all of them.

        Args:
            source: docno of the citing provision.
            text: its cleaned text.
            scanned: the same, scanned.
            targets: the provisions that it cites.
            report: counts them.
        """
        by_key = _by_key(targets)
        mentions: dict[str, list[Mention]] = {}
        for mention in scanned.mentions:
            mentions.setdefault(mention.number.one_of(by_key), []).append(mention)
        spans: dict[LinkTarget, Span] = {}
        for key, rivals in by_key.items():
            spans |= self._assigned(text, scanned.skeleton, rivals, mentions.get(key, []))
        report.direct += len(spans)
        for target in targets:
            if target in spans:
                continue
            if target.key and (span := _in_range(scanned, order_of(target.key))):
                spans[target] = span
                report.ranges += 1
            elif not target.key and target.title and (at := text.find(target.title)) >= 0:
                spans[target] = at, at + len(target.title)
                report.titles += 1
            else:
                report.missing += 1
                if len(report.examples) < _EXAMPLES:
                    report.examples.append((source, target.docno))
        return spans

    def _assigned(
        self, text: str, bones: str, targets: Sequence[LinkTarget], mentions: Sequence[Mention]
    ) -> dict[LinkTarget, Span]:
        """Give each target the mention that suits it best; no two share one while there are others."""
        if len(targets) == 1 and len(mentions) == 1:
            return {targets[0]: (mentions[0].start, mentions[0].end)}
        scores = sorted(
            (-self._suits(text, bones, mention, target), mention.start, order, mention, target)
            for mention in mentions
            for order, target in enumerate(targets)
        )
        spans: dict[LinkTarget, Span] = {}
        taken: set[int] = set()
        for _, start, _, mention, target in scores:
            if target not in spans and start not in taken:
                spans[target] = mention.start, mention.end
                taken.add(start)
        return spans

    def _suits(self, text: str, bones: str, mention: Mention, target: LinkTarget) -> float:
        """Return a probability, or more than 1 if the title of the target's law precedes the mention."""
        if target.law and not target.same_law:
            low = max(0, mention.start - _NEAR)
            at = text.rfind(target.law, low, mention.start)
            if at >= 0:
                return 1 + (at + len(target.law) - low) / _NEAR
        return round(self._relations.probability(bones, mention.place, target.relation), 1)


def _read(provisions: Iterable[Provision], sources: set[str]) -> tuple[dict[str, _Short], list[tuple[str, str]]]:
    """Return the short form of each provision by docno; and docno and text of about `SAMPLE` citing ones."""
    step = max(1, len(sources) // SAMPLE)
    short: dict[str, _Short] = {}
    texts: list[tuple[str, str]] = []
    citing = 0
    for number, record in enumerate(provisions):
        short[record.doc_id] = _Short.of(number, record)
        if record.doc_id in sources:
            if citing % step == 0:
                texts.append((record.doc_id, clean(record.text)))
            citing += 1
    return short, texts


def _by_key(targets: Iterable[LinkTarget]) -> dict[str, list[LinkTarget]]:
    keys: dict[str, list[LinkTarget]] = {}
    for target in targets:
        if target.key:
            keys.setdefault(target.key, []).append(target)
    return keys


def _in_range(scanned: ScannedText, order: tuple[int, ...]) -> Span | None:
    for at in scanned.ranges:
        first, last = scanned.mentions[at], scanned.mentions[at + 1]
        if order_of(first.number.key) < order < order_of(last.number.key):
            return first.start, last.end
    return None
