"""Hierarchy of a collection as a tree: laws, the levels above their articles, and provisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat

from legalir.datasets.readers import read_origins as read_origins
from legalir.datasets.records import Provision
from legalir.errors import DataError, suggestion
from legalir.statutes.definitions import DefinedTerm

_BETWEEN = " › "


@dataclass
class Node:
    """A law, a part of one, or a provision.

    Attributes:
        name: label and heading as printed; of a law, its name.
        level: the word of the jurisdiction, such as ``장``; ``law`` for a law; empty if it is not known.
        docno: of a provision; of a law, its identifier; empty for a part.
        provisions: number of provisions in it, with itself.
        repealed: number of those that are repealed.
        defines: terms that the provision defines.
        url: page on the publisher's site, of a provision; empty if it is not known.
        units: units directly inside, in reading order.
    """

    name: str
    level: str = ""
    docno: str = ""
    provisions: int = 0
    repealed: int = 0
    defines: list[str] = field(default_factory=list)
    url: str = ""
    units: list[Node] = field(default_factory=list)

    def to_dict(self, depth: int | None = None) -> dict[str, object]:
        """Return the node as plain values for JSON.

        Args:
            depth: number of levels, with this one; None: all.
        """
        values = {name: value for name, value in vars(self).items() if value and name != "units"}
        units = [] if depth == 1 else [unit.to_dict(None if depth is None else depth - 1) for unit in self.units]
        return values | ({"units": units} if units else {})


def tree(
    docs: Iterable[Provision],
    origins: Iterable[Mapping[str, object]] = (),
    law: str | None = None,
    definitions: Iterable[DefinedTerm] = (),
) -> list[Node]:
    """Return the laws of a collection with all their contents.

    Args:
        docs: the provisions.
        origins: the lines of their ``origin.jsonl``, in the same order; without them, the field ``path`` of a
            provision has a known place, and no provision is known to be repealed.
        law: name or identifier of the only law that is wanted, or a part of the name.
        definitions: the terms that the provisions define.

    Raises:
        DataError: no law has this name.
    """
    laws: dict[str, Node] = {}
    inside: dict[tuple[str, ...], Node] = {}
    terms: dict[str, list[str]] = {}
    for each in definitions:
        terms.setdefault(each.docno, []).append(each.term)
    for doc, origin in zip(docs, chain(origins, repeat({})), strict=False):
        origin = origin if origin.get("docno") == doc.doc_id else {}
        key: tuple[str, ...] = (doc.law_id or doc.law,)
        node = laws.setdefault(key[0], Node(doc.law or doc.law_id or "(no law)", "law", doc.law_id))
        holders = [node]
        for level, name in _above(doc, origin):
            key = (*key, name)
            if key not in inside:
                inside[key] = Node(name, level)
                node.units.append(inside[key])
            node = inside[key]
            holders.append(node)
        own = Node(_name(doc, origin), str(origin.get("level", "")), doc.doc_id, defines=terms.get(doc.doc_id, []))
        own.url = doc.url
        node.units.append(own)
        for unit in (*holders, own):
            unit.provisions += 1
            unit.repealed += bool(origin.get("repealed"))
    return list(laws.values()) if law is None else _chosen(laws, law)


def _above(doc: Provision, origin: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    above = origin.get("above")
    if isinstance(above, list):
        for level, label, heading in above:
            yield level, f"{label} {heading}".strip() or level
    elif doc.path and not origin:
        yield from (("", name) for name in doc.path.split(_BETWEEN))


def _name(doc: Provision, origin: Mapping[str, object]) -> str:
    label = str(origin.get("label") or doc.article)
    name = f"{label} {doc.heading}".strip()
    return name or doc.title.removeprefix(doc.law).strip() or doc.doc_id


def _chosen(laws: Mapping[str, Node], law: str) -> list[Node]:
    nodes = laws.values()
    chosen = (
        [node for node in nodes if law in (node.docno, node.name)]
        or [node for node in nodes if law.casefold() in node.name.casefold()]
        or [node for node in nodes if node.docno.startswith(law)]
    )
    if not chosen:
        names = [node.name for node in nodes]
        hint = suggestion(law, names) or f" It has {', '.join(names[:5])}{', …' if len(names) > 5 else ''}."
        raise DataError(f"The collection has no law {law!r}.{hint}")
    return chosen
