"""Import of optional packages, with one sentence on how to install a missing one."""

from __future__ import annotations

import importlib
from types import ModuleType

from legalir.errors import MissingExtra


def require(module: str, *, extra: str) -> ModuleType:
    """Import `module`, which belongs to the optional dependencies `extra`.

    Raises:
        MissingExtra: the module is not installed; the message contains the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise MissingExtra(
            f"This needs the package {module.split('.')[0]!r}, which is not installed: pip install 'legalir[{extra}]'"
        ) from error
