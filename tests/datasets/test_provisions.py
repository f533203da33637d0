import os
import signal
import subprocess
import sys
import threading

import pytest
from mini_folder import DOCS, jsonl, write

from legalir.datasets import load, provisions
from legalir.datasets.readers import line_provision
from legalir.errors import DataError, FormatError
from legalir.storage.files import cache_home


def store_of(folder):
    return load(folder).store


def kept(folder):
    (found,) = (path for path in (cache_home() / "provisions").iterdir() if path.is_dir())
    return found


@pytest.fixture(params=["corpus.jsonl", "corpus.jsonl.gz"])
def corpus(request, folder):
    (folder / "corpus.jsonl").unlink()
    write(folder / request.param, "\n" + jsonl(DOCS) + "\n")
    return folder / request.param


def test_by_position_and_docno(corpus):
    store = store_of(corpus.parent)
    assert len(store) == 3
    assert [store[place].doc_id for place in (0, 1, -1)] == ["A-1", "A-2", "B-1"]
    assert [record.doc_id for record in store.get_many_iter(["B-1", "no", "A-1"])] == ["B-1", "A-1"]
    with pytest.raises(IndexError):
        store[3]


def test_a_byte_order_mark_is_no_part_of_the_first_line(folder):
    write(folder / "corpus.jsonl", b"\xef\xbb\xbf" + jsonl(DOCS).encode())
    assert store_of(folder)[0].doc_id == "A-1"


def test_a_second_process_reuses_what_is_there(corpus):
    store_of(corpus.parent)[0]
    before = (kept(corpus.parent) / "digest.npy").stat().st_mtime_ns
    store_of(corpus.parent)[1]
    assert (kept(corpus.parent) / "digest.npy").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "name", ["corpus.jsonl", "start.npy", "digest.npy", "law.npy", "docnos.bytes.npy", "manifest.json"]
)
def test_a_truncated_file_is_built_again(folder, name):
    (folder / "corpus.jsonl").unlink()
    write(folder / "corpus.jsonl.gz", jsonl(DOCS))
    store_of(folder)[0]
    path = kept(folder) / name
    path.write_bytes(path.read_bytes()[:-3])
    assert store_of(folder).get_many(["A-2"])["A-2"].article == "2"


def test_a_flipped_byte_is_noticed_and_built_again(folder):
    (folder / "corpus.jsonl").unlink()
    write(folder / "corpus.jsonl.gz", jsonl(DOCS))
    store_of(folder)[0]
    path = kept(folder) / "corpus.jsonl"
    path.write_bytes(path.read_bytes().replace("예방".encode(), "여방".encode()))
    assert "예방" in store_of(folder)[0].text


def test_a_corpus_that_changes_in_use_is_no_wrong_answer(folder):
    store = store_of(folder)
    store[0]
    data = (folder / "corpus.jsonl").read_bytes()
    (folder / "corpus.jsonl").write_bytes(data.replace("예방".encode(), "여방".encode()))
    # Whoever holds the old fingerprint gets what is there now, or an error, but never a broken line.
    try:
        assert "여방" in store[0].text
    except DataError as error:
        assert "changed while it was in use" in str(error)


@pytest.mark.skipif(os.name == "nt", reason="file modes")
def test_a_cache_that_cannot_be_written_is_done_without(folder, tmp_path, monkeypatch):
    blocked = write(tmp_path / "a-file", "not a folder")
    monkeypatch.setenv("LEGALIR_HOME", str(blocked / "below"))
    assert store_of(folder).get_many(["B-1"])["B-1"].text == "영 제1조"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (jsonl(DOCS) + "{half", "line 4: not a whole JSON"),
        (jsonl(DOCS + DOCS[:1]), "line 4: docno 'A-1' is on"),
    ],
)
@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_a_faulty_corpus_raises_the_exact_fault_and_leaves_nothing(folder, name, content, fault):
    (folder / "corpus.jsonl").unlink()
    write(folder / name, content)
    with pytest.raises(FormatError, match=fault):
        store_of(folder)[0]
    assert not [path for path in (cache_home() / "provisions").iterdir() if path.is_dir()]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_build_leaves_nothing_that_is_used(folder):
    rows = [{"docno": f"d{number}", "text": "가" * 200} for number in range(3000)]
    (folder / "corpus.jsonl").unlink()
    write(folder / "corpus.jsonl.gz", jsonl(rows))
    code = (
        "import os, signal, sys; from legalir.datasets import load, provisions;"
        "real = provisions._digest; seen = iter(range(10**6));"
        "provisions._digest = lambda line: os.kill(os.getpid(), signal.SIGKILL) if next(seen) == 1500 else real(line);"
        "load(sys.argv[1]).store[0]"
    )
    assert subprocess.run([sys.executable, "-c", code, str(folder)], check=False).returncode == -signal.SIGKILL
    left = [path for path in (cache_home() / "provisions").iterdir() if path.is_dir()]
    assert [path.name[0] for path in left] == ["."]
    assert store_of(folder).get_many(["d2999"])["d2999"].text == "가" * 200
    assert kept(folder).name[0] != "."


def test_two_at_once_build_one(corpus):
    results = []
    threads = [threading.Thread(target=lambda: results.append(store_of(corpus.parent)[2].doc_id)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["B-1"] * 6


def replaced(path, content):
    """Replace a file as an editor or an import does: by renaming a new one."""
    write(path.with_name(f"new-{path.name}"), content).rename(path)


def files(store):
    return {name: array.tobytes() for name, array in store.arrays.items()}


def test_the_store_of_a_new_state_parses_only_what_is_new(corpus, tmp_path, monkeypatch):
    before = store_of(corpus.parent)
    before[0]
    rows = [{**DOCS[2], "law": "영", "heading": "목적"}, DOCS[1], {"docno": "C-1", "text": "", "law": "규칙"}]
    replaced(corpus, jsonl(rows))
    parsed = []
    monkeypatch.setattr(provisions, "line_provision", lambda line: parsed.append(line) or line_provision(line))
    after = store_of(corpus.parent)
    assert [record.doc_id for record in after] == ["B-1", "A-2", "C-1"]
    assert len(parsed) == 2
    # What stands there is as if it had been built at once.
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "another"))
    assert files(after) == files(store_of(corpus.parent))
    assert (after.column("law")[0], after.column("heading")[0]) == ("영", "목적")
    # The former state is read as it was.
    assert [record.doc_id for record in before] == ["A-1", "A-2", "B-1"]
    assert before[0].text == DOCS[0]["text"]
    difference = provisions.changes(before, after)
    assert (difference.removed.tolist(), difference.added.tolist(), difference.changed) == (["A-1", "B-1"], [0, 2], 1)


def test_a_faulty_new_state_names_its_line(corpus):
    store_of(corpus.parent)[0]
    replaced(corpus, jsonl([DOCS[1]]) + '{"docno": "A-1"}\n')
    with pytest.raises(FormatError, match=rf"{corpus.name}, line 2: 'A-1' has no 'text'\.$"):
        store_of(corpus.parent)[0]
