"""What changed in the law between two days: changed, added, repealed and moved provisions, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.datasets import StatuteDataset
from legalir.datasets.records import Provision
from legalir.errors import DataError, suggestion
from legalir.statutes.versions.timeline import content_of
from legalir.storage.validity import Validity, day_of, iso_date, provision_key

_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"\d+|\s+|[{_ALONE}][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*|(?:(?![{_ALONE}])[^\W\d_])+|.", re.DOTALL)


class WordPart(NamedTuple):
    """Words of two texts.

    Attributes:
        kind: ``same``, ``removed`` or ``added``.
        text: the words.
    """

    kind: Literal["same", "removed", "added"]
    text: str


class Difference(NamedTuple):
    """A provision that is not the same on two days.

    Attributes:
        kind: ``changed``, ``heading`` (only its heading changed), ``added``, ``repealed`` (or gone), or ``moved`` to
            another number or law.
        before: in force on the first day; None if it is added.
        after: in force on the second day; None if it is repealed.
        parts: the words of both texts, or of both headings for ``heading``; the title is not in them.
        since: ISO date from which this is so.
    """

    kind: Literal["changed", "heading", "added", "repealed", "moved"]
    before: Provision | None
    after: Provision | None
    parts: list[WordPart]
    since: str = ""

    @property
    def provision(self) -> Provision:
        """The newer one."""
        newer = self.after or self.before
        assert newer
        return newer

    @property
    def sides(self) -> list[Provision]:
        """The provision on the first day and on the second, where it is in force."""
        return [side for side in (self.before, self.after) if side]

    def to_dict(self) -> dict[str, object]:
        """Return the difference as plain values for JSON."""
        return {
            "kind": self.kind,
            "law": self.provision.law,
            "title": self.provision.title,
            "since": self.since,
            **{name: side.doc_id for name, side in (("before", self.before), ("after", self.after)) if side},
            "parts": [list(part) for part in self.parts],
        }


def differences(dataset: StatuteDataset, start: str, end: str, law: str = "") -> list[Difference]:
    """Return the provisions that differ between two days, in the order of the corpus; those of the first day first.

    A provision is changed if its content is another; marks of amendment, spaces and dots do not count.

    Args:
        dataset: a dated collection.
        start: ISO date.
        end: ISO date, not before `start`.
        law: name or identifier of a law; empty for all.

    Raises:
        ComponentError: a date is not one.
        DataError: the collection has no versions, or no such law; or `end` is before `start`.
    """
    validity, first, last = _days(dataset, start, end)
    docnos, on = dataset.store.docnos.array, (validity.on(first), validity.on(last))
    other = on[0] != on[1]  # A version that is in force on both days is no difference.
    read = {
        docno: each
        for docno, each in dataset.provisions(docnos[other].tolist()).items()
        if not law or law in (each.law, each.law_id)
    }
    before, after = (
        {provision_key(docno): read[docno] for docno in docnos[side & other].tolist() if docno in read} for side in on
    )
    if law and not before and not after:
        laws = {name: None for each in dataset.docs() for name in (each.law, each.law_id) if name}
        if law not in laws:
            raise DataError(f"{dataset.id} has no law {law!r}.{suggestion(law, list(laws))}")
    versions: dict[str, list[int]] = {}
    for place, docno in enumerate(docnos.tolist()):
        versions.setdefault(provision_key(docno), []).append(place)
    moved = _moved(dataset.replaced, before, versions, docnos, validity, last)
    return list(_differences(before, after, moved, versions, validity, (first, last)))


def only_between(dataset: StatuteDataset, start: str, end: str) -> list[str]:
    """Return the docnos of versions that came into force after the first day, and were gone on the second.

    Arguments and errors as :func:`differences`.
    """
    validity, first, last = _days(dataset, start, end)
    passing = (validity.begin > first) & (validity.end <= last) & (validity.begin < validity.end)
    return [str(docno) for docno in dataset.store.docnos.array[passing]]


def _days(dataset: StatuteDataset, start: str, end: str) -> tuple[Validity, int, int]:
    first, last = day_of(start, "the first day"), day_of(end, "the second day")
    if last < first:
        raise DataError(f"The second day, {end}, is before the first, {start}.")
    validity = dataset.store.validity
    if validity is None:
        raise DataError(f"{dataset.id} has no versions of provisions: import one with history(path=…).")
    if validity.first is not None and last < validity.first:
        begins = iso_date(validity.first)
        raise DataError(f"{dataset.id} begins on {begins}, after the second day, {end}: choose a later day.")
    return validity, first, last


def _differences(
    before: Mapping[str, Provision],
    after: Mapping[str, Provision],
    moved: Mapping[str, str],
    versions: Mapping[str, Sequence[int]],
    validity: Validity,
    days: tuple[int, int],
) -> Iterator[Difference]:
    came_from = {new: old for old, new in moved.items()}
    for key in dict.fromkeys([*before, *after]):
        new, old = after.get(key), None if key in moved else before.get(key)
        valid = [(validity.begin[each], validity.end[each]) for each in versions[key]]
        ends = [int(end) for begin, end in valid if begin < end <= days[1]]
        begins = [int(begin) for begin, end in valid if begin < end and begin <= days[1]]
        if new and not old:
            begins = [min(begin for begin in begins if begin > days[0])] if key not in came_from else begins
        since = iso_date(max(begins if new else ends, default=0))
        if key in came_from:
            old = before[came_from[key]]
            assert new
            yield Difference("moved", old, new, word_parts(old.text, new.text), since)
        elif old and new:
            if content_of("", old.text) != content_of("", new.text):
                yield Difference("changed", old, new, word_parts(old.text, new.text), since)
            elif content_of(old.heading, "") != content_of(new.heading, ""):
                yield Difference("heading", old, new, word_parts(old.heading, new.heading), since)
        elif new:
            yield Difference("added", None, new, [WordPart("added", new.text)], since)
        elif old:
            yield Difference("repealed", old, None, [WordPart("removed", old.text)], since)


def _moved(
    replaced: Mapping[str, str],
    before: Mapping[str, Provision],
    versions: Mapping[str, Sequence[int]],
    docnos: npt.NDArray[np.object_],
    validity: Validity,
    last: int,
) -> dict[str, str]:
    """Return the new keys of provisions whose key is different on the second day, from the origin of the collection."""
    moved = {}
    begin, end, number = validity.begin, validity.end, {docno: place for place, docno in enumerate(docnos.tolist())}
    for key, version in before.items() if replaced else ():
        at = [number[version.doc_id]]
        while at and not begin[at[0]] <= last < end[at[0]]:
            docno, day = str(docnos[at[0]]), end[at[0]]
            following = versions.get(replaced.get(docno, provision_key(docno)), ())
            at = [place for place in following if begin[place] <= day < end[place]]
        if at and (target := provision_key(str(docnos[at[0]]))) != key:
            moved[key] = target
    return moved


def word_parts(before: str, after: str) -> list[WordPart]:
    """Return the words of two texts: common, removed and added words.

    Words are runs of letters, and runs of digits; in scripts without spaces each character is one. White space between
    two changes belongs to them.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    parts: list[WordPart] = []
    removed, added = "", ""
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            removed, added = removed + "".join(old[first:last]), added + "".join(new[start:end])
            continue
        same = "".join(old[first:last])
        if same == " " and removed and added:
            removed, added = removed + same, added + same
            continue
        parts += _changed(removed, added)
        parts.append(WordPart("same", same))
        removed, added = "", ""
    return parts + _changed(removed, added)


def _changed(removed: str, added: str) -> list[WordPart]:
    parts = [WordPart("removed", removed)] if removed else []
    return [*parts, WordPart("added", added)] if added else parts
