"""The source ``text``: statutes in files of plain text or of Markdown, whose marks are left out, read line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.importing.unknown import ABOUT, LISTED
from legalir.statutes.jurisdictions import openings
from legalir.statutes.law import CELL, Law
from legalir.statutes.reading.lines import check_country, country_of, in_columns, law_id_of, read_text
from legalir.statutes.reading.plain_text import decoded, rejoined, without_headers
from legalir.statutes.reading.title import names_law

_MARKS = re.compile(
    r"^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+)+|\*\*|__|~~|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|\\(?=[\W_]|$)|\[\^[\w-]{1,20}\](?!:)"
    r"|(?<=\S)\s?\{[#.][\w.# -]{1,80}\}\s*$"
)
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s")
_FOOTNOTE, _STRUCK = re.compile(r"\[\^[\w-]{1,20}\]:"), re.compile(r"~~(?=\S)([^~\n]{1,2000}?)~~")
_FORMULA = 3
"""Lines between the name of a law and its first section, such as an enacting formula."""
_BESIDE = 40
"""Characters beside the links of a menu."""
_DRAWN = re.compile(r"\s*\|.*\|\s*")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")


_GAP = re.compile(r"(?P<margin>\S.*?)?\s{2,}(?=\S)")
_BARE_NUMBER = re.compile(r"\d{1,3}[A-Z]?\.")
_LEAST, _NARROWEST, _WIDEST = 3, 8, 30
"""Articles with a margin that show where it ends, and its width in characters; a column of text is wider."""


class _Begun(NamedTuple):
    """A line in which an article begins behind the margin: where it begins, what is in the margin, and its label."""

    row: int
    column: int
    margin: str
    label: str


def _format(
    collection: Collection | None, country: str = "auto", title: str = "", encoding: str | None = None
) -> Format:
    """Return the format with its parameters.

    Args:
        country: two letters; selects the table of headings. ``auto``: the table that recognises most articles.
        title: name of the law; empty: the first line of the file.
        encoding: of the files; None: UTF-8, or what a byte order mark says.
    """
    check_country("text", country)
    return Format(
        "text", (".txt", ".md"), _is_text, partial(_read, country=country, title=title, encoding=encoding), True
    )


def _is_text(path: Path, head: bytes) -> bool:
    """Return True if lines of a file open articles: a licence or a list of files is no statute."""
    try:
        rows = decoded(head[: head.rfind(b"\n") + 1] or head, path.name, None).splitlines()
    except DataError:
        return True  # Its report says that its encoding must be named.
    if path.suffix.lower() == ".md":
        rows = _plain(rows if _has_sections(rows) else [row for row in rows if not LISTED.match(row)])
    return not ABOUT.match(path.name) and bool(country_of(rows))


def _has_sections(rows: Sequence[str]) -> bool:
    """Return True if numbered lines of Markdown may be sections, and not lists of a manual.

    The first heading names a law, and little text is between it and the first number; or headings are those of parts,
    and the numbers go on from one part to the next.
    """
    if any("`" in row for row in rows):
        return False  # It is about commands or files.
    headings = [at for at, row in enumerate(rows) if _HEADING.match(row)]
    listed = [at for at, row in enumerate(rows) if LISTED.match(row)]
    title = next(iter(headings), len(rows))
    before = range(title + 1, next(iter(listed), 0))
    between = sum(bool(rows[at].strip()) and at not in headings for at in before)
    parts = sum(openings(("group",)).match(_MARKS.sub("", rows[at])) is not None for at in headings)
    numbers = [int(number[1]) for row in rows if (number := LISTED.match(row))]
    if parts > 1 and all(a < b for a, b in pairwise(numbers)):
        return True
    return title < len(rows) and names_law(_MARKS.sub("", rows[title])) and between <= _FORMULA


def _read(path: Path, data: bytes, country: str, title: str, encoding: str | None) -> Iterator[Law]:
    text = re.sub(r"\u00ad(?=\w)", "", decoded(data, path.name, encoding))  # Soft hyphens that divide no line.
    if path.suffix.lower() == ".md":
        yield law_of_markdown(path.name, text, country, title, law_id_of(path))
        return
    pages, note = in_columns([page.splitlines() for page in text.split("\f")])
    rows, headers = without_headers(pages)
    rows = _with_cells(_with_margins([*map(_without_edges, rows)]))
    left_out = {"headers of pages": "\n".join(headers)} if headers else {}
    law = read_text(path.name, rejoined(rows), country, title, law_id_of(path), left_out=left_out)
    law.notes += [f"{path.name}: {note}"] if note else []
    yield law


def law_of_markdown(name: str, text: str, country: str, title: str, law_id: str, lang: str = "") -> Law:
    """Return the law in a text of Markdown, read line by line, without its marks, facts and menus."""
    text, struck = _without_struck(text)
    every = _text_of(text.splitlines())
    menus, notes = ([row for row in every if test(row)] for test in (_is_menu, _FOOTNOTE.match))
    aside = {*menus, *notes}
    rows = [row for row in every if row not in aside]
    levels = {at: len(mark[1]) for at, row in enumerate(rows) if (mark := _HEADING.match(row))}
    gone = {"menus": menus, "footnotes": notes, "text struck out": struck}
    left_out = {reason: "\n".join(words) for reason, words in gone.items()}
    return read_text(name, rejoined(_plain(rows)), country, title, law_id, lang, left_out, levels=levels)


def _without_struck(text: str) -> tuple[str, list[str]]:
    """Return a text without the words struck out, unless they are most of it, and these: ``~~Art. 7 A fee is due.~~``

    The label of an article stays, unless another line has it, too, as the next wording does.
    """
    struck = _STRUCK.findall(text)
    if len("".join(struck)) * 2 > len(text):
        return text, []
    begun = Counter(opened[0] for line in text.splitlines() if (opened := _opened(line)))

    def label(words: re.Match[str]) -> str:
        opened = _opened(words[1])
        return f"{opened[0]} " if opened and begun[opened[0]] < 2 else ""

    return _STRUCK.sub(label, text), struck


def _opened(line: str) -> re.Match[str] | None:
    return openings(("article",)).match(line.lstrip("#*~_ "))


def _with_margins(rows: Sequence[str]) -> list[str]:
    """Return lines in which what stands in the margin, left of an article, is its heading.

    ``Waiting     § 5. A list is kept.`` and ``list          It is public.`` become ``§ 5. Waiting list``, and the text
    below. Lines without a margin stay as they are.
    """
    rows = [row.expandtabs() for row in rows]
    begun = [each for at, row in enumerate(rows) if (each := _begun(at, row, rows[at - 1] if at else ""))]
    (column, count), *_ = Counter(each.column for each in begun).most_common(1) or [(0, 0)]
    begun = [each for each in begun if each.column == column]
    longer = [row for row in rows if len(row.rstrip()) > column]
    apart = sum(row[max(column - 2, 0) : column].isspace() for row in longer)
    with_margin = sum(bool(each.margin) for each in begun)
    if not _NARROWEST <= column <= _WIDEST or with_margin < max(_LEAST, count / 2) or apart * 10 < len(longer) * 8:
        return list(rows)
    labels = {each.row: each.label for each in begun}
    found: list[str] = []
    heading = -1  # the line of the heading that may go on in the margin
    for at, row in enumerate(rows):
        inside = row[max(column - 2, 0) : column].isspace() or len(row.rstrip()) <= column
        margin, text = (row[:column].strip(), row[column:].strip()) if inside else ("", row)
        if at in labels:
            heading = len(found) if margin else -1
            found += [f"{labels[at]} {margin}".rstrip(), text[len(labels[at]) :].strip()]
        elif heading >= 0 and margin:
            before = found[heading]
            divided = before.endswith("-") and margin[0].islower()
            found[heading] = f"{before[:-1]}{margin}" if divided else f"{before} {margin}"
            found.append(text)
        else:
            heading = heading if margin else -1
            found.append(row if margin else text)
    return found


def _with_cells(rows: Sequence[str]) -> list[str]:
    """Return lines in which two wide gaps or more, in two lines one below the other, part the cells of a table."""
    cells = [re.split(r"\s{3,}|\t", row.strip()) for row in rows]
    many = [len(each) > 2 for each in cells]
    beside = [any(many[max(at - 1, 0) : at] + many[at + 1 : at + 2]) for at in range(len(rows))]
    return [CELL.join(cells[at]) if many[at] and beside[at] else row for at, row in enumerate(rows)]


def _begun(at: int, row: str, above: str) -> _Begun | None:
    """Return the article that begins behind the first wide gap of a line, beside a margin or below a blank line."""
    gap = _GAP.match(row)
    label = openings(("article",)).match(row, gap.end()) if gap else None
    label = label or (_BARE_NUMBER.match(row, gap.end()) if gap else None)
    goes_on = gap["margin"][0].islower() if gap and gap["margin"] else above.strip() != ""
    if gap is None or label is None or goes_on:
        return None
    stop = label.end() + row[label.end() :].startswith(".")
    return _Begun(at, gap.end(), gap["margin"] or "", row[gap.end() : stop].strip())


def _text_of(rows: Sequence[str]) -> list[str]:
    """Return the lines of Markdown without the facts before its text."""
    if rows and rows[0].strip() == "---" and "---" in (later := [row.strip() for row in rows[1:]]):
        rows = rows[later.index("---") + 2 :]
    return [row for row in rows if not row.lstrip().startswith("<!--")]


def _is_menu(row: str) -> bool:
    """Return True for links in a row, which are no text."""
    rest = _LINK.sub("", row)
    apart = not rest.strip() or re.search(r"[|›»·]", rest) is not None
    return len(_LINK.findall(row)) > 1 and len(rest.strip()) < _BESIDE and apart


def _plain(rows: Sequence[str]) -> list[str]:
    """Return lines of Markdown without its marks."""
    return [_without_edges(_LINK.sub(r"\1", _MARKS.sub("", row))) for row in rows]


def _without_edges(row: str) -> str:
    """Return a row of a table without the signs around it; the line below its head is empty."""
    if not _DRAWN.fullmatch(row):
        return row
    return CELL.join(cell.strip() for cell in row.strip().strip("|").split("|")) if any(map(str.isalnum, row)) else ""


FORMATS = (_format(None),)
text = factory_of(
    StatuteFiles, 'Statutes in plain text or Markdown, read line by line: ``text(path="law.txt")``.', formats=_format
)
