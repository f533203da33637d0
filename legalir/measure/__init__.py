"""Measures for questions that need several provisions; importing this registers them with ``ir_measures``.

=============  =====================================================================================
MultiHitRate   1 where every relevant provision is in the top k, else 0; mean over queries
MultiMRR       reciprocal ranks of all relevant provisions, without those before each; mean over queries
MicroR         relevant provisions in the top k over all relevant provisions, of all queries together
=============  =====================================================================================

``ir_measures.parse_measure("MultiMRR@10")``, ``pt.Experiment`` and the ``ir_measures`` functions take them.
The measures of answers (:mod:`legalir.measure.answers`) are registered, too.
:func:`over_chunks` lets any measure of rankings read chunks; :func:`judged_names` gives retrieved versions of
provisions the names that judgements have.
"""

from legalir.measure import answer_provider, chunks
from legalir.measure.chunks import over_chunks
from legalir.measure.measures import MicroR, MultiHitRate, MultiMRR
from legalir.measure.parsing import parse_measures
from legalir.measure.provider import register
from legalir.measure.versions import judged_names

__all__ = ["MicroR", "MultiHitRate", "MultiMRR", "judged_names", "over_chunks", "parse_measures"]

register()
chunks.register()
answer_provider.register()
