"""The source ``auto``: each file is read by the format that recognises it."""

from __future__ import annotations

import sys
from typing import Any

from legalir import plugins
from legalir.collections import Collection
from legalir.contract import parameters_of
from legalir.statutes.importing.files import Format, StatuteFiles


@parameters_of(StatuteFiles, without=["format"])
def auto(collection: Collection | None, **params: Any) -> StatuteFiles:
    """Files of any publishers; their formats are recognised: ``auto(path="laws.zip")``.

    The report says what each file was taken for, and which files are of no format.

    Args:
        collection: not used.
        **params: of :class:`StatuteFiles`.
    """
    return StatuteFiles(formats(), **params)


def formats() -> tuple[Format, ...]:
    """Return the formats of all sources that are installed, general ones last: what their modules have as ``FORMATS``.

    Raises:
        PluginError: a source cannot be imported.
    """
    modules = dict.fromkeys(plugins.load(entry).factory.__module__ for entry in plugins.entries("source"))
    found: list[Format] = [each for module in modules for each in getattr(sys.modules[module], "FORMATS", ())]
    return tuple(sorted(found, key=lambda each: each.general))
