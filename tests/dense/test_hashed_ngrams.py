"""Hashed n-grams, held against their definition in whole numbers."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from static_material import TEXTS

from legalir.analysis.ngrams import decompose
from legalir.analysis.text import words
from legalir.dense import hashed_ngrams as module
from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.errors import ComponentError

M = 0x9E3779B97F4A7C15
KINDS: list[dict[str, Any]] = [
    {},
    {"rows": 2**17, "char": (1, 2, 3, 4), "words": False},
    {"char": (), "words": True, "rows": 50},
    {"char": (2, 3), "edges": True, "rows": 1000},
    {"char": (), "jamo": (1, 3, 5), "rows": 2**24},
    {"char": (3,), "jamo": (2, 4), "edges": True, "max_characters": None},
]


def mix(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def row(state: int, tag: int, rows: int) -> int:
    return (mix((state + tag * M) % 2**64) >> 32) * rows >> 32


def windows(word: str, n: int, edges: bool) -> list[list[int]]:
    """Return the n-grams of a word as code points, 0 for a gap."""
    codes = [ord(c) for c in word]
    found = [codes[i : i + n] for i in range(len(codes) - n + 1)]
    if edges and n == 2:
        return [[0, codes[0]], *found, [codes[-1], 0]]
    if edges and n > 2:
        inner = n - 2
        padded = [0, *codes, 0]
        return [padded[i : i + n] for i in range(len(padded) - n + 1)] if len(codes) >= inner else []
    return found


def by_definition(ngrams: HashedNGrams, text: str) -> Counter[int]:
    counts: Counter[int] = Counter()
    for word in words(ngrams.normalized(text)):
        for n in ngrams.char:
            for codes in windows(word, n, ngrams.edges):
                counts[row(state(codes), n, ngrams.rows)] += 1
        for n in ngrams.jamo:
            for codes in windows(decompose(word), n, ngrams.edges):
                counts[row(state(codes), 64 + n, ngrams.rows)] += 1
        if ngrams.words:
            total = sum(mix((ord(c) * M + i) % 2**64) for i, c in enumerate(word))
            counts[row(total, 255, ngrams.rows)] += 1
    return counts


def state(codes: list[int]) -> int:
    value = codes[0] * M % 2**64
    for code in codes[1:]:
        value = (mix(value) + code) % 2**64
    return value


def counted(ngrams: HashedNGrams, texts: list[str]) -> list[Counter[int]]:
    found = ngrams.features(texts)
    assert (found.indptr.dtype, found.rows.dtype, found.counts.dtype) == (np.int64, np.int32, np.float32)
    assert len(found.indptr) == len(texts) + 1
    out = []
    for begin, end in zip(found.indptr, found.indptr[1:], strict=False):
        rows = found.rows[begin:end]
        assert (np.diff(rows) > 0).all()
        out.append(Counter({int(r): int(n) for r, n in zip(rows, found.counts[begin:end], strict=True)}))
    return out


def test_the_mix_is_that_of_splitmix64() -> None:
    # The first number of SplitMix64 with seed 0, as its authors' splitmix64.c prints it, is mix(0 + M).
    assert mix(M) == 0xE220A8397B1DCDAF
    assert int(module._mix(np.array([M], dtype=np.uint64))[0]) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("options", KINDS)
def test_features_are_those_of_the_definition(options: dict[str, Any]) -> None:
    ngrams = HashedNGrams(**options)
    assert counted(ngrams, TEXTS) == [by_definition(ngrams, text) for text in TEXTS]


@given(st.lists(st.text(alphabet="가각나 aB·ㆍก็́ßİ\n\x00_9𐐀", max_size=12), max_size=5))
def test_any_texts_have_the_features_of_the_definition(texts: list[str]) -> None:
    for options in KINDS:
        ngrams = HashedNGrams(**options)
        assert counted(ngrams, texts) == [by_definition(ngrams, text) for text in texts]


@pytest.mark.parametrize("options", [{"char": (8,)}, {"char": (), "jamo": (8,)}, {"char": (3,), "edges": True}])
def test_texts_too_short_for_any_ngram_have_no_features(options: dict[str, Any]) -> None:
    ngrams = HashedNGrams(words=False, **options)
    assert counted(ngrams, [""]) == [Counter()]
    assert counted(ngrams, ["가", ""]) == [by_definition(ngrams, "가"), Counter()]


def test_where_texts_are_cut_into_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = TEXTS * 50
    whole = HashedNGrams().features(texts)
    monkeypatch.setattr(module, "_BLOCK", 30)
    for one, other in zip(whole, HashedNGrams().features(texts), strict=True):
        np.testing.assert_array_equal(one, other)


def test_many_texts_and_rows_need_wider_keys() -> None:
    ngrams = HashedNGrams(rows=2**24)  # 24 bits of a row and 9 of a text are more than 32.
    texts = ["등대", "등불"] * 200
    assert counted(ngrams, texts) == [by_definition(ngrams, text) for text in texts]


def test_composed_and_decomposed_texts_and_other_cases_are_one() -> None:
    for text in TEXTS:
        for other in (unicodedata.normalize("NFD", text), text.upper(), text.replace("·", "ㆍ")):
            assert counted(HashedNGrams(), [text]) == counted(HashedNGrams(), [other])


def test_what_comes_after_the_last_character_is_not_read() -> None:
    assert counted(HashedNGrams(max_characters=2), ["등대 관리인"]) == counted(HashedNGrams(), ["등대"])
    assert counted(HashedNGrams(max_characters=2), ["ab cd"]) == counted(HashedNGrams(), ["AB"])
    assert counted(HashedNGrams(), ["a" * 2000]) == counted(HashedNGrams(max_characters=None), ["a" * 1000])


def test_parameters_come_back_from_json_values() -> None:
    for options in KINDS:
        ngrams = HashedNGrams(**options)
        assert HashedNGrams.from_dict(ngrams.to_dict()) == ngrams
        assert HashedNGrams.from_dict(ngrams.to_dict()).fingerprint == ngrams.fingerprint
    assert len({HashedNGrams(**options).fingerprint for options in KINDS}) == len(KINDS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"char": (0,)}, "char"),
        ({"char": 2}, "char"),
        ({"jamo": (9,)}, "jamo"),
        ({"words": 1}, "words"),
        ({"edges": "no"}, "edges"),
        ({"rows": 0}, "rows"),
        ({"rows": 2**24 + 1}, "rows"),
        ({"rows": True}, "rows"),
        ({"max_characters": 0}, "max_characters"),
        ({"char": (), "words": False}, "nothing is read"),
        ({"bytes": 3}, "no parameter 'bytes'"),
    ],
)
def test_wrong_parameters(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ComponentError, match=said):
        HashedNGrams.from_dict(options)
