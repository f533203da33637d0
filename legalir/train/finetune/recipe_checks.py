"""Check the values of a fine-tuning recipe: what it shares with that of a static model is checked as there."""

from __future__ import annotations

from collections.abc import Callable

from legalir.errors import DefinitionError, suggestion
from legalir.train import recipe_checks as shared
from legalir.yaml_files import kind_of

__all__ = ["CHECKS"]

_Check = Callable[[object, str], object]


def _choice(*options: str) -> _Check:
    def check(value: object, where: str) -> str:
        text = str(shared.CHECKS["dataset"](value, where))
        if text not in options:
            hint = suggestion(text, set(options))
            raise DefinitionError(f"{where} is {text!r}, but must be one of {', '.join(options)}.{hint}")
        return text

    return check


def _optional(check: _Check) -> _Check:
    return lambda value, where: None if value is None else check(value, where)


def _length(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise DefinitionError(f"{where} must be a whole number of tokens, not {kind_of(value)}.")
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
        raise DefinitionError(f"{where} must be text (put it in quotes), not {kind_of(value)}.")
    return value


_whole, _text, _flag = shared.CHECKS["epochs"], shared.CHECKS["dataset"], shared.CHECKS["words"]

CHECKS: dict[str, _Check] = {
    "model": _text,
    "objective": _choice("dense", "unified"),
    "dev_provisions": _optional(_whole),
    "pool": _optional(_whole),
    "most_pairs": _optional(_whole),
    "warmup": _share,
    "query_length": _length,
    "passage_length": _length,
    "pooling": _optional(_choice("cls", "mean", "last")),
    "query_prompt": _optional(_prompt),
    "document_prompt": _optional(_prompt),
    "self_distill": _flag,
    "device": _optional(_choice("cpu", "cuda", "mps")),
    "precision": _choice("float32", "bfloat16", "float16"),
    "gradient_checkpointing": _flag,
    "sub_batch": _optional(_whole),
    "checkpoint_steps": _optional(_whole),
    **{
        name: shared.CHECKS[name]
        for name in (
            *("dataset", "out", "sources", "dev", "measure", "patience", "negatives", "hard", "epochs"),
            *("batch", "rate", "temperature", "seed", "checkpoint_minutes"),
        )
    },
}
