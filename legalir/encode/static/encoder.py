"""Static models as encoders: ``dense(encoder='static(model="FOLDER")')``.

Where the static models of a collection are: in the folder ``static`` beside its corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from legalir.encode.contract import Vectors
from legalir.encode.static.folder import ABOUT, read_about
from legalir.encode.static.model import StaticModel, model_fingerprint
from legalir.encode.static.sentence_transformer import TokenModel, is_static_embedding
from legalir.errors import ComponentError, suggestion

__all__ = ["StaticEncoder", "find_model", "own_model", "static_encoder"]

_FOLDER = "static"


def own_model(collection: Any) -> Path | None:
    """Return the folder of a collection's own model, None where it has none.

    It is the folder that ``static`` names in ``dataset.yaml``, relative to the collection's, or else its folder
    ``static``, where that holds a model.

    Raises:
        ComponentError: ``dataset.yaml`` names a folder without a model.
    """
    source: Any = getattr(collection, "source", None)
    if source is None:
        return None
    root: Path = source.folder.root
    named: str | None = getattr(source.folder.about, "static", None)
    if named is None:
        return root / _FOLDER if (root / _FOLDER / ABOUT).is_file() else None
    if not (root / named / ABOUT).is_file():
        raise ComponentError(
            f"{root / 'dataset.yaml'} names the static model {named!r}, and there is none: train it with --out "
            f"{root / named}, or take the line out."
        )
    return root / named


def find_model(collection: Any, model: str | None) -> Path:
    """Return the folder of the static model that a user names.

    Args:
        collection: whose models can be named; None outside a collection.
        model: path of a folder, the name of a folder in the collection's folder ``static``, or None for the
            collection's own.

    Raises:
        ComponentError: there is none.
    """
    if model is None:
        own = own_model(collection)
        if own is None:
            whose = "There is no collection here" if collection is None else f"{collection.id} has no model of its own"
            raise ComponentError(f'static: {whose}: name a folder, as in static(model="FOLDER"), or train one.')
        return own
    if not isinstance(model, str) or not model:
        raise ComponentError(f"static: model={model!r} is no text: give the path of a folder.")
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    source: Any = getattr(collection, "source", None)
    home = None if source is None else Path(source.folder.root) / _FOLDER
    names = [] if home is None else _names(home)
    if home is not None and model in names:
        return home / model
    raise ComponentError(f"static: there is no folder {model}.{suggestion(model, names)} Give one that holds a model.")


def _names(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob(f"*/{ABOUT}"))


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
