"""Text around each reference, used as training queries: the mention of each link is found and taken out of the text.

**Which numbers are references** is learnt from the links of the collection; nothing here knows ``제N조`` or
``มาตรา N``. A sample of the texts that cite something is read. A number in them counts as a reference if it is the
number of a provision that the text cites, else as another number; the characters around it are the evidence
(`ContextModel`). Three more things are learnt by how often the links confirm them:

- which signs join two numbers into one (``조의`` in ``제12조의2``, ``/`` in ``12/1``),
- which words between two references make a range (``조부터 제``, `` to ``), whose articles are cited, too,
- how far a mention reaches to both sides of its number (`Edges`), so that it can be taken out.

**Where a link is mentioned**: at a reference with the target's number (its article, else the end of its docno, else the
numbers of its title). If several provisions that a text cites have one number, or one number is mentioned more than
once, the words before each mention decide: the title of the target's law, the nearest first, else how often such words
were seen to mean a provision of the same law, or one of that kind and level (``영 제``, ``같은 법 제``). A link gets at
most one mention. A target that is not mentioned itself may be in a range (``제2조부터 제5조까지``). A target without a
number is found by its title. A link that none of this finds has no mention and is counted.

All mentions and the titles of laws are taken out; the words before and after remain. Adjacent mentions are one
reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from legalir.datasets import Provision
from legalir.errors import DataError
from legalir.references.grammar import article_number
from legalir.references.numbers import Example, Numbers, Tally, Token, clean, order_of, prefixes, tail_of

Span = tuple[int, int]
"""Start and end of a mention in a text."""

_QUOTED = re.compile(r"「[^「」]{1,80}」|『[^『』]{1,80}』|《[^《》]{1,80}》|〈[^〈〉]{1,80}〉")
_BETWEEN = 5
_SHORTEST = 8

_Place = tuple[Span, int]
"""A mention, and the number of the provision that it means."""


class ReferenceContext(NamedTuple):
    """The words around a reference, and numbers of provisions in the order of the corpus.

    Attributes:
        words: the text around it, without any mention of an article and without titles of laws.
        source: the citing provision.
        cited: the provisions that are cited at this place: one, or all of a list such as "sections 3, 5 and 7".
        near: other provisions that are cited in the words around.
    """

    words: str
    source: int
    cited: tuple[int, ...]
    near: tuple[int, ...]


class ReferenceContexts:
    """The references of a collection with the words around them; iterate to get them, then read `report`.

    Args:
        provisions: in the order of the corpus; read twice, so a list or another iterable that can be read again.
        links: source docno, target docno, kind.
        before: characters before a mention that belong to its words.
        after: characters after it.
        most: lists that cite more provisions are skipped and counted, because their words say little about each
            provision.

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
        self._locator = Locator(self._provisions, links)
        self.scanner = self._locator.scanner
        self.report = self._locator.new_report()

    def __iter__(self) -> Iterator[ReferenceContext]:
        """Yield the references in the order of the corpus, with a new `report`."""
        self.report = self._locator.new_report()
        for number, record in enumerate(self._provisions):
            targets = self._locator.targets.get(number)
            if targets is not None:
                yield from self._of(number, record, targets)

    def _of(self, number: int, record: Provision, targets: Sequence[LinkTarget]) -> Iterator[ReferenceContext]:
        text = clean(record.text)
        scanned = self.scanner.scan(text)
        spans = self._locator.locate(record.doc_id, text, scanned, targets, self.report)
        if not spans:
            return
        titles = {title for title in (clean(record.law), *(target.law for target in targets)) if title}
        mentions = [(mention.start, mention.end) for mention in scanned.mentions]
        blank = _without(text, [*mentions, *spans.values()], titles)
        places = sorted((span, target.number) for target, span in spans.items())
        for group in _lists_of(blank, places):
            low = max(0, group[0][0][0] - self.before)
            high = max(end for (_, end), _ in group) + self.after
            words = " ".join(blank[low:high].split())
            cited = dict.fromkeys(target for _, target in group)
            if sum(map(str.isalnum, words)) < _SHORTEST:
                self.report.short += len(cited)
            elif len(cited) > self.most:
                self.report.long += len(cited)
            else:
                around = (target for (start, end), target in places if low <= start and end <= high)
                near = dict.fromkeys(target for target in around if target not in cited)
                yield ReferenceContext(words, number, tuple(cited), tuple(near))


def _without(text: str, spans: Iterable[Span], titles: Iterable[str]) -> str:
    """Return `text` with spaces in place of spans, of titles of laws in their quotes, and of `titles`."""
    taken = [*spans, *(match.span() for match in _QUOTED.finditer(text))]
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


def _lists_of(blank: str, places: Sequence[_Place]) -> Iterator[list[_Place]]:
    """Yield groups of adjacent mentions: at most `_BETWEEN` letters between one and the next (``, 및``, ``or``).

    Args:
        blank: the text without mentions and titles.
        places: of the mentions, in the order of the text.
    """
    group: list[_Place] = []
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


SAMPLE = 5000
"""Citing texts from which the forms of a reference are learnt, evenly spaced over the corpus."""

_NEAR = 100
_EXAMPLES = 3


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
        article = article_number(record.article) or record.article or tail_of(record.doc_id)
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


_RANGE, _RANGES = 24, 0.25
"""Maximum number of characters of the words of a range, and the share of cases that must be right."""

_BEFORE, _AFTER = 12, 4

_PARTS = re.compile(r"(?:\s?\(\w{1,4}\)|[^\W\d_]{1,2}\d{1,3}[^\W\d_]?)*")
"""Paragraphs and items that are part of a reference: ``제3항제1호``, `` (2)(a)``."""


class Mention(NamedTuple):
    """A reference to an article: its start and end in the text, its number, and its place in the skeleton."""

    start: int
    end: int
    number: Token
    place: int


class ScannedText(NamedTuple):
    """The mentions of a text, its skeleton, and its ranges: the position in `mentions` of the first end of each."""

    mentions: list[Mention]
    skeleton: str
    ranges: list[int]


class Scanner:
    """Finder of the references in the texts of one collection.

    Args:
        numbers: reads the numbers.
        examples: a sample of the texts that cite something.
    """

    def __init__(self, numbers: Numbers, examples: Sequence[Example]) -> None:
        self.numbers = numbers.taught(examples)
        texts = [(example, *self._read(example.text)) for example in examples]
        self._contexts = ContextModel(
            (bones, place, "reference" if named else "number")
            for example, tokens, bones, places in texts
            for token, place in zip(tokens, places, strict=True)
            if (named := token.one_of(example.cited)) or example.own not in prefixes(token.key)
        )
        references = [(bones, place) for _, _, bones, places in texts for place in self._references(bones, places)]
        self._left = Edges((bones[max(0, at - _BEFORE) : at][::-1] for bones, at in references), _BEFORE, 0.5, True)
        self._right = Edges((_word_after(bones, at) for bones, at in references), _AFTER, 0.75, False)
        self.connectors = self._count_connectors(examples).confirmed(_RANGES)

    def scan(self, text: str) -> ScannedText:
        """Return the references in a cleaned text."""
        tokens, bones, places = self._read(text)
        chosen = set(self._references(bones, places))
        mentions, ranges, last = [], [], None
        for token, place in zip(tokens, places, strict=True):
            if place not in chosen:
                continue
            if last is not None and bones[last + 1 : place] in self.connectors:
                ranges.append(len(mentions) - 1)
            mentions.append(self._mention(text, token, bones, place))
            last = place
        return ScannedText(mentions, bones, ranges)

    def _mention(self, text: str, token: Token, bones: str, place: int) -> Mention:
        before = bones[max(0, place - _BEFORE - 1) : place]
        start = token.start - _whole_words(before, self._left.reach(before[::-1]))
        end = token.end + self._right.reach(_word_after(bones, place))
        parts = _PARTS.match(text, end)
        return Mention(start, parts.end() if parts else end, token, place)

    def _references(self, bones: str, places: Sequence[int]) -> list[int]:
        return [place for place in places if self._contexts.form(bones, place, "reference") >= 0.5]

    def _read(self, text: str) -> tuple[list[Token], str, list[int]]:
        """Return the numbers, then the skeleton and the place of each number in it."""
        tokens = self.numbers.tokens(text)
        return tokens, *skeleton(text, tokens)

    def _count_connectors(self, examples: Sequence[Example]) -> Tally:
        tally = Tally()
        for example in examples:
            tokens, bones, places = self._read(example.text)
            chosen = set(self._references(bones, places))
            references = [(token, at) for token, at in zip(tokens, places, strict=True) if at in chosen]
            hidden = [order_of(key) for key in example.cited - {token.one_of(example.cited) for token, _ in references}]
            for (first, start), (last, end) in pairwise(references):
                low, high, words = order_of(first.key), order_of(last.key), bones[start + 1 : end]
                if len(words) <= _RANGE and NUMBER not in words and low < high and not _neighbours(low, high):
                    tally.add(words, any(low < key < high for key in hidden), example.text)
        return tally


def _word_after(bones: str, place: int) -> str:
    return bones[place + 1 : place + 1 + _AFTER].partition(" ")[0]


def _whole_words(before: str, reach: int) -> int:
    """Return `reach` without the part of a word that it would cut if a whole word follows: ``der Section``."""
    taken, rest = before[len(before) - reach :], before[: len(before) - reach]
    if taken[:1].isalpha() and rest[-1:].isalpha():
        cut, _, whole = taken.partition(" ")
        if any(map(str.isalpha, whole)):
            return reach - len(cut)
    return reach


def _neighbours(low: tuple[int, ...], high: tuple[int, ...]) -> bool:
    """Return True if there is no article between the two, except sub-articles."""
    return len(low) == len(high) and low[:-1] == high[:-1] and high[-1] - low[-1] == 1


NUMBER = "\0"
"""Stands for each number in a skeleton."""

LENGTHS = (0, 1, 2, 3, 4, 6, 8, 12)
"""Numbers of characters before a number that make its contexts, shortest first."""

WEIGHT = 4.0

NEVER = 0.05
"""A context that is seen often and less probable than this refutes the shorter ones: ``พ.ศ. 2535`` is a year."""


def skeleton(text: str, tokens: Sequence[Token]) -> tuple[str, list[int]]:
    """Return `text` with one sign for each number, and the place of each number in it."""
    pieces, places, end, length = [], [], 0, 0
    for token in tokens:
        piece = text[end : token.start]
        pieces.append(piece)
        length += len(piece)
        places.append(length)
        length += 1
        end = token.end
    pieces.append(text[end:])
    bones = NUMBER.join(pieces)
    lower = bones.lower()
    return (lower if len(lower) == len(bones) else bones), places


class ContextModel:
    """Probability of each outcome in a context: the characters before a number and the one after it.

    How often an outcome was seen in a context is mixed with its probability in the next shorter context, as if that had
    been seen `WEIGHT` times (interpolation with a Dirichlet prior [dirichlet]): a long context decides if it was seen
    often, else the shorter one does.

    Args:
        observations: skeleton, place of a number in it, and the outcome: what the number turned out to be.
    """

    def __init__(self, observations: Iterable[tuple[str, int, str]]) -> None:
        counts: dict[str, Counter[str]] = {}
        overall = Counter[str]()
        for text, place, outcome in observations:
            overall[outcome] += 1
            for length in LENGTHS:
                if length <= place:
                    counts.setdefault(text[place - length : place + 2], Counter())[outcome] += 1
        self._counts = counts
        # Ten times is often enough to trust a context, less in a collection with few references.
        self._enough = min(10, max(2, overall.total() // 100))
        self._prior = {outcome: count / overall.total() for outcome, count in overall.items()}
        self._cache: dict[tuple[str, str], tuple[float, float]] = {}

    def probability(self, text: str, place: int, outcome: str) -> float:
        """Return the probability that the number at `place` of a skeleton is `outcome`."""
        return self._both(text, place, outcome)[0]

    def form(self, text: str, place: int, outcome: str) -> float:
        """Return the highest probability of `outcome` among the contexts that were seen often.

        The longest context is more informative than the form of a reference: laws that are not in the collection are
        cited in the same form, yet seldom linked. The form shows in some shorter context.
        """
        return self._both(text, place, outcome)[1]

    def _both(self, text: str, place: int, outcome: str) -> tuple[float, float]:
        longest, contexts = "", []
        for length in LENGTHS:
            key = text[place - length : place + 2]
            if length > place or key not in self._counts:
                break
            contexts.append(key)
            longest = key
        if (cached := self._cache.get((longest, outcome))) is not None:
            return cached
        value, highest, before = self._prior.get(outcome, 0.0), 0.0, 0
        for key in contexts:
            here = self._counts[key]
            total = here.total()
            if total != before:  # else the longer context saw the same cases as the shorter: no new evidence
                value = (here[outcome] + WEIGHT * value) / (total + WEIGHT)
            before = total
            if total >= self._enough:
                highest = value if here[outcome] < NEVER * total else max(highest, value)
        self._cache[longest, outcome] = value, highest
        return value, highest


class Edges:
    """Characters of a mention on one side of its number: ``제`` before it and ``조`` after it.

    Learnt character by character: the next character belongs to the mention if at least a share of the mentions that
    reach this far have it.

    Args:
        sides: the text on each side of a mention's number, from the number outwards.
        longest: no mention reaches further.
        share: share of the mentions that must agree.
        branches: whether a fifth that is a twentieth of all is enough, too, as for ``section`` and ``sections``.
    """

    def __init__(self, sides: Iterable[str], longest: int, share: float, branches: bool) -> None:
        counts = Counter[str]()
        for side in sides:
            for length in range(min(longest, len(side)) + 1):
                counts[side[:length]] += 1
        self._counts = {side: count for side, count in counts.items() if count > 1}
        self._longest, self._share, self._branches = longest, share, branches
        self._all = counts[""]

    def reach(self, side: str) -> int:
        """Return how many characters of `side` belong to the mention."""
        here = self._all
        longest = min(self._longest, len(side))
        for length in range(1, longest + 1):
            more = self._counts.get(side[:length], 0)
            branch = self._branches and more * 5 >= here and more * 20 >= self._all
            if not more or side[length - 1] == NUMBER or not (branch or more >= here * self._share):
                return length - 1
            here = more
        return longest
