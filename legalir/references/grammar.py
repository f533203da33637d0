"""References read by grammar: the forms of a reference in each language, as data files, and a reader of them.

A grammar is a YAML file in ``grammars/``, named by its language code (ISO 639-1). Nothing is learnt from a collection,
so a question of one line can be read; :mod:`~legalir.train.reference_contexts` learns from a statute book instead.

A *form* is words and places, with a blank for optional white space: ``제 N 조``, ``article N``, ``lit. X``. ``N`` is
a number (digits of any script or Han numerals, with what is attached: ``12a``, ``6.2.1``, ``20-870``), ``X`` one or two
letters. Upper and lower case are the same.

An inflected word has alternatives, ``статья|статье N``, or an open end, ``N . madde*``; verbs of `Grammar.states` may
have an open beginning, ``*uje|ują``. What follows a word with ``~``, in small letters, is attached to it: ``s~ N``.
Words after ``>`` must follow, but are not part of the form: ``§ N > ust.``. Words after ``> !`` must not follow:
``N > ! kronor``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib import resources
from itertools import groupby
from string import ascii_lowercase
from typing import Any, Literal, NamedTuple, Self

from pydantic import model_validator

from legalir.config import AnyText, Flag, OptionalText, Schema, SchemaError, Text
from legalir.references.numbering import ARABIC_ENDINGS, number_of
from legalir.references.numbers import clean

_PIECE = re.compile("<([A-Z]+)>")
GAP = r"[\s\u200b-\u200f\u2060\ufeff]{0,3}"
"""Pattern of white space between the words of a form, and of the invisible signs that word processors leave."""

# Each quantifier has a bound: without one, it would be tried again from each sign of a long run.
_HAN_SIGNS = "〇零一二三四五六七八九十百千"
_HAN = rf"(?!〇)[{_HAN_SIGNS}]{{1,12}}"
# What follows may be Han, kana or Hangul. A range of these in each pattern would take seconds to compile.
_SPACED = r"\dA-Za-zÀ-ɏͰ-ϿЀ-ӿ\u0590-\u06ff\u0e00-\u0e7f"
_LETTERS = rf"(?-i:(?:[A-Z]{{1,4}}|{'|'.join(f'{sign}{{1,3}}' for sign in ascii_lowercase)})(?![{_SPACED}]))"
_PLAIN = r"(?-i:[A-Z]{0,2})\d{1,6}[A-Za-z]{0,4}(?:[.\-‑–]\d{1,4}[A-Za-z]{0,2}){0,3}(?![^\W_])"
"""A number behind a form, which is not read there."""
_STOP, _STOP_ALONE = re.compile(r"(?<=[(|])\\\.(?=[|)])"), r"\\.(?!\\d)"
_JOINERS = ".-‐‑‒–/"
_ANY_NUMBER = re.compile(rf"\d|{_HAN}")
_SHORT = rf"(?:\d{{1,4}}(?!\d)|{_HAN})"
_PART = rf"[(（]?{_SHORT}[A-Za-z]?[)）]?"
_LETTER = r"\w{1,2}(?![^\W_])[)）]?"
_BRACKETS = re.compile(
    rf"(?:\.?{GAP}[(（](?:\d{{1,3}}(?:\.\d{{1,2}})?|\d{{0,3}}(?:[^\W\d_]|[A-Za-z]{{1,2}})|[ivxIVX]{{3,5}}|[ivx]{{2,4}}[A-Da-d]{{1,2}})[)）]){{1,6}}"
)
_ALPHABETS = ("LATIN", "GREEK", "CYRILLIC")
OUTSIDE = r"(?<![^\W\d_ºª⁰¹²³⁴-⁹])(?<![^\W\d_⁰¹²³⁴-⁹][⁰¹²³⁴-⁹])"
"""A place that is not inside a word; a sentence may be numbered there: ``²Art. 4``, but not ``m²art``."""
_VARIETIES = {"nb": "no", "nn": "no"}
"""Codes of languages whose references are read by the grammar of another code: both written forms of Norwegian."""
_END = r"(?![^\W_])"
NOT_DOTTED = r"(?!\.[^\W\d_])"
"""Pattern after what belongs to a number: a letter that begins an abbreviation does not, ``§ 3 k.c.``."""

_SAME = 40
"""Number of characters before a reference in which words for a previously named law must appear."""

_LATIN = "\u024f"
"""Last letter of the Latin script that begins words for articles."""

_IN_BRACKETS = re.compile(r"\w+")
_ORDINAL_SIGN = re.compile(r"(?<=\d)\.?[º°ª]")
_LETTER_AFTER = re.compile(r"[\s-]([A-Za-z])")
"""A letter that belongs to the number before it in a field: ``4 a``."""
_COUNTED = re.compile("مكرر|bis", re.IGNORECASE)
"""A word that stays before the number behind it: ``87 مكرر 4``, ``129 bis 9``."""
_VOWEL = re.compile("[aeiouyà-öø-ÿ]")
_CLAUSE_ENDS = r"(?=[;:,)?!]|\.?(?:\s*\Z|\s[A-ZÀ-ÖØ-Þ]))"
_NUMBERED = (
    r"(?<=[ \xa0])(?<!, )(?:(?:MiFID|CRD|CRR|PSD|UCITS|ATAD|DAC|NIS|AMLD)[ -]?(?:I{1,3}|IV|VI?|[1-9])"
    r"|eIDAS)(?![\w-]|\.\w)"
)
"""A short name of a law of the European Union with a number or a small letter: PSD2, MiFID II, eIDAS."""
_NUMBERED_FORM = re.compile(r"(^[^>]*?[^\W_A-Z+]\S*)((?: \()? [NRSVX]\b)")
"""The words of a form of an annex, and the place of its number or letter."""
_BARE = re.compile(r"\W*(?:\d{1,4}[A-Za-z]?|[^\W\d_]{1,2})\W*")
"""A number or letter without a word, which is not a unit of the article."""
_CAPITALS = re.compile(r"[^\W\d_]{1,12}(?:-[^\W\d_]{2,6})?|[^\W\d_a-z]{2,6} [^\W\d_a-z]{2,6}")
"""A short name of a law in capitals."""
_ROMAN_FIELD = re.compile(r"(?:(?i:art\w{0,6})\.? )?(?=[IVX]|L[IVX])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})[A-H]?")
"""A Roman number in a field, with or without the word for an article: ``Artikel XIIA``."""
_NUMBER_ALONE = re.compile(r"(?:LP)?\d[\w.:/-]{0,20}")
"""A number as an import writes it, which no grammar need read: ``129bis9``, ``15zzs1``, ``LP311-1``, ``5а``."""
_HEADING = re.compile(r"\D*|\s?[.:：;(（\[【「〔–—-]\s?\D.*")
"""The heading that may follow the number in a field."""


def number_pattern(joiners: str, lettered: Sequence[str] = (), letters: str = "") -> str:
    """Return the pattern of a number whose parts these signs join.

    Args:
        joiners: the signs.
        lettered: words behind a blank and a letter that belongs to the number.
        letters: pattern of more letters that do.
    """
    words = "|".join(_PLACES.get(form) or _form(form, r"\d") for form in lettered)
    before = rf"|[ \xa0](?-i:[a-zåäö])(?![^\W_])(?={GAP}(?:{words}))" if words else ""
    part = rf"(?!\d)(?:{_LETTERS}{before}{f'|(?-i:{letters})' if letters else ''})?"
    joined = rf"[{re.escape(joiners)}]\d{{1,4}}"
    # A number with a misread digit is not read as the digits before it: Pasal 3l9g is not article 3.
    whole = rf"(?!(?:{joined}){{0,6}}[A-Za-z]\d)"
    return rf"(?:(?<!\d)\d{{1,6}}{part}(?:{joined}{part}){{0,6}}{whole}|{_HAN})"


class Family(Schema):
    """The law of one level that belongs to an act: its decree, its rules."""

    KIND = "a family of laws"

    words: tuple[Text, ...]
    """Words that mean it when alone before a number: ``영``."""

    suffix: AnyText = ""
    """The end that makes its name of the name of the act: `` 시행령``."""


class LawPattern(Schema):
    """A way to name laws."""

    KIND = "a pattern of laws"

    pattern: Text
    """A regular expression with bounded repeats; upper and lower case differ."""

    law: OptionalText = ""
    """How the law is written, with ``{1}`` for the first group: ``/us/usc/t{1}``; without it, as in the text."""

    bare: Flag = False
    """Whether an article follows directly: ``TBK m. 49``, and as a number alone: ``42 U.S.C. 1396a``."""

    after: Flag = False
    """Whether it is read only directly after a number: ``RODO`` in ``art. 6 RODO``, or any other capitals."""


Level = Literal["law", "group", "article", "annex", "row", "paragraph", "item", "subitem", "deeper"]
Forms = tuple[Text, ...]
_Rows = list[tuple[list[str], str]]


class Grammar(Schema):
    """The forms of references in one language."""

    KIND = "a grammar of references"

    article: Forms
    """Forms of an article; each has one ``N``. ``N+`` is the first of several, after which bare numbers may follow.

    A form after ``^`` counts only directly after the name of a law: ``^ N 条``.

    Places of forms: ``N`` a number; ``R`` the number, Roman numeral or capital of an annex; ``B`` a number or letter in
    brackets; ``X`` one or two letters, ``S`` one, ``J`` a small one; ``H`` and ``K`` a letter of a Korean and a
    Japanese sub-item; ``C`` a digit in a circle, ``G`` one without a blank before it; ``E`` a capital that ends a
    number, ``12 bis A``; ``P`` a number of several parts after one of `prefix`; ``V`` a Roman numeral; ``Y`` a
    year; ``D`` a decimal, which is an article only after a law; ``Z`` a chapter and an article, ``7:1``; ``O`` one
    of `ordinals`, ``A`` of `cardinals`; ``Q`` a name in quotation marks, ``U`` one without; ``W`` a verb, by its
    ending; ``M`` a number above 1; ``L`` more numbers of a list: ``第 N+ > L 条``.
    """

    paragraph: Forms = ()
    """Forms of a paragraph. Here and below, a form after ``+`` counts only after another unit."""

    item: Forms = ()
    """Forms of an item. One that `paragraph` has too is an item with a letter: ``paragraph (a)``, ``paragraph (1)``."""

    subitem: Forms = ()
    """Forms of a sub-item."""

    deeper: Forms = ()
    """Forms of what is below a sub-item."""

    annex: Forms = ()
    """Forms of an annex."""

    numbered: Forms = ()
    """Words that may stand between an annex and its number: ``Nr.`` in *Anlage Nr. 3*."""

    annexed: Forms = ()
    """Words between an annex and its law: ``bij`` in *Bijlage III bij Verordening …*."""

    supplement: Forms = ()
    """Words for the supplement of an act, directly before the unit in it: ``부칙``, with the number of the act."""

    amending: Forms = ()
    """Words after an article in a supplement that show that the article is one of the act that made the supplement,
    and not of the law: ``第二条 の規定による改正前``."""

    commences: OptionalText = ""
    """A regular expression of what follows articles of such an act in a later supplement, which says when they apply:
    `` の規定 公布の日から``."""

    limits: Forms = ()
    """Words in brackets behind a reference that limit it, before what they name or, in languages without small
    letters, anywhere: ``except``, ``除く``. What they name is of the same unit or law. In an alphabet they also stand
    between a law and its article, as those of `within` do.
    """

    applied: Forms = ()
    """Words in brackets behind a reference that name a provision which applies it: ``準用``."""

    annex_name: OptionalText = ""
    """How an annex is written: ``별표 N``; without it, as in the text."""

    row: Forms = ()
    """Forms of a row of the table of an annex."""

    group: Forms = ()
    """Forms of chapters, parts and other groups of articles."""

    alone: Forms = ()
    """Words after an article of a form with ``^`` that show that it is one of the own law: ``3条 による``."""

    prefix: Forms = ()
    """Letters before a number that belong to it: ``L`` in ``L. 121-3``."""

    capitals: Flag = False
    """Whether capitals may begin a number: ``section A1``."""

    sub: Forms = ()
    """Forms after a number that belong to it: ``의 N``, ``bis``."""

    closing: Forms = ()
    """Signs that may close the number or letter of a unit below an article: ``)`` in ``lettera a)``, ``°``."""

    joiners: AnyText = _JOINERS
    """Signs between the parts of one number: ``.`` in ``6.2.1``."""

    lettered: Forms = ()
    """Forms before which a letter after a blank belongs to the number: ``§`` in ``4 a §``."""

    letters: AnyText = ""
    """Pattern of more letters directly behind a number that belong to it: ``nd`` in ``art. 126nd``."""

    thousands: AnyText = ""
    """The sign between the thousands of a number, if the number is written without it elsewhere: ``art. 1.022``."""

    dotted: Flag = False
    """Whether the parts of a number after a dot are the units of the article: ``artículo 149.1.20``."""

    part: Forms = ()
    """Words for a part of a unit, and units that have no number of their own: ``단서``, ``각 호``."""

    brackets: tuple[Level, ...] = ()
    """Levels of the brackets directly after a number, from the highest down: ``12(3)(a)``."""

    endings: Forms = ()
    """Endings of a number that is an ordinal: ``inci`` in ``5 inci``. In a form, ``I`` is one of them or nothing."""

    ordinals: Forms = ()
    """Words for first, second, third, …: the place ``O`` of a form."""

    hundreds: Forms = ()
    """Words behind an ordinal that add one hundred, two, …: ``بعد المائة``."""

    cardinals: Forms = ()
    """Words for two, three, …: the place ``A`` of a form, which is also a number."""

    within: Forms = ()
    """Words between a law and its article: ``in`` in *In the Pier Act 1997 (c. 3), in section 5*."""

    states: Forms = ()
    """Verbs after a law and words before its article, ``…`` for what is between: ``provides … in``."""

    topic: Forms = ()
    """Words between the law that a sentence is about and its article, ``…``, and words behind that: ``는 … 에서``."""

    marked: OptionalText = ""
    """A regular expression of sentences where an article of the own law is always marked as such, as in a letter: a
    bare one is of the law of the article before it. ``…`` is its place; what is before it is a sentence or line."""

    possessed: Forms = ()
    """Words of an article that show that it is one of the law named before in the sentence: ``maddesi``, *its article*,
    as in ``Kanunun yürürlükte olan 14. maddesi``."""

    its: Forms = ()
    """Words before or behind a unit, ``…``, for what was named last: the law of an article, the article of a paragraph:
    ``… thereof``, ``dessen …``. Words without ``…`` begin such a unit: ``مادته``, *its article*."""

    of: Forms = ()
    """Words between a unit and a higher one: ``of`` in ``subsection (2) of section 5``."""

    glue: Forms = ()
    """Words and signs between a unit and a lower one: ``,``."""

    list: Forms = ()
    """Words between the members of a list."""

    conjoined: Forms = ()
    """More words of `list`, after which an article is of the law before, although it is named: ``§ 3 X i.V.m. § 5``."""

    range: Forms = ()
    """Words between the ends of a range."""

    adjacent: Flag = False
    """Whether the members of a list may be adjacent: ``มาตรา 35 มาตรา 36``."""

    spaceless: Flag = False
    """Whether neither spaces nor letters of another script part the words."""

    adjacent_up: Flag = False
    """Whether a higher unit may directly follow a lower one: ``khoản 2 Điều 12``."""

    until: Forms = ()
    """Words after the end of a range: ``까지``."""

    same: Mapping[Level, Forms] = {}
    """Words for the unit, or the law, that was named last: ``같은 조``."""

    unnumbered: bool = False
    """Whether a line without a label is a paragraph, counted from the first: 前項 of the third line is paragraph 2."""

    aforesaid: Forms = ()
    """Words before or behind an article, ``…``, that was cited before: *article 5 précité* is of the law named then."""

    this: Mapping[Level, Forms] = {}
    """Words for the unit or law that contains the text: ``이 법``."""

    mother: Forms = ()
    """Endings of the name of a law that carries out another one, which is meant by words of `this` for that one."""

    definite: Forms = ()
    """Words for a law by its kind: ``of the act``, or a name by `laws` that tells only the kind, ``Kanun``.

    It is the own law if the name of that has the last word.
    """

    changing: Forms = ()
    """Words in the name of a law that changes other laws: ``modifiant``; without them any law does.

    A French code may change words of its own articles, as for overseas.
    """

    unnamed: Forms = ()
    """Words before the law of all articles that a text names without a law: ``§§ ohne T sind solche des``."""

    starting: Forms = ()
    """Words in the name of a law that brings another one into force: a bare *section 3* is one of that other law."""

    moves: Forms = ()
    """Words next to a law, ``…``, whose provisions the text then changes or lists: ``… is amended as follows``.

    Behind a law they count from the end of their clause, before it up to the end of the list that follows.
    """

    moves_at_once: Forms = ()
    """Words behind a law that count at once: ``… is amended , in > section``."""

    moves_list: Forms = ()
    """Words before a law whose articles follow up to a semicolon, as those on which a decree is based: ``vu la …``."""

    moves_sentence: Forms = ()
    """Words before a law at the beginning of a sentence, whose articles are of that law if it amends them: ``au …``."""

    moves_back: Forms = ()
    """Words before a provision of the own law where a text is about another one, up to the end of the line:
    ``the amendments made by …``."""

    changed_by: Forms = ()
    """Words before or behind what changed the law or provision that precedes, ``…``: ``inserted by …``.

    *That Act* after it is the law that was changed. A provision there without a law is one of the own law, even where
    the text is about another law that it changes.
    """

    before: Mapping[Level, Forms] = {}
    """Words for the unit before the own one: ``전항``; an ``N`` says how many."""

    after: Mapping[Level, Forms] = {}
    """Words for the unit after the own one."""

    all_before: Mapping[Level, Forms] = {}
    """Words for all units before the own one: ``前各号``."""

    ignore: Forms = ()
    """Forms that look like a reference but are not: ``별지 제 N 호``."""

    documents: Forms = ()
    """Words for documents that are no laws, before or behind a unit, ``…``: ``… of the lease``, ``契約書 …``.

    Such a unit is not read, unless the own law has such a name.
    """

    papers: Forms = ()
    """Nouns for such documents, perhaps behind an adjective: ``PAPER`` in the forms of `documents`."""

    quotes: Forms = ()
    """Pairs of signs around the names of laws."""

    law_names: Forms = ()
    """Regular expressions of names of laws without quotes directly before a number; with a group, it is the name."""

    pieces: Mapping[str, Text] = {}
    """Pieces of the patterns of `laws` and `law_names`, and of one another, written there as ``<NAME>``."""

    laws: tuple[LawPattern, ...] = ()
    """Names of laws that are read anywhere, even directly after a number or after `law_after`."""

    particles: Forms = ()
    """Words allowed between a law and a number, behind its quotes if the language has quotes of laws."""

    law_number: Forms = ()
    """Forms of numbers of laws and other notes allowed in brackets between a law and an article."""

    law_before: Forms = ()
    """Last letters of the names of laws, in languages where the law precedes the article."""

    short_names: Mapping[str, Forms] = {}
    """Short forms of the names of laws: ``codice penale: [c.p., CP]``; without a full stop, case differs."""

    law_kinds: Mapping[str, Forms] = {}
    """Kinds of laws that are named by number and year, with their short forms: ``decreto legislativo: [d.lgs.]``."""

    months: Forms = ()
    """Names of the months, which are numbers in the way a law is written."""

    law_after: Forms = ()
    """Words after an article that introduce its law, or begin the name of the law."""

    both: Forms = ()
    """Words before those by which the law is that of all bare articles of the sentence: *…, both of the Pier Act*."""

    family: Mapping[str, Family] = {}
    """The laws that belong to one act, by level: ``act``, ``decree``, ``rule``."""

    define: Forms = ()
    """Forms that give a law a short name ``Q``: ``이하 Q 이라 한다``; the law follows one that ends in ``…``."""

    delegates: Mapping[str, Forms] = {}
    """Words that leave a matter to a law of a lower level: ``대통령령으로 정하``."""

    kinds: Mapping[Literal["cites", "amends", "defines"], Forms] = {}
    """Words around a reference that show its kind, with ``…`` for the reference: ``… is amended``, ``defined in …``.

    The first kind that has fitting words counts; ``cites`` is for words that would else fit another kind. The place
    ``T`` is a term: up to 40 signs without a digit, a comma or an object.
    """

    labels: Mapping[Literal["article", "paragraph", "item", "subitem"], Forms] = {}
    """How units begin at the start of a line."""

    variants: Mapping[Text, Mapping[str, Any]] = {}
    """Fields that differ in the texts in which a regular expression is found: the order of units in Taiwan."""

    def variant(self, where: str) -> Self:
        """Return the grammar of the texts in which the expression of a variant is found."""
        return self.parse({**self.model_dump(exclude_defaults=True), "variants": {}, **self.variants[where]})

    @model_validator(mode="before")
    @classmethod
    def _put_together(cls, values: Any) -> Any:
        """Put the pieces into the patterns, `conjoined` into `list`, and the words of `numbered` into `annex`."""
        if not isinstance(values, Mapping):
            return values
        whole = dict(values)
        if isinstance(values.get("list"), Sequence) and isinstance(values.get("conjoined"), Sequence):
            whole["list"] = [*values["list"], *values["conjoined"]]
        if isinstance(annex := values.get("annex"), Sequence) and isinstance(values.get("numbered"), Sequence):
            words = "|".join(map(str, values["numbered"]))
            # The model of a variant has these forms already.
            whole["annex"] = list(
                dict.fromkeys([*annex, *(_NUMBERED_FORM.sub(rf"\1 {words}\2", one) for one in annex)])
            )
        if isinstance(pieces := values.get("pieces"), Mapping) and isinstance(laws := values.get("laws"), Sequence):
            whole["laws"] = [
                {**law, "pattern": _whole(str(law.get("pattern", "")), pieces)} if isinstance(law, Mapping) else law
                for law in laws
            ]
        if isinstance(pieces, Mapping) and isinstance(names := values.get("law_names"), Sequence):
            whole["law_names"] = [_whole(str(name), pieces) for name in names]
        return whole

    @model_validator(mode="after")
    def _check_forms(self) -> Self:
        for place, form in enumerate(self.article, start=1):
            if sum(token.removesuffix("+") in set("NDZPOV") for token in form.partition(" > ")[0].split()) != 1:
                raise SchemaError(f"'article', item {place} must have one N, got {form!r}.")
        for kind, forms in self.kinds.items():
            for place, form in enumerate(forms, start=1):
                if form.count("…") != 1 or not form.startswith("…") ^ form.endswith("…"):
                    raise SchemaError(f"'kinds.{kind}', item {place} must begin or end with …, got {form!r}.")
        return self

    def pattern(self, form: str, capture: bool = False) -> str:
        """Return the pattern of a form; it may begin with ``+``.

        Args:
            form: the form.
            capture: whether the number or letter is a group.
        """
        parts = []
        form, _, ahead = unicodedata.normalize("NFC", form).partition(" > ")
        for token in form.split():
            place = self._place(token)
            if not place:
                parts.append("" if token in "+^" else _word(token))
                continue
            if form[0] == "+":
                place = place.removeprefix(_NO_HANGUL_BEFORE)
            parts.append(f"({place})" if capture and token not in ("Q", "U", "L", "I") else place)
        return _spaced(form.split(), parts) + self.ahead(ahead, form.endswith(" N"))

    def ahead(self, form: str, numbered: bool = False) -> str:
        """Return the pattern of words that must follow a form, or with ``!`` must not: *o 791-A* before *da CLT*.

        Args:
            form: the words.
            numbered: whether the form ends in a number, to which a letter may belong.
        """
        if not form:
            return ""
        sign, words = ("!", form[2:]) if form.startswith("! ") else ("=", form)
        if self.capitals:
            words = " ".join("#" if token == "N" else token for token in words.split())
        end = (
            r"(?i:-(?:[A-Z]{1,2}|bis|ter|qu[aá]ter)(?![^\W_]))?" if numbered and self.has_words and sign == "=" else ""
        )
        # A full stop before a digit does not count: 34.8.
        return f"(?{sign}{end}{GAP}{re.sub(_STOP, _STOP_ALONE, self.pattern(words))})"

    def first(self, forms: Sequence[str]) -> str:
        """Return the class of the signs with which one of the forms may begin, which is looked at first."""
        signs: set[str] = set()
        for form in forms:
            token = form.lstrip("+^").split()[0].removesuffix("+")
            if token in ("N", "D", "Z"):
                signs |= {r"\dA-Z" if self.capitals else r"\d", _HAN_SIGNS, *(re.escape(one[0]) for one in self.prefix)}
            elif token == "H":
                signs.add(_KOREAN_LETTERS)
            elif token == "Y":
                signs.add("12")
            elif token in ("O", "A") and (words := self.ordinals if token == "O" else self.cardinals):
                signs |= {r"\d", *(re.escape(one[0]) for one in "|".join(words).split("|"))}
            elif self._place(token):
                signs.add(r"\w\W")
            else:
                signs |= {re.escape(one[0]) for one in unicodedata.normalize("NFC", token).split("|")}
        return f"[{''.join(sorted(signs))}]"

    def alternatives(self, forms: Sequence[str], capture: bool = False) -> str:
        """Return an alternation of the forms, longest first; an empty list gives a pattern that never matches."""
        each: list[str] = []
        for last, group in groupby(sorted(forms, key=len, reverse=True), self._last_place):
            if capture or not last:
                each += [self.pattern(form, capture) for form in group]
            else:  # One pattern of a number for all words before it.
                words = _joined_patterns([self.pattern(form.rpartition(" ")[0]) for form in group])
                each.append(f"{words}{GAP}{last}")
        begun = [_joined_patterns([*some]) for _, some in groupby(each, lambda one: one.startswith(OUTSIDE))]
        return f"(?={self.first(forms)})(?:{'|'.join(begun)})" if forms else "(?!)"

    def any_of(self, forms: Sequence[str]) -> str:
        """Return an alternation in which the same beginning of forms is once; it does not say which form was found."""
        rows: _Rows = []
        for form in sorted(forms, key=len, reverse=True):
            words, _, ahead = unicodedata.normalize("NFC", form).partition(" > ")
            rows.append((words.split(), self.ahead(ahead, words.endswith(" N"))))
        return f"(?={self.first(forms)}){self._branches(rows)}"

    def _branches(self, rows: _Rows) -> str:
        """Return an alternation of rows: the words and places of each, and the pattern of what follows it."""
        begun: dict[str, _Rows] = {}
        for (token, *more), ahead in rows:
            begun.setdefault(token, []).append((more, ahead))
        each = []
        for token, behind in begun.items():
            longer = [row for row in behind if row[0]]
            ends = [ahead for more, ahead in behind if not more]
            tail = [f"{'' if token[-1] == '~' else GAP}{self._branches(longer)}"] if longer else []
            each.append(f"{self._place(token) or _word(token)}(?:{'|'.join((*tail, *ends))})")
        return _joined_patterns(each)

    def _last_place(self, form: str) -> str:
        """Return the pattern of the place that ends a form and has words before it, else an empty string."""
        words = form.lstrip("+^ ").split()
        place = self._place(words[-1]) if len(words) > 1 and ">" not in words and "~" not in form else ""
        return place.removeprefix(_NO_HANGUL_BEFORE) if form[0] == "+" else place

    def _place(self, token: str) -> str:
        """Return the pattern of a place of a form, empty for a word."""
        token = token if token in _PLACES else token.removesuffix("+")
        if token == "O":
            words = sorted("|".join(self.ordinals).split("|"), key=len, reverse=True)
            more = rf"(?: (?:{self.alternatives(self.hundreds)}))?" if self.hundreds else ""
            # The longest one: no part of الثامن عشر.
            return f"(?>(?:{'|'.join(map(re.escape, words)) or '(?!)'}){more})"
        if token == "A":
            words = sorted("|".join(self.cardinals).split("|"), key=len, reverse=True)
            alone = r"(?![^\W_]|[-‑–][A-Za-z])" if self.has_words else ""
            return rf"(?:\d{{1,2}}|{'|'.join(map(re.escape, words))}){alone}"
        if token == "L":
            joins = self.alternatives(
                [one for one in (*self.list, *self.range) if one != "-" or self.spaceless or one not in self.joiners]
            )
            # A gap belongs to an ending alone: two in a row can be taken in two ways, for each member of the list.
            tail = rf"(?:/\w{{1,4}}(?:-\w{{1,2}}){{0,3}})?(?:{GAP}{self._ending})?" if self.endings else ""
            lettered = r"(?:-[A-Z](?![^\W_]))?" if self.has_words else ""
            number = _PLAIN if self.capitals else number_pattern(".", self.lettered, self.letters)
            number = rf"(?:[(（]?{number}{lettered}[)）]?|[(（]\w{{1,2}}[)）])"
            units = rf"(?:{GAP}[(（][\w.]{{1,6}}[)）]){{0,6}}" if self.brackets else ""
            return rf"{units}{tail}(?:{GAP}(?:{joins}){GAP}{number}{units}{tail}){{1,24}}"
        if token == "I" and self.endings:
            return f"{self._ending}?"
        if token == "PAPER":
            return rf"(?:(?-i:[a-zà-ÿąćęłńśźż’'-]{{3,20}})[ \xa0])?(?:{self.alternatives(self.papers)})"
        if token == "N" and self.prefix:
            letters = "|".join(re.escape(one) for one in sorted(self.prefix, key=len, reverse=True))
            return rf"(?:(?:{letters})(?:\.{GAP}(?:\*{GAP})?|\*?(?=[\s\d])\s?))?{self._number}"
        if token == "N" and self.capitals:
            return rf"(?-i:(?:[A-Z]{{1,2}}|(?!(?:A[ST]|BY|I[NS]|NO|O[FNR]|TO) )[A-Z]{{2}} )(?=\d))?{self._number}"
        if token == "P":
            letters = "|".join(re.escape(one) for one in sorted(self.prefix, key=len, reverse=True))
            return rf"(?-i:(?<![^\W_])(?:{letters})\.?{GAP}(?:\*\.?{GAP})?\d{{1,5}}(?:-\d{{1,3}}){{1,4}}(?!\d))"
        return self._number if token == "N" else _PLAIN if token == "#" else _PLACES.get(token, "")

    @property
    def _ending(self) -> str:
        return rf"(?:{'|'.join(map(_word, sorted(self.endings, key=len, reverse=True)))})"

    @property
    def _number(self) -> str:
        return rf"{number_pattern(self.joiners, self.lettered, self.letters)}(?:[의の之]\d{{1,3}}){{0,4}}"

    def ordinal_numbers(self) -> Iterator[tuple[str, int]]:
        """Yield the words for first, second, …, each also with the words for hundreds, and their numbers."""
        for number, words in enumerate(self.ordinals, start=1):
            yield from ((word, number) for word in words.split("|"))
            for hundred, form in enumerate(self.hundreds, start=1):
                *first, last = form.split()
                added = [" ".join((*first, one)) for one in last.split("|")]
                yield from ((f"{word} {more}", number + 100 * hundred) for word in words.split("|") for more in added)

    def plain(self, number: str) -> str:
        """Return a number without the signs between its thousands."""
        return re.sub(rf"(?<=\d)[{self.thousands}](?=\d{{3}}(?!\d))", "", number) if self.thousands else number

    @cached_property
    def has_bracketed_lists(self) -> bool:
        """Whether each number of a list of articles may be in brackets: ``(5) و(6)``."""
        return any("( N+ )" in form for form in self.article)

    @cached_property
    def has_case(self) -> bool:
        """Whether the language has upper and lower case."""
        # Words in capitals are places of forms.
        words = (word for form in (*self.article, *self.list) for word in form.split() if not word.isupper())
        return any(word.lower() != word.upper() for word in words)

    @cached_property
    def has_words(self) -> bool:
        """Whether the language has an alphabet with small letters, and spaces between its words."""
        return any(sign.islower() for form in self.article for sign in form)

    @property
    def every_law(self) -> tuple[LawPattern, ...]:
        """The patterns of laws, with those of the short names with full stops or capitals: ``cod. nav.``, ``CPI``.

        Short names are read only directly after a number, also in small letters: ``art. 2043 cc``. Those with a vowel,
        which may be words, must end the clause then: ``§ 253 zpo.``
        """
        every = {one for forms in self.short_names.values() for one in forms} if self.has_words else set[str]()
        dotted = {one for one in every if "." in one and one.rstrip(".") not in every - {one}}
        capitals = {one for one in every - dotted if sum(map(str.isupper, one)) > 1 and _CAPITALS.fullmatch(one)}
        small = {one.lower() for one in capitals if one.isalpha()}
        words = {one for one in small if _VOWEL.search(one)}
        short = [
            _short(dotted, "(?i:", r"(?![\w-]|\.\w)"),
            _short(capitals, "(?<!, )(?:", r"(?![\w-]|\.\w)"),
            _short(small - words, "(?<!, )(?:", r"(?![\w-]|\.\w)"),
            _short({one for one in words if len(one) > 2}, "(?<!, )(?:", _CLAUSE_ENDS),
        ]
        numbered = [LawPattern(pattern=_NUMBERED, after=True)] if self.has_words else []
        return (*short[0], *numbered, *self.laws, *short[1], *short[2], *short[3])

    @property
    def closing_quotes(self) -> tuple[str, ...]:
        """Signs that close the name of a law."""
        return tuple(pair[1] for pair in self.quotes)


def _short(names: Iterable[str], signs: str, ends: str) -> list[LawPattern]:
    """Return the pattern of short names between the patterns before and after them; none for no names."""
    pieces = (re.findall(r"\w+\.?|[^\w\s]", one) for one in sorted(names, key=lambda one: (-len(one), one)))
    inside = "|".join(r"[ \xa0]?".join(map(re.escape, one)) for one in pieces)
    return [LawPattern(pattern=rf"(?<![\w.]){signs}{inside}){ends}", after=True)] if inside else []


class ArticleNumber(NamedTuple):
    """A number of an article in a text.

    Attributes:
        start: in the cleaned text.
        end: after the parts in brackets.
        number: as :class:`~legalir.references.numbers.Numbers` reads it: ``12.3`` for ``제12조의3``, ``65ตรี``.
        parts: the parts in brackets after it: ``("3", "a")`` for ``12(3)(a)``.
    """

    start: int
    end: int
    number: str
    parts: tuple[str, ...]


class WrittenReference(NamedTuple):
    """A place in a text that cites an article, or the articles of a list.

    Attributes:
        start: in the cleaned text.
        end: after the last number.
        numbers: in the order of the text; of a range, both ends.
        after: after the parts of the article, where the name of a law may begin.
        law: after the words there that introduce a law, or None.
        same_law: whether words next to it refer to a previously named law.
        endings: last letters of the names of laws that may precede it.
    """

    start: int
    end: int
    numbers: tuple[ArticleNumber, ...]
    after: int
    law: int | None
    same_law: bool
    endings: tuple[str, ...]


@lru_cache(maxsize=64)  # Several components read one question, or one reads it several times.
def read_references(text: str) -> tuple[WrittenReference, ...]:
    """Return the references in a cleaned text by the grammars of all languages; of two that overlap, the first.

    The words of one grammar mean nothing in other languages, so the language of the text need not be known.
    """
    if not _ANY_NUMBER.search(text):
        return ()
    found = [reference for forms in _all_forms() for reference in forms.read(text)]
    found.sort(key=lambda one: (one.start, -one.end, -one.after, one.law is None))
    kept: list[WrittenReference] = []
    for reference in found:
        if not kept or reference.start >= kept[-1].after:
            kept.append(reference)
    return tuple(kept)


def article_number(field: str) -> str:
    """Return the number in the field ``article`` of a provision, without its words; empty if it has no number.

    ``第171条の2`` is ``171.2``, ``Art. 12-bis`` ``12bis``, ``Section 12(3)`` and ``§ 12 Abs. 3`` ``12(3)``, ``4 a §``
    ``4a``: what :func:`read_references` reads in a question; ``Artikel XII`` is ``12``. A heading may follow words and
    number: ``제12조(정의)``. The numbers in ``부칙 제3조`` and ``Schedule 3`` are not numbers of articles.
    """
    if field.isdecimal():
        return field
    text = _ORDINAL_SIGN.sub("", clean(field)).strip(". ")
    bare = text.strip(". " if "§-" in text else "§. ")
    every = [one for forms in _all_forms() if (one := forms.field(bare))]
    # R. 421-1 is a number of a French code, r. 12 a rule.
    read = max(every, key=lambda one: (one[2].startswith("R.") and "-" in one[2], one), default=None)
    if read is None:
        alone = _ROMAN_FIELD.fullmatch(bare) or (_NUMBER_ALONE.fullmatch(bare) and number_of(bare) == bare)
        return number_of(bare) if alone else ""
    labelled, end, number = read
    rest = bare[end:]
    if letter := _LETTER_AFTER.fullmatch(rest):
        return number + letter[1]
    if not rest or ((labelled or bare != text) and _HEADING.fullmatch(rest)):
        return number
    return bare if _NUMBER_ALONE.fullmatch(bare) and number_of(bare) == bare else ""


def law_name_after(text: str, reference: WrittenReference) -> tuple[int, int] | None:
    """Return start and end of the name of a law directly after a reference in an alphabet, by the patterns of `laws`.

    ``BGB`` in ``§ 823 II BGB``, ``GDPR`` in ``Article 87 of the GDPR``; None if no name follows.
    """
    if text[reference.start] > _LATIN:
        return None
    name = _law_patterns().match(text, reference.after if reference.law is None else reference.law)
    return name and name.span("name")


@cache
def _law_patterns() -> re.Pattern[str]:
    patterns = "|".join(law.pattern for grammar in grammars().values() for law in grammar.laws if not law.after)
    return re.compile(rf"{GAP}(?:[IVX]{{1,4}}\s)?(?P<name>(?![IVX]{{1,4}}\b)(?:{patterns}))")


@cache
def grammars() -> dict[str, Grammar]:
    """Return the grammar of each language by its code; varieties of a language share one.

    Raises:
        DefinitionError: a file is damaged.
    """
    with resources.as_file(resources.files("legalir.references") / "grammars") as folder:
        own = {path.stem: Grammar.load(path) for path in sorted(folder.glob("*.yaml"))}
    return own | {code: own[other] for code, other in _VARIETIES.items()}


@cache
def _all_forms() -> tuple[_Forms, ...]:
    return tuple(_Forms(grammar) for code, grammar in grammars().items() if code not in _VARIETIES)


class _Forms:
    """A grammar as regular expressions. Each reads on from a place; their bounds keep the time linear in the text."""

    def __init__(self, grammar: Grammar) -> None:
        number = number_pattern(grammar.joiners, grammar.lettered, grammar.letters)
        if grammar.prefix:
            letters = "|".join(re.escape(one) for one in sorted(grammar.prefix, key=len, reverse=True))
            number = rf"(?:(?:{letters})(?:\.{GAP}|(?=[\s\d])\s?))?{number}"
        endings = f" {'|'.join(grammar.endings)} "
        single = [form.replace(" I ", endings).split() for form in grammar.article if form[0] not in "+^"]
        own = [" ".join(form) for form in single if {"N", "N+"} & set(form) and "L" not in form]
        one = _joined([form for form in own if "N+" not in form.split()], number)
        more = _joined([form for form in own if "N+" in form.split()], number)
        self._goes_on = len(one)  # A form for several continues after its number.
        self._plain = grammar.plain
        self._head = re.compile("|".join([*one, *more]), re.IGNORECASE)
        brackets = ("[(（]?", "[)）]?") if grammar.has_bracketed_lists else ("", "")
        self._number = re.compile(f"({number})".join(brackets), re.IGNORECASE)
        self._endings = grammar.law_before
        self._grammar = grammar
        # Not a sign, which may begin other words.
        self._same_law = tuple(
            one for one in (*grammar.same.get("law", ()), *grammar.this.get("law", ())) if len(one) > 1
        )

    # The patterns below are compiled when a number was read: those of all languages take seconds, and a text has few.

    @cached_property
    def _sub(self) -> re.Pattern[str]:
        forms = tuple(form.replace("M", "N") for form in self._grammar.sub)
        return _any_of(forms, f"({_SHORT})", "-‐–", NOT_DOTTED)

    @cached_property
    def _part(self) -> re.Pattern[str]:
        grammar = self._grammar
        every = (*grammar.paragraph, *grammar.item, *grammar.subitem, *grammar.part)
        places = {"B", "R", "V", *(("§",) if "§ N" in grammar.article else ())}
        forms = tuple(form.lstrip("+ ") for form in every if not places & set(form.replace("+", "").split()))
        return _any_of(forms, _PART, ordinals=_one_of("|".join(grammar.ordinals).split("|")))

    @cached_property
    def _same_before(self) -> re.Pattern[str]:
        # Of a longer word it is no part: 동법 in 노동법.
        return re.compile(rf"(?<![가-힣])(?:{_alternatives(self._same_law)}){GAP}$", re.IGNORECASE)

    def read(self, text: str) -> Iterator[WrittenReference]:
        place = 0
        while (head := self._head.search(text, place)) is not None:
            group = int(head.lastindex or 1)
            numbers = [self._completed(text, head.start(group), head.end(), head[group])]
            if group > self._goes_on:
                numbers += self._more(text, numbers[0].end)
            end = numbers[-1].end
            place = self._after_parts(text, end)
            start = head.start()
            same = _any_of(self._same_law).match(text, place) or self._of_kind(text, place)
            same = same or self._same_before.search(text, max(0, start - _SAME), start)
            law = None if same else _any_of(self._grammar.law_after).match(text, place)
            after = law.end() if law else None
            yield WrittenReference(start, end, tuple(numbers), place, after, same is not None, self._endings)

    def _of_kind(self, text: str, place: int) -> re.Match[str] | None:
        """Return the words at a place that mean a law by its kind alone: ``du code``, but not ``du code civil``."""
        words = _any_of(self._grammar.definite).match(text, place)
        introduced = _any_of(self._grammar.law_after).match(text, place) if words else None
        name = _law_patterns().match(text, introduced.end()) if introduced else None
        return words if words and (name is None or name.end() <= words.end()) else None

    def field(self, text: str) -> tuple[bool, int, str] | None:
        """Return whether a text begins with words for an article, where their number ends, and the number."""
        head = self._head.match(text)
        number = head or self._number.match(text)
        if number is None:
            return None
        group = int(number.lastindex or 0)
        one = self._completed(text, number.start(group), number.end(), number[group])
        parts, end = list(one.parts), one.end
        # Some grammars have a bare number or letter as a unit; after an article it is not one.
        while (part := self._part.match(text, end)) and not _BARE.fullmatch(part[0]):
            parts.append(number_of(re.findall(r"\w+", part[0])[-1]))
            end = part.end()
        return head is not None, end, one.number + "".join(f"({part})" for part in parts if part)

    def _more(self, text: str, end: int) -> Iterator[ArticleNumber]:
        while join := _any_of((*self._grammar.list, *self._grammar.range)).match(text, self._after_parts(text, end)):
            number = self._number.match(text, join.end())
            if number is None:
                return
            one = self._completed(text, number.start(1), number.end(1), number[1])
            end = max(one.end, number.end())
            yield one

    def _completed(self, text: str, start: int, end: int, number: str) -> ArticleNumber:
        """Return the number that ends at `end`, with what belongs to it."""
        number = self._plain(re.sub(r"\s", "", number))
        while sub := self._sub.match(text, end):
            number += (
                f".{sub[sub.lastindex]}"
                if sub.lastindex and not _COUNTED.search(sub[0])
                else re.sub(r"[\s\-‐–.º°()]", "", ARABIC_ENDINGS.sub("", sub[0])).lower()
            )
            end = sub.end()
        number = re.sub(r"(?<=\d)er$", "", number)
        end = start + len(text[start:end].rstrip())
        if (brackets := _BRACKETS.match(text, end)) is None:
            return ArticleNumber(start, end, number, ())
        return ArticleNumber(start, brackets.end(), number, tuple(_IN_BRACKETS.findall(brackets[0])))

    def _after_parts(self, text: str, end: int) -> int:
        while part := self._part.match(text, end):
            end = part.end()
        return end


@cache
def _any_of(
    forms: tuple[str, ...], number: str = "", sign: str = ",，", after: str = "", ordinals: str = ""
) -> re.Pattern[str]:
    """Return an alternation of the forms with surrounding white space; no forms give a pattern that never matches.

    Args:
        forms: the forms.
        number: pattern of ``N``.
        sign: characters of which one may precede a form.
        after: pattern after a form.
        ordinals: pattern of ``O``.
    """
    inside = _alternatives(forms, number, ordinals)
    return re.compile(rf"{GAP}[{sign}]?{GAP}(?:{inside}){after}{GAP}", re.IGNORECASE)


def _joined(forms: Sequence[str], number: str) -> list[str]:
    """Return patterns of forms, each with its number as a group; forms in a row that end in the number share it."""
    pieces: list[str] = []
    for ends, group in groupby(forms, lambda form: " > " not in form and form.endswith((" N", " N+"))):
        if ends:
            words = "|".join(_form(form.rpartition(" ")[0], "") for form in group)
            pieces.append(f"(?:{words}){GAP}({number})")
        else:
            pieces += [_form(form, f"({number})") for form in group]
    return pieces


def _alternatives(forms: Sequence[str], number: str = "", ordinals: str = "") -> str:
    return "|".join(_form(form, number, ordinals) for form in sorted(forms, key=len, reverse=True)) or r"(?!)"


def _one_of(words: Sequence[str]) -> str:
    """Return an alternation of words of one alphabet, with blanks or without, longest first; empty for no words."""
    each = sorted((clean(word).strip().split() for word in words), key=lambda one: len(" ".join(one)), reverse=True)
    if not each or not each[0]:
        return ""
    first, last = each[0][0], each[0][-1]
    before, after = _word(first).partition(re.escape(first))[0], _word(last).rpartition(re.escape(last))[2]
    return rf"{before}(?:{'|'.join(GAP.join(map(re.escape, one)) for one in each)}){after}"


def _form(form: str, number: str, ordinals: str = "") -> str:
    """Return the pattern of a form."""
    form, _, ahead = form.partition(" > ")
    places = {"N": number, "N+": number, "X": _LETTER, "S": _LETTER, "H": _LETTER, "K": _LETTER, "O": ordinals}
    sign, ahead = ("!", ahead[2:]) if ahead.startswith("! ") else ("=", ahead)
    following = f"(?{sign}{GAP}{_form(ahead, number_pattern(_JOINERS), ordinals)})" if ahead else ""
    tokens = clean(form).split()
    return _spaced(tokens, [places.get(token) or _word(token) for token in tokens]) + following


def _spaced(tokens: Sequence[str], patterns: Sequence[str]) -> str:
    """Return the patterns of tokens in a row, with optional white space between, but not behind ``~``."""
    each = [f"{one}{'' if token[-1] == '~' else GAP}" for token, one in zip(tokens, patterns, strict=True) if one]
    return "".join(each).removesuffix(GAP)


_KOREAN_LETTERS = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허"
_NO_HANGUL_BEFORE = "(?<![가-힣])"
_LABEL = (
    r"(?:\d{1,4}(?!\d)(?:[A-Za-z]|(?-i:[A-Z]{2}))?"
    r"|(?-i:[IVXLC]{1,7}[A-Ha-h]?|[ivx]{2,6}|[A-Z](?:\d{1,2}(?!\d)|[A-Z]\d)?))"
)
_PLACES = {
    # Two capitals are the short name of a law rather than a letter: (art. 5 al. 2 CO).
    "X": r"(?:[^\W\d_](?-i:[^\W\d_A-Z])?|(?-i:AA|BB|DD|EE|FF))(?![^\W_])",
    "S": r"[a-zđ]\d{0,2}(?![^\W_項项])",
    "J": r"(?-i:[a-z])(?![^\W_])",
    # The capital of what follows a letter: § 4 a BGB; in § 5 f BGB the letter means the next section.
    "AZ": r"(?<![ \xa0]f )(?-i:[A-ZÄÖÜ])",
    "H": f"{_NO_HANGUL_BEFORE}[{_KOREAN_LETTERS}]",
    "K": r"[イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス]"
    r"(?=$|[^\w一-鿿]|[ぁ-ゖ０-９0-9]|又は|及び|並びに|若しくは|中|ただし|各号|本文|前段|後段)",
    "B": r"[(（](?:\d{1,3}(?:\.\d{1,2})?[A-Za-z]{0,2}"
    r"|[A-Za-z]{1,2}|[a-z]\.\d{1,2}|[IVXivx]{3,5}|[ivx]{2,4}[A-Da-d]{1,2}|z{2}[a-z]"
    rf"|{'|'.join(f'{sign}{{3,4}}' for sign in ascii_lowercase)}|[^\W\d_]{{1,2}})[)）]",
    "E": r"(?<=\w\s)(?-i:A[A-Z]|[A-HJ-UWYZ])(?![\w.'’])",
    "C": r"[\u2460-\u2473\u3251-\u325f\u32b1-\u32bf]",
    "G": r"(?<!\s)[\u2460-\u2473\u3251-\u325f\u32b1-\u32bf]",
    "D": r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){1,9}(?![\d])",
    "Z": r"(?<![\d.:])\d{1,2}:\d{1,3}(?: ?(?-i:[a-z])(?![^\W_]))?(?![\d:])",
    # Schedule A1, 4ZA, Annex IIa, allegato 4/2, annexe II-3; annexes 1-3 are several.
    "R": rf"{_LABEL}(?:[./]\d{{1,3}}|(?-i:[.-][A-Z](?!['’]))|-\d{{1,3}}(?![\d/-])){{0,3}}(?![^\W_])",
    "R+": rf"{_LABEL}(?:[./]\d{{1,3}}|(?-i:\.[A-Z](?!['’]))){{0,3}}(?![^\W_])",
    "V": r"(?-i:(?=[IVX]|L[IVX])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?:(?<=[IX])[A-F])?|[ΙΧ]{1,5})(?![^\W_])",
    "Y": r"(?:1[6-9]|20)\d\d(?![^\W_])",
    "M": rf"(?!0?1(?!\d)|一(?![〇零一二三四五六七八九十百千])){number_pattern('.')}",
    "U": r"((?:(?-i:[A-Z]{2,4}) )?[^\W\d_]{2,20}(?: \d{4}| (?-i:[A-Z]{2,5}))?|(?:[^\W\d_]{1,6}\. ?){2,5})"
    r"(?=[)）。，,])",
    "T": r"(?:(?![을를은는]\s)[^\d、。，；,;.()（）を第\n]){1,40}?",
    "W": r"(?-i:(?!(?:para|sobre|entre|ante|donde|cuando|contra|desde|hasta|conforme|della|nella|dalla|sulla|alla|come|"
    r"quale|oltre|ove|che|que|mediante)\b)[a-zà-ÿ]{3,18}[aeoóòíán](?<![aiu][dt][ao])(?<![aiu]te)(?<![st]t[ao])(?<!ste)"
    r"(?<!s[ost][ao])(?<!ble)(?<!bile)(?<!nte)|(?!(?:nicht|ist|hat|damit|somit|erst|selbst|sonst|jetzt|zuletzt)\b)"
    r"[a-zäöüß]{3,18}t)(?![^\W_])",
    "Q": r"[\"'„“”‘’「『《«»]{1,2}([^\"'„“”‘’「」『』《》«»]{1,60})[\"'“”‘’」』》»«]{1,2}",
}
"""Meaning of the places of a form."""


def _whole(pattern: str, pieces: Mapping[str, str], inside: tuple[str, ...] = ()) -> str:
    """Return a pattern with its pieces.

    Raises:
        SchemaError: there is no such piece, or it has itself.
    """

    def piece(match: re.Match[str]) -> str:
        name = match[1]
        if name not in pieces or name in inside:
            reason = "has itself" if name in inside else "is not in 'pieces'"
            raise SchemaError(f"the piece <{name}> {reason}.")
        return _whole(str(pieces[name]), pieces, (*inside, name))

    return _PIECE.sub(piece, pattern)


def _joined_patterns(patterns: Sequence[str]) -> str:
    """Return an alternation; the pattern of the beginning or end of a word, which takes long to compile, is in it once.

    A few thousand of them would make most of the time that a reader takes to begin.
    """
    before = OUTSIDE if all(one.startswith(OUTSIDE) for one in patterns) else ""
    after = _END if all(one.endswith(_END) for one in patterns) else ""
    return f"{before}(?:{'|'.join(one.removeprefix(before).removesuffix(after) for one in patterns)}){after}"


def _word(word: str) -> str:
    """Return the pattern of a word, or of alternatives; it must not be part of a longer word of its alphabet.

    Prefixes may precede an Arabic word, and Thai has no spaces: only its single letters are alone.
    """
    if len(word) > 2 and word[0] == "*":
        return rf"(?<![^\W\d_])[^\W\d_]{{0,16}}(?:{'|'.join(map(re.escape, word[1:].split('|')))}){_END}"
    if len(word) > 1 and word[-1] == "~":
        return rf"(?-i:{_word(word[:-1]).removesuffix(_END)})"
    if "|" in word:
        return _joined_patterns([*map(_word, word.split("|"))])
    if len(word) > 2 and word[-1] == "*":
        return f"{_word(word[:-1]).removesuffix(_END)}[^\\W\\d_]{{0,12}}{_END}"
    first, last = (unicodedata.name(letter).split()[0] for letter in (word[0], word[-1]))
    letter = last == "ARABIC" and word.isalpha() and len(word) == 1 and word not in "وفبلك"  # These may be prefixes.
    before = after = ""
    if first in _ALPHABETS and word[0].isalpha():
        before = OUTSIDE
    elif letter:
        before = r"(?<!\w)"
    if (last in _ALPHABETS and word[-1].isalpha()) or (last == "THAI" and len(word) == 1):
        after = _END
    elif letter or (last == "ARABIC" and len(word) > 1 and word[-1].isalpha()):
        after = r"(?![^\W\d_])"
    return before + re.escape(word).replace("'", "['’]") + after
