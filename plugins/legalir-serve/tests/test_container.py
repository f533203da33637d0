"""The container file: what it copies is there, and what it runs are arguments that the command takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer

from legalir import Collection
from legalir_serve.command import app

ROOT = Path(__file__).parents[3]
FILE = ROOT / "Containerfile"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="this is not a clone of legalir")


def lines(instruction: str) -> list[str]:
    text = FILE.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.partition(" ")[2].strip() for line in text.splitlines() if line.startswith(f"{instruction} ")]


def test_it_copies_what_is_there() -> None:
    copied = [part for line in lines("COPY") if not line.startswith("--from") for part in line.split()[:-1]]
    assert copied and not [part for part in copied if not (ROOT / part).exists()]
    inside = {line.split()[-1] for line in lines("COPY")} | {f"/source/{part}" for part in copied}
    (installed,) = (line for line in lines("RUN") if "pip install" in line)
    assert {part for part in installed.split() if part.startswith("/source/")} <= inside


def test_what_it_runs() -> None:
    (entry,), (healthy,) = map(json.loads, lines("ENTRYPOINT")), re.findall(r"CMD (\[.*\])", lines("HEALTHCHECK")[0])
    command = typer.main.get_command(app)
    given = command.make_context("legalir serve", [*entry[2:], *json.loads(lines("CMD")[0])]).params
    assert entry[:2] == ["legalir", "serve"] and given["host"] == "0.0.0.0"
    assert all(any(one.text for one in Collection(name).docs()) for name in given["datasets"])
    (port,) = lines("EXPOSE")
    assert str(given["port"]) == port and f":{port}/v1/health" in json.loads(healthy)[2]
    assert lines("USER")[-1].split(":")[0] not in ("0", "root")
    compile(json.loads(healthy)[2], "healthcheck", "exec")
