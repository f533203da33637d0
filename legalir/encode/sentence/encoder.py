"""Any sentence encoder: ``dense("BAAI/bge-m3")``, ``dense("path/to/folder")``."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from legalir.component import check_number
from legalir.encode.encoder import Vectors
from legalir.encode.sentence.encoding import Advance, Task, batch_tokens_of, encode_texts
from legalir.encode.sentence.settings import Asked, Settings, check_asked, chosen_preset, settle
from legalir.encode.sentence.transformer import Loaded, load
from legalir.errors import ModelError
from legalir.neural.loading import shared
from legalir.neural.placement import DTYPES, placement
from legalir.neural.remembered import Remembered
from legalir.neural.weights import find_model, is_folder, is_model_name, model_digest
from legalir.plugins import write_spec

__all__ = ["SentenceEncoder", "sentence_encoder"]

_LOG = logging.getLogger("legalir")
_VERSION = "sentence/1"


class SentenceEncoder:
    """Encodes with a transformer that pools its hidden states into one vector a text.

    The vector of a text is the model's, scaled to length 1. A text of white space has a vector of zeros, as it says
    nothing, whatever the model would say. Texts are put into NFC first, so that the same text has the same vector; what
    a model does not read of a long text is counted, and said to the logger ``legalir``. The model is loaded when the
    first text comes.

    Args:
        model: a folder, or the name of a model on the hub such as ``BAAI/bge-m3``.
        preset: name of the model whose prompts and limits apply, for a folder that does not say them itself.
        pooling: ``cls``, ``mean`` or ``last``; None for that of the folder's own modules, or of the preset.
        max_length: tokens that are read of a text, prompt and special tokens included; None for as many as the folder
            says, or the preset.
        query_prompt: stands before a query; None for the preset's, or the folder's own.
        document_prompt: stands before a document; None likewise.
        task: what the queries are for, in words, where the prompt has a place for it.
        batch_tokens: tokens that the model reads at a time, padding included; None for what suits the device.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; None for the best there is.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for ``float16`` on ``cuda`` and ``float32`` elsewhere,
            which is taken for the same encoder: what one machine indexed, another can search.
        trust_remote_code: run Python code that comes with the model.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: there is no such folder or preset, or the model is no sentence encoder.
    """

    def __init__(
        self,
        model: str | PathLike[str],
        *,
        preset: str | None = None,
        pooling: str | None = None,
        max_length: int | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        task: str | None = None,
        batch_tokens: int | None = None,
        device: str | None = None,
        dtype: str | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        for name, value in (("max_length", max_length), ("batch_tokens", batch_tokens)):
            if value is not None:
                check_number("sentence", name, value, low=8, integer=True)
        if dtype is not None and dtype not in DTYPES:
            raise ModelError(f"sentence: dtype={dtype!r} is not one of {', '.join(DTYPES)}.")
        self._asked = Asked(pooling, max_length, query_prompt, document_prompt, task)
        check_asked(model, self._asked)
        self._preset = chosen_preset(model, preset)
        self._decisive = {**vars(self._asked), "preset": preset, "dtype": dtype, "trust_remote_code": trust_remote_code}
        self._model, self._device, self._dtype, self._trusted = fspath(model), device, dtype, trust_remote_code
        self._batch_tokens = batch_tokens
        self._remembered: Remembered[str, Vectors] = Remembered()
        if is_folder(model):
            self.__dict__["folder"] = find_model(model)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SentenceEncoder) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"SentenceEncoder({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}

    @property
    def name(self) -> str:
        """The model's name or folder; with other parameters, the call of ``sentence`` that makes this encoder."""
        given = {name: value for name, value in self._decisive.items() if value is not None and value is not False}
        if not given and is_model_name(self._model):
            return self._model
        return write_spec("sentence", {"model": self._model, **given})

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever the same text could have another vector, but for rounding on another device.

        Raises:
            ModelError: the model is not there, or cannot be read.
        """
        settings = {**vars(self.settings), "dtype": self._dtype, "version": _VERSION}
        return model_digest(self.folder, settings)

    @cached_property
    def folder(self) -> Path:
        """Where the model's files are."""
        return find_model(self._model, trust_remote_code=self._trusted)

    @cached_property
    def settings(self) -> Settings:
        """What the model is run with."""
        return settle(self.folder, self._asked, self._preset)

    @cached_property
    def _loaded(self) -> Loaded:
        placed = placement(self._device, self._dtype)
        key = ("sentence", self.fingerprint, placed, self._trusted)
        return shared(key, lambda: load(self.folder, self.settings, placed, trust_remote_code=self._trusted))

    @property
    def dimensions(self) -> int:
        """Length of a vector; loads the model."""
        return self._loaded.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents, float32 [n, d], rows of length 1, or 0 for a text of white space.

        Raises:
            ModelError: the model cannot be loaded, or does not fit into memory.
        """
        return self.encode_counted(texts, lambda done: None)

    def encode_counted(self, texts: Sequence[str], advance: Advance) -> Vectors:
        """Return what :meth:`encode` returns, and tell `advance` of every batch how many more texts are done."""
        return self._encode(texts, "document", advance)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, as :meth:`encode`; those that were asked for last are remembered."""
        found = self._remembered.of(list(texts), lambda new: list(self._encode(new, "query")))
        return np.stack(found) if found else np.zeros((0, self.dimensions), dtype=np.float32)

    def _encode(self, texts: Sequence[str], task: Task, advance: Advance = lambda done: None) -> Vectors:
        loaded, settings = self._loaded, self.settings
        composed = [unicodedata.normalize("NFC", text) for text in texts]
        said = [number for number, text in enumerate(composed) if text.strip()]
        out = np.zeros((len(composed), loaded.dimensions), dtype=np.float32)
        advance(len(composed) - len(said))
        if not said:
            return out
        spoken = [composed[number] for number in said]
        prompt = settings.query_prompt if task == "query" else settings.document_prompt
        tokens = self._batch_tokens or batch_tokens_of(loaded.device)
        out[said], truncated = encode_texts(loaded, spoken, prompt, task, tokens, advance)
        if truncated:
            _LOG.info("%s read %d of %d texts only as far as %d tokens.", self.name, truncated, len(said), loaded.limit)
        return out


def sentence_encoder(
    collection: object,
    *,
    model: str,
    preset: str | None = None,
    pooling: str | None = None,
    max_length: int | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    task: str | None = None,
    batch_tokens: int | None = None,
    device: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
) -> SentenceEncoder:
    """Any sentence encoder: ``dense("BAAI/bge-m3")``, in full ``dense(encoder='sentence(model="BAAI/bge-m3")')``.

    Args:
        model: a folder, or the name of a model on the hub.
        preset: name of the model whose prompts and limits apply, for a folder that does not say them itself.
        pooling: ``cls``, ``mean`` or ``last``; None for what the folder or the preset says.
        max_length: tokens that are read of a text; None for what the folder or the preset says.
        query_prompt: stands before a query; None for what the preset or the folder says.
        document_prompt: stands before a document; None likewise.
        task: what the queries are for, in words, where the prompt has a place for it.
        batch_tokens: tokens that the model reads at a time; None for what suits the device.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; None for the best there is.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
        trust_remote_code: run Python code that comes with the model.
    """
    return SentenceEncoder(
        model,
        preset=preset,
        pooling=pooling,
        max_length=max_length,
        query_prompt=query_prompt,
        document_prompt=document_prompt,
        task=task,
        batch_tokens=batch_tokens,
        device=device,
        dtype=dtype,
        trust_remote_code=trust_remote_code,
    )
