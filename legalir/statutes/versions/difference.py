"""What changed in the law between two days: changed, added, repealed and moved provisions, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from legalir.datasets import StatuteDataset
from legalir.datasets.records import Provision
from legalir.errors import DataError, suggestion
from legalir.statutes.versions.timeline import content_of
from legalir.storage.validity import day_of, names_version, provision_key

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
        kind: ``changed``, ``added``, ``repealed`` (or gone), or ``moved`` to another number or law.
        before: in force on the first day; None if it is added.
        after: in force on the second day; None if it is repealed.
        parts: the words of both texts; the title is not in them.
    """

    kind: Literal["changed", "added", "repealed", "moved"]
    before: Provision | None
    after: Provision | None
    parts: list[WordPart]

    @property
    def provision(self) -> Provision:
        """The newer one."""
        newer = self.after or self.before
        assert newer
        return newer

    def to_dict(self) -> dict[str, object]:
        """Return the difference as plain values for JSON."""
        sides = {name: side.doc_id for name, side in (("before", self.before), ("after", self.after)) if side}
        return {
            "kind": self.kind,
            "law": self.provision.law,
            "title": self.provision.title,
            "since": self.after.effective_from if self.after else self.before and self.before.effective_to,
            **sides,
            "parts": [list(part) for part in self.parts],
        }


def differences(dataset: StatuteDataset, start: str, end: str, law: str = "") -> list[Difference]:
    """Return the provisions that differ between two days, in the order of the corpus.

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
    if day_of(end, "the second day") < day_of(start, "the first day"):
        raise DataError(f"The second day, {end}, is before the first, {start}.")
    before: dict[str, Provision] = {}
    after: dict[str, Provision] = {}
    laws: dict[str, None] = {}
    dated = False
    for each in dataset.docs():
        dated |= names_version(each.doc_id)
        laws |= dict.fromkeys(filter(None, (each.law, each.law_id)))
        key = provision_key(each.doc_id)
        if each.text and (not law or law in (each.law, each.law_id)):
            for day, side in ((start, before), (end, after)):
                if each.effective_from <= day and (not each.effective_to or day < each.effective_to):
                    side[key] = each
    if not dated:
        raise DataError(f"{dataset.id} has no versions of provisions: import one with history(path=…).")
    if law and law not in laws:
        raise DataError(f"{dataset.id} has no law {law!r}.{suggestion(law, list(laws))}")
    moved = _moved(dataset, before, after)
    return list(_differences(before, after, moved))


def _differences(
    before: dict[str, Provision], after: dict[str, Provision], moved: dict[str, str]
) -> Iterator[Difference]:
    came_from = {new: old for old, new in moved.items()}
    for key in dict.fromkeys([*before, *after]):
        new = after.get(key)
        old = before.get(key) if key not in moved else None
        if key in came_from:
            old = before[came_from[key]]
            assert new
            yield Difference("moved", old, new, word_parts(old.text, new.text))
        elif old and new:
            if content_of(old.heading, old.text) != content_of(new.heading, new.text):
                yield Difference("changed", old, new, word_parts(old.text, new.text))
        elif new:
            yield Difference("added", None, new, [WordPart("added", new.text)])
        elif old:
            yield Difference("repealed", old, None, [WordPart("removed", old.text)])


def _moved(dataset: StatuteDataset, before: dict[str, Provision], after: dict[str, Provision]) -> dict[str, str]:
    """Return the new keys of provisions whose key is different on the second day, from the origin of the collection."""
    replaced = dataset.replaced
    if not replaced:
        return {}
    versions: dict[str, list[Provision]] = {}
    for each in dataset.docs():
        versions.setdefault(provision_key(each.doc_id), []).append(each)
    moved = {}
    for key, version in before.items():
        at: Provision | None = version
        while at and at.effective_to and after.get(provision_key(at.doc_id)) != at:
            target = replaced.get(at.doc_id, provision_key(at.doc_id))
            at = _from(versions.get(target, []), at.effective_to)
        if at and after.get(target := provision_key(at.doc_id)) == at and target != key:
            moved[key] = target
    return moved


def _from(versions: list[Provision], day: str) -> Provision | None:
    return next((each for each in versions if day and each.effective_from == day), None)


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
