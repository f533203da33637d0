"""Which documents are found, in which order, and that no character means anything to Lucene."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from conftest import Make

from legalir_lucene import Lucene, LuceneIndex, writing
from legalir_lucene.terms import LONGEST, encode

ODD = [
    "", " ", "a b", "a", "b", "a|2", "a|", "|", "%", "%20", "%25", "%#", "A", "\t", "\u3000", "\u00a0",
    "\ufeff", "\x00", "\ud800", "😀", "가나", "AND", "OR", "a:b", "terms:a", "a^2", "a*", "a~", '"a b"', "(", "\\",
    "x" * 300, "x" * LONGEST, "x" * (LONGEST + 1), "x" * (LONGEST + 2), "한" * 20_000,
]  # fmt: skip


class Lines:
    """An analyzer whose terms are lines of text: anything but a line feed."""

    name = "lines"
    fingerprint = "0" * 64

    def terms(self, text: str) -> list[str]:
        return text.split("\n")


def test_any_string_can_be_a_term(tmp_path: Path) -> None:
    index = LuceneIndex(tmp_path / "odd", analyzer=Lines())
    index.index({"docno": f"d{place:02d}", "text": term} for place, term in enumerate(ODD))
    # With a term that no document has: a question of white space alone is not asked.
    asked = {"qid": [str(place) for place in range(len(ODD))], "query": [f"nowhere\n{term}" for term in ODD]}
    found = Lucene(index).transform(pd.DataFrame(asked, dtype=object))
    assert found["qid"].tolist() == [str(place) for place in range(len(ODD))]
    assert found["docno"].tolist() == [f"d{place:02d}" for place in range(len(ODD))]


def test_terms_can_be_read_back() -> None:
    draw = random.Random(0)
    for _ in range(3000):
        term = "".join(
            chr(draw.choice([draw.randrange(256), draw.randrange(0x3100), draw.randrange(0x110000)])) for _ in "123"
        )
        encoded = encode(term)
        assert unquote(encoded, errors="surrogatepass") == term
        assert not set(encoded) & {" ", "|"} and len(encoded.split()) == 1
    assert len({encode(term) for term in ODD}) == len(ODD)


def test_punctuation_is_no_query_language(make: Make) -> None:
    words = [
        "+a",
        "-a",
        "a*",
        "a?",
        "a~1",
        "a^2",
        '"a',
        "(a",
        "a)",
        "terms:a",
        "[a",
        "{a}",
        "/a/",
        "a\\",
        "&&a",
        "a",
        "and",
        "not",
    ]
    system = make({f"d-{place:02d}": word for place, word in enumerate(words)}).pipeline(
        'lucene(analyzer="whitespace")'
    )
    for place, word in enumerate(words):
        assert system.search(word)["docno"].tolist() == [f"d-{place:02d}"]
    # One document has each, all of one length: what the query has twice comes first.
    assert system.search("(a NOT a) AND /a/ NOT +a")["docno"].tolist() == [
        "d-17",
        "d-00",
        "d-07",
        "d-08",
        "d-12",
        "d-16",
    ]


@pytest.mark.parametrize("buffer", [64.0, 0.2])
def test_ties_are_cut_by_docno(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: float) -> None:
    # More than the 1000 hits after which Lucene prunes, in many segments with the small buffer.
    monkeypatch.setattr(writing, "_BUFFER_MEGABYTES", buffer)
    docnos = [f"d-{number}" for number in range(2500)] + ["가", "😀", "\uffee"]
    random.Random(1).shuffle(docnos)
    index = LuceneIndex(tmp_path / "tied", analyzer="whitespace").index(
        {"docno": docno, "text": "문 창"} for docno in docnos
    )
    found = Lucene(index, num_results=2400).search("문")
    assert found["docno"].tolist() == sorted(docnos)[:2400]
    assert found["score"].nunique() == 1
    assert Lucene(index, num_results=7).search("창 문")["docno"].tolist() == sorted(docnos)[:7]
    assert Lucene(index, num_results=9999).search("창")["docno"].tolist() == sorted(docnos)


def test_a_batch_is_answered_as_each_alone(make: Make) -> None:
    words = [f"말{number}" for number in range(30)]
    draw = random.Random(3)
    texts = {f"d-{number}": " ".join(draw.choices(words, k=50)) for number in range(200)}
    system = make(texts).pipeline('lucene(analyzer="whitespace") % 20')
    queries = pd.DataFrame(
        {"qid": [str(number) for number in range(60)], "query": [" ".join(draw.choices(words, k=8)) for _ in range(60)]}
    )
    batch = system.transform(queries)
    alone = pd.concat([system.transform(queries.iloc[[place]]) for place in range(60)], ignore_index=True)
    pd.testing.assert_frame_equal(batch, alone)
    assert len(batch) == 1200


def test_a_query_of_more_terms_than_lucene_allows_by_default(make: Make) -> None:
    collection = make({"d-1": " ".join(f"w{number}" for number in range(5000))})
    found = collection.pipeline('lucene(analyzer="whitespace")').search(
        " ".join(f"w{number}" for number in range(9000))
    )
    assert found["docno"].tolist() == ["d-1"]


def test_an_empty_collection(tmp_path: Path) -> None:
    index = LuceneIndex(tmp_path / "none", analyzer="whitespace").index([])
    assert Lucene(index).search("문").empty
    assert len(index) == 0
