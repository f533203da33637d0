"""Recipes: what is read, what is refused, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from legalir.errors import ComponentError, DefinitionError
from legalir.train.recipes import StaticRecipe

LEAST = {"dataset": "legalir/firecode", "out": "model"}


def test_defaults_survive_yaml(tmp_path: Path) -> None:
    recipe = StaticRecipe.parse(
        {**LEAST, "sources": ["headings", "citations"], "weights": {"headings": 1, "citations": 2}}, "r"
    )
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe.as_dict()), encoding="utf-8")
    assert StaticRecipe.load(file) == recipe
    assert StaticRecipe.load(file, seed=7).seed == 7
    assert recipe.ngrams.rows == 2**17


def test_every_key_is_documented() -> None:
    assert [name for name, field in StaticRecipe.model_fields.items() if not field.description] == []


def test_places_are_seen_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "recipe.yaml"
    file.write_text("dataset: ../data/train\nout: ./model\n", encoding="utf-8")
    recipe = StaticRecipe.load(file)
    assert recipe.dataset == str(tmp_path / "data" / "train")
    assert recipe.out == str(tmp_path / "sub" / "model")
    assert StaticRecipe.load(file, out="elsewhere").out == "elsewhere"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"out": "x"}, "r: the key 'dataset' is missing."),
        ({"dataset": "x"}, "r: the key 'out' is missing."),
        ({**LEAST, "epochs": 0}, "r: 'epochs' must be at least 1, got 0."),
        ({**LEAST, "rows": 2**24 + 1}, "r: 'rows' must be at most 16777216, got 16777217."),
        ({**LEAST, "rate": "3e-3"}, "'rate' must be a number (write 0.003 or 3.0e-3), got '3e-3' (text)."),
        ({**LEAST, "rate": 0}, "'rate' must be above 0, got 0."),
        ({**LEAST, "checkpoint_minutes": -1}, "'checkpoint_minutes' must be at least 0, got -1."),
        (
            {**LEAST, "sources": ["judgement"]},
            "must be one of judgements, citations, headings, got 'judgement'. Did you mean 'judgements'?",
        ),
        ({**LEAST, "sources": ["headings", "headings"]}, "'sources' names headings twice; keep one."),
        (
            {**LEAST, "weights": {"headings": 1}},
            "'weights' names 'headings', which is not one of 'sources': judgements.",
        ),
        ({**LEAST, "weights": {"judgements": 0}}, "'weights', 'judgements' must be above 0, got 0."),
        (
            {**LEAST, "sources": ["headings", "citations"], "weights": {"headings": 1}},
            "'weights' has no number for 'citations': give one to each source, or to none.",
        ),
        ({**LEAST, "patience": 2}, "'patience' needs 'dev'"),
        ({**LEAST, "hold_out": 0.6}, "'hold_out' must be at most 0.5, got 0.6."),
        ({**LEAST, "measure": "R@1"}, "'measure' must be one of R@10, nDCG@10, MultiHitRate@10, got 'R@1'."),
        ({**LEAST, "char": [0]}, "'char', item 1 must be at least 1, got 0."),
    ],
)
def test_one_sentence(values: object, sentence: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        StaticRecipe.parse(values, "r")
    assert sentence in str(caught.value)


def test_n_grams_of_nothing() -> None:
    with pytest.raises(ComponentError, match="nothing is read"):
        StaticRecipe.parse({**LEAST, "char": [], "words": False}, "r")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"dataset: [", "is not valid YAML: line 1, column 11"),
        (b"- 1", "got a list"),
        (b"dataset: !!python/name:os.system", "is not valid YAML"),
    ],
)
def test_files(tmp_path: Path, content: bytes, sentence: str) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_bytes(content)
    with pytest.raises(DefinitionError) as caught:
        StaticRecipe.load(file)
    assert str(file) in str(caught.value)
    assert sentence in str(caught.value)
    with pytest.raises(DefinitionError, match="does not exist"):
        StaticRecipe.load(tmp_path / "none.yaml")


def test_the_fingerprint_is_that_of_what_matters() -> None:
    recipe = StaticRecipe.parse(LEAST, "r")
    same = StaticRecipe.parse({**LEAST, "out": "b", "threads": 3, "checkpoint_minutes": 1}, "r")
    assert recipe.fingerprint({"corpus": "1"}) == same.fingerprint({"corpus": "1"})
    assert recipe.fingerprint({"corpus": "2"}) != recipe.fingerprint({"corpus": "1"})
    for changes in ({"seed": 2}, {"rows": 64}, {"char": [3]}, {"epochs": 9}, {"hard": 0}, {"negatives": "bm25"}):
        assert StaticRecipe.parse({**LEAST, **changes}, "r").fingerprint({}) != recipe.fingerprint({})


def test_holding_out_counts_only_where_it_takes_questions_away() -> None:
    plain = StaticRecipe.parse({**LEAST, "hold_out": 0}, "r")
    assert "hold_out" not in plain.settings()
    for changes in ({"dev": "dev"}, {"sources": ["headings"]}):
        recipe, without = (StaticRecipe.parse({**LEAST, **changes, "hold_out": share}, "r") for share in (0.2, 0))
        assert recipe.fingerprint({}) == without.fingerprint({})
    assert StaticRecipe.parse(LEAST, "r").settings()["hold_out"] == 0.2
    assert StaticRecipe.parse(LEAST, "r").fingerprint({}) != plain.fingerprint({})
