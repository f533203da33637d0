"""Approximate search as it is asked for: ``hnsw``, a graph of neighbours, or ``ivf``, lists around centres.

What is asked for is text, as ``"hnsw"``, ``"hnsw(m=32, ef_construction=200, ef=128)"`` or
``"ivf(lists=1000, probes=50)"``. It is read and never evaluated.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from legalir.component import check_number
from legalir.errors import ComponentError, suggestion
from legalir.plugins import read_spec, write_spec

__all__ = ["HNSW", "IVF", "Approximate", "read_approximate"]

_PER_LIST = 39
"""Vectors that each centre is trained on at least: what FAISS asks for."""

_PROBES = 16
"""Lists that are looked at, at least, where nothing else was asked for."""

_BOUNDS = {"m": (2, 1024)}
"""Values of a parameter that has others than the numbers from 1."""


@dataclass(frozen=True, slots=True)
class _Parameters:
    """Whole numbers, each stored under its own name."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for key, value in asdict(self).items():
            if value is not None or _DEFAULTS[self.name][key] is not None:
                low, high = _BOUNDS.get(key, (1, math.inf))
                check_number(self.name, key, value, low=low, high=high, integer=True)
                object.__setattr__(self, key, int(value))  # numpy's integers are written otherwise

    def __str__(self) -> str:
        return write_spec(self.name, {key: value for key, value in asdict(self).items() if value is not None})

    @property
    def fingerprint(self) -> str:
        """Hex digest that tells searches apart."""
        return hashlib.sha256(str(self).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class HNSW(_Parameters):
    """Hierarchical navigable small world graphs (Malkov and Yashunin, 2018), whose parameters these are.

    Attributes:
        m: neighbours of a vector on the upper layers; twice as many on the lowest.
        ef_construction: candidates that are looked at when a vector is put in.
        ef: candidates that are looked at in a search. Of more results than this, those further down the list are only
            the best of what the search came by.
    """

    name: ClassVar[str] = "hnsw"

    m: int = 32
    ef_construction: int = 200
    ef: int = 256


@dataclass(frozen=True, slots=True)
class IVF(_Parameters):
    """Inverted lists: each vector in the list of the nearest centre (Sivic and Zisserman, 2003; FAISS's ``IndexIVF``).

    Attributes:
        lists: how many; None for four times the root of the number of vectors. There are fewer where a list would have
            less than 39 of the vectors that the centres are made from.
        probes: lists that are looked at in a search, the nearest; None for a sixteenth of them, and 16 at least.
    """

    name: ClassVar[str] = "ivf"

    lists: int | None = None
    probes: int | None = None

    def fitted(self, vectors: int, sample: int) -> IVF:
        """Return what is to be built for so many distinct `vectors`, of which `sample` make the centres.

        Args:
            vectors: at least 1.
            sample: at least 1.
        """
        wanted = self.lists or round(4 * math.sqrt(vectors))
        lists = max(1, min(wanted, sample // _PER_LIST))
        return IVF(lists, min(self.probes or max(_PROBES, math.ceil(lists / 16)), lists))


Approximate = HNSW | IVF

_KINDS: dict[str, type[HNSW] | type[IVF]] = {"hnsw": HNSW, "ivf": IVF}
_DEFAULTS: dict[str, dict[str, Any]] = {
    name: {field.name: field.default for field in fields(kind)} for name, kind in _KINDS.items()
}


def read_approximate(spec: str | Approximate) -> Approximate:
    """Return the search that `spec` names, or `spec` itself where it is one.

    Raises:
        ComponentError: there is no such search, or it has no such parameter or value; the message says what there is.
    """
    if isinstance(spec, HNSW | IVF):
        return spec
    if not isinstance(spec, str):
        raise ComponentError(f"approximate={spec!r} is no text. {_accepted()}")
    try:
        name, params = read_spec(spec)
    except ComponentError as error:
        raise ComponentError(f"approximate: {error} {_accepted()}") from None
    if name not in _KINDS:
        raise ComponentError(f"approximate={name!r} is no search.{suggestion(name, set(_KINDS))} {_accepted()}")
    known = _DEFAULTS[name]
    for key in params:
        if key not in known:
            raise ComponentError(f"{name} has no parameter {key!r}.{suggestion(key, set(known))} {_accepted(name)}")
    values: dict[str, Any] = params
    return _KINDS[name](**values)


def _accepted(*names: str) -> str:
    shown = [
        f"{name}({', '.join(f'{key}={value!r}' for key, value in _DEFAULTS[name].items())})" for name in names or _KINDS
    ]
    return f"Accepted: {' or '.join(shown)}."
