"""Servers and skills added to the configuration of agents, in a home of the test."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs.macos
import platformdirs.windows
import pytest
import yaml
from served import PLAIN, write
from typer.testing import CliRunner

from legalir.errors import DataError
from legalir_serve.agents import Agent, agents, install
from legalir_serve.command import mcp_app
from legalir_serve.service import Service

ENTRY = {"command": "/bin/python", "args": ["-m", "legalir.cli.main", "mcp", "/laws/밀집"]}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "LEGALIR_HOME", "LEGALIR_SEMANTIC"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def added(agent: Agent, dry: bool = False) -> list[str]:
    return [*install(agent, ENTRY["command"], ENTRY["args"], dry=dry)]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", agents())
def test_each_agent_keeps_what_it_has(name: str, home: Path) -> None:
    agent = agents()[name]
    assert agent.file.is_relative_to(home)
    toml = agent.file.suffix == ".toml"
    read: Any = tomllib.loads if toml else json.loads
    old = (
        '[mcp_servers.other]  # mine\ncommand = "x"\n'
        if toml
        else json.dumps({agent.key: {"other": {"command": "x"}}, "k": 1})
    )
    agent.file.parent.mkdir(parents=True, exist_ok=True)
    agent.file.write_text(old)
    agent.file.chmod(0o600)
    assert "would get" in added(agent, dry=True)[0] and agent.file.read_text() == old
    sentences = added(agent)
    new = read(agent.file.read_text(encoding="utf-8"))
    before = read(old)
    before[agent.key]["legalir"] = {**agent.extra, **ENTRY}
    assert new == before and agent.file.stat().st_mode & 0o777 == 0o600
    (kept,) = agent.file.parent.glob("*.bak")
    assert kept.read_text() == old and str(kept) in sentences[0]
    assert not toml or "# mine" in agent.file.read_text()
    assert all("already" in sentence for sentence in added(agent))
    assert agent.skills is None or (agent.skills / "legalir" / "SKILL.md").exists()


def test_another_command_takes_the_place_of_the_former_one() -> None:
    for name in ("codex", "cursor"):
        agent = agents()[name]
        added(agent)
        former = agent.file.read_text(encoding="utf-8")
        [*install(agent, "/bin/other", [])]
        assert "/bin/other" in agent.file.read_text() and "/bin/python" not in agent.file.read_text()
        added(agent)
        assert agent.file.read_text(encoding="utf-8") == former


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("vscode", '{"servers": {}, // mine\n}'),
        ("cursor", "[]"),
        ("cursor", '{"mcpServers": []}'),
        ("codex", "mcp_servers = {legalir = {command = 'x'}}\n"),
        ("codex", "mcp_servers = 3\n"),
        ("codex", "[mcp_servers\n"),
        ("gemini", "\xff"),
    ],
)
def test_what_cannot_be_changed_without_loss_is_left(name: str, text: str) -> None:
    agent = agents()[name]
    agent.file.parent.mkdir(parents=True, exist_ok=True)
    agent.file.write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=agent.file.name):
        added(agent)
    assert agent.file.read_bytes() == text.encode("latin-1") and len([*agent.file.parent.iterdir()]) == 1


def test_a_file_of_another_place_is_written_there(home: Path) -> None:
    agent = agents()["cursor"]
    (home / "dotfiles").mkdir()
    agent.file.parent.mkdir()
    agent.file.symlink_to(home / "dotfiles" / "mcp.json")
    (home / "dotfiles" / "mcp.json").write_text('{\n\t"k": 1\n}')
    added(agent)
    assert agent.file.is_symlink() and (home / "dotfiles" / "mcp.json").read_text().startswith('{\n\t"k": 1,')


def test_places_on_other_platforms(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPDATA", str(home / "AppData" / "Roaming"))
    monkeypatch.setattr(platformdirs.windows, "get_win_folder", platformdirs.windows.get_win_folder_from_env_vars)
    places = {platformdirs.macos.MacOS: "Library/Application Support", platformdirs.windows.Windows: "AppData/Roaming"}
    for platform, place in places.items():
        monkeypatch.setattr(
            platformdirs, "user_config_dir", lambda name, _of=platform, **given: _of(name, **given).user_config_dir
        )
        assert agents()["claude-desktop"].file == home / place / "Claude" / "claude_desktop_config.json"
        assert agents()["vscode"].file == home / place / "Code" / "User" / "mcp.json"


def test_the_command(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "harbour", PLAIN, "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "own-home"))
    warmed = list[Service]()
    monkeypatch.setattr(Service, "warm", lambda self: warmed.append(self))
    given = ["harbour", "--pipeline", "words=bm25", "--answer", "bm25 % 3 >> quote", "--offline", "--install"]
    dry = CliRunner().invoke(mcp_app, [*given, "cursor", "--dry-run"])
    assert dry.exit_code == 0 and not (home / ".cursor").exists() and "bm25 % 3" in dry.output
    ran = CliRunner().invoke(mcp_app, [*given, "cursor"])
    assert ran.exit_code == 0 and len(warmed) == 1
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["legalir"]
    assert entry["args"][2:4] == ["mcp", str(tmp_path / "harbour")] and entry["env"]["LEGALIR_HOME"]
    assert {*entry["args"][4:]} == {"--pipeline", "words=bm25", "--answer", "bm25 % 3 >> quote", "--offline", "--text"}
    for wrong in ([*given, "cursr"], ["harbour", "--dry-run"], ["nowhere", "--install", "cursor"]):
        assert CliRunner().invoke(mcp_app, wrong).exit_code != 0


def test_the_skill() -> None:
    """Its form: a name as that of its folder, a description of at most 1 024 characters; commands that exist."""
    text = (files("legalir_serve") / "skills" / "legalir" / "SKILL.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    facts = yaml.safe_load(front)
    assert facts["name"] == "legalir" and 0 < len(facts["description"]) <= 1024 and len(body.splitlines()) < 500
