"""Qdrant's engine in this process: the ids and scores of legalir's own indexes, days, damage."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import Make

from legalir import Collection
from legalir.errors import ArtifactError, ComponentError, ExpressionError
from legalir.extend import IndexArtifact, MaxSim, building, dated, save_array, write_docnos
from legalir_qdrant import Qdrant, QdrantIndex
from legalir_qdrant.vectors import Multi

WORDS = [f"말{number}" for number in range(40)]


def random_texts(documents: int, dates: bool = False) -> dict[str, str]:
    draw = random.Random(5)
    names = [f"d{n // 4:03d}@20{n % 4 + 20}-01-01" if dates else f"d{n:03d}" for n in range(documents)]
    draw.shuffle(names)
    return {name: " ".join(draw.choices(WORDS, k=draw.randint(1, 30))) for name in names}


def questions(number: int = 12, **columns: list[Any]) -> pd.DataFrame:
    draw = random.Random(9)
    texts = [" ".join(draw.choices(WORDS, k=5)) for _ in range(number)]
    return pd.DataFrame({"qid": [str(n) for n in range(number)], "query": texts, **columns})


def with_fields(texts: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return rows with fields to filter by; no field is that of all."""
    laws, levels = ("Lamp Act", "Raft Act", "Raft Rules"), ("act", "decree", "rule", "")
    return {
        docno: {
            "text": text,
            "law": laws[n % 3],
            "level": levels[n % 4],
            "article": str(n),
            "heading": f"Part {n % 5} of seven",
            "colour": "red" if n % 2 else "blue",
        }
        for n, (docno, text) in enumerate(texts.items())
    }


FILTERS = [
    'law="Raft Act"',
    'law="raft act"|"Lamp Act", level!=act|rule',
    "level!=act",
    "article>=12, article<30",
    'heading~"part 3"',
    "colour=blue, heading!~4",
    "text~말7",
    "text!~말7, article=5|6|7",
    "docno=d004|d021",
    "",
    "law!~raft, effective_from>=2021",
    "level=act, level=decree",
]
"""One for each of the twelve questions; nothing passes the last."""


def agree(theirs: pd.DataFrame, ours: pd.DataFrame, tolerance: float = 2e-6) -> None:
    """Check that two results have the same documents with scores that differ by rounding alone."""
    assert len(theirs) == len(ours) > 0
    both = ours.merge(theirs, on=["qid", "docno"], suffixes=("", "_qdrant"), validate="1:1")
    assert len(both) == len(ours)
    np.testing.assert_allclose(both["score_qdrant"], both["score"], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("theirs", "ours", "dates"),
    [
        ("qdrant_dense(exact=True)", "lsa", True),
        ("qdrant_dense", "lsa", False),
        ('qdrant_sparse(analyzer="whitespace")', 'bm25(analyzer="whitespace")', True),
        ('qdrant_sparse(analyzer="char1", k1=1.5, b=0.75)', 'bm25(analyzer="char1", k1=1.5, b=0.75)', False),
    ],
)
def test_ids_and_scores_are_those_of_legalir(make: Make, theirs: str, ours: str, dates: bool) -> None:
    collection = make(random_texts(120, dates))
    asked = questions(as_of=["2021-07-01", "2023-07-01", ""] * 4) if dates else questions()
    agree(collection.pipeline(theirs).transform(asked), collection.pipeline(ours).transform(asked))


@pytest.mark.parametrize(
    ("theirs", "ours", "dates"),
    [
        ("qdrant_dense % 9", "lsa % 9", True),
        ('qdrant_sparse(analyzer="whitespace") % 4', 'bm25(analyzer="whitespace") % 4', False),
    ],
)
def test_filters(make: Make, monkeypatch: pytest.MonkeyPatch, theirs: str, ours: str, dates: bool) -> None:
    collection = make(with_fields(random_texts(120, dates)))
    filters = FILTERS if dates else [one.replace(", effective_from>=2021", "") for one in FILTERS]
    asked = questions(where=filters, as_of=["2021-07-01", "2023-07-01", ""] * 4)
    expected = collection.pipeline(ours).transform(asked)
    for most in (10_000, 5):  # Many more pass than numbers are passed on.
        monkeypatch.setattr("legalir.engine._MOST_AMONG", most)
        found = collection.pipeline(theirs).transform(asked)
        agree(found, expected)
        assert "11" not in {*found["qid"]}


def test_bm25_by_hand(make: Make) -> None:
    # 문 is in 1 of 2 documents: idf = ln(1 + 1.5/1.5) = ln 2; tf 2 of length 3, mean length 2, k1 = 1, b = 1.
    collection = make({"b": "창", "a": "문 문 창"})
    found = collection.pipeline('qdrant_sparse(analyzer="whitespace", k1=1, b=1)').search("문")
    assert found["docno"].tolist() == ["a"]
    assert found["score"].tolist() == [pytest.approx(np.log(2) * 2 / (2 + 3 / 2), rel=1e-6)]


def test_a_changed_collection_has_the_weights_of_a_fresh_one(make: Make) -> None:
    texts = random_texts(60)
    expressions = ('qdrant_sparse(analyzer="whitespace")', 'bm25(analyzer="whitespace")')
    make(texts).pipeline(expressions[0]).transform(questions())
    changed = make({**texts, "new": "말1 말2 말2"})
    agree(*(changed.pipeline(expression).transform(questions()) for expression in expressions))


def test_ties_are_cut_by_docno(make: Make) -> None:
    names = [f"d{number}" for number in range(90)]
    random.Random(1).shuffle(names)
    collection = make({**dict.fromkeys(names, "문 창"), "x": "벽"})
    for retriever in ('qdrant_sparse(analyzer="whitespace")', "qdrant_dense"):
        found = collection.pipeline(f"{retriever} % 7").search("문")
        assert found["docno"].tolist() == sorted(names)[:7]


class Tokens(IndexArtifact):
    """Multi-vectors as an M3 index holds them; the vectors of a question are those of its letters."""

    kind, version = "tokens", 1

    def __init__(self, path: Path, documents: list[tuple[str, np.ndarray]]) -> None:
        super().__init__(str(path))
        self.encoder = SimpleNamespace(model="none", fingerprint="0" * 64)
        if not self.built():
            with building(self.directory, self.kind, self.version) as (data, facts):
                names = [name for name, _ in documents]
                write_docnos(data, names)
                for _ in dated(({"docno": name} for name in names), data):
                    pass
                save_array(data / "multi.bounds.npy", np.cumsum([0, *(len(rows) for _, rows in documents)]))
                save_array(data / "multi.vectors.npy", np.concatenate([rows for _, rows in documents]))
                facts["documents"] = len(names)

    def represent_queries(self, texts: list[str], weights: dict[str, float]) -> Any:
        rows = [unit(np.random.default_rng(len(text)).normal(size=(len(text), 8))) for text in texts]
        return SimpleNamespace(multi_row=rows.__getitem__)


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_multi_vectors(make: Make, tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    texts = random_texts(120)
    rows = {name: unit(draw.normal(size=(int(draw.integers(0, 6)), 8)).reshape(-1, 8)) for name in texts}
    tokens = Tokens(tmp_path / "tokens", sorted(rows.items()))
    retriever = Qdrant(QdrantIndex(tmp_path / "index", Multi(tokens), make(texts)), exact=True)
    asked = questions()
    found = retriever.transform(asked)
    maxsim = MaxSim(tokens.arrays["multi.vectors"], tokens.arrays["multi.bounds"])
    numbers = np.array([number for number, name in enumerate(sorted(rows)) if len(rows[name])])
    vectors = [tokens.represent_queries([text], {}).multi_row(0) for text in asked["query"]]
    scores = maxsim.scores(vectors, numbers)
    expected = pd.DataFrame(
        {
            "qid": np.repeat(asked["qid"].to_numpy(), len(numbers)),
            "docno": np.tile(np.array(sorted(rows))[numbers], len(asked)),
            "score": scores.ravel(),
        }
    )
    agree(found, expected, 1e-5)


def test_reopened_by_another_object(make: Make) -> None:
    collection = make(random_texts(50))
    first = collection.pipeline("qdrant_dense").transform(questions())
    again = Collection(collection.source.id, cache=collection.cache.parents[1])
    for _ in range(2):
        pd.testing.assert_frame_equal(again.pipeline("qdrant_dense").transform(questions()), first)
    assert again.pipeline("qdrant_dense") == collection.pipeline("qdrant_dense") != again.pipeline("qdrant_dense % 3")


def test_a_path_of_its_own(make: Make, tmp_path: Path) -> None:
    collection = make(random_texts(20))
    collection.pipeline(f'qdrant_dense(path="{tmp_path / "elsewhere"}")').transform(questions())
    assert list((tmp_path / "elsewhere").glob("*/qdrant-1-dense-*/manifest.json"))
    assert not list(collection.cache.glob("qdrant-*"))


def test_damage_is_found(make: Make) -> None:
    collection = make(random_texts(20))
    collection.pipeline("qdrant_dense").transform(questions())
    (file,) = collection.cache.glob("qdrant-*/data-*/shard/segments/*/segment.json")
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(ArtifactError, match=r"segment\.json has \d+ bytes where \d+ were written"):
        collection.pipeline("qdrant_dense").transform(questions())
    file.unlink()
    with pytest.raises(ArtifactError, match=r"segment\.json"):
        collection.pipeline("qdrant_dense").transform(questions())


def test_of_another_corpus_or_another_encoder(make: Make, tmp_path: Path) -> None:
    retriever = make(random_texts(20)).pipeline("qdrant_dense")
    assert isinstance(retriever, Qdrant)
    retriever.transform(questions())
    other = make(random_texts(30), "other").pipeline("qdrant_dense")
    assert isinstance(other, Qdrant)
    stolen = QdrantIndex(retriever.index.path, other.index.vectors, other.index.collection)
    with pytest.raises(ArtifactError, match="was built for another corpus"):
        Qdrant(stolen).transform(questions())
    tokens = Tokens(tmp_path / "tokens", [("a", unit(np.ones((1, 8))))])
    with pytest.raises(ArtifactError, match=r"was built for another vectors \(dense\), not for multi"):
        len(QdrantIndex(retriever.index.path, Multi(tokens)))


def test_parameters(make: Make) -> None:
    collection = make({"a": "문"})
    for wrong in ("num_results=0", "ef=0", 'exact="yes"', 'tenant="x"', 'url="nowhere"'):
        with pytest.raises(ExpressionError, match="qdrant"):
            collection.pipeline(f"qdrant_dense({wrong})")
    for wrong in ("k1=-1", "b=2"):
        with pytest.raises(ExpressionError, match=f"qdrant_sparse: {wrong[:1]}"):
            collection.pipeline(f"qdrant_sparse({wrong})")
    with pytest.raises(ComponentError, match="qdrant_dense: the query 3"):
        collection.pipeline("qdrant_dense").transform(pd.DataFrame({"qid": ["1"], "query": [3]}))


def test_nothing_heavy_is_imported_before_the_first_question() -> None:
    code = "import legalir_qdrant, sys; print({'qdrant_client', 'qdrant_edge', 'torch'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
