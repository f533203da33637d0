"""The source ``markdown``: statutes as Markdown, as several public collections keep them.

The rules differ by country: Korea (front matter, ``##### 제1조 (목적)``, ``**①**``, ``1\\.``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from legalir.errors import DataError
from legalir.plugins.contract import parameters_of
from legalir.statutes.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import Heading, jurisdiction
from legalir.statutes.law import Kind, Law, Outline, Unit
from legalir.statutes.numbering import number_of

_FRONT = re.compile(r"\A---\n(?P<yaml>.*?\n)---\n", re.DOTALL)
_KR_LINE = re.compile(
    r"(?P<indent>\s*)(?:(?P<hashes>#{1,6})\s+|\*\*(?P<paragraph>[①-⑳㉑-㉟㊱-㊿])\*\*\s*|(?P<item>\d+(?:의\d+)*|[가-힣])\\\.\s*)?"
)


@parameters_of(StatuteFiles, without=["format"])
def markdown(collection: object, rules: Literal["kr"] = "kr", **params: Any) -> StatuteFiles:
    """Return the source."""
    return StatuteFiles(next(each for each in FORMATS if each.name == f"markdown-{rules}"), **params)


def read_kr(path: Path, data: bytes) -> Iterator[Law]:
    """Read a Korean law: front matter, headings, paragraphs, items."""
    import yaml

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: not UTF-8 at byte {error.start}.") from None
    front = _FRONT.match(text)
    facts = yaml.safe_load(front["yaml"]) if front else None
    if not front or not isinstance(facts, dict) or "제목" not in facts:
        raise DataError(f"{path.name}: no front matter with 제목 (the title of the law) at its start.")
    table = jurisdiction("kr")
    kind = str(facts.get("법령구분") or "")
    law = Law(
        text,
        title=str(facts["제목"]),
        law_id=str(facts.get("법령ID") or facts["제목"]).replace(" ", "-"),
        country="kr",
        lang="ko",
        level=table.level_of(kind),
        kind=kind,
        number=str(facts.get("공포번호") or ""),
        promulgated=str(facts.get("공포일자") or ""),
        effective_from=str(facts.get("시행일자") or ""),
    )
    law.leave_out(0, front.end(), "metadata")
    outline = Outline(law)
    place = front.end()
    for line in text[place:].splitlines(keepends=True):
        _kr_line(outline, line, place)
        place += len(line)
    for unit in law.root.walk():
        if unit.kind == "article" and table.is_repealed(law.render(unit)):
            unit.repealed = True
    yield law


_BELOW: dict[Kind, int] = {"paragraph": 20, "item": 21, "subitem": 22}


def _kr_line(outline: Outline, line: str, place: int) -> None:
    law, table = outline.law, jurisdiction("kr")
    match = _KR_LINE.match(line)
    assert match
    body = line[match.end() :]
    start, end = place + match.end(), place + len(line.rstrip())
    if match["hashes"]:
        law.leave_out(place, start, "markup")
        if heading := table.heading(body):
            unit = _headed(heading, body)
            outline.enter(unit, heading.depth)
            unit.add(start, start + len(heading.label), "label")
            unit.add(start + heading.end, end, "heading")
        elif body.startswith(table.supplement):
            outline.enter(Unit("supplement", "부칙", label=body.strip()), 0).add(start, end, "label")
        else:
            law.leave_out(start, end, "title")
        return
    if match["paragraph"] or match["item"]:
        name = "paragraph" if match["paragraph"] else "item"
        label = match[name]
        kind: Kind = "paragraph" if match["paragraph"] else "item" if label[0].isdigit() else "subitem"
        unit = outline.enter(Unit(kind, number=number_of(label), label=label), _BELOW[kind])
        law.leave_out(place, place + match.start(name), "markup")
        law.leave_out(place + match.end(name), start, "markup")
        unit.add(place + match.start(name), place + match.end(name), "label")
    elif end > start:
        outline.unit.add_break()
    outline.unit.add(start, end)


def _headed(heading: Heading, line: str) -> Unit:
    words = line[heading.end :].strip()
    if words.startswith("(") and words.endswith(")"):
        words = words[1:-1].strip()
    return Unit(heading.level.kind, heading.level.name, heading.number, heading.label, words)


def _is_kr(path: Path, head: bytes) -> bool:
    return head.startswith(b"---") and "법령".encode() in head


FORMATS = (Format("markdown-kr", (".md",), _is_kr, read_kr),)
