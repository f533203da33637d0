"""Versions of provisions in time, from the files of one law in the order in which they were made.

Each file shows a law as one act left it. A *change* is a difference of content between two neighbouring files, and it
takes effect on the day that the later file names. Where files accumulate in the order of promulgation (Korea), a file
may show changes of an earlier act that are not in force yet. So the text in force on a day is made of the changes that
are in force on that day, and of no others:

- If no change that a file shows is pending, its text is taken as it is.
- If some are, the changes in force are applied to the text without the pending ones, word by word. Such a text stands
  in no file; the version says so. Words that both touch keep the older form: an amendment of words that are not in
  force takes effect with them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import NamedTuple

from legalir.errors import DataError
from legalir.statutes.law import NOT_YET

_MARK = re.compile(
    r"[<＜〈\[〔][^<>＜＞〈〉\[\]〔〕]*?(?:\d{4}\s*\.\s*\d{1,2}\s*\.\s*\d{1,2}|본조|전문)[^<>＜＞〈〉\[\]〔〕]*[>＞〉\]〕]"
)
_TOKEN = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]|[^\w\s]")
_DOTS = re.compile("[\u318d\u119e\u00b7\u30fb\u2022\u2027]")
_WORDS = re.compile(r"\s+|\d+|[^\W\d_]+|.", re.DOTALL)


class VersionReading(NamedTuple):
    """A provision as one file has it.

    Attributes:
        fields: of the provision; its docno is its key.
        content: what is compared, by :func:`content_of`.
        since: day on which the wording begins, if the file dates the provision itself; otherwise empty.
        until: day on which it ends, if the file says so.
    """

    fields: Mapping[str, str]
    content: str
    since: str = ""
    until: str = ""


@dataclass
class Edition:
    """A law as one file has it.

    Attributes:
        file: its path, for messages.
        effective: ISO date from which the file applies.
        readings: the provisions by key.
        promulgated: ISO date of the act that made it; empty if not known.
        number: of that act.
        published: ISO date of the copy; empty if not known.
    """

    file: str
    effective: str
    readings: dict[str, VersionReading]
    promulgated: str = ""
    number: str = ""
    published: str = ""


class Version(NamedTuple):
    """A provision in the time in which one wording of it applies.

    Attributes:
        key: docno without a date.
        since: ISO date of the first day.
        until: ISO date of the day after the last; empty if it applies until further notice.
        fields: of the provision; an empty text is a repeal.
        content: what makes the wording, by :func:`content_of`.
        file: the newest file with this wording.
        first: the file that shows this wording first.
        pending: days of the changes that the file shows and this text does not.
        conflict: whether a change in force touched words of a pending one.
    """

    key: str
    since: str
    until: str
    fields: Mapping[str, str]
    content: str
    file: str
    first: str
    pending: tuple[str, ...] = ()
    conflict: bool = False

    @property
    def docno(self) -> str:
        """The name of the version, ``key@2021-03-01``."""
        return f"{self.key}@{self.since}"


class _Change(NamedTuple):
    """A difference of content between two files; `reading` is None if the provision is gone."""

    day: str
    reading: VersionReading | None
    file: str
    first: str


def content_of(heading: str, text: str) -> str:
    """Return what makes a wording: letters, digits and signs of value, without marks of amendment, spaces and dots.

    ``·`` and ``ㆍ``, single and double brackets, spaces, ``<개정 2011. 5. 30.>`` are ways of writing, not law. Numbers
    stay apart (``5-10`` is not ``510``), and signs such as ``%``, ``≥`` or ``℃`` count.
    """
    text = _DOTS.sub(" ", unicodedata.normalize("NFKC", _MARK.sub(" ", f"{heading}\n{text}")))
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    return "".join(
        f" {token} " if token[0].isdigit() else token
        for token in _TOKEN.findall(text)
        if token[0].isalnum() or token in "%‰" or (unicodedata.category(token)[0] == "S" and token not in "<>~^`|")
    )


def versions(editions: Iterable[Edition], *, accumulate: bool = False) -> list[Version]:
    """Return the versions of all provisions of one law: in the order of the newest file that has them, then by day.

    Args:
        editions: the files of one law, in any order.
        accumulate: whether each file shows all acts promulgated before; otherwise all changes in force on its day.

    Raises:
        DataError: a file has no date.
    """
    files = _in_order(editions, accumulate)
    changes = _changes(files, accumulate)
    order = {key: place for edition in files for place, key in enumerate(edition.readings)}
    keys = sorted((key for key, known in changes.items() if known), key=lambda key: order[key])
    return [version for key in keys for version in _versions(key, changes[key])]


def successors(versions: Iterable[Version]) -> dict[str, str]:
    """Return what replaced a provision that was renumbered, or moved to another law: docno of its version to a key.

    A wording that ends under one key continues under another if that begins on the same day with the same content; or
    with the same heading and mostly the same words, because the references in it were renumbered, too.
    """
    ends: dict[str, list[Version]] = {}
    begins: dict[str, list[Version]] = {}
    runs: dict[str, list[Version]] = {}
    for version in versions:
        runs.setdefault(version.key, []).append(version)
    for run in runs.values():
        for before, after in zip([None, *run], [*run, None], strict=True):
            if before and after and before.until == after.since and _same_heading(before, after):
                continue
            if before and before.until and before.fields["text"]:
                ends.setdefault(before.until, []).append(before)
            if after and after.fields["text"]:
                begins.setdefault(after.since, []).append(after)
    found = {}
    for day, ended in ends.items():
        for old in ended:
            same = [new for new in begins.get(day, ()) if new.key != old.key and _alike(old, new)]
            if same:
                found[old.docno] = max(same, key=lambda new: (new.content == old.content, _ratio(old, new))).key
    return found


def _alike(one: Version, other: Version) -> bool:
    if one.content == other.content:
        return len(one.content) > 20  # A shorter one is no provision but a word, such as "omitted".
    return _same_heading(one, other) and _ratio(one, other) >= 0.6


def _same_heading(one: Version, other: Version) -> bool:
    heading = one.fields.get("heading")
    return bool(heading) and heading == other.fields.get("heading")


def _ratio(one: Version, other: Version) -> float:
    before, after = (_WORDS.findall(version.fields["text"]) for version in (one, other))
    return SequenceMatcher(None, before, after, autojunk=False).ratio()


def _in_order(editions: Iterable[Edition], accumulate: bool) -> list[Edition]:
    def place(edition: Edition) -> tuple[str | int, ...]:
        act = (edition.promulgated, int(re.sub(r"\D", "", edition.number) or 0))
        when = act if accumulate and edition.promulgated else (edition.effective, *act)
        return (*when, edition.published, edition.file)

    files = sorted(editions, key=place)
    # A file that says no other date than the one before it dates its changes by the day of its copy.
    return [
        replace(file, effective=file.published)
        if before and file.published > file.effective and _facts(file) == _facts(before)
        else file
        for before, file in zip([None, *files], files, strict=False)
    ]


def _facts(edition: Edition) -> tuple[str, ...]:
    return edition.effective, edition.promulgated, edition.number


def _changes(editions: list[Edition], accumulate: bool) -> dict[str, list[_Change]]:
    changes: dict[str, list[_Change]] = {}
    for edition in editions:
        if not edition.effective:
            raise DataError(f"{edition.file}: no date from which it applies, in the file or in its name (2021-03-01).")
        for key, reading in edition.readings.items():
            known = changes.setdefault(key, [])
            waiting = _take_waiting(known)
            last = known[-1] if known else None
            if last and last.reading and last.reading.content == reading.content:
                known[-1] = last._replace(reading=reading, file=edition.file)  # The same law in a newer spelling.
                continue
            own = bool(reading.since) and (accumulate or last is None or reading.since > last.day)
            same = waiting and waiting.reading and waiting.reading.content == reading.content
            first = waiting.first if waiting and same else edition.file
            known.append(_Change(reading.since if own else edition.effective, reading, edition.file, first))
        for key, known in changes.items():
            if key not in edition.readings:
                _take_waiting(known)
                if known and known[-1].reading:
                    known.append(_Change(edition.effective, None, edition.file, edition.file))
    return changes


def _take_waiting(changes: list[_Change]) -> _Change | None:
    """Remove the last change if its day is unknown: a newer file dates it, or has dropped it."""
    return changes.pop() if changes and changes[-1].day == NOT_YET else None


def _versions(key: str, changes: list[_Change]) -> list[Version]:
    days = sorted({change.day for change in changes})
    out: list[Version] = []
    content: str | None = None
    for day, after in zip(days, [*days[1:], ""], strict=True):
        reading, shown, pending, conflict = _text_on(day, changes)
        if reading is None:
            content = None
            continue
        until = min(filter(None, (reading.until if reading.until > day else "", after)), default="")
        if content == reading.content:
            out[-1] = out[-1]._replace(until=until)
        else:
            out.append(
                Version(key, day, until, reading.fields, reading.content, shown.file, shown.first, pending, conflict)
            )
        content = reading.content
    return out


def _text_on(day: str, changes: list[_Change]) -> tuple[VersionReading | None, _Change, tuple[str, ...], bool]:
    """Return the text made of the changes in force on a day, the last of these, those pending before it, a conflict."""
    text = base = None
    conflict, shown = False, 0
    for place, change in enumerate(changes):
        if change.day <= day:
            if _same(text, base):
                text = change.reading
            else:
                text, touched = _merge(base, text, change.reading)
                conflict |= touched
            shown = place
        base = change.reading
    return text, changes[shown], tuple(each.day for each in changes[:shown] if each.day > day), conflict


def _same(one: VersionReading | None, other: VersionReading | None) -> bool:
    return (one and one.content) == (other and other.content)


def _merge(
    base: VersionReading | None, ours: VersionReading | None, theirs: VersionReading | None
) -> tuple[VersionReading | None, bool]:
    """Apply the change from `base` to `theirs` to `ours`, where `base` has pending changes that `ours` has not."""
    if theirs is None or base is None or ours is None:
        # Gone for good; or a change of a provision that is not there yet.
        return (None, False) if theirs is None or ours is None else (theirs, False)
    texts = [reading.fields["text"] for reading in (base, ours, theirs)]
    text, _ = merged(*texts)
    _, conflict = merged(*(_MARK.sub("", each) for each in texts))
    source = theirs if base.fields.get("heading") != theirs.fields.get("heading") else ours
    fields = {**source.fields, "text": text}
    return VersionReading(fields, content_of(fields.get("heading", ""), text)), conflict


def merged(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    """Return `ours` with the words that changed from `base` to `theirs`, and whether both changed the same words.

    Where both did, the words of `ours` stay.
    """
    words, own, other = (_WORDS.findall(text) for text in (base, ours, theirs))
    mine, yours = _edits(words, own), _edits(words, other)
    kept = [edit for edit in yours if not any(_touch(edit, each) for each in mine)]
    out, place = [], 0
    for start, end, new in sorted([*mine, *kept], key=lambda edit: edit[:2]):
        out += words[place:start] + new
        place = max(place, end)
    return "".join(out + words[place:]), len(kept) < len(yours)


def _edits(base: list[str], other: list[str]) -> list[tuple[int, int, list[str]]]:
    codes = SequenceMatcher(None, base, other, autojunk=False).get_opcodes()
    return [(first, last, other[start:end]) for tag, first, last, start, end in codes if tag != "equal"]


def _touch(one: tuple[int, int, list[str]], other: tuple[int, int, list[str]]) -> bool:
    return one[:2] == other[:2] or (one[0] < other[1] and other[0] < one[1])
