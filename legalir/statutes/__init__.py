"""Statute sources: from wherever provisions come from to a folder that every other part reads.

A source gives provisions and links (:class:`~legalir.statutes.source.Source`); :func:`write_collection` checks them and
writes them as a folder in the folder format. Sources are named: ``table``, and whatever plugins add.
"""

from __future__ import annotations

from legalir.statutes.source import ImportReport, Row, Source, get_source
from legalir.statutes.writing import write_collection

__all__ = ["ImportReport", "Row", "Source", "get_source", "write_collection"]
