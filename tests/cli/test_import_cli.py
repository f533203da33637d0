"""``legalir datasets import`` as a user meets it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from forked import child
from typer.testing import CliRunner, Result

from legalir.cli.datasets import app
from legalir.cli.main import main
from legalir.errors import DataError


@pytest.fixture(autouse=True)
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("p.csv").write_text("docno,text\nact-1,창고의 문은 밖으로 연다.\nact-2,통로를 둔다.\n", encoding="utf-8")
    Path("l.csv").write_text("source,target\nact-1,act-2\nact-1,[bold]act-9\n", encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_import_then_check_and_search() -> None:
    done = run(
        "import", 'table(path="p.csv", links="l.csv")', "new", "--title", "창고", "--licence", "CC0", "--lang", "ko"
    )
    assert done.exit_code == 0, done.output
    assert "provisions     2" in done.output
    assert "1 (no kind)" in done.output
    assert "warning: 1 link has an end that is not a provision ([bold]act-9): see links.dangling.tsv" in done.output
    assert run("check", "new").exit_code == 0
    shown = json.loads(run("show", "new", "--json").stdout)
    assert (shown["title"], shown["licence"], shown["language"], shown["source"]) == ("창고", "CC0", "ko", "p.csv")


def test_import_for_a_program() -> None:
    done = run("import", 'table(path="p.csv", links="l.csv")', "new", "--json")
    report = json.loads(done.stdout)
    assert (report["folder"], report["provisions"], report["dangling"]) == ("new", 2, 1)
    assert report["links"] == {"": 1}
    assert len(report["warnings"]) == 1


def test_a_folder_is_replaced_only_when_asked() -> None:
    assert run("import", 'table(path="p.csv")', "new").exit_code == 0
    Path("new", "qrels.txt").write_text("q 0 act-1 1\n", encoding="utf-8")
    again = run("import", 'table(path="p.csv")', "new")
    assert isinstance(again.exception, DataError)
    assert "--replace" in str(again.exception)
    done = run("import", 'table(path="p.csv")', "new", "--replace")
    assert done.exit_code == 0
    assert "kept           dataset.yaml, qrels.txt" in done.output


@pytest.mark.parametrize(
    ("source", "words", "code"),
    [("tabel", "'table'", 2), ("table(", "'table('", 2), ("table(path='no.csv')", "no.csv cannot be read", 1)],
)
def test_mistakes_are_one_line(
    source: str, words: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["legalir", "datasets", "import", source, "new"])
    with pytest.raises(SystemExit) as ended:
        main()
    error = capsys.readouterr().err
    assert (ended.value.code, error.count("\n")) == (code, 1)
    assert error.startswith("error: ") and words in error


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes with a name")
def test_an_import_that_is_killed_in_the_middle_is_as_if_it_had_not_been() -> None:
    assert run("import", 'table(path="p.csv")', "new").exit_code == 0
    before = Path("new", "corpus.jsonl").read_bytes()
    os.mkfifo("endless.csv")  # The import has begun when it opens the pipe, and waits for more.
    process = child(run, "import", "table(path='endless.csv')", "new", "--replace")
    with Path("endless.csv").open("w", encoding="utf-8") as pipe:
        pipe.write("docno,text\n" + "".join(f"d{number},x\n" for number in range(5000)))
        pipe.flush()
        assert process.is_alive()
        process.kill()
        process.join()
        assert Path("new", "corpus.jsonl").read_bytes() == before
        assert [path.name[:9] for path in Path().glob(".new.*/")] == [".new.new-"]
    assert run("import", 'table(path="p.csv")', "new", "--replace").exit_code == 0
    assert list(Path().glob(".new.*")) == []


def _laws() -> None:
    front = "---\n제목: 창고법\n법령ID: '900001'\n법령구분: 법률\n---\n\n"
    Path("laws").mkdir()
    Path("laws", "a.md").write_text(f"{front}##### 제1조 (목적)\n문을 연다.\n", encoding="utf-8")
    Path("laws", "b.md").write_bytes(b"---\n\xed\x85\n" + "법령".encode())
    Path("laws", "c.txt").write_text("쪽지", encoding="utf-8")


def test_a_file_that_cannot_be_read_is_named_and_the_exit_code_is_1() -> None:
    _laws()
    done = run("import", 'auto(path="laws")', "new")
    assert done.exit_code == 1
    assert "files        1 markdown-kr" in done.output
    assert "other files  1: c.txt" in done.output
    assert "not read: b.md: not UTF-8 at byte 4" in done.output
    assert run("check", "new").exit_code == 0
    strict = run("import", 'auto(path="laws")', "strict", "--strict")
    assert isinstance(strict.exception, DataError)
    assert not Path("strict").exists()


def test_an_import_again_prints_what_changed() -> None:
    _laws()
    Path("laws", "b.md").unlink()
    assert run("import", 'auto(path="laws")', "new").exit_code == 0
    law = Path("laws", "a.md")
    law.write_text(law.read_text(encoding="utf-8").replace("연다", "닫는다") + "\n##### 제2조\n끝.\n", encoding="utf-8")
    done = run("import", 'auto(path="laws")', "new", "--replace")
    assert done.exit_code == 0, done.output
    assert "added        1: 900001-2" in done.output
    assert "changed      1: 900001-1" in done.output
    assert "unchanged    0" in done.output
    report = json.loads(run("import", 'auto(path="laws")', "new", "--replace", "--json").stdout)
    assert report["changes"]["unchanged"] == 2
    assert report["details"]["formats"] == {"markdown-kr": 1}
