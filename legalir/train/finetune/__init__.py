"""Fine-tuning of language models: an encoder, or the three heads of BGE-M3, learns which provisions answer a query.

A :class:`~legalir.train.recipes.FineTuning` is all that a tuned model depends on, as data; :func:`finetune`
carries it out with FlagEmbedding's objectives and trainers. Nothing heavy is loaded before that begins.
"""

from __future__ import annotations

from legalir.train.finetune.run import FineTuned, finetune
from legalir.train.recipes import FineTuning

__all__ = ["FineTuned", "FineTuning", "finetune"]
