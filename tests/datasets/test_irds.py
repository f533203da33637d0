import json
import sys

import ir_datasets
import ir_measures.__main__ as ir_measures_main
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets.util import Registry
from mini_folder import DOCS, jsonl, write

from legalir.datasets import load
from legalir.datasets.irds import irds_dataset, register
from legalir.datasets.provider import LegalIRDatasetProvider
from legalir.errors import DataError, DatasetNotFound

# PyTerrier 1.1 renames columns in place, of which pandas 3.1 warns.
IN_PLACE = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture
def registry(folder, monkeypatch):
    monkeypatch.setenv("LEGALIR_DATA", str(folder.parent))
    registry = Registry()
    register(registry)
    return registry


def test_ids_and_parts_are_known_without_reading(folder, monkeypatch):
    for path in folder.iterdir():
        path.write_bytes(b"\xff")
    write(folder / "dataset.yaml", "not: [yaml")
    write(folder.parent / "broken" / "queries.jsonl", "no corpus")
    monkeypatch.setenv("LEGALIR_DATA", str(folder.parent))
    registry = Registry()
    register(registry)
    assert {"legalir/mini", "legalir/mini/dev", "legalir/mini/test", "legalir/stard/dev"} <= set(registry)
    assert "legalir/broken" not in set(registry)
    assert not registry["legalir/mini"].has_qrels()
    assert registry["legalir/mini/test"].has_qrels()


def test_the_dataset_wrapper(registry):
    dataset = registry["legalir/mini/test"]
    assert repr(dataset) == "Dataset(id='legalir/mini/test', provides=['docs', 'queries', 'qrels'])"
    assert (dataset.docs_count(), dataset.queries_count(), dataset.qrels_count()) == (3, 2, 3)
    assert dataset.metadata() == {
        "docs": {"count": 3},
        "queries": {"count": 2},
        "qrels": {"count": 3, "fields": {"relevance": {"counts_by_value": {1: 2, 2: 1}}}},
    }
    assert dataset.documentation() == {}
    assert dataset.docs_namespace() == "legalir/mini"
    assert dataset.docs_lang() is None
    assert dataset.qrels_defs() == {0: "not relevant", 1: "relevant"}
    assert dataset.qrels_dict() == {"q1": {"A-2": 1, "B-1": 2}, "q2": {"A-1": 1}}
    assert dataset.qrels_path().endswith("qrels.test.txt")
    assert dataset.queries_dict()["q1"].text == "무창층의 뜻은?"
    assert len(dataset.docs) == len(dataset.qrels) == 3
    assert dataset.docs.lookup("A-2").article == "2"


def test_slices_of_documents(folder):
    rows = [{"docno": f"d{number}", "text": ""} for number in range(20)]
    write(folder / "corpus.jsonl", jsonl(rows))
    numbers = list(range(20))
    dataset = irds_dataset(load(folder))

    def ids(key):
        return [int(record.doc_id[1:]) for record in dataset.docs_iter()[key]]

    for key in (
        slice(3, 7),
        slice(5, None),
        slice(None, 4),
        slice(-3, None),
        slice(2, 15, 4),
        slice(18, 99),
        slice(7, 3),
    ):
        assert ids(key) == numbers[key]
    assert ids(slice(None, 1 / 4)) == numbers[:5]
    assert [record.doc_id for record in dataset.docs_iter()[4:16][2:4]] == ["d6", "d7"]
    assert dataset.docs_iter()[-1].doc_id == "d19"
    assert len(list(dataset.docs_iter())) == 20
    with pytest.raises(IndexError):
        dataset.docs_iter()[20]
    with pytest.raises(ValueError, match="positive"):
        dataset.docs_iter()[::-1]


def test_the_docstore(registry):
    store = registry["legalir/mini"].docs_store()
    assert store.get("B-1").text == "영 제1조"
    assert list(store.get_many(["A-2", "zz", "A-1"])) == ["A-2", "A-1"]
    assert store.get("A-1", "law") == "법"
    assert store.count() == 3
    assert store.built()
    assert [record.doc_id for record in store] == ["A-1", "A-2", "B-1"]
    with pytest.raises(KeyError):
        store.get("zz")


def test_an_unknown_id_is_our_error_and_a_late_folder_is_found(registry, folder):
    with pytest.raises(DatasetNotFound, match=r"^There is no dataset 'legalir/minni'\. Did you mean 'legalir/mini'"):
        registry["legalir/minni"]
    write(folder.parent / "late" / "corpus.jsonl", jsonl(DOCS))
    assert registry["legalir/late"].docs_count() == 3


@IN_PLACE
def test_pyterrier_reads_it(folder, monkeypatch):
    monkeypatch.setenv("LEGALIR_DATA", str(folder.parent))
    dataset = pt.get_dataset("irds:legalir/mini/test")
    assert dataset.get_topics().to_dict("records") == [
        {"qid": "q1", "query": "무창층의 뜻은?"},
        {"qid": "q2", "query": "목적은?"},
    ]
    assert list(dataset.get_qrels()["label"]) == [1, 2, 1]
    assert [doc["docno"] for doc in dataset.get_corpus_iter(verbose=False)] == ["A-1", "A-2", "B-1"]
    assert [doc["docno"] for doc in dataset.get_corpus_iter(verbose=False, start=1, count=1)] == ["A-2"]
    loaded = dataset.text_loader(["title", "text"])(dataset.get_qrels()[["qid", "docno"]])
    assert loaded["text"].iloc[1] == "영 제1조"


@IN_PLACE
def test_the_provider_of_pyterrier(folder, monkeypatch):
    monkeypatch.setenv("LEGALIR_DATA", str(folder.parent))
    provider = LegalIRDatasetProvider()
    assert {"firecode", "mini", "mini/test", "stard"} <= set(provider.list_dataset_names())
    dataset = provider.get_dataset("mini/test")
    assert len(dataset.get_topics()) == 2
    assert dataset.info_url() is None
    assert repr(dataset) == "StatuteIRDSDataset('legalir/mini/test')"
    assert len(provider.get_dataset(str(folder / "dev")).get_topics()) == 1
    assert provider.get_dataset("harbour").info_url() is None
    stard = provider.get_dataset("stard")
    assert stard.info_url() == "https://github.com/oneal2000/STARD"
    facts = {"pretty_name", "desc", "source", "licence", "citation"}
    assert stard.irds_ref().documentation().keys() == facts
    with pytest.raises(DatasetNotFound):
        provider.get_dataset("nothing-like-it")


def test_reference_answers_as_pyterrier_rag_has_them():
    answers = pt.get_dataset("legalir:firecode/test").get_answers()
    topics = load("legalir/firecode/test").topics()
    assert list(answers.columns) == ["qid", "gold_answer"]
    assert dict(zip(answers["qid"], answers["gold_answer"], strict=True)) == topics.set_index("qid")["answer"].to_dict()
    with pytest.raises(DataError, match="no reference answers"):
        pt.get_dataset("legalir:firecode/multihop").get_answers()


def test_questions_keep_their_day():
    topics = pt.get_dataset("legalir:harbour").get_topics()
    pd.testing.assert_frame_equal(topics, load("legalir/harbour").topics())
    assert topics["as_of"].nunique() > 1
    assert list(pt.get_dataset("legalir:harbour").get_topics("query").columns) == ["qid", "query"]


def test_several_reference_answers_are_several_rows(folder):
    rows = [{"qid": "q1", "query": "x", "answer": ["yes", "no"]}, {"qid": "q2", "query": "y"}]
    (folder / "queries.more.jsonl").write_text(jsonl(rows), encoding="utf-8")
    answers = load(folder / "more").answers()
    assert answers["gold_answer"].tolist() == ["yes", "no"]


def test_pyterrier_finds_the_collections_without_an_import():
    found = pt.find_datasets("legalir:firecode", en_only=False)
    assert "legalir:firecode/test" in found["dataset"].tolist()


def test_the_command_line_of_ir_datasets(monkeypatch, capsys):
    def printed(*arguments):
        monkeypatch.setattr(sys, "argv", ["ir_datasets", *arguments])
        ir_datasets.main_cli()
        return capsys.readouterr().out.splitlines()

    source = load("legalir/harbour")
    docs = [json.loads(line) for line in printed("export", "legalir/harbour", "docs", "--format", "jsonl")]
    assert docs == [provision._asdict() for provision in source.docs()]
    queries = [line.split("\t") for line in printed("export", "legalir/harbour", "queries")]
    assert queries == source.topics()[["qid", "query"]].to_numpy().tolist()
    qrels = [line.split(" ") for line in printed("export", "legalir/harbour", "qrels")]
    assert qrels == [[row.qid, "0", row.docno, str(row.label)] for row in source.judgements()]
    assert printed("lookup", "legalir/harbour", "notice-7", "--fields", "title") == [
        doc["title"] for doc in docs if doc["doc_id"] == "notice-7"
    ]
    assert "legalir/harbour" in printed("list")


def test_the_command_line_of_ir_measures(monkeypatch, capsys, tmp_path):
    rows = [(row.qid, row.docno, row.label) for row in load("legalir/harbour").judgements()]
    run, qrels = tmp_path / "a.trec", tmp_path / "qrels.txt"
    run.write_text("".join(f"{qid} 0 {docno} 0 {label} a\n" for qid, docno, label in rows), encoding="utf-8")
    qrels.write_text("".join(f"{qid} 0 {docno} {label}\n" for qid, docno, label in rows), encoding="utf-8")
    for judgements in (str(qrels), "legalir/harbour"):
        monkeypatch.setattr(sys, "argv", ["ir_measures", judgements, str(run), "MultiHitRate@1000 RR", "MicroR@1000"])
        ir_measures_main.main_cli()
        assert capsys.readouterr().out == "MultiHitRate@1000\t1.0000\nRR\t1.0000\nMicroR@1000\t1.0000\n"
    monkeypatch.setattr(sys, "argv", ["ir_measures", "legalir/harbour", str(run), "MultiMRR@10", "-q", "-n"])
    ir_measures_main.main_cli()
    assert {line.split("\t")[0] for line in capsys.readouterr().out.splitlines()} == {qid for qid, _, _ in rows}
    monkeypatch.setattr(sys, "argv", ["ir_measures", "legalir/nowhere", str(run), "MultiMRR@10"])
    with pytest.raises(SystemExit):
        ir_measures_main.main_cli()
    assert "legalir/nowhere not found" in capsys.readouterr().err
