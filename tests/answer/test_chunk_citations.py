"""Answers over a chunk collection: citations and quotations name provisions, in `quote` and in `answer`."""

from __future__ import annotations

import json
import re

import pytest
from scripted import Scripted

import legalir
from legalir.answer.generator import Answer, citing_provisions
from legalir.chunks.chunk_collection import method, write_chunks
from legalir.datasets.chunks import ChunkMap
from legalir.datasets.readers import Holding
from legalir.datasets.records import Provision
from legalir.llm.client import Client

CHUNKS = ChunkMap([Holding("c1", "a", True, 5, 0), Holding("c1", "b", False, 3, 6), Holding("c2", "b", False, 4, 0)])


class Texts:
    """Texts of the chunks."""

    def provisions(self, docnos):
        records = {"c1": "가나다라마\n바사아", "c2": "자차카타"}
        return {docno: Provision(docno, text=records[docno]) for docno in docnos if docno in records}


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        ((("c1", "바사", "verified"),), (("b",), (("b", "바사", "verified"),))),
        ((("c1", "라마 바", "repaired"),), (("a", "b"), (("a", "라마 바", "repaired"),))),
        ((("c1", "하하", "not found"),), (("a",), (("a", "하하", "not found"),))),
        ((), (("a",), ())),
    ],
)
def test_quoted_words_decide_what_is_cited(quotes, expected) -> None:
    answer = citing_provisions(Answer("그렇다. [c1]", ("c1",), quotes, context_docnos=("c1",)), CHUNKS, Texts())
    assert (answer.citations, answer.quotes) == expected
    assert answer.text == "그렇다. " + "".join(f"[{docno}]" for docno in expected[0])
    assert answer.context_docnos == ("c1",)


def test_part_of_a_provision_is_cited_where_a_chunk_holds_no_whole_one() -> None:
    answer = citing_provisions(Answer("[c2] [x]", ("c2", "x")), CHUNKS, Texts())
    assert (answer.citations, answer.text) == (("b", "x"), "[b] [x]")


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chunks")
    write_chunks(legalir.Collection("legalir/firecode").source, folder / "lines", method("line", size=553), "line")
    return legalir.Collection(folder / "lines", cache=folder / "cache")


def test_quote_cites_provisions(collection) -> None:
    answer = collection.answer("무창층의 기준은?", "bm25 % 3 >> quote")
    provisions = collection.provisions(answer.citations)
    assert len(provisions) == len(answer.citations) > 0
    assert not any("-chunk-" in docno for docno in answer.citations)
    for docno, words, state in answer.quotes:
        bare = "".join((provisions[docno].title + provisions[docno].text).split())
        assert (state, "".join(words.split()) in bare) == ("verified", True)


def test_answer_cites_the_provision_that_holds_the_quoted_words(collection) -> None:
    def reply(request):
        first = re.search(r"^\[1[^]]*\] (.*)$", request.messages[-1][1], re.M)[1]
        statement = {"text": "그렇다.", "citations": [{"provision": 1, "quote": first[-12:]}]}
        return json.dumps({"can_answer": True, "reason": "", "statements": [statement]}, ensure_ascii=False)

    asked = legalir.Collection(collection.id, cache=collection.cache, client=Client(Scripted(reply)))
    answer = asked.answer("무창층의 기준은?", "bm25 % 1 >> answer(links=False)")
    last = collection.chunks[answer.context_docnos[0]][-1].provision
    assert answer.citations == (last,)
    assert answer.text == f"그렇다. [{last}]"
    assert [(docno, state) for docno, _, state in answer.quotes] == [(last, "verified")]


def test_an_experiment_on_answers_from_chunks(collection) -> None:
    definition = {
        "dataset": collection.id + "/test",
        "measures": ["CitationR", "Ungrounded", "R@3"],
        "systems": {"quote": "bm25 % 3 >> quote"},
    }
    table = legalir.experiment(definition, latency_queries=0).table
    assert table["Ungrounded"].iloc[0] == 0
    assert 0 < table["CitationR"].iloc[0] < 1
