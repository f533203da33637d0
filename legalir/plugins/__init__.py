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

from legalir.plugins.accepted import Accepted
from legalir.plugins.blame import culprit, owner
from legalir.plugins.discovery import refresh, tolerate
from legalir.plugins.documented import Parameter, parameters, summary
from legalir.plugins.entry import GROUP, PIPELINE_ROLES, RESERVED, ROLES, Factory, PluginEntry
from legalir.plugins.failure import describe
from legalir.plugins.loading import construct, load, load_entry, misfit
from legalir.plugins.making import make
from legalir.plugins.registry import entries, is_installed, misnamed, own_first, resolve
from legalir.plugins.spec import read_spec, write_spec
from legalir.plugins.states import Overview, overview, problems

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
    "misfit",
    "misnamed",
    "overview",
    "own_first",
    "owner",
    "parameters",
    "problems",
    "read_spec",
    "refresh",
    "resolve",
    "summary",
    "tolerate",
    "write_spec",
]
