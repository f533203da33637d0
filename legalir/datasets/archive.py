"""Files out of an archive: only plain ones that were asked for, and never outside the target folder."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO

from legalir.errors import DataError

__all__ = ["extract"]

Member = tuple[str, int, IO[bytes]]


def extract(archive: Path, patterns: Sequence[str], target: Path, *, max_bytes: int = 8 << 30) -> list[Path]:
    """Write the members that match one of `patterns` flat into `target`, under their own last names.

    Directories, links and devices are left out, so that no member can write or point elsewhere.

    Raises:
        DataError: not a zip or tar archive, a name that leads outside, two members of one name, nothing
            that matches, or more than `max_bytes` in all.
    """
    written: list[Path] = []
    room = max_bytes
    with _members(archive) as members:
        for name, size, stream in members:
            if not any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            path = target / _last_name(archive, name)
            if path in written:
                raise DataError(f"{archive} holds two files that are called {path.name}.")
            if size > room:
                raise DataError(f"{archive} unpacks to more than {max_bytes} bytes.")
            with path.open("wb") as out:
                shutil.copyfileobj(_Limited(stream, room, archive), out)
            room -= path.stat().st_size
            written.append(path)
    if not written:
        raise DataError(f"{archive} holds nothing that matches {' or '.join(patterns)}.")
    return written


class _Limited:
    """A stream that refuses to give more than it may: a declared size can lie."""

    def __init__(self, stream: IO[bytes], room: int, archive: Path) -> None:
        self._stream = stream
        self._room = room
        self._archive = archive

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        block = self._stream.read(size)
        self._room -= len(block)
        if self._room < 0:
            raise DataError(f"{self._archive} unpacks to more than it may.")
        return block


def _last_name(archive: Path, name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name or not path.name:
        raise DataError(f"{archive} holds a file {name!r} that leads outside its folder.")
    return path.name


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[Member]]:
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle:
                yield _of_zip(bundle)
        else:
            with tarfile.open(archive) as bundle_of_tar:
                yield _of_tar(bundle_of_tar)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise DataError(f"{archive} is not a zip or tar archive that can be read.") from error


def _of_zip(bundle: zipfile.ZipFile) -> Iterator[Member]:
    for info in bundle.infolist():
        kind = info.external_attr >> 28
        if not info.is_dir() and kind in (0, 0o10):  # 0o10: a plain file, where the maker said what it is
            with bundle.open(info) as stream:
                yield info.filename, info.file_size, stream


def _of_tar(bundle: tarfile.TarFile) -> Iterator[Member]:
    for info in bundle:
        stream = bundle.extractfile(info) if info.isreg() else None
        if stream is not None:
            with stream:
                yield info.name, info.size, stream
