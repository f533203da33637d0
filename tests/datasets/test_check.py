import json
import re

from mini_folder import DOCS, jsonl, write
from typer.testing import CliRunner

from legalir.cli.main import app
from legalir.datasets import check, load
from legalir.references.grammar import article_number


def test_a_clean_folder(folder):
    write(folder / "extra.csv", "")
    report = check(folder)
    assert report.ok
    assert (report.provisions, report.untitled, report.empty) == (3, 1, 0)
    assert dict(report.scripts) == {"Hangul": 3}
    assert dict(report.links) == {"self": 1, "(none)": 1}
    assert report.ignored == ["extra.csv"]
    test, base = report.splits["test"], report.splits[""]
    # q1 has two relevant provisions, q2 one; q3 is not judged.
    assert (test.queries, test.judgements, test.judged, test.multi_label, test.unjudged) == (2, 3, 2, 1, 1)
    assert test.labels == {1: 2, 2: 1}
    assert (base.queries, base.judgements) == (3, 0)


def test_judgements_below_0_are_counted(folder, caplog):
    write(folder / "qrels.test.txt", "q1 0 A-1 1\nq1 0 A-2 -1\nq2 0 A-2 -2\n")
    report = check(folder)
    assert report.ok and report.negative == report.to_dict()["negative"] == 2
    assert report.splits["test"].labels == {0: 2, 1: 1} and not caplog.messages
    printed = CliRunner().invoke(app, ["datasets", "check", str(folder)]).stdout
    assert re.search(r"judgements below 0, read as 0 +2\s", printed)
    for _ in range(2):
        assert load(f"{folder}/test").qrels()["label"].tolist() == [1, 0, 0]
    assert [one.partition(".txt: ")[2] for one in caplog.messages] == ["judgements below 0, read as 0: 2."]


def test_every_fault_at_once(folder):
    write(
        folder / "corpus.jsonl",
        jsonl(DOCS) + '{"docno": "A-1", "text": ""}\n{"half\n{"docno": "x y", "text": ""}\n',
    )
    write(folder / "queries.jsonl", jsonl([{"qid": "q1", "query": "a"}, {"qid": "q1", "query": "b"}]))
    write(folder / "qrels.test.txt", "q1 0 A-1 1\nq1 0 A-1 1\nq1 0 A-2 1.5\nq1 A-2 1\nq7 0 Z-1 1\n")
    write(folder / "links.tsv", "A-1\tA-2\nA-1\tZ-2\nA-1\n")
    report = check(folder)
    assert dict(report.fault_counts) == {
        "duplicate": 3,  # docno, qid, judged pair
        "json": 1,
        "provision": 1,
        "relevance": 1,
        "fields": 2,
        "dangling query": 2,  # q2 in qrels.dev.txt, q7 in qrels.test.txt
        "dangling judgement": 1,
        "dangling link": 1,
    }
    assert report.provisions == 3
    assert not report.ok
    json.dumps(report.to_dict())


def test_the_cap_counts_what_it_does_not_keep(folder):
    write(folder / "links.tsv", "".join(f"A-1\tZ-{number}\n" for number in range(50)))
    report = check(folder, cap=5)
    assert report.fault_counts["dangling link"] == 50
    assert len(report.faults) == 5


def test_articles_without_a_number_are_counted_and_no_fault(folder):
    articles = ["제1조", "별표", "별표", "Annex IV", ""]
    more = [{"docno": f"C-{n}", "text": "가", "article": article} for n, article in enumerate(articles)]
    write(folder / "corpus.jsonl", jsonl([*DOCS, *more]))
    report = check(folder, cap=1, article_number=article_number)
    assert report.ok
    assert report.unnumbered == {"별표": 2, "Annex IV": 1}
    content = report.to_dict()
    assert (content["unnumbered"], content["unnumbered_values"]) == (3, {"별표": 2})
    assert not check(folder).unnumbered


def test_an_empty_corpus_is_a_fault(folder):
    write(folder / "corpus.jsonl", "")
    assert "not a single provision" in str(check(folder).faults[0])
