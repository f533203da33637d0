"""Making what is no transformer: analyzers, encoders and sources, from the text that names them."""

from __future__ import annotations

from legalir.errors import ComponentError
from legalir.plugins.accepted import Accepted
from legalir.plugins.loading import construct, load_entry
from legalir.plugins.registry import check_role, resolve
from legalir.plugins.spec import read_spec

__all__ = ["make"]


def make(role: str, spec: str, /, collection: object = None, **params: object) -> object:
    """Return what the plugin that `spec` names makes: for roles whose factory gives no transformer.

    ``make("analyzer", 'kiwi(tags="all")')`` calls the factory of the analyzer ``kiwi`` as
    ``factory(collection, tags="all")``. The caller checks that the result plays its role.

    Args:
        role: ``analyzer``, ``encoder`` or ``source``.
        spec: the name of a plugin, or a call of it whose parameters are literals.
        collection: handed to the factory; None outside a collection.
        params: handed to the factory; they go before those in `spec`.

    Raises:
        ComponentError: `spec` cannot be read, or the factory has no such parameter, or needs another.
        PluginError: no plugin has this name, or it is broken, or it fails while it makes the component; the message
            names package, version and cause.
        LegalIRError: whatever the factory raises on purpose.
    """
    check_role(role)
    name, written = read_spec(spec)
    entry = resolve(name, (role,))
    factory = load_entry(entry)
    given = {**written, **params}
    accepted = Accepted(name, factory)
    if found := accepted.fault_in_names(given):
        raise ComponentError(found[1])
    if complaint := accepted.fault_in_call([], given):
        raise ComponentError(complaint)
    return construct(entry, factory, collection, params=given)
