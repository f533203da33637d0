"""``StaticEmbedding`` models of sentence-transformers and model2vec: read with numpy and the package tokenizers."""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from legalir.analysis.analyzer import fingerprint
from legalir.dense.contract import Vectors
from legalir.dense.static_model import ABOUT, TENSORS, read_tensors
from legalir.errors import ArtifactError, ComponentError
from legalir.extras import require
from legalir.storage.arrays import unit_rows, widened
from legalir.storage.digest import cached_file_digest

_TOKENIZER, _MODULES, _CONFIG = "tokenizer.json", "modules.json", "config_sentence_transformers.json"
_NEEDS = "only a StaticEmbedding, which Normalize may follow, can be read without torch"


def is_static_embedding(folder: Path) -> bool:
    """Return True if a folder contains a model of sentence-transformers or model2vec, not one of legalir's."""
    if (folder / ABOUT).exists():
        return False
    return (folder / _MODULES).is_file() or ((folder / _TOKENIZER).is_file() and (folder / TENSORS).is_file())


class TokenModel:
    """A ``StaticEmbedding``: the mean of the vectors of the tokens of a text, scaled to length 1.

    Texts are brought to NFC first, which sentence-transformers leaves to the tokenizer.

    Args:
        tokenizer: a ``tokenizers.Tokenizer``.
        table: vector of each token, [tokens, d].
        fingerprint: hex digest of their files.
        prompts: texts that are put before a ``query`` and a ``document``.
    """

    def __init__(
        self, tokenizer: Any, table: npt.NDArray[Any], fingerprint: str, prompts: Mapping[str, str] | None = None
    ) -> None:
        self.tokenizer = tokenizer
        self.table = table
        self.fingerprint = fingerprint
        self.prompts = dict(prompts or {})

    def __repr__(self) -> str:
        return f"TokenModel({len(self.table)} tokens, {self.dimensions} dimensions)"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.table.shape[1])

    @classmethod
    def load(cls, path: str | PathLike[str]) -> TokenModel:
        """Open a folder that sentence-transformers or model2vec wrote.

        Raises:
            ArtifactError: a file is missing or damaged.
            ComponentError: there are modules in it that need torch.
            MissingExtra: the package tokenizers is not installed.
        """
        folder = Path(path)
        home = folder / _home(folder)
        tokenizers = require("tokenizers", extra="dense")
        for name in (_TOKENIZER, TENSORS):
            if not (home / name).is_file():
                raise ArtifactError(f"{home} lacks its file {name}: copy the model again.")
        try:
            tokenizer = tokenizers.Tokenizer.from_file(str(home / _TOKENIZER))
        except Exception as error:  # The package raises nothing more precise.
            raise ArtifactError(f"{home / _TOKENIZER} is not a tokenizer ({error}): copy the model again.") from error
        tokenizer.no_padding()
        table = _table(home / TENSORS)
        if tokenizer.get_vocab_size() > len(table):
            raise ArtifactError(
                f"{home} has {tokenizer.get_vocab_size()} tokens and vectors for {len(table)}: copy the model again."
            )
        prompts = _json(folder / _CONFIG, {}).get("prompts") or {}
        digests = [cached_file_digest(home / name) for name in (_TOKENIZER, TENSORS)]
        return cls(tokenizer, table, fingerprint("static-tokens/1", {"files": digests, "prompts": prompts}), prompts)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents, float32 [n, d], rows of length 1, or 0 for a text without tokens."""
        return self._encode(texts, self.prompts.get("document", ""))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, as :meth:`encode`, after the model's prompt for them, if it has one."""
        return self._encode(texts, self.prompts.get("query", ""))

    def contributions(self, query: str, vector: Vectors) -> dict[str, float]:
        """Return the share of each token of `query` in the cosine of its vector with `vector`, [d].

        The shares sum up to the cosine.
        """
        text = _readable(self.prompts.get("query", "") + query)
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        parts = self.table[np.array(encoding.ids, dtype=np.int64)].astype(np.float64)
        length = float(np.linalg.norm(parts.sum(axis=0)))
        shares: defaultdict[str, float] = defaultdict(float)
        for token, (begin, end), row in zip(encoding.tokens, encoding.offsets, parts if length else [], strict=False):
            shares[text[begin:end].strip() or token] += float(row @ vector) / length
        return dict(shares)

    def _encode(self, texts: Sequence[str], prompt: str) -> Vectors:
        encodings = self.tokenizer.encode_batch([_readable(prompt + text) for text in texts], add_special_tokens=False)
        ids = [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]
        indptr = np.concatenate(([0], np.cumsum([len(one) for one in ids], dtype=np.int64))).astype(np.int64)
        used, columns = np.unique(np.concatenate([np.zeros(0, np.int64), *ids]), return_inverse=True)
        ones = np.ones(len(columns), dtype=np.float32)
        matrix = sparse.csr_array((ones, columns, indptr), shape=(len(texts), len(used)))
        return unit_rows(np.asarray(matrix @ widened(self.table[used])))


def _readable(text: str) -> str:
    """Return a text in NFC, without halves of surrogate pairs, which tokenizers cannot read."""
    return unicodedata.normalize("NFC", text).encode("utf-8", "replace").decode("utf-8")


def _home(folder: Path) -> str:
    """Return the path of the StaticEmbedding inside a folder."""
    modules = _json(folder / _MODULES, [])
    kinds = [str(module.get("type", "")).rsplit(".", 1)[-1] for module in modules]
    if kinds and (kinds[0] != "StaticEmbedding" or kinds[1:] not in ([], ["Normalize"])):
        raise ComponentError(f"{folder} is a SentenceTransformer of {', '.join(kinds)}: {_NEEDS}.")
    return str(modules[0].get("path", "")) if modules else ""


def _table(path: Path) -> npt.NDArray[Any]:
    tensors = read_tensors(path)
    table = tensors.get("embedding.weight", tensors.get("embeddings"))
    if table is None or table.ndim != 2:
        raise ArtifactError(f"{path} has no table of vectors under embedding.weight: give a StaticEmbedding.")
    if "mapping" in tensors:  # model2vec: tokens share vectors, and have weights.
        table = table[tensors["mapping"]]
    if "weights" in tensors:
        table = table * tensors["weights"].astype(np.float32)[:, None]
    return table


def _json(path: Path, default: Any) -> Any:
    if not path.is_file():
        return default
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArtifactError(f"{path} is not readable JSON: copy the model again.") from error
    if not isinstance(content, type(default)) or not all(isinstance(v, dict) for v in content if default == []):
        raise ArtifactError(f"{path} is not what sentence-transformers writes: copy the model again.")
    return content
