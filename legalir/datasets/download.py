"""Fetching a file over HTTP: resumed where it was cut, verified, whole under its name or not there at all."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from legalir.errors import DownloadError
from legalir.progress import progress
from legalir.storage.digest import file_digest
from legalir.storage.files import sync_directory
from legalir.storage.locks import cache_lock

__all__ = ["Download", "download"]

_BLOCK = 1 << 18
_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}


class _Again(Exception):  # noqa: N818  (not an error of the caller's: the transfer was cut and can go on)
    """The transfer broke off in a way that may not happen twice."""


@dataclass(frozen=True)
class Download:
    """What to fetch and how patiently.

    Attributes:
        url: an ``http`` or ``https`` address.
        sha256: of the content, None where it is not known.
        size: in bytes, None where it is not known.
        max_bytes: give up beyond this size.
        timeout: seconds without any data after which a try is given up.
        tries: how often to try in all.
        pause: seconds before the second try; doubles with each.
    """

    url: str
    sha256: str | None = None
    size: int | None = None
    max_bytes: int = 4 << 30
    timeout: float = 30.0
    tries: int = 4
    pause: float = 0.5


def download(what: Download, target: Path, *, sleep: Callable[[float], None] = time.sleep) -> None:
    """Fetch a file to `target`, unless it is there; two processes that do so at once fetch it once.

    What was received before a cut stays beside it as ``<name>.part`` and is continued where the server allows
    it and its file is still the same one.

    Raises:
        DownloadError: unreachable, refused, too large, or not the declared content; says the address and
            where to place the file by hand.
    """
    if not what.url.lower().startswith(("https://", "http://")):
        raise DownloadError(f"{what.url} is neither an https nor an http address.")
    with cache_lock(target):
        if target.exists():
            return
        part = target.with_name(f"{target.name}.part")
        reason = "it was never tried"
        for attempt in range(max(1, what.tries)):
            if attempt:
                sleep(what.pause * 2 ** (attempt - 1))
            try:
                _continue(what, part)
                _verify(what, part)
                _publish(part, target)
                return
            except _Again as cut:
                reason = str(cut)
            except OSError as error:
                raise _failure(what, target, f"{target.parent}: {error.strerror or error}") from error
            except DownloadError as error:
                raise _failure(what, target, str(error)) from error.__cause__
        raise _failure(what, target, f"{reason}, {what.tries} times")


def _failure(what: Download, target: Path, reason: str) -> DownloadError:
    return DownloadError(
        f"{what.url} could not be fetched ({reason}): "
        f"try again with a connection, or fetch it elsewhere and place it as {target}."
    )


def _continue(what: Download, part: Path) -> None:
    """Request what is missing of `part` and append it; start over where the server sends all of it."""
    done, validator = _progress_of(what, part)
    headers = {"User-Agent": "legalir", "Accept-Encoding": "identity"}
    if done:
        headers |= {"Range": f"bytes={done}-", "If-Range": validator}
    try:
        with closing(_opener().open(urllib.request.Request(what.url, headers=headers), timeout=what.timeout)) as reply:
            _receive(what, part, reply, done if reply.status == 206 else 0)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the part is longer than the file has become
            part.unlink(missing_ok=True)
            raise _Again("the server's file has changed") from error
        if error.code in _TRY_AGAIN:
            raise _Again(f"the server answers {error.code}") from error
        raise DownloadError(f"the server answers {error.code} {error.reason}") from error
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        raise _Again(getattr(cause, "strerror", None) or str(cause) or type(cause).__name__) from error


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener that follows no redirection but to http and https."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirect(),
    ):
        opener.add_handler(handler)
    return opener


class _Redirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(  # type: ignore[no-untyped-def]
        self, req, fp, code, msg, headers, newurl
    ) -> urllib.request.Request | None:
        if not newurl.lower().startswith(("https://", "http://")):
            raise DownloadError(f"it leads to {newurl}, which is neither https nor http")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _receive(what: Download, part: Path, reply: http.client.HTTPResponse, done: int) -> None:
    if done and not (reply.headers.get("Content-Range") or "").startswith(f"bytes {done}-"):
        part.unlink(missing_ok=True)
        raise _Again("the server continued at the wrong place")
    length = reply.headers.get("Content-Length")
    total = done + int(length) if length is not None and length.isdigit() else what.size
    if total is not None and total > what.max_bytes:
        raise DownloadError(f"it has {total} bytes, more than the {what.max_bytes} allowed")
    _remember(what, part, reply)
    with part.open("ab" if done else "wb") as out, progress(part.stem, total, size=True) as advance:
        advance(done)
        received = done + _copy(reply, out, what.max_bytes - done, advance)
        out.flush()
        os.fsync(out.fileno())
    if total is not None and received < total:
        raise _Again(f"the connection was cut after {received} of {total} bytes")


def _copy(reply: IO[bytes], out: IO[bytes], room: int, advance: Callable[[int], None]) -> int:
    received = 0
    while block := reply.read(_BLOCK):
        received += len(block)
        if received > room:
            raise DownloadError("it is larger than allowed")
        out.write(block)
        advance(len(block))
    return received


def _note(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _remember(what: Download, part: Path, reply: http.client.HTTPResponse) -> None:
    """Keep what identifies the server's file, so that a later try continues the same one."""
    tag = reply.headers.get("ETag") or ""
    validator = tag if tag and not tag.startswith("W/") else reply.headers.get("Last-Modified") or ""
    _note(part).write_text(json.dumps({"url": what.url, "validator": validator}), encoding="utf-8")


def _progress_of(what: Download, part: Path) -> tuple[int, str]:
    """Return the bytes that can be kept and what identifies them: none where nothing does."""
    try:
        note = json.loads(_note(part).read_text(encoding="utf-8"))
        if note["url"] == what.url and note["validator"]:
            return part.stat().st_size, str(note["validator"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return 0, ""


def _verify(what: Download, part: Path) -> None:
    size, digest = part.stat().st_size, file_digest(part)
    if (what.size is not None and size != what.size) or (what.sha256 is not None and digest != what.sha256):
        part.unlink()
        _note(part).unlink(missing_ok=True)
        expected = f"sha256 {what.sha256}" if what.sha256 else f"{what.size} bytes"
        raise _Again(f"its content is not the declared one: {size} bytes with sha256 {digest}, not {expected}")


def _publish(part: Path, target: Path) -> None:
    part.replace(target)
    _note(part).unlink(missing_ok=True)
    sync_directory(target.parent)
