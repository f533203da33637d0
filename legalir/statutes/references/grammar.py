"""References read by grammar: the forms of a reference in each language, as data files, and a reader of them.

A grammar is a YAML file in ``grammars/``, named by its language code (ISO 639-1). Nothing is learnt from a collection,
so a question of one line can be read; :mod:`~legalir.statutes.references.scanner` learns from a statute book instead.

A *form* is words and places, with a blank where white space may stand: ``제 N 조``, ``article N``, ``lit. X``. ``N`` is
a number (digits of any script or Han numerals, with what is attached: ``12a``, ``6.2.1``, ``20-870``), ``X`` one or two
letters. Upper and lower case are the same. Roman numerals and numbers written as words are not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple, Self

from pydantic import model_validator

from legalir.statutes.references.numbers import clean
from legalir.storage.schema import Schema, SchemaError, Text

_GAP = r"[\s\u200b-\u200f\u2060\ufeff]{0,3}"
"""White space, and the invisible signs that word processors leave."""

# Each quantifier has a bound: without one, it would be tried anew from each sign of a long run.
_HAN = r"[〇零一二三四五六七八九十百千]{1,12}"
_LETTERS = r"(?-i:[A-Z]{1,3}|[a-z])(?![^\W_])"
_NUMBER = rf"(?:(?<!\d)\d{{1,6}}(?!\d)(?:{_LETTERS})?(?:[.\-‐-–/]\d{{1,4}}(?!\d)(?:{_LETTERS})?){{0,6}}|{_HAN})"
_ANY_NUMBER = re.compile(rf"\d|{_HAN}")
_SHORT = rf"(?:\d{{1,4}}(?!\d)|{_HAN})"
_PART = rf"[(（]?{_SHORT}[A-Za-z]?[)）]?"
_LETTER = r"\w{1,2}(?![^\W_])[)）]?"
_BRACKETS = re.compile(
    rf"(?:\.?{_GAP}[(（](?:\d{{1,3}}|\d{{0,3}}(?:[^\W\d_]|[A-Za-z]{{1,2}})|[ivxIVX]{{3,5}})[)）]){{1,6}}"
)
_SAME = 40
"""Characters before a reference in which the words that mean a law named before must stand."""

_IN_BRACKETS = re.compile(r"\w+")


class Grammar(Schema):
    """The forms of references in one language."""

    KIND = "a grammar of references"

    article: tuple[Text, ...]
    """Forms of one article; each has one ``N``."""

    articles: tuple[Text, ...] = ()
    """Forms of the first of several articles, after which more numbers follow: ``articles N``."""

    prefix: tuple[Text, ...] = ()
    """Letters before a number that belong to it: ``L`` in ``L. 121-3``."""

    sub: tuple[Text, ...] = ()
    """Forms after an article that belong to its number: ``의 N``, ``bis``."""

    part: tuple[Text, ...] = ()
    """Forms of parts of an article, which are passed over."""

    list: tuple[Text, ...] = ()
    """Words between the numbers of a list."""

    range: tuple[Text, ...] = ()
    """Words between the ends of a range."""

    law_before: tuple[Text, ...] = ()
    """Last letters of the names of laws, in languages where the law stands before the article."""

    law_after: tuple[Text, ...] = ()
    """Words after an article that introduce its law, or begin the name of the law."""

    same_law: tuple[Text, ...] = ()
    """Words beside an article that mean a law that was named before."""

    @model_validator(mode="after")
    def _check_forms(self) -> Self:
        for key in ("article", "articles"):
            for place, form in enumerate(getattr(self, key), start=1):
                if form.split().count("N") != 1:
                    raise SchemaError(f"'{key}', item {place} must have one N, got {form!r}.")
        return self


class ArticleNumber(NamedTuple):
    """A number of an article in a text.

    Attributes:
        start: in the cleaned text.
        end: after the parts in brackets.
        number: as :class:`~legalir.statutes.references.numbers.Numbers` reads it: ``12.3`` for ``제12조의3``, ``65ตรี``.
        parts: the parts in brackets after it: ``("3", "a")`` for ``12(3)(a)``.
    """

    start: int
    end: int
    number: str
    parts: tuple[str, ...]


class Reference(NamedTuple):
    """A place in a text that cites an article, or the articles of a list.

    Attributes:
        start: in the cleaned text.
        end: after the last number.
        numbers: in the order of the text; of a range, both ends.
        after: after the parts of the article, where the name of a law may begin.
        law: after the words there that introduce a law; None where there are none.
        same_law: whether words beside it mean a law that was named before.
        endings: last letters of the names of laws that may stand before it.
    """

    start: int
    end: int
    numbers: tuple[ArticleNumber, ...]
    after: int
    law: int | None
    same_law: bool
    endings: tuple[str, ...]


def read_references(text: str) -> list[Reference]:
    """Return the references in a cleaned text by the grammars of all languages; of two that overlap, the first.

    The words of one grammar mean nothing in other languages, so the language of the text need not be known.
    """
    if not _ANY_NUMBER.search(text):
        return []
    found = [reference for forms in _all_forms() for reference in forms.read(text)]
    found.sort(key=lambda one: (one.start, -one.end, -one.after, one.law is None))
    kept: list[Reference] = []
    for reference in found:
        if not kept or reference.start >= kept[-1].end:
            kept.append(reference)
    return kept


@cache
def grammars() -> dict[str, Grammar]:
    """Return the grammar of each language by its code.

    Raises:
        DefinitionError: a file is damaged.
    """
    with resources.as_file(resources.files("legalir.statutes.references") / "grammars") as folder:
        return {path.stem: Grammar.load(path) for path in sorted(folder.glob("*.yaml"))}


@cache
def _all_forms() -> tuple[_Forms, ...]:
    return tuple(map(_Forms, grammars().values()))


class _Forms:
    """A grammar as regular expressions. Each reads on from a place; their bounds keep the time linear in the text."""

    def __init__(self, grammar: Grammar) -> None:
        number = _NUMBER
        if grammar.prefix:
            letters = "|".join(re.escape(one) for one in sorted(grammar.prefix, key=len, reverse=True))
            number = rf"(?:(?:{letters})(?:\.{_GAP}|(?=[\s\d])\s?))?{_NUMBER}"
        heads = (*grammar.article, *grammar.articles)
        # A form of several goes on after its number; so does a form of a language that does not tell one from several.
        self._goes_on = len(grammar.article) if grammar.articles else 0
        self._head = re.compile("|".join(_form(form, f"({number})") for form in heads), re.IGNORECASE)
        self._number = re.compile(number, re.IGNORECASE)
        self._sub = _any_of(grammar.sub, f"({_SHORT})", sign="-‐–")
        self._part = _any_of(grammar.part, _PART)
        self._join = _any_of((*grammar.list, *grammar.range))
        self._law = _any_of(grammar.law_after)
        self._same = _any_of(grammar.same_law)
        # Of a longer word it is no part: 동법 in 노동법.
        self._same_before = re.compile(rf"(?<![가-힣])(?:{_alternatives(grammar.same_law)}){_GAP}$", re.IGNORECASE)
        self._endings = grammar.law_before

    def read(self, text: str) -> Iterator[Reference]:
        place = 0
        while (head := self._head.search(text, place)) is not None:
            group = int(head.lastindex or 1)
            numbers = [self._completed(text, head.start(group), head.end(), head[group])]
            if group > self._goes_on:
                numbers += self._more(text, numbers[0].end)
            end = numbers[-1].end
            place = self._after_parts(text, end)
            start = head.start()
            same = self._same.match(text, place) or self._same_before.search(text, max(0, start - _SAME), start)
            law = None if same else self._law.match(text, place)
            after = law.end() if law else None
            yield Reference(start, end, tuple(numbers), place, after, same is not None, self._endings)

    def _more(self, text: str, end: int) -> Iterator[ArticleNumber]:
        while join := self._join.match(text, self._after_parts(text, end)):
            number = self._number.match(text, join.end())
            if number is None:
                return
            one = self._completed(text, number.start(), number.end(), number[0])
            end = one.end
            yield one

    def _completed(self, text: str, start: int, end: int, number: str) -> ArticleNumber:
        """Return the number that ends at `end`, with what belongs to it."""
        number = re.sub(r"\s", "", number)
        while sub := self._sub.match(text, end):
            number += f".{sub[sub.lastindex]}" if sub.lastindex else re.sub(r"[\s\-‐–]", "", sub[0]).lower()
            end = sub.end()
        end = start + len(text[start:end].rstrip())
        if (brackets := _BRACKETS.match(text, end)) is None:
            return ArticleNumber(start, end, number, ())
        return ArticleNumber(start, brackets.end(), number, tuple(_IN_BRACKETS.findall(brackets[0])))

    def _after_parts(self, text: str, end: int) -> int:
        while part := self._part.match(text, end):
            end = part.end()
        return end


def _any_of(forms: Sequence[str], number: str = "", sign: str = ",，") -> re.Pattern[str]:
    """Return the pattern of any of the forms with the white space around it; the pattern of none matches nowhere.

    Args:
        forms: the forms.
        number: pattern of ``N``.
        sign: signs of which one may stand before a form.
    """
    inside = _alternatives(forms, number)
    return re.compile(rf"{_GAP}[{sign}]?{_GAP}(?:{inside}){_GAP}", re.IGNORECASE)


def _alternatives(forms: Sequence[str], number: str = "") -> str:
    return "|".join(_form(form, number) for form in sorted(forms, key=len, reverse=True)) or r"(?!)"


def _form(form: str, number: str) -> str:
    """Return the pattern of a form."""
    return _GAP.join({"N": number, "X": _LETTER}.get(token) or _word(token) for token in clean(form).split())


def _word(word: str) -> str:
    """Return the pattern of a word; a word of the Latin alphabet stands alone, and so does a single Thai letter."""
    first, last = (unicodedata.name(letter).split()[0] for letter in (word[0], word[-1]))
    alone = last == "LATIN" or (last == "THAI" and len(word) == 1)
    return (r"(?<![^\W\d_])" if first == "LATIN" else "") + re.escape(word) + (r"(?![^\W_])" if alone else "")
