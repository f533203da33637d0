"""The parts inside a provision: whether it has the paragraph and the item that a reference names."""

from __future__ import annotations

import re

from legalir.analysis.sentences import NUMBER_ALONE
from legalir.datasets.records import Provision
from legalir.references.grammar import article_number, grammars
from legalir.references.lookup import as_article
from legalir.references.numbering import number_of
from legalir.references.read import Reference, labelled

_LEVELS = ("paragraph", "item", "subitem")
_LINES = ("zh", "th", "fr", "vi")
"""Languages in which a paragraph is a line without a number."""

_UNNUMBERED = ("it", "es", "pt")
"""Languages in which paragraphs may have no number; some publishers write all of them in one line."""

_LABEL = re.compile(r"^[ \t]*(?:[(（](\w{1,4})[)）]|(\w{1,4})[.)）°]\s)", re.MULTILINE)
_BARE_NUMBER = re.compile(r"^[ \t]*(\d{1,3})\s+(?=[A-Z(“‘])", re.MULTILINE)
_INLINE = re.compile(r"(?<=[.;:!?)）。\"”“])\s?(?:[(（](\w{1,3})[)）]|([①-⑳]))")
"""A label inside a line: ``… Wohnsitz.(2) Der …``"""

_SENTENCE = re.compile(r"[^\s.]{3}\.(?=\s|\d|\Z)")


def has_part(reference: Reference, record: Provision, language: str) -> tuple[bool | None, str]:
    """Look whether a provision has the paragraph and the item that a reference names.

    Args:
        reference: the reference; without a paragraph and an item, it is of the whole provision.
        record: the provision.
        language: of its text, ISO 639-1; without a grammar nobody can tell.

    Returns:
        Whether it has them, None if nobody can tell, and a sentence on what it has instead, empty if it has them.
    """
    if reference.supplement and reference.article and "/" not in record.article:
        starts = (re.match(r"\s*([^\s(（]{1,12})", line) for line in record.text.splitlines())
        articles = {article_number(start[1]) for start in starts if start} - {""}
        if as_article(reference).number not in articles:
            told = f"It has no article {reference.article}." if articles else "Its text does not number its articles."
            return False if articles else None, told
    wanted = [(level, number_of(value) or value) for level in _LEVELS if (value := getattr(reference, level))]
    own = sum(record.article.count(sign) for sign in "(（") + (record.article.count("/") if reference.annex else 0)
    if not wanted or own >= len(wanted) or not record.text.strip():
        return True, ""
    wanted = wanted[own:]
    lang = language.partition("-")[0]
    if lang not in grammars():
        return None, "It cannot be told whether the provision has this part: there is no grammar of its language."
    units = labelled(record.text, language)
    lines = [line.strip() for line in record.text.splitlines() if line.strip()]
    lines = lines[1:] if len(lines) > 1 and re.fullmatch(NUMBER_ALONE, lines[0]) else lines
    above: dict[str, str] = {}
    labels = grammars()[lang].labels
    for level, number in wanted:
        inside = [unit for unit in units if all(_same(getattr(unit, each), value) for each, value in above.items())]
        if any(_same(getattr(unit, level), number) for unit in inside):
            above[level] = number
            continue
        has = [value for unit in inside if (value := getattr(unit, level))]
        if not has and level not in labels:
            # The grammar has no labels of this level: those of the usual forms, of the form that the text has.
            written = [match[1] or match[2] for match in _LABEL.finditer(record.text)]
            has = [one for one in written if one.isdigit() == number.isdigit()]
            if not has and reference.annex and number.isdigit() and (level, number) == wanted[0]:
                has = _bare_numbers(record.text)
            if any(_same(one, number) for one in has):
                continue
        inline = [next(filter(None, match.groups())) for match in _INLINE.finditer(record.text)]
        if any(_same(one, number) for one in inline):
            continue  # Some texts have all paragraphs in one line.
        if level == "paragraph" and number == "1":
            continue  # A first, or only, paragraph may have no number.
        if has:
            known = ", ".join(dict.fromkeys(has))
            return False, f"It has no {level} {number}, but {known[:120]}."
        if level == "paragraph" and lang in _LINES:
            bare = sum(
                not re.match(r"(?:[(（\[]|[一二三四五六七八九十]{1,3}、|\d+[.)°]|[a-z][.)])", line) for line in lines
            )
            if number.isdecimal() and int(number) <= max(bare, 1):
                continue
            return False, f"It has {bare} {'paragraph' if bare == 1 else 'paragraphs'}."
        if lang in _UNNUMBERED and number.isdecimal() and len(_SENTENCE.findall(record.text)) >= int(number):
            return None, f"Its text does not show its {level}s."
        if len(lines) <= 1:
            return False, f"It has no {level}s: its text is one paragraph."
        return None, f"Its text does not number its {level}s."
    return True, ""


def _bare_numbers(text: str) -> list[str]:
    """Return the numbers that begin lines and count from 1 on: ``1 Each berth …`` / ``2 (1) Each pontoon …``."""
    found: list[str] = []
    for number in _BARE_NUMBER.findall(text):
        found += [number] if int(number) == len(found) + 1 else []
    return found if len(found) > 1 else []


def _same(one: str, other: str) -> bool:
    return (number_of(one) or one).casefold() == (number_of(other) or other).casefold()
