"""The bundled yes/no questions stay a fair test: true to one provision, balanced, not to be guessed from their words.

The same file checks the citations of the reference answers to the open questions.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest

import legalir
from legalir import datasets
from legalir.datasets import Provision, StatuteDataset

FIELDS = ["qid", "query", "options", "key", "documents", "explanation"]
FIELDS_OF_OPEN_QUESTIONS = ["qid", "query", "answer", "answer_citations"]
YES = 1
GUESSED = 0.65
"""Highest accuracy that a rule may have that reads the question alone."""


@pytest.fixture(scope="module")
def yesno() -> StatuteDataset:
    return datasets.load("legalir/firecode/yesno")


@pytest.fixture(scope="module")
def items(yesno: StatuteDataset) -> list[dict]:
    lines = (yesno.folder.root / "queries.yesno.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def provisions(yesno: StatuteDataset) -> dict[str, Provision]:
    return {provision.doc_id: provision for provision in yesno.docs()}


def test_half_of_the_answers_are_yes(items: list[dict]) -> None:
    assert Counter(item["key"] for item in items) == {1: 60, 2: 60}


def test_fields(items: list[dict]) -> None:
    assert [item["qid"] for item in items] == [f"yn{number:03d}" for number in range(1, 121)]
    for item in items:
        assert list(item) == FIELDS
        assert item["options"] == ["예", "아니요"]
        assert [type(docno) for docno in item["documents"]] == [str]
        for text in (item["query"], item["explanation"]):
            assert unicodedata.is_normalized("NFC", text)
            assert text.strip() == text
            assert "  " not in text


def test_each_question_has_a_provision_in_force(items: list[dict], provisions: dict[str, Provision]) -> None:
    asked = [provisions[docno] for item in items for docno in item["documents"]]
    assert all(not provision.effective_to for provision in asked)
    assert all(provision.heading not in {"목적", "적용범위", "적용 범위"} for provision in asked)


def test_questions_cover_the_instruments_in_force(items: list[dict], provisions: dict[str, Provision]) -> None:
    asked = {docno for item in items for docno in item["documents"]}
    assert len(asked) >= 80
    in_force = {provision.law for provision in provisions.values() if not provision.effective_to}
    # Both answers occur with each instrument: its name alone decides nothing.
    for key in (1, 2):
        assert {provisions[item["documents"][0]].law for item in items if item["key"] == key} == in_force


def test_judgements_are_the_documents(yesno: StatuteDataset, items: list[dict]) -> None:
    judged = [(row.qid, row.docno, row.label) for row in yesno.judgements()]
    assert judged == [(item["qid"], docno, 1) for item in items for docno in item["documents"]]


def test_the_split_as_a_collection(items: list[dict]) -> None:
    topics = legalir.Collection("legalir/firecode/yesno").topics()
    assert list(topics.columns) == FIELDS
    assert topics.to_dict("records") == items


def test_texts_differ(items: list[dict], yesno: StatuteDataset) -> None:
    open_questions = list(datasets.load(yesno.base_id).topics()["query"])
    pairs = {text: _pairs(text) for text in [item["query"] for item in items] + open_questions}
    assert len(pairs) == len(items) + len(open_questions)
    for item in items:
        for text, other in pairs.items():
            shared = pairs[item["query"]]
            assert text == item["query"] or len(shared & other) / len(shared | other) < 0.5, (item["query"], text)
    assert len({item["explanation"] for item in items}) == len(items)


def test_questions_are_questions_of_a_person(items: list[dict]) -> None:
    for item in items:
        query = item["query"]
        assert 30 <= len(query) <= 90
        assert re.search(r"(나요|까요|가요|니까)\?$", query), query
        # No number of a provision, and no word about the text that the question was written from.
        assert not re.search(r"제\s?\d+(조|항|호)|별표|별지", query)
        assert not re.search(r"조문|조항|본문|위 글|문서|지문|법령|시행령|시행규칙|기술기준|FTS", query)
        # Words that tell the answer of many such questions.
        assert not re.search(r"반드시|절대|무조건|아예|전혀|꼭|오직|무려", query), query


def test_an_explanation_is_one_sentence(items: list[dict]) -> None:
    for item in items:
        assert 15 <= len(item["explanation"]) <= 120
        assert re.fullmatch(r"[^?!]*다\.", item["explanation"])
        assert item["explanation"].count("다. ") == 0
        assert not re.search(r"제\s?\d+(조|항|호)", item["explanation"])


def test_numbers_of_an_explanation_are_in_the_provision(items: list[dict], provisions: dict[str, Provision]) -> None:
    for item in items:
        known = _numbers(item["query"]).union(*(_numbers(provisions[docno].text) for docno in item["documents"]))
        assert _numbers(item["explanation"]) <= known, item["qid"]


def test_answers_are_mixed_in_the_file(items: list[dict]) -> None:
    keys = [item["key"] for item in items]
    assert max(len(list(run)) for _, run in itertools.groupby(keys)) <= 6
    assert 24 <= keys[:60].count(YES) <= 36


def test_endings_do_not_tell_the_answer(items: list[dict]) -> None:
    """Duty (야 하나요), permission (도 되나요), possibility (수 있나요), fact (인가요): each has both answers."""
    for ending in ("야 (하나요|합니까)", "도 (되나요|괜찮습니까)", "수 있(나요|습니까)", "(인가요|건가요|맞나요)"):
        counts = Counter(item["key"] for item in items if re.search(ending + r"\?$", item["query"]))
        assert min(counts[1], counts[2]) >= 0.35 * counts.total(), (ending, counts)


@pytest.mark.parametrize("read", ["pairs", "words"])
def test_words_do_not_tell_the_answer(items: list[dict], read: str) -> None:
    features = {"pairs": _pairs, "words": lambda text: set(re.findall(r"\w+", text))}[read]
    assert _cross_validated([features(item["query"]) for item in items], [item["key"] for item in items]) <= GUESSED


def test_the_guess_from_words_finds_a_cue(items: list[dict]) -> None:
    # The check above can fail: one tell-tale word in the questions with the answer no is found.
    told = [_pairs(item["query"] + ("" if item["key"] == YES else " 반드시")) for item in items]
    assert _cross_validated(told, [item["key"] for item in items]) > GUESSED


@pytest.mark.parametrize(
    "size",
    [
        len,
        lambda text: sum(character.isdigit() for character in text),
        lambda text: text.count("도 "),
        lambda text: len(text.split()),
    ],
    ids=["characters", "digits", "particles", "words"],
)
def test_no_threshold_tells_the_answer(items: list[dict], size: Callable[[str], int]) -> None:
    sizes = np.array([size(item["query"]) for item in items])
    yes = np.array([item["key"] for item in items]) == YES
    accuracies = [np.mean((sizes >= threshold) == yes) for threshold in range(sizes.max() + 2)]
    assert max(max(accuracies), 1 - min(accuracies)) <= GUESSED


def test_citations_of_the_reference_answers() -> None:
    """Each answer rests on some of the provisions that were judged for its question."""
    firecode = datasets.load("legalir/firecode")
    gold: dict[str, set[str]] = {}
    for row in firecode.judgements():
        gold.setdefault(row.qid, set()).add(row.docno)
    topics = firecode.topics()
    assert list(topics.columns) == FIELDS_OF_OPEN_QUESTIONS
    for qid, citations in topics[["qid", "answer_citations"]].itertuples(index=False):
        assert citations, qid
        assert len(set(citations)) == len(citations), qid
        assert set(citations) <= gold[qid], qid
    citations_of = dict(zip(topics["qid"], topics["answer_citations"], strict=True))
    uncited = {qid: docnos - set(citations_of[qid]) for qid, docnos in gold.items()}
    assert {qid: docnos for qid, docnos in uncited.items() if docnos} == UNSTATED


UNSTATED = {
    "fc007": {"decree-18"},
    "fc023": {"act-25"},
    "fc027": {"decree-28"},
    "fc040": {"act-31"},
    "fc052": {"act-46", "decree-40"},
    "fc060": {"act-49"},
    "fc075": {"vact-10"},
    "fc077": {"vdecree-7"},
    "fc082": {"vact-10"},
    "fc083": {"vact-22"},
    "fc092": {"vdecree-4"},
    "fc102": {"vact-7"},
    "fc104": {"act-47"},
}
"""Judged provisions that no statement of the answer rests on: they say why a rule applies, or who may make it."""


COMPUTED = {
    "fc003": {58.8},
    "fc004": {70.8},
    "fc015": {41},
    "fc023": {112},
    "fc024": {300},
    "fc042": {750},
    "fc053": {3, 9_520},
    "fc064": {1.08},
    "fc068": {90, 9_900_000},
    "fc081": {1},
    "fc083": {5_330_000},
    "fc094": {84},
    "fc107": {15},
    "fc114": {5.4, 6},
}
"""What answers compute from the numbers of the question and of the provisions; in fc081, *1회* for *한 번*."""


def test_numbers_of_an_answer_are_in_what_it_cites() -> None:
    """Each number that an answer states is in a provision that it cites, or in the question, or computed."""
    firecode = datasets.load("legalir/firecode")
    texts = {provision.doc_id: provision.text for provision in firecode.docs()}
    added = {
        qid: _numbers(answer) - _numbers(query).union(*(_numbers(texts[docno]) for docno in citations))
        for qid, query, answer, citations in firecode.topics()[FIELDS_OF_OPEN_QUESTIONS].itertuples(index=False)
    }
    assert {qid: numbers for qid, numbers in added.items() if numbers} == COMPUTED


def _numbers(text: str) -> set[float]:
    """Return the numbers of a text, with thousands written ``2,500``, ``2천5백`` or ``2천500``."""
    units = {"만": 10_000, "천": 1_000, "백": 100, "": 1}
    found = set()
    for number in re.findall(r"(?:\d+(?:,\d{3})*(?:\.\d+)?(?:만(?! )|[천백])?)+", text):
        value = part = 0.0
        for digits, unit in re.findall(r"([\d,.]+)([만천백]?)", number):
            if unit == "만":
                value, part = (value + part + float(digits.replace(",", ""))) * units[unit], 0.0
            else:
                part += float(digits.replace(",", "")) * units[unit]
        found.add(value + part)
    return found


def test_numbers_are_read_as_they_are_written() -> None:
    assert _numbers("2천5백㎡와 1천200만원, 2만5천제곱미터, 0.12MPa, 100분의 80만 잰다") == {
        *(2_500, 12_000_000, 25_000, 0.12, 100, 80)
    }


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}


def _cross_validated(features: Sequence[Iterable[str]], keys: Sequence[int], folds: int = 10, seed: int = 7) -> float:
    """Return the accuracy of multinomial naive Bayes with add-one smoothing, each item guessed from the other folds."""
    order = list(range(len(keys)))
    random.Random(seed).shuffle(order)
    right = 0
    for fold in range(folds):
        held_out = order[fold::folds]
        counts = {key: Counter[str]() for key in sorted(set(keys))}
        sizes = Counter[int]()
        for place in set(order) - set(held_out):
            counts[keys[place]].update(features[place])
            sizes[keys[place]] += 1
        known = len(set().union(*counts.values()))
        for place in held_out:
            scores = {
                key: math.log(sizes[key])
                + sum(math.log((count[feature] + 1) / (count.total() + known)) for feature in features[place])
                for key, count in counts.items()
            }
            right += max(scores, key=scores.__getitem__) == keys[place]
    return right / len(keys)
