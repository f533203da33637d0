"""A source becomes a folder that every other part reads, or nothing at all."""

from __future__ import annotations

import json
import resource
import signal
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)
from forked import child
from small_source import LINKS, PROVISIONS, Small

from legalir import Collection
from legalir.datasets import check, load
from legalir.errors import ComponentError, DataError, FormatError
from legalir.statutes.writing import write_collection


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir() if path.name.startswith(f".{folder.name}"))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "법령"
    report = write_collection(Small(), folder, about={"title": "창고 법령", "lang": "ko"})
    dataset = load(folder)
    assert [{k: v for k, v in doc._asdict().items() if v} for doc in dataset.docs()] == [
        {"doc_id": row["docno"], **{key: value for key, value in row.items() if key != "docno"}} for row in PROVISIONS
    ]
    assert list(dataset.links()) == LINKS
    assert (dataset.about.title, dataset.about.lang, dataset.about.source) == ("창고 법령", "ko", "small")
    assert report.to_dict() == {
        "folder": str(folder),
        "source": "small",
        "provisions": 3,
        "untitled": 1,
        "empty": 0,
        "definitions": 0,
        "links": {"cites": 1, "": 1},
        "dangling": 0,
        "unknown": [],
        "kept": [],
        "details": {},
        "changes": None,
        "doubts": [],
    }
    assert report.warnings() == []
    assert check(folder).ok
    assert check(folder).ignored == []
    assert Collection(folder).search("통로의 너비", k=1)["docno"].tolist() == ["act-2"]
    assert hidden(folder) == []
    assert folder.stat().st_mode & 0o777 == 0o755


def test_keys_have_one_order_whatever_that_of_the_source(tmp_path: Path) -> None:
    write_collection(Small(PROVISIONS), tmp_path / "a")
    write_collection(Small([dict(reversed(row.items())) | {"path": ""} for row in PROVISIONS]), tmp_path / "b")
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_links_to_nothing_are_counted_reported_and_kept(tmp_path: Path) -> None:
    dangling = [("act-1", "act-9", "cites"), ("act-8", "act-9", ""), ("act-7", "act-1", "cites")]
    report = write_collection(Small(links=[dangling[0], *LINKS, *dangling[1:]]), tmp_path / "new")
    assert (report.dangling, report.unknown) == (3, ["act-9", "act-8", "act-7"])
    assert report.warnings() == [
        "3 links have an end that is not a provision (act-9, act-8, act-7): see links.dangling.tsv, which no other "
        "command reads."
    ]
    lines = (tmp_path / "new" / "links.dangling.tsv").read_text(encoding="utf-8").splitlines()
    assert lines == ["act-1\tact-9\tcites", "act-8\tact-9", "act-7\tact-1\tcites"]
    assert list(load(tmp_path / "new").links()) == LINKS
    assert check(tmp_path / "new").ok


def test_a_provision_that_says_nothing_is_reported(tmp_path: Path) -> None:
    report = write_collection(Small([*PROVISIONS, {"docno": "x", "text": " "}], []), tmp_path / "new")
    assert (report.empty, report.untitled) == (1, 2)
    assert report.warnings() == ["1 provision has neither title nor text."]


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    write_collection(Small(), folder)
    before = content(folder)
    with pytest.raises(DataError, match="--replace"):
        write_collection(Small([{"docno": "b", "text": ""}], []), folder)
    assert content(folder) == before
    assert hidden(folder) == []


def test_replacing_keeps_what_is_not_of_the_import(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    write_collection(Small(links=[*LINKS, ("act-1", "x", "")]), folder, about={"title": "옛", "licence": "CC0"})
    (folder / "queries.jsonl").write_text('{"qid": "q", "query": "문?"}\n', encoding="utf-8")
    (folder / "qrels.txt").write_text("q 0 b 1\n", encoding="utf-8")
    (folder / "notes" / "deep").mkdir(parents=True)
    (folder / "notes" / "deep" / "note").write_text("메모", encoding="utf-8")
    (folder / "latest").symlink_to("notes")
    report = write_collection(Small([{"docno": "b", "text": "새"}], []), folder, replace=True, about={"title": "새"})
    assert report.kept == ["dataset.yaml", "latest", "notes", "qrels.txt", "queries.jsonl"]
    dataset = load(folder)
    assert [doc.text for doc in dataset.docs()] == ["새"]
    assert (dataset.about.title, dataset.about.licence) == ("새", "CC0")
    assert dataset.topics()["query"].tolist() == ["문?"]
    assert (folder / "latest" / "deep" / "note").read_text(encoding="utf-8") == "메모"
    assert (folder / "latest").is_symlink()
    assert not list(folder.glob("links*"))
    assert check(folder).ok
    assert hidden(folder) == []


FAULTY: dict[str, tuple[Any, str]] = {
    "no docno": ({"text": "a"}, r"^small, provision 2: .*no 'docno'.*'text'"),
    "number as docno": ({"docno": 7, "text": "a"}, r"^small, provision 2: docno .*got 7 \(int\)"),
    "empty docno": ({"docno": "", "text": "a"}, r"^small, provision 2: .*docno is empty"),
    "white space in docno": ({"docno": "a 1", "text": ""}, r"provision 2: .*'a 1' has white space"),
    "twice": ({"docno": "first", "text": "b"}, r"^small, provision 2: provision 1 .*'first'"),
    "no text": ({"docno": "a", "title": "t"}, r"^small, provision 2 \(a\): .*no 'text'"),
    "text None": ({"docno": "a", "text": None}, r"provision 2 \(a\): 'text' .*string, got None"),
    "text NaN": ({"docno": "a", "text": float("nan")}, r"provision 2 \(a\): 'text' .*string, got nan"),
    "title number": ({"docno": "a", "text": "", "title": 3}, r"provision 2 \(a\): 'title' .*string, got 3"),
    "surrogate": ({"docno": "a", "text": "\ud800"}, r"provision 2 \(a\): 'text' .*surrogate"),
    "key": ({"docno": "a", "text": "", "titel": "t"}, r"\(a\): the key 'titel' .*'title'"),
    "date": (
        {"docno": "a", "text": "", "effective_from": "2024.1.1"},
        r"\(a\): 'effective_from' .*date .*got '2024\.1\.1'",
    ),
    "short date": (
        {"docno": "a", "text": "", "effective_to": "20240101"},
        r"'effective_to' .*date .*got '20240101'",
    ),
    "no day": (
        {"docno": "a", "text": "", "effective_to": "2024-02-30"},
        r"'effective_to' .*date .*got '2024-02-30'",
    ),
    "dates": (
        {"docno": "a", "text": "", "effective_from": "2024-02-01", "effective_to": "2024-01-31"},
        r"'effective_to' \(2024-01-31\) is before 'effective_from' \(2024-02-01\)\.$",
    ),
    "no mapping": ("text", r"^small, provision 2: .*mapping, got str"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_provision_is_named_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    faulty, message = FAULTY[name]
    with pytest.raises(FormatError, match=message):
        write_collection(Small([{"docno": "first", "text": "a"}, faulty], []), tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir() if path.name != "own-home"] == []


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (("act-1", "act-2"), r"^small, link 3: a link .*tuple .*got \('act-1', 'act-2'\)"),
        (["act-1", "act-2", ""], r"link 3: a link .*got \['act-1', 'act-2', ''\]"),
        (("act-1", None, ""), r"link 3: a link .*got \('act-1', None, ''\)"),
        (("act-1", "", ""), r"link 3: '' cannot be a docno"),
        (("act 1", "act-2", ""), r"link 3: 'act 1' cannot be a docno"),
        (("act-1", "act-2", "a\tb"), r"link 3: the kind 'a\\tb'"),
        (("act-1", "act-2", "\ud800"), r"link 3: the kind '\\ud800'"),
    ],
)
def test_a_faulty_link_is_named_and_nothing_is_written(tmp_path: Path, link: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        write_collection(Small(links=[*LINKS, link]), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert hidden(tmp_path / "new") == []


def test_a_source_without_provisions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^small has no provision"):
        write_collection(Small([], []), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_about_that_means_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"new/dataset\.yaml.*'license'"):
        write_collection(Small(), tmp_path / "new", about={"license": "CC0"})
    assert not (tmp_path / "new").exists()


def test_what_is_no_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="is not a source"):
        write_collection(object(), tmp_path / "new")  # type: ignore[arg-type]


class Failing(Small):
    """Fails in the middle, as a connection does."""

    def provisions(self) -> Iterator[dict[str, str]]:  # type: ignore[override]
        yield PROVISIONS[0]
        raise OSError("the connection is gone")


def test_a_failure_of_the_source_is_its_own_and_leaves_all_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    write_collection(Small(), folder)
    before = content(folder)
    with pytest.raises(OSError, match=r"^the connection is gone$"):
        write_collection(Failing(), folder, replace=True)
    assert content(folder) == before
    assert hidden(folder) == []


def _write_in_little_space(folder: Path, size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    many = [{"docno": f"d{i}", "text": "문" * 100} for i in range(200)]
    links = [(f"d{i}", f"d{i + 1}", "cites") for i in range(10_000)]
    try:
        write_collection(Small(many, links), folder, replace=True)
    except DataError as error:
        fits = str(error).startswith(f"{folder} cannot be written (File too large): free some space, or write else")
        raise SystemExit(3 if fits else 4) from None


@pytest.mark.parametrize("size", [0, 10_000, 100_000])  # At the first byte; in the corpus; in the links.
def test_a_full_disk_is_one_sentence_and_changes_nothing(tmp_path: Path, size: int) -> None:
    folder = tmp_path / "there"
    write_collection(Small(), folder)
    before = content(folder)
    process = child(_write_in_little_space, folder, size)
    process.join()
    assert process.exitcode == 3
    assert content(folder) == before
    assert hidden(folder) == []


def test_memory_does_not_grow_with_the_texts(tmp_path: Path) -> None:
    text = "문" * 10_000  # 20 kB in memory, of which there are 2000: 40 MB.
    rows = ({"docno": f"d{number}", "text": f"{text}{number}"} for number in range(2000))
    links = ((f"d{number % 2000}", "d0", "cites") for number in range(50_000))
    tracemalloc.start()
    try:
        report = write_collection(Small(rows, links), tmp_path / "new")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (report.provisions, report.links["cites"]) == (2000, 50_000)
    assert peak < 4_000_000


def test_a_source_of_a_plugin(install: Install, tmp_path: Path) -> None:
    code = (
        "class Sparkle:\n"
        "    name = 'sparkle'\n"
        "    def __init__(self, n): self.n = n\n"
        "    def provisions(self):\n"
        "        for i in range(self.n): yield {'docno': str(i), 'text': 'x'}\n"
        "    def links(self): return iter([('1', '0', '')])\n"
        "def sparkle(collection, *, n=2): return Sparkle(n)\n"
    )
    install("sparklesource", {"source.sparkle": "sparklesource_module:sparkle"}, code)
    report = write_collection("sparkle(n=5)", tmp_path / "new")
    assert (report.provisions, dict(report.links)) == (5, {"": 1})
    assert json.loads((tmp_path / "new" / "corpus.jsonl").read_text().splitlines()[4]) == {"docno": "4", "text": "x"}
