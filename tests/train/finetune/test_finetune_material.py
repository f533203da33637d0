"""What is learnt from: equal questions spare what is right for any of them, and dev queries keep what is right."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tunable import TINY, write_collection

from legalir.collection.collection import Collection
from legalir.train.batches import Gold
from legalir.train.finetune import FineTuning
from legalir.train.finetune.batches import right_for
from legalir.train.finetune.material import Texts, dev_of, read_texts
from legalir.train.material import same_question
from legalir.train.negatives import mine_by_expression


@pytest.fixture(name="statutes")
def folder_with_a_question_asked_twice(tmp_path: Path) -> Path:
    folder = write_collection(tmp_path / "statutes")
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    # q1-0 asks what q0-0 asks, spelt otherwise; right for it are d1-0 and d1-1.
    rows[8]["query"] = f"  {rows[0]['query'].upper()}"
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def recipe(folder: Path, **changes: object) -> FineTuning:
    values = {**TINY, "dataset": str(folder / "train"), "model": "m", "out": "o", "dev": "dev"}
    return FineTuning.parse({**values, **changes})


def read(chosen: FineTuning) -> Texts:
    collection = Collection(chosen.dataset)

    def mine(queries: Sequence[str], spared: Gold, docnos: Sequence[str]) -> np.ndarray:
        return mine_by_expression(chosen.negatives, collection, queries, spared, docnos, chosen.depth)

    return read_texts(chosen, collection, mine)


def test_a_question_asked_twice(statutes: Path) -> None:
    texts = read(recipe(statutes, pool=9))
    docnos = texts.material.docnos
    asked = [same_question(text) for text in texts.material.train.texts]
    twice = [number for number, text in enumerate(asked) if text == asked[0]]
    assert len(twice) == 2
    for number in twice:
        right = {docnos[document] for document in right_for(texts.material.train.gold, number)}
        spared = {docnos[document] for document in right_for(texts.spared, number)}
        assert len(right) == 2
        assert spared == {"d0-0", "d0-1", "d1-0", "d1-1"}
        assert not spared & {docnos[document] for document in texts.pool[number] if document >= 0}


def test_no_epoch_has_a_false_negative(statutes: Path) -> None:
    chosen = recipe(statutes, pool=9)
    texts = read(chosen)
    right: dict[str, set[int]] = {}
    for number, text in enumerate(texts.material.train.texts):
        right.setdefault(same_question(text), set()).update(right_for(texts.material.train.gold, number))
    epochs = [texts.epoch(chosen, epoch) for epoch in range(3)]
    assert len({epoch.batches for epoch in epochs}) == 3
    for batch in (batch for epoch in epochs for batch in epoch.batches):
        for place, anchor in enumerate(batch):
            own = right[same_question(texts.material.train.texts[anchor.query])]
            brought = [*anchor.negatives]
            for other, one in enumerate(batch):
                brought += one.documents if other != place else ()
            assert not own & set(brought)


def test_an_epoch_depends_on_recipe_and_number_alone(statutes: Path) -> None:
    chosen = recipe(statutes)
    texts = read(chosen)
    assert texts.epoch(chosen, 1) == read(chosen).epoch(chosen, 1)
    assert texts.epoch(chosen, 1) != texts.epoch(dataclasses.replace(chosen, seed=6), 1)
    few = texts.epoch(dataclasses.replace(chosen, most_pairs=30), 0)
    assert sum(map(len, few.batches)) + few.left == 30


def test_dev_among_a_part(statutes: Path) -> None:
    chosen = recipe(statutes)
    texts = read(chosen)
    whole = dev_of(chosen, texts)
    assert whole is not None
    assert whole.passages == texts.passages
    # Right for dev queries are 20 of the 30 provisions.
    part = dev_of(dataclasses.replace(chosen, dev_provisions=24), texts)
    assert part is not None
    assert (len(part.passages), part.queries) == (24, whole.queries)
    for query in range(len(part.queries)):
        assert [part.passages[n] for n in right_for(part.gold, query)] == [
            whole.passages[n] for n in right_for(whole.gold, query)
        ]
    least = dev_of(dataclasses.replace(chosen, dev_provisions=1), texts)
    assert least is not None and len(least.passages) == 20
    assert dev_of(dataclasses.replace(chosen, dev_provisions=99), texts) == whole
    assert dev_of(recipe(statutes, dev=None), read(recipe(statutes, dev=None))) is None


def test_without_hard_negatives_nothing_is_sought(statutes: Path) -> None:
    def never(*_: object) -> np.ndarray:
        raise AssertionError("sought")

    chosen = recipe(statutes, hard=0)
    texts = read_texts(chosen, Collection(chosen.dataset), never)
    assert {anchor.negatives for batch in texts.epoch(chosen, 0).batches for anchor in batch} == {()}


def test_other_sources(statutes: Path) -> None:
    rows = [json.loads(line) for line in (statutes / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row |= {"law": "가나법", "heading": row["text"].split()[0]}
    (statutes / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    texts = read(recipe(statutes, sources=["judgements", "headings"]))
    assert [source["source"] for source in texts.material.sources] == ["judgements", "headings"]
    assert texts.material.pairs == (120, 30)  # Ten headings, of three provisions each.
