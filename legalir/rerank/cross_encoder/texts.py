"""Title and text of the provisions of a frame: from its own columns, or by their docnos."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from legalir.errors import ComponentError

if TYPE_CHECKING:
    from legalir.datasets import Provision

__all__ = ["Texts", "provision_texts", "readable"]


class Texts(Protocol):
    """Where the text of a provision comes from: a :class:`~legalir.collection.Collection`, for one."""

    def provisions(self, docnos: Iterable[str]) -> Mapping[str, Provision]:
        """Return the provisions with these docnos; an unknown docno is left out."""
        ...


def provision_texts(frame: pd.DataFrame, texts: Texts | Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Return title and text of each row.

    They are those of the columns ``title`` and ``text``. A row without a text, or a frame without that column, has
    them from `texts`.

    Args:
        frame: with ``docno``.
        texts: knows provisions by their docnos, or says the text of each; None where the frame has all.

    Raises:
        ComponentError: a provision has no text anywhere.
    """
    docnos = frame["docno"].tolist()
    own = frame["text"].tolist() if "text" in frame.columns else [None] * len(frame)
    titles = frame["title"].tolist() if "title" in frame.columns else [None] * len(frame)
    missing = [docno for docno, text in zip(docnos, own, strict=True) if not isinstance(text, str)]
    found = _looked_up(list(dict.fromkeys(missing)), texts) if missing else {}
    return [
        (title if isinstance(title, str) else "", text) if isinstance(text, str) else found[docno]
        for docno, title, text in zip(docnos, titles, own, strict=True)
    ]


def _looked_up(docnos: Sequence[str], texts: Texts | Mapping[str, str] | None) -> dict[str, tuple[str, str]]:
    if texts is None:
        raise ComponentError(
            f"rerank: the provision {docnos[0]!r} has no text: give a column 'text', or texts=… to take it from."
        )
    found: dict[str, tuple[str, str]]
    if isinstance(texts, Mapping):
        found = {docno: ("", texts[docno]) for docno in docnos if docno in texts}
    else:
        found = {docno: (one.title, one.text) for docno, one in texts.provisions(docnos).items()}
    for docno in docnos:
        if docno not in found:
            where = "the given texts" if isinstance(texts, Mapping) else repr(texts)
            raise ComponentError(f"rerank: there is no provision {docno!r} in {where}.")
    return found


def readable(text: str) -> str:
    """Return a text as a model is given it: composed (NFC), and with ``?`` for what is no character."""
    return unicodedata.normalize("NFC", text).encode("utf-8", "replace").decode("utf-8")
