"""Sentences of statutes, and what each needs to be understood: its proviso, the heads of its list, its items."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from legalir.analysis.language import UNKNOWN, identify
from legalir.analysis.text import BREAK
from legalir.analysis.wording import words_for

_BREAK = re.compile(
    rf"{BREAK}|(?<=[.;:])(?=\((?:\d{{1,2}}|[a-z])\)\s?\w)|(?<=\.\.)[ \t]+(?=[^\W\d_])(?-i:(?![a-z]))"
    # Items on one line: "…: a) stop; b) call", "…: 1° stop ; 2° call".
    r"|(?<=[;:])[ \t]+(?=[(（]?(?:[a-z]{1,2}|[ivx]{1,4}|\d{1,2})(?:-?(?:bis|ter|quater))?[)）]\s*\w|\d{1,2}°\s*\w)"
)
_MARKS = [
    r"[①-⑳㉑-㉟㊱-㊿]|[０-９]{1,2}[\u3000 ](?=\w)",
    r"§\s?\d+\w*\.?",
    r"[가-힣]\.(?=\s)",
    r"[가-힣]\)",
    r"[（(]\s?[가-힣]\s?[)）]",
    r"\d{1,3}(?:의\d+|bis|ter)?\.(?![\d])(?=\s*\D)",
    r"\d{1,3}(?:의\d+)?\)",
    r"[（(]\s?\d{1,3}(?:/\d{1,2}|[a-z])?\s?[)）]",
    r"\d{1,3}\s?[、．]",
    r"\d{1,3}\s?°",
    r"[一二三四五六七八九十]+[、．　]",
    r"[（(〈]\s?[一二三四五六七八九十]+\s?[)）〉]",
    r"第?[一二三四五六七八九十]+[　 ]",
    r"[㈠-㈩]",
    r"[ァ-ヺ]{1}[、．　 )）]",
    r"[（(]\s?[ァ-ヺ]\s?[)）]",
    r"[（(]\s?[ivx]{1,5}\s?[)）]",
    r"[ivx]{1,5}[.)](?=\s)",
    r"[（(]\s?[a-z]{1,2}\s?[)）]",  # two places behind the Roman numbers that it has, too
    r"[a-zđ](?:-?(?:bis|ter|quater|quinquies|sexies|septies|octies|nonies|decies))?[.)](?=\s)",
    r"[（(]\s?[A-Z]\s?[)）]",
    r"[A-Z][.)](?=\s)",
    r"[IVX]{1,5}\s?[.)-](?=[\s-])",
    r"[（(]\s?[ก-ฮ]\s?[)）]",
    r"[ก-ฮ][.)]",
    r"[-–—•◦▪*ㆍ○◎]+(?=\s)",
]
_MARK = re.compile("|".join(f"({mark})" for mark in _MARKS))
_ROMAN = {place: place + 2 for place, mark in enumerate(_MARKS, start=1) if "[ivx]" in mark}
"""Kinds of marks in Roman numbers, each with the kind that has letters: an i after an h is a letter."""
_PARAGRAPH = 1
"""Kind of marks that number the paragraphs of an article."""
_FIRST_NAMES = {*"1１๑一가アイaAiIก㈠", ""}
"""What the first item of a list is called; dashes have no names."""
_CLOSING = "ทั้งนี้"
"""Word that restricts all of the line that it closes."""
_LINE = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_WRAPPED = re.compile(r".{40}[^\W\d_],?$", re.DOTALL)
_BEFORE = 64
"""Letters before a part by which it is known whether the sentence goes on: a line of 40, or an abbreviation."""
_OPEN, _CLOSE = "([（［〔【「『《〈“", ")]）］〕】」』》〉”"
_LONGEST = 3000
"""Letters after which a bracket that is open is taken as a fault of the text."""


@cache
def _proviso() -> re.Pattern[str]:
    return re.compile(rf"[\W_]*{words_for('proviso')}", re.IGNORECASE)


@cache
def _abbreviation(keys: tuple[str, ...], language: str | None = None) -> re.Pattern[str]:
    """Return an expression for an abbreviation up to its full stop, of all languages or of one."""
    return re.compile(rf"(?:^|[\W_])(?:{'|'.join(words_for(key, language) for key in keys)})\.$", re.IGNORECASE)


@cache
def _words(key: str) -> re.Pattern[str]:
    return re.compile(words_for(key), re.IGNORECASE)


_CLAUSE_LETTERS, _BEGIN = 100, 300
"""Letters in which a word restricts the sentence before, and in which an exception names a paragraph."""
_OTHER_ARTICLE = re.compile(r"(?:§+|art\w*\.?|pasal|điều|มาตรา|[조条條])\s*\d*[\w.-]*,?\s*$", re.IGNORECASE)
NUMBER_ALONE = r"(?:§|[^\W\d]{1,10}\.?)[ \xa0]?\d[\w.-]{0,8}"
"""A line that is only the number of an article: ``Article 4``."""

_HEADING = re.compile(rf"^(?:.{{0,200}}(?:(?:มาตรา|ข้อ)\s*\d\S*|[^\W\d\u0e00-\u0eff])|{NUMBER_ALONE})$")
"""First line that is no paragraph: it ends with the number of an article in Thai, or with a letter elsewhere."""
_ORDINAL = {
    name: number
    for number, names in enumerate(
        (
            "一 หนึ่ง premier 1er primo primero eerste birinci caput i",
            "二 สอง deuxième second secondo segundo tweede ikinci ii",
            "三 สาม troisième terzo tercero derde üçüncü iii",
            "四 สี่ quatrième quarto iv",
        ),
        start=1,
    )
    for name in names.split()
}
_ORDINALS = re.compile("|".join(sorted(map(re.escape, _ORDINAL), key=len, reverse=True)), re.IGNORECASE)

_NUMBER = re.compile(r"[\W_]?(?:\d|[IVXLC]+\b|[^\W\d_]\b)")
"""Begin of a sentence that may be the number of an article or item."""


def split_sentences(text: str, language: str = UNKNOWN) -> list[str]:
    """Return the sentences of a text in order, white space as one blank; empty ones are left out.

    A sentence is a line, a paragraph that begins with a numbered mark, or text that ends with a full stop; it does not
    end after an abbreviation, nor while a bracket is open; a long line that goes on in lower case is one with the
    next. Thai has no mark at the end: a line is one sentence, but items of a list are cut, and so is a blank between a
    rule and the condition of the next one.

    Args:
        text: the text.
        language: its code; an abbreviation counts in this language and in the one that the text is recognised to be in.
    """
    return [" ".join(text[start:end].split()) for start, end, _ in _spans(text, language)]


def _spans(text: str, language: str) -> list[tuple[int, int, bool]]:
    """Return the start and the end of each sentence, and whether it begins a line."""
    bounds = [0, *(place for match in _BREAK.finditer(text) for place in match.span()), len(text)]
    if _THAI.search(text):
        lines = list(zip(bounds[::2], bounds[1::2], strict=True))
        inner = {start: [start + place for place in _thai_breaks(text[start:end])] for start, end in lines}
        bounds = [place for start, end in lines for place in (start, *sorted([*inner[start], *inner[start]]), end)]
    bounds = list(_with_numbered(text, bounds))
    spans: list[tuple[int, int, bool]] = []
    depth, line = 0, True
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        part = text[start:end]
        line |= bool(spans) and _LINE.search(text, spans[-1][1], start) is not None
        bare = part.strip()
        if not bare:
            continue
        start += len(part) - len(part.lstrip())
        mark = _MARK.match(bare)
        before = text[max(spans[-1][0], spans[-1][1] - _BEFORE) : spans[-1][1]] if spans else ""
        wrapped = line and not mark and bare[0].islower() and _WRAPPED.search(before) is not None
        goes_on = depth > 0 or wrapped or (not line and _is_abbreviated(before[-12:], bare, mark, text, language))
        if spans and goes_on:
            spans[-1] = (spans[-1][0], start + len(bare), spans[-1][2])
        else:
            spans.append((start, start + len(bare), line))
            depth = 0
        first = spans[-1][0]
        depth = _depth(bare[mark.end() if mark else 0 :], depth)
        if depth and (start - first > _LONGEST or not any(sign in text[end : end + _LONGEST] for sign in _CLOSE)):
            depth = 0
        line = False
    return spans


_NUMBERED = re.compile(r"(?:^|(?<=[.;:)»”])[ \t]+)(?=(\d{1,2})[.)][ \t]+([^\W\d_]))")


def _with_numbered(text: str, bounds: Sequence[int]) -> Iterator[int]:
    """Yield the bounds of sentences, and those of paragraphs within, such as 2 in "1. Boats stop. 2. They wait."."""
    wanted = 0
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        yield start
        for found in _NUMBERED.finditer(text[start:end]):
            place, number = start + found.start(), int(found[1])
            if found.start() > 0:
                before = text[max(start, place - 12) : place]
                if number != wanted or not found[2].isupper() or _abbreviation(("numbered",)).search(before):
                    continue
                yield from (place, start + found.end())
            wanted = number + 1
        yield end


def _is_abbreviated(before: str, after: str, mark: re.Match[str] | None, text: str, language: str) -> bool:
    """Return True if what is before a blank ends with an abbreviation, so that the sentence goes on."""
    # "No. (4) of 2013" goes on; "… of this Art. (2) The keeper" has the next paragraph.
    if mark and after[0] in _OPEN and after[mark.end() :].lstrip()[:1].isupper():
        return False
    keys = ("numbered",) * (_NUMBER.match(after) is not None) + ("abbreviations",) * (mark is None)
    lower = after[0].islower() and mark is None
    if not keys or _abbreviation(("numbered", "abbreviations") if lower else keys).search(before) is None:
        return False
    if lower or _abbreviation(keys, language).search(before):
        return True
    return _abbreviation(keys, identify([text])).search(before) is not None


_THAI = re.compile("[ก-๛]")
_THAI_ITEM = re.compile(r"(?<=[ก-๛])[ \t]+(?=[（(]([0-9๑-๙]{1,2}|[ก-ญ])[)）]\s?[ก-๛“])")
_THAI_LETTERS = "กขคงจฉชซฌญ"
_NAMED = re.compile(r"(?:มาตรา|วรรค|ข้อ)\s?\S{0,6}$|(?:ตาม|ใน|และ)$")
"""End of a text before an item that is only named."""
_LISTED = re.compile(r"(?:ต่อไปนี้|ดังนี้|คือ|ได้แก่|ประกอบด้วย)[: ]*\S{0,6}$")
"""End of a text before the first item of a list."""
_CLAUSE = re.compile(
    rf"(?P<closing>(?<=[ \t]){_CLOSING})"
    r"|(?P<condition>(?<=[ \t])(?P<joined>และ|หรือ|แต่|เว้นแต่|โดย)?(?:ถ้า(?!มี\s)|หาก|(?:ใน)?กรณี(?!นี้|เช่น|ดังกล่าว)|เมื่อ)"
    r"(?:ที่)?(?P<bare>ยัง|ไม่|มิ|ตกลง|ฝ่าฝืน|และ|มีความ|มีเหตุ)?)"
    r"|(?P<predicate>(?<![^ \t])(?:ก็|มิ|จะ)?(?:ให้(?!บรรดา)|ต้อง|อาจ|จะ|ห้าม|ย่อม|พึง|เป็นอัน)"
    r"|(?<!ผู้)(?<!ซึ่ง)(?<!ที่)(?<!อัน)(?:มีอำนาจ|มีสิทธิ|มีหน้าที่|ต้องระวางโทษ)|ก็ได้|โดยอนุโลม)"
    r"|(?P<back>ดังกล่าว|เช่นว่า|เช่นนั้น|นั้น|(?<=[ \t])(?:เว้นแต่|แต่))"
)


def _thai_breaks(line: str) -> list[int]:
    """Return where sentences begin within a line of Thai, which breaks by blanks and by words.

    These are items of a list; a condition between a rule and a rule of its own, unless it points back to the words
    before it or has no subject; and words that close the line and restrict all of it.
    """
    breaks: list[int] = []
    for item in _THAI_ITEM.finditer(line):
        number = _THAI_LETTERS.find(item[1]) + 1 or int(item[1] if item[1].isdecimal() else 0)
        before = line[max(0, item.start() - _BEFORE) : item.start()]
        if number == len(breaks) + 1 and (not _NAMED.search(before) if breaks else _LISTED.search(before)):
            breaks.append(item.end())
    ruled, begin = False, -1
    for word in _CLAUSE.finditer(line):
        if word["closing"]:
            breaks.append(word.start())
            ruled, begin = False, -1
        elif word["condition"]:
            if ruled:
                begin = -1 if word["joined"] or word["bare"] else word.start()
            ruled = False
        elif word["predicate"]:
            if begin >= 0:
                breaks.append(begin)
            ruled, begin = True, -1
        else:
            begin = -1
    return sorted(breaks)


def _depth(text: str, depth: int) -> int:
    """Return how many brackets are open after a text."""
    for sign in text:
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE and depth:
            depth -= 1
    return depth


class _List(NamedTuple):
    """A list that is open: kind of its marks, its head, its last item, and the name of that."""

    kind: int
    head: int | None
    last: int
    name: str


def _name(mark: re.Match[str]) -> str:
    """Return the letters or the number of a mark; an empty string for a dash."""
    return re.sub(r"[\W_第]", "", mark[0])


def _kind(mark: re.Match[str], lists: Sequence[_List], later: Iterable[re.Match[str] | None]) -> int:
    """Return the kind of a mark; an i after an h is a letter, though it looks like a Roman number."""
    kind, name = int(mark.lastindex or 0), _name(mark)
    if kind not in _ROMAN or _place_of(kind, lists) is not None:
        return kind
    before = next((one.name for one in lists if one.kind == _ROMAN[kind]), "")
    if before != "".join(chr(ord(letter) - 1) for letter in name):
        return kind
    following = next((one for one in later if one is not None and one.lastindex in (kind, _ROMAN[kind])), None)
    return kind if name == "i" and following is not None and _name(following) == "ii" else _ROMAN[kind]


def _place_of(kind: int, lists: Sequence[_List]) -> int | None:
    return next((at for at, one in enumerate(lists) if one.kind == kind), None)


def _restricts(sentence: str) -> bool:
    """Return True if a sentence restricts the one before it, though it does not begin with a proviso."""
    words = sentence[:_CLAUSE_LETTERS]
    back = _words("these").match(words) and _words("exceptions").search(words)
    return bool(back or _words("within").search(words))


def _value(mark: re.Match[str] | None) -> int:
    """Return the number that a mark is, or 0."""
    name = "" if mark is None else _name(mark).lower()
    if len(name) == 1 and (value := unicodedata.numeric(name, 0)):
        return int(value)
    return int(name) if name.isdecimal() else _ORDINAL.get(name, 0)


def _excepted(sentence: str, paragraphs: Mapping[int, int]) -> Iterator[int]:
    """Yield the first sentences of the paragraphs of the same article that a sentence is an exception from.

    Args:
        sentence: the sentence without its mark.
        paragraphs: first sentence of each paragraph so far, by number; of the one above at 0.
    """
    words = sentence[:_BEGIN]
    if not _words("exceptions").search(words):
        return
    for named in _words("paragraphs").finditer(words):
        digits, ordinal = re.search(r"\d+", named[0]), _ORDINALS.search(named[0])
        number = int(digits[0]) if digits else _ORDINAL[ordinal[0].lower()] if ordinal else 0
        other_article = _OTHER_ARTICLE.search(words[max(0, named.start() - 20) : named.start()])
        if number in paragraphs and not other_article:
            yield paragraphs[number]


class Outline:
    """The sentences of a text, with the provisos and lists that bind them.

    Args:
        text: the text of a provision.
        language: code of its language, for abbreviations.

    Attributes:
        sentences: the sentences, in order.
        gaps: what is before each: a blank, or nothing where the text has no white space there.
        paragraphs: the first sentence of each paragraph, by its number.
    """

    def __init__(self, text: str, language: str = UNKNOWN) -> None:
        spans = _spans(text, language)
        self.sentences = [" ".join(text[start:end].split()) for start, end, _ in spans]
        ends = [0, *(end for _, end, _ in spans)]
        self.gaps = [" " * (start > end) for (start, _, _), end in zip(spans, ends, strict=False)]
        self._first: list[int] = []
        """The first sentence of the rule that each belongs to: a proviso belongs to the sentence before it."""
        self._head: list[int | None] = []
        """The head of the list that each is in, or the item that a paragraph between two items belongs to."""
        self._under: set[int] = set()
        """Paragraphs between two items: they need the item, but the item does not need them."""
        self._closing: list[tuple[int, int]] = []
        """The first sentence of a line, and a sentence at its end that restricts all of it."""
        self._tied: dict[int, set[int]] = {}
        """Rules and the rules of paragraphs that are exceptions from them, by their first sentences."""
        lists: list[_List] = []  # outermost first
        left: list[_List] = []  # the lists above a paragraph, which may go on below it
        between: list[int] = []  # such paragraphs
        begin = paragraph = 0
        paragraphs: dict[int, int] = {}  # the first sentence of each; of the one above at 0
        marks = [_MARK.match(sentence) for sentence in self.sentences]
        for place, (sentence, (_, _, line), mark) in enumerate(zip(self.sentences, spans, marks, strict=True)):
            begin = place if line else begin
            bare = sentence[mark.end() if mark else 0 :]
            restricts = place > 0 and (
                _proviso().match(bare) is not None or (not line and not mark and _restricts(bare))
            )
            self._first.append(self._first[place - 1] if restricts else place)
            if not line and sentence.startswith(_CLOSING):
                self._closing.append((begin, place))
            if mark:
                kind, name = _kind(mark, lists, (marks[later] for later in range(place + 1, len(marks)))), _name(mark)
                if kind == _PARAGRAPH:
                    left, between = [], []
                elif name in _FIRST_NAMES:
                    left = left[: _place_of(kind, left)]
                at = _place_of(kind, lists)
                if at is None and (above := _place_of(kind, left)) is not None:
                    item = left[above].last
                    for one in between:
                        if one > item:
                            self._head[one] = item
                            self._under.add(one)
                    between = [one for one in between if one < item]
                    lists, left, at = [left[above]], left[:above], 0
                if at is not None:
                    lists = [*lists[:at], _List(kind, lists[at].head, place, name)]
                elif kind == _PARAGRAPH or place == 0:
                    lists = [_List(kind, None, place, name)]
                else:
                    lists = [*lists, _List(kind, place - 1, place, name)]
                self._head.append(lists[-1].head)
            elif line and restricts and lists and lists[-1].head is not None:
                # Below a list, a proviso restricts what the head of the list says; between two items, the first one.
                after = next((marks[later] for later in range(place + 1, len(marks)) if marks[later]), None)
                at = None if after is None or _name(after) in _FIRST_NAMES else _place_of(after.lastindex or 0, lists)
                heads = (one.head for one in lists if one.head is not None)
                whole = next(heads) if at is None else lists[at].last
                self._head.append(self._head[whole])
                self._first[place] = self._first[whole]
                left, lists = [*left, *lists], []
            else:
                if line:
                    left, lists = [*left, *lists], []
                if left and not lists:
                    between.append(place)
                self._head.append(lists[-1].head if lists else None)
            top = self._head[place] is None or (mark and self._head[place] == 0 and _HEADING.search(self.sentences[0]))
            if top and (line or mark) and self._first[place] == place:
                paragraphs[0], paragraph = paragraph, place
            for target in _excepted(bare, paragraphs):
                one, other = self._first[place], self._first[target]
                if target < paragraph and one != other:
                    self._tied.setdefault(one, set()).add(other)
                    self._tied.setdefault(other, set()).add(one)
            if paragraph == place and not (place == 0 and _HEADING.search(sentence)):
                paragraphs[_value(mark) or len(paragraphs)] = place
        self.paragraphs = {number: place for number, place in paragraphs.items() if number}

    def rule(self, place: int, letters: int) -> tuple[list[int], bool]:
        """Return the sentences that a quotation of one sentence needs, and whether items at the end were left out.

        They are its rule with the provisos and exceptions, the heads of its list, each with its own, and the items.

        Args:
            place: number of the sentence.
            letters: how long the items may be; the first one is always taken.
        """
        own = self._bound(place)
        needed = set(own)
        head = self._head[place]
        while head is not None:
            first = self._first[head]
            if first in needed:
                break
            needed.update(self._bound(head))
            head = self._head[first]
        left_out = False
        # A paragraph is quoted with the one that it is an exception from, but not with the items of that.
        for item in self._below([one for one in own if one >= self._first[place]]):
            letters -= len(self.sentences[item])
            if letters < 0 and needed - set(own) and item not in needed and self._first[item] == item:
                left_out = True
                break
            needed.add(item)
        return sorted(needed), left_out

    def _bound(self, place: int) -> list[int]:
        """Return the rule of a sentence, its provisos, and the exceptions from it in other paragraphs."""
        closing = {end for begin, end in self._closing if begin <= place < end}
        rules = {self._first[place], *self._tied.get(self._first[place], ())}
        return [one for one, first in enumerate(self._first) if first in rules or one in closing]

    def _below(self, places: Sequence[int]) -> Iterable[int]:
        """Yield the items of lists whose heads are among some sentences, in the order of the text."""
        inside = set(places)
        for place, head in enumerate(self._head):
            if place in inside or place in self._under:
                continue
            if head in inside or self._first[place] in inside:
                inside.add(place)
                yield place
