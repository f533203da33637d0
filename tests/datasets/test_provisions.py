import os
import pickle
import signal
import threading

import pytest
from forked import child
from mini_folder import DOCS, jsonl, write

from legalir.datasets import load, provisions
from legalir.errors import DataError, FormatError
from legalir.storage.files import cache_home


def store_of(folder):
    return load(folder).store


def kept(folder):
    (found,) = (cache_home() / "provisions").glob("[!.]*.sqlite")
    return found


def replaced(path, content):
    """Replace a file as an editor or an import does: by renaming a new one."""
    write(path.with_name(f"new-{path.name}"), content).rename(path)


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
    before = kept(corpus.parent).stat().st_ino
    store_of(corpus.parent)[1]
    assert kept(corpus.parent).stat().st_ino == before


@pytest.mark.parametrize("cut", [3, 5000])
def test_a_truncated_file_is_built_again(corpus, cut):
    store_of(corpus.parent)[0]
    path = kept(corpus.parent)
    path.write_bytes(path.read_bytes()[:-cut])
    assert store_of(corpus.parent).get_many(["A-2"])["A-2"].article == "2"


def test_a_flipped_byte_is_noticed_and_built_again(corpus):
    store_of(corpus.parent)[0]
    path = kept(corpus.parent)
    path.write_bytes(path.read_bytes().replace("예방".encode(), "여방".encode()))
    assert "예방" in store_of(corpus.parent)[0].text


def test_a_damaged_page_is_built_again(corpus):
    store_of(corpus.parent)[0]
    path = kept(corpus.parent)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    store = store_of(corpus.parent)
    assert store.column("law").tolist() == ["법", "", ""]
    assert [record.doc_id for record in store] == ["A-1", "A-2", "B-1"]


@pytest.mark.parametrize("in_place", [True, False])
def test_a_corpus_that_changes_in_use_does_not_change_what_is_open(corpus, in_place):
    store = store_of(corpus.parent)
    before = store[0]
    if in_place:
        write(corpus, jsonl(DOCS[1:]))
    else:
        replaced(corpus, jsonl(DOCS[1:]))
    assert store[0] == before
    assert len(store_of(corpus.parent)) == 2


def test_a_damaged_store_of_a_former_corpus_says_to_start_again(corpus):
    store_of(corpus.parent)[0]
    path = kept(corpus.parent)
    store = store_of(corpus.parent)
    path.write_bytes(path.read_bytes().replace("예방".encode(), "여방".encode()))
    write(corpus, jsonl(DOCS[1:]))
    with pytest.raises(DataError, match="start again"):
        store[0]


@pytest.mark.skipif(os.name == "nt", reason="open files")
def test_a_removed_store_is_read_to_the_end(corpus):
    store = store_of(corpus.parent)
    store[0]
    replaced(corpus, jsonl(DOCS[:2]))
    now = store_of(corpus.parent)
    now[0]
    now.remove_former()
    assert list(now.former()) == []
    results = []
    threads = [threading.Thread(target=lambda: results.append(store[2].doc_id)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["B-1"] * 4


def test_copies_and_forks_open_the_store_themselves(corpus):
    store = store_of(corpus.parent)
    store[0]
    assert pickle.loads(pickle.dumps(store))[2].doc_id == "B-1"
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            os._exit(0 if store[2].doc_id == "B-1" else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert store[1].doc_id == "A-2"


def test_what_no_docno_can_be_is_unknown(corpus):
    assert store_of(corpus.parent).get_many(["\ud800", "", "a\0b", float("nan"), "B-1"]).keys() == {"B-1"}


@pytest.mark.skipif(os.name == "nt", reason="file modes")
def test_a_cache_that_cannot_be_written_is_done_without(folder, tmp_path, monkeypatch):
    blocked = write(tmp_path / "a-file", "not a folder")
    monkeypatch.setenv("LEGALIR_HOME", str(blocked / "below"))
    assert store_of(folder).get_many(["B-1"])["B-1"].text == "영 제1조"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (jsonl(DOCS) + "{half", "line 4"),
        (jsonl(DOCS + DOCS[:1]), "line 4: docno 'A-1'"),
    ],
)
@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_a_faulty_corpus_raises_the_exact_fault_and_leaves_nothing(folder, name, content, fault):
    (folder / "corpus.jsonl").unlink()
    write(folder / name, content)
    with pytest.raises(FormatError, match=fault):
        store_of(folder)[0]
    assert not [path for path in (cache_home() / "provisions").iterdir() if path.suffix != ".lock"]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_build_leaves_nothing_that_is_used(folder):
    rows = [{"docno": f"d{number}", "text": "가" * 200} for number in range(3000)]
    (folder / "corpus.jsonl").unlink()
    write(folder / "corpus.jsonl.gz", jsonl(rows))
    real, seen = provisions._digest, iter(range(3000))

    def killed():
        provisions._digest = lambda line: os.kill(os.getpid(), signal.SIGKILL) if next(seen) == 1500 else real(line)
        store_of(folder)[0]

    process = child(killed)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert not list((cache_home() / "provisions").glob("[!.]*"))
    assert store_of(folder).get_many(["d2999"])["d2999"].text == "가" * 200
    assert sorted(path.suffix for path in (cache_home() / "provisions").iterdir()) == [".lock", ".sqlite"]


def test_two_at_once_build_one(corpus):
    results = []
    threads = [threading.Thread(target=lambda: results.append(store_of(corpus.parent)[2].doc_id)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["B-1"] * 6


def test_changes_between_two_states(corpus):
    before = store_of(corpus.parent)
    before[0]
    rows = [{**DOCS[2], "law": "영", "heading": "목적"}, DOCS[1], {"docno": "C-1", "text": "", "law": "규칙"}]
    replaced(corpus, jsonl(rows))
    after = store_of(corpus.parent)
    assert [record.doc_id for record in after] == ["B-1", "A-2", "C-1"]
    assert (after.column("law")[0], after.column("heading")[0]) == ("영", "목적")
    assert [store.key for store in after.former()] == [before.key]
    (former,) = after.former()
    difference = provisions.changes(former, after)
    assert (difference.removed.tolist(), difference.added.tolist(), difference.changed) == (["A-1", "B-1"], [0, 2], 1)


def test_a_faulty_new_state_names_its_line(corpus):
    store_of(corpus.parent)[0]
    replaced(corpus, jsonl([DOCS[1]]) + '{"docno": "A-1"}\n')
    with pytest.raises(FormatError, match=rf"{corpus.name}, line 2"):
        store_of(corpus.parent)[0]
