"""The bundled multiple-choice items: each needs a provision and the one it cites, and none gives its answer away."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

import legalir
from legalir import datasets
from legalir.datasets import Provision, StatuteDataset

ABSTENTION = "주어진 정보만으로는 알 수 없다"

SINGLED_OUT = {
    "mh033",  # 20 years are the least common multiple of two periods; in the first provision, 20 is a day of a month.
}
"""Items whose right option is the only one with numbers of the first provision, by coincidence."""


class Item(NamedTuple):
    """One row of the query file."""

    qid: str
    query: str
    options: list[str]
    key: int
    abstain: int
    documents: list[str]
    explanation: str

    @property
    def answer(self) -> str:
        """The right option."""
        return self.options[self.key - 1]


@pytest.fixture(scope="module")
def multihop() -> StatuteDataset:
    return datasets.load("legalir/firecode/multihop")


@pytest.fixture(scope="module")
def items(multihop: StatuteDataset) -> list[Item]:
    path = multihop.folder.queries["multihop"]
    return [Item(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def provisions(multihop: StatuteDataset) -> dict[str, Provision]:
    return {provision.doc_id: provision for provision in multihop.docs()}


@pytest.fixture(scope="module")
def kinds(multihop: StatuteDataset) -> dict[tuple[str, str], str]:
    return {(source, target): kind for source, target, kind in multihop.links()}


def numbers(text: str) -> set[str]:
    """Return the numbers of a text as they are written, without the commas of thousands."""
    return set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text)))


def test_fields(items: list[Item]) -> None:
    assert len(items) >= 84
    assert [item.qid for item in items] == [f"mh{number:03d}" for number in range(1, len(items) + 1)]
    for item in items:
        texts = [item.query, item.explanation, *item.options]
        assert all(isinstance(text, str) and text == text.strip() for text in texts), item.qid
        assert all(unicodedata.is_normalized("NFC", text) for text in texts), item.qid
        assert all(re.search("[가-힣]", text) for text in (item.query, item.explanation)), item.qid
        assert isinstance(item.key, int), item.qid
        assert 1 <= item.key <= 4, item.qid


def test_the_last_option_abstains(items: list[Item]) -> None:
    for item in items:
        assert len(item.options) == len(set(item.options)) == item.abstain == 5, item.qid
        assert item.options[-1] == ABSTENTION, item.qid
        # No other option is a second way to abstain.
        assert not any(re.search("알 수 없|정보가 부족|판단할 수 없", text) for text in item.options[:-1]), item.qid


def test_options_tell_nothing_by_form(items: list[Item]) -> None:
    positions = Counter(item.key for item in items)
    assert set(positions) == {1, 2, 3, 4}
    assert all(0.2 <= count / len(items) <= 0.3 for count in positions.values())
    # The share of items whose right option is the longest of the four; options of equal length share it.
    longest = 0.0
    for item in items:
        lengths = [len(text) for text in item.options[:4]]
        ties = lengths.count(max(lengths))
        longest += (lengths[item.key - 1] == max(lengths)) / ties
        assert max(lengths) <= 2 * min(lengths) + 10, item.qid
    assert 0.1 <= longest / len(items) <= 0.4


def pairs(text: str) -> set[str]:
    """Return the pairs of neighbouring characters of a text without its spaces."""
    joined = re.sub(r"\s", "", text)
    return {joined[place : place + 2] for place in range(len(joined) - 1)} or {joined}


def shared(text: str, others: Iterable[str]) -> float:
    """Return the share of the character pairs of a text that the others have, summed over the others."""
    return sum(len(pairs(text) & pairs(other)) / len(pairs(text)) for other in others)


def test_no_guess_from_the_words_is_much_better_than_chance(
    items: list[Item], provisions: dict[str, Provision]
) -> None:
    """The best option by a rule that understands nothing; where options tie, each counts in part. Chance is 25 %."""
    rules: dict[str, Callable[[Item, str], float]] = {
        "the shortest": lambda item, text: -len(text),
        "like the question": lambda item, text: shared(text, [item.query]),
        "like the other options": lambda item, text: shared(text, set(item.options[:4]) - {text}),
        "unlike the other options": lambda item, text: -shared(text, set(item.options[:4]) - {text}),
        "like the first provision": lambda item, text: shared(text, [provisions[item.documents[0]].text]),
        "like the second provision": lambda item, text: shared(text, [provisions[item.documents[1]].text]),
        "a denial": lambda item, text: bool(re.search("않|없|아니|아님", text)),
        "no denial": lambda item, text: not re.search("않|없|아니|아님", text),
    }
    for name, rule in rules.items():
        right = 0.0
        for item in items:
            values = [rule(item, text) for text in item.options[:4]]
            right += (values[item.key - 1] == max(values)) / values.count(max(values))
        assert 0.15 <= right / len(items) <= 0.4, (name, right / len(items))


def test_each_item_stands_on_a_link(
    items: list[Item], provisions: dict[str, Provision], kinds: dict[tuple[str, str], str]
) -> None:
    linked = Counter()
    for item in items:
        first, second = item.documents
        assert (first, second) in kinds, item.qid
        assert not provisions[first].effective_to, item.qid
        linked[first, second] += 1
    assert len(linked) >= 60
    assert max(linked.values()) <= 2
    # Links inside a law, between an act and its decrees, and to another law: each is there, none is nearly all.
    found = Counter(kinds[pair] for pair in linked)
    assert set(found) == {"self", "family", "external"}
    assert min(found.values()) >= 15
    laws = {provisions[docno].law for item in items for docno in item.documents}
    in_force = {provision.law for provision in provisions.values() if not provision.effective_to}
    assert laws == in_force


def test_numbers_of_one_provision_do_not_single_out_the_right_option(
    items: list[Item], provisions: dict[str, Provision]
) -> None:
    """A reader of one provision who picks the option whose numbers it has, or the question, must not be right by that.

    Either the right option has a number that is not there, or another option has only numbers that are there, too.
    """
    for place, exceptions in ((0, SINGLED_OUT), (1, set())):
        found = set()
        for item in items:
            given = numbers(provisions[item.documents[place]].text) | numbers(item.query)
            if [text for text in item.options[:4] if numbers(text) <= given] == [item.answer]:
                found.add(item.qid)
        assert found == exceptions


def test_judgements_are_the_documents(multihop: StatuteDataset, items: list[Item]) -> None:
    judged: dict[str, list[str]] = {}
    for row in multihop.judgements():
        assert row.label == 1
        judged.setdefault(row.qid, []).append(row.docno)
    assert judged == {item.qid: item.documents for item in items}


def test_topics_keep_the_lists(multihop: StatuteDataset, items: list[Item]) -> None:
    topics = legalir.Collection("legalir/firecode/multihop").topics()
    assert list(topics.columns) == list(Item._fields)
    assert topics["options"].tolist() == [item.options for item in items]
    assert topics["documents"].tolist() == [item.documents for item in items]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> legalir.Collection:
    return legalir.Collection("legalir/firecode/multihop", cache=tmp_path_factory.mktemp("cache"))


def test_pipelines_carry_the_lists(collection: legalir.Collection) -> None:
    topics = collection.topics().head(3)
    options = dict(zip(topics["qid"], topics["options"], strict=True))
    for expression in (
        "bm25 % 5",
        'bm25 % 5 >> sar(normalize="max")',
        "rrf(bm25, tfidf) % 5",
        "bm25 % 5 | tfidf % 5",
        "bm25 % 5 >> nitilink(depth=1)",
        "bm25 % 5 >> quote",
    ):
        result = collection.pipeline(expression)(topics)
        assert set(result["qid"]) == set(topics["qid"]), expression
        for row in result.itertuples():
            assert row.options == options[row.qid], expression


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_the_split_is_a_retrieval_test(collection: legalir.Collection, multihop: StatuteDataset) -> None:
    # Character pairs find both provisions of some items, not of all: half the point of the items is the second one.
    table = pt.Experiment(
        [collection.pipeline("bm25")],
        collection.topics(),
        multihop.qrels(),
        [ir_measures.R @ 10, legalir.MultiHitRate @ 10],
    )
    assert 0.5 < table["R@10"][0] < 1
    assert 0.2 < table["MultiHitRate@10"][0] < table["R@10"][0]


def test_an_experiment_reuses_runs_over_the_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    definition = tmp_path / "items.yaml"
    definition.write_text(
        "title: Items\ndataset: legalir/firecode/multihop\nmeasures: [R@10]\n"
        "systems: {words: bm25, fused: 'rrf(bm25, tfidf)', quoted: 'bm25 % 3 >> quote'}\n",
        encoding="utf-8",
    )
    first, again = (legalir.experiment(definition, out=tmp_path / "out", latency_queries=0) for _ in range(2))
    assert isinstance(first.table, pd.DataFrame)
    pd.testing.assert_frame_equal(first.table[["R@10"]], again.table[["R@10"]])
    assert (first.reused, again.reused) == ([], ["words", "fused", "quoted"])
