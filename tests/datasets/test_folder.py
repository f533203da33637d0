import pytest
from mini_folder import DOCS, jsonl, write

from legalir.datasets.folder import Folder
from legalir.errors import FormatError


def test_splits_are_what_has_own_queries_or_judgements(folder):
    write(folder / "queries.en.jsonl.gz", jsonl([{"qid": "q1", "query": "meaning?"}]))
    found = Folder.open(folder)
    assert found.splits == ("dev", "en", "test")
    assert found.queries_of("en") == folder / "queries.en.jsonl.gz"
    assert found.queries_of("dev") == folder / "queries.jsonl"
    assert found.qrels_of("test") == folder / "qrels.test.txt"
    assert found.qrels_of("en") is None


def test_a_split_without_judgements_takes_those_of_the_base(folder):
    write(folder / "queries.en.jsonl", jsonl([{"qid": "q1", "query": "meaning?"}]))
    write(folder / "qrels.txt", "q1 0 A-1 1\n")
    assert Folder.open(folder).qrels_of("en") == folder / "qrels.txt"


def test_other_files_are_named_and_ignored(folder):
    write(folder / "sections.jsonl", "not ours")
    write(folder / "sections.links.tsv", "not ours")
    assert [path.name for path in Folder.open(folder).ignored] == ["sections.jsonl", "sections.links.tsv"]


@pytest.mark.parametrize("name", ["corpus.jsonl.gz", "links.tsv.gz", "queries.jsonl.gz"])
def test_two_files_for_one_part(folder, name):
    write(folder / name, jsonl(DOCS))
    with pytest.raises(FormatError, match=r"holds both .* remove one"):
        Folder.open(folder)
