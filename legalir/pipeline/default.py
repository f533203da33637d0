"""The pipeline called ``default``: the best that needs no model, chosen on dev queries and confirmed on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from legalir.pipeline.builder import build

if TYPE_CHECKING:
    import pyterrier as pt

__all__ = ["DEFAULT", "default"]

DEFAULT = (
    'focus >> bm25f(analyzer="char2") >> family(weight=0.3, group="law") % 1000'
    ' >> sar(k=15, beta=0.3, normalize="minmax")'
)
"""One setting for every collection; ``docs/default.md`` has figures, ``experiments/CHANGES.md`` what else was tried."""


def default(collection: object) -> pt.Transformer:
    """Run the best pipeline that needs no model, of fields, evidence from the law, and citations: ``default % 10``."""
    return build(DEFAULT, collection)
