"""Fine-tuning of language models: an encoder, or the three heads of BGE-M3, learns which provisions answer a query.

A :class:`~legalir.train.recipes.FineTuning` is all that a tuned model depends on, as data; :func:`finetune`
carries it out with FlagEmbedding's objectives and trainers. A :class:`~legalir.train.recipes.Pretraining` and
:func:`pretrain` are the same for a model that writes text. Nothing heavy is loaded before that begins.
"""

from __future__ import annotations

from legalir.train.finetune.pretrain import pretrain
from legalir.train.finetune.run import FineTuned, finetune
from legalir.train.recipes import FineTuning, Pretraining

__all__ = ["FineTuned", "FineTuning", "Pretraining", "finetune", "pretrain"]
