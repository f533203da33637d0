"""Directories of each test's own, a collection from texts, a small fake server, and a real one where there is one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from qdrant_server import FakeQdrant, fake_qdrant

from legalir import Collection

Make = Callable[..., Collection]
REAL_URL, REAL_KEY = os.environ.get("LEGALIR_QDRANT_URL"), os.environ.get("LEGALIR_QDRANT_API_KEY")


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "own-home"
    monkeypatch.setenv("LEGALIR_HOME", str(home / "legalir"))
    monkeypatch.setenv("PYTERRIER_HOME", str(home / "pyterrier"))
    monkeypatch.setenv("IR_DATASETS_HOME", str(home / "ir_datasets"))
    for name in ("LEGALIR_DATA", "LEGALIR_QDRANT_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(name="make")
def make_collection(tmp_path: Path) -> Make:
    """Return ``make(rows, name="made")``: a collection of rows, each a docno with a text or with fields."""

    def make(rows: Mapping[str, object], name: str = "made", cache: str = "cache") -> Collection:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        records = [{"docno": docno, **(row if isinstance(row, dict) else {"text": row})} for docno, row in rows.items()]
        lines = map(json.dumps, records)
        (folder / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return Collection(folder, cache=tmp_path / cache)

    return make


@pytest.fixture(name="fake")
def fake_server() -> Iterator[FakeQdrant]:
    """A server of this test's own."""
    with fake_qdrant() as fake:
        yield fake


@pytest.fixture(name="real_url")
def real_server(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a real server."""
    if REAL_URL is None:
        pytest.skip("set LEGALIR_QDRANT_URL (and LEGALIR_QDRANT_API_KEY) to test with a real Qdrant server")
    if REAL_KEY:
        monkeypatch.setenv("LEGALIR_QDRANT_API_KEY", REAL_KEY)
    return REAL_URL
