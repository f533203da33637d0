"""Scores on disk: kept, verified, shared between threads and processes, and done without."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from forked import child

from legalir.rerank.score_cache import Best, ScoreCache, pair_keys

KEYS = pair_keys("settings", [("질문", "제1조", f"제{number}호의 조문") for number in range(2_000)])
SOME = {key: Best(number / 7 - 3, number % 3, 3, number, number + 10) for number, key in enumerate(KEYS)}


@pytest.fixture(name="path")
def path_of_scores(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "rerank-x.sqlite"


def filled(path: Path) -> Path:
    with closing(ScoreCache(path)) as scores:
        scores.put(SOME.items())
    return path


def read(path: Path) -> dict[str, Best]:
    with closing(ScoreCache(path)) as scores:
        return scores.get(KEYS)


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_scores_come_back_to_the_last_bit(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert read(path) == {}
    filled(path)
    assert read(path) == SOME
    with closing(ScoreCache(path)) as scores:
        assert scores.get([]) == {}
        assert scores.get([KEYS[5], "0" * 64, KEYS[5]]) == {KEYS[5]: SOME[KEYS[5]]}
        scores.put([(KEYS[5], Best(0.1, 0, 1, 0, 4))])
        assert scores.get([KEYS[5]]) == {KEYS[5]: Best(0.1, 0, 1, 0, 4)}
    assert warnings_of(caplog) == []


def test_no_text_is_in_the_file(path: Path) -> None:
    content = b"".join(file.read_bytes() for file in filled(path).parent.iterdir())
    assert "질문".encode() not in content
    assert "조문".encode() not in content


def test_keys_tell_everything_apart() -> None:
    pairs = [
        *(("q", "", "t"), ("q", "t", ""), ("", "q", "t"), ("qt", "", ""), ("q", "1", "2 t"), ("q", "12", " t")),
        *(("q", "", "1 t"), ("q1", "", " t"), ("q", "1 t", ""), ("q", "\n", "t"), ("q", "", "\nt")),
    ]
    keys = [*pair_keys("a", pairs), *pair_keys("b", pairs), *pair_keys("aq", [("", "", "t")])]
    assert len(set(keys)) == len(keys)
    assert pair_keys("a", pairs[::-1]) == keys[: len(pairs)][::-1], "a key is of its pair alone"
    assert all(len(key) == 64 for key in keys)


@pytest.mark.parametrize("damage", ["text", "header", "middle", "cut"])
def test_a_damaged_file_is_noticed_once_and_set_aside(
    path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    content = filled(path).read_bytes()
    if damage == "text":
        path.write_text("no database\n" * 400)
    elif damage == "header":
        path.write_bytes(b"\xff" * 100 + content[100:])
    elif damage == "middle":
        path.write_bytes(content[:8192] + b"\xa5" * 16384 + content[24576:])
    else:
        path.write_bytes(content[: len(content) // 2])
    found = read(path)
    assert found.items() <= SOME.items(), "what is read is right, or is not there"
    assert len(found) < len(SOME)
    (message,) = warnings_of(caplog)
    assert message.startswith("The cache of scores was damaged")
    assert read(filled(path)) == SOME
    assert len(warnings_of(caplog)) == 1


@pytest.mark.parametrize("value", ["substr(value, 1, 8)", "zeroblob(32)", "NULL"])
def test_a_score_that_was_altered_is_not_used(path: Path, value: str) -> None:
    """The database is whole for sqlite: only the checksum of the row says that it was changed."""
    with closing(sqlite3.connect(filled(path))) as database, database:
        database.execute(f"UPDATE windows SET value = {value} WHERE key = ?", [KEYS[7]])
    assert read(path) == {key: best for key, best in SOME.items() if key != KEYS[7]}
    assert read(filled(path)) == SOME


def test_damage_while_writing_is_survived(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    filled(path)
    with closing(ScoreCache(path)) as scores:
        scores.get(KEYS[:1])
        for name in ("", "-wal"):
            file = path.with_name(path.name + name)
            file.write_bytes(b"\xa5" * file.stat().st_size)
        scores.put([("0" * 64, Best(1.0, 0, 1, 0, 1))])
        scores.put([(KEYS[0], SOME[KEYS[0]])])
    assert read(path).items() <= {KEYS[0]: SOME[KEYS[0]]}.items()
    assert len(warnings_of(caplog)) == 1
    assert read(filled(path)) == SOME


def test_where_nothing_can_be_written_the_work_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("no folder")
    blocked = tmp_path / "file" / "cache" / "x.sqlite"
    (tmp_path / "taken.sqlite").mkdir()
    for path in (blocked, tmp_path / "taken.sqlite"):
        for _ in range(2):
            with closing(ScoreCache(path)) as scores:
                scores.put(SOME.items())
                assert scores.get(KEYS) == {}
    assert len(warnings_of(caplog)) == 2, "told once a file"
    assert all("are not cached" in line for line in warnings_of(caplog))


def test_a_full_disk_ends_nothing_else(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(ScoreCache(path)) as scores:
        scores._connected().execute("PRAGMA max_page_count = 10")  # sqlite then says what it says of a full disk.
        scores.put(SOME.items())
        assert scores.get(KEYS) == {}
    assert len(warnings_of(caplog)) == 1
    assert "full" in warnings_of(caplog)[0]


def put_some(path: Path, start: int, step: int) -> None:
    for key in KEYS[start::step]:
        with closing(ScoreCache(path)) as scores:
            scores.put([(key, SOME[key])])


def test_threads_and_processes_write_at_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    processes = [child(put_some, path, number, 100) for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(put_some, path, number, 100) for number in range(4, 8)]:
            done.result()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    written = {key: SOME[key] for number in range(8) for key in KEYS[number::100]}
    assert read(path) == written
    assert warnings_of(caplog) == []


def test_of_many_who_find_the_damage_one_removes_the_file(path: Path) -> None:
    """Each writes a score of its own after it: had two removed the file, one score would be gone."""
    filled(path).write_text("no database\n" * 400)
    processes = [child(put_some, path, number, len(KEYS)) for number in range(6)]
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert read(path) == {key: SOME[key] for key in KEYS[:6]}


def test_what_was_put_outlives_a_killed_process(path: Path) -> None:
    code = (
        "import os, sys, pathlib\n"
        "from legalir.rerank.score_cache import Best, ScoreCache\n"
        "scores = ScoreCache(pathlib.Path(sys.argv[1]))\n"
        "scores.put([('0' * 64, Best(0.25, 1, 2, 3, 4))])\n"
        "scores._database.execute('BEGIN IMMEDIATE')\n"
        "scores._database.execute('DELETE FROM windows')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -9
    with closing(ScoreCache(path)) as scores:
        assert scores.get(["0" * 64]) == {"0" * 64: Best(0.25, 1, 2, 3, 4)}
