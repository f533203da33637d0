"""States: those whose law a question asks for, in any language.

A question asks for the law of a state if a word for law, an authority or what a state grants is beside its name
(*Swiss law*, *日本民法*), or if it names a law or an authority of that state (*GDPR*). A short question also does if
the name is a place (*in California*), but not that of a fact (*my father lives in Austria*). Who comes from a state,
or what, does not matter.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from legalir.config import read_yaml

STATES = Path(__file__).with_name("states.yaml")
"""Names of states in all languages."""

_LONG, _SHORT = 400, 160
"""Letters of the longest question that asks for the law of a state, and of one that does by a place; a sign of a script
without spaces is two."""

_STOP, _ASKS = re.compile(r"[.!?。？！]"), re.compile("[?？]")

_WORD_BEGINS = r"(?:(?<!\w)|(?<=\bال)|(?<=\b[بلو]ال)|(?<=\bلل))"
_ARTICLE = re.compile(r"\b(?:[بلو]?ال|لل)$")
"""Arabic prefixes of a name, such as the article, which are written together with it."""

_WHOLE = 4
"""Most letters of a word for law that must be a whole word; a longer one may also begin a word."""

_BESIDE = 60
"""Number of signs before and after a name that are looked at."""

_FACT = re.compile(
    r" ?(?:人(?!法)|籍|[产產製](?!物|品[责責])|制[造品]|[进進]口|[公企]司|企業|公司|[买買购購住]|"
    r"出生|居住|へ|から|に住|で[買購生]|在住|"
    r"인(?![가-힣]{0,2}법)|산(?![가-힣]{0,2}법)|식(?!품)|어[로를가는]|(?:으?)로 |국적|에 (?:사는|살|있는|거주|둔)|"
    r"에서 ?(?:온|산|살|수입|직구|구매|구입|태어|거주)|ที่(?:อาศัย|อยู่)|ซื้อ)"
)
"""What follows the name of a state where people or things are from there, in scripts without spaces."""

_FROM = re.compile(r"(?:从|從|自|往|到|去|จาก|คน|บริษัท|ชาว|ภาษา|สัญชาติ|[我他她你家]在)$")


class Mention(NamedTuple):
    """A name of a state in a text.

    Attributes:
        state: its name in the table; a part of a state has its name after that of the state and a slash.
        start: in the text.
        end: in the text.
        own: whether it is the name of a law or an authority.
        law: whether it is, or words for law stand beside it.
        asked: whether a question with this text asks for the law of the state.
    """

    state: str
    start: int
    end: int
    own: bool
    law: bool
    asked: bool


class _Table(NamedTuple):
    names: dict[str, tuple[str, ...]]
    """The names of each state without patterns."""
    languages: dict[str, list[str]]
    forms: dict[str, list[tuple[str, str, bool]]]
    """Forms by their first two signs, longest first: with their state, and whether they name its law."""
    within: re.Pattern[str]
    fact_before: re.Pattern[str]
    fact_after: re.Pattern[str]
    law_before: re.Pattern[str]
    law_after: re.Pattern[str]
    signs_after: re.Pattern[str]


def mentions(text: str) -> list[Mention]:
    """Return the names of states in a text, in its order."""
    length = sum(1 + _is_spaceless(sign) for sign in text)
    forms, end, found = _table().forms, 0, []
    for start in range(len(text) - 1):
        if start < end:
            continue
        for form, state, own in forms.get(text[start : start + 2].casefold(), ()):
            if match := _pattern(form).match(text, start):
                end = match.end()
                word = _ARTICLE.search(text, max(0, start - 3), start)
                start = word.start() if word else start
                law = own or _is_law(text, start, end)
                asked = length <= (_LONG if law else _SHORT) and (law or _is_place(text, start, end))
                found.append(Mention(state, start, end, own, law, asked))
                break
    return found


def candidates(language: str) -> dict[str, tuple[str, ...]]:
    """Return the names of the states whose law may be in a language, and of their parts; all for an unknown one."""
    table = _table()
    own = table.languages.get(language, table.names)
    return {state: names for state, names in table.names.items() if state.split("/")[0] in own}


def _is_law(text: str, start: int, end: int) -> bool:
    before, after, table = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE], _table()
    if _is_spaceless(text[start]):
        return table.signs_after.match(after) is not None
    return bool(table.law_before.search(before) or table.law_after.match(after))


def _is_place(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE]
    # A sentence before the question tells the facts of a case.
    stop = _STOP.search(text, end)
    if stop and stop[0] not in "?？" and _ASKS.search(text, end):
        return False
    if _is_spaceless(text[start]):
        return not _FACT.match(after) and not _FROM.search(before)
    table = _table()
    return bool(table.within.search(before)) and not (table.fact_before.search(before) or table.fact_after.match(after))


@cache
def _table() -> _Table:
    file = cast(dict[str, Any], read_yaml(STATES, "a file of states"))
    rows = dict(file["states"])
    for state, parts in file["parts"].items():
        rows |= {f"{state}/{part}": names for part, names in parts.items()}
    forms: list[tuple[str, str, bool]] = []
    names = {}
    for state, row in rows.items():
        general, _, own = row.partition("; ")
        names[state] = tuple(form for form in general.split(", ") if not set(form) & set("\\(?!"))
        forms += [(form, state, of is own) for of in (general, own) for form in of.split(", ") if form]
    by_head: dict[str, list[tuple[str, str, bool]]] = {}
    for form, state, own_law in sorted(forms, key=lambda one: -len(one[0])):
        by_head.setdefault(form[:2].casefold(), []).append((form, state, own_law))
    words = "|".join(rf"{word}s?(?!\w)" if len(word) <= _WHOLE else rf"{word}\w*" for word in file["law"])
    facts, within, articles, verbs = ("|".join(file[name]) for name in ("facts", "within", "articles", "verbs"))
    place = rf"(?<!\w)(?:{within})(?: (?:{articles}))?[ ']?$"
    return _Table(
        names,
        file["languages"],
        by_head,
        re.compile(place, re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{facts})\w*(?: \w+)? {place}", re.IGNORECASE),
        re.compile(rf"\w*(?:,? \w+){{0,3}}? (?:{facts})", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{words})(?: [\w']+){{0,3}}[ ']$", re.IGNORECASE),
        re.compile(
            rf"\w* (?:{verbs})|\w*(?: [\w'-]+){{0,2}}(?: (?-i:[A-Z])[\w-]+){{0,5}}[ -]"
            rf"(?:{words}|\w+(?:recht|gesetz|ordnung))",
            re.IGNORECASE,
        ),
        re.compile(rf"[^、，,。.]{{0,8}}?(?:{'|'.join(file['law_signs'])})"),
    )


@cache  # Few of them are in a text, and all take half a second.
def _pattern(form: str) -> re.Pattern[str]:
    """Return the pattern of a form: it begins a word, or is one if it is in capitals."""
    if _is_spaceless(form[0]):
        return re.compile(rf"(?<![가-힣]){form}" if "가" <= form[0] <= "힣" else form)
    if form.isupper() or form[-1] == "!":
        word = re.escape(form.removesuffix("!"))
        return re.compile(rf"(?<![A-Za-zÀ-ỹ\d]){word}(?![A-Za-zÀ-ỹ\d]| [Ll](?:uật|ệnh|ý))")
    return re.compile(rf"{_WORD_BEGINS}{form}", re.IGNORECASE)


def _is_spaceless(sign: str) -> bool:
    """Whether a sign is of a script without spaces; of Korean, too, whose particles follow a name."""
    return sign > "\u2e80" or unicodedata.name(sign, "").startswith("THAI")
