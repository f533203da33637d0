"""Several processes that serve: forked from one in which all indexes are open, so that they share its memory."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import pandas as pd
import uvicorn
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from legalir.errors import ComponentError

_log = logging.getLogger("legalir_serve")

COUNTS = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of the folder in which several processes count together; it is set before prometheus_client is imported."""

_LOOK = 1.0
"""Seconds between two looks at the processes."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

_PATIENCE = 60.0
"""Seconds that a process may take to end what it has begun."""

_RENEW = 3
"""Looks at the processes for one at the files of the collections."""


def prepare() -> None:
    """Prepare this process for many threads that each do a little."""
    sys.setswitchinterval(0.001)  # In seconds: the thread that reads requests waits for all others in turn.
    pd.set_option("mode.string_storage", "python")  # Faster for frames of few rows.
    with suppress(OSError, AttributeError, TypeError):  # Another C library than glibc, or another system.
        library = ctypes.CDLL(None)
        # M_ARENA_MAX, and M_MMAP_THRESHOLD in bytes: else each thread keeps up to 32 MB of what it has given back.
        for parameter, value in ((-8, 2), (-3, 1 << 20)):
            library.mallopt(parameter, value)


def serve(
    config: uvicorn.Config,
    listening: socket.socket,
    processes: int,
    warm: Callable[[], object],
    renew: Callable[[], object],
) -> None:
    """Serve in several processes until this one is told to end; one that dies is replaced.

    After a change of a collection new processes take the place of the old ones, which first end what they have begun.

    Args:
        config: the application.
        listening: a socket with its address; nobody can connect until the indexes are open.
        processes: number of processes.
        warm: opens all indexes, in this process.
        renew: opens again what has changed, in this process; true if anything has.

    Raises:
        ComponentError: the system cannot fork, or an index is open on a GPU, which a forked process cannot use.
    """
    if not hasattr(os, "fork"):
        raise ComponentError("This system cannot share memory between processes: leave --workers out.")
    warm()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        raise ComponentError("A model is on the GPU, which one process uses at a time: leave --workers out.")
    alive, held = os.pipe()  # Only this process holds the second end, so that its children see when it is gone.
    ending: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        ending.append(number)

    for number in _SIGNALS:
        signal.signal(number, end)

    def start() -> int:
        # Objects that all have are not looked at by the collector, which would copy their pages. A former state goes.
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        # A signal that comes before the child has its own answer to it would be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        child = os.fork()
        if child:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            return child
        status = 1
        try:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            os.close(held)
            threading.Thread(target=_end_with, args=(alive,), daemon=True).start()
            # The threads of the parent are not here, and each process has one processor at best.
            with threadpool_limits(1):
                _Sharing(config).run([listening])
            status = 0
        except Exception as error:
            _log.error("A process that serves has a fault.", exc_info=error)
        finally:
            os._exit(status)

    children = set[int]()
    try:
        children |= {start() for _ in range(processes)}
        looks = 0
        while not ending:
            time.sleep(_LOOK)
            looks += 1
            for _ in _ended(children):
                _log.warning("A process that serves has ended: another takes its place.")
                children.add(start())
            if looks % _RENEW == 0 and _renewed(renew):
                former, children = children, {start() for _ in range(processes)}
                _end(former)
    finally:
        _end(children)
        listening.close()
        os.close(alive)
        os.close(held)


class _Sharing(uvicorn.Server):
    """A server that takes one connection at a time, so that the other processes at its socket get theirs.

    Else the first one that wakes up takes all that wait, and answers all of their requests.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        waiting, self.config.backlog = self.config.backlog, 1
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(waiting)  # asyncio has made the system's queue as short, too.


def _end_with(alive: int) -> None:
    """End this process when the one that holds the other end of a pipe is gone, however it went."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _renewed(renew: Callable[[], object]) -> bool:
    """Return whether anything was opened again; a fault is logged, and what is served stays."""
    try:
        return bool(renew())
    except Exception as error:
        _log.error("A collection could not be opened anew: %s", type(error).__name__, exc_info=error)
        return False


def _ended(children: set[int]) -> list[int]:
    """Return the children that have ended, and take them out of the set."""
    ended = [child for child in children if os.waitpid(child, os.WNOHANG)[0]]
    children -= set(ended)
    if COUNTS in os.environ:
        from prometheus_client.multiprocess import mark_process_dead

        for child in ended:
            # What it was answering is no longer being answered.
            mark_process_dead(child)  # type: ignore[no-untyped-call]
    return ended


def _end(children: set[int]) -> None:
    """Tell children to end what they have begun and then themselves; wait for them, but not for ever."""
    for child in children:
        os.kill(child, signal.SIGTERM)
    end = time.monotonic() + _PATIENCE
    while children and time.monotonic() < end:
        _ended(children)
        time.sleep(0.02)
    for child in children:
        _log.warning("A process that serves does not end, and is killed.")
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


_SILENT = 15.0
"""Seconds in which the head of a request has to come."""


def impatient() -> type[asyncio.Protocol]:
    """Return uvicorn's protocol, which closes a connection on which the head of a request comes too slowly."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

    class Impatient(base):  # type: ignore[misc]
        timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self.wait()

        def wait(self) -> None:
            self.timer = self.loop.call_later(_SILENT, self.give_up)

        def answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def give_up(self) -> None:
            self.timer = None
            if not self.answering():
                self.transport.close()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.answering():
                if self.timer is not None:
                    self.timer.cancel()
                    self.timer = None
            elif self.timer is None:
                self.wait()

        def connection_lost(self, error: Exception | None) -> None:
            if self.timer is not None:
                self.timer.cancel()
            super().connection_lost(error)

    return Impatient
