"""A small index and what it answers."""

from __future__ import annotations

from pathlib import Path

from legalir.lexical.sparse import SparseIndex

DOCUMENTS = [
    {
        "docno": "법-2",
        "title": "소방시설법 제2조(정의)",
        "text": "무창층이란 개구부의 면적이 바닥면적의 30분의 1 이하인 층을 말한다.",
    },
    {"docno": "법-12", "title": "소방시설법 제12조", "text": "관계인은 소방시설을 설치·관리하여야 한다."},
    {
        "docno": "령-11",
        "title": "",
        "text": "스프링클러설비는 지하층 또는 무창층에 설치한다. 무창층의 바닥면적을 본다.",
    },
    {"docno": "th-288", "text": "ผู้ใดฆ่าผู้อื่น ต้องระวางโทษประหารชีวิต"},
    {"docno": "en-1", "title": "Fire Safety Act", "text": "Every floor without windows needs sprinklers."},
    {"docno": "empty", "text": "「」…"},
]
OTHERS = [{"docno": f"o{number}", "text": f"무창층 {number} 다른 법령 바닥면적"} for number in range(9)]
QUERIES = ["무창층의 바닥면적 기준", "소방시설 설치", "ฆ่าผู้อื่น", "sprinklers floor", "없다", ""]

Answers = list[list[tuple[str, float]]]


def answers(index: SparseIndex) -> Answers:
    """Return what both retrievers answer to all queries."""
    found = []
    for retriever in (index.bm25(), index.tfidf()):
        for query in QUERIES:
            documents, scores = retriever.best(query)
            found.append(list(zip(index.docnos[documents].tolist(), scores.tolist(), strict=True)))
    return found


def scratch(path: Path) -> list[str]:
    """Return the names in the directory of an artifact beyond those of one whole build."""
    names = sorted(child.name for child in path.iterdir())
    data = [name for name in names if name.startswith("data-")]
    return [name for name in names if name not in ("manifest.json", "pt_meta.json", *data[:1])]
