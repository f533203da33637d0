"""Citations as people type them: words that are nothing but a law and a number, in any spelling.

``민법 750조``, ``민법750``, ``BGB 823``, ``art. 62 c.p.``, ``s 7 HRA``, ``劳动合同法47条``: the word for an article may
be missing, and is then put in as the grammar writes it, so that :func:`~legalir.references.read.read` reads the number
with its units. A text with other words is not such a citation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from legalir.references.grammar import grammars
from legalir.references.numbering import number_of
from legalir.references.numbers import clean
from legalir.references.read import Reference, read

_LONGEST, _LONGEST_NUMBER = 400, 60
"""Maximum number of characters of a citation with a heading, and of a number with its units."""

_FARTHEST = 24
"""Maximum number of characters of a word for an article."""

_FEWEST = 3
"""Fewest letters of a law that a number follows without a blank."""

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_QUOTES = '「」『』《》〈〉“”„"«»'
_SIGNS, _ENDS = " \t,;:–—-", " .。?？!！,;"
_LEADING = re.compile(r"(?:l['’]|the|der|die|das|il|lo|la|le|el|os?|as?|den|det)", re.IGNORECASE)
_INTRODUCING = re.compile(
    r"(?:(?:of|in|under|to)\s(?:the\s)?|(?:de[rsmn]?|du|del|della|dello|dei|d[ao]s?|van|von|z|av)\s(?:l[ao]s?\s|het\s|de\s)?"
    r"|(?:de\s)?l['’]|(?:dell?|d)['’]|แห่ง|ของ|ตาม|của\s|dari\s)(?=.)",
    re.IGNORECASE,
)
"""Words between a number and the name of its law behind it."""

_HAN = "〇零○一二三四五六七八九十百千"
_NUM = rf"(?:\d{{1,6}}|[{_HAN}]{{1,8}})"
_EASTERN = {"ko": ("제", "조", "의", "항"), "ja": ("第", "条", "の", "項"), "zh": ("第", "条", "之", "款")}
"""Signs around the number of an article, before one that follows it, and behind that of a paragraph."""

_EAST = re.compile(
    rf"[제第]?\s?({_NUM})(?:\s?[조条條]|(?![\d.]|\s?[조条條]))((?:\s?(?:의|之|の|ノ|-)\s?{_NUM}(?:\s?[조条條])?){{0,3}})"
)
_JOINED = re.compile(rf"(?:의|之|の|ノ|-)\s?({_NUM})")
_UNIT = re.compile(rf"[제第]?\s?({_NUM})\s?([항호款项項号號])")
ARTICLE = re.compile(rf"(?:[제第]\s?{_NUM}|\d)\s?[조条條](?![약례約例])")
"""The number of an article; words for a law with one in them are another citation."""

_EAST_MARK = re.compile(rf"[제第]\s?{_NUM}|{_NUM}\s?[조条條]")
_KOREAN_UNITS = str.maketrans("第條条項项號号", "제조조항항호호")
_OWN_MARKS = {"de": ("paragraph", "par"), "id": ("ps",)}
"""Words for an article that mean something else in other languages, or in a text."""

_CIRCLED = re.compile("[①-⑳]")
_HANGUL = {sign: str(value) for value, sign in enumerate("영일이삼사오육칠팔구")}
_HANGUL_UNITS = {"십": "十", "백": "百", "천": "千"}
_SPELT = re.compile(
    rf"(?<![가-힣])(?:제|(?=[일이삼사오육칠팔구십백천]{{2}}))([{''.join([*_HANGUL, *_HANGUL_UNITS])}]{{1,7}})"
    r"(?=\s?[조항호](?:\s?의|\s?제|\s|$|[일이삼사오육칠팔구십백]))"
)
"""A number spelt in Hangul; without 제, one syllable is none: 구조 is a structure."""

_ROMAN = re.compile(r"(?<=\d|[a-z]) ([IVX]{1,5})(?: (?:S\. ?)?(\d{1,2}))?$")
"""A paragraph and a sentence of it in Germany: ``§ 823 I 1``."""

_UNITS_BEHIND = re.compile(r"[(（\[](?:\d{1,4}\w?|[a-zA-Z]{1,2}|[ivx]{3,5})[)）\]]")
"""A unit in brackets, which is no heading."""

_UNIT_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W\d_]{3,}")
_PLAIN = re.compile(r"(?:[A-Z]{1,3}\.?\s?\*?\s?)?\d{1,6}(?:[:/‑-]\d{1,4})*[a-z]{0,2}")
_FIRST = re.compile(r"(?<=1)(?:er|re)\Z")
_DOTTED = re.compile(r"\d{1,4}(?:\.\d{1,4})+")
_NUMBER = re.compile(rf"\d|[{_HAN}]|(?<![^\W\d_])[A-Z](?=[A-Z]{{0,2}}\.?\s?\*?\d)")


class Typed(NamedTuple):
    """One way to divide a citation.

    Attributes:
        law: the words for the law, empty for none.
        laws: numbers of the laws that they name; none for one that the collection does not have.
        number: the number with its units, as typed, without the word for an article.
        reference: the number as a grammar reads it; None if no grammar reads all of it.
        heading: words behind the number that must be the heading of the provision.
        marked: whether it has a word or sign for an article.
    """

    law: str
    laws: tuple[int, ...]
    number: str
    reference: Reference | None
    heading: str = ""
    marked: bool = False


def as_typed(words: str) -> str:
    """Return a citation in NFC with single spaces and half-width letters, without quotation marks and a last sign."""
    text = clean(unicodedata.normalize("NFC", words).translate(_WIDE))
    text = "".join(str(unicodedata.decimal(sign, sign)) for sign in text)
    if text[:1] in "[(" and text[-1:] in "])" and not set("()[]") & set(text[1:-1]):
        text = text[1:-1]
    text = "".join(" " if sign in _QUOTES else sign for sign in text)
    text = " ".join(text.split()).strip(_ENDS if text[-3:-2] != "." else f"{_ENDS[0]}{_ENDS[2:]}")
    return _SPELT.sub(lambda match: f"제{_in_digits(match[1])}", text)


def law_endings(lang: str) -> tuple[str, ...]:
    """Return the last letters of the names of laws, in languages where the law precedes the article."""
    grammar = grammars().get(lang.partition("-")[0])
    return grammar.law_before if grammar else ()


def divisions(text: str, lang: str, named: Callable[[str, bool], tuple[int, ...] | None]) -> Iterator[Typed]:
    """Yield the ways to divide a citation into a law and a number, those of laws of the collection first.

    Args:
        text: the citation, as :func:`as_typed` returns it.
        lang: language of the collection, ISO 639-1.
        named: returns the laws of a name, None for words that name no law. Its second argument says whether the number
            has a word for an article.
    """
    if len(text) > _LONGEST:
        return
    own, unknown, named = lang.partition("-")[0], list[Typed](), cache(named)  # Many ways have words in common.
    for start, number_at, languages in _starts(text, own):
        before = text[:start].strip(_SIGNS)
        before = "" if _LEADING.fullmatch(before) else before
        for cut in _cuts(text, number_at):
            marked = number_at > start or bool(_EAST_MARK.search(text[start:cut]))
            law, heading, laws = before, "", named(before, marked) if before else None
            if before[-1:] in tuple("의的の之") and (of := named(before[:-1].strip(), marked)):
                law, laws = before[:-1].strip(), of
            rest = text[cut:].strip(_SIGNS)
            if before and rest:
                heading = "" if _UNITS_BEHIND.match(rest) else rest
                laws = laws if heading else ()
            elif rest:
                introduced = _INTRODUCING.match(rest)
                law = rest[introduced.end() :].strip() if introduced else rest
                laws = next((of for name in (law, rest) if (of := named(name, marked)) is not None), None)
            if (before and rest and not laws) or (laws is None and (not marked or _is_citation(law, own)) and law):
                continue
            typed = text[start if "" in languages else number_at : cut].strip(_SIGNS)
            reference = _reference(text[start:cut].strip(_SIGNS), typed, number_at > start, own, languages)
            one = Typed(law, laws or (), typed, reference, heading, marked)
            if not law or laws:
                yield one
            elif reference is not None:
                unknown.append(one)
    yield from unknown


def _is_citation(law: str, lang: str) -> bool:
    """Return True if words before or behind a number have a number of their own, and so name no law."""
    if ARTICLE.search(law):
        return True
    return any(languages and law[start] not in "제第" for start, _, languages in _starts(law, lang))


def _starts(text: str, lang: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield where a number begins with the word for an article, without it, and the languages of that word."""
    if units := _units_pattern(lang).match(text):
        yield 0, 0, (lang,)
        if units.end() == len(text):
            return
    for match in _NUMBER.finditer(text):
        at = match.start()
        before = text[at - 1 : at] if at else " "
        if mark := _marks_pattern(lang).search(text, max(0, at - _FARTHEST), at):
            yield mark.start(), at, _marks(lang)[_key(mark[0])]
        elif before in ".-/:" or before.isdigit() or before in _HAN:
            continue
        elif not (before.isascii() and before.isalpha() and at < _FEWEST):  # CO2
            yield at, at, ()


def _cuts(text: str, start: int) -> list[int]:
    """Return the places where a number that begins at a place may end, the last first."""
    text = text[: start + _LONGEST_NUMBER]
    ends = [match.end() for match in re.finditer(r"\S+", text[start:])]
    inner = re.finditer(
        r"(?<=[\w)）.])(?= ?[(（【\[])|(?<=\d)(?=[A-Z]{2}|[^\W\d_]\.)|(?<=[조条條])(?=[^\W\d])", text[start:]
    )
    return sorted({start + end for end in (*ends, *(match.start() for match in inner)) if end}, reverse=True)


def _reference(typed: str, number: str, marked: bool, lang: str, languages: Sequence[str]) -> Reference | None:
    """Return a number with its units as a grammar reads it, if it reads all of it as one reference without a law."""
    if lang in _EASTERN and (eastern := _eastern(typed, lang)):
        return _read(eastern, lang)
    if not (annex := "" in languages) and _PLAIN.fullmatch(number):
        article = number_of(number) if number[0].isupper() or _FIRST.search(number) else number
        return Reference(number, 0, len(number), article=article)
    if lang == "de" and (roman := _ROMAN.search(number)):
        sentence = f" Satz {roman[2]}" if roman[2] else ""
        number = f"{number[: roman.start()]} Abs. {number_of(roman[1])}{sentence}"
    others = [each for each in languages if each] if marked and lang not in languages else []
    codes = [lang, *(["en"] if lang not in grammars() or "(" in number else []), *others]
    for code in dict.fromkeys(codes):
        if code != lang and not _may_read(number, code):
            continue
        for form in (typed,) if annex else (_with_mark(number, code), typed):
            if code in grammars() and form and (reference := _read(form, code)):
                return reference
    return Reference(number, 0, len(number), article=number) if _DOTTED.fullmatch(number) else None


def _may_read(number: str, lang: str) -> bool:
    """Return True if the words beside a number are those of units in a language, whose reader takes long to make."""
    return all(word.casefold().startswith(_unit_words(lang)) for word in _UNIT_WORD.findall(number))


@cache
def _unit_words(lang: str) -> tuple[str, ...]:
    grammar = grammars().get(lang)
    levels = (grammar.article, grammar.paragraph, grammar.item, grammar.subitem, grammar.annex) if grammar else ()
    forms = " ".join(form for level in levels for form in level)
    return tuple({word.casefold() for word in re.findall(r"[^\W\d_]{2,}", forms)} | {"bis", "ter", "quater", "quinq"})


def _read(form: str, lang: str) -> Reference | None:
    found = read(form, lang)
    if len(found) != 1 or found[0].law or found[0].surface.strip(_ENDS) != form.strip(_ENDS):
        return None
    return found[0] if found[0].article or found[0].annex else None


def _eastern(typed: str, lang: str) -> str:
    """Return a number of Korean, Japanese or Chinese with the signs that the reader expects; empty if it is none."""
    if (match := _EAST.match(typed)) is None:
        return ""
    head, article, joiner, paragraph = _EASTERN[lang]
    sub = "".join(f"{joiner}{one[1]}" for one in _JOINED.finditer(match[2]))
    rest = _CIRCLED.sub(lambda one: f"{head}{number_of(one[0])}{paragraph}", typed[match.end() :])
    form = f"{head}{match[1]}{article}{sub}" + _UNIT.sub(rf"{head}\1\2", rest)
    return form.translate(_KOREAN_UNITS) if lang == "ko" else form


def _with_mark(number: str, lang: str) -> str:
    """Return a number behind the first word for an article of a language, empty if the word follows the number."""
    forms = (_word_and_number(form) for form in (grammars()[lang].article if lang in grammars() else ()))
    return next((f"{word.split('|')[0]} {number}" for word in forms if word), "")


def _word_and_number(form: str) -> str:
    """Return the word of a form that is a word and a number, else an empty string."""
    words = form.lstrip("+^ ").partition(" > ")[0].split()
    places = ("N", "N+", "R", "R+", "B", "B+", "X", "X+")
    if len(words) != 2 or words[1] not in places or words[0] in ("U.S.C.", ",") or words[0][-1] == "~":
        return ""
    if form[0] == "^" and words[0][0].isalpha():
        return ""  # el 54 is an article only behind another one.
    return words[0]


@cache
def _marks(own: str) -> dict[str, tuple[str, ...]]:
    """Return the words and signs for an article before a number, each with its languages; ``""`` for an annex."""
    marks: dict[str, tuple[str, ...]] = {"제": ("ko",), "第": ("zh", "ja"), "§§": (), "№": (), "[ 별표": ("",)}
    marks |= dict.fromkeys(_OWN_MARKS.get(own, ()), (own,))
    for lang, grammar in grammars().items():
        for level, forms in (("", grammar.annex), (lang, grammar.article)):
            for word in (each for form in forms for each in _word_and_number(form).split("|")):
                if word and not word.endswith("*"):
                    marks[_key(word)] = (*marks.get(_key(word), ()), level)
    return marks


def _key(mark: str) -> str:
    return mark.strip().strip(".").casefold()


@cache
def _marks_pattern(own: str) -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in sorted(_marks(own), key=len, reverse=True))
    return re.compile(rf"(?:(?<![^\W\d_])|(?<=['’])|(?=[제第별附別]|มาตรา))(?:{words})\.?\s?\Z", re.IGNORECASE)


@cache
def _units_pattern(lang: str) -> re.Pattern[str]:
    """Return the pattern of a unit of an article at the beginning of a text: ``khoản 1``."""
    grammar = grammars().get(lang)
    forms = (*grammar.paragraph, *grammar.item, *grammar.subitem) if grammar else ()
    words = {one for form in forms for one in _word_and_number(form).split("|") if len(one) > 1}
    inside = "|".join(re.escape(word.rstrip("*")) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?:{inside})\w{{0,4}}\s?[(（]?\w{{1,4}}[)）]?(?=\W|\Z)" if words else "(?!)", re.IGNORECASE)


def _in_digits(letters: str) -> str:
    """Return a number spelt in Hangul with digits: ``칠백오십`` is 750."""
    if any(sign in _HANGUL_UNITS for sign in letters):
        han = "".join(_HANGUL_UNITS.get(sign) or _HAN[int(_HANGUL[sign]) + 2] for sign in letters)
        return number_of(han)
    return "".join(_HANGUL[sign] for sign in letters)
