"""Connections to PostgreSQL: where the servers are, who answers a read, who takes a write, and what errors say.

The servers come from ``LEGALIR_POSTGRES`` or from a parameter: connection strings of libpq, as ``service=laws`` or
``host=one,two dbname=laws``. Hosts of one string hold the same database, one primary and its replicas: a read goes to
any that answers, a write to the primary. Several strings, separated by semicolons, are shards, each with a part of the
rows. Passwords come from ``PGPASSWORD``, ``~/.pgpass`` or the service file, never from the string.
"""

from __future__ import annotations

import atexit
import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from legalir.errors import ArtifactError, ComponentError, DataError, LegalIRError

if TYPE_CHECKING:
    import psycopg

__all__ = ["VARIABLE", "Server", "servers"]

VARIABLE = "LEGALIR_POSTGRES"
"""Environment variable with the connection string, or several, separated by semicolons."""

_DEFAULTS = {
    "application_name": "legalir",
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
_PATIENCE = 10.0
"""Seconds in which another host may take over: a dying server still takes connections, a busy one refuses some."""
_PAUSE, _LONGEST_PAUSE = 0.05, 0.5
"""Seconds before another attempt, and more before each further one."""
_GRACE = 2.0
"""Seconds that a server has to say itself that a statement took too long."""

_T = TypeVar("_T")


def servers(dsn: str | None) -> tuple[Server, ...]:
    """Return the server of each shard.

    Args:
        dsn: connection strings; None for ``LEGALIR_POSTGRES``.

    Raises:
        ComponentError: there is no connection string, or one cannot be read or contains a password.
    """
    given = os.environ.get(VARIABLE, "") if dsn is None else dsn
    found = tuple(_server(text, os.getpid()) for part in given.split(";") if (text := part.strip()))
    if not found:
        raise ComponentError(
            f"There is no PostgreSQL server: set {VARIABLE} to a connection string, such as "
            f"'host=localhost dbname=laws user=legalir' or 'service=laws'."
        )
    return found


@cache
def _server(text: str, process: int) -> Server:
    # The process is part of the key: connections do not survive a fork.
    server = Server(text)
    atexit.register(server.close)
    return server


def _settings(text: str) -> dict[str, str]:
    from psycopg.conninfo import conninfo_to_dict

    try:
        settings = {name: str(value) for name, value in conninfo_to_dict(text).items()}
    except Exception:
        # The error of libpq repeats the string, in which there may be a password.
        raise ComponentError(
            f"A connection string of PostgreSQL (of {VARIABLE} or the parameter dsn) cannot be read: write "
            f"'host=… dbname=… user=…', 'service=…' or postgresql://user@host/database."
        ) from None
    if secret := {"password", "sslpassword"} & set(settings):
        raise ComponentError(
            f"The connection string of PostgreSQL holds a {min(secret)}: take it out, and put it into ~/.pgpass, "
            f"a service file or PGPASSWORD."
        )
    return settings


class Server:
    """A database: its primary, and any replicas of it.

    Args:
        conninfo: a connection string without a password.

    Raises:
        ComponentError: it cannot be read, or holds a password.
    """

    def __init__(self, conninfo: str) -> None:
        self._settings = _DEFAULTS | {"load_balance_hosts": "random"} | _settings(conninfo)
        self._idle: queue.LifoQueue[psycopg.Connection[Any]] = queue.LifoQueue()

    @property
    def place(self) -> str:
        """Where the database is, for messages."""
        shown = [
            f"{name}={self._settings[name]}"
            for name in ("service", "host", "port", "dbname", "user")
            if self._settings.get(name)
        ]
        return f"PostgreSQL ({' '.join(shown) or 'the default of libpq'})"

    def read(
        self,
        ask: Callable[[psycopg.Connection[Any]], _T],
        timeout: float = 30,
        settings: Mapping[str, str] | None = None,
    ) -> _T:
        """Return what `ask` returns, asked of any host that answers; another one is asked if it fails meanwhile.

        Args:
            ask: reads; called again where a connection broke.
            timeout: limit of the answer, in seconds.
            settings: further settings of PostgreSQL for this answer.

        Raises:
            ArtifactError: a table is missing.
            DataError: no server answers, or not in time; or it refuses.
        """
        from psycopg import Error, InterfaceError, OperationalError, errors

        limits = {"statement_timeout": f"{timeout:g}s", **(settings or {})}
        assign = "SELECT " + ", ".join(["set_config(%s, %s, false)"] * len(limits))
        target, begun = "any", time.monotonic()
        failure: Error | None = None
        pause = 0.0
        while True:
            if failure is not None:
                pause = min(pause + _PAUSE, _LONGEST_PAUSE)
                time.sleep(pause)
            try:
                connection = self._open(target) if failure else self._idle_or_new()
            except Error as error:
                # Where all reconnect at once, a host that answers may refuse some for a moment.
                broke = isinstance(failure, OperationalError | InterfaceError)
                if broke and time.monotonic() - begun < min(timeout, _PATIENCE):
                    continue
                raise self._plain(failure or error) from None
            try:
                with _cut_after(connection, timeout + _GRACE):
                    connection.execute(assign, [part for setting in limits.items() for part in setting])
                    answer = ask(connection)
            except errors.QueryCanceled as error:
                _close(connection)
                raise self._plain(error, timeout) from None
            except errors.UndefinedTable as error:
                _close(connection)
                if target == "read-write":
                    raise self._plain(error) from None
                target, failure = "read-write", error  # A replica may lag behind.
            except (OperationalError, InterfaceError) as error:
                _close(connection)
                self.close()  # What broke one connection may have broken all.
                failure = error
                if time.monotonic() - begun > min(timeout, _PATIENCE):
                    raise self._plain(failure) from None
            except Error as error:
                _close(connection)
                raise self._plain(error) from None
            except BaseException:
                _close(connection)  # Its answer may still be on the way.
                raise
            else:
                self._idle.put(connection)
                return answer

    @contextmanager
    def writing(self) -> Iterator[psycopg.Connection[Any]]:
        """Open a transaction on the primary; what the block writes is there as a whole after it, or not at all.

        Raises:
            DataError: no server takes writes, or it refuses.
        """
        import psycopg

        try:
            with self._open("read-write") as connection:
                connection.execute("SET default_transaction_read_only = off")
                connection.execute("SET statement_timeout = 0")
                connection.execute("SET lock_timeout = '600s'")
                connection.execute("SET client_min_messages = warning")
                with connection.transaction():
                    yield connection
        except psycopg.Error as error:
            raise self._plain(error, writing=True) from None

    def _idle_or_new(self) -> psycopg.Connection[Any]:
        with suppress(queue.Empty):
            while True:
                connection = self._idle.get_nowait()
                if not connection.closed:
                    return connection
        return self._open("any")

    def close(self) -> None:
        """Close idle connections; the next question opens new ones."""
        with suppress(queue.Empty):
            while True:
                _close(self._idle.get_nowait())

    def _open(self, target: str) -> psycopg.Connection[Any]:
        import psycopg

        settings: dict[str, Any] = self._settings | ({} if target == "any" else {"target_session_attrs": target})
        # No statement is prepared: each is planned for its own day and number of results.
        connection = psycopg.connect(autocommit=True, prepare_threshold=None, **settings)
        connection.execute("SET default_transaction_read_only = on")
        # Without iterative scans, a filtered list of the graph comes back too short.
        connection.execute("SET hnsw.iterative_scan = strict_order")
        connection.execute("SET jit = off")
        return connection

    def _plain(self, error: psycopg.Error, timeout: float = 0, *, writing: bool = False) -> LegalIRError:
        """Return an error in one sentence, which holds no more of the cause than its first line."""
        from psycopg import errors

        said = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName):
            return ArtifactError(f"{self.place} lacks a table of this index ({said}): build the index again.")
        if isinstance(error, errors.QueryCanceled):
            return DataError(
                f"{self.place} did not answer within {timeout:g} s: ask for fewer results, or raise timeout."
            )
        if isinstance(error, errors.LockNotAvailable):
            return DataError(f"{self.place} is being written by another process: try again when it has finished.")
        if isinstance(error, errors.InsufficientPrivilege):
            return DataError(
                f"{self.place} refuses ({said}): grant the rights that the README of legalir-postgres lists."
            )
        if "password" in str(error) or isinstance(error, errors.InvalidPassword):
            return DataError(
                f"{self.place} refuses the password, or got none: put the right one into ~/.pgpass or PGPASSWORD."
            )
        if isinstance(error, errors.OperationalError | errors.InterfaceError):
            action = "takes no writes" if writing else "cannot be reached"
            return DataError(f"{self.place} {action} ({said}): start it, correct {VARIABLE}, or try again later.")
        return DataError(f"{self.place} failed ({said}).")


def _close(connection: psycopg.Connection[Any] | None) -> None:
    if connection is not None:
        with suppress(Exception):
            connection.close()


@contextmanager
def _cut_after(connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
    """Break a connection whose answer does not come: the limit of the server does not help if the network is cut."""

    def cut() -> None:
        with suppress(OSError, Exception), socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
