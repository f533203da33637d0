"""Encoder ``static``: a static model, from a folder, by its name in a collection, or the collection's own model."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from legalir.collections import Collection
from legalir.dense.contract import Vectors
from legalir.dense.static_embedding import TokenModel, is_static_embedding
from legalir.dense.static_model import ABOUT, StaticModel, model_fingerprint, read_about
from legalir.errors import ComponentError, ModelError, suggestion
from legalir.models.presets import log_cut

_FOLDER = "static"
"""Folder of a collection's models, next to its corpus."""


def own_model(collection: Collection | None) -> Path | None:
    """Return the folder of a collection's own model, None if it has none.

    It is the folder that ``static`` names in ``dataset.yaml``, relative to the collection's, or else its folder
    ``static``, if that contains a model.

    Raises:
        ComponentError: ``dataset.yaml`` names a folder without a model.
    """
    if collection is None:
        return None
    folder = collection.source.folder
    root, name = folder.root, folder.about.static
    if name is None:
        return root / _FOLDER if (root / _FOLDER / ABOUT).is_file() else None
    if not (root / name / ABOUT).is_file():
        raise ComponentError(
            f"{root / 'dataset.yaml'} names the static model {name!r}, which does not exist: train it with --out "
            f"{root / name}, or take the line out."
        )
    return root / name


def model_folder(collection: Collection | None, model: str | None) -> Path:
    """Return the folder of the static model that a user names.

    Args:
        collection: whose models can be named; None outside a collection.
        model: path of a folder, the name of a folder in the collection's folder ``static``, or None for the
            collection's own.

    Raises:
        ComponentError: `model` is not text.
        ModelError: there is no such model.
    """
    if model is None:
        own = own_model(collection)
        if own is None:
            whose = "There is no collection here" if collection is None else f"{collection.id} has no model of its own"
            raise ModelError(f'static: {whose}: name a folder, as in static(model="FOLDER"), or train one.')
        return own
    if not isinstance(model, str) or not model:
        raise ComponentError(f"static: model={model!r} is not text: give the path of a folder.")
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    folders = [] if collection is None else (collection.source.folder.root / _FOLDER).glob(f"*/{ABOUT}")
    models = {about.parent.name: about.parent for about in sorted(folders)}
    if model in models:
        return models[model]
    hint = suggestion(model, list(models))
    raise ModelError(f"static: there is no folder {model}.{hint} Give one that holds a model.")


class StaticEncoder:
    """Encodes with a static model; its table is opened for the first text.

    Args:
        model: a model, or the folder of one: of a :class:`~legalir.dense.static_model.StaticModel`, or of a
            ``StaticEmbedding`` of sentence-transformers.

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

    def __reduce__(self) -> tuple[Any, ...]:
        return StaticEncoder, (self.model if self._folder is None else self._folder,)

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
        """Return the vectors of documents, float32 [n, d], rows of length 1, or 0 for a text without features.

        Raises:
            ArtifactError: the table of the model was altered.
        """
        self._log_cut("document", texts)
        return self.model.encode(texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries; a StaticModel treats them as documents."""
        self._log_cut("query", texts)
        return self.model.encode_queries(texts)

    def _log_cut(self, task: Literal["query", "document"], texts: Sequence[str]) -> None:
        most = self.model.ngrams.max_characters if isinstance(self.model, StaticModel) else None
        if most is not None:
            cut = sum(len(unicodedata.normalize("NFC", text)) > most for text in texts if len(text) > most)
            log_cut(self.name, task, cut, len(texts), most, "characters")

    def contributions(self, query: str, vector: Vectors) -> dict[str, float]:
        """Return the share of each word of `query` in the cosine of its vector with `vector`, [d]."""
        return self.model.contributions(query, vector)


def static_encoder(collection: Collection | None, *, model: str | None = None) -> StaticEncoder:
    """A trained static model: ``dense(encoder='static(model="FOLDER")')``.

    Args:
        model: folder of a model that ``legalir train static`` wrote, or of a ``StaticEmbedding`` of
            sentence-transformers; the name of a model in the collection's folder ``static``; None for the collection's
            own.
    """
    return StaticEncoder(model_folder(collection, model))
