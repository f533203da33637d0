"""Documents on their way into an index: their docnos, and the text of them that is indexed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from legalir.errors import ComponentError

__all__ = ["INDEXED_TEXT", "counted", "docno_of", "document_batches", "field_text", "indexed_text"]

INDEXED_TEXT = "title, newline, text; the text alone where there is no title"
_BATCH_CHARACTERS = 1_000_000


def docno_of(document: Mapping[str, Any]) -> str:
    """Return the docno of a document.

    Raises:
        ComponentError: it has none.
    """
    docno = document.get("docno") or document.get("doc_id")
    if docno is not None and not isinstance(docno, str):
        raise ComponentError(f"The docno {docno!r} of a document is no string: write {str(docno)!r}.")
    if not docno:
        raise ComponentError(f"A document has no docno; its fields are {', '.join(map(str, document))}.")
    return docno


def field_text(document: Mapping[str, Any], field: str) -> str:
    """Return one field of a document, empty where it has none.

    Raises:
        ComponentError: it is no string, such as the NaN that a data frame has for a missing one.
    """
    value = document.get(field) or ""
    if not isinstance(value, str):
        raise ComponentError(f"The {field} of a document is {value!r}: give a string, or leave it out.")
    return value


def indexed_text(document: Mapping[str, Any]) -> str:
    """Return what is indexed of a document: title, newline, text, or the text alone.

    Raises:
        ComponentError: title or text is no string, such as the NaN that a data frame has for a missing one.
    """
    title, text = field_text(document, "title"), field_text(document, "text")
    return f"{title}\n{text}" if title else text


def document_batches(
    documents: Iterable[Mapping[str, Any]],
    texts_of: Callable[[Mapping[str, Any]], Sequence[str]] = lambda document: (indexed_text(document),),
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield docnos and texts of documents, about a million characters at a time; at least one batch.

    Args:
        documents: with ``docno`` or ``doc_id``.
        texts_of: the texts of a document, of every document as many; by default one, what is indexed of it.

    Raises:
        ComponentError: a docno is missing, or a text is no string.
    """
    docnos: list[str] = []
    texts: list[str] = []
    size = 0
    for document in documents:
        docnos.append(docno_of(document))
        found = texts_of(document)
        texts += found
        size += sum(map(len, found))
        if size >= _BATCH_CHARACTERS:
            yield docnos, texts
            docnos, texts, size = [], [], 0
    yield docnos, texts


def counted(documents: Iterable[Mapping[str, Any]], advance: Callable[[int], None]) -> Iterator[Mapping[str, Any]]:
    """Yield the documents, and tell `advance` of every 500 that went by."""
    for number, document in enumerate(documents, start=1):
        if number % 500 == 0:
            advance(500)
        yield document
