"""Tuning: what is chosen, what is said to be gained, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import legalir
from legalir import Collection
from legalir.errors import ComponentError, DataError, MeasureError
from legalir.pipeline.default import DefaultSettings, default_expression
from legalir.train import tune as module

WORDS = """lamp keeper fog bell ferry pier rope lock gate rain tide wharf crane barrel anchor mast sail hull deck oar
net buoy cable chain winch"""


def write_collection(folder: Path, questions: int, misleading_titles: bool) -> Path:
    """Write provisions of five words each, and questions that hold three of the words of one provision.

    Where titles mislead, the titles of two in three hold the words of the next provision, so that questions find that
    one as long as titles count.
    """
    folder.mkdir()
    generator = np.random.default_rng(7)
    texts = [" ".join(generator.choice(WORDS.split(), 5, replace=False)) for _ in range(questions)]
    wrong = [texts[number - questions + 1] if number % 3 else "" for number in range(questions)]
    titles = wrong if misleading_titles else [""] * questions
    rows = [
        {"docno": f"d{number}", "title": title, "text": text, "law": f"law {number % 3}"}
        for number, (title, text) in enumerate(zip(titles, texts, strict=True))
    ]
    asked = [{"qid": f"q{number}", "query": " ".join(text.split()[:3])} for number, text in enumerate(texts)]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    judged = "".join(f"q{number} 0 d{number} 1\n" for number in range(questions))
    (folder / "qrels.txt").write_text(judged, encoding="utf-8")
    return folder


@pytest.fixture(name="misled")
def collection_with_misleading_titles(tmp_path: Path) -> Path:
    return write_collection(tmp_path / "harbour", 60, misleading_titles=True)


def test_what_helps_is_chosen_stored_and_used(misled: Path, tmp_path: Path) -> None:
    tuning = legalir.tune(misled)
    assert tuning.default.title == 2
    assert tuning.chosen.title == 0
    assert all(fold.title == 0 for fold in tuning.folds)
    assert tuning.gain.questions == 60
    assert 0 < tuning.gain.low < tuning.gain.tuned - tuning.gain.default < tuning.gain.high
    assert tuning.path == misled / "tuned.yaml"
    assert tuning.complete
    assert default_expression(Collection(misled)) == tuning.chosen.expression()
    assert tuning.sentence().startswith("Tuned. nDCG@10 on questions that had no part in the choice: default ")
    page = tuning.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "default uses the chosen settings" in page
    assert '<td class="changed">0.0</td>' in page


def test_the_gain_is_that_of_held_out_questions(misled: Path) -> None:
    tuning = legalir.tune(misled, folds=3)
    collection = Collection(misled)
    evaluation = module._Evaluation(collection, "nDCG@10", float("inf"))
    base = evaluation.values(tuning.default)
    of = np.array([int(module.digest(qid)[:8], 16) % 3 for qid in evaluation.qids])
    held_out = np.choose(of, [evaluation.values(fold) for fold in tuning.folds])
    assert tuning.gain.default == pytest.approx(100 * base.mean(), abs=0.01)
    assert tuning.gain.tuned == pytest.approx(100 * held_out.mean(), abs=0.01)
    assert evaluation.runs == 0  # All of them were stored.


def test_what_luck_explains_is_not_a_gain(tmp_path: Path) -> None:
    folder = write_collection(tmp_path / "harbour", 40, misleading_titles=False)
    tuning = legalir.tune(folder)
    assert tuning.path is None
    assert not (folder / "tuned.yaml").exists()
    assert tuning.sentence().startswith("Keep default: nothing is gained for sure.")
    assert "Keep default" in tuning.report(tmp_path / "page.html").read_text(encoding="utf-8")


def test_an_interrupted_run_goes_on(misled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = module._Evaluation._run
    calls = 0

    def interrupted(self: module._Evaluation, expression: str) -> module.Values:
        nonlocal calls
        calls += 1
        if calls == 10:
            raise KeyboardInterrupt
        return run(self, expression)

    monkeypatch.setattr(module._Evaluation, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        legalir.tune(misled)
    (file,) = Collection(misled).cache.glob("tune-*.jsonl")
    with file.open("a", encoding="utf-8") as end:
        end.write('{"expression": "cut o')
    monkeypatch.setattr(module._Evaluation, "_run", run)
    resumed = legalir.tune(misled, out=misled / "resumed.yaml")
    file.unlink()
    fresh = legalir.tune(misled, out=misled / "fresh.yaml")
    assert resumed.runs == fresh.runs - 9
    assert (resumed.chosen, resumed.gain, resumed.values) == (fresh.chosen, fresh.gain, fresh.values)


def test_time_ends_the_search(misled: Path) -> None:
    tuning = legalir.tune(misled, minutes=0)
    assert not tuning.complete
    assert tuning.runs == 1  # default itself
    assert tuning.chosen == tuning.default
    assert tuning.path is None


def test_too_few_questions_are_refused(tmp_path: Path) -> None:
    folder = write_collection(tmp_path / "harbour", 3, misleading_titles=False)
    with pytest.raises(DataError, match=r"judged questions, 3; .*20"):
        legalir.tune(folder)


def test_judgements_on_one_provision_are_refused(misled: Path) -> None:
    (misled / "qrels.txt").write_text("".join(f"q{number} 0 d1 1\n" for number in range(60)), encoding="utf-8")
    with pytest.raises(DataError, match=r"all judgements .*one provision"):
        legalir.tune(misled)


def test_parameters_are_checked(misled: Path) -> None:
    with pytest.raises(ComponentError, match=r"folds=1.*2.*20"):
        legalir.tune(misled, folds=1)
    with pytest.raises(ComponentError, match="minutes=-1"):
        legalir.tune(misled, minutes=-1)
    with pytest.raises(MeasureError, match="nDGC"):
        legalir.tune(misled, measure="nDGC@10")


def test_settings_that_cannot_matter_are_left_out(misled: Path) -> None:
    collection = Collection(misled)
    knobs = module._knobs(collection, DefaultSettings())
    assert "family" in knobs
    assert not {"sar", "citing", "model"} & set(knobs)
    (misled / "links.tsv").write_text("d1\td2\tself\n", encoding="utf-8")
    assert {"sar", "citing"} <= set(module._knobs(Collection(misled), DefaultSettings()))


def test_the_split_that_chose_is_stored(tmp_path: Path) -> None:
    gain = module.Gain(measure="nDCG@10", questions=45, folds=5, default=40.0, tuned=42.5, low=0.5, high=4.5)
    module._store(Collection("legalir/firecode/dev"), DefaultSettings(), gain, tmp_path / "tuned.yaml")
    tuned = module.Tuned.load(tmp_path / "tuned.yaml")
    assert (tuned.collection, tuned.split) == ("firecode", "dev")


def test_a_large_split_is_sampled(misled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 30)
    evaluation = module._Evaluation(Collection(misled), "nDCG@10", 0.0)
    assert len(evaluation.qids) == 30
    assert evaluation.qids == sorted(evaluation.qids, key=lambda qid: int(qid[1:]))


def test_a_folder_that_cannot_be_written_is_tuned_in_the_cache(
    misled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = module.write_tuned

    def refused(tuned: module.Tuned, path: Path) -> None:
        if path.parent == misled:
            raise PermissionError(path)
        write(tuned, path)

    monkeypatch.setattr(module, "write_tuned", refused)
    tuning = legalir.tune(Collection(misled, cache=tmp_path / "cache"))
    assert tuning.path is not None
    assert tuning.path.is_relative_to(tmp_path / "cache")
    assert default_expression(Collection(misled, cache=tmp_path / "cache")) == tuning.chosen.expression()
