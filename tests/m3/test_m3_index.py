"""The index of BGE-M3's heads, with a tiny model: built, opened again, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from m3_letters import DOCUMENTS, QUERIES
from tiny_models import write_m3

from legalir.errors import ArtifactError, ComponentError, ModelError
from legalir.explanation import explain
from legalir.m3.m3_encoder import M3Encoder
from legalir.m3.m3_index import M3Index

pytestmark = pytest.mark.neural


@pytest.fixture(name="model", scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_m3(tmp_path_factory.mktemp("m3") / "model")


def answers(index: M3Index) -> pd.DataFrame:
    return index.retriever(k=4).transform(pd.DataFrame({"qid": list("abcde"), "query": QUERIES}))


def test_built_opened_again_and_found_by_the_manifest(tmp_path: Path, model: Path) -> None:
    built = M3Index(tmp_path / "index", encoder=str(model)).index(DOCUMENTS, multi="float16", corpus="abc")
    wanted = answers(built)
    assert set(wanted["qid"]) == set("abce")  # The fourth question is empty.
    for again in (M3Index(tmp_path / "index"), M3Index(tmp_path / "index", encoder=M3Encoder(model))):
        pd.testing.assert_frame_equal(answers(again), wanted)
    facts = M3Index(tmp_path / "index").manifest.facts
    assert (facts["corpus"], facts["documents"]) == ("abc", len(DOCUMENTS))
    assert built.index_inputs() == [["docno", "text"]]
    assert built.encoder.model == str(model)


def test_the_length_that_was_read_is_kept(tmp_path: Path, model: Path) -> None:
    M3Index(tmp_path / "index", encoder=M3Encoder(model, max_length=10)).index(DOCUMENTS)
    again = M3Index(tmp_path / "index")
    assert again.encoder.max_length == 10
    assert again.truncated > 0
    with pytest.raises(ArtifactError, match=r"built with .* not with .*: remove"):
        M3Index(tmp_path / "index", encoder=model).encoder  # noqa: B018


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_numbers_it_was_computed_in_are_found_again(tmp_path: Path, model: Path, dtype: str) -> None:
    built = M3Index(tmp_path / "index", encoder=M3Encoder(model, dtype=dtype)).index(DOCUMENTS, multi="int8")
    again = M3Index(tmp_path / "index")
    assert again.encoder == built.encoder
    pd.testing.assert_frame_equal(answers(again), answers(built))


def test_another_model_at_the_same_place(tmp_path: Path, model: Path) -> None:
    other = write_m3(tmp_path / "model")
    M3Index(tmp_path / "index", encoder=other).index(DOCUMENTS)
    (other / "sparse_linear.pt").write_bytes((model / "sparse_linear.pt").read_bytes())
    M3Index(tmp_path / "index").head("dense").search("법")  # The two were written alike.
    write_m3(other, seed=1)
    retriever = M3Index(tmp_path / "index").head("dense")
    with pytest.raises(ArtifactError, match="was built with"):
        retriever.search("법")


def test_a_model_that_went_away(tmp_path: Path) -> None:
    model = write_m3(tmp_path / "model")
    M3Index(tmp_path / "index", encoder=model).index(DOCUMENTS)
    model.rename(tmp_path / "elsewhere")
    with pytest.raises(ModelError, match="model"):
        M3Index(tmp_path / "index").head("sparse").search("법")
    assert len(M3Index(tmp_path / "index", encoder=tmp_path / "elsewhere").head("sparse").search("법"))


def test_no_encoder_to_build_with(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r'without an encoder: .*M3Index\("'):
        M3Index(tmp_path / "index").index(DOCUMENTS)


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"no index at .*: build"):
        M3Index(tmp_path / "index").retriever().search("법")


def test_tokens_are_called_as_the_tokenizer_calls_them(tmp_path: Path, model: Path) -> None:
    index = M3Index(tmp_path / "index", encoder=model).index(DOCUMENTS, multi="float32")
    [one] = explain(index.head("sparse"), "관계인은 소방시설을 설치한다", ["법-3"])
    assert one.is_whole()
    names = {str(part.detail["term"]) for part in one.parts}
    assert names & {"▁관계인", "관계인"}
    assert all(part.label == name.replace("▁", " ").strip() or name == "▁" for part, name in _named(one))


def _named(explanation: Any) -> list[tuple[Any, str]]:
    return [(part, str(part.detail["term"])) for part in explanation.parts]
