"""A table of contents that repeats the headings of a law is left out and reported, in each format without marks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from legalir.plugins import make
from legalir.statutes.importing.files import StatuteFiles
from legalir.statutes.reading.lines import read_text

KOREAN = "## 제1장 총칙\n\n##### 제1조 (목적)\n##### 제2조 (정의)\n\n## 제2장 의무\n\n##### 제3조 (신고)\n\n"
TEXTS = ("이 법은 등대를 정한다.", "등대란 빛을 내는 탑이다.", "신고한다.")


def korean() -> str:
    front = "---\n제목: 등대법\n법령ID: '000777'\n법령구분: 법률\n시행일자: 2021-06-01\n---\n\n# 등대법\n\n"
    body = KOREAN
    for heading, text in zip(("(목적)", "(정의)", "(신고)"), TEXTS, strict=True):
        body = body.replace(f"{heading}\n", f"{heading}\n{text}\n")
    return front + KOREAN + body


def german() -> str:
    front = "---\nTitle: Leuchtturmgesetz\njurabk: LTG\nslug: ltg\n---\n\n# Leuchtturmgesetz (LTG)\n\n"
    headings = ["## § 1 Zweck", "## § 2 Pflicht"]
    return front + "\n\n".join([*headings, headings[0], "Es regelt Türme.", headings[1], "Man meldet."]) + "\n"


def chinese() -> str:
    front = "# 灯塔法\n\n2021年3月2日 公布\n\n<!-- INFO END -->\n\n"
    headings = ["## 第一章 总则", "## 第二章 义务"]
    return front + "\n\n".join([*headings, headings[0], "第一条 为了灯塔。", headings[1], "第二条 应当报告。"]) + "\n"


def page() -> str:
    rows = "".join(f"<li class=a><b>제{number}조</b></li>" for number in (1, 2))
    body = "".join(f"<li class=a><b>제{number}조</b> {TEXTS[number]}</li>" for number in (1, 2))
    return f"<meta charset=utf-8><h1>등대법</h1><ul>{rows}</ul><ul>{body}</ul>"


@pytest.mark.parametrize(
    ("source", "name", "text", "articles"),
    [
        ('markdown(path="{}")', "a.md", korean, ["1", "2", "3"]),
        ('markdown(path="{}", rules="de")', "a.md", german, ["1", "2"]),
        ('markdown(path="{}", rules="cn")', "灯塔法(2021-03-02).md", chinese, ["1", "2"]),
        ('html(path="{}", rules="{}.yaml")', "a.html", page, ["1", "2"]),
    ],
)
def test_contents_are_left_out(
    tmp_path: Path, source: str, name: str, text: Callable[[], str], articles: list[str]
) -> None:
    path = tmp_path / name
    path.write_text(text(), encoding="utf-8")
    rules = "country: kr\ntitle: h1\nunits:\n  - {css: li.a, kind: article, label: b}\n"
    (tmp_path / f"{name}.yaml").write_text(rules, encoding="utf-8")
    files = make("source", source.format(path, path), None)
    assert isinstance(files, StatuteFiles)
    rows = list(files.provisions())
    assert [row["article"] for row in rows] == articles
    assert all(row["text"] for row in rows)
    (report,) = files.reports
    assert report.left_out["table of contents"] > 0 and report.unread == 0
    assert not any("second unit" in note for note in report.notes)


ENTRIES = "Sec. 1. Title; contents.\nSec. 2. Piers.\nSec. 3. Fees.\n"
SECTIONS = "SEC. 2. PIERS.\nA pier is long.\nSEC. 3. FEES.\nA fee is due.\n"


@pytest.mark.parametrize(
    ("first", "kept"),
    [
        (f"(b) Contents.—The table of contents of this Act is as follows:\n{ENTRIES}", False),
        ("(b) Clerical.—The table of contents of the Boats Act is amended as follows:\n“Sec. 2. Piers.”\n", True),
    ],
)
def test_contents_inside_of_a_section(first: str, kept: bool) -> None:
    lines = f"SECTION 1. TITLE; CONTENTS.\n(a) Title.—This is the Pier Act.\n{first}{SECTIONS}"
    law = read_text("a.txt", lines.splitlines(), "auto", "Pier Act", "a")
    assert [(each.number, bool(law.render(each))) for each in law.root.units] == [("1", True), ("2", True), ("3", True)]
    text = law.render(law.root.units[0])
    assert "This is the Pier Act." in text and ("Sec. 2." in text) is kept
    assert ("table of contents" in {each.reason for each in law.left_out}) is not kept


LAW = "Pier Act\nPart 1 Piers\nSection 1 Aim\nA pier is made of oak.\nSection 2 Fees\nA fee is due each month.\n"


@pytest.mark.parametrize(
    ("behind", "numbers"),
    [
        ("Contents\nPart 1 Piers\nSection 1 Aim ..... 1\nSection 2\nFees\nSchedule 1 Rates\nIt is two.", ["1", "2"]),
        (
            "Schedule 1 Form\nContents\nSection 1 Aim\nThe form has an aim, too.\nSection 2 Fees\nNone is due now.",
            ["1", "2", "1", "2"],
        ),
    ],
)
def test_contents_behind_the_law(behind: str, numbers: list[str]) -> None:
    law = read_text("a.txt", (LAW + behind).splitlines(), "any", "", "a")
    articles = [each for each in law.root.walk() if each.kind == "article"]
    assert [each.number for each in articles] == numbers and all(map(law.render, articles))
    assert [each.heading for each in law.root.walk() if each.kind == "annex"] == [
        "Rates" if len(numbers) < 3 else "Form"
    ]


def test_headings_without_text_that_do_not_come_again_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(korean().replace(KOREAN, "", 1).replace(TEXTS[1], "삭제"), encoding="utf-8")
    files = make("source", f'markdown(path="{path}")', None)
    assert isinstance(files, StatuteFiles)
    assert [row["article"] for row in files.provisions()] == ["1", "2", "3"]
    assert "table of contents" not in files.reports[0].left_out
