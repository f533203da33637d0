"""Trainings from beginning to end, on a collection whose queries and provisions share no telling word."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from learnable import SMALL, contents, write_statutes

from legalir.collection.collection import Collection
from legalir.dense.static_model import StaticModel
from legalir.errors import (
    ArtifactError,
    ComponentError,
    DataError,
    DatasetNotFound,
    DefinitionError,
    LegalIRError,
    MissingExtra,
)
from legalir.pipeline.default import fit_default
from legalir.train import static as module
from legalir.train import train_static
from legalir.train.material import read_material
from legalir.train.static import StaticTraining, rate_at
from legalir.train.static_network import Network

pytestmark = pytest.mark.neural


@pytest.fixture(name="statutes", scope="module")
def folder_to_learn_from(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_statutes(tmp_path_factory.mktemp("learnable") / "statutes")


def test_it_learns(statutes: Path, tmp_path: Path) -> None:
    trained = train_static(statutes / "train", tmp_path / "model", dev="dev", **SMALL)
    history = trained.history
    assert list(history) == ["epoch", "loss", "R@10", "nDCG@10", "MultiHitRate@10", "seconds", "kept"]
    assert history["loss"].iloc[-1] < history["loss"].iloc[0] / 2
    # Nothing is known of an unseen query's words but what other queries taught.
    assert history["R@10"].max() > 0.9
    assert history["kept"].tolist().count(True) == 1
    assert sorted(contents(trained.path)) == ["model.json", "model.safetensors"]
    assert not (tmp_path / "model.partial").exists()
    collection = Collection(statutes / "dev")
    vectors = trained.model.encode([row.default_text() for row in collection.docs()])
    first = collection.topics().iloc[0]
    best = np.argsort(-(vectors @ trained.model.encode([first["query"]])[0]))[:10]
    right = set(collection.qrels().query("qid == @first.qid")["docno"])
    assert right & {list(collection.docs())[number].doc_id for number in best}


def test_the_card(statutes: Path, tmp_path: Path) -> None:
    trained = train_static(statutes / "train", tmp_path / "model", dev="dev", **{**SMALL, "epochs": 1})
    card = trained.model.card
    assert str(tmp_path) not in json.dumps(card)
    assert card["seed"] == 1
    assert card["recipe"]["rows"] == SMALL["rows"]
    (source,) = card["sources"]
    assert source | {"source": "judgements", "queries": 200, "pairs": 400, "left_out": 0} == source
    assert source | {"dataset": "statutes/train", "licence": "CC0-1.0", "title": "Invented"} == source
    assert len(source["fingerprint"]) == 64
    assert card["corpus"]["documents"] == 120
    assert card["corpus"]["sha256"] == Collection(statutes).fingerprint()
    assert card["dev"]["queries"] == 40
    assert card["dev"]["R@10"] == pytest.approx(trained.history["R@10"].iloc[0], abs=1e-6)


def test_same_seed_same_bytes_whatever_the_threads(statutes: Path, tmp_path: Path) -> None:
    made = [
        contents(train_static(statutes / "train", tmp_path / name, **{**SMALL, "epochs": 2, **changes}).path)
        for name, changes in (("a", {}), ("b", {"threads": 3}), ("c", {"seed": 2}))
    ]
    assert made[0] == made[1]
    assert made[0]["model.safetensors"] != made[2]["model.safetensors"]


def test_the_epoch_that_is_kept_is_the_best(statutes: Path, tmp_path: Path) -> None:
    settings = {**SMALL, "epochs": 30, "patience": 2, "dev": "dev"}
    trained = train_static(statutes / "train", tmp_path / "model", **settings)
    values = trained.history["R@10"].tolist()
    best = int(np.argmax(values))
    assert len(values) == best + 3 < 30, "two epochs after the best, none was better"
    assert trained.history["kept"].tolist() == [number == best for number in range(len(values))]
    assert trained.model.card["epoch"] == best + 1


def test_the_weight_in_default_is_chosen_and_used(statutes: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(statutes, tmp_path / "statutes")
    # Terms find nothing here, so that all weights above 0 are equal, and the smallest is chosen.
    trained = train_static(folder / "train", folder / "static", **{**SMALL, "hold_out": 0.2})
    measured = trained.model.card["default"]
    assert measured["weight"] == 0.05
    assert measured["questions"] == 40
    means = measured["nDCG@10"]
    assert means["0"] == 0
    assert means["0.05"] == means["0.9"] > 0.5
    held_out = read_material(Collection(folder / "train"), ["judgements"], None, 0.2).held_out
    assert held_out is not None
    assert measured["seen"] == held_out.seen
    assert fit_default(Collection(folder)).settings.model == 0.05
    assert trained.note is not None
    assert trained.note.startswith("On 40 questions that training had not seen, weight 0.05 in default is best: ")
    again = train_static(folder / "train", tmp_path / "b", **{**SMALL, "hold_out": 0.2, "threads": 3})
    assert contents(again.path) == contents(trained.path)


def test_an_interruption_while_the_weight_is_chosen_loses_no_step(
    statutes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**SMALL, "epochs": 2, "hold_out": 0.2}

    def stop(*arguments: object) -> None:
        raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(module, "measure_weight", stop)
        with pytest.raises(StoppedError):
            train_static(statutes / "train", tmp_path / "model", **settings)
    assert not (tmp_path / "model").exists()
    monkeypatch.setattr(StaticTraining, "_step", stop)
    trained = train_static(statutes / "train", tmp_path / "model", resume=True, **settings)
    assert trained.model.card["default"]["questions"] == 40
    assert not (tmp_path / "model.partial").exists()


def test_int8(statutes: Path, tmp_path: Path) -> None:
    trained = train_static(statutes / "train", tmp_path / "model", **{**SMALL, "epochs": 1, "precision": "int8"})
    assert trained.model.precision == "int8"


def test_other_negatives(statutes: Path, tmp_path: Path) -> None:
    settings = {**SMALL, "epochs": 2, "negatives": 'bm25(analyzer="char2")'}
    trained = train_static(statutes / "train", tmp_path / "model", **settings)
    assert trained.history["loss"].iloc[1] < trained.history["loss"].iloc[0]


def test_rates_fall_along_a_cosine() -> None:
    rates = [rate_at(0.1, step, 100) for step in range(100)]
    assert rates[0] == 0.1
    assert rates[50] == pytest.approx(0.05)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.002)


class StoppedError(Exception):
    """What stands for a power cut."""


@pytest.mark.parametrize("after", [13])
def test_an_interrupted_training_goes_on(
    statutes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """An epoch has 12 steps; the state is written after each of them."""
    settings = {**SMALL, "epochs": 3, "dev": "dev", "checkpoint_minutes": 0}
    whole = contents(train_static(statutes / "train", tmp_path / "whole", **settings).path)
    step, done = StaticTraining._step, []

    def stop(self: StaticTraining, *arguments: object) -> float:
        if len(done) == after:
            raise StoppedError
        done.append(1)
        return step(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(StaticTraining, "_step", stop)
        with pytest.raises(StoppedError):
            train_static(statutes / "train", tmp_path / "model", **settings)
    assert not (tmp_path / "model").exists()
    assert (tmp_path / "model.partial" / "state.json").exists()
    with pytest.raises(ArtifactError, match="another recipe or other data"):
        train_static(statutes / "train", tmp_path / "model", **{**settings, "seed": 2})
    taken: list[int] = []

    def count(self: StaticTraining, *arguments: object) -> float:
        taken.append(1)
        return step(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(StaticTraining, "_step", count)
    trained = train_static(statutes / "train", tmp_path / "model", resume=True, **settings)
    assert contents(trained.path) == whole
    assert len(taken) == 36 - after
    assert trained.history["epoch"].tolist() == [1, 2, 3]
    assert not (tmp_path / "model.partial").exists()


def started(statutes: Path, out: Path, epochs: int) -> subprocess.Popen[str]:
    settings = {**SMALL, "epochs": epochs, "dev": "dev", "checkpoint_minutes": 0}
    call = f"train_static({str(statutes / 'train')!r}, {str(out)!r}, **{settings!r})"
    code = f"from legalir.train import train_static\n{call}"
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, env=os.environ)


def wait_for(file: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a state of the second epoch or later is there."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, process.stderr and process.stderr.read()
        try:
            if json.loads(file.read_text(encoding="utf-8"))["facts"]["epoch"] >= 1:
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.01)
    raise AssertionError("no state was written")


def test_a_killed_training_goes_on(statutes: Path, tmp_path: Path) -> None:
    epochs = 6
    process = started(statutes, tmp_path / "model", epochs)
    wait_for(tmp_path / "model.partial" / "state.json", process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert not (tmp_path / "model").exists()
    settings = {**SMALL, "epochs": epochs, "dev": "dev"}
    resumed = train_static(statutes / "train", tmp_path / "model", resume=True, **settings)
    whole = train_static(statutes / "train", tmp_path / "whole", **settings)
    assert contents(resumed.path) == contents(whole.path)


def test_a_training_that_is_begun_anew(statutes: Path, tmp_path: Path) -> None:
    partial = tmp_path / "model.partial"
    with pytest.raises(DefinitionError, match="holds no interrupted training"):
        train_static(statutes / "train", tmp_path / "model", resume=True, **SMALL)
    partial.mkdir(exist_ok=True)
    (partial / "state.json").write_text("rubbish", encoding="utf-8")
    with pytest.raises(ArtifactError, match="is damaged"):
        train_static(statutes / "train", tmp_path / "model", **SMALL)
    train_static(statutes / "train", tmp_path / "model", resume=False, **{**SMALL, "epochs": 1})
    assert not partial.exists()


@pytest.mark.parametrize("settings", [{"rate": 1e30}, {"temperature": 1e-39}])
def test_numbers_that_become_infinite(statutes: Path, tmp_path: Path, settings: dict[str, float]) -> None:
    with pytest.raises(LegalIRError, match=r"rate.*temperature"):
        train_static(statutes / "train", tmp_path / "model", **{**SMALL, "checkpoint_minutes": 0, **settings})
    assert list(tmp_path.glob("model*")) == []


def test_vectors_that_do_not_fit_into_float16(statutes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Network, "table", lambda self: np.full((SMALL["rows"], SMALL["dim"]), np.inf, np.float32))
    with pytest.raises(LegalIRError, match="epoch 1"):
        train_static(statutes / "train", tmp_path / "model", **SMALL)
    assert list(tmp_path.glob("model*")) == []


def test_places(statutes: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    one = {**SMALL, "epochs": 1}
    train_static(statutes / "train", out, **one)
    before = contents(out)
    with pytest.raises(DefinitionError, match=r"exists.*replace=True \(--replace"):
        train_static(statutes / "train", out, **one)
    trained = train_static(statutes / "train", out, replace=True, **{**one, "seed": 2})
    assert contents(out) != before
    assert StaticModel.load(out).fingerprint == trained.model.fingerprint
    with pytest.raises(ComponentError, match="is not a static model"):
        train_static(statutes / "train", tmp_path, replace=True, **one)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ComponentError, match=r"'notes\.txt'"):
        train_static(statutes / "train", out, replace=True, **one)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ArtifactError, match="give another place"):
        train_static(statutes / "train", tmp_path / "file" / "model", **one)


def test_two_trainings_to_one_place(statutes: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "model"
    process = started(statutes, out, epochs=200)
    try:
        wait_for(out.with_name("model.partial") / "state.json", process)
        with pytest.raises(ArtifactError, match=r"Another training writes .*model"):
            train_static(statutes / "train", out, **SMALL)
    finally:
        process.kill()
        process.communicate()
    # The lock of a process that was killed is free.
    train_static(statutes / "train", out, resume=False, **{**SMALL, "epochs": 1})
    assert [path.name for path in out.parent.iterdir()] == ["model"]


def test_dev_queries_are_not_learnt(statutes: Path, tmp_path: Path) -> None:
    shared = write_statutes(tmp_path / "shared", shared=True)
    sentence = r"1 queries .*/dev, .*'q0-0', .*/train, "
    with pytest.raises(DataError, match=sentence):
        train_static(shared / "train", tmp_path / "model", dev="dev", **SMALL)
    with pytest.raises(DatasetNotFound, match="has no split 'dve'"):
        train_static(statutes / "train", tmp_path / "model", dev="dve", **SMALL)
    # The same text under another qid is left out, and counted.
    twin = shutil.copytree(statutes, tmp_path / "twin")
    rows = [json.loads(line) for line in (twin / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    rows[0]["query"] = f" {rows[5]['query'].upper()}"
    (twin / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    trained = train_static(twin / "train", tmp_path / "model", dev="dev", **{**SMALL, "epochs": 1})
    assert trained.model.card["sources"][0]["left_out"] == 1


def test_nothing_to_learn_from(statutes: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="name a split that has"):
        train_static(statutes, tmp_path / "model", **SMALL)
    for source in ("citations", "headings"):
        with pytest.raises(DataError):
            train_static(statutes / "train", tmp_path / "model", sources=[source], **SMALL)
    assert list(tmp_path.glob("model*")) == []


def test_an_unknown_setting(statutes: Path, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"train_static.*'epoch'.*'epochs'"):
        train_static(statutes / "train", tmp_path / "model", epoch=3)  # type: ignore[call-arg]


def test_without_torch(statutes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"'legalir\[dense\]'"):
        train_static(statutes / "train", tmp_path / "model", **SMALL)
