"""The settings of `default`, and the file of those that were tuned."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, GenericDoc

from legalir import Collection
from legalir.datasets import Provision, foreign
from legalir.errors import DefinitionError
from legalir.experiments.fingerprints import notes
from legalir.pipeline import canonical
from legalir.pipeline.default import (
    DefaultSettings,
    Gain,
    Tuned,
    default_expression,
    fit_default,
    read_tuned,
    share_unchanged,
    sketch_of,
    tuned_digest,
    tuned_paths,
    write_tuned,
)
from legalir.train.tune import _store

GAIN = Gain(measure="nDCG@10", questions=100, folds=5, default=40.0, tuned=42.5, low=0.5, high=4.5)
CHOSEN = DefaultSettings(k1=0.9, title=3.0, b=0.6, query_exponent=1.0, focus=5, family=0.0, sar=0.15, model=0.35)


def provisions(numbers: range) -> list[Provision]:
    return [Provision(doc_id=f"d{number}", title="", text=f"The lamp {number} burns.") for number in numbers]


def write_corpus(folder: Path, numbers: range) -> None:
    folder.mkdir(exist_ok=True)
    rows = [json.dumps({"docno": record.doc_id, "text": record.text}) for record in provisions(numbers)]
    (folder / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")


def tuned_for(collection: Collection) -> Tuned:
    return Tuned(
        collection="lamps",
        corpus=collection.fingerprint(),
        sketch=sketch_of(collection.docs()),
        gain=GAIN,
        settings=CHOSEN,
    )


@pytest.fixture(name="folder")
def folder_of_a_collection(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "lamps", range(300))
    return tmp_path / "lamps"


def opened(folder: Path) -> Collection:
    return Collection(folder, cache=folder.parent / "cache")


def test_an_expression_holds_what_differs_from_the_components_own_defaults() -> None:
    assert CHOSEN.expression() == (
        "linear(focus(times=5) >> bm25f(analyzer='auto', k1=0.9, fields={'title': 3.0, 'text': 1.0, 'path': 1.0, "
        "'citing': 1.0}, b={'text': 0.6}, query_exponent=1.0) % 1000 >> sar(k=15, beta=0.15, "
        'normalize="minmax") % 1000, lookup, focus(times=5) >> static % 100, weights=[0.65, 1.0, 0.35], '
        "normalize=['minmax', 'none', 'minmax'])"
    )
    assert DefaultSettings(focus=0, family=0.0, sar=0.0, lookup=0.0).expression() == "bm25f(analyzer='auto', k1=1.2)"
    for settings in (CHOSEN, DefaultSettings(), DefaultSettings(focus=1, model=1.0)):
        assert canonical(settings.expression())


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"k1": -1}, "'k1' must be at least 0"),
        ({"b": 1.5}, "'b' must be at most 1"),
        ({"sar": "much"}, "'sar' must be a number"),
        ({"focus": 2.5}, "'focus' must be a whole number"),
        ({"titel": 2}, "the key 'titel' is unknown"),
    ],
)
def test_values_are_checked(values: dict[str, object], fault: str) -> None:
    with pytest.raises(DefinitionError, match=fault):
        DefaultSettings(**values)


def test_a_sketch_estimates_the_share_that_is_unchanged() -> None:
    old = sketch_of(provisions(range(300)))
    assert len(old.split()) == 64
    assert share_unchanged(old, old) == 1
    assert share_unchanged(old, sketch_of(provisions(range(300, 600)))) == 0
    # 200 of 400 different provisions are in both states: half, give or take 2.5 standard errors of a share of 64.
    assert share_unchanged(old, sketch_of(provisions(range(100, 400)))) == pytest.approx(0.5, abs=0.16)
    few = sketch_of(provisions(range(3)))
    assert share_unchanged(few, sketch_of(provisions(range(1, 4)))) == pytest.approx(2 / 3, abs=0.4)
    assert share_unchanged("", "") == 0


def test_tuned_settings_decide_unless_they_are_not_wanted(folder: Path) -> None:
    collection = opened(folder)
    plain = default_expression(collection)
    assert read_tuned(collection) is None
    assert tuned_digest(collection) is None
    write_tuned(tuned_for(collection), folder / "tuned.yaml")
    assert read_tuned(collection) == tuned_for(collection)
    assert len(tuned_digest(collection) or "") == 64
    assert default_expression(collection) == CHOSEN.expression()
    assert default_expression(collection, tuned=False) == plain
    assert "nDCG@10 40.0 to 42.5" in fit_default(collection).reasons["tuned"]
    write_tuned(tuned_for(collection).model_copy(update={"settings": DefaultSettings(k1=2.0)}), folder / "tuned.yaml")
    assert "k1=2.0" in repr(collection.pipeline("default"))
    assert "k1=1.2" in repr(collection.pipeline("default(tuned=False)"))


def test_settings_in_the_cache_count_where_the_folder_has_none(folder: Path) -> None:
    collection = opened(folder)
    beside, cached = tuned_paths(collection)
    assert beside == folder / "tuned.yaml"
    assert cached.is_relative_to(folder.parent / "cache")
    write_tuned(tuned_for(collection), cached)
    assert read_tuned(collection) == tuned_for(collection)


def test_an_earlier_state_of_the_collection_counts_and_is_said_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_tuned(tuned_for(opened(folder)), folder / "tuned.yaml")
    write_corpus(folder, range(30, 300))
    with caplog.at_level(logging.WARNING, "legalir"):
        assert default_expression(opened(folder)) == CHOSEN.expression()
        assert default_expression(opened(folder)) == CHOSEN.expression()
    (message,) = caplog.messages
    percent = int(message.split("about ")[1].split()[0])
    assert percent == pytest.approx(90, abs=10)


def test_settings_for_a_folder_of_beir_stay_when_its_copy_is_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "lamp"}', encoding="utf-8")

    def write(count: int) -> Collection:
        rows = [json.dumps({"_id": f"d{number}", "text": f"The lamp {number} burns."}) for number in range(count)]
        (folder / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
        return opened(folder / "test")

    before = write(300)
    for path in tuned_paths(before):
        write_tuned(tuned_for(before), path)
        assert default_expression(write(270)) == CHOSEN.expression()
        assert "earlier state" in caplog.messages[-1]
        path.unlink()
        assert default_expression(write(271)) != CHOSEN.expression()
    assert tuned_paths(before)[0] == folder / "tuned.yaml"


class _Lamps(BaseDocs):
    count = 300

    def docs_iter(self) -> Iterator[GenericDoc]:
        for number in range(self.count):
            yield GenericDoc(f"d{number}", f"The lamp {number} burns.")

    def docs_lang(self) -> str:
        return "en"


def test_settings_for_a_dataset_of_ir_datasets_are_for_all_datasets_of_its_documents(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = _Lamps()
    datasets = {name: Dataset(docs) for name in ("lamps-of-the-tests", "lamps-of-the-tests/train")}
    datasets["lamps-of-the-tests-2"] = Dataset(_Lamps())
    monkeypatch.setattr(ir_datasets.registry, "_registered", ir_datasets.registry._registered | datasets)

    def irds(name: str) -> Collection:
        return Collection(f"irds:{name}", cache=tmp_path / "cache")

    train = irds("lamps-of-the-tests/train")
    chosen = CHOSEN.model_copy(update={"model": 0.0})
    path = _store(train, chosen, GAIN, None)
    assert read_tuned(train).collection == "irds:lamps-of-the-tests/train"
    for name, same in (("lamps-of-the-tests", False), ("lamps-of-the-tests/train", True)):
        (note,) = [one for one in notes(irds(name).pipeline("default(semantic=False)")) if "settings chosen" in one]
        assert ("these questions" in note) == same
    assert read_tuned(irds("lamps-of-the-tests-2")) is None
    foreign._converted.clear()  # As in a new process.
    docs.count = 270
    assert read_tuned(irds("lamps-of-the-tests/train")).settings == chosen
    assert "earlier state" in caplog.messages[-1]
    assert path.parent == tmp_path / "cache" / "tuned"


def test_settings_of_another_collection_are_refused(folder: Path) -> None:
    write_tuned(tuned_for(opened(folder)), folder / "tuned.yaml")
    write_corpus(folder, range(300, 400))
    with pytest.raises(DefinitionError, match=r"tuned.yaml"):
        default_expression(opened(folder))


@pytest.mark.parametrize("content", ["", "settings: {k1: much}", "a: [", "format: 3"])
def test_a_file_that_is_no_settings_is_one_sentence(folder: Path, content: str) -> None:
    (folder / "tuned.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"tuned\.yaml"):
        default_expression(opened(folder))
