"""FLEX indexes written by hand, as pyterrier-dr writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import npids
import numpy as np
import numpy.typing as npt


def write_flex(path: Path, vectors: npt.NDArray[np.float32], docnos: Sequence[str], **meta: object) -> Path:
    """Write a FLEX index, whose ``pt_meta.json`` also says `meta`; return its directory."""
    path.mkdir()
    (path / "vecs.f4").write_bytes(vectors.astype("<f4").tobytes())
    npids.Lookup.build(docnos, str(path / "docnos.npids"), return_self=False)
    counts = {"vec_size": vectors.shape[1], "doc_count": len(vectors)}
    facts = {"type": "dense_index", "format": "flex", **counts, **meta}
    (path / "pt_meta.json").write_text(json.dumps(facts), encoding="utf-8")
    return path
