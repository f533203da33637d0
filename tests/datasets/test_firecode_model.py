"""The model that ships with the bundled collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from legalir import Collection
from legalir.datasets.catalog import FIRECODE
from legalir.dense.static_model import StaticModel

RECIPE = Path(__file__).parent.parent.parent / "experiments" / "static" / "recipes" / "firecode.yaml"
FOLDER = FIRECODE / "static"


def test_its_card_says_that_it_saw_no_question() -> None:
    card = StaticModel.load(FOLDER).card
    assert [source["source"] for source in card["sources"]] == ["citations", "headings"]
    assert {source["licence"] for source in card["sources"]} == {"Apache-2.0"}
    assert card["dev"] is None
    assert card["corpus"]["sha256"] == Collection("legalir/firecode").fingerprint()


@pytest.mark.neural
def test_its_recipe_makes_it_again(tmp_path: Path) -> None:
    from legalir.train.recipes import StaticRecipe
    from legalir.train.static import train_recipe

    recipe = StaticRecipe.load(RECIPE)
    assert Path(recipe.out) == FOLDER.resolve()
    again = train_recipe(StaticRecipe.load(RECIPE, out=str(tmp_path / "model")), progress=False)
    # On one kind of processor the bytes are the same; on another, sums may differ in their last bits.
    shipped, collection = StaticModel.load(FOLDER), Collection("legalir/firecode")
    texts = [*collection.topics()["query"], *(doc.default_text() for doc in collection.docs())]
    assert np.einsum("ij,ij->i", again.model.encode(texts), shipped.encode(texts)).min() > 0.999
    assert again.model.card["loss"] == pytest.approx(shipped.card["loss"], abs=1e-3)
    assert {**again.model.card, "loss": None} == {**shipped.card, "loss": None}
