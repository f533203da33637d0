"""Download of a file over HTTP (resumed, verified, atomic), and extraction of files from an archive."""

from __future__ import annotations

import http.client
import json
import lzma
import os
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO

from legalir.errors import DataError, DownloadError
from legalir.progress import progress
from legalir.storage.digest import file_digest
from legalir.storage.files import cache_lock, sync_directory

_BLOCK = 1 << 18
_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}


class _CutError(Exception):
    """The transfer broke off in a way that another try may not meet."""


@dataclass(frozen=True)
class Download:
    """A file to fetch, and limits.

    Attributes:
        url: an ``http`` or ``https`` address.
        sha256: sha256 of the content; None: not checked.
        size: size in bytes; None: not checked.
        max_bytes: largest size that is accepted.
        timeout: seconds without data after which a try ends.
        tries: total number of tries, at least 1.
        pause: seconds before the second try; doubles with each try.
    """

    url: str
    sha256: str | None = None
    size: int | None = None
    max_bytes: int = 4 << 30
    timeout: float = 30.0
    tries: int = 4
    pause: float = 0.5


def download(file: Download, target: Path, *, sleep: Callable[[float], None] = time.sleep) -> None:
    """Fetch a file to `target`, unless it is there; of two processes at once, one fetches it.

    The bytes received before a cut stay in ``<name>.part``, and the next try continues there if the server allows it
    and its file is still the same.

    Raises:
        DownloadError: unreachable, refused, too large, or not the declared content; the message has the address and
            the place for a file that is fetched by hand.
    """
    if not file.url.lower().startswith(("https://", "http://")):
        raise DownloadError(f"{file.url} is neither an https nor an http address.")
    with cache_lock(target):
        if target.exists():
            return
        part = target.with_name(f"{target.name}.part")
        for attempt in range(1, file.tries + 1):
            try:
                _continue(file, part)
                _verify(file, part)
                break
            except _CutError as cut:
                if attempt >= file.tries:
                    raise _failure(file, target, f"{cut}, {file.tries} times") from cut.__cause__
                sleep(file.pause * 2 ** (attempt - 1))
            except OSError as error:
                raise _failure(file, target, f"{target.parent}: {error.strerror or error}") from error
            except DownloadError as error:
                raise _failure(file, target, str(error)) from error.__cause__
        part.replace(target)
        _note(part).unlink(missing_ok=True)
        sync_directory(target.parent)


def _failure(file: Download, target: Path, reason: str) -> DownloadError:
    return DownloadError(
        f"{file.url} could not be fetched ({reason}): "
        f"try again with a connection, or fetch it elsewhere and place it as {target}."
    )


def _continue(file: Download, part: Path) -> None:
    """Request the bytes that `part` lacks and append them; start over if the server sends the whole file."""
    done, validator = _progress_of(file, part)
    headers = {"User-Agent": "legalir", "Accept-Encoding": "identity"}
    if done:
        headers |= {"Range": f"bytes={done}-", "If-Range": validator}
    opener = urllib.request.build_opener(_Redirect)  # Other schemes than http and https were refused before.
    try:
        with closing(opener.open(urllib.request.Request(file.url, headers=headers), timeout=file.timeout)) as reply:
            _receive(file, part, reply, done if reply.status == 206 else 0)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the part is longer than the file has become
            part.unlink(missing_ok=True)
            raise _CutError("the server's file has changed") from error
        if error.code in _TRY_AGAIN:
            raise _CutError(f"the server answers {error.code}") from error
        raise DownloadError(f"the server answers {error.code} {error.reason}") from error
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        raise _CutError(getattr(cause, "strerror", None) or str(cause) or type(cause).__name__) from error


class _Redirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(  # type: ignore[no-untyped-def]
        self, req, fp, code, msg, headers, newurl
    ) -> urllib.request.Request | None:
        if not newurl.lower().startswith(("https://", "http://")):
            raise DownloadError(f"it leads to {newurl}, which is neither https nor http")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _receive(file: Download, part: Path, reply: http.client.HTTPResponse, done: int) -> None:
    if done and not (reply.headers.get("Content-Range") or "").startswith(f"bytes {done}-"):
        part.unlink(missing_ok=True)
        raise _CutError("the server continued at the wrong place")
    length = reply.headers.get("Content-Length")
    total = done + int(length) if length is not None and length.isdigit() else file.size
    if total is not None and total > file.max_bytes:
        raise DownloadError(f"it has {total} bytes, more than the {file.max_bytes} allowed")
    # Address and validator of the server's file, so that a later try continues the same file.
    tag = reply.headers.get("ETag") or ""
    validator = tag if tag and not tag.startswith("W/") else reply.headers.get("Last-Modified") or ""
    _note(part).write_text(json.dumps({"url": file.url, "validator": validator}), encoding="utf-8")
    with part.open("ab" if done else "wb") as out, progress(part.stem, total, size=True) as advance:
        advance(done)
        copied = _copy(reply, out, file.max_bytes - done, advance)
        out.flush()
        os.fsync(out.fileno())
    if copied is None:
        raise DownloadError("it is larger than allowed")
    if total is not None and done + copied < total:
        raise _CutError(f"the connection was cut after {done + copied} of {total} bytes")


def _copy(
    stream: IO[bytes], out: IO[bytes], room: int, advance: Callable[[int], object] = lambda size: None
) -> int | None:
    """Copy a stream and return its size, or None if it exceeds `room` bytes, because a declared size can be wrong."""
    received = 0
    while block := stream.read(_BLOCK):
        received += len(block)
        if received > room:
            return None
        out.write(block)
        advance(len(block))
    return received


def _note(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _progress_of(file: Download, part: Path) -> tuple[int, str]:
    """Return the number of bytes that can be kept and the validator of their file; 0 bytes without a validator."""
    try:
        note = json.loads(_note(part).read_text(encoding="utf-8"))
        if note["url"] == file.url and note["validator"]:
            return part.stat().st_size, str(note["validator"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return 0, ""


def _verify(file: Download, part: Path) -> None:
    size, digest = part.stat().st_size, file_digest(part)
    if (file.size is not None and size != file.size) or (file.sha256 is not None and digest != file.sha256):
        part.unlink()
        _note(part).unlink(missing_ok=True)
        expected = f"sha256 {file.sha256}" if file.sha256 else f"{file.size} bytes"
        raise _CutError(f"its content is not the declared one: {size} bytes with sha256 {digest}, not {expected}")


def unpack(
    archive: Path,
    target: Path,
    patterns: Sequence[str] | None = None,
    *,
    max_bytes: int = 8 << 30,
    max_files: int = 200_000,
) -> list[Path]:
    """Extract members into `target`; return their paths in `target`.

    Directories, links and devices are skipped, so that no member can write or point elsewhere, and nested archives are
    not extracted.

    Args:
        archive: a zip or tar archive.
        target: a folder.
        patterns: extract the members that match any of these, under the last part of their names; None: all, in the
            folders of their names.
        max_bytes: largest size of all files together.
        max_files: largest number of files.

    Raises:
        DataError: not a zip or tar archive, or an encrypted one; a name that leads outside; two members of one name;
            no member that matches; or more than `max_bytes` or `max_files` in all.
    """
    written: set[Path] = set()
    room = max_bytes
    with _members(archive) as members:
        for name, size, stream in members:
            if patterns is not None and not any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            inner = _inner_path(archive, name)
            path = target / (inner if patterns is None else inner.name)
            if path in written or len(written) >= max_files:
                what = "two files" if path in written else f"more than {max_files} files: split it, one of them is"
                raise DataError(f"{archive} holds {what} {path.relative_to(target).as_posix()!r}.")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as out:
                    copied = None if size > room else _copy(stream, out, room)
            except (NotADirectoryError, FileExistsError, IsADirectoryError):
                raise DataError(f"{archive} holds a file {name!r} below another file.") from None
            if copied is None:
                raise DataError(f"{archive} unpacks to more than {max_bytes} bytes.")
            room -= copied
            written.add(path)
    if patterns is not None and not written:
        raise DataError(f"{archive} holds nothing that matches {' or '.join(patterns)}.")
    return sorted(written)


def _inner_path(archive: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name or "\0" in name or not path.name:
        raise DataError(f"{archive} holds a file {name!r} that leads outside its folder.")
    return path


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[tuple[str, int, IO[bytes]]]]:
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle:
                yield _of_zip(bundle)
        else:
            with tarfile.open(archive) as bundle_of_tar:
                yield _of_tar(bundle_of_tar)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"{archive} is not a zip or tar archive that can be read.") from error
    except (RuntimeError, NotImplementedError) as error:
        raise DataError(f"{archive} is encrypted, or packed in a way that cannot be read ({error}).") from error


def _of_zip(bundle: zipfile.ZipFile) -> Iterator[tuple[str, int, IO[bytes]]]:
    for info in bundle.infolist():
        kind = info.external_attr >> 28
        if not info.is_dir() and kind in (0, 0o10):  # 0o10: a plain file; 0: not declared
            with bundle.open(info) as stream:
                yield info.filename, info.file_size, stream


def _of_tar(bundle: tarfile.TarFile) -> Iterator[tuple[str, int, IO[bytes]]]:
    for info in bundle:
        stream = bundle.extractfile(info) if info.isreg() else None
        if stream is not None:
            with stream:
                yield info.name, info.size, stream
