"""What is checked of analyzers and encoders alike: the name and the fingerprint that indexes are stored with."""

from __future__ import annotations

import re

from legalir.testing.outcome import Failed
from legalir.testing.trial import Trial

__all__ = ["check_name", "fingerprint"]


def check_name(name: object) -> None:
    """Raise Failed where `name` is no text of 1 to 200 printable characters."""
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= 200:
        raise Failed(f"the name {name!r} is no text of 1 to 200 printable characters: give the name of the entry.")


def fingerprint(trial: Trial) -> None:
    """The fingerprint is at least 8 hex digits, the same for two that were made alike."""
    collection = trial.collection()
    first, second = trial.component(collection).fingerprint, trial.component(collection).fingerprint
    if not isinstance(first, str) or re.fullmatch(r"[0-9a-f]{8,}", first) is None:
        raise Failed(f"the fingerprint {first!r} is not 8 or more hex digits: take hashlib.sha256(…).hexdigest().")
    if first != second:
        raise Failed("two that were made alike have two fingerprints: let what was given and versions alone make it.")
