"""Recipes of fine-tuning: what they say wrong is said in one sentence, and what they are is known by a fingerprint."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from legalir.errors import DefinitionError
from legalir_finetune import FineTuning, Pretraining, load_recipe

SHIPPED = Path(__file__).parents[3] / "experiments" / "neural" / "finetune"
GIVEN = {"dataset": "legalir/firecode/train", "model": "org/name", "out": "model"}


def parsed(**values: object) -> FineTuning:
    return FineTuning.parse({**GIVEN, **values}, "r.yaml")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"epoch": 3}, r"r\.yaml: the key 'epoch' is unknown\. Did you mean 'epochs'\?"),
        ({"zzzz": 3}, r"the key 'zzzz' is unknown\. Known keys: dataset, model, out, "),
        ({"model": None}, r"r\.yaml: 'model' must be text \(put it in quotes\), got nothing\."),
        ({"objective": "sparse"}, r"'objective' must be one of dense, unified, got 'sparse'\."),
        ({"objective": "unfied"}, r"Did you mean 'unified'\?"),
        ({"precision": "float8"}, r"'precision' must be one of float32, bfloat16, float16, got 'float8'"),
        ({"pooling": "max"}, r"'pooling' must be one of cls, mean, last, got 'max'"),
        ({"device": "cuda:1"}, r"'device' must be one of cpu, cuda, mps, got 'cuda:1'"),
        ({"batch": 1}, r"'batch' must be at least 2, got 1\."),
        ({"hard": -1}, r"'hard' must be at least 0, got -1\."),
        ({"hard": 3, "pool": 2}, r"'pool' is 2, but 3 hard negatives are drawn from it: give 3 or more\."),
        ({"warmup": 1}, r"'warmup' must be below 1, got 1\."),
        ({"warmup": "1e-1"}, r"'warmup' must be a number"),
        ({"rate": 0}, r"'rate' must be above 0, got 0\."),
        ({"temperature": "hot"}, r"'temperature' must be a number"),
        ({"query_length": 4}, r"'query_length' must be at least 8, got 4\."),
        ({"query_length": 2**17 + 1}, r"'query_length' must be at most 131072, got 131073\."),
        ({"passage_length": True}, r"'passage_length' must be a whole number, got true\."),
        ({"query_prompt": 3}, r"'query_prompt' must be text \(put it in quotes\), got 3 \(a whole number\)\."),
        ({"patience": 2}, r"'patience' needs 'dev': without a dev split nothing is measured\."),
        ({"dev_provisions": 9}, r"'dev_provisions' needs 'dev'"),
        ({"self_distill": True}, r"'self_distill' needs three heads: write 'objective: unified', or leave it out\."),
        ({"objective": "unified", "pooling": "mean"}, r"'pooling' must be cls for 'objective: unified'"),
        ({"objective": "unified", "query_prompt": "q: "}, r"'query_prompt' cannot be given with 'objective: unified'"),
        ({"gradient_checkpointing": 1}, r"'gradient_checkpointing' must be true or false, got 1 \(a whole number\)\."),
        ({"sources": ["judgments"]}, r"Did you mean 'judgements'\?"),
        ({"rank": 8}, r"'rank' needs 'method: lora'"),
        ({"model": "e5", "method": "lora", "pooling": "cls"}, r"'pooling' cannot be given with 'model: e5' and"),
        ({"measure": "MRR"}, r"'measure' must be one of R@10, nDCG@10, MultiHitRate@10, got 'MRR'"),
    ],
)
def test_what_is_wrong_is_said(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(DefinitionError, match=sentence):
        parsed(**values)


def test_it_is_what_it_was_written_from() -> None:
    recipe = parsed(sources=["headings", "citations"], pool=20, dev="dev", most_pairs=100)
    assert recipe.sources == ("headings", "citations")
    assert (recipe.hard, recipe.depth, recipe.temperature) == (3, 20, 0.02)
    assert parsed().depth == 3
    assert FineTuning.parse(recipe.as_dict(), "r") == recipe


def test_places_of_a_file_are_seen_from_it(tmp_path: Path) -> None:
    file = tmp_path / "recipes" / "r.yaml"
    file.parent.mkdir()
    values = {"dataset": "../statutes/train", "model": "./base", "out": "results/model", "epochs": 9}
    file.write_text(yaml.safe_dump(values), encoding="utf-8")
    recipe = FineTuning.load(file, epochs=2)
    assert recipe.dataset == str(tmp_path / "statutes" / "train")
    assert recipe.model == str(tmp_path / "recipes" / "base")
    assert (recipe.out, recipe.epochs) == ("results/model", 2)
    with pytest.raises(DefinitionError, match="does not exist: give the path of a recipe"):
        FineTuning.load(tmp_path / "none.yaml")


def test_the_fingerprint_is_of_what_the_weights_depend_on() -> None:
    recipe, data = parsed(), {"corpus": "1"}
    same = parsed(out="elsewhere", model="./copy", device="cpu", checkpoint_minutes=1, checkpoint_steps=2)
    assert recipe.fingerprint(data) == same.fingerprint(data)
    assert recipe.fingerprint(data) != recipe.fingerprint({"corpus": "2"})
    for changes in ({"seed": 2}, {"precision": "bfloat16"}, {"negatives": "default"}, {"epochs": 4}):
        assert parsed(**changes).fingerprint(data) != recipe.fingerprint(data)


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_shipped_recipes_can_be_read(file: Path) -> None:
    recipe = load_recipe(file)
    assert isinstance(recipe, Pretraining) or recipe.hard == 3
    assert recipe.out.startswith("results/")


@pytest.mark.parametrize("recipe", [FineTuning, Pretraining])
def test_every_key_is_documented(recipe: type[FineTuning | Pretraining]) -> None:
    assert [name for name, field in recipe.model_fields.items() if not field.description] == []


def test_a_collection_in_place_of_a_recipe() -> None:
    recipe = load_recipe("legalir/firecode/dev", dev="test", out="mine")
    assert isinstance(recipe, FineTuning)
    assert (recipe.dataset, recipe.model, recipe.method, recipe.out) == ("legalir/firecode/dev", "e5", "lora", "mine")
    assert recipe.dev_provisions == 2000
    assert recipe.writes_adapter
    assert not recipe.model_copy(update={"method": "full"}).writes_adapter
