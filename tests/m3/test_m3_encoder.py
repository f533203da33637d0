"""A model of BGE-M3's layout as an encoder: batches, limits, queries, and what stays in memory."""

from __future__ import annotations

import json
import logging
import tracemalloc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from m3_material import EDGES, assert_same, random_text
from tiny_models import write_m3

from legalir.m3 import m3_encoder
from legalir.m3.heads import Representations
from legalir.m3.m3_encoder import Batch, M3Encoder, M3Model
from legalir.models.loading import placement

pytestmark = pytest.mark.neural


@pytest.fixture(name="folder", scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_m3(tmp_path_factory.mktemp("m3"))


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute in float32 unless a test says otherwise, whatever the machine has."""
    monkeypatch.setattr(m3_encoder, "placement", lambda device, dtype: placement("cpu", dtype))


def test_what_it_returns(folder: Path) -> None:
    encoder = M3Encoder(folder, max_length=40)
    found = encoder.represent(EDGES, multi=True)
    assert found.vectors is not None
    assert found.dense.shape == (len(EDGES), encoder.dimensions)
    assert (found.dense.dtype, found.tokens.dtype, found.weights.dtype) == (np.float32, np.int32, np.float32)
    for rows in (found.dense, found.vectors):
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert (found.weights > 0).all()
    assert not set(range(4)) & set(found.tokens.tolist())  # The marks and the unknown have no weight.
    assert found.tokens.max() < encoder.vocabulary
    for number in range(len(EDGES)):
        assert (np.diff(found.sparse_row(number)[0]) > 0).all()
    # A text of nothing has the vector of its end; the longest have all tokens of the limit but the first.
    lengths = np.diff(found.vector_bounds)
    assert lengths[:2].tolist() == [1, 1]
    assert lengths.max() == 39


def test_a_text_does_not_depend_on_its_batch(folder: Path) -> None:
    whole = M3Encoder(folder).represent(EDGES, multi=True)
    assert_same(M3Encoder(folder, batch_tokens=1).represent(EDGES, multi=True), whole)
    backwards = M3Encoder(folder, batch_tokens=100).represent(EDGES[::-1], multi=True)
    rows = [backwards.row(number) for number in reversed(range(len(EDGES)))]
    assert_same(Representations.concatenate(rows), whole)


def test_the_limit_counts_the_marks_and_is_not_passed_by_a_text_that_just_fits(folder: Path) -> None:
    encoder = M3Encoder(folder, max_length=7, query_max_length=5)
    texts = ["관계인 관계인", "관계인 " * 5, "관계인 " * 6]  # Two, five and six tokens, and two marks.
    found = encoder.represent(texts, multi=True)
    assert (np.diff(found.vector_bounds) + 1).tolist() == [4, 7, 7]
    assert found.truncated.tolist() == [False, False, True]
    assert encoder.represent_queries(texts, multi=True).truncated.tolist() == [False, True, True]
    assert encoder.represent_queries(texts[:1] * 3, multi=True).truncated.tolist() == [False] * 3
    assert encoder.represent_queries(texts[2:] * 3, multi=True).truncated.tolist() == [True] * 3


def test_each_length_of_queries_has_its_own_representations_and_log_line(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = ["관계인 " * 3, "관계인 " * 6 + "배연", "관계인 " * 6 + "징역"]
    short, long = (M3Encoder(folder, query_max_length=limit) for limit in (5, 100))
    with caplog.at_level(logging.INFO, logger="legalir"):
        cut, whole = (encoder.represent_queries(texts, multi=True) for encoder in (short, long))
    assert caplog.messages == [f"{folder} cut 2 of 3 questions at 5 tokens."]
    assert caplog.records[0].levelno == logging.WARNING
    assert short != long
    assert short.fingerprint == long.fingerprint  # An index serves both: documents are the same.
    np.testing.assert_allclose(cut.dense[1], cut.dense[2], atol=1e-6)
    assert abs(whole.dense[1] - whole.dense[2]).max() > 1e-3
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="legalir"):
        M3Encoder(folder, max_length=5).represent(texts, multi=False)
    assert [(record.levelno, record.message) for record in caplog.records] == [
        (logging.INFO, f"{folder} cut 2 of 3 texts at 5 tokens.")
    ]


def test_no_more_than_the_model_has_positions_for(tmp_path: Path) -> None:
    encoder = M3Encoder(write_m3(tmp_path, max_length=32), query_max_length=100)
    assert (encoder.max_length, encoder.query_max_length) == (32, 32)
    assert np.diff(encoder.represent(["관계인 " * 99], multi=True).vector_bounds).tolist() == [31]
    assert encoder == M3Encoder(tmp_path, max_length=32, query_max_length=32)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "bert"}))
    assert M3Encoder(tmp_path).max_length == 34


def test_half_of_a_surrogate_pair_is_read_as_a_question_mark(folder: Path) -> None:
    encoder = M3Encoder(folder)
    assert_same(encoder.represent(["다\ud83d"], multi=True), encoder.represent(["다?"], multi=True))


def test_queries_are_remembered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[str]] = []
    original = M3Model.tokenize
    monkeypatch.setattr(
        M3Model, "tokenize", lambda self, texts, limit: read.append(texts) or original(self, texts, limit)
    )
    encoder = M3Encoder(folder)
    first = encoder.represent_queries(["관계인", "door", "관계인"], multi=True)
    again = encoder.represent_queries(["관계인", "door", "관계인", "한다"], multi=True)
    assert read == [["관계인", "door"], ["한다"]]
    assert_same(Representations.concatenate([again.row(number) for number in range(3)]), first, atol=0)
    assert encoder.represent_queries(["door"], multi=False).vectors is None
    assert len(read) == 3
    encoder.represent(["door"], multi=True)
    encoder.represent(["door"], multi=True)
    assert len(read) == 5  # Documents are not.


@pytest.mark.parametrize(("dtype", "atol"), [("float16", 0.01), ("bfloat16", 0.08)])
def test_narrow_numbers(folder: Path, dtype: str, atol: float) -> None:
    exact = M3Encoder(folder).represent(EDGES, multi=True)
    found = M3Encoder(folder, dtype=dtype, device="cpu").represent(EDGES, multi=True)
    assert found.vectors is not None and exact.vectors is not None
    assert (found.dense.dtype, found.vectors.dtype, found.weights.dtype) == (np.float32, np.float16, np.float32)
    np.testing.assert_allclose(np.linalg.norm(found.dense, axis=1), 1, atol=1e-6)  # Lengths are of float32.
    np.testing.assert_allclose(np.linalg.norm(found.vectors.astype(np.float32), axis=1), 1, atol=1e-3)
    np.testing.assert_allclose(found.dense, exact.dense, atol=atol)
    np.testing.assert_allclose(found.vectors, exact.vectors, atol=atol)


def test_batches_do_not_stay_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    texts = [random_text(random) * int(random.integers(1, 8)) for _ in range(400)]
    encoder = M3Encoder(folder, batch_tokens=1024)
    whole = encoder.represent(texts, multi=True)
    alive: list[weakref.ref[Batch]] = []
    original = M3Model.compute

    def compute(self: M3Model, ids: Any, *, multi: bool) -> Batch:
        assert sum(one() is not None for one in alive) <= 1
        made = original(self, ids, multi=multi)
        assert made.vectors is not None
        assert len(made.vectors) == sum(map(len, ids)) - len(ids)  # Packed: no row for padding.
        alive.append(weakref.ref(made))
        return made

    monkeypatch.setattr(M3Model, "compute", compute)
    tracemalloc.start()
    try:
        found = encoder.represent(texts, multi=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(alive) > 20
    assert_same(found, whole, atol=0)
    assert found.vectors is not None
    # The result, and for each token an id and a weight and what sorting these takes.
    assert peak < found.vectors.nbytes + found.dense.nbytes + 64 * len(found.vectors) + 1_000_000
