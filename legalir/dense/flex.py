"""Vectors in FLEX, the format of pyterrier-dr's ``FlexIndex``, read without that package, which needs torch.

Files of a FLEX index: ``pt_meta.json``, which has the counts; ``vecs.f4``, float32 [n, d], row by row; and
``docnos.npids``, the docno of each row, which the package npids reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, ComponentError
from legalir.extras import require
from legalir.frames.component import check_choice

__all__ = ["SimFn", "read_flex"]

SimFn = Literal["dot", "cos"]
"""How a FlexIndex compares vectors: by inner product, or by cosine."""

_ROWS = 16_384
"""Rows that are worked on at a time."""

_EQUAL = 1e-3
"""Lengths that differ by no more than this share are equal, but for rounding."""


def read_flex(path: Path, sim_fn: SimFn = "dot") -> tuple[npt.NDArray[np.float32], list[str]]:
    """Return the vectors of a FLEX index, [n, d], memory-mapped, and their docnos.

    Args:
        path: its directory.
        sim_fn: what it compares vectors by; with ``dot``, all vectors have to be of one length, so that cosines order
            documents alike.

    Raises:
        ArtifactError: there is no such index, or its files do not belong together.
        ComponentError: `sim_fn` is unknown, or inner products would order the documents otherwise than cosines.
        MissingExtra: npids is not installed.
    """
    check_choice("", "sim_fn", sim_fn, get_args(SimFn))
    n, d = _counts(path)
    vectors = path / "vecs.f4"
    size = vectors.stat().st_size if vectors.exists() else 0
    if size != 4 * n * d:
        raise _broken(path, f"vecs.f4 has {size} bytes, and {n} vectors of {d} numbers have {4 * n * d}")
    mapped: npt.NDArray[np.float32] = np.memmap(vectors, dtype="<f4", mode="r", shape=(n, d))
    if sim_fn == "dot":
        _check_lengths(path, mapped)
    return mapped, _docnos(path, n)


def _counts(path: Path) -> tuple[int, int]:
    """Return n and d."""
    file = path / "pt_meta.json"
    if not file.exists():
        raise ArtifactError(f"{path} holds no pt_meta.json: give the directory of a FlexIndex.")
    try:
        meta: Any = json.loads(file.read_text(encoding="utf-8"))
        kind = meta["type"], meta["format"]
        n, d = meta["doc_count"], meta["vec_size"]
    except (ValueError, KeyError, TypeError):
        raise _broken(path, "pt_meta.json does not say what it holds") from None
    if kind != ("dense_index", "flex"):
        raise ArtifactError(f"{path} holds a {kind[0]} in the format {kind[1]}: give the directory of a FlexIndex.")
    if not (isinstance(n, int) and isinstance(d, int) and n > 0 and d > 0):
        raise _broken(path, f"it holds {n} vectors of {d} numbers")
    return n, d


def _docnos(path: Path, n: int) -> list[str]:
    npids = require("npids", extra="flex")
    try:
        with npids.Lookup(str(path / "docnos.npids")) as lookup:
            docnos = [str(docno) for docno in lookup]
    except Exception as error:  # npids lets errors of every kind through when a file is not one of its own
        raise _broken(path, f"docnos.npids cannot be read ({type(error).__name__})") from error
    if len(docnos) != n:
        raise _broken(path, f"docnos.npids has {len(docnos)} docnos for {n} vectors")
    return docnos


def _check_lengths(path: Path, vectors: npt.NDArray[np.float32]) -> None:
    low, high = np.inf, 0.0
    for first in range(0, len(vectors), _ROWS):
        lengths = np.linalg.norm(vectors[first : first + _ROWS].astype(np.float64), axis=1)
        lengths = lengths[(lengths > 0) & np.isfinite(lengths)]  # which vector is none, its docno tells better
        low, high = float(lengths.min(initial=low)), float(lengths.max(initial=high))
    if high > low * (1 + _EQUAL):
        raise ComponentError(
            f"The vectors of {path} are from {low:.4g} to {high:.4g} long, so inner products order documents otherwise "
            f"than the cosines of this index: give sim_fn='cos' if their encoder is meant for cosines."
        )


def _broken(path: Path, fault: str) -> ArtifactError:
    return ArtifactError(f"{path} is no whole FLEX index, because {fault}: build it again with pyterrier-dr.")
