"""Provisions, versions and links as SQL tables."""

from __future__ import annotations

from datetime import date

import psycopg
import pytest
from conftest import Make
from postgres_servers import PASSWORD, PostgresServer

from legalir.errors import ArtifactError
from legalir_postgres import write_statutes

ROWS: dict[str, object] = {
    "d-1@2010-01-01": {"text": "A door.", "title": "Doors, 1", "law": "Doors", "effective_from": "2010-01-01"},
    "d-1@2020-01-01": {"text": "A wide door.", "law": "Doors", "effective_from": "2020-01-01"},
    "d-2@2015-01-01": {
        "text": "A gate\0 as in 1.",
        "law": "Doors",
        "effective_from": "2015-01-01",
        "effective_to": "2021-01-01",
    },
    "e-9": {"text": "Always."},
}
LINKS = [("d-2", "d-1", "cites"), ("e-9", "d-1@2010-01-01", "cites")]


@pytest.fixture(name="stored")
def store(make: Make, primary: PostgresServer) -> PostgresServer:
    primary.sql("DROP SCHEMA IF EXISTS law_tables CASCADE")
    assert write_statutes(make(ROWS, LINKS), schema="law_tables") == 4
    return primary


def test_the_law_of_a_day(stored: PostgresServer) -> None:
    def docnos(day: str) -> list[str]:
        rows = stored.sql("SELECT docno FROM law_tables.in_force(%s::date) ORDER BY docno", day, user="reader")
        return [row[0] for row in rows]

    assert docnos("2009-12-31") == ["e-9"]
    assert docnos("2019-12-31") == ["d-1@2010-01-01", "d-2@2015-01-01", "e-9"]
    assert docnos("2020-01-01") == ["d-1@2020-01-01", "d-2@2015-01-01", "e-9"]
    assert docnos("2021-01-01") == ["d-1@2020-01-01", "e-9"]


def test_columns(stored: PostgresServer) -> None:
    select = "SELECT provision, title, text, law, effective_from, effective_to::text FROM law_tables.provisions"
    rows = stored.sql(f"{select} WHERE provision LIKE 'd-%%' ORDER BY docno", user="reader")
    assert rows[0] == ("d-1", "Doors, 1", "A door.", "Doors", date(2010, 1, 1), "2020-01-01")
    assert rows[1][-1] == "infinity"
    assert rows[2][2] == "A gate as in 1."
    always = "SELECT docno FROM law_tables.provisions WHERE effective_from = '-infinity' AND effective_to = 'infinity'"
    assert stored.sql(always) == [("e-9",)]


def test_links_of_a_day(stored: PostgresServer) -> None:
    def links(day: str) -> list[tuple[str, ...]]:
        return sorted(stored.sql("SELECT * FROM law_tables.links_in_force(%s::date)", day))

    assert links("2019-06-01") == [
        ("d-2@2015-01-01", "d-1@2010-01-01", "cites"),
        ("e-9", "d-1@2010-01-01", "cites"),
    ]
    assert links("2020-06-01") == [("d-2@2015-01-01", "d-1@2020-01-01", "cites")]


def test_readers_see_the_old_tables_or_the_new_ones(make: Make, stored: PostgresServer) -> None:
    stored.sql(
        "CREATE VIEW law_tables.mine AS SELECT docno FROM law_tables.provisions WHERE law = 'Doors'", user="writer"
    )
    count = "SELECT count(*) FROM law_tables.mine"
    with psycopg.connect(stored.dsn("reader"), password=PASSWORD) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        assert reader.execute(count).fetchone() == (3,)
        reader.rollback()
        write_statutes(make({"d-3": {"text": "New.", "law": "Doors"}}), schema="law_tables")
        assert reader.execute(count).fetchone() == (1,)
    assert len(stored.sql("SELECT 1 FROM pg_class WHERE relname LIKE 'provisions%%' AND relkind = 'r'")) == 1


def test_an_interrupted_write_leaves_the_old_tables(
    make: Make, stored: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("legalir_postgres.statutes._VIEWS", ("SELECT 1 / 0",))
    with pytest.raises(Exception, match="division by zero"):
        write_statutes(make({"d-3": "New."}), schema="law_tables")
    assert stored.sql("SELECT count(*) FROM law_tables.provisions") == [(4,)]
    assert len(stored.sql("SELECT 1 FROM pg_class WHERE relname LIKE 'provisions%%' AND relkind = 'r'")) == 1


def test_tables_of_a_newer_format_stay(make: Make, stored: PostgresServer) -> None:
    stored.sql("UPDATE law_tables.builds SET format = 99")
    with pytest.raises(ArtifactError, match="newer legalir-postgres"):
        write_statutes(make({"d-3": "New."}), schema="law_tables")
