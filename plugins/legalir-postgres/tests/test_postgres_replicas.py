"""A primary with a replica, and two shards: what goes on, and what stops, where one of them is killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pandas as pd
import pytest
from conftest import Make
from postgres_servers import PostgresServer

from legalir.errors import ArtifactError, DataError

TEXT = 'postgres_text(analyzer="word")'
ROWS = {f"r-{number}": f"fire door {'alarm ' * (number % 7)}lamp" for number in range(60)}


def caught_up(primary: PostgresServer, replica: PostgresServer) -> None:
    """Wait until the replica has what the primary has."""
    last = primary.sql("SELECT pg_current_wal_lsn()")[0][0]
    for _ in range(200):
        if replica.sql("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", last)[0][0]:
            return
        time.sleep(0.05)
    raise AssertionError("the replica stays behind")


@pytest.fixture(name="pair", scope="module")
def primary_and_replica() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    primary = PostgresServer()
    try:
        primary.start().prepare()
        replica = PostgresServer(primary)
        try:
            yield primary, replica.start()
        finally:
            replica.remove()
    finally:
        primary.remove()


def test_the_primary_is_killed_while_clients_search(
    make: Make, pair: tuple[PostgresServer, PostgresServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, replica = pair
    dsn = f"host=127.0.0.1,127.0.0.1 port={primary.port},{replica.port} user=writer dbname=laws"
    monkeypatch.setenv("LEGALIR_POSTGRES", dsn)
    collection = make(ROWS)
    # A replica that has not heard of the table yet sends nobody away.
    expected = collection.pipeline(TEXT).search("fire alarm")
    caught_up(primary, replica)

    wrong: list[object] = []
    searches, stop = [0] * 12, threading.Event()

    def client(number: int) -> None:
        pipeline = collection.pipeline(TEXT)
        while not stop.is_set():
            try:
                found = pipeline.search("fire alarm")
                if not found.equals(expected):
                    wrong.append(found)
                searches[number] += 1
            except Exception as error:
                wrong.append(error)
                return

    clients = [threading.Thread(target=client, args=(number,)) for number in range(12)]
    for thread in clients:
        thread.start()
    while min(searches) < 1:
        assert not wrong, wrong[0]
        time.sleep(0.05)
    primary.kill()
    after = list(searches)
    while min(now - then for now, then in zip(searches, after, strict=True)) < 2:
        assert not wrong, wrong[0]
        time.sleep(0.05)
    stop.set()
    for thread in clients:
        thread.join()
    assert not wrong

    more = make({**ROWS, "r-new": "fire hose"})
    with pytest.raises(DataError, match="takes no writes") as caught:
        more.pipeline(TEXT).search("hose")
    assert "\n" not in str(caught.value)
    primary.start()
    assert primary.sql("SELECT count(*) FROM legalir.builds WHERE rows = 60") == [(1,)]
    assert more.pipeline(TEXT).search("hose")["docno"].tolist() == ["r-new"]
    pd.testing.assert_frame_equal(make(ROWS, cache="another").pipeline(TEXT).search("fire alarm"), expected)
    caught_up(primary, replica)
    monkeypatch.setenv("LEGALIR_POSTGRES", replica.dsn("reader"))
    assert make(ROWS).pipeline(f'{TEXT[:-1]}, dsn="{dsn}")').search("fire alarm").equals(expected)


def test_two_shards_answer_as_one(
    make: Make, primary: PostgresServer, pair: tuple[PostgresServer, PostgresServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    second = pair[0]
    collection = make(ROWS)
    whole = {name: collection.pipeline(name).search("fire alarm") for name in (TEXT, "postgres_dense", f"{TEXT} % 7")}
    monkeypatch.setenv("LEGALIR_POSTGRES", f"{primary.dsn()}; {second.dsn()}")
    with pytest.raises(ArtifactError, match="built on 1 shard"):
        make(ROWS).pipeline(TEXT).search("fire")
    sharded = make(ROWS, cache="sharded")
    for name, expected in whole.items():
        pd.testing.assert_frame_equal(sharded.pipeline(name).search("fire alarm"), expected)
    assert second.sql("SELECT rows, of_rows FROM legalir.builds WHERE kind = 'dense'") == [(30, 60)]
    monkeypatch.setattr("legalir_postgres.server._DEFAULTS", {})
    second.kill()
    try:
        with pytest.raises(DataError, match="cannot be reached"):
            sharded.pipeline(TEXT).search("fire alarm")
    finally:
        second.start()
    pd.testing.assert_frame_equal(sharded.pipeline(TEXT).search("fire alarm"), whole[TEXT])
