"""Fine-tuning of language models: an encoder, or the three heads of BGE-M3, learns which provisions answer a query.

A :class:`FineTuning` is all that a tuned model depends on, as data; :func:`finetune` carries it out with the
losses of FlagEmbedding. A :class:`Pretraining` and :func:`pretrain` are the same for a model that writes text.
Importing this package loads neither torch nor transformers.
"""

from __future__ import annotations

from legalir_finetune.finetuning import finetune
from legalir_finetune.pretraining import pretrain
from legalir_finetune.recipes import FineTuning, Pretraining, load_recipe
from legalir_finetune.trainer import FineTuned

__all__ = ["FineTuned", "FineTuning", "Pretraining", "finetune", "load_recipe", "pretrain"]
