"""Qdrant's engine in this process: one shard in a folder, without a server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, MissingExtra

__all__ = ["Embedded"]

_CONFIG = "edge_config.json"
"""A file that the engine writes whenever it opens a shard; all others stay as they are."""


def _edge() -> Any:
    try:
        import qdrant_edge
    except ImportError as error:
        raise MissingExtra("qdrant needs the package 'qdrant-edge-py': pip install legalir-qdrant") from error
    return qdrant_edge


def _config(name: str, dimensions: int) -> Any:
    edge = _edge()
    optimizers = edge.EdgeOptimizersConfig(default_segment_number=1)
    if name == "sparse":
        vectors = {name: edge.EdgeSparseVectorParams()}
        return edge.EdgeConfig(sparse_vectors=vectors, optimizers=optimizers, wal_enabled=False)
    # The vectors have length 1, so that inner products are cosines; normalising again would change their last bits.
    multi = edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim) if name == "multi" else None
    params = edge.EdgeVectorParams(dimensions, edge.Distance.Dot, multivector_config=multi)
    return edge.EdgeConfig(vectors={name: params}, optimizers=optimizers, wal_enabled=False)


def _vector(vector: Any) -> Any:
    return _edge().SparseVector(vector.indices, vector.values) if hasattr(vector, "indices") else vector


class Embedded:
    """An open shard; it is only read.

    Args:
        directory: of the shard.
        name: name of the vectors.
        dimensions: their length; 0 for sparse ones.

    Raises:
        ArtifactError: the files are from another version of the engine.
    """

    def __init__(self, directory: Path, name: str, dimensions: int) -> None:
        self._name = name
        try:
            self._shard = _edge().EdgeShard.load(str(directory), _config(name, dimensions))
        except Exception as error:  # The engine raises plain exceptions.
            raise ArtifactError(
                f"{directory} cannot be read by qdrant-edge-py ({_reason(error)}): install the version that wrote it, "
                f"or remove the directory {directory.parents[1]} and build it again."
            ) from error

    @staticmethod
    def write(directory: Path, name: str, dimensions: int, batches: Iterable[Sequence[Any]]) -> None:
        """Write a shard into an empty place.

        Args:
            directory: of the shard.
            name: name of the vectors.
            dimensions: their length; 0 for sparse ones.
            batches: points with ``number, vector, payload``.
        """
        edge = _edge()
        directory.mkdir()
        shard = edge.EdgeShard.create(str(directory), _config(name, dimensions))
        try:
            dated = False
            for batch in batches:
                rows = [edge.Point(point.number, {name: _vector(point.vector)}, point.payload) for point in batch]
                if rows:
                    shard.update(edge.UpdateOperation.upsert_points(rows))
                    dated = dated or "from" in batch[0].payload
            for field in ("from", "to") if dated else ():
                shard.update(edge.UpdateOperation.create_field_index(field, edge.PayloadSchemaType.Integer))
            shard.optimize()
            shard.flush()
        finally:
            shard.close()
        edge.EdgeShard.load(str(directory), _config(name, dimensions)).close()  # The first opening tidies up files.
        (directory / _CONFIG).unlink(missing_ok=True)

    def search(
        self,
        vectors: Sequence[Any],
        days: Sequence[int] | None,
        among: Sequence[npt.NDArray[np.int64] | None],
        k: int,
        *,
        exact: bool,
        ef: int,
        stored: object = None,
    ) -> list[tuple[list[int], list[float]]]:
        """Return numbers and scores of the nearest points of each vector, best first.

        Args:
            vectors: of questions.
            days: day of each, such as 20210301; None for all points.
            among: numbers of the points that each may find; None for all points.
            k: at least 1.
            exact: compares all.
            ef: candidates of a search in a graph.
            stored: not used.
        """
        edge = _edge()
        params = edge.SearchParams(exact=True) if exact else edge.SearchParams(hnsw_ef=max(ef, k))
        answers = []
        for vector, day, numbers in zip(vectors, days or repeat(None, len(vectors)), among, strict=True):
            query = edge.Query.Nearest(_vector(vector), using=self._name)
            must = []
            if numbers is not None:  # They are in force.
                must = [edge.HasIdCondition(set(numbers.tolist()))]
            elif day is not None:
                must.append(edge.FieldCondition("from", range=edge.RangeFloat(lte=day)))
                must.append(edge.FieldCondition("to", range=edge.RangeFloat(gt=day)))
            passing = edge.Filter(must=must) if must else None
            found = self._shard.query(edge.QueryRequest(limit=k, query=query, filter=passing, params=params))
            answers.append(([point.id for point in found], [point.score for point in found]))
        return answers


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")[:200] or type(error).__name__
