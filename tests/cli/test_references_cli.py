"""``legalir references``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from legalir.cli.main import app


def run(path: Path, text: str, *options: str) -> str:
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["references", str(path), *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_plain_text(tmp_path: Path) -> None:
    out = run(tmp_path / "a.txt", "「선박법」 제4조제2항에 따라", "--lang", "ko")
    assert out == "0\t「선박법」 제4조제2항\tlaw 선박법 article 4 paragraph 2\tread\n"


def test_json_lines(tmp_path: Path) -> None:
    rows = [
        {"text": '「선박법」(이하 "법"이라 한다)', "law": "부두규칙", "lang": "ko"},
        {"text": "법 제4조, 전항", "law": "부두규칙", "at": None, "source": "book#제5조제2항", "references": ["old"]},
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    first, second = map(json.loads, run(tmp_path / "a.jsonl", lines, "--lang", "ko", "--json").splitlines())
    assert [one["state"] for one in first["references"]] == ["whole law"]
    assert second["source"] == "book#제5조제2항"
    assert [(one["law"], one["article"], one["paragraph"]) for one in second["references"]] == [
        ("선박법", "4", ""),
        ("부두규칙", "5", "1"),
    ]
    one = second["references"][0]
    assert (one["surface"], one["start"], one["end"], one["kind"]) == ("법 제4조", 0, 5, "cites")


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        ("제3조", (), "a plain text needs its language"),
        ('{"text": 3}\n', ("--lang", "ko"), "the key 'text' must be a string"),
        ('{"text": "a"', ("--lang", "ko"), "this is not JSON"),
        ('{"text": "a"}', (), "has no 'lang'"),
        ('{"text": "a", "at": 3}', ("--lang", "ko"), "the key 'at' must be a string"),
        ("제3조", ("--lang", "xx"), "no grammar of references in 'xx'"),
    ],
)
def test_faults(tmp_path: Path, text: str, options: tuple[str, ...], error: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["references", str(path), *options])
    assert result.exception is not None
    assert error in str(result.exception)
