"""Components that come as entry points: find them, load them, contain what is broken.

A package offers a component by an entry point of group ``legalir.v1`` named ``role.name`` whose value is a
factory, called as ``factory(collection, *pipelines, **params)``; the built-in components come the same way.
Listing reads metadata and imports nothing. What is wrong with one plugin concerns its name alone.
An entry point of another group ``legalir.v<N>`` is known, so that a message can say what to install, and never
imported.

``LEGALIR_DISABLE_PLUGINS`` holds names, separated by commas, that are treated as absent: a package
(``legalir-qdrant``), one entry (``retriever.qdrant``) or a component in any role (``qdrant``), of any package or of one
(``legalir-qdrant/retriever.qdrant``, ``legalir-qdrant/qdrant``).
"""

from __future__ import annotations

from legalir.plugins.contract import (
    GROUP,
    PIPELINE_ROLES,
    RESERVED,
    ROLES,
    Factory,
    PluginEntry,
    parameters_of,
)
from legalir.plugins.discovery import describe, entries, is_installed, misnamed, own_first, refresh, resolve, tolerate
from legalir.plugins.loading import Overview, construct, culprit, load, load_entry, overview, owner, problems
from legalir.plugins.making import make, read_spec, write_spec
from legalir.plugins.signature import Accepted, Parameter, parameters, summary

__all__ = [
    "GROUP",
    "PIPELINE_ROLES",
    "RESERVED",
    "ROLES",
    "Accepted",
    "Factory",
    "Overview",
    "Parameter",
    "PluginEntry",
    "construct",
    "culprit",
    "describe",
    "entries",
    "is_installed",
    "load",
    "load_entry",
    "make",
    "misnamed",
    "overview",
    "own_first",
    "owner",
    "parameters",
    "parameters_of",
    "problems",
    "read_spec",
    "refresh",
    "resolve",
    "summary",
    "tolerate",
    "write_spec",
]
