"""What the folder of a model consists of, as its JSON files say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from legalir.errors import ModelError

__all__ = ["module_paths", "read_json", "stated"]


def read_json(path: Path) -> Any:
    """Return what a JSON file of a model holds.

    Raises:
        ModelError: it is missing, or no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror or error}): get the whole model again.") from error
    except ValueError as error:
        raise ModelError(f"{path} was cut off or altered, and is no JSON: get the whole model again.") from error


def stated(path: Path, key: str) -> Any:
    """Return what a JSON file says under `key`; None where there is no such file, or it does not say.

    Raises:
        ModelError: the file is no JSON.
    """
    content = read_json(path) if path.is_file() else None
    return content.get(key) if isinstance(content, dict) else None


def module_paths(folder: Path) -> list[str]:
    """Return the folders inside `folder` that ``modules.json`` names; none where there is no such file.

    Raises:
        ModelError: ``modules.json`` is no list of modules.
    """
    file = folder / "modules.json"
    if not file.is_file():
        return []
    try:
        return [str(module["path"]) for module in read_json(file) if module["path"]]
    except (TypeError, KeyError) as error:
        raise ModelError(f"{file} is no list of modules: get the whole model again.") from error
