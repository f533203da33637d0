"""Updates of a collection: after any edits of its files, everything is as if it were built at once."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from forked import child, die_at_file_operation

from legalir.collection.collection import Collection, former_states, record_use, remove_state
from legalir.errors import ArtifactError, FormatError
from legalir.lexical.bm25f import FieldIndex

QUESTIONS = pd.DataFrame(
    {"qid": ["1", "2", "3"], "query": ["등대를 켜는 시각", "제3조에 따른 신고의 과태료", "항만 시설의 점검 기준"]}
)
WORDS = ("등대", "항만", "시설", "점검", "신고", "과태료", "기준", "허가", "선박", "검사", "안전", "관리", "비용")
TERMS = ("bm25", "tfidf", "bm25f")
EXACT = (*TERMS, "lookup(without_law=True)", "default", 'bm25 >> sar(normalize="max")', "bm25 % 5 >> links")

Rows = dict[str, dict[str, str]]
Links = set[tuple[str, str]]


def write(folder: Path, rows: Rows, links: Links) -> None:
    folder.mkdir(exist_ok=True)
    for name, lines in (
        ("corpus.jsonl", [json.dumps({"docno": docno, **row}, ensure_ascii=False) for docno, row in rows.items()]),
        ("links.tsv", [f"{source}\t{target}\tself" for source, target in sorted(links)]),
    ):
        part = folder / f"{name}.part"
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        part.replace(folder / name)


def edit(rows: Rows, links: Links, chance: random.Random, dated: bool) -> None:
    """Add, change and remove some provisions and links, at random."""
    for _ in range(chance.randint(1, 6)):
        number, law = chance.randint(1, 40), chance.choice(["등대법", "항만법"])
        key = f"{law}-{number}"
        docno = f"{key}@20{chance.randint(10, 25)}-01-01" if dated else key
        if docno in rows and chance.random() < 0.5:
            del rows[docno]
            continue
        text = " ".join(chance.choices(WORDS, k=chance.randint(0 if dated else 1, 12)))
        rows[docno] = {
            "title": f"{law} 제{number}조", "text": text, "law": law, "article": f"제{number}조",
            "heading": chance.choice(["", *WORDS]), "path": f"{law} › 제{number % 4 + 1}장",
        }  # fmt: skip
    keys = sorted({docno.partition("@")[0] for docno in rows})
    for _ in range(chance.randint(0, 8)):
        links ^= {tuple(chance.sample(keys, 2))} if len(keys) > 1 else set()  # type: ignore[arg-type]


def results(collection: Collection, expressions: tuple[str, ...] = EXACT) -> list[list[dict[str, Any]]]:
    questions = QUESTIONS.assign(as_of="2020-06-01") if collection.dated else QUESTIONS
    found = [collection.pipeline(expression)(questions) for expression in expressions]
    return [each[["qid", "docno", "score", "rank"]].to_dict("records") for each in found]


@pytest.mark.parametrize("dated", [False, True])
def test_random_edits(tmp_path: Path, dated: bool) -> None:
    """Scores equal those of a fresh build to the last bit, whether one updates or just searches."""
    folder, chance = tmp_path / "laws", random.Random(7)
    rows: Rows = {}
    links: Links = set()
    for _ in range(12):
        edit(rows, links, chance, dated)
    for turn in range(5):
        write(folder, rows, links)
        mine = Collection(folder)
        if turn % 2:
            done = mine.update()
            assert not done.left
        fresh = Collection(folder, cache=tmp_path / f"fresh-{turn}")
        assert results(mine) == results(fresh)
        assert mine.sparse().fingerprint() == fresh.sparse().fingerprint()
        assert FieldIndex.of(mine).fingerprint() == FieldIndex.of(fresh).fingerprint()
        assert mine.graph.fingerprint() == fresh.graph.fingerprint()
        edit(rows, links, chance, dated)


@pytest.fixture(name="folder")
def written_folder(tmp_path: Path) -> Path:
    chance = random.Random(1)
    rows: Rows = {}
    links: Links = set()
    for _ in range(20):
        edit(rows, links, chance, dated=False)
    write(tmp_path / "laws", rows, links)
    return tmp_path / "laws"


def change(folder: Path, edited: Callable[[list[dict[str, str]]], None]) -> None:
    path = folder / "corpus.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    edited(rows)
    part = folder / "part"
    part.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    part.replace(path)


def change_one(rows: list[dict[str, str]]) -> None:
    rows[0]["text"] += " 등대"
    rows.append({**rows.pop(1), "docno": "등대법-99"})


def states(collection: Collection) -> list[str]:
    return sorted(path.name for path in collection.cache.parent.iterdir() if path.is_dir())


def test_counts_and_what_is_removed(folder: Path) -> None:
    first = Collection(folder).update()
    provisions = Collection(folder).source.docs_count()
    assert (first.added, first.changed, first.removed, first.former) == (provisions, 0, 0, False)
    assert list(first.seconds) == ["default"]
    again = Collection(folder).update()
    assert (again.added, again.changed, again.removed) == (0, 0, 0)
    change(folder, change_one)
    done = Collection(folder).update()
    assert (done.added, done.changed, done.removed, done.left, done.former) == (1, 1, 1, {}, False)
    assert set(done.seconds) == {"citation graph", "field index (char2)", "law table", "number table"}
    assert len(states(Collection(folder))) == 1
    assert len(list((Collection(folder).home / "provisions").glob("[!.]*"))) == 1


def test_a_reader_goes_on_with_its_state(folder: Path) -> None:
    reader = Collection(folder)
    pipeline = reader.pipeline("default")
    before = pipeline(QUESTIONS)
    texts = reader.provisions(before["docno"])
    change(folder, change_one)
    assert not reader.update().former
    pd.testing.assert_frame_equal(pipeline(QUESTIONS), before)
    pd.testing.assert_frame_equal(reader.pipeline("default")(QUESTIONS), before)
    assert reader.provisions(before["docno"]) == texts
    assert len(states(reader)) == 1


@pytest.mark.parametrize("expression", [*TERMS, 'bm25 >> sar(normalize="max")', "default", "lsa(dimensions=8)"])
def test_a_reader_that_has_opened_nothing_builds_its_state_again(folder: Path, expression: str) -> None:
    expected = Collection(folder).pipeline(expression)(QUESTIONS)
    pipeline = Collection(folder).pipeline(expression)
    change(folder, change_one)
    Collection(folder).update()
    assert len(states(Collection(folder))) == 1
    pd.testing.assert_frame_equal(pipeline(QUESTIONS), expected)
    assert len(states(Collection(folder))) == 2
    Collection(folder).update()
    assert len(states(Collection(folder))) == 1


def test_an_index_of_links_that_have_changed_is_not_built_again(folder: Path) -> None:
    Collection(folder).graph.links_count()
    graph = Collection(folder).graph
    (folder / "links.tsv").write_text("", encoding="utf-8")
    Collection(folder).update()
    with pytest.raises(ArtifactError, match="There is no index at"):
        graph.links_count()


def test_links_alone(folder: Path) -> None:
    Collection(folder).update()
    parts = set(Collection(folder).cache.glob("links-*/[!.]*"))
    docnos = sorted(Collection(folder).source.docnos())
    with (folder / "links.tsv").open("a", encoding="utf-8") as links:
        links.write(f"{docnos[-1]}\t{docnos[0]}\n")
    Collection(folder).update()
    changed = set(Collection(folder).cache.glob("links-*/[!.]*"))
    assert len(changed) == len(parts) == 2 and not changed & parts


def test_links_of_another_folder_with_the_same_provisions_stay(folder: Path, tmp_path: Path) -> None:
    Collection(folder).update()
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / "links.tsv").write_text("", encoding="utf-8")
    Collection(other).update()
    assert len(list(Collection(folder).cache.glob("links-*/[!.]*"))) == 4


def test_lsa_is_fitted_again(folder: Path) -> None:
    encoders = ("lsa(dimensions=8)", "lsa(dimensions=4)")  # Two indexes of one label.
    for encoder in encoders:
        Collection(folder).dense(encoder)
    change(folder, change_one)
    done = Collection(folder).update()
    assert set(done.seconds) == {"dense index (lsa)", "sparse index (char2)"}
    assert len(list(Collection(folder).cache.glob("dense-lsa-*"))) == 2
    vectors = Collection(folder).dense(encoders[0])
    assert set(vectors.docnos) == Collection(folder).source.docnos()
    assert vectors.manifest.facts["corpus"] == Collection(folder).fingerprint()


def test_an_encoder_that_is_gone_keeps_the_former_state(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Collection(folder).search("등대", "lsa(dimensions=8)")
    change(folder, change_one)
    monkeypatch.setattr("legalir.dense.lsa.LSA.fingerprint", property(lambda self: "0" * 64))
    done = Collection(folder).update()
    assert done.left == {"dense index (lsa)": "the encoder lsa is another one now."} and done.former
    assert len(states(Collection(folder))) == 2


def test_an_index_of_an_earlier_layout_is_built_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("legalir.lexical.sparse.SparseIndex.version", 0)
        assert Collection(folder).sparse().manifest.version == 0
    assert Collection(folder).sparse().manifest.version > 0


def test_a_damaged_former_index_is_not_used(folder: Path) -> None:
    former = Collection(folder).sparse().directory
    (file,) = former.glob("data-*/documents.npy")
    change(folder, change_one)
    file.write_bytes(b"")
    found = Collection(folder).search("등대", "bm25")
    fresh = Collection(folder, cache=folder.parent / "fresh").search("등대", "bm25")
    assert found.to_dict("records") == fresh.to_dict("records")


def test_a_corpus_with_a_fault_changes_nothing(folder: Path) -> None:
    before = Collection(folder)
    before.update()
    kept = states(before)
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write('{"docno": ""}\n')
    with pytest.raises(FormatError, match="docno"):
        Collection(folder).update()
    assert states(before) == kept


@pytest.mark.parametrize("operation", [1, 300, 600])
def test_a_kill_leaves_the_old_or_the_new_state(folder: Path, operation: int) -> None:
    expected_before = results(Collection(folder))
    Collection(folder).update()
    text = (folder / "corpus.jsonl").read_bytes()
    change(folder, change_one)
    expected = results(Collection(folder, cache=folder.parent / "fresh"))

    def killed() -> None:
        die_at_file_operation(operation)
        Collection(folder).update()
        os._exit(0)

    process = child(killed)
    process.join()
    assert process.exitcode == -signal.SIGKILL  # An update has more than 600 such operations.
    new = (folder / "corpus.jsonl").read_bytes()
    (folder / "corpus.jsonl").write_bytes(text)
    assert results(Collection(folder)) == expected_before
    (folder / "corpus.jsonl").write_bytes(new)
    assert not Collection(folder).update().left
    assert results(Collection(folder)) == expected


@pytest.fixture(name="states")
def three_states(tmp_path: Path) -> list[Path]:
    """Directories that were used for one folder one after the other."""
    states = [tmp_path / name for name in ("one", "two", "three")]
    for time, state in enumerate(states):
        (state / "data").mkdir(parents=True)
        record_use(state, "folder")
        (record,) = state.glob(".source-*")
        os.utime(record, (time, time))
    return states


def test_the_newest_comes_first(states: list[Path]) -> None:
    one, two, three = states
    assert former_states(three, "folder") == [two, one]
    record_use(one, "folder")
    assert former_states(three, "folder") == [one, two]
    assert former_states(three, "another folder") == []


def test_a_removed_state_can_be_read_by_who_has_it_open(states: list[Path]) -> None:
    (states[0] / "data" / "file").write_text("text", encoding="utf-8")
    with (states[0] / "data" / "file").open(encoding="utf-8") as reader:
        assert remove_state(states[0], "folder")
        assert reader.read() == "text"
    assert former_states(states[2], "folder") == [states[1]]
    assert sorted(path.name for path in states[0].parent.iterdir()) == ["three", "two"]


def test_a_state_of_two_folders_stays_for_the_other_one(states: list[Path]) -> None:
    record_use(states[0], "another folder")
    assert not remove_state(states[0], "folder")
    assert former_states(states[2], "folder") == [states[1]]
    assert former_states(states[2], "another folder") == [states[0]]
    assert remove_state(states[0], "another folder")


def test_a_cache_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    record_use(tmp_path / "missing", "folder")
    assert former_states(tmp_path / "missing", "folder") == []
