"""Agents that start ``legalir mcp``: where each keeps its servers and skills, and how one is added there."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from legalir.errors import DataError

SERVER = "legalir"
"""Name of the server, and of the skill."""

_PASSED_ON = ("LEGALIR_DATA", "LEGALIR_HOME", "LEGALIR_SEMANTIC")
"""Variables that the server needs as well; agents start it without those of a shell."""


class Agent(NamedTuple):
    """A client of the protocol.

    Attributes:
        file: its configuration, JSON or TOML.
        key: name of the object of servers in it.
        extra: what an entry has beside command, arguments and environment.
        skills: folder of its skills; None if it has none.
    """

    file: Path
    key: str = "mcpServers"
    extra: Mapping[str, str] = {}
    skills: Path | None = None


def agents() -> dict[str, Agent]:
    """Return the agents by name, with the places that they have on this platform and for this user."""
    home, stdio = Path.home(), {"type": "stdio"}

    def of_user(program: str) -> Path:
        return Path(platformdirs.user_config_dir(program, appauthor=False, roaming=True))

    claude = os.environ.get("CLAUDE_CONFIG_DIR")
    codex = Path(os.environ.get("CODEX_HOME") or home / ".codex")
    skills = {name: home / f".{name}" / "skills" for name in ("agents", "claude", "copilot", "cursor", "gemini")}
    return {
        "claude-code": Agent(
            Path(claude or home) / ".claude.json",
            extra=stdio,
            skills=Path(claude) / "skills" if claude else skills["claude"],
        ),
        "claude-desktop": Agent(of_user("Claude") / "claude_desktop_config.json"),
        "codex": Agent(codex / "config.toml", "mcp_servers", skills=skills["agents"]),
        "cursor": Agent(home / ".cursor" / "mcp.json", skills=skills["cursor"]),
        "gemini": Agent(home / ".gemini" / "settings.json", skills=skills["gemini"]),
        "vscode": Agent(of_user("Code") / "User" / "mcp.json", "servers", stdio, skills["copilot"]),
        "windsurf": Agent(home / ".codeium" / "windsurf" / "mcp_config.json"),
    }


def install(agent: Agent, command: str, arguments: Iterable[str], *, dry: bool = False) -> Iterator[str]:
    """Add the server, and the skill, to an agent, and yield a sentence on each file.

    What else is in a file stays, and the file as it was is kept beside it.

    Args:
        agent: the agent.
        command: path of the program.
        arguments: its arguments.
        dry: only say what would be written.

    Raises:
        DataError: the configuration cannot be read, or not be changed without loss.
    """
    given = {name: os.environ[name] for name in _PASSED_ON if os.environ.get(name)}
    entry = {**agent.extra, "command": command, "args": [*arguments], **({"env": given} if given else {})}
    written = _with_toml if agent.file.suffix == ".toml" else _with_json
    texts = {agent.file: written(agent, _read(agent.file), entry)}
    if agent.skills:
        skill = Path(__file__).parent / "skills" / SERVER / "SKILL.md"
        texts[agent.skills / SERVER / "SKILL.md"] = (skill.read_text(encoding="utf-8"), "the skill")
    for file, (text, shown) in texts.items():
        if text == _read(file):
            yield f"{file} has it already."
        elif dry:
            yield f"{file} would get {shown}"
        else:
            kept = _replace(file, text)
            yield f"{file} is written" + (f"; as it was: {kept}" if kept else "") + "."


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file} cannot be read: {error}.") from None


def _with_json(agent: Agent, text: str, entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text of a JSON file with the entry, which takes the place of one of this name, and what is new."""
    shown = f'"{SERVER}": {json.dumps(entry, ensure_ascii=False)} in "{agent.key}"'
    left = f"and is left as it is: mend it, or write {shown} by hand."
    try:
        whole = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise DataError(f"{agent.file} is not plain JSON ({error}), {left}") from None
    servers = whole.get(agent.key, {}) if isinstance(whole, dict) else None
    if not isinstance(servers, dict):
        raise DataError(f"{agent.file} has no object where {agent.key!r} is needed, {left}")
    if servers.get(SERVER) == entry:
        return text, shown
    indent = re.match(r"\{\s*\n([ \t]+)", text)
    new = {**whole, agent.key: {**servers, SERVER: entry}}
    return json.dumps(new, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n", shown


def _with_toml(agent: Agent, text: str, entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text of a TOML file with the entry in place of one of this name, and what is new; other lines stay."""
    env = entry.get("env", {})
    values = {name: value for name, value in entry.items() if name != "env"}
    own = f"{agent.key}.{SERVER}"
    tables = [(own, values), *([(f"{own}.env", env)] if env else [])]
    block = "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in table.items())
        for name, table in tables
    )
    try:
        before = tomllib.loads(text)
        if before.get(agent.key, {}).get(SERVER) == entry:
            return text, block
        kept, within = list[str](), False
        for line in text.splitlines(keepends=True):
            if line.lstrip().startswith("["):
                header = line.strip().strip("[]").replace('"', "").replace("'", "")
                within = header == own or header.startswith(f"{own}.")
            kept += [] if within else [line]
        rest = "".join(kept).rstrip("\n")
        whole = f"{rest}\n\n{block}" if rest else block
        before.setdefault(agent.key, {})[SERVER] = dict(entry)
        if tomllib.loads(whole) != before:
            raise ValueError("it has this server in a form of its own")
    except (ValueError, AttributeError, TypeError) as error:
        reason = f"{agent.file} cannot be changed without loss ({error}), and is left as it is"
        raise DataError(f"{reason}: mend it, or add this by hand:\n{block}") from None
    return whole, block


def _replace(file: Path, text: str) -> Path | None:
    """Replace a file as a whole, or the one that it links to, and return where it is as it was."""
    file, kept = file.resolve(), None
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if file.exists():
            shutil.copymode(file, new)
            kept = file.with_name(f"{file.name}.{time.strftime('%Y%m%d-%H%M%S')}-{time.monotonic_ns() % 1000:03}.bak")
            shutil.copy2(file, kept)
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)
    return kept
