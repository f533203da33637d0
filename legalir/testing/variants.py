"""Neighbours of a component: the same but for one parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from legalir.errors import LegalIRError

if TYPE_CHECKING:
    from legalir.collection import Collection
    from legalir.testing.trial import Trial

__all__ = ["variants"]


def variants(trial: Trial, collection: Collection) -> Iterator[tuple[str, Any]]:
    """Yield ``name=value`` and the component made with it, for each parameter with a number or a truth value.

    A value that the factory refuses is left out.
    """
    for name, parameter in trial.subject.parameters().items():
        value = trial.subject.params.get(name, parameter.default)
        if isinstance(value, bool):
            other: object = not value
        elif isinstance(value, int | float):
            other = value + 1
        else:
            continue
        try:
            yield f"{name}={other!r}", trial.component(collection, **{name: other})
        except LegalIRError:
            continue
