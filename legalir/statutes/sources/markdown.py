"""The source ``markdown``: statutes as Markdown, as several public collections keep them.

The rules differ by country: Korea (front matter, ``##### 제1조 (목적)``, ``**①**``, ``1\\.``), China (articles begin a
paragraph, ``第一条 …``), Germany (``### § 1 Zweck``, wrapped lines); and for any country with front matter that has
title, identifier and country, whose headings are those of the law (legalize).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from legalir.analysis.language import identify
from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import Jurisdiction, jurisdiction, mark_repealed, openings
from legalir.statutes.law import BREAK, CELL, Law, Outline, Span, Unit
from legalir.statutes.reading import chinese, korean
from legalir.statutes.reading.plain_text import add_text, lines, note_images
from legalir.statutes.sources.text import law_of_markdown
from legalir.statutes.versions.commencement import date_articles

if TYPE_CHECKING:
    from yaml.nodes import Node

_FRONT = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?\n)---[ \t]*\n", re.DOTALL)
_KR_LINE = re.compile(
    r"(?:(?P<hashes>#{1,6})\s+|\*\*(?P<paragraph>[①-⑳㉑-㉟㊱-㊿])\*\*"
    r"|(?P<number>\d+(?:의\d+)*|[가-힣])(?P<slash>\\)?(?P<dot>\.)|(?P<deeper>\(?(?:\d+|[가-힣])\)))\s*"
)
_KR_CAPTION = re.compile(
    r"\*\*(?=[^*\s])(?P<label>제\d+[가-힣](?:의\d+)?)?[ \t]*(?P<name>[^*\n①-⑳㉑-㉟㊱-㊿]*)\*\*[ \t]*\n\s*(?=#|\*\*제\d)"
)
"""A line between articles: a level that has no mark of its own (``**제2항 재판상 파양**``)."""
_KR_KEYS = {
    "제목": ("행정규칙명", "자치법규명"),
    "법령ID": ("행정규칙ID", "자치법규ID"),
    "법령구분": ("행정규칙종류", "자치법규종류"),
    "공포번호": ("발령번호",),
    "공포일자": ("발령일자",),
}
"""Other names of the facts of a law in the files of rules and ordinances."""

_CN_TITLE = re.compile(r"(?m)^#[ \t]+(?P<title>.+)$")
_CN_INFO = re.compile(r"(?m)^[ \t]*<!--[ \t]*INFO END[ \t]*-->[ \t]*$")
_CN_FILE = re.compile(r"[(（](?P<date>\d{4}-\d{2}-\d{2})[)）]")
_CN_ARTICLE = re.compile(
    r"(?P<label>第[零〇一二三四五六七八九十百千]+条(?:之[一二三四五六七八九十]+)?)(?P<gap>[\s\u3000]*)"
)
_CN_MARKS = (r"[（(][一二三四五六七八九十百]+[）)]\s*", r"\d+[.．、]\s*", r"[（(]\d+[）)]\s*")
_CN_LEVELS = ("款", "项", "目")
_CN_FORCE = re.compile(r"自(?P<date>[^。；]{0,30}?日?)起(?:施行|实施|生效)")
_CN_FOLDER = re.compile(r".*(?:法|法规|规章|司法解释)")
_DE_BLOCK = re.compile(r"(?m)^(?P<indent>[ \t]*)\S.*(?:\n[ \t]*\S.*)*")
_DE_HEADING = re.compile(r"(?P<hashes>#+)[ \t]+")
_DE_FACT = re.compile(r"(?P<name>\w[^\n]*)\n:[ \t]+(?P<value>.*(?:\n[ \t]+.*)*)")
_DE_PROVISION = re.compile(
    r"(?:\([XIVLC\d]+\)\s*)?(?P<label>(?:§§?|Art\.|Artikel)\s*\d+\w?(?:\s*(?:bis|und|,|u\.)\s*\d+\w?)*)[ \t]*"
)
_DE_ANNEX = re.compile(r"(?P<label>(?:Anlage|Anhang)(?:en)?(?:\s+(?:\d+\w?|[IVX]+\w?|[A-Z])\b)?)[ \t]*")
_DE_RELATED = re.compile(r"\(?(?:zu|nach)\s+(?P<place>(?:§§?|Artikel|Art\.)\s*\d+\w?[^)]*)")
_DE_MARK = re.compile(r"(?P<paragraph>\(\d+\w?\))\s+|(?P<item>\d+\w?\.|[a-z]{1,3}\)|[-–])\s+")
_DE_CELL = re.compile(r"(?P<row>\*[ \t]+)?\*(?:[ \t]+|$)|-(?=[ \t]*$)")
_BELOW = 20
"""Depth in the outline of the highest mark inside an article; headings are above it."""


def read_kr(path: Path, data: bytes) -> Iterator[Law]:
    """Read a Korean law, rule or ordinance: front matter, headings, paragraphs, items, supplements, annexes."""
    text = _text(path, data)
    facts, annexes, body = _kr_front(path, text)
    kind = facts.get("법령구분", "")
    number = facts.get("공포번호", "").lstrip("0")
    issuer = facts.get("소관부처명", "") if "행정규칙명" in facts else f"{facts.get('지자체기관명', '')} "
    table = jurisdiction("kr")
    law = Law(
        text,
        title=facts["제목"],
        law_id=facts.get("법령ID") or re.sub(r"\s+", "-", facts["제목"]),
        country="kr",
        lang="ko",
        level="standard" if "행정규칙명" in facts else "ordinance" if "자치법규명" in facts else table.level_of(kind),
        kind=kind,
        number=f"{issuer}{kind} 제{number}호".strip() if number else "",
        promulgated=iso_day(facts.get("공포일자", "")),
        effective_from=iso_day(facts.get("시행일자", "")),
    )
    for key in ("공포일자", "시행일자"):
        if facts.get(key) and not iso_day(facts[key]):
            law.notes.append(f"{law.title}: {key} is no date: {facts[key]}.")
    supplements = re.search(r"(?m)^#{1,4}[ \t]+부\s?칙[ \t]*$", text)
    end = supplements.start() if supplements else len(text)
    if facts.get("본문출처") == "parsing-failed":
        law.notes.append(f"{law.title}: its text is in an attachment (본문출처: parsing-failed).")
        law.leave_out(body, end, "text in an attachment")
    else:
        _kr_body(law, table, body, end)
    if supplements:
        law.leave_out(*supplements.span(), "heading of the supplements")
        korean.add_supplements(law, supplements.end(), len(text))
    for fields in annexes:
        _kr_annex(law, fields, text.index("\n") + 1)
    law.leave_out(0, body, "metadata")
    mark_repealed(law, table)
    date_articles(law)
    note_images(law)
    yield law


def _kr_front(path: Path, text: str) -> tuple[dict[str, str], list[dict[str, Node]], int]:
    front = _FRONT.match(text)
    facts: dict[str, str] = {}
    annexes: list[dict[str, Node]] = []
    for key, value in _yaml_map(path, text, front).items() if front else ():
        if isinstance(value.value, str):
            facts[key] = value.value
        elif key == "첨부파일":
            annexes = [
                {str(name.value): field for name, field in each.value}
                for each in value.value
                if isinstance(each.value, list)
            ]
    for key, others in _KR_KEYS.items():
        facts[key] = next(filter(None, (facts.get(each, "") for each in (key, *others))), "")
    if not front or not facts["제목"]:
        raise DataError(f"{path.name}: no front matter with 제목 (the title of the law) at its start.")
    return facts, annexes, front.end()


def _yaml_map(path: Path, text: str, front: re.Match[str]) -> Mapping[str, Node]:
    """Return the nodes of a front matter by key; their marks count characters from the start of the YAML text."""
    import yaml

    try:
        root = yaml.compose(front["yaml"], Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise DataError(f"{path.name}, line {line}: the front matter is not YAML ({error.problem}).") from None
    except yaml.YAMLError as error:
        raise DataError(f"{path.name}: the front matter is not YAML ({' '.join(str(error).split())}).") from None
    return {str(key.value): value for key, value in root.value} if isinstance(root, yaml.MappingNode) else {}


def _kr_annex(law: Law, fields: Mapping[str, Node], offset: int) -> None:
    title = fields.get("제목")
    if title is None:
        return
    start, end = title.start_mark.index + offset, title.end_mark.index + offset
    if law.text[start : start + 1] in ("'", '"'):
        start, end = start + 1, end - 1
    if str(fields["별표구분"].value if "별표구분" in fields else "별표") != "별표":
        law.leave_out(start, end, "form")
        return
    number, branch = (str(fields[key].value) if key in fields else "0" for key in ("별표번호", "별표가지번호"))
    unit = korean.annex(law, number, branch, start, end)
    unit.heading = unit.heading.replace("''", "'")
    law.root.content.append(unit)


def _kr_body(law: Law, table: Jurisdiction, start: int, end: int) -> None:
    outline, text, place = Outline(law), law.text, start
    for line, stop in lines(text, start, end):
        if (caption := _KR_CAPTION.match(text, line)) and caption.end() <= end:
            add_text(law, outline.unit, place, line)
            _kr_caption(outline, table, caption)
            place = stop
            continue
        match = _KR_LINE.match(text, line, stop)
        if not match or not (match["hashes"] or match["paragraph"] or text[line - 1 : line].isspace()):
            continue
        label = match["paragraph"] or (match["number"] and match["number"] + match["dot"]) or match["deeper"] or ""
        mark = korean.label_mark(label)
        if mark < 0 and not match["hashes"]:
            continue
        if mark > 0 and not match["slash"] and text[line - 1] == "\n":
            continue
        add_text(law, outline.unit, place, line)
        place = stop
        if match["hashes"]:
            _kr_heading(outline, table, line, match.end(), stop)
            continue
        kind = korean.MARKS[mark]
        unit = outline.enter(Unit(kind.kind, kind.level, number_of(label), label), _BELOW + mark)
        name = next(name for name in ("paragraph", "number", "deeper") if match[name])
        unit.add(*match.span(name), "label")
        unit.add(*match.span("dot"), "label")
        law.leave_out(line, match.end(), "markup")
        place = match.end()
    add_text(law, outline.unit, place, end)


def _kr_heading(outline: Outline, table: Jurisdiction, line: int, start: int, end: int) -> None:
    law = outline.law
    law.leave_out(line, start, "markup")
    words = law.text[start:end]
    heading = table.heading(words)
    if not heading:
        law.leave_out(start, end, "title")
        return
    name = korean.bare_heading(words[heading.end :])
    unit = Unit(heading.level.kind, heading.level.name, heading.number, heading.label, name)
    unit.repealed = unit.kind == "group" and table.is_repealed(name)
    outline.enter(unit, 2 * heading.depth)
    unit.add(start, start + len(heading.label), "label")
    unit.add(start + heading.end, end, "heading")


def _kr_caption(outline: Outline, table: Jurisdiction, caption: re.Match[str]) -> None:
    label = caption["label"] or ""
    unit = Unit("group", label[-1:], number_of(label), label, caption["name"].strip())
    outline.enter(unit, 2 * table.depth("조") - 1)
    for name in ("label", "name"):
        unit.add(*caption.span(name), "label" if name == "label" else "heading")
    for start, end in ((caption.start(), caption.start() + 2), (caption.end("name"), caption.end("name") + 2)):
        outline.law.leave_out(start, end, "markup")


def read_cn(path: Path, data: bytes) -> Iterator[Law]:
    """Read a Chinese law: title, lines of dates up to ``INFO END``, chapters as headings, articles as paragraphs."""
    text = _text(path, data)
    info, title = _CN_INFO.search(text), _CN_TITLE.search(text)
    if not info or not title or title.start() > info.start():
        raise DataError(f"{path.name}: no title (#) and no line <!-- INFO END --> before the first article.")
    table = jurisdiction("cn")
    name = title["title"].strip()
    folder = path.parent.name if _CN_FOLDER.fullmatch(path.parent.name) else ""
    law = Law(text, name, re.sub(r"\s+", "-", name), "cn", "zh", level=table.level_of(folder or name), kind=folder)
    if (short := name.removeprefix("中华人民共和国")) != name:
        law.names = (short,)
    law.leave_out(0, info.end(), "metadata")
    last = _cn_body(law, table, info.end())
    _cn_dates(law, path, text[title.end() : info.start()], last)
    mark_repealed(law, table)
    yield law


def _cn_body(law: Law, table: Jurisdiction, start: int) -> str:
    """Read chapters, articles and annexes; return the text of the articles on the law's entry into force."""
    outline, text, last = Outline(law), law.text, (0, 0)
    rows: list[list[tuple[int, int]]] = []
    force = ""

    def close() -> None:
        unit = outline.unit
        if unit.kind == "article":
            chinese.add_paragraphs(law, unit, rows, _CN_MARKS, _CN_LEVELS)
        elif rows:
            if unit.kind in ("law", "group"):
                unit = outline.enter(Unit("preamble"), _BELOW)
            add_text(law, unit, rows[0][0][0], rows[-1][-1][1])
        rows.clear()

    for line, end in lines(text, start):
        words = text[line:end]
        if words.startswith("#"):
            close()
            _cn_heading(outline, table, line, end)
            continue
        article = _CN_ARTICLE.match(text, line, end)
        number = number_of(article["label"]) if article else ""
        main, _, branch = number.partition("之")
        value = (int(main), int(branch or 0)) if article else last
        if article and (article["gap"] or article.end() == end) and value > last:
            close()
            if value[0] - last[0] > 1:
                law.notes.append(f"{law.title}: {article['label']} follows article {last[0]}.")
            outline.enter(Unit("article", "条", number, article["label"]), table.depth("条"))
            outline.unit.add(*article.span("label"), "label")
            last = value
            line = article.end()
        elif article and article["gap"]:
            law.notes.append(f"{law.title}: a paragraph begins with {article['label']} after article {last[0]}.")
        elif words.startswith(table.annex) and len(words) < 40 and words[-1] not in "。；，":
            close()
            label = next(word for word in table.annex if words.startswith(word))
            name = chinese.heading_of(words.removeprefix(label)).strip("：: ")
            outline.enter(Unit("annex", label, number_of(words[:6]), label, name), 0)
            outline.unit.add(line, line + len(label), "label")
            outline.unit.add(line + len(label), end, "heading")
            continue
        if found := _CN_FORCE.search(text, line, end):
            force = found["date"]
        if line < end:
            rows.append([(line, end)])
    close()
    return force


def _cn_heading(outline: Outline, table: Jurisdiction, line: int, end: int) -> None:
    law = outline.law
    start = line + len(law.text[line:end]) - len(law.text[line:end].lstrip("# \t"))
    law.leave_out(line, start, "markup")
    words = law.text[start:end]
    heading = table.heading(words)
    level = heading.level if heading and heading.level.kind == "group" else table.levels[table.depth("章")]
    label = heading.label if heading else ""
    unit = Unit("group", level.name, heading.number if heading else "", label, chinese.heading_of(words[len(label) :]))
    outline.enter(unit, table.depth(level.name))
    unit.add(start, start + len(label), "label")
    unit.add(start + len(label), end, "heading")


def _cn_dates(law: Law, path: Path, info: str, force: str) -> None:
    """Set when a law was promulgated and from when it applies.

    The last line of dates and the name of the file give the day of this version. A law says in its last article when it
    takes effect; those words stay in later versions, so a day before the day of the version does not count.
    """
    starts = ""
    for row in filter(None, map(str.strip, info.splitlines())):
        for day in chinese.dates_in(row):
            if not day:
                law.notes.append(f"{law.title}: no such date: {row[:20]}.")
            elif row.endswith("施行"):
                starts = day
            else:
                law.promulgated = max(law.promulgated, day)
    if named := _CN_FILE.search(path.stem):
        law.promulgated = iso_day(named["date"]) or law.promulgated
    stated = (chinese.dates_in(force) or [""])[0]
    law.effective_from = max(starts, stated, law.promulgated)


def read_de(path: Path, data: bytes) -> Iterator[Law]:
    """Read a German law: front matter, headings of relative depth, wrapped lines, lists by their indentation."""
    text = _text(path, data)
    front = _FRONT.match(text)
    facts = {key: str(node.value) for key, node in _yaml_map(path, text, front).items()} if front else {}
    if not front or not facts.get("Title"):
        raise DataError(f"{path.name}: no front matter with Title at its start.")
    short = facts.get("jurabk", "")
    law = Law(text, facts["Title"], facts.get("slug") or path.stem, "de", "de", names=(short,) if short else ())
    table = jurisdiction("de")
    law.level = table.level_of(law.title.split("(")[0].split()[0].casefold())
    if law.level not in table.kinds:
        law.level = "decree" if re.search("verordnung", law.title, re.IGNORECASE) else "act"
    law.leave_out(0, front.end(), "metadata")
    outline = Outline(law)
    for block in _DE_BLOCK.finditer(text, front.end()):
        _de_block(outline, block)
    mark_repealed(law, table)
    yield law


def _de_block(outline: Outline, block: re.Match[str]) -> None:
    law, text = outline.law, outline.law.text
    start, end = block.start() + len(block["indent"]), block.end()
    if heading := _DE_HEADING.match(text, start, end):
        first = text.find("\n", start, end)
        stop = end if first < 0 else first
        _de_heading(outline, heading, stop)
        start = stop
    elif outline.unit is law.root and (fact := _DE_FACT.fullmatch(text, start, end)):
        _de_fact(law, fact)
        law.leave_out(start, end, "metadata")
        start = end
    elif outline.unit.kind in ("law", "group"):
        outline.enter(Unit("preamble"), _BELOW)
    if start < end:
        _de_text(outline, start, end, len(block["indent"].expandtabs(4)))


def _de_text(outline: Outline, start: int, end: int, indent: int) -> None:
    law, text = outline.law, outline.law.text
    if cell := _DE_CELL.match(text, start, end):
        row = bool(cell["row"])
        outline.unit.add_break(BREAK if row else CELL)
        law.leave_out(start, cell.end(), "markup")
        _de_words(law, outline.unit, cell.end(), end)
        return
    mark = _DE_MARK.match(text, start, end)
    kind: Kind = "paragraph" if indent == 0 else "subitem"
    depth = _BELOW + 1 + indent // 4
    if mark and (mark["item"] or not indent):
        name = "item" if mark["item"] else "paragraph"
        kind = "paragraph" if name == "paragraph" else "subitem" if indent or mark["item"][-1] == ")" else "item"
        level = {"paragraph": "Absatz", "item": "Nummer"}.get(kind, "Buchstabe")
        number = number_of(mark[name])
        unit = Unit(kind, level, number, mark[name])
        outline.enter(unit, _BELOW if kind == "paragraph" else depth)
        unit.add(*mark.span(name), "label")
        start = mark.end()
    else:
        outline.leave(depth)
        outline.unit.add_break()
    _de_words(law, outline.unit, start, end)


def _de_words(law: Law, unit: Unit, start: int, end: int) -> None:
    """Add a block of wrapped lines; a backslash before a sign is markup."""
    for escape in re.finditer(r"\\(?=[.\-*_#\[\]()+])", law.text[start:end]):
        place = start + escape.start()
        unit.add(max(start, _after(unit, start)), place)
        law.leave_out(place, place + 1, "markup")
        unit.content.append(Span(place + 1, place + 2))
    unit.add(max(start, _after(unit, start)), end)


def _after(unit: Unit, start: int) -> int:
    last = unit.content[-1] if unit.content else None
    return last.end if isinstance(last, Span) else start


def _de_heading(outline: Outline, heading: re.Match[str], end: int) -> None:
    law, text, start = outline.law, outline.law.text, heading.end()
    law.leave_out(heading.start(), start, "markup")
    depth = len(heading["hashes"])
    if depth == 1:
        law.leave_out(start, end, "title")
        return
    match = _DE_PROVISION.match(text, start, end) or _DE_ANNEX.match(text, start, end)
    if match:
        annex = match.re is _DE_ANNEX
        name = text[match.end() : end].strip()
        unit = Unit("annex" if annex else "article", "Anlage" if annex else "Paragraph")
        unit.label = " ".join(match["label"].split())
        first = re.search(r"\d+[a-z]?|$", unit.label)
        unit.number = first[0] if first and not annex else number_of(unit.label)
        unit.repealed = jurisdiction("de").is_repealed(name)
        unit.heading = "" if unit.repealed else korean.bare_heading(name)
        related = _DE_RELATED.search(name) if annex else None
        unit.related = (related["place"].strip(),) if related else ()
        if annex or outline.inside("annex"):
            outline.leave(0)
        outline.enter(unit, 0 if annex else depth)
        law.leave_out(start, match.start("label"), "markup")
        unit.add(*match.span("label"), "label")
        unit.add(match.end(), end, "heading")
        return
    label, dash, name = text[start:end].partition(" - ")
    unit = Unit("group", label.split()[-1] if dash else "", number_of(label), label.strip(), name.strip())
    if not dash:
        unit.label, unit.heading = "", label.strip()
    outline.enter(unit, depth)
    unit.add(start, end, "heading")


def _de_fact(law: Law, fact: re.Match[str]) -> None:
    name, value = fact["name"].strip(), " ".join(fact["value"].split())
    if name == "Ausfertigungsdatum" and iso_day(value):
        law.promulgated = iso_day(value)
    elif name in ("Zuletzt geändert durch", "Geändert durch", "Neugefasst durch"):
        law.amended_by = value
    elif name not in ("Ausfertigungsdatum", "Fundstelle"):
        law.notes.append(f"{law.title}: {name}: {value}")


_LEGALIZE_HEADING = re.compile(r"(?m)^(?P<hashes>#{1,6})[ \t]+(?P<words>.*\S)[ \t]*$")
_LEGALIZE_NOTICE = re.compile(r"(?m)^> \*\*This (?:is the law as enacted|file always contains).*(?:\n>.*)*")
_LEGALIZE_LABEL = re.compile(
    r"(?P<label>(?:[^\W\d_]+\.?\s*|§+\s*)?[\dIVXLC]+[\w.º°/-]*(?:\s(?:bis|ter|quater|[a-z]))?(?:\s?§)?)"
    r"(?:\s?[.:–—-]+\s*|\s+|\Z)(?P<heading>.*)"
)
_LEGALIZE_MARKS = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|\\(?=[.\-*_#\[\]()+])")


def read_legalize(path: Path, data: bytes) -> Iterator[Law]:
    """Read a law with front matter of the legalize repositories; its headings are parts and articles.

    An article is a heading with text below it, or of the depth that most of these have; the others are parts.
    """
    text = _text(path, data)
    front = _FRONT.match(text)
    fields = _yaml_map(path, text, front) if front else {}
    facts = {key: str(node.value) for key, node in fields.items() if isinstance(node.value, str)}
    if front is None or not facts.get("title") or not facts.get("identifier"):
        raise DataError(f"{path.name}: no front matter with title and identifier at its start.")
    country = facts.get("country", "").lower()[:2]
    law = Law(
        text,
        title=facts["title"],
        law_id=re.sub(r"\s+", "-", facts["identifier"]),
        country=country,
        lang=facts.get("lang", "")[:2] or identify([text[front.end() :]]),
        level=jurisdiction(country).level_of(facts.get("rank", "")),
        kind=facts.get("rank", ""),
        effective_from=iso_day(facts.get("last_updated", "")),
    )
    if law.effective_from:  # Else the day of the first publication would be that of each version.
        law.promulgated = iso_day(facts.get("publication_date", ""))
    if (state := facts.get("text_state", "point_in_time")) != "point_in_time":
        law.notes.append(f"{law.title}: the text is not that of its day (text_state: {state}).")
    if _has_lines(text[front.end() :]):
        text = _LEGALIZE_NOTICE.sub("", text)
        by_lines = law_of_markdown(path.name, text, country or "auto", law.title, law.law_id, law.lang)
        notes = [*law.notes, *by_lines.notes]
        yield replace(law, text=by_lines.text, root=by_lines.root, left_out=by_lines.left_out, notes=notes)
        return
    law.leave_out(0, front.end(), "metadata")
    for notice in _LEGALIZE_NOTICE.finditer(text, front.end()):
        law.leave_out(*notice.span(), "notice of the publisher")
    _legalize_body(law, front.end())
    mark_repealed(law, jurisdiction(country))
    yield law


def _has_lines(body: str) -> bool:
    """Return True if lines of the text, and not its headings, open the articles: ``**1 §** The bees …``."""
    headings = sum(_LEGALIZE_LABEL.fullmatch(each["words"]) is not None for each in _LEGALIZE_HEADING.finditer(body))
    opening = openings(("article",))
    begun = re.finditer(r"(?m)^\*\*(?P<label>[^*\n]{1,30})\*\*", body)
    return sum(opening.match(each["label"]) is not None for each in begun) > max(1, headings)


def _legalize_body(law: Law, start: int) -> None:
    headings = list(_LEGALIZE_HEADING.finditer(law.text, start))
    ends = [*(each.start() for each in headings[1:]), len(law.text)]
    notices = [(left.start, left.end) for left in law.left_out[1:]]
    bodies = [_without(notices, each.end(), end) for each, end in zip(headings, ends, strict=True)]
    depths = [len(each["hashes"]) for each in headings]
    full = [any(law.text[slice(*part)].strip() for part in body) for body in bodies]
    usual = Counter(depth for depth, has in zip(depths, full, strict=True) if has).most_common(1)
    outline = Outline(law)
    for place, (heading, body) in enumerate(zip(headings, bodies, strict=True)):
        words, depth = heading["words"], depths[place]
        law.leave_out(heading.start(), heading.start("words"), "markup")
        if depth == 1 and place == 0 and (not full[place] or words.strip() == law.title):
            law.leave_out(*heading.span("words"), "title")
            outline.leave(0)
        else:
            article = full[place] or (bool(usual) and depth == usual[0][0])
            unit = outline.enter(Unit("article" if article else "group"), depth)
            label = _LEGALIZE_LABEL.fullmatch(words)
            unit.label, unit.heading = (label["label"], label["heading"]) if label else ("", words)
            unit.heading = unit.heading.strip(" .")
            unit.number = number_of(unit.label) or ("" if label else re.sub(r"\W+", "-", unit.heading.lower())[:60])
            at = heading.start("words")
            unit.add(at, at + len(unit.label), "label")
            unit.add(at + len(unit.label), heading.end("words"), "heading")
        for part in body:
            if outline.unit is law.root and law.text[slice(*part)].strip():
                outline.enter(Unit("preamble"), _BELOW)
            _legalize_text(law, outline.unit, *part)
    for part in _without(notices, start, headings[0].start() if headings else len(law.text)):
        if law.text[slice(*part)].strip():
            law.leave_out(*part, "before the first heading")


def _without(left: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return what remains of a part of a text without other parts."""
    parts = []
    for first, last in left:
        if start <= first < end:
            parts.append((start, first))
            start = last
    return [*parts, (start, end)]


def _legalize_text(law: Law, unit: Unit, start: int, end: int) -> None:
    for line, stop in lines(law.text, start, end):
        unit.add_break()
        place = line
        for mark in _LEGALIZE_MARKS.finditer(law.text, line, stop):
            unit.add(place, mark.start())
            law.leave_out(*mark.span(), "markup")
            place = mark.end()
        unit.add(place, stop)


def _is_legalize(path: Path, head: bytes) -> bool:
    keys = (b"\ntitle:", b"\nidentifier:", b"\ncountry:")
    return head.startswith(b"---") and all(key in head for key in keys)


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: not UTF-8 at byte {error.start}.") from None


def _is_kr(path: Path, head: bytes) -> bool:
    return head.startswith(b"---") and any(key.encode() in head for key in ("법령", "행정규칙명", "자치법규명"))


def _is_cn(path: Path, head: bytes) -> bool:
    return _CN_INFO.search(head.decode("utf-8", "ignore")) is not None


def _is_de(path: Path, head: bytes) -> bool:
    return head.startswith(b"---") and b"\nslug:" in head and "§".encode() in head


FORMATS = (
    Format("markdown-kr", (".md",), _is_kr, read_kr, needs="front matter with `제목` and `법령ID`"),
    Format("markdown-cn", (".md",), _is_cn, read_cn, needs="a title (#) and the line `INFO END`"),
    Format("markdown-de", (".md",), _is_de, read_de, needs="front matter with `slug:` and headings with `§`"),
    Format(
        *("markdown-legalize", (".md",), _is_legalize, read_legalize),
        needs="front matter with `title:`, `identifier:` and `country:`",
    ),
)


def _format(collection: Collection | None, rules: Literal["kr", "cn", "de", "legalize"] = "kr") -> Format:
    """Return the format of a country.

    Args:
        rules: the country, whose publisher's habits are followed; ``legalize``: front matter with title, identifier and
            country.
    """
    return next(each for each in FORMATS if each.name == f"markdown-{rules}")


markdown = factory_of(
    StatuteFiles, 'Statutes as Markdown: Korea, China, Germany: ``markdown(path="laws/")``.', formats=_format
)
