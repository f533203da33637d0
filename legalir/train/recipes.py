"""Recipes: everything that the weights of a trained model depend on, as data, for both ways of training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypedDict

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from legalir.config import AnyText, Choice, Flag, Number, Schema, Text, Whole, read_yaml, seen
from legalir.dense.hashed_ngrams import NGrams
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


_Count = Annotated[Whole, Field(ge=1, le=2**31)]
_CountOrZero = Annotated[Whole, Field(ge=0, le=2**31)]
_BatchSize = Annotated[Whole, Field(ge=2, le=2**31)]
_Seed = Annotated[Whole, Field(ge=0, le=2**63 - 1)]
_Tokens = Annotated[Whole, Field(ge=8, le=2**17)]
_Positive = Annotated[Number, Field(gt=0), BeforeValidator(_decimal)]
_NotNegative = Annotated[Number, Field(ge=0), BeforeValidator(_decimal)]
_Share = Annotated[Number, Field(ge=0, lt=1), BeforeValidator(_decimal)]
_Lengths = Annotated[
    tuple[Annotated[Whole, Field(ge=1, le=8)], ...], AfterValidator(lambda values: tuple(sorted(set(values))))
]
_Sources = Annotated[
    tuple[Choice[Literal["judgements", "citations", "headings"]], ...], Field(min_length=1), AfterValidator(_distinct)
]
_Weights = Annotated[dict[str, _Positive], BeforeValidator(lambda value: {} if value is None else value)]
_Measure = Choice[Literal["R@10", "nDCG@10", "MultiHitRate@10"]]


class Recipe(Schema):
    """Base of recipes.

    Attributes:
        WITHOUT_EFFECT: keys on which no weight depends; data and base model are identified by their fingerprints.
    """

    KIND = "a recipe"
    WITHOUT_EFFECT: ClassVar[tuple[str, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, which :meth:`parse` accepts."""
        return self.model_dump(mode="json")

    def settings(self) -> dict[str, Any]:
        """Return the values that the weights of the model depend on."""
        return {key: value for key, value in self.as_dict().items() if key not in self.WITHOUT_EFFECT}


class StaticRecipe(Recipe):
    """Recipe of a static model.

    Raises:
        ComponentError: the n-grams are empty.
        DefinitionError: a value is not accepted; one sentence with the key and what is accepted.
    """

    PATHS = ("dataset", "out")
    WITHOUT_EFFECT = ("dataset", "out", "checkpoint_minutes", "threads")

    dataset: Text
    """Id or path of a collection, with the split whose judgements are learnt from."""
    out: Text
    """Folder of the model."""
    sources: _Sources = ("judgements",)
    """Where queries come from: some of ``judgements``, ``citations``, ``headings``."""
    weights: _Weights = Field(default_factory=dict)
    """Share of each source in each batch, by name; by default proportional to its pairs."""
    dev: Text | None = None
    """Split that each epoch is measured on; None: nothing is measured, and the last epoch is kept."""
    measure: _Measure = "R@10"
    """Measure that decides which epoch is kept: ``R@10``, ``nDCG@10`` or ``MultiHitRate@10``."""
    patience: _Count | None = None
    """Number of epochs without a better one after which training ends; None: all epochs are trained."""
    hold_out: Annotated[Number, Field(ge=0, le=0.5), BeforeValidator(_decimal)] = 0.2
    """Share of the judged questions, from 20 to 500 of them, that are not learnt from and choose the weight of the
    model in ``default``; with `dev`, up to 500 of its questions choose, and all others are learnt from. 0: no weight is
    chosen."""
    seed: _Seed = 1
    """Seed of the first weights and of each random draw."""
    dim: Annotated[Whole, Field(ge=1, le=2**14)] = 256
    """Dimensions of a vector."""
    char: _Lengths = (2, 3)
    """Lengths of the character n-grams, as in :class:`~legalir.dense.hashed_ngrams.NGrams`."""
    jamo: _Lengths = ()
    """Lengths of the n-grams of jamo."""
    words: Flag = True
    """Whether words are features, too."""
    edges: Flag = False
    """Whether n-grams include the edges of words."""
    rows: Annotated[Whole, Field(ge=1, le=2**24)] = 2**17
    """Rows of the table that n-grams and words are hashed to."""
    max_characters: _Count | None = 1000
    """Characters read of a text; None: all."""
    tf: Choice[Literal["log", "raw"]] = "log"
    """Weight of n occurrences of a feature: ``log``, 1 + ln n, or ``raw``, n."""
    epochs: _Count = 3
    """Passes over the pairs."""
    batch: _BatchSize = 256
    """Pairs of a step."""
    rate: _Positive = 3e-3
    """Learning rate at the start; it falls to 0 along a cosine."""
    temperature: _Positive = 0.05
    """Divisor of the cosines."""
    random: _CountOrZero = 256
    """Provisions that each step draws as negatives, in addition to those of its pairs."""
    hard: _CountOrZero = 16
    """Size of each query's pool of best wrong provisions; each pair of a step draws one of them as a negative. 0: no
    hard negatives."""
    negatives: Text = MODEL
    """Source of hard negatives: ``model``, the model itself as it is after each epoch; an expression such as ``bm25``,
    once; or ``random``: there are none."""
    precision: Choice[Literal["float16", "int8"]] = "float16"
    """Number type of the stored table."""
    checkpoint_minutes: _NotNegative = 5.0
    """Minutes between two saved states, which are also saved after each epoch; 0: after each step."""
    threads: _Count | None = None
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
    def ngrams(self) -> NGrams:
        """The features of a text."""
        names = ("char", "jamo", "words", "edges", "rows", "max_characters")
        return NGrams(**{name: getattr(self, name) for name in names})

    def fingerprint(self, data: object) -> str:
        """Return a sha256 of the settings and of `data`, JSON values that identify the training data."""
        return digest({"training": 1, "settings": self.settings(), "ngrams": self.ngrams.fingerprint, "data": data})


class FineTuning(Recipe):
    """Recipe of a fine-tuned language model.

    Raises:
        DefinitionError: a value is not accepted; one sentence with the key and what is accepted.
    """

    PATHS = ("dataset", "model", "out")
    WITHOUT_EFFECT = ("dataset", "model", "out", "device", "checkpoint_minutes", "checkpoint_steps")

    dataset: Text
    """Id or path of a collection, with the split whose judgements are learnt from."""
    model: Text
    """Base model: a name on the hub such as ``BAAI/bge-m3``, or a folder."""
    out: Text
    """Folder of the tuned model."""
    objective: Choice[Literal["dense", "unified"]] = "dense"
    """``dense`` tunes one vector a text; ``unified`` tunes the three heads of an M3 model together."""
    sources: _Sources = ("judgements",)
    """Where queries come from: some of ``judgements``, ``citations``, ``headings``."""
    dev: Text | None = None
    """Split that each epoch is measured on; None: nothing is measured, and the last epoch is kept."""
    dev_provisions: _Count | None = None
    """Number of provisions to measure among: those right for dev queries, and others drawn at random; None: all."""
    measure: _Measure = "nDCG@10"
    """Measure that decides which epoch is kept: ``R@10``, ``nDCG@10`` or ``MultiHitRate@10``."""
    patience: _Count | None = None
    """Number of epochs without a better one after which training ends; None: all epochs are trained."""
    negatives: Text = "bm25"
    """Pipeline expression whose best wrong provisions are the hard negatives."""
    hard: _CountOrZero = 3
    """Hard negatives of each anchor (3: [sar], section B.2)."""
    pool: _Count | None = None
    """Size of each query's pool of best wrong provisions, from which the hard ones are drawn in each epoch; None: as
    many as `hard`."""
    epochs: _Count = 3
    """Passes over the pairs."""
    most_pairs: _Count | None = None
    """Pairs of an epoch, drawn again for each epoch; None: all."""
    batch: _BatchSize = 16
    """Pairs of a step; the provisions of all other pairs are negatives, too."""
    rate: _Positive = 1e-5
    """Learning rate after the warm-up; it falls to 0 along a line."""
    warmup: _Share = 0.1
    """Share of the steps in which the rate rises from 0."""
    temperature: _Positive = 0.02
    """Divisor of the scores."""
    query_length: _Tokens = 256
    """Tokens read of a query."""
    passage_length: _Tokens = 512
    """Tokens read of a provision."""
    pooling: Choice[Literal["cls", "mean", "last"]] | None = None
    """Hidden states that make the vector: ``cls``, ``mean`` or ``last``; None: as the base model was trained."""
    query_prompt: AnyText | None = None
    """Text before each query; None: as the base model was trained."""
    document_prompt: AnyText | None = None
    """Text before each provision; None: as the base model was trained."""
    self_distill: Flag = False
    """Whether the three heads also learn from their sum; for ``unified``."""
    seed: _Seed = 1
    """Seed of each random draw."""
    device: Choice[Literal["cpu", "cuda", "mps"]] | None = None
    """``cpu``, ``cuda`` or ``mps``; None: cuda or mps if there is one, else cpu. Of several GPUs the first that
    CUDA_VISIBLE_DEVICES names is used."""
    precision: Choice[Literal["float32", "bfloat16", "float16"]] = "float32"
    """Number type of the products; weights stay float32."""
    gradient_checkpointing: Flag = False
    """Whether hidden states are computed twice instead of kept: less memory, more time."""
    sub_batch: _Count | None = None
    """Texts that go through the model at a time; None: all of a step."""
    checkpoint_minutes: _NotNegative = 15.0
    """Minutes between two saved states, which are also saved after each epoch."""
    checkpoint_steps: _Count | None = None
    """Steps between two saved states, in addition; None: no such states."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name in ("patience", "dev_provisions"):
            if getattr(self, name) is not None and self.dev is None:
                raise ValueError(f"{name!r} needs 'dev': without a dev split nothing is measured.")
        if self.pool is not None and self.pool < self.hard:
            raise ValueError(
                f"'pool' is {self.pool}, but {self.hard} hard negatives are drawn from it: give {self.hard} or more."
            )
        if self.self_distill and self.objective != "unified":
            raise ValueError("'self_distill' needs three heads: write 'objective: unified', or leave it out.")
        if self.objective == "unified" and self.pooling not in (None, "cls"):
            raise ValueError("'pooling' must be cls for 'objective: unified', because M3 models have it.")
        for name in ("query_prompt", "document_prompt"):
            if self.objective == "unified" and getattr(self, name):
                raise ValueError(f"{name!r} cannot be given with 'objective: unified': M3 models read plain texts.")
        return self

    @property
    def depth(self) -> int:
        """The number of wrong provisions that are searched for each query."""
        return self.hard if self.pool is None else self.pool

    def fingerprint(self, data: object) -> str:
        """Return a sha256 of the settings and of `data`, JSON values that identify model and collection."""
        return digest({"fine-tuning": 1, "settings": self.settings(), "data": data})


class Pretraining(Recipe):
    """Recipe of continued pre-training: a model that writes text reads the provisions of a collection.

    Raises:
        DefinitionError: a value is not accepted; one sentence with the key and what is accepted.
    """

    PATHS = ("dataset", "model", "out")
    WITHOUT_EFFECT = ("dataset", "model", "out", "device", "adapter", "checkpoint_minutes", "checkpoint_steps")
    LORA_ONLY: ClassVar[tuple[str, ...]] = ("rank", "alpha", "targets", "frozen", "adapter")

    kind: Choice[Literal["pretrain"]]
    """``pretrain``, which tells this recipe from one of :class:`FineTuning`."""
    dataset: Text
    """Id or path of a collection, whose provisions are read."""
    model: Text
    """Base model: a name on the hub such as ``Qwen/Qwen3-8B``, a folder, a GGUF file, or ``smollm2``."""
    out: Text
    """Folder of the model."""
    method: Choice[Literal["lora", "full"]] = "lora"
    """``lora`` trains an addition of low rank to linear layers [lora]; ``full`` trains all weights."""
    rank: _Count = 16
    """Rank r of the addition."""
    alpha: _Positive = 32.0
    """The addition is multiplied by alpha / r."""
    targets: Annotated[tuple[Text, ...], Field(min_length=1), AfterValidator(_distinct)] | None = None
    """Names of the linear layers that get an addition, such as ``q_proj``; None: all but the head."""
    embedding_rate: _Positive | None = None
    """Learning rate of embeddings and head, which are then trained whole; None: `rate` for ``full``, and for ``lora``
    they stay as they are."""
    hold_out: Annotated[Number, Field(gt=0, le=0.5), BeforeValidator(_decimal)] = 0.1
    """Share of the provisions that are measured on, not learnt from; a hash of the docno draws them."""
    max_length: _Tokens = 512
    """Tokens of a block."""
    epochs: _Count = 1
    """Passes over the blocks."""
    most_blocks: _Count | None = None
    """Blocks of an epoch, drawn again for each epoch; None: all."""
    batch: _Count = 2
    """Blocks that go through the model at a time."""
    accumulation: _Count = 4
    """Such batches of a step."""
    rate: _Positive = 1e-5
    """Learning rate after the warm-up; it falls to 0 along a line."""
    warmup: _Share = 0.03
    """Share of the steps in which the rate rises."""
    weight_decay: _NotNegative = 0.0
    """Weight decay of AdamW, of matrices only: each step takes rate x `weight_decay` of each weight away."""
    seed: _Seed = 1
    """Seed of each random draw."""
    device: Choice[Literal["cpu", "cuda", "mps"]] | None = None
    """``cpu``, ``cuda`` or ``mps``; None: cuda or mps if there is one, else cpu."""
    precision: Choice[Literal["float32", "bfloat16"]] = "float32"
    """Number type of the products; weights in training stay float32."""
    frozen: Choice[Literal["float32", "bfloat16"]] = "float32"
    """Number type of the weights that ``lora`` does not train, and of the merged weights: bfloat16 takes half the
    memory, and rounds small changes away when they are merged."""
    gradient_checkpointing: Flag = False
    """Whether hidden states are computed twice instead of kept: less memory, more time."""
    adapter: Flag = False
    """Whether the addition is written, too, into the folder ``adapter``, as peft reads it."""
    checkpoint_minutes: _NotNegative = 15.0
    """Minutes between two saved states, which are also saved after each epoch."""
    checkpoint_steps: _Count | None = None
    """Steps between two saved states, in addition; None: no such states."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name in self.LORA_ONLY if self.method == "full" else ():
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name!r} needs 'method: lora': without it all weights are trained; leave it out.")
        if self.frozen == "bfloat16" and self.precision != "bfloat16":
            raise ValueError("'frozen: bfloat16' needs 'precision: bfloat16', so that products are of one type.")
        return self

    def fingerprint(self, data: object) -> str:
        """Return a sha256 of the settings and of `data`, JSON values that identify model and collection."""
        return digest({"pre-training": 1, "settings": self.settings(), "data": data})


def load_tuning(path: str | PathLike[str], **changes: object) -> FineTuning | Pretraining:
    """Read a recipe of ``legalir finetune`` from a YAML file: with the key `kind` it is one of :class:`Pretraining`.

    Args:
        path: the file.
        changes: values that replace those of the file.

    Raises:
        DefinitionError: the file cannot be read, or is not a recipe.
    """
    values = read_yaml(Path(path), Recipe.KIND)
    kind = Pretraining if isinstance(values, Mapping) and "kind" in values else FineTuning
    return kind.load(path, **changes)


class Settings(TypedDict, total=False):
    """The keys of a :class:`StaticRecipe` that have a default, for type checkers."""

    sources: Sequence[str]
    weights: Mapping[str, float]
    dev: str | None
    measure: str
    patience: int | None
    hold_out: float
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
