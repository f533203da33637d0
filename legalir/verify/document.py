"""The text of a document: plain text, Markdown, HTML, Word or PDF."""

from __future__ import annotations

from pathlib import Path

from legalir.errors import DataError
from legalir.statutes.reading.plain_text import decoded, rejoined
from legalir.statutes.sources import docx, html, pdf

LARGEST = 64 * 2**20
"""Most bytes of a document."""


def text_of(path: Path, data: bytes | None = None) -> str:
    """Return the text of a document; the notes of a Word file are at its end.

    Args:
        path: the file; its name says what it is, where its content does not.
        data: its bytes, where they are known.

    Raises:
        DataError: it cannot be read, is too large, holds only pictures of pages, or is not UTF-8.
    """
    if data is None:
        try:
            data = path.read_bytes() if path.stat().st_size <= LARGEST else b"\0" * (LARGEST + 1)
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    if len(data) > LARGEST:
        raise DataError(f"{path.name} has more than {LARGEST / 2**20:.0f} MB: split it.")
    if data.lstrip().startswith(b"%PDF"):
        return "\n".join(rejoined(pdf.lines_of(path.name, data)))
    if data.startswith(b"PK"):
        return "\n".join(docx.lines_of(path.name, data))
    if data.startswith((b"\xd0\xcf\x11\xe0", b"{\\rtf")):
        raise DataError(f"{path.name} is not a .docx file: save it as .docx or PDF.")
    head = data[:4096].lower()
    if path.suffix.lower() in (".html", ".htm", ".xhtml") or b"<html" in head or b"<!doctype html" in head:
        return "\n".join(html.lines_of(path.name, data))
    text = decoded(data, path.name, None)
    if "\0" in text:
        raise DataError(f"{path.name} is not text: give plain text, Markdown, HTML, .docx or PDF.")
    return text.replace("\r\n", "\n").replace("\r", "\n")
