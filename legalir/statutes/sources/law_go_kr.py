"""The source ``law_go_kr``: laws, administrative rules and ordinances as the open API of the National Law
Information Center gives them, XML or JSON; both have one structure.

A law comes as a tree (조문, 항, 호, 목); an ordinance as articles of running text; an administrative rule as a list of
running texts, numbered by articles (제3조) or by decimals (2.1.1). Of decimals, the second level is cited, as in the
fire standards [searchfiresafety]_.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import Jurisdiction, jurisdiction, mark_repealed
from legalir.statutes.law import Law, Outline, Unit
from legalir.statutes.reading import korean
from legalir.statutes.reading.markup import Markup, local
from legalir.statutes.reading.plain_text import add_text, lines, note_images
from legalir.statutes.reading.values import Values, read_json

if TYPE_CHECKING:
    from lxml import etree

_ARTICLE = re.compile(
    r"\s*(?P<label>제\d+(?:-\d+)?조(?:의\s?\d+)?)"
    r"(?:\s?(?P<heading>\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|(?<=\S)\[[^\[\]]*\]))?[ \t]*"
)
_DECIMAL = re.compile(r"(?m)(?:^[ \t]*|(?<=\s))(?P<label>\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}\.)(?=\s+\S)")
_KINDS = {"C0001": "조례", "C0002": "규칙", "C0003": "훈령", "C0004": "예규"}
"""Kinds of ordinances, of which the API gives the code."""

_BELOW = 20
_INSIDE = ("항", "호", "목")
_DECIMALS = ("장", "조", "항", "호", "목")


class _Entry(NamedTuple):
    """A string of the file, its meaning, and the object that contains it."""

    what: str
    start: int
    end: int
    node: Mapping[str, Any]


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read a law, an administrative rule or an ordinance of the open API."""
    if path.suffix.lower() == ".xml":
        root: object = _value(Markup(data, path.name).root)
    else:
        root = next(iter(content.values()), None) if isinstance(content := read_json(data, path.name), dict) else None
    for facts, name, reader in (
        ("기본정보", "법령명_한글", _law),
        ("행정규칙기본정보", "행정규칙명", _rule),
        ("자치법규기본정보", "자치법규명", _ordinance),
    ):
        known = root.get(facts, root) if isinstance(root, dict) else None
        if isinstance(root, dict) and isinstance(known, dict) and _string(known.get(name)):
            yield reader(root, known)
            return
    raise DataError(
        f"{path.name}: neither a law, an administrative rule nor an ordinance of the open API, or one without a name."
    )


def _value(element: etree._Element) -> Any:
    """Return an element as the JSON of the API has it: repeated children are a list, and a text is a string."""
    values: dict[str, Any] = {str(name): str(value) for name, value in element.attrib.items()}
    for child in element:
        name, value = local(child), _value(child)
        values[name] = [*_many(values[name]), value] if name in values else value
    words = element.text or ""
    return values | ({"content": words} if words.strip() else {}) if values else words


def _law(body: Mapping[str, Any], facts: Mapping[str, Any]) -> Law:
    values, entries = Values(), list[_Entry]()
    _take_facts(values, entries, body, ("조문", "부칙", "별표"))
    for node in _nodes(body, "조문", "조문단위"):
        _take(values, entries, "article" if node.get("조문여부") == "조문" else "heading", node, "조문내용")
        for paragraph in _inside(node, "항"):
            _take(values, entries, "항", paragraph, "항내용")
            for item in _inside(paragraph, "호"):
                _take(values, entries, "호", item, "호내용")
                for subitem in _inside(item, "목"):
                    _take(values, entries, "목", subitem, "목내용")
        _take(values, entries, "editor's note", node, "조문참고자료")
    for node in _nodes(body, "부칙", "부칙단위"):
        _take(values, entries, "부칙", node, "부칙내용")
    _take_annexes(values, entries, body)
    kind = _string(facts.get("법종구분"))
    number = _string(facts.get("공포번호")).lstrip("0")
    law = Law(
        values.text,
        title=_string(facts["법령명_한글"]).strip(),
        law_id=_string(facts.get("법령ID")) or re.sub(r"\s+", "-", _string(facts["법령명_한글"])),
        country="kr",
        lang="ko",
        level=jurisdiction("kr").level_of(kind),
        kind=kind,
        names=tuple(filter(None, [_string(facts.get("법령명약칭"))])),
        number=f"{kind} 제{number}호" if number else "",
        promulgated=iso_day(_string(facts.get("공포일자"))),
        effective_from=iso_day(_string(facts.get("시행일자"))),
    )
    law.amended_by = ", ".join(filter(None, [law.number, _string(facts.get("제개정구분"))]))
    _check_days(law, facts, ("공포일자", "시행일자"))
    return _built(law, entries)


def _rule(body: Mapping[str, Any], facts: Mapping[str, Any]) -> Law:
    values, entries = Values(), list[_Entry]()
    _take_facts(values, entries, body, ("조문내용", "부칙", "별표"))
    for words in _many(body.get("조문내용")):
        _take(values, entries, "text", {"조문내용": words}, "조문내용")
    _take_supplements(values, entries, body)
    _take_annexes(values, entries, body)
    kind, number = _string(facts.get("행정규칙종류")), _string(facts.get("발령번호"))
    law = Law(
        values.text,
        title=_string(facts["행정규칙명"]).strip(),
        law_id=_string(facts.get("행정규칙ID")) or re.sub(r"\s+", "-", _string(facts["행정규칙명"])),
        country="kr",
        lang="ko",
        level="standard",
        kind=kind,
        number=f"{_string(facts.get('소관부처명'))}{kind} 제{number}호" if number else "",
        promulgated=iso_day(_string(facts.get("발령일자"))),
        effective_from=iso_day(_string(facts.get("시행일자"))),
    )
    law.amended_by = ", ".join(filter(None, [law.number, _string(facts.get("제개정구분명"))]))
    _check_days(law, facts, ("발령일자", "시행일자"))
    return _built(law, entries)


def _ordinance(body: Mapping[str, Any], facts: Mapping[str, Any]) -> Law:
    values, entries = Values(), list[_Entry]()
    _take_facts(values, entries, body, ("조문", "부칙", "별표"))
    for node in _nodes(body, "조문", "조"):
        _take(values, entries, "heading" if _string(node.get("조문여부")) == "N" else "article", node, "조내용")
    _take_supplements(values, entries, body)
    _take_annexes(values, entries, body)
    kind, number = _string(facts.get("자치법규종류")), _string(facts.get("공포번호")).lstrip("0")
    kind = _KINDS.get(kind, kind)
    law = Law(
        values.text,
        title=_string(facts["자치법규명"]).strip(),
        law_id=_string(facts.get("자치법규ID")) or re.sub(r"\s+", "-", _string(facts["자치법규명"]).strip()),
        country="kr",
        lang="ko",
        level="ordinance",
        kind=kind,
        number=f"{_string(facts.get('지자체기관명'))} {kind} 제{number}호".strip() if number else "",
        promulgated=iso_day(_string(facts.get("공포일자"))),
        effective_from=iso_day(_string(facts.get("시행일자"))),
    )
    changed = _string(facts.get("제개정정보")) or _string(facts.get("제개정구분명"))
    law.amended_by = ", ".join(filter(None, [law.number, changed]))
    _check_days(law, facts, ("공포일자", "시행일자"))
    return _built(law, entries)


def _built(law: Law, entries: list[_Entry]) -> Law:
    table, outline = jurisdiction("kr"), Outline(law)
    rule = [entry for entry in entries if entry.what == "text"]
    if rule:
        start, end = rule[0].start, rule[-1].end
        if re.search(r"(?m)^\s*제\d+조", law.text[start:end]):
            _add_articles(outline, table, start, end)
        else:
            _add_decimals(outline, start, end)
    annex: Unit | None = None
    for what, start, end, node in entries:
        if what == "heading":
            for line in lines(law.text, start, end):
                if not _add_heading(outline, table, *line):
                    words = " ".join(law.text[slice(*line)].split())
                    outline.enter(Unit("group", heading=korean.bare_heading(words)), table.depth("조"))
                    outline.unit.add(*line, "heading")
        elif what == "article":
            _add_article(outline, start, end, node)
        elif what in _INSIDE:
            _add_inside(outline, what, start, end, node)
        elif what == "부칙":
            korean.add_supplements(
                law, start, end, _string(node.get("부칙공포번호")), _string(node.get("부칙공포일자"))
            )
        elif what == "annex":
            annex = korean.annex(law, _string(node.get("별표번호")), _string(node.get("별표가지번호")), start, end)
            annex.key = _string(node.get("별표키"))
            annex.effective_from = iso_day(_string(node.get("별표시행일자")))
            law.root.content.append(annex)
        elif what == "annex text" and annex is not None:
            korean.add_annex_text(law, annex, _string(node.get("별표제목")), start, end)
        elif what != "text":
            law.leave_out(start, end, what)
    mark_repealed(law, table)
    note_images(law)
    return law


def _add_heading(outline: Outline, table: Jurisdiction, start: int, end: int) -> bool:
    words = outline.law.text[start:end]
    heading = table.heading(words)
    if not heading or heading.level.kind != "group":
        return False
    name = korean.bare_heading(words[heading.end :])
    unit = Unit("group", heading.level.name, heading.number, heading.label, name)
    unit.repealed = table.is_repealed(name)
    outline.enter(unit, heading.depth)
    unit.add(start, start + len(heading.label), "label")
    unit.add(start + heading.end, end, "heading")
    return True


def _add_article(outline: Outline, start: int, end: int, node: Mapping[str, Any]) -> int:
    """Open an article, add its text, and return the start of the text."""
    law = outline.law
    match = _ARTICLE.match(law.text, start, end)
    given = _string(next(iter(_many(node.get("조문번호"))), ""))
    six = re.fullmatch(r"(\d{4})(\d\d)", given)  # of an ordinance: 000702 is 제7조의2
    branch = f"의{int(six[2])}" if six and int(six[2]) else ""
    label = match["label"] if match else f"제{int(six[1])}조{branch}" if six else f"제{given}조"
    number = number_of(label)
    unit = Unit("article", "조", number, label, key=_string(node.get("조문키")))
    day = iso_day(_string(node.get("조문시행일자")))
    unit.effective_from = day if day != law.effective_from else ""
    outline.enter(unit, _BELOW)
    if match:
        unit.heading = korean.bare_heading(match["heading"])
        unit.add(*match.span("label"), "label")
        if match["heading"]:
            unit.add(*match.span("heading"), "heading")
        start = match.end()
    if "조내용" in node:
        korean.add_marked(law, unit, start, end, inline=True)
    else:
        add_text(law, unit, start, end)
    return start


def _add_inside(outline: Outline, what: str, start: int, end: int, node: Mapping[str, Any]) -> None:
    law, place = outline.law, _INSIDE.index(what)
    label = _string(node.get(what + "번호")).strip()
    words = law.text[start:end]
    indent = len(words) - len(words.lstrip())
    if not label:
        add_text(law, outline.unit, start, end)
        return
    unit = outline.enter(Unit(korean.MARKS[place].kind, what, number_of(label), label), _BELOW + 1 + place)
    if words.startswith(label, indent):
        unit.add(start + indent, start + indent + len(label), "label")
        start += indent + len(label)
    korean.add_marked(law, unit, start, end, inline=False, highest=place + 1)


def _add_articles(outline: Outline, table: Jurisdiction, start: int, end: int) -> None:
    """Read running text with articles: each begins a line; its paragraphs and items are inside the lines."""
    law = outline.law
    begins = list(lines(law.text, start, end))
    for (line, stop), after in zip(begins, [*(each[0] for each in begins), end][1:], strict=True):
        match = _ARTICLE.match(law.text, line, stop)
        if match and (match["heading"] or match.end() > match.end("label") or match.end() == stop):
            unit = Unit("article", "조", number_of(match["label"]), match["label"])
            outline.enter(unit, _BELOW)
            unit.heading = korean.bare_heading(match["heading"])
            unit.add(*match.span("label"), "label")
            if match["heading"]:
                unit.add(*match.span("heading"), "heading")
            korean.add_marked(law, unit, match.end(), after, inline=True)
        elif not _add_heading(outline, table, line, stop):
            if outline.unit.kind in ("law", "group"):
                outline.enter(Unit("preamble"), _BELOW)
            add_text(law, outline.unit, line, stop)


def _add_decimals(outline: Outline, start: int, end: int) -> None:
    """Read running text that is numbered by decimals; a number counts only if it is the next one."""
    law = outline.law
    last: tuple[int, ...] = ()
    marks: list[tuple[re.Match[str], tuple[int, ...]]] = []
    for match in _DECIMAL.finditer(law.text, start, end):
        value = tuple(int(part) for part in match["label"].strip(".").split("."))
        if value == (*last, 1) or any(value == (*last[:place], last[place] + 1) for place in range(len(last))):
            marks.append((match, value))
            last = value
    first = marks[0][0].start("label") if marks else end
    if law.text[start:first].strip():
        preamble = Unit("preamble")
        outline.enter(preamble, 0)
        add_text(law, preamble, start, first)
    for (match, value), stop in zip(marks, [*(each.start("label") for each, _ in marks), end][1:], strict=True):
        depth = len(value)
        kind = korean.MARKS[min(depth, 5) - 3].kind if depth > 2 else "article" if depth == 2 else "group"
        unit = Unit(kind, _DECIMALS[min(depth, 5) - 1], ".".join(map(str, value)), match["label"])
        outline.enter(unit, depth)
        unit.add(*match.span("label"), "label")
        place = match.end("label")
        rows = list(lines(law.text, place, stop))
        if depth <= 2 and rows and not law.text[: rows[0][1]].endswith((".", "다")):
            unit.heading = " ".join(law.text[slice(*rows[0])].split())
            unit.add(*rows[0], "heading")
            place = rows[0][1]
        korean.add_marked(law, unit, place, stop, inline=False)


def _take_facts(values: Values, entries: list[_Entry], body: Mapping[str, Any], later: tuple[str, ...]) -> None:
    """Take the strings that are not text of the law: facts, reasons, the act that amended it."""
    for key, value in body.items():
        if key not in later:
            what = "reasons and words of the amendment" if key in ("개정문", "제개정이유") else "metadata"
            for words in _strings(value):
                entries.append(_Entry(what, *values.add(words), {}))


def _take_supplements(values: Values, entries: list[_Entry], body: Mapping[str, Any]) -> None:
    """Take supplements that come as lists of texts, days and numbers."""
    for node in _many(body.get("부칙")):
        keys = ("부칙내용", "부칙공포번호", "부칙공포일자")
        lists = [_many(node.get(key)) if isinstance(node, dict) else [] for key in keys]
        for place, words in enumerate(lists[0]):
            rest = {key: each[place] for key, each in zip(keys, lists, strict=True) if place < len(each)}
            _take(values, entries, "부칙", {**rest, "부칙내용": words}, "부칙내용")


def _take_annexes(values: Values, entries: list[_Entry], body: Mapping[str, Any]) -> None:
    for node in _nodes(body, "별표", "별표단위"):
        form = _string(node.get("별표구분")) != "별표"
        _take(values, entries, "form" if form else "annex", node, "별표제목", ("별표내용",))
        _take(values, entries, "form" if form else "annex text", node, "별표내용", tuple(node))


def _take(
    values: Values,
    entries: list[_Entry],
    what: str,
    node: Mapping[str, Any],
    key: str,
    others: tuple[str, ...] = (),
) -> None:
    """Take the text under a key and the other strings of its object, except strings that are read separately."""
    for name, value in node.items():
        if name not in (key, "항", "호", "목", "조문참고자료", *others):
            for words in _strings(value):
                entries.append(_Entry("metadata", *values.add(words), {}))
    if words := "\n".join(_strings(node.get(key))):
        entries.append(_Entry(what, *values.add(words), node))


def _nodes(body: Mapping[str, Any], outer: str, inner: str) -> list[Mapping[str, Any]]:
    holder = body.get(outer)
    return [node for node in _many(holder.get(inner) if isinstance(holder, dict) else None) if isinstance(node, dict)]


def _inside(node: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the units directly inside a node; a bare string is the text of one, and an empty element is none."""
    found = _many(node.get(name))
    return [each if isinstance(each, dict) else {name + "내용": each} for each in found if each and each != [[]]]


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _strings(value: object) -> Iterator[str]:
    """Yield all strings in a value, from the first to the last."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list | dict):
        for each in value if isinstance(value, list) else value.values():
            yield from _strings(each)


def _string(value: object) -> str:
    """Return a string, or the content of ``{"content": …}``, as the API gives words that have a code."""
    if isinstance(value, dict):
        value = value.get("content")
    return str(value) if isinstance(value, str | int) else ""


def _check_days(law: Law, facts: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if (value := _string(facts.get(name))) and not iso_day(value):
            law.notes.append(f"{law.title}: {name} is no date: {value}.")


def _recognises(path: Path, head: bytes) -> bool:
    words = head.decode("utf-8", "ignore")
    if path.suffix.lower() == ".xml":
        return re.search(r"<(?:법령|AdmRulService|LawService|자치법규|행정규칙)[\s>]", words) is not None
    return any(f'"{name}"' in words for name in ("법령", "AdmRulService", "LawService"))


FORMATS = (
    Format(
        *("law_go_kr", (".xml", ".json"), _recognises, read),
        needs="`법령` with `기본정보`, or `AdmRulService`, or `LawService`",
    ),
)
law_go_kr = factory_of(
    StatuteFiles,
    'Korean laws, rules and ordinances of the open API of law.go.kr: ``law_go_kr(path="laws/")``.',
    formats=FORMATS[0],
)
