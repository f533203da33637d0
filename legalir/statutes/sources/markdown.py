"""The source ``markdown``: statutes as Markdown, as several public collections keep them.

The rules differ by country: Korea (front matter, ``##### 제1조 (목적)``, ``**①**``, ``1\\.``), China (articles begin a
paragraph, ``第一条 …``), Germany (``### § 1 Zweck``, wrapped lines).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from legalir.errors import DataError
from legalir.plugins.contract import parameters_of
from legalir.statutes import korean
from legalir.statutes.commencement import date_articles
from legalir.statutes.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import Jurisdiction, jurisdiction
from legalir.statutes.law import Law, Outline, Unit
from legalir.statutes.numbering import number_of
from legalir.statutes.plain_text import add_text, lines, note_images

if TYPE_CHECKING:
    from yaml.nodes import Node

_FRONT = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?\n)---[ \t]*\n", re.DOTALL)
_KR_LINE = re.compile(
    r"(?:(?P<hashes>#{1,6})\s+|\*\*(?P<paragraph>[①-⑳㉑-㉟㊱-㊿])\*\*"
    r"|(?P<number>\d+(?:의\d+)*|[가-힣])(?P<slash>\\)?(?P<dot>\.)|(?P<deeper>\(?(?:\d+|[가-힣])\)))\s*"
)
_BELOW = 20
"""Depth in the outline of the highest mark inside an article; headings are above it."""


@parameters_of(StatuteFiles, without=["format"])
def markdown(collection: object, rules: Literal["kr"] = "kr", **params: Any) -> StatuteFiles:
    """Return the source.

    Args:
        collection: not used.
        rules: the country, whose publisher's habits are followed.
        **params: of :class:`StatuteFiles`.
    """
    return StatuteFiles(next(each for each in FORMATS if each.name == f"markdown-{rules}"), **params)


def read_kr(path: Path, data: bytes) -> Iterator[Law]:
    """Read a Korean law: front matter, headings, paragraphs, items, supplements; annexes by their titles."""
    text = _text(path, data)
    facts, annexes, body = _kr_front(path, text)
    kind = facts.get("법령구분", "")
    number = facts.get("공포번호", "").lstrip("0")
    table = jurisdiction("kr")
    law = Law(
        text,
        title=facts["제목"],
        law_id=facts.get("법령ID") or re.sub(r"\s+", "-", facts["제목"]),
        country="kr",
        lang="ko",
        level=table.level_of(kind),
        kind=kind,
        number=f"{kind} 제{number}호".strip() if number else "",
        promulgated=facts.get("공포일자", ""),
        effective_from=facts.get("시행일자", ""),
    )
    supplements = re.search(r"(?m)^#{1,4}[ \t]+부\s?칙[ \t]*$", text)
    end = supplements.start() if supplements else len(text)
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


def mark_repealed(law: Law, table: Jurisdiction) -> None:
    """Mark each article, and each unit inside one, whose whole text says that it is repealed."""
    for unit in law.root.walk():
        if unit.kind in ("article", "paragraph", "item", "subitem") and table.is_repealed(law.render(unit)):
            unit.repealed = True


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
    if not front or not facts.get("제목"):
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
    outline.enter(unit, heading.depth)
    unit.add(start, start + len(heading.label), "label")
    unit.add(start + heading.end, end, "heading")


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: not UTF-8 at byte {error.start}.") from None


def _is_kr(path: Path, head: bytes) -> bool:
    return head.startswith(b"---") and "법령".encode() in head


FORMATS = (Format("markdown-kr", (".md",), _is_kr, read_kr),)
