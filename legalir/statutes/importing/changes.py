"""Changes between two imports of a collection: added, changed, repealed, moved and removed provisions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from legalir.datasets.folder import Folder
from legalir.datasets.readers import read_corpus, read_origins

_TEXT = 16


@dataclass
class ImportChanges:
    """The provisions that differ, by docno.

    Attributes:
        added: new ones.
        changed: of which title or text is another.
        repealed: that were in force, and are kept without text.
        moved: that have the text of one that is gone: the docno before, and now.
        removed: that are gone.
        unchanged: number of the others.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    repealed: list[str] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0

    def to_dict(self) -> dict[str, object]:
        """Return the changes as plain values for JSON."""
        return dict(vars(self))


class Contents:
    """The docnos of a collection and a digest of title and text of each.

    Attributes:
        repealed: docnos of the provisions that are repealed.
    """

    def __init__(self) -> None:
        self._digests: dict[str, bytes] = {}
        self.repealed: set[str] = set()

    def add(self, fields: Mapping[str, str]) -> None:
        """Add a provision."""
        self._digests[fields["docno"]] = _digest(fields.get("title", ""), fields["text"])

    def changes_since(self, folder: Path) -> ImportChanges:
        """Compare with an older collection."""
        changes = ImportChanges()
        gone: dict[bytes, list[str]] = {}
        seen: set[str] = set()
        repealed = set(_repealed(folder))
        for record in read_corpus(Folder.scan(folder).corpus, lambda fault: None):
            docno = record.doc_id
            digest = _digest(record.title, record.text)
            if docno not in self._digests:
                gone.setdefault(digest[-_TEXT:], []).append(docno)
                continue
            seen.add(docno)
            if docno in self.repealed and docno not in repealed:
                changes.repealed.append(docno)
            elif digest != self._digests[docno]:
                changes.changed.append(docno)
            else:
                changes.unchanged += 1
        for docno, digest in self._digests.items():
            if docno not in seen:
                before = gone.get(digest[-_TEXT:]) if any(digest[-_TEXT:]) else None
                if before:
                    changes.moved.append((before.pop(0), docno))
                else:
                    changes.added.append(docno)
        changes.removed = [docno for docnos in gone.values() for docno in docnos]
        return changes


def _digest(title: str, text: str) -> bytes:
    """Return a digest of a title and a digest of a text, which is zero for an empty text."""
    body = (
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_TEXT).digest() if text.strip() else bytes(_TEXT)
    )
    return hashlib.blake2b(title.encode("utf-8", "replace"), digest_size=8).digest() + body


def _repealed(folder: Path) -> Iterator[str]:
    return (str(origin["docno"]) for origin in read_origins(folder, '"repealed"') if origin.get("repealed"))
