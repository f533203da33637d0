"""Text around each reference, used as training queries.

The mention of each link is found (:mod:`legalir.train.locate`) and taken out of the text, with all other
mentions and the titles of laws; the words before and after remain. Adjacent mentions are one reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from legalir.datasets import Provision
from legalir.references.numbers import clean
from legalir.train.locate import LinkTarget, Locator, Span

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
