from pathlib import Path

import pytest
from mini_folder import DOCS, QUERIES, jsonl, write


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    """No test reads or writes the cache, or the collections, of whoever runs it."""
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LEGALIR_DATA", raising=False)


@pytest.fixture
def folder(tmp_path) -> Path:
    """Three provisions, three queries of which two are judged in the split `test`, one in `dev`."""
    root = tmp_path / "data" / "mini"
    write(root / "corpus.jsonl", jsonl(DOCS))
    write(root / "queries.jsonl", jsonl(QUERIES))
    write(root / "qrels.test.txt", "q1 0 A-2 1\nq1 0 B-1 2\nq2 0 A-1 1\n")
    write(root / "qrels.dev.txt", "q2 0 A-1 1\n")
    write(root / "links.tsv", "A-2\tA-1\tself\nB-1\tA-1\n")
    return root
