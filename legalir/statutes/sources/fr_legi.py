"""The source ``fr_legi``: French codes as a tree of sections and articles in JSON (LEGI, as SocialGouv publishes it).

Each node is ``{type: code|section|article, data, children}``. The text of an article is `texteHtml`; its links are
given references. Only the wording in force is there; earlier ones are ids and dates, which become a note. Replies of
the publisher's API (PISTE) are read, too: nested `sections` and `articles`, whose text is `content`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, urlsplit

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import Law, Unit
from legalir.statutes.reading.elements import DEEPEST, Elements, Role, Rule, block, image, line_break, rules
from legalir.statutes.reading.markup import Markup, attribute
from legalir.statutes.reading.values import Values, read_json

if TYPE_CHECKING:
    from lxml import etree

_RULES: dict[str, Rule] = rules(block, "p", "div", "center", "blockquote", "ul", "ol", "li", "pre")
_RULES |= {"br": line_break, "img": image}
_REPEALED = ("ABROGE", "TRANSFERE", "ANNULE", "PERIME", "DISJOINT")
_OPEN = "2999-01-01"


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read a code."""
    tree = read_json(data, path.name)
    if isinstance(tree, dict) and isinstance(tree.get("sections"), list):
        tree = {"data": tree, "children": _nodes(tree, path.name)}
    if not isinstance(tree, dict) or not isinstance(tree.get("data"), dict) or not tree["data"].get("title"):
        raise DataError(f"{path.name}: no code at its root ('type', 'data' with 'title', 'children').")
    yield _Reader(path.name, tree).law


class _Reader:
    """Reads one code: the values in reading order, and the units that they make."""

    def __init__(self, name: str, tree: Mapping[str, Any]) -> None:
        facts = tree["data"]
        self.name, self.values = name, Values()
        title = " ".join(str(facts["title"]).split())
        self.law = Law(
            "",
            title,
            str(facts.get("cid") or facts.get("id") or "-".join(title.split())),
            "fr",
            "fr",
            kind=title.split(maxsplit=1)[0],
            effective_from=_date(facts.get("dateDebutVersion") or facts.get("dateDebut")),
            published=_date(facts.get("dateModif")),
        )
        self.law.level = jurisdiction("fr").level_of(self.law.kind)
        self.law.leave_out(*self.values.add(facts["title"]), "title")
        self._cid = dict(_versions(tree))
        self._changed: list[str] = []
        for child in _children(tree):
            self._node(child, self.law.root)
        self.law.text = self.values.text
        if self._changed:
            self.law.notes.append(
                f"{title}: {len(self._changed)} articles have other wordings, which the file dates but does not hold, "
                f"the first {self._changed[0]}."
            )

    def _node(self, node: object, holder: Unit, depth: int = 0) -> None:
        if depth > DEEPEST:
            raise DataError(f"{self.name}: more than {DEEPEST} sections nest in each other.")
        if not isinstance(node, dict) or not isinstance(node.get("data"), dict):
            raise DataError(f"{self.name}: a node of the tree has no 'data', after {_last(self.law.root)}.")
        if node.get("type") == "article":
            self._article(node["data"], holder)
        else:
            self._section(node, holder, depth)

    def _section(self, node: Mapping[str, Any], holder: Unit, depth: int) -> None:
        facts = node["data"]
        printed = str(facts.get("title") or "")
        heading = jurisdiction("fr").heading(printed)
        unit = Unit("group", "section", heading=" ".join(printed.split()), key=str(facts.get("cid") or ""))
        start, end = self.values.add(printed)
        if heading:
            colon = len(printed) - len(printed[heading.end :].lstrip(" :"))
            unit.level, unit.number, unit.label = heading.level.name, heading.number, heading.label
            unit.heading = " ".join(printed[colon:].split())
            unit.add(start, start + colon, "label")
            start += colon
        unit.add(start, end, "heading")
        unit.repealed = str(facts.get("etat") or "").startswith(_REPEALED)
        holder.content.append(unit)
        for child in _children(node):
            self._node(child, unit, depth + 1)

    def _article(self, facts: Mapping[str, Any], holder: Unit) -> None:
        number = str(facts.get("num") or "").strip()
        annex = number.casefold().startswith("annexe")
        unit = Unit(
            "annex" if annex else "article",
            "annexe" if annex else "article",
            number_of(number),
            number if annex else f"Article {number}".strip(),
            key=str(facts.get("cid") or facts.get("id") or ""),
            effective_from=_date(facts.get("dateDebut")),
            effective_to=_date(facts.get("dateFin")),
        )
        holder.content.append(unit)
        self.law.leave_out(*self.values.add(number), "number")
        self._text(unit, facts)
        self.law.leave_out(*self.values.add(facts.get("nota")), "editor's note")
        for link in facts.get("lienModifications") or facts.get("lstLienModification") or []:
            if isinstance(link, dict):
                self.law.leave_out(*self.values.add(link.get("textTitle")), "amending act")
        state = str(facts.get("etat") or "")
        ended = bool(unit.effective_to) and unit.effective_to <= (self.law.published or self.law.effective_from)
        unit.repealed = state.startswith(_REPEALED) and (ended or not state.endswith("DIFF"))
        versions = [each for each in facts.get("articleVersions") or [] if isinstance(each, dict)]
        if any(each.get("id") != facts.get("id") for each in versions):
            self._changed.append(number)

    def _text(self, unit: Unit, facts: Mapping[str, Any]) -> None:
        html = str(facts.get("texteHtml") or facts.get("content") or "")
        if "<" not in html:
            unit.add(*self.values.add(html or facts.get("texte")))
            return
        markup = Markup(html.encode("utf-8", "replace"), f"{self.name}, {unit.label}", html=True, encoding="utf-8")
        start, _ = self.values.add(markup.text)
        elements = Elements(markup, self.law, {}, _RULES | {"a": self._link}, at=start)
        elements.inside(markup.root, unit)

    def _link(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        """Read an address: ``cidTexte`` is the law, ``idArticle`` an article or one of its wordings."""
        elements.inside(element, unit, role)
        fields = parse_qs(urlsplit(attribute(element, "href")).query)
        law, article = (fields.get(name, [""])[0] for name in ("cidTexte", "idArticle"))
        if law or article:
            inside = law == self.law.law_id or article in self._cid
            elements.link(element, unit, "" if inside else law, self._cid.get(article, article))


def _nodes(text: Mapping[str, Any], name: str, depth: int = 0) -> list[dict[str, Any]]:
    """Return the sections and articles of a text or section of the publisher's API as nodes of the tree, in order."""
    if depth > DEEPEST:
        raise DataError(f"{name}: more than {DEEPEST} sections nest in each other.")
    found = [
        {"type": kind, "data": each, "children": _nodes(each, name, depth + 1)}
        for kind, key in (("article", "articles"), ("section", "sections"))
        for each in _listed(text.get(key))
        if isinstance(each, dict)
    ]
    return sorted(found, key=lambda node: _number(node["data"].get("intOrdre")))


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _children(node: Mapping[str, Any]) -> list[object]:
    return _listed(node.get("children"))


def _versions(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the id of each wording, and the id of its article through time."""
    data = node.get("data")
    if isinstance(data, dict) and node.get("type") == "article":
        cid = str(data.get("cid") or data.get("id") or "")
        yield cid, cid
        for each in [data, *(data.get("articleVersions") or [])]:
            if isinstance(each, dict):
                yield str(each.get("id") or ""), cid
    for child in _children(node):
        if isinstance(child, dict):
            yield from _versions(child)


def _last(root: Unit) -> str:
    units = list(root.walk())
    return units[-1].label or units[-1].heading or "the title"


def _date(value: object) -> str:
    """Return an ISO date for a date or for milliseconds at midnight in Paris or UTC; empty for an open end."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value, hours=2)
        except OverflowError:
            return ""
        text = moment.date().isoformat()
    else:
        text = str(value or "")[:10]
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text) or not _is_date(text):
            return ""
    return "" if text >= _OPEN else text


def _is_date(text: str) -> bool:
    try:
        return bool(cast(object, date.fromisoformat(text)))
    except ValueError:
        return False


def _recognises(path: Path, head: bytes) -> bool:
    return path.suffix.lower() == ".json" and b"LEGITEXT" in head and (b'"children"' in head or b'"sections"' in head)


FORMATS = (
    Format("fr_legi", (".json",), _recognises, read, needs="`LEGITEXT`, and `children` or `sections` of a code"),
)
fr_legi = factory_of(
    StatuteFiles, 'French codes as the JSON tree of LEGI: ``fr_legi(path="laws/")``.', formats=FORMATS[0]
)
