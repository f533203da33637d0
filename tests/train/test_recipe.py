"""Recipes: what is read, what is refused, and in which words."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from legalir.errors import ComponentError, DefinitionError
from legalir.train.recipe import Recipe, Settings

LEAST = {"dataset": "legalir/firecode", "out": "model"}


def test_defaults_survive_yaml(tmp_path: Path) -> None:
    recipe = Recipe.parse({**LEAST, "sources": ["headings", "citations"], "weights": {"headings": 1, "citations": 2}})
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe.as_dict()), encoding="utf-8")
    assert Recipe.load(file) == recipe
    assert Recipe.load(file, seed=7).seed == 7
    assert recipe.ngrams.rows == 2**17


def test_every_value_with_a_default_is_a_setting() -> None:
    assert {item.name for item in fields(Recipe)} == {"dataset", "out", *Settings.__annotations__}
    documented = inspect.getdoc(Recipe) or ""
    for item in fields(Recipe):
        assert f" {item.name}" in documented


def test_places_are_seen_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "recipe.yaml"
    file.write_text("dataset: ../data/train\nout: ./model\n", encoding="utf-8")
    recipe = Recipe.load(file)
    assert recipe.dataset == str(tmp_path / "data" / "train")
    assert recipe.out == str(tmp_path / "sub" / "model")
    assert Recipe.load(file, out="elsewhere").out == "elsewhere"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([], "the recipe holds a list; a recipe is a mapping with the key 'dataset'."),
        ({"out": "x"}, "the recipe: the key 'dataset' is missing."),
        ({"dataset": "x"}, "the recipe: the key 'out' is missing."),
        ({**LEAST, "epoch": 2}, "the recipe: the key 'epoch' is not known. Did you mean 'epochs'?"),
        ({**LEAST, "zzzzzz": 2}, "the recipe: the key 'zzzzzz' is not known. Known are: dataset, out, sources"),
        ({**LEAST, "epochs": 0}, "the recipe: 'epochs' is 0, but must lie from 1 to 2147483648."),
        ({**LEAST, "epochs": "2"}, "the recipe: 'epochs' must be a whole number, not text."),
        ({**LEAST, "words": 1}, "the recipe: 'words' must be true or false, not a whole number."),
        ({**LEAST, "rate": "3e-3"}, "'rate' must be a number (write 0.003 or 3.0e-3), not text."),
        ({**LEAST, "rate": float("nan")}, "'rate' must be a number"),
        ({**LEAST, "rate": 0}, "'rate' is 0, but must be above 0."),
        ({**LEAST, "checkpoint_minutes": -1}, "'checkpoint_minutes' is -1, but must be at least 0."),
        (
            {**LEAST, "sources": ["judgement"]},
            "must be one of judgements, citations, headings. Did you mean 'judgements'?",
        ),
        ({**LEAST, "sources": []}, "'sources' is empty; name at least one of judgements, citations, headings."),
        ({**LEAST, "sources": "headings"}, "'sources' must be a list such as [judgements, headings], not text."),
        ({**LEAST, "sources": ["headings", "headings"]}, "'sources' names headings twice; keep one."),
        ({**LEAST, "weights": {"headings": 1}}, "'weights' names 'headings', which is none of 'sources': judgements."),
        (
            {**LEAST, "sources": ["headings", "citations"], "weights": {"headings": 1}},
            "'weights' has no number for 'citations': give one to every source, or to none.",
        ),
        ({**LEAST, "patience": 2}, "'patience' needs 'dev'"),
        ({**LEAST, "measure": "R@1"}, "'measure' is 'R@1', but must be one of R@10, nDCG@10, MultiHitRate@10."),
        ({**LEAST, "out": " "}, "'out' is empty; give it a value."),
        ({**LEAST, "char": [0]}, "'char' is 0, but must lie from 1 to 8."),
        ({**LEAST, "char": 2}, "'char' must be a list of lengths such as [2, 3], not a whole number."),
        ({**LEAST, "negatives": None}, "'negatives' must be text (put it in quotes), not nothing."),
    ],
)
def test_one_sentence(values: object, sentence: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        Recipe.parse(values)
    assert sentence in str(caught.value)


def test_n_grams_of_nothing() -> None:
    with pytest.raises(ComponentError, match="nothing is read"):
        Recipe.parse({**LEAST, "char": [], "words": False})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"dataset: [", "is not valid YAML: line 1, column 11"),
        (b"out: a\nout: b", "line 2: the key 'out' is written twice; keep one."),
        (b"\xff", "is not UTF-8 (byte 0)"),
        (b"- 1", "holds a list"),
        (b"dataset: !!python/name:os.system", "is not valid YAML"),
    ],
)
def test_files(tmp_path: Path, content: bytes, sentence: str) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_bytes(content)
    with pytest.raises(DefinitionError) as caught:
        Recipe.load(file)
    assert str(file) in str(caught.value)
    assert sentence in str(caught.value)
    with pytest.raises(DefinitionError, match="does not exist"):
        Recipe.load(tmp_path / "none.yaml")


def test_the_fingerprint_is_that_of_what_matters() -> None:
    recipe = Recipe.parse(LEAST)
    same = Recipe.parse({**LEAST, "out": "b", "threads": 3, "checkpoint_minutes": 1})
    assert recipe.fingerprint({"corpus": "1"}) == same.fingerprint({"corpus": "1"})
    assert recipe.fingerprint({"corpus": "2"}) != recipe.fingerprint({"corpus": "1"})
    for changes in ({"seed": 2}, {"rows": 64}, {"char": [3]}, {"epochs": 9}, {"hard": 0}, {"negatives": "bm25"}):
        assert Recipe.parse({**LEAST, **changes}).fingerprint({}) != recipe.fingerprint({})
