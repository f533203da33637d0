"""What a cross-encoder computed is kept: for the next run, for another process, and from a run that was broken off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cross_encoder_material import QUERIES, SHORT, Calls, Statutes, listed, long_text
from tiny_models import write_cross_encoder

from legalir.models.query_cache import ignore_cached_queries
from legalir.rerank.reranker import CrossEncoderReranker

pytestmark = pytest.mark.neural

TEXTS = {**{f"a-{number}": text for number, text in enumerate(SHORT)}, "long": long_text(12)}
FIRST = pd.concat([listed(str(number), query, list(TEXTS)) for number, query in enumerate(QUERIES)])


@pytest.fixture(name="folder", scope="module")
def written_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("cached") / "model")


@pytest.fixture(name="calls")
def counted_calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


def reranker(folder: Path, cache: Path | None, **parameters: Any) -> CrossEncoderReranker:
    return CrossEncoderReranker(folder, cache=cache, **{"texts": TEXTS, "device": "cpu", "passage": 64, **parameters})


def test_the_second_run_asks_the_model_nothing(folder: Path, tmp_path: Path, calls: Calls) -> None:
    first = reranker(folder, tmp_path)(FIRST)
    assert calls.taken() > len(FIRST)
    second = reranker(folder, tmp_path)
    pd.testing.assert_frame_equal(second(FIRST), first, check_exact=True)
    assert calls.taken() == 0
    assert "loaded" not in vars(second), "nor is it loaded"
    pd.testing.assert_frame_equal(reranker(folder, None)(FIRST), first, check_exact=True)
    assert calls.taken() > len(FIRST)


def test_only_what_is_new_is_computed(folder: Path, tmp_path: Path, calls: Calls) -> None:
    short = FIRST[FIRST["docno"] != "long"]
    reranker(folder, tmp_path)(short)
    assert calls.taken() == len(short)
    changed = {**TEXTS, "a-2": f"{TEXTS['a-2']} 다만, 그러하지 아니하다."}
    reranker(folder, tmp_path, texts=changed)(short)
    assert calls.taken() == len(QUERIES), "the changed text, once a question"
    reranker(folder, tmp_path)(pd.concat([short, listed("new", "새 질문", ["a-0"])]))
    assert calls.taken() == 1
    titled = Statutes({docno: ("", text) for docno, text in TEXTS.items()} | {"a-0": ("제1조", TEXTS["a-0"])})
    reranker(folder, tmp_path, texts=titled)(short)
    assert calls.taken() == len(QUERIES)


def test_another_model_or_setting_computes_anew(folder: Path, tmp_path: Path, calls: Calls) -> None:
    short = FIRST[FIRST["docno"] != "long"]
    reranker(folder, tmp_path)(short)
    assert calls.taken() == len(short)
    for change in ({"passage": 63}, {"stride": 9}, {"max_length": 500}, {"dtype": "bfloat16"}):
        reranker(folder, tmp_path, **change)(short)
        assert calls.taken() == len(short), change
    for same in ({"activation": "none"}, {"batch_tokens": 100}, {"device": None}):
        reranker(folder, tmp_path, **same)(short)
        assert calls.taken() == 0, same
    other = write_cross_encoder(tmp_path / folder.name, seed=1)
    reranker(other, tmp_path)(short)
    assert calls.taken() == len(short)
    write_cross_encoder(tmp_path / folder.name, seed=2)
    reranker(other, tmp_path)(short)
    assert calls.taken() == len(short), "other weights at the same place"


def test_a_run_that_is_broken_off_keeps_what_was_done(folder: Path, tmp_path: Path, calls: Calls) -> None:
    calls.most = 8
    small = {"batch_tokens": 400}
    with pytest.raises(KeyboardInterrupt):
        reranker(folder, tmp_path, **small)(FIRST)
    calls.most = None
    done = calls.taken()
    found = reranker(folder, tmp_path, **small)(FIRST)
    rest = calls.taken()
    whole = reranker(folder, None, **small)(FIRST)
    every = calls.taken()
    pd.testing.assert_frame_equal(found, whole, atol=1e-6)
    # Of a provision whose windows were not all done, nothing is kept: those of one long text at most.
    assert every - done <= rest < every


def test_times_are_those_of_new_questions(folder: Path, tmp_path: Path, calls: Calls) -> None:
    first = reranker(folder, tmp_path)(FIRST)
    every = calls.taken()
    with ignore_cached_queries():
        pd.testing.assert_frame_equal(reranker(folder, tmp_path)(FIRST), first, check_exact=True)
    assert calls.taken() == every


def test_the_file_has_the_name_of_the_model(folder: Path, tmp_path: Path) -> None:
    one = reranker(folder, tmp_path / "new" / "folder")
    one(FIRST.iloc[:1])
    names = [path.name for path in (tmp_path / "new" / "folder").glob("[!.]*")]
    assert names == [f"rerank-model-{one.fingerprint[:8]}.sqlite"]
