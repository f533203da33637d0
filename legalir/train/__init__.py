"""Training: a static encoder from judgements, or from the statutes' own citations and headings.

:func:`train_static` is all that most need; a :class:`~legalir.train.recipes.Recipe` is the same as data. Nothing here
loads torch before a training begins, and what is trained needs no torch to search with.
"""

from __future__ import annotations

from legalir.train.static import TrainedModel, train_static

__all__ = ["TrainedModel", "train_static"]
