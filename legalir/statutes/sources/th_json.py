"""The source ``th_json``: Thai acts as JSON, as NitiBench has them [nitibench]_.

A file is a list of sections ``{law_name, section_num, section_content, reference}``. `section_content` begins with the
name of the law and the number of the section, which are the title of a provision, not its text. `reference` lists the
sections that a section cites; those are links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import BREAK, GivenLink, Law, Unit
from legalir.statutes.reading.values import Values, read_json

_FIELDS = ("law_name", "section_num", "section_content")
_LAST_NUMBER = re.compile(r"\s*[\d๐-๙]\S*$")


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read the laws of a file; most files contain one."""
    sections = read_json(data, path.name)
    if not isinstance(sections, list) or not sections:
        raise DataError(f"{path.name}: it must be a list of sections, and is not one, or is empty.")
    laws: dict[str, list[Mapping[str, object]]] = {}
    for position, section in enumerate(sections, 1):
        missing = [name for name in _FIELDS if not isinstance(section, dict) or not isinstance(section.get(name), str)]
        if missing:
            raise DataError(f"{path.name}, section {position}: no {' and no '.join(missing)}.")
        laws.setdefault(section["law_name"].strip(), []).append(section)
    for title, own in laws.items():
        yield _law(title, path.stem if len(laws) == 1 else "-".join(title.split()), own)


def _law(title: str, law_id: str, sections: list[Mapping[str, object]]) -> Law:
    table = jurisdiction("th")
    words = [word for words in table.kinds.values() for word in words if title.startswith(word)]
    kind = max(words, key=len, default="")
    law = Law("", title, law_id, "th", "th", level=table.level_of(kind), kind=kind)
    values = Values()
    annex: Unit | None = None
    for section in sections:
        law.leave_out(*values.add(section["law_name"]), "metadata")
        number = str(section["section_num"]).strip()
        law.leave_out(*values.add(number), "metadata")
        content = str(section["section_content"])
        start, _ = values.add(content)
        unit = Unit("article", "มาตรา", number_of(number), f"มาตรา {number}", key=number)
        if number[:1].isdecimal():
            annex = None
            law.root.content.append(unit)
        else:  # Such as "schedule of stamp duty 3": item 3 of an annex.
            name = _LAST_NUMBER.sub("", number)
            if annex is None or annex.label != name:
                annex = Unit("annex", "บัญชี", label=name)
                law.root.content.append(annex)
            unit.kind, unit.level, unit.label = "item", "item", number.removeprefix(name).strip()
            annex.content.append(unit)
        _text(law, unit, content, start, title, number)
        _links(law, unit, section.get("reference"), values)
    law.text = values.text
    for unit in law.root.walk():
        if unit.kind == "article" and table.is_repealed(law.render(unit)):
            unit.repealed = True
    return law


def _text(law: Law, unit: Unit, content: str, start: int, title: str, number: str) -> None:
    """Add the lines of a section; the name of the law and the number before them are left out, or the label."""
    end = _prefix(content, 0, title)
    law.leave_out(start, start + end, "name of the law")
    if unit.kind == "article" and (label := re.compile(r"\s*มาตรา").match(content, end)):
        after = _prefix(content, label.end(), number)
        if after > label.end():
            unit.add(start + end, start + after, "label")
            end = after
    for line in re.finditer(r"[^\n]+", content[end:]):
        unit.add_break(BREAK)
        unit.add(start + end + line.start(), start + end + line.end())


def _prefix(content: str, start: int, words: str) -> int:
    """Return where `words` end in a text from `start`, white space apart; `start` if it does not begin with them."""
    match = re.compile(r"\s*" + r"\s*".join(map(re.escape, words.split())) + r"(?![^\W_])").match(content, start)
    return match.end() if match else start


def _links(law: Law, unit: Unit, references: object, values: Values) -> None:
    for reference in references if isinstance(references, list) else []:
        if isinstance(reference, dict):
            name, number = str(reference.get("law_name") or ""), str(reference.get("section_num") or "")
            law.leave_out(*values.add(name), "link")
            place = values.add(number)
            law.leave_out(*place, "link")
            link = GivenLink(*place, " ".join(name.split()), number.strip())
            if all((each.law, each.key) != (link.law, link.key) for each in unit.links):
                unit.links.append(link)


def _recognises(path: Path, head: bytes) -> bool:
    return path.suffix.lower() == ".json" and b'"section_num"' in head and b'"law_name"' in head


FORMATS = (
    Format("th_json", (".json",), _recognises, read, needs="a list of `law_name`, `section_num` and `section_content`"),
)
th_json = factory_of(StatuteFiles, 'Thai acts as the JSON of NitiBench: ``th_json(path="laws/")``.', formats=FORMATS[0])
