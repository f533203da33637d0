"""What holds for every test: servers, directories of its own, and none of the settings of whoever runs it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from postgres_servers import PASSWORD, PostgresServer

from legalir import Collection

Make = Callable[..., Collection]


@pytest.fixture(scope="session")
def primary() -> Iterator[PostgresServer]:
    """A primary with the database ``laws`` and the roles ``writer`` and ``reader``."""
    server = PostgresServer()
    try:
        yield server.start().prepare()
    finally:
        server.remove()


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, primary: PostgresServer) -> None:
    home = tmp_path / "own-home"
    for name in [name for name in os.environ if name.startswith("PG")] + ["LEGALIR_DATA"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LEGALIR_HOME", str(home / "legalir"))
    monkeypatch.setenv("PYTERRIER_HOME", str(home / "pyterrier"))
    monkeypatch.setenv("IR_DATASETS_HOME", str(home / "ir_datasets"))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    monkeypatch.setenv("PGPASSFILE", str(home / "no-pgpass"))
    monkeypatch.setenv("LEGALIR_POSTGRES", primary.dsn())


@pytest.fixture(name="make")
def make_collection(tmp_path: Path) -> Make:
    """Return ``make(rows, links, cache)``: a collection of rows, each a docno with a text or with fields."""

    def make(
        rows: Mapping[str, object], links: list[tuple[str, str, str]] | None = None, cache: str = "cache"
    ) -> Collection:
        folder = tmp_path / "made"
        folder.mkdir(exist_ok=True)
        records = [{"docno": docno, **(row if isinstance(row, dict) else {"text": row})} for docno, row in rows.items()]
        (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
        if links:
            (folder / "links.tsv").write_text("".join("\t".join(link) + "\n" for link in links))
        return Collection(folder, cache=tmp_path / cache)

    return make
