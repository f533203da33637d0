from __future__ import annotations

import json
import math
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import SENTENCES, minilm_folder, write_m3, write_qwen, write_sentence

from legalir.errors import AnalyzerError, ComponentError, MeasureError, MissingExtra
from legalir.measure.overlap import BertScore, Overlap, Rouge, bert_overlap, rouge_l, rouge_n

REFERENCE = "소방시설을 설치해야 한다"
ANSWER = "소방시설을 반드시 설치해야 한다"
TERMS = st.lists(st.sampled_from("abc"), max_size=7)


def test_worked_values_on_words_between_spaces() -> None:
    rouge = Rouge()
    assert rouge.analyzer.name == "whitespace"
    assert rouge.score(ANSWER, REFERENCE, 1) == pytest.approx((3 / 4, 1, 6 / 7))
    assert rouge.score(ANSWER, REFERENCE, "L") == pytest.approx((3 / 4, 1, 6 / 7))
    assert rouge.score(ANSWER, REFERENCE, 2) == pytest.approx((1 / 3, 1 / 2, 2 / 5))  # "설치해야 한다" alone


@pytest.mark.parametrize("analyzer", ["whitespace", "word", "char2", "jamo3"])
def test_equal_korean_sentences_score_1_by_every_analyzer(analyzer: str) -> None:
    """The usual package, which keeps a-z and 0-9 alone, gives 0 here."""
    for kind in (1, 2, "L"):
        assert Rouge(analyzer).score(REFERENCE, REFERENCE, kind) == (1, 1, 1)


@given(TERMS, TERMS, st.integers(1, 3))
def test_rouge_n_as_counted_by_hand(answer: list[str], reference: list[str], n: int) -> None:
    ours = [tuple(answer[i : i + n]) for i in range(len(answer) - n + 1)]
    theirs = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    left, common = list(theirs), 0
    for gram in ours:
        if gram in left:
            left.remove(gram)
            common += 1
    assert_overlap(rouge_n(answer, reference, n), common, len(ours), len(theirs))


@given(TERMS, TERMS)
def test_rouge_l_by_trying_all_subsequences(answer: list[str], reference: list[str]) -> None:
    subsequences = {pick for size in range(len(reference) + 1) for pick in combinations(reference, size)}
    common = max(size for size in range(len(answer) + 1) for pick in combinations(answer, size) if pick in subsequences)
    assert_overlap(rouge_l(answer, reference), common, len(answer), len(reference))


def assert_overlap(overlap: Overlap, common: int, ours: int, theirs: int) -> None:
    if not theirs:
        assert all(map(math.isnan, overlap))
        return
    precision, recall = common / ours if ours else 0.0, common / theirs
    f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    assert overlap == pytest.approx((precision, recall, f1))


def test_an_empty_answer_scores_0_and_a_missing_reference_is_undefined() -> None:
    assert Rouge().score("", REFERENCE, 1) == (0, 0, 0)
    assert all(map(math.isnan, Rouge().score(ANSWER, "", "L")))
    assert all(map(math.isnan, Rouge().score(ANSWER, "한다", 2)))


def test_no_such_analyzer_or_kind() -> None:
    with pytest.raises(AnalyzerError, match="nowords"):
        Rouge("nowords")
    for kind in (0, "l"):
        with pytest.raises(ComponentError, match="ROUGE: kind="):
            Rouge().score(ANSWER, REFERENCE, kind)


def test_rapidfuzz_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    monkeypatch.delitem(sys.modules, "rapidfuzz.distance", raising=False)
    with pytest.raises(MissingExtra, match=r"\[answers\]"):
        rouge_l(["a"], ["a"])


def test_greedy_matching_by_hand() -> None:
    answer = np.array([[1, 0], [0, 2]], dtype=np.float32)
    reference = np.array([[3, 0], [1, 1], [-1, 0]], dtype=np.float32)
    every = [np.ones(2, dtype=bool), np.ones(3, dtype=bool)]
    # cosines: 1, √½, -1 and 0, √½, 0: rows have the maxima 1, √½; columns 1, √½, 0
    half = math.sqrt(0.5)
    p, r = (1 + half) / 2, (1 + half + 0) / 3
    assert bert_overlap(answer, reference, *every) == pytest.approx((p, r, 2 * p * r / (p + r)), abs=1e-6)
    # A token that is not in the mean can still be matched.
    marks = [np.array([False, True]), np.array([True, False, True])]
    assert bert_overlap(answer, reference, *marks)[:2] == pytest.approx((half, (1 + 0) / 2), abs=1e-6)


ANSWERS = [
    "The owner shall keep every exit door free of obstacles.",
    "Exit doors may be locked at night.",
    "관계인은 소방시설을 설치하여야 한다.",
    "Doors.",
]
REFERENCES = [SENTENCES[2], SENTENCES[2], SENTENCES[0], "Section 12(3) applies to storage of liquids."]
PUBLISHED = {
    6: [
        (0.988498, 0.921395, 0.953768),
        (0.564798, 0.458988, 0.506425),
        (0.852277, 0.763334, 0.805357),
        (0.129247, 0.076221, 0.095892),
    ],
    3: [
        (0.995468, 0.884641, 0.936788),
        (0.642411, 0.524671, 0.577602),
        (0.883077, 0.809131, 0.844489),
        (0.445053, 0.267424, 0.334096),
    ],
}
"""What bert-score 0.3.13 gives on all-MiniLM-L6-v2 by layer, without idf and rescaling, with transformers 5.23."""


@pytest.mark.neural
@pytest.mark.parametrize("layer", [6, 3, None])
def test_the_figures_of_the_reference_package(layer: int | None) -> None:
    scores = BertScore(minilm_folder(), layer, device="cpu").score(ANSWERS, REFERENCES)
    for ours, theirs in zip(scores, PUBLISHED[layer or 6], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-4)


@pytest.mark.neural
@pytest.mark.parametrize("write", [write_sentence, write_m3, write_qwen])
def test_a_plain_second_implementation(write: object, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = write(tmp_path / "model")  # type: ignore[operator]
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    texts = [*SENTENCES, "문"]
    pairs = list(zip(texts, [*texts[1:], texts[0]], strict=True))
    scores = BertScore(folder, layer=1, device="cpu").score([a for a, _ in pairs], [b for _, b in pairs])
    for pair, ours in zip(pairs, scores, strict=True):
        units, weights = [], []
        for text in pair:
            ids = tokenizer(text, return_tensors="pt")["input_ids"]
            with torch.no_grad():
                states = model(ids, output_hidden_states=True).hidden_states[1][0]
            units.append([[x / math.sqrt(sum(y * y for y in row)) for x in row] for row in states.tolist()])
            weights.append([token not in (tokenizer.cls_token_id, tokenizer.sep_token_id) for token in ids[0].tolist()])
        means = []
        for mine, other in ((0, 1), (1, 0)):
            best = [
                max(sum(x * y for x, y in zip(row, column, strict=True)) for column in units[other])
                for row, counts in zip(units[mine], weights[mine], strict=True)
                if counts
            ]
            means.append(sum(best) / len(best))
        p, r = means
        assert ours == pytest.approx((p, r, 2 * p * r / (p + r)), abs=1e-4)


@pytest.mark.neural
def test_what_bertscore_does_with_odd_texts(tmp_path: Path) -> None:
    folder = write_sentence(tmp_path / "model", max_length=16)
    score = BertScore(folder, device="cpu").score
    long = " ".join([SENTENCES[0]] * 50)  # far beyond the 16 tokens that the model reads
    same, empty, undefined, cut = score([SENTENCES[0], " ", "x", long], [SENTENCES[0], "x", "", long])
    assert same == pytest.approx((1, 1, 1), abs=1e-5)
    assert empty == (0, 0, 0)
    assert all(map(math.isnan, undefined))
    assert cut == pytest.approx((1, 1, 1), abs=1e-5)
    assert score([], []) == []
    # The score of a pair does not depend on the others.
    alone = score([SENTENCES[1]], [SENTENCES[4]])[0]
    assert score([long, SENTENCES[1]], ["x", SENTENCES[4]])[1] == pytest.approx(alone, abs=1e-5)
    with pytest.raises(MeasureError, match="2 answers and 1 references"):
        score(["a", "b"], ["a"])
    with pytest.raises(MeasureError, match=r"layer=3.*2"):
        BertScore(folder, layer=3, device="cpu").score(["a"], ["a"])
    with pytest.raises(ComponentError, match="layer=0"):
        BertScore(folder, layer=0)


@pytest.mark.neural
def test_a_model_that_marks_neither_beginning_nor_end(tmp_path: Path) -> None:
    folder = write_qwen(tmp_path / "model")
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    (folder / "tokenizer.json").write_text(json.dumps({**tokenizer, "post_processor": None}), encoding="utf-8")
    score = BertScore(folder, device="cpu").score
    assert all(map(math.isnan, score([""], [""])[0]))
    empty, same = score(["", "the"], ["the", "the"])
    assert empty == (0, 0, 0)
    assert same == pytest.approx((1, 1, 1), abs=1e-5)
