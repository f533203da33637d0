import gzip

import pytest
from mini_folder import jsonl, write

from legalir.datasets.readers import (
    read_corpus,
    read_links,
    read_qrels,
    read_queries,
)
from legalir.errors import DataError, FormatError

GOOD = '{"docno": "A", "text": "t"}\n'


@pytest.mark.parametrize(
    ("content", "line", "fault"),
    [
        (GOOD + '{"docno": "B", "te', 2, "not a whole JSON object"),
        (GOOD + "[1]\n", 2, "not a JSON object"),
        (GOOD + "null\n", 2, "not a JSON object"),
        (GOOD + '{"text": "t"}\n', 2, "'docno' is missing"),
        (GOOD + "\n\n" + GOOD, 4, "docno 'A' is on an earlier line"),
        (GOOD + '{"docno": "B c", "text": ""}\n', 2, "white space"),
        (GOOD.encode() + '{"docno": "B", "text": "법"}\n'.encode("cp949"), 2, "not UTF-8"),
        (GOOD + '{"docno": "B", "text": "\\ud800"}\n', 2, "surrogate"),
        (GOOD + "[" * 100_000 + "\n", 2, "nested too deeply"),
    ],
)
@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_a_bad_corpus_line_names_file_line_and_fault(tmp_path, content, line, fault, name):
    path = write(tmp_path / name, content)
    with pytest.raises(FormatError, match=fault) as error:
        list(read_corpus(path))
    assert str(error.value).startswith(f"{path}, line {line}: ")
    assert str(error.value).count(". ") == 0


def test_pairs_of_surrogates_are_whole_characters(tmp_path):
    path = write(tmp_path / "corpus.jsonl", '{"docno": "A", "text": "\\ud83d\\ude92"}\n')
    assert next(read_corpus(path)).text == "🚒"


def test_bom_windows_line_ends_and_blank_lines_are_no_faults(tmp_path):
    path = write(tmp_path / "corpus.jsonl", b"\xef\xbb\xbf" + GOOD.strip().encode() + b"\r\n  \r\n")
    assert [record.doc_id for record in read_corpus(path)] == ["A"]


def test_only_a_newline_ends_a_line(tmp_path):
    path = write(tmp_path / "corpus.jsonl", '{"docno": "A", "text": "a\u2028b\u0085c"}\n')
    assert next(read_corpus(path)).text == "a\u2028b\u0085c"


def test_a_gzip_that_was_cut_names_the_line_it_reached(tmp_path):
    whole = gzip.compress(GOOD.encode() + b"x" * 10)
    path = tmp_path / "corpus.jsonl.gz"
    path.write_bytes(whole[:-9])
    with pytest.raises(FormatError, match="ends too early"):
        list(read_corpus(path))
    path.write_bytes(b"plain text")
    with pytest.raises(FormatError, match="damaged"):
        list(read_corpus(path))
    with pytest.raises(DataError, match=r"none\.jsonl"):
        list(read_corpus(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"query": "x"}, "'qid' is missing"),
        ({"qid": "q 1", "query": "x"}, "white space"),
        ({"qid": "ok", "query": "x"}, "'ok'"),
        ({"qid": "q", "query": 3}, "'query'"),
        ({"qid": "q", "query": " \t"}, "'q' is empty"),
        ({"qid": "q", "query": "x", "docno": "d"}, "'docno', which is a column of results"),
    ],
)
def test_a_bad_query_names_its_fault(tmp_path, row, fault):
    path = write(tmp_path / "queries.jsonl", jsonl([{"qid": "ok", "query": "x"}, row]))
    with pytest.raises(FormatError, match=f"line 2: .*{fault}"):
        list(read_queries(path))


def test_another_field_can_hold_the_question(tmp_path):
    path = write(tmp_path / "queries.jsonl", jsonl([{"qid": 1, "query": "short", "long": "the long form"}]))
    assert list(read_queries(path, "long")) == [{"qid": "1", "query": "the long form", "long": "the long form"}]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("q 0 d", "3 fields"),
        ("q 0 d 1 x", "5 fields"),
        ("q 0 d 1.5", "relevance '1.5' is not an integer"),
        ("q 0 d 1.0", "relevance '1.0'"),
        ("q 0 d yes", "relevance 'yes'"),
        ("q 0 d ²", "relevance '²'"),
        ("q 0 ok 1", "'ok' is judged for 'q' on an earlier line"),
        ("q\u200b 0 d 1", "invisible"),
    ],
)
def test_a_bad_judgement_names_file_line_and_fault(tmp_path, line, fault):
    path = write(tmp_path / "qrels.txt", f"q 0 ok 1\n{line}\n")
    with pytest.raises(FormatError, match=f"line 2: .*{fault}"):
        list(read_qrels(path))


@pytest.mark.parametrize(("line", "fault"), [("a", "1 fields"), ("a\tb\tc\td", "4 fields"), ("a b\tc", "not a docno")])
def test_a_bad_link_names_file_line_and_fault(tmp_path, line, fault):
    path = write(tmp_path / "links.tsv", f"a\tb\n{line}\n")
    with pytest.raises(FormatError, match=f"line 2: .*{fault}"):
        list(read_links(path))


def test_faults_can_be_collected_instead(tmp_path):
    path = write(tmp_path / "corpus.jsonl", GOOD + "{\n" + GOOD + '{"docno": "B", "text": ""}\n')
    faults = []
    assert [record.doc_id for record in read_corpus(path, faults.append)] == ["A", "B"]
    assert [(fault.line, fault.kind) for fault in faults] == [(2, "json"), (3, "duplicate")]
