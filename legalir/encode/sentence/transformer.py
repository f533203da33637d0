"""A sentence encoder's modules in memory, as sentence-transformers makes them of a folder."""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from legalir.encode.sentence.settings import Settings
from legalir.errors import ModelError
from legalir.extras import require
from legalir.neural.contents import module_paths
from legalir.neural.loading import check_complete, check_tokenizer, readable
from legalir.neural.placement import Placement

__all__ = ["Loaded", "load"]

_POOLING = {"cls": "cls", "mean": "mean", "last": "lasttoken"}
"""What sentence-transformers calls our poolings."""


@dataclass(eq=False)
class Loaded:
    """A model that is ready to compute.

    Args:
        modules: the ``SentenceTransformer``.
        device: where it computes.
        tokenizer: a fast one; None where the model reads texts in a way of its own.
        limit: tokens that are read of a text; 0 where there is no tokenizer.
        lock: to be held while the tokenizer is used, which keeps its padding and truncation as state.
    """

    modules: Any
    device: str
    tokenizer: Any
    limit: int
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.modules.get_embedding_dimension())


def load(folder: Path, settings: Settings, placed: Placement, *, trust_remote_code: bool = False) -> Loaded:
    """Return the model in `folder`.

    Raises:
        ModelError: its files are missing or cannot be read, it wants code of its own to be run, or it does not read
            texts as long as `settings` say.
        MissingExtra: sentence-transformers is not installed.
    """
    library = require("sentence_transformers", extra="dense")
    modules = require("sentence_transformers.sentence_transformer.modules", extra="dense")
    here = {"local_files_only": True, "trust_remote_code": trust_remote_code}
    weights = {"dtype": placed.torch_dtype}
    with readable(folder, "The model"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What the files of a model say in an older way is no matter of the caller's.
        if (folder / "modules.json").is_file():
            model = library.SentenceTransformer(str(folder), device=placed.device, model_kwargs=weights, **here)
        else:
            check_tokenizer(folder)
            options = {"model_kwargs": {**weights, **here}, "config_kwargs": here, "processor_kwargs": here}
            first = modules.Transformer(str(folder), **options)
            head = [_pooling(modules, first, str(settings.pooling)), modules.Normalize()]
            model = library.SentenceTransformer(modules=[first, *head], device=placed.device)
    model.requires_grad_(False).eval()
    if not _is_plain(modules, model[0]):
        return Loaded(model, placed.device, None, 0)
    check_tokenizer(folder / next(iter(module_paths(folder)), "") if not (folder / "config.json").exists() else folder)
    check_complete(model[0].model, folder)
    if settings.pooling is not None:
        model[1] = _pooling(modules, model[0], settings.pooling)
    return Loaded(model, placed.device, model[0].tokenizer, _limit(folder, model[0], settings.max_length))


def _is_plain(modules: Any, first: Any) -> bool:
    """Return whether texts go to a transformer just as a fast tokenizer reads them."""
    if not isinstance(first, modules.Transformer) or list(first.modality_config) != ["text"]:
        return False
    return first.tokenizer is not None and bool(first.tokenizer.is_fast)


def _pooling(modules: Any, transformer: Any, mode: str) -> Any:
    return modules.Pooling(transformer.get_embedding_dimension(), pooling_mode=_POOLING[mode])


def _limit(folder: Path, transformer: Any, asked: int | None) -> int:
    """Return how many tokens are read of a text: what was asked for, or what the folder says, as far as it goes."""
    positions = _positions(transformer.model)
    if asked is not None and asked > positions:
        raise ModelError(f"{folder} reads at most {positions} tokens of a text: max_length={asked} is too much.")
    return min(positions, (transformer.max_seq_length or positions) if asked is None else asked)


def _positions(model: Any) -> int:
    """Return how many positions a transformer has; some leave the first ones to padding."""
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if table is not None and hasattr(table, "num_embeddings"):
        return int(table.num_embeddings) - (0 if table.padding_idx is None else int(table.padding_idx) + 1)
    stated = getattr(model.config, "max_position_embeddings", None)
    return stated if isinstance(stated, int) and stated > 0 else 1 << 30
