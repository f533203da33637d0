"""Generation: from a question and the provisions found for it to an answer that cites them.

A generator is the last component of a pipeline: ``default % 5 >> quote``. It takes a ranked list and gives one row a
query, with the answer in the column ``qanswer``. New generators extend :class:`~legalir.generate.generator.Generator`;
how an answer cites a provision is said in :mod:`legalir.generate.citations`.
"""

from __future__ import annotations

from legalir.generate.answer import Answer, gives_answers
from legalir.generate.citations import cited, citing
from legalir.generate.generator import Generator

__all__ = ["Answer", "Generator", "cited", "citing", "gives_answers"]
