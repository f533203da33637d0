"""A static model as a module of sentence-transformers, which finds it by ``modules.json``; imports torch.

So a static model can be trained further there; saved, it is a static model again.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import nn

from legalir.dense.static_model import StaticModel, term_weights

_HUB = ("token", "cache_folder", "revision", "local_files_only")
"""Options that the hub takes."""

InputModule: Any = import_module("sentence_transformers.base.modules.input_module").InputModule


class StaticNGrams(InputModule):  # type: ignore[misc]
    """The weighted sum of the vectors of hashed n-grams, scaled to length 1.

    Args:
        model: the model; its table becomes a parameter in float32.
    """

    def __init__(self, model: StaticModel) -> None:
        super().__init__()
        self.model = model
        table = model.table.astype(np.float32)
        if model.scale is not None:
            table *= model.scale[:, None]
        self.embedding = nn.EmbeddingBag.from_pretrained(torch.from_numpy(table), freeze=False, mode="sum")

    @property
    def max_seq_length(self) -> float:
        """Maximum number of characters read from a text."""
        return float(self.model.ngrams.max_characters or "inf")

    def get_embedding_dimension(self) -> int:
        """Return the length of a vector."""
        return self.model.dimensions

    def preprocess(self, inputs: Sequence[str], prompt: str | None = None, **kwargs: Any) -> dict[str, torch.Tensor]:
        """Return the rows of texts, their weights, and where each text begins."""
        read = self.model.ngrams.features([(prompt or "") + text for text in inputs])
        return {
            "input_ids": torch.from_numpy(read.rows.astype(np.int64)),
            "weights": torch.from_numpy(term_weights(read.counts, self.model.tf)),
            "offsets": torch.from_numpy(read.indptr[:-1].copy()),
        }

    def forward(self, features: dict[str, torch.Tensor], **kwargs: Any) -> dict[str, torch.Tensor]:
        """Add the vectors of texts, ``sentence_embedding``, float32 [n, d]."""
        sums = self.embedding(features["input_ids"], features["offsets"], per_sample_weights=features["weights"])
        features["sentence_embedding"] = nn.functional.normalize(sums, dim=1)
        return features

    def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
        """Save the current model as a folder of sentence-transformers."""
        table = self.embedding.weight.detach().cpu().numpy().astype(np.float16)
        model = StaticModel(self.model.ngrams, table, tf=self.model.tf, card=self.model.card)
        model.write_files(Path(output_path))

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **kwargs: Any) -> Self:
        """Open the model in a folder."""
        hub = {name: kwargs[name] for name in _HUB if name in kwargs}
        return cls(StaticModel.load(cls.load_dir_path(model_name_or_path, subfolder=subfolder, **hub)))
