"""The source ``tw_json``: laws of Taiwan as JSON or XML, in Chinese or English: open data of the ministry.

``法規內容`` is a flat list of headings (編章節) and articles (條號, 條文內容); the depth of a heading is in its word.
Files of the ministry itself have lists of laws, and in JSON English keys for the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import Jurisdiction, jurisdiction, mark_repealed
from legalir.statutes.law import NOT_YET, Law, Outline, Unit
from legalir.statutes.reading import chinese
from legalir.statutes.reading.markup import Markup, local
from legalir.statutes.reading.plain_text import lines
from legalir.statutes.reading.values import Values, read_json

_CODE = re.compile(r"pcode=(\w+)", re.IGNORECASE)
_HAN = "〇零一二三四五六七八九十百"
_MARKS = {
    "zh": (rf"[{_HAN}]+、\s*", rf"[（(][{_HAN}]+[）)]\s*", r"\d+[.．、]\s*", r"[（(]\d+[）)]\s*"),
    "en": (r"\d+\.\s+", r"\(\d+\)\s*", r"[a-z][.)]\s+"),
}
_LEVELS = ("項", "款", "目")
_OF_MINISTRY = {
    "LawLevel": "法規性質",
    "LawURL": "法規網址",
    "LawModifiedDate": "最新異動日期",
    "LawEffectiveDate": "生效日期",
    "LawEffectiveNote": "生效內容",
    "LawHistories": "沿革內容",
    "LawForeword": "前言",
}
_ENDS = tuple("。：；！？:;）)」.！")
_HEADING = re.compile(
    r"(?P<level>Book|Part|Chapter|Section|Subsection|Item)\s+(?P<number>[\w-]+)\s*[:.]?\s*", re.IGNORECASE
)
_ENGLISH = {"book": "編", "part": "編", "chapter": "章", "section": "節", "subsection": "款", "item": "目"}
_ENGLISH_HEADING = re.compile(r"\([^()]{3,100}\)")
_DELAYED = re.compile(r"第\s*(?P<list>[\d～~\-、,及 至]+?)\s*條")


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read a law, or the laws of a file of the ministry."""
    root = _of_xml(data, path.name) if path.suffix.lower() == ".xml" else read_json(data, path.name)
    if isinstance(root, dict) and isinstance(root.get("Laws"), list):
        for law in root["Laws"]:
            yield _law(path, _renamed(law))
    else:
        yield _law(path, _renamed(root))


def _of_xml(data: bytes, name: str) -> dict[str, object]:
    """Return the laws of an XML file of the ministry as its JSON files have them."""
    file = Markup(data, name)
    laws: list[object] = []
    for element in file.find(file.root, "法規"):
        law: dict[str, object] = {local(each): file.text[slice(*file.span(each))].strip() for each in element}
        content = file.first(element, "法規內容")
        law["法規內容"] = [
            {local(each): file.text[slice(*file.span(each))].strip() for each in (row if len(row) else [row])}
            for row in (content if content is not None else ())
        ]
        laws.append(law)
    return {"Laws": laws}


def _renamed(law: object) -> object:
    """Return a law of the ministry's own files with the keys of the others; any other as it is."""
    of = next(
        (of for of in ("", "Eng") if isinstance(law, dict) and isinstance(law.get(f"{of}LawArticles"), list)), None
    )
    if of is None or not isinstance(law, dict):
        return law
    names = ("中文法規名稱", "英文法規名稱") if of else ("法規名稱", "英文法規名稱")
    renamed = dict(zip(names, (law.get("LawName"), law.get("EngLawName")), strict=True))
    renamed |= {name: law.get(f"{of}{key}", law.get(key)) for key, name in _OF_MINISTRY.items()}
    return renamed | {"法規內容": [_entry(each, of) for each in law[f"{of}LawArticles"]]}


def _entry(entry: object, of: str) -> object:
    """Return a heading (of the type C) or an article of the ministry's own files with the keys of the others."""
    if not isinstance(entry, dict):
        return entry
    content = entry.get(f"{of}ArticleContent")
    is_heading = entry.get(f"{of}ArticleType") == "C"
    return {"編章節": content} if is_heading else {"條號": entry.get(f"{of}ArticleNo"), "條文內容": content}


def _law(path: Path, root: object) -> Law:
    if not isinstance(root, dict) or not isinstance(root.get("法規內容"), list):
        raise DataError(f"{path.name}: no list 法規內容 or LawArticles (headings and articles).")
    lang = "zh" if root.get("法規名稱") else "en"
    title = str(root.get("法規名稱") or root.get("英文法規名稱") or "").strip()
    if not title:
        raise DataError(f"{path.name}: neither 法規名稱 nor 英文法規名稱 (the name of the law).")
    values = Values()
    facts = [values.add(words) for key, value in root.items() if key != "法規內容" for words in _strings(value)]
    places = [_places(path, number, entry, values) for number, entry in enumerate(root["法規內容"], 1)]
    table = jurisdiction("tw")
    code = _CODE.search(str(root.get("法規網址") or ""))
    kind = str(root.get("法規性質") or "")
    law = Law(
        values.text,
        title,
        (code[1] if code else path.stem) + ("" if lang == "zh" else "-en"),
        "tw",
        lang,
        level=table.level_of(kind),
        kind=kind,
        names=tuple(str(root[key]) for key in ("英文法規名稱", "中文法規名稱") if root.get(key) and root[key] != title),
    )
    for start, end in facts:
        law.leave_out(start, end, "metadata")
    outline = Outline(law)
    for heading, number, content in places:
        if heading:
            _add_heading(outline, table, *heading)
        if number:
            _add_article(outline, *number, *(content or (0, 0)))
    _set_days(law, root)
    mark_repealed(law, table)
    return law


_Place = tuple[int, int] | None


def _places(path: Path, number: int, entry: object, values: Values) -> tuple[_Place, _Place, _Place]:
    names = ("編章節", "條號", "條文內容")
    if not isinstance(entry, Mapping) or not any(isinstance(entry.get(name), str) for name in names[:2]):
        raise DataError(f"{path.name}, 法規內容 {number}: neither 編章節 (a heading) nor 條號 (an article).")
    heading, article, content = (values.add(entry[name]) if entry.get(name) else None for name in names)
    return heading, article, content


def _add_heading(outline: Outline, table: Jurisdiction, start: int, end: int) -> None:
    words = outline.law.text[start:end]
    match, heading = _HEADING.match(words), table.heading(words)
    if match:
        level, label, place = _ENGLISH[match["level"].lower()], words[: match.end("number")], match.end()
    elif heading:
        level, label, place = heading.level.name, heading.label, heading.end
    else:
        level, label, place = "章", "", 0
    name = chinese.heading_of(words[place:])
    unit = Unit("group", level, number_of(label), chinese.heading_of(label), name, repealed=table.is_repealed(name))
    outline.enter(unit, table.depth(level))
    unit.add(start, start + len(words[:place].rstrip()), "label")
    unit.add(start + place, end, "heading")


def _add_article(outline: Outline, start: int, end: int, first: int, last: int) -> None:
    law = outline.law
    label = law.text[start:end].strip()
    unit = Unit("article", "條", number_of(label), label, key=label)
    outline.enter(unit, 20)
    unit.add(start, end, "label")
    rows = _sentences(law, first, last)
    if len(rows) > 1 and _ENGLISH_HEADING.fullmatch(law.text, *(rows[0][0] if law.lang == "en" else (0, 0))):
        unit.heading = law.text[slice(*rows[0][0])].strip("()")
        unit.add(*rows.pop(0)[0], "heading")
    chinese.add_paragraphs(law, unit, rows, _MARKS[law.lang], _LEVELS)


def _sentences(law: Law, start: int, end: int) -> list[chinese.Line]:
    """Return the lines of an article; in Chinese, lines that the source broke inside a sentence are one."""
    rows: list[chinese.Line] = []
    for line, stop in lines(law.text, start, end):
        words = law.text[line:stop]
        before = law.text[rows[-1][-1][0] : rows[-1][-1][1]] if rows else ""
        goes_on = law.lang == "zh" and before and not before.endswith(_ENDS)
        if goes_on and not any(re.match(mark, words) for mark in _MARKS["zh"]):
            rows[-1].append((line, stop))
        else:
            rows.append([(line, stop)])
    return rows


def _set_days(law: Law, root: Mapping[str, Any]) -> None:
    changed = str(root.get("最新異動日期") or root.get("最新英文異動日期") or "")
    begins = str(root.get("生效日期") or "")
    day = NOT_YET if begins.startswith("9999") else iso_day(begins)
    for value in (changed, begins):
        if value and not (iso_day(value) or (value == begins and day)):
            law.notes.append(f"{law.title}: no such date: {value}.")
    law.promulgated = law.effective_from = iso_day(changed)
    history = [row for row in re.split(r"(?m)^\s*\d+\s*\.\s*", str(root.get("沿革內容") or "")) if row.strip()]
    law.amended_by = "".join(history[-1].split("\n")[0].split()) if history and law.lang == "zh" else ""
    if not day:
        return
    numbers = [unit.number for unit in law.root.walk() if unit.kind == "article"]
    named = _named(str(root.get("生效內容") or ""), numbers)
    for unit in law.root.walk():
        if unit.kind == "article" and unit.number in named:
            unit.effective_from = day
    if not named and day == NOT_YET:
        law.notes.append(f"{law.title}: the day from which it applies is not fixed; it counts as in force.")
    elif not named:
        law.effective_from = day


def _named(words: str, numbers: list[str]) -> set[str]:
    """Return the articles that a sentence lists, ``第 82～84、96～97-10 條``; a range by the law's own order."""
    named: set[str] = set()
    for match in _DELAYED.finditer(words):
        for part in re.split(r"[、,及]", "".join(match["list"].split())):
            first, _, last = re.sub("[~至]", "～", part).partition("～")
            if first in numbers and (last or first) in numbers:
                named.update(numbers[numbers.index(first) : numbers.index(last or first) + 1])
    return named


def _strings(value: object) -> Iterator[str]:
    """Yield all strings in a value, from the first to the last."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value if isinstance(value, list) else value.values():
            yield from _strings(each)


def _recognises(path: Path, head: bytes) -> bool:
    if path.suffix.lower() == ".xml":
        return "<法規內容>".encode() in head
    own = any(f'"{key}'.encode() in head for key in ("法規", "英文法規名稱"))
    return own or (b"LawName" in head and b"LawURL" in head)


FORMATS = (
    Format(
        "tw_json",
        (".json", ".xml"),
        _recognises,
        read,
        needs="`法規名稱` and `法規內容`, or `LawName`, `LawURL` and `LawArticles`",
    ),
)
tw_json = factory_of(StatuteFiles, 'Laws of Taiwan as JSON or XML: ``tw_json(path="laws/")``.', formats=FORMATS[0])
