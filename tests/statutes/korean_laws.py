"""Invented Korean laws as Markdown files, for tests of an import."""

from __future__ import annotations

from pathlib import Path

ACT = """---
제목: 창고안전법
법령ID: '900001'
법령구분: 법률
공포번호: '20001'
공포일자: 2023-01-03
시행일자: 2023-07-04
---

# 창고안전법

## 제1장 총칙

##### 제1조 (목적)
이 법은 창고의 안전을 정한다.

##### 제2조 (정의)
**①** 창고란 물건을 두는 곳을 말한다.
**②** 통로란 사람이 다니는 곳을 말한다.

## 제2장 의무

##### 제3조 (통로)
통로의 너비는 2미터로 한다.

##### 제3조의2 (비상구)
1\\. 비상구를 둔다.
2\\. 비상구는 밖으로 연다.

##### 제4조
삭제 <2020. 1. 1.>
"""
DECREE = (
    ACT.replace("창고안전법", "창고안전법 시행령")
    .replace("900001", "900002")
    .replace("법률", "대통령령")
    .replace("이 법은", "이 영은")
)


def laws(folder: Path) -> Path:
    """Write two files, ``창고/법률.md`` and ``창고/시행령.md``, below a folder; return the folder."""
    (folder / "창고").mkdir(parents=True)
    (folder / "창고" / "법률.md").write_text(ACT, encoding="utf-8")
    (folder / "창고" / "시행령.md").write_text(DECREE, encoding="utf-8")
    return folder


def many_laws(folder: Path, count: int) -> Path:
    """Write laws of different names, one a file."""
    folder.mkdir(parents=True)
    for number in range(count):
        text = ACT.replace("창고안전법", f"창고안전법 {number}").replace("900001", f"{910000 + number}")
        (folder / f"{number:03}.md").write_text(text, encoding="utf-8")
    return folder
