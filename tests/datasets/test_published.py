"""The declarations, on small files of our own in the layouts of the real ones."""

import hashlib
import json

import pytest
from mini_folder import jsonl, write

from legalir.datasets import check, load
from legalir.datasets.published import convert, published
from legalir.errors import DownloadError, FormatError
from legalir.storage.files import cache_home

UNIT = {
    "semantic_id": "기준-101_{n}조",
    "collection_name": "모법",
    "law_level": "행정규칙",
    "law_name": "기준(101)",
    "chapter": "{n}조",
    "chapter_description": "정의",
}


def unit(n, **fields):
    return {"doc_id": n} | {key: value.replace("{n}", str(n)) for key, value in UNIT.items()} | fields


@pytest.fixture
def place(monkeypatch):
    """Place files by hand where a download would put them; any attempt to fetch fails."""

    def refuse(what, target):
        raise DownloadError(f"{what.url} could not be fetched: place it as {target}.")

    monkeypatch.setattr("legalir.datasets.download.download", refuse)

    def place(name, files):
        for file, content in files.items():
            write(cache_home() / "published" / name / "source" / file, content)

    return place


def searchfiresafety(**replaced):
    return {
        "legal_docs.jsonl": jsonl(
            [
                unit(1, text="가", related_doc_ids=[2, 1, 99]),
                unit(2, text="나", related_doc_ids=[1, 1]),
                unit(3, text="다", related_doc_ids=[]),
            ]
        ),
        "realworld_qa.jsonl": jsonl(
            [
                {
                    "question_id": 0,
                    "question": "왜?",
                    "answer": "그래서",
                    "related_doc_ids": [1, 3],
                    "semantic_ids": ["x"],
                }
            ]
        ),
        "multihop_qa_mcq.jsonl": jsonl(
            [
                {
                    "question_id": 0,
                    "related_doc_ids": [1, 2],
                    "question": "무엇?",
                    **{f"option_{number}": f"선택 {number}" for number in range(1, 5)},
                    "option_5": "알 수 없다",
                    "answer_full": 2,
                    "answer_partial": 5,
                },
                {
                    "question_id": 1,
                    "related_doc_ids": [1, 2],
                    "question": "셋뿐?",
                    "option_1": "하나",
                    "answer_full": 1,
                },
            ]
        ),
        "singlehop_questions.jsonl": jsonl(
            [
                {"question_id": "q_2_2_1", "question": "맞나?", "answer": "예", "matched_doc_id": [2], "is_use": True},
                {"question_id": "q_2_2_2", "question": "아닌가?", "answer": "아니오", "matched_doc_id": [2]},
                {
                    "question_id": "q_2_2_3",
                    "question": "목적은?",
                    "answer": "예",
                    "matched_doc_id": [2],
                    "is_use": False,
                },
                {"question_id": "q_2_2_4", "question": "모르나?", "answer": "글쎄", "matched_doc_id": [2]},
            ]
        ),
    } | replaced


def test_searchfiresafety(place, caplog):
    place("searchfiresafety", searchfiresafety())
    dataset = load("legalir/searchfiresafety/realworld")
    first = next(dataset.docs())
    assert first.default_text() == "기준-101_1조 | 기준(101) | 1조 | 정의\n가"
    assert (first.doc_id, first.law, first.level, first.article) == ("1", "기준(101)", "행정규칙", "1조")
    # 1 -> 1 is a loop, 1 -> 99 is unknown, the second 2 -> 1 says nothing new.
    assert list(dataset.links()) == [("1", "2", "cites"), ("2", "1", "cites")]
    messages = " ".join(record.getMessage() for record in caplog.records)
    assert "links to themselves, left out: 1." in messages
    assert "links to unknown provisions, left out: 1." in messages
    assert dataset.topics()[["qid", "query", "answer"]].values.tolist() == [["rw0", "왜?", "그래서"]]
    assert dataset.qrels().values.tolist() == [["rw0", "1", 1], ["rw0", "3", 1]]
    multihop = load("legalir/searchfiresafety/multihop").topics()
    assert multihop["qid"].tolist() == ["mh0"], "an item without all its options is left out"
    assert multihop.loc[0, ["key", "abstain", "documents"]].tolist() == [2, 5, ["1", "2"]]
    assert multihop.loc[0, "options"] == ["선택 1", "선택 2", "선택 3", "선택 4", "알 수 없다"]
    assert "multihop: items without all options or a key, left out: 1." in messages
    singlehop = load("legalir/searchfiresafety/singlehop")
    assert singlehop.topics()[["qid", "key", "options", "documents"]].values.tolist() == [
        ["q_2_2_1", 1, ["예", "아니오"], ["2"]],
        ["q_2_2_2", 2, ["예", "아니오"], ["2"]],
    ]
    assert singlehop.qrels().values.tolist() == [["q_2_2_1", "2", 1], ["q_2_2_2", "2", 1]]
    assert check("legalir/searchfiresafety").ok


def test_searchfiresafety_with_the_older_names(place):
    older = {
        "legal_docs.jsonl": jsonl(
            [unit(1, chapter_body="가", matched_doc_id_merged=[2], deleted=False), unit(2, chapter_body="나")]
        ),
        "realworld_qa.jsonl": jsonl(
            [{"question_id": 7, "question_raw": "왜?", "matched_doc_id": [2], "has_matched_docs": True}]
        ),
    }
    place("searchfiresafety", searchfiresafety(**older))
    dataset = load("legalir/searchfiresafety/realworld")
    assert [record.text for record in dataset.docs()] == ["가", "나"]
    assert list(dataset.links()) == [("1", "2", "cites")]
    assert dataset.qrels().values.tolist() == [["rw7", "2", 1]]


def test_nitibench(place):
    laws = {f"laws-{number:02d}.json": "[]" for number in range(1, 37)}
    act = "พระราชบัญญัติ พ.ศ. 2535"
    laws["laws-01.json"] = json.dumps(
        [
            {"law_name": act, "section_num": "1", "section_content": f"{act} มาตรา 1 ก", "reference": []},
            {
                "law_name": act,
                "section_num": "77/1",
                "section_content": "ข",
                "reference": [{"include": True, "law_name": act, "section_num": "1"}],
            },
        ]
    )
    gold = [{"law_name": act, "section_num": "77/1"}, {"law_name": act, "section_num": "1"}]
    tax = json.dumps(gold, ensure_ascii=False).replace('"', '""')
    ccl = str(gold[:1])
    files = laws | {
        "hf_tax.csv": f'idx,ข้อหารือ,actual_relevant_laws\n0,"บริษัทฯ\nหารือ","{tax}"\n',
        "hf_wcx.csv": f',question,relevant_laws\n5,คืออะไร,"{ccl}"\n',
    }
    place("nitibench", files)
    dataset = load("legalir/nitibench/tax")
    first, second = dataset.docs()
    assert (first.doc_id, second.article) == ("พระราชบัญญัติ_พ.ศ._2535-1", "77/1")
    assert second.title == f"{act} มาตรา 77/1"
    assert list(dataset.links()) == [(second.doc_id, first.doc_id, "cites")]
    assert dataset.topics()["query"].tolist() == ["บริษัทฯ\nหารือ"]
    assert dataset.qrels()["docno"].tolist() == [second.doc_id, first.doc_id]
    assert load("legalir/nitibench/ccl").qrels().values.tolist() == [["ccl5", second.doc_id, 1]]
    assert check("legalir/nitibench").ok


def test_koblex(tmp_path):
    statute = [
        {"index": "법 1조", "hierarchy": "법 1조", "content": "제1장 총칙"},
        {"index": "법 1조", "hierarchy": "법 1조", "content": "제1절 통칙"},
        {"index": "법 1조  목적", "hierarchy": "법 1조  목적 1항", "content": "①목적은 이것이다."},
    ]
    question = {"id": "qa_1", "background": "갑이 을에게 팔았다.", "question": "언제까지?", "n_hops": 1}
    write(tmp_path / "in" / "statute.jsonl", jsonl(statute))
    write(tmp_path / "in" / "koblex.jsonl", jsonl([question | {"contexts": [statute[2]]}]))
    (tmp_path / "out").mkdir()
    counts = convert(published()["koblex"].declaration, tmp_path / "in", tmp_path / "out")
    assert counts["repeated docnos, numbered"] == 1
    dataset = load(tmp_path / "out")
    assert [record.doc_id for record in dataset.docs()] == ["법_1조", "법_1조#2", "법_1조_목적_1항"]
    assert dataset.topics()["query"].tolist() == ["갑이 을에게 팔았다.\n언제까지?"]
    assert dataset.qrels().values.tolist() == [["qa_1", "법_1조_목적_1항", 1]]
    assert dataset.about.licence == "CC BY-NC 4.0 (not for commercial use)"


def test_a_file_that_is_not_the_declared_one(place):
    place("koblex", {"koblex.jsonl": "{}", "statute.jsonl": "{}"})
    digest = hashlib.sha256(b"{}").hexdigest()
    with pytest.raises(DownloadError, match=f"{digest}"):
        list(load("legalir/koblex").docs())


def test_stard(place):
    place(
        "stard",
        {
            "corpus.jsonl": jsonl(
                [
                    {"id": 705, "name": "民法典第五十四条", "content": "自然人"},
                    {"id": 9, "name": "条例", "content": "二"},
                ]
            ),
            "queries.json": json.dumps(
                [
                    {"query_id": 0, "问题": "谁?", "相关法规": {"民法典第五十四条": "自然人"}, "match_id": [705, 9]},
                    {"query_id": 1, "问题": "何时?", "match_id": [9]},
                ]
            ),
            "qrels.dev.tsv": "1\t9\n",
            "qrels.train.tsv": "0\t705\n0\t9\n",
        },
    )
    assert load("legalir/stard").qrels().values.tolist() == [["0", "705", 1], ["0", "9", 1], ["1", "9", 1]]
    assert load("legalir/stard/dev").topics()["query"].tolist() == ["何时?"]
    assert load("legalir/stard/train").qrels()["docno"].tolist() == ["705", "9"]
    assert next(load("legalir/stard").docs()).title == "民法典第五十四条"


def test_bsard(place):
    place(
        "bsard",
        {
            "articles.csv": (
                'id,reference,article,law_type\n1,"Art. 1.1, Code","Le texte\nici",regional\n2,Art. 2,Suite,national\n'
            ),
            "questions_train.csv": 'id,question,extra_description,article_ids\n4,Peut-on ?,en ville,"2,1"\n',
            "questions_test.csv": "id,question,extra_description,article_ids\n8,Qui paie ?,,1\n",
        },
    )
    train, test = load("legalir/bsard/train"), load("legalir/bsard/test")
    assert next(train.docs()).default_text() == "Art. 1.1, Code\nLe texte\nici"
    assert train.topics()["query"].tolist() == ["Peut-on ? en ville"]
    assert train.qrels()["docno"].tolist() == ["2", "1"]
    assert test.topics()["query"].tolist() == ["Qui paie ?"]


def test_a_collection_is_converted_once_and_then_only_read(place, monkeypatch):
    place("searchfiresafety", searchfiresafety())
    dataset = load("legalir/searchfiresafety")
    assert dataset.docs_count() == 3
    monkeypatch.setattr("legalir.datasets.published.convert", None)
    again = load("legalir/searchfiresafety")
    assert again.docs_count() == 3


def test_a_file_that_changed_since_it_was_first_seen(place, tmp_path):
    place("searchfiresafety", searchfiresafety())
    list(load("legalir/searchfiresafety").docs())
    collection = published()["searchfiresafety"]
    for path in collection.converted.iterdir():
        path.unlink()
    collection.converted.rmdir()
    place("searchfiresafety", {"realworld_qa.jsonl": "{}"})
    with pytest.raises(DownloadError, match=r"realworld_qa\.jsonl"):
        list(load("legalir/searchfiresafety").docs())


def test_offline_says_address_and_place(place):
    with pytest.raises(DownloadError, match=r"/articles\.csv.*bsard/source"):
        list(load("legalir/bsard").docs())
    assert not (cache_home() / "published" / "bsard").exists() or not published()["bsard"].converted.exists()


@pytest.mark.parametrize(
    ("file", "content", "fault"),
    [
        ("queries.json", '{"a": 1}', "a JSON list"),
        ("queries.json", "[{", "as JSON"),
        ("corpus.jsonl", '{"name": "x", "content": "y"}\n', "line 1: .*'id'"),
        ("corpus.jsonl", jsonl([{"id": 1, "content": "y"}] * 2), "line 2: docno '1'"),
        ("queries.json", '[{"query_id": 1, "问题": "?", "match_id": "[1, "}]', "line 1: '.1, '… is not a list"),
        ("qrels.dev.tsv", "1\n", "line 1: no query"),
    ],
)
def test_a_file_of_another_layout_names_its_fault_and_leaves_nothing(place, file, content, fault):
    good = {
        "corpus.jsonl": jsonl([{"id": 1, "name": "x", "content": "y"}]),
        "queries.json": "[]",
        "qrels.dev.tsv": "",
        "qrels.train.tsv": "",
    }
    place("stard", good | {file: content})
    with pytest.raises(FormatError, match=fault):
        list(load("legalir/stard").docs())
    assert not published()["stard"].converted.exists()


def test_every_declaration_is_whole():
    assert set(published()) == {"bsard", "koblex", "nitibench", "searchfiresafety", "stard"}
    for collection in published().values():
        assert collection.about.title and collection.about.licence and collection.about.citation
        for name, spec in collection.declaration["files"].items():
            assert spec["url"].startswith("https://"), name
            assert spec["url"].isascii(), name
            assert spec["sha256"] is None or len(spec["sha256"]) == 64, name
        corpus = collection.declaration["corpus"]["from"]
        used = {*([corpus] if isinstance(corpus, str) else corpus)}
        for part in ("queries", "judgements"):
            used |= {spec["from"] for spec in collection.declaration.get(part, {}).values()}
        assert used == set(collection.declaration["files"])
