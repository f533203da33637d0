"""Limit of tokens that a model reads of a text, and a log line about texts that it cuts."""

from __future__ import annotations

import logging
from typing import Literal

from legalir.models.presets import Preset

_log = logging.getLogger("legalir")


def read_length(given: int | None, preset: Preset | None, limit: int | None) -> int | None:
    """Return the number of tokens to read: the caller's, else the preset's within the model's limit, else that limit.

    Args:
        given: the caller's value; it is not compared with the limit.
        preset: the facts about the model.
        limit: what the model's files state; None if they state nothing.
    """
    if given is not None or preset is None:
        return limit if given is None else given
    return preset.max_length if limit is None else min(preset.max_length, limit)


def log_cut(
    name: str, task: Literal["query", "document"], cut: int, texts: int, limit: int, unit: str = "tokens"
) -> None:
    """Log how many texts of one call were longer than the limit, if any were.

    A question may end with what it asks, so cut questions are a warning; cut documents are logged as information.

    Args:
        name: name of the model.
        task: kind of the texts.
        cut: number of texts that were cut.
        texts: number of texts of the call.
        limit: maximum number of units read from a text.
        unit: ``tokens`` or ``characters``.
    """
    if cut:
        level, what = (logging.WARNING, "questions") if task == "query" else (logging.INFO, "texts")
        _log.log(level, "%s cut %d of %d %s at %d %s.", name, cut, texts, what, limit, unit)
