"""The provisions that a chat model reads: one numbered line each, linked ones below their parent, within a budget."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from legalir.collections import Collection
from legalir.errors import ComponentError
from legalir.llm.chat import estimated_tokens
from legalir.storage.documents import title_and_text

if TYPE_CHECKING:
    from legalir.datasets.records import Provision
    from legalir.graph.citation_graph import CitationGraph

_log = logging.getLogger("legalir")


class Context(NamedTuple):
    """Provisions in the form in which a chat model reads them.

    Attributes:
        docnos: the provision behind each number, from 1.
        text: a line for each provision, ``[1] title text``; ``[2, cited by 1] …`` for a linked one.
    """

    docnos: tuple[str, ...]
    text: str

    def head(self, count: int) -> Context:
        """Return the first `count` provisions."""
        return Context(self.docnos[:count], "\n".join(self.text.splitlines()[:count]))


def linked(docnos: Sequence[str], graph: CitationGraph, after: bool = False) -> dict[str, str]:
    """Return the provisions of a list, each followed by the provisions that it cites, as docno to parent [nitibench].

    With `after`, the list comes first, and all cited provisions follow it [sfs-b].

    A provision of the list has the parent ``""`` and keeps its place; a cited provision appears once, below the first
    provision that cites it, as NitiLink places it at depth 1.
    """
    listed = set(docnos)
    out: dict[str, str] = {}
    for docno in docnos:
        out[docno] = ""
        for target in graph.cites(docno):
            if target not in listed:
                out.setdefault(target, docno)
    return dict(sorted(out.items(), key=lambda item: item[1] != "")) if after else out


def context(parents: Mapping[str, str], provisions: Mapping[str, Provision], max_tokens: int | None = None) -> Context:
    """Return provisions as numbered lines.

    A provision is one line, so that no text can look like two provisions.

    Args:
        parents: docnos in order, each with the docno that cites it, ``""`` for a provision of the ranked list.
        provisions: the provisions by docno.
        max_tokens: number of estimated tokens of all lines; provisions at the end that do not fit are left out
            whole, but never the first.
    """
    numbers = {docno: number for number, docno in enumerate(parents, start=1)}
    lines: list[str] = []
    left = math.inf if max_tokens is None else max_tokens
    for docno, parent in parents.items():
        text = " ".join(title_and_text(provisions[docno].title, provisions[docno].text).split())
        lines.append(f"[{numbers[docno]}{f', cited by {numbers[parent]}' if parent else ''}] {text}")
        left -= estimated_tokens(lines[-1])
        if left < 0 and len(lines) > 1:
            lines.pop()
            break
    return Context(tuple(parents)[: len(lines)], "\n".join(lines))


def texts_of(docnos: Sequence[str], collection: Collection, component: str) -> Mapping[str, Provision]:
    """Return the provisions with these docnos.

    Raises:
        ComponentError: the collection lacks one.
    """
    provisions = collection.provisions(docnos)
    if missing := [docno for docno in docnos if docno not in provisions]:
        raise ComponentError(f"{component}: there is no provision {missing[0]!r} in {collection!r}.")
    return provisions


def report_left_out(component: str, given: int, fitting: int) -> None:
    """Say that provisions did not fit into the budget of a model."""
    if fitting < given:
        _log.warning(
            "%s: %d of %d provisions do not fit and are left out, the last ones first.",
            component,
            given - fitting,
            given,
        )
