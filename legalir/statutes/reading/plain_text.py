"""Plain text: its encoding, its lines, words that are divided at the end of a line.

As parts of a unit, drawn tables become rows of cells, images their alternative text.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from legalir.analysis.language import identify
from legalir.errors import DataError
from legalir.statutes.jurisdictions import openings
from legalir.statutes.law import CELL, Law, Span, Unit

_DRAWN = re.compile(r"[ \t\u3000]*(?:[\u2500-\u257f]|\+[-=]{2}|\|.*\|[ \t]*$)|.*[\u2502\u2503]")
_EDGE = re.compile(r"[\u2502\u2503\u2551|]")
_RULE = re.compile(r"[\u2500-\u257f]{2}|[-=]{3}")
_LINE_SIGNS = re.compile(r"[\s\u2500-\u257f+=|-]*")
_IMAGE = re.compile(r"<img\b(?:[^>]*?\salt=\"(?P<alt>[^\">]*)\")?[^>]*>|</img>", re.IGNORECASE)
_FILE_NAME = re.compile(r"(?:img|image|그림)?[\s_-]*\d*(?:\.\w{3,4})?", re.IGNORECASE)
_BYTE_ORDER = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ESCAPES = ((b"\x1b$B", "iso2022_jp_ext"), (b"\x1b$@", "iso2022_jp_ext"), (b"\x1b$)C", "iso2022_kr"))
"""What begins Asian letters in encodings of seven bits, which are valid UTF-8."""
_WIDER = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    **dict.fromkeys(("iso8859-11", "tis-620"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "windows-31j"), "cp932"),
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
}
"""What pages in an encoding, by Python's name, are really written in, as browsers read them: a larger one."""
_PREFIX = re.compile(r"^(?:windows-|x-cp|dos-)(?=\d+$)|^x-")
_LEGACY = tuple(
    (encoding, langs.split())
    for encodings, langs in (
        *(("cp932 euc-jp", "ja"), ("cp949", "ko"), ("gb18030 big5", "zh"), ("cp874", "th")),
        *(("cp1251", "ru uk bg be"), ("koi8-r cp866", "ru"), ("cp1253 iso-8859-7", "el"), ("cp1256", "ar")),
        ("cp1252", "de fr it es pt ca nl da nb nn no sv fi is en"),
        *(("iso-8859-2 cp1250", "pl cs sk hu ro hr sl bs"), ("cp1254", "tr"), ("cp1257", "lt lv et")),
    )
    for encoding in encodings.split()
)
"""Encodings of files that do not declare one, and languages of each, those of Latin letters behind the others."""
_LATIN = ("cp1252", "cp1250", "iso-8859-2", "cp1254", "cp1257")
_GUESSED = 1 << 18
"""Bytes by which an encoding is recognised."""
_NO_TEXT = re.compile(rb"<(?:script|style)\b[^<]*(?:<(?!/s)[^<]*)*|<[a-z/!?][^<>]*>", re.IGNORECASE)
"""Tags of a page, and what is no text of it."""
_FEWEST_BLANKS = 500
"""Bytes among which a text has a blank or a line end."""
_MISREAD = re.compile(r"[\x80-\x9f]|[^\W\d_][¡-©«-´¶¸¹»-¿×÷][^\W\d_]|[а-яα-ω][А-ЯΑ-Ω]")
"""What a text has in a wrong encoding: a control character, a sign or a capital inside of a word."""

_NUMBER = re.compile(r"\d{1,9}")
_GUTTER = re.compile(r"(?P<left>\s*\S(?:\S|\s(?!\s))*)?\s{2,}(?=\S)(?!.*\S\s{3,}\S)")
"""What is left of the right column, with its blanks."""
_NARROWEST = 30
"""Width of a column at least."""
_COLUMN_ROWS = 5
"""Lines with a right column at least."""
_SMALL_WORDS = (
    r"[a-zß-ÿа-яα-ω]{1,2}|and|any|are|all|als|ait|aan|att|aux|aus|auf|bei|bij|but|can|ces|che|com|con|das|dei|del|dal"
    r"|dem|den|der|des|det|die|dos|een|est|for|för|für|gli|had|has|hat|her|het|his|ihr|ist|its|las|les|los|lub|may|med"
    r"|met|mit|non|nor|not|och|ont|out|par|pas|per|por|que|qui|ses|sie|som|son|sur|sul|the|til|two|one|une|una|uma|und"
    r"|van|ved|via|von|was|wie|who|zum|zur|wenn|dass|oder|aber|nach|ohne|über|when|that|with|from|which|selon|dans|avec|sous|pour|como|para|della|dello|delle|degli|alla|sulla|για|και|της|του|την|των|τον|для|или|при|под|dla|nad|pod|dan"
)
"""Words behind which a sentence goes on; a heading may end in another short one: *Amount of the fee*."""
CUT_OFF = re.compile(rf"(?:,|(?:^|\s)(?:{_SMALL_WORDS}))$")
"""The end of a line whose sentence goes on."""

_PAGES = 3
"""Pages that show which lines are headers."""
_PAGE = 10
"""Lines that a page has at least."""
_NEAR = 2
"""Lines beside the number of a page in which more of a header may be."""
_HEADER = 20
"""Words that a header has at most."""
_FEW_WORDS = 3
_BARE_NUMBER = re.compile(r"(?:[-–—]\s?)?\d{1,4}(?:\s?[-–—])?")
_EDGE_NUMBER = re.compile(r"^\s*\d{1,6}(?=\s)|(?:(?<=\s)|(?<=p\.)|(?<=/))\d{1,6}\s*$")
_OF = "(?:/|of|sur|di|de|von|van|av|af|z)"
_OF_PAGES = re.compile(
    r"(?<!\w)(?:p(?:ag|ág|age|ages|ágina|agina)?\.?|s(?:eite|ide|ida|idan|\.)|blz\.?|strona|str\.)\s?(\d{1,4})"
    rf"\s?{_OF}\s?\d{{1,4}}\s*$",
    re.IGNORECASE,
)
"""The number of a page and how many there are, at the end of a line: ``Page 2 of 4``."""
_BARE_OF_PAGES = re.compile(rf"(\d{{1,4}})\s?{_OF}\s?\d{{1,4}}")
_INSIDE_NUMBER = re.compile(r"\s[-–—]\s?\d{1,4}\s?[-–—]\s")
_DIVIDED = re.compile(r"(?P<head>[^\W\d_]+)(?P<hyphen>[-‐\u00ad])$")
_REST = re.compile(r"(?P<tail>[^\W\d_]+)(?P<signs>(?:[-‐][^\W\d_]+)*[^\w\s]*)\s*")
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_JOINTS = frozenset(("und", "oder", "bzw", "sowie", "and", "or", "et", "ou", "e", "o", "en", "of", "y"))
"""Words behind a hyphen that stands for the rest of a word: ``Kauf- und Mietvertrag``."""
_COMPOUND = re.compile(
    r"(?:well|self|ill|half|non)-(?!(?:ness|ish|ful|less|ing|ings|some|sense|obstant|ché)$)\w{3,}"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)-(?:thirds?"
    r"|half|quarters?|fourths?|fifths?|years?|months?|weeks?|days?|hours?|one|two|three|four|five|six|seven|eight|nine)"
    r"|\w{4,}-(?:term|based|known|called|owned|related)|(?:full|part|real)-time|ci-(?:après|dessus|dessous|joints?|contre)"
    r"|(?:\w+-)?à-dire|peut-être|\w+-mêmes?|cel(?:ui|le|les)-(?:ci|là)|ceux-(?:ci|là)|au-(?:delà|dessus|dessous)",
    re.IGNORECASE,
)
"""Words that have a hyphen wherever the line ends, if the text does not write them without it elsewhere."""

_OWN_COMPOUND = {
    "en": re.compile(r"co-o\w{2,}|(?:p?re|de)-e\w{3,}|vice-\w{4,}|by-laws?|cross-(?!ing|e[ds]$)\w{4,}", re.IGNORECASE),
    "fr": re.compile(
        r"\w*[td]-(?:il|elle|on)s?|\w+[ae]-t|\w+ez-vous|\w+ons-nous|(?:puis|dois|suis)-je|est-(?:ce|à)|(?!voi)\w{3,}-là"
        r"|(?:vice|après|arrière|procès|demi|quasi(?!-ment)|avant(?!-ag))-\w{3,}|plus-values?|quote-parts?|chefs?-lieux?"
        r"|sous-(?!cri|sign|trac|trai(?:re|ra|ts?|tes?)$)\w{3,}",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"[^\W\d_áéíóúâêôãõ]{2,}(?:\w[aei]|[mrz])-se|\w*[mr]-lhes?|\w+[áêíô]-l[oa]s?|(?:segunda|terça|quarta|quinta|sexta)s?-feiras?"
        r"|vice-\w{4,}|decretos?-leis?|primeir[oa]s?-ministr[oa]s?|(?:director|diretor|secretári)\w*-gera(?:l|is)",
        re.IGNORECASE,
    ),
}
"""The same in a language: pronouns behind a verb, and words with a prefix or of two words."""


def decoded(data: bytes, name: str, encoding: str | None, declared: str = "") -> str:
    """Return the text of a file.

    Args:
        data: its bytes.
        name: of the file, for messages.
        encoding: from the user; None: a byte order mark decides, then UTF-8 if it is valid, then `declared`; where that
            is Latin-1, an encoding of the language of the text, or of letters in which lines begin as articles do.
        declared: what the file says of itself.

    Raises:
        DataError: it is not UTF-8, declares nothing and is not recognised, or there is no such encoding.
    """
    if encoding is None:
        encoding = next((each for mark, each in _BYTE_ORDER if data.startswith(mark)), None) or _without_mark(data)
        encoding = encoding or next((each for sign, each in _ESCAPES if sign in data), None)
    if encoding is None:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            latin = not declared or _is_latin(declared)
            likely, certain = _guessed(data) if latin else ("", False)
            if not declared and not certain:
                source = "html" if name.lower().endswith((".html", ".htm", ".xhtml")) else "text"
                raise DataError(
                    f"{name}: not UTF-8 at byte {error.start}: name its encoding{', such as' if likely else ':'} "
                    f'{source}(path=…, encoding="{likely or "…"}").'
                ) from None
            encoding = likely if certain or likely in _LATIN else declared
    try:
        return data.decode(_read_as(encoding), "replace").removeprefix("\ufeff")
    except (LookupError, UnicodeError):  # There are codecs, such as `undefined`, that are no encoding.
        raise DataError(f'{name}: there is no encoding {encoding!r}: name it, such as encoding="utf-8".') from None


def _is_latin(declared: str) -> bool:
    """Return True if a file declares the encoding that is often declared where it is another one."""
    try:
        return _read_as(declared) == "cp1252"
    except LookupError:
        return False


def _read_as(encoding: str) -> str:
    """Return Python's name of the encoding in which what declares this one is read.

    Raises:
        LookupError: there is no such encoding.
    """
    bare = _PREFIX.sub(lambda prefix: "" if prefix[0] == "x-" else "cp", encoding.lower())
    bare = codecs.lookup(_WIDER.get(bare, bare)).name
    return _WIDER.get(bare, bare)


def _without_mark(data: bytes) -> str | None:
    """Return the form of UTF-16 that a file without a byte order mark is in: blanks and line ends show it."""
    forms = ("utf-16-le", "utf-16-be")
    found = [sum(map(data[:_GUESSED].decode(form, "replace").count, " \n")) for form in forms if b"\0" in data]
    sure = found and max(found) > 10 * min(found) and max(found) * _FEWEST_BLANKS > min(len(data), _GUESSED)
    return forms[found.index(max(found))] if sure else None


def _guessed(data: bytes) -> tuple[str, bool]:
    """Return the likeliest legacy encoding, or nothing, and whether it is certain: two lines or more open articles."""
    data = data if len(data) <= _GUESSED else data[: max(data.rfind(sign, 0, _GUESSED) for sign in (b"\n", b">")) + 1]
    data = _NO_TEXT.sub(b"\n", data)
    likely, in_latin = "", len(re.findall(rb"[\x80-\xff]", data)) < len(re.findall(rb"[A-Za-z]", data))
    for encoding, langs in _LEGACY:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        begun = [match[0] for line in text.split("\n") if (match := openings(("article",)).match(line))]
        if sum(any(sign > "\u02ff" and sign.isalpha() for sign in words) for words in begun) > 1:
            return encoding, True
        fits = not likely and (encoding in _LATIN) is in_latin and not _MISREAD.search(text)
        if fits and identify(text.split("\n")) in langs:
            likely = encoding
    return likely, False


def compact(words: str) -> str:
    """Return letters and digits alone, small, by which a line is known again."""
    return re.sub(r"[\W_]+", "", words).casefold()


def without_headers(pages: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """Return the lines of pages, and their headers and footers.

    These are the first and last lines that most pages share, numbers apart. In one text that does not say where its
    pages end, they are lines that stand alone, far from each other, with the number of a page alone, or that come again
    with another one at their end: ``Official Gazette   1458``.
    """
    edges = Counter(_words(line) for page in pages for line in {*page[:1], *page[-1:]})
    headers = {line for line, count in edges.items() if len(pages) >= _PAGES and count * 2 > len(pages)}
    rows, known = list[str](), set[int]()
    for page in pages:
        known |= {
            len(rows) + at for at in {0, len(page) - 1} if page and len(pages) > 1 and _words(page[at]) in headers
        }
        rows += page
    gone = _page_numbers(rows, known, len(pages))
    return [line for at, line in enumerate(rows) if at not in gone], [rows[at] for at in sorted(gone)]


def _words(line: str) -> str:
    """Return the words of a header without its numbers, in an order that left and right pages share."""
    return " ".join(sorted(_NUMBER.sub("0", line).split()))


def _page_numbers(rows: Sequence[str], known: set[int], pages: int) -> set[int]:
    """Return the rows of headers: those known, and of lines that have the number of a page and are else the same.

    Lines beside them are of the header if they come only there, on most pages, and perhaps before the first header.
    """
    alike: dict[tuple[bool, tuple[str, ...]], list[tuple[int, int]]] = defaultdict(list)
    for row, line in enumerate(rows):
        if all(0 <= beside < len(rows) and rows[beside].strip() for beside in (row - 1, row + 1)):
            continue
        if _BARE_NUMBER.fullmatch(line.strip()):
            alike[True, ()].append((row, int(_NUMBER.findall(line)[0])))
        elif of_pages := _BARE_OF_PAGES.fullmatch(line.strip()):
            alike[True, ()].append((row, int(of_pages[1])))
        elif len(line.split()) <= _HEADER and (of_pages := _OF_PAGES.search(line)):
            alike[True, tuple(line[: of_pages.start()].split())].append((row, int(of_pages[1])))
        elif len(line.split()) <= _HEADER and (number := _INSIDE_NUMBER.search(line) or _EDGE_NUMBER.search(line)):
            before, after = line[: number.start()], line[number.end() :]
            rest = [word for word in f"{before} {after}".split() if word.strip(".:/-–—")]
            # It can be nothing else behind a sign, nor beside a number that stays, such as that of a gazette.
            sure = before.endswith(("p.", "/")) or _INSIDE_NUMBER.match(number[0]) is not None
            sure = sure or (len(rest) > 3 and any(map(str.isdigit, "".join(rest))))
            if len(rest) > (1 if sure or "  " in line.strip() else 3):  # No heading: Article n° 5
                alike[sure, tuple(sorted(rest))].append((row, int(_NUMBER.findall(number[0])[0])))
    found = known
    for (sure, _), places in alike.items():
        steps = [(later - row, b - a) for (row, a), (later, b) in pairwise(places)]
        if len(steps) > (0 if sure else 1) and all(
            lines >= _PAGE * (step or 1) and 0 < step < _PAGES for lines, step in steps
        ):
            found.update(row for row, _ in places)
    first, lines = min(found, default=0), [_alike(line) for line in rows]
    most = max(2, (pages if pages > 1 else len(found)) / 2)
    while found:
        every = Counter(lines[first:])
        near = {row + step for row in found for step in range(-_NEAR, _NEAR + 1)} - found
        beside = [row for row in near if first <= row < len(rows) and rows[row].strip()]
        often = Counter(lines[row] for row in (*beside, *found))
        more = {row for row in beside if most <= often[lines[row]] == every[lines[row]]}
        if not more:
            break
        found |= more
        lines = [line.strip() for line in rows]  # Farther away, also the numbers are the same.
    return found


def _alike(line: str) -> str:
    """Return a line without its numbers, if it has words enough to be known by them."""
    line = line.strip()
    return _NUMBER.sub("0", line) if len(line.split()) > _FEW_WORDS else line


def without_columns(rows: Sequence[str]) -> list[str]:
    """Return the lines of a page in two columns, the left one first; the same lines if it has one.

    Columns are apart by two blanks or more at the same place of most lines. A line that crosses this place parts what
    is above from what is below.
    """
    rows = [row.expandtabs() for row in rows]
    gaps = [gap for row in rows if (gap := _GUTTER.match(row)) and gap.end() >= _NARROWEST]
    (column, count), *_ = Counter(gap.end() for gap in gaps).most_common(1) or [(0, 0)]
    beside = sum(bool(gap["left"]) and gap.end() == column for gap in gaps)
    if beside < _COLUMN_ROWS or count * 5 < 2 * sum(map(bool, map(str.strip, rows))):
        return rows
    found: list[str] = []
    left, right = list[str](), list[str]()
    for row in rows:
        if row[column - 2 : column].strip() or (len(row) > column and not row[column - 1].isspace()):
            found += [*left, *right, row]
            left, right = [], []
        else:
            left.append(row[:column].rstrip())
            right.append(row[column:])
    return [*found, *left, *right]


def rejoined(rows: Sequence[str]) -> list[str]:
    """Return lines without the hyphens that divide words at their ends; the rest of a word goes to the line before.

    ``Bundesverfas-`` and ``sung`` become ``Bundesverfassung``; ``EU-`` and ``Recht`` stay ``EU-Recht``. How the file
    writes the word elsewhere decides; else a small letter behind the hyphen joins, except for words such as
    ``well-known``, and ``peut-il`` in a French text. A small letter goes on also below blank lines, which a page leaves
    at its end.
    """
    known = {word.casefold() for row in rows if "-" in row or "‐" in row for word in _WORD.findall(row)}
    if known:
        known |= {word.casefold() for row in rows for word in _WORD.findall(row)}
    language = cache(lambda: identify(rows))
    joined: list[str] = []
    for row in rows:
        last = next((each for each in reversed(joined) if each.strip()), "") if row.strip() else ""
        divided = _DIVIDED.search(last)
        rest = _REST.match(row) if divided else None
        if rest and not joined[-1].strip() and not rest["tail"][0].islower():
            rest = None
        if not divided or not rest or rest["tail"].casefold() in _JOINTS:
            joined.append(row)
            continue
        whole, parts = divided["head"] + rest["tail"], f"{divided['head']}-{rest['tail']}"
        soft = divided["hyphen"] == "\u00ad"
        apart = parts.casefold() in known and whole.casefold() not in known
        own = (lang for lang, form in _OWN_COMPOUND.items() if form.fullmatch(parts))
        printed = _COMPOUND.fullmatch(parts) or not rest["tail"][0].islower() or language() in own
        if not soft and (apart or (whole.casefold() not in known and printed)):
            whole = parts
        while not joined[-1].strip():
            joined.pop()
        joined[-1] = joined[-1][: divided.start()] + whole + rest["signs"]
        joined.append(row[rest.end() :])
    return joined


def lines(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where the lines of a part of a text begin and end, without white space around them; no empty ones."""
    end = len(text) if end is None else end
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        if bare := line.strip():
            first = start + line.index(bare[0])
            yield first, first + len(bare)
        start = stop + 1


def add_text(law: Law, unit: Unit, start: int, end: int) -> None:
    """Add a part of the text of a law to a unit, one line for each line.

    A table that is drawn with box characters becomes one line for each row, its cells separated by `CELL`; text that
    goes on in the same cell of the next line is joined. Text behind a label stays on its line. An image gives its
    alternative text, if that is no file name; else it is left out as ``image``.
    """
    table: list[tuple[int, int]] = []
    for line in lines(law.text, start, end):
        if _DRAWN.match(law.text[line[0] : line[1]]):
            table.append(line)
            continue
        _add_table(law, unit, table)
        table = []
        last = unit.content[-1] if unit.content else None
        if not (isinstance(last, Span) and last.role == "label"):
            unit.add_break()
        _add_line(law, unit, *line)
    _add_table(law, unit, table)


def note_images(law: Law) -> None:
    """Add a note to a law if images without words were left out."""
    images = sum(each.reason == "image" and law.text.startswith("<img", each.start) for each in law.left_out)
    if images:
        law.notes.append(f"{law.title}: images without words, left out: {images}.")


def _add_line(law: Law, unit: Unit, start: int, end: int) -> None:
    place = start
    for image in _IMAGE.finditer(law.text, start, end):
        unit.add(place, image.start())
        alt = image["alt"] or ""
        if not _FILE_NAME.fullmatch(alt.strip()):
            unit.add(*image.span("alt"))
            law.leave_out(image.start(), image.end(), "markup")
        else:
            law.leave_out(image.start(), image.end(), "image")
        place = image.end()
    unit.add(place, end)


def _add_table(law: Law, unit: Unit, rows: list[tuple[int, int]]) -> None:
    cells: list[list[Span]] = []
    for start, end in rows:
        line = law.text[start:end]
        if _LINE_SIGNS.fullmatch(line):
            _add_row(law, unit, cells)
            cells = []
            continue
        edges = [start + match.start() for match in _EDGE.finditer(line)]
        places = [start - 1, *edges, end]
        pieces = [_cell(law.text, first + 1, last) for first, last in pairwise(places)]
        if edges and edges[0] == start:
            pieces = pieces[1:]
        if edges and edges[-1] == end - 1:
            pieces = pieces[:-1]
        if _RULE.search(line) or (cells and len(pieces) != len(cells)):
            _add_row(law, unit, cells)
            cells = []
        cells = cells or [[] for _ in pieces]
        for cell, piece in zip(cells, pieces, strict=True):
            cell += piece
    _add_row(law, unit, cells)
    if rows:
        law.leave_out(rows[0][0], rows[-1][1], "lines of a drawn table")


def _cell(text: str, start: int, end: int) -> list[Span]:
    """Return the text of a piece of a cell, followed by a blank if the line does not fill the cell."""
    bare = text[start:end].strip(" \t\u3000\u2500\u2501\u2510\u2518\u2524\u2528\u252b")
    if not bare or _LINE_SIGNS.fullmatch(bare):
        return []
    first = text.index(bare, start)
    last = first + len(bare)
    return [Span(first, min(last + 1, end) if text[last : last + 1].isspace() else last)]


def _add_row(law: Law, unit: Unit, cells: list[list[Span]]) -> None:
    if not any(cells):
        return
    unit.add_break()
    for place, cell in enumerate(cells):
        if place:
            unit.add_break(CELL)
        for span in cell:
            _add_line(law, unit, span.start, span.end)
