"""Chunk collections: what is written, and that searches and experiments over them read judgements of provisions."""

from __future__ import annotations

import io
import json

import pytest
from dated_folder import write_dated
from rich.console import Console
from scripted import Scripted

import legalir
from legalir.chunks.chunk_collection import headers_by, law_texts, method, plain_text, write_chunks
from legalir.datasets import check, load
from legalir.datasets.records import Provision
from legalir.errors import ComponentError, DataError
from legalir.experiments.terminal import print_result
from legalir.llm.client import Client

PROVISIONS = [
    Provision("b-1", "소방법 제1조(목적)", "불을 막는다.", law="소방법", law_id="b", level="act"),
    Provision("b-2", "소방법 제2조(정의)", "물이란 물이다.\n모래란 모래이다.", law="소방법", law_id="b", level="act"),
    Provision("c-1", "건축법 제1조", "건축법 제1조 집을 짓는다.", law="건축법", law_id="c"),
    Provision("c-2", "", "", law="건축법", law_id="c"),
    Provision("b-3", "소방법 제3조(벌칙)", "벌금을 낸다.", law="소방법", law_id="b", level="act"),
]


@pytest.fixture
def laws(tmp_path):
    folder = tmp_path / "laws"
    folder.mkdir()
    rows = [{"docno": one.doc_id, **{k: v for k, v in one._asdict().items() if k != "doc_id"}} for one in PROVISIONS]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "corpus.jsonl").write_text(lines, encoding="utf-8")
    (folder / "links.tsv").write_text("b-3\tb-2\tself\nb-1\tb-2\nc-1\tb-1\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"qid": "q", "query": "모래 벌금"}\n', encoding="utf-8")
    (folder / "qrels.txt").write_text("q 0 b-2 1\nq 0 b-3 1\n", encoding="utf-8")
    return load(folder)


def test_laws_as_plain_text() -> None:
    first, second = law_texts(PROVISIONS)
    assert first.text.split("\n") == [
        *(
            "제1조(목적)",
            "불을 막는다.",
            "제2조(정의)",
            "물이란 물이다.",
            "모래란 모래이다.",
            "제3조(벌칙)",
            "벌금을 낸다.",
        ),
    ]
    assert (first.key, second.key) == ("b", "c")
    assert [first.text[start:end] for start, end in first.places] == [plain_text(PROVISIONS[n]) for n in (0, 1, 4)]
    assert (second.text, second.docnos) == ("건축법 제1조 집을 짓는다.", ["c-1"])


def test_laws_without_identifiers() -> None:
    provisions = [Provision("x", text="가"), Provision("y", text="나", law="가 법")]
    assert [(law.key, law.text) for law in law_texts(provisions)] == [("law-1", "가"), ("law-2", "나")]


def test_a_chunk_collection(laws, tmp_path) -> None:
    report = write_chunks(laws, tmp_path / "out", method("line", size=30), "line(size=30)")
    assert check(tmp_path / "out").ok
    assert (report.laws, report.empty, report.links) == (2, 1, 2)
    assert report.to_dict()["loss"]["whole"] == report.loss.whole == 2
    assert [(row.doc_id, row.title, row.text) for row in load(tmp_path / "out").docs()] == [
        ("b-chunk-0", "소방법", "제1조(목적)\n불을 막는다.\n제2조(정의)"),
        ("b-chunk-1", "소방법", "물이란 물이다.\n모래란 모래이다.\n제3조(벌칙)"),
        ("b-chunk-2", "소방법", "벌금을 낸다."),
        ("c-chunk-0", "건축법", "건축법 제1조 집을 짓는다."),
    ]
    assert (tmp_path / "out" / "chunks.tsv").read_text(encoding="utf-8").split("\n")[:3] == [
        "b-chunk-0\tb-1\tcomplete\t15\t0",
        "b-chunk-0\tb-2\tpartly\t7\t16",
        "b-chunk-1\tb-2\tpartly\t18\t0",
    ]


def test_links_join_the_chunks_that_hold_most(laws, tmp_path) -> None:
    write_chunks(laws, tmp_path / "out", method("line", size=30), "line(size=30)")
    links = (tmp_path / "out" / "links.tsv").read_text(encoding="utf-8").splitlines()
    # b-3 has one character more in the chunk with its heading: 제3조(벌칙) and 벌금을 낸다.
    assert links == ["b-chunk-0\tb-chunk-1", "c-chunk-0\tb-chunk-0"]


def test_provisions_as_chunks_keep_their_docnos(laws, tmp_path) -> None:
    report = write_chunks(laws, tmp_path / "out", method("article"), "article")
    assert report.loss[4:] == (1.0, 1.0, 0.0, 0.0, 0.0)
    assert [row.doc_id for row in load(tmp_path / "out").docs()] == ["b-1", "b-2", "b-3", "c-1"]


def test_headers_stand_in_the_title(laws, tmp_path) -> None:
    seen = []

    def headers(pairs):
        seen.extend(pairs)
        return [f"부분 {number}" for number in range(len(pairs))]

    write_chunks(laws, tmp_path / "out", method("article"), "article", headers=headers)
    assert [row.title for row in load(tmp_path / "out").docs()][:2] == ["소방법 부분 0", "소방법 부분 1"]
    assert seen[0][0].startswith(seen[0][1])


def test_an_experiment_maps_chunks_to_provisions(laws, tmp_path) -> None:
    write_chunks(laws, tmp_path / "out", method("line", size=34), "line(size=34)")
    definition = {
        "dataset": str(tmp_path / "out"),
        "measures": ["R@1", "R@5", "RR@5", "nDCG@5"],
        "systems": {"words": "bm25(analyzer='char2')"},
    }
    result = legalir.experiment(definition, latency_queries=0)
    held = load(tmp_path / "out").chunks.provisions()
    found = [docno for chunk in result.runs["words"]["docno"] for docno in held[chunk]]
    assert result.table["R@5"].iloc[0] == len({"b-2", "b-3"} & set(found)) / 2
    rules = result.environment["dataset"]["chunks"]
    assert rules["R@1"] == "provisions of the first k chunks"
    assert rules["RR@5"] == "chunks"
    print_result(result, Console(file=(stream := io.StringIO()), width=400))
    assert "a chunk counts as the provisions that it holds completely" in stream.getvalue()
    part = legalir.experiment({**definition, "chunks": "any"}, latency_queries=0)
    held = load(tmp_path / "out").chunks.provisions("any")
    found = [docno for chunk in part.runs["words"]["docno"] for docno in held[chunk]]
    assert part.table["R@5"].iloc[0] == len({"b-2", "b-3"} & set(found)) / 2 > result.table["R@5"].iloc[0]
    page = part.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "A chunk counts as the provisions that it holds, completely or in part." in page


def test_a_chunk_collection_is_not_cut_again(laws, tmp_path) -> None:
    write_chunks(laws, tmp_path / "out", method("article"), "article")
    with pytest.raises(DataError, match="is a chunk collection"):
        write_chunks(load(tmp_path / "out"), tmp_path / "again", method("article"), "article")
    with pytest.raises(DataError, match="exists: name another folder"):
        write_chunks(laws, tmp_path / "out", method("article"), "article")
    write_chunks(laws, tmp_path / "out", method("character", size=9), "character", replace=True)
    assert check(tmp_path / "out").ok


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "words"}, "no chunking 'words'"),
        ({"by": "line", "buffer": 3}, "line has no buffer"),
        ({"by": "article", "size": 3}, "article has no size"),
        ({"by": "semantic"}, "semantic needs an encoder."),
    ],
)
def test_bad_methods(arguments, message) -> None:
    with pytest.raises(ComponentError, match=message):
        method(**arguments)


def test_headers_of_a_chat_model(laws, tmp_path) -> None:
    seen = []

    def reply(request):
        seen.append(request.messages[-1][1])
        return "" if "벌금" in request.messages[-1][1].split("<part>")[1] else "물에 관한\n부분"

    client = Client(Scripted(reply), cache=tmp_path / "llm.sqlite")
    write_chunks(laws, tmp_path / "out", method("article"), "article", headers=headers_by(client, "ko"))
    titles = {row.doc_id: row.title for row in load(tmp_path / "out").docs()}
    assert titles == {
        "b-1": "소방법 물에 관한 부분",
        "b-2": "소방법 물에 관한 부분",
        "b-3": "소방법",
        "c-1": "건축법 물에 관한 부분",
    }
    assert "<part>\n제1조(목적)" in seen[0]


def test_the_law_of_a_day_is_cut(tmp_path) -> None:
    dated = load(write_dated(tmp_path / "dated"))
    report = write_chunks(dated, tmp_path / "out", method("line", size=100), "line(size=100)", as_of="2016-06-01")
    chunks = load(tmp_path / "out")
    assert not chunks.dated
    assert chunks.about.title == "Invented parks, cut by line(size=100), as of 2016-06-01"
    cut = list(chunks.provisions(["parks-1", "parks-2", "parks-3", "fees-1", "fees-2", "fees-7"]).values())
    assert [(one.doc_id, one.effective_from) for one in cut] == [
        ("parks-1", "2015-07-01"),
        ("parks-2", "2010-01-01"),
        ("parks-3", "2010-01-01"),
        ("fees-1", "2016-01-01"),
        ("fees-2", "2012-01-01"),
    ]
    assert report.loss.provisions == len(cut)
    # The version of lead-2016 has become its key; lead-2021 is judged by the same version.
    assert [docno for _, docno, _ in chunks.judgements()] == ["parks-1", "parks-1", "parks-1", "parks-3"]
    assert {*chunks.links()} == {("parks-chunk-1", "fees-chunk-0", "cites"), ("fees-chunk-1", "parks-chunk-0", "cites")}
    assert check(tmp_path / "out").faults == []


def test_versions_need_a_day_and_only_versions(tmp_path, laws) -> None:
    dated = load(write_dated(tmp_path / "dated"))
    for dataset, day, words in (
        (dated, None, "holds versions of provisions"),
        (laws, "2020-01-01", "holds no versions"),
        (dated, "1999-01-01", "in force on 1999-01-01"),
    ):
        with pytest.raises(DataError, match=words):
            write_chunks(dataset, tmp_path / "out", method("article"), "article", as_of=day)
    with pytest.raises(ComponentError, match="is not a date"):
        write_chunks(dated, tmp_path / "out", method("article"), "article", as_of="2020-02-31")
