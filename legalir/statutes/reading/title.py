"""The line that names a law among those above its first article: a gazette, a ministry and a number are there, too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple, cast

from legalir.config import read_yaml
from legalir.statutes.jurisdictions import Heading, jurisdictions, openings
from legalir.statutes.reading.plain_text import CUT_OFF, compact

_HEAD = 30
"""Lines in which the name is looked for."""

_LONGEST = 300
_FIRST = 4
"""Words at the beginning of a name among which the kind of the law is: ``Valtioneuvoston asetus …``."""

_BETWEEN = re.compile(r"\s*[|｜_›»·]\s*|\s+[-–—]\s+(?![^()]{0,100}\))|(?<=[\u2e80-\uffff])[-–—](?=[\u2e80-\uffff])")
_CALLED = re.compile(r"[\w/\s]{1,12}(?:[：:](?:\s\|)?|\s\|)\s*(?=\S)")
"""What stands before a name in a list of facts: ``法規名稱：``."""

_BEHIND = re.compile(
    r"(?:[\s,，]+(?:\d[\d/.\-]*|n[ro°º]?\.?|of|de|vom|van|av|af|\d+月\d+日|[(（\[【〔][^()（）\[\]]*[)）\]】〕]|[*†‡⁰¹²³⁴-⁹]+))+[\s.]*$"
    r"|[(（【〔][^()（）]*[)）】〕]\s*$|[\s.]+$",
    re.IGNORECASE,
)
"""Year, number and notes behind a name: ``Harbour Act 1997 (c. 3)``."""

_NUMBERED = re.compile(
    r"(?<![^\W_])(?:n[°ºro]?|nos?|num|núm|č|αριθ|tahun|of)\.?\s?[°º]?\s?\d|\d{4}(?::\d|\. (?:évi|\())"
    r"|[제第]\s?\d+\s?[호号號]|(?:主席|总统|總統|大統領|院|部|政府|委员会|委員會)令$",
    re.IGNORECASE,
)
"""The number of an act, or who issued it."""
_OF_MATTER = re.compile(
    r"(?:.*\n\s*(?:tentang|про|об?|за)|(?:zakon\w*|uredb[aou]|pravilnik|odluk[au]|odlok)(?!\w).*\n\s*o)(?![^\W_])",
    re.IGNORECASE,
)
"""Words with which a name goes on below its kind: ``UNDANG-UNDANG …``, ``TENTANG``; ``ЗАКОН УКРАЇНИ``, ``Про …``."""
_BETWEEN_NAMES = 4
"""Lines below the kind of a law among which such a word is."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W\d_]+)*")


RELEVANCE = re.compile(
    r"\s*\((?=[^()]*\s)[^()]*(?<![^\W_])(?:EEA|EEE|EES|EER|EEZ|EGP|EGT|EHP|EMP|EOG|ETA|EWR|EØS|LEE|SEE|ŻEE|ЕИП|ΕΟΧ)(?![^\W_])[^()]*\)$"
)
"""What stands behind the name of an act of the Union that is of the European Economic Area, too."""

_OF_CHAPTER = re.compile(r"\s*(?:[A-Z]{2,4}\s)?\d{1,4}[A-Z]?\.\d{2,4}(?:\.\d{3})?(?:\s+[A-Z\"“]|\s*$)|\s*\(\d+ ILCS ")
"""A section with its chapter in its number, or its citation above it: ``86D.01 DEFINITIONS.``"""


_THAI_YEAR, _THAI_LINES = "พ.ศ.", 3
"""What ends the name of a Thai act, on a line of its own, and the lines below the kind of the act in which it comes."""


_GOES_ON = re.compile(r"\s*(?:(?-i:[a-zà-ÿ])|\([^\W\d_][^()\d]{3,80}\)\s*$)")
"""A line below a heading that is a part of it: *sur les ports*, *(loi portuaire - LP)*."""


class Name(NamedTuple):
    """The name of a law, the rows that it stands in, from first to last, and whether the file says that it is."""

    words: str
    rows: range = range(0)
    said: bool = False


def name_of_law(rows: Sequence[str], page_title: str = "", levels: Mapping[int, int] = MappingProxyType({})) -> Name:
    """Return the name of a law.

    It is the title of the page if that is a line, too; else the line that has a word for a kind of law where names have
    it, ``Harbour Act 1997``, ``Ley 4/2009, de puertos``; else the first line.

    Args:
        rows: lines of the file; empty ones do not count.
        page_title: what a page says that it is called, with the name of its site.
        levels: rows that the file marks as headings, with their level.
    """
    head = _head(rows)
    pieces = [each.strip() for each in _BETWEEN.split(page_title) if sum(map(str.isalpha, each)) > 3]
    pieces += [each[called.end() :] for each in pieces if (called := _CALLED.match(each))]
    by_words = {compact(each): each for each in pieces}
    same = [row for row in head if compact(rows[row]) in by_words]
    if same:
        return _name_at(rows, same[-1])._replace(said=True)
    named = {row: rank for row in head if (rank := _rank(rows[row]))}
    for name in (_name_at(rows, row) for row in named):
        if piece := by_words.get(compact(name.words)):  # ZAKON, O GATOVIMA
            return name._replace(words=piece, said=True)
    begun = [
        row for row in head if any(_rank(each) and compact(rows[row]).startswith(compact(each)) for each in pieces)
    ]
    marked = sorted((row for row in head if row in levels), key=lambda row: (levels[row], row))
    best = [*(row for row in marked if row in named), *begun, *sorted(named, key=lambda row: (-named[row], row))]
    bare = best and named.get(best[0]) == 1 and len(rows[best[0]].split()) == 1 and best[0] not in {*marked, *begun}
    if bare and (piece := next((each for each in pieces if _rank(each) > 1), "")):  # Not “Regulations”, a heading
        return Name(piece, said=True)
    if best:
        whole = levels.get(best[0]) == 1 and named.get(best[0], 0) > 1
        found = _name_at(rows, best[0], whole, levels.get(best[0] + 1) == levels.get(best[0], 0))
        found = found._replace(said=best[0] in {*marked, *begun})
        for piece in filter(_rank, pieces):  # Закон про порти: ЗАКОН УКРАЇНИ, Про порти
            own, few = _words(found.words), _words(piece)
            if few < own and not few <= _words(rows[best[0]]) and not any(map(str.isdigit, "".join(own - few))):
                return found._replace(words=piece, said=True)
        return found
    inside = [row for row in head if sum(map(str.isalpha, rows[row])) > 3 and rows[row].strip() in page_title]
    parts = {below: row for row, below in pairwise(head) if _is_part(rows[row])}  # Part 1, Harbours
    inside = [row for row in inside if row not in parts or rows[parts[row]].strip() in page_title]
    if inside:
        return _name_at(rows, max(inside, key=lambda row: len(rows[row])))
    if page_title and (any(map(_rank, pieces)) or {*parts, *parts.values()}.issuperset(marked)):
        return Name(next(filter(_rank, pieces), page_title.strip()).removesuffix("."))
    first = next((row for row, words in enumerate(rows) if words.strip()), -1)
    if marked and levels[marked[0]] == 1:
        first = marked[0]
    return _name_at(rows, first) if first in head else Name("")


def names_law(line: str) -> bool:
    """Return True if a line has a word for a kind of law where names have it."""
    return _rank(line) > 0


_SHORT_NAME = re.compile(r"\((?=[A-ZÀ-ÖØ-Þ])[^\W\d_][^\s()\d]{2,60}(?:\s?[‑–-]\s[^\s()\d]{2,30}|,\s[^\s()\d]{2,30})?\)")
"""The short name of a law in brackets on a line of its own: ``(Ziegenhaltungsverordnung – ZiegHV)``."""


def _name_at(rows: Sequence[str], first: int, whole: bool = False, parted: bool = False) -> Name:
    """Return the name in a row, with the rows in which it goes on: ``USTAWA``, ``z dnia 16 maja 2008 r.``, ``o …``.

    Args:
        whole: the file says that a single word in the row is the whole name.
        parted: the next row is a heading of the same level, as where a line break parts a heading.
    """
    words, last = rows[first], first
    below = (row for row in range(first + 1, len(rows)) if rows[row].strip())
    issuer, dated = next(below, None), next(below, None)  # ROZPORZĄDZENIE, MINISTRA FINANSÓW, z dnia …
    bare = _rank(words) == 1 and issuer is not None and _folded(rows[issuer].split()[0]) not in _kinds().never
    goes_on = ((len(words.split()) == 1 or bare) and not whole) or CUT_OFF.search(words.rstrip())
    if goes_on and words.isupper() and issuer is not None and dated is not None and rows[dated].strip()[0].islower():
        words, last = (
            (f"{words} {rows[issuer].strip()}", issuer) if rows[issuer].strip()[:6].isupper() else (words, last)
        )
    later = [row for row in range(last + 1, len(rows)) if rows[row].strip()] if words.isupper() else []
    matter = next(
        (at for at, row in enumerate(later[:_BETWEEN_NAMES]) if _OF_MATTER.match(f"{words}\n{rows[row]}")), -1
    )
    if matter >= 0:
        end = matter + (len(rows[later[matter]].split()) == 1)  # the line below TENTANG, or those above a blessing
        above = [at for at, row in enumerate(later) if rows[row].strip().startswith("DENGAN RAHMAT")]
        last = later[min(above[0] - 1 if end > matter and above else end, len(later) - 1)]
        words = " ".join(rows[first : last + 1])
    if parted and last == first and _GOES_ON.match(rows[first + 1]):
        words, last = f"{words} {rows[first + 1].strip()}", first + 1
    below = (row for row in range(last + 1, len(rows)) if rows[row].strip())
    while goes_on and (row := next(below, None)) and rows[row].strip()[0].islower() and len(words) < _LONGEST:
        words, last = f"{words} {rows[row].strip()}", row
    near = [row for row in range(last + 1, min(last + 8, len(rows))) if rows[row].strip()][:_THAI_LINES]
    year = next((row for row in near if rows[row].strip().startswith(_THAI_YEAR)), None)
    if year is not None and _rank(words) and _THAI_YEAR not in words:
        name = "".join(rows[row].strip() for row in (first, *near[: near.index(year)]))
        words, last = f"{name} {rows[year].strip()}", year
    after = next((row for row in range(last + 1, min(last + 3, len(rows))) if rows[row].strip()), None)
    if after is not None and _SHORT_NAME.fullmatch(rows[after].strip()) and not words.rstrip().endswith((")", ".")):
        words, last = f"{words.rstrip()} {rows[after].strip()}", after
    return Name(_cleaned(words), range(first, last + 1))


def _head(rows: Sequence[str]) -> list[int]:
    """Return the rows above the first article."""
    head: list[int] = []
    for row, line in enumerate(rows):
        words = line.lstrip(' "“«')
        below = next(filter(str.strip, rows[row + 1 : row + 1 + _BETWEEN_NAMES]), "")
        of_collection = not (head or any(map(str.isalpha, words))) and names_law(below)  # 745.10, Stegverordnung
        if (
            len(head) == _HEAD
            or (_OF_CHAPTER.match(words) and not of_collection)
            or any(_opens_article(table.heading(words)) for table in jurisdictions().values())
        ):
            break
        if words.strip():
            head.append(row)
    return head


def _is_part(words: str) -> bool:
    """Return True if a line is the label of a part, whose name is on the line below."""
    opened = openings(("group",)).match(words)
    return opened is not None and not words[opened.end() :].strip(" .:–—-")


def _opens_article(heading: Heading | None) -> bool:
    return heading is not None and heading.level.kind == "article" and not heading.label.isalpha()  # RULES


def _cleaned(words: str) -> str:
    words = " ".join(words.split()).lstrip("○●◎■□ ")
    if (called := _CALLED.match(words)) and _rank(words[called.end() :]):
        words = words[called.end() :]
    return words.removesuffix(".")


def _rank(line: str) -> int:
    """Return 2 for a line that names a law, 1 for one that has only kind and number, 0 for any other."""
    words = " ".join(line.split())
    if called := _CALLED.match(words):
        words = words[called.end() :]
    if (
        not words
        or len(words) > _LONGEST
        or words[0].islower()
        or words[0] in "([（【"
        or words.endswith((",", ";", ":", "："))
    ):
        return 0
    kinds = _kinds()
    each = [_folded(word) for word in _WORD.findall(words) if not word.isdigit()]
    if not each or each[0] in kinds.never or words[-1] == "。":
        return 0
    if words[-1] == "." and not kinds.words & {*each[:_FIRST]}:
        return 0  # A sentence.
    bare = words
    while shorter := _BEHIND.search(bare):
        bare = bare[: shorter.start()]
    last = [_folded(word) for word in _WORD.findall(bare)][-1:]
    first = [word for at, word in enumerate(each[:_FIRST]) if not at or each[at - 1] not in kinds.behind]
    of_kind = [word for word in (*first, *last) if word in kinds.words or word.endswith(kinds.ends)]
    of_kind += [word for word in (each[0], *last) if word in kinds.edges or word.endswith(kinds.asian)]
    if not of_kind and not any(word in words for word in kinds.words if word[0] >= "\u0600"):
        return 0
    more = [word for word in each if word not in of_kind and word.isalpha() and len(word) > 3]
    if len(each) == 1 and each[0] in kinds.words | kinds.edges:
        return int(words.isalpha())  # 5.2 Rules
    weak = (_NUMBERED.search(words) and len(more) < 2) or each[0] in ("laws", "acts")  # Laws of Narnia
    return 1 if weak else 2


def _words(line: str) -> set[str]:
    return set(_WORD.findall(_folded(line)))


def _folded(word: str) -> str:
    return word.casefold().replace("i\u0307", "i")  # İ


class _Kinds(NamedTuple):
    """The words of ``kinds.yaml``, small."""

    words: frozenset[str]
    edges: frozenset[str]
    ends: tuple[str, ...]
    asian: tuple[str, ...]
    behind: frozenset[str]
    never: frozenset[str]


@cache
def _kinds() -> _Kinds:
    with resources.as_file(resources.files("legalir.statutes") / "kinds.yaml") as path:
        lists = cast(dict[str, list[str]], read_yaml(path, "kinds of laws"))
    words, edges, ends, behind, never = (
        _folded(" ".join(lists[key])).split() for key in ("words", "edges", "ends", "behind", "never")
    )
    latin, asian = (tuple(end for end in ends if (end[0] >= "\u1100") is far) for far in (False, True))
    return _Kinds(frozenset(words), frozenset(edges), latin, asian, frozenset(behind), frozenset(never))
