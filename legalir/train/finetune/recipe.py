"""A recipe of a fine-tuning: everything that the tuned model depends on, as data.

Check the values of a fine-tuning recipe: what it shares with that of a static model is checked as there.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from legalir.errors import DefinitionError
from legalir.storage.digest import digest
from legalir.storage.yaml_files import Check, choice, optional, wrong
from legalir.train import recipe as shared
from legalir.train.recipe import RecipeFile

__all__ = ["CHECKS", "FineTuning"]


def _length(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(where, "a whole number of tokens", value)
    if not 8 <= value <= 2**17:
        raise DefinitionError(f"{where} is {value}, but must lie from 8 to {2**17} tokens.")
    return value


def _share(value: object, where: str) -> float:
    share = shared.CHECKS["checkpoint_minutes"](value, where)
    if not isinstance(share, float) or share >= 1:
        raise DefinitionError(f"{where} is {value}, but is a share of the steps: give 0 to 0.5.")
    return share


def _prompt(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise wrong(where, "text (put it in quotes)", value)
    return value


_whole, _text, _flag = shared.CHECKS["epochs"], shared.CHECKS["dataset"], shared.CHECKS["words"]

CHECKS: dict[str, Check] = {
    "model": _text,
    "objective": choice(("dense", "unified")),
    "dev_provisions": optional(_whole),
    "pool": optional(_whole),
    "most_pairs": optional(_whole),
    "warmup": _share,
    "query_length": _length,
    "passage_length": _length,
    "pooling": optional(choice(("cls", "mean", "last"))),
    "query_prompt": optional(_prompt),
    "document_prompt": optional(_prompt),
    "self_distill": _flag,
    "device": optional(choice(("cpu", "cuda", "mps"))),
    "precision": choice(("float32", "bfloat16", "float16")),
    "gradient_checkpointing": _flag,
    "sub_batch": optional(_whole),
    "checkpoint_steps": optional(_whole),
    **{
        name: shared.CHECKS[name]
        for name in (
            *("dataset", "out", "sources", "dev", "measure", "patience", "negatives", "hard", "epochs"),
            *("batch", "rate", "temperature", "seed", "checkpoint_minutes"),
        )
    },
}


@dataclass(frozen=True)
class FineTuning(RecipeFile):
    """How a language model is fine-tuned to find provisions.

    Attributes:
        dataset: an id or the path of a folder, with the split whose judgements are learnt from.
        model: what is tuned: a name on the hub such as ``BAAI/bge-m3``, or a folder.
        out: the folder that the tuned model is written to.
        objective: ``dense`` tunes one vector a text; ``unified`` tunes the three heads of an M3 model together.
        sources: what is learnt from: some of ``judgements``, ``citations``, ``headings``.
        dev: the split that each epoch is measured on; None measures nothing, and keeps the last epoch.
        dev_provisions: measure among so many provisions, those right for dev queries and others drawn at random; None:
            among all of them.
        measure: the measure that tells which epoch is kept: ``R@10``, ``nDCG@10`` or ``MultiHitRate@10``.
        patience: training ends after so many epochs without a better one; None trains all of them.
        negatives: a pipeline expression whose best wrong provisions are the hard negatives.
        hard: hard negatives of each anchor (3: SFS-A, B.2).
        pool: the hard ones are drawn, anew in every epoch, from each query's best so many; None: the best `hard`.
        epochs: passes over the pairs.
        most_pairs: pairs of an epoch, drawn anew each time; None: all.
        batch: pairs of a step; the provisions of all others are negatives, too.
        rate: rate of learning after warming up, from which it falls to 0 along a line.
        warmup: share of the steps in which the rate rises from 0.
        temperature: scores are divided by it.
        query_length: tokens that are read of a query.
        passage_length: tokens that are read of a provision.
        pooling: which hidden states make the vector, ``cls``, ``mean`` or ``last``; None: as the model was made for.
        query_prompt: stands before each query; None: what the model was made for.
        document_prompt: stands before each provision; None: what the model was made for.
        self_distill: the three heads learn from their sum, too; for ``unified``.
        seed: of every draw.
        device: ``cpu``, ``cuda`` or ``mps``; None: cuda or mps where there is one, else cpu. Of several GPUs the first
            that CUDA_VISIBLE_DEVICES names is used.
        precision: ``float32``, or ``bfloat16`` or ``float16`` for the products; weights stay float32.
        gradient_checkpointing: compute hidden states twice rather than keep them: less memory, more time.
        sub_batch: texts that go through the model at a time; None: all of a step.
        checkpoint_minutes: the state is written at the end of every epoch and so often between.
        checkpoint_steps: the state is written every so many steps, too; None: not.

    Raises:
        DefinitionError: a value means nothing; one sentence with the key and what is accepted.
    """

    NEEDED = ("dataset", "model", "out")
    # Data and model are known by their fingerprints.
    PLACES = ("dataset", "model", "out", "device", "checkpoint_minutes", "checkpoint_steps")

    dataset: str
    model: str
    out: str
    objective: Literal["dense", "unified"] = "dense"
    sources: tuple[str, ...] = ("judgements",)
    dev: str | None = None
    dev_provisions: int | None = None
    measure: str = "nDCG@10"
    patience: int | None = None
    negatives: str = "bm25"
    hard: int = 3
    pool: int | None = None
    epochs: int = 3
    most_pairs: int | None = None
    batch: int = 16
    rate: float = 1e-5
    warmup: float = 0.1
    temperature: float = 0.02
    query_length: int = 256
    passage_length: int = 512
    pooling: Literal["cls", "mean", "last"] | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None
    self_distill: bool = False
    seed: int = 1
    device: str | None = None
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    gradient_checkpointing: bool = False
    sub_batch: int | None = None
    checkpoint_minutes: float = 15.0
    checkpoint_steps: int | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, CHECKS[item.name](getattr(self, item.name), f"{item.name!r}"))
        for name in ("patience", "dev_provisions"):
            if getattr(self, name) is not None and self.dev is None:
                raise DefinitionError(f"{name!r} needs 'dev': without a dev split nothing is measured.")
        if self.pool is not None and self.pool < self.hard:
            raise DefinitionError(
                f"'pool' is {self.pool}, but {self.hard} hard negatives are drawn from it: give {self.hard} or more."
            )
        if self.self_distill and self.objective != "unified":
            raise DefinitionError("'self_distill' needs three heads: write 'objective: unified', or leave it out.")
        if self.objective == "unified" and self.pooling not in (None, "cls"):
            raise DefinitionError("'pooling' must be cls for 'objective: unified', as M3 models have it.")
        for name in ("query_prompt", "document_prompt"):
            if self.objective == "unified" and getattr(self, name):
                raise DefinitionError(f"{name!r} has no place in 'objective: unified': M3 models read plain texts.")

    @property
    def depth(self) -> int:
        """How many wrong provisions are sought for each query."""
        return self.hard if self.pool is None else self.pool

    def fingerprint(self, data: object) -> str:
        """Return a sha256 over the settings and over `data`, JSON values that identify model and collection."""
        content = {"fine-tuning": 1, "settings": self.settings(), "data": data}
        return digest(content)
