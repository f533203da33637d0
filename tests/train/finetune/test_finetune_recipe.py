"""Recipes of fine-tuning: what they say wrong is said in one sentence, and what they are is known by a fingerprint."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from legalir.errors import DefinitionError
from legalir.train.finetune import FineTuning

SHIPPED = Path(__file__).parents[3] / "experiments" / "neural" / "finetune"
GIVEN = {"dataset": "legalir/firecode/train", "model": "org/name", "out": "model"}


def parsed(**values: object) -> FineTuning:
    return FineTuning.parse({**GIVEN, **values}, "r.yaml")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"epoch": 3}, r"r\.yaml: the key 'epoch' is not known\. Did you mean 'epochs'\?"),
        ({"zzzz": 3}, r"the key 'zzzz' is not known\. Known are: dataset, model, out, "),
        ({"model": None}, r"r\.yaml: the key 'model' is missing\."),
        ({"objective": "sparse"}, r"'objective' is 'sparse', but must be one of dense, unified\."),
        ({"objective": "unfied"}, r"Did you mean 'unified'\?"),
        ({"precision": "float8"}, r"'precision' is 'float8', but must be one of float32, bfloat16, float16"),
        ({"pooling": "max"}, r"'pooling' is 'max', but must be one of cls, mean, last"),
        ({"device": "cuda:1"}, r"'device' is 'cuda:1', but must be one of cpu, cuda, mps"),
        ({"batch": 1}, r"'batch' is 1, but must lie from 2 to"),
        ({"hard": -1}, r"'hard' is -1, but must lie from 0 to"),
        ({"hard": 3, "pool": 2}, r"'pool' is 2, but 3 hard negatives are drawn from it: give 3 or more\."),
        ({"warmup": 1}, r"'warmup' is 1, but is a share of the steps: give 0 to 0\.5\."),
        ({"warmup": "1e-1"}, r"'warmup' must be a number"),
        ({"rate": 0}, r"'rate' is 0, but must be above 0\."),
        ({"temperature": "hot"}, r"'temperature' must be a number"),
        ({"query_length": 4}, r"'query_length' is 4, but must lie from 8 to 131072 tokens\."),
        ({"passage_length": True}, r"'passage_length' must be a whole number of tokens, not true or false\."),
        ({"query_prompt": 3}, r"'query_prompt' must be text \(put it in quotes\), not a whole number\."),
        ({"patience": 2}, r"'patience' needs 'dev': without a dev split nothing is measured\."),
        ({"dev_provisions": 9}, r"'dev_provisions' needs 'dev'"),
        ({"self_distill": True}, r"'self_distill' needs three heads: write 'objective: unified', or leave it out\."),
        ({"objective": "unified", "pooling": "mean"}, r"'pooling' must be cls for 'objective: unified'"),
        ({"objective": "unified", "query_prompt": "q: "}, r"'query_prompt' has no place in 'objective: unified'"),
        ({"gradient_checkpointing": 1}, r"'gradient_checkpointing' must be true or false, not a whole number\."),
        ({"sources": ["judgments"]}, r"Did you mean 'judgements'\?"),
        ({"measure": "MRR"}, r"'measure' is 'MRR', but must be one of R@10, nDCG@10, MultiHitRate@10"),
    ],
)
def test_what_is_wrong_is_said(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(DefinitionError, match=sentence):
        parsed(**values)


def test_no_mapping() -> None:
    with pytest.raises(DefinitionError, match="the recipe holds a list; a recipe is a mapping with the key 'dataset'"):
        FineTuning.parse([1])


def test_it_is_what_it_was_written_from() -> None:
    recipe = parsed(sources=["headings", "citations"], pool=20, dev="dev", most_pairs=100)
    assert recipe.sources == ("headings", "citations")
    assert (recipe.hard, recipe.depth, recipe.temperature) == (3, 20, 0.02)
    assert parsed().depth == 3
    assert FineTuning.parse(recipe.as_dict()) == recipe


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
    recipe = FineTuning.load(file)
    assert recipe.hard == 3
    assert recipe.out.startswith("results/")
