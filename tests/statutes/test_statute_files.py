"""The import of files: what is written, what is said, and what is done again."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from forked import child
from korean_laws import ACT, laws, many_laws
from refusals import refused

from legalir.datasets import check, load
from legalir.errors import DataError
from legalir.plugins import make
from legalir.statutes.importing.files import StatuteFiles
from legalir.statutes.importing.parsing import Format, Task, parse_all
from legalir.statutes.law import GivenLink, Law, Outline, Unit
from legalir.statutes.sources.markdown import FORMATS, read_kr
from legalir.statutes.writing import write_collection

KR = FORMATS[0]


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.fixture(name="calls")
def counted_reader() -> tuple[list[str], Format]:
    """A format that is not that of the module, so that it is read in this process, and what it has read."""
    calls: list[str] = []

    def read(path: Path, data: bytes) -> Iterator[Law]:
        calls.append(path.name)
        return read_kr(path, data)

    return calls, KR._replace(read=read)


def test_provisions_their_origins_and_the_report(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    (root / "README.md").write_text("# 안내\n", encoding="utf-8")
    report = write_collection(StatuteFiles(KR, root), tmp_path / "new", about={"lang": "ko"})
    rows, origins = lines(tmp_path / "new" / "corpus.jsonl"), lines(tmp_path / "new" / "origin.jsonl")
    assert rows[3]["url"] == "https://www.law.go.kr/법령/창고안전법/제3조의2"
    assert [row["docno"] for row in rows] == [
        f"{law}-{number}" for law in ("900001", "900002") for number in ("1", "2", "3", "3의2", "4")
    ]
    assert [row["docno"] for row in origins] == [row["docno"] for row in rows]
    for row, origin in zip(rows, origins, strict=True):
        text = (root / str(origin["file"])).read_text(encoding="utf-8")
        written = bare("".join(text[start:end] for start, end in origin["spans"]))  # type: ignore[attr-defined]
        assert written == (bare(str(row["text"])) or "삭제<2020.1.1.>")
        title = [text[start:end] for start, end in origin["title_spans"]]  # type: ignore[attr-defined]
        assert title[0] in str(row["title"])
    assert origins[3] == {
        "docno": "900001-3의2",
        "file": "창고/법률.md",
        "label": "제3조의2",
        "kind": "article",
        "level": "조",
        "above": [["장", "제2장", "의무"]],
        "sort": "000003.000002",
        "spans": origins[3]["spans"],
        "title_spans": origins[3]["title_spans"],
        "act": "법률 제20001호",
        "act_kind": "법률",
        "promulgated": "2023-01-03",
    }
    assert [row["docno"] for row in origins if row.get("repealed")] == ["900001-4", "900002-4"]
    details = json.loads((tmp_path / "new" / "import.json").read_text(encoding="utf-8"))
    assert details["formats"] == {"markdown-kr": 2}
    assert (details["laws"], details["provisions"], details["unread"]) == (2, 10, 0)
    assert details["unknown"] == ["README.md"]
    for file in details["files"]:
        assert file["characters"] == file["inside"] + sum(file["left_out"].values())
    assert report.details["files"] == details["files"]
    assert (report.faults, report.warnings()) == ([], [])
    found = check(tmp_path / "new")
    assert found.ok
    assert found.ignored == []


def test_the_language_of_all_laws_is_that_of_the_collection(tmp_path: Path) -> None:
    def read(path: Path, data: bytes) -> Iterator[Law]:
        for law in read_kr(path, data):
            law.lang = languages[path.name]
            yield law

    def lang() -> str | None:
        write_collection(StatuteFiles(KR._replace(read=read), root), tmp_path / "new")
        found = load(str(tmp_path / "new")).about.lang
        shutil.rmtree(tmp_path / "new")
        return found

    root = laws(tmp_path / "laws")
    languages = {"법률.md": "ko", "시행령.md": "ko"}
    assert lang() == "ko"
    languages["시행령.md"] = "en"
    assert lang() is None
    write_collection(StatuteFiles(KR, root), tmp_path / "new", about={"lang": "vi"})
    assert load(str(tmp_path / "new")).about.lang == "vi"
    write_collection(StatuteFiles(KR, root), tmp_path / "new", replace=True)
    assert load(str(tmp_path / "new")).about.lang == "vi"


def test_what_changed_since_the_last_import(tmp_path: Path) -> None:
    root = many_laws(tmp_path / "laws", 4)
    write_collection(StatuteFiles(KR, root), tmp_path / "new")
    before = (tmp_path / "new" / "corpus.jsonl").read_bytes()
    (root / "002.md").write_text(
        (root / "002.md").read_text(encoding="utf-8").replace("2미터", "3미터"), encoding="utf-8"
    )
    (root / "003.md").unlink()
    report = write_collection(StatuteFiles(KR, root), tmp_path / "new", replace=True)
    assert report.changes
    assert report.changes.to_dict() == {
        "added": [],
        "changed": ["910002-3"],
        "repealed": [],
        "moved": [],
        "removed": [f"910003-{number}" for number in ("1", "2", "3", "3의2", "4")],
        "unchanged": 14,
    }
    assert (tmp_path / "new" / "corpus.jsonl").read_bytes() != before


def test_what_moved_and_what_was_repealed(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    write_collection(StatuteFiles(KR, root), tmp_path / "new")
    act = root / "창고" / "법률.md"
    changed = ACT.replace("##### 제3조의2 (", "##### 제7조 (").replace(
        "이 법은 창고의 안전을 정한다.", "삭제 <2024. 1. 1.>"
    )
    act.write_text(changed + "\n##### 제8조 (벌칙)\n벌금에 처한다.\n", encoding="utf-8")
    changes = write_collection(StatuteFiles(KR, root), tmp_path / "new", replace=True).changes
    assert changes
    assert (changes.repealed, changes.moved) == (["900001-1"], [("900001-3의2", "900001-7")])
    assert (changes.added, changes.changed, changes.removed) == (["900001-8"], [], [])


def test_parsed_files_go_with_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    source = StatuteFiles(KR, laws(tmp_path / "laws"))
    assert len(list(source.provisions())) == 10
    assert len(list((tmp_path / "temporary").rglob("*"))) == 3
    del source
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("replace", [False, True])
def test_an_import_that_was_killed_leaves_the_former_folder(tmp_path: Path, replace: bool) -> None:
    root = many_laws(tmp_path / "laws", 6)
    if replace:
        write_collection(StatuteFiles(KR, laws(tmp_path / "others")), tmp_path / "new")

    def read_until(path: Path, data: bytes) -> Iterator[Law]:
        if path.name == "003.md":
            os.kill(os.getpid(), signal.SIGKILL)
        return read_kr(path, data)

    killed = StatuteFiles(KR._replace(read=read_until), root)
    process = child(partial(write_collection, killed, tmp_path / "new", replace=replace))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert (check(tmp_path / "new").provisions == 10) if replace else not (tmp_path / "new").exists()
    write_collection(StatuteFiles(KR, root), tmp_path / "new", replace=replace)
    assert check(tmp_path / "new").provisions == 30


def test_processes_give_the_same_as_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = many_laws(tmp_path / "laws", 5)
    write_collection(StatuteFiles(KR, root, workers=1), tmp_path / "one")
    monkeypatch.setattr("legalir.statutes.importing.parsing._FEW", 0)
    write_collection(StatuteFiles(KR, root, workers=2), tmp_path / "two")
    for name in ("corpus.jsonl", "origin.jsonl", "import.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_process_that_dies_is_named_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = many_laws(tmp_path / "laws", 6)
    (tmp_path / "deadly.py").write_text(
        "import os\nfrom legalir.statutes.sources.markdown import read_kr\n"
        "def read(path, data):\n    if path.name == '003.md':\n        os._exit(9)\n"
        "    yield from read_kr(path, data)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("legalir.statutes.importing.parsing._FEW", 0)
    deadly = KR._replace(read=importlib.import_module("deadly").read)
    report = write_collection(StatuteFiles(deadly, root, workers=2), tmp_path / "new")
    assert report.provisions == 25
    assert report.faults == ["003.md: the process that worked on it ended, perhaps for lack of memory: try workers=1."]


def test_a_reader_of_a_script_is_used_in_its_own_process(tmp_path: Path, calls: tuple[list[str], Format]) -> None:
    root = many_laws(tmp_path / "laws", 3)
    read, counting = calls
    tasks = [Task(path, path.name, counting, "papers") for path in sorted(root.iterdir())]
    assert len(list(parse_all(tasks, 2))) == len(read) == 3


def test_a_script_without_a_main_guard(tmp_path: Path) -> None:
    laws(tmp_path / "laws")
    script = tmp_path / "script.py"
    script.write_text(
        "from legalir.statutes.importing import parsing\nfrom legalir.statutes.writing import write_collection\n"
        "parsing._FEW = 0\nprint(write_collection('markdown(path=\"laws\", workers=2)', 'new').provisions)\n"
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("10\n", "")


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_imported(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    (root / "a.md").write_bytes(ACT.encode().replace("창고의".encode(), b"\xff"))
    with (root / "b.md").open("wb") as stream:
        stream.write(ACT.encode())
        stream.truncate(200 * 2**20)
    report = write_collection(StatuteFiles(KR, root), tmp_path / "new")
    assert report.provisions == 10
    assert report.faults == [
        f"a.md: not UTF-8 at byte {ACT.encode().index('창고의'.encode())}.",
        "b.md has 200 MB; the limit is 100 MB: split it.",
    ]
    with pytest.raises(DataError, match=r"^a\.md: not UTF-8 .*; 2 .*\(strict\)"):
        write_collection(StatuteFiles(KR, root), tmp_path / "strict", strict=True)
    assert not (tmp_path / "strict").exists()


def test_no_provision_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "a.md").write_text(ACT.split("## 제1장")[0], encoding="utf-8")
    with pytest.raises(DataError, match=r"^laws: no provision .*the file"):
        write_collection(StatuteFiles(KR, tmp_path / "laws"), tmp_path / "new")


def test_a_folder_without_files_of_the_format(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("# 안내\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"\.md.*readme\.md"):
        write_collection(StatuteFiles(KR, tmp_path), tmp_path / "new")
    with pytest.raises(DataError, match=r"nowhere does not exist\.$"):
        write_collection(StatuteFiles(KR, tmp_path / "nowhere"), tmp_path / "new")


def test_two_versions_of_a_law(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    (root / "new.md").write_text(ACT.replace("시행일자: 2023-07-04", "시행일자: 2024-01-01"), encoding="utf-8")
    message = r"^new\.md \(2024-01-01\) .*창고/법률\.md \(2023-07-04\) .*창고안전법 \(900001\).* 900001-1: .*history"
    with pytest.raises(DataError, match=message):
        write_collection(StatuteFiles(KR, root), tmp_path / "new")


def test_repeated_and_missing_numbers_are_noted(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    more = "".join(f"\n##### 제{number}조\n내용 {number}.\n" for number in (3, 5, 7, 8, 9))
    (root / "창고" / "법률.md").write_text(ACT + more, encoding="utf-8")
    report = write_collection(StatuteFiles(KR, root), tmp_path / "new")
    assert report.details["files"][0]["notes"] == [  # type: ignore[index]
        "창고안전법: 900001-3~2 is the second unit of its number.",
        "창고안전법: no article has the number 6: gaps are allowed.",
    ]


@pytest.mark.parametrize(
    ("numbers", "gap"),
    [("14-101 14-102 14-103", ""), ("1 3-5 6", "2"), ("2", ""), ("2 3", "1"), ("1-1 1-2 2-1 2-2", "")],
)
def test_numbers_with_a_chapter_are_no_range(tmp_path: Path, numbers: str, gap: str) -> None:
    lines = "\n".join(f"§ {number}. Pier\nA pier is long." for number in numbers.split())
    (tmp_path / "a.txt").write_text(f"Pier Act\n{lines}", encoding="utf-8")
    report = write_collection(make("source", f'text(path="{tmp_path}")', None), tmp_path / "new")
    notes = report.details["files"][0].get("notes", [])  # type: ignore[index]
    assert notes == ([f"Pier Act: no article has the number {gap}: gaps are allowed."] if gap else [])


@pytest.mark.parametrize(
    ("name", "value"),
    [("unit", "chapter"), ("workers", 0)],
)
def test_parameters(name: str, value: object) -> None:
    with refused("source", name, value):
        StatuteFiles(KR, ".", **{name: value})  # type: ignore[arg-type]


def _linked(path: Path, data: bytes) -> Iterator[Law]:
    """Read lines ``key: text -> law key`` as articles; ``* name (제2조 관련)`` is an annex."""
    text = data.decode()
    law = Law(text, path.stem, path.stem, "kr", "ko", names=(f"urn:{path.stem}",))
    outline = Outline(law)
    at = 0
    for line in text.splitlines(keepends=True):
        body, _, target = line.strip().partition(" -> ")
        name, _, _ = body.partition(": ")
        if line.startswith("* "):
            words = body.partition("(")[2].rstrip(")")
            unit = Unit("annex", number=name.split()[1], related=(words,))
        else:
            unit = Unit("article", number=name.rpartition("/")[2], key=name)
        outline.enter(unit, 0).add(at, at + len(body))
        if target:
            cited, _, key = target.partition(" ")
            unit.links.append(GivenLink(at, at + len(name), cited.removeprefix("."), key))
            law.leave_out(at + len(body), at + len(line), "links")
        at += len(line)
    yield law


def test_given_links_are_resolved_over_all_laws(tmp_path: Path) -> None:
    root = tmp_path / "laws"
    root.mkdir()
    (root / "a.txt").write_text(
        "s/1: one -> . s/1\ns/2: two -> . s/1/p/3\ns/3: three -> urn:b s/1\ns/4: four -> c s/1\n"
        "s/5: five -> b \ns/6: six -> b s/9\ns/7: seven -> . s/2\n* 1: table (제2조 및 제3조, 제9조 관련)\n"
    )
    (root / "b.txt").write_text("s/1: eins -> a s/1#x\n")
    format_ = Format("linked", (".txt",), lambda path, head: True, _linked)
    report = write_collection(StatuteFiles(format_, root), tmp_path / "new")
    links = (tmp_path / "new" / "links.tsv").read_text(encoding="utf-8").splitlines()
    assert links == [
        "a-2\ta-1\tcites",
        "a-3\tb-1\tcites",
        "a-7\ta-2\tcites",
        "a-annex-1\ta-2\tcites",
        "a-annex-1\ta-3\tcites",
        "b-1\ta-1\tcites",
    ]
    assert report.details["links"] == {
        "marked": {
            "itself": 1,
            "nearest unit": 2,
            "resolved": 2,
            "not in collection": 1,
            "whole law": 1,
            "no such unit": 1,
        },
        "annexes": {"resolved": 2, "no such unit": 1},
        "examples": {
            "itself": ["a-1: s/1 (s/1)"],
            "not in collection": ["a-4: s/4 (c s/1)"],
            "whole law": ["a-5: s/5 (b)"],
            "no such unit": ["a-6: s/6 (b s/9)", "a-annex-1: 제2조 및 제3조, 제9조 관련"],
        },
    }
