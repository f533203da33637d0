"""Facts that differ between jurisdictions: one small table each, ``tables/<country>.yaml``.

A table names the levels of a law from the highest down, how their headings are written, the words for annexes,
supplements and repeal, the publisher's words for kinds of law, and how laws that carry out a statute are named.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from typing import Literal, NamedTuple, cast

from legalir.config import Choice, Flag, Schema, Text, read_yaml
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import MONTHS
from legalir.statutes.law import Law, Span, Unit

_GAP = r"[\s\u200b-\u200f\u2060\ufeff]*"
_DIGITS = r"[\d〇零一二三四五六七八九十百千万]+"
_THAI = "ทวิ|ตรี|จัตวา|เบญจ|ฉ|สัตต|อัฏฐ|นว|ทศ"
_ORDINAL = rf"(?:[a-z]?(?:semel|bis|ter|qu[aá]ter|(?:quinqu|sex|sept|oct|nov|non|[a-z]*dec|vic)ies)|{_THAI})"
_LETTER = r"\s(?-i:[a-z](?=\s*$|\.|\s+(?:[A-ZÄÖÜ(\[]|§|kap|luku))|[A-Za-z](?=-\d))"
_HIGH = "[⁰¹²³⁴-⁹]"
_NUMBER = (
    rf"(?:(?:(?:L[OP]|[LRDA])\*?\.?\s?|(?-i:[IVX]{{1,5}}\.(?=\d)))?{_DIGITS}(?:\s?[의のノ之]\s?{_DIGITS})*"
    rf"(?:{_HIGH}+|\^\d{{1,2}})?(?:(?:\.?[ºª°]|(?<=\d)o(?=\.|\s{_ORDINAL}(?![^\W_])))"
    rf"(?:\.(?=\s?-?{_ORDINAL}(?![^\W_])|-(?-i:[A-Z])(?![^\W_])))?)?"
    rf"(?:\s?{_ORDINAL}(?![^\W_⁰¹²³⁴-⁹]|\s+\d)|{_LETTER}|z{{1,5}}[a-z]{{0,2}}\d{{0,2}}|[a-zа-иα-θ]{{0,2}})"
    rf"(?:[./:\-‐–](?:\d+(?:{_LETTER}|[a-z]{{0,2}})|[a-z]|{_ORDINAL})(?![^\W\d_⁰¹²³⁴-⁹]|\d?\)){_HIGH}*)*|(?-i:[IVXLCDM]+|[A-ZΑ-Ω]))"
)
"""A number in a heading: ``9의2``, ``L. 121-3``, ``VI.83``, ``5bis``, ``4o. Bis``, ``22¹``, ``5/1²``, ``2 A-1 a``."""

_WORDS = """
    one two three four five six seven eight nine ten first second third fourth fifth sixth seventh eighth ninth tenth
    primer[oa]? segund[oa] tercer[oa]? cuart[oa] quint[oa] sext[oa] s[ée]ptim[oa] octav[oa] noven[oa] d[ée]cim[oa]
    [úu]nic[oa] preliminar primeir[oa] terceir[oa] quart[oa] s[ée]tim[oa] oitav[oa] non[oa] prim[oa] second[oa]
    segona quart[oa] cinquena sisena setena vuitena desena
    terz[oa] sest[oa] settim[oa] ottav[oa] premi(?:er|ère) deuxième troisième quatrième cinquième sixième
    prvn[íi] druh[áý] třetí čtvrt[áý] pát[áý] šest[áý] sedm[áý] osm[áý] devát[áý] desát[áý]
    prv[áýai] tret[ií]a? štvrt[áý] piat[ay] drug[ai] treć[ai] četvrt[ai] pet[ai] прв[аи] друг[аи] трећ[аи]
    kesatu kedua ketiga keempat kelima keenam ketujuh kedelapan kesembilan kesepuluh
    birinci ikinci üçüncü dördüncü beşinci altıncı yedinci sekizinci dokuzuncu onuncu
    първ[аи] втор[аи] трет[аи] четвърт[аи] пет[аи] шест[аи] седм[аи] осм[аи]
    перв(?:ая|ый) втор(?:ая|ой) трет(?:ья|ий) четв[её]рт(?:ая|ый) пят(?:ая|ый) шест(?:ая|ой)
    πρώτο δεύτερο τρίτο τέταρτο πέμπτο έκτο pirmas(?:is)? antras(?:is)? treči(?:as|asis) ketvirtas(?:is)? penktas(?:is)?
"""
"""Ordinals that number a part: ``TÍTULO PRIMERO``, ``ČÁST PRVNÍ``, ``BİRİNCİ BÖLÜM``."""

_LETTER_BEHIND = re.compile(r"\d\W.*[^\W\d_]\W.*\s([a-z])$")
_END = r"(?![^\W\d_⁰¹²³⁴-⁹])"
_LONGEST_NOTICE = 240
_IN_BRACKETS = re.compile(r"[<(（\[〔＜][^<>()（）\[\]〔〕]*[>)）\]〕＞]")
_BEFORE_WORDS = re.compile(
    r"^(?:\W*(?:Anm|Note|Nota|Anmerkung)\.?\s?:\s*"
    r"|[\W\d]*[\[(](?:ss?\.|sec\.|sections?|art\.|articles?|reg\.|regulations?)\s*\d[\w().]*\s+|[\W\d]+)",
    re.IGNORECASE,
)
"""What may stand before the words of a repeal: ``4. (1)``, ``[S. 2 repealed by …]``."""
_NUMBERED = re.compile(r"\W*\d")
_OMITTED = re.compile(r"[\W]*(?:…|\.\s?\.\s?\.|\*\s?\*\s?\*|x\s?x\s?x)(?:[^\w\[]|\[(?!\d)|[⁰¹²³⁴-⁹x]|\[?\d{1,3}[\])])*")
"""Points in place of a text."""
_DASHES = re.compile(r"(?:[–—―─_-]\s*){3,}")
"""A line in place of a text that is deleted, as the Official Journal prints it."""
_THRICE = "|".join(r"\s?".join([sign] * 3) for sign in (r"\.", r"\*", "x", "[–—―─_-]"))
"""One sign three times, of which a line in place of a text begins; a stop and Markdown's ``**`` are none."""
_AROUND = " \t\n.·…-—–。:;,()[]（）⁰¹²³⁴⁵⁶⁷⁸⁹"
_MARK_BEHIND = re.compile(r"\s*(?:[(\[]\d{1,3}[)\]]|[⁰¹²³⁴-⁹]+|(?<=[)\]])\d{1,2})\W*$")
_DAY_BEHIND = re.compile(r"(?<=\S)\s+\d{4}\.\s?\d{1,2}\.\s?\d{1,2}\.?[\s)）]*$")
_ACT_NUMBER = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)|\d/\d")
_OF = """
    by in of the with from mit ab am im vom von zum zu durch du de des la le les l par d da do dos della del dell dal
    dall dalla di con per por pela pelo el e og och av af ved med fra från i genom door bij van het den no nr n
    title art arts s ss sec section artikel article artículo artigo artt st ust z dnia przez č zákonem čl
"""
"""Words between a word of repeal and the act: ``entfallen mit LGBl. Nr. 40/2023``."""


class Level(Schema):
    """A level of the laws of a jurisdiction."""

    KIND = "a level"

    name: Text
    """The jurisdiction's word for it."""

    kind: Choice[Kind]
    """What it is in every jurisdiction."""

    forms: tuple[Text, ...] = ()
    """How its headings begin: ``제 N 장``, ``CHAPTER N``; ``N`` is the number, a blank any white space or none."""


class Heading(NamedTuple):
    """A line that opens a unit.

    Attributes:
        depth: place of its level in the table, 0 for the highest.
        level: the level.
        number: by :func:`legalir.references.numbering.number_of`.
        end: after the label, where the heading begins; after white space.
        label: as printed.
    """

    depth: int
    level: Level
    number: str
    end: int
    label: str


class Jurisdiction(Schema):
    """The table of one jurisdiction."""

    KIND = "a table of a jurisdiction"

    lang: Text
    """Language of its laws, ISO 639-1."""

    levels: tuple[Level, ...]
    """From the highest down."""

    annex: tuple[Text, ...] = ()
    """Words that begin the heading of an annex; after ``N``, behind its number: ``1. melléklet``."""

    supplement: tuple[Text, ...] = ()
    """Words that begin the heading of a supplement."""

    repealed: tuple[Text, ...] = ()
    """Text of a repealed unit, in place of its rule."""

    repealed_by: tuple[Text, ...] = ()
    """Beginning of a notice that replaces a repealed unit and names the act that repealed it."""

    kinds: Mapping[Literal["act", "decree", "rule", "standard"], tuple[Text, ...]] = {}
    """The publisher's words for kinds of law, or the last words of them."""

    heading_in_brackets: Flag = False
    """Whether a heading is in brackets after its number: ``제5조(국민의 의무)``."""

    numbered: Flag = False
    """Whether an article may begin with its bare number: ``1. Short title.``"""

    accumulates: Flag = False
    """Whether a file shows all acts promulgated before it, in force or not: versions follow promulgation."""

    @cached_property
    def _headings(self) -> list[tuple[int, Level, re.Pattern[str]]]:
        return [
            (depth, level, re.compile(_any_form(level.forms, level.kind), re.IGNORECASE))
            for depth, level in enumerate(self.levels)
            if level.forms
        ]

    def heading(self, line: str) -> Heading | None:
        """Return what a line opens, None if it is no heading; white space before it does not count."""
        start = len(line) - len(line.lstrip())
        for depth, level, form in self._headings:
            if match := form.match(line, start):
                label = " ".join(match[0].split())
                rest = line[match.end() :]
                end = match.end() + len(rest) - len(rest.lstrip())
                number, letter = number_of(label), _LETTER_BEHIND.search(label)  # 4. gr. a, but § 2 A-1 a
                more = letter[1] if letter and not number.endswith(letter[1]) else ""
                return Heading(depth, level, number + more, end, label)
        return None

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        forms = (form for level in self.levels if level.kind == "article" for form in level.forms)
        words = [_GAP.join(map(re.escape, form.split()[:-1])) for form in forms if form.endswith(" N")]
        return re.compile(rf"\s*(?:{'|'.join(words)}){_GAP}\d" if words else "(?!)", re.IGNORECASE)

    def begins_as_article(self, line: str) -> bool:
        """Return True if a line begins with the word for an article and a digit, whatever follows it."""
        return self._beginnings.match(line) is not None

    def depth(self, name: str) -> int:
        """Return the place of a level by its name, or -1."""
        return next((depth for depth, level in enumerate(self.levels) if level.name == name), -1)

    def level_of(self, kind: str) -> str:
        """Return ``act``, ``decree``, ``rule`` or ``standard`` for a publisher's word, or the word itself."""
        return next((level for level, words in self.kinds.items() if kind.endswith(tuple(words))), kind)

    def is_repealed(self, text: str, lang: str = "") -> bool:
        """Return True if a text only states that its unit is repealed: ``삭제 <2015. 8. 11.>``.

        A date, a mark in brackets, a number before it and punctuation may surround the word.

        Args:
            text: of the unit.
            lang: of the law, ISO 639-1, if it is not the table's; see ``repealed.yaml``.
        """
        words, notices, begins, _ = self._repeal(lang)
        bare = _IN_BRACKETS.sub(" ", text)
        if len(text) < _LONGEST_NOTICE and _OMITTED.fullmatch(text):
            return True
        text = _DAY_BEHIND.sub("", _MARK_BEHIND.sub("", text))
        for one in (text, bare) if "\n" not in text.strip() else ():
            notice = _BEFORE_WORDS.sub("", one[: 2 * _LONGEST_NOTICE]).casefold()
            later = notice.partition("; ")[2] if text.lstrip().startswith(("[", "(")) else ""
            if len(notice) < _LONGEST_NOTICE and (notice.startswith(notices) or later.startswith(notices)):
                return True
            if len(one) < _LONGEST_NOTICE and (begun := begins.match(one)) and _names_act(one[begun.end() :]):
                return True
        return any(_BEFORE_WORDS.sub("", one).strip(_AROUND).casefold() in words for one in (bare, text))

    def _repeal(self, lang: str) -> _Repeal:
        return _words_of_repeal(self.repealed, self.repealed_by, lang or self.lang)


class _Repeal(NamedTuple):
    """How a table and a language say that a unit is repealed: whole texts, beginnings of notices; forms of both."""

    words: frozenset[str]
    notices: tuple[str, ...]
    begins: re.Pattern[str]
    first: re.Pattern[str]


def _names_act(words: str) -> bool:
    """Return True if words behind one of repeal only name an act, with its year or number."""
    each = re.findall(r"[\w/.-]*\w[\w/.-]*", words)
    small = {*_OF.split(), *MONTHS}
    named = all(word in small or not word[0].islower() or re.search(r"\d|.\.$", word) for word in each)
    return named and words < "\u0e00" and _ACT_NUMBER.search(words) is not None


@cache
def _words_of_repeal(words: tuple[str, ...], notices: tuple[str, ...], lang: str) -> _Repeal:
    own = _repealed_words().get("no" if lang in ("nb", "nn") else lang, {})
    whole = {word.strip("()[]（）") for word in (*words, *own.get("repealed", ()))}
    begin = (*notices, *own.get("repealed_by", ()), *(word + sign for word in whole for sign in (",", ":", ";", " –")))
    first = {form.split()[0] for word in (*whole, *begin) for form in (word, word.casefold())}
    spaced = sorted((re.escape(word) for word in whole if word < "\u0e00"), key=len, reverse=True)
    return _Repeal(
        frozenset(word.casefold() for word in whole),
        tuple(word.casefold() for word in begin),
        re.compile(rf"\W*(?:(?:{'|'.join(spaced) or '(?!)'})(?![^\W_])|…|\.\s?\.\s?\.)", re.IGNORECASE),
        re.compile("|".join([*map(re.escape, sorted(first)), rf"…|{_THRICE}"]), re.IGNORECASE),
    )


@cache
def _repealed_words() -> dict[str, dict[str, list[str]]]:
    # The file is part of the package.
    with resources.as_file(resources.files("legalir.statutes") / "repealed.yaml") as path:
        return cast(dict[str, dict[str, list[str]]], read_yaml(path, "words of repeal"))


@cache
def pattern_of_repeal() -> re.Pattern[str]:
    """Return the pattern of the words of repeal of all languages."""
    words = {word.strip(" .") for each in _repealed_words().values() for word in each["repealed"]}
    # In scripts without word boundaries a word is found inside others, too: 삭 제, (삭제).
    parts = (
        rf"\b{re.escape(word)}\b" if word[0] < "\u0e00" else r"\s?".join(word) for word in sorted(words, reverse=True)
    )
    return re.compile("|".join(parts), re.IGNORECASE)


@cache
def jurisdiction(country: str) -> Jurisdiction:
    """Return the table of a country; a country without one has the table ``any``."""
    tables = jurisdictions()
    return tables.get(country, tables["any"])


COUNTRIES = """
    ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc
    cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gd ge
    gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki
    km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx
    my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd
    se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz
    va vc ve vg vi vn vu wf ws xk ye yt za zm zw
"""
"""Codes of ISO 3166-1, and of Kosovo: the countries that a user may name, with blanks between."""


@cache
def jurisdictions() -> dict[str, Jurisdiction]:
    """Return all tables by country."""
    with resources.as_file(resources.files("legalir.statutes") / "tables") as folder:
        return {path.stem: Jurisdiction.load(path) for path in sorted(folder.glob("*.yaml"))}


_WITH_LETTER = ("Kapittel N",)
"""Forms whose number a capital may follow: ``Kapittel 2 A.``"""


@cache
def openings(kinds: tuple[Kind, ...]) -> re.Pattern[str]:
    """Return what matches the beginning of a heading of any country."""
    found = {form: level.kind for one in jurisdictions().values() for level in one.levels for form in level.forms}
    forms = {kind: [form for form, its in found.items() if its == kind] for kind in kinds}
    return re.compile(rf"\s*(?:{'|'.join(_any_form(forms[kind], kind) for kind in kinds)})", re.IGNORECASE)


def mark_repealed(law: Law, table: Jurisdiction) -> None:
    """Mark each article, annex and unit inside them whose whole text states that it is repealed."""
    begins = min((span.start for span in law.root.spans()), default=0)  # Front matter has dashes.
    places = [match.start() for match in table._repeal(law.lang).first.finditer(law.text, begins)]

    def visit(unit: Unit) -> bool:
        """Mark what is in a unit, and it; return whether it has a word of repeal."""
        own = (part for part in unit.content if isinstance(part, Span))
        inside = [visit(each) for each in unit.units]
        said = any(inside) or any(bisect_left(places, each.start) < bisect_left(places, each.end) for each in own)
        if said and unit.kind in ("article", "annex", "paragraph", "item", "subitem"):
            text = law.render(unit)
            words = text.removeprefix(unit.label).strip().lstrip("⁰¹²³⁴⁵⁶⁷⁸⁹ ")
            first, _, notes = words.partition("\n")
            # A note below may be read as a paragraph: ¹ L. 88/2008.
            noted = notes and len(unit.units) < 2 and not _NUMBERED.match(first) and table.is_repealed(first, law.lang)
            deleted = unit.kind == "article" and _DASHES.fullmatch(words)
            if noted or deleted or table.is_repealed(words or unit.heading, law.lang):
                unit.repealed = True
        return said

    if places:
        visit(law.root)


def spelled(word: str) -> str:
    """Return the pattern of a word, whose letters may lack their accents: ``CAPITULO``."""
    bare = {letter: unicodedata.normalize("NFD", letter)[0] for letter in word if letter < "\u1100"}
    return "".join(
        f"[{letter}{bare[letter]}]" if bare.get(letter, letter) != letter else re.escape(letter) for letter in word
    )


def _any_form(forms: Sequence[str], kind: Kind) -> str:
    """Return the pattern of several forms; the number, which takes long to compile, stands once for most of them."""
    alike = [form for form in forms if form.endswith(" N") and form.count("N ") == 0 and form not in _WITH_LETTER]
    words = "|".join(_GAP.join(map(spelled, form.split()[:-1])) for form in alike)
    first = [rf"(?:{words})" + _GAP + _form("N", kind)] if alike else []
    return "|".join([*first, *(_form(form, kind) for form in forms if form not in alike)])


def _form(form: str, kind: Kind) -> str:
    number = rf"(?:{_NUMBER}|(?:{'|'.join(_WORDS.split())})(?![^\W_]))" if kind == "group" else _NUMBER
    if form in _WITH_LETTER:
        number += r"(?:(?<=\d)\s(?-i:[A-H])(?=[.:]?(?:\s|$)))?"
    words = [number if word == "N" else spelled(word) for word in form.split()]
    # 제5조의2; 4. gr. a.
    end = _END if words[-1] == number else rf"(?:(?:\s?[의のノ之]\s?{_DIGITS})+|\s(?-i:[a-z])(?=\.(?:\s|$)))?"
    return _GAP.join(words) + end
