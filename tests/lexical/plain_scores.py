"""The formulas of terms once more, document by document in plain Python floats, from the formulas alone."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence

Terms = Callable[[str], list[str]]


def lucene_idf(n: int, df: int) -> float:
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def sklearn_idf(n: int, df: int) -> float:
    return math.log((1 + n) / (1 + df)) + 1


def frequencies(texts: Sequence[str], terms: Terms) -> tuple[list[Counter[str]], Counter[str]]:
    """Return term frequencies of each text, and document frequencies."""
    tf = [Counter(terms(text)) for text in texts]
    return tf, Counter(term for counts in tf for term in counts)


def bm25(texts: Sequence[str], query: str, terms: Terms, k1: float, b: float) -> list[float]:
    tf, df = frequencies(texts, terms)
    lengths = [counts.total() for counts in tf]
    mean = sum(lengths) / len(lengths)
    scores = []
    for counts, length in zip(tf, lengths, strict=True):
        score = 0.0
        for term, qtf in Counter(terms(query)).items():
            if term in counts:
                saturated = counts[term] / (counts[term] + k1 * (1 - b + b * length / mean))
                score += qtf * lucene_idf(len(texts), df[term]) * saturated
        scores.append(score)
    return scores


def log_likelihoods(texts: Sequence[str], query: dict[str, float], terms: Terms, mu: float) -> list[float]:
    """Return ``ln p(q|d) − ln p(q|C)`` of each text, from smoothed probabilities."""
    tf, _ = frequencies(texts, terms)
    cf: Counter[str] = sum(tf, Counter())
    found = []
    for counts in tf:
        score = 0.0
        for term, qtf in query.items():
            if p := cf[term] / cf.total():
                smoothed = (counts[term] + mu * p) / (counts.total() + mu)
                score += qtf * (math.log(smoothed) - math.log(p))
        found.append(score)
    return found


def tfidf(texts: Sequence[str], query: str, terms: Terms, idf: Callable[[int, int], float]) -> list[float]:
    tf, df = frequencies(texts, terms)

    def vector(counts: Counter[str]) -> dict[str, float]:
        raw = {t: (1 + math.log(c)) * idf(len(texts), df[t]) for t, c in counts.items() if t in df}
        norm = math.sqrt(sum(weight**2 for weight in raw.values()))
        return {term: weight / norm for term, weight in raw.items()}

    question = vector(Counter(terms(query)))
    documents = [vector(counts) for counts in tf]
    return [sum(weight * question.get(term, 0) for term, weight in document.items()) for document in documents]


def random_texts(seed: int, count: int, longest: int = 40) -> list[str]:
    """Return texts over a vocabulary with a few common and many rare words."""
    source = random.Random(seed)
    letters = "가나다라마바법령제조항무창층각ㆍ12aก消"
    words = ["".join(source.choices(letters, k=source.randint(1, 4))) for _ in range(60)]
    weights = [1 / rank for rank in range(1, 61)]
    return [" ".join(source.choices(words, weights, k=source.randint(0, longest))) for _ in range(count)]
