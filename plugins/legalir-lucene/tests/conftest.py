"""What holds for every test: directories of its own, and none of the settings of whoever runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from legalir import Collection

Make = Callable[..., Collection]
Alone = Callable[..., str]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "own-home"
    monkeypatch.setenv("LEGALIR_HOME", str(home / "legalir"))
    monkeypatch.setenv("PYTERRIER_HOME", str(home / "pyterrier"))
    monkeypatch.setenv("IR_DATASETS_HOME", str(home / "ir_datasets"))
    for name in ("LEGALIR_DATA", "LEGALIR_LUCENE_HEAP", "LEGALIR_LUCENE_THREADS", "ANSERINI_CLASSPATH", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(name="make")
def make_collection(tmp_path: Path) -> Make:
    """Return ``make(texts)``: a collection of these texts by docno."""

    def make(texts: Mapping[str, str], name: str = "made") -> Collection:
        folder = tmp_path / name
        folder.mkdir()
        lines = [json.dumps({"docno": docno, "text": text}) for docno, text in texts.items()]
        (folder / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return Collection(folder, cache=tmp_path / "cache")

    return make


@pytest.fixture(name="alone")
def run_alone(tmp_path: Path) -> Alone:
    """Return ``alone(code, **environment)``: what a Python of its own prints, whose Java is its own, too."""

    def alone(code: str, **environment: str) -> str:
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            cwd=tmp_path,
            timeout=120,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        assert not run.stderr, "Java and Lucene keep quiet"
        return run.stdout

    return alone
