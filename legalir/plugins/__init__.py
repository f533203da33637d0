"""Components as plugins: the contract, the entry points that are installed, and a component made from its name.

Legalir's own components are plugins, too. Listing reads metadata and imports nothing; a fault of one plugin concerns
its names alone. Start with :mod:`legalir.plugins.contract`.
"""

from __future__ import annotations

from legalir.plugins.contract import PIPELINE_ROLES, ROLES, Factory, PluginEntry, parameters_of
from legalir.plugins.discovery import entries, is_installed, resolve
from legalir.plugins.loading import Plugin, load
from legalir.plugins.making import make
from legalir.plugins.origin import plugin_of

__all__ = [
    "PIPELINE_ROLES",
    "ROLES",
    "Factory",
    "Plugin",
    "PluginEntry",
    "entries",
    "is_installed",
    "load",
    "make",
    "parameters_of",
    "plugin_of",
    "resolve",
]
