"""The source ``auto``: each file is read by the format that recognises it."""

from __future__ import annotations

import sys

from legalir import plugins
from legalir.contract import factory_of
from legalir.statutes.importing.files import Format, StatuteFiles


def formats() -> tuple[Format, ...]:
    """Return the formats of all sources that are installed, general ones last: what their modules have as ``FORMATS``.

    Raises:
        PluginError: a source cannot be imported.
    """
    modules = dict.fromkeys(
        module
        for entry in plugins.entries("source")
        for module in (plugins.load(entry).factory.__module__, entry.value.partition(":")[0])
    )
    found: list[Format] = [each for module in modules for each in getattr(sys.modules[module], "FORMATS", ())]
    return tuple(sorted(found, key=lambda each: each.general))


auto = factory_of(
    StatuteFiles,
    'Files of any publishers; their formats are recognised and reported: ``auto(path="laws.zip")``.',
    formats=lambda collection: formats(),
)
