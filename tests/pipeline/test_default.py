"""The pipeline `default`, on collections with and without a model of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from legalir import Collection
from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.dense.static_model import StaticModel
from legalir.errors import ArtifactError, ComponentError
from legalir.pipeline.default import DefaultSettings, default, default_expression, fit_default

if TYPE_CHECKING:
    pass

TEXTS = {
    "d1": "등대 관리인은 해가 지면 등불을 켠다. 제2조에 따른 종은 따로 둔다.",
    "d2": "안개가 끼면 나룻배는 종을 친다.",
    "d3": "관리인은 등불을 켠 시각을 일지에 적는다.",
    "d4": "부두에는 빗물받이를 둔다.",
}
PLAIN = {"k1": 2.0, "family": 0.0, "sar": 0.0, "lookup": 0.0}
"""The settings of a Korean collection of one law, with few links and without numbers, where they differ."""

DEFAULT = DefaultSettings(**PLAIN).expression()
ASSISTS = DefaultSettings(**PLAIN, model=0.1).expression()
LEADS = DefaultSettings(**PLAIN, model=0.8).expression()


def random_model(card: dict[str, Any] | None = None) -> StaticModel:
    table = np.random.default_rng(3).standard_normal((2**10, 32)).astype(np.float16)
    return StaticModel(HashedNGrams(rows=2**10), table, card=card or {})


def card(source: str, dataset: str, sha256: str = "0" * 64) -> dict[str, Any]:
    return {"sources": [{"source": source, "dataset": dataset}], "corpus": {"sha256": sha256}}


@pytest.fixture(name="folder")
def folder_of_a_collection(tmp_path: Path) -> Path:
    folder = tmp_path / "lamps"
    folder.mkdir()
    lines = [json.dumps({"docno": docno, "text": text}) for docno, text in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "links.tsv").write_text("d1\td2\tself\n", encoding="utf-8")
    return folder


def opened(folder: Path) -> Collection:
    return Collection(folder, cache=folder.parent / "cache")


def rewrite(folder: Path, links: int, **fields: str) -> None:
    """Give each provision more fields, the laws in turn; and the collection so many links."""
    laws = fields.pop("laws", "").split()
    lines = [
        json.dumps({"docno": docno, "text": text, **fields} | ({"law": laws[place % len(laws)]} if laws else {}))
        for place, (docno, text) in enumerate(TEXTS.items())
    ]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    pairs = [(one, two) for one in TEXTS for two in TEXTS if one != two][:links]
    (folder / "links.tsv").write_text("".join(f"{one}\t{two}\tself\n" for one, two in pairs), encoding="utf-8")


def test_without_a_model(folder: Path) -> None:
    fitted = fit_default(opened(folder))
    assert fitted.settings.expression() == DEFAULT == "focus >> bm25f(analyzer='auto', k1=2.0)"
    assert fitted.reasons["analyzer"] == "auto, for Korean"
    assert fitted.reasons["family"] == "left out: there is one law at most"
    assert fitted.reasons["sar"] == "0.25 links a provision, left out below 0.5"


def test_parts_fit_the_collection(folder: Path) -> None:
    rewrite(folder, 2, laws="등대법 나루법", article="12")
    fitted = fit_default(opened(folder))
    assert fitted.settings == DefaultSettings(k1=2.0)
    assert fitted.reasons["family"] == "2 laws"
    assert fitted.reasons["sar"] == "0.50 links a provision"
    assert fitted.settings.expression() == (
        "linear(focus >> bm25f(analyzer='auto', k1=2.0) >> family(weight=0.3, group=\"law\") % 1000"
        ' >> sar(k=15, beta=0.3, normalize="minmax") % 1000, lookup, weights=[1.0, 1.0], '
        "normalize=['minmax', 'none'])"
    )
    rewrite(folder, 1, laws="등대법 나루법")
    assert fit_default(opened(folder)).settings == DefaultSettings(k1=2.0, sar=0.0, lookup=0.0)


def test_a_measured_weight_counts(folder: Path) -> None:
    measured = card("judgements", "lamps/train") | {"default": {"weight": 0.35, "questions": 40, "seen": 0.806}}
    random_model(measured).save(folder / "static")
    fitted = fit_default(opened(folder))
    assert fitted.settings.model == 0.35
    assert fitted.reasons["model"] == (
        "0.35, measured on 40 questions that its training had not seen; it had seen 81 % of their provisions"
    )
    elsewhere = measured | {"sources": [{"source": "judgements", "dataset": "harbour/train"}]}
    random_model(elsewhere).save(folder / "static")
    assert fit_default(opened(folder)).settings.model == 0.1


def test_a_model_of_the_statutes_assists(folder: Path) -> None:
    random_model(card("citations", "lamps")).save(folder / "static")
    assert default_expression(opened(folder)) == ASSISTS


@pytest.mark.parametrize("dataset", ["lamps", "lamps/train", "legalir/lamps/train"])
def test_a_model_of_its_judgements_leads(folder: Path, dataset: str) -> None:
    random_model(card("judgements", dataset)).save(folder / "static")
    assert default_expression(opened(folder)) == LEADS


def test_a_model_of_its_judgements_leads_under_another_name(folder: Path) -> None:
    sha256 = opened(folder).fingerprint()
    random_model(card("judgements", "harbour/train", sha256)).save(folder / "static")
    assert default_expression(opened(folder)) == LEADS


@pytest.mark.parametrize("dataset", ["harbour/lamps", "legalir/lamps-2/train"])
def test_judgements_on_another_collection_assist(folder: Path, dataset: str) -> None:
    random_model(card("judgements", dataset)).save(folder / "static")
    assert default_expression(opened(folder)) == ASSISTS


def test_a_model_whose_card_says_nothing_assists(folder: Path) -> None:
    random_model().save(folder / "static")
    assert default_expression(opened(folder)) == ASSISTS


def test_the_model_that_dataset_yaml_names(folder: Path) -> None:
    random_model(card("judgements", "lamps")).save(folder / "models" / "new")
    assert default_expression(opened(folder)) == DEFAULT
    (folder / "dataset.yaml").write_text("static: models/new\n", encoding="utf-8")
    assert default_expression(opened(folder)) == LEADS
    (folder / "dataset.yaml").write_text("static: models/old\n", encoding="utf-8")
    with pytest.raises(ComponentError, match="'models/old'"):
        default(opened(folder))


def test_flipped_bytes_are_found(folder: Path) -> None:
    random_model().save(folder / "static")
    file = folder / "static" / "model.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ArtifactError, match="was altered"):
        default(opened(folder)).search("등불")
    file = folder / "static" / "model.json"
    file.write_text(file.read_text(encoding="utf-8").replace("log", "raw"), encoding="utf-8")
    with pytest.raises(ArtifactError, match="was altered"):
        default(opened(folder))


@pytest.mark.parametrize("answers", [card("citations", "lamps"), card("judgements", "lamps")])
def test_scores_are_the_weighted_sum(folder: Path, answers: dict[str, Any]) -> None:
    random_model(answers).save(folder / "static")
    collection = opened(folder)
    weights = (0.2, 0.8) if answers == card("judgements", "lamps") else (0.9, 0.1)
    wanted: dict[str, float] = {}
    for weight, part in zip(weights, (DEFAULT, "static"), strict=True):
        found = collection.pipeline(part).search("등불을 켜는 관리인").set_index("docno")["score"]
        normed = (found - found.min()) / (found.max() - found.min())
        for docno, value in normed.items():
            wanted[str(docno)] = wanted.get(str(docno), 0.0) + weight * value
    scores = collection.pipeline("default").search("등불을 켜는 관리인").set_index("docno")["score"]
    assert scores.to_dict() == pytest.approx(wanted)


def test_the_bundled_collection_uses_its_model() -> None:
    assert fit_default(Collection("legalir/firecode/test")).settings == DefaultSettings(k1=2.0, model=0.1)
