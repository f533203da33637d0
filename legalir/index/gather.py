"""Rows of documents, gathered from wherever they were written before into the arrays of one build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.arrays import create_array, save_array
from legalir.errors import ComponentError
from legalir.index.row_files import ArrayFile, bounds_of
from legalir.index.shards import DIGEST_BYTES, RowSource

__all__ = ["gather"]

_BLOCK = 16_000_000
"""Bytes of rows that are held at a time; the rows of one text are held whole."""

Numbers = npt.NDArray[np.int64]


class _Items(NamedTuple):
    """Where the items of n documents stand: `starts` in their sources, [n]; `bounds` in the new array, [n + 1]."""

    starts: Numbers
    bounds: Numbers


def gather(data: Path, digests: bytes, sources: Sequence[RowSource]) -> list[str]:
    """Write ``digests.npy`` and the rows of documents into `data`; return the names of the arrays of the rows.

    Args:
        data: directory of the build.
        digests: of the texts of the documents, 16 bytes each, one after the other.
        sources: rows, at least one source; among them those of every digest. The first one that has a text counts.

    Raises:
        ArtifactError: a source was cut off since it was verified.
        ComponentError: the sources hold rows of different types or shapes.
        OSError: the files cannot be written.
    """
    files = sources[0].files
    _check_layouts(sources)
    wanted = np.frombuffer(digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES)
    save_array(data / "digests.npy", wanted)
    source, row = _located(wanted, sources)
    groups: dict[str | None, _Items] = {None: _Items(row, np.arange(len(row) + 1))}
    for name in files:
        if bounds_of(name) == name:
            groups[name] = _group(name, source, row, sources)
            save_array(data / f"{name}.npy", groups[name].bounds)
    columns = {name: groups[bounds_of(name)] for name in files if bounds_of(name) != name}
    with ExitStack() as stack:
        streams = {
            name: stack.enter_context(
                create_array(data / f"{name}.npy", files[name].dtype, (int(items.bounds[-1]), *files[name].item))
            )
            for name, items in columns.items()
        }
        for block in _blocks(files, columns):
            for name, items in columns.items():
                streams[name].write(_block(name, block, items, source, sources).data)
    return sorted(files)


def _check_layouts(sources: Sequence[RowSource]) -> None:
    expected = {name: file.layout for name, file in sources[0].files.items()}
    for source in sources[1:]:
        found = {name: file.layout for name, file in source.files.items()}
        if found != expected:
            raise ComponentError(
                f"The encoder made {found} where it made {expected} before: its fingerprint must change with them."
            )


def _located(wanted: npt.NDArray[np.uint8], sources: Sequence[RowSource]) -> tuple[Numbers, Numbers]:
    """Return the number of the source that has each digest, and the row in it; both [n]."""
    # Bytes of one length, compared as a whole.
    held = np.concatenate([source.digests for source in sources]).view(f"S{DIGEST_BYTES}").reshape(-1)
    order = np.argsort(held, kind="stable")
    found = order[np.searchsorted(held, wanted.view(f"S{DIGEST_BYTES}").reshape(-1), sorter=order)]
    first = np.cumsum([0, *(len(source.digests) for source in sources)])
    source = np.searchsorted(first, found, side="right") - 1
    return source, found - first[source]


def _group(name: str, source: Numbers, row: Numbers, sources: Sequence[RowSource]) -> _Items:
    starts, bounds = np.empty(len(row), dtype=np.int64), np.zeros(len(row) + 1, dtype=np.int64)
    for number, here in _by_source(source):
        file = sources[number].files[name]
        known = file.between(0, file.length)
        starts[here] = known[row[here]]
        bounds[here + 1] = known[row[here] + 1] - starts[here]
    np.cumsum(bounds, out=bounds)
    return _Items(starts, bounds)


def _by_source(source: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Yield each number in `source` with the ascending positions where it stands."""
    order = np.argsort(source, kind="stable")
    numbers, first = np.unique(source[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, first[1:]), strict=False)


def _blocks(files: Mapping[str, ArrayFile], columns: Mapping[str, _Items]) -> Iterator[slice]:
    """Yield ranges of documents with about ``_BLOCK`` bytes of rows each."""
    ends = sum((files[name].width * items.bounds for name, items in columns.items()), start=np.zeros(1, dtype=np.int64))
    first, documents = 0, len(ends) - 1
    while first < documents:
        last = int(np.searchsorted(ends, ends[first] + _BLOCK, side="right")) - 1
        last = min(max(last, first + 1), documents)
        yield slice(first, last)
        first = last


def _block(
    name: str, block: slice, items: _Items, source: Numbers, sources: Sequence[RowSource]
) -> npt.NDArray[np.generic]:
    """Return the items of a range of documents."""
    bounds = items.bounds[block.start : block.stop + 1]
    file = sources[0].files[name]
    out = np.empty((int(bounds[-1] - bounds[0]), *file.item), dtype=file.dtype)
    for number, here in _by_source(source[block]):
        sizes = np.diff(bounds)[here]
        sources[number].files[name].read(out, bounds[here] - bounds[0], items.starts[block][here], sizes)
    return out
