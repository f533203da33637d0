import hashlib
import logging

import pytest
from mini_folder import DOCS, QUERIES, jsonl, write

from legalir.datasets import load
from legalir.errors import DataError, DatasetNotFound, FormatError


def test_docs_stream_in_order(folder):
    dataset = load(folder)
    docs = dataset.docs()
    assert next(docs).doc_id == "A-1"
    assert [record.doc_id for record in docs] == ["A-2", "B-1"]
    assert dataset.docs_count() == 3


def test_docs_read_no_further_than_asked(folder):
    (folder / "corpus.jsonl").write_text(jsonl(DOCS[:1]) + "{ half a line", encoding="utf-8")
    docs = load(folder).docs()
    assert next(docs).title == "법 제1조(목적)"
    with pytest.raises(FormatError, match="line 2"):
        next(docs)


def test_a_split_by_path(folder):
    for name in (folder / "test", f"{folder}/test"):
        dataset = load(name)
        assert dataset.split == "test"
        assert dataset.splits == ("dev", "test")
        assert list(dataset.topics().columns) == ["qid", "query", "kind"]
        assert list(dataset.topics()["qid"]) == ["q1", "q2"]
        assert dataset.qrels().values.tolist() == [["q1", "A-2", 1], ["q1", "B-1", 2], ["q2", "A-1", 1]]
    assert list(load(folder / "dev").topics()["qid"]) == ["q2"]


def test_the_base_has_all_queries_and_says_where_judgements_are(folder):
    dataset = load(folder)
    assert len(dataset.topics()) == 3
    with pytest.raises(DataError, match=r"/mini/dev or .*/mini/test"):
        dataset.qrels()


def test_the_base_with_judgements_has_only_judged_topics(folder):
    write(folder / "qrels.txt", "q3 0 A-1 1\n")
    assert list(load(folder).topics()["qid"]) == ["q3"]


def test_an_empty_query_file_gives_an_empty_frame(folder):
    write(folder / "queries.jsonl", "")
    topics = load(folder).topics()
    assert topics.empty
    assert list(topics.columns) == ["qid", "query"]
    (folder / "queries.jsonl").unlink()
    with pytest.raises(DataError, match="no queries"):
        load(folder).topics()


def test_links(folder):
    assert list(load(folder).links()) == [("A-2", "A-1", "self"), ("B-1", "A-1", "")]
    (folder / "links.tsv").unlink()
    assert list(load(folder).links()) == []


def test_an_unknown_split_lists_the_known(folder):
    with pytest.raises(DatasetNotFound, match=r"'tst'.*dev, test"):
        load(folder / "tst")


def test_fingerprints_follow_the_content(folder):
    dataset = load(folder / "test")
    corpus = (folder / "corpus.jsonl").read_bytes()
    assert dataset.fingerprint() == hashlib.sha256(corpus).hexdigest() == load(folder).fingerprint()
    before = dataset.topics_fingerprint()
    assert before != load(folder / "dev").topics_fingerprint()
    (folder / "qrels.test.txt").write_text("q1 0 A-2 1\n", encoding="utf-8")
    assert load(folder / "test").topics_fingerprint() != before
    (folder / "corpus.jsonl").write_bytes(corpus + b"\n")
    assert load(folder).fingerprint() != hashlib.sha256(corpus).hexdigest()


def test_dangling_is_counted_logged_once_and_kept(folder, caplog):
    write(folder / "qrels.test.txt", "q1 0 A-2 1\nq1 0 X-9 1\nq9 0 A-1 1\n")
    write(folder / "links.tsv", "A-1\tA-2\tself\nA-1\tX-8\tself\nX-7\tA-1\n")
    dataset = load(folder / "test")
    with caplog.at_level(logging.WARNING, logger="legalir"):
        list(dataset.docs())
        list(load(folder / "test").docs())
    assert [record.getMessage().split(": ", 1)[1] for record in caplog.records] == [
        "1 judgement(s) name a provision that the corpus does not have (X-9).",
        "1 judged quer(y/ies) are in no query file (q9).",
        "2 link(s) have an end that the corpus does not have (X-8, X-7).",
    ]
    assert dataset.problems()[:3] == (1, 1, 2)
    assert len(dataset.qrels()) == 3
    assert len(list(dataset.links())) == 3


def test_provisions_by_docno(folder):
    found = load(folder).provisions(["B-1", "nothing", "A-1"])
    assert list(found) == ["B-1", "A-1"]
    assert found["A-1"].effective_from == "2024-01-01"


def test_gzip_and_plain_give_the_same(folder):
    plain = list(load(folder).docs())
    (folder / "corpus.jsonl").unlink()
    write(folder / "corpus.jsonl.gz", jsonl(DOCS))
    (folder / "queries.jsonl").unlink()
    write(folder / "queries.jsonl.gz", jsonl(QUERIES))
    assert list(load(folder).docs()) == plain
    assert len(load(folder).topics()) == 3
