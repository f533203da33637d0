"""Where the static models of a collection are: in the folder ``static`` beside its corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from legalir.encode.static.folder import ABOUT
from legalir.errors import ComponentError, suggestion

__all__ = ["find_model", "own_model"]

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
