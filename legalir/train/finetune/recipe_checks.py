"""Check the values of a fine-tuning recipe: what it shares with that of a static model is checked as there."""

from __future__ import annotations

from legalir.errors import DefinitionError
from legalir.train import recipe_checks as shared
from legalir.yaml_values import Check, choice, optional, wrong

__all__ = ["CHECKS"]


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
