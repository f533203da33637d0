"""``legalir train``: options, recipes, the table at the end, and exit codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
import yaml

from legalir.cli.main import main
from legalir.cli.train import app

sys.path.append(str(Path(__file__).parents[1] / "train"))
from learnable import SMALL, write_statutes

OPTIONS = ("--rows", "2048", "--dim", "16", "--batch", "32", "--epochs", "2", "--rate", "0.02", "--hard", "4")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["legalir", "train", *arguments])
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture(name="statutes")
def folder_to_learn_from(tmp_path: Path) -> Path:
    return write_statutes(tmp_path / "statutes")


def test_options_are_keys_of_the_recipe_and_show_its_defaults() -> None:
    from legalir.train.recipes import StaticRecipe

    command = typer.main.get_command(app).commands["static"]  # type: ignore[attr-defined]
    shown = {option.name: option.show_default for option in command.params if isinstance(option.show_default, str)}
    words = {"dev": "none", "patience": "never", "threads": "all", "sources": "judgements"}
    assert shown.pop("resume") == "go on if it has the same recipe and data"
    for name, default in shown.items():
        assert default == words.get(name, str(StaticRecipe.model_fields[name].default)), name
    assert set(words) < set(shown)
    assert len(shown) == 15


@pytest.mark.neural
def test_options(
    statutes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model"
    assert run(monkeypatch, "static", f"{statutes}/train", "--dev", "dev", "--out", str(out), *OPTIONS) == 0
    shown = capsys.readouterr()
    assert "epoch 1  loss" in shown.err
    lines = shown.out.splitlines()
    assert lines[0].split() == ["epoch", "loss", "R@10", "nDCG@10", "MultiHitRate@10", "seconds"]
    assert [line.split()[0] for line in lines[1:3]] == ["1", "2"]
    assert sum(line.endswith("kept") for line in map(str.rstrip, lines)) == 1
    assert lines[3].startswith(f"Model: {out} (0.1 MB)")
    assert lines[5].startswith("On 40 questions that training had not seen, weight 0.05 in default is best: nDCG@10 ")
    # Once more: the place is taken.
    assert run(monkeypatch, "static", f"{statutes}/train", "--out", str(out), *OPTIONS) == 2
    assert capsys.readouterr().err == f"error: {out} exists: give another place, or replace=True (--replace).\n"
    replaced = ("static", f"{statutes}/train", "--out", str(out), "--replace", "--json", *OPTIONS)
    assert run(monkeypatch, *replaced) == 0
    shown = capsys.readouterr()
    facts = json.loads(shown.out)
    assert facts["out"] == str(out)
    assert facts["default"]["questions"] == 40
    assert [row["epoch"] for row in facts["history"]] == [1, 2]
    assert shown.err == ""


@pytest.mark.neural
def test_a_recipe(
    statutes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "recipe.yaml"
    values = {"dataset": "./statutes/train", "out": "./model", **SMALL, "epochs": 1}
    recipe.write_text(yaml.safe_dump(values), encoding="utf-8")
    assert run(monkeypatch, "static", "--recipe", str(recipe), "--seed", "5", "--json") == 0
    assert json.loads(capsys.readouterr().out)["out"] == str(tmp_path / "model")
    assert json.loads((tmp_path / "model" / "model.json").read_text(encoding="utf-8"))["card"]["seed"] == 5


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("static",), 2, "DATASET"),
        (("static", "legalir/firecode"), 2, "--out"),
        (("static", "legalir/firecode", "--out", "m", "--from", "judgments"), 2, "'judgements'"),
        (("static", "legalir/firecode", "--out", "m", "--epochs", "0"), 2, "'epochs'"),
        (("static", "--recipe", "none.yaml"), 2, "none.yaml"),
        (("statik",), 2, "statik"),
    ],
)
def test_misuse(
    arguments: tuple[str, ...],
    code: int,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, *arguments) == code
    assert sentence in capsys.readouterr().err


@pytest.mark.neural
def test_failures(
    statutes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("--out", str(tmp_path / "model"))
    assert run(monkeypatch, "static", f"{statutes}/train", *place, *OPTIONS, "--rate", "1e30") == 1
    assert "nothing was written" in capsys.readouterr().err
    assert run(monkeypatch, "static", f"{statutes}/tarin", *place) == 2
    assert "has no split 'tarin'" in capsys.readouterr().err
    assert run(monkeypatch, "static", f"{statutes}/train", *place, "--resume", *OPTIONS) == 2
    assert "holds no interrupted training" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()
