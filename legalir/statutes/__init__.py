"""Sources of statutes, and their import: from the files of a publisher to a folder that all other parts read.

A source gives provisions and links (:class:`~legalir.statutes.source.Source`). :func:`write_collection` checks them and
writes a folder in the folder format. Sources have names: ``table``, and those that plugins add.
"""

from __future__ import annotations

from legalir.statutes.source import Row, Source, get_source
from legalir.statutes.writing import ImportReport, write_collection

__all__ = ["ImportReport", "Row", "Source", "get_source", "write_collection"]
