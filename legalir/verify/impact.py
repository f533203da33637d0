"""What a reform touches: the provisions that changed, those that cite them, and the passages of documents that do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, NamedTuple

from legalir.collections import Collection
from legalir.errors import ComponentError, DataError
from legalir.frames.component import check_deadline
from legalir.graph.citation_graph import CitationGraph
from legalir.statutes.versions.difference import Difference, differences, only_between
from legalir.statutes.versions.difference_page import difference_page
from legalir.storage.validity import day_of, provision_key
from legalir.verify.parts import Part, has_parts, is_same
from legalir.verify.verification import Checked, Verification, Verifier

_AROUND = 80
"""Number of characters on each side of a citation that a passage shows."""

_OPEN = ("could not check", "name unclear", "outside this collection")

Concern = Literal["changed", "other part", "part unclear", "names a day", "whole law", "undecided"]
"""What a change means to a citation.

``changed``: it cites a provision that changed, or a paragraph or item of it that did. ``other part``: the provision
changed, but not the paragraph or item that it cites. ``part unclear``: the provision changed, and it cannot be told
whether the paragraph or item did. ``names a day``: the text names the day for which it cites the
provision. ``whole law``: it cites a law of which provisions changed. ``undecided``: what it cites is not known.
"""


_REASONS: dict[Concern, str] = {
    "changed": "",
    "part unclear": "It cannot be told whether the paragraph or item that it cites changed.",
    "other part": "The provision changed, but not the paragraph or item that it cites.",
}
"""Sentences, the concern that counts most first."""


class Citing(NamedTuple):
    """A provision that cites one that changed.

    Attributes:
        docno: of its version.
        title: its title.
        kind: of the link, such as ``cites`` or ``delegates``.
        in_force: whether this version is in force on the second day: if the cited one is not, it cites into the void.
        concern: ``changed``, ``other part`` or ``part unclear``.
    """

    docno: str
    title: str
    kind: str
    in_force: bool
    concern: Concern = "changed"


class Passage(NamedTuple):
    """A citation in a document that a change may touch.

    Attributes:
        line: from 1.
        column: from 1.
        words: of the citation.
        near: the words around it.
        concern: see `Concern`.
        state: of the citation on the second day, or on the day that the text names, as verification has it.
        reason: one sentence; may be empty.
        day: that day; empty if the text names several.
        docnos: of the provisions, as they are cited.
        changes: places of the changes in :attr:`Impact.changes`.
    """

    line: int
    column: int
    words: str
    near: str
    concern: Concern
    state: str
    reason: str
    day: str
    docnos: tuple[str, ...]
    changes: tuple[int, ...]


@dataclass(frozen=True)
class Impact:
    """What changed between two days, and what it touches; made by :func:`impact_of`.

    Attributes:
        collection: id of the collection.
        start: the first day, ISO date.
        end: the second day.
        lang: language of the provisions.
        changes: the provisions that differ.
        citing: the provisions that cite each of `changes` directly: on the second day, and one that is gone or has
            moved, also on the first.
        between: docnos of versions that were in force only in between.
        new_laws: laws without a provision in force on the first day: they are new, or the collection begins later.
        documents: passages of each document, by its name, in the order of its text.
        citations: number of citations of each document.
    """

    collection: str
    start: str
    end: str
    lang: str
    changes: tuple[Difference, ...]
    citing: tuple[tuple[Citing, ...], ...]
    between: tuple[str, ...]
    new_laws: tuple[str, ...]
    documents: dict[str, tuple[Passage, ...]]
    citations: dict[str, int]

    def count(self, *concerns: Concern) -> int:
        """Return the number of passages with one of these concerns."""
        return sum(one.concern in concerns for passages in self.documents.values() for one in passages)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "collection": self.collection,
            "from": self.start,
            "to": self.end,
            "counts": dict(Counter(change.kind for change in self.changes)),
            "changes": [
                {**change.to_dict(), "cited_by": [one._asdict() for one in citing]}
                for change, citing in zip(self.changes, self.citing, strict=True)
            ],
            "only_between": list(self.between),
            "new_laws": list(self.new_laws),
            "documents": [
                {"document": name, "citations": self.citations[name], "passages": [one._asdict() for one in passages]}
                for name, passages in self.documents.items()
            ],
        }


def impact_of(
    collection: Collection,
    verifier: Verifier,
    start: str,
    end: str,
    documents: Mapping[str, str] | None = None,
    law: str = "",
) -> Impact:
    """Return what changed between two days, and what it touches.

    Args:
        collection: the law, in versions.
        verifier: reads citations against it.
        start: ISO date.
        end: ISO date, not before `start`.
        documents: texts by name.
        law: name or identifier of the law whose changes are meant; empty for all.

    Raises:
        ComponentError: a day is not one, `end` is before `start`, the collection has no versions, or no such law.
        DataError: there is no grammar of references in the language of a document, nor in that of the collection.
    """
    source = collection.source
    try:
        changes = differences(source, start, end, law)
    except DataError as error:
        raise ComponentError(f"impact: {error}") from None
    kept = {provision_key(side.doc_id) for change in changes for side in change.sides}
    between = [docno for docno in only_between(source, start, end) if provision_key(docno) not in kept]
    if law:
        between = [each.doc_id for each in collection.provisions(between).values() if law in (each.law, each.law_id)]
    store = source.store
    assert store.validity is not None
    known = {*store.column("law")[store.validity.on(day_of(start, "the first day"))].tolist()}
    added = (change.provision.law for change in changes if change.kind == "added")
    passages, citations = dict[str, tuple[Passage, ...]](), dict[str, int]()
    for name, text in (documents or {}).items():
        before, after = (verifier.verify(text, as_of=day) for day in (start, end))
        passages[name], citations[name] = (
            tuple(_passages(before, after, changes, collection.language)),
            len(after.citations),
        )
    return Impact(
        collection.id,
        start,
        end,
        collection.language,
        tuple(changes),
        tuple(_citing(collection, verifier, changes, start, end)),
        tuple(between),
        tuple(law for law in dict.fromkeys(added) if law and law not in known),
        passages,
        citations,
    )


def _citing(
    collection: Collection, verifier: Verifier, changes: Sequence[Difference], start: str, end: str
) -> Iterator[tuple[Citing, ...]]:
    """Yield the provisions that cite each difference."""
    graph = CitationGraph.of(collection)
    first, last = (day_of(day, "day") for day in (start, end))
    valid = set(graph.docnos[graph.validity.on(last)]) if graph.validity else {*graph.docnos}
    for change in changes:
        check_deadline()
        kinds: dict[str, str] = {}
        gone = change.kind in ("repealed", "moved")
        for side, day in ((change.after, last), (change.before if gone else None, first)):
            if side is not None:
                kinds = dict(graph.at(day).citing(side.doc_id)) | kinds
        titles = collection.provisions(kinds)
        yield tuple(
            Citing(
                docno, titles[docno].title, kind, docno in valid,
                _concern(change, verifier.parts_cited(docno, change.provision.doc_id), collection.language),
            )
            for docno, kind in kinds.items()
        )  # fmt: skip


def _concern(change: Difference, parts: Sequence[Part] | None, lang: str) -> Concern:
    """Return what a change means to who cites some parts of the provision, ``()`` for all of it; None if unknown."""
    if change.kind not in ("changed", "heading") or change.before is None or change.after is None:
        return "changed"
    own = change.provision.article.count("(") + change.provision.article.count("（")
    before, after = change.before.text, change.after.text
    if not has_parts(before) and not has_parts(after):
        return "changed"
    if parts is None:
        return "part unclear"
    same = [is_same(before, after, part, lang) if any(part) and not own else False for part in parts]
    return "changed" if False in same else "part unclear" if None in same else "other part"


def _passages(before: Verification, after: Verification, changes: Sequence[Difference], lang: str) -> Iterator[Passage]:
    """Yield the citations of a text that changes may touch, read as of both days."""
    sides: dict[str, int] = {}
    keys: dict[str, list[int]] = {}
    laws: dict[str, list[int]] = {}
    for place, change in enumerate(changes):
        for side in change.sides:
            sides[side.doc_id] = place
            keys.setdefault(provision_key(side.doc_id), []).append(place)
            laws.setdefault(side.law, []).append(place)
    rows = after.to_dict()["citations"]
    for row, old, new in zip(rows, before.citations, after.citations, strict=True):
        named = old.day == new.day
        docnos = tuple(dict.fromkeys((*old.docnos, *new.docnos)))
        known = ((sides[each],) for each in docnos if each in sides)
        touched = (keys.get(provision_key(each), ()) for each in docnos) if named else known
        places = tuple(sorted({place for each in touched for place in each}))
        concern: Concern = "names a day" if named else "changed"
        reason = new.reason or old.reason
        if not docnos and new.law in laws and new.state == "right" and not new.reason:
            places = tuple(dict.fromkeys(laws[new.law]))
            concern, reason = "whole law", f"It names no article; {len(places)} provisions of the law differ."
        elif not places and not docnos and new.state in _OPEN and old.state in _OPEN:
            concern = "undecided"
        elif not places:
            continue
        if concern == "changed" and old.state == new.state:
            concerns = {_concern(changes[place], [new.part], lang) for place in places}
            concern = next(one for one in _REASONS if one in concerns)
            reason = f"{_REASONS[concern]} {reason}".strip()
        yield Passage(
            row["line"], row["column"], new.words, _near(after.text, new), concern, new.state, reason, new.day, docnos,
            places,
        )  # fmt: skip


def _near(text: str, one: Checked) -> str:
    first, last = max(0, one.start - _AROUND), one.end + _AROUND
    words = " ".join(text[first:last].split())
    return f"{'…' if first else ''}{words}{'…' if last < len(text) else ''}"


def asides(impact: Impact) -> Iterator[str]:
    """Yield sentences on what the differences do not show by themselves."""
    if impact.new_laws:
        yield f"New, or without versions on {impact.start}: {', '.join(impact.new_laws)}."
    if impact.between:
        yield f"In force only in between: {', '.join(impact.between)}."


def told(impact: Impact) -> str:
    """Return a sentence on the citations of the documents; empty if there are no documents."""
    if not impact.documents:
        return ""
    total = sum(impact.citations.values())
    counts = Counter(one.concern for passages in impact.documents.values() for one in passages)
    more = "".join(f"; {number} {concern}" for concern, number in sorted(counts.items()) if concern != "changed")
    without = ", ".join(name for name, number in impact.citations.items() if not number)
    if not total:
        return f"No citation was found in {without}."
    more += f"; no citation was found in {without}" if without else ""
    return f"{counts['changed']} of {total} {'citation' if total == 1 else 'citations'} cite what changed{more}."


def impact_page(name: str, impact: Impact) -> str:
    """Return the page, HTML: the passages of the documents, then each difference with the provisions that cite it.

    Args:
        name: of the collection.
        impact: what is shown.
    """
    rest = [f'<p class="facts">{escape(told(impact))}</p>'] if impact.documents else []
    for document, passages in impact.documents.items():
        items = "".join(_item(one, impact) for one in passages) or "<li>Nothing that changed is cited.</li>"
        rest.append(f"<h2>{escape(document)}</h2>\n<ul>{items}</ul>")
    rest += [f'<p class="facts">{escape(sentence)}</p>' for sentence in asides(impact)]
    beneath = []
    for citing in impact.citing:
        items = "".join(
            f"<li>{escape(one.title or one.docno)} <span class=days>{escape(one.docno)} · {escape(one.kind)}"
            f"{'' if one.in_force else ' · no longer in force'}"
            f"{'' if one.concern == 'changed' else f' · {one.concern}'}</span></li>"
            for one in citing
        )
        beneath.append(f"<h4>Cited by</h4><ul>{items}</ul>" if items else "")
    return difference_page(name, impact.start, impact.end, impact.changes, impact.lang, beneath, "\n".join(rest))


def _item(one: Passage, impact: Impact) -> str:
    shown = one.changes if one.concern not in ("whole law", "undecided") else ()
    named = [(place + 1, impact.changes[place]) for place in shown]
    links = "".join(f' <a href="#c{to}">{each.kind}: {escape(each.provision.title)}</a>' for to, each in named)
    state = "" if one.state == "right" else f" {escape(one.state)}."
    before, words, behind = one.near.partition(one.words)
    near = f"{escape(before)}<b>{escape(words)}</b>{escape(behind)}"
    day = f" As of {one.day}." if one.concern == "names a day" else ""
    facts = f"{one.line}:{one.column} · {one.concern}.{state}{day} {escape(one.reason)}"
    return f'<li>{near} <span class="days">{facts}</span>{links}</li>'
