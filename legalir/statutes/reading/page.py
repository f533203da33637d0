"""Lines of a web page, without what its site adds to a law: menus, contents, tools of each article, the foot."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from itertools import chain, groupby, islice, pairwise
from string import ascii_lowercase
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from legalir.config import read_yaml
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes import dates
from legalir.statutes.jurisdictions import jurisdictions, openings, spelled
from legalir.statutes.law import CELL
from legalir.statutes.reading.markup import Markup, attribute, local, local_above
from legalir.statutes.reading.plain_text import compact
from legalir.statutes.reading.sequence import written
from legalir.statutes.reading.title import names_law

if TYPE_CHECKING:
    from lxml import etree

BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "fieldset"),
        *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tbody", "tfoot", "thead", "tr", "ul"),
    }
)
CELLS = frozenset({"td", "th", "entry"})
NEVER = frozenset({"head", "script", "style", "noscript", "template", "svg"})
_STRUCK = frozenset({"del", "s", "strike"})

CONTENTS = re.compile(
    r"(?:table of )?contents|arrangement of .{1,20}|inhalt\w*|(?:table des )?matières|sommaire|s[ou]mm?[aá]rio"
    r"|table of provisions|susunan (?:seksyen|peraturan)|(?:section|regulation|seksyen|provision)s?(?:\s+page)?"
    r"|(?:kapittel|kapitel)oversi[gk]t|innehåll\w*|indhold\w*|innhold\w*|sisä(?:llysluettelo|ltö)|efnisyfirlit|sisukord"
    r"|[ií]ndice|obsah|cuprins|tartalomjegyzék|kazalo|sadržaj|içindekiler|mục lục|daftar isi|περιεχόμενα"
    r"|inhoud\w*|spis treści|목\s?차|차\s?례|目\s*次|目\s*录|目\s*錄|สารบัญ|содержание|оглавление|зміст|съдържание",
    re.IGNORECASE,
)
"""The heading of a table of contents."""
TEXT = re.compile(r"(?:te(?:xte?|kst|sto|xto)|szöveg|本文|條文內容)\W*", re.IGNORECASE)
_MENU = re.compile(
    r"(?<![^\W_])(?:footer|nav|navbar|breadcrumbs?|brotkrumen|ariane|meny|cookies?|contentinfo|toolbar|fu(?:ss|ß)zeile"
    r"|bunntekst|stopka|lablec|rodap[eé]|buttons?|ad-slot|advert(?:isement)?s?|sharedaddy|share-buttons)(?![^\W_])",
    re.IGNORECASE,
)
"""Identifiers, classes and roles of what is no text of a page."""
_PERHAPS = re.compile(
    r"(?<![^\W_])(?:foot|navigation|menu|skip\w*|share|fu(?:ss|ß)|bunn|pata|piede|pied?)(?![^\W_])", re.IGNORECASE
)
"""Those that a part of a law may have, too: on navigation, on share capital."""
_SENTENCE = re.compile(r"(?:[^\s.]{1,40}\s{1,3}){5}[^\s.]{1,40}[.;]|。")
_UNSEEN = re.compile(
    r"(?<![^\W_])(?:sr-only|visually-?hidden|(?:only-?)?screen-?reader(?:-(?:text|only))?|wb-invisible)(?![^\W_])",
    re.IGNORECASE,
)
_LABEL_CELL = re.compile(
    rf"^(\[?(?:\d{{1,4}}[A-Za-z]{{0,2}}|[a-z])[.)]|\(\w{{1,3}}\)|§\s?\d+\s?[a-z]?[*†]*|[¹²³⁴-⁹]{{1,2}}){re.escape(CELL)}(?=[^|]*$)"
)
"""A number or letter that a table sets beside its text."""
_DEFINES = (
    "(?:shall |is |are )?(?:means?|includes?|ha(?:s|ve) the (?:same )?meaning)|bedeutet|bezeichnet|désigne|signifie"
    "|s['’]entend|significa|designa|indica|betekent|betyder|avser|oznacza"
)
_MARK = re.compile(r"[(（\[]?(?:\w|\d{1,3}[a-z]?|[ivx]{1,5})[.)）\]]?|[①-⑳•*–—-]")
_TERM_CELL = re.compile(
    rf"^([“„‚‘«\"][^|]{{1,80}}[”“’‘»\"]|[^|]{{1,80}}\s(?:{_DEFINES})|[^|]{{1,80}}(?=\s\|\s(?:{_DEFINES})(?![^\W_]))){re.escape(CELL)}(?=[^|]*$)"
)
"""A term that a table sets beside its meaning, in quotation marks or with the word that defines it."""
_HEADED = re.compile("h[1-6]")
_NUMBER_AT_END = re.compile(r"\d$|(?:^|[\s\[])\d{1,4}[A-Z]{1,2}$|[^\W\d_]\s[IVX]{1,5}$")
_SIGN = re.compile(r"(?:[^\W\d_]{2,12}\s{1,3})?[*†‡]{1,3}")
"""The mark of a footnote before a number, perhaps with a word for readers of the screen: *Footnote* \\*."""
_NOTE_MARK = re.compile(r"\[?F\d{1,4}$")
_SIGNS = re.compile(r"[^\w\s(“‘\"\[]")
_OF_SITE = re.compile(
    r"[^\W\d_a-zß-ÿ][^|·•»›.;]{1,60}(?:[|·•»›]\s?[^\W\d_a-zß-ÿ][^|·•»›.;]{1,60}){2,12}"
    r"|(?i:.{0,60}©.{0,120}|.{0,60}(?:copyright|\(c\)) (?:\(c\) ?)?(?:19|20)\d\d.{0,120}"
    r"|.{0,80}all rights reserved.{0,80})"
)
"""Names of links in a row, and whose rights a page is."""
_SIGNED_AT = (
    r"(?-i:[A-ZÀ-Þ][\w.'’-]{1,30}(?:[ -](?:an|am|der|den|im|in|de|la|le|les|del|di|da|do|dos|das|sur|en|of|upon|aan"
    r"|[A-ZÀ-Þ][\w.'’-]{0,30})){0,5}),\s(?:(?:den|le|li|lì|a|the|on|this|op|i)\s)?\d{1,2}(?:\.|er|º|°|st|nd|rd|th)?\s"
    r"(?:de |of |di )?[^\W\d_]{3,12}\.?,?\s(?:de |del )?(?:19|20)\d\d"
    r"(?:; \d{2,3}[ºo°] da Independência e \d{2,3}[ºo°] da República)?\.?$"
)
"""The place and the date of a signing."""
_ABOVE_NOTES = re.compile(r"\s*(?:-{5,}|alterações)\s*", re.IGNORECASE)
_DAY = re.compile(r"(?<!\d)(?:\d{1,2}[./]\s?\d{1,2}[./]\s?(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d)(?!\d)")
_DAY_FIRST = re.compile(r"(\d\d)-(\d\d)-(\d{4})")
_DATED = re.compile(r"\d{1,2}(?:st|nd|rd|th|\.)?\s[^\W\d_]{3,12}\.?,?\s(?:19|20)\d\d(?:(?:\t|\s\s).*|$)")
_SIGNER = re.compile(
    r"(?!.{80})[^\Wa-zß-ÿ\d_](?:[\w.’'-]*,?(?: (?=[^\Wa-zß-ÿ\d_]|(?:of|for|the|and|to|on|in|de|du|der|für)\s)|$))+"
)
"""A day, and a name or an office, beside or below each other at the end of a law."""
_SIGNATURES = 60
"""Lines of signatures at most."""
_LONGEST_SIGNED = 160
"""Characters of a line of signatures at most."""
_SENTENCE_END, _TEXT_END = re.compile(r"[.;:。；]\W*$"), re.compile(r"[.;:。；)）”»\"]\s*$")
_PARAGRAPH = re.compile(r"\s*(?:[(（]?\w{1,3}[.)）]|[①-⑳])")
_FOOT_LINES, _FOOT = 6, 500
"""Lines and characters that a foot has at most."""
_BEHIND = 2_500
"""Characters that a site adds behind a law at most."""
_NOTE_BEHIND = re.compile(r"\.?(?:\s?\[\d{1,3}\])?")
_BLOCK = re.compile(r"\[Bloque \d{1,4}: #[\w-]{1,30}\]")
"""What the pages of the Spanish gazette show above each article."""
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
"""Forms of the numbers of a list, by its type."""
_FORM_STYLES = {
    **{f"{case}-{form}": f"{case}Letter" for case in ("lower", "upper") for form in ("alpha", "latin")},
    **{f"{case}-roman": f"{case}Roman" for case in ("lower", "upper")},
}
_OWN_LABEL = re.compile(r"[(（\[§*•·–—\d-]|[①-⑳]|\w{1,4}[.)）°º]")
"""How an item begins that a browser need not number."""
_LIST_STYLE = re.compile(r"list-style(?:-type)?:\s*([\w-]+)")
_UNNUMBERED = re.compile(r"(?<![^\W_])(?:unstyled|no-?(?:bullets?|numbers?|markers?|style))(?![^\W_])", re.IGNORECASE)
_NUMBER = re.compile(r"\s*\d{1,4}(?:\.\d{1,3}){0,2}[A-Za-z]?\.?\s")
_BARE = re.compile(r"\s*(\d{1,4}(?:\.\d{1,3}){0,2}[A-Z]{0,2})(?:\.\s+[^\W\d_a-z]|\.?\s*[-–—(“\"\[])")
"""A section that only its number opens."""
_SIGNED = re.compile(
    r"(?<![^\W_])(?:sign(?:ature)?s?|signatur|unterschrift|underskrift|firmas?|assinatura)(?![^\W_])", re.I
)
_FEW_ENTRIES = 2
_LONGEST_ENTRY = 100
"""Characters of an entry of a table of contents at most."""
_LAST = 12
_AGAIN, _LONGEST_TOOL = 3, 60
"""How often a tool comes at least, and its most characters."""


class _Link(NamedTuple):
    """What words stand in: a link to a place of the page, as in its contents, elsewhere or nowhere; or a cell's end."""

    kind: Literal["contents", "link", "action", "end"]
    words: str = ""


_END = _Link("end")


@dataclass(eq=False)
class _Row:
    """A line of a page: the element that it begins in, its words, the link that each is in, its level as a heading.

    A browser shows `label` before it, the number of an item of a list.
    """

    element: etree._Element
    pieces: list[tuple[str, _Link | None]] = field(default_factory=list)
    level: int = 0
    label: str = ""

    @cached_property
    def words(self) -> str:
        return "".join(words for words, _ in self.pieces)

    def end(self) -> str:
        """Return its last few characters, while it grows."""
        return "".join(words for words, _ in self.pieces[-_LAST:])[-_LAST:]

    @property
    def bare(self) -> bool:
        """Whether there are words outside of links."""
        return any(any(map(str.isalnum, words)) for words, link in self.pieces if not link)

    def links(self) -> list[_Link]:
        """Return the links with words."""
        return list(dict.fromkeys(link for words, link in self.pieces if link and any(map(str.isalnum, words))))

    def cells(self) -> list[_Row]:
        """Return its cells, as rows of their own."""
        found = [_Row(self.element, level=self.level)]
        for words, link in self.pieces:
            found[-1].pieces.append((words, link))
            if link == _END:
                found.append(_Row(self.element, level=self.level))
        return [each for each in found if each.words.strip(CELL)]


def text_of(page: Markup) -> list[str]:
    """Return the text of a page but its menus: a line for each block and row of a table, ``>`` before a quoted one."""

    def quoted(row: _Row) -> bool:
        return any(each.tag == "blockquote" for each in (row.element, *row.element.iterancestors()))

    return [f"> {_line(row)}" if quoted(row) else _line(row) for row in _rows(page, {}) if row.words.strip(CELL)]


def law_of(page: Markup) -> tuple[list[str], dict[str, str], dict[int, int]]:
    """Return the lines of the law on a page.

    Beside them what is left out, by the reason, and the levels of lines that are marked as headings. Left out are
    menus, what stands around the element that holds all articles, the foot of the page, the tools that come with each
    article, signatures behind the last one, words for readers of the screen alone, and lines of links to places of the
    page whose words come again: its table of contents. Items of numbered lists have their number inside an article.
    """
    left: dict[str, list[str]] = {"menus": [], "table of contents": []}
    rows = _rows(page, left)
    of_law = [at for at in (_first_of_law(rows), _first_of_law(rows[::-1])) if at is not None]
    first, last = (of_law[0], len(rows) - of_law[1]) if of_law else (0, len(rows))
    within = _within(rows)
    first, last = max(first, within.start), min(last, within.stop, _end_of_law(rows))
    left["around the law"] = [row.words for row in (*rows[:first], *rows[last:])]
    blocks = [row for row in rows[first:last] if _BLOCK.fullmatch(row.words.strip())]
    left["around the law"] += (row.words for row in blocks)
    rows = _without_tools([row for row in rows[first:last] if row not in blocks], left["around the law"])
    above = next((at for at, row in enumerate(rows) if _opens_any(row) and row.bare), 0)
    headed = _headed(rows)
    menus = [row for row in rows[:above] if not (row.bare or _is_entry(row) or row in headed) and len(row.links()) > 1]
    left["around the law"] += (row.words for row in menus)
    behind = max((at for at, row in enumerate(rows) if _opens_any(row)), default=len(rows)) + 1
    signed = [row for row in rows[behind:] if any(map(_is_signed, _lineage(row.element)))]
    left["signatures"] = [row.words for row in signed]
    rows = [row for row in rows if row not in menus and row not in signed]
    in_margin = sum(map(_has_margin, rows)) >= _AGAIN
    rows = [*chain.from_iterable(_beside(row, in_margin) for row in rows)]
    again = sorted(compact(row.words) for row in rows if not _is_entry(row))
    contents = {row for row in rows if _is_entry(row) and _begins_one(compact(row.words), again)}
    contents = contents if len(contents) > _FEW_ENTRIES else set()
    before = [each for each, row in pairwise(rows) if row in contents]
    contents.update(row for row in before if CONTENTS.fullmatch(_line(row).strip(" :.")))
    left["table of contents"] += (row.words for row in rows if row in contents)
    rows = [row for row in rows if row not in contents and row.words.strip(CELL)]
    levels = {at: row.level for at, row in enumerate(rows) if row.level}
    begun = next((at for at, row in enumerate(rows) if _opens(row, "article")), len(rows))
    first = next((at for at, row in enumerate(rows) if _BARE.match(row.words)), begun)  # where numbers are sections'
    after = {True: min(first, begun), False: begun}
    labels = [row.label if at > after[row.label[:1].isalpha()] else "" for at, row in enumerate(rows)]
    lines = [f"{label} {_line(row)}".lstrip() for label, row in zip(labels, rows, strict=True)]
    return lines, {reason: "\n".join(words) for reason, words in left.items() if words}, levels


def _line(row: _Row) -> str:
    return line_of_row(" ".join(row.words.split()).removesuffix(CELL.rstrip()))


def line_of_row(words: str) -> str:
    """Return a row of a table as a line, without the sign between two cells of a number and its text, or of a term."""
    return _TERM_CELL.sub(r"\1 ", _LABEL_CELL.sub(r"\1 ", words))


def _rows(page: Markup, left: dict[str, list[str]]) -> list[_Row]:
    """Return the lines of a page; what is left out is added to `left`."""
    places = {attribute(element, "id"): element for element in page.root.iter() if attribute(element, "id")}
    most = len(page.text) / 4
    few_struck = sum(len(page.words(each)) for each in page.root.iter(*_STRUCK)) < len(page.text) / 2
    with_struck_label = list[_Row]()
    rows = [_Row(page.root)]

    of_items = _labels_of_items(page)
    term = [0]  # of the last row: the number of its pieces up to the sign behind a term whose meaning has not begun

    def begin(element: etree._Element) -> None:
        if term[0] and not any(words.strip() for words, _ in rows[-1].pieces[term[0] :]):
            return
        term[0] = 0
        label = of_items.pop(element, "")
        if not any(words.strip() for words, _ in rows[-1].pieces):
            before = rows.pop()
            if before.label and before.element in element.iterancestors():
                label = f"{before.label} {label}".rstrip()
        rows.append(_Row(element, label=label))

    def without_struck(words: str) -> str:
        """Return the label that struck words open an article with, which goes on, and leave the others out."""
        row, label = rows[-1], openings(("article",)).match(words.lstrip())
        kept = f"{label[0]} " if label and not any(words.strip() for words, _ in row.pieces) else ""
        if kept:
            with_struck_label.append(row)
        if words.strip():
            left.setdefault("text struck out", []).append(words)
        return kept

    def behind_term(element: etree._Element, meaning: str) -> str:
        """Return what parts a term from its meaning on one line, if the last row is that of the term; else nothing."""
        while rows[1:] and not any(words.strip() for words, _ in rows[-1].pieces):
            rows.pop()
        words = "".join(words for words, _ in rows[-1].pieces).strip()
        if not words or not meaning.strip() or element not in _lineage(rows[-1].element):
            return ""
        if _MARK.fullmatch(words):
            return " "
        if openings(("article", "group")).match(words) or _NUMBER.match(words):
            return ""
        parted = not words[-1].isalnum() and words[-1] not in ")]"
        return " " if parted or _TERM_CELL.match(f"{words}{CELL}{meaning[:_LONGEST_ENTRY].strip()}") else ": "

    def visit(element: etree._Element, link: _Link | None, struck: bool = False) -> None:
        name = local(element)
        if not name or name in NEVER:
            return
        unseen = _UNSEEN.search(attribute(element, "class"))
        if (unseen or _is_menu(page, element)) and len(words := page.words(element)) < most:
            left.setdefault("words for readers of the screen" if unseen else "menus", []).append(words)
            return
        words = (
            " ".join(map(str, element.itertext())).strip()
            if name == "sup" and (element.tail or "")[:1].isdigit()
            else ""
        )
        if _SIGN.fullmatch(words) and not any(before.strip() for before, _ in rows[-1].pieces):
            left.setdefault("marks of footnotes", []).append(words)
            return
        before = element.getprevious()
        paired = before is not None and (name, local(before)) == ("dd", "dt")
        if before is not None and (name, local(before), local_above(element)) == ("div", "div", "li"):
            paired = _MARK.fullmatch(_seen(before)) is not None
        if paired and before is not None and (sign := behind_term(before, " ".join(map(str, element.itertext())))):
            rows[-1].pieces.append((sign, None))
            term[0] = len(rows[-1].pieces)
        if name in BLOCKS:
            begin(element)
        begun = len(rows) - 1
        href = attribute(element, "href")
        if name == "a" and (href or not (attribute(element, "name") or attribute(element, "id"))):
            target = places.get(href[1:]) if href[:1] == "#" else None
            to_place = target is not None and target not in element.iterancestors()
            action = href in ("#", "#top") or href[:11].lower() == "javascript:"  # A script does something.
            link = _Link("contents" if to_place else "action" if action else "link", page.words(element))
        struck = struck or (few_struck and name in _STRUCK)
        words = without_struck(element.text or "") if struck else element.text or ""
        apart = _NUMBER_AT_END.search(rows[-1].end()) and words[:1].isupper()  # <b>1</b><b>Scope</b>
        rows[-1].pieces.append((f" {words}" if apart else words, link))
        for child in element:
            visit(child, link, struck)
            mark = (
                local(child) == "sup" or attribute(child, "href")[:1] == "#"
            )  # <sup>F1</sup>3A, <a href="#n">F1</a>3A
            if mark and not _SIGNS.match(child.tail or "") and _NOTE_MARK.search(rows[-1].end()):
                rows[-1].pieces.append((" ", None))
            rows[-1].pieces.append((without_struck(child.tail or "") if struck else child.tail or "", link))
        if name in CELLS:
            rows[-1].pieces.append((CELL, _END))
        if _HEADED.fullmatch(name):
            for row in rows[begun:]:
                row.level = int(name[1])
        if name in BLOCKS:
            above = element.getparent()
            begin(element if above is None else above)

    visit(page.root, None)
    opened = [(row, label[0].strip()) for row in rows if (label := openings(("article",)).match(row.words))]
    numbers = [(row, label[0].lower(), number_of(re.sub(r"(?<=\d)o\b", "", label))) for row, label in opened]
    former = list[_Row]()  # Of a former wording, the one beside it has the number, too: Art. 2º, Art. 2o
    for (row, *number), (after, *again) in pairwise(numbers):
        if number == again:
            former += [row] if row in with_struck_label else [after] if after in with_struck_label else []
    return [row for row in rows if row.words.strip() and row not in former]


def _labels_of_items(page: Markup) -> dict[etree._Element, str]:
    """Return the numbers that browsers show before the items of lists, if these do not begin with their own."""
    labels = {}
    for each in page.root.iter("ol"):
        items = [*page.find(each, "li")]
        style = _LIST_STYLE.search(attribute(each, "style").lower())
        own = sum(_has_label(_seen(item)) for item in items)
        if (style and style[1] == "none") or _UNNUMBERED.search(attribute(each, "class")) or own * 2 > len(items):
            continue
        form = _FORM_STYLES.get(style[1] if style else "", _FORMS.get(attribute(each, "type"), ""))
        falls = each.get("reversed") is not None
        number = _whole(attribute(each, "start"), len(items) if falls else 1)
        for item in items:
            number = _whole(attribute(item, "value"), number)
            labels[item] = f"{_marker(number, form)}."
            number += -1 if falls else 1
    return labels


def _seen(element: etree._Element) -> str:
    """Return the words of an element without those for readers of the screen alone."""
    words = list[str]()

    def visit(each: etree._Element) -> None:
        if not _UNSEEN.search(attribute(each, "class")):
            words.append(str(each.text or ""))
            for child in each:
                visit(child)
                words.append(str(child.tail or ""))

    visit(element)
    return " ".join("".join(words).split())


def _marker(number: int, form: str) -> str:
    """Return a number as browsers write it: after z comes aa, then ab."""
    if form.endswith("Letter") and number > len(ascii_lowercase):
        more, last = divmod(number - 1, len(ascii_lowercase))
        return _marker(more, form) + written(last + 1, form)
    return written(number, form)


def _has_label(words: str) -> bool:
    return _OWN_LABEL.match(words) is not None or openings(("article", "group")).match(words) is not None


def _whole(value: str, default: int) -> int:
    return int(value) if re.fullmatch(r"-?\d{1,6}", value.strip()) else default


def _within(rows: Sequence[_Row]) -> range:
    """Return the lines inside the smallest element that holds all articles, with those around it that are of the law.

    Before it, that are its lines from the name of the law on; behind it, all if there is an annex among them, or more
    than a site adds.
    """
    articles = [at for at, row in enumerate(rows) if _opens(row, "article")]
    articles = [at for at in articles if rows[at].bare] or articles
    if len(articles) < _FEW_ENTRIES:
        articles = [at for at, row in enumerate(rows) if row.bare and _BARE.match(row.words)]
    if len(articles) < _FEW_ENTRIES:
        return range(len(rows))
    first, last = articles[0], articles[-1]
    for place, (before, again) in enumerate(pairwise(articles)):
        # A table of contents, without text, names the first article, too; a preamble may follow it.
        if place and _label(rows[again]) == _label(rows[articles[0]]):
            first = again
        if any(_SENTENCE.search(row.words) or len(row.words) > _LONGEST_ENTRY for row in rows[before:again]):
            break
    above = {*_lineage(rows[first].element)}
    holder = next(each for each in _lineage(rows[last].element) if each in above)
    inside = [at for at, row in enumerate(rows) if holder in _lineage(row.element)]
    begin, end = inside[0], inside[-1] + 1
    behind = rows[end:]
    if sum(len(row.words) for row in behind) > _BEHIND or any(_goes_on(row) for row in behind):
        end = len(rows)
    titles = [at for at in range(begin, first) if rows[at].level == 1 and _is_name(rows[at])]
    one = titles[0] if len(titles) == 1 else begin
    if names_law(rows[one].words) or not any(map(_is_name, rows[begin:one])):
        begin = one
    if not any(map(_is_name, rows[begin:first])):
        begin = next((at for at, row in enumerate(rows[:begin]) if _is_name(row)), begin)
    return range(begin, end)


def _headed(rows: Sequence[_Row]) -> set[_Row]:
    """Return the lines of links alone that are the heading of a unit: ``Art. 1``, ``Purpose``."""
    opens = openings(("article", "group")).match
    rows = [row for row in rows if not any(opens(each.words) for each in row.links()[1:])]
    called = Counter(filter(None, map(_label, rows)))
    headed = (row for row in rows if not row.bare and (opens(row.words) or (row.level and _BARE.match(row.words))))
    return {row for row in headed if row.level or called[_label(row)] < 2}


def _is_signed(element: etree._Element) -> bool:
    return _SIGNED.search(attribute(element, "class")) is not None


def _label(row: _Row) -> str:
    """Return the label of the article that a line begins."""
    found = filter(None, map(openings(("article",)).match, row.words.split(CELL, 2)[:2]))
    bare = _BARE.match(row.words)
    return compact(next((each[0] for each in found), bare[1] if bare else ""))


def _lineage(element: etree._Element) -> Iterator[etree._Element]:
    yield element
    yield from element.iterancestors()


def _is_name(row: _Row) -> bool:
    return row.bare and not _opens(row, "group") and (row.level == 1 or names_law(row.words))


def _goes_on(row: _Row) -> bool:
    shown = row.bare or row.level
    return bool(shown) and (_opens(row, "article", "group") or _annexes().match(row.words) is not None)


def _opens(row: _Row, *kinds: Kind) -> bool:
    """Return True if a line, or its second cell, begins as the headings of any country do."""
    first, *more = row.words.split(CELL, 2)[:2]
    return bool(openings(kinds).match(first) or any(openings(kinds).match(each) and _is_upper(each) for each in more))


def _is_upper(words: str) -> bool:
    """Return True if the first letter is none of the small ones."""
    return not next(filter(str.isalpha, words), "A").islower()


def _has_margin(row: _Row) -> bool:
    """Return True if a table sets a heading beside a section that only its number opens: ``Aim | 1. This Act …``."""
    first, _, text = row.words.strip(CELL).partition(CELL)
    heading = 0 < len(first) <= _LONGEST_ENTRY and first[:1].isupper() and not any(map(str.isdigit, first))
    return heading and CELL not in text and _BARE.match(text) is not None


def _beside(row: _Row, in_margin: bool) -> list[_Row]:
    """Return a line, or two for an article whose heading a table sets beside it: ``Art. 1 Aim``, and its text."""
    cells = row.cells()
    if in_margin and _has_margin(row):
        lines = [cells[0].words.removesuffix(CELL).rstrip(" ."), *(each.words.removesuffix(CELL) for each in cells[1:])]
        return [_Row(row.element, [(words, None)], row.level) for words in lines]
    first = cells[0].words.removesuffix(CELL).strip() if len(cells) == 2 else ""
    if first and (label := openings(("article",)).match(first)) and not first[label.end() :].strip(" .:"):
        text = cells[1].words.removesuffix(CELL)  # 第一條 | 本法…
        return [_Row(row.element, [(words, None)], row.level) for words in (first, text) if words.strip()]
    text = "".join(cell.words for cell in cells[1:])
    label, heading = openings(("article",)).match(text), cells[0] if cells else row
    if label is None or not _is_upper(text) or _opens(heading, "article", "group"):
        return [row]
    note = _NOTE_BEHIND.match(text, label.end())
    end = note.end() if note else label.end()
    named = " ".join(f"{text[:end]} {heading.words.removesuffix(CELL)}".split())
    return [_Row(row.element, [(words, None)], row.level) for words in (named, text[end:]) if words.strip(CELL)]


def _without_tools(rows: Sequence[_Row], gone: list[str]) -> list[_Row]:
    """Return the lines without the links that come with each article, ``Print | Copy link``, which are added to `gone`.

    Such a link stands with others alone in its line, or cell, beside the beginning of a unit.
    """
    cells, of_units = [row.cells() for row in rows], _headed(rows)
    alone = [
        [
            [*map(_tool, each.links())] if each.links() and not (each.bare or row in of_units) else None
            for each in of_row
        ]
        for row, of_row in zip(rows, cells, strict=True)
    ]
    often = Counter(tool for of_cells in alone for cell in of_cells for tool in cell or ())
    perhaps = {tool for tool, count in often.items() if tool and count >= _AGAIN}

    def wholly(at: int) -> bool:
        return all(cell is not None and perhaps.issuperset(cell) for cell in alone[at])

    beside = Counter[str]()
    for whole, run in groupby(range(len(rows)), wholly):
        places = [*run]
        for begin, end in [(places[0], places[-1] + 1)] if whole else [(at, at + 1) for at in places]:
            found = [tool for at in range(begin, end) for cell in alone[at] for tool in {*(cell or ())} & perhaps]
            headed = begin > 1 and not _SENTENCE_END.search(rows[begin - 1].words)  # Artikel 1, its heading, the tools
            near = (*rows[max(0, begin - 1 - headed) : begin + 1], *rows[end - 1 : end + 2])
            if found and (end == len(rows) or any(map(_opens_any, near))):
                beside.update(found)
    perhaps = {tool for tool in perhaps if beside[tool] >= max(_AGAIN, often[tool] / 2)}
    opens = [*map(_opens_any, rows), False]
    only = [each and not _TEXT_END.search(row.words.rstrip(CELL)) for each, row in zip(opens, rows, strict=False)]
    beside_one = [opens[at] or (opens[at + 1] and not (at and only[at - 1])) for at in range(len(rows))]
    behind = Counter(tool for row, is_near in zip(rows, beside_one, strict=True) if is_near and (tool := _behind(row)))
    most = max(_AGAIN, sum(_opens(row, "article") for row in rows) / 2)
    of_class = _of_class(rows)
    kept, begun = list[_Row](), False
    for row, each, tools, is_near in zip(rows, cells, alone, beside_one, strict=True):
        begun = begun or _opens_any(row)
        # Beside a tool, a link with a number is one, too: 3 judgments.
        are_tools = [of is not None and {*of} - {""} <= perhaps and not perhaps.isdisjoint(of) for of in tools]
        held = [cell for cell, is_tool in zip(each, are_tools, strict=True) if not is_tool]
        if row in of_class or _leads_to_top(row) or _is_action(row, kept, begun):
            held = []
        if len(held) < len(each):
            gone.append(row.words)
        if is_near and held and len(held) == len(each) and (tool := _behind(row)) and behind[tool] >= most:
            last = max(at for at, (words, link) in enumerate(row.pieces) if link and link != _END)
            gone.append(row.pieces[last][0])
            kept.append(_Row(row.element, [*row.pieces[:last], *row.pieces[last + 1 :]], row.level))
        elif held or not each:
            kept.append(row if len(held) == len(each) else _joined(row, held))
    return kept


def _behind(row: _Row) -> str:
    """Return the tool that ends a line with a heading, ``§ 1 Aim Copy link``; empty if there is none."""
    pieces = [(words, link) for words, link in row.pieces if any(map(str.isalnum, words))]
    if len(pieces) < 2 or not (link := pieces[-1][1]) or link.words != " ".join(pieces[-1][0].split()):
        return ""
    before = "".join(words for words, _ in pieces[:-1]).rstrip()
    heading = len(before) <= _LONGEST_ENTRY and not (before.endswith((",", ";", ":")) or _SENTENCE.search(before))
    return _tool(link) if heading and _is_upper(link.words) else ""


def _of_class(rows: Sequence[_Row]) -> set[_Row]:
    """Return the lines of a class whose lines are links alone or all say the same, ``See the 2 versions``.

    They stand behind the text of a unit; what an article has alone is its text, such as *(Repealed)*.
    """
    classes: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        if called := attribute(row.element, "class"):
            classes.setdefault(called, []).append(at)
    found = set[_Row]()
    for places in classes.values():
        own = [rows[at] for at in places]
        said = {re.sub(r"\d+", "0", compact(row.words)) for row in own}
        ends = [at + 1 == len(rows) or _opens_any(rows[at + 1]) for at in places]
        alone = [at == 0 or (_opens_any(rows[at - 1]) and not _TEXT_END.search(rows[at - 1].words)) for at in places]
        links = all(not row.bare and row.links() for row in own) and any(len(row.links()) > 1 for row in own)
        same = len(said) == 1 and not any(alone) and not any(_SENTENCE_END.search(row.words) for row in own)
        opening = any(_opens_any(row) or row.level or len(row.words) > _LONGEST_ENTRY for row in own)
        if len(places) >= _AGAIN and (links or same) and sum(ends) * 2 > len(ends) and not opening:
            found.update(own)
    return found


def _leads_to_top(row: _Row) -> bool:
    """Return True for links alone of which one leads to the top of the page."""
    return not row.bare and any(_site_words()["top"].fullmatch(link.words) for link in row.links())


def _is_action(row: _Row, before: Sequence[_Row], begun: bool) -> bool:
    """Return True for what a site offers in a link, and behind the first unit for links alone that lead nowhere.

    A heading, or the name of the law before, may be such a link.
    """
    if not row.links() or row.level or _opens_any(row):
        return False
    heading = bool(before) and _opens_any(before[-1]) and not _TEXT_END.search(before[-1].words)
    nowhere = not row.bare and {link.kind for link in row.links()} == {"action"}
    return (begun and nowhere and not heading) or _is_offered(row.words)


def _opens_any(row: _Row) -> bool:
    return _opens(row, "article", "group") or _NUMBER.match(row.words) is not None


def _joined(row: _Row, cells: Sequence[_Row]) -> _Row:
    """Return a line of some of its cells."""
    pieces = [*chain.from_iterable(each.pieces for each in cells)]
    return _Row(row.element, pieces, row.level)


def _tool(link: _Link) -> str:
    """Return the words of a link, small; empty if they are no name of a tool."""
    words = link.words
    return "" if len(words) > _LONGEST_TOOL or any(map(str.isdigit, words)) else compact(words)


def _is_entry(row: _Row) -> bool:
    return not row.bare and {link.kind for link in row.links()} == {"contents"}


def _end_of_law(rows: Sequence[_Row]) -> int:
    """Return the place of the first of the last few lines that has several links alone, or their names in a row."""
    words = [" ".join(row.words.split()) for row in rows]
    offers = (at for at in _last(rows) if _is_of_site(words[at]) or (len(rows[at].links()) > 1 and not rows[at].bare))
    in_no_table = (at for at in offers if len(rows[at].cells()) < 2)
    return next((at for at in in_no_table if _may_be_foot(words, at)), len(rows))


def foot_of(rows: Sequence[str]) -> int:
    """Return the place of the first of the last lines that is of a site: ``Privacy | Contact``, ``Related documents``.

    What it offers may be longer than links alone, which end a law if they are few lines.
    """
    called = (at for at in _last(rows) if _is_of_site(" ".join(rows[at].split())) and CELL not in rows[at])
    foot = next((at for at in called if _may_be_foot(rows, at)), len(rows))
    opened = max((at for at in range(foot) if _opens_line(rows[at])), default=foot)
    offers = (at for at in range(opened + 1, foot) if _is_offered(rows[at]))
    return next((at for at in offers if sum(map(len, rows[at:foot])) <= _BEHIND), foot)


def signatures_of(rows: Sequence[str]) -> range:
    """Return the places of the lines between the last article and an annex, or the end, that are of its signing.

    They begin with the place and the date, ``Paris, le 14 octobre 2016``, or with such a word as ``gez.``, or are a
    name, an office and a date behind the last sentence.
    """
    begun = next((at for at, row in enumerate(rows) if _opens_article(row)), len(rows))
    opened = [at for at in range(begun, len(rows)) if _opens_line(rows[at])]
    for begin in range(begun + 1, len(rows)):
        before = rows[begin - 1]
        if not _site_words()["signed"].match(rows[begin].strip()) or (
            _opens_article(before) and not _SENTENCE_END.search(before)
        ):
            continue
        place = bisect_left(opened, begin)
        end = opened[place] if place < len(opened) else len(rows)
        signed = rows[begin : min(end, begin + _SIGNATURES + 1)]
        short = sum(map(len, signed)) <= _BEHIND and not any(len(row) > _LONGEST_SIGNED for row in signed)
        if short and len(signed) <= _SIGNATURES and (end == len(rows) or not _opens_article(rows[end])):
            return range(begin, end)
    end = next((at for at in opened if _annexes().match(rows[at])), len(rows))
    begin = next((at for at in range(end, begun, -1) if _SENTENCE_END.search(rows[at - 1])), end)
    signed = [row.strip() for row in rows[begin:end] if row.strip()]
    names = [row for row in signed if not _DATED.match(row)]
    fits = 0 < len(names) < len(signed) <= _FOOT_LINES and all(map(_SIGNER.fullmatch, names))
    return range(begin, end) if fits and rows[begin - 1].rstrip()[-1] not in ":;" else range(len(rows), len(rows))


def changes_of(rows: Sequence[str]) -> range:
    """Return the places of the lines of a table of changes behind the last article, ``Änderungstabelle``."""
    begun = next((at for at, row in enumerate(rows) if _site_words()["changes"].fullmatch(row.strip())), len(rows))
    listed = [CELL in row or _DAY.search(row) is not None for row in rows]
    end = next((at for at in range(begun + 1, len(rows)) if not listed[at] and _annexes().match(rows[at])), len(rows))
    rest = [rows[at] for at in range(begun, end) if not listed[at]]
    text = any(len(row) > _LONGEST_ENTRY or _SENTENCE_END.search(row) or _opens_article(row) for row in rest)
    return range(begun, end) if any(map(_DAY.search, rows[begun:end])) and not text else range(len(rows), len(rows))


def notes_behind(rows: Sequence[str]) -> range:
    """Return the places of the lines of notes on the whole law behind its text: ``Endnotes``, ``Endnote 1``."""
    filled = [at for at, row in enumerate(rows) if row.strip()]
    pairs = ((at, f"{rows[at].strip()}\n{rows[after].strip()}") for at, after in pairwise(filled))
    begun = max((at for at, words in pairs if _site_words()["behind"].fullmatch(words)), default=len(rows))
    opened = next((at for at, row in enumerate(rows) if _opens_line(row)), len(rows))
    text = any(len(row) > _LONGEST_ENTRY or _SENTENCE_END.search(row) for row in rows[opened:begun])
    return range(begun if text else len(rows), len(rows))


def notes_of(rows: Sequence[str]) -> list[int]:
    """Return the places of lines in which a site says how a provision was changed: ``Modifié par LOI … - art. 3``."""
    noted = [_site_words()["noted"].fullmatch(" ".join(row.split())) is not None for row in rows]
    return [
        at for at, row in enumerate(rows) if noted[at] or (any(noted[at + 1 : at + 2]) and _ABOVE_NOTES.fullmatch(row))
    ]


def dated_notes(rows: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Return the days between which a provision applies, by the places of the lines below its number that say so."""
    found = {at: _days("dated", row) for at, row in enumerate(rows)}
    return {at: (days[0], days[1] if len(days) > 1 else "") for at, days in found.items() if days}


def days_above(rows: Sequence[str]) -> tuple[str, str, str]:
    """Return what a site says above the first article: from when, and from when no longer, a law applies; its day."""
    begun = next((at for at, row in enumerate(rows) if _opens_article(row)), 0)
    applies, made = (next(filter(None, (_days(key, row) for row in rows[:begun])), []) for key in ("since", "made"))
    since, last, *_ = (*applies, "", "")
    return since, dates.after(last) if last else "", (*made, "")[0]


def _days(key: str, row: str) -> list[str]:
    """Return the days of a line that one of the words of sites matches, in the order of its groups."""
    match = _site_words()[key].fullmatch(" ".join(row.split()).strip(" |"))
    days = [day for day in match.groups() if day is not None] if match else []
    return [dates.iso_day(_DAY_FIRST.sub(r"\1.\2.\3", day)) for day in days]


def _opens_article(words: str) -> bool:
    return openings(("article",)).match(words) is not None or _BARE.match(words) is not None


def tools_above(rows: Sequence[str]) -> list[int]:
    """Return the places of lines before the first article that are of a site: ``Print``, or ``Text`` above the text."""
    begun = next((at for at, row in enumerate(rows) if _opens_article(row)), 0)
    return [at for at in range(begun) if _is_offered(rows[at]) or TEXT.fullmatch(rows[at].strip())]


def _is_offered(words: str) -> bool:
    """Return True for a line in which a site offers something: ``Print``, ``Was this page helpful?``"""
    words = " ".join(words.split())
    fits = CELL not in words and len(words) <= _LONGEST_ENTRY
    return fits and bool(_site_words()["offered"].fullmatch(words))


def _is_of_site(words: str) -> bool:
    """Return True for names of links in a row, whose rights a page is, and what leads to its top."""
    return bool(_OF_SITE.fullmatch(words) or _site_words()["top"].fullmatch(words))


@cache
def _site_words() -> dict[str, re.Pattern[str]]:
    """Return the patterns in ``site_words.yaml``, by the name of the list."""
    # The file is part of the package.
    with resources.as_file(resources.files("legalir.statutes") / "site_words.yaml") as path:
        words = cast(dict[str, dict[str, list[str]]], read_yaml(path, "words of sites"))
    keys = ("top", "offered", "signed", "changes", "noted", "behind")
    top, offered, signed, changes, noted, behind = ("|".join(chain.from_iterable(words[key].values())) for key in keys)
    days = {key: "|".join(chain.from_iterable(words[key].values())) for key in ("dated", "since", "made")}
    return {
        **{key: re.compile(forms, re.IGNORECASE) for key, forms in days.items()},
        "changes": re.compile(
            rf"(?:{changes})(?:(?:\s?[-–—:(]|\s(?:nach|par|per|by))\s?[^.;]{{1,40}})?", re.IGNORECASE
        ),
        "behind": re.compile(behind, re.IGNORECASE),
        "noted": re.compile(rf"\W*(?:{noted})\W*", re.IGNORECASE),
        "top": re.compile(rf"\W*(?:{top})\W*", re.IGNORECASE),
        "offered": re.compile(rf"\W*(?:{offered})(?:\W+(?:{offered})){{0,5}}\W*", re.IGNORECASE),
        "signed": re.compile(rf"(?:{signed}|{_SIGNED_AT})", re.IGNORECASE),
    }


def _opens_line(words: str) -> bool:
    opened = openings(("article", "group")).match(words) or _annexes().match(words)
    return opened is not None or _NUMBER.match(words) is not None


def _last(rows: Sequence[object]) -> range:
    return range(max(1, len(rows) - 3 * _FOOT_LINES), len(rows))


def _may_be_foot(rows: Sequence[str], at: int) -> bool:
    rest = [row for row in rows[at:] if row.strip()]
    short = len(rest) <= _FOOT_LINES and sum(map(len, rest)) <= _FOOT
    return short and not any(openings(("article", "group")).match(row) or _is_of_law(row) for row in rest)


def _is_of_law(words: str) -> bool:
    """Return True if a line begins an annex, a paragraph or an item."""
    return _PARAGRAPH.match(words) is not None or _annexes().match(words) is not None


@cache
def _annexes() -> re.Pattern[str]:
    words = {
        each.removeprefix("N ") for table in jurisdictions().values() for each in (*table.annex, *table.supplement)
    }
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"\W*(?:\w+\W+){{0,2}}(?:{'|'.join(map(spelled, longest))})(?![^\W\d_a-z])", re.IGNORECASE)


def _first_of_law(rows: Sequence[_Row]) -> int | None:
    """Return the place of the first line that is more than a link, or opens a unit."""
    return next((at for at, row in enumerate(rows) if row.bare or _opens(row, "article", "group")), None)


def _begins_one(words: str, others: Sequence[str]) -> bool:
    """Return True if one of the words in order begins with `words`: an entry of a table of contents comes again."""
    place = bisect_left(others, words)
    return place < len(others) and others[place].startswith(words)


def _is_menu(page: Markup, element: etree._Element) -> bool:
    """Return True if an element is a menu or the like, by its name or by what it is called.

    An element that begins an article is none, nor one with a sentence whose name may be that of a part of a law, unless
    it ends the page.
    """
    name = local(element)
    if name in ("nav", "footer", "button", "select", "dialog"):
        return True
    called = " ".join(attribute(element, each) for each in ("id", "class", "role"))
    named, perhaps = _MENU.search(called), name == "form" or _PERHAPS.search(called)
    begun = "".join(map(str, islice(element.itertext(), 20))).lstrip()[:200]
    if not (named or perhaps) or openings(("article", "group")).match(begun):
        return False
    rest = " ".join(page.text[page.span(element)[1] :].split())
    last = not rest or _site_words()["top"].fullmatch(rest) is not None
    return named is not None or last or not _SENTENCE.search(page.words(element))
