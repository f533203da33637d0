"""Nearest vectors by FAISS, approximately: built beside the vectors of a dense index, stored, opened, searched.

Files of a build, next to ``vectors.npy``: ``approximate.rows.npy``, int32 [r], the rows of vectors that are not zeros,
those of equal vectors together and in order of docno; ``approximate.bounds.npy``, int64 [u + 1], where the rows of each
of the u distinct vectors begin; ``approximate.faiss.npy``, uint8 [bytes, 1], what FAISS writes, where u is not 0.

FAISS sees each distinct vector once, since a graph falls apart where more vectors are equal than one has neighbours. It
keeps them in 8 bits a number, a quarter of float32, which is enough to find candidates; their scores come from
``vectors.npy``. Its file is mapped, not read into memory.

Approximate search as it is asked for: ``hnsw``, a graph of neighbours, or ``ivf``, lists around centres.

What is asked for is text, as ``"hnsw"``, ``"hnsw(m=32, ef_construction=200, ef=128)"`` or
``"ivf(lists=1000, probes=50)"``. It is read and never evaluated.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, ComponentError, MissingExtra, suggestion
from legalir.extras import require
from legalir.frames.component import check_number
from legalir.plugins.spec import read_spec, write_spec
from legalir.storage.arrays import append_rows, load_array, save_array

__all__ = [
    "HNSW",
    "IVF",
    "Approximate",
    "Neighbours",
    "build_neighbours",
    "distinct_rows",
    "read_approximate",
    "require_faiss",
]

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


_ROWS = 16_384
"""Rows that are worked on at a time."""

_SAMPLE_BYTES = 512 * 2**20
"""Memory for the float32 vectors that centres and ranges of numbers are learnt from."""

_PER_LIST_neighbours = 64
"""Vectors for each centre, if there are so many."""

_LEAST = 256
"""Candidates that are taken from inverted lists at least."""

_MORE = 8
"""One candidate more for so many results: by 8 bits a number, the last ones are not quite those of the exact search."""


def require_faiss() -> Any:
    """Return the module.

    Raises:
        MissingExtra: it is not installed.
    """
    return require("faiss", extra="dense")


def distinct_rows(
    vectors: npt.NDArray[np.floating], order: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the rows of vectors that are not zeros, equal ones together, by `order`; and where each begins.

    Args:
        vectors: [n, d].
        order: int32 [n], a permutation.

    Returns:
        int32 [r]; int64 [u + 1]. Distinct vectors stand in order of their first rows.
    """
    digests = np.zeros(len(vectors), dtype=[("high", np.uint64), ("low", np.uint64)])
    filled = np.zeros(len(vectors), dtype=bool)
    for first in range(0, len(vectors), _ROWS):
        block = np.ascontiguousarray(vectors[first : first + _ROWS]) + vectors.dtype.type(0)  # of -0 makes 0
        filled[first : first + _ROWS] = block.any(axis=1)
        found = b"".join(hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in block)
        digests[first : first + _ROWS] = np.frombuffer(found, dtype=digests.dtype)
    rows = np.flatnonzero(filled)
    _, first_of, group = np.unique(digests[rows], return_index=True, return_inverse=True)
    group = np.argsort(np.argsort(first_of))[group]
    together = np.lexsort((order[rows], group))
    bounds = np.zeros(len(first_of) + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=len(first_of)), out=bounds[1:])
    return rows[together].astype(np.int32), bounds


def build_neighbours(directory: Path, spec: Approximate) -> dict[str, Any]:
    """Build for the vectors in `directory` what finds their neighbours; return the facts about it.

    The same vectors give the same bytes with the same FAISS (from 1.15 on; before, HNSW only with OMP_NUM_THREADS=1)
    on the same kind of processor. Memory holds what FAISS builds, d bytes a vector and its links, and the sample that
    it is trained on, no more than 512 MB.

    Raises:
        ComponentError: FAISS refuses the parameters.
        MissingExtra: FAISS is not installed.
    """
    faiss = require_faiss()
    vectors = load_array(directory / "vectors.npy")
    rows, bounds = distinct_rows(vectors, load_array(directory / "order.npy"))
    save_array(directory / "approximate.rows.npy", rows)
    save_array(directory / "approximate.bounds.npy", bounds)
    single = rows[bounds[:-1]]
    sample = _sample(len(single), vectors.shape[1], spec)
    if isinstance(spec, IVF) and len(sample):
        spec = spec.fitted(len(single), len(sample))
    if len(single):
        try:
            index = _empty_index(faiss, spec, vectors.shape[1])
            index.train(_part(vectors, single[sample]))
            for first in range(0, len(single), _ROWS):
                index.add(_part(vectors, single[first : first + _ROWS]))
        except RuntimeError as error:
            raise ComponentError(f"FAISS cannot build {spec} over {len(single)} vectors: {_reason(error)}.") from error
        with append_rows(directory / "approximate.faiss.npy", np.dtype(np.uint8), 1) as append:
            writer = faiss.PyCallbackIOWriter(lambda part: append(np.frombuffer(part, dtype=np.uint8)[:, None]))
            faiss.write_index(index, writer)
    return {"search": str(spec), "distinct": len(single), "faiss": faiss.__version__}


def _sample(u: int, dimensions: int, spec: Approximate) -> npt.NDArray[np.int64]:
    """Return which of u vectors to learn from, ascending."""
    lists = 1 if isinstance(spec, HNSW) else spec.fitted(max(u, 1), max(u, 1)).lists or 1
    most = min(u, max(1, _SAMPLE_BYTES // (4 * dimensions)), max(_ROWS, lists * _PER_LIST_neighbours))
    return np.sort(np.random.default_rng(0).choice(u, most, replace=False)) if u else np.zeros(0, dtype=np.int64)


def _part(vectors: npt.NDArray[np.floating], rows: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(vectors[rows], dtype=np.float32)


def _empty_index(faiss: Any, spec: Approximate, dimensions: int) -> Any:
    number, product = faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    if isinstance(spec, HNSW):
        index = faiss.IndexHNSWSQ(dimensions, number, spec.m, product)
        index.hnsw.efConstruction = spec.ef_construction
        return index
    index = faiss.IndexIVFScalarQuantizer(faiss.IndexFlatIP(dimensions), dimensions, spec.lists, number, product, False)
    index.cp.spherical = True  # Centres have length 1, as the vectors.
    index.cp.min_points_per_centroid = 1  # No warning about a single list of few vectors.
    return index


def _reason(error: RuntimeError) -> str:
    return str(error).strip().splitlines()[-1][:200].rstrip(".")


class Neighbours:
    """What :func:`build_neighbours` built, open.

    Args:
        path: of the index, for messages.
        arrays: verified arrays of a build by name.
        spec: what was built.

    Raises:
        ArtifactError: this FAISS cannot read the file, or it belongs to other vectors.
        MissingExtra: FAISS is not installed.
    """

    def __init__(self, path: Path, arrays: Mapping[str, npt.NDArray[Any]], spec: Approximate) -> None:
        self.rows: npt.NDArray[np.int32] = arrays["approximate.rows"]
        self.bounds: npt.NDArray[np.int64] = arrays["approximate.bounds"]
        self.spec = spec
        self._index: Any = None
        try:
            self._faiss = require_faiss()
        except MissingExtra as error:
            raise MissingExtra(f"{error}, or search {path} exactly: index.retriever(exact=True)") from error
        if len(self.bounds) > 1:
            self._index = self._opened(path, arrays["approximate.faiss"].reshape(-1), arrays["vectors"].shape[1])

    def _opened(self, path: Path, content: npt.NDArray[np.uint8], dimensions: int) -> Any:
        faiss = self._faiss
        hint = "build its approximate search again with DenseIndex(path).approximated(…)"
        try:
            self._reader = faiss.ZeroCopyIOReader(faiss.swig_ptr(content), content.size)
            index = faiss.read_index(self._reader, faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise ArtifactError(
                f"FAISS {faiss.__version__} cannot read what is in {path} ({_reason(error)}): {hint}."
            ) from error
        if (index.d, index.ntotal) != (dimensions, len(self.bounds) - 1):
            raise ArtifactError(f"What FAISS finds in {path} belongs to other vectors: {hint}.")
        self._content = content  # what FAISS points into
        return index

    def near(self, query: npt.NDArray[np.float32], depth: int) -> npt.NDArray[np.int64]:
        """Return distinct vectors that are near to `query`, no fewer than `depth` if so many were found; [c].

        One query is searched at a time: FAISS computes several at once with other rounding.

        Args:
            query: [d].
            depth: at least 1.
        """
        if self._index is None:
            return np.zeros(0, dtype=np.int64)
        if isinstance(self.spec, HNSW):
            least, how = self.spec.ef, self._faiss.SearchParametersHNSW(efSearch=self.spec.ef)
        else:
            least, how = _LEAST, self._faiss.SearchParametersIVF(nprobe=self.spec.probes)
        count = min(max(least, depth + depth // _MORE), len(self.bounds) - 1)
        found: npt.NDArray[np.int64] = self._index.search(query[None], count, params=how)[1][0]
        return found[found >= 0]
