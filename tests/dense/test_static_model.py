"""Static models: what they encode, and that their files are whole or refused."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from static_material import TEXTS, small_model

from legalir.dense import static_model as module
from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.dense.static_model import StaticModel
from legalir.errors import ArtifactError, ComponentError, LegalIRError
from legalir.storage.digest import digest


def by_definition(model: StaticModel, text: str) -> np.ndarray[Any, Any]:
    found = model.ngrams.features([text])
    table = model.table.astype(np.float64)
    if model.scale is not None:
        table *= model.scale[:, None].astype(np.float64)
    total = np.zeros(model.dimensions)
    for row, count in zip(found.rows, found.counts, strict=True):
        total += (1 + np.log(count) if model.tf == "log" else count) * table[row]
    return total / (np.linalg.norm(total) or 1)


@pytest.mark.parametrize("tf", ["log", "raw"])
@pytest.mark.parametrize("int8", [False, True])
def test_a_vector_is_the_weighted_sum_of_rows(tf: str, int8: bool) -> None:
    model = small_model(tf=tf)
    model = model.quantised() if int8 else model
    texts = [*TEXTS, "등불 등불 등불"]
    wanted = np.stack([by_definition(model, text) for text in texts])
    found = model.encode(texts)
    assert (found.dtype, found.shape) == (np.float32, wanted.shape)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    np.testing.assert_allclose(np.concatenate([model.encode([text]) for text in texts]), wanted, atol=1e-6)
    assert not found[4:6].any()
    assert model.encode([]).shape == (0, 12)


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model()
    whole = model.encode(TEXTS)
    monkeypatch.setattr(module, "_BATCH", 2)
    np.testing.assert_allclose(model.encode(TEXTS), whole, atol=1e-6)


def test_int8_loses_next_to_nothing() -> None:
    model = small_model(dimensions=256)
    model.table[5] = 0
    quantised = model.quantised()
    assert (quantised.precision, quantised.table[5].any()) == ("int8", False)
    # Each number is off by at most half a step, and a step is 1/127 of the greatest of its row.
    rows = quantised.table * quantised.scale[:, None]  # type: ignore[index]
    off = np.abs(rows - model.table.astype(np.float32)).max(axis=1)
    assert (off <= np.abs(model.table.astype(np.float32)).max(axis=1) / 254 * 1.001).all()
    cosines = (model.encode(TEXTS[:4]) * quantised.encode(TEXTS[:4])).sum(axis=1)
    assert (cosines > 0.9999).all()
    np.testing.assert_array_equal(quantised.quantised().table, quantised.table)


def test_a_query_does_not_copy_the_table() -> None:
    model = small_model(rows=2**15, dimensions=256)
    model.encode(["등대 관리인은 등불을 켠다"])
    tracemalloc.start()
    try:
        model.encode(["등대 관리인은 등불을 켠다"])
        assert tracemalloc.get_traced_memory()[1] < model.table.nbytes / 20
    finally:
        tracemalloc.stop()


def test_a_model_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    for model in (small_model(char=(2,), jamo=(3,), max_characters=None), small_model().quantised()):
        model.save(tmp_path / "model")
        loaded = StaticModel.load(tmp_path / "model")
        assert isinstance(loaded.table.base, np.memmap)
        assert not loaded.table.flags.writeable
        assert (loaded.ngrams, loaded.tf, loaded.card, loaded.precision) == (
            model.ngrams,
            model.tf,
            model.card,
            model.precision,
        )
        assert loaded.fingerprint == model.fingerprint
        np.testing.assert_array_equal(loaded.encode(TEXTS), model.encode(TEXTS))
        loaded.save(tmp_path / "again")
        assert contents(tmp_path / "again") == contents(tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "model"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_card_is_data(tmp_path: Path) -> None:
    card = {"seed": 3, "sources": [{"dataset": "등대", "licence": "none"}], "measures": {"R@10": 0.5}}
    small_model(card=card).save(tmp_path / "model")
    about = json.loads((tmp_path / "model" / "model.json").read_text(encoding="utf-8"))
    assert about["card"] == card
    assert (about["format"], about["version"], about["precision"]) == ("legalir-static", 1, "float16")
    assert (about["rows"], about["dimensions"], about["tf"]) == (997, 12, "log")
    assert about["ngrams"]["char"] == [2, 3]
    with pytest.raises(ComponentError, match="is not JSON"):
        small_model(card={"seed": {1}}).save(tmp_path / "other")
    with pytest.raises(ComponentError, match="is not JSON"):
        small_model(card={"loss": float("nan")}).save(tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_the_fingerprint_is_that_of_the_vectors() -> None:
    own = small_model().fingerprint
    assert small_model(card={"else": 1}).fingerprint == own
    others = [small_model(seed=2), small_model(tf="raw"), small_model(words=False), small_model().quantised()]
    assert len({own, *(model.fingerprint for model in others)}) == 5


def test_a_failed_save_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_model().save(tmp_path / "model")
    before = contents(tmp_path / "model")

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_tensors", full)
    for name in ("model", "new"):
        with pytest.raises(ArtifactError, match="No space left"):
            small_model(seed=2).save(tmp_path / name)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert contents(tmp_path / "model") == before
    # The last step fails: the old model has made room already, and comes back.
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if Path(target) == tmp_path / "model" and ".replaced-" not in self.name:
            raise OSError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ArtifactError, match="Permission denied"):
        small_model(seed=2).save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert contents(tmp_path / "model") == before


def test_something_else_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "text.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("notes", "file"):
        with pytest.raises(ComponentError, match=r"exists and .*static model"):
            small_model().save(tmp_path / name)
    small_model().save(tmp_path / "model")
    small_model().save(tmp_path / "model" / "inner")
    with pytest.raises(ComponentError, match="'inner'"):
        small_model().save(tmp_path / "model")
    (tmp_path / "empty").mkdir()
    small_model().save(tmp_path / "empty")
    assert StaticModel.load(tmp_path / "empty").dimensions == 12


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path: Path, name: str) -> None:
    small_model(rows=20, dimensions=2).save(tmp_path)
    file = tmp_path / name
    whole = file.read_bytes()
    for place in range(0, len(whole), 3):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(LegalIRError) as caught:
            StaticModel.load(tmp_path)
        one_sentence(caught.value)
    for size in (0, 5, len(whole) // 2, len(whole) - 3):
        file.write_bytes(whole[:size])
        with pytest.raises(ArtifactError) as caught:
            StaticModel.load(tmp_path)
        one_sentence(caught.value)


def one_sentence(error: Exception) -> None:
    assert str(error).endswith(".")
    assert "\n" not in str(error)


def test_missing_and_foreign_folders(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="no static model at"):
        StaticModel.load(tmp_path / "none")
    with pytest.raises(ComponentError, match=r"model\.json"):
        StaticModel.load(tmp_path)
    (tmp_path / "model.json").write_text('{"format": "theirs"}')
    with pytest.raises(ComponentError, match="not that of a static"):
        StaticModel.load(tmp_path)
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(ArtifactError, match="not a JSON object"):
        StaticModel.load(tmp_path)
    small_model().save(tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    with pytest.raises(ArtifactError, match=r"model\.safetensors"):
        StaticModel.load(tmp_path / "model")


def rewritten(folder: Path, **facts: Any) -> None:
    """Change facts of a model, and let its own digest agree."""
    content = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    del content["sha256"]
    content.update(facts)
    content["sha256"] = digest(content)
    (folder / "model.json").write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"version": 2}, "version 2 .*version 1"),
        ({"rows": 996}, "does not hold the table"),
        ({"precision": "int8"}, "does not hold the table"),
        ({"ngrams": {"bytes": 1}}, "no parameter 'bytes'"),
        ({"ngrams": {"rows": 12}}, "12 rows"),
        ({"tf": "cubic"}, "cubic"),
    ],
)
def test_a_model_that_means_something_else(tmp_path: Path, facts: dict[str, Any], said: str) -> None:
    small_model().save(tmp_path)
    rewritten(tmp_path, **facts)
    with pytest.raises(LegalIRError, match=said) as caught:
        StaticModel.load(tmp_path)
    one_sentence(caught.value)


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (np.zeros((3, 2), np.float16), {}, "must have 4 rows"),
        (np.zeros((4, 0), np.float16), {}, "must have 4 rows"),
        (np.zeros(4, np.float16), {}, "must have 4 rows"),
        (np.zeros((4, 2), np.float64), {}, "not float64"),
        (np.zeros((4, 2), np.int8), {}, "not int8"),
        (np.zeros((4, 2), np.float16), {"scale": np.ones(4, np.float32)}, "not float16"),
        (np.zeros((4, 2), np.int8), {"scale": np.ones(3, np.float32)}, "a scale of shape"),
        (np.zeros((4, 2), np.float16), {"tf": "cubic"}, "tf='cubic'"),
    ],
)
def test_parts_that_do_not_fit_together(table: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ComponentError, match=said):
        StaticModel(HashedNGrams(rows=4), table, **options)
