"""The links of a collection as numbers of provisions, with what tells the mention of a target from another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from legalir.datasets import Provision
from legalir.train.numbers import Numbers, clean, tail_of

__all__ = ["Cited", "Linked", "linked_provisions"]


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
