"""Recipes of fine-tuning and of continued pre-training: everything that the weights of a model depend on, as data."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, Strict, model_validator

from legalir.extend import (
    BatchSize,
    Choice,
    Count,
    CountOrZero,
    DevMeasure,
    Flag,
    NotNegative,
    PairSources,
    Positive,
    Recipe,
    Seed,
    Text,
    read_yaml,
)

_AnyText = Annotated[str, Strict()]
_Tokens = Annotated[int, Strict(), Field(ge=8, le=2**17)]
_Share = Annotated[NotNegative, Field(lt=1)]


_E5 = Path(__file__).with_name("e5.yaml")
"""Recipe for the encoder ``e5``, without a collection."""
_MEASURED = 2000
"""Provisions that it is measured among, where a dev split is given."""


def _distinct(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if twice := next((name for name in names or () if (names or ()).count(name) > 1), None):
        raise ValueError(f"names {twice} twice; keep one.")
    return names


class FineTuning(Recipe):
    """Recipe of a fine-tuned language model.

    Raises:
        DefinitionError: a value is not accepted; one sentence with the key and what is accepted.
    """

    TRAINING = "fine-tuning"
    PATHS = ("dataset", "model", "out")
    WITHOUT_EFFECT = ("dataset", "model", "out", "device", "checkpoint_minutes", "checkpoint_steps")

    dataset: Text
    """Id or path of a collection, with the split whose judgements are learnt from."""
    model: Text
    """Base model: a name on the hub such as ``BAAI/bge-m3``, a folder, or ``e5``."""
    out: Text
    """Folder of the tuned model."""
    method: Choice[Literal["lora", "full"]] = "full"
    """``lora`` trains an addition of low rank to linear layers [lora]; ``full`` trains all weights."""
    rank: Count = 16
    """Rank r of the addition."""
    alpha: Positive = 32.0
    """The addition is multiplied by alpha / r."""
    objective: Choice[Literal["dense", "unified"]] = "dense"
    """``dense`` tunes one vector per text; ``unified`` tunes the three heads of an M3 model together."""
    sources: PairSources = ("judgements",)
    """Where queries come from: some of ``judgements``, ``citations``, ``headings``."""
    dev: Text | None = None
    """Split that each epoch is measured on; None: nothing is measured, and the last epoch is kept."""
    dev_provisions: Count | None = None
    """Number of provisions to measure among: those right for dev queries, and others drawn at random; None: all."""
    measure: DevMeasure = "nDCG@10"
    """Measure that decides which epoch is kept: ``R@10``, ``nDCG@10`` or ``MultiHitRate@10``."""
    patience: Count | None = None
    """Number of epochs without a better one after which training ends; None: all epochs are trained."""
    negatives: Text = "bm25"
    """Pipeline expression whose best wrong provisions are the hard negatives."""
    hard: CountOrZero = 3
    """Hard negatives of each anchor (3: [sar], section B.2)."""
    pool: Count | None = None
    """Size of each query's pool of best wrong provisions, from which the hard ones are drawn in each epoch; None: as
    many as `hard`."""
    epochs: Count = 3
    """Passes over the pairs."""
    most_pairs: Count | None = None
    """Pairs of an epoch, drawn again for each epoch; None: all."""
    batch: BatchSize = 16
    """Pairs of a step; the provisions of all other pairs are negatives, too."""
    rate: Positive = 1e-5
    """Learning rate after the warm-up; it falls to 0 along a line."""
    warmup: _Share = 0.1
    """Share of the steps in which the rate rises from 0."""
    temperature: Positive = 0.02
    """Divisor of the scores."""
    query_length: _Tokens = 256
    """Tokens read of a query."""
    passage_length: _Tokens = 512
    """Tokens read of a provision."""
    pooling: Choice[Literal["cls", "mean", "last"]] | None = None
    """Hidden states that make the vector: ``cls``, ``mean`` or ``last``; None: as the base model was trained."""
    query_prompt: _AnyText | None = None
    """Text before each query; None: as the base model was trained."""
    document_prompt: _AnyText | None = None
    """Text before each provision; None: as the base model was trained."""
    self_distill: Flag = False
    """Whether the three heads also learn from their sum; for ``unified``."""
    seed: Seed = 1
    """Seed of each random draw."""
    device: Choice[Literal["cpu", "cuda", "mps"]] | None = None
    """``cpu``, ``cuda`` or ``mps``; None: cuda or mps if there is one, else cpu. Of several GPUs the first that
    CUDA_VISIBLE_DEVICES names is used."""
    precision: Choice[Literal["float32", "bfloat16", "float16"]] = "float32"
    """Number type of the products; weights stay float32."""
    gradient_checkpointing: Flag = False
    """Whether hidden states are computed twice instead of kept: less memory, more time."""
    sub_batch: Count | None = None
    """Texts that go through the model at a time; None: all of a step."""
    checkpoint_minutes: NotNegative = 15.0
    """Minutes between two saved states, which are also saved after each epoch."""
    checkpoint_steps: Count | None = None
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
        for name in ("rank", "alpha") if self.method == "full" else ():
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name!r} needs 'method: lora': without it all weights are trained; leave it out.")
        for name in ("pooling", "query_prompt", "document_prompt") if self.writes_adapter else ():
            if getattr(self, name) is not None:
                raise ValueError(f"{name!r} cannot be given with 'model: e5' and 'method: lora': e5 has its own.")
        if self.self_distill and self.objective != "unified":
            raise ValueError("'self_distill' needs three heads: write 'objective: unified', or leave it out.")
        if self.objective == "unified" and self.pooling not in (None, "cls"):
            raise ValueError("'pooling' must be cls for 'objective: unified', because M3 models have it.")
        for name in ("query_prompt", "document_prompt"):
            if self.objective == "unified" and getattr(self, name):
                raise ValueError(f"{name!r} cannot be given with 'objective: unified': M3 models read plain texts.")
        return self

    @property
    def writes_adapter(self) -> bool:
        """Whether the tuned model is the addition alone, which the encoder ``e5`` reads."""
        return (self.model, self.method, self.objective) == ("e5", "lora", "dense")

    @property
    def depth(self) -> int:
        """The number of wrong provisions that are searched for each query."""
        return self.hard if self.pool is None else self.pool


class Pretraining(Recipe):
    """Recipe of continued pre-training: a model that writes text reads the provisions of a collection.

    Raises:
        DefinitionError: a value is not accepted; one sentence with the key and what is accepted.
    """

    TRAINING = "pre-training"
    PATHS = ("dataset", "model", "out")
    WITHOUT_EFFECT = ("dataset", "model", "out", "device", "adapter", "checkpoint_minutes", "checkpoint_steps")
    LORA_ONLY: ClassVar[tuple[str, ...]] = ("rank", "alpha", "targets", "frozen", "adapter")

    kind: Choice[Literal["pretrain"]]
    """``pretrain``, which distinguishes this recipe from :class:`FineTuning`."""
    dataset: Text
    """Id or path of a collection, whose provisions are read."""
    model: Text
    """Base model: a name on the hub such as ``Qwen/Qwen3-8B``, a folder, a GGUF file, or ``smollm2``."""
    out: Text
    """Folder of the model."""
    method: Choice[Literal["lora", "full"]] = "lora"
    """``lora`` trains an addition of low rank to linear layers [lora]; ``full`` trains all weights."""
    rank: Count = 16
    """Rank r of the addition."""
    alpha: Positive = 32.0
    """The addition is multiplied by alpha / r."""
    targets: Annotated[tuple[Text, ...], Field(min_length=1), AfterValidator(_distinct)] | None = None
    """Names of the linear layers that get an addition, such as ``q_proj``; None: all but the head."""
    embedding_rate: Positive | None = None
    """Learning rate of embeddings and head, which are then trained whole; None: `rate` for ``full``, and for ``lora``
    they stay as they are."""
    hold_out: Annotated[Positive, Field(le=0.5)] = 0.1
    """Share of the provisions that are measured on, not learnt from; a hash of the docno draws them."""
    max_length: _Tokens = 512
    """Tokens of a block."""
    epochs: Count = 1
    """Passes over the blocks."""
    most_blocks: Count | None = None
    """Blocks of an epoch, drawn again for each epoch; None: all."""
    batch: Count = 2
    """Blocks that go through the model at a time."""
    accumulation: Count = 4
    """Such batches of a step."""
    rate: Positive = 1e-5
    """Learning rate after the warm-up; it falls to 0 along a line."""
    warmup: _Share = 0.03
    """Share of the steps in which the rate rises."""
    weight_decay: NotNegative = 0.0
    """Weight decay of AdamW, of matrices only: each step takes rate x `weight_decay` of each weight away."""
    seed: Seed = 1
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
    checkpoint_minutes: NotNegative = 15.0
    """Minutes between two saved states, which are also saved after each epoch."""
    checkpoint_steps: Count | None = None
    """Steps between two saved states, in addition; None: no such states."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name in self.LORA_ONLY if self.method == "full" else ():
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name!r} needs 'method: lora': without it all weights are trained; leave it out.")
        if self.frozen == "bfloat16" and self.precision != "bfloat16":
            raise ValueError("'frozen: bfloat16' needs 'precision: bfloat16', so that products are of one type.")
        return self


def load_recipe(path: str | PathLike[str], **changes: object) -> FineTuning | Pretraining:
    """Read a recipe of ``legalir finetune`` from a YAML file: with the key `kind` it is one of :class:`Pretraining`.

    Args:
        path: the file; or id or path of a collection, which is then learnt from by the recipe for the encoder ``e5``.
        changes: values that replace values of the file.

    Raises:
        DefinitionError: the file cannot be read, or is not a recipe.
    """
    file = Path(path)
    if file.suffix not in (".yaml", ".yml"):
        if changes.get("dev") is not None:
            changes = {"dev_provisions": _MEASURED, **changes}
        return FineTuning.load(_E5, dataset=str(path), **changes)
    values = read_yaml(file, Recipe.KIND)
    kind = Pretraining if isinstance(values, Mapping) and "kind" in values else FineTuning
    return kind.load(file, **changes)
