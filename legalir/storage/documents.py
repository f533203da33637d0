"""Documents: the record of a provision; and on their way into an index, their docnos and the texts that are indexed.

No postponed annotations here: PyTerrier's text loader offers the fields whose annotation is `str` itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from legalir.errors import ComponentError

INDEXED_TEXT = "title, newline, text; the text alone where there is no title"
_BATCH_CHARACTERS = 1_000_000


class Provision(NamedTuple):
    """One provision (article, section, paragraph, annex); a field that a corpus does not have is empty.

    Attributes:
        doc_id: unique in its corpus; no white space and no control characters.
        title: the law's name and the article with its heading, as in a citation.
        text: the body.
        law: name of the law.
        law_id: the law's identifier.
        level: place in the hierarchy, such as ``act``, ``decree``, ``rule``, ``standard``.
        article: number of the article, such as ``12`` or ``12.2``.
        heading: the article's own heading.
        path: chapter and section that contain it.
        effective_from: ISO date from which it applies.
        effective_to: ISO date from which it no longer applies.
        url: http or https address of its page on the publisher's site, or of its law's page.
    """

    doc_id: str
    title: str = ""
    text: str = ""
    law: str = ""
    law_id: str = ""
    level: str = ""
    article: str = ""
    heading: str = ""
    path: str = ""
    effective_from: str = ""
    effective_to: str = ""
    url: str = ""

    def default_text(self) -> str:
        """Return the indexed text: title, newline, text, or only the text if there is no title."""
        return title_and_text(self.title, self.text)


BREAKS_TREC = "holds white space or control characters, which would break a TREC file"
"""The fault of an identifier, for messages."""


def docno_of(document: Mapping[str, Any]) -> str:
    """Return the docno of a document.

    Raises:
        ComponentError: it is missing, not a string, or has white space.
    """
    docno = document.get("docno") or document.get("doc_id")
    if docno is not None and not isinstance(docno, str):
        raise ComponentError(f"docno must be a string, got {docno!r} ({type(docno).__name__}): write {str(docno)!r}.")
    if not docno:
        raise ComponentError(f"A document has no docno; its fields are {', '.join(map(str, document))}.")
    if docno.split() != [docno]:
        raise ComponentError(f"docno {docno!r} {BREAKS_TREC}: write _ in place of blanks.")
    return docno


def field_text(document: Mapping[str, Any], field: str) -> str:
    """Return one field of a document, or an empty string if it is missing.

    Raises:
        ComponentError: it is not a string; a data frame has NaN for a missing value.
    """
    value = document.get(field) or ""
    if not isinstance(value, str):
        raise ComponentError(f"{field} of a document must be a string, got {value!r}: give a string, or leave it out.")
    return value


def title_and_text(title: str, text: str) -> str:
    """Return the text that is indexed: title, newline, text, or only the text if there is no title."""
    return f"{title}\n{text}" if title else text


def indexed_text(document: Mapping[str, Any]) -> str:
    """Return the text of a document that is indexed; errors as :func:`field_text`."""
    return title_and_text(field_text(document, "title"), field_text(document, "text"))


def document_batches(
    documents: Iterable[Mapping[str, Any]],
    texts_of: Callable[[Mapping[str, Any]], Sequence[str]] = lambda document: (indexed_text(document),),
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield docnos and texts of documents, about a million characters at a time; at least one batch.

    Args:
        documents: with ``docno`` or ``doc_id``.
        texts_of: returns the texts of a document, the same number for each; by default one, the indexed text.

    Raises:
        ComponentError: a docno is missing, or a docno or text is not a string.
    """
    docnos: list[str] = []
    texts: list[str] = []
    size = 0
    for document in documents:
        docnos.append(docno_of(document))
        new = texts_of(document)
        texts += new
        size += sum(map(len, new))
        if size >= _BATCH_CHARACTERS:
            yield docnos, texts
            docnos, texts, size = [], [], 0
    yield docnos, texts


def counted(documents: Iterable[Mapping[str, Any]], advance: Callable[[int], None]) -> Iterator[Mapping[str, Any]]:
    """Yield the documents, and call ``advance(500)`` after each 500."""
    for number, document in enumerate(documents, start=1):
        if number % 500 == 0:
            advance(500)
        yield document
