"""Faults of servers, networks, roles and tables: each ends in one sentence, and none returns a part of a list."""

from __future__ import annotations

import socket
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest
from conftest import Make
from postgres_servers import PASSWORD, PostgresServer, free_port

from legalir import Collection
from legalir.errors import ArtifactError, ComponentError, DataError, LegalIRError

TEXT = 'postgres_text(analyzer="word")'
ROWS = {"a": "fire door", "b": "roof"}


def table_of(primary: PostgresServer, kind: str = "text") -> str:
    """Return the newest table of a kind."""
    return str(
        primary.sql(f"SELECT name FROM legalir.builds WHERE kind = '{kind}' ORDER BY written DESC LIMIT 1")[0][0]
    )


def refused(collection: Collection, expression: str = TEXT, kind: type[LegalIRError] = DataError) -> str:
    """Return the message of the error that a search ends in, of one line and without a secret."""
    with pytest.raises(kind) as caught:
        collection.pipeline(expression).search("fire")
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert PASSWORD not in shown
    assert "hunter2" not in shown
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_no_server_is_named(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEGALIR_POSTGRES")
    assert "set LEGALIR_POSTGRES" in refused(make(ROWS), kind=ComponentError)


def test_down_at_the_start(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_POSTGRES", f"host=127.0.0.1 port={free_port()} dbname=laws user=writer")
    assert "takes no writes (" in refused(make(ROWS))


@pytest.mark.parametrize(
    "given", ["host=h password=hunter2", "postgresql://u:hunter2@h/d", "host=h hunter2", "hunter2:/"]
)
def test_a_password_has_no_place_in_the_connection_string(
    make: Make, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refused(make(ROWS), f"postgres_text(dsn={given!r})", ComponentError)
    monkeypatch.setenv("LEGALIR_POSTGRES", given)
    assert refused(make(ROWS), kind=ComponentError)


def test_wrong_password(make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    monkeypatch.setenv("LEGALIR_POSTGRES", f"{primary.dsn()} application_name=wrong")
    assert "refuses the password" in refused(make(ROWS))


def test_settings_of_tls_are_passed_on(make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_POSTGRES", f"{primary.dsn()} sslmode=require")
    assert "SSL was required" in refused(make(ROWS))


def test_a_database_without_pgvector(make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_POSTGRES", primary.dsn("writer", "postgres"))
    assert "CREATE EXTENSION vector" in refused(make(ROWS))


def test_a_role_that_may_only_read(make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"only-read": "fire"}
    monkeypatch.setenv("LEGALIR_POSTGRES", primary.dsn("reader"))
    assert "grant the rights" in refused(make(rows))
    make(rows).pipeline(f'{TEXT[:-1]}, dsn="{primary.dsn()}")').search("fire")
    # Its own build finds the table of the writer, and asks for no right to write.
    assert len(make(rows).pipeline(f'{TEXT[:-1]}, dsn="{primary.dsn("reader")}")').search("fire")) == 1


def test_a_statement_that_takes_too_long(make: Make, primary: PostgresServer) -> None:
    collection = make(ROWS)
    quick = collection.pipeline(f"{TEXT[:-1]}, timeout=0.3)")
    quick.search("fire")
    with psycopg.connect(primary.dsn(), password=PASSWORD) as blocking:
        blocking.execute(f"LOCK TABLE legalir.{table_of(primary)} IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(DataError, match=r"0\.3 s"):
            quick.search("fire")
    assert len(quick.search("fire")) == 1


@contextmanager
def proxy(port: int) -> Iterator[tuple[int, threading.Event]]:
    """Pass bytes on to a port, until the event is set: then the connections stay, and nothing passes, as by a cut."""
    cut, listener = threading.Event(), socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError), source, target:
            while block := source.recv(65536):
                if cut.is_set():
                    time.sleep(5)
                target.sendall(block)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", port))
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with listener:
        yield listener.getsockname()[1], cut


def test_a_network_that_is_cut(make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir_postgres.server._GRACE", 0.2)
    with proxy(primary.port) as (port, cut):
        dsn = f"host=127.0.0.1 port={port} user=writer dbname=laws connect_timeout=2"
        pipeline = make(ROWS).pipeline(f'{TEXT[:-1]}, timeout=0.5, dsn="{dsn}")')
        assert len(pipeline.search("fire")) == 1
        cut.set()
        begun = time.monotonic()
        with pytest.raises(DataError, match="cannot be reached"):
            pipeline.search("fire")
        assert time.monotonic() - begun < 5
        cut.clear()
        assert len(pipeline.search("fire")) == 1


def test_connections_that_the_server_ends_are_opened_again(make: Make, primary: PostgresServer) -> None:
    pipeline = make(ROWS).pipeline(TEXT)
    pipeline.search("fire")
    primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'legalir'")
    assert len(pipeline.search("fire")) == 1


@pytest.mark.parametrize(("refusals", "found"), [(3, True), (99, False)])
def test_a_server_that_refuses_for_a_moment_is_asked_again(
    make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch, refusals: int, found: bool
) -> None:
    collection = make(ROWS)
    collection.pipeline(TEXT).search("fire")
    primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'legalir'")
    connect, left = psycopg.connect, iter(range(refusals))

    def refusing(*arguments: Any, **settings: Any) -> psycopg.Connection[Any]:
        if next(left, None) is not None:
            raise psycopg.OperationalError("too many clients already")
        return connect(*arguments, **settings)

    monkeypatch.setattr(psycopg, "connect", refusing)
    if found:
        assert len(collection.pipeline(TEXT).search("fire")) == 1
        assert next(left, None) is None
    else:
        assert "cannot be reached" in refused(collection)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE legalir.builds SET format = 99 WHERE name = '{table}'", "format 99, .*upgrade"),
        ("UPDATE legalir.builds SET corpus = 'other' WHERE name = '{table}'", "another corpus"),
        ("ALTER TABLE legalir.{table} ALTER COLUMN vector TYPE sparsevec(7) USING '{{}}/7'::sparsevec(7)", "dimension"),
        ("DELETE FROM legalir.builds WHERE name = '{table}'", "no table .*remove the directory"),
        ("DROP TABLE legalir.{table}", "no table .*remove the directory"),
    ],
)
def test_a_table_that_is_not_what_was_written(make: Make, primary: PostgresServer, change: str, told: str) -> None:
    rows = {"own": f"fire {told}"}
    make(rows).pipeline(TEXT).search("fire")
    table = table_of(primary)
    primary.sql(change.format(table=table))
    with pytest.raises(ArtifactError, match=told):
        make(rows).pipeline(TEXT).search("fire")
    primary.sql(f"DROP TABLE IF EXISTS legalir.{table}")
    primary.sql(f"DELETE FROM legalir.builds WHERE name = '{table}'")


def test_a_table_that_is_dropped_while_it_is_searched(make: Make, primary: PostgresServer) -> None:
    pipeline = make({"dropped": "fire"}).pipeline(TEXT)
    pipeline.search("fire")
    primary.sql(f"DROP TABLE legalir.{table_of(primary)}")
    with pytest.raises(ArtifactError, match="lacks a table"):
        pipeline.search("fire")
    # The catalog still names it: a build from an empty cache finds out, and writes it again.
    assert len(make({"dropped": "fire"}, cache="another").pipeline(TEXT).search("fire")) == 1


def test_two_writers_make_one_table(make: Make, primary: PostgresServer) -> None:
    rows = {f"w-{number}": f"fire door {number}" for number in range(40)}
    pipelines = [make(rows, cache=f"cache-{number}").pipeline(TEXT) for number in range(4)]
    sizes: list[int] = []
    threads = [
        threading.Thread(target=lambda pipeline=pipeline: sizes.append(len(pipeline.search("fire"))))  # type: ignore[misc]
        for pipeline in pipelines
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sizes == [40] * 4
    assert primary.sql("SELECT count(*) FROM legalir.builds WHERE rows = 40 AND kind = 'text'") == [(1,)]


def test_a_writer_that_dies_leaves_nothing(
    make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {f"k-{number}": f"fire door {number}" for number in range(3)}
    before = primary.sql("SELECT relname FROM pg_class WHERE relname LIKE 'text%%' ORDER BY 1")

    def die(*arguments: object) -> None:
        primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'")

    with monkeypatch.context() as patched:
        patched.setattr("legalir_postgres.builds.add_to_catalog", die)
        assert "takes no writes" in refused(make(rows))
    assert primary.sql("SELECT relname FROM pg_class WHERE relname LIKE 'text%%' ORDER BY 1") == before
    assert len(make(rows).pipeline(TEXT).search("fire")) == 3
