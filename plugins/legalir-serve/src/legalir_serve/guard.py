"""The outermost layer of the server: who may ask, how much, and the headers of every response."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import re
import secrets
import time
from collections.abc import Iterable, Mapping
from html import escape
from ipaddress import ip_address
from typing import NamedTuple

from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from legalir_serve.work import CLIENT

_log = logging.getLogger("legalir_serve")
_requests = logging.getLogger("legalir_serve.requests")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
"""Headers of every response; a page loads nothing from other hosts and contains no inline script."""

URL, BODY = 49_152, 262_144
"""Most bytes of an address, which holds 4 000 letters of any script, and of a body."""

_OPEN = ("/v1/health", "/v1/ready")
"""Addresses for probes, which have no token and ask before the indexes are open."""

_EARLY = ("/metrics", "/sheet", "/sheet/saved")
"""Addresses that need no index, and do not wait until all are open."""

_WRONG, _WAITING = 0.5, 16
"""Seconds that a wrong token waits for its refusal, one after the other, and how many may wait."""

_ID = re.compile(rb"[\w.-]{1,64}", re.ASCII)


class _Fault(NamedTuple):
    """The refusal of a request: its status, the kind of error, a sentence, and further headers."""

    status: int
    code: str
    reason: str
    headers: Mapping[str, str] = {}


class Guard:
    """The outermost layer: hosts, tokens, sizes, patience, headers of every response, and a line in the log.

    A request must name a host that is an address, a name of this machine, or one of `hosts`: a page of another name
    that was pointed at this machine (DNS rebinding) gets nothing. What changes or posts must come from the same host.

    Args:
        app: the application.
        ready: set when all indexes are open; a request waits for it.
        tokens: a request needs one of these as ``Authorization: Bearer …``, or as the password of a browser; none:
            everybody may ask.
        hosts: names of this server.
        patience: seconds to wait for the indexes, and for each part of a request's body.
        log_questions: whether the log has the whole addresses of requests, which contain the questions.
    """

    def __init__(
        self,
        app: ASGIApp,
        ready: asyncio.Event,
        tokens: Iterable[str] = (),
        hosts: Iterable[str] = (),
        patience: float = 20,
        log_questions: bool = False,
    ) -> None:
        self._app = app
        self._ready = ready
        self._tokens = [token.encode() for token in tokens]
        self._hosts = {"localhost", *(name.lower() for name in hosts)}
        self._patience = patience
        self._log_questions = log_questions
        self._wrong = asyncio.Lock()
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        request = given.decode() if _ID.fullmatch(given) else secrets.token_hex(8)
        begin, status = time.perf_counter(), 0
        only_head = scope["method"] == "HEAD"

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                ours = {"x-request-id": request, "cache-control": "no-cache", **HEADERS}
                has = {name.lower() for name, _ in message["headers"]}  # A page may have a policy of its own.
                more = [(name.encode(), value.encode()) for name, value in ours.items() if name.encode() not in has]
                message = {**message, "headers": [*message["headers"], *more]}
            elif only_head:
                message = {**message, "body": b""}
            await send(message)

        CLIENT.set(str(headers.get(b"authorization")) if self._tokens else (scope.get("client") or ("",))[0])
        try:
            if fault := await self._fault(scope, headers):
                await _refusal(fault, scope, headers)(scope, receive, guarded)
            else:
                await self._app({**scope, "method": "GET"} if only_head else scope, self._impatient(receive), guarded)
        finally:
            self._record(scope, request, status, time.perf_counter() - begin)

    def _record(self, scope: Scope, request: str, status: int, seconds: float) -> None:
        """Write the line of a request; its question only if the operator wants it."""
        if not _requests.isEnabledFor(logging.INFO):
            return
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "id": request,
            "client": (scope.get("client") or ("",))[0],
            "method": scope["method"],
            "path": scope["path"],
            **({"query": scope["query_string"].decode("latin-1")} if self._log_questions else {}),
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        _requests.info("%s", json.dumps(line, ensure_ascii=False))

    def _impatient(self, receive: Receive) -> Receive:
        """Return a function that receives a request, and does not wait long for a part of its body."""
        whole = False

        async def received() -> Message:
            nonlocal whole
            if whole:  # What comes now is that the client has gone, whenever that is.
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), self._patience)
            except TimeoutError:
                return {"type": "http.disconnect"}
            whole = not message.get("more_body", False)
            return message

        return received

    async def _fault(self, scope: Scope, headers: Mapping[bytes, bytes]) -> _Fault | None:
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > URL:
            return _Fault(414, "invalid", f"The address is too long: at most {URL:,} bytes; POST takes more.")
        if b"transfer-encoding" in headers:  # In pieces, of which nobody knows how many come.
            return _Fault(411, "invalid", "The request does not say how long it is: Content-Length.")
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > BODY:
            return _Fault(413, "invalid", f"The request is too large: at most {BODY:,} bytes.")
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self._is_ours(host):
            reason = "This server does not have the name that the request gives; its operator can allow it: --name."
            return _Fault(421, "invalid", reason)
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if origin and scope["method"] not in ("GET", "HEAD") and origin.partition("://")[2] != host:
            return _Fault(403, "invalid", "The request comes from a page of another server.")
        path = scope["path"]
        if path in _OPEN:
            return None
        if self._tokens and (fault := await self._token_fault(headers.get(b"authorization", b""), scope)):
            return fault
        if path in _EARLY or self._ready.is_set():
            return None
        try:
            await asyncio.wait_for(self._ready.wait(), self._patience)
        except TimeoutError:
            return _Fault(503, "opening", "The indexes are still being opened; try again.", {"retry-after": "5"})
        return None

    def _is_ours(self, host: str) -> bool:
        name = host[: host.rindex("]") + 1].strip("[]") if host.startswith("[") and "]" in host else host.split(":")[0]
        try:
            ip_address(name)
        except ValueError:
            return name in self._hosts
        return True  # A page of another name cannot have an address as its name.

    async def _token_fault(self, header: bytes, scope: Scope) -> _Fault | None:
        """Return the refusal of a request without a right token; wrong ones are refused slowly, one after the other."""
        # A browser asks for a name and a password; a program sees Bearer as well.
        asks = {"www-authenticate": 'Basic realm="legalir", Bearer'}
        given = _token(header)
        # Each is compared, so that the time says nothing.
        if sum(hmac.compare_digest(given, token) for token in self._tokens):
            return None
        if given:
            _log.warning("A wrong token came from %s.", (scope.get("client") or ("an unknown address",))[0])
            if self._waiting >= _WAITING:
                return _Fault(429, "busy", "Too many wrong tokens; try again later.", {"retry-after": "10"})
            self._waiting += 1
            try:
                async with self._wrong:
                    await asyncio.sleep(_WRONG)
            finally:
                self._waiting -= 1
        reason = "This server asks for a token: Authorization: Bearer …, or as password in a browser."
        return _Fault(401, "no_token", reason, asks)


def _refusal(fault: _Fault, scope: Scope, headers: Mapping[bytes, bytes]) -> Response:
    """Return the response to a refused request: a page for a browser that asked for one."""
    if b"text/html" not in headers.get(b"accept", b"") or scope["path"].startswith(("/v1", "/mcp")):
        return JSONResponse({"error": fault.reason, "code": fault.code}, fault.status, fault.headers)
    text = f"<main><h1>legalir</h1><p>{escape(fault.reason)}</p></main>"
    page = f'<!doctype html><html lang="en"><title>legalir</title>{text}</html>'
    again = {"refresh": fault.headers["retry-after"]} if fault.code == "opening" else {}
    return HTMLResponse(page, fault.status, {**fault.headers, **again})


def _token(header: bytes) -> bytes:
    """Return the token of a header ``Authorization``: the token of ``Bearer``, or the password of ``Basic``."""
    kind, _, given = header.partition(b" ")
    if kind.lower() == b"bearer":
        return given.strip()
    if kind.lower() != b"basic":
        return b""
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2]
    except ValueError:
        return b""


class Unchanged:
    """Gives each page and each reply in one piece an ETag, and answers 304 to a client that has it already.

    Args:
        app: the application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        has = dict(scope["headers"]).get(b"if-none-match", b"")
        start: Message | None = None

        async def tagged(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if start is not None:
                head, start = start, None
                names = {name.lower() for name, _ in head["headers"]}
                if head["status"] == 200 and not message.get("more_body", False) and b"etag" not in names:
                    tag = b'"%s"' % hashlib.sha256(message.get("body", b"")).hexdigest()[:32].encode()
                    head = {**head, "headers": [*head["headers"], (b"etag", tag)]}
                    if tag in has:
                        kept = [
                            one for one in head["headers"] if one[0].lower() not in (b"content-length", b"content-type")
                        ]
                        head, message = {**head, "status": 304, "headers": kept}, {**message, "body": b""}
                await send(head)
            await send(message)

        await self._app(scope, receive, tagged)
