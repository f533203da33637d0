"""The source ``de_gii``: German federal law in the XML of gesetze-im-internet.de (gii-norm).

A file is one law: a flat list of `norm`. The first is the law itself; one with `gliederungseinheit` opens a part whose
depth is in `gliederungskennzahl`, three digits a level; one with `enbez` is a provision. The DTD is not loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of, numbers_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_date
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import Law, Outline, Unit
from legalir.statutes.reading.elements import Elements, Role, block, image, line_break, reasons, rules, spaced
from legalir.statutes.reading.markup import Markup, attribute, local

if TYPE_CHECKING:
    from lxml import etree

_BLOCKS = ("P", "Title", "Subtitle", "Ident", "pre", "kommentar", "Revision")
_PARAGRAPH = re.compile(r"\s*(\(\d+[a-z]{0,2}\))(?=\s|$)")
_SECTION = re.compile(
    r"(?P<label>(?:Abschnitt|Nummer|Nr\.|Teil|Kapitel)\s+(?P<number>\d+[a-z]?|[IVX]+)|(?P<decimal>\d+(?:\.\d+)+\.?))"
    r"(?:[\s.:]+(?P<rest>\D.*))?$"
)
_CONTENTS = ("Inhaltsübersicht", "Inhaltsverzeichnis", "Inhalt")
_PREAMBLES = ("Eingangsformel", "Präambel", "Vorspruch", "Eingangssatz", "Schlussformel", "Schlußformel")
_RELATED = re.compile(r"\(\s*zu\s+(?:den\s+|dem\s+|der\s+)?((?:§|Art)[^()]*)\)")
_SHOWN = re.compile(r"^Änderung durch\s+(.+?)(?: \(Nr\. \d+\))? textlich nachgewiesen")
_ANNOUNCED = re.compile(r"^Änderung durch\s+(.+?)(?: \(Nr\. \d+\))? mWv (\d+\.\d+\.\d{4}) noch nicht berücksichtigt")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_INNER = re.compile(r"(Art(?:ikel|\.)?\s*\d+\w*)\s+(?=§)")
_ARTICLE_DEPTH = 100


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read a law."""
    markup = Markup(data, path.name)
    norms = list(markup.find(markup.root, "norm"))
    if local(markup.root) != "dokumente" or not norms:
        raise DataError(f"{path.name}: no 'dokumente' with 'norm' in it: it is not a law of gesetze-im-internet.de.")
    yield _Reader(path.name, markup, norms).law


class _Reader:
    def __init__(self, name: str, markup: Markup, norms: list[etree._Element]) -> None:
        self.markup, self.table = markup, jurisdiction("de")
        self.law = self._facts(name, norms[0])
        other = rules(block, *_BLOCKS) | rules(spaced, "NB", "LA", "DT", "DD") | rules(line_break, "BR")
        other |= reasons({"table of contents": ("TOC",)}) | {
            "IMG": image,
            "FnR": self._mark,
            "Footnote": self._footnote,
        }
        self.elements = Elements(markup, self.law, {"DL": self._list}, other)
        self.outline = Outline(self.law)
        self.marks = {
            attribute(note, "ID"): attribute(note, "FnZ") or "*"
            for note in markup.root.iter()
            if local(note) == "Footnote"
        }
        self.preambles = 0
        self._leave_out_between(markup.root)
        for position, norm in enumerate(norms):
            self._norm(norm, position == 0)

    def _facts(self, name: str, norm: etree._Element) -> Law:
        markup, head = self.markup, self.markup.first(norm, "metadaten")
        if head is None:
            raise DataError(f"{name}: the first 'norm' has no 'metadaten', which name the law.")
        values: dict[str, list[str]] = {}
        for each in head.iter():
            values.setdefault(local(each), []).append(markup.words(each))
        titles = [*values.get("kurzue", []), *values.get("langue", []), *values.get("jurabk", [])]
        law_id = attribute(norm, "doknr") or attribute(markup.root, "doknr")
        if not titles or not law_id:
            raise DataError(f"{name}: the first 'norm' has no name of the law, or no 'doknr'.")
        kinds = [*titles, *(title.split(maxsplit=1)[0] for title in titles)]
        kind = next((each for each in kinds if self.table.level_of(each) != each), "")
        stand = [" ".join(each.split()) for each in values.get("standkommentar", [])]
        changed = next((each for each in stand if "geändert" in each), "")
        shown = next((match[1] for each in stand if (match := _SHOWN.search(each))), "")
        promulgated, built = values.get("ausfertigung-datum", [""])[0], attribute(markup.root, "builddate")
        law = Law(
            markup.text,
            titles[0],
            "-".join(law_id.split()),
            "de",
            "de",
            level=self.table.level_of(kind),
            kind=kind.rsplit(maxsplit=1)[-1] if kind else "",
            names=tuple(dict.fromkeys([*values.get("jurabk", []), *values.get("amtabk", []), *titles])),
            number=" ".join(values.get("fundstelle", [])),
            promulgated=promulgated if _DATE.fullmatch(promulgated) else "",
            published=f"{built[:4]}-{built[4:6]}-{built[6:8]}" if built[:8].isdecimal() and len(built) >= 8 else "",
            amended_by=shown or re.sub(r"^.*?geändert durch\s+", "", changed),
            announced={match[1]: iso_date(match[2]) for each in stand if (match := _ANNOUNCED.search(each))},
        )
        law.notes += [f"{titles[0]}: {each}" for each in stand if "noch nicht" in each]
        return law

    def _leave_out_between(self, holder: etree._Element) -> None:
        """Skip text between `norm` elements, where there should be none."""
        self.law.leave_out(*self.markup.own(holder), "markup")
        for child in holder:
            self.law.leave_out(*self.markup.tail(child), "markup")

    def _norm(self, norm: etree._Element, is_law: bool) -> None:
        head, body = (self.markup.first(norm, name) for name in ("metadaten", "textdaten"))
        self._leave_out_between(norm)
        part, name, title = (
            None if head is None or is_law else self.markup.first(head, each)
            for each in ("gliederungseinheit", "enbez", "titel")
        )
        if part is not None:
            self._part(part, norm)
        unit = self.outline.unit
        label = "" if name is None else self.markup.words(name)
        if label.startswith(_CONTENTS):
            self.elements.leave_out(norm, "table of contents")
            return
        if name is not None or title is not None or (part is None and not is_law):
            unit = self._provision(norm, label)
            if name is not None:
                self.elements.title(name, unit, "label")
            if title is not None:
                unit.heading = self.elements.title(title, unit, "heading")
        elif is_law:
            unit = Unit("preamble", "Präambel")
        if head is not None:
            self._leave_out_rest(head, [part, name, title])
        if body is not None:
            self._body(unit, body)
        if is_law and unit.content and self.law.render(unit):
            self.outline.enter(unit, 0)
            self.outline.leave(0)
            self.preambles += 1
        self._finish(unit)

    def _part(self, part: etree._Element, norm: etree._Element) -> None:
        digits = "".join(self.markup.words(each) for each in self.markup.find(part, "gliederungskennzahl"))
        unit = Unit("group", "Gliederung", key=attribute(norm, "doknr"))
        for child in part:
            if local(child) == "gliederungsbez":
                unit.label = self.elements.title(child, unit, "label")
            elif local(child) == "gliederungstitel":
                unit.heading = self.elements.title(child, unit, "heading")
            else:
                self.elements.leave_out(child, "metadata")
        self._leave_out_between(part)
        heading = self.table.heading(unit.label)
        unit.number = number_of(unit.label)
        if heading:
            unit.level = heading.level.name
        if heading and heading.level.kind == "article":  # Art 232 holds sections of its own, which begin with § 1.
            unit.kind, unit.level = "article", "Artikel"
        self.outline.enter(unit, max(len(digits) // 3 - 1, 0))

    def _provision(self, norm: etree._Element, label: str) -> Unit:
        """Open the unit of a provision: an article, an annex (which is outside the parts), or enacting words."""
        key = attribute(norm, "doknr")
        bare = re.sub(r"^\(XXXX\)\s*", "", label)
        if bare.startswith(self.table.annex):
            rest = re.sub(r"^\w+\s*", "", bare)
            number = number_of(rest) or "-".join(rest.split())
            return self.outline.enter(Unit("annex", "Anlage", number, label, key=key), 0)
        if bare.startswith(_PREAMBLES):
            self.preambles += 1
            number = "" if self.preambles == 1 else "-".join(bare.split())
            return self.outline.enter(Unit("preamble", "Präambel", number, label, key=key), 0)
        if inner := _INNER.match(bare):  # Art 232 § 2
            article = number_of(inner[1])
            if (above := self.outline.inside("article")) is None or (above.level, above.number) != ("Artikel", article):
                self.outline.enter(Unit("article", "Artikel", article), _ARTICLE_DEPTH - 1)
            bare = bare[inner.end() :]
        elif bare[:1] != "§" and (around := [each for each in self.outline.open if each.level == "Artikel"]):
            self.outline.close(around[0])
        numbers = numbers_of(bare)
        number = number_of(bare) or "-".join(bare.split())
        if len(numbers) > 1:
            self.law.notes.append(f"{self.law.title}: {label} stands for several provisions, as {number}.")
        return self.outline.enter(Unit("article", "§", number, label, key=key), _ARTICLE_DEPTH)

    def _leave_out_rest(self, head: etree._Element, used: list[etree._Element | None]) -> None:
        self._leave_out_between(head)
        for child in head:
            if all(child is not each for each in used):
                self.elements.leave_out(child, "metadata")

    def _body(self, unit: Unit, body: etree._Element) -> None:
        self._leave_out_between(body)
        for part in body:
            if local(part) == "text":
                self.elements.add(unit, *self.markup.own(part))
                for child in part:
                    if local(child) == "Content":
                        self._content(unit, child)
                    else:
                        self.elements.line(unit)
                        self.elements.read(child, unit)
                    self.elements.add(unit, *self.markup.tail(child))
            else:
                self.elements.leave_out(part, "editor's note")

    def _content(self, unit: Unit, content: etree._Element) -> None:
        """Add the paragraphs of a provision; a heading in an annex opens a section for the text after it."""
        holder = current = unit
        self.elements.add(current, *self.markup.own(content))
        for child in content:
            start, end = self.markup.own(child)
            numbered = local(child) == "P" and unit.kind in ("article", "annex")
            if unit.kind == "annex" and self.markup.words(child).startswith(_CONTENTS):
                self.elements.leave_out(child, "table of contents")
            elif unit.kind == "annex" and (section := self._section(unit, holder, child)) is not None:
                holder = current = section
            elif numbered and (match := _PARAGRAPH.match(self.law.text, start, end)):
                current = Unit("paragraph", "Absatz", number_of(match[1]), match[1])
                holder.content.append(current)
                current.add(match.start(1), match.end(1), "label")
                current.add(match.end(1), end)
                for each in child:
                    self.elements.read(each, current)
                    self.elements.add(current, *self.markup.tail(each))
            else:
                self.elements.line(current)
                self.elements.read(child, current)
            self.elements.add(current, *self.markup.tail(child))

    def _section(self, annex: Unit, holder: Unit, element: etree._Element) -> Unit | None:
        """Return the section of an annex that a heading opens or names, or None if the element is not a heading."""
        words = self.markup.words(element)
        if local(element) == "P" and (pairs := self._listed_headings(element)):
            self._leave_out_between(element)
            for label, heading in pairs:
                holder = self._open_section(annex, number_of(self.markup.words(label)))
                holder.label = self.elements.title(label, holder, "label")
                holder.heading = self.elements.title(heading, holder, "heading")
            return holder
        alone = [local(child) for child in element] == ["B"] and words == self.markup.words(element[0])
        if local(element) not in ("Title", "Ident") and not alone:
            return None
        if (match := _SECTION.match(words)) is None:
            if holder is annex or holder.heading or len(holder.content) > 2:
                return None
            holder.heading = self.elements.title(element, holder, "heading")
            holder.repealed = self.table.is_repealed(holder.heading)
            return holder
        holder = self._open_section(annex, number_of(match["number"] or match["decimal"].rstrip(".")))
        holder.label, holder.heading = match["label"], match["rest"] or ""
        self.elements.title(element, holder, "label")
        return holder

    def _open_section(self, annex: Unit, number: str) -> Unit:
        """Open a section; what has only a heading, and is followed by its decimals, is a group of them."""
        section, holder = Unit("article", "Abschnitt", number), annex
        while (units := holder.units) and number.startswith(f"{units[-1].number}.") and self._is_heading(units[-1]):
            holder = units[-1]
            holder.kind = "group"
        holder.content.append(section)
        return section

    def _is_heading(self, section: Unit) -> bool:
        return section.kind == "group" or (section.kind == "article" and not self.law.render(section))

    def _listed_headings(self, element: etree._Element) -> list[tuple[etree._Element, etree._Element]]:
        """Return numbers and headings if a paragraph is only a list of decimal numbers with a few words."""
        if not len(element) or any(local(child) != "DL" for child in element) or self._text_between(element):
            return []
        pairs = [(one, other) for each in map(list, element) for one, other in zip(each[::2], each[1::2], strict=False)]
        fit = all(
            re.fullmatch(r"\d+(\.\d+)*\.?", self.markup.words(label))
            and 0 < len(words := self.markup.words(heading)) < 150
            and words[-1] not in ".;,:"
            and not any(local(each) == "DL" for each in heading.iter())
            for label, heading in pairs
        )
        return pairs if fit and "." in self.markup.words(pairs[-1][0]).rstrip(".") else []

    def _text_between(self, element: etree._Element) -> str:
        places = [self.markup.own(element), *map(self.markup.tail, element)]
        return "".join(self.law.text[start:end] for start, end in places).strip()

    def _mark(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        unit.content.append(f" [{self.marks.get(attribute(element, 'ID'), '*')}] ")

    def _footnote(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.line(unit)
        unit.content.append(f"[{attribute(element, 'FnZ') or '*'}] ")
        elements.inside(element, unit)
        elements.line(unit)

    def _list(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        """Add a list: a numbered entry is a unit; an entry with a dash or in words is a line."""
        kind: Kind = "subitem" if unit.kind in ("item", "subitem") else "item"
        current = unit
        self.elements.add(unit, *self.markup.own(element))
        for child in element:
            if local(child) == "DT":
                label = self.markup.words(child)
                number = number_of(label) if len(label) <= 16 else ""
                inner = self._lettered(unit, number)
                if inner is not None:
                    current = Unit("subitem", "Buchstabe", number, label)
                    inner.content.append(current)
                    self.elements.title(child, current, "label")
                elif number:
                    current = Unit(kind, "Nummer" if kind == "item" else "Buchstabe", number, label)
                    unit.content.append(current)
                    self.elements.title(child, current, "label")
                else:
                    current = unit
                    self.elements.line(unit)
                    self.elements.read(child, unit)
            else:
                self.elements.read(child, current)
            self.elements.add(current, *self.markup.tail(child))
        self.elements.line(unit)

    def _lettered(self, unit: Unit, number: str) -> Unit | None:
        """Return the item of an annex that a list of letters after it belongs to."""
        last = unit.units[-1] if unit.kind == "annex" and unit.units and number.isalpha() else None
        return last if last is not None and last.kind == "item" and last.number[:1].isdecimal() else None

    def _finish(self, unit: Unit) -> None:
        """Say whether a provision is repealed, and which provisions an annex belongs to."""
        if unit.kind in ("article", "annex"):
            text = self.law.render(unit).strip(" -–—")
            unit.repealed = self.table.is_repealed(text or unit.heading) or (
                not text and unit.label.startswith("(XXXX)")
            )
        if unit.kind == "annex" and (match := _RELATED.search(unit.heading)):
            unit.related = tuple(part.strip() for part in re.split(r",\s+(?=§|Art)", match[1]))


def _recognises(path: Path, head: bytes) -> bool:
    return b"<dokumente" in head and (b"gii-norm" in head or b"<norm" in head)


FORMATS = (Format("de_gii", (".xml",), _recognises, read, needs="the root `dokumente` with `norm`"),)
de_gii = factory_of(
    StatuteFiles, 'German statutes in the XML of gesetze-im-internet.de: ``de_gii(path="laws/")``.', formats=FORMATS[0]
)
