"""Folders of BEIR and MTEB, and datasets of ir_datasets and PyTerrier, as collections."""

import json
import logging
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, TrecQrel, TrecQuery
from mini_folder import jsonl, write
from typer.testing import CliRunner

from legalir import Collection, experiment
from legalir.cli.main import app
from legalir.datasets import available, check, foreign, load
from legalir.errors import DataError, DatasetNotFound, FormatError
from legalir.experiments.fingerprints import notes
from legalir.statutes.doubts import doubts_of

DOCS = [
    {"_id": "dues 1", "title": "Harbour dues", "text": "A vessel pays dues.", "metadata": {"law": "Code", "part": 3}},
    {"_id": 2, "title": None, "text": "The master may refuse entry.", "metadata": {}},
    {"_id": "p/3", "title": "Pilots", "text": "A pilot is compulsory above 100 m.", "level": ["not", "ours"]},
]
QUERIES = [
    {"_id": "q1", "text": "who pays dues", "metadata": {"kind": "duty"}},
    {"_id": "q2", "text": "when is a pilot needed", "score": 4},
    {"_id": "q3", "text": "not judged"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\tdues 1\t1\nq1\t2\t-1\nq2\tp/3\t2\n"


@pytest.fixture
def beir(tmp_path):
    root = tmp_path / "sets" / "quay"
    write(root / "corpus.jsonl", jsonl(DOCS))
    write(root / "queries.jsonl", jsonl(QUERIES))
    write(root / "qrels" / "test.tsv", QRELS)
    return root


def facts(dataset):
    return list(dataset.docs()), dataset.topics().to_dict("records"), dataset.qrels().values.tolist()


def test_a_beir_folder_is_a_collection(beir, monkeypatch):
    docs, topics, qrels = facts(load(f"{beir}/test"))
    assert [(doc.doc_id, doc.title, doc.law, doc.level) for doc in docs] == [
        ("dues_1", "Harbour dues", "Code", ""),
        ("2", "", "", ""),
        ("p/3", "Pilots", "", ""),
    ]
    assert [(row["qid"], row["query"]) for row in topics] == [
        ("q1", "who pays dues"),
        ("q2", "when is a pilot needed"),
    ]
    assert topics[0]["kind"] == "duty"
    assert topics[1]["source_score"] == 4
    assert qrels == [["q1", "dues_1", 1], ["q1", "2", 0], ["q2", "p/3", 2]]
    assert Collection(beir, where="part=3").search("vessel", "bm25")["docno"].tolist() == ["dues_1"]
    monkeypatch.setenv("LEGALIR_DATA", str(beir.parent))
    assert load("legalir/quay/test").qrels().values.tolist() == qrels
    monkeypatch.setenv("LEGALIR_HOME", str(beir.parent.parent / "new"))
    listed = {entry.id: (entry.splits, entry.title()) for entry in available()}
    assert listed["legalir/quay"] == (("test",), "quay")
    assert not (beir.parent.parent / "new").exists(), "a list converts nothing"


@pytest.mark.parametrize(
    "qrels",
    [
        QRELS.replace("\n", "\r\n"),
        QRELS.partition("\n")[2],  # without a header
        "score\tcorpus-id\tquery-id\n1.0\tdues 1\tq1\n0\t2\tq1\n2\tp/3\tq2\n2\tp/3\tq2\n",
        'query-id\tcorpus-id\tscore\n"q1"\t"dues 1"\t1\nq1\t2\t0\nq2\tp/3\t2\n',
        "q1 0 dues_1 1\nq1 0 2 -2\nq2 0 p/3 2\n",  # TREC
    ],
)
def test_forms_of_judgements(beir, qrels):
    path = write(beir / "qrels" / "test.tsv", qrels)
    assert [row.label for row in foreign.read_judgements(path)] == [1, 0, 2]
    assert load(f"{beir}/test").qrels().values.tolist() == [["q1", "dues_1", 1], ["q1", "2", 0], ["q2", "p/3", 2]]


@pytest.mark.parametrize(("judged", "id"), [("qrels", "_id"), ("default", "id"), ("data", "id")])
def test_parquet_of_a_hub(beir, tmp_path, judged, id):
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.parquet

    root = tmp_path / "hub"
    parts = {
        "corpus": [{id: str(row["_id"]), "title": row["title"], "text": row["text"]} for row in DOCS],
        "queries": [{id: row["_id"], "text": row["text"]} for row in QUERIES],
        judged: pd.read_csv(beir / "qrels" / "test.tsv", sep="\t", dtype={"corpus-id": str}).to_dict("records"),
    }
    for name, rows in parts.items():
        (root / name).mkdir(parents=True)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), root / name / "test-00000-of-00001.parquet")
    assert load(f"{root}/test").qrels().equals(load(f"{beir}/test").qrels())
    assert load(root).docs_count() == 3
    (root / "corpus" / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(FormatError, match="not readable as Parquet"):
        load(root).docs_count()


def test_files_of_other_names(tmp_path):
    """Pyserini's names, gz, compressed and repeated rows, JSON lines of judgements, TREC files at the root."""
    write(tmp_path / "a" / "corpus.jsonl.gz", jsonl([{"id": "a", "contents": "x"}, {"id": "a", "contents": "x"}]))
    write(tmp_path / "a" / "queries.dev.jsonl.gz", jsonl([{"id": "1", "query": "x"}]))
    write(tmp_path / "a" / "qrels.dev.txt", "1 0 a 1\n")
    write(tmp_path / "a" / "dataset.yaml", "lang: en\n")
    dataset = load(tmp_path / "a" / "dev")
    assert ([doc.text for doc in dataset.docs()], dataset.about.lang) == (["x"], "en")
    assert dataset.qrels().values.tolist() == [["1", "a", 1]]
    write(tmp_path / "b" / "corpus" / "part-1.jsonl", jsonl(DOCS[:1]))
    write(tmp_path / "b" / "corpus" / "part-2.jsonl", jsonl(DOCS[1:]))
    write(tmp_path / "b" / "queries.jsonl", jsonl(QUERIES))
    write(tmp_path / "b" / "qrels" / "test.jsonl", jsonl([{"query-id": "q1", "corpus-id": "2", "score": 1}]))
    docs, topics, qrels = facts(load(tmp_path / "b" / "test"))
    assert (len(docs), [row["qid"] for row in topics], qrels) == (3, ["q1"], [["q1", "2", 1]])


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("corpus.jsonl", jsonl([DOCS[0], DOCS[0] | {"text": "Other."}]), "line 2: docno 'dues_1' has other content"),
        ("corpus.jsonl", jsonl(DOCS[:1]) + '{"_id": ', "line 2: not a whole JSON object"),
        ("corpus.jsonl", jsonl([{"_id": "a", "words": "x"}]), "line 1: document 'a' has no 'text'"),
        ("corpus.jsonl", jsonl([DOCS[0], {"text": "x"}]), "line 2: a document without an identifier"),
        ("corpus.jsonl", jsonl([DOCS[0], {"_id": "a", "text": 4}]), "line 2: 'text' of 'a' is not a text"),
        ("corpus.jsonl", jsonl([DOCS[0], {"_id": "\u200b", "text": "x"}]), "line 2: the identifier"),
        ("queries.jsonl", jsonl([{"_id": True, "text": "x"}]), "line 1: the identifier True"),
        ("qrels/test.tsv", QRELS + "q1\tp/3\t0.5\n", "line 5: relevance '0.5' is not an integer"),
        ("qrels/test.tsv", QRELS + "q1\tp/3\n", "line 5: 2 fields"),
        ("qrels/test.tsv", QRELS + "q2\tp/3\t1\n", "line 5: 'p/3' is judged 2 for 'q2' on an earlier line, and 1"),
        ("qrels.dev.txt", "q1 0 2 1\n", "judgements both as qrels.dev.txt and in qrels/"),
    ],
)
def test_a_fault_is_one_sentence_with_file_and_line(beir, file, content, message):
    write(beir / file, content)
    with pytest.raises(FormatError, match=message) as raised:
        load(beir).docs_count()
    assert str(beir) in str(raised.value)
    report = check(beir)
    assert not report.ok
    assert any(message.rpartition(": ")[2] in fault.message for fault in report.faults)


def test_what_is_left_out_is_counted(beir, caplog):
    write(beir / "queries.jsonl", jsonl([*QUERIES, QUERIES[0], {"_id": "q4", "text": " "}]))
    report = check(beir)
    assert (report.ok, report.provisions, report.splits["test"].judgements) == (True, 3, 3)
    assert report.converted == {
        "identifiers of a document with white space or invisible characters, written with _": 1,
        "rows that repeat an earlier one, left out": 1,
        "questions without text, left out": 1,
    }
    assert report.negative == 1  # The copy keeps it, for measures that tell it from 0.
    load(f"{beir}/test").qrels()
    assert len(caplog.records) == 4
    write(beir / "qrels" / "test.tsv", QRELS + "q9\t2\t1\n")
    assert [(fault.file, fault.kind) for fault in check(beir).faults] == [(beir / "qrels/test.tsv", "dangling query")]


def test_folders_that_are_not_one(beir, tmp_path):
    with pytest.raises(DatasetNotFound, match="these folders in it do: quay"):
        load(beir.parent).docs_count()
    with pytest.raises(DatasetNotFound, match=r"no split 'dev'.*test"):
        load(beir / "dev")
    with pytest.raises(DataError, match=r"no judgements of its own: use .*quay/test"):
        load(beir).qrels()
    write(tmp_path / "many" / "ko-corpus" / "test.jsonl", jsonl(DOCS))
    with pytest.raises(FormatError, match=r"several collections \(ko\)"):
        load(tmp_path / "many").docs_count()


def test_an_experiment_on_a_beir_folder_with_a_foreign_run(beir, tmp_path):
    run = write(tmp_path / "other.run", "q1 Q0 2 1 9.5 Anserini\nq1 Q0 dues_1 2 9.0 Anserini\nq2 Q0 p/3 1 3 Anserini\n")
    result = experiment(
        {
            "dataset": f"{beir}/test",
            "measures": ["RR@10"],
            "systems": {"BM25": "bm25", "other": f"run(path={str(run)!r})"},
            "baseline": "BM25",
        },
        latency_queries=0,
    )
    assert result.table.set_index("name")["RR@10"].to_dict() == {"BM25": 1.0, "other": 0.75}


class _Docs(BaseDocs):
    def docs_iter(self):
        fields = ("doc_id", "headline", "body")
        record = type("Doc", (), {"_fields": fields})
        for id, head, body in (("a", "Dues", "A vessel pays."), ("b", "Pilots", "Compulsory.")):
            doc = record()
            doc.doc_id, doc.headline, doc.body = id, head, body
            doc._asdict = lambda doc=doc: {name: getattr(doc, name) for name in fields}
            doc.default_text = lambda doc=doc: f"{doc.headline} {doc.body}"
            yield doc

    def docs_lang(self):
        return "en"


class _Queries(BaseQueries):
    def queries_iter(self):
        yield TrecQuery("1", "who pays", "a longer question", "a story")

    def queries_cls(self):
        return TrecQuery

    def queries_lang(self):
        return "en"


class _Qrels(BaseQrels):
    def qrels_iter(self):
        yield TrecQrel("1", "a", 2, "0")
        yield TrecQrel("1", "b", -2, "0")

    def qrels_cls(self):
        return TrecQrel


@pytest.fixture
def registered():
    ir_datasets.registry.register("harbour-of-the-tests", Dataset(_Docs(), _Queries(), _Qrels()))
    yield "irds:harbour-of-the-tests"
    del ir_datasets.registry._registered["harbour-of-the-tests"]


def test_any_dataset_of_ir_datasets(registered):
    dataset = load(registered)
    docs, topics, qrels = facts(dataset)
    assert [(doc.doc_id, doc.title, doc.text) for doc in docs] == [
        ("a", "", "Dues A vessel pays."),
        ("b", "", "Pilots Compulsory."),
    ]
    assert topics == [{"qid": "1", "query": "who pays", "title": "who pays"} | _rest(topics[0])]
    assert qrels == [["1", "a", 2], ["1", "b", 0]]
    assert dataset.about.lang == "en"
    assert Collection(registered).search("vessel", "bm25")["docno"].tolist() == ["a"]
    systems = {"BM25": "bm25"}
    result = experiment({"dataset": registered, "measures": ["RR@10"], "systems": systems}, latency_queries=0)
    assert result.table["RR@10"].tolist() == [1.0]
    assert check(registered).provisions == 2
    with pytest.raises(DatasetNotFound, match="Did you mean 'harbour-of-the-tests'"):
        load("irds:harbour-of-the-test")
    with pytest.raises(DatasetNotFound, match="no provider 'nobody'"):
        load("nobody:knows")
    assert load("irds:legalir/firecode/dev") == load("legalir:firecode/dev") == load("legalir/firecode/dev")


def _rest(row):
    return {name: row[name] for name in ("description", "narrative")}


class _Terrier(pt.datasets.Dataset):
    def get_corpus_iter(self, *, verbose=True):
        yield {"docno": "a", "text": "A vessel pays."}

    def get_topics(self, variant=None):
        return pd.DataFrame({"qid": ["1"], "query": ["who pays"]})


class _Provider(pt.datasets.DatasetProvider):
    def get_dataset(self, name):
        if name == "broken":
            raise OSError("no network")
        return {"port": _Terrier()}[name]


def test_a_dataset_of_another_provider(monkeypatch):
    monkeypatch.setattr(foreign, "is_foreign_id", lambda text: text.startswith("tests:"))
    monkeypatch.setattr("legalir.datasets.catalog.is_foreign_id", foreign.is_foreign_id)
    monkeypatch.setattr("pyterrier.datasets._core._load_provider", lambda name: _Provider())
    dataset = load("tests:port")
    assert [doc.text for doc in dataset.docs()] == ["A vessel pays."]
    assert dataset.topics().to_dict("records") == [{"qid": "1", "query": "who pays"}]
    assert not dataset.has_judgements()
    for name, message in (("tests:nothing", "no dataset"), ("tests:broken", r"cannot be read: OSError \(no network\)")):
        with pytest.raises(DataError, match=message):
            load(name)


def test_a_dataset_whose_host_cannot_be_reached(registered, monkeypatch, caplog):
    request = requests.Request("GET", "https://quay.invalid/docs.zip").prepare()
    failed = requests.exceptions.ConnectionError("Max retries exceeded", request=request)

    def docs(self):
        logging.getLogger("ir_datasets").warning("Download failed: %s", failed)
        logging.getLogger("ir_datasets").info("To read this set, sign its agreement.")
        raise RuntimeError("All download sources failed", [("mirror", failed)])

    monkeypatch.setattr(_Docs, "docs_iter", docs)
    with caplog.at_level("INFO", logger="ir_datasets"), pytest.raises(DataError) as caught:
        list(load(registered).docs())
    assert str(caught.value) == (
        f"{registered} is not on this machine, and quay.invalid cannot be reached: connect once, or copy the folder of "
        "ir_datasets ($IR_DATASETS_HOME, else ~/.ir_datasets) from a machine that has read it."
    )
    assert caplog.messages == ["To read this set, sign its agreement."]


def test_a_changed_folder_is_read_again(beir):
    first = load(beir).fingerprint()
    write(beir / "corpus.jsonl", jsonl([*DOCS, {"_id": "new", "text": "New."}]))
    again = load(beir)
    assert (again.fingerprint() != first, again.docs_count()) == (True, 4)
    assert not json.loads((again.folder.corpus).read_text(encoding="utf-8").splitlines()[3])["title"]


def test_words_that_define_a_law_in_a_collection_without_laws(beir):
    text = "In this order, “the QKA” means the Quay Keepers Act 2012; a keeper opens the gate."
    write(beir / "corpus.jsonl", jsonl([{"_id": f"p{n}", "text": text} for n in range(30)]))
    write(beir / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\nq1\tp1\t1\n")
    assert Collection(beir).find("section 3 of the Quay Keepers Act 2012") is None
    assert doubts_of(load(beir)) == []  # No references is no doubt where nothing is said to be a law.


def test_one_split_as_a_folder_of_beir(tmp_path):
    done = CliRunner().invoke(
        app, ["datasets", "convert", "legalir/firecode/test", str(tmp_path / "f"), "--to", "beir"]
    )
    assert done.exit_code == 0, done.output
    assert [path.name for path in (tmp_path / "f" / "qrels").iterdir()] == ["test.tsv"]
    assert (
        load(tmp_path / "f" / "test").qrels().values.tolist() == load("legalir/firecode/test").qrels().values.tolist()
    )


@pytest.mark.parametrize("id", ["legalir/harbour", "legalir/firecode"])
def test_a_folder_of_beir_holds_the_same_collection(tmp_path, id):
    splits = load(id).splits
    counts = foreign.to_beir([load(id), *(load(f"{id}/{split}") for split in splits if split)], tmp_path)
    for split in splits or ("",):
        ours, theirs = load(f"{id}/{split}".rstrip("/")), load(tmp_path / (split or "test"))
        judged = {row["qid"] for row in ours.queries()}
        assert [(row["qid"], row["query"]) for row in theirs.queries() if row["qid"] in judged] == [
            (row["qid"], row["query"]) for row in ours.queries()
        ]
        assert [*theirs.judgements()] == [*ours.judgements()]
    assert [*load(tmp_path).docs()] == [*load(id).docs()]
    assert [*load(tmp_path).links()] == [*load(id).links()]
    assert load(tmp_path).replaced == load(id).replaced
    about, left_out = load(id).about, {"qrels": None, "static": None}
    assert load(tmp_path).about == about.model_copy(update=left_out)
    assert list(counts) == ["static models, left out: default ranks without them"] * (about.static is not None)
    rows = [json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text().splitlines()]
    assert all(row["metadata"]["law"] in row["title"] for row in rows)


_WORDS = st.sampled_from(["", "Code", "Harbour Code", "Code Pilots", "Pilots", "Code "])


@settings(max_examples=8)
@given(st.lists(st.tuples(_WORDS, _WORDS), min_size=1, max_size=8))
def test_a_folder_of_beir_ranks_as_the_original(named):
    with TemporaryDirectory() as name:
        ours, theirs, again = (Path(name) / part for part in ("ours", "beir", "again"))
        rows = [{"docno": f"d{n}", "law": law, "title": title, "text": "dues"} for n, (law, title) in enumerate(named)]
        write(ours / "corpus.jsonl", jsonl(rows))
        write(ours / "dataset.yaml", "lang: de\n")
        theirs.mkdir()
        foreign.to_beir([load(ours)], theirs)
        again.mkdir()
        foreign.convert(foreign.source_of(theirs), again)
        each = [Collection(path, Path(name) / "home") for path in (ours, theirs, again)]
        lists = [one.search("Pilots of the Code", "bm25")[["docno", "score"]].values.tolist() for one in each]
        assert lists == [lists[0]] * 3
        assert [one.language for one in each] == ["de"] * 3


def test_chunks_are_not_a_folder_of_beir(tmp_path):
    write(tmp_path / "cut" / "corpus.jsonl", jsonl([{"docno": "a#1", "text": "Dues."}]))
    write(tmp_path / "cut" / "provisions.jsonl", jsonl([{"docno": "a", "text": "Dues."}]))
    write(tmp_path / "cut" / "chunks.tsv", "a#1\ta\tcomplete\t5\t0\n")
    with pytest.raises(DataError, match="is cut into chunks"):
        foreign.to_beir([load(tmp_path / "cut")], tmp_path)


def test_fields_of_ones_own_are_in_metadata(tmp_path):
    rows = [
        {"docno": "a", "law": "Code", "text": "Dues are paid.", "ministry": "Justice", "tags": ["x", "y"], "part": 3},
        {"docno": "b", "law": "Code", "title": "Pilots", "text": "A pilot.", "tree": {"a": 1}, "id": 7, "note": None},
    ]
    write(tmp_path / "ours" / "corpus.jsonl", jsonl(rows))
    write(tmp_path / "ours" / "queries.jsonl", jsonl([{"qid": "q1", "query": "who pays"}]))
    for source, target in (("ours", "beir"), ("beir", "again")):
        done = CliRunner().invoke(
            app, ["datasets", "convert", str(tmp_path / source), str(tmp_path / target), "--to", "beir", "--json"]
        )
        assert done.exit_code == 0, done.output
        counts = json.loads(done.stdout)["counts"]
        expected = {"fields that metadata of BEIR cannot have, left out (id, tree)": 2} if source == "ours" else {}
        assert counts == expected
        corpus = [json.loads(line) for line in (tmp_path / target / "corpus.jsonl").read_text().splitlines()]
        assert [(row["_id"], row["title"]) for row in corpus] == [("a", ""), ("b", "Code Pilots")]
        own = {"ministry": "Justice", "tags": ["x", "y"], "part": 3}
        assert [row["metadata"] for row in corpus] == [{"law": "Code", **own}, {"law": "Code", "title": "Pilots"}]
        done = CliRunner().invoke(app, ["datasets", "export", str(tmp_path / target), "docs"])
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert lines[0] == {"docno": "a", "law": "Code", **own, "text": rows[0]["text"]}
        assert lines[1]["title"] == "Pilots"
    assert Collection(tmp_path / "again").search("dues", "bm25", where="tags=y")["docno"].tolist() == ["a"]


def test_a_folder_is_one_however_its_path_is_written(beir, monkeypatch):
    monkeypatch.chdir(beir.parent)
    roots = [Collection(path).source.folder.root for path in (beir, "quay", "./quay", "../sets/quay")]
    assert roots == roots[:1] * 4, "what was tuned for one is used for all"


def test_what_follows_links_says_that_there_are_none(beir, caplog):
    remark = "the collection has no links"
    without = Collection(beir).pipeline('bm25 >> sar(normalize="minmax")')
    assert [remark in one for one in notes(without)] == [True]
    assert sum(text.startswith(f"sar: {remark}") for text in caplog.messages) == 1
    assert not notes(Collection("legalir/firecode").pipeline('bm25 >> sar(normalize="minmax")'))


def test_part_and_limit_of_a_table(beir):
    # A retriever scores the documents that it gets; after feedback, which returns questions, it searches anew.
    systems = {"cut": "bm25 % 1", "again": "bm25 % 1 >> bm25", "anew": "bm25 % 1 >> rm3 >> bm25"}
    systems |= {"fused": "rrf(bm25 % 1, bm25)", "fused cuts": "rrf(bm25 % 1, tfidf % 1)"}
    definition = {"dataset": f"{beir}/test", "measures": ["R@10"], "systems": systems}
    result = experiment({**definition, "part": "held-out"})  # q1 and q2 are of this half.
    assert [name for text, names in result.remarks.items() if "own limit" in text for name in names] == [
        *("cut", "again", "fused cuts"),
    ]
    assert "2 questions (part held-out), depth" in result.to_markdown()
