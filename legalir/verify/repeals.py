"""Repealed provisions that a collection still has: those that have ended, and those that say so themselves."""

from __future__ import annotations

from functools import cached_property

from legalir.collections import Collection
from legalir.datasets.readers import read_origins
from legalir.datasets.records import Provision
from legalir.references.grammar import grammars
from legalir.statutes.jurisdictions import jurisdiction
from legalir.storage.validity import names_version

_LONGEST = 400
"""Maximum number of characters of a text that only says that its provision is repealed."""


class Repeals:
    """Says why provisions of a collection are repealed.

    Args:
        collection: the collection.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._languages = tuple(dict.fromkeys((collection.language, *grammars())))  # A law may be in another one.

    @cached_property
    def _marked(self) -> frozenset[str]:
        """Docnos of the provisions that the import marked as repealed; most have no text."""
        origins = read_origins(self._collection.source.folder.root, '"repealed"')
        return frozenset(str(origin["docno"]) for origin in origins if origin.get("repealed"))

    def notice(self, record: Provision) -> str:
        """Say how a provision that is still there says that it is repealed; an empty string if it does not."""
        text = record.text.strip()
        if not text:
            return "The collection marks it as repealed." if record.doc_id in self._marked else ""
        if len(text) >= _LONGEST or not any(jurisdiction("any").is_repealed(text, lang) for lang in self._languages):
            return ""
        return f"Its text is: {text[:80]}"

    def reason(self, record: Provision, day: str) -> str:
        """Say why a provision is not law on a day, although the collection has it; an empty string if it may be.

        Args:
            record: the provision, or its version that applies on the day.
            day: ISO date.
        """
        if record.effective_to and record.effective_to <= day:
            return f"It ended on {record.effective_to}."
        notice = self.notice(record)
        if notice and record.effective_from and names_version(record.doc_id):
            return f"It is repealed since {record.effective_from}. {notice}"
        return notice
