"""The file of replies: shared, killed, corrupt, altered, full."""

from __future__ import annotations

import json
import logging
import multiprocessing
import multiprocessing.sharedctypes
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from forked import child

from legalir.errors import ArtifactError
from legalir.llm import cache as cache_module
from legalir.llm.cache import ReplyCache, StoredReply
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply
from legalir.storage.digest import digest


def stored(number: int, text: str = "At dusk.", model: str = "m") -> StoredReply:
    request = ChatRequest((("user", f"Question {number}?"),), prompt="hyde" if number % 2 else "rewrite", seed=number)
    return StoredReply.of(model, request, ChatReply(text, "stop", model, 7, 5, 0.5, logprobs=({"At": -0.5},)))


@pytest.fixture(name="cache")
def cache_in_a_new_folder(tmp_path: Path) -> ReplyCache:
    return ReplyCache(tmp_path / "new" / "llm.sqlite")


def row(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement, values)


class TestEntry:
    def test_a_line_is_read_back(self) -> None:
        assert StoredReply.read(stored(3).line()) == stored(3)._replace(
            request={**stored(3).request, "messages": [["user", "Question 3?"]]}
        )
        failed = StoredReply.of("m", ChatRequest((("user", "x"),)), FailedReply("too_long", "9 000 tokens"))
        again = StoredReply.read(failed.line())
        with pytest.raises(FailedReply, match="9 000 tokens") as caught:
            again.given()
        assert caught.value.state == "too_long"

    def test_a_line_of_another_version_is_read(self) -> None:
        # An older version had neither state nor reason, and wrote empty fields of the request, too.
        request = {"messages": [["user", "x"]], "schema": None, "seed": 0, "prompt": "hyde"}
        reply = {"text": "At dusk.", "colour": "red"}
        line = json.dumps(
            {"key": digest({"model": "m", **request}), "model": "m", "request": request, "reply": reply, "more": 1}
        )
        assert StoredReply.read(line).given() == ChatReply("At dusk.")

    @pytest.mark.parametrize(
        "line",
        [
            *("", "[]", "1", "{}", '{"key": "x", "model": "m", "request": {}, "reply": {"text": "x"}}'),
            *('{"key": "x", "model": "m", "request": {}, "reply": 3}', '{"reply": {"finish_reason": "stop"}}'),
            stored(3).line().replace("Question 3", "Question 4"),
        ],
    )
    def test_a_line_that_was_altered(self, line: str) -> None:
        with pytest.raises(ValueError, match=r"."):
            StoredReply.read(line)


def test_what_is_stored_is_there_again(cache: ReplyCache) -> None:
    assert cache.get(stored(1).key) is None
    assert list(cache.rows()) == []
    for number in (1, 2, 3):
        cache.put(stored(number))
    cache.put(stored(4, "Öd 등불 "))
    again = ReplyCache(cache.path)
    found = again.get(stored(4).key)
    assert found is not None
    assert found.given().text == "Öd 등불 "
    assert {one.key for one in again.rows()} == {stored(number).key for number in (1, 2, 3, 4)}
    cache.put(stored(1, "At dawn."))
    replaced = again.get(stored(1).key)
    assert replaced is not None
    assert replaced.given() == stored(1, "At dawn.").reply
    for one in (cache, again):
        one.close()
        one.close()


def test_rows_come_in_order_and_in_pages(cache: ReplyCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_NEXT_ROWS", cache_module._NEXT_ROWS.replace("LIMIT 500", "LIMIT 2"))
    for number in range(5):
        cache.put(stored(number))
    assert [one.key for one in cache.rows()] == sorted(stored(number).key for number in range(5))


def test_summary_and_pruning(cache: ReplyCache) -> None:
    for number in range(5):
        cache.put(stored(number, model="m" if number else "n"))
    cache.put(StoredReply.of("m", ChatRequest((("user", "x"),)), FailedReply("too_long", "9 000 tokens")))
    day, now = 86_400, time.time()
    row(cache.path, "UPDATE replies SET time = ? WHERE model = 'n'", now - 3 * day)
    totals = cache.summary()
    assert [total[:6] for total in totals] == [
        ("m", "", 1, 1, 0, 0),
        ("m", "hyde", 2, 0, 14, 10),
        ("m", "rewrite", 2, 0, 14, 10),
        ("n", "rewrite", 1, 0, 7, 5),
    ]
    assert totals[1].size == sum(len(stored(number).line().encode()) for number in (1, 3))
    assert totals[3].first == totals[3].last == now - 3 * day
    assert now - 60 < totals[1].first <= totals[1].last <= now
    assert cache.summary(now - 4 * day) == [] == cache.summary(model="o")
    assert cache.summary(now - day) == [totals[3]] == cache.summary(model="n")
    assert {one.key for one in cache.rows("n")} == {stored(0, model="n").key}
    assert cache.prune(now - 4 * day) == 0
    assert cache.prune(now - 2 * day, "m") == 0
    assert cache.prune(now - 2 * day) == 1
    assert cache.get(stored(0, model="n").key) is None
    assert cache.prune(time.time() + 1) == 5


def test_pruning_beside_others(cache: ReplyCache, caplog: pytest.LogCaptureFixture) -> None:
    """Another one reads and writes on, and a file that cannot be made smaller has the rest all the same."""
    for number in range(600):
        cache.put(stored(number))
    other = ReplyCache(cache.path)
    reading = other.rows()
    next(reading)
    assert cache.prune(time.time() + 1, "m") == 600
    assert len(list(reading)) == 499, "the page that it had"
    other.put(stored(1))
    assert cache.get(stored(1).key) is not None
    cache._connected().set_authorizer(  # VACUUM attaches a new file.
        lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK
    )
    assert cache.prune(time.time() + 1) == 1
    assert caplog.messages[0].startswith("The replies are removed, but their space is not free yet: The cache")


def test_an_altered_row_counts_as_none(cache: ReplyCache) -> None:
    for number in range(3):
        cache.put(stored(number))
    row(cache.path, "UPDATE replies SET line = replace(line, 'dusk', 'dawn') WHERE key = ?", stored(1).key)
    later = json.dumps({"key": "x", "of": "a later version"})
    row(cache.path, "INSERT INTO replies VALUES ('x', 'hyde', 'm', 0, ?, ?)", later, digest(later))
    row(cache.path, "INSERT INTO replies VALUES ('y', 'hyde', 'm', 0, NULL, NULL)")
    assert cache.get(stored(1).key) is None
    assert cache.get("x") is None
    assert {one.key for one in cache.rows()} == {stored(0).key, stored(2).key}


def test_a_corrupt_file_is_set_aside_with_what_can_be_read(cache: ReplyCache, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(300):
        cache.put(stored(number, "At dusk. " * 50))
    row(cache.path, "UPDATE replies SET line = 'x' WHERE key = ?", stored(5).key)
    other = ReplyCache(cache.path)
    assert other.get(stored(7).key) is not None
    cache.close()
    other.close()
    content = bytearray(cache.path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8192] = b"\xa5" * 8192
    cache.path.write_bytes(content)
    other.get(stored(0).key)  # Both have it open; the rows that they ask for may be whole.
    with caplog.at_level(logging.WARNING):
        kept = {one.key for number in range(300) if (one := cache.get(stored(number).key)) is not None}
    (message,) = (record.getMessage() for record in caplog.records)
    (aside,) = (path for path in cache.path.parent.iterdir() if ".damaged-" in path.name and path.name[-1].isdigit())
    assert message == f"The cache of replies was damaged; it is now {aside}, and {len(kept)} replies were saved."
    assert 150 < len(kept) < 300
    assert aside.read_bytes()[middle : middle + 8192] == b"\xa5" * 8192
    # The others find the new file, and what they store is in it.
    other.put(stored(999))
    assert cache.get(stored(999).key) is not None


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0" + bytes(200), b"\xa5" * 20_000], ids=len)
def test_a_file_that_is_not_a_database(cache: ReplyCache, content: bytes) -> None:
    cache.path.parent.mkdir()
    cache.path.write_bytes(content)
    cache.put(stored(1))
    assert cache.get(stored(1).key) is not None
    (aside,) = cache.path.parent.glob("*.damaged-*")
    assert aside.read_bytes() == content


def test_a_removed_file_is_begun_again(cache: ReplyCache) -> None:
    cache.put(stored(1))
    for path in cache.path.parent.glob("llm.sqlite*"):
        path.unlink()
    assert cache.get(stored(1).key) is None
    cache.put(stored(2))
    assert [one.key for one in ReplyCache(cache.path).rows()] == [stored(2).key]


def test_a_full_disk(cache: ReplyCache) -> None:
    cache.put(stored(1))
    cache._connected().execute("PRAGMA max_page_count = 8")  # SQLite then answers as it does where the disk is full.
    with pytest.raises(ArtifactError, match="disk is full"):
        for number in range(2, 100):
            cache.put(stored(number, "At dusk. " * 100))
    assert cache.get(stored(1).key) is not None
    cache.put(stored(200))  # A new connection has space again.


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ArtifactError, match="cannot be written"):
        ReplyCache(tmp_path / "file" / "llm.sqlite").get("x")
    (tmp_path / "llm.sqlite").mkdir()
    with pytest.raises(ArtifactError, match=r"llm\.sqlite"):
        ReplyCache(tmp_path / "llm.sqlite").get("x")


def test_a_damaged_file_that_cannot_be_set_aside(cache: ReplyCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: object) -> None:
        raise PermissionError(f"{self.name} is in use")

    cache.path.parent.mkdir()
    cache.path.write_bytes(b"\xa5" * 20_000)
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ArtifactError, match=r"llm\.sqlite"):
        cache.get("x")


def write(path: Path, who: str, count: int, said: multiprocessing.sharedctypes.Synchronized[int]) -> None:
    cache = ReplyCache(path)
    for number in range(count):
        request = ChatRequest((("user", f"{who} {number}"),), prompt="hyde")
        cache.put(StoredReply.of("m", request, ChatReply("At dusk. " * 20)))
        assert cache.get(request.key("m")) is not None
        said.value = number


def key(who: str, number: int) -> str:
    return ChatRequest((("user", f"{who} {number}"),), prompt="hyde").key("m")


def test_two_processes_and_a_kill(cache: ReplyCache) -> None:
    """Two processes write at once; one is killed. What it said to be stored is there, and the other is not hurt."""
    counts = [multiprocessing.Value("i", -1) for _ in range(2)]
    killed = child(write, cache.path, "killed", 100_000, counts[0])
    other = child(write, cache.path, "other", 200, counts[1])
    while counts[0].value < 100 and killed.is_alive():
        time.sleep(0.01)
    killed.kill()
    killed.join()
    other.join()
    said = counts[0].value
    assert (other.exitcode, counts[1].value) == (0, 199)
    assert all(cache.get(key("killed", number)) is not None for number in range(said + 1))
    assert all(cache.get(key("other", number)) is not None for number in range(200))
    assert len(list(cache.rows())) in (said + 201, said + 202)
