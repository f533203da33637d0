"""Making a component from the text that names it."""

from __future__ import annotations

import re

from legalir.errors import AnalyzerError, ComponentError
from legalir.plugins.contract import ROLES, PluginEntry
from legalir.plugins.discovery import check_role, is_installed, resolve
from legalir.plugins.loading import load
from legalir.plugins.spec import read_spec


def find(role: str, spec: str) -> tuple[PluginEntry, dict[str, object]]:
    """Return the entry that `spec` names in `role`, and the parameters in `spec`; nothing is imported.

    An analyzer can be called by its name and a number, its parameter ``n``: ``jamo3`` is ``jamo(n=3)``.

    Raises:
        ComponentError: `spec` cannot be read.
        PluginNotFound: no package offers it.
        PluginError: there is no such role, or the plugin is disabled, disputed or breaks the contract.
    """
    check_role(role)
    name, params = read_spec(spec)
    numbered = re.fullmatch(r"(\D+)([0-9]{1,3})", name) if role == "analyzer" else None
    if numbered and not is_installed(name, (role,)) and is_installed(numbered[1], (role,)) and "n" not in params:
        return resolve(numbered[1], (role,)), {"n": int(numbered[2]), **params}
    return resolve(name, (role,)), params


def make(role: str, spec: str, /, collection: object = None, *pipelines: object, **params: object) -> object:
    """Make the component that `spec` names: an instance of a type that the role asks for.

    ``make("analyzer", 'kiwi(tags="all")')`` calls the factory of the analyzer ``kiwi`` as
    ``factory(collection, tags="all")``.

    Args:
        role: one of :data:`ROLES`.
        spec: the name of a plugin, or a call of it whose parameters are literals.
        collection: given to the factory; it can be None for a role whose names are not those of expressions.
        pipelines: given to the factory, for a role whose names are those of expressions.
        params: given to the factory; they replace those in `spec`.

    Raises:
        ComponentError: `spec` cannot be read, the factory does not have this parameter, or it lacks a parameter, a
            pipeline or the collection.
        PluginNotFound: no package offers it.
        PluginError: the plugin is broken, fails while it makes the component, or makes an object of another type; the
            message names package, version and cause.
        LegalIRError: any error that the factory raises on purpose.
    """
    entry, written = find(role, spec)
    if collection is None and ROLES[role].in_expressions:
        raise ComponentError(f"{entry.name}: the collection is missing: every {role} is made for a collection.")
    plugin = load(entry)
    given = {**written, **params}
    if unknown := plugin.signature.unknown_parameter(given):
        if unknown[0] == "n" and read_spec(spec)[0] != entry.name:
            raise AnalyzerError(f"The analyzer {entry.name!r} takes no number: write {entry.name!r}, not {spec!r}.")
        raise ComponentError(unknown[1])
    if fault := plugin.signature.fault(pipelines, given):
        raise ComponentError(fault)
    return plugin.make(collection, pipelines, given)
