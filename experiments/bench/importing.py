"""What the import of publishers' files costs: time, memory, and an import again after a small change.

    python experiments/bench/importing.py [--provisions N]

The files are Korean laws in Markdown of invented words, made here; no collection is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

from child import run_script

ARTICLES = 50
WORDS = [
    "창고",
    "통로",
    "문",
    "사다리",
    "등불",
    "신고",
    "기한",
    "점검",
    "기록",
    "보관",
    "안전",
    "관리인",
    "허가",
    "취소",
    "벌금",
    "부두",
    "화물",
    "저울",
    "수위",
    "비상구",
]
_ARTICLE = re.compile(r"^##### 제(\d+)조(?:의(\d+))? \((.*)\)$", re.M)


def make(folder: Path, provisions: int) -> None:
    """Write laws of fifty articles with paragraphs, items and references, in folders of a hundred files."""
    draw = random.Random(7)

    def sentence() -> str:
        return " ".join(draw.choices(WORDS, k=12)) + "한다."

    for law in range(provisions // ARTICLES):
        lines = [
            f"---\n제목: 창고법 {law}\n법령ID: '{800000 + law}'\n법령구분: 법률\n시행일자: 2024-01-01\n---",
            f"# 창고법 {law}",
        ]
        for article in range(1, ARTICLES + 1):
            if article % 10 == 1:
                lines.append(f"## 제{article // 10 + 1}장 {draw.choice(WORDS)}")
            lines.append(f"##### 제{article}조 ({draw.choice(WORDS)})")
            lines.append(f"**①** 제{draw.randint(1, ARTICLES)}조제1항에 따라 {sentence()}\n**②** {sentence()}")
            lines.append("\n".join(f"{item}\\. {sentence()}" for item in range(1, 4)))
        path = folder / f"{law // 100:03}" / f"{law:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def plain(folder: Path, target: Path) -> int:
    """Cut the files by one regular expression, and write docno, title and text: no checks, no links, no units."""
    count = 0
    with target.open("w", encoding="utf-8") as out:
        for path in sorted(folder.rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            articles = list(_ARTICLE.finditer(text))
            ends = [*(each.start() for each in articles[1:]), len(text)]
            for article, end in zip(articles, ends, strict=True):
                row = {"docno": f"{path.stem}-{article[1]}", "title": article[3], "text": text[article.end() : end]}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
    return count


def arm(name: str, folder: Path, target: Path) -> None:
    """Run one arm in this process and print seconds, processor seconds, peak megabytes and provisions as JSON."""
    start = time.perf_counter()
    if name == "plain":
        count = plain(folder, target)
    else:
        from legalir.statutes.writing import write_collection

        workers = min(2, os.cpu_count() or 1)
        source = f'markdown(path="{folder}", workers={workers}, references={name != "units"})'
        count = write_collection(source, target, replace=True).provisions
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - start,
                "processor": sum(each.ru_utime + each.ru_stime for each in usage),
                "peak": usage[0].ru_maxrss / 1024,
                "worker": usage[1].ru_maxrss / 1024,
                "provisions": count,
            }
        )
    )


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--provisions", type=int, default=100_000, help="of the largest import (default: %(default)s)")
    most = parser.parse_args().provisions
    print("| import | provisions | s | processor s | peak MB | of a worker |\n|---|--:|--:|--:|--:|--:|")

    def row(label: str, name: str, folder: Path, target: Path) -> dict[str, float]:
        figures: dict[str, float] = run_script("importing", "--arm", name, folder, target)
        numbers = " | ".join(f"{figures[key]:.0f}" for key in ("provisions", "seconds", "processor", "peak", "worker"))
        print(f"| {label} | {numbers} |", flush=True)
        return figures

    with tempfile.TemporaryDirectory(prefix="legalir-bench-") as scratch:
        os.environ["LEGALIR_HOME"] = f"{scratch}/home"
        for share in (10, 2, 1):
            folder, target = Path(scratch, f"laws-{share}"), Path(scratch, f"new-{share}")
            make(folder, most // share)
            full = row("first", "whole", folder, target)
        files = sorted(folder.rglob("*.md"))
        for path in files[:: max(1, min(100, len(files)))]:
            path.write_text(path.read_text(encoding="utf-8").replace("제1장", "제1장 새", 1), encoding="utf-8")
        row("again, 1 % of the files changed", "whole", folder, target)
        row("first, without references", "units", folder, Path(scratch, "units"))
        row("plain loop over one regular expression", "plain", folder, Path(scratch, "plain.jsonl"))
    print(f"\n100 000 provisions: at most 180 s with two processes: {full['seconds'] * 100_000 / most:.0f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--arm"]:
        arm(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()
