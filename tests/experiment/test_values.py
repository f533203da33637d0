"""Values of a definition: literals that cannot change an expression, checked where they are used."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
import yaml
from fake_collection import DEFINITION, FakeCollection, page_of

from legalir.errors import DefinitionError, ExperimentError
from legalir.experiments import Definition, ExperimentResult, run
from legalir.experiments.definition import filled
from legalir.pipeline import canonical

SYSTEMS = {"BGE": 'dense("${bge_m3}")', "BGE + SAR": 'dense("${bge_m3}") % 100 >> sar(k=${k})', "BM25": "bm25"}
VALUES = {"bge_m3": "BAAI/bge-m3", "k": 15}
BASE: dict[str, object] = {
    "dataset": "legalir/firecode/dev",
    "measures": ["R@10"],
    "values": VALUES,
    "systems": SYSTEMS,
}


def test_values_stand_in_the_expressions() -> None:
    definition = Definition.parse(BASE)
    assert definition.systems == SYSTEMS
    assert definition.expressions() == {
        "BGE": 'dense("BAAI/bge-m3")',
        "BGE + SAR": 'dense("BAAI/bge-m3") % 100 >> sar(k=15)',
        "BM25": "bm25",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a("$name")', 'a("x")'),
        ("a('${name}/${name}', n=${n})", "a('x/x', n=0.5)"),
        ('a("""${name}""")', 'a("""x""")'),
        ('a("$$${name}$$")', 'a("$x$")'),
        ('a(w={"${name}": ${n}})', 'a(w={"x": 0.5})'),
        ('a("n = ${n}")', 'a("n = 0.5")'),
        (r'a("\\${name}", "\"${name}")', r'a("\\x", "\"x")'),
        ("a(k=-${n}) * ${n}", "a(k=-0.5) * 0.5"),
    ],
)
def test_places_of_values(text: str, expected: str) -> None:
    assert filled(text, {"name": "x", "n": 0.5}) == expected


def test_a_value_is_its_characters_and_nothing_else() -> None:
    for value in (
        '"',
        '") >> bm25("',
        "\\",
        '\\"',
        "{β}",
        "${n}",
        "$$",
        "#",
        "한글 폴더",
        "C:\\new\\x41",
        '"""',
        "'''",
    ):
        for quote in ('"', "'", '"""', "'''"):
            expression = filled(f"dense(model={quote}a/${{name}}/b{quote}, k=3) >> sar", {"name": value})
            tree = ast.parse(canonical(expression), mode="eval")
            assert [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)] == [3, f"a/{value}/b"]
            assert {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} == {"dense", "sar"}


def test_no_value_breaks_out_of_its_quotes() -> None:
    generator = random.Random(1)
    for _ in range(1000):
        value = "".join(generator.choice("\"'\\()a{}$ #>x") for _ in range(generator.randint(1, 8)))
        quote = generator.choice(['"', "'", '"""', "'''"])
        call = ast.parse(filled(f"f({quote}${{v}}{quote})", {"v": value}), mode="eval").body
        assert isinstance(call, ast.Call) and len(call.args) == 1
        assert ast.literal_eval(call.args[0]) == value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"systems": {**SYSTEMS, "Q": 'dense("${qwen3}")'}}, "the system 'Q' uses ${qwen3}, but 'values' does not"),
        ({"systems": {**SYSTEMS, "Q": 'dense("${bge_m}")'}}, "Did you mean 'bge_m3'?"),
        ({"systems": {"BM25": "bm25"}}, "'values' holds 'bge_m3', but no system uses ${bge_m3}"),
        ({"systems": {"A": 'x("${a}")'}, "values": {}}, "It has no key 'values'."),
        ({"systems": {**SYSTEMS, "D": "bm25($)"}}, "the system 'D' has a '$' without a {name}: write $$"),
        ({"systems": {**SYSTEMS, "D": "dense(${bge_m3})"}}, 'outside quotes: write "${bge_m3}"'),
        ({"systems": {**SYSTEMS, "D": "x(k=1${k})"}}, "runs together"),
        ({"systems": {**SYSTEMS, "D": "x(k=${k}.5)"}}, "runs together"),
        ({"systems": {**SYSTEMS, "D": 'x(r"${bge_m3}")'}}, "plain quotes"),
        ({"systems": {**SYSTEMS, "D": 'x("\\${bge_m3}")'}}, "after a backslash"),
        ({"values": ["bge_m3"]}, "'values' must be a mapping, got a list"),
        ({"values": None}, "'values' must be a mapping"),
        ({"values": {**VALUES, "a b": 1}}, "the name 'a b' is not a name"),
        ({"values": {**VALUES, 3: 1}}, "the name 3 must be text"),
        ({"values": {**VALUES, "k": True}}, "'k' must be text or a number, got true"),
        ({"values": {**VALUES, "k": [1]}}, "'k' must be text or a number, got a list"),
        ({"values": {**VALUES, "k": float("nan")}}, "finite"),
        ({"values": {**VALUES, "bge_m3": "a\nb"}}, "control character"),
        ({"values": {**VALUES, "bge_m3": ""}}, "'bge_m3' is empty"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_the_key(change: dict[str, object], words: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        Definition.parse({**BASE, **change}, where="a.yaml")
    assert words in str(caught.value)
    assert str(caught.value).startswith("a.yaml: ") and "\n" not in str(caught.value)


def test_values_are_exchanged_by_name_and_kind(tmp_path: Path) -> None:
    definition = Definition.parse(BASE)
    assert definition.with_values({}) == definition
    assert definition.with_values({"k": "20", "bge_m3": tmp_path}).values == {"bge_m3": str(tmp_path), "k": 20}
    assert definition.with_values({"k": "0.5"}).values["k"] == 0.5
    assert definition.with_values({"bge_m3": "7"}).expressions()["BGE"] == 'dense("7")'
    for given, words in [
        ({"bge": "x"}, "'bge' cannot be set, because the experiment does not have it. Did you mean 'bge_m3'?"),
        ({"other": "x"}, "Known values: bge_m3, k."),
        ({"k": "many"}, "'k' must be a number, got 'many'"),
        ({"k": "nan"}, "finite"),
        ({"bge_m3": 3}, "'bge_m3' must be text such as 'BAAI/bge-m3', got 3 (a whole number)"),
        ({"bge_m3": ""}, "empty"),
    ]:
        with pytest.raises(DefinitionError) as caught:
            definition.with_values(given)
        assert words in str(caught.value)


def test_a_sweep_uses_values_and_its_parameter_is_none() -> None:
    sweep = {
        "name": "SAR",
        "parameter": "beta",
        "values": [0, 0.5],
        "expression": 'dense("${model}") >> sar(beta={beta})',
    }
    value = {"dataset": "d", "measures": ["R@5"], "values": {"model": "a/{beta}"}, "sweeps": [sweep]}
    definition = Definition.parse(value)
    assert definition.expressions() == {
        "SAR, beta=0": 'dense("a/{beta}") >> sar(beta=0)',
        "SAR, beta=0.5": 'dense("a/{beta}") >> sar(beta=0.5)',
    }
    assert Definition.parse(definition.as_dict()) == definition
    with pytest.raises(DefinitionError, match=r"'beta' .*sweep's parameter"):
        Definition.parse({**value, "values": {"model": "x", "beta": 1}})


def test_a_definition_with_values_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(yaml.safe_dump({**BASE, "values": {**VALUES, "bge_m3": "./models/m3"}, "title": "t"}))
    definition = Definition.load(path)
    # As with a dataset: what begins with ./ is seen from the file.
    assert definition.values["bge_m3"] == str(tmp_path / "models" / "m3")
    path.write_text(yaml.safe_dump(definition.as_dict(), sort_keys=False))
    assert Definition.load(path) == definition
    assert definition.shown().values == {"bge_m3": "m3", "k": 15}


FAKE: dict[str, object] = {**DEFINITION, "values": {"cut": 1}, "systems": {"약함": "weak", "Strong": "strong % ${cut}"}}


def test_a_result_shows_the_values_used_and_can_be_run_again(tmp_path: Path) -> None:
    first = run(FAKE, tmp_path, values={"cut": 2}, collection=FakeCollection())  # type: ignore[arg-type]
    assert first.definition.values == {"cut": 2}
    assert first.environment["values"] == {"cut": 2}
    assert first.environment["systems"]["Strong"]["expression"] == "strong % 2"  # type: ignore[index]
    assert "cut = <code>2</code>" in page_of(first) and "strong % 2" in page_of(first)
    stored = tmp_path / "definition.yaml"
    assert yaml.safe_load(stored.read_text(encoding="utf-8"))["values"] == {"cut": 2}
    again = run(stored, tmp_path, collection=FakeCollection())  # type: ignore[arg-type]
    assert again.reused == ["약함", "Strong"]
    other = run(stored, tmp_path, values={"cut": 1}, collection=FakeCollection())  # type: ignore[arg-type]
    assert other.reused == ["약함"]
    assert ExperimentResult.load(tmp_path).definition == other.definition


def test_a_folder_of_the_user_stays_out_of_what_is_shown(tmp_path: Path) -> None:
    definition = {**FAKE, "values": {"cut": 1, "m": "./model"}, "systems": {"A": 'weak % ${cut} >> sar("${m}")'}}
    definition = Definition.parse({**definition, "baseline": None}).located(tmp_path)
    assert definition.expressions()["A"] == f'weak % 1 >> sar("{tmp_path}/model")'
    assert definition.shown().expressions()["A"] == 'weak % 1 >> sar("model")'
