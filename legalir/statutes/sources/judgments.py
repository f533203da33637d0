"""The source ``judgments``: decisions of Korean courts, one document for each section [rar-agent]_.

The sections are 판시사항 (issues), 판결요지 (summary), 참조조문 (statutes), 참조판례 (precedents) and 판례내용 (the
decision itself). A section that is longer than `chunk_size` is cut again. A file is text with the headings
``【판시사항】``, or JSON with these keys. The files of [rar-agent]_ are not published: the shape of text files is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from legalir.chunks.chunking import SECTION_NAMES, SECTIONS, Chunk, recursive
from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import Law, Unit
from legalir.statutes.reading.values import Values, read_json

_HEADING = re.compile(rf"(?m)^[ \t]*(?:#+[ \t]*)?[【\[]\s*(?P<name>{SECTION_NAMES})\s*[】\]][ \t]*")
_NUMBER = re.compile(r"\d{2,4}\s?[가-힣]{1,3}\s?\d+(?:-\d+)?(?:\(\w+\))?")
_DECIDED = re.compile(
    r"\d{4}\.\s*\d{1,2}\.\s*\d{1,2}\.?(?=\s*(?:선고|자))|(?<=선고일자)\s*[:：]\s*(?P<plain>[\d.\- ]+)"
)
_TAG = re.compile(r"<(?P<line>br|/p|p)\b[^<>]*>|</?\w[^<>]*>", re.IGNORECASE)


def read(path: Path, data: bytes, chunk_size: int = 1000) -> Iterator[Law]:
    """Read the decisions of a file."""
    if path.suffix.lower() != ".json":
        yield _from_text(path, data, chunk_size)
        return
    root = read_json(data, path.name)
    decisions = root if isinstance(root, list) else [root]
    for place, decision in enumerate(decisions, 1):
        where = path.name if len(decisions) == 1 else f"{path.name}, decision {place}"
        if isinstance(decision, dict) and isinstance(decision.get("PrecService"), dict):
            decision = decision["PrecService"]
        if not isinstance(decision, dict):
            raise DataError(f"{where}: it must be an object with the keys 사건번호 and {', '.join(SECTIONS)}.")
        yield _from_json(where, decision, chunk_size)


def _from_text(path: Path, data: bytes, chunk_size: int) -> Law:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: not UTF-8 at byte {error.start}: convert it to UTF-8.") from None
    headings = list(_HEADING.finditer(text))
    if not headings:
        raise DataError(f"{path.name}: no heading such as 【판시사항】 at the start of a line.")
    head = text[: headings[0].start()]
    number, decided = _NUMBER.search(head), _DECIDED.search(head)
    if not number:
        raise DataError(f"{path.name}: no case number such as 2010다12345 before the first heading.")
    day = (decided["plain"] or decided[0]).strip(" .") if decided else ""
    law = _decision(text, number[0], day, head.strip().split("\n")[0].strip("# "))
    law.leave_out(0, headings[0].start(), "metadata")
    for heading, end in zip(headings, [*(each.start() for each in headings[1:]), len(text)], strict=True):
        law.leave_out(*heading.span(), "title")
        name = "".join(heading["name"].split())
        _add_section(law, "판례내용" if name == "전문" else name, heading.end(), end, chunk_size)
    return law


def _from_json(where: str, decision: Mapping[str, Any], chunk_size: int) -> Law:
    number = str(decision.get("사건번호") or "").strip()
    if not number:
        raise DataError(f"{where}: no 사건번호 (the case number).")
    if not any(str(decision.get(name) or "").strip() for name in SECTIONS):
        raise DataError(f"{where}: none of the sections {', '.join(SECTIONS)}.")
    values = Values()
    facts = [values.add(value) for key, value in decision.items() if key not in SECTIONS]
    sections = [(name, *values.add(decision.get(name))) for name in SECTIONS if decision.get(name)]
    title = " ".join(filter(None, (str(decision.get(key) or "").strip() for key in ("법원명", "사건번호", "사건명"))))
    law = _decision(values.text, number, str(decision.get("선고일자") or ""), title)
    for start, end in facts:
        law.leave_out(start, end, "metadata")
    for name, start, end in sections:
        _add_section(law, name, start, end, chunk_size)
    return law


def _decision(text: str, number: str, day: str, title: str) -> Law:
    law = Law(text, title, "".join(number.split()).replace(",", "-"), "kr", "ko", level="judgment", kind="판결")
    law.number = number
    law.promulgated = law.effective_from = iso_day(day)
    if day.strip() and not law.promulgated:
        law.notes.append(f"{title}: 선고일자 is no date: {day}.")
    return law


def _add_section(law: Law, name: str, start: int, end: int, chunk_size: int) -> None:
    """Add a section as one unit, or as several: ``판례내용``, or ``판례내용-1``, ``판례내용-2``."""
    chunks = recursive(law.text, chunk_size, within=Chunk(start, end))
    for place, chunk in enumerate(chunks, 1):
        number = name if len(chunks) == 1 else f"{name}-{place}"
        unit = Unit("article", name, number, number)
        law.root.content.append(unit)
        at = chunk.start
        for tag in _TAG.finditer(law.text, chunk.start, chunk.end):
            _add_lines(law, unit, at, tag.start())
            law.leave_out(*tag.span(), "markup")
            if tag["line"]:
                unit.add_break()
            at = tag.end()
        _add_lines(law, unit, at, chunk.end)


def _add_lines(law: Law, unit: Unit, start: int, end: int) -> None:
    for place, line in enumerate(re.finditer(r"[^\n]+", law.text[start:end])):
        if place:
            unit.add_break()
        unit.add(start + line.start(), start + line.end())


def _recognises(path: Path, head: bytes) -> bool:
    words = head.decode("utf-8", "ignore")
    return ('"사건번호"' in words) if path.suffix.lower() == ".json" else _HEADING.search(words) is not None


FORMATS = (
    Format(
        "judgments", (".txt", ".md", ".json"), _recognises, read, needs="`사건번호` or headings such as `【판시사항】`"
    ),
)


def _format(collection: Collection | None, chunk_size: Annotated[int, Ge(1)] = 1000) -> Format:
    """Return the format with its parameter.

    Args:
        chunk_size: most characters of a chunk of a section.
    """
    return FORMATS[0]._replace(read=partial(read, chunk_size=chunk_size))


judgments = factory_of(
    StatuteFiles, 'Decisions of courts, cut into their sections: ``judgments(path="laws/")``.', formats=_format
)
