"""The provisions that a chat model reads: one numbered line each, linked ones below their parent, within a budget."""

from __future__ import annotations

import logging
import math
import re
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

_CELL = "|"
"""Sign between the cells of a row, and before each further line of a provision."""
_PARENT = re.compile(r", cited by \d+")


class Context(NamedTuple):
    """Provisions in the form in which a chat model reads them.

    Attributes:
        docnos: the provision behind each number, from 1.
        text: a line for each provision, ``[1] title text``; ``[2, cited by 1] …`` for a linked one. Rows of tables
            may follow, each a line that begins with ``|``.
    """

    docnos: tuple[str, ...]
    text: str

    def head(self, count: int) -> Context:
        """Return the first `count` provisions."""
        return Context(self.docnos[:count], "\n".join(re.split(rf"\n(?!{re.escape(_CELL)})", self.text)[:count]))

    def labelled(self, name: str) -> str | None:
        """Return the provision that a model names by its label, such as ``[2, decree]`` or ``2 (decree)``; or None."""
        labels = re.findall(r"^\[([^\]]*)\]", self.text, re.MULTILINE)
        words = _words(name)  # a number alone may be a part of anything
        return dict(zip(map(_words, labels), self.docnos, strict=True)).get(words) if len(words) > 1 else None


def _words(label: str) -> tuple[str, ...]:
    """Return the words of a label without its parent."""
    return tuple(re.findall(r"\w+", _PARENT.sub("", label.casefold())))


def linked(docnos: Sequence[str], graph: CitationGraph, after: bool = False) -> dict[str, str]:
    """Return the provisions of a list, each followed by the provisions that it cites, as docno to parent [nitibench].

    With `after`, the list comes first, and all cited provisions follow it [searchfiresafety].

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


def context(
    parents: Mapping[str, str],
    provisions: Mapping[str, Provision],
    max_tokens: int | None = None,
    *,
    in_full: bool = False,
) -> Context:
    """Return provisions as numbered lines.

    A provision is one line, or begins each further line with ``|``, so that no text can look like two provisions.

    Args:
        parents: docnos in order, each with the docno that cites it, ``""`` for a provision of the ranked list.
        provisions: the provisions by docno.
        max_tokens: number of estimated tokens of all lines; provisions at the end that do not fit are left out
            whole, but never the first.
        in_full: whether a label has the level of the law, ``[2, cited by 1, decree]``, and tables keep their rows.
    """
    numbers = {docno: number for number, docno in enumerate(parents, start=1)}
    lines: list[str] = []
    left = math.inf if max_tokens is None else max_tokens
    for docno, parent in parents.items():
        one = provisions[docno]
        whole = title_and_text(one.title, one.text)
        level = " ".join(re.sub(r"[\[\]]", " ", one.level).split()) if in_full else ""
        level = level if any(map(str.isalpha, level)) else ""  # ``[1, 2]`` is two provisions
        label = f"{numbers[docno]}{f', cited by {numbers[parent]}' if parent else ''}{f', {level}' if level else ''}"
        lines.append(f"[{label}] {_with_rows(whole) if in_full else ' '.join(whole.split())}")
        left -= estimated_tokens(lines[-1])
        if left < 0 and len(lines) > 1:
            lines.pop()
            break
    return Context(tuple(parents)[: len(lines)], "\n".join(lines))


def _with_rows(text: str) -> str:
    """Return a text in one line, but each row of a table, and what follows a row, in a line of its own."""
    out, in_row = "", False
    for line in filter(str.strip, text.splitlines()):
        words = " ".join(line.split())
        was_row, in_row = in_row, f" {_CELL} " in line or words.startswith(_CELL)
        drawn = words.startswith(_CELL) and words.endswith(_CELL)  # a row in Markdown; else its first cell is empty
        out += f"\n{words if drawn else f'{_CELL} {words}'}" if in_row or was_row else f" {words}"
    return out.strip()


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
