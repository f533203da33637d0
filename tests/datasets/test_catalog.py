import pytest
from mini_folder import DOCS, jsonl, write

from legalir.datasets import available, load
from legalir.datasets.catalog import entries
from legalir.errors import DatasetNotFound


@pytest.fixture
def data(folder, monkeypatch):
    """$LEGALIR_DATA with a good folder and four that are not: no corpus, two, the bundled name, hidden."""
    root = folder.parent
    write(root / "notes" / "readme.txt", "no corpus here")
    write(root / "twice" / "corpus.jsonl", jsonl(DOCS))
    write(root / "twice" / "corpus.jsonl.gz", jsonl(DOCS))
    write(root / "firecode" / "corpus.jsonl", jsonl(DOCS))
    write(root / ".hidden" / "corpus.jsonl", jsonl(DOCS))
    monkeypatch.setenv("LEGALIR_DATA", str(root))
    return root


def test_what_cannot_be_used_is_listed_with_the_reason(data):
    skipped = {entry.id: entry.fault for entry in available() if entry.kind == "skipped"}
    assert skipped == {
        "legalir/firecode": "a bundled collection has this name",
        "legalir/notes": "holds no corpus.jsonl or corpus.jsonl.gz",
        "legalir/twice": "holds both corpus.jsonl and corpus.jsonl.gz: remove one",
    }
    with pytest.raises(DatasetNotFound, match=r"legalir/notes .*corpus\.jsonl"):
        load("legalir/notes")
    with pytest.raises(DatasetNotFound, match="legalir/notes"):
        load("legalir/notes/test")


def test_a_folder_takes_the_place_of_a_published_collection(data):
    assert entries()["legalir/koblex"].kind == "published"
    write(data / "koblex" / "corpus.jsonl", jsonl(DOCS))
    assert entries()["legalir/koblex"].kind == "folder"
    assert load("legalir/koblex").docs_count() == 3


def test_a_data_directory_that_is_missing_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("LEGALIR_DATA", str(tmp_path / "none"))
    assert [entry.fault for entry in available() if entry.kind == "skipped"] == [
        "$LEGALIR_DATA: No such file or directory"
    ]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("legalir/firecod", "'legalir/firecode'"),
        ("firecode", "'legalir/firecode'"),
        ("legalir/mini/tst", "'test'"),
        ("legalir/none/at/all", "'legalir/none/at/all'"),
        ("legalir/zzzzz", "legalir/mini, "),
        ("no-such-folder/test", "no-such-folder"),
        ("", "neither"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(data, name, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetNotFound) as error:
        load(name)
    assert hint in str(error.value)


def test_a_string_with_our_prefix_is_always_an_id(data, tmp_path, monkeypatch):
    write(tmp_path / "legalir" / "here" / "corpus.jsonl", jsonl(DOCS))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetNotFound):
        load("legalir/here")
    assert load("./legalir/here").docs_count() == 3
