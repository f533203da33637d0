"""Recipes of trainings: everything that the weights of a model depend on, as data."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from legalir.config import Choice, Flag, Number, Schema, Text, Whole, seen
from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.storage.digest import digest

MODEL, RANDOM = "model", "random"
"""Values of `negatives` in a :class:`StaticRecipe` that are not expressions."""


def _decimal(value: object) -> object:
    """Say how to write a number that YAML reads as text."""
    if isinstance(value, str):
        raise ValueError(f"must be a number (write 0.003 or 3.0e-3), got {seen(value)}.")
    return value


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"names {twice} twice; keep one.")
    return names


Count = Annotated[Whole, Field(ge=1, le=2**31)]
"""A whole number from 1."""

CountOrZero = Annotated[Whole, Field(ge=0, le=2**31)]
"""A whole number from 0."""

BatchSize = Annotated[Whole, Field(ge=2, le=2**31)]
"""A whole number from 2: the negatives of a pair are all other pairs of its batch."""

Seed = Annotated[Whole, Field(ge=0, le=2**63 - 1)]
"""Seed of random numbers."""

Positive = Annotated[Number, Field(gt=0), BeforeValidator(_decimal)]
"""A number above 0."""

NotNegative = Annotated[Number, Field(ge=0), BeforeValidator(_decimal)]
"""A number from 0."""

PairSources = Annotated[
    tuple[Choice[Literal["judgements", "citations", "headings"]], ...], Field(min_length=1), AfterValidator(_distinct)
]
"""Where queries come from: some of ``judgements``, ``citations``, ``headings``."""

DevMeasure = Choice[Literal["R@10", "nDCG@10", "MultiHitRate@10"]]
"""Measure on dev queries that selects the epoch."""

_Lengths = Annotated[
    tuple[Annotated[Whole, Field(ge=1, le=8)], ...], AfterValidator(lambda values: tuple(sorted(set(values))))
]
_Weights = Annotated[dict[str, Positive], BeforeValidator(lambda value: {} if value is None else value)]


class Recipe(Schema):
    """Base of recipes: each key is a field with a docstring.

    Attributes:
        TRAINING: name of the kind of training.
        WITHOUT_EFFECT: keys on which no weight depends; data and base model are identified by their fingerprints.
    """

    KIND = "a recipe"
    TRAINING: ClassVar[str]
    WITHOUT_EFFECT: ClassVar[tuple[str, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, which :meth:`parse` accepts."""
        return self.model_dump(mode="json")

    def settings(self) -> dict[str, Any]:
        """Return the values that the weights of the model depend on."""
        return {key: value for key, value in self.as_dict().items() if key not in self.WITHOUT_EFFECT}

    def fingerprint(self, data: object) -> str:
        """Return a sha256 of the settings and of `data`, JSON values that identify the data and the base model."""
        return digest({self.TRAINING: 1, "settings": self.settings(), "data": data})


class StaticRecipe(Recipe):
    """Recipe of a static model.

    Raises:
        ComponentError: the n-grams are empty.
        DefinitionError: a value is not accepted; one sentence with the key and what is accepted.
    """

    TRAINING = "training"
    PATHS = ("dataset", "out")
    WITHOUT_EFFECT = ("dataset", "out", "checkpoint_minutes", "threads")

    dataset: Text
    """Id or path of a collection, with the split whose judgements are used for training."""
    out: Text
    """Folder of the model."""
    sources: PairSources = ("judgements",)
    """Where queries come from: some of ``judgements``, ``citations``, ``headings``."""
    weights: _Weights = Field(default_factory=dict)
    """Share of each source in each batch, by name; by default proportional to its pairs."""
    dev: Text | None = None
    """Split used to measure each epoch; None: nothing is measured, and the last epoch is kept."""
    measure: DevMeasure = "R@10"
    """Measure that selects the epoch: ``R@10``, ``nDCG@10`` or ``MultiHitRate@10``."""
    patience: Count | None = None
    """Number of epochs without a better one after which training ends; None: all epochs are trained."""
    hold_out: Annotated[Number, Field(ge=0, le=0.5), BeforeValidator(_decimal)] = 0.2
    """Share of the judged questions, from 20 to 500 of them, that are not learnt from and choose the weight of the
    model in ``default``; with `dev`, up to 500 of its questions choose, and all others are learnt from. 0: no weight is
    chosen."""
    seed: Seed = 1
    """Seed of the first weights and of each random draw."""
    dim: Annotated[Whole, Field(ge=1, le=2**14)] = 256
    """Dimensions of a vector."""
    char: _Lengths = (2, 3)
    """Lengths of the character n-grams, as in :class:`~legalir.dense.hashed_ngrams.HashedNGrams`."""
    jamo: _Lengths = ()
    """Lengths of the n-grams of jamo."""
    words: Flag = True
    """Whether words are also features."""
    edges: Flag = False
    """Whether n-grams include the edges of words."""
    rows: Annotated[Whole, Field(ge=1, le=2**24)] = 2**17
    """Rows of the table that n-grams and words are hashed to."""
    max_characters: Count | None = 1000
    """Maximum number of characters read from a text; None reads all."""
    tf: Choice[Literal["log", "raw"]] = "log"
    """Weight of n occurrences of a feature: ``log``, 1 + ln n, or ``raw``, n."""
    epochs: Count = 3
    """Passes over the pairs."""
    batch: BatchSize = 256
    """Pairs of a step."""
    rate: Positive = 3e-3
    """Learning rate at the start; it falls to 0 along a cosine."""
    temperature: Positive = 0.05
    """Divisor of the cosines."""
    random: CountOrZero = 256
    """Number of provisions that each step draws as negatives, in addition to the provisions of its pairs."""
    hard: CountOrZero = 16
    """Size of each query's pool of best wrong provisions; each pair of a step draws one of them as a negative. 0: no
    hard negatives."""
    negatives: Text = MODEL
    """Source of hard negatives: ``model``, the model itself as it is after each epoch; an expression such as ``bm25``,
    once; or ``random``: there are none."""
    precision: Choice[Literal["float16", "int8"]] = "float16"
    """Number type of the stored table."""
    checkpoint_minutes: NotNegative = 5.0
    """Minutes between two saved states, which are also saved after each epoch; 0: after each step."""
    threads: Count | None = None
    """Number of threads; None: one for each processor. The model does not depend on it."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if stray := [name for name in self.weights if name not in self.sources]:
            raise ValueError(f"'weights' names {stray[0]!r}, which is not one of 'sources': {', '.join(self.sources)}.")
        if self.weights and len(self.weights) < len(self.sources):
            missing = next(name for name in self.sources if name not in self.weights)
            raise ValueError(f"'weights' has no number for {missing!r}: give one to each source, or to none.")
        if self.patience is not None and self.dev is None:
            raise ValueError("'patience' needs 'dev': without a dev split no epoch is better than another.")
        self.ngrams  # noqa: B018  (checks its parameters)
        return self

    def settings(self) -> dict[str, Any]:
        """Return the values that the weights of the model depend on; `hold_out` only where it takes questions away."""
        takes = self.hold_out > 0 and self.dev is None and "judgements" in self.sources
        return {key: value for key, value in super().settings().items() if takes or key != "hold_out"}

    @property
    def ngrams(self) -> HashedNGrams:
        """Features of a text."""
        names = ("char", "jamo", "words", "edges", "rows", "max_characters")
        return HashedNGrams(**{name: getattr(self, name) for name in names})

    def fingerprint(self, data: object) -> str:
        """Return a sha256 of the settings and of `data`, JSON values that identify the training data."""
        return digest({"training": 1, "settings": self.settings(), "ngrams": self.ngrams.fingerprint, "data": data})
