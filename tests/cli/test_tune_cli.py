"""`legalir tune` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from legalir.cli.main import app
from legalir.train import tune as module

PLAIN = {"COLUMNS": "200"}


def test_firecode_is_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two settings with two values each: the command is tested here, not the search.
    monkeypatch.setattr(module, "_GRIDS", {"k1": (1.2,), "family": (0.0,)})
    monkeypatch.setattr(module, "_knobs", lambda collection, start: dict(module._GRIDS))
    out, page = tmp_path / "tuned.yaml", tmp_path / "page.html"
    line = ["tune", "legalir/firecode/dev", "--out", str(out), "--report", str(page)]
    shown = CliRunner().invoke(app, line, env=PLAIN)
    assert shown.exit_code == 0, shown.output
    assert "on questions that had no part in the choice" in shown.output
    assert "45 judged questions and 60 of out_of_scope.jsonl" in shown.output
    assert f"Report: {page}" in shown.output
    assert "<h1>Tuning of <code>default</code> on firecode/dev</h1>" in page.read_text(encoding="utf-8")
    facts = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    assert facts["gain"]["questions"] == 45
    assert facts["runs"] == 0  # The first command stored all of them.
    assert len(facts["folds"]) == 5
    assert 0.4 <= facts["threshold"]["value"] < 1 and facts["threshold"]["refused"][0] < 0.2
    assert facts["path"] == (str(out) if out.exists() else None)
    late = CliRunner().invoke(app, ["tune", "legalir/firecode/test", "--minutes", "0"], env=PLAIN)
    assert "The time was over before all settings were tried" in late.output
