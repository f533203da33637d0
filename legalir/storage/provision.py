"""A provision of a statute: the record that every corpus is made of.

No postponed annotations here: PyTerrier's text loader offers the fields whose annotation is `str` itself.
"""

from typing import NamedTuple

from legalir.storage.documents import title_and_text


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

    def default_text(self) -> str:
        """Return the indexed text: title, newline, text, or only the text if there is no title."""
        return title_and_text(self.title, self.text)
