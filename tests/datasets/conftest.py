import gzip
import json
from pathlib import Path

import pytest

DOCS = [
    {"docno": "A-1", "title": "법 제1조(목적)", "text": "이 법은 예방을 정한다.", "law": "법", "effective": "2024-01-01"},
    {"docno": "A-2", "title": "법 제2조(정의)", "text": "무창층이란 창이 없는 층을 말한다.", "article": "2"},
    {"docno": "B-1", "title": "", "text": "영 제1조"},
]
QUERIES = [
    {"qid": "q1", "query": "무창층의 뜻은?", "kind": "definition"},
    {"qid": "q2", "query": "목적은?", "kind": "purpose"},
    {"qid": "q3", "query": "판단이 없는 질문", "kind": "other"},
]


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


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
