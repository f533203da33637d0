"""What is learnt from: equal questions spare what is right for any of them, and dev queries keep what is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tunable import TINY, write_collection

from legalir import Collection
from legalir.extend import Display, same_question
from legalir_finetune import FineTuning
from legalir_finetune.anchors import AnchorSource, dev_set, read_anchor_source


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
    return FineTuning.parse({**values, **changes}, "r")


def read(chosen: FineTuning) -> AnchorSource:
    return read_anchor_source(chosen, Collection(chosen.dataset), Display())


def test_a_question_asked_twice(statutes: Path) -> None:
    source = read(recipe(statutes, pool=9))
    docnos = source.material.docnos
    asked = [same_question(text) for text in source.material.train.texts]
    twice = [number for number, text in enumerate(asked) if text == asked[0]]
    assert len(twice) == 2
    for number in twice:
        right = {docnos[document] for document in source.material.train.gold.of(number).tolist()}
        spared = {docnos[document] for document in source.spared.of(number).tolist()}
        assert len(right) == 2
        assert spared == {"d0-0", "d0-1", "d1-0", "d1-1"}
        assert not spared & {docnos[document] for document in source.pool[number] if document >= 0}


def test_no_epoch_has_a_false_negative(statutes: Path) -> None:
    chosen = recipe(statutes, pool=9, objective="unified")
    source = read(chosen)
    right: dict[str, set[int]] = {}
    for number, text in enumerate(source.material.train.texts):
        right.setdefault(same_question(text), set()).update(source.material.train.gold.of(number).tolist())
    epochs = [source.epoch(chosen, epoch) for epoch in range(3)]
    assert len({epoch.batches for epoch in epochs}) == 3
    for batch in (batch for epoch in epochs for batch in epoch.batches):
        for place, anchor in enumerate(batch):
            own = right[same_question(source.material.train.texts[anchor.query])]
            brought = [*anchor.negatives]
            for other, one in enumerate(batch):
                brought += one.documents if other != place else ()
            assert not own & set(brought)


def test_an_epoch_depends_on_recipe_and_number_alone(statutes: Path) -> None:
    chosen = recipe(statutes)
    source = read(chosen)
    assert source.epoch(chosen, 1) == read(chosen).epoch(chosen, 1)
    assert source.epoch(chosen, 1) != source.epoch(recipe(statutes, seed=6), 1)
    few = source.epoch(recipe(statutes, most_pairs=30), 0)
    assert sum(map(len, few.batches)) + few.left == 30


def test_dev_among_a_part(statutes: Path) -> None:
    chosen = recipe(statutes)
    source = read(chosen)
    whole = dev_set(chosen, source.material)
    assert whole is not None
    assert whole.passages == source.material.passages
    # Right for dev queries are 20 of the 30 provisions.
    part = dev_set(recipe(statutes, dev_provisions=24), source.material)
    assert part is not None
    assert (len(part.passages), part.queries) == (24, whole.queries)
    for query in range(len(part.queries)):
        assert [part.passages[n] for n in part.gold.of(query).tolist()] == [
            whole.passages[n] for n in whole.gold.of(query).tolist()
        ]
    least = dev_set(recipe(statutes, dev_provisions=1), source.material)
    assert least is not None and len(least.passages) == 20
    assert dev_set(recipe(statutes, dev_provisions=99), source.material) == whole
    assert dev_set(recipe(statutes, dev=None), read(recipe(statutes, dev=None)).material) is None


def test_without_hard_negatives_nothing_is_searched(statutes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir_finetune.anchors.mine_by_expression", None)
    chosen = recipe(statutes, hard=0)
    source = read(chosen)
    assert {anchor.negatives for batch in source.epoch(chosen, 0).batches for anchor in batch} == {()}


def test_other_sources(statutes: Path) -> None:
    rows = [json.loads(line) for line in (statutes / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row |= {"law": "가나법", "heading": row["text"].split()[0]}
    (statutes / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    source = read(recipe(statutes, sources=["judgements", "headings"]))
    assert [source["source"] for source in source.material.sources] == ["judgements", "headings"]
    assert source.material.pairs == (120, 30)  # Ten headings, of three provisions each.
