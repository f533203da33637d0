"""YAML and its schemas: values of each kind, and one sentence for each mistake."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import pytest
from pydantic import Field, field_validator, model_validator

from legalir.config import AnyText, Choice, Flag, Number, Schema, SchemaError, Text, Whole, located, read_yaml
from legalir.errors import DefinitionError


class Source(Schema):
    name: Text
    scores: Mapping[Text, Annotated[Number, Field(ge=0, le=1)]] = Field(default_factory=dict)


class Recipe(Schema):
    KIND: ClassVar[str] = "a recipe"
    PATHS: ClassVar[tuple[str, ...]] = ("dataset", "more")

    dataset: Text
    """What is learnt from."""
    rate: Annotated[Number, Field(gt=0, lt=1)] = 0.5
    epochs: Annotated[Whole, Field(ge=1)] | None = None
    words: Flag = True
    prompt: AnyText = ""
    pooling: Choice[Literal["cls", "mean"]] | None = "cls"
    sources: tuple[Source, ...] = ()
    more: Annotated[tuple[Text, ...], Field(min_length=1)] = ("a",)

    @field_validator("more")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("has a value twice; keep one.")
        return value

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.epochs == 7 and not self.words:
            raise SchemaError("'epochs' is 7, which needs 'words'.")
        return self


def test_values_of_each_kind() -> None:
    recipe = Recipe.parse(
        {"dataset": Path("a/b"), "rate": 0.25, "epochs": 2, "words": False, "prompt": " q: ", "pooling": " mean"}, "x"
    )
    assert (recipe.dataset, recipe.rate, recipe.epochs, recipe.words) == ("a/b", 0.25, 2, False)
    assert (recipe.prompt, recipe.pooling, recipe.more) == (" q: ", "mean", ("a",))
    assert Recipe(dataset=" a ").dataset == "a"
    part = Recipe.parse({"dataset": "a", "sources": [{"name": "b", "scores": {"R": 1}}], "pooling": None}, "x")
    assert part.sources == (Source(name="b", scores={"R": 1.0}),)
    assert isinstance(part.sources[0].scores["R"], float)
    assert part.pooling is None
    assert Recipe.model_fields["dataset"].description == "What is learnt from."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"epoch": 1}, "the key 'epoch' is unknown. Did you mean 'epochs'?"),
        ({3: 1}, "the key 3 is unknown. Known keys: dataset, rate, epochs, words, prompt, pooling, sources, more."),
        ({"dataset": 3}, "'dataset' must be text (put it in quotes), got 3 (a whole number)."),
        ({"dataset": None}, "'dataset' must be text (put it in quotes), got nothing."),
        ({"dataset": " "}, "'dataset' is empty; give it a value."),
        ({"rate": "0.5"}, "'rate' must be a number, got '0.5' (text)."),
        ({"rate": True}, "'rate' must be a number, got true."),
        ({"rate": float("nan")}, "'rate' must be a finite number, got nan (a number)."),
        ({"rate": 0}, "'rate' must be above 0, got 0."),
        ({"rate": 1.5}, "'rate' must be below 1, got 1.5."),
        ({"epochs": 0}, "'epochs' must be at least 1, got 0."),
        ({"epochs": 1.0}, "'epochs' must be a whole number, got 1.0 (a number)."),
        ({"epochs": True}, "'epochs' must be a whole number, got true."),
        ({"epochs": "1" * 99}, f"'epochs' must be a whole number, got '{'1' * 56}... (text)."),
        ({"words": 1}, "'words' must be true or false, got 1 (a whole number)."),
        ({"prompt": 1}, "'prompt' must be text (put it in quotes), got 1 (a whole number)."),
        ({"pooling": "maen"}, "'pooling' must be one of cls, mean, got 'maen'. Did you mean 'mean'?"),
        ({"pooling": 3}, "'pooling' must be one of cls, mean, got 3 (a whole number)."),
        ({"more": []}, "'more' is empty; give it a value."),
        ({"more": ["a", "a"]}, "'more' has a value twice; keep one."),
        ({"more": "a"}, "'more' must be a list, got 'a' (text)."),
        ({"more": ["a", 3]}, "'more', item 2 must be text (put it in quotes), got 3 (a whole number)."),
        ({"sources": ["a"]}, "'sources', item 1 must be a mapping, got 'a' (text)."),
        ({"sources": [{"nmae": "a"}]}, "'sources', item 1: the key 'nmae' is unknown. Did you mean 'name'?"),
        ({"sources": [{3: "a"}]}, "'sources', item 1: the key 3 is unknown. Known keys: name, scores."),
        ({"sources": [{}]}, "'sources', item 1: the key 'name' is missing."),
        (
            {"sources": [{"name": "a"}, {"name": "b", "scores": {"R": 48}}]},
            "'sources', item 2, 'scores', 'R' must be at most 1, got 48.",
        ),
        (
            {"sources": [{"name": "a", "scores": {True: 1}}]},
            "'sources', item 1, 'scores', the name True must be text (put it in quotes), got true.",
        ),
        ({"epochs": 7, "words": False}, "'epochs' is 7, which needs 'words'."),
    ],
)
def test_a_mistake_is_one_sentence(change: dict[object, object], sentence: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        Recipe.parse({"dataset": "a", **change}, "a.yaml")
    assert str(caught.value) == f"a.yaml: {sentence}"
    if all(isinstance(key, str) for key in change):
        with pytest.raises(DefinitionError) as caught:
            Recipe(**{"dataset": "a", **change})  # type: ignore[arg-type]
        assert str(caught.value) == sentence


def test_a_recipe_without_keys() -> None:
    with pytest.raises(DefinitionError, match=r"^a\.yaml: .*'dataset' is missing"):
        Recipe.parse({}, "a.yaml")
    with pytest.raises(DefinitionError, match=r"^a\.yaml: a recipe .*'dataset', got a list"):
        Recipe.parse([], "a.yaml")


def test_paths_in_a_file_are_seen_from_it(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text("dataset: ../data\nmore: [./a, b]\nprompt: ./c\n", encoding="utf-8")
    recipe = Recipe.load(file)
    assert recipe.dataset == str(tmp_path.parent / "data")
    assert recipe.more == (str(tmp_path / "a"), "b")
    assert recipe.prompt == "./c"
    # A changed value does not come from the file, so a path in it is not seen from the file.
    changed = Recipe.load(file, dataset="./here", rate=0.1)
    assert (changed.dataset, changed.rate) == ("./here", 0.1)
    file.write_text("dataset: 3\n", encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"recipe\.yaml: 'dataset' must be text"):
        Recipe.load(file)


def test_located() -> None:
    folder = Path("/f")
    assert located({"a": "./b", "c": ["../d", 3], "e": "f"}, folder) == {"a": "/f/b", "c": ["/d", 3], "e": "f"}
    assert located("~/x", folder) == str(Path.home() / "x")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a: 1\nb: {c: 1, c: 2}", r", line 2: the key 'c' occurs twice"),
        (b"1: x\ntrue: y", r", line 2: the keys 1 and true .*same value"),
        (b"yes: x\non: y", r", line 2: the keys yes and on .*same value"),
        (b"1: x\n1.0: y", r", line 2: the keys 1 and 1\.0 .*same value"),
        (b"1: x\n1: y", r", line 2: the key '1' occurs twice"),
        (b"a: 1\nday: 2021-02-31", r", line 2: 2021-02-31 is not a date of the calendar"),
        (b"a: [", r" is not valid YAML: line 1, column 5: "),
        (b"a: !!python/name:os.system", r" is not valid YAML: line 1, "),
        (b"a: \xff", r" is not UTF-8 \(byte 3\)"),
        (b"[" * 1500, r" is nested too deeply .*a recipe"),
        (None, r" does not exist: .*a recipe"),
    ],
)
def test_faults(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    file = tmp_path / "a.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DefinitionError, match=r"a\.yaml" + sentence):
        read_yaml(file, "a recipe")
