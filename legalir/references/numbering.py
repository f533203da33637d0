"""Numbers of provisions as publishers print them: one spelling, and one order.

``제9조의2`` is ``9의2``, ``第百二十条の二`` is ``120の2``, ``§ 823a`` is ``823a``, ``L. 121-3`` is ``L121-3``,
``มาตรา ๔๐ ทวิ`` is ``40ทวิ``, ``Art. 3-bis`` is ``3-bis``, ``第 15-1 條`` is ``15-1``, ``Artigo 5.º-A`` is ``5-A``,
``§ 235-b`` is ``235-b``, ``Artikel 6:162`` is ``6:162``, ``Art. VI.83`` is ``VI.83``, ``Art. 22¹`` is ``22¹``,
``4 a §`` is ``4a``, ``1er bis A`` is ``1bisA``, ``CB 6A`` is ``CB6A``. The joiners of a language stay (``의``, ``の``,
``之``), because they belong to the number; the words around it go. A label of several provisions, ``Art. 86 und 87``,
has their first and last number: ``86-87``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

_FIRST_DIGITS = re.compile(r"\d+")
_HAN_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "○": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_HAN = "".join([*_HAN_DIGITS, *_HAN_UNITS])
_LATIN_ORDINALS = (
    *("semel", "bis", "ter", "quater", "quinquies", "sexies", "septies", "octies", "novies", "nonies", "decies"),
    *("undecies", "duodecies", "terdecies", "quaterdecies", "quinquiesdecies", "quindecies", "sexiesdecies"),
    *("septiesdecies", "octiesdecies", "noviesdecies", "vicies"),
)
_THAI_ORDINALS = (
    *("ทวิ", "ตรี", "จัตวา", "เบญจ", "ฉ", "สัตต", "อัฏฐ", "นว", "ทศ"),
    *("เอกาทศ", "ทวาทศ", "เตรส", "จตุทศ", "ปัณรส", "โสฬส", "สัตตรส", "อัฏฐารส", "เอกูนวีสติ"),
    *("วีสติ", "เอกวีสติ", "ทวาวีสติ", "เตวีสติ", "จตุวีสติ", "ปัญจวีสติ", "ฉัพพีสติ", "สัตตวีสติ", "อัฏฐวีสติ"),
)
_ARABIC_ORDINALS = ("مكرر", "ثالثا", "رابعا", "خامسا", "سادسا")
ARABIC_ENDINGS = re.compile("ال(?=مكرر)|(?<=مكرر)(?:[اً]+|ة)|(?<=ا)ً(?!\\w)")
"""Letters of a word of `_ARABIC_ORDINALS` that some publishers write and others do not: مكرراً, المكررة."""

_ORDINALS = {
    word: place for words in (_LATIN_ORDINALS, _THAI_ORDINALS, _ARABIC_ORDINALS) for place, word in enumerate(words, 1)
}
_ORDINAL = "|".join(sorted(_ORDINALS, key=len, reverse=True))
_DIGITS = rf"(?:(?<!\d)\d{{1,18}}(?!\d)|(?<![{_HAN}])[{_HAN}]{{1,18}}(?![{_HAN}]))"  # Longer runs number nothing.
_JOINER = "[의のノ之]"
_CARET, _AS_SUPERSCRIPT = re.compile(r"(?<=\d)\^(\d{1,2})(?!\d)"), str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUPERSCRIPTS = re.compile("((?<=\\d)[⁰¹²³⁴-⁹]+)")
_MARK = re.compile("(?<=\\d[A-Za-z]|/[A-Za-z])[⁰¹²³⁴-⁹]+")
_LETTER = "[A-Za-zΑ-Ωα-ωА-Яа-я]"
_WORD_END = r"(?![^\W\d_])"
_AND = r"(?:und|u\.|oder|sowie|et|ou|and|or|e|y|o|og|och|ja|tai|en|i|и|&)"
_TO = r"(?:bis|à|au|to|al?|till?|tot|do|–|—)"
_ARTICLE = r"(?:(?:§+|(?i:art|ch?l|sec|reg)\w*\.?|n[.º°]+)\s*)?"
_TAIL = (
    rf"(?:[\s\-‐‑]?(?i:{_ORDINAL})(?:\s?\d{{1,2}}(?!\d))?{_WORD_END}|{_LETTER}{{1,2}}(?=[\s\-‐‑]?(?:{_ORDINAL}){_WORD_END})"
    rf"|{_LETTER}{{1,3}}(?![^\W_])|[A-Z]{{4}}(?![^\W_])|z{{1,5}}[a-z]{{0,2}}\d{{0,2}}(?![^\W_])|[-‐‑/][A-Z](?![^\W_])|[-‐‑][a-z](?![^\W_])|[-‐‑](?![IVX]{{2,3}}(?![^\W_]))[A-Z]{{2,3}}(?![^\W_])"
    # A letter after a blank belongs to the number if nothing but the word for the unit follows: 4 a §, 199 decies B.
    rf"|\s(?:{_LETTER}|(?<=[a-z]\s)[A-Z]{{2}})(?=\s*(?:$|[§.,;:()\]\-–—&])|\s+(?:lu[kv]u|kap|{_ORDINAL}|(?:{_AND}|{_TO})\s*{_ARTICLE}\d)))"
)
_NUMBER = re.compile(
    rf"(?P<prefix>(?<![^\W\d_])(?:(?:L[OPp]|[LRDA])\*?\.?\s?|(?:^|(?<=[Aa]rticle\s)|(?<=[Aa]rt\.\s))(?:[DR]\.)?[IVX]{{1,5}}\.)"
    # Letters before a number of the Income Tax Act of New Zealand: section CB 6A.
    rf"|(?:^|(?<=[Ss]ection\s)|(?<=\b[Ss]\s))(?!(?:CH|CL|NO|NR|PT|ST)(?![A-Z]))[A-Z]{{2}}\s?(?=\d)"
    # The chapter in a Korean number: 제7-14조의2.
    rf"|(?<!\d)\d{{1,3}}-(?=\d{{1,4}}조?의\d))?(?P<main>{_DIGITS})"
    rf"(?:(?:\s?[편장절관조항호부編编章節节款條条項项号號目])?(?P<joined>(?:\s?{_JOINER}\s?{_DIGITS}(?:[조條条호号號])?)+))?"
    rf"(?:(?<=1)er(?:(?![^\W_])|(?={_ORDINAL})))?"
    rf"(?P<rest>[⁰¹²³⁴-⁹]*(?:[./:\-‐‑–]\d+)*{_TAIL}{{0,4}}(?:\s?\([ء-ي]\)|(?<=مكرر)\s?\(?(?:\d{{1,2}}|(?!و)[ء-ي]ـ?)(?![\dء-ي])\)?)?(?:-0\s[A-Z]{{1,2}}(?![^\W_])"
    r"|(?:[./:\-‐‑–]\d+)+(?:\s?[a-z](?=\s*(?:$|[.,;:)])))?)?)"  # 2A-1 a
)
_ORDINAL_SIGN = re.compile(
    r"(?:((?<!\w)(?i:art(?:[íi]culo|igo)?)\.?\s\d{1,3})o(?![^\W_])|\.?[ºª°])"
    rf"(?:\.(?=\s?-?(?i:{_ORDINAL}){_WORD_END}|-[A-Z](?![^\W_])))?"
)
"""The sign of an ordinal number, with the full stop before what belongs to it, too: ``Artículo 4o. Bis``."""
_BETWEEN = re.compile(rf"\s*(,|(?<![^\W\d_])(?:{_AND}|{_TO}){_WORD_END}|[–—&])\s*(?={_ARTICLE}\d)")
# A Roman numeral has an I, V or X: a single C is a letter of the alphabet, as no law has a hundred such parts.
_ROMAN = re.compile(
    r"(?<![^\W_])(?=[LCDM]*[IVX])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
    rf"(?P<rest>(?:{_ORDINAL}|er|[A-Z])?)(?![^\W_])"
)
_LETTER_ALONE = re.compile(rf"^(?:\W*[^\W\d_]+\W+)?(?P<number>[A-Z](?:{_ORDINAL})?)\W*$")
_FIRST = re.compile(r"^\W*art\w*\.?\s+(?:premier|premi[eè]re|primero?|primeiro|primo|primer)\b", re.IGNORECASE)
_MOST = 500
"""Maximum number of provisions in a range."""

_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_CIRCLED = {
    chr(code): str(place)
    for first, base in ((0x2460, 1), (0x3251, 21), (0x32B1, 36))
    for place, code in enumerate(range(first, first + (20 if base == 1 else 15)), base)
}
_PARTS = re.compile(rf"\d{{1,18}}|{_ORDINAL}|[^\W\d_]+")


@lru_cache(1 << 14)
def number_of(label: str) -> str:
    """Return the number in the printed label of a unit, in one spelling; empty if it has none.

    Digits of all scripts, Han numerals, circled digits and Roman numerals become Arabic digits; French ``1er`` and
    ``Ier`` are 1. If a label names several provisions, the first and the last count; otherwise the first number. A
    single letter is its own number: ``가.`` is ``가``, ``(b)`` is ``b``, ``C.`` is ``C``.
    """
    several = numbers_of(label)
    return f"{several[0]}-{several[-1]}" if len(several) > 1 else several[0]


def numbers_of(label: str) -> list[str]:
    """Return the number of each provision that a label names: ``Art. 2 bis 4`` has ``2``, ``3`` and ``4``."""
    first, *others = _BETWEEN.split(label)
    if not others:
        return [_number_of(label)]
    numbers = [_number_of(part) for part in (first, *others[1::2])]
    if others[-2] == "," or any(sort_key(one) >= sort_key(other) for one, other in pairwise(numbers)):
        return [_number_of(label)]
    if len(numbers) == 2 and re.fullmatch(_TO, others[0]) and all(map(str.isdecimal, numbers)):
        low, high = map(int, numbers)
        if others[0] in "–—" and re.match(r"\W*§\s*\d", label):  # Section 10 of chapter 2.
            return [_number_of(label)]
        return [str(number) for number in range(low, high + 1)] if high - low < _MOST else numbers
    return numbers


def _number_of(label: str) -> str:
    text = "".join(_CIRCLED.get(sign, sign) for sign in label)
    text = _CARET.sub(lambda match: match[1].translate(_AS_SUPERSCRIPT), text)
    # A superscript after a digit is a number of its own: art. 22¹ is not 221; after a letter it is a mark.
    parts = _SUPERSCRIPTS.split(_MARK.sub("", _ORDINAL_SIGN.sub(r"\1", text)))
    text = "".join(part if place % 2 else unicodedata.normalize("NFKC", part) for place, part in enumerate(parts))
    text = re.sub("(?i)quáter", "quater", ARABIC_ENDINGS.sub("", text)).replace("อัฎฐ", "อัฏฐ")
    if match := _NUMBER.search(text):
        main = str(value_of(match["main"]))
        joined = re.sub(r"[\s조條条호号號]", "", match["joined"] or "").replace("ノ", "の")
        joined = re.sub(_DIGITS, lambda part: str(value_of(part[0])), joined)
        rest = decimal(re.sub(r"[‐‑–]", "-", re.sub(r"[\s()]", "", match["rest"])))
        rest = re.sub(f"(?i:{_ORDINAL})", lambda word: word[0].lower(), rest)  # Artículo 15 BIS
        prefix = re.sub(r"\s|(?<![IVX])\.(?![IVX])", "", match["prefix"] or "").upper()
        return f"{prefix}{main}{joined}{rest}"
    if (roman := _ROMAN.search(text)) and roman[0]:
        rest = roman["rest"]
        return f"{roman_value(roman[0].removesuffix(rest))}{'' if rest == 'er' else rest}"
    if alone := _LETTER_ALONE.match(text):
        return alone["number"]
    if _FIRST.search(text):
        return "1"
    letters = re.findall(r"[^\W\d_]+", text)
    return letters[0] if letters and len(letters[0]) <= 2 else ""


def sort_key(number: str) -> str:
    """Return a string that orders numbers as a statute does: ``9``, ``9의2``, ``10``; ``12``, ``12bis``, ``12ter``."""
    parts = []
    book, _, rest = number.partition(".")
    if rest and _ROMAN.fullmatch(book):  # Article VI.83
        number = f"{roman_value(book)}.{rest}"
    for part in _PARTS.findall(number):
        if part.isdecimal():
            parts.append(f"{int(part):06d}")
        elif part in _ORDINALS:
            parts.append(f"{_ORDINALS[part]:06d}")
        elif part not in ("의", "の", "之"):
            parts.append(f"~{part.lower()}")
    return ".".join(parts)


def value_of(run: str) -> int:
    """Return the number that a run of digits of one script, or a Han numeral, is."""
    if run[0] not in _HAN:
        return int(run)
    if not any(sign in _HAN_UNITS for sign in run):
        return int("".join(str(_HAN_DIGITS[sign]) for sign in run))
    total = group = digit = 0
    for sign in run:
        unit = _HAN_UNITS.get(sign)
        if unit is None:
            digit = _HAN_DIGITS[sign]
        elif unit == 10_000:
            total, group, digit = total + (group + digit or 1) * unit, 0, 0
        else:
            group, digit = group + (digit or 1) * unit, 0
    return total + group + digit


def roman_value(numeral: str) -> int:
    """Return the number that a Roman numeral in capitals is."""
    values = [_ROMAN_VALUES[sign] for sign in numeral]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def can_follow(number: str, following: str) -> bool:
    """Return True if a number or letter in brackets can follow another in a list: ``5`` after ``3``."""
    first, second = (_FIRST_DIGITS.match(one) for one in (number, following))
    if first and second:
        return int(first[0]) <= int(second[0])
    if not number or not (number.isalpha() and following.isalpha()):
        return not number
    roman = len(number) > 1 and not set(following.casefold()) - set("ivxlc")
    inserted = len(number) > 1 and bool(set(number.casefold()) - set("ivxlc"))  # (aa) and (b)
    return roman or (number <= following and (len(number) == 1 or len(following) > 1 or inserted))


def is_variant(number: str, following: str) -> bool:
    """Return True if two numbers differ in their letters alone: ``5A`` and ``5B``, ``5`` and ``5A``."""
    digits, letters = (_FIRST_DIGITS.match(number), following.lstrip("0123456789"))
    tail = number[digits.end() :] if digits else ""
    return bool(digits and letters.isalpha() and (tail.isalpha() or not tail) and following.startswith(digits[0]))


def decimal(number: str) -> str:
    """Return a number with its digits, of any script, as 0 to 9."""
    return "".join(str(unicodedata.decimal(sign, sign)) for sign in number)


def counted_number(number: str, step: int) -> str:
    """Return the number `step` behind another, or before it if negative, if none is skipped: ``28`` before ``28の2``.

    Empty if there is none.
    """
    match = re.fullmatch(r"(.*?)(\d+)", number)
    if match is None:
        letter = re.fullmatch(r"(.*\d)?([a-zA-Z])", number)
        if letter is None:
            return ""
        sign = chr(ord(letter[2]) + step)
        return f"{letter[1] or ''}{sign}" if sign.isalpha() else letter[1] or ""
    value, head = int(match[2]) + step, match[1]
    joiner = head[-1:] if not head[-1:].isdigit() else ""
    first = 2 if joiner in tuple("の의") else 1  # The first branch is 28の2, but 28-1.
    if joiner and value < first:
        main = head.rstrip("의の之-./ ")
        counted = value == first - 1 and joiner != "." and (first == 2 or main.isdecimal())  # L. 1234-1 begins anew.
        return main if counted else ""
    return f"{head}{value}" if value >= 1 else ""
