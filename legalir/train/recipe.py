"""A recipe: everything that a trained model depends on, as data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, TypedDict

from legalir.encode.static.ngrams import NGrams
from legalir.errors import DefinitionError
from legalir.train.recipe_checks import CHECKS
from legalir.train.recipe_file import RecipeFile

__all__ = ["MODEL", "RANDOM", "Recipe", "Settings"]

MODEL, RANDOM = "model", "random"
"""Values of `negatives` that are no expressions."""


class Settings(TypedDict, total=False):
    """The values of a :class:`Recipe` that have a default."""

    sources: Sequence[str]
    weights: Mapping[str, float]
    dev: str | None
    measure: str
    patience: int | None
    seed: int
    dim: int
    char: Sequence[int]
    jamo: Sequence[int]
    words: bool
    edges: bool
    rows: int
    max_characters: int | None
    tf: str
    epochs: int
    batch: int
    rate: float
    temperature: float
    random: int
    hard: int
    negatives: str
    precision: str
    checkpoint_minutes: float
    threads: int | None


@dataclass(frozen=True)
class Recipe(RecipeFile):
    """How a static model is trained.

    Attributes:
        dataset: an id or the path of a folder, with the split whose judgements are learnt from.
        out: the folder that the model is written to.
        sources: what is learnt from: some of ``judgements``, ``citations``, ``headings``.
        weights: share of each source in every batch, by its name; by default, as many as its pairs.
        dev: the split that each epoch is measured on; None measures nothing, and keeps the last epoch.
        measure: the measure that tells which epoch is kept: ``R@10``, ``nDCG@10`` or ``MultiHitRate@10``.
        patience: training ends after so many epochs without a better one; None trains all of them.
        seed: of the first weights and of every draw.
        dim: d, numbers of a vector.
        char, jamo, words, edges, rows, max_characters: what is read of a text, as in
            :class:`~legalir.encode.static.ngrams.NGrams`.
        tf: what n occurrences of a feature count: ``log``, 1 + ln n, or ``raw``, n.
        epochs: passes over the pairs.
        batch: pairs of a step.
        rate: rate of learning at the start, from which it falls to 0 along a cosine.
        temperature: cosines are divided by it.
        random: provisions that each step draws as negatives, besides those of its pairs.
        hard: each query's best so many wrong provisions; every pair of a step draws one of them as a negative. 0: none.
        negatives: what finds the hard ones: ``model``, the model itself as it is after each epoch; an expression such
            as ``bm25``, once; or ``random``: there are none.
        precision: what the table is stored as, ``float16`` or ``int8``.
        checkpoint_minutes: the state is written at the end of every epoch and so often between; 0: after each step.
        threads: that share the work; None: one for each processor. The model does not depend on it.

    Raises:
        DefinitionError: a value means nothing; one sentence with the key and what is accepted.
    """

    NEEDED = ("dataset", "out")
    # Its data are known by their fingerprints.
    PLACES = ("dataset", "out", "checkpoint_minutes", "threads")

    dataset: str
    out: str
    sources: tuple[str, ...] = ("judgements",)
    weights: Mapping[str, float] = field(default_factory=dict)
    dev: str | None = None
    measure: str = "R@10"
    patience: int | None = None
    seed: int = 1
    dim: int = 256
    char: tuple[int, ...] = (2, 3)
    jamo: tuple[int, ...] = ()
    words: bool = True
    edges: bool = False
    rows: int = 2**17
    max_characters: int | None = 1000
    tf: Literal["log", "raw"] = "log"
    epochs: int = 3
    batch: int = 256
    rate: float = 3e-3
    temperature: float = 0.05
    random: int = 256
    hard: int = 16
    negatives: str = MODEL
    precision: str = "float16"
    checkpoint_minutes: float = 5.0
    threads: int | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, CHECKS[item.name](getattr(self, item.name), f"{item.name!r}"))
        stray = [name for name in self.weights if name not in self.sources]
        if stray:
            raise DefinitionError(
                f"'weights' names {stray[0]!r}, which is none of 'sources': {', '.join(self.sources)}."
            )
        if self.weights and len(self.weights) < len(self.sources):
            missing = next(name for name in self.sources if name not in self.weights)
            raise DefinitionError(f"'weights' has no number for {missing!r}: give one to every source, or to none.")
        if self.patience is not None and self.dev is None:
            raise DefinitionError("'patience' needs 'dev': without a dev split no epoch is better than another.")
        self.ngrams  # noqa: B018  (checks its parameters)

    @property
    def ngrams(self) -> NGrams:
        """What is read of a text."""
        return NGrams(
            char=self.char,
            jamo=self.jamo,
            words=self.words,
            edges=self.edges,
            rows=self.rows,
            max_characters=self.max_characters,
        )

    def fingerprint(self, data: object) -> str:
        """Return a sha256 over the settings and over `data`, JSON values that identify what is learnt from."""
        content = {"training": 1, "settings": self.settings(), "ngrams": self.ngrams.fingerprint, "data": data}
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
