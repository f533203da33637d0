"""Parameters that are refused: by the attributes of the error, whatever its message says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from legalir.errors import ComponentError, LegalIRError


@contextmanager
def refused(
    component: str | None, parameter: str, value: object, error: type[LegalIRError] = ComponentError
) -> Iterator[None]:
    """Fail unless the block raises `error` for this value of a parameter of a component."""
    with pytest.raises(error) as caught:
        yield
    found = caught.value
    assert (found.component, found.parameter, repr(found.value)) == (component, parameter, repr(value))
