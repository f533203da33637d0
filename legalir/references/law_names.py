"""Names of laws in a text: which law of a collection a reference means.

A law is known by its name, by its name without a year, a version or text in brackets at its end, and by abbreviations:
letters in brackets at the end of its name (``… Rules (AML)``), and beginnings of its words in their order, from the
first word to the last (``소방시설법`` for ``소방시설 설치 및 관리에 관한 법률``, ``FSMR``).

Short forms name a law if no other law of the collection has them:

- the short names that the grammars list: ``BGB``, ``근기법``, also before the name of a decree: ``근기법 시행령``;
- beginnings of all words of its name but *of*, *and* and the like: ``c.p.p.``, ``C. trav.``;
- if its name has a number and a year, its kind with both, however written: ``D.Lgs. n. 165/2001``, ``decreto
  legislativo 30 marzo 2001, n. 165``.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeVar

from legalir.references.grammar import WrittenReference, grammars

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")

_REACH = 6
"""Maximum number of characters between a law and an adjacent reference."""

_LONGEST = 60
"""Characters before a reference, or before a name, that are looked at; and of an abbreviation."""

_SHORTEST = 6
"""Letters that the name of a law must have at least in an alphabet."""

_FEWEST = 3
"""Letters that an abbreviation of the words of a name must have at least in scripts without cases."""

_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK")
_OPENING, _CLOSING = "《「『〈", "》」』〉"
_STATE = ("国", "國")
"""A title may begin with the name of its state: 中华人民共和国劳动法."""

_OF_STATE = re.compile(r"^(?:(?:中华人民共和国|中華民國)(?=\w{2})|Bekendtgørelse af (?=\w))")
"""Words of a title before the name of the law: the state, or *Bekendtgørelse af* in Denmark."""

_DOTS = "ㆍᆞ"
"""Letters that stand for the middle dot in Korean, where other texts have ``·``, ``‧`` or ``・``."""

_BRACKET = re.compile(r"[(（\[]([^()（）\[\]]*)[)）\]]\s*$")
_APART = re.compile(r"\s[‑–-]\s|,\s")
"""Separates two names in brackets: ``(Kündigungsschutzgesetz – KSchG)``."""

_BRACKETED = re.compile(r"[(（【]([^()（）]{1,80})[)）】]\s*\Z")
_ACRONYM = re.compile(r"[^\W\d_]{2,12}")
_CODE = re.compile(r"[A-Z]{2,6}[ -]?\d{1,4}[A-Z]?|\d{1,4}/\d{4}|\d{4}:\d{1,5}")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|2[0-6])\d\d(?!\d)")
_WORD = re.compile(r"[^\W_]+")
_SIGNS_AFTER = re.compile(r"[\W_]+$")
_SIGNS_BEFORE = re.compile(rf"[\W_]{{1,{_REACH}}}")

_DOTTED = re.compile(r"(?<![\w.])[^\W\d_]{1,9}\.(?:\s?[^\W\d_]{1,9}\.){0,7}(?:[^\W\d_](?![\w.]))?")
"""Shortened words: ``c.p.p.``, ``C. trav.``, ``c.p.c``."""

_NO, _N = r"(?:n[\w.°]{0,7}|№|số)\s?", r"(?<!\d)(\d{1,3}\.\d{3}|\d{1,5})(?!\d)"
_Y = r"(?<!\d)((?:1[7-9]|20)\d\d)(?!\d)"
_DAY = rf"\d{{1,2}}(?:[./]\d{{1,2}}[./]|(?:[.°]|er)?\s(?:[^\W\d_]{{1,12}}\s){{1,3}}){_Y}"
_MAKER = re.compile(r"^(?:Council|Commission)\s")
_COMMUNITY = re.compile(r"\s?\((?:EU|UE|EC|EG|CE|EEC|EWG|CEE)\)?")
_NUMBER_AND_YEAR = re.compile(
    rf"(?<![\w/-])(?:{_DAY},?\s{_NO}{_N}|(?:{_NO})?(?:{_N}\s?/\s?(?:{_Y}|(\d\d)(?!\d))|{_Y}[:/‑–-]{_N})"
    rf"|{_NO}{_N}[‑–-]{_N}|{_NO}{_N},?\s(?:[^\W\d_]{{1,6}}\s){{0,2}}(?:{_DAY}|{_Y})"
    rf"|{_N}\s(?:of|del?|du|do|vom|von)\s(?:{_DAY}|{_Y})|(\d\d)/(\d{{1,4}})(?=/[A-Z]{{2,3}}\b))(?:/[A-Z]{{2,3}}\b)?",
    re.IGNORECASE,
)
"""``30 marzo 2001, n. 165``; ``n. 165/2001``, ``2016/679``, ``1994:1219``; ``n° 83-634``; ``No. 12 of 2003``,
``165 del 2001``, ``96/9/EC``."""

_KIND_AND_DAY = re.compile(rf"(?:[^\W\d_]+['’\s]){{1,5}}{_DAY}")
"""``loi du 8 avril 2016``"""
_ITS_DAY = re.compile(rf",?\s(?:[^\W\d_]{{1,4}}\s){{0,2}}\d{{1,2}}(?:[.°º]|er)?\s[^,]{{3,30}}?(?:{_Y}|(?=,|$))")
_DASH = re.compile("[‑–-]")
_TO_NUMBER = re.compile(r"[\s,.()]{0,3}$")
_KIND_WORDS = 8
"""Maximum number of words of the kind of a law."""


class LawMention(NamedTuple):
    """A law that a text names.

    Attributes:
        start: in the text.
        end: in the text.
        laws: numbers of the laws that it may be; none for a law that is not in the collection.
    """

    start: int
    end: int
    laws: tuple[int, ...]


class LawNames:
    """The laws of a collection by name.

    Args:
        names: of the laws; the number of a law is its position.
        owners: the law of each name, where a law has several; without it, each name has its own law.
        aliases: other names, each with the number of its law. The full name of a law goes before.
    """

    def __init__(
        self, names: Sequence[str], owners: Sequence[int] | None = None, aliases: Iterable[tuple[str, int]] = ()
    ) -> None:
        self._owners = range(len(names)) if owners is None else owners
        self._names: dict[str, tuple[int, ...]] = {}
        self._acronyms: dict[str, tuple[int, ...]] = {}
        self._codes: dict[str, tuple[int, ...]] = {}
        self._words: dict[str, tuple[int, ...]] = {}
        self._by_letter: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self._numbered: dict[tuple[str, frozenset[int]], tuple[int, ...]] = {}
        self._kinds = set(_short_names().kinds)
        self._years = [_years_in(name) if self._own_number(name) is None else _own_years(name) for name in names]
        full = set(map(compact, names))
        for number, name in enumerate(names):
            base = _base(name)
            forms = [name, base]
            if (numbered := self._own_number(name)) is not None:
                kind, numbers, subject = numbered
                # Commission Regulation (EU) 2019/790 is also cited as Regulation (EU) 2019/790 and Regulation 2019/790.
                kinds = [each for form in (kind, _MAKER.sub("", kind)) for each in (form, _COMMUNITY.sub("", form))]
                for one in dict.fromkeys(each for form in kinds for each in _short_names().written_out(form)):
                    self._kinds.add(one)
                    _add(self._numbered, (one, numbers), number)
                if name.startswith(kind):
                    # Many laws are of a kind: its words alone name none of them.
                    base = f"{kind} {subject}" if subject else ""
                    alone = " ".join(_without_small_words(subject))
                    forms = [name, base, *(one for one in (alone, kind) if compact(one) in _short_names().names)]
            forms += [one for one in (without_state(base),) if compact(one) not in full]
            bracket = _BRACKET.search(name)
            given = dict.fromkeys((bracket[1], *_APART.split(bracket[1]))) if bracket else {}
            shown = [*(part for form in (*forms, _base(name)) for part in (form, *form.split(" – "))), *given]
            for key in dict.fromkeys(map(compact, shown)):
                if len(key) >= _SHORTEST and key.isalpha():
                    _add(self._words, key, number)
            written_out = _short_names().meant.get(_dotted(base), ())
            short = (key for key in _short_names().caseless(base) if key not in full and len(key) >= _FEWEST)
            for key in dict.fromkeys((*(compact(form) for form in forms if _is_telling(form)), *written_out, *short)):
                _add(self._names, key, number)
            for form in given:
                if _ACRONYM.fullmatch(form) and _has_case(form):
                    _add(self._acronyms, form, number)
                elif _CODE.fullmatch(form):
                    _add(self._codes, compact(form), number)
            words = tuple(filter(None, map(compact, _WORD.findall(base))))
            if len(words) > 1:
                self._by_letter.setdefault(words[0][0], []).append((number, words))
        for alias, number in aliases:
            if (key := compact(alias)) not in full and number not in self._names.get(key, ()):
                _add(self._names, key, number)
        sizes: dict[str, set[int]] = {}
        for key in self._names:
            sizes.setdefault(key[:2], set()).add(len(key))
        self._sizes = {head: sorted(of, reverse=True) for head, of in sizes.items()}

    def find(self, text: str) -> list[LawMention]:
        """Return the laws that a text names, in its order; of names that overlap, the first, then the longest.

        White space and signs do not matter, but a name is not found inside a word or inside a longer title in quotes.
        A short form that no law of the collection has, or several, is a mention without a law.
        """
        found = [*self._in_full(text), *self._by_number(text), *self._short(text)]
        mentions: list[LawMention] = []
        for one in sorted(found, key=lambda each: (each.start, -each.end, not each.laws)):
            if not mentions or one.start >= mentions[-1].end:
                mentions.append(one)
        return mentions

    def _in_full(self, text: str) -> list[LawMention]:
        letters, places = _letters(text)
        mentions, at = [], 0
        while at < len(letters):
            size = 1
            for length in self._sizes.get(letters[at : at + 2], ()):
                laws = self._names.get(letters[at : at + length])
                if laws and at + length <= len(letters):
                    start, end = places[at], places[at + length - 1] + 1
                    if _stands_alone(text, start, end):
                        mentions.append(LawMention(start, end, laws))
                        size = length
                        break
            at += size
        return mentions

    def in_full(self, name: str) -> tuple[int, ...]:
        """Return the laws that have a name, written out or without what is in brackets."""
        return self._names.get(compact(name), ())

    def named(self, name: str) -> tuple[int, ...]:
        """Return the laws that a name means: in full, without what is in brackets, by letters, or abbreviated.

        A law of another year is another law.
        """
        bracket, base = _BRACKET.search(name), _base(name)
        # Of Directive 96/9/EC the word alone names no law.
        of_kind = _NUMBER_AND_YEAR.search(name) and _has_case(base) and " " not in base.strip()
        bases = () if of_kind else (base,)
        for form in (name, without_state(name), *((bracket[1],) if bracket else ()), *bases):
            key = compact(form)
            words = dict.fromkeys((*self._acronyms.get(form, ()), *self._words.get(key, ())))
            if laws := self._names.get(key) or self._codes.get(key) or tuple(words):
                years = _years_in(name)
                return tuple(law for law in laws if not years or not self._years[law] or years & self._years[law])
        numbered = [*self._by_number(name)]
        for short in (*numbered, *self._short(name)):
            if short.start == 0 and not name[short.end :].strip(" .)"):
                return short.laws
        for one in numbered:  # Kind, number and year tell which law it is; the rest is its title.
            if one.start == 0 and one.laws and name[one.end] in " ,":
                return one.laws
        if of_kind:
            return ()
        form = name if self.listed(name) else base
        laws, years = self._short_for("".join(_WORD.findall(form))), _years_in(name[len(form) :])
        return tuple(law for law in laws if not years or not self._years[law] or years & self._years[law])

    def is_listed(self, name: str) -> bool:
        """Return True if a name is that of a law, or a short form that it gives itself or that a list gives.

        The law of a short form in a list may not be in the collection.
        """
        forms = dict.fromkeys((name, _base(name), without_state(name)))
        given = (self._names, self._codes, self._words)
        listed = any(any(compact(form) in each for each in given) or self.listed(form) for form in forms)
        return listed or name in self._acronyms or bool(self.numbered(name))

    def numbered(self, name: str) -> tuple[int, ...]:
        """Return the laws of a name that is a kind with number and year."""
        found = (one for one in self._by_number(name) if one.start == 0 and not name[one.end :].strip(" .)"))
        return next((one.laws for one in found), ())

    def of(self, text: str, references: Sequence[WrittenReference]) -> list[LawMention | None]:
        """Return the law of each reference in a text; None if the text names no law.

        A law directly before or after a reference is its law; else the law that was named last before it; else the
        first one that is named after it.
        """
        named = self.find(text)
        starts = {law.start: law for law in named}
        ends = {law.start + len(_SIGNS_AFTER.sub("", text[law.start : law.end])): law for law in named}
        # A word that is the short name of some other law may also mean something else, unless it is next to a number.
        named = [law for law in named if law.laws or text[law.end - 1].isdigit()]
        order = [law.start for law in named]
        meant: list[LawMention | None] = []
        last: LawMention | None = None
        for one in references:
            law = None if one.same_law else self._before(text, one, ends) or self._after(text, one, starts)
            if law is None:
                place = bisect.bisect_left(order, one.start)
                earlier = [each for each in (last, named[place - 1] if place else None) if each is not None]
                law = max(earlier, key=lambda each: each.end) if earlier else named[place] if named[place:] else None
            else:
                last = law
            meant.append(law)
        return meant

    def _before(self, text: str, reference: WrittenReference, ends: Mapping[int, LawMention]) -> LawMention | None:
        low = max(0, reference.start - _REACH)
        end = low + len(_SIGNS_AFTER.sub("", text[low : reference.start]))
        # There may be one letter between law and number: 상법의 제3조, 劳动法的第三条.
        if law := ends.get(end) or ends.get(end - 1):
            return law
        words = _WORD.findall(text[max(0, end - _LONGEST) : end])
        phrase: list[str] = []
        while words and reference.endings and words[-1].endswith(reference.endings):
            phrase.insert(0, words.pop())
        for skipped in range(len(phrase)):
            if laws := self._short_for("".join(phrase[skipped:])):
                return LawMention(end - len(" ".join(phrase[skipped:])), end, laws)
        if phrase:  # the name of another law, or only a word for a law
            return None if phrase[-1] in reference.endings else LawMention(end - len(phrase[-1]), end, ())
        return self._acronym(words[-1], end - len(words[-1])) if words else None

    def _after(self, text: str, reference: WrittenReference, starts: Mapping[int, LawMention]) -> LawMention | None:
        for place in (reference.after, reference.law):
            if place is not None:
                word = _SIGNS_BEFORE.match(text, place)
                start = word.end() if word else place
                if law := starts.get(start):
                    return law
                if (word := _WORD.match(text, start)) and (law := self._acronym(word[0], start)):
                    return law
        return None if reference.law is None else LawMention(reference.end, reference.law, ())

    def _acronym(self, word: str, start: int) -> LawMention | None:
        """Return the law whose acronym is `word`, which must have two capitals; ``KUHPerdata`` is one."""
        if sum(map(str.isupper, word)) < 2:
            return None
        laws = self._acronyms.get(word, ())
        if not laws and len(word) > 2:
            laws = self._only(self._begun(compact(word))) or self._abbreviated(word)
        return LawMention(start, start + len(word), laws) if laws else None

    def _own_number(self, name: str) -> tuple[str, frozenset[int], str] | None:
        """Return the kind, the number with the year, and the subject of a law whose name gives them, else None."""
        if (match := _NUMBER_AND_YEAR.search(name)) is None:
            return None
        start = self._kind_before(name, match)
        if start is None or name[start - 1 : start] not in ("", "("):
            start = 0
        kind = _TO_NUMBER.sub("", name[start : match.start()])
        if not kind[:1].isalpha() or len(_WORD.findall(kind)) > _KIND_WORDS or any(map(str.isdigit, kind)):
            return None
        day = _ITS_DAY.match(name, match.end())
        return kind, next(_numbers(match)), name[day.end() if day else match.end() :].strip(" ,.:;)–-")

    def _kind_before(self, text: str, number: re.Match[str]) -> int | None:
        """Return where the words before a number and year begin that are a kind of law, the longest; None for none."""
        low = max(0, number.start() - _LONGEST)
        head = _TO_NUMBER.sub("", text[low : number.start()])
        words = list(_WORD.finditer(head))[-_KIND_WORDS:]
        for start in (word.start() for word in words):
            if compact(head[start:]) in self._kinds and head[start - 1 : start] not in (".", "'", "-"):
                # One letter may also belong to the number of an article: L. 1811-1.
                article = len(compact(head[start:])) == 1 and number[0][0].isdigit() and _DASH.search(number[0])
                return None if article else low + start
        return None

    def _by_number(self, text: str) -> Iterator[LawMention]:
        """Yield the laws that a text names by kind, number and year."""
        for match in _NUMBER_AND_YEAR.finditer(text):
            start = self._kind_before(text, match)
            if start is None:
                continue
            kinds = _short_names().written_out(text[start : match.start()])
            laws = ([law for kind in kinds for law in self._numbered.get((kind, one), ())] for one in _numbers(match))
            yield LawMention(start, match.end(), self._only(next(filter(None, laws), ())))

    def _short(self, text: str) -> Iterator[LawMention]:
        """Yield the laws that a text names by a listed short name, or by beginnings of their words with full stops."""
        listed = _short_names()
        for match in listed.pattern.finditer(text):
            laws = [law for name in listed.meant[match[0]] for law in self._of(name)]
            yield LawMention(*match.span(), self._only((*laws, *self._acronyms.get(match[0], ()))))
        for match in _DOTTED.finditer(text):
            for start, end in listed.without_units(match):
                form = text[start:end]
                if names := listed.meant.get(_dotted(form)):
                    laws = [law for name in names for law in self._of(name)]
                else:
                    laws = list(self._begun(tuple(map(compact, _WORD.findall(form)))))
                if names or self._only(laws):
                    yield LawMention(start, end, self._only(laws))
                    break

    def _only(self, laws: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers if all of them are of one law, else none."""
        return tuple(sorted(set(laws))) if len({self._owners[law] for law in laws}) == 1 else ()

    def _begun(self, parts: Sequence[str]) -> tuple[int, ...]:
        """Return the laws whose words begin as given, all but the small ones."""
        small = _short_names().small
        return tuple(
            number
            for number, words in self._by_letter.get(parts[0][:1], ())
            if len(parts) > 1 and len(words) <= 3 * len(parts) and _begin(parts, words, small)
        )

    def listed(self, name: str) -> tuple[str, ...]:
        """Return the names of laws that a list gives for a short form, as :func:`compact` writes them.

        Of an act or of its decree: ``근기법 시행령``.
        """
        key, table = compact(name), _short_names().folded
        heads = ((key.removesuffix(one), one) for one in _suffixes() if key.endswith(one))
        return next((tuple(f"{law}{end}" for law in table[head]) for head, end in heads if head in table), ())

    def _short_for(self, word: str) -> tuple[int, ...]:
        """Return the laws of a short form that a list gives, else those whose words begin as it does."""
        if not (names := self.listed(word)):
            return self._abbreviated(word)
        return self._only([law for one in names for law in self._of(one)])

    def _of(self, key: str) -> tuple[int, ...]:
        """Return the laws that have a name, or have it in brackets at their end, as `compact` writes it."""
        return (*self._names.get(key, ()), *self._words.get(key, ()))

    def beginning(self, name: str) -> tuple[int, ...]:
        """Return the laws whose names begin with a kind and a day, or with one that a list gives for a short form.

        Of the latter are the books of a code; of the former, *loi du 8 avril 2016*, there may be several on a day.
        """
        keys = self.listed(name) or ((compact(name),) if _KIND_AND_DAY.fullmatch(name) else ())
        if not keys:
            return ()
        return tuple({law: None for key, of in self._names.items() if key.startswith(keys) for law in of})

    def _abbreviated(self, word: str) -> tuple[int, ...]:
        short = compact(word)[:_LONGEST]
        if len(short) < _FEWEST and not _has_case(short):
            return ()  # Two syllables are those of many laws: 헌법 is not the law of 헌정질서 …에 관한 특례법.
        return tuple(number for number, words in self._by_letter.get(short[:1], ()) if abbreviates(short, words))


@lru_cache(1 << 15)  # The names of all laws of a country, which are read again and again.
def compact(text: str) -> str:
    """Return the letters, marks and digits of a text in lower case."""
    return _letters(unicodedata.normalize("NFC", text))[0]


def without_state(name: str) -> str:
    """Return the name of a law without that of its state: 劳动法 for 中华人民共和国劳动法."""
    return _OF_STATE.sub("", name)


def in_brackets(name: str) -> str:
    """Return the words in the brackets that end a name; empty if it ends in none."""
    words = _BRACKETED.search(name)
    return words[1] if words else ""


def abbreviates(short: str, words: Sequence[str]) -> bool:
    """Return True if `short` consists of beginnings of two or more `words` in order, from the first to the last.

    For the last word, its end may be used instead: ``초고층재난관리법`` for ``초고층 … 재난관리에 관한 특별법``.
    """
    last = len(words) - 1
    if short[-1:] not in words[last]:  # As with most laws, which need no further look.
        return False
    # Characters of `short` that the words up to here may have made.
    reached = {size for size in range(1, len(words[0]) + 1) if short.startswith(words[0][:size])}
    for word in words[1:last]:
        reached |= {
            at + size for at in reached for size in range(1, len(word) + 1) if short.startswith(word[:size], at)
        }
    return any(
        at < len(short) and (words[last].startswith(short[at:]) or words[last].endswith(short[at:])) for at in reached
    )


class _ShortNames(NamedTuple):
    """The short names of laws, and of kinds of laws, that the grammars list.

    Attributes:
        names: the names that they stand for, as `compact` writes them.
        meant: those names by short form, as in the grammar; one with full stops as `_dotted` writes it.
        kinds: kinds of laws and their short forms, with the kinds that these stand for, as `compact` writes them.
        folded: those names by short form as `compact` writes it: ``c.p.`` is as ``CP``.
        caseless_forms: short forms in scripts without cases, by such a name.
        pattern: the short forms without full stops, in scripts with cases.
        small: words that an abbreviation leaves out: *of*, *and*.
        units: shortened words for units: ``art.``.
    """

    names: frozenset[str]
    meant: dict[str, tuple[str, ...]]
    kinds: dict[str, tuple[str, ...]]
    folded: dict[str, tuple[str, ...]]
    caseless_forms: dict[str, tuple[str, ...]]
    pattern: re.Pattern[str]
    small: frozenset[str]
    units: frozenset[str]

    def written_out(self, kind: str) -> tuple[str, ...]:
        """Return the words of a kind of laws, and all that they may be short for."""
        return (compact(kind), *self.kinds.get(compact(kind), ()))

    def caseless(self, name: str) -> Iterator[str]:
        """Yield the short forms of a name, and of the name of an act with what a decree adds to it."""
        key = compact(name)
        for suffix in _suffixes():
            if key.endswith(suffix):
                yield from (f"{form}{suffix}" for form in self.caseless_forms.get(key.removesuffix(suffix), ()))

    def without_units(self, match: re.Match[str]) -> Iterator[tuple[int, int]]:
        """Yield the place of shortened words, and that of the words without a unit before and after them."""
        yield match.span()
        words = list(re.finditer(r"\S+", match[0]))
        kept = [word for word in words if word[0].casefold() not in self.units]
        if kept and len(kept) < len(words):
            yield match.start() + kept[0].start(), match.start() + kept[-1].end()


@cache
def _suffixes() -> tuple[str, ...]:
    """Return what the names of decrees and rules add to the name of their act, and an empty one for the act."""
    return tuple(
        dict.fromkeys(("", *(compact(one.suffix) for each in grammars().values() for one in each.family.values())))
    )


@cache
def _short_names() -> _ShortNames:
    meant: dict[str, tuple[str, ...]] = {}
    folded: dict[str, tuple[str, ...]] = {}
    caseless: dict[str, tuple[str, ...]] = {}
    kinds: dict[str, tuple[str, ...]] = {}
    for grammar in grammars().values():
        for name, forms in grammar.short_names.items():
            for form in forms:
                _add(meant, _dotted(form), compact(name))
                _add(folded, compact(form), compact(name))
                if not _has_case(compact(form)[-1:]):
                    _add(caseless, compact(name), compact(form))
        for kind, forms in grammar.law_kinds.items():
            kinds.setdefault(compact(kind), ())
            for form in forms:
                _add(kinds, compact(form), compact(kind))
    joins = {word for one in grammars().values() for word in one.list}  # OR joins numbers, too.
    cased = (form for form in meant if form[0] != "." and _has_case(compact(form)[-1:]))
    plain = sorted((re.escape(form) for form in cased if form.lower() not in joins), key=len, reverse=True)
    # What follows `>` is not a part of the form.
    between = [form.partition(" > ")[0] for one in grammars().values() for form in (*one.of, *one.list, *one.law_after)]
    units = [form for one in grammars().values() for form in (*one.article, *one.paragraph, *one.item, *one.subitem)]
    return _ShortNames(
        frozenset(name for names in meant.values() for name in names),
        meant,
        kinds,
        folded,
        caseless,
        re.compile(rf"(?<![^\W_])(?:{'|'.join(plain)})(?![^\W_])" if plain else "(?!)"),
        frozenset(compact(word) for form in between for word in _WORD.findall(form)),
        frozenset(word.casefold() for form in units for word in form.split() if word.endswith(".")),
    )


def _dotted(form: str) -> str:
    """Return the key of a short form: with full stops, white space and case do not matter."""
    return f".{compact(form)}" if "." in form else form


def _without_small_words(words: str) -> list[str]:
    rest = _WORD.findall(words)
    while rest and compact(rest[0]) in _short_names().small:
        rest.pop(0)
    return rest


def _numbers(match: re.Match[str]) -> Iterator[frozenset[int]]:
    """Yield the number and the year of a law; a year of two digits as it is, then in full."""
    one, other = (group.replace(".", "") for group in match.groups() if group)
    yield frozenset((int(one), int(other)))
    if len(other) == 2:
        yield from (frozenset((int(one), int(century + other))) for century in ("20", "19"))


def _begin(parts: Sequence[str], words: Sequence[str], small: frozenset[str]) -> bool:
    """Return True if `parts` are the beginnings of all `words` in order; those in `small` may be left out."""
    reached = {0}  # Numbers of parts that the words up to here may have made.
    for word in words:
        begun = {at + 1 for at in reached if at < len(parts) and word.startswith(parts[at])}
        reached = begun | (reached if word in small else set())
    return len(parts) in reached


def _add(table: dict[_K, tuple[_V, ...]], key: _K, value: _V) -> None:
    table[key] = (*table.get(key, ()), value)


def _base(name: str) -> str:
    """Return a name without brackets, years and versions at its end."""
    words = _BRACKET.sub("", name.replace("_", " ")).split()
    while len(words) > 1 and (any(map(str.isdigit, words[-1])) or words[-1].endswith(".")):
        words.pop()
    return " ".join(words)


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters, marks and digits of a text in lower case, and the place of each in the text."""
    letters, places = [], []
    for place, sign in enumerate(text):
        if (sign.isalnum() and sign not in _DOTS) or unicodedata.category(sign)[0] == "M":
            for letter in str(unicodedata.decimal(sign, sign)).casefold():
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


def _script(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0] if sign else ""


def _years_in(name: str) -> set[int]:
    return set(map(int, _YEAR.findall(name)))


def _own_years(name: str) -> set[int]:
    """Return the years of a law with a number, but not those of others: *(EU) 2019/790 … amending … 2001/29/EC*."""
    for other in [*_NUMBER_AND_YEAR.finditer(name)][:0:-1]:
        name = name[: other.start()] + name[other.end() :]
    return _years_in(name)


def _has_case(form: str) -> bool:
    return form.lower() != form.upper()


def _is_telling(name: str) -> bool:
    """Return True if a name cannot occur by accident: at least two characters, or two words in alphabetic scripts.

    A name for which a grammar lists short forms may be one word.
    """
    key = compact(name)
    if key in _short_names().names:
        return True
    if _script(key[:1]) in _ALPHABETS:
        return len(name.split()) > 1 and len(key) >= _SHORTEST
    return len(key) > 1


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return True if a name is not part of a longer word or of a longer title in quotes."""
    before, script = text[start - 1 : start], _script(text[start])
    if before.isalpha() and (script in _ALPHABETS or script == "HANGUL"):
        return False
    if script in _ALPHABETS and text[end : end + 1].isalpha():
        return False
    head = text[max(0, start - _LONGEST) : start]
    opened = max(map(head.rfind, _OPENING))
    quoted = head[opened + 1 :].strip() if opened > max(map(head.rfind, _CLOSING)) else ""
    return not quoted or quoted.endswith(_STATE)
