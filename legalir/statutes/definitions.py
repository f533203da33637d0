"""Terms that laws define: their meaning, the place of the definition, and its scope.

"In this Part, “passage” means …" is a definition whose scope is a part. The words of each language are data,
``definitions.yaml``. Names for a longer phrase ('hereinafter "the Authority"') are not definitions; short
names of laws are learnt by :mod:`legalir.references.read`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from legalir.config import AnyText, Choice, Schema, Text, read_yaml
from legalir.datasets.folder import DEFINITIONS
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.storage.validity import provision_key

Scope = Kind | str
"""Scope of a meaning: a kind of unit, or ``cited``: only if a provision uses the words that the text cites."""

_BETWEEN = " › "
_QUOTED = (
    r"(?:“[^“”\n]{1,120}”|\"[^\"\n]{1,120}\"|‘(?:[^‘’\n]|’(?=\w)){1,120}’|「[^「」\n]{1,80}」|『[^『』\n]{1,80}』"
    r"|«[^«»\n]{1,120}»|„[^„“”\n]{1,120}[“”])"
)
_QUOTE = re.compile(_QUOTED)
_QUOTE_SIGNS = '“”"‘’「」『』«»„ \u00a0'
_MARK = re.compile(
    r"(?P<open>[(（])?(?:(?P<circle>[①-⑳㉑-㉟㊱-㊿])|(?P<digit>\d{1,3}(?:\.\d{1,3})*(?:의\d+|の\d+|[a-z]{1,2})?)"
    r"|(?P<roman>[ivx]{1,5}(?=[.)\s]))|(?P<lower>[a-z]{1,2})|(?P<upper>[A-Z]{1,2})|(?P<hangul>[가-하])"
    r"|(?P<han>[〇一二三四五六七八九十百]{1,5})|(?P<kana>[ア-ン]))(?P<close>[.)）:．、°]{0,2})[\s　]+"
)
_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_LONG = 9
"""Minimum length of brackets that are not a number, such as ``(5)``; their content is about something else."""
_SIGN = re.compile(
    r"(?P<open>[(（「『“«\[])|(?P<close>[)）」』”»\]])|。"
    r"|(?<![A-Z.\u0e00-\u0e7f])(?<!No)(?<!Art)(?<!Abs)\."
    r"(?=\s+(?![JFMASOND][a-zä]{2,8} [12]\d{3})[^\W\da-z_]|\s+[“\"‘„«]|\s*\Z)"
)
"""Brackets, and where a sentence ends: neither after "U.S." nor within "31. Dezember 1937"."""
_NOTE = re.compile(r"\s*(?:[<＜〈\[][^<>＜＞〈〉\[\]]*[>＞〉\]]\s*)*\Z")
_CLOSED = (".", ";", "。", "；")
_TAIL = re.compile(r"(?:[;；]\s*(?:and|or|et|ou|und|e)?|,)?\s*\Z")
_LIST_END = re.compile(r"(?<!\betc)(?<!\b\w)[.。]\Z")
"""Full stop that ends a list, not an abbreviation ("etc.", "U.S.")."""
_INSERTED = re.compile(r"[“‘\"]\s*[(\d§]")
_CLOSING = re.compile(r"”[\s.;,]*\Z")
_Q = re.compile(r"(?<![\w\\])Q(?!\w)")
_MARKS = ("circle", "digit", "roman", "lower", "upper", "hangul", "han", "kana")


class DefinedTerm(NamedTuple):
    """A term that a provision defines: a line of ``definitions.jsonl``.

    Attributes:
        term: without quotation marks.
        docno: of the provision that defines it.
        start: where the definition begins in the text of the provision, with its first term.
        end: where it ends.
        meaning: the words that define the term, with the items that belong to them.
        scope: where the meaning holds, as a kind of unit (:data:`legalir.statutes.law.Kind`): ``law``, ``group`` (part,
            chapter, …), ``annex``, ``supplement``, ``article``, ``paragraph``; or ``cited``, where only the provisions
            that the text cites use the term.
        within: the unit that this is: identifier of the law, and for a group its path (``law › PART 2 Fire``); the
            docno of an article, annex or supplement without the day of a version, with ``/2`` for paragraph 2; empty
            for ``cited``, and for a part that the path of the provision does not show.
        stated: the words that state the scope, ``this Part``; empty where the text does not: the law is meant.
    """

    term: str
    docno: str
    start: int
    end: int
    meaning: str
    scope: Scope
    within: str
    stated: str

    def holds_in(self, provision: Mapping[str, Any]) -> bool:
        """Return True if the meaning applies in a provision with ``docno``, ``law_id`` or ``law``, and ``path``."""
        place = _place(provision)
        if not self.within:
            return False
        if self.scope in ("law", "group"):
            return place == self.within or place.startswith(self.within + _BETWEEN)
        key = provision_key(provision["docno"])
        return key == self.within or key.startswith(f"{self.within}/")


class Phrases(Schema):
    """How a language defines terms: a section of ``definitions.yaml``, which explains each key."""

    KIND = "a section of definitions.yaml"

    cue: tuple[AnyText, ...]
    """Words, at least one of which is in every text with a definition."""

    terms: tuple[Text, ...]
    """A term and the words that define it."""

    begins: tuple[Text, ...] = ()
    """The same at the beginning of a line, after its number."""

    lists: tuple[Text, ...] = ()
    """A line that is followed by entries."""

    entries: tuple[AnyText, ...] = ()
    """How a line begins that defines a term below such a line."""

    needs: AnyText = ""
    """Pattern that the meaning must contain."""

    opens: AnyText = r"(?!)"
    """End of a line whose items belong to the meaning."""

    continues: AnyText = r"(?!)"
    """How a sentence begins that belongs to the sentence before."""

    scopes: Mapping[Choice[str], tuple[Text, ...]] = {}
    """Words for the scope of a meaning."""

    @cached_property
    def patterns(self) -> Mapping[str, tuple[re.Pattern[str], ...]]:
        """Compiled expressions of each key; expressions of a scope are under its kind."""
        lists = {
            "terms": self.terms,
            "begins": self.begins,
            "lists": self.lists,
            "entries": self.entries,
            **self.scopes,
        }
        single = {name: (getattr(self, name),) for name in ("needs", "opens", "continues")}
        return {name: tuple(map(_compiled, forms)) for name, forms in (single | lists).items()}

    def has(self, key: str, text: str) -> bool:
        """Return True if an expression of a key occurs in a text."""
        return any(form.search(text) for form in self.patterns[key])


def read_definitions(folder: Path) -> Iterator[DefinedTerm]:
    """Yield the lines of the ``definitions.jsonl`` of a folder, none if it has no such file.

    Raises:
        DataError: a line is not a definition.
    """
    path = folder / DEFINITIONS
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield DefinedTerm(**json.loads(line))
                except (ValueError, TypeError):
                    raise DataError(f"{path}, line {number}: not a definition; import the collection again.") from None


def definitions(provision: Mapping[str, Any], lang: str | None = None) -> list[DefinedTerm]:
    """Return the terms that a provision defines, in the order of its text.

    Args:
        provision: with ``docno`` and ``text``; and ``law_id`` or ``law``, and ``path``, by which the scope is found.
        lang: language of the text, ISO 639-1; None tries all languages that have a section.
    """
    text = str(provision["text"])
    every = languages()
    chosen = every.values() if lang is None else filter(None, [every.get(lang)])
    found = [
        each
        for phrases in chosen
        if any(word in text for word in phrases.cue)
        for each in _Reader(provision, text, phrases).definitions()
    ]
    return sorted(found, key=lambda each: each.start)


@cache
def languages() -> dict[str, Phrases]:
    """Return the sections of ``definitions.yaml`` by language."""
    with resources.as_file(resources.files("legalir.statutes") / "definitions.yaml") as path:
        sections = read_yaml(path, "the phrases of definitions")
    assert isinstance(sections, dict)
    return {lang: Phrases.parse(section, f"{path.name}, {lang}") for lang, section in sections.items()}


class _Line(NamedTuple):
    """A line of a text.

    Attributes:
        start: in the text.
        end: after it.
        body: where it begins after its number.
        depth: 0 for the numbers of the highest level in the text, None for a line without a number.
        label: its number as printed.
    """

    start: int
    end: int
    body: int
    depth: int | None
    label: str


def _lines(text: str) -> list[_Line]:
    """Return the lines; a new kind of number is one level below the open ones."""
    lines, start = list[_Line](), 0
    marks: list[tuple[str, str, str]] = []
    last: list[str] = []
    for words in text.split("\n"):
        depth, body, label = None, start, ""
        mark = _MARK.match(words)
        if mark and (mark["close"] or not (mark["upper"] or mark["hangul"])):  # "A person" is no number.
            kind = next(name for name in _MARKS if mark[name])
            if kind == "roman" and len(mark[kind]) == 1 and last and ord(last[-1][0]) == ord(mark[kind]) - 1:
                kind = "lower"  # "i" after "h"
            label, body = mark[0].strip(), start + mark.end()
            form = (mark["open"] or "", kind, mark["close"])
            depth = marks.index(form) if form in marks else len(marks)
            marks[depth:], last[depth:] = [form], [mark["roman"] or mark[kind]]
        lines.append(_Line(start, start + len(words), body, depth, label))
        start += len(words) + 1
    return lines


class _Reader:
    """The definitions of one text in one language."""

    def __init__(self, provision: Mapping[str, Any], text: str, phrases: Phrases) -> None:
        self._provision, self._text, self._phrases = provision, text, phrases
        self._lines = _lines(text)
        self._list: int | None = -1
        """Depth of the last definition that ended with a semicolon; -1 before there is one."""

    def definitions(self) -> Iterator[DefinedTerm]:
        lead: _Line | None = None
        listed = False
        paragraph = ""
        opened = 0
        for place, line in enumerate(self._lines):
            words = self._text[line.start : line.end]
            # Words that are put into another law are no definitions of this one.
            quoted = opened > 0 or _INSERTED.match(words) is not None
            signs = words.count("“") - words.count("”") - words.count("„")  # In German, “ closes „.
            opened = 0 if _CLOSING.search(words) else max(0, opened + signs)
            if quoted:
                continue
            if line.depth is not None:
                paragraph = number_of(line.label) if line.depth == 0 else paragraph
                if lead and lead.depth is not None and line.depth <= lead.depth:
                    lead = None
            matches = self._matches(line, listed and lead is not None)
            for match, following in pairwise([*matches, None]):
                assert match
                bound = following.start("term") if following else line.end
                if (end := self._end(place, match.end(), bound)) is not None:
                    yield from self._made(match, end, line, lead, paragraph)
            if self._phrases.has("lists", words):
                lead, listed = line, True
            elif words.rstrip().endswith((":", "—", "–", "：")) and self._scope_in(words) is not None:
                lead, listed = line, False

    def _matches(self, line: _Line, listed: bool) -> list[re.Match[str]]:
        """Return where a line defines terms, without overlaps."""
        forms = self._phrases.patterns
        found = [each for form in forms["terms"] for each in form.finditer(self._text, line.body, line.end)]
        for form in (*forms["begins"], *(forms["entries"] if listed else ())):
            entry = form.match(self._text, line.body, line.end)
            if entry and not any(each.start() < entry.end() for each in found):
                found.append(entry)
        kept: list[re.Match[str]] = []
        for match in sorted(found, key=lambda each: (each.start("term"), -each.end())):
            # A second quotation mark before it: words that are put into another law.
            quoted = self._text[match.start("term") - 1 : match.start("term")] in ("“", "‘", '"', "「")
            if not quoted and (not kept or match.start("term") >= kept[-1].end()):
                kept.append(match)
        return kept

    def _end(self, place: int, start: int, bound: int) -> int | None:
        """Return the end of a meaning: the end of its sentence or of the items below; None if it is not a meaning."""
        line, text, phrases = self._lines[place], self._text, self._phrases
        end = start
        while True:
            end = _sentence_end(text, end, bound)
            rest = text[end:bound].lstrip()
            if not (rest and phrases.patterns["continues"][0].match(rest)):
                break
        if bound == line.end and _NOTE.match(text, end, bound):
            below = self._lines[place + 1 : place + 2]
            words = text[start:end].rstrip()
            opened = line.depth is not None or not words.endswith(_CLOSED) or phrases.has("opens", words)
            if (
                below
                and below[0].depth is not None
                and below[0].depth > (-1 if line.depth is None else line.depth)
                and opened
            ):
                for each in self._lines[place + 1 :]:
                    if each.depth is None or each.depth < below[0].depth:
                        break
                    end = each.end
        meaning = text[start:end]
        return end if meaning.strip() and phrases.has("needs", meaning) else None

    def _made(
        self, match: re.Match[str], end: int, line: _Line, lead: _Line | None, paragraph: str
    ) -> Iterator[DefinedTerm]:
        start = match.start("term")
        words = _TAIL.sub("", self._text[start:end])
        if end - start > len(words) and self._text[start + len(words)] in ";；":
            self._list = line.depth
        elif line.depth == self._list:
            words = _LIST_END.sub("", words)
        end = start + len(words)
        scope, within, stated = self._scope(line, match, lead, paragraph)
        meaning = self._text[match.end() : end].strip(" ,:：—–-、，\n")
        terms = _QUOTE.findall(match["term"]) or [match["term"]]
        for term in terms:
            name = " ".join(term.strip(_QUOTE_SIGNS).split())
            if name and meaning:
                yield DefinedTerm(name, str(self._provision["docno"]), start, end, meaning, scope, within, stated)

    def _scope(self, line: _Line, match: re.Match[str], lead: _Line | None, paragraph: str) -> tuple[Scope, str, str]:
        """Return scope, within and stated of a definition: by the words before it, in it, or in the line that leads."""
        places = [(line.start, match.start("term")), match.span(), *([(lead.start, lead.end)] if lead else [])]
        found = next(filter(None, (self._scope_in(self._text[start:end]) for start, end in places)), None)
        law, path = _place({**self._provision, "path": ""}), _place(self._provision)
        key = provision_key(str(self._provision["docno"]))
        if found is None:
            return "law", law, ""
        kind, words, stated = found
        if kind == "group":
            return kind, _group(path, words["level"]), stated
        if kind in ("annex", "supplement"):
            key = key.partition("/")[0]
        elif kind == "paragraph" and paragraph:
            key = f"{key}/{paragraph}"
        return kind, {"law": law, "cited": ""}.get(kind, key), stated

    def _scope_in(self, words: str) -> tuple[str, re.Match[str], str] | None:
        """Return the kind of the last words that state a scope, their match, and the words."""
        bare = _BRACKETS.sub(lambda part: part[0] if len(part[0]) < _LONG else " " * len(part[0]), words)
        patterns = self._phrases.patterns
        found = [
            (kind, match) for kind in self._phrases.scopes for form in patterns[kind] for match in form.finditer(bare)
        ]
        if not found:
            return None
        kind, match = max(found, key=lambda each: each[1].end())
        return kind, match, " ".join(words[match.start() : match.end()].split()).rstrip(" ,:—–-")


def _sentence_end(text: str, start: int, bound: int) -> int:
    depth = 0
    for sign in _SIGN.finditer(text, start, bound):
        if sign["open"] or sign["close"]:
            depth = max(0, depth + (1 if sign["open"] else -1))
        elif not depth:
            return sign.end()
    return bound


def _place(provision: Mapping[str, Any]) -> str:
    """Return the law of a provision with the levels above it."""
    return _BETWEEN.join(
        filter(None, [provision.get("law_id") or provision.get("law") or "", provision.get("path") or ""])
    )


def _group(path: str, level: str) -> str:
    """Return the innermost part of a path that is of a level, with all above it; empty if none is."""
    parts = path.split(_BETWEEN)
    form = re.compile(rf"[제第]\s?\S{{1,12}}?\s?{level}|(?:\S+ )?{level}(?![^\W\d_])", re.IGNORECASE)
    for last in range(len(parts) - 1, 0, -1):
        if form.match(parts[last]):
            return _BETWEEN.join(parts[: last + 1])
    return ""


def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(_Q.sub(lambda _: _QUOTED, form))
