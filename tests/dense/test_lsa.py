"""LSA against its definition in plain numpy."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from legalir.analysis.analyzer import get_analyzer
from legalir.dense.encoders import get_encoder
from legalir.dense.lsa import LSA
from legalir.errors import AnalyzerError, ArtifactError
from legalir.lexical.sparse import SparseIndex
from legalir.storage.arrays import load_array

TEXTS = [
    "무창층의 개구부 면적",
    "지하층 또는 무창층에 스프링클러를 설치한다",
    "스프링클러설비의 설치 기준",
    "관계인은 소방시설을 유지한다 소방시설",
    "โทษประหารชีวิต",
    "",
    "「」…",
    "무창층의 개구부 면적",
    "소방시설의 설치 유지",
]


def postings(path: Path, analyzer: str = "whitespace", texts: list[str] = TEXTS) -> SparseIndex:
    documents = [{"docno": str(number), "text": text} for number, text in enumerate(texts)]
    return SparseIndex(path, analyzer).index(documents)


def random_texts(count: int) -> list[str]:
    """Return texts over a vocabulary with a few common and many rare words."""
    source = random.Random(11)
    words = [
        "무창층의",
        "개구부",
        "면적",
        "설치",
        "소방시설",
        "기준",
        "법령",
        "제조",
        "항",
        "층",
        "유지한다",
        "관계인은",
    ]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    return [" ".join(source.choices(words, weights, k=source.randint(2, 9))) for _ in range(count)]


def tfidf(texts: list[str], analyzer: str, of: list[str]) -> np.ndarray:
    """Return TF-IDF vectors of length 1 over the terms of `of`, from the formula."""
    terms = get_analyzer(analyzer).terms
    df = Counter(term for text in of for term in set(terms(text)))
    rows = []
    for text in texts:
        tf = Counter(terms(text))
        row = np.array(
            [
                (1 + math.log(tf[t])) * math.log(1 + (len(of) - df[t] + 0.5) / (df[t] + 0.5)) if tf[t] else 0.0
                for t in sorted(df)
            ]
        )
        rows.append(row / (np.linalg.norm(row) or 1))
    return np.array(rows)


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a / np.maximum(np.linalg.norm(a, axis=1, keepdims=True), 1e-12)) @ (
        b / np.maximum(np.linalg.norm(b, axis=1, keepdims=True), 1e-12)
    ).T


@pytest.mark.parametrize("analyzer", ["whitespace", "jamo3"])
@pytest.mark.parametrize("dimensions", [2, 4, 256])
def test_vectors_are_projections_on_the_main_directions(tmp_path: Path, analyzer: str, dimensions: int) -> None:
    texts = [*TEXTS, *random_texts(20)]
    fitted, vectors = LSA(analyzer, dimensions).fit(postings(tmp_path / "index", analyzer, texts))
    matrix = tfidf(texts, analyzer, texts)
    _, values, right = np.linalg.svd(matrix, full_matrices=False)
    assert dimensions > len(values) or values[dimensions - 1] > 1.01 * values[dimensions], "no direction is cut in two"
    main = right[: min(dimensions, int((values > 1e-3 * values[0]).sum()))].T
    assert vectors.shape == (len(texts), main.shape[1])
    queries = ["무창층 설치", "소방시설 소방시설 소방시설 없는말", "스프링클러를"]
    # The Thai text shares no term with others: it lies in no dimension, and not in the noise of one.
    expected = cosines(tfidf(queries, analyzer, texts) @ main, matrix @ main)
    np.testing.assert_allclose(fitted.encode_queries(queries) @ vectors.T, expected, atol=1e-3)


def test_documents_are_encoded_as_they_were_stored(tmp_path: Path) -> None:
    fitted, vectors = LSA("jamo3", 4).fit(postings(tmp_path / "index", "jamo3"))
    np.testing.assert_allclose(fitted.encode(TEXTS), vectors, atol=1e-6)
    lengths = np.linalg.norm(vectors, axis=1)
    assert lengths[[5, 6]].tolist() == [0, 0]
    np.testing.assert_allclose(np.delete(lengths, [5, 6]), 1, atol=1e-6)


def test_a_text_has_the_same_vector_alone_and_among_others(tmp_path: Path) -> None:
    fitted, _ = LSA("jamo3", 4).fit(postings(tmp_path / "index", "jamo3"))
    together = fitted.encode([*TEXTS, "무창층"])
    for text, row in zip([*TEXTS, "무창층"], together, strict=True):
        assert fitted.encode([text])[0].tolist() == row.tolist()
    assert fitted.encode([]).shape == (0, fitted.components.shape[1])


def test_texts_without_a_known_term_are_zeros(tmp_path: Path) -> None:
    fitted, _ = LSA("whitespace", 4).fit(postings(tmp_path / "index"))
    assert not fitted.encode(["", "zebra", "?!", "\ud800"]).any()


def test_what_was_learnt_comes_back_from_disk(tmp_path: Path) -> None:
    encoder = LSA("jamo3", 3)
    fitted, _ = encoder.fit(postings(tmp_path / "index", "jamo3"))
    (tmp_path / "learnt").mkdir()
    fitted.save(tmp_path / "learnt")
    arrays = {path.name.removesuffix(".npy"): load_array(path) for path in (tmp_path / "learnt").iterdir()}
    assert all(name.startswith("encoder.") for name in arrays)
    restored = encoder.restore(arrays)
    assert restored.encode(TEXTS).tolist() == fitted.encode(TEXTS).tolist()
    assert (restored.name, restored.fingerprint) == ("lsa", encoder.fingerprint)


def test_contributions_of_terms_add_up_to_the_cosine(tmp_path: Path) -> None:
    fitted, vectors = LSA("jamo3", 4).fit(postings(tmp_path / "index", "jamo3"))
    for query in ("무창층 설치", "소방시설 소방시설 zebra", "zebra", ""):
        for row in vectors:
            parts = fitted.contributions(query, row)
            assert sum(parts.values()) == pytest.approx(float(fitted.encode_queries([query])[0] @ row), abs=1e-6)
    fitted, vectors = LSA("whitespace").fit(postings(tmp_path / "words"))
    assert set(fitted.contributions("무창층의 설치 zebra", vectors[0])) == {"무창층의", "설치"}


@pytest.mark.parametrize("texts", [[], [""], ["?!", ""]])
def test_a_collection_that_says_nothing(tmp_path: Path, texts: list[str]) -> None:
    fitted, vectors = LSA("whitespace").fit(postings(tmp_path / "index", "whitespace", texts))
    assert vectors.shape == (len(texts), 0)
    assert fitted.encode(["법"]).shape == (1, 0)
    assert fitted.contributions("법", vectors[0] if texts else np.zeros(0, dtype=np.float32)) == {}


def test_one_document(tmp_path: Path) -> None:
    fitted, vectors = LSA("whitespace").fit(postings(tmp_path / "index", "whitespace", ["법 령"]))
    assert np.abs(vectors).tolist() == [[1.0]]
    assert fitted.encode(["법"]) @ vectors.T == pytest.approx(1)


def test_terms_of_another_analyzer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"whitespace.*jamo3"):
        LSA("jamo3").fit(postings(tmp_path / "index"))


@pytest.mark.parametrize("dimensions", [0, -1, 2.5, True, "256", None])
def test_dimensions_are_checked(dimensions: object) -> None:
    with refused("lsa", "dimensions", dimensions):
        LSA(dimensions=dimensions)  # type: ignore[arg-type]


def test_an_unknown_analyzer_is_named() -> None:
    with pytest.raises(AnalyzerError, match="'jambo'"):
        LSA("jambo")


def test_an_encoder_is_found_by_its_name() -> None:
    assert get_encoder("lsa") == LSA()
    assert get_encoder("lsa", parameters={"analyzer": "whitespace", "dimensions": 3}) == LSA("whitespace", 3)
    chosen = LSA("whitespace")
    assert get_encoder(chosen) is chosen
