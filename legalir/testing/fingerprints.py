"""Checks of the names and fingerprints by which indexes refer to analyzers and encoders."""

from __future__ import annotations

import re
from collections.abc import Callable

from legalir.collection.collection import Collection
from legalir.errors import LegalIRError
from legalir.testing.checks import Failed, NotApplicable
from legalir.testing.sandbox import Sandbox


def check_name(name: object, cure: str = "give the name of the entry.") -> None:
    """Raise Failed unless `name` is a text of 1 to 200 printable characters."""
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= 200:
        raise Failed(f"the name {name!r} is not a text of 1 to 200 printable characters: {cure}")


def fingerprint(sandbox: Sandbox) -> None:
    """The fingerprint has at least 8 hex digits, the same for two components of the same parameters."""
    collection = sandbox.collection()
    first, second = sandbox.make(collection).fingerprint, sandbox.make(collection).fingerprint
    if not isinstance(first, str) or re.fullmatch(r"[0-9a-f]{8,}", first) is None:
        raise Failed(f"the fingerprint {first!r} is not 8 or more hex digits: use hashlib.sha256(…).hexdigest().")
    if first != second:
        raise Failed("two with equal parameters have two fingerprints: compute it from parameters and versions only.")


def check_fingerprint_of_parameters(
    sandbox: Sandbox, what: str, differ: Callable[[object, object, Collection], bool]
) -> None:
    """Change each parameter with a number or a truth value as default; a value that the factory refuses is left out.

    Args:
        sandbox: of the check.
        what: the output, such as ``terms``.
        differ: returns whether two components over a collection, its arguments, have different output.

    Raises:
        Failed: a parameter changes the output and not the fingerprint.
        NotApplicable: there is no such parameter.
    """
    collection, under_test = sandbox.collection(), sandbox.under_test
    own, changed = sandbox.make(collection), False
    for name, default in under_test.defaults().items():
        value = under_test.params.get(name, default)
        if not isinstance(value, bool | int | float):
            continue
        other_value = not value if isinstance(value, bool) else value + 1
        try:
            other = sandbox.make(collection, **{name: other_value})
        except LegalIRError:
            continue
        changed = True
        if own.fingerprint == other.fingerprint and differ(own, other, collection):
            raise Failed(
                f"with {name}={other_value!r} {what} change and the fingerprint does not: make it of all parameters."
            )
    if not changed:
        raise NotApplicable("no parameter of the factory has a default that the kit could change")
