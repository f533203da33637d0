"""Collections of statutes: records, the folder format, published collections, registration in ir_datasets."""

from __future__ import annotations

from legalir.datasets.catalog import Entry, available, load
from legalir.datasets.check import CheckReport, check
from legalir.datasets.dataset import StatuteDataset
from legalir.datasets.records import Provision

__all__ = ["CheckReport", "Entry", "Provision", "StatuteDataset", "available", "check", "load"]
