"""Fine-tunings from beginning to end: what they write is what the encoders read, and every mistake is one sentence."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from tunable import contents, tuned, write_tunable

from legalir import Collection, M3Encoder, SentenceEncoder
from legalir.extend import Gold
from legalir_finetune.finetuning import sparse_ndcg


@pytest.fixture(name="root", scope="module")
def models_and_statutes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tunable(tmp_path_factory.mktemp("tunable"))


def test_it_learns_and_the_encoder_reads_it(root: Path, tmp_path: Path) -> None:
    found = tuned(root, tmp_path / "model", dev="dev", epochs=6, query_prompt="q: ", document_prompt="the ")
    history = found.history
    assert history["epoch"].tolist() == list(range(7))
    assert np.isnan(history["loss"][0]) and history["loss"].iloc[-1] < history["loss"].iloc[1] / 2
    assert history["nDCG@10"].max() > history["nDCG@10"].iloc[0] + 0.3
    kept = history[history["kept"]]
    assert len(kept) == 1 and kept["nDCG@10"].item() == history["nDCG@10"].iloc[1:].max()
    assert (history["moved"] == 0).all() and (history["steps"].iloc[1:] == 30).all()  # All 120 pairs are learnt from.
    # The figure is what the encoder comes to, which finds prompts and pooling in the folder.
    encoder = SentenceEncoder(found.path, device="cpu")
    collection = Collection(root / "statutes" / "dev")
    texts, topics = [row.default_text() for row in collection.docs()], collection.topics()
    docnos = [row.doc_id for row in collection.docs()]
    scores = encoder.encode_queries(topics["query"].tolist()) @ encoder.encode(texts).T
    right = collection.qrels().groupby("qid")["docno"].apply(set)
    recall = []
    for qid, row in zip(topics["qid"], scores, strict=True):
        if qid in right:
            best = {docnos[place] for place in np.argsort(-row, kind="stable")[:10]}
            recall.append(len(best & right[qid]) / len(right[qid]))
    assert np.mean(recall) == pytest.approx(kept["R@10"].item())
    prompts = json.loads((found.path / "config_sentence_transformers.json").read_text(encoding="utf-8"))["prompts"]
    assert prompts == {"query": "q: ", "document": "the "}


def test_sentence_transformers_reads_it(root: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    out = tuned(root, tmp_path / "model", epochs=1).path
    texts = ["관계인 owner", "the exit door"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        theirs = SentenceTransformer(str(out), device="cpu").encode(texts)
    np.testing.assert_allclose(SentenceEncoder(out, device="cpu").encode(texts), theirs, atol=1e-6)


def test_an_addition_of_low_rank_is_merged(root: Path, tmp_path: Path) -> None:
    found = tuned(root, tmp_path / "model", method="lora", rank=8, rate=1e-2, epochs=1)
    assert not (found.path / "adapter_config.json").exists()
    before, after = (SentenceEncoder(path, device="cpu").encode(["the exit"]) for path in (root / "bert", found.path))
    assert np.abs(after - before).max() > 1e-3


def test_three_heads(root: Path, tmp_path: Path) -> None:
    found = tuned(root, tmp_path / "model", "m3", objective="unified", self_distill=True, dev="dev", sub_batch=5)
    before, after = (
        M3Encoder(path, device="cpu").represent(["관계인 owner"], multi=True) for path in (root / "m3", found.path)
    )
    assert {"nDCG@10", "nDCG@10 sparse"} < set(found.history)
    assert (found.history["moved"].iloc[1:] > 0).all()
    assert np.abs(after.dense - before.dense).max() > 1e-3
    assert not np.array_equal(after.weights, before.weights)
    assert after.vectors is not None and np.abs(after.vectors - before.vectors).max() > 1e-3
    # Both forms of a head hold the same numbers.
    import torch
    from safetensors.torch import load_file

    for name in ("sparse_linear", "colbert_linear"):
        pickled = torch.load(found.path / f"{name}.pt", weights_only=True)
        safe = load_file(found.path / f"{name}.safetensors")
        assert all(torch.equal(pickled[key], safe[key]) for key in ("weight", "bias"))


def test_what_is_written(root: Path, tmp_path: Path) -> None:
    found = tuned(root, tmp_path / "model", dev="dev", dev_provisions=25, epochs=1)
    assert found.note is None
    files = contents(found.path)
    assert {"model.safetensors", "tokenizer.json", "README.md", "history.tsv", "history.svg", "history.png"} < set(
        files
    )
    assert not [name for name in files if name.endswith((".bin", ".pth", "optimizer.pt"))]
    assert not [name for name, content in files.items() if str(tmp_path).encode() in content]
    assert {file.stat().st_mode & 0o777 for file in found.path.iterdir() if file.is_file()} == {0o644}
    assert sorted(path.name for path in tmp_path.iterdir() if "own-home" not in path.name) == ["model"]
    card = json.loads(files["finetuning.json"])
    assert card["base"]["model"] == "bert"
    assert card["recipe"] | {"pooling": "mean", "hard": 3, "batch": 4} == card["recipe"]
    assert card["dev"] == {"split": "dev", "queries": 20, "provisions": 25}
    (source,) = card["sources"]
    assert source | {"dataset": "statutes/train", "licence": "CC0-1.0", "queries": 60, "pairs": 120} == source
    words = files["README.md"].decode()
    assert "20 queries of the split `dev`, sought among a part" in words
    assert "licence: not stated" in words
    table = [line.split("\t") for line in files["history.tsv"].decode().splitlines()]
    assert table[0][:2] == ["epoch", "loss"]
    assert [row[0] for row in table[1:]] == ["0", "1"]


def test_without_matplotlib(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = tuned(root, tmp_path / "model", epochs=1)
    assert found.note is not None
    assert found.note.startswith("No picture of the history: the package matplotlib is not installed")
    assert "\n" not in found.note
    assert "history.svg" not in contents(found.path)
    assert found.history["kept"].tolist() == [True]


def test_the_same_seed_makes_the_same_weights(root: Path, tmp_path: Path) -> None:
    made = [
        contents(tuned(root, tmp_path / name, epochs=1, **changes).path)["model.safetensors"]
        for name, changes in (("a", {}), ("b", {}), ("c", {"seed": 6}))
    ]
    assert made[0] == made[1] != made[2]


def test_the_measure_of_token_weights() -> None:
    documents = np.zeros((4, 10))
    documents[0, 5], documents[1, 5], documents[1, 9], documents[3, 9] = 1, 2, 1, 1
    queries = np.zeros((4, 10))
    queries[0, 5], queries[0, 9], queries[1, 9], queries[2, 7] = 1, 0.5, 1, 1
    # q0 ranks 1 (2.5), 0 (1.0), 3 (0.5); right are 0 and 2, which shares no token and is not found.
    # q1 ranks 1 and 3 alike, so by number; right is 3. q2 and q3 find nothing.
    gold = Gold(np.array([0, 2, 3, 4, 5]), np.array([0, 2, 3, 0, 1]))
    second = 1 / np.log2(3)
    expected = (second / (1 + second) + second + 0 + 0) / 4
    assert sparse_ndcg(csr_array(queries), csr_array(documents), gold) == pytest.approx(expected)
