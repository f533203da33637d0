"""``legalir finetune``: a recipe with changes, the table at the end, exit codes."""

from __future__ import annotations

import json
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml
from tiny_models import write_causal
from tunable import TINY, write_collection, write_tunable


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the program in this process, and return its exit code."""
    (program,) = entry_points(group="console_scripts", name="legalir")
    monkeypatch.setattr(sys, "argv", ["legalir", "finetune", *arguments])
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as ended:
        program.load()()
    return int(ended.value.code or 0)


def test_a_recipe_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "recipe.yaml"
    assert run(monkeypatch, str(recipe)) == 2
    assert capsys.readouterr().err.startswith(f"error: {recipe}")
    recipe.write_text("dataset: a\nmodel: b\nout: c\n", encoding="utf-8")
    assert run(monkeypatch, str(recipe), "--device", "tpu") == 2
    assert "'device' must be one of cpu, cuda, mps, got 'tpu'." in capsys.readouterr().err


def test_from_a_recipe_to_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tunable(tmp_path)
    capsys.readouterr()  # transformers shows bars while it writes the models.
    recipe, out = tmp_path / "recipe.yaml", tmp_path / "model"
    values = {**TINY, "dataset": "./statutes/train", "dev": "dev", "model": "./bert", "out": "./elsewhere"}
    recipe.write_text(yaml.safe_dump(values), encoding="utf-8")
    assert run(monkeypatch, str(recipe), "--out", str(out), "--epochs", "1") == 0
    shown = capsys.readouterr()
    assert [line.split()[:2] for line in shown.err.splitlines()] == [["epoch", "0"], ["epoch", "1"]]
    lines = [line.rstrip() for line in shown.out.splitlines()]
    assert lines[0].split() == ["epoch", "loss", "R@10", "nDCG@10", "MultiHitRate@10", "seconds"]
    assert [line.split()[0] for line in lines[1:3]] == ["0", "1"]
    assert len(lines[1].split()) == 5
    assert lines[2].endswith("kept")
    assert lines[3].startswith(f"Model: {out} (")
    assert lines[4] == f"Use it: --pipeline 'dense(\"{out}\")'"
    assert run(monkeypatch, str(recipe), "--out", str(out)) == 2
    assert capsys.readouterr().err == f"error: {out} exists: give another place, or replace=True (--replace).\n"
    # The base model's place is not taken for that of a tuned one.
    assert run(monkeypatch, str(recipe), "--out", str(tmp_path / "bert"), "--replace") == 2
    assert "bert exists and is not a fine-tuned model" in capsys.readouterr().err
    changes = ("--model", str(tmp_path / "m3"), "--epochs", "1", "--replace", "--json")
    assert run(monkeypatch, str(recipe), "--out", str(out), *changes) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["out"] == str(out)
    assert [row["epoch"] for row in facts["history"]] == [0, 1]
    assert facts["history"][0]["loss"] is None
    assert facts["history"][1]["kept"] is True


def test_continued_pre_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(tmp_path / "statutes")
    write_causal(tmp_path / "tiny", hidden=16, layers=1)
    recipe, out = tmp_path / "recipe.yaml", tmp_path / "model"
    recipe.write_text(
        "kind: pretrain\ndataset: ./statutes\nmodel: ./tiny\nout: ./model\nmax_length: 32\nrank: 2\nepochs: 2\n",
        encoding="utf-8",
    )
    capsys.readouterr()
    assert run(monkeypatch, str(recipe), "--epochs", "1", "--device", "cpu") == 0
    shown = capsys.readouterr()
    lines = [line.split() for line in shown.err.splitlines()]
    assert [line[:2] for line in lines] == [["epoch", "0"], ["epoch", "1"]]
    assert [line[-4] for line in lines] == ["perplexity", "perplexity"]
    table = [line.split() for line in shown.out.splitlines()]
    assert table[0] == ["epoch", "loss", "perplexity", "seconds"]
    assert (len(table[1]), table[2][-1]) == (3, "kept")
    assert f"Use it: --llm 'transformers(model=\"{out}\")'" in shown.out.splitlines()
    assert run(monkeypatch, str(recipe), "--epochs", "1", "--device", "cpu", "--replace", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert [row["loss"] is None for row in facts["history"]] == [True, False]
    assert run(monkeypatch, str(recipe), "--epochs", "-1") == 2
    assert capsys.readouterr().err == f"error: {recipe}: 'epochs' must be at least 1, got -1.\n"
