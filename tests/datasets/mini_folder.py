"""The content of a small folder, and how to write one."""

import gzip
import json
from pathlib import Path

DOCS = [
    {
        "docno": "A-1",
        "title": "법 제1조(목적)",
        "text": "이 법은 예방을 정한다.",
        "law": "법",
        "effective": "2024-01-01",
    },
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
