"""Static models as encoders: ``dense(encoder='static(model="FOLDER")')``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path

from legalir.encode.encoder import Vectors
from legalir.encode.static.folder import read_about
from legalir.encode.static.model import StaticModel, model_fingerprint
from legalir.encode.static.own import find_model
from legalir.encode.static.sentence_transformer import TokenModel, is_static_embedding

__all__ = ["StaticEncoder", "static_encoder"]


class StaticEncoder:
    """Encodes with a static model; its table is opened when the first text is encoded.

    Args:
        model: a model, or the folder of one: of ours, or of a ``StaticEmbedding`` of sentence-transformers.

    Raises:
        ArtifactError: a file of the model is missing, truncated or altered, or it has another format.
        ComponentError: there is no such folder, or no model in it.
    """

    name = "static"

    def __init__(self, model: str | PathLike[str] | StaticModel | TokenModel) -> None:
        self._folder: Path | None = None
        if isinstance(model, StaticModel | TokenModel):
            self.__dict__["model"] = model
            self.fingerprint: str = model.fingerprint
            return
        self._folder = Path(model)
        if is_static_embedding(self._folder):
            self.fingerprint = self.model.fingerprint
        else:
            self.fingerprint = model_fingerprint(read_about(self._folder))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticEncoder) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"StaticEncoder({self.model!r})" if self._folder is None else f"StaticEncoder({str(self._folder)!r})"

    @cached_property
    def model(self) -> StaticModel | TokenModel:
        """The model."""
        assert self._folder is not None
        return TokenModel.load(self._folder) if is_static_embedding(self._folder) else StaticModel.load(self._folder)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents, float32 [n, d], rows of length 1, or 0 for a text of which nothing is read.

        Raises:
            ArtifactError: the table of the model was altered.
        """
        return self.model.encode(texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, which a model of ours treats as documents."""
        return self.model.encode_queries(texts)

    def contributions(self, query: str, vector: Vectors) -> dict[str, float]:
        """Return what the words of `query` add to the cosine of its vector with `vector`, [d]."""
        return self.model.contributions(query, vector)


def static_encoder(collection: object, *, model: str | None = None) -> StaticEncoder:
    """A trained static model: ``dense(encoder='static(model="FOLDER")')``.

    Args:
        model: folder of a model that ``legalir train static`` wrote, or of a ``StaticEmbedding`` of
            sentence-transformers; the name of a model in the collection's folder ``static``; None for the collection's
            own.
    """
    return StaticEncoder(find_model(collection, model))
